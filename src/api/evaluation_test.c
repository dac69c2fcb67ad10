/* evaluation_test.c - scores of labels in memory equal those of a file. */

#include <math.h>

#include "support/api_sample.h"

enum { TOKENS = 9 };

static const char *const words[TOKENS] = {"Ann", "Lee", "left", "Rome", "today",
                                          "she", "saw", "New",  "York"};
static const char *const gold[TOKENS] = {"B-PER", "I-PER", "O",     "B-LOC", "O",
                                         "?",     "O",     "B-LOC", "I-LOC"};
static const char *const predicted[TOKENS] = {"B-PER", "O", "O",     "B-LOC", "O",
                                              "O",     "O", "B-LOC", "I-LOC"};
static const size_t ends[] = {5, 5, 9}; /* the second sequence is empty */
static const caucus_labels sample = {.count = TOKENS,
                                     .gold = gold,
                                     .predicted = predicted,
                                     .words = words,
                                     .ends = ends,
                                     .sequences = 3};

/* The labels that a system predicts for the sample, as a file of columns. */
static const char *sample_file(const char *name, const char *const *labels)
{
    char text[2048] = "";
    for (size_t i = 0, n = 0; i < TOKENS; i++)
        n += (size_t)sprintf(text + n, "%s%s\t%s\t%s\n", i == 5 ? "\n" : "", words[i], gold[i],
                             labels[i]);
    return test_text(name, text);
}

static void check_same(caucus_ctx *ctx, const caucus_options *options, const caucus_labels *labels,
                       const char *path)
{
    static char want[SAMPLE_TEXT], got[SAMPLE_TEXT];
    caucus_scores *scores = NULL;
    want[0] = got[0] = '\0';
    assert_ok(ctx, caucus_evaluate(ctx, options, &path, 1, &scores));
    assert_ok(ctx, caucus_scores_write(ctx, scores, options, sample_collect, want));
    caucus_scores_free(scores);
    assert_ok(ctx, caucus_score_labels(ctx, options, labels, &scores));
    assert_ok(ctx, caucus_scores_write(ctx, scores, options, sample_collect, got));
    caucus_scores_free(scores);
    assert_string_equal(got, want);
}

static void test_chunks(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const char known[] = "Rome B-LOC\nAnn B-PER\n";
    char *training = strdup(test_file("known.txt", known, sizeof known - 1));
    const char *path = sample_file("labels.txt", predicted);
    caucus_options *options = sample_options(ctx, "eval", "json", "1", "known", training, NULL);
    check_same(ctx, options, &sample, path);
    caucus_options_free(options);

    options = sample_options(ctx, "eval", NULL, NULL);
    caucus_scores *scores = NULL;
    assert_ok(ctx, caucus_score_labels(ctx, options, &sample, &scores));
    assert_near(caucus_scores_get(scores, "chunk-recall", NULL), 2. / 3, 1e-12);
    assert_near(caucus_scores_get(scores, "accuracy", NULL), 7. / 8, 1e-12); /* without "?" */
    caucus_scores_free(scores);
    caucus_options_free(options);
    free(training);
    caucus_ctx_free(ctx);
}

