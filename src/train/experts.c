/* experts.c - J experts over all features, trained together.
 *
 *     theta [n][J],   alpha_j = 1/J,   w_k = sum_j alpha_j theta_kj
 *     F(theta) = loss(w) + penalty(theta),        d loss / d theta_kj = alpha_j d loss / d w_k
 * with one of
 *     elitist   lambda/2 sum_k ( sum_j |theta_kj| )^2
 *     norm      lambda ( sum_k ( sum_j |theta_kj| )^2 )^(1/2)
 *     l1        lambda sum_kj |theta_kj|
 *     l2        lambda/2 sum_kj theta_kj^2
 *
 * All experts have the same gradient, so experts with equal weights stay equal: they start at
 * random weights. At the optimum the product is a ridge MaxEnt model, or an l1 one (MATH D.6). It
 * can only be better before that, and training ends when the development score stops rising.
 *
 * Solvers are FOBOS (optim/online.h), example by example, or proximal gradient (optim/batch.h),
 * for which theta is one vector. [1] Wang, Manning. Learning a product of experts with elitist
 * lasso. IJCNLP 2013. */

#include "train/learner.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "math/vector.h"
#include "model/pool.h"

typedef enum { ELITIST, APPROXIMATE, NORM, L1, L2 } expert_penalty;

struct cau_experts {
    cau_problem *problem;
    size_t J;
    double alpha[CAU_MEMBERS_MOST]; /* 1/J */
    expert_penalty kind;
    double lambda, spread;
    double *w; /* [n] the product */
    double *g; /* [n] its gradient */
};

/* ---- penalties ----------------------------------------------------------------------------- */

static expert_penalty penalty_kind(const cau_train_options *o)
{
    static const expert_penalty kinds[] = {
        [CAU_PROX_EXACT] = ELITIST, [CAU_PROX_APPROXIMATE] = APPROXIMATE, [CAU_PROX_NORM] = NORM};
    if (o->elitist > 0) return kinds[o->prox];
    return o->l1 > 0 ? L1 : L2;
}

static double penalty_strength(const cau_train_options *o)
{
    const expert_penalty kind = penalty_kind(o);
    return kind == L2 ? o->l2 : kind == L1 ? o->l1 : o->elitist;
}

void cau_experts_define(const cau_train_options *o, cau_strbuf *out)
{
    const expert_penalty kind = penalty_kind(o);
    const double lambda = penalty_strength(o);
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
    const cau_experts *e;
    double step;
    double *theta;
} prox_rows;

/* The proximal step of rows begin..end-1 of theta. */
static void prox_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const prox_rows *b = self;
    const size_t J = b->e->J;
    const double r = b->step * b->e->lambda;
    switch (b->e->kind) {
    case ELITIST:
        for (size_t k = begin; k < end; k++) cau_prox_elitist(J, r, b->theta + k * J);
        break;
    case APPROXIMATE:
        for (size_t k = begin; k < end; k++) cau_prox_elitist_approximate(J, r, b->theta + k * J);
        break;
    case L1:
        cau_prox_l1((end - begin) * J, r, b->theta + begin * J);
        break;
    case L2:
        cau_prox_l2((end - begin) * J, r, b->theta + begin * J);
        break;
    case NORM:
        break;
    }
}

/* The proximal step of cau_proximal_problem. */
static bool take_prox(void *self, double step, double *theta)
{
    cau_experts *e = self;
    const size_t rows = e->problem->penalised;
    if (e->lambda == 0) return true;
    if (e->kind == NORM)
        return cau_prox_elitist_norm(rows, e->J, step * e->lambda, theta) == CAUCUS_OK;
    prox_rows b = {.e = e, .step = step, .theta = theta};
    cau_vector_sums(e->problem->threads, rows, 0, prox_block, &b, NULL);
    return true;
}

typedef struct {
    const cau_experts *e;
    const double *from;
    double *to;
} expert_rows;

static void penalty_block(void *self, size_t begin, size_t end, double *sums)
{
    const expert_rows *b = self;
    const size_t J = b->e->J;
    const expert_penalty kind = b->e->kind;
    for (size_t k = begin; k < end; k++) {
        double sum = 0, squares = 0;
        for (size_t j = 0; j < J; j++) {
            const double x = b->from[k * J + j];
            sum += fabs(x);
            squares += x * x;
        }
        *sums += kind == L1 ? sum : kind == L2 ? squares : sum * sum;
    }
}

