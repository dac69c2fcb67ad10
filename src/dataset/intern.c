/* intern.c - from the names of features to ids. All names of a group are added at once, since the
 * accesses to the table of an alphabet then overlap. */

#include "dataset/intern.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* Adds the features from..to-1 of a list to a sparse row; *bad is a feature whose values add up to
 * a number that is not finite, for CAUCUS_ERR_NUMERIC. */
static caucus_status add_features(cau_interner *in, cau_alphabet *alphabet,
                                  const cau_feature_list *list, size_t from, size_t to,
                                  cau_repeats repeats, cau_sparse_row *row, size_t *bad)
{
    caucus_status st = CAUCUS_OK;
    const size_t count = to - from;
    if (!CAU_GROW(in->id, in->id_room, count)) return CAUCUS_ERR_MEMORY;
    if (in->add) cau_alphabet_add_all(alphabet, list->name + from, count, in->id);
    for (size_t i = 0; !st && i < count; i++) {
        const cau_str name = list->name[from + i];
        const uint32_t id = in->add ? in->id[i] : cau_alphabet_find(alphabet, name.s, name.n);
        const float value = list->plain ? 1 : list->value[from + i];
        *bad = from + i;
        if (id != CAU_UNKNOWN)
            st = repeats == CAU_REPEATS_NEVER
                     ? cau_sparse_row_append(row, id, value)
                     : cau_sparse_row_add(row, id, value, repeats == CAU_REPEATS_ONCE);
        else if (in->add)
            st = CAUCUS_ERR_MEMORY;
    }
    return st;
}

static caucus_status merge_rows(cau_interner *in, const cau_instance *x, size_t *bad)
{
    caucus_status st = CAUCUS_OK;
    const cau_feature_block *b = x->block;
    TRY(cau_sparse_row_reset(&in->nodes));
    TRY(cau_sparse_row_reset(&in->edges));
    for (size_t g = 0; g < x->groups; g++) {
        if (g) TRY(cau_sparse_row_group(&in->nodes));
        TRY(add_features(in, in->alphabets->names, &b->nodes, b->nodes.start[x->row + g],
                         b->nodes.start[x->row + g + 1], b->repeats, &in->nodes, bad));
    }
    if (in->alphabets->edges)
        TRY(add_features(in, in->alphabets->edges, &b->edges, b->edges.start[x->row],
                         b->edges.start[x->row + 1], b->repeats, &in->edges, bad));
    cau_sparse_row_close(&in->nodes);
    cau_sparse_row_close(&in->edges);
done:
    return st;
}

caucus_status cau_intern(caucus_ctx *ctx, cau_interner *in, const char *file, const cau_instance *x,
                         cau_indexed_instance *out)
{
    size_t bad = 0;
    const caucus_status st = merge_rows(in, x, &bad);
    if (st == CAUCUS_ERR_NUMERIC) {
        char place[32] = "";
        if (file) snprintf(place, sizeof place, ":%zu: ", x->number);
        const cau_str name = x->block->nodes.name[bad];
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s%sthe values of feature '%.*s' add up to a number that is not finite; "
                        "correct them or %s",
                        file ? file : "", place, CAU_SHOWN(name),
                        file ? "drop the line" : "leave the feature out");
    }
    if (st) return cau_fail_memory(ctx, "the names of the features");
    *out = (cau_indexed_instance){.weight = x->weight,
                                  .groups = x->groups,
                                  .start = in->nodes.start,
                                  .id = in->nodes.id,
                                  .value = in->nodes.plain ? NULL : in->nodes.value,
                                  .edges = in->edges.count,
                                  .edge = in->edges.id};
    return CAUCUS_OK;
}

void cau_interner_clear(cau_interner *in)
{
    cau_sparse_row_clear(&in->nodes);
    cau_sparse_row_clear(&in->edges);
    free(in->id);
    *in = (cau_interner){0};
}
