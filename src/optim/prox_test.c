/* prox_test.c - checks proximal steps against known values, textbook formulas, brute force and the
 * conditions of a minimum; and combined steps against single ones. */

#include "optim/prox.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/support.h"

enum { MOST = 8 }; /* members of a group, except in one test */

static double random_in(cau_rng *rng, double low, double high)
{
    return low + (high - low) * cau_rng_real(rng);
}

/* A group with members of both signs, zeros, and equal members. */
static void random_group(cau_rng *rng, size_t J, double *v)
{
    for (size_t j = 0; j < J; j++) {
        v[j] = random_in(rng, -3, 3);
        if (cau_rng_below(rng, 8) == 0) v[j] = 0;
        if (j > 0 && cau_rng_below(rng, 8) == 0) v[j] = -v[cau_rng_below(rng, j)];
    }
}

static double size_of(size_t J, const double *v)
{
    double sum = 0;
    for (size_t j = 0; j < J; j++) sum += fabs(v[j]);
    return sum;
}

static double largest(size_t J, const double *v)
{
    double most = 0;
    for (size_t j = 0; j < J; j++) most = fmax(most, fabs(v[j]));
    return most;
}

/* ---- one group ------------------------------------------------------------------------ */

static void known_values(void **state)
{
    (void)state;
    static const struct {
        double r, v[3], tau, x[3], approximate_tau, approximate[3];
    } rows[] = {
        {.1,
         {3, 1, .5},
         .346154,
         {2.653846, .653846, .153846},
         .346154,
         {2.653846, .653846, .153846}},
        {.5, {3, 1, .5}, 1, {2, 0, 0}, .9, {2.1, .1, 0}},
        {1, {3, 1, .5}, 1.5, {1.5, 0, 0}, 1.125, {1.875, 0, 0}},
        {1, {2, -1.9, .1}, 1.3, {.7, -.6, 0}, 1, {1, -.9, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v[3];
        memcpy(v, rows[i].v, sizeof v);
        assert_near(cau_prox_elitist(3, rows[i].r, v), rows[i].tau, 1e-6);
        for (size_t j = 0; j < 3; j++) assert_near(v[j], rows[i].x[j], 1e-6);
        memcpy(v, rows[i].v, sizeof v);
        assert_near(cau_prox_elitist_approximate(3, rows[i].r, v), rows[i].approximate_tau, 1e-6);
        for (size_t j = 0; j < 3; j++) assert_near(v[j], rows[i].approximate[j], 1e-6);
    }

    static const double groups[3][3] = {{3, 1, .5}, {.3, .1, .05}, {1, -1, .2}};
    static const double want[3][3] = {
        {2.109129, .109129, 0}, {.210913, .010913, 0}, {.554565, -.554565, 0}};
    double v[3][3], squares = 0;
    memcpy(v, groups, sizeof v);
    assert_int_equal(cau_prox_elitist_norm(3, 3, 1, v[0]), CAUCUS_OK);
    for (size_t g = 0; g < 3; g++) {
        for (size_t j = 0; j < 3; j++) assert_near(v[g][j], want[g][j], 1e-6);
        squares += size_of(3, v[g]) * size_of(3, v[g]);
    }
    assert_near(1 / sqrt(squares), .401608, 1e-6); /* c = lambda / N(x) */
    memcpy(v, groups, sizeof v);
    assert_int_equal(cau_prox_elitist_norm(3, 3, 3.5, v[0]), CAUCUS_OK);
    for (size_t g = 0; g < 3; g++) assert_true(size_of(3, v[g]) == 0);
}

/* The textbook formula: tau = max_k r A_k / (1 + r k). */
static double book_tau(size_t J, double r, const double *v)
{
    double a[MOST], A = 0, tau = 0;
    for (size_t j = 0; j < J; j++) a[j] = fabs(v[j]);
    for (size_t k = 0; k < J; k++) { /* moves the k-th largest to place k */
        for (size_t j = k + 1; j < J; j++)
            if (a[j] > a[k]) {
                const double swap = a[j];
                a[j] = a[k];
                a[k] = swap;
            }
        A += a[k];
        tau = fmax(tau, r * A / (1 + r * (double)(k + 1)));
    }
    return tau;
}

/* Finds the minimum by coordinate descent. The signs are those of v; for fixed signs the function
 * is a quadratic with bounds, on which coordinate descent converges. */
static void brute_force(size_t J, double r, const double *v, double *x)
{
    memset(x, 0, J * sizeof *x);
    for (int sweep = 0; sweep < 100000; sweep++) {
        double moved = 0;
        for (size_t j = 0; j < J; j++) {
            const double others = size_of(J, x) - fabs(x[j]), before = x[j];
            x[j] = copysign(fmax(fabs(v[j]) - r * others, 0) / (1 + r), v[j]);
            moved = fmax(moved, fabs(x[j] - before));
        }
        if (moved < 1e-14) break;
    }
}

static double step_objective(size_t J, double r, const double *v, const double *x)
{
    double squares = 0;
    for (size_t j = 0; j < J; j++) squares += (x[j] - v[j]) * (x[j] - v[j]);
    return 0.5 * squares + 0.5 * r * size_of(J, x) * size_of(J, x);
}

static void groups_are_minimised(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (int i = 0; i < 400; i++) {
        const size_t J = 1 + (size_t)cau_rng_below(&rng, MOST);
        const double r = pow(10, random_in(&rng, -3, 1));
        double v[MOST], x[MOST], want[MOST], rough[MOST];
        random_group(&rng, J, v);
        brute_force(J, r, v, want);
        memcpy(x, v, sizeof x);
        memcpy(rough, v, sizeof rough);
        const double tau = cau_prox_elitist(J, r, x);
        const double low = cau_prox_elitist_approximate(J, r, rough);

        assert_near(tau, book_tau(J, r, v), 1e-14 * largest(J, v));
        assert_near(tau, r * size_of(J, x), 1e-13);
        assert_true(low <= tau * (1 + 1e-15));
        assert_near(low, r * size_of(J, v) / (1 + r * (double)J), 1e-14);
        for (size_t j = 0; j < J; j++) {
            assert_near(x[j], want[j], 1e-10);
            assert_near(x[j], copysign(fmax(fabs(v[j]) - tau, 0), v[j]), 1e-14);
            assert_near(rough[j], copysign(fmax(fabs(v[j]) - low, 0), v[j]), 1e-14);
            if (fabs(v[j]) == largest(J, v)) assert_true(x[j] != 0 || v[j] == 0);
        }
        assert_true(step_objective(J, r, v, x) <= step_objective(J, r, v, rough) + 1e-13);

        double scaled[MOST]; /* the step is positively homogeneous, exactly so for powers of 2 */
        for (size_t j = 0; j < J; j++) scaled[j] = 4 * v[j];
        assert_true(cau_prox_elitist(J, r, scaled) == 4 * tau);
        for (size_t j = 0; j < J; j++) assert_true(scaled[j] == 4 * x[j]);
    }
}

static void odd_steps_and_groups(void **state)
{
    (void)state;
    const double v[4] = {-2, 0.5, 2, -0.0};
    double x[4];
    memcpy(x, v, sizeof x);
    assert_true(cau_prox_elitist(4, 0, x) == 0 && cau_prox_elitist_approximate(4, 0, x) == 0);
    assert_int_equal(cau_prox_elitist_norm(2, 2, 0, x), CAUCUS_OK);
    assert_memory_equal(x, v, sizeof x);
    assert_true(cau_prox_elitist(0, 1, NULL) == 0 && cau_prox_elitist_approximate(0, 1, NULL) == 0);
    assert_int_equal(cau_prox_elitist_norm(0, 3, 1, NULL), CAUCUS_OK);

    double none[3] = {0, -0.0, 0};
    assert_true(cau_prox_elitist(3, 2, none) == 0 && size_of(3, none) == 0 && !signbit(none[1]));

    for (int e = -320; e <= 300; e += 20) { /* from tiny to huge r */
        const double r = pow(10, e);
        memcpy(x, v, sizeof x);
        assert_near(cau_prox_elitist(4, r, x), book_tau(4, fmin(r, 1e100), v), 1e-15);
        for (size_t j = 0; j < 4; j++) /* two or three members survive */
            assert_near(x[j],
                        r < .3 ? copysign(fmax(fabs(v[j]) - 4.5 * r / (1 + 3 * r), 0), v[j])
                        : fabs(v[j]) == 2 ? v[j] / (1 + 2 * r)
                                          : 0,
                        4e-16 * fabs(x[j]) + 1e-15 * (r < .3));
        if (r > 1) assert_true(x[0] == -2 / (1 + 2 * r) && x[2] == -x[0]);

        double one = -3; /* a group of one member: v / (1 + r) */
        assert_near(cau_prox_elitist(1, r, &one), 3 / (1 / r + 1), 0);
        assert_near(one, -3 / (1 + r), 0);
    }

    double many[CAU_PROX_MEMBERS_MAX]; /* equal members stay equal */
    for (size_t j = 0; j < CAU_PROX_MEMBERS_MAX; j++) many[j] = j % 2 ? -0.1 : 0.1;
    cau_prox_elitist(CAU_PROX_MEMBERS_MAX, 1e10, many);
    for (size_t j = 0; j < CAU_PROX_MEMBERS_MAX; j++)
        assert_near(many[j], (j % 2 ? -0.1 : 0.1) / (1 + 64e10), 1e-27);
}

/* ---- all groups ----------------------------------------------------------------------- */

/* x is the minimum of 1/2 |x - v|^2 + lambda N(x) if, with q_g = sum_j |x_gj| / N, v - x = lambda
 * q_g sgn(x) where x is not 0, and |v| <= lambda q_g where it is. */
static void norms_satisfy_the_conditions(void **state)
{
    (void)state;
    enum { GROUPS = 30 };
    cau_rng rng;
    cau_rng_init(&rng, 2);
    size_t gone = 0, kept = 0;
    for (int i = 0; i < 300; i++) {
        const size_t G = 1 + (size_t)cau_rng_below(&rng, GROUPS);
        const size_t J = 1 + (size_t)cau_rng_below(&rng, MOST);
        double v[GROUPS * MOST], x[GROUPS * MOST], dual = 0, N = 0;
        for (size_t g = 0; g < G; g++) {
            random_group(&rng, J, v + g * J);
            dual += pow(largest(J, v + g * J), 2);
        }
        dual = sqrt(dual);
        const double lambda = i % 3 == 0   ? dual * (1 - pow(10, random_in(&rng, -12, -1)))
                              : i % 3 == 1 ? dual * pow(10, random_in(&rng, -6, 0))
                                           : dual * random_in(&rng, 0, 1.1);
        memcpy(x, v, sizeof x);
        assert_int_equal(cau_prox_elitist_norm(G, J, lambda, x), CAUCUS_OK);
        for (size_t g = 0; g < G; g++) N += pow(size_of(J, x + g * J), 2);
        N = sqrt(N);
        if (dual <= lambda) {
            assert_true(N == 0);
            gone++;
            continue;
        }
        assert_true(N > 0);
        kept++;
        for (size_t k = 0; k < G * J; k++) {
            const double pull = lambda * size_of(J, x + k / J * J) / N;
            if (x[k] != 0)
                assert_near(v[k] - x[k], copysign(pull, x[k]), 1e-11 * dual);
            else
                assert_true(fabs(v[k]) <= pull + 1e-11 * dual);
        }
    }
    assert_true(gone > 5 && kept > 200);
}

static caucus_status take_norm(void *self)
{
    double *x = self, v[6] = {1, 2, 3, 4, 5, 6};
    memcpy(x, v, sizeof v);
    const caucus_status st = cau_prox_elitist_norm(2, 3, 1, x);
    if (st) assert_memory_equal(x, v, sizeof v);
    return st;
}

/* ---- single weights ------------------------------------------------------------------- */

static void single_weights(void **state)
{
    (void)state;
    double v[4] = {3, -1, 0.5, -0.25};
    cau_prox_l1(4, 0.5, v);
    assert_true(v[0] == 2.5 && v[1] == -0.5 && v[2] == 0 && v[3] == 0 && !signbit(v[3]));
    cau_prox_l2(4, 0.25, v);
    assert_true(v[0] == 2 && v[1] == -0.4 && v[2] == 0);
}

/* ---- many steps at once ---------------------------------------------------------------- */

enum { STEPS = 300 };

/* The strength of step t, for several kinds of schedules. */
static double kind_of_step(cau_rng *rng, int kind, size_t t)
{
    switch (kind) {
    case 0:
        return 0.3 / (1 + (double)t); /* decreasing */
    case 1:
        return 0.002; /* constant */
    case 2:
        return cau_rng_below(rng, 3) ? 0 : 0.05 * cau_rng_real(rng); /* mostly zero */
    case 3:
        return pow(10, random_in(rng, -8, 0)); /* over eight orders of magnitude */
    default:
        return 1e-7; /* tiny */
    }
}

static void lazy_is_eager(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t J = 1; J <= MOST; J++)
        for (int i = 0; i < 100; i++) {
            cau_prox_steps steps = {.J = J};
            double by_l1[2][MOST], by_l2[2][MOST];
            random_group(&rng, J, by_l1[0]);
            memcpy(by_l1[1], by_l1[0], sizeof by_l1[0]);
            for (int side = 0; side < 2; side++) memcpy(by_l2[side], by_l1[0], sizeof by_l1[0]);
            size_t seen = 0;
            for (size_t t = 0; t < STEPS; t++) {
                const double r = kind_of_step(&rng, i % 5, t);
                assert_int_equal(cau_prox_steps_add(&steps, r), CAUCUS_OK);
                cau_prox_l1(J, r, by_l1[0]);
                cau_prox_l2(J, r, by_l2[0]);
                if (cau_rng_below(&rng, 100) && t + 1 < STEPS) continue;

                cau_prox_l1_catch_up(&steps, seen, J, by_l1[1]);
                cau_prox_l2_catch_up(&steps, seen, J, by_l2[1]);
                seen = t + 1;
                cau_prox_l1_catch_up(&steps, seen, J, by_l1[1]); /* a second call changes nothing */
                cau_prox_l2_catch_up(&steps, seen, J, by_l2[1]);
                if (cau_rng_below(&rng, 2)) cau_prox_steps_forget(&steps, seen);
                for (size_t j = 0; j < J; j++) {
                    assert_near(by_l1[1][j], by_l1[0][j], 1e-13);
                    assert_near(by_l2[1][j], by_l2[0][j], 1e-12 * fabs(by_l2[0][j]));
                }
            }
            cau_prox_steps_clear(&steps);
        }
}

/* A group may be created late, after other groups have caught up and old steps were forgotten. */
static void forgetting_keeps_later_steps(void **state)
{
    (void)state;
    enum { J = 3, STARTS = 50 };
    cau_rng rng;
    cau_rng_init(&rng, 4);
    cau_prox_steps steps = {.J = J};
    double eager[STARTS][J], lazy[STARTS][J], eager_l1[STARTS][J], lazy_l1[STARTS][J];
    for (size_t t = 0; t < 2 * STARTS; t++) {
        const double r = 0.2 * cau_rng_real(&rng);
        if (t < STARTS) { /* group t is created before step t */
            random_group(&rng, J, eager[t]);
            memcpy(lazy[t], eager[t], sizeof *lazy);
            for (size_t j = 0; j < J; j++) eager_l1[t][j] = lazy_l1[t][j] = 20 * eager[t][j];
        }
        assert_int_equal(cau_prox_steps_add(&steps, r), CAUCUS_OK);
        for (size_t g = 0; g <= t && g < STARTS; g++) {
            cau_prox_l2(J, r, eager[g]);
            cau_prox_l1(J, r, eager_l1[g]);
        }
    }
    size_t left = 0;
    for (size_t g = 0; g < STARTS; g++) {
        cau_prox_steps_forget(&steps, g);
        cau_prox_steps_forget(&steps, g / 2); /* forgotten already */
        assert_int_equal(steps.first, g);
        assert_int_equal(steps.count, 2 * STARTS - g);
        cau_prox_l2_catch_up(&steps, g, J, lazy[g]);
        cau_prox_l1_catch_up(&steps, g, J, lazy_l1[g]);
        for (size_t j = 0; j < J; j++) {
            assert_near(lazy[g][j], eager[g][j], 1e-12 * largest(J, eager[g]));
            assert_near(lazy_l1[g][j], eager_l1[g][j], 1e-12);
            left += eager_l1[g][j] != 0;
        }
    }
    assert_true(left > STARTS);              /* the l1 steps must not remove all members */
    cau_prox_steps_forget(&steps, SIZE_MAX); /* more than exist */
    assert_int_equal(steps.first, 2 * STARTS);
    assert_int_equal(steps.count, 0);
    const double v[J] = {1, 2, 3};
    double x[J] = {1, 2, 3};
    cau_prox_l1_catch_up(&steps, 2 * STARTS, J, x);
    cau_prox_l2_catch_up(&steps, 2 * STARTS, J, x);
    assert_memory_equal(x, v, sizeof x);

    cau_prox_steps fresh = {.J = J}; /* from here on it equals a new one */
    double y[J] = {1, 2, 3};
    for (size_t t = 0; t < 40; t++) {
        const double r = 0.1 * cau_rng_real(&rng);
        assert_int_equal(cau_prox_steps_add(&steps, r), CAUCUS_OK);
        assert_int_equal(cau_prox_steps_add(&fresh, r), CAUCUS_OK);
    }
    cau_prox_l2_catch_up(&steps, 2 * STARTS, J, x);
    cau_prox_l2_catch_up(&fresh, 0, J, y);
    assert_memory_equal(x, y, sizeof x);
    cau_prox_steps_clear(&fresh);
    cau_prox_steps_clear(&steps);
    assert_true(steps.J == J && steps.room == 0);
}

static caucus_status take_steps(void *self)
{
    (void)self;
    cau_prox_steps steps = {.J = 2};
    caucus_status st = CAUCUS_OK;
    size_t taken = 0;
    for (; st == CAUCUS_OK && taken < 20; taken += st == CAUCUS_OK)
        st = cau_prox_steps_add(&steps, 0.01);
    assert_int_equal(steps.count, taken);
    double v[2] = {1, 1}; /* earlier steps stay valid after a failed one */
    cau_prox_l2_catch_up(&steps, 0, 2, v);
    assert_near(v[0], pow(1.01, -(double)taken), 1e-14);
    cau_prox_steps_clear(&steps);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    double x[6];
    assert_int_equal(test_every_allocation(take_norm, x), 1);
    assert_int_equal(test_every_allocation(take_steps, NULL), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(groups_are_minimised),
        cmocka_unit_test(odd_steps_and_groups),
        cmocka_unit_test(norms_satisfy_the_conditions),
        cmocka_unit_test(single_weights),
        cmocka_unit_test(lazy_is_eager),
        cmocka_unit_test(forgetting_keeps_later_steps),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
