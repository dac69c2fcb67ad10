/* paths.h - chains and pools of chains by brute force: every labelling of a short sequence, one by
 * one. The sums are those of the definitions, not recursions over positions, and share no code with
 * the functions under test. */

#ifndef CAU_SUPPORT_PATHS_H
#define CAU_SUPPORT_PATHS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/chain.h"
#include "model/chain_work.h"
#include "model/model.h"
#include "model/pool.h"
#include "support/support.h"

/* ---- one chain ----------------------------------------------------------------------- */

enum { SMALL_Y = 4, SMALL_T = 5, SMALL_PATHS = 1024 };

/* Moves to the next path: the first label changes fastest. False after the last path. Start with
 * zeros. */
static inline bool path_next(size_t T, size_t Y, uint32_t *path)
{
    for (size_t t = 0; t < T; t++) {
        if (++path[t] < Y) return true;
        path[t] = 0;
    }
    return false;
}

static inline long double path_score(const cau_lattice *x, const uint32_t *path)
{
    long double score = 0;
    for (size_t t = 0; t < x->T; t++) {
        score += x->node[t * x->Y + path[t]];
        if (t == 0) continue;
        const size_t edge = path[t - 1] * x->Y + path[t];
        score += x->edge[x->per_position ? t * x->Y * x->Y + edge : edge];
    }
    return score;
}

static inline bool path_allowed(size_t T, const uint32_t *path, const uint32_t *gold,
                                const cau_label_sets *sets)
{
    for (size_t t = 0; t < T; t++) {
        if (gold[t] == CAU_UNKNOWN) continue;
        if (gold[t] < CAU_SET) {
            if (path[t] != gold[t]) return false;
            continue;
        }
        bool found = false;
        const size_t s = gold[t] - CAU_SET;
        for (size_t i = sets->start[s]; i < sets->start[s + 1]; i++)
            found |= sets->label[i] == path[t];
        if (!found) return false;
    }
    return true;
}

/* log Z, p(y_t) and p(y_{t-1}, y_t) as sums over paths. */
typedef struct {
    long double logz;
    long double node[SMALL_T][SMALL_Y], edge[SMALL_T][SMALL_Y][SMALL_Y];
} path_sums;

/* Sums over the paths that gold allows; NULL: over all paths. */
static inline path_sums paths_sum(const cau_lattice *x, const uint32_t *gold,
                                  const cau_label_sets *sets)
{
    path_sums sums = {.logz = -INFINITY};
    long double top = -INFINITY, z = 0;
    uint32_t path[SMALL_T] = {0};
    do {
        if (!gold || path_allowed(x->T, path, gold, sets)) top = fmaxl(top, path_score(x, path));
    } while (path_next(x->T, x->Y, path));
    if (top == -INFINITY) return sums;
    do {
        if (!gold || path_allowed(x->T, path, gold, sets)) z += expl(path_score(x, path) - top);
    } while (path_next(x->T, x->Y, path));
    sums.logz = top + logl(z);
    do {
        if (gold && !path_allowed(x->T, path, gold, sets)) continue;
        const long double p = expl(path_score(x, path) - sums.logz);
        for (size_t t = 0; t < x->T; t++) {
            sums.node[t][path[t]] += p;
            if (t > 0) sums.edge[t][path[t - 1]][path[t]] += p;
        }
    } while (path_next(x->T, x->Y, path));
    return sums;
}

/* n numbers within +-size; if size is 0, integers from -2 to 2, which give ties. Each is -INFINITY
 * with probability `impossible`. The caller frees them. */
static inline double *random_scores(cau_rng *rng, size_t n, double size, double impossible)
{
    double *x = malloc((n ? n : 1) * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        x[i] = size > 0 ? size * (2 * cau_rng_real(rng) - 1) : (double)cau_rng_below(rng, 5) - 2;
        if (impossible > 0 && cau_rng_real(rng) < impossible) x[i] = -INFINITY;
    }
    return x;
}

