/* sdca.h - stochastic training that reaches the optimum of penalised problems.
 *
 * Plain stochastic steps stop at a distance from the optimum that the rate decides. This solver
 * remembers the last residuals of every example, so that its steps lose their noise as they
 * converge: it comes as close as L-BFGS, in a fraction of the passes, and needs one vector of
 * weights, or three where the penalty is l1, or weak. The maths is in dual.c, the figures are in
 * docs/decisions/stochastic.md. */

#ifndef CAU_OPTIM_SDCA_H
#define CAU_OPTIM_SDCA_H

#include "optim/online.h"

typedef struct {
    double share; /* the part of the way to its new residuals that an example goes, in (0,1]; 0 lets
                     the solver measure what is best, all the time */
    size_t round; /* examples that look at the same weights, 1, 2, 4, ... 32; 0: by their size */
    uint64_t seed;
} cau_sdca_options;

/* A solver whose step is one epoch, as many visits as would be one to each example, in a seeded
 * random order. The problem must have a penalty, and no mean with an l1 penalty.
 *
 * What it reports at first is an estimate (it->estimate): each loss as it was when the example was
 * visited last, and the penalty at the end of the epoch. It errs to the high side while the
 * objective falls. When it settles, the objective is evaluated after each epoch. The norm of
 * the gradient is not known.
 *
 * Starts at w (copied). The start costs nothing where it equals the mean of the penalty (0
 * without one), and one more vector where it does not; a state can be given to a solver whose
 * start is of the same kind. */
caucus_status cau_sdca_new(caucus_ctx *ctx, const cau_online_problem *problem,
                           const cau_sdca_options *options, const double *w, cau_solver *out);

/* Bytes that such a solver takes when it starts at the mean: the weights, and a float for every
 * score of the data and for every example and common weight. */
size_t cau_sdca_bytes(const cau_online_problem *problem);

#endif
