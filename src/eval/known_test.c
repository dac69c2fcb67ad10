/* known_test.c - known and unknown words and chunks, by hand and by searching for every chunk. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "eval/scores.h"
#include "support/base_sample.h"

/* ---- sentences from text ------------------------------------------------------------------- */

enum { LONGEST = 96 };

/* A text of "word gold label" lines that is counted sentence by sentence. */
typedef struct {
    cau_alphabet *labels;
    cau_tags tags;
    char word[LONGEST][16];
    cau_str words[LONGEST];
    uint32_t gold[LONGEST], label[LONGEST];
    size_t T;
} known_words_sample;

static caucus_status count_sentence(known_words_sample *c, cau_words_known *known)
{
    cau_chunk gold[LONGEST], found[LONGEST];
    uint32_t form[LONGEST];
    caucus_status st = cau_tags_learn(&c->tags, c->labels);
    if (st) return st;
    for (size_t t = 0; t < c->T; t++) form[t] = cau_words_known_form(known, c->words[t]);
    const cau_labelled by[] = {
        {c->label, found, cau_chunks_of(&c->tags, c->label, c->T, found, NULL), 0, 0},
        {c->gold, gold, cau_chunks_of(&c->tags, c->gold, c->T, gold, NULL), 0, 0}};
    const cau_sentence s = {.T = c->T, .systems = 1, .by = by, .form = form};
    c->T = 0;
    cau_words_known_add(known, &c->tags, &s);
    return CAUCUS_OK;
}

static caucus_status count_text(caucus_ctx *ctx, cau_words_known *known,
                                const cau_eval_options *options, const char *text)
{
    known_words_sample c = {.tags = {.scheme = options->scheme,
                                     .strict = options->strict,
                                     .raw = options->raw,
                                     .outside = options->outside}};
    caucus_status st = cau_alphabet_new(ctx, &c.labels);
    while (!st && *text) {
        char gold[16], label[16];
        int used = 0;
        if (*text == '\n') {
            st = count_sentence(&c, known);
            text++;
            continue;
        }
        assert_int_equal(sscanf(text, "%15s %15s %15s%n", c.word[c.T], gold, label, &used), 3);
        const bool told = strcmp(gold, "?") != 0;
        c.words[c.T] = (cau_str){c.word[c.T], strlen(c.word[c.T])};
        c.gold[c.T] = told ? cau_alphabet_add(c.labels, gold, strlen(gold)) : CAU_UNKNOWN;
        c.label[c.T] = told ? cau_alphabet_add(c.labels, label, strlen(label)) : CAU_UNKNOWN;
        if (told && (c.gold[c.T] == CAU_UNKNOWN || c.label[c.T] == CAU_UNKNOWN))
            st = CAUCUS_ERR_MEMORY;
        text += used + 1;
        c.T++;
        assert_true(c.T < LONGEST);
    }
    if (!st && c.T) st = count_sentence(&c, known);
    cau_tags_clear(&c.tags);
    cau_alphabet_free(c.labels);
    return st;
}

static caucus_status read_training(caucus_ctx *ctx, const cau_eval_options *options,
                                   const char *text, cau_words_known **out)
{
    const char *path = test_text("train.txt", text);
    cau_eval_options o = *options;
    o.known = (cau_paths){1, &path};
    return cau_words_known_read(ctx, &o, out);
}

/* The results, to be released. */
static json_t *tree_of(const cau_words_known *known)
{
    cau_tree tree = {0};
    cau_tree_object(&tree, NULL);
    cau_words_known_tree(known, &tree);
    cau_tree_end(&tree);
    assert_false(tree.failed);
    json_t *value = json_incref(cau_at(tree.root, "known"));
    cau_tree_clear(&tree);
    return value;
}

/* The results of a text, to be released. */
static json_t *known_json(const cau_eval_options *options, const char *training, const char *text)
{
    caucus_ctx *ctx = test_ctx();
    cau_words_known *known = NULL;
    assert_ok(ctx, read_training(ctx, options, training, &known));
    assert_int_equal(count_text(ctx, known, options, text), CAUCUS_OK);
    json_t *value = tree_of(known);
    cau_words_known_free(known);
    caucus_ctx_free(ctx);
    return value;
}

static json_t *at(json_t *object, const char *a, const char *b, const char *c)
{
    object = json_object_get(object, a);
    if (b) object = json_object_get(object, b);
    if (c) object = json_object_get(object, c);
    assert_non_null(object);
    return object;
}

