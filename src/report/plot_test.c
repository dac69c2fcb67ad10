/* plot_test.c - the figures: their tables and scripts, odd data, and short memory. */

#include <math.h>

#include "report/figure.h"
#include "support/plot_sample.h"

static const double nan3[] = {NAN, NAN, NAN};

/* Checks the table of a figure that was not drawn. */
static void assert_table(const char *path, const char *want)
{
    char *data = file_text(path, ".dat");
    assert_non_null(data);
    assert_string_equal(data, want);
    free(data);
}

/* ---- curves -------------------------------------------------------------------------- */

static const double sizes[] = {125, 250, 500}, high_f1[] = {80, 85, 90};
static const double low_f1[] = {70, 72.5, 75}, above[] = {71, 73, 76}, below[] = {69, 72, 74};

static const cau_series two_systems[] = {
    {"CRF", 3, sizes, high_f1, NULL, NULL},
    {"it's \"b\"", 3, sizes, low_f1, below, above},
};

static caucus_status draw_curves(caucus_ctx *ctx, const char *path)
{
    cau_curves curves = {"curve", "sentences", "F1 (%)", true, two_systems, 2};
    return cau_plot_curves(ctx, path, &curves);
}

static void curves_show_every_point(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("curves.svg");
    assert_ok(ctx, draw_curves(ctx, path));
    assert_table(path, "x\ty\tlow\thigh\tplace\tseries\n"
                       "125\t80\tNaN\tNaN\t125\tCRF\n"
                       "250\t85\tNaN\tNaN\t250\tCRF\n"
                       "500\t90\tNaN\tNaN\t500\tCRF\n"
                       "125\t70\t69\t71\t125\tit's \"b\"\n"
                       "250\t72.5\t72\t73\t250\tit's \"b\"\n"
                       "500\t75\t74\t76\t500\tit's \"b\"\n");
    assert_has(path, ".gp", "set xtics ('125' 125, '250' 250, '500' 500)\n");
    assert_has(path, ".gp", "set yrange [65:90]\n"); /* bars included */
    assert_has(path, ".gp", "every ::3::5 using 5:2:3:4 with yerrorbars");
    assert_has(path, ".gp", "every ::0::2 using 5:2 with linespoints");
    assert_has(path, ".gp", "title 'it''s \"b\"'");
    caucus_ctx_free(ctx);
}

/* 0 is drawn to the left of positive values; negative values are not drawn. */
static void zero_is_on_a_logarithmic_axis(void **state)
{
    (void)state;
    static const double penalties[] = {0, 0.1, 1, -1}, scores[] = {1, 2, 3, 4};
    const cau_series series = {NULL, 4, penalties, scores, NULL, NULL};
    cau_curves curves = {NULL, "penalty", "F1", true, &series, 1};
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("zero.svg");
    assert_ok(ctx, cau_plot_curves(ctx, path, &curves));
    assert_has(path, ".dat", "\n0\t1\tNaN\tNaN\t0.01\t\n");
    assert_has(path, ".dat", "\n-1\t4\tNaN\tNaN\tNaN\t\n");
    assert_has(path, ".gp", "set xtics ('0.1' 0.1, '1' 1)\nset xtics add ('0' 0.01)\n");
    assert_has(path, ".gp", "set yrange [1:3]\n"); /* without the last point */

    static const double crowded[] = {0, 1, 1.01, 1.02, 700};
    static const double any[] = {1, 1, 2, 2, 3};
    const cau_series close = {NULL, 5, crowded, any, NULL, NULL};
    curves.series = &close;
    assert_ok(ctx, cau_plot_curves(ctx, path, &curves));
    assert_has(path, ".gp", "'1' 1, '' 2 1,");
    assert_has(path, ".gp", "set xrange [0.263523138:]\nset xtics add ('0' 0.316227766)\n");
    caucus_ctx_free(ctx);
}

/* ---- a training run ------------------------------------------------------------------ */

