/* compare_methods.c - methods compared with each other: which ones, on which data, and which is
 * best.
 *
 * The runs are those of study/runs.h with the methods as settings. Parts of the data divide the
 * target domain; data of the source domains is in every part. The first method is MEGA if it takes
 * part. The others are compared with it by McNemar's test on the instances of all parts together.
 *
 * As JSON:
 *
 *   {
 *     "format": 1,                 this layout; a change of meaning makes it 2
 *     "measure": "accuracy",       or "F1", of chunks
 *     "parts": 10,                 folds, or the seeds of a curve, or 1: the test set
 *     "rows": [                    one, or the sizes of a curve from small to large
 *       {"sequences": 900,         of the target, trained on; a mean
 *        "methods": [
 *          {"method": "mega",
 *           "score": 0.92, "error": 0.004,      mean and standard error over the parts, or null
 *           "accuracy": 0.92,                   of all instances together
 *           "f1": null,                         the same of chunks
 *           "l2": 1, "t": null, "pi": 0.3,      tuned, or learnt; means over the parts
 *           "seconds": 1.2,                     of training, tuning included; a mean
 *           "mcnemar": {"only_this": 10, "only_first": 25, "chi2": 5.6, "p": 0.018,
 *                       "exact": 0.017}}, ...]}, ...]     null for the first method, and in a
 *                                                         curve: its seeds share test data
 *   } */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/adapt.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "eval/compare.h"
#include "infer/apply.h"
#include "study/folds.h"
#include "study/study.h"

/* A method as a setting of a study. */
typedef struct {
    const cau_adapt_options *options;
    cau_method method;
    bool skips; /* parts that have too little target data for it */
} compared_method;

typedef struct {
    const caucus_data *data;
    const cau_adapt_options *options;
    cau_dataset target; /* a view */
    size_t count;
    compared_method method[CAU_METHODS]; /* [count] */
    cau_setting setting[CAU_METHODS];    /* [count] */
    cau_runs runs;
} comparison;

/* The numbers of a run: the tuned penalty and weight of only-in, and p(general) of the target. */
enum { NUMBER_L2, NUMBER_T, NUMBER_PI };

/* ---- runs ---------------------------------------------------------------------------------- */

/* A cau_setting_fn. */
static caucus_status fit_method(caucus_ctx *ctx, const caucus_data *data,
                                const cau_setting *setting, const cau_train_options *train,
                                uint64_t seed, unsigned threads, cau_fit_result *result,
                                double *own)
{
    caucus_status st = CAUCUS_OK;
    const compared_method *c = setting->self;
    caucus_model *model = NULL;
    cau_tuned tuned;
    const double began = cau_seconds();
    (void)train, (void)seed; /* those of the options of adapt count */
    if (c->skips && !cau_adapt_learns(data, c->method)) goto done;
    TRY(cau_adapt_train(ctx, data, c->method, c->options, threads, &tuned, &model));
    result->seconds = cau_seconds() - began;
    result->answer = cau_alloc(data->test.N, sizeof *result->answer);
    if (!result->answer) TRY(cau_fail_memory(ctx, "the labels"));
    TRY(cau_apply_set(ctx, model, data, &data->test, threads, result->answer, NULL));
    own[NUMBER_L2] = tuned.l2;
    own[NUMBER_T] = tuned.t;
    const char *pi = cau_model_info(model, "domain.1.pi");
    if (!pi || !cau_parse_real(pi, strlen(pi), &own[NUMBER_PI])) own[NUMBER_PI] = NAN;
done:
    cau_model_free(model);
    return st;
}

static void add_method(comparison *c, cau_method method)
{
    if (c->options->train.model == CAU_MODEL_CRF && cau_method_is_mega(method)) return;
    c->method[c->count] = (compared_method){.options = c->options, .method = method};
    c->setting[c->count] = (cau_setting){
        .text = cau_method_name(method), .fit = fit_method, .self = &c->method[c->count]};
    c->count++;
}

/* MEGA comes first: the others are compared with it. A curve of one method shows the most
 * informative ones beside it. A CRF cannot be mixed label by label. */
