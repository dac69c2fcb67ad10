/* compare_test.c - from tokens and sentences to tests, tables and JSON. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/compare.h"
#include "support/base_sample.h"

static const char *const two[] = {"a.txt", "b.txt"};
static const char *const three[] = {"base", "m\xC3\xA9thode", "c.txt"};

static cau_compare *compare_of(caucus_ctx *ctx, size_t systems, cau_unit unit)
{
    cau_compare *c = NULL;
    assert_ok(ctx,
              cau_compare_new(ctx, systems, systems == 2 ? two : three, unit, CAU_PAIRS_ALL, &c));
    return c;
}

/* Counts `count` tokens; the digit 1 of `right` is a system that has them right. */
static void tokens(cau_compare *c, size_t count, const char *right)
{
    bool is[8];
    for (size_t s = 0; right[s]; s++) is[s] = right[s] == '1';
    for (size_t i = 0; i < count; i++) assert_int_equal(cau_compare_token(c, is), CAUCUS_OK);
}

static void sentence(cau_compare *c, cau_counts a, cau_counts b, bool document)
{
    const cau_counts counts[] = {a, b};
    tokens(c, 3, "11");
    assert_int_equal(cau_compare_break(c, counts, document), CAUCUS_OK);
}

/* The results, to be released. */
static json_t *comparison_of(const cau_compare *c)
{
    cau_tree tree = {0};
    cau_tree_object(&tree, NULL);
    cau_compare_tree(c, &tree);
    cau_tree_end(&tree);
    assert_false(tree.failed);
    json_t *comparison = json_incref(cau_at(tree.root, "comparison"));
    cau_tree_clear(&tree);
    return comparison;
}

/* A number of the first pair. */
static double get(const cau_compare *c, const char *path)
{
    json_t *comparison = comparison_of(c);
    const double x = cau_number_at(cau_at(comparison, "pairs.0"), path);
    json_decref(comparison);
    return x;
}

/* ---- counts -------------------------------------------------------------------------- */

static void counts_tokens_of_classes(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = compare_of(ctx, 2, CAU_UNIT_SENTENCE);
    tokens(c, 40, "11");
    tokens(c, 10, "10");
    tokens(c, 25, "01");
    tokens(c, 25, "00");
    assert_ok(ctx, cau_compare_finish(ctx, c, false, 2000, 1, 2));
    assert_near(get(c, "chi2"), 5.6, 1e-12);
    assert_near(get(c, "p.mcnemar"), 0.01796, 5e-6);
    assert_near(get(c, "p.exact"), 0.016674, 5e-7);
    assert_near(get(c, "difference"), 0.15, 1e-15);
    /* Randomisation of single tokens is McNemar's exact test; the bootstrap is almost normal. */
    assert_near(get(c, "p.randomisation"), 0.016674, 4 * sqrt(0.0167 / 2000) + 1e-3);
    const double error = sqrt(0.35 - 0.15 * 0.15) / 10; /* of the difference */
    assert_near(get(c, "p.bootstrap"), erfc(0.15 / error / sqrt(2)), 0.012);
    assert_near(get(c, "interval.0"), 0.15 - 1.96 * error, 0.015);
    assert_near(get(c, "interval.1"), 0.15 + 1.96 * error, 0.015);
    cau_compare_free(c);
    caucus_ctx_free(ctx);
}

/* The same units, added one by one, must give the same numbers. */
static void check_units(const cau_compare *c, size_t count, const cau_share (*unit)[2],
                        uint64_t resamples, uint64_t seed)
{
    caucus_ctx *ctx = test_ctx();
    cau_shares *units = NULL;
    cau_interval scores[2];
    cau_resampled pair;
    assert_ok(ctx, cau_shares_new(ctx, 2, &units));
    for (size_t i = 0; i < count; i++) assert_int_equal(cau_shares_add(units, unit[i]), CAUCUS_OK);
    assert_ok(ctx, cau_resample(ctx, units, resamples, seed, 1, 1, scores, &pair));
    assert_near(get(c, "difference"), pair.difference, 0);
    assert_near(get(c, "interval.0"), pair.low, 0);
    assert_near(get(c, "interval.1"), pair.high, 0);
    assert_near(get(c, "p.bootstrap"), pair.bootstrap, 0);
    assert_near(get(c, "p.randomisation"), pair.randomisation, 0);
    cau_shares_free(units);
    caucus_ctx_free(ctx);
}

/* gold, found and correct of two systems in five sentences of two documents and a first one that
 * nothing marks */
