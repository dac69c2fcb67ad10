/* chunker_test.c - whatever the size of the pieces, together they are the file. */

#include <stdio.h>

#include "base/rng.h"
#include "support/apply_sample.h"
#include "text/chunker.h"

/* Whether a text that ends with a newline ends with a line of nothing but blanks. */
static bool ends_blank(const char *text, size_t n, const char *blanks)
{
    size_t end = n - 1, at = end;
    while (at > 0 && text[at - 1] != '\n') at--;
    if (end > at && text[end - 1] == '\r') end--;
    for (; at < end; at++)
        if (!strchr(blanks, text[at])) return false;
    return true;
}

/* Cuts a file and puts it together again; every piece but the last ends with a newline, or,
 * with sequences, with a blank line, and knows how many newlines come before it. */
static void check_cut(const char *text, size_t length, size_t size, const char *blanks)
{
    caucus_ctx *ctx = test_ctx();
    cau_chunker *pieces = NULL;
    cau_text_chunk piece = {0};
    cau_strbuf all = {0};
    assert_ok(ctx, cau_chunker_open(ctx, test_file("pieces.txt", text, length), blanks, &pieces));
    assert_false(cau_chunker_live(pieces));
    bool last = false;
    size_t newlines = 0;
    for (;;) {
        assert_ok(ctx, cau_chunker_next(ctx, pieces, size, &piece));
        if (piece.n == 0) break;
        assert_false(last);
        last = piece.bytes[piece.n - 1] != '\n';
        if (blanks && !last) last = !ends_blank(piece.bytes, piece.n, blanks);
        assert_int_equal(piece.first, newlines + 1);
        for (size_t i = 0; i < piece.n; i++) newlines += piece.bytes[i] == '\n';
        cau_strbuf_add(&all, piece.bytes, piece.n);
    }
    assert_int_equal(all.n, length);
    if (length) assert_memory_equal(all.s, text, length);
    assert_ok(ctx, cau_chunker_next(ctx, pieces, size, &piece)); /* the end stays the end */
    assert_int_equal(piece.n, 0);
    free(piece.bytes);
    cau_strbuf_clear(&all);
    cau_chunker_free(pieces);
    caucus_ctx_free(ctx);
}

static void check(const char *text, size_t length, size_t size)
{
    check_cut(text, length, size, NULL);
    check_cut(text, length, size, "");
    check_cut(text, length, size, " \t");
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

static caucus_status cut_all(void *ctx)
{
    cau_chunker *pieces = NULL;
    cau_text_chunk piece = {0};
    caucus_status st = cau_chunker_open(ctx, test_path("pieces.txt"), "", &pieces);
    do
        if (!st) st = cau_chunker_next(ctx, pieces, 64, &piece);
    while (!st && piece.n);
    free(piece.bytes);
    cau_chunker_free(pieces);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    for (int i = 1; i < 9; i++) cau_strbuf_printf(&text, "%0*d\n", i * 50, i);
    test_file("pieces.txt", text.s, text.n);
    assert_true(test_every_allocation(cut_all, ctx) > 4);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
