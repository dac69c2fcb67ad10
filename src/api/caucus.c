/* caucus.c - the public functions of caucus.h that belong to no room alone: each hands its
 * arguments to the room that does the work. */

#include "caucus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/grid.h"
#include "api/options.h"
#include "api/trace.h"
#include "base/output.h"
#include "base/status.h"
#include "base/thread.h"
#include "eval/robust.h"
#include "infer/decode.h"
#include "math/kernels.h"
#include "model/dump.h"
#include "report/plot.h"
#include "tag/features.h"
#include "text/convert_scheme.h"

const char *caucus_version(void)
{
    return CAUCUS_VERSION;
}

static unsigned threads_of(const caucus_ctx *ctx, const caucus_options *options)
{
    return options->threads ? (unsigned)options->threads : cau_threads(ctx);
}

/* ---- data ---- */

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

/* ---- models ---- */

static bool is_study(const caucus_options *options)
{
    return options->folds || options->grid || options->curve;
}

static cau_study_options study_options(const caucus_ctx *ctx, const caucus_options *options,
                                       const cau_grid *grid)
{
    return (cau_study_options){.folds = options->folds,
                               .curve = options->curve,
                               .seeds = options->seeds,
                               .settings = grid->settings,
                               .count = grid->count,
                               .warm = grid->warm,
                               .cutoff = options->data.cutoff,
                               .seed = options->seed,
                               .threads = threads_of(ctx, options),
                               .plot = options->plot,
                               .json = options->study_json};
}

/* That the options of a model, or of a pool, go together, and that the output can be written. */
static caucus_status check_setting(caucus_ctx *ctx, const caucus_options *options)
{
    static const char *const of_pools[] = {"experts", "partition", "combine",     "per",
                                           "mix",     "alphas",    "free-alphas", "alphas-folds",
                                           "prox",    "spread"};
    caucus_status st = cau_pool_check(ctx, &options->pool, &options->train);
    if (st) return st;
    if (options->pool.kind != CAU_POOL_NONE)
        return options->train.output ? cau_output_probe(ctx, options->train.output) : CAUCUS_OK;
    for (size_t i = 0; i < sizeof of_pools / sizeof *of_pools; i++)
        if (cau_options_is_set(options, of_pools[i]))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s is about pools; add --pool bag, lop, elitist or dropout",
                            of_pools[i]);
    return cau_fit_check(ctx, &options->train);
}

caucus_status caucus_train_check(caucus_ctx *ctx, const caucus_options *options)
{
    caucus_status st = CAUCUS_OK;
    cau_grid grid = {0};
    TRY(check_setting(ctx, options));
    TRY(cau_plot_check(ctx, options->plot));
    if (!is_study(options)) {
        if (options->study_json)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "--json is for the table of a study; add --folds, --grid or --curve"));
        goto done;
    }
    if (options->train.resume)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--resume goes on with a single run; leave it out of a study"));
    TRY(cau_grid_init(ctx, options, &grid));
    for (size_t i = 0; i < grid.count; i++) TRY(check_setting(ctx, grid.options[i]));
    const cau_study_options how = study_options(ctx, options, &grid);
    TRY(cau_study_check(ctx, &how, NULL));
done:
    cau_grid_clear(&grid);
    return st;
}

caucus_status caucus_train(caucus_ctx *ctx, const caucus_data *data, const caucus_options *options,
                           caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_train_options how = options->train;
    cau_strbuf kept = {0}, shape = {0};
    cau_trace trace = {0};
    cau_options_kept(options, CAU_OPTIONS_ALL, &kept);
    cau_options_kept(options, CAU_OPTIONS_SHAPE, &shape);
    TRY(cau_strbuf_status(ctx, &kept));
    TRY(cau_strbuf_status(ctx, &shape));
    how.kept = (cau_str){kept.s, kept.n};
    how.shape = (cau_str){shape.s, shape.n};
    const bool drawn = options->plot && !is_study(options);
    if (drawn) {
        TRY(cau_plot_check(ctx, options->plot));
        cau_trace_begin(&trace, ctx);
    }
    if (options->pool.kind != CAU_POOL_NONE)
        st = cau_pool_fit(ctx, data, &options->pool, &how, options->seed, threads_of(ctx, options),
                          out);
    else
        st = cau_fit(ctx, data, &how, options->seed, threads_of(ctx, options), out);
    if (drawn) {
        const caucus_status figure = cau_trace_end(&trace, st, options->plot);
        if (!st && figure) { /* a model without its figure is no success */
            cau_model_free(*out);
            *out = NULL;
            st = figure;
        }
    }
done:
    cau_strbuf_clear(&kept);
    cau_strbuf_clear(&shape);
    return st;
}

