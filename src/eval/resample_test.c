/* resample_test.c - resampling against full enumeration, and against theory. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/compare.h"
#include "support/support.h"

static cau_shares *units_of(caucus_ctx *ctx, size_t systems, size_t count, const cau_share *shares)
{
    cau_shares *units = NULL;
    assert_ok(ctx, cau_shares_new(ctx, systems, &units));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(cau_shares_add(units, shares + i * systems), CAUCUS_OK);
    assert_int_equal(cau_shares_count(units), count);
    return units;
}

/* ---- enumeration --------------------------------------------------------------------- */

typedef struct {
    double delta;
    double against; /* probability that delta* does not have its sign */
    double extreme; /* probability that |delta*| >= |delta| */
    double low, high;
} enumerated_tests;

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double score(uint64_t hits, uint64_t base)
{
    return base ? (double)hits / (double)base : 0;
}

static double difference(cau_share a, cau_share b)
{
    return score(b.hits, b.base) - score(a.hits, a.base);
}

/* Enumerates the n^n draws and the 2^n exchanges of n units. */
static enumerated_tests enumerate(size_t n, const cau_share (*unit)[2])
{
    enumerated_tests e = {0};
    cau_share a = {0, 0}, b = {0, 0};
    size_t draws = 1;
    for (size_t i = 0; i < n; i++) {
        a.hits += unit[i][0].hits, a.base += unit[i][0].base;
        b.hits += unit[i][1].hits, b.base += unit[i][1].base;
        draws *= n;
    }
    e.delta = difference(a, b);
    double *delta = malloc(draws * sizeof *delta);
    assert_non_null(delta);
    for (size_t code = 0; code < draws; code++) {
        a = b = (cau_share){0, 0};
        for (size_t i = 0, c = code; i < n; i++, c /= n) {
            a.hits += unit[c % n][0].hits, a.base += unit[c % n][0].base;
            b.hits += unit[c % n][1].hits, b.base += unit[c % n][1].base;
        }
        delta[code] = difference(a, b);
        e.against += e.delta > 0 ? delta[code] <= 0 : delta[code] >= 0;
    }
    qsort(delta, draws, sizeof *delta, compare_reals);
    e.against /= (double)draws;
    e.low = delta[draws / 40];
    e.high = delta[draws - 1 - draws / 40];
    free(delta);
    for (size_t code = 0; code < (size_t)1 << n; code++) {
        a = b = (cau_share){0, 0};
        for (size_t i = 0; i < n; i++) {
            const size_t first = code >> i & 1;
            a.hits += unit[i][first].hits, a.base += unit[i][first].base;
            b.hits += unit[i][!first].hits, b.base += unit[i][!first].base;
        }
        e.extreme += fabs(difference(a, b)) > fabs(e.delta) - 1e-12;
    }
    e.extreme /= (double)((size_t)1 << n);
    return e;
}

static void check_enumeration(size_t n, const cau_share (*unit)[2], uint64_t seed)
{
    enum { B = 40000 };
    caucus_ctx *ctx = test_ctx();
    const enumerated_tests want = enumerate(n, unit);
    cau_shares *units = units_of(ctx, 2, n, *unit);
    cau_interval scores[2];
    cau_resampled got;
    assert_ok(ctx, cau_resample(ctx, units, B, seed, 2, 1, scores, &got));
    assert_near(got.difference, want.delta, 1e-15);
    assert_near(scores[1].score - scores[0].score, want.delta, 1e-15);
    if (want.delta == 0)
        assert_near(got.bootstrap, 1, 0);
    else
        assert_near(got.bootstrap, fmin(1, 2 * want.against),
                    8 * sqrt(want.against * (1 - want.against) / B) + 4.0 / B);
    assert_near(got.randomisation, want.extreme,
                4 * sqrt(want.extreme * (1 - want.extreme) / B) + 2.0 / B);
    assert_true(got.low <= got.high);
    cau_shares_free(units);
    caucus_ctx_free(ctx);
}

