/* crfpp_test.c - models of CRF++: from bytes and text, damaged, written and read again. */

#include <stdio.h>

#include "support/peer_sample.h"

/* Labels A and B; a template of two lines and the transitions. */
static const char *const keys[] = {"B", "B1:x", "U0:x", "U0:y"};
static const int firsts[] = {0, 4, 8, 10}; /* weights */
static const float weights[] = {0, 4, -1, 0.5F, 0, 0, 0.25F, 0, 1, -0.5F, 0, 2};
enum { KEYS = 4, WEIGHTS = 12 };

/* A trie whose nodes are so far apart that no two of them share units. */
static void put_trie(cau_strbuf *file)
{
    enum { APART = 260, NODES = 16 };
    static uint32_t base[APART * (NODES + 1)], check[APART * (NODES + 1)];
    size_t nodes = 1;
    memset(base, 0, sizeof base);
    memset(check, 0, sizeof check);
    base[0] = 1;
    for (int k = 0; k < KEYS; k++) {
        uint32_t b = base[0];
        for (const char *c = keys[k]; *c; c++) {
            const uint32_t p = b + (unsigned char)*c + 1;
            if (check[p] != b) {
                check[p] = b;
                base[p] = (uint32_t)(1 + APART * nodes++);
            }
            b = base[p];
        }
        base[b] = (uint32_t)-firsts[k] - 1;
        check[b] = b;
    }
    assert_true(nodes <= NODES);
    for (size_t u = 0; u < APART * (NODES + 1); u++) put32(file, base[u]), put32(file, check[u]);
}

typedef struct {
    cau_strbuf file;
    size_t labels, templates, trie, weights;
} crfpp_bytes;

static void put_part(cau_strbuf *file, const char *text, size_t n)
{
    put32(file, n);
    cau_strbuf_add(file, text, n);
}

static crfpp_bytes make_bytes(void)
{
    static const char templates[] = "U0:%x[0,0]\0B\0B1:%x[0,0]"; /* 24 bytes; with 4 of labels, a
                                                                    multiple of 4 */
    crfpp_bytes b = {0};
    cau_strbuf *file = &b.file;
    put32(file, 100), put32(file, 0), put_double(file, 2);
    put32(file, WEIGHTS), put32(file, 2), put32(file, 0);
    b.labels = file->n;
    put_part(file, "A\0B", 4);
    b.templates = file->n;
    put_part(file, templates, sizeof templates);
    b.trie = file->n;
    put_trie(file);
    b.weights = file->n;
    set32(file, 24, b.weights - b.trie);
    for (size_t i = 0; i < WEIGHTS; i++) {
        uint32_t bits;
        memcpy(&bits, &weights[i], 4);
        put32(file, bits);
    }
    return b;
}

static cau_str bytes_of(const crfpp_bytes *b)
{
    return (cau_str){b->file.s, b->file.n};
}

static const char text_model[] =
    "version: 100\ncost-factor: 2\nmaxid: 12\nxsize: 2\n\nA\nB\n\nU0:%x[0,0]\nB\nB1:%x[0,0]\n\n"
    "0 B\n4 B1:x\n8 U0:x\n10 U0:y\n\n0.0000000000000000\n4.0000000000000000\n-1.0000000000000000\n"
    "0.5000000000000000\n0\n0\n0.25\n0\n1.0000000000000000\n-0.5\n0\n2\n";

#define SETTINGS                                                                                   \
    "format\tcolumns\nngrams\t1\nlower\t0\ncounts\t0\nvalues\t0\ncomments\t0\ndocstart\t0\n"       \
    "columns\t2\ntemplate\t" TEMPLATE "\n"
#define TEMPLATE "U0:%x[0,0]\\nB\\nB1:%x[0,0]\\n"

/* Features in the order of their first letters: what is on edges comes apart. */
static const char dump[] =
    "caucus dump 2\nkind\tcrf\n" SETTINGS "info\torigin\tCRF++\nclass\tA\nclass\tB\n"
    "from\t0\t1:0x1p+2\nfrom\t1\t0:-0x1p+0\t1:0x1p-1\nweights\teach class\n"
    "feature\tU0:x\t0:0x1p+0\t1:-0x1p-1\nfeature\tU0:y\t1:0x1p+1\n"
    "edge\tB1:x\t1>0:0x1p-2\nend\t2\t1\n";

static void test_read(void **state)
{
    (void)state;
    crfpp_bytes b = make_bytes();
    assert_peer_dump(bytes_of(&b), dump);
    assert_peer_dump(str(text_model), dump);
    assert_peer_memory(bytes_of(&b));
    assert_peer_memory(str(text_model));
    assert_peer_cuts_refused((cau_str){b.file.s, b.trie + 40}, 8);
    assert_peer_cuts_refused((cau_str){text_model, sizeof text_model - 3}, 9);
    cau_strbuf_clear(&b.file);
}

