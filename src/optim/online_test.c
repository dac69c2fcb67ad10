/* online_test.c - checks the steps against the formulas of online.c, weight by weight, and the
 * optima, refusals and saved states of the online solvers. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim/rows.h"
#include "support/optim_sample.h"

/* ---- step by step --------------------------------------------------------------------- */

/* A run that tracks each weight separately. */
typedef struct {
    small *p;
    cau_online_options with;
    double w[MOST], squares[MOST];
    size_t steps;      /* of the earlier epochs */
    size_t then[MOST]; /* steps of this epoch that are in the penalty of a weight */
    bool touched[N][MOST];
} online_by_weight;

static double rate_at(const online_by_weight *x, size_t t)
{
    const double decay = fmax(x->with.rate * x->p->problem.l2, 0.1);
    return x->with.rate / (1 + decay * (double)(x->steps + t) / N);
}

/* Moves weight k by g after applying the penalty up to step `now` of the epoch, at the rate of step
 * `t`. */
static void move_one(online_by_weight *x, size_t k, double g, size_t now, size_t t)
{
    const small *p = x->p;
    const bool penalised = small_penalised(p, k), adagrad = x->with.kind == CAU_ONLINE_ADAGRAD;
    const double mean = penalised && p->problem.mean ? p->mean[k] : 0;
    double h = rate_at(x, t), shares = 0;
    x->squares[k] += g * g;
    if (adagrad) h = x->with.rate / (x->squares[k] > 0 ? sqrt(x->squares[k]) : 1);
    for (size_t s = x->then[k]; s < now; s++) shares += adagrad ? h : rate_at(x, s);
    if (!penalised) shares = 0;
    const double u = x->w[k] - mean - h * g, size = fabs(u) - shares * p->problem.l1 / N;
    x->w[k] = mean + (size > 0 ? copysign(size, u) : 0) / (1 + shares * p->problem.l2 / N);
    x->then[k] = now;
}

static void note_weight(void *self, size_t score, size_t weight, double value)
{
    (void)score;
    (void)value;
    ((bool *)self)[weight] = true;
}

static void plain_epoch(online_by_weight *x, cau_rng *rng)
{
    const small *p = x->p;
    const size_t round = x->with.minibatch;
    static double g[N][MOST];
    uint32_t order[N];
    for (size_t i = 0; i < N; i++) order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, order, N);
    memset(x->then, 0, sizeof x->then);
    for (size_t t = 0; t < N; t++) {
        for (size_t u = t; t % round == 0 && u < t + round && u < N; u++)
            for (size_t k = 0; k < p->n - p->problem.common; k++)
                if (x->touched[order[u]][k] && t - x->then[k] > N / 8) move_one(x, k, 0, t, t);
        for (size_t u = t; t % round == 0 && u < t + round && u < N; u++)
            small_gradient(p, order[u], x->w, g[order[u]]);
        const size_t i = order[t];
        for (size_t k = 0; k < p->n; k++)
            if (x->touched[i][k] && !small_fixed(p, k)) move_one(x, k, g[i][k], t + 1, t);
    }
    for (size_t k = 0; k < p->n; k++)
        if (x->then[k] < N && !small_fixed(p, k)) move_one(x, k, 0, N, N);
    x->steps += N;
}

static void check_steps(caucus_ctx *ctx, small *p, const cau_online_options *with)
{
    static online_by_weight x;
    small copies[THREADS];
    void *selves[THREADS];
    cau_rng rng;
    cau_solver solver;
    x = (online_by_weight){.p = p, .with = *with};
    for (size_t i = 0; i < N; i++) small_features(p, i, note_weight, x.touched[i]);
    small_start(p, x.w);
    cau_rng_init(&rng, with->seed);
    small_share(p, copies, selves);
    assert_ok(ctx, cau_online_new(ctx, &p->problem, with, x.w, &solver));
    size_t exact = 0;
    for (size_t epoch = 1; epoch <= 3; epoch++) {
        cau_iterate it;
        plain_epoch(&x, &rng);
        assert_ok(ctx, solver.ops->step(solver.self, &it));
        const double *w = solver.ops->weights(solver.self);
        for (size_t k = 0; k < p->n; k++) assert_near(w[k], x.w[k], 1e-11 * (1 + fabs(x.w[k])));
        exact += !it.estimate;
        if (!it.estimate) assert_near(it.f, small_value(p, w), 1e-11 * it.f);
        assert_true(isnan(it.gnorm) && it.passes == epoch + exact);
        for (size_t k = 0; k < p->n; k++)
            if (small_fixed(p, k)) assert_true(w[k] == 0);
    }
    solver.ops->free(solver.self);
}

