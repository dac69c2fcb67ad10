/* chunk_scores_test.c - the output of conlleval, byte for byte; and the counts of errors. */

#include "eval/scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/base_sample.h"
#include "support/support.h"

enum { MOST = 64 };

/* A sentence with its gold and predicted labels and chunks. */
typedef struct {
    size_t T;
    uint32_t label[2][MOST];
    cau_chunk chunk[2][MOST];
    size_t chunks[2];
} labelled_sentence;

typedef struct {
    caucus_ctx *ctx;
    cau_alphabet *labels;
    cau_tags tags;
    cau_chunk_scores *scores;
    uint64_t illegal[2];
    labelled_sentence last;
} chunk_scoring;

static caucus_status scoring_init(chunk_scoring *s, const cau_tags *tags)
{
    *s = (chunk_scoring){.tags = *tags};
    caucus_status st = caucus_ctx_new(&s->ctx);
    if (!st) st = cau_alphabet_new(s->ctx, &s->labels);
    if (!st) st = cau_chunk_scores_new(s->ctx, &s->scores);
    return st;
}

static void scoring_clear(chunk_scoring *s)
{
    cau_chunk_scores_free(s->scores);
    cau_tags_clear(&s->tags);
    cau_alphabet_free(s->labels);
    caucus_ctx_free(s->ctx);
}

/* The labels of one side, separated by blanks; false when memory is short. */
static bool take(chunk_scoring *s, size_t side, const char *text)
{
    size_t T = 0;
    for (const char *at = text; *at; T++) {
        const size_t n = strcspn(at, " ");
        assert_true(T < MOST);
        s->last.label[side][T] = CAU_UNKNOWN;
        if (n > 1 || *at != '?') {
            s->last.label[side][T] = cau_alphabet_add(s->labels, at, n);
            if (s->last.label[side][T] == CAU_UNKNOWN) return false;
        }
        at += n;
        at += strspn(at, " ");
    }
    assert_true(side == 0 || s->last.T == T);
    s->last.T = T;
    return true;
}

static caucus_status score(chunk_scoring *s, const char *gold, const char *predicted)
{
    labelled_sentence *l = &s->last;
    if (!take(s, 0, gold) || !take(s, 1, predicted)) return CAUCUS_ERR_MEMORY;
    caucus_status st = cau_tags_learn(&s->tags, s->labels);
    if (st) return st;
    for (size_t side = 0; side < 2; side++)
        l->chunks[side] =
            cau_chunks_of(&s->tags, l->label[side], l->T, l->chunk[side], &s->illegal[side]);
    const cau_labelled by[] = {{l->label[1], l->chunk[1], l->chunks[1], 0, 0},
                               {l->label[0], l->chunk[0], l->chunks[0], 0, 0}};
    const cau_sentence as = {.T = l->T, .systems = 1, .by = by};
    return cau_chunk_scores_add(s->scores, &s->tags, &as);
}

static caucus_status finish(chunk_scoring *s)
{
    caucus_status st = cau_tags_learn(&s->tags, s->labels);
    return st ? st : cau_chunk_scores_finish(s->scores, &s->tags, s->illegal);
}

typedef enum { CONLLEVAL, LATEX, REPORT, JSON } chunk_report_form;

static void build_tree(const chunk_scoring *s, cau_tree *tree)
{
    cau_tree_object(tree, NULL);
    cau_chunk_scores_tree(s->scores, tree);
    cau_tree_end(tree);
}

/* The number at a path of the tree below "chunks". */
static double number_at(const chunk_scoring *s, const char *path)
{
    cau_tree tree = {0};
    build_tree(s, &tree);
    const double x = cau_number_at(cau_at(tree.root, "chunks"), path);
    cau_tree_clear(&tree);
    return x;
}

static caucus_status write(const chunk_scoring *s, chunk_report_form form, cau_strbuf *text)
{
    cau_writer out = {.ctx = s->ctx, .write = into_text, .user = text};
    cau_tree tree = {0};
    build_tree(s, &tree);
    caucus_status st = cau_tree_status(s->ctx, &tree);
    if (st) goto done;
    if (form == JSON)
        cau_print_json_line(&out, tree.root, CAU_DIGITS_FLOAT);
    else if (form == REPORT)
        cau_chunk_scores_print(cau_at(tree.root, "chunks"), &s->scores->confusion, &out);
    else
        cau_chunk_scores_conlleval(s->scores, &out, form == LATEX);
    st = cau_writer_flush(&out, true);
done:
    cau_tree_clear(&tree);
    cau_writer_clear(&out);
    return st;
}

