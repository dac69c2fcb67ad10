/* stop.c - stopping rules.
 *
 * Convergence is tested before the limits: a run that converges in its last allowed iteration
 * counts as converged. */

#include "optim/stop.h"

#include <math.h>

static size_t period_of(const cau_stop_rule *rule)
{
    if (rule->period < 1) return CAU_STOP_PERIOD;
    return rule->period < CAU_STOP_PERIOD_MAX ? rule->period : CAU_STOP_PERIOD_MAX;
}

/* F after iteration t, which must be one of the last CAU_STOP_PERIOD_MAX. */
static double value_after(const cau_stop_state *state, size_t t)
{
    return state->past[t % CAU_STOP_PERIOD_MAX];
}

/* The decrease of F over the last period; INFINITY before the first period is over. Estimates
 * fluctuate, and two of them may be close by chance. For estimates the decrease is therefore from
 * the lowest value before the period to the lowest value of the period, and the last value must be
 * close to the lowest too. */
static double decrease(const cau_stop_state *state, const cau_iterate *it, size_t period,
                       double before)
{
    const size_t t = state->iteration;
    if (t <= period) return INFINITY;
    if (!it->estimate) return before - it->f;
    const size_t kept = t < CAU_STOP_PERIOD_MAX ? t : CAU_STOP_PERIOD_MAX;
    double now = it->f, earlier = before;
    for (size_t i = 1; i < period; i++) now = fmin(now, value_after(state, t - i));
    for (size_t i = period + 1; i < kept; i++) earlier = fmin(earlier, value_after(state, t - i));
    return fmax(earlier - now, it->f - now);
}

cau_stop_reason cau_stop_check(const cau_stop_rule *rule, cau_stop_state *state,
                               const cau_iterate *it, double dev, double elapsed, bool *best)
{
    const size_t t = ++state->iteration, period = period_of(rule);
    /* Read before the write: it may be in the same place of the ring. */
    const double before = t > period ? value_after(state, t - period) : NAN;
    state->past[t % CAU_STOP_PERIOD_MAX] = it->f;

    *best = !isnan(dev) && (!state->has_dev || dev > state->best_dev);
    if (*best) {
        state->best_dev = dev;
        state->best_iteration = t;
        state->has_dev = 1;
    }

    if (rule->epsilon > 0 && it->gnorm < rule->epsilon * fmax(1, it->wnorm))
        return CAU_STOP_GRADIENT;
    if (rule->delta > 0 && decrease(state, it, period, before) < rule->delta * fabs(it->f))
        return CAU_STOP_IMPROVEMENT;
    if (it->exhausted) return CAU_STOP_EXHAUSTED;
    if (rule->patience > 0 && state->has_dev && t - state->best_iteration >= rule->patience)
        return CAU_STOP_PATIENCE;
    if (rule->iterations > 0 && t >= rule->iterations) return CAU_STOP_ITERATIONS;
    if (rule->passes > 0 && it->passes >= rule->passes) return CAU_STOP_PASSES;
    if (rule->seconds > 0 && elapsed >= rule->seconds) return CAU_STOP_TIME;
    return CAU_STOP_NOT;
}

/* Iterations until the decrease over a period is below delta, assuming that it keeps shrinking by
 * the factor of the last two periods. */
static double until_converged(const cau_stop_rule *rule, const cau_stop_state *state)
{
    const size_t t = state->iteration, period = period_of(rule);
    if (rule->delta <= 0 || t <= 2 * period || 2 * period >= CAU_STOP_PERIOD_MAX) return NAN;
    const double f = value_after(state, t), middle = value_after(state, t - period);
    const double fell = middle - f, fell_before = value_after(state, t - 2 * period) - middle;
    if (!(fell > 0 && fell < fell_before)) return NAN;
    const double more = log(fell / (rule->delta * fabs(f))) / log(fell_before / fell);
    return more > 0 ? more * (double)period : 0;
}

double cau_stop_remaining(const cau_stop_rule *rule, const cau_stop_state *state,
                          const cau_iterate *it, double elapsed)
{
    if (state->iteration == 0) return NAN;
    const double t = (double)state->iteration, passes = (double)it->passes;
    double left = until_converged(rule, state) * elapsed / t; /* fmin drops a NaN */
    if (rule->iterations > 0) left = fmin(left, ((double)rule->iterations - t) * elapsed / t);
    if (rule->passes > 0 && it->passes > 0)
        left = fmin(left, ((double)rule->passes - passes) * elapsed / passes);
    if (rule->seconds > 0) left = fmin(left, rule->seconds - elapsed);
    return left < 0 ? 0 : left;
}

const char *cau_stop_text(cau_stop_reason reason)
{
    switch (reason) {
    case CAU_STOP_NOT:
        return "not finished";
    case CAU_STOP_GRADIENT:
        return "converged (relative gradient below --epsilon)";
    case CAU_STOP_IMPROVEMENT:
        return "converged (relative change below --delta)";
    case CAU_STOP_ITERATIONS:
        return "reached --max-iterations";
    case CAU_STOP_PASSES:
        return "reached --max-passes";
    case CAU_STOP_TIME:
        return "reached --max-time";
    case CAU_STOP_PATIENCE:
        return "no better score on the development data (--patience)";
    case CAU_STOP_EXHAUSTED:
        return "converged (no further improvement is possible)";
    case CAU_STOP_CALLER:
        return "interrupted";
    }
    return "finished";
}
