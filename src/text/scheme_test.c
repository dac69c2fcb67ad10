/* scheme_test.c - splitting and joining labels, and legal transitions.
 *
 * The test reads labels from the letters alone, by conlleval's written rules, not by the functions
 * under test. */

#include "support/base_sample.h"
#include "support/support.h"

#include <string.h>

#include "base/rng.h"
#include "text/scheme.h"

static const cau_scheme_name schemes[] = {CAU_SCHEME_IO, CAU_SCHEME_IOB1, CAU_SCHEME_IOB2,
                                          CAU_SCHEME_IOBES, CAU_SCHEME_BILOU};
enum { SCHEMES = 5, LONGEST = 12 };

/* ---- chunks and labels, in a form of the test's own ---------------------------------------- */

typedef struct {
    cau_place place;
    int type; /* 0: O */
} scheme_label;

typedef struct {
    size_t begin, end;
    int type;
} scheme_chunk;

/* Labels T tokens with these chunks in the scheme. */
static void write_labels(cau_scheme_name scheme, const scheme_chunk *chunks, size_t count,
                         scheme_label *labels, size_t T)
{
    for (size_t t = 0; t < T; t++) labels[t] = (scheme_label){CAU_OUTSIDE, 0};
    for (size_t i = 0; i < count; i++) {
        const scheme_chunk c = chunks[i];
        const bool touches = i && chunks[i - 1].end == c.begin && chunks[i - 1].type == c.type;
        for (size_t t = c.begin; t < c.end; t++)
            labels[t] = (scheme_label){
                cau_scheme_place(scheme, t - c.begin, c.end - c.begin, touches), c.type};
    }
}

/* Whether a chunk begins at `here`, which is not O, after the label before. */
static bool begins(const scheme_label *before, scheme_label here)
{
    if (here.place == CAU_BEGIN || here.place == CAU_SINGLE) return true;
    return !before || before->type != here.type || before->place == CAU_END ||
           before->place == CAU_SINGLE;
}

static size_t read_chunks(const scheme_label *labels, size_t T, scheme_chunk *chunks)
{
    size_t count = 0;
    for (size_t t = 0; t < T; t++) {
        if (labels[t].place == CAU_OUTSIDE) continue;
        if (begins(t ? &labels[t - 1] : NULL, labels[t]))
            chunks[count++] = (scheme_chunk){t, t, labels[t].type};
        chunks[count - 1].end = t + 1;
    }
    return count;
}

static size_t join_touching(scheme_chunk *chunks, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && chunks[kept - 1].end == chunks[i].begin &&
            chunks[kept - 1].type == chunks[i].type)
            chunks[kept - 1].end = chunks[i].end;
        else
            chunks[kept++] = chunks[i];
    }
    return kept;
}

static bool is_legal(cau_scheme_name scheme, const scheme_label *labels, size_t T)
{
    bool legal =
        cau_scheme_first(scheme, labels[0].place) && cau_scheme_last(scheme, labels[T - 1].place);
    for (size_t t = 1; t < T; t++)
        legal = legal && cau_scheme_follows(scheme, labels[t - 1].place, labels[t].place,
                                            labels[t - 1].type == labels[t].type);
    return legal;
}

static size_t random_chunks(cau_rng *rng, size_t T, scheme_chunk *chunks)
{
    size_t count = 0;
    for (size_t t = 0; t < T;) {
        size_t n = 1 + cau_rng_below(rng, 3);
        if (n > T - t) n = T - t;
        const int type = (int)cau_rng_below(rng, 3);
        if (type) chunks[count++] = (scheme_chunk){t, t + n, type};
        t += n;
    }
    return count;
}

/* ---- single labels ------------------------------------------------------------------------ */

static void schemes_have_names(void **state)
{
    (void)state;
    assert_string_equal(cau_scheme_text(CAU_SCHEME_NONE), "none");
    assert_string_equal(cau_scheme_text(CAU_SCHEME_IO), "io");
    assert_string_equal(cau_scheme_text(CAU_SCHEME_IOB1), "iob1");
    assert_string_equal(cau_scheme_text(CAU_SCHEME_IOB2), "iob2");
    assert_string_equal(cau_scheme_text(CAU_SCHEME_IOBES), "iobes");
    assert_string_equal(cau_scheme_text(CAU_SCHEME_BILOU), "bilou");
    assert_string_equal(cau_scheme_looks(CAU_SCHEME_IOB2), "O, B-TYPE or I-TYPE");
}

