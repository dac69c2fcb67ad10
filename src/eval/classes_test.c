/* classes_test.c - reading labelled predictions, and their measures.
 *
 * The expected numbers are those of scikit-learn 1.2.1 for the same labels
 * (precision_recall_fscore_support and confusion_matrix with zero_division=0) and of SciPy
 * 1.10.1 (binomtest(...).proportion_ci(method="wilson")); the small ones are easily checked by
 * hand. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/eval_sample.h"

static const cau_eval_options plain = {.bins = 10};

static caucus_status read_text(caucus_ctx *ctx, const char *text, caucus_scores **out)
{
    return sample_read(ctx, &plain, text, out);
}

static void check_fails(const char *text, const char *message)
{
    sample_fails(&plain, text, message);
}

/* Ten instances of five labels; c10 is never predicted, c2 never gold. */
static const char *ten = "a\ta\na\ta\na\tb\na\tc\nb\tb\n\nb\tb\nb\ta\nc\tc\nc\tb\nc10\tc2\n";

static void agrees_with_scikit_learn(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        double precision, recall, f1, support;
    } want[] = {
        {"a", 2.0 / 3, 0.5, 4.0 / 7, 4},
        {"b", 0.5, 2.0 / 3, 4.0 / 7, 3},
        {"c", 0.5, 0.5, 0.5, 2},
        {"c2", 0, 0, 0, 0},
        {"c10", 0, 0, 0, 1},
    };
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx, ten, &s));
    assert_int_equal(s->instances, 10);
    assert_int_equal(s->Y, 5);
    for (size_t i = 0; i < 5; i++) {
        const char *label = want[i].label;
        assert_string_equal(s->classes[i].name.s, label); /* natural order: c2 before c10 */
        assert_near(cau_scores_get(s, "precision", label), want[i].precision, 1e-15);
        assert_near(cau_scores_get(s, "recall", label), want[i].recall, 1e-15);
        assert_near(cau_scores_get(s, "f1", label), want[i].f1, 1e-15);
        assert_near(cau_scores_get(s, "support", label), want[i].support, 0);
    }
    assert_near(cau_scores_get(s, "accuracy", NULL), 0.5, 0);
    assert_near(cau_scores_get(s, "micro-f1", NULL), 0.5, 0);
    assert_near(cau_scores_get(s, "macro-precision", NULL), 0.3333333333333333, 1e-15);
    assert_near(cau_scores_get(s, "macro-recall", NULL), 0.3333333333333333, 1e-15);
    assert_near(cau_scores_get(s, "macro-f1", NULL), 0.3285714285714286, 1e-15);
    assert_near(s->measures.low, 0.236593090512564, 1e-14);
    assert_near(s->measures.high, 0.7634069094874361, 1e-14);

    static const uint64_t matrix[5][5] = {
        {2, 1, 1, 0, 0}, {1, 2, 0, 0, 0}, {0, 1, 1, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 1, 0}};
    uint64_t got[5][5] = {{0}};
    for (size_t i = 0; i < s->pairs.keys.count; i++)
        got[s->pairs.pair[i].gold][s->pairs.pair[i].predicted] += s->pairs.pair[i].count;
    assert_memory_equal(got, matrix, sizeof matrix);

    assert_true(isnan(cau_scores_get(s, "log-loss", NULL)));
    assert_true(isnan(cau_scores_get(s, "no such measure", NULL)));
    assert_true(isnan(cau_scores_get(s, "no such measure", "a")));
    assert_true(isnan(cau_scores_get(s, "f1", "no such class")));
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

static void intervals_stay_inside(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx, "a a\na a\na a\na a\na a\na a\na a\na a\na a\na a\n", &s));
    assert_near(s->measures.low, 0.7224672001371109, 1e-14);
    assert_near(s->measures.high, 1, 1e-15);
    assert_true(s->measures.high <= 1);
    cau_scores_free(s);
    assert_ok(ctx, read_text(ctx, "a b\n", &s));
    assert_near(s->measures.low, 0, 0);
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

/* scipy.stats.binomtest(k, n).proportion_ci(method='wilson') */
static void intervals_are_those_of_wilson(void **state)
{
    (void)state;
    double low, high;
    cau_wilson(4, 10, &low, &high);
    assert_near(low, 0.16818033, 1e-8);
    assert_near(high, 0.68732623, 1e-8);
    cau_wilson(900, 900, &low, &high);
    assert_near(low, 0.995749853, 1e-9);
    assert_near(high, 1, 0);
}

