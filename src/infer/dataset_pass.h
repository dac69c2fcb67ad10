/* dataset_pass.h - one pass over a dataset: a loss and its gradient, by all threads.
 *
 *     S = X W            scores, rows of X in parallel
 *     R = residuals(S)   by the model, instance by instance
 *     G = X' R           the gradient, rows of X' in parallel: each observation pulls the
 *                        sum of its own occurrences, in a fixed order
 *
 * Nothing is added by two threads at once, so the result has the same bits at any number of
 * threads. Weights and gradient are those of the node table, then of the edge table
 * (observations on edges), then the common ones: Y*Y plain transitions of a chain, or Y default
 * weights of a classifier. */

#ifndef CAU_INFER_DATASET_PASS_H
#define CAU_INFER_DATASET_PASS_H

#include "dataset/dataset.h"
#include "math/table.h"
#include "model/chain.h"
#include "model/maxent.h"

typedef struct cau_pass cau_pass;

/* What a pass needs. All of it is borrowed. */
typedef struct {
    const cau_dataset *set;
    cau_table nodes;            /* rows = set->K */
    cau_table edges;            /* rows = set->E; width Y*Y */
    bool common;                /* there are common weights */
    const cau_chain_ops *chain; /* NULL: instances on their own, a MaxEnt classifier */
    const float *weight;        /* [N] of the instances, or NULL: all 1. A sequence has that of its
                                   first */
    unsigned threads;
} cau_pass_options;

caucus_status cau_pass_new(caucus_ctx *ctx, const cau_pass_options *options, cau_pass **out);
void cau_pass_free(cau_pass *pass);

/* What gradients need of memory, from the first of them on. */
size_t cau_pass_bytes(const cau_dataset *set);

/* Called for each stretch begin..end-1 of the weights while its gradient is still in the
 * cache: adds a penalty to g and returns its value. May run in several threads at once. */
typedef double cau_finish_fn(void *self, size_t begin, size_t end, const double *w, double *g);

/* Loss at w; with g, its gradient, finished by `finish` (may be NULL), the sum of whose
 * values goes to *extra. CAUCUS_ERR_NUMERIC when the loss is not finite. */
caucus_status cau_pass_gradient(cau_pass *pass, const double *w, double *loss, double *g,
                                cau_finish_fn *finish, void *self, double *extra);

/* Loss and expected counts E [weights] at w; cau_pass_cells then has c_i p(y|x_i), [N][Y],
 * until the next pass. */
caucus_status cau_pass_expect(cau_pass *pass, const double *w, double *loss, double *E);
const double *cau_pass_cells(const cau_pass *pass);

/* Loss and accuracy at w in one pass. *share is that of the instances whose best class (the lowest
 * of equals), or whose label in the best labelling of their sequence, is the gold one; NaN where
 * there are none. A gold class of CAU_UNKNOWN is never right, unless the labels of the set are
 * partial: then it is not counted. CAUCUS_ERR_MEMORY; CAUCUS_ERR_NUMERIC when the loss is not
 * finite. */
caucus_status cau_pass_measure(cau_pass *pass, const double *w, double *loss, double *share);

/* The accuracy alone, which is less work. Only CAUCUS_ERR_MEMORY. */
caucus_status cau_pass_accuracy(cau_pass *pass, const double *w, double *share);

/* The same, and the labels [N] that are meant: of each instance by itself, or of the best
 * labelling of its sequence. */
caucus_status cau_pass_label(cau_pass *pass, const double *w, uint32_t *labels, double *share);

/* In two steps, for whoever weighs the instances of a classifier by what it says of them. First
 * log p(gold_i | x_i) of each at w: logp [N]. Then the gradient of -sum_i weight_i log
 * p(gold_i|x_i) at the same w, finished as by cau_pass_gradient: once after each cau_pass_gold,
 * with nothing between. The weights of the options are not looked at. CAUCUS_ERR_NUMERIC as above.
 */
caucus_status cau_pass_gold(cau_pass *pass, const double *w, double *logp);
caucus_status cau_pass_weighed(cau_pass *pass, const double *w, const double *weight, double *g,
                               cau_finish_fn *finish, void *self, double *extra);

#endif
