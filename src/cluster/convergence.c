/* convergence.c - potential scale reduction and effective sample size [1].
 *
 * For m half chains of n samples, W is the mean of their variances, B/n the variance of their
 * means: var+ = (n-1)/n W + B/n,      R = sqrt(var+ / W) The means of chains that have not
 * converged differ by more than their variances explain.
 *
 * With a_t the mean over half chains of the autocovariance at lag t (over n - 1, so that a_0 = W),
 *     rho_t = 1 - (W - a_t) / var+,     ESS = m n / (1 + 2 sum_{t>0} rho_t)
 * The sum is truncated where noise begins [2]: the true sums of neighbours rho_2t + rho_2t+1 are
 * positive and decrease, so terms are added while they are positive, each limited by the one
 * before. ESS is at most m n log10(m n), because antithetic chains beat independent samples, but
 * not without bound. [1] Gelman et al. Bayesian Data Analysis. 3rd edition, 2013, 11.4 and 11.5.
 * [2] Geyer. Practical Markov Chain Monte Carlo. Statistical Science 1992. */

#include "cluster/convergence.h"

#include <math.h>

/* The first sample of half chain h; it has n samples. */
static const double *half(const double *x, size_t samples, size_t h)
{
    const size_t n = samples / 2;
    return x + h / 2 * samples + (h % 2 ? samples - n : 0);
}

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] - x[0];
    return x[0] + sum / (double)n;
}

/* Autocovariance at lag t; exactly 0 for a constant. */
static double autocovariance(const double *x, size_t n, size_t t)
{
    const double m = mean(x, n);
    double sum = 0;
    for (size_t i = 0; i + t < n; i++) sum += (x[i] - m) * (x[i + t] - m);
    return sum / (double)(n - 1);
}

static double mean_autocovariance(const double *x, size_t chains, size_t samples, size_t t)
{
    double sum = 0;
    for (size_t h = 0; h < 2 * chains; h++)
        sum += autocovariance(half(x, samples, h), samples / 2, t);
    return sum / (double)(2 * chains);
}

/* W and var+. */
static void variances(const double *x, size_t chains, size_t samples, double *within, double *all)
{
    const size_t n = samples / 2, m = 2 * chains;
    double centre = 0, between = 0;
    for (size_t h = 0; h < m; h++) centre += (mean(half(x, samples, h), n) - x[0]) / (double)m;
    for (size_t h = 0; h < m; h++) {
        const double d = mean(half(x, samples, h), n) - x[0] - centre;
        between += d * d / (double)(m - 1);
    }
    *within = mean_autocovariance(x, chains, samples, 0);
    *all = (double)(n - 1) / (double)n * *within + between;
}

double cau_scale_reduction(const double *x, size_t chains, size_t samples)
{
    double within, all;
    if (chains == 0 || samples < 4) return NAN;
    variances(x, chains, samples, &within, &all);
    if (within > 0) return sqrt(all / within);
    return all > 0 ? INFINITY : all == 0 ? 1 : NAN;
}

double cau_effective_samples(const double *x, size_t chains, size_t samples)
{
    double within, all;
    if (chains == 0 || samples < 4) return NAN;
    variances(x, chains, samples, &within, &all);
    if (!(all > 0)) return NAN;
    const size_t n = samples / 2;
    const double total = 2 * (double)chains * (double)n;
    double sum = 0, before = INFINITY;
    for (size_t t = 0; t + 1 < n; t += 2) {
        double pair = 2 - (2 * within - mean_autocovariance(x, chains, samples, t) -
                           mean_autocovariance(x, chains, samples, t + 1)) /
                              all;
        if (!(pair > 0)) break;
        if (pair > before) pair = before;
        sum += pair;
        before = pair;
    }
    const double ess = total / (2 * sum - 1); /* the first pair holds rho_0 = 1 */
    return ess > 0 && ess < total * log10(total) ? ess : total * log10(total);
}