static void steps_match_the_formulas(void **state)
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
                    check_steps(ctx, &p,
                                &(cau_online_options){.kind = (cau_online_kind)kind,
                                                      .rate = 0.3,
                                                      .minibatch = c % 2 ? 8 : 1,
                                                      .seed = 5});
                }
    caucus_ctx_free(ctx);
}

/* With so strong a penalty, all weights are 0. */
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
            check_steps(ctx, &p,
                        &(cau_online_options){
                            .kind = (cau_online_kind)kind, .rate = 10, .minibatch = 1, .seed = 5});
        }
    caucus_ctx_free(ctx);
}

/* The same bits at any number of threads. */
static void threads_change_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++)
        for (int bits = 0; bits < 8; bits++) {
            const cau_online_options options = {
                .kind = (cau_online_kind)kind, .minibatch = 4, .sure = 0.1, .seed = 2};
            small p, copies[THREADS];
            void *selves[THREADS];
            double w[MOST];
            cau_solver alone, together;
            small_make(&p, MIXED,
                       (small_options){.valued = bits & 1, .mean = bits & 2, .listed = bits & 4},
                       7);
            p.problem.l1 = p.problem.l2 = 0.5;
            small_start(&p, w);
            assert_ok(ctx, cau_online_new(ctx, &p.problem, &options, w, &alone));
            small_share(&p, copies, selves);
            assert_ok(ctx, cau_online_new(ctx, &p.problem, &options, w, &together));
            small_same(ctx, &p, alone, together);
        }
    caucus_ctx_free(ctx);
}

/* Thinning keeps the expected value of a gradient, and leaves certain entries alone. */
static void thinning_keeps_the_mean(void **state)
{
    (void)state;
    enum { DRAWS = 40000 };
    small p;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    small_make(&p, EXPLICIT, (small_options){.valued = true}, 4);
    for (size_t i = 0; i < 5; i++) {
        cau_example e;
        double r[GROUPS] = {0.5, -0.02, 0.004, 0}, sum[GROUPS] = {0};
        p.problem.example(&p, i, &e);
        for (size_t t = 0; t < DRAWS; t++) {
            double s[GROUPS];
            memcpy(s, r, sizeof s);
            cau_rows_thin(&p.problem, &e, 0.02, &rng, s);
            for (size_t g = 0; g < GROUPS; g++) {
                /* groups without rows cannot be thinned */
                const bool rows = e.start[g] < e.start[g + 1];
                assert_true(g != 2 || !rows || s[g] == 0 || fabs(s[g] - 0.02) < 1e-15);
                assert_true((g == 2 && rows) || s[g] == r[g]);
                sum[g] += s[g];
            }
        }
        assert_near(sum[2] / DRAWS, 0.004, 5 * 0.008 / sqrt(DRAWS));
    }
}

static caucus_status start(caucus_ctx *ctx, const small *p, cau_online_kind kind, double rate,
                           uint64_t seed, const double *w, cau_solver *out)
{
    const cau_online_options options = {.kind = kind, .rate = rate, .sure = 0.05, .seed = seed};
    return cau_online_new(ctx, &p->problem, &options, w, out);
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
            const double least = small_minimum(&p, w), zero[MOST] = {0};
            cau_solver solver;
            cau_iterate it;
            /* rate 0: the solver chooses it */
            assert_ok(ctx, start(ctx, &p, (cau_online_kind)kind, 0, 2, zero, &solver));
            assert_ok(ctx, small_steps(solver, 300, &it));
            assert_true(it.f > least * (1 - 1e-9));
            assert_true(it.f < least * (1 + 2e-3));
            if (l1) small_agree_on_zeros(w, solver.ops->weights(solver.self));
            solver.ops->free(solver.self);
        }
    caucus_ctx_free(ctx);
}

