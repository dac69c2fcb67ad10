/* tag_test.c - compares the output of the tagger, format by format, with plain sums. */

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "support/tag_sample.h"

/* Columns: x and y count in the first column, z in the second. */
static const tiny columns_model = {.names = "U0:x|U0:y|U1:z",
                                   .labels = "a|b|c",
                                   .w = tiny_w,
                                   .bias = tiny_bias,
                                   .read = {.format = CAU_FORMAT_COLUMNS, .columns = 2},
                                   .template = "U0:%x[0,0]\nU1:%x[0,1]\n"};

static void check(const tiny *parts, const cau_tag_options *options, const char *input,
                  const char *want)
{
    caucus_ctx *ctx = test_ctx();
    for (unsigned threads = 1; threads < 4; threads++) {
        caucus_status st;
        char *got = tiny_tag(ctx, parts, options, threads, input, &st);
        assert_ok(ctx, st);
        assert_string_equal(got, want);
        free(got);
    }
    caucus_ctx_free(ctx);
}

/* s_y by hand: x is 1.125 -0.5 0; y is -1.875 0.5 1.25; z is 0.125 3 -1.25. */
static void test_forms(void **state)
{
    (void)state;
    const cau_tag_options plain = {0};
    check(&text_model, &plain, "a\tx\nc\ty\nb\tz unknown\n", "a\ta\nc\tc\nb\tb\n");
    /* without gold label and final newline */
    check(&text_model, &plain, "x\ny\nz", "a\nc\nb\n");
    check(&text_model, &plain, "never\tx\r\n\n", "never\ta\na\n"); /* an empty line has a class */
    check(&text_model, &plain, "", "");

    check(&columns_model, &plain, "x q a\ny q b\n\nx z c\n", "x q a\ta\ny q b\tc\n\nx z c\tb\n");
    check(&columns_model, &plain, "x  q\ny\tq\n", "x  q\ta\ny\tq\tc\n"); /* without gold label */
    tiny marked = columns_model;
    marked.read.comments = marked.read.docstart = true;
    check(&marked, &plain, "# c\nx q\n# d\ny q\n-DOCSTART- x\nx z\n# e\n",
          "# c\nx q\ta\n# d\ny q\tc\n-DOCSTART- x\nx z\tb\n# e\n");

    tiny crfsuite = text_model;
    crfsuite.read.format = CAU_FORMAT_CRFSUITE;
    check(&crfsuite, &plain, "a\tx\ty:0.25\n\nb\tz:-1\n", "a\ta\n\nb\tc\n");

    tiny svmlight = text_model;
    svmlight.names = "1|2|3";
    svmlight.read.format = CAU_FORMAT_SVMLIGHT;
    check(&svmlight, &plain, "+1 1:1 2:0.5 # comment\n# nothing\n-1 3:2\n", "1\tc\n-1\tb\n");

    tiny megam = text_model;
    megam.read.format = CAU_FORMAT_MEGAM;
    check(&megam, &plain, "a x\nDEV\nb y\nTEST\nc z\n", "a\ta\nb\tc\nc\tb\n");
}

/* A repeated feature counts once by presence, otherwise as often as it occurs or with the sum of
 * its values. The weights give b for one occurrence, a for two. */
static void test_repeated(void **state)
{
    (void)state;
    const double w[] = {1, 0}, bias[] = {0, 1.5};
    tiny parts = {.names = "x", .labels = "a|b", .w = w, .bias = bias};
    const cau_tag_options plain = {0};
    parts.read.format = CAU_FORMAT_TEXT;
    check(&parts, &plain, "x\nx x\nx y x y x\n", "b\nb\nb\n");
    parts.read.counts = true;
    check(&parts, &plain, "x\nx x\nx y x y x\n", "b\na\na\n");
    parts.read.format = CAU_FORMAT_CRFSUITE;
    check(&parts, &plain, "g\tx\ng\tx\tx\ng\tx:0.5\tx:1.25\n", "g\tb\ng\ta\ng\ta\n");
    parts.read.format = CAU_FORMAT_MEGAM;
    check(&parts, &plain, "0 x\n0 x x\n", "0\tb\n0\tb\n");
    parts.read.values = true;
    check(&parts, &plain, "0 x 1\n0 x 1 x 1\n", "0\tb\n0\ta\n");

    parts.read.values = false; /* in sections: once in each */
    parts.labels = "0|1";
    parts.apart = true;
    const double tie[] = {0.25, 0.5};
    parts.bias = tie;
    check(&parts, &plain, "0 # x x # x\n0 # x x #\n", "0\t1\n0\t0\n");
}

