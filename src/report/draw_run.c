/* draw_run.c - the course of a training run.
 *
 * The objective falls fast and then by less than the eye can see, so what is drawn is how far it
 * is above the lowest value of the run, relative to that value, on a logarithmic axis:
 *     (f_i - min f) / |min f|
 * A straight line down is linear convergence. The lowest point itself has no logarithm and is not
 * drawn. Where min f is 0 the difference is not divided, and the axis says so. Below it, on the
 * same axis of seconds, is the score on the development data, with its best value marked. The axis
 * at the top has the iterations where they ended. */

#include <math.h>

#include "base/status.h"
#include "report/figure.h"

enum {
    MARKS_MAX = 120, /* iterations that are drawn as points as well */
    TICS_MAX = 10,   /* numbers of iterations at the top */
    OBJECTIVE_DIGITS = 7,
    SCORE_DIGITS = 4,
};

/* What there is to show. */
typedef struct {
    cau_range seconds; /* with 0, when the run began */
    cau_range objective, gap, dev;
    size_t best_dev; /* the iteration with the best score, the first of equals; n for none */
    bool relative;   /* gaps are divided by the lowest objective */
} course;

static double gap_of(const cau_convergence *run, const course *c, size_t i)
{
    double gap = run->objective[i] - c->objective.low;
    if (c->relative) gap /= fabs(c->objective.low);
    return gap > 0 ? gap : NAN;
}

static course follow(const cau_convergence *run)
{
    course c = {{0, 0}, CAU_RANGE_EMPTY, CAU_RANGE_EMPTY, CAU_RANGE_EMPTY, run->n, false};
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

/* The axis at the top: round numbers of iterations, at the second when each ended, as far as they
 * keep a fourteenth of the axis away from each other. */
static void iteration_axis(cau_figure *figure, const cau_convergence *run, const course *c)
{
    cau_range iterations = CAU_RANGE_EMPTY;
    for (size_t i = 0; i < run->n; i++) cau_range_add(&iterations, run->iteration[i]);
    double step = cau_axis_step(iterations, TICS_MAX, 1);
    double apart = (c->seconds.high - c->seconds.low) / 14, last = -INFINITY;
    cau_figure_say(figure, "set link x2\nset x2tics (");
    for (size_t i = 0; i < run->n; i++) {
        double at = run->seconds[i];
        if (!cau_drawable(at) || fmod(run->iteration[i], step) != 0 || !(at - last >= apart))
            continue;
        cau_figure_say(figure, "%s'", isfinite(last) ? ", " : "");
        cau_axis_label(&figure->script, run->iteration[i]);
        cau_figure_number(figure, "' ", at, "");
        last = at;
    }
    cau_figure_say(figure, ")\nset x2label 'iterations' offset 0,-0.3\n");
}

static const char *line_of(const cau_convergence *run)
{
    return run->n <= MARKS_MAX ? "linespoints pointtype 7 pointsize 0.4" : "lines";
}

/* The upper panel, or the only one. */
static void draw_objective(cau_figure *figure, const cau_convergence *run, const course *c)
{
    bool gap = c->gap.low < c->gap.high;
    if (gap)
        cau_axis_log(figure, "y", c->gap);
    else
        cau_axis_linear(figure, "y", c->objective, 0);
    cau_figure_say(figure, "set label 1 '%s' at screen 0.03, graph 0.5 center rotate\n",
                   !gap          ? "objective"
                   : c->relative ? "objective above its lowest (relative)"
                                 : "objective above its lowest");
    cau_figure_say(figure,
                   "plot source skip 1 using 2:%d with %s linewidth 1.6 linecolor rgb '#000000'\n",
                   gap ? 4 : 3, line_of(run));
}

static void draw_dev(cau_figure *figure, const cau_convergence *run, const course *c)
{
    cau_axis_linear(figure, "y", c->dev, 0);
    cau_figure_say(figure, "unset logscale y\nunset title\nunset x2tics\nunset x2label\n"
                           "set border 3\n"
                           "set label 1 'score on development data'\n");
    cau_figure_say(figure, "set label 2 'best ");
    cau_strbuf_general(&figure->script.text, run->dev[c->best_dev], SCORE_DIGITS);
    if (cau_drawable(run->iteration[c->best_dev]))
        cau_figure_number(figure, " at iteration ", run->iteration[c->best_dev], "");
    cau_figure_say(figure, "' at graph 0.98, 0.08 right\n");
    cau_figure_say(
        figure,
        "plot source skip 1 using 2:5 with %s linewidth 1.6 linecolor rgb '#000000', \\\n"
        "     source skip 1 every ::%zu::%zu using 2:5 with points linewidth 1.6 "
        "linecolor rgb '#000000' pointtype 6 pointsize 1.5\n",
        line_of(run), c->best_dev, c->best_dev);
}

caucus_status cau_plot_convergence(caucus_ctx *ctx, const char *path, const cau_convergence *run)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "iteration\tseconds\tobjective\tabove\tdev", &figure));
    course c = follow(run);
    if (c.objective.low > c.objective.high) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    for (size_t i = 0; i < run->n; i++) {
        cau_figure_cell(&figure, run->iteration[i], '\t');
        cau_figure_cell(&figure, run->seconds[i], '\t');
        cau_figure_cell(&figure, run->objective[i], '\t');
        cau_figure_cell(&figure, gap_of(run, &c, i), '\t');
        cau_figure_cell(&figure, run->dev[i], '\n');
    }

    bool two = c.best_dev < run->n;
    figure.width = 720, figure.height = two ? 640 : 460;
    cau_figure_say(&figure,
                   "set multiplot\nset lmargin at screen 0.13\nset rmargin at screen 0.96\n"
                   "set border 7\n");
    cau_axis_linear(&figure, "x", c.seconds, 0);
    iteration_axis(&figure, run, &c);
    cau_figure_quote(&figure, "set title ", cau_figure_str(run->solver), ".': lowest objective ");
    cau_strbuf_general(&figure.script.text, c.objective.low, OBJECTIVE_DIGITS);
    cau_figure_say(&figure, "'\n");
    if (two) {
        cau_figure_say(&figure, "set tmargin at screen 0.86\nset bmargin at screen 0.47\n"
                                "set format x ''\n");
        draw_objective(&figure, run, &c);
        cau_figure_say(&figure, "set tmargin at screen 0.43\nset bmargin at screen 0.1\n");
        cau_axis_linear(&figure, "x", c.seconds, 0);
        cau_figure_say(&figure, "set xlabel 'seconds'\n");
        draw_dev(&figure, run, &c);
    } else {
        cau_figure_say(&figure, "set tmargin at screen 0.81\nset bmargin at screen 0.14\n"
                                "set xlabel 'seconds'\n");
        draw_objective(&figure, run, &c);
    }
    cau_figure_say(&figure, "unset multiplot\n");
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}
