/* csr.c - the transpose of a sparse matrix, and its division into blocks.
 *
 * The transpose is a counting sort of the entries by column. Rows are visited in order, so the
 * entries of each new row come out sorted. Two passes over the entries, each by all threads: of
 * some blocks of rows, each has its own cursors, which begin in every new row where those of the
 * block before it end. The row starts of the result serve as the cursors of the last block, so one
 * thread needs no memory beyond the result. */

#include "math/csr.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"

enum { AHEAD = 16 }; /* entries between asking for a place and writing there */

typedef struct {
    const cau_csr *x;
    cau_csr out;
    size_t blocks;  /* of the rows of x */
    size_t *cursor; /* [blocks - 1][columns] */
} transposing;

/* Cursors of some blocks take at most half of the memory of the entries. */
static size_t choose_blocks(unsigned threads, const cau_csr *x)
{
    const size_t most = 1 + cau_csr_nonzeros(x) / (4 * x->columns + 1);
    return threads < most ? threads : most;
}

/* The first row of a block; x->rows for the one behind the last. */
static size_t first_row(const transposing *t, size_t block)
{
    const size_t entries = cau_csr_nonzeros(t->x), before = entries / t->blocks * block;
    size_t low = 0, high = t->x->rows;
    if (block == t->blocks) return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->x->start[middle] < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t *cursors_of(const transposing *t, size_t block)
{
    return block + 1 < t->blocks ? t->cursor + block * t->x->columns : t->out.start;
}

/* The cursors of a block <- the number of its entries in each column. */
static caucus_status count_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const transposing *t = self;
    const size_t begin = first_row(t, block), end = first_row(t, block + 1);
    size_t *cursor = cursors_of(t, block);
    if (begin == end) return CAUCUS_OK;
    for (size_t e = t->x->start[begin]; e < t->x->start[end]; e++) cursor[t->x->column[e]]++;
    return CAUCUS_OK;
}

/* All cursors to where the first entries of their blocks go. */
static void set_cursors(transposing *t)
{
    size_t sum = 0;
    for (size_t k = 0; k < t->x->columns; k++)
        for (size_t b = 0; b < t->blocks; b++) {
            size_t *cursor = &cursors_of(t, b)[k];
            const size_t count = *cursor;
            *cursor = sum;
            sum += count;
        }
}

static caucus_status spread_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const transposing *t = self;
    const cau_csr *x = t->x;
    const size_t end = first_row(t, block + 1), last = x->start[end];
    size_t *cursor = cursors_of(t, block);
    uint32_t *column = t->out.column;
    float *value = t->out.value;
    for (size_t i = first_row(t, block); i < end; i++)
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            if (e + 2 * AHEAD < last) {
                __builtin_prefetch(&cursor[x->column[e + 2 * AHEAD]], 1);
                __builtin_prefetch(&column[cursor[x->column[e + AHEAD]]], 1);
            }
            const size_t to = cursor[x->column[e]]++;
            column[to] = (uint32_t)i;
            if (value) value[to] = x->value[e];
        }
    return CAUCUS_OK;
}

caucus_status cau_csr_transpose(unsigned threads, const cau_csr *x, cau_csr *out)
{
    if (x->rows > UINT32_MAX || x->columns >= SIZE_MAX / 4) return CAUCUS_ERR_ARGUMENT;

    const size_t entries = cau_csr_nonzeros(x);
    transposing t = {.x = x, .blocks = choose_blocks(threads, x)};
    t.cursor = t.blocks > 1 ? cau_calloc((t.blocks - 1) * x->columns, sizeof *t.cursor) : NULL;
    t.out = (cau_csr){.rows = x->columns,
                      .columns = x->rows,
                      .start = cau_calloc(x->columns + 1, sizeof *t.out.start),
                      .column = cau_alloc(entries, sizeof *t.out.column),
                      .value = x->value ? cau_alloc(entries, sizeof *t.out.value) : NULL};
    if ((t.blocks > 1 && !t.cursor) || !t.out.start || !t.out.column ||
        (x->value && !t.out.value)) {
        free(t.cursor);
        cau_csr_clear(&t.out);
        return CAUCUS_ERR_MEMORY;
    }
    (void)cau_parallel(threads, t.blocks, count_block, &t);
    set_cursors(&t);
    (void)cau_parallel(threads, t.blocks, spread_block, &t);

    /* Each cursor of the last block now stands at the end of its row, where the next one starts. */
    memmove(t.out.start + 1, t.out.start, x->columns * sizeof *t.out.start);
    t.out.start[0] = 0;
    free(t.cursor);
    *out = t.out;
    return CAUCUS_OK;
}

void cau_csr_clear(cau_csr *x)
{
    free(x->start);
    free(x->column);
    free(x->value);
    *x = (cau_csr){0};
}

caucus_status cau_csr_blocks(const cau_csr *x, size_t target, size_t **first, size_t *blocks)
{
    /* A row costs something even when it is empty: it counts as one entry more than it has.
     * All blocks but the last cost `target` or more, which bounds their number. */
    if (target == 0) target = 1;
    const size_t most = x->rows ? (cau_csr_nonzeros(x) + x->rows) / target + 1 : 0;
    size_t *begin = cau_alloc(most + 1, sizeof *begin);
    if (!begin) return CAUCUS_ERR_MEMORY;

    size_t count = 0, cost = target; /* as if a block had just been filled */
    for (size_t i = 0; i < x->rows; i++) {
        if (cost >= target) {
            begin[count++] = i;
            cost = 0;
        }
        cost += x->start[i + 1] - x->start[i] + 1;
    }
    begin[count] = x->rows;

    *first = begin;
    *blocks = count;
    return CAUCUS_OK;
}
