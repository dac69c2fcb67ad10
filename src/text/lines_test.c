/* lines_test.c - lines are whole and counted, wherever the buffer ends. */

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "text/lines.h"

static cau_lines *lines_of(caucus_ctx *ctx, const char *bytes, size_t length)
{
    cau_input *in = NULL;
    cau_lines *lines = NULL;
    assert_ok(ctx, cau_input_open(ctx, test_file("train.txt", bytes, length), &in));
    assert_ok(ctx, cau_lines_new(ctx, in, &lines));
    return lines;
}

static void assert_next(caucus_ctx *ctx, cau_lines *lines, const char *want)
{
    cau_str line = {"?", 1};
    assert_ok(ctx, cau_lines_next(ctx, lines, &line));
    if (!want) {
        assert_null(line.s);
        assert_int_equal(line.n, 0);
        return;
    }
    assert_non_null(line.s);
    assert_int_equal(line.n, strlen(want));
    assert_memory_equal(line.s, want, line.n);
}

static void all_line_ends_are_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *lines[5];
    } cases[] = {
        {"", {NULL}},
        {"\n", {"", NULL}},
        {"\r\n", {"", NULL}},
        {"a", {"a", NULL}},
        {"a\n", {"a", NULL}},
        {"a\nb", {"a", "b", NULL}},
        {"a\r\nb\r\n", {"a", "b", NULL}},
        {"a\n\nb\n\n", {"a", "", "b", "", NULL}},
        {"a\rb\nc\r\r\n", {"a\rb", "c\r", NULL}}, /* a lone CR is an ordinary byte */
        {"a\r", {"a\r", NULL}},
        {"\xEF\xBB\xBF"
         "a\nb\n",
         {"a", "b", NULL}},
        {"\xEF\xBB\xBF", {NULL}},
        {"\xEF\xBB\xBF\n", {"", NULL}},
        {"a\n\xEF\xBB\xBF"
         "b\n",
         {"a",
          "\xEF\xBB\xBF"
          "b",
          NULL}}, /* a byte-order mark counts only at the start */
        {"gr\xC3\xBC\xC3\x9F\n\xF0\x9F\x99\x82", {"gr\xC3\xBC\xC3\x9F", "\xF0\x9F\x99\x82", NULL}},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int borrowed = 0; borrowed < 2; borrowed++) {
            cau_str text = {cases[i].text, strlen(cases[i].text)};
            cau_lines *lines = NULL;
            if (borrowed)
                assert_ok(ctx, cau_lines_memory(ctx, "train.txt", text, &lines));
            else
                lines = lines_of(ctx, text.s, text.n);
            assert_int_equal(cau_lines_number(lines), 0);
            size_t count = 0;
            for (; cases[i].lines[count]; count++) {
                assert_next(ctx, lines, cases[i].lines[count]);
                assert_int_equal(cau_lines_number(lines), count + 1);
            }
            assert_next(ctx, lines, NULL);
            assert_next(ctx, lines, NULL); /* the end is reported again */
            assert_int_equal(cau_lines_number(lines), count);
            cau_lines_free(lines);
        }
    caucus_ctx_free(ctx);
}

/* Parts of a file in any order: line numbers are those of the whole file, only the first part may
 * begin with a byte-order mark, and compression is not detected. */
