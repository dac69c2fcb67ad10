/* sdca.c - stochastic dual coordinate ascent, in the form without a dual problem.
 *
 * The problem, with N examples whose losses depend on w through their scores s_i = X_i w:
 *     F(w) = sum_i loss_i(X_i w) + l2/2 |w - mean|^2
 * Let a_i be residuals of example i, d loss_i / d s_i at some earlier w, and maintain
 *     w = mean - 1/l2 sum_i X_i' a_i                                                (1)
 * If all a_i were the residuals at w itself, (1) would mean that the gradient of F is 0. A step
 * takes an example, computes its residuals r at w, and moves a_i a part b of the way to r:
 *     d   = r - a_i
 *     a_i = a_i + b d,     w = w - b/l2 X_i' d
 * This maintains (1). For w it is a stochastic gradient step of rate b/l2 whose noise vanishes
 * with d, so the rate need not fall. Weights of features that the example lacks do not change:
 * there is no lazy penalty. The a_i are convex combinations of residuals, which are bounded, so w
 * is bounded for any b. [1]
 *
 * The step size b. Along its own step, to first order, the residuals of an example change by
 *     r' - r = -b C X X' d / l2,        C the second derivative of its loss
 * This leaves (1 - b (1 + rho)) d, with rho = -<d, r' - r> / (b <d, d>), so b = 1/(1 + rho) is
 * best. rho is measured: for some minibatches the residuals are computed again after the step.
 * The mean of the measurements weights each by <d, d>, so that examples far from convergence
 * dominate, and recent ones more than old ones. rho is assumed to be proportional to
 *     |X_i|^2 (0.2 + curvature of the loss along d)
 * with the mean squared length of the features of the example and the curvature that its residuals
 * imply, which is near 0 where the model is confident. The 0.2 allows for changes until the next
 * visit. Before the first measurement, rho is this value divided by l2.
 * This is right for an isolated example. Examples that share most of their weights undo each
 * other's steps, so b = caution / (1 + rho): the caution falls after an epoch in which the
 * objective rose, and recovers while it falls. A few examples have far more curvature than most,
 * such as a sentence that repeats itself: they would oscillate and disturb all others. An example
 * whose <d, d> more than doubled since its last visit gets smaller steps from then on, which slowly
 * grow again.
 *
 * Few examples carry most of the remaining work. An epoch is therefore made of sweeps, and a sweep
 * leaves out the examples that hardly moved at their last visit: those whose |d|, divided by the
 * root of their number of scores and growing with the number of sweeps since, is below the mean.
 * The epoch ends once it has visited as many scores as the data has. To reach an objective within
 * 1e-4 this takes four fifths of the visits for chunking and tagging, and half for names:
 * docs/decisions/stochastic.md.
 *
 * With an l1 penalty (1) does not hold, and with a weak l2 penalty it converges slowly. Each epoch
 * then works on F + pull/2 |w - y|^2 around a centre y. The centre moves to w, and near the end
 * beyond it, whenever F has fallen since its last move: the over-relaxed proximal point method.
 * With q = l2 + pull, and S the soft threshold that moves a number towards 0 by l1/q,
 *     v = ( pull y - sum_i X_i' a_i ) / q,     w = S(v)                             (2)
 * replaces (1). Steps change v, with q in place of l2, and w is recomputed.
 *
 * Examples are visited in minibatches (minibatch.h). rho is measured on the changes of a whole
 * minibatch, before the next one reads the weights, and is used from the one after that.
 *
 * Two cases do not fit (1) and get the full variance-reduced step of SAGA [2],
 *     w_k = w_k - b/l2 ( (X_i' d)_k + 1/N (gradient of F by the a_i and w)_k )
 * First, common weights without a penalty: the gradient is sum_i a_i, kept in `total`. Second, a
 * start w0 that is not the mean: with a_i = 0 the gradient is l2 (w0 - mean), for all weights, and
 * each step leaves 1 - b/N of it. It stays a multiple p of `away` = w0 - mean, and a row of
 * weights that was last touched at p' catches up by w += (p - p') away.
 *
 * [1] Shalev-Shwartz. SDCA without duality, regularization, and individual convexity. 2016.
 * [2] Defazio, Bach, Lacoste-Julien. SAGA. NIPS 2014. */

