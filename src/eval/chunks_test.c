/* chunks_test.c - chunks by hand, by another algorithm, and the same in every scheme. */

#include "eval/chunks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/support.h"

enum { MOST = 64 };

typedef struct {
    caucus_ctx *ctx;
    cau_alphabet *labels;
    cau_tags tags;
    uint32_t label[MOST];
    size_t T;
} labelled_words;

static void reading_init(labelled_words *r, cau_scheme_name scheme, bool strict)
{
    *r = (labelled_words){.ctx = test_ctx(), .tags = {.scheme = scheme, .strict = strict}};
    assert_ok(r->ctx, cau_alphabet_new(r->ctx, &r->labels));
}

static void reading_clear(labelled_words *r)
{
    cau_tags_clear(&r->tags);
    cau_alphabet_free(r->labels);
    caucus_ctx_free(r->ctx);
}

/* The labels of a sentence, separated by blanks; "?" is CAU_UNKNOWN. */
static void take(labelled_words *r, const char *sentence)
{
    r->T = 0;
    for (const char *at = sentence; *at;) {
        size_t n = strcspn(at, " ");
        bool unknown = n == 1 && *at == '?';
        assert_true(r->T < MOST);
        r->label[r->T++] = unknown ? CAU_UNKNOWN : cau_alphabet_add(r->labels, at, n);
        at += n;
        at += strspn(at, " ");
    }
    assert_int_equal(cau_tags_learn(&r->tags, r->labels), CAUCUS_OK);
}

/* Chunks as text: "NP:0-2 VP:2-3". */
static void show(const cau_tags *tags, const cau_chunk *chunks, size_t n, char *text, size_t room)
{
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%s:%u-%u", i ? " " : "",
                 cau_alphabet_name(tags->types, chunks[i].type).s, chunks[i].begin, chunks[i].end);
    }
}

static void check(labelled_words *r, const char *sentence, const char *want, uint64_t illegal)
{
    cau_chunk chunks[MOST];
    char text[1024];
    uint64_t wrong = 7;
    take(r, sentence);
    size_t n = cau_chunks_of(&r->tags, r->label, r->T, chunks, &wrong);
    show(&r->tags, chunks, n, text, sizeof text);
    assert_string_equal(text, want);
    assert_int_equal(wrong, 7 + illegal);
    assert_int_equal(cau_chunks_of(&r->tags, r->label, r->T, chunks, NULL), n);
}

static void check_one(cau_scheme_name scheme, bool strict, const char *sentence, const char *want,
                      uint64_t illegal)
{
    labelled_words r;
    reading_init(&r, scheme, strict);
    check(&r, sentence, want, illegal);
    assert_true(r.tags.chunked);
    reading_clear(&r);
}

/* ---- by hand ------------------------------------------------------------------------- */

static void test_as_conlleval_reads(void **state)
{
    (void)state;
    const cau_scheme_name any = CAU_SCHEME_NONE;
    check_one(any, false, "", "", 0);
    check_one(any, false, "O O", "", 0);
    check_one(any, false, "B-NP I-NP I-VP O B-NP B-NP", "NP:0-2 VP:2-3 NP:4-5 NP:5-6", 0);
    check_one(any, false, "I-NP I-NP B-NP O I-NP", "NP:0-2 NP:2-3 NP:4-5", 0);
    check_one(any, false, "B-A-B I-A-B I-A", "A-B:0-2 A:2-3", 0);
    check_one(any, false, "B I O I I B", ":0-2 :3-5 :5-6", 0);
    check_one(any, false, "B-NP ? I-NP", "NP:0-1 NP:2-3", 0);
    check_one(any, false, "B-NP . I-NP", "NP:0-1 NP:2-3", 0);
    check_one(any, false, "B- I I- O- I", ":0-3 :4-5", 0);
    check_one(any, false, "[-NP ]-NP O [ I-NP", "NP:0-1 NP:1-2 :3-4 NP:4-5", 0);
    check_one(any, false, "B-X M-X E-X S-X U-X B-X L-X E-X", "X:0-3 X:3-4 X:4-5 X:5-7 X:7-8", 0);
}

