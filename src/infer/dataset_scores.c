/* dataset_scores.c - the sequences of a dataset in blocks, and their scores by weights in doubles.
 */

#include "infer/dataset_scores.h"

#include <stdlib.h>

#include "base/memory.h"
#include "math/kernels.h"

enum { BLOCK_SEQUENCES = 64 };

/* ---- scores -------------------------------------------------------------------------- */

void cau_score_nodes(const cau_dataset *set, const cau_weight_layout *layout, const double *w,
                     size_t begin, size_t T, double *s)
{
    const cau_kernels *kernels = cau_kernels_get();
    const size_t row = begin * set->group, end = (begin + T) * set->group;
    const double *bias = layout->chain ? NULL : cau_layout_common(layout, w);
    if (!layout->nodes.start) {
        kernels->rows(&set->x, row, end, set->width, w, bias, s);
        return;
    }
    kernels->rows_listed(&set->x, row, end, &layout->nodes, w, s);
    for (size_t i = 0; bias && i < T * set->Y; i++) s[i] += bias[i % set->Y];
}

void cau_score_edges(const cau_dataset *set, const cau_weight_layout *layout, const double *w,
                     size_t begin, size_t T, double *own)
{
    const cau_kernels *kernels = cau_kernels_get();
    const cau_table *table = &layout->edges;
    w += cau_layout_edges_at(layout);
    if (table->start)
        kernels->rows_listed(&set->e, begin, begin + T, table, w, own);
    else
        kernels->rows(&set->e, begin, begin + T, table->width, w, NULL, own);
}

/* ---- blocks -------------------------------------------------------------------------- */

/* Cuts at the first sequence that begins at or after each block of rows of X. */
static caucus_status cut_by_nonzeros(cau_sequence_blocks *b, const cau_dataset *set,
                                     size_t nonzeros)
{
    size_t *first, blocks, count = 0, s = 0;
    const caucus_status st = cau_csr_blocks(&set->x, nonzeros, &first, &blocks);
    if (st) return st;
    for (size_t i = 0; i <= blocks; i++) {
        const size_t instance = first[i] / set->group;
        if (b->sequence)
            while (b->sequence[s] < instance) s++;
        else
            s = instance;
        if (count == 0 || s > first[count - 1]) first[count++] = s;
    }
    b->first = first;
    b->count = count - 1;
    return CAUCUS_OK;
}

static caucus_status cut_by_sequences(cau_sequence_blocks *b)
{
    b->count = (b->S + BLOCK_SEQUENCES - 1) / BLOCK_SEQUENCES;
    b->first = cau_alloc(b->count + 1, sizeof *b->first);
    if (!b->first) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < b->count; i++) b->first[i] = i * BLOCK_SEQUENCES;
    b->first[b->count] = b->S;
    return CAUCUS_OK;
}

caucus_status cau_sequence_blocks_init(cau_sequence_blocks *b, const cau_dataset *set, bool chain,
                                       size_t nonzeros)
{
    const bool sequences = chain && set->sequence;
    *b = (cau_sequence_blocks){.sequence = sequences ? set->sequence : NULL,
                               .S = sequences ? set->S : set->N};
    for (size_t s = 0; s < b->S; s++)
        if (cau_sequence_length(b, s) > b->longest) b->longest = cau_sequence_length(b, s);
    return nonzeros ? cut_by_nonzeros(b, set, nonzeros) : cut_by_sequences(b);
}

void cau_sequence_blocks_clear(cau_sequence_blocks *b)
{
    free(b->first);
    *b = (cau_sequence_blocks){0};
}

size_t cau_largest_block(const cau_sequence_blocks *b)
{
    size_t most = 0;
    for (size_t i = 0; i < b->count; i++) {
        const size_t instances = cau_block_begin(b, i + 1) - cau_block_begin(b, i);
        if (instances > most) most = instances;
    }
    return most;
}

/* ---- accuracy ------------------------------------------------------------------------ */

void cau_count_right(const cau_dataset *set, size_t begin, size_t T, const uint32_t *path,
                     size_t *right, size_t *counted)
{
    const uint32_t *gold = set->gold + begin;
    for (size_t t = 0; t < T; t++) {
        if (set->partial && (gold[t] & CAU_SET)) continue;
        *right += path[t] == gold[t];
        ++*counted;
    }
}
