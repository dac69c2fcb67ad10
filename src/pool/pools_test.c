/* pools_test.c - pools compared with separately trained members and sums of weights, Figure 1 of
 * the bagging paper, and checks of every kind of pool. */

#include "pool/pools.h"

#include <math.h>

#include "support/pool_sample.h"

static cau_train_options options(double l2)
{
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, l2);
    o.stop.epsilon = 1e-8;
    return o;
}

/* ---- members ------------------------------------------------------------------------------- */

/* The weights of a member equal those of a separate model. */
static void compare_names(const caucus_model *pool, const cau_observations *member,
                          const cau_observations *own)
{
    for (size_t k = 0; k < own->K; k++) {
        const cau_str name = cau_model_name(own, k);
        const uint32_t there = cau_model_find(pool, member, name.s, name.n);
        for (size_t c = 0; c < own->width; c++) {
            const double w = there == CAU_UNKNOWN ? 0 : cau_model_weight(member, there, c);
            assert_near(w, cau_model_weight(own, k, c), 2e-5);
        }
    }
}

static double sum_of(const cau_observations *of)
{
    double sum = 0;
    for (size_t k = 0; k < of->K; k++)
        for (size_t c = 0; c < of->width; c++) sum += fabs(cau_model_weight(of, k, c));
    return sum;
}

static void compare_member(const caucus_model *m, size_t j, const caucus_model *own)
{
    const cau_member *member = &m->member[j];
    char key[48];
    compare_names(m, &member->nodes, &own->nodes);
    compare_names(m, &member->edges, &own->edges);
    /* and there are no other weights */
    assert_near(sum_of(&member->nodes), sum_of(&own->nodes), 1e-3);
    assert_near(sum_of(&member->edges), sum_of(&own->edges), 1e-3);
    assert_int_equal(member->transitions != NULL, own->transitions != NULL);
    for (size_t c = 0; own->transitions && c < own->Y * own->Y; c++)
        assert_near((double)member->transitions[c], (double)own->transitions[c], 2e-5);
    for (size_t c = 0; own->bias && c < own->Y; c++)
        assert_near((double)member->bias[c], (double)own->bias[c], 2e-5);
    snprintf(key, sizeof key, "expert.%zu.objective", j + 1);
    assert_near(sample_info(m, key), sample_info(own, "objective"), 1e-6);
}

