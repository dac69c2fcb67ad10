/* explain_test.c - the terms of a score add up to it, and unknown features are listed. */

#include <math.h>
#include <stdio.h>

#include "support/apply_sample.h"

static caucus_status explain(caucus_ctx *ctx, const tiny *parts, const char *line, cau_strbuf *out)
{
    return tiny_inspect(ctx, parts, &(cau_inspect_options){.explain = line}, out);
}

static json_t *explain_json(const tiny *parts, const char *line)
{
    return tiny_json(parts, (cau_inspect_options){.explain = line});
}

/* default + contributions = score for each class, and the scores give the probabilities. */
static void check_sums(const json_t *root)
{
    json_t *classes = cau_at(root, "classes");
    json_t *features = cau_at(root, "features");
    double z = 0;
    for (size_t c = 0; c < json_array_size(classes); c++)
        z += exp(cau_number_at(json_array_get(classes, c), "score"));
    for (size_t c = 0; c < json_array_size(classes); c++) {
        json_t *class = json_array_get(classes, c);
        double sum = json_is_null(cau_at(class, "default")) ? 0 : cau_number_at(class, "default");
        for (size_t i = 0; i < json_array_size(features); i++) {
            json_t *parts = cau_at(json_array_get(features, i), "contributions");
            sum += json_number_value(json_array_get(parts, c));
        }
        assert_near(sum, cau_number_at(class, "score"), 1e-7);
        assert_near(cau_number_at(class, "probability"), exp(cau_number_at(class, "score")) / z,
                    1e-7);
    }
}

static const char *name_at(const json_t *root, size_t i)
{
    json_t *feature = json_array_get(cau_at(root, "features"), i);
    return json_string_value(cau_at(feature, "feature"));
}

/* Scores of x y: -0.875, 0, 1.5. y separates c from b by 1, x by 0.75. */
static void test_terms(void **state)
{
    (void)state;
    json_t *root = explain_json(&text_model, "b\tx new y \xC3\xB6l");
    check_sums(root);
    json_t *best = cau_at(root, "classes.0");
    assert_text_at(best, "label", "c");
    assert_near(cau_number_at(best, "score"), 1.5, 0);
    assert_near(cau_number_at(best, "default"), -0.25, 0);
    assert_text_at(root, "gold", "b");
    assert_int_equal(json_array_size(cau_at(root, "features")), 2);
    assert_string_equal(name_at(root, 0), "y");
    assert_string_equal(name_at(root, 1), "x");
    json_t *first = cau_at(root, "features.0");
    assert_near(cau_number_at(first, "separates"), 1, 0);
    json_t *unknown = cau_at(root, "unknown");
    assert_int_equal(json_array_size(unknown), 2);
    assert_text_at(unknown, "0", "new");
    assert_text_at(unknown, "1", "\xC3\xB6l");
    json_decref(root);
}

