/* fobos_test.c - checks lazy steps against eager ones and both against the definition, the optima
 * of the equivalent ridge and lasso models, refusals and saved states. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim/online.h"
#include "support/optim_sample.h"

enum { PENALTIES = 4, JS = 4, LONG = 70000 };

static const double unequal[JS] = {0.5, 0.3, -0.1, 1.1};

/* A nonzero start. Groups have members of both signs and zeros. */
static void start_theta(const small *p, size_t J, double *theta)
{
    cau_rng rng;
    cau_rng_init(&rng, 9);
    for (size_t k = 0; k < p->n; k++)
        for (size_t j = 0; j < J; j++) {
            const double x = 0.2 * cau_rng_real(&rng) - 0.1;
            theta[k * J + j] = small_fixed(p, k) || (k % 11 == 3 && j % 2 == 0) ? 0 : x;
        }
}

/* w_k = sum_j alpha_j theta_kj */
static void collapse(const small *p, size_t J, const double *alpha, const double *theta, double *w)
{
    memset(w, 0, MOST * sizeof *w);
    for (size_t k = 0; k < p->n; k++)
        for (size_t j = 0; j < J; j++) w[k] += alpha[j] * theta[k * J + j];
}

/* ---- lazy, eager, and the definition -------------------------------------------------- */

/* Proximal steps by the definition: tau_g = max_k r A_k / (1 + r k). */
static double threshold(cau_fobos_penalty penalty, size_t J, double r, const double *v)
{
    double a[JS], A = 0, tau = 0;
    if (penalty == CAU_FOBOS_L1) return r;
    for (size_t j = 0; j < J; j++) a[j] = fabs(v[j]);
    for (size_t i = 0; i < J; i++) { /* largest first */
        for (size_t j = i + 1; j < J; j++)
            if (a[j] > a[i]) {
                const double larger = a[j];
                a[j] = a[i];
                a[i] = larger;
            }
        A += a[i];
        tau = fmax(tau, r * A / (1 + r * (double)(i + 1)));
    }
    return penalty == CAU_FOBOS_ELITIST ? tau : r * A / (1 + r * (double)J);
}

static void shrink(cau_fobos_penalty penalty, size_t J, double r, double *v)
{
    const double tau = threshold(penalty, J, r, v);
    for (size_t j = 0; j < J; j++)
        v[j] = penalty == CAU_FOBOS_L2 ? v[j] / (1 + r) : copysign(fmax(fabs(v[j]) - tau, 0), v[j]);
}

/* lambda P(theta) from its definition. */
static double penalty_of(const small *p, const cau_fobos_options *o, const double *theta)
{
    double sum = 0;
    for (size_t k = 0; k < p->n; k++) {
        double size = 0, square = 0;
        if (!small_penalised(p, k)) continue;
        for (size_t j = 0; j < o->J; j++) {
            size += fabs(theta[k * o->J + j]);
            square += theta[k * o->J + j] * theta[k * o->J + j];
        }
        sum += o->penalty == CAU_FOBOS_L1   ? size
               : o->penalty == CAU_FOBOS_L2 ? square / 2
                                            : size * size / 2;
    }
    return o->lambda * sum;
}

/* One epoch by the formulas at the head of fobos.c. Returns the sum of the losses. */
static double plain_epoch(const small *p, const cau_fobos_options *o, cau_rng *rng, size_t *steps,
                          double *theta)
{
    uint32_t order[N];
    double sum = 0;
    for (size_t i = 0; i < N; i++) order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, order, N);
    for (size_t t = 0; t < N; t++) {
        double w[MOST], g[MOST];
        collapse(p, o->J, o->alpha, theta, w);
        sum += small_gradient(p, order[t], w, g);
        const double eta = o->rate / (1 + (double)(*steps)++ / N);
        for (size_t k = 0; k < p->n; k++) {
            double *v = theta + k * o->J;
            if (small_fixed(p, k)) continue;
            for (size_t j = 0; j < o->J; j++) v[j] -= eta * o->alpha[j] * g[k];
            if (small_penalised(p, k)) shrink(o->penalty, o->J, eta * o->lambda / N, v);
        }
    }
    return sum;
}

static void check_close(size_t n, const double *a, const double *b)
{
    for (size_t k = 0; k < n; k++) assert_near(a[k], b[k], 1e-12 * (1 + fabs(b[k])));
}

