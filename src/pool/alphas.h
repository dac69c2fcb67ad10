/* alphas.h - the weights of the members of a pool, from data that they were not trained on. */

#ifndef CAU_POOL_ALPHAS_H
#define CAU_POOL_ALPHAS_H

#include "infer/votes.h"
#include "pool/pools.h"

/* Votes on several sets count as one: those of the folds, or the one on the development data. */
typedef struct {
    cau_votes **votes; /* [count], all of J members */
    size_t count, J;
} cau_ballots;

/* Chooses alpha [J] as the options say; they start equal, and CAU_ALPHAS_EQUAL leaves them so
 * (ballots may be NULL). CAUCUS_ERR_ARGUMENT when there is nothing to choose by: no sequence has
 * all of its labels. */
caucus_status cau_alphas_choose(caucus_ctx *ctx, const cau_pool_options *pool, cau_ballots *ballots,
                                size_t J, double *alpha);

#endif
