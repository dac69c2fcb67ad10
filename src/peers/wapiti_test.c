/* wapiti_test.c - models of Wapiti: from text, damaged, written and read again. */

#include <stdio.h>

#include "support/peer_sample.h"

/* Weights: u:x 0-1, *:y 2-3 and 4-7, b 8-11. */
#define BODY                                                                                       \
    "1:A,\n1:B,\n#qrk#3\n3:u:x,\n3:*:y,\n1:b,\n0=0x1p+0\n1=-0x1p-1\n3=0x1p+1\n6=0x1p-2\n"          \
    "9=0x1p+2\n10=-0x1p+0\n"
static const char model[] =
    "#mdl#2#6\n#rdr#3/0/0\n10:u:%x[ 0,0],\n9:*:%X[0,0],\n1:b,\n#qrk#2\n" BODY;

#define SETTINGS(format, template)                                                                 \
    "format\t" format "\nngrams\t1\nlower\t0\ncounts\t0\nvalues\t0\ncomments\t0\ndocstart\t0\n"    \
    "columns\t0\n" template
#define TEMPLATE "template\t@bytes\\nu:%x[ 0,0]\\n*:%X[0,0]\\nb\\n\n"

#define WEIGHTS                                                                                    \
    "info\torigin\tWapiti\nclass\tA\nclass\tB\nfrom\t0\t1:0x1p+2\nfrom\t1\t0:-0x1p+0\n"            \
    "weights\teach class\nfeature\tu:x\t0:0x1p+0\t1:-0x1p-1\nfeature\t*:y\t1:0x1p+1\n"             \
    "edge\t*:y\t1>0:0x1p-2\nend\t2\t1\n"
static const char dump[] = "caucus dump 2\nkind\tcrf\n" SETTINGS("columns", TEMPLATE) WEIGHTS;

static void test_read(void **state)
{
    (void)state;
    assert_peer_dump(str(model), dump);
    assert_peer_memory(str(model));
    assert_peer_cuts_refused((cau_str){model, sizeof model - 2}, 5);
}

