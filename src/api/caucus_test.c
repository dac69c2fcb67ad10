/* caucus_test.c - the public interface as another program uses it. */

#include "caucus.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/api_sample.h"

static const caucus_feature spam[] = {{"money", 2}, {"now", 1}};
static const caucus_feature ham[] = {{"meeting", 1}, {"now", 1}};
static const caucus_feature both[] = {{"money", 1}, {"meeting", 1}, {"unheard of", 1}};

static caucus_options *options_for(caucus_ctx *ctx, const char *verb)
{
    caucus_options *options = NULL;
    assert_ok(ctx, caucus_options_new(ctx, verb, &options));
    return options;
}

static caucus_data *mail_data(caucus_ctx *ctx)
{
    caucus_data *data = NULL;
    assert_ok(ctx, caucus_data_new(ctx, NULL, &data));
    for (int i = 0; i < 10; i++) {
        assert_ok(ctx, caucus_data_add_features(ctx, data, "spam", 1, spam, 2));
        assert_ok(ctx, caucus_data_add_features(ctx, data, "ham", 2, ham, 2));
    }
    assert_ok(ctx, caucus_data_close(ctx, data));
    assert_int_equal(caucus_data_size(data, CAUCUS_PART_TRAIN), 20);
    return data;
}

static caucus_model *mail_model(caucus_ctx *ctx)
{
    caucus_data *data = mail_data(ctx);
    caucus_options *options = options_for(ctx, "train");
    caucus_model *model = NULL;
    assert_ok(ctx, caucus_train(ctx, data, options, &model));
    caucus_data_free(data);
    caucus_options_free(options);
    return model;
}

/* Runs fn in four threads; it returns NULL on success. */
static void run_in_threads(void *(*fn)(void *), void *argument)
{
    pthread_t threads[4];
    void *wrong[4];
    for (size_t t = 0; t < 4; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, fn, argument), 0);
    for (size_t t = 0; t < 4; t++) pthread_join(threads[t], &wrong[t]);
    for (size_t t = 0; t < 4; t++) assert_null(wrong[t]);
}

typedef struct {
    const caucus_model *model;
    double p[2]; /* of `both` */
} shared_model;

static void *predict_often(void *argument)
{
    const shared_model *shared = argument;
    for (int i = 0; i < 250; i++) {
        double p[2] = {0};
        caucus_ctx *ctx = NULL;
        caucus_status st = caucus_ctx_new(&ctx);
        if (!st) st = sample_predict(ctx, shared->model, both, 3, p);
        caucus_ctx_free(ctx);
        if (st || memcmp(p, shared->p, sizeof p) != 0) return argument;
    }
    return NULL;
}

static void *train_and_predict(void *unused)
{
    static char wrong;
    (void)unused;
    for (int i = 0; i < 2; i++) {
        caucus_ctx *ctx = test_ctx();
        caucus_model *model = mail_model(ctx);
        double p[2] = {0};
        caucus_status st = sample_predict(ctx, model, spam, 2, p);
        caucus_model_free(model);
        caucus_ctx_free(ctx);
        if (st || !(p[0] > 0.8)) return &wrong;
    }
    return NULL;
}

/* Data and models outlive their context, and threads may share a model. */
static void test_train_and_predict(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = mail_model(ctx);
    caucus_ctx_free(ctx);
    ctx = test_ctx();

    assert_int_equal(caucus_model_classes(model), 2);
    assert_string_equal(caucus_model_class(model, 0), "spam");
    assert_string_equal(caucus_model_class(model, 1), "ham");
    assert_null(caucus_model_class(model, 2));
    assert_string_equal(caucus_model_info(model, "instances"), "20");
    assert_null(caucus_model_info(model, "no such key"));

    double p[2], alone[2];
    assert_ok(ctx, sample_predict(ctx, model, spam, 2, p));
    assert_true(p[0] > 0.8);
    assert_near(p[0] + p[1], 1, 1e-12);
    assert_ok(ctx, sample_predict(ctx, model, ham, 2, p));
    assert_true(p[1] > 0.8);
    assert_ok(ctx, sample_predict(ctx, model, both, 3, alone));
    assert_ok(ctx, sample_predict(ctx, model, both, 2, p));
    assert_near(p[0], alone[0], 0); /* unknown features add nothing */
    assert_ok(ctx, sample_predict(ctx, model, NULL, 0, p));
    assert_near(p[0] + p[1], 1, 1e-12);
    caucus_feature wrong = {"money", NAN};
    assert_fails(ctx, sample_predict(ctx, model, &wrong, 1, p), CAUCUS_ERR_ARGUMENT, "not finite");

    run_in_threads(predict_often, &(shared_model){model, {alone[0], alone[1]}});
    caucus_model_free(model);
    caucus_ctx_free(ctx);
}

