/* perceptron.c - the averaged perceptron, passive-aggressive learning and AROW.
 *
 * Each example is decoded with the current weights. If the best labelling y is not the gold one,
 * the weights move away from it:
 *     d = f(x, y) - f(x, gold)             features, summed over the whole example
 *     w = w - tau d
 * The perceptron has tau = 1 [1]. Passive-aggressive updates make the hinge loss of the example 0,
 * with a margin that grows with the number of wrong labels [2]:
 *     loss = <w, d> + sqrt(wrong labels)
 *     PA     tau = loss / |d|^2            the loss is 0 afterwards
 *     PA-I   tau = min(c, loss / |d|^2)
 *     PA-II  tau = loss / (|d|^2 + 1/(2c))
 * A row may occur at several positions of an example; |d|^2 is that of the sum over the positions.
 *
 * AROW [3] keeps a variance v_k of each weight: a weight changes less the more often it was
 * updated. Its weights are the last ones, not their average.
 *     loss = <w, d> + wrong labels
 *     tau  = loss / (sum_k v_k d_k^2 + gamma)
 *     w_k  = w_k - tau v_k d_k
 *     v_k  = 1 / (1/v_k + d_k^2 / gamma)
 *
 * The average of w over steps 0 .. U needs no sum step by step. An update at step t is part of the
 * weights of steps t .. U, so it counts U + 1 - t times:
 *     average = w - sum_t t update_t / (U + 1)
 * After an epoch without an update w stays as it is, so the average at the end of all epochs is
 * known: U is then the number of their steps.
 *
 * Examples are visited in minibatches (minibatch.h): those of a minibatch are decoded with the same
 * weights, then their updates are applied one after the other.
 *
 * [1] Collins. Discriminative training methods for hidden Markov models. EMNLP 2002.
 * [2] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online passive-aggressive algorithms.
 *     JMLR 7, 2006.
 * [3] Crammer, Kulesza, Dredze. Adaptive regularization of weight vectors. NIPS 2009; its loss for
 *     sequences is that of CRFsuite. */

#include "optim/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "optim/minibatch.h"
#include "optim/rows.h"

/* The state of the run; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t steps;
    uint64_t passes;
} perceptron_state;

/* The update of an example of the minibatch. */
typedef struct {
    double tau; /* 0: no update */
    size_t wrong;
} perceptron_update;

typedef struct {
    cau_online_problem problem;
    cau_perceptron_options how;
    cau_minibatch batch;
    perceptron_state at;
    size_t n;
    double *w;        /* [n] */
    double *late;     /* [n] sum of t update_t; NULL: there is no average */
    double *average;  /* [n], likewise */
    double *variance; /* [n] of AROW, or NULL */

    size_t *first;              /* [examples + 1] see cau_rows_first */
    uint32_t *order;            /* [examples] */
    cau_gradients gradients;    /* d of the examples of a minibatch */
    perceptron_update *updates; /* [examples of a minibatch] */
    size_t wrong;               /* wrong labels in this epoch */
} perceptron;

/* ---- one step ------------------------------------------------------------------------- */

/* sum_k v_k d_k^2 over the weights from `at`; v = 1 but for AROW. */
static double squares(const perceptron *o, size_t at, size_t count, const double *d)
{
    const double *v = o->variance ? o->variance + at : NULL;
    double sum = 0;
    for (size_t j = 0; j < count; j++) sum += d[j] * d[j] * (v ? v[j] : 1);
    return sum;
}

/* |d|^2, or with variances the same sum weighted by them. */
static double squared_length(const perceptron *o, const struct cau_gradient *d)
{
    const cau_online_problem *p = &o->problem;
    double sum = 0;
    if (!o->variance) sum = squares(o, 0, d->sums.at[d->sums.count], d->sums.g);
    for (size_t i = 0; i < d->sums.count && o->variance; i++) {
        const cau_weight_row row = cau_weight_row_of(p, d->sums.row[i]);
        sum += squares(o, row.at, row.count, d->sums.g + d->sums.at[i]);
    }
    return sum + squares(o, cau_rows_common(p), p->common, d->g);
}

/* tau, for an example whose best labelling is ahead by `margin`. */
static double step_size(const perceptron *o, double margin, size_t wrong, double square)
{
    const double loss = margin + (o->how.unit_margin ? 1 : sqrt((double)wrong));
    switch (o->how.kind) {
    case CAU_PERCEPTRON_PLAIN:
        return 1;
    case CAU_PERCEPTRON_PA:
        return loss / square;
    case CAU_PERCEPTRON_PA_1:
        return fmin(o->how.c, loss / square);
    case CAU_PERCEPTRON_PA_2:
        return loss / (square + 0.5 / o->how.c);
    case CAU_PERCEPTRON_AROW:
        return (margin + (double)wrong) / (square + o->how.gamma);
    }
    return 0;
}

