/* reader_test.c - instances of each format, valid and invalid, in the form of data_sample.h.
 * read_columns_test.c tests columns. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/base_sample.h"
#include "support/data_sample.h"

#define TEXT                                                                                       \
    {                                                                                              \
        .format = CAU_FORMAT_TEXT                                                                  \
    }
#define SVMLIGHT                                                                                   \
    {                                                                                              \
        .format = CAU_FORMAT_SVMLIGHT                                                              \
    }
#define CRFSUITE                                                                                   \
    {                                                                                              \
        .format = CAU_FORMAT_CRFSUITE                                                              \
    }
#define MEGAM                                                                                      \
    {                                                                                              \
        .format = CAU_FORMAT_MEGAM                                                                 \
    }
#define VALUES                                                                                     \
    {                                                                                              \
        .format = CAU_FORMAT_MEGAM, .values = true                                                 \
    }
#define COLUMNS                                                                                    \
    {                                                                                              \
        .format = CAU_FORMAT_COLUMNS                                                               \
    }

static const struct {
    cau_read_options options;
    const char *file, *want;
} good[] = {
    /* text */
    {TEXT, "spam\twin a prize , win now\n", "spam : win a prize , win now\n"},
    {{.format = CAU_FORMAT_TEXT, .counts = true}, "spam\twin a win\n", "spam : win a win\n"},
    {{.format = CAU_FORMAT_TEXT, .lower = true}, "Spam\tWin ÄRGER win\n", "Spam : win ärger win\n"},
    {{.format = CAU_FORMAT_TEXT, .ngrams = 3}, "l\ta  b \t c\n", "l : a a b a b c b b c c\n"},
    {{.format = CAU_FORMAT_TEXT, .ngrams = 2, .counts = true, .lower = true},
     "l\tA b a B\n",
     "l : a a b b b a a a b b\n"},
    {{.format = CAU_FORMAT_TEXT, .ngrams = 8}, "l\ta\n", "l : a\n"},
    {{.format = CAU_FORMAT_TEXT, .tokenize = true, .ngrams = 2, .lower = true},
     "l\tDon't go, Bob's!\n",
     "l : don't don't go go go , , , bob bob bob 's 's 's ! !\n"},
    {{.format = CAU_FORMAT_TEXT, .chars = "2-3"},
     "l\taé b\n",
     "l : aé  <a  <aé  aé  aé>  é> b  <b  <b>  b>\n"},
    {{.format = CAU_FORMAT_TEXT, .chars = "1"}, "l\tab\n", "l : ab  a  b\n"},
    {{.format = CAU_FORMAT_TEXT, .tfidf = true},
     "l\ta a a b b c c d e e e e f g\n\nl\ta\n",
     "l : a*0.166667 a*0.166667 a*0.166667 b*0.166667 b*0.166667 c*0.166667 c*0.166667 d*0.166667 "
     "e*0.166667 e*0.166667 e*0.166667 e*0.166667 f*0.166667 g*0.166667\n(none) :\nl : a\n"},
    {TEXT, "no label\n", "(none) : no label\n"},
    {TEXT, "\tno label\n\n", "(none) : no label\n(none) :\n"},
    {TEXT, "spam\t\nham\t  \n", "spam :\nham :\n"},
    {TEXT, "a b\tc", "a b : c\n"},

    /* svmlight */
    {SVMLIGHT, "1 1:1 3:0.5 10:-2e0\n-1 0:1\n", "1 : 1 3*0.5 10*-2\n-1 : 0\n"},
    {SVMLIGHT, "+1 1:1\n1 2:1\n+ 2:1\n", "1 : 1\n1 : 2\n+ : 2\n"},
    {SVMLIGHT, "# all\n\n  \n1 007:1 0008:0 9:1e-60 # 9:1\n1#x\n", "1 : 7\n1 :\n"},
    {SVMLIGHT, "1 qid:3 1:2\n2 qid:4\t 2:1 \n", "1 : 1*2\n2 : 2\n"},
    {SVMLIGHT, "1 2147483647:1\nspam:x 1:1\n", "1 : 2147483647\nspam:x : 1\n"},
    {SVMLIGHT, "1:1 2:1\nqid:1 2:2\n", "(none) : 1 2\n(none) : 2*2\n"},

    /* crfsuite */
    {CRFSUITE, "B\tw=The\tlen:0.5\nI\tw=cat\n\nB\n", "B : w=The len*0.5\nI : w=cat\n~\nB :\n"},
    {CRFSUITE, "B\ttime=10\\:30\ta\\\\b:2\tc\\d\te\\\n", "B : time=10:30 a\\b*2 c\\d e\\\n"},
    {CRFSUITE, "B\ta\ta:2\tb:\t\tc:0\td e\n", "B : a a*2 b d e\n"},
    {CRFSUITE, "A\\:b:c\tx\n\tx\n", "A:b:c : x\n(none) : x\n"},
    {CRFSUITE, "A\ta:1\ta:-1\tb\n", "A : a a*-1 b\n"},
    {CRFSUITE, "@weight:2.5\nA\tx\nB\tx\n\nA\tx\n@weight:0\tA\tx\n",
     "A (weight 2.5, part 0) : x\nB (weight 2.5, part 0) : x\n~\nA : x\n"
     "A (weight 0, part 0) : x\n"},

    /* megam */
    {MEGAM, "spam win a win\n# comment\n\nham\n", "spam : win a win\nham :\n"},
    {MEGAM, "  a\tx  y \n", "a : x y\n"},
    {VALUES, "a x 1 y -0.5 x 2 z 0\n", "a : x y*-0.5 x*2\n"},
    {MEGAM, "0 $$$WEIGHT 2 x\n1 $$$TASK 3 $$$WEIGHT 0.5 $$$OUTOFDOMAIN y\n",
     "0 (weight 2, part 0) : x\n1 (weight 0.5, part 0) : y\n"},
    {MEGAM, "a x\nDEV\nb y\nTEST \nc z\nDEV x\n",
     "a : x\nb (weight 1, part 1) : y\nc (weight 1, part 2) : z\n"
     "DEV (weight 1, part 2) : x\n"},
    {MEGAM, "1 # a b a # a # \n02 # # a # b\n? # # #\n", "1 : a b a # a #\n2 : # a # b\n? : # #\n"},
    {VALUES, "1 $$$WEIGHT 3 # a 2 b 1 # a 1\n", "1 (weight 3, part 0) : a*2 b # a\n"},
    {MEGAM, "a x # y\n", "a : x # y\n"}, /* a later '#' is a feature */
    {MEGAM, "a $$$ y\n", "a : $$$ y\n"},
    {MEGAM, "$$$WEIGHT 2 y\n", "(none) (weight 2, part 0) : y\n"},

    /* line ends, a byte-order mark, an empty file */
    {TEXT, "\xEF\xBB\xBFspam\ta b\r\nham\tc\r\n", "spam : a b\nham : c\n"},
    {SVMLIGHT, "1 1:1\r\n2 2:1", "1 : 1\n2 : 2\n"},
    {CRFSUITE, "A\tx\r\n\r\nB\ty\r\n", "A : x\n~\nB : y\n"},
    {MEGAM, "a x\r\nDEV\r\nb y", "a : x\nb (weight 1, part 1) : y\n"},
    {TEXT, "", ""},

    /* detected */
    {{.format = CAU_FORMAT_AUTO}, "1 1:1\n2 2:1\n", "1 : 1\n2 : 2\n"},
    {{.format = CAU_FORMAT_AUTO}, "a\tb c\nd\te\n", "a : b c\nd : e\n"},
    {{.format = CAU_FORMAT_AUTO}, "\n\n", ""},
};

