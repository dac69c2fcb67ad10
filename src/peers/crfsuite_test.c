/* crfsuite_test.c - models of CRFsuite: from bytes, damaged, written and read again. */

#include <stdio.h>

#include "peers/lookup3.h"
#include "support/peer_sample.h"

/* Two labels, three attributes; the second has its labels in descending order, the third only one.
 * The offsets of the parts are kept to damage them. */
typedef struct {
    cau_strbuf file;
    size_t features, labels, attributes, of_labels, of_attributes;
} crfsuite_bytes;

static void put_feature(cau_strbuf *file, size_t type, size_t from, size_t to, double w)
{
    put32(file, type), put32(file, from), put32(file, to), put_double(file, w);
}

/* A table of names without hash tables, which only CRFsuite needs. */
static size_t put_names(cau_strbuf *file, const char *const *name, size_t count)
{
    const size_t at = file->n;
    size_t record[8];
    cau_strbuf_add(file, "CQDB", 4);
    put32(file, 0), put32(file, 0), put32(file, 0x62445371), put32(file, count), put32(file, 0);
    for (size_t i = 0; i < 512; i++) put32(file, 0);
    for (size_t i = 0; i < count; i++) {
        record[i] = file->n - at;
        put32(file, i), put32(file, strlen(name[i]) + 1);
        cau_strbuf_add(file, name[i], strlen(name[i]) + 1);
    }
    set32(file, at + 20, file->n - at);
    for (size_t i = 0; i < count; i++) put32(file, record[i]);
    set32(file, at + 4, file->n - at);
    return at;
}

/* Lists of features; each has the numbers up to the next -1. */
static size_t put_lists(cau_strbuf *file, const char *letters, size_t count, const int *number)
{
    const size_t at = file->n;
    cau_strbuf_add(file, letters, 4);
    put32(file, 0), put32(file, count);
    for (size_t i = 0; i < count; i++) put32(file, 0);
    for (size_t i = 0; i < count; i++, number++) {
        size_t n = 0;
        while (number[n] >= 0) n++;
        set32(file, at + 12 + 4 * i, file->n);
        for (put32(file, n); *number >= 0; number++) put32(file, (size_t)*number);
    }
    return at;
}

static crfsuite_bytes make_bytes(void)
{
    static const char *const labels[] = {"A", "B"}, *const attributes[] = {"x", "y", "w=\xC3\xA9"};
    static const int of_labels[] = {5, -1, 6, 7, -1, -1, -1};
    static const int of_attributes[] = {0, 1, -1, 3, 2, -1, 4, -1};
    crfsuite_bytes b = {0};
    cau_strbuf *file = &b.file;
    cau_strbuf_add(file, "lCRF", 4), put32(file, 0);
    cau_strbuf_add(file, "FOMC", 4), put32(file, 100), put32(file, 0);
    put32(file, 2), put32(file, 3);
    for (int i = 0; i < 5; i++) put32(file, 0);
    b.features = file->n;
    cau_strbuf_add(file, "FEAT", 4), put32(file, 0), put32(file, 8);
    put_feature(file, 0, 0, 0, 1), put_feature(file, 0, 0, 1, -0.5);
    put_feature(file, 0, 1, 0, 0.25), put_feature(file, 0, 1, 1, 2);
    put_feature(file, 0, 2, 1, 3);
    put_feature(file, 1, 0, 1, 4), put_feature(file, 1, 1, 0, -1), put_feature(file, 1, 1, 1, 0.5);
    b.labels = put_names(file, labels, 2);
    b.attributes = put_names(file, attributes, 3);
    b.of_labels = put_lists(file, "LFRF", 4, of_labels);
    b.of_attributes = put_lists(file, "AFRF", 3, of_attributes);
    const size_t parts[] = {b.features, b.labels, b.attributes, b.of_labels, b.of_attributes};
    for (size_t i = 0; i < 5; i++) set32(file, 28 + 4 * i, parts[i]);
    set32(file, 4, file->n);
    return b;
}

static cau_str bytes_of(const crfsuite_bytes *b)
{
    return (cau_str){b->file.s, b->file.n};
}

#define SETTINGS                                                                                   \
    "format\tcrfsuite\nngrams\t1\nlower\t0\ncounts\t0\nvalues\t0\ncomments\t0\ndocstart\t0\n"      \
    "columns\t0\n"

