/* seen.c - see seen.h. Rows are built one after the other: the cells of all occurrences of an
 * observation, each once (a stamp for each cell tells), then sorted. */

#include "train/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"

size_t cau_table_find(const cau_table *t, size_t k, size_t cell)
{
    if (!t->start) return k * t->width + cell;
    size_t low = t->start[k], high = t->start[k + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->cell[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->start[k + 1] && t->cell[low] == cell ? low : SIZE_MAX;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

typedef struct {
    cau_table table;
    size_t room, count;
    uint32_t *stamp; /* [width] 1 + the last row that has listed the cell */
    size_t row;
    bool failed;
} lister;

static void list(lister *l, uint32_t cell)
{
    if (l->stamp[cell] == l->row + 1) return;
    l->stamp[cell] = (uint32_t)(l->row + 1);
    if (!CAU_GROW(l->table.cell, l->room, l->count + 1))
        l->failed = true;
    else
        l->table.cell[l->count++] = cell;
}

static void list_gold(lister *l, const cau_label_sets *sets, uint32_t gold)
{
    if (gold == CAU_UNKNOWN) return;
    if (!(gold & CAU_SET)) {
        list(l, gold);
        return;
    }
    const size_t s = gold - CAU_SET;
    for (size_t i = sets->start[s]; i < sets->start[s + 1]; i++) list(l, sets->label[i]);
}

/* Lists gold[i] for the rows i of each observation of xt, and what the other model has. */
static caucus_status list_all(caucus_ctx *ctx, const cau_csr *xt, const uint32_t *gold,
                              const cau_label_sets *sets, size_t width, const cau_other *other,
                              bool edge, cau_table *out)
{
    caucus_status st = CAUCUS_OK;
    uint32_t *cells = cau_alloc(width, sizeof *cells);
    lister l = {.table = {.rows = xt->rows, .width = width}};
    l.table.start = cau_alloc(xt->rows + 1, sizeof *l.table.start);
    l.stamp = cau_calloc(width, sizeof *l.stamp);
    if (!cells || !l.table.start || !l.stamp || !CAU_GROW(l.table.cell, l.room, 1))
        TRY(cau_fail_memory(ctx, "the seen pairs"));
    for (l.row = 0; l.row < xt->rows; l.row++) {
        const size_t at = l.table.start[l.row] = l.count;
        for (size_t e = xt->start[l.row]; e < xt->start[l.row + 1]; e++)
            list_gold(&l, sets, gold[xt->column[e]]);
        const size_t more = other->model ? cau_other_cells(other, l.row, edge, cells) : 0;
        for (size_t i = 0; i < more; i++) list(&l, cells[i]);
        if (l.failed) TRY(cau_fail_memory(ctx, "the seen pairs"));
        qsort(l.table.cell + at, l.count - at, sizeof *l.table.cell, by_number);
    }
    l.table.start[xt->rows] = l.count;
    *out = l.table;
    l.table = (cau_table){0};
done:
    free(cells);
    free(l.table.start);
    free(l.table.cell);
    free(l.stamp);
    return st;
}

caucus_status cau_seen_nodes(caucus_ctx *ctx, const cau_dataset *set, const cau_other *other,
                             cau_table *out)
{
    return list_all(ctx, &set->xt, set->gold, &set->sets, set->width, other, false, out);
}

caucus_status cau_table_fill(caucus_ctx *ctx, const cau_table *t, size_t least, cau_table *out,
                             uint8_t **added)
{
    caucus_status st = CAUCUS_OK;
    cau_table full = {.rows = t->rows, .width = t->width};
    uint8_t *flag = NULL;
    size_t at = 0;
    full.start = cau_alloc(t->rows + 1, sizeof *full.start);
    if (!full.start) TRY(cau_fail_memory(ctx, "the seen pairs"));
    for (size_t k = 0; k < t->rows; k++) {
        size_t count = t->start[k + 1] - t->start[k];
        full.start[k] = at;
        at += count >= least ? t->width : count;
    }
    full.start[t->rows] = at;
    full.cell = cau_alloc(at, sizeof *full.cell);
    flag = cau_calloc(at, sizeof *flag);
    if (!full.cell || !flag) TRY(cau_fail_memory(ctx, "the seen pairs"));
    for (size_t k = 0; k < t->rows; k++) {
        const uint32_t *cell = t->cell + t->start[k], *end = t->cell + t->start[k + 1];
        size_t to = full.start[k];
        for (uint32_t c = 0; (size_t)(end - cell) < full.start[k + 1] - to; c++) {
            full.cell[to] = c;
            if (cell < end && *cell == c)
                cell++;
            else
                flag[to] = 1;
            to++;
        }
        while (cell < end) full.cell[to++] = *cell++;
    }
    *out = full;
    *added = flag;
    full = (cau_table){0};
    flag = NULL;
done:
    free(full.start);
    free(full.cell);
    free(flag);
    return st;
}

caucus_status cau_table_mask(caucus_ctx *ctx, const cau_table *t, const uint8_t *keep,
                             cau_table *out)
{
    cau_table masked = {.rows = t->rows, .width = t->width};
    size_t at = 0;
    masked.start = cau_alloc(t->rows + 1, sizeof *masked.start);
    for (size_t k = 0; k < t->rows && masked.start; k++) {
        masked.start[k] = at;
        if (keep[k]) at += cau_table_at(t, k + 1) - cau_table_at(t, k);
    }
    masked.cell = cau_alloc(at, sizeof *masked.cell);
    if (!masked.start || !masked.cell) {
        cau_table_clear(&masked);
        return cau_fail_memory(ctx, "the rows of weights");
    }
    masked.start[t->rows] = at;
    for (size_t k = 0; k < t->rows; k++) {
        const size_t from = cau_table_at(t, k), to = masked.start[k];
        for (size_t i = to; i < masked.start[k + 1]; i++)
            masked.cell[i] = t->cell ? t->cell[from + i - to] : (uint32_t)(i - to);
    }
    *out = masked;
    return CAUCUS_OK;
}

caucus_status cau_table_copy(caucus_ctx *ctx, const cau_table *t, cau_table *out)
{
    cau_table copy = {.rows = t->rows, .width = t->width};
    if (t->start) {
        const size_t size = cau_table_size(t);
        copy.start = cau_alloc(t->rows + 1, sizeof *copy.start);
        copy.cell = cau_alloc(size, sizeof *copy.cell);
        if (!copy.start || !copy.cell) {
            cau_table_clear(&copy);
            return cau_fail_memory(ctx, "the rows of weights");
        }
        memcpy(copy.start, t->start, (t->rows + 1) * sizeof *copy.start);
        memcpy(copy.cell, t->cell, size * sizeof *copy.cell);
    }
    *out = copy;
    return CAUCUS_OK;
}

void cau_table_clear(cau_table *t)
{
    free(t->start);
    free(t->cell);
    *t = (cau_table){0};
}

/* Whether instance i has another before it in its sequence; *s is the sequence of the instance
 * before, and is moved on. */
static bool has_edge(const cau_dataset *set, size_t i, size_t *s)
{
    if (!set->sequence) return false;
    while (set->sequence[*s + 1] <= i) ++*s;
    return set->sequence[*s] < i;
}

/* The pair of labels at the edge into i, or CAU_UNKNOWN. */
static uint32_t pair_at(const cau_dataset *set, size_t i)
{
    uint32_t before = set->gold[i - 1], here = set->gold[i];
    if ((before & CAU_SET) || (here & CAU_SET)) return CAU_UNKNOWN;
    return before * (uint32_t)set->Y + here;
}

caucus_status cau_seen_edges(caucus_ctx *ctx, const cau_dataset *set, const cau_other *other,
                             cau_table *out)
{
    caucus_status st = CAUCUS_OK;
    cau_csr et = {0};
    uint32_t *pair = cau_alloc(set->N, sizeof *pair);
    if (!pair || cau_csr_transpose(cau_threads(ctx), &set->e, &et))
        TRY(cau_fail_memory(ctx, "the seen pairs"));
    for (size_t i = 0, s = 0; i < set->N; i++)
        pair[i] = has_edge(set, i, &s) ? pair_at(set, i) : CAU_UNKNOWN;
    TRY(list_all(ctx, &et, pair, &set->sets, set->Y * set->Y, other, true, out));
done:
    free(pair);
    cau_csr_clear(&et);
    return st;
}

void cau_unseen_transitions(const cau_dataset *set, const cau_other *other, uint8_t *unseen)
{
    for (size_t c = 0; c < set->Y * set->Y; c++)
        unseen[c] = !other->model || cau_other_transition(other, c) == 0;
    for (size_t i = 0, s = 0; i < set->N; i++) {
        if (!has_edge(set, i, &s)) continue;
        uint32_t pair = pair_at(set, i);
        if (pair != CAU_UNKNOWN) unseen[pair] = 0;
    }
}
