/* chain_fit_test.c - training of sequence models: every solver reaches the same optimum, files are
 * equal at any thread count, and chains of length one equal classifiers. */

#include <math.h>
#include <stdlib.h>

#include "support/train_sample.h"
#include "train/problem.h"

static cau_train_options options_of(cau_model_choice model, cau_solver_kind solver, double l1,
                                    double l2)
{
    cau_train_options o = sample_options(solver, l1, l2);
    o.model = model;
    o.states = CAU_STATES_ALL;
    return o;
}

/* On sequences of one position, a CRF and a MEMM equal MaxEnt without intercepts. */
static void test_one_position(void **state)
{
    (void)state;
    static const char *const words[] = {"u", "v", "w", "x"}, *const tags[] = {"A", "B", "C"};
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    caucus_data *data = NULL;
    cau_rng_init(&rng, 4);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < 60; i++) {
        const caucus_feature x[] = {{words[cau_rng_below(&rng, 4)], 1}, {"all", 1}};
        assert_ok(ctx, cau_data_add(ctx, data, tags[cau_rng_below(&rng, 3)], 1, x, 2));
        assert_ok(ctx, cau_data_break(ctx, data));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    cau_train_options o = options_of(CAU_MODEL_MAXENT, CAU_SOLVER_LBFGS, 0, 0.5);
    o.no_bias = true;
    caucus_model *maxent = fit(ctx, data, &o, 1);
    for (int m = 0; m < 2; m++) {
        o.model = m ? CAU_MODEL_CRF : CAU_MODEL_MEMM;
        caucus_model *chain = fit(ctx, data, &o, 1);
        assert_near(sample_info(chain, "objective"), sample_info(maxent, "objective"), 1e-8);
        for (size_t k = 0; k < maxent->nodes.K; k++)
            for (size_t y = 0; y < 3; y++)
                assert_near(cau_model_weight(&chain->nodes, k, y),
                            cau_model_weight(&maxent->nodes, k, y), 1e-5);
        for (size_t c = 0; c < 9; c++) assert_near((double)chain->transitions[c], 0, 0);
        cau_model_free(chain);
    }
    cau_model_free(maxent);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* All solvers of an objective find the same optimum. */
static void test_solvers_agree(void **state)
{
    (void)state;
    static const cau_solver_kind solvers[] = {CAU_SOLVER_OWLQN, CAU_SOLVER_GIS, CAU_SOLVER_IIS,
                                              CAU_SOLVER_SDCA, CAU_SOLVER_PROXIMAL};
    caucus_ctx *ctx = test_ctx();
    for (int variant = 0; variant < 4; variant++) {
        caucus_data *data = sample_columns(ctx, false, 31);
        cau_train_options o =
            options_of(variant & 1 ? CAU_MODEL_MEMM : CAU_MODEL_CRF, CAU_SOLVER_LBFGS, 0, 1);
        o.states = variant & 2 ? CAU_STATES_SEEN : CAU_STATES_ALL;
        o.transitions = variant & 2 ? CAU_TRANSITIONS_SEEN : CAU_TRANSITIONS_ALL;
        caucus_model *lbfgs = fit(ctx, data, &o, 2);
        double best = sample_info(lbfgs, "objective");
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
            o.solver = solvers[i];
            o.stop.epsilon = 1e-5;
            o.stop.iterations = solvers[i] == CAU_SOLVER_SDCA ? 300 : 100000;
            caucus_model *other = fit(ctx, data, &o, 2);
            assert_near(sample_info(other, "objective") / best, 1, 1e-7);
            cau_model_free(other);
        }
        cau_model_free(lbfgs);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* FOBOS comes near the optimum of a CRF, with l1 or l2, and with observations on edges. */
static void test_fobos(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 31);
    for (int l1 = 0; l1 < 2; l1++) {
        cau_train_options o = options_of(CAU_MODEL_CRF, CAU_SOLVER_AUTO, l1, 1 - l1);
        o.states = CAU_STATES_SEEN;
        caucus_model *best = fit(ctx, data, &o, 1);
        o.solver = CAU_SOLVER_FOBOS;
        o.stop.iterations = 300;
        caucus_model *model = fit(ctx, data, &o, 1);
        const double F = sample_info(model, "objective"), least = sample_info(best, "objective");
        assert_true(F >= least - 1e-6);
        assert_near(F / least, 1, 2e-2);
        cau_model_free(model);
        cau_model_free(best);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Perceptrons end without errors on the training data. The model holds averaged weights, which may
 * still make one error in eight. */
static void test_mistakes(void **state)
{
    (void)state;
    static const cau_solver_kind solvers[] = {CAU_SOLVER_PERCEPTRON, CAU_SOLVER_PA};
    static const char text[] = "a X\nb Y\na Z\n\nb X\na Y\nb Z\n\na X\nb Y\n\n";
    caucus_ctx *ctx = test_ctx();
    const char *path = test_file("places.txt", text, sizeof text - 1);
    cau_data_options how = {.read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1}, .partial = true};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    for (int i = 0; i < 8; i++) {
        cau_train_options o = options_of(CAU_MODEL_CRF, solvers[i & 1], 0, 1);
        o.states = i & 2 ? CAU_STATES_SEEN : CAU_STATES_ALL;
        o.pa_type = i & 4 ? 2 : 1;
        o.pa_c = 1;
        caucus_model *model = fit(ctx, data, &o, 1);
        assert_true(strstr(cau_model_info(model, "stop"), "no further improvement"));
        assert_true(sample_info(model, "train.accuracy") >= 0.875);
        assert_null(cau_model_info(model, "objective"));
        cau_model_free(model);
    }
    cau_train_options o = options_of(CAU_MODEL_MEMM, CAU_SOLVER_PA, 0, 1);
    caucus_model *model = NULL;
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &model), CAUCUS_ERR_ARGUMENT,
                 "--solver pa trains a CRF, not a memm");
    o.model = CAU_MODEL_MAXENT;
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &model), CAUCUS_ERR_ARGUMENT,
                 "--solver pa trains a CRF");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Training on new data keeps the features and labels of the first model. */
