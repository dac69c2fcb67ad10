/* utf8_test.c - against utf8proc, and by enumeration. */

#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

/* The same answer from utf8proc, a character at a time. */
static size_t oracle(const unsigned char *s, size_t n)
{
    size_t i = 0;
    while (i < n) {
        utf8proc_int32_t code;
        utf8proc_ssize_t length = utf8proc_iterate(s + i, (utf8proc_ssize_t)(n - i), &code);
        if (length <= 0) return i;
        i += (size_t)length;
    }
    return n;
}

static void assert_as_oracle(const unsigned char *s, size_t n)
{
    size_t want = oracle(s, n), got = cau_utf8_check((const char *)s, n);
    if (got != want) fail_msg("valid up to %zu, not %zu, of %zu bytes", want, got, n);
}

static void every_character_is_valid(void **state)
{
    (void)state;
    for (utf8proc_int32_t code = 1; code <= 0x10FFFF; code++) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        unsigned char s[4];
        size_t n = (size_t)utf8proc_encode_char(code, s);
        assert_true(cau_utf8_check((const char *)s, n) == n);
        if (n > 1) assert_true(cau_utf8_check((const char *)s, n - 1) == 0); /* cut short */
    }
}

/* All pairs of bytes, and all groups of four from the bytes at which some range ends. */
static void other_bytes_are_not(void **state)
{
    (void)state;
    static const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                          0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
                                          0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
    enum { N = sizeof edges };
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
            assert_as_oracle((unsigned char[]){(unsigned char)a, (unsigned char)b}, 2);
    for (size_t i = 0; i < (size_t)N * N * N * N; i++) {
        unsigned char s[4] = {edges[i % N], edges[i / N % N], edges[i / N / N % N],
                              edges[i / N / N / N]};
        for (size_t n = 1; n <= 4; n++) assert_as_oracle(s, n);
    }
}

/* Wherever it stands among how much ASCII, a bad byte and a good character are seen. */
static void positions_are_exact(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 80; n++) {
        char *s = malloc(n ? n : 1); /* exactly n bytes: the sanitizer sees any beyond */
        assert_non_null(s);
        memset(s, 'a', n);
        assert_int_equal(cau_utf8_check(s, n), n);
        for (size_t at = 0; at < n; at++) {
            s[at] = '\xFF';
            assert_int_equal(cau_utf8_check(s, n), at);
            s[at] = 'a';
        }
        for (size_t at = 0; at + 3 <= n; at++) {
            memcpy(s + at, "\xE2\x82\xAC", 3);
            assert_int_equal(cau_utf8_check(s, n), n);
            if (at + 3 < n) {
                s[n - 1] = '\x80';
                assert_int_equal(cau_utf8_check(s, n), n - 1);
                s[n - 1] = 'a';
            }
            memset(s + at, 'a', 3);
        }
        free(s);
    }
}

static void letters_become_small(void **state)
{
    (void)state;
    cau_text out = {0};
    const char *text = "A Z [ÄÖÜ ẞ] ΣΊΣΥΦΟΣ ЖЁ İ Ⱥ 漢字 🙂 already small";
    cau_utf8_lower(&out, text, strlen(text));
    assert_string_equal(out.s,
                        "a z [äöü ß] σίσυφοσ жё i ⱥ 漢字 🙂 already small");

    /* Longer than the piece that is handed over at once, characters on its border. */
    cau_text_clear(&out);
    cau_text many = {0};
    for (int i = 0; i < 1000; i++) cau_text_printf(&many, "%cÄ", 'A' + i % 26);
    cau_utf8_lower(&out, many.s, many.n);
    assert_int_equal(out.n, many.n);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(out.s[3 * i], 'a' + (int)(i % 26));
        assert_memory_equal(out.s + 3 * i + 1, "ä", 2);
    }
    cau_text_clear(&out);
    cau_text_clear(&many);

    cau_utf8_lower(&out,
                   "\xFF\x80"
                   "A\xC3",
                   4); /* never a crash, also not where we were lied to */
    assert_string_equal(out.s, "\xFF\x80"
                               "a\xC3");
    cau_text_clear(&out);
    cau_utf8_lower(&out, "", 0);
    assert_int_equal(out.n, 0);
    cau_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_valid),
        cmocka_unit_test(other_bytes_are_not),
        cmocka_unit_test(positions_are_exact),
        cmocka_unit_test(letters_become_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
