/* input_test.c - every compression format yields the same bytes, and damage is reported. */

#include "support/support.h"

#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/strbuf.h"

/* ---- packing ------------------------------------------------------------------------- */

typedef void pack_fn(cau_strbuf *out, const char *bytes, size_t length);

static void pack_plain(cau_strbuf *out, const char *bytes, size_t length)
{
    cau_strbuf_add(out, bytes, length);
}

static void pack_gzip(cau_strbuf *out, const char *bytes, size_t length)
{
    size_t room = length + length / 100 + 1000;
    char *packed = cau_alloc(room, 1);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)length;
    z.next_out = (Bytef *)packed;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    cau_strbuf_add(out, packed, room - z.avail_out);
    deflateEnd(&z);
    free(packed);
}

static void pack_zstd(cau_strbuf *out, const char *bytes, size_t length)
{
    size_t room = ZSTD_compressBound(length);
    char *packed = cau_alloc(room, 1);
    size_t packed_length = ZSTD_compress(packed, room, bytes, length, 3);
    assert_false(ZSTD_isError(packed_length));
    cau_strbuf_add(out, packed, packed_length);
    free(packed);
}

/* Packs as pzstd does: a skippable frame before the data. */
static void pack_pzstd(cau_strbuf *out, const char *bytes, size_t length)
{
    cau_strbuf_add(out, "\x50\x2A\x4D\x18\x04\x00\x00\x00skip", 12);
    pack_zstd(out, bytes, length);
}

static void pack_xz(cau_strbuf *out, const char *bytes, size_t length)
{
    size_t room = lzma_stream_buffer_bound(length), used = 0;
    uint8_t *packed = cau_alloc(room, 1);
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)bytes,
                                             length, packed, &used, room),
                     LZMA_OK);
    cau_strbuf_add(out, (const char *)packed, used);
    free(packed);
}

static const struct {
    const char *name;
    pack_fn *pack;
} packings[] = {{"plain", pack_plain},
                {"gzip", pack_gzip},
                {"zstd", pack_zstd},
                {"zstd", pack_pzstd},
                {"xz", pack_xz}};
enum { PACKINGS = sizeof packings / sizeof *packings };

/* Makes text that compresses well. */
static char *sample(size_t length)
{
    char *bytes = cau_alloc(length + 1, 1);
    assert_non_null(bytes);
    cau_rng rng;
    cau_rng_init(&rng, length);
    for (size_t i = 0; i < length; i++) bytes[i] = "etaoin shrdlu\n"[cau_rng_below(&rng, 14)];
    bytes[length] = '\0';
    return bytes;
}

/* ---- reading ------------------------------------------------------------------------- */

/* Reads to the end, `step` bytes at a time. */
static caucus_status read_all(caucus_ctx *ctx, cau_input *in, size_t step, cau_strbuf *out)
{
    char *buffer = cau_alloc(step, 1); /* exact size, so that the sanitizer finds an overrun */
    if (!buffer) return CAUCUS_ERR_MEMORY;
    size_t got = 0;
    caucus_status st;
    while (!(st = cau_input_read(ctx, in, buffer, step, &got)) && got > 0)
        cau_strbuf_add(out, buffer, got);
    /* reads after the end return 0 bytes */
    if (!st) st = cau_input_read(ctx, in, buffer, step, &got);
    assert_true(st || got == 0);
    free(buffer);
    return st;
}

