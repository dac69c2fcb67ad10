/* kmeans_test.c - k-means under links against all assignments of a few items. */

#include "cluster/kmeans.h"

#include "support/exact_partitions.h"
#include "support/support.h"

enum { N = 7, V = 2, K = 3, PROBLEMS = 60 };

/* A small problem with random links that some assignment to K clusters keeps. */
typedef struct {
    double x[N][V];
    link_room room;
    cau_constraints links;
    cau_points points;
} small_problem;

static void make_problem(cau_rng *rng, double share, small_problem *p)
{
    uint32_t truth[N], groups[N], G = 0;
    small_link links[64];
    size_t count = 0;
    for (size_t i = 0; i < N; i++) {
        truth[i] = (uint32_t)cau_rng_below(rng, K);
        for (size_t v = 0; v < V; v++)
            p->x[i][v] = 2 * (double)(truth[i] == v) + cau_rng_normal(rng);
        groups[i] = G;
        for (size_t j = 0; j < i; j++)
            if (truth[j] == truth[i] && cau_rng_real(rng) < share) groups[i] = groups[j];
        G += groups[i] == G;
    }
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < i; j++) {
            bool cannot = false; /* of each pair of groups, one cannot-link is enough */
            for (size_t l = 0; l < count; l++) {
                const uint32_t a = groups[links[l].a], b = groups[links[l].b];
                if (links[l].kind != 'c') continue;
                cannot |= (a == groups[i] && b == groups[j]) || (a == groups[j] && b == groups[i]);
            }
            const double u = cau_rng_real(rng);
            if (truth[j] != truth[i] && u < share && !cannot)
                links[count++] = (small_link){i, j, 'c', 0};
            else if (groups[i] != groups[j] && u > 1 - share / 4)
                links[count++] = (small_link){i, j, 's', cau_rng_normal(rng)};
        }
    p->links = make_links(N, groups, links, count, &p->room);
    p->points = (cau_points){.N = N, .V = V, .dense = p->x[0]};
}

static bool are_forbidden(const cau_constraints *c, uint32_t g, uint32_t h)
{
    for (size_t f = c->forbid_start[g]; f < c->forbid_start[g + 1]; f++)
        if (c->forbid[f] == h) return true;
    return false;
}

/* What violated links cost, pair by pair, and whether a hard one is among them. */
static double violations(const small_problem *p, const uint32_t *z, bool *hard)
{
    const cau_constraints *c = &p->links;
    double sum = 0;
    *hard = false;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < i; j++) {
            const uint32_t g = c->group[i], h = c->group[j];
            if (g == h ? z[i] != z[j] : are_forbidden(c, g, h) && z[i] == z[j]) {
                sum++;
                *hard = true;
            }
            for (size_t s = c->soft_start[i]; s < c->soft_start[i + 1]; s++)
                if (c->soft_item[s] == j && (z[i] == z[j]) != (c->soft_log_odds[s] > 0))
                    sum += fabs(c->soft_log_odds[s]);
        }
    return sum;
}

/* Squared distances from the means of the clusters: pairs of a cluster of n, divided by n. */
static double within(const small_problem *p, const uint32_t *z)
{
    double sum = 0, n[N] = {0};
    for (size_t i = 0; i < N; i++) n[z[i]]++;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t v = 0; z[i] == z[j] && v < V; v++)
                sum += (p->x[i][v] - p->x[j][v]) * (p->x[i][v] - p->x[j][v]) / n[z[i]];
    return sum;
}

/* w of a penalty of 1. */
static double deviation(const small_problem *p)
{
    static const uint32_t one[N] = {0};
    return within(p, one) / N;
}

/* The objective of an assignment; INFINITY if COP-KMeans must not have it. */
static double objective_of(const small_problem *p, bool soft, double penalty, const uint32_t *z)
{
    bool hard;
    const double cost = violations(p, z, &hard);
    if (soft) return within(p, z) + penalty * deviation(p) * cost;
    return hard ? INFINITY : within(p, z);
}

static double best_of_all(const small_problem *p, bool soft, double penalty)
{
    double best = INFINITY;
    for (size_t code = 0; code < 2187; code++) { /* 3^7 */
        uint32_t z[N];
        for (size_t i = 0, rest = code; i < N; i++, rest /= K) z[i] = (uint32_t)(rest % K);
        best = fmin(best, objective_of(p, soft, penalty, z));
    }
    return best;
}

static cau_kmeans_options options_of(bool soft, size_t starts)
{
    return (cau_kmeans_options){.soft = soft,
                                .K = K,
                                .penalty = .3,
                                .starts = starts,
                                .iterations = 100,
                                .seed = 5,
                                .threads = 1};
}

/* The objective is that of the clusters, and no assignment has a lower one. The best of many starts
 * has the lowest, with PCKMeans in most problems: it moves items one at a time, so a group of
 * must-linked items may never leave its cluster. COP-KMeans keeps all hard links. */
