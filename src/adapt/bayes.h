/* bayes.h - the naive Bayes part of MEGA: how likely an input is in a component. The maths is in
 * bayes.c.
 *
 * In a component, each of the B features of this part occurs with probability psi_f:
 *     log Psi_n = sum_f x_nf log psi_f + (1 - x_nf) log(1 - psi_f)
 *               = sum_f log(1 - psi_f) + sum_{f in x_n} logit psi_f
 * A feature occurs (x_nf = 1) if its value is not 0. The time is in the number of non-zeros, and no
 * product of probabilities is ever computed. */

#ifndef CAU_ADAPT_BAYES_H
#define CAU_ADAPT_BAYES_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "math/csr.h"

enum { CAU_BAYES_NONE = UINT32_MAX };
#define CAU_BAYES_CLIP 1e-9 /* psi and pi stay within [this, 1 - this] */

/* The features of this part. Embed it zeroed. */
typedef struct {
    size_t B, K;
    uint32_t *feature; /* [B] columns of x, ascending */
    uint32_t *place;   /* [K] the place of a column in feature[], or CAU_BAYES_NONE; columns from K
                          on have no place */
} cau_bayes;
void cau_bayes_clear(cau_bayes *bayes);

/* Selects, of the first K columns, the `most` with the highest information gain about the domain;
 * 0: all that occur.
 *     IG(f) = H(d) - sum_{v in {0,1}} p(x_f = v) H(d | x_f = v)
 * Instances of domain d are begin[d] .. begin[d+1]-1. Ties go to the lower column. A column that
 * never occurs is never selected, so there may be fewer. Clear `out`; it is untouched on failure.
 */
caucus_status cau_bayes_select(caucus_ctx *ctx, const cau_csr *x, const size_t *begin, size_t D,
                               size_t K, size_t most, cau_bayes *out);

/* log Psi_n of instances first..end-1 of x: out [end - first]. psi [B] in (0,1). Runs on `threads`
 * threads, with the same bits for any number. CAUCUS_ERR_MEMORY. */
caucus_status cau_bayes_log(const cau_bayes *bayes, const cau_csr *x, size_t first, size_t end,
                            const double *psi, unsigned threads, double *out);

/* The root in (0,1) of S p^2 - (D + S) p + C = 0 for 0 < C < D and finite S, clipped; see bayes.c.
 * It serves pi (S = R, D = N, C = H) and psi. For C = 0 or C = D it is the maximum of the bound,
 * perhaps at an end of the interval; 1/2 for S = C = D = 0. */
double cau_bayes_root(double S, double D, double C);

/* Maximises the bound over all psi of a component, coordinate by coordinate, in sweeps until no psi
 * changes by 1e-6 or `sweeps` are done.
 *   xt     [>= K][n] columns of the instances of the component
 *   v      [n] weights of the instances: p(z is this component | x, y) times the own weight
 *   ratio  [n] p_old(z is this component | x) times the own weight; it may be 0 if too small for a
 *          double. Out: the same with the new Psi over the old p(x)
 *   psi    [B] in and out, within the clip
 * *done, unless NULL, is the number of sweeps. On CAUCUS_ERR_MEMORY nothing has changed. Runs on
 * one thread: components may be updated at the same time. */
typedef struct {
    double a, b; /* of the Beta prior, at least 1 */
    size_t sweeps;
} cau_bayes_prior;
caucus_status cau_bayes_maximise(const cau_bayes *bayes, const cau_csr *xt, const double *v,
                                 double *ratio, const cau_bayes_prior *prior, double *psi,
                                 size_t *done);

/* For the direct optimiser, the gradient of the objective with respect to logit psi of a component:
 *     g_f = sum_n e_n (x_nf - psi_f) + (a-1)(1 - psi_f) - (b-1) psi_f        g [B]
 * xt [>= K][n] as above, e [n]. The same bits for any number of threads. */
caucus_status cau_bayes_gradient(const cau_bayes *bayes, const cau_csr *xt, const double *e,
                                 const cau_bayes_prior *prior, const double *psi, unsigned threads,
                                 double *g);

/* The log of the Beta priors of a component, up to its constant:
 *     sum_f (a-1) log psi_f + (b-1) log(1-psi_f) */
double cau_bayes_log_prior(const cau_bayes *bayes, const cau_bayes_prior *prior, const double *psi);

/* Divergence of domains: KL(p_i || p_j) in nats for all pairs, out [D][D], of unigram models over
 * the first K columns with 1/2 added to each count of occurrences. Domains as above. */
caucus_status cau_bayes_divergence(caucus_ctx *ctx, const cau_csr *x, const size_t *begin, size_t D,
                                   size_t K, double *out);

#endif
