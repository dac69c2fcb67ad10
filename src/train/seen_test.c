/* seen_test.c - checks the list of seen pairs against a direct search of the data. */

#include "train/seen.h"

#include <stdlib.h>

#include "support/train_sample.h"

static bool allows(const cau_dataset *set, size_t i, size_t y)
{
    uint32_t gold = set->gold[i];
    if (gold == CAU_UNKNOWN) return false;
    if (!(gold & CAU_SET)) return gold == y;
    for (size_t j = set->sets.start[gold - CAU_SET]; j < set->sets.start[gold - CAU_SET + 1]; j++)
        if (set->sets.label[j] == y) return true;
    return false;
}

static bool is_first(const cau_dataset *set, size_t i)
{
    for (size_t s = 0; s < set->S; s++)
        if (set->sequence[s] == i) return true;
    return false;
}

static bool has(const cau_csr *x, size_t i, size_t k)
{
    for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
        if (x->column[e] == k) return true;
    return false;
}

static bool whole(const cau_dataset *set, size_t i)
{
    return !(set->gold[i] & CAU_SET);
}

static void test_seen(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int partial = 0; partial < 2; partial++) {
        caucus_data *data = sample_columns(ctx, partial, 21);
        const cau_dataset *set = &data->train;
        const size_t Y = set->Y;
        const cau_source_model none = {0};
        cau_table nodes, edges;
        assert_ok(ctx, cau_seen_nodes(ctx, set, &none, &nodes));
        assert_ok(ctx, cau_seen_edges(ctx, set, &none, &edges));
        uint8_t unseen[64];
        cau_unseen_transitions(set, &none, unseen);
        assert_int_equal(nodes.rows, set->K);
        assert_int_equal(edges.rows, set->E);
        size_t listed = 0;
        for (size_t k = 0; k < set->K; k++)
            for (size_t y = 0; y < Y; y++) {
                bool want = false;
                for (size_t i = 0; i < set->N; i++)
                    want = want || (has(&set->x, i, k) && allows(set, i, y));
                size_t at = cau_table_find(&nodes, k, y);
                assert_int_equal(at != SIZE_MAX, want);
                if (want) assert_int_equal(at, listed); /* in order */
                listed += want;
            }
        assert_int_equal(cau_table_size(&nodes), listed);
        for (size_t from = 0; from < Y; from++)
            for (size_t to = 0; to < Y; to++) {
                bool any = false;
                for (size_t k = 0; k < set->E; k++) {
                    bool want = false;
                    for (size_t i = 1; i < set->N; i++) {
                        bool here = !is_first(set, i) && whole(set, i - 1) && whole(set, i) &&
                                    allows(set, i - 1, from) && allows(set, i, to);
                        any = any || here;
                        want = want || (here && has(&set->e, i, k));
                    }
                    assert_int_equal(cau_table_find(&edges, k, from * Y + to) != SIZE_MAX, want);
                }
                assert_int_equal(unseen[from * Y + to], !any);
            }
        free(nodes.start);
        free(nodes.cell);
        free(edges.start);
        free(edges.cell);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* Many blocks of rows, some without occurrences, with one cell up to all cells. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 6000, K = 9000, Y = 40, EACH = 30 };
    static uint32_t gold[N], column[N * EACH];
    static size_t start[N + 1];
    caucus_ctx *ctx = test_ctx();
    const cau_source_model none = {0};
    cau_dataset set = {.N = N, .K = K, .Y = Y, .width = Y, .group = 1, .gold = gold};
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (size_t i = 0; i < N; i++) {
        gold[i] = (uint32_t)cau_rng_below(&rng, Y);
        start[i + 1] = start[i] + EACH;
        for (size_t e = start[i]; e < start[i + 1]; e++) { /* the first columns are frequent */
            const size_t below = cau_rng_below(&rng, K) + 1;
            column[e] = (uint32_t)(cau_rng_below(&rng, below) * (e % 2));
        }
    }
    set.x = (cau_csr){.rows = N, .columns = K, .start = start, .column = column};
    assert_int_equal(cau_csr_transpose(1, &set.x, &set.xt), CAUCUS_OK);
    for (unsigned threads = 1; threads <= 4; threads++) {
        cau_table nodes;
        size_t at = 0;
        caucus_set_threads(ctx, threads);
        assert_ok(ctx, cau_seen_nodes(ctx, &set, &none, &nodes));
        for (size_t k = 0; k < K; k++) {
            bool seen[Y] = {false};
            for (size_t e = set.xt.start[k]; e < set.xt.start[k + 1]; e++)
                seen[gold[set.xt.column[e]]] = true;
            assert_int_equal(nodes.start[k], at);
            for (uint32_t y = 0; y < Y; y++)
                if (seen[y]) assert_int_equal(nodes.cell[at++], y);
        }
        assert_int_equal(nodes.start[K], at);
        cau_table_clear(&nodes);
    }
    cau_csr_clear(&set.xt);
    caucus_ctx_free(ctx);
}

/* Rows with many cells become full, and the new cells are reported. */
static void test_fill(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    size_t start[] = {0, 2, 2, 5, 9, 10};
    uint32_t cell[] = {1, 3, 0, 2, 3, 0, 1, 2, 3, 2};
    const cau_table t = {.rows = 5, .width = 4, .start = start, .cell = cell};
    static const size_t starts[] = {0, 2, 2, 6, 10, 11};
    static const uint32_t cells[] = {1, 3, 0, 1, 2, 3, 0, 1, 2, 3, 2};
    static const uint8_t flags[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    cau_table full;
    uint8_t *added;
    assert_ok(ctx, cau_table_fill(ctx, &t, 3, &full, &added));
    assert_int_equal(full.rows, 5);
    assert_int_equal(full.width, 4);
    assert_memory_equal(full.start, starts, sizeof starts);
    assert_memory_equal(full.cell, cells, sizeof cells);
    assert_memory_equal(added, flags, sizeof flags);
    free(full.start);
    free(full.cell);
    free(added);
    caucus_ctx_free(ctx);
}

static void test_full_tables(void **state)
{
    (void)state;
    const cau_table full = {.rows = 4, .width = 5};
    assert_int_equal(cau_table_find(&full, 2, 3), 13);
    assert_int_equal(cau_table_size(&full), 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_full_tables),
    };
    return cmocka_run_group_tests_name("train/seen", tests, NULL, NULL);
}
