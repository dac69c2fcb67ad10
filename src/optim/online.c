/* online.c - SGD and AdaGrad, one example at a time, with penalties that catch up.
 *
 * Step t takes example i and every weight, u = w - mean being what the penalty is on:
 *     x    = u - h g                                g = d loss_i / d w
 *     u    = sgn(x) max(|x| - h l1/N, 0) / (1 + h l2/N)
 * which is the proximal step of the example's share of the penalty: it cannot overshoot, and
 * makes weights exactly 0. The rate h is
 *     SGD      h = rate / (1 + max(rate l2, 0.1) t/N)          the same for all weights
 *     AdaGrad  h = rate / sqrt(sum of g^2 of this weight)      rate, before it has seen any
 *
 * An example touches few weights. For the others g = 0, and the steps that a row of weights
 * missed, s+1 .. t, are made up for when it is touched next, and at the end of the epoch. For
 * SGD they come to
 *     |u| <- P_t max(|u| / P_s - (B_t - B_s), 0),    P_t = P_{t-1} / (1 + h_t l2/N)
 *                                                    B_t = B_{t-1} + h_t l1/N / P_{t-1}
 * for a weight that reaches 0 stays there. P and B are kept for the steps of an epoch; should
 * P become too small for a double, all rows catch up and P starts again at 1. A row that is
 * touched only moves by -h g, in as many pieces as it has places in the example: the penalty of
 * that step is left to the next catching up.
 *
 * With AdaGrad g must be summed first, for its square. The rate of a weight has not changed in
 * the steps it missed, and k of them come to
 *     |u| <- max(c^k |u| - (l1/l2) (1 - c^k), 0),    c = 1 / (1 + h l2/N)
 *     |u| <- max(|u| - k h l1/N, 0)                  if l2 = 0
 *
 * [1] Duchi, Hazan, Singer. Adaptive subgradient methods. JMLR 12, 2011.
 * [2] Carpenter. Lazy sparse stochastic gradient descent. 2008. */

#include "optim/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "optim/rate.h"
#include "optim/rows.h"

#define SMALLEST 1e-100 /* P, before it starts again */

/* Where the run stands; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t steps;
    uint64_t passes;
    double rate;
} progress;

typedef struct {
    cau_online_problem problem;
    cau_online_kind kind;
    progress at;
    size_t n;       /* weights, the common ones included */
    double l1, l2;  /* the share of one example */
    double *w;      /* [n] */
    double *square; /* [n] AdaGrad: sums of squared gradients; else NULL */

    uint32_t now;          /* steps of this epoch */
    uint32_t *time;        /* [rows] steps of this epoch that a row's penalty has seen */
    double *shrink, *pull; /* [examples + 1] SGD: P and B after each step; else NULL */
    uint32_t *order;       /* [examples] */
    double *s;             /* [scores of the largest example] */
    double *g;             /* [common] gradient of the common weights */
    cau_row_sums sums;     /* AdaGrad: gradient of the others */
} online;

/* ---- the penalty ---------------------------------------------------------------------- */

/* c^k and 1 - c^k for c = 1 / (1 + x), x >= 0. For most rows x is tiny and k small, and the
 * first terms of the series are exact. */
static inline void powers(double x, double k, double *power, double *rest)
{
    double z;
    if (x < 1e-3)
        z = k * x * (1 - x * (1. / 2 - x * (1. / 3 - x * (1. / 4 - x * (1. / 5)))));
    else
        z = k * log1p(x);
    if (z < 0.02)
        *rest = z * (1 - z * (1. / 2) *
                             (1 - z * (1. / 3) *
                                      (1 - z * (1. / 4) *
                                               (1 - z * (1. / 5) *
                                                        (1 - z * (1. / 6) * (1 - z * (1. / 7)))))));
    else
        *rest = -expm1(-z);
    *power = 1 - *rest;
    if (*rest > 0.5) *power = exp(-z);
}

static inline double rate_of(const online *o, double square)
{
    return square > 0 ? o->at.rate / sqrt(square) : o->at.rate;
}

