/* online_test.c - lazy penalties against penalties at every step, and what online solvers
 * must reach, refuse and remember. */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim/online.h"
#include "support.h"

/* ---- a small problem ------------------------------------------------------------------ */

/* N examples, each with some of K rows; `groups` rows of scores with `width` columns each. The
 * scores all together are those of a softmax, whose answer is random. */
enum { N = 60, K = 40, WIDTH = 3, GROUPS = 4, ENTRIES = 9, MOST = (K + 1) * WIDTH };
typedef struct {
    cau_online_problem problem;
    size_t groups, start[N][GROUPS + 1];
    uint32_t id[N][GROUPS * ENTRIES];
    float value[N][GROUPS * ENTRIES];
    size_t gold[N];
    double mean[K * WIDTH];
    uint8_t fixed[K * WIDTH];
    bool valued;
    size_t calls, fail_at;
} small;

static void example(void *self, size_t i, cau_example *out)
{
    small *p = self;
    *out = (cau_example){p->groups, p->start[i], p->id[i], p->valued ? p->value[i] : NULL};
}

static caucus_status residual(void *self, size_t i, double *s, double *loss)
{
    small *p = self;
    if (++p->calls == p->fail_at) return CAUCUS_ERR_NUMERIC;
    const size_t n = p->groups * p->problem.width;
    double top = -INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++) top = fmax(top, s[j]);
    if (!isfinite(top)) return CAUCUS_ERR_NUMERIC;
    for (size_t j = 0; j < n; j++) sum += exp(s[j] - top);
    *loss = top + log(sum) - s[p->gold[i]];
    for (size_t j = 0; j < n; j++) s[j] = exp(s[j] - top) / sum - (j == p->gold[i]);
    return isfinite(*loss) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

/* Scores of example i at w, as its definition says. */
static void plain_scores(small *p, size_t i, const double *w, double *s)
{
    const size_t width = p->problem.width;
    for (size_t g = 0; g < p->groups; g++)
        for (size_t j = 0; j < width; j++) {
            double sum = p->problem.bias ? w[p->problem.rows * width + j] : 0;
            for (size_t e = p->start[i][g]; e < p->start[i][g + 1]; e++)
                sum += w[p->id[i][e] * width + j] * (p->valued ? (double)p->value[i][e] : 1);
            s[g * width + j] = sum;
        }
}

/* Loss of example i and its whole gradient g [MOST]. */
static double plain_gradient(small *p, size_t i, const double *w, double *g)
{
    const size_t width = p->problem.width;
    double s[GROUPS * WIDTH], loss = 0;
    memset(g, 0, MOST * sizeof *g);
    plain_scores(p, i, w, s);
    residual(p, i, s, &loss);
    for (size_t r = 0; r < p->groups; r++)
        for (size_t j = 0; j < width; j++) {
            for (size_t e = p->start[i][r]; e < p->start[i][r + 1]; e++)
                g[p->id[i][e] * width + j] +=
                    s[r * width + j] * (p->valued ? (double)p->value[i][e] : 1);
            if (p->problem.bias) g[p->problem.rows * width + j] += s[r * width + j];
        }
    return loss;
}

static caucus_status evaluate(void *self, const double *w, double *f, double *gnorm)
{
    small *p = self;
    const size_t penalised = p->problem.rows * p->problem.width;
    double sum = 0, total[MOST] = {0}, squares = 0;
    for (size_t i = 0; i < N; i++) {
        double g[MOST];
        sum += plain_gradient(p, i, w, g);
        for (size_t k = 0; k < MOST; k++) total[k] += g[k];
    }
    for (size_t k = 0; k < penalised; k++) {
        const double u = w[k] - (p->problem.mean ? p->mean[k] : 0);
        sum += p->problem.l1 * fabs(u) + 0.5 * p->problem.l2 * u * u;
        total[k] += p->problem.l2 * u;
    }
    for (size_t k = 0; k < MOST; k++) squares += total[k] * total[k];
    *f = sum;
    *gnorm = sqrt(squares);
    return CAUCUS_OK;
}

/* Which rows an example has: one group with distinct rows, one with repeated rows, or several
 * groups of one column, which share rows (explicit features). */
typedef enum { DISTINCT, REPEATED, EXPLICIT, SHAPES } shape;

