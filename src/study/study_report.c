/* study_report.c - a finished study as a table, as JSON and as a figure.
 *
 * Nothing here depends on time: the same data, options and seed give the same bytes. As JSON:
 *
 *   {
 *     "format": 1,                 this layout; a change of meaning makes it 2
 *     "study": "folds",            or "grid", "curve"
 *     "score": "f1",               what `score` is below: "f1" of chunks, or "accuracy"
 *     "seed": 1,
 *     "instances": 9000, "sequences": 600, "units": 120,     of the training data; single
 *                                  instances if it has no sequences or units
 *     "held_out": "folds",         or "dev", "test"; "part": a fifth, of a curve without test data
 *     "folds": 5,                  with folds
 *     "seeds": 5,                  of a curve
 *     "settings": [                in the order of the grid, or one without a grid; or
 *     "sizes": [                   of a curve, from small to large
 *       {"setting": "l2=1",        "" without a grid; of settings
 *        "l1": 0.0, "l2": 1.0,     of settings
 *        "halvings": 3,            the size is 1/2^3 of the whole; of sizes
 *        "runs": 5,                that the means are over, without missing ones
 *        "score": {"mean": x, "standard_error": x, "pooled": x},    null if there are too few runs
 *        "accuracy": {"mean": x, "standard_error": x, "pooled": x},
 *        "sequences": x, "instances": x,    trained on, means over the runs
 *        "nonzero": x,             weights, mean
 *        "iterations": 210,        sum
 *        "each": [                 a run for each fold or seed
 *          {"fold": 1,             or "seed": 1; neither with dev
 *           "missing": false,      true: the training data had a single label, and the keys
 *                                  below are missing
 *           "sequences": 480, "instances": 7200,              trained on
 *           "held_out": {"units": 24, "sequences": 120, "instances": 1800},
 *           "score": x, "accuracy": x,
 *           "counted": 1800, "right": 1710,                   instances with a gold label
 *           "chunks": {"gold": 80, "found": 79, "correct": 70},    if the score is f1
 *           "objective": x, "nonzero": 5120, "iterations": 42}, ...]
 *       }, ...],
 *     "best": {"index": 0, "setting": "l2=1"}      the winner of a grid
 *   }
 *
 * Keys are added without notice; those here keep their meaning within a format. */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "report/plot.h"
#include "study/folds.h"
#include "study/study.h"

/* ---- the tree ------------------------------------------------------------------------------ */

static void add_mean(cau_tree *tree, const char *key, cau_mean mean, double pooled)
{
    cau_tree_object(tree, key);
    cau_tree_number(tree, "mean", mean.mean);
    cau_tree_number(tree, "standard_error", mean.error);
    cau_tree_number(tree, "pooled", pooled);
    cau_tree_end(tree);
}

static void add_run(const cau_study_result *study, const cau_run_result *run, size_t column,
                    cau_tree *tree)
{
    const cau_runs_options *o = &study->options->runs;
    cau_tree_object(tree, NULL);
    if (o->seeds)
        cau_tree_count(tree, "seed", o->seed + column);
    else if (o->folds)
        cau_tree_count(tree, "fold", column + 1);
    cau_tree_bool(tree, "missing", run->missing);
    if (!run->missing) {
        cau_tree_count(tree, "sequences", run->sequences);
        cau_tree_count(tree, "instances", run->instances);
        cau_tree_object(tree, "held_out");
        cau_tree_count(tree, "units", run->held_groups);
        cau_tree_count(tree, "sequences", run->held_sequences);
        cau_tree_count(tree, "instances", run->held_instances);
        cau_tree_end(tree);
        cau_tree_number(tree, "score", cau_runs_score(&study->runs, &run->counts));
        cau_tree_number(tree, "accuracy", cau_label_accuracy(&run->counts));
        cau_tree_count(tree, "counted", run->counts.tokens);
        cau_tree_count(tree, "right", run->counts.right);
        if (study->runs.chunked) {
            cau_tree_object(tree, "chunks");
            cau_tree_count(tree, "gold", run->counts.chunks.gold);
            cau_tree_count(tree, "found", run->counts.chunks.found);
            cau_tree_count(tree, "correct", run->counts.chunks.correct);
            cau_tree_end(tree);
        }
        cau_tree_number(tree, "objective", run->objective);
        cau_tree_count(tree, "nonzero", run->nonzero);
        cau_tree_count(tree, "iterations", run->iterations);
    }
    cau_tree_end(tree);
}

