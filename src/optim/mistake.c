/* mistake.c - the averaged perceptron and passive-aggressive learning.
 *
 * An example is labelled with the weights as they are. If the best labelling y is not the gold
 * one, the weights move away from it:
 *     d = f(x, y) - f(x, gold)             features, summed over the whole example
 *     w = w - tau d
 * The perceptron has tau = 1 [1]. Passive-aggressive updates go as far as the example asks, the
 * margin being the larger the more labels are wrong [2]:
 *     loss = <w, d> + sqrt(wrong labels)
 *     PA     tau = loss / |d|^2            the loss is 0 afterwards
 *     PA-I   tau = min(c, loss / |d|^2)
 *     PA-II  tau = loss / (|d|^2 + 1/(2c))
 * A row may stand at several places of an example, with labels that are wrong at some of them:
 * |d|^2 is that of the sum over the places.
 *
 * The average of w over steps 0 .. U need not be summed step by step. A move at step t is in
 * the weights of steps t .. U, so it counts U + 1 - t times:
 *     average = w - sum_t t move_t / (U + 1)
 *
 * [1] Collins. Discriminative training methods for hidden Markov models. EMNLP 2002.
 * [2] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online passive-aggressive algorithms.
 *     JMLR 7, 2006. */

#include "optim/mistake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "optim/rows.h"

/* Where the run stands; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t steps;
    uint64_t passes;
} progress;

typedef struct {
    cau_online_problem problem;
    cau_mistake_kind kind;
    double c;
    progress at;
    size_t n;
    double *w;       /* [n] */
    double *late;    /* [n] sum of t move_t */
    double *average; /* [n] */

    uint32_t *order;   /* [examples] */
    double *s;         /* [scores of the largest example] */
    double *g;         /* [common] d of the common weights */
    cau_row_sums sums; /* d of the others */
} mistake;

/* ---- one step ------------------------------------------------------------------------- */

/* |d|^2 */
static double squared_length(const mistake *o)
{
    double sum = 0;
    for (size_t j = 0; j < o->sums.at[o->sums.count]; j++) sum += o->sums.g[j] * o->sums.g[j];
    for (size_t j = 0; j < o->problem.common; j++) sum += o->g[j] * o->g[j];
    return sum;
}

static double size_of_step(const mistake *o, double loss, double square)
{
    switch (o->kind) {
    case CAU_MISTAKE_PERCEPTRON:
        return 1;
    case CAU_MISTAKE_PA:
        return loss / square;
    case CAU_MISTAKE_PA_1:
        return fmin(o->c, loss / square);
    case CAU_MISTAKE_PA_2:
        return loss / (square + 0.5 / o->c);
    }
    return 0;
}

/* Moves the weights from `at` on by -tau d. */
static void move(mistake *o, size_t at, size_t count, const double *d, double tau)
{
    const double later = tau * (double)o->at.steps;
    for (size_t j = 0; j < count; j++) {
        o->w[at + j] -= tau * d[j];
        o->late[at + j] -= later * d[j];
    }
}

/* One step on example i; adds its wrong labels to *total. */
static caucus_status learn(mistake *o, size_t i, size_t *total)
{
    const cau_online_problem *p = &o->problem;
    const size_t common = cau_rows_common(p);
    cau_example e;
    double margin;
    size_t wrong;
    o->at.steps++;
    p->example(p->self, i, &e);
    cau_rows_score(p, &e, o->w, o->s);
    memset(o->g, 0, p->common * sizeof *o->g);
    caucus_status st = p->mistake(p->self, i, o->s, o->w + common, o->g, &margin, &wrong);
    if (st || wrong == 0) return st;
    *total += wrong;

    for (size_t j = 0; j < p->common && p->fixed; j++) o->g[j] = p->fixed[common + j] ? 0 : o->g[j];
    cau_row_sums_take(&o->sums, p, &e, o->s);
    const double square = squared_length(o);
    if (square == 0) return CAUCUS_OK; /* the two labellings look the same: nothing to learn */
    const double tau = size_of_step(o, margin + sqrt((double)wrong), square);
    if (!(tau * sqrt(square) * (double)o->at.steps < CAU_ROWS_LARGEST)) return CAUCUS_ERR_NUMERIC;

    for (size_t k = 0; k < o->sums.count; k++) {
        const cau_row row = cau_row_of(p, o->sums.row[k]);
        move(o, row.at, row.count, o->sums.g + o->sums.at[k], tau);
    }
    move(o, common, p->common, o->g, tau);
    return CAUCUS_OK;
}