static void check_text(const chunk_scoring *s, chunk_report_form form, const char *want)
{
    cau_strbuf text = {0};
    assert_ok(s->ctx, write(s, form, &text));
    assert_string_equal(text.s, want);
    cau_strbuf_clear(&text);
}

/* ---- conlleval ----------------------------------------------------------------------- */

static void test_as_conlleval_prints(void **state)
{
    (void)state;
    chunk_scoring s;
    assert_int_equal(scoring_init(&s, &(cau_tags){0}), CAUCUS_OK);
    assert_ok(s.ctx, score(&s, "B-NP I-NP O B-VP B-NP O", "B-NP I-NP O B-VP I-VP I-PP"));
    assert_ok(s.ctx, score(&s, "I-A_LONGER_CHUNK_TYPE O", "O O"));
    assert_ok(s.ctx, finish(&s));
    check_text(&s, CONLLEVAL,
               "processed 8 tokens with 4 phrases; found: 3 phrases; correct: 1.\n"
               "accuracy:  62.50%; precision:  33.33%; recall:  25.00%; FB1:  28.57\n"
               "A_LONGER_CHUNK_TYPE: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
               "               NP: precision: 100.00%; recall:  50.00%; FB1:  66.67  1\n"
               "               PP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n"
               "               VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n");
    check_text(&s, LATEX,
               "        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline\n"
               "A_LONGER_CHUNK_TYPE &    0.00\\% &   0.00\\% &   0.00 \\\\\n"
               "NP      &  100.00\\% &  50.00\\% &  66.67 \\\\\n"
               "PP      &    0.00\\% &   0.00\\% &   0.00 \\\\\n"
               "VP      &    0.00\\% &   0.00\\% &   0.00 \\\\\\hline\n"
               "Overall &   33.33\\% &  25.00\\% &  28.57 \\\\\\hline\n");
    scoring_clear(&s);
}

static void test_nothing(void **state)
{
    (void)state;
    chunk_scoring s;
    assert_int_equal(scoring_init(&s, &(cau_tags){0}), CAUCUS_OK);
    assert_ok(s.ctx, finish(&s));
    check_text(&s, CONLLEVAL, "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n");
    check_text(&s, LATEX,
               "        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline\\hline\n"
               "Overall &    0.00\\% &   0.00\\% &   0.00 \\\\\\hline\n");
    assert_near(number_at(&s, "macro.f1"), 0, 0);
    assert_true(isnan(number_at(&s, "tokens.inside_accuracy")));
    scoring_clear(&s);
}

/* Labels without types; names that Perl sorts by bytes and pads by bytes. */
static void test_names_as_conlleval_prints_them(void **state)
{
    (void)state;
    chunk_scoring s;
    assert_int_equal(scoring_init(&s, &(cau_tags){0}), CAUCUS_OK);
    assert_ok(s.ctx, score(&s, "B I- B-Zb B-a I-Z B-\xC3\xA9", "B- I O B-a I-Z O"));
    assert_ok(s.ctx, finish(&s));
    check_text(&s, CONLLEVAL,
               "processed 6 tokens with 5 phrases; found: 3 phrases; correct: 3.\n"
               "accuracy:  66.67%; precision: 100.00%; recall:  60.00%; FB1:  75.00\n"
               "                 : precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
               "                 : precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
               "                Z: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
               "               Zb: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
               "                a: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
               "               \xC3\xA9: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n");
    scoring_clear(&s);
}

static void test_raw_labels(void **state)
{
    (void)state;
    chunk_scoring s;
    assert_int_equal(scoring_init(&s, &(cau_tags){.raw = true, .outside = "NIL"}), CAUCUS_OK);
    assert_ok(s.ctx, score(&s, "NN NN NIL B-X O", "NN VB O B-X NIL"));
    assert_ok(s.ctx, finish(&s));
    check_text(&s, CONLLEVAL,
               "processed 5 tokens with 3 phrases; found: 3 phrases; correct: 2.\n"
               "accuracy:  80.00%; precision:  66.67%; recall:  66.67%; FB1:  66.67\n"
               "              B-X: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
               "               NN: precision: 100.00%; recall:  50.00%; FB1:  66.67  1\n"
               "               VB: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n");
    scoring_clear(&s);
}

