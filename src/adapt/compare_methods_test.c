/* compare_methods_test.c - compares the JSON of a method comparison with the same runs made one by
 * one on parts of the data. */

#include <jansson.h>

#include "study/folds.h"
#include "support/adapt_sample.h"
#include "support/base_sample.h"

static char *compare(caucus_ctx *ctx, const caucus_data *data, const cau_adapt_options *o,
                     cau_method *best)
{
    cau_strbuf text = {0};
    assert_ok(ctx, cau_adapt_compare(ctx, data, o, into_text, &text, best, NULL));
    return text.s;
}

static json_t *compare_json(caucus_ctx *ctx, const caucus_data *data, cau_adapt_options o,
                            cau_method *best)
{
    json_error_t error;
    o.json = true;
    char *text = compare(ctx, data, &o, best);
    json_t *root = json_loads(text, 0, &error);
    assert_non_null(root);
    free(text);
    assert_int_equal(json_integer_value(json_object_get(root, "format")), 1);
    assert_string_equal(json_string_value(json_object_get(root, "measure")), "accuracy");
    return root;
}

static const json_t *method_at(const json_t *root, size_t row, size_t m)
{
    const json_t *of = json_array_get(json_object_get(root, "rows"), row);
    const json_t *method = json_array_get(json_object_get(of, "methods"), m);
    assert_non_null(method);
    return method;
}

static double real_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static bool null_at(const json_t *object, const char *key)
{
    return json_is_null(json_object_get(object, key));
}

/* ---- by hand -------------------------------------------------------------------------------- */

enum { COLUMNS = 8 };

/* The results of the methods for the columns of a row. */
typedef struct {
    size_t columns, N, right[CAU_METHODS], only_this[CAU_METHODS], only_first[CAU_METHODS];
    double score[CAU_METHODS][COLUMNS], l2[CAU_METHODS], t[CAU_METHODS], pi[CAU_METHODS];
} compare_by_hand;

static void run_by_hand(caucus_ctx *ctx, const caucus_data *part, const cau_adapt_options *o,
                        const cau_method *method, size_t M, compare_by_hand *h)
{
    uint8_t first[4 * SAMPLE_MOST], right[4 * SAMPLE_MOST];
    const size_t N = part->test.N;
    h->N += N;
    for (size_t m = 0; m < M; m++) {
        caucus_model *model = NULL;
        cau_tuned tuned;
        assert_ok(ctx, cau_adapt_train(ctx, part, method[m], o, 1, &tuned, &model));
        const size_t count = sample_right(ctx, model, part, right);
        if (m == 0) memcpy(first, right, N);
        for (size_t n = 0; n < N; n++) {
            h->only_this[m] += right[n] > first[n];
            h->only_first[m] += right[n] < first[n];
        }
        h->right[m] += count;
        h->score[m][h->columns] = (double)count / (double)N;
        h->l2[m] += tuned.l2;
        h->t[m] += tuned.t;
        if (cau_method_is_mega(method[m])) h->pi[m] += model->pool.alpha[model->pool.J - 1];
        cau_model_free(model);
    }
    h->columns++;
}

static void check_mcnemar(const json_t *found, const compare_by_hand *h, size_t m)
{
    const double b = (double)h->only_this[m], c = (double)h->only_first[m];
    const double d = fabs(b - c) - 1;
    assert_near(real_at(found, "only_this"), b, 0);
    assert_near(real_at(found, "only_first"), c, 0);
    assert_near(real_at(found, "chi2"), d > 0 ? d * d / (b + c) : 0, 1e-8);
    double tail = 0, choose = 1; /* two-sided: twice the sum of C(n,k) / 2^n up to the smaller */
    for (double k = 0; k <= fmin(b, c); k++) {
        tail += choose;
        choose *= (b + c - k) / (k + 1);
    }
    assert_near(real_at(found, "exact"), fmin(1, 2 * tail / pow(2, b + c)), 1e-8);
}

