/* merged_columns.h - observations that always occur together, as one. */

#ifndef CAU_DATASET_MERGED_COLUMNS_H
#define CAU_DATASET_MERGED_COLUMNS_H

#include "dataset/dataset.h"

/* A dataset in which equal columns stand once. Only x, xt and K are its own; everything else
 * is that of the original set, which must live longer. */
typedef struct {
    cau_dataset set;
    uint32_t *column; /* [K of the original] the merged column of each observation */
    uint32_t *count;  /* [set.K] how many observations a column stands for */
} cau_merged;

/* Merges the columns of an indexed set that are equal in all rows. *worth is false, and
 * nothing is made, when that would spare less than a tenth of them. */
caucus_status cau_merge(caucus_ctx *ctx, const cau_dataset *set, cau_merged *out, bool *worth);
void cau_merged_clear(cau_merged *merged);

#endif