static void assert_reads(const cau_strbuf *packed, size_t step, const char *want, size_t length)
{
    caucus_ctx *ctx = test_ctx();
    cau_input *in = NULL;
    cau_strbuf got = {0};
    assert_ok(ctx, cau_input_open(ctx, test_file("packed", packed->s, packed->n), &in));
    assert_ok(ctx, read_all(ctx, in, step, &got));
    assert_int_equal(got.n, length);
    if (length) assert_memory_equal(got.s, want, length);
    cau_input_free(in);
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

static void all_packings_yield_the_same_bytes(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 5, 6, 7, 1000, 65536, 300000};
    static const size_t steps[] = {1, 7, 4096, 1 << 20};
    for (size_t p = 0; p < PACKINGS; p++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            for (size_t s = lengths[l] > 1000; s < sizeof steps / sizeof *steps; s++) {
                char *bytes = sample(lengths[l]);
                cau_strbuf packed = {0};
                packings[p].pack(&packed, bytes, lengths[l]);
                assert_reads(&packed, steps[s], bytes, lengths[l]);
                cau_strbuf_clear(&packed);
                free(bytes);
            }
}

static void concatenated_members_are_read(void **state)
{
    (void)state;
    char *bytes = sample(200000);
    for (size_t p = 0; p < PACKINGS; p++) {
        cau_strbuf packed = {0};
        packings[p].pack(&packed, bytes, 70000);
        packings[p].pack(&packed, bytes, 0);
        packings[p].pack(&packed, bytes + 70000, 1);
        packings[p].pack(&packed, bytes + 70001, 129999);
        assert_reads(&packed, 5000, bytes, 200000);
        cau_strbuf_clear(&packed);
    }
    free(bytes);
}

static void assert_damaged(const char *bytes, size_t length, size_t packing)
{
    caucus_ctx *ctx = test_ctx();
    cau_input *in = NULL;
    cau_strbuf got = {0};
    assert_ok(ctx, cau_input_open(ctx, test_file("x", bytes, length), &in));
    caucus_status st = read_all(ctx, in, 1000, &got);
    char part[64];
    snprintf(part, sizeof part, "x: damaged or cut short %s data (", packings[packing].name);
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, part);
    assert_non_null(strstr(caucus_message(ctx), "); unpack it by hand"));
    cau_input_free(in);
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

/* A file cut anywhere after the magic number is damaged. */
static void truncation_is_detected(void **state)
{
    (void)state;
    char *bytes = sample(3000);
    for (size_t p = 1; p < PACKINGS; p++) {
        cau_strbuf packed = {0};
        packings[p].pack(&packed, bytes, 3000);
        for (size_t length = 6; length < packed.n; length += 1 + length / 20) {
            /* one frame is complete here */
            if (packings[p].pack == pack_pzstd && length == 12) continue;
            assert_damaged(packed.s, length, p);
        }
        assert_damaged(packed.s, packed.n - 1, p);
        cau_strbuf_add(&packed, "rubbish behind it", 17);
        assert_damaged(packed.s, packed.n, p);
        cau_strbuf_clear(&packed);
    }
    free(bytes);
}

/* The format or its checksum (gzip and xz have one) detects a flipped bit. */
static void flipped_bits_are_detected(void **state)
{
    (void)state;
    char *bytes = sample(3000);
    for (size_t p = 1; p < PACKINGS; p++) {
        if (packings[p].pack != pack_gzip && packings[p].pack != pack_xz) continue;
        cau_strbuf packed = {0};
        packings[p].pack(&packed, bytes, 3000);
        for (size_t at = 12; at < packed.n; at += 17) {
            packed.s[at] ^= 0x10;
            assert_damaged(packed.s, packed.n, p);
            packed.s[at] ^= 0x10;
        }
        cau_strbuf_clear(&packed);
    }
    free(bytes);
}

/* ---- files --------------------------------------------------------------------------- */

static void files_are_read(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char *bytes = sample(150000);
    for (size_t p = 0; p < PACKINGS; p++) {
        cau_strbuf packed = {0}, got = {0};
        packings[p].pack(&packed, bytes, 150000);
        const char *path = test_file("data.any", packed.s, packed.n);
        cau_input *in = NULL;
        assert_ok(ctx, cau_input_open(ctx, path, &in));
        assert_string_equal(cau_input_name(in), path);
        assert_ok(ctx, read_all(ctx, in, 10000, &got));
        assert_int_equal(got.n, 150000);
        assert_memory_equal(got.s, bytes, 150000);
        cau_input_free(in);
        cau_strbuf_clear(&got);
        cau_strbuf_clear(&packed);
    }
    free(bytes);
    caucus_ctx_free(ctx);
}

static void empty_files_are_read(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_input *in = NULL;
    cau_strbuf got = {0};
    assert_ok(ctx, cau_input_open(ctx, test_file("empty", "", 0), &in));
    assert_ok(ctx, read_all(ctx, in, 10, &got));
    assert_int_equal(got.n, 0);
    cau_input_free(in);
    caucus_ctx_free(ctx);
}

static void failed_opens_report_the_reason(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_input *in = NULL;
    caucus_status st = cau_input_open(ctx, test_path("missing.txt"), &in);
    assert_fails(ctx, st, CAUCUS_ERR_IO, "missing.txt: No such file or directory; ");
    st = cau_input_open(ctx, test_path("."), &in);
    assert_fails(ctx, st, CAUCUS_ERR_IO, "Is a directory; ");
    st = cau_input_open(ctx, "", &in);
    assert_fails(ctx, st, CAUCUS_ERR_IO, "No such file or directory; ");
    if (geteuid() != 0) { /* root can read every file */
        const char *path = test_file("secret", "x", 1);
        assert_int_equal(chmod(path, 0), 0);
        st = cau_input_open(ctx, path, &in);
        assert_fails(ctx, st, CAUCUS_ERR_IO, "secret: Permission denied; ");
    }
    assert_null(in);
    cau_input_free(NULL);
    caucus_ctx_free(ctx);
}

/* Reads standard input from a pipe that delivers one byte at a time. */
static void standard_input_is_read_in_small_pieces(void **state)
{
    (void)state;
    char *bytes = sample(3000);
    cau_strbuf packed = {0}, got = {0};
    pack_xz(&packed, bytes, 3000);
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (size_t i = 0; i < packed.n; i++)
            if (write(ends[1], packed.s + i, 1) != 1) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);

    caucus_ctx *ctx = test_ctx();
    cau_input *in = NULL;
    assert_ok(ctx, cau_input_open(ctx, "-", &in));
    assert_string_equal(cau_input_name(in), "standard input");
    assert_ok(ctx, read_all(ctx, in, 100, &got));
    cau_input_free(in);
    assert_int_equal(got.n, 3000);
    assert_memory_equal(got.s, bytes, 3000);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* the caller's descriptor stays open */

    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    if (kept >= 0) dup2(kept, STDIN_FILENO), close(kept);
    cau_strbuf_clear(&packed);
    cau_strbuf_clear(&got);
    free(bytes);
    caucus_ctx_free(ctx);
}

