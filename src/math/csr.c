/* csr.c - the transpose of a sparse matrix, and its division into blocks.
 *
 * The transpose is a counting sort of the entries by column. Rows are visited in order, so the
 * entries of each new row come out sorted. There are two passes over the entries, each by all
 * threads. The rows are divided into blocks, each with its own cursors; in every new row, the
 * cursor of a block begins where that of the block before ends. The row starts of the result serve
 * as the cursors of the last block, so one thread needs no memory beyond the result. */

#include "math/csr.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"

enum { AHEAD = 16 }; /* entries between a prefetch and the write */

typedef struct {
    const cau_csr *x;
    cau_csr out;
    size_t blocks;  /* of the rows of x */
    size_t *cursor; /* [blocks - 1][columns] */
} transpose_job;

/* The number of blocks, limited so that the cursors take at most half the memory of the entries. */
static size_t choose_blocks(unsigned threads, const cau_csr *x)
{
    const size_t most = 1 + cau_csr_nonzeros(x) / (4 * x->columns + 1);
    return threads < most ? threads : most;
}

/* The first row of a block; x->rows for block number t->blocks. */
static size_t first_row(const transpose_job *t, size_t block)
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

static size_t *cursors_of(const transpose_job *t, size_t block)
{
    return block + 1 < t->blocks ? t->cursor + block * t->x->columns : t->out.start;
}

/* Counts the entries of a block in each column. */
static caucus_status count_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const transpose_job *t = self;
    const size_t begin = first_row(t, block), end = first_row(t, block + 1);
    size_t *cursor = cursors_of(t, block);
    if (begin == end) return CAUCUS_OK;
    for (size_t e = t->x->start[begin]; e < t->x->start[end]; e++) cursor[t->x->column[e]]++;
    return CAUCUS_OK;
}

/* Turns the counts into the positions of the first entries. */
static void set_cursors(transpose_job *t)
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
    const transpose_job *t = self;
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
    transpose_job t = {.x = x, .blocks = choose_blocks(threads, x)};
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

    /* Each cursor of the last block is now at the end of its row, which is the start of the next.
     */
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
    /* Even an empty row has a cost, so each row counts one entry more than it has. All blocks but
     * the last cost at least `target`, which bounds their number. */
    if (target == 0) target = 1;
    const size_t most = x->rows ? (cau_csr_nonzeros(x) + x->rows) / target + 1 : 0;
    size_t *begin = cau_alloc(most + 1, sizeof *begin);
    if (!begin) return CAUCUS_ERR_MEMORY;

    size_t count = 0, cost = target; /* the first row begins a block */
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
