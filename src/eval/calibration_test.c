/* calibration_test.c - log-loss, Brier score and calibration from `tag --probabilities`. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/eval_sample.h"

static const cau_eval_options with_probabilities = {.probabilities = true, .bins = 10};

static caucus_status read_text(caucus_ctx *ctx, const char *text, caucus_scores **out)
{
    return sample_read(ctx, &with_probabilities, text, out);
}

static void check_fails(const char *text, const char *message)
{
    sample_fails(&with_probabilities, text, message);
}

static void agrees_with_hand_computed_values(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx,
                             "a\ta\ta:0.75\tb:0.25\n" /* right */
                             "b\ta\ta:0.5\tb:0.5\n"   /* wrong */
                             "b\tb\ta:0\tb:1\n",      /* right, and certain */
                             &s));
    assert_near(cau_scores_get(s, "accuracy", NULL), 2.0 / 3, 1e-15);
    assert_near(cau_scores_get(s, "log-loss", NULL), (log(4.0 / 3) + log(2)) / 3, 1e-15);
    assert_near(cau_scores_get(s, "perplexity", NULL), cbrt(8.0 / 3), 1e-14);
    assert_near(cau_scores_get(s, "brier", NULL), (2 * 0.0625 + 2 * 0.25 + 0) / 3, 1e-15);
    /* bins 7, 5 and 9: |1 - .75|, |0 - .5| and |1 - 1|, a third each */
    assert_near(cau_scores_get(s, "calibration-error", NULL), 0.25, 1e-15);
    assert_int_equal(s->calibration.bins[7].count, 1);
    assert_int_equal(s->calibration.bins[5].count, 1);
    assert_int_equal(s->calibration.bins[9].count, 1);
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

/* Probabilities from a generator that is easy to write down again:
 *     s = 12345; rnd: s = (s * 1103515245 + 12345) mod 2^31
 *     for each of 500: a[y] = 1 + rnd / 65536 mod 100 for y in 0..3; g = rnd / 65536 mod 4;
 *     a[g] += 60; p = a / sum a; predicted = argmax p
 * The expected values are scikit-learn 1.2.1's log_loss, accuracy_score, f1_score(macro),
 * brier_score_loss of each class, added up, and calibration_curve weighted by the counts. */
static void agrees_with_scikit_learn(void **state)
{
    (void)state;
    enum { N = 500, Y = 4 };
    uint64_t random = 12345;
    char *text = malloc((size_t)N * 160);
    size_t n = 0;
    assert_non_null(text);
    for (size_t i = 0; i < N; i++) {
        unsigned a[Y + 1], sum = 60, best = 0;
        for (size_t y = 0; y <= Y; y++) {
            random = (random * 1103515245 + 12345) % 2147483648u;
            a[y] = (unsigned)(y < Y ? 1 + random / 65536 % 100 : random / 65536 % Y);
        }
        a[a[Y]] += 60;
        for (unsigned y = 0; y < Y; y++) {
            if (a[y] > a[best]) best = y;
            sum += a[y];
        }
        sum -= 60;
        n += (size_t)sprintf(text + n, "%u\t%u", a[Y], best);
        for (unsigned y = 0; y < Y; y++)
            n += (size_t)sprintf(text + n, "\t%u:%.17g", y, (double)a[y] / (double)sum);
        n += (size_t)sprintf(text + n, "\n");
    }
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx, text, &s));
    assert_int_equal(s->instances, N);
    assert_near(cau_scores_get(s, "log-loss", NULL), 0.864602590779389, 1e-13);
    assert_near(cau_scores_get(s, "accuracy", NULL), 0.826, 1e-15);
    assert_near(s->measures.low, 0.7903184021001322, 1e-13);
    assert_near(s->measures.high, 0.8567105279189358, 1e-13);
    assert_near(cau_scores_get(s, "macro-f1", NULL), 0.8249773989409789, 1e-13);
    assert_near(cau_scores_get(s, "macro-precision", NULL), 0.8252318732023876, 1e-13);
    assert_near(cau_scores_get(s, "macro-recall", NULL), 0.8253117644423085, 1e-13);
    assert_near(cau_scores_get(s, "brier", NULL), 0.46960327683377096, 1e-13);
    assert_near(cau_scores_get(s, "calibration-error", NULL), 0.38208238713641224, 1e-13);
    static const uint64_t count[10] = {0, 0, 17, 176, 182, 87, 28, 6, 4, 0};
    for (size_t b = 0; b < 10; b++) assert_int_equal(s->calibration.bins[b].count, count[b]);
    cau_scores_free(s);
    caucus_ctx_free(ctx);
    free(text);
}