static void assert_count(json_t *known, const char *a, const char *b, const char *c, uint64_t want)
{
    assert_int_equal(json_integer_value(at(known, a, b, c)), want);
}

/* ---- a text by hand ------------------------------------------------------------------------ */

static const cau_eval_options plain;

static const char training[] = "-DOCSTART- -X- O\n"
                               "\n"
                               "New NNP B-LOC\n"
                               "York\tNNP\tI-LOC\n"
                               "likes VBZ O\n"
                               "Bush  NNP   B-PER \n"
                               " \t \n"
                               "-X- -X- -X-\n"
                               "Bush NNP B-ORG\n"
                               "bush NN O\n"
                               "York NNP ?\n"
                               "Times NNP B-MISC";

/* word, gold, label. Known: New York likes Bush bush Times -DOCSTART-. */
static const char tagged[] = "New B-LOC B-LOC\n" /* seen, right */
                             "York I-LOC I-LOC\n"
                             "likes O O\n"
                             "Bush B-LOC B-PER\n" /* gold: other types only; found: seen */
                             "\n"
                             "BUSH B-PER B-PER\n" /* all unknown, right: case matters */
                             "Times O B-MISC\n"   /* found only, seen */
                             "Jeb B-PER O\n"      /* missed, some unknown */
                             "Bush I-PER O\n"
                             "York ? B-LOC\n" /* not counted */
                             "\n"
                             "York B-LOC B-LOC\n" /* right, all known, never a chunk by itself */
                             "Times B-MISC I-LOC\n";

static void counts_a_text(void **state)
{
    (void)state;
    json_t *k = known_json(&plain, training, tagged);
    assert_string_equal(json_string_value(at(k, "case", NULL, NULL)), "exact");
    assert_count(k, "training", "tokens", NULL, 9);
    assert_count(k, "training", "sentences", NULL, 3);
    assert_count(k, "training", "forms", NULL, 7);
    assert_count(k, "training", "chunks", NULL, 4); /* New York, Bush twice, Times */

    /* known: New York likes Bush, Times Bush, York Times */
    assert_count(k, "tokens", "known", "count", 8);
    assert_count(k, "tokens", "known", "tp", 3); /* New York York */
    assert_count(k, "tokens", "known", "fp", 3); /* Bush Times Times */
    assert_count(k, "tokens", "known", "fn", 3); /* Bush Bush Times */
    assert_near(json_real_value(at(k, "tokens", "known", "f1")), 0.5, 1e-15);
    assert_near(json_real_value(at(k, "tokens", "known", "share")), 0.8, 1e-15);
    assert_count(k, "tokens", "unknown", "count", 2); /* BUSH Jeb */
    assert_count(k, "tokens", "unknown", "tp", 1);
    assert_count(k, "tokens", "unknown", "fp", 0);
    assert_count(k, "tokens", "unknown", "fn", 1);
    assert_near(json_real_value(at(k, "tokens", "unknown", "precision")), 1, 1e-15);
    assert_near(json_real_value(at(k, "tokens", "unknown", "recall")), 0.5, 1e-15);
    assert_count(k, "tokens", "all", "count", 10);
    assert_count(k, "tokens", "all", "fn", 4);

    /* gold: New York, Bush, BUSH, Jeb Bush, York, Times; found: New York, Bush, BUSH, Times, and
     * York Times, which is one chunk of the system, of known words, and never seen */
    assert_count(k, "chunks_by_words", "all_known", "gold", 4);
    assert_count(k, "chunks_by_words", "all_known", "found", 4);
    assert_count(k, "chunks_by_words", "all_known", "correct", 1);
    assert_count(k, "chunks_by_words", "some_unknown", "gold", 1);
    assert_count(k, "chunks_by_words", "some_unknown", "found", 0);
    assert_true(json_is_null(at(k, "chunks_by_words", "some_unknown", "precision")));
    assert_near(json_real_value(at(k, "chunks_by_words", "some_unknown", "recall")), 0, 0);
    assert_count(k, "chunks_by_words", "all_unknown", "gold", 1);
    assert_count(k, "chunks_by_words", "all_unknown", "correct", 1);
    assert_near(json_real_value(at(k, "chunks_by_words", "all_unknown", "f1")), 1, 1e-15);
    assert_count(k, "chunks_by_words", "all", "gold", 6);
    assert_count(k, "chunks_by_words", "all", "found", 5);
    assert_count(k, "chunks_by_words", "all", "correct", 2);

    assert_count(k, "chunks_by_training", "seen", "gold", 2); /* New York, Times */
    assert_count(k, "chunks_by_training", "seen", "found", 3);
    assert_count(k, "chunks_by_training", "seen", "correct", 1);
    assert_count(k, "chunks_by_training", "other_type", "gold", 1); /* Bush */
    assert_count(k, "chunks_by_training", "other_type", "found", 0);
    assert_count(k, "chunks_by_training", "unseen", "gold", 3); /* BUSH, Jeb Bush, York */
    assert_count(k, "chunks_by_training", "unseen", "found", 2);
    assert_count(k, "chunks_by_training", "unseen", "correct", 1);
    assert_count(k, "chunks_by_training", "all", "gold", 6);
    assert_null(json_object_get(k, "accuracy"));
    json_decref(k);
}

