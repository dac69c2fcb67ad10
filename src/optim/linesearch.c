/* linesearch.c - the line search of L-BFGS.
 *
 * Wanted is a step a with
 *     f(a) <= f(0) + C1 a f'(0)         it falls enough
 *     |f'(a)| <= C2 |f'(0)|             and there is little left to gain
 * (strong Wolfe). The search keeps two points. `low` is the best so far that falls enough, at
 * first 0, and f' points from it towards `high`. As long as there is no `high` the steps grow;
 * once a trial is too far, because it is higher, rises or is not finite, the two enclose a
 * step that satisfies both, and the minimum of the cubic through their values and slopes is
 * tried next, kept away from the ends (Nocedal and Wright, algorithms 3.5 and 3.6).
 *
 * Near the optimum f changes by less than its rounding, and the first condition becomes a
 * matter of luck while slopes still tell. There a step that does not raise f counts as falling
 * enough if the slope says so (Hager and Zhang's approximate condition):
 *     f(a) <= f(0),   f(0) - f(a) within rounding,   f'(a) <= (1 - 2 C1) |f'(0)| */

#include "optim/linesearch.h"

#include <float.h>
#include <math.h>

#define C1 1e-4
#define C2 0.9
enum { TRIALS = 25 };

static bool falls_enough(cau_line_point start, cau_line_point p)
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

/* Between the two points: no nearer to either than a tenth, and a good deal nearer to `low`
 * when `high` is so far out that it has no value. */
static double inside(cau_line_point low, cau_line_point high, bool halve)
{
    const double width = high.step - low.step;
    if (!isfinite(high.f)) return low.step + 0.1 * width;
    const double part = halve ? 0.5 : (cubic_minimum(low, high) - low.step) / width;
    if (!(part >= 0 && part <= 1)) return low.step + 0.5 * width;
    return low.step + width * fmin(fmax(part, 0.1), 0.9);
}

/* Beyond the last point: where the cubic has its minimum, but at least twice and at most ten
 * times as far. */
static double outside(cau_line_point before, cau_line_point last)
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

        if (!falls_enough(start, p) || p.f > low.f) {
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
                p.step = outside(before, p);
                if (!isfinite(p.step)) break;
                continue;
            }
            if (!enclosed || p.slope * (high.step - p.step) >= 0) high = before;
            enclosed = true;
        }

        /* Done when the enclosure is empty, or too small for f to notice. */
        const double size = fabs(high.step - low.step);
        p.step = inside(low, high, size > 0.66 * width);
        width = width_last;
        width_last = size;
        if (p.step == low.step || p.step == high.step || p.step == 0) break;
        if (-p.step * start.slope < DBL_EPSILON / 4 * fabs(start.f)) break;
    }

    /* No step has it all. The best that falls is still progress. */
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