/* Reads from an open, non-blocking pipe that holds these bytes. A second read of the pipe fails
 * instead of waiting. */
static caucus_status read_available(caucus_ctx *ctx, const char *bytes, cau_strbuf *out)
{
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    assert_int_equal(write(ends[1], bytes, strlen(bytes)), strlen(bytes));
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    cau_input *in = NULL;
    char buffer[100];
    size_t got = 0;
    caucus_status st = cau_input_open(ctx, "-", &in);
    if (!st) st = cau_input_read(ctx, in, buffer, sizeof buffer, &got);
    cau_strbuf_add(out, buffer, got);
    cau_input_free(in);
    close(ends[1]);
    if (kept >= 0) dup2(kept, STDIN_FILENO), close(kept);
    return st;
}

/* The reader waits for more bytes only if the first ones can be the start of a packed file. */
static void short_lines_are_returned_immediately(void **state)
{
    (void)state;
    static const char *const texts[] = {"x", "\n", "x\n", "(\n", "P*\n", "P*MP\n"};
    static const char *const open_questions[] = {"(", "P*M", "\x1F\x8B", "\xFD\x37zXZ"};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cau_strbuf got = {0};
        assert_ok(ctx, read_available(ctx, texts[i], &got));
        assert_string_equal(got.s, texts[i]);
        cau_strbuf_clear(&got);
    }
    for (size_t i = 0; i < sizeof open_questions / sizeof *open_questions; i++) {
        cau_strbuf got = {0};
        assert_fails(ctx, read_available(ctx, open_questions[i], &got), CAUCUS_ERR_IO,
                     "standard input: ");
        cau_strbuf_clear(&got);
    }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const char *path;
} input_case;

static caucus_status open_and_read(void *self)
{
    input_case *o = self;
    cau_input *in = NULL;
    caucus_status st = cau_input_open(o->ctx, o->path, &in);
    char bytes[100];
    size_t got;
    while (!st && !(st = cau_input_read(o->ctx, in, bytes, sizeof bytes, &got)) && got) continue;
    cau_input_free(in);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    input_case o = {.ctx = test_ctx()};
    for (size_t p = 0; p < PACKINGS; p++) {
        cau_strbuf packed = {0};
        packings[p].pack(&packed, "text\n", 5);
        o.path = test_file("small", packed.s, packed.n);
        assert_true(test_every_allocation(open_and_read, &o) >= 1);
        cau_strbuf_clear(&packed);
    }
    caucus_ctx_free(o.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_packings_yield_the_same_bytes),
        cmocka_unit_test(concatenated_members_are_read),
        cmocka_unit_test(truncation_is_detected),
        cmocka_unit_test(flipped_bits_are_detected),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(empty_files_are_read),
        cmocka_unit_test(failed_opens_report_the_reason),
        cmocka_unit_test(standard_input_is_read_in_small_pieces),
        cmocka_unit_test(short_lines_are_returned_immediately),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
