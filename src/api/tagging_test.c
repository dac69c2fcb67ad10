/* tagging_test.c - tagging sequences in memory equals tagging a file, for every kind of model. */

#include <math.h>
#include <pthread.h>

#include "support/api_sample.h"

static const char pattern[] = "U0:%x[0,0]\nU1:%x[-1,1]/%x[0,1]\nB1:%x[0,1]\nB\n";

typedef enum { AS_CELLS, AS_FEATURES, AS_TEXT, AS_KEYS } tagger_form;

/* The features of row i of its sequence, for models without a template. */
static size_t features_of(size_t i, char names[3][32], caucus_feature *features)
{
    snprintf(names[0], 32, "w=%s", sample_rows[i][0]);
    snprintf(names[1], 32, "t=%s", sample_rows[i][1]);
    snprintf(names[2], 32, "before=%s",
             i && sample_rows[i - 1][0] ? sample_rows[i - 1][1] : "none");
    for (size_t k = 0; k < 3; k++) features[k] = (caucus_feature){names[k], k == 1 ? .5 : 1};
    return 3;
}

/* The features of row i by their keys, each name hashed in two parts. */
static caucus_status add_keys(caucus_ctx *ctx, caucus_tagger *tagger, size_t i)
{
    char names[3][32];
    caucus_feature features[3];
    caucus_keyed_feature keyed[3];
    const size_t count = features_of(i, names, features);
    for (size_t k = 0; k < count; k++) {
        const uint64_t begin = caucus_tagger_key(tagger, 0, names[k], k);
        keyed[k] = (caucus_keyed_feature){
            caucus_tagger_key(tagger, begin, names[k] + k, strlen(names[k] + k)),
            features[k].value};
    }
    return caucus_tagger_add_keys(ctx, tagger, keyed, count);
}

static caucus_status add_token(caucus_ctx *ctx, caucus_tagger *tagger, tagger_form as, size_t i)
{
    char names[3][32], text[64];
    caucus_feature features[3];
    snprintf(text, sizeof text, "%s %s", sample_rows[i][0], sample_rows[i][1]);
    return as == AS_CELLS  ? caucus_tagger_add_cells(ctx, tagger, sample_rows[i], 2)
           : as == AS_KEYS ? add_keys(ctx, tagger, i)
           : as == AS_TEXT
               ? caucus_tagger_add_text(ctx, tagger, text)
               : caucus_tagger_add_features(ctx, tagger, features, features_of(i, names, features));
}

/* The same data as a file. */
static const char *sample_file(tagger_form as)
{
    char text[4096] = "", names[3][32];
    caucus_feature features[3];
    for (size_t i = 0, n = 0; i < SAMPLE_ROWS; i++) {
        if (!sample_rows[i][0]) {
            if (as != AS_TEXT) n += (size_t)sprintf(text + n, "\n");
        } else if (as == AS_CELLS) {
            n += (size_t)sprintf(text + n, "%s\t%s\t%s\n", sample_rows[i][0], sample_rows[i][1],
                                 sample_rows[i][2]);
        } else if (as == AS_TEXT) {
            n += (size_t)sprintf(text + n, "%s\t%s %s\n", sample_rows[i][2], sample_rows[i][0],
                                 sample_rows[i][1]);
        } else {
            n += (size_t)sprintf(text + n, "%s", sample_rows[i][2]);
            for (size_t k = 0, count = features_of(i, names, features); k < count; k++)
                n += (size_t)sprintf(text + n, "\t%s:%g", names[k], features[k].value);
            n += (size_t)sprintf(text + n, "\n");
        }
    }
    return test_text("tokens.txt", text);
}

static caucus_model *train(caucus_ctx *ctx, caucus_options *options, tagger_form as)
{
    static const char *const formats[] = {"columns", "crfsuite", "text", "crfsuite"};
    const char *path = sample_file(as);
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    assert_ok(ctx, caucus_options_set(ctx, options, "format", formats[as]));
    assert_ok(ctx, caucus_data_read(ctx, options, &path, 1, &data));
    assert_ok(ctx, caucus_train(ctx, data, options, &model));
    caucus_data_free(data);
    caucus_options_free(options);
    return model;
}

/* ---- what tag writes, read again ---- */

/* Returns the next field of a line and advances *rest. */
static char *field(char **rest)
{
    char *begin = *rest;
    if (!begin) return NULL;
    char *tab = strchr(begin, '\t');
    if (tab) *tab = '\0';
    *rest = tab ? tab + 1 : NULL;
    return begin;
}

