/* classes.c - how often each pair of labels, the true one and the given one, occurs.
 *
 * All there is to keep is a table of pairs (gold, predicted) -> count, by open addressing with
 * linear probing. Everything else about classes follows from it (measures.c). */

#include <stdlib.h>

#include "base/memory.h"
#include "eval/scores.h"

enum { FIRST_BITS = 6 };

/* The slot of a pair: its own, or the free one where it belongs. */
static cau_pair *pair_slot(const cau_pair_table *table, uint32_t gold, uint32_t predicted)
{
    uint64_t key = (uint64_t)gold << 32 | predicted;
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = (size_t)((key ^ key >> 29) * 0x9e3779b97f4a7c15u >> (64 - table->bits));
    for (;; at = (at + 1) & mask) {
        cau_pair *slot = &table->slots[at];
        if (slot->count == 0 || (slot->gold == gold && slot->predicted == predicted)) return slot;
    }
}

static bool pair_table_grow(cau_pair_table *table)
{
    cau_pair_table larger = {.used = table->used,
                             .bits = table->slots ? table->bits + 1 : FIRST_BITS};
    larger.slots = cau_calloc((size_t)1 << larger.bits, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++) {
        const cau_pair *pair = &table->slots[i];
        if (pair->count) *pair_slot(&larger, pair->gold, pair->predicted) = *pair;
    }
    free(table->slots);
    *table = larger;
    return true;
}

bool cau_pair_table_count(cau_pair_table *table, uint32_t gold, uint32_t predicted)
{
    if (!table->slots || table->used * 2 >= (size_t)1 << table->bits)
        if (!pair_table_grow(table)) return false;
    cau_pair *slot = pair_slot(table, gold, predicted);
    if (slot->count == 0) {
        *slot = (cau_pair){gold, predicted, 0};
        table->used++;
    }
    slot->count++;
    return true;
}

void cau_pair_table_take(cau_pair_table *table, cau_pair **pairs, size_t *count)
{
    size_t n = 0;
    for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++)
        if (table->slots[i].count) table->slots[n++] = table->slots[i];
    *pairs = table->slots;
    *count = n;
    *table = (cau_pair_table){0};
}

void cau_pair_table_clear(cau_pair_table *table)
{
    free(table->slots);
    *table = (cau_pair_table){0};
}

int cau_shown(cau_str label)
{
    enum { MOST = 80 };
    size_t n = label.n;
    if (n > MOST)
        for (n = MOST; n && ((unsigned char)label.s[n] & 0xc0) == 0x80;) n--;
    return (int)n;
}