static void make_problem(small *p, shape kind, bool valued, bool mean, bool fixed, uint64_t seed)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    *p = (small){.valued = valued, .groups = kind == EXPLICIT ? GROUPS : 1};
    for (size_t i = 0; i < N; i++) {
        uint32_t rows[K];
        for (size_t g = 0; g < p->groups; g++) {
            for (size_t k = 0; k < K; k++) rows[k] = (uint32_t)k;
            cau_rng_shuffle(&rng, rows, K);
            p->start[i][g + 1] = p->start[i][g] + (size_t)cau_rng_below(&rng, ENTRIES);
            for (size_t e = p->start[i][g]; e < p->start[i][g + 1]; e++) {
                p->id[i][e] = kind == REPEATED ? rows[e] % 4 : rows[e] % (K - 1); /* one unused */
                p->value[i][e] = (float)(2 * cau_rng_real(&rng) - 0.5);
            }
            if (kind == DISTINCT && p->start[i][g + 1] > 1)
                for (size_t e = 0; e + 1 < p->start[i][g + 1]; e++)
                    for (size_t d = e + 1; d < p->start[i][g + 1]; d++)
                        if (p->id[i][d] == p->id[i][e]) p->id[i][d] = rows[K - 1] % (K - 1);
        }
        p->gold[i] = (size_t)cau_rng_below(&rng, kind == EXPLICIT ? GROUPS : WIDTH);
    }
    for (size_t k = 0; k < K * WIDTH; k++) {
        p->mean[k] = cau_rng_real(&rng) - 0.5;
        p->fixed[k] = cau_rng_below(&rng, 5) == 0;
    }
    p->problem = (cau_online_problem){.examples = N,
                                      .rows = K,
                                      .width = kind == EXPLICIT ? 1 : WIDTH,
                                      .bias = kind != EXPLICIT,
                                      .mean = mean ? p->mean : NULL,
                                      .fixed = fixed ? p->fixed : NULL,
                                      .self = p,
                                      .example = example,
                                      .residual = residual,
                                      .evaluate = evaluate};
}

/* ---- lazy and eager ------------------------------------------------------------------- */

/* One epoch as online.c's opening says it, all weights at every step. */
static void eager_epoch(small *p, cau_online_kind kind, double rate, cau_rng *rng, size_t *steps,
                        double *w, double *squares)
{
    const size_t width = p->problem.width, penalised = p->problem.rows * width;
    const size_t n = penalised + (p->problem.bias ? width : 0);
    uint32_t order[N];
    for (size_t i = 0; i < N; i++) order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, order, N);
    for (size_t t = 0; t < N; t++) {
        double g[MOST];
        plain_gradient(p, order[t], w, g);
        const double decay = fmax(rate * p->problem.l2, 0.1);
        const double common = rate / (1 + decay * (double)(*steps)++ / N);
        for (size_t k = 0; k < n; k++) {
            const bool free = k >= penalised;
            if (!free && p->problem.fixed && p->fixed[k]) continue;
            double h = common;
            if (kind == CAU_ONLINE_ADAGRAD) {
                squares[k] += g[k] * g[k];
                h = squares[k] > 0 ? rate / sqrt(squares[k]) : rate;
            }
            const double mean = !free && p->problem.mean ? p->mean[k] : 0;
            const double l1 = free ? 0 : p->problem.l1 / N, l2 = free ? 0 : p->problem.l2 / N;
            const double x = w[k] - mean - h * g[k], size = fabs(x) - h * l1;
            w[k] = mean + (size > 0 ? copysign(size / (1 + h * l2), x) : 0);
        }
    }
}

