/* robust_test.c - runs without some features: their scores are those of the same texts as files,
 * and their differences those of the files compared. */

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "eval/eval.h"
#include "support/base_sample.h"
#include "support/eval_sample.h"

/* ---- by hand ------------------------------------------------------------------------- */

/* Four sentences with a chunk each: all right, then two of them missed. */
static const char all[] = "a B-X B-X\nb O O\n\nc B-X B-X\n\nd B-X B-X\n\ne B-X B-X\n";
static const char some[] = "a B-X O\nb O O\n\nc B-X B-X\n\nd B-X O\n\ne B-X B-X\n";

static cau_robust *two_runs(caucus_ctx *ctx, cau_eval_options options)
{
    cau_robust *robust = NULL;
    options.resamples = 200;
    options.seed = 7;
    assert_ok(ctx, cau_robust_new(ctx, &options, "test.txt", &robust));
    assert_ok(ctx, cau_robust_add(ctx, robust, NULL, str(all)));
    assert_ok(ctx, cau_robust_add(ctx, robust, "U2*\t\xC3\xB6", str(some)));
    return robust;
}

static void writes_a_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    cau_robust *robust = two_runs(ctx, (cau_eval_options){0});
    assert_ok(ctx, cau_robust_write(ctx, robust, into_text, &out));
    /* F1 = 2 * 2 / (4 + 2). A resample has none of the found chunks, or all, one time in 16: more
     * often than the 2.5% that are cut off. */
    assert_string_equal(
        out.s,
        "removed    tokens  accuracy  precision  recall      F1  difference       95% interval\n"
        "nothing         5    1.0000     1.0000  1.0000  1.0000\n"
        "U2*\\t\xC3\xB6          5    0.6000     1.0000  0.5000  0.6667     -0.3333  -1.0000 "
        "to 0.0000\n"
        "(The difference is in F1 from the run with nothing removed, with the interval of the "
        "paired\nbootstrap; 200 resamples, seed 7.)\n");
    cau_robust_free(robust);
    out.n = 0;
    robust = two_runs(ctx, (cau_eval_options){.classes = true});
    assert_ok(ctx, cau_robust_write(ctx, robust, into_text, &out));
    assert_non_null(strstr(out.s, "tokens  accuracy  difference       95% interval\n"));
    assert_non_null(strstr(out.s, "5    0.6000     -0.4000"));
    assert_non_null(strstr(out.s, "is in accuracy"));
    assert_int_equal(cau_robust_write(ctx, robust, into_nothing, NULL), CAUCUS_ERR_IO);
    cau_robust_free(robust);
    cau_robust_free(NULL);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* A label that only the second run gives turns chunks into classes. */