double cau_experts_penalty(const cau_experts *e, const double *theta)
{
    expert_rows b = {.e = e, .from = theta};
    double sum = 0;
    cau_vector_sums(e->problem->threads, e->problem->penalised, 1, penalty_block, &b, &sum);
    if (e->kind == NORM) return e->lambda * sqrt(sum);
    return e->lambda * (e->kind == L1 ? sum : sum / 2);
}

static double measure_penalty(void *self, const double *theta)
{
    return cau_experts_penalty(self, theta);
}

/* ---- the loss ------------------------------------------------------------------------------ */

/* w_k = sum_j alpha_j theta_kj */
static void product_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const expert_rows *m = self;
    const size_t J = m->e->J;
    for (size_t k = begin; k < end; k++) {
        double sum = 0;
        for (size_t j = 0; j < J; j++) sum += m->e->alpha[j] * m->from[k * J + j];
        m->to[k] = sum;
    }
}

/* g_kj = alpha_j g_k */
static void gradient_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const expert_rows *m = self;
    const size_t J = m->e->J;
    for (size_t k = begin; k < end; k++)
        for (size_t j = 0; j < J; j++) m->to[k * J + j] = m->e->alpha[j] * m->from[k];
}

const double *cau_experts_product(cau_experts *e, const double *theta)
{
    expert_rows m = {.e = e, .from = theta, .to = e->w};
    cau_vector_sums(e->problem->threads, e->problem->n, 0, product_block, &m, NULL);
    return e->w;
}

/* The loss and its gradient: a cau_objective of theta. */
static caucus_status smooth(void *self, const double *theta, double *f, double *g)
{
    cau_experts *e = self;
    const caucus_status st = cau_problem_smooth(e->problem, cau_experts_product(e, theta), f, e->g);
    if (st) return st;
    expert_rows m = {.e = e, .from = e->g, .to = g};
    cau_vector_sums(e->problem->threads, e->problem->n, 0, gradient_block, &m, NULL);
    return CAUCUS_OK;
}

/* ---- for solvers --------------------------------------------------------------------------- */

void cau_experts_draw(const cau_experts *e, uint64_t seed, double *theta)
{
    const cau_problem *p = e->problem;
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t k = 0; k < p->n; k++)
        for (size_t j = 0; j < e->J; j++) {
            const double x = e->spread * (2 * cau_rng_real(&rng) - 1);
            theta[k * e->J + j] = p->fixed && p->fixed[k] ? 0 : x;
        }
}

cau_proximal_problem cau_experts_batch(cau_experts *e)
{
    return (cau_proximal_problem){.n = e->problem->n * e->J,
                                  .smooth = smooth,
                                  .prox = take_prox,
                                  .penalty = measure_penalty,
                                  .self = e,
                                  .threads = e->problem->threads};
}

cau_fobos_options cau_experts_stochastic(const cau_experts *e, double rate, uint64_t seed)
{
    static const cau_fobos_penalty penalties[] = {[ELITIST] = CAU_FOBOS_ELITIST,
                                                  [APPROXIMATE] = CAU_FOBOS_APPROXIMATE,
                                                  [NORM] = CAU_FOBOS_ELITIST,
                                                  [L1] = CAU_FOBOS_L1,
                                                  [L2] = CAU_FOBOS_L2};
    return (cau_fobos_options){.J = e->J,
                               .alpha = e->alpha,
                               .penalty = penalties[e->kind],
                               .lambda = e->lambda,
                               .rate = rate,
                               .seed = seed};
}

caucus_status cau_experts_new(caucus_ctx *ctx, cau_problem *problem, const cau_train_options *o,
                              cau_experts **out)
{
    cau_experts *e = cau_calloc(1, sizeof *e);
    if (!e) return cau_fail_memory(ctx, "the experts");
    *e = (cau_experts){.problem = problem,
                       .J = o->experts,
                       .kind = penalty_kind(o),
                       .lambda = penalty_strength(o),
                       .spread = o->spread,
                       .w = cau_vector(problem->n, sizeof *e->w),
                       .g = cau_vector(problem->n, sizeof *e->g)};
    for (size_t j = 0; j < e->J; j++) e->alpha[j] = 1 / (double)e->J;
    *out = e;
    if (e->w && e->g) return CAUCUS_OK;
    cau_experts_free(e);
    *out = NULL;
    return cau_fail_memory(ctx, "the experts");
}

void cau_experts_free(cau_experts *e)
{
    if (!e) return;
    free(e->w);
    free(e->g);
    free(e);
}
