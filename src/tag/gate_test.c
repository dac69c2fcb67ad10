/* gate_test.c - gated pools: tagging, and labels from memory, compared with MEGA's prediction
 * rule. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "infer/apply.h"
#include "support/label_sample.h"
#include "support/paths.h"
#include "support/tag_sample.h"

enum { Y = 3, K = 4, J = 3, T = 3 };

static const char labels[] = "a|b|c";

/* A pool of three members. The second has weight 0, as the expert of another domain has. */
typedef struct {
    double w[J][K * Y], plain[J][Y * Y], bias[J][Y];
    double base[J], gate[K * J], alpha[J];
    cau_member_part member[J];
} gated_pool;

static double draw(cau_rng *rng)
{
    return (double)cau_rng_below(rng, 16385) / 4096 - 2; /* exact as a float */
}

static void fill(cau_rng *rng, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = draw(rng);
}

static void gated_init(gated_pool *g, cau_rng *rng)
{
    for (size_t j = 0; j < J; j++) {
        fill(rng, K * Y, g->w[j]);
        fill(rng, Y * Y, g->plain[j]);
        fill(rng, Y, g->bias[j]);
        g->member[j] = (cau_member_part){.nodes = g->w[j], .transitions = g->plain[j]};
    }
    fill(rng, J, g->base);
    fill(rng, K * J, g->gate);
    g->alpha[0] = 0.25, g->alpha[1] = 0, g->alpha[2] = 0.75;
}

static tiny tiny_of(gated_pool *g, cau_kind kind)
{
    for (size_t j = 0; j < J; j++) {
        g->member[j].transitions = kind == CAU_KIND_MAXENT ? NULL : g->plain[j];
        g->member[j].bias = kind == CAU_KIND_MAXENT ? g->bias[j] : NULL;
    }
    return (tiny){.kind = kind,
                  .names = "x|y|z|v",
                  .labels = labels,
                  .read = {.format = CAU_FORMAT_CRFSUITE},
                  .pool = {.J = J,
                           .combine = CAU_COMBINE_MIXTURE,
                           .per = CAU_PER_TRANSITION,
                           .alpha = g->alpha},
                  .member = g->member,
                  .gate_base = g->base,
                  .gate = g->gate};
}

/* The weights of the members, say [J], at a position with these feature values. */
static void weights_at(const gated_pool *g, const double *value, double *say)
{
    double sum = 0;
    for (size_t j = 0; j < J; j++) {
        double log_odds = g->base[j];
        for (size_t k = 0; k < K; k++) log_odds += value[k] != 0 ? g->gate[k * J + j] : 0;
        sum += say[j] = g->alpha[j] * exp(log_odds);
    }
    for (size_t j = 0; j < J; j++) say[j] /= sum;
}

/* p(y | before, x) by member j; before = Y: at the first position. */
static double member_p(const gated_pool *g, cau_kind kind, size_t j, const double *value,
                       size_t before, size_t y)
{
    double z = 0, mine = 0;
    for (size_t c = 0; c < Y; c++) {
        double s = kind == CAU_KIND_MAXENT ? g->bias[j][c] : 0;
        if (before < Y) s += g->plain[j][before * Y + c];
        for (size_t k = 0; k < K; k++) s += value[k] * g->w[j][k * Y + c];
        z += exp(s);
        if (c == y) mine = exp(s);
    }
    return mine / z;
}

/* sum_j say_j p_j(y | before, x) */
static double pool_p(const gated_pool *g, cau_kind kind, const double *value, size_t before,
                     size_t y)
{
    double say[J], p = 0;
    weights_at(g, value, say);
    for (size_t j = 0; j < J; j++) p += say[j] * member_p(g, kind, j, value, before, y);
    return p;
}

/* ---- running ------------------------------------------------------------------------- */

/* A line with these values, some of them split into two that add up. */
static void add_line(cau_strbuf *input, const double *value)
{
    cau_strbuf_printf(input, "a\tunknown:3");
    for (size_t k = 0; k < K; k++) {
        if (value[k] == 2) cau_strbuf_printf(input, "\t%c:0.5", "xyzv"[k]);
        if (value[k] == 0 && k == 2) cau_strbuf_printf(input, "\tz:-1.5"); /* cancelled below */
    }
    for (size_t k = 0; k < K; k++) {
        if (value[k] == 2) cau_strbuf_printf(input, "\t%c:1.5", "xyzv"[k]);
        if (value[k] == 0 && k == 2) cau_strbuf_printf(input, "\tz:1.5");
        if (value[k] != 0 && value[k] != 2)
            cau_strbuf_printf(input, "\t%c:%g", "xyzv"[k], value[k]);
    }
    cau_strbuf_printf(input, "\n");
}

static void draw_values(cau_rng *rng, double *value)
{
    static const double values[] = {0, 1, 2, -1, 0.25};
    for (size_t k = 0; k < K; k++) value[k] = values[cau_rng_below(rng, 5)];
}

/* ---- MaxEnt -------------------------------------------------------------------------- */