static void parts_count_lines_of_the_whole_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_lines *lines = NULL;
    cau_str line, seen[2];
    size_t count = 0;
    assert_ok(ctx, cau_lines_memory(ctx, "whole", (cau_str){NULL, 0}, &lines));
    assert_string_equal(cau_lines_name(lines), "whole");
    assert_next(ctx, lines, NULL);

    static const char marked[] = "\xEF\xBB\xBFg\n\xC3\n";
    cau_lines_continue(lines, (cau_str){marked, strlen(marked)}, 7);
    assert_ok(ctx, cau_lines_peek(ctx, lines, seen, 2, &count));
    assert_int_equal(count, 2);
    assert_next(ctx, lines, "\xEF\xBB\xBFg");
    assert_int_equal(cau_lines_number(lines), 7);
    assert_fails(ctx, cau_lines_next(ctx, lines, &line), CAUCUS_ERR_FORMAT,
                 "whole:8: invalid UTF-8 at byte 1");

    cau_lines_continue(lines, (cau_str){marked, strlen(marked)}, 1);
    assert_next(ctx, lines, "g");
    assert_int_equal(cau_lines_number(lines), 1);

    static const char packed[] = "P*M\x18 is how zstd may begin";
    cau_lines_continue(lines, (cau_str){packed, strlen(packed)}, 5);
    assert_next(ctx, lines, packed);
    assert_next(ctx, lines, NULL);
    assert_int_equal(cau_lines_number(lines), 5);
    cau_lines_free(lines);
    caucus_ctx_free(ctx);
}

/* Random line lengths around the buffer size, and longer, compared with a search of the whole
 * text. */
static void lines_are_whole_wherever_the_buffer_ends(void **state)
{
    (void)state;
    enum { LENGTH = 6 << 20 };
    char *text = cau_alloc(LENGTH, 1);
    assert_non_null(text);
    cau_rng rng;
    cau_rng_init(&rng, 2);
    memset(text, 'x', LENGTH);
    for (size_t at = 0;;) {
        static const uint64_t longest[] = {40, 40, 5000, 300000, 900000};
        at += (size_t)cau_rng_below(&rng, longest[cau_rng_below(&rng, 5)]);
        if (at >= LENGTH) break;
        text[at++] = '\n';
    }
    caucus_ctx *ctx = test_ctx();
    cau_lines *lines = lines_of(ctx, text, LENGTH);
    cau_str line;
    const char *at = text, *end = text + LENGTH;
    for (;;) {
        assert_ok(ctx, cau_lines_next(ctx, lines, &line));
        if (!line.s) break;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        assert_int_equal(line.n, length);
        assert_true(length == 0 || memcmp(line.s, at, length) == 0);
        at = newline ? newline + 1 : end;
    }
    assert_ptr_equal(at, end);
    cau_lines_free(lines);
    free(text);
    caucus_ctx_free(ctx);
}

static void a_line_of_100_megabytes_is_read(void **state)
{
    (void)state;
    enum { LENGTH = 100 << 20 };
    char *text = cau_alloc(LENGTH + 3, 1);
    assert_non_null(text);
    memset(text, 'y', LENGTH);
    memcpy(text + LENGTH, "\nz\n", 3);
    caucus_ctx *ctx = test_ctx();
    cau_lines *lines = lines_of(ctx, text, LENGTH + 3);
    cau_str line;
    assert_ok(ctx, cau_lines_next(ctx, lines, &line));
    assert_int_equal(line.n, LENGTH);
    assert_true(memcmp(line.s, text, LENGTH) == 0);
    assert_next(ctx, lines, "z");
    assert_next(ctx, lines, NULL);
    cau_lines_free(lines);
    free(text);
    caucus_ctx_free(ctx);
}

static void invalid_bytes_are_reported_with_their_place(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_str line = {"as it was", 9};

    const char *latin = "one\ntwo\nabcdefghijklmnop\xFC\n";
    cau_lines *lines = lines_of(ctx, latin, strlen(latin));
    assert_next(ctx, lines, "one");
    assert_next(ctx, lines, "two");
    caucus_status st = cau_lines_next(ctx, lines, &line);
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT,
                 "train.txt:3: invalid UTF-8 at byte 17; convert the file, for example with "
                 "iconv -t utf-8");
    assert_string_equal(line.s, "as it was");
    cau_lines_free(lines);

    lines = lines_of(ctx, "a\nb\0c\n", 6);
    assert_next(ctx, lines, "a");
    st = cau_lines_next(ctx, lines, &line);
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, "train.txt:2: NUL byte; this is not a text file");
    cau_lines_free(lines);

    lines = lines_of(ctx, "\x1F\x8B\x08 not really", 14);
    st = cau_lines_next(ctx, lines, &line);
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, "train.txt: damaged or cut short gzip data");
    cau_lines_free(lines);
    caucus_ctx_free(ctx);
}