/* Compares the result of labelling `rank` for rows begin .. begin+T-1 with the lines at *text. */
static void check_labelling(const caucus_model *model, const caucus_tagger *tagger, size_t rank,
                            size_t T, bool sequences, size_t columns, char **text)
{
    const size_t Y = caucus_model_classes(model);
    const uint32_t *labels = caucus_tagger_labels(tagger, rank);
    const double *p = caucus_tagger_marginals(tagger);
    size_t count, next = 0;
    const caucus_segment *segments = caucus_tagger_segments(tagger, rank, &count);
    char *line;
    if (sequences) {
        line = strsep(text, "\n");
        double want;
        size_t number;
        assert_int_equal(sscanf(line, "# %zu %lf", &number, &want), 2);
        assert_int_equal(number, rank);
        assert_near(caucus_tagger_probability(tagger, rank), want, 1e-6 * want + 1e-9);
    }
    for (size_t t = 0; t < T; t++) {
        line = strsep(text, "\n");
        for (size_t c = 0; c < columns; c++) field(&line); /* input columns */
        assert_string_equal(caucus_model_class(model, labels[t]), field(&line));
        if (sequences) {
            const char *segment = field(&line);
            const bool begins = next < count && segments[next].begin == t;
            assert_int_equal(begins, strcmp(segment, "_") != 0);
            if (begins) {
                const caucus_segment *s = &segments[next++];
                assert_near(s->probability, atof(segment), 1e-6);
                assert_string_equal(s->type, "X");
                assert_true(s->end > t && s->end <= T);
                for (size_t k = t + 1; k < s->end; k++)
                    assert_string_equal(caucus_model_class(model, labels[k]), "I-X");
            }
        }
        for (size_t y = 0; y < Y; y++) {
            char *pair = field(&line), *colon = strrchr(pair, ':');
            *colon = '\0';
            assert_string_equal(pair, caucus_model_class(model, y));
            assert_near(p[t * Y + y], atof(colon + 1), 1e-6);
        }
    }
    assert_int_equal(next, count);
}

/* Compares all output of `tag` for the sample with the results of a tagger. */
static void check_same(caucus_ctx *ctx, const caucus_model *model, tagger_form as,
                       const char *scheme)
{
    static char out[SAMPLE_TEXT];
    const bool sequences = strcmp(caucus_model_info(model, "model"), "maxent") != 0;
    const bool text = as == AS_TEXT;
    caucus_options *options = sample_options(ctx, "tag", "probabilities", "1", NULL);
    caucus_tagger *tagger = NULL;
    if (sequences) {
        assert_ok(ctx, caucus_options_set(ctx, options, "nbest", "3"));
        assert_ok(ctx, caucus_options_set(ctx, options, "segments", NULL));
        assert_ok(ctx, caucus_options_set(ctx, options, "scheme", scheme));
    }
    assert_ok(ctx, caucus_tagger_new(ctx, model, options, &tagger));
    out[0] = '\0';
    assert_ok(ctx, caucus_tag(ctx, model, options, sample_file(as), sample_collect, out));
    caucus_options_free(options);
    char *at = out;
    size_t T = 0;
    for (size_t i = 0; i < SAMPLE_ROWS; i++) {
        if (sample_rows[i][0]) {
            assert_ok(ctx, add_token(ctx, tagger, as, i));
            T++;
            continue;
        }
        assert_ok(ctx, caucus_tagger_run(ctx, tagger));
        assert_int_equal(caucus_tagger_length(tagger), T);
        const size_t n = caucus_tagger_labellings(tagger);
        assert_true(sequences ? n >= 1 && n <= 3 : n == 1);
        for (size_t r = 0; r < n; r++) {
            check_labelling(model, tagger, r, T, sequences, as == AS_CELLS ? 3 : 1, &at);
            if (!text) assert_string_equal(strsep(&at, "\n"), "");
        }
        T = 0;
    }
    assert_string_equal(at, "");
    caucus_tagger_free(tagger);
}