static void add_sentences(cau_compare *c)
{
    sentence(c, (cau_counts){3, 2, 1}, (cau_counts){3, 3, 2}, false);
    sentence(c, (cau_counts){1, 1, 1}, (cau_counts){1, 1, 0}, false);
    sentence(c, (cau_counts){4, 4, 2}, (cau_counts){4, 5, 4}, true);
    sentence(c, (cau_counts){0, 1, 0}, (cau_counts){0, 0, 0}, true);
    sentence(c, (cau_counts){2, 2, 1}, (cau_counts){2, 2, 2}, false);
}

static void resamples_sentences(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = compare_of(ctx, 2, CAU_UNIT_SENTENCE);
    add_sentences(c);
    assert_ok(ctx, cau_compare_finish(ctx, c, true, 500, 7, 2));
    static const cau_share unit[][2] = {
        {{2, 5}, {4, 6}}, {{2, 2}, {0, 2}}, {{4, 8}, {8, 9}}, {{0, 1}, {0, 0}}, {{2, 4}, {4, 4}}};
    check_units(c, 5, unit, 500, 7);
    assert_near(get(c, "difference"), 16.0 / 21 - 10.0 / 20, 1e-15);
    assert_near(get(c, "p.mcnemar"), 1, 0); /* all tokens are right in both */
    cau_compare_free(c);
    caucus_ctx_free(ctx);
}

static void resamples_documents(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = compare_of(ctx, 2, CAU_UNIT_DOCUMENT);
    add_sentences(c);
    assert_ok(ctx, cau_compare_finish(ctx, c, true, 500, 7, 2));
    static const cau_share unit[][2] = {{{4, 7}, {4, 8}}, {{4, 8}, {8, 9}}, {{2, 5}, {4, 4}}};
    check_units(c, 3, unit, 500, 7);
    cau_compare_free(c);
    caucus_ctx_free(ctx);
}

/* A label of a class follows chunks: all sentences are then scored by their tokens. */
static void scores_classes_after_chunks(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const cau_counts counts[2] = {{1, 1, 1}, {1, 1, 0}};
    static const cau_share unit[][2] = {{{2, 3}, {3, 3}}, {{1, 2}, {0, 2}}, {{1, 1}, {1, 1}}};
    for (int told = 0; told < 2; told++) { /* by a missing count, or at the end */
        cau_compare *c = compare_of(ctx, 2, CAU_UNIT_SENTENCE);
        tokens(c, 2, "11");
        tokens(c, 1, "01");
        assert_int_equal(cau_compare_break(c, counts, false), CAUCUS_OK);
        tokens(c, 1, "10");
        tokens(c, 1, "00");
        assert_int_equal(cau_compare_break(c, told ? NULL : counts, false), CAUCUS_OK);
        assert_int_equal(cau_compare_break(c, NULL, false), CAUCUS_OK); /* an empty sentence */
        tokens(c, 1, "11"); /* no end follows: the last sentence */
        assert_ok(ctx, cau_compare_finish(ctx, c, told, 300, 2, 1));
        check_units(c, 3, unit, 300, 2);
        cau_compare_free(c);
    }
    caucus_ctx_free(ctx);
}

/* ---- rejected data ------------------------------------------------------------------- */

static void refuses_too_little(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = compare_of(ctx, 2, CAU_UNIT_SENTENCE);
    assert_fails(ctx, cau_compare_finish(ctx, c, false, 100, 1, 1), CAUCUS_ERR_FORMAT,
                 "0 tokens, but resampling needs two or more; compare on more data");
    cau_compare_free(c);

    c = compare_of(ctx, 2, CAU_UNIT_SENTENCE);
    sentence(c, (cau_counts){1, 1, 1}, (cau_counts){1, 1, 0}, false);
    assert_fails(ctx, cau_compare_finish(ctx, c, true, 100, 1, 1), CAUCUS_ERR_FORMAT,
                 "1 sentence, but");
    cau_compare_free(c);

    c = compare_of(ctx, 2, CAU_UNIT_DOCUMENT);
    sentence(c, (cau_counts){1, 1, 1}, (cau_counts){1, 1, 0}, false);
    sentence(c, (cau_counts){1, 1, 1}, (cau_counts){1, 1, 0}, false);
    assert_fails(ctx, cau_compare_finish(ctx, c, true, 100, 1, 1), CAUCUS_ERR_FORMAT,
                 "no line -DOCSTART-");
    cau_compare_free(c);

    c = compare_of(ctx, 2, CAU_UNIT_DOCUMENT);
    sentence(c, (cau_counts){1, 1, 1}, (cau_counts){1, 1, 0}, true);
    assert_fails(ctx, cau_compare_finish(ctx, c, true, 100, 1, 1), CAUCUS_ERR_FORMAT,
                 "1 document, but");
    cau_compare_free(c);
    cau_compare_free(NULL);
    caucus_ctx_free(ctx);
}

