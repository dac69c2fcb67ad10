/* resolve_labels.c - from labels as they are written to classes.
 *
 * While data is read, every label is just a name: "?" and "B-PER|O" get numbers too. So a token
 * costs one lookup in the alphabet. When all data is read and the labels of the training set are
 * known, each written label is resolved once, not once per token:
 *
 *     written   0: O   1: ?   2: B-PER|O   3: B-PER   4: B-LOC (in the dev set only)
 *     meaning      O      any    {O, B-PER}   B-PER      B-LOC
 *     classes   0: O   1: B-PER
 *     gold         0      UNKNOWN  SET + 0    1          UNKNOWN
 *
 * All memory is allocated before the first set is changed, so a failure changes no set. */

#include "dataset/resolve_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "text/formats.h"

/* The meaning of each written label. */
typedef struct {
    size_t written;
    uint32_t *of;        /* [written] a label, CAU_UNKNOWN, or CAU_SET + a number in sets */
    cau_label_sets sets; /* of written labels, each set once */
    size_t start_room, label_room;
    cau_alphabet *index; /* sets by the bytes of their labels */
} label_meanings;

/* The new gold of one dataset. */
typedef struct {
    uint32_t *gold; /* [written] for each written label */
    cau_label_sets sets;
} gold_plan;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the labels");
}

static void sets_clear(cau_label_sets *sets)
{
    free(sets->start);
    free(sets->label);
    *sets = (cau_label_sets){0};
}

/* ---- from texts to sets ------------------------------------------------------------------ */

/* Cuts the next part off the front of *rest; rest->s is NULL once there are no more. */
static cau_str next_part(cau_str *rest)
{
    const char *bar = memchr(rest->s, '|', rest->n);
    const cau_str part = {rest->s, bar ? (size_t)(bar - rest->s) : rest->n};
    *rest = bar ? (cau_str){bar + 1, rest->n - part.n - 1} : (cau_str){NULL, 0};
    return part;
}

/* Whether a label has at least two parts and no empty part; *any tells whether one is "?". */
static bool has_parts(cau_str name, bool *any)
{
    size_t parts = 0;
    *any = false;
    for (cau_str rest = name; rest.s; parts++) {
        const cau_str part = next_part(&rest);
        if (part.n == 0) return false;
        *any |= cau_is_text(part, "?");
    }
    return parts > 1;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Appends the labels of a text with parts to the labels of all sets: ascending, without repeats. */
static caucus_status add_parts(label_meanings *m, cau_alphabet *labels, cau_str text, size_t *count)
{
    const size_t first = m->sets.count ? m->sets.start[m->sets.count] : 0;
    size_t end = first;
    for (cau_str rest = text; rest.s;) {
        const cau_str part = next_part(&rest);
        const uint32_t label = cau_alphabet_add(labels, part.s, part.n);
        if (label == CAU_UNKNOWN || !CAU_GROW(m->sets.label, m->label_room, end + 1))
            return CAUCUS_ERR_MEMORY;
        m->sets.label[end++] = label;
    }
    uint32_t *label = m->sets.label + first;
    qsort(label, end - first, sizeof *label, ascending);
    *count = 1;
    for (size_t i = 1; i < end - first; i++)
        if (label[i] != label[*count - 1]) label[(*count)++] = label[i];
    return CAUCUS_OK;
}

/* Sets the meaning of label y, which has parts. Equal sets share a number. */
static caucus_status resolve_set(label_meanings *m, cau_alphabet *labels, uint32_t y,
                                 cau_strbuf *copy)
{
    const cau_str name = cau_alphabet_name(labels, y);
    copy->n = 0;
    cau_strbuf_add(copy, name.s, name.n); /* adding to the alphabet may move the name */
    if (copy->failed || !CAU_GROW(m->sets.start, m->start_room, m->sets.count + 2))
        return CAUCUS_ERR_MEMORY;
    m->sets.start[0] = 0;

    size_t count = 0;
    if (add_parts(m, labels, (cau_str){copy->s, copy->n}, &count)) return CAUCUS_ERR_MEMORY;
    if (count == 1) return CAUCUS_OK; /* "a|a" is a label like any other */
    const size_t first = m->sets.start[m->sets.count];
    const uint32_t s = cau_alphabet_add(m->index, (const char *)(m->sets.label + first),
                                        count * sizeof *m->sets.label);
    if (s >= CAU_SET - 1) return CAUCUS_ERR_MEMORY;
    if (s == m->sets.count) m->sets.start[++m->sets.count] = first + count;
    m->of[y] = CAU_SET + s;
    return CAUCUS_OK;
}

static caucus_status resolve_all(caucus_ctx *ctx, cau_alphabet *labels, cau_label_reading reading,
                                 label_meanings *m)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf copy = {0};
    m->written = cau_alphabet_size(labels);
    m->of = cau_alloc(m->written, sizeof *m->of);
    if (!m->of || m->written >= CAU_SET) TRY(no_memory(ctx));
    TRY(cau_alphabet_new(ctx, &m->index));
    for (uint32_t y = 0; y < m->written; y++) {
        const cau_str name = cau_alphabet_name(labels, y);
        bool any = reading != CAU_LABELS_PLAIN && cau_is_text(name, "?");
        m->of[y] = y;
        if (reading == CAU_LABELS_PARTIAL && has_parts(name, &any) && !any &&
            resolve_set(m, labels, y, &copy))
            TRY(no_memory(ctx));
        if (any) m->of[y] = CAU_UNKNOWN;
    }
done:
    cau_strbuf_clear(&copy);
    return st;
}

