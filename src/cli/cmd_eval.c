/* cmd_eval.c - caucus eval: scores of tagged files as a table or as JSON. */

#include "cli.h"

int cmd_eval(const request *r)
{
    size_t count;
    const char *const *input = args_inputs(r, &count);
    caucus_scores *scores = NULL;
    caucus_status st = caucus_evaluate(r->ctx, r->options, input, count, &scores);
    if (!st) st = caucus_scores_write(r->ctx, scores, r->options, output_write, NULL);
    caucus_scores_free(scores);
    return output_status(r->ctx, st);
}
