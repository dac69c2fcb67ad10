/* chunker.c - a file as chunks of whole lines or whole sequences.
 *
 * A chunk is filled until it has enough bytes and an end among them: a newline, or, for sequences,
 * the newline of a blank line. The bytes after the last end are copied to `ahead`, where the next
 * chunk begins. So only a line or a sequence longer than a chunk makes the chunk longer, and
 * `scanned` remembers how far no end was found, so that this takes linear time. Records are scanned
 * from their start (cut.h); `scan` is the state after `scanned` bytes.
 *
 * The newlines of each chunk are counted: a failure can be reported with its line, whichever thread
 * reads the chunk. */

#include "text/chunker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "text/lines.h"

enum { PEEK_FILL = 64 << 10, PEEK_MAX = 1 << 20, FIRST_FILL = 4 << 10 };

struct cau_chunker {
    XXH3_state_t hash; /* first: its address must be a multiple of 64 */
    cau_input *in;
    cau_text_chunk ahead; /* bytes that were read but not given out yet */
    size_t scanned;       /* the number of the first of them that were searched: they have no end */
    cau_record_scan scan; /* records: after those bytes */
    bool array;           /* JSON: the file is an array */
    bool opened;          /* JSON: that is known */
    size_t lines;         /* of the chunks so far */
    bool prompt, live, ended;
};

static bool is_live(const char *path)
{
    struct stat info;
    const bool standard = strcmp(path, "-") == 0;
    return (standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) == 0 &&
           !S_ISREG(info.st_mode);
}

caucus_status cau_chunker_new(caucus_ctx *ctx, cau_input *in, bool prompt, cau_chunker **out)
{
    cau_chunker *chunker = cau_vector(1, sizeof *chunker);
    if (!chunker) {
        cau_input_free(in);
        return cau_fail_memory(ctx, "reading a file");
    }
    XXH3_64bits_reset(&chunker->hash);
    chunker->in = in;
    chunker->prompt = prompt;
    *out = chunker;
    return CAUCUS_OK;
}

caucus_status cau_chunker_open(caucus_ctx *ctx, const char *path, bool prompt, cau_chunker **out)
{
    cau_input *in = NULL;
    const bool live = prompt && is_live(path);
    caucus_status st = cau_input_open(ctx, path, &in);
    if (!st) st = cau_chunker_new(ctx, in, live, out);
    if (!st) (*out)->live = live;
    return st;
}

void cau_chunker_free(cau_chunker *chunker)
{
    if (!chunker) return;
    cau_input_free(chunker->in);
    free(chunker->ahead.bytes);
    free(chunker);
}

/* Reads up to `want` bytes more into a chunk that starts with line `first`. */
static caucus_status fill(caucus_ctx *ctx, cau_chunker *chunker, size_t want, cau_text_chunk *chunk)
{
    size_t need, got = 0;
    if (!cau_size_add(chunk->n, want, &need) || !CAU_GROW(chunk->bytes, chunk->room, need))
        return cau_fail(ctx, CAUCUS_ERR_MEMORY,
                        "%s:%zu: out of memory for lines of more than %zu bytes; is the file text?",
                        cau_input_name(chunker->in), chunker->lines + 1, chunk->n);
    char *to = chunk->bytes + chunk->n;
    const caucus_status st = cau_input_read(ctx, chunker->in, to, want, &got);
    if (st) return st;
    XXH3_64bits_update(&chunker->hash, to, got);
    chunk->n += got;
    chunker->ended = got == 0;
    return CAUCUS_OK;
}

/* Whether the line that ends with the newline bytes[at] is blank. */
static bool is_blank_line(const char *bytes, size_t at, const char *blanks)
{
    if (at > 0 && bytes[at - 1] == '\r') at--;
    while (at > 0 && bytes[at - 1] && strchr(blanks, bytes[at - 1])) at--;
    return at == 0 || bytes[at - 1] == '\n';
}

static bool is_end(const char *bytes, size_t newline, const cau_cut *cut)
{
    return !cut || cut->rule != CAU_CUT_BLANKS || is_blank_line(bytes, newline, cut->blanks);
}

/* The number of bytes up to the last end in bytes[from .. size-1], or else up to the first end in
 * the rest of n bytes; 0 if there is no end. */
static size_t find_end(const char *bytes, size_t from, size_t size, size_t n, const cau_cut *cut)
{
    const char *newline;
    if (size > n) size = n;
    for (size_t end = size; end > from; end = (size_t)(newline - bytes)) {
        newline = memrchr(bytes + from, '\n', end - from);
        if (!newline) break;
        if (is_end(bytes, (size_t)(newline - bytes), cut)) return (size_t)(newline - bytes) + 1;
    }
    for (size_t at = size > from ? size : from; at < n; at = (size_t)(newline - bytes) + 1) {
        newline = memchr(bytes + at, '\n', n - at);
        if (!newline) break;
        if (is_end(bytes, (size_t)(newline - bytes), cut)) return (size_t)(newline - bytes) + 1;
    }
    return 0;
}

/* ---- records ------------------------------------------------------------------------- */

/* Whether ends of records are found by scanning from their start. Reads what tells that. */
static caucus_status has_records(caucus_ctx *ctx, cau_chunker *chunker, const cau_cut *cut,
                                 cau_text_chunk *chunk, bool *records)
{
    caucus_status st = CAUCUS_OK;
    *records = cut && cut->rule == CAU_CUT_QUOTED;
    if (!cut || cut->rule != CAU_CUT_JSON) return CAUCUS_OK;
    while (!chunker->opened) {
        const size_t mark = cau_byte_order_mark((cau_str){chunk->bytes, chunk->n});
        size_t at = mark;
        while (at < chunk->n && memchr(" \t\r\n", chunk->bytes[at], 4)) at++;
        chunker->opened = at < chunk->n || chunker->ended;
        chunker->array = at < chunk->n && chunk->bytes[at] == '[';
        if (!chunker->opened) TRY(fill(ctx, chunker, FIRST_FILL, chunk));
    }
    *records = chunker->array;
done:
    return st;
}

