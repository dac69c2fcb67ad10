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
 * P become too small for a double, all rows catch up and P starts again at 1. With AdaGrad the
 * rate of a weight has not changed meanwhile, and k missed steps come to
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

enum {
    SAMPLE = 1000, /* examples on which rates are tried */
    TRIALS = 60,
};
#define SMALLEST 1e-100 /* P, before it starts again */

/* Where the run stands; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t steps;
    uint64_t passes;
    double rate;
} progress;

/* A row of weights in an example: `group` is the row of scores it belongs to. */
typedef struct {
    uint32_t row;
    uint32_t entry; /* in the example */
    size_t group;
} occurrence;

typedef struct {
    cau_online_problem problem;
    cau_online_kind kind;
    progress at;
    size_t n;       /* weights, the default row included */
    double l1, l2;  /* the share of one example */
    double *w;      /* [n] */
    double *square; /* [n] AdaGrad: sums of squared gradients; else NULL */

    uint32_t now;           /* steps of this epoch */
    uint32_t *time;         /* [rows] steps of this epoch that a row's penalty has seen */
    double *shrink, *pull;  /* [examples + 1] SGD: P and B after each step; else NULL */
    uint32_t *order;        /* [examples] */
    double *s;              /* [groups * width of the largest example] */
    double *g;              /* [width] gradient of a row */
    occurrence *occurrence; /* [entries of the largest example] */
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
static void catch_up(online *o, uint32_t row)
{
    const cau_online_problem *p = &o->problem;
    const uint32_t then = o->time[row];
    o->time[row] = o->now;
    if (then == o->now || (o->l1 == 0 && o->l2 == 0)) return;

    const size_t at = row * p->width;
    double *w = o->w + at;
    const double *mean = p->mean ? p->mean + at : NULL;
    const uint8_t *fixed = p->fixed ? p->fixed + at : NULL;
    const double missed = (double)(o->now - then);
    double keep = 1, less = 0;
    if (o->kind == CAU_ONLINE_SGD) {
        keep = o->shrink[o->now] / o->shrink[then];
        less = o->shrink[o->now] * (o->pull[o->now] - o->pull[then]);
    }
    for (size_t j = 0; j < p->width; j++) {
        const double centre = mean ? mean[j] : 0, u = w[j] - centre;
        if (u == 0 || (fixed && fixed[j])) continue;
        if (o->kind == CAU_ONLINE_ADAGRAD) {
            const double h = rate_of(o, o->square[at + j]);
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
    for (size_t row = 0; row < o->problem.rows; row++) {
        catch_up(o, (uint32_t)row);
        o->time[row] = 0;
    }
    restart_clock(o);
}

/* ---- one step ------------------------------------------------------------------------- */

static double schedule(const online *o)
{
    const double epochs = (double)o->at.steps / (double)o->problem.examples;
    return o->at.rate / (1 + fmax(o->at.rate * o->problem.l2, 0.1) * epochs);
}

/* Moves a row by its gradient g [width]; `rate` is that of SGD. A weight that would not be
 * finite stays as it is. */
static caucus_status move(online *o, size_t row, const double *g, double rate)
{
    const cau_online_problem *p = &o->problem;
    const bool penalised = row < p->rows;
    const size_t at = row * p->width;
    const double *mean = penalised && p->mean ? p->mean + at : NULL;
    const uint8_t *fixed = penalised && p->fixed ? p->fixed + at : NULL;
    const double l1 = penalised ? o->l1 : 0, l2 = penalised ? o->l2 : 0;
    bool finite = true;
    for (size_t j = 0; j < p->width; j++) {
        if (fixed && fixed[j]) continue;
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

static const double *default_row(const online *o)
{
    return o->problem.bias ? o->w + o->problem.rows * o->problem.width : NULL;
}

/* The scores of an example. Every row is brought up to date when `learning`, and marked as
 * seen by the step to come; *repeated tells whether some row occurs more than once. */
static void score(online *o, const cau_example *e, bool learning, bool *repeated)
{
    const size_t width = o->problem.width;
    const double *bias = default_row(o);
    for (size_t group = 0; group < e->groups; group++) {
        double *s = o->s + group * width;
        for (size_t j = 0; j < width; j++) s[j] = bias ? bias[j] : 0;
        for (size_t i = e->start[group]; i < e->start[group + 1]; i++) {
            const uint32_t row = e->id[i];
            if (learning) {
                if (o->time[row] > o->now) {
                    *repeated = true;
                } else {
                    catch_up(o, row);
                    o->time[row] = o->now + 1;
                }
            }
            const double value = e->value ? (double)e->value[i] : 1;
            const double *w = o->w + row * width;
            for (size_t j = 0; j < width; j++) s[j] += value * w[j];
        }
    }
}

static int by_row(const void *left, const void *right)
{
    const occurrence *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* Moves the rows of an example whose rows repeat: each once, by the sum of its gradients. */
static caucus_status move_repeated(online *o, const cau_example *e, double rate)
{
    const size_t width = o->problem.width;
    size_t count = 0;
    for (size_t group = 0; group < e->groups; group++)
        for (size_t i = e->start[group]; i < e->start[group + 1]; i++)
            o->occurrence[count++] = (occurrence){e->id[i], (uint32_t)i, group};
    qsort(o->occurrence, count, sizeof *o->occurrence, by_row);

    caucus_status worst = CAUCUS_OK;
    for (size_t i = 0; i < count;) {
        const uint32_t row = o->occurrence[i].row;
        memset(o->g, 0, width * sizeof *o->g);
        for (; i < count && o->occurrence[i].row == row; i++) {
            const double value = e->value ? (double)e->value[o->occurrence[i].entry] : 1;
            const double *r = o->s + o->occurrence[i].group * width;
            for (size_t j = 0; j < width; j++) o->g[j] += value * r[j];
        }
        caucus_status st = move(o, row, o->g, rate);
        if (st) worst = st;
    }
    return worst;
}

static caucus_status move_all(online *o, const cau_example *e, bool repeated, double rate)
{
    const size_t width = o->problem.width;
    caucus_status worst = CAUCUS_OK;
    if (repeated) {
        worst = move_repeated(o, e, rate);
    } else {
        for (size_t group = 0; group < e->groups; group++)
            for (size_t i = e->start[group]; i < e->start[group + 1]; i++) {
                const double value = e->value ? (double)e->value[i] : 1;
                const double *r = o->s + group * width;
                for (size_t j = 0; j < width; j++) o->g[j] = value * r[j];
                caucus_status st = move(o, e->id[i], o->g, rate);
                if (st) worst = st;
            }
    }
    if (o->problem.bias) {
        memset(o->g, 0, width * sizeof *o->g);
        for (size_t group = 0; group < e->groups; group++)
            for (size_t j = 0; j < width; j++) o->g[j] += o->s[group * width + j];
        caucus_status st = move(o, o->problem.rows, o->g, rate);
        if (st) worst = st;
    }
    return worst;
}

/* One step on example i. Whatever happens, the step is made, so that the rows agree on time. */
static caucus_status learn(online *o, size_t i)
{
    const double rate = o->kind == CAU_ONLINE_SGD ? schedule(o) : o->at.rate;
    cau_example e;
    double loss;
    bool repeated = false;
    o->problem.example(o->problem.self, i, &e);
    score(o, &e, true, &repeated);
    caucus_status st = o->problem.residual(o->problem.self, i, o->s, &loss);
    if (st == CAUCUS_OK) st = move_all(o, &e, repeated, rate);

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

/* Penalty of a row, as the share of one example. */
static double penalty(const online *o, size_t row)
{
    const size_t at = row * o->problem.width;
    double sum = 0;
    for (size_t j = 0; j < o->problem.width; j++) {
        const double u = o->w[at + j] - (o->problem.mean ? o->problem.mean[at + j] : 0);
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
    const size_t width = o->problem.width;
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        cau_example e;
        o->problem.example(o->problem.self, o->order[k], &e);
        for (size_t i = e.start[0]; i < e.start[e.groups]; i++) {
            const size_t row = e.id[i];
            if (job == RESTORE) {
                memcpy(o->w + row * width, w + row * width, width * sizeof *w);
                if (o->square) memset(o->square + row * width, 0, width * sizeof *o->square);
                o->time[row] = 0;
            } else if (o->time[row] != UINT32_MAX) {
                catch_up(o, (uint32_t)row);
                sum += penalty(o, row);
                o->time[row] = UINT32_MAX; /* counted */
            }
        }
    }
    return sum;
}

/* The objective of the first `count` examples in order after learning them once from w with
 * this rate; everything is as before afterwards. Infinite where it fails. */
static double try_rate(online *o, double rate, size_t count, const double *w)
{
    if (rate * o->l2 * (double)count > 200) return INFINITY; /* no need for a flush below that */
    caucus_status st = CAUCUS_OK;
    double sum = 0;
    o->at.rate = rate;
    o->at.steps = 0;
    restart_clock(o);
    for (size_t k = 0; k < count && !st; k++) st = learn(o, o->order[k]);

    if (st == CAUCUS_OK) sum = (double)count * visit_rows(o, count, COUNT_PENALTY, w);
    for (size_t k = 0; k < count && !st; k++) {
        cau_example e;
        double loss = 0;
        o->problem.example(o->problem.self, o->order[k], &e);
        score(o, &e, false, NULL);
        st = o->problem.residual(o->problem.self, o->order[k], o->s, &loss);
        sum += loss;
    }

    visit_rows(o, count, RESTORE, w);
    const size_t bias = o->problem.rows * o->problem.width;
    memcpy(o->w + bias, w + bias, (o->n - bias) * sizeof *w);
    if (o->square) memset(o->square + bias, 0, (o->n - bias) * sizeof *o->square);
    restart_clock(o);
    o->at.steps = 0;
    return st || !isfinite(sum) ? INFINITY : sum;
}

static void draw_order(online *o, cau_rng *rng)
{
    for (size_t i = 0; i < o->problem.examples; i++) o->order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, o->order, o->problem.examples);
}

/* The best of 0.1 times powers of 2, searched upwards, or downwards if that is no better. */
static double choose_rate(online *o, const double *w)
{
    const size_t count = o->problem.examples < SAMPLE ? o->problem.examples : SAMPLE;
    cau_rng rng = o->at.rng; /* a copy: a rate that is given leaves the same order of examples */
    draw_order(o, &rng);

    double best = 0.1, least = try_rate(o, best, count, w);
    for (int direction = 0; direction < 2; direction++) {
        const double factor = direction == 0 ? 2 : 0.5, first = best;
        for (int i = 0; i < TRIALS; i++) {
            const double rate = best * factor, f = try_rate(o, rate, count, w);
            if (!(f < least) && isfinite(least)) break;
            if (!isfinite(f) && factor > 1) break; /* larger rates will not help */
            best = rate;
            least = f;
        }
        if (best != first) break;
    }
    return best;
}

/* ---- the solver ----------------------------------------------------------------------- */

static caucus_status step(void *solver, cau_iterate *it)
{
    online *o = solver;
    const cau_online_problem *p = &o->problem;
    caucus_status st = CAUCUS_OK;
    draw_order(o, &o->at.rng);
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
    free(o->occurrence);
    free(o);
}

static const cau_solver_ops sgd_ops = {"sgd", step, weights, state, online_free};
static const cau_solver_ops adagrad_ops = {"adagrad", step, weights, state, online_free};

/* All weights; false when there are too many. */
static bool count_weights(const cau_online_problem *p, size_t *n)
{
    return p->rows <= UINT32_MAX && cau_size_mul(p->rows + p->bias, p->width, n);
}

static caucus_status allocate(online *o)
{
    const cau_online_problem *p = &o->problem;
    size_t scores = 1, entries = 0;
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        const size_t count = e.start[e.groups] - e.start[0];
        if (e.groups > scores) scores = e.groups;
        if (count > entries) entries = count;
    }
    if (!cau_size_mul(scores, p->width, &scores)) return CAUCUS_ERR_MEMORY;

    const bool sgd = o->kind == CAU_ONLINE_SGD;
    o->w = cau_vector(o->n, sizeof *o->w);
    o->time = cau_calloc(p->rows, sizeof *o->time);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->s = cau_vector(scores, sizeof *o->s);
    o->g = cau_vector(p->width, sizeof *o->g);
    o->occurrence = cau_alloc(entries, sizeof *o->occurrence);
    if (!o->w || !o->time || !o->order || !o->s || !o->g || !o->occurrence)
        return CAUCUS_ERR_MEMORY;
    if (sgd) {
        o->shrink = cau_alloc(p->examples + 1, sizeof *o->shrink);
        o->pull = cau_alloc(p->examples + 1, sizeof *o->pull);
        return o->shrink && o->pull ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
    }
    o->square = cau_vector(o->n, sizeof *o->square);
    return o->square ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

caucus_status cau_online_new(caucus_ctx *ctx, const cau_online_problem *problem,
                             cau_online_kind kind, double rate, uint64_t seed, const double *w,
                             cau_solver *out)
{
    size_t n;
    if (problem->examples == 0 || problem->examples >= UINT32_MAX || !count_weights(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, problem->rows);

    online *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->kind = kind;
    o->n = n;
    o->l1 = problem->l1 / (double)problem->examples;
    o->l2 = problem->l2 / (double)problem->examples;
    cau_rng_init(&o->at.rng, seed);
    if (allocate(o)) {
        online_free(o);
        return cau_fail_memory(ctx, "the weights of the solver");
    }
    cau_vector_copy(1, n, w, o->w);
    restart_clock(o);
    o->at.rate = rate > 0 ? rate : choose_rate(o, w);
    *out = (cau_solver){kind == CAU_ONLINE_SGD ? &sgd_ops : &adagrad_ops, o};
    return CAUCUS_OK;
}

size_t cau_online_bytes(const cau_online_problem *problem, cau_online_kind kind)
{
    size_t n, bytes;
    const size_t per_weight = sizeof(double) * (kind == CAU_ONLINE_ADAGRAD ? 2 : 1);
    const size_t per_example = sizeof(uint32_t) + (kind == CAU_ONLINE_SGD ? 2 : 0) * sizeof(double);
    if (problem->examples >= UINT32_MAX || !count_weights(problem, &n) ||
        !cau_size_mul(n, per_weight, &bytes) ||
        !cau_size_add(bytes, problem->rows * sizeof(uint32_t), &bytes) ||
        !cau_size_add(bytes, problem->examples * per_example, &bytes))
        return SIZE_MAX;
    return bytes;
}
