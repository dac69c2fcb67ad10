/* resolve_options.h - resolves automatic options for the given data, refuses incompatible ones, and
 * computes the weights of instances. */

#ifndef CAU_TRAIN_RESOLVE_OPTIONS_H
#define CAU_TRAIN_RESOLVE_OPTIONS_H

#include "model/chain.h"
#include "train/fit.h"

/* The solver for the options, never CAU_SOLVER_AUTO. Auto is owlqn with l1 (proximal if l1 is on
 * groups), sdca for sequence models with a strong enough penalty, else lbfgs. Data may be NULL:
 * then it counts as data without sequences. */
cau_solver_kind cau_train_solver(const cau_train_options *options, const caucus_data *data);

/* Whether a solver is perceptron or PA: no objective, no penalty, CRFs only. */
bool cau_solver_is_perceptron(cau_solver_kind kind);

/* The model for the options and the data, and its functions for sequences; NULL for a classifier.
 */
cau_kind cau_train_kind(const cau_train_options *options, const caucus_data *data);
const cau_chain_ops *cau_train_chain(const cau_train_options *options, const caucus_data *data);

/* Never CAU_STATES_AUTO, which is seen for sequences, where all would be too many weights, else
 * all. */
cau_states cau_train_states(const cau_train_options *options, bool chain);

/* Whether a solver takes gradient steps example by example. */
bool cau_solver_is_shared(cau_solver_kind kind);     /* several processes can share the data */
bool cau_solver_is_stochastic(cau_solver_kind kind); /* SGD, AdaGrad and FOBOS */
bool cau_solver_is_scaling(cau_solver_kind kind);    /* GIS and IIS */
const char *cau_solver_name(cau_solver_kind kind);

/* Refuses combinations that cannot be meant: those that the options alone show, and those that
 * the data shows. */
caucus_status cau_options_check(caucus_ctx *ctx, const cau_train_options *options);
caucus_status cau_options_check_data(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_train_options *options);

/* Weights [N] of the training set: those of the data times those of the classes, which are NULL,
 * "balanced" or "label=w,label=w". *out is NULL if all are 1; free it. */
caucus_status cau_instance_weights(caucus_ctx *ctx, const caucus_data *data,
                                   const char *class_weight, float **out);

#endif
