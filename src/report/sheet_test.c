/* sheet_test.c - numbers in any locale, cells by their width, JSON of any bytes. */

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/sheet.h"
#include "support/base_sample.h"

static const double numbers[] = {0,   -0.0,    1,    -1.5,    0.1,      1e-300, 123456789012.0,
                                 1e9, DBL_MAX, 1e-5, 2.0 / 3, INFINITY, -3e200};

/* What the sheet writes in any locale that the machine has is what printf writes in C. */
static void check_numbers(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char want[800];
        cau_sheet sheet = {0};
        cau_sheet_general(&sheet, numbers[i], 9);
        cau_strbuf_add(&sheet.text, " ", 1);
        cau_sheet_fixed(&sheet, numbers[i], 6);
        char *now = strdup(setlocale(LC_NUMERIC, NULL));
        setlocale(LC_NUMERIC, "C");
        snprintf(want, sizeof want, "%.9g %.6f", numbers[i], numbers[i]);
        setlocale(LC_NUMERIC, now);
        free(now);
        assert_string_equal(sheet.text.s, want);
        cau_sheet_clear(&sheet);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
        if (setlocale(LC_NUMERIC, locales[i])) check_numbers();
    setlocale(LC_NUMERIC, "C");
}

static void test_cells(void **state)
{
    (void)state;
    assert_int_equal(cau_sheet_width(CAU_STR("")), 0);
    assert_int_equal(cau_sheet_width(CAU_STR("W\xC3\xB6rter")), 6);
    assert_int_equal(cau_sheet_width(CAU_STR("\xE4\xB8\xAD\xE6\x96\x87")), 4); /* Chinese */
    assert_int_equal(cau_sheet_width(CAU_STR("e\xCC\x81")), 1);                /* an accent */
    assert_int_equal(cau_sheet_width(CAU_STR("a\xFF")), 2);

    cau_sheet sheet = {0};
    cau_sheet_left(&sheet, CAU_STR("\xE4\xB8\xAD"), 4);
    cau_sheet_right(&sheet, CAU_STR("W\xC3\xB6r"), 5);
    cau_sheet_left(&sheet, CAU_STR("too long"), 3);
    cau_sheet_left(&sheet, CAU_STR("a\tb"), 5);
    cau_sheet_number(&sheet, -1.25, 3, 8);
    assert_string_equal(sheet.text.s, "\xE4\xB8\xAD    W\xC3\xB6rtoo longa\\tb   -1.250");
    cau_sheet_clear(&sheet);
}

static void test_json(void **state)
{
    (void)state;
    cau_strbuf out = {0};
    caucus_ctx *ctx = test_ctx();
    cau_sheet sheet = {.ctx = ctx, .write = into_text, .user = &out};
    json_t *object = json_object(), *array = json_array();
    cau_sheet_push(&sheet, array, json_real(0.1));
    cau_sheet_push(&sheet, array, cau_sheet_string(CAU_STR("a\"\xFF\xC3\xB6\xC3")));
    cau_sheet_push(&sheet, array, cau_sheet_string(CAU_STR("")));
    cau_sheet_put(&sheet, object, "list", array);
    cau_sheet_json(&sheet, object, true);
    assert_ok(ctx, cau_sheet_flush(&sheet, false)); /* too short to be worth a call */
    assert_int_equal(out.n, 0);
    assert_ok(ctx, cau_sheet_flush(&sheet, true));
    assert_string_equal(out.s,
                        "{\"list\": [0.1, \"a\\\"\xEF\xBF\xBD\xC3\xB6\xEF\xBF\xBD\", \"\"]}");

    cau_sheet_push(&sheet, NULL, json_integer(1)); /* as after a failed json_array() */
    assert_int_equal(cau_sheet_flush(&sheet, true), CAUCUS_ERR_MEMORY);
    cau_sheet_clear(&sheet);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
