/* instance_weights.h - weights of the training instances. */

#ifndef CAU_TRAIN_INSTANCE_WEIGHTS_H
#define CAU_TRAIN_INSTANCE_WEIGHTS_H

#include "dataset/dataset.h"

/* Weights [N] of the training set: those of the data times those of the classes, which are NULL,
 * "balanced" or "label=w,label=w". *out is NULL if all are 1; free it. */
caucus_status cau_instance_weights(caucus_ctx *ctx, const caucus_data *data,
                                   const char *class_weight, float **out);

#endif
