/* sparse_row.h - the features of one instance, repeated ones merged. */

#ifndef CAU_DATASET_SPARSE_ROW_H
#define CAU_DATASET_SPARSE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caucus.h"

/* Features in one or more groups. A group lists each feature once, in the order of first
 * occurrence. Embed it zeroed, and clear it at the end. Memory is kept from one instance to the
 * next. */
typedef struct {
    size_t count;  /* features in all groups */
    uint32_t *id;  /* [count] */
    float *value;  /* [count] */
    bool plain;    /* all values are 1 */
    size_t groups; /* at least 1 after cau_sparse_row_reset */
    size_t *start; /* [groups + 1]; the last one is set by cau_sparse_row_close */

    uint32_t *place; /* [places] index of an id within its group, if it is in the group */
    size_t places, id_room, value_room, start_room;
} cau_sparse_row;

/* Removes all features and starts the first group. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_sparse_row_reset(cau_sparse_row *row);

/* Starts the next group. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_sparse_row_group(cau_sparse_row *row);

/* Adds a feature to the current group, in constant time. If the group has it already, the values
 * add up, or, with `presence`, nothing happens. CAUCUS_ERR_NUMERIC when the sum is not finite. */
caucus_status cau_sparse_row_add(cau_sparse_row *row, uint32_t id, float value, bool presence);

/* The same without a search, for a feature that the group does not have. */
caucus_status cau_sparse_row_append(cau_sparse_row *row, uint32_t id, float value);

/* Ends the last group: removes features of value 0 and makes `plain` and `start` final. */
void cau_sparse_row_close(cau_sparse_row *row);

void cau_sparse_row_clear(cau_sparse_row *row); /* frees its memory */

#endif
