/* fobos.c - stochastic forward-backward splitting with lazy proximal steps.
 *
 * Step t = 0, 1, 2, ... takes example i and updates every weight theta_kj of every expert j:
 *     v_kj  = theta_kj - eta_t alpha_j g_k        g = d loss_i / d w,  w_k = sum_j alpha_j theta_kj
 *     theta = argmin_x 1/2 |x - v|^2 + r_t P(x)   r_t = eta_t lambda/N,  eta_t = rate / (1 + t/N)
 * A group, the J weights theta_k1 .. theta_kJ, is contiguous; lambda P is the penalty of online.h.
 *
 * An example touches few rows of weights. For the others g = 0, and a row takes the steps s .. t
 * that it missed when it is touched next, or at the end of the epoch. With L1 they combine into
 * one step of size r_s + .. + r_t, with L2 into a factor. With the other two penalties, a group
 * with M nonzero members whose absolute values sum to A loses from each of them
 *     (A/M) (1 - exp(-D_M))    ELITIST       D_M = sum_i log(1 + M r_i),               i = s .. t
 *                              APPROXIMATE   D_M = sum_i log(1 + J r_i) - log(1 + (J - M) r_i)
 * since one step multiplies A by 1 / (1 + M r), or by 1 - M r / (1 + J r). This holds until the
 * smallest member reaches 0. A group in which that happens jumps to the step before, takes that
 * step alone, and jumps again, at most J times. The factor of a jump to the present is the same for
 * all groups of a row with the same M, so catching up is mostly one pass over the weights. All sums
 * over i are differences of the sums that cau_prox_steps keeps.
 *
 * A touched row first catches up and then follows the gradient; the proximal step of the example
 * itself is taken the next time the row catches up. w is kept beside theta and is valid for rows
 * that are up to date. Common weights are touched by all examples and never lag behind.
 *
 * Steps are kept until all rows have taken them. In long epochs all rows catch up at intervals:
 * often enough to keep the sums in cache, and seldom enough to cost little. With 3.6 million
 * weights, 3 experts and 300,000 examples an epoch took 3.2 s with 65,536 steps kept and 3.7 s with
 * all of them (SGD for one model: 0.6 s; L2 for 3 experts: 1.4 s).
 *
 * [1] Duchi, Singer. Efficient online and batch learning using forward backward splitting.
 *     JMLR 10, 2009.
 * [2] Wang, Manning. Learning a product of experts with elitist lasso. IJCNLP 2013. */

#include "optim/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "optim/rows.h"

enum {
    KEPT = 65536, /* the most steps that are kept, */
    SHARE = 64,   /* or one step for this many weights, whichever is more */
};
#define STRONGEST 1e100 /* r; a larger r would leave nothing of a weight either */

/* The state of the run; plain data, part of the checkpoint. */
typedef struct {
    cau_rng rng;
    uint64_t steps;
    uint64_t passes;
    double rate;
} fobos_state;

typedef struct {
    cau_online_problem problem;
    fobos_state at;
    size_t n, J;
    double alpha[CAU_PROX_MEMBERS_MAX]; /* [J] */
    cau_fobos_penalty penalty;
    double lambda;
    bool eager;
    double farthest; /* that eta g may go */
    double *theta;   /* [n][J] */
    double *w;       /* [n] */

    cau_prox_steps steps;   /* that not all rows have seen */
    size_t kept;            /* the most of them */
    uint32_t *time;         /* [rows] how many of them a row has seen */
    uint32_t *order;        /* [examples] */
    cau_gradients gradient; /* of the example at hand */
} fobos;

/* w_k = sum_j alpha_j theta_kj for `count` weights from `at` on. */
static void combine(fobos *o, size_t at, size_t count)
{
    const double *v = o->theta + at * o->J;
    for (size_t k = at; k < at + count; k++, v += o->J) {
        double sum = 0;
        for (size_t j = 0; j < o->J; j++) sum += o->alpha[j] * v[j];
        o->w[k] = sum;
    }
}

