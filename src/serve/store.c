/* store.c - see store.h. */

#include "serve/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"

/* What tells one state of a file from another. */
typedef struct {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
} file_state;

typedef struct {
    const char *path; /* borrowed */
    char *name;       /* owned */
    cau_served *served;
    file_state loaded, seen; /* when it was loaded last, and at the last look */
} model_file;

struct cau_store {
    pthread_mutex_t lock; /* of `served` of all entries */
    model_file *entries;  /* [count] */
    size_t count;
    uint64_t versions;
};

static file_state state_of(const struct stat *info)
{
    return (file_state){info->st_dev, info->st_ino, info->st_size, info->st_mtim};
}

static bool same_state(const file_state *a, const file_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Reads a whole file. */
static caucus_status read_file(caucus_ctx *ctx, const char *path, char **bytes, size_t *length,
                               file_state *state)
{
    caucus_status st = CAUCUS_OK;
    char *buffer = NULL;
    size_t n = 0;
    struct stat info;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &info) != 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; check the path of the model", path,
                     strerror(errno)));
    if (!S_ISREG(info.st_mode))
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: not a regular file; give a model file", path));
    const size_t size = (size_t)info.st_size;
    buffer = cau_alloc(size ? size : 1, 1);
    if (!buffer) TRY(cau_fail_memory(ctx, "a model"));
    while (n < size) {
        const ssize_t got = read(file, buffer + n, size - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; check the disk", path, strerror(errno)));
        if (got == 0) break; /* it was cut meanwhile, which its checksums show */
        n += (size_t)got;
    }
    *state = state_of(&info);
    *bytes = buffer;
    *length = n;
    buffer = NULL;
done:
    free(buffer);
    if (file >= 0) close(file);
    return st;
}

/* Loads and verifies the model of a file. */
static caucus_status load(caucus_ctx *ctx, const char *path, file_state *state, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    char *bytes = NULL;
    const void *image;
    size_t length;
    caucus_model *model = NULL;
    TRY(read_file(ctx, path, &bytes, &length, state));
    st = caucus_model_from_bytes(ctx, bytes, length, &model);
    if (!st) st = caucus_model_bytes(ctx, model, &image, &length);
    if (st == CAUCUS_ERR_FORMAT) /* the message names no file */
        st = cau_fail(ctx, st, "%s: not a sound model; train or convert it again", path);
    if (st) goto done;
    *out = model;
    model = NULL;
done:
    caucus_model_free(model);
    free(bytes);
    return st;
}

/* Puts a new version in the place of the old one. */
static caucus_status replace(caucus_ctx *ctx, cau_store *store, model_file *e)
{
    caucus_status st = CAUCUS_OK;
    cau_served *served = cau_calloc(1, sizeof *served), *old;
    if (!served) TRY(cau_fail_memory(ctx, "a model"));
    TRY(load(ctx, e->path, &e->loaded, &served->model));
    served->name = e->name;
    served->version = ++store->versions;
    atomic_init(&served->users, 1);
    pthread_mutex_lock(&store->lock);
    old = e->served;
    e->served = served;
    pthread_mutex_unlock(&store->lock);
    cau_store_release(old);
    served = NULL;
done:
    free(served);
    return st;
}

/* "names" of "models/names.cau". */
static char *name_of(const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    char *name = cau_alloc(n + 1, 1);
    if (!name) return NULL;
    memcpy(name, base, n);
    name[n] = '\0';
    return name;
}

caucus_status cau_store_new(caucus_ctx *ctx, const char *const *paths, size_t count,
                            cau_store **out)
{
    caucus_status st = CAUCUS_OK;
    cau_store *store = cau_calloc(1, sizeof *store);
    if (!store) return cau_fail_memory(ctx, "the models");
    pthread_mutex_init(&store->lock, NULL);
    store->entries = cau_calloc(count, sizeof *store->entries);
    if (!store->entries) TRY(cau_fail_memory(ctx, "the models"));
    for (size_t i = 0; i < count; i++) {
        model_file *e = &store->entries[i];
        e->path = paths[i];
        e->name = name_of(e->path);
        store->count = i + 1;
        if (!e->name) TRY(cau_fail_memory(ctx, "the models"));
        for (size_t j = 0; j < i; j++)
            if (strcmp(store->entries[j].name, e->name) == 0)
                TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                             "--model: %s and %s are both named %s; rename one file", paths[j],
                             e->path, e->name));
        TRY(replace(ctx, store, e));
        e->seen = e->loaded;
    }
    *out = store;
    store = NULL;
done:
    cau_store_free(store);
    return st;
}

void cau_store_free(cau_store *store)
{
    if (!store) return;
    for (size_t i = 0; i < store->count; i++) {
        cau_store_release(store->entries[i].served);
        free(store->entries[i].name);
    }
    pthread_mutex_destroy(&store->lock);
    free(store->entries);
    free(store);
}

cau_served *cau_store_at(cau_store *store, size_t index)
{
    if (index >= store->count) return NULL;
    pthread_mutex_lock(&store->lock);
    cau_served *served = store->entries[index].served;
    atomic_fetch_add(&served->users, 1);
    pthread_mutex_unlock(&store->lock);
    return served;
}

cau_served *cau_store_find(cau_store *store, const char *name)
{
    for (size_t i = 0; i < store->count; i++)
        if (!*name || strcmp(store->entries[i].name, name) == 0) return cau_store_at(store, i);
    return NULL;
}

void cau_store_release(cau_served *served)
{
    if (!served || atomic_fetch_sub(&served->users, 1) > 1) return;
    caucus_model_free(served->model);
    free(served);
}

/* Whether the file is another one than was loaded, and the same as at the last look: a file that is
 * being written changes from one look to the next. */
static bool has_changed(model_file *e)
{
    struct stat info;
    if (stat(e->path, &info) != 0) return false; /* between removing and renaming */
    const file_state now = state_of(&info);
    const bool rests = same_state(&now, &e->seen);
    e->seen = now;
    return rests && !same_state(&now, &e->loaded);
}

void cau_store_reload(caucus_ctx *ctx, cau_store *store, bool all, size_t *loaded, size_t *failed)
{
    *loaded = *failed = 0;
    for (size_t i = 0; i < store->count; i++) {
        model_file *e = &store->entries[i];
        if (!has_changed(e) && !all) continue;
        if (replace(ctx, store, e)) {
            cau_note(ctx, "%s; still serving the old model", caucus_message(ctx));
            e->loaded = e->seen; /* no second attempt before the file changes */
            ++*failed;
        } else {
            cau_note(ctx, "%s: loaded again as version %ju of %s", e->path,
                     (uintmax_t)e->served->version, e->name);
            ++*loaded;
        }
    }
}