static void choose_methods(caucus_ctx *ctx, comparison *c)
{
    static const cau_method beside[] = {CAU_METHOD_MEGA, CAU_METHOD_PRIOR, CAU_METHOD_ONLY_OUT,
                                        CAU_METHOD_MIX};
    const cau_adapt_options *o = c->options;
    if (o->method == CAU_METHOD_ALL) {
        for (int m = 0; m < CAU_METHODS; m++) add_method(c, (cau_method)m);
        if (o->train.model == CAU_MODEL_CRF)
            cau_note(ctx, "MEGA mixes label by label, which a CRF cannot, and does not take part");
    } else {
        add_method(c, o->method);
        for (size_t i = 0; o->curve && i < sizeof beside / sizeof *beside; i++)
            if (beside[i] != o->method) add_method(c, beside[i]);
    }
    for (size_t m = 0; m < c->count; m++) c->method[m].skips = !o->folds && c->count > 1;
}

static caucus_status check_data(caucus_ctx *ctx, const comparison *c)
{
    const cau_adapt_options *o = c->options;
    const bool tested = c->data->test.N > 0;
    if (!o->folds && !o->curve && !tested)
        return cau_fail(
            ctx, CAUCUS_ERR_ARGUMENT,
            "methods are compared on data that they were not trained on; add --test, or "
            "--folds 10");
    const size_t sequences = c->target.S;
    const char *word = cau_groups_word(&c->target);
    if (o->folds > sequences)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--folds %llu: there are only %zu target %s to spread over them; use "
                        "fewer folds",
                        (unsigned long long)o->folds, sequences, word);
    if (o->curve && sequences < (tested ? 1 : 2))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--curve needs more target data than %zu %s; add some%s", sequences, word,
                        sequences ? ", or --test" : "");
    return CAUCUS_OK;
}

/* The method that labels most instances right, or has the best F1, on all parts together; of equal
 * ones the first. */