/* Values scaled by 1e6 or 1e-3 need other rates. */
static void rates_fit_the_data(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 2; kind++)
        for (int scale = -1; scale < 2; scale++) {
            small p;
            small_make(&p, DISTINCT, (small_options){.valued = true}, 4);
            small_scale(&p, scale < 0 ? 1e-3F : scale > 0 ? 1e6F : 1);
            const double w[MOST] = {0};
            const double f0 = small_value(&p, w);
            cau_solver solver;
            assert_ok(ctx, start(ctx, &p, (cau_online_kind)kind, 0, 2, w, &solver));
            assert_memory_equal(solver.ops->weights(solver.self), w, p.n * sizeof *w);
            small_scaled_run(ctx, solver, scale, f0);
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
        small_scale(&p, 1e30F);
        const double w[MOST] = {0};
        cau_solver solver;
        cau_iterate it;
        const double rate = 1e300; /* far too large */
        assert_ok(ctx, start(ctx, &p, (cau_online_kind)kind, rate, 2, w, &solver));
        assert_int_equal(small_steps(solver, 5, &it), CAUCUS_ERR_NUMERIC);
        assert_finite(solver, p.n);
        solver.ops->free(solver.self);
    }

    /* after a failure in the middle of an epoch, all weights have caught up and the run can
     * continue */
    small p;
    small_make(&p, DISTINCT, (small_options){.valued = true}, 4);
    p.problem.l2 = 1;
    p.fail_at = N / 2;
    const double w[MOST] = {0};
    cau_solver solver;
    cau_iterate it;
    assert_ok(ctx, start(ctx, &p, CAU_ONLINE_SGD, 0.1, 2, w, &solver));
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_NUMERIC);
    assert_ok(ctx, small_steps(solver, 20, &it));
    double best[MOST] = {0};
    const double f = small_value(&p, solver.ops->weights(solver.self));
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
            cau_solver a, b, c;
            /* b has another seed and rate, both replaced by the state */
            assert_ok(ctx, start(ctx, &p, (cau_online_kind)kind, 0, 2, w, &a));
            assert_ok(ctx, start(ctx, &p, (cau_online_kind)kind, 7, 3, w, &b));
            assert_ok(ctx, start(ctx, &p, (cau_online_kind)kind, 0, 2, w, &c));
            small_resume(ctx, &p, after, a, b, c, NULL, 0);
        }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    cau_online_kind kind;
} online_case;

static caucus_status make_and_free(void *self)
{
    const online_case *m = self;
    small p;
    small_make(&p, DISTINCT, (small_options){.valued = true}, 6);
    const double w[MOST] = {0};
    cau_solver solver = {0};
    caucus_status st = start(m->ctx, &p, m->kind, 0, 1, w, &solver);
    if (st == CAUCUS_OK) solver.ops->free(solver.self);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    online_case m = {test_ctx(), CAU_ONLINE_SGD};
    assert_int_equal(test_every_allocation(make_and_free, &m), 17);
    m.kind = CAU_ONLINE_ADAGRAD;
    assert_int_equal(test_every_allocation(make_and_free, &m), 17);

    small p;
    small_make(&p, DISTINCT, (small_options){.valued = true}, 6);
    const double w[MOST] = {0};
    cau_solver solver;
    assert_in_range(cau_online_bytes(&p.problem, CAU_ONLINE_SGD), p.n * 8, p.n * 8 + 2000);
    assert_in_range(cau_online_bytes(&p.problem, CAU_ONLINE_ADAGRAD), p.n * 16, p.n * 16 + 1500);
    p.problem.examples = 0;
    assert_fails(m.ctx, start(m.ctx, &p, CAU_ONLINE_SGD, 0, 1, w, &solver), CAUCUS_ERR_ARGUMENT,
                 "0 examples");
    p.problem.examples = SIZE_MAX;
    assert_true(cau_online_bytes(&p.problem, CAU_ONLINE_SGD) == SIZE_MAX);
    caucus_ctx_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_match_the_formulas),
        cmocka_unit_test(strong_penalties_do_not_underflow),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(thinning_keeps_the_mean),
        cmocka_unit_test(optima_are_approached),
        cmocka_unit_test(rates_fit_the_data),
        cmocka_unit_test(weights_stay_finite),
        cmocka_unit_test(states_continue_bit_for_bit),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
