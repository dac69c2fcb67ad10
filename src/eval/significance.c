/* significance.c - McNemar's test, and Holm's correction for several tests.
 *
 * Of the tokens that exactly one of two systems has right, b are right in the first and c in the
 * second. If the systems were equally good, each would be either with probability 1/2. So [1]
 *     chi2  = (|b - c| - 1)^2 / (b + c)    of one degree of freedom, with Edwards's continuity
 *     p     = erfc(sqrt(chi2 / 2))
 *     exact = min(1, 2 sum_{i <= k} C(n,i) 2^-n),   n = b + c, k = min(b, c)
 * with 0, 1 and 1 for |b - c| <= 1, where the two halves of the distribution meet.
 *
 * The sum is its last and largest term times 1 + k/(n-k+1) + k(k-1)/((n-k+1)(n-k+2)) + ..., which
 * takes some sqrt(18 n) terms at most. The term itself is not exp(lgamma - lgamma - ...), whose
 * error grows as n log n, but Stirling's formula with its remainder s(n) and the deviance [2]:
 *     C(n,k) 2^-n = sqrt(n / (2 pi k (n-k))) exp(s(n) - s(k) - s(n-k) - D)
 *     D = n/2 ((1+x) log(1+x) + (1-x) log(1-x)),   x = 1 - 2k/n
 *       = n/2 sum_j x^(2j) / (j (2j-1))
 * which has a relative error below 1e-12 for n up to 10^9.
 *
 * Holm [3]: with p_(1) <= ... <= p_(n) the sorted p-values of n tests,
 *     corrected p_(m) = max_{i <= m} min(1, (n - i + 1) p_(i))
 * Tests with a corrected p of at most alpha are significant: the probability of rejecting any true
 * hypothesis is then at most alpha, however the tests depend on each other. The p-values have to be
 * two-sided where the data decide which system is the better one.
 *
 * [1] McNemar. Note on the sampling error of the difference between correlated proportions or
 *     percentages. Psychometrika 1947.
 * [2] Loader. Fast and accurate computation of binomial probabilities. 2000.
 * [3] Holm. A simple sequentially rejective multiple test procedure. Scand. J. Statistics 1979. */

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "eval/compare.h"

/* ---- McNemar ------------------------------------------------------------------------- */

/* Above this number of tokens the normal distribution is as good, and the sum would take long. */
#define EXACT_MAX 0x1p40

double cau_stirling_remainder(double n)
{
    if (n < 16) {
        int sign;
        return lgamma_r(n + 1, &sign) - (n + 0.5) * log(n) + n - 0.5 * log(2 * M_PI);
    }
    double m = 1 / (n * n);
    return (1.0 / 12 - m * (1.0 / 360 - m * (1.0 / 1260 - m * (1.0 / 1680 - m / 1188)))) / n;
}

/* (1+x) log(1+x) + (1-x) log(1-x), 0 <= x < 1; by its series if the two would cancel. */
static double deviance(double x)
{
    if (x > 0.5) return (1 + x) * log1p(x) + (1 - x) * log1p(-x);
    double sum = 0, power = x * x;
    for (int j = 1; power > 0x1p-60 * sum; j++, power *= x * x) sum += power / (j * (2 * j - 1));
    return sum;
}

/* C(n,k) 2^-n, 0 <= k < n. */
static double binomial_half(double n, double k)
{
    if (k == 0) return exp2(-n);
    double s =
        cau_stirling_remainder(n) - cau_stirling_remainder(k) - cau_stirling_remainder(n - k);
    return sqrt(n / (2 * M_PI * k * (n - k))) * exp(s - n / 2 * deviance((n - 2 * k) / n));
}

/* sum_{i <= k} C(n,i) 2^-n, k < n/2. */
static double binomial_tail(double n, double k)
{
    double sum = 1, term = 1;
    for (double i = k; i > 0 && term > 0x1p-60 * sum; i--) {
        term *= i / (n - i + 1);
        sum += term;
    }
    return binomial_half(n, k) * sum;
}

cau_mcnemar cau_mcnemar_test(uint64_t b, uint64_t c)
{
    uint64_t apart = b > c ? b - c : c - b;
    if (apart <= 1) return (cau_mcnemar){.chi2 = 0, .p = 1, .exact = 1};
    double n = (double)b + (double)c, corrected = (double)(apart - 1);
    cau_mcnemar test = {.chi2 = corrected * corrected / n};
    test.p = erfc(sqrt(test.chi2 / 2));
    test.exact = n <= EXACT_MAX ? fmin(1, 2 * binomial_tail(n, (double)(b < c ? b : c))) : test.p;
    return test;
}

/* ---- Holm ---------------------------------------------------------------------------- */

static int compare_pointed(const void *a, const void *b)
{
    double x = **(const double *const *)a, y = **(const double *const *)b;
    return (x > y) - (x < y);
}

caucus_status cau_holm(const double *p, size_t n, double *adjusted)
{
    const double **order = cau_alloc(n, sizeof *order); /* [n] by p, from the smallest */
    if (!order) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) order[i] = &p[i];
    qsort(order, n, sizeof *order, compare_pointed);
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        least = fmax(least, fmin(1, (double)(n - i) * *order[i]));
        adjusted[order[i] - p] = least;
    }
    free(order);
    return CAUCUS_OK;
}
