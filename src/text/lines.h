/* lines.h - the lines of a file or of bytes in memory, counted, as UTF-8.
 *
 * A line ends with LF or CR LF, or with the end of the file; the line end is not part of it. A
 * byte-order mark at the start is dropped. A NUL byte or invalid UTF-8 is an error with file and
 * line. Lines may have any length that fits in memory. */

#ifndef CAU_TEXT_LINES_H
#define CAU_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/input.h"
#include "base/strbuf.h"

typedef struct cau_lines cau_lines;

/* Opens a file; "-" is standard input. A line of a terminal or a pipe is available as soon as it
 * has arrived. */
caucus_status cau_lines_open(caucus_ctx *ctx, const char *path, cau_lines **out);

/* The same for an input, which is freed with the lines, also when this call fails. */
caucus_status cau_lines_new(caucus_ctx *ctx, cau_input *in, cau_lines **out);

/* The lines of bytes in memory, which are not unpacked. Borrows the bytes and the name. */
caucus_status cau_lines_memory(caucus_ctx *ctx, const char *name, cau_str bytes, cau_lines **out);

/* Continues with other bytes in memory, a chunk of a file that begins with line number `first`. A
 * byte-order mark is dropped before line 1 only. For lines from cau_lines_memory. */
void cau_lines_continue(cau_lines *lines, cau_str bytes, size_t first);
void cau_lines_free(cau_lines *lines);

/* The next line. It is valid until the next call; lines in memory are valid as long as their bytes.
 * At the end *line is {NULL, 0}. */
caucus_status cau_lines_next(caucus_ctx *ctx, cau_lines *lines, cau_str *line);

/* The first lines without consuming them, to be called before the first cau_lines_next: see
 * cau_chunker_peek. */
caucus_status cau_lines_peek(caucus_ctx *ctx, cau_lines *lines, cau_str *lines_out, size_t most,
                             size_t *count);

/* The length of the byte-order mark at the start of some bytes: 3, or 0 without one. */
static inline size_t cau_byte_order_mark(cau_str bytes)
{
    return bytes.n >= 3 && memcmp(bytes.s, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* The first `most` lines of some bytes. `cut`: what follows the last newline is not a whole line,
 * and is left out unless it is the first line. Returns the number of lines. */
size_t cau_first_lines(cau_str bytes, bool cut, cau_str *lines, size_t most);

size_t cau_lines_number(const cau_lines *lines);    /* of the line returned last, from 1 */
const char *cau_lines_name(const cau_lines *lines); /* of the file, for messages */

/* The start of every message about a line: "file:line: ". */
#define CAU_AT "%s:%zu: "
#define CAU_AT_ARGS(lines) cau_lines_name(lines), cau_lines_number(lines)

#endif