/* ---- proximal steps ------------------------------------------------------------------- */

/* One step for `count` weights from `at` on. */
static void shrink(fobos *o, size_t at, size_t count, double r)
{
    const size_t J = o->J;
    double *v = o->theta + at * J;
    switch (o->penalty) {
    case CAU_FOBOS_ELITIST:
        for (size_t k = 0; k < count; k++) cau_prox_elitist(J, r, v + k * J);
        break;
    case CAU_FOBOS_APPROXIMATE:
        for (size_t k = 0; k < count; k++) cau_prox_elitist_approximate(J, r, v + k * J);
        break;
    case CAU_FOBOS_L1:
        cau_prox_l1(count * J, r, v);
        break;
    case CAU_FOBOS_L2:
        cau_prox_l2(count * J, r, v);
        break;
    }
}

/* The members of a group that are not 0. */
typedef struct {
    size_t M;
    double A, least; /* the sum of their absolute values, and the least of these */
} support;

static inline support support_of(size_t J, const double *v)
{
    support s = {0, 0, INFINITY};
    for (size_t j = 0; j < J; j++) {
        const double a = fabs(v[j]);
        s.M += a > 0;
        s.A += a;
        s.least = a > 0 && a < s.least ? a : s.least;
    }
    return s;
}

static inline void subtract(size_t J, double cut, double *v)
{
    for (size_t j = 0; j < J; j++) v[j] = fabs(v[j]) > cut ? v[j] - copysign(cut, v[j]) : 0;
}

/* D_M of the steps from..to - 1, counted from the first that is kept. */
static inline double decay(const fobos *o, size_t M, size_t from, size_t to)
{
    const size_t J = o->J;
    const double *before = o->steps.log_sum + from * J, *after = o->steps.log_sum + to * J;
    if (o->penalty == CAU_FOBOS_ELITIST) return after[M - 1] - before[M - 1];
    const double D = after[J - 1] - before[J - 1];
    return M < J ? D - (after[J - M - 1] - before[J - M - 1]) : D;
}

/* (1 - exp(-D_M)) / M of them. */
static inline double lost_by_each(const fobos *o, size_t M, size_t from, size_t to)
{
    return -expm1(-decay(o, M, from, to)) / (double)M;
}

/* The last `to` for which D_M of from..to - 1 is below `most`; over all steps D_M is not. Newton's
 * method, since the r_i change slowly; bisection guards it. */
static size_t last_below(const fobos *o, size_t M, size_t from, double most)
{
    size_t low = from, high = o->steps.count, to = from; /* D_M is below at low, not at high */
    for (int guesses = 1; low + 1 < high; guesses++) {
        const double D = decay(o, M, from, to), slope = decay(o, M, to, to + 1);
        if (D < most && D + slope >= most) return to;
        if (D < most)
            low = to + 1;
        else
            high = to;
        const double guess = (double)to + floor((most - D) / slope);
        to = guesses < 8 ? (size_t)fmin(fmax(guess, (double)low), (double)(high - 1))
                         : low + (high - low) / 2;
    }
    return low;
}

/* Takes all steps from `from` on for a group. */
static void jump(const fobos *o, size_t from, double *v)
{
    const cau_prox_steps *steps = &o->steps;
    while (from < steps->count) {
        const support s = support_of(o->J, v);
        if (s.M == 0) return;
        const double most = -log1p(-(double)s.M * s.least / s.A);
        size_t to = steps->count;
        if (!(decay(o, s.M, from, to) < most)) to = last_below(o, s.M, from, most);
        subtract(o->J, s.A * lost_by_each(o, s.M, from, to), v);
        if (to == steps->count) return;
        if (o->penalty == CAU_FOBOS_ELITIST)
            cau_prox_elitist(o->J, steps->step[to], v);
        else
            cau_prox_elitist_approximate(o->J, steps->step[to], v);
        from = to + 1;
    }
}

