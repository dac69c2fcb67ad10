/* dropped_features.c - features of a model that are treated as unknown. All names are compared
 * once, so that tagging only tests a bit. */

#include "infer/dropped_features.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"

/* Sets the bits of the names that match a glob, and adds their number to *matches. Allocates *bits
 * for the first match. */
static caucus_status drop_matches(const cau_observations *of, const char *glob, uint64_t **bits,
                                  size_t *matches)
{
    for (size_t k = 0; k < of->K; k++) {
        if (!cau_glob((cau_str){glob, strlen(glob)}, cau_model_name(of, k))) continue;
        if (!*bits) *bits = cau_calloc(of->K / 64 + 1, sizeof **bits);
        if (!*bits) return CAUCUS_ERR_MEMORY;
        (*bits)[k / 64] |= (uint64_t)1 << k % 64;
        ++*matches;
    }
    return CAUCUS_OK;
}

caucus_status cau_dropped_init(caucus_ctx *ctx, cau_dropped *dropped, const caucus_model *model,
                               cau_paths globs)
{
    *dropped = (cau_dropped){0};
    for (size_t i = 0; i < globs.count; i++) {
        size_t matches = 0;
        if (drop_matches(&model->nodes, globs.path[i], &dropped->nodes, &matches) ||
            drop_matches(&model->edges, globs.path[i], &dropped->edges, &matches)) {
            cau_dropped_clear(dropped);
            return cau_fail_memory(ctx, "the features to drop");
        }
        if (matches == 0)
            cau_note(ctx,
                     "--drop %s: no feature of the model has such a name; `caucus inspect` shows "
                     "some",
                     globs.path[i]);
    }
    return CAUCUS_OK;
}

void cau_dropped_clear(cau_dropped *dropped)
{
    free(dropped->nodes);
    free(dropped->edges);
    *dropped = (cau_dropped){0};
}
