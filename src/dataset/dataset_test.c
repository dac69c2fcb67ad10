/* dataset_test.c - data sets from files and memory: numbering, splits, cut-offs, and errors. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/dataset_sample.h"

#define ANY                                                                                        \
    {                                                                                              \
        .cutoff = 0                                                                                \
    }
#define TEXT                                                                                       \
    {                                                                                              \
        .read = {.format = CAU_FORMAT_TEXT }                                                       \
    }
#define SVMLIGHT                                                                                   \
    {                                                                                              \
        .read = {.format = CAU_FORMAT_SVMLIGHT }                                                   \
    }
#define CRFSUITE                                                                                   \
    {                                                                                              \
        .read = {.format = CAU_FORMAT_CRFSUITE }                                                   \
    }
#define MEGAM                                                                                      \
    {                                                                                              \
        .read = {.format = CAU_FORMAT_MEGAM }                                                      \
    }

static caucus_data *read_text(caucus_ctx *ctx, cau_format format, const char *text)
{
    caucus_data *data = NULL;
    assert_ok(ctx, read_with(ctx, (cau_data_options){.read.format = format}, text, &data));
    return data;
}

static const char *feature_name(const caucus_data *data, uint32_t k)
{
    return cau_alphabet_name(data->alphabets.names, k).s;
}

static const char *class_name(const caucus_data *data, uint32_t y)
{
    return y == CAU_UNKNOWN ? "(unknown)" : cau_alphabet_name(data->labels, y).s;
}

/* Appends a label, "(unknown)", or a set as "{a,b}". */
static void add_gold(cau_strbuf *out, const caucus_data *data, const cau_dataset *s, uint32_t gold)
{
    if (gold == CAU_UNKNOWN || gold < CAU_SET) {
        cau_strbuf_printf(out, "%s", class_name(data, gold));
        return;
    }
    assert_true(gold - CAU_SET < s->sets.count);
    const size_t first = s->sets.start[gold - CAU_SET], end = s->sets.start[gold - CAU_SET + 1];
    assert_true(end - first >= 2);
    for (size_t i = first; i < end; i++) {
        if (i > first) assert_true(s->sets.label[i - 1] < s->sets.label[i]);
        cau_strbuf_printf(out, "%s%s", i > first ? "," : "{", class_name(data, s->sets.label[i]));
    }
    cau_strbuf_printf(out, "}");
}

/* Compares a set with a text: "label name name*value # name -edge ; label ... | ..." with '|'
 * between sequences, if any, and "(w)" after the label for weights. */
static void assert_set(const caucus_data *data, const cau_dataset *s, const char *want)
{
    cau_strbuf out = {0};
    size_t q = 1;
    bool partial = false;
    for (size_t i = 0; i < s->N; i++) {
        if (i && s->sequence && s->sequence[q] == i)
            q++, cau_strbuf_printf(&out, " | ");
        else if (i)
            cau_strbuf_printf(&out, " ; ");
        add_gold(&out, data, s, s->gold[i]);
        partial |= s->gold[i] >= CAU_SET;
        if (s->weight) cau_strbuf_printf(&out, "(%g)", (double)s->weight[i]);
        for (size_t row = i * s->group; row < (i + 1) * s->group; row++) {
            if (s->group > 1) cau_strbuf_printf(&out, " #");
            for (size_t e = s->x.start[row]; e < s->x.start[row + 1]; e++) {
                cau_strbuf_printf(&out, " %s", feature_name(data, s->x.column[e]));
                if (s->x.value) cau_strbuf_printf(&out, "*%g", (double)s->x.value[e]);
            }
        }
        if (s->E)
            for (size_t e = s->e.start[i]; e < s->e.start[i + 1]; e++)
                cau_strbuf_printf(&out, " -%s",
                                  cau_alphabet_name(data->alphabets.edges, s->e.column[e]).s);
    }
    assert_string_equal(out.s ? out.s : "", want);
    cau_strbuf_clear(&out);
    if (s->sequence) assert_int_equal(s->sequence[s->S], s->N);
    if (!s->sequence) assert_int_equal(s->S, s->N);
    assert_int_equal(s->x.rows, s->N * s->group);
    assert_int_equal(s->K, cau_alphabet_size(data->alphabets.names));
    assert_int_equal(s->Y, cau_alphabet_size(data->labels));
    assert_int_equal(s->x.columns, s->K);
    assert_int_equal(s->E, cau_alphabet_size(data->alphabets.edges));
    assert_true(s->E && s->N ? s->e.rows == s->N && s->e.columns == s->E : !s->e.start);
    assert_int_equal(s->partial, partial);
}

/* xt is the transpose of x, compared as dense matrices. */
static void assert_transposed(const cau_dataset *s)
{
    const size_t rows = s->x.rows, K = s->K;
    float *dense = calloc(rows * K + 1, sizeof *dense);
    assert_non_null(dense);
    for (size_t i = 0; i < rows; i++)
        for (size_t e = s->x.start[i]; e < s->x.start[i + 1]; e++)
            dense[i * K + s->x.column[e]] += s->x.value ? s->x.value[e] : 1;
    assert_int_equal(s->xt.rows, K);
    assert_int_equal(s->xt.columns, rows);
    assert_int_equal(cau_csr_nonzeros(&s->xt), cau_csr_nonzeros(&s->x));
    for (size_t k = 0; k < K; k++)
        for (size_t e = s->xt.start[k]; e < s->xt.start[k + 1]; e++)
            dense[s->xt.column[e] * K + k] -= s->xt.value ? s->xt.value[e] : 1;
    for (size_t i = 0; i < rows * K; i++) assert_true(dense[i] == 0);
    free(dense);
}

/* The path of a template that uses the first column. */
static const char *word_template(void)
{
    return test_text("template", "U:%x[0,0]\nB\n");
}

/* ---- formats --------------------------------------------------------------------------- */