/* ---- beyond it ----------------------------------------------------------------------- */

/* A sentence for each kind of error. */
static void score_errors(chunk_scoring *s)
{
    assert_ok(s->ctx, score(s, "B-A I-A O B-B", "B-A I-A O B-B"));         /* right */
    assert_ok(s->ctx, score(s, "B-A I-A O", "B-B I-B O"));                 /* retyped */
    assert_ok(s->ctx, score(s, "O B-A I-A", "B-A I-A I-A"));               /* left, long */
    assert_ok(s->ctx, score(s, "O B-A I-A", "O B-A O"));                   /* right, short */
    assert_ok(s->ctx, score(s, "B-A I-A O", "O B-A I-A"));                 /* shifted */
    assert_ok(s->ctx, score(s, "B-A I-A I-A", "B-A B-A I-A"));             /* split */
    assert_ok(s->ctx, score(s, "B-A I-A B-B", "B-A I-A I-A"));             /* joined */
    assert_ok(s->ctx, score(s, "B-A I-A B-A", "B-B B-A I-A"));             /* mixed, joined */
    assert_ok(s->ctx, score(s, "B-A O I-A B-A O ?", "O B-B O B-A I-A ?")); /* missed, ... */
}

static void test_report(void **state)
{
    (void)state;
    chunk_scoring s;
    assert_int_equal(scoring_init(&s, &(cau_tags){.scheme = CAU_SCHEME_IOB2}), CAUCUS_OK);
    score_errors(&s);
    assert_ok(s.ctx, finish(&s));
    check_text(
        &s, REPORT,
        "chunks            precision  recall      F1     support       found     correct\n"
        "A                    0.1111  0.0833  0.0952          12           9           1\n"
        "B                    0.2500  0.5000  0.3333           2           4           1\n"
        "micro average        0.1538  0.1429  0.1481          14          13           2\n"
        "macro average        0.1806  0.2917  0.2143\n"
        "weighted average     0.1310  0.1429  0.1293\n"
        "(A chunk is correct if both ends and its type are; 0/0 is shown as 0. Micro sums the "
        "counts "
        "of all\n"
        "types, as conlleval does; macro is the mean over the 2 types with chunks; weighted is the "
        "mean\n"
        "weighted by support, the number of gold chunks.)\n"
        "(Labels are read as iob2; 1 gold and 0 predicted labels are illegal there,\n"
        "but begin or end chunks all the same, as in conlleval.)\n"
        "\n"
        "tokens                          accuracy     correct      tokens\n"
        "all                               0.4333          13          30\n"
        "gold label is not O               0.4348          10          23\n"
        "gold label is O                   0.4286           3           7\n"
        "\n"
        "outcomes                      gold   share       found   share\n"
        "correct                          2   14.3%           2   15.4%\n"
        "same span, other type            1    7.1%           1    7.7%\n"
        "other span, same type            8   57.1%           8   61.5%\n"
        "other span, other type           1    7.1%           1    7.7%\n"
        "missed; spurious                 2   14.3%           1    7.7%\n"
        "all                             14  100.0%          13  100.0%\n"
        "(A chunk is compared with the chunk of the other side that shares most tokens with it; "
        "ties prefer\n"
        "a chunk of the same type, then the first.)\n"
        "\n"
        "other span, same type     too long   too short     shifted         all\n"
        "left end wrong                   2           1           -           3\n"
        "right end wrong                  2           1           -           3\n"
        "both ends wrong                  0           0           2           2\n"
        "all                              4           2           2           8\n"
        "(Of these gold chunks, 4 overlap one found chunk, 1 are split over several, 2 are "
        "joined\n"
        "with other gold chunks in one, and 1 both.)\n"
        "\n"
        "gold, found as  A  B  (none)\n"
        "A               9  1       2\n"
        "B               1  1       .\n"
        "(none)          .  1       .\n"
        "(Rows are types of gold chunks, columns the types they were found as, with any span; "
        "\"(none)\":\n"
        "missed, or spurious.)\n");
    scoring_clear(&s);
}

