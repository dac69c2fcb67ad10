/* joint.c - a pool whose experts are trained together.
 *
 *     theta [n][J],   alpha_j = 1/J,   w_k = sum_j alpha_j theta_kj
 *     F(theta) = loss(w) + penalty(theta),        d loss / d theta_kj = alpha_j d loss / d w_k
 * with one of
 *     elitist   lambda/2 sum_k ( sum_j |theta_kj| )^2
 *     norm      lambda ( sum_k ( sum_j |theta_kj| )^2 )^(1/2)
 *     l1        lambda sum_kj |theta_kj|
 *     l2        lambda/2 sum_kj theta_kj^2
 *
 * All experts have the same gradient, so experts that start equal stay equal; they start at random
 * in [-spread, spread]. At its optimum the pool is ridge MaxEnt, or l1 MaxEnt (MATH D.6): what
 * it may be better at comes from the way there, which ends when the development score has not
 * risen for a while.
 *
 * Stochastic by optim/fobos.h, or batch by optim/proximal.h, which sees theta as one vector.
 * [1] Wang, Manning. Learning a product of experts with elitist lasso. IJCNLP 2013. */

#include "pool/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "math/vector.h"
#include "optim/fobos.h"
#include "optim/proximal.h"
#include "train/resolve_options.h"
#include "train/stochastic.h"

enum { PATIENCE = 25 }; /* epochs, as in [1] */

typedef enum { ELITIST, APPROXIMATE, NORM, L1, L2 } penalty_kind;

typedef struct {
    caucus_ctx *ctx;
    cau_problem *problem;
    size_t J;
    double alpha[CAU_MEMBERS_MOST];
    penalty_kind kind;
    double lambda;
    bool batch;
    cau_stochastic stochastic;
    cau_solver solver;
    double *w;    /* [n] the collapsed weights, of a batch solver */
    double *g;    /* [n] gradient, of a batch solver */
    double *best; /* [n][J] with the best dev score; NULL without a dev set */
    cau_stop_state stop;
} joint;

/* ---- penalties ----------------------------------------------------------------------------- */

static penalty_kind kind_of(const cau_pool_options *pool, const cau_train_options *o)
{
    static const penalty_kind kinds[] = {
        [CAU_PROX_EXACT] = ELITIST, [CAU_PROX_APPROXIMATE] = APPROXIMATE, [CAU_PROX_NORM] = NORM};
    if (o->elitist > 0) return kinds[pool->prox];
    return o->l1 > 0 ? L1 : L2;
}

static double strength_of(penalty_kind kind, const cau_train_options *o)
{
    return kind == L2 ? o->l2 : kind == L1 ? o->l1 : o->elitist;
}

void cau_joint_define(const cau_pool_options *pool, const cau_train_options *o, cau_strbuf *out)
{
    const penalty_kind kind = kind_of(pool, o);
    const double lambda = strength_of(kind, o);
    const char *half = kind == NORM || kind == L1 ? "" : "/2";
    if (lambda == 0)
        cau_strbuf_printf(out, "none");
    else if (kind == L1 || kind == L2)
        cau_strbuf_printf(out, "%g%s * sum over weights and experts of %s", lambda, half,
                          kind == L1 ? "|w|" : "w^2");
    else
        cau_strbuf_printf(out, "%g%s * %ssum over weights of (sum over experts of |w|)^2%s", lambda,
                          half, kind == NORM ? "root of the " : "",
                          kind == APPROXIMATE ? ", by approximate steps" : "");
}

typedef struct {
    const joint *o;
    double step;
    double *v;           /* theta to shrink, */
    const double *theta; /* or to measure */
} rows_job;

