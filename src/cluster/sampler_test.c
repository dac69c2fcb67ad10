/* sampler_test.c - visits of chains compared with the posterior of all partitions of a few items,
 * and properties of any chain. */

#include "support/support.h"

#include "cluster/state.h"
#include "support/exact_partitions.h"

/* ---- small problems -------------------------------------------------------------------- */

enum { N = 6, V = 3 };

/* Two kinds of items that are similar. */
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

static cau_dp_options options_of(cau_likelihood likelihood)
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
static const small_link mixed_links[] = {/* one of them within a group */
                                         {0, 1, 'c', 0},  {0, 3, 's', 1},   {3, 4, 's', 1.2},
                                         {1, 2, 's', -1}, {2, 5, 's', 0.7}, {1, 3, 's', -2}};

static void visits_match(const cau_points *points, cau_likelihood likelihood)
{
    link_room room;
    cau_constraints links;
    const cau_dp_options options = options_of(likelihood);
    const size_t sweeps = 200000;
    assert_near(distance(points, &options, NULL, sweeps, 1), 0, 0.02);
    links = make_links(N, some_groups, some_links, 2, &room);
    assert_near(distance(points, &options, &links, sweeps, 2), 0, 0.02);
    links = make_links(N, NULL, soft_links, 4, &room);
    assert_near(distance(points, &options, &links, sweeps, 3), 0, 0.02);
    links = make_links(N, some_groups, mixed_links, 6, &room);
    assert_near(distance(points, &options, &links, sweeps, 4), 0, 0.02);
}

static void counts_are_sampled_from_the_posterior(void **state)
{
    (void)state;
    visits_match(&sparse_points, CAU_MULTINOMIAL);
}

static void values_are_sampled_from_the_posterior(void **state)
{
    (void)state;
    visits_match(&dense_points, CAU_GAUSSIAN);
}

/* Fractional counts take another code path than common whole counts; binary data has no values. */
static void other_counts_are_sampled_from_the_posterior(void **state)
{
    (void)state;
    float fractions[12];
    for (size_t i = 0; i < 12; i++) fractions[i] = counts[i] * 0.7f + (float)i * 0.05f;
    cau_csr x = small;
    const cau_points points = {.N = N, .V = V, .sparse = &x};
    const cau_dp_options options = options_of(CAU_MULTINOMIAL);
    x.value = fractions;
    assert_near(distance(&points, &options, NULL, 200000, 5), 0, 0.02);
    x.value = NULL;
    assert_near(distance(&points, &options, NULL, 200000, 6), 0, 0.02);
}

/* Eight items have 4140 partitions, all of which are compared, none lumped. Of S independent
 * samples the distance is by chance about 0.4 sqrt(M / S), where M = (sum of sqrt p)^2 is how many
 * partitions matter. With two kinds of items, one item between them and a small alpha, M is below
 * 80 for counts and below 40 for values, so the distance is 0.011 for this number of sweeps. */
static void eight_items_are_sampled_from_the_posterior(void **state)
{
    (void)state;
    static const double x[8][2] = {{9, 1}, {8, 0}, {7, 2}, {1, 8}, {2, 9}, {0, 7}, {5, 4}, {9, 0}};
    static const uint32_t groups[8] = {0, 1, 2, 3, 4, 3, 5, 6}; /* 3 and 5 must be together */
    static const small_link apart[] = {{0, 3, 'c', 0}, {6, 7, 'c', 0}};
    static const small_link soft[] = {
        {0, 3, 's', 1.5}, {1, 2, 's', -2}, {5, 6, 's', 0.7}, {6, 7, 's', 1}};
    static const small_link mixed[] = {
        {6, 7, 'c', 0}, {2, 3, 's', 1.5}, {1, 2, 's', -2}, {5, 6, 's', 0.7}, {3, 5, 's', -1}};
    double twice[8][2]; /* counts are weaker evidence than real values of that size */
    for (size_t i = 0; i < 8; i++)
        for (size_t v = 0; v < 2; v++) twice[i][v] = 2 * x[i][v];
    const double middle[] = {4.5, 4.5}, wide[] = {2, 2};
    for (cau_likelihood likelihood = CAU_MULTINOMIAL; likelihood <= CAU_GAUSSIAN; likelihood++) {
        const cau_points points = {
            .N = 8, .V = 2, .dense = likelihood == CAU_MULTINOMIAL ? twice[0] : x[0]};
        cau_dp_options options = options_of(likelihood);
        link_room room[3];
        const cau_constraints hard_ones = make_links(8, groups, apart, 2, &room[0]);
        const cau_constraints soft_ones = make_links(8, NULL, soft, 4, &room[1]);
        const cau_constraints both = make_links(8, groups, mixed, 5, &room[2]);
        const cau_constraints *links[] = {NULL, &hard_ones, &soft_ones, &both};
        options.start.alpha = 0.3;
        options.start.mu0 = middle;
        options.start.b0 = wide;
        options.split_merge = 1;
        for (size_t i = 0; i < 4; i++)
            assert_near(distance(&points, &options, links[i], 100000, 9 + i), 0, 0.02);
    }
}

