/* group_penalty_test.c - the group lasso: conditions of its optimum, with groups formed here from
 * feature names, and the report of dropped groups. */

#include "train/group_penalty.h"

#include <math.h>
#include <stdlib.h>

#include "support/train_sample.h"
#include "train/problem.h"
#include "train/seen.h"

/* Instances with features of four groups. "noise" is uninformative, and f3 is alone in its
 * group. */
static caucus_data *instances(caucus_ctx *ctx)
{
    cau_rng rng;
    caucus_data *data = NULL;
    cau_rng_init(&rng, 5);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < 150; i++) {
        char name[4][16], label[] = "y0";
        const size_t y = cau_rng_below(&rng, 3), wrong = cau_rng_below(&rng, 3);
        snprintf(name[0], sizeof name[0], "word:%zu", cau_rng_real(&rng) < 0.8 ? y : wrong);
        snprintf(name[1], sizeof name[1], "shape=%zu", cau_rng_real(&rng) < 0.4 ? y : wrong);
        snprintf(name[2], sizeof name[2], "noise:%zu", cau_rng_below(&rng, 5));
        snprintf(name[3], sizeof name[3], "f3");
        const caucus_feature x[] = {{name[0], 1}, {name[1], 0.5}, {name[2], 1}, {name[3], 1}};
        label[1] = (char)('0' + y);
        assert_ok(ctx, cau_data_add(ctx, data, label, 1, x, i % 2 ? 4 : 3));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

static cau_train_options options_of(cau_model_choice model, cau_group by, double l1, double l2)
{
    cau_train_options o = sample_options(CAU_SOLVER_AUTO, l1, l2);
    o.model = model;
    o.group = by;
    o.stop.epsilon = 1e-8;
    o.stop.iterations = 20000;
    return o;
}

/* ---- optimality ---- */

enum { GROUPS_MAX = 100 };

/* Sums over the groups, which are numbered independently here: by row, or by the text before ':' or
 * '=' in the name. */
typedef struct {
    size_t count;
    cau_str name[GROUPS_MAX];
    double n[GROUPS_MAX], square[GROUPS_MAX];
} group_penalty_census;

static size_t group_of(group_penalty_census *c, cau_str name, bool template)
{
    if (template) {
        const cau_str whole = name;
        for (name.n = 0; name.n < whole.n && !strchr(":=", whole.s[name.n]);) name.n++;
        for (size_t i = 0; i < c->count; i++)
            if (c->name[i].n == name.n && memcmp(c->name[i].s, name.s, name.n) == 0) return i;
    }
    assert_true(c->count < GROUPS_MAX);
    c->name[c->count] = name;
    return c->count++;
}

/* The group of each weight of the result; SIZE_MAX: not penalised. */
static size_t *number_weights(const caucus_data *data, const cau_fit_result *r, bool template,
                              bool chain, group_penalty_census *c)
{
    size_t *of = malloc(r->n * sizeof *of), at = 0;
    for (int edge = 0; edge < 2; edge++) {
        const cau_table *t = edge ? &r->edges : &r->nodes;
        const cau_alphabet *names = edge ? data->alphabets.edges : data->alphabets.names;
        for (uint32_t k = 0; k < t->rows; k++) {
            const size_t group = group_of(c, cau_alphabet_name(names, k), template);
            for (size_t i = cau_table_at(t, k); i < cau_table_at(t, k + 1); i++) of[at++] = group;
        }
    }
    const size_t last = chain && at < r->n ? group_of(c, (cau_str){"(B)", 3}, true) : SIZE_MAX;
    while (at < r->n) of[at++] = last;
    return of;
}

/* With g the gradient of the smooth part, every group at the optimum has either
 *     w = 0 and |g| <= l1 sqrt(n),    or    g + l1 sqrt(n) w / |w| = 0
 * Returns the number of groups that are 0. */
static size_t check_optimum(caucus_ctx *ctx, const caucus_data *data, cau_train_options o)
{
    const bool template = o.group == CAU_GROUP_TEMPLATE, chain = o.model != CAU_MODEL_MAXENT;
    cau_fit_result r = {0};
    cau_problem p;
    group_penalty_census c = {0};
    assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 2, &r));
    const double l1 = o.l1;
    assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
    assert_int_equal(p.n, r.n);
    double *g = malloc(r.n * sizeof *g), f, penalty = 0, error[GROUPS_MAX] = {0};
    double *v = malloc(r.n * sizeof *v);
    cau_problem_from_model(&p, r.w, v);
    assert_int_equal(cau_problem_smooth(&p, v, &f, g), CAUCUS_OK);
    cau_problem_from_model(&p, g, v); /* dF/dw = scale dF/dv */
    memcpy(g, v, r.n * sizeof *g);
    free(v);
    size_t *of = number_weights(data, &r, template, chain, &c), zero = 0;
    for (size_t k = 0; k < r.n; k++) {
        const bool fixed = p.fixed && p.fixed[k];
        if (fixed) assert_near(r.w[k], 0, 0);
        if (of[k] == SIZE_MAX) {
            assert_near(g[k], 0, 1e-5);
        } else if (!fixed) {
            c.n[of[k]]++;
            c.square[of[k]] += r.w[k] * r.w[k];
        }
    }
    for (size_t k = 0; k < r.n; k++) {
        const size_t i = of[k];
        if (i == SIZE_MAX || (p.fixed && p.fixed[k])) continue;
        const double pull = c.square[i] > 0 ? l1 * sqrt(c.n[i] / c.square[i]) * r.w[k] : 0;
        error[i] += (g[k] + pull) * (g[k] + pull);
    }
    for (size_t i = 0; i < c.count; i++) {
        penalty += l1 * sqrt(c.n[i] * c.square[i]);
        if (c.square[i] > 0)
            assert_near(sqrt(error[i]), 0, 1e-4);
        else
            assert_true(sqrt(error[i]) <= l1 * sqrt(c.n[i]) + 1e-5);
        zero += c.n[i] > 0 && c.square[i] == 0;
    }
    assert_near(r.objective, f + penalty, 1e-9 * r.objective);
    cau_problem_clear(&p);
    cau_fit_result_clear(&r);
    free(g);
    free(of);
    return zero;
}

