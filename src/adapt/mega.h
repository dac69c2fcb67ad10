/* mega.h - MEGA (Daume and Marcu 2006): a classifier for each domain, one for what all domains
 * share, and a gate that says, for each instance, which of them to ask. The maths is in mega.c.
 *
 *     p(y | x, domain d) = p(general | x) p(y | x, w^D) + p(own | x) p(y | x, w^d)
 *
 * Two ways to the same objective, sum_n log p(y_n | x_n) + log priors:
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
    int optimizer;      /* cau_mega_optimizer */
    double l2;          /* l2/2 sum w^2 for each component, that is, sigma^2 = 1/l2 */
    bool tied;          /* not to 0 but to the general weights are those of the domains pulled */
    double a, b;        /* Beta prior of psi; 2, 2 in the paper */
    size_t iterations;  /* of CEM, or of L-BFGS; 0: 5 and 100 */
    size_t steps;       /* of L-BFGS in each M-step for w; 0: 20 (with warm starts) */
    size_t sweeps;      /* of psi in each M-step; 0: 10 */
    size_t nb_features; /* of the naive Bayes part; 0: all */
    bool seen;          /* weights for pairs of feature and class that occur in the component; in
                           any of them, if tied */
    bool no_bias;       /* no default weights; chains have none in any case */
    unsigned threads;
} cau_mega_options;

/* The parameters. Embed it zeroed, clear it at the end. */
typedef struct {
    size_t D;
    cau_bayes bayes;
    double *pi;       /* [D] p(general) in each domain */
    double **psi;     /* [D+1][B] */
    cau_table *table; /* [D+1] which weights a component has, over the columns of the domains */
    double **w;       /* [D+1][cau_table_size, and Y default weights behind it unless no_bias or
                         chain] */
    bool bias;
    double loss;      /* -sum_n log p(y_n | x_n) */
    double objective; /* sum_n log p(y_n|x_n) + log priors, up to their constants: what rises */
    size_t iteration; /* done */
    size_t passes;    /* over the data so far, over any number of components at once */
} cau_mega;
void cau_mega_clear(cau_mega *mega);

/* Called after each iteration: *go_on = false ends the run with what there is. */
typedef caucus_status cau_mega_fn(void *self, const cau_mega *mega, bool *go_on);

/* Learns the parameters: pi = .5, w = 0 to begin with, and psi as the options say. after may be
 * NULL. Stops early when an iteration raises the objective by less than 1e-6 of itself.
 * CAUCUS_ERR_NUMERIC, with a sentence, when something is not finite. The same result at any number
 * of threads. */
caucus_status cau_mega_fit(caucus_ctx *ctx, const cau_domains *domains,
                           const cau_mega_options *options, cau_mega_fn *after, void *self,
                           cau_mega *out);

/* The objective at given parameters, under the options of their fit, and the posterior of z of
 * every instance, of which either may be NULL: given [N] p(general | x_n), known [N] p(general |
 * x_n, y_n). */
caucus_status cau_mega_objective(caucus_ctx *ctx, const cau_domains *domains,
                                 const cau_mega_options *options, cau_mega *mega, double *given,
                                 double *known);

/* The parameters as a model file: a gated pool (model/pool.h) with the members domain 0 .. D-1 and
 * general, whose alphas are those of domain 0: 1 - pi_0 for it, pi_0 for the general one, 0 for the
 * others. `info` is what is said of it, "key TAB value" lines. */
caucus_status cau_mega_model(caucus_ctx *ctx, const caucus_data *data, const cau_domains *domains,
                             const cau_mega *mega, cau_str info, caucus_model **out);

#endif
