/* proximal_test.c - FISTA on problems whose minima are known from formulas, OWL-QN and L-BFGS; its
 * saved states, its failures, and equal bits at any thread count. */

#include "optim/batch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optim/prox.h"
#include "support/solver_sample.h"

/* ---- running -------------------------------------------------------------------------- */

static cau_solver make(caucus_ctx *ctx, const cau_proximal_problem *problem, const double *x)
{
    cau_solver solver;
    assert_ok(ctx, cau_proximal_new(ctx, problem, x, &solver));
    assert_string_equal(solver.ops->name, "proximal");
    return solver;
}

/* ---- separable quadratics: lasso, ridge, elastic net ------------------------------------ */

/* f = 1/2 sum_k c_k (x_k - m_k)^2 + l2/2 |x|^2 with c from 1 to `spread`, and P = l1 |x|_1 +
 * ridge/2 |x|^2; the proximal step handles the ridge. */
enum { QUADRATIC = 40 };
typedef struct {
    double spread, l1, l2, ridge;
} proximal_quadratic;

static double weight_of(const proximal_quadratic *q, size_t k)
{
    return pow(q->spread, (double)k / (QUADRATIC - 1));
}

static double centre_of(size_t k)
{
    return 3 * sin((double)(k * k));
}

static caucus_status quadratic_smooth(void *self, const double *x, double *f, double *g)
{
    const proximal_quadratic *q = self;
    double sum = 0;
    for (size_t k = 0; k < QUADRATIC; k++) {
        const double d = x[k] - centre_of(k), c = weight_of(q, k);
        sum += 0.5 * c * d * d + 0.5 * q->l2 * x[k] * x[k];
        g[k] = c * d + q->l2 * x[k];
    }
    *f = sum;
    return CAUCUS_OK;
}

static bool quadratic_prox(void *self, double step, double *x)
{
    const proximal_quadratic *q = self;
    cau_prox_l1(QUADRATIC, step * q->l1, x);
    cau_prox_l2(QUADRATIC, step * q->ridge, x);
    return true;
}

static double quadratic_penalty(void *self, const double *x)
{
    const proximal_quadratic *q = self;
    double sum = 0;
    for (size_t k = 0; k < QUADRATIC; k++) sum += q->l1 * fabs(x[k]) + 0.5 * q->ridge * x[k] * x[k];
    return sum;
}

static cau_proximal_problem quadratic_problem(proximal_quadratic *q)
{
    return (cau_proximal_problem){.n = QUADRATIC,
                                  .smooth = quadratic_smooth,
                                  .prox = quadratic_prox,
                                  .penalty = quadratic_penalty,
                                  .self = q,
                                  .threads = 2};
}