static void test_optimum(void **state)
{
    (void)state;
    static const double penalties[][2] = {{0.5, 0}, {1, 0.3}, {3, 0.1}, {1000, 0}};
    caucus_ctx *ctx = test_ctx();
    size_t zeros[2] = {0};
    for (size_t i = 0; i < 4; i++)
        for (int variant = 0; variant < 8; variant++) {
            const bool chain = variant & 1;
            const cau_group by = variant & 2 ? CAU_GROUP_TEMPLATE : CAU_GROUP_FEATURE;
            caucus_data *data = chain ? sample_columns(ctx, false, 31) : instances(ctx);
            cau_train_options o = options_of(chain ? CAU_MODEL_CRF : CAU_MODEL_MAXENT, by,
                                             penalties[i][0], penalties[i][1]);
            o.states = variant & 4 ? CAU_STATES_SEEN : CAU_STATES_ALL;
            o.transitions = variant & 4 ? CAU_TRANSITIONS_SEEN : CAU_TRANSITIONS_ALL;
            zeros[by == CAU_GROUP_TEMPLATE] += check_optimum(ctx, data, o);
            cau_data_free(data);
        }
    assert_true(zeros[0] > 20 && zeros[1] > 10);
    caucus_ctx_free(ctx);
}

/* The proximal step in scaled coordinates is a minimum: no small move in any direction is lower,
 * and a group is 0 exactly if its condition holds. */
