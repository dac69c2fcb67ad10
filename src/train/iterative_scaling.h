/* iterative_scaling.h - GIS and IIS over a problem (MATH A.3, A.4): make expected counts equal to
 * empirical counts, one weight at a time. */

#ifndef CAU_TRAIN_ITERATIVE_SCALING_H
#define CAU_TRAIN_ITERATIVE_SCALING_H

#include "optim/batch.h"
#include "train/problem.h"

typedef struct cau_iterative_scaling cau_iterative_scaling;

/* Prepares GIS (iis false) or IIS. Borrows the problem. CAUCUS_ERR_ARGUMENT if a feature is
 * negative. */
caucus_status cau_iterative_scaling_new(caucus_ctx *ctx, const caucus_data *data,
                                        cau_problem *problem, bool iis, bool correction,
                                        cau_iterative_scaling **out);
void cau_iterative_scaling_free(cau_iterative_scaling *balance);

/* The problem for optim/; n includes the weight of the correction feature. */
cau_scaling_problem cau_iterative_scaling_problem(cau_iterative_scaling *balance);

/* The weights of the model [problem->n] from those of the solver: the correction feature is
 * folded in. f_0 = C - sum_k f_k, so w_0 f_0 is -w_0 on every feature, plus a constant. */
void cau_iterative_scaling_fold(const cau_iterative_scaling *balance, const double *solver,
                                double *w);

#endif
