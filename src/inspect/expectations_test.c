/* expectations_test.c - the tables of the worked example (MATH A.6), and sums by hand. */

#include <math.h>
#include <stdio.h>

#include "support/apply_sample.h"

static const double zero[12];

/* The uniform model over the three classes: its image has no observations. */
static const tiny uniform = {
    .names = "t1|t2|t3|t4", .labels = "c1|c2|c3", .w = zero, .read = {.format = CAU_FORMAT_TEXT}};

#define DATA_A "c1\tt1 t2 t3\nc2\tt1 t4\nc1\tt3 t4\nc3\tt1 t3\n"
#define DATA_B "c1\tt1 t2 t3\nc2\tt1 t4\nc1\tt4\nc3\tt1 t3\n"

static caucus_status expect(caucus_ctx *ctx, const tiny *parts, const char *data, cau_strbuf *out)
{
    const cau_inspect_options options = {.expectations = test_text("data.txt", data)};
    return tiny_inspect(ctx, parts, &options, out);
}

/* The expectations over a text as JSON. */
static json_t *expect_json(const tiny *parts, const char *data)
{
    const cau_inspect_options options = {.expectations = test_text("data.txt", data)};
    return tiny_json(parts, options);
}

/* The row of a feature, or NULL. */
static json_t *row_of(const json_t *root, const char *name)
{
    json_t *rows = cau_at(root, "features");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (strcmp(json_string_value(cau_at(row, "feature")), name) == 0) return row;
    }
    return NULL;
}

static double cell(const json_t *root, const char *name, const char *column, size_t y)
{
    json_t *list = json_object_get(row_of(root, name), column);
    assert_true(json_array_size(list) > y);
    return json_number_value(json_array_get(list, y));
}

/* raw [class][feature], E * 12 [feature], 12 (Etilde - E) [class][feature] */
static void check_table(const char *data, const double raw[3][4], const double model12[4],
                        const double difference12[3][4])
{
    json_t *root = expect_json(&uniform, data);
    assert_int_equal(json_array_size(cau_at(root, "features")), 4);
    for (size_t k = 0; k < 4; k++) {
        char name[] = {'t', (char)('1' + k), '\0'};
        for (size_t y = 0; y < 3; y++) {
            assert_near(cell(root, name, "raw", y), raw[y][k], 0);
            assert_near(cell(root, name, "empirical", y), raw[y][k] / 4, 1e-9);
            assert_near(cell(root, name, "model", y), model12[k] / 12, 1e-9);
            assert_near(12 * cell(root, name, "difference", y), difference12[y][k], 1e-7);
        }
    }
    assert_near(cau_number_at(root, "log-likelihood"), -4.394449155, 1e-8);
    assert_near(cau_number_at(root, "entropy"), log(3), 1e-8);
    assert_near(cau_number_at(root, "weight"), 4, 0);
    assert_int_equal(cau_count_at(root, "instances"), 4);
    json_decref(root);
}

static void test_lecture(void **state)
{
    (void)state;
    const double raw_a[3][4] = {{1, 1, 2, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}};
    const double model_a[4] = {3, 1, 3, 2};
    const double difference_a[3][4] = {{0, 2, 3, 1}, {0, -1, -3, 1}, {0, -1, 0, -2}};
    check_table(DATA_A, raw_a, model_a, difference_a);
    const double raw_b[3][4] = {{1, 1, 1, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}};
    const double model_b[4] = {3, 1, 2, 2};
    const double difference_b[3][4] = {{0, 2, 1, 1}, {0, -1, -2, 1}, {0, -1, 1, -2}};
    check_table(DATA_B, raw_b, model_b, difference_b);
}

/* At the optimum with sigma^2 = 1 the difference of the sums is the weight itself:
 * N (Etilde - E) = w. The weights are the oracle's, to six digits. */
static void test_optimum(void **state)
{
    (void)state;
    const double w[] = {-.250151, .146570,  .103582, .435280, -.160026, -.275254,
                        .474747,  -.587658, .112911, .152169, .289142,  -.441311};
    tiny parts = uniform;
    parts.w = w;
    json_t *root = expect_json(&parts, DATA_A);
    for (size_t k = 0; k < 4; k++) {
        char name[] = {'t', (char)('1' + k), '\0'};
        for (size_t y = 0; y < 3; y++)
            assert_near(4 * cell(root, name, "difference", y), w[3 * k + y], 3e-6);
    }
    assert_near(cau_number_at(root, "log-likelihood"), -2.792154877, 3e-6);
    json_decref(root);
}

/* A coin: heads wins 100, tails loses 50; the outcomes are H T H H, that is 0 1 0 0. One explicit
 * feature: f(H) = 100, f(T) = -50. */
static void test_coin(void **state)
{
    (void)state;
    const double w[] = {0};
    const tiny coin = {.names = "gain",
                       .labels = "0|1",
                       .w = w,
                       .apart = true,
                       .read = {.format = CAU_FORMAT_MEGAM, .values = true}};
    json_t *root = expect_json(&coin, "0 # gain 100 # gain -50\n1 # gain 100 # gain -50\n"
                                      "0 # gain 100 # gain -50\n0 # gain 100 # gain -50\n");
    assert_near(cell(root, "gain", "empirical", 0), 62.5, 1e-9);
    assert_near(cell(root, "gain", "model", 0), 25, 1e-9);
    assert_int_equal(json_array_size(json_object_get(row_of(root, "gain"), "raw")), 1);
    json_decref(root);
}

