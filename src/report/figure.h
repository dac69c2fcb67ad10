/* figure.h - what the figures of this room are made of.
 *
 *   gnuplot.c           a figure from its first line to the file: quoting, running gnuplot, notes
 *   axis.c              ranges and tics that are round numbers, or names
 *   draw_curves.c       learning curves and grids
 *   draw_run.c          the course of a training run
 *   draw_reliability.c  accuracy against confidence
 *   draw_confusion.c    gold labels against predicted ones
 *   draw_heat.c         a matrix in shades of grey
 *
 * A figure is a table and a script. The script finds the table under the name that the string
 * `source` holds: a block of data in the script itself when Caucus draws, the file PATH.dat when
 * somebody else does. So one text serves both. */

#ifndef CAU_REPORT_FIGURE_H
#define CAU_REPORT_FIGURE_H

#include "report/plot.h"
#include "report/report.h"

/* ---- a figure (gnuplot.c) ------------------------------------------------------------ */

/* Begin it, fill it, finish it; clear it in any case. Lengths are pixels of the SVG; a PNG has
 * twice as many, a PDF 144 to the inch. Text is of size 14 unless the script says otherwise.
 * Memory that runs short while it is filled is reported by cau_figure_finish. */
typedef struct {
    caucus_ctx *ctx;
    const char *path;
    double width, height;
    cau_writer data;   /* a heading line, then rows: cells with a TAB between, numbers first */
    cau_writer script; /* commands that plot `source` */
} cau_figure;

/* CAUCUS_ERR_ARGUMENT when the path ends with nothing that can be drawn. */
caucus_status cau_figure_begin(caucus_ctx *ctx, const char *path, const char *heading,
                               cau_figure *figure);

/* Draws to the path, or leaves PATH.dat and PATH.gp with a note. */
caucus_status cau_figure_finish(cau_figure *figure);
void cau_figure_clear(cau_figure *figure);

/* Notes that the figure has nothing to show; succeeds. */
caucus_status cau_figure_empty(const cau_figure *figure);

/* Adds commands; formats only text and integers: numbers are for cau_figure_number. */
#define cau_figure_say(figure, ...) cau_strbuf_printf(&(figure)->script.text, __VA_ARGS__)

/* Adds a number of the script, between two pieces of it. */
void cau_figure_number(cau_figure *figure, const char *before, double x, const char *after);

/* Adds text as a string of the script: whatever it holds, it is shown as it is and never becomes
 * a command. Line ends and tabs are shown as blanks, what is no UTF-8 as U+FFFD. */
void cau_figure_quote(cau_figure *figure, const char *before, cau_str text, const char *after);

/* Adds a cell with a number to the table: NaN unless cau_drawable. The row ends with '\n'. */
void cau_figure_cell(cau_figure *figure, double x, char after);

/* Adds a cell with text, changed as above. Only after the numbers of a row: gnuplot, which reads
 * those alone, sees quotes in it. */
void cau_figure_text(cau_figure *figure, cau_str text, char after);

/* Text that ends with NUL, or none for NULL. */
cau_str cau_figure_str(const char *text);

/* ---- axes (axis.c) ------------------------------------------------------------------- */

/* Whether gnuplot can place it: finite, and small enough for differences to be so as well. */
bool cau_drawable(double x);

/* The least and greatest of numbers; low > high while there are none. */
typedef struct {
    double low, high;
} cau_range;
#define CAU_RANGE_EMPTY ((cau_range){1, -1})

void cau_range_add(cau_range *range, double x); /* passes over what is not drawable */

/* The least of 1, 2 or 5 times a power of ten, and not below `least`, that covers the range in so
 * many steps. */
double cau_axis_step(cau_range range, int steps, double least);

/* An axis ("x", "y") over at least the range, from tic to tic, with a cau_axis_step and
 * the same decimals at all tics. */
void cau_axis_linear(cau_figure *figure, const char *axis, cau_range range, double least_step);

/* A logarithmic axis over the range, which is positive, from power of ten to power of ten. */
void cau_axis_log(cau_figure *figure, const char *axis, cau_range range);

/* Names as the tics 0 .. n-1 of an axis, long ones as "beginning…end", and the columns that the
 * longest takes then. */
void cau_axis_names(cau_figure *figure, const char *axis, const cau_str *name, size_t n);
double cau_axis_columns(const cau_str *name, size_t n);
#define CAU_LETTER 0.62 /* width of a column, relative to the size of text */

/* Adds x as people write it: integers without an exponent, else four digits. */
void cau_axis_label(cau_writer *sheet, double x);

#endif