static void assert_report(const cau_eval_options *options, const char *train, const char *text,
                          const char *want)
{
    caucus_ctx *ctx = test_ctx();
    cau_words_known *known = NULL;
    cau_writer out = {.ctx = ctx};
    assert_ok(ctx, read_training(ctx, options, train, &known));
    assert_int_equal(count_text(ctx, known, options, text), CAUCUS_OK);
    json_t *value = tree_of(known);
    cau_words_known_print(value, &out);
    assert_string_equal(out.text.s, want);
    json_decref(value);
    cau_writer_clear(&out);
    cau_words_known_free(known);
    caucus_ctx_free(ctx);
}

/* clang-format off */
static void reports_chunks(void **state)
{
    (void)state;
    assert_report(&plain, training, tagged,
        "\n"
        "known words: 7 forms in the 9 tokens of training; forms are compared exactly, case matters\n"
        "\n"
        "tokens by type                 count   share  precision  recall      F1        tp        fp        fn\n"
        "known (IV)                         8   80.0%     0.5000  0.5000  0.5000         3         3         3\n"
        "unknown (OOV)                      2   20.0%     1.0000  0.5000  0.6667         1         0         1\n"
        "all                               10  100.0%     0.5714  0.5000  0.5333         4         3         4\n"
        "(labels without B- and I-, micro-averaged over the types; O is not a type)\n"
        "\n"
        "chunks by words             precision  recall      F1      gold     found   correct\n"
        "all words known                0.2500  0.2500  0.2500         4         4         1\n"
        "some words unknown                  -  0.0000  0.0000         1         0         0\n"
        "all words unknown              1.0000  1.0000  1.0000         1         1         1\n"
        "all                            0.4000  0.3333  0.3636         6         5         2\n"
        "\n"
        "chunks by training          precision  recall      F1      gold     found   correct\n"
        "seen with this type            0.3333  0.5000  0.4000         2         3         1\n"
        "seen with other types only          -  0.0000  0.0000         1         0         0\n"
        "not seen                       0.5000  0.3333  0.4000         3         2         1\n"
        "all                            0.4000  0.3333  0.3636         6         5         2\n"
        "(seen: the training data has a chunk of the same words; it has 4 chunks of different words\n"
        "or type. - means a division by 0)\n");
}

static void reports_classes(void **state)
{
    (void)state;
    assert_report(&plain, "The DT\ndog NN\n", "The DT DT\ndog NN VB\ndog NN NN\ncat NN NN\n",
        "\n"
        "known words: 2 forms in the 2 tokens of training; forms are compared exactly, case matters\n"
        "\n"
        "tokens                         count   share  accuracy   correct\n"
        "known (IV)                         3   75.0%    0.6667         2\n"
        "unknown (OOV)                      1   25.0%    1.0000         1\n"
        "all                                4  100.0%    0.7500         3\n");
}

