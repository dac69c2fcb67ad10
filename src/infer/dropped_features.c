/* dropped_features.c - features that are taken away from a model. Its names are compared once, so
 * that a tagger only has a bit to look at. */

#include "infer/dropped_features.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"

/* Adds what fits a glob to *bits, which are made with the first; gives how many names did. */
static caucus_status drop(const cau_observations *of, const char *glob, uint64_t **bits,
                          size_t *fit)
{
    for (size_t k = 0; k < of->K; k++) {
        if (!cau_glob((cau_str){glob, strlen(glob)}, cau_model_name(of, k))) continue;
        if (!*bits) *bits = cau_calloc(of->K / 64 + 1, sizeof **bits);
        if (!*bits) return CAUCUS_ERR_MEMORY;
        (*bits)[k / 64] |= (uint64_t)1 << k % 64;
        ++*fit;
    }
    return CAUCUS_OK;
}

caucus_status cau_dropped_init(caucus_ctx *ctx, cau_dropped *dropped, const caucus_model *model,
                               cau_paths globs)
{
    *dropped = (cau_dropped){0};
    for (size_t i = 0; i < globs.count; i++) {
        size_t fit = 0;
        if (drop(&model->nodes, globs.path[i], &dropped->nodes, &fit) ||
            drop(&model->edges, globs.path[i], &dropped->edges, &fit)) {
            cau_dropped_clear(dropped);
            return cau_fail_memory(ctx, "the features to drop");
        }
        if (fit == 0)
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
