/* csr.c - the transpose of a sparse matrix, and its division into blocks.
 *
 * The transpose is a counting sort of the entries by column. Rows are visited in order, so the
 * entries of each new row come out sorted. Two passes over the entries, and no memory beyond
 * the result: its row starts serve as the cursors of the second pass. */

#include "math/csr.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

caucus_status cau_csr_transpose(const cau_csr *x, cau_csr *out)
{
    if (x->rows > UINT32_MAX || x->columns >= SIZE_MAX) return CAUCUS_ERR_ARGUMENT;

    const size_t entries = cau_csr_nonzeros(x);
    size_t *start = cau_calloc(x->columns + 1, sizeof *start);
    uint32_t *column = cau_alloc(entries, sizeof *column);
    float *value = x->value ? cau_alloc(entries, sizeof *value) : NULL;
    if (!start || !column || (x->value && !value)) {
        free(start);
        free(column);
        free(value);
        return CAUCUS_ERR_MEMORY;
    }

    for (size_t e = 0; e < entries; e++) start[x->column[e] + (size_t)1]++;
    for (size_t k = 0; k < x->columns; k++) start[k + 1] += start[k];

    for (size_t i = 0; i < x->rows; i++)
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            const size_t to = start[x->column[e]]++;
            column[to] = (uint32_t)i;
            if (value) value[to] = x->value[e];
        }

    /* Each cursor now stands at the end of its row, which is where the next row starts. */
    memmove(start + 1, start, x->columns * sizeof *start);
    start[0] = 0;

    *out = (cau_csr){
        .rows = x->columns, .columns = x->rows, .start = start, .column = column, .value = value};
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
