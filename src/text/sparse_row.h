/* sparse_row.h - the features of one instance while they come in. */

#ifndef CAU_TEXT_SPARSE_ROW_H
#define CAU_TEXT_SPARSE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caucus.h"

/* Features in one or more groups; within a group each stands once, in the order of its first
 * coming. Embed it zeroed, and clear it at the end. Its memory is kept from one instance to
 * the next. */
typedef struct {
    size_t count;  /* features of all groups */
    uint32_t *id;  /* [count] */
    float *value;  /* [count] */
    bool plain;    /* all values are 1 */
    size_t groups; /* at least 1 after cau_sparse_row_reset */
    size_t *start; /* [groups + 1]; the last one is set by cau_sparse_row_close */

    uint32_t *place; /* [places]: where in the group an id stands, if it is there */
    size_t places, id_room, value_room, start_room;
} cau_sparse_row;

/* Empties the bag and opens its first group. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_sparse_row_reset(cau_sparse_row *bag);

/* Opens the next group. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_sparse_row_group(cau_sparse_row *bag);

/* Puts a feature into the open group, in constant time. If it is there already, the values are
 * added, or, with `presence`, nothing happens. CAUCUS_ERR_NUMERIC when the sum is not finite. */
caucus_status cau_sparse_row_add(cau_sparse_row *bag, uint32_t id, float value, bool presence);

/* The same for a feature that is known not to be there yet, which spares the search. */
caucus_status cau_sparse_row_append(cau_sparse_row *bag, uint32_t id, float value);

/* The same for several, all of value 1, of which the caller writes the ids to bag->id[at] and on.
 * Only the room is made here. */
caucus_status cau_sparse_row_extend(cau_sparse_row *bag, size_t count, size_t *at);

/* Ends the last group: values that are 0 go, and `plain` and `start` become final. */
void cau_sparse_row_close(cau_sparse_row *bag);

void cau_sparse_row_clear(cau_sparse_row *bag); /* frees its memory */

#endif