static const double iterations[] = {1, 2, 3}, seconds[] = {0.5, 1, 1.5};
static const double objective[] = {300, 110, 100}, dev[] = {60, NAN, 59};

static caucus_status draw_run(caucus_ctx *ctx, const char *path)
{
    cau_convergence run = {"lbfgs", 3, iterations, seconds, objective, dev};
    return cau_plot_convergence(ctx, path, &run);
}

static void runs_are_relative_to_the_lowest(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("run.svg");
    assert_ok(ctx, draw_run(ctx, path));
    assert_table(path, "iteration\tseconds\tobjective\tabove\tdev\n"
                       "1\t0.5\t300\t2\t60\n"
                       "2\t1\t110\t0.1\tNaN\n"
                       "3\t1.5\t100\tNaN\t59\n");
    assert_has(path, ".gp", "set title 'lbfgs'.': lowest objective 100'\n");
    assert_has(path, ".gp", "'best 60 at iteration 1'");
    assert_has(path, ".gp", "set xrange [0:1.5]\n");
    assert_has(path, ".gp", "set x2tics ('1' 0.5, '2' 1, '3' 1.5)\n");

    static const double to_zero[] = {20, 5, 0}, flat[] = {7, 7, 7};
    cau_convergence run = {"sgd", 3, iterations, seconds, to_zero, nan3};
    assert_ok(ctx, cau_plot_convergence(ctx, path, &run));
    assert_has(path, ".dat", "\n1\t0.5\t20\t20\tNaN\n");
    assert_has(path, ".gp", "'objective above its lowest'");
    char *script = file_text(path, ".gp");
    assert_null(strstr(script, "development"));
    free(script);

    run.objective = flat;
    assert_ok(ctx, cau_plot_convergence(ctx, path, &run));
    assert_has(path, ".gp", "'objective' at");
    assert_has(path, ".gp", "using 2:3 ");
    caucus_ctx_free(ctx);
}

/* ---- reliability --------------------------------------------------------------------- */

static const double confidence[] = {NAN, 0.5, 0.9}, accuracy[] = {NAN, 0.4, 1},
                    low[] = {NAN, 0.25, 0.995}, high[] = {NAN, 0.75, 1}, counts[] = {0, 10, 900};

static caucus_status draw_reliability(caucus_ctx *ctx, const char *path)
{
    cau_reliability r = {3, confidence, accuracy, low, high, counts, 0.09945};
    return cau_plot_reliability(ctx, path, &r);
}

static void bins_have_intervals(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("reliability.svg");
    assert_ok(ctx, draw_reliability(ctx, path));
    assert_table(path, "middle\tconfidence\taccuracy\tlow\thigh\tcount\n"
                       "0.166666667\tNaN\tNaN\tNaN\tNaN\tNaN\n"
                       "0.5\t0.5\t0.4\t0.25\t0.75\t10\n"
                       "0.833333333\t0.9\t1\t0.995\t1\t900\n");
    assert_has(path, ".gp", "expected calibration error 0.099");
    assert_has(path, ".gp", "set logscale y 10\n");
    caucus_ctx_free(ctx);
}

/* ---- confusion ----------------------------------------------------------------------- */

static const cau_str labels[] = {{"O", 1}, {"B-\0'\n", 5}};
static const double confusions[] = {90, 10, 0, 3};

static caucus_status draw_confusion(caucus_ctx *ctx, const char *path)
{
    cau_confusion_matrix plot = {2, labels, confusions};
    return cau_plot_confusion(ctx, path, &plot);
}

static void cells_are_shares_of_rows(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("confusion.svg");
    assert_ok(ctx, draw_confusion(ctx, path));
    assert_table(path, "column\trow\tcount\tshare\tgold\tpredicted\n"
                       "0\t0\t90\t0.9\tO\tO\n"
                       "1\t0\t10\t0.1\tO\tB-\uFFFD' \n"
                       "1\t1\t3\t1\tB-\uFFFD' \tB-\uFFFD' \n");
    assert_has(path, ".gp", "set ytics ('O' 0, 'B-\uFFFD'' ' 1)\n");
    assert_has(path, ".gp", "with labels");
    caucus_ctx_free(ctx);
}