static void test_prox(void **state)
{
    (void)state;
    enum { KINDS = 2, ROWS = 4, Y = 3, N = ROWS * Y };
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    cau_rng rng;
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    static const caucus_feature x[] = {{"a:1", 1}, {"b:1", 1}, {"a:2", 1}, {"b:2", 1}};
    assert_ok(ctx, cau_data_add(ctx, data, "y", 1, x, ROWS));
    assert_ok(ctx, cau_data_add(ctx, data, "n", 1, x, 0));
    assert_ok(ctx, cau_data_close(ctx, data));
    cau_rng_init(&rng, 2);
    size_t zero = 0;
    for (int trial = 0; trial < 300; trial++) {
        const bool scaled = trial % 3;
        double scale[ROWS], v[N], z[N];
        const double step = 0.01 + 3 * cau_rng_real(&rng);
        for (size_t i = 0; i < ROWS; i++) scale[i] = scaled ? 0.1 + 3 * cau_rng_real(&rng) : 1;
        for (size_t k = 0; k < N; k++) z[k] = v[k] = 3 * cau_rng_real(&rng) - 1.5;
        const cau_group_penalty_options o = {.data = data,
                                             .by = CAU_GROUP_TEMPLATE,
                                             .nodes = {.rows = ROWS, .width = Y},
                                             .scale = scaled ? scale : NULL,
                                             .l1 = 0.8,
                                             .threads = 1};
        cau_group_penalty *groups = NULL;
        assert_ok(ctx, cau_group_penalty_new(ctx, &o, &groups));
        cau_group_penalty_prox(groups, step, z);
        double value = step * cau_group_penalty_penalty(groups, z), norm[KINDS] = {0}, want = 0;
        for (size_t k = 0; k < N; k++) {
            value += (z[k] - v[k]) * (z[k] - v[k]) / 2;
            norm[k / Y % KINDS] += z[k] * z[k] / (scale[k / Y] * scale[k / Y]);
        }
        for (size_t i = 0; i < KINDS; i++) want += 0.8 * sqrt(6) * sqrt(norm[i]);
        assert_near(cau_group_penalty_penalty(groups, z), want, 1e-12 * (1 + want));
        for (size_t i = 0; i < KINDS; i++) zero += norm[i] == 0;
        for (int i = 0; i < 40; i++) {
            double near[N], other = 0, far = i % 2 ? 1e-1 : 1e-4;
            for (size_t k = 0; k < N; k++) {
                near[k] = z[k] + (cau_rng_real(&rng) - 0.5) * far;
                other += (near[k] - v[k]) * (near[k] - v[k]) / 2;
            }
            other += step * cau_group_penalty_penalty(groups, near);
            assert_true(other >= value - 1e-13);
        }
        cau_group_penalty_free(groups);
    }
    assert_true(zero > 50 && zero < 550);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Without groups the solver agrees with OWL-QN; without l1, with L-BFGS. */
static void test_single_weights(void **state)
{
    (void)state;
    static const double l1[] = {0, 0.4};
    caucus_ctx *ctx = test_ctx();
    for (int variant = 0; variant < 4; variant++) {
        caucus_data *data = variant & 1 ? sample_columns(ctx, false, 31) : instances(ctx);
        cau_train_options o = options_of(variant & 1 ? CAU_MODEL_CRF : CAU_MODEL_MAXENT,
                                         CAU_GROUP_NONE, l1[variant >> 1], 0.2);
        cau_fit_result reference = {0}, other = {0};
        assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 2, &reference));
        o.solver = CAU_SOLVER_PROXIMAL;
        assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 2, &other));
        assert_near(other.objective, reference.objective, 1e-8 * reference.objective);
        if (variant >> 1) assert_near((double)other.nonzero, (double)reference.nonzero, 2);
        cau_fit_result_clear(&reference);
        cau_fit_result_clear(&other);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* ---- what the model tells ---- */

static void test_report(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = instances(ctx);
    caucus_model *model = NULL;
    cau_train_options o = options_of(CAU_MODEL_MAXENT, CAU_GROUP_TEMPLATE, 2, 0);
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &model));
    assert_string_equal(cau_model_info(model, "solver"), "proximal");
    assert_near(sample_info(model, "groups"), 4, 0);
    assert_near(sample_info(model, "groups.kept"), 1, 0);
    assert_string_equal(cau_model_info(model, "groups.dropped"), "f3 noise shape");
    assert_string_equal(cau_model_info(model, "penalty.definition"),
                        "2 * sum over templates of sqrt(weights * sum of w^2); the intercept is "
                        "not regularised");
    assert_int_equal(model->nodes.K, 3); /* word:0, word:1, word:2 */
    for (size_t k = 0; k < model->nodes.K; k++)
        assert_memory_equal(cau_model_name(&model->nodes, k).s, "word:", 5);
    cau_model_free(model);
    o.group = CAU_GROUP_FEATURE;
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &model));
    assert_near(sample_info(model, "groups"), (double)data->train.K, 0);
    assert_true(sample_info(model, "groups.kept") < sample_info(model, "groups"));
    assert_null(cau_model_info(model, "groups.dropped"));
    cau_model_free(model);
    cau_data_free(data);

    data = sample_columns(ctx, false, 31); /* this penalty leaves all weights 0 */
    o = options_of(CAU_MODEL_CRF, CAU_GROUP_TEMPLATE, 1000, 0);
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &model));
    assert_near(sample_info(model, "groups.kept"), 0, 0);
    assert_near(sample_info(model, "nonzero"), 0, 0);
    assert_string_equal(cau_model_info(model, "groups.dropped"), "(transitions) B1 U00 U01 U02");
    cau_model_free(model);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The report names some of many dropped groups and counts the others. */