/* Takes all steps from `from` on for the groups v [count][J] of a row. */
static void jump_row(const fobos *o, size_t from, size_t count, double *v)
{
    const size_t J = o->J;
    double lost[CAU_PROX_MEMBERS_MAX + 1]; /* by M; -1: not computed yet */
    for (size_t M = 1; M <= J; M++) lost[M] = -1;
    for (size_t k = 0; k < count; k++, v += J) {
        const support s = support_of(J, v);
        if (s.M == 0) continue;
        if (lost[s.M] < 0) lost[s.M] = lost_by_each(o, s.M, from, o->steps.count);
        const double cut = s.A * lost[s.M];
        if (cut < s.least)
            subtract(J, cut, v);
        else
            jump(o, from, v);
    }
}

/* Brings a row and its w up to date. */
static void catch_up(fobos *o, uint32_t k)
{
    const size_t then = o->time[k], now = o->steps.count;
    if (then == now) return;
    o->time[k] = (uint32_t)now;

    const cau_weight_row row = cau_weight_row_of(&o->problem, k);
    double *v = o->theta + row.at * o->J;
    if (o->penalty == CAU_FOBOS_L1)
        cau_prox_l1_catch_up(&o->steps, o->steps.first + then, row.count * o->J, v);
    else if (o->penalty == CAU_FOBOS_L2)
        cau_prox_l2_catch_up(&o->steps, o->steps.first + then, row.count * o->J, v);
    else
        jump_row(o, then, row.count, v);
    combine(o, row.at, row.count);
}

/* Brings all rows up to date and drops the steps. */
static void flush_steps(fobos *o)
{
    for (size_t k = 0; k < cau_rows_count(&o->problem); k++) {
        catch_up(o, (uint32_t)k);
        o->time[k] = 0;
    }
    cau_prox_steps_forget(&o->steps, o->steps.first + o->steps.count);
}

/* ---- one step ------------------------------------------------------------------------- */

/* theta_kj -= eta alpha_j g_k for the weights from `at` on with the gradient g [count]. A step that
 * is too large is skipped for its group, and false is returned. */
static bool descend(fobos *o, size_t at, size_t count, const double *g, double eta)
{
    bool fine = true;
    double *v = o->theta + at * o->J;
    for (size_t k = 0; k < count; k++, v += o->J) {
        const double way = eta * g[k];
        if (fabs(way) < o->farthest)
            for (size_t j = 0; j < o->J; j++) v[j] -= o->alpha[j] * way;
        else
            fine = false;
    }
    return fine;
}

/* Loss of example i at the current weights, and its residuals. */
static caucus_status residuals(fobos *o, size_t i, const cau_example *e, double *loss)
{
    const struct cau_gradient *d = o->gradient.of;
    return cau_rows_residuals(&o->problem, 0, i, e, o->w, d->s, d->g, loss);
}

/* One step on example i; adds its loss before the step to *loss. When memory is short nothing
 * happens; after any other failure the step counts, so that all rows agree on the time. */
static caucus_status learn_example(fobos *o, size_t i, double *loss)
{
    const cau_online_problem *p = &o->problem;
    const double N = (double)p->examples, eta = o->at.rate / (1 + (double)o->at.steps / N);
    const double r = fmin(eta * o->lambda / N, STRONGEST);
    const size_t common = cau_rows_common(p);
    caucus_status st = CAUCUS_OK;
    cau_example e;
    p->example(p->self, i, &e);
    for (size_t k = e.start[0]; k < e.start[e.groups]; k++) catch_up(o, e.id[k]);
    if (!o->eager) st = cau_prox_steps_add(&o->steps, r);
    if (st) return st;
    o->at.steps++;

    double own = 0;
    st = residuals(o, i, &e, &own);
    if (st == CAUCUS_OK) {
        *loss += own;
        st = cau_gradients_sum(&o->gradient, 0, 0, p, &e);
        if (st) return st;
        const cau_row_sums *sums = &o->gradient.of->sums;
        bool fine = descend(o, common, p->common, o->gradient.of->g, eta);
        for (size_t k = 0; k < sums->count; k++) {
            const cau_weight_row row = cau_weight_row_of(p, sums->row[k]);
            fine &= descend(o, row.at, row.count, sums->g + sums->at[k], eta);
        }
        if (!fine) st = CAUCUS_ERR_NUMERIC;
    }
    if (o->eager) {
        shrink(o, 0, common, r);
        combine(o, 0, common);
    }
    if (p->common_penalised) shrink(o, common, p->common, r);
    combine(o, common, p->common);
    return st;
}

