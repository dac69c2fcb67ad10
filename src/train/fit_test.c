/* fit_test.c - whole training runs: the optima of the worked example, agreement of the solvers, and
 * the same bytes at any thread count and after any interruption. */

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "support/label_sample.h"
#include "support/train_sample.h"
#include "train/problem.h"

static double weight_of(const caucus_model *m, const char *name, const char *label)
{
    uint32_t row = cau_model_find(m, &m->nodes, name, strlen(name));
    uint32_t y = cau_model_label_find(m, (cau_str){label, strlen(label)});
    return row == CAU_UNKNOWN ? 0 : cau_model_weight(&m->nodes, row, y);
}

/* ---- MATH A.6 ---- */

typedef struct {
    const char *name, *label;
    double weight;
} fit_expected;

static void check_weights(const caucus_model *m, const fit_expected *e, size_t count)
{
    double used = 0;
    for (size_t i = 0; i < count; i++) {
        assert_near(weight_of(m, e[i].name, e[i].label), e[i].weight, 1e-6);
        used += e[i].weight != 0;
    }
    assert_near(sample_info(m, "nonzero"), used, 0); /* all other weights are 0 */
}

static void test_first_steps(void **state)
{
    (void)state;
    static const fit_expected gis_a[] = {
        {"t2", "c1", .366204}, {"t3", "c1", .231049}, {"t4", "c1", .135155}, {"t4", "c2", .135155}};
    static const fit_expected gis_b[] = {{"t2", "c1", .366204},
                                         {"t3", "c1", .135155},
                                         {"t3", "c3", .135155},
                                         {"t4", "c1", .135155},
                                         {"t4", "c2", .135155}};
    static const fit_expected iis_a[] = {
        {"t2", "c1", .366204}, {"t3", "c1", .292857}, {"t4", "c1", .202733}, {"t4", "c2", .202733}};
    static const fit_expected iis_b[] = {{"t2", "c1", .366204},
                                         {"t3", "c1", .160893},
                                         {"t3", "c3", .160893},
                                         {"t4", "c1", .264497},
                                         {"t4", "c2", .264497}};
    static const struct {
        char data;
        cau_solver_kind solver;
        const fit_expected *weights;
        size_t count;
        double loss;
    } cases[] = {{'A', CAU_SOLVER_GIS, gis_a, 4, 3.890607},
                 {'B', CAU_SOLVER_GIS, gis_b, 5, 3.999180},
                 {'A', CAU_SOLVER_IIS, iis_a, 4, 3.808561},
                 {'B', CAU_SOLVER_IIS, iis_b, 5, 3.909546}};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < 4; i++) {
        caucus_data *data = sample_lecture(ctx, cases[i].data);
        cau_train_options o = sample_options(cases[i].solver, 0, 0);
        o.no_bias = true;
        o.stop.iterations = 1;
        caucus_model *m = fit(ctx, data, &o, 1);
        check_weights(m, cases[i].weights, cases[i].count);
        assert_near(sample_info(m, "loss"), cases[i].loss, 1e-6);
        cau_model_free(m);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

static void test_lecture_optima(void **state)
{
    (void)state;
    static const struct {
        char data;
        double variance, F, L;
        double w[3][4];
        double p1[3];
    } cases[] = {
        {'A',
         1,
         3.427463981,
         -2.792154877,
         {{-.250151, .435280, .474747, .152169},
          {.146570, -.160026, -.587658, .289142},
          {.103582, -.275254, .112911, -.441311}},
         {.564720, .160026, .275254}},
        {'B',
         1,
         3.723437666,
         -3.233814232,
         {{-.172881, .495130, .171793, .246468},
          {.132546, -.189358, -.429809, .179848},
          {.040335, -.305772, .258016, -.426316}},
         {.504870, .189358, .305772}},
        {'A', 10, 1.596655192, 0, {{0}}, {0}},
        {'B', 10, 2.028957658, 0, {{0}}, {0}},
    };
    static const cau_solver_kind solvers[] = {CAU_SOLVER_LBFGS, CAU_SOLVER_OWLQN, CAU_SOLVER_GIS,
                                              CAU_SOLVER_IIS};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < 4; i++) {
        for (size_t s = 0; s < 4; s++) {
            caucus_data *data = sample_lecture(ctx, cases[i].data);
            cau_train_options o = sample_options(solvers[s], 0, 1 / cases[i].variance);
            o.no_bias = true;
            caucus_model *m = fit(ctx, data, &o, 1);
            assert_near(sample_info(m, "objective"), cases[i].F, 1e-6);
            for (size_t t = 0; t < 4 && cases[i].L != 0; t++) {
                char name[] = {'t', (char)('1' + t), 0};
                for (size_t y = 0; y < 3; y++) {
                    char label[] = {'c', (char)('1' + y), 0};
                    assert_near(weight_of(m, name, label), cases[i].w[y][t], 1e-6);
                }
            }
            if (cases[i].L != 0) {
                static const caucus_feature x1[] = {{"t1", 1}, {"t2", 1}, {"t3", 1}};
                double p[3];
                assert_near(sample_info(m, "loss"), -cases[i].L, 1e-6);
                assert_ok(ctx, sample_predict(ctx, m, x1, 3, p));
                for (size_t y = 0; y < 3; y++) assert_near(p[y], cases[i].p1[y], 1e-6);
            }
            cau_model_free(m);
            cau_data_free(data);
        }
    }
    caucus_ctx_free(ctx);
}

