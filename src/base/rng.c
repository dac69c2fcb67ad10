/* rng.c - xoshiro256** [1], seeded by splitmix64, and variates drawn from it.
 *
 * Integers below n are drawn without division and without bias [2]: the result is the high word of
 * x n, with x uniform on 64 bits; low words that would bias the result are rejected. Normal
 * variates use the polar method, gamma variates the cube of a normal one [3]. [1] Blackman, Vigna.
 * Scrambled Linear Pseudorandom Number Generators. ACM TOMS 2021. [2] Lemire. Fast Random Integer
 * Generation in an Interval. ACM TOMACS 2019. [3] Marsaglia, Tsang. A Simple Method for Generating
 * Gamma Variables. ACM TOMS 2000. */

#include "base/rng.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* Four outputs of splitmix64 are never all zero, the one state that xoshiro cannot leave. */
void cau_rng_init(cau_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += 0x9E3779B97F4A7C15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        rng->s[i] = z ^ (z >> 31);
    }
}

uint64_t cau_rng_next(cau_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t cau_rng_below(cau_rng *rng, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)cau_rng_next(rng) * n;
    if ((uint64_t)product < n) {
        uint64_t biased = -n % n; /* 2^64 mod n */
        while ((uint64_t)product < biased) product = (wide)cau_rng_next(rng) * n;
    }
    return (uint64_t)(product >> 64);
}

double cau_rng_real(cau_rng *rng)
{
    return (double)(cau_rng_next(rng) >> 11) * 0x1p-53;
}

/* Fisher and Yates: from the end, each place is swapped with a random place up to it. */
void cau_rng_shuffle(cau_rng *rng, uint32_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)cau_rng_below(rng, i);
        uint32_t held = items[i - 1];
        items[i - 1] = items[j];
        items[j] = held;
    }
}

/* Marsaglia's polar method: a point in the unit disc, its distance from the centre stretched. */
double cau_rng_normal(cau_rng *rng)
{
    for (;;) {
        double x = 2 * cau_rng_real(rng) - 1, y = 2 * cau_rng_real(rng) - 1;
        double r = x * x + y * y;
        if (r > 0 && r < 1) return x * sqrt(-2 * log(r) / r);
    }
}

/* For a shape below 1, a variate of shape + 1 is scaled by u^(1/shape). */
double cau_rng_gamma(cau_rng *rng, double shape)
{
    if (shape < 1) {
        double u = 1 - cau_rng_real(rng);
        return cau_rng_gamma(rng, shape + 1) * pow(u, 1 / shape);
    }
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = cau_rng_normal(rng), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        double u = 1 - cau_rng_real(rng);
        if (log(u) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
    }
}

double cau_rng_beta(cau_rng *rng, double a, double b)
{
    double x = cau_rng_gamma(rng, a), y = cau_rng_gamma(rng, b);
    return x + y > 0 ? x / (x + y) : a / (a + b);
}