static void test_maxent(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 61);
    for (size_t round = 0; round < 10; round++) {
        gated_pool g;
        gated_init(&g, &rng);
        cau_strbuf input = {0}, want = {0};
        for (size_t line = 0; line < 30; line++) {
            double value[K], p[Y], say[J];
            size_t best = 0;
            draw_values(&rng, value);
            add_line(&input, value);
            weights_at(&g, value, say);
            for (size_t y = 0; y < Y; y++) {
                p[y] = pool_p(&g, CAU_KIND_MAXENT, value, Y, y);
                if (p[y] > p[best]) best = y;
            }
            cau_strbuf_printf(&want, "a\t%c\t%.9g\t%.9g", "abc"[best], say[J - 1], p[best]);
            for (size_t y = 0; y < Y; y++) cau_strbuf_printf(&want, "\t%c:%.9g", "abc"[y], p[y]);
            cau_strbuf_printf(&want, "\n");
        }
        const tiny parts = tiny_of(&g, CAU_KIND_MAXENT);
        char *got = tiny_tagged_alike(
            &parts,
            (cau_tag_options){.domain = true, .label_probability = true, .probabilities = true},
            input.s);
        assert_string_equal(got, want.s);
        free(got);
        cau_strbuf_clear(&input);
        cau_strbuf_clear(&want);
    }
}

static double logit(double p)
{
    return log(p) - log1p(-p);
}

/* A worked example: in and general, x = (1, 0, 0), p(general | x) = .282051282 and p(y = 0 | x) =
 * .693723191. */
static void test_example(void **state)
{
    (void)state;
    static const double pi = .4, psi[2][3] = {{.6, .5, .3}, {.5, .45, .55}};
    /* for y = 0; negated for y = 1 */
    static const double half[2][3] = {{.5, -.2, .1}, {.2, .1, .3}};
    double w[2][6], base[2] = {0}, gate[6], p[2];
    const double alpha[] = {1 - pi, pi};
    cau_member_part member[2];
    for (size_t j = 0; j < 2; j++) {
        for (size_t f = 0; f < 3; f++) {
            w[j][f * 2] = half[j][f];
            w[j][f * 2 + 1] = -half[j][f];
            base[j] += log1p(-psi[j][f]);
            gate[f * 2 + j] = logit(psi[j][f]);
        }
        member[j] = (cau_member_part){.nodes = w[j]};
    }
    const tiny parts = {
        .names = "f|g|h",
        .labels = "0|1",
        .read = {.format = CAU_FORMAT_CRFSUITE},
        .pool = {.J = 2, CAU_COMBINE_MIXTURE, .per = CAU_PER_TRANSITION, .alpha = alpha},
        .member = member,
        .gate_base = base,
        .gate = gate};
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(&parts);
    const caucus_feature x[] = {{"f", 1}, {"g", 0}};
    const sample_instance item = {x, 2};
    uint32_t label;
    double marginal[2];
    assert_ok(ctx, sample_predict(ctx, model, x, 2, p));
    assert_near(p[0], .693723191, 1e-7); /* weights are floats */
    assert_ok(ctx, sample_label(ctx, model, &item, 1, &label, marginal, NULL, NULL));
    assert_int_equal(label, 0);
    assert_near(marginal[0], p[0], 1e-12);
    cau_model_free(model);
    caucus_ctx_free(ctx);

    double said = 0, probability = 0;
    char *got = tiny_tagged_alike(
        &parts, (cau_tag_options){.domain = true, .label_probability = true}, "0\tf\n");
    assert_int_equal(sscanf(got, "0\t0\t%lf\t%lf\n", &said, &probability), 2);
    assert_near(said, .282051282, 1e-7);
    assert_near(probability, .693723191, 1e-7);
    free(got);
}

/* ---- MEMM ---------------------------------------------------------------------------- */

/* p(y | x) = prod_t sum_j say_tj p_j(y_t | y_{t-1}, x_t), by the definition. */
static double path_p(const gated_pool *g, double value[T][K], const uint32_t *y)
{
    double p = 1;
    for (size_t t = 0; t < T; t++) p *= pool_p(g, CAU_KIND_MEMM, value[t], t ? y[t - 1] : Y, y[t]);
    return p;
}

/* Enumerates all labellings: the best, its probability, and the marginals. */
static double enumerate(const gated_pool *g, double value[T][K], uint32_t *best,
                        double marginal[T][Y])
{
    double most = 0;
    memset(marginal, 0, T * Y * sizeof(double));
    for (uint32_t n = 0; n < Y * Y * Y; n++) {
        const uint32_t y[T] = {n % Y, n / Y % Y, n / Y / Y};
        const double p = path_p(g, value, y);
        for (size_t t = 0; t < T; t++) marginal[t][y[t]] += p;
        if (p <= most) continue;
        most = p;
        memcpy(best, y, sizeof y);
    }
    return most;
}

