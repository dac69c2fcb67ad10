/* problem_test.c - the objective and its gradient, checked against central differences and the
 * worked example. */

#include <math.h>
#include <stdlib.h>

#include "support/train_sample.h"
#include "train/problem.h"

static bool is_fixed(const cau_problem *p, size_t k)
{
    return p->fixed && p->fixed[k];
}

/* F, and the gradient g [n] of its smooth part. */
static double evaluate(cau_problem *p, const double *v, double *g)
{
    double f = NAN;
    assert_int_equal(cau_problem_smooth(p, v, &f, g), CAUCUS_OK);
    return f + cau_problem_penalty(p, v);
}

/* Checks the gradient of F (l1 included) at random nonzero weights. */
static void check_gradient(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *o)
{
    cau_problem p;
    cau_rng rng;
    assert_ok(ctx, cau_problem_init(ctx, data, o, 2, &p));
    double *w = malloc(p.n * sizeof *w), *g = malloc(p.n * sizeof *g);
    double *scratch = malloc(p.n * sizeof *scratch);
    cau_rng_init(&rng, 3);
    for (size_t k = 0; k < p.n; k++) {
        w[k] = 0.1 + cau_rng_real(&rng);
        if (cau_rng_below(&rng, 2)) w[k] = -w[k];
        if (is_fixed(&p, k)) w[k] = 0;
    }
    evaluate(&p, w, g);
    for (size_t k = 0; k < p.n; k++) {
        const double h = 1e-5;
        double at = w[k], f[2], derivative;
        if (is_fixed(&p, k)) {
            assert_near(g[k], 0, 0);
            continue;
        }
        for (int side = 0; side < 2; side++) {
            w[k] = at + (side ? h : -h);
            f[side] = evaluate(&p, w, scratch);
        }
        w[k] = at;
        derivative = g[k];
        if (k < p.penalised) derivative += at > 0 ? p.l1 : -p.l1;
        assert_near(derivative, (f[1] - f[0]) / (2 * h), 1e-6);
    }

    /* converts to the model's weights and back */
    double *model = malloc(p.model_n * sizeof *model);
    cau_problem_to_model(&p, w, model);
    cau_problem_from_model(&p, model, scratch);
    for (size_t k = 0; k < p.n; k++) assert_near(scratch[k], w[k], 1e-13);
    free(model);
    free(w);
    free(g);
    free(scratch);
    cau_problem_clear(&p);
}

static void test_gradient(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double penalties[][2] = {{0, 0}, {0, 1}, {0.7, 0}, {0.3, 2}};
    for (size_t i = 0; i < 4; i++) {
        for (int kind = 0; kind < 8; kind++) {
            caucus_data *data = sample_random(ctx, 40, 6, 3, kind & 1, kind & 2, 5);
            cau_train_options o = sample_options(CAU_SOLVER_AUTO, penalties[i][0], penalties[i][1]);
            o.no_bias = kind & 4;
            o.states = kind & 1 ? CAU_STATES_SEEN : CAU_STATES_ALL;
            o.class_weight = kind & 2 ? "balanced" : NULL;
            check_gradient(ctx, data, &o);
            cau_data_free(data);
        }
    }
    caucus_ctx_free(ctx);
}

/* Each feature has two companions that always occur with it. They are merged: F is that of the
 * original data, and companions get equal weights. */
static void test_merged(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double penalties[][2] = {{0, 1}, {0.7, 0}, {0.3, 2}};
    for (size_t i = 0; i < 3; i++) {
        caucus_data *data = sample_companions(ctx, 60, 5, 3, 7);
        cau_train_options o = sample_options(CAU_SOLVER_AUTO, penalties[i][0], penalties[i][1]);
        check_gradient(ctx, data, &o);

        cau_problem merged, plain;
        assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &merged));
        assert_int_equal(merged.set->K, 5);
        o.solver = CAU_SOLVER_SGD; /* needs the data unmerged */
        assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &plain));
        assert_int_equal(plain.n, 15 * 3 + 3);
        assert_int_equal(plain.n, merged.model_n);

        cau_rng rng;
        double v[18], w[48], g[48];
        cau_rng_init(&rng, i);
        for (size_t k = 0; k < 18; k++) v[k] = cau_rng_real(&rng) - 0.5;
        cau_problem_to_model(&merged, v, w);
        assert_near(evaluate(&merged, v, g), evaluate(&plain, w, g), 1e-10);
        double part[2][3];
        assert_int_equal(cau_problem_measure(&merged, v, &part[0][0], &part[0][1], &part[0][2]),
                         CAUCUS_OK);
        assert_int_equal(cau_problem_measure(&plain, w, &part[1][0], &part[1][1], &part[1][2]),
                         CAUCUS_OK);
        for (size_t j = 0; j < 3; j++) assert_near(part[0][j], part[1][j], 1e-9);
        cau_problem_clear(&merged);
        cau_problem_clear(&plain);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* l2 centred at the weights of another model. */
