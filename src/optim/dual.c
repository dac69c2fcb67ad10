/* dual.c - stochastic dual ascent, in the form that needs no dual.
 *
 * The problem, with N examples whose losses depend on w through their scores s_i = X_i w:
 *     F(w) = sum_i loss_i(X_i w) + l2/2 |w - mean|^2
 * Let a_i be some residuals of example i, once d loss_i / d s_i at an earlier w, and keep
 *     w = mean - 1/l2 sum_i X_i' a_i                                                (1)
 * If a_i were the residuals at w for all i, (1) would say that the gradient of F is 0. A step
 * takes an example, computes its residuals r at w, and moves a_i a part of the way there:
 *     d   = r - a_i
 *     a_i = a_i + b d,     w = w - b/l2 X_i' d
 * which keeps (1). Seen from w this is a stochastic gradient step of rate b/l2 whose noise
 * disappears with d, so the rate need not fall. Nothing happens to weights that the example
 * does not have: there is no penalty to catch up with. As a_i are sums of residuals, which are
 * bounded, w is too, whatever b. [1]
 *
 * The part b. Along its own step, to first order, an example's residuals change by
 *     r' - r = -b C X X' d / l2,        C the second derivative of its loss, and d' = d there
 * so (1 - b (1 + rho)) d is left, with rho = -<d, r' - r> / (b <d, d>), and b = 1/(1 + rho) is
 * best. rho is measured: every now and then the residuals are computed again after the step.
 * The mean of the measurements counts each by <d, d>, so that what has not converged is what
 * counts; the latest count most. For examples with features of different sizes, rho is taken to
 * be proportional to their mean squared length |X_i|^2. Before any measurement,
 * rho = |X_i|^2 / (2 l2).
 * That is right for an example by itself. Where examples share most of their weights they undo
 * each other's work, so b = caution / (1 + rho): the caution falls after an epoch in which the
 * objective rose, and recovers while it falls.
 *
 * Two things do not obey (1), and get the full variance-reduced step of SAGA [2],
 *     w_k = w_k - b/l2 ( (X_i' d)_k + 1/N (gradient of F that the a_i and w make)_k )
 * Common weights without a penalty: the gradient is sum_i a_i, kept in `total`. And a start w0
 * that is not the mean: with a_i = 0 the gradient is l2 (w0 - mean), for all weights, and each
 * step leaves 1 - b/N of it. It stays a multiple p of `away` = w0 - mean, and a row of weights
 * that was last touched at p' catches up by w += (p - p') away.
 *
 * [1] Shalev-Shwartz. SDCA without duality, regularization, and individual convexity. 2016.
 * [2] Defazio, Bach, Lacoste-Julien. SAGA. NIPS 2014. */

#include "optim/dual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/kernels.h"
#include "math/vector.h"
#include "optim/rows.h"

enum {
    FIRST = 64, /* steps that are all measured */
    EVERY = 32, /* later: every so many */
};
#define FADING 0.99  /* of the measurements, with each new one */
#define CAUTION 0.85 /* after an epoch in which the objective rose */
#define RECOVERY 1.2 /* after one in which it fell */
#define FAR 0.05     /* above the best objective, relative: it has gone wrong */

/* Where the run stands; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t steps;
    uint64_t passes;
    double curved, length; /* rho / |X|^2 is curved / length; length 0: not measured yet */
    double caution, most;  /* and the most that it may recover to */
    double last, least;    /* the objective of the epoch before, and of the best one */
    double left;           /* p, of the way from the start to the mean */
} progress;

typedef struct {
    cau_online_problem problem;
    double share; /* 0: measured */
    progress at;
    size_t n;
    double *w;     /* [n] */
    size_t *first; /* [examples + 1] into table */
    float *table;  /* a: residuals of the scores, example after example */
    float *common; /* [examples][common] a: those of the common weights */
    double *total; /* [common] sum of these over the examples */
    double *away;  /* [n] start - mean; NULL: it is 0 */
    double *seen;  /* [rows] p when the row was last brought up to date; NULL without away */

    uint32_t *order;          /* [examples] */
    double *s, *move, *then;  /* [scores of the largest example] r, b d, r' */
    double *g, *pull, *later; /* [common] the same of the common weights */
} dual;