static void test_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, explain(ctx, &text_model, "x y new\n", &out));
    assert_string_equal(out.s, "feature         value          c          b          a  1st - 2nd\n"
                               "y            1.000000   1.500000   0.500000  -2.000000   1.000000\n"
                               "x            1.000000   0.250000  -0.500000   1.000000   0.750000\n"
                               "(default)              -0.250000   0.000000   0.125000  -0.250000\n"
                               "score                   1.500000   0.000000  -0.875000   1.500000\n"
                               "probability             0.759795   0.169533   0.070672\n"
                               "\nnot in the model:\nnew\n");
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* An explicit feature counts for the class of its section. */
static void test_explicit(void **state)
{
    (void)state;
    const double w[] = {1, -2, 0.5};
    const tiny parts = {.names = "f|g|h",
                        .labels = "0|1|2",
                        .w = w,
                        .apart = true,
                        .read = {.format = CAU_FORMAT_MEGAM}};
    json_t *root = explain_json(&parts, "0 # f g # h f # g new");
    check_sums(root);
    json_t *best = cau_at(root, "classes.0");
    assert_text_at(best, "label", "1");
    assert_near(cau_number_at(best, "score"), 1.5, 0);
    assert_true(json_is_null(cau_at(best, "default")));
    assert_string_equal(name_at(root, 0), "g"); /* -2 for the second best */
    assert_null(cau_at(root, "features.0.value"));
    json_decref(root);

    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, explain(ctx, &parts, "0 # f g # h f # g new", &out));
    assert_non_null(strstr(out.s, "\nf            1.000000   1.000000   0.000000   0.000000\n"));
    cau_strbuf_clear(&out);
    assert_fails(ctx, explain(ctx, &parts, "0 f", &out), CAUCUS_ERR_FORMAT,
                 "the line:1: the features are not divided");
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* Seven classes, of which five are shown, and real values; one class alone; packed weights. */
static void test_many_classes(void **state)
{
    (void)state;
    const double w[] = {1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 9, 0};
    tiny parts = {
        .names = "1|2", .labels = "p|q|r|s|t|u|v", .w = w, .read = {.format = CAU_FORMAT_SVMLIGHT}};
    json_t *root = explain_json(&parts, "x 1:0.5 2:-1 3:4");
    json_t *classes = cau_at(root, "classes");
    assert_int_equal(json_array_size(classes), 5);
    static const char *const order[] = {"v", "t", "s", "r", "q"};
    for (size_t c = 0; c < 5; c++) assert_text_at(json_array_get(classes, c), "label", order[c]);
    assert_near(cau_number_at(classes, "0.score"), 3.5, 0);
    json_decref(root);

    parts.labels = "only";
    root = explain_json(&parts, "only 1:2");
    assert_near(cau_number_at(root, "classes.0.probability"), 1, 0);
    json_decref(root);

    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, explain(ctx, &parts, "only 1:2", &out));
    assert_non_null(strstr(out.s, "score                  2.000000\n"));
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* Cells without a label: the line is read as a sequence of its own, without transitions. */
static void test_chain(void **state)
{
    (void)state;
    const double plain[] = {5, 5, 5, 5}, edges[] = {7, 7, 7, 7};
    const tiny chain = {.kind = CAU_KIND_CRF,
                        .names = "U0:x|U1:N|U2:_B-1",
                        .labels = "a|b",
                        .w = (const double[]){1, -1, 0.5, 2, 0.25, 0},
                        .edge_names = "B:x",
                        .edge_w = edges,
                        .plain = plain,
                        .read = {.format = CAU_FORMAT_COLUMNS, .columns = 2},
                        .template = "U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[-1,0]\nU3:%x[1,0]\nB:%x[0,0]\n"};
    static const char *const lines[] = {"x N", "x\tN", "x N b"};
    for (size_t i = 0; i < 3; i++) {
        json_t *root = explain_json(&chain, lines[i]);
        check_sums(root);
        json_t *best = cau_at(root, "classes.0");
        assert_text_at(best, "label", "a");
        assert_near(cau_number_at(best, "score"), 1.75, 0);
        assert_true(json_is_true(cau_at(root, "alone")));
        json_t *gold = cau_at(root, "gold");
        assert_true(i < 2 ? json_is_null(gold) : strcmp(json_string_value(gold), "b") == 0);
        json_t *unknown = cau_at(root, "unknown");
        assert_int_equal(json_array_size(unknown), 1);
        assert_text_at(unknown, "0", "U3:_B+1");
        json_decref(root);
    }
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, explain(ctx, &chain, "x N", &out));
    assert_non_null(strstr(out.s, "\nthe line is read as a sequence of its own, without "
                                  "neighbours and transitions\n"));
    cau_strbuf_clear(&out);
    assert_ok(ctx, explain(ctx, &text_model, "x y", &out));
    assert_null(strstr(out.s, "sequence"));
    cau_strbuf_clear(&out);
    assert_fails(ctx, explain(ctx, &chain, "x", &out), CAUCUS_ERR_FORMAT, "the line:1: ");
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
    tiny_inspect_without_memory(&chain, (cau_inspect_options){.explain = "x N"}, 10);
}

static void test_faults(void **state)
{
    (void)state;
    tiny columns = text_model;
    columns.read.format = CAU_FORMAT_COLUMNS;
    tiny svmlight = text_model;
    svmlight.read.format = CAU_FORMAT_SVMLIGHT;
    static const char two[] = "a\nb";
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_fails(ctx, explain(ctx, &text_model, two, &out), CAUCUS_ERR_ARGUMENT, "several lines");
    assert_fails(ctx, explain(ctx, &columns, "", &out), CAUCUS_ERR_ARGUMENT, "no features");
    assert_fails(ctx, explain(ctx, &svmlight, "1 x:1", &out), CAUCUS_ERR_FORMAT, "the line:1: ");
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    const cau_inspect_options options = {.explain = "a\tx y z u v w"};
    tiny_inspect_without_memory(&text_model, options, 10);
}

/* ---- pools --------------------------------------------------------------------------- */

static double logit(double p)
{
    return log(p) - log1p(-p);
}

/* A gated pool whose second member has weight 0: the worked example of MEGA, with x = (1, 0, 0),
 * p(y = 0 | x) = .693723191 and p(general | x) = .282051282. */
static const double psi[3][3] = {{.6, .5, .3}, {.4, .3, .7}, {.5, .45, .55}};
static const double half[3][6] = {
    {.5, -.5, -.2, .2, .1, -.1}, {.1, -.1, .3, -.3, -.4, .4}, {.2, -.2, .1, -.1, .3, -.3}};
static const double gate_alpha[] = {.6, 0, .4};
static const cau_member_part gate_member[] = {
    {.nodes = half[0]}, {.nodes = half[1]}, {.nodes = half[2]}};

typedef struct {
    double base[3], gate[9];
} gate_numbers;

static tiny gated_model(gate_numbers *g)
{
    memset(g, 0, sizeof *g);
    for (size_t j = 0; j < 3; j++)
        for (size_t f = 0; f < 3; f++) {
            g->base[j] += log1p(-psi[j][f]);
            g->gate[f * 3 + j] = logit(psi[j][f]);
        }
    return (tiny){.names = "f|g|h",
                  .labels = "0|1",
                  .info = "domain.1.name\tcalls\n",
                  .read = {.format = CAU_FORMAT_TEXT},
                  .pool = {.J = 3,
                           .combine = CAU_COMBINE_MIXTURE,
                           .per = CAU_PER_TRANSITION,
                           .alpha = gate_alpha},
                  .member = gate_member,
                  .gate_base = g->base,
                  .gate = g->gate};
}

