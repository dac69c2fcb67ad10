/* pool.c - the lattices and paths of voting models.
 *
 * Every lattice defines a Markov chain: it starts with p(y_0|x) and continues with
 * p(y_t|y_{t-1},x), which depend on later positions through the sums of the backward pass. In
 * logarithms, for a member with scores node and edge,
 *     B_{T-1}(y) = 0
 *     B_{t-1}(i) = log sum_y exp( edge_t(i,y) + node_t(y) + B_t(y) )
 *     log Z                      = log sum_y exp( node_0(y) + B_0(y) )
 *     log p(y_0 = y|x)           = node_0(y) + B_0(y) - log Z
 *     log p(y_t = y|y_{t-1}=i,x) = edge_t(i,y) + node_t(y) + B_t(y) - B_{t-1}(i)
 * None of this depends on the probability of i, so rows of improbable labels are as exact as
 * others.
 *
 * Every lattice computed here combines such rows of all members, one for each previous label i:
 *     product by transition   sum_j alpha_j log p_j(y_t|i,x), normalised to sum to 1
 *     mixture                 log sum_j v_j p_j(y_t|i,x)
 * The two mixtures differ in the votes v_j. By transition they are the weights alpha_j, or the
 * weights of position t if there is a gate. The chain with the pair marginals of the mixture by
 * sequence is sum_j alpha_j p_j(i, y_t|x) / sum_j alpha_j p_j(i|x), a mixture of the same rows in
 * which the vote of a member is proportional to its probability of i:
 *     v_j    = alpha_j p_j(y_{t-1}=i|x) / sum_k alpha_k p_k(y_{t-1}=i|x)
 * That needs log p_j(y_t|x) = A_t + B_t - log Z, and so the forward pass as well:
 *     A_0(y) = node_0(y)
 *     A_t(y) = node_t(y) + log sum_i exp( A_{t-1}(i) + edge_t(i,y) )
 *
 * A label i without any continuation for a member, B(i) = -INFINITY, has no row for this member. A
 * product never reaches i. A mixture by transition may reach it through other members; their votes
 * are then scaled to sum to 1. With weights by position there may be no other members with weight;
 * then no path of the mixture passes through i.
 *
 * Time O(J T Y^2), memory O(J T Y + T Y^2).
 * [1] Sutton, Sindelar, McCallum. Reducing weight undertraining in structured discriminative
 *     learning. HLT-NAACL 2006. */

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "model/chain_work.h"
#include "model/pool.h"

/* A member with weight, and the sums over its lattice. */
typedef struct {
    cau_lattice x;
    size_t j; /* index of the member */
    double alpha;
    double mixing; /* in a mixture, the log of its weight at the current position */
    double logz;
    double *B; /* [T][stride] */
    double *P; /* [T][stride] log p(y_t|x), if votes depend on it */
} pool_voter;

/* A path to be scored by all members. */
typedef struct {
    const uint32_t *path; /* [T] */
    size_t T;
    double logp;
} pool_path;

struct cau_pool_work {
    cau_chain_work *chain;
    size_t J;
    pool_voter *voter; /* [J] */
    size_t voters;     /* of the current lattices */
    double *vote;      /* [voters] */
    double *bound;     /* [voters] log probabilities of paths in no list */
    double *row;       /* [J][stride] of each voter, from one label */
    double *mixed;     /* [stride] */

    size_t T;       /* capacity in positions */
    double *memory; /* [J][2][T][stride] B and P of each voter */

    pool_path *candidate;
    size_t candidate_capacity;
    uint32_t *path;
    size_t path_capacity;
    double *score; /* of one list */
    size_t score_capacity;
};

/* ---- memory ----------------------------------------------------------------------------- */

