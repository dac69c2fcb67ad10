/* fuzz_dump.c - random bytes as the text of a model.
 *
 * A text that is read as a model is written again, and the second reading must give the same bytes
 * as the first. */

#include "model/dump.h"

#include "fuzz.h"

static caucus_status collect(void *user, const char *bytes, size_t length)
{
    cau_strbuf_add(user, bytes, length);
    return CAUCUS_OK;
}

/* The model of a text; NULL if it is not a dump. */
static caucus_model *undump(caucus_ctx *ctx, const void *text, size_t length)
{
    memory_file file = memory_file_new(text, length);
    caucus_model *model = NULL;
    caucus_status st = cau_model_undump(ctx, file.path, &model);
    require(!st == !!model && (!st || *caucus_message(ctx)));
    close(file.fd);
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    caucus_ctx *ctx = new_context();
    caucus_model *first = undump(ctx, data, size);
    if (first) {
        cau_strbuf text = {0};
        require(!cau_model_dump(ctx, first, collect, &text) && !text.failed);
        caucus_model *second = undump(ctx, text.s, text.n);
        require(second && second->bytes == first->bytes);
        require(memcmp(second->image, first->image, first->bytes) == 0);
        cau_strbuf_clear(&text);
        cau_model_free(second);
    }
    cau_model_free(first);
    caucus_ctx_free(ctx);
    return 0;
}
