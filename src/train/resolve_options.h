/* resolve_options.h - what the options come to for the data at hand, and which of them go together.
 */

#ifndef CAU_TRAIN_RESOLVE_OPTIONS_H
#define CAU_TRAIN_RESOLVE_OPTIONS_H

#include "model/chain.h"
#include "train/fit.h"

/* The solver that the options ask for: never CAU_SOLVER_AUTO, which is owlqn with l1 (proximal
 * where that is on groups), sdca for sequence models with a penalty that is strong enough for it,
 * else lbfgs. Without data (NULL) sequences are not known of. */
cau_solver_kind cau_train_solver(const cau_train_options *options, const caucus_data *data);

/* Whether a solver goes by mistakes: it has no objective and no penalty, and trains CRFs only. */
bool cau_solver_is_perceptron(cau_solver_kind kind);

/* What the choice of a model comes to for the data, and that as exec/ sees it: NULL for a
 * classifier. */
cau_kind cau_train_kind(const cau_train_options *options, const caucus_data *data);
const cau_chain_ops *cau_train_chain(const cau_train_options *options, const caucus_data *data);

/* Never CAU_STATES_AUTO: that is seen for sequences, whose weights would be too many, else all. */
cau_states cau_train_states(const cau_train_options *options, bool chain);

/* Whether a solver takes gradient steps example by example. */
bool cau_solver_is_stochastic(cau_solver_kind kind); /* SGD, AdaGrad and FOBOS */
bool cau_solver_is_scaling(cau_solver_kind kind);    /* GIS and IIS */
const char *cau_solver_name(cau_solver_kind kind);

/* Refuses combinations that cannot be meant: those that the options alone show, and those that
 * the data shows. */
caucus_status cau_options_check(caucus_ctx *ctx, const cau_train_options *options);
caucus_status cau_options_check_data(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_train_options *options);

#endif