/* A random chain; free it with lattice_clear. */
static inline cau_lattice random_lattice(cau_rng *rng, size_t T, size_t Y, bool own, double size,
                                         double impossible)
{
    return (cau_lattice){.T = T,
                         .Y = Y,
                         .node = random_scores(rng, T * Y, size, impossible),
                         .edge = random_scores(rng, (own ? T : 1) * Y * Y, size, impossible),
                         .per_position = own};
}

static inline void lattice_clear(cau_lattice *x)
{
    free((void *)(uintptr_t)x->node);
    free((void *)(uintptr_t)x->edge);
}

static inline cau_chain_work *new_chain_work(size_t Y)
{
    caucus_ctx *ctx = test_ctx();
    cau_chain_work *work = NULL;
    assert_ok(ctx, cau_chain_work_new(ctx, Y, &work));
    caucus_ctx_free(ctx);
    return work;
}

/* For test_every_allocation. */
typedef struct {
    caucus_ctx *ctx;
    cau_lattice x;
} lattice_case;

/* Fails each allocation of `work`, called with a lattice_case; there must be at least `least`. */
static inline void check_lattice_memory(caucus_status (*work)(void *self), size_t T, size_t Y,
                                        bool own, size_t least)
{
    cau_rng rng;
    cau_rng_init(&rng, 4);
    lattice_case self = {.ctx = test_ctx(), .x = random_lattice(&rng, T, Y, own, 1, 0)};
    assert_true(test_every_allocation(work, &self) >= least);
    lattice_clear(&self.x);
    caucus_ctx_free(self.ctx);
}

/* A gold label per position; with `open` some are unknown or sets of labels. */
static inline void random_gold(cau_rng *rng, size_t T, size_t Y, bool open, uint32_t *gold)
{
    for (size_t t = 0; t < T; t++) {
        gold[t] = (uint32_t)cau_rng_below(rng, Y);
        if (!open || cau_rng_below(rng, 3) == 0) continue;
        gold[t] = cau_rng_below(rng, 2) || Y < 4 ? CAU_UNKNOWN
                                                 : CAU_SET + (uint32_t)cau_rng_below(rng, 2);
    }
}

/* Set 0 is {0, 2}, set 1 is {1, 2, 3}. */
static inline const cau_label_sets *sample_sets(void)
{
    static size_t start[] = {0, 2, 5};
    static uint32_t label[] = {0, 2, 1, 2, 3};
    static const cau_label_sets sets = {.count = 2, .start = start, .label = label};
    return &sets;
}

/* ---- several chains, combined in log space ------------------------------------------- */

enum { TRIAL_J = 3, TRIAL_T = 4, TRIAL_Y = 3, TRIAL_PATHS = 81 };

#define IMPOSSIBLE ((long double)-INFINITY)

static inline long double log_add(long double a, long double b)
{
    if (a < b) return log_add(b, a);
    return b == IMPOSSIBLE ? a : a + log1pl(expl(b - a));
}

static inline long double log_total(size_t n, const long double *x)
{
    long double sum = IMPOSSIBLE;
    for (size_t i = 0; i < n; i++) sum = log_add(sum, x[i]);
    return sum;
}

/* Shifts the logs x so that their numbers sum to 1, unless all are impossible. */
static inline void normalise_logs(size_t n, long double *x)
{
    const long double total = log_total(n, x);
    for (size_t i = 0; total > IMPOSSIBLE && i < n; i++) x[i] -= total;
}

/* log p(y_t|y_{t-1}); at position 0, log p(y_0) in every row. */
typedef struct {
    long double row[TRIAL_T][TRIAL_Y][TRIAL_Y];
} conditionals;

typedef struct {
    size_t J, T, Y, paths;
    cau_lattice x[TRIAL_J];
    double alpha[TRIAL_J];
    double mixing[TRIAL_T * TRIAL_J];       /* [T][J] */
    bool gated;                             /* weights are mixing, not alpha */
    uint32_t path[TRIAL_PATHS][SMALL_T];    /* in the order of path_next */
    long double logp[TRIAL_J][TRIAL_PATHS]; /* log p_j(y|x) */
    bool possible[TRIAL_J];                 /* member j allows at least one path */
    conditionals after[TRIAL_J];
} trial;

