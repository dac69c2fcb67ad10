/* mega.h - MEGA (Daume and Marcu 2006): a classifier for each domain, one for what all domains
 * share, and a gate that chooses between them for each instance. The maths is in mega.c.
 *
 *     p(y | x, domain d) = p(general | x) p(y | x, w^D) + p(own | x) p(y | x, w^d)
 *
 * There are two ways to raise the same objective, sum_n log p(y_n | x_n) + log priors:
 *   cem     conditional EM: a bound is made tight, then raised for pi, w and psi in turn
 *   lbfgs   gradient ascent on logit pi, logit psi and w together */

#ifndef CAU_ADAPT_MEGA_H
#define CAU_ADAPT_MEGA_H

#include "adapt/bayes.h"
#include "adapt/domains.h"
#include "math/table.h"
#include "model/model.h"

/* In the order of --optimizer. */
typedef enum { CAU_MEGA_CEM, CAU_MEGA_LBFGS } cau_mega_optimizer;

typedef struct {
    cau_mega_optimizer optimizer;
    double l2;          /* l2/2 sum w^2 for each component, that is, sigma^2 = 1/l2 */
    bool tied;          /* the weights of domains are drawn to the general ones instead of to 0 */
    double a, b;        /* Beta prior of psi; 2, 2 in the paper */
    size_t iterations;  /* of CEM, or of L-BFGS; 0: 5 and 100 */
    size_t steps;       /* of L-BFGS in each M-step for w; 0: 20 (with warm starts) */
    size_t sweeps;      /* of psi in each M-step; 0: 10 */
    size_t nb_features; /* of the naive Bayes part; 0: all */
    bool seen;          /* weights only for pairs of feature and class that occur in the component,
                           or in any component if tied */
    bool no_bias;       /* no default weights; chains never have them */
    unsigned threads;
} cau_mega_options;

/* The parameters. Embed it zeroed, clear it at the end. */
typedef struct {
    size_t D;
    cau_bayes bayes;
    double *pi;       /* [D] p(general) in each domain */
    double **psi;     /* [D+1][B] */
    cau_table *table; /* [D+1] the weights of a component, over the columns of the domains */
    double **w;       /* [D+1][cau_table_size], then Y default weights if `bias` */
    bool bias;
    double loss;      /* -sum_n log p(y_n | x_n) */
    double objective; /* sum_n log p(y_n|x_n) + log priors, up to their constants; it rises */
    size_t iteration; /* finished ones */
    size_t passes;    /* over the data so far; components with disjoint data share a pass */
} cau_mega;
void cau_mega_clear(cau_mega *mega);

/* The number of weights of component c, and of those before it. */
size_t cau_mega_weights(const cau_mega *mega, size_t c);
size_t cau_mega_weights_at(const cau_mega *mega, size_t c);

/* Called after each iteration. *go_on = false ends the run with the current parameters. */
typedef caucus_status cau_mega_fn(void *self, const cau_mega *mega, bool *go_on);

/* Learns the parameters, from pi = psi = .5 and w = 0. `after` may be NULL. Stops when an iteration
 * raises the objective by less than 1e-6 of its value. CAUCUS_ERR_NUMERIC if something is not
 * finite. The result does not depend on the number of threads. */
caucus_status cau_mega_fit(caucus_ctx *ctx, const cau_domains *domains,
                           const cau_mega_options *options, cau_mega_fn *after, void *self,
                           cau_mega *out);

/* The parameters as a model: a gated pool (model/pool.h) with the members domain 0 .. D-1 and
 * general. Its alphas are those of the target: 1 - pi_0, pi_0 for the general member, and 0 for the
 * source domains. `info` are its notes, "key TAB value" lines. */
caucus_status cau_mega_model(caucus_ctx *ctx, const caucus_data *data, const cau_domains *domains,
                             const cau_mega *mega, cau_str info, caucus_model **out);

#endif
