/* sparse_row_test.c - features that come twice, groups, zeros; against a table of sums. */

#include <float.h>
#include <string.h>

#include "base/rng.h"
#include "dataset/sparse_row.h"
#include "support/support.h"

static void test_sums_and_presence(void **state)
{
    (void)state;
    cau_sparse_row bag = {0};
    assert_int_equal(cau_sparse_row_reset(&bag), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 5, 1, false), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 0, 1, false), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 5, 1, true), CAUCUS_OK);
    cau_sparse_row_close(&bag);
    assert_true(bag.plain);
    assert_int_equal(bag.count, 2);
    assert_int_equal(bag.id[0], 5);
    assert_int_equal(bag.id[1], 0);

    assert_int_equal(cau_sparse_row_reset(&bag), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 5, 1, false), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 5, 1.5f, false), CAUCUS_OK);
    cau_sparse_row_close(&bag);
    assert_false(bag.plain);
    assert_int_equal(bag.count, 1);
    assert_true(bag.value[0] == 2.5f);

    assert_int_equal(cau_sparse_row_reset(&bag),
                     CAUCUS_OK); /* 3 goes, and the rest is plain again */
    assert_int_equal(cau_sparse_row_add(&bag, 3, 2, false), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 4, 1, false), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 3, -2, false), CAUCUS_OK);
    cau_sparse_row_close(&bag);
    assert_true(bag.plain);
    assert_int_equal(bag.count, 1);
    assert_int_equal(bag.id[0], 4);

    assert_int_equal(cau_sparse_row_reset(&bag), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 9, FLT_MAX, false), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_add(&bag, 9, FLT_MAX, false), CAUCUS_ERR_NUMERIC);

    assert_int_equal(cau_sparse_row_reset(&bag),
                     CAUCUS_OK); /* 0 is appended without being looked for */
    assert_int_equal(cau_sparse_row_append(&bag, 7, 1), CAUCUS_OK);
    assert_int_equal(cau_sparse_row_append(&bag, 0, 0.5f), CAUCUS_OK);
    cau_sparse_row_close(&bag);
    assert_false(bag.plain);
    assert_int_equal(bag.count, 2);
    assert_int_equal(bag.id[1], 0);
    assert_true(bag.value[1] == 0.5f);
    cau_sparse_row_clear(&bag);
}

/* Random instances of 1 to 4 groups, each compared with a dense table of its sums. */
static void test_random_groups(void **state)
{
    (void)state;
    enum { IDS = 40, GROUPS = 4 };
    cau_sparse_row bag = {0};
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t instance = 0; instance < 2000; instance++) {
        float sum[GROUPS][IDS] = {{0}};
        const size_t groups = 1 + (size_t)cau_rng_below(&rng, GROUPS);
        assert_int_equal(cau_sparse_row_reset(&bag), CAUCUS_OK);
        for (size_t g = 0; g < groups; g++) {
            if (g) assert_int_equal(cau_sparse_row_group(&bag), CAUCUS_OK);
            for (size_t n = (size_t)cau_rng_below(&rng, 30); n > 0; n--) {
                const uint32_t id = (uint32_t)cau_rng_below(&rng, IDS);
                const float value = (float)cau_rng_below(&rng, 5) - 2;
                sum[g][id] += value;
                assert_int_equal(cau_sparse_row_add(&bag, id, value, false), CAUCUS_OK);
            }
        }
        cau_sparse_row_close(&bag);
        assert_int_equal(bag.groups, groups);
        assert_int_equal(bag.start[0], 0);
        assert_int_equal(bag.start[groups], bag.count);
        for (size_t g = 0; g < groups; g++) {
            for (size_t i = bag.start[g]; i < bag.start[g + 1]; i++) {
                assert_true(bag.value[i] != 0);
                assert_true(bag.value[i] == sum[g][bag.id[i]]);
                sum[g][bag.id[i]] = 0; /* seen: a second time would differ */
            }
            for (size_t id = 0; id < IDS; id++) assert_true(sum[g][id] == 0);
        }
    }
    cau_sparse_row_clear(&bag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_and_presence),
        cmocka_unit_test(test_random_groups),
    };
    return cmocka_run_group_tests_name("dataset/sparse_row", tests, NULL, NULL);
}
