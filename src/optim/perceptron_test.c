/* perceptron_test.c - checks perceptron and passive-aggressive steps against dense ones, and the
 * average against a sum over all steps. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optim/online.h"
#include "support/optim_sample.h"

static const cau_perceptron_kind kinds[] = {CAU_PERCEPTRON_PLAIN, CAU_PERCEPTRON_PA,
                                            CAU_PERCEPTRON_PA_1, CAU_PERCEPTRON_PA_2,
                                            CAU_PERCEPTRON_AROW};
enum { KINDS = 5 };

/* One epoch by the formulas of perceptron.c. `sum` accumulates the weights after every step. */
static size_t eager_epoch(small *p, const cau_perceptron_options *o, cau_rng *rng, double *w,
                          double *v, double *sum)
{
    uint32_t order[N];
    size_t total = 0;
    double seen[MOST], sure[MOST]; /* weights and variances at the start of the minibatch */
    for (size_t i = 0; i < N; i++) order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, order, N);
    for (size_t t = 0; t < N; t++) {
        if (t % o->minibatch == 0) memcpy(seen, w, sizeof seen);
        if (t % o->minibatch == 0) memcpy(sure, v, sizeof sure);
        const size_t i = order[t], gold = p->gold[i];
        double s[SCORES], r[SCORES] = {0}, d[MOST], square = 0, step = 1;
        size_t best = 0;
        small_scores(p, i, seen, s);
        for (size_t j = 0; j < p->scores; j++)
            if (s[j] > s[best]) best = j;
        if (best != gold) {
            const size_t wrong = 1 + best % 3; /* as in small_mistake */
            const double margin = s[best] - s[gold];
            const double loss = margin + (o->unit_margin ? 1 : sqrt((double)wrong));
            double variance = 0;
            total += wrong;
            r[best] += 1;
            r[gold] -= 1;
            small_spread(p, i, r, d);
            for (size_t k = 0; k < p->n; k++) {
                if (small_fixed(p, k)) d[k] = 0;
                square += d[k] * d[k];
                variance += sure[k] * d[k] * d[k];
            }
            if (o->kind == CAU_PERCEPTRON_PA) step = loss / square;
            if (o->kind == CAU_PERCEPTRON_PA_1) step = fmin(o->c, loss / square);
            if (o->kind == CAU_PERCEPTRON_PA_2) step = loss / (square + 0.5 / o->c);
            if (o->kind == CAU_PERCEPTRON_AROW)
                step = (margin + (double)wrong) / (variance + o->gamma);
            for (size_t k = 0; k < p->n && square > 0; k++) {
                w[k] -= step * v[k] * d[k];
                if (o->kind == CAU_PERCEPTRON_AROW) v[k] = 1 / (1 / v[k] + d[k] * d[k] / o->gamma);
            }
        }
        for (size_t k = 0; k < p->n; k++) sum[k] += w[k];
    }
    return total;
}

static void make_variant(small *p, shape kind, int bits)
{
    small_make(p, kind, (small_options){.valued = bits & 1, .fixed = bits & 2, .listed = bits & 4},
               (uint64_t)kind + 3);
}

static caucus_status start(caucus_ctx *ctx, const small *p, cau_perceptron_kind kind, uint64_t seed,
                           const double *w, cau_solver *out)
{
    const cau_perceptron_options options = {
        .kind = kind, .c = 1, .variance = 1, .gamma = 1, .seed = seed};
    return cau_perceptron_new(ctx, &p->problem, &options, w, out);
}

