/* study_sample.h - small corpora, studies of them as JSON, and the same runs by hand: a few lines
 * write the files of each part, read them, train and score. */

#ifndef CAU_SUPPORT_STUDY_SAMPLE_H
#define CAU_SUPPORT_STUDY_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "study/folds.h"
#include "study/study.h"
#include "support/base_sample.h"

enum { PIECES = 60, TOKENS = 6, THREADS_MOST = 3, LONE = 20 };

/* A corpus: pieces of text, each a sequence of columns or a line of text with a class. */
typedef struct {
    cau_format format;
    size_t pieces, T[PIECES];
    const char *gold[PIECES][TOKENS];
    char text[PIECES][256];
} corpus;

/* Short sentences with names of persons and places, mostly determined by their words. One sequence
 * has a chunk type that no other sequence has, so its fold cannot learn it. */
static inline void make_sentences(corpus *c, size_t pieces, uint64_t seed)
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

/* Lines of three classes in turn. A word of its own marks each class, so they are separable. */
static inline void make_lines(corpus *c, size_t pieces, uint64_t seed)
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

/* All lines have one class, except line LONE. */
static inline void make_lone(corpus *c, size_t pieces)
{
    make_lines(c, pieces, 1);
    for (size_t p = 0; p < pieces; p++) {
        c->gold[p][0] = p == LONE ? "red" : "green";
        snprintf(c->text[p], sizeof c->text[p], "%s\tw%zu\n", c->gold[p][0], p % 5);
    }
}

/* Writes the pieces with a role to a file. */
static inline const char *file_of(const corpus *c, const char *name, const unsigned char *role,
                                  cau_role which)
{
    cau_strbuf text = {0};
    for (size_t p = 0; p < c->pieces; p++)
        if (!role || role[p] == which) cau_strbuf_printf(&text, "%s", c->text[p]);
    const char *path = test_file(name, text.s, text.n);
    cau_strbuf_clear(&text);
    return path;
}

static inline caucus_data *read_data(caucus_ctx *ctx, const corpus *c, const char *train,
                                     const char *dev, const char *test)
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

static inline caucus_data *whole(caucus_ctx *ctx, const corpus *c)
{
    return read_data(ctx, c, file_of(c, "study.whole", NULL, 0), NULL, NULL);
}

static inline cau_train_options training(double l2)
{
    return (cau_train_options){.l2 = l2,
                               .solver = CAU_SOLVER_LBFGS,
                               .transitions = CAU_TRANSITIONS_ALL,
                               .history = 6,
                               .stop = {.epsilon = 1e-7, .iterations = 1000, .period = 10}};
}

static inline cau_setting one(double l2)
{
    return (cau_setting){.text = "", .penalty = l2, .train = training(l2)};
}

/* A grid of three settings, which are not in the order of the path. */
static inline void three(cau_setting settings[3])
{
    settings[0] = (cau_setting){.text = "l2=1", .penalty = 1, .train = training(1)};
    settings[1] = (cau_setting){.text = "l2=0.1", .penalty = 0.1, .train = training(0.1)};
    settings[2] = (cau_setting){.text = "l2=10", .penalty = 10, .train = training(10)};
}

static inline char *study_text(caucus_ctx *ctx, const caucus_data *data, const cau_study_options *o,
                               size_t *best)
{
    cau_strbuf text = {0};
    assert_ok(ctx, cau_study(ctx, data, o, into_text, &text, best, NULL));
    return text.s;
}

static inline json_t *study_json(caucus_ctx *ctx, const caucus_data *data, cau_study_options o,
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

/* The run in row `row` and column `column`. */
static inline const json_t *run_at(const json_t *root, const char *rows, size_t row, size_t column)
{
    const json_t *each = json_object_get(json_array_get(json_object_get(root, rows), row), "each");
    assert_non_null(json_array_get(each, column));
    return json_array_get(each, column);
}

static inline double real_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static inline const json_t *mean_at(const json_t *root, const char *rows, size_t row,
                                    const char *key)
{
    return json_object_get(json_array_get(json_object_get(root, rows), row), key);
}

/* ---- by hand --------------------------------------------------------------------------- */

typedef struct {
    double tokens, right, gold, found, correct, objective;
} by_hand;

/* Whether a chunk begins at token t: IOB2, read as conlleval does. */
static inline bool begins(const char *const *tag, size_t t)
{
    if (tag[t][0] == 'O') return false;
    return tag[t][0] == 'B' || t == 0 || tag[t - 1][0] == 'O' ||
           strcmp(tag[t] + 1, tag[t - 1] + 1) != 0;
}

static inline size_t end_of(const char *const *tag, size_t t, size_t T)
{
    size_t end = t + 1;
    while (end < T && tag[end][0] != 'O' && !begins(tag, end)) end++;
    return end;
}

static inline void score_sequence(by_hand *h, const char *const *gold, const char *const *tag,
                                  size_t T)
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

/* Trains on the pieces with the role CAU_TRAINED and scores the held-out ones. */
static inline by_hand train_by_hand(caucus_ctx *ctx, const corpus *c, const unsigned char *role,
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

static inline double f1_of(by_hand h)
{
    return 2 * h.correct / (h.gold + h.found);
}

#endif