/* The proximal step of groups begin..end-1. */
static void prox_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const rows_job *b = self;
    const size_t J = b->o->J;
    const double r = b->step * b->o->lambda;
    switch (b->o->kind) {
    case ELITIST:
        for (size_t k = begin; k < end; k++) cau_prox_elitist(J, r, b->v + k * J);
        break;
    case APPROXIMATE:
        for (size_t k = begin; k < end; k++) cau_prox_elitist_approximate(J, r, b->v + k * J);
        break;
    case L1:
        cau_prox_l1((end - begin) * J, r, b->v + begin * J);
        break;
    case L2:
        cau_prox_l2((end - begin) * J, r, b->v + begin * J);
        break;
    case NORM:
        break;
    }
}

static bool prox(void *self, double step, double *theta)
{
    joint *o = self;
    const size_t groups = o->problem->penalised;
    if (o->lambda == 0) return true;
    if (o->kind == NORM)
        return cau_prox_elitist_norm(groups, o->J, step * o->lambda, theta) == CAUCUS_OK;
    rows_job b = {.o = o, .step = step, .v = theta};
    cau_vector_sums(o->problem->threads, groups, 0, prox_block, &b, NULL);
    return true;
}

static void penalty_block(void *self, size_t begin, size_t end, double *sums)
{
    const rows_job *b = self;
    const size_t J = b->o->J;
    const penalty_kind kind = b->o->kind;
    for (size_t k = begin; k < end; k++) {
        double sum = 0, squares = 0;
        for (size_t j = 0; j < J; j++) {
            const double x = b->theta[k * J + j];
            sum += fabs(x);
            squares += x * x;
        }
        *sums += kind == L1 ? sum : kind == L2 ? squares : sum * sum;
    }
}

static double penalty(void *self, const double *theta)
{
    joint *o = self;
    rows_job b = {.o = o, .theta = theta};
    double sum = 0;
    cau_vector_sums(o->problem->threads, o->problem->penalised, 1, penalty_block, &b, &sum);
    if (o->kind == NORM) return o->lambda * sqrt(sum);
    return o->lambda * (o->kind == L1 ? sum : sum / 2);
}

/* ---- the loss ------------------------------------------------------------------------------ */

typedef struct {
    const joint *o;
    const double *from;
    double *to;
} move_job;

/* w_k = sum_j alpha_j theta_kj */
static void collapse_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const move_job *m = self;
    const size_t J = m->o->J;
    for (size_t k = begin; k < end; k++) {
        double sum = 0;
        for (size_t j = 0; j < J; j++) sum += m->o->alpha[j] * m->from[k * J + j];
        m->to[k] = sum;
    }
}

/* g_kj = alpha_j g_k */
static void spread_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const move_job *m = self;
    const size_t J = m->o->J;
    for (size_t k = begin; k < end; k++)
        for (size_t j = 0; j < J; j++) m->to[k * J + j] = m->o->alpha[j] * m->from[k];
}

static void collapse(const joint *o, const double *theta, double *w)
{
    move_job m = {.o = o, .from = theta, .to = w};
    cau_vector_sums(o->problem->threads, o->problem->n, 0, collapse_block, &m, NULL);
}

/* The loss and its gradient: a cau_objective of theta. */
static caucus_status smooth(void *self, const double *theta, double *f, double *g)
{
    joint *o = self;
    collapse(o, theta, o->w);
    const caucus_status st = cau_problem_smooth(o->problem, o->w, f, o->g);
    if (st) return st;
    move_job m = {.o = o, .from = o->g, .to = g};
    cau_vector_sums(o->problem->threads, o->problem->n, 0, spread_block, &m, NULL);
    return CAUCUS_OK;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Experts that differ, but for weights that stay 0. */
static void draw_start(const joint *o, double spread, uint64_t seed, double *theta)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t k = 0; k < o->problem->n; k++)
        for (size_t j = 0; j < o->J; j++) {
            const double x = spread * (2 * cau_rng_real(&rng) - 1);
            theta[k * o->J + j] = o->problem->fixed && o->problem->fixed[k] ? 0 : x;
        }
}

