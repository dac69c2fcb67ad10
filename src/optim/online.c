/* online.c - SGD and AdaGrad with lazy penalties.
 *
 * Step t takes example i and updates every weight; the penalty is on u = w - mean:
 *     x    = u - h g                                g = d loss_i / d w
 *     u    = sgn(x) max(|x| - h l1/N, 0) / (1 + h l2/N)
 * This is the proximal step of the example's share of the penalty: it cannot overshoot and makes
 * weights exactly 0. The rate h is
 *     SGD      h = rate / (1 + max(rate l2, 0.1) t/N)          the same for all weights
 *     AdaGrad  h = rate / sqrt(sum of g^2 of this weight)      rate, before the first gradient
 *
 * An example touches few weights. For the others g = 0, and the missed shares of the penalty are
 * applied later in one proximal step, with m times the share:
 *     SGD      m = (sum of h over the missed steps) / h
 *     AdaGrad  m = the number of missed steps                  because its h has not changed
 * A row that missed more than 1/8 of an epoch takes this step before the gradient of its next
 * example is computed; otherwise the step is combined with that of the example. At the end of an
 * epoch all rows catch up.
 *
 * After a few epochs most positions of most sequences are labelled with high confidence and hardly
 * contribute to the gradient. They are thinned out (cau_rows_thin), which keeps the mean of g.
 *
 * Examples are visited in minibatches (minibatch.h): those of a minibatch see the same weights,
 * then their updates are applied one after the other.
 *
 * [1] Duchi, Hazan, Singer. Adaptive subgradient methods. JMLR 12, 2011. */

#include "optim/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/kernels.h"
#include "math/vector.h"
#include "optim/minibatch.h"
#include "optim/rows.h"

enum {
    EPOCH_PARTS = 8, /* a row that missed more than one of these parts catches up early */
    ROWS = 4096,     /* rows of a block that catches up */
};
#define NEAR 1e-3 /* relative change of the estimate below which the objective is evaluated */

/* The state of the run; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t steps;
    uint64_t passes;
    uint64_t salt; /* seeds the thinning */
    double rate;
    double last; /* the estimate of the epoch before */
} online_state;

typedef struct {
    cau_online_problem problem;
    cau_online_kind kind;
    cau_minibatch batch;
    online_state at;
    size_t n;       /* weights, including the common ones */
    double l1, l2;  /* the share of one example */
    double sure;    /* see the options */
    double *w;      /* [n] */
    double *square; /* [n] AdaGrad: sums of squared gradients; else NULL */

    uint32_t *time;          /* [rows] steps of this epoch whose penalty the row has taken */
    double *sums;            /* [examples + 1] SGD: partial sums of the rates; else NULL */
    size_t *first;           /* [examples + 1] see cau_rows_first */
    uint32_t *order;         /* [examples] */
    cau_gradients gradients; /* of the examples of a minibatch */
    double *losses;          /* [examples of a minibatch] NaN: no update */
    double loss;             /* of the epoch so far */
} online;

/* ---- the penalty ---------------------------------------------------------------------- */

/* The rate of the step after `steps`. */
static double schedule(const online *o, uint64_t steps)
{
    if (o->kind == CAU_ONLINE_ADAGRAD) return o->at.rate;
    const double epochs = (double)steps / (double)o->problem.examples;
    return o->at.rate / (1 + fmax(o->at.rate * o->problem.l2, 0.1) * epochs);
}

/* m: the shares of the penalty of steps then + 1 .. now of the epoch, at rate h. */
static double shares(const online *o, size_t then, size_t now, double h)
{
    return o->sums ? (o->sums[now] - o->sums[then]) / h : (double)(now - then);
}

/* Updates w[at .. at + count - 1] by the gradient g, which may be NULL, and m shares of the
 * penalty. False if a weight would not be finite. */
static bool descend(online *o, size_t at, size_t count, const double *g, double h, double m)
{
    const double *mean = m > 0 && o->problem.mean ? o->problem.mean + at : NULL;
    double *square = o->square ? o->square + at : NULL;
    return cau_kernels_get()->descend(count, h, m * o->l1, m * o->l2, g, mean, square, o->w + at);
}

/* Applies to a row the penalty of the steps up to `now` that it missed. */
static void catch_up(online *o, size_t k, size_t now)
{
    const size_t then = o->time[k];
    if (then == now) return;
    const cau_weight_row row = cau_weight_row_of(&o->problem, k);
    const double h = schedule(o, o->at.steps + now);
    descend(o, row.at, row.count, NULL, h, shares(o, then, now, h));
    o->time[k] = (uint32_t)now;
}

/* ---- one step ------------------------------------------------------------------------- */

