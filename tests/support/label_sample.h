/* label_sample.h - labels and probabilities of a sequence of features in one call. */

#ifndef CAU_SUPPORT_LABEL_SAMPLE_H
#define CAU_SUPPORT_LABEL_SAMPLE_H

#include <string.h>

#include "infer/apply.h"

/* The features of one instance. */
typedef struct {
    const caucus_feature *features;
    size_t count;
} sample_instance;

/* The best labels of a sequence: path [T]. Also, unless NULL: marginal [T][Y], the score of the
 * path and log Z. */
static inline caucus_status sample_label(caucus_ctx *ctx, const caucus_model *model,
                                         const sample_instance *x, size_t T, uint32_t *path,
                                         double *marginal, double *score, double *logz)
{
    cau_decoder decoder = {0};
    cau_labeller l = {0};
    const cau_decode_options how = {.marginals = marginal || logz};
    caucus_status st = cau_model_verify(ctx, model);
    if (score) *score = 0;
    if (logz) *logz = 0;
    if (!st) st = cau_decoder_init(ctx, &decoder, model, &how);
    if (!st) st = cau_labeller_init(ctx, &l, model, &decoder);
    cau_scorer_begin(&l.scorer);
    for (size_t t = 0; t < T && !st; t++) st = cau_labeller_add(ctx, &l, x[t].features, x[t].count);
    if (!st) st = cau_labeller_end(ctx, &l, NULL);
    if (!st) memcpy(path, l.decoded.path, T * sizeof *path);
    if (!st && marginal) memcpy(marginal, l.decoded.marginal, T * model->Y * sizeof *marginal);
    if (!st && score) *score = l.decoded.score;
    if (!st && logz) *logz = l.decoded.logz;
    cau_labeller_clear(&l);
    cau_decoder_clear(&decoder);
    return st;
}

/* p(y | x) of a single instance, [Y]. */
static inline caucus_status sample_predict(caucus_ctx *ctx, const caucus_model *model,
                                           const caucus_feature *features, size_t count, double *p)
{
    uint32_t label;
    return sample_label(ctx, model, &(sample_instance){features, count}, 1, &label, p, NULL, NULL);
}

#endif