static uint64_t sum(const uint64_t *count, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) all += count[i];
    return all;
}

/* ---- by brute force ------------------------------------------------------------------ */

static void random_labels(cau_rng *rng, size_t T, char *text)
{
    static const char *const labels[] = {"O",   "O",   "B-A", "I-A", "I-A",
                                         "B-B", "I-B", "I-B", "I-C", "B"};
    text[0] = '\0';
    for (size_t t = 0; t < T; t++) {
        strcat(text, labels[cau_rng_below(rng, 10)]);
        strcat(text, " ");
    }
}

/* The number of tokens in both chunks, counted one by one. */
static size_t shared(cau_chunk chunk, cau_chunk other)
{
    size_t n = 0;
    for (uint32_t t = chunk.begin; t < chunk.end; t++) n += t >= other.begin && t < other.end;
    return n;
}

/* The expected counts; the types A, B, C and "" are 0 .. 3. */
typedef struct {
    uint64_t outcome[2][CAU_CHUNK_OUTCOMES], misplaced[CAU_ENDS][CAU_SPANS], pieces[CAU_PIECES];
    uint64_t confusion[5][5]; /* the last is "none" */
} expected_chunk_counts;

static size_t type_of(const chunk_scoring *s, cau_chunk chunk)
{
    const cau_str name = cau_alphabet_name(s->tags.types, chunk.type);
    return name.n ? (size_t)(name.s[0] - 'A') : 3;
}

static void expect(const chunk_scoring *s, expected_chunk_counts *e)
{
    const labelled_sentence *l = &s->last;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < l->chunks[side]; i++) {
            const cau_chunk own = l->chunk[side][i];
            const cau_chunk *others = l->chunk[!side];
            size_t best = 0, value = 0, overlapping = 0;
            for (size_t j = 0; j < l->chunks[!side]; j++) {
                size_t common = shared(own, others[j]);
                size_t rated = common ? 2 * common + (others[j].type == own.type) : 0;
                overlapping += common > 0;
                if (rated > value) value = rated, best = j;
            }
            const size_t type = type_of(s, own);
            if (!value) {
                e->outcome[side][CAU_CHUNK_ALONE]++;
                e->confusion[side == CAU_GOLD ? type : 4][side == CAU_GOLD ? 4 : type]++;
                continue;
            }
            const cau_chunk other = others[best];
            const int left = (other.begin > own.begin) - (other.begin < own.begin);
            const int right = (other.end > own.end) - (other.end < own.end);
            const bool same = own.type == other.type;
            e->outcome[side][left || right ? same ? CAU_CHUNK_MISPLACED : CAU_CHUNK_CONFUSED
                             : same        ? CAU_CHUNK_RIGHT
                                           : CAU_CHUNK_RETYPED]++;
            if (side == CAU_FOUND) continue;
            e->confusion[type][type_of(s, other)]++;
            if (!same || (!left && !right)) continue;
            size_t joined = 0;
            for (size_t j = 0; j < l->chunks[CAU_GOLD]; j++)
                joined += shared(l->chunk[CAU_GOLD][j], other) > 0;
            e->misplaced[left && right ? CAU_ENDS_BOTH
                         : left        ? CAU_ENDS_LEFT
                                       : CAU_ENDS_RIGHT][left == right && left   ? CAU_SPAN_SHIFTED
                                                  : left > 0 || right < 0 ? CAU_SPAN_SHORT
                                                                          : CAU_SPAN_LONG]++;
            e->pieces[(overlapping > 1) + 2 * (joined > 1)]++;
        }
}