static void test_same(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char *template = strdup(test_file("tagging.template", pattern, sizeof pattern - 1));
#define TRAIN(...)                                                                                 \
    sample_options(ctx, "train", "max-iterations", "20", "l2", ".1", __VA_ARGS__, NULL)
    struct {
        caucus_options *options;
        tagger_form as;
        const char *scheme;
    } cases[] = {
        {TRAIN("template", template), AS_CELLS, "none"},
        {TRAIN("template", template), AS_CELLS, "iob2"},
        {TRAIN("model", "memm"), AS_CELLS, "iob2"},
        {TRAIN("model", "maxent"), AS_CELLS, NULL},
        {TRAIN("model", "crf"), AS_FEATURES, "none"},
        {TRAIN("model", "maxent"), AS_FEATURES, NULL},
        {TRAIN("model", "crf"), AS_KEYS, "iob2"},
        {TRAIN("model", "maxent"), AS_KEYS, NULL},
        {TRAIN("ngrams", "2"), AS_TEXT, NULL},
        {TRAIN("pool", "bag", "template", template), AS_CELLS, "iob2"},
        {TRAIN("pool", "bag", "combine", "mixture"), AS_CELLS, "none"},
        {TRAIN("pool", "bag", "combine", "mixture", "mix", "exact", "template", template), AS_CELLS,
         "iob2"},
        {TRAIN("pool", "bag", "per", "transition", "combine", "mixture"), AS_CELLS, "none"},
        {TRAIN("pool", "lop", "partition", "random"), AS_FEATURES, "iob2"},
        {TRAIN("pool", "lop", "partition", "random", "combine", "mixture", "model", "maxent"),
         AS_FEATURES, NULL},
        {TRAIN("pool", "elitist", "elitist", ".1"), AS_CELLS, "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        caucus_model *model = train(ctx, cases[i].options, cases[i].as);
        check_same(ctx, model, cases[i].as, cases[i].scheme);
        caucus_model_free(model);
    }
    free(template);
    caucus_ctx_free(ctx);
}

/* Models from adapt; half of the words differ between domains. */
static caucus_model *adapt(caucus_ctx *ctx, const char *method)
{
    caucus_options *options = sample_options(ctx, "adapt", "method", method, "target", "here",
                                             "source", "there", "mega-iterations", "2", NULL);
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    assert_ok(ctx, caucus_data_new(ctx, options, &data));
    for (int d = 0; d < 2; d++) {
        assert_ok(ctx, caucus_data_group(ctx, data, d ? "there" : "here"));
        for (size_t i = 0; i < SAMPLE_ROWS; i++)
            assert_ok(ctx, sample_rows[i][0] ? caucus_data_add_cells(ctx, data, sample_rows[i][2],
                                                                     1, sample_rows[i], 2)
                                             : caucus_data_break(ctx, data));
    }
    assert_ok(ctx, caucus_data_close(ctx, data));
    assert_ok(ctx, caucus_train(ctx, data, options, &model));
    caucus_data_free(data);
    caucus_options_free(options);
    return model;
}

static void test_adapted(void **state)
{
    (void)state;
    static const char *const methods[] = {"mega", "prior", "augment", "interpolate", "feats"};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        caucus_model *model = adapt(ctx, methods[i]);
        check_same(ctx, model, AS_CELLS, "none");
        caucus_tagger *tagger = NULL;
        assert_ok(ctx, caucus_tagger_new(ctx, model, NULL, &tagger));
        assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, 0));
        assert_true(isnan(caucus_tagger_domain(tagger, 0)));
        assert_ok(ctx, caucus_tagger_run(ctx, tagger));
        const double general = caucus_tagger_domain(tagger, 0);
        assert_true(i == 0 ? general > 0 && general < 1 : isnan(general));
        assert_true(isnan(caucus_tagger_domain(tagger, 1)));
        caucus_tagger_free(tagger);
        caucus_model_free(model);
    }
    caucus_ctx_free(ctx);
}

/* ---- options ---- */

static caucus_model *cells_model(caucus_ctx *ctx)
{
    return train(ctx, sample_options(ctx, "train", "l2", ".1", NULL), AS_CELLS);
}