static caucus_status collect(void *user, const char *bytes, size_t length)
{
    strncat(user, bytes, length);
    return CAUCUS_OK;
}

static caucus_status refuse(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
    return CAUCUS_ERR_STOPPED;
}

/* One file through all commands: train, save, open, tag, evaluate, inspect, convert. */
static void test_files(void **state)
{
    (void)state;
    static const char text[] = "sun\tbright and warm\nrain\twet and cold\nsun\twarm day\n"
                               "rain\tcold rain\nsun\tbright day\nrain\twet day\n";
    caucus_ctx *ctx = test_ctx();
    const char *path = test_file("weather.txt", text, sizeof text - 1);
    caucus_options *train = options_for(ctx, "train"), *tag = options_for(ctx, "tag");
    caucus_options *eval = options_for(ctx, "eval"), *inspect = options_for(ctx, "inspect");
    caucus_options *convert = options_for(ctx, "convert");
    caucus_data *data = NULL;
    caucus_model *model = NULL, *opened = NULL;
    caucus_scores *scores = NULL;
    char out[1 << 16] = "";

    assert_ok(ctx, caucus_options_set(ctx, train, "output", test_path("weather.cau")));
    assert_ok(ctx, caucus_data_read(ctx, train, &path, 1, &data));
    assert_ok(ctx, caucus_train(ctx, data, train, &model));
    assert_ok(ctx, caucus_model_open(ctx, test_path("weather.cau"), &opened));
    assert_ok(ctx, caucus_tag(ctx, opened, tag, path, collect, out));
    assert_string_equal(out, "sun\tsun\nrain\train\nsun\tsun\nrain\train\nsun\tsun\nrain\train\n");
    assert_int_equal(caucus_tag(ctx, opened, tag, path, refuse, NULL), CAUCUS_ERR_STOPPED);

    const char *tagged = test_text("tagged.txt", out);
    assert_ok(ctx, caucus_evaluate(ctx, eval, &tagged, 1, &scores));
    assert_near(caucus_scores_get(scores, "accuracy", NULL), 1, 0);
    assert_near(caucus_scores_get(scores, "support", "rain"), 3, 0);
    assert_true(isnan(caucus_scores_get(scores, "f1", "snow")));
    assert_true(isnan(caucus_scores_get(scores, "log-loss", NULL)));
    assert_ok(ctx, caucus_scores_write(ctx, scores, eval, collect, out));

    out[0] = 0;
    assert_ok(ctx, caucus_options_set(ctx, inspect, "dump", NULL));
    assert_ok(ctx, caucus_inspect(ctx, opened, inspect, collect, out));
    const char *dump = test_text("dump.txt", out);
    assert_ok(ctx, caucus_convert(ctx, convert, dump, test_path("again.cau")));
    caucus_model_free(model);
    model = NULL;
    assert_ok(ctx, caucus_model_open(ctx, test_path("again.cau"), &model));
    char again[1 << 16] = "";
    assert_ok(ctx, caucus_inspect(ctx, model, inspect, collect, again));
    assert_string_equal(again, out);

    caucus_scores_free(scores);
    caucus_model_free(model);
    caucus_model_free(opened);
    caucus_data_free(data);
    caucus_options_free(train);
    caucus_options_free(tag);
    caucus_options_free(eval);
    caucus_options_free(inspect);
    caucus_options_free(convert);
    caucus_ctx_free(ctx);
}

/* Several threads of one process train and predict at the same time. */
static void test_threads(void **state)
{
    (void)state;
    run_in_threads(train_and_predict, NULL);
}