static void check_lazy(caucus_ctx *ctx, small *p, cau_fobos_options o)
{
    static double theta[MOST * JS];
    double w[MOST];
    size_t steps = 0;
    cau_rng rng;
    cau_rng_init(&rng, o.seed);
    start_theta(p, o.J, theta);
    cau_solver lazy, eager;
    assert_ok(ctx, cau_fobos_new(ctx, &p->problem, &o, theta, &lazy));
    o.eager = true;
    assert_ok(ctx, cau_fobos_new(ctx, &p->problem, &o, theta, &eager));
    for (size_t epoch = 1; epoch <= 3; epoch++) {
        cau_iterate a, b;
        const double met = plain_epoch(p, &o, &rng, &steps, theta);
        assert_ok(ctx, lazy.ops->step(lazy.self, &a));
        assert_ok(ctx, eager.ops->step(eager.self, &b));
        check_close(p->n * o.J, cau_fobos_theta(&lazy), cau_fobos_theta(&eager));
        check_close(p->n * o.J, cau_fobos_theta(&lazy), theta);
        collapse(p, o.J, o.alpha, theta, w);
        check_close(p->n, lazy.ops->weights(lazy.self), w);
        check_close(p->n, eager.ops->weights(eager.self), w);

        double f = met, norm = 0;
        if (p->problem.loss) small_loss(p, w, &f);
        f += penalty_of(p, &o, theta);
        for (size_t k = 0; k < p->n; k++) norm += w[k] * w[k];
        assert_near(a.f, f, 1e-11 * f);
        assert_near(b.f, f, 1e-11 * f);
        assert_near(a.wnorm, sqrt(norm), 1e-11 * (1 + sqrt(norm)));
        assert_true(isnan(a.gnorm) && !a.exhausted && a.estimate == !p->problem.loss);
        assert_int_equal(a.passes, epoch * (p->problem.loss ? 2 : 1));
    }
    lazy.ops->free(lazy.self);
    eager.ops->free(eager.self);
}

static void lazy_is_eager(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double lambdas[] = {0.05, 2, 40, 0}; /* even J: 1st, 3rd; odd: others */
    for (int penalty = 0; penalty < PENALTIES; penalty++)
        for (size_t J = 1; J <= JS; J++)
            for (int form = 0; form < SHAPES; form++)
                for (int bits = 0; bits < 16; bits++) {
                    small p;
                    small_make(&p, (shape)form,
                               (small_options){.valued = bits & 1,
                                               .weighted = bits & 1,
                                               .fixed = bits & 2,
                                               .penalised = bits & 4,
                                               .listed = bits & 8},
                               (uint64_t)form + 10);
                    if (bits & 2) p.problem.loss = NULL;
                    for (size_t c = J % 2; c < 4; c += 2)
                        check_lazy(ctx, &p,
                                   (cau_fobos_options){.J = J,
                                                       .alpha = unequal,
                                                       .penalty = (cau_fobos_penalty)penalty,
                                                       .lambda = lambdas[c],
                                                       .rate = 0.3,
                                                       .seed = 5});
                }
    caucus_ctx_free(ctx);
}

/* After every step, each weight is 0 or nearly 0. */
static void strong_penalties_do_not_overflow(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double lambdas[] = {1e4, 1e12, 1e300};
    for (int penalty = 0; penalty < PENALTIES; penalty++)
        for (size_t c = 0; c < 3; c++) {
            small p;
            small_make(&p, DISTINCT, (small_options){.valued = true}, 3);
            cau_fobos_options o = {.J = 3,
                                   .alpha = unequal,
                                   .penalty = (cau_fobos_penalty)penalty,
                                   .lambda = lambdas[c],
                                   .rate = 10};
            if (c < 2) {
                check_lazy(ctx, &p, o);
                continue;
            }
            double theta[MOST * 3];
            cau_solver solver;
            cau_iterate it;
            o.rate = 1e300; /* lambda/N times this rate is infinite */
            start_theta(&p, 3, theta);
            assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver));
            (void)solver.ops->step(solver.self, &it);
            for (size_t k = 0; k < p.n * 3; k++) assert_true(isfinite(cau_fobos_theta(&solver)[k]));
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* Repeats examples: in so long an epoch, all rows catch up in the middle too. */
static void long_example(void *self, size_t i, cau_example *out)
{
    small_example(self, i % N, out);
}

static caucus_status long_residual(void *self, size_t i, double *s, const double *w, double *g,
                                   double *loss)
{
    return small_residual(self, i % N, s, w, g, loss);
}