static void test_forced(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = cells_model(ctx);
    caucus_options *options =
        sample_options(ctx, "tag", "probabilities", "1", "sequence-probability", "1", NULL);
    caucus_tagger *tagger = NULL;
    const size_t Y = caucus_model_classes(model);
    double best_p, label_p;
    assert_ok(ctx, caucus_tagger_new(ctx, model, options, &tagger));
    for (size_t i = 6; i < 9; i++) assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, i));
    assert_ok(ctx, caucus_tagger_run(ctx, tagger));
    const uint32_t best = caucus_tagger_labels(tagger, 0)[1];
    label_p = caucus_tagger_marginals(tagger)[Y + best];
    best_p = caucus_tagger_probability(tagger, 0);
    assert_true(best_p < label_p && label_p < 1);

    for (size_t y = 0; y < Y; y++) { /* the second token in each class */
        for (size_t i = 6; i < 9; i++) {
            assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, i));
            if (i == 7)
                assert_ok(ctx, caucus_tagger_force(ctx, tagger, caucus_model_class(model, y)));
        }
        assert_ok(ctx, caucus_tagger_run(ctx, tagger));
        assert_int_equal(caucus_tagger_labels(tagger, 0)[1], y);
        assert_near(caucus_tagger_marginals(tagger)[Y + y], 1, 1e-9);
        /* given the label, the best labelling has p(labelling) / p(label) */
        if (y == best) assert_near(caucus_tagger_probability(tagger, 0), best_p / label_p, 1e-9);
    }

    assert_fails(ctx, caucus_tagger_force(ctx, tagger, "O"), CAUCUS_ERR_ARGUMENT, "no token");
    assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, 0));
    assert_ok(ctx, caucus_tagger_force(ctx, tagger, "?"));
    assert_fails(ctx, caucus_tagger_force(ctx, tagger, "O"), CAUCUS_ERR_ARGUMENT, "forced already");
    assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, 0));
    assert_fails(ctx, caucus_tagger_force(ctx, tagger, "B-Y"), CAUCUS_ERR_ARGUMENT,
                 "token:1: the model has no label 'B-Y'");
    assert_fails(ctx, caucus_tagger_run(ctx, tagger), CAUCUS_ERR_ARGUMENT, "without tokens");
    caucus_tagger_free(tagger);
    caucus_options_free(options);

    options = sample_options(ctx, "tag", "scheme", "iob2", NULL); /* this leaves no label */
    tagger = NULL;
    assert_ok(ctx, caucus_tagger_new(ctx, model, options, &tagger));
    assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, 0));
    assert_ok(ctx, caucus_tagger_force(ctx, tagger, "I-X"));
    assert_fails(ctx, caucus_tagger_run(ctx, tagger), CAUCUS_ERR_NUMERIC, "no labelling");
    assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, 0));
    assert_ok(ctx, caucus_tagger_force(ctx, tagger, "I-X|B-X"));
    assert_ok(ctx, caucus_tagger_run(ctx, tagger));
    assert_string_equal(caucus_model_class(model, *caucus_tagger_labels(tagger, 0)), "B-X");
    caucus_tagger_free(tagger);
    caucus_options_free(options);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

