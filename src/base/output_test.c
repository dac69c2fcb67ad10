/* output_test.c - a path holds the old file or the whole new one, and no temporary file is left. */

#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

/* Makes an empty directory for one test. */
static const char *fresh_directory(const char *name)
{
    const char *path = test_path(name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static const char *in_directory(const char *directory, const char *name)
{
    char path[512];
    const char *base = strrchr(directory, '/') + 1;
    snprintf(path, sizeof path, "%s/%s", base, name);
    return test_path(path);
}

static size_t count_entries(const char *directory)
{
    size_t count = 0;
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char got[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(got, text);
}

static caucus_status save(caucus_ctx *ctx, const char *path, const char *text)
{
    cau_output *out = NULL;
    caucus_status st = cau_output_open(ctx, path, &out);
    if (!st) st = cau_output_write(ctx, out, text, strlen(text));
    if (!st) st = cau_output_commit(ctx, out);
    cau_output_free(out);
    return st;
}

static void a_file_appears_whole(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *directory = fresh_directory("whole");
    const char *path = in_directory(directory, "model");
    cau_output *out = NULL;
    assert_ok(ctx, cau_output_open(ctx, path, &out));
    assert_ok(ctx, cau_output_write(ctx, out, "new ", 4));
    assert_ok(ctx, cau_output_write(ctx, out, "", 0));
    assert_ok(ctx, cau_output_write(ctx, out, "text", 4));
    assert_int_equal(access(path, F_OK), -1); /* absent before the commit */
    assert_ok(ctx, cau_output_commit(ctx, out));
    cau_output_free(out);
    assert_holds(path, "new text");
    assert_int_equal(count_entries(directory), 1);

    assert_ok(ctx, save(ctx, path, "newer"));
    assert_holds(path, "newer");
    assert_int_equal(count_entries(directory), 1);
    caucus_ctx_free(ctx);
}

static void without_a_commit_the_old_file_stays(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *directory = fresh_directory("nothing");
    const char *path = in_directory(directory, "model");
    put(path, "old");
    cau_output *out = NULL;
    assert_ok(ctx, cau_output_open(ctx, path, &out));
    assert_ok(ctx, cau_output_write(ctx, out, "new", 3));
    assert_int_equal(count_entries(directory), 2);
    cau_output_free(out);
    assert_int_equal(count_entries(directory), 1);
    assert_holds(path, "old");
    cau_output_free(NULL);
    caucus_ctx_free(ctx);
}

/* Writes of all sizes around the buffer size arrive in order. */
static void writes_of_all_sizes_arrive(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 65535, 1, 65536, 3, 65537, 200000, 65533, 4, 0, 70000, 5};
    caucus_ctx *ctx = test_ctx();
    const char *path = test_path("pieces");
    unsigned char *piece = malloc(200000);
    assert_non_null(piece);
    cau_output *out = NULL;
    assert_ok(ctx, cau_output_open(ctx, path, &out));
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t j = 0; j < sizes[i]; j++) piece[j] = (unsigned char)((total + j) % 251);
        assert_ok(ctx, cau_output_write(ctx, out, piece, sizes[i]));
        total += sizes[i];
    }
    assert_ok(ctx, cau_output_commit(ctx, out));
    cau_output_free(out);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t i = 0; i < total; i++) assert_int_equal(getc(file), (int)(i % 251));
    assert_int_equal(getc(file), EOF);
    fclose(file);
    free(piece);
    caucus_ctx_free(ctx);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void permissions_are_kept_or_follow_the_umask(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *path = test_path("permissions");
    mode_t before = umask(027);
    caucus_status st = save(ctx, path, "new");
    umask(before);
    assert_ok(ctx, st);
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_ok(ctx, save(ctx, path, "newer"));
    assert_int_equal(mode_of(path), 0604);
    caucus_ctx_free(ctx);
}

static void links_stay_links(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *directory = fresh_directory("links");
    const char *file = in_directory(directory, "file"), *link = in_directory(directory, "link");
    const char *second = in_directory(directory, "second");
    assert_int_equal(symlink("file", link), 0); /* relative, its target does not exist yet */
    assert_int_equal(symlink(link, second), 0); /* absolute */
    assert_ok(ctx, cau_output_probe(ctx, second));
    assert_int_equal(access(file, F_OK), -1);
    assert_ok(ctx, save(ctx, second, "made"));
    assert_holds(file, "made");
    assert_ok(ctx, save(ctx, second, "replaced"));
    assert_holds(file, "replaced");
    struct stat info;
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(lstat(second, &info) == 0 && S_ISLNK(info.st_mode));
    assert_int_equal(count_entries(directory), 3);

    const char *loop = in_directory(directory, "loop");
    assert_int_equal(symlink("loop", loop), 0);
    assert_fails(ctx, save(ctx, loop, "x"), CAUCUS_ERR_IO, strerror(ELOOP));
    caucus_ctx_free(ctx);
}

