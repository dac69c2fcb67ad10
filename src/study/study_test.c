/* study_test.c - cross-validation and grids compared with training by hand, and properties of all
 * studies. */

#include "study/study.h"

#include <math.h>

#include "support/study_sample.h"

static void check_folds(const corpus *c, bool chunks)
{
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = whole(ctx, c);
    cau_setting setting = one(0.5);
    const cau_study_options o = {
        .runs = {.folds = 3, .settings = &setting, .count = 1, .seed = 4, .threads = 2}};
    size_t best = 9;
    json_t *root = study_json(ctx, data, o, &best);
    assert_int_equal(best, 0);
    assert_string_equal(json_string_value(json_object_get(root, "study")), "folds");
    assert_string_equal(json_string_value(json_object_get(root, "score")),
                        chunks ? "f1" : "accuracy");

    uint32_t fold[PIECES];
    unsigned char role[PIECES];
    by_hand all = {0};
    double scores[3], mean = 0, error = 0;
    assert_ok(ctx, cau_folds(ctx, &data->train, 3, 4, fold));
    for (size_t f = 0; f < 3; f++) {
        for (size_t p = 0; p < c->pieces; p++) role[p] = fold[p] == f ? CAU_HELD : CAU_TRAINED;
        const by_hand h = train_by_hand(ctx, c, role, &setting.train, 4);
        const json_t *run = run_at(root, "settings", 0, f);
        scores[f] = chunks ? f1_of(h) : h.right / h.tokens;
        assert_near(real_at(run, "objective"), h.objective, 1e-6 * h.objective);
        assert_near(real_at(run, "accuracy"), h.right / h.tokens, 1e-8);
        assert_near(real_at(run, "score"), scores[f], 1e-8);
        assert_near(real_at(run, "counted"), h.tokens, 0);
        assert_near(real_at(json_object_get(run, "held_out"), "instances"), h.tokens, 0);
        assert_near(real_at(run, "instances"), (double)data->train.N - h.tokens, 0);
        all.tokens += h.tokens, all.right += h.right;
        all.gold += h.gold, all.found += h.found, all.correct += h.correct;
        mean += scores[f] / 3;
    }
    for (size_t f = 0; f < 3; f++) error += (scores[f] - mean) * (scores[f] - mean) / 2 / 3;
    const json_t *score = mean_at(root, "settings", 0, "score");
    assert_near(real_at(score, "mean"), mean, 1e-8);
    assert_near(real_at(score, "standard_error") * real_at(score, "standard_error"), error, 1e-8);
    assert_near(real_at(score, "pooled"), chunks ? f1_of(all) : all.right / all.tokens, 1e-8);
    assert_near(all.tokens, (double)data->train.N, 0);
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_folds_of_chunks(void **state)
{
    (void)state;
    corpus c;
    make_sentences(&c, 40, 1);
    check_folds(&c, true);
}

static void test_folds_of_classes(void **state)
{
    (void)state;
    corpus c;
    make_lines(&c, 45, 1);
    check_folds(&c, false);
}

/* A label that training lacks is never predicted: its token is always wrong. */
static void test_unknown_label(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    make_lines(&c, 30, 1);
    c.gold[4][0] = "odd";
    snprintf(c.text[4], sizeof c.text[4], "odd\tis1 is2\n");
    caucus_data *data = whole(ctx, &c);
    cau_setting setting = one(0.01);
    const cau_study_options o = {
        .runs = {.folds = 3, .settings = &setting, .count = 1, .seed = 1, .threads = 1}};
    size_t best;
    json_t *root = study_json(ctx, data, o, &best);
    assert_near(real_at(mean_at(root, "settings", 0, "accuracy"), "pooled"), 29.0 / 30, 1e-8);
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- grids ----------------------------------------------------------------------------- */

/* Warm starts change how soon an optimum is reached, not which one. */
static void test_warm_and_cold(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    make_sentences(&c, 36, 2);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    cau_study_options o = {
        .runs = {.folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 2}};
    size_t best[2];
    json_t *cold = study_json(ctx, data, o, &best[0]);
    o.runs.warm = true;
    json_t *warm = study_json(ctx, data, o, &best[1]);
    assert_int_equal(best[0], best[1]);
    double highest = 0, of_best = 0;
    size_t differ = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t f = 0; f < 3; f++) {
            const json_t *a = run_at(cold, "settings", i, f), *b = run_at(warm, "settings", i, f);
            assert_near(real_at(a, "objective"), real_at(b, "objective"), 1e-6);
            assert_near(real_at(a, "score"), real_at(b, "score"), 0);
            differ += json_integer_value(json_object_get(a, "iterations")) !=
                      json_integer_value(json_object_get(b, "iterations"));
        }
        const double mean = real_at(mean_at(warm, "settings", i, "score"), "mean");
        if (mean > highest) highest = mean;
        if (i == best[1]) of_best = mean;
    }
    assert_near(highest, of_best, 1e-9);
    assert_true(differ > 0);
    json_decref(cold);
    json_decref(warm);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Without folds the development data decides; its runs equal training runs with it as the test
 * set. */
static void test_grid_by_dev(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    unsigned char role[PIECES];
    make_sentences(&c, 40, 3);
    three(settings);
    for (size_t p = 0; p < c.pieces; p++) role[p] = p % 4 == 3 && p != 7 ? CAU_HELD : CAU_TRAINED;
    const char *train = file_of(&c, "grid.train", role, CAU_TRAINED);
    caucus_data *data = read_data(ctx, &c, train, file_of(&c, "grid.dev", role, CAU_HELD), NULL);
    cau_study_options o = {.runs = {.settings = settings, .count = 3, .seed = 1, .threads = 2}};
    size_t best;
    for (int warm = 0; warm < 2; warm++) {
        o.runs.warm = warm;
        json_t *root = study_json(ctx, data, o, &best);
        assert_string_equal(json_string_value(json_object_get(root, "held_out")), "dev");
        for (size_t i = 0; i < 3; i++) {
            const by_hand h = train_by_hand(ctx, &c, role, &settings[i].train, 1);
            const json_t *run = run_at(root, "settings", i, 0);
            assert_near(real_at(run, "score"), f1_of(h), 1e-8);
            assert_near(real_at(run, "objective"), h.objective, 1e-6);
        }
        assert_true(
            json_is_null(json_object_get(mean_at(root, "settings", 0, "score"), "standard_error")));
        json_decref(root);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* All settings are perfect here, so the strongest penalty wins. Also checks the table. */
static void test_ties(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    size_t best;
    make_lines(&c, 30, 1);
    three(settings);
    settings[2] = (cau_setting){.text = "l2=2", .penalty = 2, .train = training(2)};
    caucus_data *data = whole(ctx, &c);
    cau_study_options o = {
        .runs = {
            .folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 1, .warm = true}};
    char *text = study_text(ctx, data, &o, &best);
    assert_int_equal(best, 2);
    assert_non_null(strstr(text, "3 folds of 30 instances; stratified, seed 1\n"));
    assert_non_null(strstr(text, "\n  l2=0.1       1.0000      0.0000  "));
    assert_non_null(strstr(text, "\n* l2=2         1.0000      0.0000  "));
    assert_non_null(strstr(text, "* best: l2=2; the highest mean accuracy"));
    assert_non_null(strstr(text, "optimistic"));
    free(text);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- all of them ----------------------------------------------------------------------- */

static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], setting = one(1);
    make_sentences(&c, 45, 8);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    const cau_study_options studies[] = {
        {.runs = {.folds = 4, .settings = &setting, .count = 1, .seed = 1}},
        {.runs = {.folds = 4, .settings = settings, .count = 3, .seed = 1, .warm = true}},
        {.runs = {.seeds = 5, .settings = &setting, .count = 1, .seed = 1}}};
    for (size_t i = 0; i < 3; i++)
        for (int json = 0; json < 2; json++) {
            char *first = NULL;
            for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
                cau_study_options o = studies[i];
                size_t best;
                o.runs.threads = threads;
                o.json = json;
                char *text = study_text(ctx, data, &o, &best);
                if (first) assert_string_equal(first, text);
                if (first)
                    free(text);
                else
                    first = text;
            }
            free(first);
        }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Progress, which is called during runs and after each of them. */
typedef struct {
    size_t done, most; /* finished runs; after `most` the study is stopped */
    const char *solver;
} study_progress_watch;

static bool watch_progress(void *user, const caucus_progress *p)
{
    study_progress_watch *w = user;
    assert_string_equal(p->solver, w->solver);
    assert_in_range(p->iteration, w->done, w->done + 1);
    assert_int_equal(p->passes, 9);
    assert_true(p->iteration == 0 ? isnan(p->dev) : p->dev >= 0 && p->dev <= 1);
    w->done = p->iteration;
    return w->done < w->most;
}

static void test_progress(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    cau_strbuf text = {0};
    make_lines(&c, 30, 1);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
        const cau_study_options o = {
            .runs = {.folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = threads}};
        study_progress_watch w = {.solver = "grid", .most = 4};
        size_t best = 77;
        caucus_on_progress(ctx, watch_progress, &w);
        assert_fails(ctx, cau_study(ctx, data, &o, into_text, &text, &best, NULL),
                     CAUCUS_ERR_STOPPED, "stopped after 4 of 9 runs");
        assert_int_equal(w.done, 4);
        assert_int_equal(best, 77);
        assert_null(text.s);
        w = (study_progress_watch){.solver = "grid", .most = 100};
        assert_ok(ctx, cau_study(ctx, data, &o, into_text, &text, &best, NULL));
        assert_int_equal(w.done, 9);
        cau_strbuf_clear(&text);
        text = (cau_strbuf){0};
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* A failing run reports its status and its setting. */
static void test_failures(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3];
    size_t best;
    make_lines(&c, 30, 1);
    three(settings);
    settings[1].train.memory = "1"; /* byte: the last of the path */
    caucus_data *data = whole(ctx, &c);
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
        const cau_study_options o = {
            .runs = {.folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = threads}};
        assert_fails(ctx, cau_study(ctx, data, &o, into_nothing, NULL, &best, NULL),
                     CAUCUS_ERR_MEMORY, "fold 1, l2=0.1: training needs about");
    }
    settings[1].train.memory = NULL;
    const cau_study_options o = {
        .runs = {.folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 2}};
    assert_fails(ctx, cau_study(ctx, data, &o, into_nothing, NULL, &best, NULL), CAUCUS_ERR_IO, "");
    cau_data_free(data);

    /* one fold tests the only instance of the second class, and trains without it */
    make_lone(&c, 30);
    data = whole(ctx, &c);
    const cau_study_options folds = {
        .runs = {.folds = 3, .settings = settings, .count = 1, .seed = 1, .threads = 2}};
    assert_fails(ctx, cau_study(ctx, data, &folds, into_nothing, NULL, &best, NULL),
                 CAUCUS_ERR_FORMAT, "fold ");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_check(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], plain = one(1), patient = one(1);
    make_lines(&c, 6, 1);
    three(settings);
    patient.train.stop.patience = 3;
    caucus_data *data = whole(ctx, &c);
    const struct {
        cau_study_options o;
        const char *part;
    } wrong[] = {
        {{.runs = {.seeds = 5, .settings = settings, .count = 3}}, "leave out --grid"},
        {{.runs = {.seeds = 5, .folds = 2, .settings = &plain, .count = 1}}, "leave out --folds"},
        {{.runs = {.settings = &plain, .count = 1}}, "nothing to study"},
        {{.runs = {.folds = 1, .settings = &plain, .count = 1}}, "at least 2"},
        {{.runs = {.folds = 2, .settings = &patient, .count = 1}}, "--patience"},
        {{.runs = {.folds = 2, .settings = &plain, .count = 1}, .plot = "x.svg"}, "--folds alone"},
        {{.runs = {.folds = 7, .settings = &plain, .count = 1}}, "only 6 instances"},
        {{.runs = {.settings = settings, .count = 3}}, "--grid needs data to choose by"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t best;
        assert_fails(ctx, cau_study_check(ctx, &wrong[i].o, data), CAUCUS_ERR_ARGUMENT,
                     wrong[i].part);
        assert_fails(ctx, cau_study(ctx, data, &wrong[i].o, into_nothing, NULL, &best, NULL),
                     CAUCUS_ERR_ARGUMENT, wrong[i].part);
    }
    for (size_t i = 6; i < 8; i++) /* the options alone do not show the error */
        assert_ok(ctx, cau_study_check(ctx, &wrong[i].o, NULL));
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Checks the figure, or its script where gnuplot is missing. */
static void test_plot(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], setting = one(1);
    make_sentences(&c, 30, 9);
    three(settings);
    caucus_data *data = whole(ctx, &c);
    cau_study_options studies[] = {
        {.runs =
             {.folds = 3, .settings = settings, .count = 3, .seed = 1, .threads = 2, .warm = true}},
        {.runs = {.seeds = 3, .settings = &setting, .count = 1, .seed = 1, .threads = 2}}};
    for (size_t i = 0; i < 2; i++) {
        size_t best;
        char *path = strdup(test_path(i ? "curve.svg" : "grid.svg"));
        char *beside = malloc(strlen(path) + sizeof ".dat");
        sprintf(beside, "%s.dat", path);
        studies[i].plot = path;
        free(study_text(ctx, data, &studies[i], &best));
        assert_true(test_exists(path) || test_exists(beside));
        free(beside);
        free(path);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    cau_study_options o;
} study_memory_case;

static caucus_status run_study(void *self)
{
    const study_memory_case *m = self;
    cau_strbuf text = {0};
    size_t best;
    caucus_status st = cau_study(m->ctx, m->data, &m->o, into_text, &text, &best, NULL);
    cau_strbuf_clear(&text);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    corpus c;
    cau_setting settings[3], setting = one(1);
    make_sentences(&c, 10, 1);
    three(settings);
    for (size_t i = 0; i < 3; i++) settings[i].train.stop.iterations = 2;
    setting.train.stop.iterations = 2;
    caucus_data *data = whole(ctx, &c);
    study_memory_case cases[] = {
        {.o = {.runs = {.folds = 2, .settings = settings, .count = 2, .seed = 1, .warm = true}}},
        {.o = {.runs = {.folds = 2, .settings = &setting, .count = 1, .seed = 1}, .json = true}},
        {.o = {.runs = {.seeds = 2, .settings = &setting, .count = 1, .seed = 1}}}};
    for (size_t i = 0; i < 3; i++) {
        cases[i].ctx = ctx;
        cases[i].data = data;
        cases[i].o.runs.threads = 1;
        assert_true(test_every_allocation(run_study, &cases[i]) > 50);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_of_chunks),
        cmocka_unit_test(test_folds_of_classes),
        cmocka_unit_test(test_unknown_label),
        cmocka_unit_test(test_warm_and_cold),
        cmocka_unit_test(test_grid_by_dev),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
