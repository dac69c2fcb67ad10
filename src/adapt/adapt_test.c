/* adapt_test.c - compares tuning with the same choice by hand, and runs each method from data to
 * model. */

#include "adapt/adapt.h"

#include "base/strbuf.h"
#include "support/adapt_sample.h"

static caucus_model *train(caucus_ctx *ctx, const caucus_data *data, const cau_adapt_options *o,
                           cau_tuned *tuned)
{
    caucus_model *model = NULL;
    assert_ok(ctx, cau_adapt_train(ctx, data, o->method, o, o->threads, tuned, &model));
    assert_string_equal(cau_model_info(model, "method"), cau_method_name(o->method));
    return model;
}

static caucus_model *baseline(caucus_ctx *ctx, const caucus_data *data, const cau_adapt_options *o,
                              double l2, double t)
{
    caucus_model *model = NULL;
    cau_train_options train = o->train;
    train.l2 = l2;
    assert_ok(ctx, cau_baseline_train(ctx, data, o->method, &train, t, o->seed, 1, &model));
    return model;
}

/* MEGA after a number of iterations; 0: the default number. */
static caucus_model *mega(caucus_ctx *ctx, const caucus_data *data, const cau_adapt_options *o,
                          double l2, size_t iterations, size_t *done)
{
    caucus_model *model = NULL;
    cau_domains domains = {0};
    cau_mega fitted = {0};
    cau_mega_options how = o->mega;
    const bool chain = o->train.model == CAU_MODEL_MEMM;
    how.l2 = l2;
    how.iterations = iterations;
    how.seen = chain;
    how.threads = 1;
    assert_ok(ctx, cau_domains_init(ctx, data, chain, &domains));
    assert_ok(ctx, cau_mega_fit(ctx, &domains, &how, NULL, NULL, &fitted));
    assert_ok(ctx, cau_mega_model(ctx, data, &domains, &fitted, (cau_str){"", 0}, &model));
    *done = fitted.iteration;
    cau_mega_clear(&fitted);
    cau_domains_clear(&domains);
    return model;
}

/* Both models give the same labels and probabilities on the training data. */
static void assert_same_answers(caucus_ctx *ctx, const caucus_model *a, const caucus_model *b,
                                const caucus_data *data)
{
    uint32_t x[4 * SAMPLE_MOST], y[4 * SAMPLE_MOST];
    double p[4 * SAMPLE_MOST], q[4 * SAMPLE_MOST];
    const cau_dataset *set = &data->train;
    assert_true(set->N <= sizeof x / sizeof *x);
    assert_ok(ctx, cau_apply_set(ctx, a, data, set, 1, x, p));
    assert_ok(ctx, cau_apply_set(ctx, b, data, set, 1, y, q));
    assert_memory_equal(x, y, set->N * sizeof *x);
    for (size_t n = 0; n < set->N; n++) assert_near(p[n], q[n], 1e-12);
}

/* ---- tuning -------------------------------------------------------------------------------- */

static const double penalties[] = {.01, 1, 30, 1000};
static const char penalty_text[] = "0.01,1,30,1000";
enum { PENALTIES = 4, STEPS = 20 };

/* Finds the best penalty by hand; the strongest wins ties. For an interpolation also its weight;
 * the one nearest to 1/2 wins ties. */
static cau_tuned best_baseline(caucus_ctx *ctx, const caucus_data *part, const cau_adapt_options *o)
{
    cau_tuned best = {.t = .5};
    size_t most = 0;
    for (size_t i = PENALTIES; i-- > 0;)
        for (int k = 0; k <= STEPS; k++) { /* 10, 9, 11, 8, ... of 20 */
            const int at = STEPS / 2 + (k % 2 ? -(k + 1) / 2 : k / 2);
            const double t = (double)at / STEPS;
            if (o->method != CAU_METHOD_INTERPOLATE && k > 0) break;
            caucus_model *model = baseline(ctx, part, o, penalties[i], t);
            const size_t right = sample_right(ctx, model, part, NULL);
            if (right > most || best.l2 <= 0) {
                most = right;
                best.l2 = penalties[i];
                best.t = t;
            }
            cau_model_free(model);
        }
    return best;
}