/* find_end for records. */
static size_t find_record_end(cau_chunker *chunker, const cau_text_chunk *chunk, size_t from,
                              size_t size, const cau_cut *cut)
{
    size_t end = 0, at = from;
    while (chunker->array
               ? cau_json_end(&chunker->scan, 1, chunk->bytes, &at, chunk->n)
               : cau_quoted_end(&chunker->scan, cut->delimiter, chunk->bytes, &at, chunk->n)) {
        if (at <= size || !end) end = at;
        if (at >= size) break;
    }
    chunker->scanned = at;
    return end;
}

static caucus_status check_array(caucus_ctx *ctx, const cau_chunker *chunker)
{
    return !chunker->array || chunker->scan.depth == 0
               ? CAUCUS_OK
               : cau_fail(ctx, CAUCUS_ERR_FORMAT,
                          "%s: the file ends inside its JSON array; is it cut short?",
                          cau_input_name(chunker->in));
}

/* ---- chunks -------------------------------------------------------------------------- */

static size_t count_newlines(const char *bytes, size_t n)
{
    size_t count = 0;
    for (const char *newline; n && (newline = memchr(bytes, '\n', n)); count++) {
        n -= (size_t)(newline + 1 - bytes);
        bytes = newline + 1;
    }
    return count;
}

/* Fills a chunk until it has an end; *whole is the number of bytes up to that end. */
static caucus_status fill_whole(caucus_ctx *ctx, cau_chunker *chunker, size_t size,
                                const cau_cut *cut, cau_text_chunk *chunk, size_t *whole)
{
    caucus_status st = CAUCUS_OK;
    bool records = false;
    TRY(has_records(ctx, chunker, cut, chunk, &records));
    for (*whole = 0; *whole == 0;) {
        const size_t scanned = chunker->scanned;
        if (chunk->n > scanned && (chunk->n >= size || chunker->prompt || chunker->ended)) {
            *whole = records ? find_record_end(chunker, chunk, scanned, size, cut)
                             : find_end(chunk->bytes, scanned, size, chunk->n, cut);
            if (!records) chunker->scanned = chunk->n;
        }
        /* the bytes after the last end of the file are a chunk as well */
        if (chunker->ended && (*whole == 0 || chunk->n <= size)) *whole = chunk->n;
        if (*whole || chunker->ended) break;
        TRY(fill(ctx, chunker, chunk->n < size ? size - chunk->n : size, chunk));
    }
    if (chunker->ended && *whole == chunk->n) TRY(check_array(ctx, chunker));
    if (records && *whole < chunk->n) { /* the rest is scanned from the start of its record */
        chunker->scanned = 0;
        chunker->scan = (cau_record_scan){.depth = chunker->array};
    } else {
        chunker->scanned = chunk->n > size ? 0 : chunk->n - *whole;
    }
done:
    return st;
}

caucus_status cau_chunker_next(caucus_ctx *ctx, cau_chunker *chunker, size_t size,
                               const cau_cut *cut, cau_text_chunk *chunk)
{
    caucus_status st = CAUCUS_OK;
    size_t whole = 0;
    const cau_text_chunk spare = *chunk;
    *chunk = chunker->ahead;
    chunker->ahead = (cau_text_chunk){.bytes = spare.bytes, .room = spare.room};
    TRY(fill_whole(ctx, chunker, size, cut, chunk, &whole));

    const size_t left = chunk->n - whole; /* with room for the next chunk */
    if (left && !CAU_GROW(chunker->ahead.bytes, chunker->ahead.room, left < size ? size : left))
        TRY(cau_fail_memory(ctx, "the lines of a file"));
    if (left) memcpy(chunker->ahead.bytes, chunk->bytes + whole, left);
    chunker->ahead.n = left;
    chunk->n = whole;
    chunk->first = chunker->lines + 1;
    chunker->lines += count_newlines(chunk->bytes, whole);
done:
    if (st) chunk->n = 0;
    return st;
}

caucus_status cau_chunker_peek(caucus_ctx *ctx, cau_chunker *chunker, cau_str *lines, size_t most,
                               size_t *count)
{
    cau_text_chunk *ahead = &chunker->ahead;
    while (!chunker->ended && ahead->n < PEEK_MAX &&
           count_newlines(ahead->bytes, ahead->n) < most) {
        const caucus_status st = fill(ctx, chunker, PEEK_FILL, ahead);
        if (st) return st;
    }
    cau_str bytes = {ahead->bytes, ahead->n < PEEK_MAX ? ahead->n : PEEK_MAX};
    const size_t mark = cau_byte_order_mark(bytes);
    if (mark) bytes = (cau_str){bytes.s + mark, bytes.n - mark};
    *count = cau_first_lines(bytes, !chunker->ended || ahead->n > PEEK_MAX, lines, most);
    return CAUCUS_OK;
}

bool cau_chunker_live(const cau_chunker *chunker)
{
    return chunker->live;
}

uint64_t cau_chunker_fingerprint(const cau_chunker *chunker)
{
    return XXH3_64bits_digest(&chunker->hash);
}

const char *cau_chunker_name(const cau_chunker *chunker)
{
    return cau_input_name(chunker->in);
}
