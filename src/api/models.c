/* models.c - model files, and what a model holds. */

#include <math.h>
#include <string.h>

#include "api/options.h"
#include "base/status.h"
#include "model/dump.h"
#include "peers/peers.h"

caucus_status caucus_model_open(caucus_ctx *ctx, const char *path, caucus_model **out)
{
    return cau_peers_open(ctx, path, out);
}

caucus_status caucus_model_from_bytes(caucus_ctx *ctx, const void *bytes, size_t length,
                                      caucus_model **out)
{
    return cau_peers_from_bytes(ctx, bytes, length, out);
}

caucus_status caucus_model_bytes(caucus_ctx *ctx, const caucus_model *model, const void **bytes,
                                 size_t *length)
{
    const caucus_status st = cau_model_verify(ctx, model);
    if (st) return st;
    *bytes = model->image;
    *length = model->bytes;
    return CAUCUS_OK;
}

caucus_status caucus_model_save(caucus_ctx *ctx, const caucus_model *model, const char *path)
{
    return cau_model_save(ctx, model, path);
}

caucus_status caucus_model_export(caucus_ctx *ctx, const caucus_model *model, const char *form,
                                  const char *path)
{
    caucus_status st = CAUCUS_OK;
    caucus_options *options = NULL;
    TRY(caucus_options_new(ctx, "convert", &options));
    TRY(caucus_options_set(ctx, options, "as", form));
    TRY(cau_peers_save(ctx, model, options->model_form, path));
done:
    caucus_options_free(options);
    return st;
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

const char *caucus_model_kind(const caucus_model *model)
{
    return cau_kind_name(model->kind);
}

caucus_form caucus_model_form(const caucus_model *model, size_t *cells)
{
    const bool template = model->template.n > 0;
    if (cells) *cells = template ? (size_t)model->read.columns : 0;
    if (template) return CAUCUS_FORM_CELLS;
    return model->read.format == CAU_FORMAT_TEXT ? CAUCUS_FORM_TEXT : CAUCUS_FORM_FEATURES;
}

const char *caucus_model_info(const caucus_model *model, const char *key)
{
    const char *value = cau_model_info(model, key);
    /* models of other programs come without notes on their training */
    return !value && strcmp(key, "model") == 0 ? cau_kind_name(model->kind) : value;
}

/* ---- features and weights ---- */

static const cau_observations *observations(const caucus_model *model, caucus_feature_kind kind)
{
    return kind == CAUCUS_EDGE_FEATURES ? &model->edges : &model->nodes;
}

size_t caucus_model_features(const caucus_model *model, caucus_feature_kind kind)
{
    return observations(model, kind)->K;
}

const char *caucus_model_feature(const caucus_model *model, caucus_feature_kind kind, size_t index,
                                 size_t *length)
{
    const cau_observations *of = observations(model, kind);
    if (index >= of->K || cau_model_verify(NULL, model)) return NULL;
    const cau_str name = cau_model_name(of, index);
    *length = name.n;
    return name.s;
}

size_t caucus_model_find(const caucus_model *model, caucus_feature_kind kind, const char *name)
{
    const uint32_t k = cau_model_find(model, observations(model, kind), name, strlen(name));
    return k == CAU_UNKNOWN ? CAUCUS_NONE : k;
}

size_t caucus_model_experts(const caucus_model *model)
{
    return model->pool.J;
}

double caucus_model_expert_weight(const caucus_model *model, size_t expert)
{
    return expert < model->pool.J ? model->pool.alpha[expert] : NAN;
}

/* Whether `expert` is an expert of the model, or the model as a whole. */
static bool is_expert(const caucus_model *model, size_t expert)
{
    return expert == CAUCUS_NONE || expert < model->pool.J;
}

caucus_status caucus_model_weights(caucus_ctx *ctx, const caucus_model *model, size_t expert,
                                   caucus_feature_kind kind, size_t index, double *weights)
{
    const bool edges = kind == CAUCUS_EDGE_FEATURES;
    const cau_observations *of = observations(model, kind);
    if (!is_expert(model, expert))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the model has %zu experts, and there is no number %zu; count from 0",
                        model->pool.J, expert);
    if (index >= of->K)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the model has %zu %s features, and there is no number %zu; count from 0",
                        of->K, edges ? "edge" : "token", index);
    const caucus_status st = cau_model_verify(ctx, model);
    if (st) return st;
    if (expert != CAUCUS_NONE)
        of = edges ? &model->member[expert].edges : &model->member[expert].nodes;
    const uint32_t row = (uint32_t)index;
    memset(weights, 0, of->width * sizeof *weights);
    cau_model_add(of, 1, &row, NULL, weights);
    for (size_t y = 1; of->width == 1 && y < model->Y; y++) weights[y] = weights[0];
    return CAUCUS_OK;
}

double caucus_model_transition(const caucus_model *model, size_t expert, size_t from, size_t to)
{
    if (!is_expert(model, expert) || from >= model->Y || to >= model->Y) return NAN;
    const float *plain =
        expert == CAUCUS_NONE ? model->transitions : model->member[expert].transitions;
    return plain ? (double)plain[from * model->Y + to] : 0;
}

double caucus_model_intercept(const caucus_model *model, size_t expert, size_t label)
{
    if (!is_expert(model, expert) || label >= model->Y) return NAN;
    const float *bias = expert == CAUCUS_NONE ? model->bias : model->member[expert].bias;
    return bias ? (double)bias[label] : 0;
}

/* ---- views and other forms ---- */

caucus_status caucus_inspect(caucus_ctx *ctx, const caucus_model *model,
                             const caucus_options *options, caucus_write_fn *write, void *user)
{
    cau_inspect_options how = options->inspect;
    const caucus_status st = cau_options_expect(ctx, options, "inspect", NULL);
    how.format = options->data.read.format;
    how.layout = options->data.read.layout;
    return st ? st : cau_inspect(ctx, model, &how, cau_options_threads(ctx, options), write, user);
}

caucus_status caucus_convert(caucus_ctx *ctx, const caucus_options *options, const char *from,
                             const char *to)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    TRY(cau_options_expect(ctx, options, "convert", NULL));
    if (options->rescheme.to != CAU_SCHEME_NONE)
        return cau_rescheme(ctx, &options->rescheme, from, to);
    if (options->convert_to != CAU_FORMAT_AUTO)
        return cau_convert_data(ctx, &options->data.read, options->convert_to, from, to);
    if (cau_peers_is_model(ctx, from))
        TRY(cau_peers_open(ctx, from, &model));
    else
        TRY(cau_model_undump(ctx, from, &model));
    TRY(cau_peers_save(ctx, model, options->model_form, to));
done:
    cau_model_free(model);
    return st;
}