#include "optim/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/kernels.h"
#include "math/vector.h"
#include "optim/minibatch.h"
#include "optim/rows.h"

enum {
    MEASURED_FIRST = 32, /* the first minibatches are all measured, */
    MEASURED_EVERY = 32, /* later one of this many */
    MOST_SKIPPED = 4,    /* sweeps that may leave out an example in a row */
};
#define FADING 0.99         /* factor of old measurements with each new one */
#define CAUTION 0.85        /* factor of the caution after an epoch in which the objective rose */
#define RECOVERY 1.2        /* factor of the caution after an epoch in which it fell */
#define CENTRE_PULL 0.1     /* pull to the centre, as a share of |X|^2 */
#define WEAK_L2 0.025       /* an l2 penalty below this share of |X|^2 needs a centre */
#define LEAST_CURVATURE 0.2 /* added to the curvature, which is at most 1/4 */
#define OVER_RELAXATION 1.7 /* of the move of the centre, once the estimate has settled */
#define OSCILLATES 2        /* factor of <d, d> above which an example oscillates */
#define DAMPED 0.7F         /* factor of its step after that, */
#define UNDAMPED 1.1F       /* and otherwise */
#define LEAST_STEP 0.02F
#define NEAR 1e-3     /* relative change of the estimate below which F is evaluated */
#define DIVERGED 0.05 /* relative distance above the best objective */

/* The state of the run; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t minibatches; /* of all sweeps */
    uint64_t passes;
    uint64_t settled;      /* 1: the objective of the epoch before was evaluated */
    uint64_t still;        /* 1: no weight changed in it */
    double curved, length; /* rho / |X|^2 is curved / length; length 0: not measured yet */
    double caution, most;  /* most: the limit of its recovery */
    double last, least;    /* the objective of the epoch before, and of the best one */
    double left;           /* p: the share left of the way from the start to the mean */
    double centred;        /* the objective at the last move of the centre */
} sdca_state;

/* The last visit of an example. */
typedef struct {
    double loss;
    float square; /* <d, d>; INFINITY before the first visit */
    float part;   /* factor of its next step */
    uint64_t age; /* sweeps since that left it out */
} sdca_record;

/* An example of the minibatch. */
typedef struct {
    size_t i;
    double *move; /* [scores] r, then b d */
    double *pull; /* [common] the same for the common weights */
    double b, square, length;
    bool fine;           /* false: numbers overflowed, and its step is skipped */
    double curved, size; /* measured: -<d, r' - r> / b, and <d, d> |X|^2 */
} sdca_visit;

/* Scratch memory of a thread. */
typedef struct {
    double *s, *g; /* [scores], [common] residuals of a measurement */
    struct {       /* the rows of the thread's part, for the current example and the next */
        size_t *start;
        uint32_t *id;
        float *value;
    } own[2];
} sdca_scratch;

typedef struct {
    cau_online_problem problem;
    double share; /* 0: adaptive */
    cau_minibatch batch;
    sdca_state at;
    size_t n;
    double *w;            /* [n] */
    double q;             /* l2 + pull */
    double soft;          /* l1 / q */
    double *v;            /* [n] see (2); NULL without a centre */
    double *centre;       /* [n] y; NULL without a centre */
    size_t *first;        /* [examples + 1] into table */
    float *table;         /* a: residuals of the scores, example after example */
    float *common;        /* [examples][common] a: those of the common weights */
    sdca_record *records; /* [examples] */
    double *total;        /* [common] sum of `common` over the examples */
    double *away;         /* [n] start - mean; NULL: it is 0 */
    double *seen;         /* [rows] p when the row was last brought up to date; NULL without away */

    uint32_t *order;       /* [examples] the examples of the sweep come first */
    double left[2];        /* p before a minibatch of the sweep, by its parity */
    bool moved;            /* whether a weight changed in this epoch */
    sdca_visit *visits;    /* [examples of a minibatch] */
    sdca_scratch *scratch; /* [threads] */
    double *memory;        /* of visits and scratch */
    size_t *starts;
    uint32_t *ids;
    float *values;
} sdca;

