/* stochastic.c - see stochastic.h. */

#include "train/stochastic.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

caucus_status cau_stochastic_init(caucus_ctx *ctx, cau_problem *problem, cau_stochastic *out)
{
    cau_stochastic s = {.problem = problem, .g = cau_vector(problem->n, sizeof(double))};
    if (!s.g) return cau_fail_memory(ctx, "the gradient");
    *out = s;
    return CAUCUS_OK;
}

void cau_stochastic_clear(cau_stochastic *s)
{
    free(s->g);
    *s = (cau_stochastic){0};
}

static void example(void *self, size_t i, cau_example *out)
{
    const cau_stochastic *s = self;
    const cau_dataset *set = s->problem->set;
    *out = (cau_example){.groups = set->group,
                         .start = set->x.start + i * set->group,
                         .id = set->x.column,
                         .value = set->x.value};
}

static caucus_status residual(void *self, size_t i, double *scores, double *loss)
{
    const cau_stochastic *s = self;
    const cau_problem *p = s->problem;
    double logz;
    return cau_maxent_ops.residuals(1, p->set->Y, scores, p->set->gold + i,
                                    p->weight ? p->weight + i : NULL, false, &logz, loss);
}

static caucus_status evaluate(void *self, const double *w, double *f, double *gnorm)
{
    cau_stochastic *s = self;
    double loss, penalty;
    caucus_status st = cau_problem_parts(s->problem, w, s->g, &loss, &penalty);
    if (st) return st;
    *f = loss + penalty;
    *gnorm = cau_problem_norm(s->problem, w, s->g);
    return CAUCUS_OK;
}

cau_online_problem cau_stochastic_problem(cau_stochastic *s)
{
    const cau_problem *p = s->problem;
    return (cau_online_problem){.examples = p->set->N,
                                .rows = p->set->K,
                                .width = p->set->width,
                                .bias = p->bias,
                                .l1 = p->l1,
                                .l2 = p->l2,
                                .mean = p->mean,
                                .fixed = p->fixed,
                                .self = s,
                                .example = example,
                                .residual = residual,
                                .evaluate = evaluate};
}
