/* tag.h - applying a model to a file, line by line. */

#ifndef CAU_APPLY_TAG_H
#define CAU_APPLY_TAG_H

#include "model/model.h"

typedef struct {
    int format;         /* cau_format; auto is the model's own */
    bool probabilities; /* of all classes, "label:p" columns in the order of the model */
    uint64_t top;       /* of the best n classes, best first; 0: none */
} cau_tag_options;

/* One line for each instance: gold TAB label, or, for columns, the line TAB label; without a
 * gold label, only the label. Then the probabilities asked for. Blank lines stay. */
caucus_status cau_tag(caucus_ctx *ctx, const caucus_model *model, const cau_tag_options *options,
                      unsigned threads, const char *path, caucus_write_fn *write, void *user);

#endif
