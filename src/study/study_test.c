/* study_test.c - studies against training by hand: files of each part are written, read, trained
 * on and scored by a few lines of the test itself. */

#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sample.h"
#include "study/folds.h"

enum { PIECES = 60, TOKENS = 6, THREADS_MOST = 3, LONE = 20 };

/* A corpus: pieces of text which are sequences of columns, or lines of text with a class. */
typedef struct {
    cau_format format;
    size_t pieces, T[PIECES];
    const char *gold[PIECES][TOKENS];
    char text[PIECES][256];
} corpus;

/* Short sentences with names of persons and places, told by their words most of the time. One
 * sequence has a type of its own, which its fold cannot know. */
static void make_sentences(corpus *c, size_t pieces, uint64_t seed)
{
    static const char *const words[] = {"Ann", "Lee", "Rome", "York", "went", "to", "saw", "New"};
    static const char *const tags[] = {"B-PER", "I-PER", "B-LOC", "I-LOC", "O", "O", "O", "B-LOC"};
    cau_rng rng;
    cau_rng_init(&rng, seed);
    *c = (corpus){.format = CAU_FORMAT_COLUMNS, .pieces = pieces};
    for (size_t p = 0; p < pieces; p++) {
        size_t at = 0;
        c->T[p] = 2 + cau_rng_below(&rng, TOKENS - 1);
        for (size_t t = 0; t < c->T[p]; t++) {
            size_t word = cau_rng_below(&rng, 8);
            size_t tag = cau_rng_real(&rng) < 0.2 ? cau_rng_below(&rng, 8) : word;
            c->gold[p][t] = p == 7 && t == 0 ? "B-ODD" : tags[tag];
            at += (size_t)snprintf(c->text[p] + at, sizeof c->text[p] - at, "%s %s\n", words[word],
                                   c->gold[p][t]);
        }
        snprintf(c->text[p] + at, sizeof c->text[p] - at, "\n");
    }
}

/* Lines of three classes in turn, each with a word of its own: separable. */
static void make_lines(corpus *c, size_t pieces, uint64_t seed)
{
    static const char *const classes[] = {"red", "green", "blue"};
    cau_rng rng;
    cau_rng_init(&rng, seed);
    *c = (corpus){.format = CAU_FORMAT_TEXT, .pieces = pieces};
    for (size_t p = 0; p < pieces; p++) {
        size_t y = p % 3;
        c->T[p] = 1;
        c->gold[p][0] = classes[y];
        snprintf(c->text[p], sizeof c->text[p], "%s\tis%zu n%d n%d\n", classes[y], y,
                 (int)cau_rng_below(&rng, 9), (int)cau_rng_below(&rng, 9));
    }
}

/* Lines of one class, but for line LONE. */
static void make_lone(corpus *c, size_t pieces)
{
    make_lines(c, pieces, 1);
    for (size_t p = 0; p < pieces; p++) {
        c->gold[p][0] = p == LONE ? "red" : "green";
        snprintf(c->text[p], sizeof c->text[p], "%s\tw%zu\n", c->gold[p][0], p % 5);
    }
}

/* The pieces that have a role, in a file. */
static const char *file_of(const corpus *c, const char *name, const unsigned char *role,
                           cau_role which)
{
    cau_text text = {0};
    for (size_t p = 0; p < c->pieces; p++)
        if (!role || role[p] == which) cau_text_printf(&text, "%s", c->text[p]);
    const char *path = test_file(name, text.s, text.n);
    cau_text_clear(&text);
    return path;
}

static caucus_data *read_data(caucus_ctx *ctx, const corpus *c, const char *train, const char *dev,
                              const char *test)
{
    static const char pattern[] = "U0:%x[0,0]\nU1:%x[-1,0]\nB\n";
    caucus_data *data = NULL;
    const char *template = test_file("study.template", pattern, sizeof pattern - 1);
    cau_data_options how = {.read = {.format = c->format, .ngrams = 1},
                            .template = c->format == CAU_FORMAT_COLUMNS ? template : NULL,
                            .dev = dev,
                            .test = test};
    assert_ok(ctx, cau_data_read(ctx, &how, &train, 1, &data));
    return data;
}

