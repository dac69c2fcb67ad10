/* utf8_test.c - checks UTF-8 functions against utf8proc and by enumeration. */

#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/rng.h"
#include "base/utf8.h"

/* The same result from utf8proc, one character at a time. */
static size_t utf8proc_check(const unsigned char *s, size_t n)
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

static void assert_same_as_utf8proc(const unsigned char *s, size_t n)
{
    size_t want = utf8proc_check(s, n), got = cau_utf8_check((const char *)s, n);
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
        if (n > 1) assert_true(cau_utf8_check((const char *)s, n - 1) == 0); /* truncated */
    }
}

/* All pairs of bytes, and all groups of four that use the limits of the byte ranges. */
static void all_other_bytes_are_invalid(void **state)
{
    (void)state;
    static const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                          0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
                                          0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
    enum { N = sizeof edges };
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++)
            assert_same_as_utf8proc((unsigned char[]){(unsigned char)a, (unsigned char)b}, 2);
    for (size_t i = 0; i < (size_t)N * N * N * N; i++) {
        unsigned char s[4] = {edges[i % N], edges[i / N % N], edges[i / N / N % N],
                              edges[i / N / N / N]};
        for (size_t n = 1; n <= 4; n++) assert_same_as_utf8proc(s, n);
    }
}

/* An invalid byte or a valid character is found at every position among ASCII. */
static void errors_are_found_at_their_position(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 80; n++) {
        char *s = malloc(n ? n : 1); /* exactly n bytes, so that the sanitizer finds an overrun */
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

static void letters_become_lower_case(void **state)
{
    (void)state;
    cau_strbuf out = {0};
    const char *text = "A Z [ÄÖÜ ẞ] ΣΊΣΥΦΟΣ ЖЁ İ Ⱥ 漢字 🙂 already small";
    cau_utf8_lower(&out, text, strlen(text));
    assert_string_equal(out.s,
                        "a z [äöü ß] σίσυφοσ жё i ⱥ 漢字 🙂 already small");

    /* The text is longer than one internal piece, with characters across the border. */
    cau_strbuf_clear(&out);
    cau_strbuf many = {0};
    for (int i = 0; i < 1000; i++) cau_strbuf_printf(&many, "%cÄ", 'A' + i % 26);
    cau_utf8_lower(&out, many.s, many.n);
    assert_int_equal(out.n, many.n);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(out.s[3 * i], 'a' + (int)(i % 26));
        assert_memory_equal(out.s + 3 * i + 1, "ä", 2);
    }
    cau_strbuf_clear(&out);
    cau_strbuf_clear(&many);

    cau_utf8_lower(&out,
                   "\xFF\x80"
                   "A\xC3",
                   4); /* invalid bytes are copied */
    assert_string_equal(out.s, "\xFF\x80"
                               "a\xC3");
    cau_strbuf_clear(&out);
    cau_utf8_lower(&out, "", 0);
    assert_int_equal(out.n, 0);
    cau_strbuf_clear(&out);
}

static cau_str view(const char *s)
{
    return (cau_str){s, strlen(s)};
}

static void test_glob(void **state)
{
    (void)state;
    static const struct {
        const char *glob, *text;
        bool matches_by_definition;
    } cases[] = {
        {"", "", true},           {"", "a", false},           {"*", "", true},
        {"*", "abc", true},       {"?", "", false},           {"?", "a", true},
        {"?", "é", true},         {"??", "é", false},         {"*?", "é", true},
        {"U0*", "U01:x", true},   {"U0*", "U11:x", false},    {"*:x", "U01:x", true},
        {"*:x", "U01:xy", false}, {"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXcYb", false},
        {"**a**", "bab", true},   {"a?c", "abc", true},       {"a?c", "ac", false},
        {"[a]", "[a]", true},     {"a\\*", "a\\b", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cau_glob(view(cases[i].glob), view(cases[i].text)),
                         cases[i].matches_by_definition);
    assert_true(cau_glob(view("a*"), (cau_str){"ab", 1})); /* the text ends before the b */
    assert_false(cau_glob(view("ab"), (cau_str){"ab", 1}));
    assert_false(cau_glob(view("a"), (cau_str){"a\0", 2}));
    assert_true(cau_glob(view("*"), (cau_str){NULL, 0}));
}

/* Matches by the definition of a glob, for single-byte texts. */
static bool matches_by_definition(const char *glob, const char *s)
{
    if (*glob == '*')
        return matches_by_definition(glob + 1, s) || (*s && matches_by_definition(glob, s + 1));
    if (*glob == '\0' || *s == '\0') return *glob == *s;
    return (*glob == '?' || *glob == *s) && matches_by_definition(glob + 1, s + 1);
}

static void test_random_globs(void **state)
{
    (void)state;
    cau_rng rng;
    size_t fitting = 0;
    cau_rng_init(&rng, 12);
    for (int i = 0; i < 20000; i++) {
        char glob[8] = {0}, text[10] = {0};
        for (size_t n = cau_rng_below(&rng, 7), j = 0; j < n; j++)
            glob[j] = "ab*?"[cau_rng_below(&rng, 4)];
        for (size_t n = cau_rng_below(&rng, 9), j = 0; j < n; j++)
            text[j] = "ab"[cau_rng_below(&rng, 2)];
        assert_int_equal(cau_glob(view(glob), view(text)), matches_by_definition(glob, text));
        fitting += matches_by_definition(glob, text);
    }
    assert_true(fitting > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_valid),
        cmocka_unit_test(all_other_bytes_are_invalid),
        cmocka_unit_test(errors_are_found_at_their_position),
        cmocka_unit_test(letters_become_lower_case),
        cmocka_unit_test(test_glob),
        cmocka_unit_test(test_random_globs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
