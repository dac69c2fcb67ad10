/* draw_heatmap.c - a square matrix in shades of grey.
 *
 * Made for the share of samples in which two items are together, with items ordered by cluster:
 * what belongs together is a dark block on the diagonal, between thin lines.
 *
 * Cells are whole pixels wide and overlap a little, so that no seams show between dark ones. Up to
 * BOXES_MOST rows they are boxes, white ones left out; above they are one image, which an SVG holds
 * as pixels and its reader may smooth. Beyond BLOCKS_MOST rows a cell is the mean of a block of b x
 * b values, so that neither the file nor its table grows further. */

#include <math.h>

#include "base/status.h"
#include "report/figure.h"

enum {
    SIDE = 600,        /* of the square, or a little less */
    NAMES_MOST = 40,   /* rows with names */
    BOXES_MOST = 220,  /* rows of boxes */
    BLOCKS_MOST = 600, /* rows and columns of cells */
    CELL_MOST = 72,
    LINES_APART = 4, /* pixels between borders, at least; nearer ones are left out */
    TEXT_MOST = 14,
};

static const double OVERLAP = 0.25; /* pixels that a box is larger on each side */

/* Rows of the matrix in one cell, cells in a row, and the rest in pixels. */
typedef struct {
    size_t b, cells;
    double cell, side;
    double name, names; /* size of text and length of the longest; 0: no names */
} layout;

static layout lay_out(const cau_heatmap *heat)
{
    layout at = {.b = (heat->n + BLOCKS_MOST - 1) / BLOCKS_MOST};
    at.cells = (heat->n + at.b - 1) / at.b;
    at.cell = fmin(floor(SIDE / (double)at.cells), CELL_MOST);
    at.side = at.cell * (double)at.cells;
    if (heat->label && heat->n <= NAMES_MOST) {
        at.name = fmin(TEXT_MOST, at.cell * 0.8);
        at.names = cau_axis_columns(heat->label, heat->n) * at.name * CAU_LETTER;
    }
    return at;
}

/* The mean of what can be drawn in a cell; NaN where there is nothing. */
static double mean_of(const cau_heatmap *heat, size_t b, size_t row, size_t column)
{
    const size_t n = heat->n;
    double sum = 0, count = 0;
    for (size_t i = row * b; i < (row + 1) * b && i < n; i++)
        for (size_t j = column * b; j < (column + 1) * b && j < n; j++) {
            const double x = (double)heat->value[i * n + j];
            if (!cau_drawable(x)) continue;
            sum += fmin(fmax(x, 0), 1);
            count++;
        }
    return count > 0 ? sum / count : (double)NAN;
}

/* Adds the cells to the table, of an image all and of boxes those that are not white, with two
 * decimals (the first in any case: gnuplot wants some). Whether there is anything to be seen. */
static bool add_cells(cau_figure *figure, const cau_heatmap *heat, const layout *at)
{
    bool any = false;
    for (size_t row = 0; row < at->cells; row++)
        for (size_t column = 0; column < at->cells; column++) {
            double x = mean_of(heat, at->b, row, column);
            any |= !isnan(x);
            x = isnan(x) ? 0 : round(100 * x) / 100;
            if (x == 0 && at->cells <= BOXES_MOST && row + column > 0) continue;
            cau_figure_cell(figure, (double)column, '\t');
            cau_figure_cell(figure, (double)row, '\t');
            cau_figure_cell(figure, x, '\n');
        }
    return any;
}

/* Adds the lines between clusters, both ways. */
static void add_borders(cau_figure *figure, const cau_heatmap *heat, const layout *at)
{
    double last = 0;
    for (size_t i = 0; i < heat->borders; i++) {
        const double place = (double)heat->border[i] / (double)at->b;
        if ((place - last) * at->cell < LINES_APART) continue;
        last = place;
        cau_figure_number(figure, "set arrow from graph 0, first ", place - 0.5, "");
        cau_figure_number(figure, " to graph 1, first ", place - 0.5, " arrowstyle 1\n");
        cau_figure_number(figure, "set arrow from first ", place - 0.5, ", graph 0");
        cau_figure_number(figure, " to first ", place - 0.5, ", graph 1 arrowstyle 1\n");
    }
}

/* Adds the size of the figure, its margins, axes and scale. */
static void add_frame(cau_figure *figure, const cau_heatmap *heat, const layout *at)
{
    const double left = round(at->names) + 24, right = 104, top = 20;
    const double bottom = round(at->names) + 24, end = (double)at->cells - 0.5;
    figure->width = left + at->side + right;
    figure->height = top + at->side + bottom;
    cau_figure_number(figure, "set lmargin at screen ", left / figure->width, "\n");
    cau_figure_number(figure, "set rmargin at screen ", (left + at->side) / figure->width, "\n");
    cau_figure_number(figure, "set bmargin at screen ", bottom / figure->height, "\n");
    cau_figure_number(figure, "set tmargin at screen ", (bottom + at->side) / figure->height, "\n");
    cau_figure_number(figure, "set xrange [-0.5:", end, "]\n");
    cau_figure_number(figure, "set yrange [", end, ":-0.5]\n");
    cau_figure_say(figure, "unset grid\nset border 15\nset tics scale 0\n");
    if (at->name > 0) {
        cau_axis_names(figure, "x", heat->label, heat->n);
        cau_axis_names(figure, "y", heat->label, heat->n);
        cau_figure_number(figure, "set ytics font ',", at->name, "'\n");
        cau_figure_number(figure, "set xtics font ',", at->name, "' rotate by 90 right\n");
    } else {
        cau_figure_say(figure, "unset xtics\nunset ytics\n");
    }
    cau_figure_quote(figure, "set label 1 ", cau_figure_str(heat->what), "");
    cau_figure_number(figure, " center rotate at screen ", 1 - 14 / figure->width, ", ");
    cau_figure_number(figure, "screen ", (bottom + at->side / 2) / figure->height, "\n");
    cau_figure_number(figure, "set colorbox vertical user origin screen ",
                      (left + at->side + 14) / figure->width, ", ");
    cau_figure_number(figure, "screen ", bottom / figure->height, " ");
    cau_figure_number(figure, "size screen ", 14 / figure->width, ", ");
    cau_figure_number(figure, "screen ", at->side / figure->height, "\n");
}

caucus_status cau_plot_heat(caucus_ctx *ctx, const char *path, const cau_heatmap *heat)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "column\trow\tvalue", &figure));
    const layout at = heat->n ? lay_out(heat) : (layout){.cell = 1};
    if (!add_cells(&figure, heat, &at)) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    add_frame(&figure, heat, &at);
    cau_figure_say(&figure, "set style arrow 1 nohead front linewidth 0.7 linecolor '#888888'\n");
    add_borders(&figure, heat, &at);
    cau_figure_say(&figure, "set palette defined (0 '#ffffff', 1 '#000000')\n"
                            "set cbrange [0:1]\nset cbtics 0.25\nset format cb '%%.2f'\n"
                            "plot source skip 1 using ");
    const double half = 0.5 + OVERLAP / at.cell;
    if (at.cells <= BOXES_MOST) {
        cau_figure_number(&figure, "1:2:(", half, "):(");
        cau_figure_number(&figure, "", half, "):3 with boxxyerror ");
        cau_figure_say(&figure, "fillstyle solid 1 noborder linecolor palette\n");
    } else {
        cau_figure_say(&figure, "1:2:3 with image\n");
    }
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}
