/* score_test.c - scores from families of contents equal the sums of weights by name. */

#include "infer/score.h"

#include "base/rng.h"
#include "support/apply_sample.h"

enum { Y = 3, WORDS = 4, PATTERNS = 9, K = WORDS * PATTERNS };

/* Windows of words and pairs, and patterns that belong to no family. */
static const char template[] = "U0:%x[-3,0]\nU1:%x[-2,0]\nU2:%x[-1,0]\nU3:%x[0,0]\nB\n"
                               "UC:%chars[0,0,1-3]\nU4:%x[1,0]\nU5:%x[2,0]\nU6:%x[3,0]\n"
                               "UP0:%x[-1,0]/%x[0,0]\nUP1:%x[0,0]/%x[1,0]\nUF:%x[@1,0]\n";

/* one word is unknown */
static const char *const words[] = {"pear", "quince", "rose", "sage", "?"};

/* The names of U0 to U6 for all words; some pairs, affixes and parts, and a first word. */
static void make_names(cau_strbuf *names)
{
    for (int i = 0; i < 7; i++)
        for (int w = 0; w < WORDS; w++) cau_strbuf_printf(names, "U%d:%s|", i, words[w]);
    cau_strbuf_printf(names, "UP0:pear/quince|UP0:quince/pear|UP1:pear/quince|UP1:sage/_B+1|");
    cau_strbuf_printf(names, "U1:_B-2|UC:ea|UC:ose|UF:quince");
    assert_int_equal(tiny_count(names->s), K);
}

/* The scores [positions][Y] of all sequences of a text, by sequence or by position. */
static void score_keys(const caucus_model *m, const cau_read_options *read, cau_str text,
                       bool apart, double *out)
{
    caucus_ctx *ctx = test_ctx();
    cau_scorer scorer = {0};
    cau_reader *reader = NULL;
    assert_ok(ctx, cau_scorer_init(ctx, &scorer, m));
    assert_ok(ctx, cau_reader_memory(ctx, "text", text, read, (int)m->base, &reader));
    cau_scorer_begin(&scorer);
    for (cau_read_event event = CAU_READ_INSTANCE; event != CAU_READ_END;) {
        cau_instance x;
        assert_ok(ctx, cau_reader_next(ctx, reader, &event, &x));
        if (event == CAU_READ_INSTANCE) assert_ok(ctx, cau_scorer_push(ctx, &scorer, reader, &x));
        if (event == CAU_READ_INSTANCE && !apart) continue;
        assert_ok(ctx, cau_scorer_finish(ctx, &scorer));
        if (scorer.T) memcpy(out, scorer.scores->s, scorer.T * Y * sizeof *out);
        out += scorer.T * Y;
        cau_scorer_begin(&scorer);
    }
    cau_reader_free(reader);
    cau_scorer_clear(&scorer);
    caucus_ctx_free(ctx);
}

/* The same by name, one feature after the other. */
static void score_names(const caucus_model *m, const cau_read_options *read, cau_str text,
                        double *out)
{
    caucus_ctx *ctx = test_ctx();
    cau_alphabets names = {0};
    cau_interner interner = {.alphabets = &names, .add = true};
    cau_reader *reader = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &names.names));
    assert_ok(ctx, cau_reader_memory(ctx, "text", text, read, CAU_BY_NAME, &reader));
    for (cau_read_event event = CAU_READ_INSTANCE; event != CAU_READ_END;) {
        cau_instance in;
        cau_indexed_instance x;
        assert_ok(ctx, cau_reader_next(ctx, reader, &event, &in));
        if (event != CAU_READ_INSTANCE) continue;
        assert_ok(ctx, cau_intern(ctx, &interner, "text", &in, &x));
        for (size_t y = 0; y < Y; y++) out[y] = m->bias ? (double)m->bias[y] : 0;
        for (size_t i = 0; i < x.start[1]; i++) {
            const cau_str name = cau_alphabet_name(names.names, x.id[i]);
            const uint32_t k = cau_model_find(m, &m->nodes, name.s, name.n);
            if (k != CAU_UNKNOWN) cau_model_add(&m->nodes, 1, &k, NULL, out);
        }
        out += Y;
    }
    cau_reader_free(reader);
    cau_interner_clear(&interner);
    cau_alphabet_free(names.names);
    caucus_ctx_free(ctx);
}

/* Sequences of many lengths, some with words that the model lacks. */
static void test_scores_equal_those_by_name(void **state)
{
    (void)state;
    enum { LENGTHS = 150 };
    static double w[K][Y], want[LENGTHS * LENGTHS][Y], got[LENGTHS * LENGTHS][Y];
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (size_t k = 0; k < K; k++)
        for (size_t y = 0; y < Y; y++) w[k][y] = (double)(float)(cau_rng_real(&rng) - 0.5);
    cau_strbuf names = {0}, text = {0};
    make_names(&names);
    const tiny parts = {.kind = CAU_KIND_CRF,
                        .names = names.s,
                        .labels = "a|b|c",
                        .w = *w,
                        .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1},
                        .template = template};
    caucus_model *m = tiny_model(&parts);
    size_t T = 0;
    for (size_t length = 1; length <= LENGTHS; length++, cau_strbuf_printf(&text, "\n"))
        for (size_t t = 0; t < length; t++, T++)
            cau_strbuf_printf(&text, "%s a\n", words[cau_rng_below(&rng, WORDS + 1)]);
    const cau_str all = {text.s, text.n};
    caucus_ctx *ctx = test_ctx();
    cau_template *compiled = NULL;
    assert_ok(ctx, cau_template_parse(ctx, "t", cau_str_of(template), NULL, &compiled));
    const cau_read_options read = {
        .format = CAU_FORMAT_COLUMNS, .columns = 1, .template = compiled};
    score_names(m, &read, all, *want);
    for (int apart = 0; apart < 2; apart++) {
        memset(got, 0, sizeof got);
        score_keys(m, &read, all, apart, *got);
        for (size_t t = 0; t < T; t++)
            for (size_t y = 0; y < Y; y++) assert_true(got[t][y] == want[t][y]);
    }
    cau_template_free(compiled);
    caucus_ctx_free(ctx);
    cau_model_free(m);
    cau_strbuf_clear(&names);
    cau_strbuf_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scores_equal_those_by_name)};
    return cmocka_run_group_tests_name("infer/score", tests, NULL, NULL);
}