/* All baselines choose the same penalty as the loop by hand, and are then trained on all data. */
static void test_penalty(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    size_t chosen[PENALTIES] = {0}, weights = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        const bool chain = seed == 3;
        const size_t in = chain ? 21 : 45;
        caucus_data *data = sample_adapt(
            ctx, (sample_sizes){.in = in, .out = 60, .others = 1, .chain = chain, .seed = seed});
        for (cau_method m = CAU_METHOD_ONLY_IN; m < CAU_METHODS; m++) {
            cau_adapt_options o =
                sample_adapt_options(m, chain ? CAU_MODEL_MEMM : CAU_MODEL_MAXENT);
            if (chain && m != CAU_METHOD_PRIOR && m != CAU_METHOD_INTERPOLATE) continue;
            o.tune = penalty_text;
            o.seed = seed;
            cau_tuned found;
            caucus_model *model = train(ctx, data, &o, &found);
            caucus_data *part = sample_tenth(ctx, data, in, seed);
            assert_int_equal(part->test.S, (in + 9) / 10);
            const cau_tuned best = best_baseline(ctx, part, &o);
            assert_near(found.l2, best.l2, 0);
            assert_near(found.t, best.t, 0);
            caucus_model *again = baseline(ctx, data, &o, best.l2, best.t);
            assert_same_answers(ctx, model, again, data);
            assert_same_model(model, again);
            for (size_t i = 0; i < PENALTIES; i++) chosen[i] += penalties[i] == best.l2;
            weights += m == CAU_METHOD_INTERPOLATE && best.t != .5;
            cau_model_free(model);
            cau_model_free(again);
            cau_data_free(part);
        }
        cau_data_free(data);
    }
    size_t different = 0; /* the choices must differ, or the test would show nothing */
    for (size_t i = 0; i < PENALTIES; i++) different += chosen[i] > 0;
    assert_true(different >= 3);
    assert_true(weights > 0);
    caucus_ctx_free(ctx);
}

/* MEGA chooses the penalty and the number of iterations; the first of equal ones wins. */
static void test_iterations(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    size_t later = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        const bool chain = seed % 3 == 2;
        const size_t in = chain ? 60 : 150;
        cau_adapt_options o =
            sample_adapt_options(CAU_METHOD_MEGA, chain ? CAU_MODEL_MEMM : CAU_MODEL_MAXENT);
        caucus_data *data = sample_adapt(
            ctx, (sample_sizes){.in = in, .out = 50, .others = 1, .chain = chain, .seed = seed});
        caucus_data *part = sample_tenth(ctx, data, in, o.seed);
        size_t most = 0, iterations = 0, done;
        double l2 = 0;
        o.tune = penalty_text;
        o.mega.iterations = 4;
        o.mega.steps = 2; /* so that iterations are left to choose from */
        for (size_t i = PENALTIES; i-- > 0;)
            for (size_t n = 1; n <= 4; n++) {
                caucus_model *model = mega(ctx, part, &o, penalties[i], n, &done);
                const size_t right = sample_right(ctx, model, part, NULL);
                if (done == n && (l2 <= 0 || right > most)) {
                    most = right;
                    l2 = penalties[i];
                    iterations = n;
                }
                cau_model_free(model);
            }
        cau_tuned found;
        caucus_model *model = train(ctx, data, &o, &found);
        assert_near(found.l2, l2, 0);
        assert_int_equal(found.iterations, iterations);
        caucus_model *again = mega(ctx, data, &o, l2, iterations, &done);
        assert_same_answers(ctx, model, again, data);
        assert_int_equal(strtoul(cau_model_info(model, "iterations"), NULL, 10), done);
        later += iterations > 1;
        cau_model_free(model);
        cau_model_free(again);
        cau_data_free(part);
        cau_data_free(data);
    }
    assert_true(later > 0);
    caucus_ctx_free(ctx);
}

