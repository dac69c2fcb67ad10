/* alphas.c - the weights of the members of a pool.
 *
 * Grid, for any pool: the accuracy of its labels. One weight runs through 0, 1/20, .. 1 while the
 * others keep their proportions, then the next weight, until a round improves nothing. With two
 * members the first weight determines the other. Weights change only if that is better, and they
 * start equal.
 *
 * EM, for mixtures (MATH C.2), over cases n (sequences or positions):
 *     r_nj = alpha_j p_nj / sum_k alpha_k p_nk,     alpha_j = mean_n r_nj
 * The likelihood never falls, and is concave in alpha: there is one maximum.
 *
 * Gradient, for products (MATH D.2): L-BFGS on the loss, which is convex in alpha. On the simplex,
 *     alpha_j = exp b_j / sum_k exp b_k,     d/db_j = alpha_j (g_j - sum_k alpha_k g_k) */

#include "pool/members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "optim/batch.h"

enum {
    STEPS = 20,           /* of the grid */
    ROUNDS = 20,          /* of it, at most */
    EM_STEPS = 1000,      /* at most */
    GRADIENT_STEPS = 200, /* at most */
    HISTORY = 6,
};
static const double em_precision = 1e-9, gradient_precision = 1e-7;

/* Adds a message to a failure of votes.h. */
static caucus_status fail_votes(caucus_ctx *ctx, caucus_status st)
{
    if (st == CAUCUS_ERR_NUMERIC)
        return cau_fail(ctx, st,
                        "the probabilities of the held-out data are not finite; use a stronger "
                        "penalty");
    return cau_fail_memory(ctx, "the weights of the members");
}

/* ---- grid ---------------------------------------------------------------------------------- */

static caucus_status count_right(const cau_pool *pool, const cau_vote_sets *b, size_t *right)
{
    *right = 0;
    for (size_t i = 0; i < b->count; i++) {
        size_t correct, counted;
        const caucus_status st = cau_votes_label(b->votes[i], pool, NULL, &correct, &counted);
        if (st) return st;
        *right += correct;
    }
    return CAUCUS_OK;
}

/* Sets weight j to `value`. The others share the rest in their proportions, or equally if they are
 * all 0. */
static void set_weight(size_t J, const double *from, size_t j, double value, double *to)
{
    double others = 0;
    for (size_t k = 0; k < J; k++) others += k == j ? 0 : from[k];
    for (size_t k = 0; k < J; k++)
        to[k] = others > 0 ? from[k] / others * (1 - value) : (1 - value) / (double)(J - 1);
    to[j] = value;
}

static caucus_status search_grid(caucus_ctx *ctx, const cau_pool_options *o, const cau_vote_sets *b,
                                 double *alpha)
{
    const size_t J = b->J;
    double best[CAU_MEMBERS_MOST], trial[CAU_MEMBERS_MOST];
    cau_pool pool = {.J = J, .combine = o->combine, .per = o->per, .mix = o->mix, .alpha = alpha};
    size_t most, right;
    caucus_status st = count_right(&pool, b, &most);
    if (st) return fail_votes(ctx, st);
    pool.alpha = trial;
    bool better = true;
    for (size_t round = 0; round < ROUNDS && better; round++) {
        better = false;
        for (size_t j = 0; j < (J > 2 ? J : 1); j++) {
            memcpy(best, alpha, J * sizeof *best);
            for (int step = 0; step <= STEPS; step++) {
                set_weight(J, alpha, j, (double)step / STEPS, trial);
                st = count_right(&pool, b, &right);
                if (st) return fail_votes(ctx, st);
                if (right <= most) continue;
                most = right;
                better = true;
                memcpy(best, trial, J * sizeof *best);
            }
            memcpy(alpha, best, J * sizeof *best);
        }
        if (J == 2) break;
    }
    return CAUCUS_OK;
}

/* ---- EM ------------------------------------------------------------------------------------ */

/* One step over logp [cases][J]. */
static void em_step(size_t cases, size_t J, const double *logp, double *alpha)
{
    double sum[CAU_MEMBERS_MOST] = {0}, r[CAU_MEMBERS_MOST];
    for (size_t n = 0; n < cases; n++) {
        const double *row = logp + n * J;
        double top = -INFINITY, total = 0;
        for (size_t j = 0; j < J; j++)
            if (alpha[j] > 0) top = fmax(top, row[j]);
        if (top == -INFINITY) continue; /* impossible for all members: no evidence */
        for (size_t j = 0; j < J; j++) {
            r[j] = alpha[j] > 0 ? alpha[j] * exp(row[j] - top) : 0;
            total += r[j];
        }
        for (size_t j = 0; j < J; j++) sum[j] += r[j] / total;
    }
    double all = 0;
    for (size_t j = 0; j < J; j++) all += sum[j];
    for (size_t j = 0; j < J && all > 0; j++) alpha[j] = sum[j] / all;
}

