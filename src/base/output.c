/* output.c - atomic writing of files.
 *
 *     open     follow links to the target; make "target.RANDOM" beside it
 *     write    to that file, through a buffer
 *     commit   flush, fsync, close, rename over the target
 *     free     without a commit: remove the file
 *
 * A symbolic link is kept: the file that it points to is replaced. The new file gets the
 * permissions of the old one, or the default permissions under the umask. Pipes and devices
 * cannot be replaced; they are written directly. */

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"

enum {
    BUFFER_SIZE = 64 << 10,
    LINKS_MAX = 40, /* the kernel's own limit */
    NAMES_TRIED = 64,
};

struct cau_output {
    char *name;      /* as given by the caller, for messages */
    char *target;    /* after following links */
    char *temporary; /* NULL when the target is written directly, and after the commit */
    int fd;
    int failure; /* errno of the first failed write, or 0 */
    size_t used; /* bytes in the buffer */
    char buffer[BUFFER_SIZE];
};

static caucus_status fail_system(caucus_ctx *ctx, const char *name, int reason)
{
    const char *remedy = "choose another place";
    switch (reason) {
    case ENOENT:
    case ENOTDIR:
        remedy = "make the directory first, or choose another place";
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        remedy = "choose a place where you may write";
        break;
    case EISDIR:
        remedy = "name a file in it";
        break;
    case ENOSPC:
    case EDQUOT:
        remedy = "free some space, or choose another place";
        break;
    case EFBIG:
        remedy = "raise ulimit -f, or choose another place";
        break;
    case EPIPE:
        remedy = "the program that read it has ended";
        break;
    }
    return cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; %s", name, strerror(reason), remedy);
}

static caucus_status fail_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "writing a file");
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = cau_alloc(size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* ---- the target ---------------------------------------------------------------------- */

/* The target of a name after following links. */
typedef struct {
    char *path; /* owned */
    bool exists;
    bool direct;      /* it exists and cannot be replaced, only written */
    struct stat info; /* set when it exists */
} output_target;

/* Follows one symbolic link: replaces *path by the target of the link. */
static caucus_status follow_link(caucus_ctx *ctx, const char *name, char **path)
{
    char link[PATH_MAX];
    ssize_t length = readlink(*path, link, sizeof link - 1);
    if (length < 0) return fail_system(ctx, name, errno);
    link[length] = '\0';

    const char *slash = strrchr(*path, '/');
    size_t parent = slash && link[0] != '/' ? (size_t)(slash + 1 - *path) : 0;
    char *next = cau_alloc(parent + (size_t)length + 1, 1);
    if (!next) return fail_memory(ctx);
    memcpy(next, *path, parent);
    memcpy(next + parent, link, (size_t)length + 1);
    free(*path);
    *path = next;
    return CAUCUS_OK;
}

/* Whether a link stands for an open descriptor, as /dev/stdout does. Its file must not be replaced,
 * because another program holds it open and waits for bytes. */
static bool is_descriptor(const char *link)
{
    return strncmp(link, "/proc/", 6) == 0 || strncmp(link, "/dev/fd/", 8) == 0;
}

static caucus_status find_target(caucus_ctx *ctx, const char *name, output_target *out)
{
    caucus_status st = CAUCUS_OK;
    output_target at = {.path = copy_text(name)};
    if (!at.path) TRY(fail_memory(ctx));
    if (!*at.path) TRY(fail_system(ctx, name, ENOENT));

    for (int links = 0;; links++) {
        at.exists = lstat(at.path, &at.info) == 0;
        if (!at.exists && errno != ENOENT) TRY(fail_system(ctx, name, errno));
        if (!at.exists || !S_ISLNK(at.info.st_mode)) break;
        if (links == LINKS_MAX) TRY(fail_system(ctx, name, ELOOP));
        if (is_descriptor(at.path)) {
            if (stat(at.path, &at.info) != 0) TRY(fail_system(ctx, name, errno));
            at.direct = true;
            break;
        }
        TRY(follow_link(ctx, name, &at.path));
    }
    if (at.exists && S_ISDIR(at.info.st_mode)) TRY(fail_system(ctx, name, EISDIR));
    if (at.exists && !S_ISREG(at.info.st_mode)) at.direct = true;
    *out = at;
    at.path = NULL;
done:
    free(at.path);
    return st;
}

/* ---- the temporary file -------------------------------------------------------------- */

/* Creates and opens "target.XXXXXX" with random letters for X. open() applies the umask itself;
 * reading the umask would change it for other threads. */
static caucus_status make_temporary(caucus_ctx *ctx, cau_output *out, mode_t mode)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    size_t length = strlen(out->target), size;
    if (!cau_size_add(length, sizeof ".XXXXXX", &size)) return fail_memory(ctx);
    char *path = cau_alloc(size, 1);
    if (!path) return fail_memory(ctx);
    memcpy(path, out->target, length);
    memcpy(path + length, ".XXXXXX", sizeof ".XXXXXX");

    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    cau_rng rng;
    cau_rng_init(&rng, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec +
                           ((uint64_t)getpid() << 40) + (uintptr_t)path);
    for (int tries = 0; out->fd < 0; tries++) {
        for (char *x = path + length + 1; *x; x++)
            *x = letters[cau_rng_below(&rng, sizeof letters - 1)];
        out->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (out->fd < 0 && (errno != EEXIST || tries == NAMES_TRIED)) {
            int reason = errno;
            free(path);
            return fail_system(ctx, out->name, reason);
        }
    }
    out->temporary = path;
    return CAUCUS_OK;
}

