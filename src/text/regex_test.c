/* regex_test.c - expressions of PCRE2 and of Wapiti. The latter are compared with a matcher that
 * follows their definition. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/base_sample.h"
#include "support/support.h"
#include "text/regex.h"

typedef struct {
    caucus_ctx *ctx;
    cau_matcher *matcher;
} regex_fixture;

static regex_fixture begin(void)
{
    regex_fixture f = {.ctx = test_ctx()};
    assert_ok(f.ctx, cau_matcher_new(f.ctx, &f.matcher));
    return f;
}

static void end(regex_fixture f)
{
    cau_matcher_free(f.matcher);
    caucus_ctx_free(f.ctx);
}

/* Expects a match with this text; NULL: no match. */
static void check(regex_fixture f, cau_regex_language language, const char *source,
                  const char *text, const char *want)
{
    cau_regex *regex = NULL;
    char error[CAU_REGEX_ERROR_MAX];
    size_t at;
    bool yes;
    cau_str found;
    if (cau_regex_new(str(source), language, &regex, error, &at))
        fail_msg("%s: %s at %zu", source, error, at);
    assert_ok(f.ctx, cau_regex_find(f.ctx, f.matcher, regex, str(text), &yes, &found));
    if (yes != !!want || (want && (found.n != strlen(want) || memcmp(found.s, want, found.n))))
        fail_msg("%s on %s: got %s \"%.*s\", wanted \"%s\"", source, text, yes ? "yes" : "no",
                 (int)found.n, found.s, want ? want : "(none)");
    cau_regex_free(regex);
}

static void test_pcre(void **state)
{
    (void)state;
    regex_fixture f = begin();
    check(f, CAU_REGEX_PCRE, "[0-9]+", "ab123c", "123");
    check(f, CAU_REGEX_PCRE, "^(un|in)", "unhappy", "un");
    check(f, CAU_REGEX_PCRE, "^(?:un|in)(.*)ly$", "unhappily", "happi");
    check(f, CAU_REGEX_PCRE, "(x)|y", "y", ""); /* the group did not match */
    check(f, CAU_REGEX_PCRE, "(a)(b)(c)(d)", "abcd", "a");
    check(f, CAU_REGEX_PCRE, "^\\p{Lu}\\p{Ll}+$", "Österreich", "Österreich");
    check(f, CAU_REGEX_PCRE, "\\w+", "–straße–", "straße");
    check(f, CAU_REGEX_PCRE, "(?i)STRASSE|STRAßE", "straße", "straße");
    check(f, CAU_REGEX_PCRE, "^.$", "東", "東");
    check(f, CAU_REGEX_PCRE, "", "abc", "");
    check(f, CAU_REGEX_PCRE, "x", "", NULL);
    check(f, CAU_REGEX_PCRE, "\\\"", "a\"b", "\"");
    check(f, CAU_REGEX_PCRE, "b", "\xFF\xFE b", "b"); /* invalid UTF-8 is harmless */
    end(f);
}

static void test_wapiti(void **state)
{
    (void)state;
    regex_fixture f = begin();
    const cau_regex_language W = CAU_REGEX_WAPITI;
    check(f, W, "^.?.?", "word", "wo");
    check(f, W, ".?.?$", "word", "rd");
    check(f, W, ".?.?.?.?$", "it", "it");
    check(f, W, "\\u", "iPhone", "P");
    check(f, W, "^\\u*$", "IBM", "IBM");
    check(f, W, "^\\u*$", "IBm", NULL);
    check(f, W, "a*", "aaa", ""); /* matches as little as possible */
    check(f, W, "a*b", "caab", "aab");
    check(f, W, ".\\p.", "a-b", "a-b");
    check(f, W, "\\p", "a$b", "$"); /* ASCII symbols count as punctuation, as in ispunct */
    check(f, W, "\\p", "«a»", "«");
    check(f, W, "\\d", "a٣", "٣");
    check(f, W, "\\D\\D*$", "12ab", "ab");
    check(f, W, "\\W", "ab-c", "-");
    check(f, W, "\\S", " x", "x");
    check(f, W, "^\\A\\L\\P\\U", "1AaAb", NULL);
    check(f, W, "\\.", "a.b", ".");
    check(f, W, "\\\\", "a\\b", "\\");
    check(f, W, "\\\"", "a\"b", "\"");
    check(f, W, "a^b$c", "xa^b$cy", "a^b$c"); /* anchors only at the ends */
    check(f, W, "$*x", "$$x", "$$x");
    check(f, W, "(a+[b])|{2}", "(a+[b])|{2}", "(a+[b])|{2}"); /* all literal */
    check(f, W, "é?a", "éa", "éa");                           /* a repeated multi-byte character */
    check(f, W, "^\\é*$", "ééé", "ééé");
    check(f, W, "^.?", "東京", "東");
    check(f, W, "", "abc", "");
    check(f, W, "^$", "", "");
    end(f);
}

