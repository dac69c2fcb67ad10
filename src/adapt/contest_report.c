/* contest_report.c - who won, by how much, and whether that is luck: as a table, as JSON, as a
 * figure. Methods are compared with the first, which is MEGA wherever it takes part: the difference
 * in points, and McNemar's test on the instances of all parts together.
 *
 * As JSON:
 *
 *   {
 *     "format": 1,                 this layout; a change of meaning makes it 2
 *     "measure": "accuracy",       or "F1", of chunks
 *     "parts": 10,                 folds, or the seeds of a curve, or 1: the test set
 *     "rows": [                    one, or the sizes of a curve from small to large
 *       {"sequences": 900,         in-domain, trained on; a mean
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

#include "adapt/contest.h"
#include "base/memory.h"
#include "base/status.h"
#include "eval/compare.h"
#include "report/plot.h"

enum { WIDTH = 13, CELL = 11 };

static double mean_size(const cau_contest *c, size_t row)
{
    return c->size[row] / (double)c->columns;
}

static void text(cau_writer *sheet, const char *what, size_t width, bool left)
{
    const cau_str s = {what, strlen(what)};
    if (left)
        cau_writer_left(sheet, s, width);
    else
        cau_writer_right(sheet, s, width);
}

static void number(cau_writer *sheet, double x, int decimals)
{
    if (isnan(x))
        text(sheet, "-", CELL, false);
    else
        cau_writer_number(sheet, x, decimals, CELL);
}

static void end_line(cau_writer *sheet)
{
    cau_strbuf_add(&sheet->text, "\n", 1);
}

/* What was trained on, and what was held out. */
static void tell_data(const cau_contest *c, cau_writer *sheet)
{
    const cau_dataset *set = &c->data->train;
    const cau_adapt_options *o = c->options;
    const char *what = set->sequence ? "sequences" : "instances";
    const size_t in = cau_contest_in(c->data).train.S;
    cau_strbuf_printf(&sheet->text, "%zu in-domain %s, %zu of other domains; ", in, what,
                      set->S - in);
    if (o->folds)
        cau_strbuf_printf(&sheet->text, "%llu folds of the in-domain data\n\n",
                          (unsigned long long)o->folds);
    else if (c->data->test.N)
        cau_strbuf_printf(&sheet->text, "%zu test %s\n\n", c->data->test.S, what);
    else
        cau_strbuf_printf(&sheet->text, "a fifth of the in-domain data held out for each seed\n\n");
}

static void tell_missing(cau_writer *sheet)
{
    cau_strbuf_printf(&sheet->text, "-: the in-domain data has a single label, too little to learn "
                                    "from for that method.\n");
}

static void standing_table(const cau_contest *c, cau_writer *sheet)
{
    const bool several = c->columns > 1, tuned = c->options->tune != NULL;
    bool missing = false;
    text(sheet, "method", WIDTH, true);
    if (c->chunked) text(sheet, "F1", CELL, false);
    text(sheet, "accuracy", CELL, false);
    if (several) text(sheet, "std. error", CELL, false);
    if (c->M > 1) text(sheet, "McNemar p", CELL, false);
    if (tuned) text(sheet, "l2", CELL, false);
    text(sheet, "seconds", CELL, false);
    end_line(sheet);
    for (size_t m = 0; m < c->M; m++) {
        const cau_standing r = cau_contest_row(c, 0, m);
        text(sheet, cau_method_name(c->method[m]), WIDTH, true);
        if (c->chunked) number(sheet, 100 * cau_counts_f1(r.pooled.chunks), 2);
        number(sheet, 100 * cau_tally_accuracy(&r.pooled), 2);
        if (several) number(sheet, 100 * r.error, 2);
        if (c->M > 1)
            number(sheet, m && r.n ? cau_mcnemar_test(r.only_this, r.only_first).exact : NAN, 4);
        if (tuned) number(sheet, r.l2, 3);
        number(sheet, r.seconds, 2);
        end_line(sheet);
    }
    end_line(sheet);
    if (c->M > 1)
        cau_strbuf_printf(&sheet->text, "McNemar's test, exact, on %s against %s.\n",
                          c->data->train.sequence ? "tokens" : "instances",
                          cau_method_name(c->method[0]));
    if (several)
        cau_strbuf_printf(&sheet->text,
                          "Scores are of all folds together; the standard error is of "
                          "the %s over folds.\n",
                          cau_contest_measure(c));
    for (size_t m = 0; m < c->M; m++) {
        const cau_standing r = cau_contest_row(c, 0, m);
        missing |= r.n == 0;
        if (cau_method_is_mega(c->method[m]))
            cau_strbuf_printf(&sheet->text, "%s: p(general) in the in-domain data is %.2f.\n",
                              cau_method_name(c->method[m]), r.pi);
        if (c->method[m] == CAU_METHOD_INTERPOLATE && r.n)
            cau_strbuf_printf(&sheet->text, "interpolate: the weight of only-in is %.2f.\n", r.t);
    }
    if (missing) tell_missing(sheet);
}

