/* fuzz_peers.c - random bytes as a model of another program.
 *
 * A file that is read becomes an image of ours, which must pass the checks of a file and must tag.
 * Where it can be written for a peer again, our readers must read that. The first bytes of a seed
 * say the program, so one target reaches all of them. */

#include "model/layout.h"
#include "peers/peers.h"
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
        return "a\tx:0.5\ty\tz\na\tx\n";
    case CAU_FORMAT_COLUMNS:
        return "x y B\ny x O\n";
    default:
        return "a x y z\n";
    }
}

static void save_again(caucus_ctx *ctx, const caucus_model *model)
{
    for (int form = CAU_AS_CAUCUS; form < CAU_FORMS; form++) {
        char path[] = "/tmp/fuzz_peers.XXXXXX";
        const int fd = mkstemp(path);
        require(fd >= 0);
        close(fd);
        if (cau_peers_save(ctx, model, (cau_model_form)form, path)) {
            require(*caucus_message(ctx));
        } else {
            caucus_model *again = NULL;
            require(!cau_peers_open(ctx, path, &again));
            cau_model_free(again);
        }
        unlink(path);
    }
}

static void use_model(caucus_ctx *ctx, const caucus_model *model)
{
    size_t written = 0;
    caucus_model *again = NULL;
    require(!cau_model_from_bytes(ctx, model->image, model->bytes, &again));
    require(!cau_model_verify(ctx, again));
    cau_model_free(again);

    const char *line = line_of(model->read.format);
    memory_file data = memory_file_new(line, strlen(line));
    const cau_tag_options options = {.top = 2};
    (void)cau_tag(ctx, model, &options, 1, data.path, count_bytes, &written);
    close(data.fd);
    save_again(ctx, model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 8 && memcmp(data, CAU_MODEL_MAGIC, 8) == 0) return 0; /* fuzz_model.c */
    caucus_ctx *ctx = new_context();
    caucus_model *model = NULL;
    if (cau_peers_from_bytes(ctx, data, size, &model))
        require(!model && *caucus_message(ctx));
    else
        use_model(ctx, model);
    cau_model_free(model);
    caucus_ctx_free(ctx);
    return 0;
}
