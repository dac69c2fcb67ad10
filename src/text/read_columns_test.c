/* read_columns_test.c - sequences of columns: instances, edges, comments, uneven lines and parts of
 * files, in the form of data_sample.h. */

#include <stdio.h>
#include <stdlib.h>

#include "support/data_sample.h"

#define WORD "U:%x[0,0]\n"
#define PAIR "U:%x[-1,0]/%x[0,0]\n"

/* Fields of CoNLL-U. */
#define SIX "\t_\t_\t_\t_\t_\t_"
#define EIGHT "\t_\t_" SIX "\t"

static cau_template *template_of(caucus_ctx *ctx, const char *text)
{
    cau_template *t = NULL;
    assert_ok(ctx, cau_template_parse(ctx, "template", (cau_str){text, strlen(text)}, NULL, &t));
    return t;
}

static const struct {
    cau_read_options options; /* without format and template */
    const char *template, *file, *want;
} good[] = {
    {{0},
     "U0:%x[0,0]\nU1:%x[0,1]\n",
     "The DT B-NP\ncat\tNN \tI-NP\n \nThe NN O\n",
     "B-NP : U0:The U1:DT\nI-NP : U0:cat U1:NN\n~\nO : U0:The U1:NN\n"},
    {{0}, "U:%x[0,10]\n", "a b c d e f g h i j k L\n", "L : U:k\n"},

    /* neighbours are those in the sequence, whatever lines are between */
    {{0},
     PAIR "U:%x[1,0]\n",
     "a X\nb Y\n\nc X\n",
     "X : U:_B-1/a U:b\nY : U:a/b U:_B+1\n~\nX : U:_B-1/c U:_B+1\n"},
    {{.comments = true},
     PAIR,
     "# one\na X\n#two\nb Y\n#\n",
     "% # one\nX : U:_B-1/a\n% #two\nY : U:a/b\n% #\n"},
    {{.docstart = true},
     PAIR,
     "-DOCSTART- -X-\n\na X\nb Y\n-DOCSTART-\nc X\n",
     "%% -DOCSTART- -X-\n~\nX : U:_B-1/a\nY : U:a/b\n%% -DOCSTART-\nX : U:_B-1/c\n"},
    {{0},
     WORD,
     "# X\n-DOCSTART- Y\n",
     "X : U:#\nY : U:-DOCSTART-\n"}, /* by default marks are words */

    /* blank lines are all returned; line ends; a byte-order mark; an empty file */
    {{0}, WORD, "\n\na X\n\n \t\nb Y\n\n", "~\n~\nX : U:a\n~\n~\nY : U:b\n~\n"},
    {{0},
     WORD,
     "\xEF\xBB\xBF"
     "a B\r\n\r\nc D",
     "B : U:a\n~\nD : U:c\n"},
    {{0}, WORD, "", ""},
    {{0}, WORD, "\n", "~\n"},

    /* edges: none at the start of a sequence */
    {{0},
     WORD "B1:%x[-1,0]/%x[0,0]\nB2:%x[0,0]\nB\n",
     "a X\nb Y\n\nc X\nb X\n",
     "X : U:a\nY : U:b | B1:a/b B2:b\n~\nX : U:c\nX : U:b | B1:c/b B2:b\n"},
    {{0},
     WORD "B:%x[-1,0]\nB:%x[0,0]\n",
     "a X\na Y\nb Y\n",
     "X : U:a\nY : U:a | B:a B:a\nY : U:b | B:a B:b\n"},

    /* repeated features are kept; values of %number; zeros are left out */
    {{0}, "U:%chars[0,0,1-2]\n", "aaa X\n", "X : U:<a U:a U:aa U:a U:aa U:a U:a>\n"},
    {{0},
     "U:%x[0,0]\nU:%x[1,0]\n",
     "a X\na X\nb Y\n",
     "X : U:a U:a\nX : U:a U:b\nY : U:b U:_B+1\n"},
    {{0},
     WORD "U:n=%number[0,1]\n",
     "a 2.5 X\nb 0 Y\nc 1 Y\n",
     "X : U:a U:n=%number[0,1]*2.5\nY : U:b\nY : U:c U:n=%number[0,1]\n"},

    /* no label if the column count is known to be smaller; partial labels unchanged */
    {{.columns = 1}, WORD, "a\nb\n\nc\n", "(none) : U:a\n(none) : U:b\n~\n(none) : U:c\n"},
    {{.columns = 1}, WORD, "a X\nb Y\n", "X : U:a\nY : U:b\n"},
    {{.columns = 2}, WORD, "a n\nb m\n", "(none) : U:a\n(none) : U:b\n"},
    {{0}, WORD, "a ?\nb X|Y\n", "? : U:a\nX|Y : U:b\n"},

    /* chosen columns, delimiters, a header */
    {{.layout = {.columns = "1"}}, WORD, "a b X\nc d Y\n", "X : U:b\nY : U:d\n"},
    {{.layout = {.label = "0"}}, WORD, "a b X\n", "a : U:b\n"},
    {{.layout = {.no_label = true}}, WORD, "a b\n", "(none) : U:a\n"},
    {{.layout = {.columns = "0,2"}}, "U:%x[0,1]\n", "a b X\n", "(none) : U:X\n"},
    {{.layout = {.delimiter = "\\t"}}, WORD, "a b\tX\n \t\n\tY\n", "X : U:a b\n~\nY : U:\n"},
    {{.layout = {.delimiter = ","}}, WORD, "a,\nb,X\n", "(none) : U:a\nX : U:b\n"},
    {{.layout = {.columns = "word", .label = "class", .header = true}},
     WORD,
     "class word\nX a\n",
     "% class word\nX : U:a\n"},
    {{.columns = 1, .layout = {.columns = "word", .label = "class", .header = true}},
     WORD,
     "word id\na 1\n",
     "% word id\n(none) : U:a\n"},

    /* CoNLL-U */
    {{.format = CAU_FORMAT_CONLLU},
     PAIR,
     "# c\n1-2" EIGHT "_\n1\ta\tl\tX" SIX "\n1.1" EIGHT "_\n2\tb\tl\t_" SIX "\n\n",
     "% # c\n% 1-2" EIGHT "_\nX : U:_B-1/a\n% 1.1" EIGHT "_\n? : U:a/b\n~\n"},
    {{.format = CAU_FORMAT_CONLLU, .layout = {.columns = "lemma,form", .label = "misc.N"}},
     "U:%x[0,0]/%x[0,1]\n",
     "1\ta\tl\tX" SIX "\n2\tb\tm\tX\t_\t_\t_\t_\t_\tN=Y\n",
     "_ : U:l/a\nY : U:m/b\n"},
};

