/* output.h - atomic writing of files.
 *
 * Bytes go to a temporary file beside the target; cau_output_commit flushes it to the disk and
 * renames it. Until then, and on every failure, the target stays unchanged. A target that exists
 * and is not a regular file (a pipe, /dev/stdout) is written directly. */

#ifndef CAU_BASE_OUTPUT_H
#define CAU_BASE_OUTPUT_H

#include <stddef.h>

#include "caucus.h"

typedef struct cau_output cau_output;

/* Fails at once when the file cannot be written; the message has the reason of the system.
 * cau_output_free removes the temporary file unless it was committed. */
caucus_status cau_output_open(caucus_ctx *ctx, const char *path, cau_output **out);
caucus_status cau_output_write(caucus_ctx *ctx, cau_output *out, const void *bytes, size_t length);
caucus_status cau_output_commit(caucus_ctx *ctx, cau_output *out);
void cau_output_free(cau_output *out);

/* Tests whether the path can be written by opening a temporary file there, so that a typing error
 * does not cost an hour of training. */
caucus_status cau_output_probe(caucus_ctx *ctx, const char *path);

#endif
