/* constraints.c - what a labelling must obey. */

#include "infer/constraints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- schemes ------------------------------------------------------------------------- */

static caucus_status parse_labels(caucus_ctx *ctx, cau_scheme_constraints *scheme,
                                  const caucus_model *model, cau_scheme_name name)
{
    for (size_t y = 0; y < scheme->Y; y++) {
        const char *label = cau_model_label(model, y);
        cau_str type, other;
        if (!cau_scheme_parse(name, (cau_str){label, strlen(label)}, &scheme->place[y], &type)) {
            if (name == CAU_SCHEME_NONE)
                return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                                "label '%s' of the model is not of the form %s, so there are no "
                                "segments; leave --segments out",
                                label, cau_scheme_looks(name));
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "label '%s' of the model is not part of scheme %s, which has %s; take "
                            "another --scheme",
                            label, cau_scheme_text(name), cau_scheme_looks(name));
        }
        /* A model has few types: compare with all earlier labels. O has no type but itself. */
        scheme->type[y] = (uint32_t)y;
        for (size_t before = y; before-- > 0;) {
            const char *earlier = cau_model_label(model, before);
            cau_place place;
            cau_scheme_parse(name, (cau_str){earlier, strlen(earlier)}, &place, &other);
            if ((place == CAU_OUTSIDE) == (scheme->place[y] == CAU_OUTSIDE) && type.n == other.n &&
                memcmp(type.s, other.s, type.n) == 0)
                scheme->type[y] = (uint32_t)before;
        }
    }
    return CAUCUS_OK;
}

/* Whether label b continues the segment of label a. */
static bool continues(const cau_scheme_constraints *scheme, size_t a, size_t b)
{
    return scheme->type[a] == scheme->type[b] &&
           cau_place_continues(scheme->place[a], scheme->place[b]);
}

static void fill_tables(cau_scheme_constraints *scheme, cau_scheme_name name)
{
    const size_t Y = scheme->Y;
    for (size_t a = 0; a < Y; a++) {
        scheme->first[a] = cau_scheme_first(name, scheme->place[a]) ? 0 : -INFINITY;
        scheme->last[a] = cau_scheme_last(name, scheme->place[a]) ? 0 : -INFINITY;
        for (size_t b = 0; b < Y; b++)
            scheme->edge[a * Y + b] = cau_scheme_follows(name, scheme->place[a], scheme->place[b],
                                                         scheme->type[a] == scheme->type[b])
                                          ? 0
                                          : -INFINITY;
    }
}

/* Adds to `reached` [Y] all labels that legal transitions lead to, forward or backward. */
static void spread(const cau_scheme_constraints *scheme, bool *reached, bool forward)
{
    const size_t Y = scheme->Y;
    for (bool more = true; more;) {
        more = false;
        for (size_t a = 0; a < Y; a++)
            for (size_t b = 0; b < Y; b++) {
                const size_t from = forward ? a : b, to = forward ? b : a;
                if (scheme->edge[a * Y + b] < 0 || !reached[from] || reached[to]) continue;
                reached[to] = more = true;
            }
    }
}

/* Refuses a scheme in which no legal sequence contains some label of the model: in iobes, B-X of
 * iob2 data would need an E-X after it, and the model has none. */
static caucus_status check_usable(caucus_ctx *ctx, const cau_scheme_constraints *scheme,
                                  const caucus_model *model, cau_scheme_name name)
{
    const size_t Y = scheme->Y;
    caucus_status st = CAUCUS_OK;
    bool *reached = cau_alloc(Y, 2 * sizeof *reached); /* from the start, then from the end */
    if (!reached) return cau_fail_memory(ctx, "a scheme of labels");
    for (size_t y = 0; y < Y; y++) {
        reached[y] = scheme->first[y] == 0;
        reached[Y + y] = scheme->last[y] == 0;
    }
    spread(scheme, reached, true);
    spread(scheme, reached + Y, false);
    for (size_t y = 0; !st && y < Y; y++)
        if (!reached[y] || !reached[Y + y])
            st = cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                          "label '%s' of the model could never be used in scheme %s, which wants "
                          "others before or after it; take another --scheme",
                          cau_model_label(model, y), cau_scheme_text(name));
    free(reached);
    return st;
}