/* Instance weights, values, default weights, and features that the model does not have. */
static void test_weights(void **state)
{
    (void)state;
    const double w[] = {0.5, -1}, bias[] = {0.25, 0};
    const tiny parts = {.names = "x",
                        .labels = "a|b",
                        .w = w,
                        .bias = bias,
                        .read = {.format = CAU_FORMAT_MEGAM, .values = true}};
    json_t *root = expect_json(&parts, "a $$$WEIGHT 3 x 2 new 1\nb x -1\nDEV\nb x 100\n");
    double p1 = 1 / (1 + exp(-2 - 1.25)); /* p(a) with x = 2: 0.25 + 1 against -2 */
    double p2 = 1 / (1 + exp(1 + 0.25));  /* p(a) with x = -1: 0.25 - 0.5 against 1 */
    assert_near(cau_number_at(root, "weight"), 4, 0);
    assert_int_equal(cau_count_at(root, "instances"), 2);
    assert_near(cell(root, "x", "raw", 0), 6, 0);
    assert_near(cell(root, "x", "raw", 1), -1, 0);
    assert_near(cell(root, "x", "empirical", 0), 1.5, 0);
    assert_near(cell(root, "x", "model", 0), (3 * 2 * p1 - p2) / 4, 1e-8);
    assert_near(cell(root, "x", "model", 1), (3 * 2 * (1 - p1) - (1 - p2)) / 4, 1e-8);
    assert_near(cell(root, "new", "raw", 0), 3, 0);
    assert_near(cell(root, "new", "model", 1), 3 * (1 - p1) / 4, 1e-8);
    assert_near(cell(root, "(default)", "raw", 0), 3, 0);
    assert_near(cell(root, "(default)", "model", 0), (3 * p1 + p2) / 4, 1e-8);
    assert_near(cau_number_at(root, "log-likelihood"), 3 * log(p1) + log(1 - p2), 1e-7);
    double h1 = -p1 * log(p1) - (1 - p1) * log(1 - p1);
    double h2 = -p2 * log(p2) - (1 - p2) * log(1 - p2);
    assert_near(cau_number_at(root, "entropy"), (3 * h1 + h2) / 4, 1e-8);
    json_decref(root);
}

static void test_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, expect(ctx, &uniform, "c1\tt1\nc1\tt1 t2\n", &out));
    assert_string_equal(out.s, "feature\tclass\traw\tempirical\tmodel\tdifference\n"
                               "t1\tc1\t2\t1\t0.333333333\t0.666666667\n"
                               "t1\tc2\t0\t0\t0.333333333\t-0.333333333\n"
                               "t1\tc3\t0\t0\t0.333333333\t-0.333333333\n"
                               "t2\tc1\t1\t0.5\t0.166666667\t0.333333333\n"
                               "t2\tc2\t0\t0\t0.166666667\t-0.166666667\n"
                               "t2\tc3\t0\t0\t0.166666667\t-0.166666667\n"
                               "\ninstances\t2\nweight\t2\nentropy\t1.09861229\n"
                               "log-likelihood\t-2.19722458\n");
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *data, *message;
    } faults[] = {
        {"c1\tt1\nc4\tt1\n", "data.txt:2: the model has no class 'c4'"},
        {"c1\tt1\n\nt1\n", "data.txt:2: no label"},
        {"", "data.txt: no instance"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        cau_strbuf out = {0};
        assert_fails(ctx, expect(ctx, &uniform, faults[i].data, &out), CAUCUS_ERR_FORMAT,
                     faults[i].message);
        assert_int_equal(out.n, 0);
        cau_strbuf_clear(&out);
    }
    caucus_ctx_free(ctx);
}

/* Columns are read with the template of the model; sequence models are refused. */
static void test_columns(void **state)
{
    (void)state;
    tiny parts = {.names = "U:x/_B-1|U:y/x",
                  .labels = "a|b",
                  .w = zero,
                  .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1},
                  .template = "U:%x[0,0]/%x[-1,0]\n"};
    json_t *root = expect_json(&parts, "x a\ny b\n\nx a\n");
    assert_near(cell(root, "U:x/_B-1", "raw", 0), 2, 0);
    assert_near(cell(root, "U:y/x", "raw", 1), 1, 0);
    assert_near(cell(root, "U:y/x", "model", 1), 1.0 / 6, 1e-8);
    json_decref(root);

    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    parts.kind = CAU_KIND_CRF;
    assert_fails(ctx, expect(ctx, &parts, "x a\n", &out), CAUCUS_ERR_UNSUPPORTED,
                 "this is a crf of sequences; give a model of kind maxent");
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    cau_strbuf data = {0};
    for (int i = 0; i < 200; i++) cau_strbuf_printf(&data, "c1\tw%d w%d\n", i, i + 1);
    const char *path = test_file("data.txt", data.s, data.n);
    tiny_inspect_without_memory(&uniform, (cau_inspect_options){.expectations = path}, 10);
    cau_strbuf_clear(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lecture), cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_coin),    cmocka_unit_test(test_weights),
        cmocka_unit_test(test_table),   cmocka_unit_test(test_faults),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
