/* question_value_test.c - what answers tell, against sums over all answers. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/questions.h"
#include "support/support.h"

enum { N = 8, S_MOST = 24, PAIRS = N * (N - 1) / 2, CHOSEN = 4 };

/* Random samples, some of which do not count, and all pairs as candidates in random order. */
typedef struct {
    uint32_t z[S_MOST * N];
    cau_partitions samples;
    uint8_t keep[S_MOST];
    cau_question q[PAIRS];
} sampled;

static void sample(cau_rng *rng, sampled *r)
{
    const size_t S = 2 + cau_rng_below(rng, S_MOST - 1), K = 2 + cau_rng_below(rng, 3);
    r->samples = (cau_partitions){N, S, r->z};
    for (size_t s = 0; s < S; s++) {
        uint32_t number[4], next = 0;
        for (size_t k = 0; k < K; k++) number[k] = UINT32_MAX;
        for (size_t i = 0; i < N; i++) {
            const size_t k = cau_rng_below(rng, K);
            if (number[k] == UINT32_MAX) number[k] = next++;
            r->z[s * N + i] = number[k];
        }
        r->keep[s] = s == 0 || cau_rng_below(rng, 4) > 0;
    }
    size_t count = 0;
    for (uint32_t a = 0; a < N; a++)
        for (uint32_t b = a + 1; b < N; b++) {
            const size_t at = cau_rng_below(rng, ++count);
            r->q[count - 1] = r->q[at];
            r->q[at] = (cau_question){a, b, 0};
        }
}

static bool together(const sampled *r, size_t s, const cau_question *q)
{
    return r->z[s * N + q->a] == r->z[s * N + q->b];
}

/* The probability of the answers `bits` to q [n] in sample s. */
static double chance(const sampled *r, size_t s, const cau_question *q, size_t n, unsigned bits,
                     double trust)
{
    double p = 1;
    for (size_t i = 0; i < n; i++)
        p *= together(r, s, &q[i]) == (bits >> i & 1) ? trust : 1 - trust;
    return p;
}

/* ---- by variation of information ------------------------------------------------------------- */

/* VI by its definition: -sum_xy p(x, y) (log p(x, y) / p(x) + log p(x, y) / p(y)). */
static double distance(const uint32_t *x, const uint32_t *y)
{
    double joint[N][N] = {{0}}, px[N] = {0}, py[N] = {0}, vi = 0;
    for (size_t i = 0; i < N; i++) {
        joint[x[i]][y[i]] += 1.0 / N;
        px[x[i]] += 1.0 / N;
        py[y[i]] += 1.0 / N;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if (joint[i][j] > 0)
                vi -= joint[i][j] * (log(joint[i][j] / px[i]) + log(joint[i][j] / py[j]));
    return vi;
}

/* The expected distance of two samples after the answer to q, over both answers. */
static double distance_after(const sampled *r, const cau_question *q, double trust)
{
    double expected = 0;
    for (unsigned yes = 0; yes < 2; yes++) {
        double w[S_MOST] = {0}, sum = 0, kept = 0, mean = 0;
        for (size_t s = 0; s < r->samples.S; s++) {
            if (!r->keep[s]) continue;
            sum += w[s] = chance(r, s, q, 1, yes, trust);
            kept++;
        }
        if (sum == 0) continue;
        for (size_t s = 0; s < r->samples.S; s++)
            for (size_t t = 0; t < r->samples.S; t++)
                if (w[s] > 0 && w[t] > 0)
                    mean += w[s] / sum * w[t] / sum * distance(r->z + s * N, r->z + t * N);
        expected += sum / kept * mean;
    }
    return expected;
}

static void check_permutation(const cau_question *before, const cau_question *after)
{
    bool found[N][N] = {{false}};
    for (size_t i = 0; i < PAIRS; i++) found[after[i].a][after[i].b] = true;
    for (size_t i = 0; i < PAIRS; i++) assert_true(found[before[i].a][before[i].b]);
}

static void by_vi_sorts_by_the_expected_distance(void **state)
{
    (void)state;
    static const double trusts[] = {1, .9, .6, .5};
    caucus_ctx *ctx = test_ctx();
    static sampled r;
    size_t apart = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        cau_rng rng;
        cau_question q[PAIRS];
        cau_rng_init(&rng, seed);
        sample(&rng, &r);
        const double trust = trusts[seed % 4];
        memcpy(q, r.q, sizeof q);
        assert_ok(ctx, cau_questions_by_vi(ctx, &r.samples, r.keep, trust, q, PAIRS));
        check_permutation(r.q, q);
        double last = -1;
        for (size_t i = 0; i < PAIRS; i++) {
            const double value = distance_after(&r, &q[i], trust);
            assert_true(value > last - 1e-12);
            apart += value > last + 1e-9;
            last = value;
        }
    }
    assert_true(apart > 1000);
    caucus_ctx_free(ctx);
}

/* ---- jointly --------------------------------------------------------------------------------- */

/* What the answers to q [n] tell about the sample, in nats. */
static double information(const sampled *r, const cau_question *q, size_t n, double trust)
{
    double sum = 0, kept = 0;
    for (size_t s = 0; s < r->samples.S; s++) kept += r->keep[s];
    for (unsigned bits = 0; bits < 1u << n; bits++) {
        double p = 0;
        for (size_t s = 0; s < r->samples.S; s++)
            if (r->keep[s]) p += chance(r, s, q, n, bits, trust) / kept;
        if (p > 0) sum -= p * log(p);
    }
    const double error = trust < 1 ? -trust * log(trust) - (1 - trust) * log1p(-trust) : 0;
    return sum - (double)n * error;
}

