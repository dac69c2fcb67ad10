/* apply_set_test.c - compares a model applied to a data set with tagging the file of the set:
 * single models, pools, gated pools and stacks of every kind. */

#include "infer/apply.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/apply_sample.h"
#include "tag/tag.h"

enum { Y = 4, K = 8, E = 2, J = 3, LINES = 1500 };

/* The data has the words x, y, z, v, q and the labels a, b, c, e. The models lack q and e, and have
 * a label d. */
static const char template[] = "U:%x[0,0]\nU1:%x[-1,0]\nB:%x[0,0]\nB\n";
static const char names[] = "U:x|U:y|U:z|U:v|U1:x|U1:v|@out=a|@out=d";
static const char labels[] = "a|b|c|d";

typedef struct {
    double w[J + 1][K * Y], edge_w[J + 1][E * Y * Y], plain[J + 1][Y * Y], bias[J + 1][Y];
    double base[J], gate[K * J];
    cau_member_part member[J];
} set_weights;

static void weights_init(set_weights *m, cau_rng *rng)
{
    double *const all = (double *)m;
    for (size_t i = 0; i < offsetof(set_weights, member) / sizeof *all; i++)
        all[i] = (double)cau_rng_below(rng, 16385) / 4096 - 2;
    for (size_t j = 0; j < J; j++)
        m->member[j] = (cau_member_part){m->w[j], m->edge_w[j], m->plain[j], m->bias[j]};
}

/* Forms of a model. */
enum { SINGLE, PRODUCT, MIXTURE, CHAIN, GATED, STACK, FORMS };

static tiny form_of(const set_weights *m, cau_kind kind, int form)
{
    static const double alpha[] = {0.25, 0, 0.75}, one[] = {1};
    const bool chain = kind != CAU_KIND_MAXENT;
    tiny parts = {.kind = kind,
                  .names = names,
                  .labels = labels,
                  .w = m->w[J],
                  .edge_names = chain ? "B:x|B:v" : NULL,
                  .edge_w = m->edge_w[J],
                  .plain = chain ? m->plain[J] : NULL,
                  .bias = m->bias[J],
                  .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1},
                  .template = template,
                  .member = m->member};
    if (form == SINGLE) return parts;
    parts.pool = (cau_pool){.J = J, .combine = CAU_COMBINE_MIXTURE, .alpha = alpha};
    if (form == MIXTURE || form == GATED) parts.pool.per = CAU_PER_TRANSITION;
    if (form == PRODUCT) parts.pool.combine = CAU_COMBINE_PRODUCT;
    if (form == GATED) parts.gate_base = m->base, parts.gate = m->gate;
    if (form == STACK) parts.pool = (cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .alpha = one};
    return parts;
}

/* Members have transitions and edges if the model has them. */
static void fit_members(set_weights *m, cau_kind kind)
{
    for (size_t j = 0; j < J; j++) {
        m->member[j].transitions = kind == CAU_KIND_MAXENT ? NULL : m->plain[j];
        m->member[j].edges = kind == CAU_KIND_MAXENT ? NULL : m->edge_w[j];
    }
}

/* A file of sequences, some of them longer than a block. */
static const char *draw_file(cau_rng *rng)
{
    cau_strbuf text = {0};
    for (size_t i = 0; i < LINES; i++) {
        cau_strbuf_printf(&text, "%c %c\n", "xyzvq"[cau_rng_below(rng, 5)],
                          "abce"[cau_rng_below(rng, 4)]);
        if (cau_rng_below(rng, i < 1000 ? 6 : 300) == 0) cau_strbuf_printf(&text, "\n");
    }
    const char *path = test_file("set.txt", text.s, text.n);
    cau_strbuf_clear(&text);
    return path;
}

static caucus_data *read_data(const char *path)
{
    caucus_ctx *ctx = test_ctx();
    cau_data_options options = {.read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1},
                                .template = test_text("template", template),
                                .test = path};
    const char *train = test_text("train.txt", "x a\ny b\nz c\nv e\nq a\n\nq b\nx e\nv c\n");
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_read(ctx, &options, &train, 1, &data));
    caucus_ctx_free(ctx);
    return data;
}

