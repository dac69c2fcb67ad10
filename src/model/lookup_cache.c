/* lookup_cache.c - the observations of what was met lately.
 *
 * A few thousand contents (cau_family), of tags and their neighbours and of frequent words, are
 * most of what a tagger asks for. They are kept here with the observations of all features that
 * they can be, each at the place that its hash has, until another one needs the place. So most
 * features are answered from memory that is near, several at a time, and the table of the model
 * (lookup.c) is asked for the others only. Features that the model does not have are kept as
 * well: that is an answer too. Keys that come alone are not kept: to search here first saves no
 * time where it gives no more than one answer. */

#include "model/lookup_cache.h"

#include <string.h>

#include "base/memory.h"
#include "model/layout.h"

enum { BITS = 13 }; /* of the number of places: 256 KB, which is less than a second-level cache */

typedef struct {
    uint64_t content; /* its hash plus 1; 0 where nothing is kept */
    uint32_t family;
    uint32_t row[CAU_FAMILY_MOST]; /* of the members; or CAU_UNKNOWN */
} entry;

struct cau_lookup_cache {
    entry at[1 << BITS];
};

cau_lookup_cache *cau_lookup_cache_new(void)
{
    return cau_calloc(1, sizeof(cau_lookup_cache));
}

static size_t place_of(uint64_t content, uint32_t family)
{
    return cau_name_slot_mix(content + (uint64_t)family * 0x9E3779B97F4A7C15u) >> (64 - BITS);
}

/* Copies what is kept of a content to row[], and tells whether it is of this one. */
static inline bool is_kept(const cau_lookup_cache *recent, uint64_t content, uint32_t family,
                           uint32_t *row)
{
    const entry *e = &recent->at[place_of(content, family)];
    memcpy(row, e->row, sizeof e->row);
    return (e->content == content + 1) & (e->family == family);
}

/* Without a branch, since nothing tells which contents are here. */
size_t cau_lookup_cache_ask(const cau_lookup_cache *recent, const cau_observations *of,
                            const cau_family *family, size_t count, const cau_key *content,
                            size_t place, uint64_t *hash, uint32_t *row, cau_open *open)
{
    const uint32_t members = family->members, number = family->number;
    size_t opens = 0;
    for (size_t j = 0; j < count; j++) {
        const bool kept = is_kept(recent, content[j].hash, number, row + place + j * members);
        open[opens].place = (uint32_t)j;
        opens += !kept;
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

static void keep(cau_lookup_cache *recent, const cau_open *open, const uint32_t *row)
{
    entry *e = &recent->at[place_of(open->content, open->family)];
    e->content = open->content + 1;
    e->family = open->family;
    for (size_t m = 0; m < open->members; m++) e->row[m] = row[m];
}

void cau_lookup_cache_answer(cau_lookup_cache *recent, const cau_observations *of, size_t count,
                             const cau_open *open, const uint64_t *hash, uint32_t *row)
{
    for (const cau_open *o = open; o < open + count; o++) {
        for (size_t m = 0; m < o->members; m++)
            row[o->place + m] = cau_name_slot_answer(of, hash[o->place + m]);
        if (o->family) keep(recent, o, row + o->place);
    }
}
