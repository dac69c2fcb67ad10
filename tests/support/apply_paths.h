/* apply_paths.h - what the tests of this room compare with: all labellings of a short sequence, one
 * by one, with their probabilities by the definition of the model, or of the pool. */

#ifndef CAU_SUPPORT_APPLY_PATHS_H
#define CAU_SUPPORT_APPLY_PATHS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "support/support.h"

enum { PATHS_MAX = 1 << 12, LENGTH_MAX = 8, VOTERS_MAX = 3 };

/* The scores of a sequence as a model makes them. */
typedef struct {
    cau_kind kind;
    size_t T, Y;
    const double *s;     /* [T][Y] */
    const double *plain; /* [Y][Y], or NULL */
    const double *own;   /* [T][Y][Y], or NULL */
} sequence;

/* All labellings that are allowed, the most probable first. */
typedef struct {
    size_t T, Y, count;
    struct one_path {
        uint32_t y[LENGTH_MAX];
        double score, p;
    } path[PATHS_MAX];
    double logz;
} all_paths;

static inline double edge_score(const sequence *q, size_t t, size_t i, size_t j)
{
    const size_t Y = q->Y;
    return (q->plain ? q->plain[i * Y + j] : 0) + (q->own ? q->own[(t * Y + i) * Y + j] : 0);
}

/* CRF: the plain sum. MEMM: each step normalised over where it could have gone. */
static inline double path_score(const sequence *q, const uint32_t *y)
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

static inline int compare_paths(const void *a, const void *b)
{
    const struct one_path *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

/* Scores to probabilities, the largest first. */
static inline void rank_paths(all_paths *all)
{
    double z = 0;
    for (size_t n = 0; n < all->count; n++) z += exp(all->path[n].score);
    for (size_t n = 0; n < all->count; n++) all->path[n].p = exp(all->path[n].score) / z;
    all->logz = log(z);
    qsort(all->path, all->count, sizeof *all->path, compare_paths);
}

/* `allowed` says which labellings there are; NULL: all. To be freed. */
static inline all_paths *list_paths(const sequence *q,
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
    for (size_t n = 0; n < total; n++) {
        struct one_path *p = &all->path[all->count];
        for (size_t t = 0, rest = n; t < q->T; t++, rest /= q->Y) p->y[t] = (uint32_t)(rest % q->Y);
        if (allowed && !allowed(self, p->y)) continue;
        p->score = path_score(q, p->y);
        all->count++;
    }
    rank_paths(all);
    return all;
}

/* The probability of all labellings that have y[begin .. end-1] there. */
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

/* What the members, each with all of its labellings, say together of y_t after y_{t-1}: the
 * definitions of model/pool.h, products up to a factor. */
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

/* All labellings that are allowed, by what a pool says of them; q [J] as its members score them. */
static inline all_paths *list_votes(const cau_pool *pool, const sequence *q,
                                    bool (*allowed)(const void *self, const uint32_t *y),
                                    const void *self)
{
    all_paths *member[VOTERS_MAX], *all = list_paths(q, allowed, self);
    for (size_t j = 0; j < pool->J; j++) member[j] = list_paths(&q[j], NULL, NULL);
    for (size_t n = 0; n < all->count; n++) {
        struct one_path *p = &all->path[n];
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

/* The labellings that are among the n best of a member, by the mixture of all members: these
 * probabilities do not sum to 1. */
static inline all_paths *list_rescored(const cau_pool *pool, const sequence *q, size_t n)
{
    all_paths *all = list_paths(q, NULL, NULL);
    for (size_t i = 0; i < all->count; i++) all->path[i].score = -INFINITY, all->path[i].p = 0;
    for (size_t j = 0; j < pool->J; j++) {
        all_paths *member = list_paths(&q[j], NULL, NULL);
        for (size_t i = 0; i < all->count; i++) {
            struct one_path *p = &all->path[i];
            size_t rank = 0;
            while (memcmp(member->path[rank].y, p->y, all->T * sizeof *p->y) != 0) rank++;
            p->p += pool->alpha[j] * member->path[rank].p;
            if (rank < n) p->score = 0; /* it is proposed */
        }
        free(member);
    }
    for (size_t i = 0; i < all->count; i++) all->path[i].score += log(all->path[i].p);
    qsort(all->path, all->count, sizeof *all->path, compare_paths);
    while (all->count && all->path[all->count - 1].score == -INFINITY) all->count--;
    return all;
}

#endif