/* ---- without data ------------------------------------------------------------------------ */

static void the_prior_is_the_chinese_restaurant(void **state)
{
    (void)state;
    const cau_dp_options options = options_of(CAU_PRIOR_ONLY);
    const cau_points points = {.N = 5};
    assert_near(distance(&points, &options, NULL, 200000, 7), 0, 0.02);

    link_room room;
    const cau_constraints links = make_links(5, some_groups, some_links, 1, &room);
    assert_near(distance(&points, &options, &links, 200000, 8), 0, 0.02);
}

/* E[K] = sum_{i<N} alpha / (alpha + i) = 5.8978 for alpha = 1 and 204 items, with a standard
 * deviation of 2.1: of the mean of 3000 chains, 0.038. */
static void clusters_are_as_many_as_expected(void **state)
{
    (void)state;
    enum { CHAINS = 3000 };
    caucus_ctx *ctx = test_ctx();
    const cau_points points = {.N = 204};
    cau_dp_options options = options_of(CAU_PRIOR_ONLY);
    double at_first = 0, later = 0;
    options.start.alpha = 1;
    for (size_t i = 0; i < CHAINS; i++) {
        cau_chain_state *s = NULL;
        assert_ok(ctx, cau_sampler_new(ctx, &points, &options, NULL, i, &s));
        at_first += (double)cau_sampler_clusters(s) / CHAINS;
        for (int sweep = 0; sweep < 3; sweep++) assert_ok(ctx, cau_sampler_sweep(s));
        later += (double)cau_sampler_clusters(s) / CHAINS;
        cau_sampler_free(s);
    }
    assert_near(at_first, 5.8978, 0.15);
    assert_near(later, 5.8978, 0.15);
    caucus_ctx_free(ctx);
}

/* ---- concentration ----------------------------------------------------------------------- */

/* Integrals over alpha, prior Gamma(2, rate 1.5), of alpha^K / (alpha (alpha+1) .. (alpha+n-1)): 1,
 * alpha and alpha^2 times it. */
static void integrate_alpha(size_t n, size_t K, double out[3])
{
    enum { STEPS = 20000 };
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < STEPS; i++) {
        const double alpha = 40 * ((double)i + .5) / STEPS;
        double f = alpha * exp(-1.5 * alpha) * pow(alpha, (double)K);
        for (size_t j = 0; j < n; j++) f /= alpha + (double)j;
        for (size_t m = 0; m < 3; m++, f *= alpha) out[m] += f;
    }
}

/* Links are observations of the partition. So given a partition they say no more about alpha, and
 * the joint posterior of both is: the product of the prior of alpha, the prior of partitions given
 * alpha, and the probability of data and links given the partition. Compared by the visits of each
 * partition and the first two moments of alpha. */
