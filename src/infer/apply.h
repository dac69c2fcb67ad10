/* apply.h - a model applied to what is in memory: sequences of features, and datasets. */

#ifndef CAU_INFER_APPLY_H
#define CAU_INFER_APPLY_H

#include "dataset/dataset.h"
#include "infer/decode.h"

/* Labels sequences: the memory of one thread. Embed it zeroed, init it, clear it at the end. */
typedef struct {
    const cau_decoder *decoder; /* borrowed */
    cau_scorer scorer;
    cau_decoded decoded;     /* the result */
    cau_feature_block block; /* of the features of an instance */
} cau_labeller;

caucus_status cau_labeller_init(caucus_ctx *ctx, cau_labeller *labeller, const caucus_model *model,
                                const cau_decoder *decoder);
void cau_labeller_clear(cau_labeller *labeller);

/* Adds an instance to the sequence of labeller->scorer (cau_scorer_begin), without a reader. A
 * feature counts wherever the model has its name, among the nodes, the edges or both; others are
 * ignored, and equal ones add up. CAUCUS_ERR_ARGUMENT for values that are not finite, and for
 * models with explicit features; the sequence is unchanged then. */
caucus_status cau_labeller_add(caucus_ctx *ctx, cau_labeller *labeller,
                               const caucus_feature *features, size_t count);

/* The same for features by the keys (base/key.h) of their names, under the base of the model. */
caucus_status cau_labeller_add_keys(caucus_ctx *ctx, cau_labeller *labeller,
                                    const caucus_keyed_feature *features, size_t count);

/* Scores and decodes the sequence of labeller->scorer, which has at least one instance. Then
 * labeller->decoded and the scores and weights of the gate in labeller->scorer are valid until the
 * next begin. `forced` may be NULL. CAUCUS_ERR_NUMERIC when no labelling is possible. */
caucus_status cau_labeller_end(caucus_ctx *ctx, cau_labeller *labeller,
                               const cau_forced_labels *forced);

/* The labels of a set of `data` (its train, dev or test) by a model that need not have been trained
 * on it: labels [N] are numbers in data->labels, CAU_UNKNOWN where the data lacks the label of the
 * model; general [N], unless NULL, is the weight that the gate gives to the last member
 * (model/pool.h), 1 without a gate. They are those of tagging the file, at any number of threads.
 * CAUCUS_ERR_ARGUMENT where one of set and model has explicit features. */
caucus_status cau_apply_set(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                            const cau_dataset *set, unsigned threads, uint32_t *labels,
                            double *general);

#endif
