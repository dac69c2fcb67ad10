/* sparse_row.c - a set of small integers that is emptied in no time.
 *
 * Whether a feature has come already is asked for every occurrence, so it must be cheap, and it
 * must not cost a pass over all features to forget one instance before the next. place[id] is
 * where the feature would stand in the open group. It is believed only if the feature does stand
 * there, so whatever older instances and groups left in it does no harm [1].
 * [1] Briggs, Torczon. An Efficient Representation for Sparse Sets. LOPLAS 1993. */

#include "text/sparse_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

caucus_status cau_sparse_row_reset(cau_sparse_row *bag)
{
    bag->count = bag->groups = 0;
    bag->plain = true;
    return cau_sparse_row_group(bag);
}

caucus_status cau_sparse_row_group(cau_sparse_row *bag)
{
    if (!CAU_GROW(bag->start, bag->start_room, bag->groups + 2)) return CAUCUS_ERR_MEMORY;
    bag->start[bag->groups++] = bag->count;
    return CAUCUS_OK;
}

/* Makes place[id] exist; the new places are zero, as good as any other number. */
static bool widen(cau_sparse_row *bag, uint32_t id)
{
    const size_t before = bag->places;
    if (!CAU_GROW(bag->place, bag->places, id + (size_t)1)) return false;
    memset(bag->place + before, 0, (bag->places - before) * sizeof *bag->place);
    return true;
}

caucus_status cau_sparse_row_append(cau_sparse_row *bag, uint32_t id, float value)
{
    if (!CAU_GROW(bag->id, bag->id_room, bag->count + 1) ||
        !CAU_GROW(bag->value, bag->value_room, bag->count + 1))
        return CAUCUS_ERR_MEMORY;
    bag->id[bag->count] = id;
    bag->value[bag->count++] = value;
    bag->plain &= value == 1;
    return CAUCUS_OK;
}

caucus_status cau_sparse_row_extend(cau_sparse_row *bag, size_t count, size_t *at)
{
    if (!CAU_GROW(bag->id, bag->id_room, bag->count + count) ||
        !CAU_GROW(bag->value, bag->value_room, bag->count + count))
        return CAUCUS_ERR_MEMORY;
    *at = bag->count;
    for (size_t i = 0; i < count; i++) bag->value[bag->count++] = 1;
    return CAUCUS_OK;
}

caucus_status cau_sparse_row_add(cau_sparse_row *bag, uint32_t id, float value, bool presence)
{
    if (id >= bag->places && !widen(bag, id)) return CAUCUS_ERR_MEMORY;

    const size_t first = bag->start[bag->groups - 1];
    const size_t at = first + bag->place[id];
    if (at < bag->count && bag->id[at] == id) {
        if (presence) return CAUCUS_OK;
        bag->value[at] += value;
        bag->plain = false;
        return isfinite(bag->value[at]) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
    }

    bag->place[id] = (uint32_t)(bag->count - first); /* less than the number of ids */
    return cau_sparse_row_append(bag, id, value);
}

void cau_sparse_row_close(cau_sparse_row *bag)
{
    bag->start[bag->groups] = bag->count;
    if (bag->plain) return;

    size_t kept = 0;
    bag->plain = true;
    for (size_t g = 0, i = 0; g < bag->groups; g++) {
        const size_t end = bag->start[g + 1];
        bag->start[g] = kept;
        for (; i < end; i++) {
            if (bag->value[i] == 0) continue;
            bag->plain &= bag->value[i] == 1;
            bag->id[kept] = bag->id[i];
            bag->value[kept++] = bag->value[i];
        }
    }
    bag->start[bag->groups] = bag->count = kept;
}

void cau_sparse_row_clear(cau_sparse_row *bag)
{
    free(bag->id);
    free(bag->value);
    free(bag->start);
    free(bag->place);
    *bag = (cau_sparse_row){0};
}