static void test_classes(void **state)
{
    (void)state;
    static const char *const names[] = {"ham", "spam"};
    const char *right[TOKENS], *answer[TOKENS];
    double p[TOKENS][2];
    caucus_ctx *ctx = test_ctx();
    caucus_options *options = sample_options(ctx, "eval", "json", "1", "confusion", "1", NULL);
    caucus_labels labels = {.count = TOKENS, .gold = right, .predicted = answer};
    char text[2048] = "";
    for (size_t i = 0, n = 0; i < TOKENS; i++) {
        right[i] = i == 4 ? "eggs" : names[i % 2];
        answer[i] = names[i % 3 == 1];
        p[i][i % 3 == 1] = .5 + (double)i / 32;
        p[i][i % 3 != 1] = .5 - (double)i / 32;
        n += (size_t)sprintf(text + n, "%s\t%s\tham:%.9g\tspam:%.9g\n", right[i], answer[i],
                             p[i][0], p[i][1]);
    }
    labels.probabilities = p[0];
    labels.class_names = names;
    labels.classes = 2;
    caucus_scores *scores = NULL;
    assert_ok(ctx, caucus_score_labels(ctx, options, &labels, &scores)); /* works without options */
    assert_true(caucus_scores_get(scores, "log-loss", NULL) > 0);
    caucus_scores_free(scores);
    assert_ok(ctx, caucus_options_set(ctx, options, "probabilities", NULL));
    check_same(ctx, options, &labels, test_text("classes.txt", text));
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

/* Three systems on the same tokens, compared as the files of eval --against are. */
static void test_several(void **state)
{
    (void)state;
    static const char *const second[TOKENS] = {"O", "I-PER", "O", "B-LOC", "O",
                                               "O", "O",     "O", "I-LOC"};
    const char *const *const others[] = {second, gold};
    const char *const names[] = {sample_file("second.txt", second), sample_file("gold.txt", gold)};
    caucus_labels labels = sample;
    labels.name = sample_file("first.txt", predicted);
    labels.others = others;
    labels.other_names = names;
    labels.other_count = 2;
    caucus_ctx *ctx = test_ctx();
    static const char *const pairs[] = {"all", "first"};
    for (size_t i = 0; i < 2; i++) {
        caucus_options *files =
            sample_options(ctx, "eval", "json", "1", "resamples", "200", "against", names[0],
                           "against", names[1], "pairs", pairs[i], NULL);
        caucus_options *memory = sample_options(ctx, "eval", "json", "1", "resamples", "200", NULL);
        static char want[SAMPLE_TEXT], got[SAMPLE_TEXT];
        caucus_scores *scores = NULL;
        want[0] = got[0] = '\0';
        assert_ok(ctx, caucus_evaluate(ctx, files, &labels.name, 1, &scores));
        assert_ok(ctx, caucus_scores_write(ctx, scores, files, sample_collect, want));
        caucus_scores_free(scores);
        scores = NULL;
        assert_fails(ctx, caucus_score_labels(ctx, files, &labels, &scores), CAUCUS_ERR_ARGUMENT,
                     "in memory already");
        if (i) assert_ok(ctx, caucus_options_set(ctx, memory, "pairs", "first"));
        assert_ok(ctx, caucus_score_labels(ctx, memory, &labels, &scores));
        assert_ok(ctx, caucus_scores_write(ctx, scores, memory, sample_collect, got));
        caucus_scores_free(scores);
        assert_string_equal(got, want);
        assert_non_null(strstr(got, "\"comparison\""));
        caucus_options_free(files);
        caucus_options_free(memory);
    }
    caucus_ctx_free(ctx);
}

/* The sample with other sequence ends, and one token with probabilities. */
#define ENDING(at, n)                                                                              \
    {                                                                                              \
        .count = TOKENS, .gold = gold, .predicted = predicted, .ends = at, .sequences = n          \
    }
#define PROBABLE(label, p, names)                                                                  \
    {                                                                                              \
        .count = 1, .gold = one, .predicted = label, .probabilities = p, .class_names = names,     \
        .classes = 2                                                                               \
    }

static void test_bad(void **state)
{
    (void)state;
    static const size_t falling[] = {5, 4, 9}, early[] = {5, 8}, late[] = {5, 10};
    static const char *const names[] = {"ham", "spam"}, *const twice[] = {"ham", "ham"};
    static const char *const one[] = {"ham"}, *const none[] = {NULL}, *const empty[] = {""},
                             *const broken[] = {"\xff"}, *const eggs[] = {"eggs"};
    static const char *const *const both[] = {one, none};
    static const double p[] = {.5, .5}, half[] = {.5, .4}, odd[] = {NAN, 1};
    static const struct {
        caucus_labels labels;
        const char *part;
    } cases[] = {
        {{.count = 0}, "no labels to score"},
        {{.count = 1, .gold = none, .predicted = one}, "token:1: no gold label"},
        {{.count = 1, .gold = one, .predicted = empty}, "token:1: no predicted label"},
        {{.count = 1, .gold = broken, .predicted = one}, "not valid UTF-8"},
        {ENDING(falling, 3), "sequence 2 ends at 4"},
        {ENDING(early, 2), "ends at 8, but there are 9"},
        {ENDING(late, 2), "sequence 2 ends at 10"},
        {PROBABLE(one, half, names), "do not add up to 1"},
        {PROBABLE(one, odd, names), "do not add up to 1"},
        {PROBABLE(one, p, twice), "two classes have the name 'ham'"},
        {PROBABLE(eggs, p, names), "token:1: the predicted label 'eggs'"},
        {{.count = 1,
          .gold = one,
          .predicted = one,
          .others = both,
          .other_names = names,
          .other_count = 2},
         "token:1: no spam label"},
    };
    caucus_ctx *ctx = test_ctx();
    caucus_options *options = sample_options(ctx, "eval", NULL, NULL);
    caucus_scores *scores = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fails(ctx, caucus_score_labels(ctx, options, &cases[i].labels, &scores),
                     CAUCUS_ERR_ARGUMENT, cases[i].part);

    static const char *const wants[][3] = {{"probabilities", "1", "needs the probabilities"},
                                           {"gold", "x", "in memory already"},
                                           {"clusters", "x", "files of clusterings"}};
    for (size_t i = 0; i < 3; i++) {
        caucus_options *with = sample_options(ctx, "eval", wants[i][0], wants[i][1], NULL);
        assert_fails(ctx, caucus_score_labels(ctx, with, &sample, &scores), CAUCUS_ERR_ARGUMENT,
                     wants[i][2]);
        caucus_options_free(with);
    }
    caucus_options *scheme = sample_options(ctx, "eval", "scheme", "iobes", NULL);
    static const char *const iob[] = {"S-X", "B-X", "L-X"};
    const caucus_labels foreign = {.count = 3, .gold = iob, .predicted = iob};
    assert_fails(ctx, caucus_score_labels(ctx, scheme, &foreign, &scores), CAUCUS_ERR_FORMAT,
                 "token:3: the label 'L-X' is not a label of iobes");
    caucus_options_free(scheme);
    assert_null(scores);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    caucus_options *options;
} evaluation_scoring;

static caucus_status score(void *self)
{
    const evaluation_scoring *s = self;
    caucus_scores *scores = NULL;
    const caucus_status st = caucus_score_labels(s->ctx, s->options, &sample, &scores);
    caucus_scores_free(scores);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    evaluation_scoring s = {ctx, sample_options(ctx, "eval", NULL, NULL)};
    assert_true(test_every_allocation(score, &s) > 20);
    caucus_options_free(s.options);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),  cmocka_unit_test(test_classes),
        cmocka_unit_test(test_several), cmocka_unit_test(test_bad),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("api/evaluation", tests, NULL, NULL);
}
