/* eval_test.c - one pass over tagged files: what labels are taken for, and what each part of the
 * scores gets to see. The numbers of the parts themselves are tested beside each of them. */

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/base_sample.h"
#include "support/eval_sample.h"

static const cau_eval_options plain = {.bins = 10};

/* Two sentences: NP and VP right, an NP missed, an NP found too long. */
static const char *chunked = "the B-NP B-NP\ncat I-NP I-NP\nsat B-VP B-VP\n\n"
                             "dogs B-NP O\nat O O\nthe B-NP B-NP\nbig I-NP I-NP\nnow O I-NP\n";

static caucus_scores *scores_of(const cau_eval_options *options, const char *text)
{
    caucus_ctx *ctx = test_ctx();
    caucus_scores *scores = NULL;
    assert_ok(ctx, sample_read(ctx, options, text, &scores));
    caucus_ctx_free(ctx);
    return scores;
}

/* The report of scores, to be freed. */
static char *written(const caucus_scores *scores, const cau_eval_options *options)
{
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    assert_ok(ctx, cau_scores_write(ctx, scores, options, into_text, &text));
    caucus_ctx_free(ctx);
    return text.s;
}

static char *report_of(const cau_eval_options *options, const char *text)
{
    caucus_scores *scores = scores_of(options, text);
    char *report = written(scores, options);
    cau_scores_free(scores);
    return report;
}

static json_t *json_of(cau_eval_options options, const char *text)
{
    options.json = true;
    char *report = report_of(&options, text);
    json_t *root = json_loads(report, 0, NULL);
    assert_non_null(root);
    free(report);
    return root;
}

/* ---- chunks or classes --------------------------------------------------------------- */