static void test_features_are_kept(void **state)
{
    (void)state;
    static const char text[] = "c X\nd W\n\nd X\nc W\n\n";
    caucus_ctx *ctx = test_ctx();
    caucus_data *first = sample_columns(ctx, false, 9), *second = NULL;
    cau_train_options o = options_of(CAU_MODEL_CRF, CAU_SOLVER_LBFGS, 0, 1);
    o.states = CAU_STATES_SEEN;
    o.transitions = CAU_TRANSITIONS_SEEN;
    char *saved = strdup(test_path("first.model"));
    o.output = saved;
    caucus_model *a = fit(ctx, first, &o, 1);

    const char *path = test_file("second.txt", text, sizeof text - 1);
    const cau_known known = {.alphabets = first->alphabets, .labels = first->labels};
    cau_data_options how = {
        .read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1, .template = first->template},
        .known = &known};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &second));
    assert_int_equal(second->train.Y, 5); /* B I O, then X W */
    assert_true(second->train.K > first->train.K);
    o.output = NULL;
    o.from = o.mean = saved; /* features that the new data lacks keep their weights */
    caucus_model *b = fit(ctx, second, &o, 1);
    for (size_t k = 0; k < a->nodes.K; k++) {
        cau_str name = cau_model_name(&a->nodes, k);
        uint32_t row = cau_model_find(b, &b->nodes, name.s, name.n);
        assert_true(row != CAU_UNKNOWN);
        if (memcmp(name.s, "U01:w", 5) == 0) /* words that only the first data contains */
            for (size_t y = 0; y < 3; y++)
                assert_near(cau_model_weight(&b->nodes, row, y), cau_model_weight(&a->nodes, k, y),
                            1e-4);
    }
    free(saved);
    cau_model_free(a);
    cau_model_free(b);
    cau_data_free(first);
    cau_data_free(second);
    caucus_ctx_free(ctx);
}

