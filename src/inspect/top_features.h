/* top_features.h - the strongest weights of observations: lists of the largest and of the most
 * negative ones. */

#ifndef CAU_INSPECT_TOP_FEATURES_H
#define CAU_INSPECT_TOP_FEATURES_H

#include "model/model.h"

/* A weight: its size |w|, its observation and its cell. */
typedef struct {
    float size;
    uint32_t k, cell;
} cau_top_feature;

/* The strongest first, and of equals the one that comes first in the model. */
typedef struct {
    cau_top_feature *entries;
    size_t count, room;
} cau_top_list;

enum { CAU_FOR, CAU_AGAINST, CAU_SIGNS }; /* weights above 0, and below */

typedef struct {
    cau_top_list *lists;      /* [groups][CAU_SIGNS] */
    cau_top_feature *entries; /* of all lists */
    size_t nonzeros;          /* weights that are not zero */
    bool by_cell;
} cau_top_features;

/* Up to `top` weights for each list; a group for each cell with `by_cell`, else one for all.
 * Clear it in either case. */
caucus_status cau_top_features_find(caucus_ctx *ctx, const cau_observations *of, bool by_cell,
                                    uint64_t top, cau_top_features *out);
void cau_top_features_clear(cau_top_features *s); /* a zeroed one may be cleared as well */

#endif
