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

/* A checkpoint being written or read. */
typedef struct {
    XXH3_state_t sum; /* of the bytes so far; first: its address must be a multiple of 64 */
    caucus_ctx *ctx;
    cau_comm *comm;
    cau_output *out; /* of rank 0 */
    cau_input *in;
} checkpoint;

static void start(checkpoint *c, caucus_ctx *ctx, cau_comm *comm)
{
    XXH3_64bits_reset(&c->sum);
    c->ctx = ctx;
    c->comm = comm;
}

/* Of the vectors of all processes: the numbers of a vector, those before the own ones, and the
 * bytes of a vector in the file, which is padded. */
typedef struct {
    size_t n, before, padded;
} whole_vector;

static caucus_status lost_contact(const checkpoint *c)
{
    return cau_fail(c->ctx, CAUCUS_ERR_IO, "lost contact with the other processes");
}

static caucus_status measure_vector(const checkpoint *c, const cau_blob *blob, whole_vector *v)
{
    if (cau_comm_before(c->comm, blob->n, &v->before, &v->n)) return lost_contact(c);
    v->padded = (v->n + CAU_BLOB_LINE - 1) / CAU_BLOB_LINE * CAU_BLOB_LINE * sizeof(double);
    return CAUCUS_OK;
}

/* Whether the processes have parts of a blob. */
static bool is_divided(const checkpoint *c, const cau_blob *blob)
{
    return c->comm && blob->rows;
}

