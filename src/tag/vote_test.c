/* vote_test.c - pools as models: mixtures of MaxEnt models by definition, pools that equal one
 * weight table, single instances and sequences from memory. tag_output_test.c tests pools of
 * sequence models. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "infer/apply.h"
#include "support/label_sample.h"
#include "support/paths.h"
#include "support/tag_sample.h"

enum { Y = 3, K = 4, LINES = 40 };

static const char names[] = "x|y|z|v", labels[] = "a|b|c";

/* Members with features x, y, z, v; x and v also have edge weights. */
typedef struct {
    double w[VOTERS_MAX][K * Y], edge_w[VOTERS_MAX][2 * Y * Y];
    double plain[VOTERS_MAX][Y * Y], bias[VOTERS_MAX][Y];
    cau_member_part member[VOTERS_MAX];
} vote_members;

static void vote_members_init(vote_members *m, cau_rng *rng)
{
    static const size_t counts[] = {K * Y, 2 * Y * Y, Y * Y, Y};
    for (size_t j = 0; j < VOTERS_MAX; j++) {
        double *const weights[] = {m->w[j], m->edge_w[j], m->plain[j], m->bias[j]};
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < counts[i]; k++) /* floats, as are their sums */
                weights[i][k] = (double)cau_rng_below(rng, 16385) / 4096 - 2;
        m->member[j] = (cau_member_part){m->w[j], m->edge_w[j], m->plain[j], m->bias[j]};
    }
}

static tiny pool_of(const vote_members *m, cau_kind kind, cau_pool pool)
{
    tiny parts = {.kind = kind,
                  .names = names,
                  .labels = labels,
                  .read = {.format = CAU_FORMAT_CRFSUITE},
                  .pool = pool,
                  .member = m->member};
    if (kind != CAU_KIND_MAXENT) parts.edge_names = "x|v";
    return parts;
}

static const double two[] = {0.75, 0.25}, three[] = {0.25, 0.5, 0.25};

/* Every way to combine J members. */
static cau_pool way(size_t i, size_t J)
{
    static const cau_pool ways[] = {
        {.combine = CAU_COMBINE_PRODUCT, .per = CAU_PER_SEQUENCE},
        {.combine = CAU_COMBINE_PRODUCT, .per = CAU_PER_TRANSITION},
        {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_TRANSITION},
        {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_CHAIN},
        {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_POSTERIOR},
        {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_RESCORE},
        {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_EXACT},
    };
    cau_pool pool = ways[i];
    pool.J = J;
    pool.alpha = J == 2 ? two : three;
    return pool;
}
enum { PRODUCTS = 2, WAYS = 7 };

/* ---- tagging ------------------------------------------------------------------------- */

static void check(const tiny *parts, const cau_tag_options *options, const char *input,
                  const char *want)
{
    char *got = tiny_tagged_alike(parts, *options, input);
    assert_string_equal(got, want);
    free(got);
}

/* "label TAB class" and all probabilities p [Y]. */
static void add_answer(cau_strbuf *out, const double *p)
{
    size_t best = 0;
    for (size_t y = 1; y < Y; y++)
        if (p[y] > p[best]) best = y;
    cau_strbuf_printf(out, "0\t%c", "abc"[best]);
    for (size_t y = 0; y < Y; y++) cau_strbuf_printf(out, "\t%c:%.9g", "abc"[y], p[y]);
    cau_strbuf_printf(out, "\n");
}

static void softmax(double *s)
{
    double z = 0;
    for (size_t y = 0; y < Y; y++) z += exp(s[y]);
    for (size_t y = 0; y < Y; y++) s[y] = exp(s[y]) / z;
}

/* The probabilities of a MaxEnt pool for features with values [K]. */
static void vote(const vote_members *m, const cau_pool *pool, const double *value, double *p)
{
    double product[Y] = {0}, mixture[Y] = {0}, sum = 0;
    for (size_t j = 0; j < pool->J; j++) sum += pool->alpha[j];
    for (size_t j = 0; j < pool->J; j++) {
        double q[Y];
        memcpy(q, m->bias[j], sizeof q);
        for (size_t k = 0; k < K; k++)
            for (size_t y = 0; y < Y; y++) q[y] += value[k] * m->w[j][k * Y + y];
        softmax(q);
        for (size_t y = 0; y < Y; y++) {
            product[y] += pool->alpha[j] * log(q[y]);
            mixture[y] += pool->alpha[j] / sum * q[y];
        }
    }
    softmax(product);
    memcpy(p, pool->combine == CAU_COMBINE_PRODUCT ? product : mixture, Y * sizeof *p);
}

/* All combinations, on lines of features with values. MaxEnt pools have no sequences, so there is
 * one kind of product and one of mixture. */
