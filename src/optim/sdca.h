/* sdca.h - stochastic dual coordinate ascent: stochastic training that reaches the optimum of
 * penalised problems.
 *
 * Plain stochastic steps stop at a distance from the optimum that depends on the rate. This solver
 * remembers the last residuals of every example, so the noise of its steps vanishes as they
 * converge. It comes as close as L-BFGS in a fraction of the passes, and needs one vector of
 * weights, or three if there is an l1 penalty or a weak l2 penalty. The maths is in sdca.c, the
 * figures are in docs/decisions/stochastic.md. */

#ifndef CAU_OPTIM_SDCA_H
#define CAU_OPTIM_SDCA_H

#include "optim/online.h"

typedef struct {
    double share;     /* step size in (0,1] towards the new residuals; 0 adapts it all the time */
    size_t minibatch; /* examples, 1, 2, 4, ... 32; 0 chooses by the size of the examples */
    uint64_t seed;
} cau_sdca_options;

/* A solver whose step is one epoch: about as many visits as there are examples, in a seeded random
 * order. The problem must have a penalty, and must not have both a mean and an l1 penalty.
 *
 * At first it reports an estimate of the objective (it->estimate): each loss at the last visit of
 * the example, plus the penalty at the end of the epoch. The estimate is too high while the
 * objective falls. Once it settles, the objective is evaluated after each epoch. The norm of the
 * gradient is unknown.
 *
 * Starts at w (copied). A start that differs from the mean of the penalty (0 without one) costs one
 * more vector. A state can only be restored in a solver whose start is of the same kind. */
caucus_status cau_sdca_new(caucus_ctx *ctx, const cau_online_problem *problem,
                           const cau_sdca_options *options, const double *w, cau_solver *out);

/* Memory of such a solver that starts at the mean, in bytes: the weights, a float for every score
 * of the data, and a float for every example and common weight. */
size_t cau_sdca_bytes(const cau_online_problem *problem);

#endif