/* Bytes and ASCII, as in Wapiti. */
static void test_wapiti_bytes(void **state)
{
    (void)state;
    regex_fixture f = begin();
    const cau_regex_language B = CAU_REGEX_WAPITI_BYTES;
    check(f, B, "^.?.?", "word", "wo");
    check(f, B, "^.?",
          "\xC3\x9C"
          "ber",
          "\xC3");
    check(f, B, "^.?.?.?",
          "\xC3\x9C"
          "ber",
          "\xC3\x9C"
          "b");
    check(f, B, "\\u",
          "\xC3\x9C"
          "bEr",
          "E");
    check(f, B, "\\A\\A", "a\xC3\x9C", "\xC3\x9C");
    check(f, B, "\\p",
          "\xC2\xAB"
          "a$",
          "$");
    check(f, B, "^\\w*$", "aB9", "aB9");
    check(f, B, "\xC3\xA9?a",
          "\xC3"
          "a",
          "\xC3"
          "a"); /* `?` is of the last byte */
    end(f);
}

/* One item of an expression: a character or class, and its repetition. */
typedef struct {
    char class, literal, repeat;
} wapiti_item;

static bool item_matches(wapiti_item it, char c)
{
    const unsigned char u = (unsigned char)c;
    switch (it.class) {
    case '.':
        return true;
    case 'a':
        return isalpha(u);
    case 'd':
        return isdigit(u);
    case 'l':
        return islower(u);
    case 'p':
        return ispunct(u);
    case 's':
        return isspace(u);
    case 'u':
        return isupper(u);
    case 'w':
        return isalnum(u);
    default:
        return c == it.literal;
    }
}

/* The length of the match at the start of a text, or -1. */
static int match_here(const wapiti_item *items, size_t count, bool to_end, const char *text)
{
    if (count == 0) return to_end && *text ? -1 : 0;
    const bool here = *text && item_matches(items[0], *text);
    if (items[0].repeat == '*') {
        const int rest = match_here(items + 1, count - 1, to_end, text);
        if (rest >= 0) return rest;
        const int more = here ? match_here(items, count, to_end, text + 1) : -1;
        return more < 0 ? -1 : more + 1;
    }
    if (here) {
        const int rest = match_here(items + 1, count - 1, to_end, text + 1);
        if (rest >= 0) return rest + 1;
    }
    return items[0].repeat == '?' ? match_here(items + 1, count - 1, to_end, text) : -1;
}

