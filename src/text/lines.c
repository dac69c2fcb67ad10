/* lines.c - the lines of a stream.
 *
 * One buffer holds the bytes that were read and not yet given out:
 *
 *     buffer: | given out | start ... scanned ... end | room |
 *
 * A line is a view of it, so nothing is copied but the beginning of the line that a full
 * buffer cuts, which moves to the front. Only a line longer than the buffer makes it grow,
 * twofold; `scanned` remembers how far no newline was found, so that a line of any length
 * takes linear time. Bytes in memory are a buffer already, of which all has been read.
 *
 * Lines that are cut off for somebody else (cau_lines_cut) are not copied either: their buffer is
 * handed over, and its place is taken by the one that was handed over before and comes back empty.
 *
 * The fingerprint is taken of the bytes as they arrive, unpacked but otherwise untouched: it
 * does not depend on how they are cut into reads. */

#include "text/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"

enum {
    BUFFER_FIRST = 256 << 10,
    PEEK_MAX = 1 << 20,
    CUT_MARGIN = 4 << 10, /* bytes read beyond what is wanted, where an end should be among them */
};

struct cau_lines {
    XXH3_state_t hash; /* first: it wants an address that is a multiple of 64 */
    const char *name;
    cau_input *in; /* NULL for bytes in memory */
    char *buffer;
    size_t capacity;
    const char *bytes; /* the buffer, or the bytes in memory */
    size_t start, scanned, end;
    size_t number;
    bool begun; /* the byte-order mark is behind us */
    bool ended; /* the input has no more bytes */
};

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "reading lines");
}

caucus_status cau_lines_new(caucus_ctx *ctx, cau_input *in, cau_lines **out)
{
    cau_lines *lines = cau_vector(1, sizeof *lines);
    if (lines) lines->buffer = cau_alloc(BUFFER_FIRST, 1);
    if (!lines || !lines->buffer) {
        free(lines);
        cau_input_free(in);
        return no_memory(ctx);
    }
    lines->name = cau_input_name(in);
    lines->in = in;
    lines->bytes = lines->buffer;
    lines->capacity = BUFFER_FIRST;
    XXH3_64bits_reset(&lines->hash);
    *out = lines;
    return CAUCUS_OK;
}

caucus_status cau_lines_memory(caucus_ctx *ctx, const char *name, cau_str bytes, cau_lines **out)
{
    cau_lines *lines = cau_vector(1, sizeof *lines);
    if (!lines) return no_memory(ctx);
    lines->name = name;
    cau_lines_continue(lines, bytes, 1);
    *out = lines;
    return CAUCUS_OK;
}

void cau_lines_continue(cau_lines *lines, cau_str bytes, size_t first)
{
    assert(!lines->in && first > 0);
    lines->bytes = bytes.s ? bytes.s : "";
    lines->start = lines->scanned = 0;
    lines->end = bytes.n;
    lines->ended = true;
    lines->number = first - 1;
    lines->begun = first > 1;
}

void cau_lines_free(cau_lines *lines)
{
    if (!lines) return;
    cau_input_free(lines->in);
    free(lines->buffer);
    free(lines);
}

/* Reads once more behind the bytes in [start,end), which may move; sets `ended` when there
 * was nothing. */
static caucus_status fill(caucus_ctx *ctx, cau_lines *lines)
{
    if (lines->start > 0) {
        size_t left = lines->end - lines->start;
        memmove(lines->buffer, lines->buffer + lines->start, left);
        lines->scanned -= lines->start;
        lines->start = 0;
        lines->end = left;
    }
    if (lines->end == lines->capacity &&
        (lines->end == SIZE_MAX || !CAU_GROW(lines->buffer, lines->capacity, lines->end + 1)))
        return cau_fail(ctx, CAUCUS_ERR_MEMORY,
                        CAU_AT "out of memory for a line of more than %zu bytes; is the file text?",
                        cau_lines_name(lines), lines->number + 1, lines->end);

    size_t got = 0;
    char *room = lines->buffer + lines->end;
    lines->bytes = lines->buffer;
    caucus_status st = cau_input_read(ctx, lines->in, room, lines->capacity - lines->end, &got);
    if (st) return st;
    XXH3_64bits_update(&lines->hash, room, got);
    lines->end += got;
    lines->ended = got == 0;
    return CAUCUS_OK;
}

/* Drops the byte-order mark, once. */
static caucus_status begin(caucus_ctx *ctx, cau_lines *lines)
{
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    if (lines->begun) return CAUCUS_OK;
    while (lines->end < sizeof mark && !lines->ended) {
        caucus_status st = fill(ctx, lines);
        if (st) return st;
    }
    if (lines->end >= sizeof mark && memcmp(lines->bytes, mark, sizeof mark) == 0)
        lines->start = lines->scanned = sizeof mark;
    lines->begun = true;
    return CAUCUS_OK;
}

/* The text from `start` to the newline at `newline`, without a CR at its end. */
static cau_str view(const char *start, const char *newline)
{
    size_t length = (size_t)(newline - start);
    if (length > 0 && start[length - 1] == '\r') length--;
    return (cau_str){start, length};
}

static caucus_status check(caucus_ctx *ctx, const cau_lines *lines, cau_str line)
{
    if (memchr(line.s, '\0', line.n))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "NUL byte; this is not a text file",
                        CAU_AT_ARGS(lines));
    size_t valid = cau_utf8_check(line.s, line.n);
    if (valid < line.n)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "invalid UTF-8 at byte %zu; convert the file, for example with "
                               "iconv -t utf-8",
                        CAU_AT_ARGS(lines), valid + 1);
    return CAUCUS_OK;
}