/* In each text two instances, x and y, are both right. */
static void reads_columns(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x\tx\ny\ty\n",
        "x x\ny y",                          /* blanks, no final newline */
        "  x   x  \r\n\r\n \t\r\ny y\r\n",   /* many blanks, CR LF, blank lines */
        "\xef\xbb\xbfx\tx\ny\ty\n",          /* a byte-order mark */
        "The DT x x\nend NN y y\n",          /* more columns, by blanks */
        "The\tDT\tx\tx\nof the\tIN\ty\ty\n", /* by TAB, a cell with a blank */
        "The DT x\tx\nend NN y\ty\n",        /* by blanks, and a label added by TAB */
        "x\tx\nend NN y\ty\n?\tx\n",         /* '?' is not scored */
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        caucus_scores *s = NULL;
        assert_ok(ctx, read_text(ctx, texts[i], &s));
        assert_int_equal(s->instances, 2);
        assert_int_equal(s->correct, 2);
        assert_int_equal(s->skipped, strchr(texts[i], '?') != NULL);
        assert_near(cau_scores_get(s, "support", "x"), 1, 0);
        assert_near(cau_scores_get(s, "support", "y"), 1, 0);
        cau_scores_free(s);
    }
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx, "rec sport\trec sport\ntalk\trec sport\nrec sport\ttalk\n", &s));
    assert_near(cau_scores_get(s, "support", "rec sport"), 2, 0);
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

static void reads_several_files(void **state)
{
    (void)state;
    const char *paths[] = {test_file("one.txt", "a\ta\n", 4), test_file("two.txt", "b\ta\n", 4)};
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, cau_scores_read(ctx, &plain, paths, 2, &s));
    assert_near(cau_scores_get(s, "accuracy", NULL), 0.5, 0);
    cau_scores_free(s);
    paths[1] = test_path("absent.txt");
    s = NULL;
    assert_fails(ctx, cau_scores_read(ctx, &plain, paths, 2, &s), CAUCUS_ERR_IO, "absent.txt");
    assert_null(s);
    caucus_ctx_free(ctx);
}

static void refuses_what_it_cannot_score(void **state)
{
    (void)state;
    check_fails("", "tagged.txt: no instances");
    check_fails("\n \n\t\n", "tagged.txt: no instances");
    check_fails("?\ta\n?\tb\n", "every instance is '?'");
    check_fails("a\ta\nb\n", "tagged.txt:2: no gold label");
    check_fails("a a\n  b  \n", "tagged.txt:2: no gold label");
    check_fails("a\ta\n\tb\n", "tagged.txt:2: the gold label is empty");
    check_fails("a\ta\n\nb\t\n", "tagged.txt:3: the predicted label is empty");
    check_fails("The DT x\tx\na\trec sport\n", "tagged.txt:2: the label 'rec sport' has blanks");
    check_fails("a\ta\n\xff\ta\n", "tagged.txt:2: ");

    /* A label far too long for a message is cut between characters. */
    char text[700] = "The DT x\tx\na\tb ";
    for (size_t n = strlen(text); n < 600; n += 2) memcpy(text + n, "\xc3\xa9", 3);
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_fails(ctx, read_text(ctx, text, &s), CAUCUS_ERR_FORMAT, "\xc3\xa9' has blanks");
    assert_true(strlen(caucus_message(ctx)) < 400);
    caucus_ctx_free(ctx);
}

/* Many labels: the table of pairs grows, and every pair keeps its count. */
static void counts_many_pairs(void **state)
{
    (void)state;
    enum { LABELS = 97, LINES = 40000 };
    static uint64_t want[LABELS][LABELS];
    char *text = malloc((size_t)LINES * 16);
    size_t n = 0;
    uint64_t random = 1;
    assert_non_null(text);
    for (size_t i = 0; i < LINES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t gold = (random >> 33) % LABELS, predicted = (random >> 45) % LABELS;
        want[gold][predicted]++;
        n += (size_t)sprintf(text + n, "L%zu\tL%zu\n", gold, predicted);
    }
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, read_text(ctx, text, &s));
    assert_int_equal(s->Y, LABELS);
    size_t pairs = 0;
    for (size_t i = 0; i < LABELS; i++)
        for (size_t j = 0; j < LABELS; j++) pairs += want[i][j] != 0;
    assert_int_equal(s->pairs.keys.count, pairs);
    for (size_t i = 0; i < s->pairs.keys.count; i++) /* natural order: class i is L<i> */
        assert_int_equal(s->pairs.pair[i].count,
                         want[s->pairs.pair[i].gold][s->pairs.pair[i].predicted]);
    cau_scores_free(s);
    caucus_ctx_free(ctx);
    free(text);
}

static void survives_memory_failures(void **state)
{
    (void)state;
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < 120; i++) n += (size_t)sprintf(text + n, "label%d\tlabel%d\n", i, i / 2);
    sample_without_memory(&plain, text, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_scikit_learn),
        cmocka_unit_test(intervals_stay_inside),
        cmocka_unit_test(intervals_are_those_of_wilson),
        cmocka_unit_test(reads_columns),
        cmocka_unit_test(reads_several_files),
        cmocka_unit_test(refuses_what_it_cannot_score),
        cmocka_unit_test(counts_many_pairs),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
