/* iterative_scaling.h - iterative scaling over a problem: makes expected counts equal to empirical
 * ones, one weight at a time (GIS, IIS; MATH A.3, A.4). */

#ifndef CAU_TRAIN_ITERATIVE_SCALING_H
#define CAU_TRAIN_ITERATIVE_SCALING_H

#include "optim/gis_iis.h"
#include "train/problem.h"

typedef struct cau_iterative_scaling cau_iterative_scaling;

/* Prepares GIS (iis false) or IIS. CAUCUS_ERR_ARGUMENT when a feature is negative. The
 * problem is borrowed. */
caucus_status cau_iterative_scaling_new(caucus_ctx *ctx, const caucus_data *data,
                                        cau_problem *problem, bool iis, bool correction,
                                        cau_iterative_scaling **out);
void cau_iterative_scaling_free(cau_iterative_scaling *balance);

/* The problem as optim/ sees it; n counts the weight of the correction feature too. */
cau_scaling_problem cau_iterative_scaling_problem(cau_iterative_scaling *balance);

/* The weights of the model [problem->n] from those of the solver: the correction feature is
 * folded in. f_0 = C - sum_k f_k, so w_0 f_0 is -w_0 on every feature, plus a constant. */
void cau_iterative_scaling_fold(const cau_iterative_scaling *balance, const double *solver,
                                double *w);

#endif
