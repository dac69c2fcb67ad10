/* forced_labels.c - labels that the input gives, as constraints on decoding. */

#include "infer/forced_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum { SHOW_MAX = 60 }; /* bytes of a label in a message */

void cau_forced_labels_begin(cau_forced_labels *given)
{
    given->T = given->sets.count = 0;
}

void cau_forced_labels_clear(cau_forced_labels *given)
{
    free(given->gold);
    free(given->sets.start);
    free(given->sets.label);
    *given = (cau_forced_labels){0};
}

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the given labels of a sequence");
}

/* Puts a label into ascending order among label[begin .. *end-1], unless it is there. */
static void insert(uint32_t *label, size_t begin, size_t *end, uint32_t y)
{
    size_t at = *end;
    while (at > begin && label[at - 1] > y) at--;
    if (at > begin && label[at - 1] == y) return;
    memmove(label + at + 1, label + at, (*end - at) * sizeof *label);
    label[at] = y;
    ++*end;
}

/* The set "a|b|..." as the next one, or, if only one label is in it, that label. */
static caucus_status add_set(caucus_ctx *ctx, cau_forced_labels *given, const caucus_model *model,
                             cau_str text, uint32_t *gold, cau_str *unknown)
{
    cau_label_sets *sets = &given->sets;
    if (!CAU_GROW(sets->start, given->start_room, sets->count + 2)) return no_memory(ctx);
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
        if (!CAU_GROW(sets->label, given->label_room, end + 1)) return no_memory(ctx);
        insert(sets->label, begin, &end, y);
        p += part.n + 1;
    }
    *gold = sets->label[begin];
    if (end == begin + 1) return CAUCUS_OK;
    *gold = CAU_SET + (uint32_t)sets->count;
    sets->start[++sets->count] = end;
    return CAUCUS_OK;
}

caucus_status cau_forced_labels_add(caucus_ctx *ctx, cau_forced_labels *given,
                                    const caucus_model *model, const char *file,
                                    const cau_instance *instance)
{
    const cau_str text = instance->label;
    uint32_t gold = CAU_UNKNOWN;
    if (!CAU_GROW(given->gold, given->gold_room, given->T + 1)) return no_memory(ctx);
    /* a label of the model may have a bar in it, or be a question mark */
    if (text.s) gold = cau_model_label_find(model, text);
    if (text.s && gold == CAU_UNKNOWN && !(text.n == 1 && text.s[0] == '?')) {
        cau_str unknown = text;
        const caucus_status st = add_set(ctx, given, model, text, &gold, &unknown);
        if (st == CAUCUS_ERR_FORMAT)
            return cau_fail(ctx, st,
                            "%s:%zu: the model has no label '%.*s'; correct it, or write ? where "
                            "the label is not known",
                            file, instance->number,
                            (int)(unknown.n < SHOW_MAX ? unknown.n : SHOW_MAX), unknown.s);
        if (st) return st;
    }
    given->gold[given->T++] = gold;
    return CAUCUS_OK;
}