/* ---- solvers against each other ---- */

/* Recomputes F from the weights in the file. */
static void test_same_optimum(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 8; kind++) {
        double l2 = kind & 1 ? 0.5 : 0, reference = 0;
        caucus_data *data = sample_random(ctx, 200, 5, 3, kind & 2, kind & 4, 11);
        static const cau_solver_kind solvers[] = {CAU_SOLVER_LBFGS, CAU_SOLVER_GIS, CAU_SOLVER_IIS,
                                                  CAU_SOLVER_GIS};
        for (size_t s = 0; s < 4; s++) {
            cau_train_options o = sample_options(solvers[s], 0, l2);
            o.states = CAU_STATES_SEEN;
            o.correction = s == 3;
            if (s == 3 && l2 > 0) continue;
            o.stop.epsilon = 1e-7;
            caucus_model *m = fit(ctx, data, &o, 2);
            double F = sample_info(m, "objective");
            if (s == 0) reference = F;
            assert_near(F, reference, 1e-6 * reference);
            cau_model_free(m);
        }
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* L-BFGS merges equal columns and GIS does not; both find the same weights. */
static void test_merged_columns(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_companions(ctx, 100, 4, 3, 15);
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0.5);
    caucus_model *merged = fit(ctx, data, &o, 2);
    o.solver = CAU_SOLVER_GIS;
    caucus_model *plain = fit(ctx, data, &o, 2);
    assert_near(sample_info(merged, "objective"), sample_info(plain, "objective"), 1e-6);
    assert_int_equal(merged->nodes.K, 12);
    for (size_t k = 0; k < merged->nodes.K; k++) {
        cau_str name = cau_model_name(&merged->nodes, k);
        uint32_t row = cau_model_find(plain, &plain->nodes, name.s, name.n);
        for (size_t y = 0; y < 3; y++)
            assert_near(cau_model_weight(&merged->nodes, k, y),
                        cau_model_weight(&plain->nodes, row, y), 1e-4);
    }
    cau_model_free(merged);
    cau_model_free(plain);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The l1 optimum of OWL-QN satisfies the conditions of optimality and has zeros. */
static void test_l1_optimum(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 200, 12, 3, true, false, 12);
    for (int both = 0; both < 2; both++) {
        cau_train_options o = sample_options(CAU_SOLVER_AUTO, 4, both ? 0.5 : 0);
        caucus_model *m = fit(ctx, data, &o, 1);
        assert_string_equal(cau_model_info(m, "solver"), "owlqn");
        assert_true(sample_info(m, "nonzero") < sample_info(m, "weights"));
        cau_problem p;
        assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
        double *w = calloc(p.n, sizeof *w), *g = calloc(p.n, sizeof *g), f;
        for (uint32_t k = 0; k < p.set->K; k++) {
            cau_str name = cau_alphabet_name(data->alphabets.names, k);
            uint32_t row = cau_model_find(m, &m->nodes, name.s, name.n);
            for (size_t y = 0; y < 3; y++)
                if (row != CAU_UNKNOWN) w[k * 3 + y] = cau_model_weight(&m->nodes, row, y);
        }
        for (size_t y = 0; y < 3; y++) w[p.penalised + y] = (double)m->bias[y];
        assert_int_equal(cau_problem_smooth(&p, w, &f, g), CAUCUS_OK);
        for (size_t k = 0; k < p.n; k++) {
            double tolerance = 2e-3; /* the file stores weights as floats */
            if (k >= p.penalised)
                assert_near(g[k], 0, tolerance);
            else if (w[k] != 0)
                assert_near(g[k], w[k] > 0 ? -4 : 4, tolerance);
            else
                assert_true(fabs(g[k]) <= 4 + tolerance);
        }
        free(w);
        free(g);
        cau_problem_clear(&p);
        cau_model_free(m);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Without a penalty the model reproduces the counts of the data. */
static void test_expectations_agree(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 300, 5, 3, true, true, 13);
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0);
    o.states = CAU_STATES_SEEN;
    caucus_model *m = fit(ctx, data, &o, 1);
    cau_problem p;
    assert_ok(ctx, cau_problem_init(ctx, data, &o, 1, &p));
    double *w = calloc(p.n, sizeof *w), *E = calloc(p.n, sizeof *E), *C = calloc(p.n, sizeof *C);
    double loss;
    for (uint32_t k = 0; k < p.set->K; k++) {
        cau_str name = cau_alphabet_name(data->alphabets.names, k);
        uint32_t row = cau_model_find(m, &m->nodes, name.s, name.n);
        for (size_t i = p.nodes.start[k]; i < p.nodes.start[k + 1]; i++)
            w[i] = cau_model_weight(&m->nodes, row, p.nodes.cell[i]);
    }
    for (size_t y = 0; y < 3; y++) w[p.n - 3 + y] = (double)m->bias[y];
    assert_int_equal(cau_pass_expect(p.pass, w, &loss, E), CAUCUS_OK);
    cau_problem_counts(&p, C);
    for (size_t k = 0; k < p.n; k++) assert_near(E[k], C[k], 1e-4);
    free(w);
    free(E);
    free(C);
    cau_problem_clear(&p);
    cau_model_free(m);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Stochastic solvers come near the optimum of L-BFGS. */
static void test_online_optimum(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int kind = 0; kind < 4; kind++) {
        double l1 = kind & 1 ? 1 : 0;
        caucus_data *data = sample_random(ctx, 300, 8, 3, kind & 2, kind & 1, 14);
        cau_train_options o = sample_options(CAU_SOLVER_AUTO, l1, 1);
        caucus_model *m = fit(ctx, data, &o, 1);
        double best = sample_info(m, "objective");
        cau_model_free(m);
        for (cau_solver_kind s = CAU_SOLVER_SGD; s <= CAU_SOLVER_ADAGRAD; s++) {
            o.solver = s;
            o.stop = (cau_stop_rule){.iterations = 200};
            m = fit(ctx, data, &o, 1);
            double F = sample_info(m, "objective");
            assert_true(F >= best - 1e-6 && F < best * 1.01);
            cau_model_free(m);
        }
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* ---- the course of a run ---- */

typedef struct {
    double last;
    size_t iterations, stop_at;
    bool rose;
} fit_watcher;

static bool watch(void *user, const caucus_progress *p)
{
    fit_watcher *w = user;
    if (w->iterations > 0 && p->objective > w->last * (1 + 1e-12)) w->rose = true;
    w->last = p->objective;
    w->iterations = p->iteration;
    return w->stop_at == 0 || p->iteration < w->stop_at;
}

static void test_objective_never_rises(void **state)
{
    (void)state;
    static const cau_solver_kind solvers[] = {CAU_SOLVER_GIS, CAU_SOLVER_IIS, CAU_SOLVER_LBFGS,
                                              CAU_SOLVER_OWLQN};
    caucus_ctx *ctx = test_ctx();
    for (uint64_t seed = 0; seed < 10; seed++) {
        for (size_t s = 0; s < 4; s++) {
            fit_watcher w = {0};
            caucus_data *data = sample_random(ctx, 60, 10, 4, seed & 1, seed & 2, seed);
            cau_train_options o = sample_options(solvers[s], s == 3 ? 0.5 : 0, seed & 4 ? 1 : 0);
            o.stop.iterations = 50;
            caucus_on_progress(ctx, watch, &w);
            caucus_model *m = fit(ctx, data, &o, 1);
            assert_true(w.iterations > 1);
            assert_false(w.rose);
            cau_model_free(m);
            cau_data_free(data);
        }
    }
    caucus_ctx_free(ctx);
}

static void assert_same_bytes(const caucus_model *a, const caucus_model *b)
{
    assert_same_model(a, b);
}

/* FOBOS comes near the optimum with l2, and with l1, which leaves zeros. */
static void test_fobos(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 200, 5, 3, true, true, 11);
    for (int l1 = 0; l1 < 2; l1++) {
        cau_train_options o = sample_options(CAU_SOLVER_AUTO, l1 ? 12 : 0, l1 ? 0 : 0.5);
        caucus_model *best = fit(ctx, data, &o, 1);
        o.solver = CAU_SOLVER_FOBOS;
        o.stop.iterations = 100;
        fit_watcher w = {0};
        caucus_on_progress(ctx, watch, &w);
        caucus_model *m = fit(ctx, data, &o, 1);
        caucus_on_progress(ctx, NULL, NULL);
        const double F = sample_info(m, "objective"), least = sample_info(best, "objective");
        assert_true(F >= least - 1e-6);
        assert_near(F / least, 1, 2e-3);
        assert_near(w.last, F, 1e-8 * F); /* progress reported the same F */
        if (l1) assert_true(sample_info(m, "nonzero") < sample_info(m, "weights"));
        cau_model_free(m);
        cau_model_free(best);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static const cau_solver_kind every_solver[] = {
    CAU_SOLVER_LBFGS, CAU_SOLVER_OWLQN,   CAU_SOLVER_GIS,   CAU_SOLVER_IIS,
    CAU_SOLVER_SGD,   CAU_SOLVER_ADAGRAD, CAU_SOLVER_FOBOS, CAU_SOLVER_PROXIMAL};
enum { EVERY = sizeof every_solver / sizeof *every_solver };

static void test_threads_change_nothing(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 9000, 40, 3, true, true, 21);
    for (size_t s = 0; s < EVERY; s++) {
        cau_train_options o = sample_options(every_solver[s], s == 1 ? 0.5 : 0, 0.7);
        o.stop.iterations = 8;
        caucus_model *one = fit(ctx, data, &o, 1);
        static const unsigned threads[] = {2, 3, 8};
        for (size_t t = 0; t < 3; t++) {
            caucus_model *many = fit(ctx, data, &o, threads[t]);
            assert_same_bytes(one, many);
            cau_model_free(many);
        }
        cau_model_free(one);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Stopped after 3 iterations, resumed, stopped after 5 more, resumed: the file is the same. */
static void test_resume(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int with_dev = 0; with_dev < 2; with_dev++) {
        caucus_data *data = sample_random(ctx, 500, 20, 3, true, true, 22);
        caucus_data *dev = sample_random(ctx, 100, 20, 3, true, true, 23);
        if (with_dev) { /* borrowed for this test: the same names and labels */
            cau_dataset swap = data->dev;
            data->dev = dev->train;
            dev->train = swap;
        }
        for (size_t s = 0; s < EVERY; s++) {
            cau_train_options o = sample_options(every_solver[s], s == 1 ? 0.5 : 0, 0.7);
            o.stop.iterations = 20;
            caucus_on_progress(ctx, NULL, NULL);
            caucus_model *whole = fit(ctx, data, &o, 1);

            fit_watcher w = {.stop_at = 3};
            o.output = test_path("resume.cau");
            caucus_on_progress(ctx, watch, &w);
            caucus_model *part = fit(ctx, data, &o, 1);
            assert_string_equal(cau_model_info(part, "iterations"), "3");
            cau_model_free(part);
            o.resume = true;
            w.stop_at = 8;
            part = fit(ctx, data, &o, 2);
            assert_string_equal(cau_model_info(part, "iterations"), "8");
            cau_model_free(part);
            w.stop_at = 0;
            part = fit(ctx, data, &o, 1);
            assert_same_bytes(whole, part);
            cau_model_free(part);

            caucus_model *saved = NULL; /* after saving, the checkpoint is deleted */
            assert_ok(ctx, cau_model_open(ctx, o.output, &saved));
            assert_same_bytes(whole, saved);
            assert_int_not_equal(access(test_path("resume.cau.checkpoint"), F_OK), 0);
            cau_model_free(saved);
            cau_model_free(whole);
        }
        cau_data_free(data);
        cau_data_free(dev);
    }
    caucus_ctx_free(ctx);
}

static void test_foreign_checkpoints(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 50, 10, 3, true, true, 22);
    caucus_data *other = sample_random(ctx, 51, 10, 3, true, true, 22);
    caucus_model *m = NULL;
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0.7);
    fit_watcher w = {.stop_at = 3};
    o.output = test_path("foreign.cau");
    caucus_on_progress(ctx, watch, &w);
    m = fit(ctx, data, &o, 1);
    cau_model_free(m);
    m = NULL;
    o.resume = true;
    w.stop_at = 0;
    assert_fails(ctx, cau_fit(ctx, other, &o, 1, 1, &m), CAUCUS_ERR_FORMAT, "other data");
    assert_fails(ctx, cau_fit(ctx, data, &o, 2, 1, &m), CAUCUS_ERR_FORMAT, "other data");
    o.shape = (cau_str){"option.l2\t3\n", 12};
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &m), CAUCUS_ERR_FORMAT, "other data");
    o.shape = (cau_str){NULL, 0};

    /* a truncated or damaged checkpoint is refused and the weights stay unchanged */
    const char *path = test_path("foreign.cau.checkpoint");
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    size_t n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    assert_true(n > 1000);
    test_file("foreign.cau.checkpoint", bytes, n / 2);
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &m), CAUCUS_ERR_FORMAT, "cut short");
    bytes[n / 2] ^= 4;
    test_file("foreign.cau.checkpoint", bytes, n);
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &m), CAUCUS_ERR_FORMAT, "damaged");
    test_file("foreign.cau.checkpoint", "no such thing in here, is there", 31);
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &m), CAUCUS_ERR_FORMAT, "not a checkpoint");
    assert_null(m);
    free(bytes);
    cau_data_free(data);
    cau_data_free(other);
    caucus_ctx_free(ctx);
}