/* ---- the solver ----------------------------------------------------------------------- */

static caucus_status step(void *solver, cau_iterate *it)
{
    mistake *o = solver;
    const cau_online_problem *p = &o->problem;
    caucus_status st = CAUCUS_OK;
    size_t wrong = 0;
    cau_rows_order(p, &o->at.rng, o->order);
    for (size_t k = 0; k < p->examples && !st; k++) st = learn(o, o->order[k], &wrong);

    const double c[2] = {1, -1 / ((double)o->at.steps + 1)};
    cau_vector_combine(1, o->n, 2, c, (const double *const[]){o->w, o->late}, o->average);
    if (st) return st;
    *it = (cau_iterate){.f = (double)wrong,
                        .gnorm = NAN,
                        .wnorm = cau_vector_norm(1, o->n, o->average),
                        .passes = (size_t)++o->at.passes,
                        .exhausted = wrong == 0};
    return CAUCUS_OK;
}

static const double *weights(const void *solver)
{
    const mistake *o = solver;
    return o->average;
}

static size_t state(void *solver, cau_blob *blobs)
{
    mistake *o = solver;
    blobs[0] = (cau_blob){"progress", &o->at, sizeof o->at};
    blobs[1] = (cau_blob){"weights", o->w, o->n * sizeof *o->w};
    blobs[2] = (cau_blob){"late", o->late, o->n * sizeof *o->late};
    blobs[3] = (cau_blob){"average", o->average, o->n * sizeof *o->average};
    return 4;
}

static void mistake_free(void *solver)
{
    mistake *o = solver;
    if (!o) return;
    free(o->w);
    free(o->late);
    free(o->average);
    free(o->order);
    free(o->s);
    free(o->g);
    cau_row_sums_clear(&o->sums);
    free(o);
}

static const cau_solver_ops perceptron_ops = {"perceptron", step, weights, state, mistake_free};
static const cau_solver_ops pa_ops = {"pa", step, weights, state, mistake_free};

static caucus_status allocate(mistake *o)
{
    const cau_online_problem *p = &o->problem;
    const cau_rows_most most = cau_rows_largest(p);
    o->w = cau_vector(o->n, sizeof *o->w);
    o->late = cau_vector(o->n, sizeof *o->late);
    o->average = cau_vector(o->n, sizeof *o->average);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    o->s = cau_vector(most.scores, sizeof *o->s);
    o->g = cau_vector(p->common, sizeof *o->g);
    if (!o->w || !o->late || !o->average || !o->order || !o->s || !o->g) return CAUCUS_ERR_MEMORY;
    return cau_row_sums_init(&o->sums, p, &most);
}

caucus_status cau_mistake_new(caucus_ctx *ctx, const cau_online_problem *problem,
                              cau_mistake_kind kind, double c, uint64_t seed, const double *w,
                              cau_solver *out)
{
    size_t n;
    if (!cau_rows_check(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, cau_rows_count(problem));

    mistake *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->kind = kind;
    o->c = c;
    o->n = n;
    cau_rng_init(&o->at.rng, seed);
    if (allocate(o)) {
        mistake_free(o);
        return cau_fail_memory(ctx, "the weights of the solver");
    }
    cau_vector_copy(1, n, w, o->w);
    cau_vector_copy(1, n, w, o->average);
    *out = (cau_solver){kind == CAU_MISTAKE_PERCEPTRON ? &perceptron_ops : &pa_ops, o};
    return CAUCUS_OK;
}

size_t cau_mistake_bytes(const cau_online_problem *problem)
{
    size_t n, bytes;
    if (!cau_rows_check(problem, &n) || !cau_size_mul(n, 3 * sizeof(double), &bytes) ||
        !cau_size_add(bytes, cau_rows_count(problem) * sizeof(uint32_t), &bytes) ||
        !cau_size_add(bytes, problem->examples * sizeof(uint32_t), &bytes))
        return SIZE_MAX;
    return bytes;
}
