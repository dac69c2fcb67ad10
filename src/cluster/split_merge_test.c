/* split_merge_test.c - splits and merges alone visit all partitions with their probabilities. */

#include "support/support.h"

#include "cluster/state.h"
#include "support/exact_partitions.h"

enum { N = 6, V = 2 };

static const double counts[N][V] = {{3, 1}, {2, 0}, {1, 1}, {0, 2}, {1, 3}, {2, 2}};
static const double values[N][V] = {{1, 0.2},  {1.3, 0},    {0.4, 0.5},
                                    {-0.5, 1}, {-0.2, 1.4}, {0.5, 1}};
static const double mu0[V] = {0.3, 0.6}, b0[V] = {0.5, 0.4};

/* The total variation from the exact posterior of a chain that makes no other moves. */
static double distance(cau_likelihood likelihood, const cau_constraints *links, size_t scans,
                       size_t moves, uint64_t seed)
{
    caucus_ctx *ctx = test_ctx();
    cau_chain_state *s = NULL;
    const cau_points points = {
        .N = N, .V = V, .dense = likelihood == CAU_GAUSSIAN ? values[0] : counts[0]};
    const cau_dp_options options = {
        .likelihood = likelihood,
        .start =
            {.alpha = 1.3, .beta = 0.8, .k0 = 0.4, .a0 = 1.5, .mu0 = mu0, .b0 = b0, .b0_scale = 1},
        .fixed_alpha = true,
        .fixed_base = true,
        .restricted = scans};
    all_partitions *all = enumerate(&points, likelihood, &options.start, links);
    double *visits = calloc(all->count, sizeof *visits), sum = 0;
    assert_ok(ctx, cau_sampler_new(ctx, &points, &options, links, seed, &s));
    for (size_t i = 0; i < moves; i++) {
        uint32_t z[EXACT_MOST];
        assert_ok(ctx, cau_sampler_split_merge(s));
        cau_sampler_partition(s, z);
        const uint32_t at = all->at[partition_code(N, z)];
        assert_true(all->p[at] > 0);
        visits[at]++;
        if (i % 1000 == 0)
            assert_near(cau_sampler_log_joint(s),
                        exact_joint(&points, likelihood, &options.start, links, z), 1e-9);
    }
    for (size_t g = 0; g < s->units.G; g++) assert_int_equal(s->side[g], 0);
    for (size_t c = 0; c < all->count; c++) sum += fabs(visits[c] / (double)moves - all->p[c]);
    cau_sampler_free(s);
    caucus_ctx_free(ctx);
    free(visits);
    free(all);
    return sum / 2;
}

static void moves_alone_keep_the_posterior(void **state)
{
    (void)state;
    for (cau_likelihood likelihood = CAU_MULTINOMIAL; likelihood <= CAU_PRIOR_ONLY; likelihood++)
        assert_near(distance(likelihood, NULL, 1, 300000, 1), 0, 0.02);
    assert_near(distance(CAU_MULTINOMIAL, NULL, 0, 300000, 2), 0, 0.02); /* no intermediate scans */
    assert_near(distance(CAU_GAUSSIAN, NULL, 3, 300000, 3), 0, 0.02);
}

static void moves_obey_links(void **state)
{
    (void)state;
    link_room room;
    static const uint32_t groups[N] = {0, 1, 2, 1, 3, 4};
    static const small_link links[] = {{0, 1, 'c', 0},   {4, 5, 's', 1.4}, {3, 2, 's', -1.1},
                                       {0, 5, 's', 0.8}, {1, 3, 's', 2},   {2, 4, 's', 1}};
    for (cau_likelihood likelihood = CAU_MULTINOMIAL; likelihood <= CAU_GAUSSIAN; likelihood++) {
        cau_constraints c = make_links(N, groups, links, 6, &room);
        assert_near(distance(likelihood, &c, 2, 300000, 4), 0, 0.02);
        c = make_links(N, NULL, links + 1, 5, &room);
        assert_near(distance(likelihood, &c, 2, 300000, 5), 0, 0.02);
    }
}

/* Items of one kind in two random clusters. In many dimensions each single move to the other
 * cluster is improbable, so sweeps alone take long to empty one of them; a merge does it in one
 * step. Returns the number of clusters after some sweeps with this number of moves in each. */
static size_t clusters_after(size_t sweeps, size_t moves)
{
    enum { ITEMS = 300, WIDE = 30 };
    caucus_ctx *ctx = test_ctx();
    static double x[ITEMS * WIDE], zeros[WIDE], ones[WIDE];
    uint32_t z[ITEMS];
    cau_rng rng;
    cau_rng_init(&rng, 8);
    for (size_t v = 0; v < WIDE; v++) ones[v] = 1;
    for (size_t i = 0; i < ITEMS * WIDE; i++) x[i] = cau_rng_normal(&rng);
    for (size_t i = 0; i < ITEMS; i++) z[i] = (uint32_t)(i % 2);
    const cau_points points = {.N = ITEMS, .V = WIDE, .dense = x};
    const cau_dp_options options = {
        .likelihood = CAU_GAUSSIAN,
        .start = {.alpha = 1, .k0 = 0.1, .a0 = 2, .mu0 = zeros, .b0 = ones, .b0_scale = 1},
        .fixed_alpha = true,
        .fixed_base = true,
        .split_merge = moves,
        .restricted = 3};
    cau_chain_state *s = NULL;
    assert_ok(ctx, cau_sampler_resume(ctx, &points, &options, NULL, &options.start, &rng, z, &s));
    for (size_t i = 0; i < sweeps; i++) assert_ok(ctx, cau_sampler_sweep(s));
    const size_t K = cau_sampler_clusters(s);
    cau_sampler_free(s);
    caucus_ctx_free(ctx);
    return K;
}

static void a_merge_is_quicker_than_sweeps(void **state)
{
    (void)state;
    assert_int_equal(clusters_after(5, 0), 2);
    assert_int_equal(clusters_after(5, 5), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_alone_keep_the_posterior),
        cmocka_unit_test(moves_obey_links),
        cmocka_unit_test(a_merge_is_quicker_than_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