static caucus_status make_solver(joint *o, const cau_train_options *train, uint64_t seed,
                                 const double *theta)
{
    caucus_status st = CAUCUS_OK;
    const size_t n = o->problem->n;
    if (o->batch) {
        o->w = cau_vector(n, sizeof *o->w);
        o->g = cau_vector(n, sizeof *o->g);
        if (!o->w || !o->g) TRY(cau_fail_memory(o->ctx, "the weights"));
        const cau_proximal_problem problem = {.n = n * o->J,
                                              .smooth = smooth,
                                              .prox = prox,
                                              .penalty = penalty,
                                              .self = o,
                                              .threads = o->problem->threads};
        return cau_proximal_new(o->ctx, &problem, theta, &o->solver);
    }
    static const cau_fobos_penalty penalties[] = {[ELITIST] = CAU_FOBOS_ELITIST,
                                                  [APPROXIMATE] = CAU_FOBOS_APPROXIMATE,
                                                  [NORM] = CAU_FOBOS_ELITIST,
                                                  [L1] = CAU_FOBOS_L1,
                                                  [L2] = CAU_FOBOS_L2};
    const cau_fobos_options how = {.J = o->J,
                                   .alpha = o->alpha,
                                   .penalty = penalties[o->kind],
                                   .lambda = o->lambda,
                                   .rate = train->rate,
                                   .seed = seed};
    TRY(cau_stochastic_init(o->ctx, o->problem, &o->stochastic));
    cau_online_problem problem = cau_stochastic_problem(&o->stochastic);
    problem.loss = NULL; /* an estimate will do */
    TRY(cau_fobos_new(o->ctx, &problem, &how, theta, &o->solver));
done:
    return st;
}

static const double *theta_of(const joint *o)
{
    return o->batch ? o->solver.ops->weights(o->solver.self) : cau_fobos_theta(&o->solver);
}

/* The collapsed weights, until the next step. */
static const double *weights_of(joint *o)
{
    if (!o->batch) return o->solver.ops->weights(o->solver.self);
    collapse(o, theta_of(o), o->w);
    return o->w;
}

static bool report(const joint *o, const cau_stop_rule *rule, const cau_joint_end *end,
                   const cau_iterate *it, double dev, double elapsed)
{
    caucus_ctx *ctx = o->ctx;
    const caucus_progress p = {.solver = end->solver,
                               .iteration = o->stop.iteration,
                               .passes = it->passes,
                               .objective = it->f,
                               .gradient = it->gnorm,
                               .dev = dev,
                               .elapsed = elapsed,
                               .remaining = cau_stop_remaining(rule, &o->stop, it, elapsed)};
    return !ctx->progress || ctx->progress(ctx->progress_user, &p);
}

static caucus_status iterate(joint *o, const cau_stop_rule *rule, cau_joint_end *end)
{
    const double began = cau_seconds();
    const size_t size = o->problem->n * o->J;
    while (end->reason == CAU_STOP_NOT) {
        cau_iterate it = {0};
        double dev = NAN;
        bool better = false;
        const caucus_status st = o->solver.ops->step(o->solver.self, &it);
        if (st == CAUCUS_ERR_NUMERIC)
            return cau_fail(o->ctx, st,
                            "the objective is not finite at iteration %zu; use a stronger penalty, "
                            "smaller feature values or a smaller --rate",
                            o->stop.iteration + 1);
        if (st) return cau_fail_memory(o->ctx, "training");
        if (o->best && cau_pass_accuracy(o->problem->dev, weights_of(o), &dev))
            return cau_fail_memory(o->ctx, "the development data");
        const double elapsed = cau_seconds() - began;
        end->reason = cau_stop_check(rule, &o->stop, &it, dev, elapsed, &better);
        end->passes = it.passes;
        if (o->best && better) cau_vector_copy(o->problem->threads, size, theta_of(o), o->best);
        if (!report(o, rule, end, &it, dev, elapsed) && end->reason == CAU_STOP_NOT)
            end->reason = CAU_STOP_CALLER;
    }
    end->iterations = o->stop.iteration;
    end->best_iteration = o->stop.best_iteration;
    return CAUCUS_OK;
}