/* Labels of the training data that are not labels of chunks count as O; the report names one. */
static void reports_labels_without_chunks(void **state)
{
    (void)state;
    assert_report(&plain, "The DT\ndog B-NP\n", "The O O\ndog B-NP B-NP\n",
        "\n"
        "known words: 2 forms in the 2 tokens of training; forms are compared exactly, case matters\n"
        "\n"
        "tokens by type                 count   share  precision  recall      F1        tp        fp        fn\n"
        "known (IV)                         2  100.0%     1.0000  1.0000  1.0000         1         0         0\n"
        "unknown (OOV)                      0    0.0%          -       -       -         0         0         0\n"
        "all                                2  100.0%     1.0000  1.0000  1.0000         1         0         0\n"
        "(labels without B- and I-, micro-averaged over the types; O is not a type)\n"
        "\n"
        "chunks by words             precision  recall      F1      gold     found   correct\n"
        "all words known                1.0000  1.0000  1.0000         1         1         1\n"
        "some words unknown                  -       -       -         0         0         0\n"
        "all words unknown                   -       -       -         0         0         0\n"
        "all                            1.0000  1.0000  1.0000         1         1         1\n"
        "\n"
        "chunks by training          precision  recall      F1      gold     found   correct\n"
        "seen with this type            1.0000  1.0000  1.0000         1         1         1\n"
        "seen with other types only          -       -       -         0         0         0\n"
        "not seen                            -       -       -         0         0         0\n"
        "all                            1.0000  1.0000  1.0000         1         1         1\n"
        "(seen: the training data has a chunk of the same words; it has 1 chunks of different words\n"
        "or type. - means a division by 0)\n"
        "(training has labels that are not labels of chunks, such as 'DT': they were read as O)\n");
}
/* clang-format on */

/* Labels that look like chunks may be classes all the same; one label that does not makes all of
 * them classes, even in the last sentence. */
static void counts_classes(void **state)
{
    (void)state;
    const cau_eval_options classes = {.classes = true};
    const char *texts[] = {"New B-LOC B-LOC\n\nJeb B-PER B-ORG\n? ? ?\n",
                           "New B-LOC B-LOC\n\nJeb NN B-ORG\n"};
    for (size_t i = 0; i < 2; i++) {
        json_t *k = known_json(i == 0 ? &classes : &plain, training, texts[i]);
        assert_null(json_object_get(k, "tokens"));
        assert_null(json_object_get(k, "chunks_by_words"));
        assert_null(json_object_get(at(k, "training", NULL, NULL), "chunks"));
        assert_count(k, "accuracy", "known", "count", 1);
        assert_count(k, "accuracy", "known", "correct", 1);
        assert_count(k, "accuracy", "unknown", "count", 1);
        assert_near(json_real_value(at(k, "accuracy", "unknown", "accuracy")), 0, 0);
        assert_near(json_real_value(at(k, "accuracy", "all", "accuracy")), 0.5, 0);
        json_decref(k);
    }
    json_t *k = known_json(&plain, training, "New O O\n"); /* no chunk at all */
    assert_count(k, "accuracy", "known", "correct", 1);
    json_decref(k);
}

