/* items_test.c - each form of items, each error with its line, weights and totals. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "support/cluster_sample.h"

/* All items in one plain form: "item feature:value feature:value; item ...". */
static void describe(cau_strbuf *out, const cau_items *items, const cau_alphabet *features)
{
    const cau_csr *x = &items->x;
    assert_int_equal(x->rows, cau_alphabet_size(items->items));
    assert_int_equal(x->columns, cau_alphabet_size(features));
    for (uint32_t i = 0; i < x->rows; i++) {
        cau_strbuf_printf(out, "%s%s", i ? "; " : "", cau_alphabet_name(items->items, i).s);
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            assert_true(e == x->start[i] || x->column[e] > x->column[e - 1]);
            assert_true(x->value[e] != 0);
            cau_strbuf_printf(out, " %s:%g", cau_alphabet_name(features, x->column[e]).s,
                              (double)x->value[e]);
        }
    }
}

static void assert_items(const cau_items_options *options, const char *const *paths, size_t count,
                         const char *want)
{
    caucus_ctx *ctx = test_ctx();
    cau_items items = {0};
    cau_strbuf text = {0};
    assert_ok(ctx, sample_read_items(ctx, options, paths, count, &items));
    describe(&text, &items, items.features);
    assert_string_equal(text.s, want);
    cau_strbuf_clear(&text);
    cau_items_clear(&items);
    caucus_ctx_free(ctx);
}

/* One file with these bytes, read with the form given and, unless told not to, by detection. */
static void assert_reads(cau_items_format format, bool detected, const char *bytes,
                         const char *want)
{
    const char *path = test_text("reads", bytes);
    assert_items(&(cau_items_options){.format = format}, &path, 1, want);
    if (detected) assert_items(&(cau_items_options){0}, &path, 1, want);
}

static void assert_refuses(const cau_items_options *options, const char *bytes, const char *part)
{
    caucus_ctx *ctx = test_ctx();
    cau_items items = {0};
    const char *path = test_text("refused", bytes);
    assert_fails(ctx, sample_read_items(ctx, options, &path, 1, &items), CAUCUS_ERR_FORMAT, part);
    assert_null(items.items);
    caucus_ctx_free(ctx);
}

/* ---- the forms ------------------------------------------------------------------------------ */

static void test_rows(void **state)
{
    (void)state;
    assert_reads(CAU_ITEMS_ROWS, true, "bury\tNP:120\tNP_PP:31\nsay\tthat:4.5\tNP:1\n",
                 "bury NP:120 NP_PP:31; say NP:1 that:4.5");
    assert_reads(CAU_ITEMS_ROWS, true, "bury NP:120  PP:31\n\n  say S:4\r\n",
                 "bury NP:120 PP:31; say S:4");
    assert_reads(CAU_ITEMS_ROWS, true, "New York\tcity:2 a:b:3\n", "New York city:2 a:b:3");
    assert_reads(CAU_ITEMS_ROWS, true, "17\t3:1 4:2\n18\t3:5\n", "17 3:1 4:2; 18 3:5");
    assert_reads(CAU_ITEMS_ROWS, true, "d1\tthe cat sat on the mat\nd2\tthe dog\n",
                 "d1 the:2 cat:1 sat:1 on:1 mat:1; d2 the:1 dog:1");
    assert_reads(CAU_ITEMS_ROWS, true, "a\tx:0 y:1e-60 z:2 z:3\n", "a z:5");
}

static void test_long(void **state)
{
    (void)state;
    const char *want = "bury NP:120 PP:31; say S:4";
    assert_reads(CAU_ITEMS_LONG, true, "bury\tNP\t120\nsay\tS\t4\nbury\tPP\t31\n",
                 "bury NP:120 PP:31; say S:4");
    assert_reads(CAU_ITEMS_LONG, true, "verb,frame,count\nbury,NP,120\nbury, PP ,31\nsay,S,4",
                 want);
    assert_reads(CAU_ITEMS_LONG, true, "bury   NP     120\nbury  PP   31\nsay  S 4\nsay NP 0\n",
                 want);
    assert_reads(CAU_ITEMS_LONG, true, "bury NP 1\n", "bury NP:1");
    assert_reads(CAU_ITEMS_LONG, true, "d1 17 3\nd1 18 1\nd2 17 2\n", "d1 17:3 18:1; d2 17:2");

    const char *path =
        test_text("four", "verb,frame,relfreq,freqcnt\nbury,NP,.8,120\n\nsay,S,1,4\n");
    assert_items(&(cau_items_options){.columns = {0, 1, 3}}, &path, 1, "bury NP:120; say S:4");
    assert_items(&(cau_items_options){.columns = {1, 0, 2}}, &path, 1, "NP bury:0.8; S say:1");
}