/* Every letter in every scheme: which letters are read, and as which place. */
static void each_scheme_reads_its_letters(void **state)
{
    (void)state;
    static const struct {
        cau_scheme_name scheme;
        const char *letters, *places;
    } cases[] = {
        {CAU_SCHEME_NONE, "BIMELSU", "BIIEESS"}, {CAU_SCHEME_IO, "I", "I"},
        {CAU_SCHEME_IOB1, "BI", "BI"},           {CAU_SCHEME_IOB2, "BI", "BI"},
        {CAU_SCHEME_IOBES, "BIMES", "BIIES"},    {CAU_SCHEME_BILOU, "BILU", "BIES"},
    };
    static const char names[] = "OBIES"; /* in the order of cau_place */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int c = 1; c < 128; c++) {
            const char text[] = {(char)c, '-', 'N', 'P', '\0'};
            const char *found = strchr(cases[i].letters, c);
            for (size_t n = 1; n <= 4; n += 3) { /* without and with a type */
                cau_place place = CAU_OUTSIDE;
                cau_str type = {NULL, 7};
                const bool read =
                    cau_scheme_parse(cases[i].scheme, (cau_str){text, n}, &place, &type);
                if (c == 'O') {
                    assert_int_equal(read, n == 1);
                    if (read) assert_int_equal(place, CAU_OUTSIDE);
                    if (read) assert_int_equal(type.n, 0);
                    continue;
                }
                assert_int_equal(read, found != NULL);
                if (!read) continue;
                assert_int_equal(names[place], cases[i].places[found - cases[i].letters]);
                assert_int_equal(type.n, n == 1 ? 0 : 2);
                assert_memory_equal(type.s, "NP", type.n);
            }
        }
}

static void types_can_be_any_text(void **state)
{
    (void)state;
    static const char *const types[] = {"-", "A-B", "--x", "I-NP", "東京", "B", "O"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char text[32] = "B-";
        cau_place place;
        cau_str type;
        strcat(text, types[i]);
        assert_true(cau_scheme_parse(CAU_SCHEME_IOB2, str(text), &place, &type));
        assert_int_equal(place, CAU_BEGIN);
        assert_int_equal(type.n, strlen(types[i]));
        assert_ptr_equal(type.s, text + 2); /* points into the label */
    }
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "B-",  "I-",   "O-",  "O-NP", "BNP", "b-NP", "-NP",
                                        "NP", "-X-", "B_NP", "BI-", "?",    " B",  "OO",   "B NP"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int scheme = CAU_SCHEME_NONE; scheme <= CAU_SCHEME_BILOU; scheme++) {
            cau_place place;
            cau_str type;
            assert_false(cau_scheme_parse((cau_scheme_name)scheme, str(texts[i]), &place, &type));
        }
}

static void places_have_letters(void **state)
{
    (void)state;
    static const char expected[][5] = {
        [CAU_SCHEME_NONE] = {'O', 'B', 'I', 'E', 'S'},
        [CAU_SCHEME_IO] = {'O', 0, 'I', 0, 0},
        [CAU_SCHEME_IOB1] = {'O', 'B', 'I', 0, 0},
        [CAU_SCHEME_IOB2] = {'O', 'B', 'I', 0, 0},
        [CAU_SCHEME_IOBES] = {'O', 'B', 'I', 'E', 'S'},
        [CAU_SCHEME_BILOU] = {'O', 'B', 'I', 'L', 'U'},
    };
    for (int scheme = CAU_SCHEME_NONE; scheme <= CAU_SCHEME_BILOU; scheme++)
        for (int place = CAU_OUTSIDE; place <= CAU_SINGLE; place++)
            assert_int_equal(cau_scheme_letter((cau_scheme_name)scheme, (cau_place)place),
                             expected[scheme][place]);
}

/* The letters of chunks of 1, 2 and 4 tokens, from the definitions. */
static void chunks_have_the_letters_of_the_scheme(void **state)
{
    (void)state;
    static const struct {
        cau_scheme_name scheme;
        bool touches;
        const char *one, *two, *four;
    } cases[] = {
        {CAU_SCHEME_NONE, false, "B", "BI", "BIII"}, {CAU_SCHEME_IO, false, "I", "II", "IIII"},
        {CAU_SCHEME_IO, true, "I", "II", "IIII"},    {CAU_SCHEME_IOB1, false, "I", "II", "IIII"},
        {CAU_SCHEME_IOB1, true, "B", "BI", "BIII"},  {CAU_SCHEME_IOB2, false, "B", "BI", "BIII"},
        {CAU_SCHEME_IOB2, true, "B", "BI", "BIII"},  {CAU_SCHEME_IOBES, false, "S", "BE", "BIIE"},
        {CAU_SCHEME_IOBES, true, "S", "BE", "BIIE"}, {CAU_SCHEME_BILOU, false, "U", "BL", "BIIL"},
        {CAU_SCHEME_BILOU, true, "U", "BL", "BIIL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const all[] = {cases[i].one, cases[i].two, cases[i].four};
        for (size_t k = 0; k < 3; k++) {
            const size_t n = strlen(all[k]);
            for (size_t t = 0; t < n; t++) {
                const cau_place place = cau_scheme_place(cases[i].scheme, t, n, cases[i].touches);
                assert_int_equal(cau_scheme_letter(cases[i].scheme, place), all[k][t]);
            }
        }
    }
}

/* ---- sequences of labels ------------------------------------------------------------------ */

static void assert_same_chunks(const scheme_chunk *a, size_t n, const scheme_chunk *b, size_t m)
{
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].begin, b[i].begin);
        assert_int_equal(a[i].end, b[i].end);
        assert_int_equal(a[i].type, b[i].type);
    }
}