/* Each question adds the most, of those that are left, to the ones before it. Returns the sum of
 * what is lost: 0 but for errors that are drawn. */
static double lost(caucus_ctx *ctx, const sampled *r, double trust, uint64_t seed)
{
    cau_rng rng;
    cau_question q[PAIRS], set[CHOSEN];
    double sum = 0;
    cau_rng_init(&rng, seed);
    memcpy(q, r->q, sizeof q);
    assert_ok(ctx, cau_questions_jointly(ctx, &r->samples, r->keep, trust, &rng, CHOSEN, q, PAIRS));
    check_permutation(r->q, q);
    for (size_t n = 0; n < CHOSEN; n++) {
        double most = 0;
        for (size_t i = n; i < PAIRS; i++) {
            set[n] = q[i];
            const double value = information(r, set, n + 1, trust);
            if (value > most) most = value;
        }
        set[n] = q[n];
        const double got = information(r, set, n + 1, trust);
        assert_true(got > most - (n == 0 || trust == 1 ? 1e-9 : .1));
        sum += most - got;
    }
    return sum;
}

static void jointly_adds_the_most_information(void **state)
{
    (void)state;
    static const double trusts[] = {1, .9, .6};
    caucus_ctx *ctx = test_ctx();
    static sampled r;
    double all = 0;
    for (uint64_t seed = 0; seed < 90; seed++) {
        cau_rng rng;
        cau_rng_init(&rng, seed);
        sample(&rng, &r);
        all += lost(ctx, &r, trusts[seed % 3], seed);
    }
    assert_true(all / 60 < .02);
    caucus_ctx_free(ctx);
}

/* Two pairs are the least certain, but each answer follows from the other. */
static void jointly_asks_nothing_twice(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    uint32_t z[] = {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 3, 0, 1, 2, 3, 4, 4, 0, 1, 2, 3, 4, 4};
    const cau_partitions samples = {6, 4, z};
    cau_question q[] = {{0, 1, .5}, {2, 3, .5}, {4, 5, .75}};
    cau_rng rng;
    cau_rng_init(&rng, 1);
    assert_ok(ctx, cau_questions_jointly(ctx, &samples, NULL, 1, &rng, 2, q, 3));
    assert_true(q[0].a == 0 && q[1].a == 4 && q[2].a == 2);
    caucus_ctx_free(ctx);
}

static void more_samples_than_draws(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    caucus_ctx *ctx = test_ctx();
    static uint32_t z[MANY * 4]; /* pairs 01 and 23 are together in random halves of the samples */
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t s = 0; s < MANY; s++) {
        const uint32_t b = cau_rng_below(&rng, 2) ? 0 : 1, c = b + 1;
        memcpy(z + s * 4, ((uint32_t[]){0, b, c, cau_rng_below(&rng, 2) ? c : c + 1}), 16);
    }
    const cau_partitions samples = {4, MANY, z};
    cau_question q[] = {{0, 2, 0}, {0, 1, 0}, {1, 2, 0}, {2, 3, 0}};
    for (size_t i = 0; i < 2; i++) {
        assert_ok(ctx, cau_questions_jointly(ctx, &samples, NULL, i ? .9 : 1, &rng, 2, q, 4));
        assert_true(q[0].a + q[1].a == 2 && q[0].b + q[1].b == 4);
    }
    caucus_ctx_free(ctx);
}

static void nothing_to_choose_from(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    uint32_t z[] = {0, 0};
    uint8_t keep[] = {0};
    const cau_partitions one = {2, 1, z};
    cau_question q[] = {{0, 1, 0}};
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t count = 0; count < 2; count++) {
        assert_ok(ctx, cau_questions_by_vi(ctx, &one, keep, 1, q, count));
        assert_ok(ctx, cau_questions_by_vi(ctx, &one, NULL, .9, q, count));
        assert_ok(ctx, cau_questions_jointly(ctx, &one, keep, 1, &rng, 3, q, count));
        assert_ok(ctx, cau_questions_jointly(ctx, &one, NULL, .9, &rng, 3, q, count));
    }
    assert_true(q[0].a == 0 && q[0].b == 1);
    caucus_ctx_free(ctx);
}

static caucus_status choose(void *self)
{
    sampled *r = self;
    caucus_ctx *ctx = NULL;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_questions_by_vi(ctx, &r->samples, r->keep, .9, r->q, PAIRS);
    if (!st) st = cau_questions_jointly(ctx, &r->samples, r->keep, .9, &rng, 2, r->q, PAIRS);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_every_allocation(void **state)
{
    (void)state;
    static sampled r;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    sample(&rng, &r);
    assert_true(test_every_allocation(choose, &r) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_vi_sorts_by_the_expected_distance),
        cmocka_unit_test(jointly_adds_the_most_information),
        cmocka_unit_test(jointly_asks_nothing_twice),
        cmocka_unit_test(more_samples_than_draws),
        cmocka_unit_test(nothing_to_choose_from),
        cmocka_unit_test(survives_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