static void agrees_with_enumeration(void **state)
{
    (void)state;
    static const cau_share mixed[4][2] = {
        {{2, 4}, {4, 5}}, {{0, 3}, {2, 4}}, {{6, 6}, {4, 6}}, {{2, 7}, {2, 7}}};
    static const cau_share alike[4][2] = {
        {{1, 2}, {2, 2}}, {{1, 2}, {2, 2}}, {{1, 2}, {2, 2}}, {{2, 2}, {1, 2}}};
    static const cau_share empty[4][2] = {
        {{0, 0}, {0, 0}}, {{0, 0}, {0, 1}}, {{2, 2}, {0, 1}}, {{0, 0}, {0, 0}}};
    static const cau_share even[3][2] = {{{1, 3}, {2, 3}}, {{2, 3}, {1, 3}}, {{5, 5}, {5, 5}}};
    /* 8/45 either way, but half of the exchanges round it lower than the data do */
    static const cau_share rounded[4][2] = {
        {{0, 1}, {0, 1}}, {{2, 7}, {0, 1}}, {{4, 6}, {2, 6}}, {{0, 1}, {0, 1}}};
    static const cau_share six[6][2] = {{{2, 4}, {4, 5}}, {{0, 3}, {2, 4}}, {{6, 6}, {4, 6}},
                                        {{2, 7}, {2, 7}}, {{2, 4}, {4, 5}}, {{0, 0}, {0, 2}}};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        check_enumeration(4, mixed, seed);
        check_enumeration(4, alike, seed);
        check_enumeration(4, empty, seed);
        check_enumeration(3, even, seed);
        check_enumeration(4, rounded, seed);
        check_enumeration(6, six, seed);
    }
}

static void finds_the_interval(void **state)
{
    (void)state;
    enum { N = 6, B = 100000 };
    static const cau_share unit[N][2] = {{{2, 4}, {4, 5}}, {{0, 3}, {2, 4}}, {{6, 6}, {4, 6}},
                                         {{2, 7}, {2, 7}}, {{2, 4}, {5, 9}}, {{0, 0}, {0, 2}}};
    caucus_ctx *ctx = test_ctx();
    cau_shares *units = units_of(ctx, 2, N, *unit);
    const enumerated_tests want = enumerate(N, unit);
    cau_interval scores[2];
    cau_resampled got;
    assert_ok(ctx, cau_resample(ctx, units, B, 5, 2, 1, scores, &got));
    assert_near(got.low, want.low, 0.01); /* a step of its distribution there */
    assert_near(got.high, want.high, 0.01);
    cau_shares_free(units);
    caucus_ctx_free(ctx);
}

/* ---- theory -------------------------------------------------------------------------- */

/* P(X = k) of binomial(n, p) by logarithms. */
static double probability(double n, double p, double k)
{
    int sign;
    return exp(lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) +
               k * log(p) + (n - k) * log1p(-p));
}

/* Pearson's chi-square of 200000 numbers against their distribution, cells of 20 and more. */
static void check_binomial(uint64_t n, double p, uint64_t seed)
{
    enum { DRAWS = 200000 };
    double *seen = calloc(n + 1, sizeof *seen);
    assert_non_null(seen);
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t k = cau_binomial(&rng, n, p);
        assert_true(k <= n);
        seen[k]++;
    }
    double chi2 = 0, cells = 0, expected = 0, observed = 0;
    for (uint64_t k = 0; k <= n; k++) {
        expected += DRAWS * probability((double)n, p, (double)k);
        observed += seen[k];
        if (expected < 20 && k < n) continue;
        if (expected > 0) chi2 += (observed - expected) * (observed - expected) / expected;
        cells++;
        expected = observed = 0;
    }
    free(seen);
    /* mean cells - 1, variance 2 (cells - 1): within 4.5 of these, and the end cells */
    assert_true(chi2 < cells + 4.5 * sqrt(2 * cells) + 10);
}

static void draws_binomial_numbers(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double p;
    } cases[] = {{1, 0.5},    {10, 0.3},   {40, 0.24},    {40, 0.26},     {20, 0.5},  {25, 0.9},
                 {100, 0.01}, {100, 0.97}, {1000, 0.02},  {1000, 0.3},    {1000, .5}, {5000, 0.7},
                 {40000, .2}, {40000, .5}, {40000, 1e-4}, {40000, 6.4e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_binomial(cases[i].n, cases[i].p, i);
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(cau_binomial(&rng, 0, 0.3), 0);
        assert_int_equal(cau_binomial(&rng, 9, 0), 0);
        assert_int_equal(cau_binomial(&rng, 9, 1), 9);
        uint64_t k = cau_binomial(&rng, UINT64_C(1000000000000), 0.5);
        assert_near((double)k, 5e11, 6 * 5e5);
    }
}

/* Accuracy over tokens is binomial under the bootstrap, whether the tokens are drawn as groups,
 * byte by byte, or in a last parcel: the groups are split by a system that nobody asks about. */
