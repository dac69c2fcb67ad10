/* dropped_features.h - features that are taken away from a model: what is left of it without them?
 */

#ifndef CAU_INFER_DROPPED_FEATURES_H
#define CAU_INFER_DROPPED_FEATURES_H

#include "base/strbuf.h"
#include "model/model.h"

/* Which observations of a model are treated as unknown. Embed it zeroed, clear it at the end;
 * constant once it is made, and shared by threads. */
typedef struct {
    uint64_t *nodes, *edges; /* a bit for each observation; NULL: none of them is dropped */
} cau_dropped;

/* Those whose names fit one of the globs (dataset/feature_group.h). A glob that no name fits is
 * noted. */
caucus_status cau_dropped_init(caucus_ctx *ctx, cau_dropped *dropped, const caucus_model *model,
                               cau_paths globs);
void cau_dropped_clear(cau_dropped *dropped);

static inline bool cau_is_dropped(const uint64_t *bits, size_t row)
{
    return bits[row / 64] >> row % 64 & 1;
}

#endif
