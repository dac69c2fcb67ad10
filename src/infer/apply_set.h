/* apply_set.h - a model applied to a data set in memory: what tagging its file would answer. */

#ifndef CAU_INFER_APPLY_SET_H
#define CAU_INFER_APPLY_SET_H

#include "dataset/dataset.h"
#include "model/model.h"

/* The labels of a set of `data` (its train, dev or test) by a model that need not have been trained
 * on it: labels [N] are numbers in data->labels, CAU_UNKNOWN where the model's answer is not there;
 * general [N], unless NULL, is what the gate gives the last member (model/pool.h); 1 where the
 * model has no gate. Names are looked up once for all instances. The same answer at any number of
 * threads. CAUCUS_ERR_ARGUMENT where the set and the model do not fit (megam's explicit form). */
caucus_status cau_apply_set(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                            const cau_dataset *set, unsigned threads, uint32_t *labels,
                            double *general);

#endif
