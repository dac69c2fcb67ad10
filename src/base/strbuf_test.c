/* strbuf_test.c - checks numbers against strtod, name order by enumeration, and escapes both
 * ways. */

#include "support/base_sample.h"
#include "support/support.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/strbuf.h"

/* ---- numbers ------------------------------------------------------------------------- */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Compares with strtod in the C locale, which the tests run in. */
static void assert_reads_as_strtod(const char *text)
{
    double got = -7, want = strtod(text, NULL);
    if (!cau_parse_real(text, strlen(text), &got) || !same_bits(got, want))
        fail_msg("\"%.60s\" is %a, but was read as %a", text, want, got);
}

static void numbers_are_read_exactly(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "1",
        "117",
        "0.25",
        "-.5",
        "5.",
        "1e5",
        "1E+5",
        "1e-5",
        "00012.500",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995e0",
        "1e22",
        "1e23",
        "1e-22",
        "123456789012345678",
        "1234567890123456789",
        "12345678901234567890",
        "0.1",
        "0.3",
        "3.14159",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e999",
        "-1e999",
        "1e-999",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "0e999999999999999999999",
        "1e-99999999999999999999",
        "1e99999999999999999999",
        "0x1.8p3",
        "0X1P-1074",
        "0x.8",
        "0x1.fffffffffffff8p0",
        "0x1.fffffffffffff7p0",
        "0x10",
        "-0xA.bCp+2",
        "0x123456789abcdef123456789abcdefp-40",
        "0x0p0",
        "8.5e15",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764"
        "750946649017977587207096330286416692887910946555547851940402630657488671505820681908902"
        "000708383676273854845817711531764475730270069855571366959622842914819860834936475292719"
        "074168444365510704342711559699508093042880",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_reads_as_strtod(texts[i]);
}

static void random_numbers_are_read_exactly(void **state)
{
    (void)state;
    static const char *const formats[] = {"%.17g", "%.15g", "%.6g", "%.3f", "%a", "%.25e", "%.40f"};
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = cau_rng_next(&rng);
        double x;
        memcpy(&x, &bits, sizeof x); /* includes every exponent */
        if (i % 2 || !isfinite(x)) x = (cau_rng_real(&rng) - 0.5) * pow(10, i % 13);
        char text[512];
        snprintf(text, sizeof text, formats[i % 7], x);
        assert_reads_as_strtod(text);
    }
}

/* Numbers of a thousand digits at the middle between two doubles, and slightly above or below it:
 * only the last digit decides the rounding. */
static void long_numbers_are_read_exactly(void **state)
{
    (void)state;
    cau_strbuf text = {0};
    const char *const tails[] = {"", "0", "1", "0000000001"};
    for (size_t zeros = 0; zeros < 3000; zeros += 321) {
        for (size_t t = 0; t < 4; t++) {
            text.n = 0;
            cau_strbuf_printf(&text, "9007199254740993");
            cau_strbuf_add(&text, ".", 1);
            for (size_t z = 0; z < zeros; z++) cau_strbuf_add(&text, "0", 1);
            cau_strbuf_printf(&text, "%s", tails[t]);
            assert_reads_as_strtod(text.s);
            cau_strbuf_add(&text, "e-300", 5);
            assert_reads_as_strtod(text.s);
        }
    }
    /* A digit 1 far after the point, with an exponent that moves it back. */
    text.n = 0;
    cau_strbuf_printf(&text, "0.");
    for (size_t z = 0; z < 100000; z++) cau_strbuf_add(&text, "0", 1);
    cau_strbuf_printf(&text, "125e100001");
    double x = 0;
    assert_true(cau_parse_real(text.s, text.n, &x));
    assert_true(x == 1.25);
    /* Hexadecimal digits beyond the precision still affect rounding. */
    text.n = 0;
    cau_strbuf_printf(&text, "0x1.00000000000008");
    for (size_t z = 0; z < 2000; z++) cau_strbuf_add(&text, "0", 1);
    assert_true(cau_parse_real(text.s, text.n, &x) && x == 1);
    cau_strbuf_add(&text, "1", 1);
    assert_true(cau_parse_real(text.s, text.n, &x) && x == 0x1.0000000000001p0);
    cau_strbuf_clear(&text);
}

static void other_texts_are_refused_as_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " 1",
        "1 ",
        "-",
        "+",
        ".",
        "-.",
        "e5",
        "1e",
        "1e+",
        "1e5.0",
        "1.2.3",
        "--1",
        "+-1",
        "0x",
        "0x.",
        "0xg",
        "0x1p",
        "x1",
        "1,5",
        "1_000",
        "in",
        "infi",
        "nano",
        "nan(1)",
        "1f",
        "1\t",
        "0x1e+",
        "1p5",
        "1e5x",
        "12345678901234567890123456789012345678901234567890x",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double x = 42;
        if (cau_parse_real(texts[i], strlen(texts[i]), &x)) fail_msg("\"%s\" was read", texts[i]);
        assert_true(x == 42);
    }
    double x = 42;
    assert_false(cau_parse_real("1\0", 2, &x));
    /* the length decides where the number ends */
    assert_true(cau_parse_real("12", 1, &x) && x == 1);
}

