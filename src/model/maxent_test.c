/* maxent_test.c - residuals of the classifier against plain formulas in long double. */

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "model/chain.h"
#include "support/support.h"

static void reference(size_t Y, const double *s, uint32_t gold, double c, long double *loss,
                      long double *r)
{
    long double top = s[0], z = 0;
    for (size_t y = 1; y < Y; y++)
        if (s[y] > top) top = s[y];
    for (size_t y = 0; y < Y; y++) z += expl(s[y] - top);
    for (size_t y = 0; y < Y; y++) r[y] = c * (expl(s[y] - top) / z - (y == gold));
    *loss = c * (top + logl(z) - s[gold]);
}

static void check(size_t n, size_t Y, double size, bool weighted, uint64_t seed)
{
    enum { MOST = 64 * 40 };
    double s[MOST], copy[MOST], logz[64], loss;
    uint32_t gold[64];
    float c[64];
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t i = 0; i < n * Y; i++) s[i] = size * (2 * cau_rng_real(&rng) - 1);
    for (size_t i = 0; i < n; i++) {
        gold[i] = (uint32_t)cau_rng_below(&rng, Y);
        c[i] = weighted ? (float)cau_rng_real(&rng) * 3 : 1;
    }
    memcpy(copy, s, sizeof copy);
    assert_int_equal(cau_maxent_residuals(n, Y, s, gold, weighted ? c : NULL, false, logz, &loss),
                     CAUCUS_OK);
    long double total = 0;
    for (size_t i = 0; i < n; i++) {
        long double one, r[40];
        reference(Y, copy + i * Y, gold[i], (double)c[i], &one, r);
        total += one;
        for (size_t y = 0; y < Y; y++) assert_near(s[i * Y + y], (double)r[y], 1e-13);
    }
    assert_near(loss, (double)total, 1e-12 * (1 + fabs((double)total)));

    /* expected counts only: the same without subtracting the gold class */
    memcpy(s, copy, sizeof s);
    cau_maxent_residuals(n, Y, s, gold, weighted ? c : NULL, true, logz, &loss);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t y = 0; y < Y; y++) sum += s[i * Y + y];
        assert_near(sum, (double)c[i], 1e-12);
    }
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (size_t Y = 2; Y <= 40; Y += Y < 10 ? 1 : 7) check(1 + seed * 3, Y, 4, seed % 2, seed);
}

/* With scores of +-2000, an unshifted exp would overflow. */
static void test_large_scores(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) check(17, 5, 2000, seed % 2, seed);
    double s[] = {2000, -2000, 1999}, logz, loss;
    uint32_t gold = 1;
    assert_int_equal(cau_maxent_residuals(1, 3, s, &gold, NULL, false, &logz, &loss), CAUCUS_OK);
    assert_near(s[0], 1 / (1 + exp(-1)), 1e-15);
    assert_near(s[1], -1, 1e-15);
    assert_near(loss, 4000 + log1p(exp(-1)), 1e-9);
}

static void test_not_finite(void **state)
{
    (void)state;
    double s[] = {0, INFINITY}, logz, loss;
    uint32_t gold = 0;
    assert_int_equal(cau_maxent_residuals(1, 2, s, &gold, NULL, false, &logz, &loss),
                     CAUCUS_ERR_NUMERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests_name("model/maxent", tests, NULL, NULL);
}
