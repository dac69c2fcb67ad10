/* output.h - files that appear whole or not at all.
 *
 * Bytes go to a temporary file beside the target; cau_output_commit flushes it to the disk
 * and renames it. Until then, and on every failure, the target is what it was. A target
 * that exists and is no regular file (a pipe, /dev/stdout) is written directly. */

#ifndef CAU_BASE_OUTPUT_H
#define CAU_BASE_OUTPUT_H

#include <stddef.h>

#include "caucus.h"

typedef struct cau_output cau_output;

/* Fails at once when the place cannot be written, with the reason of the system. The
 * temporary file is removed by cau_output_free unless it was committed. */
caucus_status cau_output_open(caucus_ctx *ctx, const char *path, cau_output **out);
caucus_status cau_output_write(caucus_ctx *ctx, cau_output *out, const void *bytes, size_t length);
caucus_status cau_output_commit(caucus_ctx *ctx, cau_output *out);
void cau_output_free(cau_output *out);

/* Whether a file could be written there, found out by opening one: so that an hour of
 * training is not lost to a typing error. */
caucus_status cau_output_probe(caucus_ctx *ctx, const char *path);

#endif