static cau_read_options options_of(cau_read_options options, const cau_template *t)
{
    if (!options.format) options.format = CAU_FORMAT_COLUMNS;
    options.template = t;
    return options;
}

static void test_good_lines(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof good / sizeof *good; c++) {
        cau_template *t = template_of(ctx, good[c].template);
        const cau_read_options options = options_of(good[c].options, t);
        const cau_str bytes = {good[c].file, strlen(good[c].file)};
        cau_strbuf got = {0};
        assert_ok(ctx, read_all(ctx, options, bytes, &got));
        if (strcmp(got.s ? got.s : "", good[c].want) != 0)
            fail_msg("case %zu: \"%s\"\nis read as\n%.*sinstead of\n%s", c, good[c].file,
                     (int)got.n, got.s, good[c].want);
        compare_keys(ctx, options, bytes);
        cau_strbuf_clear(&got);
        cau_template_free(t);
    }
    caucus_ctx_free(ctx);
}

static const struct {
    cau_read_options options; /* without format and template */
    const char *template, *file, *message;
} bad[] = {
    {{.layout = {.columns = "1"}},
     WORD,
     "a b X\nc Y\n",
     "file:2: 2 columns, but earlier lines have 3; fix the line or drop it"},
    {{.layout = {.columns = "3"}},
     WORD,
     "a b X\n",
     "file: there is no column '3' for --columns; give a number from 0 to 2"},
    {{.layout = {.label = "x", .header = true}},
     WORD,
     "a b\n",
     "file: there is no column 'x' for --label; give a number from 0 to 1, or a, b"},
    {{.format = CAU_FORMAT_CONLLU},
     WORD,
     "1\ta\tl\tX\n",
     "file:1: 4 columns, but CoNLL-U has 10; fix the line or drop it"},
    {{.format = CAU_FORMAT_CONLLU},
     WORD,
     "a\tl\tX\n",
     "file:1: 'a' is not the number of a word, with which a line of CoNLL-U begins; fix the line, "
     "or is it another format?"},
    {{0},
     WORD,
     "a b c d\n\na b c\n",
     "file:3: 3 columns, but earlier lines have 4; fix the line or drop it"},
    {{0},
     WORD,
     "a b c\na\nb c d\n\n",
     "file:2: 1 column, but earlier lines have 3; fix the line or drop it"},
    {{0}, WORD, "\na\n", "file:2: one column only; the label must be the last of two or more"},
    {{.comments = true},
     WORD,
     "# a\n# b\n\na X\n#\nb\n",
     "file:6: 1 column, but earlier lines have 2; fix the line or drop it"},
    {{.columns = 2},
     WORD,
     "\na\n",
     "file:2: 1 column, but the model wants 2, or 3 with the label; is it the right file?"},
    {{.columns = 2},
     WORD,
     "a b c d\n",
     "file:1: 4 columns, but the model wants 2, or 3 with the label; is it the right file?"},
    {{.columns = 2},
     WORD,
     "a b c\na b\n",
     "file:2: 2 columns, but earlier lines have 3; fix the line or drop it"},
    {{.columns = 2},
     WORD,
     "a b\na b c\n",
     "file:2: 3 columns, but earlier lines have 2; fix the line or drop it"},
    {{0},
     "U:%x[0,1]\n",
     "a X\n",
     "file:1: the template looks at column 1, counted from 0, but only 1 stands before the label; "
     "correct the template, or is it the wrong file?"},
    {{.columns = 2},
     "U:%x[0,7]\n",
     "a b\n",
     "file:1: the template looks at column 7, counted from 0, but only 2 stand before the label; "
     "correct the template, or is it the wrong file?"},
    {{0},
     WORD,
     "a X\nb\x01 X\n\xFF X\n",
     "file:3: invalid UTF-8 at byte 1; convert the file, for example with iconv -t utf-8"},
    {{0},
     WORD,
     "a X\nb\nc \xFF\n",
     "file:2: 1 column, but earlier lines have 2; fix the line or drop it"},
};

