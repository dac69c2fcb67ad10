/* join.h - several models as one, and models without copies of features.
 *
 * The joined model has the labels of all models. A model that was trained without a label gives it
 * the default weight CAU_JOIN_NEVER, also in chains, so that its probability is 0; with a weight of
 * 0 it would be as likely as any other. After a label that a MEMM was trained without, that MEMM
 * goes by the observations alone. */

#ifndef CAU_ADAPT_JOIN_H
#define CAU_ADAPT_JOIN_H

#include "base/alphabet.h"
#include "model/model.h"

#define CAU_JOIN_NEVER (-1e6)

/* A pool whose members are single models of the same kind, which read their input in the same way.
 * Its observations and labels are those of all models, in the order in which they first occur; the
 * template is that of the first model. `top`, unless NULL, is the main model of a stack with one
 * member, and comes first. `info` are the notes of the joined model; a stack takes those of `top`.
 * CAUCUS_ERR_ARGUMENT if the models do not fit together. */
typedef struct {
    const caucus_model *const *member; /* [pool.J] */
    const caucus_model *top;
    cau_pool pool;
    cau_str info;
} cau_join_parts;
caucus_status cau_join(caucus_ctx *ctx, const cau_join_parts *parts, caucus_model **out);

/* A single model over the observations `names` alone, with the weights of their copies added:
 *     w[name] = w[name] + w[name suffix]
 * Observations on edges, transitions, default weights and notes stay as they are. */
caucus_status cau_fold(caucus_ctx *ctx, const caucus_model *model, const cau_alphabet *names,
                       cau_str suffix, caucus_model **out);

#endif
