/* consensus_test.c - the consensus compared with all partitions, linkage and top features with
 * naive implementations. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/consensus.h"
#include "cluster/consensus_linkage.h"
#include "cluster/work.h"
#include "support/support.h"

enum { SMALL = 7, MOST = 40, SAMPLES = 30 };

/* ---- problems -------------------------------------------------------------------------------- */

typedef struct {
    uint32_t z[SAMPLES * MOST];
    cau_partitions samples;
    cau_links *links;
    cau_constraints c;
} consensus_problem;

static void number(uint32_t *z, size_t N)
{
    uint32_t map[2 * MOST], next = 0;
    memset(map, 0xFF, sizeof map);
    for (size_t i = 0; i < N; i++) {
        if (map[z[i]] == UINT32_MAX) map[z[i]] = next++;
        z[i] = map[z[i]];
    }
}

/* Samples that scatter around a truth (noise of 10: nothing but noise), with some links. Samples do
 * not obey the links. */
static void make_problem(caucus_ctx *ctx, cau_rng *rng, size_t N, size_t S, uint64_t noise,
                         size_t links, consensus_problem *p)
{
    uint32_t truth[MOST];
    const size_t K = 1 + cau_rng_below(rng, N < 8 ? N : 8);
    for (size_t i = 0; i < N; i++) truth[i] = (uint32_t)cau_rng_below(rng, K);
    p->samples = (cau_partitions){N, S, p->z};
    for (size_t s = 0; s < S; s++) {
        for (size_t i = 0; i < N; i++)
            p->z[s * N + i] = cau_rng_below(rng, 10) < noise
                                  ? (uint32_t)cau_rng_below(rng, K + 2 < N ? K + 2 : N)
                                  : truth[i];
        number(p->z + s * N, N);
    }
    cau_alphabet *names = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    for (size_t i = 0; i < N; i++) cau_alphabet_add(names, &(char){(char)('0' + i)}, 1);
    assert_ok(ctx, cau_links_new(ctx, N, &p->links));
    for (size_t i = 0; i < links && N > 1; i++) {
        cau_link link = {(uint32_t)cau_rng_below(rng, N), 0, (double)cau_rng_below(rng, 2)};
        link.b = (uint32_t)((link.a + 1 + cau_rng_below(rng, N - 1)) % N);
        (void)cau_links_add(ctx, p->links, names, link); /* unless it contradicts */
    }
    cau_alphabet_free(names);
    assert_ok(ctx, cau_links_constraints(ctx, p->links, &p->c));
}

/* The expected loss by its definition: VI as eval/ measures it, Binder over all pairs. */
static double expected_loss(const cau_partitions *samples, const uint32_t *z,
                            cau_consensus_loss kind)
{
    const size_t N = samples->N;
    double sum = 0;
    for (size_t s = 0; s < samples->S; s++) {
        const uint32_t *y = samples->z + s * N;
        if (kind == CAU_CONSENSUS_VI) {
            cau_cluster_measures m;
            assert_int_equal(cau_cluster_measure(y, z, N, &m), CAUCUS_OK);
            sum += m.vi;
        } else {
            size_t differ = 0;
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < i; j++) differ += (y[i] == y[j]) != (z[i] == z[j]);
            sum += N > 1 ? (double)differ / ((double)N * (double)(N - 1) / 2) : 0;
        }
    }
    return sum / (double)samples->S;
}

static bool is_legal(const cau_links *links, const uint32_t *z, size_t N)
{
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < i; j++) {
            const cau_pair_state pair = cau_links_state(links, i, j);
            if (pair != CAU_PAIR_OPEN && (pair == CAU_PAIR_TOGETHER) != (z[i] == z[j]))
                return false;
        }
    return true;
}

/* The least expected loss over all legal partitions: z runs through all restricted growth strings.
 */
static double least_loss(const consensus_problem *p, cau_consensus_loss kind)
{
    const size_t N = p->samples.N;
    uint32_t z[SMALL] = {0};
    double least = INFINITY;
    for (;;) {
        if (is_legal(p->links, z, N)) least = fmin(least, expected_loss(&p->samples, z, kind));
        size_t i = N - 1;
        for (; i > 0; i--) {
            uint32_t most = 0;
            for (size_t j = 0; j < i; j++) most = z[j] > most ? z[j] : most;
            if (z[i] <= most) break;
        }
        if (i == 0) return least;
        z[i]++;
        for (size_t j = i + 1; j < N; j++) z[j] = 0;
    }
}

