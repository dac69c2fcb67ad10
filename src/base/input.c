/* input.c - bytes from files, plain or compressed.
 *
 * Raw bytes, as they are stored, come from a descriptor or from memory and go through a buffer.
 * The first bytes tell whether the file is compressed, and by which format. A codec then unpacks
 * the raw bytes step by step; the bytes of a plain file are copied.
 *
 *     descriptor or memory -> raw buffer -> codec -> the reader's buffer
 *
 * A compressed file is a series of members (gzip), frames (zstd) or streams (xz). It may end
 * between two of them; a file that ends `inside` one is truncated. */

#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "base/status.h"

enum {
    RAW_SIZE = 64 << 10,
    STEP_MAX = 1 << 30, /* zlib counts in 32 bits */
};

/* A compression format. `start` is called once. `step` unpacks raw bytes of `in` into the buffer,
 * advances in->at, and sets *got and in->inside. `stop` releases what `start` acquired. */
typedef struct {
    const char *name;
    size_t magic_length;
    unsigned char magic[6];
    caucus_status (*start)(caucus_ctx *ctx, cau_input *in);
    caucus_status (*step)(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size, size_t *got);
    void (*stop)(cau_input *in);
} input_codec;

struct cau_input {
    int fd;
    bool close_fd; /* not for standard input */
    char *bytes;   /* instead of fd: in memory; the next is bytes[next] */
    size_t next, length;

    size_t at, end; /* raw[at..end) has not been unpacked yet */
    bool raw_ended; /* the source has no bytes after these */

    const input_codec *codec; /* NULL for plain bytes */
    bool inside;              /* a member that has not ended */
    union {
        z_stream gzip;
        lzma_stream xz;
        ZSTD_DStream *zstd;
    } state;

    char raw[RAW_SIZE];
    char name[]; /* the path, or "standard input" */
};

/* ---- raw bytes ----------------------------------------------------------------------- */

/* Fails with the message for errno. */
static caucus_status fail_system(caucus_ctx *ctx, const char *name)
{
    int reason = errno;
    const char *remedy = "check the file and the disk that it is on";
    if (reason == ENOENT || reason == ENOTDIR) remedy = "check the name";
    if (reason == EACCES || reason == EPERM) remedy = "check its permissions";
    if (reason == EISDIR) remedy = "name a file in it";
    if (reason == EMFILE || reason == ENFILE) remedy = "close some files or raise ulimit -n";
    return cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; %s", name, strerror(reason), remedy);
}

/* Reads up to `size` raw bytes; *got = 0 only at the end. */
static caucus_status read_raw(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size,
                              size_t *got)
{
    ssize_t length;
    if (in->bytes) {
        *got = in->length - in->next < size ? in->length - in->next : size;
        memcpy(buffer, in->bytes + in->next, *got);
        in->next += *got;
        return CAUCUS_OK;
    }
    do length = read(in->fd, buffer, size < STEP_MAX ? size : STEP_MAX);
    while (length < 0 && errno == EINTR);
    if (length < 0) return fail_system(ctx, in->name);
    *got = (size_t)length;
    return CAUCUS_OK;
}

/* Reads once more into the raw buffer, which has room after raw[end]. */
static caucus_status fill_raw(caucus_ctx *ctx, cau_input *in)
{
    size_t got = 0;
    caucus_status st = read_raw(ctx, in, in->raw + in->end, RAW_SIZE - in->end, &got);
    if (st) return st;
    in->end += got;
    in->raw_ended = got == 0;
    return CAUCUS_OK;
}

/* ---- codecs -------------------------------------------------------------------------- */

static caucus_status fail_damaged(caucus_ctx *ctx, const cau_input *in, const char *reason)
{
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    "%s: damaged or cut short %s data (%s); unpack it by hand to see what is left",
                    in->name, in->codec->name, reason);
}

static caucus_status fail_unpacking(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "unpacking a compressed file");
}

static caucus_status gzip_start(caucus_ctx *ctx, cau_input *in)
{
    enum { WINDOW_BITS = 15, GZIP_ONLY = 16 };
    in->state.gzip = (z_stream){0};
    int code = inflateInit2(&in->state.gzip, WINDOW_BITS + GZIP_ONLY);
    return code == Z_OK ? CAUCUS_OK : fail_unpacking(ctx);
}