caucus_status caucus_study(caucus_ctx *ctx, const caucus_data *data, const caucus_options *options,
                           caucus_write_fn *write, void *user, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_grid grid = {0};
    caucus_model *model = NULL;
    size_t best = 0;
    if (!is_study(options))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "a study needs --folds, --grid or --curve; add one of them"));
    TRY(cau_grid_init(ctx, options, &grid));
    const cau_study_options how = study_options(ctx, options, &grid);
    TRY(cau_study_check(ctx, &how, data));
    TRY(cau_study(ctx, data, &how, write, user, &best));
    if (out && !options->curve) TRY(caucus_train(ctx, data, grid.options[best], &model));
    if (out) *out = model;
done:
    cau_grid_clear(&grid);
    return st;
}

/* ---- adaptation ---- */

static cau_adapt_options adapt_options(const caucus_ctx *ctx, const caucus_options *options)
{
    cau_adapt_options how = options->adapt;
    how.train = options->train;
    how.mega.iterations = (size_t)options->mega_iterations;
    how.mega.steps = (size_t)options->mega_steps;
    how.mega.nb_features = (size_t)options->nb_features;
    how.cutoff = options->data.cutoff;
    how.folds = options->folds;
    how.curve = options->curve;
    how.seeds = options->seeds;
    how.plot = options->plot;
    how.json = options->study_json;
    how.seed = options->seed;
    how.threads = threads_of(ctx, options);
    return how;
}

/* The files of the domains, that which matters first: [*count], to be freed. */
static caucus_status domain_paths(caucus_ctx *ctx, const caucus_options *options,
                                  const char ***paths, size_t *count)
{
    const cau_paths *out = &options->adapt_out;
    if (!options->adapt_in || !out->count)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "adaptation needs data of two domains at least; give --in and --out");
    *count = out->count + 1;
    *paths = cau_alloc(*count, sizeof **paths);
    if (!*paths) return cau_fail_memory(ctx, "the domains");
    (*paths)[0] = options->adapt_in;
    for (size_t i = 0; i < out->count; i++) (*paths)[i + 1] = out->path[i];
    return CAUCUS_OK;
}

/* A domain without instances is a mistake, whatever the method. */
static caucus_status check_domains(caucus_ctx *ctx, const cau_dataset *set,
                                   const char *const *paths, size_t count)
{
    for (size_t d = 0; d < count; d++) {
        size_t s = 0;
        while (s < set->S && set->unit[s] != d) s++;
        if (s == set->S)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instances; is it the right file?",
                            paths[d]);
    }
    return CAUCUS_OK;
}

caucus_status caucus_adapt_read(caucus_ctx *ctx, const caucus_options *options, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_adapt_options how = adapt_options(ctx, options);
    cau_data_options read = options->data;
    caucus_data *data = NULL;
    const char **paths = NULL;
    size_t count = 0;
    read.by = "file";
    TRY(cau_adapt_check(ctx, &how));
    TRY(domain_paths(ctx, options, &paths, &count));
    TRY(cau_data_read(ctx, &read, paths, count, &data));
    TRY(check_domains(ctx, &data->train, paths, count));
    *out = data;
    data = NULL;
done:
    cau_data_free(data);
    free(paths);
    return st;
}

caucus_status caucus_adapt(caucus_ctx *ctx, const caucus_data *data, const caucus_options *options,
                           caucus_write_fn *write, void *user, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_adapt_options how = adapt_options(ctx, options);
    const char **names = NULL;
    size_t count = 0;
    cau_strbuf kept = {0};
    caucus_model *model = NULL;
    const bool compares = how.method == CAU_METHOD_ALL || how.folds || how.curve;
    cau_options_kept(options, CAU_OPTIONS_ALL, &kept);
    TRY(cau_strbuf_status(ctx, &kept));
    TRY(domain_paths(ctx, options, &names, &count));
    for (size_t i = 0; i < count; i++) { /* the names of the files, wherever they are */
        const char *slash = strrchr(names[i], '/');
        if (slash && slash[1]) names[i] = slash + 1;
    }
    how.name = names;
    how.train.kept = (cau_str){kept.s, kept.n};
    if (compares) {
        cau_method best = CAU_METHOD_MEGA;
        TRY(cau_adapt_compare(ctx, data, &how, write, user, &best));
        how.method = (int)best;
        how.folds = 0;
        how.curve = how.json = false;
        how.plot = NULL;
    }
    if (out && !options->curve) TRY(cau_adapt_fit(ctx, data, &how, &model));
    if (out) *out = model;
done:
    cau_strbuf_clear(&kept);
    free(names);
    return st;
}

/* ---- clustering ---- */

