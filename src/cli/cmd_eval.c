/* cmd_eval.c - caucus eval: scores of tagged files, or of a model on data. */

#include "cli.h"

/* With a model: DATA is tagged here, with all features and without some. */
static int robustness(const request *r, const char *path)
{
    size_t count;
    const char *const *input = args_inputs(r, &count);
    caucus_model *model = NULL;
    if (count > 1) return misused("with --model, eval takes one file of data");
    caucus_status st = caucus_model_open(r->ctx, path, &model);
    if (!st) st = caucus_robustness(r->ctx, model, r->options, input[0], output_write, NULL);
    caucus_model_free(model);
    return output_status(r->ctx, st);
}

int cmd_eval(const request *r)
{
    const char *model = caucus_options_get(r->options, "model");
    if (model) return robustness(r, model);
    if (caucus_options_get(r->options, "drop"))
        return misused("--drop is about a model; add -m MODEL, and give data to tag");

    size_t count;
    const char *const *input = args_inputs(r, &count);
    caucus_scores *scores = NULL;
    caucus_status st = caucus_evaluate(r->ctx, r->options, input, count, &scores);
    if (!st) st = caucus_scores_write(r->ctx, scores, r->options, output_write, NULL);
    caucus_scores_free(scores);
    return output_status(r->ctx, st);
}
