/* memm_test.c - loss and residuals of MEMMs against enumeration and central differences. */

#include "support/residuals.h"

/* log p_t(y | before); before = Y at position 0. */
static long double log_p(size_t Y, const double *s, const double *a, const double *own, size_t t,
                         size_t before, size_t y)
{
    long double q[64], z = 0;
    for (size_t j = 0; j < Y; j++) {
        q[j] = s[t * Y + j];
        if (t > 0) q[j] += a[before * Y + j];
        if (t > 0 && own) q[j] += own[(t * Y + before) * Y + j];
        z += expl(q[j]);
    }
    return q[y] - logl(z);
}

/* -log of the sum of the probabilities of the paths that gold allows. */
static long double loss_of(size_t T, size_t Y, const double *s, const double *a, const double *own,
                           const uint32_t *gold, const cau_label_sets *sets)
{
    uint32_t path[SMALL_T] = {0};
    long double sum = 0;
    do {
        if (!path_allowed(T, path, gold, sets)) continue;
        long double log = 0;
        for (size_t t = 0; t < T; t++) log += log_p(Y, s, a, own, t, t ? path[t - 1] : Y, path[t]);
        sum += expl(log);
    } while (path_next(T, Y, path));
    return -logl(sum);
}

static void test_residuals(void **state)
{
    (void)state;
    check_residuals(&cau_memm_ops, loss_of);
}

static void test_kernels(void **state)
{
    (void)state;
    check_kernels(&cau_memm_ops);
}

static void test_together(void **state)
{
    (void)state;
    check_together(&cau_memm_ops);
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(&cau_memm_ops);
}

/* The loss is -log of the path's probability in the lattice, where every row sums to 1. */
static void test_lattice(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    caucus_ctx *ctx = test_ctx();
    for (size_t kind = 0; kind < 12; kind++) {
        const size_t T = 1 + kind % 5, Y = 1 + kind;
        residuals_case x = random_case(&rng, T, Y, kind & 1, false, 3);
        cau_chain_work *work = NULL;
        cau_transitions a;
        assert_ok(ctx, cau_chain_work_new(ctx, Y, &work));
        assert_ok(ctx, cau_transitions_init(ctx, &a, Y));
        cau_transitions_set(&a, x.a);
        cau_lattice lattice;
        assert_int_equal(cau_memm_ops.lattice(work, &a, T, x.s, x.own, &lattice), CAUCUS_OK);
        assert_true(lattice.per_position && lattice.T == T && lattice.Y == Y);
        for (size_t t = 0; t < T; t++)
            for (size_t y = 0; y < Y; y++) {
                const double node = lattice.node[t * Y + y];
                assert_near(node, t ? 0 : (double)log_p(Y, x.s, x.a, x.own, 0, Y, y), 1e-13);
                for (size_t i = 0; t > 0 && i < Y; i++)
                    assert_near(lattice.edge[(t * Y + i) * Y + y],
                                (double)log_p(Y, x.s, x.a, x.own, t, i, y), 1e-13);
            }
        double logz;
        assert_int_equal(cau_chain_sum(work, &lattice, &logz, NULL, NULL), CAUCUS_OK);
        assert_near(logz, 0, 1e-13);
        assert_int_equal(run(&cau_memm_ops, &x, NULL, false), CAUCUS_OK);
        assert_near(x.loss, -x.c * cau_chain_score(&lattice, x.gold), 1e-12);
        case_clear(&x);
        cau_chain_work_free(work);
        cau_transitions_clear(&a);
    }
    caucus_ctx_free(ctx);
}

/* Expected counts given the gold history where it is known, otherwise over the allowed paths. */
static void test_expected_only(void **state)
{
    (void)state;
    enum { T = 5, Y = 4 };
    cau_rng rng;
    cau_rng_init(&rng, 2);
    for (size_t kind = 0; kind < 4; kind++) {
        residuals_case x = random_case(&rng, T, Y, kind & 1, kind & 2, 2);
        assert_int_equal(run(&cau_memm_ops, &x, NULL, true), CAUCUS_OK);
        assert_near(x.loss, case_loss(loss_of, &x), 1e-12);
        for (size_t t = 0; t < T; t++) {
            double sum = 0;
            for (uint32_t y = 0; y < Y; y++) {
                sum += x.r[t * Y + y];
                if (kind & 2) continue;
                const size_t before = t ? x.gold[t - 1] : Y;
                const long double p = expl(log_p(Y, x.s, x.a, x.own, t, before, y));
                assert_near(x.r[t * Y + y], (double)(x.c * p), 1e-13);
            }
            assert_near(sum, x.c, 1e-12);
        }
        double all = 0;
        for (size_t i = 0; i < Y * Y; i++) all += x.counts[i];
        assert_near(all, x.c * (T - 1), 1e-12);
        case_clear(&x);
    }
}

static void test_nothing_known(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    residuals_case x = random_case(&rng, 6, 4, true, false, 3);
    for (size_t t = 0; t < x.T; t++) x.gold[t] = CAU_UNKNOWN;
    assert_int_equal(run(&cau_memm_ops, &x, NULL, false), CAUCUS_OK);
    assert_true(x.loss == 0);
    for (size_t i = 0; i < x.T * x.Y; i++) assert_true(x.r[i] == 0);
    for (size_t i = 0; i < x.Y * x.Y; i++) assert_true(x.counts[i] == 0);
    case_clear(&x);
}

static void test_large_scores(void **state)
{
    (void)state;
    const double s[] = {2000, -2000, -2000, 2000};
    cau_rng rng;
    cau_rng_init(&rng, 4);
    residuals_case x = random_case(&rng, 2, 2, false, false, 1);
    memcpy(x.s, s, sizeof s);
    memset(x.a, 0, 4 * sizeof *x.a);
    x.c = 1, x.gold[0] = 0, x.gold[1] = 0;
    assert_int_equal(run(&cau_memm_ops, &x, NULL, false), CAUCUS_OK);
    assert_true(x.loss == 4000 && x.r[0] == 0 && x.r[1] == 0 && x.r[2] == -1 && x.r[3] == 1);
    assert_true(x.counts[0] == -1 && x.counts[1] == 1 && x.counts[2] == 0 && x.counts[3] == 0);
    x.gold[0] = CAU_UNKNOWN;
    assert_int_equal(run(&cau_memm_ops, &x, NULL, false), CAUCUS_OK);
    assert_near(x.loss, 4000, 1e-10);
    case_clear(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residuals),     cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_together),      cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_expected_only), cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_large_scores),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("model/memm", tests, NULL, NULL);
}
