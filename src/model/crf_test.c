/* crf_test.c - loss and residuals of CRFs against enumeration and central differences. */

#include "model/chain.h"
#include "support/residuals.h"

/* log Z - log Z(allowed), by enumeration. */
static long double loss_of(size_t T, size_t Y, const double *s, const double *a, const double *own,
                           const uint32_t *gold, const cau_label_sets *sets)
{
    double edge[SMALL_T * SMALL_Y * SMALL_Y];
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < Y * Y; i++)
            edge[t * Y * Y + i] = a[i] + (own ? own[t * Y * Y + i] : 0);
    const cau_lattice x = {.T = T, .Y = Y, .node = s, .edge = edge, .per_position = true};
    return paths_sum(&x, NULL, NULL).logz - paths_sum(&x, gold, sets).logz;
}

static void test_residuals(void **state)
{
    (void)state;
    check_residuals(&cau_crf_ops, loss_of);
}

static void test_kernels(void **state)
{
    (void)state;
    check_kernels(&cau_crf_ops);
}

static void test_together(void **state)
{
    (void)state;
    check_together(&cau_crf_ops);
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(&cau_crf_ops);
}

/* At position 0 all labels but one get score -100, where scaled sums work, or -1000, where log
 * space is used. Both must agree within rounding. */
static void test_scaled_and_log(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (size_t kind = 0; kind < 40; kind++) {
        const size_t T = 2 + kind % 7, Y = 2 + kind % 21;
        cau_rng again = rng;
        residuals_case x = random_case(&again, T, Y, kind & 1, kind & 2, 5);
        residuals_case y = random_case(&rng, T, Y, kind & 1, kind & 2, 5);
        const double far[] = {-100, -1000};
        x.gold[0] = y.gold[0] = 0;
        for (size_t j = 1; j < Y; j++) x.s[j] = far[0], y.s[j] = far[1];
        for (size_t expected = 0; expected < 2; expected++) {
            assert_int_equal(run(&cau_crf_ops, &x, NULL, expected), CAUCUS_OK);
            assert_int_equal(run(&cau_crf_ops, &y, NULL, expected), CAUCUS_OK);
            assert_same(&x, &y, 1e-12);
        }
        case_clear(&x), case_clear(&y);
    }
}

/* A CRF with one position is a classifier. */
static void test_maxent(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 6);
    for (size_t Y = 1; Y <= 30; Y++)
        for (size_t expected = 0; expected < 2; expected++) {
            residuals_case x = random_case(&rng, 1, Y, false, false, Y % 5 == 4 ? 2000 : 3);
            double logz, loss;
            const float weight = (float)x.c;
            x.c = (double)weight;
            assert_int_equal(run(&cau_crf_ops, &x, NULL, expected), CAUCUS_OK);
            assert_int_equal(
                cau_maxent_residuals(1, Y, x.s, x.gold, &weight, expected, &logz, &loss),
                CAUCUS_OK);
            assert_near(x.loss, loss, 1e-12 * (1 + loss));
            for (size_t y = 0; y < Y; y++) assert_near(x.r[y], x.s[y], 1e-14);
            for (size_t i = 0; i < Y * Y; i++) assert_true(x.counts[i] == 0);
            case_clear(&x);
        }
}

static void test_expected_only(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 7);
    for (size_t kind = 0; kind < 8; kind++) {
        enum { T = 5, Y = 4 };
        residuals_case x = random_case(&rng, T, Y, kind & 1, kind & 2, kind & 4 ? 300 : 2);
        assert_int_equal(run(&cau_crf_ops, &x, NULL, true), CAUCUS_OK);
        assert_near(x.loss, case_loss(loss_of, &x), 1e-11 * (1 + x.loss));
        double all = 0;
        for (size_t i = 0; i < Y * Y; i++) all += x.counts[i];
        assert_near(all, x.c * (T - 1), 1e-10);
        for (size_t t = 0; t < T; t++) {
            double sum = 0;
            for (size_t y = 0; y < Y; y++) sum += x.r[t * Y + y];
            assert_near(sum, x.c, 1e-11);
        }
        case_clear(&x);
    }
}