static void test_bad_lines(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof bad / sizeof *bad; c++) {
        cau_template *t = template_of(ctx, bad[c].template);
        assert_int_equal(read_all(ctx, options_of(bad[c].options, t),
                                  (cau_str){bad[c].file, strlen(bad[c].file)}, NULL),
                         CAUCUS_ERR_FORMAT);
        assert_string_equal(caucus_message(ctx), bad[c].message);
        cau_template_free(t);
    }
    caucus_ctx_free(ctx);
}

/* The reader has read the whole sequence when it finds an invalid number in the middle: the message
 * names its line, and reading continues after it. */
static void test_bad_number(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_template *t = template_of(ctx, "U:%number[0,1]\n");
    cau_reader *r = NULL;
    cau_read_event event;
    cau_instance in;
    const char *file = "a 1 X\nb one X\nc 1e39 X\nd 2 X\n\n";
    assert_ok(ctx,
              cau_reader_memory(ctx, "file", (cau_str){file, strlen(file)},
                                &(cau_read_options){.format = CAU_FORMAT_COLUMNS, .template = t},
                                CAU_BY_NAME, &r));
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
    assert_int_equal(in.number, 1);
    assert_fails(ctx, cau_reader_next(ctx, r, &event, &in), CAUCUS_ERR_FORMAT, "file:2: ");
    assert_fails(ctx, cau_reader_next(ctx, r, &event, &in), CAUCUS_ERR_FORMAT,
                 "file:3: the number 1e+39 is too large; ");
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
    assert_int_equal(event, CAU_READ_INSTANCE);
    assert_int_equal(in.number, 4);
    assert_true(in.block->nodes.value[in.block->nodes.start[in.row]] == 2);
    assert_memory_equal(in.line.s, "d 2 X", 5);
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
    assert_int_equal(event, CAU_READ_BREAK);
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
    assert_int_equal(event, CAU_READ_END);
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in)); /* the end is reported again */
    assert_int_equal(event, CAU_READ_END);
    cau_reader_free(r);
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* Parts of whole sequences, read by two readers: each part ends a sequence, line numbers are those
 * of the file, and the readers share the number of columns. */
static void test_parts_of_a_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_template *t = template_of(ctx, PAIR);
    cau_strbuf got = {0};
    cau_reader *one = NULL, *two = NULL;
    const cau_read_options options = {.format = CAU_FORMAT_COLUMNS, .template = t};
    assert_ok(ctx, cau_reader_memory(ctx, "file", (cau_str){"a X\nb Y\n", 8}, &options, CAU_BY_NAME,
                                     &one));
    assert_ok(ctx, read_rest(ctx, one, &got));
    assert_ok(ctx, cau_reader_like(ctx, one, &two));
    assert_int_equal(cau_reader_columns(two), 1);
    assert_ptr_equal(cau_reader_template(two), t);
    assert_ok(ctx, read_piece(ctx, two, "c X\n\nd Y\n\n", 4, &got));
    assert_fails(ctx, read_piece(ctx, two, "e X\n\nf Y Z\n", 9, NULL), CAUCUS_ERR_FORMAT,
                 "file:11: 3 columns, but earlier lines have 2; ");
    assert_ok(ctx, read_piece(ctx, one, "g X\nh Y", 20, &got));
    cau_reader_continue(two, (cau_str){"i X\nj Y\n", 8}, 30); /* abandoned after one instance */
    cau_read_event event;
    cau_instance in;
    assert_ok(ctx, cau_reader_next(ctx, two, &event, &in));
    assert_int_equal(in.number, 30);
    assert_ok(ctx, read_piece(ctx, two, "k Y\n", 40, &got));
    assert_string_equal(got.s, "X : U:_B-1/a\nY : U:a/b\nX : U:_B-1/c\n~\nY : U:_B-1/d\n~\n"
                               "X : U:_B-1/g\nY : U:g/h\nY : U:_B-1/k\n");
    cau_reader_free(one);
    cau_reader_free(two);
    cau_template_free(t);
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

