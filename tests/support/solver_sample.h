/* solver_sample.h - running solvers, copying and damaging their states, and a logistic
 * regression. */

#ifndef CAU_SUPPORT_SOLVER_SAMPLE_H
#define CAU_SUPPORT_SOLVER_SAMPLE_H

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "optim/solver.h"
#include "support/support.h"

/* Iterates until the gradient is below `small` or the solver is exhausted; F must never rise. */
static inline cau_iterate run_solver(caucus_ctx *ctx, cau_solver solver, double small, size_t most)
{
    cau_iterate it = {.f = INFINITY};
    for (size_t t = 0; t < most; t++) {
        const double before = it.f;
        assert_ok(ctx, solver.ops->step(solver.self, &it));
        assert_true(it.f <= before);
        if (it.gnorm < small || it.exhausted) return it;
    }
    fail_msg("no end after %zu iterations: F %.17g, gradient %g", most, it.f, it.gnorm);
    return it;
}

/* At a minimum: another step leaves F the same or lower. */
static inline void assert_settled(caucus_ctx *ctx, cau_solver solver, const cau_iterate *it)
{
    cau_iterate again;
    assert_ok(ctx, solver.ops->step(solver.self, &again));
    assert_true(again.f <= it->f);
}

static inline void assert_finite(cau_solver solver, size_t n)
{
    for (size_t k = 0; k < n; k++) assert_true(isfinite(solver.ops->weights(solver.self)[k]));
}

/* The start w [n] is refused and stays. Frees the solver. */
static inline void check_bad_start(cau_solver solver, const double *w, size_t n)
{
    cau_iterate it;
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_NUMERIC);
    assert_memory_equal(solver.ops->weights(solver.self), w, n * sizeof *w);
    solver.ops->free(solver.self);
}

/* A saved state whose part `name` is damaged is refused. Frees the solver. */
static inline void check_damaged_state(cau_solver solver, const char *name)
{
    cau_blob blobs[CAU_BLOBS_MAX];
    cau_iterate it;
    size_t found = 0;
    const size_t count = solver.ops->state(solver.self, blobs);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(blobs[i].name, name) != 0) continue;
        memset(blobs[i].data, 0xff, blobs[i].bytes);
        found++;
    }
    assert_int_equal(found, 1);
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_FORMAT);
    solver.ops->free(solver.self);
}

/* Gives the state of a to b. */
static inline void copy_state(cau_solver a, cau_solver b)
{
    cau_blob from[CAU_BLOBS_MAX], to[CAU_BLOBS_MAX];
    const size_t blobs = a.ops->state(a.self, from);
    assert_int_equal(b.ops->state(b.self, to), blobs);
    for (size_t i = 0; i < blobs; i++) {
        assert_string_equal(from[i].name, to[i].name);
        assert_int_equal(from[i].bytes, to[i].bytes);
        memcpy(to[i].data, from[i].data, from[i].bytes);
    }
}

/* Equal iterates; a solver that does not know the gradient reports NaN. */
static inline void assert_same_iterate(const cau_iterate *x, const cau_iterate *y)
{
    assert_true(x->f == y->f && x->wnorm == y->wnorm && x->passes == y->passes &&
                x->exhausted == y->exhausted);
    assert_true(x->gnorm == y->gnorm || (isnan(x->gnorm) && isnan(y->gnorm)));
}

/* Both solvers take `steps` equal steps, to the bit, with n weights. */
static inline void assert_same_steps(caucus_ctx *ctx, cau_solver a, cau_solver b, size_t n,
                                     size_t steps)
{
    cau_iterate x, y;
    for (size_t t = 0; t < steps; t++) {
        assert_ok(ctx, a.ops->step(a.self, &x));
        assert_ok(ctx, b.ops->step(b.self, &y));
        assert_same_iterate(&x, &y);
        assert_memory_equal(a.ops->weights(a.self), b.ops->weights(b.self), n * sizeof(double));
    }
}

/* Logistic regression of binary examples; the last dimension is the constant 1. */
enum { LOGISTIC_N = 200, LOGISTIC_D = 12 };
typedef struct {
    double x[LOGISTIC_N][LOGISTIC_D], y[LOGISTIC_N];
    double l1, l2;         /* l2 on all weights except the last; the solver adds l1 */
    int calls, fail_at;    /* call number `fail_at` of the loss fails with `failure` */
    caucus_status failure; /* where |w| > limit, the loss fails with `beyond`, or is NAN if that */
    caucus_status beyond;  /* is CAUCUS_OK; limit 0 is no limit */
    double limit;
} logistic_data;

static inline void random_logistic(logistic_data *data, uint64_t seed)
{
    cau_rng rng;
    *data = (logistic_data){.l2 = 0};
    cau_rng_init(&rng, seed);
    for (size_t i = 0; i < LOGISTIC_N; i++) {
        double score = -0.3;
        for (size_t k = 0; k < LOGISTIC_D; k++) {
            data->x[i][k] = k + 1 == LOGISTIC_D ? 1 : 2 * cau_rng_real(&rng) - 1;
            score += (k < 5 ? (double)k - 2 : 0) * data->x[i][k];
        }
        data->y[i] = cau_rng_real(&rng) < 1 / (1 + exp(-score)) ? 1 : 0;
    }
}

static inline caucus_status logistic_loss(void *self, const double *w, double *f, double *g)
{
    logistic_data *data = self;
    double sum = 0, squares = 0;
    if (++data->calls == data->fail_at) return data->failure;
    for (size_t k = 0; k < LOGISTIC_D; k++) {
        g[k] = k + 1 < LOGISTIC_D ? data->l2 * w[k] : 0;
        sum += 0.5 * g[k] * w[k];
        squares += w[k] * w[k];
    }
    const bool beyond = data->limit > 0 && sqrt(squares) > data->limit;
    if (beyond && data->beyond) return data->beyond;
    for (size_t i = 0; i < LOGISTIC_N; i++) {
        double s = 0;
        for (size_t k = 0; k < LOGISTIC_D; k++) s += w[k] * data->x[i][k];
        sum += (s > 0 ? s + log1p(exp(-s)) : log1p(exp(s))) - data->y[i] * s;
        const double r = 1 / (1 + exp(-s)) - data->y[i];
        for (size_t k = 0; k < LOGISTIC_D; k++) g[k] += r * data->x[i][k];
    }
    *f = beyond ? (double)NAN : sum;
    return CAUCUS_OK;
}

/* A separable function, long enough for several blocks of a vector. */
enum { SEPARABLE_N = 30000 };

static inline caucus_status separable(void *self, const double *w, double *f, double *g)
{
    (void)self;
    double sum = 0;
    for (size_t k = 0; k < SEPARABLE_N; k++) {
        const double x = w[k] - sin((double)k), c = 1 + (double)(k % 17);
        sum += c * (sqrt(1 + x * x) - 1);
        g[k] = c * x / sqrt(1 + x * x);
    }
    *f = sum;
    return CAUCUS_OK;
}

#endif