static void add_row(const cau_study_result *study, size_t r, cau_tree *tree)
{
    const cau_run_means row = cau_study_means(study, r);
    const bool curve = study->kind == CAU_STUDY_CURVE;
    cau_tree_object(tree, NULL);
    if (curve) {
        cau_tree_count(tree, "halvings", study->rows - 1 - r);
    } else {
        const cau_setting *setting = &study->options->runs.settings[r];
        cau_tree_string(tree, "setting", setting->text);
        cau_tree_number(tree, "l1", setting->train.l1);
        cau_tree_number(tree, "l2", setting->train.l2);
    }
    cau_tree_count(tree, "runs", row.n);
    add_mean(tree, "score", row.score,
             row.n ? cau_runs_score(&study->runs, &row.pooled) : (double)NAN);
    add_mean(tree, "accuracy", row.accuracy, cau_label_accuracy(&row.pooled));
    cau_tree_number(tree, "sequences", row.sequences);
    cau_tree_number(tree, "instances", row.instances);
    cau_tree_number(tree, "nonzero", row.nonzero);
    cau_tree_count(tree, "iterations", row.iterations);
    cau_tree_array(tree, "each");
    for (size_t c = 0; c < study->runs.columns; c++)
        add_run(study, cau_run_at(&study->runs, curve ? r : 0, c, curve ? 0 : r), c, tree);
    cau_tree_end(tree);
    cau_tree_end(tree);
}

static void build_tree(const cau_study_result *study, cau_tree *tree)
{
    const cau_runs_options *o = &study->options->runs;
    const cau_dataset *set = &study->runs.data->train;
    const bool curve = study->kind == CAU_STUDY_CURVE;
    const char *held_out = o->folds                   ? "folds"
                           : !curve                   ? "dev"
                           : study->runs.data->test.N ? "test"
                                                      : "part";
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "format", 1);
    cau_tree_string(tree, "study", cau_study_name(study->kind));
    cau_tree_string(tree, "score", study->runs.chunked ? "f1" : "accuracy");
    cau_tree_count(tree, "seed", o->seed);
    cau_tree_count(tree, "instances", set->N);
    cau_tree_count(tree, "sequences", set->S);
    cau_tree_count(tree, "units", cau_count_groups(set));
    cau_tree_string(tree, "held_out", held_out);
    if (o->folds) cau_tree_count(tree, "folds", o->folds);
    if (curve) cau_tree_count(tree, "seeds", o->seeds);
    cau_tree_array(tree, curve ? "sizes" : "settings");
    for (size_t r = 0; r < study->rows; r++) add_row(study, r, tree);
    cau_tree_end(tree);
    if (study->kind == CAU_STUDY_GRID) {
        cau_tree_object(tree, "best");
        cau_tree_count(tree, "index", study->best);
        cau_tree_string(tree, "setting", o->settings[study->best].text);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
}

/* ---- text ---------------------------------------------------------------------------------- */

enum { COLUMNS_MAX = 10 };

typedef struct {
    cau_column column[COLUMNS_MAX];
    size_t count;
} column_list;

static void add_column(column_list *list, const char *heading, const char *cell)
{
    assert(list->count < COLUMNS_MAX);
    list->column[list->count++] = (cau_column){heading, cell};
}

