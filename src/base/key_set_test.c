/* key_set_test.c - checks a set of keys against an array of flags. */

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/rng.h"

static void empty_sets_have_no_keys(void **state)
{
    (void)state;
    cau_key_set set = {0};
    assert_true(cau_key_set_find(&set, 0) == SIZE_MAX);
    cau_key_set_drop(&set, 0);
    assert_true(cau_key_set_reserve(&set, 0));
    assert_true(cau_key_set_find(&set, 7) == SIZE_MAX);
    cau_key_set_clear(&set);
}

static void keys_are_numbered_in_order(void **state)
{
    (void)state;
    static const uint64_t keys[] = {5, UINT64_MAX, 0, 5, 1ull << 40, 0};
    static const size_t number[] = {0, 1, 2, 0, 3, 2};
    cau_key_set set = {0};
    for (size_t i = 0; i < 6; i++) {
        assert_true(cau_key_set_reserve(&set, 1));
        assert_int_equal(cau_key_set_add(&set, keys[i]), number[i]);
        assert_int_equal(cau_key_set_find(&set, keys[i]), number[i]);
    }
    assert_int_equal(set.count, 4);
    cau_key_set_clear(&set);
}

/* Inserts and removes random keys; the set always equals the array of flags. */
static void random_changes_match_the_flags(void **state)
{
    (void)state;
    enum { KEYS = 500, STEPS = 20000 };
    cau_rng rng;
    cau_rng_init(&rng, 3);
    cau_key_set set = {0};
    bool has[KEYS] = {false};
    for (size_t step = 0; step < STEPS; step++) {
        const uint64_t key = cau_rng_below(&rng, KEYS);
        if (cau_rng_below(&rng, 50) == 0) {
            const size_t left = cau_rng_below(&rng, (uint32_t)set.count + 1);
            for (size_t i = left; i < set.count; i++) has[set.key[i] / 3] = false;
            cau_key_set_drop(&set, left);
        }
        assert_true(cau_key_set_reserve(&set, 1));
        const size_t before = set.count, number = cau_key_set_add(&set, key * 3);
        assert_int_equal(set.count, before + !has[key]);
        assert_true(set.key[number] == key * 3);
        has[key] = true;
        const uint64_t other = cau_rng_below(&rng, KEYS);
        assert_int_equal(cau_key_set_find(&set, other * 3) != SIZE_MAX, has[other]);
    }
    cau_key_set_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_sets_have_no_keys),
        cmocka_unit_test(keys_are_numbered_in_order),
        cmocka_unit_test(random_changes_match_the_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
