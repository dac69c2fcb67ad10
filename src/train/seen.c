/* seen.c - see seen.h. A row lists the cells of all occurrences of an observation, each once (a
 * stamp for each cell detects repeats), sorted. Threads list blocks of rows, which are joined once
 * their lengths are known. */

#include "train/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "comm/comm.h"

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

enum {
    BLOCK = 1 << 15, /* occurrences in a block of rows, approximately */
    FEW = 16,        /* numbers sorted by insertion */
};

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(uint32_t *cell, size_t n)
{
    if (n > FEW) {
        qsort(cell, n, sizeof *cell, by_number);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint32_t mine = cell[i];
        size_t at = i;
        for (; at > 0 && mine < cell[at - 1]; at--) cell[at] = cell[at - 1];
        cell[at] = mine;
    }
}

/* Scratch memory of a thread. */
typedef struct {
    uint32_t *stamp; /* [width] 1 + the last row that has listed the cell */
    uint32_t *cells; /* [width] cells of the other model */
} seen_scratch;

/* The cells of a block of rows, one after the other. */
typedef struct {
    uint32_t *cell;
    size_t room, count;
    size_t before; /* number of cells of the blocks before */
} block_cells;

/* Lists gold[i] for the rows i of each observation of xt, and the cells of the other model. */
typedef struct {
    const cau_csr *xt;
    const uint32_t *gold;
    const cau_label_sets *sets;
    const cau_source_model *other;
    bool edge;
    size_t *first, blocks; /* rows of the blocks */
    seen_scratch *hands;   /* [threads] */
    block_cells *lists;    /* [blocks] */
    cau_table table;       /* row starts count from the start of their block at first */
} listing;

static bool list(block_cells *to, uint32_t *stamp, size_t row, uint32_t cell)
{
    if (stamp[cell] == row + 1) return true;
    stamp[cell] = (uint32_t)(row + 1);
    if (!CAU_GROW(to->cell, to->room, to->count + 1)) return false;
    to->cell[to->count++] = cell;
    return true;
}

static bool list_gold(const listing *l, block_cells *to, uint32_t *stamp, size_t row, uint32_t gold)
{
    if (!(gold & CAU_SET)) return list(to, stamp, row, gold);
    if (gold == CAU_UNKNOWN) return true;
    const size_t s = gold - CAU_SET;
    for (size_t i = l->sets->start[s]; i < l->sets->start[s + 1]; i++)
        if (!list(to, stamp, row, l->sets->label[i])) return false;
    return true;
}

static bool list_row(const listing *l, const seen_scratch *h, size_t row, block_cells *to)
{
    for (size_t e = l->xt->start[row]; e < l->xt->start[row + 1]; e++)
        if (!list_gold(l, to, h->stamp, row, l->gold[l->xt->column[e]])) return false;
    const size_t more =
        l->other->model ? cau_source_model_cells(l->other, row, l->edge, h->cells) : 0;
    for (size_t i = 0; i < more; i++)
        if (!list(to, h->stamp, row, h->cells[i])) return false;
    return true;
}

static caucus_status list_block(void *self, size_t block, unsigned worker)
{
    const listing *l = self;
    block_cells *to = &l->lists[block];
    for (size_t row = l->first[block]; row < l->first[block + 1]; row++) {
        const size_t at = l->table.start[row] = to->count;
        if (!list_row(l, &l->hands[worker], row, to)) return CAUCUS_ERR_MEMORY;
        sort(to->cell + at, to->count - at);
    }
    return CAUCUS_OK;
}

/* Copies the cells of a block into the table. */
static caucus_status join_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const listing *l = self;
    const block_cells *from = &l->lists[block];
    for (size_t row = l->first[block]; row < l->first[block + 1]; row++)
        l->table.start[row] += from->before;
    if (from->count)
        memcpy(l->table.cell + from->before, from->cell, from->count * sizeof *from->cell);
    return CAUCUS_OK;
}

static bool allocate(listing *l, unsigned threads)
{
    const size_t width = l->table.width;
    l->table.start = cau_alloc(l->table.rows + 1, sizeof *l->table.start);
    l->hands = cau_calloc(threads, sizeof *l->hands);
    if (!l->table.start || !l->hands || cau_csr_blocks(l->xt, BLOCK, &l->first, &l->blocks))
        return false;
    l->lists = cau_calloc(l->blocks, sizeof *l->lists);
    for (unsigned i = 0; i < threads; i++) {
        l->hands[i].stamp = cau_calloc(width, sizeof *l->hands[i].stamp);
        l->hands[i].cells = cau_alloc(width, sizeof *l->hands[i].cells);
        if (!l->hands[i].stamp || !l->hands[i].cells) return false;
    }
    return l->lists;
}

static void clear(listing *l, unsigned threads)
{
    for (unsigned i = 0; l->hands && i < threads; i++) {
        free(l->hands[i].stamp);
        free(l->hands[i].cells);
    }
    for (size_t b = 0; l->lists && b < l->blocks; b++) free(l->lists[b].cell);
    free(l->hands);
    free(l->lists);
    free(l->first);
    cau_table_clear(&l->table);
}