static caucus_status run_em(caucus_ctx *ctx, cau_per per, const cau_vote_sets *b, double *alpha)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = b->J;
    size_t cases = 0;
    for (size_t i = 0; i < b->count; i++) cases += cau_votes_cases(b->votes[i], per);
    double *logp = cau_vector(cases, J * sizeof *logp), before[CAU_MEMBERS_MOST], move = 1;
    if (!logp) TRY(fail_votes(ctx, CAUCUS_ERR_MEMORY));
    for (size_t i = 0, at = 0; i < b->count; i++) {
        st = cau_votes_likelihoods(b->votes[i], per, logp + at * J);
        if (st) TRY(fail_votes(ctx, st));
        at += cau_votes_cases(b->votes[i], per);
    }
    for (size_t step = 0; step < EM_STEPS && move > em_precision; step++) {
        memcpy(before, alpha, J * sizeof *before);
        em_step(cases, J, logp, alpha);
        move = 0;
        for (size_t j = 0; j < J; j++) move = fmax(move, fabs(alpha[j] - before[j]));
    }
done:
    free(logp);
    return st;
}

/* ---- gradient ------------------------------------------------------------------------------ */

typedef struct {
    const cau_vote_sets *sets;
    cau_per per;
    bool free;
} alpha_problem;

/* From the parameters of the solver to alphas. */
static void set_alphas(const alpha_problem *p, const double *b, double *alpha)
{
    const size_t J = p->sets->J;
    double top = b[0], sum = 0;
    for (size_t j = 0; j < J; j++) top = fmax(top, b[j]);
    for (size_t j = 0; j < J; j++) {
        alpha[j] = p->free ? b[j] : exp(b[j] - top);
        sum += alpha[j];
    }
    for (size_t j = 0; j < J && !p->free; j++) alpha[j] /= sum;
}

/* The loss and its gradient: a cau_objective. */
static caucus_status product_loss(void *self, const double *b, double *f, double *g)
{
    const alpha_problem *p = self;
    const size_t J = p->sets->J;
    double alpha[CAU_MEMBERS_MOST], part[CAU_MEMBERS_MOST], loss, mean = 0;
    set_alphas(p, b, alpha);
    memset(g, 0, J * sizeof *g);
    *f = 0;
    for (size_t i = 0; i < p->sets->count; i++) {
        const caucus_status st = cau_votes_loss(p->sets->votes[i], p->per, alpha, &loss, part);
        if (st) return st;
        *f += loss;
        for (size_t j = 0; j < J; j++) g[j] += part[j];
    }
    for (size_t j = 0; j < J; j++) mean += alpha[j] * g[j];
    for (size_t j = 0; j < J && !p->free; j++) g[j] = alpha[j] * (g[j] - mean);
    return CAUCUS_OK;
}

static caucus_status learn_alphas(caucus_ctx *ctx, const cau_pool_options *o,
                                  const cau_vote_sets *b, double *alpha)
{
    caucus_status st = CAUCUS_OK;
    alpha_problem p = {.sets = b, .per = o->per, .free = o->free_alphas};
    const cau_lbfgs_problem problem = {.n = b->J,
                                       .evaluate = product_loss,
                                       .self = &p,
                                       .threads = 1,
                                       .history = HISTORY,
                                       .penalised = b->J};
    const cau_stop_rule rule = {
        .epsilon = gradient_precision, .delta = 1e-12, .period = 5, .iterations = GRADIENT_STEPS};
    cau_stop_state state = {0};
    cau_solver solver = {0};
    double start[CAU_MEMBERS_MOST] = {0};
    cau_iterate it;
    bool best;
    if (o->free_alphas) memcpy(start, alpha, b->J * sizeof *start);
    TRY(cau_lbfgs_new(ctx, &problem, start, &solver));
    do {
        st = solver.ops->step(solver.self, &it);
        if (st) TRY(fail_votes(ctx, st));
    } while (!cau_stop_check(&rule, &state, &it, NAN, 0, &best));
    set_alphas(&p, solver.ops->weights(solver.self), alpha);
done:
    if (solver.ops) solver.ops->free(solver.self);
    return st;
}

/* ---- the choice ---------------------------------------------------------------------------- */

caucus_status cau_alphas_choose(caucus_ctx *ctx, const cau_pool_options *o, const cau_vote_sets *b,
                                size_t J, double *alpha)
{
    size_t cases = 0;
    for (size_t j = 0; j < J; j++) alpha[j] = 1 / (double)J;
    if (o->alphas == CAU_ALPHAS_EQUAL || J < 2) return CAUCUS_OK;
    for (size_t i = 0; i < b->count; i++) cases += cau_votes_cases(b->votes[i], CAU_PER_SEQUENCE);
    if (cases == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the held-out data has no sequence whose labels are all known, so weights "
                        "cannot be chosen by it; use --alphas equal");
    switch (o->alphas) {
    case CAU_ALPHAS_EQUAL:
        break;
    case CAU_ALPHAS_GRID:
        return search_grid(ctx, o, b, alpha);
    case CAU_ALPHAS_EM:
        return run_em(ctx, o->per, b, alpha);
    case CAU_ALPHAS_LEARN:
        return learn_alphas(ctx, o, b, alpha);
    }
    return CAUCUS_OK;
}
