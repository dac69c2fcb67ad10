/* optim_sample.h - a small problem for solvers that visit one example at a time. It computes
 * everything weight by weight from the definition, without the functions of rows.h. */

#ifndef CAU_SUPPORT_OPTIM_SAMPLE_H
#define CAU_SUPPORT_OPTIM_SAMPLE_H

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "optim/online.h"
#include "support/solver_sample.h"

/* N examples, each a softmax over `scores` scores with a random answer. Score j also has the common
 * weight j % COMMON, and an example may have a weight. */
enum {
    N = 60,
    K = 40, /* rows of the node table */
    L = 6,  /* rows of the edge table */
    WIDTH = 3,
    EDGE = 2,
    COMMON = 3,
    GROUPS = 4,
    SCORES = 9,
    ENTRIES = 9,
    MOST = K * WIDTH + L * EDGE + COMMON,
};

/* The rows of an example: one group with distinct rows; one with repeated rows; several groups of
 * one column that share rows (explicit features); or three positions and an edge whose scores
 * overlap with theirs. */
typedef enum { DISTINCT, REPEATED, EXPLICIT, MIXED, SHAPES } shape;

typedef struct {
    cau_online_problem problem;
    size_t n; /* weights in use */
    size_t groups, scores, start[N][GROUPS + 1];
    const size_t *offset;
    uint32_t id[N][GROUPS * ENTRIES];
    float value[N][GROUPS * ENTRIES];
    size_t gold[N];
    double weight[N];
    double mean[MOST];
    uint8_t fixed[MOST];
    size_t node_start[K + 1], edge_start[L + 1];
    uint32_t node_cell[K * WIDTH], edge_cell[L * EDGE];
    bool valued;
    size_t calls, fail_at;
} small;

static void small_example(void *self, size_t i, cau_example *out)
{
    small *p = self;
    *out = (cau_example){p->groups, p->start[i], p->id[i], p->valued ? p->value[i] : NULL,
                         p->offset, p->scores};
}

/* Calls visit(self, score, weight, value) for every feature of example i. */
typedef void small_visit(void *self, size_t score, size_t weight, double value);

static void small_features(const small *p, size_t i, small_visit *visit, void *self)
{
    const size_t nodes = p->problem.nodes.rows, width = p->problem.nodes.width;
    for (size_t g = 0; g < p->groups; g++)
        for (size_t e = p->start[i][g]; e < p->start[i][g + 1]; e++) {
            const bool edge = p->id[i][e] >= nodes;
            const cau_table *t = edge ? &p->problem.edges : &p->problem.nodes;
            const size_t row = p->id[i][e] - (edge ? nodes : 0);
            const size_t base = edge ? cau_table_size(&p->problem.nodes) : 0;
            const size_t first = p->offset ? p->offset[g] : g * width;
            for (size_t k = cau_table_at(t, row); k < cau_table_at(t, row + 1); k++)
                visit(self, first + (t->cell ? t->cell[k] : k - cau_table_at(t, row)), base + k,
                      p->valued ? (double)p->value[i][e] : 1);
        }
    for (size_t j = 0; j < p->scores && p->problem.common; j++)
        visit(self, j, p->n - COMMON + j % COMMON, 1);
}

/* Replaces s by d loss / d s; returns the loss. */
static double small_softmax(const small *p, size_t i, double *s)
{
    double top = -INFINITY, sum = 0;
    for (size_t j = 0; j < p->scores; j++) top = fmax(top, s[j]);
    for (size_t j = 0; j < p->scores; j++) sum += exp(s[j] - top);
    const double loss = p->weight[i] * (top + log(sum) - s[p->gold[i]]);
    for (size_t j = 0; j < p->scores; j++)
        s[j] = p->weight[i] * (exp(s[j] - top) / sum - (j == p->gold[i]));
    return loss;
}

static caucus_status small_residual(void *self, size_t i, double *s, const double *w, double *g,
                                    double *loss)
{
    small *p = self;
    if (++p->calls == p->fail_at) return CAUCUS_ERR_NUMERIC;
    for (size_t j = 0; j < p->scores && p->problem.common; j++) s[j] += w[j % COMMON];
    *loss = small_softmax(p, i, s);
    if (!isfinite(*loss)) return CAUCUS_ERR_NUMERIC;
    for (size_t j = 0; j < p->scores && p->problem.common; j++) g[j % COMMON] += s[j];
    return CAUCUS_OK;
}