/* Long names are shortened in the middle; small cells have no counts, very small ones no names. */
static void many_labels_are_drawn_smaller(void **state)
{
    (void)state;
    enum { MANY = 400 };
    static const char name[] = "B-Gr\xC3\xB6\xC3\x9F"
                               "enordnungen-in-Zahlen-und-Ziffern";
    cau_str *label = calloc(MANY, sizeof *label);
    double *count = calloc((size_t)MANY * MANY, sizeof *count);
    assert_true(label && count);
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("many.svg");
    static const size_t numbers[] = {1, 2, 60, MANY};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        size_t n = numbers[k];
        for (size_t i = 0; i < n; i++) label[i] = (cau_str){name, sizeof name - 1};
        for (size_t i = 0; i < n; i++) count[i * n + i] = 12345;
        cau_confusion_matrix plot = {n, label, count};
        assert_ok(ctx, cau_plot_confusion(ctx, path, &plot));
        char *script = file_text(path, ".gp");
        bool named = strstr(script, "('B-Gr\xC3\xB6\xC3\x9F"
                                    "enordnung'.'…'.'en-und-Ziffern' 0");
        assert_int_equal(named, n < MANY);
        assert_int_equal(strstr(script, "with labels") != NULL, n <= 2);
        free(script);
        memset(count, 0, n * n * sizeof *count);
    }
    free(label);
    free(count);
    caucus_ctx_free(ctx);
}

/* ---- heat ---------------------------------------------------------------------------- */

static const float shades[] = {1, 0.25f, NAN, 0.25f, 1, 0, 0, 2, -1};
static const cau_str verbs[] = {{"give", 4}, {"it's", 4}, {"grant", 5}};

static caucus_status draw_heat(caucus_ctx *ctx, const char *path)
{
    cau_heatmap heat = {"share of samples", 3, shades, verbs, 1, (const size_t[]){2}};
    return cau_plot_heat(ctx, path, &heat);
}

/* Values are cut to [0, 1], and white cells left out, but for the first. */
static void shades_are_values(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("heat.svg");
    assert_ok(ctx, draw_heat(ctx, path));
    assert_table(path, "column\trow\tvalue\n0\t0\t1\n1\t0\t0.25\n0\t1\t0.25\n1\t1\t1\n"
                       "1\t2\t1\n");
    assert_has(path, ".gp", "set ytics ('give' 0, 'it''s' 1, 'grant' 2)\n");
    assert_has(path, ".gp", "set arrow from graph 0, first 1.5 to graph 1, first 1.5 ");
    assert_has(path, ".gp", "set arrow from first 1.5, graph 0 to first 1.5, graph 1 ");
    assert_has(path, ".gp", "set label 1 'share of samples' ");
    static const float white[4] = {0};
    cau_heatmap heat = {NULL, 2, white, NULL, 0, NULL};
    assert_ok(ctx, cau_plot_heat(ctx, path, &heat));
    assert_table(path, "column\trow\tvalue\n0\t0\t0\n");
    caucus_ctx_free(ctx);
}

/* No names above 40, an image above 220, means of blocks above 600; lines that can be told apart.
 */
