/* sparse_row.c - a set of small integers that can be emptied in constant time.
 *
 * Every occurrence of a feature is looked up in its group, and emptying the set between instances
 * must not cost a pass over all features. place[id] is the index of the feature in the current
 * group if the group has that feature at this index; other values are left over from earlier groups
 * and ignored [1]. [1] Briggs, Torczon. An Efficient Representation for Sparse Sets. LOPLAS 1993.
 */

#include "dataset/sparse_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

caucus_status cau_sparse_row_reset(cau_sparse_row *row)
{
    row->count = row->groups = 0;
    row->plain = true;
    return cau_sparse_row_group(row);
}

caucus_status cau_sparse_row_group(cau_sparse_row *row)
{
    if (!CAU_GROW(row->start, row->start_room, row->groups + 2)) return CAUCUS_ERR_MEMORY;
    row->start[row->groups++] = row->count;
    return CAUCUS_OK;
}

/* Makes room for place[id]. New places are zero, which is as good as any other value. */
static bool widen(cau_sparse_row *row, uint32_t id)
{
    const size_t before = row->places;
    if (!CAU_GROW(row->place, row->places, id + (size_t)1)) return false;
    memset(row->place + before, 0, (row->places - before) * sizeof *row->place);
    return true;
}

caucus_status cau_sparse_row_append(cau_sparse_row *row, uint32_t id, float value)
{
    if (!CAU_GROW(row->id, row->id_room, row->count + 1) ||
        !CAU_GROW(row->value, row->value_room, row->count + 1))
        return CAUCUS_ERR_MEMORY;
    row->id[row->count] = id;
    row->value[row->count++] = value;
    row->plain &= value == 1;
    return CAUCUS_OK;
}

caucus_status cau_sparse_row_add(cau_sparse_row *row, uint32_t id, float value, bool presence)
{
    if (id >= row->places && !widen(row, id)) return CAUCUS_ERR_MEMORY;

    const size_t first = row->start[row->groups - 1];
    const size_t at = first + row->place[id];
    if (at < row->count && row->id[at] == id) {
        if (presence) return CAUCUS_OK;
        row->value[at] += value;
        row->plain = false;
        return isfinite(row->value[at]) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
    }

    row->place[id] = (uint32_t)(row->count - first); /* less than the number of ids */
    return cau_sparse_row_append(row, id, value);
}

void cau_sparse_row_close(cau_sparse_row *row)
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

void cau_sparse_row_clear(cau_sparse_row *row)
{
    free(row->id);
    free(row->value);
    free(row->start);
    free(row->place);
    *row = (cau_sparse_row){0};
}