static void check_alpha_under(const cau_constraints *links, uint64_t seed)
{
    enum { SWEEPS = 300000 };
    caucus_ctx *ctx = test_ctx();
    cau_chain_state *s = NULL;
    cau_dp_options options = options_of(CAU_MULTINOMIAL);
    options.fixed_alpha = false;
    options.alpha_shape = 2;
    options.alpha_rate = 1.5;
    options.start.alpha = 1; /* so that the enumeration has alpha^K = 1 */
    all_partitions *all = enumerate(&sparse_points, CAU_MULTINOMIAL, &options.start, links);
    double moment[3] = {0}, seen[3] = {0}, off = 0, *visits = calloc(all->count, sizeof *visits);
    for (size_t c = 0; c < all->count; c++) {
        double integral[3];
        uint32_t K = 0;
        for (size_t i = 0; i < N; i++) K = all->z[c][i] >= K ? all->z[c][i] + 1 : K;
        integrate_alpha(N, K, integral);
        for (size_t m = 0; m < 3; m++) moment[m] += all->p[c] * integral[m];
        all->p[c] *= integral[0];
    }
    assert_ok(ctx, cau_sampler_new(ctx, &sparse_points, &options, links, seed, &s));
    for (size_t i = 0; i < SWEEPS; i++) {
        uint32_t z[EXACT_MOST];
        assert_ok(ctx, cau_sampler_sweep(s));
        cau_sampler_partition(s, z);
        visits[all->at[partition_code(N, z)]]++;
        seen[1] += s->alpha / SWEEPS;
        seen[2] += s->alpha * s->alpha / SWEEPS;
    }
    for (size_t c = 0; c < all->count; c++)
        off += fabs(visits[c] / SWEEPS - all->p[c] / moment[0]) / 2;
    assert_near(off, 0, 0.02);
    assert_near(seen[1], moment[1] / moment[0], 0.01);
    assert_near(seen[2], moment[2] / moment[0], 0.04);
    cau_sampler_free(s);
    caucus_ctx_free(ctx);
    free(visits);
    free(all);
}

static void alpha_is_sampled_from_the_posterior_under_links(void **state)
{
    (void)state;
    link_room room;
    check_alpha_under(NULL, 1);
    static const uint32_t three[N] = {0, 0, 0, 1, 2, 3};
    cau_constraints links = make_links(N, three, NULL, 0, &room);
    check_alpha_under(&links, 2);
    static const small_link apart[] = {
        {0, 1, 'c', 0}, {0, 2, 'c', 0}, {1, 2, 'c', 0}, {3, 4, 'c', 0}};
    links = make_links(N, NULL, apart, 4, &room);
    check_alpha_under(&links, 3);
    links = make_links(N, some_groups, mixed_links, 6, &room);
    check_alpha_under(&links, 4);
}

/* ---- links ------------------------------------------------------------------------------- */

/* Links that a random partition obeys, more and more of them as `share` grows. */
static cau_constraints random_links(cau_rng *rng, double share, link_room *room)
{
    uint32_t truth[EXACT_MOST], groups[EXACT_MOST];
    small_link links[64];
    size_t count = 0;
    uint32_t G = 0;
    for (size_t i = 0; i < EXACT_MOST; i++) {
        truth[i] = (uint32_t)cau_rng_below(rng, 3);
        groups[i] = G;
        for (size_t j = 0; j < i; j++)
            if (truth[j] == truth[i] && cau_rng_real(rng) < share) groups[i] = groups[j];
        G += groups[i] == G;
    }
    for (uint32_t i = 0; i < EXACT_MOST; i++)
        for (uint32_t j = 0; j < i; j++)
            if (truth[j] != truth[i] && cau_rng_real(rng) < share)
                links[count++] = (small_link){i, j, 'c', 0};
    links[count++] = (small_link){0, 1, 's', 1};
    return make_links(EXACT_MOST, groups, links, count, room);
}

static void links_are_never_broken(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 21);
    double x[EXACT_MOST * 2];
    for (size_t i = 0; i < EXACT_MOST * 2; i++) x[i] = floor(cau_rng_real(&rng) * 4);
    const cau_points points = {.N = EXACT_MOST, .V = 2, .dense = x};
    for (cau_likelihood likelihood = CAU_MULTINOMIAL; likelihood <= CAU_PRIOR_ONLY; likelihood++) {
        cau_dp_options options = options_of(likelihood);
        options.start.mu0 = options.start.b0 = NULL;
        options.split_merge = 2;
        options.fixed_alpha = options.fixed_base = false;
        link_room room;
        cau_constraints links = random_links(&rng, 0, &room);
        cau_chain_state *s = NULL;
        assert_ok(ctx, cau_sampler_new(ctx, &points, &options, &links, 1, &s));
        for (int round = 0; round < 300; round++) {
            uint32_t z[EXACT_MOST];
            links = random_links(&rng, (round % 10) * 0.1, &room);
            assert_ok(ctx, cau_sampler_constrain(ctx, s, &links));
            for (int sweep = 0; sweep < 10; sweep++) {
                cau_dp_parameters p = cau_sampler_parameters(s);
                cau_sampler_partition(s, z);
                const double joint = exact_joint(&points, likelihood, &p, &links, z);
                assert_true(joint > -INFINITY);
                assert_near(cau_sampler_log_joint(s), joint, 1e-8);
                assert_ok(ctx, cau_sampler_sweep(s));
            }
        }
        cau_sampler_free(s);
    }
    caucus_ctx_free(ctx);
}

