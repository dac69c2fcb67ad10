/* edge_gradient.h - gradients of features on edges, for dataset_pass.c.
 *
 * An edge has Y*Y residuals, too many to keep for all of the data as the nodes do. So a pass goes
 * through the data in batches of blocks that fit a buffer, and after each batch every feature that
 * occurs in it sums its own occurrences. Batches depend on the data alone and run in order. */

#ifndef CAU_INFER_EDGE_GRADIENT_H
#define CAU_INFER_EDGE_GRADIENT_H

#include "infer/dataset_scores.h"

typedef struct cau_edge_batches cau_edge_batches;

/* Cuts the blocks of a set with E > 0 into batches. Borrows set, layout and blocks. */
caucus_status cau_edge_batches_new(caucus_ctx *ctx, const cau_dataset *set,
                                   const cau_weight_layout *layout,
                                   const cau_sequence_blocks *blocks, cau_edge_batches **out);
void cau_edge_batches_free(cau_edge_batches *batches);

size_t cau_edge_batches_count(const cau_edge_batches *batches);

/* The blocks of batch b are *begin .. *end - 1. */
void cau_edge_batches_at(const cau_edge_batches *batches, size_t b, size_t *begin, size_t *end);

/* Scores of the edges of the instances begin..end-1, which are in batch b: [end - begin][Y][Y] in
 * the buffer. */
double *cau_edge_batches_scores(cau_edge_batches *batches, size_t b, size_t begin, size_t end,
                                const double *w);

/* Adds the residuals of batch b, which have replaced its scores in the buffer, to the part of the
 * gradient g that belongs to the edge table. */
caucus_status cau_edge_batches_pull(cau_edge_batches *batches, size_t b, unsigned threads,
                                    double *g);

#endif
