/* lbfgs.h - limited-memory BFGS with a strong Wolfe line search, and OWL-QN for l1. */

#ifndef CAU_OPTIM_LBFGS_H
#define CAU_OPTIM_LBFGS_H

#include <stdint.h>

#include "optim/solver.h"

typedef struct {
    size_t n;                /* weights */
    cau_objective *evaluate; /* F and its gradient; with l1, the smooth part of F */
    void *self;              /* given to evaluate */
    unsigned threads;
    size_t history;   /* pairs kept, 3 to 20 */
    double l1;        /* > 0: minimise F + l1 * sum of |w_k| over k < penalised (OWL-QN) */
    size_t penalised; /* weights from here on are exempt from l1 (the intercepts) */
} cau_lbfgs_problem;

/* A solver that starts at w [n] (copied). The first evaluation happens in the first step. The
 * reported objective includes the l1 term. */
caucus_status cau_lbfgs_new(caucus_ctx *ctx, const cau_lbfgs_problem *problem, const double *w,
                            cau_solver *out);

/* Memory of such a solver, in bytes. */
size_t cau_lbfgs_bytes(const cau_lbfgs_problem *problem);

#endif
