/* fuzz_dump.c - any bytes as the text of a model.
 *
 * What can be read as a model can be written again, and the second reading gives the same
 * bytes as the first. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static caucus_status collect(void *user, const char *bytes, size_t length)
{
    cau_strbuf_add(user, bytes, length);
    return CAUCUS_OK;
}

static void insist(bool truth)
{
    if (!truth) abort();
}

/* Reads a text through a file in memory; NULL where it is no dump. */
static caucus_model *undump(caucus_ctx *ctx, const void *text, size_t length)
{
    char path[64];
    int file = memfd_create("dump", 0);
    insist(file >= 0 && write(file, text, length) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    caucus_model *model = NULL;
    caucus_status st = cau_model_undump(ctx, path, &model);
    insist(!st == !!model && (!st || *caucus_message(ctx)));
    close(file);
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    caucus_ctx *ctx = NULL;
    if (caucus_ctx_new(&ctx)) abort();
    caucus_model *first = undump(ctx, data, size);
    if (first) {
        cau_strbuf text = {0};
        insist(!cau_model_dump(ctx, first, collect, &text) && !text.failed);
        caucus_model *second = undump(ctx, text.s, text.n);
        insist(second && second->bytes == first->bytes);
        insist(memcmp(second->image, first->image, first->bytes) == 0);
        cau_strbuf_clear(&text);
        cau_model_free(second);
    }
    cau_model_free(first);
    caucus_ctx_free(ctx);
    return 0;
}
