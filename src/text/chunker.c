/* chunker.c - a stream cut into pieces of whole lines or sequences.
 *
 * A piece is filled until it has enough bytes and an end among them: a newline, or, for
 * sequences, the newline of a blank line. What follows the last end is the beginning of the next
 * piece and waits in `rest`; so a byte is copied at most once more than it is read, and only a
 * line or a sequence longer than a piece makes the piece longer. The newlines are counted, so
 * that a piece knows its place in the file before anyone reads it. */

#include "text/chunker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/status.h"
#include "text/lines.h"

struct cau_chunker {
    cau_input *in;
    char *rest; /* [rest_n] an unfinished line or sequence: no end is in it */
    size_t rest_n, rest_room;
    size_t lines;       /* given in pieces so far */
    const char *blanks; /* of the lines that end a sequence; NULL: all lines are an end */
    bool live, ended;
};

static bool is_live(const char *path)
{
    struct stat info;
    bool standard = strcmp(path, "-") == 0;
    return (standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) == 0 &&
           !S_ISREG(info.st_mode);
}

caucus_status cau_chunker_open(caucus_ctx *ctx, const char *path, const char *blanks,
                               cau_chunker **out)
{
    cau_chunker *pieces = cau_calloc(1, sizeof *pieces);
    if (!pieces) return cau_fail_memory(ctx, "reading a file");
    caucus_status st = cau_input_open(ctx, path, &pieces->in);
    if (st) {
        free(pieces);
        return st;
    }
    pieces->blanks = blanks;
    pieces->live = is_live(path);
    *out = pieces;
    return CAUCUS_OK;
}

void cau_chunker_free(cau_chunker *pieces)
{
    if (!pieces) return;
    cau_input_free(pieces->in);
    free(pieces->rest);
    free(pieces);
}

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the lines of a file");
}

/* Reads once more behind the piece, until it has `size` bytes if it has less. */
static caucus_status fill(caucus_ctx *ctx, cau_chunker *pieces, size_t size, cau_text_chunk *piece,
                          size_t *got)
{
    size_t want = piece->n < size ? size - piece->n : size, need;
    if (!cau_size_add(piece->n, want, &need) || !CAU_GROW(piece->bytes, piece->room, need))
        return no_memory(ctx);
    caucus_status st = cau_input_read(ctx, pieces->in, piece->bytes + piece->n, want, got);
    if (st) return st;
    piece->n += *got;
    pieces->ended = *got == 0;
    return CAUCUS_OK;
}

/* Moves what follows the first `whole` bytes of the piece to the rest. */
static caucus_status cut(caucus_ctx *ctx, cau_chunker *pieces, cau_text_chunk *piece, size_t whole)
{
    size_t left = piece->n - whole;
    if (!CAU_GROW(pieces->rest, pieces->rest_room, left)) return no_memory(ctx);
    if (left) memcpy(pieces->rest, piece->bytes + whole, left);
    pieces->rest_n = left;
    piece->n = whole;
    return CAUCUS_OK;
}

/* How many bytes there are up to the last end in bytes[from .. n-1]; 0: there is none. */
static size_t find_end(const cau_chunker *pieces, const char *bytes, size_t from, size_t n)
{
    while (n > from) {
        const char *newline = memrchr(bytes + from, '\n', n - from);
        if (!newline) break;
        n = (size_t)(newline - bytes);
        if (!pieces->blanks || cau_line_is_blank(bytes, n, pieces->blanks)) return n + 1;
    }
    return 0;
}

static size_t count_newlines(const char *bytes, size_t n)
{
    size_t count = 0;
    for (const char *newline; n && (newline = memchr(bytes, '\n', n)); count++) {
        n -= (size_t)(newline + 1 - bytes);
        bytes = newline + 1;
    }
    return count;
}

caucus_status cau_chunker_next(caucus_ctx *ctx, cau_chunker *pieces, size_t size,
                               cau_text_chunk *piece)
{
    caucus_status st = CAUCUS_OK;
    size_t whole = 0; /* bytes up to the last end */
    if (!CAU_GROW(piece->bytes, piece->room, pieces->rest_n)) TRY(no_memory(ctx));
    if (pieces->rest_n) memcpy(piece->bytes, pieces->rest, pieces->rest_n);
    piece->n = pieces->rest_n;
    pieces->rest_n = 0;

    while (!pieces->ended && (whole == 0 || (piece->n < size && !pieces->live))) {
        size_t got = 0;
        TRY(fill(ctx, pieces, size, piece, &got));
        const size_t end = find_end(pieces, piece->bytes, piece->n - got, piece->n);
        if (end) whole = end;
    }
    if (!pieces->ended) TRY(cut(ctx, pieces, piece, whole));
    piece->first = pieces->lines + 1;
    pieces->lines += count_newlines(piece->bytes, piece->n);
done:
    return st;
}

bool cau_chunker_live(const cau_chunker *pieces)
{
    return pieces->live;
}

const char *cau_chunker_name(const cau_chunker *pieces)
{
    return cau_input_name(pieces->in);
}
