/* study_plot.c - the answer of a study as a figure: the score over the size of the training data,
 * or over the penalty, with bars of one standard error to both sides. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "report/plot.h"
#include "study/runs.h"

typedef struct {
    double x, y, low, high;
} point;

static int compare_points(const void *a, const void *b)
{
    const point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* What the axis of a grid shows: the penalty, where that is all that varies and one does; else the
 * number of the setting. */
typedef enum { BY_L1, BY_L2, BY_NUMBER } axis;

static axis axis_of(const cau_runs *runs)
{
    const cau_setting *s = runs->options->settings;
    bool l1 = false, l2 = false;
    for (size_t i = 1; i < runs->rows; i++) {
        l1 |= s[i].train.l1 > s[0].train.l1 || s[i].train.l1 < s[0].train.l1;
        l2 |= s[i].train.l2 > s[0].train.l2 || s[i].train.l2 < s[0].train.l2;
    }
    return !runs->options->warm || l1 == l2 ? BY_NUMBER : l1 ? BY_L1 : BY_L2;
}

static double place_of(const cau_runs *runs, axis by, size_t r, const cau_row *row)
{
    const cau_train_options *train = &runs->options->settings[r].train;
    if (runs->kind == CAU_STUDY_CURVE) return row->sequences;
    return by == BY_L1 ? train->l1 : by == BY_L2 ? train->l2 : (double)(r + 1);
}

static const char *axis_text(const cau_runs *runs, axis by)
{
    if (runs->kind == CAU_STUDY_CURVE)
        return runs->data->train.sequence ? "sequences trained on" : "instances trained on";
    static const char *const texts[] = {"l1 penalty", "l2 penalty",
                                        "setting, in the order of the table"};
    return texts[by];
}

/* The points [rows] of the rows that have a score, from left to right; returns how many. */
static size_t points_of(const cau_runs *runs, axis by, point *points)
{
    size_t n = 0;
    for (size_t r = 0; r < runs->rows; r++) {
        const cau_row row = cau_runs_row(runs, r);
        const cau_mean m = row.score;
        if (row.n == 0) continue;
        const double error = isfinite(m.error) ? m.error : 0;
        points[n++] = (point){place_of(runs, by, r, &row), m.mean, m.mean - error, m.mean + error};
    }
    qsort(points, n, sizeof *points, compare_points);
    return n;
}

caucus_status cau_runs_plot(caucus_ctx *ctx, const cau_runs *runs)
{
    caucus_status st = CAUCUS_OK;
    const axis by = runs->kind == CAU_STUDY_CURVE ? BY_NUMBER : axis_of(runs);
    double *x = NULL;
    point *points = cau_alloc(runs->rows, sizeof *points);
    if (!points) TRY(cau_fail_memory(ctx, "the figure"));
    const size_t n = points_of(runs, by, points);
    if (n == 0) goto done; /* which a note has said */
    x = cau_alloc(n, 4 * sizeof *x);
    if (!x) TRY(cau_fail_memory(ctx, "the figure"));
    double *y = x + n, *low = y + n, *high = low + n;
    for (size_t i = 0; i < n; i++) {
        x[i] = points[i].x;
        y[i] = points[i].y;
        low[i] = points[i].low;
        high[i] = points[i].high;
    }
    const bool bars = runs->columns > 1;
    const cau_series series = {
        .n = n, .x = x, .y = y, .low = bars ? low : NULL, .high = bars ? high : NULL};
    char measured[96];
    snprintf(measured, sizeof measured, "%s on held-out data%s%s", cau_runs_measure(runs),
             bars ? " (mean ± standard error over " : "",
             !bars                           ? ""
             : runs->kind == CAU_STUDY_CURVE ? "seeds)"
                                             : "folds)");
    const cau_curves curves = {.x = axis_text(runs, by),
                               .y = measured,
                               .log_x =
                                   (runs->kind == CAU_STUDY_CURVE || by != BY_NUMBER) && x[0] > 0,
                               .series = &series,
                               .count = 1};
    TRY(cau_plot_curves(ctx, runs->options->plot, &curves));
done:
    free(x);
    free(points);
    return st;
}