static inline caucus_status small_mistake(void *self, size_t i, double *s, const double *w,
                                          double *g, double *margin, size_t *wrong)
{
    small *p = self;
    if (++p->calls == p->fail_at) return CAUCUS_ERR_NUMERIC;
    const size_t gold = p->gold[i];
    size_t best = 0;
    for (size_t j = 0; j < p->scores && p->problem.common; j++) s[j] += w[j % COMMON];
    for (size_t j = 0; j < p->scores; j++)
        if (s[j] > s[best]) best = j;
    *margin = s[best] - s[gold];
    if (!isfinite(*margin)) return CAUCUS_ERR_NUMERIC;
    *wrong = best == gold ? 0 : 1 + best % 3;
    for (size_t j = 0; j < p->scores; j++) {
        s[j] = (double)(j == best) - (double)(j == gold);
        if (p->problem.common) g[j % COMMON] += s[j];
    }
    return CAUCUS_OK;
}

/* A walk over the features of an example: scores from weights, or the gradient from residuals. */
typedef struct {
    const double *from;
    double *to;
} small_walk;

static void small_to_score(void *self, size_t score, size_t weight, double value)
{
    small_walk *x = self;
    x->to[score] += value * x->from[weight];
}

static void small_to_weight(void *self, size_t score, size_t weight, double value)
{
    small_walk *x = self;
    x->to[weight] += value * x->from[score];
}

static void small_scores(const small *p, size_t i, const double *w, double *s)
{
    memset(s, 0, SCORES * sizeof *s);
    small_features(p, i, small_to_score, &(small_walk){w, s});
}

/* g [MOST] = the sum over scores of r times their features. */
static void small_spread(const small *p, size_t i, const double *r, double *g)
{
    memset(g, 0, MOST * sizeof *g);
    small_features(p, i, small_to_weight, &(small_walk){r, g});
}

/* Loss of example i and its whole gradient g [MOST]. */
static double small_gradient(const small *p, size_t i, const double *w, double *g)
{
    double s[SCORES];
    small_scores(p, i, w, s);
    const double loss = small_softmax(p, i, s);
    small_spread(p, i, s, g);
    return loss;
}

static inline bool small_penalised(const small *p, size_t k)
{
    return k < p->n - p->problem.common || p->problem.common_penalised;
}

static inline bool small_fixed(const small *p, size_t k)
{
    return p->problem.fixed && p->fixed[k];
}

/* F(w), with the gradient of its smooth part in g [MOST]; fixed weights have none. */
static double small_objective(const small *p, const double *w, double *g)
{
    double f = 0;
    memset(g, 0, MOST * sizeof *g);
    for (size_t i = 0; i < N; i++) {
        double one[MOST];
        f += small_gradient(p, i, w, one);
        for (size_t k = 0; k < MOST; k++) g[k] += one[k];
    }
    for (size_t k = 0; k < p->n; k++) {
        if (small_penalised(p, k)) {
            const double u = w[k] - (p->problem.mean ? p->mean[k] : 0);
            f += p->problem.l1 * fabs(u) + 0.5 * p->problem.l2 * u * u;
            g[k] += p->problem.l2 * u;
        }
        if (small_fixed(p, k)) g[k] = 0;
    }
    return f;
}

static inline double small_value(const small *p, const double *w)
{
    double g[MOST];
    return small_objective(p, w, g);
}

static caucus_status small_loss(void *self, const double *w, double *loss)
{
    double g[MOST];
    *loss = 0;
    for (size_t i = 0; i < N; i++) *loss += small_gradient(self, i, w, g);
    return CAUCUS_OK;
}

/* Options of a problem. */
typedef struct {
    bool valued, mean, fixed, listed, weighted,
        penalised; /* `penalised`: the common weights are regularised too */
} small_options;