static void reads_columns(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x\tx\tx:0.75\ty:0.25\ny\ty\tx:0.25\ty:0.75\n",
        "x x x:0.75 y:0.25\ny y x:0.25 y:7.5e-1\n",
        "The DT x\tx\tx:0.75\ty:0.25\nend NN y\ty\tx:0.25\ty:0.75\n",
        "a:1\tb:0\tx\tx\tx:0.75\ty:0.25\na:1\ty\ty\tx:0.25\ty:0.75\n",
        "x\tx\tx:0.75\ty:0.25\tz:0\ny\ty\tx:0.25\ty:0.75\tz:0\n", /* z is never an answer */
        "?\tx\tz:0\tx:1\ty:0\nx\tx\tz:0\tx:0.75\ty:0.25\ny\ty\tz:0\tx:0.25\ty:0.75\n",
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        caucus_scores *s = NULL;
        assert_ok(ctx, read_text(ctx, texts[i], &s));
        assert_int_equal(s->instances, 2);
        assert_int_equal(s->correct, 2);
        assert_int_equal(s->Y, 2);
        assert_near(cau_scores_get(s, "log-loss", NULL), log(4.0 / 3), 1e-15);
        cau_scores_free(s);
    }
    /* Labels with colons, and ones that look like columns themselves. */
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx, "x:0\tx:0\tx:0:0.75\ty:0:0.25\n", &s));
    assert_near(cau_scores_get(s, "log-loss", NULL), log(4.0 / 3), 1e-15);
    assert_near(cau_scores_get(s, "f1", "x:0"), 1, 0);
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

static void counts_unknown_and_impossible_labels(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx, "new\ta\ta:0.75\tb:0.25\na\ta\ta:0.5\tb:0.5\n", &s));
    assert_int_equal(s->instances, 2);
    assert_int_equal(s->calibration.known, 1);
    assert_near(cau_scores_get(s, "accuracy", NULL), 0.5, 0);
    assert_near(cau_scores_get(s, "log-loss", NULL), log(2), 1e-15);
    assert_near(cau_scores_get(s, "recall", "new"), 0, 0);
    assert_near(cau_scores_get(s, "calibration-error", NULL), (0.75 + 0.5) / 2, 1e-15);
    cau_scores_free(s);

    assert_ok(ctx, read_text(ctx, "b\ta\ta:1\tb:0\na\ta\ta:0.5\tb:0.5\n", &s));
    assert_int_equal(s->calibration.impossible, 1);
    assert_true(isinf(cau_scores_get(s, "log-loss", NULL)));
    assert_near(s->calibration.log_loss, log(2), 1e-15);
    cau_scores_free(s);

    assert_ok(ctx, read_text(ctx, "new\ta\ta:0.75\tb:0.25\n", &s));
    assert_true(isnan(cau_scores_get(s, "log-loss", NULL)));
    assert_true(isnan(cau_scores_get(s, "brier", NULL)));
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

static void refuses_bad_probabilities(void **state)
{
    (void)state;
    static const char *nothing = "tagged.txt:1: no label followed by label:probability";
    check_fails("a\ta\n", nothing);
    check_fails("a\n", nothing);
    check_fails("a\ta\ta:0.75\tb:0.15\n", nothing); /* cut by --top, perhaps */
    check_fails("a\ta\ta:1.75\tb:-0.75\n", nothing);
    check_fails("a\ta\ta:nan\tb:0.5\n", nothing);
    check_fails("a\tc\ta:0.75\tb:0.25\n", nothing);
    check_fails("a\ta\ta:0.5\ta:0.5\n", "class 'a' has two probabilities");
    check_fails("\na\ta:0.75\tb:0.25\n", "tagged.txt:2: no gold label"); /* tagged without labels */
    check_fails("x\t\tx:0.25\t:0.75\n", "tagged.txt:1: the predicted label is empty");

    char text[256];
    static const struct {
        const char *line, *message;
    } second[] = {
        {"a\ta", "tagged.txt:2: 2 columns, too few"},
        {"a\ta:0.5\tb:0.5", "tagged.txt:2: no gold label"},
        {"a\tz\ta:0.5\tb:0.5", "tagged.txt:2: the label 'z' is not one of the 2 classes"},
        {"a\ta\ta:0.5\tb:0.4", "tagged.txt:2: the probabilities add up to 0.9"},
        {"a\ta\ta:1.5\tb:-0.5", "tagged.txt:2: 'a:1.5' is not a probability"},
        {"a\ta\ta:nan\tb:1", "tagged.txt:2: 'a:nan' is not a probability"},
        {"a\ta\ta:1e999\tb:1", "tagged.txt:2: 'a:1e999' is not a probability"},
        {"a\ta\ta\tb:1", "tagged.txt:2: 'a' is not a:probability"},
        {"a\ta\ta:x\tb:1", "tagged.txt:2: 'a:x' is not a:probability"},
        {"a\ta\tb:0.5\ta:0.5", "tagged.txt:2: 'b:0.5' instead of class 'a' as in"},
    };
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
        snprintf(text, sizeof text, "a\ta\ta:0.75\tb:0.25\n%s\n", second[i].line);
        check_fails(text, second[i].message);
    }
}

static void survives_memory_failures(void **state)
{
    (void)state;
    enum { Y = 80 };
    char text[4096];
    size_t n = (size_t)sprintf(text, "class7\tclass0");
    for (int y = 0; y < Y; y++) n += (size_t)sprintf(text + n, "\tclass%d:%g", y, 1.0 / Y);
    n += (size_t)sprintf(text + n, "\n");
    sample_without_memory(&with_probabilities, text, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_hand_computed_values),
        cmocka_unit_test(agrees_with_scikit_learn),
        cmocka_unit_test(reads_columns),
        cmocka_unit_test(counts_unknown_and_impossible_labels),
        cmocka_unit_test(refuses_bad_probabilities),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