static void test_many_names(void **state)
{
    (void)state;
    enum { KINDS = 60 };
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    cau_group_penalty *groups = NULL;
    cau_strbuf text = {0};
    double w[KINDS] = {0};
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (int i = 0; i < KINDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "U%d:x", i);
        const caucus_feature x = {name, 1};
        assert_ok(ctx, cau_data_add(ctx, data, i % 2 ? "a" : "b", 1, &x, 1));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    w[2] = 1;
    const cau_group_penalty_options o = {.data = data,
                                         .by = CAU_GROUP_TEMPLATE,
                                         .nodes = {.rows = KINDS, .width = 1},
                                         .l1 = 1,
                                         .threads = 1};
    assert_ok(ctx, cau_group_penalty_new(ctx, &o, &groups));
    cau_group_penalty_describe(groups, w, &text);
    assert_ok(ctx, cau_strbuf_status(ctx, &text));
    assert_non_null(strstr(text.s, "groups\t60\ngroups.kept\t1\ngroups.dropped\tU0 U1 U3 U4 "));
    assert_non_null(strstr(text.s, " U49 U50 and 9 more\n"));
    cau_strbuf_clear(&text);
    cau_group_penalty_free(groups);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_same_bytes(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 7);
    for (int by = CAU_GROUP_FEATURE; by <= CAU_GROUP_TEMPLATE; by++) {
        caucus_model *one = NULL, *many = NULL;
        cau_train_options o = options_of(CAU_MODEL_CRF, (cau_group)by, 0.5, 0.1);
        o.stop.iterations = 30;
        assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &one));
        assert_ok(ctx, cau_fit(ctx, data, &o, 1, 5, &many));
        assert_same_model(one, many);
        cau_model_free(one);
        cau_model_free(many);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_refusals(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_train_options o = options_of(CAU_MODEL_CRF, CAU_GROUP_TEMPLATE, 0, 1);
    assert_fails(ctx, cau_fit_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "add --l1");
    o.l1 = 1;
    assert_ok(ctx, cau_fit_check(ctx, &o));
    o.solver = CAU_SOLVER_OWLQN;
    assert_fails(ctx, cau_fit_check(ctx, &o), CAUCUS_ERR_ARGUMENT,
                 "--solver owlqn cannot minimise a penalty on groups; use proximal");
    o.solver = CAU_SOLVER_PROXIMAL;
    assert_ok(ctx, cau_fit_check(ctx, &o));
    caucus_ctx_free(ctx);
}

/* ---- going on, and without memory ---- */

/* A run that is stopped and resumed ends like an uninterrupted one. */
static void test_resume(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 7);
    cau_train_options o = options_of(CAU_MODEL_CRF, CAU_GROUP_TEMPLATE, 0.5, 0.1);
    o.stop.iterations = 20;
    caucus_model *whole = NULL, *part = NULL;
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &whole));
    size_t last = 7;
    char *path = strdup(test_path("groups.model"));
    o.output = path;
    caucus_on_progress(ctx, stop_after, &last);
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &part));
    cau_model_free(part);
    last = 1000;
    o.resume = true;
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &part));
    assert_same_model(whole, part);
    cau_model_free(whole);
    cau_model_free(part);
    free(path);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_failed_allocations(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 9);
    for (int by = CAU_GROUP_FEATURE; by <= CAU_GROUP_TEMPLATE; by++) {
        fit_attempt a = {ctx, data, options_of(CAU_MODEL_CRF, (cau_group)by, 5, 0)};
        a.options.stop.iterations = 1;
        assert_true(test_every_allocation(try_fit, &a) > 30);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prox),
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_single_weights),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests_name("train/group_penalty", tests, NULL, NULL);
}
