/* doctor_test.c - what is found in small files, counted by hand, and that the
 * number of threads makes no difference. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "doctor/doctor.h"
#include "doctor/findings.h"
#include "support/support.h"

/* The report of a file as a tree; free it with json_decref. */
static json_t *report(cau_format format, const char *data, const char *test)
{
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    const cau_read_options read = {.format = format, .ngrams = 1};
    const cau_doctor_options options = {
        .test = test ? test_text("test", test) : NULL, .rare = 2, .json = true};
    assert_ok(
        ctx, cau_doctor(ctx, &options, &read, 2, test_text("data", data), cau_strbuf_write, &text));
    json_t *tree = json_loads(text.s, 0, NULL);
    assert_non_null(tree);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
    return tree;
}

/* The findings as "name count line,line name count 1-2,..." */
static void check(cau_format format, const char *data, const char *test, const char *want)
{
    char got[2048] = "";
    size_t n = 0;
    json_t *tree = report(format, data, test), *list = cau_at(tree, "findings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *f = json_array_get(list, i);
        json_t *lines = cau_at(f, "lines"), *pairs = cau_at(f, "pairs");
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s %llu", n ? "; " : "",
                              json_string_value(cau_at(f, "finding")),
                              (unsigned long long)cau_count_at(f, "count"));
        for (size_t k = 0; k < json_array_size(lines); k++)
            n += (size_t)snprintf(got + n, sizeof got - n, " %lld",
                                  json_integer_value(json_array_get(lines, k)));
        for (size_t k = 0; k < json_array_size(pairs); k++)
            n += (size_t)snprintf(got + n, sizeof got - n, " %llu-%llu",
                                  (unsigned long long)cau_count_at(json_array_get(pairs, k), "0"),
                                  (unsigned long long)cau_count_at(json_array_get(pairs, k), "1"));
        assert_true(n < sizeof got);
    }
    json_decref(tree);
    assert_string_equal(got, want);
}

static void sentences(void **state)
{
    (void)state;
    check(CAU_FORMAT_COLUMNS,
          "a x O\nb x B-P\n\na x O\nb x B-P\n\na x O\nb x O\n\nc x B-P\nd x O\n", NULL,
          "two-labellings 1 1-7; duplicates 1 1-4");
    check(CAU_FORMAT_COLUMNS, "a A\nb B\n\nc A\nd B\n", "c A\nd B\n\na A\nb A\n\nc A\n",
          "leaks 1 4-1; leaked-otherwise 1 1-4");
    check(CAU_FORMAT_CRFSUITE, "A\tx:2\ty\n\nA\tx:2\ty\n\nB\tx\ty\n\nB\tx:2\ty\n", NULL,
          "two-labellings 1 1-7; duplicates 1 1-3");
    check(CAU_FORMAT_TEXT, "spam\twin  now\nham\twin now\nspam\twin now\nham\tlose\n", NULL,
          "two-labellings 1 1-2; duplicates 1 1-3");
}

static void schemes(void **state)
{
    (void)state;
    check(CAU_FORMAT_COLUMNS, "a B-P\nb I-P\nc O\nd I-P\n\ne B-P\nf B-P\ng I-Q\nh I-Q\n", NULL,
          "rare-labels 1 3; broken-scheme 2 4 8");
}

static void labels(void **state)
{
    (void)state;
    check(CAU_FORMAT_TEXT, "a\tx\na\ty\n\tz\nb\tw\na\tv\n", "a\tq\nc\tr\nd\ts\n",
          "no-label 1 3; rare-labels 1 4; new-labels 2 2 3");
    check(CAU_FORMAT_TEXT, "a\tx\na\ty\n", NULL, "one-class 2");
    check(CAU_FORMAT_TEXT, "1.5\tx\n1.5\ty\n2\tz\n2.0\tw\n2.0\tv\n2\tu\n", NULL, "fractions 1 1");
}

/* `count` lines; line i is made by `line`. */
static char *lines_of(size_t count, void (*line)(char *, size_t))
{
    char *text = calloc(count + 1, 64), *at = text;
    for (size_t i = 0; i < count; i++, at += strlen(at)) line(at, i);
    return text;
}

