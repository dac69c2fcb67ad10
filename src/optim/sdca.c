/* sdca.c - stochastic dual ascent, in the form that needs no dual.
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
 * counts; the latest count most. Between examples, rho is taken to be proportional to
 *     |X_i|^2 (0.2 + curvature of the loss along d)
 * with the mean squared length of their features and what their residuals tell of C: nothing bends
 * where the model is sure. The 0.2 is for what changes before the next visit. Before any
 * measurement, rho is that by l2.
 * That is right for an example by itself. Where examples share most of their weights they undo
 * each other's work, so b = caution / (1 + rho): the caution falls after an epoch in which the
 * objective rose, and recovers while it falls. And some examples are curved far more than most,
 * such as a sentence that repeats itself: they would swing to and fro, and disturb all others. An
 * example whose <d, d> has more than doubled since its last visit goes a smaller part of its way
 * from then on, and slowly a larger one again.
 *
 * Most of what is left to do is in few of the examples, so an epoch is made of sweeps, and a sweep
 * leaves out those that hardly moved when they were visited last: whose |d|, by the root of their
 * number of scores and growing with the sweeps since, is below the mean. It ends when as much was
 * visited as there is. To reach an objective within 1e-4 this takes four fifths of the visits for
 * chunking and tagging, and half for names: docs/decisions/stochastic.md.
 *
 * With an l1 penalty, or an l2 penalty that is weak, (1) is not there or is hard to keep. Then
 * each epoch works on F + pull/2 |w - y|^2 around a centre y, and the centre moves to w, and in the
 * end beyond it, when F has fallen since it moved last: the proximal point method, over-relaxed.
 * With q = l2 + pull, and S that brings a number nearer to 0 by l1/q,
 *     v = ( pull y - sum_i X_i' a_i ) / q,     w = S(v)                             (2)
 * in place of (1). Steps are those of v, with q in place of l2, and w follows.
 *
 * Examples are visited in rounds (rounds.h). rho is measured on what a whole round has changed,
 * before the next one looks, and counts from the one after that.
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

#include "optim/sdca.h"

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
    FIRST = 32, /* rounds that are all measured */
    EVERY = 32, /* later: one of every so many */
    OLD = 4,    /* sweeps that an example may be left out */
};
#define FADING 0.99  /* of the measurements, with each new one */
#define CAUTION 0.85 /* after an epoch in which the objective rose */
#define RECOVERY 1.2 /* after one in which it fell */
#define STRONG 0.1   /* pull, as a share of |X|^2, where there is a centre */
#define WEAK 0.025   /* an l2 penalty, by the same measure, that needs one */
#define LEVEL 0.2    /* of the curvature, which is 1/4 at most */
#define FURTHER 1.7  /* of the way to w that the centre goes, once things have settled */
#define SWING 2      /* times the last <d, d>, above which an example swings */
#define CALM 0.7F    /* of its way, after that */
#define TRUST 1.1F   /* of its way, otherwise */
#define LEAST 0.02F  /* that it goes in any case */
#define NEAR 1e-3    /* relative change of the estimate below which the objective is evaluated */
#define FAR 0.05     /* above the best objective, relative: it has gone wrong */

/* Where the run stands; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t rounds; /* of all sweeps */
    uint64_t passes;
    uint64_t settled;      /* 1: the objective of the epoch before was evaluated */
    uint64_t still;        /* 1: nothing moved in it */
    double curved, length; /* rho / |X|^2 is curved / length; length 0: not measured yet */
    double caution, most;  /* and the most that it may recover to */
    double last, least;    /* the objective of the epoch before, and of the best one */
    double left;           /* p, of the way from the start to the mean */
    double centred;        /* the objective when the centre moved last */
} progress;

/* What is known of an example from its last visit. */
typedef struct {
    double loss;
    float square; /* <d, d>; INFINITY before the first */
    float part;   /* of its way that it goes next time */
    uint64_t age; /* sweeps that have left it out since */
} record;

/* An example of the round. */
typedef struct {
    size_t i;
    double *move; /* [scores] r, then b d */
    double *pull; /* [common] the same of the common weights */
    double b, square, length;
    bool fine;           /* nothing went wrong; it stays where it is otherwise */
    double curved, size; /* what measuring it found: -<d, r' - r> / b, and <d, d> |X|^2 */
} visit;

