/* name_table_test.c - compares name tables with tables built by inserting one name after the
 * other. */

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "model/layout.h"
#include "support/support.h"

enum { MOST = 10000 };

static const cau_name_slot free_slot = {UINT32_MAX, UINT32_MAX, CAU_UNKNOWN};

static cau_name_slot slot_of(uint64_t value, uint32_t row)
{
    return (cau_name_slot){(uint32_t)value, (uint32_t)(value >> 32), row};
}

/* Inserts a name at its place; larger values move up by one. */
static void insert(cau_name_slot *table, size_t slots, size_t *places, cau_name_slot mine)
{
    size_t i = cau_name_slot_first(cau_name_slot_value(&mine), slots);
    while (cau_name_slot_value(&table[i]) < cau_name_slot_value(&mine)) i++;
    for (; mine.row != CAU_UNKNOWN; i++) {
        const cau_name_slot held = table[i];
        table[i] = mine;
        mine = held;
    }
    if (i == *places) table[(*places)++] = free_slot;
}

static void check_table(const cau_name_slot *names, size_t n, size_t slots)
{
    cau_name_slot *sorted = cau_alloc(n, sizeof *sorted), *spare = cau_alloc(n, sizeof *spare);
    cau_name_slot *want = cau_alloc(slots + n + 1, sizeof *want), *table;
    size_t places = slots + 1;
    assert_true(sorted && spare && want);
    for (size_t i = 0; i < places; i++) want[i] = free_slot;
    for (size_t i = 0; i < n; i++) insert(want, slots, &places, names[i]);

    if (n) memcpy(sorted, names, n * sizeof *sorted);
    assert_true(cau_name_table_sort(sorted, n, spare));
    size_t begin[MOST / CAU_SLOTS_BLOCK + 2];
    assert_int_equal(cau_name_table_measure(sorted, n, slots, begin), places);
    table = cau_alloc(places, sizeof *table);
    assert_non_null(table);
    for (size_t b = cau_name_table_blocks(n); b > 0; b--)
        cau_name_table_place(sorted, n, slots, begin, b - 1, table);
    assert_memory_equal(table, want, places * sizeof *table);
    free(sorted);
    free(spare);
    free(want);
    free(table);
}

/* Values spread over the table, in one part of it, and at its end. */
static void test_tables(void **state)
{
    (void)state;
    static const struct {
        uint64_t least;
        unsigned shift;
    } kinds[] = {{0, 0}, {UINT64_C(1) << 62, 20}, {UINT64_C(1) << 62, 44}, {UINT64_MAX << 20, 44}};
    static const size_t sizes[] = {0, 1, 2, 3, 10, 100, CAU_SLOTS_BLOCK, CAU_SLOTS_BLOCK + 1, MOST};
    static cau_name_slot names[MOST];
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t n = sizes[s];
            for (size_t i = 0; i < n; i++) { /* the lowest bits make all values different */
                const uint64_t any = cau_rng_next(&rng) >> kinds[kind].shift;
                names[i] =
                    slot_of(kinds[kind].least + (any & ~UINT64_C(16383)) + i, (uint32_t)(n - i));
            }
            check_table(names, n, 2 * n + 1);
            check_table(names, n, n + 1);
        }
}

static void test_same_values(void **state)
{
    (void)state;
    cau_name_slot names[3] = {slot_of(7, 0), slot_of(5, 1), slot_of(7, 2)}, spare[3];
    assert_false(cau_name_table_sort(names, 3, spare));
    names[0] = slot_of(UINT64_MAX, 0); /* the mark of a free slot */
    assert_false(cau_name_table_sort(names, 1, spare));
    names[0] = slot_of(UINT64_MAX - 1, 0);
    assert_true(cau_name_table_sort(names, 1, spare));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_same_values),
    };
    return cmocka_run_group_tests_name("model/name_table", tests, NULL, NULL);
}
