/* models_test.c - models to and from bytes, and access to labels, weights and experts. */

#include <math.h>

#include "support/api_sample.h"

static const caucus_feature the[] = {{"w=the", 1}, {"short", 0.5}}, cat[] = {{"w=cat", 1}},
                            sat[] = {{"w=sat", 1}};

/* Trains on three labels in two sequences or, without sequences, as a classifier. */
static caucus_status learn(caucus_ctx *ctx, caucus_options *options, bool sequences,
                           caucus_model **model)
{
    caucus_data *data = NULL;
    caucus_status st = caucus_data_new(ctx, NULL, &data);
    for (int i = 0; i < 4 && !st; i++) {
        st = caucus_data_add_features(ctx, data, "D", 1, the, 2);
        if (!st) st = caucus_data_add_features(ctx, data, "N", 1, cat, 1);
        if (!st) st = caucus_data_add_features(ctx, data, "V", 1, i % 2 ? sat : the, 1);
        if (!st && sequences) st = caucus_data_break(ctx, data);
    }
    if (!st) st = caucus_data_close(ctx, data);
    if (!st) st = caucus_train(ctx, data, options, model);
    caucus_data_free(data);
    return st;
}

static caucus_model *sample_model(caucus_ctx *ctx, const char *kind)
{
    caucus_options *options = sample_options(ctx, "train", "model", kind, NULL);
    caucus_model *model = NULL;
    assert_ok(ctx, learn(ctx, options, strcmp(kind, "maxent") != 0, &model));
    caucus_options_free(options);
    return model;
}

static void test_bytes(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = sample_model(ctx, "crf"), *back = NULL;
    const void *bytes, *again;
    size_t length, length_again;
    assert_ok(ctx, caucus_model_bytes(ctx, model, &bytes, &length));
    char *copy = malloc(length);
    memcpy(copy, bytes, length);

    assert_ok(ctx, caucus_model_save(ctx, model, test_path("bytes.cau")));
    FILE *file = fopen(test_path("bytes.cau"), "rb");
    char *saved = malloc(length + 1);
    assert_int_equal(fread(saved, 1, length + 1, file), length); /* the same as the file */
    assert_memory_equal(saved, copy, length);
    fclose(file);
    caucus_model_free(model);

    assert_ok(ctx, caucus_model_from_bytes(ctx, copy, length, &back));
    memset(copy, 0, length); /* the model has a copy */
    assert_ok(ctx, caucus_model_bytes(ctx, back, &again, &length_again));
    assert_int_equal(length_again, length);
    assert_memory_equal(again, saved, length);
    caucus_model_free(back);

    back = NULL;
    assert_fails(ctx, caucus_model_from_bytes(ctx, saved, length - 1, &back), CAUCUS_ERR_FORMAT,
                 "model bytes: ");
    assert_fails(ctx, caucus_model_from_bytes(ctx, NULL, 0, &back), CAUCUS_ERR_FORMAT,
                 "not a Caucus model");
    saved[length / 2] = (char)(saved[length / 2] ^ 1);
    caucus_status st = caucus_model_from_bytes(ctx, saved, length, &back);
    if (!st) st = caucus_model_bytes(ctx, back, &again, &length_again);
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, "damaged");
    caucus_model_free(back);
    free(copy);
    free(saved);
    caucus_ctx_free(ctx);
}

/* The weights reproduce the probabilities of a classifier. */
static void test_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = sample_model(ctx, "maxent");
    double score[3], w[3], p[3], sum = 0;
    assert_int_equal(caucus_model_features(model, CAUCUS_TOKEN_FEATURES), 4);
    assert_int_equal(caucus_model_features(model, CAUCUS_EDGE_FEATURES), 0);
    for (size_t y = 0; y < 3; y++) score[y] = caucus_model_intercept(model, CAUCUS_NONE, y);
    for (size_t i = 0; i < 2; i++) {
        const size_t k = caucus_model_find(model, CAUCUS_TOKEN_FEATURES, the[i].name);
        size_t length;
        const char *name = caucus_model_feature(model, CAUCUS_TOKEN_FEATURES, k, &length);
        assert_int_equal(length, strlen(the[i].name));
        assert_memory_equal(name, the[i].name, length);
        assert_ok(ctx, caucus_model_weights(ctx, model, CAUCUS_NONE, CAUCUS_TOKEN_FEATURES, k, w));
        for (size_t y = 0; y < 3; y++) score[y] += the[i].value * w[y];
    }
    for (size_t y = 0; y < 3; y++) sum += exp(score[y]);
    assert_ok(ctx, sample_predict(ctx, model, the, 2, p));
    for (size_t y = 0; y < 3; y++) assert_near(p[y], exp(score[y]) / sum, 1e-6);

    assert_int_equal(caucus_model_find(model, CAUCUS_TOKEN_FEATURES, "unheard of"), CAUCUS_NONE);
    assert_int_equal(caucus_model_find(model, CAUCUS_EDGE_FEATURES, "w=the"), CAUCUS_NONE);
    size_t length;
    assert_null(caucus_model_feature(model, CAUCUS_TOKEN_FEATURES, 4, &length));
    assert_fails(ctx, caucus_model_weights(ctx, model, CAUCUS_NONE, CAUCUS_TOKEN_FEATURES, 4, w),
                 CAUCUS_ERR_ARGUMENT, "there is no number 4");
    assert_near(caucus_model_transition(model, CAUCUS_NONE, 0, 1), 0, 0);
    assert_true(isnan(caucus_model_intercept(model, CAUCUS_NONE, 3)));
    assert_int_equal(caucus_model_experts(model), 0);
    assert_true(isnan(caucus_model_expert_weight(model, 0)));
    assert_true(isnan(caucus_model_intercept(model, 0, 0)));
    assert_fails(ctx, caucus_model_weights(ctx, model, 0, CAUCUS_TOKEN_FEATURES, 0, w),
                 CAUCUS_ERR_ARGUMENT, "0 experts");
    caucus_model_free(model);

    model = sample_model(ctx, "crf"); /* D is followed by N, never by V */
    assert_true(caucus_model_transition(model, CAUCUS_NONE, 0, 1) >
                caucus_model_transition(model, CAUCUS_NONE, 0, 2));
    assert_true(isnan(caucus_model_transition(model, CAUCUS_NONE, 0, 3)));
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

