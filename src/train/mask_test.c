/* mask_test.c - masked features: a run without some rows equals a run on data that lacks them. */

#include <math.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "support/train_sample.h"
#include "train/resolve_options.h"
#include "train/seen.h"

/* ---- data with and without ---- */

static bool is_masked(cau_str name)
{
    return (name.n >= 3 && memcmp(name.s, "U02", 3) == 0) ||
           (name.n >= 2 && memcmp(name.s, "B1", 2) == 0) ||
           (name.n == 2 && (name.s[1] == '1' || name.s[1] == '4')); /* f1, f4 */
}

static uint8_t *mask_of(const cau_alphabet *names)
{
    const size_t K = cau_alphabet_size(names);
    uint8_t *keep = malloc(K + 1);
    for (uint32_t k = 0; k < K; k++) keep[k] = !is_masked(cau_alphabet_name(names, k));
    return keep;
}

/* Instances with values; if `reduced`, without some of their features. */
static caucus_data *instances(caucus_ctx *ctx, bool reduced)
{
    cau_rng rng;
    caucus_data *data = NULL;
    cau_rng_init(&rng, 17);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < 80; i++) {
        char name[6][4], label[] = {'y', 0, 0};
        caucus_feature x[6];
        size_t n = 0;
        for (size_t k = 0; k < 6; k++) {
            const bool there = cau_rng_real(&rng) < 0.5;
            const double value = 0.25 + cau_rng_real(&rng);
            snprintf(name[n], sizeof name[n], "f%zu", k);
            if (!there || (reduced && is_masked((cau_str){name[n], 2}))) continue;
            x[n] = (caucus_feature){name[n], value};
            n++;
        }
        label[1] = (char)('0' + cau_rng_below(&rng, 3));
        assert_ok(ctx, cau_data_add(ctx, data, label, 1, x, n));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

/* Sequences; if `reduced`, read with a shorter template. */
static caucus_data *sequences(caucus_ctx *ctx, bool reduced)
{
    static const char all[] = "U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,0]/%x[1,0]\n\nB\n"
                              "B1:%x[0,0]\nB2:%x[-1,0]\n";
    static const char fewer[] = "U00:%x[-1,0]\nU01:%x[0,0]\n\nB\nB2:%x[-1,0]\n";
    cau_rng rng;
    cau_strbuf text = {0};
    caucus_data *data = NULL;
    cau_rng_init(&rng, 23);
    for (size_t s = 0; s < 12; s++) {
        for (size_t T = 1 + cau_rng_below(&rng, 5); T > 0; T--) {
            const size_t word = cau_rng_below(&rng, 4);
            cau_strbuf_printf(&text, "w%zu\t%s\n", word, sample_tag(&rng, word, false));
        }
        cau_strbuf_printf(&text, "\n");
    }
    char *template = strdup(test_file("mask.template", reduced ? fewer : all,
                                      (reduced ? sizeof fewer : sizeof all) - 1));
    const char *path = test_file("mask.txt", text.s, text.n);
    cau_data_options how = {.read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1},
                            .template = template};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    free(template);
    cau_strbuf_clear(&text);
    return data;
}

/* Explicit features: a row for each class, one weight each. */
static caucus_data *explicit_features(caucus_ctx *ctx, bool reduced)
{
    static const char all[] =
        "1 # f0 f1 # f1 f2 # f3\n0 # f0 # f1 f4 # f2 f3\n2 # f3 # f0 f2 # f1\n"
        "1 # f2 # f0 # f4\n";
    static const char fewer[] = "1 # f0 # f2 # f3\n0 # f0 #  # f2 f3\n2 # f3 # f0 f2 # \n"
                                "1 # f2 # f0 # \n";
    const char *path =
        test_file("mask.megam", reduced ? fewer : all, (reduced ? sizeof fewer : sizeof all) - 1);
    cau_data_options how = {.read = {.format = CAU_FORMAT_MEGAM, .ngrams = 1}};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    return data;
}

/* ---- comparison ---- */

/* The weight of a cell of a result; 0 if it has none. */
static double weight_at(const cau_fit_result *r, bool edge, size_t k, size_t cell)
{
    const cau_table *t = edge ? &r->edges : &r->nodes;
    const size_t at = cau_table_find(t, k, cell);
    if (at == SIZE_MAX) return 0;
    return r->w[(edge ? cau_table_size(&r->nodes) : 0) + at];
}

/* Compares the rows of nodes or edges by name; masked rows are empty. */
static void compare_rows(const cau_alphabet *names, const cau_alphabet *fewer, bool edge,
                         const cau_fit_result *masked, const cau_fit_result *reduced,
                         double tolerance)
{
    const cau_table *t = edge ? &masked->edges : &masked->nodes;
    assert_int_equal(t->rows, cau_alphabet_size(names));
    for (uint32_t k = 0; k < t->rows; k++) {
        const cau_str name = cau_alphabet_name(names, k);
        const uint32_t other = cau_alphabet_find(fewer, name.s, name.n);
        assert_int_equal(other == CAU_UNKNOWN, is_masked(name));
        if (is_masked(name))
            assert_int_equal(cau_table_at(t, k), cau_table_at(t, k + 1));
        else
            for (size_t cell = 0; cell < t->width; cell++)
                assert_near(weight_at(masked, edge, k, cell), weight_at(reduced, edge, other, cell),
                            tolerance);
    }
}