/* ---- text and JSON -------------------------------------------------------------------- */

/* The report of a comparison, to be cleared. */
static cau_strbuf report_of(caucus_ctx *ctx, const cau_compare *c)
{
    cau_strbuf got = {0};
    cau_writer out = {.ctx = ctx, .write = into_text, .user = &got};
    json_t *comparison = comparison_of(c);
    cau_compare_print(comparison, &out);
    assert_ok(ctx, cau_writer_flush(&out, true));
    json_decref(comparison);
    cau_writer_clear(&out);
    return got;
}

static void check_report(caucus_ctx *ctx, const cau_compare *c, const char *want)
{
    cau_strbuf got = report_of(ctx, c);
    assert_string_equal(got.s, want);
    cau_strbuf_clear(&got);
}

/* b.txt has a chunk more in each of ten sentences. */
static cau_compare *sample(caucus_ctx *ctx)
{
    cau_compare *c = compare_of(ctx, 2, CAU_UNIT_SENTENCE);
    for (uint64_t i = 0; i < 10; i++) {
        tokens(c, i % 2, "10");
        tokens(c, 2, "01");
        sentence(c, (cau_counts){10, 10, i / 2}, (cau_counts){10, 10, 1 + i / 2}, false);
    }
    assert_ok(ctx, cau_compare_finish(ctx, c, true, 10000, 1, 2));
    return c;
}

static void reports_two_systems(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = sample(ctx);
    check_report(ctx, c,
                 "2 systems compared by the F1 of chunks: 10 sentences, 55 tokens\n"
                 "\n"
                 "           system        F1      95% interval\n"
                 "        1  a.txt     0.2000  0.1100 to 0.2900\n"
                 "        2  b.txt     0.3000  0.2100 to 0.3900\n"
                 "    2 - 1            0.1000  0.1000 to 0.1000\n"
                 "\n"
                 "paired bootstrap           p <= 0.0002  two-sided\n"
                 "approximate randomisation  p = 0.0023   two-sided\n"
                 "McNemar, chi-square        p = 0.0051   two-sided, chi2 7.8400\n"
                 "McNemar, exact             p = 0.0041   two-sided; tokens right in 1 only: 5, "
                 "in 2 only: 20\n"
                 "\n"
                 "Bootstrap and randomisation test the F1 of chunks by resampling sentences; 10000 "
                 "resamples, seed 1.\n"
                 "McNemar's test compares the labels of single tokens, not F1.\n");
    cau_compare_free(c);

    c = compare_of(ctx, 2, CAU_UNIT_SENTENCE); /* equal systems; each token is a unit */
    tokens(c, 5, "10");
    tokens(c, 5, "01");
    assert_ok(ctx, cau_compare_finish(ctx, c, false, 99, 4, 1));
    cau_strbuf got = report_of(ctx, c);
    assert_non_null(strstr(got.s, "2 systems compared by accuracy: 10 tokens, 10 tokens\n"));
    assert_non_null(strstr(got.s, "p = 1.0000  two-sided\n"));
    assert_non_null(strstr(got.s, "test accuracy by resampling tokens; 99 resamples, seed 4"));
    cau_strbuf_clear(&got);
    cau_compare_free(c);
    caucus_ctx_free(ctx);
}

/* Systems far apart: the p-values of McNemar are below the smallest that is printed. */
static void prints_very_small_p_values(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = compare_of(ctx, 2, CAU_UNIT_SENTENCE);
    tokens(c, 3000, "10");
    assert_ok(ctx, cau_compare_finish(ctx, c, false, 9, 4, 1));
    cau_strbuf got = report_of(ctx, c);
    assert_non_null(strstr(got.s, "p < 1e-300"));
    assert_non_null(strstr(got.s, "p <= 0.2 "));
    cau_strbuf_clear(&got);
    cau_compare_free(c);
    caucus_ctx_free(ctx);
}

static cau_compare *sample_of_three(caucus_ctx *ctx, cau_pairs pairs)
{
    cau_compare *c = NULL;
    assert_ok(ctx, cau_compare_new(ctx, 3, three, CAU_UNIT_SENTENCE, pairs, &c));
    for (size_t i = 0; i < 50; i++) {
        tokens(c, 7, "111");
        tokens(c, 1, i % 3 ? "011" : "101");
        tokens(c, 1, i % 2 ? "001" : "000");
        tokens(c, i % 5 == 0, "110");
        assert_int_equal(cau_compare_break(c, NULL, false), CAUCUS_OK);
    }
    assert_ok(ctx, cau_compare_finish(ctx, c, false, 1000, 1, 2));
    return c;
}

