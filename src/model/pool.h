/* pool.h - voting: how the answers of several models are combined.
 *
 * Members p_1 .. p_J are models over the same labels, with weights alpha_j >= 0 that sum to 1 (a
 * logarithmic opinion pool may have others). Four ways to combine them:
 *
 *   product by sequence     p(y|x) ~ prod_j p_j(y|x)^alpha_j: a single model with the weights
 *                           sum_j alpha_j w_j, which needs nothing of this file
 *   mixture by sequence     p(y|x) = sum_j alpha_j p_j(y|x)
 *   product by transition   p(y_t|y_{t-1},x) ~ prod_j p_j(y_t|y_{t-1},x)^alpha_j
 *   mixture by transition   p(y_t|y_{t-1},x) = sum_j alpha_j p_j(y_t|y_{t-1},x)
 *
 * A mixture of sequences is not a chain. It is decoded as the chain with the same pair marginals
 * (`chain`, as by Sutton et al.), label by label (`posterior`, exact for single labels), by scoring
 * the n-best lists of all members (`rescore`, exact if the best path is in one of them), or with
 * longer lists until the best path is certain (`exact`).
 *
 * A mixture by transition may have a gate: the weights of the members then depend on the input at
 * each position (cau_gate), and alpha is their prior. MEGA is such a mixture.
 *
 * A stack does not vote: the answer of its one member is a feature of the model itself, an
 * observation called CAU_STACK_NAME and the label. Its `per` and `mix` are 0. */

#ifndef CAU_MODEL_POOL_H
#define CAU_MODEL_POOL_H

#include "model/chain.h"

/* In the order of the options. */
typedef enum { CAU_COMBINE_PRODUCT, CAU_COMBINE_MIXTURE, CAU_COMBINE_STACK } cau_combine;
typedef enum { CAU_PER_SEQUENCE, CAU_PER_TRANSITION } cau_per;
typedef enum { CAU_MIX_CHAIN, CAU_MIX_POSTERIOR, CAU_MIX_RESCORE, CAU_MIX_EXACT } cau_mix;

typedef struct {
    size_t J; /* members; 0: no pool */
    cau_combine combine;
    cau_per per;
    cau_mix mix;         /* of mixtures by sequence */
    const double *alpha; /* [J] borrowed */
    const double
        *mixing; /* [T][J] borrowed: for a mixture by transition, the weights of the members
                 at each position instead of alpha, in any scale; NULL: alpha everywhere.
                 Decoders compute it from the gate; it is never part of a model */
} cau_pool;

#define CAU_STACK_NAME "@out="

/* The gate of a mixture: at a position with the observations x, member j has the weight
 *     mixing_j = alpha_j exp( base_j + sum_{k in x} weight[k][j] ) / the sum of these over j
 * where k counts once if its value is not 0. Views. */
typedef struct {
    const double *base;  /* [J], or NULL: no gate */
    const float *weight; /* [K of the nodes][J] */
} cau_gate;

/* Whether the pool is equivalent to a single table of weights. */
static inline bool cau_pool_collapses(const cau_pool *pool)
{
    return pool->combine == CAU_COMBINE_PRODUCT && pool->per == CAU_PER_SEQUENCE;
}

/* Whether the weights of the members may differ between positions. */
static inline bool cau_pool_takes_gate(const cau_pool *pool)
{
    return pool->combine == CAU_COMBINE_MIXTURE && pool->per == CAU_PER_TRANSITION;
}

/* Scratch memory of one thread. */
typedef struct cau_pool_work cau_pool_work;
caucus_status cau_pool_work_new(caucus_ctx *ctx, size_t Y, size_t J, cau_pool_work **out);
void cau_pool_work_free(cau_pool_work *work); /* NULL is fine */

/* Combines the lattices x [J] of the members, all of the same T and Y, into one lattice of log
 * probabilities: by transition, or the chain of a mixture. With `posterior` it has no edges, and
 * its nodes are log sum_j alpha_j p_j(y_t|x). Impossible paths follow from the formulas: a product
 * has no path that is impossible for a member. In a mixture by transition, a member without any
 * continuation after a label is ignored there, and so are members of weight 0 at a position; if no
 * member is left, the label has no continuation. *out borrows memory of `work` until the next call.
 * Not for pools that collapse, and not for stacks. For `rescore` and `exact` this gives the
 * marginals (as for `chain`), and the functions below the paths. CAUCUS_ERR_MEMORY;
 * CAUCUS_ERR_NUMERIC when the pool, or a member with weight anywhere, has no possible path, when
 * scores are not finite, or when a weight is negative or not finite. */
caucus_status cau_pool_lattice(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                               cau_lattice *out);

enum { CAU_RESCORE = 8 }; /* the least length of the n-best list of each member */

/* The `most` best of the union of the members' n-best lists under the mixture by sequence, the best
 * first, ties in the order of cau_chain_best: paths [most][T], log probabilities [most]; *count may
 * be less. Fails as above; the lattice made last stays. */
caucus_status cau_pool_rescore(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                               size_t n, size_t most, uint32_t *paths, double *logp, size_t *count);

enum { CAU_EXACT = 4096 }; /* the greatest length of the n-best lists of exact decoding */

/* The paths of an exact search. The caller fills in all members except the results. */
typedef struct {
    size_t most;        /* paths wanted */
    size_t limit;       /* of the n-best lists, e.g. CAU_EXACT */
    uint32_t *paths;    /* [most][T] the best first, ties in the order of cau_chain_best */
    double *logp;       /* [most] log sum_j alpha_j p_j(y|x) */
    size_t count;       /* out: `most`, or less if there are fewer possible paths */
    bool certified;     /* out: no other path is better than these */
    double log_allowed; /* out: log p of all paths of `allowed`, 0 without it */
} cau_pool_search;

/* The best paths under the mixture by sequence, among those that are possible in allowed [J]: the
 * lattices x [J] with -INFINITY where a constraint forbids a label or a transition. NULL: x itself.
 * Doubles the length of the members' n-best lists from CAU_RESCORE or `most` on. A path in no list
 * has at most the probability sum_j alpha_j p_j(last path in list j): once the last wanted path has
 * as much, up to rounding, the search is over. At `limit` it ends without a certificate, and the
 * paths are the best of the lists. Fails like cau_pool_rescore. */
caucus_status cau_pool_exact(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                             const cau_lattice *allowed, cau_pool_search *search);

/* The likelihoods from which alphas are learnt, for a fully labelled sequence: by sequence
 * log p_j(gold|x) of each member, [J]; by transition log p_j(gold_t | gold_{t-1}, x), [T][J].
 * -INFINITY for impossible labellings; CAUCUS_ERR_NUMERIC when all paths of a member are
 * impossible. */
caucus_status cau_pool_by_sequence(cau_pool_work *work, size_t J, const cau_lattice *x,
                                   const uint32_t *gold, double *logp);
caucus_status cau_pool_by_transition(cau_pool_work *work, size_t J, const cau_lattice *x,
                                     const uint32_t *gold, double *logp);

#endif
