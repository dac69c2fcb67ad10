/* gis_iis.c - iterative scaling: the equation of one weight, and the solver.
 *
 * The equation. With A(d) = sum_m a_m exp(d mass_m) and t = target - (w - mean) l2 it reads
 *     A(d) = t - l2 d
 * The left side is positive, so the right side must be positive at the root, d < t / l2, and both
 * have a logarithm:
 *     h(d) = log A(d) - log(t - l2 d) = 0
 * Both parts of h are convex and increasing. Newton's method on a convex increasing function
 * converges to the root from the right; from the left it first jumps to the right of it. In
 * logarithms the number of steps hardly depends on the distance, and nothing overflows. Since h' is
 * at least the smallest mass, h(d) bounds the distance to the root, which gives an enclosure. A
 * step that leaves the enclosure, or is more than half of the step before, is replaced by
 * bisection; near the border h is so steep that Newton's steps are tiny and grow.
 *
 * The solver. An iteration first updates the weights, with the expected counts of the last
 * iteration, and then computes F and the expected counts at the new weights. So it takes one pass
 * over the data, and F belongs to the weights that the solver holds. The expected counts are not
 * part of the state: a resumed run computes them again, without counting the pass. */

#include "optim/batch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"

/* ---- one equation --------------------------------------------------------------------- */

typedef struct {
    size_t count;
    const double *a, *mass; /* [count] */
    double least, most;     /* of the masses */
    double t, l2;
} scaling_equation;

/* h(d) and h'(d). */
static double residual(const scaling_equation *e, double d, double *slope)
{
    const double shift = d * (d > 0 ? e->most : e->least); /* the largest exponent */
    double sum = 0, weighted = 0;
    for (size_t m = 0; m < e->count; m++) {
        if (!(e->a[m] > 0)) continue;
        const double term = e->a[m] * exp(d * e->mass[m] - shift);
        sum += term;
        weighted += e->mass[m] * term;
    }
    const double right = e->t - e->l2 * d;
    if (!(right > 0)) { /* rounding crossed the border */
        *slope = INFINITY;
        return INFINITY;
    }
    *slope = weighted / sum + e->l2 / right;
    const double ratio = sum / right; /* its logarithm is more exact than a difference of two */
    return shift + (ratio > DBL_MIN && ratio < DBL_MAX ? log(ratio) : log(sum) - log(right));
}

static double solve(const scaling_equation *e)
{
    const double border = e->l2 > 0 ? e->t / e->l2 : INFINITY;
    double d = border > 0 ? 0 : border - fmax(1 / e->most, -4 * DBL_EPSILON * border);
    double slope, h = residual(e, d, &slope);
    const double reach = h / e->least * (1 + 4 * DBL_EPSILON);
    double low = h > 0 ? d - reach : d, high = h > 0 ? d : fmin(border, d - reach);

    double step = high - low; /* the last one */
    for (int i = 0; i < 200 && h != 0; i++) {
        if (h > 0)
            high = d;
        else
            low = d;
        double next = d - h / slope;
        if (!(next > low && next < high) || fabs(next - d) > 0.5 * step)
            next = low + 0.5 * (high - low);
        if (next == d || next <= low || next >= high) break;
        step = fabs(next - d);
        const bool small = step <= DBL_EPSILON * fabs(next) || step * e->most < 1e-17;
        d = next;
        if (small && fabs(h) < 1e-6) break;
        h = residual(e, d, &slope);
    }
    return d;
}

double cau_scaling_root(size_t count, const double *a, const double *mass, double target, double w,
                        double mean, double l2)
{
    scaling_equation e = {.count = count, .a = a, .mass = mass, .least = INFINITY, .l2 = l2};
    e.t = target - (w - mean) * l2;
    for (size_t m = 0; m < count; m++) {
        if (!(a[m] > 0)) continue;
        e.least = fmin(e.least, mass[m]);
        e.most = fmax(e.most, mass[m]);
    }
    if (e.most == 0) return l2 > 0 ? e.t / l2 : 0; /* no terms */
    if (l2 > 0) return solve(&e);
    if (!(target > 0)) return 0;
    if (count > 1) return solve(&e);

    const double ratio = target / a[0];
    return (ratio > DBL_MIN && ratio < DBL_MAX ? log(ratio) : log(target) - log(a[0])) / mass[0];
}

