/* apply.h - a model applied to what is in memory: sequences of features, and datasets. */

#ifndef CAU_INFER_APPLY_H
#define CAU_INFER_APPLY_H

#include "dataset/dataset.h"
#include "infer/decode.h"

/* The rows of a model for the features of some instances: see cau_feature_rows. */
typedef struct {
    size_t count;  /* rows */
    size_t *start; /* [instances + 1] */
    uint32_t *row;
    float *value;
    size_t start_room, row_room, value_room;
} cau_row_list;

/* Labels sequences: the memory of one thread. Embed it zeroed, init it, clear it at the end. */
typedef struct {
    const cau_decoder *decoder; /* borrowed */
    cau_scorer scorer;
    cau_decoded decoded; /* the result */
    cau_row_list nodes, edges;
    size_t T; /* instances in them */
} cau_labeller;

caucus_status cau_labeller_init(caucus_ctx *ctx, cau_labeller *labeller, const caucus_model *model,
                                const cau_decoder *decoder);
void cau_labeller_clear(cau_labeller *labeller);

/* A sequence: begin, its instances, end; then labeller->decoded and the scores and weights of the
 * gate in labeller->scorer are valid until the next begin. A feature counts wherever the model has
 * its name, among the nodes, the edges or both; others are ignored, and equal ones add up. The
 * model must be verified. CAUCUS_ERR_ARGUMENT for values that are not finite, and for models with
 * explicit features; the sequence is as it was then. */
void cau_labeller_begin(cau_labeller *labeller);
caucus_status cau_labeller_add(caucus_ctx *ctx, cau_labeller *labeller,
                               const caucus_feature *features, size_t count);

/* Scores and decodes the instances, at least one. `forced` may be NULL. CAUCUS_ERR_NUMERIC when no
 * labelling is possible. */
caucus_status cau_labeller_end(caucus_ctx *ctx, cau_labeller *labeller,
                               const cau_forced_labels *forced);

/* Decodes a sequence that was given to labeller->scorer. Fails like cau_labeller_end. */
caucus_status cau_labeller_decode(caucus_ctx *ctx, cau_labeller *labeller,
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