static caucus_status gzip_step(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size,
                               size_t *got)
{
    z_stream *z = &in->state.gzip;
    if (!in->inside) {
        inflateReset(z); /* fails only for an invalid state */
        in->inside = true;
    }
    z->next_in = (Bytef *)in->raw + in->at;
    z->avail_in = (uInt)(in->end - in->at);
    z->next_out = (Bytef *)buffer;
    z->avail_out = (uInt)size;
    int code = inflate(z, Z_NO_FLUSH);
    in->at = in->end - z->avail_in;
    *got = size - z->avail_out;

    switch (code) {
    case Z_STREAM_END:
        in->inside = false;
        return CAUCUS_OK;
    case Z_OK:
    case Z_BUF_ERROR:
        return CAUCUS_OK; /* no progress: the caller sees that */
    case Z_MEM_ERROR:
        return fail_unpacking(ctx);
    default:
        return fail_damaged(ctx, in, z->msg ? z->msg : "unknown form");
    }
}

static void gzip_stop(cau_input *in)
{
    inflateEnd(&in->state.gzip);
}

static caucus_status zstd_start(caucus_ctx *ctx, cau_input *in)
{
    in->state.zstd = ZSTD_createDStream();
    return in->state.zstd ? CAUCUS_OK : fail_unpacking(ctx);
}

static caucus_status zstd_step(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size,
                               size_t *got)
{
    ZSTD_inBuffer from = {in->raw, in->end, in->at};
    ZSTD_outBuffer to = {buffer, size, 0};
    size_t code = ZSTD_decompressStream(in->state.zstd, &to, &from);
    if (ZSTD_isError(code)) {
        if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return fail_unpacking(ctx);
        return fail_damaged(ctx, in, ZSTD_getErrorName(code));
    }
    in->at = from.pos;
    in->inside = code != 0;
    *got = to.pos;
    return CAUCUS_OK;
}

static void zstd_stop(cau_input *in)
{
    ZSTD_freeDStream(in->state.zstd);
}

static caucus_status xz_start(caucus_ctx *ctx, cau_input *in)
{
    in->state.xz = (lzma_stream)LZMA_STREAM_INIT;
    lzma_ret code = lzma_stream_decoder(&in->state.xz, UINT64_MAX, LZMA_CONCATENATED);
    return code == LZMA_OK ? CAUCUS_OK : fail_unpacking(ctx);
}

static caucus_status xz_step(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size, size_t *got)
{
    lzma_stream *xz = &in->state.xz;
    xz->next_in = (const uint8_t *)in->raw + in->at;
    xz->avail_in = in->end - in->at;
    xz->next_out = (uint8_t *)buffer;
    xz->avail_out = size;
    lzma_ret code = lzma_code(xz, in->raw_ended ? LZMA_FINISH : LZMA_RUN);
    in->at = in->end - xz->avail_in;
    *got = size - xz->avail_out;

    switch (code) {
    case LZMA_STREAM_END:
        in->inside = false;
        return CAUCUS_OK; /* the end of all streams */
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return CAUCUS_OK; /* no progress: the caller sees that */
    case LZMA_MEM_ERROR:
        return fail_unpacking(ctx);
    case LZMA_DATA_ERROR:
        return fail_damaged(ctx, in, "the data is corrupt");
    case LZMA_FORMAT_ERROR:
        return fail_damaged(ctx, in, "it is followed by other bytes");
    case LZMA_OPTIONS_ERROR:
        return fail_damaged(ctx, in, "unsupported xz options");
    default:
        return fail_damaged(ctx, in, "unknown form");
    }
}

static void xz_stop(cau_input *in)
{
    lzma_end(&in->state.xz);
}

static const input_codec codecs[] = {
    {"gzip", 3, {0x1F, 0x8B, 0x08}, gzip_start, gzip_step, gzip_stop},
    {"zstd", 4, {0x28, 0xB5, 0x2F, 0xFD}, zstd_start, zstd_step, zstd_stop},
    {"zstd", 4, {0x50, 0x2A, 0x4D, 0x18}, zstd_start, zstd_step, zstd_stop}, /* as pzstd opens */
    {"xz", 6, {0xFD, '7', 'z', 'X', 'Z', 0x00}, xz_start, xz_step, xz_stop},
};
enum { CODECS = sizeof codecs / sizeof *codecs };