/* The output of tagging, line by line: labels as numbers of the data, and p(general). */
static void tag(const caucus_model *model, const char *path, const caucus_data *data,
                uint32_t *said, double *general)
{
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    const bool gated = model->gate.base != NULL;
    const cau_tag_options options = {.domain = gated};
    assert_ok(ctx, cau_tag(ctx, model, &options, 1, path, into_text, &out));
    size_t n = 0;
    for (const char *line = out.s; *line; line += strcspn(line, "\n") + 1) {
        const char *label = strchr(line, '\t');
        if (*line == '\n') continue;
        assert_true(n < LINES && label);
        said[n] = cau_alphabet_find(data->labels, label + 1, 1);
        general[n] = 1;
        if (gated) assert_int_equal(sscanf(label + 2, "\t%lf", &general[n]), 1);
        n++;
    }
    assert_int_equal(n, LINES);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* Returns the number of labels that the data lacks. */
static size_t check(const caucus_model *model, const caucus_data *data, const char *path)
{
    caucus_ctx *ctx = test_ctx();
    static uint32_t want[LINES], got[LINES];
    static double general[LINES], said[LINES], first[LINES];
    tag(model, path, data, want, general);
    size_t unknown = 0;
    for (size_t i = 0; i < LINES; i++) unknown += want[i] == CAU_UNKNOWN;
    for (unsigned threads = 0; threads < 4; threads++) {
        memset(got, 0, sizeof got);
        assert_ok(ctx, cau_apply_set(ctx, model, data, &data->test, threads, got, said));
        assert_memory_equal(got, want, sizeof got);
        for (size_t i = 0; i < LINES; i++) assert_near(said[i], general[i], 1e-8);
        if (threads == 0) memcpy(first, said, sizeof first);
        assert_memory_equal(said, first, sizeof first);
    }
    memset(got, 0, sizeof got);
    assert_ok(ctx, cau_apply_set(ctx, model, data, &data->test, 2, got, NULL));
    assert_memory_equal(got, want, sizeof got);
    caucus_ctx_free(ctx);
    return unknown;
}

static void test_like_tagging(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 81);
    set_weights m;
    const char *path = draw_file(&rng);
    caucus_data *data = read_data(path);
    size_t unknown = 0;
    assert_int_equal(data->test.N, LINES);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++)
        for (int form = 0; form < FORMS; form++) {
            weights_init(&m, &rng);
            fit_members(&m, kind);
            const tiny parts = form_of(&m, kind, form);
            caucus_model *model = tiny_model(&parts);
            unknown += check(model, data, path);
            cau_model_free(model);
        }
    assert_true(unknown > LINES && unknown < 10 * LINES); /* of 18 LINES */
    cau_data_free(data);
}

/* Values, instances without sequences, and a set from memory. */
static void test_values(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(&text_model);
    caucus_data *data = NULL;
    const caucus_feature features[] = {{"x", -3}, {"z", 0.5}, {"none", 9}};
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    assert_ok(ctx, cau_data_add(ctx, data, "a", 1, features, 1));
    assert_ok(ctx, cau_data_add(ctx, data, "b", 1, features + 1, 2));
    assert_ok(ctx, cau_data_add(ctx, data, "a", 1, NULL, 0));
    assert_ok(ctx, cau_data_close(ctx, data));
    uint32_t got[3];
    double general[3];
    assert_ok(ctx, cau_apply_set(ctx, model, data, &data->train, 1, got, general));
    assert_int_equal(got[0], 1); /* -3 x: a -2.875, b 1.5, c -1 */
    assert_int_equal(got[1], 1); /* 0.5 z: a 0.125, b 1.5, c -0.75 */
    assert_int_equal(got[2], 0); /* only the intercepts */
    for (size_t i = 0; i < 3; i++) assert_near(general[i], 1, 0);
    assert_ok(ctx, cau_apply_set(ctx, model, data, &data->dev, 1, NULL, NULL)); /* no instances */

    const tiny apart = {.names = "x", .labels = "a|b", .w = tiny_w, .apart = true};
    caucus_model *explicit = tiny_model(&apart);
    assert_fails(ctx, cau_apply_set(ctx, explicit, data, &data->train, 1, got, NULL),
                 CAUCUS_ERR_ARGUMENT, "each class apart");
    cau_model_free(explicit);
    cau_model_free(model);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------- */

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
    const caucus_data *data;
} apply_set_run;

static caucus_status run(void *self)
{
    const apply_set_run *r = self;
    static uint32_t got[LINES];
    static double general[LINES];
    return cau_apply_set(r->ctx, r->model, r->data, &r->data->train, 1, got, general);
}

static void test_memory(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 82);
    set_weights m;
    weights_init(&m, &rng);
    caucus_data *data = read_data(test_text("empty.txt", "x a\n"));
    apply_set_run r = {.ctx = test_ctx(), .data = data};
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++)
        for (int form = 0; form < FORMS; form++) {
            fit_members(&m, kind);
            const tiny parts = form_of(&m, kind, form);
            caucus_model *model = tiny_model(&parts);
            r.model = model;
            assert_true(test_every_allocation(run, &r) > 8);
            cau_model_free(model);
        }
    cau_data_free(data);
    caucus_ctx_free(r.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_tagging),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
