/* vector.h - long vectors, worked on by all threads with the same bits at any thread count:
 * sums are taken per block of fixed size and added in block order. */

#ifndef CAU_MATH_VECTOR_H
#define CAU_MATH_VECTOR_H

#include <stddef.h>

enum { CAU_VECTOR_BLOCK = 8192 }; /* numbers in a block */

double cau_vector_dot(unsigned threads, size_t n, const double *a, const double *b);
double cau_vector_norm(unsigned threads, size_t n, const double *a); /* Euclidean */

/* y = x + a d: the trial point of a line search. */
void cau_vector_step(unsigned threads, size_t n, const double *x, double a, const double *d,
                     double *y);
void cau_vector_copy(unsigned threads, size_t n, const double *from, double *to);

/* y = sum_j c[j] v[j] over m vectors, each read once. */
void cau_vector_combine(unsigned threads, size_t n, size_t m, const double *c,
                        const double *const *v, double *y);

/* All products of `p` vectors with `m` others in one reading: out[i*m + j] = <a_i, v_j>.
 * p*m is at most CAU_VECTOR_PRODUCTS. */
enum { CAU_VECTOR_PRODUCTS = 256 };
void cau_vector_products(unsigned threads, size_t n, size_t p, const double *const *a, size_t m,
                         const double *const *v, double *out);

#endif