caucus_status cau_lines_next(caucus_ctx *ctx, cau_lines *lines, cau_str *line)
{
    caucus_status st = begin(ctx, lines);
    if (st) return st;

    const char *newline;
    while (!(newline = memchr(lines->bytes + lines->scanned, '\n', lines->end - lines->scanned))) {
        lines->scanned = lines->end;
        if (lines->ended) break;
        st = fill(ctx, lines);
        if (st) return st;
    }

    const char *start = lines->bytes + lines->start;
    if (!newline && lines->start == lines->end) { /* all lines were given */
        *line = (cau_str){NULL, 0};
        return CAUCUS_OK;
    }
    cau_str found = {start, lines->end - lines->start};
    lines->start = lines->end;
    if (newline) {
        found = view(start, newline);
        lines->start = lines->scanned = (size_t)(newline - lines->bytes) + 1;
    }
    lines->number++;
    st = check(ctx, lines, found);
    if (st) return st;
    *line = found;
    return CAUCUS_OK;
}

/* Reads until [start,end) has `most` newlines or PEEK_MAX bytes, or the input ends. */
static caucus_status fill_to_peek(caucus_ctx *ctx, cau_lines *lines, size_t most)
{
    caucus_status st = begin(ctx, lines);
    size_t newlines = 0, looked = 0; /* from start */
    while (!st) {
        const char *from = lines->bytes + lines->start;
        const char *newline;
        while (newlines < most &&
               (newline = memchr(from + looked, '\n', lines->end - lines->start - looked))) {
            newlines++;
            looked = (size_t)(newline - from) + 1;
        }
        if (newlines == most || lines->end - lines->start >= PEEK_MAX || lines->ended) break;
        looked = lines->end - lines->start;
        st = fill(ctx, lines);
    }
    return st;
}

caucus_status cau_lines_peek(caucus_ctx *ctx, cau_lines *lines, cau_str *lines_out, size_t most,
                             size_t *count)
{
    caucus_status st = fill_to_peek(ctx, lines, most);
    if (st) return st;

    const char *at = lines->bytes + lines->start;
    size_t left = lines->end - lines->start, found = 0;
    bool whole = lines->ended; /* the last line ends where the bytes end */
    if (left > PEEK_MAX) {
        left = PEEK_MAX;
        whole = false;
    }
    while (found < most && left > 0) {
        const char *newline = memchr(at, '\n', left);
        if (!newline) {
            if (whole || found == 0) lines_out[found++] = (cau_str){at, left};
            break;
        }
        lines_out[found++] = view(at, newline);
        left -= (size_t)(newline + 1 - at);
        at = newline + 1;
    }
    *count = found;
    return CAUCUS_OK;
}

bool cau_line_is_blank(const char *bytes, size_t at, const char *blanks)
{
    if (at > 0 && bytes[at - 1] == '\r') at--;
    while (at > 0 && bytes[at - 1] && strchr(blanks, bytes[at - 1])) at--;
    return at == 0 || bytes[at - 1] == '\n';
}

/* How many of n bytes there are up to the first end that is not before bytes[*from]; 0: there is
 * none, and *from is n. */
static size_t find_end(const char *bytes, size_t *from, size_t n, const char *blanks)
{
    while (*from < n) {
        const char *newline = memchr(bytes + *from, '\n', n - *from);
        const size_t at = newline ? (size_t)(newline - bytes) : n;
        if (newline && (!blanks || cau_line_is_blank(bytes, at, blanks))) return at + 1;
        *from = newline ? at + 1 : n;
    }
    return 0;
}

static size_t count_lines(cau_str bytes)
{
    const char *at = bytes.s, *end = at + bytes.n, *newline;
    size_t count = 0;
    for (; at < end && (newline = memchr(at, '\n', (size_t)(end - at))); count++) at = newline + 1;
    return count + (at < end);
}

caucus_status cau_lines_cut(caucus_ctx *ctx, cau_lines *lines, size_t size, const char *blanks,
                            cau_stretch *stretch)
{
    assert(lines->in && size > 0);
    size_t from = size - 1, whole, room;
    caucus_status st = begin(ctx, lines);
    if (st) return st;
    if (!cau_size_add(size, BUFFER_FIRST, &room) || !CAU_GROW(lines->buffer, lines->capacity, room))
        return no_memory(ctx);
    lines->bytes = lines->buffer;
    while (!(whole =
                 find_end(lines->bytes + lines->start, &from, lines->end - lines->start, blanks)) &&
           !lines->ended) {
        st = fill(ctx, lines);
        if (st) return st;
    }
    if (!whole) whole = lines->end - lines->start;

    const cau_stretch cut = {.bytes = {lines->bytes + lines->start, whole},
                             .first = lines->number + 1,
                             .buffer = lines->buffer,
                             .capacity = lines->capacity};
    const size_t left = lines->end - lines->start - whole;
    if (!CAU_GROW(stretch->buffer, stretch->capacity, left + 1)) return no_memory(ctx);
    if (left) memcpy(stretch->buffer, cut.bytes.s + whole, left);
    lines->bytes = lines->buffer = stretch->buffer;
    lines->capacity = stretch->capacity;
    lines->start = lines->scanned = 0;
    lines->end = left;
    lines->number += count_lines(cut.bytes);
    *stretch = cut;
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

uint64_t cau_lines_fingerprint(const cau_lines *lines)
{
    return lines->in ? XXH3_64bits_digest(&lines->hash) : cau_hash(lines->bytes, lines->end, 0);
}
