/* lines.c - the lines of a file or of bytes in memory.
 *
 * Lines are views of a chunk of whole lines; a file gives one chunk after the other (chunker.h). So
 * no byte is copied for its line. */

#include "text/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "text/chunker.h"

enum { CHUNK_SIZE = 256 << 10 };

struct cau_lines {
    const char *name;
    cau_chunker *chunker; /* NULL for bytes in memory */
    cau_text_chunk chunk;
    const char *at, *end; /* bytes that are left of the chunk, or of the bytes in memory */
    size_t number;
};

caucus_status cau_lines_new(caucus_ctx *ctx, cau_input *in, cau_lines **out)
{
    cau_chunker *chunker = NULL;
    caucus_status st = cau_chunker_new(ctx, in, true, &chunker);
    if (st) return st;
    st = cau_lines_memory(ctx, cau_chunker_name(chunker), (cau_str){NULL, 0}, out);
    if (st)
        cau_chunker_free(chunker);
    else
        (*out)->chunker = chunker;
    return st;
}

caucus_status cau_lines_open(caucus_ctx *ctx, const char *path, cau_lines **out)
{
    cau_input *in = NULL;
    const caucus_status st = cau_input_open(ctx, path, &in);
    return st ? st : cau_lines_new(ctx, in, out);
}

caucus_status cau_lines_memory(caucus_ctx *ctx, const char *name, cau_str bytes, cau_lines **out)
{
    cau_lines *lines = cau_calloc(1, sizeof *lines);
    if (!lines) return cau_fail_memory(ctx, "reading lines");
    lines->name = name;
    cau_lines_continue(lines, bytes, 1);
    *out = lines;
    return CAUCUS_OK;
}

void cau_lines_continue(cau_lines *lines, cau_str bytes, size_t first)
{
    assert(first > 0);
    lines->at = bytes.s ? bytes.s : "";
    lines->end = lines->at + bytes.n;
    lines->number = first - 1;
    if (first == 1) lines->at += cau_byte_order_mark(bytes);
}

void cau_lines_free(cau_lines *lines)
{
    if (!lines) return;
    cau_chunker_free(lines->chunker);
    free(lines->chunk.bytes);
    free(lines);
}

/* The text from `start` to the newline at `newline`, without a CR at its end. */
static cau_str line_view(const char *start, const char *newline)
{
    size_t length = (size_t)(newline - start);
    if (length > 0 && start[length - 1] == '\r') length--;
    return (cau_str){start, length};
}

static caucus_status check_line(caucus_ctx *ctx, const cau_lines *lines, cau_str line)
{
    if (memchr(line.s, '\0', line.n))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "NUL byte; this is not a text file",
                        CAU_AT_ARGS(lines));
    const size_t valid = cau_utf8_check(line.s, line.n);
    if (valid < line.n)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "invalid UTF-8 at byte %zu; convert the file, for example with "
                               "iconv -t utf-8",
                        CAU_AT_ARGS(lines), valid + 1);
    return CAUCUS_OK;
}

caucus_status cau_lines_next(caucus_ctx *ctx, cau_lines *lines, cau_str *line)
{
    caucus_status st = CAUCUS_OK;
    while (lines->at == lines->end) {
        if (lines->chunker)
            TRY(cau_chunker_next(ctx, lines->chunker, CHUNK_SIZE, NULL, &lines->chunk));
        if (lines->chunk.n == 0) {
            *line = (cau_str){NULL, 0};
            return CAUCUS_OK;
        }
        cau_lines_continue(lines, (cau_str){lines->chunk.bytes, lines->chunk.n},
                           lines->chunk.first);
    }
    const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    const cau_str found = newline ? line_view(lines->at, newline)
                                  : (cau_str){lines->at, (size_t)(lines->end - lines->at)};
    lines->at = newline ? newline + 1 : lines->end;
    lines->number++;
    TRY(check_line(ctx, lines, found));
    *line = found;
done:
    return st;
}

size_t cau_first_lines(cau_str bytes, bool cut, cau_str *lines, size_t most)
{
    const char *at = bytes.s;
    size_t count = 0, left = bytes.n;
    while (count < most && left > 0) {
        const char *newline = memchr(at, '\n', left);
        if (!newline) {
            if (!cut || count == 0) lines[count++] = (cau_str){at, left};
            break;
        }
        lines[count++] = line_view(at, newline);
        left -= (size_t)(newline + 1 - at);
        at = newline + 1;
    }
    return count;
}

caucus_status cau_lines_peek(caucus_ctx *ctx, cau_lines *lines, cau_str *lines_out, size_t most,
                             size_t *count)
{
    if (lines->chunker) return cau_chunker_peek(ctx, lines->chunker, lines_out, most, count);
    const cau_str left = {lines->at, (size_t)(lines->end - lines->at)};
    *count = cau_first_lines(left, false, lines_out, most);
    return CAUCUS_OK;
}

size_t cau_lines_number(const cau_lines *lines)
{
    return lines->number;
}

const char *cau_lines_name(const cau_lines *lines)
{
    return lines->name;
}
