/* damage_test.c - large models, used unverified after opening, and damaged ones. */

#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "base/thread.h"
#include "infer/apply.h"
#include "model/layout.h"
#include "support/apply_sample.h"
#include "support/label_sample.h"
#include "tag/tag.h"

enum { K = 20000, Y = 3, NAME = 12, LAST = K - 1 };

#define DAMAGED "the model is damaged (its checksum differs); copy it again or train it again"

static char names[K][NAME];

static cau_str name_of(const void *self, size_t k)
{
    (void)self;
    return (cau_str){names[k], strlen(names[k])};
}

static cau_str label_of(const void *self, size_t y)
{
    (void)self;
    return (cau_str){&"abc"[y], 1};
}

/* Feature wk belongs to label k % Y; with `packed` no other label has a weight. */
static caucus_model *large_model(caucus_ctx *ctx, cau_kind kind, bool packed)
{
    static double w[K][Y];
    static const double plain[Y * Y] = {.1};
    for (size_t k = 0; k < K; k++) {
        snprintf(names[k], NAME, "w%zu", k);
        for (size_t y = 0; y < Y; y++) w[k][y] = y == k % Y ? 1 : packed ? 0 : -1;
    }
    const bool chain = kind != CAU_KIND_MAXENT;
    const cau_model_parts parts = {
        .kind = kind,
        .Y = Y,
        .nodes = {.table = {.rows = K, .width = Y}, .w = *w, .name = name_of},
        .transitions = chain ? plain : NULL,
        .label = label_of,
        .read = {.format = chain ? CAU_FORMAT_CRFSUITE : CAU_FORMAT_TEXT, .ngrams = 1}};
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    return m;
}

/* The file of a model with changed bytes in the weights of its last row; `seal` corrects the
 * checksums. */
static const char *changed_file(const caucus_model *m, const void *bytes, size_t size, bool seal)
{
    const cau_observations *of = &m->nodes;
    const void *row = of->dense ? (const void *)(of->dense + LAST * of->width)
                                : (const void *)(of->packed + of->start[LAST]);
    char *copy = malloc(m->bytes);
    cau_model_header h;
    cau_model_layout l;
    memcpy(&h, m->image, sizeof h);
    assert_true(cau_model_lay_out(&h, &l));
    memcpy(copy, m->image, m->bytes);
    memcpy(copy + ((const char *)row - (const char *)m->image), bytes, size);
    if (seal) cau_model_seal(copy, &l);
    const char *path = test_file("changed.cau", copy, m->bytes);
    free(copy);
    return path;
}

/* Lines of two features, in sequences of ten; if `last`, the last line has the last feature. */
static const char *data(cau_kind kind, bool last)
{
    cau_strbuf text = {0};
    for (size_t i = 0; i < 4000; i++)
        cau_strbuf_printf(&text, kind == CAU_KIND_MAXENT ? "w%zu w%zu\n" : "g\tw%zu\tw%zu\n%s", i,
                          i * 7 % 3000, i % 10 == 9 ? "\n" : "");
    if (last) cau_strbuf_printf(&text, kind == CAU_KIND_MAXENT ? "w%d\n" : "g\tw%d\n", LAST);
    const char *path = test_file("data.txt", text.s, text.n);
    cau_strbuf_clear(&text);
    return path;
}

static caucus_status tag(caucus_ctx *ctx, const caucus_model *m, unsigned threads, const char *path,
                         cau_strbuf *out)
{
    const cau_tag_options options = {.chunk = threads > 1 ? 1000 : 0};
    out->n = 0;
    return cau_tag(ctx, m, &options, threads, path, into_text, out);
}

/* Opens a file and tags with it. The output equals that of a verified model, or stops before the
 * damaged row is used. */