/* What a thread has for itself. */
typedef struct {
    double *s, *g; /* [scores], [common] residuals when they are measured */
    struct {       /* the rows that are its own, of the example at hand and of the next */
        size_t *start;
        uint32_t *id;
        float *value;
    } own[2];
} hand;

typedef struct {
    cau_online_problem problem;
    double share; /* 0: measured */
    cau_minibatch rounds;
    progress at;
    size_t n;
    double *w;       /* [n] */
    double q;        /* l2 + pull */
    double soft;     /* l1 / q */
    double *v;       /* [n] what w comes from; NULL without a centre */
    double *centre;  /* [n] y; NULL where v is */
    size_t *first;   /* [examples + 1] into table */
    float *table;    /* a: residuals of the scores, example after example */
    float *common;   /* [examples][common] a: those of the common weights */
    record *records; /* [examples] */
    double *total;   /* [common] sum of these over the examples */
    double *away;    /* [n] start - mean; NULL: it is 0 */
    double *seen;    /* [rows] p when the row was last brought up to date; NULL without away */

    uint32_t *order; /* [examples] those of the sweep first, rounds.count */
    double left[2];  /* p before a round of the sweep, by its parity */
    bool moved;      /* whether anything did in this epoch */
    visit *visits;   /* [round] */
    hand *hands;     /* [threads] */
    double *memory;  /* of visits and hands */
    size_t *starts;
    uint32_t *ids;
    float *values;
} dual;

/* ---- a sweep --------------------------------------------------------------------------- */

static void example_of(const dual *o, unsigned worker, size_t i, cau_example *e)
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
static double share_of(const dual *o, double length)
{
    if (o->share > 0) return o->share;
    const double measured = o->at.length > 0 ? o->at.curved / o->at.length : 1 / o->q;
    return o->at.caution / (1 + fmax(measured, 0) * length);
}

/* Whether round k is measured. */
static bool is_measured(const void *self, size_t k)
{
    const dual *o = self;
    const uint64_t number = o->at.rounds + k;
    return o->share == 0 && (number < FIRST || number % EVERY == 0);
}

/* How far an example goes at its next visit. */
static float next_part(const record *r, double square)
{
    const bool swings = square > SWING * (double)r->square;
    return fminf(fmaxf(r->part * (swings ? CALM : TRUST), LEAST), 1);
}

/* Where an example stands, and where it goes. */
static caucus_status look(void *self, unsigned worker, size_t at, size_t slot)
{
    dual *o = self;
    const cau_online_problem *p = &o->problem;
    const cau_kernels *kernels = cau_kernels_get();
    visit *v = &o->visits[slot];
    double loss;
    cau_example e;
    v->i = o->order[at];
    v->fine = false;
    v->square = v->b = 0;
    example_of(o, worker, v->i, &e);
    caucus_status st = cau_rows_residuals(p, worker, v->i, &e, o->w, v->move, v->pull, &loss);
    if (st) return st;

    record *r = &o->records[v->i];
    float *a = o->table + o->first[v->i];
    v->length = squared_length(p, &e) * (LEVEL + kernels->curvature(e.scores, v->move, a));
    v->b = share_of(o, v->length) * (double)r->part;
    v->square = kernels->approach(e.scores, v->b, v->move, a, v->move);
    v->square += kernels->approach(p->common, v->b, v->pull, o->common + v->i * p->common, v->pull);
    v->fine = sqrt(v->square) / o->q < CAU_ROWS_LARGEST;
    const double square = v->square / (v->b * v->b);
    *r = (record){
        .square = (float)square, .part = o->share == 0 ? next_part(r, square) : 1, .loss = loss};
    if (!v->fine) return CAUCUS_ERR_NUMERIC;
    return CAUCUS_OK;
}

/* How the residuals of an example have changed with the moves of its round. Before they were
 * r = a - b d + d, where a is where the example is now. */