static const char dump[] = "caucus dump 2\nkind\tcrf\n" SETTINGS "info\torigin\tCRFsuite\n"
                           "class\tA\nclass\tB\nfrom\t0\t1:0x1p+2\nfrom\t1\t0:-0x1p+0\t1:0x1p-1\n"
                           "weights\teach class\n"
                           "feature\tx\t0:0x1p+0\t1:-0x1p-1\nfeature\ty\t0:0x1p-2\t1:0x1p+1\n"
                           "feature\tw=\xC3\xA9\t1:0x1.8p+1\nend\t3\t0\n";

static void test_read(void **state)
{
    (void)state;
    crfsuite_bytes b = make_bytes();
    assert_peer_dump(bytes_of(&b), dump);
    assert_peer_memory(bytes_of(&b));
    assert_peer_cuts_refused(bytes_of(&b), 4);
    cau_strbuf_clear(&b.file);
}

/* A number at an offset that makes the file contradict itself. */
static void test_damaged(void **state)
{
    (void)state;
    crfsuite_bytes b = make_bytes();
    const size_t feature = b.features + 12, size = b.file.n;
    const size_t label_array = b.labels + 24 + 2048 + 20; /* two records of 10 bytes */
    const struct {
        size_t at, value;
        const char *words;
    } cases[] = {
        {4, size - 1, "its size is not"},
        {20, 0, "0 labels"},
        {20, 9000, "9000 labels"},
        {24, 4, "a table of names is longer"},
        {28, size - 4, "no part FEAT"},
        {28, b.labels, "no part FEAT"},
        {32, b.features, "no table of names"},
        {40, b.of_attributes, "no part LFRF"},
        {44, UINT32_MAX, "no part AFRF"},
        {b.features + 8, 1 << 30, "longer than the file"},
        {b.of_labels + 8, 1, "1 lists of transitions"},
        {b.of_attributes + 8, 2, "2 lists of features"},
        {b.labels + 12, 1, "another byte order"},
        {b.labels + 20, size, "longer than the file"},
        {label_array, size, "name 0 is not where"},
        {label_array, 24 + 2048 + 10, "name 0 is not where"},
        {b.labels + 24 + 2048 + 4, 1, "does not end where"},
        {b.labels + 24 + 2048 + 4, 0, "longer than the file"},
        {b.labels + 24 + 2048 + 8, 'B' | 1 << 16, "'B' stands twice"},
        {b.attributes + 24 + 2048 + 8, 'y' | 1 << 16, "two features have the same name"},
        {b.of_labels + 12, size - 2, "list 0 of features"},
        {b.of_labels + 28, 9, "9 transitions to 2 labels"},
        {b.of_labels + 28, 1 << 30, "list 0 of features"},
        {b.of_attributes + 16, b.of_labels, "list 1 of features"},
        {b.of_labels + 32, 8, "feature 8 of 8"},
        {b.of_labels + 32, 4, "wrong list"},
        {feature + 5 * 20 + 8, 2, "wrong list"},
        {feature + 20 + 8, 0, "has a label twice"},
        {feature + 16, 0x7FF00000, "not finite"},
        {feature + 16, 0x48000000, "not finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crfsuite_bytes bad = make_bytes();
        set32(&bad.file, cases[i].at, cases[i].value);
        assert_peer_refused(bytes_of(&bad), CAUCUS_ERR_FORMAT, cases[i].words);
        cau_strbuf_clear(&bad.file);
    }
    set32(&b.file, 12, 101);
    assert_peer_refused(bytes_of(&b), CAUCUS_ERR_UNSUPPORTED, "another version");
    set32(&b.file, 12, 100);
    b.file.s[b.labels + 24 + 2048 + 8] = '\xFF';
    assert_peer_refused(bytes_of(&b), CAUCUS_ERR_UNSUPPORTED, "label 0 is not UTF-8");
    cau_strbuf_clear(&b.file);
}

static void test_names_that_are_not_utf8(void **state)
{
    (void)state;
    crfsuite_bytes b = make_bytes();
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = NULL;
    cau_strbuf notes = {0};
    caucus_on_note(ctx, collect_note, &notes);
    b.file.s[b.attributes + 24 + 2048 + 8] = '\xFF';
    assert_ok(ctx, cau_peers_from_bytes(ctx, b.file.s, b.file.n, &model));
    assert_non_null(strstr(notes.s, "1 names of features are not UTF-8"));
    cau_strbuf_clear(&notes);
    cau_model_free(model);
    caucus_ctx_free(ctx);
    cau_strbuf_clear(&b.file);
}

/* ---- writing ---- */

static void test_written(void **state)
{
    (void)state;
    assert_saved_dump(peer_save(dump, CAU_AS_CRFSUITE, NULL), dump);
    assert_peer_save_memory(dump, CAU_AS_CRFSUITE);
}

/* Classifiers and models with dense rows can be written too; zeros are left out. */
static void test_written_dense(void **state)
{
    (void)state;
    static const char maxent[] = "caucus dump 2\nkind\tmaxent\n" SETTINGS "class\tA\nclass\tB\n"
                                 "weights\teach class\nfeature\tx\t0:1\t1:2\nfeature\ty\t1:2\n"
                                 "end\t2\t0\n";
    static const char want[] =
        "caucus dump 2\nkind\tcrf\n" SETTINGS "info\torigin\tCRFsuite\nclass\tA\nclass\tB\n"
        "from\t0\nfrom\t1\nweights\teach class\nfeature\tx\t0:0x1p+0\t1:0x1p+1\n"
        "feature\ty\t1:0x1p+1\nend\t2\t0\n";
    assert_saved_dump(peer_save(maxent, CAU_AS_CRFSUITE, NULL), want);
}

static void test_not_written(void **state)
{
    (void)state;
    static const char head[] = "caucus dump 2\nkind\t";
    static const struct {
        const char *kind, *rest, *words;
    } cases[] = {
        {"memm\n", "class\tA\nweights\teach class\nend\t0\t0\n", "no models of kind memm"},
        {"maxent\n", "class\tA\t1\nweights\teach class\nend\t0\t0\n", "no intercepts"},
        {"maxent\n", "class\tA\nclass\tB\nweights\tall classes\nend\t0\t0\n", "one weight for all"},
        {"crf\n", "class\tA\nweights\teach class\nedge\te\t0>0:1\nend\t0\t1\n", "two labels"},
        {"crf\n", "pool\tproduct\tsequence\tchain\t1\nclass\tA\nweights\teach class\nend\t0\t0\n",
         "no pools"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf text = {0};
        cau_strbuf_printf(&text, "%s%s" SETTINGS "%s", head, cases[i].kind, cases[i].rest);
        (void)peer_save(text.s, CAU_AS_CRFSUITE, cases[i].words);
        cau_strbuf_clear(&text);
    }
}

/* Values from the test program of the hash. */
static void test_hash(void **state)
{
    (void)state;
    assert_int_equal(cau_lookup3("", 0), 0xdeadbeef);
    assert_int_equal(cau_lookup3("Four score and seven years ago", 30), 0x17770551);
}

/* CRFsuite's way to find a name: by its hash, in the table of its lowest byte. */
static void test_hash_tables(void **state)
{
    (void)state;
    cau_strbuf text = {0}, file = {0};
    cau_strbuf_printf(&text,
                      "caucus dump 2\nkind\tcrf\n" SETTINGS "class\tA\nweights\teach class\n");
    for (int i = 0; i < 600; i++) cau_strbuf_printf(&text, "feature\tw=%d\t0:1\n", i);
    cau_strbuf_printf(&text, "end\t600\t0\n");
    FILE *in = fopen(peer_save(text.s, CAU_AS_CRFSUITE, NULL), "rb");
    char bytes[4096];
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;) cau_strbuf_add(&file, bytes, n);
    fclose(in);
    const char *names = file.s + get32(file.s + 36);
    for (uint32_t i = 0; i < 600; i++) {
        char name[16];
        const size_t n = (size_t)snprintf(name, sizeof name, "w=%u", i) + 1;
        const uint32_t hash = cau_lookup3(name, n);
        const char *table = names + 24 + 8 * (hash % 256);
        const char *first = names + get32(table);
        const uint32_t room = get32(table + 4);
        uint32_t at = (hash >> 8) % room, steps = 0;
        while (get32(first + 8 * at) != hash && steps++ < room) at = (at + 1) % room;
        const char *record = names + get32(first + 8 * at + 4);
        assert_int_equal(get32(record), i);
        assert_string_equal(record + 8, name);
    }
    cau_strbuf_clear(&text);
    cau_strbuf_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_names_that_are_not_utf8),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_written_dense),
        cmocka_unit_test(test_not_written),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