/* Properties of every result. */
static void check_answer(const consensus_problem *p, const cau_consensus *found,
                         cau_consensus_loss kind)
{
    const size_t N = p->samples.N, S = p->samples.S;
    uint32_t next = 0;
    assert_true(is_legal(p->links, found->z, N));
    assert_near(found->loss, expected_loss(&p->samples, found->z, kind), 1e-9);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        size_t others = 0, alone = 0;
        if (found->z[i] == next) next++;
        assert_true(found->z[i] < next);
        for (size_t s = 0; s < S; s++) {
            const uint32_t *y = p->z + s * N;
            size_t with = 0;
            for (size_t j = 0; j < N; j++) with += j != i && y[j] == y[i];
            alone += with == 0;
            for (size_t j = 0; j < N; j++)
                if (j != i && found->z[j] == found->z[i]) sum += y[j] == y[i];
        }
        for (size_t j = 0; j < N; j++) others += j != i && found->z[j] == found->z[i];
        const double want = others ? sum / (double)others : (double)alone;
        assert_near(found->certainty[i], want / (double)S, 1e-12);
    }
    assert_int_equal(next, found->K);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Up to 7 items, both losses, from samples that nearly agree to mere noise, with and without links:
 * the least loss of all partitions. */
static void reaches_the_least_loss_of_all_partitions(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static consensus_problem p;
    size_t missed = 0, tried = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        cau_rng rng;
        cau_rng_init(&rng, seed);
        const size_t N = 1 + cau_rng_below(&rng, SMALL), S = 1 + cau_rng_below(&rng, 12);
        make_problem(ctx, &rng, N, S, 1 + seed % 10, seed % 2 ? cau_rng_below(&rng, N) : 0, &p);
        for (cau_consensus_loss kind = CAU_CONSENSUS_VI; kind <= CAU_CONSENSUS_BINDER; kind++) {
            cau_consensus found = {0};
            assert_ok(ctx, cau_consensus_find(ctx, &p.samples, &p.c, kind, &rng, &found));
            check_answer(&p, &found, kind);
            const double least = least_loss(&p, kind);
            assert_true(found.loss >= least - 1e-12);
            tried++;
            missed += found.loss > least + 1e-9;
            cau_consensus_clear(&found);
        }
        cau_links_free(p.links);
    }
    assert_int_equal(tried, 800);
    assert_int_equal(missed, 0);
    caucus_ctx_free(ctx);
}

/* More items: legal, with the right certainties, no worse than any sample or the truth of one. */
static void is_no_worse_than_any_sample(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static consensus_problem p;
    for (uint64_t seed = 0; seed < 60; seed++) {
        cau_rng rng, other;
        cau_rng_init(&rng, seed);
        const size_t N = 10 + cau_rng_below(&rng, MOST - 9);
        make_problem(ctx, &rng, N, SAMPLES, seed % 8, seed % 3 ? N / 2 : 0, &p);
        for (cau_consensus_loss kind = CAU_CONSENSUS_VI; kind <= CAU_CONSENSUS_BINDER; kind++) {
            cau_consensus found = {0}, again = {0};
            other = rng;
            assert_ok(ctx, cau_consensus_find(ctx, &p.samples, &p.c, kind, &rng, &found));
            check_answer(&p, &found, kind);
            for (size_t s = 0; s < SAMPLES; s++)
                if (is_legal(p.links, p.z + s * N, N))
                    assert_true(found.loss <= expected_loss(&p.samples, p.z + s * N, kind) + 1e-9);
            assert_ok(ctx, cau_consensus_find(ctx, &p.samples, &p.c, kind, &other, &again));
            assert_memory_equal(found.z, again.z, N * sizeof *found.z);
            cau_consensus_clear(&found);
            cau_consensus_clear(&again);
        }
        cau_links_free(p.links);
    }
    caucus_ctx_free(ctx);
}

