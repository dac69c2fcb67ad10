/* explain_test.c - the terms of a score add up to it, and unknown features are named. */

#include <math.h>
#include <stdio.h>

#include "apply/sample.h"

static caucus_status explain(caucus_ctx *ctx, const tiny *parts, const char *line, cau_text *out)
{
    return tiny_inspect(ctx, parts, &(cau_inspect_options){.explain = line}, out);
}

static json_t *explain_json(const tiny *parts, const char *line)
{
    return tiny_json(parts, (cau_inspect_options){.explain = line});
}

/* default + contributions = score for each class, and the scores give the probabilities. */
static void check_sums(const json_t *root)
{
    json_t *classes = json_object_get(root, "classes");
    json_t *features = json_object_get(root, "features");
    double z = 0;
    for (size_t c = 0; c < json_array_size(classes); c++)
        z += exp(number_in(json_array_get(classes, c), "score"));
    for (size_t c = 0; c < json_array_size(classes); c++) {
        json_t *class = json_array_get(classes, c);
        double sum = number_in(class, "default");
        for (size_t i = 0; i < json_array_size(features); i++) {
            json_t *parts = json_object_get(json_array_get(features, i), "contributions");
            sum += json_number_value(json_array_get(parts, c));
        }
        assert_near(sum, number_in(class, "score"), 1e-7);
        assert_near(number_in(class, "probability"), exp(number_in(class, "score")) / z, 1e-7);
    }
}

static const char *name_at(const json_t *root, size_t i)
{
    json_t *feature = json_array_get(json_object_get(root, "features"), i);
    return json_string_value(json_object_get(feature, "feature"));
}

/* Scores of x y: -0.875, 0, 1.5. y separates c from b by 1, x by 0.75. */
static void test_terms(void **state)
{
    (void)state;
    json_t *root = explain_json(&text_model, "b\tx new y \xC3\xB6l");
    check_sums(root);
    json_t *best = json_array_get(json_object_get(root, "classes"), 0);
    assert_string_equal(json_string_value(json_object_get(best, "label")), "c");
    assert_near(number_in(best, "score"), 1.5, 0);
    assert_near(number_in(best, "default"), -0.25, 0);
    assert_string_equal(json_string_value(json_object_get(root, "gold")), "b");
    assert_int_equal(json_array_size(json_object_get(root, "features")), 2);
    assert_string_equal(name_at(root, 0), "y");
    assert_string_equal(name_at(root, 1), "x");
    json_t *first = json_array_get(json_object_get(root, "features"), 0);
    assert_near(number_in(first, "separates"), 1, 0);
    json_t *unknown = json_object_get(root, "unknown");
    assert_int_equal(json_array_size(unknown), 2);
    assert_string_equal(json_string_value(json_array_get(unknown, 0)), "new");
    assert_string_equal(json_string_value(json_array_get(unknown, 1)), "\xC3\xB6l");
    json_decref(root);
}

static void test_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_text out = {0};
    assert_ok(ctx, explain(ctx, &text_model, "x y new\n", &out));
    assert_string_equal(
        out.s, "feature           value           c           b           a     1st - 2nd\n"
               "y              1.000000    1.500000    0.500000   -2.000000      1.000000\n"
               "x              1.000000    0.250000   -0.500000    1.000000      0.750000\n"
               "(default)                 -0.250000    0.000000    0.125000     -0.250000\n"
               "score                      1.500000    0.000000   -0.875000      1.500000\n"
               "probability                0.759795    0.169533    0.070672\n"
               "\nnot in the model:\nnew\n");
    cau_text_clear(&out);
    caucus_ctx_free(ctx);
}

/* In the explicit form a feature counts for the class in whose section it stands. */
static void test_explicit(void **state)
{
    (void)state;
    const double w[] = {1, -2, 0.5};
    const tiny parts = {.names = "f|g|h",
                        .labels = "0|1|2",
                        .w = w,
                        .apart = true,
                        .read = {.format = CAU_FORMAT_MEGAM}};
    json_t *root = explain_json(&parts, "0 # f g # h f # g new");
    check_sums(root);
    json_t *best = json_array_get(json_object_get(root, "classes"), 0);
    assert_string_equal(json_string_value(json_object_get(best, "label")), "1");
    assert_near(number_in(best, "score"), 1.5, 0);
    assert_true(json_is_null(json_object_get(best, "default")));
    assert_string_equal(name_at(root, 0), "g"); /* -2 for the second best */
    assert_null(json_object_get(json_array_get(json_object_get(root, "features"), 0), "value"));
    json_decref(root);

    caucus_ctx *ctx = test_ctx();
    cau_text out = {0};
    assert_ok(ctx, explain(ctx, &parts, "0 # f g # h f # g new", &out));
    assert_non_null(strstr(out.s, "f              1.000000    1.000000    0.000000"));
    cau_text_clear(&out);
    assert_fails(ctx, explain(ctx, &parts, "0 f", &out), CAUCUS_ERR_FORMAT,
                 "the line:1: the features are not divided");
    cau_text_clear(&out);
    caucus_ctx_free(ctx);
}

