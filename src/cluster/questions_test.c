/* questions_test.c - the order of questions compared with all pairs, and random choices with their
 * expected frequencies. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/questions.h"
#include "support/support.h"

enum { N_MOST = 12, S_MOST = 30, PAIRS = N_MOST * (N_MOST - 1) / 2 };

/* A clustering of N items into at most K clusters, numbered by their first items. */
static void random_partition(cau_rng *rng, size_t N, size_t K, uint32_t *z)
{
    uint32_t number[64], next = 0;
    for (size_t k = 0; k < K; k++) number[k] = UINT32_MAX;
    for (size_t i = 0; i < N; i++) {
        const size_t k = cau_rng_below(rng, K);
        if (number[k] == UINT32_MAX) number[k] = next++;
        z[i] = number[k];
    }
}

static cau_alphabet *names_of(caucus_ctx *ctx, size_t N)
{
    cau_alphabet *names = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    for (size_t i = 0; i < N; i++) cau_alphabet_add(names, &(char){(char)('a' + i)}, 1);
    return names;
}

/* Random links; those that contradict are refused. */
static cau_links *random_links(caucus_ctx *ctx, cau_rng *rng, size_t N, size_t count)
{
    cau_alphabet *names = names_of(ctx, N);
    cau_links *links = NULL;
    assert_ok(ctx, cau_links_new(ctx, N, &links));
    for (size_t i = 0; i < count; i++) {
        cau_link link = {(uint32_t)cau_rng_below(rng, N), 0, (double)cau_rng_below(rng, 3) / 2};
        link.b = (uint32_t)((link.a + 1 + cau_rng_below(rng, N - 1)) % N);
        (void)cau_links_add(ctx, links, names, link);
    }
    cau_alphabet_free(names);
    return links;
}

/* The samples and links of one round of the test. */
typedef struct {
    uint32_t z[S_MOST * N_MOST];
    cau_partitions samples;
    uint8_t keep[S_MOST];
    cau_links *links;
    uint64_t skip[PAIRS];
    size_t skips, kept;
} round_of;

static void fill_round(caucus_ctx *ctx, cau_rng *rng, round_of *r)
{
    const size_t N = 2 + cau_rng_below(rng, N_MOST - 1), S = 1 + cau_rng_below(rng, S_MOST);
    const size_t K = 1 + cau_rng_below(rng, 4);
    r->samples = (cau_partitions){N, S, r->z};
    r->skips = r->kept = 0;
    for (size_t s = 0; s < S; s++) {
        random_partition(rng, N, K, r->z + s * N);
        r->keep[s] = s == 0 || cau_rng_below(rng, 3) > 0;
        r->kept += r->keep[s];
    }
    r->links = random_links(ctx, rng, N, cau_rng_below(rng, N));
    for (uint64_t pair = 0; pair < N * (N - 1) / 2; pair++)
        if (cau_rng_below(rng, 4) == 0) r->skip[r->skips++] = pair;
}

static double share(const round_of *r, uint32_t a, uint32_t b, bool all)
{
    size_t count = 0, of = 0;
    for (size_t s = 0; s < r->samples.S; s++) {
        if (!all && !r->keep[s]) continue;
        count += r->z[s * r->samples.N + a] == r->z[s * r->samples.N + b];
        of++;
    }
    return (double)count / (double)of;
}

static bool may_ask(const round_of *r, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < r->skips; i++)
        if (r->skip[i] == cau_pair_index(r->samples.N, a, b)) return false;
    return cau_links_state(r->links, a, b) == CAU_PAIR_OPEN;
}

static double entropy(double p)
{
    return p <= 0 || p >= 1 ? 0 : -p * log(p) - (1 - p) * log1p(-p);
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The pairs are distinct and open, and have the right shares. */
static void check_pairs(const round_of *r, const cau_question *q, size_t count, bool all)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(q[i].a < q[i].b && q[i].b < r->samples.N);
        assert_true(may_ask(r, q[i].a, q[i].b));
        assert_near(q[i].together, share(r, q[i].a, q[i].b, all), 1e-15);
        for (size_t j = 0; j < i; j++) assert_false(q[i].a == q[j].a && q[i].b == q[j].b);
    }
}