/* Lets the penalty of a row see all steps so far. */
static void catch_up(online *o, uint32_t k)
{
    const uint32_t then = o->time[k];
    o->time[k] = o->now;
    if (then == o->now || (o->l1 == 0 && o->l2 == 0)) return;

    const cau_row row = cau_row_of(&o->problem, k);
    double *w = o->w + row.at;
    const double *mean = o->problem.mean ? o->problem.mean + row.at : NULL;
    const double missed = (double)(o->now - then);
    double keep = 1, less = 0;
    if (o->kind == CAU_ONLINE_SGD) {
        keep = o->shrink[o->now] / o->shrink[then];
        less = o->shrink[o->now] * (o->pull[o->now] - o->pull[then]);
        if (less == 0 && !mean) {
            for (size_t j = 0; j < row.count; j++) w[j] *= keep;
            return;
        }
    }
    for (size_t j = 0; j < row.count; j++) {
        const double centre = mean ? mean[j] : 0, u = w[j] - centre;
        if (u == 0) continue;
        if (o->kind == CAU_ONLINE_ADAGRAD) {
            const double h = rate_of(o, o->square[row.at + j]);
            if (o->l2 > 0) {
                powers(h * o->l2, missed, &keep, &less);
                less *= o->l1 / o->l2;
            } else {
                less = missed * h * o->l1;
            }
        }
        const double size = keep * fabs(u) - less;
        w[j] = centre + (size > 0 ? copysign(size, u) : 0);
    }
}

static void restart_clock(online *o)
{
    o->now = 0;
    if (o->shrink) {
        o->shrink[0] = 1;
        o->pull[0] = 0;
    }
}

/* All rows catch up, and the clock of the epoch starts again. */
static void flush(online *o)
{
    for (size_t k = 0; k < cau_rows_count(&o->problem); k++) {
        catch_up(o, (uint32_t)k);
        o->time[k] = 0;
    }
    restart_clock(o);
}

/* ---- one step ------------------------------------------------------------------------- */

static double schedule(const online *o)
{
    const double epochs = (double)o->at.steps / (double)o->problem.examples;
    return o->at.rate / (1 + fmax(o->at.rate * o->problem.l2, 0.1) * epochs);
}

/* Moves the weights from `at` on by their gradient g [count], and lets their penalty, if any,
 * see the step; `rate` is that of SGD. A weight that would not be finite stays as it is. */
static caucus_status move(online *o, size_t at, size_t count, const double *g, double rate,
                          bool penalised)
{
    const double *mean = penalised && o->problem.mean ? o->problem.mean + at : NULL;
    const double l1 = penalised ? o->l1 : 0, l2 = penalised ? o->l2 : 0;
    bool finite = true;
    for (size_t j = 0; j < count; j++) {
        if (o->problem.fixed && o->problem.fixed[at + j]) continue;
        double h = rate;
        if (o->kind == CAU_ONLINE_ADAGRAD) {
            o->square[at + j] += g[j] * g[j];
            h = rate_of(o, o->square[at + j]);
        }
        const double centre = mean ? mean[j] : 0, x = o->w[at + j] - centre - h * g[j];
        const double size = fabs(x) - h * l1;
        const double to = centre + (size > 0 ? copysign(size / (1 + h * l2), x) : 0);
        if (isfinite(to))
            o->w[at + j] = to;
        else
            finite = false;
    }
    return finite ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

/* AdaGrad: every row moves once, by the sum over its places. */
static caucus_status move_sums(online *o, const cau_example *e)
{
    caucus_status worst = CAUCUS_OK;
    const cau_row_sums *sums = &o->sums;
    cau_row_sums_take(&o->sums, &o->problem, e, o->s);
    for (size_t i = 0; i < sums->count; i++) {
        const cau_row row = cau_row_of(&o->problem, sums->row[i]);
        caucus_status st = move(o, row.at, row.count, sums->g + sums->at[i], 0, true);
        if (st) worst = st;
        o->time[sums->row[i]] = o->now + 1;
    }
    return worst;
}

/* Loss of example i and its residuals, in o->s and o->g, from the weights as they are. */
static caucus_status residuals(online *o, size_t i, const cau_example *e, double *loss)
{
    const cau_online_problem *p = &o->problem;
    cau_rows_score(p, e, o->w, o->s);
    memset(o->g, 0, p->common * sizeof *o->g);
    return p->residual(p->self, i, o->s, o->w + cau_rows_common(p), o->g, loss);
}

/* One step on example i. Whatever happens, the step is made, so that the rows agree on time. */
static caucus_status learn(online *o, size_t i)
{
    const cau_online_problem *p = &o->problem;
    const double rate = o->kind == CAU_ONLINE_SGD ? schedule(o) : o->at.rate;
    cau_example e;
    double loss;
    p->example(p->self, i, &e);
    for (size_t k = e.start[0]; k < e.start[e.groups]; k++) catch_up(o, e.id[k]);
    caucus_status st = residuals(o, i, &e, &loss);
    if (st == CAUCUS_OK) {
        caucus_status rows = CAUCUS_OK;
        if (o->kind == CAU_ONLINE_ADAGRAD)
            rows = move_sums(o, &e);
        else if (!cau_rows_add(p, &e, -rate, o->s, o->w))
            rows = CAUCUS_ERR_NUMERIC;
        st = move(o, cau_rows_common(p), p->common, o->g, rate, p->common_penalised);
        if (rows) st = rows;
    }

    const uint32_t t = o->now++;
    o->at.steps++;
    if (o->shrink) {
        o->shrink[t + 1] = o->shrink[t] / (1 + rate * o->l2);
        o->pull[t + 1] = o->pull[t] + rate * o->l1 / o->shrink[t];
        if (o->shrink[t + 1] < SMALLEST) flush(o);
    }
    return st;
}

/* ---- choosing the rate ---------------------------------------------------------------- */

/* Penalty of the weights from `at` on, as the share of one example. */
static double penalty(const online *o, size_t at, size_t count)
{
    double sum = 0;
    for (size_t k = at; k < at + count; k++) {
        const double u = o->w[k] - (o->problem.mean ? o->problem.mean[k] : 0);
        sum += o->l1 * fabs(u) + 0.5 * o->l2 * u * u;
    }
    return sum;
}

/* What a row of the sample is told. */
typedef enum { COUNT_PENALTY, RESTORE } row_job;

/* Does the job for each row of the first `count` examples in order: counts each row's penalty
 * once, or puts the row back to what it was in `w`. Returns the penalties. */
static double visit_rows(online *o, size_t count, row_job job, const double *w)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        cau_example e;
        o->problem.example(o->problem.self, o->order[k], &e);
        for (size_t i = e.start[0]; i < e.start[e.groups]; i++) {
            const cau_row row = cau_row_of(&o->problem, e.id[i]);
            if (job == RESTORE) {
                memcpy(o->w + row.at, w + row.at, row.count * sizeof *w);
                if (o->square) memset(o->square + row.at, 0, row.count * sizeof *o->square);
                o->time[e.id[i]] = 0;
            } else if (o->time[e.id[i]] != UINT32_MAX) {
                catch_up(o, e.id[i]);
                sum += penalty(o, row.at, row.count);
                o->time[e.id[i]] = UINT32_MAX; /* counted */
            }
        }
    }
    return sum;
}

