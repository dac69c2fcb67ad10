/* kernels.h - the inner loops, compiled for several instruction sets, chosen at run time.
 *
 * kernels.c is compiled once for each instruction set (see CMakeLists.txt); dispatch.c picks
 * the best that the machine has, or the one named in the environment variable CAUCUS_ISA
 * (baseline, avx2, avx512). The results of two sets may differ in the last bits. */

#ifndef CAU_MATH_KERNELS_H
#define CAU_MATH_KERNELS_H

#include <stdbool.h>

#include "math/csr.h"
#include "math/table.h"

typedef struct {
    const char *isa;

    /* Sparse times dense, rows begin..end-1 of x:
     *     out[i - begin][j] = init[j] + sum_k x[i][k] W[k][j]
     * W [x->columns][Y], init [Y] or NULL for zero, out [end - begin][Y]. Each row is summed
     * in the order of its entries. */
    void (*rows)(const cau_csr *x, size_t begin, size_t end, size_t Y, const double *W,
                 const double *init, double *out);

    /* The same for rows of W that have only the cells listed in a table:
     *     out[i - begin][c] = sum_k x[i][k] W[k][c],      out [end - begin][table->width] */
    void (*rows_listed)(const cau_csr *x, size_t begin, size_t end, const cau_table *table,
                        const double *W, double *out);

    /* The transposed product into such a table, rows begin..end-1 of xt and of the table:
     *     G[k][c] = sum_i xt[k][i] R[i][c],               R [xt->columns][table->width] */
    void (*pull_listed)(const cau_csr *xt, size_t begin, size_t end, const cau_table *table,
                        const double *R, double *G);

    /* Adds the gradient of rows i = begin..end-1 to the weights, for solvers that go example by
     * example; the table may have all cells or list them:
     *     W[k][c] += a x[i][k] R[i - begin][c]
     * A weight with fixed[] != 0 (parallel to W, or NULL) stays; only in rows with all cells. */
    void (*push)(const cau_csr *x, size_t begin, size_t end, const cau_table *table, double a,
                 const double *R, const uint8_t *fixed, double *W);

    /* Turns scores s [n][Y] into log-normalisers and probabilities in place:
     *     logz[i] = log sum_j exp s[i][j],   s[i][j] <- exp(s[i][j] - logz[i])
     * for any finite scores. */
    void (*softmax)(size_t n, size_t Y, double *s, double *logz);

    /* Logarithms of rising factorials, for a > 0 and x >= 0:
     *     out[i] = lG(a[i] + x[i]) - lG(a[i])
     * within 1e-14 (1 + |out[i]|), unless a is below 1e-60 or x above 1e60. */
    void (*rises)(size_t n, const double *a, const double *x, double *out);

    /* Approximate curvature of a softmax along d = r - a, given its residuals r: the mean of
     * |r| (1 - |r|), weighted by d^2. 0 if all d are 0. */
    double (*curvature)(size_t n, const double *r, const float *a);

    /* Moves a by the share b towards r, rounded to float. Returns the sum of the squared moves.
     *     move[i] = b (r[i] - a[i]),   a[i] <- a[i] + move[i] */
    double (*approach)(size_t n, double b, const double *r, float *a, double *move);

    /* A step of gradient descent by g, with a penalty on u = w - mean:
     *     square[i] += g[i]^2,   h = rate / sqrt(square[i]), or rate where that is 0
     *     x = u[i] - h g[i],     u[i] = sgn(x) max(|x| - h l1, 0) / (1 + h l2)
     * mean and g NULL: 0; square NULL: h is the rate. A weight that would not be finite stays
     * unchanged, and false is returned. */
    bool (*descend)(size_t n, double rate, double l1, double l2, const double *g,
                    const double *mean, double *square, double *w);

    /* sum_i a[i] b[i], in an order that depends on n alone. */
    double (*dot)(size_t n, const double *a, const double *b);

    /* y = sum_j c[j] v[j] over m vectors. */
    void (*combine)(size_t n, size_t m, const double *c, const double *const *v, double *y);

    /* Scores of one instance from float weights, for tagging.
     *     out[j] += sum_i value[i] W[id[i]][j]        value NULL: all 1 */
    void (*score)(size_t count, const uint32_t *id, const float *value, size_t Y, const float *W,
                  double *out);

    /* ---- chains of labels: rows padded to `stride`, see kernels_chain.h ---- */

    /* The smallest and largest of n >= 1 numbers; false if a number is not finite. */
    bool (*span)(size_t n, const double *x, double *least, double *most);

    /* out[j] = exp(x[j] - top), for x [Y] no larger than top; out [stride], padded with 0. */
    void (*exp_row)(size_t Y, size_t stride, const double *x, double top, double *out);

    /* Over M [Y][stride] and v [Y], all results [stride]:
     *     chain_forward   out[j] = scale S[j] sum_i v[i] M[i][j]; returns sum_j out[j]
     *     chain_backward  out[j] = sum_i v[i] M[i][j]
     *     chain_best      out[j] = node[j] + max_i (v[i] + M[i][j]),  node [Y]
     *     chain_log       out[j] = log sum_i exp(v[i] + M[i][j]) */
    double (*chain_forward)(size_t Y, size_t stride, const double *v, const double *M,
                            const double *S, double scale, double *out);
    void (*chain_backward)(size_t Y, size_t stride, const double *v, const double *M, double *out);
    void (*chain_best)(size_t Y, size_t stride, const double *v, const double *M,
                       const double *node, double *out);
    void (*chain_log)(size_t Y, size_t stride, const double *v, const double *M, double *out);

    /* The first two for n rows at once, with v, S, scale and out of each row; z[s] is the sum of
     * out[s]. The rounding of a row may depend on the rows beside it. */
    void (*chain_forward_rows)(size_t n, size_t Y, size_t stride, const double *const *v,
                               const double *M, const double *const *S, const double *scale,
                               double *const *out, double *z);
    void (*chain_backward_rows)(size_t n, size_t Y, size_t stride, const double *const *v,
                                const double *M, double *out);

    /* gamma[j] = scale S[j] beta[j] and p[j] = alpha[j] beta[j]; p [Y], the others [stride]. */
    void (*chain_meet)(size_t Y, size_t stride, const double *alpha, const double *beta,
                       const double *S, double scale, double *gamma, double *p);

    /* counts[i][j] += e[i][j] sum_t alpha[t][i] gamma[t][j] over n positions; e [Y][stride],
     * alpha and gamma [n][stride], counts [Y][Y]. */
    void (*chain_counts)(size_t n, size_t Y, size_t stride, const double *e, const double *alpha,
                         const double *gamma, double *counts);
} cau_kernels;

/* Rows of labels are padded to a multiple of this, and start at a multiple of 64 bytes. */
enum { CAU_CHAIN_PAD = 8 };

/* The set in use, chosen on the first call; safe from several threads. */
const cau_kernels *cau_kernels_get(void);

/* A set by name, for the tests; NULL if the machine or the build lacks it. */
const cau_kernels *cau_kernels_named(const char *isa);

#endif