/* Means and standard errors of the scores. */
static void add_scores(const cau_study_result *study, column_list *list, bool errors)
{
    if (study->runs.chunked) add_column(list, "        F1", "{score.mean:.4f}");
    if (study->runs.chunked && errors) add_column(list, "std. error", "{score.standard_error:.4f}");
    add_column(list, "  accuracy", "{accuracy.mean:.4f}");
    if (errors) add_column(list, "std. error", "{accuracy.standard_error:.4f}");
}

/* Means of counts: one decimal, unless they are all whole numbers. */
static void add_mean_counts(const json_t *rows, column_list *list, const char *heading,
                            const char *path, const char *whole, const char *decimal)
{
    bool is_whole = true;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const double x = cau_number_at(json_array_get(rows, i), path);
        is_whole &= !(x - floor(x) > 0);
    }
    add_column(list, heading, is_whole ? whole : decimal);
}

/* "120 units, 600 sequences, 9000 instances"; data without units or sequences omits them. */
static void print_data(const cau_study_result *study, const json_t *root, cau_writer *out)
{
    const cau_dataset *set = &study->runs.data->train;
    if (set->unit) cau_print(out, root, "{units} units, ");
    if (set->sequence) cau_print(out, root, "{sequences} sequences, ");
    cau_print(out, root, "{instances} instances");
}

static void print_folds_line(const cau_study_result *study, const json_t *root, cau_writer *out)
{
    cau_print(out, root, "{folds} folds of ");
    print_data(study, root, out);
    cau_print(out, root, "; stratified, seed {seed}\n\n");
}

static void print_folds(const cau_study_result *study, const json_t *root, cau_writer *out)
{
    static const char *const summaries[][2] = {
        {"mean", "mean"}, {"std. error", "standard_error"}, {"pooled", "pooled"}};
    const cau_dataset *set = &study->runs.data->train;
    const json_t *row = cau_at(root, "settings.0"), *each = cau_at(row, "each");
    column_list list = {0};
    add_column(&list, "held out  ", "<fold {fold}");
    if (set->unit) add_column(&list, "     units", "{held_out.units}");
    if (set->sequence) add_column(&list, " sequences", "{held_out.sequences}");
    add_column(&list, " instances", "{held_out.instances}");
    if (study->runs.chunked) add_column(&list, "        F1", "{score:.4f}");
    add_column(&list, "  accuracy", "{accuracy:.4f}");
    add_column(&list, " objective", "{objective:.2f}");
    add_column(&list, "iterations", "{iterations}");
    print_folds_line(study, root, out);
    cau_text_table table = cau_text_table_begin(out, list.column, list.count);
    cau_text_table_rows(&table, each);
    for (size_t i = 0; i < 3; i++) { /* objects with the keys of a fold */
        cau_tree summary = {0};
        cau_tree_object(&summary, NULL);
        cau_tree_number(&summary, "score", cau_number_at(cau_at(row, "score"), summaries[i][1]));
        cau_tree_number(&summary, "accuracy",
                        cau_number_at(cau_at(row, "accuracy"), summaries[i][1]));
        cau_tree_end(&summary);
        table.text.failed |= summary.failed;
        cau_text_table_row(&table, summaries[i][0], summary.root);
        cau_tree_clear(&summary);
    }
    cau_text_table_end(&table);
}