typedef caucus_data *make_data(caucus_ctx *ctx, bool reduced);

static void compare(caucus_ctx *ctx, make_data *make, cau_train_options o, double objective,
                    double weights)
{
    caucus_data *data = make(ctx, false), *fewer = make(ctx, true);
    uint8_t *rows = mask_of(data->alphabets.names), *edge_rows = mask_of(data->alphabets.edges);
    cau_fit_result masked = {0}, reduced = {0};
    data->test = data->train; /* borrowed */
    fewer->test = fewer->train;
    assert_ok(ctx, cau_fit_weights(ctx, fewer, &o, 1, 2, &reduced));
    o.rows = rows;
    o.edge_rows = edge_rows;
    assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 2, &masked));
    if (cau_solver_is_perceptron(cau_train_solver(&o, data))) /* perceptrons report no objective */
        assert_true(isnan(masked.objective) && isnan(reduced.objective));
    else
        assert_near(masked.objective, reduced.objective, objective * reduced.objective);
    assert_int_equal(masked.n, reduced.n);
    assert_memory_equal(masked.answer, reduced.answer, data->test.N * sizeof *masked.answer);
    compare_rows(data->alphabets.names, fewer->alphabets.names, false, &masked, &reduced, weights);
    compare_rows(data->alphabets.edges, fewer->alphabets.edges, true, &masked, &reduced, weights);
    const size_t common = cau_table_size(&masked.nodes) + cau_table_size(&masked.edges);
    const size_t theirs = cau_table_size(&reduced.nodes) + cau_table_size(&reduced.edges);
    assert_int_equal(masked.n - common, reduced.n - theirs);
    for (size_t c = 0; c < masked.n - common; c++)
        assert_near(masked.w[common + c], reduced.w[theirs + c], weights);

    /* the model contains the remaining rows */
    caucus_model *model = NULL;
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &model));
    for (size_t k = 0; k < model->nodes.K; k++)
        assert_false(is_masked(cau_model_name(&model->nodes, k)));
    cau_model_free(model);
    cau_fit_result_clear(&masked);
    cau_fit_result_clear(&reduced);
    data->test = fewer->test = (cau_dataset){0};
    cau_data_free(data);
    cau_data_free(fewer);
    free(rows);
    free(edge_rows);
}

/* The solvers, and how close two runs come that take different steps. */
static const struct {
    cau_solver_kind kind;
    double l1, l2, objective, weights;
    size_t iterations;
} solvers[] = {
    {CAU_SOLVER_LBFGS, 0, 1, 1e-9, 1e-5, 1000}, {CAU_SOLVER_OWLQN, 0.3, 0.1, 1e-9, 1e-5, 1000},
    {CAU_SOLVER_GIS, 0, 1, 1e-9, 1e-4, 3000},   {CAU_SOLVER_IIS, 0, 1, 1e-9, 1e-4, 3000},
    {CAU_SOLVER_SGD, 0.3, 0.5, 1e-9, 1e-8, 30}, {CAU_SOLVER_ADAGRAD, 0.3, 0.5, 1e-9, 1e-8, 30},
    {CAU_SOLVER_SDCA, 0, 1, 1e-9, 1e-4, 1000},  {CAU_SOLVER_PERCEPTRON, 0, 0, 1e-9, 1e-9, 30},
    {CAU_SOLVER_PA, 0, 0, 1e-9, 1e-9, 30},      {CAU_SOLVER_AROW, 0, 0, 1e-9, 1e-9, 30},
    {CAU_SOLVER_FOBOS, 0.3, 0, 1e-9, 1e-8, 30}, {CAU_SOLVER_PROXIMAL, 0.3, 0.1, 1e-9, 1e-4, 2000},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static cau_train_options options_of(size_t solver, cau_model_choice model, int variant)
{
    cau_train_options o =
        sample_options(solvers[solver].kind, solvers[solver].l1, solvers[solver].l2);
    o.model = model;
    o.states = variant & 1 ? CAU_STATES_SEEN : CAU_STATES_ALL;
    o.transitions = variant & 2 ? CAU_TRANSITIONS_SEEN : CAU_TRANSITIONS_ALL;
    o.pa_type = 1;
    o.pa_c = 1;
    o.arow_variance = o.arow_gamma = 1;
    o.stop.iterations = solvers[solver].iterations;
    return o;
}

static bool is_perceptron(size_t solver)
{
    return cau_solver_is_perceptron(solvers[solver].kind);
}

static void test_classifiers(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t s = 0; s < SOLVERS; s++)
        for (int variant = 0; variant < 2; variant++)
            if (!is_perceptron(s))
                compare(ctx, instances, options_of(s, CAU_MODEL_MAXENT, variant),
                        solvers[s].objective, solvers[s].weights);
    caucus_ctx_free(ctx);
}