/* Minimum: x_k = sgn(m_k) max(c_k |m_k| - l1, 0) / (c_k + l2 + ridge). */
static void quadratics_are_solved(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    proximal_quadratic cases[] = {
        {1, 1, 0, 0},   {100, 1, 0, 0}, {100, 0, 0, 2}, {100, 2, 1, 0},
        {100, 2, 0, 1}, {1e5, 1, 0, 0}, {1e5, 0, 0, 0}, {0.01, .1, 0, 0},
    };
    static const double first[] = {0, 1e-9, 1e9};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t s = 0; s < 3; s++) {
            proximal_quadratic *q = &cases[i];
            cau_proximal_problem problem = quadratic_problem(q);
            problem.step = first[s];
            double x[QUADRATIC], want[QUADRATIC], f, g[QUADRATIC], squares = 0;
            for (size_t k = 0; k < QUADRATIC; k++) {
                const double c = weight_of(q, k), m = centre_of(k);
                want[k] = copysign(fmax(c * fabs(m) - q->l1, 0) / (c + q->l2 + q->ridge), m);
                x[k] = (double)(k % 5) - 2;
            }
            quadratic_smooth(q, want, &f, g);
            f += quadratic_penalty(q, want);

            cau_solver solver = make(ctx, &problem, x);
            const cau_iterate it = run_solver(ctx, solver, 1e-9, 20000);
            assert_near(it.f, f, 1e-12 * f + 1e-15);
            const double smallest = fmin(q->spread, 1) + q->l2 + q->ridge;
            for (size_t k = 0; k < QUADRATIC; k++) {
                const double v = solver.ops->weights(solver.self)[k];
                assert_near(v, want[k], (q->spread > 1e3 ? 2e-5 : 1e-6) / smallest);
                assert_true(q->l1 == 0 || (v == 0) == (want[k] == 0));
                squares += v * v;
            }
            assert_near(it.wnorm, sqrt(squares), 1e-10);
            assert_true(it.passes < (q->spread > 1e3 ? 25000 : 700));
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* The reported gradient is the gradient mapping, and the reported F is the objective. */
static void reported_values_are_exact(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    proximal_quadratic q = {.spread = 1,
                            .l1 = 1}; /* all curvatures are 1: a step of size 1 solves it */
    cau_proximal_problem problem = quadratic_problem(&q);
    problem.step = 0.25;
    double x[QUADRATIC] = {0};
    cau_solver solver = make(ctx, &problem, x);
    cau_iterate it;
    for (int t = 0; t < 3; t++) {
        assert_ok(ctx, solver.ops->step(solver.self, &it));
        const double *w = solver.ops->weights(solver.self);
        double f, g[QUADRATIC], mapped[QUADRATIC], squares = 0;
        quadratic_smooth(&q, w, &f, g);
        assert_near(it.f, f + quadratic_penalty(&q, w), 1e-12);
        /* the step size starts at 1/4 and doubles */
        const double s = 0.5 * (1 << t) > 1 ? 1 : 0.5 * (1 << t);
        for (size_t k = 0; k < QUADRATIC; k++) mapped[k] = w[k] - s * g[k];
        quadratic_prox(&q, s, mapped);
        for (size_t k = 0; k < QUADRATIC; k++) squares += pow((w[k] - mapped[k]) / s, 2);
        if (t < 2) assert_near(it.gnorm, sqrt(squares), 1e-12 * sqrt(squares));
    }
    assert_true(it.gnorm < 1e-12);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

/* ---- logistic regression, against OWL-QN ------------------------------------------------ */

enum { N = LOGISTIC_N, D = LOGISTIC_D };
typedef struct {
    logistic_data data; /* first, for logistic_loss */
    int proxes, no_memory_at;
} proximal_logistic;

static void random_data(proximal_logistic *run, uint64_t seed)
{
    *run = (proximal_logistic){.proxes = 0};
    random_logistic(&run->data, seed);
    run->data.l1 = 1;
}

static bool logistic_prox(void *self, double step, double *x)
{
    proximal_logistic *run = self;
    if (++run->proxes == run->no_memory_at) return false;
    cau_prox_l1(D - 1, step * run->data.l1, x);
    return true;
}

static double logistic_penalty(void *self, const double *x)
{
    const proximal_logistic *run = self;
    double sum = 0;
    for (size_t k = 0; k + 1 < D; k++) sum += fabs(x[k]);
    return run->data.l1 * sum;
}

static cau_proximal_problem logistic_problem(proximal_logistic *run)
{
    return (cau_proximal_problem){.n = D,
                                  .smooth = logistic_loss,
                                  .prox = logistic_prox,
                                  .penalty = logistic_penalty,
                                  .self = run,
                                  .threads = 1};
}

static void owlqn_agrees(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double l1s[] = {0.01, 1, 5, 20};
    for (size_t c = 0; c < 8; c++) {
        proximal_logistic run;
        random_data(&run, c);
        run.data.l1 = l1s[c / 2];
        run.data.l2 = c % 2 ? 0.5 : 0;
        const double w[D] = {0.3, -0.3};
        const cau_proximal_problem problem = logistic_problem(&run);
        const cau_lbfgs_problem other = {.n = D,
                                         .evaluate = logistic_loss,
                                         .self = &run,
                                         .threads = 1,
                                         .history = 6,
                                         .l1 = run.data.l1,
                                         .penalised = D - 1};
        cau_solver a = make(ctx, &problem, w), b;
        assert_ok(ctx, cau_lbfgs_new(ctx, &other, w, &b));
        const cau_iterate x = run_solver(ctx, a, 1e-8, 1000), y = run_solver(ctx, b, 1e-8, 1000);
        assert_near(x.f, y.f, 1e-10 * y.f);
        for (size_t k = 0; k < D; k++)
            assert_near(a.ops->weights(a.self)[k], b.ops->weights(b.self)[k], 1e-6);
        assert_true(x.passes < 300);
        a.ops->free(a.self);
        b.ops->free(b.self);
    }
    caucus_ctx_free(ctx);
}

/* ---- an elitist pool is ridge MaxEnt ---------------------------------------------------- */

/* Softmax over Y labels of F features, w [F][Y] = sum_j alpha_j theta [F][Y][J]. For a given w, the
 * smallest penalty over theta is lambda/2 |w|^2 / amax^2. */
enum { CASES = 60, F = 6, Y = 3, K = F * Y, J = 3 };
typedef struct {
    double x[CASES][F];
    size_t gold[CASES];
    double alpha[J], lambda, ridge;
} proximal_pool;

static void pool_data(proximal_pool *p, const double *alpha, double lambda)
{
    cau_rng rng;
    cau_rng_init(&rng, 11);
    *p = (proximal_pool){.lambda = lambda};
    double most = 0;
    for (size_t j = 0; j < J; j++) {
        p->alpha[j] = alpha[j];
        most = fmax(most, alpha[j]);
    }
    p->ridge = lambda / (most * most);
    for (size_t i = 0; i < CASES; i++) {
        for (size_t k = 0; k < F; k++) p->x[i][k] = 2 * cau_rng_real(&rng) - 1;
        p->gold[i] = p->x[i][0] + 0.5 * cau_rng_real(&rng) > 0.5 ? 2 : p->x[i][1] > 0;
    }
}

/* The objective of ridge MaxEnt in w; with ridge 0, only the loss. */
static caucus_status ridge_loss(void *self, const double *w, double *f, double *g)
{
    const proximal_pool *p = self;
    double sum = 0;
    for (size_t k = 0; k < K; k++) {
        sum += 0.5 * p->ridge * w[k] * w[k];
        g[k] = p->ridge * w[k];
    }
    for (size_t i = 0; i < CASES; i++) {
        double s[Y] = {0}, Z = 0;
        for (size_t k = 0; k < K; k++) s[k % Y] += p->x[i][k / Y] * w[k];
        for (size_t y = 0; y < Y; y++) Z += exp(s[y]);
        sum += log(Z) - s[p->gold[i]];
        for (size_t k = 0; k < K; k++)
            g[k] += p->x[i][k / Y] * (exp(s[k % Y]) / Z - (k % Y == p->gold[i]));
    }
    *f = sum;
    return CAUCUS_OK;
}

static void collapse(const proximal_pool *p, const double *theta, double *w)
{
    for (size_t k = 0; k < K; k++) {
        w[k] = 0;
        for (size_t j = 0; j < J; j++) w[k] += p->alpha[j] * theta[k * J + j];
    }
}

static caucus_status pool_smooth(void *self, const double *theta, double *f, double *g)
{
    proximal_pool loss = *(proximal_pool *)self;
    double w[K], gw[K];
    loss.ridge = 0;
    collapse(&loss, theta, w);
    ridge_loss(&loss, w, f, gw);
    for (size_t i = 0; i < K * J; i++) g[i] = loss.alpha[i % J] * gw[i / J];
    return CAUCUS_OK;
}

static bool pool_prox(void *self, double step, double *theta)
{
    const proximal_pool *p = self;
    for (size_t k = 0; k < K; k++) cau_prox_elitist(J, step * p->lambda, theta + k * J);
    return true;
}

static double pool_penalty(void *self, const double *theta)
{
    const proximal_pool *p = self;
    double sum = 0;
    for (size_t k = 0; k < K; k++) {
        double size = 0;
        for (size_t j = 0; j < J; j++) size += fabs(theta[k * J + j]);
        sum += size * size;
    }
    return 0.5 * p->lambda * sum;
}

static void elitist_pools_equal_ridge_models(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double alphas[][J] = {{1. / 3, 1. / 3, 1. / 3}, {1, 1, 1}, {.6, .3, .1}};
    for (size_t a = 0; a < 3; a++)
        for (int c = 0; c < 2; c++) {
            proximal_pool p;
            pool_data(&p, alphas[a], c ? 0.5 : 0.05);
            double theta[K * J], zero[K] = {0}, w[K];
            cau_rng rng;
            cau_rng_init(&rng, 5);
            for (size_t i = 0; i < K * J; i++) theta[i] = 0.2 * cau_rng_real(&rng) - 0.1;
            const cau_proximal_problem problem = {.n = K * J,
                                                  .smooth = pool_smooth,
                                                  .prox = pool_prox,
                                                  .penalty = pool_penalty,
                                                  .self = &p,
                                                  .threads = 1};
            const cau_lbfgs_problem ridge = {
                .n = K, .evaluate = ridge_loss, .self = &p, .threads = 1, .history = 6};
            cau_solver elitist = make(ctx, &problem, theta), plain;
            assert_ok(ctx, cau_lbfgs_new(ctx, &ridge, zero, &plain));
            const cau_iterate x = run_solver(ctx, elitist, 1e-8, 5000);
            const cau_iterate y = run_solver(ctx, plain, 1e-8, 1000);
            assert_near(x.f, y.f, 1e-8 * y.f);
            const double *at = elitist.ops->weights(elitist.self);
            collapse(&p, at, w);
            for (size_t k = 0; k < K; k++)
                assert_near(w[k], plain.ops->weights(plain.self)[k], 1e-6);
            for (size_t i = 0; i < K * J; i++) /* only the first expert has the largest alpha */
                if (a == 2 && i % J > 0) assert_true(at[i] == 0);
            elitist.ops->free(elitist.self);
            plain.ops->free(plain.self);
        }
    caucus_ctx_free(ctx);
}

/* ---- trouble -------------------------------------------------------------------------- */

static void infinite_trials_are_shortened(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    proximal_logistic run;
    random_data(&run, 3);
    run.data.l1 = 0.3;
    run.data.l2 = 1;
    run.data.limit = 2.9; /* just outside the optimum */
    cau_proximal_problem problem = logistic_problem(&run);
    problem.step = 100;
    double w[D] = {0};
    w[4] = -2.5; /* on the other side of the optimum */
    cau_solver solver = make(ctx, &problem, w);
    const cau_iterate it = run_solver(ctx, solver, 1e-6, 300);
    assert_true(it.gnorm < 1e-6 && it.wnorm > 2);
    solver.ops->free(solver.self);

    run.data.limit = 1; /* the start is already beyond the limit */
    solver = make(ctx, &problem, w);
    assert_int_equal(solver.ops->step(solver.self, &(cau_iterate){0}), CAUCUS_ERR_NUMERIC);
    assert_memory_equal(solver.ops->weights(solver.self), w, sizeof w);
    run.data.limit = 0; /* without the limit it converges */
    run_solver(ctx, solver, 1e-6, 300);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

/* Every failure is reported, weights stay finite, and the run can continue. */
static void failures_are_passed_on(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int memory = 0; memory < 2; memory++)
        for (int fail_at = 1; fail_at < 14; fail_at++) {
            proximal_logistic run;
            random_data(&run, 3);
            run.data.fail_at = memory ? 0 : fail_at;
            run.no_memory_at = memory ? fail_at : 0;
            run.data.failure = CAUCUS_ERR_STOPPED;
            const cau_proximal_problem problem = logistic_problem(&run);
            const double w[D] = {0};
            cau_solver solver = make(ctx, &problem, w);
            cau_iterate it = {.f = INFINITY};
            caucus_status st = CAUCUS_OK;
            while (st == CAUCUS_OK && run.data.calls < 50) st = solver.ops->step(solver.self, &it);
            assert_int_equal(st, memory ? CAUCUS_ERR_MEMORY : CAUCUS_ERR_STOPPED);
            assert_finite(solver, D);
            const double before = it.f;
            assert_ok(ctx, solver.ops->step(solver.self, &it));
            assert_true(it.f <= before);
            it = run_solver(ctx, solver, 1e-6, 300);
            assert_true(it.gnorm < 1e-6);
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* Without a stopping rule, the solver itself reports when no further progress is possible. */
static void runs_end_when_precision_is_exhausted(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    proximal_logistic run;
    random_data(&run, 5);
    run.data.l2 = 0.1;
    const cau_proximal_problem problem = logistic_problem(&run);
    const double w[D] = {0};
    cau_solver solver = make(ctx, &problem, w);
    const cau_iterate it = run_solver(ctx, solver, 0, 3000);
    assert_true(it.exhausted && it.gnorm < 1e-6);
    assert_settled(ctx, solver, &it);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

/* A function with a wrong gradient: no step lowers it. Below, one that is constant. */
static caucus_status wrong_gradient(void *self, const double *w, double *f, double *g)
{
    const double truth = *(const double *)self;
    *f = 1 + truth * (w[0] * w[0] + w[1] * w[1]);
    g[0] = g[1] = truth;
    return CAUCUS_OK;
}

static bool no_prox(void *self, double step, double *x)
{
    (void)self, (void)step, (void)x;
    return true;
}

static double no_penalty(void *self, const double *x)
{
    (void)self, (void)x;
    return 0;
}

static void runs_end_without_descent(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (double truth = 0; truth < 2; truth++) {
        const cau_proximal_problem problem = {.n = 2,
                                              .smooth = wrong_gradient,
                                              .prox = no_prox,
                                              .penalty = no_penalty,
                                              .self = &truth};
        const double w[2] = {0};
        cau_solver solver = make(ctx, &problem, w);
        const cau_iterate it = run_solver(ctx, solver, 0, 100);
        assert_true(it.exhausted && it.f == 1 && it.passes < 200);
        assert_near(it.wnorm, 0, 1e-7);
        for (int t = 0; t < 300; t++)
            assert_ok(ctx, solver.ops->step(solver.self, &(cau_iterate){0}));
        solver.ops->free(solver.self);
    }
    caucus_ctx_free(ctx);
}

/* ---- bits ----------------------------------------------------------------------------- */

static bool long_prox(void *self, double step, double *x)
{
    (void)self;
    cau_prox_l1(SEPARABLE_N, 0.5 * step, x);
    return true;
}

static double long_penalty(void *self, const double *x)
{
    (void)self;
    double sum = 0;
    for (size_t k = 0; k < SEPARABLE_N; k++) sum += fabs(x[k]);
    return 0.5 * sum;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double *w = cau_calloc(SEPARABLE_N, sizeof *w), *first = cau_calloc(SEPARABLE_N, sizeof *w);
    assert_true(w && first);
    cau_iterate reference = {0};
    for (unsigned threads = 1; threads < 9; threads = threads == 3 ? 8 : threads + 1) {
        const cau_proximal_problem problem = {.n = SEPARABLE_N,
                                              .smooth = separable,
                                              .prox = long_prox,
                                              .penalty = long_penalty,
                                              .threads = threads};
        cau_solver solver = make(ctx, &problem, w);
        cau_iterate it;
        for (int t = 0; t < 15; t++) assert_ok(ctx, solver.ops->step(solver.self, &it));
        const double *at = solver.ops->weights(solver.self);
        if (threads == 1) {
            memcpy(first, at, SEPARABLE_N * sizeof *first);
            reference = it;
        }
        assert_memory_equal(at, first, SEPARABLE_N * sizeof *first);
        assert_true(it.f == reference.f && it.gnorm == reference.gnorm);
        solver.ops->free(solver.self);
    }
    free(w);
    free(first);
    caucus_ctx_free(ctx);
}

static void states_continue_bit_for_bit(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int taken = 0; taken < 25; taken++) {
        proximal_logistic run;
        random_data(&run, 9);
        const cau_proximal_problem problem = logistic_problem(&run);
        const double w[D] = {0.5}, elsewhere[D] = {1, 2, 3};
        cau_solver a = make(ctx, &problem, w), b = make(ctx, &problem, elsewhere);
        cau_iterate x;
        for (int t = 0; t < taken; t++) assert_ok(ctx, a.ops->step(a.self, &x));

        copy_state(a, b);
        assert_same_steps(ctx, a, b, D, 10);
        a.ops->free(a.self);
        b.ops->free(b.self);
    }
    caucus_ctx_free(ctx);
}

static void damaged_states_are_refused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    proximal_logistic run;
    random_data(&run, 9);
    const cau_proximal_problem problem = logistic_problem(&run);
    const double w[D] = {0};
    check_damaged_state(make(ctx, &problem, w), "progress");
    caucus_ctx_free(ctx);
}

/* ---- memory --------------------------------------------------------------------------- */

static caucus_status make_and_free(void *ctx)
{
    proximal_logistic run = {.data.l1 = 1};
    const cau_proximal_problem problem = logistic_problem(&run);
    const double w[D] = {0};
    cau_solver solver = {0};
    caucus_status st = cau_proximal_new(ctx, &problem, w, &solver);
    if (st == CAUCUS_OK) solver.ops->free(solver.self);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_int_equal(test_every_allocation(make_and_free, ctx), 2);

    const cau_proximal_problem some = {.n = 1000};
    assert_in_range(cau_proximal_bytes(&some), 6 * 1000 * 8, 6 * 1000 * 8 + 1000);
    const cau_proximal_problem huge = {.n = SIZE_MAX / 8};
    assert_true(cau_proximal_bytes(&huge) == SIZE_MAX);
    cau_solver solver;
    assert_fails(ctx, cau_proximal_new(ctx, &huge, NULL, &solver), CAUCUS_ERR_MEMORY, "vectors");
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratics_are_solved),
        cmocka_unit_test(reported_values_are_exact),
        cmocka_unit_test(owlqn_agrees),
        cmocka_unit_test(elitist_pools_equal_ridge_models),
        cmocka_unit_test(infinite_trials_are_shortened),
        cmocka_unit_test(failures_are_passed_on),
        cmocka_unit_test(runs_end_when_precision_is_exhausted),
        cmocka_unit_test(runs_end_without_descent),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(states_continue_bit_for_bit),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
