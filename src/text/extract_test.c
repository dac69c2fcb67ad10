/* extract_test.c - features of small sequences against lists written by hand; keys against the keys
 * of names, for random templates and cells. */

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/data_sample.h"
#include "text/template.h"

enum { POSITIONS = 80, COLUMNS = 4 };

/* Splits "a b/c d" into two positions of two cells each. */
static size_t split(const char *text, cau_str cells[POSITIONS][COLUMNS])
{
    size_t T = 0, c = 0;
    for (const char *p = text;; p++) {
        const size_t n = strcspn(p, " /");
        cells[T][c++] = (cau_str){p, n};
        p += n;
        if (*p == ' ') continue;
        for (; c < COLUMNS; c++) cells[T][c] = (cau_str){"", 0};
        T++;
        c = 0;
        if (!*p) return T;
    }
}

static void add_lines(cau_strbuf *out, const cau_feature_list *list, size_t row, const char *mark)
{
    for (size_t i = list->start[row]; i < list->start[row + 1]; i++) {
        cau_strbuf_printf(out, "%s%.*s", mark, (int)list->name[i].n, list->name[i].s);
        if (!list->plain && list->value[i] != 1)
            cau_strbuf_printf(out, "=%g", (double)list->value[i]);
        cau_strbuf_printf(out, "\n");
    }
}

/* The names of the features at a position, nodes before edges, one per line; the caller frees the
 * text. Checks keys against names. */
static cau_strbuf features(caucus_ctx *ctx, const cau_template *t, const char *text, size_t at)
{
    cau_str cells[POSITIONS][COLUMNS];
    const size_t T = split(text, cells);
    cau_strbuf lines = {0};
    cau_extractor *x[2] = {NULL};
    cau_feature_block block[2] = {{.base = CAU_BY_NAME}, {.base = 3}};
    for (int k = 0; k < 2; k++) assert_ok(ctx, cau_extractor_new(ctx, t, block[k].base, &x[k]));
    for (int again = 0; again < 2; again++) { /* a second sequence gives the same */
        size_t first = again ? 0 : at;        /* the start of the block does not matter */
        for (int k = 0; k < 2; k++) {
            cau_extractor_begin(x[k]);
            for (size_t u = 0; u < T; u++)
                assert_ok(ctx, cau_extractor_add(ctx, x[k], cells[u], 4));
        }
        for (; first <= at; first += block->rows) {
            for (int k = 0; k < 2; k++)
                assert_ok(ctx, cau_extractor_fill(ctx, x[k], first, &block[k]));
            assert_true(block[0].rows > 0 && block[1].rows == block[0].rows);
            for (size_t row = 0; row < block->rows; row++)
                assert_true(rows_agree(&block[0], row, &block[1], row));
            if (at < first || at >= first + block->rows) continue;
            lines.n = 0;
            add_lines(&lines, &block->nodes, at - first, "");
            add_lines(&lines, &block->edges, at - first, "|");
        }
    }
    for (int k = 0; k < 2; k++) {
        cau_extractor_free(x[k]);
        cau_feature_block_clear(&block[k]);
    }
    return lines;
}