static void large_matrices_are_drawn_smaller(void **state)
{
    (void)state;
    enum { MANY = 1500 };
    cau_str *label = calloc(MANY, sizeof *label);
    float *value = calloc((size_t)MANY * MANY, sizeof *value);
    size_t *border = calloc(MANY, sizeof *border);
    assert_true(label && value && border);
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("large.svg");
    static const struct {
        size_t n, cells, lines;
    } cases[] = {{40, 40, 39}, {41, 41, 40}, {300, 300, 149}, {MANY, 500, 124}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const size_t n = cases[k].n;
        for (size_t i = 0; i < n; i++) label[i] = verbs[0];
        for (size_t i = 0; i < n * n; i++) value[i] = i % n < n / 2;
        for (size_t i = 1; i < n; i++) border[i - 1] = i;
        cau_heatmap heat = {"share", n, value, label, n - 1, border};
        assert_ok(ctx, cau_plot_heat(ctx, path, &heat));
        char *script = file_text(path, ".gp"), *table = file_text(path, ".dat");
        assert_int_equal(strstr(script, "'give' 0") != NULL, n <= 40);
        assert_int_equal(strstr(script, "with image") != NULL, n > 220);
        size_t rows = 0, lines = 0;
        for (const char *s = table; (s = strchr(s, '\n')); s++) rows++;
        for (const char *s = script; (s = strstr(s, "graph 0, first")); s++) lines++;
        assert_int_equal(rows, 1 + cases[k].cells * (n > 220 ? cases[k].cells : n / 2));
        assert_int_equal(lines, cases[k].lines);
        free(script);
        free(table);
    }
    assert_has(path, ".dat", "\n249\t0\t1\n250\t0\t0\n"); /* blocks of 3 x 3 */
    free(label);
    free(value);
    free(border);
    caucus_ctx_free(ctx);
}

/* ---- all ----------------------------------------------------------------------------- */

/* No finite point: a note and no file. */
static void nothing_to_show_is_noted(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char note[1024] = "", want[1024];
    caucus_on_note(ctx, keep_note, note);
    gnuplot_is_missing();
    const char *directory = fresh_directory("nothing"), *path = test_path("nothing/f.svg");
    snprintf(want, sizeof want, "%s: there is nothing to show, so no figure is drawn", path);

    static const double infinite[] = {INFINITY, -INFINITY, 1e305};
    const cau_series series[] = {{"a", 3, sizes, nan3, NULL, NULL},
                                 {"b", 3, infinite, sizes, NULL, NULL},
                                 {"c", 0, NULL, NULL, NULL, NULL}};
    cau_curves curves = {NULL, "x", "y", true, series, 3}, none = {NULL, "x", "y", false, NULL, 0};
    cau_convergence run = {"x", 3, iterations, seconds, infinite, dev}, no_run = {.solver = "x"};
    cau_reliability r = {3, nan3, nan3, nan3, nan3, nan3, NAN}, no_bins = {.error = NAN};
    cau_confusion_matrix plot = {1, labels, nan3}, no_labels = {0};
#define assert_nothing(call)                                                                       \
    do {                                                                                           \
        note[0] = '\0';                                                                            \
        assert_ok(ctx, call);                                                                      \
        assert_string_equal(note, want);                                                           \
        assert_int_equal(count_entries(directory), 0);                                             \
    } while (0)
    assert_nothing(cau_plot_curves(ctx, path, &curves));
    assert_nothing(cau_plot_curves(ctx, path, &none));
    assert_nothing(cau_plot_convergence(ctx, path, &run));
    assert_nothing(cau_plot_convergence(ctx, path, &no_run));
    assert_nothing(cau_plot_reliability(ctx, path, &r));
    assert_nothing(cau_plot_reliability(ctx, path, &no_bins));
    assert_nothing(cau_plot_confusion(ctx, path, &plot));
    assert_nothing(cau_plot_confusion(ctx, path, &no_labels));
    cau_heatmap heat = {"x", 1, (const float[]){NAN}, labels, 0, NULL}, no_heat = {0};
    assert_nothing(cau_plot_heat(ctx, path, &heat));
    assert_nothing(cau_plot_heat(ctx, path, &no_heat));
    caucus_ctx_free(ctx);
}

static caucus_status (*const figures[])(caucus_ctx *, const char *) = {
    draw_curves, draw_run, draw_reliability, draw_confusion, draw_heat};
enum { FIGURES = sizeof figures / sizeof *figures };

