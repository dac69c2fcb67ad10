/* checkpoint.c - a header, then each blob with its name and size, then a checksum of everything.
 * The run is a hash of the training data and of every option that affects the result, so a
 * checkpoint only continues the run that wrote it. */

#include "train/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"

static const char magic[8] = {'c', 'a', 'u', 'c', 'k', 'p', '\r', '\n'};

typedef struct {
    char magic[8];
    uint64_t run;
    uint64_t count; /* number of blobs */
} header;

typedef struct {
    char name[24]; /* padded with zeros */
    uint64_t bytes;
} piece;

static piece piece_of(const cau_blob *blob)
{
    piece p = {.bytes = blob->bytes};
    strncpy(p.name, blob->name, sizeof p.name - 1);
    return p;
}

/* Writes bytes and adds them to the checksum. */
static caucus_status put(caucus_ctx *ctx, cau_output *file, uint64_t *sum, const void *bytes,
                         size_t length)
{
    *sum = cau_hash(bytes, length, *sum);
    return cau_output_write(ctx, file, bytes, length);
}

caucus_status cau_checkpoint_save(caucus_ctx *ctx, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count)
{
    caucus_status st = CAUCUS_OK;
    cau_output *file = NULL;
    uint64_t sum = 0;
    header h = {.run = run, .count = count};
    memcpy(h.magic, magic, sizeof magic);

    TRY(cau_output_open(ctx, path, &file));
    TRY(put(ctx, file, &sum, &h, sizeof h));
    for (size_t i = 0; i < count; i++) {
        piece p = piece_of(&blobs[i]);
        TRY(put(ctx, file, &sum, &p, sizeof p));
        TRY(put(ctx, file, &sum, blobs[i].data, blobs[i].bytes));
    }
    TRY(cau_output_write(ctx, file, &sum, sizeof sum));
    TRY(cau_output_commit(ctx, file));
done:
    cau_output_free(file);
    return st;
}

/* Reads exactly `length` bytes and adds them to the checksum; CAUCUS_ERR_FORMAT at the end of the
 * file. */
static caucus_status get(caucus_ctx *ctx, cau_input *file, uint64_t *sum, void *bytes,
                         size_t length)
{
    for (size_t have = 0, got; have < length; have += got) {
        caucus_status st = cau_input_read(ctx, file, (char *)bytes + have, length - have, &got);
        if (st) return st;
        if (got == 0)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            "%s: the checkpoint is cut short; delete it and train without --resume",
                            cau_input_name(file));
    }
    *sum = cau_hash(bytes, length, *sum);
    return CAUCUS_OK;
}

caucus_status cau_checkpoint_load(caucus_ctx *ctx, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count, bool *found)
{
    caucus_status st = CAUCUS_OK;
    cau_input *file = NULL;
    uint64_t sum = 0, ignored = 0, stored;
    void *copy[2 * CAU_BLOBS_MAX] = {NULL};
    header h;

    if (access(path, F_OK) != 0 && errno == ENOENT) {
        *found = false;
        return CAUCUS_OK;
    }
    TRY(cau_input_open(ctx, path, &file));
    TRY(get(ctx, file, &sum, &h, sizeof h));
    if (memcmp(h.magic, magic, sizeof magic) != 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: not a checkpoint; move the file away and train without --resume", path));
    if (h.run != run || h.count != count || count > 2 * CAU_BLOBS_MAX)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: the checkpoint is of other data or other options; use those of the "
                     "interrupted run, or train without --resume",
                     path));
    for (size_t i = 0; i < count; i++) {
        piece p, want = piece_of(&blobs[i]);
        TRY(get(ctx, file, &sum, &p, sizeof p));
        if (memcmp(&p, &want, sizeof p) != 0)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         "%s: the checkpoint is damaged; delete it and train without --resume",
                         path));
        copy[i] = cau_alloc(blobs[i].bytes, 1);
        if (!copy[i]) TRY(cau_fail_memory(ctx, "the checkpoint"));
        TRY(get(ctx, file, &sum, copy[i], blobs[i].bytes));
    }
    TRY(get(ctx, file, &ignored, &stored, sizeof stored));
    if (stored != sum)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: the checkpoint is damaged; delete it and train without --resume", path));
    for (size_t i = 0; i < count; i++) memcpy(blobs[i].data, copy[i], blobs[i].bytes);
    *found = true;
done:
    for (size_t i = 0; i < 2 * CAU_BLOBS_MAX; i++) free(copy[i]);
    cau_input_free(file);
    return st;
}