static void test_wrong_use(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    caucus_options *options = options_for(ctx, "train");
    assert_ok(ctx, caucus_data_new(ctx, NULL, &data));
    assert_ok(ctx, caucus_data_add_features(ctx, data, "a", 1, spam, 2));
    assert_ok(ctx, caucus_data_add_features(ctx, data, "b", 1, ham, 2));
    caucus_feature wrong = {"x", INFINITY};
    assert_int_equal(caucus_data_add_features(ctx, data, "a", 1, &wrong, 1), CAUCUS_ERR_ARGUMENT);
    assert_int_equal(caucus_data_add_features(ctx, data, "a", -1, spam, 2), CAUCUS_ERR_ARGUMENT);
    assert_int_equal(caucus_train(ctx, data, options, &model), CAUCUS_ERR_ARGUMENT);
    assert_ok(ctx, caucus_data_close(ctx, data));
    assert_int_equal(caucus_data_add_features(ctx, data, "a", 1, spam, 2), CAUCUS_ERR_ARGUMENT);
    assert_ok(ctx, caucus_train(ctx, data, options, &model));
    assert_ok(ctx, caucus_train_check(ctx, options));
    assert_ok(ctx, caucus_options_set(ctx, options, "output", "/no/such/folder/model"));
    assert_fails(ctx, caucus_train_check(ctx, options), CAUCUS_ERR_IO, "/no/such/folder");
    assert_ok(ctx, caucus_options_set(ctx, options, "correction", NULL));
    assert_fails(ctx, caucus_train_check(ctx, options), CAUCUS_ERR_ARGUMENT, "--solver gis");
    caucus_options *none = NULL;
    assert_fails(ctx, caucus_options_new(ctx, "fly", &none), CAUCUS_ERR_ARGUMENT, "'fly'");
    assert_null(none);

    caucus_model_free(model);
    caucus_model_free(NULL);
    caucus_data_free(data);
    caucus_data_free(NULL);
    caucus_options_free(options);
    caucus_options_free(NULL);
    caucus_scores_free(NULL);
    caucus_ctx_free(ctx);
    caucus_ctx_free(NULL);
    assert_string_equal(caucus_message(NULL), "out of memory");
    assert_string_equal(caucus_version(), CAUCUS_VERSION);
}

static void set(caucus_ctx *ctx, caucus_options *o, const char *name, const char *value)
{
    assert_ok(ctx, caucus_options_set(ctx, o, name, value));
}

/* Other programs' units: c2 multiplies w^2, C and sigma2 divide it. All three give the same
 * model. */
static void test_penalty_units(void **state)
{
    (void)state;
    static const char *const ways[][2] = {{"l2", "4"},        {"c2", "2"},   {"C", "0.25"},
                                          {"sigma2", "0.25"}, {"rho2", "4"}, {"lambda", "4"}};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = mail_data(ctx);
    caucus_model *first = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        caucus_options *o = options_for(ctx, "train");
        caucus_model *model = NULL;
        set(ctx, o, ways[i][0], ways[i][1]);
        if (i == 3) set(ctx, o, "lower", "0"); /* setting a default explicitly changes nothing */
        assert_ok(ctx, caucus_train(ctx, data, o, &model));
        if (!first) {
            first = model;
            model = NULL;
        } else {
            assert_ok(ctx, caucus_model_save(ctx, first, test_path("first.cau")));
            assert_ok(ctx, caucus_model_save(ctx, model, test_path("other.cau")));
            char a[8192], b[8192];
            FILE *fa = fopen(test_path("first.cau"), "rb"),
                 *fb = fopen(test_path("other.cau"), "rb");
            size_t na = fread(a, 1, sizeof a, fa), nb = fread(b, 1, sizeof b, fb);
            fclose(fa);
            fclose(fb);
            assert_int_equal(na, nb);
            assert_memory_equal(a, b, na);
        }
        caucus_model_free(model);
        caucus_options_free(o);
    }
    caucus_model_free(first);
    caucus_data_free(data);
    caucus_ctx_free(ctx);
}

static caucus_status ignore(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
    return CAUCUS_OK;
}

