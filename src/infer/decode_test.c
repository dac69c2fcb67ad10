/* decode_test.c - compares decoding with the list of all labellings, for CRFs and MEMMs, with plain
 * transitions and edge features, under every kind of constraint. */

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "infer/apply.h"
#include "support/apply_sample.h"
#include "support/label_sample.h"
#include "support/paths.h"

enum { Y_MAX = 5, NBEST = 7 };

/* Each scheme below forbids some transitions between these labels. */
static const char *const label_sets[] = {"O|B-X|I-X", "B-X|I-X|O|B-Y|I-Y", "O|S-X|B-X|E-X|I-X"};
static const cau_scheme_name schemes[] = {CAU_SCHEME_IOB2, CAU_SCHEME_IOB1, CAU_SCHEME_IOBES};

static const double zeros[64] = {0};

/* A sequence with random scores, and a model with the same transitions, as floats, as in a file. */
typedef struct {
    scored_sequence q;
    double s[LENGTH_MAX * Y_MAX], plain[Y_MAX * Y_MAX], own[LENGTH_MAX * Y_MAX * Y_MAX];
    uint32_t gold[LENGTH_MAX]; /* forced labels */
    size_t start[LENGTH_MAX + 1];
    uint32_t set[LENGTH_MAX * Y_MAX];
    cau_label_sets sets;
    caucus_model *model;
    cau_scheme_constraints scheme;
    bool use_scheme, use_given;
} decode_case;

static double number(cau_rng *rng)
{
    return (double)(float)(4 * cau_rng_real(rng) - 2);
}

static void case_init(caucus_ctx *ctx, cau_rng *rng, decode_case *x, size_t kind,
                      cau_kind model_kind, size_t T)
{
    memset(x, 0, sizeof *x);
    const size_t Y = tiny_count(label_sets[kind]);
    for (size_t i = 0; i < T * Y; i++) x->s[i] = number(rng);
    for (size_t i = 0; i < Y * Y; i++) x->plain[i] = number(rng);
    for (size_t i = 0; i < T * Y * Y; i++) x->own[i] = number(rng);
    const bool own = cau_rng_below(rng, 2), plain = !own || cau_rng_below(rng, 2);
    x->q = (scored_sequence){model_kind, T, Y, x->s, plain ? x->plain : NULL, own ? x->own : NULL};
    const tiny parts = {.kind = model_kind,
                        .names = "",
                        .labels = label_sets[kind],
                        .w = zeros,
                        .plain = x->q.plain,
                        .read = {.format = CAU_FORMAT_CRFSUITE}};
    x->model = tiny_model(&parts);
    x->use_scheme = cau_rng_below(rng, 2);
    x->use_given = cau_rng_below(rng, 2);
    assert_ok(ctx, cau_scheme_constraints_init(ctx, &x->scheme, x->model,
                                               x->use_scheme ? schemes[kind] : CAU_SCHEME_NONE));

    x->sets = (cau_label_sets){.start = x->start, .label = x->set};
    for (size_t t = 0; t < T; t++) {
        x->gold[t] = CAU_UNKNOWN;
        const size_t which = cau_rng_below(rng, 4);
        if (which == 0) x->gold[t] = (uint32_t)cau_rng_below(rng, Y);
        if (which != 1) continue;
        x->gold[t] = CAU_SET + (uint32_t)x->sets.count;
        size_t end = x->start[x->sets.count];
        const size_t without = cau_rng_below(rng, Y);
        for (uint32_t y = 0; y < Y; y++)
            if (y != without) x->set[end++] = y;
        x->start[++x->sets.count] = end;
    }
}

static void case_clear(decode_case *x)
{
    cau_scheme_constraints_clear(&x->scheme);
    cau_model_free(x->model);
}