/* ---- what is refused ---- */

static void test_combinations(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_lecture(ctx, 'A');
    caucus_model *m = NULL;
    cau_train_options good = sample_options(CAU_SOLVER_LBFGS, 0, 1), o;
#define REFUSED(change, part)                                                                      \
    do {                                                                                           \
        o = good;                                                                                  \
        change;                                                                                    \
        assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &m), CAUCUS_ERR_ARGUMENT, part);            \
    } while (0)
    REFUSED(o.l1 = 1, "owlqn");
    REFUSED((o.l1 = 1, o.solver = CAU_SOLVER_GIS), "l1");
    REFUSED((o.l1 = 1, o.solver = CAU_SOLVER_IIS), "l1");
    REFUSED(o.correction = true, "--solver gis");
    REFUSED((o.correction = true, o.solver = CAU_SOLVER_GIS), "--l2 0");
    REFUSED(o.rate = 1, "--rate");
    REFUSED((o.l1 = 1, o.solver = CAU_SOLVER_FOBOS), "not both; add --l2 0");
    REFUSED((o.mean = "x", o.solver = CAU_SOLVER_FOBOS), "--solver fobos pulls weights to 0");
    REFUSED(o.dropout = 0.5, "for --dropout use sgd, adagrad or fobos");
    REFUSED((o.dropout = 0.95, o.solver = CAU_SOLVER_SGD), "--dropout 0.95: not a share");
    REFUSED((o.dropout = NAN, o.solver = CAU_SOLVER_SGD), "not a share");
    REFUSED((o.mean = "x", o.l2 = 0), "--mean");
    REFUSED((o.mean = "x", o.l1 = 1, o.solver = CAU_SOLVER_OWLQN), "--mean");
    assert_ok(ctx, cau_fit(ctx, data, &good, 1, 1, &m));
    const caucus_model *prior = m;
    REFUSED((o.prior = prior, o.mean = "x"), "given already; leave out --mean");
    REFUSED((o.prior = prior, o.l2 = 0), "a prior model is where the l2 penalty pulls to");
    REFUSED((o.prior = prior, o.l1 = 1, o.solver = CAU_SOLVER_OWLQN), "a prior model goes with l2");
    cau_model_free(m);
    m = NULL;
    REFUSED(o.stop.patience = 3, "--dev");
    REFUSED(o.resume = true, "-o");
    REFUSED(o.memory = "many", "--memory");
    REFUSED(o.memory = "-4G", "--memory");
    o = good;
    o.memory = "1K";
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &m), CAUCUS_ERR_MEMORY, "--memory allows");
    o = good;
    o.output = "/no/such/folder/model.cau";
    assert_fails(ctx, cau_fit(ctx, data, &o, 1, 1, &m), CAUCUS_ERR_IO, "/no/such/folder");
    assert_null(m);
    cau_data_free(data);

    data = NULL;
    static const caucus_feature x[] = {{"a", -1}};
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    assert_ok(ctx, cau_data_add(ctx, data, "n", 1, x, 1));
    assert_ok(ctx, cau_data_add(ctx, data, "p", 1, x, 0));
    assert_fails(ctx, cau_fit(ctx, data, &good, 1, 1, &m), CAUCUS_ERR_ARGUMENT, "close");
    assert_ok(ctx, cau_data_close(ctx, data));
    REFUSED(o.solver = CAU_SOLVER_GIS, "not negative");
    REFUSED(o.solver = CAU_SOLVER_IIS, "not negative");
