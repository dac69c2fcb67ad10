/* significance_test.c - McNemar's test against known values and plain sums; Holm by hand. */

#include <math.h>
#include <stdlib.h>

#include "eval/compare.h"
#include "support/support.h"

static void agrees_with_known_values(void **state)
{
    (void)state;
    static const struct {
        uint64_t b, c;
        double chi2, p, exact;
    } known[] = {
        {10, 25, 5.6, 0.01796, 0.016674},
        {3, 12, 4.266667, 0.038867, 0.035156},
        {100, 140, 6.3375, 0.011821, 0.011664},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cau_mcnemar there = cau_mcnemar_test(known[i].b, known[i].c);
        cau_mcnemar back = cau_mcnemar_test(known[i].c, known[i].b);
        assert_near(there.chi2, known[i].chi2, 5e-7);
        assert_near(there.p, known[i].p, 5e-6);
        assert_near(there.exact, known[i].exact, 5e-7);
        assert_near(back.chi2, there.chi2, 0);
        assert_near(back.p, there.p, 0);
        assert_near(back.exact, there.exact, 0);
    }
}

static void gives_p_1_for_equal_systems(void **state)
{
    (void)state;
    static const uint64_t even[][2] = {{0, 0},
                                       {0, 1},
                                       {1, 0},
                                       {7, 7},
                                       {8, 7},
                                       {1000000000, 1000000000},
                                       {UINT64_MAX, UINT64_MAX - 1}};
    for (size_t i = 0; i < sizeof even / sizeof *even; i++) {
        cau_mcnemar test = cau_mcnemar_test(even[i][0], even[i][1]);
        assert_near(test.chi2, 0, 0);
        assert_near(test.p, 1, 0);
        assert_near(test.exact, 1, 0);
    }
}

/* min(1, 2 sum_{i <= min(b,c)} C(b+c,i) 2^-(b+c)), term by term. */
static double plain_sum(unsigned b, unsigned c)
{
    const unsigned n = b + c, k = b < c ? b : c;
    long double term = ldexpl(1, -(int)n), sum = 0;
    for (unsigned i = 0; i <= k; i++) {
        sum += term;
        term = term * (n - i) / (i + 1);
    }
    return sum < 0.5L ? (double)(2 * sum) : 1;
}

static void agrees_with_plain_sums(void **state)
{
    (void)state;
    for (unsigned b = 0; b <= 60; b++)
        for (unsigned c = 0; c <= 60; c++) {
            double want = plain_sum(b, c);
            assert_near(cau_mcnemar_test(b, c).exact, want, 1e-13 * want);
        }
    for (unsigned b = 0; b <= 8000; b += 97) {
        double want = plain_sum(b, 8000 - b); /* 2^-8000 is a long double */
        assert_near(cau_mcnemar_test(b, 8000 - b).exact, want, 1e-12 * want + 1e-300);
    }
}

