/* log_rising_factorial.h - the logarithm of a rising factorial, for Dirichlet likelihoods. */

#ifndef CAU_CLUSTER_LOG_RISING_FACTORIAL_H
#define CAU_CLUSTER_LOG_RISING_FACTORIAL_H

#include <math.h>

/* log a(a+1)...(a+x-1) = lG(a + x) - lG(a), for a > 0 and any x >= 0, to about 15 digits.
 *
 * Small integers x, nearly all of them, use the product. Otherwise, by Stirling's series,
 *     lG(z) = (z - 1/2) log z - z + log(2 pi)/2 + tail(z),   tail(z) = 1/12z - 1/360z^3 + ...
 * with the difference taken term by term to avoid cancellation: log(a+x) - log a is log1p(x/a).
 * The series is inaccurate below 8, so both arguments are raised by 8 first:
 *     lG(z) = lG(z + 8) - log z(z+1)...(z+7) */
static inline double cau_stirling_tail(double z)
{
    const double r = 1 / z, q = r * r;
    return r * (1.0 / 12 -
                q * (1.0 / 360 -
                     q * (1.0 / 1260 -
                          q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360 - q / 156))))));
}

static inline double cau_log_rise(double a, double x)
{
    if (x == 1) return log(a);
    if (x <= 16 && a < 1e15 && x == (double)(int)x) {
        double product = 1;
        for (int i = 0; i < (int)x; i++) product *= a + i;
        return log(product);
    }
    double shift = 0;
    if (a < 8) {
        const double z = a, w = a + x;
        shift =
            log(z * (z + 1) * (z + 2) * (z + 3) / (w * (w + 1) * (w + 2) * (w + 3)) *
                ((z + 4) * (z + 5) * (z + 6) * (z + 7) / ((w + 4) * (w + 5) * (w + 6) * (w + 7))));
        a += 8;
    }
    const double w = a + x;
    return shift + (a - 0.5) * log1p(x / a) + x * (log(w) - 1) + cau_stirling_tail(w) -
           cau_stirling_tail(a);
}

#endif