static void peeking_consumes_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *text = "\xEF\xBB\xBFone\r\n\ntwo";
    cau_str seen[4];
    size_t count = 9;
    for (size_t most = 0; most <= 4; most++) {
        cau_lines *lines = lines_of(ctx, text, strlen(text));
        assert_ok(ctx, cau_lines_peek(ctx, lines, seen, most, &count));
        assert_int_equal(count, most < 3 ? most : 3);
        static const char *const want[] = {"one", "", "two"};
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(seen[i].n, strlen(want[i]));
            assert_memory_equal(seen[i].s, want[i], seen[i].n);
        }
        for (size_t i = 0; i < 3; i++) assert_next(ctx, lines, want[i]);
        assert_next(ctx, lines, NULL);
        cau_lines_free(lines);
    }
    cau_lines *lines = lines_of(ctx, "", 0);
    assert_ok(ctx, cau_lines_peek(ctx, lines, seen, 4, &count));
    assert_int_equal(count, 0);
    cau_lines_free(lines);
    caucus_ctx_free(ctx);
}

/* Peeking sees one MiB of a long file: it cuts a longer first line and leaves out a later one. Both
 * are read completely afterwards. */
static void peeking_is_limited(void **state)
{
    (void)state;
    enum { LONG = 3 << 20 };
    caucus_ctx *ctx = test_ctx();
    char *text = cau_alloc(LONG + 8, 1);
    assert_non_null(text);
    for (size_t first = 0; first < 2; first++) {
        memset(text, 'x', LONG + 8);
        if (first == 1) text[2] = '\n';
        text[LONG] = '\n';
        cau_lines *lines = lines_of(ctx, text, LONG + 8);
        cau_str seen[5], line;
        size_t count = 0;
        assert_ok(ctx, cau_lines_peek(ctx, lines, seen, 5, &count));
        assert_int_equal(count, 1);
        assert_int_equal(seen[0].n, first == 1 ? 2 : 1 << 20);
        if (first == 1) assert_next(ctx, lines, "xx");
        assert_ok(ctx, cau_lines_next(ctx, lines, &line));
        assert_int_equal(line.n, first == 1 ? LONG - 3 : LONG);
        assert_next(ctx, lines, "xxxxxxx");
        assert_next(ctx, lines, NULL);
        cau_lines_free(lines);
    }
    free(text);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const char *path;
} lines_memory_job;

static caucus_status read_all_lines(void *self)
{
    const lines_memory_job *job = self;
    cau_input *in = NULL;
    cau_lines *lines = NULL;
    cau_str line = {"", 0};
    caucus_status st = cau_input_open(job->ctx, job->path, &in);
    if (!st) st = cau_lines_new(job->ctx, in, &lines);
    while (!st && line.s) st = cau_lines_next(job->ctx, lines, &line);
    cau_lines_free(lines);
    return st;
}

static caucus_status borrow_a_line(void *ctx)
{
    cau_lines *lines = NULL;
    caucus_status st = cau_lines_memory(ctx, "memory", (cau_str){"a line", 6}, &lines);
    cau_lines_free(lines);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    enum { LENGTH = 600 << 10 };
    static char text[LENGTH];
    memset(text, 'x', LENGTH);
    caucus_ctx *ctx = test_ctx();
    lines_memory_job job = {ctx, test_file("long.txt", text, LENGTH)};
    assert_true(test_every_allocation(borrow_a_line, ctx) >= 1);
    assert_true(test_every_allocation(read_all_lines, &job) >= 4);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_line_ends_are_accepted),
        cmocka_unit_test(parts_count_lines_of_the_whole_file),
        cmocka_unit_test(lines_are_whole_wherever_the_buffer_ends),
        cmocka_unit_test(a_line_of_100_megabytes_is_read),
        cmocka_unit_test(invalid_bytes_are_reported_with_their_place),
        cmocka_unit_test(peeking_consumes_nothing),
        cmocka_unit_test(peeking_is_limited),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
