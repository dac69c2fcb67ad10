/* lines.h - the lines of a stream, counted, as UTF-8.
 *
 * A line ends with LF or CR LF, or with the end of the file; neither is part of it. A
 * byte-order mark at the start is dropped. A NUL byte or invalid UTF-8 is an error with
 * file and line. Lines may be of any length that fits in memory. */

#ifndef CAU_TEXT_LINES_H
#define CAU_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/input.h"
#include "base/strbuf.h"

typedef struct cau_lines cau_lines;

/* Takes the input over: cau_lines_free frees it, also when this call fails. */
caucus_status cau_lines_new(caucus_ctx *ctx, cau_input *in, cau_lines **out);

/* The lines of bytes in memory, which are borrowed like the name and taken as they stand:
 * nothing is unpacked. */
caucus_status cau_lines_memory(caucus_ctx *ctx, const char *name, cau_str bytes, cau_lines **out);

/* Goes on with other bytes in memory. Their first line has the number `first`, so that a piece
 * of a file is counted as part of it; a byte-order mark is dropped before line 1 only. For
 * lines from cau_lines_memory. */
void cau_lines_continue(cau_lines *lines, cau_str bytes, size_t first);
void cau_lines_free(cau_lines *lines);

/* The next line, valid until the call after. At the end *line is {NULL, 0}. */
caucus_status cau_lines_next(caucus_ctx *ctx, cau_lines *lines, cau_str *line);

/* The first `most` lines without consuming them: the next cau_lines_next gives the first of
 * them. Fewer when the file is shorter; at most 1 MiB is looked at, so a longer first line
 * is cut. To be called before the first cau_lines_next. Writes up to `most` views to
 * `lines_out` and how many to *count. No UTF-8 check is made here. */
caucus_status cau_lines_peek(caucus_ctx *ctx, cau_lines *lines, cau_str *lines_out, size_t most,
                             size_t *count);

/* Some whole lines as they stand, for somebody else to read. Embed it zeroed, free `buffer` at the
 * end. */
typedef struct {
    cau_str bytes; /* in the buffer; n = 0: there are no more */
    size_t first;  /* the number of the first line */
    char *buffer;
    size_t capacity;
} cau_stretch;

/* Cuts off the lines that come next: at least `size` bytes, up to the end of a line, or with
 * `blanks` up to the end of the first blank line, in which there may be these characters and no
 * others; all that is left if there is no such end. They replace what was in *stretch, and
 * cau_lines_next goes on behind them. No UTF-8 check is made here. For lines from cau_lines_new. */
caucus_status cau_lines_cut(caucus_ctx *ctx, cau_lines *lines, size_t size, const char *blanks,
                            cau_stretch *stretch);

/* Whether the line that ends with the newline bytes[at] is blank in that sense. */
bool cau_line_is_blank(const char *bytes, size_t at, const char *blanks);

size_t cau_lines_number(const cau_lines *lines);    /* of the line given last, from 1 */
const char *cau_lines_name(const cau_lines *lines); /* of the file, for messages */

/* The hash of all bytes read so far; of bytes in memory, of all that are there. */
uint64_t cau_lines_fingerprint(const cau_lines *lines);

/* The start of every complaint about a line: "file:line: ". */
#define CAU_AT "%s:%zu: "
#define CAU_AT_ARGS(lines) cau_lines_name(lines), cau_lines_number(lines)

#endif
