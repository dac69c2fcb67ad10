/* input.h - a stream of bytes from a file, standard input or a compressed file.
 *
 * gzip, zstd and xz are recognised by their first bytes, not by the name, and unpacked while
 * reading. Concatenated members are read one after the other. */

#ifndef CAU_BASE_INPUT_H
#define CAU_BASE_INPUT_H

#include <stddef.h>

#include "caucus.h"

typedef struct cau_input cau_input;

/* Opens a file; "-" is standard input. A directory, an unreadable file or a missing file is
 * CAUCUS_ERR_IO; the message has the reason of the system. */
caucus_status cau_input_open(caucus_ctx *ctx, const char *path, cau_input **out);

/* The same for bytes in memory, which are copied and not unpacked. */
caucus_status cau_input_memory(caucus_ctx *ctx, const char *name, const char *bytes, size_t length,
                               cau_input **out);

/* Reads up to `size` bytes; *got = 0 only at the end. Damaged or truncated compressed data is
 * CAUCUS_ERR_FORMAT. */
caucus_status cau_input_read(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size,
                             size_t *got);

const char *cau_input_name(const cau_input *in); /* the path, "standard input" for "-" */
void cau_input_free(cau_input *in);

#endif
