/* learner.c - see learner.h. */

#include "train/learner.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "optim/batch.h"
#include "optim/online.h"
#include "train/resolve_options.h"

#define SURE 0.02 /* docs/decisions/stochastic.md */

/* ---- problems -------------------------------------------------------------------------------- */

/* L-BFGS and OWL-QN: each process has the vectors of its own weights. */
static cau_lbfgs_problem lbfgs_problem(cau_learner *l)
{
    cau_problem *p = l->problem;
    size_t begin, count;
    cau_problem_own(p, &begin, &count);
    const size_t penalised = p->penalised > begin ? p->penalised - begin : 0;
    return (cau_lbfgs_problem){.n = count,
                               .evaluate = p->comm ? cau_problem_smooth_part : cau_problem_smooth,
                               .total = p->comm ? cau_problem_total : NULL,
                               .self = p,
                               .threads = p->threads,
                               .history = (size_t)l->options->history,
                               .l1 = p->l1,
                               .penalised = penalised < count ? penalised : count};
}

static bool is_divided(const cau_learner *l)
{
    return l->problem->comm && (l->kind == CAU_SOLVER_LBFGS || l->kind == CAU_SOLVER_OWLQN);
}

static cau_proximal_problem proximal_problem(cau_learner *l)
{
    if (l->experts) return cau_experts_batch(l->experts);
    return (cau_proximal_problem){.n = l->problem->n,
                                  .smooth = l->problem->comm ? cau_problem_smooth_all
                                                             : cau_problem_smooth,
                                  .prox = cau_problem_prox,
                                  .penalty = cau_problem_penalty,
                                  .self = l->problem,
                                  .threads = l->problem->threads};
}

/* Whether the solver goes example by example. */
static bool is_online(cau_solver_kind kind)
{
    return cau_solver_is_stochastic(kind) || kind == CAU_SOLVER_SDCA ||
           cau_solver_is_perceptron(kind);
}

static cau_online_kind online_kind(const cau_learner *l)
{
    return l->kind == CAU_SOLVER_SGD ? CAU_ONLINE_SGD : CAU_ONLINE_ADAGRAD;
}

/* Threads that read examples; FOBOS uses one. */
static unsigned threads_of(const cau_learner *l)
{
    return l->kind == CAU_SOLVER_FOBOS ? 1 : l->problem->threads;
}

static cau_stochastic *self_of(const cau_learner *l, unsigned thread)
{
    return l->selves[thread];
}

/* The examples. */
static cau_online_problem online_problem(cau_learner *l)
{
    cau_online_problem problem = cau_stochastic_problem(&l->stochastic);
    problem.threads = threads_of(l);
    problem.selves = l->selves;
    problem.changing = l->options->dropout > 0;
    if (l->experts) problem.loss = NULL; /* an estimate suffices */
    return problem;
}

