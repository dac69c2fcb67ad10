/* fuzz_brat.c - random bytes as a document of brat: the text up to the first NUL, then the
 * annotations. Either they are refused with one message, or the records are read as spans, and each
 * keeps the text. */

#include "base/input.h"
#include "base/strbuf.h"
#include "text/brat.h"
#include "text/spans.h"

#include "fuzz.h"

static void write_bytes(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char folder[] = "/tmp/fuzz_bratXXXXXX", text[64], ann[64];
    const uint8_t *nul = size ? memchr(bytes, 0, size) : NULL;
    const size_t n = nul ? (size_t)(nul - bytes) : size;
    require(mkdtemp(folder));
    snprintf(text, sizeof text, "%s/a.txt", folder);
    snprintf(ann, sizeof ann, "%s/a.ann", folder);
    write_bytes(text, bytes, n);
    if (nul) write_bytes(ann, nul + 1, size - n - 1);

    caucus_ctx *ctx = new_context();
    cau_input *in = NULL;
    cau_lines *lines = NULL;
    cau_span_text x = {0};
    caucus_status st = cau_brat_open(ctx, folder, &in);
    if (!st) st = cau_lines_new(ctx, in, &lines);
    for (cau_str line = {"", 0}; !st;) {
        bool skipped;
        st = cau_lines_next(ctx, lines, &line);
        if (st || !line.s) break;
        st = cau_span_text_read(ctx, &x, lines, line, NULL, &skipped);
        if (!st) require(x.text.n == n && (n == 0 || memcmp(x.text.s, bytes, n) == 0));
        if (!st) st = cau_span_text_align(ctx, &x, lines, CAU_MISALIGNED_DROP);
    }
    if (st) require(caucus_message(ctx)[0] && !strchr(caucus_message(ctx), '\n'));
    cau_span_text_clear(&x);
    cau_lines_free(lines);
    caucus_ctx_free(ctx);
    unlink(text);
    if (nul) unlink(ann);
    rmdir(folder);
    return 0;
}