static void check_confusion(const chunk_scoring *s, const expected_chunk_counts *e)
{
    const cau_confusion *c = &s->scores->confusion;
    const size_t n = c->n;
    uint64_t counts[5][5] = {{0}}, row[5] = {0}; /* by the numbers of the expected types */
    size_t type[5];
    assert_int_equal(n, s->scores->n + 1);
    for (size_t i = 0; i < n; i++)
        type[i] = !c->name[i].s ? 4 : c->name[i].n == 0 ? 3 : (size_t)(c->name[i].s[0] - 'A');
    for (size_t i = 0; i < c->keys.count; i++) {
        counts[type[c->pair[i].gold]][type[c->pair[i].predicted]] += c->pair[i].count;
        row[c->pair[i].gold] += c->pair[i].count;
    }
    assert_memory_equal(counts, e->confusion, sizeof counts);
    for (size_t i = 0; i + 1 < n; i++) assert_int_equal(row[i], s->scores->type[i].counts.gold);
}

static void test_errors_by_brute_force(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 8);
    for (int round = 0; round < 200; round++) {
        chunk_scoring s;
        expected_chunk_counts e = {0};
        cau_counts all = {0};
        assert_int_equal(scoring_init(&s, &(cau_tags){0}), CAUCUS_OK);
        for (size_t i = 0; i < 1 + (size_t)round % 20; i++) {
            char gold[256], predicted[256];
            const size_t T = cau_rng_below(&rng, 14);
            random_labels(&rng, T, gold);
            random_labels(&rng, T, predicted);
            if (cau_rng_below(&rng, 3) == 0) strcpy(predicted, gold);
            assert_ok(s.ctx, score(&s, gold, predicted));
            expect(&s, &e);
            all.gold += s.last.chunks[0];
            all.found += s.last.chunks[1];
            all.correct += cau_chunks_common(s.last.chunk[0], s.last.chunks[0], s.last.chunk[1],
                                             s.last.chunks[1]);
        }
        assert_ok(s.ctx, finish(&s));
        const cau_chunk_scores *c = s.scores;
        assert_memory_equal(&c->all, &all, sizeof all);
        assert_memory_equal(c->outcome, e.outcome, sizeof e.outcome);
        assert_memory_equal(c->misplaced, e.misplaced, sizeof e.misplaced);
        assert_int_equal(c->pieces[CAU_PIECES_ONE], e.pieces[0]);
        assert_int_equal(c->pieces[CAU_PIECES_SPLIT], e.pieces[1]);
        assert_int_equal(c->pieces[CAU_PIECES_JOINED], e.pieces[2]);
        assert_int_equal(c->pieces[CAU_PIECES_MIXED], e.pieces[3]);
        check_confusion(&s, &e);

        const uint64_t misplaced = c->outcome[CAU_GOLD][CAU_CHUNK_MISPLACED];
        assert_int_equal(sum(c->outcome[CAU_GOLD], CAU_CHUNK_OUTCOMES), all.gold);
        assert_int_equal(sum(c->outcome[CAU_FOUND], CAU_CHUNK_OUTCOMES), all.found);
        assert_int_equal(c->outcome[CAU_GOLD][CAU_CHUNK_RIGHT], all.correct);
        assert_int_equal(c->outcome[CAU_FOUND][CAU_CHUNK_RIGHT], all.correct);
        assert_int_equal(c->outcome[CAU_GOLD][CAU_CHUNK_RETYPED],
                         c->outcome[CAU_FOUND][CAU_CHUNK_RETYPED]);
        assert_int_equal(sum(c->misplaced[0], CAU_ENDS * CAU_SPANS), misplaced);
        assert_int_equal(sum(c->pieces, CAU_PIECES), misplaced);
        scoring_clear(&s);
    }
}

/* ---- JSON, many types, memory -------------------------------------------------------- */