static void test_gate(void **state)
{
    (void)state;
    gate_numbers g;
    const tiny parts = gated_model(&g);
    json_t *root = tiny_json(&parts, (cau_inspect_options){.explain = "1\tf none"});
    const json_t *components = cau_at(root, "components"), *of[2];
    const json_t *class = cau_at(root, "classes.0");
    assert_text_at(root, "gold", "1");
    assert_text_at(class, "label", "0");
    assert_near(cau_number_at(class, "probability"), .693723191, 1e-7);
    assert_int_equal(json_array_size(components), 2);
    for (size_t i = 0; i < 2; i++) {
        const size_t j = 2 * i;
        of[i] = json_array_get(components, i);
        assert_near(cau_number_at(of[i], "prior"), log(gate_alpha[j]), 1e-8);
        assert_near(cau_number_at(of[i], "base"), g.base[j], 1e-8);
        assert_near(cau_number_at(of[i], "probability"), i ? .282051282 : .717948718, 1e-7);
        const json_t *best = cau_at(of[i], "classes.0");
        assert_near(cau_number_at(best, "score"), half[j][0], 1e-7);
    }
    assert_text_at(of[0], "name", "calls");
    assert_text_at(of[1], "name", "general");
    const json_t *gate = cau_at(root, "gate"), *clue = cau_at(gate, "0");
    assert_int_equal(json_array_size(gate), 1);
    assert_text_at(clue, "feature", "f");
    for (size_t i = 0; i < 2; i++)
        assert_near(json_number_value(json_array_get(cau_at(clue, "weights"), i)),
                    logit(psi[2 * i][0]), 1e-7);
    json_decref(root);
}

static void test_gate_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    gate_numbers g;
    const tiny parts = gated_model(&g);
    const cau_inspect_options options = {.explain = "g h"};
    assert_ok(ctx, tiny_inspect(ctx, &parts, &options, &out));
    const char *end = strstr(out.s, "\n\ndomain 1");
    assert_non_null(end);
    out.s[end - out.s] = 0;
    /* odds of domain 1: .6 (.4 .5 .3) to .4 (.5 .45 .55), that is .036 to .0495 */
    assert_string_equal(out.s, "feature        domain 1    general\n"
                               "h             -0.847298   0.200671\n"
                               "g              0.000000  -0.200671\n"
                               "(no feature)  -1.966113  -2.089492\n"
                               "(prior)       -0.510826  -0.916291\n"
                               "probability    0.421053   0.578947\n"
                               "\n"
                               "class  domain 1   general  together\n"
                               "0      0.450166  0.689974  0.589002\n"
                               "1      0.549834  0.310026  0.410998");
    assert_non_null(strstr(end + 1, "domain 1, calls\nfeature"));
    assert_non_null(strstr(end + 1, "\ngeneral\nfeature"));
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* A stack: the label of its member is one of the features. */
static const double stack_w[] = {1, 0, 0, 0.5, -2, 2, 0.25, 1}; /* x, y, @out=a, @out=b */
static const double stack_member_w[] = {0, 1, 3, 0, 0, 0, 0, 0};
static const double stack_alpha[] = {1};
static const cau_member_part stack_member[] = {{.nodes = stack_member_w}};
static const tiny stack_model = {
    .names = "x|y|@out=a|@out=b",
    .labels = "a|b",
    .w = stack_w,
    .read = {.format = CAU_FORMAT_TEXT},
    .pool = {.J = 1, .combine = CAU_COMBINE_STACK, .alpha = stack_alpha},
    .member = stack_member};

static void test_stack(void **state)
{
    (void)state;
    json_t *root = tiny_json(&stack_model, (cau_inspect_options){.explain = "x y"});
    /* the member labels a, by 3 to 1; so a scores 1 - 2 and b 0.5 + 2 */
    const json_t *best = cau_at(root, "classes.0");
    const json_t *features = cau_at(root, "features"), *first = cau_at(features, "0");
    assert_text_at(best, "label", "b");
    assert_near(cau_number_at(best, "score"), 2.5, 0);
    assert_near(cau_number_at(best, "probability"), 1 / (1 + exp(-3.5)), 1e-8);
    assert_int_equal(json_array_size(features), 3);
    assert_text_at(first, "feature", "@out=a");
    assert_near(cau_number_at(first, "value"), 1, 0);
    assert_near(cau_number_at(first, "separates"), 4, 0);
    json_decref(root);
}

static void test_pools_without_memory(void **state)
{
    (void)state;
    gate_numbers g;
    const tiny parts = gated_model(&g);
    tiny_inspect_without_memory(&parts, (cau_inspect_options){.explain = "f g none"}, 20);
    tiny_inspect_without_memory(&stack_model, (cau_inspect_options){.explain = "x none"}, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_many_classes),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_gate_table),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_pools_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