static void test_maxent(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 31);
    vote_members m;
    vote_members_init(&m, &rng);
    const cau_tag_options options = {.probabilities = true};
    for (size_t i = 0; i < WAYS; i++)
        for (size_t J = 2; J <= VOTERS_MAX; J++) {
            const cau_pool pool = way(i, J);
            cau_strbuf input = {0}, want = {0};
            for (size_t line = 0; line < LINES; line++) {
                double value[K], p[Y];
                cau_strbuf_printf(&input, "0");
                for (size_t k = 0; k < K; k++) {
                    value[k] = (double)cau_rng_below(&rng, 9) / 4 - 1;
                    if (value[k] != 0) cau_strbuf_printf(&input, "\t%c:%g", "xyzv"[k], value[k]);
                }
                vote(&m, &pool, value, p);
                cau_strbuf_printf(&input, "\tunknown:3\n");
                add_answer(&want, p);
            }
            const tiny parts = pool_of(&m, CAU_KIND_MAXENT, pool);
            check(&parts, &options, input.s, want.s);
            cau_strbuf_clear(&input);
            cau_strbuf_clear(&want);
        }
}

/* An explicit feature has one weight, and each class has its own features. */
static void test_explicit(void **state)
{
    (void)state;
    static const double w[2][2] = {{1, -2}, {-1.5, 0.5}};
    static const cau_member_part member[] = {{.nodes = w[0]}, {.nodes = w[1]}};
    tiny parts = {.names = "f|g",
                  .labels = "0|1|2",
                  .apart = true,
                  .read = {.format = CAU_FORMAT_MEGAM},
                  .pool = way(3, 2),
                  .member = member};
    double p[Y] = {0};
    for (size_t j = 0; j < 2; j++) { /* 0 has f and g, 1 has g, 2 has only unknown features */
        double q[Y] = {w[j][0] + w[j][1], w[j][1], 0};
        softmax(q);
        for (size_t y = 0; y < Y; y++) p[y] += two[j] * q[y];
    }
    char want[200];
    snprintf(want, sizeof want, "1\t2\t0:%.9g\t1:%.9g\t2:%.9g\n", p[0], p[1], p[2]);
    assert_true(p[2] > p[0] && p[2] > p[1]);
    const cau_tag_options options = {.probabilities = true};
    check(&parts, &options, "1 # f g # g # h\n", want);
}

static const char sequences[] = "a\tx\tz\nb\ty\nc\tv:2\tx\n\na\tz\n\nb\tv\nb\tx:-1\tw\na\n";

/* A pool that collapses gives the bytes of the model with the summed weights. */
static void test_collapse(void **state)
{
    (void)state;
    static const cau_tag_options options[] = {{.probabilities = true},
                                              {.nbest = 5, .label_probability = true},
                                              {.scheme = CAU_SCHEME_NONE, .decode = 1, .top = 2}};
    cau_rng rng;
    cau_rng_init(&rng, 32);
    vote_members m;
    vote_members_init(&m, &rng);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++)
        for (size_t i = 0; i < PRODUCTS && (i == 0 || kind == CAU_KIND_MAXENT); i++)
            for (size_t o = 0; o < (kind == CAU_KIND_MAXENT ? 1 : 3); o++) {
                const tiny parts = pool_of(&m, kind, way(i, 3));
                double *sum[] = {tiny_sum(&parts, K * Y, offsetof(cau_member_part, nodes)),
                                 tiny_sum(&parts, 2 * Y * Y, offsetof(cau_member_part, edges)),
                                 tiny_sum(&parts, Y * Y, offsetof(cau_member_part, transitions)),
                                 tiny_sum(&parts, Y, offsetof(cau_member_part, bias))};
                tiny single = parts;
                single.pool = (cau_pool){0};
                single.w = sum[0], single.edge_w = sum[1];
                single.plain = sum[2], single.bias = sum[3];
                char *want = tiny_tagged(&single, &options[o], 1, sequences);
                check(&parts, &options[o], sequences, want);
                free(want);
                for (size_t k = 0; k < 4; k++) free(sum[k]);
            }
}

/* A pool of one member equals that member, also if its weight is not 1. */
static void test_one_member(void **state)
{
    (void)state;
    static const double alpha[] = {0.5};
    const cau_tag_options options = {.probabilities = true};
    cau_rng rng;
    cau_rng_init(&rng, 33);
    vote_members m;
    vote_members_init(&m, &rng);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++)
        for (size_t i = PRODUCTS; i < WAYS; i++) {
            cau_pool pool = way(i, 1);
            pool.alpha = alpha;
            const tiny parts = pool_of(&m, kind, pool);
            tiny single = parts;
            single.pool = (cau_pool){0};
            single.w = m.w[0], single.edge_w = m.edge_w[0];
            single.plain = m.plain[0], single.bias = m.bias[0];
            char *want = tiny_tagged(&single, &options, 1, sequences);
            check(&parts, &options, sequences, want);
            free(want);
        }
}

/* ---- from memory --------------------------------------------------------------------- */

static const caucus_feature first[] = {{"x", 1}}, second[] = {{"y", 0.5}, {"v", 2}, {"none", 7}};
static const sample_instance items[] = {{first, 1}, {second, 3}, {NULL, 0}};

