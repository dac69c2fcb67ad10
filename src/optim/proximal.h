/* proximal.h - accelerated proximal gradient (FISTA) with backtracking and restart.
 *
 *     minimise  f(x) + P(x),   f smooth with a callback for value and gradient, P by its prox
 *
 * One step is one accepted iteration. */

#ifndef CAU_OPTIM_PROXIMAL_H
#define CAU_OPTIM_PROXIMAL_H

#include "optim/solver.h"

typedef struct {
    size_t n;
    cau_objective *smooth; /* f and its gradient */
    /* x <- argmin_z 1/2 |z - x|^2 + step P(z); false when memory is short */
    bool (*prox)(void *self, double step, double *x);
    double (*penalty)(void *self, const double *x); /* P(x) */
    void *self;
    unsigned threads;
    double step; /* the first to try; 0 means 1 */
} cau_proximal_problem;

caucus_status cau_proximal_new(caucus_ctx *ctx, const cau_proximal_problem *problem,
                               const double *x, cau_solver *out);
size_t cau_proximal_bytes(const cau_proximal_problem *problem);

#endif
