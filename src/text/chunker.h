/* chunker.h - a stream cut into pieces of whole lines or sequences, which can be read side by
 * side. */

#ifndef CAU_TEXT_CHUNKER_H
#define CAU_TEXT_CHUNKER_H

#include "caucus.h"

typedef struct cau_chunker cau_chunker;

/* Some whole lines. Embed it zeroed, free `bytes` at the end. */
typedef struct {
    char *bytes;
    size_t n, room;
    size_t first; /* the number of its first line, from 1 */
} cau_text_chunk;

/* Opens a file; "-" is standard input. With `blanks`, which lives as long, a piece ends with a
 * blank line, in which there may be these characters and no others. */
caucus_status cau_chunker_open(caucus_ctx *ctx, const char *path, const char *blanks,
                               cau_chunker **out);
void cau_chunker_free(cau_chunker *pieces);

/* The next piece, about `size` bytes long; it replaces what was in *piece. Only the last line
 * of the input may lack its newline, and only the last sequence its blank line. n = 0 at the
 * end. */
caucus_status cau_chunker_next(caucus_ctx *ctx, cau_chunker *pieces, size_t size,
                               cau_text_chunk *piece);

/* Whether somebody may be waiting at the other end (a terminal, a pipe): then a piece is what
 * has come so far and is complete, and should be answered before the next is asked for. */
bool cau_chunker_live(const cau_chunker *pieces);

const char *cau_chunker_name(const cau_chunker *pieces); /* of the file, for messages */

#endif