/* ---- one step ------------------------------------------------------------------------- */

/* Brings a row up to the present p. */
static void catch_up(dual *o, uint32_t k)
{
    const double change = o->at.left - o->seen[k];
    if (change == 0) return;
    const cau_row row = cau_row_of(&o->problem, k);
    for (size_t j = row.at; j < row.at + row.count; j++) o->w[j] += change * o->away[j];
    o->seen[k] = o->at.left;
}

/* Loss of example i and its residuals at w; a weight that is fixed has none. */
static caucus_status residuals(dual *o, size_t i, const cau_example *e, double *s, double *g,
                               double *loss)
{
    const cau_online_problem *p = &o->problem;
    cau_rows_score(p, e, o->w, s);
    memset(g, 0, p->common * sizeof *g);
    caucus_status st = p->residual(p->self, i, s, o->w + cau_rows_common(p), g, loss);
    for (size_t j = 0; j < p->common && p->fixed; j++)
        g[j] = p->fixed[cau_rows_common(p) + j] ? 0 : g[j];
    return st;
}

/* |X|^2: the mean over groups of the sum of squared values, and 1 for the common weight. */
static double squared_length(const dual *o, const cau_example *e)
{
    const size_t begin = e->start[0], end = e->start[e->groups];
    double sum = 0;
    if (e->value)
        for (size_t i = begin; i < end; i++) sum += (double)e->value[i] * (double)e->value[i];
    else
        sum = (double)(end - begin);
    return sum / (double)(e->groups ? e->groups : 1) + (o->problem.common > 0);
}

/* b */
static double share_of(const dual *o, double length)
{
    if (o->share > 0) return o->share;
    const double measured = o->at.length > 0 ? o->at.curved / o->at.length : 0.5 / o->problem.l2;
    return o->at.caution / (1 + fmax(measured, 0) * length);
}

/* The step of the common weights, from o->pull = b d; the rows have made theirs. A weight that is
 * fixed has no d. */
static void move_common(dual *o, double b, double before)
{
    const cau_online_problem *p = &o->problem;
    const size_t at = cau_rows_common(p);
    const double rate = 1 / p->l2, share = b / (double)p->examples * rate;
    double *w = o->w + at;
    for (size_t j = 0; j < p->common; j++) w[j] -= rate * o->pull[j];
    if (!p->common_penalised) {
        for (size_t j = 0; j < p->common; j++) {
            w[j] -= p->fixed && p->fixed[at + j] ? 0 : share * o->total[j];
            o->total[j] += o->pull[j];
        }
    } else if (o->away) {
        for (size_t j = 0; j < p->common; j++)
            w[j] += p->fixed && p->fixed[at + j] ? 0 : (o->at.left - before) * o->away[at + j];
    }
}

/* Measures rho after the step of an example, b of its way. */
static caucus_status measure(dual *o, size_t i, const cau_example *e, double b, double square,
                             double length)
{
    double loss, change = 0;
    caucus_status st = residuals(o, i, e, o->then, o->later, &loss);
    if (st) return st;
    for (size_t j = 0; j < e->scores; j++) change -= o->move[j] * (o->then[j] - o->s[j]);
    for (size_t j = 0; j < o->problem.common; j++) change -= o->pull[j] * (o->later[j] - o->g[j]);
    change /= b * b;
    square /= b * b;
    if (isfinite(change) && isfinite(square * length)) {
        o->at.curved = FADING * o->at.curved + change;
        o->at.length = FADING * o->at.length + square * length;
    }
    return CAUCUS_OK;
}

/* One step on example i, whose loss before it is added to *loss. *moved tells whether it still
 * had somewhere to go. */
