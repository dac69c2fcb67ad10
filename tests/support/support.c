/* support.c - assertions, failing allocations and temporary files for the unit tests.
 *
 * The linker option --wrap=malloc sends every malloc of our objects to __wrap_malloc and makes the
 * original available as __real_malloc. A countdown chooses the call that fails; it is atomic, since
 * several threads allocate. */

#include "support/support.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- assertions ---------------------------------------------------------------------- */

void assert_near_at(double a, double b, double tolerance, const char *file, int line)
{
    if (a == b || fabs(a - b) <= tolerance) return;
    print_error("%.17g and %.17g differ by %.3g, more than %.3g\n", a, b, fabs(a - b), tolerance);
    _fail(file, line);
}

void assert_ok_at(const caucus_ctx *ctx, caucus_status st, const char *file, int line)
{
    if (st == CAUCUS_OK) return;
    print_error("%s: %s\n", caucus_status_text(st), caucus_message(ctx));
    _fail(file, line);
}

void assert_fails(const caucus_ctx *ctx, caucus_status st, caucus_status want, const char *part)
{
    const char *message = caucus_message(ctx);
    if (st == want && strstr(message, part)) return;
    fail_msg("got \"%s\" with \"%s\", wanted \"%s\" with \"%s\" in it", caucus_status_text(st),
             message, caucus_status_text(want), part);
}

caucus_ctx *test_ctx(void)
{
    caucus_ctx *ctx = NULL;
    if (caucus_ctx_new(&ctx)) fail_msg("no memory for a context");
    return ctx;
}

/* ---- memory -------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static atomic_long memory_countdown; /* 1: the next allocation fails; <= 0: no allocation fails */
static atomic_bool memory_failed;

static bool fails_now(void)
{
    if (atomic_load(&memory_countdown) <= 0) return false;
    if (atomic_fetch_sub(&memory_countdown, 1) != 1) return false;
    atomic_store(&memory_failed, true);
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails_now() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails_now() ? NULL : __real_aligned_alloc(alignment, size);
}

void test_memory_fail_at(size_t n)
{
    atomic_store(&memory_failed, false);
    atomic_store(&memory_countdown, (long)n);
}

bool test_memory_failed(void)
{
    return atomic_load(&memory_failed);
}

size_t test_every_allocation(caucus_status (*work)(void *self), void *self)
{
    for (size_t n = 1;; n++) {
        test_memory_fail_at(n);
        caucus_status st = work(self);
        bool failed = test_memory_failed();
        test_memory_fail_at(0);
        caucus_status want = failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
        if (st != want)
            fail_msg("allocation %zu %s, and the status is \"%s\"", n,
                     failed ? "failed" : "was never made", caucus_status_text(st));
        if (!failed) return n - 1;
    }
}

/* ---- temporary files ----------------------------------------------------------------- */

typedef struct held_path {
    struct held_path *next;
    char path[];
} held_path;

static char *directory; /* NULL before the first call of test_path */
static held_path *held_paths;
static pid_t directory_owner; /* a forked child must not remove it */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void remove_directory(void)
{
    if (getpid() == directory_owner) nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    for (held_path *held = held_paths, *next; held; held = next) {
        next = held->next;
        free(held);
    }
    held_paths = NULL;
    free(directory);
    directory = NULL;
}

/* Memory that test_memory_fail_at does not count. */
static void *must_alloc(size_t size)
{
    void *memory = __real_malloc(size);
    if (!memory) abort();
    return memory;
}

static void make_directory(void)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent) parent = "/tmp";
    const char *pattern = "/caucus-test-XXXXXX";
    size_t size = strlen(parent) + strlen(pattern) + 1;
    char *made = must_alloc(size);
    snprintf(made, size, "%s%s", parent, pattern);
    if (!mkdtemp(made)) fail_msg("%s: %s", made, strerror(errno));
    directory = made;
    directory_owner = getpid();
    atexit(remove_directory);
}

const char *test_path(const char *name)
{
    if (!directory) make_directory();
    size_t size = strlen(directory) + strlen(name) + 2;
    held_path *held = must_alloc(sizeof *held + size);
    snprintf(held->path, size, "%s/%s", directory, name);
    held->next = held_paths;
    held_paths = held;
    return held->path;
}

const char *test_file(const char *name, const void *bytes, size_t length)
{
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    size_t written = length ? fwrite(bytes, 1, length, file) : 0;
    if (fclose(file) != 0 || written != length) fail_msg("%s: %s", path, strerror(errno));
    return path;
}

const char *test_text(const char *name, const char *text)
{
    return test_file(name, text, strlen(text));
}

bool test_exists(const char *path)
{
    return access(path, R_OK) == 0;
}