static void check_row(const json_t *root, size_t row, const cau_method *method, size_t M,
                      const compare_by_hand *h, bool curve)
{
    const double n = (double)h->columns;
    assert_near(real_at(root, "parts"), n, 0);
    assert_int_equal(json_array_size(json_object_get(
                         json_array_get(json_object_get(root, "rows"), row), "methods")),
                     M);
    for (size_t m = 0; m < M; m++) {
        const json_t *found = method_at(root, row, m);
        double mean = 0, squares = 0;
        assert_string_equal(json_string_value(json_object_get(found, "method")),
                            cau_method_name(method[m]));
        for (size_t i = 0; i < h->columns; i++) mean += h->score[m][i] / n;
        for (size_t i = 0; i < h->columns; i++)
            squares += (h->score[m][i] - mean) * (h->score[m][i] - mean);
        assert_near(real_at(found, "score"), mean, 1e-8);
        if (h->columns > 1)
            assert_near(real_at(found, "error"), sqrt(squares / (n - 1) / n), 1e-8);
        else
            assert_true(null_at(found, "error"));
        assert_near(real_at(found, "accuracy"), (double)h->right[m] / (double)h->N, 1e-8);
        assert_true(null_at(found, "f1"));
        assert_near(real_at(found, "l2"), h->l2[m] / n, 1e-8);
        if (method[m] == CAU_METHOD_INTERPOLATE)
            assert_near(real_at(found, "t"), h->t[m] / n, 1e-8);
        else
            assert_true(null_at(found, "t"));
        if (cau_method_is_mega(method[m]))
            assert_near(real_at(found, "pi"), h->pi[m] / n, 1e-6);
        else
            assert_true(null_at(found, "pi"));
        assert_true(real_at(found, "seconds") >= 0);
        if (m == 0 || curve)
            assert_true(null_at(found, "mcnemar"));
        else
            check_mcnemar(json_object_get(found, "mcnemar"), h, m);
    }
}

/* The method with the most correct labels; the first wins ties. */
static cau_method best_of(const compare_by_hand *h, const cau_method *method, size_t M)
{
    size_t best = 0;
    for (size_t m = 1; m < M; m++)
        if (h->right[m] > h->right[best]) best = m;
    return method[best];
}