/* Makes a table whose rows have each cell with probability 2/3. */
static void small_list(cau_table *t, size_t *start, uint32_t *cell, cau_rng *rng)
{
    for (size_t k = 0; k < t->rows; k++) {
        start[k + 1] = start[k];
        for (size_t j = 0; j < t->width; j++)
            if (cau_rng_below(rng, 3) > 0) cell[start[k + 1]++] = (uint32_t)j;
    }
    t->start = start;
    t->cell = cell;
}

/* Draws the rows of group g of example i. */
static void small_draw(small *p, shape kind, size_t i, size_t g, cau_rng *rng)
{
    uint32_t rows[K];
    const bool edge = kind == MIXED && g == GROUPS - 1;
    for (size_t k = 0; k < K; k++) rows[k] = (uint32_t)k;
    cau_rng_shuffle(rng, rows, K - 1); /* the last row is in no example */
    p->start[i][g + 1] = p->start[i][g] + (size_t)cau_rng_below(rng, ENTRIES);
    for (size_t e = p->start[i][g]; e < p->start[i][g + 1]; e++) {
        const uint32_t row = rows[e % ENTRIES];
        p->id[i][e] = edge ? K + row % L : kind == REPEATED ? row % 4 : row;
        p->value[i][e] = (float)(2 * cau_rng_real(rng) - 0.5);
    }
}

static void small_make(small *p, shape kind, small_options with, uint64_t seed)
{
    static const size_t mixed[GROUPS] = {0, 3, 6, 4};
    cau_rng rng;
    cau_rng_init(&rng, seed);
    *p = (small){.valued = with.valued,
                 .groups = kind == EXPLICIT || kind == MIXED ? GROUPS : 1,
                 .scores = kind == MIXED      ? SCORES
                           : kind == EXPLICIT ? GROUPS
                                              : WIDTH,
                 .offset = kind == MIXED ? mixed : NULL};
    for (size_t i = 0; i < N; i++) {
        for (size_t g = 0; g < p->groups; g++) small_draw(p, kind, i, g, &rng);
        p->gold[i] = (size_t)cau_rng_below(&rng, p->scores);
        p->weight[i] = with.weighted ? 0.25 + 2 * cau_rng_real(&rng) : 1;
    }
    for (size_t k = 0; k < MOST; k++) p->mean[k] = cau_rng_real(&rng) - 0.5;
    p->problem = (cau_online_problem){
        .examples = N,
        .nodes = {.rows = K, .width = kind == EXPLICIT ? 1 : WIDTH},
        .edges = {.rows = kind == MIXED ? L : 0, .width = EDGE},
        .common = kind == EXPLICIT ? 0 : COMMON,
        .common_penalised = with.penalised,
        .mean = with.mean ? p->mean : NULL,
        .fixed = with.fixed ? p->fixed : NULL,
        .self = p,
        .example = small_example,
        .residual = small_residual,
        .mistake = small_mistake,
        .loss = small_loss,
    };
    if (with.listed) {
        small_list(&p->problem.nodes, p->node_start, p->node_cell, &rng);
        small_list(&p->problem.edges, p->edge_start, p->edge_cell, &rng);
    }
    p->n =
        cau_table_size(&p->problem.nodes) + cau_table_size(&p->problem.edges) + p->problem.common;
    if (p->problem.common) p->fixed[p->n - p->problem.common + 1] = 1;
    if (!with.listed && with.fixed) { /* also weights of full rows */
        p->fixed[2] = p->fixed[WIDTH + 1] = 1;
        p->mean[2] = p->mean[WIDTH + 1] = 0;
    }
}

/* A start other than 0, except for fixed weights. */
static inline void small_start(const small *p, double *w)
{
    memset(w, 0, MOST * sizeof *w);
    for (size_t k = 0; k < p->n; k++) w[k] = small_fixed(p, k) ? 0 : 0.01 * (double)(k % 7);
}

