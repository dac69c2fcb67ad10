/* draw_confusion.c - gold labels against predicted ones.
 *
 * A square of cells, row = gold, column = predicted, the first label at the top left. A cell is as
 * dark as its share of the row: black where all instances of a gold label got one prediction. It
 * shows its count, white on dark cells, where the count fits at a size that can be read. Cells
 * without instances stay white and empty, and are not in the table either, so that many labels
 * cost little.
 *
 * Everything is laid out from the size of a cell, which shrinks as labels are added until their
 * names can just be read; then the figure grows. */

#include <math.h>

#include "base/status.h"
#include "report/figure.h"

enum {
    SIDE = 640,     /* of the square, as long as cells are between the next two */
    CELL_MOST = 72, /* sides of a cell */
    CELL_LEAST = 14,
    SIDE_MOST = 2100, /* beyond, cells shrink again */
    TEXT_MOST = 14,   /* sizes of text */
    TEXT_LEAST = 6,
};

/* Sizes in pixels. */
typedef struct {
    double cell, side;
    double name;  /* size of the text of labels; 0: too small to be shown */
    double count; /* of counts; 0: left out */
    double names; /* length of the longest name */
    bool upright; /* names of columns are turned */
} layout;

/* ---- cells --------------------------------------------------------------------------- */

/* What a cell counts; 0 for what is no count. */
static double count_at(const cau_confusion_matrix *plot, size_t gold, size_t predicted)
{
    double count = plot->count[gold * plot->n + predicted];
    return count > 0 && cau_drawable(count) ? count : 0;
}

/* Adds the cells with instances to the table; gives the letters of the longest count. */
static double add_cells(cau_figure *figure, const cau_confusion_matrix *plot)
{
    double longest = 0;
    for (size_t gold = 0; gold < plot->n; gold++) {
        double sum = 0;
        for (size_t p = 0; p < plot->n; p++) sum += count_at(plot, gold, p);
        for (size_t p = 0; p < plot->n; p++) {
            double count = count_at(plot, gold, p);
            if (count == 0) continue;
            longest = fmax(longest, count == floor(count) ? floor(log10(count)) + 1 : 6);
            cau_figure_cell(figure, (double)p, '\t');
            cau_figure_cell(figure, (double)gold, '\t');
            cau_figure_cell(figure, count, '\t');
            cau_figure_cell(figure, count / sum, '\t');
            cau_figure_text(figure, plot->label[gold], '\t');
            cau_figure_text(figure, plot->label[p], '\n');
        }
    }
    return longest;
}

static layout lay_out(const cau_confusion_matrix *plot, double longest_count)
{
    double n = (double)plot->n;
    layout at = {.cell = fmin(fmax(SIDE / n, CELL_LEAST), fmin(CELL_MOST, SIDE_MOST / n))};
    at.side = at.cell * n;
    at.name = fmin(TEXT_MOST, at.cell * 0.8);
    if (at.name < TEXT_LEAST) at.name = 0;
    at.count = fmin(TEXT_MOST, fmin(at.cell * 0.5, at.cell * 0.9 / (longest_count * CAU_LETTER)));
    if (at.count < TEXT_LEAST) at.count = 0;
    at.names = cau_axis_columns(plot->label, plot->n) * at.name * CAU_LETTER;
    at.upright = at.names > at.cell * 0.9;
    return at;
}

