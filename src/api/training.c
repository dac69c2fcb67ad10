/* training.c - training runs, studies and domain adaptation of the public interface. */

#include <stdlib.h>
#include <string.h>

#include "api/options.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "report/plot.h"

static bool is_study(const caucus_options *options)
{
    return options->folds || options->grid || options->curve;
}

bool cau_options_share(const caucus_ctx *ctx, const caucus_options *options)
{
    return ctx->comm && !cau_options_of(options, "adapt") && !is_study(options) &&
           options->pool.kind == CAU_POOL_NONE;
}

static cau_study_options study_options(const caucus_ctx *ctx, const caucus_options *options,
                                       const cau_grid *grid)
{
    return (cau_study_options){.runs = {.folds = options->folds,
                                        .seeds = options->curve ? options->seeds : 0,
                                        .settings = grid->settings,
                                        .count = grid->count,
                                        .warm = grid->warm,
                                        .cutoff = options->data.cutoff,
                                        .seed = options->seed,
                                        .threads = cau_options_threads(ctx, options)},
                               .plot = options->plot,
                               .json = options->study_json};
}

/* Checks that the options of a model or a pool go together, and that the output can be written. */
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
    TRY(cau_options_expect(ctx, options, "train", "adapt"));
    if (cau_options_of(options, "adapt")) return cau_options_check_adapt(ctx, options);
    TRY(check_setting(ctx, options));
    if (cau_options_share(ctx, options)) TRY(cau_fit_check_share(ctx, &options->train));
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

/* Refuses options that should have taken effect when the data was made, and did not. */
static caucus_status check_data(caucus_ctx *ctx, const caucus_data *data,
                                const caucus_options *options)
{
    const cau_data_options *asked = &options->data;
    const char *name = NULL;
    if (data->open) return CAUCUS_OK; /* training itself refuses that */
    if (asked->read.tfidf != data->read.tfidf || asked->read.tokenize != data->read.tokenize ||
        !asked->read.chars != !data->read.chars)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the data was made with another --tokenize, --chars or --tfidf, which the "
                        "model notes; give the same options to both");
    if (!data->dev.N && (asked->dev || asked->dev_fraction > 0))
        name = asked->dev ? "dev" : "dev-fraction";
    if (!data->test.N && asked->test) name = "test";
    if (asked->cutoff > 1 && asked->cutoff > data->cutoff) name = "cutoff";
    if (!name) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "--%s takes effect when data is made, and this data was made without it; give "
                    "the options to caucus_data_new or caucus_data_read as well",
                    name);
}

/* ---- training ---- */

/* The progress of a training run, recorded for a figure. It takes the place of the progress
 * callback of the context, which it calls. */
typedef struct {
    caucus_ctx *ctx;
    caucus_progress_fn *progress; /* of the caller */
    void *user;
    const char *solver;
    double *number[4]; /* [n] iteration, seconds, objective, dev */
    size_t n, room[4];
    bool failed; /* memory was short: the rest is not recorded */
} progress_trace;

/* A caucus_progress_fn. */
static bool record_progress(void *self, const caucus_progress *now)
{
    progress_trace *trace = self;
    const double number[4] = {(double)now->iteration, now->elapsed, now->objective, now->dev};
    for (int i = 0; i < 4 && !trace->failed; i++) {
        if (!CAU_GROW(trace->number[i], trace->room[i], trace->n + 1))
            trace->failed = true;
        else
            trace->number[i][trace->n] = number[i];
    }
    if (!trace->failed) trace->n++;
    trace->solver = now->solver;
    return !trace->progress || trace->progress(trace->user, now);
}

static void begin_trace(progress_trace *trace, caucus_ctx *ctx)
{
    *trace = (progress_trace){.ctx = ctx, .progress = ctx->progress, .user = ctx->progress_user};
    caucus_on_progress(ctx, record_progress, trace);
}

/* Restores the callback, and draws the figure if the run succeeded. */
static caucus_status end_trace(progress_trace *trace, caucus_status run, const char *path)
{
    caucus_status st = run;
    caucus_on_progress(trace->ctx, trace->progress, trace->user);
    if (!st && trace->failed) st = cau_fail_memory(trace->ctx, "the figure");
    if (!st && trace->n) {
        const cau_convergence figure = {.solver = trace->solver,
                                        .n = trace->n,
                                        .iteration = trace->number[0],
                                        .seconds = trace->number[1],
                                        .objective = trace->number[2],
                                        .dev = trace->number[3]};
        st = cau_plot_convergence(trace->ctx, path, &figure);
    }
    for (int i = 0; i < 4; i++) free(trace->number[i]);
    return st;
}

