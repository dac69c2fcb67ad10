/* plot_lines.c - figures of lines and points: curves, training runs, reliability. */

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "report/figure.h"

/* ---- learning curves, and scores along a grid ------------------------------------------
 *
 * Lines differ by dash, mark and shade of grey. The axis of the scores also covers the bars (a
 * standard error, an interval).
 *
 * A logarithmic axis has its tics at the points if there is room, because readers look for these
 * numbers: sizes of training data, or the steps of a penalty. A grid of penalties often contains 0,
 * which has no logarithm; it is drawn to the left of the other points, with the tic 0. */

enum { STYLES = 8, POINT_TICS = 12 };

/* Greys dark enough for thin lines, with dashes and marks that are easy to tell apart. */
static const struct {
    const char *color, *dash;
    int mark;
} styles[STYLES] = {
    {"#000000", "1", 7},   {"#555555", "'-'", 5},  {"#000000", "'.'", 9},   {"#777777", "'-.'", 13},
    {"#333333", "'_'", 6}, {"#777777", "'..'", 4}, {"#000000", "'_.'", 11}, {"#555555", "1", 8},
};

/* The ranges of the points. */
typedef struct {
    cau_range x, y;             /* of the points drawn; x without 0 on a logarithmic axis */
    bool whole;                 /* all x are integers */
    bool zero;                  /* there is a 0 on a logarithmic axis */
    size_t tics;                /* number of different x; POINT_TICS + 1 if there are more */
    double tic[POINT_TICS + 1]; /* [tics] ascending */
} curve_extent;

static void add_tic(curve_extent *e, double x)
{
    size_t at = 0;
    while (at < e->tics && e->tic[at] < x) at++;
    if (e->tics > POINT_TICS || (at < e->tics && e->tic[at] == x)) return;
    memmove(e->tic + at + 1, e->tic + at, (e->tics - at) * sizeof *e->tic);
    e->tic[at] = x;
    e->tics++;
}

static curve_extent measure(const cau_curves *curves, bool log_x)
{
    curve_extent e = {.x = CAU_RANGE_EMPTY, .y = CAU_RANGE_EMPTY, .whole = true};
    for (size_t s = 0; s < curves->count; s++) {
        const cau_series *series = &curves->series[s];
        for (size_t i = 0; i < series->n; i++) {
            double x = series->x[i], y = series->y[i];
            if (!cau_drawable(x) || !cau_drawable(y) || (log_x && x < 0)) continue;
            cau_range_add(&e.y, y);
            if (series->low && series->high) {
                cau_range_add(&e.y, series->low[i]);
                cau_range_add(&e.y, series->high[i]);
            }
            e.whole = e.whole && x == floor(x);
            if (log_x && x == 0) {
                e.zero = true;
            } else {
                cau_range_add(&e.x, x);
                add_tic(&e, x);
            }
        }
    }
    return e;
}

/* Whether all tics are at least a fourteenth of the axis apart. */
static bool tics_fit(const curve_extent *e, double left)
{
    if (e->tics > POINT_TICS) return false;
    double apart = log(e->x.high / left) / 14;
    for (size_t i = 1; i < e->tics; i++)
        if (log(e->tic[i] / e->tic[i - 1]) < apart) return false;
    return true;
}

/* The axis of x > 0. Returns the place of 0 to its left: below the lowest decade, or as far from
 * the first tic as that is from the second. */
static double log_axis(cau_figure *figure, const curve_extent *e)
{
    double zero = e->tics > 1 ? e->tic[0] * (e->tic[0] / e->tic[1]) : e->x.low / 10;
    double left = e->zero ? zero : e->x.low;
    if (tics_fit(e, left)) {
        double room = e->x.high > left ? pow(e->x.high / left, 0.04) : 2;
        cau_figure_printf(figure, "set logscale x 10\nset xrange [%g:%g]\nset xtics (", left / room,
                          e->x.high * room);
        for (size_t i = 0; i < e->tics; i++) {
            cau_figure_printf(figure, "%s'", i ? ", " : "");
            cau_axis_label(&figure->script, e->tic[i]);
            cau_figure_printf(figure, "' %g", e->tic[i]);
        }
        cau_figure_printf(figure, ")\n");
    } else {
        cau_axis_log(figure, "x", e->x);
        zero = pow(10, floor(log10(e->x.low)) - 0.5);
        if (e->zero) cau_figure_printf(figure, "set xrange [%g:]\n", zero / 1.2);
    }
    if (e->zero) cau_figure_printf(figure, "set xtics add ('0' %g)\n", zero);
    return zero;
}