/* ---- the solver ----------------------------------------------------------------------- */

/* The state of the run; plain data, part of the checkpoint. */
typedef struct {
    double f, gnorm;
    uint64_t passes; /* 0 until f is known */
} gis_state;

typedef struct {
    cau_scaling_problem problem;
    gis_state at;
    bool expected; /* whether the problem holds the expected counts at w */
    double *w;     /* [n] */
    double *next;  /* [n] */
} scaling;

static caucus_status expect(scaling *s, const double *w, double *f, double *gnorm)
{
    s->expected = false;
    caucus_status st = s->problem.expect(s->problem.self, w, f, gnorm);
    if (st == CAUCUS_OK && !isfinite(*f)) st = CAUCUS_ERR_NUMERIC;
    s->expected = st == CAUCUS_OK;
    return st;
}

enum { STEP, WEIGHT, SUMS };

/* next = w + d, where next holds d; the squared norms of both. */
static void move_block(void *self, size_t begin, size_t end, double *sums)
{
    const scaling *s = self;
    for (size_t k = begin; k < end; k++) {
        const double d = s->next[k], to = s->w[k] + d;
        s->next[k] = to;
        sums[STEP] += d * d;
        sums[WEIGHT] += to * to;
    }
}

static caucus_status step(void *solver, cau_iterate *it)
{
    scaling *s = solver;
    const cau_scaling_problem *p = &s->problem;
    caucus_status st = CAUCUS_OK;
    double sums[SUMS];
    gis_state at = s->at;

    if (!s->expected) TRY(expect(s, s->w, &at.f, &at.gnorm));
    if (at.passes == 0) at.passes = 1;
    s->at = at;

    TRY(p->update(p->self, s->w, s->next));
    cau_vector_sums(p->threads, p->n, SUMS, move_block, s, sums);
    if (!isfinite(sums[STEP]) || !isfinite(sums[WEIGHT])) TRY(CAUCUS_ERR_NUMERIC);
    TRY(expect(s, s->next, &at.f, &at.gnorm));
    at.passes++;

    double *w = s->w;
    s->w = s->next;
    s->next = w;
    s->at = at;
    *it = (cau_iterate){.f = at.f,
                        .gnorm = at.gnorm,
                        .wnorm = sqrt(sums[WEIGHT]),
                        .passes = (size_t)at.passes,
                        .exhausted = sqrt(sums[STEP]) <= DBL_EPSILON / 2 * sqrt(sums[WEIGHT])};
    return CAUCUS_OK;
done:
    s->expected = false; /* they may belong to rejected weights */
    return st;
}

static const double *weights(const void *solver)
{
    const scaling *s = solver;
    return s->w;
}

static size_t state(void *solver, cau_blob *blobs)
{
    scaling *s = solver;
    blobs[0] = cau_blob_of("progress", &s->at, sizeof s->at);
    blobs[1] = cau_blob_of("weights", s->w, s->problem.n * sizeof *s->w);
    return 2;
}

static void scaling_free(void *solver)
{
    scaling *s = solver;
    if (!s) return;
    free(s->w);
    free(s->next);
    free(s);
}

static const cau_solver_ops scaling_ops = {"scaling", step, weights, state, scaling_free};

caucus_status cau_scaling_new(caucus_ctx *ctx, const cau_scaling_problem *problem, const double *w,
                              cau_solver *out)
{
    scaling *s = cau_calloc(1, sizeof *s);
    if (s) {
        s->problem = *problem;
        s->w = cau_vector(problem->n, sizeof *s->w);
        s->next = cau_vector(problem->n, sizeof *s->next);
    }
    if (!s || !s->w || !s->next) {
        scaling_free(s);
        return cau_fail_memory(ctx, "the weights of the solver");
    }
    cau_vector_copy(problem->threads, problem->n, w, s->w);
    *out = (cau_solver){&scaling_ops, s};
    return CAUCUS_OK;
}