static void pairs_are_numbered_without_gaps(void **state)
{
    (void)state;
    size_t next = 0;
    for (size_t a = 0; a < 9; a++)
        for (size_t b = a + 1; b < 9; b++) assert_int_equal(cau_pair_index(9, a, b), next++);
    assert_int_equal(next, 36);
}

static void best_are_the_best_of_all_pairs(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static round_of r;
    size_t short_of = 0, zeros = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        cau_rng rng;
        cau_rng_init(&rng, seed);
        fill_round(ctx, &rng, &r);
        const size_t N = r.samples.N;
        float p[PAIRS];
        assert_int_equal(cau_co_membership(&r.samples, r.keep, p), CAUCUS_OK);
        double all[PAIRS];
        size_t open = 0, count = 0;
        for (uint32_t a = 0; a < N; a++)
            for (uint32_t b = a + 1; b < N; b++) {
                const double want = share(&r, a, b, false);
                assert_near(p[cau_pair_index(N, a, b)], want, 1e-6);
                if (may_ask(&r, a, b)) all[open++] = entropy(want);
            }
        qsort(all, open, sizeof *all, falling);

        cau_question q[PAIRS + 5], again[PAIRS + 5];
        const size_t n = cau_rng_below(&rng, PAIRS + 5);
        cau_rng other = rng;
        assert_ok(ctx, cau_questions_best(ctx, &r.samples, r.keep, r.links, r.skip, r.skips, &rng,
                                          n, q, &count));
        assert_int_equal(count, n < open ? n : open);
        check_pairs(&r, q, count, false);
        for (size_t i = 0; i < count; i++) {
            assert_near(entropy(q[i].together), all[i], 1e-12);
            zeros += all[i] == 0;
        }
        short_of += count < n;
        assert_ok(ctx, cau_questions_best(ctx, &r.samples, r.keep, r.links, r.skip, r.skips, &other,
                                          n, again, &count));
        for (size_t i = 0; i < count; i++)
            assert_true(q[i].a == again[i].a && q[i].b == again[i].b);

        assert_ok(ctx, cau_questions_random(ctx, &r.samples, r.links, r.skip, r.skips, &rng, n, q,
                                            &count));
        assert_int_equal(count, n < open ? n : open);
        check_pairs(&r, q, count, true);
        cau_links_free(r.links);
    }
    assert_true(short_of > 50 && zeros > 50);
    caucus_ctx_free(ctx);
}

/* n of the pairs that tie are asked each time; each must get its share, in each place. */
static void check_chance(const cau_partitions *samples, bool best, size_t n, size_t forbid)
{
    enum { TIMES = 6000 };
    caucus_ctx *ctx = test_ctx();
    const size_t N = samples->N, pairs = N * (N - 1) / 2;
    size_t asked[PAIRS][PAIRS] = {{0}};
    uint64_t skip[PAIRS];
    cau_links *links = NULL;
    assert_ok(ctx, cau_links_new(ctx, N, &links));
    for (size_t i = 0; i < forbid; i++) skip[i] = pairs - 1 - i;
    for (uint64_t seed = 0; seed < TIMES; seed++) {
        cau_rng rng;
        cau_question q[PAIRS];
        size_t count = 0;
        cau_rng_init(&rng, seed);
        assert_ok(
            ctx,
            best ? cau_questions_best(ctx, samples, NULL, links, skip, forbid, &rng, n, q, &count)
                 : cau_questions_random(ctx, samples, links, skip, forbid, &rng, n, q, &count));
        assert_int_equal(count, n);
        for (size_t i = 0; i < n; i++) asked[i][cau_pair_index(N, q[i].a, q[i].b)]++;
    }
    const double p = 1 / (double)(pairs - forbid), deviation = sqrt(TIMES * p * (1 - p));
    for (size_t i = 0; i < n; i++)
        for (size_t pair = 0; pair < pairs - forbid; pair++)
            assert_near((double)asked[i][pair], TIMES * p, 4.5 * deviation);
    cau_links_free(links);
    caucus_ctx_free(ctx);
}

