/* explain_sequence_test.c - probabilities and reasons against all labellings of a sequence. */

#include <math.h>
#include <stdio.h>

#include "support/apply_sample.h"

enum { T = 3, Y = 3, PATHS = 27 };

/* Two words, with features of tokens and of edges. */
static const double node_w[] = {1, -0.5, 0.25, -2, 0.5, 1.5};           /* U:x, U:y */
static const double edge_w[] = {0.5, 0, 0, -1, 0.25, 0, 0, 0.75, -0.5}; /* B:y */
static const double plain[] = {0.125, -0.75, 0, 1, 0.5, -0.25, 0.25, 0, 0.75};
static const double bias[] = {0.125, 0, -0.25};
static const tiny chain = {.kind = CAU_KIND_CRF,
                           .names = "U:x|U:y",
                           .labels = "a|b|c",
                           .w = node_w,
                           .bias = bias,
                           .edge_names = "B:y",
                           .edge_w = edge_w,
                           .plain = plain,
                           .template = "U:%x[0,0]\nB:%x[0,0]\nB\n",
                           .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1}};
#define TEXT "x\ny\nnew\n"

static void digits(size_t code, uint32_t *path)
{
    for (size_t t = T; t-- > 0; code /= Y) path[t] = (uint32_t)(code % Y);
}

/* The score of label y after label `from` at position t of "x y new"; scale of all weights. */
static double term(size_t t, uint32_t from, uint32_t y, double scale)
{
    double s = bias[y] + (t < 2 ? node_w[t * Y + y] : 0);
    if (t) s += plain[from * Y + y] + (t == 1 ? edge_w[from * Y + y] : 0);
    return scale * s;
}

/* log p(path | x) by enumeration. */
static double log_p(cau_kind kind, const uint32_t *path, double scale)
{
    double score = 0, z = 0;
    for (size_t t = 0; t < T; t++) {
        double local = 0;
        score += term(t, t ? path[t - 1] : 0, path[t], scale);
        for (uint32_t y = 0; y < Y; y++) local += exp(term(t, t ? path[t - 1] : 0, y, scale));
        if (kind == CAU_KIND_MEMM) score -= log(local);
    }
    if (kind == CAU_KIND_MEMM) return score;
    for (size_t code = 0; code < PATHS; code++) {
        uint32_t other[T];
        double s = 0;
        digits(code, other);
        for (size_t t = 0; t < T; t++) s += term(t, t ? other[t - 1] : 0, other[t], scale);
        z += exp(s);
    }
    return score - log(z);
}

static void read_path(const json_t *labels, uint32_t *path)
{
    assert_int_equal(json_array_size(labels), T);
    for (size_t t = 0; t < T; t++)
        path[t] = (uint32_t)(json_string_value(json_array_get(labels, t))[0] - 'a');
}

/* The terms of a voter add up to its log odds, which are those of its weights. */
static void check_voter(const json_t *voter, cau_kind kind, const uint32_t *y, const uint32_t *z,
                        double scale)
{
    const json_t *terms = cau_at(voter, "difference");
    const double want = log_p(kind, y, scale) - log_p(kind, z, scale);
    double sum = 0, last = INFINITY;
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const double value = cau_number_at(json_array_get(terms, i), "value");
        assert_true(fabs(value) <= last);
        last = fabs(value);
        sum += value;
    }
    assert_near(sum, want, 1e-6);
    assert_near(cau_number_at(voter, "log_odds"), want, 1e-6);
}

static void check_best(cau_kind kind, const uint32_t *best, const uint32_t *second)
{
    for (size_t code = 0; code < PATHS; code++) {
        uint32_t path[T];
        digits(code, path);
        const double p = log_p(kind, path, 1);
        assert_true(p <= log_p(kind, best, 1) + 1e-9);
        if (memcmp(path, best, sizeof path) != 0) assert_true(p <= log_p(kind, second, 1) + 1e-9);
    }
}

static void test_chains(void **state)
{
    (void)state;
    for (cau_kind kind = CAU_KIND_MEMM; kind <= CAU_KIND_CRF; kind++) {
        tiny parts = chain;
        uint32_t y[T], z[T];
        parts.kind = kind;
        json_t *root = tiny_json(&parts, (cau_inspect_options){.explain = TEXT});
        read_path(cau_at(root, "labels"), y);
        read_path(cau_at(root, "other"), z);
        check_best(kind, y, z);
        assert_near(cau_number_at(root, "probability"), exp(log_p(kind, y, 1)), 1e-6);
        assert_near(cau_number_at(root, "other_probability"), exp(log_p(kind, z, 1)), 1e-6);
        assert_int_equal(json_array_size(cau_at(root, "voters")), 1);
        check_voter(cau_at(root, "voters.0"), kind, y, z, 1);
        assert_text_at(root, "tokens.1.line", "y");
        assert_text_at(cau_at(root, "voters.0.tokens.2.unknown"), "0", "U:new");
        json_decref(root);

        root = tiny_json(&parts, (cau_inspect_options){.explain = TEXT, .against = "? c a|b"});
        read_path(cau_at(root, "other"), z);
        assert_int_equal(z[1], 2);
        assert_true(z[2] < 2);
        assert_near(cau_number_at(root, "other_probability"), exp(log_p(kind, z, 1)), 1e-6);
        check_voter(cau_at(root, "voters.0"), kind, y, z, 1);
        json_decref(root);
    }
}

