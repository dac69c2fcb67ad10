/* chunker.h - a file as chunks of whole lines or whole sequences. Every stream is cut here. */

#ifndef CAU_TEXT_CHUNKER_H
#define CAU_TEXT_CHUNKER_H

#include <stdbool.h>

#include "base/input.h"
#include "base/strbuf.h"
#include "text/cut.h"

typedef struct cau_chunker cau_chunker;

/* Some whole lines. Embed it zeroed, free `bytes` at the end. */
typedef struct {
    char *bytes;
    size_t n, room;
    size_t first; /* number of its first line, from 1 */
} cau_text_chunk;

/* Opens a file; "-" is standard input. With `prompt`, a chunk of a terminal or a pipe is what has
 * arrived, as soon as that has an end in it: process it before asking for the next one. */
caucus_status cau_chunker_open(caucus_ctx *ctx, const char *path, bool prompt, cau_chunker **out);

/* The same for an input, which the chunker frees, also when this call fails. */
caucus_status cau_chunker_new(caucus_ctx *ctx, cau_input *in, bool prompt, cau_chunker **out);
void cau_chunker_free(cau_chunker *chunker);

/* Replaces *chunk by the next chunk, of about `size` bytes; n = 0 at the end of the file. A chunk
 * ends where `cut` says (NULL: after a line). Only the last line of the file may lack its newline,
 * and only the last sequence its blank line. All calls must give the same `cut`. CAUCUS_ERR_FORMAT
 * for a JSON array that does not end. */
caucus_status cau_chunker_next(caucus_ctx *ctx, cau_chunker *chunker, size_t size,
                               const cau_cut *cut, cau_text_chunk *chunk);

/* The first `most` lines of the file, to be called before the first chunk is taken. Looks at 1 MiB
 * at most, so a longer first line is cut. Writes up to `most` views to `lines` and their number to
 * *count; they are valid until the next call. UTF-8 is not checked. */
caucus_status cau_chunker_peek(caucus_ctx *ctx, cau_chunker *chunker, cau_str *lines, size_t most,
                               size_t *count);

/* Whether `prompt` was asked for and the input is a terminal or a pipe. */
bool cau_chunker_live(const cau_chunker *chunker);

/* The hash of all bytes read so far, unpacked. */
uint64_t cau_chunker_fingerprint(const cau_chunker *chunker);

const char *cau_chunker_name(const cau_chunker *chunker); /* of the file, for messages */

#endif