static caucus_data *whole(caucus_ctx *ctx, const corpus *c)
{
    return read_data(ctx, c, file_of(c, "study.whole", NULL, 0), NULL, NULL);
}

static cau_train_options training(double l2)
{
    return (cau_train_options){.l2 = l2,
                               .solver = CAU_SOLVER_LBFGS,
                               .transitions = CAU_TRANSITIONS_ALL,
                               .history = 6,
                               .stop = {.epsilon = 1e-7, .iterations = 1000, .period = 10}};
}

static cau_setting one(double l2)
{
    return (cau_setting){.text = "", .penalty = l2, .train = training(l2)};
}

/* The settings of a grid of three, not in the order of the path. */
static void three(cau_setting settings[3])
{
    settings[0] = (cau_setting){.text = "l2=1", .penalty = 1, .train = training(1)};
    settings[1] = (cau_setting){.text = "l2=0.1", .penalty = 0.1, .train = training(0.1)};
    settings[2] = (cau_setting){.text = "l2=10", .penalty = 10, .train = training(10)};
}

static char *study_text(caucus_ctx *ctx, const caucus_data *data, const cau_study_options *o,
                        size_t *best)
{
    cau_text text = {0};
    assert_ok(ctx, cau_study(ctx, data, o, into_text, &text, best));
    return text.s;
}

static json_t *study_json(caucus_ctx *ctx, const caucus_data *data, cau_study_options o,
                          size_t *best)
{
    json_error_t error;
    o.json = true;
    char *text = study_text(ctx, data, &o, best);
    json_t *root = json_loads(text, 0, &error);
    assert_non_null(root);
    free(text);
    assert_int_equal(json_integer_value(json_object_get(root, "format")), 1);
    return root;
}

/* Run `column` of row `row`. */
static const json_t *run_at(const json_t *root, const char *rows, size_t row, size_t column)
{
    const json_t *each = json_object_get(json_array_get(json_object_get(root, rows), row), "each");
    assert_non_null(json_array_get(each, column));
    return json_array_get(each, column);
}

static double real_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const json_t *mean_at(const json_t *root, const char *rows, size_t row, const char *key)
{
    return json_object_get(json_array_get(json_object_get(root, rows), row), key);
}

/* ---- by hand --------------------------------------------------------------------------- */

typedef struct {
    double tokens, right, gold, found, correct, objective;
} by_hand;

/* Whether a chunk begins at token t, and where the one there ends: IOB2, read as conlleval does. */
static bool begins(const char *const *tag, size_t t)
{
    if (tag[t][0] == 'O') return false;
    return tag[t][0] == 'B' || t == 0 || tag[t - 1][0] == 'O' ||
           strcmp(tag[t] + 1, tag[t - 1] + 1) != 0;
}

static size_t end_of(const char *const *tag, size_t t, size_t T)
{
    size_t end = t + 1;
    while (end < T && tag[end][0] != 'O' && !begins(tag, end)) end++;
    return end;
}

static void score_sequence(by_hand *h, const char *const *gold, const char *const *tag, size_t T)
{
    for (size_t t = 0; t < T; t++) {
        h->tokens++;
        h->right += strcmp(gold[t], tag[t]) == 0;
        h->gold += begins(gold, t);
        h->found += begins(tag, t);
        h->correct += begins(gold, t) && begins(tag, t) && strcmp(gold[t] + 1, tag[t] + 1) == 0 &&
                      end_of(gold, t, T) == end_of(tag, t, T);
    }
}

