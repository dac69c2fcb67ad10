/* pool_paths.h - for the tests: the probabilities that pools must give to all paths of a small
 * chain.
 *
 * All is computed in long double and in logarithms from the definitions: the scores of whole paths,
 * or of what is left of them after a position. None of it is a recursion over positions, and
 * nothing here is shared with what is tested. */

#ifndef CAU_SUPPORT_POOL_PATHS_H
#define CAU_SUPPORT_POOL_PATHS_H

#include "model/pool.h"
#include "support/model_paths.h"

enum { J_MAX = 3, T_MAX = 4, Y_MAX = 3, PATHS_MAX = 81 };

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

/* Makes x sum to 1, where anything is possible. */
static inline void normalise(size_t n, long double *x)
{
    const long double total = log_total(n, x);
    for (size_t i = 0; total > IMPOSSIBLE && i < n; i++) x[i] -= total;
}

/* log p(y_t|y_{t-1}); of position 0, log p(y_0), for each label that is not before it. */
typedef struct {
    long double row[T_MAX][Y_MAX][Y_MAX];
} conditionals;

typedef struct {
    size_t J, T, Y, paths;
    cau_lattice x[J_MAX];
    double alpha[J_MAX];
    double mixing[T_MAX * J_MAX];       /* [T][J] */
    bool gated;                         /* by mixing, not by alpha */
    uint32_t path[PATHS_MAX][SMALL_T];  /* in the order of path_next */
    long double logp[J_MAX][PATHS_MAX]; /* log p_j(y|x), all impossible where log Z is */
    bool possible[J_MAX];               /* log Z is not */
    conditionals after[J_MAX];
} trial;

/* The score of what a path has from position t on, with the edge into it. */
static inline long double rest_score(const cau_lattice *x, const uint32_t *path, size_t t)
{
    const size_t Y = x->Y;
    long double score = 0;
    for (size_t u = t; u < x->T; u++) {
        score += x->node[u * Y + path[u]];
        if (u > 0) score += x->edge[(x->own ? u * Y * Y : 0) + path[u - 1] * Y + path[u]];
    }
    return score;
}

/* Sums over what can follow i: over the paths that have i at t - 1, and 0 before that. */
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
            normalise(c->Y, row);
        }
    return out;
}

/* Everything that follows from x and alpha. */
static inline void find_out(trial *c)
{
    uint32_t path[SMALL_T] = {0};
    c->paths = 0;
    do memcpy(c->path[c->paths++], path, sizeof path);
    while (path_next(c->T, c->Y, path));
    for (size_t j = 0; j < c->J; j++) {
        for (size_t k = 0; k < c->paths; k++) c->logp[j][k] = path_score(&c->x[j], c->path[k]);
        c->possible[j] = log_total(c->paths, c->logp[j]) > IMPOSSIBLE;
        normalise(c->paths, c->logp[j]);
        c->after[j] = find_conditionals(c, &c->x[j]);
    }
}

/* One member has weight 0 in some, and may then find everything impossible. */
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
    find_out(&c);
    return c;
}

/* The weights of the members at each position: often 0, sometimes all 0. */
static inline void gate_trial(cau_rng *rng, trial *c)
{
    const size_t silent = (size_t)cau_rng_below(rng, 8); /* a member, if there are so many */
    const size_t lost = (size_t)cau_rng_below(rng, 20);  /* a position, the same */
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

/* Whether a member has a weight anywhere. */
static inline bool heard(const trial *c, size_t j)
{
    bool any = false;
    for (size_t t = 0; t < c->T; t++) any |= c->mixing[t * c->J + j] > 0;
    return c->gated ? any : c->alpha[j] > 0;
}

/* Whether all members with a weight have a distribution. */
static inline bool all_possible(const trial *c)
{
    for (size_t j = 0; j < c->J; j++)
        if (heard(c, j) && !c->possible[j]) return false;
    return true;
}

/* log of n probabilities joined, those of member j, with weight alpha[j], at p[j * step]: the
 * products sum to 1; in a mixture, those who find all n impossible are left out, and the weights of
 * the others sum to 1. */
static inline void join(const trial *c, cau_combine combine, const double *alpha, size_t n,
                        const long double *p, size_t step, long double *out)
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
    if (combine == CAU_COMBINE_PRODUCT) normalise(n, out);
    for (size_t k = 0; combine == CAU_COMBINE_MIXTURE && voices > 0 && k < n; k++)
        out[k] -= logl(voices);
}

/* log p(y|x) by sequence, of all paths. */
static inline void by_sequence(const trial *c, cau_combine combine, long double *out)
{
    join(c, combine, c->alpha, c->paths, c->logp[0], PATHS_MAX, out);
}

/* The rows of a combination by transition. */
static inline conditionals by_transition(const trial *c, cau_combine combine)
{
    conditionals out;
    for (size_t t = 0; t < c->T; t++)
        for (size_t i = 0; i < c->Y; i++)
            join(c, combine, c->gated ? c->mixing + t * c->J : c->alpha, c->Y,
                 c->after[0].row[t][i], sizeof(conditionals) / sizeof(long double), out.row[t][i]);
    return out;
}

/* The rows of the chain with the pair marginals of a distribution over paths. */
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
            normalise(c->Y, row);
        }
    return out;
}

/* log p(y|x) of a chain that is given by its rows. */
static inline void follow(const trial *c, const conditionals *rows, long double *out)
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

/* Of a path, in the order of path_next. */
static inline size_t path_number(const trial *c, const uint32_t *path)
{
    size_t k = 0;
    for (size_t t = c->T; t-- > 0;) k = k * c->Y + path[t];
    return k;
}

#endif