/* ---- a sweep --------------------------------------------------------------------------- */

static void example_of(const sdca *o, unsigned worker, size_t i, cau_example *e)
{
    o->problem.example(cau_rows_self(&o->problem, worker), i, e);
}

/* |X|^2: the mean over groups of the sum of squared values, and 1 for the common weight. */
static double squared_length(const cau_online_problem *p, const cau_example *e)
{
    const size_t begin = e->start[0], end = e->start[e->groups];
    double sum = 0;
    if (e->value)
        for (size_t i = begin; i < end; i++) sum += (double)e->value[i] * (double)e->value[i];
    else
        sum = (double)(end - begin);
    return sum / (double)(e->groups ? e->groups : 1) + (p->common > 0);
}

/* b */
static double share_of(const sdca *o, double length)
{
    if (o->share > 0) return o->share;
    const double measured = o->at.length > 0 ? o->at.curved / o->at.length : 1 / o->q;
    return o->at.caution / (1 + fmax(measured, 0) * length);
}

/* Whether minibatch k is measured. */
static bool is_measured(const void *self, size_t k)
{
    const sdca *o = self;
    const uint64_t number = o->at.minibatches + k;
    return o->share == 0 && (number < MEASURED_FIRST || number % MEASURED_EVERY == 0);
}

/* The factor of the step at the next visit of an example. */
static float next_part(const sdca_record *r, double square)
{
    const bool oscillates = square > OSCILLATES * (double)r->square;
    return fminf(fmaxf(r->part * (oscillates ? DAMPED : UNDAMPED), LEAST_STEP), 1);
}

/* Computes the step of an example. */
static caucus_status compute(void *self, unsigned worker, size_t at, size_t slot)
{
    sdca *o = self;
    const cau_online_problem *p = &o->problem;
    const cau_kernels *kernels = cau_kernels_get();
    sdca_visit *v = &o->visits[slot];
    double loss;
    cau_example e;
    v->i = o->order[at];
    v->fine = false;
    v->square = v->b = 0;
    example_of(o, worker, v->i, &e);
    caucus_status st = cau_rows_residuals(p, worker, v->i, &e, o->w, v->move, v->pull, &loss);
    if (st) return st;

    sdca_record *r = &o->records[v->i];
    float *a = o->table + o->first[v->i];
    v->length =
        squared_length(p, &e) * (LEAST_CURVATURE + kernels->curvature(e.scores, v->move, a));
    v->b = share_of(o, v->length) * (double)r->part;
    v->square = kernels->approach(e.scores, v->b, v->move, a, v->move);
    v->square += kernels->approach(p->common, v->b, v->pull, o->common + v->i * p->common, v->pull);
    v->fine = sqrt(v->square) / o->q < CAU_ROWS_LARGEST;
    const double square = v->square / (v->b * v->b);
    *r = (sdca_record){
        .square = (float)square, .part = o->share == 0 ? next_part(r, square) : 1, .loss = loss};
    if (!v->fine) return CAUCUS_ERR_NUMERIC;
    return CAUCUS_OK;
}

/* Measures how the updates of its minibatch changed the residuals of an example. They were
 * r = a - b d + d before, where a is the present value. */
static caucus_status measure(void *self, unsigned worker, size_t slot)
{
    sdca *o = self;
    sdca_visit *v = &o->visits[slot];
    const cau_online_problem *p = &o->problem;
    const sdca_scratch *h = &o->scratch[worker];
    const float *a = o->table + o->first[v->i], *c = o->common + v->i * p->common;
    const double more = 1 / v->b - 1;
    double loss, change = 0;
    cau_example e;
    v->curved = v->size = 0;
    if (!v->fine || v->square == 0) return CAUCUS_OK;
    example_of(o, worker, v->i, &e);
    caucus_status st = cau_rows_residuals(p, worker, v->i, &e, o->w, h->s, h->g, &loss);
    if (st) return st;
    for (size_t j = 0; j < e.scores; j++)
        change -= v->move[j] * (h->s[j] - (double)a[j] - more * v->move[j]);
    for (size_t j = 0; j < p->common; j++)
        change -= v->pull[j] * (h->g[j] - (double)c[j] - more * v->pull[j]);
    v->curved = change / (v->b * v->b);
    v->size = v->square / (v->b * v->b) * v->length;
    return CAUCUS_OK;
}