static void check_tagging(const char *model, const char *path, const cau_strbuf *want,
                          const char *fault)
{
    caucus_ctx *ctx = test_ctx();
    for (unsigned threads = 1; threads < 5; threads++) {
        caucus_model *m = NULL;
        cau_strbuf got = {0};
        assert_ok(ctx, cau_model_open(ctx, model, &m));
        for (int again = 0; again < 2; again++) {
            const caucus_status st = tag(ctx, m, threads, path, &got);
            if (fault)
                assert_fails(ctx, st, CAUCUS_ERR_FORMAT, fault);
            else
                assert_ok(ctx, st);
            assert_true(fault ? got.n < want->n : got.n == want->n);
            if (got.n) assert_memory_equal(got.s, want->s, got.n);
        }
        cau_strbuf_clear(&got);
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

static void test_tag(void **state)
{
    (void)state;
    static const cau_kind kinds[] = {CAU_KIND_MAXENT, CAU_KIND_MEMM, CAU_KIND_CRF};
    const float nan = NAN;
    const cau_packed far = {1u << 30, 1};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < 6; i++) {
        const cau_kind kind = kinds[i / 2];
        const bool packed = i % 2;
        caucus_model *m = large_model(ctx, kind, packed);
        cau_strbuf want = {0};
        const char *path = data(kind, true);
        assert_ok(ctx, tag(ctx, m, 1, path, &want));
        check_tagging(test_file("right.cau", m->image, m->bytes), path, &want, NULL);
        check_tagging(changed_file(m, "x", 1, false), path, &want, DAMAGED);
        check_tagging(packed ? changed_file(m, &far, sizeof far, true)
                             : changed_file(m, &nan, sizeof nan, true),
                      path, &want, "contradicts itself");
        path = data(kind, false); /* the damaged row is not used */
        assert_ok(ctx, tag(ctx, m, 1, path, &want));
        check_tagging(changed_file(m, "x", 1, false), path, &want, NULL);
        cau_strbuf_clear(&want);
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

/* A row used in a sequence that was abandoned is still verified before the next use. */
static void test_abandoned_sequence(void **state)
{
    (void)state;
    const cau_packed far = {1u << 30, 1};
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = large_model(ctx, CAU_KIND_CRF, true), *back = NULL;
    cau_scorer scorer = {0};
    assert_ok(ctx, cau_model_open(ctx, changed_file(m, &far, sizeof far, true), &back));
    assert_ok(ctx, cau_scorer_init(ctx, &scorer, back));
    cau_strbuf lines = {0};
    cau_reader *reader = NULL;
    for (int line = 0; line < 2; line++) cau_strbuf_printf(&lines, "g\t%s\n", names[LAST]);
    assert_ok(ctx, cau_reader_memory(ctx, "lines", (cau_str){lines.s, lines.n},
                                     &(cau_read_options){.format = CAU_FORMAT_CRFSUITE},
                                     (int)back->base, &reader));
    for (int line = 0; line < 2; line++) {
        cau_read_event event;
        cau_instance in;
        cau_scorer_begin(&scorer);
        assert_ok(ctx, cau_model_intact(ctx, back));
        assert_ok(ctx, cau_reader_next(ctx, reader, &event, &in));
        assert_ok(ctx, cau_scorer_push(ctx, &scorer, reader, &in));
    }
    cau_reader_free(reader);
    cau_strbuf_clear(&lines);
    assert_fails(ctx, cau_model_intact(ctx, back), CAUCUS_ERR_FORMAT, "contradicts itself");
    cau_scorer_clear(&scorer);
    cau_model_free(back);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* Other uses of a model verify all of it first. */
static void test_other_uses(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = large_model(ctx, CAU_KIND_CRF, false), *back = NULL;
    const caucus_feature known = {"w1", 1};
    const sample_instance item = {&known, 1};
    uint32_t path = 77;
    double p[Y] = {77, 77, 77};
    assert_ok(ctx, cau_model_open(ctx, changed_file(m, "x", 1, false), &back));
    assert_fails(ctx, sample_label(ctx, back, &item, 1, &path, p, NULL, NULL), CAUCUS_ERR_FORMAT,
                 DAMAGED);
    assert_int_equal(sample_predict(ctx, back, &known, 1, p), CAUCUS_ERR_FORMAT);
    assert_true(path == 77 && p[0] == 77 && p[1] == 77 && p[2] == 77);
    const cau_inspect_options views[] = {{.top = 3}, {.explain = "g\tw1"}, {.dump = true}};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        assert_fails(ctx, cau_inspect(ctx, back, &views[i], 1, into_nothing, NULL),
                     CAUCUS_ERR_FORMAT, DAMAGED);
    const char *globs[] = {"w1"};
    const cau_tag_options drop = {.drop = {1, globs}};
    assert_fails(ctx, cau_tag(ctx, back, &drop, 1, data(CAU_KIND_CRF, false), into_nothing, NULL),
                 CAUCUS_ERR_FORMAT, DAMAGED);
    cau_model_free(back);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* ---- one model, many threads ---------------------------------------------------------- */

enum { RUNS = 8 };

typedef struct {
    const caucus_model *model;
    const char *path;
    cau_strbuf out[RUNS];
} damage_threads;

static caucus_status tag_in_threads(void *self, size_t block, unsigned worker)
{
    (void)worker;
    damage_threads *c = self;
    caucus_ctx ctx = {0};
    const caucus_feature known = {"w1", 1};
    double p[Y];
    caucus_status st = block % 2 ? sample_predict(&ctx, c->model, &known, 1, p) : CAUCUS_OK;
    return st ? st : tag(&ctx, c->model, 1, c->path, &c->out[block]);
}

static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int packed = 0; packed < 2; packed++) {
        caucus_model *m = large_model(ctx, CAU_KIND_CRF, packed), *back = NULL;
        assert_ok(ctx, cau_model_open(ctx, test_file("right.cau", m->image, m->bytes), &back));
        damage_threads c = {.model = back, .path = data(CAU_KIND_CRF, true)};
        assert_int_equal(cau_parallel(4, RUNS, tag_in_threads, &c), CAUCUS_OK);
        for (size_t i = 0; i < RUNS; i++) {
            assert_int_equal(c.out[i].n, c.out[0].n);
            assert_memory_equal(c.out[i].s, c.out[0].s, c.out[0].n);
            if (i) cau_strbuf_clear(&c.out[i]);
        }
        cau_strbuf_clear(&c.out[0]);
        cau_model_free(back);
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tag), cmocka_unit_test(test_abandoned_sequence),
        cmocka_unit_test(test_other_uses), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("tag/damage", tests, NULL, NULL);
}