/* ---- choosing the rate ---------------------------------------------------------------- */

/* P of the weights at .. at + count - 1. */
static double penalty(const fobos *o, size_t at, size_t count)
{
    const double *v = o->theta + at * o->J;
    double sum = 0;
    for (size_t k = 0; k < count; k++, v += o->J) {
        double size = 0, square = 0;
        for (size_t j = 0; j < o->J; j++) {
            size += fabs(v[j]);
            square += v[j] * v[j];
        }
        sum += o->penalty == CAU_FOBOS_L1   ? size
               : o->penalty == CAU_FOBOS_L2 ? 0.5 * square
                                            : 0.5 * size * size;
    }
    return sum;
}

/* Copies the weights at .. at + count - 1 from `theta`; fixed ones become 0. */
static void load_weights(fobos *o, const double *theta, size_t at, size_t count)
{
    const uint8_t *fixed = o->problem.fixed;
    const size_t J = o->J;
    for (size_t k = at; k < at + count; k++)
        for (size_t j = 0; j < J; j++)
            o->theta[k * J + j] = fixed && fixed[k] ? 0 : theta[k * J + j];
    combine(o, at, count);
}

typedef struct {
    fobos *o;
    size_t count;        /* examples */
    const double *theta; /* the start */
} fobos_trial;

/* P of the rows of a trial, each counted once; brings them up to date. */
static double trial_penalty(const fobos_trial *x)
{
    fobos *o = x->o;
    double sum = 0;
    for (size_t i = 0; i < x->count; i++) {
        cau_example e;
        o->problem.example(o->problem.self, o->order[i], &e);
        for (size_t k = e.start[0]; k < e.start[e.groups]; k++) {
            uint32_t *time = &o->time[e.id[k]];
            if (*time == UINT32_MAX) continue; /* counted */
            const cau_weight_row row = cau_weight_row_of(&o->problem, e.id[k]);
            catch_up(o, e.id[k]);
            sum += penalty(o, row.at, row.count);
            *time = UINT32_MAX;
        }
    }
    return sum;
}

/* Undoes a trial. */
static void restore(const fobos_trial *x)
{
    fobos *o = x->o;
    for (size_t i = 0; i < x->count; i++) {
        cau_example e;
        o->problem.example(o->problem.self, o->order[i], &e);
        for (size_t k = e.start[0]; k < e.start[e.groups]; k++) {
            const cau_weight_row row = cau_weight_row_of(&o->problem, e.id[k]);
            load_weights(o, x->theta, row.at, row.count);
            o->time[e.id[k]] = 0;
        }
    }
    load_weights(o, x->theta, cau_rows_common(&o->problem), o->problem.common);
    cau_prox_steps_forget(&o->steps, o->steps.first + o->steps.count);
    o->at.steps = 0;
}

/* Sets *f to the objective of the sample after one pass over it. */
static caucus_status try_rate(void *self, double rate, double *f)
{
    const fobos_trial *x = self;
    fobos *o = x->o;
    const cau_online_problem *p = &o->problem;
    caucus_status st = CAUCUS_OK;
    double met = 0, sum = 0;
    *f = INFINITY;
    o->at.rate = rate;
    for (size_t i = 0; i < x->count && !st; i++) st = learn_example(o, o->order[i], &met);
    if (st == CAUCUS_OK) {
        sum = trial_penalty(x);
        if (p->common_penalised) sum += penalty(o, cau_rows_common(p), p->common);
        sum *= o->lambda * (double)x->count / (double)p->examples;
    }
    for (size_t i = 0; i < x->count && !st; i++) {
        cau_example e;
        double loss = 0;
        p->example(p->self, o->order[i], &e);
        st = residuals(o, o->order[i], &e, &loss);
        sum += loss;
    }
    restore(x);
    if (!st && isfinite(sum)) *f = sum;
    return st == CAUCUS_ERR_NUMERIC ? CAUCUS_OK : st;
}