static void test_illegal_labels(void **state)
{
    (void)state;
    check_one(CAU_SCHEME_IOB2, false, "B-X I-X O I-X I-Y", "X:0-2 X:3-4 Y:4-5", 2);
    check_one(CAU_SCHEME_IOB1, false, "I-X B-X I-X O B-X B-X", "X:0-1 X:1-3 X:4-5 X:5-6", 1);
    check_one(CAU_SCHEME_IOB1, false, "I-X B-Y", "X:0-1 Y:1-2", 1);
    check_one(CAU_SCHEME_IO, false, "I-X I-X O I-Y", "X:0-2 Y:3-4", 0);
    check_one(CAU_SCHEME_IOBES, false, "B-X E-X S-X O I-X", "X:0-2 X:2-3 X:4-5", 1);
    check_one(CAU_SCHEME_IOBES, false, "B-X E-Y", "X:0-1 Y:1-2", 2);
    check_one(CAU_SCHEME_IOBES, false, "I-X I-X I-X", "X:0-3", 2);
    check_one(CAU_SCHEME_BILOU, false, "B-X I-X L-X U-X B-X", "X:0-3 X:3-4 X:4-5", 1);
}

/* The chunks that the strict mode of seqeval finds. */
static void test_strict(void **state)
{
    (void)state;
    check_one(CAU_SCHEME_NONE, true, "I-X E-Y B-X", "X:0-1 Y:1-2 X:2-3", 0);
    check_one(CAU_SCHEME_IOB2, true, "O I-X I-X B-X I-X", "X:3-5", 1);
    check_one(CAU_SCHEME_IOB2, true, "B-X I-Y I-Y", "X:0-1", 1);
    check_one(CAU_SCHEME_IOB2, true, "B-X B-X I-X O I-X", "X:0-1 X:1-3", 1);
    check_one(CAU_SCHEME_IOB1, true, "O B-X I-X O I-X B-X I-Y", "X:4-5 X:5-6 Y:6-7", 1);
    check_one(CAU_SCHEME_IOB1, true, "O B-X B-X", "X:2-3", 1);
    check_one(CAU_SCHEME_IOBES, true, "B-X I-X O S-X", "X:3-4", 1);
    check_one(CAU_SCHEME_IOBES, true, "B-X I-X B-X E-X", "X:2-4", 1);
    check_one(CAU_SCHEME_IOBES, true, "B-X E-Y E-X I-X E-X", "", 4);
    check_one(CAU_SCHEME_IOBES, true, "B-X E-X I-X E-X", "X:0-2", 1);
    check_one(CAU_SCHEME_IOBES, true, "B-X S-X E-X", "X:1-2", 2);
    check_one(CAU_SCHEME_IOBES, true, "B-X M-X I-X E-X B-X", "X:0-4", 1);
    check_one(CAU_SCHEME_BILOU, true, "U-X B-X L-X L-X B-X I-X", "X:0-1 X:1-3", 2);
}

static void test_raw(void **state)
{
    (void)state;
    labelled_words r;
    reading_init(&r, CAU_SCHEME_NONE, false);
    r.tags.raw = true;
    r.tags.outside = "NONE";
    check(&r, "B-NP B-NP O . NONE O- NP", "B-NP:0-1 B-NP:1-2 .:3-4 O-:5-6 NP:6-7", 0);
    assert_int_equal(r.tags.tag[r.label[4]].same, r.label[2]);
    assert_int_equal(r.tags.tag[r.label[5]].same, r.label[5]);
    assert_true(r.tags.chunked);
    reading_clear(&r);
}

static void test_labels_with_the_same_meaning(void **state)
{
    (void)state;
    labelled_words r;
    reading_init(&r, CAU_SCHEME_NONE, false);
    r.tags.outside = "out";
    take(&r, "out B- . I-X I-");
    take(&r, "O B O- I I-X");
    static const uint32_t same[] = {0, 1, 2, 3, 4, 0, 1, 0, 4};
    assert_int_equal(r.tags.count, sizeof same / sizeof *same);
    for (size_t i = 0; i < r.tags.count; i++) assert_int_equal(r.tags.tag[i].same, same[i]);
    reading_clear(&r);
}

static void test_foreign_labels(void **state)
{
    (void)state;
    labelled_words r;
    reading_init(&r, CAU_SCHEME_IOB2, false);
    take(&r, "B-X O");
    assert_true(r.tags.chunked);
    assert_int_equal(r.tags.foreign, CAU_UNKNOWN);
    check(&r, "B-X S-X I-X NN [", "X:0-1 X:2-3", 1);
    assert_false(r.tags.chunked);
    assert_string_equal(cau_alphabet_name(r.labels, r.tags.foreign).s, "S-X");
    reading_clear(&r);
}

