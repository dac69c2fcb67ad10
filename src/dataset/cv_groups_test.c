/* cv_groups_test.c - cross-validation groups by document, column and file, and splits that keep
 * them whole. */

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "dataset/subset.h"
#include "support/dataset_sample.h"

static caucus_status read_words(caucus_ctx *ctx, cau_data_options options, const char *text,
                                caucus_data **out)
{
    if (!options.template && !options.read.format)
        options.template = test_text("template", "U:%x[0,0]\n");
    return read_with(ctx, options, text, out);
}

/* The units of the training sequences, as "0 0 1"; "none" without units. */
static void assert_units(const caucus_data *data, const char *want)
{
    cau_strbuf out = {0};
    const cau_dataset *s = &data->train;
    for (size_t q = 0; s->unit && q < s->S; q++)
        cau_strbuf_printf(&out, "%s%u", q ? " " : "", (unsigned)s->unit[q]);
    assert_string_equal(out.s ? out.s : "none", want);
    cau_strbuf_clear(&out);
    assert_null(data->dev.unit);
    assert_null(data->test.unit);
}

static void test_by(void **state)
{
    (void)state;
    static const struct {
        const char *by;
        bool docstart, comments;
        const char *text, *units;
    } cases[] = {
        {NULL, true, false, "a A\n\nb B\n", "none"},
        {"sequence", true, false, "-DOCSTART- O\n\na A\n\nb B\n", "none"},
        /* Document marks are not data. The first sequence precedes all marks. */
        {"document", true, false, "a A\n\n-DOCSTART- O\n\nb B\n\nc A\n\n-DOCSTART- O\nd A\n",
         "0 1 1 2"},
        /* Consecutive marks, a mark at the end, and one that ends a sequence. */
        {"document", true, false,
         "-DOCSTART-\n\n-DOCSTART-\na A\nb B\n-DOCSTART-\nc A\n\nd A\n\n-DOCSTART-\n", "0 1 1"},
        /* Blank lines and comments form no sequence, so they get no unit. */
        {"document", true, true,
         "\n\n# x\n\n-DOCSTART-\n# y\n\na A\n\n\n# z\n\nb B\n\n-DOCSTART-\n\n# u\n\nc A\n",
         "0 0 1"},
        /* Marks kept as sequences belong to the document that they begin. */
        {"document", false, false,
         "a A\n\n-DOCSTART- O\n\nb B\n\nc A\n\n-DOCSTART- O\n\n-DOCSTART- O\nd A\n", "0 1 1 1 2 3"},
        /* Within a sequence a mark is a word. */
        {"document", false, false, "-DOCSTART- O\n\na A\n-DOCSTART- O\n\nb B\n", "0 0 0"},
        {"0", false, false, "a A\nb B\n\nb A\n\na A\n\nc B\nb B\n\nb B\n", "0 1 0 2 1"},
        {"2", false, false, "a\tx  y A\nb x z B\n\nb x z A\n\n a x y A\n", "0 1 0"},
        {"1", true, true, "-DOCSTART-\n#\na A\n\n# no\nb B\n\nb A\n", "0 1 0"}, /* the label */
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const cau_data_options options = {
            .by = cases[c].by,
            .read = {.docstart = cases[c].docstart, .comments = cases[c].comments}};
        caucus_data *data = NULL;
        assert_ok(ctx, read_words(ctx, options, cases[c].text, &data));
        assert_units(data, cases[c].units);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* Each file begins a document, whatever its first line; a group continues in the next file. Dev and
 * test files have no units. */
static void test_files(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *paths[] = {test_text("none", "\n"),
                           test_text("one", "a A\n\n-DOCSTART- O\n\nb B\n"),
                           test_text("two", "c A\n\na B\n")};
    cau_data_options options = {.by = "document",
                                .template = test_text("template", "U:%x[0,0]\n"),
                                .dev = test_text("dev", "-DOCSTART- O\n\na A\n"),
                                .test = test_text("test", "b A\n\n-DOCSTART- O\n\na A\n"),
                                .read = {.docstart = true}};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_read(ctx, &options, paths, 3, &data));
    assert_units(data, "0 1 2 2");
    assert_int_equal(data->test.S, 2);
    const size_t with = cau_dataset_bytes(&data->train);
    cau_data_free(data);

    data = NULL;
    options.by = NULL;
    assert_ok(ctx, cau_data_read(ctx, &options, paths, 3, &data));
    assert_int_equal(with - cau_dataset_bytes(&data->train), 4 * sizeof(uint32_t));
    cau_data_free(data);

    data = NULL;
    options.by = "0";
    assert_ok(ctx, cau_data_read(ctx, &options, paths, 3, &data));
    assert_units(data, "0 1 2 0");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* By file, in all formats: the unit is the number of the file. In text, svmlight and megam each
 * instance has a unit. */
static void test_by_file(void **state)
{
    (void)state;
    static const struct {
        cau_format format;
        const char *one, *two, *units;
    } cases[] = {
        {CAU_FORMAT_COLUMNS, "a A\nb B\n\nc A\n", "b B\n\na A\n", "1 1 3 3"},
        {CAU_FORMAT_CRFSUITE, "A\ta\nB\tb\n\nA\tc\n", "B\tb\n\nA\ta\n", "1 1 3 3"},
        {CAU_FORMAT_TEXT, "A\ta b\nB\tb\n", "A\tc\nB\ta\n", "1 1 3 3"},
        {CAU_FORMAT_SVMLIGHT, "1 1:1\n2 2:1\n", "1 3:2\n2 1:1\n", "1 1 3 3"},
        {CAU_FORMAT_MEGAM, "0 # a 1 # b 1\n1 # a 1 # b 2\n", "1 # b 1 # c 1\n0 # a 1 # b 1\n",
         "1 1 3 3"},
        {CAU_FORMAT_MEGAM, "A a b\nDEV\nB b\nTEST\nA c\n", "B c\nA b\nDEV\nA c\n", "1 3 3"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *none = test_text("none", "");
        const char *paths[] = {none, test_text("one", cases[c].one), none,
                               test_text("two", cases[c].two), none};
        cau_data_options options = {.by = "file",
                                    .read = {.format = cases[c].format, .values = c == 4}};
        if (cases[c].format == CAU_FORMAT_COLUMNS)
            options.template = test_text("template", "U:%x[0,0]\n");
        caucus_data *data = NULL;
        assert_ok(ctx, cau_data_read(ctx, &options, paths, 5, &data));
        assert_units(data, cases[c].units);
        assert_true(data->train.files && !data->dev.files && !data->test.files);

        /* Parts keep the numbers, in any order, also if a file is missing. */
        const uint32_t some[] = {2, 0, 2};
        caucus_data *part = NULL;
        assert_ok(ctx, cau_data_subset(ctx, data,
                                       &(cau_part_of){.train = some, .trained = 3, .whole = true},
                                       0, &part));
        assert_units(part, "3 1 3");
        cau_data_free(part);
        cau_data_free(data);

        /* A part of the files becomes the dev set, as a whole. */
        data = NULL;
        options.dev_fraction = .5;
        if (c == 5) continue; /* has a dev set already */
        assert_ok(ctx, cau_data_read(ctx, &options, paths, 5, &data));
        assert_units(data, data->train.unit[0] == 1 ? "1 1" : "3 3");
        assert_int_equal(data->dev.S, 2);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* A dev fraction takes whole units: 40 groups of 1 to 4 sequences, spread over the file; each
 * sequence has a feature that names its group. */
static void test_split(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    for (int round = 0; round < 4; round++)
        for (int g = 0; g < 40; g++)
            if (round <= g % 4) cau_strbuf_printf(&text, "group%d %c\n\n", g, g % 3 ? 'A' : 'B');
    for (uint64_t seed = 0; seed < 20; seed++) {
        caucus_data *data = NULL;
        const cau_data_options options = {.by = "0", .dev_fraction = 0.3, .seed = seed};
        assert_ok(ctx, read_words(ctx, options, text.s, &data));
        const cau_dataset *s = &data->train;
        /* of 100 sequences; the last unit is taken whole */
        assert_true(data->dev.S >= 30 && data->dev.S <= 33);
        assert_int_equal(s->S, 100 - data->dev.S);
        assert_int_equal(cau_csr_nonzeros(&data->dev.x), 0); /* no group of it is in training */
        uint32_t units = 0;
        for (size_t q = 0; q < s->S; q++) {
            assert_true(s->unit[q] <= units); /* numbered by first occurrence */
            units += s->unit[q] == units;
            for (size_t p = 0; p < q; p++) /* equal units if and only if equal names */
                assert_int_equal(s->unit[p] == s->unit[q], s->x.column[p] == s->x.column[q]);
        }
        cau_data_free(data);
    }
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        cau_data_options options;
        const char *text;
        caucus_status status;
        const char *message;
    } cases[] = {
        {{.by = "page"},
         "a A\n\nb B\n",
         CAUCUS_ERR_ARGUMENT,
         "cannot be kept together by 'page'; say sequence, document, file, or the number of a "
         "column"},
        {{.by = ""}, "a A\n\nb B\n", CAUCUS_ERR_ARGUMENT, "cannot be kept together by ''"},
        {{.by = "-1"}, "a A\n\nb B\n", CAUCUS_ERR_ARGUMENT, "cannot be kept together by '-1'"},
        {{.by = "document"},
         "a A\n\nb B\n",
         CAUCUS_ERR_FORMAT,
         "train: no line begins with -DOCSTART-, so it is not known where documents begin"},
        {{.by = "2"},
         "a A\n\nb B\n",
         CAUCUS_ERR_FORMAT,
         "train:1: groups are named by column 2, counted from 0, but the line has 2; "},
        {{.by = "18446744073709551615"},
         "\na A\n\nb B\n",
         CAUCUS_ERR_FORMAT,
         "train:2: groups are named by column 18446744073709551615, "},
        {{.by = "document", .read = {.format = CAU_FORMAT_TEXT}},
         "A\ta\nB\tb\n",
         CAUCUS_ERR_ARGUMENT,
         "train: documents and groups are for columns, but this is read as text, where only "
         "'sequence' and 'file' are possible"},
        {{.by = "0", .read = {.format = CAU_FORMAT_CRFSUITE}},
         "A\ta\n\nB\tb\n",
         CAUCUS_ERR_ARGUMENT,
         "read as crfsuite, where only 'sequence'"},
        {{.by = "document", .dev_fraction = 0.5, .read = {.docstart = true}},
         "-DOCSTART-\na A\n\nb B\n",
         CAUCUS_ERR_ARGUMENT,
         "train: a single document cannot be split into training and dev set"},
        {{.by = "0", .dev_fraction = 0.5},
         "a A\n\na B\n",
         CAUCUS_ERR_ARGUMENT,
         "train: a single group cannot be split"},
        {{.by = "file", .dev_fraction = 0.5, .read = {.format = CAU_FORMAT_TEXT}},
         "A\ta\nB\tb\n",
         CAUCUS_ERR_ARGUMENT,
         "train: a single file cannot be split"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        caucus_data *data = NULL;
        assert_fails(ctx, read_words(ctx, cases[c].options, cases[c].text, &data), cases[c].status,
                     cases[c].message);
        assert_null(data);
    }
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    read_attempt r = {
        ctx,
        {.dev_fraction = 0.4,
         .template = test_text("template", "U:%x[0,0]\n"),
         .test = test_text("test", "a A\n\nb B\n")},
        test_text("train", "a A\n\n-DOCSTART- A\n\nb B\n\nc A\n\n-DOCSTART- O\n\na B\n")};
    for (r.options.by = "document"; r.options.by; r.options.by = *r.options.by == 'd' ? "0" : NULL)
        assert_true(test_every_allocation(try_read, &r) > 20);
    r.options = (cau_data_options){.by = "file", .read = {.format = CAU_FORMAT_TEXT}};
    r.path = test_text("train", "A\ta\nB\tb\nA\tc\n");
    assert_true(test_every_allocation(try_read, &r) > 10);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by),      cmocka_unit_test(test_files),
        cmocka_unit_test(test_by_file), cmocka_unit_test(test_split),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/cv_groups", tests, NULL, NULL);
}