/* ---- from sets to classes ---------------------------------------------------------------- */

static void mark_used(const cau_dataset *set, uint8_t *used, size_t written)
{
    memset(used, 0, written);
    for (size_t i = 0; i < set->N; i++) used[set->gold[i]] = 1;
}

/* Sets keep[y] = 1 for the labels that become classes and returns their number. */
static size_t choose_classes(const label_meanings *m, size_t known, const cau_dataset *train,
                             const uint8_t *used, uint32_t *keep, size_t Y)
{
    memset(keep, 0, Y * sizeof *keep);
    if (train->group > 1) {
        for (size_t y = 0; y < train->group; y++) keep[y] = 1;
        return train->group;
    }
    for (size_t y = 0; y < known; y++) keep[y] = 1;
    for (size_t y = 0; y < m->written; y++) {
        const uint32_t gold = m->of[y];
        if (!used[y] || gold == CAU_UNKNOWN) continue;
        if (gold < CAU_SET) {
            keep[gold] = 1;
            continue;
        }
        const size_t s = gold - CAU_SET;
        for (size_t i = m->sets.start[s]; i < m->sets.start[s + 1]; i++) keep[m->sets.label[i]] = 1;
    }
    size_t classes = 0;
    for (size_t y = 0; y < Y; y++) classes += keep[y];
    return classes;
}

static caucus_status check_classes(caucus_ctx *ctx, const cau_alphabet *labels,
                                   const label_meanings *m, const uint8_t *used,
                                   const uint32_t *keep, size_t classes, bool partial,
                                   const char *where)
{
    bool unknown = false;
    for (size_t y = 0; y < m->written; y++) unknown |= used[y] && m->of[y] == CAU_UNKNOWN;
    if (unknown && !partial)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: the label '?' says that it is unknown; training needs known ones",
                        where);
    if (classes == 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: no label is known, all are '?'; training needs some: label a part "
                        "of the data",
                        where);
    if (classes > 1) return CAUCUS_OK;
    uint32_t y = 0;
    while (!keep[y]) y++;
    const cau_str name = cau_alphabet_name(labels, y);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    "%s: all %s are of the class '%.*s'; training needs two classes or more: "
                    "check the labels, or add data of another class",
                    where, unknown ? "known labels" : "instances", CAU_SHOWN(name));
}

/* ---- from classes to gold ---------------------------------------------------------------- */

/* The gold that set s becomes in one dataset. It is added to the sets of the dataset if it has at
 * least two classes. number [Y] holds the classes of the labels, ascending. */
static uint32_t place_set(const label_meanings *m, size_t s, const uint32_t *number,
                          cau_label_sets *to)
{
    const size_t first = to->start[to->count];
    size_t end = first;
    for (size_t i = m->sets.start[s]; i < m->sets.start[s + 1]; i++) {
        const uint32_t y = number[m->sets.label[i]];
        if (y != CAU_UNKNOWN) to->label[end++] = y;
    }
    if (end - first == 0) return CAU_UNKNOWN;
    if (end - first == 1) return to->label[first];
    to->start[++to->count] = end;
    return CAU_SET + (uint32_t)(to->count - 1);
}