/* FOBOS for an ordinary model: a single expert. */
static cau_fobos_options fobos_options(const cau_learner *l)
{
    static const double alpha = 1;
    const bool l1 = l->problem->l1 > 0;
    if (l->experts) return cau_experts_stochastic(l->experts, l->options->rate, l->seed);
    return (cau_fobos_options){.J = 1,
                               .alpha = &alpha,
                               .penalty = l1 ? CAU_FOBOS_L1 : CAU_FOBOS_L2,
                               .lambda = l1 ? l->problem->l1 : l->problem->l2,
                               .rate = l->options->rate,
                               .seed = l->seed};
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t online_bytes(cau_learner *l)
{
    const cau_online_problem problem = online_problem(l);
    const cau_fobos_options fobos = fobos_options(l);
    if (l->kind == CAU_SOLVER_FOBOS) return cau_fobos_bytes(&problem, &fobos);
    if (l->kind == CAU_SOLVER_SDCA) return cau_sdca_bytes(&problem);
    if (cau_solver_is_perceptron(l->kind)) return cau_perceptron_bytes(&problem);
    return cau_online_bytes(&problem, online_kind(l));
}

double cau_learner_bytes(cau_learner *l)
{
    const cau_dataset *set = l->problem->set;
    const double vector = (double)l->problem->n * sizeof(double);
    if (l->kind == CAU_SOLVER_LBFGS || l->kind == CAU_SOLVER_OWLQN) {
        const cau_lbfgs_problem problem = lbfgs_problem(l);
        return (double)cau_lbfgs_bytes(&problem) + vector;
    }
    if (l->kind == CAU_SOLVER_PROXIMAL) {
        const cau_proximal_problem problem = proximal_problem(l);
        return (double)cau_proximal_bytes(&problem) + vector;
    }
    if (is_online(l->kind)) return vector + (double)online_bytes(l);
    return 5 * vector +
           (double)(set->N * set->Y) * sizeof(double) * (l->kind == CAU_SOLVER_IIS ? 3 : 1);
}

bool cau_learner_pulls(const cau_learner *l)
{
    return !is_online(l->kind);
}

/* ---- from beginning to end ------------------------------------------------------------------- */

/* Allocates the scratch memory of each thread. */
static caucus_status prepare_threads(caucus_ctx *ctx, cau_learner *l)
{
    caucus_status st = CAUCUS_OK;
    const unsigned threads = threads_of(l);
    l->selves = cau_calloc(threads, sizeof *l->selves);
    l->more = cau_calloc(threads, sizeof *l->more);
    if (!l->selves || !l->more) TRY(cau_fail_memory(ctx, "the threads"));
    for (unsigned i = 0; i < threads; i++) {
        l->selves[i] = i ? &l->more[i - 1] : &l->stochastic;
        TRY(cau_stochastic_init(ctx, l->problem, self_of(l, i)));
    }
done:
    return st;
}

caucus_status cau_learner_prepare(caucus_ctx *ctx, cau_learner *l)
{
    caucus_status st = CAUCUS_OK;
    if (l->options->experts) TRY(cau_experts_new(ctx, l->problem, l->options, &l->experts));
    if (!is_online(l->kind)) return CAUCUS_OK;
    TRY(prepare_threads(ctx, l));
    if (l->options->dropout == 0) return CAUCUS_OK;
    const cau_online_problem problem = online_problem(l);
    for (unsigned i = 0; i < threads_of(l); i++)
        TRY(cau_dropout_init(ctx, l->data, &problem, l->options->dropout, l->options->dropout_by,
                             l->seed, &self_of(l, i)->dropout));
done:
    return st;
}

static caucus_status start_scaling(caucus_ctx *ctx, cau_learner *l, const double *start)
{
    caucus_status st = cau_iterative_scaling_new(
        ctx, l->data, l->problem, l->kind == CAU_SOLVER_IIS, l->options->correction, &l->scaling);
    if (st) return st;
    const cau_scaling_problem problem = cau_iterative_scaling_problem(l->scaling);
    return cau_scaling_new(ctx, &problem, start, &l->solver);
}

/* Starts a solver that goes example by example. */
static caucus_status start_online(caucus_ctx *ctx, cau_learner *l, const double *start)
{
    static const cau_perceptron_kind types[] = {CAU_PERCEPTRON_PA, CAU_PERCEPTRON_PA_1,
                                                CAU_PERCEPTRON_PA_2};
    const cau_train_options *o = l->options;
    const cau_online_problem problem = online_problem(l);
    const cau_fobos_options fobos = fobos_options(l);
    if (l->kind == CAU_SOLVER_FOBOS) return cau_fobos_new(ctx, &problem, &fobos, start, &l->solver);
    const cau_sdca_options dual = {.seed = l->seed};
    if (l->kind == CAU_SOLVER_SDCA) return cau_sdca_new(ctx, &problem, &dual, start, &l->solver);
    const cau_perceptron_options mistake = {
        .kind = l->kind == CAU_SOLVER_PA     ? types[o->pa_type]
                : l->kind == CAU_SOLVER_AROW ? CAU_PERCEPTRON_AROW
                                             : CAU_PERCEPTRON_PLAIN,
        .c = o->pa_c,
        .unit_margin = o->unit_margin,
        .last = o->last_weights,
        .variance = o->arow_variance,
        .gamma = o->arow_gamma,
        .epochs = o->stop.iterations ? o->stop.iterations : CAU_EPOCHS,
        .seed = l->seed};
    if (cau_solver_is_perceptron(l->kind))
        return cau_perceptron_new(ctx, &problem, &mistake, start, &l->solver);
    const cau_online_options online = {
        .kind = online_kind(l), .rate = o->rate, .sure = SURE, .seed = l->seed};
    return cau_online_new(ctx, &problem, &online, start, &l->solver);
}

static caucus_status start_solver(caucus_ctx *ctx, cau_learner *l, const double *start)
{
    if (is_online(l->kind)) return start_online(ctx, l, start);
    if (cau_solver_is_scaling(l->kind)) return start_scaling(ctx, l, start);
    if (l->kind == CAU_SOLVER_PROXIMAL) {
        const cau_proximal_problem problem = proximal_problem(l);
        return cau_proximal_new(ctx, &problem, start, &l->solver);
    }
    const cau_lbfgs_problem problem = lbfgs_problem(l); /* OWL-QN if there is an l1 penalty */
    size_t begin, count;
    cau_problem_own(l->problem, &begin, &count);
    return cau_lbfgs_new(ctx, &problem, start + begin, &l->solver);
}

caucus_status cau_learner_start(caucus_ctx *ctx, cau_learner *l, const double *start)
{
    if (!l->experts) return start_solver(ctx, l, start);
    double *theta = cau_vector(cau_learner_size(l), sizeof *theta);
    if (!theta) return cau_fail_memory(ctx, "the weights");
    cau_experts_draw(l->experts, l->seed, theta);
    const caucus_status st = start_solver(ctx, l, theta);
    free(theta);
    return st;
}

size_t cau_learner_size(const cau_learner *l)
{
    return l->problem->n * (l->experts ? l->options->experts : 1);
}

const double *cau_learner_parameters(const cau_learner *l)
{
    if (l->experts && l->kind == CAU_SOLVER_FOBOS) return cau_fobos_theta(&l->solver);
    if (is_divided(l)) return cau_learner_weights(l);
    return l->solver.ops->weights(l->solver.self);
}

const double *cau_learner_weights(const cau_learner *l)
{
    const double *w = l->solver.ops->weights(l->solver.self);
    if (l->experts && l->kind == CAU_SOLVER_PROXIMAL) return cau_experts_product(l->experts, w);
    return is_divided(l) ? cau_problem_gather(l->problem, w) : w;
}

caucus_status cau_learner_step(cau_learner *l, size_t done, cau_iterate *it)
{
    for (unsigned i = 0; l->selves && i < threads_of(l); i++)
        self_of(l, i)->dropout.epoch = done + 1;
    return l->solver.ops->step(l->solver.self, it);
}

void cau_learner_stop(cau_learner *l)
{
    if (l->solver.ops) l->solver.ops->free(l->solver.self);
    l->solver = (cau_solver){0};
}

void cau_learner_clear(cau_learner *l)
{
    cau_learner_stop(l);
    cau_iterative_scaling_free(l->scaling);
    l->scaling = NULL;
    cau_experts_free(l->experts);
    l->experts = NULL;
    cau_stochastic_clear(&l->stochastic);
    for (unsigned i = 1; l->more && i < threads_of(l); i++) cau_stochastic_clear(&l->more[i - 1]);
    free(l->more);
    free(l->selves);
    l->more = NULL;
    l->selves = NULL;
}