/* Trains on the pieces with that role and scores those that are held out. */
static by_hand train_by_hand(caucus_ctx *ctx, const corpus *c, const unsigned char *role,
                             const cau_train_options *options, uint64_t seed)
{
    by_hand h = {0};
    cau_fit_result result = {0};
    const char *train = file_of(c, "hand.train", role, CAU_TRAINED);
    caucus_data *data = read_data(ctx, c, train, NULL, file_of(c, "hand.test", role, CAU_HELD));
    assert_ok(ctx, cau_fit_weights(ctx, data, options, seed, 1, &result));
    h.objective = result.objective;
    for (size_t p = 0, at = 0; p < c->pieces; p++) {
        const char *tag[TOKENS];
        if (role[p] != CAU_HELD) continue;
        for (size_t t = 0; t < c->T[p]; t++)
            tag[t] = cau_alphabet_name(data->labels, result.answer[at++]).s;
        score_sequence(&h, c->gold[p], tag, c->T[p]);
    }
    cau_fit_result_clear(&result);
    cau_data_free(data);
    return h;
}

static double f1_of(by_hand h)
{
    return 2 * h.correct / (h.gold + h.found);
}

static void check_folds(const corpus *c, bool chunks)
{
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = whole(ctx, c);
    cau_setting setting = one(0.5);
    const cau_study_options o = {
        .folds = 3, .settings = &setting, .count = 1, .seed = 4, .threads = 2};
    size_t best = 9;
    json_t *root = study_json(ctx, data, o, &best);
    assert_int_equal(best, 0);
    assert_string_equal(json_string_value(json_object_get(root, "study")), "folds");
    assert_string_equal(json_string_value(json_object_get(root, "score")),
                        chunks ? "f1" : "accuracy");

    uint32_t fold[PIECES];
    unsigned char role[PIECES];
    by_hand all = {0};
    double scores[3], mean = 0, error = 0;
    assert_ok(ctx, cau_folds(ctx, data, 3, 4, fold));
    for (size_t f = 0; f < 3; f++) {
        for (size_t p = 0; p < c->pieces; p++) role[p] = fold[p] == f ? CAU_HELD : CAU_TRAINED;
        const by_hand h = train_by_hand(ctx, c, role, &setting.train, 4);
        const json_t *run = run_at(root, "settings", 0, f);
        scores[f] = chunks ? f1_of(h) : h.right / h.tokens;
        assert_near(real_at(run, "objective"), h.objective, 1e-6 * h.objective);
        assert_near(real_at(run, "accuracy"), h.right / h.tokens, 1e-8);
        assert_near(real_at(run, "score"), scores[f], 1e-8);
        assert_near(real_at(run, "counted"), h.tokens, 0);
        assert_near(real_at(json_object_get(run, "held_out"), "instances"), h.tokens, 0);
        assert_near(real_at(run, "instances"), (double)data->train.N - h.tokens, 0);
        all.tokens += h.tokens, all.right += h.right;
        all.gold += h.gold, all.found += h.found, all.correct += h.correct;
        mean += scores[f] / 3;
    }
    for (size_t f = 0; f < 3; f++) error += (scores[f] - mean) * (scores[f] - mean) / 2 / 3;
    const json_t *score = mean_at(root, "settings", 0, "score");
    assert_near(real_at(score, "mean"), mean, 1e-8);
    assert_near(real_at(score, "standard_error") * real_at(score, "standard_error"), error, 1e-8);
    assert_near(real_at(score, "pooled"), chunks ? f1_of(all) : all.right / all.tokens, 1e-8);
    assert_near(all.tokens, (double)data->train.N, 0);
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_folds_of_chunks(void **state)
{
    (void)state;
    corpus c;
    make_sentences(&c, 40, 1);
    check_folds(&c, true);
}

static void test_folds_of_classes(void **state)
{
    (void)state;
    corpus c;
    make_lines(&c, 45, 1);
    check_folds(&c, false);
}

/* What training has never seen cannot be answered: the token of its own type is always wrong. */
static void test_unknown_label(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    make_lines(&c, 30, 1);
    c.gold[4][0] = "odd";
    snprintf(c.text[4], sizeof c.text[4], "odd\tis1 is2\n");
    caucus_data *data = whole(ctx, &c);
    cau_setting setting = one(0.01);
    const cau_study_options o = {
        .folds = 3, .settings = &setting, .count = 1, .seed = 1, .threads = 1};
    size_t best;
    json_t *root = study_json(ctx, data, o, &best);
    assert_near(real_at(mean_at(root, "settings", 0, "accuracy"), "pooled"), 29.0 / 30, 1e-8);
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- grids ----------------------------------------------------------------------------- */

/* Warm starts change how soon an optimum is reached, and not which. */
static void test_warm_and_cold(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    make_sentences(&c, 36, 2);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    cau_study_options o = {.folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 2};
    size_t best[2];
    json_t *cold = study_json(ctx, data, o, &best[0]);
    o.warm = true;
    json_t *warm = study_json(ctx, data, o, &best[1]);
    assert_int_equal(best[0], best[1]);
    double highest = 0, of_best = 0;
    size_t differ = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t f = 0; f < 3; f++) {
            const json_t *a = run_at(cold, "settings", i, f), *b = run_at(warm, "settings", i, f);
            assert_near(real_at(a, "objective"), real_at(b, "objective"), 1e-6);
            assert_near(real_at(a, "score"), real_at(b, "score"), 0);
            differ += json_integer_value(json_object_get(a, "iterations")) !=
                      json_integer_value(json_object_get(b, "iterations"));
        }
        const double mean = real_at(mean_at(warm, "settings", i, "score"), "mean");
        if (mean > highest) highest = mean;
        if (i == best[1]) of_best = mean;
    }
    assert_near(highest, of_best, 1e-9);
    assert_true(differ > 0);
    json_decref(cold);
    json_decref(warm);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Without folds the development data decides; its runs are those of training with it as the test
 * set. */
static void test_grid_by_dev(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    unsigned char role[PIECES];
    make_sentences(&c, 40, 3);
    three(settings);
    for (size_t p = 0; p < c.pieces; p++) role[p] = p % 4 == 3 && p != 7 ? CAU_HELD : CAU_TRAINED;
    const char *train = file_of(&c, "grid.train", role, CAU_TRAINED);
    caucus_data *data = read_data(ctx, &c, train, file_of(&c, "grid.dev", role, CAU_HELD), NULL);
    cau_study_options o = {.settings = settings, .count = 3, .seed = 1, .threads = 2};
    size_t best;
    for (int warm = 0; warm < 2; warm++) {
        o.warm = warm;
        json_t *root = study_json(ctx, data, o, &best);
        assert_string_equal(json_string_value(json_object_get(root, "held_out")), "dev");
        for (size_t i = 0; i < 3; i++) {
            const by_hand h = train_by_hand(ctx, &c, role, &settings[i].train, 1);
            const json_t *run = run_at(root, "settings", i, 0);
            assert_near(real_at(run, "score"), f1_of(h), 1e-8);
            assert_near(real_at(run, "objective"), h.objective, 1e-6);
        }
        assert_true(
            json_is_null(json_object_get(mean_at(root, "settings", 0, "score"), "standard_error")));
        json_decref(root);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* All settings are perfect here: the strongest penalty wins. And the table says so. */
static void test_ties(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    size_t best;
    make_lines(&c, 30, 1);
    three(settings);
    settings[2] = (cau_setting){.text = "l2=2", .penalty = 2, .train = training(2)};
    caucus_data *data = whole(ctx, &c);
    cau_study_options o = {
        .folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 1, .warm = true};
    char *text = study_text(ctx, data, &o, &best);
    assert_int_equal(best, 2);
    assert_non_null(strstr(text, "3 folds of 30 instances; stratified, seed 1\n"));
    assert_non_null(strstr(text, "\n  l2=0.1       1.0000      0.0000  "));
    assert_non_null(strstr(text, "\n* l2=2         1.0000      0.0000  "));
    assert_non_null(strstr(text, "* best: l2=2; the highest mean accuracy"));
    assert_non_null(strstr(text, "optimistic"));
    free(text);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- curves ---------------------------------------------------------------------------- */

/* Each subset holds the next smaller one; what is held out is the same for all of a seed, and
 * units are whole. */
static void test_nested(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    make_sentences(&c, 60, 5);
    for (int units = 0; units < 2; units++) {
        caucus_data *data = whole(ctx, &c);
        if (units) {
            data->train.unit = calloc(60, sizeof *data->train.unit);
            for (uint32_t s = 0; s < 60; s++) data->train.unit[s] = s / 4; /* 15 units */
        }
        assert_int_equal(cau_curve_sizes(data), 3); /* 48, 24, 12 */
        for (uint64_t seed = 1; seed < 6; seed++) {
            unsigned char larger[60], role[60];
            for (size_t halvings = 0; halvings < 3; halvings++) {
                size_t trained = 0, held = 0;
                assert_ok(ctx, cau_curve_subset(ctx, data, seed, halvings, role));
                for (size_t s = 0; s < 60; s++) {
                    trained += role[s] == CAU_TRAINED;
                    held += role[s] == CAU_HELD;
                    if (halvings && role[s] == CAU_TRAINED)
                        assert_int_equal(larger[s], CAU_TRAINED);
                    if (halvings) assert_int_equal(larger[s] == CAU_HELD, role[s] == CAU_HELD);
                    if (units) assert_int_equal(role[s], role[s / 4 * 4]);
                }
                assert_int_equal(held, 12);
                assert_int_equal(trained, 48u >> halvings);
                memcpy(larger, role, sizeof role);
            }
        }
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* A curve over test data, its runs by hand. */
static void test_curve(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    unsigned char role[PIECES], subset[PIECES];
    make_sentences(&c, 60, 6);
    for (size_t p = 0; p < c.pieces; p++) role[p] = p >= 40 ? CAU_HELD : CAU_TRAINED;
    const char *train = file_of(&c, "curve.train", role, CAU_TRAINED);
    caucus_data *data = read_data(ctx, &c, train, NULL, file_of(&c, "curve.test", role, CAU_HELD));
    cau_setting setting = one(1);
    const cau_study_options o = {
        .curve = true, .seeds = 5, .settings = &setting, .count = 1, .seed = 11, .threads = 2};
    size_t best;
    json_t *root = study_json(ctx, data, o, &best);
    assert_string_equal(json_string_value(json_object_get(root, "held_out")), "test");
    assert_int_equal(json_array_size(json_object_get(root, "sizes")), 3); /* 10, 20, 40 */
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < 5; i++) {
            assert_ok(ctx, cau_curve_subset(ctx, data, 11 + i, 2 - r, subset));
            for (size_t p = 0; p < 40; p++) role[p] = subset[p];
            const by_hand h = train_by_hand(ctx, &c, role, &setting.train, 11);
            const json_t *run = run_at(root, "sizes", r, i);
            assert_near(real_at(run, "sequences"), 10 << r, 0);
            assert_near(real_at(run, "right"), h.right, 0);
            assert_near(real_at(run, "score"), f1_of(h), 1e-8);
            assert_near(real_at(run, "objective"), h.objective, 1e-6 * h.objective);
        }
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void count_note(void *user, const char *sentence)
{
    *(size_t *)user += strstr(sentence, "left out of the curve") != NULL;
}

/* One instance of a second class: small subsets miss it. */
static void test_missing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    make_lone(&c, 60);
    unsigned char role[PIECES], subset[PIECES];
    for (size_t p = 0; p < 60; p++) role[p] = p >= 40 ? CAU_HELD : CAU_TRAINED;
    const char *train = file_of(&c, "missing.train", role, CAU_TRAINED);
    caucus_data *data =
        read_data(ctx, &c, train, NULL, file_of(&c, "missing.test", role, CAU_HELD));
    cau_setting setting = one(1);
    cau_study_options o = {
        .curve = true, .seeds = 4, .settings = &setting, .count = 1, .seed = 1, .threads = 2};
    size_t best, notes = 0, empty = 0;
    caucus_on_note(ctx, count_note, &notes);
    json_t *root = study_json(ctx, data, o, &best);
    for (size_t r = 0; r < 3; r++) {
        size_t runs = 0;
        for (size_t i = 0; i < 4; i++) {
            assert_ok(ctx, cau_curve_subset(ctx, data, 1 + i, 2 - r, subset));
            assert_int_equal(json_is_true(json_object_get(run_at(root, "sizes", r, i), "missing")),
                             subset[LONE] != CAU_TRAINED);
            runs += subset[LONE] == CAU_TRAINED;
        }
        assert_near(real_at(json_array_get(json_object_get(root, "sizes"), r), "runs"),
                    (double)runs, 0);
        empty += runs == 0;
    }
    assert_int_equal(notes, empty);
    json_decref(root);

    o.seeds = 1; /* a seed whose smallest subset misses it */
    do assert_ok(ctx, cau_curve_subset(ctx, data, ++o.seed, 2, subset));
    while (subset[LONE] == CAU_TRAINED);
    notes = 0;
    char *text = study_text(ctx, data, &o, &best);
    assert_true(notes > 0);
    assert_null(strstr(text, "\n1/4 "));
    assert_non_null(strstr(text, "\nall "));
    free(text);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- all of them ----------------------------------------------------------------------- */

static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], setting = one(1);
    make_sentences(&c, 45, 8);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    const cau_study_options studies[] = {
        {.folds = 4, .settings = &setting, .count = 1, .seed = 1},
        {.folds = 4, .settings = settings, .count = 3, .seed = 1, .warm = true},
        {.curve = true, .seeds = 5, .settings = &setting, .count = 1, .seed = 1}};
    for (size_t i = 0; i < 3; i++)
        for (int json = 0; json < 2; json++) {
            char *first = NULL;
            for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
                cau_study_options o = studies[i];
                size_t best;
                o.threads = threads;
                o.json = json;
                char *text = study_text(ctx, data, &o, &best);
                if (first) assert_string_equal(first, text);
                if (first)
                    free(text);
                else
                    first = text;
            }
            free(first);
        }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    size_t calls, most;
    const char *solver;
} watcher;

static bool watch(void *user, const caucus_progress *p)
{
    watcher *w = user;
    assert_string_equal(p->solver, w->solver);
    assert_int_equal(p->iteration, ++w->calls);
    assert_int_equal(p->passes, 9);
    assert_true(p->dev >= 0 && p->dev <= 1);
    return w->calls < w->most;
}

static void test_progress(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    cau_text text = {0};
    make_lines(&c, 30, 1);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
        const cau_study_options o = {
            .folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = threads};
        watcher w = {.solver = "grid", .most = 4};
        size_t best = 77;
        caucus_on_progress(ctx, watch, &w);
        assert_fails(ctx, cau_study(ctx, data, &o, into_text, &text, &best), CAUCUS_ERR_STOPPED,
                     "stopped after 4 of 9 runs");
        assert_int_equal(w.calls, 4);
        assert_int_equal(best, 77);
        assert_null(text.s);
        w = (watcher){.solver = "grid", .most = 100};
        assert_ok(ctx, cau_study(ctx, data, &o, into_text, &text, &best));
        assert_int_equal(w.calls, 9);
        cau_text_clear(&text);
        text = (cau_text){0};
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* A run that fails: its status, and which it was. */
static void test_failures(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    size_t best;
    make_lines(&c, 30, 1);
    three(settings);
    settings[1].train.memory = "1"; /* byte: the last of the path */
    caucus_data *data = whole(ctx, &c);
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
        const cau_study_options o = {
            .folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = threads};
        assert_fails(ctx, cau_study(ctx, data, &o, into_nothing, NULL, &best), CAUCUS_ERR_MEMORY,
                     "fold 1, l2=0.1: training needs about");
    }
    settings[1].train.memory = NULL;
    const cau_study_options o = {
        .folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 2};
    assert_fails(ctx, cau_study(ctx, data, &o, into_nothing, NULL, &best), CAUCUS_ERR_IO, "");
    cau_data_free(data);

    make_lone(&c, 30); /* of the second class: one fold has it, and trains without */
    data = whole(ctx, &c);
    const cau_study_options folds = {
        .folds = 3, .settings = settings, .count = 1, .seed = 1, .threads = 2};
    assert_fails(ctx, cau_study(ctx, data, &folds, into_nothing, NULL, &best), CAUCUS_ERR_FORMAT,
                 "fold ");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_check(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], plain = one(1), patient = one(1);
    make_lines(&c, 6, 1);
    three(settings);
    patient.train.stop.patience = 3;
    caucus_data *data = whole(ctx, &c);
    const struct {
        cau_study_options o;
        const char *part;
    } wrong[] = {
        {{.curve = true, .seeds = 5, .settings = settings, .count = 3}, "leave out --grid"},
        {{.curve = true, .seeds = 5, .folds = 2, .settings = &plain, .count = 1},
         "leave out --folds"},
        {{.curve = true, .settings = &plain, .count = 1}, "--seeds"},
        {{.settings = &plain, .count = 1}, "nothing to study"},
        {{.folds = 1, .settings = &plain, .count = 1}, "at least 2"},
        {{.folds = 2, .settings = &patient, .count = 1}, "--patience"},
        {{.folds = 2, .settings = &plain, .count = 1, .plot = "x.svg"}, "--folds alone"},
        {{.folds = 7, .settings = &plain, .count = 1}, "only 6 instances"},
        {{.settings = settings, .count = 3}, "--grid needs data to choose by"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t best;
        assert_fails(ctx, cau_study_check(ctx, &wrong[i].o, data), CAUCUS_ERR_ARGUMENT,
                     wrong[i].part);
        assert_fails(ctx, cau_study(ctx, data, &wrong[i].o, into_nothing, NULL, &best),
                     CAUCUS_ERR_ARGUMENT, wrong[i].part);
    }
    for (size_t i = 7; i < 9; i++) /* nobody can tell yet */
        assert_ok(ctx, cau_study_check(ctx, &wrong[i].o, NULL));
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file) fclose(file);
    return file != NULL;
}

/* The figure, or where gnuplot is missing what it would be made of. */
static void test_plot(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], setting = one(1);
    make_sentences(&c, 30, 9);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    cau_study_options studies[] = {
        {.folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 2, .warm = true},
        {.curve = true, .seeds = 3, .settings = &setting, .count = 1, .seed = 1, .threads = 2}};
    for (size_t i = 0; i < 2; i++) {
        size_t best;
        char *path = strdup(test_path(i ? "curve.svg" : "grid.svg"));
        char *beside = malloc(strlen(path) + sizeof ".dat");
        sprintf(beside, "%s.dat", path);
        studies[i].plot = path;
        free(study_text(ctx, data, &studies[i], &best));
        assert_true(exists(path) || exists(beside));
        free(beside);
        free(path);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    cau_study_options o;
} memory_case;

static caucus_status run_study(void *self)
{
    const memory_case *m = self;
    cau_text text = {0};
    size_t best;
    caucus_status st = cau_study(m->ctx, m->data, &m->o, into_text, &text, &best);
    cau_text_clear(&text);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], setting = one(1);
    make_sentences(&c, 10, 1);
    three(settings);
    for (size_t i = 0; i < 3; i++) settings[i].train.stop.iterations = 2;
    setting.train.stop.iterations = 2;
    caucus_data *data = whole(ctx, &c);
    memory_case cases[] = {
        {.o = {.folds = 2, .settings = settings, .count = 2, .seed = 1, .warm = true}},
        {.o = {.folds = 2, .settings = &setting, .count = 1, .seed = 1, .json = true}},
        {.o = {.curve = true, .seeds = 2, .settings = &setting, .count = 1, .seed = 1}}};
    for (size_t i = 0; i < 3; i++) {
        cases[i].ctx = ctx;
        cases[i].data = data;
        cases[i].o.threads = 1;
        assert_true(test_every_allocation(run_study, &cases[i]) > 50);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_of_chunks), cmocka_unit_test(test_folds_of_classes),
        cmocka_unit_test(test_unknown_label),   cmocka_unit_test(test_warm_and_cold),
        cmocka_unit_test(test_grid_by_dev),     cmocka_unit_test(test_ties),
        cmocka_unit_test(test_nested),          cmocka_unit_test(test_curve),
        cmocka_unit_test(test_missing),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_progress),        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_check),           cmocka_unit_test(test_plot),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
