/* chains_test.c - parallel chains: the same result with any number of threads; diagnostics of
 * convergence. */

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/sampler.h"
#include "support/exact_partitions.h"

/* ---- convergence ------------------------------------------------------------------------- */

/* Expected values were computed by a script in another language, for three chains of nine samples.
 */
static void known_series_have_known_values(void **state)
{
    (void)state;
    double x[3][9];
    for (int i = 0; i < 9; i++) {
        x[0][i] = sin(1.3 * i) + 0.1 * i;
        x[1][i] = cos(0.7 * i) - 0.2;
        x[2][i] = 0.3 * (i % 4);
    }
    assert_near(cau_scale_reduction(x[0], 3, 9), 1.068313757751979, 1e-12);
    assert_near(cau_effective_samples(x[0], 3, 9), 17.709777929874438, 1e-9);
}

static void too_little_is_not_a_number(void **state)
{
    (void)state;
    const double x[] = {1, 1, 1, 1, 1, 1, 1, 1}, apart[] = {1, 1, 1, 1, 2, 2, 2, 2};
    assert_true(isnan(cau_scale_reduction(x, 2, 3)) && isnan(cau_effective_samples(x, 2, 3)));
    assert_true(isnan(cau_scale_reduction(x, 0, 8)));
    assert_near(cau_scale_reduction(x, 2, 4), 1, 0);
    assert_true(isnan(cau_effective_samples(x, 2, 4)));
    assert_true(isinf(cau_scale_reduction(apart, 2, 4)));
}

/* x_t = phi x_{t-1} + noise: n samples are worth n (1 - phi) / (1 + phi) independent ones. */
static void correlated_samples_are_worth_less(void **state)
{
    (void)state;
    enum { CHAINS = 4, SAMPLES = 5000 };
    static double x[CHAINS][SAMPLES];
    static const double phis[] = {0, 0.5, 0.9, -0.4};
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t p = 0; p < sizeof phis / sizeof *phis; p++) {
        const double phi = phis[p], want = CHAINS * SAMPLES * (1 - phi) / (1 + phi);
        for (size_t c = 0; c < CHAINS; c++) {
            x[c][0] = cau_rng_normal(&rng) / sqrt(1 - phi * phi);
            for (size_t i = 1; i < SAMPLES; i++) x[c][i] = phi * x[c][i - 1] + cau_rng_normal(&rng);
        }
        assert_near(cau_effective_samples(x[0], CHAINS, SAMPLES), want, 0.12 * want);
        assert_near(cau_scale_reduction(x[0], CHAINS, SAMPLES), 1, 0.01);
        /* one chain elsewhere by d: B/n grows by (2/7) (2 d^2) (3/4)..., R by its share of W */
        for (size_t i = 0; i < SAMPLES; i++) x[0][i] += 3 / sqrt(1 - phi * phi);
        const double between = 9 * (2 * 6 / 8.0) / 7; /* variance of 8 means, two of them at 3 */
        assert_near(cau_scale_reduction(x[0], CHAINS, SAMPLES), sqrt(1 + between), 0.1);
    }
}

/* ---- chains ------------------------------------------------------------------------------ */

enum { N = 30, V = 4 };

static void make_rows(double *x)
{
    cau_rng rng;
    cau_rng_init(&rng, 2);
    for (size_t i = 0; i < N * V; i++)
        x[i] = floor(cau_rng_real(&rng) * 3) + 4 * (i / V % 2 == i % 2);
}

static const cau_dp_options options = {.likelihood = CAU_MULTINOMIAL,
                                       .start = {.alpha = 1, .beta = 1},
                                       .alpha_shape = 1,
                                       .alpha_rate = 1,
                                       .split_merge = 1,
                                       .restricted = 2};

