/* voters.h - the models that vote on a label: a single model, or the members of a pool
 * (model/pool.h) with their weights. */

#ifndef CAU_INFER_VOTERS_H
#define CAU_INFER_VOTERS_H

#include "model/model.h"

/* The pool of a model whose members have to vote one by one, or NULL: a single model, or a pool
 * that equals one model with summed weights (products by sequence; for classifiers, products by
 * transition too). */
const cau_pool *cau_voting(const caucus_model *model);

/* Whether the model is a stack: its member labels first, then the model itself. */
bool cau_stacked(const caucus_model *model);

/* The number of voters: the members that vote one by one, or the member and the model of a stack,
 * or one model. Voter j as a model of its own is a view, valid as long as the model and not to be
 * freed. A voter of weight 0 is silent and need not be scored. */
size_t cau_voters(const caucus_model *model);
caucus_model cau_voter(const caucus_model *model, size_t j);
bool cau_is_silent(const caucus_model *model, size_t j);

/* Member j of a pool as a model of its own: a view as well. */
caucus_model cau_pool_member(const caucus_model *model, size_t j);

/* The observation that stands for label y of the member of a stack, or CAU_UNKNOWN. `name` is
 * scratch: clear it at the end, and check then whether it failed. */
uint32_t cau_stack_row(const caucus_model *stack, size_t y, cau_strbuf *name);

/* The weight of member j in a mixture at a position: mixing [J], or alpha scaled to sum to 1 where
 * that is NULL. */
double cau_voter_share(const cau_pool *pool, const double *mixing, size_t j);

/* ---- the gate of a pool -------------------------------------------------------------- */

/* Memory of one thread. Embed it zeroed, clear it at the end. */
typedef struct {
    struct cau_present *present; /* the observations of a position, sorted */
    size_t room;
} cau_gate_work;

void cau_gate_clear(cau_gate_work *work);

/* The weights of the members at a position, mixing [J], which sum to 1, given the observations of
 * the pool there: row [count], and their values (NULL: all 1). With `distinct` each row occurs
 * once; otherwise the values of equal rows add up. False when memory is short, never with
 * `distinct`. */
bool cau_gate_mixing(cau_gate_work *work, const caucus_model *pool, size_t count,
                     const uint32_t *row, const float *value, bool distinct, double *mixing);

#endif
