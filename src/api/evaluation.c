/* evaluation.c - scores of labels, of clusterings, and of a model that lacks some features. */

#include "api/options.h"
#include "base/status.h"
#include "eval/eval.h"

static cau_eval_options eval_options(const caucus_ctx *ctx, const caucus_options *options)
{
    cau_eval_options how = options->eval;
    how.seed = options->seed;
    how.threads = cau_options_threads(ctx, options);
    return how;
}

caucus_status caucus_errors(caucus_ctx *ctx, const caucus_model *model,
                            const caucus_options *options, const char *path, caucus_write_fn *write,
                            void *user)
{
    const caucus_status st = cau_options_expect(ctx, options, "eval", NULL);
    return st ? st
              : cau_errors(ctx, model, path, (size_t)options->errors, options->eval.json, write,
                           user);
}

caucus_status caucus_evaluate(caucus_ctx *ctx, const caucus_options *options,
                              const char *const *paths, size_t count, caucus_scores **out)
{
    const cau_eval_options how = eval_options(ctx, options);
    const caucus_status st = cau_options_expect(ctx, options, "eval", NULL);
    return st ? st : cau_scores_read(ctx, &how, paths, count, out);
}

caucus_status caucus_score_labels(caucus_ctx *ctx, const caucus_options *options,
                                  const caucus_labels *labels, caucus_scores **out)
{
    const cau_eval_options how = eval_options(ctx, options);
    const caucus_status st = cau_options_expect(ctx, options, "eval", NULL);
    return st ? st : cau_scores_labels(ctx, &how, labels, out);
}

/* Tags the data without the features that match `drop` (NULL: with all) and scores the output. */
static caucus_status add_run(caucus_ctx *ctx, cau_robust *robust, const caucus_model *model,
                             const caucus_options *options, const char *path, const char *drop)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf tagged = {0};
    cau_tag_options how = {.drop = {.count = drop != NULL, .path = &drop}, .labels = true};
    TRY(cau_tag(ctx, model, &how, cau_options_threads(ctx, options), path, cau_strbuf_write,
                &tagged));
    TRY(cau_robust_add(ctx, robust, drop, (cau_str){tagged.s, tagged.n}));
done:
    if (tagged.failed) st = cau_strbuf_status(ctx, &tagged);
    cau_strbuf_clear(&tagged);
    return st;
}

caucus_status caucus_robustness(caucus_ctx *ctx, const caucus_model *model,
                                const caucus_options *options, const char *path,
                                caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_robust *robust = NULL;
    const cau_eval_options how = eval_options(ctx, options);
    TRY(cau_options_expect(ctx, options, "eval", NULL));
    TRY(cau_eval_check(ctx, &how));
    TRY(cau_robust_new(ctx, &how, path, &robust));
    TRY(add_run(ctx, robust, model, options, path, NULL));
    for (size_t i = 0; i < options->drop.count; i++)
        TRY(add_run(ctx, robust, model, options, path, options->drop.path[i]));
    TRY(cau_robust_write(ctx, robust, write, user));
done:
    cau_robust_free(robust);
    return st;
}

void caucus_scores_free(caucus_scores *scores)
{
    cau_scores_free(scores);
}

double caucus_scores_get(const caucus_scores *scores, const char *measure, const char *label)
{
    return cau_scores_get(scores, measure, label);
}

caucus_status caucus_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                                  const caucus_options *options, caucus_write_fn *write, void *user)
{
    const cau_eval_options how = eval_options(ctx, options);
    const caucus_status st = cau_options_expect(ctx, options, "eval", NULL);
    return st ? st : cau_scores_write(ctx, scores, &how, write, user);
}