/* Decoding looks at the weights, not at the type, except in a memm. */
static void test_types(void **state)
{
    (void)state;
    static const char rest[] = "#rdr#3/0/0\n10:u:%x[ 0,0],\n9:*:%X[0,0],\n1:b,\n#qrk#2\n" BODY;
    static const struct {
        const char *first, *kind;
    } cases[] = {{"#mdl#0#6\n", "crf"}, {"#mdl#6\n", "crf"}, {"#mdl#1#6\n", "memm"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf file = {0}, want = {0};
        cau_strbuf_printf(&file, "%s%s", cases[i].first, rest);
        cau_strbuf_printf(&want, "caucus dump 2\nkind\t%s\n%s", cases[i].kind,
                          SETTINGS("columns", TEMPLATE) WEIGHTS);
        assert_peer_dump((cau_str){file.s, file.n}, want.s);
        cau_strbuf_clear(&file);
        cau_strbuf_clear(&want);
    }
    assert_peer_dump(
        str("#mdl#0#1\n#rdr#2/0\n9:u:%x[0,0],\n1:b,\n#qrk#2\n1:A,\n1:B,\n#qrk#2\n3:u:x,\n1:b,\n"
            "1=0x1p+0\n"),
        "caucus dump 2\nkind\tmaxent\n" SETTINGS(
            "columns", "template\tu:%x[0,0]\\nb\\n\n") "info\torigin\tWapiti\nclass\tA\nclass\tB\nw"
                                                       "eights\teach class\n"
                                                       "feature\tu:x\t1:0x1p+0\nend\t1\t0\n");
}

/* Without patterns, cells are observations. */
static void test_no_patterns(void **state)
{
    (void)state;
    static const char want[] = "caucus dump 2\nkind\tmaxent\n" SETTINGS(
        "crfsuite", "") "info\torigin\tWapiti\nclass\tA\nclass\tB\nweights\teach class\n"
                        "feature\tux\t1:0x1p+0\nend\t1\t0\n";
    static const char automatic[] = "caucus dump 2\nkind\tmaxent\n" SETTINGS(
        "crfsuite", "") "info\torigin\tWapiti\nclass\tA\nclass\tB\nweights\teach class\n"
                        "feature\tx\t1:0x1p+0\nend\t1\t0\n";
    assert_peer_dump(str("#mdl#0#1\n#rdr#0/0/0\n#qrk#2\n1:A,\n1:B,\n#qrk#1\n2:ux,\n1=0x1p+0\n"),
                     want);
    assert_peer_dump(str("#mdl#0#1\n#rdr#0/0/1\n#qrk#2\n1:A,\n1:B,\n#qrk#1\n2:ux,\n1=0x1p+0\n"),
                     automatic);
    assert_peer_refused(str("#mdl#2#1\n#rdr#0/0/0\n#qrk#2\n1:A,\n1:B,\n#qrk#1\n2:bx,\n1=0x1p+0\n"),
                        CAUCUS_ERR_UNSUPPORTED, "without patterns");
}

/* The model with one part replaced. */
static void refuse(const char *old, const char *new, const char *words)
{
    cau_strbuf text = {0};
    const char *at = strstr(model, old);
    assert_non_null(at);
    cau_strbuf_add(&text, model, (size_t)(at - model));
    cau_strbuf_printf(&text, "%s%s", new, at + strlen(old));
    assert_peer_refused((cau_str){text.s, text.n}, CAUCUS_ERR_FORMAT, words);
    cau_strbuf_clear(&text);
}

/* A template that would take long to compile. */
static void test_many_patterns(void **state)
{
    (void)state;
    for (int most = 20; most <= 5000; most *= 250) {
        cau_strbuf text = {0};
        cau_strbuf_printf(&text, "#mdl#2#0\n#rdr#%d/0/0\n", most);
        for (int i = 0; i < most; i++)
            cau_strbuf_printf(&text, most == 20 ? "5:b%04d,\n" : "12:b%04d%%x[0,0],\n", i);
        cau_strbuf_printf(&text, "#qrk#1\n1:A,\n#qrk#0\n");
        assert_peer_refused((cau_str){text.s, text.n}, CAUCUS_ERR_FORMAT, "a template of");
        cau_strbuf_clear(&text);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    refuse("#mdl#2#6", "#mdl#3#6", "a bad first line");
    refuse("#mdl#2#6", "#mdl#2#x", "a bad first line");
    refuse("#mdl#2#6", "#mdl#2#7", "not the number of a weight");
    refuse("#mdl#2#6", "#mdl#2#5", "more weights");
    refuse("#rdr#3/0/0", "#rdr#x/0/0", "a bad second line");
    refuse("#rdr#3/0/0", "#rdr#3/0/1", "observations that are cells");
    refuse("#rdr#3/0/0", "#rdr#99999999999999/0/0", "a pattern is longer");
    refuse("10:u", "9:u", "a pattern does not end");
    refuse("10:u", "999999:u", "a pattern is longer");
    refuse("10:u", "99999999999999999999999:u", "a pattern is longer");
    refuse("u:%x[ 0,0]", "x:%x[ 0,0]", "a pattern 'x:");
    refuse("u:%x[ 0,0]", "u:%x[ 0,0#", "a pattern 'u:");
    refuse("u:%x[ 0,0]", "u:%z[ 0,0]", "a template with");
    refuse("u:%x[ 0,0]", "u:%x[ 0,a]", "its template");
    refuse("#qrk#2", "#qrk#0", "0 labels");
    refuse("#qrk#2", "#qrk#99999", "99999 labels");
    refuse("1:A", "1:B", "'B' stands twice");
    refuse("#qrk#3", "#qrk#4", "an observation is longer");
    refuse("#qrk#3", "#qrk#999999999999999999", "an observation is longer");
    refuse("3:u:x", "3:x:x", "an observation 'x:x'");
    refuse("3:u:x", "3:*:y", "two features have the same name");
    refuse("3=0x", "1=0x", "weight 1 after 1");
    refuse("3=0x", "x=0x", "not the number of a weight");
    refuse("3=0x1p+1", "3=0x1p+", "not the number of a weight");
    refuse("3=0x1p+1", "3=inf", "not finite");
    refuse("10=-0x", "12=-0x", "weight 12 of 12");
}

/* ---- writing ---- */

static void test_written(void **state)
{
    (void)state;
    assert_saved_dump(peer_save(dump, CAU_AS_WAPITI, NULL), dump);
    assert_peer_save_memory(dump, CAU_AS_WAPITI);
    char text[2048];
    FILE *file = fopen(peer_save(dump, CAU_AS_WAPITI, NULL), "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, model);
}

/* Transitions of a line `*`, whose name also is a feature of each token; an observation * that has
 * weights of two labels alone. */
static void test_written_both(void **state)
{
    (void)state;
    static const char both[] = "caucus dump 2\nkind\tmemm\n" SETTINGS(
        "columns", "template\t*\\n*:%x[0,0]\\n\n") "info\torigin\tWapiti\nclass\tA\nclass\tB\nfrom"
                                                   "\t0\t1:0x1p+2\nfrom\t1\n"
                                                   "weights\teach "
                                                   "class\nfeature\t*\t0:0x1p+0\nedge\t*:y\t1>0:"
                                                   "0x1p-2\nend\t1\t1\n";
    assert_saved_dump(peer_save(both, CAU_AS_WAPITI, NULL), both);
}

static void test_not_written(void **state)
{
    (void)state;
    static const struct {
        const char *template, *feature, *words;
    } cases[] = {
        {"", "u:x", "no data without a template"},
        {"template\tU:%x[0,0]\\n\n", "U:x", "no templates but lines u, b and *"},
        {"template\tu:%lower[0,0]\\n\n", "u:x", "no templates but lines u, b and *"},
        {"template\tu:%%%x[0,0]\\n\n", "u:x", "no templates but lines u, b and *"},
        {"template\tu:%X[0,0]\\n\n", "u:\xC3\xA9", "no macros of characters beyond ASCII"},
        {"template\tu:%x[0,0]\\n\n", "x", "names do not begin with u, b or *"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf text = {0};
        cau_strbuf_printf(&text,
                          "caucus dump 2\nkind\tcrf\n%s%sclass\tA\nclass\tB\n"
                          "weights\teach class\nfeature\t%s\t0:1\nend\t1\t0\n",
                          SETTINGS("columns", ""), cases[i].template, cases[i].feature);
        (void)peer_save(text.s, CAU_AS_WAPITI, cases[i].words);
        cau_strbuf_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),          cmocka_unit_test(test_types),
        cmocka_unit_test(test_no_patterns),   cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_many_patterns), cmocka_unit_test(test_written),
        cmocka_unit_test(test_written_both),  cmocka_unit_test(test_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
