/* csr_test.c - checks transposes against the dense matrix, and the division into blocks. */

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "math/csr.h"
#include "support/support.h"

enum { ROWS = 40, COLUMNS = 30 };

/* Makes a random matrix in sparse and dense form. A third of the rows and some columns are
 * empty. */
static cau_csr random_csr(cau_rng *rng, bool valued, float dense[ROWS][COLUMNS])
{
    cau_csr x = {.rows = ROWS, .columns = COLUMNS};
    x.start = cau_calloc(ROWS + 1, sizeof *x.start);
    x.column = cau_alloc(ROWS * COLUMNS, sizeof *x.column);
    x.value = valued ? cau_alloc(ROWS * COLUMNS, sizeof *x.value) : NULL;
    assert_true(x.start && x.column && (x.value || !valued));
    memset(dense, 0, sizeof(float[ROWS][COLUMNS]));
    size_t at = 0;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; i % 3 && k < COLUMNS - 2; k++) {
            if (cau_rng_below(rng, 4)) continue;
            const float value = valued ? (float)cau_rng_real(rng) + 1 : 1;
            dense[i][k] = value;
            x.column[at] = (uint32_t)k;
            if (valued) x.value[at] = value;
            at++;
        }
        x.start[i + 1] = at;
    }
    return x;
}

static void check_transpose(cau_rng *rng, unsigned threads)
{
    for (int valued = 0; valued < 2; valued++) {
        float dense[ROWS][COLUMNS];
        cau_csr x = random_csr(rng, valued, dense), t;
        assert_int_equal(cau_csr_transpose(threads, &x, &t), CAUCUS_OK);
        assert_int_equal(t.rows, COLUMNS);
        assert_int_equal(t.columns, ROWS);
        assert_int_equal(cau_csr_nonzeros(&t), cau_csr_nonzeros(&x));
        assert_true((t.value != NULL) == valued);
        for (size_t k = 0; k < COLUMNS; k++)
            for (size_t e = t.start[k]; e < t.start[k + 1]; e++) {
                if (e > t.start[k]) assert_true(t.column[e] > t.column[e - 1]);
                assert_true((valued ? t.value[e] : 1) == dense[t.column[e]][k]);
                dense[t.column[e]][k] = 0;
            }
        for (size_t i = 0; i < ROWS; i++) /* every entry was seen */
            for (size_t k = 0; k < COLUMNS; k++) assert_true(dense[i][k] == 0);
        cau_csr_clear(&x);
        cau_csr_clear(&t);
        assert_null(t.start);
    }
}

static void transpose_swaps_indices(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (unsigned threads = 1; threads <= 4; threads++) check_transpose(&rng, threads);
}

/* A row with nearly all entries leaves some threads without work, wherever it is. */
static void threads_take_whole_rows(void **state)
{
    (void)state;
    enum { LONG = 40 };
    for (size_t full = 0; full < 3; full++)
        for (unsigned threads = 1; threads <= 9; threads++) {
            size_t start[4] = {0};
            uint32_t column[LONG + 2];
            cau_csr x = {.rows = 3, .columns = 1, .start = start, .column = column}, t;
            for (size_t i = 0; i < 3; i++) start[i + 1] = start[i] + (i == full ? LONG : 1);
            for (size_t e = 0; e < LONG + 2; e++) column[e] = 0;
            assert_int_equal(cau_csr_transpose(threads, &x, &t), CAUCUS_OK);
            assert_int_equal(t.start[1], LONG + 2);
            for (size_t i = 0; i < 3; i++)
                for (size_t e = start[i]; e < start[i + 1]; e++) assert_int_equal(t.column[e], i);
            cau_csr_clear(&t);
        }
}

static void empty_matrices_transpose(void **state)
{
    (void)state;
    size_t start[4] = {0};
    cau_csr none = {.rows = 0, .columns = 3, .start = start}, t;
    assert_int_equal(cau_csr_transpose(2, &none, &t), CAUCUS_OK);
    assert_int_equal(t.rows, 3);
    assert_int_equal(cau_csr_nonzeros(&t), 0);
    cau_csr_clear(&t);

    cau_csr blank = {.rows = 3, .columns = 0, .start = start};
    assert_int_equal(cau_csr_transpose(2, &blank, &t), CAUCUS_OK);
    assert_int_equal(t.rows, 0);
    assert_int_equal(t.columns, 3);
    cau_csr_clear(&t);
}

static caucus_status transpose_work(void *self)
{
    cau_csr t = {0};
    caucus_status st = cau_csr_transpose(2, self, &t);
    if (st) assert_null(t.start); /* untouched */
    cau_csr_clear(&t);
    return st;
}

static caucus_status blocks_work(void *self)
{
    size_t *first = NULL, blocks;
    caucus_status st = cau_csr_blocks(self, 10, &first, &blocks);
    free(first);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 2);
    float dense[ROWS][COLUMNS];
    cau_csr x = random_csr(&rng, true, dense);
    assert_int_equal(test_every_allocation(transpose_work, &x), 4);
    assert_int_equal(test_every_allocation(blocks_work, &x), 1);
    cau_csr_clear(&x);
}

static void blocks_cover_the_rows(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    float dense[ROWS][COLUMNS];
    cau_csr x = random_csr(&rng, false, dense);
    const size_t all = cau_csr_nonzeros(&x);
    for (size_t target = 0; target < all + 50; target++) {
        size_t *first, blocks;
        assert_int_equal(cau_csr_blocks(&x, target, &first, &blocks), CAUCUS_OK);
        assert_true(blocks >= 1 && blocks <= ROWS);
        assert_int_equal(first[0], 0);
        assert_int_equal(first[blocks], ROWS);
        for (size_t b = 0; b < blocks; b++) {
            const size_t begin = first[b], end = first[b + 1];
            assert_true(end > begin);
            const size_t cost = x.start[end] - x.start[begin] + (end - begin);
            const size_t last = x.start[end] - x.start[end - 1] + 1;
            if (b + 1 < blocks) assert_true(cost >= target);
            assert_true(cost - last < target || end == begin + 1);
        }
        free(first);
    }
    cau_csr_clear(&x);

    cau_csr none = {0};
    size_t *first, blocks = 7;
    assert_int_equal(cau_csr_blocks(&none, 10, &first, &blocks), CAUCUS_OK);
    assert_int_equal(blocks, 0);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transpose_swaps_indices),
        cmocka_unit_test(threads_take_whole_rows),
        cmocka_unit_test(empty_matrices_transpose),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(blocks_cover_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
