/* learner.h - a solver together with the form of the problem that it needs: a smooth function,
 * expected counts, or single examples. */

#ifndef CAU_TRAIN_LEARNER_H
#define CAU_TRAIN_LEARNER_H

#include "train/experts.h"
#include "train/iterative_scaling.h"
#include "train/problem.h"
#include "train/stochastic.h"

typedef struct {
    /* set by the caller, and borrowed */
    const caucus_data *data;
    const cau_train_options *options;
    cau_solver_kind kind; /* never CAU_SOLVER_AUTO */
    uint64_t seed;
    cau_problem *problem;

    cau_iterative_scaling *balance; /* GIS and IIS; made with the solver */
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