static void test_good_lines(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof good / sizeof *good; c++) {
        const cau_str bytes = {good[c].file, strlen(good[c].file)};
        cau_strbuf got = {0};
        assert_ok(ctx, read_all(ctx, good[c].options, bytes, &got));
        assert_ok(ctx, cau_strbuf_status(ctx, &got));
        if (strcmp(got.s ? got.s : "", good[c].want) != 0)
            fail_msg("case %zu: \"%s\"\nis read as\n%.*sinstead of\n%s", c, good[c].file,
                     (int)got.n, got.s, good[c].want);
        compare_keys(ctx, good[c].options, bytes);
        cau_strbuf_clear(&got);
    }
    caucus_ctx_free(ctx);
}

static const struct {
    cau_read_options options;
    const char *file, *message;
} bad[] = {
    {SVMLIGHT, "1 1:1\n1 7:1e999\n", "file:2: value '1e999' of feature '7' is not finite; "},
    {SVMLIGHT, "1 7:nan\n", "file:1: value 'nan' of feature '7' is not finite; "},
    {SVMLIGHT, "1 7:-inf\n", "file:1: value '-inf' of feature '7' is not finite; "},
    {SVMLIGHT, "1 7:1e39\n", "file:1: value '1e39' of feature '7' is too large; "},
    {SVMLIGHT, "1 7:x\n", "file:1: value 'x' of feature '7' is not a number; "},
    {SVMLIGHT, "1 7:\n", "file:1: value '' of feature '7' is not a number; "},
    {SVMLIGHT, "1 7:1:2\n", "file:1: value '1:2' of feature '7' is not a number; "},
    {SVMLIGHT, "1 7\n", "file:1: feature '7' has no value; "},
    {SVMLIGHT, "1 :1\n", "file:1: index '' is not a whole number; "},
    {SVMLIGHT, "1 -3:1\n", "file:1: index '-3' is negative; "},
    {SVMLIGHT, "1 -:1\n", "file:1: index '-' is not a whole number; "},
    {SVMLIGHT, "1 x:1\n", "file:1: index 'x' is not a whole number; "},
    {SVMLIGHT, "1 1.5:1\n", "file:1: index '1.5' is not a whole number; "},
    {SVMLIGHT, "1 2147483648:1\n", "file:1: index '2147483648' is above 2147483647; "},
    {SVMLIGHT, "1 99999999999999999999999:1\n", "is above 2147483647; "},
    {SVMLIGHT, "#\n\n1 3:1 2:1\n", "file:3: index 2 after 3; indices must ascend"},
    {SVMLIGHT, "1 3:1 3:1\n", "file:1: index 3 after 3; indices must ascend"},
    {CRFSUITE, "A\tx\n\n@foo:1\n", "file:3: unknown directive '@foo'; "},
    {CRFSUITE, "@weight\n", "file:1: @weight '' is not a finite number of at least 0; "},
    {CRFSUITE, "@weight:-1\n", "file:1: @weight '-1' is not a finite number of at least 0; "},
    {CRFSUITE, "@weight:1e999\n", "@weight '1e999' is not a finite number of at least 0; "},
    {CRFSUITE, "A\tw=a:b\n",
     "value 'b' of feature 'w=a' is not a number; correct it, or write \\: for"},
    {VALUES, "a x 1\na x 1 y\n", "file:2: feature 'y' has no value; "},
    {VALUES, "a x y\n", "file:1: value 'y' of feature 'x' is not a number; "},
    {VALUES, "0 # x # y 1\n", "file:1: feature 'x' has no value; "},
    {MEGAM, "a $$$WEIGHT\n", "file:1: $$$WEIGHT '' is not a finite number of at least 0; "},
    {MEGAM, "a $$$WEIGHT x\n", "file:1: $$$WEIGHT 'x' is not a finite"},
    {MEGAM, "a $$$WEIGHT -2 x\n", "file:1: $$$WEIGHT '-2' is not a finite"},
    {MEGAM, "a $$$WEIGHT inf x\n", "file:1: $$$WEIGHT 'inf' is not a finite"},
    {MEGAM, "a x $$$WEIGHT 2\n", "file:1: $$$WEIGHT among the features; "},
    {MEGAM, "0 # a # b\n0 # a # b # c\n", "file:2: 3 sections, but earlier lines have 2; "},
    {MEGAM, "0 # a # b\n0 a b\n", "file:2: no '#' after the label, but earlier lines have 2"},
    {MEGAM, "0 a b\n# c\n0 # a # b\n", "file:3: '#' sections, but earlier lines have none; "},
    {MEGAM, "0 # a b\n", "file:1: a single '#' section; "},
    {MEGAM, "2 # a # b\n", "file:1: label '2' is none of the sections 0 to 1; "},
    {MEGAM, "x # a # b\n", "file:1: label 'x' is none of the sections 0 to 1; "},
    {TEXT, "a\tb\na\t\xFF\n", "file:2: "},
    {TEXT, "a\tb\na\tb\n\xC3\x28\tc\n", "file:3: "},
    {{.format = CAU_FORMAT_AUTO}, "a\nb\n", "file: its first lines fit no format; "},
};