static void test_explicit(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t s = 0; s < SOLVERS; s++)
        if (!is_perceptron(s))
            compare(ctx, explicit_features, options_of(s, CAU_MODEL_MAXENT, 0),
                    solvers[s].objective, solvers[s].weights);
    caucus_ctx_free(ctx);
}

static void test_chains(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t s = 0; s < SOLVERS; s++)
        for (int variant = 0; variant < 4; variant++)
            for (int model = 0; model < 2; model++)
                if (!is_perceptron(s) || model == 0)
                    compare(ctx, sequences,
                            options_of(s, model ? CAU_MODEL_MEMM : CAU_MODEL_CRF, variant),
                            solvers[s].objective, solvers[s].weights);
    caucus_ctx_free(ctx);
}

/* Without any row, the common weights remain; without those too, training is refused. */
static void test_nothing_left(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sequences(ctx, false);
    uint8_t none[256] = {0};
    assert_true(data->train.K < sizeof none && data->train.E < sizeof none);
    for (size_t s = 0; s < SOLVERS; s++) {
        cau_train_options o = options_of(s, CAU_MODEL_CRF, 1);
        cau_fit_result r = {0};
        o.rows = o.edge_rows = none;
        o.stop.iterations = 20;
        assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 1, &r));
        assert_int_equal(r.n, 9);
        cau_fit_result_clear(&r);
    }
    cau_data_free(data);

    data = instances(ctx, false);
    for (size_t s = 0; s < SOLVERS; s++) {
        cau_train_options o = options_of(s, CAU_MODEL_MAXENT, 0);
        cau_fit_result r = {0};
        if (is_perceptron(s) || solvers[s].kind == CAU_SOLVER_GIS ||
            solvers[s].kind == CAU_SOLVER_IIS)
            continue; /* perceptrons need sequences, and FOBOS reports that it needs a feature */
        o.rows = none;
        o.no_bias = true;
        o.stop.iterations = 20;
        assert_ok(ctx, cau_fit_weights(ctx, data, &o, 1, 1, &r));
        assert_int_equal(r.n, 0);
        assert_near(r.objective, 80 * 1.0986122886681098, 1e-9);
        cau_fit_result_clear(&r);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- tables ---- */

static void test_tables(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    size_t start[] = {0, 2, 2, 5};
    uint32_t cell[] = {1, 3, 0, 2, 3};
    static const uint8_t keep[] = {0, 1, 1};
    static const size_t listed[] = {0, 0, 0, 3}, whole[] = {0, 0, 4, 8};
    static const uint32_t every[] = {0, 1, 2, 3, 0, 1, 2, 3};
    const cau_table some = {.rows = 3, .width = 4, .start = start, .cell = cell};
    const cau_table all = {.rows = 3, .width = 4};
    cau_table out;
    assert_ok(ctx, cau_table_mask(ctx, &some, keep, &out));
    assert_memory_equal(out.start, listed, sizeof listed);
    assert_memory_equal(out.cell, cell + 2, 3 * sizeof *cell);
    cau_table_clear(&out);
    assert_ok(ctx, cau_table_mask(ctx, &all, keep, &out));
    assert_int_equal(out.width, 4);
    assert_memory_equal(out.start, whole, sizeof whole);
    assert_memory_equal(out.cell, every, sizeof every);
    cau_table_clear(&out);
    assert_ok(ctx, cau_table_copy(ctx, &some, &out));
    assert_memory_equal(out.start, start, sizeof start);
    assert_memory_equal(out.cell, cell, sizeof cell);
    cau_table_clear(&out);
    assert_ok(ctx, cau_table_copy(ctx, &all, &out));
    assert_int_equal(cau_table_size(&out), 12);
    assert_null(out.start);
    caucus_ctx_free(ctx);
}

static void test_failed_allocations(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sequences(ctx, false);
    uint8_t *rows = mask_of(data->alphabets.names), *edge_rows = mask_of(data->alphabets.edges);
    for (int variant = 0; variant < 4; variant++) {
        fit_attempt a = {ctx, data, options_of(0, CAU_MODEL_CRF, variant)};
        a.options.rows = rows;
        a.options.edge_rows = edge_rows;
        a.options.stop.iterations = 1;
        assert_true(test_every_allocation(try_weights, &a) > 30);
    }
    free(rows);
    free(edge_rows);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),       cmocka_unit_test(test_classifiers),
        cmocka_unit_test(test_explicit),     cmocka_unit_test(test_chains),
        cmocka_unit_test(test_nothing_left), cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests_name("train/mask", tests, NULL, NULL);
}