/* Thins out the residuals of the example at position `at` of the epoch. The random numbers depend
 * on the number of the step alone. */
static void thin_residuals(const online *o, const cau_example *e, size_t at, double *r)
{
    const uint64_t step[2] = {o->at.salt, o->at.steps + at};
    cau_rng rng;
    if (o->sure == 0) return;
    cau_rng_init(&rng, cau_hash(step, sizeof step, 0));
    cau_rows_thin(&o->problem, e, o->sure, &rng, r);
}

/* Computes the gradient of an example. */
static caucus_status compute(void *self, unsigned worker, size_t at, size_t slot)
{
    online *o = self;
    const cau_online_problem *p = &o->problem;
    const size_t i = o->order[at];
    const struct cau_gradient *d = &o->gradients.of[slot];
    double loss;
    cau_example e;
    o->losses[slot] = NAN;
    p->example(cau_rows_self(p, worker), i, &e);
    caucus_status st = cau_rows_residuals(p, worker, i, &e, o->w, d->s, d->g, &loss);
    if (st) return st;
    thin_residuals(o, &e, at, d->s);
    st = cau_gradients_sum(&o->gradients, worker, slot, p, &e);
    if (st == CAUCUS_OK) o->losses[slot] = loss;
    return st;
}

/* Applies the update of an example, after `done` steps of the epoch, to one part of the rows. */
static bool update_rows(online *o, const cau_row_sums *sums, size_t done, unsigned part)
{
    const double h = schedule(o, o->at.steps + done);
    bool fine = true;
    for (size_t i = 0; i < sums->count; i++) {
        const uint32_t k = sums->row[i];
        if (!cau_minibatch_owns(&o->batch, k, part)) continue;
        const cau_weight_row row = cau_weight_row_of(&o->problem, k);
        const double m = shares(o, o->time[k], done + 1, h);
        fine &= descend(o, row.at, row.count, sums->g + sums->at[i], h, m);
        o->time[k] = (uint32_t)done + 1;
    }
    return fine;
}

/* The same for the common weights. */
static bool update_common(online *o, const double *g, size_t done)
{
    const cau_online_problem *p = &o->problem;
    const size_t at = cau_rows_common(p);
    const double h = schedule(o, o->at.steps + done);
    const bool fine = descend(o, at, p->common, g, h, p->common_penalised);
    for (size_t j = at; j < o->n && p->fixed; j++)
        if (p->fixed[j]) o->w[j] = 0; /* the penalty may pull it to its mean */
    return fine;
}

/* Before minibatch k, the rows of its examples that missed many steps catch up; one part. */
static void catch_up_early(online *o, unsigned worker, size_t k, unsigned part)
{
    const cau_online_problem *p = &o->problem;
    const size_t now = k * o->batch.size, many = p->examples / EPOCH_PARTS;
    for (size_t at = now; at < now + o->batch.size && at < o->batch.count; at++) {
        cau_example e;
        p->example(cau_rows_self(p, worker), o->order[at], &e);
        for (size_t i = e.start[0]; i < e.start[e.groups]; i++)
            if (cau_minibatch_owns(&o->batch, e.id[i], part) && now - o->time[e.id[i]] > many)
                catch_up(o, e.id[i], now); /* o->time of other parts may be changing */
    }
}

