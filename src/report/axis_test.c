/* axis_test.c - ranges, tics and labels in the script. */

#include <math.h>

#include "report/figure.h"
#include "support/plot_sample.h"

/* The commands of one axis. */
static void assert_linear(double low, double high, double least, const char *commands)
{
    cau_figure figure = {0};
    cau_axis_linear(&figure, "y", (cau_range){low, high}, least);
    assert_string_equal(figure.script.s, commands);
    cau_figure_clear(&figure);
}

static void linear_axes_go_from_tic_to_tic(void **state)
{
    (void)state;
    assert_linear(64.5, 92.6, 0, "set format y '%.0f'\nset yrange [60:95]\nset ytics 5\n");
    assert_linear(0.7, 0.9, 0, "set format y '%.2f'\nset yrange [0.7:0.9]\nset ytics 0.05\n");
    assert_linear(91.48, 93.75, 0, "set format y '%.1f'\nset yrange [91:94]\nset ytics 0.5\n");
    assert_linear(-3, 40000, 1,
                  "set format y '%.0f'\nset yrange [-10000:40000]\nset ytics 10000\n");
    assert_linear(1, 3, 1, "set format y '%.0f'\nset yrange [1:3]\nset ytics 1\n");
    assert_linear(0, 1e-9, 0, "set format y '%g'\nset yrange [0:1e-09]\nset ytics 2e-10\n");
    assert_linear(1, -1, 0, "set format y '%.1f'\nset yrange [0:1]\nset ytics 0.2\n");
}

/* Equal values get room on both sides, whatever their size. */
static void flat_axes_have_room(void **state)
{
    (void)state;
    assert_linear(0, 0, 0, "set format y '%.1f'\nset yrange [-1:1]\nset ytics 0.5\n");
    assert_linear(95.2, 95.2, 0, "set format y '%.1f'\nset yrange [94:96.5]\nset ytics 0.5\n");
    assert_linear(7, 7, 1, "set format y '%.0f'\nset yrange [6:8]\nset ytics 1\n");
    static const double sizes[] = {1e-310, 1e-200, 1e-5, 1e200, 1e300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cau_figure figure = {0};
        cau_axis_linear(&figure, "y", (cau_range){sizes[i], sizes[i]}, 0);
        assert_null(strstr(figure.script.s, "nan"));
        assert_null(strstr(figure.script.s, "inf"));
        cau_figure_clear(&figure);
    }
}

static void assert_log(double low, double high, const char *range, const char *tics)
{
    cau_figure figure = {0};
    cau_axis_log(&figure, "x", (cau_range){low, high});
    if (!strstr(figure.script.s, range) || !strstr(figure.script.s, tics))
        fail_msg("no \"%s\" or \"%s\" in \"%s\"", range, tics, figure.script.s);
    cau_figure_clear(&figure);
}

static void log_axes_have_whole_decades(void **state)
{
    (void)state;
    assert_log(3, 90, "[0.999999:100.0001]", "'1' 1, '2' 2, '' 3 1, '' 4 1, '5' 5,");
    assert_log(150, 40000, "[99.9999:100000.1]", "'100' 100, '' 200 1,");
    assert_log(1e-6, 9, "[9.99999e-07:10.00001]", "'10⁻⁶' 1e-06, '10⁻⁵' 1e-05,");
    assert_log(1e-12, 1e3, "]", "'10⁻¹²' 1e-12, '' 1e-11 1, '' 1e-10 1, '10⁻⁹' 1e-09,");
    assert_log(1000, 1000, "[999.999:10000.01]", "'1000' 1000, '2000' 2000,");
    assert_log(5e-324, 1e300, "]", "'10⁻³⁰⁸' 1e-308,");
}

static void ranges_ignore_undrawable_values(void **state)
{
    (void)state;
    cau_range range = CAU_RANGE_EMPTY;
    static const double x[] = {NAN, INFINITY, -INFINITY, 1e301, -1e308};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) cau_range_add(&range, x[i]);
    assert_true(range.low > range.high);
    cau_range_add(&range, 5);
    assert_true(range.low == 5 && range.high == 5);
    cau_range_add(&range, -2);
    assert_true(range.low == -2 && range.high == 5);
}

static void labels_have_no_needless_digits(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *label;
    } cases[] = {{125, "125"},        {1000000, "1000000"}, {0.003, "0.003"},
                 {1.0 / 3, "0.3333"}, {1e-7, "1e-07"},      {-4, "-4"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf text = {0};
        cau_axis_label(&text, cases[i].x);
        assert_string_equal(text.s, cases[i].label);
        cau_strbuf_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_axes_go_from_tic_to_tic),
        cmocka_unit_test(flat_axes_have_room),
        cmocka_unit_test(log_axes_have_whole_decades),
        cmocka_unit_test(ranges_ignore_undrawable_values),
        cmocka_unit_test(labels_have_no_needless_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