static size_t find_best(const comparison *c)
{
    size_t best = 0;
    double most = -1;
    for (size_t m = 0; m < c->count; m++) {
        const cau_run_means r = cau_runs_means(&c->runs, c->runs.sizes - 1, m);
        const double score = cau_runs_score(&c->runs, &r.pooled);
        if (score > most) {
            most = score;
            best = m;
        }
    }
    return best;
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* The mean number of target sequences that runs of a size were trained on. */
static double mean_size(const comparison *c, size_t size)
{
    size_t sum = 0;
    for (size_t column = 0; column < c->runs.columns; column++)
        sum += cau_run_at(&c->runs, size, column, 0)->sequences;
    return (double)sum / (double)c->runs.columns;
}

static void add_method_row(const comparison *c, size_t size, size_t m, cau_tree *tree)
{
    const cau_run_means r = cau_runs_means(&c->runs, size, m);
    const bool interpolates = c->method[m].method == CAU_METHOD_INTERPOLATE;
    cau_tree_object(tree, NULL);
    cau_tree_string(tree, "method", cau_method_name(c->method[m].method));
    cau_tree_number(tree, "score", r.score.mean);
    cau_tree_number(tree, "error", r.score.error);
    cau_tree_number(tree, "accuracy", cau_label_accuracy(&r.pooled));
    cau_tree_number(tree, "f1",
                    c->runs.chunked && r.n ? cau_counts_f1(r.pooled.chunks) : (double)NAN);
    cau_tree_number(tree, "l2", r.own[NUMBER_L2]);
    cau_tree_number(tree, "t", interpolates ? r.own[NUMBER_T] : (double)NAN);
    cau_tree_number(tree, "pi", r.own[NUMBER_PI]);
    cau_tree_number(tree, "seconds", r.seconds);
    if (m && r.n && !c->options->curve) {
        const cau_mcnemar test = cau_mcnemar_test(r.only_this, r.only_first);
        cau_tree_object(tree, "mcnemar");
        cau_tree_count(tree, "only_this", r.only_this);
        cau_tree_count(tree, "only_first", r.only_first);
        cau_tree_number(tree, "chi2", test.chi2);
        cau_tree_number(tree, "p", test.p);
        cau_tree_number(tree, "exact", test.exact);
        cau_tree_end(tree);
    } else {
        cau_tree_string(tree, "mcnemar", NULL);
    }
    cau_tree_end(tree);
}

static void build_tree(const comparison *c, cau_tree *tree)
{
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "format", 1);
    cau_tree_string(tree, "measure", cau_runs_measure(&c->runs));
    cau_tree_count(tree, "parts", c->runs.columns);
    cau_tree_array(tree, "rows");
    for (size_t size = 0; size < c->runs.sizes; size++) {
        cau_tree_object(tree, NULL);
        cau_tree_number(tree, "sequences", mean_size(c, size));
        cau_tree_array(tree, "methods");
        for (size_t m = 0; m < c->count; m++) add_method_row(c, size, m, tree);
        cau_tree_end(tree);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    cau_tree_end(tree);
}

/* ---- text ---------------------------------------------------------------------------------- */

/* The data that runs were trained on, and the data that they were scored on. */
static void print_data(const comparison *c, cau_writer *out)
{
    const cau_dataset *set = &c->data->train;
    const char *word = cau_groups_word(&c->target);
    cau_strbuf_printf(&out->text, "%zu target %s, %zu source %s; ", c->target.S, word,
                      set->S - c->target.S, word);
    if (c->options->folds)
        cau_strbuf_printf(&out->text, "%llu folds of the target data\n\n",
                          (unsigned long long)c->options->folds);
    else if (c->data->test.N)
        cau_strbuf_printf(&out->text, "%zu test %s\n\n", c->data->test.S, word);
    else
        cau_strbuf_printf(&out->text, "a fifth of the target data held out for each seed\n\n");
}

static void print_methods(const comparison *c, const json_t *root, cau_writer *out)
{
    const bool several = c->runs.columns > 1;
    const json_t *rows = cau_at(root, "rows.0.methods");
    cau_column column[7] = {{"method       ", "<{method}"}};
    size_t n = 1;
    if (c->runs.chunked) column[n++] = (cau_column){"       F1", "{f1:.2%}"};
    column[n++] = (cau_column){" accuracy", "{accuracy:.2%}"};
    if (several) column[n++] = (cau_column){"std. error", "{error:.2%}"};
    if (c->count > 1) column[n++] = (cau_column){"McNemar p", "{mcnemar.exact:.4f}"};
    if (c->options->tune) column[n++] = (cau_column){"       l2", "{l2:.3f}"};
    column[n++] = (cau_column){"  seconds", "{seconds:.2f}"};
    cau_print_table(out, column, n, rows);
    cau_strbuf_printf(&out->text, "\n");
    if (c->count > 1) {
        cau_strbuf_printf(&out->text, "McNemar's test, exact, on %s against ",
                          c->data->train.sequence ? "tokens" : "instances");
        cau_print(out, rows, "{0.method}.\n");
    }
    if (several)
        cau_print(out, root,
                  "Scores are of all folds together; the standard error is of the {measure} over "
                  "folds.\n");
    for (size_t m = 0; m < c->count; m++) {
        const json_t *row = json_array_get(rows, m);
        if (cau_method_is_mega(c->method[m].method))
            cau_print(out, row, "{method}: p(general) in the target data is {pi:.2f}.\n");
        if (json_is_number(cau_at(row, "t")))
            cau_print(out, row, "{method}: the weight of only-in is {t:.2f}.\n");
    }
}

static void print_curve(const comparison *c, const json_t *root, cau_writer *out)
{
    const bool several = c->runs.columns > 1;
    cau_column column[1 + CAU_METHODS] = {{"trained on", "<{sequences:.0f}"}};
    char cell[CAU_METHODS][64];
    for (size_t m = 0; m < c->count; m++) {
        snprintf(cell[m], sizeof cell[m],
                 several ? "{methods.%zu.score:.2%%} ({methods.%zu.error:.2%%})"
                         : "{methods.%zu.score:.2%%}",
                 m, m);
        column[1 + m] = (cau_column){cau_method_name(c->method[m].method), cell[m]};
    }
    cau_print_table(out, column, 1 + c->count, cau_at(root, "rows"));
    cau_print(out, root, "\n{measure}");
    if (several) cau_print(out, root, ", mean (standard error) over {parts} seeds");
    cau_strbuf_printf(&out->text, ".\n");
}

static void print_tables(const comparison *c, const json_t *root, cau_writer *out)
{
    bool missing = false;
    for (size_t size = 0; size < c->runs.sizes; size++)
        for (size_t m = 0; m < c->count; m++) missing |= cau_runs_means(&c->runs, size, m).n == 0;
    print_data(c, out);
    if (c->options->curve)
        print_curve(c, root, out);
    else
        print_methods(c, root, out);
    if (missing)
        cau_strbuf_printf(&out->text, "-: the target data has a single label, too little to learn "
                                      "from for that method.\n");
}

/* ---- the figure ---------------------------------------------------------------------------- */

static caucus_status draw_curve(caucus_ctx *ctx, const comparison *c)
{
    const char *name[CAU_METHODS];
    const size_t sizes = c->runs.sizes;
    cau_score_point *point = cau_alloc(c->count * sizes, sizeof *point);
    if (!point) return cau_fail_memory(ctx, "the figure");
    for (size_t m = 0; m < c->count; m++) {
        name[m] = cau_method_name(c->method[m].method);
        for (size_t size = 0; size < sizes; size++)
            point[m * sizes + size] =
                (cau_score_point){mean_size(c, size), cau_runs_means(&c->runs, size, m).score};
    }
    const cau_score_plot plot = {.path = c->options->plot,
                                 .x = c->data->train.sequence ? "target sequences trained on"
                                                              : "target instances trained on",
                                 .log_x = true,
                                 .name = name,
                                 .count = c->count,
                                 .rows = sizes,
                                 .point = point};
    const caucus_status st = cau_plot_scores(ctx, &c->runs, &plot);
    free(point);
    return st;
}

/* ---- the summary --------------------------------------------------------------------------- */

/* The rows are the methods, of a curve those of each size in turn. */
static caucus_status summarise(caucus_ctx *ctx, const comparison *c, cau_study_summary *summary)
{
    summary->measure = cau_runs_measure(&c->runs);
    summary->best = c->options->curve ? CAUCUS_NONE : find_best(c);
    for (size_t size = 0; size < c->runs.sizes; size++)
        for (size_t m = 0; m < c->count; m++) {
            const caucus_status st = cau_study_summary_add(ctx, summary, &c->runs, size, m,
                                                           cau_method_name(c->method[m].method));
            if (st) return st;
            summary->row[summary->count - 1].trained = mean_size(c, size);
        }
    return CAUCUS_OK;
}

/* ---- the comparison ------------------------------------------------------------------------ */

caucus_status cau_adapt_compare(caucus_ctx *ctx, const caucus_data *data,
                                const cau_adapt_options *o, caucus_write_fn *write, void *user,
                                cau_method *best, cau_study_summary *summary)
{
    caucus_status st = CAUCUS_OK;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    cau_tree tree = {0};
    comparison c = {.data = data, .options = o, .target = cau_target_set(&data->train)};
    TRY(cau_adapt_check(ctx, o));
    TRY(check_data(ctx, &c));
    choose_methods(ctx, &c);
    const cau_runs_options runs = {.name = o->curve   ? "curve"
                                           : o->folds ? "folds"
                                                      : "methods",
                                   .settings = c.setting,
                                   .count = c.count,
                                   .folds = o->folds,
                                   .seeds = o->curve ? o->seeds : 0,
                                   .compare = true,
                                   .divide = &c.target,
                                   .cutoff = o->cutoff,
                                   .seed = o->seed,
                                   .threads = o->threads};
    TRY(cau_runs_make(ctx, data, &runs, &c.runs));
    build_tree(&c, &tree);
    TRY(cau_tree_status(ctx, &tree));
    if (o->json)
        cau_print_json(&out, tree.root, CAU_DIGITS_FLOAT);
    else
        print_tables(&c, tree.root, &out);
    TRY(cau_writer_flush(&out, true));
    *best = c.method[find_best(&c)].method;
    if (summary) TRY(summarise(ctx, &c, summary));
    if (o->plot) TRY(cau_study_figure(ctx, summary, draw_curve(ctx, &c)));
done:
    cau_tree_clear(&tree);
    cau_writer_clear(&out);
    cau_runs_clear(&c.runs);
    return st;
}
