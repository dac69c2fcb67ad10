/* learner.h - a solver together with the form of the problem that it needs: a smooth function,
 * expected counts, single examples, or experts that are trained together. */

#ifndef CAU_TRAIN_LEARNER_H
#define CAU_TRAIN_LEARNER_H

#include "optim/batch.h"
#include "optim/online.h"
#include "train/dropout.h"
#include "train/problem.h"

/* ---- iterative_scaling.c: GIS and IIS (MATH A.3, A.4) ---------------------------------------- */

/* They make expected counts equal to empirical counts, one weight at a time. */

typedef struct cau_iterative_scaling cau_iterative_scaling;

/* Prepares GIS (iis false) or IIS. Borrows the problem. CAUCUS_ERR_ARGUMENT if a feature is
 * negative. */
caucus_status cau_iterative_scaling_new(caucus_ctx *ctx, const caucus_data *data,
                                        cau_problem *problem, bool iis, bool correction,
                                        cau_iterative_scaling **out);
void cau_iterative_scaling_free(cau_iterative_scaling *scaling);

/* The problem for optim/; n includes the weight of the correction feature. */
cau_scaling_problem cau_iterative_scaling_problem(cau_iterative_scaling *scaling);

/* The weights of the model [problem->n] from those of the solver: the correction feature is
 * folded in. f_0 = C - sum_k f_k, so w_0 f_0 is -w_0 on every feature, plus a constant. */
void cau_iterative_scaling_fold(const cau_iterative_scaling *scaling, const double *solver,
                                double *w);

/* ---- stochastic.c: a problem example by example, for the online solvers ---------------------- */

/* An example is an instance, or a sequence. */

/* Memory for one example. */
typedef struct {
    cau_problem *problem;

    /* sequences */
    cau_transitions transitions;
    cau_chain_work *work;
    uint32_t *best, *gold; /* [longest] paths */
    double *counts;        /* [Y][Y] of transitions that are no weights */
    double *allowed;       /* [longest][Y] scores without the labels that are not gold */

    /* observations on edges: the groups of an example put together, room for the largest */
    size_t *start, *offset;
    uint32_t *id;
    float *value;

    cau_dropout dropout; /* zeroed by init; the caller sets it up and sets the epoch */
} cau_stochastic;

caucus_status cau_stochastic_init(caucus_ctx *ctx, cau_problem *problem, cau_stochastic *out);
void cau_stochastic_clear(cau_stochastic *stochastic);

cau_online_problem cau_stochastic_problem(cau_stochastic *stochastic);

/* ---- experts.c: J experts over all features, trained together -------------------------------- */

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

/* ---- learner.c: the solver and its problem --------------------------------------------------- */

typedef struct {
    /* set by the caller, and borrowed */
    const caucus_data *data;
    const cau_train_options *options;
    cau_solver_kind kind; /* never CAU_SOLVER_AUTO */
    uint64_t seed;
    cau_problem *problem;

    cau_iterative_scaling *scaling; /* GIS and IIS; made with the solver */
    cau_stochastic stochastic;      /* solvers that go example by example */
    cau_stochastic *more;           /* [threads - 1] those of the other threads */
    void **selves;                  /* [threads] all of them */
    cau_experts *experts;           /* trained together; NULL: an ordinary model */
    cau_solver solver;
} cau_learner;

/* Prepares everything except the solver, after which its memory is known. Clear it in any case. */
caucus_status cau_learner_prepare(caucus_ctx *ctx, cau_learner *learner);
double cau_learner_bytes(cau_learner *learner);

/* Whether the solver uses gradients over all of the data (infer/dataset_pass.h), not single
 * examples. */
bool cau_learner_pulls(const cau_learner *learner);

/* Creates the solver. start [n + 1]: the initial weights of the problem, and 0 for that of the
 * correction feature of GIS. Experts have initial weights of their own. */
caucus_status cau_learner_start(caucus_ctx *ctx, cau_learner *learner, const double *start);

/* Runs one iteration, after `done` others. */
caucus_status cau_learner_step(cau_learner *learner, size_t done, cau_iterate *it);

/* The weights of the problem [n], for experts those of their product; and all parameters of the
 * solver: the same weights, or theta [n][J] of experts. Both are valid until the next step. */
const double *cau_learner_weights(const cau_learner *learner);
const double *cau_learner_parameters(const cau_learner *learner);
size_t cau_learner_size(const cau_learner *learner); /* n, or n J */

/* Frees the solver only; the learner can still be measured. */
void cau_learner_stop(cau_learner *learner);
void cau_learner_clear(cau_learner *learner);

#endif