#undef REFUSED
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* A prior is the mean of all weights, intercepts included. Every solver that supports it finds the
 * same optimum, where the gradient of F is 0; a strong prior determines the weights. */
static void test_prior(void **state)
{
    (void)state;
    static const cau_solver_kind solvers[] = {CAU_SOLVER_LBFGS, CAU_SOLVER_GIS, CAU_SOLVER_IIS,
                                              CAU_SOLVER_PROXIMAL};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 40, 6, 3, true, false, 5);
    caucus_data *other = sample_random(ctx, 40, 6, 3, true, false, 6);
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 0.5);
    caucus_model *mean = NULL, *m = NULL;
    assert_ok(ctx, cau_fit(ctx, other, &o, 1, 1, &mean));
    o.prior = mean;
    double best = 0;
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        o.solver = solvers[s];
        assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &m));
        const double F = sample_info(m, "objective");
        if (s == 0) best = F;
        assert_near(F, best, 1e-4);
        cau_model_free(m);
    }
    o.solver = CAU_SOLVER_LBFGS;
    o.l2 = 1e8;
    assert_ok(ctx, cau_fit(ctx, data, &o, 1, 1, &m));
    assert_int_equal(strncmp(cau_model_info(m, "mean"), "maxent of 6 features and 3 classes, ", 36),
                     0);
    for (uint32_t y = 0; y < 3; y++) {
        const cau_str label = cau_alphabet_name(data->labels, y);
        const uint32_t theirs = cau_model_label_find(mean, label);
        assert_near((double)m->bias[y], (double)mean->bias[theirs], 1e-4);
        for (size_t k = 0; k < 6; k++) {
            const cau_str name = cau_model_name(&m->nodes, k);
            const uint32_t row = cau_model_find(mean, &mean->nodes, name.s, name.n);
            assert_near(cau_model_weight(&m->nodes, k, y),
                        cau_model_weight(&mean->nodes, row, theirs), 1e-4);
        }
    }
    cau_model_free(m);
    cau_model_free(mean);
    cau_data_free(data);
    cau_data_free(other);
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 20, 5, 3, true, true, 31);
    for (size_t s = 0; s < EVERY; s++) {
        fit_attempt c = {ctx, data, sample_options(every_solver[s], s == 1 ? 0.5 : 0, 0.7)};
        c.options.stop.iterations = 3;
        c.options.output = test_path("memory.cau");
        c.options.states = CAU_STATES_SEEN;
        c.options.class_weight = "balanced";
        assert_true(test_every_allocation(try_fit, &c) > 10);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_steps),    cmocka_unit_test(test_lecture_optima),
        cmocka_unit_test(test_same_optimum),   cmocka_unit_test(test_merged_columns),
        cmocka_unit_test(test_l1_optimum),     cmocka_unit_test(test_expectations_agree),
        cmocka_unit_test(test_online_optimum), cmocka_unit_test(test_objective_never_rises),
        cmocka_unit_test(test_fobos),          cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_resume),         cmocka_unit_test(test_foreign_checkpoints),
        cmocka_unit_test(test_combinations),   cmocka_unit_test(test_prior),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("train/fit", tests, NULL, NULL);
}