static void test_damaged(void **state)
{
    (void)state;
    crfpp_bytes b = make_bytes();
    const struct {
        size_t at, value;
        const char *words;
    } cases[] = {
        {16, WEIGHTS - 1, "where it notes"},
        {16, UINT32_MAX, "where it notes"},
        {20, 0, "0 columns"},
        {24, b.weights - b.trie + 8, "where it notes"},
        {b.labels, 1 << 30, "the labels are longer"},
        {b.labels, 3, "the labels do not end"},
        {b.labels + 4, 'A' | 'A' << 16, "'A' stands twice"},
        {b.templates, 1 << 30, "the templates are longer"},
        {b.templates, 23, "the templates do not end"},
        {b.templates + 4, 'X', "no pattern"},
        {b.templates + 8, '%' | 'l' << 8 | '[' << 16 | '0' << 24, "a template with 'U0:%%l[0"},
        {b.templates + 12, ',' << 8 | '9' << 16 | ']' << 24, "its template:1: the column"},
        {b.trie, 0, "no double array"},
        {b.trie, UINT32_MAX, "no double array"},
        {b.trie + 8 * 261, 0xFFFFFFFF - 11, "outside of the file"},
        {b.weights + 16, 0x7F800000, "not finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crfpp_bytes bad = make_bytes();
        set32(&bad.file, cases[i].at, cases[i].value);
        assert_peer_refused(bytes_of(&bad), CAUCUS_ERR_FORMAT, cases[i].words);
        cau_strbuf_clear(&bad.file);
    }
    cau_strbuf_clear(&b.file);
}

/* A text model with one part replaced. */
static void refuse_text(const char *old, const char *new, const char *words)
{
    cau_strbuf text = {0};
    const char *at = strstr(text_model, old);
    assert_non_null(at);
    cau_strbuf_add(&text, text_model, (size_t)(at - text_model));
    cau_strbuf_printf(&text, "%s%s", new, at + strlen(old));
    assert_peer_refused((cau_str){text.s, text.n}, CAUCUS_ERR_FORMAT, words);
    cau_strbuf_clear(&text);
}

static void test_damaged_text(void **state)
{
    (void)state;
    refuse_text("version: 100", "version: 200", "another version");
    refuse_text("version: 100", "version: x", "line 1: not a line of its header");
    refuse_text("maxid: 12", "maxid: 13", "not a weight");
    refuse_text("maxid: 12", "maxid: 11", "more weights");
    refuse_text("maxid: 12", "maxid: 99999999999", "fewer weights");
    refuse_text("xsize: 2", "xsize: 0", "0 columns");
    refuse_text("xsize: 2", "size: 2", "line 4: not a line of its header");
    refuse_text("A\nB\n", "", "0 labels");
    refuse_text("U0:%x[0,0]", "U0:%x[0,7]", "looks at column 7 of 2");
    refuse_text("8 U0:x", "x U0:x", "line 15: not the number and the name");
    refuse_text("8 U0:x", "8 ", "line 15: not the number and the name");
    refuse_text("8 U0:x", "8 X0:x", "a feature 'X0:x'");
    refuse_text("8 U0:x", "11 U0:x", "outside of the file");
    refuse_text("10 U0:y", "10 U0:x", "two features have the same name");
    refuse_text("0.25", "a quarter", "not a weight");
    refuse_text("0.25", "nan", "not finite");
}

/* ---- writing ---- */

static void test_written(void **state)
{
    (void)state;
    assert_saved_dump(peer_save(dump, CAU_AS_CRFPP, NULL), dump);
    assert_saved_dump(peer_save(dump, CAU_AS_CRFPP_TEXT, NULL), dump);
    assert_peer_save_memory(dump, CAU_AS_CRFPP);
    assert_peer_save_memory(dump, CAU_AS_CRFPP_TEXT);
}

/* The text, with all weights of each feature, in the order of names. */
static void test_text_form(void **state)
{
    (void)state;
    char text[2048];
    FILE *file = fopen(peer_save(dump, CAU_AS_CRFPP_TEXT, NULL), "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    static const char head[] =
        "version: 100\ncost-factor: 1\nmaxid: 12\nxsize: 2\n\nA\nB\n\nU0:%x[0,0]\nB\n"
        "B1:%x[0,0]\n\n0 B\n4 B1:x\n8 U0:x\n10 U0:y\n\n0.0000000000000000\n4.0000000000000000\n";
    assert_memory_equal(text, head, strlen(head));
    size_t lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    assert_int_equal(lines, 4 + 1 + 2 + 1 + 3 + 1 + 4 + 1 + 12);
}

/* A model whose template, reading options or names CRF++ does not have. */
static void test_not_written(void **state)
{
    (void)state;
    static const char crf[] = "caucus dump 2\nkind\tcrf\nformat\tcolumns\nngrams\t1\nlower\t0\n"
                              "counts\t0\nvalues\t0\ncomments\t0\ndocstart\t0\ncolumns\t2\n";
    static const struct {
        const char *template, *feature, *words;
    } cases[] = {
        {"", "U:x", "no data without a template"},
        {"template\tU:%lower[0,0]\\n\n", "U:x", "no templates but lines U and B"},
        {"template\tu:%x[0,0]\\n\n", "u:x", "no templates but lines U and B"},
        {"template\tU:%x[9,0]\\n\n", "U:x", "no templates but lines U and B"},
        {"template\tU:%x[@1,0]\\n\n", "U:x", "no templates but lines U and B"},
        {"template\tU:%%%x[0,0]\\n\n", "U:x", "no templates but lines U and B"},
        {"template\tU:%x[0,0]\\n\n", "x", "names do not begin with U or B"},
        {"template\tU :%x[0,0]\\n\n", "U :x", "names with blanks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf text = {0};
        cau_strbuf_printf(&text,
                          "%s%sclass\tA\nclass\tB\nweights\teach class\nfeature\t%s\t0:1\n"
                          "end\t1\t0\n",
                          crf, cases[i].template, cases[i].feature);
        (void)peer_save(text.s, CAU_AS_CRFPP_TEXT, cases[i].words);
        cau_strbuf_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),         cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_damaged_text), cmocka_unit_test(test_written),
        cmocka_unit_test(test_text_form),    cmocka_unit_test(test_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
