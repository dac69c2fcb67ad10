/* dataset_scores.h - the sequences of a dataset in blocks, and their scores by weights in doubles,
 * the form that training uses. */

#ifndef CAU_INFER_DATASET_SCORES_H
#define CAU_INFER_DATASET_SCORES_H

#include "dataset/dataset.h"
#include "math/table.h"
#include "model/chain.h"
#include "model/model.h"

/* A vector of weights holds those of the node table, of the edge table (features on edges), and the
 * common ones: the Y*Y plain transitions of a chain, or the Y default weights of a classifier. */
typedef struct {
    cau_table nodes;            /* rows = K of the set */
    cau_table edges;            /* rows = E of the set, width Y*Y */
    size_t common;              /* number of common weights; 0: none */
    const cau_chain_ops *chain; /* NULL: a MaxEnt classifier, whose instances are independent */
} cau_weight_layout;

/* The first weight of the edge table, and the first common weight. */
static inline size_t cau_layout_edges_at(const cau_weight_layout *layout)
{
    return cau_table_size(&layout->nodes);
}

static inline size_t cau_layout_common_at(const cau_weight_layout *layout)
{
    return cau_layout_edges_at(layout) + cau_table_size(&layout->edges);
}

/* The common weights of w, or NULL where there are none. */
static inline const double *cau_layout_common(const cau_weight_layout *layout, const double *w)
{
    return layout->common ? w + cau_layout_common_at(layout) : NULL;
}

/* The weights w of a layout as those of a model. */
static inline cau_member_part cau_layout_part(const cau_weight_layout *layout, const double *w)
{
    const double *common = cau_layout_common(layout, w);
    return (cau_member_part){.nodes = w,
                             .edges = layout->edges.rows ? w + cau_layout_edges_at(layout) : NULL,
                             .transitions = layout->chain ? common : NULL,
                             .bias = layout->chain ? NULL : common};
}

/* s [T][Y] <- scores of the instances begin .. begin+T-1, the default weights of a classifier
 * included. */
void cau_score_nodes(const cau_dataset *set, const cau_weight_layout *layout, const double *w,
                     size_t begin, size_t T, double *s);

/* own [T][Y][Y] <- what features add to the edges into these instances. */
void cau_score_edges(const cau_dataset *set, const cau_weight_layout *layout, const double *w,
                     size_t begin, size_t T, double *own);

/* Blocks of whole sequences, the work that one thread does at a time. They depend on the data
 * alone, so sums that are added in the order of blocks have the same bits at any number of threads.
 * Each instance of a classifier is a sequence of its own. Embed it zeroed, clear it at the end. */
typedef struct {
    const size_t *sequence; /* [S+1] first instance of each sequence, borrowed; NULL: one each */
    size_t S, longest;
    size_t *first; /* [count+1] first sequence of each block */
    size_t count;
} cau_sequence_blocks;

/* Cuts a set into blocks of about `nonzeros` features; 0: of 64 sequences. CAUCUS_ERR_MEMORY. */
caucus_status cau_sequence_blocks_init(cau_sequence_blocks *blocks, const cau_dataset *set,
                                       bool chain, size_t nonzeros);
void cau_sequence_blocks_clear(cau_sequence_blocks *blocks);

/* The first instance of sequence s <= S, and its number of instances. */
static inline size_t cau_sequence_at(const cau_sequence_blocks *blocks, size_t s)
{
    return blocks->sequence ? blocks->sequence[s] : s;
}

static inline size_t cau_sequence_length(const cau_sequence_blocks *blocks, size_t s)
{
    return blocks->sequence ? blocks->sequence[s + 1] - blocks->sequence[s] : 1;
}

/* The first instance of block b <= count. */
static inline size_t cau_block_begin(const cau_sequence_blocks *blocks, size_t b)
{
    return cau_sequence_at(blocks, blocks->first[b]);
}

/* The largest number of instances in a block. */
size_t cau_largest_block(const cau_sequence_blocks *blocks);

/* Counts the labels path [T] of the instances begin .. begin+T-1 that are gold. Where the labels of
 * the set are partial, instances without a single gold label are not counted. */
void cau_count_right(const cau_dataset *set, size_t begin, size_t T, const uint32_t *path,
                     size_t *right, size_t *counted);

#endif