static void threads_change_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double x[N * V];
    make_rows(x);
    const cau_points points = {.N = N, .V = V, .dense = x};
    cau_partitions first = {0};
    cau_diagnosis told = {0};
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        const cau_chains_options how = {
            .chains = 5, .burn_in = 13, .samples = 6, .lag = 3, .seed = 9, .threads = threads};
        cau_chains *chains = NULL;
        cau_partitions drawn = {0}, more = {0};
        assert_ok(ctx, cau_chains_new(ctx, &points, &options, &how, NULL, &chains));
        assert_true(isnan(cau_chains_diagnose(chains).rhat_joint));
        assert_ok(ctx, cau_chains_draw(ctx, chains, NULL, false, 0, &drawn));
        assert_int_equal(drawn.N, N);
        assert_int_equal(drawn.S, 30);
        for (size_t s = 0; s < drawn.S; s++) { /* numbered in the order of first items */
            uint32_t K = 0;
            for (size_t i = 0; i < N; i++) {
                assert_true(drawn.z[s * N + i] <= K);
                K += drawn.z[s * N + i] == K;
            }
        }
        const cau_diagnosis d = cau_chains_diagnose(chains);
        double clusters = 0;
        for (size_t s = 0; s < drawn.S; s++) {
            uint32_t most = 0;
            for (size_t i = 0; i < N; i++)
                if (drawn.z[s * N + i] > most) most = drawn.z[s * N + i];
            clusters += (most + 1.0) / 30;
        }
        assert_near(d.clusters, clusters, 1e-12);
        assert_true(d.alpha > 0 && d.parameters.beta > 0 && d.joint < 0 && d.ess_joint > 0);
        assert_ok(ctx, cau_chains_draw(ctx, chains, NULL, true, 0, &more)); /* other seeds */
        assert_memory_not_equal(more.z, drawn.z, drawn.S * N * sizeof *drawn.z);
        if (!first.z) {
            first = drawn;
            told = d;
        } else {
            assert_memory_equal(first.z, drawn.z, drawn.S * N * sizeof *drawn.z);
            assert_true(told.joint == d.joint && told.alpha == d.alpha &&
                        told.rhat_joint == d.rhat_joint && told.ess_clusters == d.ess_clusters);
            free(drawn.z);
        }
        free(more.z);
        cau_chains_free(chains);
    }
    free(first.z);
    caucus_ctx_free(ctx);
}

/* Several chains together draw from the posterior, like one chain. */
static void all_chains_draw_from_the_posterior(void **state)
{
    (void)state;
    enum { FEW = 5 };
    caucus_ctx *ctx = test_ctx();
    double x[N * V];
    make_rows(x);
    const cau_points points = {.N = FEW, .V = V, .dense = x};
    cau_dp_options fixed = options;
    fixed.fixed_alpha = fixed.fixed_base = true;
    const cau_chains_options how = {
        .chains = 4, .burn_in = 5, .samples = 15000, .lag = 2, .seed = 1, .threads = 2};
    const small_link link = {0, 1, 'c', 0};
    link_room room;
    const cau_constraints links = make_links(FEW, NULL, &link, 1, &room);
    cau_chains *chains = NULL;
    assert_ok(ctx, cau_chains_new(ctx, &points, &fixed, &how, NULL, &chains));
    for (int round = 0; round < 2; round++) { /* first without links, then continued under a link */
        cau_partitions drawn = {0};
        const cau_constraints *under = round ? &links : NULL;
        all_partitions *all = enumerate(&points, CAU_MULTINOMIAL, &fixed.start, under);
        double visits[EXACT_BELL] = {0}, sum = 0;
        assert_ok(ctx, cau_chains_draw(ctx, chains, under, false, 5, &drawn));
        for (size_t s = 0; s < drawn.S; s++)
            visits[all->at[partition_code(FEW, drawn.z + s * FEW)]]++;
        for (size_t c = 0; c < all->count; c++)
            sum += fabs(visits[c] / (double)drawn.S - all->p[c]) / 2;
        assert_near(sum, 0, 0.02);
        assert_true(cau_chains_diagnose(chains).agree);
        free(drawn.z);
        free(all);
    }
    cau_chains_free(chains);
    caucus_ctx_free(ctx);
}

