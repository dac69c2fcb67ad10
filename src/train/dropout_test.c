/* dropout_test.c - which features dropout removes and when, and how dropout changes a model. */

#include "train/dropout.h"

#include <math.h>
#include <stdlib.h>

#include "dataset/feature_group.h"
#include "support/train_sample.h"
#include "train/learner.h"

static cau_train_options options_of(cau_model_choice model, cau_solver_kind solver, double q,
                                    cau_group by)
{
    cau_train_options o = sample_options(solver, 0, 1);
    o.model = model;
    o.dropout = q;
    o.dropout_by = by;
    o.stop.iterations = 10;
    return o;
}

/* ---- examples ---- */

/* A problem with its examples. */
typedef struct {
    cau_problem problem;
    cau_stochastic s;
    cau_online_problem online;
} dropout_problem;

static void problem_open(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *o,
                         dropout_problem *out)
{
    assert_ok(ctx, cau_problem_init(ctx, data, o, 1, &out->problem));
    assert_ok(ctx, cau_stochastic_init(ctx, &out->problem, &out->s));
    out->online = cau_stochastic_problem(&out->s);
    assert_ok(ctx, cau_dropout_init(ctx, data, &out->online, o->dropout, o->dropout_by, 7,
                                    &out->s.dropout));
}

static void problem_close(dropout_problem *t)
{
    cau_stochastic_clear(&t->s);
    cau_problem_clear(&t->problem);
}

/* Example i in one epoch: ids and values, group by group, with -1 after each group. */
typedef struct {
    size_t count;
    double id[400], value[400];
} thinned_example;

static void take_example(dropout_problem *t, size_t i, uint64_t epoch, thinned_example *out)
{
    cau_example e;
    t->s.dropout.epoch = epoch;
    t->online.example(t->online.self, i, &e);
    *out = (thinned_example){0};
    for (size_t g = 0; g < e.groups; g++) {
        for (size_t at = e.start[g]; at < e.start[g + 1]; at++) {
            out->id[out->count] = e.id[at];
            out->value[out->count++] = e.value ? (double)e.value[at] : 1;
        }
        out->id[out->count++] = -1;
        assert_true(out->count < 390);
    }
}

/* Lists the remaining values at their places in the whole example; 0 where dropped. */
static void align(const thinned_example *whole, const thinned_example *left, double *value)
{
    size_t at = 0;
    for (size_t i = 0; i < whole->count; i++) {
        value[i] = 0;
        if (at < left->count && left->id[at] == whole->id[i]) value[i] = left->value[at++];
    }
    assert_int_equal(at, left->count); /* the order is kept and nothing is added */
}