/* New links move no more than they must: the smaller part of a new group goes to the larger. */
static void new_links_change_little(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_chain_state *s = NULL;
    cau_rng rng;
    link_room room;
    const cau_dp_options options = options_of(CAU_MULTINOMIAL);
    const uint32_t before[N] = {0, 0, 1, 1, 1, 0}, groups[N] = {0, 1, 2, 0, 0, 3};
    const small_link apart[] = {{1, 5, 'c', 0}};
    uint32_t z[N];
    cau_rng_init(&rng, 1);
    assert_ok(ctx, cau_sampler_resume(ctx, &sparse_points, &options, NULL, &options.start, &rng,
                                      before, &s));
    cau_sampler_partition(s, z);
    assert_memory_equal(z, before, sizeof z);
    cau_constraints links = make_links(N, groups, apart, 1, &room);
    assert_ok(ctx, cau_sampler_constrain(ctx, s, &links));
    cau_sampler_partition(s, z); /* 0 joins 3 and 4, where 2 is; 1 stays; 5 cannot be with 1 */
    assert_true(z[0] == z[3] && z[0] == z[4] && z[0] == z[2] && z[1] != z[0] && z[5] != z[1]);
    cau_sampler_free(s);
    caucus_ctx_free(ctx);
}

/* ---- properties of any chain ------------------------------------------------------------- */

static void seeds_decide(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const cau_points points = {.N = 60};
    cau_dp_options options = options_of(CAU_PRIOR_ONLY);
    uint32_t z[3][60];
    options.fixed_alpha = false;
    for (size_t i = 0; i < 3; i++) {
        cau_chain_state *s = NULL;
        assert_ok(ctx, cau_sampler_new(ctx, &points, &options, NULL, i < 2 ? 5 : 6, &s));
        for (int sweep = 0; sweep < 5; sweep++) assert_ok(ctx, cau_sampler_sweep(s));
        cau_sampler_partition(s, z[i]);
        cau_sampler_free(s);
    }
    assert_memory_equal(z[0], z[1], sizeof z[0]);
    assert_memory_not_equal(z[0], z[2], sizeof z[0]);
    caucus_ctx_free(ctx);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_chain_state *s = NULL;
    cau_dp_options options = options_of(CAU_MULTINOMIAL);
    const double bad[] = {1, -1}, worse[] = {1, NAN};
    cau_points points = {.N = 0, .V = 1, .dense = bad};
    assert_fails(ctx, cau_sampler_new(ctx, &points, &options, NULL, 1, &s), CAUCUS_ERR_ARGUMENT,
                 "0 items");
    points.N = 2;
    assert_fails(ctx, cau_sampler_new(ctx, &points, &options, NULL, 1, &s), CAUCUS_ERR_ARGUMENT,
                 "item 2 has -1 for feature 1");
    points.dense = worse;
    options.likelihood = CAU_GAUSSIAN;
    assert_fails(ctx, cau_sampler_new(ctx, &points, &options, NULL, 1, &s), CAUCUS_ERR_ARGUMENT,
                 "item 2 has");
    options.start.a0 = 0;
    assert_fails(ctx, cau_sampler_new(ctx, &points, &options, NULL, 1, &s), CAUCUS_ERR_ARGUMENT,
                 "a0 is 0; give a positive number");
    options = options_of(CAU_GAUSSIAN);
    const double none = 0;
    points = (cau_points){.N = 1, .V = 1, .dense = bad};
    options.start.b0 = &none;
    assert_fails(ctx, cau_sampler_new(ctx, &points, &options, NULL, 1, &s), CAUCUS_ERR_ARGUMENT,
                 "b0 positive");
    assert_null(s);
    caucus_ctx_free(ctx);
}