static caucus_status learn(dual *o, size_t i, double *loss, bool *moved)
{
    const cau_online_problem *p = &o->problem;
    cau_example e;
    double own;
    p->example(p->self, i, &e);
    if (o->away)
        for (size_t k = e.start[0]; k < e.start[e.groups]; k++) catch_up(o, e.id[k]);
    caucus_status st = residuals(o, i, &e, o->s, o->g, &own);
    if (st) return st;
    *loss += own;

    const double length = squared_length(o, &e), b = share_of(o, length), before = o->at.left;
    const cau_kernels *kernels = cau_kernels_get();
    double square = kernels->approach(e.scores, b, o->s, o->table + o->first[i], o->move);
    square += kernels->approach(p->common, b, o->g, o->common + i * p->common, o->pull);
    if (!(sqrt(square) / p->l2 < CAU_ROWS_LARGEST)) return CAUCUS_ERR_NUMERIC;
    if (!cau_rows_add(p, &e, -1 / p->l2, o->move, o->w)) return CAUCUS_ERR_NUMERIC;
    if (o->away) o->at.left *= 1 - b / (double)p->examples;
    move_common(o, b, before);

    const uint64_t step = o->at.steps++;
    if (square > 0) *moved = true;
    if (square > 0 && o->share == 0 && (step < FIRST || step % EVERY == 0))
        return measure(o, i, &e, b, square, length);
    return CAUCUS_OK;
}

/* ---- the solver ----------------------------------------------------------------------- */

/* l2/2 |w - mean|^2 over the weights that have a penalty. */
static double penalty(const dual *o)
{
    const cau_online_problem *p = &o->problem;
    const size_t end = p->common_penalised ? o->n : cau_rows_common(p);
    double sum = 0;
    for (size_t k = 0; k < end; k++) {
        const double u = o->w[k] - (p->mean ? p->mean[k] : 0);
        sum += u * u;
    }
    return 0.5 * p->l2 * sum;
}

/* Chooses the caution of the next epoch from the objective of this one. */
static void adapt(dual *o, double f)
{
    progress *at = &o->at;
    if (f > at->least + FAR * fabs(at->least))
        at->caution = at->most = at->caution / 2;
    else if (f > at->last)
        at->caution *= CAUTION;
    else
        at->caution = fmin(at->most, at->caution * RECOVERY);
    at->last = f;
    at->least = fmin(at->least, f);
}

static caucus_status step(void *solver, cau_iterate *it)
{
    dual *o = solver;
    const cau_online_problem *p = &o->problem;
    caucus_status st = CAUCUS_OK;
    double loss = 0;
    bool moved = false;
    cau_rows_order(p, &o->at.rng, o->order);
    for (size_t k = 0; k < p->examples && !st; k++) {
        if (k + 1 < p->examples) {
            cau_example next;
            p->example(p->self, o->order[k + 1], &next);
            cau_rows_prefetch(p, &next, o->w);
        }
        st = learn(o, o->order[k], &loss, &moved);
    }
    if (o->away)
        for (size_t k = 0; k < cau_rows_count(p); k++) catch_up(o, (uint32_t)k);
    if (st) return st;

    const double f = loss + penalty(o);
    if (!isfinite(f)) return CAUCUS_ERR_NUMERIC;
    adapt(o, f);
    *it = (cau_iterate){.f = f,
                        .gnorm = NAN,
                        .wnorm = cau_vector_norm(1, o->n, o->w),
                        .passes = (size_t)++o->at.passes,
                        .exhausted = !moved,
                        .estimate = true};
    return CAUCUS_OK;
}

static const double *weights(const void *solver)
{
    const dual *o = solver;
    return o->w;
}

static size_t state(void *solver, cau_blob *blobs)
{
    dual *o = solver;
    const cau_online_problem *p = &o->problem;
    size_t count = 0;
    blobs[count++] = (cau_blob){"progress", &o->at, sizeof o->at};
    blobs[count++] = (cau_blob){"weights", o->w, o->n * sizeof *o->w};
    blobs[count++] = (cau_blob){"residuals", o->table, o->first[p->examples] * sizeof *o->table};
    blobs[count++] = (cau_blob){"common", o->common, p->examples * p->common * sizeof *o->common};
    blobs[count++] = (cau_blob){"total", o->total, p->common * sizeof *o->total};
    if (!o->away) return count;
    blobs[count++] = (cau_blob){"away", o->away, o->n * sizeof *o->away};
    blobs[count++] = (cau_blob){"seen", o->seen, cau_rows_count(p) * sizeof *o->seen};
    return count;
}

static void dual_free(void *solver)
{
    dual *o = solver;
    if (!o) return;
    free(o->w);
    free(o->first);
    free(o->table);
    free(o->common);
    free(o->total);
    free(o->away);
    free(o->seen);
    free(o->order);
    free(o->s);
    free(o->move);
    free(o->then);
    free(o->g);
    free(o->pull);
    free(o->later);
    free(o);
}

