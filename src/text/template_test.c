/* template_test.c - valid templates, their properties, and every error message. */

#include "text/template.h"

#include <string.h>

#include "support/base_sample.h"
#include "support/support.h"
#include "text/template_internal.h"

/* Whether features of edges are made, other than the plain transition. */
static bool has_edges(const cau_template *t)
{
    bool found = false;
    for (size_t i = 0; i < t->pattern_count; i++) found |= t->patterns[i].edge;
    return found;
}

static cau_template *parse(caucus_ctx *ctx, const char *text)
{
    cau_template *t = NULL;
    assert_ok(ctx, cau_template_parse(ctx, "t", str(text), NULL, &t));
    return t;
}

/* The text of a compiled template compiles to a template with the same text. */
static void check_text(caucus_ctx *ctx, const cau_template *t, const char *want)
{
    const cau_str text = cau_template_text(t);
    assert_int_equal(text.n, strlen(want));
    assert_memory_equal(text.s, want, text.n);
    cau_template *again = NULL;
    assert_ok(ctx, cau_template_parse(ctx, "again", text, "/nonexistent", &again));
    assert_int_equal(cau_template_text(again).n, text.n);
    assert_memory_equal(cau_template_text(again).s, text.s, text.n);
    assert_int_equal(cau_template_columns(again), cau_template_columns(t));
    assert_int_equal(cau_template_transitions(again), cau_template_transitions(t));
    assert_int_equal(has_edges(again), has_edges(t));
    assert_int_equal(cau_template_repeats(again), cau_template_repeats(t));
    cau_template_free(again);
}

static void test_facts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
        bool plain, edges, repeats;
    } cases[] = {
        {"U00:%x[0,0]\n", 1, false, false, false},
        {"U00:%x[0,0]\nU01:%x[-1,3]\n\nB\n", 4, true, false, false},
        {"B", 0, true, false, false},
        {"B01:%x[0,1]", 2, false, true, false},
        {"B\nB01:%x[0,1]", 2, true, true, false},
        {"*", 0, true, false, false},
        {"*\n*:%x[0,0]", 1, true, true, false},
        {"U\nU", 0, false, false, true},
        {"U:%x[0,0]\nU:a", 1, false, false, true},
        {"*:%x[0,0]\nb", 1, true, true, false},
        {"b:v=%number[0,2]", 3, false, true, false},
        {"U0:%chars[0,0,2-3]", 1, false, false, true},
        {"U:%x[0,0]\nU:%x[1,0]", 1, false, false, true}, /* a bag of words */
        {"U1%x[0,0]\nU10%x[1,0]", 1, false, false, true},
        {"U1:%x[0,0]\nU10:%x[1,0]", 1, false, false, false},
        {"U1:%x[0,0]\nu1:%x[1,0]", 1, false, false, false},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_template *t = parse(ctx, cases[i].text);
        assert_int_equal(cau_template_columns(t), cases[i].columns);
        assert_int_equal(cau_template_transitions(t), cases[i].plain);
        assert_int_equal(has_edges(t), cases[i].edges);
        assert_int_equal(cau_template_repeats(t), cases[i].repeats);
        cau_template_free(t);
    }
    caucus_ctx_free(ctx);
}