static bool allowed(const void *self, const uint32_t *y)
{
    const decode_case *x = self;
    const size_t T = x->q.T, Y = x->q.Y;
    if (x->use_scheme && (x->scheme.first[y[0]] < 0 || x->scheme.last[y[T - 1]] < 0)) return false;
    for (size_t t = 0; t < T; t++) {
        if (x->use_scheme && t && x->scheme.edge[y[t - 1] * Y + y[t]] < 0) return false;
        if (!x->use_given || x->gold[t] == CAU_UNKNOWN) continue;
        bool found = x->gold[t] == y[t];
        if (x->gold[t] >= CAU_SET)
            for (size_t i = x->start[x->gold[t] - CAU_SET]; i < x->start[x->gold[t] - CAU_SET + 1];
                 i++)
                found |= x->set[i] == y[t];
        if (!found) return false;
    }
    return true;
}

static cau_scores scores_of(const decode_case *x)
{
    return (cau_scores){.s = (double *)x->s, .edge_scores = (double *)x->q.own};
}

static caucus_status decode(caucus_ctx *ctx, const decode_case *x, cau_decode_options how,
                            cau_decoded *out)
{
    caucus_status st;
    cau_decoder decoder = {0};
    how.scheme = &x->scheme;
    const cau_forced_labels forced = {.gold = (uint32_t *)x->gold, .sets = x->sets};
    const cau_scores scores = scores_of(x);
    st = cau_decoder_init(ctx, &decoder, x->model, &how);
    if (!st) st = cau_decoded_init(ctx, out, &decoder);
    if (!st) st = cau_decode(&decoder, out, x->q.T, &scores, NULL, x->use_given ? &forced : NULL);
    cau_decoder_clear(&decoder);
    return st;
}

/* ---- checks -------------------------------------------------------------------------- */

static void check_marginals(const all_paths *all, const cau_decoded *d)
{
    for (size_t t = 0; t < all->T; t++)
        for (uint32_t y = 0; y < all->Y; y++)
            assert_near(d->marginal[t * all->Y + y], marginal_of(all, t, y), 1e-9);
}

static void check_segments(const decode_case *x, const all_paths *all, const cau_decoded *d)
{
    for (size_t i = 0; i < d->count; i++)
        for (size_t t = 0; t < all->T; t++) {
            const uint32_t *path = d->path + i * all->T;
            const size_t end = cau_scheme_constraints_segment(&x->scheme, path, all->T, t);
            const double p = end == t ? -1 : probability_of(all, path, t, end);
            assert_near(d->segment[i * all->T + t], p, 1e-9);
        }
}

static void check_best(caucus_ctx *ctx, const decode_case *x, const all_paths *all)
{
    cau_decoded d = {0};
    assert_ok(ctx, decode(ctx, x, (cau_decode_options){0}, &d));
    assert_int_equal(d.count, 1);
    assert_memory_equal(d.path, all->path[0].y, all->T * sizeof *d.path);
    assert_near(d.score, all->path[0].score, 1e-9);
    cau_decoded_clear(&d);
}

static void check_all(caucus_ctx *ctx, const decode_case *x, const all_paths *all)
{
    cau_decoded d = {0};
    const cau_decode_options how = {
        .nbest = NBEST, .marginals = true, .probability = true, .segments = true};
    assert_ok(ctx, decode(ctx, x, how, &d));
    assert_int_equal(d.count, all->count < NBEST ? all->count : NBEST);
    assert_near(d.logz, all->logz, 1e-9);
    for (size_t i = 0; i < d.count; i++) {
        assert_memory_equal(d.path + i * all->T, all->path[i].y, all->T * sizeof *d.path);
        assert_near(d.probability[i], all->path[i].p, 1e-9);
    }
    check_marginals(all, &d);
    check_segments(x, all, &d);
    cau_decoded_clear(&d);
}

/* The legal labelling with the largest product of marginals; without a scheme, the largest marginal
 * at each position. */
