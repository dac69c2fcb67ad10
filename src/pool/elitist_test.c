/* elitist_test.c - experts trained together: the equivalent ridge model, equal starts, and the end
 * of a run. */

#include <math.h>

#include "support/pool_sample.h"

/* At its optimum the pool equals the model with l2 = lambda/amax^2, or with l1 = lambda/amax; here
 * amax = 1/3. */
static void test_ridge(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int i = 0; i < 4; i++) {
        const bool chain = i == 3;
        caucus_data *data = chain ? sample_sequences(ctx, 20, false, 5)
                                  : sample_random(ctx, 60, 5, 3, true, false, 5);
        const cau_pool_options o = {.kind = CAU_POOL_ELITIST, .spread = 0.1};
        cau_train_options train = sample_options(CAU_SOLVER_PROXIMAL, i == 1 ? 0.2 : 0, 1);
        cau_train_options single =
            sample_options(i == 1 ? CAU_SOLVER_OWLQN : CAU_SOLVER_LBFGS, 0, 0);
        train.stop.epsilon = 1e-8;
        train.elitist = i == 1 || i == 2 ? 0 : 0.1;
        if (i == 2) train.l2 = 0.1; /* plain l2: equal shares minimise sum_j theta_j^2 */
        single.l1 = i == 1 ? 0.6 : 0;
        single.l2 = i == 1 ? 0 : i == 2 ? 0.3 : 0.9;
        caucus_model *pool = sample_fit(ctx, data, &o, &train, 2), *ridge = NULL;
        assert_ok(ctx, cau_fit(ctx, data, &single, 7, 2, &ridge));
        assert_near(sample_info(pool, "objective"), sample_info(ridge, "objective"), 1e-6);
        assert_near(sample_info(pool, "loss"), sample_info(ridge, "loss"), 1e-4);
        sample_sums(pool);
        cau_model_free(pool);
        cau_model_free(ridge);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* Experts that start equal always have equal gradients. */
static void test_equal_start(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 60, 5, 3, true, false, 5);
    for (cau_solver_kind solver = CAU_SOLVER_FOBOS; solver <= CAU_SOLVER_PROXIMAL; solver++)
        for (cau_prox_kind prox = CAU_PROX_EXACT; prox <= CAU_PROX_NORM; prox++)
            for (int spread = 0; spread < 2; spread++) {
                if (prox == CAU_PROX_NORM && solver == CAU_SOLVER_FOBOS) continue;
                const cau_pool_options o = {
                    .kind = CAU_POOL_ELITIST, .spread = spread ? 0.5 : 0, .prox = prox};
                cau_train_options train = sample_options((cau_solver_kind)solver, 0, 0);
                train.elitist = 0.1;
                train.stop.iterations = 10;
                caucus_model *m = sample_fit(ctx, data, &o, &train, 1);
                if (spread)
                    assert_true(sample_distance(m, 0, 1) > 0.01);
                else
                    assert_near(fmax(sample_distance(m, 0, 1), sample_distance(m, 0, 2)), 0, 0);
                assert_true(sample_info(m, "nonzero") > 0);
                cau_model_free(m);
            }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* A joint run ends by patience and keeps the weights with the best score. */
static bool note_dev(void *user, const caucus_progress *progress)
{
    double *best = user;
    assert_string_equal(progress->solver, "fobos");
    *best = fmax(*best, progress->dev);
    return true;
}

static void test_patience(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_read(ctx, sample_bags, 30, 20, false, 3);
    const cau_pool_options o = {.kind = CAU_POOL_ELITIST, .spread = 0.1};
    for (size_t patience = 0; patience < 6; patience += 5) {
        double best = 0;
        cau_train_options train = sample_options(CAU_SOLVER_AUTO, 0, 0);
        train.elitist = 0.1;
        train.stop = (cau_stop_rule){.iterations = 400, .patience = patience};
        caucus_on_progress(ctx, note_dev, &best);
        caucus_model *m = sample_fit(ctx, data, &o, &train, 1);
        assert_string_equal(cau_model_info(m, "stop"), cau_stop_text(CAU_STOP_PATIENCE));
        assert_near(sample_info(m, "iterations") - sample_info(m, "dev.iteration"),
                    patience ? (double)patience : 25, 0);
        assert_near(sample_info(m, "dev.accuracy"), best, 1e-6);
        cau_model_free(m);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Experts are trained by the common training loop, so the limits of other models apply to them. */
static void test_limits(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 60, 5, 3, true, false, 5);
    const cau_pool_options o = {.kind = CAU_POOL_ELITIST, .spread = 0.1};
    cau_train_options train = sample_options(CAU_SOLVER_PROXIMAL, 0, 0);
    caucus_model *m = NULL;
    train.elitist = 0.1;
    train.memory = "1"; /* byte */
    assert_fails(ctx, cau_pool_fit(ctx, data, &o, &train, 1, 1, &m), CAUCUS_ERR_MEMORY,
                 "training needs about");
    assert_null(m);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ridge),
        cmocka_unit_test(test_equal_start),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("pool/elitist", tests, NULL, NULL);
}
