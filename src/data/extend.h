/* extend.h - a data set whose instances have further features. */

#ifndef CAU_DATA_EXTEND_H
#define CAU_DATA_EXTEND_H

#include "data/dataset.h"

/* The features that instance n of data->train has beside its own: numbers below the count of names,
 * ascending; returns how many, at most `room`. */
typedef size_t cau_extra_fn(void *self, size_t n, uint32_t *extra, size_t room);

/* A copy of data (train and test; the dev set is left out) with more observations of positions,
 * named name(self, 0) .. name(self, count-1), behind the others; features of value 1. An instance
 * has those that `extra` says; those of the test set have none. A name that is there already is
 * CAUCUS_ERR_FORMAT with a sentence. Free the result with cau_data_free. */
typedef struct {
    size_t count, most;                    /* names; features that an instance can get */
    cau_str (*name)(void *self, size_t k); /* valid until the next call */
    cau_extra_fn *extra;
    void *self;
} cau_extension;
caucus_status cau_data_extend(caucus_ctx *ctx, const caucus_data *data,
                              const cau_extension *extension, caucus_data **out);

#endif
