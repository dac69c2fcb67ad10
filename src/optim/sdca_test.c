/* sdca_test.c - checks the steps of SDCA against dense ones, and the optimum for every kind of
 * problem. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim/batch.h"
#include "optim/online.h"
#include "support/optim_sample.h"

/* Five bits that select the variant of a problem. */
enum { VARIANTS = 32 };
static void make_variant(small *p, shape kind, int bits, uint64_t seed)
{
    small_make(p, kind,
               (small_options){.valued = bits & 1,
                               .mean = bits & 2,
                               .weighted = bits & 2,
                               .fixed = bits & 4,
                               .penalised = bits & 8,
                               .listed = bits & 16},
               seed);
    p->problem.l2 = 1.5;
    p->problem.loss = NULL;
}

/* ---- lazy and eager ------------------------------------------------------------------- */

/* One epoch in the form of SAGA, all weights at every step:
 *     w = w - b/l2 (X'd + 1/N gradient),    gradient = sum_i X'a_i + l2 (w - mean)
 * The examples of a minibatch compute their d at the same w. The residuals a_i are floats, as in
 * the solver, also those of common weights. */
static void eager_epoch(const small *p, double share, size_t round, cau_rng *rng,
                        float a[N][SCORES], double *w)
{
    uint32_t order[N];
    for (size_t i = 0; i < N; i++) order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, order, N);
    for (size_t t = 0; t < N; t++) {
        static float to[N][SCORES];
        for (size_t u = t; t % round == 0 && u < t + round && u < N; u++) {
            const size_t i = order[u];
            double s[SCORES];
            small_scores(p, i, w, s);
            small_softmax(p, i, s);
            for (size_t j = 0; j < p->scores; j++)
                to[i][j] = (float)((double)a[i][j] + share * (s[j] - (double)a[i][j]));
        }
        const size_t i = order[t];
        double gradient[MOST] = {0}, old[SCORES], s[SCORES], one[MOST], move[MOST];
        for (size_t k = 0; k < N; k++) {
            for (size_t j = 0; j < SCORES; j++) old[j] = (double)a[k][j];
            small_spread(p, k, old, one);
            for (size_t j = 0; j < MOST; j++) gradient[j] += one[j];
        }
        for (size_t j = 0; j < p->scores; j++) {
            s[j] = (double)to[i][j] - (double)a[i][j];
            a[i][j] = to[i][j];
        }
        small_spread(p, i, s, move);
        for (size_t k = 0; k < p->n; k++) {
            if (small_fixed(p, k)) continue;
            if (small_penalised(p, k))
                gradient[k] += p->problem.l2 * (w[k] - (p->problem.mean ? p->mean[k] : 0));
            w[k] -= (move[k] + share / N * gradient[k]) / p->problem.l2;
        }
    }
}

static void lazy_is_eager(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int form = 0; form < SHAPES; form++)
        for (int bits = 0; bits < VARIANTS; bits++)
            for (int turn = 0; turn < 4; turn++) {
                const bool warm = turn & 1;
                const size_t round = turn & 2 ? 8 : 1;
                small p, copies[THREADS];
                void *selves[THREADS];
                make_variant(&p, (shape)form, bits, (uint64_t)form + 10);
                double w[MOST] = {0};
                float a[N][SCORES] = {{0}};
                cau_rng rng;
                cau_rng_init(&rng, 5);
                if (warm) small_start(&p, w); /* otherwise 0, which differs from a mean */
                small_share(&p, copies, selves);
                const cau_sdca_options options = {.share = 0.2, .minibatch = round, .seed = 5};
                cau_solver solver;
                assert_ok(ctx, cau_sdca_new(ctx, &p.problem, &options, w, &solver));
                for (size_t epoch = 1; epoch <= 3; epoch++) {
                    cau_iterate it;
                    eager_epoch(&p, 0.2, round, &rng, a, w);
                    assert_ok(ctx, solver.ops->step(solver.self, &it));
                    const double *lazy = solver.ops->weights(solver.self);
                    /* residuals of common weights are rounded as sums, not one by one */
                    for (size_t k = 0; k < p.n; k++) assert_near(lazy[k], w[k], 1e-6);
                    assert_true(it.estimate && isnan(it.gnorm) && it.passes == epoch);
                }
                solver.ops->free(solver.self);
            }
    caucus_ctx_free(ctx);
}