/* Finds the minimum of F by proximal gradient descent on the whole data, starting at w. */
static inline double small_minimum(const small *p, double *w)
{
    const double h = 0.005;
    double g[MOST];
    for (int t = 0; t < 40000; t++) {
        double moved = 0;
        small_objective(p, w, g);
        for (size_t k = 0; k < p->n; k++) {
            const double mean = p->problem.mean ? p->mean[k] : 0;
            const double l1 = small_penalised(p, k) ? p->problem.l1 : 0;
            const double before = w[k], x = w[k] - h * g[k] - mean, size = fabs(x) - h * l1;
            w[k] = l1 > 0 ? mean + (size > 0 ? copysign(size, x) : 0) : x + mean;
            moved = fmax(moved, fabs(w[k] - before));
        }
        if (moved < 1e-9) break;
    }
    return small_objective(p, w, g);
}

/* A problem for several threads, each with its own copy. */
enum { THREADS = 3 };

static inline void small_share(small *p, small copies[THREADS], void *selves[THREADS])
{
    for (size_t k = 0; k < THREADS; k++) {
        copies[k] = *p;
        selves[k] = &copies[k];
    }
    p->problem.threads = THREADS;
    p->problem.selves = selves;
}

/* Both solvers take equal steps for some epochs, to the bit. Frees them. */
static inline void small_same(caucus_ctx *ctx, const small *p, cau_solver a, cau_solver b)
{
    assert_same_steps(ctx, a, b, p->n, 6);
    a.ops->free(a.self);
    b.ops->free(b.self);
}

/* `a` and `c` are equal new solvers, `b` has other options. After some steps, `b` receives the
 * state of `a`; then all three take equal steps, to the bit. Frees them. all(solver) [count], or
 * NULL, are weights behind those of the model. */
static inline void small_resume(caucus_ctx *ctx, const small *p, int after, cau_solver a,
                                cau_solver b, cau_solver c,
                                const double *(*all)(const cau_solver *), size_t count)
{
    const size_t bytes = p->n * sizeof(double);
    cau_iterate x, y, z;
    for (int t = 0; t < after; t++) {
        assert_ok(ctx, a.ops->step(a.self, &x));
        assert_ok(ctx, c.ops->step(c.self, &z));
    }
    copy_state(a, b);
    for (int t = 0; t < 3; t++) {
        assert_ok(ctx, a.ops->step(a.self, &x));
        assert_ok(ctx, b.ops->step(b.self, &y));
        assert_ok(ctx, c.ops->step(c.self, &z));
        assert_same_iterate(&x, &y);
        assert_same_iterate(&x, &z);
        assert_memory_equal(a.ops->weights(a.self), b.ops->weights(b.self), bytes);
        assert_memory_equal(a.ops->weights(a.self), c.ops->weights(c.self), bytes);
        if (all) assert_memory_equal(all(&a), all(&b), count * sizeof(double));
        if (all) assert_memory_equal(all(&a), all(&c), count * sizeof(double));
    }
    a.ops->free(a.self);
    b.ops->free(b.self);
    c.ops->free(c.self);
}

static inline void small_scale(small *p, float scale)
{
    for (size_t i = 0; i < N; i++)
        for (size_t e = 0; e < GROUPS * ENTRIES; e++) p->value[i][e] *= scale;
}

/* Takes up to `most` steps and returns the status of the last. */
static inline caucus_status small_steps(cau_solver solver, int most, cau_iterate *it)
{
    caucus_status st = CAUCUS_OK;
    for (int t = 0; t < most && !st; t++) st = solver.ops->step(solver.self, it);
    return st;
}

/* A run at 30 epochs with values scaled by 1e-3 (`scale` -1) or 1e6 (1) falls below a share of F
 * at the start; creating the solver left the start as it was. Frees the solver. */
static inline void small_scaled_run(caucus_ctx *ctx, cau_solver solver, int scale, double f0)
{
    cau_iterate it;
    assert_ok(ctx, small_steps(solver, 30, &it));
    assert_true(it.f < (scale < 0 ? 1 : 0.8) * f0);
    solver.ops->free(solver.self);
}

/* Of the full rows of w [n], more than 10 weights are 0, and more than 5 of these in `other` too.
 */
static inline void small_agree_on_zeros(const double *w, const double *other)
{
    size_t zeros = 0, agree = 0;
    for (size_t k = 0; k < K * WIDTH; k++) {
        zeros += w[k] == 0;
        agree += w[k] == 0 && other[k] == 0;
    }
    assert_true(zeros > 10 && agree > 5);
}

#endif