static caucus_status list_all(caucus_ctx *ctx, listing l, size_t width, cau_table *out)
{
    caucus_status st = CAUCUS_OK;
    const unsigned threads = cau_threads(ctx);
    size_t all = 0;
    l.table = (cau_table){.rows = l.xt->rows, .width = width};
    if (!allocate(&l, threads) || cau_parallel(threads, l.blocks, list_block, &l))
        TRY(cau_fail_memory(ctx, "the seen pairs"));
    for (size_t b = 0; b < l.blocks; b++) {
        l.lists[b].before = all;
        all += l.lists[b].count;
    }
    l.table.cell = cau_alloc(all, sizeof *l.table.cell);
    if (!l.table.cell) TRY(cau_fail_memory(ctx, "the seen pairs"));
    (void)cau_parallel(threads, l.blocks, join_block, &l);
    l.table.start[l.table.rows] = all;
    *out = l.table;
    l.table = (cau_table){0};
done:
    clear(&l, threads);
    return st;
}

caucus_status cau_seen_nodes(caucus_ctx *ctx, const cau_dataset *set, const cau_source_model *other,
                             cau_table *out)
{
    const listing l = {.xt = &set->xt, .gold = set->gold, .sets = &set->sets, .other = other};
    return list_all(ctx, l, set->width, out);
}

/* The cells of some rows as bits. */
static void mark_cells(const cau_table *t, size_t first, size_t end, uint64_t *bits)
{
    for (size_t k = first; k < end; k++)
        for (size_t i = t->start[k]; i < t->start[k + 1]; i++) {
            const size_t bit = (k - first) * t->width + t->cell[i];
            bits[bit / 64] |= (uint64_t)1 << bit % 64;
        }
}

caucus_status cau_seen_unite(caucus_ctx *ctx, cau_table *t)
{
    enum { BITS = 1 << 24 };
    caucus_status st = CAUCUS_OK;
    const size_t some = t->width < BITS ? BITS / t->width : 1, words = some * t->width / 64 + 1;
    cau_table united = {.rows = t->rows, .width = t->width};
    size_t count = 0, room = 0;
    if (!ctx->comm) return CAUCUS_OK;
    uint64_t *bits = cau_alloc(words, sizeof *bits);
    united.start = cau_alloc(t->rows + 1, sizeof *united.start);
    if (!bits || !united.start) TRY(cau_fail_memory(ctx, "the seen pairs"));
    for (size_t first = 0; first < t->rows; first += some) {
        const size_t end = t->rows - first < some ? t->rows : first + some;
        memset(bits, 0, words * sizeof *bits);
        mark_cells(t, first, end, bits);
        if (cau_comm_union(ctx->comm, (end - first) * t->width / 64 + 1, bits))
            TRY(cau_fail(ctx, CAUCUS_ERR_IO, "lost contact with the other processes"));
        for (size_t k = first; k < end; k++) {
            united.start[k] = count;
            if (!CAU_GROW(united.cell, room, count + t->width))
                TRY(cau_fail_memory(ctx, "the seen pairs"));
            for (size_t c = 0; c < t->width; c++) {
                const size_t bit = (k - first) * t->width + c;
                if (bits[bit / 64] >> bit % 64 & 1) united.cell[count++] = (uint32_t)c;
            }
        }
    }
    united.start[t->rows] = count;
    cau_table_clear(t);
    *t = united;
    united = (cau_table){0};
done:
    free(bits);
    cau_table_clear(&united);
    return st;
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

/* Whether instance i has a predecessor in its sequence; *s is the sequence of the previous
 * instance, and is advanced. */
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

caucus_status cau_seen_edges(caucus_ctx *ctx, const cau_dataset *set, const cau_source_model *other,
                             cau_table *out)
{
    caucus_status st = CAUCUS_OK;
    cau_csr et = {0};
    uint32_t *pair = cau_alloc(set->N, sizeof *pair);
    if (!pair || cau_csr_transpose(cau_threads(ctx), &set->e, &et))
        TRY(cau_fail_memory(ctx, "the seen pairs"));
    for (size_t i = 0, s = 0; i < set->N; i++)
        pair[i] = has_edge(set, i, &s) ? pair_at(set, i) : CAU_UNKNOWN;
    const listing l = {.xt = &et, .gold = pair, .sets = &set->sets, .other = other, .edge = true};
    TRY(list_all(ctx, l, set->Y * set->Y, out));
done:
    free(pair);
    cau_csr_clear(&et);
    return st;
}

void cau_unseen_transitions(const cau_dataset *set, const cau_source_model *other, uint8_t *unseen)
{
    for (size_t c = 0; c < set->Y * set->Y; c++)
        unseen[c] = !other->model || cau_source_model_transition(other, c) == 0;
    for (size_t i = 0, s = 0; i < set->N; i++) {
        if (!has_edge(set, i, &s)) continue;
        uint32_t pair = pair_at(set, i);
        if (pair != CAU_UNKNOWN) unseen[pair] = 0;
    }
}
