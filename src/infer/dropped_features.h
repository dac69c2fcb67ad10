/* dropped_features.h - features of a model that are treated as unknown. */

#ifndef CAU_INFER_DROPPED_FEATURES_H
#define CAU_INFER_DROPPED_FEATURES_H

#include "base/strbuf.h"
#include "model/model.h"

/* The observations of a model that are dropped. Embed it zeroed, clear it at the end; threads may
 * share it. */
typedef struct {
    uint64_t *nodes, *edges; /* a bit for each observation; NULL: no observation is dropped */
} cau_dropped;

/* Drops the observations whose names match one of the globs (dataset/feature_group.h), and notes
 * globs that match no name. */
caucus_status cau_dropped_init(caucus_ctx *ctx, cau_dropped *dropped, const caucus_model *model,
                               cau_paths globs);
void cau_dropped_clear(cau_dropped *dropped);

static inline bool cau_is_dropped(const uint64_t *bits, size_t row)
{
    return bits[row / 64] >> row % 64 & 1;
}

#endif