/* The options for labels also apply to the training data. */
static void reads_training_with_the_options(void **state)
{
    (void)state;
    static const char text[] = "a B-X B-X\nb I-X I-X\n";
    const struct {
        cau_eval_options options;
        const char *training;
        uint64_t forms, chunks, seen;
    } cases[] = {
        {{0}, "a B-X\nb I-X\n", 2, 1, 1},
        {{0}, "b I-X\n\na I-X\nb I-X\n", 2, 2, 1},
        {{.scheme = CAU_SCHEME_IOB2, .strict = true}, "b O\na I-X\nb I-X\n", 2, 0, 0},
        {{.raw = true}, "a B-X\nb I-X\n", 2, 2, 2},
        {{.outside = "B-X"}, "a B-X\nb I-X\n", 2, 1, 1}, /* of one token */
        {{.word = 1}, "1 a B-X\n2 b I-X\n", 2, 1, 1},
        {{.delimiter = ","}, "a,,B-X\nb,N N,I-X,,\n , \n", 2, 1, 1},
        {{.delimiter = "\\t"}, "a\tB-X\nb\tI-X\n", 2, 1, 1},
        {{0}, "a b\tB-X\n", 1, 1, 0}, /* one word with a blank is not two */
        {{0},
         "\xef\xbb\xbf"
         "a B-X\r\nb I-X\r\n",
         2,
         1,
         1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *k = known_json(&cases[i].options, cases[i].training, text);
        assert_count(k, "training", "forms", NULL, cases[i].forms);
        assert_count(k, "training", "chunks", NULL, cases[i].chunks);
        assert_count(k, "chunks_by_training", "seen", "gold", cases[i].seen);
        json_decref(k);
    }
}

/* ---- random texts, every chunk compared with every other ----------------------------------- */

typedef struct {
    char text[4096];
    size_t T;
    unsigned word[LONGEST], label[LONGEST]; /* label: 0 is O, else 2 type + (I or B) */
    bool begins[LONGEST];                   /* a sentence */
} random_text;

static const char *const vocabulary[] = {"a", "A", "b", "ab", "ba", "aa", "c", "d"};
static const char *const label_names[] = {"O", "O", "B-X", "I-X", "B-Y", "I-Y"};

static void make_text(cau_rng *rng, random_text *r, size_t words, const random_text *gold)
{
    r->T = gold ? gold->T : 20 + cau_rng_below(rng, 60);
    r->text[0] = '\0';
    for (size_t t = 0, length = 0; t < r->T; t++, length++) {
        char line[64];
        r->begins[t] = gold ? gold->begins[t] : t == 0 || cau_rng_below(rng, 6) == 0;
        r->word[t] = gold ? gold->word[t] : (unsigned)cau_rng_below(rng, words);
        r->label[t] =
            gold && cau_rng_below(rng, 3) ? gold->label[t] : (unsigned)cau_rng_below(rng, 6);
        if (gold)
            snprintf(line, sizeof line, "%s%s %s %s\n", r->begins[t] && t ? "\n" : "",
                     vocabulary[r->word[t]], label_names[gold->label[t]], label_names[r->label[t]]);
        else
            snprintf(line, sizeof line, "%s%s %s\n", r->begins[t] && t ? "\n" : "",
                     vocabulary[r->word[t]], label_names[r->label[t]]);
        strcat(r->text, line);
    }
}

/* The end of the chunk that begins at t; t if there is none. */
static size_t chunk_end(const random_text *r, size_t t)
{
    const unsigned type = r->label[t] / 2;
    const bool inside = r->label[t] % 2;
    if (type == 0) return t;
    if (inside && !r->begins[t] && t && r->label[t - 1] / 2 == type) return t;
    size_t end = t + 1;
    while (end < r->T && !r->begins[end] && r->label[end] == 2 * type + 1) end++;
    return end;
}

static bool has_word(const random_text *train, unsigned word)
{
    for (size_t t = 0; t < train->T; t++)
        if (train->word[t] == word) return true;
    return false;
}

static size_t words_group(const random_text *train, const random_text *r, size_t t, size_t end)
{
    size_t known = 0;
    for (size_t i = t; i < end; i++) known += has_word(train, r->word[i]);
    return known == end - t ? 0 : known ? 1 : 2;
}

static size_t training_group(const random_text *train, const random_text *r, size_t t, size_t end)
{
    size_t group = 2;
    for (size_t i = 0; i < train->T; i++) {
        const size_t stop = chunk_end(train, i);
        if (stop == i || stop - i != end - t) continue;
        if (memcmp(train->word + i, r->word + t, (end - t) * sizeof *r->word) != 0) continue;
        if (train->label[i] / 2 == r->label[t] / 2) return 0;
        group = 1;
    }
    return group;
}

static void agrees_with_brute_force(void **state)
{
    (void)state;
    static const char *const by_words[] = {"all_known", "some_unknown", "all_unknown"};
    static const char *const by_training[] = {"seen", "other_type", "unseen"};
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t round = 0; round < 200; round++) {
        static random_text train, gold, found;
        make_text(&rng, &train, 5, NULL);
        make_text(&rng, &gold, 8, NULL);
        make_text(&rng, &found, 8, &gold);
        uint64_t words[3][3] = {{0}}, seen[3][3] = {{0}}; /* [group][gold, found, correct] */
        uint64_t token[2][4] = {{0}};                     /* [unknown][count, tp, fp, fn] */
        for (size_t t = 0; t < gold.T; t++) {
            uint64_t *k = token[!has_word(&train, gold.word[t])];
            const unsigned g = gold.label[t] / 2, s = found.label[t] / 2;
            k[0]++;
            if (g && g == s) k[1]++;
            if (s && g != s) k[2]++;
            if (g && g != s) k[3]++;
            const size_t a = chunk_end(&gold, t), b = chunk_end(&found, t);
            if (a > t) words[words_group(&train, &gold, t, a)][0]++;
            if (b > t) words[words_group(&train, &found, t, b)][1]++;
            if (a > t) seen[training_group(&train, &gold, t, a)][0]++;
            if (b > t) seen[training_group(&train, &found, t, b)][1]++;
            if (a > t && a == b && g == s) {
                words[words_group(&train, &gold, t, a)][2]++;
                seen[training_group(&train, &gold, t, a)][2]++;
            }
        }
        json_t *k = known_json(&plain, train.text, found.text);
        for (size_t i = 0; i < 2; i++) {
            static const char *const keys[] = {"count", "tp", "fp", "fn"};
            for (size_t j = 0; j < 4; j++)
                assert_count(k, "tokens", i ? "unknown" : "known", keys[j], token[i][j]);
        }
        for (size_t i = 0; i < 3; i++) {
            static const char *const keys[] = {"gold", "found", "correct"};
            for (size_t j = 0; j < 3; j++) {
                assert_count(k, "chunks_by_words", by_words[i], keys[j], words[i][j]);
                assert_count(k, "chunks_by_training", by_training[i], keys[j], seen[i][j]);
            }
        }
        json_decref(k);
    }
}

