/* spans_test.c - records of spans in each form, what does not fit, and round trips. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/support.h"
#include "text/spans.h"

/* Reads a record; its words and labels as "word/label word/label | ..." or the failure. */
static const char *labels_of(const char *record, cau_misaligned misaligned)
{
    static cau_strbuf out;
    caucus_ctx *ctx = test_ctx();
    cau_span_text x = {0};
    cau_lines *lines = NULL;
    cau_str line;
    bool skipped = false;
    out.n = 0;
    assert_ok(ctx, cau_lines_memory(ctx, "f", cau_str_of(record), &lines));
    assert_ok(ctx, cau_lines_next(ctx, lines, &line));
    caucus_status st = cau_span_text_read(ctx, &x, lines, line, NULL, &skipped);
    if (!st && !skipped) st = cau_span_text_align(ctx, &x, lines, misaligned);
    if (st) cau_strbuf_printf(&out, "%s", caucus_message(ctx));
    if (skipped) cau_strbuf_printf(&out, "skipped");
    for (size_t i = 0; !st && !skipped && i < x.words; i++) {
        cau_strbuf_printf(&out, "%s%s", i ? " " : "", i && x.word[i].first ? "| " : "");
        cau_strbuf_add(&out, x.text.s + x.word[i].begin, x.word[i].end - x.word[i].begin);
        cau_strbuf_add(&out, "/", 1);
        if (x.labelled) cau_span_text_label(&x, i, &out);
    }
    cau_strbuf_add(&out, "", 0);
    cau_span_text_clear(&x);
    cau_lines_free(lines);
    caucus_ctx_free(ctx);
    return out.s ? out.s : "";
}

