/* lbfgs_test.c - L-BFGS and OWL-QN on functions whose minima are known by other means. */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optim/batch.h"
#include "support/solver_sample.h"

/* ---- running -------------------------------------------------------------------------- */

static cau_solver make(caucus_ctx *ctx, const cau_lbfgs_problem *problem, const double *w)
{
    cau_solver solver;
    assert_ok(ctx, cau_lbfgs_new(ctx, problem, w, &solver));
    return solver;
}

/* ---- quadratics and Rosenbrock -------------------------------------------------------- */

/* F = 1/2 sum_k c_k (x_k - k)^2 with x = w plus a shear, so that no axis is an eigenvector. */
enum { QUADRATIC = 60 };

static caucus_status quadratic(void *self, const double *w, double *f, double *g)
{
    const double spread = *(const double *)self;
    double x[QUADRATIC], r[QUADRATIC], sum = 0;
    for (size_t k = 0; k < QUADRATIC; k++) x[k] = w[k] + (k ? 0.5 * w[k - 1] : 0);
    for (size_t k = 0; k < QUADRATIC; k++) {
        const double c = pow(spread, (double)k / QUADRATIC);
        r[k] = c * (x[k] - (double)k);
        sum += 0.5 * r[k] * (x[k] - (double)k);
    }
    for (size_t k = 0; k < QUADRATIC; k++) g[k] = r[k] + (k + 1 < QUADRATIC ? 0.5 * r[k + 1] : 0);
    *f = sum;
    return CAUCUS_OK;
}