/* The scores of these items by member j. */
static scored_sequence score_items(const vote_members *m, cau_kind kind, size_t j, double *s,
                                   double *own)
{
    memset(own, 0, 3 * Y * Y * sizeof *own);
    for (size_t y = 0; y < Y; y++) {
        s[y] = m->bias[j][y] + m->w[j][y];
        s[Y + y] = m->bias[j][y] + 0.5 * m->w[j][Y + y] + 2 * m->w[j][3 * Y + y];
        s[2 * Y + y] = m->bias[j][y];
    }
    for (size_t c = 0; c < Y * Y; c++) own[Y * Y + c] = 2 * m->edge_w[j][Y * Y + c];
    return (scored_sequence){kind, 3, Y, s, m->plain[j], own};
}

static void test_label(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 34);
    for (size_t round = 0; round < 4 * WAYS; round++)
        for (cau_kind kind = CAU_KIND_MEMM; kind <= CAU_KIND_CRF; kind++) {
            vote_members m;
            vote_members_init(&m, &rng);
            const cau_pool pool = way(round % WAYS, 2 + round / WAYS % 2);
            if (cau_pool_collapses(&pool)) continue;
            const tiny parts = pool_of(&m, kind, pool);
            caucus_model *model = tiny_model(&parts);
            double s[VOTERS_MAX][3 * Y], own[VOTERS_MAX][3 * Y * Y];
            scored_sequence q[VOTERS_MAX];
            for (size_t j = 0; j < pool.J; j++) q[j] = score_items(&m, kind, j, s[j], own[j]);
            all_paths *all = list_votes(&pool, q, NULL, NULL);
            all_paths *best = pool.mix == CAU_MIX_RESCORE ? list_rescored(&pool, q, 8)
                              : pool.mix == CAU_MIX_EXACT ? list_mixture(&pool, q, NULL, NULL)
                                                          : all;
            uint32_t path[3], again[3];
            double marginal[3 * Y], score, logz;
            assert_ok(ctx, sample_label(ctx, model, items, 3, path, marginal, &score, &logz));
            assert_memory_equal(path, best->path[0].y, sizeof path);
            assert_near(exp(score - logz), best->path[0].p, 1e-9);
            for (size_t t = 0; t < 3; t++)
                for (uint32_t y = 0; y < Y; y++)
                    assert_near(marginal[t * Y + y], marginal_of(all, t, y), 1e-9);
            assert_ok(ctx, sample_label(ctx, model, items, 3, again, NULL, NULL, NULL));
            assert_memory_equal(path, again, sizeof path);
            if (best != all) free(best);
            free(all);
            cau_model_free(model);
        }
    caucus_ctx_free(ctx);
}

/* A single instance equals a sequence of length one, for every model and pool. */
static void test_predict(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 35);
    vote_members m;
    vote_members_init(&m, &rng);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++)
        for (size_t i = 0; i < WAYS; i++) {
            const cau_pool pool = way(i, 3);
            const tiny parts = pool_of(&m, kind, pool);
            caucus_model *model = tiny_model(&parts);
            const double value[K] = {0, 0.5, 0, 2};
            double p[Y], want[Y], marginal[Y];
            uint32_t y;
            vote(&m, &pool, value, want);
            assert_ok(ctx, sample_predict(ctx, model, second, 3, p));
            assert_ok(ctx, sample_label(ctx, model, &items[1], 1, &y, marginal, NULL, NULL));
            for (size_t k = 0; k < Y; k++) {
                assert_near(p[k], want[k], 1e-9);
                assert_near(marginal[k], want[k], 1e-9);
            }
            static const double wrong[] = {NAN, INFINITY, 1e300};
            for (size_t k = 0; k < 3; k++) {
                const caucus_feature bad[] = {{"x", 1}, {"y", wrong[k]}};
                memcpy(p, want, sizeof p);
                assert_int_equal(sample_predict(ctx, model, bad, 2, p), CAUCUS_ERR_ARGUMENT);
                assert_memory_equal(p, want, sizeof p);
            }
            cau_model_free(model);
        }
    const tiny apart = {.names = "x", .labels = "0|1", .w = m.w[0], .apart = true};
    caucus_model *model = tiny_model(&apart);
    double p[2];
    assert_int_equal(sample_predict(ctx, model, first, 1, p), CAUCUS_ERR_ARGUMENT);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 36);
    vote_members m;
    vote_members_init(&m, &rng);
    tag_memory_case r = {.file = {.ctx = test_ctx(),
                                  .options = {.probabilities = true},
                                  .path = test_text("in.txt", sequences)},
                         .items = items,
                         .count = 3};
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++)
        for (size_t i = 0; i < WAYS; i++) {
            const tiny parts = pool_of(&m, kind, way(i, 2));
            check_tag_memory(&r, &parts);
        }
    caucus_ctx_free(r.file.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maxent),   cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_collapse), cmocka_unit_test(test_one_member),
        cmocka_unit_test(test_label),    cmocka_unit_test(test_predict),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