/* The format of the options overrides that of the model. */
static void test_other_format(void **state)
{
    (void)state;
    const cau_tag_options options = {.format = CAU_FORMAT_CRFSUITE};
    check(&text_model, &options, "gold\tx\ty\n", "gold\tc\n");
}

static void test_explicit(void **state)
{
    (void)state;
    const double w[] = {1, -2, 0.5};
    tiny parts = {.names = "f|g|h",
                  .labels = "0|1|2",
                  .w = w,
                  .apart = true,
                  .read = {.format = CAU_FORMAT_MEGAM}};
    const cau_tag_options plain = {0};
    check(&parts, &plain, "0 # f g # h # g\n1 # g # # f h\n", "0\t1\n1\t2\n");

    caucus_ctx *ctx = test_ctx();
    caucus_status st;
    free(tiny_tag(ctx, &parts, &plain, 2, "0 # f # g # h\n1 f g\n", &st));
    assert_int_equal(st, CAUCUS_ERR_FORMAT);
    free(tiny_tag(ctx, &parts, &plain, 2, "0 f\n", &st));
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, "in.txt:1: the features are not divided");
    free(tiny_tag(ctx, &parts, &plain, 2, "0 # f # g\n", &st));
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, "in.txt:1: 2 # sections, but the model has 3");
    tiny usual = text_model;
    usual.read.format = CAU_FORMAT_MEGAM;
    free(tiny_tag(ctx, &usual, &plain, 2, "0 # f # g # h\n", &st));
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, "in.txt:1: features in 3 sections");
    caucus_ctx_free(ctx);
}

/* p(y) for x y by the definition: the scores are -0.875, 0, 1.5. */
static void test_probabilities(void **state)
{
    (void)state;
    const double s[] = {-0.875, 0, 1.5};
    double z = 0;
    char all[200], top[200];
    for (int y = 0; y < 3; y++) z += exp(s[y]);
    snprintf(all, sizeof all, "b\tc\ta:%.9g\tb:%.9g\tc:%.9g\n", exp(s[0]) / z, exp(s[1]) / z,
             exp(s[2]) / z);
    snprintf(top, sizeof top, "b\tc\tc:%.9g\tb:%.9g\n", exp(s[2]) / z, exp(s[1]) / z);
    const cau_tag_options probabilities = {.probabilities = true};
    check(&text_model, &probabilities, "b\tx y\n", all);
    const cau_tag_options two = {.top = 2};
    check(&text_model, &two, "b\tx y\n", top);
    top[strlen(top) - 1] = '\0';
    char three[250];
    snprintf(three, sizeof three, "%s\ta:%.9g\n", top, exp(s[0]) / z);
    const cau_tag_options many = {.top = 1000};
    check(&text_model, &many, "b\tx y\n", three);
}

/* With scores of +-2000 and ties, probabilities are finite and the lowest index wins. */
static void test_extremes(void **state)
{
    (void)state;
    const double w[] = {2000, -2000, 2000, 0, 0, 0};
    tiny parts = text_model;
    parts.names = "big|none";
    parts.w = w;
    parts.bias = NULL;
    const cau_tag_options top = {.top = 3}, all = {.probabilities = true};
    check(&parts, &top, "x\tbig\n", "x\ta\ta:0.5\tc:0.5\tb:0\n");
    check(&parts, &all, "x\tbig\n", "x\ta\ta:0.5\tb:0\tc:0.5\n");
    check(&parts, &top, "x\tnone\n", "x\ta\ta:0.333333333\tb:0.333333333\tc:0.333333333\n");
}

