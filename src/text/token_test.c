/* token_test.c - affixes, shapes and padding of cells in several scripts. */

#include <string.h>

#include "support/support.h"
#include "text/token.h"

#define STR(literal) ((cau_str){literal, sizeof(literal) - 1})

static void check(cau_str got, const char *want)
{
    if (got.n == strlen(want) && (got.n == 0 || memcmp(got.s, want, got.n) == 0)) return;
    fail_msg("got \"%.*s\", wanted \"%s\"", (int)got.n, got.s, want);
}

static void test_affixes(void **state)
{
    (void)state;
    check(cau_token_prefix(STR("Straße"), 5), "Straß");
    check(cau_token_suffix(STR("Straße"), 2), "ße");
    check(cau_token_prefix(STR("of"), 3), "of");
    check(cau_token_suffix(STR("of"), 3), "of");
    check(cau_token_prefix(STR(""), 3), "");
    check(cau_token_suffix(STR(""), 3), "");
    check(cau_token_prefix(STR("東京都"), 2), "東京");
    check(cau_token_suffix(STR("東京都"), 1), "都");
    check(cau_token_prefix(STR("😀😁"), 1), "😀");
    check(cau_token_suffix(STR("😀😁"), 1), "😁");
    check(cau_token_prefix(STR("e\u0301a"), 1), "e"); /* a combining mark is a character */
    check(cau_token_suffix(STR("ae\u0301"), 1), "\u0301");
}

/* Invalid bytes count as characters of one byte, and nothing is read beyond the end. */
static void test_invalid(void **state)
{
    (void)state;
    assert_int_equal(cau_token_step("\xE6\x9D", 2), 1);
    assert_int_equal(cau_token_step("\xC3(", 2), 1);
    assert_int_equal(cau_token_step("\xFF", 1), 1);
    assert_int_equal(cau_token_step("\x80", 1), 1);
    check(cau_token_prefix(STR("\xE6x"), 1), "\xE6");
    assert_int_equal(cau_token_suffix(STR("\x80\x80\x80\x80\x80"), 1).n, 4);
    cau_strbuf out = {0};
    cau_token_shape(&out, STR("a\xFF\xE6"));
    check((cau_str){out.s, out.n}, "x\xFF\xE6");
    cau_strbuf_clear(&out);
}

static void test_shape(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"McDonald's", "XxXxxxx'x"},
        {"1996-08-22", "dddd-dd-dd"},
        {"IBM", "XXX"},
        {"UNESCO", "XXXX"},
        {"internationally", "xxxx"},
        {"-----", "----"},
        {"$1,234.5", "$d,ddd.d"},
        {"Ärger", "Xxxxx"},
        {"ΑΘΗΝΑ", "XXXX"},
        {"ǅ", "X"}, /* title case */
        {"ß", "x"},
        {"ı", "x"}, /* dotless i */
        {"İ", "X"},
        {"e\u0301a", "xx"}, /* the mark belongs to its letter */
        {"東京2020", "ccdddd"},
        {"مرحبا", "cccc"},
        {"٣٤", "dd"},
        {"Ⅳ", "d"},
        {"a😀b", "x😀x"},
        {"😀😀😀😀😀", "😀😀😀😀"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf out = {0};
        cau_token_shape(&out, (cau_str){cases[i][0], strlen(cases[i][0])});
        check((cau_str){out.s, out.n}, cases[i][1]);
        cau_strbuf_clear(&out);
    }
}

static void test_padding(void **state)
{
    (void)state;
    char b[CAU_PADDING_MAX];
    check(cau_token_padding(b, CAU_PADDING_CRFPP, -1), "_B-1");
    check(cau_token_padding(b, CAU_PADDING_CRFPP, 8), "_B+8");
    check(cau_token_padding(b, CAU_PADDING_CRFPP, -1000), "_B-1000");
    check(cau_token_padding(b, CAU_PADDING_WAPITI, -1), "_x-1");
    check(cau_token_padding(b, CAU_PADDING_WAPITI, 4), "_x+4");
    check(cau_token_padding(b, CAU_PADDING_WAPITI, 5), "_x+#");
    check(cau_token_padding(b, CAU_PADDING_WAPITI, -7), "_x-#");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affixes),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_padding),
    };
    return cmocka_run_group_tests_name("text/token", tests, NULL, NULL);
}