static void suspicious_line(char *out, size_t i)
{
    /* word, number, constant, a function of the label, label */
    if (i == 0)
        strcpy(out, "word id const tell label\n");
    else
        sprintf(out, "w%zu %zu 0 %c %c\n%s", i % 41, i, "xyz"[i % 3], "ABC"[i % 3],
                i % 5 == 4 ? "\n" : "");
}

static void without_header(char *out, size_t i)
{
    suspicious_line(out, i + 1);
}

static void unique_label(char *out, size_t i)
{
    sprintf(out, "l%zu\tword%zu\n", i, i);
}

static void one_class(char *out, size_t i)
{
    sprintf(out, "%s\tword%zu\n", i == 50 ? "b" : "a", i);
}

static void columns(void **state)
{
    char *text = lines_of(60, suspicious_line);
    (void)state;
    check(CAU_FORMAT_COLUMNS, text, NULL,
          "rare-labels 1 1; header 1 1; unique-column 60; telling-column 59");
    free(text);
    text = lines_of(60, without_header);
    check(CAU_FORMAT_COLUMNS, text, NULL,
          "unique-column 60; constant-column 60; telling-column 60");
    free(text);
    text = lines_of(40, unique_label);
    check(CAU_FORMAT_TEXT, text, NULL, "unique-labels 40");
    free(text);
    text = lines_of(200, one_class);
    check(CAU_FORMAT_TEXT, text, NULL, "one-class 199; rare-labels 1 51");
    free(text);
}

static void characters(void **state)
{
    (void)state;
    check(CAU_FORMAT_TEXT,
          "\xEF\xBB\xBF"
          "a\tx\u00A0y\r\n"
          "a\tz\u200Bq\n"
          "a\tca\u0301\n"
          "b\tc\u00E1\n"
          "b\t\u00C3\u00A9t\u00C3\u00A9\n"
          "b\t\uFFFD\x01\n",
          NULL,
          "byte-order-mark 1; mixed-line-ends 1 1; odd-blanks 1 1; invisible 1 "
          "2; controls 1 6; "
          "lost 1 6; misread 1 5; mixed-normalisation 1 3");
    check(CAU_FORMAT_TEXT, "a\tx\r\nb\ty\r\na\tz\r\nb\tw", NULL, ""); /* all CR LF is fine */
}

static void any_number_of_threads(void **state)
{
    cau_strbuf data = {0}, reports[2] = {{0}, {0}};
    caucus_ctx *ctx = test_ctx();
    const cau_read_options read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1};
    const cau_doctor_options options = {.rare = 5, .json = true};
    (void)state;
    for (size_t i = 0; i < 200000; i++)
        cau_strbuf_printf(&data, "word%zu x%zu %s\n%s", i * i % 977, i % 11,
                          i % 13 == 0   ? "B-A"
                          : i % 13 == 5 ? "I-A"
                                        : "O",
                          i % 17 == 16 ? "\n" : "");
    const char *path = test_file("large", data.s, data.n);
    for (unsigned i = 0; i < 2; i++) {
        assert_ok(ctx,
                  cau_doctor(ctx, &options, &read, i ? 4 : 1, path, cau_strbuf_write, &reports[i]));
    }
    assert_string_equal(reports[0].s, reports[1].s);
    for (unsigned i = 0; i < 2; i++) cau_strbuf_clear(&reports[i]);
    cau_strbuf_clear(&data);
    caucus_ctx_free(ctx);
}

typedef struct {
    const char *data, *test;
} short_of_memory;

static caucus_status survey_both(void *self)
{
    const short_of_memory *s = self;
    caucus_ctx *ctx = NULL;
    cau_strbuf text = {0};
    const cau_read_options read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1};
    const cau_doctor_options options = {.test = s->test, .rare = 5};
    caucus_status st = caucus_ctx_new(&ctx);
    if (st) return st;
    st = cau_doctor(ctx, &options, &read, 1, s->data, cau_strbuf_write, &text);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
    return st;
}

static void memory(void **state)
{
    short_of_memory s = {test_text("m1", "a x B-P\nb y I-P\n\nc z O\n"),
                         test_text("m2", "a x B-P\nb y I-Q\n")};
    (void)state;
    test_every_allocation(survey_both, &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences),  cmocka_unit_test(schemes),
        cmocka_unit_test(labels),     cmocka_unit_test(columns),
        cmocka_unit_test(characters), cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests_name("doctor/doctor", tests, NULL, NULL);
}