static void test_gradient_with_mean(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 40, 6, 3, true, false, 5);
    caucus_data *other = sample_random(ctx, 40, 8, 4, true, false, 6);
    caucus_model *model = NULL;
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0.5);
    assert_ok(ctx, cau_fit(ctx, other, &o, 1, 1, &model));
    const char *path = test_path("mean.cau");
    assert_ok(ctx, cau_model_save(ctx, model, path));
    o.mean = path;
    check_gradient(ctx, data, &o);

    /* the mean by name: class y1 of feature f2 */
    cau_problem p;
    assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
    uint32_t k = cau_alphabet_find(data->alphabets.names, "f2", 2),
             row = cau_model_find(model, &model->nodes, "f2", 2);
    uint32_t y = cau_alphabet_find(data->labels, "y1", 2);
    uint32_t theirs = cau_model_label_find(model, (cau_str){"y1", 2});
    assert_near(p.mean[k * 3 + y], cau_model_weight(&model->nodes, row, theirs), 0);
    cau_problem_clear(&p);
    cau_model_free(model);
    cau_data_free(data);
    cau_data_free(other);
    caucus_ctx_free(ctx);
}

/* Explicit features have one weight each and a row for each class. */
static void test_explicit_features(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char text[] = "1 # a b # b c # d\n0 # a # b b # c d\n2 # d # a c # b\n1 # c # a # b\n";
    const char *path = test_file("explicit.megam", text, sizeof text - 1);
    cau_data_options how = {.read = {.format = CAU_FORMAT_MEGAM, .ngrams = 1}};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    assert_int_equal(data->train.width, 1);
    assert_int_equal(data->train.group, 3);
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0.3);
    check_gradient(ctx, data, &o);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The worked example of a coin: H T H H, with returns +100 and -50. */
static void test_coin(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const char text[] = "0 # return 100 # return -50\n1 # return 100 # return -50\n"
                               "0 # return 100 # return -50\n0 # return 100 # return -50\n";
    const char *path = test_file("coin.megam", text, sizeof text - 1);
    cau_data_options how = {.read = {.format = CAU_FORMAT_MEGAM, .ngrams = 1, .values = true}};
    caucus_data *data = NULL;
    cau_problem p;
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0);
    assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
    double count, expected, loss, w = 0;
    cau_problem_counts(&p, &count);
    assert_near(count / 4, 62.5, 1e-12);
    assert_int_equal(cau_pass_expect(p.pass, &w, &loss, &expected), CAUCUS_OK);
    assert_near(expected / 4, 25, 1e-12);
    cau_problem_clear(&p);

    caucus_model *model = NULL; /* at the optimum the expectations agree: p(H) = 3/4 */
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &model));
    w = cau_model_weight(&model->nodes, 0, 0);
    assert_near(1 / (1 + exp(-150 * w)), 0.75, 1e-6);
    cau_model_free(model);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Raw counts of the worked example, and expectations under the uniform model. */