caucus_status cau_scheme_constraints_init(caucus_ctx *ctx, cau_scheme_constraints *scheme,
                                          const caucus_model *model, cau_scheme_name name)
{
    caucus_status st = CAUCUS_OK;
    size_t cells = 0;
    *scheme = (cau_scheme_constraints){.Y = model->Y};
    if (!cau_size_mul(model->Y, model->Y, &cells)) TRY(cau_fail_memory(ctx, "a scheme of labels"));
    scheme->place = cau_alloc(model->Y, sizeof *scheme->place);
    scheme->type = cau_alloc(model->Y, sizeof *scheme->type);
    if (!scheme->place || !scheme->type) TRY(cau_fail_memory(ctx, "a scheme of labels"));
    TRY(parse_labels(ctx, scheme, model, name));
    if (name == CAU_SCHEME_NONE) return CAUCUS_OK;
    scheme->edge = cau_alloc(cells, sizeof *scheme->edge);
    scheme->first = cau_alloc(model->Y, sizeof *scheme->first);
    scheme->last = cau_alloc(model->Y, sizeof *scheme->last);
    if (!scheme->edge || !scheme->first || !scheme->last)
        TRY(cau_fail_memory(ctx, "a scheme of labels"));
    fill_tables(scheme, name);
    TRY(check_usable(ctx, scheme, model, name));
done:
    if (st) cau_scheme_constraints_clear(scheme);
    return st;
}

void cau_scheme_constraints_clear(cau_scheme_constraints *scheme)
{
    free(scheme->place);
    free(scheme->type);
    free(scheme->edge);
    free(scheme->first);
    free(scheme->last);
    *scheme = (cau_scheme_constraints){0};
}

size_t cau_scheme_constraints_segment(const cau_scheme_constraints *scheme, const uint32_t *path,
                                      size_t T, size_t t)
{
    if (scheme->place[path[t]] == CAU_OUTSIDE) return t;
    if (t > 0 && continues(scheme, path[t - 1], path[t])) return t;
    size_t end = t + 1;
    while (end < T && continues(scheme, path[end - 1], path[end])) end++;
    return end;
}

/* ---- given labels -------------------------------------------------------------------- */

void cau_forced_labels_begin(cau_forced_labels *forced)
{
    forced->T = forced->sets.count = 0;
}

void cau_forced_labels_clear(cau_forced_labels *forced)
{
    free(forced->gold);
    free(forced->sets.start);
    free(forced->sets.label);
    *forced = (cau_forced_labels){0};
}

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the given labels of a sequence");
}

/* Inserts y into the ascending label[begin .. *end-1], unless it is there. */
static void insert_label(uint32_t *label, size_t begin, size_t *end, uint32_t y)
{
    size_t at = *end;
    while (at > begin && label[at - 1] > y) at--;
    if (at > begin && label[at - 1] == y) return;
    memmove(label + at + 1, label + at, (*end - at) * sizeof *label);
    label[at] = y;
    ++*end;
}

/* Adds the set "a|b|...". A set of a single label becomes that label. */
static caucus_status add_set(caucus_ctx *ctx, cau_forced_labels *forced, const caucus_model *model,
                             cau_str text, uint32_t *gold, cau_str *unknown)
{
    cau_label_sets *sets = &forced->sets;
    if (!CAU_GROW(sets->start, forced->start_room, sets->count + 2)) return no_memory(ctx);
    if (sets->count == 0) sets->start[0] = 0;
    const size_t begin = sets->start[sets->count];
    size_t end = begin;
    for (const char *p = text.s, *last = text.s + text.n; p <= last;) {
        const char *bar = memchr(p, '|', (size_t)(last - p));
        const cau_str part = {p, (size_t)((bar ? bar : last) - p)};
        const uint32_t y = cau_model_label_find(model, part);
        if (y == CAU_UNKNOWN) {
            *unknown = part;
            return CAUCUS_ERR_FORMAT;
        }
        if (!CAU_GROW(sets->label, forced->label_room, end + 1)) return no_memory(ctx);
        insert_label(sets->label, begin, &end, y);
        p += part.n + 1;
    }
    *gold = sets->label[begin];
    if (end == begin + 1) return CAUCUS_OK;
    *gold = CAU_SET + (uint32_t)sets->count;
    sets->start[++sets->count] = end;
    return CAUCUS_OK;
}

caucus_status cau_forced_labels_add(caucus_ctx *ctx, cau_forced_labels *forced,
                                    const caucus_model *model, const char *file,
                                    const cau_instance *instance)
{
    const cau_str text = instance->label;
    uint32_t gold = CAU_UNKNOWN;
    if (!CAU_GROW(forced->gold, forced->gold_room, forced->T + 1)) return no_memory(ctx);
    /* a label of the model may contain a bar, or be a question mark */
    if (text.s) gold = cau_model_label_find(model, text);
    if (text.s && gold == CAU_UNKNOWN && !(text.n == 1 && text.s[0] == '?')) {
        cau_str unknown = text;
        const caucus_status st = add_set(ctx, forced, model, text, &gold, &unknown);
        if (st == CAUCUS_ERR_FORMAT)
            return cau_fail(ctx, st,
                            "%s:%zu: the model has no label '%.*s'; correct it, or write ? where "
                            "the label is not known",
                            file, instance->number, CAU_SHOWN(unknown));
        if (st) return st;
    }
    forced->gold[forced->T++] = gold;
    return CAUCUS_OK;
}