static void check_accuracy(size_t kinds)
{
    enum { N = 3000, RIGHT = 900, B = 20000 };
    caucus_ctx *ctx = test_ctx();
    cau_shares *units = NULL;
    assert_ok(ctx, cau_shares_new(ctx, 2, &units));
    for (size_t i = 0; i < N; i++) {
        cau_share share[2] = {{i < RIGHT, 1}, {i % kinds, kinds}};
        assert_int_equal(cau_shares_add(units, share), CAUCUS_OK);
    }
    cau_interval scores[2];
    cau_resampled pair;
    assert_ok(ctx, cau_resample(ctx, units, B, kinds, 2, 1, scores, &pair));
    assert_near(scores[0].score, 0.3, 0);
    /* percentiles 2.5 and 97.5 of binomial(3000, .3) by scipy: 851 and 949 */
    assert_near(scores[0].low, 851.0 / N, 2.5 / N);
    assert_near(scores[0].high, 949.0 / N, 2.5 / N);
    cau_shares_free(units);
    caucus_ctx_free(ctx);
}

static void draws_units_with_equal_probability(void **state)
{
    (void)state;
    check_accuracy(1);    /* two groups */
    check_accuracy(20);   /* groups of 45 and of 105 */
    check_accuracy(50);   /* groups of 18, byte by byte, and of 42 */
    check_accuracy(3000); /* all different: eleven parcels and a smaller one */
}

/* Two systems that are equally good by construction: p is uniform, or larger. */
static void is_uniform_under_the_null(void **state)
{
    (void)state;
    enum { TRIALS = 400, N = 60, B = 199 };
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 99);
    size_t low[2] = {0}, tenth[2] = {0}, half[2] = {0};
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        cau_shares *units = NULL;
        assert_ok(ctx, cau_shares_new(ctx, 2, &units));
        for (size_t i = 0; i < N; i++) {
            uint64_t gold = 1 + cau_rng_below(&rng, 6);
            cau_share share[2];
            for (size_t s = 0; s < 2; s++) {
                uint64_t correct = 0, found = gold - 1 + cau_rng_below(&rng, 3);
                for (uint64_t j = 0; j < gold && j < found; j++)
                    correct += cau_rng_real(&rng) < 0.8;
                share[s] = (cau_share){2 * correct, gold + found};
            }
            assert_int_equal(cau_shares_add(units, share), CAUCUS_OK);
        }
        cau_interval scores[2];
        cau_resampled pair;
        assert_ok(ctx, cau_resample(ctx, units, B, trial, 1, 1, scores, &pair));
        const double p[2] = {pair.randomisation, pair.bootstrap};
        for (size_t t = 0; t < 2; t++) {
            low[t] += p[t] <= 0.05;
            tenth[t] += p[t] <= 0.1;
            half[t] += p[t] <= 0.5;
        }
        cau_shares_free(units);
    }
    for (size_t t = 0; t < 2; t++) { /* 20, 40 and 200 expected; five standard errors */
        assert_in_range(low[t], 3, 42);
        assert_in_range(tenth[t], 10, 70);
        assert_in_range(half[t], 150, 250);
    }
    caucus_ctx_free(ctx);
}

/* ---- the rest ------------------------------------------------------------------------ */

/* Units in large and small groups; four systems, of which 2 and 3 are equal. */
static cau_shares *sample_units(caucus_ctx *ctx, size_t count)
{
    cau_shares *units = NULL;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    assert_ok(ctx, cau_shares_new(ctx, 4, &units));
    for (size_t i = 0; i < count; i++) {
        cau_share share[4];
        uint64_t gold = i % 3 ? cau_rng_below(&rng, 4) : cau_rng_below(&rng, 1000);
        for (size_t s = 0; s < 4; s++)
            share[s] = (cau_share){2 * cau_rng_below(&rng, gold + 1), 2 * gold};
        share[3] = share[2];
        assert_int_equal(cau_shares_add(units, share), CAUCUS_OK);
    }
    return units;
}

static void is_the_same_at_any_number_of_threads(void **state)
{
    (void)state;
    enum { B = 1000 };
    caucus_ctx *ctx = test_ctx();
    cau_shares *units = sample_units(ctx, 2000);
    cau_interval scores[2][4];
    cau_resampled pairs[2][6];
    memset(scores, 0, sizeof scores);
    memset(pairs, 0, sizeof pairs);
    assert_ok(ctx, cau_resample(ctx, units, B, 11, 1, 3, scores[0], pairs[0]));
    for (unsigned threads = 2; threads <= 5; threads += 3) {
        assert_ok(ctx, cau_resample(ctx, units, B, 11, threads, 3, scores[1], pairs[1]));
        assert_memory_equal(scores[0], scores[1], sizeof scores[0]);
        assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);
    }
    assert_ok(ctx, cau_resample(ctx, units, B, 12, 1, 3, scores[1], pairs[1]));
    assert_true(scores[0][0].low != scores[1][0].low); /* another seed, other draws */

    const cau_resampled *same = &pairs[0][cau_pair_at(4, 2, 3)];
    assert_near(same->difference, 0, 0);
    assert_near(same->low, 0, 0);
    assert_near(same->high, 0, 0);
    assert_near(same->bootstrap, 1, 0);
    assert_near(same->randomisation, 1, 0);
    /* the same draws for all pairs: 0 and 2 are as far apart as 0 and 3 */
    assert_near(pairs[0][cau_pair_at(4, 0, 2)].low, pairs[0][cau_pair_at(4, 0, 3)].low, 0);
    cau_shares_free(units);
    caucus_ctx_free(ctx);
}