/* Applies the updates of minibatch k to one part of the rows, or to the common weights. */
static caucus_status update(void *self, unsigned worker, size_t k, unsigned part)
{
    online *o = self;
    bool fine = true;
    for (size_t slot = 0; slot < cau_minibatch_examples(&o->batch, k); slot++) {
        const struct cau_gradient *d = &o->gradients.of[slot];
        const size_t done = k * o->batch.size + slot;
        if (isnan(o->losses[slot])) continue;
        if (part < o->batch.parts) {
            fine &= update_rows(o, &d->sums, done, part);
            continue;
        }
        fine &= update_common(o, d->g, done);
        o->loss += o->losses[slot];
    }
    if (part < o->batch.parts) catch_up_early(o, worker, k + 1, part);
    return fine ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

/* Learns the first `count` examples in order. */
static caucus_status learn(online *o, size_t count)
{
    o->loss = 0;
    for (size_t t = 0; o->sums && t < count; t++)
        o->sums[t + 1] = o->sums[t] + schedule(o, o->at.steps + t);
    return cau_minibatch_run(&o->batch, count);
}

/* ---- choosing the rate ---------------------------------------------------------------- */

/* One example's share of the penalty of w[at .. at + count - 1]. */
static double penalty(const online *o, size_t at, size_t count)
{
    double sum = 0;
    for (size_t k = at; k < at + count; k++) {
        const double u = o->w[k] - (o->problem.mean ? o->problem.mean[k] : 0);
        sum += o->l1 * fabs(u) + 0.5 * o->l2 * u * u;
    }
    return sum;
}

typedef enum { COUNT_PENALTY, RESTORE } row_job;

/* For each row of the first `count` examples in order: counts its penalty once, or restores it
 * from `w`. Returns the sum of the penalties. */
static double visit_rows(online *o, size_t count, row_job job, const double *w)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        cau_example e;
        o->problem.example(o->problem.self, o->order[k], &e);
        for (size_t i = e.start[0]; i < e.start[e.groups]; i++) {
            const cau_weight_row row = cau_weight_row_of(&o->problem, e.id[i]);
            if (job == RESTORE) {
                if (o->time[e.id[i]] == 0) continue; /* unchanged, or restored already */
                memcpy(o->w + row.at, w + row.at, row.count * sizeof *w);
                if (o->square) memset(o->square + row.at, 0, row.count * sizeof *o->square);
                o->time[e.id[i]] = 0;
            } else if (o->time[e.id[i]] != UINT32_MAX) {
                catch_up(o, e.id[i], count);
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
} rate_trial;

typedef struct {
    online *o;
    double loss[CAU_RATE_SAMPLE];
} loss_job;

static caucus_status compute_loss(void *self, size_t k, unsigned worker)
{
    loss_job *l = self;
    const cau_online_problem *p = &l->o->problem;
    const struct cau_gradient *d = &l->o->gradients.of[worker];
    const uint32_t i = l->o->order[k];
    cau_example e;
    p->example(cau_rows_self(p, worker), i, &e);
    return cau_rows_residuals(p, worker, i, &e, l->o->w, d->s, d->g, &l->loss[k]);
}

/* Sets *f to the objective of the sample after one pass over it from w with this rate, or to
 * infinity if it is not finite. Restores the weights. */
static caucus_status try_rate(void *self, double rate, double *f)
{
    const rate_trial *trial = self;
    online *o = trial->o;
    const size_t count = trial->count;
    const double *w = trial->w;
    const size_t common = cau_rows_common(&o->problem), size = o->batch.size;
    const unsigned threads = o->batch.threads < size ? o->batch.threads : (unsigned)size;
    loss_job l = {.o = o};
    double sum = 0;
    *f = INFINITY;
    o->at.rate = rate;
    caucus_status st = learn(o, count);
    if (st == CAUCUS_OK) {
        sum = visit_rows(o, count, COUNT_PENALTY, w);
        if (o->problem.common_penalised) sum += penalty(o, common, o->problem.common);
        sum *= (double)count;
        st = cau_parallel(threads, count, compute_loss, &l);
    }
    for (size_t k = 0; k < count; k++) sum += l.loss[k];

    visit_rows(o, count, RESTORE, w);
    memcpy(o->w + common, w + common, o->problem.common * sizeof *w);
    if (o->square) memset(o->square + common, 0, o->problem.common * sizeof *o->square);
    if (!st && isfinite(sum)) *f = sum;
    return st == CAUCUS_ERR_NUMERIC ? CAUCUS_OK : st;
}

/* Chooses the rate by trials on a sample of the examples. */
static caucus_status choose_rate(online *o, const double *w, double *rate)
{
    const size_t examples = o->problem.examples;
    rate_trial sample = {o, examples < CAU_RATE_SAMPLE ? examples : CAU_RATE_SAMPLE, w};
    cau_rng rng = o->at.rng; /* a copy: the order of the epochs is the same with a given rate */
    cau_rows_order(&o->problem, &rng, o->order);
    return cau_rate_choose(try_rate, &sample, rate);
}

/* ---- the solver ----------------------------------------------------------------------- */

static caucus_status catch_up_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    online *o = self;
    const size_t rows = cau_rows_count(&o->problem), left = rows - block * ROWS;
    for (size_t k = block * ROWS; k < block * ROWS + (left < ROWS ? left : ROWS); k++) {
        catch_up(o, k, o->problem.examples);
        o->time[k] = 0;
    }
    return CAUCUS_OK;
}

/* Lets all rows catch up and resets their time. */
static void end_epoch(online *o)
{
    const size_t blocks = (cau_rows_count(&o->problem) + ROWS - 1) / ROWS;
    (void)cau_parallel(o->batch.threads, blocks, catch_up_block, o);
    o->at.steps += o->problem.examples;
}

static caucus_status step(void *solver, cau_iterate *it)
{
    online *o = solver;
    const cau_online_problem *p = &o->problem;
    cau_rows_order(p, &o->at.rng, o->order);
    cau_minibatch_sort(&o->batch, p->examples, o->first, o->order);
    caucus_status st = learn(o, p->examples);
    end_epoch(o);
    if (st) return st;

    const size_t penalised = p->common_penalised ? o->n : cau_rows_common(p);
    const double rest = (double)p->examples * penalty(o, 0, penalised);
    double f = o->loss + rest;
    const bool near = p->loss && (p->changing || fabs(o->at.last - f) < NEAR * fabs(f));
    o->at.last = f;
    o->at.passes += near ? 2 : 1; /* the epoch and the evaluation */
    if (near) st = p->loss(p->self, o->w, &f);
    if (near) f += rest;
    if (st == CAUCUS_OK && !isfinite(f)) st = CAUCUS_ERR_NUMERIC;
    if (st) return st;
    *it = (cau_iterate){.f = f,
                        .gnorm = NAN,
                        .wnorm = cau_vector_norm(o->batch.threads, o->n, o->w),
                        .passes = (size_t)o->at.passes,
                        .estimate = !near};
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
    blobs[0] = cau_blob_of("progress", &o->at, sizeof o->at);
    blobs[1] = cau_blob_of("weights", o->w, o->n * sizeof *o->w);
    if (!o->square) return 2;
    blobs[2] = cau_blob_of("squares", o->square, o->n * sizeof *o->square);
    return 3;
}

static void online_free(void *solver)
{
    online *o = solver;
    if (!o) return;
    free(o->w);
    free(o->square);
    free(o->time);
    free(o->sums);
    free(o->first);
    free(o->order);
    cau_gradients_clear(&o->gradients);
    free(o->losses);
    free(o);
}

static const cau_solver_ops sgd_ops = {"sgd", step, weights, state, online_free};
static const cau_solver_ops adagrad_ops = {"adagrad", step, weights, state, online_free};

static caucus_status allocate(online *o)
{
    const cau_online_problem *p = &o->problem;
    const bool sgd = o->kind == CAU_ONLINE_SGD;
    o->w = cau_vector(o->n, sizeof *o->w);
    if (sgd)
        o->sums = cau_calloc(p->examples + 1, sizeof *o->sums);
    else
        o->square = cau_vector(o->n, sizeof *o->square);
    o->time = cau_calloc(cau_rows_count(p), sizeof *o->time);
    o->first = cau_alloc(p->examples + 1, sizeof *o->first);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->losses = cau_alloc(o->batch.size, sizeof *o->losses);
    if (!o->w || (sgd ? !o->sums : !o->square) || !o->time || !o->first || !o->order || !o->losses)
        return CAUCUS_ERR_MEMORY;
    if (cau_rows_first(p, o->first) == SIZE_MAX) return CAUCUS_ERR_MEMORY;
    return cau_gradients_init(&o->gradients, p, o->batch.size, o->batch.threads);
}

caucus_status cau_online_new(caucus_ctx *ctx, const cau_online_problem *problem,
                             const cau_online_options *options, const double *w, cau_solver *out)
{
    size_t n;
    if (!cau_rows_check(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, cau_rows_count(problem));

    online *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->kind = options->kind;
    o->n = n;
    o->l1 = problem->l1 / (double)problem->examples;
    o->l2 = problem->l2 / (double)problem->examples;
    o->batch = (cau_minibatch){
        .size = options->minibatch, .self = o, .compute = compute, .update = update};
    cau_minibatch_init(&o->batch, problem);
    cau_rng_init(&o->at.rng, options->seed);
    o->at.salt = options->seed;
    o->sure = options->sure;
    caucus_status st = CAUCUS_OK;
    if (allocate(o)) TRY(cau_fail_memory(ctx, "the weights of the solver"));
    cau_vector_copy(1, n, w, o->w);
    o->at.rate = options->rate;
    o->at.last = INFINITY;
    if (options->rate == 0 && choose_rate(o, w, &o->at.rate))
        TRY(cau_fail_memory(ctx, "an example"));
    *out = (cau_solver){o->kind == CAU_ONLINE_SGD ? &sgd_ops : &adagrad_ops, o};
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
    const size_t per_example = sizeof(size_t) + sizeof(uint32_t) + (sgd ? sizeof(double) : 0);
    if (!cau_rows_check(problem, &n) || !cau_size_mul(n, per_weight, &bytes) ||
        !cau_size_add(bytes, cau_rows_count(problem) * sizeof(uint32_t), &bytes) ||
        !cau_size_add(bytes, problem->examples * per_example, &bytes) ||
        !cau_size_add(bytes,
                      cau_gradients_bytes(problem, cau_minibatch_size(problem), problem->threads),
                      &bytes))
        return SIZE_MAX;
    return bytes;
}