static void test_wapiti_random(void **state)
{
    (void)state;
    regex_fixture f = begin();
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (int round = 0; round < 3000; round++) {
        wapiti_item items[5];
        char source[32] = "", text[12] = "", want[12];
        const bool from_start = cau_rng_below(&rng, 3) == 0, to_end = cau_rng_below(&rng, 3) == 0;
        const size_t count = (size_t)cau_rng_below(&rng, 5);
        if (from_start) strcat(source, "^");
        for (size_t i = 0; i < count; i++) {
            items[i] = (wapiti_item){.class = ".adlpsuwxxxx"[cau_rng_below(&rng, 12)],
                                     .literal = "ab-1"[cau_rng_below(&rng, 4)],
                                     .repeat = "*?   "[cau_rng_below(&rng, 5)]};
            const char class[] = {'\\', items[i].class, 0}, literal[] = {items[i].literal, 0};
            const char repeat[] = {items[i].repeat, 0};
            strcat(source, items[i].class == 'x' ? literal : items[i].class == '.' ? "." : class);
            if (*repeat != ' ') strcat(source, repeat);
        }
        if (to_end) strcat(source, "$");
        for (size_t n = (size_t)cau_rng_below(&rng, 8), i = 0; i < n; i++)
            text[i] = "abAB1- $"[cau_rng_below(&rng, 8)];

        int length = -1;
        size_t start = 0;
        for (; length < 0 && start <= strlen(text); start++) {
            length = match_here(items, count, to_end, text + start);
            if (from_start) break;
        }
        if (length >= 0) {
            const char *from = text + (from_start ? 0 : start - 1);
            memcpy(want, from, (size_t)length);
            want[length] = '\0';
        }
        check(f, CAU_REGEX_WAPITI, source, text, length < 0 ? NULL : want);
    }
    end(f);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        cau_regex_language language;
        const char *source, *error;
        size_t at;
    } cases[] = {
        {CAU_REGEX_WAPITI, "a**", "'*' follows nothing that it could repeat", 2},
        {CAU_REGEX_WAPITI, "?", "'?' follows nothing that it could repeat", 0},
        {CAU_REGEX_WAPITI, "^*a", "'*' follows nothing that it could repeat", 1},
        {CAU_REGEX_WAPITI, "ab\\", "'\\' at the end", 2},
        {CAU_REGEX_PCRE, "a(b", "missing closing parenthesis", 3},
        {CAU_REGEX_PCRE, "*", "quantifier does not follow a repeatable item", 0},
        {CAU_REGEX_PCRE, "\\C", "using \\C is disabled by the application", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_regex *regex = NULL;
        char error[CAU_REGEX_ERROR_MAX];
        size_t at = 99;
        assert_int_equal(cau_regex_new(str(cases[i].source), cases[i].language, &regex, error, &at),
                         CAUCUS_ERR_FORMAT);
        assert_string_equal(error, cases[i].error);
        assert_int_equal(at, cases[i].at);
        assert_null(regex);
    }
}

/* An expression with exponential run time, and one that needs a deep stack. */
static void test_limits(void **state)
{
    (void)state;
    regex_fixture f = begin();
    static char text[100001];
    memset(text, 'a', sizeof text - 1);
    cau_regex *regex = NULL;
    char error[CAU_REGEX_ERROR_MAX];
    size_t at;
    bool yes;
    cau_str found;
    assert_int_equal(cau_regex_new(str("^(a+)+[bc]"), CAU_REGEX_PCRE, &regex, error, &at),
                     CAUCUS_OK);
    assert_fails(f.ctx,
                 cau_regex_find(f.ctx, f.matcher, regex, (cau_str){text, 5000}, &yes, &found),
                 CAUCUS_ERR_FORMAT,
                 "the regular expression \"^(a+)+[bc]\" takes too long on a cell of 5000 bytes; "
                 "simplify it");
    cau_regex_free(regex);
    check(f, CAU_REGEX_WAPITI, "^a*b*$", text, text);
    check(f, CAU_REGEX_PCRE, "^a+$", text, text);
    end(f);
}

static caucus_status work(void *self)
{
    cau_regex *regex = NULL;
    cau_matcher *matcher = NULL;
    char error[CAU_REGEX_ERROR_MAX];
    size_t at;
    bool yes;
    cau_str found;
    caucus_status st = cau_matcher_new(self, &matcher);
    if (!st) st = cau_regex_new(str("^a?\\d*$"), CAU_REGEX_WAPITI, &regex, error, &at);
    if (!st) st = cau_regex_find(self, matcher, regex, str("a12"), &yes, &found);
    cau_matcher_free(matcher);
    cau_regex_free(regex);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(test_every_allocation(work, ctx) > 5);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pcre),         cmocka_unit_test(test_wapiti),
        cmocka_unit_test(test_wapiti_bytes), cmocka_unit_test(test_wapiti_random),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("text/regex", tests, NULL, NULL);
}
