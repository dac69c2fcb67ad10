/* cmd_features.c - caucus features: what a template makes of each token. */

#include "cli.h"

int cmd_features(const request *r)
{
    size_t count;
    caucus_status st = CAUCUS_OK;
    const char *const *input = args_inputs(r, &count);
    for (size_t i = 0; i < count && !st; i++)
        st = caucus_features(r->ctx, r->options, input[i], output_write, NULL);
    return output_status(r->ctx, st);
}
