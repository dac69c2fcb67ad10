/* convergence.h - convergence diagnostics of parallel chains. */

#ifndef CAU_CLUSTER_CONVERGENCE_H
#define CAU_CLUSTER_CONVERGENCE_H

#include <stddef.h>

/* Both functions take x [chains][samples], one number for each sample, and split every chain into
 * halves (without the middle sample if their number is odd). NaN with fewer than four samples.
 *
 * The potential scale reduction, R hat; 1 is best. 1 if all numbers are equal; infinite if each
 * half is constant but the halves differ. */
double cau_scale_reduction(const double *x, size_t chains, size_t samples);

/* The effective sample size of the mean. NaN if all numbers are equal. */
double cau_effective_samples(const double *x, size_t chains, size_t samples);

#endif
