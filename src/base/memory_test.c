/* memory_test.c - overflowing sizes, growing arrays, arenas. */

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

static void sizes_are_checked(void **state)
{
    (void)state;
    size_t size = 0;
    assert_true(cau_size_mul(3, 5, &size) && size == 15);
    assert_true(cau_size_add(3, 5, &size) && size == 8);
    assert_false(cau_size_mul(SIZE_MAX / 2, 3, &size));
    assert_false(cau_size_add(SIZE_MAX, 1, &size));
    assert_null(cau_alloc(SIZE_MAX / 4, 5));
    assert_null(cau_vector(SIZE_MAX / 4, 5));
    assert_null(cau_vector(SIZE_MAX - 3, 1)); /* the size fits, the padded size overflows */
}

static void empty_allocations_can_be_freed(void **state)
{
    (void)state;
    void *all[] = {cau_alloc(0, 8), cau_alloc(8, 0), cau_calloc(0, 8), cau_vector(0, 8)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_non_null(all[i]);
        free(all[i]);
    }
}

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    for (size_t count = 1; count < 200; count += 13) {
        double *vector = cau_vector(count, sizeof *vector);
        uint32_t *cleared = cau_calloc(count, sizeof *cleared);
        assert_true(vector && cleared);
        assert_int_equal((uintptr_t)vector % 64, 0);
        for (size_t i = 0; i < count; i++) assert_true(vector[i] == 0 && cleared[i] == 0);
        /* the vector is padded to a multiple of 64 bytes, which may be written */
        size_t padded = (count + 7) / 8 * 8;
        for (size_t i = 0; i < padded; i++) vector[i] = 1;
        free(vector);
        free(cleared);
    }
}

/* Vectors of several blocks and a partial one are cleared, also in reused memory. */
static void threads_clear_vectors(void **state)
{
    (void)state;
    enum { COUNT = 200001 };
    for (unsigned threads = 1; threads <= 4; threads++)
        for (size_t count = COUNT; count > 0; count /= 7) {
            double *before = cau_alloc(count, sizeof *before);
            assert_non_null(before);
            for (size_t i = 0; i < count; i++) before[i] = 1;
            free(before);
            double *vector = cau_vector_by(threads, count, sizeof *vector);
            assert_non_null(vector);
            assert_int_equal((uintptr_t)vector % 64, 0);
            for (size_t i = 0; i < (count + 7) / 8 * 8; i++) assert_true(vector[i] == 0);
            free(vector);
        }
    assert_null(cau_vector_by(2, SIZE_MAX / 4, 5));
}

static void growing_arrays_keep_their_contents(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0, grown = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        size_t before = capacity;
        assert_true(CAU_GROW(items, capacity, (size_t)i + 1));
        grown += capacity != before;
        items[i] = i;
    }
    for (uint32_t i = 0; i < 10000; i++) assert_int_equal(items[i], i);
    assert_in_range(grown, 1, 16);

    uint32_t *same = items;
    size_t held = capacity;
    assert_true(CAU_GROW(items, capacity, 10));
    assert_false(CAU_GROW(items, capacity, SIZE_MAX / 2)); /* the size in bytes overflows */
    test_memory_fail_at(1);
    assert_false(CAU_GROW(items, capacity, held + 1));
    assert_true(test_memory_failed());
    test_memory_fail_at(0);
    assert_ptr_equal(items, same);
    assert_int_equal(capacity, held);
    free(items);
}

/* Fills pieces of many sizes with different bytes; all keep their contents. */
static void arenas_keep_pieces_apart(void **state)
{
    (void)state;
    enum { PIECES = 3000 };
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    cau_arena arena;
    cau_arena_init(&arena);
    cau_rng rng;
    cau_rng_init(&rng, 7);
    for (size_t i = 0; i < PIECES; i++) {
        bool large = i % 100 == 50;
        sizes[i] = (size_t)cau_rng_below(&rng, large ? 3 << 20 : 200);
        pieces[i] = cau_arena_alloc(&arena, sizes[i], 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)(i % 251), sizes[i]);
        char *name = cau_arena_copy(&arena, "name", i % 5); /* makes the next pieces unaligned */
        assert_non_null(name);
        assert_int_equal(strlen(name), i % 5);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t j = 0; j < sizes[i]; j += 61) assert_int_equal(pieces[i][j], i % 251);
    cau_arena_clear(&arena);
    cau_arena_clear(&arena);                        /* clearing twice is allowed */
    assert_non_null(cau_arena_alloc(&arena, 1, 1)); /* the arena is usable after clearing */
    cau_arena_clear(&arena);
}

static void arenas_check_sizes(void **state)
{
    (void)state;
    cau_arena arena = {0};
    assert_null(cau_arena_alloc(&arena, SIZE_MAX / 2, 4));
    assert_null(cau_arena_alloc(&arena, SIZE_MAX - 8, 1));
    assert_null(cau_arena_copy(&arena, "x", SIZE_MAX));
    assert_non_null(cau_arena_alloc(&arena, 0, 4));
    cau_arena_clear(&arena);
}

static caucus_status fill_arena(void *self)
{
    (void)self;
    cau_arena arena = {0};
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; i < 50 && !st; i++)
        if (!cau_arena_alloc(&arena, i * 100, 1) || !cau_arena_copy(&arena, "text", 4))
            st = CAUCUS_ERR_MEMORY;
    cau_arena_clear(&arena);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(test_every_allocation(fill_arena, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(empty_allocations_can_be_freed),
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(threads_clear_vectors),
        cmocka_unit_test(growing_arrays_keep_their_contents),
        cmocka_unit_test(arenas_keep_pieces_apart),
        cmocka_unit_test(arenas_check_sizes),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
