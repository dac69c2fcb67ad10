/* tally.h - how good the answers of a run are on the data that it did not train on. */

#ifndef CAU_STUDY_TALLY_H
#define CAU_STUDY_TALLY_H

#include "dataset/dataset.h"
#include "eval/chunks.h"

/* Plain counts, which can be added up over runs. */
typedef struct {
    uint64_t tokens, right; /* instances whose gold label is known, and those of them labelled so */
    cau_counts chunks;      /* 0 where labels do not tell of chunks */
} cau_tally;

/* What was held out, and how the answers are to be read. All is borrowed. */
typedef struct {
    const cau_dataset *set; /* with the gold labels */
    const uint32_t *which;  /* [count] its sequences, in the order of the answers; NULL: all */
    size_t count;
    const cau_tags *tags; /* of the labels of the set; NULL: they do not tell of chunks */
} cau_held;

/* Whether labels tell of chunks: the set has sequences, all labels are of some scheme, and one at
 * least is not O. */
bool cau_tally_chunked(const cau_dataset *set, const cau_tags *tags);

/* Counts answers, one for each instance that was held out. They are numbers in `theirs`, the
 * gold labels in `ours`, which has all the names: a label that training did not know is never
 * answered, and so counts as an error. Where the gold label is left open, nothing is counted. */
caucus_status cau_tally_answers(caucus_ctx *ctx, const cau_held *held, const cau_alphabet *ours,
                                const cau_alphabet *theirs, const uint32_t *answer, cau_tally *out);

void cau_tally_add(cau_tally *sum, const cau_tally *more);
double cau_tally_accuracy(const cau_tally *tally); /* NaN where nothing was counted */

#endif
