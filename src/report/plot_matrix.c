/* plot_matrix.c - figures of square matrices: confusions and heat maps.
 *
 * The size of a cell, in pixels, determines the layout: a square with the first row at the top,
 * names on the left and below, and a scale of greys on the right. */

#include <math.h>

#include "base/status.h"
#include "report/figure.h"

enum { CELL_MOST = 72, TEXT_MOST = 14 };

/* The square of n x n cells and its surroundings. Lengths are in pixels. */
typedef struct {
    size_t n;
    double side, left, bottom;
    const cau_str *label; /* [n] names of rows and columns, or NULL */
    double name;          /* size of the text of names */
    bool upright;         /* names of columns are rotated */
} square;

/* Sets the size of the figure and adds margins, axes and the scale, whose label has number 1. */
static void add_square(cau_figure *figure, const square *at, cau_str scale)
{
    const double right = 104, top = 20, end = (double)at->n - 0.5;
    const double width = round(at->left + at->side + right);
    const double height = round(top + at->side + at->bottom);
    figure->width = width;
    figure->height = height;
    cau_figure_printf(figure,
                      "set lmargin at screen %g\nset rmargin at screen %g\n"
                      "set bmargin at screen %g\nset tmargin at screen %g\n"
                      "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\n"
                      "unset grid\nset border 15\nset tics scale 0\n",
                      at->left / width, (at->left + at->side) / width, at->bottom / height,
                      (at->bottom + at->side) / height, end, end);
    if (at->label) {
        cau_axis_names(figure, "x", at->label, at->n);
        cau_axis_names(figure, "y", at->label, at->n);
        cau_figure_printf(figure, "set ytics font ',%g'\nset xtics font ',%g' %s\n", at->name,
                          at->name, at->upright ? "rotate by 90 right" : "norotate");
    } else {
        cau_figure_printf(figure, "unset xtics\nunset ytics\n");
    }
    cau_figure_quote(figure, "set label 1 ", scale, "");
    cau_figure_printf(figure,
                      " center rotate at screen %g, screen %g\n"
                      "set colorbox vertical user origin screen %g, screen %g size screen %g, "
                      "screen %g\n"
                      "set palette defined (0 '#ffffff', 1 '#000000')\n"
                      "set cbrange [0:1]\nset cbtics 0.25\nset format cb '%%.2f'\n",
                      1 - 14 / width, (at->bottom + at->side / 2) / height,
                      (at->left + at->side + 14) / width, at->bottom / height, 14 / width,
                      at->side / height);
}

/* ---- confusion -------------------------------------------------------------------------
 *
 * Rows are gold, columns predicted. The darkness of a cell is its share of the row: black if all
 * instances of a gold label have this prediction. A cell shows its count, white on dark cells, if
 * the count fits at a readable size. Cells without instances are white and empty, and are not in
 * the table. With more labels cells shrink until their names are barely readable; then the figure
 * grows. */

enum {
    CONFUSION_SIDE = 640, /* of the square, while cells are between the next two */
    CELL_LEAST = 14,
    SIDE_MOST = 2100, /* beyond, cells shrink again */
    TEXT_LEAST = 6,
};

/* The count of a cell; 0 if it is not positive and finite. */
static double count_at(const cau_confusion_matrix *plot, size_t gold, size_t predicted)
{
    double count = plot->count[gold * plot->n + predicted];
    return count > 0 && cau_drawable(count) ? count : 0;
}

/* Adds the cells with instances to the table. Returns the letters of the longest count. */
static double add_counts(cau_figure *figure, const cau_confusion_matrix *plot)
{
    double longest = 0;
    for (size_t gold = 0; gold < plot->n; gold++) {
        double sum = 0;
        for (size_t p = 0; p < plot->n; p++) sum += count_at(plot, gold, p);
        for (size_t p = 0; p < plot->n; p++) {
            double count = count_at(plot, gold, p);
            if (count == 0) continue;
            longest = fmax(longest, count == floor(count) ? floor(log10(count)) + 1 : 6);
            const double cells[] = {(double)p, (double)gold, count, count / sum};
            cau_figure_cells(figure, cells, 4, '\t');
            cau_figure_text(figure, plot->label[gold], '\t');
            cau_figure_text(figure, plot->label[p], '\n');
        }
    }
    return longest;
}