caucus_status cau_pool_work_new(caucus_ctx *ctx, size_t Y, size_t J, cau_pool_work **out)
{
    caucus_status st = CAUCUS_ERR_MEMORY;
    size_t cells;
    cau_pool_work *work = cau_calloc(1, sizeof *work);
    if (!work) goto done;
    TRY(cau_chain_work_new(ctx, Y, &work->chain));
    st = CAUCUS_ERR_MEMORY;
    if (!cau_size_mul(J, work->chain->stride, &cells)) goto done;
    work->J = J;
    work->voter = cau_calloc(J, sizeof *work->voter);
    work->vote = cau_calloc(J, sizeof *work->vote);
    work->bound = cau_calloc(J, sizeof *work->bound);
    work->row = cau_vector(cells, sizeof *work->row);
    work->mixed = cau_vector(work->chain->stride, sizeof *work->mixed);
    if (!work->voter || !work->vote || !work->bound || !work->row || !work->mixed) goto done;
    *out = work, work = NULL;
    st = CAUCUS_OK;
done:
    cau_pool_work_free(work);
    return st ? cau_fail_memory(ctx, "the members of a pool") : CAUCUS_OK;
}

void cau_pool_work_free(cau_pool_work *work)
{
    if (!work) return;
    cau_chain_work_free(work->chain);
    free(work->voter);
    free(work->vote);
    free(work->bound);
    free(work->row);
    free(work->mixed);
    free(work->memory);
    free(work->candidate);
    free(work->path);
    free(work->score);
    free(work);
}

/* Makes room for T positions. On CAUCUS_ERR_MEMORY nothing changes. */
static caucus_status reserve(cau_pool_work *work, size_t T)
{
    if (T > work->T) {
        size_t row, all;
        if (T < work->T + work->T / 2) T = work->T + work->T / 2;
        if (!cau_size_mul(2 * work->chain->stride, work->J, &row) || !cau_size_mul(row, T, &all))
            return CAUCUS_ERR_MEMORY;
        double *memory = cau_vector(all, sizeof *memory);
        if (!memory) return CAUCUS_ERR_MEMORY;
        free(work->memory);
        work->memory = memory;
        work->T = T;
    }
    for (size_t j = 0; j < work->J; j++) {
        work->voter[j].B = work->memory + 2 * j * work->T * work->chain->stride;
        work->voter[j].P = work->voter[j].B + work->T * work->chain->stride;
    }
    return CAUCUS_OK;
}

/* ---- one member ------------------------------------------------------------------------- */

/* log sum_i exp x[i]; -INFINITY if all x[i] are. */
static double log_sum(size_t n, const double *x)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > most) most = x[i];
    if (most == -INFINITY) return most;
    for (size_t i = 0; i < n; i++) sum += exp(x[i] - most);
    return most + log(sum);
}

static void fill(size_t n, double value, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = value;
}

/* Whether all scores are numbers below infinity. */
static bool possible(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] < INFINITY)) return false;
    return true;
}

