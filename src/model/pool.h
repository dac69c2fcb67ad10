/* pool.h - members that vote: how the answers of several models become one.
 *
 * Members p_1 .. p_J are models over the same labels, with weights alpha_j >= 0 that sum to 1 (a
 * logarithmic opinion pool may have others). Four ways to combine them:
 *
 *   product by sequence     p(y|x) ~ prod_j p_j(y|x)^alpha_j: the model whose weights are the sums
 *                           sum_j alpha_j w_j. Nothing of this file is needed to apply it
 *   mixture by sequence     p(y|x) = sum_j alpha_j p_j(y|x)
 *   product by transition   p(y_t|y_{t-1},x) ~ prod_j p_j(y_t|y_{t-1},x)^alpha_j
 *   mixture by transition   p(y_t|y_{t-1},x) = sum_j alpha_j p_j(y_t|y_{t-1},x)
 *
 * A mixture of sequences is no chain. It is decoded as the chain with the same pair marginals
 * (`chain`, what Sutton et al. do), label by label (`posterior`, exact for single labels), or by
 * scoring the n-best lists of all members (`rescore`, exact when the best is among them).
 *
 * A mixture by transition may have a gate: then who has how much say depends on the input of each
 * position (cau_gate), and alpha is what is known before it is seen. That is MEGA.
 *
 * A stack is no vote: what its one member answers is a feature of the model itself, an observation
 * called CAU_STACK_NAME and the label. Its `per` and `mix` are 0. */

#ifndef CAU_MODEL_POOL_H
#define CAU_MODEL_POOL_H

#include "model/chain.h"

/* In the order of the options. */
typedef enum { CAU_COMBINE_PRODUCT, CAU_COMBINE_MIXTURE, CAU_COMBINE_STACK } cau_combine;
typedef enum { CAU_PER_SEQUENCE, CAU_PER_TRANSITION } cau_per;
typedef enum { CAU_MIX_CHAIN, CAU_MIX_POSTERIOR, CAU_MIX_RESCORE } cau_mix;

typedef struct {
    size_t J; /* members; 0: no pool */
    cau_combine combine;
    cau_per per;
    cau_mix mix;         /* of mixtures by sequence */
    const double *alpha; /* [J] borrowed */
    const double *say;   /* [T][J] borrowed: of a mixture by transition, the weights of the members
                            at each position instead of alpha, in any scale; NULL: alpha throughout.
                            Never part of a model: whoever decodes computes it from the gate */
} cau_pool;

#define CAU_STACK_NAME "@out="

/* The gate of a mixture: for a position with the observations x, member j has the say
 *     say_j = alpha_j exp( base_j + sum_{k in x} weight[k][j] ) / the sum of these over j
 * where k counts once if its value is not 0. Views. */
typedef struct {
    const double *base;  /* [J], or NULL: there is no gate */
    const float *weight; /* [K of the nodes][J] */
} cau_gate;

/* Whether one table of weights does the work of all. */
static inline bool cau_pool_collapses(const cau_pool *pool)
{
    return pool->combine == CAU_COMBINE_PRODUCT && pool->per == CAU_PER_SEQUENCE;
}

/* Whether members may have more say at one position than at another. */
static inline bool cau_pool_takes_gate(const cau_pool *pool)
{
    return pool->combine == CAU_COMBINE_MIXTURE && pool->per == CAU_PER_TRANSITION;
}

/* Memory of one thread. */
typedef struct cau_pool_work cau_pool_work;
caucus_status cau_pool_work_new(caucus_ctx *ctx, size_t Y, size_t J, cau_pool_work **out);
void cau_pool_work_free(cau_pool_work *work); /* NULL is fine */

/* One lattice for the lattices x [J] of the members, all of the same T and Y, in logarithms of
 * probabilities: by transition, or the chain of a mixture; with `posterior` it has no edges, and
 * its nodes are log sum_j alpha_j p_j(y_t|x). All paths of what a member finds impossible follow
 * from the formulas (a product has none where one member has none); by transition, a mixture after
 * a label from which a member knows no way on is that of the others. Members of weight 0 have no
 * say, be it at one position; where nobody has who knows a way on, there is none. It borrows memory
 * of `work` until the next call. Not for pools that collapse, for stacks, nor for `rescore`, which
 * wants the lattice of `chain` here (its marginals) and cau_pool_rescore for paths.
 * CAUCUS_ERR_MEMORY; CAUCUS_ERR_NUMERIC when no path is possible, of the pool or of a member that
 * has a say anywhere, when scores are not finite, or a say is not or is negative. */
caucus_status cau_pool_lattice(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                               cau_lattice *out);

enum { CAU_RESCORE = 8 }; /* labellings that each member proposes, where no more are asked for */

/* The `most` best of the union of the members' n-best lists under the mixture by sequence, the best
 * first, ties in the order of cau_chain_best: paths [most][T], log probabilities [most]; *count may
 * be less. Fails as above; the lattice made last stays. */
caucus_status cau_pool_rescore(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                               size_t n, size_t most, uint32_t *paths, double *logp, size_t *count);

/* What weights are chosen by, for a labelled sequence: log p_j(gold|x) of each member [J] by
 * sequence; and by transition log p_j(gold_t | gold_{t-1}, x), [T][J]. Labels must be whole. What a
 * member finds impossible is -INFINITY; CAUCUS_ERR_NUMERIC where it finds all paths so. */
caucus_status cau_pool_by_sequence(cau_pool_work *work, size_t J, const cau_lattice *x,
                                   const uint32_t *gold, double *logp);
caucus_status cau_pool_by_transition(cau_pool_work *work, size_t J, const cau_lattice *x,
                                     const uint32_t *gold, double *logp);

#endif