/* Seven classes, of which five are shown, and real values; one class alone; packed weights. */
static void test_many_classes(void **state)
{
    (void)state;
    const double w[] = {1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 9, 0};
    tiny parts = {
        .names = "1|2", .labels = "p|q|r|s|t|u|v", .w = w, .read = {.format = CAU_FORMAT_SVMLIGHT}};
    json_t *root = explain_json(&parts, "x 1:0.5 2:-1 3:4");
    json_t *classes = json_object_get(root, "classes");
    assert_int_equal(json_array_size(classes), 5);
    static const char *const order[] = {"v", "t", "s", "r", "q"};
    for (size_t c = 0; c < 5; c++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(classes, c), "label")),
                            order[c]);
    assert_near(number_in(json_array_get(classes, 0), "score"), 3.5, 0);
    json_decref(root);

    parts.labels = "only";
    root = explain_json(&parts, "only 1:2");
    assert_near(number_in(json_array_get(json_object_get(root, "classes"), 0), "probability"), 1,
                0);
    json_decref(root);

    caucus_ctx *ctx = test_ctx();
    cau_text out = {0};
    assert_ok(ctx, explain(ctx, &parts, "only 1:2", &out));
    assert_non_null(strstr(out.s, "score                      2.000000\n"));
    cau_text_clear(&out);
    caucus_ctx_free(ctx);
}

/* Cells without a label: the line is a sequence of its own, so that only its nodes count. */
static void test_chain(void **state)
{
    (void)state;
    const double plain[] = {5, 5, 5, 5}, edges[] = {7, 7, 7, 7};
    const tiny chain = {.kind = CAU_KIND_CRF,
                        .names = "U0:x|U1:N|U2:_B-1",
                        .labels = "a|b",
                        .w = (const double[]){1, -1, 0.5, 2, 0.25, 0},
                        .edge_names = "B:x",
                        .edge_w = edges,
                        .plain = plain,
                        .read = {.format = CAU_FORMAT_COLUMNS, .columns = 2},
                        .template = "U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[-1,0]\nU3:%x[1,0]\nB:%x[0,0]\n"};
    static const char *const lines[] = {"x N", "x\tN", "x N b"};
    for (size_t i = 0; i < 3; i++) {
        json_t *root = explain_json(&chain, lines[i]);
        check_sums(root);
        json_t *best = json_array_get(json_object_get(root, "classes"), 0);
        assert_string_equal(json_string_value(json_object_get(best, "label")), "a");
        assert_near(number_in(best, "score"), 1.75, 0);
        assert_true(json_is_true(json_object_get(root, "alone")));
        json_t *gold = json_object_get(root, "gold");
        assert_true(i < 2 ? json_is_null(gold) : strcmp(json_string_value(gold), "b") == 0);
        json_t *unknown = json_object_get(root, "unknown");
        assert_int_equal(json_array_size(unknown), 1);
        assert_string_equal(json_string_value(json_array_get(unknown, 0)), "U3:_B+1");
        json_decref(root);
    }
    caucus_ctx *ctx = test_ctx();
    cau_text out = {0};
    assert_ok(ctx, explain(ctx, &chain, "x N", &out));
    assert_non_null(strstr(out.s, "\nthe line as a sequence of its own: without neighbours and "
                                  "transitions\n"));
    cau_text_clear(&out);
    assert_ok(ctx, explain(ctx, &text_model, "x y", &out));
    assert_null(strstr(out.s, "sequence"));
    cau_text_clear(&out);
    assert_fails(ctx, explain(ctx, &chain, "x", &out), CAUCUS_ERR_FORMAT, "the line:1: ");
    cau_text_clear(&out);
    caucus_ctx_free(ctx);
    tiny_inspect_without_memory(&chain, (cau_inspect_options){.explain = "x N"}, 10);
}

static void test_faults(void **state)
{
    (void)state;
    tiny columns = text_model;
    columns.read.format = CAU_FORMAT_COLUMNS;
    tiny svmlight = text_model;
    svmlight.read.format = CAU_FORMAT_SVMLIGHT;
    static const char two[] = "a\nb";
    caucus_ctx *ctx = test_ctx();
    cau_text out = {0};
    assert_fails(ctx, explain(ctx, &text_model, two, &out), CAUCUS_ERR_ARGUMENT, "several lines");
    assert_fails(ctx, explain(ctx, &columns, "", &out), CAUCUS_ERR_ARGUMENT, "no features");
    assert_fails(ctx, explain(ctx, &svmlight, "1 x:1", &out), CAUCUS_ERR_FORMAT, "the line:1: ");
    cau_text_clear(&out);
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    const cau_inspect_options options = {.explain = "a\tx y z u v w"};
    tiny_inspect_without_memory(&text_model, options, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),    cmocka_unit_test(test_table),
        cmocka_unit_test(test_explicit), cmocka_unit_test(test_many_classes),
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_chain),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