static caucus_status train_model(caucus_ctx *ctx, const caucus_data *data,
                                 const caucus_options *options, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_train_options how = options->train;
    cau_strbuf kept = {0}, shape = {0};
    progress_trace trace = {0};
    caucus_model *model = NULL;
    if (is_study(options))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--folds, --grid and --curve are many training runs; call caucus_study_run"));
    cau_options_kept(options, CAU_OPTIONS_ALL, &kept);
    cau_options_kept(options, CAU_OPTIONS_SHAPE, &shape);
    TRY(cau_strbuf_status(ctx, &kept));
    TRY(cau_strbuf_status(ctx, &shape));
    how.kept = (cau_str){kept.s, kept.n};
    how.shape = (cau_str){shape.s, shape.n};
    if (options->plot) {
        TRY(cau_plot_check(ctx, options->plot));
        begin_trace(&trace, ctx);
    }
    if (options->pool.kind != CAU_POOL_NONE)
        st = cau_pool_fit(ctx, data, &options->pool, &how, options->seed,
                          cau_options_threads(ctx, options), &model);
    else
        st = cau_fit(ctx, data, &how, options->seed, cau_options_threads(ctx, options), &model);
    if (options->plot) st = end_trace(&trace, st, options->plot);
    if (st) goto done;
    *out = model;
    model = NULL;
done:
    cau_model_free(model);
    cau_strbuf_clear(&kept);
    cau_strbuf_clear(&shape);
    return st;
}

/* ---- adaptation ---- */

static cau_adapt_options adapt_options(const caucus_ctx *ctx, const caucus_options *options)
{
    cau_adapt_options how = options->adapt;
    how.train = options->train;
    how.cutoff = options->data.cutoff;
    how.folds = options->folds;
    how.curve = options->curve;
    how.seeds = options->seeds;
    how.plot = options->plot;
    how.json = options->study_json;
    how.seed = options->seed;
    how.threads = cau_options_threads(ctx, options);
    return how;
}

caucus_status cau_options_check_adapt(caucus_ctx *ctx, const caucus_options *options)
{
    const cau_adapt_options how = adapt_options(ctx, options);
    return cau_adapt_check(ctx, &how);
}

/* The options of an adaptation with the notes of the model file, which *kept owns, and the names of
 * the domains. */
static caucus_status adapt_setup(caucus_ctx *ctx, const caucus_data *data,
                                 const caucus_options *options, cau_strbuf *kept,
                                 cau_adapt_options *how)
{
    caucus_status st = CAUCUS_OK;
    if (!data->domains)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "the data has no domains; make it with the options of 'adapt'"));
    cau_options_kept(options, CAU_OPTIONS_ALL, kept);
    TRY(cau_strbuf_status(ctx, kept));
    *how = adapt_options(ctx, options);
    how->name = data->domain;
    how->train.kept = (cau_str){kept->s, kept->n};
done:
    return st;
}

static caucus_status train_adapted(caucus_ctx *ctx, const caucus_data *data,
                                   const caucus_options *options, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf kept = {0};
    cau_adapt_options how;
    TRY(adapt_setup(ctx, data, options, &kept, &how));
    if (how.method == CAU_METHOD_ALL || how.folds || how.curve)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "--method all, --folds and --curve compare methods; call caucus_study_run, or "
                     "name one --method"));
    TRY(cau_adapt_fit(ctx, data, &how, out));
done:
    cau_strbuf_clear(&kept);
    return st;
}

caucus_status caucus_train(caucus_ctx *ctx, const caucus_data *data, const caucus_options *options,
                           caucus_model **out)
{
    caucus_status st = cau_options_expect(ctx, options, "train", "adapt");
    if (!st) st = check_data(ctx, data, options);
    if (st) return st;
    return cau_options_of(options, "adapt") ? train_adapted(ctx, data, options, out)
                                            : train_model(ctx, data, options, out);
}

/* ---- studies ---- */

struct caucus_study {
    cau_study_summary summary;
    cau_strbuf text;          /* the table or JSON */
    caucus_options **options; /* [summary.count] that train the setting of each row */
};

