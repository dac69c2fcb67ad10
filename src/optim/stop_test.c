/* stop_test.c - a table of stopping rules, and the estimate of the remaining time. */

#include <math.h>
#include <string.h>

#include "optim/stop.h"
#include "support/support.h"

/* One run: a rule, the iterates of a solver, and when and why the run must end. */
typedef struct {
    const char *name;
    cau_stop_rule rule;
    double f[8], gnorm, wnorm; /* F of each iteration; 0 ends the list */
    double dev[8];             /* 0: not measured */
    double seconds;            /* per iteration */
    bool exhausted, estimate;
    size_t iteration;
    cau_stop_reason reason;
} stop_case;

static const stop_case table[] = {
    {.name = "nothing is asked",
     .f = {9, 8, 7, 6},
     .gnorm = 0,
     .iteration = 4,
     .reason = CAU_STOP_NOT},
    {.name = "gradient, small weights count as 1",
     .rule = {.epsilon = 0.1},
     .f = {9},
     .gnorm = 0.09,
     .wnorm = 0.01,
     .iteration = 1,
     .reason = CAU_STOP_GRADIENT},
    {.name = "gradient, relative to the weights",
     .rule = {.epsilon = 0.1},
     .f = {9},
     .gnorm = 0.9,
     .wnorm = 10,
     .iteration = 1,
     .reason = CAU_STOP_GRADIENT},
    {.name = "gradient not known",
     .rule = {.epsilon = 0.1},
     .f = {9, 8},
     .gnorm = NAN,
     .wnorm = 10,
     .iteration = 2,
     .reason = CAU_STOP_NOT},
    {.name = "improvement over two iterations",
     .rule = {.delta = 0.1, .period = 2},
     .f = {100, 80, 60, 58, 57},
     .gnorm = 1,
     .iteration = 5,
     .reason = CAU_STOP_IMPROVEMENT},
    {.name = "improvement of a negative objective",
     .rule = {.delta = 0.1, .period = 1},
     .f = {-10, -20, -21},
     .gnorm = 1,
     .iteration = 3,
     .reason = CAU_STOP_IMPROVEMENT},
    {.name = "an estimate that rises has not settled",
     .rule = {.delta = 0.1, .period = 2},
     .f = {100, 80, 99, 81},
     .gnorm = NAN,
     .estimate = true,
     .iteration = 4,
     .reason = CAU_STOP_IMPROVEMENT},
    {.name = "an estimate whose lowest still falls goes on",
     .rule = {.delta = 0.1, .period = 2},
     .f = {100, 80, 99, 70, 81, 60, 70},
     .gnorm = NAN,
     .estimate = true,
     .iteration = 7,
     .reason = CAU_STOP_NOT},
    {.name = "earlier estimates end before the period",
     .rule = {.delta = 0.1, .period = 2},
     .f = {100, 80, 60, 58, 57},
     .gnorm = NAN,
     .estimate = true,
     .iteration = 5,
     .reason = CAU_STOP_IMPROVEMENT},
    {.name = "a rise is no improvement",
     .rule = {.delta = 1e-9, .period = 1},
     .f = {5, 6},
     .gnorm = 1,
     .iteration = 2,
     .reason = CAU_STOP_IMPROVEMENT},
    {.name = "convergence goes before limits",
     .rule = {.epsilon = 1, .iterations = 1, .passes = 1, .seconds = 1},
     .f = {5},
     .gnorm = .5,
     .seconds = 10,
     .iteration = 1,
     .reason = CAU_STOP_GRADIENT},
    {.name = "iterations",
     .rule = {.iterations = 3},
     .f = {9, 8, 7, 6},
     .gnorm = 1,
     .iteration = 3,
     .reason = CAU_STOP_ITERATIONS},
    {.name = "passes, two an iteration",
     .rule = {.passes = 5},
     .f = {9, 8, 7, 6},
     .gnorm = 1,
     .iteration = 3,
     .reason = CAU_STOP_PASSES},
    {.name = "time",
     .rule = {.seconds = 2.5},
     .f = {9, 8, 7, 6},
     .gnorm = 1,
     .seconds = 1,
     .iteration = 3,
     .reason = CAU_STOP_TIME},
    {.name = "patience",
     .rule = {.patience = 2},
     .f = {9, 8, 7, 6, 5, 4},
     .gnorm = 1,
     .dev = {.5, .7, .6, .7},
     .iteration = 4,
     .reason = CAU_STOP_PATIENCE},
    {.name = "patience without a dev score",
     .rule = {.patience = 1},
     .f = {9, 8, 7},
     .gnorm = 1,
     .iteration = 3,
     .reason = CAU_STOP_NOT},
    {.name = "exhausted",
     .f = {9, 8},
     .gnorm = 1,
     .exhausted = true,
     .iteration = 1,
     .reason = CAU_STOP_EXHAUSTED},
};

