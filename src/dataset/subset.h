/* subset.h - a part of a data set as a data set of its own. */

#ifndef CAU_DATASET_SUBSET_H
#define CAU_DATASET_SUBSET_H

#include "dataset/dataset.h"

/* Some sequences of data->train (instances, where there are none), by their numbers: those to
 * train on, and those to be the test set. The result is what reading a file of the first and a
 * file of the second would give: names that training then lacks or that fall below `cutoff`, and
 * labels that it lacks, are not there; what the test set has of them is unknown. The dev set
 * is left out. Where `held` is 0, data->test is the test set. A number may come more than once.
 * Names and labels keep the order that they have in `data`, the template is copied. Units come
 * along and are numbered anew, but for files: those keep their numbers, so the first file is number
 * 0 in each part, also where none of another is left. `data` is closed and only read: threads may
 * share it. Free the result with cau_data_free. CAUCUS_ERR_FORMAT when training would know fewer
 * than two labels: the sentence has no place, the caller knows what the part is. */
typedef struct {
    const uint32_t *train, *test;
    size_t trained, held;
    bool whole; /* all names and labels stay, whether training has them or not; no cut-off then */
} cau_part_of;
caucus_status cau_data_subset(caucus_ctx *ctx, const caucus_data *data, const cau_part_of *part,
                              size_t cutoff, caucus_data **out);

#endif