/* The score of a path from position t on, with the edge into t. */
static inline long double rest_score(const cau_lattice *x, const uint32_t *path, size_t t)
{
    const size_t Y = x->Y;
    long double score = 0;
    for (size_t u = t; u < x->T; u++) {
        score += x->node[u * Y + path[u]];
        if (u > 0) score += x->edge[(x->per_position ? u * Y * Y : 0) + path[u - 1] * Y + path[u]];
    }
    return score;
}

/* Sums over the continuations of i: over the paths that have i at t - 1, and 0 before that. */
static inline conditionals find_conditionals(const trial *c, const cau_lattice *x)
{
    conditionals out;
    for (size_t t = 0; t < c->T; t++)
        for (size_t i = 0; i < c->Y; i++) {
            long double *row = out.row[t][i];
            for (size_t y = 0; y < c->Y; y++) row[y] = IMPOSSIBLE;
            for (size_t k = 0; k < c->paths; k++) {
                bool here = t == 0 || c->path[k][t - 1] == i;
                for (size_t u = 0; u + 1 < t; u++) here &= c->path[k][u] == 0;
                if (!here) continue;
                long double *cell = &row[c->path[k][t]];
                *cell = log_add(*cell, rest_score(x, c->path[k], t));
            }
            normalise_logs(c->Y, row);
        }
    return out;
}

/* Computes everything else from x and alpha. */
static inline void complete_trial(trial *c)
{
    uint32_t path[SMALL_T] = {0};
    c->paths = 0;
    do memcpy(c->path[c->paths++], path, sizeof path);
    while (path_next(c->T, c->Y, path));
    for (size_t j = 0; j < c->J; j++) {
        for (size_t k = 0; k < c->paths; k++) c->logp[j][k] = path_score(&c->x[j], c->path[k]);
        c->possible[j] = log_total(c->paths, c->logp[j]) > IMPOSSIBLE;
        normalise_logs(c->paths, c->logp[j]);
        c->after[j] = find_conditionals(c, &c->x[j]);
    }
}

/* In some trials one member has weight 0; it may then allow no path at all. */
static inline trial random_trial(cau_rng *rng, size_t J, size_t T, size_t Y, double size,
                                 double impossible)
{
    trial c = {.J = J, .T = T, .Y = Y};
    double sum = 0;
    const bool silent = J > 1 && cau_rng_below(rng, 4) == 0;
    for (size_t j = 0; j < J; j++) {
        const bool none = silent && j == 0 && cau_rng_below(rng, 2);
        c.x[j] = random_lattice(rng, T, Y, cau_rng_below(rng, 2), size, none ? 1 : impossible);
        c.alpha[j] = silent && j == 0 ? 0 : .1 + cau_rng_real(rng);
        sum += c.alpha[j];
    }
    for (size_t j = 0; j < J; j++) c.alpha[j] /= sum;
    complete_trial(&c);
    return c;
}

/* The weight of each member at each position: often 0, sometimes 0 for all members. */
static inline void gate_trial(cau_rng *rng, trial *c)
{
    const size_t silent =
        (size_t)cau_rng_below(rng, 8); /* a member, if there is one with this number */
    const size_t lost = (size_t)cau_rng_below(rng, 20); /* a position, likewise */
    c->gated = true;
    for (size_t i = 0; i < c->T * c->J; i++) {
        const bool none = i % c->J == silent || i / c->J == lost || cau_rng_below(rng, 5) == 0;
        c->mixing[i] = none ? 0 : .1 + cau_rng_real(rng);
    }
}

static inline void trial_clear(trial *c)
{
    for (size_t j = 0; j < c->J; j++) lattice_clear(&c->x[j]);
}

/* Whether a member has weight at any position. */
static inline bool has_weight(const trial *c, size_t j)
{
    bool any = false;
    for (size_t t = 0; t < c->T; t++) any |= c->mixing[t * c->J + j] > 0;
    return c->gated ? any : c->alpha[j] > 0;
}