static void rules_end_runs(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof table / sizeof *table; r++) {
        const stop_case *x = &table[r];
        cau_stop_state seen = {0};
        cau_stop_reason reason = CAU_STOP_NOT;
        size_t t = 0;
        while (reason == CAU_STOP_NOT && t < 8 && x->f[t] != 0) {
            const cau_iterate it = {.f = x->f[t],
                                    .gnorm = x->gnorm,
                                    .wnorm = x->wnorm,
                                    .passes = 2 * (t + 1),
                                    .exhausted = x->exhausted,
                                    .estimate = x->estimate};
            const double dev = x->dev[t] > 0 ? x->dev[t] : NAN;
            bool best, want = x->dev[t] > 0;
            for (size_t before = 0; before < t; before++) want = want && x->dev[before] < x->dev[t];
            t++;
            reason = cau_stop_check(&x->rule, &seen, &it, dev, x->seconds * (double)t, &best);
            assert_int_equal(best, want);
        }
        if (reason != x->reason || t != x->iteration)
            fail_msg("%s: ended after %zu because %s", x->name, t, cau_stop_text(reason));
    }
}

/* Tests the longest period that the ring buffer holds, and longer ones, which are cut to it. */
static void long_periods_work(void **state)
{
    (void)state;
    for (size_t period = CAU_STOP_PERIOD_MAX - 1; period < CAU_STOP_PERIOD_MAX + 2; period++) {
        const cau_stop_rule rule = {.delta = 0.5, .period = period};
        cau_stop_state seen = {0};
        for (size_t t = 1; t <= 200; t++) { /* halves every 16 iterations, then stays constant */
            const cau_iterate it = {.f = t < 100 ? pow(0.5, (double)t / 16) : pow(0.5, 100. / 16)};
            bool best;
            cau_stop_reason reason = cau_stop_check(&rule, &seen, &it, NAN, 0, &best);
            if (reason == CAU_STOP_NOT) continue;
            assert_int_equal(reason, CAU_STOP_IMPROVEMENT);
            /* F_{t-p} < 1.5 F_t once t - p > 100 - 16 log2 1.5 = 90.6 */
            assert_int_equal(t, 91 + (period < CAU_STOP_PERIOD_MAX ? period : CAU_STOP_PERIOD_MAX));
            break;
        }
        assert_true(seen.iteration < 200);
    }
}

static void time_left_is_estimated(void **state)
{
    (void)state;
    const cau_iterate it = {.f = 1, .passes = 20};
    cau_stop_state seen = {.iteration = 10};
    assert_true(isnan(cau_stop_remaining(&(cau_stop_rule){0}, &seen, &it, 5)));
    assert_near(cau_stop_remaining(&(cau_stop_rule){.iterations = 30}, &seen, &it, 5), 10, 1e-12);
    assert_near(cau_stop_remaining(&(cau_stop_rule){.passes = 30}, &seen, &it, 5), 2.5, 1e-12);
    assert_near(cau_stop_remaining(&(cau_stop_rule){.seconds = 6}, &seen, &it, 5), 1, 1e-12);
    assert_near(cau_stop_remaining(&(cau_stop_rule){.seconds = 4}, &seen, &it, 5), 0, 1e-12);
    const cau_stop_state one = {.iteration = 1};
    assert_near(cau_stop_remaining(&(cau_stop_rule){.iterations = 3}, &one, &it, 5), 10, 1e-12);
    const cau_stop_rule all = {.iterations = 30, .passes = 30, .seconds = 6};
    assert_near(cau_stop_remaining(&all, &seen, &it, 5), 1, 1e-12);

    /* F - 1 halves with each iteration: F_{t-1} - F_t = 2^-t, which is below 2^-20 after 20
     * iterations. */
    const cau_stop_rule rule = {.delta = 0x1p-20, .period = 1};
    seen = (cau_stop_state){0};
    for (int t = 1; t <= 10; t++) {
        const cau_iterate now = {.f = 1 + pow(0.5, t)};
        bool best;
        assert_int_equal(cau_stop_check(&rule, &seen, &now, NAN, t, &best), CAU_STOP_NOT);
    }
    const cau_iterate now = {.f = 1 + 0x1p-10};
    assert_near(cau_stop_remaining(&rule, &seen, &now, 10), 10, 0.01);
    assert_true(isnan(cau_stop_remaining(&rule, &(cau_stop_state){0}, &now, 10)));
}

static void every_reason_has_a_text(void **state)
{
    (void)state;
    for (int a = CAU_STOP_NOT; a <= CAU_STOP_CALLER; a++)
        for (int b = CAU_STOP_NOT; b < a; b++)
            assert_string_not_equal(cau_stop_text((cau_stop_reason)a),
                                    cau_stop_text((cau_stop_reason)b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_end_runs),
        cmocka_unit_test(long_periods_work),
        cmocka_unit_test(time_left_is_estimated),
        cmocka_unit_test(every_reason_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
