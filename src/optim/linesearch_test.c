/* linesearch_test.c - steps on difficult functions: far minima, narrow ones, kinks, undefined
 * regions, and no descent. */

#include <float.h>
#include <math.h>

#include "optim/quasi_newton.h"
#include "support/support.h"

typedef struct {
    int kind;
    size_t calls;
    double last;
} line_case;

enum { PARABOLA, FAR, NARROW, WALL, CUBIC, MORE_THUENTE, FLAT, UPHILL, ROUNDED, KINDS };

static caucus_status value(void *self, double a, double *f, double *slope)
{
    line_case *l = self;
    l->calls++;
    l->last = a;
    switch (l->kind) {
    case PARABOLA:
        *f = (a - 2) * (a - 2), *slope = 2 * (a - 2);
        break;
    case FAR:
        *f = -a / (a * a + 1e10), *slope = (a * a - 1e10) / pow(a * a + 1e10, 2);
        break;
    case NARROW:
        *f = (a - 1e-7) * (a - 1e-7), *slope = 2 * (a - 1e-7);
        break;
    case WALL: /* logarithm of a negative number beyond 0.03 */
        if (a >= 0.03) return CAUCUS_ERR_NUMERIC;
        *f = -a - 0.001 * log(0.03 - a), *slope = -1 + 0.001 / (0.03 - a);
        break;
    case CUBIC:
        *f = a * a * a - 3 * a, *slope = 3 * a * a - 3;
        break;
    case MORE_THUENTE: { /* function (5.2) of their paper, beta = 0.004 */
        const double b = a + 0.004;
        *f = pow(b, 5) - 2 * pow(b, 4), *slope = 5 * pow(b, 4) - 8 * pow(b, 3);
        break;
    }
    case FLAT:
        *f = 1, *slope = -1e-9;
        break; /* the slope is negative, yet the value never falls */
    case UPHILL:
        *f = a, *slope = 1;
        break;
    case ROUNDED:
        *f = 1, *slope = 1e-10 * (a - 1);
        break; /* at the optimum, within rounding */
    default:
        fail();
    }
    return CAUCUS_OK;
}

static void steps_satisfy_wolfe(void **state)
{
    (void)state;
    static const int kinds[] = {PARABOLA, FAR, NARROW, WALL, CUBIC, MORE_THUENTE};
    static const double firsts[] = {1e-3, 1e-1, 1, 10, 1e3};
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 0; i < 5; i++) {
            line_case l = {.kind = kinds[k]};
            cau_line_point start = {0}, p;
            bool found;
            value(&l, 0, &start.f, &start.slope);
            assert_int_equal(cau_line_search(value, &l, start, firsts[i], &p, &found), CAUCUS_OK);
            assert_true(found);
            assert_true(p.f <= start.f + 1e-4 * p.step * start.slope);
            assert_true(fabs(p.slope) <= 0.9 * fabs(start.slope));
            assert_true(l.last == p.step);
            assert_true(l.calls <= 16);
        }
}

static void a_good_first_step_is_taken(void **state)
{
    (void)state;
    line_case l = {.kind = PARABOLA};
    cau_line_point p;
    bool found;
    cau_line_search(value, &l, (cau_line_point){0, 4, -4}, 1.5, &p, &found);
    assert_true(found && p.step == 1.5 && l.calls == 1);
}

static void searches_end_without_descent(void **state)
{
    (void)state;
    line_case l = {.kind = FLAT};
    cau_line_point p;
    bool found = true;
    assert_int_equal(cau_line_search(value, &l, (cau_line_point){0, 1, -1e-9}, 1, &p, &found),
                     CAUCUS_OK);
    assert_false(found);
    assert_true(l.calls <= 30);

    l = (line_case){.kind = UPHILL};
    assert_int_equal(cau_line_search(value, &l, (cau_line_point){0, 0, -1}, 1, &p, &found),
                     CAUCUS_OK);
    assert_false(found);
    assert_true(l.calls <= 30);
}

/* f is constant within rounding, but the slope has a zero, which the search accepts without a rise
 * of f. */
static void slopes_decide_below_rounding(void **state)
{
    (void)state;
    line_case l = {.kind = ROUNDED};
    cau_line_point p;
    bool found;
    assert_int_equal(cau_line_search(value, &l, (cau_line_point){0, 1, -1e-10}, 0.9, &p, &found),
                     CAUCUS_OK);
    assert_true(found && p.f == 1 && fabs(p.slope) < 0.9e-10);
}

static caucus_status refuse(void *self, double a, double *f, double *slope)
{
    (void)self, (void)a, (void)f, (void)slope;
    return CAUCUS_ERR_STOPPED;
}

static void other_failures_are_passed_on(void **state)
{
    (void)state;
    cau_line_point p;
    bool found;
    assert_int_equal(cau_line_search(refuse, NULL, (cau_line_point){0, 1, -1}, 1, &p, &found),
                     CAUCUS_ERR_STOPPED);
    assert_false(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_satisfy_wolfe),
        cmocka_unit_test(a_good_first_step_is_taken),
        cmocka_unit_test(searches_end_without_descent),
        cmocka_unit_test(slopes_decide_below_rounding),
        cmocka_unit_test(other_failures_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
