/* gis_iis_test.c - checks the root against bisection, and the solver on a problem with a known
 * solution. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "optim/batch.h"
#include "support/solver_sample.h"
#include "support/support.h"

/* ---- the root ------------------------------------------------------------------------- */

/* The sign of log A(d) - log(right), in long double. */
static bool beyond(size_t count, const double *a, const double *mass, double target, double u,
                   double l2, long double d)
{
    long double right = (long double)target - ((long double)u + d) * (long double)l2;
    if (right <= 0) return true;
    long double top = -INFINITY, sum = 0;
    for (size_t m = 0; m < count; m++) {
        const long double e = logl((long double)a[m]) + d * (long double)mass[m];
        top = e > top ? e : top;
    }
    for (size_t m = 0; m < count; m++)
        sum += expl(logl((long double)a[m]) + d * (long double)mass[m] - top);
    return top + logl(sum) > logl(right);
}

static double bisect(size_t count, const double *a, const double *mass, double target, double u,
                     double l2)
{
    long double low = -1e6L, high = 1e6L;
    while (!beyond(count, a, mass, target, u, l2, high)) high *= 10;
    while (beyond(count, a, mass, target, u, l2, low)) low *= 10;
    for (int i = 0; i < 400; i++) {
        const long double middle = (low + high) / 2;
        if (beyond(count, a, mass, target, u, l2, middle))
            high = middle;
        else
            low = middle;
    }
    return (double)low;
}

static void check_root(size_t count, const double *a, const double *mass, double target, double w,
                       double mean, double l2)
{
    const double want = bisect(count, a, mass, target, w - mean, l2);
    const double got = cau_scaling_root(count, a, mass, target, w, mean, l2);
    double least = INFINITY;
    for (size_t m = 0; m < count; m++) least = fmin(least, mass[m]);
    const double logs = 1 + fabs(log(target)) + (l2 > 0 ? fabs(log(l2)) : 0); /* bounds rounding */
    assert_near(got, want, 4 * DBL_EPSILON * (fabs(want) + fabs(w - mean) + logs / least));
}

static void roots_match_bisection(void **state)
{
    (void)state;
    static const double targets[] = {1e-300, 1e-12, 0.3, 1, 17, 1e6, 1e15, 1e300};
    static const double penalties[] = {0, 1e-9, 1e-2, 1, 1e3, 1e9};
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (size_t p = 0; p < sizeof penalties / sizeof *penalties; p++)
            for (size_t count = 1; count < 8; count++) {
                double a[8], mass[8];
                for (size_t m = 0; m < count; m++) {
                    a[m] = pow(10, 6 * cau_rng_real(&rng) - 3);
                    mass[m] = (double)(1 + cau_rng_below(&rng, 60));
                }
                check_root(count, a, mass, targets[t], 0, 0, penalties[p]);
                check_root(count, a, mass, targets[t], 3.5, 0.25, penalties[p]);
                check_root(count, a, mass, targets[t], -2.5, 0, penalties[p]);
            }
}

static void special_roots_are_known(void **state)
{
    (void)state;
    const double a[] = {2, 0, 3}, mass[] = {3, 1000, 3}, zero[] = {0, 0, 0};
    /* a feature that was never observed keeps its weight */
    assert_true(cau_scaling_root(1, a, mass, 0, 1, 0, 0) == 0);
    assert_true(cau_scaling_root(3, a, mass, 0, 1, 0, 0) == 0);
    assert_near(cau_scaling_root(1, a, mass, 6, 1, 0, 0), log(3) / 3, 1e-16);
    /* a zero coefficient adds no term */
    assert_near(cau_scaling_root(3, a, mass, 10, 1, 0, 0), log(2) / 3, 1e-15);
    assert_true(cau_scaling_root(3, zero, mass, 4, 1, 0, 0) == 0);
    /* only the penalty acts */
    assert_near(cau_scaling_root(3, zero, mass, 4, 1, 0.5, 2), 1.5, 1e-15);
    assert_near(cau_scaling_root(3, a, mass, 5, 1, 1, 2), 0, 1e-16); /* already solved */
    /* target 0, pulled down by 5 e^{3d} = -2 (1 + d) */
    const double d = cau_scaling_root(3, a, mass, 0, 1, 0, 2);
    assert_near(5 * exp(3 * d), -2 * (1 + d), 1e-15);
    /* a penalty that dominates everything else */
    assert_near(cau_scaling_root(3, a, mass, 5, 7, 1, 1e300), -6, 1e-15);
    assert_true(isfinite(cau_scaling_root(1, a, mass, DBL_MAX, 0, 0, 0)));
    assert_true(isfinite(cau_scaling_root(1, a, mass, DBL_MIN, 0, 0, 0)));
    assert_true(isfinite(cau_scaling_root(3, a, mass, DBL_MAX, 0, 0, DBL_MIN)));
}

/* ---- the loop ------------------------------------------------------------------------- */

/* Coins: F(w) = sum_k n log(1 + e^w_k) - h_k w_k. Scaling with mass 1 gives
 * w_k += log(h_k / E_k), E_k = n / (1 + e^-w_k). The optimum is log(h / (n - h)). */