static void test_dense(void **state)
{
    (void)state;
    assert_reads(CAU_ITEMS_DENSE, true, "a\t1\t-2.5\t0\nb\t0\t3\t4\n", "a 1:1 2:-2.5; b 2:3 3:4");
    assert_reads(CAU_ITEMS_DENSE, true, "name,x,y,z\na,1,0,2\nb,0,0,1e3\n", "a x:1 z:2; b z:1000");
    assert_reads(CAU_ITEMS_DENSE, true, "a 1\n b  2 \n", "a 1:1; b 1:2");
    assert_reads(CAU_ITEMS_DENSE, true, ",x\na,1\n", "a x:1");
    const char *paths[] = {test_text("p1", "n x y\na 1 2\n"), test_text("p2", "n y z\nb 3 4\n")};
    assert_items(&(cau_items_options){0}, paths, 2, "a x:1 y:2; b y:3 z:4");
}

static void test_svmlight(void **state)
{
    (void)state;
    assert_reads(CAU_ITEMS_SVMLIGHT, true,
                 "# c\n1 1:4 107:2 # bury it \n-1 1:.5\n\n+1 qid:3 2:7#\n",
                 "bury it 1:4 107:2; 2 1:0.5; 3 2:7");
    assert_reads(CAU_ITEMS_SVMLIGHT, true, "1:4 12:2\n3:1\n", "1 1:4 12:2; 2 3:1");
    assert_reads(CAU_ITEMS_SVMLIGHT, false, "cat 01:4 2:2 # x\n", "x 1:4 2:2");
    const char *paths[] = {test_text("s1", "1 1:1\n"), test_text("s2", "1 1:2\n")};
    assert_items(&(cau_items_options){0}, paths, 2, "1 1:1; 2 1:2");
}

/* First lines that fit no format, or several. */
static void test_not_detected(void **state)
{
    (void)state;
    const cau_items_options usual = {0};
    assert_refuses(&usual, "", "no items in its first lines");
    assert_refuses(&usual, "\n \t\n", "no items in its first lines");
    assert_refuses(&usual, "just some words\nand some more words\n", "none of rows, long, dense");
    assert_refuses(&usual, "word\n", "none of rows, long, dense and svmlight");
}

