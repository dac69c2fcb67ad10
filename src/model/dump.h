/* dump.h - a model as exact text, and back. */

#ifndef CAU_MODEL_DUMP_H
#define CAU_MODEL_DUMP_H

#include "model/model.h"

/* Writes the whole model as text: comparable with diff, weights as hexadecimal floats. */
caucus_status cau_model_dump(caucus_ctx *ctx, const caucus_model *model, caucus_write_fn *write,
                             void *user);

/* Reads such a text: the image is identical to the one it came from, byte for byte.
 * CAUCUS_ERR_FORMAT with file and line for anything else. */
caucus_status cau_model_undump(caucus_ctx *ctx, const char *path, caucus_model **out);

#endif