static const cau_solver_ops dual_ops = {"dual", step, weights, state, dual_free};

/* Sum of the scores of all examples; false when that does not fit. */
static bool count_scores(const cau_online_problem *p, size_t *first, size_t *scores)
{
    size_t sum = 0;
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        if (first) first[i] = sum;
        if (!cau_size_add(sum, e.scores, &sum)) return false;
    }
    if (first) first[p->examples] = sum;
    *scores = sum;
    return true;
}

/* Keeps what the start is away from the mean, if it is. */
static caucus_status allocate_start(dual *o, const double *w)
{
    const cau_online_problem *p = &o->problem;
    const size_t end = p->common_penalised ? o->n : cau_rows_common(p);
    bool is_mean = true;
    for (size_t k = 0; k < end && is_mean; k++) is_mean = w[k] == (p->mean ? p->mean[k] : 0);
    if (is_mean) return CAUCUS_OK;

    o->away = cau_vector(o->n, sizeof *o->away);
    o->seen = cau_alloc(cau_rows_count(p), sizeof *o->seen);
    if (!o->away || !o->seen) return CAUCUS_ERR_MEMORY;
    for (size_t k = 0; k < end; k++) o->away[k] = w[k] - (p->mean ? p->mean[k] : 0);
    for (size_t k = 0; k < cau_rows_count(p); k++) o->seen[k] = 1;
    return CAUCUS_OK;
}

static caucus_status allocate(dual *o)
{
    const cau_online_problem *p = &o->problem;
    cau_rows_most most;
    size_t scores, common;
    o->first = cau_alloc(p->examples + 1, sizeof *o->first);
    if (!o->first || !cau_rows_largest(p, &most) || !count_scores(p, o->first, &scores) ||
        !cau_size_mul(p->examples, p->common, &common))
        return CAUCUS_ERR_MEMORY;

    o->w = cau_vector(o->n, sizeof *o->w);
    o->table = cau_vector(scores, sizeof *o->table);
    o->common = cau_vector(common, sizeof *o->common);
    o->total = cau_vector(p->common, sizeof *o->total);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->s = cau_vector(most.scores, sizeof *o->s);
    o->move = cau_vector(most.scores, sizeof *o->move);
    o->then = cau_vector(most.scores, sizeof *o->then);
    o->g = cau_vector(p->common, sizeof *o->g);
    o->pull = cau_vector(p->common, sizeof *o->pull);
    o->later = cau_vector(p->common, sizeof *o->later);
    const bool all = o->w && o->table && o->common && o->total && o->order && o->s && o->move &&
                     o->then && o->g && o->pull && o->later;
    return all ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

caucus_status cau_dual_new(caucus_ctx *ctx, const cau_online_problem *problem, double share,
                           uint64_t seed, const double *w, cau_solver *out)
{
    size_t n;
    if (!cau_rows_check(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, cau_rows_count(problem));

    dual *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->share = share;
    o->n = n;
    o->at.left = o->at.caution = o->at.most = 1;
    o->at.last = o->at.least = INFINITY;
    cau_rng_init(&o->at.rng, seed);
    if (allocate(o) || allocate_start(o, w)) {
        dual_free(o);
        return cau_fail_memory(ctx, "the residuals of the solver");
    }
    cau_vector_copy(1, n, w, o->w);
    *out = (cau_solver){&dual_ops, o};
    return CAUCUS_OK;
}

size_t cau_dual_bytes(const cau_online_problem *problem)
{
    size_t n, scores, common, bytes, more;
    const size_t per_example = sizeof(size_t) + sizeof(uint32_t);
    if (!cau_rows_check(problem, &n) || !count_scores(problem, NULL, &scores) ||
        !cau_size_mul(problem->examples, problem->common, &common) ||
        !cau_size_add(scores, common, &more) || !cau_size_mul(more, sizeof(float), &more) ||
        !cau_size_mul(n, sizeof(double), &bytes) || !cau_size_add(bytes, more, &bytes) ||
        !cau_size_add(bytes, problem->examples * per_example, &bytes))
        return SIZE_MAX;
    return bytes;
}