/* Opens the temporary file that will replace the target. */
static caucus_status open_temporary(caucus_ctx *ctx, cau_output *out, const output_target *at)
{
    if (!at->exists) return make_temporary(ctx, out, 0666);

    /* A file that the user may not write must not be replaced either. */
    int old = open(at->path, O_WRONLY | O_CLOEXEC);
    if (old < 0) return fail_system(ctx, out->name, errno);
    close(old);
    caucus_status st = make_temporary(ctx, out, 0600);
    if (st) return st;
    if (fchown(out->fd, at->info.st_uid, at->info.st_gid) != 0) {
        /* Only root may give files away; otherwise the new file belongs to the user. */
    }
    if (fchmod(out->fd, at->info.st_mode & 07777) != 0) return fail_system(ctx, out->name, errno);
    return CAUCUS_OK;
}

/* Ranks above 0 write what rank 0 writes, and lose it. */
static const char *place_of(const caucus_ctx *ctx, const char *path)
{
    return ctx->rank ? "/dev/null" : path;
}

caucus_status cau_output_open(caucus_ctx *ctx, const char *path, cau_output **out)
{
    caucus_status st = CAUCUS_OK;
    output_target at = {0};
    cau_output *made = cau_alloc(1, sizeof *made);
    if (!made) TRY(fail_memory(ctx));
    memset(made, 0, offsetof(cau_output, buffer)); /* the buffer needs no clearing */
    made->fd = -1;
    made->name = copy_text(path);
    if (!made->name) TRY(fail_memory(ctx));
    TRY(find_target(ctx, place_of(ctx, path), &at));
    made->target = at.path;
    if (at.direct) {
        made->fd = open(at.path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
        if (made->fd < 0) TRY(fail_system(ctx, path, errno));
    } else {
        TRY(open_temporary(ctx, made, &at));
    }
    *out = made;
    made = NULL;
done:
    cau_output_free(made);
    return st;
}

void cau_output_free(cau_output *out)
{
    if (!out) return;
    if (out->fd >= 0) close(out->fd);
    if (out->temporary) unlink(out->temporary);
    free(out->temporary);
    free(out->target);
    free(out->name);
    free(out);
}

caucus_status cau_output_probe(caucus_ctx *ctx, const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_output *out = NULL;
    output_target at = {0};
    TRY(find_target(ctx, place_of(ctx, path), &at));
    if (!at.direct) {
        TRY(cau_output_open(ctx, path, &out));
    } else if (faccessat(AT_FDCWD, at.path, W_OK, AT_EACCESS) != 0) {
        TRY(fail_system(ctx, path, errno)); /* the reader of a pipe would see it being opened */
    }
done:
    cau_output_free(out);
    free(at.path);
    return st;
}

/* ---- writing ------------------------------------------------------------------------- */

/* Writes all bytes. On failure returns false and keeps the reason in out->failure for good, so that
 * an incomplete file is never committed. */
static bool write_all(cau_output *out, const char *bytes, size_t length)
{
    while (length > 0 && !out->failure) {
        ssize_t written = write(out->fd, bytes, length);
        if (written >= 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (errno != EINTR) {
            out->failure = errno;
        }
    }
    return !out->failure;
}

static bool flush(cau_output *out)
{
    size_t used = out->used;
    out->used = 0;
    return write_all(out, out->buffer, used);
}

caucus_status cau_output_write(caucus_ctx *ctx, cau_output *out, const void *bytes, size_t length)
{
    bool well = !out->failure;
    if (length > BUFFER_SIZE - out->used) well = flush(out);
    if (length >= BUFFER_SIZE) {
        well = well && write_all(out, bytes, length);
    } else if (well && length > 0) {
        memcpy(out->buffer + out->used, bytes, length);
        out->used += length;
    }
    return well ? CAUCUS_OK : fail_system(ctx, out->name, out->failure);
}

caucus_status cau_output_commit(caucus_ctx *ctx, cau_output *out)
{
    flush(out);
    if (!out->failure && out->temporary && fsync(out->fd) != 0) out->failure = errno;
    if (close(out->fd) != 0 && !out->failure) out->failure = errno;
    out->fd = -1;
    if (!out->failure && out->temporary && rename(out->temporary, out->target) != 0)
        out->failure = errno;
    if (out->failure) return fail_system(ctx, out->name, out->failure);
    free(out->temporary);
    out->temporary = NULL;
    return CAUCUS_OK;
}