/* "0,1,3": three numbers of columns. */
static caucus_status parse_columns(caucus_ctx *ctx, const char *text, uint64_t columns[3])
{
    const char *at = text;
    for (size_t i = 0; i < 3; i++) {
        const size_t n = strcspn(at, ",");
        if (!cau_parse_count(at, n, &columns[i]) || (at[n] == ',') != (i < 2))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--columns %s: not three numbers; write 0,1,3 for example", text);
        at += n + (i < 2);
    }
    return CAUCUS_OK;
}

caucus_status caucus_cluster(caucus_ctx *ctx, const caucus_options *options,
                             const char *const *paths, size_t count, caucus_ask_fn *ask,
                             void *ask_user, caucus_write_fn *write, void *user, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_options how = options->cluster;
    how.seed = options->seed;
    how.threads = threads_of(ctx, options);
    if (options->cluster_columns)
        TRY(parse_columns(ctx, options->cluster_columns, how.items.columns));
    how.dp.restricted = 3;
    how.dp.fixed_alpha = cau_options_is_set(options, "alpha");
    if (!how.dp.fixed_alpha) how.dp.start.alpha = 1;
    how.dp.fixed_base = cau_options_is_set(options, "beta");
    how.dp.start.beta = how.dp.fixed_base ? options->cluster_beta : .5;
    how.dp.start.k0 = how.dp.fixed_base ? options->cluster_beta : .1;
    how.dp.start.a0 = how.dp.start.b0_scale = 1;
    TRY(cau_cluster(ctx, &how, paths, count, ask, ask_user, write, user, out));
done:
    return st;
}

/* ---- model files ---- */

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

caucus_status caucus_predict(const caucus_model *model, const caucus_feature *features,
                             size_t count, double *probabilities)
{
    return cau_predict(model, features, count, probabilities);
}

caucus_status caucus_label(caucus_ctx *ctx, const caucus_model *model, const caucus_item *items,
                           size_t T, uint32_t *labels, double *probability, double *marginals)
{
    double score, logz;
    if (T == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "a sequence without positions; give at least one");
    caucus_status st = cau_label(ctx, model, items, T, labels, marginals, &score, &logz);
    if (!st && probability) *probability = exp(score - logz);
    return st;
}

caucus_status caucus_features(caucus_ctx *ctx, const caucus_options *options, const char *path,
                              caucus_write_fn *write, void *user)
{
    return cau_features_show(ctx, &options->data, path, write, user);
}

caucus_status caucus_tag(caucus_ctx *ctx, const caucus_model *model, const caucus_options *options,
                         const char *path, caucus_write_fn *write, void *user)
{
    cau_tag_options how = options->tag;
    how.format = (int)options->data.read.format;
    return cau_tag(ctx, model, &how, threads_of(ctx, options), path, write, user);
}

caucus_status caucus_inspect(caucus_ctx *ctx, const caucus_model *model,
                             const caucus_options *options, caucus_write_fn *write, void *user)
{
    cau_inspect_options how = options->inspect;
    how.format = (int)options->data.read.format;
    return cau_inspect(ctx, model, &how, threads_of(ctx, options), write, user);
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

/* ---- evaluation ---- */

static cau_eval_options eval_options(const caucus_ctx *ctx, const caucus_options *options)
{
    cau_eval_options how = options->eval;
    how.seed = options->seed;
    how.threads = threads_of(ctx, options);
    return how;
}

caucus_status caucus_evaluate(caucus_ctx *ctx, const caucus_options *options,
                              const char *const *paths, size_t count, caucus_scores **out)
{
    const cau_eval_options how = eval_options(ctx, options);
    const caucus_status st = cau_eval_check(ctx, &how);
    return st ? st : cau_scores_read(ctx, &how, paths, count, out);
}

/* What a model says of a file, as `tag` writes it. */
static caucus_status into_text(void *user, const char *bytes, size_t length)
{
    cau_strbuf *text = user;
    cau_strbuf_add(text, bytes, length);
    return text->failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
}

static caucus_status add_run(caucus_ctx *ctx, cau_robust *robust, const caucus_model *model,
                             const caucus_options *options, const char *path, const char *drop)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf said = {0};
    cau_tag_options how = {.drop = {.count = drop != NULL, .path = &drop}};
    TRY(cau_tag(ctx, model, &how, threads_of(ctx, options), path, into_text, &said));
    TRY(cau_robust_add(ctx, robust, drop, (cau_str){said.s, said.n}));
done:
    if (said.failed) st = cau_strbuf_status(ctx, &said);
    cau_strbuf_clear(&said);
    return st;
}

caucus_status caucus_robustness(caucus_ctx *ctx, const caucus_model *model,
                                const caucus_options *options, const char *path,
                                caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_robust *robust = NULL;
    const cau_eval_options how = eval_options(ctx, options);
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
    return cau_scores_write(ctx, scores, &how, write, user);
}