static void curve_table(const cau_contest *c, cau_writer *sheet)
{
    bool missing = false;
    text(sheet, "trained on", WIDTH, true);
    for (size_t m = 0; m < c->M; m++) text(sheet, cau_method_name(c->method[m]), CELL + 3, false);
    end_line(sheet);
    for (size_t row = 0; row < c->rows; row++) {
        char cell[64];
        snprintf(cell, sizeof cell, "%.0f", mean_size(c, row));
        text(sheet, cell, WIDTH, true);
        for (size_t m = 0; m < c->M; m++) {
            const cau_standing r = cau_contest_row(c, row, m);
            missing |= r.n == 0;
            if (r.n == 0)
                snprintf(cell, sizeof cell, "-");
            else if (r.n == 1)
                snprintf(cell, sizeof cell, "%.2f", 100 * r.mean);
            else
                snprintf(cell, sizeof cell, "%.2f (%.2f)", 100 * r.mean, 100 * r.error);
            text(sheet, cell, CELL + 3, false);
        }
        end_line(sheet);
    }
    cau_strbuf_printf(&sheet->text, "\n%s in percent", cau_contest_measure(c));
    if (c->columns > 1)
        cau_strbuf_printf(&sheet->text, ", mean (standard error) over %zu seeds", c->columns);
    cau_strbuf_printf(&sheet->text, ".\n");
    if (missing) tell_missing(sheet);
}

void cau_contest_table(const cau_contest *c, cau_writer *sheet)
{
    tell_data(c, sheet);
    if (c->options->curve)
        curve_table(c, sheet);
    else
        standing_table(c, sheet);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* NaN is null. */
static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *mcnemar_json(cau_writer *sheet, const cau_standing *r)
{
    const cau_mcnemar test = cau_mcnemar_test(r->only_this, r->only_first);
    json_t *o = json_object();
    cau_writer_put(sheet, o, "only_this", json_integer((json_int_t)r->only_this));
    cau_writer_put(sheet, o, "only_first", json_integer((json_int_t)r->only_first));
    cau_writer_put(sheet, o, "chi2", real(test.chi2));
    cau_writer_put(sheet, o, "p", real(test.p));
    cau_writer_put(sheet, o, "exact", real(test.exact));
    return o;
}

static json_t *standing_json(const cau_contest *c, cau_writer *sheet, size_t row, size_t m)
{
    const cau_standing r = cau_contest_row(c, row, m);
    const char *name = cau_method_name(c->method[m]);
    const bool interpolates = c->method[m] == CAU_METHOD_INTERPOLATE;
    json_t *o = json_object();
    cau_writer_put(sheet, o, "method", cau_writer_string((cau_str){name, strlen(name)}));
    cau_writer_put(sheet, o, "score", real(r.n ? r.mean : NAN));
    cau_writer_put(sheet, o, "error", real(r.error));
    cau_writer_put(sheet, o, "accuracy", real(cau_tally_accuracy(&r.pooled)));
    cau_writer_put(sheet, o, "f1", real(c->chunked && r.n ? cau_counts_f1(r.pooled.chunks) : NAN));
    cau_writer_put(sheet, o, "l2", real(r.l2));
    cau_writer_put(sheet, o, "t", real(interpolates ? r.t : NAN));
    cau_writer_put(sheet, o, "pi", real(r.pi));
    cau_writer_put(sheet, o, "seconds", real(r.seconds));
    cau_writer_put(sheet, o, "mcnemar",
                   m && r.n && !c->options->curve ? mcnemar_json(sheet, &r) : json_null());
    return o;
}

void cau_contest_json(const cau_contest *c, cau_writer *sheet)
{
    const char *measure = cau_contest_measure(c);
    json_t *root = json_object(), *rows = json_array();
    cau_writer_put(sheet, root, "format", json_integer(1));
    cau_writer_put(sheet, root, "measure", cau_writer_string((cau_str){measure, strlen(measure)}));
    cau_writer_put(sheet, root, "parts", json_integer((json_int_t)c->columns));
    for (size_t row = 0; row < c->rows; row++) {
        json_t *o = json_object(), *methods = json_array();
        cau_writer_put(sheet, o, "sequences", real(mean_size(c, row)));
        for (size_t m = 0; m < c->M; m++)
            cau_writer_push(sheet, methods, standing_json(c, sheet, row, m));
        cau_writer_put(sheet, o, "methods", methods);
        cau_writer_push(sheet, rows, o);
    }
    cau_writer_put(sheet, root, "rows", rows);
    cau_writer_json(sheet, root, false);
}

/* ---- the figure ------------------------------------------------------------------------------ */

caucus_status cau_contest_plot(caucus_ctx *ctx, const cau_contest *c)
{
    caucus_status st = CAUCUS_OK;
    const size_t R = c->rows;
    const bool bars = c->columns > 1;
    cau_series *series = cau_calloc(c->M, sizeof *series);
    double *numbers = cau_alloc(c->M * R, 4 * sizeof *numbers);
    if (!series || !numbers) TRY(cau_fail_memory(ctx, "the figure"));
    for (size_t m = 0; m < c->M; m++) {
        double *x = numbers + 4 * m * R, *y = x + R, *low = y + R, *high = low + R;
        size_t n = 0;
        for (size_t row = 0; row < R; row++) {
            const cau_standing r = cau_contest_row(c, row, m);
            if (r.n == 0) continue;
            const double error = isfinite(r.error) ? r.error : 0;
            x[n] = mean_size(c, row);
            y[n] = r.mean;
            low[n] = r.mean - error;
            high[n++] = r.mean + error;
        }
        series[m] = (cau_series){.name = cau_method_name(c->method[m]),
                                 .n = n,
                                 .x = x,
                                 .y = y,
                                 .low = bars ? low : NULL,
                                 .high = bars ? high : NULL};
    }
    char measured[96];
    snprintf(measured, sizeof measured, "%s on held-out data%s", cau_contest_measure(c),
             bars ? " (mean ± standard error over seeds)" : "");
    const cau_curves curves = {.x = c->data->train.sequence ? "in-domain sequences trained on"
                                                            : "in-domain instances trained on",
                               .y = measured,
                               .log_x = true,
                               .series = series,
                               .count = c->M};
    TRY(cau_plot_curves(ctx, c->options->plot, &curves));
done:
    free(series);
    free(numbers);
    return st;
}