/* Adds the points of all series, and their bars, to the table. */
static void add_points(cau_figure *figure, const cau_curves *curves, bool log_x, double zero)
{
    for (size_t s = 0; s < curves->count; s++) {
        const cau_series *series = &curves->series[s];
        bool bars = series->low && series->high;
        for (size_t i = 0; i < series->n; i++) {
            const double x = series->x[i], place = !log_x || x > 0 ? x : x == 0 ? zero : NAN;
            const double cells[] = {x, series->y[i], bars ? series->low[i] : NAN,
                                    bars ? series->high[i] : NAN, place};
            cau_figure_cells(figure, cells, 5, '\t');
            cau_figure_text(figure, cau_str_of(series->name), '\n');
        }
    }
}

/* Adds the plot command: the bars of all series, then their lines and marks on top. */
static void add_plots(cau_figure *figure, const cau_curves *curves)
{
    const char *between = "plot";
    for (int lines = 0; lines <= 1; lines++) {
        size_t first = 0;
        for (size_t s = 0; s < curves->count; first += curves->series[s++].n) {
            const cau_series *series = &curves->series[s];
            const char *color = styles[s % STYLES].color;
            if (series->n == 0 || (!lines && !(series->low && series->high))) continue;
            cau_figure_printf(figure, "%s source skip 1 every ::%zu::%zu ", between, first,
                              first + series->n - 1);
            between = ", \\\n    ";
            if (!lines) {
                cau_figure_printf(figure,
                                  "using 5:2:3:4 with yerrorbars linewidth 1 linecolor rgb '%s' "
                                  "pointsize 0 notitle",
                                  color);
                continue;
            }
            cau_figure_printf(
                figure,
                "using 5:2 with linespoints linewidth 1.6 linecolor rgb '%s' dashtype "
                "%s pointtype %d pointsize 0.9 ",
                color, styles[s % STYLES].dash, styles[s % STYLES].mark);
            if (series->name)
                cau_figure_quote(figure, "title ", cau_str_of(series->name), "");
            else
                cau_figure_printf(figure, "notitle");
        }
    }
    cau_figure_printf(figure, "\n");
}

caucus_status cau_plot_curves(caucus_ctx *ctx, const char *path, const cau_curves *curves)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "x\ty\tlow\thigh\tplace\tseries", &figure));
    figure.width = 720, figure.height = 480;

    bool log_x = curves->log_x;
    curve_extent e = measure(curves, log_x);
    if (log_x && e.x.low > e.x.high) { /* all x are 0 */
        log_x = false;
        e = measure(curves, log_x);
    }
    if (e.x.low > e.x.high) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    double zero = NAN;
    if (log_x)
        zero = log_axis(&figure, &e);
    else
        cau_axis_linear(&figure, "x", e.x, e.whole ? 1 : 0);
    cau_axis_linear(&figure, "y", e.y, 0);
    cau_figure_quote(&figure, "set title ", cau_str_of(curves->title), "\n");
    cau_figure_quote(&figure, "set xlabel ", cau_str_of(curves->x), "\n");
    cau_figure_quote(&figure, "set ylabel ", cau_str_of(curves->y), "\n");
    cau_figure_printf(&figure, "set key outside center top horizontal Left reverse samplen 3.5\n");
    add_points(&figure, curves, log_x, zero);
    add_plots(&figure, curves);
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}

/* ---- the course of a training run -------------------------------------------------------
 *
 * The objective falls fast at first and then hardly visibly. So the figure shows, on a logarithmic
 * axis, the distance from the lowest value of the run:
 *     (f_i - min f) / |min f|
 * Linear convergence is a straight line. The lowest point has no logarithm and is not drawn. If
 * min f is 0 the difference is not divided, and the label of the axis changes. The lower panel has
 * the same axis of seconds and shows the score on the development data, with its best value marked.
 * The axis at the top has the numbers of iterations, at the seconds when they ended. */

enum {
    MARKS_MAX = 120,     /* iterations that are drawn as points as well */
    ITERATION_TICS = 10, /* numbers of iterations at the top */
    OBJECTIVE_DIGITS = 7,
    SCORE_DIGITS = 4,
};

/* The ranges of a run. */
typedef struct {
    cau_range seconds; /* from 0 on */
    cau_range objective, gap, dev;
    size_t best_dev; /* the first iteration with the best score; n without scores */
    bool relative;   /* gaps are divided by the lowest objective */
} run_course;

static double gap_of(const cau_convergence *run, const run_course *c, size_t i)
{
    double gap = run->objective[i] - c->objective.low;
    if (c->relative) gap /= fabs(c->objective.low);
    return gap > 0 ? gap : NAN;
}