enum { COINS = 3 };
typedef struct {
    double heads[COINS], n, E[COINS];
    int calls, fail_at;
} coins;

static caucus_status expect(void *self, const double *w, double *f, double *gnorm)
{
    coins *c = self;
    if (++c->calls == c->fail_at) return CAUCUS_ERR_NUMERIC;
    double sum = 0, squares = 0;
    for (size_t k = 0; k < COINS; k++) {
        c->E[k] = c->n / (1 + exp(-w[k]));
        sum += c->n * log1p(exp(w[k])) - c->heads[k] * w[k];
        squares += pow(c->E[k] - c->heads[k], 2);
    }
    *f = sum;
    *gnorm = sqrt(squares);
    return CAUCUS_OK;
}

static caucus_status update(void *self, const double *w, double *d)
{
    coins *c = self;
    for (size_t k = 0; k < COINS; k++)
        d[k] = cau_scaling_root(1, &c->E[k], (double[]){1}, c->heads[k], w[k], 0, 0);
    return CAUCUS_OK;
}

static cau_scaling_problem problem_of(coins *c)
{
    return (cau_scaling_problem){
        .n = COINS, .threads = 1, .self = c, .expect = expect, .update = update};
}

static void scaling_converges(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    coins c = {.heads = {1, 5, 9}, .n = 10};
    const cau_scaling_problem problem = problem_of(&c);
    const double w[COINS] = {0};
    cau_solver solver;
    assert_ok(ctx, cau_scaling_new(ctx, &problem, w, &solver));
    double before = INFINITY;
    cau_iterate it = {0};
    for (size_t t = 1; t <= 400 && !it.exhausted; t++) {
        assert_ok(ctx, solver.ops->step(solver.self, &it));
        assert_true(it.f <= before + 1e-13);
        assert_int_equal(it.passes, t + 1); /* one pass per iteration, and one at the start */
        assert_int_equal(c.calls, t + 1);
        before = it.f;

        coins other = c; /* F, gradient and norm belong to the current weights */
        double f = 0, gnorm = 0, squares = 0;
        const double *now = solver.ops->weights(solver.self);
        expect(&other, now, &f, &gnorm);
        for (size_t k = 0; k < COINS; k++) squares += now[k] * now[k];
        assert_true(f == it.f && gnorm == it.gnorm);
        assert_near(it.wnorm, sqrt(squares), 1e-14);
        if (t == 1) assert_near(now[0], log(0.2), 1e-15);
    }
    assert_true(it.exhausted);
    for (size_t k = 0; k < COINS; k++)
        assert_near(solver.ops->weights(solver.self)[k], log(c.heads[k] / (10 - c.heads[k])),
                    1e-12);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

static void failures_keep_the_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    coins c = {.heads = {1, 5, 9}, .n = 10, .fail_at = 3};
    const cau_scaling_problem problem = problem_of(&c);
    const double w[COINS] = {0};
    cau_solver solver;
    cau_iterate it, again;
    assert_ok(ctx, cau_scaling_new(ctx, &problem, w, &solver));
    assert_ok(ctx, solver.ops->step(solver.self, &it));
    double held[COINS];
    memcpy(held, solver.ops->weights(solver.self), sizeof held);
    assert_int_equal(solver.ops->step(solver.self, &again), CAUCUS_ERR_NUMERIC);
    assert_memory_equal(held, solver.ops->weights(solver.self), sizeof held);
    assert_ok(ctx, solver.ops->step(solver.self, &again)); /* the run can continue */
    assert_true(again.f < it.f);
    assert_int_equal(again.passes, 3);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

static void states_continue_bit_for_bit(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    coins c = {.heads = {1, 5, 9}, .n = 10}, c2 = c;
    const cau_scaling_problem one = problem_of(&c), two = problem_of(&c2);
    const double w[COINS] = {0};
    cau_solver a, b;
    cau_iterate x;
    assert_ok(ctx, cau_scaling_new(ctx, &one, w, &a));
    assert_ok(ctx, cau_scaling_new(ctx, &two, w, &b));
    for (int t = 0; t < 4; t++) assert_ok(ctx, a.ops->step(a.self, &x));
    copy_state(a, b);
    assert_same_steps(ctx, a, b, COINS, 4);
    a.ops->free(a.self);
    b.ops->free(b.self);
    caucus_ctx_free(ctx);
}

static caucus_status make(void *ctx)
{
    coins c = {.n = 10};
    const cau_scaling_problem problem = problem_of(&c);
    const double w[COINS] = {0};
    cau_solver solver = {0};
    caucus_status st = cau_scaling_new(ctx, &problem, w, &solver);
    if (st == CAUCUS_OK) solver.ops->free(solver.self);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_int_equal(test_every_allocation(make, ctx), 3);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_match_bisection),
        cmocka_unit_test(special_roots_are_known),
        cmocka_unit_test(scaling_converges),
        cmocka_unit_test(failures_keep_the_weights),
        cmocka_unit_test(states_continue_bit_for_bit),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