/* Comments, empty lines and the text after '#' in Wapiti's lines are removed; the rest is kept. */
static void test_texts(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_template *t = parse(ctx, "\xEF\xBB\xBF# comment\r\n"
                                 "U00:%x[0,0]#1 \r\n"
                                 "   \t\n"
                                 "u:w=%x[ +0 , 1 ]/100%%  # comment %x[\n"
                                 "u:h=%t[0,0,\"#\"]# a quoted one stays\n"
                                 "B   # CRF++ keeps it\n"
                                 "b\t# Wapiti does not");
    check_text(ctx, t,
               "U00:%x[0,0]#1 \n"
               "u:w=%x[ +0 , 1 ]/100%%\n"
               "u:h=%t[0,0,\"#\"]\n"
               "B   # CRF++ keeps it\n"
               "b\n");
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

static void test_groups(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_template *t = parse(ctx, "@bag words: U0* B\n"
                                 "U00:%x[0,0]\nU01:%x[1,0]\nU10:%x[0,1]\n"
                                 "@bag tags:\tU?0  U10\n"
                                 "u:wrd L=%x[0,0]\n"
                                 "@bag w: u:wrd?L=\n"
                                 "B\n");
    check_text(ctx, t,
               "U00:%x[0,0]\nU01:%x[1,0]\nU10:%x[0,1]\nu:wrd L=%x[0,0]\nB\n"
               "@bag words: U0* B\n@bag tags:\tU?0  U10\n@bag w: u:wrd?L=\n");

    /* feature groups by the patterns of some features */
    static const struct {
        const char *feature, *in;
    } features[] = {{"U00:the", "yyn"}, {"U01:the", "ynn"},     {"U10:DT", "nyn"},
                    {"U11:DT", ""},     {"u:wrd L=the", "nny"}, {"U00", ""}};
    static const char *const bags[] = {"words", "tags", "w"};
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        const size_t pattern = cau_template_pattern_of(t, str(features[i].feature));
        cau_str name, globs;
        size_t at = 0, count = 0;
        assert_int_equal(pattern == SIZE_MAX, *features[i].in == '\0');
        for (; cau_template_bag(t, &at, &name, &globs); count++) {
            assert_int_equal(name.n, strlen(bags[count]));
            assert_memory_equal(name.s, bags[count], name.n);
            if (pattern != SIZE_MAX)
                assert_int_equal(cau_template_in_bag(t, globs, pattern),
                                 features[i].in[count] == 'y');
        }
        assert_int_equal(count, 3);
    }
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* A template that names a file contains its names after compilation. */
static void test_lists(void **state)
{
    (void)state;
    static const char names[] = "New York\r\n\n  Rio\tde  Janeiro \n#1\n";
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    test_file("places.txt", names, sizeof names - 1);
    static const char text[] = "U0:%lex[0,0,\"places.txt\"]\nU1:%lex[0,0,\"places.txt\",lower]\n";
    const char *path = test_file("template", text, sizeof text - 1);
    assert_ok(ctx, cau_template_read(ctx, path, &t));
    check_text(ctx, t,
               "@lex \"places.txt\"\n\tNew York\n\tRio de Janeiro\n\t#1\n"
               "U0:%lex[0,0,\"places.txt\"]\nU1:%lex[0,0,\"places.txt\",lower]\n");
    cau_template_free(t);

    t = parse(ctx, "@lex \"a list\"\n\tA B\n\t C\n\n\nU:%lex[0,0,\"a list\"]\n@lex \"b\"\n\tx");
    check_text(ctx, t, "@lex \"a list\"\n\tA B\n\tC\n@lex \"b\"\n\tx\nU:%lex[0,0,\"a list\"]\n");
    cau_template_free(t);

    assert_fails(ctx, cau_template_parse(ctx, "t", str("U:%lex[0,0,\"none\"]"), "/nonexistent", &t),
                 CAUCUS_ERR_IO, "t:1: /nonexistent/none: ");
    assert_non_null(strstr(caucus_message(ctx), "\n    U:%lex[0,0,\"none\"]\n               ^"));
    test_file("empty.txt", " \n\n", 3);
    static const char bad[] = "U:%lex[0,0,\"empty.txt\"]";
    path = test_file("bad", bad, sizeof bad - 1);
    assert_fails(ctx, cau_template_read(ctx, path, &t), CAUCUS_ERR_FORMAT,
                 "empty.txt has no names; give it one name a line\n");
    assert_fails(ctx, cau_template_read(ctx, test_path("absent"), &t), CAUCUS_ERR_IO, "absent");
    caucus_ctx_free(ctx);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t: a template without a pattern; write at least one, like U00:%x[0,0]"},
        {"# nothing\n\n", "t: a template without a pattern; write at least one, like U00:%x[0,0]"},
        {"U0:%x[0,0]\nX1:%x[0,0]", "t:2: no pattern; begin it with U or B, with u, b or *, with "
                                   "@bag, @lex or @bytes, or with # for "
                                   "a comment\n    X1:%x[0,0]\n    ^"},
        {" U0", "t:1: no pattern; begin it with U or B, with u, b or *, with @bag, @lex or @bytes, "
                "or with "
                "# for a comment\n     U0\n    ^"},
        {"\tname",
         "t:1: no pattern; begin it with U or B, with u, b or *, with @bag, @lex or @bytes, or "
         "with # for a comment\n     name\n    ^"},
        {"U:100%", "t:1: '%' begins no macro; write %% for a percent sign\n    U:100%\n         ^"},
        {"U:%[0,0]",
         "t:1: '%' begins no macro; write %% for a percent sign\n    U:%[0,0]\n      ^"},
        {"U:%y[0,0]",
         "t:1: unknown macro %y; there are %x %X %m %M %t %T %match %test %lower %prefix %suffix "
         "%chars %shape %lex %number, and %% is a percent sign\n    U:%y[0,0]\n      ^"},
        {"U:%prefx[0,0,2]",
         "t:1: unknown macro %prefx; did you mean %prefix?\n    U:%prefx[0,0,2]\n      ^"},
        {"U:%x(0,0)", "t:1: missing [; write %x[row,column]\n    U:%x(0,0)\n        ^"},
        {"U:%x", "t:1: missing [; write %x[row,column]\n    U:%x\n        ^"},
        {"U:%x[a,0]",
         "t:1: the row is no whole number; write %x[row,column]\n    U:%x[a,0]\n         ^"},
        {"U:%x[1.5,0]",
         "t:1: the row is no whole number; write %x[row,column]\n    U:%x[1.5,0]\n          ^"},
        {"U:%x[1001,0]",
         "t:1: the row is too far away; use -1000 to 1000\n    U:%x[1001,0]\n         ^"},
        {"U:%x[0]", "t:1: missing column; write %x[row,column]\n    U:%x[0]\n          ^"},
        {"U:%x[0,a]",
         "t:1: the column is no number; columns count from 0\n    U:%x[0,a]\n           ^"},
        {"U:%x[0,-1]",
         "t:1: the column is no number; columns count from 0\n    U:%x[0,-1]\n           ^"},
        {"U:%x[0,99999999999999999999]",
         "t:1: the column is too large; use 0 to 65535\n    U:%x[0,99999999999999999999]\n"
         "           ^"},
        {"U:%x[0,0", "t:1: missing ]; write %x[row,column]\n    U:%x[0,0\n            ^"},
        {"U:%x[0,0,1]", "t:1: missing ]; write %x[row,column]\n    U:%x[0,0,1]\n            ^"},
        {"U:%prefix[0,0]", "t:1: an argument is missing; write %prefix[row,column,length]\n"
                           "    U:%prefix[0,0]\n                 ^"},
        {"U:%prefix[0,0,x]", "t:1: missing length; write %prefix[row,column,length]\n"
                             "    U:%prefix[0,0,x]\n                  ^"},
        {"U:%suffix[0,0,0]", "t:1: no such lengths; use 1 to 1000, the lesser one first\n"
                             "    U:%suffix[0,0,0]\n                  ^"},
        {"U:%chars[0,0,3-2]", "t:1: no such lengths; use 1 to 32, the lesser one first\n"
                              "    U:%chars[0,0,3-2]\n                 ^"},
        {"U:%chars[0,0,2-33]", "t:1: no such lengths; use 1 to 32, the lesser one first\n"
                               "    U:%chars[0,0,2-33]\n                 ^"},
        {"U:%chars[0,0,2-]", "t:1: missing length; write %chars[row,column,least-most]\n"
                             "    U:%chars[0,0,2-]\n                   ^"},
        {"U:%chars[0,0,2]%chars[0,0,3]",
         "t:1: a second %chars; use two lines\n    U:%chars[0,0,2]%chars[0,0,3]\n"
         "                   ^"},
        {"U:%number[0,2]%number[0,3]",
         "t:1: a second %number; a line has one value, use two lines\n"
         "    U:%number[0,2]%number[0,3]\n                  ^"},
        {"u:%t[0,0,\\d]", "t:1: missing text in quotes; write it as \"text\"\n"
                          "    u:%t[0,0,\\d]\n             ^"},
        {"u:%t[0,0,\"\\d]", "t:1: the quote is never closed; add \" after the text\n"
                            "    u:%t[0,0,\"\\d]\n             ^"},
        {"u:%t[0,0,\"a**\"]",
         "t:1: bad regular expression, '*' follows nothing that it could repeat; fix it, or put \\ "
         "before what is meant literally\n    u:%t[0,0,\"a**\"]\n                ^"},
        {"U:%test[0,0,\"a(b\"]",
         "t:1: bad regular expression, missing closing parenthesis; fix it, or put \\ before what "
         "is meant literally\n    U:%test[0,0,\"a(b\"]\n                    ^"},
        {"U:%lex[0,0,\"\"]",
         "t:1: no file name; write it in quotes\n    U:%lex[0,0,\"\"]\n               ^"},
        {"U:%lex[0,0,\"x\",upper]", "t:1: unknown word; write lower to find names in any case\n"
                                    "    U:%lex[0,0,\"x\",upper]\n                   ^"},
        {"U\n@lex x", "t:2: missing text in quotes; write it as \"text\"\n    @lex x\n         ^"},
        {"@lex \"x\" y\nU",
         "t:1: a list has no name alone; write @lex \"NAME\"\n    @lex \"x\" y\n            ^"},
        {"@lex \"x\"\n\ta\n@lex \"x\"\n\tb\nU",
         "t:3: this list is there already; use another name\n    @lex \"x\"\n        ^"},
        {"U\n@bag : U", "t:2: a group has no name; write @bag NAME: U1* U2*\n    @bag : U\n"
                        "         ^"},
        {"U\n@bag a U", "t:2: a group has no name; write @bag NAME: U1* U2*\n    @bag a U\n"
                        "          ^"},
        {"U\n@bag a:  ", "t:2: a group of nothing; write @bag NAME: U1* U2*\n    @bag a:  \n"
                         "             ^"},
        {"U1:%x[0,0]\n@bag a: U1 U2*",
         "t:2: no pattern begins like this; name some that do\n    @bag a: U1 U2*\n"
         "               ^"},
        {"U\n@bag a: U\n@bag a: U", "t:3: there is a group of this name; use another\n"
                                    "    @bag a: U\n         ^"},
        {"U:日本 é%x[", "t:1: the row is no whole number; write %x[row,column]\n"
                        "    U:日本 é%x[\n               ^"}, /* wide characters take two columns */
        {"U:\x01%x[", "t:1: the row is no whole number; write %x[row,column]\n    U:?%x[\n"
                      "          ^"},
        {"U:\xFF", "t:1: "}, /* the message comes from lines.h */
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_template *t = NULL;
        caucus_status st = cau_template_parse(ctx, "t", str(cases[i].text), "/nonexistent", &t);
        assert_int_equal(st, CAUCUS_ERR_FORMAT);
        assert_null(t);
        if (strcmp(cases[i].message, "t:1: ") != 0)
            assert_string_equal(caucus_message(ctx), cases[i].message);
    }
    caucus_ctx_free(ctx);
}

