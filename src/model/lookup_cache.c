/* lookup_cache.c - a direct-mapped cache of recent lookups.
 *
 * Most lookups of a tagger are for a few thousand contents (cau_family): tags, their neighbours,
 * and frequent words. The cache keeps the observations of all features of a content, at the place
 * of its hash, until another content takes the place. So most features are found in nearby memory,
 * several at a time, and only the others are looked up in the table of the model (lookup.c).
 * Features that the model lacks are cached too. Single keys are not cached: a hit would answer only
 * one lookup, which saves no time. */

#include "model/lookup_cache.h"

#include <string.h>

#include "base/memory.h"
#include "model/layout.h"

enum { BITS = 13 }; /* log2 of the number of places; 256 KB fit a second-level cache */

typedef struct {
    uint64_t content; /* its hash plus 1; 0 in an empty place */
    uint32_t family;
    uint32_t row[CAU_FAMILY_MOST]; /* of the members; or CAU_UNKNOWN */
} cache_entry;

struct cau_lookup_cache {
    cache_entry at[1 << BITS];
};

cau_lookup_cache *cau_lookup_cache_new(void)
{
    return cau_calloc(1, sizeof(cau_lookup_cache));
}

static size_t place_of(uint64_t content, uint32_t family)
{
    return cau_name_slot_mix(content + (uint64_t)family * 0x9E3779B97F4A7C15u) >> (64 - BITS);
}

/* Copies the entry at the place of a content to row[]; true if it is for this content. */
static inline bool read_entry(const cau_lookup_cache *cache, uint64_t content, uint32_t family,
                              uint32_t *row)
{
    const cache_entry *e = &cache->at[place_of(content, family)];
    memcpy(row, e->row, sizeof e->row);
    return (e->content == content + 1) & (e->family == family);
}

/* The first loop has no branch, because hits are unpredictable. */
size_t cau_lookup_cache_ask(const cau_lookup_cache *cache, const cau_observations *of,
                            const cau_family *family, size_t count, const cau_key *content,
                            size_t place, uint64_t *hash, uint32_t *row, cau_open *open)
{
    const uint32_t members = family->members, number = family->number;
    size_t opens = 0;
    for (size_t j = 0; j < count; j++) {
        const bool hit = read_entry(cache, content[j].hash, number, row + place + j * members);
        open[opens].place = (uint32_t)j;
        opens += !hit;
    }
    for (size_t i = 0; i < opens; i++) {
        const size_t j = open[i].place, at = place + j * members;
        open[i] = (cau_open){content[j].hash, number, members, (uint32_t)at};
        for (size_t m = 0; m < members; m++) {
            hash[at + m] = cau_family_key(family, m, content[j]);
            __builtin_prefetch(cau_name_slot_place(of, hash[at + m]));
        }
    }
    return opens;
}

static void write_entry(cau_lookup_cache *cache, const cau_open *open, const uint32_t *row)
{
    cache_entry *e = &cache->at[place_of(open->content, open->family)];
    e->content = open->content + 1;
    e->family = open->family;
    for (size_t m = 0; m < open->members; m++) e->row[m] = row[m];
}

void cau_lookup_cache_answer(cau_lookup_cache *cache, const cau_observations *of, size_t count,
                             const cau_open *open, const uint64_t *hash, uint32_t *row)
{
    for (const cau_open *o = open; o < open + count; o++) {
        for (size_t m = 0; m < o->members; m++)
            row[o->place + m] = cau_name_slot_answer(of, hash[o->place + m]);
        if (o->family) write_entry(cache, o, row + o->place);
    }
}
