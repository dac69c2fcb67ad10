/* subset.h - a part of a dataset as a dataset of its own. */

#ifndef CAU_DATASET_SUBSET_H
#define CAU_DATASET_SUBSET_H

#include "dataset/dataset.h"

/* A part of the data: some sequences of data->train (instances, where it has no sequences) to train
 * on, and some as the test set. The result is the one that reading two files with these sequences
 * would give: it lacks the names that its training set lacks or that are below `cutoff`, and the
 * labels that its training set lacks, which are unknown in its test set. There is no dev set. With
 * held = 0 the test set is data->test. A sequence may be listed more than once. Names and labels
 * keep their order, the template is copied. Units are renumbered, but files keep their numbers:
 * file 0 is file 0 in each part. `data` must be closed and is only read, so threads may share it.
 * Free the result with cau_data_free. CAUCUS_ERR_FORMAT when training has fewer than two labels;
 * the message has no place, because the part has no file. */
typedef struct {
    const uint32_t *train, *test;
    size_t trained, held;
    bool whole; /* keep all names and labels, whether training has them or not; no cut-off */
} cau_part_of;
caucus_status cau_data_subset(caucus_ctx *ctx, const caucus_data *data, const cau_part_of *part,
                              size_t cutoff, caucus_data **out);

#endif
