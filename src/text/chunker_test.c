/* chunker_test.c - chunks of any size add up to the file. */

#include "text/chunker.h"

#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/rng.h"
#include "support/apply_sample.h"

/* Whether a text that ends with a newline ends with a blank line. */
static bool ends_blank(const char *text, size_t n, const char *blanks)
{
    size_t end = n - 1, at = end;
    while (at > 0 && text[at - 1] != '\n') at--;
    if (end > at && text[end - 1] == '\r') end--;
    for (; at < end; at++)
        if (!strchr(blanks, text[at])) return false;
    return true;
}

/* NULL: after lines. */
static const cau_cut *cut_of(const char *blanks)
{
    static cau_cut cut;
    cut = (cau_cut){.rule = CAU_CUT_BLANKS, .blanks = blanks};
    return blanks ? &cut : NULL;
}

/* Cuts a file, optionally after peeking at its first lines, and joins the chunks. Every chunk
 * except the last ends with a newline or, with sequences, with a blank line. Line numbers must be
 * right. */
static void check_cut(const char *text, size_t length, size_t size, const char *blanks, bool peek)
{
    caucus_ctx *ctx = test_ctx();
    cau_chunker *chunker = NULL;
    cau_text_chunk chunk = {0};
    cau_strbuf all = {0};
    cau_str lines[3];
    size_t seen;
    assert_ok(ctx, cau_chunker_open(ctx, test_file("file.txt", text, length), true, &chunker));
    assert_false(cau_chunker_live(chunker));
    if (peek) assert_ok(ctx, cau_chunker_peek(ctx, chunker, lines, 3, &seen));
    bool last = false;
    size_t newlines = 0;
    for (;;) {
        assert_ok(ctx, cau_chunker_next(ctx, chunker, size, cut_of(blanks), &chunk));
        if (chunk.n == 0) break;
        assert_false(last);
        last = chunk.bytes[chunk.n - 1] != '\n';
        if (blanks && !last) last = !ends_blank(chunk.bytes, chunk.n, blanks);
        assert_int_equal(chunk.first, newlines + 1);
        for (size_t i = 0; i < chunk.n; i++) newlines += chunk.bytes[i] == '\n';
        cau_strbuf_add(&all, chunk.bytes, chunk.n);
    }
    assert_int_equal(all.n, length);
    if (length) assert_memory_equal(all.s, text, length);
    assert_true(cau_chunker_fingerprint(chunker) == cau_hash(text, length, 0));
    /* the end is reported again */
    assert_ok(ctx, cau_chunker_next(ctx, chunker, size, cut_of(blanks), &chunk));
    assert_int_equal(chunk.n, 0);
    free(chunk.bytes);
    cau_strbuf_clear(&all);
    cau_chunker_free(chunker);
    caucus_ctx_free(ctx);
}

static void check(const char *text, size_t length, size_t size)
{
    for (int peek = 0; peek < 2; peek++) {
        check_cut(text, length, size, NULL, peek);
        check_cut(text, length, size, "", peek);
        check_cut(text, length, size, " \t", peek);
    }
}

static void test_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "\n",
                                        "a",
                                        "a\n",
                                        "a\nb",
                                        "\n\n\n",
                                        "a long line\nb\n\n",
                                        "a\n \nb\n\n\t\nc\n  \nd\n \r\n\r\r\ne\n\nf\n \n",
                                        "a\nb\n\nc\n\n\nd e\n \t\r\nf\n\r\ng",
                                        "\n\na\n\nb\nc\nd\ne\n\n",
                                        "no newline at all in this one"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t size = 1; size < 40; size++) check(texts[i], strlen(texts[i]), size);
}

static void test_random(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (int round = 0; round < 20; round++) {
        cau_strbuf text = {0};
        while (text.n < 50000) {
            size_t length =
                cau_rng_below(&rng, 10) ? cau_rng_below(&rng, 60) : cau_rng_below(&rng, 9000);
            for (size_t i = 0; i < length; i++) cau_strbuf_add(&text, "x", 1);
            cau_strbuf_add(&text, "\n\n", cau_rng_below(&rng, 8) ? 1 : 2);
        }
        check(text.s, text.n - (size_t)(round % 2), 1 + cau_rng_below(&rng, 4000));
        cau_strbuf_clear(&text);
    }
}

