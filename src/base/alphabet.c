/* alphabet.c - a hash table from names to numbers.
 *
 * The names lie one after the other in a pool of bytes, each followed by a NUL; start[id] is the
 * offset of name id. The table uses open addressing with linear probing and is at most 3/4 full. A
 * slot takes 8 bytes: the number and the upper half of the hash of the name, so that names are
 * compared only when they are almost certainly equal. Looking up a known name reads the table and
 * the pool once; no name has an allocation of its own.
 *
 * Most of the time goes into waiting for memory, three times for each name: for its slot, its
 * offset and its bytes. cau_alphabet_add_all handles several names side by side: each step runs for
 * all of them and prefetches what the next step reads.
 *
 * The first place to look for a name is given by the upper bits of its half of the hash. So the
 * table can grow without reading names, and its slots move to ascending places. */

#include "base/alphabet.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"

enum {
    FIRST_SLOTS = 64, /* a power of two */
    BATCH = 32,       /* names looked up side by side */
};

typedef struct {
    uint32_t tag; /* upper 32 bits of the hash */
    uint32_t id;  /* CAU_UNKNOWN: the slot is free */
} slot;

struct cau_alphabet {
    slot *table;
    size_t slots; /* a power of two */

    size_t size;   /* names */
    size_t *start; /* [size + 1]: name id is pool[start[id]] to pool[start[id + 1] - 2] */
    char *pool;
    size_t start_room, pool_room;
};

/* All slots free. */
static void empty_table(slot *table, size_t slots)
{
    memset(table, 0xFF, slots * sizeof *table);
}

caucus_status cau_alphabet_new(caucus_ctx *ctx, cau_alphabet **out)
{
    cau_alphabet *a = cau_calloc(1, sizeof *a);
    if (a) {
        a->table = cau_alloc(FIRST_SLOTS, sizeof *a->table);
        if (a->table && CAU_GROW(a->start, a->start_room, 1)) {
            a->slots = FIRST_SLOTS;
            empty_table(a->table, a->slots);
            a->start[0] = 0;
            *out = a;
            return CAUCUS_OK;
        }
    }
    cau_alphabet_free(a);
    return cau_fail_memory(ctx, "the names");
}

void cau_alphabet_free(cau_alphabet *a)
{
    if (!a) return;
    free(a->table);
    free(a->start);
    free(a->pool);
    free(a);
}

size_t cau_alphabet_size(const cau_alphabet *a)
{
    return a->size;
}

cau_str cau_alphabet_name(const cau_alphabet *a, uint32_t id)
{
    return (cau_str){a->pool + a->start[id], a->start[id + (size_t)1] - a->start[id] - 1};
}

/* The half of the hash of a name that a slot keeps. */
static uint32_t tag_of(const char *s, size_t n)
{
    return (uint32_t)(cau_hash(s, n, 0) >> 32);
}

/* The first place to look for a tag in a table of `slots` slots, a power of two. */
static size_t place_of(uint32_t tag, size_t slots)
{
    return (size_t)(((uint64_t)tag * slots) >> 32);
}

/* The slot of a name, or the free slot in which to put it. */
static slot *find_slot(const cau_alphabet *a, const char *s, size_t n, uint32_t tag)
{
    for (size_t at = place_of(tag, a->slots);; at = (at + 1) & (a->slots - 1)) {
        slot *here = &a->table[at];
        if (here->id == CAU_UNKNOWN) return here;
        if (here->tag != tag) continue;
        const cau_str name = cau_alphabet_name(a, here->id);
        if (name.n == n && memcmp(name.s, s, n) == 0) return here;
    }
}

/* Inserts a slot that is not in the table yet. */
static void insert_slot(slot *table, size_t slots, slot one)
{
    size_t at = place_of(one.tag, slots);
    while (table[at].id != CAU_UNKNOWN) at = (at + 1) & (slots - 1);
    table[at] = one;
}

static bool widen_table(cau_alphabet *a)
{
    size_t slots;
    if (!cau_size_mul(a->slots, 2, &slots)) return false;
    slot *table = cau_alloc(slots, sizeof *table);
    if (!table) return false;
    empty_table(table, slots);
    for (size_t i = 0; i < a->slots; i++)
        if (a->table[i].id != CAU_UNKNOWN) insert_slot(table, slots, a->table[i]);
    free(a->table);
    a->table = table;
    a->slots = slots;
    return true;
}