static void test_counts(void **state)
{
    (void)state;
    const cau_counts none = {0}, some = {.gold = 4, .found = 5, .correct = 2};
    const cau_prf prf = cau_counts_prf(some, 0), empty = cau_counts_prf(none, 0);
    assert_near(prf.precision, 0.4, 1e-15);
    assert_near(prf.recall, 0.5, 1e-15);
    assert_near(prf.f1, 4.0 / 9, 1e-15);
    assert_near(cau_counts_f1(some), prf.f1, 0);
    assert_near(empty.precision + empty.recall + empty.f1, 0, 0);
    assert_true(isnan(cau_counts_prf(none, NAN).recall));
}

/* ---- by another algorithm ------------------------------------------------------------ */

/* Random chunks of two types, as labels of a scheme; broken labels with `noise`. */
static void random_sentence(cau_rng *rng, cau_scheme_name scheme, bool noise, char *text,
                            size_t room)
{
    static const cau_place places[] = {CAU_BEGIN, CAU_INSIDE, CAU_END, CAU_SINGLE};
    size_t T = cau_rng_below(rng, 12);
    text[0] = '\0';
    for (size_t t = 0, n, last = 0, last_type = 0; t < T; t += n) {
        n = 1 + cau_rng_below(rng, 3);
        size_t type = 1 + cau_rng_below(rng, 2);
        bool outside = cau_rng_below(rng, 3) == 0;
        for (size_t i = 0; i < n; i++) {
            cau_place place = cau_scheme_place(scheme, i, n, last && last_type == type);
            if (noise && cau_rng_below(rng, 4) == 0) place = places[cau_rng_below(rng, 4)];
            char letter = cau_scheme_letter(scheme, place);
            size_t used = strlen(text);
            if (outside || !letter)
                snprintf(text + used, room - used, "O ");
            else
                snprintf(text + used, room - used, "%c-%c ", letter, type == 1 ? 'X' : 'Y');
        }
        last = !outside;
        last_type = type;
    }
}

/* Whether tokens b .. e-1 are a chunk, from what is said of each pair of neighbours: the text
 * of the labels, no numbers. Open is a chunk that a label of its type can go on with. */
static bool goes_on(const char *label, const char *next)
{
    return strchr("BIM", label[0]) && strchr("IMEL", next[0]) && strcmp(label + 1, next + 1) == 0;
}

static bool is_chunk(cau_scheme_name scheme, bool strict, char label[][8], size_t T, size_t b,
                     size_t e)
{
    for (size_t t = b; t < e; t++)
        if (label[t][0] == 'O') return false;
    for (size_t t = b; t + 1 < e; t++)
        if (!goes_on(label[t], label[t + 1])) return false;
    if (b > 0 && goes_on(label[b - 1], label[b])) return false;
    if (e < T && goes_on(label[e - 1], label[e])) return false;
    if (!strict) return true;
    switch (scheme) {
    case CAU_SCHEME_IOB1:
        return label[b][0] == 'I' ||
               (b > 0 && label[b - 1][0] != 'O' && label[b - 1][2] == label[b][2]);
    case CAU_SCHEME_IOB2:
        return label[b][0] == 'B';
    case CAU_SCHEME_IOBES:
    case CAU_SCHEME_BILOU:
        return strchr(e - b == 1 ? "SU" : "B", label[b][0]) &&
               strchr(e - b == 1 ? "SU" : "EL", label[e - 1][0]);
    default:
        return true;
    }
}