static void quadratics_are_solved(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const size_t histories[] = {1, 3, 6, 20};
    static double spreads[] = {1, 100, 1e4};
    for (size_t h = 0; h < 4; h++)
        for (size_t s = 0; s < 3; s++) {
            const cau_lbfgs_problem problem = {.n = QUADRATIC,
                                               .evaluate = quadratic,
                                               .self = &spreads[s],
                                               .threads = 2,
                                               .history = histories[h]};
            const double w[QUADRATIC] = {0};
            cau_solver solver = make(ctx, &problem, w);
            const cau_iterate it = run_solver(ctx, solver, 1e-9, 30000);
            assert_near(it.f, 0, 1e-16);
            double x = 0, squares = 0;
            for (size_t k = 0; k < QUADRATIC; k++) {
                const double v = solver.ops->weights(solver.self)[k];
                x = (double)k - (k ? 0.5 * x : 0);
                assert_near(v, x, 1e-8);
                squares += v * v;
            }
            assert_near(it.wnorm, sqrt(squares), 1e-10);
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

enum { ROSENBROCK = 100 };

static caucus_status rosenbrock(void *self, const double *w, double *f, double *g)
{
    (void)self;
    double sum = 0;
    for (size_t k = 0; k < ROSENBROCK; k += 2) {
        const double a = 1 - w[k], b = w[k + 1] - w[k] * w[k];
        sum += a * a + 100 * b * b;
        g[k] = -2 * a - 400 * w[k] * b;
        g[k + 1] = 200 * b;
    }
    *f = sum;
    return CAUCUS_OK;
}

static void rosenbrock_is_solved(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const cau_lbfgs_problem problem = {
        .n = ROSENBROCK, .evaluate = rosenbrock, .threads = 1, .history = 6};
    double w[ROSENBROCK];
    for (size_t k = 0; k < ROSENBROCK; k++) w[k] = k % 2 ? 1 : -1.2;
    cau_solver solver = make(ctx, &problem, w);
    const cau_iterate it = run_solver(ctx, solver, 1e-10, 200);
    assert_true(it.passes < 80); /* liblbfgs: 37 iterations, 46 evaluations, to 1e-5 */
    for (size_t k = 0; k < ROSENBROCK; k++)
        assert_near(solver.ops->weights(solver.self)[k], 1, 1e-9);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

/* ---- logistic regression -------------------------------------------------------------- */

enum { N = LOGISTIC_N, D = LOGISTIC_D };

/* Finds the minimum by Newton's method with Gaussian elimination. */
static void newton(logistic_data *data, double *w)
{
    for (int t = 0; t < 30; t++) {
        double f, g[D] = {0}, H[D][D + 1] = {{0}};
        logistic_loss(data, w, &f, g);
        for (size_t i = 0; i < N; i++) {
            double s = 0;
            for (size_t k = 0; k < D; k++) s += w[k] * data->x[i][k];
            const double p = 1 / (1 + exp(-s));
            for (size_t a = 0; a < D; a++)
                for (size_t b = 0; b < D; b++)
                    H[a][b] += p * (1 - p) * data->x[i][a] * data->x[i][b];
        }
        for (size_t a = 0; a < D; a++) {
            H[a][a] += a + 1 < D ? data->l2 : 0;
            H[a][D] = g[a];
        }
        for (size_t a = 0; a < D; a++)
            for (size_t r = 0; r < D; r++) {
                if (r == a) continue;
                const double factor = H[r][a] / H[a][a];
                for (size_t b = a; b <= D; b++) H[r][b] -= factor * H[a][b];
            }
        for (size_t a = 0; a < D; a++) w[a] -= H[a][D] / H[a][a];
    }
}

static cau_lbfgs_problem logistic_problem(logistic_data *data, double l1)
{
    return (cau_lbfgs_problem){.n = D,
                               .evaluate = logistic_loss,
                               .self = data,
                               .threads = 1,
                               .history = 6,
                               .l1 = l1,
                               .penalised = D - 1};
}

static void logistic_regression_is_solved(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double penalties[] = {0, 0.1, 10};
    for (size_t p = 0; p < 3; p++) {
        logistic_data data;
        random_logistic(&data, p);
        data.l2 = penalties[p];
        double want[D] = {0}, f = 0, g[D] = {0};
        newton(&data, want);
        logistic_loss(&data, want, &f, g);

        const cau_lbfgs_problem problem = logistic_problem(&data, 0);
        const double w[D] = {0};
        cau_solver solver = make(ctx, &problem, w);
        assert_string_equal(solver.ops->name, "lbfgs");
        const cau_iterate it = run_solver(ctx, solver, 1e-7, 100);
        assert_near(it.f, f, 1e-12 * f);
        for (size_t k = 0; k < D; k++)
            assert_near(solver.ops->weights(solver.self)[k], want[k], 1e-7);
        solver.ops->free(solver.self);
    }
    caucus_ctx_free(ctx);
}

/* At the minimum of smooth + l1 |w|: g = -l1 sgn(w) where w is not 0, |g| <= l1 where it is 0, and
 * g = 0 for the exempt weight. The function is convex, so this is sufficient. */
static void owlqn_satisfies_the_conditions(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double l1s[] = {0.01, 1, 5, 20, 1e4};
    size_t zeros[5] = {0};
    for (size_t c = 0; c < 10; c++) {
        const double l1 = l1s[c / 2];
        logistic_data data;
        random_logistic(&data, 7);
        data.l2 = c % 2 ? 0.5 : 0; /* elastic net */
        const cau_lbfgs_problem problem = logistic_problem(&data, l1);
        double w[D] = {0}, f = 0, g[D] = {0}, size = 0;
        for (size_t k = 0; k < D; k++) w[k] = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.7 : -0.7;
        cau_solver solver = make(ctx, &problem, w);
        assert_string_equal(solver.ops->name, "owlqn");
        const cau_iterate it = run_solver(ctx, solver, 1e-6, 500);
        const double *at = solver.ops->weights(solver.self);
        logistic_loss(&data, at, &f, g);
        for (size_t k = 0; k < D; k++) {
            if (k + 1 == D) {
                assert_near(g[k], 0, 1e-5);
            } else if (at[k] == 0) {
                assert_true(fabs(g[k]) <= l1 + 1e-5);
                zeros[c / 2]++;
            } else {
                assert_near(g[k], at[k] > 0 ? -l1 : l1, 1e-5);
            }
            size += k + 1 < D ? fabs(at[k]) : 0;
        }
        assert_near(it.f, f + l1 * size, 1e-10 * it.f);
        solver.ops->free(solver.self);
    }
    assert_int_equal(zeros[4], 2 * (D - 1)); /* this penalty leaves all weights 0 */
    assert_true(zeros[2] > zeros[0]);
    caucus_ctx_free(ctx);
}

/* ---- trouble -------------------------------------------------------------------------- */

static void infinite_trials_are_shortened(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int l1 = 0; l1 < 2; l1++) {
        logistic_data data;
        random_logistic(&data, 3);
        data.l2 = 1;
        data.beyond = CAUCUS_ERR_NUMERIC;
        data.limit = 2.9; /* just outside the optimum, whose norm is 2.7 or 2.5 */
        const cau_lbfgs_problem problem = logistic_problem(&data, 0.3 * l1);
        double w[D] = {0};
        w[4] = -2.5; /* on the other side of the optimum */
        cau_solver solver = make(ctx, &problem, w);
        const cau_iterate it = run_solver(ctx, solver, 1e-5, 100);
        assert_true(it.gnorm < 1e-5 && it.wnorm > 2);
        solver.ops->free(solver.self);

        data.limit = 1; /* the start is already beyond the limit */
        solver = make(ctx, &problem, w);
        check_bad_start(solver, w, D);
    }
    caucus_ctx_free(ctx);
}

static void failures_are_passed_on(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int l1 = 0; l1 < 2; l1++)
        for (int fail_at = 1; fail_at < 8; fail_at++) {
            logistic_data data;
            random_logistic(&data, 3);
            data.fail_at = fail_at;
            data.failure = CAUCUS_ERR_STOPPED;
            const cau_lbfgs_problem problem = logistic_problem(&data, 2. * l1);
            const double w[D] = {0};
            cau_solver solver = make(ctx, &problem, w);
            cau_iterate it = {.f = INFINITY};
            caucus_status st = CAUCUS_OK;
            while (st == CAUCUS_OK && data.calls < 20) st = solver.ops->step(solver.self, &it);
            assert_int_equal(st, CAUCUS_ERR_STOPPED);
            run_solver(ctx, solver, 1e-6, 100); /* the run can continue */
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* Without a stopping rule, the solver itself reports when no further progress is possible. */
static void runs_end_when_precision_is_exhausted(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int l1 = 0; l1 < 2; l1++) {
        logistic_data data;
        random_logistic(&data, 5);
        data.l2 = 0.1;
        const cau_lbfgs_problem problem = logistic_problem(&data, 1. * l1);
        const double w[D] = {0};
        cau_solver solver = make(ctx, &problem, w);
        const cau_iterate it = run_solver(ctx, solver, 0, 300);
        assert_true(it.exhausted || it.gnorm == 0);
        assert_true(it.gnorm < 1e-5);
        assert_settled(ctx, solver, &it);
        solver.ops->free(solver.self);
    }
    caucus_ctx_free(ctx);
}

/* A function with a wrong gradient: no step lowers it. */
static caucus_status wrong_gradient(void *self, const double *w, double *f, double *g)
{
    (void)self;
    *f = 1 + w[0] * w[0] + w[1] * w[1];
    g[0] = g[1] = 1;
    return CAUCUS_OK;
}

static void runs_end_without_descent(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int l1 = 0; l1 < 2; l1++) {
        const cau_lbfgs_problem problem = {.n = 2,
                                           .evaluate = wrong_gradient,
                                           .threads = 1,
                                           .history = 3,
                                           .l1 = 0.1 * l1,
                                           .penalised = 2};
        const double w[2] = {0};
        cau_solver solver = make(ctx, &problem, w);
        cau_iterate it;
        assert_ok(ctx, solver.ops->step(solver.self, &it));
        assert_true(it.exhausted && it.f == 1 && it.passes < 100);
        assert_memory_equal(solver.ops->weights(solver.self), w, sizeof w);
        solver.ops->free(solver.self);
    }
    caucus_ctx_free(ctx);
}

/* ---- bits ----------------------------------------------------------------------------- */

static void threads_change_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double *w = cau_calloc(SEPARABLE_N, sizeof *w), *first = cau_calloc(SEPARABLE_N, sizeof *w);
    assert_true(w && first);
    for (int l1 = 0; l1 < 2; l1++)
        for (unsigned threads = 1; threads < 9; threads = threads == 3 ? 8 : threads + 1) {
            const cau_lbfgs_problem problem = {.n = SEPARABLE_N,
                                               .evaluate = separable,
                                               .threads = threads,
                                               .history = 4,
                                               .l1 = 0.5 * l1,
                                               .penalised = SEPARABLE_N - 100};
            cau_solver solver = make(ctx, &problem, w);
            cau_iterate it;
            for (int t = 0; t < 8; t++) assert_ok(ctx, solver.ops->step(solver.self, &it));
            const double *at = solver.ops->weights(solver.self);
            if (threads == 1) memcpy(first, at, SEPARABLE_N * sizeof *at);
            assert_memory_equal(at, first, SEPARABLE_N * sizeof *at);
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
    for (int l1 = 0; l1 < 2; l1++)
        for (int after = 0; after < 12; after++) {
            logistic_data data;
            random_logistic(&data, 9);
            data.l2 = 0.1;
            const cau_lbfgs_problem problem = logistic_problem(&data, 1. * l1);
            const double w[D] = {0}, other[D] = {3, 1, 4};
            cau_solver a = make(ctx, &problem, w), b = make(ctx, &problem, other);
            cau_iterate x, y;
            for (int t = 0; t < after; t++) assert_ok(ctx, a.ops->step(a.self, &x));
            /* the state replaces that of a used solver, or of a new one */
            if (after % 2) assert_ok(ctx, b.ops->step(b.self, &y));

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
    logistic_data data;
    random_logistic(&data, 9);
    const cau_lbfgs_problem problem = logistic_problem(&data, 0);
    const double w[D] = {0};
    check_damaged_state(make(ctx, &problem, w), "pairs");
    caucus_ctx_free(ctx);
}

/* ---- memory --------------------------------------------------------------------------- */

static caucus_status make_and_free(void *ctx)
{
    logistic_data data = {.l2 = 0};
    const cau_lbfgs_problem problem = logistic_problem(&data, 0);
    const double w[D] = {0};
    cau_solver solver = {0};
    caucus_status st = cau_lbfgs_new(ctx, &problem, w, &solver);
    if (st == CAUCUS_OK) solver.ops->free(solver.self);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_int_equal(test_every_allocation(make_and_free, ctx), 2);

    cau_solver solver;
    const double w[1] = {0};
    const cau_lbfgs_problem none = {.n = 1, .threads = 1, .history = 0};
    assert_fails(ctx, cau_lbfgs_new(ctx, &none, w, &solver), CAUCUS_ERR_ARGUMENT, "0 pairs");
    const cau_lbfgs_problem many = {.n = 1, .threads = 1, .history = 21};
    assert_fails(ctx, cau_lbfgs_new(ctx, &many, w, &solver), CAUCUS_ERR_ARGUMENT, "21 pairs");

    const cau_lbfgs_problem some = {.n = 1000, .history = 6};
    assert_in_range(cau_lbfgs_bytes(&some), 15 * 1000 * 8, 15 * 1000 * 8 + 20000);
    const cau_lbfgs_problem huge = {.n = SIZE_MAX / 8, .history = 6};
    assert_true(cau_lbfgs_bytes(&huge) == SIZE_MAX);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratics_are_solved),
        cmocka_unit_test(rosenbrock_is_solved),
        cmocka_unit_test(logistic_regression_is_solved),
        cmocka_unit_test(owlqn_satisfies_the_conditions),
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
