/* lookup.c - finding observations by name, and adding their weights.
 *
 * The table of names is an ordered hash table [1]. It stores only the mixed hash of a name, its
 * value v. A name is at place v * slots / 2^64 or later, and the values ascend over the whole
 * table; a free place has the largest value. A search begins at the place of its value and
 * continues over smaller values:
 *
 *     place    0    1    2    3    4    5    6    7            6 slots for values below 64:
 *     value    -    17   22   25   -    58   60   -            first place = value * 6 / 64
 *
 * 17 is found at place 1, its first; 25 at place 3, after 22; at 25 the search for 24 fails. So a
 * search for an unknown name ends as soon as one for a known name: with half of the places used, at
 * the first or second place (1.5 on average), mostly within one cache line. Taggers mostly look up
 * unknown names. Names that overflow the end use extra places, the last of which is free, so that
 * every search ends.
 *
 * If two names of a model have the same hash, building it uses the next base. An unknown name has
 * the hash of a known one with probability K / 2^61, which is accepted.
 *
 * [1] Amble, Knuth. Ordered hash tables. The Computer Journal 17(2), 1974. */

#include <string.h>

#include "base/key.h"
#include "math/kernels.h"
#include "model/layout.h"

enum { AHEAD = 8 }; /* packed rows between prefetch and use */

const char *cau_kind_name(cau_kind kind)
{
    static const char *const names[] = {"maxent", "memm", "crf"};
    return names[kind];
}

const char *cau_combine_name(cau_combine combine)
{
    static const char *const names[] = {"product", "mixture", "stack"};
    return names[combine];
}

const char *cau_per_name(cau_per per)
{
    static const char *const names[] = {"sequence", "transition"};
    return names[per];
}

const char *cau_mix_name(cau_mix mix)
{
    static const char *const names[] = {"chain", "posterior", "rescore", "exact"};
    return names[mix];
}

/* ---- names --------------------------------------------------------------------------- */

uint64_t cau_model_hash(const caucus_model *m, const char *s, size_t n)
{
    return cau_key_hash(m->base, s, n);
}

void cau_model_ask(const cau_observations *of, uint64_t hash)
{
    __builtin_prefetch(cau_name_slot_place(of, hash));
}

uint32_t cau_model_find(const caucus_model *m, const cau_observations *of, const char *s, size_t n)
{
    return cau_name_slot_find(of, cau_model_hash(m, s, n));
}

uint32_t cau_model_answer(const cau_observations *of, uint64_t hash)
{
    return cau_name_slot_answer(of, hash);
}

bool cau_model_sound(const cau_observations *of, uint32_t k)
{
    if (of->dense) {
        const float *row = of->dense + (size_t)k * of->width;
        return cau_blocks_right(of->blocks, row, row + of->width);
    }
    return cau_blocks_right(of->blocks, of->packed + of->start[k], of->packed + of->start[k + 1]);
}

cau_str cau_model_name(const cau_observations *of, size_t k)
{
    return (cau_str){of->name_bytes + of->name_at[k],
                     (size_t)(of->name_at[k + 1] - of->name_at[k])};
}

const char *cau_model_label(const caucus_model *m, size_t y)
{
    return m->label_bytes + m->label_at[y];
}

uint32_t cau_model_label_find(const caucus_model *m, cau_str label)
{
    for (size_t y = 0; y < m->Y; y++) {
        size_t length = (size_t)(m->label_at[y + 1] - m->label_at[y]) - 1;
        if (length == label.n && memcmp(cau_model_label(m, y), label.s, length) == 0)
            return (uint32_t)y;
    }
    return CAU_UNKNOWN;
}

/* ---- info ---------------------------------------------------------------------------- */

bool cau_model_info_next(const caucus_model *m, size_t *at, const char **key, const char **value)
{
    if (*at >= m->info.n) return false;
    *key = m->info.s + *at;
    *value = *key + strlen(*key) + 1;
    *at = (size_t)(*value - m->info.s) + strlen(*value) + 1;
    return true;
}

const char *cau_model_info(const caucus_model *m, const char *key)
{
    const char *name, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &name, &value);)
        if (strcmp(name, key) == 0) return value;
    return NULL;
}

/* ---- weights ------------------------------------------------------------------------- */

double cau_model_weight(const cau_observations *of, size_t k, size_t cell)
{
    if (of->dense) return (double)of->dense[k * of->width + cell];
    for (uint64_t i = of->start[k]; i < of->start[k + 1]; i++)
        if (of->packed[i].cell == cell) return (double)of->packed[i].weight;
    return 0;
}

/* The address of a packed row is in `start`, so rows are prefetched a few steps ahead. */
static void add_packed(const cau_observations *of, size_t count, const uint32_t *id,
                       const float *value, double *s)
{
    for (size_t i = 0; i < count && i < AHEAD; i++)
        __builtin_prefetch(&of->packed[of->start[id[i]]]);
    for (size_t i = 0; i < count; i++) {
        if (count - i > AHEAD) __builtin_prefetch(&of->packed[of->start[id[i + AHEAD]]]);
        const double v = value ? (double)value[i] : 1;
        const uint64_t end = of->start[id[i] + 1];
        for (uint64_t j = of->start[id[i]]; j < end; j++)
            s[of->packed[j].cell] += v * (double)of->packed[j].weight;
    }
}

void cau_model_add(const cau_observations *of, size_t count, const uint32_t *id, const float *value,
                   double *s)
{
    if (of->dense)
        cau_kernels_get()->score(count, id, value, of->width, of->dense, s);
    else
        add_packed(of, count, id, value, s);
}

caucus_status cau_model_scores(const caucus_model *m, const cau_indexed_instance *x, double *s)
{
    const size_t width = m->nodes.width;
    if (x->groups * width != m->Y) return CAUCUS_ERR_ARGUMENT;
    for (size_t y = 0; y < m->Y; y++) s[y] = m->bias ? (double)m->bias[y] : 0;
    for (size_t g = 0; g < x->groups; g++) {
        size_t at = x->start[g], count = x->start[g + 1] - at;
        if (count)
            cau_model_add(&m->nodes, count, x->id + at, x->value ? x->value + at : NULL,
                          s + g * width);
    }
    return CAUCUS_OK;
}
