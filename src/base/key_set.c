/* key_set.c - an array of keys and a hash table of their numbers, with linear probing.
 *
 * Keys are removed in the reverse order of their addition, so a slot can simply be cleared: no key
 * added later was pushed past it. For the same reason a larger table is filled in that order. */

#include "base/key_set.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* The slot of a key, or the free slot where it would go. The table is never full. */
static size_t find_slot(const cau_key_set *set, uint64_t key)
{
    const size_t mask = set->slots - 1;
    size_t at = cau_hash(&key, sizeof key, 0) & mask;
    while (set->slot[at] && set->key[set->slot[at] - 1] != key) at = (at + 1) & mask;
    return at;
}

size_t cau_key_set_find(const cau_key_set *set, uint64_t key)
{
    return set->slots ? set->slot[find_slot(set, key)] - 1 : SIZE_MAX;
}

bool cau_key_set_reserve(cau_key_set *set, size_t more)
{
    size_t need, slots = set->slots ? set->slots : 16;
    if (!cau_size_add(set->count, more, &need) || !CAU_GROW(set->key, set->room, need))
        return false;
    while (slots / 2 < need)
        if (!cau_size_mul(slots, 2, &slots)) return false;
    if (slots == set->slots) return true;
    size_t *slot = cau_calloc(slots, sizeof *slot);
    if (!slot) return false;
    free(set->slot);
    set->slot = slot;
    set->slots = slots;
    for (size_t i = 0; i < set->count; i++) slot[find_slot(set, set->key[i])] = i + 1;
    return true;
}

size_t cau_key_set_add(cau_key_set *set, uint64_t key)
{
    const size_t at = find_slot(set, key);
    if (!set->slot[at]) {
        set->key[set->count++] = key;
        set->slot[at] = set->count;
    }
    return set->slot[at] - 1;
}

void cau_key_set_drop(cau_key_set *set, size_t count)
{
    while (set->count > count) set->slot[find_slot(set, set->key[--set->count])] = 0;
}

void cau_key_set_clear(cau_key_set *set)
{
    free(set->key);
    free(set->slot);
    *set = (cau_key_set){0};
}
