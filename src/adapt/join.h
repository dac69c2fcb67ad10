/* join.h - several models as the members of one, and a model without the copies of its features.
 *
 * A label that only some of the models know is a label of the whole. A model that was never told of
 * it finds it impossible: it has a default weight of CAU_JOIN_NEVER there, in chains as well, so
 * that its probability is 0, where a weight of 0 would make it as likely as anything. (What stands
 * before a position is another matter: after a label that a MEMM does not know, it goes by the
 * observations alone.) */

#ifndef CAU_ADAPT_JOIN_H
#define CAU_ADAPT_JOIN_H

#include "model/model.h"
#include "text/alphabet.h"

#define CAU_JOIN_NEVER (-1e6)

/* One model with the observations and the labels of all, in the order of their coming, and the
 * models as members. They are single models of the same kind and read the same way: the way of
 * reading and the template of the first is kept. `top`, unless NULL, is the main model of a stack,
 * and comes first; then J = 1. `info` is what is said of the whole: of a stack, what the main model
 * says, and `info` is ignored. CAUCUS_ERR_ARGUMENT when they cannot be joined. */
typedef struct {
    const caucus_model *const *member; /* [J] */
    const caucus_model *top;
    cau_pool pool;
    cau_str info;
} cau_join_parts;
caucus_status cau_join(caucus_ctx *ctx, const cau_join_parts *parts, caucus_model **out);

/* A single model over these observations alone, in whose weights copies of them are folded in:
 *     w[name] = w[name] + w[name suffix]
 * Observations on edges, transitions and default weights are as they were, and so is all else. */
caucus_status cau_fold(caucus_ctx *ctx, const caucus_model *model, const cau_alphabet *names,
                       cau_str suffix, caucus_model **out);

#endif
