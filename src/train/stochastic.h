/* stochastic.h - a problem as the online solvers see it: example by example. */

#ifndef CAU_TRAIN_STOCHASTIC_H
#define CAU_TRAIN_STOCHASTIC_H

#include "optim/online.h"
#include "train/problem.h"

/* Memory for the evaluation of the whole objective once an epoch. */
typedef struct {
    cau_problem *problem;
    double *g; /* [n] */
} cau_stochastic;

caucus_status cau_stochastic_init(caucus_ctx *ctx, cau_problem *problem, cau_stochastic *out);
void cau_stochastic_clear(cau_stochastic *stochastic);

cau_online_problem cau_stochastic_problem(cau_stochastic *stochastic);

#endif