static void reports_three_systems(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = sample_of_three(ctx, CAU_PAIRS_ALL);
    check_report(ctx, c,
                 "3 systems compared by accuracy: 50 sentences, 460 tokens\n"
                 "\n"
                 "           system   accuracy      95% interval\n"
                 "        1  base       0.8196  0.8053 to 0.8359\n"
                 "        2  méthode    0.8543  0.8381 to 0.8683\n"
                 "        3  c.txt      0.9239  0.9050 to 0.9432\n"
                 "\n"
                 "     pair  difference      95% interval  bootstrap        Holm  randomisation "
                 "     Holm\n"
                 "    2 - 1      0.0348  0.0043 to 0.0613     0.0500      0.0500         0.0370 "
                 "   0.0370\n"
                 "    3 - 1      0.1043  0.0778 to 0.1294   <= 0.002  <= 0.00599    <= 0.000999 "
                 " <= 0.003\n"
                 "    3 - 2      0.0696  0.0475 to 0.0943   <= 0.002  <= 0.00599    <= 0.000999 "
                 " <= 0.003\n"
                 "\n"
                 "     pair  only second  only first     chi2   McNemar      Holm     exact      "
                 "Holm\n"
                 "    2 - 1           33          17   4.5000    0.0339    0.0339    0.0328    "
                 "0.0328\n"
                 "    3 - 1           58          10  32.4853   1.2e-08   3.6e-08  2.36e-09  "
                 "7.08e-09\n"
                 "    3 - 2           42          10  18.4808  1.72e-05  3.43e-05  9.06e-06  "
                 "1.81e-05\n"
                 "\n"
                 "All p-values are two-sided. Holm: corrected for 3 pairs.\n"
                 "Bootstrap and randomisation test accuracy by resampling sentences; 1000 "
                 "resamples, seed 1.\n"
                 "McNemar's test takes tokens as independent.\n");
    cau_compare_free(c);
    caucus_ctx_free(ctx);
}

static void writes_json(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *c = sample_of_three(ctx, CAU_PAIRS_ALL);
    json_t *it = comparison_of(c);
    assert_string_equal(json_string_value(cau_at(it, "measure")), "accuracy");
    assert_string_equal(json_string_value(cau_at(it, "unit")), "sentence");
    assert_near(cau_number_at(it, "units"), 50, 0);
    assert_near(cau_number_at(it, "tokens"), 460, 0);
    assert_near(cau_number_at(it, "resamples"), 1000, 0);
    assert_near(cau_number_at(it, "seed"), 1, 0);
    assert_int_equal(json_array_size(cau_at(it, "systems")), 3);
    assert_string_equal(json_string_value(cau_at(it, "systems.1.name")), three[1]);
    assert_near(cau_number_at(it, "systems.0.right"), 350 + 17 + 10, 0);
    assert_near(cau_number_at(it, "systems.0.score"), 377.0 / 460, 1e-15);
    assert_true(cau_number_at(it, "systems.0.interval.0") < 377.0 / 460);
    assert_true(cau_number_at(it, "systems.0.interval.1") > 377.0 / 460);
    assert_int_equal(json_array_size(cau_at(it, "pairs")), 3);
    for (size_t a = 0, i = 0; a < 3; a++)
        for (size_t b = a + 1; b < 3; b++, i++) {
            json_t *pair = json_array_get(cau_at(it, "pairs"), i);
            assert_near(cau_number_at(pair, "first"), (double)a, 0);
            assert_near(cau_number_at(pair, "second"), (double)b, 0);
            const cau_mcnemar test = cau_mcnemar_test(cau_count_at(pair, "only_first"),
                                                      cau_count_at(pair, "only_second"));
            assert_near(cau_number_at(pair, "chi2"), test.chi2, 0);
            assert_near(cau_number_at(pair, "p.mcnemar"), test.p, 0);
            assert_near(cau_number_at(pair, "p.exact"), test.exact, 0);
            const double scores[] = {
                cau_number_at(json_array_get(cau_at(it, "systems"), a), "score"),
                cau_number_at(json_array_get(cau_at(it, "systems"), b), "score")};
            assert_near(cau_number_at(pair, "difference"), scores[1] - scores[0], 0);
            assert_true(cau_number_at(pair, "interval.0") < cau_number_at(pair, "difference"));
            assert_true(cau_number_at(pair, "interval.1") > cau_number_at(pair, "difference"));
        }
    /* 0 against 1: 17 to 33 tokens; 0 against 2: 10 to 33 + 25; 1 against 2: 10 to 17 + 25 */
    assert_near(cau_number_at(it, "pairs.0.only_first"), 17, 0);
    assert_near(cau_number_at(it, "pairs.0.only_second"), 33, 0);
    assert_near(cau_number_at(it, "pairs.1.only_first"), 10, 0);
    assert_near(cau_number_at(it, "pairs.1.only_second"), 58, 0);
    assert_near(cau_number_at(it, "pairs.2.only_first"), 10, 0);
    assert_near(cau_number_at(it, "pairs.2.only_second"), 42, 0);
    assert_near(cau_number_at(it, "pairs.1.holm.exact"), 3 * cau_number_at(it, "pairs.1.p.exact"),
                1e-15);
    assert_near(cau_number_at(it, "pairs.2.holm.exact"), 2 * cau_number_at(it, "pairs.2.p.exact"),
                1e-15);
    assert_near(cau_number_at(it, "pairs.0.holm.exact"), cau_number_at(it, "pairs.0.p.exact"), 0);
    json_decref(it);
    cau_compare_free(c);
    caucus_ctx_free(ctx);
}

