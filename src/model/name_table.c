/* name_table.c - builds the table of names, which lookup.c describes.
 *
 * Inserting names one by one would write all over the table and miss the cache each time. They are
 * therefore first sorted by value, with few streams through memory, and then written from one end
 * of the table to the other:
 *
 *     place_i = max( first(v_i), place_{i-1} + 1 )
 *
 * Values are hashes, so sorting by their upper bits, digit by digit, brings every name to its place
 * or close to it. */

#include "model/layout.h"

enum {
    BITS = 11, /* of a digit */
    DIGITS = 1 << BITS,
};

static size_t digit(const cau_name_slot *slot, unsigned shift)
{
    return (cau_name_slot_value(slot) >> shift) % DIGITS;
}

/* A stable sort by one digit. */
static void sort_by_digit(const cau_name_slot *from, size_t n, unsigned shift, cau_name_slot *to)
{
    size_t at[DIGITS + 1] = {0};
    for (size_t i = 0; i < n; i++) at[digit(&from[i], shift) + 1]++;
    for (size_t d = 0; d < DIGITS; d++) at[d + 1] += at[d];
    for (size_t i = 0; i < n; i++) to[at[digit(&from[i], shift)]++] = from[i];
}

/* Insertion sort, for nearly sorted slots. */
static void insertion_sort(cau_name_slot *slot, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const cau_name_slot mine = slot[i];
        size_t at = i;
        for (; at > 0 && cau_name_slot_value(&mine) < cau_name_slot_value(&slot[at - 1]); at--)
            slot[at] = slot[at - 1];
        slot[at] = mine;
    }
}

bool cau_name_table_sort(cau_name_slot *slot, size_t n, cau_name_slot *spare)
{
    sort_by_digit(slot, n, 64 - 2 * BITS, spare);
    sort_by_digit(spare, n, 64 - BITS, slot);
    insertion_sort(slot, n);
    for (size_t i = 1; i < n; i++)
        if (cau_name_slot_value(&slot[i]) == cau_name_slot_value(&slot[i - 1])) return false;
    return n == 0 || cau_name_slot_value(&slot[n - 1]) != UINT64_MAX;
}

/* The place of a name if the places before `end` are taken. */
static size_t next_place(const cau_name_slot *name, size_t slots, size_t end)
{
    const size_t first = cau_name_slot_first(cau_name_slot_value(name), slots);
    return first > end ? first : end;
}

size_t cau_name_table_measure(const cau_name_slot *sorted, size_t n, size_t slots, size_t *begin)
{
    size_t end = begin[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % CAU_SLOTS_BLOCK == 0) begin[i / CAU_SLOTS_BLOCK] = end;
        end = next_place(&sorted[i], slots, end) + 1;
    }
    const size_t places = (end > slots ? end : slots) + 1;
    begin[cau_name_table_blocks(n)] = places;
    return places;
}

void cau_name_table_place(const cau_name_slot *sorted, size_t n, size_t slots, const size_t *begin,
                          size_t block, cau_name_slot *table)
{
    static const cau_name_slot free_slot = {UINT32_MAX, UINT32_MAX, CAU_UNKNOWN};
    const size_t from = block * CAU_SLOTS_BLOCK;
    const size_t to = n - from < CAU_SLOTS_BLOCK ? n : from + CAU_SLOTS_BLOCK;
    size_t at = begin[block];
    for (size_t i = from; i < to; i++) {
        for (const size_t place = next_place(&sorted[i], slots, at); at < place;)
            table[at++] = free_slot;
        table[at++] = sorted[i];
    }
    while (to == n && at < begin[block + 1]) table[at++] = free_slot;
}
