/* online_test.c - lazy penalties against penalties at every step, and what online solvers
 * must reach, refuse and remember. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim/sample.h"

/* ---- lazy and eager ------------------------------------------------------------------- */

/* One epoch as online.c's opening says it, all weights at every step. */
static void eager_epoch(small *p, cau_online_kind kind, double rate, cau_rng *rng, size_t *steps,
                        double *w, double *squares)
{
    uint32_t order[N];
    for (size_t i = 0; i < N; i++) order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, order, N);
    for (size_t t = 0; t < N; t++) {
        double g[MOST];
        small_gradient(p, order[t], w, g);
        const double decay = fmax(rate * p->problem.l2, 0.1);
        const double common = rate / (1 + decay * (double)(*steps)++ / N);
        for (size_t k = 0; k < p->n; k++) {
            const bool penalised = small_penalised(p, k);
            if (small_fixed(p, k)) continue;
            double h = common;
            if (kind == CAU_ONLINE_ADAGRAD) {
                squares[k] += g[k] * g[k];
                h = squares[k] > 0 ? rate / sqrt(squares[k]) : rate;
            }
            const double mean = penalised && p->problem.mean ? p->mean[k] : 0;
            const double l1 = penalised ? p->problem.l1 / N : 0;
            const double l2 = penalised ? p->problem.l2 / N : 0;
            const double x = w[k] - mean - h * g[k], size = fabs(x) - h * l1;
            w[k] = mean + (size > 0 ? copysign(size / (1 + h * l2), x) : 0);
        }
    }
}

static void check_lazy(caucus_ctx *ctx, small *p, cau_online_kind kind, double rate)
{
    double w[MOST], squares[MOST] = {0};
    size_t steps = 0;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    small_start(p, w);
    cau_solver solver;
    assert_ok(ctx, cau_online_new(ctx, &p->problem, kind, rate, 5, w, &solver));
    for (size_t epoch = 1; epoch <= 3; epoch++) {
        cau_iterate it;
        double f, gnorm;
        eager_epoch(p, kind, rate, &rng, &steps, w, squares);
        assert_ok(ctx, solver.ops->step(solver.self, &it));
        const double *lazy = solver.ops->weights(solver.self);
        for (size_t k = 0; k < p->n; k++) assert_near(lazy[k], w[k], 1e-12 * (1 + fabs(w[k])));
        small_evaluate(p, lazy, &f, &gnorm);
        assert_true(it.f == f && it.gnorm == gnorm);
        assert_int_equal(it.passes, 2 * epoch);
        for (size_t k = 0; k < p->n; k++)
            if (small_fixed(p, k)) assert_true(lazy[k] == 0);
    }
    solver.ops->free(solver.self);
}

static void lazy_is_eager(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const struct {
        double l1, l2;
    } penalties[] = {{0, 0}, {0, 1}, {2, 0}, {1, 0.5}, {3, 1e-9}, {0.1, 50}};
    for (int kind = 0; kind < 2; kind++)
        for (size_t c = 0; c < 6; c++)
            for (int form = 0; form < SHAPES; form++)
                for (int extras = 0; extras < 8; extras++) {
                    const bool odd = extras & 1, second = extras & 2, third = extras & 4;
                    small p;
                    small_make(&p, (shape)form,
                               (small_options){.valued = odd,
                                               .mean = odd,
                                               .fixed = second,
                                               .penalised = second,
                                               .listed = third,
                                               .weighted = third},
                               (uint64_t)form + 10 * c);
                    p.problem.l1 = penalties[c].l1;
                    p.problem.l2 = penalties[c].l2;
                    check_lazy(ctx, &p, (cau_online_kind)kind, 0.3);
                }
    caucus_ctx_free(ctx);
}

/* A penalty so strong that the product of the shrinkage leaves the range of doubles. */
static void strong_penalties_do_not_underflow(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++)
        for (int l1 = 0; l1 < 2; l1++) {
            small p;
            small_make(&p, DISTINCT, (small_options){.valued = true, .mean = true}, 3);
            p.problem.l1 = l1;
            p.problem.l2 = 1e12;
            check_lazy(ctx, &p, (cau_online_kind)kind, 10);
        }
    caucus_ctx_free(ctx);
}

/* ---- optima --------------------------------------------------------------------------- */

static void optima_are_approached(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++)
        for (int l1 = 0; l1 < 2; l1++) {
            small p;
            small_make(&p, DISTINCT, (small_options){.valued = true}, 11);
            p.problem.l2 = 1;
            p.problem.l1 = 0.5 * l1;
            double w[MOST] = {0};
            const double least = small_minimum(&p, w), start[MOST] = {0};
            cau_solver solver;
            cau_iterate it;
            assert_ok(ctx, cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 0, 2, start,
                                          &solver)); /* chooses its rate */
            for (int epoch = 0; epoch < 300; epoch++)
                assert_ok(ctx, solver.ops->step(solver.self, &it));
            assert_true(it.f > least * (1 - 1e-9));
            assert_true(it.f < least * (1 + 2e-3));
            if (l1) { /* some weights that are 0 at the minimum are exactly 0 */
                size_t zeros = 0, agree = 0;
                for (size_t k = 0; k < K * WIDTH; k++) {
                    zeros += w[k] == 0;
                    agree += w[k] == 0 && solver.ops->weights(solver.self)[k] == 0;
                }
                assert_true(zeros > 10 && agree > 5);
            }
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* Values a million times as large, or a thousand times as small, need other rates. */
static void rates_fit_the_data(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++)
        for (int scale = -1; scale < 2; scale++) {
            small p;
            small_make(&p, DISTINCT, (small_options){.valued = true}, 4);
            for (size_t i = 0; i < N; i++)
                for (size_t e = 0; e < GROUPS * ENTRIES; e++)
                    p.value[i][e] *= scale < 0 ? 1e-3F : scale > 0 ? 1e6F : 1;
            const double w[MOST] = {0};
            double f0, gnorm;
            small_evaluate(&p, w, &f0, &gnorm);
            cau_solver solver;
            cau_iterate it;
            assert_ok(ctx,
                      cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 0, 2, w, &solver));
            assert_memory_equal(solver.ops->weights(solver.self), w,
                                p.n * sizeof *w); /* untouched */
            for (int epoch = 0; epoch < 30; epoch++)
                assert_ok(ctx, solver.ops->step(solver.self, &it));
            assert_true(it.f < (scale < 0 ? 1 : 0.8) * f0);
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* ---- trouble, bits, memory ------------------------------------------------------------ */