static void check_posterior(caucus_ctx *ctx, const decode_case *x, const all_paths *all)
{
    cau_decoded d = {0};
    const cau_decode_options how = {
        .rule = CAU_DECODE_POSTERIOR, .probability = true, .segments = true};
    assert_ok(ctx, decode(ctx, x, how, &d));
    scored_sequence free_q = x->q;
    free_q.kind = CAU_KIND_CRF;
    decode_case legal = *x;
    legal.use_given = false;
    all_paths *paths = list_paths(&free_q, allowed, &legal);
    double most = -1;
    const uint32_t *best = NULL;
    for (size_t n = 0; n < paths->count; n++) {
        double product = 1;
        for (size_t t = 0; t < all->T; t++) product *= marginal_of(all, t, paths->path[n].y[t]);
        if (product > most) most = product, best = paths->path[n].y;
    }
    assert_non_null(best);
    assert_memory_equal(d.path, best, all->T * sizeof *d.path);
    assert_near(d.probability[0], probability_of(all, d.path, 0, all->T), 1e-9);
    check_segments(x, all, &d);
    free(paths);
    cau_decoded_clear(&d);
}

static void test_against_all_labellings(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 11);
    size_t impossible = 0, checked = 0;
    for (int round = 0; round < 300; round++) {
        decode_case x;
        const size_t kind = cau_rng_below(&rng, 3);
        const size_t T = 1 + cau_rng_below(&rng, kind ? 4 : 5);
        case_init(ctx, &rng, &x, kind, round % 2 ? CAU_KIND_CRF : CAU_KIND_MEMM, T);
        all_paths *all = list_paths(&x.q, allowed, &x);
        if (all->count) {
            check_best(ctx, &x, all);
            check_all(ctx, &x, all);
            check_posterior(ctx, &x, all);
            checked++;
        } else {
            cau_decoded d = {0};
            assert_int_equal(decode(ctx, &x, (cau_decode_options){0}, &d), CAUCUS_ERR_NUMERIC);
            cau_decoded_clear(&d);
            impossible++;
        }
        free(all);
        case_clear(&x);
    }
    assert_true(impossible > 5 && checked > 200);
    caucus_ctx_free(ctx);
}

/* The same workspace decodes sequences of different lengths. */
static void test_workspace_is_reused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 12);
    decode_case x;
    case_init(ctx, &rng, &x, 1, CAU_KIND_CRF, 5);
    const cau_decode_options how = {.marginals = true, .scheme = &x.scheme};
    cau_decoder decoder = {0};
    cau_decoded d = {0};
    assert_ok(ctx, cau_decoder_init(ctx, &decoder, x.model, &how));
    assert_ok(ctx, cau_decoded_init(ctx, &d, &decoder));
    static const size_t lengths[] = {2, 5, 1, 4, 5, 3};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        scored_sequence q = x.q;
        q.T = lengths[i];
        x.use_given = false;
        decode_case cut = x;
        cut.q = q;
        const cau_scores scores = scores_of(&x);
        assert_int_equal(cau_decode(&decoder, &d, q.T, &scores, NULL, NULL), CAUCUS_OK);
        all_paths *all = list_paths(&q, allowed, &cut);
        check_marginals(all, &d);
        free(all);
    }
    cau_decoded_clear(&d);
    cau_decoder_clear(&decoder);
    case_clear(&x);
    caucus_ctx_free(ctx);
}

/* ---- from memory --------------------------------------------------------------------- */

static const double w[] = {1, -0.5, 0.25, -2, 0.5, 1.5}, bias[] = {0.125, 0, -0.25};
static const double plain[] = {0.5, -1, 0.25, 0, 0.75, -0.5, -0.25, 1, 0};
static const double edge_w[] = {0, 1, -1, 2, 0.5, 0, -0.5, 0, 0.25};
static const tiny both = {.kind = CAU_KIND_CRF,
                          .names = "x|y",
                          .labels = "a|b|c",
                          .w = w,
                          .bias = bias,
                          .edge_names = "x",
                          .edge_w = edge_w,
                          .plain = plain,
                          .read = {.format = CAU_FORMAT_CRFSUITE}};