/* Without --tune the penalty stays, and an interpolation still chooses its weight. */
static void test_nothing_to_tune(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_adapt(ctx, (sample_sizes){.in = 30, .out = 50, .others = 1});
    caucus_data *part = sample_tenth(ctx, data, 30, 3);
    for (cau_method m = 0; m < CAU_METHODS; m++) {
        cau_adapt_options o = sample_adapt_options(m, CAU_MODEL_AUTO);
        o.train.l2 = 2.5;
        cau_tuned found;
        caucus_model *model = train(ctx, data, &o, &found);
        assert_near(found.l2, 2.5, 0);
        assert_int_equal(found.iterations, 0);
        double t = .5;
        if (m == CAU_METHOD_INTERPOLATE) {
            caucus_model *held = baseline(ctx, part, &o, 2.5, .5);
            assert_ok(ctx, cau_baseline_weigh(ctx, held, part, 1, &t));
            cau_model_free(held);
            assert_near(strtod(cau_model_info(model, "interpolation"), NULL), t, 1e-9);
        }
        assert_near(found.t, t, 0);
        cau_model_free(model);
    }
    cau_data_free(part);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void count_note(void *user, const char *sentence)
{
    if (strstr(sentence, "nothing is tuned")) ++*(size_t *)user;
}

/* With one target instance, or with two of different labels, a fold has too little to learn
 * from. */
static void test_too_little(void **state)
{
    (void)state;
    static const sample_row one[] = {{0, "A", "ab", 0}, {1, "A", "ac", 0}, {1, "B", "bd", 0}};
    static const sample_row two[] = {
        {0, "A", "ab", 0}, {0, "B", "bc", 0}, {1, "A", "ac", 0}, {1, "B", "bd", 0}};
    static const sample_row last[] = {{0, "B", "ab", 0}, {0, "A", "bc", 0}, {1, "A", "ac", 0}};
    static const struct {
        const sample_row *row;
        size_t N;
        cau_method method;
        size_t notes;
    } cases[] = {
        {one, 3, CAU_METHOD_MEGA, 1},  {one, 3, CAU_METHOD_PRIOR, 1},
        {one, 3, CAU_METHOD_MIX, 1},   {two, 4, CAU_METHOD_ONLY_IN, 1},
        {two, 4, CAU_METHOD_FEATS, 1}, {two, 4, CAU_METHOD_INTERPOLATE, 1},
        {two, 4, CAU_METHOD_MEGA, 0},  {two, 4, CAU_METHOD_MIX, 0},
    };
    caucus_ctx *ctx = test_ctx();
    size_t notes = 0;
    caucus_on_note(ctx, count_note, &notes);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cau_adapt_options o = sample_adapt_options(cases[i].method, CAU_MODEL_AUTO);
        caucus_data *data = sample_rows(ctx, cases[i].row, cases[i].N);
        cau_tuned found;
        o.tune = "5,10";
        notes = 0;
        caucus_model *model = train(ctx, data, &o, &found);
        assert_int_equal(notes, cases[i].notes);
        assert_near(found.l2, cases[i].notes ? 1 : 10, 0);
        assert_near(found.t, .5, 0);
        cau_model_free(model);
        cau_data_free(data);
    }
    size_t untuned = 0; /* a label that only the held-out instance has */
    caucus_data *data = sample_rows(ctx, last, 3);
    for (uint64_t seed = 0; seed < 8; seed++) {
        cau_adapt_options o = sample_adapt_options(CAU_METHOD_MIX, CAU_MODEL_AUTO);
        o.tune = "5,10";
        o.seed = seed;
        notes = 0;
        cau_model_free(train(ctx, data, &o, NULL));
        untuned += notes;
    }
    assert_true(untuned > 0 && untuned < 8);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Which data is enough for which method. */
static void test_sufficient_data(void **state)
{
    (void)state;
    static const sample_row rows[] = {
        {0, "A", "ab", 0}, {0, "A", "b", 0}, {1, "B", "bd", 0}, {1, "A", "d", 0}};
    static const uint32_t units[] = {0, 0, 1};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_rows(ctx, rows, 4), *two = sample_rows(ctx, rows + 1, 3);
    sample_units(two, units);
    for (cau_method m = 0; m < CAU_METHODS; m++) {
        const bool needs =
            m == CAU_METHOD_ONLY_IN || m == CAU_METHOD_INTERPOLATE || m == CAU_METHOD_FEATS;
        caucus_model *model = NULL;
        const cau_adapt_options o = sample_adapt_options(m, CAU_MODEL_AUTO);
        assert_int_equal(cau_adapt_learns(data, (cau_method)m), !needs);
        assert_true(cau_adapt_learns(two, (cau_method)m));
        if (needs)
            assert_fails(ctx, cau_adapt_train(ctx, data, (cau_method)m, &o, 1, NULL, &model),
                         CAUCUS_ERR_FORMAT, "the target data: all known labels are 'A'");
    }
    cau_data_free(data);
    cau_data_free(two);
    caucus_ctx_free(ctx);
}

/* ---- models -------------------------------------------------------------------------------- */

/* Every method with every kind of model, with one or two source domains, at any number of
 * threads. */
static void test_kinds(void **state)
{
    (void)state;
    static const cau_model_choice models[] = {CAU_MODEL_MAXENT, CAU_MODEL_MEMM, CAU_MODEL_CRF};
    static const cau_kind kinds[] = {CAU_KIND_MAXENT, CAU_KIND_MEMM, CAU_KIND_CRF};
    caucus_ctx *ctx = test_ctx();
    for (size_t others = 1; others < 3; others++)
        for (size_t k = 0; k < 3; k++) {
            caucus_data *data = sample_adapt(
                ctx,
                (sample_sizes){
                    .in = 20, .out = 30, .test = 30, .others = others, .chain = k > 0, .seed = 5});
            for (cau_method m = 0; m < CAU_METHODS; m++) {
                cau_adapt_options o = sample_adapt_options(m, models[k]);
                caucus_model *model[3];
                if (cau_method_is_mega((cau_method)m) && k == 2) continue;
                for (size_t i = 0; i < 3; i++) {
                    o.threads = (unsigned)(i * i + 1); /* 1, 2, 5 */
                    model[i] = train(ctx, data, &o, NULL);
                    assert_int_equal(model[i]->kind, kinds[k]);
                    assert_int_equal(model[i]->bytes, model[0]->bytes);
                    assert_memory_equal(model[i]->image, model[0]->image, model[0]->bytes);
                }
                /* the common features suffice to beat chance */
                assert_true(3 * sample_right(ctx, model[0], data, NULL) > data->test.N);
                for (size_t i = 0; i < 3; i++) cau_model_free(model[i]);
            }
            cau_data_free(data);
        }
    caucus_ctx_free(ctx);
}

static double info_real(const caucus_model *model, const char *key)
{
    double x = NAN;
    const char *text = cau_model_info(model, key);
    assert_non_null(text);
    assert_true(cau_parse_real(text, strlen(text), &x));
    return x;
}

/* The facts that a MEGA model stores about itself. */
static void test_description(void **state)
{
    (void)state;
    static const char *const names[] = {"calls\ttoday", "news", "mail"};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data =
        sample_adapt(ctx, (sample_sizes){.in = 20, .out = 30, .others = 2, .seed = 6});
    cau_adapt_options o = sample_adapt_options(CAU_METHOD_MEGA, CAU_MODEL_AUTO);
    cau_domains domains = {0};
    double kl[9];
    o.name = names;
    o.mega.nb_features = 7;
    o.mega.optimizer = CAU_MEGA_LBFGS;
    o.train.kept = (cau_str){"option.l2\t1\n", 12};
    caucus_model *model = train(ctx, data, &o, NULL);
    assert_string_equal(cau_model_info(model, "model"), "maxent");
    assert_string_equal(cau_model_info(model, "optimizer"), "lbfgs");
    assert_string_equal(cau_model_info(model, "option.l2"), "1");
    assert_null(strchr(cau_model_info(model, "domain.1.name"), '\t'));
    assert_string_equal(cau_model_info(model, "domain.3.name"), "mail");
    assert_null(cau_model_info(model, "domain.4.name"));
    assert_near(info_real(model, "domain.1.instances"), 20, 0);
    assert_near(info_real(model, "domain.2.instances"), 30, 0);
    assert_near(info_real(model, "instances"), 80, 0);
    assert_near(info_real(model, "nb.features"), 7, 0);
    assert_near(info_real(model, "domain.1.pi"), model->pool.alpha[3], 1e-6);
    assert_near(info_real(model, "weights"), 4.0 * 3 * (double)(data->train.K + 1), 0);
    assert_ok(ctx, cau_domains_init(ctx, data, false, &domains));
    assert_ok(ctx, cau_bayes_divergence(ctx, &domains.all.x, domains.begin, 3, domains.K, kl));
    assert_near(info_real(model, "kl.1.3"), kl[2], 1e-6);
    assert_near(info_real(model, "kl.3.2"), kl[7], 1e-6);
    assert_null(cau_model_info(model, "kl.2.2"));
    cau_domains_clear(&domains);
    cau_model_free(model);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_saved(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_adapt(ctx, (sample_sizes){.in = 20, .out = 30, .others = 1});
    for (cau_method m = 0; m < CAU_METHODS; m++) {
        cau_adapt_options o = sample_adapt_options(m, CAU_MODEL_AUTO);
        caucus_model *model = NULL, *opened = NULL;
        o.train.output = test_path("adapted.cau");
        assert_ok(ctx, cau_adapt_fit(ctx, data, &o, &model));
        assert_ok(ctx, cau_model_open(ctx, o.train.output, &opened));
        assert_same_answers(ctx, model, opened, data);
        cau_model_free(model);
        cau_model_free(opened);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- progress ------------------------------------------------------------------------------ */

typedef struct {
    size_t calls, most;
    double objective;
} adapt_watcher;

/* The objective never falls; progress reports it with the opposite sign. */
static bool watch(void *user, const caucus_progress *p)
{
    adapt_watcher *w = user;
    assert_string_equal(p->solver, "mega");
    assert_int_equal(p->iteration, ++w->calls);
    assert_true(p->elapsed >= 0);
    assert_true(w->calls == 1 || p->objective <= w->objective);
    w->objective = p->objective;
    return w->calls < w->most;
}

static void test_progress(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_adapt(ctx, (sample_sizes){.in = 20, .out = 30, .others = 1});
    const cau_adapt_options o = sample_adapt_options(CAU_METHOD_MEGA, CAU_MODEL_AUTO);
    adapt_watcher w = {.most = 2};
    caucus_on_progress(ctx, watch, &w);
    /* an interrupted run returns the current model */
    caucus_model *model = train(ctx, data, &o, NULL);
    assert_int_equal(w.calls, 2);
    assert_string_equal(cau_model_info(model, "iterations"), "2");
    assert_near(info_real(model, "objective"), -w.objective, 1e-6);
    cau_model_free(model);
    w = (adapt_watcher){.most = 100};
    model = train(ctx, data, &o, NULL);
    assert_true(w.calls > 2);
    cau_model_free(model);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- what goes wrong ----------------------------------------------------------------------- */

static void test_check(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const cau_adapt_options plain = sample_adapt_options(CAU_METHOD_MEGA, CAU_MODEL_AUTO);
    static const char many[] = /* 33 */
        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
    static const char *const lists[] = {"",   ",",   "1,",    "1,,2", "x",
                                        "-1", "nan", "1,inf", "1 2",  many};
    static const char *const good[] = {"0", "1", "0.1,1,10", "1e-3,2"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        cau_adapt_options o = plain;
        o.tune = lists[i];
        assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "not a list");
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cau_adapt_options o = plain;
        o.tune = good[i];
        assert_ok(ctx, cau_adapt_check(ctx, &o));
    }
    cau_adapt_options o = plain;
    o.train.l1 = 1;
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "--l1");
    o = plain;
    o.train.model = CAU_MODEL_CRF;
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "which a CRF cannot");
    o.method = CAU_METHOD_ALL;
    assert_ok(ctx, cau_adapt_check(ctx, &o));
    o.train.class_weight = "balanced"; /* MEGA ignores it */
    assert_ok(ctx, cau_adapt_check(ctx, &o));
    o.train.model = CAU_MODEL_AUTO;
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "does not weigh classes");
    o.method = CAU_METHOD_PRIOR;
    assert_ok(ctx, cau_adapt_check(ctx, &o));
    o.curve = true; /* MEGA is shown too */
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "does not weigh classes");
    o = plain;
    o.folds = 1;
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "at least 2");
    o.folds = 2;
    o.curve = true;
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "leave out --folds");
    o = plain;
    o.plot = "curve.svg";
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "add --curve");
    o.curve = true;
    o.plot = "curve.gif";
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "");
    o = plain;
    o.json = true;
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_ARGUMENT, "--json is for a table");
    o = plain;
    o.train.output = test_path("nowhere/m.cau");
    assert_fails(ctx, cau_adapt_check(ctx, &o), CAUCUS_ERR_IO, "nowhere");
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    cau_adapt_options o;
} adapt_memory_case;

static caucus_status fit(void *self)
{
    const adapt_memory_case *m = self;
    caucus_model *model = NULL;
    const caucus_status st = cau_adapt_fit(m->ctx, m->data, &m->o, &model);
    assert_true(!st == (model != NULL));
    cau_model_free(model);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    static const cau_method methods[] = {CAU_METHOD_MEGA, CAU_METHOD_INTERPOLATE};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_adapt(ctx, (sample_sizes){.in = 8, .out = 8, .others = 1});
    for (size_t i = 0; i < 2; i++) {
        adapt_memory_case m = {ctx, data, sample_adapt_options(methods[i], CAU_MODEL_AUTO)};
        m.o.tune = "1";
        m.o.mega.iterations = 1;
        m.o.mega.steps = 2;
        m.o.train.stop.iterations = 2;
        m.o.train.output = test_path("small.cau");
        assert_true(test_every_allocation(fit, &m) > 50);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_penalty),         cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_nothing_to_tune), cmocka_unit_test(test_too_little),
        cmocka_unit_test(test_sufficient_data), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_description),     cmocka_unit_test(test_saved),
        cmocka_unit_test(test_progress),        cmocka_unit_test(test_check),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