/* Without a template the reader makes one at the first line; other readers make the same. */
static void test_default_template(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_reader *one = NULL, *two = NULL;
    cau_strbuf first = {0}, second = {0};
    const cau_read_options options = {.format = CAU_FORMAT_COLUMNS};
    const char *odd = "a\n", *file = "Rates NNS B\nfell VBD O\n";
    assert_ok(ctx, cau_reader_memory(ctx, "file", (cau_str){odd, strlen(odd)}, &options,
                                     CAU_BY_NAME, &one));
    assert_fails(ctx, read_rest(ctx, one, NULL), CAUCUS_ERR_FORMAT, "one column only");
    assert_null(cau_reader_template(one)); /* a failing line does not count as the first */
    assert_int_equal(cau_reader_columns(one), 0);
    assert_ok(ctx, read_piece(ctx, one, file, 1, &first));
    assert_int_equal(cau_reader_columns(one), 2);
    assert_true(cau_template_transitions(cau_reader_template(one)));
    assert_ok(ctx, cau_reader_like(ctx, one, &two));
    cau_reader_free(one); /* the template does not depend on it */
    assert_ok(ctx, read_piece(ctx, two, file, 1, &second));
    assert_string_equal(first.s, second.s);
    assert_true(strstr(first.s, "Rates") && strstr(first.s, "VBD"));
    cau_reader_free(two);
    cau_strbuf_clear(&first);
    cau_strbuf_clear(&second);
    caucus_ctx_free(ctx);
}

/* A sequence of 50,000 lines and cells of 100 kB, from a file that arrives in parts. */
static void test_long_sequence(void **state)
{
    (void)state;
    enum { LINES = 50000, LONG = 100000 };
    caucus_ctx *ctx = test_ctx();
    cau_template *t = template_of(ctx, "U:%x[-1,0]\n");
    cau_strbuf file = {0};
    for (size_t i = 0; i < LINES; i++)
        cau_strbuf_printf(&file, "w%zu%0*d %c\n", i, i % 1000 ? 1 : LONG, 0, i % 2 ? 'A' : 'B');
    assert_ok(ctx, cau_strbuf_status(ctx, &file));
    cau_reader *r = NULL;
    cau_read_event event;
    cau_instance in;
    assert_ok(ctx, cau_reader_open(ctx, test_file("long", file.s, file.n),
                                   &(cau_read_options){.format = CAU_FORMAT_COLUMNS, .template = t},
                                   CAU_BY_NAME, &r));
    for (size_t i = 0; i < LINES; i++) {
        assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
        assert_int_equal(event, CAU_READ_INSTANCE);
        assert_int_equal(in.number, i + 1);
        assert_int_equal(in.label.s[0], i % 2 ? 'A' : 'B');
        size_t before;
        const cau_str name = in.block->nodes.name[in.block->nodes.start[in.row]];
        if (i) assert_true(sscanf(name.s, "U:w%zu", &before) == 1);
        if (i && (i - 1) % 1000 == 0) assert_true(name.n > LONG);
        if (i && (i - 1) % 1000) assert_int_equal(before, 10 * (i - 1)); /* a 0 is appended */
    }
    assert_ok(ctx, cau_reader_next(ctx, r, &event, &in));
    assert_int_equal(event, CAU_READ_END);
    cau_reader_free(r);
    cau_template_free(t);
    cau_strbuf_clear(&file);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_template *template;
    size_t number;
} columns_good_case;

static caucus_status read_good_case(void *self)
{
    const columns_good_case *c = self;
    const char *file = good[c->number].file;
    return read_all(c->ctx, options_of(good[c->number].options, c->template),
                    (cau_str){file, strlen(file)}, NULL);
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t n = 0; n < sizeof good / sizeof *good; n++) {
        cau_template *t = template_of(ctx, good[n].template);
        assert_true(test_every_allocation(read_good_case, &(columns_good_case){ctx, t, n}) > 1);
        cau_template_free(t);
    }
    assert_true(test_every_allocation(read_good_case, &(columns_good_case){ctx, NULL, 0}) > 10);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_lines),       cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_bad_number),       cmocka_unit_test(test_parts_of_a_file),
        cmocka_unit_test(test_default_template), cmocka_unit_test(test_long_sequence),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("text/read_columns", tests, NULL, NULL);
}