static void numbers_pairs_in_order(void **state)
{
    (void)state;
    for (size_t S = 2; S < 9; S++) {
        size_t at = 0;
        for (size_t a = 0; a < S; a++)
            for (size_t b = a + 1; b < S; b++) assert_int_equal(cau_pair_at(S, a, b), at++);
        assert_int_equal(at, S * (S - 1) / 2);
    }
}

/* b is better in every unit: it is in every draw, and in all but two of 2^20 exchanges. */
static void has_a_smallest_p(void **state)
{
    (void)state;
    enum { N = 20, B = 999 };
    caucus_ctx *ctx = test_ctx();
    cau_share shares[N][2];
    for (size_t i = 0; i < N; i++) {
        shares[i][0] = (cau_share){2 * i, 4 * i + 2};
        shares[i][1] = (cau_share){2 * i + 2, 4 * i + 2};
    }
    cau_shares *units = units_of(ctx, 2, N, *shares);
    cau_interval scores[2];
    cau_resampled pair;
    assert_ok(ctx, cau_resample(ctx, units, B, 1, 1, 1, scores, &pair));
    assert_near(pair.bootstrap, 2.0 / (B + 1), 1e-15);
    assert_near(pair.randomisation, 1.0 / (B + 1), 1e-15);
    assert_true(pair.low > 0);
    /* a single resample */
    assert_ok(ctx, cau_resample(ctx, units, 1, 1, 1, 1, scores, &pair));
    assert_near(pair.low, pair.high, 0);
    assert_near(pair.bootstrap, 1, 0);
    cau_shares_free(units);
    caucus_ctx_free(ctx);
}

static void refuses_impossible_requests(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_shares *units = NULL;
    cau_interval scores[2];
    cau_resampled pair;
    assert_ok(ctx, cau_shares_new(ctx, 2, &units));
    assert_fails(ctx, cau_resample(ctx, units, 10, 1, 1, 1, scores, &pair), CAUCUS_ERR_ARGUMENT,
                 "nothing to resample");
    assert_int_equal(cau_shares_add(units, (cau_share[2]){{1, 1}, {1, 1}}), CAUCUS_OK);
    assert_fails(ctx, cau_resample(ctx, units, 0, 1, 1, 1, scores, &pair), CAUCUS_ERR_ARGUMENT,
                 "nothing to resample");
    assert_fails(ctx, cau_resample(ctx, units, UINT64_MAX, 1, 1, 1, scores, &pair),
                 CAUCUS_ERR_MEMORY, "ask for fewer");
    cau_shares_free(units);
    cau_shares_free(NULL);
    caucus_ctx_free(ctx);
}

static caucus_status resample_once(void *self)
{
    (void)self;
    caucus_ctx *ctx = NULL;
    cau_shares *units = NULL;
    cau_interval scores[2];
    cau_resampled pair;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_shares_new(ctx, 2, &units);
    for (uint64_t i = 0; !st && i < 300; i++)
        st = cau_shares_add(units, (cau_share[2]){{i, 2 * i}, {i / 2, 2 * i}});
    if (!st) st = cau_resample(ctx, units, 100, 1, 2, 1, scores, &pair);
    cau_shares_free(units);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_memory_failures(void **state)
{
    (void)state;
    assert_true(test_every_allocation(resample_once, NULL) > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_enumeration),
        cmocka_unit_test(finds_the_interval),
        cmocka_unit_test(draws_binomial_numbers),
        cmocka_unit_test(draws_units_with_equal_probability),
        cmocka_unit_test(is_uniform_under_the_null),
        cmocka_unit_test(is_the_same_at_any_number_of_threads),
        cmocka_unit_test(numbers_pairs_in_order),
        cmocka_unit_test(has_a_smallest_p),
        cmocka_unit_test(refuses_impossible_requests),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