static void test_impossible(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_status st;
    const cau_tag_options both = {.probabilities = true, .top = 1};
    free(tiny_tag(ctx, &text_model, &both, 1, "a\tx\n", &st));
    assert_fails(ctx, st, CAUCUS_ERR_ARGUMENT, "give one of them");

    caucus_model *model = tiny_model(&text_model);
    const cau_tag_options plain = {0};
    st = cau_tag(ctx, model, &plain, 1, test_path("absent"), into_nothing, NULL);
    assert_fails(ctx, st, CAUCUS_ERR_IO, "absent");
    st = cau_tag(ctx, model, &plain, 1, test_text("in.txt", "x\n"), into_nothing, NULL);
    assert_int_equal(st, CAUCUS_ERR_IO);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

/* ---- many lines ---------------------------------------------------------------------- */

enum { LINES = 60000 };

/* About 1.5 MB of lines with known answers: words of 200 features with random weights, some
 * unknown. */
static void test_many_lines(void **state)
{
    (void)state;
    enum { K = 200 };
    cau_rng rng;
    cau_rng_init(&rng, 5);
    static double w[K * 3];
    cau_strbuf names = {0}, input = {0}, want = {0};
    for (size_t k = 0; k < K; k++) cau_strbuf_printf(&names, "%sw%zu", k ? "|" : "", k);
    for (size_t i = 0; i < K * 3; i++) w[i] = (double)(float)(cau_rng_real(&rng) - 0.5);

    for (size_t i = 0; i < LINES; i++) {
        double s[3] = {0};
        bool seen[2 * K] = {0};
        cau_strbuf_printf(&input, "g%zu\t", i);
        for (size_t j = cau_rng_below(&rng, 9); j-- > 0;) {
            size_t k = cau_rng_below(&rng, 2 * K);
            cau_strbuf_printf(&input, "w%zu ", k);
            for (size_t y = 0; k < K && !seen[k] && y < 3; y++) s[y] += w[3 * k + y];
            seen[k] = true;
        }
        size_t best = 0;
        for (size_t y = 1; y < 3; y++)
            if (s[y] > s[best]) best = y;
        cau_strbuf_printf(&input, "\n");
        cau_strbuf_printf(&want, "g%zu\t%c\n", i, "abc"[best]);
    }
    tiny parts = text_model;
    parts.names = names.s;
    parts.w = w;
    parts.bias = NULL;
    const cau_tag_options plain = {0};
    check(&parts, &plain, input.s, want.s);
    cau_strbuf_clear(&names);
    cau_strbuf_clear(&input);
    cau_strbuf_clear(&want);
}

/* An error late in the file: its line number counts from the start, and all sequences before it are
 * answered, at any number of threads. */
static void test_late_error(void **state)
{
    (void)state;
    const cau_tag_options plain = {0};
    cau_strbuf input = {0}, want = {0};
    for (size_t i = 0; i < LINES; i++) {
        cau_strbuf_printf(&input, i % 7 ? "x q c\n" : "\n");
        if (i <= 49994)
            cau_strbuf_printf(&want, i % 7 ? "x q c\ta\n" : "\n"); /* 49994 = 7 * 7142 */
        if (i == 49999) cau_strbuf_printf(&input, "x q q c\n");
    }
    caucus_ctx *ctx = test_ctx();
    for (unsigned threads = 1; threads < 5; threads++) {
        caucus_status st;
        char *got = tiny_tag(ctx, &columns_model, &plain, threads, input.s, &st);
        assert_fails(ctx, st, CAUCUS_ERR_FORMAT, "in.txt:50001: ");
        assert_string_equal(got, want.s);
        free(got);
    }
    cau_strbuf_clear(&input);
    cau_strbuf_clear(&want);
    caucus_ctx_free(ctx);
}

/* The number of columns changes exactly at a border of chunks: sequences have 8 bytes, so every
 * chunk whose size is a power of two ends with one. */
static void test_error_at_chunk_border(void **state)
{
    (void)state;
    const cau_tag_options plain = {0};
    caucus_ctx *ctx = test_ctx();
    for (size_t change = 512; change <= 32768; change += 512) {
        cau_strbuf input = {0};
        char message[40];
        for (size_t i = 0; i < 40000; i++)
            cau_strbuf_add(&input, i < change ? "xx q c\n\n" : "xxxx c\n\n", 8);
        snprintf(message, sizeof message, "in.txt:%zu: ", 2 * change + 1);
        caucus_status st;
        free(tiny_tag(ctx, &columns_model, &plain, 2, input.s, &st));
        assert_fails(ctx, st, CAUCUS_ERR_FORMAT, message);
        cau_strbuf_clear(&input);
    }
    caucus_ctx_free(ctx);
}

/* A byte-order mark begins the file; anywhere else it is part of the first word, also at the start
 * of a chunk. */
static void test_byte_order_mark(void **state)
{
    (void)state;
    tiny parts = text_model;
    parts.names = "x|\xEF\xBB\xBFx|z";
    const cau_tag_options plain = {0};
    cau_strbuf input = {0}, want = {0};
    for (size_t i = 0; i < LINES; i++) {
        cau_strbuf_printf(&input, "\xEF\xBB\xBFx\n");
        cau_strbuf_printf(&want, i ? "c\n" : "a\n");
    }
    check(&parts, &plain, input.s, want.s);
    cau_strbuf_clear(&input);
    cau_strbuf_clear(&want);
}

/* A note is given once, from the calling thread, with its line, however many chunks without
 * instances precede. */
static void test_notes(void **state)
{
    (void)state;
    static const size_t comments[] = {0, 30000};
    tiny parts = text_model;
    parts.names = "1|2|3";
    parts.read.format = CAU_FORMAT_SVMLIGHT;
    for (size_t c = 0; c < 2; c++) {
        cau_strbuf input = {0}, notes = {0};
        for (size_t i = 0; i < comments[c]; i++) cau_strbuf_printf(&input, "# nothing\n");
        for (size_t i = 0; i < LINES; i++) cau_strbuf_printf(&input, "1 qid:3 1:1\n");
        caucus_ctx *ctx = test_ctx();
        caucus_on_note(ctx, collect_note, &notes);
        const cau_tag_options plain = {0};
        caucus_status st;
        free(tiny_tag(ctx, &parts, &plain, 3, input.s, &st));
        assert_ok(ctx, st);
        char want[80];
        snprintf(want, sizeof want, "in.txt:%zu: qid is for ranking and is ignored\n",
                 comments[c] + 1);
        assert_true(notes.n >= strlen(want));
        assert_string_equal(notes.s + notes.n - strlen(want), want);
        assert_ptr_equal(strchr(notes.s, '\n'), notes.s + notes.n - 1);
        cau_strbuf_clear(&notes);
        cau_strbuf_clear(&input);
        caucus_ctx_free(ctx);
    }
}

/* ---- a pipe -------------------------------------------------------------------------- */

/* Answers are written before the next input is read: the writer of the pipe reads the answers, so
 * waiting for more input would block forever. */
static void test_answers_before_the_end(void **state)
{
    (void)state;
    static const char *const questions[] = {"z\n", "", "p\tx\n", "", "q\ty\nr\tz\n", NULL};
    check_conversation(&text_model, questions, "b\np\ta\nq\tc\nr\tb\n");
}

/* ---- memory -------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    cau_strbuf input = {0};
    for (size_t i = 0; i < 20000; i++) cau_strbuf_printf(&input, "gold%zu\tx y z\n", i);
    caucus_model *model = tiny_model(&text_model);
    tag_attempt r = {.ctx = test_ctx(),
                     .model = model,
                     .path = test_file("in.txt", input.s, input.n),
                     .options = {.top = 2}};
    assert_true(test_every_allocation(try_tag, &r) > 10);
    cau_strbuf_clear(&input);
    cau_model_free(model);
    caucus_ctx_free(r.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_other_format),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_late_error),
        cmocka_unit_test(test_error_at_chunk_border),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_answers_before_the_end),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