/* The weights of a pool are the sum over its experts. */
static void test_experts(void **state)
{
    (void)state;
    static const caucus_feature_kind kind = CAUCUS_TOKEN_FEATURES;
    caucus_ctx *ctx = test_ctx();
    caucus_options *options =
        sample_options(ctx, "train", "pool", "lop", "partition", "random", "experts", "2", NULL);
    caucus_model *model = NULL;
    assert_ok(ctx, learn(ctx, options, true, &model));
    assert_int_equal(caucus_model_experts(model), 2);
    for (size_t k = 0; k < caucus_model_features(model, kind); k++) {
        double whole[3], part[3], sum[3] = {0};
        assert_ok(ctx, caucus_model_weights(ctx, model, CAUCUS_NONE, kind, k, whole));
        for (size_t j = 0; j < 2; j++) {
            assert_ok(ctx, caucus_model_weights(ctx, model, j, kind, k, part));
            for (size_t y = 0; y < 3; y++) sum[y] += caucus_model_expert_weight(model, j) * part[y];
        }
        for (size_t y = 0; y < 3; y++) assert_near(whole[y], sum[y], 1e-6);
    }
    double sum = 0;
    for (size_t j = 0; j < 2; j++)
        sum += caucus_model_expert_weight(model, j) * caucus_model_transition(model, j, 0, 1);
    assert_near(caucus_model_transition(model, CAUCUS_NONE, 0, 1), sum, 1e-6);
    caucus_model_free(model);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

/* A feature on an edge has a weight for each pair of labels. */
static void test_edges(void **state)
{
    (void)state;
    static const char pattern[] = "U0:%x[0,0]\nB\nB1:%x[0,0]\n", text[] = "a X\nb Y\n\nb X\na Y\n";
    caucus_ctx *ctx = test_ctx();
    char *template = strdup(test_file("edges.template", pattern, sizeof pattern - 1));
    const char *path = test_file("edges.txt", text, sizeof text - 1);
    caucus_options *options = sample_options(ctx, "train", "template", template, NULL);
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    double w[2][2];
    assert_ok(ctx, caucus_data_read(ctx, options, &path, 1, &data));
    assert_ok(ctx, caucus_train(ctx, data, options, &model));
    assert_int_equal(caucus_model_features(model, CAUCUS_EDGE_FEATURES), 2);
    const size_t k = caucus_model_find(model, CAUCUS_EDGE_FEATURES, "B1:a");
    assert_ok(ctx, caucus_model_weights(ctx, model, CAUCUS_NONE, CAUCUS_EDGE_FEATURES, k, w[0]));
    assert_true(w[0][1] > 0); /* from X to Y */
    assert_true(w[1][0] < w[0][1]);
    caucus_model_free(model);
    caucus_data_free(data);
    caucus_options_free(options);
    free(template);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const void *bytes;
    size_t length;
} byte_copy;

static caucus_status copy(void *self)
{
    const byte_copy *c = self;
    caucus_model *model = NULL;
    const caucus_status st = caucus_model_from_bytes(c->ctx, c->bytes, c->length, &model);
    caucus_model_free(model);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = sample_model(ctx, "crf");
    byte_copy c = {.ctx = ctx};
    assert_ok(ctx, caucus_model_bytes(ctx, model, &c.bytes, &c.length));
    assert_true(test_every_allocation(copy, &c) > 3);
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),   cmocka_unit_test(test_weights),
        cmocka_unit_test(test_experts), cmocka_unit_test(test_edges),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("api/models", tests, NULL, NULL);
}
