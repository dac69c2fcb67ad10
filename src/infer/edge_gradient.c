/* edge_gradient.c - see edge_gradient.h. For each batch there is the transpose of its part of the
 * edge matrix: the observations that occur in it, and for each the instances, counted from the
 * first of the batch. Together the transposes have as many entries as the matrix. */

#include "infer/edge_gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"

enum {
    BUFFER_CELLS = 1 << 22, /* residuals of a batch: 32 MB, unless one block has more */
    PULL_ENTRIES = 1 << 14, /* residuals that one thread adds before it asks for more work */
};

typedef struct {
    size_t block_begin, block_end;
    size_t first;          /* instance */
    cau_csr xt;            /* [observations that occur][instances of the batch] */
    uint32_t *observation; /* [xt.rows] their numbers */
} batch;

struct cau_edge_batches {
    const cau_dataset *set;
    cau_table table;
    batch *batches;
    size_t count;
    double *cells; /* [instances of the longest batch][Y][Y] */
};

size_t cau_edge_batches_count(const cau_edge_batches *b)
{
    return b->count;
}

void cau_edge_batches_at(const cau_edge_batches *b, size_t i, size_t *begin, size_t *end)
{
    *begin = b->batches[i].block_begin;
    *end = b->batches[i].block_end;
}

/* ---- cutting ------------------------------------------------------------------------------ */

/* The transpose of the rows begin..end-1 of e. slot [E] is scratch, all CAU_UNKNOWN before and
 * after. */
static caucus_status transpose(const cau_csr *e, size_t begin, size_t end, uint32_t *slot,
                               batch *out)
{
    size_t from = e->start[begin], entries = e->start[end] - from, rows = 0;
    out->observation = cau_alloc(entries, sizeof *out->observation);
    out->xt.column = cau_alloc(entries, sizeof *out->xt.column);
    if (!out->observation || !out->xt.column) return CAUCUS_ERR_MEMORY;
    for (size_t i = from; i < from + entries; i++)
        if (slot[e->column[i]] == CAU_UNKNOWN) {
            slot[e->column[i]] = (uint32_t)rows;
            out->observation[rows++] = e->column[i];
        }
    out->xt.rows = rows;
    out->xt.columns = end - begin;
    out->xt.start = cau_calloc(rows + 2, sizeof *out->xt.start);
    if (!out->xt.start) return CAUCUS_ERR_MEMORY; /* the scratch is of no use any more */

    size_t *at = out->xt.start + 1; /* counts, then places; what is left are the starts */
    for (size_t i = from; i < from + entries; i++) at[slot[e->column[i]] + 1]++;
    for (size_t r = 0; r < rows; r++) at[r + 1] += at[r];
    for (size_t row = begin; row < end; row++)
        for (size_t i = e->start[row]; i < e->start[row + 1]; i++)
            out->xt.column[at[slot[e->column[i]]]++] = (uint32_t)(row - begin);
    for (size_t r = 0; r < rows; r++) slot[out->observation[r]] = CAU_UNKNOWN;
    return CAUCUS_OK;
}

caucus_status cau_edge_batches_new(caucus_ctx *ctx, const cau_dataset *set, cau_table table,
                                   const size_t *first, size_t blocks, cau_edge_batches **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t most = BUFFER_CELLS / table.width; /* instances in a batch */
    size_t longest = 0;
    cau_edge_batches *b = cau_calloc(1, sizeof *b);
    uint32_t *slot = cau_alloc(set->E, sizeof *slot);
    if (!b || !slot) TRY(cau_fail_memory(ctx, "observations on edges"));
    b->set = set;
    b->table = table;
    b->batches = cau_calloc(blocks, sizeof *b->batches);
    if (!b->batches) TRY(cau_fail_memory(ctx, "observations on edges"));
    for (size_t k = 0; k < set->E; k++) slot[k] = CAU_UNKNOWN;

    for (size_t block = 0; block < blocks;) {
        batch *now = &b->batches[b->count++];
        size_t end = block + 1;
        while (end < blocks && first[end + 1] - first[block] <= most) end++;
        now->block_begin = block;
        now->block_end = end;
        now->first = first[block];
        if (transpose(&set->e, first[block], first[end], slot, now))
            TRY(cau_fail_memory(ctx, "observations on edges"));
        if (first[end] - first[block] > longest) longest = first[end] - first[block];
        block = end;
    }
    size_t cells;
    if (!cau_size_mul(longest, table.width, &cells) ||
        !(b->cells = cau_vector(cells, sizeof *b->cells)))
        TRY(cau_fail_memory(ctx, "observations on edges"));
    *out = b;
    b = NULL;
done:
    free(slot);
    cau_edge_batches_free(b);
    return st;
}

void cau_edge_batches_free(cau_edge_batches *b)
{
    if (!b) return;
    for (size_t i = 0; b->batches && i < b->count; i++) {
        cau_csr_clear(&b->batches[i].xt);
        free(b->batches[i].observation);
    }
    free(b->batches);
    free(b->cells);
    free(b);
}

/* ---- one pass ------------------------------------------------------------------------------ */

double *cau_edge_batches_scores(cau_edge_batches *b, const cau_kernels *kernels, size_t i,
                                size_t begin, size_t end, const double *w)
{
    double *cells = b->cells + (begin - b->batches[i].first) * b->table.width;
    if (b->table.start)
        kernels->rows_listed(&b->set->e, begin, end, &b->table, w, cells);
    else
        kernels->rows(&b->set->e, begin, end, b->table.width, w, NULL, cells);
    return cells;
}

typedef struct {
    const cau_edge_batches *b;
    const batch *batch;
    const cau_kernels *kernels;
    size_t step; /* observations in a block of work */
    double *g;
} job;

static caucus_status pull_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const job *j = self;
    const cau_table *table = &j->b->table;
    const cau_csr *xt = &j->batch->xt;
    size_t begin = block * j->step, end = begin + j->step < xt->rows ? begin + j->step : xt->rows;
    for (size_t r = begin; r < end; r++) {
        size_t k = j->batch->observation[r], at = cau_table_at(table, k);
        double *g = j->g + at;
        if (!table->start) {
            j->kernels->rows(xt, r, r + 1, table->width, j->b->cells, g, g);
            continue;
        }
        for (size_t e = xt->start[r]; e < xt->start[r + 1]; e++) {
            const double *cells = j->b->cells + (size_t)xt->column[e] * table->width;
            for (size_t c = at; c < table->start[k + 1]; c++) j->g[c] += cells[table->cell[c]];
        }
    }
    return CAUCUS_OK;
}

caucus_status cau_edge_batches_pull(cau_edge_batches *b, const cau_kernels *kernels, size_t i,
                                    unsigned threads, double *g)
{
    job j = {.b = b, .batch = &b->batches[i], .kernels = kernels, .g = g};
    j.step = PULL_ENTRIES / b->table.width + 1;
    return cau_parallel(threads, (j.batch->xt.rows + j.step - 1) / j.step, pull_block, &j);
}
