/* fuzz_model.c - any bytes as a model file, opened and put to every use.
 *
 * The checksums would refuse nearly every change before anything else is looked at, so they are
 * set right first: what remains is a file that was made to harm. A model that opens must serve
 * the tagger and all views without reading outside of its image. The seeds are those of
 * fuzz_dump, as `caucus convert` writes them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inspect/inspect.h"
#include "model/layout.h"
#include "tag/tag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static caucus_status ignore(void *user, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)user += length;
    return CAUCUS_OK;
}

static void insist(bool truth)
{
    if (!truth) abort();
}

/* Bytes as a file in memory; its path goes to `path`. Close the result. */
static int make_file(const void *bytes, size_t size, char path[64])
{
    int file = memfd_create("fuzz", 0);
    insist(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

/* A line that every format can read something from. */
static const char *line_of(cau_format format)
{
    switch (format) {
    case CAU_FORMAT_SVMLIGHT:
        return "1 1:0.5 2:2 3:-1\n";
    case CAU_FORMAT_CRFSUITE:
        return "a\tx:0.5\ty\tz\n";
    case CAU_FORMAT_MEGAM:
        return "0 # x 1 y 2 # z 3 # x 1\n";
    case CAU_FORMAT_COLUMNS:
        return "x y B\ny x O\n";
    default:
        return "a\tx y z\n";
    }
}

static void use(caucus_ctx *ctx, const caucus_model *model)
{
    char path[64];
    size_t written = 0;
    const char *line = line_of(model->read.format);
    const char *one = model->read.format == CAU_FORMAT_COLUMNS ? "x y" : line;
    int data = make_file(line, strlen(line), path);

    const cau_tag_options tags[] = {{.top = 2}, {.probabilities = true}, {.domain = true}};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        (void)cau_tag(ctx, model, &tags[i], 1, path, ignore, &written);
    for (int json = 0; json < 2; json++) {
        const cau_inspect_options views[] = {{.top = 3, .json = json},
                                             {.expectations = path, .json = json},
                                             {.explain = one, .json = json},
                                             {.dump = true}};
        for (size_t i = 0; i < sizeof views / sizeof *views; i++)
            (void)cau_inspect(ctx, model, &views[i], 1, ignore, &written);
    }
    insist(written > 0 || cau_model_verify(ctx, model)); /* the summary always says something */
    close(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);
    insist(bytes);
    if (size) memcpy(bytes, data, size);
    cau_model_header header;
    cau_model_layout layout;
    if (size >= sizeof header) {
        memcpy(&header, bytes, sizeof header);
        if (cau_model_lay_out(&header, &layout) && layout.bytes == size)
            cau_model_seal(bytes, &layout);
    }
    char path[64];
    int file = make_file(bytes, size, path);
    caucus_ctx *ctx = NULL;
    insist(!caucus_ctx_new(&ctx));
    caucus_model *model = NULL;
    if (cau_model_open(ctx, path, &model))
        insist(!model && *caucus_message(ctx));
    else
        use(ctx, model);
    cau_model_free(model);
    caucus_ctx_free(ctx);
    close(file);
    free(bytes);
    return 0;
}
