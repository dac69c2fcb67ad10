/* lbfgs.c - L-BFGS, and OWL-QN with an l1 penalty.
 *
 * An iteration computes the direction -H v from the history (history.c), finds a step along it
 * (linesearch.c; with l1 by halving, inside an orthant, owlqn.c), and moves. The first step of
 * a new history has length 1. F never rises.
 *
 * If no step lowers F, the pairs are dropped, because rounding may have spoilt them, and steepest
 * descent is tried once. If that fails too, F cannot fall further at this precision, and the
 * iterate is marked as exhausted. A trial at which F is not finite counts as infinitely high; at
 * the first point it is an error. */

#include "optim/batch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/kernels.h"
#include "math/vector.h"
#include "optim/quasi_newton.h"

enum {
    FLAT_MAX = 3, /* steps in a row that do not lower F */
    HALVINGS = 40,
};

/* The state of the run; plain data, part of the checkpoint. */
typedef struct {
    double f; /* with the l1 term */
    double wnorm;
    uint64_t passes;
    uint64_t flat;    /* steps since F last fell */
    uint64_t started; /* 1 once f and the gradient have been evaluated */
} lbfgs_state;

typedef struct {
    cau_objective *evaluate;
    void *user;
    cau_history history;
    lbfgs_state at;
    double trial_f, trial_norm;
} lbfgs;

/* ---- trials --------------------------------------------------------------------------- */

typedef struct {
    const cau_kernels *kernels;
    const double *w, *d;
    double step;
    double *to;
} step_job;

/* to = w + step d, and its squared norm. */
static void step_block(void *self, size_t begin, size_t end, double *sums)
{
    enum { PIECE = 512 };
    const step_job *j = self;
    const double c[2] = {1, j->step};
    for (size_t at = begin; at < end; at += PIECE) {
        const size_t n = end - at < PIECE ? end - at : PIECE;
        j->kernels->combine(n, 2, c, (const double *[]){j->w + at, j->d + at}, j->to + at);
        sums[0] += j->kernels->dot(n, j->to + at, j->to + at);
    }
}

/* Evaluates the objective at the trial weights; the gradient goes to the trial gradient. */
static caucus_status evaluate_trial(lbfgs *l, double *f)
{
    l->at.passes++;
    caucus_status st = l->evaluate(l->user, cau_history_trial_weights(&l->history), f,
                                   cau_history_trial_gradient(&l->history));
    if (st == CAUCUS_OK && !isfinite(*f)) st = CAUCUS_ERR_NUMERIC;
    return st;
}

/* F along the direction, for the line search. */
static caucus_status along(void *self, double step, double *f, double *slope)
{
    lbfgs *l = self;
    const cau_history *h = &l->history;
    step_job j = {.kernels = cau_kernels_get(),
                  .w = cau_history_weights(h),
                  .d = cau_history_direction(h),
                  .step = step,
                  .to = cau_history_trial_weights(h)};
    double squares;
    cau_vector_sums(h->threads, h->n, 1, step_block, &j, &squares);
    cau_history_total(h, 1, &squares);
    l->trial_norm = sqrt(squares);
    if (!isfinite(squares)) return CAUCUS_ERR_NUMERIC;

    caucus_status st = evaluate_trial(l, f);
    if (st) return st;
    l->trial_f = *f;
    *slope = cau_vector_dot(h->threads, h->n, cau_history_trial_gradient(h), j.d);
    cau_history_total(h, 1, slope);
    return CAUCUS_OK;
}

/* Finds a step that satisfies the strong Wolfe conditions along the direction with this slope. */
static caucus_status search_smooth(lbfgs *l, double slope, double first, double *step, bool *found)
{
    cau_line_point p = {0};
    caucus_status st =
        cau_line_search(along, l, (cau_line_point){.f = l->at.f, .slope = slope}, first, &p, found);
    *step = p.step;
    return st;
}

/* OWL-QN: halves the step until F(w') <= F(w) + 1e-4 <v, w' - w>. */
static caucus_status search_orthant(lbfgs *l, double first, bool *found)
{
    const double rounding = DBL_EPSILON / 4 * fabs(l->at.f);
    double step = first;
    *found = false;
    for (int i = 0; i < HALVINGS; i++, step /= 2) {
        cau_owlqn_point p;
        cau_owlqn_trial(&l->history, step, &p);
        if (p.descent >= 0 || -p.descent < rounding) return CAUCUS_OK; /* no descent */
        if (!isfinite(p.descent) || !isfinite(p.norm)) continue;

        double f;
        caucus_status st = evaluate_trial(l, &f);
        if (st == CAUCUS_ERR_NUMERIC) continue;
        if (st) return st;
        l->trial_f = f + p.l1;
        l->trial_norm = p.norm;
        if (l->trial_f <= l->at.f + 1e-4 * p.descent) {
            *found = true;
            return CAUCUS_OK;
        }
    }
    return CAUCUS_OK;
}

/* ---- one iteration -------------------------------------------------------------------- */