static caucus_status measure(void *self, unsigned worker, size_t slot)
{
    dual *o = self;
    visit *v = &o->visits[slot];
    const cau_online_problem *p = &o->problem;
    const hand *h = &o->hands[worker];
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

/* Takes what was measured of round k into account, while the next one moves or at the end. */
static void learn_curvature(dual *o, size_t k)
{
    double curved = 0, size = 0;
    if (!is_measured(o, k)) return;
    for (size_t slot = 0; slot < cau_minibatch_visits(&o->rounds, k); slot++) {
        curved += o->visits[slot].curved;
        size += o->visits[slot].size;
    }
    if (!isfinite(curved) || !isfinite(size) || size == 0) return;
    o->at.curved = FADING * o->at.curved + curved;
    o->at.length = FADING * o->at.length + size;
}

/* p after an example has gone b of its way. */
static double left_after(const dual *o, double left, const visit *v)
{
    return v->fine ? left * (1 - v->b / (double)o->problem.examples) : left;
}

/* w = S(v), for `count` weights from `at` on. */
static void follow(dual *o, size_t at, size_t count)
{
    if (!o->v) return;
    for (size_t j = at; j < at + count; j++) {
        const double size = fabs(o->v[j]) - o->soft;
        o->w[j] = size > 0 ? copysign(size, o->v[j]) : 0;
    }
}

/* The step of the common weights; the sums over the examples of the round. */
static void move_common(dual *o, size_t k)
{
    const cau_online_problem *p = &o->problem;
    const size_t at = cau_rows_common(p);
    const double rate = 1 / o->q;
    double *w = (o->v && p->common_penalised ? o->v : o->w) + at, left = o->left[k % 2];
    for (size_t slot = 0; slot < cau_minibatch_visits(&o->rounds, k); slot++) {
        const visit *v = &o->visits[slot];
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
    if (p->common_penalised) follow(o, at, p->common);
    o->left[(k + 1) % 2] = left;
    if (k > 0) learn_curvature(o, k - 1);
}

/* The rows of example i that belong to a part. The answer is valid until the next but one. */
static cau_example own_rows(const dual *o, unsigned worker, size_t i, size_t turn, unsigned part)
{
    const cau_online_problem *p = &o->problem;
    const hand *h = &o->hands[worker];
    size_t *start = h->own[turn % 2].start, n = 0;
    uint32_t *id = h->own[turn % 2].id;
    float *value = h->own[turn % 2].value;
    cau_example e;
    example_of(o, worker, i, &e);
    if (o->rounds.parts == 1) return e;
    for (size_t g = 0; g < e.groups; g++) {
        start[g] = n;
        for (size_t k = e.start[g]; k < e.start[g + 1]; k++) {
            id[n] = e.id[k];
            if (e.value) value[n] = e.value[k];
            n += cau_minibatch_own(&o->rounds, e.id[k], part);
        }
    }
    start[e.groups] = n;
    e.start = start;
    e.id = id;
    e.value = e.value ? value : NULL;
    cau_rows_prefetch(p, &e, o->w);
    return e;
}

/* Brings a row up to the present p. */
static void catch_up(dual *o, uint32_t k, double left)
{
    const double change = left - o->seen[k];
    if (change == 0) return;
    const cau_row row = cau_row_of(&o->problem, k);
    for (size_t j = row.at; j < row.at + row.count; j++) o->w[j] += change * o->away[j];
    o->seen[k] = left;
}

/* The steps of the rows of one part; and what they need to be looked at in the next round. */
static caucus_status move_rows(dual *o, unsigned worker, size_t k, unsigned part)
{
    const cau_online_problem *p = &o->problem;
    const size_t visits = cau_minibatch_visits(&o->rounds, k), round = o->rounds.round;
    const size_t next = (k + 1) * round;
    caucus_status st = CAUCUS_OK;
    double left = o->left[k % 2];
    cau_example e = own_rows(o, worker, o->visits[0].i, 0, part);
    for (size_t slot = 0; slot < visits; slot++) {
        const visit *v = &o->visits[slot];
        const cau_example now = e;
        if (slot + 1 < visits) e = own_rows(o, worker, v[1].i, slot + 1, part);
        left = left_after(o, left, v);
        if (!v->fine) continue;
        if (!cau_rows_add(p, &now, -1 / o->q, v->move, o->v ? o->v : o->w)) st = CAUCUS_ERR_NUMERIC;
        for (size_t i = now.start[0]; o->v && i < now.start[now.groups]; i++) {
            const cau_row row = cau_row_of(p, now.id[i]);
            follow(o, row.at, row.count);
        }
    }
    for (size_t at = next; o->away && at < next + round && at < o->rounds.count; at++) {
        e = own_rows(o, worker, o->order[at], at, part);
        for (size_t i = e.start[0]; i < e.start[e.groups]; i++) catch_up(o, e.id[i], left);
    }
    return st;
}

static caucus_status move(void *self, unsigned worker, size_t k, unsigned part)
{
    dual *o = self;
    if (part < o->rounds.parts) return move_rows(o, worker, k, part);
    move_common(o, k);
    return CAUCUS_OK;
}

static size_t size_of(const dual *o, size_t i)
{
    return o->first[i + 1] - o->first[i];
}

/* The mean of |d| by the root of the scores. */
static double mean_distance(const dual *o)
{
    const size_t N = o->problem.examples;
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += sqrt((double)o->records[i].square * (double)size_of(o, i));
    return sum / (double)o->first[N];
}

/* Whether an example is visited by the next sweep. */
static bool is_due(const dual *o, size_t i, double mean)
{
    const record *r = &o->records[i];
    const double least = mean * mean * (double)size_of(o, i);
    return o->share > 0 || r->age == OLD || !((double)r->square * (double)(1 + r->age) < least);
}

/* A random order of the examples that are due, with the longest ones of each round first, so that
 * threads end together. Returns their scores. */
static size_t make_order(dual *o)
{
    const double mean = mean_distance(o);
    size_t size = 0;
    cau_rows_order(&o->problem, &o->at.rng, o->order);
    o->rounds.count = 0;
    for (size_t k = 0; k < o->problem.examples; k++) {
        const uint32_t i = o->order[k];
        if (is_due(o, i, mean)) {
            o->order[o->rounds.count++] = i;
            size += size_of(o, i);
        } else {
            o->records[i].age++;
        }
    }
    cau_minibatch_sort(&o->rounds, o->rounds.count, o->first, o->order);
    return size;
}

/* ---- the solver ----------------------------------------------------------------------- */

/* How many weights have a penalty: the first of them. */
static size_t count_penalised(const dual *o)
{
    return o->problem.common_penalised ? o->n : cau_rows_common(&o->problem);
}

/* l1 |w| + l2/2 |w - mean|^2 */
static double penalty(const dual *o)
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

/* Moves the centre, if F has fallen or nothing else moves. v moves along, and w with it. What F was
 * is an estimate that may have been too low, and is believed less from epoch to epoch. */
static void move_centre(dual *o)
{
    progress *at = &o->at;
    const double part = 1 - o->problem.l2 / o->q, further = at->settled ? FURTHER : 1;
    const size_t end = count_penalised(o);
    if (!o->v || at->passes == 0) return;
    if (at->last >= at->centred && !at->still) {
        at->centred += (at->last - at->centred) / 2;
        return;
    }
    at->centred = at->last;
    for (size_t k = 0; k < end; k++) {
        const double by = further * (o->w[k] - o->centre[k]);
        o->v[k] += part * by;
        o->centre[k] += by;
    }
    follow(o, 0, end);
}

/* Chooses the caution of the next epoch from the objective of this one. */
static void adapt(dual *o, double f)
{
    progress *at = &o->at;
    if (f > at->least + FAR * fabs(at->least)) {
        at->caution = at->most = at->caution / 2;
        at->least = f; /* the one before was an estimate, and may have been too low */
    } else if (f > at->last) {
        at->caution *= CAUTION;
    } else {
        at->caution = fmin(at->most, at->caution * RECOVERY);
    }
    at->last = f;
    at->least = fmin(at->least, f);
}

/* One sweep over the examples of the order: for each round first the looks at its examples, which
 * read w; then the moves, which write it; then, of some rounds, a second look, which measures. */
static caucus_status run_sweep(dual *o)
{
    o->left[0] = o->at.left;
    caucus_status st = cau_minibatch_run(&o->rounds, o->rounds.count);
    const size_t rounds = cau_minibatch_count(&o->rounds);
    learn_curvature(o, rounds - 1);
    o->at.rounds += rounds;
    o->at.left = o->left[rounds % 2];
    return st;
}

/* An epoch. */
static caucus_status step(void *solver, cau_iterate *it)
{
    dual *o = solver;
    const size_t N = o->problem.examples;
    caucus_status st = CAUCUS_OK;
    o->moved = false;
    move_centre(o);
    for (size_t visited = 0; visited < o->first[N] && !st;) {
        visited += make_order(o);
        if (o->rounds.count) st = run_sweep(o);
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
    adapt(o, f);
    o->at.settled = near;
    o->at.passes++;
    if (near) {
        st = o->problem.loss(o->problem.self, o->w, &f);
        if (st) return st;
        f += rest;
        o->at.passes++;
    }
    const bool again = o->v && !o->at.still; /* once more, around another centre */
    o->at.still = !o->moved;
    *it = (cau_iterate){.f = f,
                        .gnorm = NAN,
                        .wnorm = cau_vector_norm(o->rounds.threads, o->n, o->w),
                        .passes = (size_t)o->at.passes,
                        .exhausted = !o->moved && !again,
                        .estimate = !near};
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
    if (o->v) blobs[count++] = (cau_blob){"values", o->v, o->n * sizeof *o->v};
    if (o->v) blobs[count++] = (cau_blob){"centre", o->centre, o->n * sizeof *o->centre};
    blobs[count++] = (cau_blob){"residuals", o->table, o->first[p->examples] * sizeof *o->table};
    blobs[count++] = (cau_blob){"common", o->common, p->examples * p->common * sizeof *o->common};
    blobs[count++] = (cau_blob){"records", o->records, p->examples * sizeof *o->records};
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
    free(o->hands);
    free(o->memory);
    free(o->starts);
    free(o->ids);
    free(o->values);
    free(o);
}

static const cau_solver_ops dual_ops = {"sdca", step, weights, state, dual_free};

/* The start with a centre: v and y such that (2) holds while all a are 0. */
static caucus_status allocate_centre(dual *o, const double *w)
{
    const double pull = o->q - o->problem.l2;
    const size_t end = count_penalised(o);
    o->v = cau_vector_by(o->rounds.threads, o->n, sizeof *o->v);
    o->centre = cau_vector_by(o->rounds.threads, o->n, sizeof *o->centre);
    if (!o->v || !o->centre) return CAUCUS_ERR_MEMORY;
    for (size_t k = 0; k < end; k++) {
        o->v[k] = w[k] == 0 ? 0 : w[k] + copysign(o->soft, w[k]);
        o->centre[k] = o->q / pull * o->v[k];
    }
    return CAUCUS_OK;
}

/* Keeps what the start is away from the mean, if it is. */
static caucus_status allocate_start(dual *o, const double *w)
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

/* Sizes of what visits and hands need; false when they do not fit. */
typedef struct {
    size_t scores, common; /* padded */
    size_t groups, entries;
    size_t numbers; /* of all together */
} room;

static bool measure_room(const cau_online_problem *p, size_t round, size_t threads, room *out)
{
    const cau_rows_most most = cau_rows_largest(p);
    room r = {.scores = (most.scores + 7) / 8 * 8,
              .common = (p->common + 7) / 8 * 8,
              .entries = most.entries,
              .groups = most.groups};
    if (!cau_size_mul(r.scores + r.common, round + threads, &r.numbers)) return false;
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

/* q; more than l2 where a centre is needed. */
static double choose_q(const cau_online_problem *p)
{
    const double length = mean_length(p);
    const bool centred = p->l1 > 0 || (p->l2 < WEAK * length && !p->mean);
    return p->l2 + (centred ? STRONG * length : 0);
}

/* The next `count` numbers. */
static double *take(double **memory, size_t count)
{
    double *at = *memory;
    *memory += count;
    return at;
}

static caucus_status allocate(dual *o)
{
    const cau_online_problem *p = &o->problem;
    room r;
    size_t common;
    o->first = cau_alloc(p->examples + 1, sizeof *o->first);
    if (!o->first || !measure_room(p, o->rounds.round, o->rounds.threads, &r) ||
        !cau_size_mul(p->examples, p->common, &common))
        return CAUCUS_ERR_MEMORY;
    const size_t scores = cau_rows_first(p, o->first);
    if (scores == SIZE_MAX) return CAUCUS_ERR_MEMORY;

    o->w = cau_vector_by(o->rounds.threads, o->n, sizeof *o->w);
    o->table = cau_vector_by(o->rounds.threads, scores, sizeof *o->table);
    o->common = cau_vector_by(o->rounds.threads, common, sizeof *o->common);
    o->records = cau_alloc(p->examples, sizeof *o->records);
    o->total = cau_vector(p->common, sizeof *o->total);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->visits = cau_calloc(o->rounds.round, sizeof *o->visits);
    o->hands = cau_calloc(o->rounds.threads, sizeof *o->hands);
    o->memory = cau_vector(r.numbers, sizeof *o->memory);
    o->starts = cau_alloc(2 * o->rounds.threads * (r.groups + 1), sizeof *o->starts);
    o->ids = cau_alloc(2 * o->rounds.threads * (r.entries + 1), sizeof *o->ids);
    o->values = cau_alloc(2 * o->rounds.threads * (r.entries + 1), sizeof *o->values);
    if (!o->w || !o->table || !o->common || !o->records || !o->total || !o->order || !o->visits ||
        !o->hands || !o->memory || !o->starts || !o->ids || !o->values)
        return CAUCUS_ERR_MEMORY;

    for (size_t i = 0; i < p->examples; i++)
        o->records[i] = (record){.square = INFINITY, .part = 1};
    double *memory = o->memory;
    for (size_t i = 0; i < o->rounds.round; i++)
        o->visits[i] = (visit){.move = take(&memory, r.scores), .pull = take(&memory, r.common)};
    for (size_t i = 0; i < o->rounds.threads; i++) {
        hand *h = &o->hands[i];
        h->s = take(&memory, r.scores);
        h->g = take(&memory, r.common);
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

    dual *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->share = options->share;
    o->rounds = (cau_minibatch){.round = options->round,
                                .self = o,
                                .look = look,
                                .move = move,
                                .wants = is_measured,
                                .check = measure};
    cau_minibatch_init(&o->rounds, problem);
    o->n = n;
    o->at.left = o->at.caution = o->at.most = 1;
    o->at.last = o->at.least = o->at.centred = INFINITY;
    cau_rng_init(&o->at.rng, options->seed);
    o->q = choose_q(problem);
    o->soft = problem->l1 / o->q;
    if (allocate(o) || (o->q > problem->l2 ? allocate_centre(o, w) : allocate_start(o, w))) {
        dual_free(o);
        return cau_fail_memory(ctx, "the residuals of the solver");
    }
    cau_vector_copy(1, n, w, o->w);
    *out = (cau_solver){&dual_ops, o};
    return CAUCUS_OK;
}

size_t cau_sdca_bytes(const cau_online_problem *problem)
{
    size_t n, common, bytes, more;
    const size_t per_example = sizeof(size_t) + sizeof(uint32_t) + sizeof(record);
    room r;
    if (!cau_rows_check(problem, &n)) return SIZE_MAX;
    const size_t scores = cau_rows_first(problem, NULL);
    if (scores == SIZE_MAX ||
        !measure_room(problem, cau_minibatch_size(problem), problem->threads, &r) ||
        !cau_size_mul(problem->examples, problem->common, &common) ||
        !cau_size_add(scores, common, &more) || !cau_size_mul(more, sizeof(float), &more) ||
        !cau_size_mul(n, choose_q(problem) > problem->l2 ? 3 : 1, &n) ||
        !cau_size_add(n, r.numbers, &n) || !cau_size_mul(n, sizeof(double), &bytes) ||
        !cau_size_add(bytes, more, &bytes) ||
        !cau_size_add(bytes, problem->examples * per_example, &bytes))
        return SIZE_MAX;
    return bytes;
}