static void long_epochs_forget_old_steps(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    small p;
    small_make(&p, EXPLICIT, (small_options){.valued = true}, 3);
    p.problem.examples = LONG;
    p.problem.example = long_example;
    p.problem.residual = long_residual;
    for (int penalty = 0; penalty < PENALTIES; penalty++) {
        cau_fobos_options o = {.J = 3,
                               .alpha = unequal,
                               .penalty = (cau_fobos_penalty)penalty,
                               .lambda = 300,
                               .rate = 0.05};
        double theta[MOST * 3];
        cau_solver lazy, eager;
        cau_iterate it;
        start_theta(&p, 3, theta);
        assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &lazy));
        o.eager = true;
        assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &eager));
        assert_ok(ctx, lazy.ops->step(lazy.self, &it));
        assert_ok(ctx, eager.ops->step(eager.self, &it));
        check_close(p.n * 3, cau_fobos_theta(&lazy), cau_fobos_theta(&eager));
        lazy.ops->free(lazy.self);
        eager.ops->free(eager.self);
    }
    caucus_ctx_free(ctx);
}

/* ---- optima --------------------------------------------------------------------------- */

/* The smallest F over theta. It equals that of a model w with penalty lambda/2 |w|^2 / amax^2, and
 * lambda |w|_1 / amax for L1; with L2 the sum of alpha_j^2 replaces amax^2. */
static double minimum(small *p, const cau_fobos_options *o, double *w)
{
    double largest = 0, squares = 0;
    for (size_t j = 0; j < o->J; j++) {
        largest = fmax(largest, fabs(o->alpha[j]));
        squares += o->alpha[j] * o->alpha[j];
    }
    p->problem.l1 = p->problem.l2 = 0;
    if (o->penalty == CAU_FOBOS_L1)
        p->problem.l1 = o->lambda / largest;
    else
        p->problem.l2 = o->lambda / (o->penalty == CAU_FOBOS_L2 ? squares : largest * largest);
    memset(w, 0, MOST * sizeof *w);
    const double least = small_minimum(p, w);
    p->problem.l1 = p->problem.l2 = 0;
    return least;
}

static void optima_are_approached(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const struct {
        size_t J;
        double lambda, alpha[JS];
    } cases[] = {{1, 1, {1}}, {3, 0.2, {1. / 3, 1. / 3, 1. / 3}}, {3, 0.5, {0.6, 0.3, 0.1}}};
    for (int penalty = 0; penalty < PENALTIES; penalty++)
        for (size_t c = 0; c < 3; c++) {
            small p;
            const bool flat = penalty == CAU_FOBOS_L1; /* without curvature it converges slowly */
            small_make(&p, DISTINCT, (small_options){.valued = true}, 11);
            const cau_fobos_options o = {.J = cases[c].J,
                                         .alpha = cases[c].alpha,
                                         .penalty = (cau_fobos_penalty)penalty,
                                         .lambda = cases[c].lambda,
                                         .rate = flat ? 3 : 0, /* 0: chosen by trials */
                                         .seed = 2};
            double theta[MOST * JS], w[MOST];
            const double least = minimum(&p, &o, w);
            cau_solver solver;
            cau_iterate it;
            start_theta(&p, o.J, theta);
            assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver));
            assert_memory_equal(cau_fobos_theta(&solver), theta,
                                p.n * o.J * sizeof *theta); /* trials leave no trace */
            for (int epoch = 0; epoch < 400; epoch++)
                assert_ok(ctx, solver.ops->step(solver.self, &it));
            assert_true(it.f > least * (1 - 1e-9));
            assert_true(it.f < least * (flat ? 1 + 4e-3 : 1 + 1e-3));
            const double *reached = solver.ops->weights(solver.self);
            for (size_t k = 0; k < p.n && !flat; k++) assert_near(reached[k], w[k], 0.1);
            if (flat) small_agree_on_zeros(w, reached);
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* Values scaled by 1e6 or 1e-3 need other rates. */
static void rates_fit_the_data(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int eager = 0; eager < 2; eager++)
        for (int scale = -1; scale < 2; scale++) {
            small p;
            small_make(&p, MIXED, (small_options){.valued = true, .penalised = true}, 4);
            small_scale(&p, scale < 0 ? 1e-3F : scale > 0 ? 1e6F : 1);
            const cau_fobos_options o = {
                .J = 2, .alpha = unequal, .lambda = 1e-9, .eager = eager, .seed = 2};
            const double theta[MOST * 2] = {0};
            const double f0 = small_value(&p, theta);
            cau_solver solver;
            assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver));
            assert_memory_equal(cau_fobos_theta(&solver), theta, p.n * 2 * sizeof *theta);
            small_scaled_run(ctx, solver, scale, f0);
        }
    caucus_ctx_free(ctx);
}