/* Computes B and log Z. CAUCUS_ERR_NUMERIC if no path is possible or scores are not finite. */
static caucus_status sum_backward(cau_chain_work *chain, pool_voter *v)
{
    const cau_lattice *x = &v->x;
    const size_t T = x->T, Y = x->Y, stride = chain->stride;
    if (!possible(T * Y, x->node)) return CAUCUS_ERR_NUMERIC;
    if (T > 1 && !possible(x->per_position ? (T - 1) * Y * Y : Y * Y, cau_chain_edges(x, 1)))
        return CAUCUS_ERR_NUMERIC;

    double *G = chain->beta; /* node_t(y) + B_t(y) */
    fill(stride, 0, v->B + (T - 1) * stride);
    for (size_t t = T - 1;; t--) {
        for (size_t y = 0; y < Y; y++) G[y] = x->node[t * Y + y] + v->B[t * stride + y];
        if (t == 0) break;
        if (t == T - 1 || x->per_position)
            cau_chain_transpose(chain, Y, cau_chain_edges(x, t), chain->back);
        chain->kernels->chain_log(Y, stride, G, chain->back, v->B + (t - 1) * stride);
    }
    v->logz = log_sum(Y, G);
    return isfinite(v->logz) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

/* Computes P; needs B. */
static void sum_forward(cau_chain_work *chain, pool_voter *v)
{
    const cau_lattice *x = &v->x;
    const size_t T = x->T, Y = x->Y, stride = chain->stride;
    double *A = v->P;
    memcpy(A, x->node, Y * sizeof *A);
    for (size_t t = 1; t < T; t++) {
        double *to = A + t * stride;
        if (t == 1 || x->per_position) cau_chain_pad(chain, cau_chain_edges(x, t), chain->edge);
        chain->kernels->chain_log(Y, stride, to - stride, chain->edge, to);
        for (size_t y = 0; y < Y; y++) to[y] += x->node[t * Y + y];
    }
    for (size_t t = 0; t < T; t++)
        for (size_t y = 0; y < Y; y++)
            v->P[t * stride + y] = A[t * stride + y] + v->B[t * stride + y] - v->logz;
}

/* log p(y_0 = y|x). */
static double first_row(const pool_voter *v, size_t y)
{
    return v->x.node[y] + v->B[y] - v->logz;
}

/* log p(y_t = y | y_{t-1} = i, x); -INFINITY if i has no continuation. */
static double next_row(const pool_voter *v, size_t stride, size_t t, size_t i, size_t y)
{
    const size_t Y = v->x.Y;
    const double before = v->B[(t - 1) * stride + i];
    if (before == -INFINITY) return -INFINITY;
    return cau_chain_edges(&v->x, t)[i * Y + y] + v->x.node[t * Y + y] + v->B[t * stride + y] -
           before;
}

/* ---- all members: rows ------------------------------------------------------------------ */

/* Whether member j has weight at any position: in a mixture, a positive one. */
static bool has_say(const cau_pool *pool, size_t T, size_t j)
{
    if (pool->combine == CAU_COMBINE_PRODUCT) return pool->alpha[j] != 0;
    if (!pool->mixing) return pool->alpha[j] > 0;
    for (size_t t = 0; t < T; t++)
        if (pool->mixing[t * pool->J + j] > 0) return true;
    return false;
}

static void call(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x)
{
    assert(pool->J <= work->J);
    const bool product = pool->combine == CAU_COMBINE_PRODUCT;
    work->voters = 0;
    for (size_t j = 0; j < pool->J; j++) {
        if (!has_say(pool, x->T, j)) continue;
        pool_voter *v = &work->voter[work->voters++];
        v->x = x[j];
        v->j = j;
        v->alpha = pool->alpha[j];
        v->mixing = product ? 0 : log(v->alpha);
    }
}

/* Sets the weights of the voters at position t, if they differ between positions. */
static void set_weights(cau_pool_work *work, const cau_pool *pool, size_t t)
{
    for (size_t j = 0; pool->mixing && j < work->voters; j++)
        work->voter[j].mixing = log(pool->mixing[t * pool->J + work->voter[j].j]);
}

/* Whether all weights by position are valid. */
static bool mixing_fits(const cau_pool *pool, size_t T)
{
    for (size_t i = 0; pool->mixing && i < T * pool->J; i++)
        if (!(pool->mixing[i] >= 0 && pool->mixing[i] < INFINITY)) return false;
    return true;
}

/* to[y] = sum_j alpha_j row_j(y), normalised; impossible if impossible for one voter. */
static void multiply_rows(cau_pool_work *work, size_t Y, double *to)
{
    const size_t stride = work->chain->stride;
    for (size_t y = 0; y < Y; y++) {
        bool none = false;
        double sum = 0;
        for (size_t j = 0; j < work->voters; j++) {
            const double logp = work->row[j * stride + y];
            none |= logp == -INFINITY;
            sum += work->voter[j].alpha * logp;
        }
        to[y] = none ? -INFINITY : sum;
    }
    const double total = log_sum(Y, to);
    for (size_t y = 0; total > -INFINITY && y < Y; y++) to[y] -= total;
}

/* to[y] = log sum_j v_j exp row_j(y), with v_j = exp vote_j / sum_k exp vote_k; impossible if all
 * votes are -INFINITY. */
static void mix_rows(cau_pool_work *work, size_t Y, double *to)
{
    const double total = log_sum(work->voters, work->vote);
    for (size_t j = 0; total > -INFINITY && j < work->voters; j++) work->vote[j] -= total;
    work->chain->kernels->chain_log(work->voters, work->chain->stride, work->vote, work->row,
                                    work->mixed);
    memcpy(to, work->mixed, Y * sizeof *to);
}

static void join(cau_pool_work *work, const cau_pool *pool, size_t Y, double *to)
{
    if (pool->combine == CAU_COMBINE_PRODUCT)
        multiply_rows(work, Y, to);
    else
        mix_rows(work, Y, to);
}

/* log p(y_0|x) of the pool. */
static void join_first(cau_pool_work *work, const cau_pool *pool, size_t Y, double *to)
{
    for (size_t j = 0; j < work->voters; j++) {
        const pool_voter *v = &work->voter[j];
        for (size_t y = 0; y < Y; y++) work->row[j * work->chain->stride + y] = first_row(v, y);
        work->vote[j] = v->mixing;
    }
    join(work, pool, Y, to);
}

/* log p(y_t | y_{t-1} = i, x) of the pool. */
static void join_next(cau_pool_work *work, const cau_pool *pool, size_t Y, size_t t, size_t i,
                      double *to)
{
    const size_t stride = work->chain->stride, before = (t - 1) * stride + i;
    for (size_t j = 0; j < work->voters; j++) {
        const pool_voter *v = &work->voter[j];
        for (size_t y = 0; y < Y; y++) work->row[j * stride + y] = next_row(v, stride, t, i, y);
        work->vote[j] = v->B[before] == -INFINITY ? -INFINITY : v->mixing;
        if (pool->per == CAU_PER_SEQUENCE) work->vote[j] += v->P[before];
    }
    join(work, pool, Y, to);
}

/* log p(y_t|x) of a mixture by sequence. */
static void join_posterior(cau_pool_work *work, size_t Y, size_t t, double *to)
{
    const size_t stride = work->chain->stride;
    for (size_t j = 0; j < work->voters; j++) {
        const pool_voter *v = &work->voter[j];
        memcpy(work->row + j * stride, v->P + t * stride, Y * sizeof *v->P);
        work->vote[j] = v->mixing;
    }
    mix_rows(work, Y, to);
}

/* ---- all members: lattices -------------------------------------------------------------- */

caucus_status cau_pool_lattice(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                               cau_lattice *out)
{
    assert(pool->J > 0 && !cau_pool_collapses(pool) && pool->combine != CAU_COMBINE_STACK);
    assert(!pool->mixing || cau_pool_takes_gate(pool));
    const size_t T = x->T, Y = x->Y;
    const bool sequence = pool->per == CAU_PER_SEQUENCE;
    const bool posterior = sequence && pool->mix == CAU_MIX_POSTERIOR;
    cau_chain_work *chain = work->chain;
    caucus_status st = CAUCUS_OK;
    if (!mixing_fits(pool, T)) return CAUCUS_ERR_NUMERIC;
    TRY(reserve(work, T));
    TRY(cau_chain_reserve_lattice(chain, T));
    call(work, pool, x);
    if (work->voters == 0) return CAUCUS_ERR_NUMERIC;
    for (size_t j = 0; j < work->voters; j++) {
        TRY(sum_backward(chain, &work->voter[j]));
        if (sequence) sum_forward(chain, &work->voter[j]);
    }

    double *node = chain->lattice_node, *edge = chain->lattice_edge;
    if (posterior) {
        for (size_t t = 0; t < T; t++) join_posterior(work, Y, t, node + t * Y);
        fill(Y * Y, 0, edge);
    } else {
        set_weights(work, pool, 0);
        join_first(work, pool, Y, node);
        fill((T - 1) * Y, 0, node + Y);
        for (size_t t = 1; t < T; t++) {
            set_weights(work, pool, t);
            for (size_t i = 0; i < Y; i++) join_next(work, pool, Y, t, i, edge + (t * Y + i) * Y);
        }
    }
    const cau_lattice joined = {
        .T = T, .Y = Y, .node = node, .edge = edge, .per_position = !posterior};

    /* A mixture has the paths of its members. A product may have no path left, and so may a mixture
     * whose weights differ between positions. */
    if (pool->combine == CAU_COMBINE_PRODUCT || pool->mixing)
        TRY(cau_chain_best(chain, &joined, NULL, NULL));
    *out = joined;
done:
    return st;
}

/* ---- all members: paths ----------------------------------------------------------------- */

/* Orders by decreasing probability, ties as in cau_chain_best, so that equal paths of several
 * members, which have equal scores, are adjacent. */
static int compare(const void *a, const void *b)
{
    const pool_path *p = a, *q = b;
    if (p->logp != q->logp) return p->logp > q->logp ? -1 : 1;
    for (size_t t = p->T; t-- > 0;)
        if (p->path[t] != q->path[t]) return p->path[t] < q->path[t] ? -1 : 1;
    return 0;
}

/* log sum_j alpha_j p_j(y|x). */
static double mixed_path(cau_pool_work *work, const uint32_t *path)
{
    for (size_t j = 0; j < work->voters; j++) {
        const pool_voter *v = &work->voter[j];
        work->vote[j] = v->mixing + cau_chain_score(&v->x, path) - v->logz;
    }
    return log_sum(work->voters, work->vote);
}

/* Appends the n best paths of a voter in the lattice x, which is its own or a part of it, to the
 * candidates; `found` counts these. *last is the log probability of the last of n paths, or
 * -INFINITY if the list has all of them. The caller makes room. */
static caucus_status list_paths(cau_pool_work *work, const pool_voter *v, const cau_lattice *x,
                                size_t n, size_t *found, double *last)
{
    const size_t T = x->T;
    size_t listed;
    uint32_t *paths = work->path + *found * T;
    const caucus_status st = cau_chain_nbest(work->chain, x, n, paths, work->score, &listed);
    if (st) return st;
    for (size_t i = 0; i < listed; i++)
        work->candidate[(*found)++] = (pool_path){.path = paths + i * T, .T = T};
    *last = listed == n ? work->score[n - 1] - v->logz : -INFINITY;
    return CAUCUS_OK;
}

/* Scores the candidates, and copies the best of them, each once. */
static void rank_candidates(cau_pool_work *work, size_t found, size_t most, size_t T,
                            uint32_t *paths, double *logp, size_t *count)
{
    size_t kept = 0;
    for (size_t c = 0; c < found; c++)
        work->candidate[c].logp = mixed_path(work, work->candidate[c].path);
    if (found > 1) qsort(work->candidate, found, sizeof *work->candidate, compare);
    for (size_t c = 0; c < found && kept < most; c++) {
        const pool_path *at = &work->candidate[c];
        if (c > 0 && compare(at - 1, at) == 0) continue;
        memcpy(paths + kept * T, at->path, T * sizeof *paths);
        logp[kept++] = at->logp;
    }
    *count = kept;
}

/* Room for lists of n paths of all voters. */
static bool reserve_lists(cau_pool_work *work, size_t n, size_t T)
{
    size_t all, labels;
    return cau_size_mul(work->voters, n, &all) && cau_size_mul(all, T, &labels) &&
           CAU_GROW(work->candidate, work->candidate_capacity, all) &&
           CAU_GROW(work->path, work->path_capacity, labels) &&
           CAU_GROW(work->score, work->score_capacity, n);
}

/* The voters, and log Z of each. */
static caucus_status call_and_sum(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x)
{
    assert(pool->J > 0 && pool->combine == CAU_COMBINE_MIXTURE && !pool->mixing);
    caucus_status st = CAUCUS_OK;
    call(work, pool, x);
    if (work->voters == 0) return CAUCUS_ERR_NUMERIC;
    for (size_t j = 0; !st && j < work->voters; j++) {
        pool_voter *v = &work->voter[j];
        st = cau_chain_sum(work->chain, &v->x, &v->logz, NULL, NULL);
    }
    return st;
}

caucus_status cau_pool_rescore(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                               size_t n, size_t most, uint32_t *paths, double *logp, size_t *count)
{
    caucus_status st = CAUCUS_OK;
    size_t found = 0;
    double last;
    TRY(call_and_sum(work, pool, x));
    if (!reserve_lists(work, n, x->T)) TRY(CAUCUS_ERR_MEMORY);
    for (size_t j = 0; n > 0 && j < work->voters; j++)
        TRY(list_paths(work, &work->voter[j], &work->voter[j].x, n, &found, &last));
    rank_candidates(work, found, most, x->T, paths, logp, count);
done:
    return st;
}

/* log sum_j alpha_j p_j(C|x), C being the paths of `allowed`: work->vote [voters] are the terms,
 * -INFINITY for voters that have no such path. */
static caucus_status sum_allowed(cau_pool_work *work, const cau_lattice *allowed, double *logp)
{
    for (size_t j = 0; j < work->voters; j++) {
        const pool_voter *v = &work->voter[j];
        double logz = -INFINITY;
        const caucus_status st = cau_chain_sum(work->chain, &allowed[v->j], &logz, NULL, NULL);
        if (st && st != CAUCUS_ERR_NUMERIC) return st;
        work->vote[j] = st ? -INFINITY : v->mixing + logz - v->logz;
    }
    *logp = log_sum(work->voters, work->vote);
    return isfinite(*logp) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

caucus_status cau_pool_exact(cau_pool_work *work, const cau_pool *pool, const cau_lattice *x,
                             const cau_lattice *allowed, cau_pool_search *search)
{
    caucus_status st = CAUCUS_OK;
    const size_t T = x->T, most = search->most;
    const double rounding = 1e-12;
    size_t n = most > CAU_RESCORE ? most : CAU_RESCORE;
    TRY(call_and_sum(work, pool, x));
    search->log_allowed = 0;
    if (allowed) TRY(sum_allowed(work, allowed, &search->log_allowed));
    for (;; n *= 2) {
        size_t found = 0, voters = 0;
        if (!reserve_lists(work, n, T)) TRY(CAUCUS_ERR_MEMORY);
        for (size_t j = 0; j < work->voters; j++) {
            const pool_voter *v = &work->voter[j];
            double last = -INFINITY;
            st = list_paths(work, v, allowed ? &allowed[v->j] : &v->x, n, &found, &last);
            if (st == CAUCUS_ERR_NUMERIC && allowed)
                st = CAUCUS_OK; /* no path of this member is allowed */
            if (st) goto done;
            work->bound[voters++] = v->mixing + last;
        }
        rank_candidates(work, found, most, T, search->paths, search->logp, &search->count);
        const double bound = log_sum(voters, work->bound);
        search->certified = bound == -INFINITY ||
                            (search->count == most && search->logp[most - 1] >= bound - rounding);
        if (search->certified || n > search->limit / 2) break;
    }
done:
    return st;
}

/* ---- likelihoods for learning alphas ------------------------------------------------------ */

caucus_status cau_pool_by_sequence(cau_pool_work *work, size_t J, const cau_lattice *x,
                                   const uint32_t *gold, double *logp)
{
    for (size_t j = 0; j < J; j++) {
        double logz;
        const caucus_status st = cau_chain_sum(work->chain, &x[j], &logz, NULL, NULL);
        if (st) return st;
        logp[j] = cau_chain_score(&x[j], gold) - logz;
    }
    return CAUCUS_OK;
}

caucus_status cau_pool_by_transition(cau_pool_work *work, size_t J, const cau_lattice *x,
                                     const uint32_t *gold, double *logp)
{
    caucus_status st = CAUCUS_OK;
    TRY(reserve(work, x->T));
    for (size_t j = 0; j < J; j++) {
        pool_voter *v = &work->voter[0];
        v->x = x[j];
        TRY(sum_backward(work->chain, v));
        for (size_t t = 0; t < x->T; t++)
            logp[t * J + j] = t == 0 ? first_row(v, gold[0])
                                     : next_row(v, work->chain->stride, t, gold[t - 1], gold[t]);
    }
done:
    return st;
}