/* Whether every member with weight has a distribution. */
static inline bool all_possible(const trial *c)
{
    for (size_t j = 0; j < c->J; j++)
        if (has_weight(c, j) && !c->possible[j]) return false;
    return true;
}

/* Combines n log probabilities of all members; those of member j are at p[j * step] and have weight
 * alpha[j]. A product is normalised. A mixture omits members for which all n are impossible and
 * rescales the other weights to sum to 1. */
static inline void combine_members(const trial *c, cau_combine combine, const double *alpha,
                                   size_t n, const long double *p, size_t step, long double *out)
{
    long double voices = 0;
    for (size_t k = 0; k < n; k++) out[k] = combine == CAU_COMBINE_PRODUCT ? 0 : IMPOSSIBLE;
    for (size_t j = 0; j < c->J; j++) {
        if (alpha[j] == 0) continue;
        const long double *of = p + j * step;
        if (log_total(n, of) > IMPOSSIBLE) voices += alpha[j];
        for (size_t k = 0; k < n; k++)
            out[k] = combine == CAU_COMBINE_PRODUCT ? out[k] + alpha[j] * of[k]
                                                    : log_add(out[k], logl(alpha[j]) + of[k]);
    }
    if (combine == CAU_COMBINE_PRODUCT) normalise_logs(n, out);
    for (size_t k = 0; combine == CAU_COMBINE_MIXTURE && voices > 0 && k < n; k++)
        out[k] -= logl(voices);
}

/* log p(y|x) of all paths, combined by sequence. */
static inline void by_sequence(const trial *c, cau_combine combine, long double *out)
{
    combine_members(c, combine, c->alpha, c->paths, c->logp[0], TRIAL_PATHS, out);
}

/* The conditionals, combined by transition. */
static inline conditionals by_transition(const trial *c, cau_combine combine)
{
    conditionals out;
    for (size_t t = 0; t < c->T; t++)
        for (size_t i = 0; i < c->Y; i++)
            combine_members(c, combine, c->gated ? c->mixing + t * c->J : c->alpha, c->Y,
                            c->after[0].row[t][i], sizeof(conditionals) / sizeof(long double),
                            out.row[t][i]);
    return out;
}

/* The conditionals of the chain that has the pair marginals of a distribution over paths. */
static inline conditionals chain_of(const trial *c, const long double *logp)
{
    conditionals out;
    for (size_t t = 0; t < c->T; t++)
        for (size_t i = 0; i < c->Y; i++) {
            long double *row = out.row[t][i];
            for (size_t y = 0; y < c->Y; y++) row[y] = IMPOSSIBLE;
            for (size_t k = 0; k < c->paths; k++) {
                if (t > 0 && c->path[k][t - 1] != i) continue;
                row[c->path[k][t]] = log_add(row[c->path[k][t]], logp[k]);
            }
            normalise_logs(c->Y, row);
        }
    return out;
}

/* log p(y|x) of a chain with these conditionals. */
static inline void chain_logp(const trial *c, const conditionals *rows, long double *out)
{
    for (size_t k = 0; k < c->paths; k++) {
        const uint32_t *path = c->path[k];
        out[k] = 0;
        for (size_t t = 0; t < c->T; t++) out[k] += rows->row[t][t ? path[t - 1] : 0][path[t]];
    }
}

/* p(y_t = y) of a distribution over paths. */
static inline long double label_logp(const trial *c, const long double *logp, size_t t, size_t y)
{
    long double sum = IMPOSSIBLE;
    for (size_t k = 0; k < c->paths; k++)
        if (c->path[k][t] == y) sum = log_add(sum, logp[k]);
    return sum;
}

/* The number of a path in the order of path_next. */
static inline size_t path_number(const trial *c, const uint32_t *path)
{
    size_t k = 0;
    for (size_t t = c->T; t-- > 0;) k = k * c->Y + path[t];
    return k;
}

/* ---- labellings with their probabilities, the most probable first -------------------- */