static void test_lecture_tables(void **state)
{
    (void)state;
    static const double raw[2][3][4] = {{{1, 1, 2, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}},
                                        {{1, 1, 1, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}}};
    static const double uniform12[2][4] = {{3, 1, 3, 2}, {3, 1, 2, 2}};
    caucus_ctx *ctx = test_ctx();
    for (int b = 0; b < 2; b++) {
        caucus_data *data = sample_lecture(ctx, b ? 'B' : 'A');
        cau_problem p;
        cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0);
        o.no_bias = true;
        assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
        double w[12] = {0}, counts[12], E[12], loss;
        cau_problem_counts(&p, counts);
        assert_int_equal(cau_pass_expect(p.pass, w, &loss, E), CAUCUS_OK);
        assert_near(loss, 4.394449155, 1e-9);
        for (uint32_t t = 0; t < 4; t++) {
            char name[3] = {'t', (char)('1' + t), 0};
            uint32_t k = cau_alphabet_find(data->alphabets.names, name, 2);
            for (size_t y = 0; y < 3; y++) {
                assert_near(counts[k * 3 + y], raw[b][y][t], 0);
                assert_near(E[k * 3 + y] / 4, uniform12[b][t] / 12, 1e-12);
            }
        }
        cau_problem_clear(&p);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

static void test_class_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_lecture(ctx, 'A');
    cau_problem p;
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 1);
    o.class_weight = "balanced"; /* c1 twice, c2 and c3 once: 4 / (3 * count) */
    assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
    static const double balanced[] = {2.0 / 3, 4.0 / 3, 2.0 / 3, 4.0 / 3};
    for (size_t i = 0; i < 4; i++) assert_near((double)p.weight[i], balanced[i], 1e-7);
    cau_problem_clear(&p);
    o.class_weight = "c2=5,c3=0.5";
    assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
    static const double listed[] = {1, 5, 1, 0.5};
    for (size_t i = 0; i < 4; i++) assert_near((double)p.weight[i], listed[i], 0);
    cau_problem_clear(&p);
    static const char *const wrong[] = {"c9=1", "c1", "c1=x", "c1=-1", "c1=inf", "=1", "c1=1,,"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.class_weight = wrong[i];
        assert_fails(ctx, cau_problem_init(ctx, data, &o, 1, &p), CAUCUS_ERR_ARGUMENT,
                     "--class-weight");
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Both sequence models, with transitions and edge observations, all and seen pairs, full and
 * partial labels, and sequence weights. */
static void test_gradient_of_chains(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const double penalties[][2] = {{0, 0.5}, {0.3, 0.2}};
    for (int variant = 0; variant < 64; variant++) {
        bool partial = variant & 1;
        caucus_data *data = variant & 2 ? sample_columns(ctx, partial, (uint64_t)variant)
                                        : sample_sequences(ctx, 12, partial, (uint64_t)variant);
        assert_int_equal(data->train.partial, partial);
        const double *penalty = penalties[variant >> 2 & 1];
        cau_train_options o = sample_options(penalty[0] > 0 ? CAU_SOLVER_OWLQN : CAU_SOLVER_LBFGS,
                                             penalty[0], penalty[1]);
        o.model = variant & 8 ? CAU_MODEL_MEMM : CAU_MODEL_CRF;
        o.states = variant & 16 ? CAU_STATES_SEEN : CAU_STATES_ALL;
        o.transitions = variant & 32 ? CAU_TRANSITIONS_SEEN : CAU_TRANSITIONS_ALL;
        check_gradient(ctx, data, &o);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* The loss of a small CRF against the sum over all labellings. */
static void test_chain_by_enumeration(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 5);
    const cau_dataset *set = &data->train;
    cau_train_options o = sample_options(CAU_SOLVER_SGD, 0, 0); /* no merged columns */
    o.model = CAU_MODEL_CRF;
    o.states = CAU_STATES_ALL;
    cau_problem p;
    assert_ok(ctx, cau_problem_init(ctx, data, &o, 2, &p));
    assert_true(cau_problem_is_plain(&p));
    assert_true(set->E > 0);
    const size_t Y = set->Y;
    double *w = malloc(p.n * sizeof *w), *g = malloc(p.n * sizeof *g), want = 0;
    const double *edges = w + set->K * Y, *plain = edges + set->E * Y * Y;
    cau_rng rng;
    cau_rng_init(&rng, 8);
    for (size_t k = 0; k < p.n; k++) w[k] = cau_rng_real(&rng) - 0.5;

    for (size_t s = 0; s < set->S; s++) {
        size_t first = set->sequence[s], T = set->sequence[s + 1] - first, paths = 1;
        double sum = 0, gold = 0;
        for (size_t t = 0; t < T; t++) paths *= Y;
        for (size_t path = 0; path < paths; path++) {
            double score = 0;
            bool is_gold = true;
            size_t before = 0;
            for (size_t t = 0, rest = path; t < T; t++, rest /= Y) {
                size_t i = first + t, y = rest % Y;
                is_gold = is_gold && set->gold[i] == y;
                for (size_t e = set->x.start[i]; e < set->x.start[i + 1]; e++)
                    score += w[set->x.column[e] * Y + y];
                if (t > 0) score += plain[before * Y + y];
                for (size_t e = set->e.start[i]; e < set->e.start[i + 1]; e++)
                    score += edges[set->e.column[e] * Y * Y + before * Y + y];
                before = y;
            }
            sum += exp(score);
            if (is_gold) gold = score;
        }
        want += log(sum) - gold;
    }
    double loss, penalty, share;
    assert_int_equal(cau_problem_measure(&p, w, &loss, &penalty, &share), CAUCUS_OK);
    assert_near(loss, want, 1e-9);
    free(w);
    free(g);
    cau_problem_clear(&p);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_gradient_with_mean),
        cmocka_unit_test(test_merged),
        cmocka_unit_test(test_explicit_features),
        cmocka_unit_test(test_coin),
        cmocka_unit_test(test_lecture_tables),
        cmocka_unit_test(test_class_weights),
        cmocka_unit_test(test_gradient_of_chains),
        cmocka_unit_test(test_chain_by_enumeration),
    };
    return cmocka_run_group_tests_name("train/problem", tests, NULL, NULL);
}