/* Each feature stays with probability 1 - q, and its scaled value is right on average. */
static void test_by_feature(void **state)
{
    (void)state;
    enum { EPOCHS = 3000 };
    caucus_ctx *ctx = test_ctx();
    for (int variant = 0; variant < 3; variant++) {
        caucus_data *data = variant == 0   ? sample_random(ctx, 20, 6, 3, true, false, 5)
                            : variant == 1 ? sample_sequences(ctx, 20, false, 5)
                                           : sample_columns(ctx, false, 5);
        const cau_train_options o = options_of(variant ? CAU_MODEL_CRF : CAU_MODEL_MAXENT,
                                               CAU_SOLVER_SGD, 0.3, CAU_GROUP_FEATURE);
        dropout_problem t;
        thinned_example whole, left;
        double sum[400] = {0}, value[400];
        size_t stays[400] = {0};
        problem_open(ctx, data, &o, &t);
        take_example(&t, 3, 0, &whole); /* epoch 0 drops nothing */
        for (uint64_t epoch = 1; epoch <= EPOCHS; epoch++) {
            take_example(&t, 3, epoch, &left);
            align(&whole, &left, value);
            for (size_t i = 0; i < whole.count; i++) {
                sum[i] += value[i];
                stays[i] += value[i] != 0;
            }
        }
        for (size_t i = 0; i < whole.count; i++) {
            if (whole.id[i] < 0) continue;
            assert_near((double)stays[i] / EPOCHS, 0.7, 0.04);
            assert_near(sum[i] / EPOCHS / whole.value[i], 1, 0.06);
        }
        problem_close(&t);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* A feature group stays or goes as a whole, in all positions; at least one group stays; values are
 * not scaled. */
static void test_by_template(void **state)
{
    (void)state;
    enum { EPOCHS = 4000 };
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 5);
    const cau_train_options o = options_of(CAU_MODEL_CRF, CAU_SOLVER_SGD, 0.5, CAU_GROUP_TEMPLATE);
    dropout_problem t;
    thinned_example whole, left;
    double value[400];
    size_t gone[4] = {0}, nothing = 0;
    problem_open(ctx, data, &o, &t);
    size_t i = 0; /* a sequence with edge observations */
    while (data->train.sequence[i + 1] - data->train.sequence[i] < 3) i++;
    take_example(&t, i, 0, &whole);
    for (uint64_t epoch = 1; epoch <= EPOCHS; epoch++) {
        int seen[4] = {-1, -1, -1, -1}; /* U00 U01 U02 B1 */
        take_example(&t, i, epoch, &left);
        align(&whole, &left, value);
        for (size_t at = 0; at < whole.count; at++) {
            if (whole.id[at] < 0) continue;
            const uint32_t id = (uint32_t)whole.id[at];
            const bool edge = id >= data->train.K;
            const cau_str name =
                edge ? cau_alphabet_name(data->alphabets.edges, id - (uint32_t)data->train.K)
                     : cau_alphabet_name(data->alphabets.names, id);
            const size_t kind = edge ? 3 : (size_t)(name.s[2] - '0');
            const int there = value[at] != 0;
            if (there) assert_near(value[at], whole.value[at], 0);
            assert_true(seen[kind] == -1 || seen[kind] == there);
            seen[kind] = there;
        }
        size_t kinds = 0;
        for (size_t k = 0; k < 4; k++) {
            assert_int_not_equal(seen[k], -1);
            gone[k] += !seen[k];
            kinds += (size_t)seen[k];
        }
        nothing += kinds == 0;
    }
    assert_int_equal(nothing, 0);
    for (size_t k = 0; k < 4; k++) /* 1/2, less the groups restored when all would go: 1/16 * 1/4 */
        assert_near((double)gone[k] / EPOCHS, 0.5 - 1.0 / 64, 0.03);
    problem_close(&t);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The same example in the same epoch is always thinned alike, whatever was computed in between;
 * other epochs differ; a group without weights does not count as one that stays. */
static void test_dropout_is_reproducible(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 5);
    cau_train_options o = options_of(CAU_MODEL_CRF, CAU_SOLVER_SGD, 0.5, CAU_GROUP_FEATURE);
    dropout_problem t;
    thinned_example first, other, again;
    size_t differ = 0;
    problem_open(ctx, data, &o, &t);
    for (uint64_t epoch = 1; epoch < 20; epoch++) {
        take_example(&t, 2, epoch, &first);
        take_example(&t, 2, epoch + 1, &other);
        take_example(&t, 2, epoch, &again);
        assert_memory_equal(&first, &again, sizeof first);
        differ += memcmp(&first, &other, sizeof first) != 0;
    }
    assert_true(differ > 15);
    problem_close(&t);

    uint8_t keep[100] = {0}; /* only U01 has weights, so it is never dropped */
    for (uint32_t k = 0; k < data->train.K; k++)
        keep[k] = memcmp(cau_alphabet_name(data->alphabets.names, k).s, "U01", 3) == 0;
    const uint8_t none[100] = {0};
    o.rows = keep;
    o.edge_rows = none;
    o.dropout_by = CAU_GROUP_TEMPLATE;
    problem_open(ctx, data, &o, &t);
    assert_int_equal(t.s.dropout.kinds, 1);
    for (uint64_t epoch = 1; epoch < 50; epoch++) {
        bool there = false;
        take_example(&t, 2, epoch, &first);
        for (size_t i = 0; i < first.count; i++)
            there = there || (first.id[i] >= 0 && first.id[i] < (double)data->train.K &&
                              keep[(size_t)first.id[i]]);
        assert_true(there);
    }
    problem_close(&t);
    /* one group cannot replace another, so features are dropped singly */
    o.dropout_by = CAU_GROUP_NONE;
    problem_open(ctx, data, &o, &t);
    assert_int_equal(t.s.dropout.kinds, 0);
    problem_close(&t);
    o.rows = o.edge_rows = NULL;
    problem_open(ctx, data, &o, &t);
    assert_int_equal(t.s.dropout.kinds, 4);
    problem_close(&t);
    o.rows = o.edge_rows = none; /* works without any weights */
    for (cau_group by = CAU_GROUP_NONE; by <= CAU_GROUP_TEMPLATE; by++) {
        o.dropout_by = by;
        problem_open(ctx, data, &o, &t);
        take_example(&t, 2, 1, &first);
        problem_close(&t);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- models ---- */

/* Sequences with a "strong" feature that is always right and three "weak" ones that often are. */
static caucus_data *lopsided(caucus_ctx *ctx)
{
    cau_rng rng;
    caucus_data *data = NULL;
    cau_rng_init(&rng, 3);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < 400; i++) {
        char name[4][16], label[] = "y0";
        caucus_feature x[4];
        const size_t y = cau_rng_below(&rng, 3);
        for (size_t k = 0; k < 4; k++) {
            const size_t says = k && cau_rng_real(&rng) < 0.5 ? cau_rng_below(&rng, 3) : y;
            snprintf(name[k], sizeof name[k], "%s%zu:%zu", k ? "weak" : "strong", k, says);
            x[k] = (caucus_feature){name[k], 1};
        }
        label[1] = (char)('0' + y);
        assert_ok(ctx, cau_data_add(ctx, data, label, 1, x, 4));
        if (i % 4 == 3) assert_ok(ctx, cau_data_break(ctx, data));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

/* The mean over the weak features of the weight for their own label minus that for a wrong
 * label. */
static double weak_weight(const caucus_model *m)
{
    double sum = 0;
    for (size_t k = 1; k < 4; k++)
        for (size_t y = 0; y < 3; y++) {
            char name[16];
            const int n = snprintf(name, sizeof name, "weak%zu:%zu", k, y);
            const char label[] = {'y', (char)('0' + y), 0}, wrong[] = {'y', (char)('0' + !y), 0};
            const uint32_t row = cau_model_find(m, &m->nodes, name, (size_t)n);
            sum += cau_model_weight(&m->nodes, row, cau_model_label_find(m, (cau_str){label, 2})) -
                   cau_model_weight(&m->nodes, row, cau_model_label_find(m, (cau_str){wrong, 2}));
        }
    return sum / 9;
}

/* Dropout gives weak features larger weights. The reported objective is that of the whole
 * examples. */
static bool note(void *user, const caucus_progress *p)
{
    *(double *)user = p->objective;
    return true;
}

static void test_weak_features_are_learnt(void **state)
{
    (void)state;
    static const cau_solver_kind solvers[] = {CAU_SOLVER_SGD, CAU_SOLVER_ADAGRAD, CAU_SOLVER_FOBOS};
    static const cau_model_choice models[] = {CAU_MODEL_MAXENT, CAU_MODEL_CRF};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = lopsided(ctx);
    for (size_t m = 0; m < 2; m++)
        for (size_t s = 0; s < 3; s++) {
            double weight[3], last = 0;
            for (cau_group by = CAU_GROUP_NONE; by <= CAU_GROUP_TEMPLATE; by++) {
                caucus_model *model = NULL;
                cau_train_options o =
                    options_of(models[m], solvers[s], by ? 0.5 : 0, (cau_group)by);
                o.states = CAU_STATES_ALL;
                o.stop.iterations = 30;
                caucus_on_progress(ctx, note, &last);
                assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &model));
                if (by) /* without dropout it may be an estimate */
                    assert_near(last, sample_info(model, "objective"), 1e-8 * last);
                assert_true(sample_info(model, "train.accuracy") > 0.95);
                weight[by] = weak_weight(model);
                cau_model_free(model);
            }
            assert_true(weight[CAU_GROUP_TEMPLATE] > 1.5 * weight[CAU_GROUP_NONE]);
            assert_true(weight[CAU_GROUP_FEATURE] > 1.2 * weight[CAU_GROUP_NONE]);
        }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The same seed gives the same file, also when the run is resumed; another seed does not. */
static void test_resume(void **state)
{
    (void)state;
    static const cau_solver_kind solvers[] = {CAU_SOLVER_SGD, CAU_SOLVER_ADAGRAD, CAU_SOLVER_FOBOS};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 7);
    for (size_t s = 0; s < 6; s++) {
        cau_train_options o = options_of(CAU_MODEL_CRF, solvers[s / 2], 0.4,
                                         s % 2 ? CAU_GROUP_TEMPLATE : CAU_GROUP_FEATURE);
        caucus_model *whole = NULL, *part = NULL, *plain = NULL;
        caucus_on_progress(ctx, NULL, NULL);
        assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &whole));
        char *path = strdup(test_path("dropout.model"));
        size_t last = 4;
        o.output = path;
        caucus_on_progress(ctx, stop_after, &last);
        assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &part));
        cau_model_free(part);
        last = 1000;
        o.resume = true;
        assert_ok(ctx, cau_fit(ctx, data, &o, 1, 2, &part));
        assert_same_model(whole, part);
        o.resume = false;
        o.output = NULL;
        o.dropout = 0;
        assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &plain));
        assert_true(fabs(sample_info(plain, "objective") - sample_info(whole, "objective")) > 1e-3);
        cau_model_free(whole);
        cau_model_free(part);
        cau_model_free(plain);
        free(path);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_failed_allocations(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_columns(ctx, false, 9);
    for (cau_group by = CAU_GROUP_FEATURE; by <= CAU_GROUP_TEMPLATE; by++) {
        fit_attempt a = {ctx, data, options_of(CAU_MODEL_CRF, CAU_SOLVER_SGD, 0.5, (cau_group)by)};
        a.options.stop.iterations = 1;
        assert_true(test_every_allocation(try_fit, &a) > 30);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_feature),
        cmocka_unit_test(test_by_template),
        cmocka_unit_test(test_dropout_is_reproducible),
        cmocka_unit_test(test_weak_features_are_learnt),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests_name("train/dropout", tests, NULL, NULL);
}
