/* gis_iis.h - iterative scaling: GIS and IIS (MATH A.3, A.4).
 *
 * For each weight k both solve an equation in one unknown d,
 *     sum_m a[m] exp(d * mass[m])  =  target - (w + d - mean) * l2
 * and then update all weights at once. GIS has one term, with mass C. IIS has a term for every
 * distinct total f#(x,y) = sum_k f_k(x,y) that occurs with the feature. */

#ifndef CAU_OPTIM_GIS_IIS_H
#define CAU_OPTIM_GIS_IIS_H

#include <stdint.h>

#include "optim/solver.h"

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
