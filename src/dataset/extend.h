/* extend.h - a copy of a dataset whose instances have additional features. */

#ifndef CAU_DATASET_EXTEND_H
#define CAU_DATASET_EXTEND_H

#include "dataset/dataset.h"

/* The additional features of instance n of data->train: writes up to `room` different numbers below
 * `count` to extra and returns how many. Their values are 1 unless the function sets value. */
typedef size_t cau_extra_fn(void *self, size_t n, uint32_t *extra, float *value, size_t room);

/* A copy of data (train and test, without the dev set) with `count` more observations of positions,
 * named name(self, 0) .. name(self, count-1), after the others. Instances of the test set do not
 * have them. CAUCUS_ERR_FORMAT if the data has one of the names already, CAUCUS_ERR_UNSUPPORTED for
 * features that are given for each class apart (megam's explicit form). Free the result with
 * cau_data_free. */
typedef struct {
    size_t count, most;                    /* names; features of an instance at most */
    cau_str (*name)(void *self, size_t k); /* valid until the next call; {NULL, 0}: no memory */
    cau_extra_fn *extra;                   /* called once for each instance, in order */
    void *self;
} cau_extension;
caucus_status cau_data_extend(caucus_ctx *ctx, const caucus_data *data,
                              const cau_extension *extension, caucus_data **out);

#endif