static void forms(void **state)
{
    static const struct {
        const char *record, *labels;
    } cases[] = {
        {"{\"text\": \"Al Ek ran. He\", \"spans\": [{\"start\": 0, \"end\": 5, \"label\": \"P\"}]}",
         "Al/B-P Ek/I-P ran/O ./O | He/O"},
        {"{\"text\": \"Al ran\", \"entities\": [[0, 2, \"P\"]]}", "Al/B-P ran/O"},
        {"[\"Al ran\", {\"entities\": [[0, 2, \"P\"]]}]", "Al/B-P ran/O"},
        {"{\"text\": \"Al ran\", \"label\": [[3, 6, \"V\"], [0, 2, \"P\"]]}", "Al/B-P ran/B-V"},
        {"{\"text\": \"Al ran\", \"labels\": []}", "Al/O ran/O"},
        {"{\"text\": \"Al ran\"}", "Al/ ran/"},
        {"{\"text\": \"Al\", \"entities\": [{\"label\": \"P\", \"start_offset\": 0, "
         "\"end_offset\": "
         "2}], \"relations\": []}",
         "Al/B-P"},
        /* Label Studio counts units of UTF-16, the others characters */
        {"{\"text\": \"\U0001F44D Al\", \"label\": [{\"start\": 3, \"end\": 5, \"labels\": "
         "[\"P\"], "
         "\"text\": \"Al\"}]}",
         "\U0001F44D/O Al/B-P"},
        {"{\"text\": \"\U0001F44D Al\", \"spans\": [{\"start\": 2, \"end\": 4, \"label\": \"P\"}]}",
         "\U0001F44D/O Al/B-P"},
        {"{\"data\": {\"text\": \"Al\"}, \"annotations\": [{\"was_cancelled\": true, \"result\": "
         "[]}, {\"result\": [{\"value\": {\"choices\": [\"x\"]}}, {\"value\": {\"start\": 0, "
         "\"end\": 2, \"labels\": [\"P\"]}}]}]}",
         "Al/B-P"},
        {"{\"text\": \"Al\", \"spans\": [], \"answer\": \"reject\"}", "skipped"},
        {"{\"text\": \"Al\", \"spans\": [], \"answer\": \"accept\"}", "Al/O"},
        {"{\"text\": \"Al Bo\", \"spans\": [[0, 2, \"P\"], [3, 5, \"P\"]]}", "Al/B-P Bo/B-P"},
        /* blanks around words are fine, and no sentence begins inside of a span */
        {"{\"text\": \" Al \", \"spans\": [[0, 4, \"P\"]]}", "Al/B-P"},
        {"{\"text\": \"Go! Now. Al\", \"spans\": [[0, 7, \"T\"]]}",
         "Go/B-T !/I-T Now/I-T ./O | Al/O"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(labels_of(cases[i].record, CAU_MISALIGNED_FAIL), cases[i].labels);
}

static void misaligned(void **state)
{
    static const char inside[] =
        "{\"text\": \"Adam ran far\", \"spans\": [[0, 3, \"P\"], [9, 12, \"X\"]]}";
    static const char overlap[] =
        "{\"text\": \"Al Bo Cy\", \"spans\": [[0, 2, \"P\"], [0, 5, \"Q\"], [6, 8, \"R\"]]}";
    static const char blank[] = "{\"text\": \"a   b\", \"spans\": [[2, 3, \"P\"]]}";
    static const char twice[] = "{\"text\": \"abcd\", \"spans\": [[0, 1, \"P\"], [2, 3, \"Q\"]]}";
    (void)state;
    assert_non_null(
        strstr(labels_of(inside, CAU_MISALIGNED_FAIL), "f:1: the span 0-3 (P), 'Ada', "));
    assert_string_equal(labels_of(inside, CAU_MISALIGNED_EXPAND), "Adam/B-P ran/O far/B-X");
    assert_string_equal(labels_of(inside, CAU_MISALIGNED_DROP), "Adam/O ran/O far/B-X");
    assert_non_null(strstr(labels_of(overlap, CAU_MISALIGNED_FAIL), "overlap"));
    assert_non_null(strstr(labels_of(overlap, CAU_MISALIGNED_EXPAND), "overlap"));
    assert_string_equal(labels_of(overlap, CAU_MISALIGNED_DROP), "Al/B-Q Bo/I-Q Cy/B-R");
    assert_non_null(strstr(labels_of(blank, CAU_MISALIGNED_FAIL), "only blanks"));
    assert_string_equal(labels_of(blank, CAU_MISALIGNED_EXPAND), "a/O b/O");
    assert_string_equal(labels_of(twice, CAU_MISALIGNED_EXPAND), "abcd/B-P"); /* taken */
}

/* The record that labels make. */
static const char *record_of(const cau_word *word, const cau_str *label, size_t count)
{
    static cau_strbuf out;
    cau_span_writer w = {0};
    out.n = 0;
    assert_true(cau_span_writer_begin(&w, &out, CAU_STR("a b \"c\" d")));
    assert_true(cau_span_writer_add(&w, word, label, NULL, count));
    assert_true(cau_span_writer_end(&w, &out));
    assert_true(cau_span_writer_end(&w, &out)); /* nothing is open */
    cau_span_writer_clear(&w);
    return out.s;
}

static void spans_of_labels(void **state)
{
    static const cau_word word[] = {
        {0, 1, 0, 1, true}, {2, 3, 2, 3, false}, {5, 6, 5, 6, false}, {8, 9, 8, 9, false}};
    static const struct {
        cau_str label[4];
        const char *spans;
    } cases[] = {
        {{{"B-X", 3}, {"I-X", 3}, {"O", 1}, {"B-X", 3}}, "0-3 X, 8-9 X"},
        {{{"S-X", 3}, {"B-Y", 3}, {"I-Y", 3}, {"E-Y", 3}}, "0-1 X, 2-9 Y"},
        {{{"I-X", 3}, {"I-X", 3}, {"I-Y", 3}, {"B-Y", 3}}, "0-3 X, 5-6 Y, 8-9 Y"},
        {{{"NN", 2}, {"NN", 2}, {"?", 1}, {"O", 1}}, "0-1 NN, 2-3 NN"},
        {{{"U-X", 3}, {"L-X", 3}, {NULL, 0}, {"I-X", 3}}, "0-1 X, 2-3 X, 8-9 X"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf want = {0};
        const char *at = cases[i].spans;
        cau_strbuf_printf(&want, "{\"text\": \"a b \\\"c\\\" d\", \"spans\": [");
        for (int n; *at; at += n) {
            size_t from, to;
            char type[8];
            assert_int_equal(sscanf(at, "%zu-%zu %7[A-Z]%n", &from, &to, type, &n), 3);
            cau_strbuf_printf(&want, "%s{\"start\": %zu, \"end\": %zu, \"label\": \"%s\"}",
                              at == cases[i].spans ? "" : ", ", from, to, type);
            if (at[n]) n += 2;
        }
        cau_strbuf_printf(&want, "]}\n");
        assert_string_equal(record_of(word, cases[i].label, 4), want.s);
        cau_strbuf_clear(&want);
    }
}

static void failures(void **state)
{
    static const struct {
        const char *record, *part;
    } cases[] = {
        {"x", "not a JSON object"},
        {"{\"spans\": []}", "no text at \"text\""},
        {"{\"text\": \"a\\u0000b\"}", "NUL"},
        {"{\"text\": \"a\", \"spans\": {}}", "not an array"},
        {"{\"text\": \"a\", \"spans\": [[0, 2, \"X\"]]}", "ends after the text"},
        {"{\"text\": \"a\", \"spans\": [[1, 0, \"X\"]]}", "before it begins"},
        {"{\"text\": \"a\", \"spans\": [[0, 0, \"X\"]]}", "is empty"},
        {"{\"text\": \"a\", \"spans\": [[-1, 1, \"X\"]]}", "not offsets"},
        {"{\"text\": \"a\", \"spans\": [[0, 1, \"X\\tY\"]]}", "TAB"},
        {"{\"text\": \"a\", \"spans\": [{\"start\": 0, \"end\": 1, \"labels\": [\"X\", \"Y\"]}]}",
         "several labels"},
        {"{\"text\": \"a\", \"spans\": [{\"start\": 0, \"end\": 1, \"label\": \"X\", \"text\": "
         "\"b\"}]}",
         "its own text is 'b'"},
        {"{\"text\": \"\U0001F44D\", \"label\": [{\"start\": 0, \"end\": 1, \"labels\": [\"X\"]}]}",
         "not offsets"}, /* half of a pair */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_non_null(strstr(labels_of(cases[i].record, CAU_MISALIGNED_FAIL), cases[i].part));
}

static caucus_status read_once(void *self)
{
    static const cau_str line = CAU_STR("{\"text\": \"Al ran\", \"spans\": [[0, 2, \"P\"]]}");
    caucus_ctx *ctx = NULL;
    cau_span_text x = {0};
    cau_lines *lines = NULL;
    bool skipped;
    (void)self;
    caucus_status st = caucus_ctx_new(&ctx);
    if (st) return st;
    TRY(cau_lines_memory(ctx, "f", line, &lines));
    TRY(cau_span_text_read(ctx, &x, lines, line, NULL, &skipped));
    TRY(cau_span_text_align(ctx, &x, lines, CAU_MISALIGNED_FAIL));
done:
    cau_span_text_clear(&x);
    cau_lines_free(lines);
    caucus_ctx_free(ctx);
    return st;
}

static void memory(void **state)
{
    (void)state;
    test_every_allocation(read_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),    cmocka_unit_test(misaligned), cmocka_unit_test(spans_of_labels),
        cmocka_unit_test(failures), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests_name("text/spans", tests, NULL, NULL);
}
