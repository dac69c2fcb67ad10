/* vector.h - long vectors on several threads, with the same bits at any thread count: sums are
 * computed for blocks of fixed size and added in block order. */

#ifndef CAU_MATH_VECTOR_H
#define CAU_MATH_VECTOR_H

#include <stddef.h>

enum { CAU_VECTOR_BLOCK = 8192 }; /* numbers in a block */

/* Processes the numbers begin..end-1 of some vectors, at most a block, and adds to `sums` [count],
 * which starts at zero. Several threads call it at once, each for a different block. */
typedef void cau_vector_fn(void *self, size_t begin, size_t end, double *sums);

/* Runs fn over all blocks of vectors of length n; out [count] gets the sums over the blocks. count
 * is at most CAU_VECTOR_PRODUCTS and may be 0. The other functions are built on it; callers use it
 * to process long vectors in one pass. */
void cau_vector_sums(unsigned threads, size_t n, size_t count, cau_vector_fn *fn, void *self,
                     double *out);
enum { CAU_VECTOR_PRODUCTS = 256 };

double cau_vector_dot(unsigned threads, size_t n, const double *a, const double *b);
double cau_vector_norm(unsigned threads, size_t n, const double *a); /* Euclidean */

void cau_vector_copy(unsigned threads, size_t n, const double *from, double *to);

/* y = sum_j c[j] v[j] over m <= CAU_VECTOR_PRODUCTS vectors in one pass. y may be one of them. */
void cau_vector_combine(unsigned threads, size_t n, size_t m, const double *c,
                        const double *const *v, double *y);

/* All products of `p` vectors with `m` others in one pass: out[i*m + j] = <a_i, v_j>. p*m is at
 * most CAU_VECTOR_PRODUCTS. */
void cau_vector_products(unsigned threads, size_t n, size_t p, const double *const *a, size_t m,
                         const double *const *v, double *out);

#endif