/* Items without features, features without variance, one item, numbers near the limits. */
static void strange_data_is_sampled(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const double rows_of[][6] = {
        {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}, {1e59, 0, 1e-59, 1, 1e59, 3}, {0, 7, 0, 7, 0, 7}};
    for (size_t d = 0; d < sizeof rows_of / sizeof *rows_of; d++)
        for (cau_likelihood likelihood = CAU_MULTINOMIAL; likelihood <= CAU_PRIOR_ONLY;
             likelihood++)
            for (size_t v = 1; v <= 6; v += v == 1 ? 1 : 4) {
                const cau_points points = {.N = 6 / v, .V = v, .dense = rows_of[d]};
                cau_dp_options options = options_of(likelihood);
                cau_chain_state *s = NULL;
                uint32_t z[6];
                options.start.mu0 = options.start.b0 = NULL;
                options.fixed_alpha = options.fixed_base = false;
                options.alpha_shape = options.alpha_rate = 1e-4;
                options.split_merge = 1;
                assert_ok(ctx, cau_sampler_new(ctx, &points, &options, NULL, d, &s));
                for (int sweep = 0; sweep < 50; sweep++) assert_ok(ctx, cau_sampler_sweep(s));
                cau_sampler_partition(s, z);
                assert_true(cau_sampler_clusters(s) >= 1 && cau_sampler_clusters(s) <= 6 / v);
                assert_true(cau_sampler_parameters(s).alpha > 0);
                cau_sampler_free(s);
            }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_points *points;
    cau_dp_options options;
    const cau_constraints *links, *later;
} sampler_whole_life;

static caucus_status live(void *self)
{
    sampler_whole_life *life = self;
    cau_chain_state *s = NULL;
    caucus_status st = cau_sampler_new(life->ctx, life->points, &life->options, life->links, 1, &s);
    for (int sweep = 0; sweep < 3 && !st; sweep++) st = cau_sampler_sweep(s);
    if (!st) st = cau_sampler_constrain(life->ctx, s, life->later);
    if (s) { /* also after a failure, all items have a cluster and the chain can continue */
        double seated = 0;
        for (size_t k = 0; k < s->clusters.lanes; k++) seated += s->clusters.size[k];
        assert_near(seated, (double)life->points->N, 0);
        const caucus_status after = cau_sampler_sweep(s);
        if (!st) st = after;
    }
    cau_sampler_free(s);
    return st;
}

static void failures_of_memory_leave_a_legal_state(void **state)
{
    (void)state;
    link_room room, later_room;
    const cau_constraints links = make_links(N, some_groups, mixed_links, 6, &room);
    const cau_constraints later = make_links(N, NULL, soft_links, 4, &later_room);
    sampler_whole_life life = {.ctx = test_ctx(), .links = &links, .later = &later};
    for (cau_likelihood likelihood = CAU_MULTINOMIAL; likelihood <= CAU_GAUSSIAN; likelihood++) {
        life.points = likelihood == CAU_GAUSSIAN ? &dense_points : &sparse_points;
        life.options = options_of(likelihood);
        life.options.fixed_base = life.options.fixed_alpha = false;
        life.options.split_merge = 1;
        assert_true(test_every_allocation(live, &life) > 20);
    }
    const cau_points many = {.N = 64}; /* in many clusters, so that lanes run out */
    life.points = &many;
    life.options = options_of(CAU_PRIOR_ONLY);
    life.options.start.alpha = 50;
    life.options.split_merge = 20;
    life.links = life.later = NULL;
    assert_true(test_every_allocation(live, &life) > 20);
    caucus_ctx_free(life.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_sampled_from_the_posterior),
        cmocka_unit_test(values_are_sampled_from_the_posterior),
        cmocka_unit_test(other_counts_are_sampled_from_the_posterior),
        cmocka_unit_test(eight_items_are_sampled_from_the_posterior),
        cmocka_unit_test(the_prior_is_the_chinese_restaurant),
        cmocka_unit_test(alpha_is_sampled_from_the_posterior_under_links),
        cmocka_unit_test(clusters_are_as_many_as_expected),
        cmocka_unit_test(links_are_never_broken),
        cmocka_unit_test(new_links_change_little),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(strange_data_is_sampled),
        cmocka_unit_test(failures_of_memory_leave_a_legal_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
