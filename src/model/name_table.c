/* name_table.c - the table of names in the making. What it looks like is described in lookup.c.
 *
 * Names that come one after the other would each go to another end of the table, and wait for the
 * memory there. So they are first sorted by value, which takes them through memory in few streams,
 * and then go into the table from its one end to the other:
 *
 *     place_i = max( first(v_i), place_{i-1} + 1 )
 *
 * Values are hashes, so sorting needs not look at all of their bits: the upper ones, digit by
 * digit, bring every name to its place or close to it. */

#include "model/layout.h"

enum {
    BITS = 11, /* of a digit */
    DIGITS = 1 << BITS,
};

static size_t digit(const cau_name_slot *slot, unsigned shift)
{
    return (cau_name_slot_value(slot) >> shift) % DIGITS;
}

/* Sorts by one digit; equals stay in order. */
static void sort_by_digit(const cau_name_slot *from, size_t n, unsigned shift, cau_name_slot *to)
{
    size_t at[DIGITS + 1] = {0};
    for (size_t i = 0; i < n; i++) at[digit(&from[i], shift) + 1]++;
    for (size_t d = 0; d < DIGITS; d++) at[d + 1] += at[d];
    for (size_t i = 0; i < n; i++) to[at[digit(&from[i], shift)]++] = from[i];
}

/* Sorts what is nearly sorted. */
static void insert_all(cau_name_slot *slot, size_t n)
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
    insert_all(slot, n);
    for (size_t i = 1; i < n; i++)
        if (cau_name_slot_value(&slot[i]) == cau_name_slot_value(&slot[i - 1])) return false;
    return n == 0 || cau_name_slot_value(&slot[n - 1]) != UINT64_MAX;
}

/* Where a name goes when the places before `end` are no longer free. */
static size_t place_of(const cau_name_slot *name, size_t slots, size_t end)
{
    const size_t first = cau_name_slot_first(cau_name_slot_value(name), slots);
    return first > end ? first : end;
}

size_t cau_name_table_measure(const cau_name_slot *sorted, size_t n, size_t slots, size_t *begin)
{
    size_t end = begin[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % CAU_SLOTS_BLOCK == 0) begin[i / CAU_SLOTS_BLOCK] = end;
        end = place_of(&sorted[i], slots, end) + 1;
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
        for (const size_t place = place_of(&sorted[i], slots, at); at < place;)
            table[at++] = free_slot;
        table[at++] = sorted[i];
    }
    while (to == n && at < begin[block + 1]) table[at++] = free_slot;
}