static void test_bad_lines(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof bad / sizeof *bad; c++) {
        const caucus_status st =
            read_all(ctx, bad[c].options, (cau_str){bad[c].file, strlen(bad[c].file)}, NULL);
        if (st != CAUCUS_ERR_FORMAT) print_message("case %zu: \"%s\"\n", c, bad[c].file);
        assert_fails(ctx, st, CAUCUS_ERR_FORMAT, bad[c].message);
        assert_non_null(strstr(caucus_message(ctx), bad[c].message));
    }

    cau_read_options options = {.format = CAU_FORMAT_TEXT, .ngrams = 9};
    assert_fails(ctx, read_all(ctx, options, (cau_str){"a\tb", 3}, NULL), CAUCUS_ERR_ARGUMENT, "9");
    caucus_ctx_free(ctx);
}

static void test_one_note(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf notes = {0};
    caucus_on_note(ctx, collect_note, &notes);
    const cau_read_options any = {0};
    const char *ranked = "1 qid:1 1:1\n2 qid:1 2:1\n", *tasks = "a $$$TASK 1 x\nb $$$TASK 2 x\n";
    assert_ok(ctx, read_all(ctx, any, (cau_str){ranked, strlen(ranked)}, NULL));
    assert_ok(ctx, read_all(ctx, any, (cau_str){tasks, strlen(tasks)}, NULL));
    assert_string_equal(notes.s,
                        "file: read as svmlight (label index:value ...); --format forces another\n"
                        "file:1: qid is for ranking and is ignored\n"
                        "file: read as megam (label feature ...); --format forces another\n"
                        "file:1: $$$TASK is for adaptation and is ignored\n");
    cau_strbuf_clear(&notes);
    caucus_ctx_free(ctx);
}