static void test_memm(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 62);
    for (size_t round = 0; round < 30; round++) {
        gated_pool g;
        double value[T][K], marginal[T][Y], got[T * Y], score, logz;
        uint32_t best[T], path[T];
        caucus_feature features[T][K];
        sample_instance items[T];
        cau_strbuf input = {0}, want = {0};
        gated_init(&g, &rng);
        for (size_t t = 0; t < T; t++) {
            draw_values(&rng, value[t]);
            add_line(&input, value[t]);
            for (size_t k = 0; k < K; k++)
                features[t][k] = (caucus_feature){&"x\0y\0z\0v"[2 * k], value[t][k]};
            items[t] = (sample_instance){features[t], K};
        }
        const double most = enumerate(&g, value, best, marginal);
        cau_strbuf_printf(&want, "# %.9g\n", most);
        for (size_t t = 0; t < T; t++) {
            double say[J];
            weights_at(&g, value[t], say);
            cau_strbuf_printf(&want, "a\t%c\t%.9g", "abc"[best[t]], say[J - 1]);
            for (size_t y = 0; y < Y; y++)
                cau_strbuf_printf(&want, "\t%c:%.9g", "abc"[y], marginal[t][y]);
            cau_strbuf_printf(&want, "\n");
        }
        const tiny parts = tiny_of(&g, CAU_KIND_MEMM);
        char *said = tiny_tagged_alike(
            &parts,
            (cau_tag_options){.domain = true, .sequence_probability = true, .probabilities = true},
            input.s);
        assert_string_equal(said, want.s);
        free(said);

        caucus_model *model = tiny_model(&parts);
        assert_ok(ctx, sample_label(ctx, model, items, T, path, got, &score, &logz));
        assert_memory_equal(path, best, sizeof path);
        assert_near(exp(score - logz), most, 1e-9);
        for (size_t t = 0; t < T; t++)
            for (size_t y = 0; y < Y; y++) assert_near(got[t * Y + y], marginal[t][y], 1e-9);
        cau_model_free(model);
        cau_strbuf_clear(&input);
        cau_strbuf_clear(&want);
    }
    caucus_ctx_free(ctx);
}

/* ---- dropped features ---------------------------------------------------------------- */

/* Dropped features are unknown to the gate too. */
static void test_drop(void **state)
{
    (void)state;
    static const char *const globs[] = {"z"};
    cau_rng rng;
    cau_rng_init(&rng, 63);
    gated_pool g;
    gated_init(&g, &rng);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_MEMM; kind++) {
        const tiny parts = tiny_of(&g, kind);
        cau_tag_options options = {.domain = true, .probabilities = true};
        char *without = tiny_tagged_alike(&parts, options, "a\tx\nb\ty\tv\n\nc\n");
        options.drop = (cau_paths){1, globs};
        char *dropped = tiny_tagged_alike(&parts, options, "a\tx\tz\nb\ty\tz:2\tv\n\nc\tz\n");
        char *said =
            tiny_tagged_alike(&parts, (cau_tag_options){.domain = true, .probabilities = true},
                              "a\tx\tz\nb\ty\tz:2\tv\n\nc\tz\n");
        assert_string_equal(dropped, without);
        assert_string_not_equal(said, without);
        free(without);
        free(dropped);
        free(said);
    }
}

/* With large differences nothing overflows, and the weights are 0 or 1. */
static void test_extremes(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 64);
    gated_pool g;
    gated_init(&g, &rng);
    g.base[0] = -1e6, g.base[1] = 5e6, g.base[2] = -2e6;
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_MEMM; kind++) {
        const tiny parts = tiny_of(&g, kind);
        char *got = tiny_tagged_alike(&parts, (cau_tag_options){.domain = true}, "?\tx\n");
        assert_string_equal(got + 3, "\t0\n");
        free(got);
    }
}

static void test_no_gate(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(&text_model);
    cau_strbuf out = {0};
    const cau_tag_options options = {.domain = true};
    assert_fails(ctx, cau_tag(ctx, model, &options, 1, test_text("in.txt", "x\n"), into_text, &out),
                 CAUCUS_ERR_ARGUMENT, "no gate");
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    static const caucus_feature features[] = {{"x", 1}, {"z", 2}, {"x", 1}};
    static const sample_instance items[] = {{features, 3}, {features, 1}};
    cau_rng rng;
    cau_rng_init(&rng, 65);
    gated_pool g;
    gated_init(&g, &rng);
    tag_memory_case r = {.file = {.ctx = test_ctx(),
                                  .options = {.domain = true, .probabilities = true},
                                  .path = test_text("in.txt", "a\tx:2\tz\nb\tz\tz:2\n\na\tv\n")},
                         .items = items,
                         .count = 2};
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_MEMM; kind++) {
        const tiny parts = tiny_of(&g, kind);
        check_tag_memory(&r, &parts);
    }
    caucus_ctx_free(r.file.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maxent),   cmocka_unit_test(test_example),
        cmocka_unit_test(test_memm),     cmocka_unit_test(test_drop),
        cmocka_unit_test(test_extremes), cmocka_unit_test(test_no_gate),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
