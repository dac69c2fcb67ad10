/* stochastic.h - a problem as the online solvers see it: example by example. An example is an
 * instance, or a sequence. */

#ifndef CAU_TRAIN_STOCHASTIC_H
#define CAU_TRAIN_STOCHASTIC_H

#include "optim/online.h"
#include "train/dropout.h"
#include "train/problem.h"

/* Memory for one example. */
typedef struct {
    cau_problem *problem;

    /* sequences */
    cau_transitions transitions;
    cau_chain_work *work;
    uint32_t *best, *gold; /* [longest] paths */
    double *counts;        /* [Y][Y] of transitions that are no weights */
    double *allowed;       /* [longest][Y] scores without the labels that are not gold */

    /* observations on edges: the groups of an example put together, room for the largest */
    size_t *start, *offset;
    uint32_t *id;
    float *value;

    cau_dropout dropout; /* zeroed by init; the caller sets it up and sets the epoch */
} cau_stochastic;

caucus_status cau_stochastic_init(caucus_ctx *ctx, cau_problem *problem, cau_stochastic *out);
void cau_stochastic_clear(cau_stochastic *stochastic);

cau_online_problem cau_stochastic_problem(cau_stochastic *stochastic);

#endif