static void ties_are_broken_by_chance(void **state)
{
    (void)state;
    /* Together in one sample of two: all pairs tie at the highest entropy. */
    uint32_t half[] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
    const cau_partitions even = {5, 2, half}, certain = {5, 1, half};
    check_chance(&even, true, 3, 0);
    check_chance(&even, true, 3, 4);
    check_chance(&certain, true, 3, 0); /* all tie at 0 */
    check_chance(&certain, true, 2, 8); /* and few pairs are open */
    check_chance(&even, false, 3, 0);
    check_chance(&even, false, 2, 8);
    check_chance(&even, false, 4, 4);
}

static void nothing_to_ask_is_not_a_failure(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_links *links = NULL;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    cau_question q[4];
    uint32_t z[] = {0, 0, 0, 1};
    uint8_t keep[] = {0, 0};
    float p[1] = {7};
    for (size_t N = 0; N < 3; N++) {
        const cau_partitions none = {N, 0, NULL}, two = {N, 2, z};
        size_t count = 9;
        assert_ok(ctx, cau_links_new(ctx, N, &links));
        assert_ok(ctx, cau_questions_best(ctx, &two, keep, links, NULL, 0, &rng, 4, q, &count));
        assert_int_equal(count, N == 2);
        assert_ok(ctx, cau_questions_random(ctx, &none, links, NULL, 0, &rng, 4, q, &count));
        assert_int_equal(count, N == 2);
        assert_true(N < 2 || isnan(q[0].together));
        assert_ok(ctx, cau_questions_best(ctx, &two, NULL, links, NULL, 0, &rng, 0, q, &count));
        assert_int_equal(count, 0);
        assert_int_equal(cau_co_membership(&none, NULL, p), CAUCUS_ERR_ARGUMENT);
        assert_int_equal(cau_co_membership(&two, keep, p), CAUCUS_ERR_ARGUMENT);
        cau_links_free(links);
    }
    assert_near(p[0], 7, 0);
    caucus_ctx_free(ctx);
}

static void filter_drops_samples_that_disagree(void **state)
{
    (void)state;
    uint32_t z[] = {0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0};
    const cau_partitions samples = {3, 4, z};
    uint8_t keep[] = {1, 1, 1, 1};
    assert_int_equal(cau_questions_filter(&samples, &(cau_question){0, 1, 0}, true, keep), 2);
    assert_memory_equal(keep, ((uint8_t[]){1, 0, 0, 1}), 4);
    assert_int_equal(cau_questions_filter(&samples, &(cau_question){0, 2, 0}, false, keep), 1);
    assert_memory_equal(keep, ((uint8_t[]){1, 0, 0, 0}), 4);
    assert_int_equal(cau_questions_filter(&samples, &(cau_question){1, 2, 0}, true, keep), 0);
}

static caucus_status ask(void *self)
{
    round_of *r = self;
    caucus_ctx *ctx = NULL;
    cau_rng rng;
    cau_question q[PAIRS];
    float p[PAIRS];
    size_t count = 0;
    cau_rng_init(&rng, 3);
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_co_membership(&r->samples, r->keep, p);
    if (!st)
        st = cau_questions_best(ctx, &r->samples, r->keep, r->links, r->skip, r->skips, &rng, 5, q,
                                &count);
    if (!st)
        st =
            cau_questions_random(ctx, &r->samples, r->links, r->skip, r->skips, &rng, 5, q, &count);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_every_allocation(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static round_of r;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    fill_round(ctx, &rng, &r);
    assert_true(test_every_allocation(ask, &r) >= 10);
    cau_links_free(r.links);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_numbered_without_gaps),
        cmocka_unit_test(best_are_the_best_of_all_pairs),
        cmocka_unit_test(ties_are_broken_by_chance),
        cmocka_unit_test(nothing_to_ask_is_not_a_failure),
        cmocka_unit_test(filter_drops_samples_that_disagree),
        cmocka_unit_test(survives_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