enum { PATHS_MAX = 1 << 12, LENGTH_MAX = 8, VOTERS_MAX = 3 };

/* The scores that a model gives a sequence. */
typedef struct {
    cau_kind kind;
    size_t T, Y;
    const double *s;     /* [T][Y] */
    const double *plain; /* [Y][Y], or NULL */
    const double *own;   /* [T][Y][Y], or NULL */
} scored_sequence;

typedef struct {
    uint32_t y[LENGTH_MAX];
    double score, p;
} ranked_path;

/* All allowed labellings, the most probable first. */
typedef struct {
    size_t T, Y, count;
    ranked_path path[PATHS_MAX];
    double logz;
} all_paths;

static inline double edge_score(const scored_sequence *q, size_t t, size_t i, size_t j)
{
    const size_t Y = q->Y;
    return (q->plain ? q->plain[i * Y + j] : 0) + (q->own ? q->own[(t * Y + i) * Y + j] : 0);
}

/* CRF: the sum of the scores. MEMM: each step is normalised over the labels it could take. */
static inline double labelling_score(const scored_sequence *q, const uint32_t *y)
{
    double score = 0;
    for (size_t t = 0; t < q->T; t++) {
        double z = 0;
        for (size_t j = 0; j < q->Y; j++)
            z += exp(q->s[t * q->Y + j] + (t ? edge_score(q, t, y[t - 1], j) : 0));
        score += q->s[t * q->Y + y[t]] + (t ? edge_score(q, t, y[t - 1], y[t]) : 0);
        if (q->kind == CAU_KIND_MEMM) score -= log(z);
    }
    return score;
}