static void check(const char *text, const char *sequence, size_t at, const char *want)
{
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    assert_ok(ctx, cau_template_parse(ctx, "t", (cau_str){text, strlen(text)}, NULL, &t));
    cau_strbuf got = features(ctx, t, sequence, at);
    if (strcmp(got.n ? got.s : "", want) != 0)
        fail_msg("%s\non %s at %zu gives\n%s\nbut should give\n%s", text, sequence, at,
                 got.n ? got.s : "", want);
    cau_strbuf_clear(&got);
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* The example of the CRF++ manual: "the" in a sentence of words and tags. */
static void test_crfpp(void **state)
{
    (void)state;
    const char *he = "He PRP/reckons VBZ/the DT/current JJ/account NN";
    check("U00:%x[0,0]\nU01:%x[0,1]\nU02:%x[-1,0]\nU03:%x[-2,1]\nU04:%x[0,0]/%x[0,1]\n"
          "U05:ABC%x[0,1]123\nB\n",
          he, 2, "U00:the\nU01:DT\nU02:reckons\nU03:PRP\nU04:the/DT\nU05:ABCDT123\n");
    check("U00:%x[-2,0]\nU01:%x[-1,0]\nU03:%x[1,0]\nU06:%x[-2,1]/%x[-1,1]/%x[0,1]\n", he, 0,
          "U00:_B-2\nU01:_B-1\nU03:reckons\nU06:_B-2/_B-1/PRP\n");
    check("U00:%x[1,0]\nU01:%x[2,0]/%x[12,0]\n", he, 4, "U00:_B+1\nU01:_B+2/_B+12\n");
    check("B\nB01:%x[0,1]\nU#%x[0,0] # x\n", he, 1, "U#reckons # x\n|B01:VBZ\n");
    check("B\nB01:%x[0,1]\nU\n", he, 0, "U\n"); /* the first position has no edge */
    check("U:100%%%x[0,0]%%\n", he, 0, "U:100%He%\n");
}

static void test_wapiti(void **state)
{
    (void)state;
    /* the example of Wapiti's manual */
    check("u:%x[-1,0]/%x[+1,2]", "a1 b1 c1/a2 b2 c2/a3 b3 c3", 1, "u:a1/c3\n");
    check("*:%x[-1,0]\n*\nb\nb:%X[ 0,0]", "A/Bc", 1, "*:A\n*\n|*:A\n|b:bc\n");
    check("u:%x[-1,0]/%x[-4,0]/%x[-5,0]\nu:%x[1,0]/%x[5,0]", "A", 0,
          "u:_x-1/_x-4/_x-#\nu:_x+1/_x+#\n");
    check("u:%x[@1,0]/%x[@-1,0]/%x[@2,0]/%x[@-3,0]/%x[@0,0]/%x[@4,0]", "A/B/C", 1,
          "u:A/C/B/A/_x-1/_x+1\n");
    check("u:%x[@-1000,0]/%x[@1000,0]", "A", 0, "u:_x-#/_x+#\n");
    check("u:%m[0,0,\"^.?.?\"]\nu:%M[0,0,\"^.?.?\"]\nu:%m[0,0,\"\\d\"]\nu:%t[0,0,\"\\u\"]\n"
          "u:%T[0,0,\"\\d\"]",
          "WORD", 0, "u:WO\nu:wo\nu:\nu:true\nu:false\n");
    check("*:Caps? L=%t[-1,0,\"\\u\"]\nU:Numb? R=%t[ 1,0,\"\\d\"]\nU:%m[-1,0,\"\\d\"]/%X[-1,0]",
          "A", 0, "*:Caps? L=false\nU:Numb? R=true\nU:1/_x-1\n"); /* padding */
}

static void test_functions(void **state)
{
    (void)state;
    check("U1:%prefix[0,0,3]/%suffix[0,0,2]\nU2:%shape[0,0]\nU3:%lower[0,0]", "McDonald's", 0,
          "U1:McD/'s\nU2:XxXxxxx'x\nU3:mcdonald's\n");
    check("U:%test[0,0,\"^Mc\"]/%match[0,0,\"^Ma?c(.)\"]/%t[0,0,\"\\u\"]/%m[0,0,\"^.?.?\"]",
          "McDonald's", 0, "U:true/D/true/Mc\n");
    check("U1:%prefix[-1,0,3]\nU2:%shape[1,0]\nU3:%lower[-2,0]\nU4:%chars[1,0,2]\n"
          "U5:%test[-1,0,\"B\"]\nU6:%match[1,0,\"B\"]",
          "ab", 0, "U1:_B-1\nU2:_B+1\nU3:_B-2\nU4:_B+1\nU5:_B-1\nU6:_B+1\n");
    check("U:%chars[0,0,2-3]", "ab", 0, "U:<a\nU:<ab\nU:ab\nU:ab>\nU:b>\n");
    check("U:%chars[0,0,1-1]|%x[0,1]", "abé x", 0, "U:a|x\nU:b|x\nU:é|x\n");
    check("U:%x[0,1]/%chars[0,0,4-8]/%x[0,1].", "ab x", 0, "U:x/<ab>/x.\n");
    check("U:%chars[0,0,9]", "ab", 0, "");
    check("U:%chars[0,0,2]", "aaa", 0, "U:<a\nU:aa\nU:aa\nU:a>\n"); /* repeated n-grams are kept */
    check("U:%test[0,0,\"^(un|in)\"]/%match[0,0,\"(?:un|in)(.*)ly$\"]", "unhappily", 0,
          "U:true/happi\n");
    check("U:%lower[0,0]%shape[0,0]%prefix[0,0,1]%suffix[0,0,9]", " x", 0, "U:\n"); /* empty */
}

static void test_unicode(void **state)
{
    (void)state;
    check("U1:%lower[0,0]\nU2:%prefix[0,0,2]\nU3:%suffix[0,0,2]\nU4:%shape[0,0]", "GROẞE", 0,
          "U1:große\nU2:GR\nU3:ẞE\nU4:XXXX\n");
    check("U1:%lower[0,0]\nU2:%lower[1,0]", "IİI/ıΣ", 0, "U1:iii\nU2:ıσ\n");
    check("U1:%chars[0,0,3]\nU2:%prefix[0,0,1]", "東京都", 0,
          "U1:<東京\nU1:東京都\nU1:京都>\nU2:東\n");
    check("U1:%suffix[0,0,1]\nU2:%shape[0,0]", "ok😀", 0, "U1:😀\nU2:xx😀\n");
    check("U1:%prefix[0,0,1]\nU2:%shape[0,0]", "e\u0301a", 0, "U1:e\nU2:xx\n");
    check("u:%m[0,0,\"^.?\"]/%t[0,0,\"\\u\"]/%X[0,0]", "Über", 0, "u:Ü/true/über\n");
    check("@bytes\nu:%m[0,0,\"^.?\"]/%t[0,0,\"\\u\"]/%X[0,0]/%lower[0,0]", "ÜBer", 0,
          "u:\xC3/true/Über/über\n");
}

static void test_lists(void **state)
{
    (void)state;
    const char *text = "@lex \"p\"\n\tNew York\n\tNew York City\n\tParis\n"
                       "U1:%lex[0,0,\"p\"]\nU2:%lex[-1,0,\"p\"]/%lex[0,0,\"p\",lower]\n";
    check(text, "in/New/York/paris", 0, "U1:O\nU2:_B-1/O\n");
    check(text, "in/New/York/paris", 1, "U1:B\nU2:O/B\n");
    check(text, "in/New/York/paris", 2, "U1:E\nU2:B/E\n");
    check(text, "in/New/York/paris", 3, "U1:O\nU2:E/S\n");
    check(text, "New/York/City", 1, "U1:I\nU2:B/I\n");
}

static void test_number(void **state)
{
    (void)state;
    check("U1:%number[0,1]\nB2:%x[0,0]=%number[-1,1]", "a 2.5/b -3e2", 1,
          "U1:%number[0,1]=-300\n|B2:b=%number[-1,1]\n");
    check("U1:%number[-1,1]\nU2:%x[0,0]\nU3:%number[@-1,1]", "a 2.5/b 4", 0,
          "U2:a\nU3:%number[@-1,1]=4\n"); /* no cell precedes the first */
    check("U1:%chars[0,0,2]%number[0,1]", "a 7", 0, "U1:<a%number[0,1]=7\nU1:a>%number[0,1]=7\n");

    static const char *const bad[] = {"x", "1e999", "nan", "", "1,5"};
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    cau_extractor *x = NULL;
    assert_ok(ctx, cau_template_parse(ctx, "t", (cau_str){"U:%number[0,0]", 14}, NULL, &t));
    assert_ok(ctx, cau_extractor_new(ctx, t, 0, &x));
    cau_feature_block block = {.base = 0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char want[128];
        const cau_str cell = {bad[i], strlen(bad[i])};
        cau_extractor_begin(x);
        assert_ok(ctx, cau_extractor_add(ctx, x, &cell, 1));
        snprintf(want, sizeof want,
                 "column 0 has '%s', but %%number wants a finite number; fix the cell or the "
                 "template",
                 bad[i]);
        assert_int_equal(cau_extractor_fill(ctx, x, 0, &block), CAUCUS_ERR_FORMAT);
        assert_string_equal(caucus_message(ctx), want);
    }
    cau_feature_block_clear(&block);
    cau_extractor_free(x);
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* An invalid number ends the block before it, and is an error at the start of a block. */
static void test_bad_number_in_block(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    cau_str cells[POSITIONS][COLUMNS];
    assert_ok(ctx, cau_template_parse(ctx, "t", CAU_STR("U0:%x[0,0]\nU1:%number[0,0]"), NULL, &t));
    const size_t T = split("1/2/x/4/5", cells);
    for (int base = CAU_BY_NAME; base <= 0; base++) {
        cau_extractor *x = NULL;
        cau_feature_block block = {.base = base};
        assert_ok(ctx, cau_extractor_new(ctx, t, base, &x));
        cau_extractor_begin(x);
        for (size_t u = 0; u < T; u++) assert_ok(ctx, cau_extractor_add(ctx, x, cells[u], 1));
        assert_ok(ctx, cau_extractor_fill(ctx, x, 0, &block));
        assert_int_equal(block.rows, 2);
        assert_int_equal(block.nodes.start[2], 4);
        assert_int_equal(cau_extractor_fill(ctx, x, 2, &block), CAUCUS_ERR_FORMAT);
        assert_ok(ctx, cau_extractor_fill(ctx, x, 3, &block));
        assert_int_equal(block.rows, 2);
        assert_true(block.nodes.value[1] == 4 && block.nodes.value[3] == 5);
        cau_feature_block_clear(&block);
        cau_extractor_free(x);
    }
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* A cell of a megabyte. */
static void test_long_cell(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    static char big[1 << 20];
    memset(big, 'x', sizeof big);
    const char *text = "U0:%x[0,0]\nU1:%shape[0,0]\nU2:%chars[0,0,2]\nU3:%test[0,0,\"^x*$\"]";
    assert_ok(ctx, cau_template_parse(ctx, "t", (cau_str){text, strlen(text)}, NULL, &t));
    for (int base = CAU_BY_NAME; base <= 0; base++) {
        cau_extractor *x = NULL;
        const cau_str cell = {big, sizeof big};
        cau_feature_block block = {.base = base};
        assert_ok(ctx, cau_extractor_new(ctx, t, base, &x));
        cau_extractor_begin(x);
        assert_ok(ctx, cau_extractor_add(ctx, x, &cell, 1));
        assert_ok(ctx, cau_extractor_fill(ctx, x, 0, &block));
        assert_int_equal(block.nodes.start[1], 3 + sizeof big + 1);
        cau_feature_block_clear(&block);
        cau_extractor_free(x);
    }
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* The number of families that the patterns form. */
static void check_families(const char *text, size_t families, size_t most)
{
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    cau_extractor *x = NULL;
    cau_str cells[POSITIONS][COLUMNS];
    cau_feature_block block = {.base = 0};
    size_t members = 0;
    assert_ok(ctx, cau_template_parse(ctx, "t", (cau_str){text, strlen(text)}, NULL, &t));
    assert_ok(ctx, cau_extractor_new(ctx, t, 0, &x));
    cau_extractor_begin(x);
    split("a A/b B", cells);
    for (size_t u = 0; u < 2; u++) assert_ok(ctx, cau_extractor_add(ctx, x, cells[u], 4));
    assert_ok(ctx, cau_extractor_fill(ctx, x, 0, &block));
    assert_int_equal(block.families, families);
    for (size_t f = 0; f < block.families; f++) {
        const cau_family *family = block.contents[f].family;
        assert_true(family->number > 0 && family->members > 0 && block.contents[f].count >= 2);
        if (family->members > members) members = family->members;
    }
    assert_int_equal(members, most);
    cau_feature_block_clear(&block);
    cau_extractor_free(x);
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* Patterns that apply the same functions at different positions form a family. */
static void test_families(void **state)
{
    (void)state;
    check_families("U0:%x[-1,0]\nU1:%x[0,0]\nU2:%x[1,0]end\nB\nU3:%x[0,0]\n", 1, 4);
    check_families("U0:%x[-1,0]\nU1:%x[0,1]\nU2:%lower[0,0]\nU3:%x[-10,0]\n", 4, 1);
    check_families("U0:%x[0,0]/%x[1,1]\nU1:%x[1,0]/%x[2,1]\n", 1, 2);
    check_families("U0:%x[0,0]/%x[1,1]\nU1:%x[1,0]/%x[3,1]\nU2:%x[0,0]|%x[1,1]\n", 3, 1);
    check_families("U0:%x[0,0]/%x[@1,0]\nU1:%x[1,0]/%x[@1,0]\nU2:%x[1,0]/%x[@2,0]\n", 2, 2);
    check_families("U0:%x[-3,0]\nU1:%x[-2,0]\nU2:%x[-1,0]\nU3:%x[0,0]\nU4:%x[1,0]\n"
                   "U5:%x[2,0]\nU6:%x[3,0]\n",
                   2, 5);
    check_families("U0\nU1:%chars[0,0,2]\n*:%x[0,0]\nU2", 1, 2);
}

/* A random template line; `shift` moves the rows of its macros. */
static void add_pattern(cau_strbuf *text, cau_rng *rng, size_t number, int shift)
{
    static const char *const macros[] = {
        "%%x[%d,%d]",
        "%%X[%d,%d]",
        "%%lower[%d,%d]",
        "%%prefix[%d,%d,2]",
        "%%suffix[%d,%d,3]",
        "%%shape[%d,%d]",
        "%%x[@%d,%d]",
        "%%m[%d,%d,\"^.?\"]",
        "%%test[%d,%d,\"a|ß\"]",
        "%%t[%d,%d,\"\\u\"]",
        "%%match[%d,%d,\"[a-f]+\"]",
        "%%lex[%d,%d,\"l\"]",
        "%%lex[%d,%d,\"l\",lower]",
    };
    bool chars = cau_rng_below(rng, 4) == 0;
    cau_strbuf_printf(text, "%c%zu:", "UBub*"[cau_rng_below(rng, 5)], number);
    for (size_t n = (size_t)cau_rng_below(rng, 9); n > 0; n--) {
        const int row = (int)cau_rng_below(rng, 19) - 9 + shift;
        const int column = (int)cau_rng_below(rng, 3);
        const size_t which = (size_t)cau_rng_below(rng, sizeof macros / sizeof *macros);
        if (cau_rng_below(rng, 2)) cau_strbuf_printf(text, "/%%%%");
        if (chars)
            cau_strbuf_printf(text, "%%chars[%d,%d,1-4]", row, column);
        else
            cau_strbuf_printf(text, macros[which], row, column);
        chars = false;
    }
    cau_strbuf_printf(text, "%s\n", cau_rng_below(rng, 2) ? "" : "end");
}

/* Random templates of all macros over random cells: features() compares names and keys. */
static void test_random(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a", "B", "ß", "東", "1", "-", "😀", "é"};
    cau_rng rng;
    cau_rng_init(&rng, 17);
    caucus_ctx *ctx = test_ctx();
    for (int round = 0; round < 300; round++) {
        cau_strbuf text = {0}, sequence = {0};
        cau_strbuf_printf(&text, "@lex \"l\"\n\ta B\n\tB\n\ta a 1\n");
        for (size_t lines = 1 + (size_t)cau_rng_below(&rng, 6); lines > 0; lines--) {
            const cau_rng line = rng;
            add_pattern(&text, &rng, lines, 0);
            for (size_t more = (size_t)cau_rng_below(&rng, 8); more > 0 && lines % 2; more--) {
                cau_rng again = line; /* the same at other positions */
                add_pattern(&text, &again, lines + 10 * more, (int)cau_rng_below(&rng, 7) - 3);
            }
        }
        const size_t T = 1 + (size_t)cau_rng_below(&rng, round % 20 ? 7 : POSITIONS - 1);
        for (size_t t = 0; t < T; t++)
            for (size_t c = 0; c < 3; c++) {
                for (size_t n = 1 + (size_t)cau_rng_below(&rng, 4); n > 0; n--)
                    cau_strbuf_printf(&sequence, "%s", pieces[cau_rng_below(&rng, 8)]);
                cau_strbuf_printf(&sequence, "%s", c < 2 ? " " : t + 1 < T ? "/" : "");
            }
        cau_template *t = NULL;
        assert_ok(ctx, cau_template_parse(ctx, "t", (cau_str){text.s, text.n}, NULL, &t));
        for (size_t at = 0; at < T; at++) {
            cau_strbuf lines = features(ctx, t, sequence.s, at);
            cau_strbuf_clear(&lines);
        }
        cau_template_free(t);
        cau_strbuf_clear(&text);
        cau_strbuf_clear(&sequence);
    }
    caucus_ctx_free(ctx);
}

/* The default template gives a token a moderate number of features. */
static void test_default(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_template *t = NULL;
    assert_ok(ctx, cau_template_default(ctx, 2, &t));
    cau_strbuf got = features(ctx, t, "in IN/London NNP/. .", 1);
    size_t count = 0;
    for (const char *p = got.s; *p; p++) count += *p == '\n';
    assert_true(count > 40 && count < 60);
    static const char *const some[] = {"U02:London\n",   "U05:in/London\n", "U08:london\n",
                                       "U17:ndon\n",     "U18:<Lo\n",       "U21:Xxxxx\n",
                                       "U23:xx/Xxxxx\n", "U32:NNP\n",       "U36:IN/NNP\n"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) assert_non_null(strstr(got.s, some[i]));
    cau_strbuf_clear(&got);
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_template *t;
    int base;
} extract_job;

static caucus_status extract(void *self)
{
    const extract_job *j = self;
    cau_extractor *x = NULL;
    cau_str cells[POSITIONS][COLUMNS];
    const size_t T = split("New 1/York 2/is 3/far 4", cells);
    cau_feature_block block = {.base = j->base};
    caucus_status st = cau_extractor_new(j->ctx, j->t, j->base, &x);
    if (!st) cau_extractor_begin(x);
    for (size_t t = 0; !st && t < T; t++) st = cau_extractor_add(j->ctx, x, cells[t], 4);
    if (!st) st = cau_extractor_fill(j->ctx, x, 0, &block);
    cau_feature_block_clear(&block);
    cau_extractor_free(x);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    const char *text = "@lex \"l\"\n\tNew York\n"
                       "U0:%x[-2,0]/%lower[0,0]\nU1:%chars[0,0,2-3]\nU2:%shape[0,0]\n"
                       "U3:%lex[0,0,\"l\"]\nU4:%number[0,1]\nu:%t[1,0,\"^\\u\"]\nB:%x[0,0]\n";
    extract_job j = {.ctx = test_ctx()};
    cau_template *t = NULL;
    assert_ok(j.ctx, cau_template_parse(j.ctx, "t", (cau_str){text, strlen(text)}, NULL, &t));
    j.t = t;
    for (j.base = CAU_BY_NAME; j.base <= 0; j.base++) {
        assert_true(test_every_allocation(extract, &j) > 10);
    }
    cau_template_free(t);
    caucus_ctx_free(j.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crfpp),
        cmocka_unit_test(test_wapiti),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_unicode),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_bad_number_in_block),
        cmocka_unit_test(test_long_cell),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_families),
    };
    return cmocka_run_group_tests_name("text/extract", tests, NULL, NULL);
}