static void failed_opens_report_the_reason(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *file = test_file("a_file", "x", 1);
    char below[512];
    snprintf(below, sizeof below, "%s/model", file);
    const struct {
        const char *path, *part;
    } cases[] = {
        {test_path("no/such/model"), "no/such/model: No such file or directory; "},
        {test_path("."), "Is a directory; "},
        {below, "a_file/model: Not a directory; "},
        {"", ": No such file or directory; "},
        {"/proc/caucus-model", "/proc/caucus-model: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_fails(ctx, save(ctx, cases[i].path, "x"), CAUCUS_ERR_IO, cases[i].part);
        assert_fails(ctx, cau_output_probe(ctx, cases[i].path), CAUCUS_ERR_IO, cases[i].part);
    }
    if (geteuid() != 0) { /* root can write every file */
        assert_int_equal(chmod(file, 0444), 0);
        assert_fails(ctx, save(ctx, file, "x"), CAUCUS_ERR_IO, "a_file: Permission denied; ");
        assert_holds(file, "x");
    }
    caucus_ctx_free(ctx);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_fails(ctx, save(ctx, "/dev/full", "x"), CAUCUS_ERR_IO,
                 "/dev/full: No space left on device; ");
    static const char large[100000];
    cau_output *out = NULL;
    assert_ok(ctx, cau_output_open(ctx, "/dev/full", &out));
    assert_fails(ctx, cau_output_write(ctx, out, large, sizeof large), CAUCUS_ERR_IO, "No space");
    assert_fails(ctx, cau_output_write(ctx, out, "x", 1), CAUCUS_ERR_IO, "No space");
    assert_fails(ctx, cau_output_commit(ctx, out), CAUCUS_ERR_IO, "No space");
    cau_output_free(out);
    caucus_ctx_free(ctx);
}

/* A file size limit imitates a disk that fills up in the middle of a write. */
static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *directory = fresh_directory("limit");
    const char *path = in_directory(directory, "model");
    put(path, "old");
    char *large = calloc(1 << 20, 1);
    assert_non_null(large);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 300000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);

    cau_output *out = NULL;
    caucus_status st = cau_output_open(ctx, path, &out), written = CAUCUS_OK, committed = CAUCUS_OK;
    if (!st) written = cau_output_write(ctx, out, large, 1 << 20);
    /* also after a failed write that the caller ignored */
    if (!st) committed = cau_output_commit(ctx, out);
    cau_output_free(out);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);

    assert_ok(ctx, st);
    assert_int_equal(written, CAUCUS_ERR_IO);
    assert_fails(ctx, committed, CAUCUS_ERR_IO, "model: File too large; ");
    assert_holds(path, "old");
    assert_int_equal(count_entries(directory), 1);
    free(large);
    caucus_ctx_free(ctx);
}

static void a_probe_changes_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *directory = fresh_directory("probe");
    const char *path = in_directory(directory, "model");
    assert_ok(ctx, cau_output_probe(ctx, path));
    assert_int_equal(count_entries(directory), 0);
    put(path, "old");
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_ok(ctx, cau_output_probe(ctx, path));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(count_entries(directory), 1);
    assert_holds(path, "old");
    assert_true(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);

    const char *fifo = in_directory(directory, "fifo"); /* opening it would wait for a reader */
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_ok(ctx, cau_output_probe(ctx, fifo));
    caucus_ctx_free(ctx);
}

/* Pipes and descriptors are written directly, even a descriptor of a regular file. */
static void pipes_and_descriptors_are_written_directly(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    int ends[2];
    char path[64], got[8] = "";
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    assert_ok(ctx, save(ctx, path, "piped"));
    assert_int_equal(read(ends[0], got, sizeof got), 5);
    assert_string_equal(got, "piped");
    close(ends[0]);
    close(ends[1]);

    const char *file = test_file("behind", "head ", 5);
    int fd = open(file, O_RDWR);
    struct stat before, after;
    assert_true(fd >= 0 && fstat(fd, &before) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_ok(ctx, save(ctx, path, "tail"));
    assert_int_equal(stat(file, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    assert_holds(file, "head tail");
    close(fd);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const char *path;
} output_save;

static caucus_status probe_and_save(void *self)
{
    output_save *s = self;
    caucus_status st = cau_output_probe(s->ctx, s->path);
    return st ? st : save(s->ctx, s->path, "text");
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    const char *directory = fresh_directory("memory");
    output_save s = {test_ctx(), in_directory(directory, "link")};
    assert_int_equal(symlink("file", s.path), 0);
    assert_true(test_every_allocation(probe_and_save, &s) >= 10);
    assert_int_equal(count_entries(directory), 2);
    caucus_ctx_free(s.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_whole),
        cmocka_unit_test(without_a_commit_the_old_file_stays),
        cmocka_unit_test(writes_of_all_sizes_arrive),
        cmocka_unit_test(permissions_are_kept_or_follow_the_umask),
        cmocka_unit_test(links_stay_links),
        cmocka_unit_test(failed_opens_report_the_reason),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(a_probe_changes_nothing),
        cmocka_unit_test(pipes_and_descriptors_are_written_directly),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