static piece piece_of(const cau_blob *blob, size_t bytes)
{
    piece p = {.bytes = bytes};
    strncpy(p.name, blob->name, sizeof p.name - 1);
    return p;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes bytes and adds them to the checksum. */
static caucus_status put(checkpoint *c, const void *bytes, size_t length)
{
    if (c->ctx->rank) return CAUCUS_OK;
    XXH3_64bits_update(&c->sum, bytes, length);
    return cau_output_write(c->ctx, c->out, bytes, length);
}

static caucus_status put_vectors(checkpoint *c, const cau_blob *blob, const whole_vector *v)
{
    static const double zeros[CAU_BLOB_LINE];
    caucus_status st = CAUCUS_OK;
    cau_strbuf all = {0};
    for (size_t r = 0; r < blob->rows; r++) {
        const double *own = (const double *)blob->data + r * blob->stride;
        all.n = 0;
        if (cau_comm_gather(c->comm, (cau_str){(const char *)own, blob->n * sizeof *own}, &all,
                            NULL))
            TRY(lost_contact(c));
        TRY(put(c, all.s, all.n));
        TRY(put(c, zeros, v->padded - v->n * sizeof *own));
    }
done:
    cau_strbuf_clear(&all);
    return st;
}

caucus_status cau_checkpoint_save(caucus_ctx *ctx, cau_comm *comm, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count)
{
    caucus_status st = CAUCUS_OK;
    checkpoint c = {0};
    header h = {.run = run, .count = count};
    memcpy(h.magic, magic, sizeof magic);
    start(&c, ctx, comm);

    TRY(cau_output_open(ctx, path, &c.out));
    TRY(put(&c, &h, sizeof h));
    for (size_t i = 0; i < count; i++) {
        whole_vector v = {0};
        const bool divided = is_divided(&c, &blobs[i]);
        if (divided) TRY(measure_vector(&c, &blobs[i], &v));
        const piece p = piece_of(&blobs[i], divided ? blobs[i].rows * v.padded : blobs[i].bytes);
        TRY(put(&c, &p, sizeof p));
        if (divided)
            TRY(put_vectors(&c, &blobs[i], &v));
        else
            TRY(put(&c, blobs[i].data, blobs[i].bytes));
    }
    const uint64_t sum = XXH3_64bits_digest(&c.sum);
    TRY(put(&c, &sum, sizeof sum));
    TRY(cau_output_commit(ctx, c.out));
done:
    cau_output_free(c.out);
    return st;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads exactly `length` bytes, by rank 0 for all; CAUCUS_ERR_FORMAT at the end of the file. */
static caucus_status get(checkpoint *c, void *bytes, size_t length)
{
    for (size_t have = 0, got; have < length && !c->ctx->rank; have += got) {
        caucus_status st = cau_input_read(c->ctx, c->in, (char *)bytes + have, length - have, &got);
        if (st) return st;
        if (got == 0)
            return cau_fail(c->ctx, CAUCUS_ERR_FORMAT,
                            "%s: the checkpoint is cut short; delete it and train without --resume",
                            cau_input_name(c->in));
    }
    if (cau_comm_broadcast(c->comm, 0, bytes, length)) return lost_contact(c);
    XXH3_64bits_update(&c->sum, bytes, length);
    return CAUCUS_OK;
}

/* Keeps the own part of each vector in copy, which is laid out like the blob. */
static caucus_status get_vectors(checkpoint *c, const cau_blob *blob, const whole_vector *v,
                                 double *copy)
{
    caucus_status st = CAUCUS_OK;
    double *all = cau_alloc(v->padded, 1);
    if (!all) TRY(cau_fail_memory(c->ctx, "the checkpoint"));
    for (size_t r = 0; r < blob->rows; r++) {
        TRY(get(c, all, v->padded));
        memcpy(copy + r * blob->stride, all + v->before, blob->n * sizeof *all);
    }
done:
    free(all);
    return st;
}

static caucus_status get_blob(checkpoint *c, const char *path, const cau_blob *blob, void *copy)
{
    caucus_status st = CAUCUS_OK;
    whole_vector v = {0};
    const bool divided = is_divided(c, blob);
    piece p;
    if (divided) TRY(measure_vector(c, blob, &v));
    const piece want = piece_of(blob, divided ? blob->rows * v.padded : blob->bytes);
    TRY(get(c, &p, sizeof p));
    if (memcmp(&p, &want, sizeof p) != 0)
        TRY(cau_fail(c->ctx, CAUCUS_ERR_FORMAT,
                     "%s: the checkpoint is damaged; delete it and train without --resume", path));
    st = divided ? get_vectors(c, blob, &v, copy) : get(c, copy, blob->bytes);
done:
    return st;
}

caucus_status cau_checkpoint_load(caucus_ctx *ctx, cau_comm *comm, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count, bool *found)
{
    caucus_status st = CAUCUS_OK;
    checkpoint c = {0};
    uint64_t stored;
    void *copy[2 * CAU_BLOBS_MAX] = {NULL};
    header h;

    start(&c, ctx, comm);
    bool missing = !ctx->rank && access(path, F_OK) != 0 && errno == ENOENT;
    if (cau_comm_broadcast(comm, 0, &missing, sizeof missing)) return lost_contact(&c);
    if (missing) {
        *found = false;
        return CAUCUS_OK;
    }
    if (!ctx->rank) TRY(cau_input_open(ctx, path, &c.in));
    TRY(get(&c, &h, sizeof h));
    if (memcmp(h.magic, magic, sizeof magic) != 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: not a checkpoint; move the file away and train without --resume", path));
    if (h.run != run || h.count != count || count > 2 * CAU_BLOBS_MAX)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: the checkpoint is of other data or other options; use those of the "
                     "interrupted run, or train without --resume",
                     path));
    for (size_t i = 0; i < count; i++) {
        copy[i] = cau_calloc(blobs[i].bytes, 1);
        if (!copy[i]) TRY(cau_fail_memory(ctx, "the checkpoint"));
        TRY(get_blob(&c, path, &blobs[i], copy[i]));
    }
    const uint64_t sum = XXH3_64bits_digest(&c.sum);
    TRY(get(&c, &stored, sizeof stored));
    if (stored != sum)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: the checkpoint is damaged; delete it and train without --resume", path));
    for (size_t i = 0; i < count; i++) memcpy(blobs[i].data, copy[i], blobs[i].bytes);
    *found = true;
done:
    for (size_t i = 0; i < 2 * CAU_BLOBS_MAX; i++) free(copy[i]);
    cau_input_free(c.in);
    return st;
}