static void test_against_all_spans(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (cau_scheme_name scheme = CAU_SCHEME_NONE; scheme <= CAU_SCHEME_BILOU; scheme++)
        for (int round = 0; round < 600; round++) {
            char text[256], found[1024], want[1024] = "", label[MOST][8];
            cau_chunk chunks[MOST];
            uint64_t illegal = 0, of_pairs = 0;
            labelled_words r;
            reading_init(&r, scheme, round & 1);
            random_sentence(&rng, scheme, round & 2, text, sizeof text);
            take(&r, text);
            size_t n = cau_chunks_of(&r.tags, r.label, r.T, chunks, &illegal);
            show(&r.tags, chunks, n, found, sizeof found);

            size_t T = r.T;
            for (size_t t = 0; t < T; t++)
                snprintf(label[t], sizeof *label, "%s", cau_alphabet_name(r.labels, r.label[t]).s);
            for (size_t b = 0; b < T; b++)
                for (size_t e = b + 1; e <= T; e++) {
                    size_t used = strlen(want);
                    if (is_chunk(scheme, round & 1, label, T, b, e))
                        snprintf(want + used, sizeof want - used, "%s%s:%zu-%zu", used ? " " : "",
                                 label[b] + 2, b, e);
                }
            assert_string_equal(found, want);

            /* The number of illegal labels is 0 exactly if scheme.h finds no illegal label. */
            for (size_t t = 0; t < T; t++) {
                struct cau_tag tag = r.tags.tag[r.label[t]];
                struct cau_tag last = t ? r.tags.tag[r.label[t - 1]] : tag;
                of_pairs += t == 0 ? !cau_scheme_first(scheme, tag.place)
                                   : !cau_scheme_follows(scheme, last.place, tag.place,
                                                         last.type == tag.type);
                of_pairs += t + 1 == T && !cau_scheme_last(scheme, tag.place);
            }
            assert_int_equal(illegal == 0, of_pairs == 0);
            if (!(round & 2)) assert_int_equal(illegal, 0);
            reading_clear(&r);
        }
}

/* Random chunks, written in each scheme that can represent them, are read as the same chunks. */
static void test_the_same_in_every_scheme(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 4);
    for (int round = 0; round < 300; round++) {
        char first[1024] = "";
        uint64_t seed = cau_rng_next(&rng);
        for (cau_scheme_name scheme = CAU_SCHEME_IOB1; scheme <= CAU_SCHEME_BILOU; scheme++)
            for (int as = 0; as < 3; as++) { /* as the scheme, strictly, as no scheme */
                char text[256], found[1024];
                cau_chunk chunks[MOST];
                cau_rng same;
                labelled_words r;
                cau_rng_init(&same, seed);
                reading_init(&r, as == 2 ? CAU_SCHEME_NONE : scheme, as == 1);
                random_sentence(&same, scheme, false, text, sizeof text);
                take(&r, text);
                size_t n = cau_chunks_of(&r.tags, r.label, r.T, chunks, NULL);
                show(&r.tags, chunks, n, found, sizeof found);
                if (scheme == CAU_SCHEME_IOB1 && as == 0) memcpy(first, found, sizeof first);
                assert_string_equal(found, first);
                reading_clear(&r);
            }
    }
}

static void test_common(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (int round = 0; round < 2000; round++) {
        cau_chunk list[2][MOST];
        size_t n[2] = {0}, common = 0;
        for (size_t s = 0; s < 2; s++)
            for (uint32_t at = 0, length; at < 12; at += length) {
                length = 1 + (uint32_t)cau_rng_below(&rng, 3);
                uint32_t type = (uint32_t)cau_rng_below(&rng, 3);
                if (type < 2) list[s][n[s]++] = (cau_chunk){at, at + length, type};
            }
        for (size_t i = 0; i < n[0]; i++)
            for (size_t j = 0; j < n[1]; j++)
                common += memcmp(&list[0][i], &list[1][j], sizeof(cau_chunk)) == 0;
        assert_int_equal(cau_chunks_common(list[0], n[0], list[1], n[1]), common);
        assert_int_equal(cau_chunks_common(list[1], n[1], list[0], n[0]), common);
        assert_int_equal(cau_chunks_common(list[0], n[0], list[0], n[0]), n[0]);
    }
}

/* ---- memory -------------------------------------------------------------------------- */

static caucus_status learn_once(void *self)
{
    cau_tags tags = {0};
    caucus_status st = cau_tags_learn(&tags, self);
    cau_tags_clear(&tags);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    labelled_words r;
    reading_init(&r, CAU_SCHEME_NONE, false);
    take(&r, "B-NP I-NP O B-VP I-VP B-PP");
    assert_true(test_every_allocation(learn_once, r.labels) > 2);
    reading_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_conlleval_reads),
        cmocka_unit_test(test_illegal_labels),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_labels_with_the_same_meaning),
        cmocka_unit_test(test_foreign_labels),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_against_all_spans),
        cmocka_unit_test(test_the_same_in_every_scheme),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
