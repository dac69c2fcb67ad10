/* sampler.h - Dirichlet process mixtures by collapsed Gibbs sampling (Neal 2000, algorithm 3),
 * under constraints. The maths is in sampler.c; the components are in component.c, their parameters
 * in hyper.c, split-merge moves in split_merge.c, parallel chains and their convergence in
 * chains.c. */

#ifndef CAU_CLUSTER_SAMPLER_H
#define CAU_CLUSTER_SAMPLER_H

#include <stdbool.h>

#include "base/rng.h"
#include "cluster/links.h"
#include "math/csr.h"

/* S clusterings of N items. The clusters of each are numbered 0, 1, ... in the order of their first
 * items; numbers are not comparable between samples. */
typedef struct {
    size_t N, S;
    uint32_t *z; /* [S][N] */
} cau_partitions;

/* The items: sparse counts, or rows of numbers; one of the two is NULL. */
typedef struct {
    size_t N, V;
    const cau_csr *sparse; /* [N][V] */
    const double *dense;   /* [N][V] */
} cau_points;

/* In the order of --likelihood. */
typedef enum { CAU_MULTINOMIAL, CAU_GAUSSIAN, CAU_PRIOR_ONLY } cau_likelihood;

/* Parameters of the base measure and the prior of partitions. */
typedef struct {
    double alpha;           /* concentration */
    double beta;            /* multinomial: of the symmetric Dirichlet */
    double k0, a0;          /* Gaussian: Normal-Gamma; mu0 and b0 for each dimension: */
    const double *mu0, *b0; /* [V], or NULL: the mean and the variance (over N) of the data */
    double b0_scale;        /* b0 is multiplied by this; 1 */
} cau_dp_parameters;

typedef struct {
    cau_likelihood likelihood;
    cau_dp_parameters start;        /* initial or fixed values */
    bool fixed_alpha;               /* alpha is fixed, else resampled (Escobar and West 1995) */
    double alpha_shape, alpha_rate; /* of its Gamma prior */
    bool fixed_base;    /* beta (k0, a0, b0_scale) is fixed, else resampled by slice sampling on
                           its logarithm under a Gamma(1, 1) prior, once a sweep */
    size_t split_merge; /* Jain-Neal moves in each sweep */
    size_t restricted;  /* intermediate restricted Gibbs scans of such a move; 3 */
} cau_dp_options;

/* One chain. Borrows the points and copies the constraints, which may be NULL. CAUCUS_ERR_ARGUMENT
 * without items, for negative counts, and for parameters out of range. */
typedef struct cau_chain_state cau_chain_state;
caucus_status cau_sampler_new(caucus_ctx *ctx, const cau_points *points,
                              const cau_dp_options *options, const cau_constraints *constraints,
                              uint64_t seed, cau_chain_state **out);
void cau_sampler_free(cau_chain_state *state);

/* Continues a chain under new constraints: clusters that violate them are split, and new groups of
 * must-linked items move to the cluster of their largest part, so that the state is legal. */
caucus_status cau_sampler_constrain(caucus_ctx *ctx, cau_chain_state *state,
                                    const cau_constraints *constraints);

/* One sweep: every group once, split-merge moves, alpha, the base measure. Only CAUCUS_ERR_MEMORY;
 * the state stays legal. */
caucus_status cau_sampler_sweep(cau_chain_state *state);

/* The current state. */
size_t cau_sampler_clusters(const cau_chain_state *state);
cau_dp_parameters cau_sampler_parameters(const cau_chain_state *state); /* mu0 and b0 are views */
double
cau_sampler_log_joint(const cau_chain_state *state); /* of partition and data (and soft links) */
void cau_sampler_partition(const cau_chain_state *state, uint32_t *z); /* [N] numbered as above */

/* ---- several chains: chains.c ------------------------------------------------------------------
 */

typedef struct {
    size_t chains, burn_in, samples, lag; /* samples of each chain; 5, 100, 20, 5 in the paper */
    uint64_t seed;
    unsigned threads; /* chains that run in parallel; the result does not depend on it */
} cau_chains_options;

typedef struct cau_chains cau_chains;
caucus_status cau_chains_new(caucus_ctx *ctx, const cau_points *points,
                             const cau_dp_options *options, const cau_chains_options *how,
                             const cau_constraints *constraints, cau_chains **out);
void cau_chains_free(cau_chains *chains);

/* Runs `burn_in` sweeps the first time, later `again`, which may be 0, and draws chains * samples
 * samples, chain after chain. Free partitions->z. New constraints may be given (or NULL); the
 * chains then continue under them, or restart with `afresh` (the protocol of the paper). Calls the
 * progress callback of ctx after groups of sweeps (solver "gibbs", iteration = sweeps done, passes
 * = all sweeps, objective = mean log joint); false ends the call with CAUCUS_ERR_STOPPED. */
caucus_status cau_chains_draw(caucus_ctx *ctx, cau_chains *chains,
                              const cau_constraints *constraints, bool afresh, size_t again,
                              cau_partitions *partitions);

/* Convergence of the chains over the last samples: split R hat and effective sample sizes of the
 * number of clusters and of the log joint, and the means. NaN with too few samples. */
typedef struct {
    double rhat_clusters, rhat_joint, ess_clusters, ess_joint;
    double clusters, joint, alpha;
    cau_dp_parameters parameters; /* means over the samples, of beta and so on; mu0 and b0 are views
                                     of the chains */
    bool agree;                   /* both scale reductions below 1.1 */
} cau_diagnosis;
cau_diagnosis cau_chains_diagnose(const cau_chains *chains);

/* Both functions take x [chains][samples], one number for each sample, and split every chain into
 * halves (without the middle sample if their number is odd). NaN with fewer than four samples.
 *
 * The potential scale reduction, R hat; 1 is best. 1 if all numbers are equal; infinite if each
 * half is constant but the halves differ. */
double cau_scale_reduction(const double *x, size_t chains, size_t samples);

/* The effective sample size of the mean. NaN if all numbers are equal. */
double cau_effective_samples(const double *x, size_t chains, size_t samples);

#endif