/* Options of a study and its report, which a single run must not have. */
static const char *const of_studies[] = {"folds", "grid", "curve", "seeds", "plot", "json", NULL};

static caucus_status study_settings(caucus_ctx *ctx, const caucus_data *data,
                                    const caucus_options *options, caucus_study *study)
{
    caucus_status st = CAUCUS_OK;
    cau_grid grid = {0};
    size_t best;
    if (!is_study(options))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "a study needs --folds, --grid or --curve; add one of them"));
    TRY(cau_grid_init(ctx, options, &grid));
    const cau_study_options how = study_options(ctx, options, &grid);
    TRY(cau_study_check(ctx, &how, data));
    TRY(cau_study(ctx, data, &how, cau_strbuf_write, &study->text, &best, &study->summary));
    study->options = cau_calloc(study->summary.count, sizeof(caucus_options *));
    if (!study->options) TRY(cau_fail_memory(ctx, "the results of a study"));
    for (size_t r = 0; r < study->summary.count; r++)
        TRY(cau_options_copy(ctx, grid.options[options->curve ? 0 : r], of_studies,
                             &study->options[r]));
done:
    cau_grid_clear(&grid);
    return st;
}

static caucus_status study_methods(caucus_ctx *ctx, const caucus_data *data,
                                   const caucus_options *options, caucus_study *study)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf kept = {0};
    cau_adapt_options how;
    cau_method best;
    TRY(adapt_setup(ctx, data, options, &kept, &how));
    TRY(cau_adapt_compare(ctx, data, &how, cau_strbuf_write, &study->text, &best, &study->summary));
    study->options = cau_calloc(study->summary.count, sizeof(caucus_options *));
    if (!study->options) TRY(cau_fail_memory(ctx, "the results of a study"));
    for (size_t r = 0; r < study->summary.count; r++) {
        TRY(cau_options_copy(ctx, options, of_studies, &study->options[r]));
        TRY(caucus_options_set(ctx, study->options[r], "method", study->summary.row[r].name));
    }
done:
    cau_strbuf_clear(&kept);
    return st;
}

caucus_status caucus_study_run(caucus_ctx *ctx, const caucus_data *data,
                               const caucus_options *options, caucus_study **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_study *study = NULL;
    TRY(cau_options_expect(ctx, options, "train", "adapt"));
    TRY(check_data(ctx, data, options));
    study = cau_calloc(1, sizeof *study);
    if (!study) TRY(cau_fail_memory(ctx, "the results of a study"));
    TRY(cau_options_of(options, "adapt") ? study_methods(ctx, data, options, study)
                                         : study_settings(ctx, data, options, study));
    *out = study;
    study = NULL;
done:
    caucus_study_free(study);
    return st;
}

void caucus_study_free(caucus_study *study)
{
    if (!study) return;
    for (size_t r = 0; study->options && r < study->summary.count; r++)
        caucus_options_free(study->options[r]);
    free(study->options);
    cau_strbuf_clear(&study->text);
    cau_study_summary_clear(&study->summary);
    free(study);
}

size_t caucus_study_rows(const caucus_study *study)
{
    return study->summary.count;
}

const caucus_study_row *caucus_study_at(const caucus_study *study, size_t row)
{
    return row < study->summary.count ? &study->summary.row[row] : NULL;
}

size_t caucus_study_best(const caucus_study *study)
{
    return study->summary.best;
}

const char *caucus_study_measure(const caucus_study *study)
{
    return study->summary.measure;
}

caucus_status caucus_study_options(caucus_ctx *ctx, const caucus_study *study, size_t row,
                                   caucus_options **out)
{
    if (row >= study->summary.count)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the study has %zu rows, and there is no number %zu; a curve has no best "
                        "one",
                        study->summary.count, row);
    return cau_options_copy(ctx, study->options[row], cau_options_all, out);
}

caucus_status caucus_study_write(caucus_ctx *ctx, const caucus_study *study, caucus_write_fn *write,
                                 void *user)
{
    const cau_strbuf *text = &study->text;
    const caucus_status st = text->n ? write(user, text->s, text->n) : CAUCUS_OK;
    if (st) return st;
    return study->summary.figure
               ? cau_fail(ctx, study->summary.figure, "%s", study->summary.message)
               : CAUCUS_OK;
}