static inline int compare_scores(const void *a, const void *b)
{
    const ranked_path *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

/* Turns scores into probabilities and sorts by them, the largest first. */
static inline void rank_paths(all_paths *all)
{
    double z = 0;
    for (size_t n = 0; n < all->count; n++) z += exp(all->path[n].score);
    for (size_t n = 0; n < all->count; n++) all->path[n].p = exp(all->path[n].score) / z;
    all->logz = log(z);
    qsort(all->path, all->count, sizeof *all->path, compare_scores);
}

/* Lists the labellings for which `allowed` is true; NULL: all. The caller frees the list. */
static inline all_paths *list_paths(const scored_sequence *q,
                                    bool (*allowed)(const void *self, const uint32_t *y),
                                    const void *self)
{
    all_paths *all = calloc(1, sizeof *all);
    assert_non_null(all);
    all->T = q->T;
    all->Y = q->Y;
    size_t total = 1;
    for (size_t t = 0; t < q->T; t++) total *= q->Y;
    assert_true(total <= PATHS_MAX && q->T <= LENGTH_MAX);
    uint32_t y[LENGTH_MAX] = {0};
    do {
        if (allowed && !allowed(self, y)) continue;
        ranked_path *p = &all->path[all->count++];
        memcpy(p->y, y, sizeof y);
        p->score = labelling_score(q, y);
    } while (path_next(q->T, q->Y, y));
    rank_paths(all);
    return all;
}

/* The probability of the labels y[begin .. end-1] at these positions. */
static inline double probability_of(const all_paths *all, const uint32_t *y, size_t begin,
                                    size_t end)
{
    double p = 0;
    for (size_t n = 0; n < all->count; n++) {
        bool same = true;
        for (size_t t = begin; t < end; t++) same &= all->path[n].y[t] == y[t];
        if (same) p += all->path[n].p;
    }
    return p;
}

static inline double marginal_of(const all_paths *all, size_t t, uint32_t label)
{
    uint32_t y[LENGTH_MAX];
    y[t] = label;
    return probability_of(all, y, t, t + 1);
}

/* ---- pools --------------------------------------------------------------------------- */

/* p(y_t | y_{t-1}) of a pool by the definitions of model/pool.h, from the labellings of each
 * member. A product is not normalised. */
static inline double vote_once(const cau_pool *pool, all_paths *const *member, const uint32_t *y,
                               size_t t)
{
    const bool product = pool->combine == CAU_COMBINE_PRODUCT;
    double joint = 0, before = 0, by_step = product ? 1 : 0;
    for (size_t j = 0; j < pool->J; j++) {
        const double alpha = pool->alpha[j];
        const bool alone =
            t == 0 || (pool->per == CAU_PER_SEQUENCE && pool->mix == CAU_MIX_POSTERIOR);
        const double last = alone ? 1 : probability_of(member[j], y, t - 1, t);
        const double both = probability_of(member[j], y, alone ? t : t - 1, t + 1);
        if (product)
            by_step *= pow(both / last, alpha);
        else
            by_step += alpha * both / last;
        joint += alpha * both;
        before += alpha * last;
    }
    return product || pool->per == CAU_PER_TRANSITION ? by_step : joint / before;
}

/* Lists the allowed labellings with their probabilities in a pool; q [J] has the members' scores.
 */
static inline all_paths *list_votes(const cau_pool *pool, const scored_sequence *q,
                                    bool (*allowed)(const void *self, const uint32_t *y),
                                    const void *self)
{
    all_paths *member[VOTERS_MAX], *all = list_paths(q, allowed, self);
    for (size_t j = 0; j < pool->J; j++) member[j] = list_paths(&q[j], NULL, NULL);
    for (size_t n = 0; n < all->count; n++) {
        ranked_path *p = &all->path[n];
        p->score = 0;
        for (size_t t = 0; t < all->T; t++) {
            double z = pool->combine == CAU_COMBINE_PRODUCT ? 0 : 1;
            uint32_t other[LENGTH_MAX];
            memcpy(other, p->y, sizeof other);
            for (other[t] = 0; pool->combine == CAU_COMBINE_PRODUCT && other[t] < all->Y;
                 other[t]++)
                z += vote_once(pool, member, other, t);
            p->score += log(vote_once(pool, member, p->y, t) / z);
        }
    }
    for (size_t j = 0; j < pool->J; j++) free(member[j]);
    rank_paths(all);
    return all;
}

/* The labellings among the n best of any member, with their probabilities in the mixture. These do
 * not sum to 1. */
static inline all_paths *list_rescored(const cau_pool *pool, const scored_sequence *q, size_t n)
{
    all_paths *all = list_paths(q, NULL, NULL);
    for (size_t i = 0; i < all->count; i++) all->path[i].score = -INFINITY, all->path[i].p = 0;
    for (size_t j = 0; j < pool->J; j++) {
        all_paths *member = list_paths(&q[j], NULL, NULL);
        for (size_t i = 0; i < all->count; i++) {
            ranked_path *p = &all->path[i];
            size_t rank = 0;
            while (memcmp(member->path[rank].y, p->y, all->T * sizeof *p->y) != 0) rank++;
            p->p += pool->alpha[j] * member->path[rank].p;
            if (rank < n) p->score = 0; /* a candidate */
        }
        free(member);
    }
    for (size_t i = 0; i < all->count; i++) all->path[i].score += log(all->path[i].p);
    qsort(all->path, all->count, sizeof *all->path, compare_scores);
    while (all->count && all->path[all->count - 1].score == -INFINITY) all->count--;
    return all;
}

/* The allowed labellings with their probabilities in the mixture by sequence, given that one of
 * them is right. */
static inline all_paths *list_mixture(const cau_pool *pool, const scored_sequence *q,
                                      bool (*allowed)(const void *self, const uint32_t *y),
                                      const void *self)
{
    all_paths *all = list_paths(q, allowed, self);
    for (size_t i = 0; i < all->count; i++) all->path[i].p = 0;
    for (size_t j = 0; j < pool->J; j++) {
        all_paths *member = list_paths(&q[j], NULL, NULL);
        for (size_t i = 0; i < all->count; i++)
            all->path[i].p += pool->alpha[j] * probability_of(member, all->path[i].y, 0, all->T);
        free(member);
    }
    for (size_t i = 0; i < all->count; i++) all->path[i].score = log(all->path[i].p);
    rank_paths(all);
    return all;
}

#endif