/* The number of the step of the example at position `at` of the epoch. */
static double step_of(const perceptron *o, size_t at)
{
    return (double)(o->at.steps + at + 1);
}

/* Decodes an example and computes its update. */
static caucus_status compute(void *self, unsigned worker, size_t at, size_t slot)
{
    perceptron *o = self;
    const cau_online_problem *p = &o->problem;
    const size_t common = cau_rows_common(p), i = o->order[at];
    const struct cau_gradient *d = &o->gradients.of[slot];
    perceptron_update *v = &o->updates[slot];
    cau_example e;
    double margin;
    *v = (perceptron_update){0};
    p->example(cau_rows_self(p, worker), i, &e);
    cau_rows_score(p, &e, o->w, d->s);
    memset(d->g, 0, p->common * sizeof *d->g);
    caucus_status st =
        p->mistake(cau_rows_self(p, worker), i, d->s, o->w + common, d->g, &margin, &v->wrong);
    if (st || v->wrong == 0) return st;

    for (size_t j = 0; j < p->common && p->fixed; j++) d->g[j] = p->fixed[common + j] ? 0 : d->g[j];
    st = cau_gradients_sum(&o->gradients, worker, slot, p, &e);
    if (st) return st;
    const double square = squared_length(o, d);
    if (square == 0) return CAUCUS_OK; /* both labellings have the same features */
    const double tau = step_size(o, margin, v->wrong, square);
    if (!(tau * sqrt(square) * step_of(o, at) < CAU_ROWS_LARGEST)) return CAUCUS_ERR_NUMERIC;
    v->tau = tau;
    return CAUCUS_OK;
}

/* Updates w[at ..] in step t. */
static void add_update(perceptron *o, size_t at, size_t count, const double *d, double tau,
                       double t)
{
    const double later = tau * t, gamma = o->how.gamma;
    double *w = o->w + at, *v = o->variance ? o->variance + at : NULL;
    double *late = o->late ? o->late + at : NULL;
    for (size_t j = 0; j < count && v; j++) {
        w[j] -= tau * v[j] * d[j];
        v[j] *= gamma / (gamma + v[j] * d[j] * d[j]);
    }
    for (size_t j = 0; j < count && !v; j++) w[j] -= tau * d[j];
    for (size_t j = 0; j < count && late; j++) late[j] -= later * d[j];
}

/* Applies the updates of minibatch k to one part of the rows, or to the common weights. */
static caucus_status update(void *self, unsigned worker, size_t k, unsigned part)
{
    (void)worker;
    perceptron *o = self;
    const cau_online_problem *p = &o->problem;
    const bool common = part == o->batch.parts;
    for (size_t slot = 0; slot < cau_minibatch_examples(&o->batch, k); slot++) {
        const struct cau_gradient *d = &o->gradients.of[slot];
        const perceptron_update *v = &o->updates[slot];
        const double t = step_of(o, k * o->batch.size + slot);
        if (common) o->wrong += v->wrong;
        if (v->tau == 0) continue;
        if (common) add_update(o, cau_rows_common(p), p->common, d->g, v->tau, t);
        for (size_t i = 0; i < d->sums.count && !common; i++) {
            if (!cau_minibatch_owns(&o->batch, d->sums.row[i], part)) continue;
            const cau_weight_row row = cau_weight_row_of(p, d->sums.row[i]);
            add_update(o, row.at, row.count, d->sums.g + d->sums.at[i], v->tau, t);
        }
    }
    return CAUCUS_OK;
}

/* ---- the solver ----------------------------------------------------------------------- */

/* The weights that the solver has learnt. */
static const double *weights(const void *solver)
{
    const perceptron *o = solver;
    return o->average ? o->average : o->w;
}

/* Computes the average; after an epoch without updates that of the whole run. */
static void take_average(perceptron *o)
{
    const uint64_t left =
        o->wrong == 0 && o->how.epochs > o->at.passes ? o->how.epochs - o->at.passes : 0;
    const double steps = (double)o->at.steps + (double)left * (double)o->problem.examples;
    const double c[2] = {1, -1 / (steps + 1)};
    cau_vector_combine(o->batch.threads, o->n, 2, c, (const double *const[]){o->w, o->late},
                       o->average);
}

