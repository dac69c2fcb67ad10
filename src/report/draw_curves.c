/* draw_curves.c - learning curves, and scores along a grid of settings.
 *
 * A line for each series, told apart by dash, mark and shade of grey. Bars stand for what the
 * caller says (a standard error, an interval); the axis of the scores covers them wholly.
 *
 * A logarithmic axis has its tics where the points are, if there is room: sizes of training data
 * double and penalties come in steps, and those are the numbers that a reader looks for. A grid of
 * penalties often has 0 in it, which has no logarithm: it is drawn to the left of the others, with
 * a tic that says 0. */

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "report/figure.h"

enum { STYLES = 8, TICS_MAX = 12 };

/* Greys that are dark enough for thin lines, dashes that differ at a glance, and marks by shape. */
static const struct {
    const char *color, *dash;
    int mark;
} styles[STYLES] = {
    {"#000000", "1", 7},   {"#555555", "'-'", 5},  {"#000000", "'.'", 9},   {"#777777", "'-.'", 13},
    {"#333333", "'_'", 6}, {"#777777", "'..'", 4}, {"#000000", "'_.'", 11}, {"#555555", "1", 8},
};

/* What the points cover. */
typedef struct {
    cau_range x, y;           /* of points that are drawn; x without 0 on a logarithmic axis */
    bool whole;               /* all x are integers */
    bool zero;                /* there is a 0 on a logarithmic axis */
    size_t tics;              /* how many different x; TICS_MAX + 1: too many for tics */
    double tic[TICS_MAX + 1]; /* [tics] ascending */
} extent;

static void add_tic(extent *e, double x)
{
    size_t at = 0;
    while (at < e->tics && e->tic[at] < x) at++;
    if (e->tics > TICS_MAX || (at < e->tics && e->tic[at] == x)) return;
    memmove(e->tic + at + 1, e->tic + at, (e->tics - at) * sizeof *e->tic);
    e->tic[at] = x;
    e->tics++;
}

static extent measure(const cau_curves *curves, bool log_x)
{
    extent e = {.x = CAU_RANGE_EMPTY, .y = CAU_RANGE_EMPTY, .whole = true};
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

/* Whether each tic keeps a fourteenth of the axis away from the next one. */
static bool tics_fit(const extent *e, double left)
{
    if (e->tics > TICS_MAX) return false;
    double apart = log(e->x.high / left) / 14;
    for (size_t i = 1; i < e->tics; i++)
        if (log(e->tic[i] / e->tic[i - 1]) < apart) return false;
    return true;
}

/* The axis of x > 0, and the place of 0 to the left of it. Below its lowest decade, or as far from
 * the first tic as that is from the second. */
static double log_axis(cau_figure *figure, const extent *e)
{
    double zero = e->tics > 1 ? e->tic[0] * (e->tic[0] / e->tic[1]) : e->x.low / 10;
    double left = e->zero ? zero : e->x.low;
    if (tics_fit(e, left)) {
        double room = e->x.high > left ? pow(e->x.high / left, 0.04) : 2;
        cau_figure_number(figure, "set logscale x 10\nset xrange [", left / room, ":");
        cau_figure_number(figure, "", e->x.high * room, "]\nset xtics (");
        for (size_t i = 0; i < e->tics; i++) {
            cau_figure_say(figure, "%s'", i ? ", " : "");
            cau_axis_label(&figure->script, e->tic[i]);
            cau_figure_number(figure, "' ", e->tic[i], "");
        }
        cau_figure_say(figure, ")\n");
    } else {
        cau_axis_log(figure, "x", e->x);
        zero = pow(10, floor(log10(e->x.low)) - 0.5);
        if (e->zero) cau_figure_number(figure, "set xrange [", zero / 1.2, ":]\n");
    }
    if (e->zero) cau_figure_number(figure, "set xtics add ('0' ", zero, ")\n");
    return zero;
}

/* Adds the points of all series to the table. Bars go with points: both ends or none. */
static void add_points(cau_figure *figure, const cau_curves *curves, bool log_x, double zero)
{
    for (size_t s = 0; s < curves->count; s++) {
        const cau_series *series = &curves->series[s];
        bool bars = series->low && series->high;
        for (size_t i = 0; i < series->n; i++) {
            double x = series->x[i];
            cau_figure_cell(figure, x, '\t');
            cau_figure_cell(figure, series->y[i], '\t');
            cau_figure_cell(figure, bars ? series->low[i] : NAN, '\t');
            cau_figure_cell(figure, bars ? series->high[i] : NAN, '\t');
            cau_figure_cell(figure, !log_x || x > 0 ? x : x == 0 ? zero : NAN, '\t');
            cau_figure_text(figure, cau_figure_str(series->name), '\n');
        }
    }
}

/* Adds the plot command: the bars of all series, and over them their lines and marks. */
static void add_plots(cau_figure *figure, const cau_curves *curves)
{
    const char *between = "plot";
    for (int lines = 0; lines <= 1; lines++) {
        size_t first = 0;
        for (size_t s = 0; s < curves->count; first += curves->series[s++].n) {
            const cau_series *series = &curves->series[s];
            const char *color = styles[s % STYLES].color;
            if (series->n == 0 || (!lines && !(series->low && series->high))) continue;
            cau_figure_say(figure, "%s source skip 1 every ::%zu::%zu ", between, first,
                           first + series->n - 1);
            between = ", \\\n    ";
            if (!lines) {
                cau_figure_say(figure,
                               "using 5:2:3:4 with yerrorbars linewidth 1 linecolor rgb '%s' "
                               "pointsize 0 notitle",
                               color);
                continue;
            }
            cau_figure_say(figure,
                           "using 5:2 with linespoints linewidth 1.6 linecolor rgb '%s' dashtype "
                           "%s pointtype %d pointsize 0.9 ",
                           color, styles[s % STYLES].dash, styles[s % STYLES].mark);
            if (series->name)
                cau_figure_quote(figure, "title ", cau_figure_str(series->name), "");
            else
                cau_figure_say(figure, "notitle");
        }
    }
    cau_figure_say(figure, "\n");
}

caucus_status cau_plot_curves(caucus_ctx *ctx, const char *path, const cau_curves *curves)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "x\ty\tlow\thigh\tplace\tseries", &figure));
    figure.width = 720, figure.height = 480;

    bool log_x = curves->log_x;
    extent e = measure(curves, log_x);
    if (log_x && e.x.low > e.x.high) { /* nothing but zeros */
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
    cau_figure_quote(&figure, "set title ", cau_figure_str(curves->title), "\n");
    cau_figure_quote(&figure, "set xlabel ", cau_figure_str(curves->x), "\n");
    cau_figure_quote(&figure, "set ylabel ", cau_figure_str(curves->y), "\n");
    cau_figure_say(&figure, "set key outside center top horizontal Left reverse samplen 3.5\n");
    add_points(&figure, curves, log_x, zero);
    add_plots(&figure, curves);
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}
