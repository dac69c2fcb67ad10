/* figure.h - drawing a figure with gnuplot, for the files of this folder.
 *
 *   gnuplot.c      a figure from its first line to the file: quoting, running gnuplot, notes
 *   axis.c         ranges and tics that are round numbers, or names
 *   plot_lines.c   curves, training runs, reliability
 *   plot_matrix.c  confusions and heat maps
 *
 * A figure is a table and a script. The script refers to the table by the variable `source`: a
 * block of data in the script when Caucus runs gnuplot, the file PATH.dat when a user does. So both
 * use the same script. */

#ifndef CAU_REPORT_FIGURE_H
#define CAU_REPORT_FIGURE_H

#include "report/plot.h"

/* ---- a figure (gnuplot.c) ------------------------------------------------------------ */

/* Begin it, fill it, finish it; clear it in any case. Lengths are pixels of the SVG; a PNG has
 * twice as many, a PDF 144 per inch. Text has size 14 unless the script sets another size. Memory
 * failures while it is filled are reported by cau_figure_finish. */
typedef struct {
    caucus_ctx *ctx;
    const char *path;
    double width, height;
    cau_strbuf data;   /* a heading line, then rows of cells separated by TAB, numbers first */
    cau_strbuf script; /* commands that plot `source` */
} cau_figure;

/* CAUCUS_ERR_ARGUMENT unless the name of the file has a known ending. */
caucus_status cau_figure_begin(caucus_ctx *ctx, const char *path, const char *heading,
                               cau_figure *figure);

/* Draws to the path, or leaves PATH.dat and PATH.gp with a note. */
caucus_status cau_figure_finish(cau_figure *figure);
void cau_figure_clear(cau_figure *figure);

/* Writes a note that there is nothing to draw; succeeds. */
caucus_status cau_figure_empty(const cau_figure *figure);

/* Adds commands. Formats: %s, %d, %zu, %%, and %g with 9 digits and a point in every locale. */
__attribute__((format(printf, 2, 3))) void cau_figure_printf(cau_figure *figure, const char *format,
                                                             ...);

/* Adds `before`, the text as a quoted string, and `after` to the script. gnuplot shows the text
 * literally; line ends and tabs become blanks, bytes that are not UTF-8 become U+FFFD. */
void cau_figure_quote(cau_figure *figure, const char *before, cau_str text, const char *after);

/* Adds cells with numbers x [n], NaN unless cau_drawable, to the table, and then `after`: TAB if
 * cells with text follow, else '\n'. */
void cau_figure_cells(cau_figure *figure, const double *x, size_t n, char after);

/* Adds a cell with text, changed as above. It must follow the numbers of a row, because gnuplot
 * reads only these but interprets quotes in text before them. */
void cau_figure_text(cau_figure *figure, cau_str text, char after);

/* ---- axes (axis.c) ------------------------------------------------------------------- */

/* Whether gnuplot can place x: finite, and small enough for differences to be finite as well. */
bool cau_drawable(double x);

/* The smallest and largest of some numbers; low > high while it is empty. */
typedef struct {
    double low, high;
} cau_range;
#define CAU_RANGE_EMPTY ((cau_range){1, -1})

void cau_range_add(cau_range *range, double x); /* ignores x unless it is drawable */

/* The smallest step of at least `least` that is 1, 2 or 5 times a power of ten and covers the range
 * in `steps` steps. */
double cau_axis_step(cau_range range, int steps, double least);

/* An axis ("x", "y") that covers the range from tic to tic, with a cau_axis_step and the same
 * number of decimals at all tics. */
void cau_axis_linear(cau_figure *figure, const char *axis, cau_range range, double least_step);

/* A logarithmic axis over the range, which is positive, from power of ten to power of ten. */
void cau_axis_log(cau_figure *figure, const char *axis, cau_range range);

/* Names as the tics 0 .. n-1 of an axis, long ones as "beginning…end"; and the columns of the
 * longest one. */
void cau_axis_names(cau_figure *figure, const char *axis, const cau_str *name, size_t n);
double cau_axis_columns(const cau_str *name, size_t n);
#define CAU_LETTER 0.62 /* width of a column, relative to the size of text */

/* Adds the label of x: integers without an exponent, other numbers with four digits. */
void cau_axis_label(cau_strbuf *text, double x);

#endif