/* A chosen rate affects nothing else: a run with the same rate given is identical. */
static void a_chosen_rate_equals_a_given_rate(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    small p;
    double theta[MOST * 2];
    cau_fobos_options o = {.J = 2, .alpha = unequal, .lambda = 1, .seed = 2};
    cau_solver chosen, given;
    cau_blob a[CAU_BLOBS_MAX], b[CAU_BLOBS_MAX];
    cau_iterate x, y;
    size_t found = 0;
    small_make(&p, MIXED, (small_options){.valued = true, .penalised = true}, 4);
    start_theta(&p, 2, theta);
    for (int power = -10; power < 10; power++) {
        assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &chosen));
        cau_fobos_options with = o;
        with.rate = ldexp(0.1, power);
        assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &with, theta, &given));
        const size_t blobs = chosen.ops->state(chosen.self, a);
        assert_int_equal(given.ops->state(given.self, b), blobs);
        bool same = true;
        for (size_t i = 0; i < blobs; i++)
            same = same && memcmp(a[i].data, b[i].data, a[i].bytes) == 0;
        found += same;
        assert_ok(ctx, chosen.ops->step(chosen.self, &x));
        assert_ok(ctx, given.ops->step(given.self, &y));
        assert_true(same == (x.f == y.f));
        chosen.ops->free(chosen.self);
        given.ops->free(given.self);
    }
    assert_int_equal(found, 1);
    caucus_ctx_free(ctx);
}

/* Experts that start equal with equal alphas stay equal, bit by bit. */
static void equal_experts_stay_equal(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double alpha[JS] = {0.3, 0.3, 0.3, 0.3};
    for (int penalty = 0; penalty < PENALTIES; penalty++)
        for (size_t J = 2; J <= JS; J++)
            for (int eager = 0; eager < 2; eager++) {
                small p;
                double one[MOST], theta[MOST * JS];
                small_make(&p, MIXED, (small_options){.valued = true, .penalised = true}, 8);
                start_theta(&p, 1, one);
                for (size_t k = 0; k < p.n * J; k++) theta[k] = one[k / J];
                const cau_fobos_options o = {.J = J,
                                             .alpha = alpha,
                                             .penalty = (cau_fobos_penalty)penalty,
                                             .lambda = 3,
                                             .rate = 0.4,
                                             .eager = eager};
                cau_solver solver;
                cau_iterate it;
                assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver));
                for (int epoch = 0; epoch < 20; epoch++) {
                    assert_ok(ctx, solver.ops->step(solver.self, &it));
                    const double *now = cau_fobos_theta(&solver);
                    for (size_t k = 0; k < p.n * J; k++) assert_true(now[k] == now[k / J * J]);
                }
                solver.ops->free(solver.self);
            }
    caucus_ctx_free(ctx);
}

/* ---- trouble, bits, memory ------------------------------------------------------------ */

static void weights_stay_finite(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double alpha[2] = {1e9, -3};
    for (int penalty = 0; penalty < PENALTIES; penalty++)
        for (int eager = 0; eager < 2; eager++) {
            small p;
            small_make(&p, DISTINCT, (small_options){.valued = true, .penalised = true}, 4);
            small_scale(&p, 1e30F);
            const double theta[MOST * 2] = {0};
            const cau_fobos_options o = {.J = 2,
                                         .alpha = alpha,
                                         .penalty = (cau_fobos_penalty)penalty,
                                         .lambda = 1e-200,
                                         .rate = 1e250, /* far too large */
                                         .eager = eager};
            cau_solver solver;
            cau_iterate it;
            assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver));
            assert_int_equal(small_steps(solver, 5, &it), CAUCUS_ERR_NUMERIC);
            assert_finite(solver, p.n);
            for (size_t k = 0; k < 2 * p.n; k++) assert_true(isfinite(cau_fobos_theta(&solver)[k]));
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* After a failure in the middle of an epoch, all rows have caught up and the run can continue. */
static void runs_continue_after_failures(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    small p;
    small_make(&p, DISTINCT, (small_options){.valued = true}, 4);
    p.fail_at = N / 2;
    static const double alpha[2] = {0.5, 0.5};
    const cau_fobos_options o = {.J = 2, .alpha = alpha, .lambda = 0.25, .rate = 1, .seed = 2};
    double theta[MOST * 2], w[MOST];
    cau_solver solver;
    cau_iterate it;
    start_theta(&p, 2, theta);
    assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver));
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_NUMERIC);
    collapse(&p, 2, alpha, cau_fobos_theta(&solver), w);
    check_close(p.n, solver.ops->weights(solver.self), w);
    assert_ok(ctx, small_steps(solver, 50, &it));
    assert_true(it.f < 1.02 * minimum(&p, &o, w));
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

