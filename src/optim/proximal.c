/* proximal.c - accelerated proximal gradient: FISTA with backtracking and restarts.
 *
 *     minimise F(x) = f(x) + P(x)
 *
 *     y  = x + b (x - x_before),           b = (t - 1) / t',   t' = (1 + sqrt(1 + 4 q t^2)) / 2
 *     z  = argmin_u P(u) + |u - (y - s g)|^2 / 2s,             g the gradient of f at y
 *     t grows from 1; q = (old step) / (new step) is 1 unless the step grows
 *
 * The step s is short enough if the curvature of f from y to z,
 *     c = 2 ( f(z) - f(y) - <g, z - y> ) / |z - y|^2,
 * is at most 1/s; otherwise s becomes the smaller of 1/c and s/2. Near the minimum the difference
 * of two values of f is dominated by rounding, and c is computed from the gradients: <g(z) - g(y),
 * z - y> / |z - y|^2, which is the same for a quadratic. A step that is accepted at the first
 * attempt doubles: at first each time, and after the first failure only after WAIT_MIN such steps,
 * a number that doubles with each further failure.
 *
 * If F(z) <= F(x), x moves to z. Otherwise the momentum is dropped (t = 1) and the iteration is
 * repeated from y = x, from where a short enough step cannot raise F. So F never rises. In long
 * narrow valleys a single step lowers F by less than its last bit although many steps do lower it,
 * so a rise within rounding is accepted. After FLAT_MAX iterations that did not lower F, F cannot
 * fall further at this precision.
 *
 * An iteration with momentum evaluates f at y and at z, one without momentum at z only: the value
 * and the gradient at x are kept. The reported norm is |x - prox(x - s g)| / s, which is 0 exactly
 * at the minimum.
 *
 * [1] Beck, Teboulle. A fast iterative shrinkage-thresholding algorithm. SIAM J. Imaging 2, 2009.
 * [2] O'Donoghue, Candes. Adaptive restart for accelerated gradient schemes. FoCM 15, 2015.
 * [3] Scheinberg, Goldfarb, Bai. Fast first-order methods for composite convex optimization with
 *     backtracking. FoCM 14, 2014. (The q above.) */

#include "optim/batch.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"

enum {
    VECTORS = 6,
    TRIALS = 60,   /* of a step in one iteration */
    WAIT_MIN = 10, /* accepted steps before a longer one is tried */
    WAIT_MAX = 10000,
    FLAT_MAX = 10, /* iterations in a row that do not lower F */
};

/* A limit for flat functions, on which the step would grow without end. */
static const double STEP_MAX = 1e30;

/* The state of the run; plain data, part of the checkpoint. */
typedef struct {
    double F, f;  /* F at x, up to rounding, and its smooth part */
    double wnorm; /* |x| */
    double step;  /* s */
    double t;     /* momentum; 1 is none */
    uint64_t passes;
    uint64_t good; /* steps in a row that were accepted at the first attempt */
    uint64_t wait; /* the step grows after this many */
    uint64_t flat; /* iterations since F last fell */
    uint64_t grew; /* 1: the step has just been doubled */
    uint64_t started;
} proximal_state;

typedef struct {
    cau_proximal_problem problem;
    proximal_state at;
    double *memory;
    double *x, *gx; /* where we are, and the gradient of f there */
    double *before; /* x of the last iteration, then y */
    double *gy;     /* gradient at y, while an iteration lasts */
    double *z, *gz; /* the trial */
    double F, f;    /* its objective and the smooth part */
} proximal;

/* ---- trials ----------------------------------------------------------------------------- */

/* f and its gradient at v. CAUCUS_ERR_NUMERIC where f is not finite. */
static caucus_status smooth(proximal *p, const double *v, double *f, double *g)
{
    const cau_proximal_problem *o = &p->problem;
    p->at.passes++;
    caucus_status st = o->smooth(o->self, v, f, g);
    return st == CAUCUS_OK && !isfinite(*f) ? CAUCUS_ERR_NUMERIC : st;
}

