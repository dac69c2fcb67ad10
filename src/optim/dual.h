/* dual.h - stochastic training that reaches the optimum of l2-penalised problems.
 *
 * Plain stochastic steps stop at a distance from the optimum that the rate decides. This solver
 * remembers the last residuals of every example, so that its steps lose their noise as they
 * converge: it comes as close as L-BFGS, in a fraction of the passes, and needs one vector of
 * weights. The maths is in dual.c, the figures in docs/decisions/stochastic.md. */

#ifndef CAU_OPTIM_DUAL_H
#define CAU_OPTIM_DUAL_H

#include "optim/online.h"

/* A solver whose step is one epoch in a seeded random order. The problem must have l2 > 0 and
 * l1 = 0. `share` in (0,1] is the part of the way to its new residuals that an example goes; 0
 * lets the solver measure what is best, all the time.
 *
 * It does not call `evaluate`. What it reports is an estimate (it->estimate): each loss as it was
 * when the example was visited, and the penalty at the end of the epoch. It errs to the high
 * side while the objective falls and is exact in the end. The norm of the gradient is not known.
 * Whoever reports the result evaluates it once.
 *
 * Starts at w (copied). The start costs nothing where it equals the mean of the penalty (0
 * without one), and one more vector where it does not; a state can be given to a solver whose
 * start is of the same kind. Runs on one thread. */
caucus_status cau_dual_new(caucus_ctx *ctx, const cau_online_problem *problem, double share,
                           uint64_t seed, const double *w, cau_solver *out);

/* Bytes that such a solver takes when it starts at the mean: the weights, and a float for every
 * score of the data and for every example and common weight. */
size_t cau_dual_bytes(const cau_online_problem *problem);

#endif