/* ---- optima --------------------------------------------------------------------------- */

static caucus_status objective(void *self, const double *w, double *f, double *g)
{
    double all[MOST];
    const small *p = self;
    *f = small_objective(p, w, all);
    memcpy(g, all, p->n * sizeof *g);
    return CAUCUS_OK;
}

/* Finds the minimum by L-BFGS, or by OWL-QN for an l1 penalty. */
static double minimum(caucus_ctx *ctx, const small *of)
{
    small smooth = *of, *p = &smooth;
    const double w[MOST] = {0}, l1 = p->problem.l1;
    cau_solver solver;
    cau_iterate it = {.gnorm = 1};
    p->problem.l1 = 0;
    const cau_lbfgs_problem problem = {
        .n = p->n,
        .evaluate = objective,
        .self = p,
        .threads = 1,
        .history = 10,
        .l1 = l1,
        .penalised = p->problem.common_penalised ? p->n : p->n - p->problem.common};
    assert_ok(ctx, cau_lbfgs_new(ctx, &problem, w, &solver));
    for (int t = 0; t < 500 && !it.exhausted && it.gnorm > 1e-9; t++)
        assert_ok(ctx, solver.ops->step(solver.self, &it));
    solver.ops->free(solver.self);
    return it.f;
}

static void check_optimum(caucus_ctx *ctx, small *p, const double *start, size_t round, int epochs)
{
    const double least = minimum(ctx, p);
    double f;
    cau_solver solver;
    cau_iterate it = {0};
    assert_ok(ctx,
              cau_sdca_new(ctx, &p->problem, &(cau_sdca_options){.minibatch = round, .seed = 3},
                           start, &solver));
    for (int t = 0; t < epochs && !it.exhausted; t++)
        assert_ok(ctx, solver.ops->step(solver.self, &it));
    f = small_value(p, solver.ops->weights(solver.self));
    assert_true(f > least * (1 - 1e-9));
    assert_near(f, least, 1e-6 * least);
    const bool centred = p->problem.l1 > 0 || p->problem.l2 < 0.1;
    assert_near(it.f, least, (centred ? 2e-4 : 1e-5) * least); /* the estimate */
    size_t zeros = 0;
    for (size_t k = 0; k < p->n; k++) zeros += solver.ops->weights(solver.self)[k] == 0;
    if (p->problem.l1 > 0) assert_true(zeros > p->n / 10);
    for (size_t k = 0; k < p->n; k++)
        if (small_fixed(p, k)) assert_true(solver.ops->weights(solver.self)[k] == 0);
    solver.ops->free(solver.self);
}

static void optima_are_reached(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int form = 0; form < SHAPES; form++)
        for (int bits = 0; bits < VARIANTS; bits++) {
            small p;
            double w[MOST] = {0};
            make_variant(&p, (shape)form, bits, (uint64_t)form + 20);
            check_optimum(ctx, &p, w, 1, 100);
            check_optimum(ctx, &p, w, 4, 300);
            small_start(&p, w);
            check_optimum(ctx, &p, w, 1, 100);
            check_optimum(ctx, &p, w, 4, 300);
        }
    caucus_ctx_free(ctx);
}

/* With an l1 penalty, alone or with l2, and with a weak l2 alone, from any start. */
static void runs_with_centres_reach_optima(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int form = 0; form < SHAPES; form++)
        for (int bits = 0; bits < VARIANTS; bits++)
            for (int kind = 0; kind < 3; kind++) {
                small p;
                double w[MOST] = {0};
                make_variant(&p, (shape)form, bits & ~2, (uint64_t)form + 30); /* without a mean */
                p.problem.l1 = kind < 2 ? 0.7 : 0;
                p.problem.l2 = kind == 0 ? 0 : kind == 1 ? 0.5 : 0.02;
                check_optimum(ctx, &p, w, 1, 400);
                small_start(&p, w);
                check_optimum(ctx, &p, w, 4, 400);
            }
    caucus_ctx_free(ctx);
}