/* The pairs with the first system are those among all pairs; only Holm's factor differs. */
static void compares_with_the_first_only(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_compare *all = sample_of_three(ctx, CAU_PAIRS_ALL);
    cau_compare *first = sample_of_three(ctx, CAU_PAIRS_FIRST);
    json_t *a = comparison_of(all), *b = comparison_of(first);
    assert_int_equal(json_array_size(cau_at(b, "pairs")), 2);
    assert_true(json_equal(cau_at(a, "systems"), cau_at(b, "systems")));
    for (size_t i = 0; i < 2; i++) {
        json_t *want = json_array_get(cau_at(a, "pairs"), i);
        json_t *got = json_array_get(cau_at(b, "pairs"), i);
        json_object_set(want, "holm", cau_at(got, "holm"));
        assert_true(json_equal(want, got));
    }
    assert_near(cau_number_at(b, "pairs.0.holm.exact"), cau_number_at(b, "pairs.0.p.exact"), 0);
    assert_near(cau_number_at(b, "pairs.1.holm.exact"), 2 * cau_number_at(b, "pairs.1.p.exact"),
                1e-15);
    cau_strbuf got = report_of(ctx, first);
    assert_non_null(strstr(got.s, "    3 - 1      0.1043"));
    assert_null(strstr(got.s, "    3 - 2"));
    assert_non_null(strstr(got.s, "Holm: corrected for 2 pairs."));
    cau_strbuf_clear(&got);
    json_decref(a);
    json_decref(b);
    cau_compare_free(all);
    cau_compare_free(first);
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------- */

static caucus_status compare_once(void *self)
{
    const cau_unit unit = *(const cau_unit *)self;
    caucus_ctx *ctx = NULL;
    cau_compare *c = NULL;
    cau_strbuf got = {0};
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_compare_new(ctx, 2, two, unit, CAU_PAIRS_ALL, &c);
    for (uint64_t i = 0; !st && i < 100; i++) {
        const cau_counts counts[2] = {{i, i, i / 2}, {i, i + 1, i / 3}};
        st = cau_compare_token(c, (bool[2]){i % 2, i % 3});
        if (!st) st = cau_compare_break(c, counts, i % 10 == 0);
    }
    if (!st) st = cau_compare_finish(ctx, c, true, 100, 1, 1);
    if (!st) {
        cau_writer out = {.ctx = ctx, .write = into_text, .user = &got};
        json_t *comparison = comparison_of(c);
        cau_compare_print(comparison, &out);
        st = cau_writer_flush(&out, true);
        json_decref(comparison);
        cau_writer_clear(&out);
    }
    cau_strbuf_clear(&got);
    cau_compare_free(c);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_memory_failures(void **state)
{
    (void)state;
    cau_unit unit = CAU_UNIT_SENTENCE;
    assert_true(test_every_allocation(compare_once, &unit) > 40);
    unit = CAU_UNIT_DOCUMENT;
    assert_true(test_every_allocation(compare_once, &unit) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_tokens_of_classes),
        cmocka_unit_test(resamples_sentences),
        cmocka_unit_test(resamples_documents),
        cmocka_unit_test(scores_classes_after_chunks),
        cmocka_unit_test(refuses_too_little),
        cmocka_unit_test(reports_two_systems),
        cmocka_unit_test(prints_very_small_p_values),
        cmocka_unit_test(reports_three_systems),
        cmocka_unit_test(writes_json),
        cmocka_unit_test(compares_with_the_first_only),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