static void steps_match_the_papers(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int which = 0; which < KINDS; which++)
        for (int form = 0; form < SHAPES; form++)
            for (int bits = 0; bits < 16; bits++) {
                const cau_perceptron_options options = {.kind = kinds[which],
                                                        .c = 0.3,
                                                        .unit_margin = bits & 4,
                                                        .last = bits & 1,
                                                        .variance = 0.5,
                                                        .gamma = 2,
                                                        .minibatch = bits & 8 ? 8 : 1,
                                                        .seed = 5};
                const bool arow = kinds[which] == CAU_PERCEPTRON_AROW;
                small p, copies[THREADS];
                void *selves[THREADS];
                double w[MOST], v[MOST], sum[MOST];
                cau_rng rng;
                cau_solver solver;
                make_variant(&p, (shape)form, bits);
                small_share(&p, copies, selves);
                cau_rng_init(&rng, 5);
                small_start(&p, w);
                memcpy(sum, w, sizeof sum);
                for (size_t k = 0; k < MOST; k++) v[k] = arow ? options.variance : 1;
                assert_ok(ctx, cau_perceptron_new(ctx, &p.problem, &options, w, &solver));
                assert_memory_equal(solver.ops->weights(solver.self), w, p.n * sizeof *w);
                for (size_t epoch = 1; epoch <= 3; epoch++) {
                    cau_iterate it;
                    const size_t wrong = eager_epoch(&p, &options, &rng, w, v, sum);
                    assert_ok(ctx, solver.ops->step(solver.self, &it));
                    assert_true(it.f == (double)wrong && isnan(it.gnorm));
                    assert_true(it.exhausted == (wrong == 0) && it.passes == epoch);
                    const double *average = solver.ops->weights(solver.self);
                    const bool last = arow || options.last;
                    for (size_t k = 0; k < p.n; k++)
                        assert_near(average[k], last ? w[k] : sum[k] / (double)(epoch * N + 1),
                                    1e-11);
                }
                solver.ops->free(solver.self);
            }
    caucus_ctx_free(ctx);
}

/* On separable data the run reaches zero errors and ends. */
static void runs_end_on_separable_data(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int which = 0; which < KINDS; which++) {
        small p;
        double w[MOST] = {0}, truth[MOST];
        cau_rng rng;
        cau_iterate it = {0};
        cau_solver solver;
        make_variant(&p, MIXED, 1);
        cau_rng_init(&rng, 9);
        for (size_t k = 0; k < MOST; k++) truth[k] = 4 * cau_rng_real(&rng) - 2;
        for (size_t i = 0; i < N; i++) {
            double s[SCORES];
            p.gold[i] = 0;
            small_scores(&p, i, truth, s);
            for (size_t j = 0; j < p.scores; j++)
                if (s[j] > s[p.gold[i]]) p.gold[i] = j;
        }
        assert_ok(ctx, start(ctx, &p, kinds[which], 2, w, &solver));
        for (int t = 0; t < 3000 && !it.exhausted; t++)
            assert_ok(ctx, solver.ops->step(solver.self, &it));
        assert_true(it.exhausted && it.f == 0);
        solver.ops->free(solver.self);
    }
    caucus_ctx_free(ctx);
}

/* After an epoch without errors the average is that of all epochs. */
static void averages_go_on_after_the_end(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    small p;
    double w[MOST] = {0}, last[MOST];
    cau_iterate it = {0};
    cau_solver early, late;
    cau_perceptron_options options = {.kind = CAU_PERCEPTRON_PLAIN, .minibatch = 1, .seed = 2};
    make_variant(&p, MIXED, 1);
    for (size_t i = 0; i < N; i++) { /* the best labelling by these weights is the gold one */
        double s[SCORES];
        p.gold[i] = 0;
        for (size_t k = 0; k < p.n; k++) last[k] = (double)(k * 7 % 5) - 2;
        small_scores(&p, i, last, s);
        for (size_t j = 0; j < p.scores; j++)
            if (s[j] > s[p.gold[i]]) p.gold[i] = j;
    }
    assert_ok(ctx, cau_perceptron_new(ctx, &p.problem, &options, w, &late));
    for (options.epochs = 0; !it.exhausted; options.epochs++) {
        assert_true(options.epochs < 5000);
        assert_ok(ctx, late.ops->step(late.self, &it));
    }
    options.epochs += 10;
    assert_ok(ctx, cau_perceptron_new(ctx, &p.problem, &options, w, &early));
    for (it.exhausted = false; !it.exhausted;) assert_ok(ctx, early.ops->step(early.self, &it));
    for (int t = 0; t < 10; t++) assert_ok(ctx, late.ops->step(late.self, &it));
    for (size_t k = 0; k < p.n; k++)
        assert_near(early.ops->weights(early.self)[k], late.ops->weights(late.self)[k], 1e-11);
    early.ops->free(early.self);
    late.ops->free(late.self);
    caucus_ctx_free(ctx);
}