/* ---- opening and reading ------------------------------------------------------------- */

/* Whether the bytes so far are a proper prefix of the magic number of some codec. */
static bool may_be_compressed(const cau_input *in)
{
    for (size_t i = 0; i < CODECS; i++)
        if (in->end < codecs[i].magic_length && memcmp(in->raw, codecs[i].magic, in->end) == 0)
            return true;
    return false;
}

/* Starts the codec whose magic number the first bytes are. They stay in the raw buffer. Waits for
 * no more bytes than the decision needs, because the first line at a terminal may be short. */
static caucus_status detect_codec(caucus_ctx *ctx, cau_input *in)
{
    caucus_status st = CAUCUS_OK;
    while (!st && !in->raw_ended && may_be_compressed(in)) st = fill_raw(ctx, in);
    for (size_t i = 0; !st && !in->codec && i < CODECS; i++) {
        const input_codec *c = &codecs[i];
        if (in->end < c->magic_length || memcmp(in->raw, c->magic, c->magic_length) != 0) continue;
        st = c->start(ctx, in);
        if (!st) {
            in->codec = c;
            in->inside = true;
        }
    }
    return st;
}

caucus_status cau_input_open(caucus_ctx *ctx, const char *path, cau_input **out)
{
    caucus_status st = CAUCUS_OK;
    const bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    const size_t length = strlen(name) + 1;
    cau_input *in = cau_alloc(1, sizeof *in + length);
    if (!in) return cau_fail_memory(ctx, "reading a file");
    memset(in, 0, offsetof(cau_input, raw)); /* the buffer needs no clearing */
    memcpy(in->name, name, length);
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    in->close_fd = !standard;

    struct stat info;
    if (in->fd < 0 || fstat(in->fd, &info) != 0) TRY(fail_system(ctx, in->name));
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        TRY(fail_system(ctx, in->name));
    }
    TRY(detect_codec(ctx, in));
    *out = in;
    in = NULL;
done:
    cau_input_free(in);
    return st;
}

caucus_status cau_input_memory(caucus_ctx *ctx, const char *name, const char *bytes, size_t length,
                               cau_input **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t n = strlen(name) + 1;
    cau_input *in = cau_alloc(1, sizeof *in + n);
    if (!in) return cau_fail_memory(ctx, "reading a file");
    memset(in, 0, offsetof(cau_input, raw));
    memcpy(in->name, name, n);
    in->fd = -1;
    in->bytes = cau_alloc(length, 1);
    if (!in->bytes) TRY(cau_fail_memory(ctx, "reading a file"));
    if (length) memcpy(in->bytes, bytes, length);
    in->length = length;
    *out = in;
    in = NULL;
done:
    cau_input_free(in);
    return st;
}

/* Copies the first bytes from the raw buffer, then reads directly from the source. */
static caucus_status read_plain(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size,
                                size_t *got)
{
    if (in->at == in->end) return in->raw_ended ? CAUCUS_OK : read_raw(ctx, in, buffer, size, got);
    size_t length = in->end - in->at < size ? in->end - in->at : size;
    memcpy(buffer, in->raw + in->at, length);
    in->at += length;
    *got = length;
    return CAUCUS_OK;
}

caucus_status cau_input_read(caucus_ctx *ctx, cau_input *in, char *buffer, size_t size, size_t *got)
{
    caucus_status st = CAUCUS_OK;
    size_t length = 0;
    if (!in->codec) {
        TRY(read_plain(ctx, in, buffer, size, &length));
    } else if (size > 0) {
        if (size > STEP_MAX) size = STEP_MAX;
        for (;;) {
            if (in->at == in->end && !in->raw_ended) {
                in->at = in->end = 0;
                TRY(fill_raw(ctx, in));
            }
            bool last = in->at == in->end;
            if (last && !in->inside) break;
            TRY(in->codec->step(ctx, in, buffer, size, &length));
            if (length > 0) break;
            if (last && in->inside) TRY(fail_damaged(ctx, in, "it ends too early"));
        }
    }
    *got = length;
done:
    return st;
}

const char *cau_input_name(const cau_input *in)
{
    return in->name;
}

void cau_input_free(cau_input *in)
{
    if (!in) return;
    if (in->codec) in->codec->stop(in);
    if (in->close_fd && in->fd >= 0) close(in->fd);
    free(in->bytes);
    free(in);
}