static run_course measure_run(const cau_convergence *run)
{
    run_course c = {{0, 0}, CAU_RANGE_EMPTY, CAU_RANGE_EMPTY, CAU_RANGE_EMPTY, run->n, false};
    for (size_t i = 0; i < run->n; i++) {
        if (!cau_drawable(run->seconds[i])) continue;
        cau_range_add(&c.seconds, run->seconds[i]);
        cau_range_add(&c.objective, run->objective[i]);
        double best = c.dev.low > c.dev.high ? -INFINITY : c.dev.high;
        cau_range_add(&c.dev, run->dev[i]);
        if (cau_drawable(run->dev[i]) && run->dev[i] > best) c.best_dev = i;
    }
    c.relative = c.objective.low != 0;
    for (size_t i = 0; i < run->n; i++)
        if (cau_drawable(run->seconds[i])) cau_range_add(&c.gap, gap_of(run, &c, i));
    return c;
}

/* The axis at the top: round numbers of iterations, at the second when each ended, leaving out
 * those that are less than a fourteenth of the axis from the tic before. */
static void iteration_axis(cau_figure *figure, const cau_convergence *run, const run_course *c)
{
    cau_range iterations = CAU_RANGE_EMPTY;
    for (size_t i = 0; i < run->n; i++) cau_range_add(&iterations, run->iteration[i]);
    double step = cau_axis_step(iterations, ITERATION_TICS, 1);
    double apart = (c->seconds.high - c->seconds.low) / 14, last = -INFINITY;
    cau_figure_printf(figure, "set link x2\nset x2tics (");
    for (size_t i = 0; i < run->n; i++) {
        double at = run->seconds[i];
        if (!cau_drawable(at) || fmod(run->iteration[i], step) != 0 || !(at - last >= apart))
            continue;
        cau_figure_printf(figure, "%s'", isfinite(last) ? ", " : "");
        cau_axis_label(&figure->script, run->iteration[i]);
        cau_figure_printf(figure, "' %g", at);
        last = at;
    }
    cau_figure_printf(figure, ")\nset x2label 'iterations' offset 0,-0.3\n");
}

static const char *line_style(const cau_convergence *run)
{
    return run->n <= MARKS_MAX ? "linespoints pointtype 7 pointsize 0.4" : "lines";
}

/* The upper panel, or the only one. */
static void draw_objective(cau_figure *figure, const cau_convergence *run, const run_course *c)
{
    bool gap = c->gap.low < c->gap.high;
    if (gap)
        cau_axis_log(figure, "y", c->gap);
    else
        cau_axis_linear(figure, "y", c->objective, 0);
    cau_figure_printf(figure, "set label 1 '%s' at screen 0.03, graph 0.5 center rotate\n",
                      !gap          ? "objective"
                      : c->relative ? "objective above its lowest (relative)"
                                    : "objective above its lowest");
    cau_figure_printf(
        figure, "plot source skip 1 using 2:%d with %s linewidth 1.6 linecolor rgb '#000000'\n",
        gap ? 4 : 3, line_style(run));
}

static void draw_dev(cau_figure *figure, const cau_convergence *run, const run_course *c)
{
    cau_axis_linear(figure, "y", c->dev, 0);
    cau_figure_printf(figure, "unset logscale y\nunset title\nunset x2tics\nunset x2label\n"
                              "set border 3\n"
                              "set label 1 'score on development data'\n");
    cau_figure_printf(figure, "set label 2 'best ");
    cau_strbuf_general(&figure->script, run->dev[c->best_dev], SCORE_DIGITS);
    if (cau_drawable(run->iteration[c->best_dev]))
        cau_figure_printf(figure, " at iteration %g", run->iteration[c->best_dev]);
    cau_figure_printf(figure, "' at graph 0.98, 0.08 right\n");
    cau_figure_printf(
        figure,
        "plot source skip 1 using 2:5 with %s linewidth 1.6 linecolor rgb '#000000', \\\n"
        "     source skip 1 every ::%zu::%zu using 2:5 with points linewidth 1.6 "
        "linecolor rgb '#000000' pointtype 6 pointsize 1.5\n",
        line_style(run), c->best_dev, c->best_dev);
}

