/* batch.h - solvers that see all of the data at each step: L-BFGS and OWL-QN, accelerated proximal
 * gradient, and iterative scaling. */

#ifndef CAU_OPTIM_BATCH_H
#define CAU_OPTIM_BATCH_H

#include <stdint.h>

#include "optim/solver.h"

/* ---- lbfgs.c: L-BFGS with a strong Wolfe line search, and OWL-QN for l1 ---------------------- */

/* Turns sums over the own weights of a process into sums over those of all processes. */
typedef caucus_status cau_total_fn(void *self, size_t count, double *sums);

typedef struct {
    size_t n;                /* weights */
    cau_objective *evaluate; /* F and its gradient; with l1, the smooth part of F */
    cau_total_fn *total; /* several processes run the solver, each with a part of the weights and
                            of the gradient; NULL: one has all */
    void *self;          /* given to evaluate */
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

/* ---- proximal.c: accelerated proximal gradient (FISTA) with backtracking and restart --------- */

/* Minimises f(x) + P(x), f smooth with a callback for value and gradient, P by its proximal step.
 * One step of the solver is one accepted iteration. */

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

/* ---- gis_iis.c: iterative scaling, GIS and IIS (MATH A.3, A.4) ------------------------------- */

/* For each weight k both solve an equation in one unknown d,
 *     sum_m a[m] exp(d * mass[m])  =  target - (w + d - mean) * l2
 * and then update all weights at once. GIS has one term, with mass C. IIS has a term for every
 * distinct total f#(x,y) = sum_k f_k(x,y) that occurs with the feature. */

/* The root d of the equation above, for terms a[m] >= 0 and mass[m] > 0, count >= 1, to full
 * precision. A target of 0 without a penalty has no finite root: returns 0, and the weight stays.
 */
double cau_scaling_root(size_t count, const double *a, const double *mass, double target, double w,
                        double mean, double l2);

/* The problem of iterative scaling. */
typedef struct {
    size_t n;
    unsigned threads;
    void *self;

    /* Computes F(w), the norm of its gradient, and the expected counts at w, which self keeps for
     * `update`. */
    caucus_status (*expect)(void *self, const double *w, double *f, double *gnorm);

    /* Computes the step d [n] of all weights from the expected counts. */
    caucus_status (*update)(void *self, const double *w, double *d);
} cau_scaling_problem;

/* A solver that starts at w [n] (copied). Its name is "scaling": `update` decides whether it is GIS
 * or IIS. */
caucus_status cau_scaling_new(caucus_ctx *ctx, const cau_scaling_problem *problem, const double *w,
                              cau_solver *out);

#endif
