/* linesearch.c - the line search of L-BFGS.
 *
 * It finds a step a that satisfies the strong Wolfe conditions,
 *     f(a) <= f(0) + C1 a f'(0)         sufficient decrease
 *     |f'(a)| <= C2 |f'(0)|             curvature
 * The search keeps two points. `low` is the best point so far with sufficient decrease, at first 0;
 * f falls from it towards `high`. Without a `high` the steps grow. Once a trial is too far, because
 * f is higher, rises or is not finite, the two points enclose a step that satisfies both
 * conditions. The next trial is the minimum of the cubic through their values and slopes, kept away
 * from the ends (Nocedal and Wright, algorithms 3.5 and 3.6).
 *
 * Near the optimum f changes by less than its rounding error, and the first condition depends on
 * rounding while slopes are still accurate. A step that does not raise f then satisfies the first
 * condition if the slope does (Hager and Zhang's approximate condition):
 *     f(a) <= f(0),   f(0) - f(a) within rounding,   f'(a) <= (1 - 2 C1) |f'(0)| */

#include "optim/quasi_newton.h"

#include <float.h>
#include <math.h>

#define C1 1e-4
#define C2 0.9
enum { TRIALS = 25 };

static bool decreases_enough(cau_line_point start, cau_line_point p)
{
    if (p.f <= start.f + C1 * p.step * start.slope) return true;
    const double rounding = 16 * DBL_EPSILON * fabs(start.f);
    return p.f <= start.f && start.f - p.f <= rounding && -p.step * start.slope <= rounding / C1 &&
           p.slope <= (2 * C1 - 1) * start.slope;
}

/* The minimum of the cubic through two points with their slopes; NaN if there is none. */
static double cubic_minimum(cau_line_point a, cau_line_point b)
{
    const double width = b.step - a.step;
    const double d1 = a.slope + b.slope - 3 * (b.f - a.f) / width;
    const double inside = d1 * d1 - a.slope * b.slope;
    if (!(inside >= 0)) return NAN;
    const double d2 = copysign(sqrt(inside), width);
    return b.step - width * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
}

/* The next step between the two points: at least a tenth of the way from either; a tenth from `low`
 * if f is not finite at `high`. */
static double interpolate_step(cau_line_point low, cau_line_point high, bool halve)
{
    const double width = high.step - low.step;
    if (!isfinite(high.f)) return low.step + 0.1 * width;
    const double part = halve ? 0.5 : (cubic_minimum(low, high) - low.step) / width;
    if (!(part >= 0 && part <= 1)) return low.step + 0.5 * width;
    return low.step + width * fmin(fmax(part, 0.1), 0.9);
}

/* The next step beyond the last point: the minimum of the cubic, limited to between 2 and 10 times
 * the last step. */
static double extrapolate_step(cau_line_point before, cau_line_point last)
{
    const double guess = cubic_minimum(before, last);
    if (!(guess > last.step)) return 4 * last.step;
    return fmin(fmax(guess, 2 * last.step), 10 * last.step);
}

caucus_status cau_line_search(cau_line_fn *fn, void *self, cau_line_point start, double first,
                              cau_line_point *out, bool *found)
{
    cau_line_point low = start, high = start, p = {.step = first};
    bool enclosed = false;
    double width = INFINITY; /* of the enclosure, two trials ago */
    double width_last = INFINITY;
    double evaluated = 0; /* the step of the last trial */

    *found = false;
    for (int trial = 0; trial < TRIALS; trial++) {
        caucus_status st = fn(self, p.step, &p.f, &p.slope);
        if (st && st != CAUCUS_ERR_NUMERIC) return st;
        evaluated = p.step;
        if (st || !isfinite(p.f) || !isfinite(p.slope)) p.f = INFINITY, p.slope = NAN;

        if (!decreases_enough(start, p) || p.f > low.f) {
            high = p;
            enclosed = true;
        } else {
            if (fabs(p.slope) <= -C2 * start.slope) {
                *out = p;
                *found = true;
                return CAUCUS_OK;
            }
            const cau_line_point before = low;
            low = p;
            if (!enclosed && p.slope < 0) {
                p.step = extrapolate_step(before, p);
                if (!isfinite(p.step)) break;
                continue;
            }
            if (!enclosed || p.slope * (high.step - p.step) >= 0) high = before;
            enclosed = true;
        }

        /* Done when the enclosure is empty, or too small to change f. */
        const double size = fabs(high.step - low.step);
        p.step = interpolate_step(low, high, size > 0.66 * width);
        width = width_last;
        width_last = size;
        if (p.step == low.step || p.step == high.step || p.step == 0) break;
        if (-p.step * start.slope < DBL_EPSILON / 4 * fabs(start.f)) break;
    }

    /* No step satisfies both conditions. The best step with a decrease is still progress. */
    if (low.step > 0 && low.f < start.f) {
        if (evaluated != low.step) {
            caucus_status st = fn(self, low.step, &low.f, &low.slope);
            if (st) return st;
        }
        *out = low;
        *found = true;
    }
    return CAUCUS_OK;
}
