/* tagging.c - models applied to files and to sequences in memory. */

#include <math.h>

#include "api/options.h"
#include "base/status.h"
#include "infer/apply.h"
#include "tag/features.h"

caucus_status caucus_predict(const caucus_model *model, const caucus_feature *features,
                             size_t count, double *probabilities)
{
    return cau_predict(model, features, count, probabilities);
}

caucus_status caucus_label(caucus_ctx *ctx, const caucus_model *model, const caucus_item *items,
                           size_t T, uint32_t *labels, double *probability, double *marginals)
{
    double score, logz;
    if (T == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "a sequence without positions; give at least one");
    caucus_status st = cau_label(ctx, model, items, T, labels, marginals, &score, &logz);
    if (!st && probability) *probability = exp(score - logz);
    return st;
}

caucus_status caucus_features(caucus_ctx *ctx, const caucus_options *options, const char *path,
                              caucus_write_fn *write, void *user)
{
    return cau_features_show(ctx, &options->data, path, write, user);
}

caucus_status caucus_tag(caucus_ctx *ctx, const caucus_model *model, const caucus_options *options,
                         const char *path, caucus_write_fn *write, void *user)
{
    cau_tag_options how = options->tag;
    how.format = (int)options->data.read.format;
    return cau_tag(ctx, model, &how, cau_options_threads(ctx, options), path, write, user);
}