/* What is shown of a token adds up as the formula says. */
static void test_tokens(void **state)
{
    (void)state;
    json_t *root = tiny_json(&chain, (cau_inspect_options){.explain = TEXT});
    uint32_t y[T];
    read_path(cau_at(root, "labels"), y);
    const json_t *token = cau_at(root, "voters.0.tokens.1"), *classes = cau_at(token, "classes");
    assert_int_equal(json_array_size(classes), Y);
    for (size_t c = 0; c < Y; c++) {
        const uint32_t label = (uint32_t)(json_string_value(json_array_get(classes, c))[0] - 'a');
        char path[64];
        snprintf(path, sizeof path, "features.0.contributions.%zu", c);
        assert_near(cau_number_at(token, path), node_w[Y + label], 1e-6);
        snprintf(path, sizeof path, "transition.%zu", c);
        assert_near(cau_number_at(token, path), plain[y[0] * Y + label], 1e-6);
        snprintf(path, sizeof path, "edges.0.contributions.%zu", c);
        assert_near(cau_number_at(token, path), edge_w[y[0] * Y + label], 1e-6);
        snprintf(path, sizeof path, "next.%zu", c);
        assert_near(cau_number_at(token, path), plain[label * Y + y[2]], 1e-6);
        snprintf(path, sizeof path, "scores.%zu", c);
        assert_near(cau_number_at(token, path), node_w[Y + label] + bias[label], 1e-6);
    }
    json_decref(root);
}

/* Two experts with the same weights, one of them scaled; they vote, or are summed. */
static void test_pools(void **state)
{
    (void)state;
    double scaled[4][9];
    static const double alpha[] = {0.75, 0.25};
    for (size_t i = 0; i < 9; i++) {
        scaled[0][i] = i < 6 ? -2 * node_w[i] : 0;
        scaled[1][i] = -2 * edge_w[i];
        scaled[2][i] = -2 * plain[i];
        scaled[3][i] = i < 3 ? -2 * bias[i] : 0;
    }
    const cau_member_part members[] = {{node_w, edge_w, plain, bias},
                                       {scaled[0], scaled[1], scaled[2], scaled[3]}};
    for (int votes = 0; votes < 2; votes++) {
        tiny parts = chain;
        uint32_t y[T], z[T];
        parts.member = members;
        parts.pool = (cau_pool){.J = 2,
                                .combine = votes ? CAU_COMBINE_MIXTURE : CAU_COMBINE_PRODUCT,
                                .per = CAU_PER_SEQUENCE,
                                .alpha = alpha};
        json_t *root = tiny_json(&parts, (cau_inspect_options){.explain = TEXT});
        const json_t *voters = cau_at(root, "voters");
        read_path(cau_at(root, "labels"), y);
        read_path(cau_at(root, "other"), z);
        assert_int_equal(json_array_size(voters), votes ? 2 : 3);
        if (!votes) check_voter(json_array_get(voters, 0), CAU_KIND_CRF, y, z, 0.25);
        check_voter(json_array_get(voters, votes ? 0 : 1), CAU_KIND_CRF, y, z, 1);
        check_voter(json_array_get(voters, votes ? 1 : 2), CAU_KIND_CRF, y, z, -2);
        assert_int_equal(cau_count_at(json_array_get(voters, votes ? 1 : 2), "expert"), 2);
        json_decref(root);
    }
}

/* Names move in memory while others are added. */
static void test_names(void **state)
{
    (void)state;
    cau_strbuf text = {0}, against = {0};
    cau_strbuf_printf(&text, "x\n");
    cau_strbuf_printf(&against, "b");
    for (int i = 0; i < 3000; i++) {
        cau_strbuf_printf(&text, "new%d\n", i);
        cau_strbuf_printf(&against, " ?");
    }
    json_t *root =
        tiny_json(&chain, (cau_inspect_options){.explain = text.s, .against = against.s});
    const json_t *terms = cau_at(root, "voters.0.difference");
    size_t named = 0;
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *name = cau_at(json_array_get(terms, i), "name");
        if (!json_is_string(name)) continue;
        assert_string_equal(json_string_value(name), "U:x");
        named++;
    }
    assert_int_equal(named, 1);
    json_decref(root);
    cau_strbuf_clear(&text);
    cau_strbuf_clear(&against);
}

static void test_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, tiny_inspect(ctx, &chain, &(cau_inspect_options){.explain = TEXT}, &out));
    assert_non_null(strstr(out.s, "probability of these labels: "));
    assert_non_null(strstr(out.s, "why these labels:"));
    assert_non_null(strstr(out.s, "together"));
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *against, *message;
    } cases[] = {
        {TEXT, "a b", "--against: 2 labels, but the text has 3 tokens"},
        {TEXT, "a b d", "--against:3: the model has no label 'd'"},
        {"x\n\ny\n", NULL, "--explain: several sequences"},
        {"\n\n\n", NULL, "--explain: the text has no features"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf out = {0};
        const cau_inspect_options how = {.explain = cases[i].text, .against = cases[i].against};
        assert_int_equal(tiny_inspect(ctx, &chain, &how, &out), CAUCUS_ERR_ARGUMENT);
        if (!strstr(caucus_message(ctx), cases[i].message)) puts(caucus_message(ctx));
        assert_non_null(strstr(caucus_message(ctx), cases[i].message));
        cau_strbuf_clear(&out);
    }
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    tiny_inspect_without_memory(&chain, (cau_inspect_options){.explain = TEXT}, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains), cmocka_unit_test(test_tokens), cmocka_unit_test(test_pools),
        cmocka_unit_test(test_table),  cmocka_unit_test(test_faults), cmocka_unit_test(test_names),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
