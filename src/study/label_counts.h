/* label_counts.h - the held-out labels of a run, compared with gold. */

#ifndef CAU_STUDY_LABEL_COUNTS_H
#define CAU_STUDY_LABEL_COUNTS_H

#include "dataset/dataset.h"
#include "eval/chunks.h"

/* Plain counts, which can be added up over runs. */
typedef struct {
    uint64_t tokens, right; /* instances with a single gold label; those that were labelled so */
    cau_counts chunks;      /* 0 if the labels are not those of chunks */
} cau_label_counts;

/* The held-out data. Everything is borrowed. */
typedef struct {
    const cau_dataset *set; /* with the gold labels */
    const uint32_t *which;  /* [count] its sequences, in the order of the predictions; NULL: all */
    size_t count;
    const cau_tags *tags; /* of the labels of the set; NULL: they are not those of chunks */
} cau_held_data;

/* Whether labels are those of chunks: the set has sequences, all labels belong to a scheme, and at
 * least one of them is not O. */
bool cau_labels_are_chunked(const cau_dataset *set, const cau_tags *tags);

/* Compares predictions, one for each held-out instance, with gold. Predictions are numbers in
 * `theirs`, the labels of the training part; gold labels are numbers in `ours`, which has all
 * labels. So a label that training does not have is never predicted, and counts as an error.
 * Instances with a partial gold label are not counted. */
caucus_status cau_count_labels(caucus_ctx *ctx, const cau_held_data *held, const cau_alphabet *ours,
                               const cau_alphabet *theirs, const uint32_t *predicted,
                               cau_label_counts *out);

void cau_label_counts_add(cau_label_counts *sum, const cau_label_counts *more);
double cau_label_accuracy(const cau_label_counts *counts); /* NaN if nothing was counted */

#endif
