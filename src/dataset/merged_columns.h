/* merged_columns.h - merges observations that always occur together. */

#ifndef CAU_DATASET_MERGED_COLUMNS_H
#define CAU_DATASET_MERGED_COLUMNS_H

#include "dataset/dataset.h"

/* A dataset in which equal columns are one column. Only x, xt and K are its own; the rest belongs
 * to the original set, which must live longer. */
typedef struct {
    cau_dataset set;
    uint32_t *column; /* [K of the original] the merged column of each observation */
    uint32_t *count;  /* [set.K] how many observations a column stands for */
} cau_merged;

/* Merges the columns of an indexed set that are equal in all rows. If that would save less than a
 * tenth of the columns, *worth is false and there is no result. If the set is the part of one
 * process, columns are equal if they are so in all processes of ctx->comm, and the call is
 * collective. */
caucus_status cau_merge(caucus_ctx *ctx, const cau_dataset *set, cau_merged *out, bool *worth);
void cau_merged_clear(cau_merged *merged);

#endif
