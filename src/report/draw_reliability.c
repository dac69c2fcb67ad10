/* draw_reliability.c - were probabilities as good as they said?
 *
 * Above: the accuracy of the instances of each bin against their mean confidence. On the diagonal
 * the two agree; below it the model was too sure. The bars are 95% intervals of Wilson [1], for a
 * bin with few instances tells little: with accuracy a of n instances, and z = 1.96,
 *     ( a + z^2/2n  +-  z sqrt( a (1 - a)/n + z^2/4n^2 ) ) / (1 + z^2/n)
 * Below, on the same axis: how many instances each bin has, on a logarithmic axis where that
 * differs much, as it does for good models: most of what they say they are sure of.
 *
 * [1] Wilson. Probable inference, the law of succession, and statistical inference. 1927. */

#include <math.h>

#include "base/status.h"
#include "report/figure.h"

static const double LOG_FROM = 50; /* greatest over least count where the axis is logarithmic */

static void wilson(double a, double n, double *low, double *high)
{
    const double z = 1.959963984540054;
    double center = a + z * z / (2 * n);
    double reach = z * sqrt(a * (1 - a) / n + z * z / (4 * n * n));
    *low = (center - reach) / (1 + z * z / n);
    *high = (center + reach) / (1 + z * z / n);
}

/* Adds the bins to the table; gives the range of the counts that are not 0. */
static cau_range add_bins(cau_figure *figure, const cau_reliability *r)
{
    cau_range counts = CAU_RANGE_EMPTY;
    for (size_t b = 0; b < r->B; b++) {
        double n = r->count[b] > 0 ? r->count[b] : NAN, low = NAN, high = NAN;
        if (cau_drawable(n) && r->accuracy[b] >= 0 && r->accuracy[b] <= 1)
            wilson(r->accuracy[b], n, &low, &high);
        cau_range_add(&counts, n);
        cau_figure_cell(figure, ((double)b + 0.5) / (double)r->B, '\t');
        cau_figure_cell(figure, r->confidence[b], '\t');
        cau_figure_cell(figure, r->accuracy[b], '\t');
        cau_figure_cell(figure, low, '\t');
        cau_figure_cell(figure, high, '\t');
        cau_figure_cell(figure, n, '\n');
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
    cau_figure_say(&figure,
                   "set multiplot\nset lmargin at screen 0.17\nset rmargin at screen 0.96\n"
                   "set tmargin at screen 0.93\nset bmargin at screen 0.31\n"
                   "set xrange [0:1]\nset xtics 0.2\nset format x ''\n"
                   "set yrange [0:1]\nset ytics 0.2\nset format y '%%.1f'\n"
                   "set label 1 'accuracy' at screen 0.035, graph 0.5 center rotate\n");
    if (cau_drawable(r->error)) {
        cau_figure_say(&figure, "set title 'expected calibration error ");
        cau_strbuf_fixed(&figure.script.text, r->error, 4);
        cau_figure_say(&figure, "'\n");
    }
    cau_figure_say(&figure, "set key left top Left reverse samplen 2.5\n"
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
    cau_figure_number(&figure, "plot source skip 1 using 1:6:(", 0.9 / (double)r->B,
                      ") with boxes linecolor rgb '#888888'\nunset multiplot\n");
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}
