/* intern.c - from the names of features to ids, each once in its group.
 *
 * All names of a group are added to the alphabet at once, since the accesses to its table then
 * overlap. Repeated ids are found by a sparse set [1], which is emptied in constant time: slot[id]
 * is the index of the feature in the current group if the group has that feature at this index;
 * other values are left over from earlier groups and ignored.
 *
 * [1] Briggs, Torczon. An Efficient Representation for Sparse Sets. LOPLAS 1993. */

#include "dataset/intern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- features in groups ------------------------------------------------------------------ */

static bool begin_group(cau_sparse_row *row)
{
    if (!CAU_GROW(row->start, row->start_room, row->groups + 2)) return false;
    row->start[row->groups++] = row->count;
    return true;
}

/* Adds a feature that the current group does not have. There must be room. */
static void append_feature(cau_sparse_row *row, uint32_t id, float value)
{
    row->id[row->count] = id;
    row->value[row->count++] = value;
    row->plain &= value == 1;
}

/* Adds a feature to the current group. There must be room. If the group has it, the values add up,
 * or, with `once`, nothing happens. CAUCUS_ERR_NUMERIC when the sum is not finite. */
static caucus_status add_feature(cau_sparse_row *row, uint32_t id, float value, bool once)
{
    const size_t slots = row->slots;
    if (id >= slots) {
        if (!CAU_GROW(row->slot, row->slots, id + (size_t)1)) return CAUCUS_ERR_MEMORY;
        memset(row->slot + slots, 0, (row->slots - slots) * sizeof *row->slot);
    }
    const size_t first = row->start[row->groups - 1], at = first + row->slot[id];
    if (at < row->count && row->id[at] == id) {
        if (once) return CAUCUS_OK;
        row->value[at] += value;
        row->plain = false;
        return isfinite(row->value[at]) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
    }
    row->slot[id] = (uint32_t)(row->count - first);
    append_feature(row, id, value);
    return CAUCUS_OK;
}

/* Ends the last group and removes features of value 0. */
static void end_groups(cau_sparse_row *row)
{
    row->start[row->groups] = row->count;
    if (row->plain) return;
    size_t kept = 0;
    row->plain = true;
    for (size_t g = 0, i = 0; g < row->groups; g++) {
        const size_t end = row->start[g + 1];
        row->start[g] = kept;
        for (; i < end; i++) {
            if (row->value[i] == 0) continue;
            row->plain &= row->value[i] == 1;
            row->id[kept] = row->id[i];
            row->value[kept++] = row->value[i];
        }
    }
    row->start[row->groups] = row->count = kept;
}

static void clear_row(cau_sparse_row *row)
{
    free(row->id);
    free(row->value);
    free(row->start);
    free(row->slot);
}

/* ---- from names to ids ------------------------------------------------------------------- */

/* Adds a row of a block to the current group; *bad is a feature whose values add up to a number
 * that is not finite, for CAUCUS_ERR_NUMERIC. */
static caucus_status add_row(cau_interner *in, cau_alphabet *alphabet, const cau_feature_list *list,
                             size_t row, cau_repeats repeats, cau_sparse_row *out, size_t *bad)
{
    caucus_status st = CAUCUS_OK;
    const size_t from = list->start[row], count = list->start[row + 1] - from;
    if (!begin_group(out) || !CAU_GROW(in->id, in->id_room, count) ||
        !CAU_GROW(out->id, out->id_room, out->count + count) ||
        !CAU_GROW(out->value, out->value_room, out->count + count))
        return CAUCUS_ERR_MEMORY;
    if (in->add) cau_alphabet_add_all(alphabet, list->name + from, count, in->id);
    for (size_t i = 0; !st && i < count; i++) {
        const cau_str name = list->name[from + i];
        const uint32_t id = in->add ? in->id[i] : cau_alphabet_find(alphabet, name.s, name.n);
        const float value = list->plain ? 1 : list->value[from + i];
        *bad = from + i;
        if (id == CAU_UNKNOWN)
            st = in->add ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
        else if (repeats == CAU_REPEATS_NEVER)
            append_feature(out, id, value);
        else
            st = add_feature(out, id, value, repeats == CAU_REPEATS_ONCE);
    }
    return st;
}

static caucus_status merge_rows(cau_interner *in, const cau_instance *x, size_t *bad)
{
    caucus_status st = CAUCUS_OK;
    const cau_feature_block *b = x->block;
    cau_sparse_row *const rows[] = {&in->nodes, &in->edges};
    for (size_t i = 0; i < 2; i++) {
        rows[i]->count = rows[i]->groups = 0;
        rows[i]->plain = true;
    }
    for (size_t g = 0; g < x->groups; g++)
        TRY(add_row(in, in->alphabets->names, &b->nodes, x->row + g, b->repeats, &in->nodes, bad));
    end_groups(&in->nodes);
    if (!in->alphabets->edges) return CAUCUS_OK;
    TRY(add_row(in, in->alphabets->edges, &b->edges, x->row, b->repeats, &in->edges, bad));
    end_groups(&in->edges);
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
    clear_row(&in->nodes);
    clear_row(&in->edges);
    free(in->id);
    *in = (cau_interner){0};
}
