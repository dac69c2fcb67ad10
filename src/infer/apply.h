/* apply.h - a model applied to what is in memory: sequences of features, and datasets. */

#ifndef CAU_INFER_APPLY_H
#define CAU_INFER_APPLY_H

#include "dataset/dataset.h"
#include "infer/decode.h"

/* The rows of a model for the features of some instances: see cau_feature_rows. */
typedef struct {
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
} cau_labeller;

caucus_status cau_labeller_init(caucus_ctx *ctx, cau_labeller *labeller, const caucus_model *model,
                                const cau_decoder *decoder);
void cau_labeller_clear(cau_labeller *labeller);

/* Labels a sequence of T >= 1 instances. A feature counts wherever the model has its name, among
 * the nodes, the edges or both; others are ignored, and equal ones add up. The model must be
 * verified. `forced` may be NULL. CAUCUS_ERR_ARGUMENT for values that are not finite, and for
 * models with explicit features; CAUCUS_ERR_NUMERIC when no labelling is possible. */
caucus_status cau_labeller_items(caucus_ctx *ctx, cau_labeller *labeller, const caucus_item *items,
                                 size_t T, const cau_forced_labels *forced);

/* The best labels of a sequence: path [T], and, unless NULL, marginal [T][Y], the score of the path
 * and log Z (their difference is the log probability of the path). Fails like cau_labeller_items.
 * Threads may share the model, each with a context of its own. */
caucus_status cau_label(caucus_ctx *ctx, const caucus_model *model, const caucus_item *items,
                        size_t T, uint32_t *path, double *marginal, double *score, double *logz);

/* p(y | x) of a single instance, [Y]: the marginals of cau_label for a sequence of one. Untouched
 * on failure: CAUCUS_ERR_ARGUMENT as above; CAUCUS_ERR_FORMAT when the model is damaged;
 * CAUCUS_ERR_MEMORY for a mixture or a stack only, since other models need no memory. */
caucus_status cau_predict(const caucus_model *model, const caucus_feature *features, size_t count,
                          double *p);

/* The labels of a set of `data` (its train, dev or test) by a model that need not have been trained
 * on it: labels [N] are numbers in data->labels, CAU_UNKNOWN where the data lacks the label of the
 * model; general [N], unless NULL, is the weight that the gate gives to the last member
 * (model/pool.h), 1 without a gate. They are those of tagging the file, at any number of threads.
 * CAUCUS_ERR_ARGUMENT where one of set and model has explicit features. */
caucus_status cau_apply_set(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                            const cau_dataset *set, unsigned threads, uint32_t *labels,
                            double *general);

#endif