/* ---- faults -------------------------------------------------------------------------------- */

static void refuses_bad_training_data(void **state)
{
    (void)state;
    static const struct {
        cau_eval_options options;
        const char *text, *message;
        caucus_status status;
    } bad[] = {
        {{0}, "", "train.txt: no tokens; give training data in columns", CAUCUS_ERR_FORMAT},
        {{0}, "\n \n", "train.txt: no tokens", CAUCUS_ERR_FORMAT},
        {{0}, "a O\nb\n", "train.txt:2: 1 column, but --word 0 needs", CAUCUS_ERR_FORMAT},
        {{.word = 1}, "a O\n", "train.txt:1: 2 columns, but --word 1 needs", CAUCUS_ERR_FORMAT},
        {{.word = UINT64_MAX}, "a O\n", "train.txt:1: 2 columns, but", CAUCUS_ERR_FORMAT},
        {{0},
         "a\tO\nb\t\n",
         "train.txt:2: the label is empty; fix the line or drop it",
         CAUCUS_ERR_FORMAT},
        {{.delimiter = ","}, "a O\n", "train.txt:1: 1 column, but", CAUCUS_ERR_FORMAT},
        {{.delimiter = ",,"}, "a,O\n", "give one character", CAUCUS_ERR_ARGUMENT},
        {{0}, "a \xff O\n", "train.txt:1: ", CAUCUS_ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        caucus_ctx *ctx = test_ctx();
        cau_words_known *known = NULL;
        assert_fails(ctx, read_training(ctx, &bad[i].options, bad[i].text, &known), bad[i].status,
                     bad[i].message);
        assert_null(known);
        caucus_ctx_free(ctx);
    }
    const char *missing = test_path("missing.txt");
    const cau_eval_options options = {.known = {1, &missing}};
    caucus_ctx *ctx = test_ctx();
    cau_words_known *known = NULL;
    assert_fails(ctx, cau_words_known_read(ctx, &options, &known), CAUCUS_ERR_IO, "missing.txt");
    caucus_ctx_free(ctx);
}

static caucus_status work_once(void *self)
{
    const char *const *paths = self;
    const cau_eval_options options = {.known = {2, paths}};
    caucus_ctx *ctx = NULL;
    cau_words_known *known = NULL;
    cau_strbuf text = {0};
    caucus_status st = caucus_ctx_new(&ctx);
    cau_writer out = {.ctx = ctx, .write = into_text, .user = &text};
    if (!st) st = cau_words_known_read(ctx, &options, &known);
    if (!st) st = count_text(ctx, known, &options, tagged);
    if (!st) {
        json_t *value = tree_of(known);
        cau_words_known_print(value, &out);
        st = cau_writer_flush(&out, true);
        json_decref(value);
    }
    cau_strbuf_clear(&text);
    cau_writer_clear(&out);
    cau_words_known_free(known);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_memory_failures(void **state)
{
    (void)state;
    char text[4096] = ""; /* enough for every array to grow, and a sentence longer than counted */
    for (int i = 0; i < 90; i++) sprintf(text + strlen(text), "word%d B-TYPE%d\n", i, i);
    const char *paths[] = {test_text("train.txt", training), test_text("more.txt", text)};
    assert_true(test_every_allocation(work_once, paths) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_text),
        cmocka_unit_test(reports_chunks),
        cmocka_unit_test(reports_classes),
        cmocka_unit_test(reports_labels_without_chunks),
        cmocka_unit_test(counts_classes),
        cmocka_unit_test(reads_training_with_the_options),
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(refuses_bad_training_data),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