caucus_status cau_plot_convergence(caucus_ctx *ctx, const char *path, const cau_convergence *run)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "iteration\tseconds\tobjective\tabove\tdev", &figure));
    run_course c = measure_run(run);
    if (c.objective.low > c.objective.high) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    for (size_t i = 0; i < run->n; i++) {
        const double cells[] = {run->iteration[i], run->seconds[i], run->objective[i],
                                gap_of(run, &c, i), run->dev[i]};
        cau_figure_cells(&figure, cells, 5, '\n');
    }

    bool two = c.best_dev < run->n;
    figure.width = 720, figure.height = two ? 640 : 460;
    cau_figure_printf(&figure,
                      "set multiplot\nset lmargin at screen 0.13\nset rmargin at screen 0.96\n"
                      "set border 7\n");
    cau_axis_linear(&figure, "x", c.seconds, 0);
    iteration_axis(&figure, run, &c);
    cau_figure_quote(&figure, "set title ", cau_str_of(run->solver), ".': lowest objective ");
    cau_strbuf_general(&figure.script, c.objective.low, OBJECTIVE_DIGITS);
    cau_figure_printf(&figure, "'\n");
    if (two) {
        cau_figure_printf(&figure, "set tmargin at screen 0.86\nset bmargin at screen 0.47\n"
                                   "set format x ''\n");
        draw_objective(&figure, run, &c);
        cau_figure_printf(&figure, "set tmargin at screen 0.43\nset bmargin at screen 0.1\n");
        cau_axis_linear(&figure, "x", c.seconds, 0);
        cau_figure_printf(&figure, "set xlabel 'seconds'\n");
        draw_dev(&figure, run, &c);
    } else {
        cau_figure_printf(&figure, "set tmargin at screen 0.81\nset bmargin at screen 0.14\n"
                                   "set xlabel 'seconds'\n");
        draw_objective(&figure, run, &c);
    }
    cau_figure_printf(&figure, "unset multiplot\n");
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}

/* ---- reliability --------------------------------------------------------------------------
 *
 * Upper panel: the accuracy of the instances of each bin against their mean confidence, with bars
 * for the intervals. On the diagonal both agree; below it the model is too confident. Lower panel:
 * the number of instances in each bin, on a logarithmic axis if the numbers differ much. */

static const double LOG_FROM = 50; /* from this ratio of counts on, their axis is logarithmic */

/* Adds the bins to the table. Returns the range of the counts that are not 0. */
static cau_range add_bins(cau_figure *figure, const cau_reliability *r)
{
    cau_range counts = CAU_RANGE_EMPTY;
    for (size_t b = 0; b < r->B; b++) {
        const double n = r->count[b] > 0 ? r->count[b] : NAN;
        const double cells[] = {((double)b + 0.5) / (double)r->B,
                                r->confidence[b],
                                r->accuracy[b],
                                r->low[b],
                                r->high[b],
                                n};
        cau_figure_cells(figure, cells, 6, '\n');
        cau_range_add(&counts, n);
    }
    return counts;
}

caucus_status cau_plot_reliability(caucus_ctx *ctx, const char *path, const cau_reliability *r)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "middle\tconfidence\taccuracy\tlow\thigh\tcount", &figure));
    cau_range counts = add_bins(&figure, r);
    if (counts.low > counts.high) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    figure.width = 520, figure.height = 660;
    cau_figure_printf(&figure,
                      "set multiplot\nset lmargin at screen 0.17\nset rmargin at screen 0.96\n"
                      "set tmargin at screen 0.93\nset bmargin at screen 0.31\n"
                      "set xrange [0:1]\nset xtics 0.2\nset format x ''\n"
                      "set yrange [0:1]\nset ytics 0.2\nset format y '%%.1f'\n"
                      "set label 1 'accuracy' at screen 0.035, graph 0.5 center rotate\n");
    if (cau_drawable(r->error)) {
        cau_figure_printf(&figure, "set title 'expected calibration error ");
        cau_strbuf_fixed(&figure.script, r->error, 4);
        cau_figure_printf(&figure, "'\n");
    }
    cau_figure_printf(&figure,
                      "set key left top Left reverse samplen 2.5\n"
                      "plot x with lines linewidth 1.2 linecolor rgb '#777777' dashtype '-' "
                      "title 'perfectly calibrated', \\\n"
                      "     source skip 1 using 2:3:4:5 with yerrorbars linewidth 1 "
                      "linecolor rgb '#000000' pointsize 0 notitle, \\\n"
                      "     source skip 1 using 2:3 with linespoints linewidth 1.6 "
                      "linecolor rgb '#000000' pointtype 7 pointsize 0.9 "
                      "title 'bins with 95%% intervals'\n"
                      "unset key\nunset title\n"
                      "set tmargin at screen 0.28\nset bmargin at screen 0.1\n"
                      "set format x '%%.1f'\nset xlabel 'confidence'\n"
                      "set label 1 'instances'\nset style fill solid 1 border\n");
    if (counts.high > LOG_FROM * counts.low)
        cau_axis_log(&figure, "y", (cau_range){fmin(counts.low, 1), counts.high});
    else
        cau_axis_linear(&figure, "y", (cau_range){0, counts.high}, 1);
    cau_figure_printf(
        &figure,
        "plot source skip 1 using 1:6:(%g) with boxes linecolor rgb '#888888'\nunset multiplot\n",
        0.9 / (double)r->B);
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}