static size_t all_methods(bool crf, cau_method *method)
{
    size_t M = 0;
    for (cau_method m = 0; m < CAU_METHODS; m++)
        if (!crf || !cau_method_is_mega((cau_method)m)) method[M++] = (cau_method)m;
    return M;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

static void check_folds(cau_model_choice model, bool chain, const char *tune)
{
    caucus_ctx *ctx = test_ctx();
    cau_method method[CAU_METHODS], best = CAU_METHOD_ALL;
    const size_t in = 24, M = all_methods(model == CAU_MODEL_CRF, method);
    caucus_data *data = sample_adapt(
        ctx, (sample_sizes){.in = in, .out = 40, .others = 2, .chain = chain, .seed = 8});
    cau_adapt_options o = sample_adapt_options(CAU_METHOD_ALL, model);
    compare_by_hand h = {0};
    o.folds = 3;
    o.threads = 2;
    o.tune = tune;
    json_t *root = compare_json(ctx, data, o, &best);
    uint32_t fold[SAMPLE_MOST];
    unsigned char role[SAMPLE_MOST];
    const cau_dataset target = cau_target_set(&data->train);
    assert_int_equal(target.S, in);
    assert_int_equal(target.N, data->train.sequence ? data->train.sequence[in] : in);
    assert_ok(ctx, cau_folds(ctx, &target, 3, o.seed, fold));
    for (size_t f = 0; f < 3; f++) {
        for (size_t s = 0; s < in; s++) role[s] = fold[s] == f ? CAU_HELD : CAU_TRAINED;
        caucus_data *part = sample_part(ctx, data, role, in);
        run_by_hand(ctx, part, &o, method, M, &h);
        cau_data_free(part);
    }
    assert_int_equal(h.N, target.N);
    assert_int_equal(json_array_size(json_object_get(root, "rows")), 1);
    assert_near(real_at(json_array_get(json_object_get(root, "rows"), 0), "sequences"),
                (double)in * 2 / 3, 1e-8);
    check_row(root, 0, method, M, &h, false);
    assert_int_equal(best, best_of(&h, method, M));
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_folds(void **state)
{
    (void)state;
    check_folds(CAU_MODEL_MAXENT, false, NULL);
    check_folds(CAU_MODEL_AUTO, false, "0.1,10");
    check_folds(CAU_MODEL_MEMM, true, NULL);
    check_folds(CAU_MODEL_CRF, true, NULL);
}

/* The winner differs between seeds. */
static void test_test_set(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_method method[CAU_METHODS], best = CAU_METHOD_ALL, other = CAU_METHOD_ALL;
    const size_t M = all_methods(false, method);
    size_t changes = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        caucus_data *data = sample_adapt(
            ctx, (sample_sizes){.in = 20, .out = 40, .test = 60, .others = 1, .seed = seed});
        const cau_adapt_options o = sample_adapt_options(CAU_METHOD_ALL, CAU_MODEL_AUTO);
        compare_by_hand h = {0};
        json_t *root = compare_json(ctx, data, o, &best);
        run_by_hand(ctx, data, &o, method, M, &h);
        assert_int_equal(h.N, 60);
        check_row(root, 0, method, M, &h, false);
        assert_int_equal(best, best_of(&h, method, M));
        changes += best != other;
        other = best;
        json_decref(root);
        cau_data_free(data);
    }
    assert_true(changes > 1);
    caucus_ctx_free(ctx);
}

/* Nested subsets of the target data, with a test set and with a fifth held out. */
static void check_curve(bool tested)
{
    caucus_ctx *ctx = test_ctx();
    static const cau_method method[] = {CAU_METHOD_PRIOR, CAU_METHOD_MEGA, CAU_METHOD_ONLY_OUT,
                                        CAU_METHOD_MIX};
    cau_method best;
    const size_t in = 40;
    caucus_data *data = sample_adapt(
        ctx, (sample_sizes){.in = in, .out = 50, .test = tested ? 40 : 0, .others = 1, .seed = 9});
    cau_adapt_options o = sample_adapt_options(CAU_METHOD_PRIOR, CAU_MODEL_AUTO);
    o.curve = true;
    o.seeds = 2;
    o.threads = 3;
    json_t *root = compare_json(ctx, data, o, &best);
    const cau_dataset target = cau_target_set(&data->train);
    const size_t rows = cau_curve_sizes(&target, data->test.N > 0);
    assert_true(rows > 1);
    assert_int_equal(json_array_size(json_object_get(root, "rows")), rows);
    for (size_t row = 0; row < rows; row++) {
        compare_by_hand h = {0};
        double trained = 0;
        for (size_t seed = 0; seed < 2; seed++) {
            unsigned char role[SAMPLE_MOST];
            assert_ok(ctx, cau_curve_subset(ctx, &target, data->test.N > 0, o.seed + seed,
                                            rows - 1 - row, role));
            for (size_t s = 0; s < in; s++) trained += role[s] == CAU_TRAINED;
            caucus_data *part = sample_part(ctx, data, role, in);
            assert_int_equal(part->test.N, tested ? 40 : in / 5);
            run_by_hand(ctx, part, &o, method, 4, &h);
            cau_data_free(part);
        }
        check_row(root, row, method, 4, &h, true);
        assert_near(real_at(json_array_get(json_object_get(root, "rows"), row), "sequences"),
                    trained / 2, 1e-8);
    }
    json_decref(root);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_curve(void **state)
{
    (void)state;
    check_curve(true);
    check_curve(false);
}

/* All target instances but one share a label: on small subsets only-in, interpolate and feats
 * cannot be trained, and the other methods run. */
static void test_missing_methods(void **state)
{
    (void)state;
    sample_row rows[56];
    caucus_ctx *ctx = test_ctx();
    cau_method best, method[CAU_METHODS];
    const size_t M = all_methods(false, method);
    for (size_t i = 0; i < 56; i++) {
        static const char *const features[] = {"ac", "b", "ab", "bd"};
        rows[i] = (sample_row){i >= 32, i % 2 ? "B" : "A", features[i % 4], 0};
        if (i < 32) rows[i].label = i == 7 ? "B" : "A";
    }
    caucus_data *data = sample_rows(ctx, rows, 56);
    cau_adapt_options o = sample_adapt_options(CAU_METHOD_ALL, CAU_MODEL_AUTO);
    o.curve = true;
    o.seeds = 1;
    size_t missing = 0, there = 0;
    const cau_dataset target = cau_target_set(&data->train);
    const size_t sizes = cau_curve_sizes(&target, data->test.N > 0);
    assert_int_equal(sizes, 2);
    for (o.seed = 0; o.seed < 6; o.seed++) {
        const size_t before = missing;
        json_t *root = compare_json(ctx, data, o, &best);
        for (size_t row = 0; row < sizes; row++) {
            unsigned char role[SAMPLE_MOST];
            assert_ok(ctx, cau_curve_subset(ctx, &target, data->test.N > 0, o.seed, sizes - 1 - row,
                                            role));
            for (size_t m = 0; m < M; m++) {
                const bool needs =
                    m == CAU_METHOD_ONLY_IN || m == CAU_METHOD_INTERPOLATE || m == CAU_METHOD_FEATS;
                const json_t *found = method_at(root, row, m);
                const bool misses = needs && role[7] != CAU_TRAINED;
                assert_int_equal(null_at(found, "score"), misses);
                assert_int_equal(null_at(found, "accuracy"), misses);
                assert_int_equal(null_at(found, "l2"), misses);
                assert_int_equal(null_at(found, "seconds"), misses);
                missing += misses;
                there += needs && !misses;
            }
        }
        json_decref(root);
        char *text = compare(ctx, data, &o, &best);
        assert_int_equal(strstr(text, "too little to learn from") != NULL, missing > before);
        free(text);
    }
    assert_true(missing > 0 && there > 0);
    cau_data_free(data);

    /* the same on a test set: missing methods neither win nor are tested */
    const sample_row one[] = {
        {0, "A", "ac", 0}, {1, "A", "a", 0}, {1, "B", "b", 0}, {1, "A", "c", 0}, {1, "B", "d", 0}};
    data = sample_rows(ctx, one, 5);
    const uint32_t train[] = {0, 1, 2}, test[] = {3, 4};
    caucus_data *tested = NULL;
    assert_ok(ctx, cau_data_subset(ctx, data, &(cau_part_of){train, test, 3, 2, true}, 0, &tested));
    o = sample_adapt_options(CAU_METHOD_ALL, CAU_MODEL_AUTO);
    json_t *root = compare_json(ctx, tested, o, &best);
    assert_true(null_at(method_at(root, 0, CAU_METHOD_FEATS), "score"));
    assert_true(null_at(method_at(root, 0, CAU_METHOD_FEATS), "mcnemar"));
    assert_false(null_at(method_at(root, 0, CAU_METHOD_MIX), "mcnemar"));
    assert_true(best != CAU_METHOD_ONLY_IN && best != CAU_METHOD_FEATS);
    json_decref(root);
    char *text = compare(ctx, tested, &o, &best);
    assert_non_null(strstr(text, "too little to learn from for that method"));
    assert_null(strstr(text, "nan"));
    free(text);
    o.method = CAU_METHOD_ONLY_IN; /* as the only method it is an error */
    cau_strbuf nothing = {0};
    assert_fails(ctx, cau_adapt_compare(ctx, tested, &o, into_text, &nothing, &best, NULL),
                 CAUCUS_ERR_FORMAT, "only-in: the target data: all known labels are 'A'");
    assert_null(nothing.s);
    cau_data_free(tested);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Removes the seconds, which differ between runs. */
static void without_seconds(char *text)
{
    for (char *at = text; (at = strstr(at, "\"seconds\":"));) {
        at += strlen("\"seconds\":");
        char *end = at + strcspn(at, ",}");
        memmove(at, end, strlen(end) + 1);
    }
}

static void test_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 5};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data =
        sample_adapt(ctx, (sample_sizes){.in = 24, .out = 30, .test = 20, .others = 1});
    for (size_t kind = 0; kind < 3; kind++) {
        char *first = NULL;
        for (size_t i = 0; i < 3; i++) {
            cau_adapt_options o = sample_adapt_options(CAU_METHOD_ALL, CAU_MODEL_AUTO);
            cau_method best;
            o.folds = kind == 1 ? 4 : 0;
            o.curve = kind == 2;
            o.seeds = 2;
            o.tune = "0.3,3";
            o.json = true;
            o.threads = threads[i];
            char *text = compare(ctx, data, &o, &best);
            without_seconds(text);
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

/* The text around the numbers. */
static void test_table(void **state)
{
    (void)state;
    static const struct {
        cau_method method;
        uint64_t folds;
        bool curve;
        size_t test;
        const char *tune, *has[4], *lacks;
    } cases[] = {
        {CAU_METHOD_ALL,
         0,
         false,
         10,
         NULL,
         {"20 target instances, 30 source instances; 10 test instances\n\nmethod          "
          "accuracy  McNemar p    seconds\nmega ",
          "\naugment ", "McNemar's test, exact, on instances against mega.\n",
          "interpolate: the weight of only-in is "},
         "std. error"},
        {CAU_METHOD_MIX,
         2,
         false,
         0,
         "1,2",
         {"; 2 folds of the target data\n", "accuracy  std. error         l2    seconds\nmix ",
          "Scores are of all folds together", ""},
         "McNemar"},
        {CAU_METHOD_MEGA,
         0,
         true,
         0,
         NULL,
         {"; a fifth of the target data held out for each seed\n",
          "trained on             mega           prior        only-out             mix\n", "\n16 ",
          "accuracy, mean (standard error) over 3 seeds.\n"},
         "too little"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cau_adapt_options o = sample_adapt_options(cases[i].method, CAU_MODEL_AUTO);
        caucus_data *data = sample_adapt(
            ctx, (sample_sizes){.in = 20, .out = 30, .test = cases[i].test, .others = 1});
        cau_method best;
        o.folds = cases[i].folds;
        o.curve = cases[i].curve;
        o.tune = cases[i].tune;
        o.seeds = 3;
        char *text = compare(ctx, data, &o, &best);
        for (size_t k = 0; k < 4; k++) assert_non_null(strstr(text, cases[i].has[k]));
        assert_null(strstr(text, cases[i].lacks));
        free(text);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* Checks the figure, or its script where gnuplot is missing. */
static void test_plot(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_adapt(ctx, (sample_sizes){.in = 20, .out = 30, .others = 1});
    cau_adapt_options o = sample_adapt_options(CAU_METHOD_MIX, CAU_MODEL_AUTO);
    char *path = strdup(test_path("adapt.svg")), *beside = strdup(test_path("adapt.svg.dat"));
    cau_method best;
    o.curve = true;
    o.seeds = 2;
    o.plot = path;
    free(compare(ctx, data, &o, &best));
    assert_true(test_exists(path) || test_exists(beside));
    free(path);
    free(beside);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Progress, which is called during runs and after each of them. */
typedef struct {
    size_t done, most, total; /* finished runs; after `most` the comparison is stopped */
    const char *solver;
} compare_progress_watch;

static bool watch_progress(void *user, const caucus_progress *p)
{
    compare_progress_watch *w = user;
    assert_string_equal(p->solver, w->solver);
    assert_in_range(p->iteration, w->done, w->done + 1);
    assert_int_equal(p->passes, w->total);
    assert_true(isnan(p->objective) && p->elapsed >= 0);
    if (p->iteration > 0) assert_true(p->dev >= 0 && p->dev <= 1 && p->remaining >= 0);
    w->done = p->iteration;
    return w->done < w->most;
}

static void test_progress(void **state)
{
    (void)state;
    static const struct {
        uint64_t folds;
        bool curve;
        compare_progress_watch w;
    } cases[] = {{0, false, {0, 4, CAU_METHODS, "methods"}},
                 {3, false, {0, 11, 3 * CAU_METHODS, "folds"}},
                 {0, true, {0, 7, 2 * CAU_METHODS, "curve"}}};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data =
        sample_adapt(ctx, (sample_sizes){.in = 15, .out = 30, .test = 20, .others = 1});
    for (size_t i = 0; i < 3; i++)
        for (unsigned threads = 1; threads < 4; threads++) {
            cau_adapt_options o = sample_adapt_options(CAU_METHOD_ALL, CAU_MODEL_AUTO);
            compare_progress_watch w = cases[i].w;
            cau_method best = CAU_METHOD_ALL;
            cau_strbuf text = {0};
            char said[64];
            o.folds = cases[i].folds;
            o.curve = cases[i].curve;
            o.seeds = 2;
            o.threads = threads;
            caucus_on_progress(ctx, watch_progress, &w);
            snprintf(said, sizeof said, "stopped after %zu of %zu runs", w.most, w.total);
            assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_text, &text, &best, NULL),
                         CAUCUS_ERR_STOPPED, said);
            assert_int_equal(w.done, w.most);
            assert_int_equal(best, CAU_METHOD_ALL);
            assert_null(text.s);
            w = cases[i].w;
            w.most = 100;
            free(compare(ctx, data, &o, &best));
            assert_int_equal(w.done, w.total);
        }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void test_failures(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_adapt(ctx, (sample_sizes){.in = 6, .out = 12, .others = 1});
    cau_adapt_options o = sample_adapt_options(CAU_METHOD_ALL, CAU_MODEL_AUTO);
    cau_method best;
    assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_nothing, NULL, &best, NULL),
                 CAUCUS_ERR_ARGUMENT, "add --test, or --folds 10");
    o.folds = 7;
    assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_nothing, NULL, &best, NULL),
                 CAUCUS_ERR_ARGUMENT, "--folds 7: there are only 6 target instances");
    o.folds = 2;
    assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_nothing, NULL, &best, NULL),
                 CAUCUS_ERR_IO, "");
    for (o.threads = 1; o.threads < 4; o.threads++) {
        o.method = CAU_METHOD_MIX;
        o.train.memory = "1"; /* byte */
        assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_nothing, NULL, &best, NULL),
                     CAUCUS_ERR_MEMORY, "fold 1, mix: training needs about");
    }
    o.folds = 0;
    o.curve = true;
    o.seeds = 2;
    o.seed = 4;
    assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_nothing, NULL, &best, NULL),
                 CAUCUS_ERR_MEMORY, "size 1 of 1, seed 4, mix: training needs about");
    cau_data_free(data);

    const sample_row rows[] = {{0, "A", "a", 0}, {1, "B", "b", 0}, {1, "A", "a", 0}};
    data = sample_rows(ctx, rows, 3);
    o.train.memory = NULL;
    assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_nothing, NULL, &best, NULL),
                 CAUCUS_ERR_ARGUMENT, "--curve needs more target data than 1 instances");
    cau_data_free(data);
    data = sample_rows(ctx, rows + 1, 2); /* no target instance */
    assert_fails(ctx, cau_adapt_compare(ctx, data, &o, into_nothing, NULL, &best, NULL),
                 CAUCUS_ERR_ARGUMENT, "--curve needs more target data than 0 instances");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    cau_adapt_options o;
} compare_memory_case;

static caucus_status run_contest(void *self)
{
    const compare_memory_case *m = self;
    cau_strbuf text = {0};
    cau_method best;
    const caucus_status st =
        cau_adapt_compare(m->ctx, m->data, &m->o, into_text, &text, &best, NULL);
    cau_strbuf_clear(&text);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_adapt(ctx, (sample_sizes){.in = 8, .out = 8, .others = 1});
    for (size_t i = 0; i < 3; i++) {
        compare_memory_case m = {ctx, data, sample_adapt_options(CAU_METHOD_MIX, CAU_MODEL_AUTO)};
        m.o.folds = i < 2 ? 2 : 0;
        m.o.curve = i == 2;
        m.o.seeds = 1;
        m.o.json = i == 1;
        m.o.mega.iterations = 1;
        m.o.mega.steps = 2;
        m.o.train.stop.iterations = 2;
        assert_true(test_every_allocation(run_contest, &m) > 50);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds),    cmocka_unit_test(test_test_set),
        cmocka_unit_test(test_curve),    cmocka_unit_test(test_missing_methods),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_table),
        cmocka_unit_test(test_plot),     cmocka_unit_test(test_progress),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