/* 64 blank lines before the first instance: the format cannot be detected. */
static void test_blank_beginning(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const cau_read_options any = {0};
    char file[80];
    memset(file, '\n', sizeof file);
    memcpy(file + 70, "a\tb", 3);
    assert_fails(ctx, read_all(ctx, any, (cau_str){file, sizeof file}, NULL), CAUCUS_ERR_FORMAT,
                 "file:71: only blank lines before this one");
    caucus_ctx_free(ctx);
}

/* Two readers for parts of a file: the second uses the format that the first detected, line numbers
 * are those of the file, and a failing line does not affect later ones. */
static void test_parts_of_a_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf notes = {0}, got = {0};
    cau_reader *one = NULL, *two = NULL;
    caucus_on_note(ctx, collect_note, &notes);
    const char *first = "0 $$$TASK 1 # a # b\n";
    assert_ok(ctx, cau_reader_memory(ctx, "file", (cau_str){first, strlen(first)},
                                     &(cau_read_options){0}, CAU_BY_NAME, &one));
    assert_ok(ctx, read_rest(ctx, one, &got));
    assert_ok(ctx, cau_reader_like(ctx, one, &two));
    assert_int_equal(cau_reader_format(two), CAU_FORMAT_MEGAM);
    assert_ok(ctx, read_piece(ctx, two, "", 2, &got));
    assert_ok(ctx, read_piece(ctx, two, "1 $$$TASK 2 # b # c\n", 9, &got));
    assert_int_equal(cau_lines_number(cau_reader_lines(two)), 9);
    assert_fails(ctx, read_piece(ctx, two, "1 # b # c\n0 # a # b # c\n", 20, &got),
                 CAUCUS_ERR_FORMAT, "file:21: 3 sections, but earlier lines have 2");
    assert_fails(ctx, read_piece(ctx, two, "0 a b\n", 5, &got), CAUCUS_ERR_FORMAT,
                 "file:5: no '#' after the label");
    assert_ok(ctx, read_piece(ctx, two, "0 # # d\n", 7, &got));
    assert_ok(ctx, read_piece(ctx, one, "1 # d #", 30, &got));
    assert_string_equal(got.s, "0 : a # b\n1 : b # c\n1 : b # c\n0 : # d\n1 : d #\n");
    assert_string_equal(notes.s,
                        "file: read as megam (label feature ...); --format forces another\n"
                        "file:1: $$$TASK is for adaptation and is ignored\n");
    cau_reader_free(one);
    cau_reader_free(two);
    cau_strbuf_clear(&notes);
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