static void test_same_bytes(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int variant = 0; variant < 8; variant++) {
        caucus_data *data = variant & 1 ? sample_columns(ctx, variant & 4, 7)
                                        : sample_sequences(ctx, 300, variant & 4, 7);
        cau_train_options o =
            options_of(variant & 2 ? CAU_MODEL_MEMM : CAU_MODEL_CRF, CAU_SOLVER_LBFGS, 0, 0.7);
        o.states = variant & 4 ? CAU_STATES_SEEN : CAU_STATES_ALL;
        o.stop.iterations = 20;
        caucus_model *first = fit(ctx, data, &o, 1);
        static const unsigned threads[] = {2, 3, 8};
        for (size_t i = 0; i < 3; i++) {
            caucus_model *other = fit(ctx, data, &o, threads[i]);
            assert_same_model(first, other);
            cau_model_free(other);
        }
        cau_model_free(first);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* A run that starts at the optimum stays there, also if it must match features by name. */
static void test_start_from_model(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 9);
    cau_train_options o = options_of(CAU_MODEL_CRF, CAU_SOLVER_LBFGS, 0, 1);
    o.transitions = CAU_TRANSITIONS_SEEN;
    o.output = test_path("from.model");
    caucus_model *first = fit(ctx, data, &o, 1);
    char *path = strdup(o.output);
    o.output = NULL;
    o.from = path;
    o.stop.epsilon = 1e-4; /* the file stores weights as floats */
    caucus_model *second = fit(ctx, data, &o, 1);
    assert_true(sample_info(second, "iterations") <= 1);
    assert_near(sample_info(second, "objective"), sample_info(first, "objective"), 1e-6);
    free(path);
    cau_model_free(first);
    cau_model_free(second);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Without B in the template, positions are independent, and a CRF equals MaxEnt per token. */
static void test_without_transitions(void **state)
{
    (void)state;
    static const char pattern[] = "U0:%x[0,0]\nU1:%x[-1,0]\n";
    static const char text[] = "a X\nb Y\n\nb X\na Y\nb Y\n\na X\n";
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    char *template = strdup(test_file("nodes.template", pattern, sizeof pattern - 1));
    const char *path = test_file("nodes.txt", text, sizeof text - 1);
    cau_data_options how = {.read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1},
                            .template = template};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    cau_train_options o = options_of(CAU_MODEL_MAXENT, CAU_SOLVER_LBFGS, 0, 0.5);
    o.no_bias = true;
    caucus_model *maxent = fit(ctx, data, &o, 1);
    static const cau_solver_kind solvers[] = {CAU_SOLVER_LBFGS, CAU_SOLVER_SGD};
    for (int m = 0; m < 4; m++) {
        o.model = m & 1 ? CAU_MODEL_CRF : CAU_MODEL_MEMM;
        o.solver = solvers[m >> 1];
        o.stop.iterations = 2000;
        caucus_model *chain = fit(ctx, data, &o, 2);
        assert_null(chain->transitions);
        assert_near(sample_info(chain, "objective"), sample_info(maxent, "objective"),
                    m >> 1 ? 1e-3 : 1e-8);
        cau_model_free(chain);
    }
    free(template);
    cau_model_free(maxent);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_refusals(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *partial = sample_columns(ctx, true, 9);
    caucus_model *model = NULL;
    cau_train_options o = options_of(CAU_MODEL_MAXENT, CAU_SOLVER_LBFGS, 0, 1);
    assert_fails(ctx, cau_fit(ctx, partial, &o, 1, 1, &model), CAUCUS_ERR_ARGUMENT,
                 "needs whole labels");
    o = options_of(CAU_MODEL_CRF, CAU_SOLVER_GIS, 0, 1);
    assert_fails(ctx, cau_fit(ctx, partial, &o, 1, 1, &model), CAUCUS_ERR_ARGUMENT,
                 "--solver gis needs whole labels");
    o = options_of(CAU_MODEL_CRF, CAU_SOLVER_SDCA, 0, 1);
    assert_fails(ctx, cau_fit(ctx, partial, &o, 1, 1, &model), CAUCUS_ERR_ARGUMENT,
                 "--solver sdca needs whole labels");
    o = options_of(CAU_MODEL_CRF, CAU_SOLVER_LBFGS, 0, 1);
    o.class_weight = "balanced";
    assert_fails(ctx, cau_fit(ctx, partial, &o, 1, 1, &model), CAUCUS_ERR_ARGUMENT,
                 "--class-weight is for --model maxent");
    cau_data_free(partial);
    caucus_ctx_free(ctx);
}

/* A run without a model file has the same objective, and a start from its weights leaves nothing to
 * do. */
static void test_weights(void **state)
{
    (void)state;
    static const cau_solver_kind solvers[] = {CAU_SOLVER_LBFGS, CAU_SOLVER_OWLQN, CAU_SOLVER_SDCA};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < 3; i++) {
        caucus_data *data = sample_columns(ctx, false, 31);
        cau_train_options o = options_of(CAU_MODEL_CRF, solvers[i], i == 1 ? 0.1 : 0, 1);
        o.states = CAU_STATES_SEEN;
        if (solvers[i] == CAU_SOLVER_SDCA) o.stop.iterations = 100;
        data->test = data->train; /* borrowed: the model is scored on its own training data */
        caucus_model *model = fit(ctx, data, &o, 2);
        cau_fit_result first = {0}, second = {0};
        assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 2, &first));
        assert_near(first.objective, sample_info(model, "objective"), 1e-9 * first.objective);
        assert_near((double)first.nonzero, sample_info(model, "nonzero"), 0);
        size_t right = 0;
        for (size_t t = 0; t < data->test.N; t++) right += first.answer[t] == data->test.gold[t];
        assert_near((double)right / (double)data->test.N, sample_info(model, "test.accuracy"),
                    1e-6);

        o.start = first.w;
        assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 1, &second));
        assert_int_equal(second.n, first.n);
        assert_near(second.objective, first.objective, 1e-6 * first.objective);
        if (i < 2) assert_true(second.iterations * 2 < first.iterations);
        cau_fit_result_clear(&first);
        cau_fit_result_clear(&second);
        cau_model_free(model);
        data->test = (cau_dataset){0};
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

static void test_failed_allocations(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const cau_solver_kind solvers[] = {CAU_SOLVER_LBFGS, CAU_SOLVER_SGD, CAU_SOLVER_SDCA,
                                              CAU_SOLVER_PERCEPTRON, CAU_SOLVER_FOBOS};
    for (size_t i = 0; i < 5; i++) {
        caucus_data *data = sample_columns(ctx, solvers[i] != CAU_SOLVER_SDCA, 9);
        fit_attempt a = {ctx, data, options_of(CAU_MODEL_CRF, solvers[i], 0, 1)};
        a.options.stop.iterations = 1;
        a.options.states = CAU_STATES_SEEN;
        a.options.transitions = CAU_TRANSITIONS_SEEN;
        assert_true(test_every_allocation(try_fit, &a) > 30);
        assert_true(test_every_allocation(try_weights, &a) > 30);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_features_are_kept),
        cmocka_unit_test(test_one_position),
        cmocka_unit_test(test_solvers_agree),
        cmocka_unit_test(test_fobos),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_start_from_model),
        cmocka_unit_test(test_without_transitions),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests_name("train/chain_fit", tests, NULL, NULL);
}
