/* output.c - files that appear whole or not at all.
 *
 *     open     follow links to the target; make "target.RANDOM" beside it
 *     write    to that file, through a buffer
 *     commit   flush, fsync, close, rename over the target
 *     free     without a commit: remove the file
 *
 * A symbolic link stays one: the file it leads to is replaced. The new file gets the
 * permissions of the old one, or those that the umask leaves. Pipes and devices cannot be
 * replaced; they are written as they are. */

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
    LINKS_MAX = 40, /* as the kernel follows */
    NAMES_TRIED = 64,
};

struct cau_output {
    char *name;      /* as the caller spells it, for messages */
    char *target;    /* where links lead to */
    char *temporary; /* NULL when the target is written directly, or after the commit */
    int fd;
    int failure; /* errno of the first write that failed, 0 for none */
    size_t used; /* of buffer */
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

/* ---- the place ----------------------------------------------------------------------- */

/* Where a name leads to, following links. */
typedef struct {
    char *path;  /* ours to free */
    bool exists; /* then `info` describes it */
    bool direct; /* it exists and cannot be replaced, only written */
    struct stat info;
} place;

/* One step along the symbolic link *path, which is replaced by where it leads. */
static caucus_status follow_link(caucus_ctx *ctx, const char *name, char **path)
{
    char leads_to[PATH_MAX];
    ssize_t length = readlink(*path, leads_to, sizeof leads_to - 1);
    if (length < 0) return fail_system(ctx, name, errno);
    leads_to[length] = '\0';

    const char *slash = strrchr(*path, '/');
    size_t parent = slash && leads_to[0] != '/' ? (size_t)(slash + 1 - *path) : 0;
    char *next = cau_alloc(parent + (size_t)length + 1, 1);
    if (!next) return fail_memory(ctx);
    memcpy(next, *path, parent);
    memcpy(next + parent, leads_to, (size_t)length + 1);
    free(*path);
    *path = next;
    return CAUCUS_OK;
}

/* Whether a link stands for an open descriptor, as /dev/stdout does in the end. Whatever is
 * behind it, even a file, somebody holds it open and waits for bytes in it. */
static bool is_descriptor(const char *link)
{
    return strncmp(link, "/proc/", 6) == 0 || strncmp(link, "/dev/fd/", 8) == 0;
}

static caucus_status find_place(caucus_ctx *ctx, const char *name, place *out)
{
    caucus_status st = CAUCUS_OK;
    place at = {.path = copy_text(name)};
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

/* "target.XXXXXX" with X at random, new and open for writing. The mode is left to the umask
 * by open itself: asking for the umask would change it for other threads. */
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

/* Opens the temporary file that is to replace what is there, if anything is. */
static caucus_status open_beside(caucus_ctx *ctx, cau_output *out, const place *at)
{
    if (!at->exists) return make_temporary(ctx, out, 0666);

    /* A file that may not be written may not be replaced either. */
    int old = open(at->path, O_WRONLY | O_CLOEXEC);
    if (old < 0) return fail_system(ctx, out->name, errno);
    close(old);
    caucus_status st = make_temporary(ctx, out, 0600);
    if (st) return st;
    if (fchown(out->fd, at->info.st_uid, at->info.st_gid) != 0) {
        /* Only root may give files away; then it is ours, like any file we make. */
    }
    if (fchmod(out->fd, at->info.st_mode & 07777) != 0) return fail_system(ctx, out->name, errno);
    return CAUCUS_OK;
}

caucus_status cau_output_open(caucus_ctx *ctx, const char *path, cau_output **out)
{
    caucus_status st = CAUCUS_OK;
    place at = {0};
    cau_output *made = cau_alloc(1, sizeof *made);
    if (!made) TRY(fail_memory(ctx));
    memset(made, 0, offsetof(cau_output, buffer)); /* the buffer need not be touched */
    made->fd = -1;
    made->name = copy_text(path);
    if (!made->name) TRY(fail_memory(ctx));
    TRY(find_place(ctx, path, &at));
    made->target = at.path;
    if (at.direct) {
        made->fd = open(at.path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
        if (made->fd < 0) TRY(fail_system(ctx, path, errno));
    } else {
        TRY(open_beside(ctx, made, &at));
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
    place at = {0};
    TRY(find_place(ctx, path, &at));
    if (!at.direct) {
        TRY(cau_output_open(ctx, path, &out));
    } else if (faccessat(AT_FDCWD, at.path, W_OK, AT_EACCESS) != 0) {
        TRY(fail_system(ctx, path, errno)); /* to open a pipe would be seen at its other end */
    }
done:
    cau_output_free(out);
    free(at.path);
    return st;
}

/* ---- writing ------------------------------------------------------------------------- */

/* Writes all bytes; false with the reason in out->failure, where it stays: a file with a
 * hole in it is never committed. */
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