/* The same with F = f + P. */
static caucus_status evaluate(proximal *p, const double *v, double *F, double *f, double *g)
{
    const cau_proximal_problem *o = &p->problem;
    caucus_status st = smooth(p, v, f, g);
    if (st) return st;
    *F = *f + o->penalty(o->self, v);
    return isfinite(*F) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

/* z = prox(y - s g) */
static caucus_status forward_backward(proximal *p, double s, const double *y, const double *g)
{
    const cau_proximal_problem *o = &p->problem;
    const double c[2] = {1, -s};
    cau_vector_combine(o->threads, o->n, 2, c, (const double *[]){y, g}, p->z);
    return o->prox(o->self, s, p->z) ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

typedef struct {
    const double *y, *z, *gy, *gz;
} way_job;

/* sums: |z - y|^2, <g(y), z - y>, <g(z) - g(y), z - y> */
static void way_block(void *self, size_t begin, size_t end, double *sums)
{
    const way_job *j = self;
    for (size_t k = begin; k < end; k++) {
        const double d = j->z[k] - j->y[k];
        sums[0] += d * d;
        sums[1] += d * j->gy[k];
        sums[2] += d * (j->gz[k] - j->gy[k]);
    }
}

/* Curvature of f from y to z, both evaluated; 0 where z = y. */
static double curvature(const proximal *p, double s, const double *y, const double *gy, double fy)
{
    way_job j = {.y = y, .z = p->z, .gy = gy, .gz = p->gz};
    double sums[3];
    cau_vector_sums(p->problem.threads, p->problem.n, 3, way_block, &j, sums);
    if (sums[0] == 0) return 0;
    if (sums[0] < 2e-10 * s * fabs(fy)) return sums[2] / sums[0];
    return 2 * (p->f - fy - sums[1]) / sums[0];
}

/* The next value of `wait` after a step was too long. */
static uint64_t longer_wait(uint64_t wait)
{
    return wait < WAIT_MIN / 2 ? WAIT_MIN : wait < WAIT_MAX ? 2 * wait : wait;
}

/* Finds a trial z from y with a short enough step, at.step or shorter, and sets at.step to it;
 * *found tells whether there is one. */
static caucus_status descend(proximal *p, const double *y, const double *gy, double fy, bool *found)
{
    double s = p->at.step;
    for (int i = 0; i < TRIALS && s > 0; i++) {
        caucus_status st = forward_backward(p, s, y, gy);
        if (st) return st;
        st = evaluate(p, p->z, &p->F, &p->f, p->gz);
        if (st && st != CAUCUS_ERR_NUMERIC) return st;

        const double c = st ? INFINITY : curvature(p, s, y, gy, fy);
        *found = c * s <= 1 + 1e-6; /* room for rounding */
        if (*found) {
            p->at.step = s;
            return CAUCUS_OK;
        }
        s = isfinite(c) ? fmin(s / 2, 1 / c) : s / 16;
        if (i == 0) p->at.wait = longer_wait(p->at.wait);
        p->at.good = p->at.grew = 0;
    }
    return CAUCUS_OK;
}

/* ---- one iteration ---------------------------------------------------------------------- */

/* F and gradient at the first point. */
static caucus_status start(proximal *p)
{
    const cau_proximal_problem *o = &p->problem;
    proximal_state at = {
        .step = o->step > 0 ? fmin(o->step, STEP_MAX) : 1, .t = 1, .wait = 1, .started = 1};
    caucus_status st = evaluate(p, p->x, &at.F, &at.f, p->gx);
    if (st) return st;
    if (!isfinite(cau_vector_norm(o->threads, o->n, p->gx))) return CAUCUS_ERR_NUMERIC;
    at.wnorm = cau_vector_norm(o->threads, o->n, p->x);
    at.passes = p->at.passes;
    p->at = at;
    return CAUCUS_OK;
}

/* x moves to the trial z. */
static void accept(proximal *p, double t)
{
    double *const x = p->x, *const gx = p->gx;
    p->x = p->z;
    p->gx = p->gz;
    p->z = p->before;
    p->gz = gx;
    p->before = x;

    proximal_state *at = &p->at;
    at->flat = p->F < at->F ? 0 : at->flat + 1;
    at->F = fmin(at->F, p->F); /* a higher value differs by rounding alone */
    at->f = p->f;
    at->wnorm = cau_vector_norm(p->problem.threads, p->problem.n, p->x);
    at->t = t;
    at->grew = ++at->good >= at->wait && at->step < STEP_MAX;
    if (at->grew) {
        at->step *= 2;
        at->good = 0;
    }
}

/* An iteration from y = x + b (x - before), or from x if b is 0. */
static caucus_status attempt(proximal *p, double b, double t, bool *moved)
{
    const cau_proximal_problem *o = &p->problem;
    const double *y = p->x, *gy = p->gx;
    double fy = p->at.f;
    *moved = false;
    if (b > 0) {
        const double c[2] = {1 + b, -b};
        cau_vector_combine(o->threads, o->n, 2, c, (const double *[]){p->x, p->before}, p->before);
        caucus_status st = smooth(p, p->before, &fy, p->gy);
        if (st == CAUCUS_ERR_NUMERIC) return CAUCUS_OK; /* too far */
        if (st) return st;
        y = p->before;
        gy = p->gy;
    }

    bool found = false;
    caucus_status st = descend(p, y, gy, fy, &found);
    if (st || !found) return st;
    *moved = p->F <= p->at.F + 4 * DBL_EPSILON * fabs(p->at.F);
    if (*moved) accept(p, t);
    return CAUCUS_OK;
}

/* |x - prox(x - s g)| / s */
static caucus_status mapping(proximal *p, double s, double *norm)
{
    caucus_status st = forward_backward(p, s, p->x, p->gx);
    if (st) return st;
    double sums[3];
    way_job j = {.y = p->x, .z = p->z, .gy = p->gx, .gz = p->gx};
    cau_vector_sums(p->problem.threads, p->problem.n, 3, way_block, &j, sums);
    *norm = sqrt(sums[0]) / s;
    return CAUCUS_OK;
}

static caucus_status step(void *solver, cau_iterate *it)
{
    proximal *p = solver;
    proximal_state *at = &p->at;
    if (!at->started) {
        caucus_status st = start(p);
        if (st) return st;
    }
    if (!(at->step > 0 && at->step <= 2 * STEP_MAX && at->t >= 1 && isfinite(at->F)))
        return CAUCUS_ERR_FORMAT;

    const double t = at->t, next = (1 + sqrt(1 + (at->grew ? 2 : 4) * t * t)) / 2;
    bool moved = false;
    at->t = 1; /* `before` is overwritten: after a failure the momentum restarts */
    caucus_status st = CAUCUS_OK;
    if (t > 1) st = attempt(p, (t - 1) / next, next, &moved);
    if (!st && !moved) st = attempt(p, 0, (1 + sqrt(5)) / 2, &moved);
    if (st) return st;

    double norm;
    st = mapping(p, at->step, &norm);
    if (st) return st;
    *it = (cau_iterate){.f = at->F,
                        .gnorm = norm,
                        .wnorm = at->wnorm,
                        .passes = (size_t)at->passes,
                        .exhausted = !moved || norm == 0 || at->flat >= FLAT_MAX};
    return CAUCUS_OK;
}

/* ---- the solver ------------------------------------------------------------------------- */

static const double *weights(const void *solver)
{
    const proximal *p = solver;
    return p->x;
}

static size_t state(void *solver, cau_blob *blobs)
{
    proximal *p = solver;
    const size_t bytes = p->problem.n * sizeof *p->x;
    blobs[0] = cau_blob_of("progress", &p->at, sizeof p->at);
    blobs[1] = cau_blob_of("weights", p->x, bytes);
    blobs[2] = cau_blob_of("gradient", p->gx, bytes);
    blobs[3] = cau_blob_of("before", p->before, bytes);
    return 4;
}

static void proximal_free(void *solver)
{
    proximal *p = solver;
    if (!p) return;
    free(p->memory);
    free(p);
}

static const cau_solver_ops proximal_ops = {"proximal", step, weights, state, proximal_free};

/* The distance between vectors, such that each starts at a multiple of 64 bytes. */
static bool stride_of(size_t n, size_t *stride)
{
    if (!cau_size_add(n, 7, stride)) return false;
    *stride -= *stride % 8;
    return true;
}

caucus_status cau_proximal_new(caucus_ctx *ctx, const cau_proximal_problem *problem,
                               const double *x, cau_solver *out)
{
    size_t stride, count;
    proximal *p = cau_calloc(1, sizeof *p);
    if (!p) return cau_fail_memory(ctx, "the solver");
    if (stride_of(problem->n, &stride) && cau_size_mul(stride, VECTORS, &count))
        p->memory = cau_vector(count, sizeof *p->memory);
    if (!p->memory) {
        proximal_free(p);
        return cau_fail_memory(ctx, "the vectors of the solver");
    }
    double **const vectors[VECTORS] = {&p->x, &p->gx, &p->before, &p->gy, &p->z, &p->gz};
    for (size_t i = 0; i < VECTORS; i++) *vectors[i] = p->memory + i * stride;
    p->problem = *problem;
    cau_vector_copy(problem->threads, problem->n, x, p->x);
    *out = (cau_solver){&proximal_ops, p};
    return CAUCUS_OK;
}

size_t cau_proximal_bytes(const cau_proximal_problem *problem)
{
    size_t bytes;
    if (!stride_of(problem->n, &bytes) || !cau_size_mul(bytes, VECTORS * sizeof(double), &bytes) ||
        !cau_size_add(bytes, sizeof(proximal), &bytes))
        return SIZE_MAX;
    return bytes;
}
