/* strongest.h - the strongest weights of observations: lists of the largest and of the most
 * negative ones. */

#ifndef CAU_APPLY_STRONGEST_H
#define CAU_APPLY_STRONGEST_H

#include "model/model.h"

/* A weight: its size |w|, its observation and its cell. */
typedef struct {
    float size;
    uint32_t k, cell;
} cau_strong;

/* The strongest first, and of equals the one that comes first in the model. */
typedef struct {
    cau_strong *entries;
    size_t count, room;
} cau_strong_list;

enum { CAU_FOR, CAU_AGAINST, CAU_SIGNS }; /* weights above 0, and below */

typedef struct {
    cau_strong_list *lists; /* [groups][CAU_SIGNS] */
    cau_strong *entries;    /* of all lists */
    size_t nonzeros;        /* weights that are not zero */
    bool by_cell;
} cau_strongest;

/* Up to `top` weights for each list; a group for each cell with `by_cell`, else one for all.
 * Clear it in either case. */
caucus_status cau_strongest_find(caucus_ctx *ctx, const cau_observations *of, bool by_cell,
                                 uint64_t top, cau_strongest *out);
void cau_strongest_clear(cau_strongest *s); /* a zeroed one may be cleared as well */

#endif
