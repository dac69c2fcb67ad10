/* paths.h - what the tests of this room compare with: all labellings of a short sequence, one by
 * one, with their probabilities by the definition of the model. */

#ifndef CAU_APPLY_PATHS_H
#define CAU_APPLY_PATHS_H

#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "support.h"

enum { PATHS_MAX = 1 << 12, LENGTH_MAX = 8 };

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
    double z = 0;
    for (size_t n = 0; n < total; n++) {
        struct one_path *p = &all->path[all->count];
        for (size_t t = 0, rest = n; t < q->T; t++, rest /= q->Y) p->y[t] = (uint32_t)(rest % q->Y);
        if (allowed && !allowed(self, p->y)) continue;
        p->score = path_score(q, p->y);
        z += exp(p->score);
        all->count++;
    }
    all->logz = log(z);
    for (size_t n = 0; n < all->count; n++) all->path[n].p = exp(all->path[n].score) / z;
    qsort(all->path, all->count, sizeof *all->path, compare_paths);
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

#endif