static void compares_equal_measures_only(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    cau_robust *robust = two_runs(ctx, (cau_eval_options){0});
    assert_ok(ctx, cau_robust_add(ctx, robust, "w",
                                  str("a B-X foo\nb O O\n\nc B-X B-X\n\nd B-X O\n\ne B-X B-X\n")));
    assert_ok(ctx, cau_robust_write(ctx, robust, into_text, &out));
    assert_non_null(strstr(out.s, "w               5    0.6000          -       -       -\n"));
    cau_robust_free(robust);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* ---- against files ------------------------------------------------------------------- */

enum { SENTENCES = 60 };

/* Sentences of up to 6 tokens, the true label replaced by another with probability `wrong`. The
 * words and true labels depend on nothing. */
static void make_run(cau_strbuf *out, double wrong, uint64_t seed)
{
    static const char *const labels[] = {"O", "B-A", "I-A", "B-B"};
    cau_rng gold, noise;
    cau_rng_init(&gold, 1);
    cau_rng_init(&noise, seed);
    for (size_t i = 0; i < SENTENCES; i++) {
        if (i % 10 == 0) cau_strbuf_printf(out, "-DOCSTART- O O\n\n");
        const uint64_t T = 1 + cau_rng_below(&gold, 6);
        for (uint64_t t = 0; t < T; t++) {
            const uint64_t y = cau_rng_below(&gold, 4), z = cau_rng_below(&noise, 4);
            const bool right = cau_rng_real(&noise) >= wrong;
            cau_strbuf_printf(out, "w%llu %s %s\n", (unsigned long long)t, labels[y],
                              labels[right ? y : z]);
        }
        cau_strbuf_printf(out, "\n");
    }
}

static double number_at(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void check_against_files(cau_eval_options options)
{
    caucus_ctx *ctx = test_ctx();
    cau_robust *robust = NULL;
    cau_strbuf full = {0}, less[2] = {{0}}, out = {0};
    static const char *const removed[2] = {"first", "second"};
    make_run(&full, 0.1, 2);
    options.json = true;
    options.resamples = 300;
    options.seed = 3;
    options.threads = 1;
    assert_ok(ctx, cau_robust_new(ctx, &options, "data", &robust));
    assert_ok(ctx, cau_robust_add(ctx, robust, NULL, (cau_str){full.s, full.n}));
    for (size_t i = 0; i < 2; i++) {
        make_run(&less[i], i ? 0.15 : 0.6, 4 + i);
        assert_ok(ctx, cau_robust_add(ctx, robust, removed[i], (cau_str){less[i].s, less[i].n}));
    }
    assert_ok(ctx, cau_robust_write(ctx, robust, into_text, &out));
    json_t *root = json_loadb(out.s, out.n, 0, NULL), *rows = json_object_get(root, "robustness");
    assert_int_equal(json_integer_value(json_object_get(root, "format")), 1);
    assert_int_equal(number_at(root, "resamples"), 300);
    assert_int_equal(number_at(root, "seed"), 3);
    assert_int_equal(json_array_size(rows), 3);
    assert_int_equal(cau_robust_runs(robust), 3);

    const char *against = test_file("full.txt", full.s, full.n);
    for (size_t i = 0; i < 3; i++) {
        const json_t *row = json_array_get(rows, i), *name = json_object_get(row, "removed");
        const json_t *measure = json_object_get(row, "measure");
        cau_strbuf *text = i ? &less[i - 1] : &full;
        caucus_scores *want = NULL;
        cau_eval_options alone = options;
        alone.against = (cau_paths){1, &against}; /* of the first with itself as well */
        const char *path = test_file("run.txt", text->s, text->n);
        assert_ok(ctx, cau_scores_read(ctx, &alone, &path, 1, &want));
        const bool chunks = !options.classes;
        assert_near(number_at(row, "tokens"), (double)want->instances, 0);
        assert_near(number_at(row, "accuracy"), cau_scores_get(want, "accuracy", NULL), 1e-8);
        assert_near(cau_scores_get(cau_robust_scores(robust, i), "accuracy", NULL),
                    cau_scores_get(want, "accuracy", NULL), 0);
        assert_string_equal(json_string_value(measure), chunks ? "f1" : "accuracy");
        assert_near(number_at(row, "score"),
                    cau_scores_get(want, chunks ? "chunk-f1" : "accuracy", NULL), 1e-8);
        if (chunks) {
            assert_near(number_at(row, "precision"), cau_scores_get(want, "chunk-precision", NULL),
                        1e-8);
            assert_near(number_at(row, "recall"), cau_scores_get(want, "chunk-recall", NULL), 1e-8);
            assert_near(number_at(row, "f1"), cau_scores_get(want, "chunk-f1", NULL), 1e-8);
        } else {
            assert_true(json_is_null(json_object_get(row, "f1")));
        }
        const json_t *interval = json_object_get(row, "interval");
        if (i == 0) {
            assert_true(json_is_null(name));
            assert_true(json_is_null(json_object_get(row, "difference")));
            assert_true(json_is_null(interval));
            assert_true(json_is_null(json_object_get(row, "p")));
        } else { /* a comparison has the difference the other way */
            assert_string_equal(json_string_value(name), removed[i - 1]);
            assert_near(number_at(row, "difference"),
                        number_at(row, "score") - number_at(json_array_get(rows, 0), "score"),
                        1e-8);
            assert_near(number_at(row, "difference"), -cau_scores_get(want, "difference", NULL),
                        1e-8);
            assert_near(json_number_value(json_array_get(interval, 0)),
                        -cau_scores_get(want, "high", NULL), 1e-8);
            assert_near(json_number_value(json_array_get(interval, 1)),
                        -cau_scores_get(want, "low", NULL), 1e-8);
            assert_near(number_at(row, "p"), cau_scores_get(want, "bootstrap-p", NULL), 1e-8);
        }
        cau_scores_free(want);
    }
    assert_true(number_at(json_array_get(rows, 1), "difference") < -0.2);
    json_decref(root);
    cau_robust_free(robust);
    cau_strbuf_clear(&full);
    cau_strbuf_clear(&less[0]);
    cau_strbuf_clear(&less[1]);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void scores_memory_like_files(void **state)
{
    (void)state;
    check_against_files((cau_eval_options){0});
    check_against_files((cau_eval_options){.classes = true});
    check_against_files((cau_eval_options){.unit = CAU_UNIT_DOCUMENT});
}

/* ---- faults -------------------------------------------------------------------------- */

static void refuses_options_that_do_not_apply(void **state)
{
    (void)state;
    static const char *const path = "x";
    const cau_eval_options wrong[] = {
        {.against = {1, &path}}, {.gold = path},           {.clusters = path},
        {.conlleval = true},     {.latex = true},          {.probabilities = true},
        {.confusion = true},     {.plot_confusion = path},
    };
    caucus_ctx *ctx = test_ctx();
    cau_robust *robust = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(ctx, cau_robust_new(ctx, &wrong[i], "x", &robust), CAUCUS_ERR_ARGUMENT,
                     "--drop");
    assert_null(robust);
    caucus_ctx_free(ctx);
}

/* A run that cannot be scored is not added. */
static void survives_runs_that_fail(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_robust *robust = NULL;
    assert_ok(ctx, cau_robust_new(ctx, &(cau_eval_options){0}, "-", &robust));
    assert_fails(ctx, cau_robust_add(ctx, robust, NULL, str("")), CAUCUS_ERR_FORMAT,
                 "no instances");
    assert_fails(ctx, cau_robust_add(ctx, robust, NULL, str("a\n")), CAUCUS_ERR_FORMAT,
                 "-:1: no gold label");
    assert_int_equal(cau_robust_runs(robust), 0);
    assert_ok(ctx, cau_robust_add(ctx, robust, NULL, str("a O B-X\n")));
    assert_fails(ctx, cau_robust_add(ctx, robust, "u", str("a O B-X\nb O O\n")), CAUCUS_ERR_FORMAT,
                 "the same tokens");
    assert_fails(ctx, cau_robust_add(ctx, robust, "u", str("a O B-X\n")), CAUCUS_ERR_FORMAT,
                 "1 sentence, but");
    assert_int_equal(cau_robust_runs(robust), 1);
    cau_robust_free(robust);
    caucus_ctx_free(ctx);
}

static caucus_status run_once(void *self)
{
    const cau_eval_options *options = self;
    caucus_ctx *ctx = NULL;
    cau_robust *robust = NULL;
    cau_strbuf out = {0};
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_robust_new(ctx, options, "test.txt", &robust);
    if (!st) st = cau_robust_add(ctx, robust, NULL, str(all));
    if (!st) st = cau_robust_add(ctx, robust, "U2*", str(some));
    if (!st) st = cau_robust_write(ctx, robust, into_text, &out);
    cau_strbuf_clear(&out);
    cau_robust_free(robust);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_memory_failures(void **state)
{
    (void)state;
    cau_eval_options options = {.resamples = 10, .seed = 1};
    assert_true(test_every_allocation(run_once, &options) > 60);
    options.json = true;
    assert_true(test_every_allocation(run_once, &options) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_a_table),
        cmocka_unit_test(compares_equal_measures_only),
        cmocka_unit_test(scores_memory_like_files),
        cmocka_unit_test(refuses_options_that_do_not_apply),
        cmocka_unit_test(survives_runs_that_fail),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