static void weights_stay_finite(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++) {
        small p;
        small_make(&p, DISTINCT, (small_options){.valued = true}, 4);
        for (size_t i = 0; i < N; i++)
            for (size_t e = 0; e < GROUPS * ENTRIES; e++) p.value[i][e] *= 1e30F;
        const double w[MOST] = {0};
        cau_solver solver;
        cau_iterate it;
        assert_ok(ctx, cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 1e300, 2, w,
                                      &solver)); /* a foolish rate */
        caucus_status st = CAUCUS_OK;
        for (int epoch = 0; epoch < 5 && !st; epoch++) st = solver.ops->step(solver.self, &it);
        assert_int_equal(st, CAUCUS_ERR_NUMERIC);
        for (size_t k = 0; k < p.n; k++) assert_true(isfinite(solver.ops->weights(solver.self)[k]));
        solver.ops->free(solver.self);
    }

    small p; /* a failure in the middle of an epoch: caught up, and it can go on */
    small_make(&p, DISTINCT, (small_options){.valued = true}, 4);
    p.problem.l2 = 1;
    p.fail_at = N / 2;
    const double w[MOST] = {0};
    cau_solver solver;
    cau_iterate it;
    assert_ok(ctx, cau_online_new(ctx, &p.problem, CAU_ONLINE_SGD, 0.1, 2, w, &solver));
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_NUMERIC);
    for (int epoch = 0; epoch < 20; epoch++) assert_ok(ctx, solver.ops->step(solver.self, &it));
    double f, gnorm, best[MOST] = {0};
    small_evaluate(&p, solver.ops->weights(solver.self), &f, &gnorm);
    assert_true(f < 1.05 * small_minimum(&p, best));
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

static void states_continue_bit_for_bit(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++)
        for (int after = 0; after < 3; after++) {
            small p;
            small_make(&p, MIXED, (small_options){.valued = true, .mean = true, .fixed = true}, 6);
            p.problem.l1 = p.problem.l2 = 0.5;
            const double w[MOST] = {0};
            cau_solver a, b;
            cau_iterate x, y;
            /* the second has another seed and rate, which the state must replace */
            assert_ok(ctx, cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 0, 2, w, &a));
            assert_ok(ctx, cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 7, 3, w, &b));
            for (int t = 0; t < after; t++) assert_ok(ctx, a.ops->step(a.self, &x));
            small_resume(a, b);
            for (int t = 0; t < 3; t++) {
                assert_ok(ctx, a.ops->step(a.self, &x));
                assert_ok(ctx, b.ops->step(b.self, &y));
                assert_true(x.f == y.f && x.passes == y.passes && x.wnorm == y.wnorm);
                assert_memory_equal(a.ops->weights(a.self), b.ops->weights(b.self),
                                    p.n * sizeof *w);
            }
            a.ops->free(a.self);
            b.ops->free(b.self);
        }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    cau_online_kind kind;
} making;

static caucus_status make_and_free(void *self)
{
    const making *m = self;
    small p;
    small_make(&p, DISTINCT, (small_options){.valued = true}, 6);
    const double w[MOST] = {0};
    cau_solver solver = {0};
    caucus_status st = cau_online_new(m->ctx, &p.problem, m->kind, 0, 1, w, &solver);
    if (st == CAUCUS_OK) solver.ops->free(solver.self);
    return st;
}

static void memory_may_fail(void **state)
{
    (void)state;
    making m = {test_ctx(), CAU_ONLINE_SGD};
    assert_int_equal(test_every_allocation(make_and_free, &m), 8);
    m.kind = CAU_ONLINE_ADAGRAD;
    assert_int_equal(test_every_allocation(make_and_free, &m), 11);

    small p;
    small_make(&p, DISTINCT, (small_options){.valued = true}, 6);
    const double w[MOST] = {0};
    cau_solver solver;
    assert_in_range(cau_online_bytes(&p.problem, CAU_ONLINE_SGD), p.n * 8, p.n * 8 + 2000);
    assert_in_range(cau_online_bytes(&p.problem, CAU_ONLINE_ADAGRAD), p.n * 16, p.n * 16 + 1000);
    p.problem.examples = 0;
    assert_fails(m.ctx, cau_online_new(m.ctx, &p.problem, CAU_ONLINE_SGD, 0, 1, w, &solver),
                 CAUCUS_ERR_ARGUMENT, "0 examples");
    p.problem.examples = SIZE_MAX;
    assert_true(cau_online_bytes(&p.problem, CAU_ONLINE_SGD) == SIZE_MAX);
    caucus_ctx_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_is_eager),
        cmocka_unit_test(strong_penalties_do_not_underflow),
        cmocka_unit_test(optima_are_approached),
        cmocka_unit_test(rates_fit_the_data),
        cmocka_unit_test(weights_stay_finite),
        cmocka_unit_test(states_continue_bit_for_bit),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
