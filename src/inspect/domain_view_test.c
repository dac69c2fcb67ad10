/* domain_view_test.c - the domains of a gated pool, as text and as JSON; and its experts. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/apply_sample.h"

/* Domains 1 and 2 and general over five features, the last of which has no weight in the gate. "in"
 * is frequent in 1, "rare" occurs in 1 only, "out" is of 2, "both" of general. */
enum { K = 5, J = 3, Y = 2 };

static const double psi[K][J] = {
    {.5, .01, .1},     /* in */
    {.02, .001, .001}, /* rare */
    {.01, .5, .1},     /* out */
    {.1, .2, .4},      /* both */
    {.5, .5, .5},      /* aside */
};
static const double w[J][K * Y] = {
    {1, -1, 0.5, 0, 0, 0, 0, 0, 3, 0},
    {0, 0, 0, 0, 0, 2, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, -1, 1.5, 0, 0},
};
static const cau_member_part member[] = {{.nodes = w[0]}, {.nodes = w[1]}, {.nodes = w[2]}};
static const double alpha[] = {0.6, 0, 0.4}, base[J] = {0};

static const char info[] = "domain.1.name\tcalls\\t1\ndomain.1.pi\t0.4\ndomain.2.name\tnews\n"
                           "domain.2.pi\t0.7\nkl.1.2\t1.25\nkl.2.1\t2.5\n";

static tiny model_of(double *gate)
{
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < J; j++) gate[k * J + j] = log(psi[k][j]) - log1p(-psi[k][j]);
    return (tiny){
        .names = "in|rare|out|both|aside",
        .labels = "a|b",
        .info = info,
        .read = {.format = CAU_FORMAT_TEXT},
        .pool = {.J = J, .combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_TRANSITION, .alpha = alpha},
        .member = member,
        .gate_base = base,
        .gate = gate};
}

/* A list of "pull" is these features, with the pull against component `other` and all psi. */
static void check_pulls(const json_t *component, size_t c, const size_t *want, const size_t *other,
                        size_t count)
{
    static const char *const names[] = {"in", "rare", "out", "both", "aside"};
    const json_t *list = cau_at(component, "pull");
    assert_int_equal(json_array_size(list), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(list, i), *all = cau_at(entry, "psi");
        const double p = psi[want[i]][c], q = psi[want[i]][other[i]];
        assert_text_at(entry, "feature", names[want[i]]);
        assert_near(cau_number_at(entry, "pull"), log(p / (1 - p)) - log(q / (1 - q)), 1e-6);
        assert_int_equal(json_array_size(all), J);
        for (size_t j = 0; j < J; j++)
            assert_near(json_number_value(json_array_get(all, j)), psi[want[i]][j], 1e-7);
    }
}

static void test_json(void **state)
{
    (void)state;
    double gate[K * J];
    const tiny parts = model_of(gate);
    json_t *root = tiny_json(&parts, (cau_inspect_options){.top = 10});
    const json_t *domains = cau_at(root, "domains");
    const json_t *components = cau_at(domains, "components");
    const json_t *of[J];
    assert_int_equal(json_array_size(components), J);
    for (size_t c = 0; c < J; c++) of[c] = json_array_get(components, c);
    assert_text_at(of[0], "name", "calls\t1");
    assert_text_at(of[1], "name", "news");
    assert_text_at(of[2], "name", "general");
    assert_near(cau_number_at(of[0], "pi"), 0.4, 0);
    assert_near(cau_number_at(of[1], "pi"), 0.7, 0);
    assert_true(json_is_null(cau_at(of[2], "pi")));

    /* "rare" has the larger ratio, but "in" the larger divergence; general against the nearest */
    check_pulls(of[0], 0, (size_t[]){0, 1}, (size_t[]){2, 2}, 2);
    check_pulls(of[1], 1, (size_t[]){2}, (size_t[]){2}, 1);
    check_pulls(of[2], 2, (size_t[]){3}, (size_t[]){1}, 1);

    const json_t *weights = cau_at(of[0], "weights");
    assert_int_equal(json_array_size(weights), 3);
    assert_text_at(weights, "0.feature", "aside");
    assert_text_at(weights, "0.label", "a");
    assert_near(cau_number_at(weights, "0.weight"), 3, 0);

    const json_t *kl = cau_at(domains, "divergence");
    assert_int_equal(json_array_size(kl), 2);
    assert_near(cau_number_at(kl, "0.1"), 1.25, 0);
    assert_near(cau_number_at(kl, "1.0"), 2.5, 0);

    const json_t *experts = cau_at(root, "experts.members");
    assert_int_equal(json_array_size(experts), J);
    assert_text_at(experts, "2.name", "general");
    json_decref(root);
}

