/* extend.h - a data set whose instances have further features. */

#ifndef CAU_DATASET_EXTEND_H
#define CAU_DATASET_EXTEND_H

#include "dataset/dataset.h"

/* The features that instance n of data->train has beside its own: numbers below the count of names,
 * each once, at most `room` of them; returns how many. Their values are 1 unless it sets them. */
typedef size_t cau_extra_fn(void *self, size_t n, uint32_t *extra, float *value, size_t room);

/* A copy of data (train and test; the dev set is left out) with more observations of positions,
 * named name(self, 0) .. name(self, count-1), behind the others. An instance has those that `extra`
 * says; those of the test set have none. A name that is there already is CAUCUS_ERR_FORMAT, and
 * features that are given for each class apart (megam's explicit form) CAUCUS_ERR_UNSUPPORTED, with
 * a sentence. Free the result with cau_data_free. */
typedef struct {
    size_t count, most;                    /* names; features that an instance can get */
    cau_str (*name)(void *self, size_t k); /* valid until the next call; {NULL, 0}: no memory */
    cau_extra_fn *extra;                   /* asked once for each instance, in their order */
    void *self;
} cau_extension;
caucus_status cau_data_extend(caucus_ctx *ctx, const caucus_data *data,
                              const cau_extension *extension, caucus_data **out);

#endif