/* Adds the measurements of minibatch k, during the updates of the next one or at the end. */
static void add_measurements(sdca *o, size_t k)
{
    double curved = 0, size = 0;
    if (!is_measured(o, k)) return;
    for (size_t slot = 0; slot < cau_minibatch_examples(&o->batch, k); slot++) {
        curved += o->visits[slot].curved;
        size += o->visits[slot].size;
    }
    if (!isfinite(curved) || !isfinite(size) || size == 0) return;
    o->at.curved = FADING * o->at.curved + curved;
    o->at.length = FADING * o->at.length + size;
}

/* p after the step of an example. */
static double left_after(const sdca *o, double left, const sdca_visit *v)
{
    return v->fine ? left * (1 - v->b / (double)o->problem.examples) : left;
}

/* w = S(v), for w[at .. at + count - 1]. */
static void threshold_weights(sdca *o, size_t at, size_t count)
{
    if (!o->v) return;
    for (size_t j = at; j < at + count; j++) {
        const double size = fabs(o->v[j]) - o->soft;
        o->w[j] = size > 0 ? copysign(size, o->v[j]) : 0;
    }
}

/* Updates the common weights, and the sums over the examples of the minibatch. */
static void update_common(sdca *o, size_t k)
{
    const cau_online_problem *p = &o->problem;
    const size_t at = cau_rows_common(p);
    const double rate = 1 / o->q;
    double *w = (o->v && p->common_penalised ? o->v : o->w) + at, left = o->left[k % 2];
    for (size_t slot = 0; slot < cau_minibatch_examples(&o->batch, k); slot++) {
        const sdca_visit *v = &o->visits[slot];
        const double before = left;
        left = left_after(o, left, v);
        if (!v->fine) continue;
        if (v->square > 0) o->moved = true;
        for (size_t j = 0; j < p->common; j++) w[j] -= rate * v->pull[j];
        if (!p->common_penalised) {
            const double share = v->b / (double)p->examples * rate;
            for (size_t j = 0; j < p->common; j++) {
                w[j] -= p->fixed && p->fixed[at + j] ? 0 : share * o->total[j];
                o->total[j] += v->pull[j];
            }
        } else if (o->away) {
            for (size_t j = 0; j < p->common; j++)
                w[j] += p->fixed && p->fixed[at + j] ? 0 : (left - before) * o->away[at + j];
        }
    }
    if (p->common_penalised) threshold_weights(o, at, p->common);
    o->left[(k + 1) % 2] = left;
    if (k > 0) add_measurements(o, k - 1);
}

/* The rows of example i that belong to a part. The result is valid until the call after the next.
 */
static cau_example own_rows(const sdca *o, unsigned worker, size_t i, size_t turn, unsigned part)
{
    const cau_online_problem *p = &o->problem;
    const sdca_scratch *h = &o->scratch[worker];
    size_t *start = h->own[turn % 2].start, n = 0;
    uint32_t *id = h->own[turn % 2].id;
    float *value = h->own[turn % 2].value;
    cau_example e;
    example_of(o, worker, i, &e);
    if (o->batch.parts == 1) return e;
    for (size_t g = 0; g < e.groups; g++) {
        start[g] = n;
        for (size_t k = e.start[g]; k < e.start[g + 1]; k++) {
            id[n] = e.id[k];
            if (e.value) value[n] = e.value[k];
            n += cau_minibatch_owns(&o->batch, e.id[k], part);
        }
    }
    start[e.groups] = n;
    e.start = start;
    e.id = id;
    e.value = e.value ? value : NULL;
    cau_rows_prefetch(p, &e, o->w);
    return e;
}

/* Brings a row up to date with p = left. */
static void catch_up(sdca *o, uint32_t k, double left)
{
    const double change = left - o->seen[k];
    if (change == 0) return;
    const cau_weight_row row = cau_weight_row_of(&o->problem, k);
    for (size_t j = row.at; j < row.at + row.count; j++) o->w[j] += change * o->away[j];
    o->seen[k] = left;
}