/* F and gradient at the first point. */
static caucus_status start(lbfgs *l)
{
    cau_history *h = &l->history;
    double *w = cau_history_weights(h), *g = cau_history_gradient(h), f;
    caucus_status st = l->evaluate(l->user, w, &f, g);
    if (st == CAUCUS_OK && !isfinite(f)) st = CAUCUS_ERR_NUMERIC;
    if (st) return st;

    cau_history_start(h);
    if (!isfinite(cau_history_slope(h))) return CAUCUS_ERR_NUMERIC;
    double squares = cau_vector_dot(h->threads, h->n, w, w);
    cau_history_total(h, 1, &squares);
    l->at = (lbfgs_state){.f = f + (h->l1 > 0 ? cau_owlqn_penalty(h, w) : 0),
                          .wnorm = sqrt(squares),
                          .passes = 1,
                          .started = 1};
    return CAUCUS_OK;
}

/* One attempt to move, along -H v. */
static caucus_status attempt(lbfgs *l, bool *moved)
{
    cau_history *h = &l->history;
    const double norm = sqrt(cau_history_slope(h));
    const double first = h->state.count ? 1 : 1 / norm;
    const double slope = cau_history_descend(h);
    double step = first;

    *moved = false;
    if (!(slope < 0) || !isfinite(slope) || !isfinite(first)) return CAUCUS_OK;
    caucus_status st =
        h->l1 > 0 ? search_orthant(l, first, moved) : search_smooth(l, slope, first, &step, moved);
    if (st || !*moved) return st;

    cau_history_accept(h, step);
    l->at.flat = l->trial_f < l->at.f ? 0 : l->at.flat + 1;
    l->at.f = l->trial_f;
    l->at.wnorm = l->trial_norm;
    return CAUCUS_OK;
}

static caucus_status step(void *solver, cau_iterate *it)
{
    lbfgs *l = solver;
    cau_history *h = &l->history;
    if (!cau_history_valid(h)) return CAUCUS_ERR_FORMAT;
    if (!l->at.started) {
        caucus_status st = start(l);
        if (st) return st;
    }

    bool moved = false;
    if (cau_history_slope(h) > 0) {
        const bool remembers = h->state.count > 0;
        caucus_status st = attempt(l, &moved);
        if (!moved) cau_history_start(h); /* the trials overwrote v */
        if (st) return st;
        if (!moved && remembers) {
            st = attempt(l, &moved);
            if (!moved) cau_history_start(h);
            if (st) return st;
        }
    }

    *it = (cau_iterate){.f = l->at.f,
                        .gnorm = sqrt(cau_history_slope(h)),
                        .wnorm = l->at.wnorm,
                        .passes = (size_t)l->at.passes,
                        .exhausted = !moved || l->at.flat >= FLAT_MAX};
    return CAUCUS_OK;
}

/* ---- the solver ----------------------------------------------------------------------- */

static const double *weights(const void *solver)
{
    const lbfgs *l = solver;
    return cau_history_weights(&l->history);
}

static size_t state(void *solver, cau_blob *blobs)
{
    lbfgs *l = solver;
    size_t bytes = 0;
    cau_history_bytes(l->history.n, l->history.m, &bytes);
    blobs[0] = cau_blob_of("progress", &l->at, sizeof l->at);
    blobs[1] = cau_blob_of("pairs", &l->history.state, sizeof l->history.state);
    blobs[2] = (cau_blob){.name = "vectors",
                          .data = l->history.vectors,
                          .bytes = bytes,
                          .rows = 2 * l->history.m + 3,
                          .n = l->history.n,
                          .stride = l->history.stride};
    return 3;
}

static void lbfgs_free(void *solver)
{
    lbfgs *l = solver;
    if (!l) return;
    cau_history_clear(&l->history);
    free(l);
}

static const cau_solver_ops lbfgs_ops = {"lbfgs", step, weights, state, lbfgs_free};
static const cau_solver_ops owlqn_ops = {"owlqn", step, weights, state, lbfgs_free};

caucus_status cau_lbfgs_new(caucus_ctx *ctx, const cau_lbfgs_problem *problem, const double *w,
                            cau_solver *out)
{
    if (problem->history < 1 || problem->history > CAU_HISTORY_MAX)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "a history of %zu pairs; it can be 1 to %d",
                        problem->history, CAU_HISTORY_MAX);

    lbfgs *l = cau_calloc(1, sizeof *l);
    if (!l) return cau_fail_memory(ctx, "the solver");
    l->evaluate = problem->evaluate;
    l->user = problem->self;
    l->history.n = problem->n;
    l->history.m = problem->history;
    l->history.threads = problem->threads;
    l->history.l1 = problem->l1;
    l->history.penalised = problem->penalised;
    l->history.total = problem->total;
    l->history.user = problem->self;
    if (cau_history_init(&l->history)) {
        lbfgs_free(l);
        return cau_fail_memory(ctx, "the history of the solver; a smaller --history needs less");
    }
    cau_vector_copy(problem->threads, problem->n, w, cau_history_weights(&l->history));
    *out = (cau_solver){problem->l1 > 0 ? &owlqn_ops : &lbfgs_ops, l};
    return CAUCUS_OK;
}

size_t cau_lbfgs_bytes(const cau_lbfgs_problem *problem)
{
    size_t bytes;
    if (!cau_history_bytes(problem->n, problem->history, &bytes)) return SIZE_MAX;
    return cau_size_add(bytes, sizeof(lbfgs), &bytes) ? bytes : SIZE_MAX;
}