/* The step size adapts to strong and weak penalties, large and small values. Common weights are
 * left out: they would not scale with the others. */
static void step_sizes_fit_the_data(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const struct {
        float scale;
        double l2;
        int epochs;
    } cases[] = {{1, 100, 30}, {1, 0.05, 1500}, {100, 1e4, 150}, {0.01F, 1e-4, 150}};
    for (size_t c = 0; c < 4; c++) {
        small p;
        const double w[MOST] = {0};
        small_make(&p, EXPLICIT, (small_options){.valued = true}, 4);
        p.problem.loss = NULL;
        p.problem.l2 = cases[c].l2;
        small_scale(&p, cases[c].scale);
        check_optimum(ctx, &p, w, 1, cases[c].epochs);
        check_optimum(ctx, &p, w, 4, 4 * cases[c].epochs);
    }
    caucus_ctx_free(ctx);
}

/* If the problem has a loss function, the reported objective is exact as soon as the estimate
 * settles. */
static void the_objective_becomes_exact(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int bits = 0; bits < VARIANTS; bits++) {
        const double w[MOST] = {0};
        small p;
        size_t exact = 0;
        cau_solver solver;
        make_variant(&p, MIXED, bits, 8);
        p.problem.loss = small_loss;
        assert_ok(ctx, cau_sdca_new(ctx, &p.problem, &(cau_sdca_options){.seed = 3}, w, &solver));
        for (size_t t = 1; t <= 60; t++) {
            cau_iterate it;
            double f;
            assert_ok(ctx, solver.ops->step(solver.self, &it));
            exact += !it.estimate;
            assert_int_equal(it.passes, t + exact);
            if (t < 3) assert_true(it.estimate);
            if (t == 60) assert_false(it.estimate);
            f = small_value(&p, solver.ops->weights(solver.self));
            if (!it.estimate) assert_near(it.f, f, 1e-12 * f);
        }
        solver.ops->free(solver.self);
    }
    caucus_ctx_free(ctx);
}

static caucus_status (*counted)(void *self, size_t i, double *s, const double *w, double *g,
                                double *loss);
static size_t visits[N];

static caucus_status count_visit(void *self, size_t i, double *s, const double *w, double *g,
                                 double *loss)
{
    visits[i]++;
    return counted(self, i, s, w, g, loss);
}

/* Examples that hardly change are skipped, but not for long, and an epoch still does the work of
 * all. */
static void epochs_skip_settled_examples(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const double w[MOST] = {0};
    small p;
    cau_solver solver;
    make_variant(&p, MIXED, 0, 8);
    counted = p.problem.residual;
    p.problem.residual = count_visit;
    memset(visits, 0, sizeof visits);
    assert_ok(ctx, cau_sdca_new(ctx, &p.problem, &(cau_sdca_options){.minibatch = 1, .seed = 3}, w,
                                &solver));
    cau_iterate it;
    for (int t = 0; t < 25; t++) assert_ok(ctx, solver.ops->step(solver.self, &it));
    size_t least = SIZE_MAX, most = 0, all = 0;
    for (size_t i = 0; i < N; i++) {
        least = visits[i] < least ? visits[i] : least;
        most = visits[i] > most ? visits[i] : most;
        all += visits[i];
    }
    assert_true(least >= 5);
    assert_true(2 * most >= 3 * least);
    assert_true(all >= 20 * N);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

/* ---- trouble, bits, memory ------------------------------------------------------------ */

static void failures_leave_finite_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    small p;
    make_variant(&p, MIXED, 0, 4);
    p.fail_at = N / 2;
    const double w[MOST] = {0};
    cau_solver solver;
    cau_iterate it;
    assert_ok(ctx, cau_sdca_new(ctx, &p.problem, &(cau_sdca_options){.minibatch = 1, .seed = 2}, w,
                                &solver));
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_NUMERIC);
    assert_ok(ctx, small_steps(solver, 100, &it));
    const double f = small_value(&p, solver.ops->weights(solver.self));
    assert_near(f, minimum(ctx, &p), 1e-6 * f);
    solver.ops->free(solver.self);

    make_variant(&p, MIXED, 3, 4); /* has a mean, so no centre can help */
    small_scale(&p, 1e30F);
    p.problem.l2 = 1e-300;
    assert_ok(ctx,
              cau_sdca_new(ctx, &p.problem,
                           &(cau_sdca_options){.share = 1, .minibatch = 1, .seed = 2}, w, &solver));
    assert_int_equal(small_steps(solver, 5, &it), CAUCUS_ERR_NUMERIC);
    assert_finite(solver, p.n);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