static void print_grid(const cau_study_result *study, const json_t *root, cau_writer *out)
{
    const bool folds = study->options->runs.folds > 0;
    const json_t *rows = cau_at(root, "settings");
    column_list list = {0};
    add_column(&list, "  setting", "<  {setting}");
    add_scores(study, &list, folds);
    add_mean_counts(rows, &list, "   nonzero", "nonzero", "{nonzero:.0f}", "{nonzero:.1f}");
    add_column(&list, "iterations", "{iterations}");
    if (folds)
        print_folds_line(study, root, out);
    else
        cau_strbuf_printf(&out->text, "%zu instances to train on, %zu development instances\n\n",
                          study->runs.data->train.N, study->runs.data->test.N);
    cau_text_table table = cau_text_table_begin(out, list.column, list.count);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        cau_strbuf best = {0};
        cau_strbuf_printf(&best, "* %s", study->options->runs.settings[i].text);
        table.text.failed |= best.failed;
        if (!best.failed)
            cau_text_table_row(&table, i == study->best ? best.s : NULL, json_array_get(rows, i));
        cau_strbuf_clear(&best);
    }
    cau_text_table_end(&table);
    cau_print(out, root, "\n* best: {best.setting}; the highest ");
    cau_strbuf_printf(&out->text,
                      "%s%s, and of equal ones the strongest penalty.\n"
                      "Its score is optimistic, as %s chose it: measure the model on other data.\n",
                      folds ? "mean " : "", cau_runs_measure(&study->runs),
                      folds ? "these folds" : "the development data");
    if (folds)
        cau_strbuf_printf(&out->text,
                          "Nonzero weights are means over the folds, iterations are sums.\n");
}

static void print_curve(const cau_study_result *study, const json_t *root, cau_writer *out)
{
    const cau_runs_options *o = &study->options->runs;
    const caucus_data *data = study->runs.data;
    const json_t *rows = cau_at(root, "sizes");
    column_list list = {0};
    add_column(&list, "trained on", "<");
    if (data->train.sequence)
        add_mean_counts(rows, &list, " sequences", "sequences", "{sequences:.0f}",
                        "{sequences:.1f}");
    add_mean_counts(rows, &list, " instances", "instances", "{instances:.0f}", "{instances:.1f}");
    add_scores(study, &list, true);
    add_column(&list, "     seeds", "{runs}");
    print_data(study, root, out);
    if (data->test.N)
        cau_strbuf_printf(&out->text, "; %zu test instances", data->test.N);
    else
        cau_strbuf_printf(&out->text, "; a fifth of the %s held out for each seed",
                          cau_groups_word(&data->train));
    cau_strbuf_printf(&out->text, "; %zu nested series, seeds %llu to %llu\n\n", o->seeds,
                      (unsigned long long)o->seed, (unsigned long long)(o->seed + o->seeds - 1));
    cau_text_table table = cau_text_table_begin(out, list.column, list.count);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        char part[32];
        const json_t *row = json_array_get(rows, i);
        snprintf(part, sizeof part, "1/%llu", 1ull << cau_count_at(row, "halvings"));
        if (cau_count_at(row, "runs") > 0)
            cau_text_table_row(&table, cau_count_at(row, "halvings") ? part : "all", row);
    }
    cau_text_table_end(&table);
}

caucus_status cau_study_write(const cau_study_result *study, cau_writer *out)
{
    static void (*const print[])(const cau_study_result *, const json_t *,
                                 cau_writer *) = {[CAU_STUDY_FOLDS] = print_folds,
                                                  [CAU_STUDY_GRID] = print_grid,
                                                  [CAU_STUDY_CURVE] = print_curve};
    cau_tree tree = {0};
    build_tree(study, &tree);
    caucus_status st = cau_tree_status(out->ctx, &tree);
    if (!st && study->options->json)
        cau_print_json(out, tree.root, CAU_DIGITS_FLOAT);
    else if (!st)
        print[study->kind](study, tree.root, out);
    cau_tree_clear(&tree);
    return st ? st : cau_writer_flush(out, true);
}