/* Adds the size of the figure, its margins and axes. */
static void add_frame(cau_figure *figure, const cau_confusion_matrix *plot, const layout *at)
{
    double left = at->names + 56, right = 104, top = 20;
    double bottom = (at->upright ? at->names : 20) + 48;
    figure->width = round(left + at->side + right);
    figure->height = round(top + at->side + bottom);
    cau_figure_number(figure, "set lmargin at screen ", left / figure->width, "\n");
    cau_figure_number(figure, "set rmargin at screen ", (left + at->side) / figure->width, "\n");
    cau_figure_number(figure, "set bmargin at screen ", bottom / figure->height, "\n");
    cau_figure_number(figure, "set tmargin at screen ", (bottom + at->side) / figure->height, "\n");
    cau_figure_number(figure, "set xrange [-0.5:", (double)plot->n - 0.5, "]\n");
    cau_figure_number(figure, "set yrange [", (double)plot->n - 0.5, ":-0.5]\n");
    cau_figure_say(figure, "unset grid\nset border 15\nset tics scale 0\n");
    if (at->name > 0) {
        cau_axis_names(figure, "x", plot->label, plot->n);
        cau_axis_names(figure, "y", plot->label, plot->n);
        cau_figure_number(figure, "set ytics font ',", at->name, "'\n");
        cau_figure_number(figure, "set xtics font ',", at->name, "' ");
        cau_figure_say(figure, at->upright ? "rotate by 90 right\n" : "norotate\n");
    } else {
        cau_figure_say(figure, "unset xtics\nunset ytics\n");
    }
    if (plot->n > 1)
        for (int i = 0; i < 2; i++)
            cau_figure_say(figure,
                           "set for [i = 1:%zu] arrow from %s to %s nohead front linewidth 0.5 "
                           "linecolor rgb '#cccccc'\n",
                           plot->n - 1, i ? "i - 0.5, graph 0" : "graph 0, first i - 0.5",
                           i ? "i - 0.5, graph 1" : "graph 1, first i - 0.5");
    cau_figure_number(figure, "set label 1 'predicted' center at screen ",
                      (left + at->side / 2) / figure->width, ", ");
    cau_figure_number(figure, "screen ", 18 / figure->height, "\n");
    cau_figure_number(figure, "set label 2 'gold' center rotate at screen ", 18 / figure->width,
                      ", ");
    cau_figure_number(figure, "screen ", (bottom + at->side / 2) / figure->height, "\n");
    cau_figure_number(figure, "set label 3 'share of row' center rotate at screen ",
                      1 - 14 / figure->width, ", ");
    cau_figure_number(figure, "screen ", (bottom + at->side / 2) / figure->height, "\n");
    cau_figure_number(figure, "set colorbox vertical user origin screen ",
                      (left + at->side + 14) / figure->width, ", ");
    cau_figure_number(figure, "screen ", bottom / figure->height, " ");
    cau_figure_number(figure, "size screen ", 14 / figure->width, ", ");
    cau_figure_number(figure, "screen ", at->side / figure->height, "\n");
}

caucus_status cau_plot_confusion(caucus_ctx *ctx, const char *path,
                                 const cau_confusion_matrix *plot)
{
    caucus_status st = CAUCUS_OK;
    cau_figure figure;
    TRY(cau_figure_begin(ctx, path, "column\trow\tcount\tshare\tgold\tpredicted", &figure));
    double longest = add_cells(&figure, plot);
    if (longest == 0) {
        st = cau_figure_empty(&figure);
        goto done;
    }
    layout at = lay_out(plot, longest);
    add_frame(&figure, plot, &at);
    cau_figure_say(&figure, "set palette defined (0 '#ffffff', 1 '#000000')\n"
                            "set cbrange [0:1]\nset cbtics 0.25\nset format cb '%%.2f'\n"
                            "plot source skip 1 using 1:2:(0.5):(0.5):4 with boxxyerror "
                            "fillstyle solid 1 noborder linecolor palette");
    if (at.count > 0)
        cau_figure_number(&figure,
                          ", \\\n     source skip 1 using 1:2:(stringcolumn(3)):"
                          "($4 > 0.5 ? 0xffffff : 0) with labels textcolor rgb variable font ',",
                          at.count, "'");
    cau_figure_say(&figure, "\n");
    TRY(cau_figure_finish(&figure));
done:
    cau_figure_clear(&figure);
    return st;
}