/* Chooses the rate by trials on a sample of the examples. */
static caucus_status choose_rate(fobos *o, const double *theta, double *rate)
{
    const size_t examples = o->problem.examples;
    fobos_trial sample = {o, examples < CAU_RATE_SAMPLE ? examples : CAU_RATE_SAMPLE, theta};
    cau_rng rng = o->at.rng; /* a copy: the order of the epochs is the same with a given rate */
    cau_rows_order(&o->problem, &rng, o->order);
    return cau_rate_choose(try_rate, &sample, rate);
}

/* ---- the solver ----------------------------------------------------------------------- */

/* Prefetches the weights of example i. */
static void prefetch(const fobos *o, size_t i)
{
    cau_example e;
    o->problem.example(o->problem.self, i, &e);
    for (size_t k = e.start[0]; k < e.start[e.groups]; k++) {
        const cau_weight_row row = cau_weight_row_of(&o->problem, e.id[k]);
        const double *v = o->theta + row.at * o->J;
        for (size_t j = 0; j < row.count * o->J; j += 8) __builtin_prefetch(v + j);
        __builtin_prefetch(&o->time[e.id[k]]);
    }
    cau_rows_prefetch(&o->problem, &e, o->w);
}

static caucus_status step(void *solver, cau_iterate *it)
{
    fobos *o = solver;
    const cau_online_problem *p = &o->problem;
    caucus_status st = CAUCUS_OK;
    double f = 0;
    cau_rows_order(&o->problem, &o->at.rng, o->order);
    for (size_t k = 0; k < p->examples && !st; k++) {
        if (k + 1 < p->examples) prefetch(o, o->order[k + 1]);
        st = learn_example(o, o->order[k], &f);
        if (o->steps.count == o->kept) flush_steps(o);
    }
    flush_steps(o);
    if (st) return st;

    o->at.passes++;
    if (p->loss) {
        st = p->loss(p->self, o->w, &f);
        if (st) return st;
        o->at.passes++;
    }
    f += o->lambda * penalty(o, 0, p->common_penalised ? o->n : cau_rows_common(p));
    if (!isfinite(f)) return CAUCUS_ERR_NUMERIC;
    *it = (cau_iterate){.f = f,
                        .gnorm = NAN,
                        .wnorm = cau_vector_norm(1, o->n, o->w),
                        .passes = (size_t)o->at.passes,
                        .estimate = !p->loss};
    return CAUCUS_OK;
}

static const double *weights(const void *solver)
{
    const fobos *o = solver;
    return o->w;
}

const double *cau_fobos_theta(const cau_solver *solver)
{
    const fobos *o = solver->self;
    return o->theta;
}

static size_t state(void *solver, cau_blob *blobs)
{
    fobos *o = solver;
    blobs[0] = cau_blob_of("progress", &o->at, sizeof o->at);
    blobs[1] = cau_blob_of("theta", o->theta, o->n * o->J * sizeof *o->theta);
    blobs[2] = cau_blob_of("weights", o->w, o->n * sizeof *o->w);
    return 3;
}

static void fobos_free(void *solver)
{
    fobos *o = solver;
    if (!o) return;
    free(o->theta);
    free(o->w);
    cau_prox_steps_clear(&o->steps);
    free(o->time);
    free(o->order);
    cau_gradients_clear(&o->gradient);
    free(o);
}

static const cau_solver_ops fobos_ops = {"fobos", step, weights, state, fobos_free};