/* Detection ignores the last line if the peek cuts it. */
static void test_long_line(void **state)
{
    (void)state;
    cau_strbuf text = {0};
    cau_strbuf_printf(&text, "a");
    for (int i = 0; i < 300000; i++) cau_strbuf_printf(&text, "\t%d", 10000 + i % 1000);
    caucus_ctx *ctx = test_ctx();
    const char *path = test_file("wide", text.s, text.n);
    cau_items items = {0};
    assert_ok(ctx, sample_read_items(ctx, &(cau_items_options){0}, &path, 1, &items));
    assert_int_equal(items.x.columns, 300000);
    assert_true(items.x.value[999] == 10999);
    cau_items_clear(&items);
    caucus_ctx_free(ctx);
    cau_strbuf_clear(&text);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        cau_items_format format;
        const char *bytes, *part;
    } cases[] = {
        {CAU_ITEMS_ROWS, "a x:1\na y:1\n", "refused:2: the item 'a' stands in "},
        {CAU_ITEMS_ROWS, "a x:1\nb\n", "refused:2: the item 'b' has no feature that is not 0"},
        {CAU_ITEMS_ROWS, "a x:1\nb\t\n", "refused:2: the item 'b' has no feature"},
        {CAU_ITEMS_ROWS, "a x:1\n\nb x:0\n", "refused:3: the item 'b' has no feature"},
        {CAU_ITEMS_ROWS, "a x:1\nb x:y\n", "refused:2: 'y' is not a number"},
        {CAU_ITEMS_ROWS, "a x:\n", "refused:1: '' is not a number"},
        {CAU_ITEMS_ROWS, "a x:inf\n", "refused:1: 'inf' is not finite"},
        {CAU_ITEMS_ROWS, "a x:nan\n", "refused:1: 'nan' is not finite"},
        {CAU_ITEMS_ROWS, "a x:1e39\n", "refused:1: '1e39' is too large"},
        {CAU_ITEMS_ROWS, "a x:-1\n", "refused:1: '-1' is negative"},
        {CAU_ITEMS_ROWS, "a :1\n", "refused:1: ':1' has no feature before the colon"},
        {CAU_ITEMS_ROWS, "a x:3e38 x:3e38\n", "refused:1: the counts of 'x' add up to"},
        {CAU_ITEMS_ROWS, "\tx:1\n", "refused:1: the item has no name"},
        {CAU_ITEMS_ROWS, "a x\xff:1\n", "refused:1: "},
        {CAU_ITEMS_ROWS, "\n", "no items"},

        {CAU_ITEMS_LONG, "a,x,1\nb,x,1\na,y,2\na,x,1\n", "refused:4: 'a' has its 'x' in "},
        {CAU_ITEMS_LONG, "a,x,1\nb,x\n", "refused:2: 2 columns, but earlier lines have 3"},
        {CAU_ITEMS_LONG, "a,x,1,2\n", "refused:1: 4 columns; say with --columns"},
        {CAU_ITEMS_LONG, "a,x\n", "refused:1: 2 columns; say with --columns"},
        {CAU_ITEMS_LONG, "a,x,1\nb,x,one\n", "refused:2: 'one' is not a number"},
        {CAU_ITEMS_LONG, "a,x,1\nb,x,-1\n", "refused:2: '-1' is negative"},
        {CAU_ITEMS_LONG, "a,x,1\n,x,1\n", "refused:2: the item has no name"},
        {CAU_ITEMS_LONG, "a,x,1\nb, ,1\n", "refused:2: a feature has no name"},
        {CAU_ITEMS_LONG, "a,x,1\nb,x,0\nb,y,0\n", "refused:2: the item 'b' has no feature"},
        {CAU_ITEMS_LONG, "item,feature,count\n", "no items"},

        {CAU_ITEMS_DENSE, "a,1\nb,2\na,3\n", "refused:3: the item 'a' stands in "},
        {CAU_ITEMS_DENSE, "a,1,2\nb,1\n", "refused:2: 2 columns, but earlier lines have 3"},
        {CAU_ITEMS_DENSE, "a\n", "refused:1: one column only"},
        {CAU_ITEMS_DENSE, "n,x,x\na,1,2\n", "refused:1: two columns have the name 'x'"},
        {CAU_ITEMS_DENSE, "n,x,\na,1,2\n", "refused:1: a feature has no name"},
        {CAU_ITEMS_DENSE, "a,1,x\n", "refused:1: 'x' is not a number"},
        {CAU_ITEMS_DENSE, "a,1,\n", "refused:1: '' is not a number"},
        {CAU_ITEMS_DENSE, "a,1,2\nb,nan,1\n", "refused:2: 'nan' is not finite"},
        {CAU_ITEMS_DENSE, "a,1,2\nb,0,0\n", "refused:2: the item 'b' has no feature"},

        {CAU_ITEMS_SVMLIGHT, "1 1:1\n1 1:1 x\n", "refused:2: 'x' has no value"},
        {CAU_ITEMS_SVMLIGHT, "1 x:1\n", "refused:1: index 'x' is not a whole number"},
        {CAU_ITEMS_SVMLIGHT, "1 -1:1\n", "refused:1: index '-1' is not a whole number"},
        {CAU_ITEMS_SVMLIGHT, "1 2:1 1:1\n", "refused:1: index 1 after 2; sort the line"},
        {CAU_ITEMS_SVMLIGHT, "1 2:1 2:1\n", "refused:1: index 2 after 2"},
        {CAU_ITEMS_SVMLIGHT, "1 2:-1\n", "refused:1: '-1' is negative"},
        {CAU_ITEMS_SVMLIGHT, "1 1:1 # a\n1 2:1 # a\n", "refused:2: the item 'a' stands in "},
        {CAU_ITEMS_SVMLIGHT, "1 1:1\n2\n", "refused:2: the item '2' has no feature"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refuses(&(cau_items_options){.format = cases[i].format}, cases[i].bytes,
                       cases[i].part);
    assert_refuses(&(cau_items_options){.columns = {0, 1, 5}}, "a,x,1\n",
                   "refused:1: no column 5, there are 0 to 2");

    caucus_ctx *ctx = test_ctx();
    cau_items items = {0};
    const char *path = test_text("argument", "a x:1\n"), *nowhere = test_path("nowhere");
    cau_items_options options = {.columns = {0, 1, 1}};
    assert_fails(ctx, sample_read_items(ctx, &options, &path, 1, &items), CAUCUS_ERR_ARGUMENT,
                 "--columns names a column twice");
    options = (cau_items_options){.total = -1};
    assert_fails(ctx, sample_read_items(ctx, &options, &path, 1, &items), CAUCUS_ERR_ARGUMENT,
                 "scaled to -1");
    options = (cau_items_options){.only = nowhere};
    assert_fails(ctx, sample_read_items(ctx, &options, &path, 1, &items), CAUCUS_ERR_IO, "nowhere");
    options = (cau_items_options){0};
    assert_fails(ctx, sample_read_items(ctx, &options, &nowhere, 1, &items), CAUCUS_ERR_IO,
                 "nowhere");
    caucus_ctx_free(ctx);
}

/* A duplicate names both files. */
static void test_two_files(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_items items = {0};
    const char *rows[] = {test_text("r1", "a x:1\nb x:1\n"), test_text("r2", "c x:1\nb y:1\n")};
    const char *pairs[] = {test_text("l1", "a,x,1\nb,x,1\n"), test_text("l2", "a,y,1\nb,x,2\n")};
    assert_fails(ctx, sample_read_items(ctx, &(cau_items_options){0}, rows, 2, &items),
                 CAUCUS_ERR_FORMAT, "r1:2 already");
    assert_non_null(strstr(caucus_message(ctx), "r2:2: the item 'b' stands in "));
    assert_fails(ctx, sample_read_items(ctx, &(cau_items_options){0}, pairs, 2, &items),
                 CAUCUS_ERR_FORMAT, "l1:2 already");
    assert_non_null(strstr(caucus_message(ctx), "l2:2: 'b' has its 'x' in "));
    caucus_ctx_free(ctx);
}

/* ---- choice, weights and totals ---------------------------------------------------------------
 */

/* Keeps the last note. */
static void keep_note(void *user, const char *note)
{
    snprintf(user, 256, "%s", note);
}

static void test_choice(void **state)
{
    (void)state;
    const char *path = test_text("choice", "a,x,1\nb,y,5\nc,z,3\nb,x,1\nd,x,2\nd,w,1\n");
    const cau_items_options least = {.least = 3};
    assert_items(&least, &path, 1, "b x:1 y:5; c z:3; d x:2 w:1");

    /* Features that only skipped items have do not count; the heading is not an item. */
    const cau_items_options only = {.only = test_text("only", "item\tclass\nc\t1\nb\t2\n\n")};
    assert_items(&only, &path, 1, "b y:5 x:1; c z:3");
    const cau_items_options both = {.only = test_text("only2", "  c 1\nb 2\na 2\n"), .least = 4};
    assert_items(&both, &path, 1, "b x:1 y:5");

    caucus_ctx *ctx = test_ctx();
    cau_items items = {0};
    char note[256] = "";
    caucus_on_note(ctx, keep_note, note);
    assert_ok(ctx, sample_read_items(ctx, &only, &path, 1, &items));
    assert_non_null(strstr(note, "1 of its 3 items are not in the data, 'item' is the first"));
    cau_items_clear(&items);
    const cau_items_options many = {.least = 100};
    assert_fails(ctx, sample_read_items(ctx, &many, &path, 1, &items), CAUCUS_ERR_FORMAT,
                 "no item has 100 occurrences or more");
    const cau_items_options none = {.only = test_text("none", "e\n")};
    assert_fails(ctx, sample_read_items(ctx, &none, &path, 1, &items), CAUCUS_ERR_FORMAT,
                 "no items of those in");
    caucus_ctx_free(ctx);
}

static double value_of(const cau_items *items, const char *item, uint32_t feature)
{
    const cau_csr *x = &items->x;
    const uint32_t i = cau_alphabet_find(items->items, item, strlen(item));
    assert_true(i < x->rows);
    for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
        if (x->column[e] == feature) return (double)x->value[e];
    return 0;
}

static void test_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *path = test_text("weights", "a x:3 y:4 all:1\nb x:1 z:2 all:9\nc z:1 x:0 all:1\n");
    cau_items_options options = {.weigh = CAU_WEIGH_TFIDF};
    cau_items items = {0};

    /* count * log(N / items with it); `all` is in every item. */
    assert_ok(ctx, sample_read_items(ctx, &options, &path, 1, &items));
    assert_int_equal(items.x.columns, 3);
    const uint32_t x = cau_alphabet_find(items.features, "x", 1),
                   y = cau_alphabet_find(items.features, "y", 1),
                   z = cau_alphabet_find(items.features, "z", 1);
    assert_near(value_of(&items, "a", x), 3 * log(1.5), 1e-6);
    assert_near(value_of(&items, "a", y), 4 * log(3), 1e-6);
    assert_near(value_of(&items, "b", z), 2 * log(1.5), 1e-6);
    double idf[3];
    cau_items_idf(&items, idf);
    assert_near(idf[x], log(1.5), 1e-15);
    assert_near(idf[y], log(3), 1e-15);

    cau_items_clear(&items);

    /* Totals are taken after the weights. */
    options = (cau_items_options){.weigh = CAU_WEIGH_TFIDF, .total = 100};
    assert_ok(ctx, sample_read_items(ctx, &options, &path, 1, &items));
    assert_near(value_of(&items, "a", x) + value_of(&items, "a", y), 100, 1e-4);
    assert_near(value_of(&items, "a", x) / value_of(&items, "a", y), 0.75 * log(1.5) / log(3),
                1e-6);
    assert_near(value_of(&items, "c", z), 100, 1e-4);
    cau_items_clear(&items);
    caucus_ctx_free(ctx);

    assert_items(&(cau_items_options){.total = 8}, &path, 1,
                 "a x:3 y:4 all:1; b x:0.666667 all:6 z:1.33333; c all:4 z:4");
    assert_refuses(&options, "a x:1 all:1\nb all:2\n", "refused:2: the item 'b' has nothing left");
    assert_refuses(&(cau_items_options){.total = 1}, "a 1 2\nb 1 -2\n",
                   "refused:2: the item 'b' has values with a negative sum");
    assert_refuses(&(cau_items_options){.total = 1e300}, "a x:1\n",
                   "refused:1: the item 'a' has values that are too large");
}