/* ---- figures ------------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    const cau_score_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

caucus_status cau_plot_scores(caucus_ctx *ctx, const cau_runs *runs, const cau_score_plot *plot)
{
    caucus_status st = CAUCUS_OK;
    const size_t rows = plot->rows;
    const bool bars = runs->columns > 1;
    size_t drawn = 0;
    cau_series *series = cau_calloc(plot->count, sizeof *series);
    double *numbers = cau_alloc(plot->count * rows, 4 * sizeof *numbers);
    if (!series || !numbers) TRY(cau_fail_memory(ctx, "the figure"));
    for (size_t i = 0; i < plot->count; i++) {
        cau_score_point *point = plot->point + i * rows;
        double *x = numbers + 4 * i * rows, *y = x + rows, *low = y + rows, *high = low + rows;
        size_t n = 0;
        for (size_t r = 0; r < rows; r++)
            if (isfinite(point[r].score.mean)) point[n++] = point[r];
        qsort(point, n, sizeof *point, compare_points);
        for (size_t r = 0; r < n; r++) {
            const double error = isfinite(point[r].score.error) ? point[r].score.error : 0;
            x[r] = point[r].x;
            y[r] = point[r].score.mean;
            low[r] = y[r] - error;
            high[r] = y[r] + error;
        }
        series[i] = (cau_series){.name = plot->name ? plot->name[i] : NULL,
                                 .n = n,
                                 .x = x,
                                 .y = y,
                                 .low = bars ? low : NULL,
                                 .high = bars ? high : NULL};
        drawn += n;
    }
    if (drawn == 0) goto done; /* a note has said that there are no scores */
    char measured[96];
    snprintf(measured, sizeof measured, "%s on held-out data%s%s", cau_runs_measure(runs),
             bars ? " (mean ± standard error over " : "",
             !bars                  ? ""
             : runs->options->seeds ? "seeds)"
                                    : "folds)");
    const cau_curves curves = {
        .x = plot->x, .y = measured, .log_x = plot->log_x, .series = series, .count = plot->count};
    TRY(cau_plot_curves(ctx, plot->path, &curves));
done:
    free(series);
    free(numbers);
    return st;
}

/* The x axis of a grid is the penalty if only one penalty varies, and otherwise the number of the
 * setting. */
typedef enum { BY_L1, BY_L2, BY_NUMBER } plot_axis;

static plot_axis choose_axis(const cau_study_result *study)
{
    const cau_setting *s = study->options->runs.settings;
    bool l1 = false, l2 = false;
    for (size_t i = 1; i < study->rows; i++) {
        l1 |= s[i].train.l1 > s[0].train.l1 || s[i].train.l1 < s[0].train.l1;
        l2 |= s[i].train.l2 > s[0].train.l2 || s[i].train.l2 < s[0].train.l2;
    }
    return !study->options->runs.warm || l1 == l2 ? BY_NUMBER : l1 ? BY_L1 : BY_L2;
}

caucus_status cau_study_plot(caucus_ctx *ctx, const cau_study_result *study)
{
    static const char *const texts[] = {"l1 penalty", "l2 penalty",
                                        "setting, in the order of the table"};
    const bool curve = study->kind == CAU_STUDY_CURVE;
    const bool sequences = study->runs.data->train.sequence != NULL;
    const plot_axis by = curve ? BY_NUMBER : choose_axis(study);
    cau_score_point *point = cau_alloc(study->rows, sizeof *point);
    if (!point) return cau_fail_memory(ctx, "the figure");
    bool positive = true;
    for (size_t r = 0; r < study->rows; r++) {
        const cau_run_means row = cau_study_means(study, r);
        const cau_train_options *train = &study->options->runs.settings[curve ? 0 : r].train;
        point[r].x = curve         ? row.sequences
                     : by == BY_L1 ? train->l1
                     : by == BY_L2 ? train->l2
                                   : (double)(r + 1);
        point[r].score = row.score;
        if (isfinite(row.score.mean)) positive &= point[r].x > 0;
    }
    const cau_score_plot plot = {.path = study->options->plot,
                                 .x = !curve      ? texts[by]
                                      : sequences ? "sequences trained on"
                                                  : "instances trained on",
                                 .log_x = (curve || by != BY_NUMBER) && positive,
                                 .count = 1,
                                 .rows = study->rows,
                                 .point = point};
    const caucus_status st = cau_plot_scores(ctx, &study->runs, &plot);
    free(point);
    return st;
}