/* A template from a file, its use on data, and a model that continues from another. */
static void test_templates(void **state)
{
    (void)state;
    static const char pattern[] = "U0:%x[0,0]\nB\nB1:%x[-1,0]\n";
    static const char text[] = "a:1 X\nb Y\n\nb X\na:1 Y\n\n", more[] = "c Z\na:1 Y\n\n";
    static const char features[] = "X\tU0\\:a\\:1\nY\tU0\\:b\t|\tB1\\:a\\:1\n\n"
                                   "X\tU0\\:b\nY\tU0\\:a\\:1\t|\tB1\\:b\n\n";
    caucus_ctx *ctx = test_ctx();
    char *template = strdup(test_file("t.template", pattern, sizeof pattern - 1));
    char *path = strdup(test_file("t.txt", text, sizeof text - 1));
    char *second = strdup(test_file("t2.txt", more, sizeof more - 1));
    char *saved = strdup(test_path("t.cau")), out[400] = "";
    caucus_options *show = options_for(ctx, "features"), *train = options_for(ctx, "train");
    set(ctx, show, "template", template);
    set(ctx, show, "format", "columns");
    assert_ok(ctx, caucus_features(ctx, show, path, collect, out));
    assert_string_equal(out, features);

    caucus_data *data = NULL;
    caucus_model *model = NULL;
    set(ctx, train, "template", template);
    set(ctx, train, "format", "columns");
    set(ctx, train, "output", saved);
    const char *input = path;
    assert_ok(ctx, caucus_data_read(ctx, train, &input, 1, &data));
    assert_ok(ctx, caucus_train(ctx, data, train, &model));
    caucus_data_free(data);
    caucus_model_free(model);
    caucus_options_free(train);

    train = options_for(ctx, "train"); /* uses the template of the model */
    set(ctx, train, "format", "columns");
    set(ctx, train, "from", saved);
    input = second;
    assert_ok(ctx, caucus_data_read(ctx, train, &input, 1, &data));
    assert_ok(ctx, caucus_train(ctx, data, train, &model));
    assert_int_equal(caucus_model_classes(model), 3);
    assert_string_equal(caucus_model_class(model, 0), "X");
    assert_string_equal(caucus_model_class(model, 2), "Z");
    caucus_data_free(data);
    caucus_model_free(model);
    caucus_options_free(train);
    caucus_options_free(show);
    free(template);
    free(path);
    free(second);
    free(saved);
    caucus_ctx_free(ctx);
}

/* Runs all commands on one file. Whichever allocation fails, nothing leaks and the status reports
 * it. */
typedef struct {
    caucus_ctx *ctx;
    const char *data, *tagged, *output;
    const char *from; /* may be NULL */
} commands_run;

static caucus_status run_commands(void *self)
{
    const commands_run *way = self;
    caucus_ctx *ctx = way->ctx;
    caucus_options *train = NULL, *tag = NULL, *eval = NULL, *inspect = NULL;
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    caucus_scores *scores = NULL;
    caucus_status st = caucus_options_new(ctx, "train", &train);
    if (!st) st = caucus_options_new(ctx, "tag", &tag);
    if (!st) st = caucus_options_new(ctx, "eval", &eval);
    if (!st) st = caucus_options_new(ctx, "inspect", &inspect);
    if (!st) st = caucus_options_set(ctx, train, "output", way->output);
    if (!st) st = caucus_options_set(ctx, train, "dev-fraction", "0.3");
    if (!st && way->from) st = caucus_options_set(ctx, train, "from", way->from);
    if (!st) st = caucus_data_read(ctx, train, &way->data, 1, &data);
    if (!st) st = caucus_train(ctx, data, train, &model);
    if (!st) st = caucus_tag(ctx, model, tag, way->data, ignore, NULL);
    if (!st) st = caucus_inspect(ctx, model, inspect, ignore, NULL);
    if (!st) st = caucus_evaluate(ctx, eval, &way->tagged, 1, &scores);
    if (!st) st = caucus_scores_write(ctx, scores, eval, ignore, NULL);
    caucus_scores_free(scores);
    caucus_model_free(model);
    caucus_data_free(data);
    caucus_options_free(train);
    caucus_options_free(tag);
    caucus_options_free(eval);
    caucus_options_free(inspect);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    static const char text[] = "a\tx y\nb\ty z\na\tx\nb\tz\na\tx z\nb\ty\n",
                      tagged[] = "a\ta\nb\ta\n";
    static const char columns[] = "x A\ny B\n\ny A\nx B\n\nz A\n\nx A\nz B\n";
    commands_run way = {test_ctx(), test_file("way.txt", text, sizeof text - 1),
                        test_file("way.tagged", tagged, sizeof tagged - 1), test_path("way.cau"),
                        NULL};
    caucus_set_threads(way.ctx, 1);
    assert_true(test_every_allocation(run_commands, &way) > 50);
    way.data = test_file("way.columns", columns, sizeof columns - 1);
    assert_ok(way.ctx, run_commands(&way));
    way.from = way.output; /* sequences, and a run that continues from the model before */
    assert_true(test_every_allocation(run_commands, &way) > 150);
    caucus_ctx_free(way.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_train_and_predict),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_penalty_units),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("api/caucus", tests, NULL, NULL);
}
