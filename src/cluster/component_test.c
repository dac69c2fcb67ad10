/* component_test.c - statistics of clusters compared with the formulas. */

#include "support/support.h"

#include "cluster/log_rising_factorial.h"
#include "cluster/state.h"
#include "support/exact_partitions.h"

/* ---- rising factorials ------------------------------------------------------------------ */

static void rises_are_differences_of_log_gammas(void **state)
{
    (void)state;
    static const double as[] = {1e-6, 0.01, 0.5, 1, 3.7, 7.9, 8, 50.5, 1e4, 1e7, 1e12};
    static const double xs[] = {0, 1, 2, 3, 16, 17, 0.25, 1.5, 100, 1234.5, 1e6};
    for (size_t i = 0; i < sizeof as / sizeof *as; i++)
        for (size_t j = 0; j < sizeof xs / sizeof *xs; j++) {
            const long double a = as[i], b = a + (long double)xs[j];
            const double want = (double)(lgammal(b) - lgammal(a));
            assert_near(cau_log_rise(as[i], xs[j]), want,
                        1e-13 * (1 + fabs(want)) + 1e-18 * (double)fabsl(lgammal(b)));
        }
}

/* ---- reference values -------------------------------------------------------------------- */

/* With items 0 .. N-2 in one cluster, the weight of the last item in this cluster and in a new one.
 */
static void weigh_last(const cau_points *points, const cau_dp_options *options, double out[2])
{
    caucus_ctx *ctx = test_ctx();
    cau_chain_state *s = NULL;
    uint32_t z[8] = {0};
    cau_rng rng;
    cau_rng_init(&rng, 1);
    z[points->N - 1] = 1;
    assert_ok(ctx, cau_sampler_resume(ctx, points, options, NULL, &options->start, &rng, z, &s));
    const size_t last = points->N - 1;
    cau_components_weigh(&s->clusters, last, s->z[last], s->clusters.weight);
    out[0] = s->clusters.weight[s->z[0]];
    out[1] = s->clusters.weight[s->z[last]];
    assert_near(cau_components_weigh_one(&s->clusters, last, s->z[0]), out[0], 1e-12);
    cau_sampler_free(s);
    caucus_ctx_free(ctx);
}

static void the_oracles_hold(void **state)
{
    (void)state;
    double got[2];
    const double counts[3][3] = {{1, 1, 2}, {2, 0, 0}, {2, 0, 1}};
    cau_points points = {.N = 3, .V = 3, .dense = counts[0]};
    cau_dp_options options = {.likelihood = CAU_MULTINOMIAL,
                              .start = {.alpha = 1, .beta = 0.5},
                              .fixed_alpha = true,
                              .fixed_base = true};
    weigh_last(&points, &options, got);
    assert_near(got[0], -2.733130, 1e-6);
    assert_near(got[1], -3.555348, 1e-6);

    const double values[4] = {1, 1.5, 0.5, 2}, zero = 0, one = 1;
    points = (cau_points){.N = 4, .V = 1, .dense = values};
    options.likelihood = CAU_GAUSSIAN;
    options.start = (cau_dp_parameters){
        .alpha = 1, .k0 = 0.1, .a0 = 1, .mu0 = &zero, .b0 = &one, .b0_scale = 1};
    weigh_last(&points, &options, got);
    assert_near(got[0], -1.591496, 1e-6);
    assert_near(got[1], student(2, 2, 0, 1.1 / 0.1), 1e-12);
}

/* ---- random data ------------------------------------------------------------------------- */

enum { N = 60, V = 11 };

typedef enum { WHOLE, FRACTIONS, VALUES } kind;

/* Counts with zeros and few distinct values; or real numbers. */
static void make_rows(kind of, uint64_t seed, double *x)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t i = 0; i < N * V; i++) {
        const double u = cau_rng_real(&rng), centre = (double)(i / V % 3);
        x[i] = of == VALUES ? centre * 3 + cau_rng_normal(&rng) : floor(u * u * 5);
        if (of == FRACTIONS && i % V < 4) x[i] *= 0.1 + cau_rng_real(&rng);
    }
}

static cau_dp_options options_of(kind of)
{
    return (cau_dp_options){
        .likelihood = of == VALUES ? CAU_GAUSSIAN : CAU_MULTINOMIAL,
        .start = {.alpha = 2, .beta = 0.4, .k0 = 0.3, .a0 = 1.2, .b0_scale = 0.7},
        .fixed_alpha = true,
        .fixed_base = true,
        .split_merge = 3,
        .restricted = 2};
}

/* Groups of one to three neighbours. */
static cau_constraints groups_of_neighbours(uint32_t *group, size_t *start, uint32_t *member,
                                            const size_t *none)
{
    size_t G = 0;
    for (size_t i = 0; i < N;) {
        const size_t stop = i + 1 + G % 3 < N ? i + 1 + G % 3 : N;
        start[G] = i;
        for (; i < stop; i++) {
            group[i] = (uint32_t)G;
            member[i] = (uint32_t)i;
        }
        G++;
    }
    start[G] = N;
    return (cau_constraints){.N = N,
                             .G = G,
                             .group = group,
                             .start = start,
                             .member = member,
                             .forbid_start = none,
                             .soft_start = none};
}