/* A member equals the model trained with a template of its patterns. */
static void test_members(void **state)
{
    (void)state;
    static const char *const templates[][3] = {
        {sample_bags,
         "U00:%x[0,0]\nU01:%x[-1,0]\nU20:%x[0,0]/%x[0,1]\nU30:%x[1,1]\nB\nB1:%x[0,1]\n",
         "U10:%x[0,1]\nU20:%x[0,0]/%x[0,1]\nU30:%x[1,1]\nB\nB1:%x[0,1]\n"},
        {"U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[1,1]\n@bag a: U0 U2\n@bag b: U1 U2\n",
         "U0:%x[0,0]\nU2:%x[1,1]\n", "U1:%x[0,1]\nU2:%x[1,1]\n"}};
    static const cau_model_choice kinds[] = {CAU_MODEL_CRF, CAU_MODEL_MEMM, CAU_MODEL_MAXENT};
    caucus_ctx *ctx = test_ctx();
    const cau_pool_options o = {.kind = CAU_POOL_BAG};
    for (size_t i = 0; i < 6; i++) {
        const char *const *template = templates[kinds[i / 2] == CAU_MODEL_MAXENT];
        caucus_data *data = sample_read(ctx, template[0], 30, 0, false, 2);
        cau_train_options train = options(0.5);
        train.model = kinds[i / 2];
        train.states = i % 2 ? CAU_STATES_SEEN : CAU_STATES_ALL;
        caucus_model *m = sample_fit(ctx, data, &o, &train, 2);
        assert_int_equal(m->pool.J, 2);
        for (size_t j = 0; j < 2; j++) {
            caucus_data *part = sample_read(ctx, template[1 + j], 30, 0, false, 2);
            caucus_model *own = NULL;
            assert_ok(ctx, cau_fit(ctx, part, &train, 7, 1, &own));
            compare_member(m, j, own);
            cau_model_free(own);
            cau_data_free(part);
        }
        cau_model_free(m);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

static void test_sums(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_read(ctx, sample_bags, 30, 20, false, 3);
    const cau_train_options train = options(0.5);
    static const struct {
        cau_pool_options o;
        size_t J;
        const char *combine, *per, *alphas;
    } cases[] = {
        {{.kind = CAU_POOL_BAG}, 2, "product", "sequence", "equal"},
        {{.kind = CAU_POOL_BAG, .combine = CAU_COMBINE_MIXTURE, .alphas = CAU_ALPHAS_EM},
         2,
         "mixture",
         "sequence",
         "em"},
        {{.kind = CAU_POOL_BAG,
          .combine = CAU_COMBINE_MIXTURE,
          .per = CAU_PER_TRANSITION,
          .alphas = CAU_ALPHAS_GRID},
         2,
         "mixture",
         "transition",
         "grid"},
        {{.kind = CAU_POOL_LOP,
          .per = CAU_PER_TRANSITION,
          .experts = 3,
          .partition = CAU_PARTITION_RANDOM,
          .alphas = CAU_ALPHAS_LEARN},
         3,
         "product",
         "transition",
         "learn"},
        {{.kind = CAU_POOL_LOP, .alphas = CAU_ALPHAS_LEARN, .free_alphas = true},
         2,
         "product",
         "sequence",
         "learn"},
        {{.kind = CAU_POOL_ELITIST, .spread = 0.1}, 3, "product", "sequence", "equal"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_train_options how = train;
        if (cases[i].o.kind == CAU_POOL_ELITIST) {
            how.solver = CAU_SOLVER_PROXIMAL;
            how.elitist = 0.1;
        }
        caucus_model *m = sample_fit(ctx, data, &cases[i].o, &how, 2);
        assert_int_equal(m->pool.J, cases[i].J);
        assert_near(sample_info(m, "experts"), (double)cases[i].J, 0);
        assert_string_equal(cau_model_info(m, "combine"), cases[i].combine);
        assert_string_equal(cau_model_info(m, "per"), cases[i].per);
        assert_string_equal(cau_model_info(m, "alphas"), cases[i].alphas);
        double sum = 0;
        for (size_t j = 0; j < m->pool.J; j++) {
            char key[48];
            snprintf(key, sizeof key, "expert.%zu.alpha", j + 1);
            assert_near(sample_info(m, key), m->pool.alpha[j], 1e-8);
            snprintf(key, sizeof key, "expert.%zu.dev.accuracy", j + 1);
            assert_true(sample_info(m, key) > 0.3);
            sum += m->pool.alpha[j];
        }
        if (!cases[i].o.free_alphas) assert_near(sum, 1, 1e-12);
        assert_true(sample_info(m, "dev.accuracy") > 0.3);
        sample_sums(m);
        cau_model_free(m);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- Figure 1 ------------------------------------------------------------------------------ */

static double normal(cau_rng *rng)
{
    const double u = 1 - cau_rng_real(rng), v = cau_rng_real(rng);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

enum { WEAK = 10, TRAIN = 1000, TEST = 2000, SETS = 40 };

/* x_1 .. x_10 and a strong feature A sum x_i + noise. */
static caucus_data *strong_and_weak(caucus_ctx *ctx, cau_rng *rng, double A)
{
    static const char *const names[] = {"x:1", "x:2", "x:3", "x:4",  "x:5",     "x:6",
                                        "x:7", "x:8", "x:9", "x:10", "strong:1"};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < TRAIN; i++) {
        caucus_feature x[WEAK + 1];
        double sum = 0;
        for (size_t k = 0; k < WEAK; k++) {
            x[k] = (caucus_feature){names[k], normal(rng)};
            sum += x[k].value;
        }
        x[WEAK] = (caucus_feature){names[WEAK], A * sum + 0.2 * normal(rng)};
        const bool yes = cau_rng_real(rng) < 1 / (1 + exp(-sum));
        assert_ok(ctx, cau_data_add(ctx, data, yes ? "1" : "0", 1, x, WEAK + 1));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

/* Accuracy on new points without the strong feature. */
static double weak_alone(const caucus_model *m, cau_rng *rng)
{
    size_t right = 0, yes_label = strcmp(cau_model_label(m, 0), "1") == 0 ? 0 : 1;
    double w[WEAK];
    for (size_t k = 0; k < WEAK; k++) {
        char name[32];
        snprintf(name, sizeof name, "x:%zu", k + 1);
        w[k] = sample_weight(m, &m->nodes, name, yes_label) -
               sample_weight(m, &m->nodes, name, 1 - yes_label);
    }
    for (size_t i = 0; i < TEST; i++) {
        double sum = 0, score = 0;
        for (size_t k = 0; k < WEAK; k++) {
            const double x = normal(rng);
            sum += x;
            score += w[k] * x;
        }
        right += (score > 0) == (cau_rng_real(rng) < 1 / (1 + exp(-sum)));
    }
    return (double)right / TEST;
}

/* A strong feature keeps the weights of weak ones small in a single model, but not in a pool of two
 * with one member that lacks it. Measured here, from A = 0 to A = 10: .842 to .521 for the single
 * model, .840 to .838 for the pool. */
static void test_figure_1(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double single[2] = {0}, bagged[2] = {0};
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t i = 0; i < 2 * SETS; i++) {
        const double A = i % 2 ? 10 : 0;
        caucus_data *data = strong_and_weak(ctx, &rng, A);
        /* l2 on both of two classes equals half of it on their difference */
        cau_train_options train = sample_options(CAU_SOLVER_LBFGS, 0, 2);
        train.no_bias = true;
        train.stop.epsilon = 1e-6;
        const cau_pool_options o = {
            .kind = CAU_POOL_BAG, .partition = CAU_PARTITION_TEMPLATE, .experts = 2};
        caucus_model *one = NULL, *two = sample_fit(ctx, data, &o, &train, 2);
        assert_ok(ctx, cau_fit(ctx, data, &train, 7, 2, &one));
        single[i % 2] += weak_alone(one, &rng) / SETS;
        bagged[i % 2] += weak_alone(two, &rng) / SETS;
        cau_model_free(one);
        cau_model_free(two);
        cau_data_free(data);
    }
    assert_near(single[0], 0.84, 0.02);
    assert_near(single[1], 0.52, 0.06);
    assert_true(single[0] - single[1] >= 0.30);
    assert_true(bagged[0] - bagged[1] <= 0.02);
    assert_near(bagged[1], 0.84, 0.02);
    caucus_ctx_free(ctx);
}

/* ---- what holds for all ---------------------------------------------------------------------- */

/* Every kind of pool, small. */
static const struct {
    const char *name;
    cau_pool_options o;
    cau_solver_kind solver;
    double elitist;
} all_kinds[] = {
    {"bag", {.kind = CAU_POOL_BAG}, CAU_SOLVER_LBFGS, 0},
    {"folds",
     {.kind = CAU_POOL_BAG, .alphas = CAU_ALPHAS_LEARN, .held_out = 2},
     CAU_SOLVER_LBFGS,
     0},
    {"em",
     {.kind = CAU_POOL_LOP, .combine = CAU_COMBINE_MIXTURE, .alphas = CAU_ALPHAS_EM, .held_out = 2},
     CAU_SOLVER_SGD,
     0},
    {"fobos", {.kind = CAU_POOL_ELITIST, .spread = 0.1}, CAU_SOLVER_AUTO, 0.1},
    {"proximal", {.kind = CAU_POOL_ELITIST, .spread = 0.1}, CAU_SOLVER_PROXIMAL, 0.1},
    {"dropout", {.kind = CAU_POOL_DROPOUT, .experts = 2}, CAU_SOLVER_AUTO, 0},
};
enum { ALL_KINDS = sizeof all_kinds / sizeof *all_kinds };

static cau_train_options options_of(size_t i)
{
    cau_train_options train = sample_options(all_kinds[i].solver, 0, 0.5);
    train.elitist = all_kinds[i].elitist;
    train.stop.iterations = 5;
    return train;
}

static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_read(ctx, sample_bags, 30, 0, false, 2);
    for (size_t i = 0; i < ALL_KINDS; i++) {
        caucus_model *first = NULL;
        for (unsigned threads = 1; threads <= 3; threads++) {
            cau_train_options train = options_of(i);
            train.output = test_path("pool.model");
            caucus_model *m = sample_fit(ctx, data, &all_kinds[i].o, &train, threads), *read = NULL;
            assert_ok(ctx, cau_model_open(ctx, train.output, &read));
            assert_same_model(read, m);
            cau_model_free(read);
            if (first) {
                assert_same_model(m, first);
                cau_model_free(m);
            } else {
                first = m;
            }
        }
        cau_model_free(first);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* With folds, members vote on data that they have not seen. A feature that identifies each sequence
 * predicts perfectly on training data and is useless elsewhere; equal weights, or weights chosen on
 * the members' own data, would not show that. */
static void test_folds(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < 120; i++) {
        const bool yes = cau_rng_real(&rng) < 0.5, told = cau_rng_real(&rng) < 0.8;
        char name[32];
        snprintf(name, sizeof name, "number:%zu", i);
        const caucus_feature x[] = {{name, 3}, {yes == told ? "sign:+" : "sign:-", 1}};
        assert_ok(ctx, cau_data_add(ctx, data, yes ? "1" : "0", 1, x, 2));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    for (int i = 0; i < 2; i++) {
        const cau_pool_options o = {.kind = CAU_POOL_LOP,
                                    .partition = CAU_PARTITION_TEMPLATE,
                                    .combine = i ? CAU_COMBINE_MIXTURE : CAU_COMBINE_PRODUCT,
                                    .alphas = i ? CAU_ALPHAS_EM : CAU_ALPHAS_LEARN,
                                    .held_out = 3};
        const cau_train_options train = options(0.1);
        caucus_model *m = sample_fit(ctx, data, &o, &train, 2);
        assert_string_equal(cau_model_info(m, "expert.1.name"), "number");
        assert_true(sample_info(m, "expert.1.objective") < sample_info(m, "expert.2.objective"));
        assert_true(m->pool.alpha[0] < 0.1 && m->pool.alpha[1] > 0.9);
        cau_model_free(m);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Members of a dropout pool differ by their seeds, and each equals a separate run. */
static void test_dropout(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_read(ctx, sample_bags, 30, 0, false, 2);
    const cau_pool_options o = {.kind = CAU_POOL_DROPOUT, .experts = 3};
    cau_train_options train = sample_options(CAU_SOLVER_AUTO, 0, 0.5);
    train.stop.iterations = 5;
    caucus_model *m = sample_fit(ctx, data, &o, &train, 2);
    train.solver = CAU_SOLVER_ADAGRAD;
    train.dropout = 0.5;
    train.dropout_by = CAU_GROUP_TEMPLATE;
    for (size_t j = 0; j < 3; j++) {
        caucus_model *own = NULL;
        assert_ok(ctx, cau_fit(ctx, data, &train, 7 + j, 1, &own));
        compare_names(m, &m->member[j].nodes, &own->nodes);
        cau_model_free(own);
    }
    assert_true(sample_distance(m, 0, 1) > 0.01 && sample_distance(m, 1, 2) > 0.01);
    sample_sums(m);
    cau_model_free(m);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        cau_pool_options o;
        cau_train_options train;
        const char *part;
    } cases[] = {
        {{.kind = CAU_POOL_NONE},
         {.elitist = 1},
         "--elitist is a penalty on experts; add --pool elitist"},
        {{.kind = CAU_POOL_BAG}, {.resume = true}, "leave out --resume"},
        {{.kind = CAU_POOL_BAG, .alphas = CAU_ALPHAS_EM}, {.l1 = 0}, "--alphas em is for mixtures"},
        {{.kind = CAU_POOL_BAG, .alphas = CAU_ALPHAS_LEARN, .combine = CAU_COMBINE_MIXTURE},
         {.l1 = 0},
         "--alphas learn is for products"},
        {{.kind = CAU_POOL_LOP, .free_alphas = true}, {.l1 = 0}, "--free-alphas belongs to"},
        {{.kind = CAU_POOL_LOP, .held_out = 1}, {.l1 = 0}, "use 2 or more"},
        {{.kind = CAU_POOL_LOP, .experts = 65}, {.l1 = 0}, "64 is the most"},
        {{.kind = CAU_POOL_DROPOUT, .partition = CAU_PARTITION_RANDOM}, {.l1 = 0}, "--pool bag"},
        {{.kind = CAU_POOL_ELITIST, .per = CAU_PER_TRANSITION},
         {.l1 = 0},
         "leave out --combine and"},
        {{.kind = CAU_POOL_ELITIST, .alphas = CAU_ALPHAS_GRID}, {.l1 = 0}, "leave out --alphas"},
        {{.kind = CAU_POOL_ELITIST, .partition = CAU_PARTITION_BAGS},
         {.l1 = 0},
         "leave out --partition"},
        {{.kind = CAU_POOL_ELITIST}, {.solver = CAU_SOLVER_LBFGS}, "--solver fobos or proximal"},
        {{.kind = CAU_POOL_ELITIST, .prox = CAU_PROX_NORM}, {.l1 = 0}, "add --solver proximal"},
        {{.kind = CAU_POOL_ELITIST}, {.dropout = 0.5}, "goes without --group, --dropout"},
    };
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = NULL;
    caucus_data *data = sample_read(ctx, sample_bags, 10, 0, false, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fails(ctx, cau_pool_check(ctx, &cases[i].o, &cases[i].train), CAUCUS_ERR_ARGUMENT,
                     cases[i].part);

    /* weights are never chosen on the members' own training data */
    const cau_train_options train = options(0.5);
    cau_pool_options o = {.kind = CAU_POOL_BAG, .alphas = CAU_ALPHAS_GRID};
    assert_fails(ctx, cau_pool_fit(ctx, data, &o, &train, 1, 1, &m), CAUCUS_ERR_ARGUMENT,
                 "needs data that the members were not trained on; add --dev");
    o.held_out = 50;
    assert_fails(ctx, cau_pool_fit(ctx, data, &o, &train, 1, 1, &m), CAUCUS_ERR_ARGUMENT,
                 "--alphas-folds 50 of 10 sequences cannot be made");
    o = (cau_pool_options){.kind = CAU_POOL_BAG, .experts = 3};
    assert_fails(ctx, cau_pool_fit(ctx, data, &o, &train, 1, 1, &m), CAUCUS_ERR_ARGUMENT,
                 "but the template has 2 bags");

    /* an error names the failing member */
    cau_train_options wrong = train;
    wrong.from = "/nowhere/model";
    o.experts = 0;
    assert_int_equal(cau_pool_fit(ctx, data, &o, &wrong, 1, 2, &m), CAUCUS_ERR_IO);
    assert_null(m);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static bool stop_at_once(void *user, const caucus_progress *progress)
{
    ++*(size_t *)user;
    (void)progress;
    return false;
}

/* A pool that the caller stops consists of what is trained so far. */
static void test_stopped(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_read(ctx, sample_bags, 30, 0, false, 2);
    for (size_t i = 0; i < ALL_KINDS; i++) {
        size_t calls = 0;
        cau_train_options train = options_of(i);
        train.stop.iterations = 1000;
        caucus_on_progress(ctx, stop_at_once, &calls);
        caucus_model *m = sample_fit(ctx, data, &all_kinds[i].o, &train, 1);
        assert_int_equal(calls, 1);
        assert_string_equal(cau_model_info(m, "stop"), cau_stop_text(CAU_STOP_CALLER));
        for (size_t j = 0; j < m->pool.J; j++)
            assert_near(m->pool.alpha[j], 1 / (double)m->pool.J, 0);
        cau_model_free(m);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    caucus_data *data;
    size_t kind;
} pools_memory_job;

static caucus_status make(void *self)
{
    const pools_memory_job *job = self;
    caucus_model *m = NULL;
    cau_train_options train = options_of(job->kind);
    train.stop.iterations = 1;
    const caucus_status st =
        cau_pool_fit(job->ctx, job->data, &all_kinds[job->kind].o, &train, 7, 1, &m);
    assert_int_equal(m == NULL, st != CAUCUS_OK);
    cau_model_free(m);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    pools_memory_job job = {.ctx = test_ctx()};
    job.data = sample_read(job.ctx, sample_bags, 6, 0, false, 2);
    for (job.kind = 0; job.kind < ALL_KINDS; job.kind++)
        assert_true(test_every_allocation(make, &job) > 50);
    cau_data_free(job.data);
    caucus_ctx_free(job.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),  cmocka_unit_test(test_sums),
        cmocka_unit_test(test_figure_1), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_folds),    cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("pool/pools", tests, NULL, NULL);
}
