/* dataset_sample.h - datasets from one text, also with failing allocations. */

#ifndef CAU_SUPPORT_DATASET_SAMPLE_H
#define CAU_SUPPORT_DATASET_SAMPLE_H

#include "dataset/dataset.h"
#include "support/support.h"

static inline caucus_status read_with(caucus_ctx *ctx, cau_data_options options, const char *text,
                                      caucus_data **out)
{
    const char *path = test_text("train", text);
    return cau_data_read(ctx, &options, &path, 1, out);
}

/* For test_every_allocation. */
typedef struct {
    caucus_ctx *ctx;
    cau_data_options options;
    const char *path;
} read_attempt;

static inline caucus_status try_read(void *self)
{
    const read_attempt *a = self;
    caucus_data *data = NULL;
    const caucus_status st = cau_data_read(a->ctx, &a->options, &a->path, 1, &data);
    assert_true(st ? !data : !!data);
    cau_data_free(data);
    return st;
}

#endif