/* From theta to the weights of each expert, and what is to be said of all. */
static caucus_status keep(joint *o, const double *theta, cau_expert *experts, cau_joint_end *end)
{
    caucus_status st = CAUCUS_OK;
    const size_t n = o->problem->n, J = o->J;
    double share, none, *w = cau_vector(n, sizeof *w);
    if (!w) TRY(cau_fail_memory(o->ctx, "the weights"));
    collapse(o, theta, w);
    st = cau_problem_measure(o->problem, w, &end->loss, &none, &share);
    if (st == CAUCUS_ERR_NUMERIC)
        TRY(cau_fail(o->ctx, st, "the final objective is not finite; use a penalty"));
    if (st) TRY(cau_fail_memory(o->ctx, "the data"));
    end->penalty = penalty(o, theta);
    for (size_t j = 0; j < J; j++) {
        experts[j].w = cau_vector(n, sizeof *experts[j].w);
        if (!experts[j].w) TRY(cau_fail_memory(o->ctx, "the weights"));
        for (size_t k = 0; k < n; k++) experts[j].w[k] = theta[k * J + j];
        experts[j].dev = NAN;
        if (o->problem->dev && cau_pass_accuracy(o->problem->dev, experts[j].w, &experts[j].dev))
            TRY(cau_fail_memory(o->ctx, "the development data"));
        st = cau_problem_measure(o->problem, experts[j].w, &experts[j].objective, &none, &share);
        if (st) TRY(cau_fail(o->ctx, st, "the loss of an expert is not finite; use a penalty"));
    }
done:
    free(w);
    return st;
}

cau_stop_rule cau_joint_stop(const cau_train_options *train, const caucus_data *data)
{
    cau_stop_rule rule = train->stop;
    if (data->dev.N && rule.patience == 0) rule.patience = PATIENCE;
    if (cau_train_solver(train, data) == CAU_SOLVER_FOBOS && rule.iterations == 0)
        rule.iterations = CAU_EPOCHS;
    return rule;
}

caucus_status cau_joint_train(caucus_ctx *ctx, const caucus_data *data, cau_problem *problem,
                              const cau_pool_options *pool, const cau_train_options *train,
                              uint64_t seed, size_t J, cau_expert *experts, cau_joint_end *end)
{
    caucus_status st = CAUCUS_OK;
    const cau_stop_rule rule = cau_joint_stop(train, data);
    joint o = {.ctx = ctx, .problem = problem, .J = J, .kind = kind_of(pool, train)};
    double *start = NULL;
    size_t size = 0;
    o.lambda = strength_of(o.kind, train);
    o.batch = train->solver == CAU_SOLVER_PROXIMAL;
    for (size_t j = 0; j < J; j++) o.alpha[j] = 1 / (double)J;
    *end = (cau_joint_end){.solver = cau_solver_name((cau_solver_kind)train->solver)};
    if (!cau_size_mul(problem->n, J, &size)) TRY(cau_fail_memory(ctx, "the weights"));
    start = cau_vector(size, sizeof *start);
    if (problem->dev) o.best = cau_vector(size, sizeof *o.best);
    if (!start || (problem->dev && !o.best)) TRY(cau_fail_memory(ctx, "the weights"));
    draw_start(&o, pool->spread, seed, start);
    TRY(make_solver(&o, train, seed, start));
    free(start);
    start = NULL;
    TRY(iterate(&o, &rule, end));
    TRY(keep(&o, o.best ? o.best : theta_of(&o), experts, end));
done:
    if (o.solver.ops) o.solver.ops->free(o.solver.self);
    cau_stochastic_clear(&o.stochastic);
    free(start);
    free(o.w);
    free(o.g);
    free(o.best);
    return st;
}
