/* cmd_inspect.c - caucus inspect: what is in a model. */

#include "cli.h"

int cmd_inspect(const request *r)
{
    caucus_model *model = NULL;
    caucus_status st = caucus_model_open(r->ctx, r->operand[0], &model);
    if (!st) st = caucus_inspect(r->ctx, model, r->options, output_write, NULL);
    caucus_model_free(model);
    return output_status(r->ctx, st);
}
