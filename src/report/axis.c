/* axis.c - ranges and tics that are round numbers, or names.
 *
 * gnuplot labels one axis 85, 85.5, 86 and another 1e+06, and fails if all points are equal. So
 * ranges and tics are chosen here:
 *
 *     linear   step = 1, 2 or 5 times 10^k, the smallest that covers the range in 6 steps;
 *              the axis begins and ends at a multiple of it
 *     log      whole decades; up to two of them also have tics at 2 and 5, up to six have
 *              small tics at 2, 3, ... 9 */

#include <float.h>
#include <math.h>
#include <utf8proc.h>

#include "report/figure.h"
#include "report/report.h"

enum {
    STEPS = 6,        /* of a linear axis */
    DECADES = 7,      /* with a label, on a logarithmic axis */
    DECIMALS_MAX = 6, /* beyond, numbers have exponents */
    PLAIN_LOW = -4,   /* 10^-4 to 10^6 are written 0.0001 to 1000000 */
    PLAIN_HIGH = 6,
    COLUMNS_MOST = 30, /* of a name; the middle of a longer one is left out */
};

static const double LARGEST = 1e300, SMALLEST = 1e-300;

bool cau_drawable(double x)
{
    return fabs(x) <= LARGEST;
}

void cau_range_add(cau_range *range, double x)
{
    if (!cau_drawable(x)) return;
    bool first = range->low > range->high;
    if (first || x < range->low) range->low = x;
    if (first || x > range->high) range->high = x;
}

/* The smallest number >= x > 0 that is 1, 2 or 5 times a power of ten. */
static double round_up(double x)
{
    static const double rounds[] = {1, 2, 5};
    double power = pow(10, floor(log10(x)));
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        if (x <= rounds[i] * power * (1 + 1e-9)) return rounds[i] * power;
    return 10 * power;
}

double cau_axis_step(cau_range range, int steps, double least)
{
    double step = (range.high - range.low) / steps;
    return step > SMALLEST ? fmax(round_up(step), least) : fmax(least, SMALLEST);
}

void cau_axis_linear(cau_figure *figure, const char *axis, cau_range range, double least_step)
{
    if (range.low > range.high) range = (cau_range){0, 1};
    double size = fmax(fabs(range.low), fabs(range.high));
    if (size < SMALLEST) size = 0;
    if (range.high - range.low <= size * 1e-9) { /* all values are equal: leave room around them */
        double room = fmax(least_step, size > 0 ? size * 0.01 : 1);
        range.low -= room;
        range.high += room;
    }
    double step = cau_axis_step(range, STEPS, least_step);
    double slack = 1e-6; /* of a step, so that 0.30000000000000004 does not add a step */
    double low = floor(range.low / step + slack) * step;
    double high = ceil(range.high / step - slack) * step;

    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    if (decimals > DECIMALS_MAX || size >= 1e9)
        cau_figure_printf(figure, "set format %s '%%g'\n", axis);
    else
        cau_figure_printf(figure, "set format %s '%%.%df'\n", axis, decimals);
    cau_figure_printf(figure, "set %srange [%g:%g]\nset %stics %g\n", axis, low, high, axis, step);
}

void cau_axis_label(cau_strbuf *text, double x)
{
    bool whole = x == floor(x) && fabs(x) < 1e9;
    cau_strbuf_general(text, x, whole ? 9 : 4);
}

/* 10^exponent as a label: 0.01, 1000, or with superscripts. */
static void decade_label(cau_strbuf *text, int exponent, bool plain)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (plain) {
        cau_axis_label(text, pow(10, exponent));
        return;
    }
    int size = exponent < 0 ? -exponent : exponent;
    cau_strbuf_printf(text, "10%s", exponent < 0 ? "⁻" : "");
    if (size >= 100) cau_strbuf_printf(text, "%s", digit[size / 100]);
    if (size >= 10) cau_strbuf_printf(text, "%s", digit[size / 10 % 10]);
    cau_strbuf_printf(text, "%s", digit[size % 10]);
}

void cau_axis_log(cau_figure *figure, const char *axis, cau_range range)
{
    int low = (int)floor(log10(fmax(range.low, DBL_MIN)) + 1e-9);
    int high = (int)ceil(log10(fmax(range.high, DBL_MIN)) - 1e-9);
    if (high <= low) high = low + 1;
    int count = high - low, every = (count + DECADES - 1) / DECADES;
    bool plain = low >= PLAIN_LOW && high <= PLAIN_HIGH;

    cau_figure_printf(figure, "set logscale %s 10\nset %srange [", axis, axis);
    double slack = 1e-6; /* gnuplot may drop a tic that is exactly at an end */
    cau_figure_printf(figure, "%g:", pow(10, low) * (1 - slack));
    cau_figure_printf(figure, "%g]\n", pow(10, high) * (1 + slack));
    cau_figure_printf(figure, "set %stics (", axis);
    for (int e = low; e <= high; e++) {
        double power = pow(10, e);
        cau_figure_printf(figure, "%s'", e > low ? ", " : "");
        if ((e - low) % every == 0) decade_label(&figure->script, e, plain);
        cau_figure_printf(figure, "' %g%s", power, (e - low) % every == 0 ? "" : " 1");
        for (int m = 2; m <= 9 && e < high && count <= DECADES - 1; m++) {
            bool labelled = plain && count <= 2 && (m == 2 || m == 5);
            cau_figure_printf(figure, ", '");
            if (labelled) cau_axis_label(&figure->script, m * power);
            cau_figure_printf(figure, "' %g%s", m * power, labelled ? "" : " 1");
        }
    }
    cau_figure_printf(figure, ")\n");
}

/* ---- names --------------------------------------------------------------------------- */

/* The number of bytes of the longest prefix, in whole characters, of at most `columns` columns. */
static size_t prefix_bytes(cau_str text, size_t columns)
{
    size_t at = 0, width = 0;
    while (at < text.n) {
        utf8proc_int32_t c;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text.s + at,
                                                 (utf8proc_ssize_t)(text.n - at), &c);
        size_t length = used > 0 ? (size_t)used : 1;
        width += cau_text_width((cau_str){text.s + at, length});
        if (width > columns) break;
        at += length;
    }
    return at;
}

double cau_axis_columns(const cau_str *name, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) {
        size_t width = cau_text_width(name[i]);
        if (width > columns) columns = width;
    }
    return (double)(columns < COLUMNS_MOST ? columns : COLUMNS_MOST);
}

void cau_axis_names(cau_figure *figure, const char *axis, const cau_str *name, size_t n)
{
    cau_figure_printf(figure, "set %stics (", axis);
    for (size_t i = 0; i < n; i++) {
        size_t width = cau_text_width(name[i]), start = name[i].n, end = name[i].n;
        if (width > COLUMNS_MOST) {
            start = prefix_bytes(name[i], COLUMNS_MOST / 2);
            end = prefix_bytes(name[i], width - (COLUMNS_MOST - COLUMNS_MOST / 2 - 1));
        }
        cau_figure_quote(figure, i ? ", " : "", (cau_str){name[i].s, start}, "");
        if (start < end)
            cau_figure_quote(figure, ".'…'.", (cau_str){name[i].s + end, name[i].n - end}, "");
        cau_figure_printf(figure, " %zu", i);
    }
    cau_figure_printf(figure, ")\n");
}