static void test_text_format(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data =
        read_text(ctx, CAU_FORMAT_AUTO, "spam\twin a prize\nham\ta a b\n\nspam\t\n");
    assert_int_equal(data->read.format, CAU_FORMAT_TEXT);
    assert_int_equal(data->read.ngrams, 1);
    assert_set(data, &data->train, "spam win a prize ; ham a b ; spam");
    assert_transposed(&data->train);
    assert_null(data->train.x.value);
    assert_null(data->train.weight);
    assert_int_equal(data->train.group, 1);
    assert_int_equal(data->train.width, 2);
    assert_int_equal(data->dev.N, 0);
    assert_int_equal(data->test.N, 0);
    assert_false(data->open);
    /* starts 4, 5; columns 5, 5; labels 3 */
    assert_int_equal(cau_dataset_bytes(&data->train),
                     4 * sizeof(size_t) + 5 * 4 + 5 * sizeof(size_t) + 5 * 4 + 3 * 4);
    cau_data_free(data);
    cau_data_free(NULL);
    caucus_ctx_free(ctx);
}

static void test_values_and_weights_come_late(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = read_text(ctx, CAU_FORMAT_SVMLIGHT, "1 1:1 2:1\n2\n2 2:0.5 3:1\n1 1:1\n");
    assert_set(data, &data->train, "1 1*1 2*1 ; 2 ; 2 2*0.5 3*1 ; 1 1*1");
    assert_transposed(&data->train);
    cau_data_free(data);

    data = read_text(ctx, CAU_FORMAT_MEGAM, "a x y\nb $$$WEIGHT 0 y\na $$$WEIGHT 2.5 z\na x\n");
    assert_set(data, &data->train, "a(1) x y ; b(0) y ; a(2.5) z ; a(1) x");
    assert_null(data->train.x.value);
    assert_transposed(&data->train);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_sequences(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data =
        read_text(ctx, CAU_FORMAT_CRFSUITE, "\nA\tx\nB\ty\n\n\n@weight:2\nA\ty\tz:3\n\nB\n");
    assert_set(data, &data->train, "A(1) x*1 ; B(1) y*1 | A(2) y*1 z*3 | B(1)");
    assert_int_equal(data->train.S, 3);
    assert_transposed(&data->train);
    cau_data_free(data);

    /* The end of a file ends a sequence. */
    const char *paths[] = {test_text("one", "a A\nb B\n\nc A"), test_text("two", "\nd B\n")};
    const cau_data_options columns = {.read.format = CAU_FORMAT_COLUMNS,
                                      .template = word_template()};
    data = NULL;
    assert_ok(ctx, cau_data_read(ctx, &columns, paths, 2, &data));
    assert_set(data, &data->train, "A U:a ; B U:b | A U:c | B U:d");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_explicit_features(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = read_text(ctx, CAU_FORMAT_AUTO,
                                  "1 # a b # a # c\n01 # # c #\nDEV\n? # a # new # b\n2 # # # a\n");
    assert_int_equal(data->read.format, CAU_FORMAT_MEGAM);
    assert_int_equal(data->train.group, 3);
    assert_int_equal(data->train.width, 1);
    assert_int_equal(data->train.Y, 3);
    assert_set(data, &data->train, "1 # a b # a # c ; 1 # # c #");
    assert_set(data, &data->dev, "(unknown) # a # # b ; 2 # # # a");
    assert_string_equal(class_name(data, 0), "0");
    assert_string_equal(class_name(data, 2), "2");
    assert_transposed(&data->train);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_parts(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    /* "only" and "C" occur only in DEV; "late" occurs in training after it. */
    const char *paths[] = {test_text("one", "A x\nDEV\nC only x late\nA x\nTEST\n? late y\n"),
                           test_text("two", "B late\nB y\n")};
    caucus_data *data = NULL;
    const cau_data_options megam = {.read.format = CAU_FORMAT_MEGAM};
    assert_ok(ctx, cau_data_read(ctx, &megam, paths, 2, &data));
    assert_set(data, &data->train, "A x ; B late ; B y");
    assert_set(data, &data->dev, "(unknown) x late ; A x");
    assert_set(data, &data->test, "(unknown) late y");
    assert_int_equal(data->train.K, 3);
    assert_int_equal(data->train.Y, 2);
    assert_int_equal(data->dev.width, 2);
    assert_transposed(&data->train);
    assert_null(data->dev.xt.start);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_several_files(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *paths[] = {test_text("none", "\n"), test_text("one", "A\tx y\n"),
                           test_text("two", "B 1:1\tz\n")};
    const char *swapped[] = {paths[2], paths[1]};
    const cau_data_options any = {0};
    caucus_data *data = NULL, *again = NULL, *other = NULL;
    assert_ok(ctx, cau_data_read(ctx, &any, paths, 3, &data));
    /* the first file with lines decides the format: text */
    assert_set(data, &data->train, "A x y ; B 1:1 z");
    assert_ok(ctx, cau_data_read(ctx, &any, paths, 3, &again));
    const cau_data_options text = {.read.format = CAU_FORMAT_TEXT};
    assert_ok(ctx, cau_data_read(ctx, &text, swapped, 2, &other));
    assert_true(data->fingerprint == again->fingerprint);
    assert_true(data->fingerprint != other->fingerprint);
    cau_data_free(data);
    cau_data_free(again);
    cau_data_free(other);
    caucus_ctx_free(ctx);
}

/* ---- dev sets and cut-offs -------------------------------------------------------------- */

static void test_dev_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_data_options options = {.dev = test_text("dev", "B\tx new y x\n\nC\tz\n?\tx\n")};
    caucus_data *data = NULL;
    assert_ok(ctx, read_with(ctx, options, "A\tx y\nB\ty z\n", &data));
    assert_set(data, &data->train, "A x y ; B y z");
    assert_set(data, &data->dev, "B x y ; (unknown) z ; (unknown) x");
    cau_data_free(data);

    data = NULL;
    options.dev = test_text("dev", "a b A\na c B\n\nc b A\n");
    options.template = test_text("template", "U0:%x[0,0]\nU1:%x[0,1]\n");
    assert_ok(ctx, read_with(ctx, options, "a b A\n\nc d B\n", &data));
    assert_set(data, &data->dev, "A U0:a U1:b ; B U0:a | A U0:c U1:b");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* A test file is read like a dev file, with or without one; both may be the same file. */
static void test_test_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_data_options options = {.cutoff = 2, .test = test_text("test", "B\tx new y x\nC\tz\n")};
    caucus_data *data = NULL, *without = NULL;
    assert_ok(ctx, read_with(ctx, options, "A\tx y\nB\ty z\nA\tx w\n", &data));
    assert_set(data, &data->train, "A x y ; B y ; A x");
    assert_set(data, &data->test, "B x y ; (unknown)");
    assert_int_equal(data->dev.N, 0);
    assert_null(data->test.xt.start);
    options.test = NULL;
    assert_ok(ctx, read_with(ctx, options, "A\tx y\nB\ty z\nA\tx w\n", &without));
    /* the fingerprint of the training data */
    assert_true(data->fingerprint == without->fingerprint);
    cau_data_free(without);
    cau_data_free(data);

    data = NULL;
    options = (cau_data_options){.template = word_template(),
                                 .partial = true,
                                 .dev = test_text("dev", "a A\nq B|C\n\nb ?\n")};
    options.test = options.dev;
    assert_ok(ctx, read_with(ctx, options, "a A\nb B\n\nc A|C\n", &data));
    assert_set(data, &data->dev, "A U:a ; {B,C} | (unknown) U:b");
    assert_set(data, &data->test, "A U:a ; {B,C} | (unknown) U:b");
    cau_data_free(data);

    data = NULL; /* in addition to a DEV part */
    options = (cau_data_options)MEGAM;
    options.test = test_text("test", "b x\n");
    assert_ok(ctx, read_with(ctx, options, "a x\nb y\nDEV\na y\n", &data));
    assert_set(data, &data->dev, "a y");
    assert_set(data, &data->test, "b x");
    cau_data_free(data);

    data = NULL;
    assert_fails(ctx, read_with(ctx, options, "a x\nb y\nTEST\na y\n", &data), CAUCUS_ERR_ARGUMENT,
                 "train: the data has a TEST part, so it needs no test file");
    options.test = test_text("test", "b x\nTEST\na x\n");
    assert_fails(ctx, read_with(ctx, options, "a x\nb y\n", &data), CAUCUS_ERR_FORMAT,
                 "test:3: a DEV or TEST part in a file that is the test set");
    options.test = test_text("test", "\n");
    assert_fails(ctx, read_with(ctx, options, "a x\nb y\n", &data), CAUCUS_ERR_FORMAT,
                 "test: no instances; ");
    assert_null(data);
    caucus_ctx_free(ctx);
}

static void test_cutoff(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_data_options options = {.cutoff = 2, .dev = test_text("dev", "A\tv w x y z\n")};
    caucus_data *data = NULL;
    assert_ok(ctx, read_with(ctx, options, "A\tx y x\nB\ty z\nA\tz w\nB\tz\n", &data));
    assert_set(data, &data->train, "A y ; B y z ; A z ; B z");
    assert_set(data, &data->dev, "A y z");
    assert_transposed(&data->train);
    cau_data_free(data);

    data = NULL; /* if only values of 1 remain, they are not stored */
    options = (cau_data_options){.cutoff = 2, .read.format = CAU_FORMAT_SVMLIGHT};
    assert_ok(ctx, read_with(ctx, options, "1 1:1 2:3\n2 1:1\n", &data));
    assert_set(data, &data->train, "1 1 ; 2 1");
    assert_transposed(&data->train);
    cau_data_free(data);

    /* The cut-off counts a feature once per instance: a occurs in two sections of the first. */
    data = NULL;
    options.read.format = CAU_FORMAT_AUTO;
    assert_ok(ctx, read_with(ctx, options, "0 # a b # a\n1 # b # c\n", &data));
    assert_set(data, &data->train, "0 # b # ; 1 # b #");
    cau_data_free(data);

    data = NULL; /* no feature remains, which is legal */
    options.cutoff = 9;
    assert_ok(ctx, read_with(ctx, options, "A\tx\nB\tx\n", &data));
    assert_set(data, &data->train, "A ; B");
    assert_transposed(&data->train);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

enum { SPLIT_N = 200 };

/* Instance i has the features "common" and "own-i". With `gaps`, sequences have 1, 2, 3, 4, 1, ...
 * items, and each item also has a feature that names its sequence. */
static void make_split_file(cau_strbuf *out, bool gaps)
{
    size_t sequence = 0, in_sequence = 0;
    for (size_t i = 0; i < SPLIT_N; i++) {
        if (gaps && in_sequence++ == 1 + sequence % 4) {
            cau_strbuf_printf(out, "\n");
            sequence++;
            in_sequence = 1;
        }
        cau_strbuf_printf(out, "%c\tcommon\town-%zu\tsequence-%zu\n", i % 2 ? 'A' : 'B', i,
                          sequence);
    }
}

/* Marks the instances of a set by their own feature, and checks their other data. */
static void mark_own(const caucus_data *data, const cau_dataset *s, int *seen, int mark)
{
    for (size_t i = 0; i < s->N; i++)
        for (size_t e = s->x.start[i]; e < s->x.start[i + 1]; e++) {
            size_t number;
            if (sscanf(feature_name(data, s->x.column[e]), "own-%zu", &number) != 1) continue;
            assert_true(number < SPLIT_N);
            assert_int_equal(seen[number], 0);
            seen[number] = mark;
            assert_string_equal(class_name(data, s->gold[i]), number % 2 ? "A" : "B");
        }
}

static void test_split(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    make_split_file(&text, false);
    cau_data_options options = {.read.format = CAU_FORMAT_TEXT, .dev_fraction = 0.25, .seed = 5};
    caucus_data *one = NULL, *same = NULL, *other = NULL;
    assert_ok(ctx, read_with(ctx, options, text.s, &one));
    assert_ok(ctx, read_with(ctx, options, text.s, &same));
    options.seed = 6;
    assert_ok(ctx, read_with(ctx, options, text.s, &other));

    assert_int_equal(one->dev.N, SPLIT_N / 4);
    assert_int_equal(one->train.N, SPLIT_N - SPLIT_N / 4);
    assert_int_equal(one->train.K, one->train.N + 2); /* features that only dev has are gone */
    assert_transposed(&one->train);
    int seen[3][SPLIT_N] = {{0}};
    mark_own(one, &one->train, seen[0], 1);
    mark_own(same, &same->train, seen[1], 1);
    mark_own(other, &other->train, seen[2], 1);
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    assert_memory_not_equal(seen[0], seen[2], sizeof seen[0]);

    /* Train and dev together contain every instance once, in order. Dev instances are identified by
     * their own feature, with the names from a reading without a split. */
    caucus_data *whole = read_text(ctx, CAU_FORMAT_TEXT, text.s);
    size_t trained = 0;
    for (size_t i = 0; i < SPLIT_N; i++) trained += seen[0][i] == 1;
    assert_int_equal(trained, one->train.N);
    for (size_t i = 0, n = 0; i < SPLIT_N; i++) {
        if (!seen[0][i]) continue;
        const size_t a = whole->train.x.start[i], b = one->train.x.start[n];
        assert_int_equal(whole->train.x.start[i + 1] - a, one->train.x.start[n + 1] - b);
        for (size_t e = 0; e < whole->train.x.start[i + 1] - a; e++)
            assert_string_equal(feature_name(whole, whole->train.x.column[a + e]),
                                feature_name(one, one->train.x.column[b + e]));
        n++;
    }
    for (size_t i = 0; i < one->dev.N; i++) /* only the common features remain */
        assert_int_equal(one->dev.x.start[i + 1] - one->dev.x.start[i], 2);
    cau_data_free(one);
    cau_data_free(same);
    cau_data_free(other);
    cau_data_free(whole);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

/* Sequences are not divided: the feature that names one occurs in train or in dev, so dev never
 * knows it. */
static void test_split_keeps_sequences(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    make_split_file(&text, true);
    caucus_data *data = NULL;
    const cau_data_options options = {
        .read.format = CAU_FORMAT_CRFSUITE, .dev_fraction = 0.3, .seed = 1};
    assert_ok(ctx, read_with(ctx, options, text.s, &data));
    const size_t sequences = SPLIT_N / 10 * 4;
    assert_int_equal(data->dev.S, sequences * 3 / 10);
    assert_int_equal(data->train.S, sequences - sequences * 3 / 10);
    assert_int_equal(data->train.N + data->dev.N, SPLIT_N);
    for (const cau_dataset *s = &data->train;; s = &data->dev) {
        assert_int_equal(s->sequence[0], 0);
        assert_int_equal(s->sequence[s->S], s->N);
        for (size_t q = 0; q < s->S; q++) {
            const size_t length = s->sequence[q + 1] - s->sequence[q];
            assert_true(length >= 1 && length <= 4);
        }
        if (s == &data->dev) break;
    }
    assert_int_equal(cau_csr_nonzeros(&data->dev.x), data->dev.N); /* "common" */
    assert_int_equal(cau_csr_nonzeros(&data->train.x), 3 * data->train.N);
    for (size_t q = 0; q < data->train.S; q++) {
        const size_t from = data->train.sequence[q], to = data->train.sequence[q + 1];
        for (size_t i = from; i < to; i++)
            assert_int_equal(data->train.x.column[3 * i + 2], data->train.x.column[3 * from + 2]);
    }
    cau_data_free(data);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

/* Instances without features, in sets with values and in sets without any feature. */
static void test_split_of_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_data_options options = {.dev_fraction = 0.3};
    for (options.seed = 0; options.seed < 20; options.seed++) {
        caucus_data *data = NULL;
        options.read.format = CAU_FORMAT_SVMLIGHT;
        assert_ok(ctx, read_with(ctx, options, "1\n2 1:2\n1\n2 1:3\n1\n2 1:2\n2\n", &data));
        assert_int_equal(data->train.N, 5);
        assert_int_equal(data->dev.N, 2);
        assert_transposed(&data->train);
        cau_data_free(data);

        data = NULL;
        options.read.format = CAU_FORMAT_TEXT;
        assert_ok(ctx, read_with(ctx, options, "A\t\nB\t\nA\t\nB\t\nB\t\nA\t\n", &data));
        assert_int_equal(data->train.N, 4);
        assert_int_equal(data->train.K, 0);
        assert_transposed(&data->train);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* Weights and values move with their instances. A tiny fraction takes one instance, and a large one
 * leaves one. */
static void test_split_edges(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *text = "a $$$WEIGHT 1 x 1\na $$$WEIGHT 2 x 2\nb $$$WEIGHT 3 x 3\n"
                       "b $$$WEIGHT 4 x 4\n";
    cau_data_options options = {.read = {.format = CAU_FORMAT_MEGAM, .values = true}};
    for (options.seed = 0; options.seed < 20; options.seed++) {
        caucus_data *data = NULL;
        options.dev_fraction = 1e-9;
        assert_ok(ctx, read_with(ctx, options, text, &data));
        assert_int_equal(data->train.N, 3);
        assert_int_equal(data->dev.N, 1);
        for (size_t i = 0; i < 3; i++) assert_true(data->train.weight[i] == data->train.x.value[i]);
        assert_true((data->dev.weight ? data->dev.weight[0] : 1) ==
                    (data->dev.x.value ? data->dev.x.value[0] : 1));
        cau_data_free(data);
    }
    options = (cau_data_options){.read.format = CAU_FORMAT_MEGAM, .dev_fraction = 0.2};
    for (options.seed = 0; options.seed < 20; options.seed++) { /* weights of 1 are not stored */
        caucus_data *data = NULL;
        assert_ok(ctx, read_with(ctx, options, "a x\nb x\na y\nb y\na $$$WEIGHT 2 z\n", &data));
        assert_true(!data->train.weight != !data->dev.weight);
        cau_data_free(data);
    }
    options.read.values = true;
    caucus_data *data = NULL;
    options.dev_fraction = 0.99; /* one instance remains, so there is only one class */
    assert_fails(ctx, read_with(ctx, options, text, &data), CAUCUS_ERR_FORMAT,
                 "all instances are of the class");
    assert_null(data);
    caucus_ctx_free(ctx);
}

/* ---- sequences -------------------------------------------------------------------------- */

#define EDGES "U:%x[0,0]\nB:%x[-1,0]/%x[0,0]\n"

static void test_edges(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    cau_data_options options = {.template = test_text("template", EDGES),
                                .dev = test_text("dev", "a Y\nb X\nz Y\n\nb X\n")};
    assert_ok(ctx, read_with(ctx, options, "a X\nb Y\na X\n\nc X\n\nb X\na Y\nb Y\n", &data));
    assert_set(data, &data->train,
               "X U:a ; Y U:b -B:a/b ; X U:a -B:b/a | X U:c | X U:b ; Y U:a -B:b/a ; Y U:b -B:a/b");
    assert_set(data, &data->dev, "Y U:a ; X U:b -B:a/b ; Y | X U:b");
    assert_int_equal(data->train.E, 2);
    assert_false(data->transitions); /* the template has no "B" */
    assert_int_equal(data->read.columns, 1);
    assert_ptr_equal(data->read.template, data->template);
    assert_transposed(&data->train);
    /* x 8 starts and 7 columns, xt 4 and 7, e 8 and 4, gold 7, sequences 4 */
    assert_int_equal(cau_dataset_bytes(&data->train),
                     (8 + 4 + 8 + 4) * sizeof(size_t) + (7 + 7 + 4 + 7) * 4);
    cau_data_free(data);

    /* The cut-off counts edge features too; a dev set without edges has empty rows. */
    data = NULL;
    options.cutoff = 2;
    options.dev = test_text("dev", "a X\n");
    assert_ok(ctx, read_with(ctx, options, "a X\nb Y\nc X\n\na X\nb Y\nb Y\n", &data));
    assert_set(data, &data->train, "X U:a ; Y U:b -B:a/b ; X | X U:a ; Y U:b -B:a/b ; Y U:b");
    assert_set(data, &data->dev, "X U:a");
    assert_non_null(data->dev.e.start);
    cau_data_free(data);

    data = NULL; /* no edge feature remains */
    options.cutoff = 9;
    options.dev = NULL;
    assert_ok(ctx, read_with(ctx, options, "a X\nb Y\n", &data));
    assert_set(data, &data->train, "X ; Y");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Sequence i has its own words and edges, which the split moves with it. */
static void test_split_keeps_edges(void **state)
{
    (void)state;
    enum { SEQUENCES = 30 };
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    for (int i = 0; i < SEQUENCES; i++)
        for (int t = 0; t <= i % 4; t++)
            cau_strbuf_printf(&text, "w%d-%d %s\n%s", i, t,
                              t == 1  ? "a|b"
                              : t     ? "?"
                              : i % 2 ? "a"
                                      : "c",
                              t == i % 4 ? "\n" : "");
    cau_data_options options = {.template = test_text("template", "B:%x[0,0]\nU:%x[0,0]\n"),
                                .dev_fraction = 0.4,
                                .partial = true};
    for (options.seed = 0; options.seed < 10; options.seed++) {
        caucus_data *data = NULL;
        assert_ok(ctx, read_with(ctx, options, text.s, &data));
        const cau_dataset *s = &data->train;
        assert_int_equal(s->S, SEQUENCES - 12);
        assert_int_equal(data->dev.S, 12);
        assert_int_equal(cau_csr_nonzeros(&data->dev.e), 0); /* all are its own, so unknown */
        assert_int_equal(s->E, s->N - s->S);
        assert_int_equal(s->sets.count, 1); /* if a sequence has two tokens, as some always do */
        for (size_t q = 0; q < s->S; q++)
            for (size_t i = s->sequence[q]; i < s->sequence[q + 1]; i++) {
                const char *word = feature_name(data, s->x.column[i]);
                const size_t t = i - s->sequence[q];
                int sequence, at;
                assert_int_equal(sscanf(word, "U:w%d-%d", &sequence, &at), 2);
                assert_int_equal(at, t);
                assert_int_equal(s->sequence[q + 1] - s->sequence[q], sequence % 4 + 1);
                assert_int_equal(s->e.start[i + 1] - s->e.start[i], t > 0);
                if (t == 0) {
                    assert_string_equal(class_name(data, s->gold[i]), sequence % 2 ? "a" : "c");
                    continue;
                }
                assert_true(s->gold[i] == (t == 1 ? CAU_SET : CAU_UNKNOWN));
                const uint32_t edge = s->e.column[s->e.start[i]];
                assert_string_equal(cau_alphabet_name(data->alphabets.edges, edge).s + 2, word + 2);
            }
        cau_data_free(data);
    }
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

static void test_partial_labels(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    cau_data_options options = {.template = word_template(),
                                .partial = true,
                                .dev = test_text("dev", "a B|X\nb ?\nc Q\nd Q|O\n")};
    assert_ok(ctx, read_with(ctx, options, "a O\nb ?\nc B|X\n\nd O\n", &data));
    assert_set(data, &data->train, "O U:a ; (unknown) U:b ; {B,X} U:c | O U:d");
    assert_set(data, &data->dev, "{B,X} U:a ; (unknown) U:b ; (unknown) U:c ; O U:d");
    assert_int_equal(data->train.Y, 3);
    assert_true(data->transitions);
    cau_data_free(data);

    data = NULL; /* also in crfsuite items */
    options = (cau_data_options){.read.format = CAU_FORMAT_CRFSUITE, .partial = true};
    assert_ok(ctx, read_with(ctx, options, "A|B\tx\n?\ty\n\nA\tx\n", &data));
    assert_set(data, &data->train, "{A,B} x ; (unknown) y | A x");
    assert_true(data->transitions);
    assert_null(data->template);
    cau_data_free(data);

    data = NULL; /* without the option, or without sequences, '|' is an ordinary character */
    options.partial = false;
    assert_ok(ctx, read_with(ctx, options, "A|B\tx\nA\ty\n", &data));
    assert_set(data, &data->train, "A|B x ; A y");
    cau_data_free(data);
    data = NULL;
    options = (cau_data_options){.read.format = CAU_FORMAT_TEXT, .partial = true};
    assert_ok(ctx, read_with(ctx, options, "A|B\tx\nA\ty\n", &data));
    assert_set(data, &data->train, "A|B x ; A y");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_comments_and_documents(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    const cau_data_options options = {.read = {.comments = true, .docstart = true},
                                      .template = word_template()};
    assert_ok(ctx,
              read_with(ctx, options,
                        "-DOCSTART- O\n\n# one\na A\n# two\nb B\n-DOCSTART- O\nc A\nd A\n", &data));
    assert_int_equal(data->read.format, CAU_FORMAT_COLUMNS);
    assert_set(data, &data->train, "A U:a ; B U:b | A U:c ; A U:d");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Without a template, one is made for the columns, stored, and used for later files. */
static void test_default_template(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *paths[] = {test_text("one", "\n"), test_text("two", "Oslo NNP B-LOC\nis VBZ O\n\n"),
                           test_text("three", "Bonn NNP B-LOC\n")};
    const cau_data_options any = {.dev = test_text("dev", "Rome NNP B-LOC\n")};
    caucus_data *data = NULL;
    cau_template *t = NULL;
    assert_ok(ctx, cau_data_read(ctx, &any, paths, 3, &data));
    assert_ok(ctx, cau_template_default(ctx, 2, &t));
    assert_non_null(data->template);
    assert_int_equal(data->read.columns, 2);
    assert_ptr_equal(data->read.template, data->template);
    const cau_str got = cau_template_text(data->template), want = cau_template_text(t);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.s, want.s, got.n);
    assert_int_equal(data->transitions, cau_template_transitions(t));
    assert_int_equal(data->train.S, 2);
    assert_true(data->train.K > 10 && data->dev.N == 1);
    cau_data_free(data);

    /* A compiled template is copied. */
    data = NULL;
    cau_template_free(t);
    assert_ok(ctx, cau_template_parse(ctx, "t", (cau_str){"U:%x[0,1]", 9}, NULL, &t));
    assert_ok(ctx, read_with(ctx, (cau_data_options){.read.template = t}, "a b A\nc d B\n", &data));
    cau_template_free(t);
    assert_set(data, &data->train, "A U:b ; B U:d");
    assert_non_null(cau_template_text(data->read.template).s);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        cau_data_options options;
        const char *dev, *text;
        caucus_status status;
        const char *message;
    } cases[] = {
        {ANY, NULL, "", CAUCUS_ERR_FORMAT, "train: no instances; "},
        {ANY, NULL, "\n\n", CAUCUS_ERR_FORMAT, "train: no instances; "},
        {MEGAM, NULL, "DEV\na x\n", CAUCUS_ERR_FORMAT, "train: no instances; "},
        {ANY, NULL, "A\tx\nA\ty\n", CAUCUS_ERR_FORMAT,
         "train: all instances are of the class 'A'; "},
        {MEGAM, NULL, "a x\na y\nDEV\nb x\n", CAUCUS_ERR_FORMAT,
         "all instances are of the class 'a'; "},
        {TEXT, NULL, "A\tx\nno label\n", CAUCUS_ERR_FORMAT,
         "train:2: no label (no TAB before the text); "},
        {TEXT, NULL, "\tx\n", CAUCUS_ERR_FORMAT, "train:1: no label; "},
        {SVMLIGHT, NULL, "1 1:1\n1:1 2:1\n", CAUCUS_ERR_FORMAT, "train:2: no label; "},
        {CRFSUITE, NULL, "\tx\n", CAUCUS_ERR_FORMAT, "train:1: no label; "},
        {MEGAM, NULL, "a x\n$$$WEIGHT 2 x\n", CAUCUS_ERR_FORMAT, "train:2: no label; "},
        {SVMLIGHT, NULL, "1 1:1\n? 2:1\n", CAUCUS_ERR_FORMAT, "train:2: the label '?'"},
        {MEGAM, NULL, "0 # a # b\n? # a # b\n", CAUCUS_ERR_FORMAT, "train:2: the label '?'"},
        {ANY, "", "A\tx\nB\ty\n", CAUCUS_ERR_FORMAT, "dev: no instances; "},
        {ANY, "A\tx\nno label\n", "A\tx\nB\ty\n", CAUCUS_ERR_FORMAT, "dev:2: no label (no TAB"},
        {ANY, "a b c\n", "a B\n\nc D\n", CAUCUS_ERR_FORMAT,
         "dev:1: 3 columns, but earlier lines have 2; "},
        {ANY, "0 # a # b # c\n", "0 # a # b\n1 # a # b\n", CAUCUS_ERR_FORMAT,
         "dev:1: 3 sections, but earlier lines have 2; "},
        {MEGAM, "a x\nDEV\na x\n", "a x\nb y\n", CAUCUS_ERR_FORMAT, "dev:3: a DEV or TEST part"},
        {{.dev_fraction = 0.5}, "A\tx\n", "A\tx\nB\ty\n", CAUCUS_ERR_ARGUMENT, "both a dev file ("},
        {MEGAM, "a x\n", "a x\nb y\nDEV\na x\n", CAUCUS_ERR_ARGUMENT,
         "train: the data has a DEV part, so it needs no dev file; "},
        {{.read = {.format = CAU_FORMAT_MEGAM}, .dev_fraction = 0.5},
         NULL,
         "a x\nb y\nDEV\na x\n",
         CAUCUS_ERR_ARGUMENT,
         "train: the data has a DEV part, so it needs no dev fraction; "},
        {{.dev_fraction = 1}, NULL, "A\tx\nB\ty\n", CAUCUS_ERR_ARGUMENT, "a dev fraction of 1; "},
        {{.dev_fraction = -0.1}, NULL, "A\tx\nB\ty\n", CAUCUS_ERR_ARGUMENT, "dev fraction of -0.1"},
        {{.dev_fraction = (double)NAN},
         NULL,
         "A\tx\nB\ty\n",
         CAUCUS_ERR_ARGUMENT,
         "a dev fraction of "},
        {{.dev_fraction = 0.5},
         NULL,
         "A\tx\n",
         CAUCUS_ERR_ARGUMENT,
         "train: a single instance cannot be split"},
        {{.read.format = CAU_FORMAT_COLUMNS, .dev_fraction = 0.5},
         NULL,
         "a B\n\n",
         CAUCUS_ERR_ARGUMENT,
         "train: a single sequence cannot be split"},
        {ANY, NULL, "a b A\n\nc d ?\ne f B\n\n", CAUCUS_ERR_FORMAT, "train:3: the label '?'"},
        {{.partial = true},
         NULL,
         "a ?\n\nb ?\n",
         CAUCUS_ERR_FORMAT,
         "train: no label is known, all are '?'; training needs some"},
        {{.partial = true},
         NULL,
         "a A\n\nb ?\n",
         CAUCUS_ERR_FORMAT,
         "train: all known labels are of the class 'A'; "},
        {{.read = {.format = CAU_FORMAT_MEGAM}, .partial = true},
         NULL,
         "a x\n? y\nb z\n",
         CAUCUS_ERR_FORMAT,
         "train:2: the label '?'"},
        {{.read = {.columns = 2}}, NULL, "a b\n\nc d\n", CAUCUS_ERR_FORMAT, "train:1: no label; "},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cau_data_options options = cases[c].options;
        caucus_data *data = NULL;
        if (cases[c].dev) options.dev = test_text("dev", cases[c].dev);
        assert_fails(ctx, read_with(ctx, options, cases[c].text, &data), cases[c].status,
                     cases[c].message);
        assert_null(data);
    }

    caucus_data *data = NULL;
    const cau_data_options any = {0};
    const cau_data_options columns = {.read.format = CAU_FORMAT_COLUMNS};
    const char *paths[] = {test_text("none", ""), test_text("more", "a b c\na b B\n"),
                           test_text("third", "\na b\n")};
    assert_fails(ctx, cau_data_read(ctx, &any, paths, 0, &data), CAUCUS_ERR_ARGUMENT,
                 "no data files");
    assert_fails(ctx, cau_data_read(ctx, &any, (const char *[]){paths[0], paths[0]}, 2, &data),
                 CAUCUS_ERR_FORMAT, "none and the others: no instances; ");
    assert_fails(ctx, cau_data_read(ctx, &columns, (const char *[]){paths[2], paths[2]}, 2, &data),
                 CAUCUS_ERR_FORMAT, "third and the others: all instances are of the class 'b'; ");
    assert_fails(ctx, cau_data_read(ctx, &columns, paths, 3, &data), CAUCUS_ERR_FORMAT,
                 "third:2: 2 columns, but earlier lines have 3; ");
    const cau_data_options template = {.read.format = CAU_FORMAT_TEXT, .template = word_template()};
    const char *text = test_text("text", "A\tx y\nB\tz\n");
    assert_fails(ctx, cau_data_read(ctx, &template, &text, 1, &data), CAUCUS_ERR_ARGUMENT,
                 "text: a template is for columns, but this is read as text; ");
    const cau_data_options missing = {.template = test_path("missing")};
    assert_int_equal(cau_data_read(ctx, &missing, &text, 1, &data), CAUCUS_ERR_IO);
    assert_null(data);
    caucus_ctx_free(ctx);
}

/* ---- from memory ------------------------------------------------------------------------ */

static void test_from_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    const caucus_feature some[] = {{"x", 1}, {"y", 2}, {"x", 0.5}, {"zero", 0}};
    const caucus_feature bad[] = {{"fresh", 1}, {"w", (double)INFINITY}};
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    assert_fails(ctx, cau_data_close(ctx, data), CAUCUS_ERR_ARGUMENT, "no instances");
    assert_ok(ctx, cau_data_add(ctx, data, "A", 1, some, 2));
    assert_fails(ctx, cau_data_close(ctx, data), CAUCUS_ERR_ARGUMENT, "class 'A'");
    assert_fails(ctx, cau_data_add(ctx, data, "B", 1, bad, 2), CAUCUS_ERR_ARGUMENT, "feature 'w'");
    assert_fails(ctx, cau_data_add(ctx, data, "B", -1, some, 1), CAUCUS_ERR_ARGUMENT, "weight");
    assert_fails(ctx, cau_data_add(ctx, data, "B", (double)NAN, some, 1), CAUCUS_ERR_ARGUMENT,
                 "weight");
    assert_fails(ctx, cau_data_add(ctx, data, "", 1, some, 1), CAUCUS_ERR_ARGUMENT, "a label");
    assert_fails(ctx, cau_data_add(ctx, data, "\xFF", 1, some, 1), CAUCUS_ERR_ARGUMENT, "UTF-8");
    assert_fails(ctx, cau_data_add(ctx, data, "B", 1, (caucus_feature[]){{"\xC3", 1}}, 1),
                 CAUCUS_ERR_ARGUMENT, "UTF-8");
    assert_ok(ctx, cau_data_add(ctx, data, "B", 2, some, 4));
    assert_ok(ctx, cau_data_add(ctx, data, "A", 1, NULL, 0));
    assert_true(data->open);
    assert_ok(ctx, cau_data_close(ctx, data));
    assert_false(data->open);
    assert_set(data, &data->train, "A(1) x*1 y*2 ; B(2) x*1.5 y*2 ; A(1)");
    assert_transposed(&data->train);
    assert_fails(ctx, cau_data_add(ctx, data, "B", 1, some, 1), CAUCUS_ERR_ARGUMENT, "closed");
    assert_fails(ctx, cau_data_close(ctx, data), CAUCUS_ERR_ARGUMENT, "closed");
    cau_data_free(data);

    data = NULL; /* abandoned */
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    assert_ok(ctx, cau_data_add(ctx, data, "A", 1, some, 4));
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Breaks end sequences; labels may be partial. */
static void test_breaks_from_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL, *flat = NULL, *other = NULL;
    const caucus_feature x = {"x", 1};
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    assert_ok(ctx, cau_data_break(ctx, data)); /* without instances */
    assert_ok(ctx, cau_data_add(ctx, data, "A", 1, &x, 1));
    assert_ok(ctx, cau_data_add(ctx, data, "?", 1, &x, 1));
    assert_ok(ctx, cau_data_break(ctx, data));
    assert_ok(ctx, cau_data_break(ctx, data));
    assert_ok(ctx, cau_data_add(ctx, data, "B|A", 1, &x, 1));
    assert_ok(ctx, cau_data_close(ctx, data));
    assert_set(data, &data->train, "A x ; (unknown) x | {A,B} x");
    assert_fails(ctx, cau_data_break(ctx, data), CAUCUS_ERR_ARGUMENT, "closed");

    assert_ok(ctx, cau_data_new(ctx, NULL, &flat));
    assert_ok(ctx, cau_data_add(ctx, flat, "A", 1, &x, 1));
    assert_ok(ctx, cau_data_add(ctx, flat, "B|A", 1, &x, 1));
    assert_ok(ctx, cau_data_add(ctx, flat, "?", 1, &x, 1));
    assert_fails(ctx, cau_data_close(ctx, flat), CAUCUS_ERR_ARGUMENT, "the label '?'");
    cau_data_free(flat);

    flat = NULL;
    for (int breaks = 0; breaks < 2; breaks++) {
        caucus_data **d = breaks ? &other : &flat;
        assert_ok(ctx, cau_data_new(ctx, NULL, d));
        assert_ok(ctx, cau_data_add(ctx, *d, "A", 1, &x, 1));
        if (breaks) assert_ok(ctx, cau_data_break(ctx, *d));
        assert_ok(ctx, cau_data_add(ctx, *d, "B|A", 1, &x, 1));
        assert_ok(ctx, cau_data_close(ctx, *d));
    }
    assert_set(flat, &flat->train, "A x ; B|A x");
    assert_set(other, &other->train, "A x | {A,B} x");
    assert_true(flat->fingerprint != other->fingerprint);
    cau_data_free(data);
    cau_data_free(flat);
    cau_data_free(other);
    caucus_ctx_free(ctx);
}

/* ---- memory that fails ------------------------------------------------------------------ */

/* A set whose closing failed for lack of memory is still open and can be closed. */
static caucus_status build_once(void *self)
{
    caucus_ctx *ctx = self;
    caucus_data *data = NULL;
    const caucus_feature some[] = {{"x", 1}, {"y", 2}};
    caucus_status st = cau_data_new(ctx, NULL, &data);
    if (!st) st = cau_data_add(ctx, data, "A", 1, some, 2);
    if (!st) st = cau_data_break(ctx, data);
    if (!st) st = cau_data_add(ctx, data, "B|A", 2, some, 1);
    if (!st && (st = cau_data_close(ctx, data))) {
        assert_true(data->open);
        assert_ok(ctx, cau_data_close(ctx, data));
        assert_set(data, &data->train, "A(1) x*1 y*2 | {A,B}(2) x*1");
    }
    cau_data_free(data);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    static const struct {
        cau_data_options options;
        const char *dev, *text;
    } cases[] = {
        {{.cutoff = 2}, "A\ta b\n", "A\ta b c\nB\ta b d\nA\tb\n"},
        {{.dev_fraction = 0.4, .read = {.ngrams = 2}},
         NULL,
         "A\ta b\nB\ta\nA\tb c\nB\tc\nA\tb\nB\ta\n"},
        {ANY, "1 1:2\n", "1 1:1\n2 1:2 3:1\n"},
        {{.dev_fraction = 0.4},
         NULL,
         "A\ta\tb:2\nB\ta\n\n@weight:2\nA\ta\nB\tb\\:\n\nA\tb\nB\ta\tb\tc\n"},
        {ANY, "a B\n", "a B\nb A\n\na A\n"},
        {{.template = EDGES, .partial = true, .dev_fraction = 0.4, .cutoff = 2},
         NULL,
         "a B\nb A|C\n\na A\n\na B\nb ?\n\na B\nb A|C\n"},
        {{.template = EDGES, .read = {.comments = true}}, "a A\n", "# a\na B\nb A\n"},
        {ANY, NULL, "a x y\nb $$$WEIGHT 2 x\nDEV\na z\nTEST\nb z\n"},
        {{.cutoff = 2, .read = {.format = CAU_FORMAT_MEGAM, .values = true}},
         "0 # a 1 # b 2\n",
         "0 # a 1 # b 2\n1 # a 1 # c 2\n"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        read_attempt r = {ctx, cases[c].options, test_text("train", cases[c].text)};
        if (cases[c].dev) r.options.dev = test_text("dev", cases[c].dev);
        if (r.options.template) r.options.template = test_text("template", r.options.template);
        assert_true(test_every_allocation(try_read, &r) > 10);
    }
    assert_true(test_every_allocation(build_once, ctx) > 10);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_format),
        cmocka_unit_test(test_values_and_weights_come_late),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_explicit_features),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_several_files),
        cmocka_unit_test(test_dev_file),
        cmocka_unit_test(test_test_file),
        cmocka_unit_test(test_cutoff),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_keeps_sequences),
        cmocka_unit_test(test_split_of_nothing),
        cmocka_unit_test(test_split_edges),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_split_keeps_edges),
        cmocka_unit_test(test_partial_labels),
        cmocka_unit_test(test_comments_and_documents),
        cmocka_unit_test(test_default_template),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_from_memory),
        cmocka_unit_test(test_breaks_from_memory),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/dataset", tests, NULL, NULL);
}