static caucus_status step(void *solver, cau_iterate *it)
{
    perceptron *o = solver;
    o->wrong = 0;
    cau_rows_order(&o->problem, &o->at.rng, o->order);
    cau_minibatch_sort(&o->batch, o->problem.examples, o->first, o->order);
    caucus_status st = cau_minibatch_run(&o->batch, o->problem.examples);
    o->at.steps += o->problem.examples;
    o->at.passes += !st;
    if (o->average) take_average(o);
    if (st) return st;
    *it = (cau_iterate){.f = (double)o->wrong,
                        .gnorm = NAN,
                        .wnorm = cau_vector_norm(o->batch.threads, o->n, weights(o)),
                        .passes = (size_t)o->at.passes,
                        .exhausted = o->wrong == 0};
    return CAUCUS_OK;
}

static size_t state(void *solver, cau_blob *blobs)
{
    perceptron *o = solver;
    blobs[0] = cau_blob_of("progress", &o->at, sizeof o->at);
    blobs[1] = cau_blob_of("weights", o->w, o->n * sizeof *o->w);
    size_t count = 2;
    if (o->variance) blobs[count++] = cau_blob_of("variance", o->variance, o->n * sizeof *o->w);
    if (o->average) {
        blobs[count++] = cau_blob_of("late", o->late, o->n * sizeof *o->late);
        blobs[count++] = cau_blob_of("average", o->average, o->n * sizeof *o->average);
    }
    return count;
}

static void perceptron_free(void *solver)
{
    perceptron *o = solver;
    if (!o) return;
    free(o->w);
    free(o->late);
    free(o->average);
    free(o->variance);
    free(o->first);
    free(o->order);
    cau_gradients_clear(&o->gradients);
    free(o->updates);
    free(o);
}

static const cau_solver_ops perceptron_ops = {"perceptron", step, weights, state, perceptron_free};
static const cau_solver_ops pa_ops = {"pa", step, weights, state, perceptron_free};
static const cau_solver_ops arow_ops = {"arow", step, weights, state, perceptron_free};

static caucus_status allocate(perceptron *o)
{
    const cau_online_problem *p = &o->problem;
    o->w = cau_vector(o->n, sizeof *o->w);
    const bool arow = o->how.kind == CAU_PERCEPTRON_AROW, average = !arow && !o->how.last;
    if (arow) o->variance = cau_vector(o->n, sizeof *o->variance);
    if (average) o->late = cau_vector(o->n, sizeof *o->late);
    if (average) o->average = cau_vector(o->n, sizeof *o->average);
    o->first = cau_alloc(p->examples + 1, sizeof *o->first);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->updates = cau_alloc(o->batch.size, sizeof *o->updates);
    if (!o->w || (arow && !o->variance) || (average && (!o->late || !o->average)) || !o->first ||
        !o->order || !o->updates)
        return CAUCUS_ERR_MEMORY;
    if (cau_rows_first(p, o->first) == SIZE_MAX) return CAUCUS_ERR_MEMORY;
    return cau_gradients_init(&o->gradients, p, o->batch.size, o->batch.threads);
}

caucus_status cau_perceptron_new(caucus_ctx *ctx, const cau_online_problem *problem,
                                 const cau_perceptron_options *options, const double *w,
                                 cau_solver *out)
{
    size_t n;
    if (!cau_rows_check(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, cau_rows_count(problem));

    perceptron *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->how = *options;
    o->n = n;
    o->batch = (cau_minibatch){
        .size = options->minibatch, .self = o, .compute = compute, .update = update};
    cau_minibatch_init(&o->batch, problem);
    cau_rng_init(&o->at.rng, options->seed);
    if (allocate(o)) {
        perceptron_free(o);
        return cau_fail_memory(ctx, "the weights of the solver");
    }
    cau_vector_copy(1, n, w, o->w);
    if (o->average) cau_vector_copy(1, n, w, o->average);
    for (size_t k = 0; k < n && o->variance; k++) o->variance[k] = options->variance;
    *out = (cau_solver){options->kind == CAU_PERCEPTRON_PLAIN  ? &perceptron_ops
                        : options->kind == CAU_PERCEPTRON_AROW ? &arow_ops
                                                               : &pa_ops,
                        o};
    return CAUCUS_OK;
}

size_t cau_perceptron_bytes(const cau_online_problem *problem)
{
    size_t n, bytes;
    if (!cau_rows_check(problem, &n) || !cau_size_mul(n, 3 * sizeof(double), &bytes) ||
        !cau_size_add(bytes, problem->examples * (sizeof(size_t) + sizeof(uint32_t)), &bytes) ||
        !cau_size_add(bytes,
                      cau_gradients_bytes(problem, cau_minibatch_size(problem), problem->threads),
                      &bytes))
        return SIZE_MAX;
    return bytes;
}
