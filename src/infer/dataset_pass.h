/* dataset_pass.h - one pass over a dataset on all threads: the loss and its gradient, expected
 * counts, accuracy, labels.
 *
 *     S = X W            scores, rows of X in parallel
 *     R = residuals(S)   by the model, instance by instance
 *     G = X' R           the gradient, rows of X' in parallel: each feature sums its own
 *                        occurrences, in a fixed order
 *
 * No two threads add to the same number, so the result has the same bits at any number of
 * threads. */

#ifndef CAU_INFER_DATASET_PASS_H
#define CAU_INFER_DATASET_PASS_H

#include "infer/dataset_scores.h"
#include "model/chain.h"

typedef struct cau_pass cau_pass;

/* What a pass reads. All of it is borrowed. */
typedef struct {
    const cau_dataset *set;
    cau_weight_layout layout;
    const float *weight; /* [N] of the instances, or NULL: all 1. A sequence has the weight of its
                            first instance */
    unsigned threads;
} cau_pass_options;

caucus_status cau_pass_new(caucus_ctx *ctx, const cau_pass_options *options, cau_pass **out);
void cau_pass_free(cau_pass *pass);

/* The bytes that the first gradient allocates. */
size_t cau_pass_bytes(const cau_dataset *set);

/* Called for each range begin..end-1 of the weights while its gradient is still in the cache: adds
 * a penalty to g and returns its value. May run in several threads at once. */
typedef double cau_finish_fn(void *self, size_t begin, size_t end, const double *w, double *g);

/* Loss at w; with g, its gradient, finished by `finish` (may be NULL), whose values are summed in
 * *extra. CAUCUS_ERR_NUMERIC when the loss is not finite. */
caucus_status cau_pass_gradient(cau_pass *pass, const double *w, double *loss, double *g,
                                cau_finish_fn *finish, void *self, double *extra);

/* Loss and expected counts E [weights] at w. After it cau_pass_cells has c_i p(y|x_i), [N][Y],
 * until the next pass. */
caucus_status cau_pass_expect(cau_pass *pass, const double *w, double *loss, double *E);
const double *cau_pass_cells(const cau_pass *pass);

/* Loss and accuracy at w in one pass. *share is that of the instances whose best class (the lowest
 * among equals), or whose label in the best labelling of their sequence, is gold; NaN where nothing
 * is counted. A gold class of CAU_UNKNOWN is never right, or, where the labels of the set are
 * partial, not counted. CAUCUS_ERR_MEMORY; CAUCUS_ERR_NUMERIC when the loss is not finite. */
caucus_status cau_pass_measure(cau_pass *pass, const double *w, double *loss, double *share);

/* The accuracy alone, which takes less time. Only CAUCUS_ERR_MEMORY. */
caucus_status cau_pass_accuracy(cau_pass *pass, const double *w, double *share);

/* The instances that the last of these passes counted, and those that were right. */
void cau_pass_counts(const cau_pass *pass, size_t *right, size_t *counted);

/* The same, and the labels [N]. */
caucus_status cau_pass_label(cau_pass *pass, const double *w, uint32_t *labels, double *share);

/* A gradient in two steps, for a classifier whose instances are weighted by its own predictions.
 * First logp [N] <- log p(gold_i | x_i) at w. Then the gradient of -sum_i weight_i log
 * p(gold_i|x_i) at the same w, finished as by cau_pass_gradient: once after each cau_pass_gold,
 * with no other pass in between. The weights of the options are not used. CAUCUS_ERR_NUMERIC as
 * above. */
caucus_status cau_pass_gold(cau_pass *pass, const double *w, double *logp);
caucus_status cau_pass_weighed(cau_pass *pass, const double *w, const double *weight, double *g,
                               cau_finish_fn *finish, void *self, double *extra);

#endif