/* gnuplot accepts each figure, and its texts are in the SVG. */
static void figures_are_drawn(void **state)
{
    (void)state;
    static const char *const texts[FIGURES][4] = {
        {"it's \"b\"", "sentences", "F1 (%)", "250"},
        {"lbfgs: lowest objective 100", "score on development data", "seconds", "iterations"},
        {"expected calibration error 0.099", "confidence", "accuracy", "instances"},
        {"gold", "predicted", "B-\uFFFD' ", "90"},
        {"share of samples", "give", "it's", "0.25"},
    };
    gnuplot_is_real();
    caucus_ctx *ctx = test_ctx();
    char note[1024] = "";
    caucus_on_note(ctx, keep_note, note);
    const char *path = test_path("real.svg");
    for (size_t f = 0; f < FIGURES; f++) {
        assert_ok(ctx, figures[f](ctx, path));
        assert_string_equal(note, "");
        assert_has(path, "", "</svg>");
        for (size_t i = 0; i < 4; i++) assert_has(path, "", texts[f][i]);
    }
    caucus_ctx_free(ctx);
}

/* A figure with some values that are not finite is still drawn. */
static void values_that_are_not_finite_are_skipped(void **state)
{
    (void)state;
    static const double x[] = {0, 1, NAN, 3}, y[] = {-1e299, INFINITY, 2, 1e299};
    static const double same[] = {5, 5, 5, 5}, counted[] = {NAN, 3, -INFINITY, 1e300};
    gnuplot_is_real();
    caucus_ctx *ctx = test_ctx();
    char note[1024] = "";
    caucus_on_note(ctx, keep_note, note);
    const char *path = test_path("odd.svg");
    const cau_series series[] = {{"a", 4, x, y, same, counted},
                                 {NULL, 4, x, x, NULL, NULL},
                                 {"c", 4, counted, counted, counted, counted},
                                 {"d", 4, same, same, same, same}};
    for (size_t first = 0; first < 4; first++)
        for (int log_x = 0; log_x <= 1; log_x++) {
            cau_curves curves = {NULL, NULL, "", log_x, series + first, 4 - first};
            assert_ok(ctx, cau_plot_curves(ctx, path, &curves));
        }
    const double *rows[] = {x, y, same, counted};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            cau_convergence run = {NULL, 4, rows[i], rows[j], rows[(i + 1) % 4], rows[(i + 2) % 4]};
            assert_ok(ctx, cau_plot_convergence(ctx, path, &run));
        }
    cau_reliability r = {4, y, counted, y, x, same, INFINITY};
    assert_ok(ctx, cau_plot_reliability(ctx, path, &r));
    cau_confusion_matrix plot = {2, labels, counted};
    assert_ok(ctx, cau_plot_confusion(ctx, path, &plot));
    if (file_text(path, ".dat")) fail_msg("%s", note); /* some figure was not drawn */
    caucus_ctx_free(ctx);
}

static size_t figure_now;
static caucus_status one_figure(void *self)
{
    caucus_ctx *ctx = self;
    return figures[figure_now](ctx, test_path("memory.svg"));
}

static void short_memory_is_reported(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (figure_now = 0; figure_now < FIGURES; figure_now++) {
        gnuplot_is_missing();
        assert_true(test_every_allocation(one_figure, ctx) > 10);
        gnuplot_is_a_mirror();
        assert_true(test_every_allocation(one_figure, ctx) > 10);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_show_every_point),
        cmocka_unit_test(zero_is_on_a_logarithmic_axis),
        cmocka_unit_test(runs_are_relative_to_the_lowest),
        cmocka_unit_test(bins_have_intervals),
        cmocka_unit_test(cells_are_shares_of_rows),
        cmocka_unit_test(many_labels_are_drawn_smaller),
        cmocka_unit_test(shades_are_values),
        cmocka_unit_test(large_matrices_are_drawn_smaller),
        cmocka_unit_test(nothing_to_show_is_noted),
        cmocka_unit_test(figures_are_drawn),
        cmocka_unit_test(values_that_are_not_finite_are_skipped),
        cmocka_unit_test(short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