/* Updates the rows of one part, and brings the rows of the next minibatch up to date. */
static caucus_status update_rows(sdca *o, unsigned worker, size_t k, unsigned part)
{
    const cau_online_problem *p = &o->problem;
    const size_t visits = cau_minibatch_examples(&o->batch, k), round = o->batch.size;
    const size_t next = (k + 1) * round;
    caucus_status st = CAUCUS_OK;
    double left = o->left[k % 2];
    cau_example e = own_rows(o, worker, o->visits[0].i, 0, part);
    for (size_t slot = 0; slot < visits; slot++) {
        const sdca_visit *v = &o->visits[slot];
        const cau_example now = e;
        if (slot + 1 < visits) e = own_rows(o, worker, v[1].i, slot + 1, part);
        left = left_after(o, left, v);
        if (!v->fine) continue;
        if (!cau_rows_add(p, &now, -1 / o->q, v->move, o->v ? o->v : o->w)) st = CAUCUS_ERR_NUMERIC;
        for (size_t i = now.start[0]; o->v && i < now.start[now.groups]; i++) {
            const cau_weight_row row = cau_weight_row_of(p, now.id[i]);
            threshold_weights(o, row.at, row.count);
        }
    }
    for (size_t at = next; o->away && at < next + round && at < o->batch.count; at++) {
        e = own_rows(o, worker, o->order[at], at, part);
        for (size_t i = e.start[0]; i < e.start[e.groups]; i++) catch_up(o, e.id[i], left);
    }
    return st;
}

static caucus_status update(void *self, unsigned worker, size_t k, unsigned part)
{
    sdca *o = self;
    if (part < o->batch.parts) return update_rows(o, worker, k, part);
    update_common(o, k);
    return CAUCUS_OK;
}

static size_t score_count(const sdca *o, size_t i)
{
    return o->first[i + 1] - o->first[i];
}

/* The mean of |d| divided by the root of the number of scores. */
static double mean_distance(const sdca *o)
{
    const size_t N = o->problem.examples;
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += sqrt((double)o->records[i].square * (double)score_count(o, i));
    return sum / (double)o->first[N];
}

/* Whether the next sweep visits an example. */
static bool is_due(const sdca *o, size_t i, double mean)
{
    const sdca_record *r = &o->records[i];
    const double least = mean * mean * (double)score_count(o, i);
    return o->share > 0 || r->age == MOST_SKIPPED ||
           !((double)r->square * (double)(1 + r->age) < least);
}

/* Makes a random order of the examples that are due, with the longest of each minibatch first, so
 * that threads finish together. Returns the number of their scores. */
static size_t make_order(sdca *o)
{
    const double mean = mean_distance(o);
    size_t size = 0;
    cau_rows_order(&o->problem, &o->at.rng, o->order);
    o->batch.count = 0;
    for (size_t k = 0; k < o->problem.examples; k++) {
        const uint32_t i = o->order[k];
        if (is_due(o, i, mean)) {
            o->order[o->batch.count++] = i;
            size += score_count(o, i);
        } else {
            o->records[i].age++;
        }
    }
    cau_minibatch_sort(&o->batch, o->batch.count, o->first, o->order);
    return size;
}

/* ---- the solver ----------------------------------------------------------------------- */

/* The number of penalised weights; they come first. */
static size_t count_penalised(const sdca *o)
{
    return o->problem.common_penalised ? o->n : cau_rows_common(&o->problem);
}

/* l1 |w| + l2/2 |w - mean|^2 */
static double penalty(const sdca *o)
{
    const cau_online_problem *p = &o->problem;
    const size_t end = count_penalised(o);
    double sum = 0, sizes = 0;
    for (size_t k = 0; k < end; k++) {
        const double u = o->w[k] - (p->mean ? p->mean[k] : 0);
        sum += u * u;
    }
    for (size_t k = 0; k < end && p->l1 > 0; k++) sizes += fabs(o->w[k]);
    return 0.5 * p->l2 * sum + p->l1 * sizes;
}

/* Moves the centre if F has fallen, or if no weight changed, and v and w with it. Otherwise raises
 * the old value of F, which is an estimate and may have been too low. */
