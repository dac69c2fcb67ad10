/* fuzz_lines.c - random bytes, compressed or not, as lines.
 *
 * Reading ends with lines of valid UTF-8, or with a status and its message. Peeking first does not
 * change the result. */

#include "base/hash.h"
#include "base/utf8.h"
#include "text/lines.h"

#include "fuzz.h"

/* Reads all lines. *count is their number and *hash the hash of their bytes, 0 unless everything
 * was read: reading stops after 16 MiB, because a small compressed file may hold much more. */
static caucus_status read_lines(caucus_ctx *ctx, const uint8_t *bytes, size_t length, bool peek,
                                size_t *count, uint64_t *hash)
{
    cau_input *in = NULL;
    cau_lines *lines = NULL;
    const memory_file file = memory_file_new(bytes, length);
    caucus_status st = cau_input_open(ctx, file.path, &in);
    if (!st) st = cau_lines_new(ctx, in, &lines);
    if (!st && peek) {
        cau_str seen[8];
        size_t found = 0;
        st = cau_lines_peek(ctx, lines, seen, 8, &found);
        require(st || found <= 8);
    }
    cau_str line = {"", 0};
    size_t total = 0;
    *hash = 1;
    while (!st && line.s && total < 16 << 20) {
        st = cau_lines_next(ctx, lines, &line);
        if (st || !line.s) break;
        require(cau_utf8_check(line.s, line.n) == line.n);
        require(!memchr(line.s, '\0', line.n) && !memchr(line.s, '\n', line.n));
        *hash = cau_hash(line.s, line.n, *hash);
        total += line.n + 1;
    }
    *count = lines ? cau_lines_number(lines) : 0;
    if (st || line.s) *hash = 0;
    cau_lines_free(lines);
    close(file.fd);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    caucus_ctx *ctx = new_context();
    size_t count[2];
    uint64_t hash[2];
    caucus_status st = read_lines(ctx, bytes, length, false, &count[0], &hash[0]);
    require(!st || *caucus_message(ctx));
    caucus_status again = read_lines(ctx, bytes, length, true, &count[1], &hash[1]);
    require(!again || *caucus_message(ctx));

    /* If one reading reached the end, so did the other, with the same lines. */
    if (hash[0] || hash[1]) require(!st && !again && count[0] == count[1] && hash[0] == hash[1]);
    caucus_ctx_free(ctx);
    return 0;
}
