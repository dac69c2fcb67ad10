/* score_test.c - scores without names, by the contents of families, equal the scores by names. */

#include "infer/score.h"

#include "base/rng.h"
#include "support/apply_sample.h"

enum { Y = 3, WORDS = 4, PATTERNS = 9, K = WORDS * PATTERNS };

/* Windows of words and of pairs, and between them patterns that are in no family. */
static const char template[] = "U0:%x[-3,0]\nU1:%x[-2,0]\nU2:%x[-1,0]\nU3:%x[0,0]\nB\n"
                               "UC:%chars[0,0,1-3]\nU4:%x[1,0]\nU5:%x[2,0]\nU6:%x[3,0]\n"
                               "UP0:%x[-1,0]/%x[0,0]\nUP1:%x[0,0]/%x[1,0]\nUF:%x[@1,0]\n";

static const char *const words[] = {"pear", "quince", "rose", "sage", "?"}; /* one unknown */

/* The names of U0 to U6 with all words; some pairs, ends and parts, and a first word. */
static void make_names(cau_strbuf *names)
{
    for (int i = 0; i < 7; i++)
        for (int w = 0; w < WORDS; w++) cau_strbuf_printf(names, "U%d:%s|", i, words[w]);
    cau_strbuf_printf(names, "UP0:pear/quince|UP0:quince/pear|UP1:pear/quince|UP1:sage/_B+1|");
    cau_strbuf_printf(names, "U1:_B-2|UC:ea|UC:ose|UF:quince");
    assert_int_equal(tiny_count(names->s), K);
}

/* The scores [positions][Y] of all sequences of a text, sequence by sequence or position by
 * position. */
static void take_scores(const caucus_model *m, cau_str text, bool names, bool apart, double *out)
{
    caucus_ctx *ctx = test_ctx();
    cau_read_options read = {.format = CAU_FORMAT_COLUMNS, .columns = 1};
    cau_template *t = NULL;
    cau_scorer scorer = {0};
    cau_reader *reader = NULL;
    assert_ok(ctx, cau_template_parse(ctx, "t", (cau_str){template, strlen(template)}, NULL, &t));
    read.template = t;
    assert_ok(ctx, cau_scorer_init(ctx, &scorer, m, names));
    assert_ok(ctx,
              cau_reader_memory(ctx, "text", text, &read, cau_scorer_vocabulary(&scorer), &reader));
    cau_scorer_begin(&scorer);
    for (cau_read_event event = CAU_READ_INSTANCE; event != CAU_READ_END;) {
        cau_instance x;
        assert_ok(ctx, cau_reader_next(ctx, reader, &event, &x));
        if (event == CAU_READ_INSTANCE && apart) {
            assert_ok(ctx, cau_scorer_scores(ctx, &scorer, reader, &x, out));
            out += Y;
        } else if (event == CAU_READ_INSTANCE) {
            assert_ok(ctx, cau_scorer_push(ctx, &scorer, reader, &x));
        } else if (!apart) {
            assert_ok(ctx, cau_scorer_finish(ctx, &scorer, reader));
            if (scorer.T) memcpy(out, scorer.scores->s, scorer.T * Y * sizeof *out);
            out += scorer.T * Y;
            cau_scorer_begin(&scorer);
        }
    }
    cau_reader_free(reader);
    cau_scorer_clear(&scorer);
    cau_template_free(t);
    caucus_ctx_free(ctx);
}

/* Sequences of many lengths, some with words that the model does not have. */
static void test_contents(void **state)
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
    take_scores(m, all, true, false, *want);
    for (int apart = 0; apart < 2; apart++) {
        memset(got, 0, sizeof got);
        take_scores(m, all, false, apart, *got);
        for (size_t t = 0; t < T; t++)
            for (size_t y = 0; y < Y; y++) assert_true(got[t][y] == want[t][y]);
    }
    cau_model_free(m);
    cau_strbuf_clear(&names);
    cau_strbuf_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_contents)};
    return cmocka_run_group_tests_name("infer/score", tests, NULL, NULL);
}
