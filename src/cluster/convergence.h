/* convergence.h - whether chains that started apart have come to say the same. */

#ifndef CAU_CLUSTER_CONVERGENCE_H
#define CAU_CLUSTER_CONVERGENCE_H

#include <stddef.h>

/* Both over x [chains][samples], one number for each sample, every chain cut into halves (without
 * the sample in the middle if their number is odd). NaN with fewer than four samples.
 *
 * The potential scale reduction: how much wider all halves together are than each; 1 is best. 1
 * where all numbers are equal, infinite where each half is constant but not all the same. */
double cau_scale_reduction(const double *x, size_t chains, size_t samples);

/* How many independent samples would say as much of the mean. NaN where all numbers are equal. */
double cau_effective_samples(const double *x, size_t chains, size_t samples);

#endif