/* A line of 3 MB, longer than the peek buffer, is detected and read. */
static void test_long_line(void **state)
{
    (void)state;
    enum { FEATURES = 250000 };
    caucus_ctx *ctx = test_ctx();
    cau_strbuf file = {0};
    cau_reader *r = NULL;
    cau_read_event event;
    cau_instance in;
    cau_strbuf_printf(&file, "1");
    for (size_t i = 0; i < FEATURES; i++) cau_strbuf_printf(&file, " %zu:1.25", 100 + i);
    assert_ok(ctx, cau_strbuf_status(ctx, &file));
    assert_ok(ctx, cau_reader_memory(ctx, "file", (cau_str){file.s, file.n}, &(cau_read_options){0},
                                     CAU_BY_NAME, &r));
    assert_int_equal(cau_reader_format(r), CAU_FORMAT_SVMLIGHT);
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
    assert_int_equal(event, CAU_READ_INSTANCE);
    assert_int_equal(in.block->nodes.start[1], FEATURES);
    assert_true(in.block->nodes.value[FEATURES - 1] == 1.25f);
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
    assert_int_equal(event, CAU_READ_END);
    cau_reader_free(r);
    cau_strbuf_clear(&file);
    caucus_ctx_free(ctx);
}

static void test_missing_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_reader *r = NULL;
    assert_int_equal(
        cau_reader_open(ctx, test_path("nothing"), &(cau_read_options){0}, CAU_BY_NAME, &r),
        CAUCUS_ERR_IO);
    assert_null(r);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    size_t number;
} reader_good_case;

static caucus_status read_good_case(void *self)
{
    const reader_good_case *c = self;
    const char *file = good[c->number].file;
    return read_all(c->ctx, good[c->number].options, (cau_str){file, strlen(file)}, NULL);
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t n = 0; n < sizeof good / sizeof *good; n++)
        assert_true(test_every_allocation(read_good_case, &(reader_good_case){ctx, n}) > 1);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_lines),      cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_one_note),        cmocka_unit_test(test_blank_beginning),
        cmocka_unit_test(test_parts_of_a_file), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_missing_file),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("text/reader", tests, NULL, NULL);
}
