/* edge_gradient.h - inside exec: gradients of observations on edges.
 *
 * An edge has Y*Y residuals, too many to keep for all of the data as is done for the nodes. So
 * a pass goes through the data in batches of blocks that fit a buffer, and after each batch every
 * observation that occurs in it pulls the sum of its own occurrences. Batches, like blocks,
 * depend on the data alone, and they follow each other in order. */

#ifndef CAU_INFER_EDGE_GRADIENT_H
#define CAU_INFER_EDGE_GRADIENT_H

#include "dataset/dataset.h"
#include "math/kernels.h"

typedef struct cau_edge_batches cau_edge_batches;

/* Cuts the blocks of instances first[0] .. first[blocks] of a set with E > 0 into batches. The set
 * and the table are borrowed. */
caucus_status cau_edge_batches_new(caucus_ctx *ctx, const cau_dataset *set, cau_table table,
                                   const size_t *first, size_t blocks, cau_edge_batches **out);
void cau_edge_batches_free(cau_edge_batches *batches);

size_t cau_edge_batches_count(const cau_edge_batches *batches);

/* The blocks of batch b: from *begin to *end - 1. */
void cau_edge_batches_at(const cau_edge_batches *batches, size_t b, size_t *begin, size_t *end);

/* Scores of the edges of the instances begin..end-1, which are in batch b, from the weights of
 * the edge table: the place of the first in the buffer, [end - begin][Y][Y]. */
double *cau_edge_batches_scores(cau_edge_batches *batches, const cau_kernels *kernels, size_t b,
                                size_t begin, size_t end, const double *w);

/* Adds the residuals of batch b, which have taken the place of the scores, to the gradient g of
 * the edge table, on up to `threads` threads. */
caucus_status cau_edge_batches_pull(cau_edge_batches *batches, const cau_kernels *kernels, size_t b,
                                    unsigned threads, double *g);

#endif
