/* data.c - labelled data of the public interface: read from files, or added from memory. */

#include <string.h>

#include "api/options.h"
#include "base/status.h"

static caucus_status copy_names(caucus_ctx *ctx, const cau_observations *from, cau_alphabet **out)
{
    caucus_status st = cau_alphabet_new(ctx, out);
    for (size_t k = 0; !st && k < from->K; k++) {
        const cau_str name = cau_model_name(from, k);
        if (cau_alphabet_add(*out, name.s, name.n) == CAU_UNKNOWN)
            st = cau_fail_memory(ctx, "the names of a model");
    }
    return st;
}

/* What a model knows: names, labels, and its template. All are to be freed. */
static caucus_status learn_from(caucus_ctx *ctx, const caucus_model *model, cau_known *known,
                                cau_template **template)
{
    caucus_status st = CAUCUS_OK;
    TRY(copy_names(ctx, &model->nodes, &known->alphabets.names));
    TRY(copy_names(ctx, &model->edges, &known->alphabets.edges));
    TRY(cau_alphabet_new(ctx, &known->labels));
    for (size_t y = 0; y < model->Y; y++) {
        const char *label = cau_model_label(model, y);
        if (cau_alphabet_add(known->labels, label, strlen(label)) == CAU_UNKNOWN)
            TRY(cau_fail_memory(ctx, "the labels of a model"));
    }
    if (model->template.n)
        TRY(cau_template_parse(ctx, "the template of the model", model->template, NULL, template));
done:
    return st;
}

caucus_status caucus_data_read(caucus_ctx *ctx, const caucus_options *options,
                               const char *const *paths, size_t count, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *from = NULL;
    cau_template *template = NULL;
    cau_known known = {0};
    cau_data_options how = options->data;
    how.seed = options->seed;
    how.partial = options->train.model != CAU_MODEL_MAXENT;
    if (options->train.from) {
        TRY(cau_model_open(ctx, options->train.from, &from));
        TRY(cau_model_verify(ctx, from));
        TRY(learn_from(ctx, from, &known, &template));
        how.known = &known;
        if (!how.template) how.read.template = template;
    }
    TRY(cau_data_read(ctx, &how, paths, count, out));
done:
    cau_model_free(from);
    cau_template_free(template);
    cau_alphabet_free(known.alphabets.names);
    cau_alphabet_free(known.alphabets.edges);
    cau_alphabet_free(known.labels);
    return st;
}

caucus_status caucus_data_new(caucus_ctx *ctx, caucus_data **out)
{
    return cau_data_new(ctx, out);
}

caucus_status caucus_data_add(caucus_ctx *ctx, caucus_data *data, const char *label, double weight,
                              const caucus_feature *features, size_t count)
{
    return cau_data_add(ctx, data, label, weight, features, count);
}

caucus_status caucus_data_break(caucus_ctx *ctx, caucus_data *data)
{
    return cau_data_break(ctx, data);
}

caucus_status caucus_data_close(caucus_ctx *ctx, caucus_data *data)
{
    return cau_data_close(ctx, data);
}

size_t caucus_data_size(const caucus_data *data)
{
    return data->train.N;
}

void caucus_data_free(caucus_data *data)
{
    cau_data_free(data);
}
