/* merged_columns_test.c - equal columns are merged, and everything else is unchanged. */

#include "dataset/merged_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/support.h"

/* A set of K columns with many equal ones: column k is a copy of pattern k % patterns. */
static cau_dataset make_set(size_t N, size_t K, size_t patterns, bool valued, uint64_t seed)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    float *pattern = calloc(N * patterns, sizeof *pattern);
    for (size_t i = 0; i < N * patterns; i++)
        if (cau_rng_below(&rng, 3) == 0)
            pattern[i] = valued ? (float)(1 + cau_rng_below(&rng, 2)) : 1;

    cau_dataset set = {.N = N, .K = K, .Y = 2, .group = 1, .width = 2};
    set.x = (cau_csr){.rows = N,
                      .columns = K,
                      .start = calloc(N + 1, sizeof(size_t)),
                      .column = malloc(N * K * sizeof(uint32_t)),
                      .value = valued ? malloc(N * K * sizeof(float)) : NULL};
    size_t at = 0;
    for (size_t i = 0; i < N; i++) {
        for (uint32_t k = 0; k < K; k++) {
            float x = pattern[i * patterns + k % patterns];
            if (x == 0) continue;
            set.x.column[at] = k;
            if (valued) set.x.value[at] = x;
            at++;
        }
        set.x.start[i + 1] = at;
    }
    assert_int_equal(cau_csr_transpose(1, &set.x, &set.xt), CAUCUS_OK);
    free(pattern);
    return set;
}

static void free_set(cau_dataset *set)
{
    cau_csr_clear(&set->x);
    cau_csr_clear(&set->xt);
}

static double entry(const cau_csr *x, size_t i, size_t k)
{
    for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
        if (x->column[e] == k) return x->value ? (double)x->value[e] : 1;
    return 0;
}

static void test_merged_columns(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (uint64_t seed = 0; seed < 20; seed++) {
        cau_dataset set = make_set(30, 40, 7 + seed % 3, seed % 2, seed);
        uint32_t gold[30] = {CAU_SET, CAU_UNKNOWN}, labels[] = {0, 1}, edges[] = {0};
        size_t starts[31] = {0, 1}, bounds[] = {0, 2};
        for (size_t i = 2; i < 31; i++) starts[i] = 1;
        set.gold = gold;
        set.sets = (cau_label_sets){.count = 1, .start = bounds, .label = labels};
        set.E = 1;
        set.e = (cau_csr){.rows = 30, .columns = 1, .start = starts, .column = edges};
        cau_merged m;
        bool worth;
        assert_ok(ctx, cau_merge(ctx, &set, &m, &worth));
        assert_true(worth);
        assert_true(m.set.K <= 7 + seed % 3);
        assert_int_equal(m.set.N, set.N);
        assert_ptr_equal(m.set.gold, set.gold); /* the rest is that of the original */
        assert_ptr_equal(m.set.sets.label, set.sets.label);
        assert_ptr_equal(m.set.e.start, set.e.start);
        assert_int_equal(m.set.E, set.E);
        size_t total = 0;
        for (size_t c = 0; c < m.set.K; c++) total += m.count[c];
        assert_int_equal(total, set.K);
        for (size_t i = 0; i < set.N; i++)
            for (size_t k = 0; k < set.K; k++) {
                double want = entry(&set.x, i, k);
                assert_near(entry(&m.set.x, i, m.column[k]), want, 0);
                assert_near(entry(&m.set.xt, m.column[k], i), want, 0);
            }
        for (size_t a = 0; a < m.set.K; a++) /* no two merged columns are equal */
            for (size_t b = 0; b < a; b++) {
                bool same = true;
                for (size_t i = 0; i < set.N; i++)
                    same &= entry(&m.set.x, i, a) == entry(&m.set.x, i, b);
                assert_false(same);
            }
        cau_merged_clear(&m);
        free_set(&set);
    }
    caucus_ctx_free(ctx);
}

static void test_few_equal_columns(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_dataset set = make_set(40, 30, 30, false, 1), empty = {.N = 0, .group = 1, .width = 2};
    cau_merged m;
    bool worth = true;
    assert_ok(ctx, cau_merge(ctx, &set, &m, &worth));
    assert_false(worth);
    size_t none = 0;
    empty.x.start = empty.xt.start = &none;
    worth = true;
    assert_ok(ctx, cau_merge(ctx, &empty, &m, &worth));
    assert_false(worth);
    free_set(&set);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    cau_dataset set;
} merge_run;

static caucus_status merge_once(void *self)
{
    merge_run *c = self;
    cau_merged m = {0};
    bool worth;
    caucus_status st = cau_merge(c->ctx, &c->set, &m, &worth);
    cau_merged_clear(&m);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    merge_run c = {test_ctx(), make_set(20, 20, 5, true, 2)};
    assert_true(test_every_allocation(merge_once, &c) >= 8);
    free_set(&c.set);
    caucus_ctx_free(c.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merged_columns),
        cmocka_unit_test(test_few_equal_columns),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/merged_columns", tests, NULL, NULL);
}
