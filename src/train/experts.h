/* experts.h - J experts over all features, trained together. The maths is in experts.c. */

#ifndef CAU_TRAIN_EXPERTS_H
#define CAU_TRAIN_EXPERTS_H

#include "optim/batch.h"
#include "optim/online.h"
#include "train/problem.h"

/* The experts over a problem, in the coordinates of the model and without penalties. Their weights
 * are theta [n][J]. */
typedef struct cau_experts cau_experts;

/* Borrows the problem. The options have J = options->experts. Free it with cau_experts_free. */
caucus_status cau_experts_new(caucus_ctx *ctx, cau_problem *problem,
                              const cau_train_options *options, cau_experts **out);
void cau_experts_free(cau_experts *experts); /* NULL is fine */

/* The first weights: uniform in [-spread, spread], but 0 for weights that stay 0. */
void cau_experts_draw(const cau_experts *experts, uint64_t seed, double *theta);

/* The problem for a batch solver and for a stochastic one. Both borrow the experts. */
cau_proximal_problem cau_experts_batch(cau_experts *experts);
cau_fobos_options cau_experts_stochastic(const cau_experts *experts, double rate, uint64_t seed);

/* w_k = sum_j theta_kj / J: the weights of the product of the experts, [n]. Valid until the next
 * call or the next step of a batch solver. NULL if memory is short. */
const double *cau_experts_product(cau_experts *experts, const double *theta);

double cau_experts_penalty(const cau_experts *experts, const double *theta);

/* The penalty as a formula: "0.1/2 * sum over weights of (sum over experts of |w|)^2". */
void cau_experts_define(const cau_train_options *options, cau_strbuf *out);

#endif