typedef struct {
    online *o;
    size_t count;    /* examples */
    const double *w; /* the start */
} trial;

/* *f is the objective of the first examples in order after learning them once from w with this
 * rate, infinite where it is not finite; everything is as before afterwards. */
static caucus_status try_rate(void *self, double rate, double *f)
{
    online *o = ((const trial *)self)->o;
    const size_t count = ((const trial *)self)->count;
    const double *w = ((const trial *)self)->w;
    const size_t common = cau_rows_common(&o->problem);
    caucus_status st = CAUCUS_OK;
    double sum = 0;
    *f = INFINITY;
    if (rate * o->l2 * (double)count > 200) return CAUCUS_OK; /* no need for a flush below that */
    o->at.rate = rate;
    o->at.steps = 0;
    restart_clock(o);
    for (size_t k = 0; k < count && !st; k++) st = learn(o, o->order[k]);

    if (st == CAUCUS_OK) {
        sum = visit_rows(o, count, COUNT_PENALTY, w);
        if (o->problem.common_penalised) sum += penalty(o, common, o->problem.common);
        sum *= (double)count;
    }
    for (size_t k = 0; k < count && !st; k++) {
        cau_example e;
        double loss = 0;
        o->problem.example(o->problem.self, o->order[k], &e);
        st = residuals(o, o->order[k], &e, &loss);
        sum += loss;
    }

    visit_rows(o, count, RESTORE, w);
    memcpy(o->w + common, w + common, o->problem.common * sizeof *w);
    if (o->square) memset(o->square + common, 0, o->problem.common * sizeof *o->square);
    restart_clock(o);
    o->at.steps = 0;
    if (!st && isfinite(sum)) *f = sum;
    return st == CAUCUS_ERR_NUMERIC ? CAUCUS_OK : st;
}

/* On a sample of the examples. */
static caucus_status choose_rate(online *o, const double *w, double *rate)
{
    const size_t examples = o->problem.examples;
    trial sample = {o, examples < CAU_RATE_SAMPLE ? examples : CAU_RATE_SAMPLE, w};
    cau_rng rng = o->at.rng; /* a copy: a rate that is given leaves the same order of examples */
    cau_rows_order(&o->problem, &rng, o->order);
    return cau_rate_choose(try_rate, &sample, rate);
}

/* ---- the solver ----------------------------------------------------------------------- */

