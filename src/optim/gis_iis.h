/* gis_iis.h - iterative scaling: GIS and IIS (MATH A.3, A.4).
 *
 * Both solve, for each weight k by itself, an equation in one unknown d
 *     sum_m a[m] exp(d * mass[m])  =  target - (w + d - mean) * l2
 * and then move all weights at once. For GIS there is one term with mass C; for IIS one for
 * every distinct total f#(x,y) = sum_k f_k(x,y) that occurs with the feature. */

#ifndef CAU_OPTIM_GIS_IIS_H
#define CAU_OPTIM_GIS_IIS_H

#include <stdint.h>

#include "optim/solver.h"

/* The root d of the equation above, for terms a[m] >= 0 and mass[m] > 0, count >= 1. A
 * target of 0 without a penalty has no finite root: returns 0 (the weight stays). Newton on
 * a convex, increasing function, guarded by bisection, to full precision. */
double cau_scaling_root(size_t count, const double *a, const double *mass, double target, double w,
                        double mean, double l2);

/* The problem as scaling sees it. */
typedef struct {
    size_t n;
    unsigned threads;
    void *self;

    /* F(w) and everything that `update` needs at w (the probabilities, kept by self).
     * gnorm: norm of the gradient of F. */
    caucus_status (*expect)(void *self, const double *w, double *f, double *gnorm);

    /* The step d [n] of all weights from what `expect` kept. */
    caucus_status (*update)(void *self, const double *w, double *d);
} cau_scaling_problem;

/* A solver over `problem` that starts at w [n] (copied). It is called "scaling": whether that
 * is GIS or IIS lies in what `update` does. */
caucus_status cau_scaling_new(caucus_ctx *ctx, const cau_scaling_problem *problem, const double *w,
                              cau_solver *out);

#endif