static void finds_the_best_assignment(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (int soft = 0; soft < 2; soft++) {
        size_t found = 0;
        for (size_t i = 0; i < PROBLEMS; i++) {
            small_problem p;
            uint32_t z[N];
            double objective;
            make_problem(&rng, (double)(i % 3) * .2, &p);
            const cau_kmeans_options how = options_of(soft, 200);
            assert_ok(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z, &objective));
            assert_near(objective, objective_of(&p, soft, how.penalty, z), 1e-9);
            const double best = best_of_all(&p, soft, how.penalty);
            assert_true(objective > best - 1e-9);
            found += objective < best + 1e-9;
        }
        assert_true(found >= (soft ? PROBLEMS * 3 / 4 : PROBLEMS));
    }
    caucus_ctx_free(ctx);
}

/* A single start ends where no single item can gain by moving while the means stay. */
static void ends_in_a_fixed_point(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 4);
    for (size_t i = 0; i < PROBLEMS; i++) {
        small_problem p;
        uint32_t z[N], other[N];
        double objective, mean[N][V] = {{0}}, n[N] = {0};
        bool hard;
        make_problem(&rng, .3, &p);
        const cau_kmeans_options how = options_of(true, 1);
        const double w = how.penalty * deviation(&p);
        assert_ok(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z, &objective));
        for (size_t j = 0; j < N; j++) n[z[j]]++;
        for (size_t j = 0; j < N; j++)
            for (size_t v = 0; v < V; v++) mean[z[j]][v] += p.x[j][v] / n[z[j]];
        for (size_t j = 0; j < N; j++)
            for (uint32_t k = 0; k < K; k++) {
                if (n[k] == 0) continue;
                memcpy(other, z, sizeof z);
                other[j] = k;
                double gain = w * (violations(&p, z, &hard) - violations(&p, other, &hard));
                for (size_t v = 0; v < V; v++) {
                    const double a = p.x[j][v] - mean[z[j]][v], b = p.x[j][v] - mean[k][v];
                    gain += a * a - b * b;
                }
                assert_true(gain < 1e-9);
            }
    }
    caucus_ctx_free(ctx);
}

/* Three items that are apart from each other do not fit into two clusters. */
static void impossible_links(void **state)
{
    (void)state;
    static const small_link apart[] = {{0, 1, 'c', 0}, {0, 2, 'c', 0}, {1, 2, 'c', 0}};
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    small_problem p;
    uint32_t z[N];
    double objective;
    bool hard;
    cau_rng_init(&rng, 1);
    make_problem(&rng, 0, &p);
    p.links = make_links(N, NULL, apart, 3, &p.room);
    cau_kmeans_options how = options_of(false, 20);
    how.K = 2;
    assert_fails(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z, &objective),
                 CAUCUS_ERR_ARGUMENT, "no start found 2 clusters that keep the links");
    how.soft = true;
    how.penalty = 1000;
    assert_ok(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z, &objective));
    assert_near(violations(&p, z, &hard), 1, 0);
    how.K = 0;
    assert_fails(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z, &objective),
                 CAUCUS_ERR_ARGUMENT, "0 clusters of 7 items");
    how.K = N + 1;
    assert_fails(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z, &objective),
                 CAUCUS_ERR_ARGUMENT, "8 clusters of 7 items");
    how.K = N; /* each item may have its own cluster */
    how.soft = false;
    assert_ok(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z, &objective));
    assert_near(objective, 0, 1e-20);
    caucus_ctx_free(ctx);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 8);
    for (size_t i = 0; i < 10; i++) {
        small_problem p;
        uint32_t z[2][N];
        double objective[2];
        make_problem(&rng, .3, &p);
        for (size_t t = 0; t < 2; t++) {
            cau_kmeans_options how = options_of(i % 2, 9);
            how.threads = t ? 4 : 1;
            assert_ok(ctx, cau_kmeans_fit(ctx, &p.points, &p.links, &how, z[t], &objective[t]));
        }
        assert_memory_equal(z[0], z[1], sizeof z[0]);
        assert_near(objective[0], objective[1], 0);
    }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    small_problem p;
    cau_kmeans_options how;
} kmeans_case;

static caucus_status fit(void *self)
{
    kmeans_case *c = self;
    uint32_t z[N];
    double objective;
    return cau_kmeans_fit(c->ctx, &c->p.points, &c->p.links, &c->how, z, &objective);
}

static void every_allocation(void **state)
{
    (void)state;
    kmeans_case c = {.ctx = test_ctx(), .how = options_of(false, 2)};
    cau_rng rng;
    cau_rng_init(&rng, 2);
    make_problem(&rng, .2, &c.p);
    assert_true(test_every_allocation(fit, &c) > 5);
    caucus_ctx_free(c.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_best_assignment), cmocka_unit_test(ends_in_a_fixed_point),
        cmocka_unit_test(impossible_links),          cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