/* ---- progress and stopping --------------------------------------------------------------- */

typedef struct {
    size_t calls, stop_at, last, all;
} chains_watch;

static bool look(void *user, const caucus_progress *progress)
{
    chains_watch *w = user;
    assert_string_equal(progress->solver, "gibbs");
    assert_true(progress->iteration > w->last && isfinite(progress->objective));
    w->last = progress->iteration;
    w->all = progress->passes;
    return ++w->calls != w->stop_at;
}

static void the_caller_hears_and_may_stop(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double x[N * V];
    make_rows(x);
    const cau_points points = {.N = N, .V = V, .dense = x};
    const cau_chains_options how = {
        .chains = 2, .burn_in = 25, .samples = 4, .lag = 5, .seed = 1, .threads = 1};
    cau_chains *chains = NULL;
    cau_partitions drawn = {0};
    chains_watch w = {0};
    caucus_on_progress(ctx, look, &w);
    assert_ok(ctx, cau_chains_new(ctx, &points, &options, &how, NULL, &chains));
    assert_ok(ctx, cau_chains_draw(ctx, chains, NULL, false, 0, &drawn));
    free(drawn.z);
    drawn.z = NULL;
    assert_int_equal(w.calls, 3 + 4);
    assert_int_equal(w.last, 90);
    assert_int_equal(w.all, 90);
    w = (chains_watch){.stop_at = 2};
    assert_fails(ctx, cau_chains_draw(ctx, chains, NULL, false, 0, &drawn), CAUCUS_ERR_STOPPED,
                 "stopped");
    assert_null(drawn.z);
    assert_int_equal(w.last, 20);
    assert_true(isnan(cau_chains_diagnose(chains).joint));
    cau_chains_free(chains);

    const cau_chains_options none = {.chains = 0, .samples = 1};
    assert_fails(ctx, cau_chains_new(ctx, &points, &options, &none, NULL, &chains),
                 CAUCUS_ERR_ARGUMENT, "at least one");
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_points *points;
    const cau_constraints *links;
} chains_whole_life;

static caucus_status live(void *self)
{
    const chains_whole_life *life = self;
    const cau_chains_options how = {
        .chains = 2, .burn_in = 1, .samples = 4, .lag = 1, .seed = 1, .threads = 1};
    cau_chains *chains = NULL;
    cau_partitions drawn[3] = {{0}, {0}, {0}};
    caucus_status st = cau_chains_new(life->ctx, life->points, &options, &how, NULL, &chains);
    if (!st) st = cau_chains_draw(life->ctx, chains, NULL, false, 0, &drawn[0]);
    if (!st) st = cau_chains_draw(life->ctx, chains, life->links, false, 1, &drawn[1]);
    if (!st) st = cau_chains_draw(life->ctx, chains, NULL, true, 1, &drawn[2]);
    for (size_t i = 0; i < 3; i++) {
        for (size_t s = 0; i > 0 && drawn[i].z && s < drawn[i].S; s++) /* afresh, links stay */
            assert_int_not_equal(drawn[i].z[s * 5], drawn[i].z[s * 5 + 1]);
        free(drawn[i].z);
    }
    cau_chains_free(chains);
    return st;
}

static void failures_of_memory_are_survived(void **state)
{
    (void)state;
    double x[N * V];
    link_room room;
    const small_link link = {0, 1, 'c', 0};
    const cau_constraints links = make_links(5, NULL, &link, 1, &room);
    make_rows(x);
    const cau_points points = {.N = 5, .V = V, .dense = x};
    chains_whole_life life = {test_ctx(), &points, &links};
    assert_true(test_every_allocation(live, &life) > 50);
    caucus_ctx_free(life.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_series_have_known_values),
        cmocka_unit_test(too_little_is_not_a_number),
        cmocka_unit_test(correlated_samples_are_worth_less),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(all_chains_draw_from_the_posterior),
        cmocka_unit_test(the_caller_hears_and_may_stop),
        cmocka_unit_test(failures_of_memory_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
