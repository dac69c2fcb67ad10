/* cmd_tag.c - caucus tag: every file through the model, line by line, to standard output. */

#include "cli.h"

int cmd_tag(const request *r)
{
    const char *path = caucus_options_get(r->options, "model");
    if (!path)
        return misused("tag needs -m MODEL, the model to apply; the form is caucus tag %s",
                       r->verb->synopsis);
    caucus_model *model = NULL;
    caucus_status st = caucus_model_open(r->ctx, path, &model);
    if (st) return failed(r->ctx, st);

    size_t count;
    const char *const *input = args_inputs(r, &count);
    for (size_t i = 0; i < count && !st; i++)
        st = caucus_tag(r->ctx, model, r->options, input[i], output_write, NULL);
    caucus_model_free(model);
    return output_status(r->ctx, st);
}