uint32_t cau_alphabet_find(const cau_alphabet *a, const char *s, size_t n)
{
    return find_slot(a, s, n, tag_of(s, n))->id;
}

static uint32_t add_tagged(cau_alphabet *a, const char *s, size_t n, uint32_t tag)
{
    slot *place = find_slot(a, s, n, tag);
    if (place->id != CAU_UNKNOWN) return place->id;

    const size_t begin = a->start[a->size];
    size_t end;
    if (a->size == CAU_UNKNOWN || !cau_size_add(begin, n, &end) || !cau_size_add(end, 1, &end) ||
        !CAU_GROW(a->pool, a->pool_room, end) || !CAU_GROW(a->start, a->start_room, a->size + 2))
        return CAU_UNKNOWN;
    if (a->size + 1 > a->slots - a->slots / 4) {
        if (!widen_table(a)) return CAU_UNKNOWN;
        place = find_slot(a, s, n, tag);
    }

    if (n) memcpy(a->pool + begin, s, n);
    a->pool[end - 1] = '\0';
    a->start[a->size + 1] = end;
    *place = (slot){tag, (uint32_t)a->size};
    return (uint32_t)a->size++;
}

uint32_t cau_alphabet_add(cau_alphabet *a, const char *s, size_t n)
{
    return add_tagged(a, s, n, tag_of(s, n));
}

void cau_alphabet_add_all(cau_alphabet *a, const cau_str *names, size_t count, uint32_t *ids)
{
    for (size_t first = 0, n; first < count; first += n) {
        uint32_t tag[BATCH];
        size_t place[BATCH];
        n = count - first < BATCH ? count - first : BATCH;
        for (size_t i = 0; i < n; i++) {
            tag[i] = tag_of(names[first + i].s, names[first + i].n);
            place[i] = place_of(tag[i], a->slots);
            __builtin_prefetch(&a->table[place[i]]);
        }
        for (size_t i = 0; i < n; i++) {
            const uint32_t id = a->table[place[i]].id;
            if (id != CAU_UNKNOWN) __builtin_prefetch(&a->start[id]);
        }
        for (size_t i = 0; i < n; i++) {
            const uint32_t id = a->table[place[i]].id;
            if (id != CAU_UNKNOWN) __builtin_prefetch(a->pool + a->start[id]);
        }
        for (size_t i = 0; i < n; i++)
            ids[first + i] = add_tagged(a, names[first + i].s, names[first + i].n, tag[i]);
    }
}

bool cau_alphabet_join(cau_alphabet *a, const cau_alphabet *other, uint32_t *ids)
{
    for (size_t first = 0, n; first < other->size; first += n) {
        cau_str names[BATCH];
        n = other->size - first < BATCH ? other->size - first : BATCH;
        for (size_t i = 0; i < n; i++) names[i] = cau_alphabet_name(other, (uint32_t)(first + i));
        cau_alphabet_add_all(a, names, n, ids + first);
        for (size_t i = 0; i < n; i++)
            if (ids[first + i] == CAU_UNKNOWN) return false;
    }
    return true;
}

void cau_alphabet_empty(cau_alphabet *a)
{
    a->size = 0;
    empty_table(a->table, a->slots);
}

/* Moves the names that stay to the front of the pool and fills the table again, which cannot
 * fail. */
void cau_alphabet_filter(cau_alphabet *a, uint32_t *keep)
{
    size_t size = 0;
    size_t begin = 0; /* of the name in the old pool, as start[] is overwritten */
    for (size_t id = 0; id < a->size; id++) {
        const size_t end = a->start[id + 1];
        if (keep[id]) {
            memmove(a->pool + a->start[size], a->pool + begin, end - begin);
            a->start[size + 1] = a->start[size] + (end - begin);
            keep[id] = (uint32_t)size++;
        } else {
            keep[id] = CAU_UNKNOWN;
        }
        begin = end;
    }
    a->size = size;
    empty_table(a->table, a->slots);
    for (size_t id = 0; id < size; id++) {
        const cau_str name = cau_alphabet_name(a, (uint32_t)id);
        insert_slot(a->table, a->slots, (slot){tag_of(name.s, name.n), (uint32_t)id});
    }
}