static void check_lazy(caucus_ctx *ctx, small *p, cau_online_kind kind, double rate)
{
    double w[MOST], squares[MOST] = {0};
    size_t steps = 0, n = (K + p->problem.bias) * p->problem.width;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (size_t k = 0; k < MOST; k++) /* a start that is not 0, except where it is fixed */
        w[k] = p->problem.fixed && k < K * WIDTH && p->fixed[k] ? 0 : 0.01 * (double)(k % 7);
    cau_solver solver;
    assert_ok(ctx, cau_online_new(ctx, &p->problem, kind, rate, 5, w, &solver));
    for (size_t epoch = 1; epoch <= 3; epoch++) {
        cau_iterate it;
        double f, gnorm;
        eager_epoch(p, kind, rate, &rng, &steps, w, squares);
        assert_ok(ctx, solver.ops->step(solver.self, &it));
        const double *lazy = solver.ops->weights(solver.self);
        for (size_t k = 0; k < n; k++) assert_near(lazy[k], w[k], 1e-12 * (1 + fabs(w[k])));
        evaluate(p, lazy, &f, &gnorm);
        assert_true(it.f == f && it.gnorm == gnorm);
        assert_int_equal(it.passes, 2 * epoch);
        if (p->problem.fixed)
            for (size_t k = 0; k < K * p->problem.width; k++)
                if (p->fixed[k]) assert_true(lazy[k] == 0);
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
                for (int extras = 0; extras < 4; extras++) {
                    small p;
                    make_problem(&p, (shape)form, extras % 2, extras & 1, extras & 2,
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
            make_problem(&p, DISTINCT, true, true, false, 3);
            p.problem.l1 = l1;
            p.problem.l2 = 1e12;
            check_lazy(ctx, &p, (cau_online_kind)kind, 10);
        }
    caucus_ctx_free(ctx);
}

/* ---- optima --------------------------------------------------------------------------- */

/* The minimum of F by proximal gradient descent on the whole data. */
static double minimum(small *p, double *w)
{
    const size_t penalised = p->problem.rows * p->problem.width;
    const double h = 0.005;
    double f, gnorm;
    for (int t = 0; t < 40000; t++) {
        double total[MOST] = {0};
        for (size_t i = 0; i < N; i++) {
            double g[MOST];
            plain_gradient(p, i, w, g);
            for (size_t k = 0; k < MOST; k++) total[k] += g[k];
        }
        double moved = 0;
        for (size_t k = 0; k < MOST; k++) {
            const double before = w[k], x = w[k] - h * total[k];
            const double l1 = k < penalised ? p->problem.l1 : 0;
            const double l2 = k < penalised ? p->problem.l2 : 0, size = fabs(x) - h * l1;
            w[k] = size > 0 ? copysign(size / (1 + h * l2), x) : 0;
            moved = fmax(moved, fabs(w[k] - before));
        }
        if (moved < 1e-9) break;
    }
    evaluate(p, w, &f, &gnorm);
    return f;
}

static void optima_are_approached(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++)
        for (int l1 = 0; l1 < 2; l1++) {
            small p;
            make_problem(&p, DISTINCT, true, false, false, 11);
            p.problem.l2 = 1;
            p.problem.l1 = 0.5 * l1;
            double w[MOST] = {0};
            const double least = minimum(&p, w), start[MOST] = {0};
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
            make_problem(&p, DISTINCT, true, false, false, 4);
            for (size_t i = 0; i < N; i++)
                for (size_t e = 0; e < GROUPS * ENTRIES; e++)
                    p.value[i][e] *= scale < 0 ? 1e-3F : scale > 0 ? 1e6F : 1;
            const double w[MOST] = {0};
            double f0, gnorm;
            evaluate(&p, w, &f0, &gnorm);
            cau_solver solver;
            cau_iterate it;
            assert_ok(ctx,
                      cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 0, 2, w, &solver));
            assert_memory_equal(solver.ops->weights(solver.self), w, sizeof w); /* untouched */
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
        make_problem(&p, DISTINCT, true, false, false, 4);
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
        for (size_t k = 0; k < MOST; k++)
            assert_true(isfinite(solver.ops->weights(solver.self)[k]));
        solver.ops->free(solver.self);
    }

    small p; /* a failure in the middle of an epoch: caught up, and it can go on */
    make_problem(&p, DISTINCT, true, false, false, 4);
    p.problem.l2 = 1;
    p.fail_at = N / 2;
    const double w[MOST] = {0};
    cau_solver solver;
    cau_iterate it;
    assert_ok(ctx, cau_online_new(ctx, &p.problem, CAU_ONLINE_SGD, 0.1, 2, w, &solver));
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_NUMERIC);
    for (int epoch = 0; epoch < 20; epoch++) assert_ok(ctx, solver.ops->step(solver.self, &it));
    double f, gnorm, best[MOST] = {0};
    evaluate(&p, solver.ops->weights(solver.self), &f, &gnorm);
    assert_true(f < 1.05 * minimum(&p, best));
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
            make_problem(&p, DISTINCT, true, true, true, 6);
            p.problem.l1 = p.problem.l2 = 0.5;
            const double w[MOST] = {0};
            cau_solver a, b;
            cau_iterate x, y;
            /* the second has another seed and rate, which the state must replace */
            assert_ok(ctx, cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 0, 2, w, &a));
            assert_ok(ctx, cau_online_new(ctx, &p.problem, (cau_online_kind)kind, 7, 3, w, &b));
            for (int t = 0; t < after; t++) assert_ok(ctx, a.ops->step(a.self, &x));
            cau_blob from[CAU_BLOBS_MAX], to[CAU_BLOBS_MAX];
            const size_t blobs = a.ops->state(a.self, from);
            assert_int_equal(b.ops->state(b.self, to), blobs);
            for (size_t i = 0; i < blobs; i++) {
                assert_int_equal(from[i].bytes, to[i].bytes);
                memcpy(to[i].data, from[i].data, from[i].bytes);
            }
            for (int t = 0; t < 3; t++) {
                assert_ok(ctx, a.ops->step(a.self, &x));
                assert_ok(ctx, b.ops->step(b.self, &y));
                assert_true(x.f == y.f && x.passes == y.passes && x.wnorm == y.wnorm);
                assert_memory_equal(a.ops->weights(a.self), b.ops->weights(b.self), sizeof w);
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
    make_problem(&p, DISTINCT, true, false, false, 6);
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
    assert_int_equal(test_every_allocation(make_and_free, &m), 9);
    m.kind = CAU_ONLINE_ADAGRAD;
    assert_int_equal(test_every_allocation(make_and_free, &m), 8);

    small p;
    make_problem(&p, DISTINCT, true, false, false, 6);
    const double w[MOST] = {0};
    cau_solver solver;
    assert_in_range(cau_online_bytes(&p.problem, CAU_ONLINE_SGD), MOST * 8, MOST * 8 + 2000);
    assert_in_range(cau_online_bytes(&p.problem, CAU_ONLINE_ADAGRAD), MOST * 16, MOST * 16 + 1000);
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