/* The same sum in decimal arithmetic of 45 digits, with n! by Stirling's series. */
static void is_exact_for_many_tokens(void **state)
{
    (void)state;
    static const struct {
        uint64_t b, c;
        double exact;
    } known[] = {
        {15, 40, 0.0010158471941252856},
        {16, 41, 0.0012635594724354632},
        {3, 300, 5.6903855084867903e-85},
        {20, 990, 7.7206241486049334e-263},
        {500, 600, 0.0028195449914364275},
        {499000, 501000, 0.045608299865382083},
        {49990000, 50010000, 0.045511062629615712},
        {499999900, 500000100, 0.99497899942106083},
        {499990000, 500010000, 0.52710991475466973},
        {499700000, 500300000, 2.8173484639851276e-80},
        {499500000, 500500000, 1.7974815135757257e-219},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_near(cau_mcnemar_test(known[i].b, known[i].c).exact, known[i].exact,
                    1e-10 * known[i].exact);
}

static void handles_extreme_counts(void **state)
{
    (void)state;
    cau_mcnemar test = cau_mcnemar_test(0, 1000000000);
    assert_near(test.p, 0, 0);
    assert_near(test.exact, 0, 0);
    test = cau_mcnemar_test(UINT64_MAX, 0);
    assert_true(isfinite(test.chi2) && test.p == 0 && test.exact == 0);
    /* numbers at which the normal distribution takes over: continuous, and fast */
    test = cau_mcnemar_test(UINT64_C(1) << 61, (UINT64_C(1) << 61) + (UINT64_C(1) << 31));
    assert_near(test.exact, erfc(1 / sqrt(2)), 1e-9);
    uint64_t half = UINT64_C(1) << 39, more = UINT64_C(3) << 20;
    double below = cau_mcnemar_test(half - more, half + more - 2).exact;
    double above = cau_mcnemar_test(half - more, half + more + 2).exact;
    assert_near(above / below, 1, 1e-4);
    assert_true(above < below);
}

static void adjusts_by_hand(void **state)
{
    (void)state;
    /* .005*4 = .02, .01*3 = .03, .03*2 = .06, .04*1 = .04 but not below .06 */
    static const double p[] = {0.01, 0.04, 0.03, 0.005};
    static const double want[] = {0.03, 0.06, 0.06, 0.02};
    double adjusted[4];
    assert_int_equal(cau_holm(p, 4, adjusted), CAUCUS_OK);
    for (size_t i = 0; i < 4; i++) assert_near(adjusted[i], want[i], 1e-15);

    static const double large[] = {0.5, 0.02, 0.5}; /* at most 1 */
    assert_int_equal(cau_holm(large, 3, adjusted), CAUCUS_OK);
    assert_near(adjusted[0], 1, 0);
    assert_near(adjusted[1], 0.06, 1e-15);
    assert_near(adjusted[2], 1, 0);

    assert_int_equal(cau_holm(p, 1, adjusted), CAUCUS_OK);
    assert_near(adjusted[0], p[0], 0);
    assert_int_equal(cau_holm(p, 0, adjusted), CAUCUS_OK);
}

/* Holm's method is the closed test by Bonferroni: the corrected p of test i is the greatest over
 * all sets of tests that contain i of min(1, size of the set * smallest p in the set). */
static double closed_test(const double *p, size_t n, size_t i)
{
    double greatest = 0;
    for (size_t set = 0; set < (size_t)1 << n; set++) {
        double size = 0, smallest = 1;
        if (!(set >> i & 1)) continue;
        for (size_t j = 0; j < n; j++)
            if (set >> j & 1) size++, smallest = fmin(smallest, p[j]);
        greatest = fmax(greatest, fmin(1, size * smallest));
    }
    return greatest;
}

static void agrees_with_closed_tests(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t trial = 0; trial < 200; trial++) {
        double p[7], adjusted[7];
        const size_t n = 1 + trial % 7;
        for (size_t i = 0; i < n; i++) /* small ones, with ties */
            p[i] = trial % 2 ? (double)cau_rng_below(&rng, 5) / 40 : pow(cau_rng_real(&rng), 3);
        assert_int_equal(cau_holm(p, n, adjusted), CAUCUS_OK);
        for (size_t i = 0; i < n; i++) assert_near(adjusted[i], closed_test(p, n, i), 1e-15);
    }
}

static caucus_status adjust_once(void *self)
{
    (void)self;
    static const double p[] = {0.3, 0.2, 0.1};
    double adjusted[3];
    return cau_holm(p, 3, adjusted);
}

static void survives_memory_failures(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation(adjust_once, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_known_values), cmocka_unit_test(gives_p_1_for_equal_systems),
        cmocka_unit_test(agrees_with_plain_sums),   cmocka_unit_test(is_exact_for_many_tokens),
        cmocka_unit_test(handles_extreme_counts),   cmocka_unit_test(adjusts_by_hand),
        cmocka_unit_test(agrees_with_closed_tests), cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
