/* inspect.h - what is in a model, and why it decides as it does. */

#ifndef CAU_INSPECT_INSPECT_H
#define CAU_INSPECT_INSPECT_H

#include "model/model.h"

typedef struct {
    uint64_t top;             /* features shown for each class */
    const char *expectations; /* data over which to take them; NULL: not asked for */
    const char *explain;      /* one line of input; NULL: not asked for */
    const char *members;      /* data by which the experts of a pool are compared; NULL: none */
    bool dump;                /* the whole model as exact text */
    bool json;
    int format; /* of the data; auto is the model's own */
} cau_inspect_options;

caucus_status cau_inspect(caucus_ctx *ctx, const caucus_model *model,
                          const cau_inspect_options *options, unsigned threads,
                          caucus_write_fn *write, void *user);

#endif