/* log p(items of a group | items of lane k), item after item. */
static double weigh_by_chain(const cau_chain_state *s, const double *x, size_t g, uint32_t k)
{
    const cau_points points = {.N = N, .V = V, .dense = x};
    const cau_constraints *links = &s->units.links;
    const cau_dp_parameters p = cau_sampler_parameters(s);
    uint32_t z[N];
    double sum = 0;
    for (size_t i = 0; i < N; i++) z[i] = links->group[i] == g ? UINT32_MAX : s->z[links->group[i]];
    for (size_t m = links->start[g + 1];
         m-- > links->start[g];) { /* the order does not matter: backwards */
        const uint32_t i = links->member[m];
        sum += exact_predictive(&points, N, s->units.likelihood, &p, z, k, &points, i);
        z[i] = k;
    }
    return sum;
}

static void units_are_weighed_by_the_chain_rule(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    uint32_t group[N], member[N];
    size_t start[N + 1], none[N + 1] = {0};
    double x[N * V];
    for (kind of = WHOLE; of <= VALUES; of++) {
        make_rows(of, 5, x);
        const cau_points points = {.N = N, .V = V, .dense = x};
        const cau_dp_options options = options_of(of);
        const cau_constraints links = groups_of_neighbours(group, start, member, none);
        cau_chain_state *s = NULL;
        assert_ok(ctx, cau_sampler_new(ctx, &points, &options, &links, 3, &s));
        for (int sweep = 0; sweep < 3; sweep++) assert_ok(ctx, cau_sampler_sweep(s));
        for (size_t g = 0; g < links.G; g++) {
            cau_components_weigh(&s->clusters, g, s->z[g], s->clusters.weight);
            for (uint32_t k = 0; k < s->clusters.extent; k++)
                assert_near(s->clusters.weight[k], weigh_by_chain(s, x, g, k), 1e-9);
        }
        if (of == WHOLE) assert_true(s->units.whole && s->units.common.columns > V);
        if (of == FRACTIONS) assert_true(!s->units.whole && s->units.rare_start[links.G] > N);
        cau_sampler_free(s);
    }
    caucus_ctx_free(ctx);
}

/* Statistics updated over many moves equal those computed from scratch. */
static void statistics_do_not_drift(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double x[N * V];
    for (kind of = WHOLE; of <= VALUES; of++) {
        make_rows(of, 9, x);
        const cau_points points = {.N = N, .V = V, .dense = x};
        const cau_dp_options options = options_of(of);
        cau_chain_state *s = NULL;
        assert_ok(ctx, cau_sampler_new(ctx, &points, &options, NULL, 4, &s));
        assert_ok(ctx, cau_components_arrange(&s->clusters, &s->clusters.base, 40, s->z));
        cau_components *c = &s->clusters;
        for (int i = 0; i < 20000; i++) { /* moves between lanes without rearranging them */
            const size_t g = (size_t)cau_rng_below(&s->rng, N);
            const uint32_t k = (uint32_t)cau_rng_below(&s->rng, 20);
            cau_components_remove(c, g, s->z[g]);
            cau_components_add(c, g, k);
            s->z[g] = k;
        }
        cau_components fresh;
        cau_components_init(&fresh, &s->units, &c->base);
        uint32_t z[N];
        for (size_t g = 0; g < N; g++) z[g] = CAU_NO_LANE;
        assert_ok(ctx, cau_components_arrange(&fresh, &c->base, c->lanes, z));
        for (size_t g = 0; g < N; g++) cau_components_add(&fresh, g, s->z[g]);
        assert_int_equal(fresh.K, c->K);
        assert_int_equal(fresh.empty, c->empty);
        for (size_t k = 0; k < 20; k++) {
            assert_near(c->size[k], fresh.size[k], 0);
            assert_near(c->marginal[k], fresh.marginal[k], 1e-9);
        }
        for (size_t i = 0; of != VALUES && i < V * c->lanes; i++)
            assert_near(c->count[i], fresh.count[i], of == WHOLE ? 0 : 1e-9);
        for (size_t i = 0; of != VALUES && i < s->units.common.columns * c->lanes; i++)
            assert_near(c->row[i], fresh.row[i], 1e-9);
        for (size_t i = 0; of == VALUES && i < V * c->lanes; i++) {
            assert_near(c->sum[i], fresh.sum[i], 1e-9);
            assert_near(c->square[i], fresh.square[i], 1e-9);
        }
        cau_evidence evidence;
        double sum = 0;
        for (size_t k = 0; k < c->lanes; k++) sum += c->marginal[k];
        assert_ok(ctx, cau_evidence_init(c, &evidence));
        assert_near(cau_evidence_at(&evidence, &c->base), sum, 1e-8);
        cau_evidence_clear(&evidence);
        cau_components_clear(&fresh);
        cau_sampler_free(s);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rises_are_differences_of_log_gammas),
        cmocka_unit_test(the_oracles_hold),
        cmocka_unit_test(units_are_weighed_by_the_chain_rule),
        cmocka_unit_test(statistics_do_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
