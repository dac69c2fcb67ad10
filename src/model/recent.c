/* recent.c - the observations of names that were met lately.
 *
 * A few thousand names, of tags and their neighbours and of frequent words, are most of what a
 * tagger asks for: on CoNLL-2000 with the chunking template of CRF++, three of four. They are kept
 * here, each at the place that its hash has, until another one needs the place. So most names are
 * answered from memory that is near, and the table of the model (lookup.c) is asked for the
 * others only. Names that the model does not have are kept as well: that is an answer too. */

#include "model/recent.h"

#include "base/memory.h"
#include "model/layout.h"

enum { BITS = 14 }; /* of the number of places: 256 KB, which is less than a second-level cache */

typedef struct {
    uint64_t hash; /* plus 1; 0 where nothing is kept */
    uint32_t row;  /* or CAU_UNKNOWN */
} entry;

struct cau_recent {
    entry at[1 << BITS];
};

cau_recent *cau_recent_new(void)
{
    return cau_calloc(1, sizeof(cau_recent));
}

static size_t place_of(uint64_t hash)
{
    return cau_slot_mix(hash) >> (64 - BITS);
}

/* Without a branch, since nothing tells which names are here. */
size_t cau_recent_ask(const cau_recent *recent, const cau_observations *of, size_t begin,
                      size_t end, const uint64_t *hash, uint32_t *row, uint32_t *open)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        const entry *e = &recent->at[place_of(hash[i])];
        const bool here = e->hash == hash[i] + 1;
        const void *slot = cau_slot_place(of, hash[i]);
        __builtin_prefetch(here ? (const void *)e : slot);
        row[i] = e->row;
        open[count] = (uint32_t)i;
        count += !here;
    }
    return count;
}

void cau_recent_answer(cau_recent *recent, const cau_observations *of, size_t count,
                       const uint32_t *open, const uint64_t *hash, uint32_t *row)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t h = hash[open[i]];
        const uint32_t k = cau_slot_answer(of, h);
        recent->at[place_of(h)] = (entry){h + 1, k};
        row[open[i]] = k;
    }
}