/* ---- memory -----------------------------------------------------------------------------------
 */

typedef struct {
    cau_items_options options;
    const char *path;
} items_job;

static caucus_status work(void *self)
{
    const items_job *j = self;
    caucus_ctx *ctx = NULL;
    cau_items items = {0};
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = sample_read_items(ctx, &j->options, &j->path, 1, &items);
    cau_items_clear(&items);
    caucus_ctx_free(ctx);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    const char *only = test_text("m-only", "a\nb\nc\n1\n2\n");
    items_job jobs[] = {
        {{.weigh = CAU_WEIGH_TFIDF, .only = only, .least = 2},
         test_text("m1", "a x:2 y:1\nb z:3\n")},
        {{.total = 5}, test_text("m2", "i,f,c\na,x,2\nb,y,3\n")},
        {{.only = only}, test_text("m3", "i x y\na 1 2\nb 3 4\n")},
        {{.only = only}, test_text("m4", "1 1:2\n1 2:3\n")},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        assert_true(test_every_allocation(work, &jobs[i]) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_long),
        cmocka_unit_test(test_dense),        cmocka_unit_test(test_svmlight),
        cmocka_unit_test(test_not_detected), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_two_files),
        cmocka_unit_test(test_choice),       cmocka_unit_test(test_weights),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
