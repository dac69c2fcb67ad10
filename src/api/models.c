/* models.c - model files, and what a model holds. */

#include "api/options.h"
#include "base/status.h"
#include "model/dump.h"

caucus_status caucus_model_open(caucus_ctx *ctx, const char *path, caucus_model **out)
{
    return cau_model_open(ctx, path, out);
}

caucus_status caucus_model_save(caucus_ctx *ctx, const caucus_model *model, const char *path)
{
    return cau_model_save(ctx, model, path);
}

void caucus_model_free(caucus_model *model)
{
    cau_model_free(model);
}

size_t caucus_model_classes(const caucus_model *model)
{
    return model->Y;
}

const char *caucus_model_class(const caucus_model *model, size_t index)
{
    return index < model->Y ? cau_model_label(model, index) : NULL;
}

const char *caucus_model_info(const caucus_model *model, const char *key)
{
    return cau_model_info(model, key);
}

caucus_status caucus_inspect(caucus_ctx *ctx, const caucus_model *model,
                             const caucus_options *options, caucus_write_fn *write, void *user)
{
    cau_inspect_options how = options->inspect;
    how.format = (int)options->data.read.format;
    return cau_inspect(ctx, model, &how, cau_options_threads(ctx, options), write, user);
}

caucus_status caucus_convert(caucus_ctx *ctx, const caucus_options *options, const char *from,
                             const char *to)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    if (options->rescheme.to != CAU_SCHEME_NONE)
        return cau_rescheme(ctx, &options->rescheme, from, to);
    TRY(cau_model_undump(ctx, from, &model));
    TRY(cau_model_save(ctx, model, to));
done:
    cau_model_free(model);
    return st;
}