/* Equal samples are their own consensus, with certainty 1. */
static void agrees_with_samples_that_agree(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    uint32_t z[] = {0, 1, 0, 2, 1, 3, 0, 1, 0, 2, 1, 3};
    const cau_partitions samples = {6, 2, z}, none = {6, 0, z};
    cau_links *links = NULL;
    cau_constraints c;
    cau_consensus found = {0};
    cau_rng rng;
    cau_rng_init(&rng, 1);
    assert_ok(ctx, cau_links_new(ctx, 6, &links));
    assert_ok(ctx, cau_links_constraints(ctx, links, &c));
    assert_ok(ctx, cau_consensus_find(ctx, &samples, &c, CAU_CONSENSUS_VI, &rng, &found));
    assert_int_equal(found.K, 4);
    assert_memory_equal(found.z, z, 6 * sizeof *z);
    assert_near(found.loss, 0, 1e-15);
    for (size_t i = 0; i < 6; i++) assert_near(found.certainty[i], 1, 0);
    assert_fails(ctx, cau_consensus_find(ctx, &none, &c, CAU_CONSENSUS_VI, &rng, &found),
                 CAUCUS_ERR_ARGUMENT, "samples");
    cau_consensus_clear(&found);
    cau_links_free(links);
    caucus_ctx_free(ctx);
}

/* Greedy average linkage as it is defined: all pairs of clusters, all pairs of items, again and
 * again. The clusters of every cut whose averages do not tie are the same. */
static void linkage_merges_the_most_similar_clusters(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static consensus_problem p;
    size_t compared = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        cau_rng rng;
        cau_rng_init(&rng, seed);
        const size_t N = 2 + cau_rng_below(&rng, 11);
        make_problem(ctx, &rng, N, SAMPLES, 5, seed % 3 ? N / 3 : 0, &p);
        float share[MOST * MOST];
        assert_int_equal(cau_co_membership(&p.samples, NULL, share), CAUCUS_OK);
        cau_merge merge[MOST];
        size_t count = 0;
        assert_int_equal(cau_linkage(&p.samples, &p.c, merge, &count), CAUCUS_OK);

        uint32_t mine[MOST], naive[MOST];
        memcpy(mine, p.c.group, N * sizeof *mine);
        memcpy(naive, p.c.group, N * sizeof *naive);
        for (size_t m = 0; m < count; m++) {
            double best = -1, second = -1;
            uint32_t a = 0, b = 0;
            for (uint32_t k = 0; k < N; k++)
                for (uint32_t l = 0; l < k; l++) {
                    double sum = 0, pairs = 0;
                    bool legal = true;
                    for (uint32_t i = 0; i < N; i++)
                        for (uint32_t j = 0; j < N; j++) {
                            if (naive[i] != k || naive[j] != l) continue;
                            sum += (double)
                                share[i < j ? cau_pair_index(N, i, j) : cau_pair_index(N, j, i)];
                            pairs++;
                            legal &= cau_links_state(p.links, i, j) != CAU_PAIR_APART;
                        }
                    if (pairs == 0 || !legal) continue;
                    if (sum / pairs > best) {
                        second = best;
                        best = sum / pairs;
                        a = k;
                        b = l;
                    } else if (sum / pairs > second) {
                        second = sum / pairs;
                    }
                }
            if (second > best - 1e-5) break; /* either is right */
            assert_near(merge[m].average, best, 1e-5);
            const uint32_t from = mine[p.c.member[p.c.start[merge[m].b]]];
            const uint32_t to = mine[p.c.member[p.c.start[merge[m].a]]];
            for (size_t i = 0; i < N; i++) {
                if (naive[i] == b) naive[i] = a;
                if (mine[i] == from) mine[i] = to;
            }
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < i; j++)
                    assert_int_equal(mine[i] == mine[j], naive[i] == naive[j]);
            compared++;
        }
        /* The clusters that remain must not be merged. */
        memcpy(mine, p.c.group, N * sizeof *mine);
        for (size_t m = 0; m < count; m++) {
            const uint32_t from = mine[p.c.member[p.c.start[merge[m].b]]];
            const uint32_t to = mine[p.c.member[p.c.start[merge[m].a]]];
            assert_true(from != to && (m == 0 || merge[m].average <= merge[m - 1].average));
            for (size_t i = 0; i < N; i++)
                if (mine[i] == from) mine[i] = to;
        }
        for (uint32_t k = 0; k < N; k++)
            for (uint32_t l = 0; l < k; l++) {
                bool any = false, apart = false;
                for (uint32_t i = 0; i < N; i++)
                    for (uint32_t j = 0; j < N; j++)
                        if (mine[i] == k && mine[j] == l) {
                            any = true;
                            apart |= cau_links_state(p.links, i, j) == CAU_PAIR_APART;
                        }
                assert_true(!any || apart);
            }
        cau_links_free(p.links);
    }
    assert_true(compared > 300);
    caucus_ctx_free(ctx);
}