/* Of a long line, the part around the error is shown. */
static void test_long_line(void **state)
{
    (void)state;
    char line[5001];
    memset(line, 'x', sizeof line - 1);
    line[0] = 'U';
    memcpy(line + 3000, "%y", 2);
    line[5000] = '\0';
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    assert_fails(ctx, cau_template_parse(ctx, "t", str(line), NULL, &t), CAUCUS_ERR_FORMAT,
                 "t:1: unknown macro %yxxx");
    const char *shown = strchr(caucus_message(ctx), '\n') + 1;
    const char *caret = strchr(shown, '\n') + 1;
    assert_int_equal(caret - shown, 4 + 3 + 72 + 3 + 1);
    assert_int_equal(shown[strcspn(caret, "^")], '%');
    assert_memory_equal(shown, "    ...xxx", 10);
    caucus_ctx_free(ctx);
}

static void test_default(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t columns = 1; columns < 30; columns++) {
        cau_template *t = NULL;
        assert_ok(ctx, cau_template_default(ctx, columns, &t));
        assert_true(cau_template_columns(t) == (columns < 16 ? columns : 16));
        assert_true(cau_template_transitions(t));
        assert_false(has_edges(t));
        assert_true(cau_template_repeats(t)); /* only because of its n-grams */
        cau_template_free(t);
    }
    caucus_ctx_free(ctx);
}

static caucus_status compile(void *self)
{
    static const char text[] = "@lex \"l\"\n\ta b\n\tc\n"
                               "@bag g: U*\n"
                               "U:%x[-2,0]/%prefix[0,0,2]%lex[0,0,\"l\",lower]#%number[0,1]\n"
                               "u:%t[0,0,\"^\\u\"]%match[0,0,\"a+\"]\nU0:%chars[0,0,2-3]\nB\n";
    cau_template *t = NULL;
    caucus_status st = cau_template_parse(self, "t", str(text), NULL, &t);
    cau_template_free(t);
    return st;
}

static caucus_status compile_files(void *self)
{
    cau_template *t = NULL;
    caucus_status st = cau_template_read(self, test_path("template"), &t);
    cau_template_free(t);
    t = NULL;
    if (!st) st = cau_template_default(self, 3, &t);
    cau_template_free(t);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(test_every_allocation(compile, ctx) > 20);
    assert_true(test_every_allocation(compile_files, ctx) > 20); /* the files of test_lists */
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),   cmocka_unit_test(test_texts),
        cmocka_unit_test(test_groups),  cmocka_unit_test(test_lists),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_default), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("text/template", tests, NULL, NULL);
}