static void states_continue_bit_for_bit(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int bits = 0; bits < VARIANTS; bits++)
        for (int after = 0; after < 3; after++) {
            small p;
            double w[MOST];
            make_variant(&p, MIXED, bits, 6);
            if (!(bits & 2)) p.problem.l1 = 0.3; /* without a mean */
            small_start(&p, w);
            cau_solver a, b, c;
            assert_ok(ctx, cau_sdca_new(ctx, &p.problem,
                                        &(cau_sdca_options){.minibatch = 1, .seed = 2}, w, &a));
            assert_ok(ctx,
                      cau_sdca_new(ctx, &p.problem, &(cau_sdca_options){.minibatch = 1, .seed = 3},
                                   w, &b)); /* receives the state of a */
            assert_ok(ctx,
                      cau_sdca_new(ctx, &p.problem, &(cau_sdca_options){.minibatch = 1, .seed = 2},
                                   w, &c)); /* same options as a */
            small_resume(ctx, &p, after, a, b, c, NULL, 0);
        }
    caucus_ctx_free(ctx);
}

/* The same bits at any number of threads, whatever the problem has. */
static void threads_change_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int bits = 0; bits < VARIANTS; bits++)
        for (size_t round = 1; round <= 32; round *= 4) {
            const cau_sdca_options options = {.minibatch = round, .seed = 2};
            small p, copies[THREADS];
            void *selves[THREADS];
            double w[MOST];
            make_variant(&p, MIXED, bits, 7);
            if (!(bits & 2)) p.problem.l1 = 0.3;
            small_start(&p, w);
            cau_solver alone, together;
            assert_ok(ctx, cau_sdca_new(ctx, &p.problem, &options, w, &alone));
            small_share(&p, copies, selves);
            assert_ok(ctx, cau_sdca_new(ctx, &p.problem, &options, w, &together));
            small_same(ctx, &p, alone, together);
        }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    bool warm;
} sdca_case;

static caucus_status make_and_free(void *self)
{
    const sdca_case *m = self;
    small p;
    double w[MOST] = {0};
    make_variant(&p, MIXED, 0, 6);
    if (m->warm) small_start(&p, w);
    cau_solver solver = {0};
    caucus_status st = cau_sdca_new(m->ctx, &p.problem,
                                    &(cau_sdca_options){.minibatch = 1, .seed = 1}, w, &solver);
    if (st == CAUCUS_OK) solver.ops->free(solver.self);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    sdca_case m = {test_ctx(), false};
    assert_int_equal(test_every_allocation(make_and_free, &m), 14);
    m.warm = true;
    assert_int_equal(test_every_allocation(make_and_free, &m), 16);

    small p;
    make_variant(&p, MIXED, 0, 6);
    const double w[MOST] = {0};
    const size_t need = p.n * 8 + N * (SCORES + COMMON) * 4;
    cau_solver solver;
    assert_in_range(cau_sdca_bytes(&p.problem), need, need + 3000);
    p.problem.examples = 0;
    assert_fails(
        m.ctx,
        cau_sdca_new(m.ctx, &p.problem, &(cau_sdca_options){.minibatch = 1, .seed = 1}, w, &solver),
        CAUCUS_ERR_ARGUMENT, "0 examples");
    assert_true(cau_sdca_bytes(&p.problem) == SIZE_MAX);
    caucus_ctx_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_is_eager),
        cmocka_unit_test(optima_are_reached),
        cmocka_unit_test(runs_with_centres_reach_optima),
        cmocka_unit_test(step_sizes_fit_the_data),
        cmocka_unit_test(the_objective_becomes_exact),
        cmocka_unit_test(epochs_skip_settled_examples),
        cmocka_unit_test(failures_leave_finite_weights),
        cmocka_unit_test(states_continue_bit_for_bit),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