/* Random counts; all features scored by the formula and sorted. */
static void top_features_have_the_highest_scores(void **state)
{
    (void)state;
    enum { N = 12, V = 9, K = 3 };
    caucus_ctx *ctx = test_ctx();
    for (uint64_t seed = 0; seed < 100; seed++) {
        cau_rng rng;
        cau_rng_init(&rng, seed);
        size_t start[N + 1] = {0}, count[K], nonzeros = 0;
        uint32_t column[N * V], z[N];
        float value[N * V];
        double cluster[K][V] = {{0}}, all[V] = {0}, size[K] = {0}, n = 0;
        for (size_t i = 0; i < N; i++) {
            z[i] = (uint32_t)cau_rng_below(&rng, K);
            for (uint32_t v = 0; v < V; v++)
                if (cau_rng_below(&rng, 2)) {
                    column[nonzeros] = v;
                    value[nonzeros] = (float)(1 + cau_rng_below(&rng, 5));
                    cluster[z[i]][v] += (double)value[nonzeros];
                    all[v] += (double)value[nonzeros];
                    size[z[i]] += (double)value[nonzeros];
                    n += (double)value[nonzeros++];
                }
            start[i + 1] = nonzeros;
        }
        const cau_items items = {NULL, NULL, {N, V, start, column, value}};
        const size_t most = 1 + cau_rng_below(&rng, V);
        cau_cluster_feature out[K * V];
        assert_ok(ctx, cau_cluster_top_features(ctx, &items, z, K, most, out, count));
        for (size_t k = 0; k < K; k++) {
            double score[V];
            bool told[V] = {false};
            size_t positive = 0;
            for (size_t v = 0; v < V; v++) {
                score[v] =
                    cluster[k][v] * log((cluster[k][v] + .5) / (size[k] + .5 * V) /
                                        ((all[v] - cluster[k][v] + .5) / (n - size[k] + .5 * V)));
                positive += score[v] > 0;
            }
            assert_int_equal(count[k], positive < most ? positive : most);
            for (size_t i = 0; i < count[k]; i++) {
                const cau_cluster_feature t = out[k * most + i];
                assert_near(t.score, score[t.feature], 1e-9);
                assert_false(told[t.feature]);
                told[t.feature] = true;
                assert_true(i == 0 || t.score <= out[k * most + i - 1].score);
            }
            for (size_t v = 0; v < V && count[k];
                 v++) /* no feature that was left out has a higher score */
                assert_true(told[v] || score[v] <= 0 ||
                            score[v] <= out[k * most + count[k] - 1].score + 1e-9);
        }
    }
    caucus_ctx_free(ctx);
}

static caucus_status find(void *self)
{
    const consensus_problem *p = self;
    caucus_ctx *ctx = NULL;
    cau_consensus found = {0};
    cau_rng rng;
    cau_rng_init(&rng, 3);
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_consensus_find(ctx, &p->samples, &p->c, CAU_CONSENSUS_VI, &rng, &found);
    size_t start[] = {0, 1, 2}, count[2];
    uint32_t column[] = {0, 1}, z[] = {0, 1};
    const cau_items items = {NULL, NULL, {2, 2, start, column, NULL}};
    cau_cluster_feature out[2];
    if (!st) st = cau_cluster_top_features(ctx, &items, z, 2, 1, out, count);
    cau_consensus_clear(&found);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_every_allocation(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static consensus_problem p;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    make_problem(ctx, &rng, 12, 8, 4, 4, &p);
    assert_true(test_every_allocation(find, &p) > 30);
    cau_links_free(p.links);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_the_least_loss_of_all_partitions),
        cmocka_unit_test(is_no_worse_than_any_sample),
        cmocka_unit_test(agrees_with_samples_that_agree),
        cmocka_unit_test(linkage_merges_the_most_similar_clusters),
        cmocka_unit_test(top_features_have_the_highest_scores),
        cmocka_unit_test(survives_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
