/* edge_gradient.c - see edge_gradient.h. Each batch has the transpose of its part of the edge
 * matrix: the features that occur in it, and for each its instances, counted from the first of the
 * batch. Together the transposes have as many entries as the matrix. */

#include "infer/edge_gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/kernels.h"

enum {
    BUFFER_CELLS = 1 << 22, /* residuals of a batch: 32 MB, unless one block has more */
    PULL_ENTRIES = 1 << 14, /* residuals that a thread adds before it takes more work */
};

typedef struct {
    size_t block_begin, block_end;
    size_t first;      /* instance */
    cau_csr xt;        /* [features that occur][instances of the batch] */
    uint32_t *feature; /* [xt.rows] */
} edge_batch;

struct cau_edge_batches {
    const cau_dataset *set;
    const cau_weight_layout *layout;
    edge_batch *batches;
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

/* The transpose of the rows begin..end-1 of e. row_of [E] is scratch: all CAU_UNKNOWN before, and
 * after unless memory is short. */
static caucus_status transpose(const cau_csr *e, size_t begin, size_t end, uint32_t *row_of,
                               edge_batch *out)
{
    const size_t from = e->start[begin], entries = e->start[end] - from;
    size_t rows = 0;
    out->feature = cau_alloc(entries, sizeof *out->feature);
    out->xt.column = cau_alloc(entries, sizeof *out->xt.column);
    if (!out->feature || !out->xt.column) return CAUCUS_ERR_MEMORY;
    for (size_t i = from; i < from + entries; i++)
        if (row_of[e->column[i]] == CAU_UNKNOWN) {
            row_of[e->column[i]] = (uint32_t)rows;
            out->feature[rows++] = e->column[i];
        }
    out->xt.rows = rows;
    out->xt.columns = end - begin;
    out->xt.start = cau_calloc(rows + 2, sizeof *out->xt.start);
    if (!out->xt.start) return CAUCUS_ERR_MEMORY;

    size_t *at = out->xt.start + 1; /* counts, then next places, which end as the starts */
    for (size_t i = from; i < from + entries; i++) at[row_of[e->column[i]] + 1]++;
    for (size_t r = 0; r < rows; r++) at[r + 1] += at[r];
    for (size_t row = begin; row < end; row++)
        for (size_t i = e->start[row]; i < e->start[row + 1]; i++)
            out->xt.column[at[row_of[e->column[i]]]++] = (uint32_t)(row - begin);
    for (size_t r = 0; r < rows; r++) row_of[out->feature[r]] = CAU_UNKNOWN;
    return CAUCUS_OK;
}

/* Makes the batch of the blocks from `block` on; *longest is the largest number of instances. */
static caucus_status make_batch(cau_edge_batches *b, const cau_sequence_blocks *blocks,
                                size_t block, uint32_t *row_of, size_t *longest)
{
    const size_t most = BUFFER_CELLS / b->layout->edges.width; /* instances */
    edge_batch *batch = &b->batches[b->count++];
    const size_t first = cau_block_begin(blocks, block);
    size_t end = block + 1;
    while (end < blocks->count && cau_block_begin(blocks, end + 1) - first <= most) end++;
    const size_t last = cau_block_begin(blocks, end);
    *batch = (edge_batch){.block_begin = block, .block_end = end, .first = first};
    if (last - first > *longest) *longest = last - first;
    return transpose(&b->set->e, first, last, row_of, batch);
}

caucus_status cau_edge_batches_new(caucus_ctx *ctx, const cau_dataset *set,
                                   const cau_weight_layout *layout,
                                   const cau_sequence_blocks *blocks, cau_edge_batches **out)
{
    caucus_status st = CAUCUS_ERR_MEMORY;
    size_t longest = 0, cells;
    cau_edge_batches *b = cau_calloc(1, sizeof *b);
    uint32_t *row_of = cau_alloc(set->E, sizeof *row_of);
    if (!b || !row_of) goto done;
    b->set = set;
    b->layout = layout;
    b->batches = cau_calloc(blocks->count, sizeof *b->batches);
    if (!b->batches) goto done;
    for (size_t k = 0; k < set->E; k++) row_of[k] = CAU_UNKNOWN;
    for (size_t block = 0; block < blocks->count; block = b->batches[b->count - 1].block_end)
        if (make_batch(b, blocks, block, row_of, &longest)) goto done;
    if (!cau_size_mul(longest, layout->edges.width, &cells) ||
        !(b->cells = cau_vector(cells, sizeof *b->cells)))
        goto done;
    *out = b;
    b = NULL;
    st = CAUCUS_OK;
done:
    free(row_of);
    cau_edge_batches_free(b);
    return st ? cau_fail_memory(ctx, "features on edges") : CAUCUS_OK;
}

void cau_edge_batches_free(cau_edge_batches *b)
{
    if (!b) return;
    for (size_t i = 0; b->batches && i < b->count; i++) {
        cau_csr_clear(&b->batches[i].xt);
        free(b->batches[i].feature);
    }
    free(b->batches);
    free(b->cells);
    free(b);
}

/* ---- one pass ------------------------------------------------------------------------------ */

double *cau_edge_batches_scores(cau_edge_batches *b, size_t i, size_t begin, size_t end,
                                const double *w)
{
    double *cells = b->cells + (begin - b->batches[i].first) * b->layout->edges.width;
    cau_score_edges(b->set, b->layout, w, begin, end - begin, cells);
    return cells;
}

typedef struct {
    const edge_batch *batch;
    const cau_table *table;
    const double *cells;
    size_t step; /* features in a block of work */
    double *g;   /* of the edge table */
} pull_job;

static caucus_status pull_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const pull_job *j = self;
    const cau_table *table = j->table;
    const cau_csr *xt = &j->batch->xt;
    const size_t begin = block * j->step;
    const size_t end = begin + j->step < xt->rows ? begin + j->step : xt->rows;
    for (size_t r = begin; r < end; r++) {
        const size_t k = j->batch->feature[r], at = cau_table_at(table, k);
        if (!table->start) {
            double *g = j->g + at;
            cau_kernels_get()->rows(xt, r, r + 1, table->width, j->cells, g, g);
            continue;
        }
        for (size_t e = xt->start[r]; e < xt->start[r + 1]; e++) {
            const double *cells = j->cells + (size_t)xt->column[e] * table->width;
            for (size_t c = at; c < table->start[k + 1]; c++) j->g[c] += cells[table->cell[c]];
        }
    }
    return CAUCUS_OK;
}

caucus_status cau_edge_batches_pull(cau_edge_batches *b, size_t i, unsigned threads, double *g)
{
    const edge_batch *batch = &b->batches[i];
    pull_job j = {.batch = batch,
                  .table = &b->layout->edges,
                  .cells = b->cells,
                  .step = PULL_ENTRIES / b->layout->edges.width + 1,
                  .g = g + cau_layout_edges_at(b->layout)};
    return cau_parallel(threads, (batch->xt.rows + j.step - 1) / j.step, pull_block, &j);
}
