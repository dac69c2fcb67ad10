/* rng.h - seeded random numbers (xoshiro256**), the same on every machine. */

#ifndef CAU_BASE_RNG_H
#define CAU_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* Plain data: copy it to fork a stream, write it to a file to continue one. */
typedef struct {
    uint64_t s[4];
} cau_rng;

void cau_rng_init(cau_rng *rng, uint64_t seed); /* any seed, 0 as well */
uint64_t cau_rng_next(cau_rng *rng);
uint64_t cau_rng_below(cau_rng *rng, uint64_t n); /* 0..n-1 without bias; n > 0 */
double cau_rng_real(cau_rng *rng);                /* [0,1), 53 bits */
void cau_rng_shuffle(cau_rng *rng, uint32_t *items, size_t count);

double cau_rng_normal(cau_rng *rng);                   /* mean 0, variance 1 */
double cau_rng_gamma(cau_rng *rng, double shape);      /* mean and variance `shape` > 0; a small
                                                          shape may underflow to 0 */
double cau_rng_beta(cau_rng *rng, double a, double b); /* mean a / (a + b), both > 0 */

#endif
