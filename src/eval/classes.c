/* classes.c - counts of pairs (gold label, predicted label), from which all else about classes
 * follows (measures.c). */

#include <stdlib.h>

#include "base/memory.h"
#include "eval/scores.h"

bool cau_pair_counts_add(cau_pair_counts *counts, uint32_t gold, uint32_t predicted)
{
    cau_key_set *keys = &counts->keys;
    if (!cau_key_set_reserve(keys, 1) || !CAU_GROW(counts->pair, counts->room, keys->count + 1))
        return false;
    const size_t known = keys->count;
    cau_pair *pair = &counts->pair[cau_key_set_add(keys, (uint64_t)gold << 32 | predicted)];
    if (keys->count > known) *pair = (cau_pair){gold, predicted, 0};
    pair->count++;
    return true;
}

void cau_pair_counts_clear(cau_pair_counts *counts)
{
    cau_key_set_clear(&counts->keys);
    free(counts->pair);
    *counts = (cau_pair_counts){0};
}

int cau_shown(cau_str label)
{
    enum { MOST = 80 };
    size_t n = label.n;
    if (n > MOST)
        for (n = MOST; n && ((unsigned char)label.s[n] & 0xc0) == 0x80;) n--;
    return (int)n;
}