static void test_nothing_known(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 8);
    for (size_t own = 0; own < 2; own++) {
        residuals_case x = random_case(&rng, 6, 4, own, false, 3);
        for (size_t t = 0; t < x.T; t++) x.gold[t] = CAU_UNKNOWN;
        assert_int_equal(run(&cau_crf_ops, &x, NULL, false), CAUCUS_OK);
        assert_true(x.loss == 0);
        for (size_t i = 0; i < x.T * x.Y; i++) assert_true(x.r[i] == 0);
        for (size_t i = 0; i < x.Y * x.Y; i++) assert_true(x.counts[i] == 0);
        assert_int_equal(run(&cau_crf_ops, &x, NULL, true), CAUCUS_OK);
        assert_near(x.r[0] + x.r[1] + x.r[2] + x.r[3], x.c, 1e-12);
        case_clear(&x);
    }
}

/* With scores of +-2000, results are certain and exact. */
static void test_large_scores(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 9);
    for (size_t kind = 0; kind < 24; kind++) {
        residuals_case x = random_case(&rng, 1 + kind % 5, 3, kind & 1, kind & 2, 2000);
        assert_int_equal(run(&cau_crf_ops, &x, NULL, false), CAUCUS_OK);
        assert_near(x.loss, case_loss(loss_of, &x), 1e-13 * (2000 + fabs(x.loss)));
        case_clear(&x);
    }
    residuals_case x = random_case(&rng, 2, 2, false, false, 1);
    const double s[] = {2000, -2000, -2000, 2000};
    memcpy(x.s, s, sizeof s);
    memset(x.a, 0, 4 * sizeof *x.a);
    x.c = 1, x.gold[0] = 0, x.gold[1] = 0;
    assert_int_equal(run(&cau_crf_ops, &x, NULL, false), CAUCUS_OK);
    assert_true(x.loss == 4000 && x.r[0] == 0 && x.r[1] == 0 && x.r[2] == -1 && x.r[3] == 1);
    assert_true(x.counts[0] == -1 && x.counts[1] == 1 && x.counts[2] == 0 && x.counts[3] == 0);
    case_clear(&x);
}

static void test_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    cau_rng rng;
    cau_rng_init(&rng, 10);
    for (size_t i = 0; i < 3; i++)
        for (size_t place = 0; place < 3; place++) {
            residuals_case x = random_case(&rng, 3, 2, true, false, 1);
            if (place == 0) x.s[2 + x.gold[1]] = bad[i];
            if (place == 1) x.a[x.gold[0] * 2 + x.gold[1]] = bad[i];
            if (place == 2) x.own[4 + x.gold[0] * 2 + x.gold[1]] = bad[i];
            assert_int_equal(run(&cau_crf_ops, &x, NULL, false), CAUCUS_ERR_NUMERIC);
            case_clear(&x);
        }
}

/* The lattice has the model's scores: borrowed, or with the edges of positions added. */
static void test_lattice(void **state)
{
    (void)state;
    enum { T = 4, Y = 3 };
    cau_rng rng;
    cau_rng_init(&rng, 12);
    caucus_ctx *ctx = test_ctx();
    cau_chain_work *work = NULL;
    cau_transitions a;
    assert_ok(ctx, cau_chain_work_new(ctx, Y, &work));
    assert_ok(ctx, cau_transitions_init(ctx, &a, Y));
    residuals_case x = random_case(&rng, T, Y, true, false, 3);
    cau_transitions_set(&a, x.a);
    cau_lattice lattice;
    assert_int_equal(cau_crf_ops.lattice(work, &a, T, x.s, NULL, &lattice), CAUCUS_OK);
    assert_true(lattice.node == x.s && lattice.edge == a.a && !lattice.per_position);
    assert_int_equal(cau_crf_ops.lattice(work, &a, T, x.s, x.own, &lattice), CAUCUS_OK);
    assert_true(lattice.node == x.s && lattice.per_position && lattice.T == T && lattice.Y == Y);
    for (size_t i = 0; i < (T - 1) * Y * Y; i++)
        assert_true(lattice.edge[Y * Y + i] == x.a[i % (Y * Y)] + x.own[Y * Y + i]);
    case_clear(&x);
    cau_chain_work_free(work);
    cau_transitions_clear(&a);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residuals),     cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_together),      cmocka_unit_test(test_scaled_and_log),
        cmocka_unit_test(test_maxent),        cmocka_unit_test(test_expected_only),
        cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_not_finite),    cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("model/crf", tests, NULL, NULL);
}
