/* model_paths.h - for the tests: all paths of a small chain one after the other, random chains, and
 * sums over their paths in long double. Nothing here is shared with what is tested. */

#ifndef CAU_SUPPORT_MODEL_PATHS_H
#define CAU_SUPPORT_MODEL_PATHS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/chain.h"
#include "support/support.h"

enum { SMALL_Y = 4, SMALL_T = 5, SMALL_PATHS = 1024 };

/* The path after this one, in order of the last label, then the one before it, and so on back;
 * false after the last. Start with zeros. */
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
        score += x->edge[x->own ? t * x->Y * x->Y + edge : edge];
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

/* Sums over all paths: log Z, p(y_t), p(y_{t-1}, y_t). */
typedef struct {
    long double logz;
    long double node[SMALL_T][SMALL_Y], edge[SMALL_T][SMALL_Y][SMALL_Y];
} path_sums;

/* Of the paths that gold allows; NULL: of all. */
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

/* n numbers within +-size, or whole numbers of -2 .. 2 for ties where size is 0; a share of
 * them impossible. Freed by the caller. */
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

/* A random chain; release it with lattice_clear. */
static inline cau_lattice random_lattice(cau_rng *rng, size_t T, size_t Y, bool own, double size,
                                         double impossible)
{
    return (cau_lattice){.T = T,
                         .Y = Y,
                         .node = random_scores(rng, T * Y, size, impossible),
                         .edge = random_scores(rng, (own ? T : 1) * Y * Y, size, impossible),
                         .own = own};
}

static inline void lattice_clear(cau_lattice *x)
{
    free((void *)(uintptr_t)x->node);
    free((void *)(uintptr_t)x->edge);
}

/* A gold label for each position: all known, or with open ones and sets among them. */
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

#endif