static void test_json(void **state)
{
    (void)state;
    chunk_scoring s;
    assert_int_equal(scoring_init(&s, &(cau_tags){.scheme = CAU_SCHEME_IOB2, .strict = true}),
                     CAUCUS_OK);
    assert_ok(s.ctx, score(&s, "B-A I-A O O B-B", "B-A O I-A B-B B-\xFF"));
    assert_ok(s.ctx, finish(&s));
    check_text(&s, JSON,
               "{\"chunks\": {\"scheme\": \"iob2\", \"strict\": true, \"raw\": false, "
               "\"illegal\": {\"gold\": 0, \"predicted\": 1}, \"tokens\": {\"count\": 5, "
               "\"correct\": 1, \"accuracy\": 0.2, \"inside\": 3, \"inside_correct\": 1, "
               "\"inside_accuracy\": 0.333333333}, \"support\": 2, \"found\": 3, "
               "\"correct\": 0, \"micro\": {\"precision\": 0.0, \"recall\": 0.0, "
               "\"f1\": 0.0}, \"macro\": {\"precision\": 0.0, \"recall\": 0.0, "
               "\"f1\": 0.0}, \"weighted\": {\"precision\": 0.0, \"recall\": 0.0, "
               "\"f1\": 0.0}, \"types\": [{\"type\": \"A\", \"support\": 1, \"found\": 1, "
               "\"correct\": 0, \"precision\": 0.0, \"recall\": 0.0, \"f1\": 0.0}, "
               "{\"type\": \"B\", \"support\": 1, \"found\": 1, \"correct\": 0, "
               "\"precision\": 0.0, \"recall\": 0.0, \"f1\": 0.0}, {\"type\": \"\xEF\xBF\xBD\", "
               "\"support\": 0, \"found\": 1, \"correct\": 0, \"precision\": 0.0, "
               "\"recall\": 0.0, \"f1\": 0.0}], \"outcomes\": {\"gold\": {\"right\": 0, "
               "\"retyped\": 1, \"misplaced\": 1, \"confused\": 0, \"missed\": 0}, "
               "\"found\": {\"right\": 0, \"retyped\": 1, \"misplaced\": 1, "
               "\"confused\": 0, \"spurious\": 1}}, \"misplaced\": {\"left\": {\"long\": 0, "
               "\"short\": 0, \"shifted\": 0}, \"right\": {\"long\": 0, \"short\": 1, "
               "\"shifted\": 0}, \"both\": {\"long\": 0, \"short\": 0, \"shifted\": 0}, "
               "\"pieces\": {\"one\": 1, \"split\": 0, \"joined\": 0, \"mixed\": 0}}, "
               "\"confusion\": [{\"gold\": \"A\", \"predicted\": \"A\", \"count\": 1}, "
               "{\"gold\": \"B\", \"predicted\": \"\xEF\xBF\xBD\", \"count\": 1}, {\"gold\": null, "
               "\"predicted\": \"B\", \"count\": 1}]}}");
    scoring_clear(&s);
}

/* Too many types for a matrix: the confusions are printed as a list. */
static void test_many_types(void **state)
{
    (void)state;
    chunk_scoring s;
    assert_int_equal(scoring_init(&s, &(cau_tags){0}), CAUCUS_OK);
    for (int i = 0; i < 600; i++) {
        char gold[32], predicted[32];
        snprintf(gold, sizeof gold, "B-%d", i);
        snprintf(predicted, sizeof predicted, "B-%d", i % 7 ? i : 600 - i);
        assert_ok(s.ctx, score(&s, gold, predicted));
        if (i == 14) assert_ok(s.ctx, score(&s, gold, predicted));
    }
    assert_ok(s.ctx, finish(&s));
    cau_strbuf text = {0};
    assert_ok(s.ctx, write(&s, REPORT, &text));
    const char *list = strstr(text.s, "\ngold           predicted           count  of errors\n"
                                      "14             586                     2       2.3%\n"
                                      "0              600                     1       1.1%\n");
    assert_non_null(list);
    assert_non_null(strstr(list, "(the 20 most frequent of 86 confusions)\n"));
    cau_strbuf_clear(&text);
    scoring_clear(&s);
}

static caucus_status score_once(void *self)
{
    (void)self;
    chunk_scoring s;
    cau_strbuf text = {0};
    caucus_status st = scoring_init(&s, &(cau_tags){0});
    for (int i = 0; i < 40 && !st; i++) {
        char gold[64], predicted[64];
        snprintf(gold, sizeof gold, "B-longer%d I-longer%d O", i, i);
        snprintf(predicted, sizeof predicted, "O B-longer%d B-%d", i + 1, i);
        st = score(&s, gold, predicted);
    }
    if (!st) st = finish(&s);
    if (!st) st = write(&s, REPORT, &text);
    cau_strbuf_clear(&text);
    scoring_clear(&s);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(test_every_allocation(score_once, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_conlleval_prints),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_names_as_conlleval_prints_them),
        cmocka_unit_test(test_raw_labels),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_errors_by_brute_force),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_many_types),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
