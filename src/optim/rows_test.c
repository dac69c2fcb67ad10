/* rows_test.c - the search for a learning rate on curves with a known best rate. */

#include <math.h>

#include "optim/rows.h"
#include "support/support.h"

typedef struct {
    double best;    /* minimum of the rate_curve */
    double diverge; /* infinite from this rate on */
    size_t calls, fail_at;
} rate_curve;

static caucus_status trial(void *self, double rate, double *f)
{
    rate_curve *c = self;
    if (++c->calls == c->fail_at) return CAUCUS_ERR_MEMORY;
    *f = rate < c->diverge ? fabs(log(rate / c->best)) : INFINITY;
    return CAUCUS_OK;
}

static void the_best_power_is_found(void **state)
{
    (void)state;
    static const double best[] = {1e-9, 0.003, 0.1, 0.7, 1e5};
    for (size_t i = 0; i < 5; i++) {
        rate_curve c = {.best = best[i], .diverge = INFINITY};
        double rate = 0;
        assert_int_equal(cau_rate_choose(trial, &c, &rate), CAUCUS_OK);
        assert_true(rate >= best[i] / sqrt(2) * 0.999 && rate <= best[i] * sqrt(2) * 1.001);
        const double power = log2(rate / 0.1);
        assert_near(power, round(power), 1e-9);
    }
}

/* 0.1 and much smaller rates diverge: the search goes down to a finite value and continues. */
static void diverging_rates_are_avoided(void **state)
{
    (void)state;
    rate_curve c = {.best = 1e-5, .diverge = 1e-3};
    double rate = 0;
    assert_int_equal(cau_rate_choose(trial, &c, &rate), CAUCUS_OK);
    assert_true(rate > 0.7e-5 && rate < 1.5e-5);

    c = (rate_curve){.best = 1, .diverge = 0.5}; /* upwards the search ends before that */
    assert_int_equal(cau_rate_choose(trial, &c, &rate), CAUCUS_OK);
    assert_near(rate, 0.4, 1e-12);

    c = (rate_curve){.best = 1}; /* a rate is returned even if all values are infinite */
    assert_int_equal(cau_rate_choose(trial, &c, &rate), CAUCUS_OK);
    assert_true(rate > 0 && isfinite(rate));
}

static void failures_are_passed_on(void **state)
{
    (void)state;
    for (size_t n = 1; n < 5; n++) {
        rate_curve c = {.best = 1, .diverge = INFINITY, .fail_at = n};
        double rate = 7;
        assert_int_equal(cau_rate_choose(trial, &c, &rate), CAUCUS_ERR_MEMORY);
        assert_true(rate == 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_power_is_found),
        cmocka_unit_test(diverging_rates_are_avoided),
        cmocka_unit_test(failures_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