static void test_label(void **state)
{
    (void)state;
    const caucus_feature first[] = {{"x", 1}}, second[] = {{"y", 0.5}, {"x", 2}, {"none", 7}};
    const sample_instance items[] = {{first, 1}, {second, 3}, {NULL, 0}};
    caucus_ctx *ctx = test_ctx();
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++) {
        tiny parts = both;
        parts.kind = kind;
        if (kind == CAU_KIND_MAXENT) parts.edge_names = NULL, parts.plain = NULL;
        caucus_model *model = tiny_model(&parts);
        double s[9], own[27] = {0};
        for (size_t y = 0; y < 3; y++) {
            s[y] = bias[y] + w[y];
            s[3 + y] = bias[y] + 0.5 * w[3 + y] + 2 * w[y];
            s[6 + y] = bias[y];
        }
        for (size_t c = 0; c < 9; c++) own[9 + c] = 2 * edge_w[c];
        const scored_sequence q = {kind, 3, 3, s, parts.plain, parts.edge_names ? own : NULL};
        all_paths *all = list_paths(&q, NULL, NULL);
        uint32_t path[3];
        double marginal[9], score, logz;
        assert_ok(ctx, sample_label(ctx, model, items, 3, path, marginal, &score, &logz));
        assert_memory_equal(path, all->path[0].y, sizeof path);
        assert_near(exp(score - logz), all->path[0].p, 1e-9);
        for (size_t t = 0; t < 3; t++)
            for (uint32_t y = 0; y < 3; y++)
                assert_near(marginal[3 * t + y], marginal_of(all, t, y), 1e-9);
        uint32_t again[3];
        assert_ok(ctx, sample_label(ctx, model, items, 3, again, NULL, NULL, NULL));
        assert_memory_equal(path, again, sizeof path);
        free(all);

        const caucus_feature wrong[] = {{"x", NAN}};
        const sample_instance bad = {wrong, 1};
        assert_fails(ctx, sample_label(ctx, model, &bad, 1, path, NULL, NULL, NULL),
                     CAUCUS_ERR_ARGUMENT, "not finite");
        cau_model_free(model);
    }
    const tiny apart = {.names = "x", .labels = "0|1", .w = w, .apart = true};
    caucus_model *model = tiny_model(&apart);
    uint32_t path[3];
    assert_fails(ctx, sample_label(ctx, model, items, 3, path, NULL, NULL, NULL),
                 CAUCUS_ERR_ARGUMENT, "each class apart");
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------- */

typedef struct {
    caucus_ctx *ctx;
    const decode_case *x;
    const caucus_model *model;
} decode_run;

static caucus_status run(void *self)
{
    const decode_run *r = self;
    cau_decoded d = {0};
    const cau_decode_options how = {
        .nbest = NBEST, .marginals = true, .probability = true, .segments = true};
    caucus_status st = decode(r->ctx, r->x, how, &d);
    cau_decoded_clear(&d);
    const cau_decode_options posterior = {.rule = CAU_DECODE_POSTERIOR};
    if (!st) st = decode(r->ctx, r->x, posterior, &d);
    cau_decoded_clear(&d);
    const caucus_feature features[] = {{"x", 1}};
    const sample_instance items[] = {{features, 1}, {features, 1}};
    uint32_t path[2];
    double marginal[6];
    if (!st) st = sample_label(r->ctx, r->model, items, 2, path, marginal, NULL, NULL);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 13);
    caucus_model *model = tiny_model(&both);
    decode_run r = {.ctx = test_ctx(), .model = model};
    decode_case x;
    r.x = &x;
    do { /* one with all kinds of constraints */
        case_init(r.ctx, &rng, &x, 1, CAU_KIND_MEMM, 4);
        all_paths *all = list_paths(&x.q, allowed, &x);
        const size_t count = all->count;
        free(all);
        if (x.use_scheme && x.use_given && x.q.own && count) break;
        case_clear(&x);
    } while (true);
    assert_true(test_every_allocation(run, &r) > 20);
    case_clear(&x);
    cau_model_free(model);
    caucus_ctx_free(r.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_labellings),
        cmocka_unit_test(test_workspace_is_reused),
        cmocka_unit_test(test_label),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