static void infinity_and_nan_are_read(void **state)
{
    (void)state;
    double x;
    assert_true(cau_parse_real("inf", 3, &x) && x == INFINITY);
    assert_true(cau_parse_real("-Infinity", 9, &x) && x == -INFINITY);
    assert_true(cau_parse_real("NaN", 3, &x) && isnan(x));
    assert_true(cau_parse_real("1e999", 5, &x) && isinf(x));
    assert_true(cau_parse_real("-0", 2, &x) && x == 0 && signbit(x));
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8"};
    bool comma = false;
    for (size_t i = 0; !comma && i < sizeof names / sizeof *names; i++)
        comma = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!comma) skip(); /* no locale with a decimal comma is installed */
    double x = 0, y = 0;
    bool read = cau_parse_real("1.5", 3, &x) && cau_parse_real("1.23456789012345678901e-7", 25, &y);
    setlocale(LC_NUMERIC, "C");
    assert_true(read && x == 1.5 && y == 1.23456789012345678901e-7);
}

/* In every locale, numbers are written as printf writes them in the C locale. */
static void check_written_numbers(void)
{
    static const double numbers[] = {0,   -0.0,    1,    -1.5,    0.1,      1e-300, 123456789012.0,
                                     1e9, DBL_MAX, 1e-5, 2.0 / 3, INFINITY, -3e200};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char want[800];
        cau_strbuf text = {0};
        cau_strbuf_general(&text, numbers[i], 9);
        cau_strbuf_add(&text, " ", 1);
        cau_strbuf_fixed(&text, numbers[i], 6);
        char *locale = strdup(setlocale(LC_NUMERIC, NULL));
        setlocale(LC_NUMERIC, "C");
        snprintf(want, sizeof want, "%.9g %.6f", numbers[i], numbers[i]);
        setlocale(LC_NUMERIC, locale);
        free(locale);
        assert_string_equal(text.s, want);
        cau_strbuf_clear(&text);
    }
}

static void numbers_are_written_with_a_point(void **state)
{
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
        if (setlocale(LC_NUMERIC, locales[i])) check_written_numbers();
    setlocale(LC_NUMERIC, "C");
}

static void counts_consist_of_digits(void **state)
{
    (void)state;
    uint64_t n = 7;
    assert_true(cau_parse_count("0", 1, &n) && n == 0);
    assert_true(cau_parse_count("00042", 5, &n) && n == 42);
    assert_true(cau_parse_count("18446744073709551615", 20, &n) && n == UINT64_MAX);
    n = 7;
    static const char *const texts[] = {
        "", "-1", "+1", "1.0", " 1", "1e3", "18446744073709551616", "99999999999999999999", "0x1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(cau_parse_count(texts[i], strlen(texts[i]), &n));
    assert_int_equal(n, 7);
}

/* ---- names --------------------------------------------------------------------------- */

static void edit_distances_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t edits;
    } cases[] = {
        {"", "", 0},
        {"abc", "", 3},
        {"threads", "threads", 0},
        {"thread", "threads", 1},
        {"tharess", "threads", 3},
        {"trheads", "threads", 1},
        {"kitten", "sitting", 3},
        {"saturday", "sunday", 3},
        {"ab", "ba", 1},
        {"ca", "abc", 3},
        {"l1", "l2", 1},
        {"c2", "l2", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cau_edit_distance(cases[i].a, cases[i].b), cases[i].edits);
        assert_int_equal(cau_edit_distance(cases[i].b, cases[i].a), cases[i].edits);
    }
    char a[1001] = "", b[1001] = "";
    memset(a, 'a', 1000);
    memset(b, 'b', 300);
    assert_int_equal(cau_edit_distance(a, b), 1000);
    assert_int_equal(cau_edit_distance(a, "aaa"), 997);
}

static int order_of(const void *a, const void *b)
{
    return cau_natural_compare(*(const cau_str *)a, *(const cau_str *)b);
}