/* Labels written as text and split again are the same. */
static void written_labels_are_read_again(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (int turn = 0; turn < 4000; turn++) {
        scheme_chunk meant[LONGEST], got[LONGEST];
        scheme_label labels[LONGEST], parsed[LONGEST];
        const size_t T = 1 + cau_rng_below(&rng, LONGEST);
        size_t count = random_chunks(&rng, T, meant);
        for (size_t s = 0; s < SCHEMES; s++) {
            write_labels(schemes[s], meant, count, labels, T);
            assert_true(is_legal(schemes[s], labels, T));
            assert_true(is_legal(CAU_SCHEME_NONE, labels, T));
            for (size_t t = 0; t < T; t++) {
                const char text[] = {cau_scheme_letter(schemes[s], labels[t].place), '-',
                                     (char)('0' + labels[t].type)};
                cau_str type;
                assert_true(cau_scheme_parse(schemes[s],
                                             (cau_str){text, labels[t].type ? sizeof text : 1},
                                             &parsed[t].place, &type));
                parsed[t].type = type.n ? type.s[0] - '0' : 0;
            }
            scheme_chunk want[LONGEST];
            memcpy(want, meant, sizeof want);
            const size_t wanted = schemes[s] == CAU_SCHEME_IO ? join_touching(want, count) : count;
            assert_same_chunks(got, read_chunks(parsed, T, got), want, wanted);
        }
    }
}

/* Sets labels to sequence number `code` among all sequences of T labels of O and two types. */
static bool nth_sequence(cau_scheme_name scheme, size_t code, scheme_label *labels, size_t T)
{
    scheme_label all[9] = {{CAU_OUTSIDE, 0}};
    size_t count = 1;
    for (int place = CAU_BEGIN; place <= CAU_SINGLE; place++)
        for (int type = 1; type <= 2; type++)
            if (cau_scheme_letter(scheme, (cau_place)place))
                all[count++] = (scheme_label){(cau_place)place, type};
    for (size_t t = 0; t < T; t++, code /= count) labels[t] = all[code % count];
    return code == 0;
}

/* By definition, a sequence is legal if writing its chunks gives the same labels. Tries all
 * sequences of up to five labels. */
static void legal_sequences_are_those_that_chunks_give(void **state)
{
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++)
        for (size_t T = 1; T <= 5; T++) {
            scheme_label labels[5], again[5];
            scheme_chunk chunks[5];
            for (size_t code = 0; nth_sequence(schemes[s], code, labels, T); code++) {
                write_labels(schemes[s], chunks, read_chunks(labels, T, chunks), again, T);
                bool same = true;
                for (size_t t = 0; t < T; t++) same = same && labels[t].place == again[t].place;
                if (is_legal(schemes[s], labels, T) != same)
                    fail_msg("%s, length %zu, sequence %zu: %s", cau_scheme_text(schemes[s]), T,
                             code, same ? "forbidden" : "allowed");
            }
        }
}

/* Two labels of a type belong to one chunk if the reader of this test finds no beginning. */
static void continuations_are_not_beginnings(void **state)
{
    (void)state;
    for (int a = CAU_OUTSIDE; a <= CAU_SINGLE; a++)
        for (int b = CAU_OUTSIDE; b <= CAU_SINGLE; b++) {
            const scheme_label before = {(cau_place)a, a ? 1 : 0}, here = {(cau_place)b, b ? 1 : 0};
            const bool one = a != CAU_OUTSIDE && b != CAU_OUTSIDE && !begins(&before, here);
            assert_int_equal(cau_place_continues(before.place, here.place), one);
        }
}

static void without_a_scheme_everything_is_legal(void **state)
{
    (void)state;
    for (int a = CAU_OUTSIDE; a <= CAU_SINGLE; a++) {
        assert_true(cau_scheme_first(CAU_SCHEME_NONE, (cau_place)a));
        assert_true(cau_scheme_last(CAU_SCHEME_NONE, (cau_place)a));
        for (int b = CAU_OUTSIDE; b <= CAU_SINGLE; b++)
            for (int same = 0; same < 2; same++)
                assert_true(cau_scheme_follows(CAU_SCHEME_NONE, (cau_place)a, (cau_place)b, same));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_have_names),
        cmocka_unit_test(each_scheme_reads_its_letters),
        cmocka_unit_test(types_can_be_any_text),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(places_have_letters),
        cmocka_unit_test(chunks_have_the_letters_of_the_scheme),
        cmocka_unit_test(written_labels_are_read_again),
        cmocka_unit_test(legal_sequences_are_those_that_chunks_give),
        cmocka_unit_test(continuations_are_not_beginnings),
        cmocka_unit_test(without_a_scheme_everything_is_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
