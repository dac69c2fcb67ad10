/* fuzz_model.c - random bytes as a model file, opened and used in every way.
 *
 * Checksums would refuse nearly every change, so this target sets them right first: the file is
 * then a malicious one. A model that opens must tag and be inspected without a read outside its
 * image. The seeds are those of fuzz_dump, as `caucus convert` writes them. */

#include "inspect/inspect.h"
#include "model/layout.h"
#include "tag/tag.h"

#include "fuzz.h"

static caucus_status count_bytes(void *user, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)user += length;
    return CAUCUS_OK;
}

/* An instance in the format. */
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

static void use_model(caucus_ctx *ctx, const caucus_model *model)
{
    size_t written = 0;
    const char *line = line_of(model->read.format);
    const char *one = model->read.format == CAU_FORMAT_COLUMNS ? "x y" : line;
    memory_file data = memory_file_new(line, strlen(line));

    const cau_tag_options tags[] = {{.top = 2}, {.probabilities = true}, {.domain = true}};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        (void)cau_tag(ctx, model, &tags[i], 1, data.path, count_bytes, &written);
    for (int json = 0; json < 2; json++) {
        const cau_inspect_options views[] = {{.top = 3, .json = json},
                                             {.expectations = data.path, .json = json},
                                             {.explain = one, .json = json},
                                             {.dump = true}};
        for (size_t i = 0; i < sizeof views / sizeof *views; i++)
            (void)cau_inspect(ctx, model, &views[i], 1, count_bytes, &written);
    }
    require(written > 0 || cau_model_verify(ctx, model)); /* the summary is never empty */
    close(data.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);
    require(bytes);
    if (size) memcpy(bytes, data, size);
    cau_model_header header;
    cau_model_layout layout;
    if (size >= sizeof header) {
        memcpy(&header, bytes, sizeof header);
        if (cau_model_lay_out(&header, &layout) && layout.bytes == size)
            cau_model_seal(bytes, &layout);
    }
    memory_file file = memory_file_new(bytes, size);
    caucus_ctx *ctx = new_context();
    caucus_model *model = NULL;
    if (cau_model_open(ctx, file.path, &model))
        require(!model && *caucus_message(ctx));
    else
        use_model(ctx, model);
    cau_model_free(model);
    caucus_ctx_free(ctx);
    close(file.fd);
    free(bytes);
    return 0;
}
