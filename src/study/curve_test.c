/* curve_test.c - compares the runs of learning curves with training by hand. */

#include "support/study_sample.h"

/* A curve over test data, with its runs repeated by hand. */
static void test_curve(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    unsigned char role[PIECES], subset[PIECES];
    make_sentences(&c, 60, 6);
    for (size_t p = 0; p < c.pieces; p++) role[p] = p >= 40 ? CAU_HELD : CAU_TRAINED;
    const char *train = file_of(&c, "curve.train", role, CAU_TRAINED);
    caucus_data *data = read_data(ctx, &c, train, NULL, file_of(&c, "curve.test", role, CAU_HELD));
    cau_setting setting = one(1);
    const cau_study_options o = {
        .runs = {.seeds = 5, .settings = &setting, .count = 1, .seed = 11, .threads = 2}};
    size_t best;
    json_t *root = study_json(ctx, data, o, &best);
    assert_string_equal(json_string_value(json_object_get(root, "held_out")), "test");
    assert_int_equal(json_array_size(json_object_get(root, "sizes")), 3); /* 10, 20, 40 */
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < 5; i++) {
            assert_ok(ctx,
                      cau_curve_subset(ctx, &data->train, data->test.N > 0, 11 + i, 2 - r, subset));
            for (size_t p = 0; p < 40; p++) role[p] = subset[p];
            const by_hand h = train_by_hand(ctx, &c, role, &setting.train, 11);
            const json_t *run = run_at(root, "sizes", r, i);
            assert_near(real_at(run, "sequences"), 10 << r, 0);
            assert_near(real_at(run, "right"), h.right, 0);
            assert_near(real_at(run, "score"), f1_of(h), 1e-8);
            assert_near(real_at(run, "objective"), h.objective, 1e-6 * h.objective);
        }
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void count_note(void *user, const char *sentence)
{
    *(size_t *)user += strstr(sentence, "left out of the curve") != NULL;
}

/* With one instance of the second class, small subsets lack it. */
static void test_missing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    make_lone(&c, 60);
    unsigned char role[PIECES], subset[PIECES];
    for (size_t p = 0; p < 60; p++) role[p] = p >= 40 ? CAU_HELD : CAU_TRAINED;
    const char *train = file_of(&c, "missing.train", role, CAU_TRAINED);
    caucus_data *data =
        read_data(ctx, &c, train, NULL, file_of(&c, "missing.test", role, CAU_HELD));
    cau_setting setting = one(1);
    cau_study_options o = {
        .runs = {.seeds = 4, .settings = &setting, .count = 1, .seed = 1, .threads = 2}};
    size_t best, notes = 0, empty = 0;
    caucus_on_note(ctx, count_note, &notes);
    json_t *root = study_json(ctx, data, o, &best);
    for (size_t r = 0; r < 3; r++) {
        size_t runs = 0;
        for (size_t i = 0; i < 4; i++) {
            assert_ok(ctx,
                      cau_curve_subset(ctx, &data->train, data->test.N > 0, 1 + i, 2 - r, subset));
            assert_int_equal(json_is_true(json_object_get(run_at(root, "sizes", r, i), "missing")),
                             subset[LONE] != CAU_TRAINED);
            runs += subset[LONE] == CAU_TRAINED;
        }
        assert_near(real_at(json_array_get(json_object_get(root, "sizes"), r), "runs"),
                    (double)runs, 0);
        empty += runs == 0;
    }
    assert_int_equal(notes, empty);
    json_decref(root);

    o.runs.seeds = 1; /* the smallest subset of this seed lacks it */
    do
        assert_ok(ctx,
                  cau_curve_subset(ctx, &data->train, data->test.N > 0, ++o.runs.seed, 2, subset));
    while (subset[LONE] == CAU_TRAINED);
    notes = 0;
    char *text = study_text(ctx, data, &o, &best);
    assert_true(notes > 0);
    assert_null(strstr(text, "\n1/4 "));
    assert_non_null(strstr(text, "\nall "));
    free(text);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