static void numbers_in_names_sort_by_value(void **state)
{
    (void)state;
    static const char *const sorted[] = {"",
                                         "-1",
                                         "1",
                                         "01",
                                         "2",
                                         "10",
                                         "10a",
                                         "a",
                                         "a 1",
                                         "a1b",
                                         "a2",
                                         "a002",
                                         "a2b",
                                         "a10",
                                         "ab",
                                         "c2",
                                         "c10",
                                         "c99999999999999999999",
                                         "c100000000000000000000"};
    enum { N = sizeof sorted / sizeof *sorted };
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            int order = cau_natural_compare(str(sorted[i]), str(sorted[j]));
            bool leading_zeros = (i == 2 && j == 3) || (i == 3 && j == 2) || (i == 10 && j == 11) ||
                                 (i == 11 && j == 10);
            if (leading_zeros)
                assert_int_not_equal(order, 0); /* different texts never compare equal */
            else
                assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

/* Sorts all texts of up to four letters of "01a-" and compares each with all later ones. The order
 * is total: transitive, and different texts never compare equal. */
static void the_order_of_names_is_total(void **state)
{
    (void)state;
    enum { LETTERS = 4, ALL = 1 + 4 + 16 + 64 + 256 };
    static char texts[ALL][5];
    cau_str views[ALL];
    size_t count = 0;
    for (size_t length = 0, combinations = 1; length <= 4; length++, combinations *= LETTERS)
        for (size_t c = 0; c < combinations; c++, count++) {
            for (size_t i = 0, rest = c; i < length; i++, rest /= LETTERS)
                texts[count][i] = "01a-"[rest % LETTERS];
            views[count] = (cau_str){texts[count], length};
        }
    assert_int_equal(count, ALL);
    qsort(views, ALL, sizeof *views, order_of);
    for (size_t i = 0; i < ALL; i++)
        for (size_t j = 0; j < ALL; j++) {
            int order = cau_natural_compare(views[i], views[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

/* ---- strings that grow --------------------------------------------------------------- */

static void strings_grow(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    assert_null(text.s);
    for (int i = 0; i < 1000; i++) cau_strbuf_printf(&text, "%d,", i);
    cau_strbuf_add(&text, "\0end", 4);
    assert_int_equal(text.n, 10 * 2 + 90 * 3 + 900 * 4 + 4);
    assert_memory_equal(text.s + text.n - 8, "999,\0end", 9); /* and a terminating NUL */
    assert_ok(ctx, cau_strbuf_status(ctx, &text));
    cau_strbuf_clear(&text);
    assert_null(text.s);
    caucus_ctx_free(ctx);
}

static void escapes_are_reversible(void **state)
{
    (void)state;
    cau_strbuf escaped = {0}, raw = {0};
    cau_strbuf_escape(&escaped, str("a\tb\nc\rd\\e\\t"));
    assert_string_equal(escaped.s, "a\\tb\\nc\\rd\\\\e\\\\t");
    assert_true(cau_strbuf_unescape(&raw, (cau_str){escaped.s, escaped.n}));
    assert_string_equal(raw.s, "a\tb\nc\rd\\e\\t");

    assert_false(cau_strbuf_unescape(&raw, str("x\\q")));
    assert_false(cau_strbuf_unescape(&raw, str("ends with\\")));
    assert_string_equal(raw.s, "a\tb\nc\rd\\e\\t"); /* unchanged */
    cau_strbuf_clear(&escaped);
    cau_strbuf_clear(&raw);
}

static caucus_status build_text(void *self)
{
    cau_strbuf text = {0};
    for (int i = 0; i < 100; i++) {
        cau_strbuf_add(&text, "a piece, ", 9);
        cau_strbuf_printf(&text, "number %d", i);
        cau_strbuf_escape(&text, str("\t\n"));
        assert_true(cau_strbuf_unescape(&text, str("\\t")));
    }
    caucus_status st = cau_strbuf_status(self, &text);
    assert_true(st || text.n > 2000);
    cau_strbuf_clear(&text);
    return st;
}

/* The buffer serves as a caucus_write_fn. */
static void a_string_can_be_written_to(void **state)
{
    (void)state;
    cau_strbuf text = {0};
    assert_int_equal(cau_strbuf_write(&text, "ab", 2), CAUCUS_OK);
    assert_int_equal(cau_strbuf_write(&text, "cd", 1), CAUCUS_OK);
    assert_string_equal(text.s, "abc");
    text.failed = true;
    assert_int_equal(cau_strbuf_write(&text, "e", 1), CAUCUS_ERR_MEMORY);
    cau_strbuf_clear(&text);
}

static void failed_allocations_are_reported_once(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(test_every_allocation(build_text, ctx) >= 5);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(random_numbers_are_read_exactly),
        cmocka_unit_test(long_numbers_are_read_exactly),
        cmocka_unit_test(other_texts_are_refused_as_numbers),
        cmocka_unit_test(infinity_and_nan_are_read),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(numbers_are_written_with_a_point),
        cmocka_unit_test(counts_consist_of_digits),
        cmocka_unit_test(edit_distances_are_counted),
        cmocka_unit_test(numbers_in_names_sort_by_value),
        cmocka_unit_test(the_order_of_names_is_total),
        cmocka_unit_test(strings_grow),
        cmocka_unit_test(escapes_are_reversible),
        cmocka_unit_test(a_string_can_be_written_to),
        cmocka_unit_test(failed_allocations_are_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