static void states_continue_bit_for_bit(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int penalty = 0; penalty < PENALTIES; penalty++)
        for (int after = 0; after < 3; after++) {
            small p;
            small_make(&p, MIXED, (small_options){.valued = true, .fixed = true}, 6);
            if (after == 1) p.problem.loss = NULL;
            cau_fobos_options o = {.J = 3,
                                   .alpha = unequal,
                                   .penalty = (cau_fobos_penalty)penalty,
                                   .lambda = 0.5,
                                   .seed = 2};
            double theta[MOST * 3];
            cau_solver a, b, c;
            start_theta(&p, 3, theta);
            assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &a));
            assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &c));
            memset(theta, 0, sizeof theta);
            o.seed = 3;
            o.rate = 7; /* another seed, rate and start, all replaced by the state */
            assert_ok(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &b));
            small_resume(ctx, &p, after, a, b, c, cau_fobos_theta, 3 * p.n);
        }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    double rate;
    bool finite; /* whether all weights stayed finite */
} fobos_case;

static caucus_status make_and_step(void *self)
{
    fobos_case *m = self;
    small p;
    double theta[MOST * 3];
    small_make(&p, MIXED, (small_options){.valued = true}, 6);
    start_theta(&p, 3, theta);
    const cau_fobos_options o = {.J = 3, .alpha = unequal, .lambda = 1, .rate = m->rate};
    cau_solver solver = {0};
    cau_iterate it;
    caucus_status st = cau_fobos_new(m->ctx, &p.problem, &o, theta, &solver);
    if (st) return st;
    for (int epoch = 0; epoch < 2 && !st; epoch++) st = solver.ops->step(solver.self, &it);
    for (size_t k = 0; k < p.n; k++)
        m->finite = m->finite && isfinite(solver.ops->weights(solver.self)[k]);
    solver.ops->free(solver.self);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    fobos_case m = {test_ctx(), 0, true};
    const size_t chosen = test_every_allocation(make_and_step, &m);
    m.rate = 0.1;
    assert_in_range(test_every_allocation(make_and_step, &m), 14, 40);
    assert_in_range(chosen, 14, 40);
    assert_true(m.finite);
    caucus_ctx_free(m.ctx);
}

static void invalid_options_are_refused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    small p;
    small_make(&p, DISTINCT, (small_options){.valued = true}, 6);
    const double theta[MOST * 3] = {0};
    cau_fobos_options o = {.J = 3, .alpha = unequal, .lambda = 1};
    cau_solver solver;
    assert_in_range(cau_fobos_bytes(&p.problem, &o), p.n * 32 + N * 40, p.n * 32 + N * 40 + 1000);
    o.penalty = CAU_FOBOS_L1; /* keeps fewer sums */
    assert_in_range(cau_fobos_bytes(&p.problem, &o), p.n * 32 + N * 24, p.n * 32 + N * 24 + 1000);
    o.J = 0;
    assert_fails(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver), CAUCUS_ERR_ARGUMENT,
                 "0 experts");
    o.J = CAU_PROX_MEMBERS_MAX + 1;
    assert_fails(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver), CAUCUS_ERR_ARGUMENT,
                 "65 experts");
    o.J = 3;
    p.problem.examples = 0;
    assert_fails(ctx, cau_fobos_new(ctx, &p.problem, &o, theta, &solver), CAUCUS_ERR_ARGUMENT,
                 "0 examples");
    assert_true(cau_fobos_bytes(&p.problem, &o) == SIZE_MAX);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_is_eager),
        cmocka_unit_test(strong_penalties_do_not_overflow),
        cmocka_unit_test(long_epochs_forget_old_steps),
        cmocka_unit_test(optima_are_approached),
        cmocka_unit_test(rates_fit_the_data),
        cmocka_unit_test(a_chosen_rate_equals_a_given_rate),
        cmocka_unit_test(equal_experts_stay_equal),
        cmocka_unit_test(weights_stay_finite),
        cmocka_unit_test(runs_continue_after_failures),
        cmocka_unit_test(states_continue_bit_for_bit),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(invalid_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