caucus_status cau_plot_confusion(caucus_ctx *ctx, const char *path,
                                 const cau_confusion_matrix *plot)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "column\trow\tcount\tshare\tgold\tpredicted", &figure));
    const double longest = add_counts(&figure, plot), n = (double)plot->n;
    if (longest == 0) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    const double cell = fmin(fmax(CONFUSION_SIDE / n, CELL_LEAST), fmin(CELL_MOST, SIDE_MOST / n));
    const double text = fmin(TEXT_MOST, fmin(cell * 0.5, cell * 0.9 / (longest * CAU_LETTER)));
    square at = {.n = plot->n, .side = cell * n, .name = fmin(TEXT_MOST, cell * 0.8)};
    if (at.name < TEXT_LEAST) at.name = 0;
    if (at.name > 0) at.label = plot->label;
    const double names = cau_axis_columns(plot->label, plot->n) * at.name * CAU_LETTER;
    at.upright = names > cell * 0.9;
    at.left = names + 56;
    at.bottom = (at.upright ? names : 20) + 48;
    add_square(&figure, &at, CAU_STR("share of row"));
    cau_figure_printf(&figure,
                      "set label 2 'predicted' center at screen %g, screen %g\n"
                      "set label 3 'gold' center rotate at screen %g, screen %g\n",
                      (at.left + at.side / 2) / figure.width, 18 / figure.height, 18 / figure.width,
                      (at.bottom + at.side / 2) / figure.height);
    for (int i = 0; plot->n > 1 && i < 2; i++) /* lines between the cells */
        cau_figure_printf(&figure,
                          "set for [i = 1:%zu] arrow from %s to %s nohead front linewidth 0.5 "
                          "linecolor rgb '#cccccc'\n",
                          plot->n - 1, i ? "i - 0.5, graph 0" : "graph 0, first i - 0.5",
                          i ? "i - 0.5, graph 1" : "graph 1, first i - 0.5");
    cau_figure_printf(&figure, "plot source skip 1 using 1:2:(0.5):(0.5):4 with boxxyerror "
                               "fillstyle solid 1 noborder linecolor palette");
    if (text >= TEXT_LEAST)
        cau_figure_printf(&figure,
                          ", \\\n     source skip 1 using 1:2:(stringcolumn(3)):"
                          "($4 > 0.5 ? 0xffffff : 0) with labels textcolor rgb variable font "
                          "',%g'",
                          text);
    cau_figure_printf(&figure, "\n");
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}

/* ---- heat map --------------------------------------------------------------------------
 *
 * Used for the share of samples in which two items are together, with items ordered by cluster: a
 * cluster is a dark block on the diagonal, between thin lines.
 *
 * Cells are whole pixels wide and overlap a little, so that no seams are visible between dark ones.
 * Up to BOXES_MOST rows they are boxes, and white boxes are left out. Larger matrices are one
 * image, which an SVG stores as pixels and a viewer may smooth. Above BLOCKS_MOST rows a cell is
 * the mean of a block of b x b values, so that file and table do not grow further. */

enum {
    HEAT_SIDE = 600,   /* of the square, or a little less */
    NAMES_MOST = 40,   /* rows with names */
    BOXES_MOST = 220,  /* rows of boxes */
    BLOCKS_MOST = 600, /* rows and columns of cells */
    LINES_APART = 4,   /* pixels between borders; closer ones are left out */
};

static const double OVERLAP = 0.25; /* pixels by which a box is larger on each side */

/* The mean of the drawable values in a cell of b x b values; NaN without such values. */
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

/* Adds the cells to the table, with two decimals: all cells of an image, or the boxes that are not
 * white (always the first, because gnuplot needs data). Returns whether any cell has a value. */
static bool add_values(cau_figure *figure, const cau_heatmap *heat, size_t cells, size_t b)
{
    bool any = false;
    for (size_t row = 0; row < cells; row++)
        for (size_t column = 0; column < cells; column++) {
            double x = mean_of(heat, b, row, column);
            any |= !isnan(x);
            x = isnan(x) ? 0 : round(100 * x) / 100;
            if (x == 0 && cells <= BOXES_MOST && row + column > 0) continue;
            cau_figure_cells(figure, (const double[]){(double)column, (double)row, x}, 3, '\n');
        }
    return any;
}

/* Adds the lines between clusters, both ways. */
static void add_borders(cau_figure *figure, const cau_heatmap *heat, double cell, size_t b)
{
    double last = 0;
    cau_figure_printf(figure, "set style arrow 1 nohead front linewidth 0.7 linecolor '#888888'\n");
    for (size_t i = 0; i < heat->borders; i++) {
        const double place = (double)heat->border[i] / (double)b;
        if ((place - last) * cell < LINES_APART) continue;
        last = place;
        cau_figure_printf(figure,
                          "set arrow from graph 0, first %g to graph 1, first %g arrowstyle 1\n"
                          "set arrow from first %g, graph 0 to first %g, graph 1 arrowstyle 1\n",
                          place - 0.5, place - 0.5, place - 0.5, place - 0.5);
    }
}

caucus_status cau_plot_heat(caucus_ctx *ctx, const char *path, const cau_heatmap *heat)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "column\trow\tvalue", &figure));
    const size_t b = (heat->n + BLOCKS_MOST - 1) / BLOCKS_MOST;
    const size_t cells = b ? (heat->n + b - 1) / b : 0;
    if (!add_values(&figure, heat, cells, b)) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    const double cell = fmin(floor(HEAT_SIDE / (double)cells), CELL_MOST);
    square at = {.n = cells, .side = cell * (double)cells, .upright = true};
    double names = 0;
    if (heat->label && heat->n <= NAMES_MOST) {
        at.label = heat->label;
        at.name = fmin(TEXT_MOST, cell * 0.8);
        names = round(cau_axis_columns(heat->label, heat->n) * at.name * CAU_LETTER);
    }
    at.left = at.bottom = names + 24;
    add_square(&figure, &at, cau_str_of(heat->what));
    add_borders(&figure, heat, cell, b);
    const double half = 0.5 + OVERLAP / cell;
    if (cells <= BOXES_MOST)
        cau_figure_printf(&figure,
                          "plot source skip 1 using 1:2:(%g):(%g):3 with boxxyerror fillstyle "
                          "solid 1 noborder linecolor palette\n",
                          half, half);
    else
        cau_figure_printf(&figure, "plot source skip 1 using 1:2:3 with image\n");
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}