static void test_output(void **state)
{
    (void)state;
    double gate[K * J];
    const tiny parts = model_of(gate);
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    const cau_inspect_options options = {.top = 1};
    assert_ok(ctx, tiny_inspect(ctx, &parts, &options, &out));
    const char *begin = strstr(out.s, "\ndomains:"), *end = strstr(out.s, "\nexperts:");
    assert_true(begin && end);
    out.s[end - out.s] = 0;
    assert_string_equal(begin, "\ndomains: 2, and a general component\n"
                               "domain        pi  name\n"
                               "     1  0.400000  calls\\t1\n"
                               "     2  0.700000  news\n"
                               "               -  general\n"
                               "\n"
                               "KL divergence from row to column, in nats\n"
                               "        1       2\n"
                               "1  0.0000  1.2500\n"
                               "2  2.5000  0.0000\n"
                               "\n"
                               "pulls towards domain 1, calls\\t1\n"
                               "    pull     psi 1     psi 2   general  feature\n"
                               "2.197225  0.500000  0.010000  0.100000  in\n"
                               "\n"
                               "pulls towards domain 2, news\n"
                               "    pull     psi 1     psi 2   general  feature\n"
                               "2.197225  0.010000  0.500000  0.100000  out\n"
                               "\n"
                               "pulls towards general\n"
                               "    pull     psi 1     psi 2   general  feature\n"
                               "0.980829  0.100000  0.200000  0.400000  both\n"
                               "\n"
                               "strongest weights of domain 1, calls\\t1\n"
                               "  3.000000  aside  a\n"
                               "\n"
                               "strongest weights of domain 2, news\n"
                               "  2.000000  out  b\n"
                               "\n"
                               "strongest weights of general\n"
                               "  1.500000  both  b\n");
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* A file without names and numbers; text that is not a number counts as missing. */
static void test_without_info(void **state)
{
    (void)state;
    double gate[K * J];
    tiny parts = model_of(gate);
    parts.info = "domain.1.pi\tmuch\nkl.1.2\tnan\n";
    json_t *root = tiny_json(&parts, (cau_inspect_options){.top = 1});
    const json_t *domains = cau_at(root, "domains");
    const json_t *first = cau_at(domains, "components.0");
    const json_t *row = cau_at(domains, "divergence.0");
    assert_true(json_is_null(cau_at(first, "name")));
    assert_true(json_is_null(cau_at(first, "pi")));
    assert_true(json_is_null(cau_at(row, "1")));
    json_decref(root);

    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    const cau_inspect_options options = {.top = 1};
    assert_ok(ctx, tiny_inspect(ctx, &parts, &options, &out));
    assert_non_null(strstr(out.s, "     1   -  -\n"));
    assert_non_null(strstr(out.s, "\npulls towards domain 1\n"));
    assert_null(strstr(out.s, "KL divergence"));
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* The accuracy of the members on data, that of weight 0 included. */
static void test_members(void **state)
{
    (void)state;
    double gate[K * J];
    const tiny parts = model_of(gate);
    const char *data = test_text("in.txt", "a\tin\nb\tout\nb\tboth\na\tin both\n");
    json_t *root = tiny_json(&parts, (cau_inspect_options){.top = 1, .members = data});
    const json_t *experts = cau_at(root, "experts");
    const json_t *members = cau_at(experts, "members");
    const double want[] = {0.5, 0.75, 0.5}; /* a a a a, a b a a, a a b b: ties are a */
    for (size_t j = 0; j < J; j++)
        assert_near(cau_number_at(json_array_get(members, j), "accuracy"), want[j], 0);
    /* The pool labels a a b a. On the last line p(a) is .8808 for domain 1 and .0759 for general;
     * their weights are as .6 * 1 * 1/9 to .4 * 1/9 * 2/3, so together it is .633. */
    assert_near(cau_number_at(experts, "data.accuracy"), 0.75, 0);
    json_decref(root);
}

static void test_memory(void **state)
{
    (void)state;
    double gate[K * J];
    const tiny parts = model_of(gate);
    tiny_inspect_without_memory(&parts, (cau_inspect_options){.top = 5}, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),         cmocka_unit_test(test_output),
        cmocka_unit_test(test_without_info), cmocka_unit_test(test_members),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