static caucus_status allocate(fobos *o)
{
    const cau_online_problem *p = &o->problem;
    size_t all;
    if (!cau_size_mul(o->n, o->J, &all)) return CAUCUS_ERR_MEMORY;
    o->theta = cau_vector(all, sizeof *o->theta);
    o->w = cau_vector(o->n, sizeof *o->w);
    o->time = cau_calloc(cau_rows_count(p), sizeof *o->time);
    o->order = cau_alloc(p->examples, sizeof *o->order);
    if (!o->theta || !o->w || !o->time || !o->order) return CAUCUS_ERR_MEMORY;
    return cau_gradients_init(&o->gradient, p, 1, 1);
}

/* The most steps that are kept. */
static size_t most_steps(size_t n)
{
    return n / SHARE > KEPT ? n / SHARE : KEPT;
}

/* The number of sums kept for each step: one for each M if groups can lose members. */
static size_t sums_per_step(const cau_fobos_options *o)
{
    return o->penalty == CAU_FOBOS_L1 || o->penalty == CAU_FOBOS_L2 ? 1 : o->J;
}

caucus_status cau_fobos_new(caucus_ctx *ctx, const cau_online_problem *problem,
                            const cau_fobos_options *options, const double *theta, cau_solver *out)
{
    size_t n;
    if (!cau_rows_check(problem, &n))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu examples with %zu observations; online solvers take 1 to 2^32 - 2",
                        problem->examples, cau_rows_count(problem));
    if (options->J < 1 || options->J > CAU_PROX_MEMBERS_MAX)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%zu experts; a joint fit takes 1 to %d",
                        options->J, (int)CAU_PROX_MEMBERS_MAX);

    caucus_status st = CAUCUS_OK;
    fobos *o = cau_calloc(1, sizeof *o);
    if (!o) return cau_fail_memory(ctx, "the solver");
    o->problem = *problem;
    o->n = n;
    o->J = options->J;
    o->penalty = options->penalty;
    if (o->J == 1 && o->penalty != CAU_FOBOS_L1) o->penalty = CAU_FOBOS_L2; /* equal for J = 1 */
    o->lambda = options->lambda;
    o->steps.J = sums_per_step(options);
    o->kept = most_steps(n);
    double most = 0;
    for (size_t j = 0; j < o->J; j++) {
        o->alpha[j] = options->alpha[j];
        most = fmax(most, fabs(o->alpha[j]));
    }
    o->farthest = CAU_ROWS_LARGEST / fmax(1, (double)o->J * most * most); /* w is finite as well */
    cau_rng_init(&o->at.rng, options->seed);
    if (allocate(o)) TRY(cau_fail_memory(ctx, "the weights of the experts"));
    load_weights(o, theta, 0, n);
    o->at.rate = options->rate;
    if (options->rate == 0 && choose_rate(o, theta, &o->at.rate))
        TRY(cau_fail_memory(ctx, "an example"));
    o->eager = options->eager; /* after the trials, which restore touched rows only */
    *out = (cau_solver){&fobos_ops, o};
    o = NULL;
done:
    fobos_free(o);
    return st;
}

size_t cau_fobos_bytes(const cau_online_problem *problem, const cau_fobos_options *options)
{
    size_t n, bytes, steps;
    const size_t per_weight = (options->J + 1) * sizeof(double);
    const size_t per_row = 2 * sizeof(uint32_t);
    const size_t per_step = (sums_per_step(options) + 2) * sizeof(double);
    if (!cau_rows_check(problem, &n)) return SIZE_MAX;
    steps = problem->examples < most_steps(n) ? problem->examples : most_steps(n);
    if (!cau_size_mul(n, per_weight, &bytes) ||
        !cau_size_add(bytes, cau_rows_count(problem) * per_row, &bytes) ||
        !cau_size_add(bytes, problem->examples * sizeof(uint32_t), &bytes) ||
        !cau_size_add(bytes, steps * per_step, &bytes))
        return SIZE_MAX;
    return bytes;
}
