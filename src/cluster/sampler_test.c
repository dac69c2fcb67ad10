/* sampler_test.c - chains against all partitions of a few items, and what must hold of any. */

#include "support.h"

#include "cluster/exact.h"
#include "cluster/state.h"

/* ---- small problems -------------------------------------------------------------------- */

enum { N = 6, V = 3 };

/* Two kinds of items that are not too easy to tell. */
static float counts[] = {2, 1, 3, 1, 1, 2, 1, 3, 1, 2, 1, 2};
static uint32_t columns[] = {0, 1, 0, 2, 0, 1, 1, 2, 1, 2, 2, 0};
static size_t starts[] = {0, 2, 4, 6, 8, 10, 12};
static cau_csr small = {
    .rows = N, .columns = V, .start = starts, .column = columns, .value = counts};
static const double rows[N][V] = {{0.1, 1.2, 3},  {0.3, 0.8, 2.5}, {0.2, 1, 2},
                                  {1.4, -0.5, 1}, {1.2, 0.1, 0.7}, {0.8, 0.4, 1.5}};
static const double mu0[V] = {0.5, 0.3, 1.5}, b0[V] = {0.4, 0.5, 0.8};

static const cau_dp_parameters parameters = {
    .alpha = 0.8, .beta = 0.7, .k0 = 0.5, .a0 = 1.5, .mu0 = mu0, .b0 = b0, .b0_scale = 0.8};

static const cau_points sparse_points = {.N = N, .V = V, .sparse = &small};
static const cau_points dense_points = {.N = N, .V = V, .dense = rows[0]};

static cau_dp_options options_of(int likelihood)
{
    return (cau_dp_options){.likelihood = likelihood,
                            .start = parameters,
                            .fixed_alpha = true,
                            .fixed_base = true,
                            .alpha_shape = 1,
                            .alpha_rate = 1,
                            .restricted = 2};
}

/* The total variation between the visits of a chain and the exact posterior. */
static double distance(const cau_points *points, const cau_dp_options *options,
                       const cau_constraints *links, size_t sweeps, uint64_t seed)
{
    caucus_ctx *ctx = test_ctx();
    cau_chain_state *state = NULL;
    all_partitions *all = enumerate(points, options->likelihood, &options->start, links);
    double *visits = calloc(all->count, sizeof *visits), sum = 0;
    assert_ok(ctx, cau_sampler_new(ctx, points, options, links, seed, &state));
    for (size_t s = 0; s < sweeps; s++) {
        uint32_t z[EXACT_MOST];
        assert_ok(ctx, cau_sampler_sweep(state));
        cau_sampler_partition(state, z);
        const uint32_t at = all->at[partition_code(points->N, z)];
        assert_true(all->p[at] > 0);
        visits[at]++;
        if (s % 100 == 0)
            assert_near(cau_sampler_log_joint(state),
                        exact_joint(points, options->likelihood, &options->start, links, z), 1e-9);
    }
    for (size_t c = 0; c < all->count; c++) sum += fabs(visits[c] / (double)sweeps - all->p[c]);
    cau_sampler_free(state);
    caucus_ctx_free(ctx);
    free(visits);
    free(all);
    return sum / 2;
}

static const uint32_t some_groups[N] = {0, 1, 2, 1, 3, 4}; /* items 1 and 3 must be together */
static const small_link some_links[] = {{0, 1, 'c', 0}, {4, 5, 'c', 0}};
static const small_link soft_links[] = {
    {0, 3, 's', 1.5}, {1, 2, 's', -2}, {2, 5, 's', 0.7}, {1, 3, 's', 3}};
static const small_link mixed_links[] = {
    {0, 1, 'c', 0}, {0, 3, 's', 1}, {3, 4, 's', 1.2}, {1, 2, 's', -1}, {2, 5, 's', 0.7}};

static void visits_match(const cau_points *points, int likelihood, size_t split_merge)
{
    link_room room;
    cau_constraints links;
    cau_dp_options options = options_of(likelihood);
    options.split_merge = split_merge;
    const size_t sweeps = 150000;
    assert_near(distance(points, &options, NULL, sweeps, 1), 0, 0.02);
    links = make_links(N, some_groups, some_links, 2, &room);
    assert_near(distance(points, &options, &links, sweeps, 2), 0, 0.02);
    links = make_links(N, NULL, soft_links, 4, &room);
    assert_near(distance(points, &options, &links, sweeps, 3), 0, 0.02);
    links = make_links(N, some_groups, mixed_links, 5, &room);
    assert_near(distance(points, &options, &links, sweeps, 4), 0, 0.02);
}

static void counts_are_sampled_from_the_posterior(void **state)
{
    (void)state;
    visits_match(&sparse_points, CAU_MULTINOMIAL, 0);
}

static void values_are_sampled_from_the_posterior(void **state)
{
    (void)state;
    visits_match(&dense_points, CAU_GAUSSIAN, 0);
}

static void splits_and_merges_keep_the_posterior(void **state)
{
    (void)state;
    visits_match(&sparse_points, CAU_MULTINOMIAL, 2);
    visits_match(&dense_points, CAU_GAUSSIAN, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_sampled_from_the_posterior),
        cmocka_unit_test(values_are_sampled_from_the_posterior),
        cmocka_unit_test(splits_and_merges_keep_the_posterior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