static void move_centre(sdca *o)
{
    sdca_state *at = &o->at;
    const double part = 1 - o->problem.l2 / o->q, relaxation = at->settled ? OVER_RELAXATION : 1;
    const size_t end = count_penalised(o);
    if (!o->v || at->passes == 0) return;
    if (at->last >= at->centred && !at->still) {
        at->centred += (at->last - at->centred) / 2;
        return;
    }
    at->centred = at->last;
    for (size_t k = 0; k < end; k++) {
        const double by = relaxation * (o->w[k] - o->centre[k]);
        o->v[k] += part * by;
        o->centre[k] += by;
    }
    threshold_weights(o, 0, end);
}

/* Sets the caution of the next epoch from the objective of this one. */
static void adapt_caution(sdca *o, double f)
{
    sdca_state *at = &o->at;
    if (f > at->least + DIVERGED * fabs(at->least)) {
        at->caution = at->most = at->caution / 2;
        at->least = f; /* the old value was an estimate and may have been too low */
    } else if (f > at->last) {
        at->caution *= CAUTION;
    } else {
        at->caution = fmin(at->most, at->caution * RECOVERY);
    }
    at->last = f;
    at->least = fmin(at->least, f);
}

/* One sweep over the examples of the order. Each minibatch first computes its steps, which reads w,
 * then updates w, and some minibatches are then measured. */
static caucus_status run_sweep(sdca *o)
{
    o->left[0] = o->at.left;
    caucus_status st = cau_minibatch_run(&o->batch, o->batch.count);
    const size_t rounds = cau_minibatch_count(&o->batch);
    add_measurements(o, rounds - 1);
    o->at.minibatches += rounds;
    o->at.left = o->left[rounds % 2];
    return st;
}

/* One epoch. */
static caucus_status step(void *solver, cau_iterate *it)
{
    sdca *o = solver;
    const size_t N = o->problem.examples;
    caucus_status st = CAUCUS_OK;
    o->moved = false;
    move_centre(o);
    for (size_t visited = 0; visited < o->first[N] && !st;) {
        visited += make_order(o);
        if (o->batch.count) st = run_sweep(o);
    }
    if (o->away)
        for (size_t k = 0; k < cau_rows_count(&o->problem); k++)
            catch_up(o, (uint32_t)k, o->at.left);
    if (st) return st;

    const double rest = penalty(o);
    double f = rest;
    for (size_t i = 0; i < N; i++) f += o->records[i].loss;
    if (!isfinite(f)) return CAUCUS_ERR_NUMERIC;
    const bool near = o->problem.loss && fabs(o->at.last - f) < NEAR * fabs(f);
    adapt_caution(o, f);
    o->at.settled = near;
    o->at.passes++;
    if (near) {
        st = o->problem.loss(o->problem.self, o->w, &f);
        if (st) return st;
        f += rest;
        o->at.passes++;
    }
    const bool again = o->v && !o->at.still; /* another epoch around a new centre */
    o->at.still = !o->moved;
    *it = (cau_iterate){.f = f,
                        .gnorm = NAN,
                        .wnorm = cau_vector_norm(o->batch.threads, o->n, o->w),
                        .passes = (size_t)o->at.passes,
                        .exhausted = !o->moved && !again,
                        .estimate = !near};
    return CAUCUS_OK;
}

static const double *weights(const void *solver)
{
    const sdca *o = solver;
    return o->w;
}

static size_t state(void *solver, cau_blob *blobs)
{
    sdca *o = solver;
    const cau_online_problem *p = &o->problem;
    size_t count = 0;
    blobs[count++] = cau_blob_of("progress", &o->at, sizeof o->at);
    blobs[count++] = cau_blob_of("weights", o->w, o->n * sizeof *o->w);
    if (o->v) blobs[count++] = cau_blob_of("values", o->v, o->n * sizeof *o->v);
    if (o->v) blobs[count++] = cau_blob_of("centre", o->centre, o->n * sizeof *o->centre);
    blobs[count++] = cau_blob_of("residuals", o->table, o->first[p->examples] * sizeof *o->table);
    blobs[count++] = cau_blob_of("common", o->common, p->examples * p->common * sizeof *o->common);
    blobs[count++] = cau_blob_of("records", o->records, p->examples * sizeof *o->records);
    blobs[count++] = cau_blob_of("total", o->total, p->common * sizeof *o->total);
    if (!o->away) return count;
    blobs[count++] = cau_blob_of("away", o->away, o->n * sizeof *o->away);
    blobs[count++] = cau_blob_of("seen", o->seen, cau_rows_count(p) * sizeof *o->seen);
    return count;
}