static void distinguishes_chunks_from_classes(void **state)
{
    (void)state;
    static const struct {
        cau_eval_options options;
        const char *text;
        bool chunks;
    } cases[] = {
        {{0}, "B-NP O\n", true},
        {{0}, "O I-NP\n", true},
        {{0}, "S-X S-X\nU-X E-X\n", true},
        {{0}, "B B\nO O\n", true}, /* no type */
        {{0}, "a b\n", false},
        {{0}, "O O\nO O\n", false},          /* nothing to find */
        {{0}, "B-NP B-NP\n\nNN O\n", false}, /* one label of a class is enough, even the last one */
        {{0}, "B-NP B-NP\nO NN\nB-NP O\n", false},
        {{0}, "B-NP B-NP\nNN ?\n? NN\n", false},
        {{0}, "B-NP B-NP\n? NN\n", true}, /* not counted, and its label is ignored */
        {{.outside = "NN"}, "B-NP B-NP\nNN NN\n", true},
        {{.classes = true}, "B-NP B-NP\n", false},
        {{.raw = true}, "NN NN\n", true},
        {{.conlleval = true}, "NN NN\n", true},
        {{.latex = true}, "NN O\n", true},
        {{.scheme = CAU_SCHEME_IOB2}, "O O\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        caucus_scores *s = scores_of(&cases[i].options, cases[i].text);
        assert_int_equal(s->chunks != NULL, cases[i].chunks);
        cau_scores_free(s);
    }
}

static void counts_chunks(void **state)
{
    (void)state;
    caucus_scores *s = scores_of(&plain, chunked);
    assert_near(cau_scores_get(s, "chunk-precision", NULL), 2.0 / 3, 1e-15);
    assert_near(cau_scores_get(s, "chunk-recall", NULL), 0.5, 1e-15);
    assert_near(cau_scores_get(s, "chunk-f1", NULL), 4.0 / 7, 1e-15);
    assert_near(cau_scores_get(s, "accuracy", NULL), 6.0 / 8, 1e-15);
    assert_near(cau_scores_get(s, "f1", "NP"), 0.4, 1e-15);           /* of the type: 1 of 2, 3 */
    assert_near(cau_scores_get(s, "recall", "B-NP"), 2.0 / 3, 1e-15); /* of the label */
    assert_true(isnan(cau_scores_get(s, "f1", "PP")));
    assert_true(isnan(cau_scores_get(s, "mcnemar", NULL)));
    cau_scores_free(s);

    cau_eval_options options = {.scheme = CAU_SCHEME_IOB2, .strict = true};
    s = scores_of(&options, "B-X B-X\n\nI-X I-X\n");
    assert_near(cau_scores_get(s, "chunk-support", NULL), 1, 0);
    assert_near(cau_scores_get(s, "illegal-gold", NULL), 1, 0);
    assert_near(cau_scores_get(s, "illegal-predicted", NULL), 1, 0);
    cau_scores_free(s);

    /* A new file is a new sentence. */
    const char *paths[] = {test_file("1.txt", "B-X B-X\n", 8), test_file("2.txt", "I-X I-X\n", 8)};
    caucus_ctx *ctx = test_ctx();
    assert_ok(ctx, cau_scores_read(ctx, &plain, paths, 2, &s));
    assert_near(cau_scores_get(s, "chunk-support", NULL), 2, 0);
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

static void refuses_labels_of_another_scheme(void **state)
{
    (void)state;
    const cau_eval_options iob2 = {.scheme = CAU_SCHEME_IOB2};
    sample_fails(&iob2, "B-X B-X\nE-X O\n", "tagged.txt:2: the label 'E-X' is not a label of iob2");
    sample_fails(&iob2, "B-X B-X\n\nO NN\n", "tagged.txt:3: the label 'NN' is not a label of iob2");
    cau_eval_options options = iob2;
    options.gold = test_file("gold.txt", "O\nE-X\n", 6);
    sample_fails(&options, "O\nO\n", "gold.txt:2: the label 'E-X' is not a label of iob2");
}

static void refuses_options_that_do_not_go_together(void **state)
{
    (void)state;
    const char *other = "other.txt";
    const struct {
        cau_eval_options options;
        const char *message;
    } cases[] = {
        {{.strict = true}, "--strict needs --scheme"},
        {{.raw = true, .scheme = CAU_SCHEME_IO}, "--raw uses"},
        {{.classes = true, .raw = true}, "--classes scores"},
        {{.classes = true, .conlleval = true}, "--classes scores"},
        {{.classes = true, .outside = "N"}, "--classes scores"},
        {{.json = true, .latex = true}, "drop them or --json"},
        {{.plot_calibration = "x.svg"}, "--plot-calibration needs --probabilities"},
        {{.unit = CAU_UNIT_DOCUMENT}, "--unit needs --against"},
        {{.clusters = "c", .known = {1, &other}}, "--clusters reads clusterings"},
        {{.delimiter = ""}, "--delimiter ''"},
        {{.delimiter = "::"}, "--delimiter '::'"},
        {{.plot_confusion = "figure.doc"}, "figure.doc"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fails(ctx, cau_eval_check(ctx, &cases[i].options), CAUCUS_ERR_ARGUMENT,
                     cases[i].message);
    const cau_eval_options good = {.delimiter = "\\t",
                                   .unit = CAU_UNIT_DOCUMENT,
                                   .against = {1, &other},
                                   .scheme = CAU_SCHEME_IOB1,
                                   .strict = true};
    assert_ok(ctx, cau_eval_check(ctx, &good));
    caucus_ctx_free(ctx);
}

/* ---- the parts ----------------------------------------------------------------------- */

static int number_at(const json_t *root, const char *a, const char *b, const char *c)
{
    const json_t *at = json_object_get(root, a);
    at = b ? json_object_get(at, b) : at;
    at = c ? json_object_get(at, c) : at;
    assert_true(json_is_integer(at));
    return (int)json_integer_value(at);
}

static void compares_sentences_or_tokens(void **state)
{
    (void)state;
    static const struct {
        const char *text, *other;
        cau_unit unit;
        int units;
    } cases[] = {
        {"w a a\nw a b\nw a a\n", "w a a\nw a a\nw a b\n", 0, 3}, /* each token is a unit */
        {"w a a\nw a b\nw a a\n\n", "w a a\nw a a\nw a b\n", 0, 3},
        {"w a a\nw a b\n\nw a a\n", "w a a\nw a a\n\nw a b\n", 0, 2},
        {"w a a\n\nw a b\nw a a\n\n", "w a a\n\nw a a\nw a b\n", 0, 2},
        /* a later label shows that these are classes */
        {"w B B\nw O O\nw a b\nw a b\n", "w B B\nw O O\nw a a\nw a b\n", 0, 4},
        {"w B B\n\nw O O\nw a b\n\nw a b\n", "w B B\n\nw O O\nw a a\n\nw a b\n", 0, 3},
        {"w B-X B-X\n\nw O O\nw O O\n\nw B-X O\n", "w B-X B-X\n\nw O O\nw O O\n\nw B-X B-X\n", 0,
         3},
        {"-DOCSTART- O O\n\nw B-X B-X\n\nw O O\n\n-DOCSTART- O O\n\nw B-X O\n",
         "-DOCSTART- O O\n\nw B-X B-X\n\nw O O\n\n-DOCSTART- O O\n\nw B-X B-X\n", 1, 2},
        {"-DOCSTART- a a\nw a a\n\nw a a\n\n-DOCSTART- a b\n\nw a b\n",
         "-DOCSTART- a a\nw a a\n\nw a a\n\n-DOCSTART- a b\n\nw a a\n", 1, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *other = test_text("other.txt", cases[i].other);
        const cau_eval_options options = {
            .against = {1, &other}, .unit = cases[i].unit, .resamples = 100, .seed = 1};
        json_t *root = json_of(options, cases[i].text);
        assert_int_equal(number_at(root, "comparison", "units", NULL), cases[i].units);
        json_decref(root);
    }

    /* Single numbers are those of the first two systems. */
    const char *other = test_file("other.txt", "w a a\nw a a\n", 12);
    const cau_eval_options options = {.against = {1, &other}, .resamples = 100, .seed = 1};
    caucus_scores *s = scores_of(&options, "w a a\nw a b\n");
    assert_near(cau_scores_get(s, "difference", NULL), 0.5, 1e-15);
    assert_near(cau_scores_get(s, "mcnemar", NULL), 0, 0); /* one token */
    assert_near(cau_scores_get(s, "mcnemar-p", NULL), 1, 0);
    assert_near(cau_scores_get(s, "mcnemar-exact", NULL), 1, 0);
    assert_true(cau_scores_get(s, "low", NULL) <= 0.5 && cau_scores_get(s, "high", NULL) >= 0.5);
    assert_true(cau_scores_get(s, "bootstrap-p", NULL) > 0.1);
    assert_true(cau_scores_get(s, "randomisation-p", NULL) > 0.9);
    cau_scores_free(s);
}

static void separates_known_words(void **state)
{
    (void)state;
    static const char train[] = "the B-NP\ncat I-NP\n\nsat B-VP\n";
    const char *path = test_file("train.txt", train, sizeof train - 1);
    const cau_eval_options options = {.known = {1, &path}};
    json_t *root = json_of(options, chunked), *known = json_object_get(root, "known");
    assert_int_equal(number_at(known, "tokens", "known", "count"), 4);
    assert_int_equal(number_at(known, "tokens", "all", "count"), 8);
    assert_int_equal(number_at(known, "chunks_by_words", "all_known", "gold"), 2);
    assert_int_equal(number_at(known, "chunks_by_words", "some_unknown", "gold"), 1);
    assert_int_equal(number_at(known, "chunks_by_words", "all_unknown", "gold"), 1);
    json_decref(root);

    /* A label of a class in the middle of a sentence: each token is still counted once. */
    root =
        json_of(options, "the B-NP B-NP\n\ncat B-NP B-NP\ndog B-NP B-VP\nsat VB VB\nrat NN VB\n");
    known = json_object_get(root, "known");
    assert_int_equal(number_at(known, "accuracy", "known", "count"), 3);
    assert_int_equal(number_at(known, "accuracy", "unknown", "count"), 2);
    assert_int_equal(number_at(known, "accuracy", "unknown", "correct"), 0);
    assert_null(json_object_get(known, "tokens"));
    json_decref(root);

    sample_fails(&options, "the B-NP B-NP\nB-NP B-NP\n", "tagged.txt:2: no word in column 0");
    cau_eval_options second = options;
    second.delimiter = "\\t"; /* also of the training data */
    path = test_file("train.txt", "the\tB-NP\n", 9);
    root = json_of(second, "the\tB-NP\tO\n");
    assert_int_equal(number_at(json_object_get(root, "known"), "tokens", "known", "count"), 1);
    json_decref(root);
}

static void scores_clusterings(void **state)
{
    (void)state;
    static const char gold[] = "a\t1\nb\t1\nc\t2\n", found[] = "a\tx\nb\tx\nc\ty\n";
    cau_eval_options options = {.clusters = test_file("classes.txt", gold, sizeof gold - 1)};
    caucus_scores *s = scores_of(&options, found);
    assert_near(cau_scores_get(s, "v", NULL), 1, 1e-15);
    assert_true(isnan(cau_scores_get(s, "v", "1")));
    assert_true(isnan(cau_scores_get(s, "accuracy", NULL)));
    char *text = written(s, &options);
    assert_non_null(strstr(text, "homogeneity"));
    free(text);
    cau_scores_free(s);
    json_t *root = json_of(options, found);
    assert_int_equal(number_at(root, "format", NULL, NULL), 1);
    assert_int_equal(number_at(root, "items", NULL, NULL), 3);
    json_decref(root);
}

static void reads_probabilities_of_chunk_labels(void **state)
{
    (void)state;
    const cau_eval_options options = {.probabilities = true, .bins = 10};
    static const char text[] = "the B-X\tB-X\tO:0.25\tB-X:0.75\nend O\tB-X\tO:0.5\tB-X:0.5\n";
    caucus_scores *s = scores_of(&options, text);
    assert_near(cau_scores_get(s, "chunk-f1", NULL), 2.0 / 3, 1e-15);
    assert_near(cau_scores_get(s, "log-loss", NULL), (log(4.0 / 3) + log(2)) / 2, 1e-15);
    cau_scores_free(s);
    char *report = report_of(&options, text);
    assert_non_null(strstr(report, "\n\nlog-loss"));
    free(report);
}

/* ---- reports ------------------------------------------------------------------------- */

static void begins_with_the_output_of_conlleval(void **state)
{
    (void)state;
    static const char conlleval[] =
        "processed 8 tokens with 4 phrases; found: 3 phrases; correct: 2.\n"
        "accuracy:  75.00%; precision:  66.67%; recall:  50.00%; FB1:  57.14\n"
        "               NP: precision:  50.00%; recall:  33.33%; FB1:  40.00  2\n"
        "               VP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n";
    cau_eval_options options = {.conlleval = true};
    char *report = report_of(&options, chunked);
    assert_string_equal(report, conlleval);
    free(report);

    options.conlleval = false;
    report = report_of(&options, chunked);
    const size_t n = strlen(conlleval);
    assert_memory_equal(report, conlleval, n);
    assert_memory_equal(report + n, "\nchunks ", 8);
    assert_null(strstr(report, "class  "));
    free(report);

    options.confusion = true;
    report = report_of(&options, chunked);
    assert_non_null(strstr(report, "\n\nclass          precision"));
    assert_non_null(strstr(report, "\n\ngold, found as  B-NP  B-VP  I-NP  O\n"));
    free(report);

    options = (cau_eval_options){.latex = true};
    report = report_of(&options, chunked);
    assert_non_null(strstr(report, "\\hline"));
    assert_null(strstr(report, "processed"));
    free(report);
}

static void count_notes(void *user, const char *sentence)
{
    if (strstr(sentence, "most frequent")) ++*(size_t *)user;
}

/* The data of a figure that could not be drawn: column, row, count, ... */
static char *data_of(const char *figure)
{
    char path[4096];
    static char data[1 << 14];
    snprintf(path, sizeof path, "%s.dat", figure);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    data[fread(data, 1, sizeof data - 1, in)] = '\0';
    fclose(in);
    return data;
}

/* Without gnuplot the data is written to a file, which is checked. */
static void draws_figures(void **state)
{
    (void)state;
    static char many[70 * 64];
    size_t n = 0, notes = 0;
    for (int i = 0; i < 70; i++) /* c4, c11, c18 ... only once each */
        for (int k = 0; k < (i % 7 == 4 ? 1 : 4); k++)
            n += (size_t)sprintf(many + n, "c%d c%d\n", i, k == 3 ? (i + 3) % 70 : i);
    const struct {
        const char *text, *want;
    } cases[] = {
        {chunked, "0\t0\t2\t0.666666667\tNP\tNP\n2\t0\t1\t0.333333333\tNP\t(none)\n"
                  "1\t1\t1\t1\tVP\tVP\n"},
        {"a a\na b\nb b\na b\n", "0\t0\t1\t0.333333333\ta\ta\n1\t0\t2\t0.666666667\ta\tb\n"},
        {many, "4\t4\t3\t0.75\tc5\tc5\n7\t4\t1\t0.25\tc5\tc8\n"}, /* c4 is left out */
    };
    const char *usual = getenv("PATH");
    assert_non_null(usual);
    char *path = strdup(usual);
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    caucus_ctx *ctx = test_ctx();
    caucus_on_note(ctx, count_notes, &notes);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cau_eval_options options = {.plot_confusion = test_path("confusion.svg")};
        caucus_scores *s = NULL;
        cau_strbuf text = {0};
        assert_ok(ctx, sample_read(ctx, &options, cases[i].text, &s));
        assert_ok(ctx, cau_scores_write(ctx, s, &options, into_text, &text));
        const char *data = data_of(options.plot_confusion);
        if (!strstr(data, cases[i].want)) fail_msg("case %zu:\n%s", i, data);
        cau_strbuf_clear(&text);
        cau_scores_free(s);
    }
    assert_int_equal(notes, 1);
    const cau_eval_options options = {
        .probabilities = true, .bins = 4, .plot_calibration = test_path("calibration.svg")};
    free(report_of(&options, "a a a:0.75 b:0.25\nb a a:0.875 b:0.125\na a a:0.5 b:0.5\n"));
    const char *data = data_of(options.plot_calibration);
    assert_non_null(strstr(data, "0.8125"));
    caucus_ctx_free(ctx);
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
}

/* ---- memory -------------------------------------------------------------------------- */

/* How many allocations it takes to score a text, `times` over. */
static size_t allocations(const cau_eval_options *options, const char *text, size_t times)
{
    const size_t n = strlen(text);
    char *all = malloc(n * times);
    assert_non_null(all);
    for (size_t i = 0; i < times; i++) memcpy(all + i * n, text, n);
    sample_reading r = {options, test_file("memory.txt", all, n * times)};
    free(all);
    return test_every_allocation(sample_read_once, &r);
}

/* The number does not depend on the size of the text: memory does not grow with the tokens. Both
 * texts are longer than the lines that are looked at first. */
static void streams(void **state)
{
    (void)state;
    const char *train = test_file("train.txt", "w B-X\n", 6);
    const cau_eval_options known = {.known = {1, &train}};
    static const char *const classes = "w a a\nv b a\nu a b\n"; /* and no blank line */
    assert_int_equal(allocations(&plain, classes, 5000), allocations(&plain, classes, 20000));
    assert_int_equal(allocations(&known, classes, 5000), allocations(&known, classes, 20000));
    static const char *const sentences = "w B-X B-X\nv O B-X\n\nu B-Y O\n\n";
    assert_int_equal(allocations(&plain, sentences, 5000), allocations(&plain, sentences, 20000));
    assert_int_equal(allocations(&known, sentences, 5000), allocations(&known, sentences, 20000));
}

static void survives_memory_failures(void **state)
{
    (void)state;
    const char *train = test_file("train.txt", "the B-NP\ncat I-NP\n", 18);
    const char *other = test_text("other.txt", chunked);
    cau_eval_options options = {
        .known = {1, &train}, .against = {1, &other}, .resamples = 10, .seed = 1, .delimiter = " "};
    sample_without_memory(&options, chunked, 40);
    options.classes = true;
    sample_without_memory(&options, chunked, 30);
}

/* All measures of chunks by their names; a type comes before a label of the same name. */
static void finds_measures_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *measure, *label;
        double want;
    } all[] = {
        {"chunk-precision", NULL, 2.0 / 4},
        {"chunk-recall", NULL, 2.0 / 4},
        {"chunk-f1", NULL, 0.5},
        {"chunk-support", NULL, 4},
        {"chunk-found", NULL, 4},
        {"chunk-correct", NULL, 2},
        {"chunk-macro-precision", NULL, 1.0 / 3},
        {"chunk-macro-recall", NULL, (2.0 / 3) / 3},
        {"chunk-macro-f1", NULL, 0.8 / 3},
        {"chunk-weighted-precision", NULL, 3.0 / 4},
        {"chunk-weighted-recall", NULL, 2.0 / 4},
        {"chunk-weighted-f1", NULL, 0.8 * 3 / 4},
        {"accuracy-tokens", NULL, 2.0 / 5},
        {"accuracy-inside", NULL, 2.0 / 4},
        {"illegal-gold", NULL, 0},
        {"illegal-predicted", NULL, 0},
        {"precision", "A", 1},
        {"recall", "A", 2.0 / 3},
        {"f1", "A", 0.8},
        {"support", "A", 3},
        {"found", "C", 1},
        {"correct", "C", 0},
        {"support", "B-A", 3},
        {"micro-f1", NULL, 2.0 / 5},
    };
    static const char *const absent[][2] = {
        {"chunk-accuracy", NULL}, {"f1", NULL},         {"f1", "D"}, {"chunk-f1", "A"},
        {"mcnemar", NULL},        {"label", "B-A"},     {"v", NULL}, {"", NULL},
        {"macro.f1", NULL},       {"no..path.", "B-A"},
    };
    caucus_ctx *ctx = test_ctx();
    caucus_scores *s = NULL;
    assert_ok(ctx, sample_read(ctx, &plain, "B-A B-A\nB-A B-A\nB-A B-C\nB-B O\nO B-B\n? ?\n", &s));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_near(cau_scores_get(s, all[i].measure, all[i].label), all[i].want, 1e-12);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_true(isnan(cau_scores_get(s, absent[i][0], absent[i][1])));
    cau_scores_free(s);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinguishes_chunks_from_classes),
        cmocka_unit_test(counts_chunks),
        cmocka_unit_test(refuses_labels_of_another_scheme),
        cmocka_unit_test(refuses_options_that_do_not_go_together),
        cmocka_unit_test(compares_sentences_or_tokens),
        cmocka_unit_test(separates_known_words),
        cmocka_unit_test(scores_clusterings),
        cmocka_unit_test(reads_probabilities_of_chunk_labels),
        cmocka_unit_test(begins_with_the_output_of_conlleval),
        cmocka_unit_test(draws_figures),
        cmocka_unit_test(streams),
        cmocka_unit_test(survives_memory_failures),
        cmocka_unit_test(finds_measures_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