/* The most probable label of each token, with and without a scheme, equals that of a file. */
static void test_posterior(void **state)
{
    (void)state;
    static char out[SAMPLE_TEXT];
    static const char *const schemes[] = {"none", "iob2"};
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = cells_model(ctx);
    const size_t Y = caucus_model_classes(model);
    for (size_t k = 0; k < 2; k++) {
        caucus_options *options =
            sample_options(ctx, "tag", "decode", "posterior", "scheme", schemes[k], "probabilities",
                           "1", "sequence-probability", "1", NULL);
        caucus_tagger *tagger = NULL;
        out[0] = '\0';
        assert_ok(ctx, caucus_tag(ctx, model, options, sample_file(AS_CELLS), sample_collect, out));
        assert_ok(ctx, caucus_tagger_new(ctx, model, options, &tagger));
        char *at = out;
        for (size_t i = 0, T = 0; i < SAMPLE_ROWS; i++) {
            if (sample_rows[i][0]) {
                assert_ok(ctx, add_token(ctx, tagger, AS_CELLS, i));
                T++;
                continue;
            }
            assert_ok(ctx, caucus_tagger_run(ctx, tagger));
            double want;
            assert_int_equal(sscanf(strsep(&at, "\n"), "# %lf", &want), 1);
            assert_near(caucus_tagger_probability(tagger, 0), want, 1e-6);
            const double *p = caucus_tagger_marginals(tagger);
            for (size_t t = 0; t < T; t++) {
                const uint32_t label = caucus_tagger_labels(tagger, 0)[t];
                char *line = strsep(&at, "\n");
                for (int c = 0; c < 3; c++) field(&line);
                assert_string_equal(caucus_model_class(model, label), field(&line));
                for (size_t y = 0; k == 0 && y < Y; y++)
                    assert_true(p[t * Y + label] >= p[t * Y + y]);
            }
            strsep(&at, "\n");
            T = 0;
        }
        caucus_tagger_free(tagger);
        caucus_options_free(options);
    }
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

/* Dropped features count as unknown, in every form of input. */
static void test_dropped(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = train(ctx, sample_options(ctx, "train", NULL, NULL), AS_FEATURES);
    caucus_options *options = sample_options(ctx, "tag", "drop", "w=*", "probabilities", "1", NULL);
    caucus_options *all = sample_options(ctx, "tag", "probabilities", "1", NULL);
    caucus_tagger *without = NULL, *with = NULL;
    char names[3][32];
    caucus_feature features[3];
    const size_t Y = caucus_model_classes(model), count = features_of(7, names, features);
    assert_ok(ctx, caucus_tagger_new(ctx, model, options, &without));
    assert_ok(ctx, caucus_tagger_new(ctx, model, all, &with));
    assert_ok(ctx, caucus_tagger_add_features(ctx, without, features, count));
    assert_ok(ctx, caucus_tagger_add_features(ctx, with, features + 1, count - 1));
    assert_ok(ctx, caucus_tagger_run(ctx, without));
    assert_ok(ctx, caucus_tagger_run(ctx, with));
    assert_memory_equal(caucus_tagger_marginals(without), caucus_tagger_marginals(with),
                        Y * sizeof(double));
    /* no feature is known, which is no error: the intercepts and transitions decide */
    static const caucus_feature unheard[] = {{"unheard of", 1}, {"another", 1}};
    assert_ok(ctx, caucus_tagger_add_features(ctx, with, unheard, 2));
    assert_ok(ctx, caucus_tagger_add_features(ctx, with, NULL, 0));
    assert_ok(ctx, caucus_tagger_run(ctx, with));
    caucus_tagger_free(with);
    caucus_tagger_free(without);
    caucus_options_free(options);
    caucus_options_free(all);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

/* A tagger of text that gets lines and features in turn: the words of a line are its features. */
static void test_forms_in_turn(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = train(ctx, sample_options(ctx, "train", NULL, NULL), AS_TEXT);
    caucus_options *options = sample_options(ctx, "tag", "probabilities", "1", NULL);
    caucus_tagger *mixed = NULL, *lines = NULL;
    assert_ok(ctx, caucus_tagger_new(ctx, model, options, &mixed));
    assert_ok(ctx, caucus_tagger_new(ctx, model, options, &lines));
    for (size_t i = 0, form = 0; i < SAMPLE_ROWS; i++) {
        const caucus_feature words[] = {{sample_rows[i][0], 1}, {sample_rows[i][1], 1}};
        if (!sample_rows[i][0]) continue;
        assert_ok(ctx, add_token(ctx, lines, AS_TEXT, i));
        assert_ok(ctx, form++ % 2 ? caucus_tagger_add_features(ctx, mixed, words, 2)
                                  : add_token(ctx, mixed, AS_TEXT, i));
        assert_ok(ctx, caucus_tagger_run(ctx, lines));
        assert_ok(ctx, caucus_tagger_run(ctx, mixed));
        assert_memory_equal(caucus_tagger_marginals(mixed), caucus_tagger_marginals(lines),
                            caucus_model_classes(model) * sizeof(double));
    }
    caucus_tagger_free(mixed);
    caucus_tagger_free(lines);
    caucus_options_free(options);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

/* ---- wrong use ---- */

static void test_wrong_form(void **state)
{
    (void)state;
    static const struct {
        tagger_form model, token;
        const char *part;
    } cases[] = {
        {AS_CELLS, AS_FEATURES,
         "this model takes cells, not features; pass them with "
         "caucus_tagger_add_cells"},
        {AS_CELLS, AS_TEXT, "this model takes cells, not text"},
        {AS_FEATURES, AS_CELLS,
         "this model takes features, not cells; pass them with "
         "caucus_tagger_add_features"},
        {AS_FEATURES, AS_TEXT, "this model takes features, not text"},
        {AS_TEXT, AS_CELLS,
         "this model takes text, not cells; pass them with "
         "caucus_tagger_add_text"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        caucus_model *model = train(ctx, sample_options(ctx, "train", NULL, NULL), cases[i].model);
        caucus_tagger *tagger = NULL;
        assert_ok(ctx, caucus_tagger_new(ctx, model, NULL, &tagger));
        assert_fails(ctx, add_token(ctx, tagger, cases[i].token, 0), CAUCUS_ERR_ARGUMENT,
                     cases[i].part);
        assert_ok(ctx, add_token(ctx, tagger, cases[i].model, 0)); /* tagging continues */
        assert_ok(ctx, caucus_tagger_run(ctx, tagger));
        assert_null(caucus_tagger_marginals(tagger)); /* not requested */
        assert_true(isnan(caucus_tagger_probability(tagger, 0)));
        size_t count = 1;
        assert_null(caucus_tagger_segments(tagger, 0, &count));
        assert_int_equal(count, 0);
        assert_null(caucus_tagger_labels(tagger, 1));
        if (cases[i].model == AS_TEXT) {
            static const caucus_feature word = {"old", 1};
            assert_ok(ctx, add_token(ctx, tagger, AS_TEXT, 0));
            assert_null(caucus_tagger_labels(tagger, 0)); /* the result is no longer available */
            assert_fails(ctx, caucus_tagger_add_features(ctx, tagger, &word, 1),
                         CAUCUS_ERR_ARGUMENT, "those before it have text");
            assert_ok(ctx, caucus_tagger_add_features(ctx, tagger, &word, 1));
            assert_ok(ctx, caucus_tagger_run(ctx, tagger));
            assert_fails(ctx, caucus_tagger_force(ctx, tagger, "O"), CAUCUS_ERR_ARGUMENT,
                         "this is a maxent model");
            assert_fails(ctx, caucus_tagger_add_text(ctx, tagger, "\xff"), CAUCUS_ERR_ARGUMENT,
                         "not valid UTF-8");
        }
        caucus_tagger_free(tagger);
        caucus_model_free(model);
    }

    caucus_model *model = cells_model(ctx);
    caucus_tagger *tagger = NULL;
    assert_ok(ctx, caucus_tagger_new(ctx, model, NULL, &tagger));
    assert_fails(ctx, caucus_tagger_run(ctx, tagger), CAUCUS_ERR_ARGUMENT, "without tokens");
    assert_int_equal(caucus_tagger_length(tagger), 0);
    assert_fails(ctx, caucus_tagger_add_cells(ctx, tagger, sample_rows[0], 3), CAUCUS_ERR_ARGUMENT,
                 "token:1: 3 cells, but the model wants 2");
    assert_fails(ctx, caucus_tagger_add_cells(ctx, tagger, sample_rows[0], 1), CAUCUS_ERR_ARGUMENT,
                 "token:1: 1 cell, but the model wants 2");
    assert_fails(ctx, caucus_tagger_add_cells(ctx, tagger, sample_rows[0], 0), CAUCUS_ERR_ARGUMENT,
                 "no cells");
    caucus_tagger_free(tagger);
    tagger = NULL;
    caucus_options *options = sample_options(ctx, "tag", "nbest", "2", "decode", "posterior", NULL);
    assert_fails(ctx, caucus_tagger_new(ctx, model, options, &tagger), CAUCUS_ERR_ARGUMENT,
                 "--nbest ranks whole labellings");
    caucus_options_free(options);
    options = sample_options(ctx, "train", NULL, NULL);
    assert_fails(ctx, caucus_tagger_new(ctx, model, options, &tagger), CAUCUS_ERR_ARGUMENT,
                 "these are the options of 'train'; make those of 'tag'");
    caucus_options_free(options);
    assert_null(tagger);
    caucus_tagger_free(NULL);
    caucus_model_free(model);

    static const char megam[] = "0 # a # b\n1 # a b # c\n";
    const char *path = test_file("apart.txt", megam, sizeof megam - 1);
    options = sample_options(ctx, "train", "format", "megam", NULL);
    caucus_data *data = NULL;
    assert_ok(ctx, caucus_data_read(ctx, options, &path, 1, &data));
    assert_ok(ctx, caucus_train(ctx, data, options, &model));
    assert_ok(ctx, caucus_tagger_new(ctx, model, NULL, &tagger));
    assert_fails(ctx, caucus_tagger_add_features(ctx, tagger, NULL, 0), CAUCUS_ERR_ARGUMENT,
                 "features for each class apart");
    caucus_tagger_free(tagger);
    caucus_model_free(model);
    caucus_data_free(data);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

/* Damaged weights in a model that was opened from bytes. */
static void test_damage(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (tagger_form as = AS_CELLS; as <= AS_FEATURES; as++) {
        caucus_model *model = train(ctx, sample_options(ctx, "train", NULL, NULL), as);
        const void *bytes;
        size_t length, failures = 0;
        assert_ok(ctx, caucus_model_bytes(ctx, model, &bytes, &length));
        char *copy = malloc(length);
        for (size_t i = 192; i < length; i += 997) {
            caucus_model *damaged = NULL;
            caucus_tagger *tagger = NULL;
            memcpy(copy, bytes, length);
            copy[i] = (char)(copy[i] ^ 4);
            caucus_status st = caucus_model_from_bytes(ctx, copy, length, &damaged);
            if (!st) st = caucus_tagger_new(ctx, damaged, NULL, &tagger);
            for (size_t t = 0; t < 5 && !st; t++) st = add_token(ctx, tagger, as, t);
            if (!st) st = caucus_tagger_run(ctx, tagger);
            /* some damaged bytes are not used here */
            assert_true(st == CAUCUS_OK || st == CAUCUS_ERR_FORMAT);
            failures += st != CAUCUS_OK;
            caucus_tagger_free(tagger);
            caucus_model_free(damaged);
        }
        assert_true(failures > 0);
        free(copy);
        caucus_model_free(model);
    }
    caucus_ctx_free(ctx);
}

/* ---- memory and threads ---- */

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
    caucus_options *options;
    tagger_form as;
} tagging_job;

/* Tags all sequences with a tagger. */
static caucus_status tag_all(const tagging_job *j, caucus_tagger *tagger)
{
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; i < SAMPLE_ROWS && !st; i++)
        st = sample_rows[i][0] ? add_token(j->ctx, tagger, j->as, i)
                               : caucus_tagger_run(j->ctx, tagger);
    return st;
}

static caucus_status tag(void *self)
{
    const tagging_job *j = self;
    caucus_tagger *tagger = NULL;
    caucus_status st = caucus_tagger_new(j->ctx, j->model, j->options, &tagger);
    if (!st) st = tag_all(j, tagger);
    caucus_tagger_free(tagger);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (tagger_form as = AS_CELLS; as <= AS_TEXT; as++) {
        caucus_model *model = train(ctx, sample_options(ctx, "train", NULL, NULL), as);
        tagging_job j = {ctx, model, sample_options(ctx, "tag", "probabilities", "1", NULL), as};
        if (as != AS_TEXT) {
            assert_ok(ctx, caucus_options_set(ctx, j.options, "nbest", "3"));
            assert_ok(ctx, caucus_options_set(ctx, j.options, "segments", NULL));
        }
        assert_true(test_every_allocation(tag, &j) > 10);

        caucus_tagger *tagger = NULL; /* the second sequence needs no allocation */
        assert_ok(ctx, caucus_tagger_new(ctx, model, j.options, &tagger));
        assert_ok(ctx, tag_all(&j, tagger));
        test_memory_fail_at(1);
        assert_ok(ctx, tag_all(&j, tagger));
        assert_false(test_memory_failed());
        test_memory_fail_at(0);
        caucus_tagger_free(tagger);
        caucus_options_free(j.options);
        caucus_model_free(model);
    }
    caucus_ctx_free(ctx);
}

static void *tag_often(void *argument)
{
    tagging_job j = *(const tagging_job *)argument;
    caucus_status st = caucus_ctx_new(&j.ctx);
    for (int i = 0; i < 20 && !st; i++) st = tag(&j);
    caucus_ctx_free(j.ctx);
    return st ? argument : NULL;
}

static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = cells_model(ctx);
    tagging_job j = {NULL, model, sample_options(ctx, "tag", "probabilities", "1", NULL), AS_CELLS};
    pthread_t threads[4];
    for (size_t t = 0; t < 4; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, tag_often, &j), 0);
    for (size_t t = 0; t < 4; t++) {
        void *wrong = NULL;
        pthread_join(threads[t], &wrong);
        assert_null(wrong);
    }
    caucus_options_free(j.options);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),       cmocka_unit_test(test_adapted),
        cmocka_unit_test(test_forced),     cmocka_unit_test(test_posterior),
        cmocka_unit_test(test_dropped),    cmocka_unit_test(test_forms_in_turn),
        cmocka_unit_test(test_wrong_form), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("api/tagging", tests, NULL, NULL);
}