static caucus_status step(void *solver, cau_iterate *it)
{
    online *o = solver;
    const cau_online_problem *p = &o->problem;
    caucus_status st = CAUCUS_OK;
    cau_rows_order(&o->problem, &o->at.rng, o->order);
    for (size_t k = 0; k < p->examples && !st; k++) st = learn(o, o->order[k]);
    flush(o);
    if (st) return st;

    double f, gnorm = NAN;
    st = p->evaluate(p->self, o->w, &f, &gnorm);
    if (st == CAUCUS_OK && !isfinite(f)) st = CAUCUS_ERR_NUMERIC;
    if (st) return st;
    o->at.passes += 2; /* the epoch and the evaluation */
    *it = (cau_iterate){.f = f,
                        .gnorm = gnorm,
                        .wnorm = cau_vector_norm(1, o->n, o->w),
                        .passes = (size_t)o->at.passes,
                        .exhausted = gnorm == 0};
    return CAUCUS_OK;
}

static const double *weights(const void *solver)
{
    const online *o = solver;
    return o->w;
}

static size_t state(void *solver, cau_blob *blobs)
{
    online *o = solver;
    blobs[0] = (cau_blob){"progress", &o->at, sizeof o->at};
    blobs[1] = (cau_blob){"weights", o->w, o->n * sizeof *o->w};
    if (!o->square) return 2;
    blobs[2] = (cau_blob){"squares", o->square, o->n * sizeof *o->square};
    return 3;
}

static void online_free(void *solver)
{
    online *o = solver;
    if (!o) return;
    free(o->w);
    free(o->square);
    free(o->time);
    free(o->shrink);
    free(o->pull);
    free(o->order);
    free(o->s);
    free(o->g);
    cau_row_sums_clear(&o->sums);
    free(o);
}

static const cau_solver_ops sgd_ops = {"sgd", step, weights, state, online_free};
static const cau_solver_ops adagrad_ops = {"adagrad", step, weights, state, online_free};

static caucus_status allocate(online *o)
{
    const cau_online_problem *p = &o->problem;
    const cau_rows_most most = cau_rows_largest(p);

    o->w = cau_vector(o->n, sizeof *o->w);
    o->time = cau_calloc(cau_rows_count(p), sizeof *o->time);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->s = cau_vector(most.scores, sizeof *o->s);
    o->g = cau_vector(p->common, sizeof *o->g);
    if (!o->w || !o->time || !o->order || !o->s || !o->g) return CAUCUS_ERR_MEMORY;
    if (o->kind == CAU_ONLINE_SGD) {
        o->shrink = cau_alloc(p->examples + 1, sizeof *o->shrink);
        o->pull = cau_alloc(p->examples + 1, sizeof *o->pull);
        return o->shrink && o->pull ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
    }
    o->square = cau_vector(o->n, sizeof *o->square);
    return o->square ? cau_row_sums_init(&o->sums, p, &most) : CAUCUS_ERR_MEMORY;
}

caucus_status cau_online_new(caucus_ctx *ctx, const cau_online_problem *problem,
                             cau_online_kind kind, double rate, uint64_t seed, const double *w,
                             cau_solver *out)
{
    size_t n;
    if (!cau_rows_check(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, cau_rows_count(problem));

    online *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->kind = kind;
    o->n = n;
    o->l1 = problem->l1 / (double)problem->examples;
    o->l2 = problem->l2 / (double)problem->examples;
    cau_rng_init(&o->at.rng, seed);
    caucus_status st = CAUCUS_OK;
    if (allocate(o)) TRY(cau_fail_memory(ctx, "the weights of the solver"));
    cau_vector_copy(1, n, w, o->w);
    restart_clock(o);
    o->at.rate = rate;
    if (rate == 0 && choose_rate(o, w, &o->at.rate)) TRY(cau_fail_memory(ctx, "an example"));
    *out = (cau_solver){kind == CAU_ONLINE_SGD ? &sgd_ops : &adagrad_ops, o};
    o = NULL;
done:
    online_free(o);
    return st;
}

size_t cau_online_bytes(const cau_online_problem *problem, cau_online_kind kind)
{
    size_t n, bytes;
    const bool sgd = kind == CAU_ONLINE_SGD;
    const size_t per_weight = sizeof(double) * (sgd ? 1 : 2);
    const size_t per_row = sizeof(uint32_t) * (sgd ? 1 : 2);
    const size_t per_example = sizeof(uint32_t) + (sgd ? 2 : 0) * sizeof(double);
    if (!cau_rows_check(problem, &n) || !cau_size_mul(n, per_weight, &bytes) ||
        !cau_size_add(bytes, cau_rows_count(problem) * per_row, &bytes) ||
        !cau_size_add(bytes, problem->examples * per_example, &bytes))
        return SIZE_MAX;
    return bytes;
}