/* The same bits at any number of threads. */
static void threads_change_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int which = 0; which < KINDS; which++)
        for (int bits = 0; bits < 8; bits++) {
            const cau_perceptron_options options = {
                .kind = kinds[which], .c = 1, .variance = 1, .gamma = 1, .minibatch = 4, .seed = 2};
            small p, copies[THREADS];
            void *selves[THREADS];
            double w[MOST];
            cau_solver alone, together;
            make_variant(&p, MIXED, bits);
            small_start(&p, w);
            assert_ok(ctx, cau_perceptron_new(ctx, &p.problem, &options, w, &alone));
            small_share(&p, copies, selves);
            assert_ok(ctx, cau_perceptron_new(ctx, &p.problem, &options, w, &together));
            small_same(ctx, &p, alone, together);
        }
    caucus_ctx_free(ctx);
}

static void failures_leave_finite_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    small p;
    const double w[MOST] = {0};
    cau_solver solver;
    cau_iterate it;
    make_variant(&p, MIXED, 1);
    p.fail_at = N / 2;
    assert_ok(ctx, start(ctx, &p, CAU_PERCEPTRON_PA, 2, w, &solver));
    assert_int_equal(solver.ops->step(solver.self, &it), CAUCUS_ERR_NUMERIC);
    assert_ok(ctx, solver.ops->step(solver.self, &it));
    solver.ops->free(solver.self);

    make_variant(&p, EXPLICIT, 1); /* tiny values give huge steps */
    small_scale(&p, 1e-38F);
    assert_ok(ctx, start(ctx, &p, CAU_PERCEPTRON_PA, 2, w, &solver));
    assert_ok(ctx, small_steps(solver, 20, &it));
    assert_finite(solver, p.n);
    solver.ops->free(solver.self);
    caucus_ctx_free(ctx);
}

static void states_continue_bit_for_bit(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int which = 0; which < KINDS; which++)
        for (int after = 0; after < 3; after++) {
            small p;
            const double w[MOST] = {0};
            cau_solver a, b, c;
            make_variant(&p, MIXED, 7);
            assert_ok(ctx, start(ctx, &p, kinds[which], 2, w, &a));
            assert_ok(ctx, start(ctx, &p, kinds[which], 3, w, &b));
            assert_ok(ctx, start(ctx, &p, kinds[which], 2, w, &c));
            small_resume(ctx, &p, after, a, b, c, NULL, 0);
        }
    caucus_ctx_free(ctx);
}

static caucus_status make_and_step(void *self)
{
    small p;
    cau_iterate it;
    const double w[MOST] = {0};
    make_variant(&p, MIXED, 0);
    cau_solver solver = {0};
    caucus_status st = start(self, &p, CAU_PERCEPTRON_PA_1, 1, w, &solver);
    if (st == CAUCUS_OK) {
        st = solver.ops->step(solver.self, &it);
        solver.ops->free(solver.self);
    }
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_int_equal(test_every_allocation(make_and_step, ctx), 18);

    small p;
    const double w[MOST] = {0};
    cau_solver solver;
    make_variant(&p, MIXED, 0);
    assert_in_range(cau_perceptron_bytes(&p.problem), p.n * 24, p.n * 24 + 2000);
    p.problem.examples = 0;
    assert_fails(ctx, start(ctx, &p, CAU_PERCEPTRON_PA, 1, w, &solver), CAUCUS_ERR_ARGUMENT,
                 "0 examples");
    assert_true(cau_perceptron_bytes(&p.problem) == SIZE_MAX);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_match_the_papers),
        cmocka_unit_test(runs_end_on_separable_data),
        cmocka_unit_test(averages_go_on_after_the_end),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(failures_leave_finite_weights),
        cmocka_unit_test(states_continue_bit_for_bit),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