static void sdca_free(void *solver)
{
    sdca *o = solver;
    if (!o) return;
    free(o->w);
    free(o->v);
    free(o->centre);
    free(o->first);
    free(o->table);
    free(o->common);
    free(o->records);
    free(o->total);
    free(o->away);
    free(o->seen);
    free(o->order);
    free(o->visits);
    free(o->scratch);
    free(o->memory);
    free(o->starts);
    free(o->ids);
    free(o->values);
    free(o);
}

static const cau_solver_ops sdca_ops = {"sdca", step, weights, state, sdca_free};

/* Starts with a centre: v and y such that (2) holds while all a are 0. */
static caucus_status allocate_centre(sdca *o, const double *w)
{
    const double pull = o->q - o->problem.l2;
    const size_t end = count_penalised(o);
    o->v = cau_vector_by(o->batch.threads, o->n, sizeof *o->v);
    o->centre = cau_vector_by(o->batch.threads, o->n, sizeof *o->centre);
    if (!o->v || !o->centre) return CAUCUS_ERR_MEMORY;
    for (size_t k = 0; k < end; k++) {
        o->v[k] = w[k] == 0 ? 0 : w[k] + copysign(o->soft, w[k]);
        o->centre[k] = o->q / pull * o->v[k];
    }
    return CAUCUS_OK;
}

/* Keeps the difference between the start and the mean, unless it is 0. */
static caucus_status allocate_start(sdca *o, const double *w)
{
    const cau_online_problem *p = &o->problem;
    const size_t end = count_penalised(o);
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

/* Sizes of visits and scratch memory. */
typedef struct {
    size_t scores, common; /* padded */
    size_t groups, entries;
    size_t numbers; /* all together */
} sdca_sizes;

/* False on overflow. */
static bool find_sizes(const cau_online_problem *p, size_t minibatch, size_t threads,
                       sdca_sizes *out)
{
    const cau_rows_most most = cau_rows_largest(p);
    sdca_sizes r = {.scores = (most.scores + 7) / 8 * 8,
                    .common = (p->common + 7) / 8 * 8,
                    .entries = most.entries,
                    .groups = most.groups};
    if (!cau_size_mul(r.scores + r.common, minibatch + threads, &r.numbers)) return false;
    *out = r;
    return true;
}

/* The mean of |X|^2. */
static double mean_length(const cau_online_problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        sum += squared_length(p, &e);
    }
    return sum / (double)p->examples;
}

/* q; more than l2 if a centre is needed. */
static double choose_q(const cau_online_problem *p)
{
    const double length = mean_length(p);
    const bool centred = p->l1 > 0 || (p->l2 < WEAK_L2 * length && !p->mean);
    return p->l2 + (centred ? CENTRE_PULL * length : 0);
}

/* Takes the next `count` numbers of the memory. */
static double *take_numbers(double **memory, size_t count)
{
    double *at = *memory;
    *memory += count;
    return at;
}

