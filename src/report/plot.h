/* plot.h - figures for print, through gnuplot.
 *
 * Each function writes one figure; the ending of its path (.svg, .png or .pdf) sets the format. If
 * gnuplot is not installed or fails, the function writes the data to PATH.dat and the script to
 * PATH.gp, adds a note that explains how to draw them, and succeeds. Figures are readable in grey:
 * lines differ by dash and mark, cells by lightness. Values that are not finite are not drawn. PNG
 * and PDF need fonts with the letters of the labels, SVG does not.
 *
 * CAUCUS_GNUPLOT in the environment names another program than `gnuplot`. */

#ifndef CAU_REPORT_PLOT_H
#define CAU_REPORT_PLOT_H

#include "base/strbuf.h"
#include "caucus.h"

/* Checks a path before long work: CAUCUS_ERR_ARGUMENT for another ending, CAUCUS_ERR_IO if no file
 * can be written there. A path of NULL is fine: no figure. */
caucus_status cau_plot_check(caucus_ctx *ctx, const char *path);

/* Points (x, y) with bars from low to high; low and high may be NULL. */
typedef struct {
    const char *name; /* in the legend; NULL if there is only one */
    size_t n;
    const double *x, *y, *low, *high; /* [n] */
} cau_series;

typedef struct {
    const char *title; /* may be NULL */
    const char *x, *y; /* labels of the axes, with the unit */
    bool log_x;
    const cau_series *series; /* [count] */
    size_t count;
} cau_curves;

/* Learning curves, scores along a grid. */
caucus_status cau_plot_curves(caucus_ctx *ctx, const char *path, const cau_curves *curves);

/* A training run: the objective over seconds and, below it, the score on the development data
 * unless it is always NaN. [n] each. */
typedef struct {
    const char *solver;
    size_t n;
    const double *iteration, *seconds, *objective, *dev;
} cau_convergence;
caucus_status cau_plot_convergence(caucus_ctx *ctx, const char *path, const cau_convergence *run);

/* Accuracy against confidence of B bins, with the diagonal, and below it the number of instances in
 * each. low and high are an interval of the accuracy. Empty bins have NaN. */
typedef struct {
    size_t B;
    const double *confidence, *accuracy, *low, *high, *count; /* [B] */
    double error;                                             /* the calibration error */
} cau_reliability;
caucus_status cau_plot_reliability(caucus_ctx *ctx, const char *path, const cau_reliability *r);

/* Rows are gold, columns predicted; cells are shaded by the share of the row and show the count. */
typedef struct {
    size_t n;
    const cau_str *label; /* [n] */
    const double *count;  /* [n][n] */
} cau_confusion_matrix;
caucus_status cau_plot_confusion(caucus_ctx *ctx, const char *path,
                                 const cau_confusion_matrix *plot);

/* A square matrix of values from 0 (white) to 1 (black), the first row at the top, with thin lines
 * before the rows and columns in `border`, where clusters begin. Up to 40 rows have their names;
 * above 600 rows, cells are means of blocks. */
typedef struct {
    const char *what; /* label of the scale of values */
    size_t n;
    const float *value;   /* [n][n] */
    const cau_str *label; /* [n], or NULL */
    size_t borders;
    const size_t *border; /* [borders] ascending, 1 .. n-1 */
} cau_heatmap;
caucus_status cau_plot_heat(caucus_ctx *ctx, const char *path, const cau_heatmap *heat);

#endif
