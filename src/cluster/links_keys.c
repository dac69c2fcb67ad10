/* links_keys.c - a stack of keys, and a table of places with linear probing.
 *
 * What entered last leaves first, so a place is simply cleared: no later key can have been pushed
 * past it. For the same reason the keys enter a larger table in the order of their coming. */

#include "cluster/links_keys.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* Where the key is, or the free place where it would go. The table is never full. */
static size_t find_place(const cau_keys *set, uint64_t key)
{
    const size_t mask = set->places - 1;
    size_t at = cau_hash(&key, sizeof key, 0) & mask;
    while (set->place[at] && set->key[set->place[at] - 1] != key) at = (at + 1) & mask;
    return at;
}

bool cau_keys_has(const cau_keys *set, uint64_t key)
{
    return set->places && set->place[find_place(set, key)];
}

bool cau_keys_reserve(cau_keys *set, size_t more)
{
    size_t need, places = set->places ? set->places : 16;
    if (!cau_size_add(set->count, more, &need) || !CAU_GROW(set->key, set->room, need))
        return false;
    while (places / 2 < need)
        if (!cau_size_mul(places, 2, &places)) return false;
    if (places == set->places) return true;
    size_t *place = cau_calloc(places, sizeof *place);
    if (!place) return false;
    free(set->place);
    set->place = place;
    set->places = places;
    for (size_t i = 0; i < set->count; i++) place[find_place(set, set->key[i])] = i + 1;
    return true;
}

void cau_keys_add(cau_keys *set, uint64_t key)
{
    const size_t at = find_place(set, key);
    if (set->place[at]) return;
    set->key[set->count++] = key;
    set->place[at] = set->count;
}

void cau_keys_drop(cau_keys *set, size_t count)
{
    while (set->count > count) {
        set->place[find_place(set, set->key[set->count - 1])] = 0;
        set->count--;
    }
}

void cau_keys_clear(cau_keys *set)
{
    free(set->key);
    free(set->place);
    *set = (cau_keys){0};
}