static caucus_status allocate(sdca *o)
{
    const cau_online_problem *p = &o->problem;
    sdca_sizes r;
    size_t common;
    o->first = cau_alloc(p->examples + 1, sizeof *o->first);
    if (!o->first || !find_sizes(p, o->batch.size, o->batch.threads, &r) ||
        !cau_size_mul(p->examples, p->common, &common))
        return CAUCUS_ERR_MEMORY;
    const size_t scores = cau_rows_first(p, o->first);
    if (scores == SIZE_MAX) return CAUCUS_ERR_MEMORY;

    o->w = cau_vector_by(o->batch.threads, o->n, sizeof *o->w);
    o->table = cau_vector_by(o->batch.threads, scores, sizeof *o->table);
    o->common = cau_vector_by(o->batch.threads, common, sizeof *o->common);
    o->records = cau_alloc(p->examples, sizeof *o->records);
    o->total = cau_vector(p->common, sizeof *o->total);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->visits = cau_calloc(o->batch.size, sizeof *o->visits);
    o->scratch = cau_calloc(o->batch.threads, sizeof *o->scratch);
    o->memory = cau_vector(r.numbers, sizeof *o->memory);
    o->starts = cau_alloc(2 * o->batch.threads * (r.groups + 1), sizeof *o->starts);
    o->ids = cau_alloc(2 * o->batch.threads * (r.entries + 1), sizeof *o->ids);
    o->values = cau_alloc(2 * o->batch.threads * (r.entries + 1), sizeof *o->values);
    if (!o->w || !o->table || !o->common || !o->records || !o->total || !o->order || !o->visits ||
        !o->scratch || !o->memory || !o->starts || !o->ids || !o->values)
        return CAUCUS_ERR_MEMORY;

    for (size_t i = 0; i < p->examples; i++)
        o->records[i] = (sdca_record){.square = INFINITY, .part = 1};
    double *memory = o->memory;
    for (size_t i = 0; i < o->batch.size; i++)
        o->visits[i] = (sdca_visit){.move = take_numbers(&memory, r.scores),
                                    .pull = take_numbers(&memory, r.common)};
    for (size_t i = 0; i < o->batch.threads; i++) {
        sdca_scratch *h = &o->scratch[i];
        h->s = take_numbers(&memory, r.scores);
        h->g = take_numbers(&memory, r.common);
        for (size_t turn = 0; turn < 2; turn++) {
            h->own[turn].start = o->starts + (2 * i + turn) * (r.groups + 1);
            h->own[turn].id = o->ids + (2 * i + turn) * (r.entries + 1);
            h->own[turn].value = o->values + (2 * i + turn) * (r.entries + 1);
        }
    }
    return CAUCUS_OK;
}

caucus_status cau_sdca_new(caucus_ctx *ctx, const cau_online_problem *problem,
                           const cau_sdca_options *options, const double *w, cau_solver *out)
{
    size_t n;
    if (!cau_rows_check(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, cau_rows_count(problem));

    sdca *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->share = options->share;
    o->batch = (cau_minibatch){.size = options->minibatch,
                               .self = o,
                               .compute = compute,
                               .update = update,
                               .checks = is_measured,
                               .check = measure};
    cau_minibatch_init(&o->batch, problem);
    o->n = n;
    o->at.left = o->at.caution = o->at.most = 1;
    o->at.last = o->at.least = o->at.centred = INFINITY;
    cau_rng_init(&o->at.rng, options->seed);
    o->q = choose_q(problem);
    o->soft = problem->l1 / o->q;
    if (allocate(o) || (o->q > problem->l2 ? allocate_centre(o, w) : allocate_start(o, w))) {
        sdca_free(o);
        return cau_fail_memory(ctx, "the residuals of the solver");
    }
    cau_vector_copy(1, n, w, o->w);
    *out = (cau_solver){&sdca_ops, o};
    return CAUCUS_OK;
}

size_t cau_sdca_bytes(const cau_online_problem *problem)
{
    size_t n, common, bytes, more;
    const size_t per_example = sizeof(size_t) + sizeof(uint32_t) + sizeof(sdca_record);
    sdca_sizes r;
    if (!cau_rows_check(problem, &n)) return SIZE_MAX;
    const size_t scores = cau_rows_first(problem, NULL);
    if (scores == SIZE_MAX ||
        !find_sizes(problem, cau_minibatch_size(problem), problem->threads, &r) ||
        !cau_size_mul(problem->examples, problem->common, &common) ||
        !cau_size_add(scores, common, &more) || !cau_size_mul(more, sizeof(float), &more) ||
        !cau_size_mul(n, choose_q(problem) > problem->l2 ? 3 : 1, &n) ||
        !cau_size_add(n, r.numbers, &n) || !cau_size_mul(n, sizeof(double), &bytes) ||
        !cau_size_add(bytes, more, &bytes) ||
        !cau_size_add(bytes, problem->examples * per_example, &bytes))
        return SIZE_MAX;
    return bytes;
}