static void assert_chunk(caucus_ctx *ctx, cau_chunker *chunker, size_t size, const char *blanks,
                         const char *want, size_t first)
{
    cau_text_chunk chunk = {0};
    assert_ok(ctx, cau_chunker_next(ctx, chunker, size, cut_of(blanks), &chunk));
    assert_int_equal(chunk.n, strlen(want));
    assert_memory_equal(chunk.bytes, want, chunk.n);
    assert_int_equal(chunk.first, first);
    free(chunk.bytes);
}

/* A chunk ends at the last possible place within its size, otherwise at the first one after it. */
static void test_ends(void **state)
{
    (void)state;
    static const char text[] = "one\ntwo\r\n\nfour\n \t\nsix\n\r\n\neight\n\r\r\nten";
    static const char *const blanks[] = {NULL, "", " \t"};
    static const char *const want[][6] = {
        {"one\ntwo\r\n\n", "four\n \t\n", "six\n\r\n\n", "eight\n\r\r\n", "ten", ""},
        {"one\ntwo\r\n\n", "four\n \t\nsix\n\r\n", "\n", "eight\n\r\r\nten", "", ""},
        {"one\ntwo\r\n\n", "four\n \t\n", "six\n\r\n\n", "eight\n\r\r\nten", "", ""},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < 3; i++) {
        cau_chunker *chunker = NULL;
        size_t first = 1;
        assert_ok(ctx, cau_chunker_open(ctx, test_file("file.txt", text, sizeof text - 1), false,
                                        &chunker));
        for (size_t c = 0; c < 6; c++) {
            assert_chunk(ctx, chunker, 10, blanks[i], want[i][c], first);
            for (const char *p = want[i][c]; *p; p++) first += *p == '\n';
        }
        cau_chunker_free(chunker);
    }
    caucus_ctx_free(ctx);
}

/* A chunk of a pipe is the input so far, if that contains an end of a sequence. */
static void test_live(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char path[64];
    for (int prompt = 0; prompt < 2; prompt++) {
        int ends[2];
        cau_chunker *chunker = NULL;
        assert_int_equal(pipe(ends), 0);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        assert_int_equal(write(ends[1], "words\n\nb\n", 9), 9); /* enough to detect compression */
        assert_ok(ctx, cau_chunker_open(ctx, path, prompt, &chunker));
        assert_int_equal(cau_chunker_live(chunker), prompt);
        if (prompt) assert_chunk(ctx, chunker, 100, "", "words\n\n", 1);
        assert_int_equal(write(ends[1], "\nc\n", 3), 3);
        if (prompt) assert_chunk(ctx, chunker, 100, "", "b\n\n", 3);
        close(ends[1]);
        assert_chunk(ctx, chunker, 100, "", prompt ? "c\n" : "words\n\nb\n\nc\n", prompt ? 5 : 1);
        assert_chunk(ctx, chunker, 100, "", "", 6);
        cau_chunker_free(chunker);
        close(ends[0]);
    }
    caucus_ctx_free(ctx);
}

static caucus_status cut_file(caucus_ctx *ctx, bool peek)
{
    cau_chunker *chunker = NULL;
    cau_text_chunk chunk = {0};
    cau_str line;
    size_t seen;
    caucus_status st = cau_chunker_open(ctx, test_path("file.txt"), false, &chunker);
    if (!st && peek) st = cau_chunker_peek(ctx, chunker, &line, 1, &seen);
    do
        if (!st) st = cau_chunker_next(ctx, chunker, 64, cut_of(""), &chunk);
    while (!st && chunk.n);
    free(chunk.bytes);
    cau_chunker_free(chunker);
    return st;
}

static caucus_status cut_all(void *ctx)
{
    return cut_file(ctx, false);
}

static caucus_status peek_and_cut_all(void *ctx)
{
    return cut_file(ctx, true);
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    for (int i = 1; i < 9; i++) cau_strbuf_printf(&text, "%0*d\n", i * 50, i);
    test_file("file.txt", text.s, text.n);
    assert_true(test_every_allocation(cut_all, ctx) > 4);
    assert_true(test_every_allocation(peek_and_cut_all, ctx) > 2);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_random), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_live),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("text/chunker", tests, NULL, NULL);
}
