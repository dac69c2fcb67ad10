/* training_test.c - results of studies and of comparisons of methods. */

#include <math.h>

#include "support/api_sample.h"

/* Two classes that two words mostly separate. For adapt, two domains, in sequences of two. */
static caucus_data *sample_data(caucus_ctx *ctx, const caucus_options *options, bool domains)
{
    static const char *const words[][2] = {{"good", "bad"}, {"cool", "awful"}};
    caucus_data *data = NULL;
    assert_ok(ctx, caucus_data_new(ctx, options, &data));
    for (int i = 0; i < 60; i++) {
        const int domain = i % 2, label = i / 2 % 2, odd = i % 11 == 0;
        const caucus_feature f[] = {{words[domains && domain][label ^ odd], 1}, {"all", 1}};
        if (domains) assert_ok(ctx, caucus_data_group(ctx, data, domain ? "there" : "here"));
        assert_ok(ctx, caucus_data_add_features(ctx, data, label ? "minus" : "plus", 1, f, 2));
    }
    assert_ok(ctx, caucus_data_close(ctx, data));
    return data;
}

/* The number at a key of the JSON in `text`; skips `skip` earlier occurrences of the key. */
static double json_number(const char *text, const char *key, int skip)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    for (; skip >= 0; skip--) {
        text = strstr(text, wanted);
        assert_non_null(text);
        text += strlen(wanted);
    }
    return strtod(text, NULL);
}