/* Resolves the written labels of one dataset. */
static caucus_status make_plan(const label_meanings *m, const cau_dataset *set,
                               const uint32_t *number, uint8_t *used, gold_plan *p)
{
    caucus_status st = CAUCUS_OK;
    const uint32_t not_yet = CAU_SET + (uint32_t)m->sets.count;  /* no set has that number */
    uint32_t *placed = cau_alloc(m->sets.count, sizeof *placed); /* gold of each set */
    p->gold = cau_alloc(m->written, sizeof *p->gold);
    p->sets.start = cau_calloc(m->sets.count + 1, sizeof *p->sets.start);
    p->sets.label =
        cau_alloc(m->sets.count ? m->sets.start[m->sets.count] : 0, sizeof *p->sets.label);
    if (!placed || !p->gold || !p->sets.start || !p->sets.label) TRY(CAUCUS_ERR_MEMORY);

    for (size_t s = 0; s < m->sets.count; s++) placed[s] = not_yet;
    mark_used(set, used, m->written);
    for (size_t y = 0; y < m->written; y++) {
        const uint32_t gold = p->gold[y] = m->of[y];
        if (!used[y] || gold == CAU_UNKNOWN) continue;
        if (gold < CAU_SET) {
            p->gold[y] = number[gold];
            continue;
        }
        const size_t s = gold - CAU_SET;
        if (placed[s] == not_yet) placed[s] = place_set(m, s, number, &p->sets);
        p->gold[y] = placed[s];
    }
    if (p->sets.count == 0) sets_clear(&p->sets);
done:
    free(placed);
    return st;
}

static void apply_plan(gold_plan *p, cau_dataset *set)
{
    set->partial = false;
    for (size_t i = 0; i < set->N; i++) {
        set->gold[i] = p->gold[set->gold[i]];
        set->partial |= set->gold[i] >= CAU_SET;
    }
    sets_clear(&set->sets);
    set->sets = p->sets;
    p->sets = (cau_label_sets){0};
}

caucus_status cau_resolve_labels(caucus_ctx *ctx, cau_alphabet *labels, size_t known,
                                 cau_dataset_builder *const *builders, size_t count,
                                 cau_label_reading reading, const char *where)
{
    caucus_status st = CAUCUS_OK;
    label_meanings m = {0};
    uint32_t *keep = NULL, *number = NULL;
    uint8_t *used = NULL;
    gold_plan *plans = cau_calloc(count, sizeof *plans);
    if (!plans) TRY(no_memory(ctx));
    TRY(resolve_all(ctx, labels, reading, &m));

    const size_t Y = cau_alphabet_size(labels);
    const cau_dataset *train = &builders[0]->set;
    keep = cau_alloc(Y, sizeof *keep);
    number = cau_alloc(Y, sizeof *number);
    used = cau_alloc(m.written, sizeof *used);
    if (!keep || !number || !used) TRY(no_memory(ctx));
    mark_used(train, used, m.written);
    const size_t classes = choose_classes(&m, known, train, used, keep, Y);
    TRY(check_classes(ctx, labels, &m, used, keep, classes, reading == CAU_LABELS_PARTIAL, where));

    uint32_t next = 0;
    for (size_t y = 0; y < Y; y++) number[y] = keep[y] ? next++ : CAU_UNKNOWN;
    for (size_t i = 0; i < count; i++)
        if (make_plan(&m, &builders[i]->set, number, used, &plans[i])) TRY(no_memory(ctx));

    for (size_t i = 0; i < count; i++) apply_plan(&plans[i], &builders[i]->set);
    cau_alphabet_filter(labels, keep);
done:
    for (size_t i = 0; plans && i < count; i++) {
        free(plans[i].gold);
        sets_clear(&plans[i].sets);
    }
    free(plans);
    free(m.of);
    sets_clear(&m.sets);
    cau_alphabet_free(m.index);
    free(keep);
    free(number);
    free(used);
    return st;
}