static void test_grid(void **state)
{
    (void)state;
    static char json[SAMPLE_TEXT];
    caucus_ctx *ctx = test_ctx();
    caucus_options *options =
        sample_options(ctx, "train", "folds", "3", "grid", "l2=100,0.1 l1=0,1", "json", "1",
                       "max-iterations", "20", NULL);
    caucus_data *data = sample_data(ctx, options, false);
    caucus_study *study = NULL;
    caucus_options *best = NULL;
    caucus_model *model = NULL;
    json[0] = '\0';
    assert_ok(ctx, caucus_study_run(ctx, data, options, &study));
    caucus_options_free(options);
    assert_ok(ctx, caucus_study_write(ctx, study, sample_collect, json));
    assert_int_equal(caucus_study_rows(study), 4);
    assert_string_equal(caucus_study_measure(study), "accuracy");
    assert_string_equal(caucus_study_at(study, 0)->name, "l2=100 l1=0");
    assert_string_equal(caucus_study_at(study, 3)->name, "l2=0.1 l1=1");
    assert_null(caucus_study_at(study, 4));
    double most = 0;
    for (size_t r = 0; r < 4; r++) {
        const caucus_study_row *row = caucus_study_at(study, r);
        double sum = 0;
        assert_int_equal(row->runs, 3);
        for (size_t f = 0; f < 3; f++) sum += row->scores[f];
        assert_near(row->score, sum / 3, 1e-12);
        assert_near(row->accuracy, row->score, 1e-12);
        assert_near(row->trained, 40, 0);
        assert_true(row->error >= 0);
        most = row->score > most ? row->score : most;
    }
    const size_t chosen = caucus_study_best(study);
    assert_near(caucus_study_at(study, chosen)->score, most, 1e-9);
    assert_non_null(strstr(json, caucus_study_at(study, chosen)->name));

    assert_ok(ctx, caucus_study_options(ctx, study, 2, &best));
    assert_string_equal(caucus_options_get(best, "l2"), "0.1");
    assert_string_equal(caucus_options_get(best, "l1"), "0");
    assert_string_equal(caucus_options_get(best, "max-iterations"), "20");
    assert_null(caucus_options_get(best, "grid"));
    assert_string_equal(caucus_options_get(best, "folds"), "0");
    caucus_study_free(study);
    caucus_study_free(NULL);
    assert_ok(ctx, caucus_train(ctx, data, best, &model));
    assert_string_equal(caucus_model_info(model, "option.l2"), "0.10000000000000001");
    caucus_model_free(model);
    caucus_options_free(best);
    caucus_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_curve(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_options *options =
        sample_options(ctx, "train", "curve", "1", "seeds", "2", "max-iterations", "20", NULL);
    caucus_data *data = sample_data(ctx, options, false);
    caucus_study *study = NULL;
    caucus_options *best = NULL;
    assert_ok(ctx, caucus_study_run(ctx, data, options, &study));
    const size_t rows = caucus_study_rows(study);
    assert_true(rows > 1);
    assert_int_equal(caucus_study_best(study), CAUCUS_NONE);
    for (size_t r = 1; r < rows; r++)
        assert_true(caucus_study_at(study, r)->trained > caucus_study_at(study, r - 1)->trained);
    assert_string_equal(caucus_study_at(study, 0)->name, "");
    assert_fails(ctx, caucus_study_options(ctx, study, CAUCUS_NONE, &best), CAUCUS_ERR_ARGUMENT,
                 "a curve has no best");
    caucus_study_free(study);
    caucus_data_free(data);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

static void test_methods(void **state)
{
    (void)state;
    static char json[SAMPLE_TEXT];
    caucus_ctx *ctx = test_ctx();
    caucus_options *options =
        sample_options(ctx, "adapt", "target", "here", "source", "there", "method", "all", "folds",
                       "3", "json", "1", "mega-iterations", "1", "max-iterations", "10", NULL);
    caucus_data *data = sample_data(ctx, options, true);
    caucus_study *study = NULL;
    caucus_options *best = NULL;
    caucus_model *model = NULL;
    assert_fails(ctx, caucus_train(ctx, data, options, &model), CAUCUS_ERR_ARGUMENT,
                 "call caucus_study_run");
    json[0] = '\0';
    assert_ok(ctx, caucus_study_run(ctx, data, options, &study));
    assert_ok(ctx, caucus_study_write(ctx, study, sample_collect, json));
    const size_t rows = caucus_study_rows(study);
    assert_string_equal(caucus_study_at(study, 0)->name, "mega");
    for (size_t r = 0; r < rows; r++) {
        assert_near(caucus_study_at(study, r)->score, json_number(json, "score", (int)r), 1e-8);
        assert_near(caucus_study_at(study, r)->trained, 20, 0);
    }
    const char *method = caucus_study_at(study, caucus_study_best(study))->name;
    assert_ok(ctx, caucus_study_options(ctx, study, caucus_study_best(study), &best));
    assert_string_equal(caucus_options_get(best, "method"), method);
    assert_ok(ctx, caucus_train(ctx, data, best, &model));
    assert_non_null(model);
    caucus_model_free(model);
    caucus_options_free(best);
    caucus_study_free(study);
    caucus_options_free(options);
    caucus_data_free(data);
    caucus_ctx_free(ctx);
}

static caucus_status refuse(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
    return CAUCUS_ERR_STOPPED;
}

static void test_wrong_use(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_options *options = sample_options(ctx, "train", NULL, NULL);
    caucus_data *data = sample_data(ctx, options, false);
    caucus_study *study = NULL;
    caucus_model *model = NULL;
    assert_fails(ctx, caucus_study_run(ctx, data, options, &study), CAUCUS_ERR_ARGUMENT,
                 "a study needs --folds");
    assert_ok(ctx, caucus_options_set(ctx, options, "folds", "3"));
    assert_ok(ctx, caucus_options_set(ctx, options, "max-iterations", "5"));
    assert_fails(ctx, caucus_train(ctx, data, options, &model), CAUCUS_ERR_ARGUMENT,
                 "call caucus_study_run");
    assert_ok(ctx, caucus_study_run(ctx, data, options, &study));
    assert_int_equal(caucus_study_rows(study), 1);
    assert_int_equal(caucus_study_best(study), 0);
    assert_int_equal(caucus_study_write(ctx, study, refuse, NULL), CAUCUS_ERR_STOPPED);
    caucus_study_free(study);
    caucus_options_free(options);
    study = NULL;
    options = sample_options(ctx, "adapt", "target", "here", "source", "there", NULL);
    assert_fails(ctx, caucus_study_run(ctx, data, options, &study), CAUCUS_ERR_ARGUMENT,
                 "the data has no domains");
    assert_fails(ctx, caucus_train(ctx, data, options, &model), CAUCUS_ERR_ARGUMENT, "no domains");
    caucus_options_free(options);
    options = sample_options(ctx, "eval", NULL, NULL);
    assert_fails(ctx, caucus_train_check(ctx, options), CAUCUS_ERR_ARGUMENT,
                 "make those of 'train' or 'adapt'");
    assert_fails(ctx, caucus_train(ctx, data, options, &model), CAUCUS_ERR_ARGUMENT,
                 "make those of 'train' or 'adapt'");
    assert_fails(ctx, caucus_study_run(ctx, data, options, &study), CAUCUS_ERR_ARGUMENT,
                 "make those of 'train' or 'adapt'");
    assert_null(study);
    assert_null(model);
    caucus_options_free(options);
    caucus_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    const caucus_options *options;
} training_job;

static caucus_status study(void *self)
{
    const training_job *j = self;
    caucus_study *result = NULL;
    caucus_options *best = NULL;
    caucus_status st = caucus_study_run(j->ctx, j->data, j->options, &result);
    if (!st) st = caucus_study_options(j->ctx, result, caucus_study_best(result), &best);
    caucus_options_free(best);
    caucus_study_free(result);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_options *options[] = {sample_options(ctx, "train", "folds", "2", "grid", "l2=1,2",
                                                "max-iterations", "2", "threads", "1", NULL),
                                 sample_options(ctx, "adapt", "target", "here", "source", "there",
                                                "folds", "2", "method", "mix", "max-iterations",
                                                "2", "threads", "1", NULL)};
    for (int i = 0; i < 2; i++) {
        training_job j = {ctx, sample_data(ctx, options[i], i), options[i]};
        assert_true(test_every_allocation(study, &j) > 50);
        caucus_data_free((caucus_data *)j.data);
        caucus_options_free(options[i]);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),    cmocka_unit_test(test_curve),
        cmocka_unit_test(test_methods), cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("api/training", tests, NULL, NULL);
}
