/* nmf.c - non-negative matrix factorisation by alternating projected gradients [1].
 *
 *     min f(W, H) = 1/2 |V - W H|^2     over W >= 0 [N][k] and H >= 0 [k][V]
 *
 * Given one factor, the other is a convex problem; the two take turns. H is kept transposed, so
 * that both are the same problem: A [n][k] is sought, B [m][k] is given, X is V or V',
 *
 *     min 1/2 |X - A B'|^2,     G = B'B,  P = X B,  gradient D = A G - P.
 *
 * One iteration tries steps s along the projected gradient,
 *
 *     A_s = max(A - s D, 0),   d = A_s - A,   good if .99 <D,d> + 1/2 <dG,d> < 0.
 *
 * If the step of the iteration before is good, it grows by 10 as long as it stays good and moves
 * A_s; otherwise it shrinks by 10 until it is. A problem is solved when the projected gradient
 * (D where D < 0 or A > 0) is below the tolerance of its side, which starts at max(.001, tol) times
 * the initial gradient and shrinks by 10 whenever a sub-problem stops after one iteration.
 *
 * V - W H is never formed. X B is one pass over the non-zeros for each problem; every try costs one
 * product d G, and the gradient of the step that is taken is D + dG, so that it costs nothing more.
 * With D and P at hand the objective is
 *
 *     f = 1/2 |V|^2 - <A,P> + 1/2 <A, A G> = 1/2 ( |V|^2 + <A, D - P> ).
 *
 * Both sides know their exact gradients when an iteration starts: that of W needs X B for the H of
 * now, which is what its problem begins with anyway.
 *
 * A start runs on one thread from beginning to end, so the number of threads changes no bit. The
 * dense products are the kernels of chains: as fast as a BLAS for these thin matrices, without its
 * threads (docs/decisions/nmf.md). Rows of A, B and G are padded by zeros to a multiple of
 * CAU_CHAIN_PAD.
 *
 * [1] Lin. Projected Gradient Methods for Nonnegative Matrix Factorization. Neural Computation
 *     19(10), 2007. */

#include "cluster/nmf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/kernels.h"

enum {
    BLOCK = 32,       /* rows processed together, in cache */
    TRIES = 20,       /* steps tried in an iteration */
    SUB_STEPS = 1000, /* iterations for one factor */
};

/* One factor, and the arrays to improve it. All arrays are [n][S] unless noted. */
typedef struct {
    const cau_csr *x; /* [n][m] */
    size_t n, k, S;   /* S: k, padded */
    double *a;        /* the factor */
    double *p;        /* X B */
    double *grad;     /* A G - P */
    double *next;     /* the trial step */
    double *move;     /* d, of one block: [BLOCK][S] */
    double *next_g;   /* d G */
    double *good;     /* the last accepted step */
    double *good_g;   /* its d G */
    double step, tolerance;
} side;

static size_t padded(size_t k)
{
    return (k + CAU_CHAIN_PAD - 1) / CAU_CHAIN_PAD * CAU_CHAIN_PAD;
}

static void side_clear(side *s)
{
    double *all[] = {s->a, s->p, s->grad, s->next, s->move, s->next_g, s->good, s->good_g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* A factor of zeros for the rows of x. On CAUCUS_ERR_MEMORY the caller must clear it. */
static caucus_status side_init(side *s, const cau_csr *x, size_t k)
{
    const size_t S = padded(k), n = x->rows;
    *s = (side){.x = x, .n = n, .k = k, .S = S, .step = 1};
    double **all[] = {&s->a, &s->p, &s->grad, &s->next, &s->next_g, &s->good, &s->good_g};
    size_t cells;
    if (!cau_size_mul(n, S, &cells)) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i] = cau_vector(cells, sizeof **all[i]))) return CAUCUS_ERR_MEMORY;
    s->move = cau_vector(BLOCK * S, sizeof *s->move);
    return s->move ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

/* ---- one factor ----------------------------------------------------------------------------- */

/* The Gram matrix of the other factor, and scratch for computing it. */
typedef struct {
    double *ones;   /* [k][S] */
    double *packed; /* [k][k] */
    double *g;      /* [k][S] B'B */
} gram;

static void gram_clear(gram *m)
{
    free(m->ones);
    free(m->packed);
    free(m->g);
}

static caucus_status gram_init(gram *m, size_t k)
{
    const size_t S = padded(k);
    size_t cells;
    if (!cau_size_mul(k, S, &cells)) return CAUCUS_ERR_MEMORY;
    m->ones = cau_vector(cells, sizeof *m->ones);
    m->packed = cau_vector(cells, sizeof *m->packed);
    m->g = cau_vector(cells, sizeof *m->g);
    if (!m->ones || !m->packed || !m->g) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++) m->ones[i] = 1;
    return CAUCUS_OK;
}

/* G = B'B, b [m][S]. */
static void gram_of(gram *m, const double *b, size_t rows, size_t k)
{
    const size_t S = padded(k);
    memset(m->packed, 0, k * k * sizeof *m->packed);
    cau_kernels_get()->chain_counts(rows, k, S, m->ones, b, b, m->packed);
    for (size_t i = 0; i < k; i++) memcpy(m->g + i * S, m->packed + i * k, k * sizeof *m->g);
}

/* P = X B and D = A G - P. */
static void side_begin(side *s, const double *b, const double *g)
{
    const cau_kernels *kernels = cau_kernels_get();
    const size_t S = s->S;
    kernels->rows(s->x, 0, s->n, S, b, NULL, s->p);
    for (size_t i = 0; i < s->n; i++) {
        double *grad = s->grad + i * S;
        const double *p = s->p + i * S;
        kernels->chain_backward(s->k, S, s->a + i * S, g, grad);
        for (size_t j = 0; j < S; j++) grad[j] -= p[j];
    }
}

/* The squared norm of the projected gradient: D where D < 0 or A > 0. */
static double projected_gradient(const side *s)
{
    const size_t cells = s->n * s->S, most = BLOCK * s->S;
    double sum = 0;
    for (size_t begin = 0; begin < cells; begin += most) {
        const size_t count = cells - begin < most ? cells - begin : most;
        const double *a = s->a + begin, *grad = s->grad + begin;
        for (size_t c = 0; c < count; c++) s->move[c] = grad[c] < 0 || a[c] > 0 ? grad[c] : 0;
        sum += cau_kernels_get()->dot(count, s->move, s->move);
    }
    return sum;
}

/* Tries a step: next = max(A - step D, 0), next_g = d G. Returns whether it decreases f enough. */
static bool try_step(side *s, const double *g, double step)
{
    const cau_kernels *kernels = cau_kernels_get();
    const size_t S = s->S;
    double slope = 0, bend = 0; /* <D,d> and <dG,d> */
    for (size_t begin = 0; begin < s->n; begin += BLOCK) {
        const size_t rows = s->n - begin < BLOCK ? s->n - begin : BLOCK, count = rows * S;
        const double *a = s->a + begin * S, *grad = s->grad + begin * S;
        double *next = s->next + begin * S, *next_g = s->next_g + begin * S;
        for (size_t c = 0; c < count; c++) {
            const double x = a[c] - step * grad[c];
            next[c] = x > 0 ? x : 0;
            s->move[c] = next[c] - a[c];
        }
        for (size_t i = 0; i < rows; i++)
            kernels->chain_backward(s->k, S, s->move + i * S, g, next_g + i * S);
        slope += kernels->dot(count, grad, s->move);
        bend += kernels->dot(count, next_g, s->move);
    }
    return 0.99 * slope + 0.5 * bend < 0;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

static void keep_step(side *s)
{
    swap(&s->next, &s->good);
    swap(&s->next_g, &s->good_g);
}

/* One iteration: finds a step and takes it. False if no step is good. */
static bool descend(side *s, const double *g)
{
    const size_t cells = s->n * s->S;
    int tries = 1;
    if (try_step(s, g, s->step)) {
        keep_step(s);
        while (tries++ < TRIES && try_step(s, g, s->step * 10) &&
               memcmp(s->next, s->good, cells * sizeof *s->next) != 0) {
            s->step *= 10;
            keep_step(s);
        }
    } else {
        do {
            if (tries++ == TRIES) return false;
            s->step *= 0.1;
        } while (!try_step(s, g, s->step));
        keep_step(s);
    }
    swap(&s->a, &s->good);
    for (size_t c = 0; c < cells; c++) s->grad[c] += s->good_g[c];
    return true;
}

/* Improves the factor until its projected gradient is below the tolerance, at most `most` times. P
 * and D are up to date before and after. Returns the number of iterations. */
static size_t solve(side *s, const double *g, size_t most)
{
    size_t steps = 0;
    while (steps < most && sqrt(projected_gradient(s)) >= s->tolerance) {
        steps++;
        if (!descend(s, g)) break;
    }
    return steps;
}

/* f = 1/2 ( |V|^2 + <A, D - P> ); rounding may make it slightly negative. */
static double objective(const side *s, double norm)
{
    const cau_kernels *kernels = cau_kernels_get();
    const size_t cells = s->n * s->S;
    const double f =
        0.5 * (norm + kernels->dot(cells, s->a, s->grad) - kernels->dot(cells, s->a, s->p));
    return f < 0 ? 0 : f;
}

/* ---- both factors -----------------------------------------------------------------------------
 */

/* All starts. */
typedef struct {
    const cau_csr *v, *vt;
    const cau_nmf_options *options;
    cau_nmf_trace *trace;
    void *self;
    double norm;     /* |V|^2 */
    double mean;     /* of the cells of V */
    cau_nmf *result; /* [starts] */
} nmf_job;

/* Uniform in [0, 2 sqrt(mean / k)), so that W H has the mean of V. */
static void randomise(side *s, cau_rng *rng, double mean)
{
    const double scale = 2 * sqrt(mean / (double)s->k);
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->k; j++) s->a[i * s->S + j] = scale * cau_rng_real(rng);
}

/* Alternates until the projected gradient of both is small; fills all of *out but the factors. */
static void alternate(const nmf_job *all, size_t start, side *w, side *h, gram *of_w, gram *of_h,
                      cau_nmf *out)
{
    const cau_nmf_options *o = all->options;
    gram_of(of_w, w->a, w->n, w->k);
    side_begin(h, w->a, of_w->g);
    gram_of(of_h, h->a, h->n, h->k);
    side_begin(w, h->a, of_h->g);
    const cau_kernels *kernels = cau_kernels_get();
    const double first = sqrt(kernels->dot(w->n * w->S, w->grad, w->grad) +
                              kernels->dot(h->n * h->S, h->grad, h->grad));
    w->tolerance = h->tolerance = fmax(0.001, o->tolerance) * first;
    out->error = objective(h, all->norm);

    for (size_t iteration = 0;; iteration++) {
        const double now = sqrt(projected_gradient(w) + projected_gradient(h));
        out->gradient = first > 0 ? now / first : 0;
        out->iterations = iteration;
        out->converged = first == 0 || out->gradient < o->tolerance;
        if (out->converged || iteration == o->iterations) return;

        if (solve(w, of_h->g, SUB_STEPS) == 0) w->tolerance *= 0.1;
        gram_of(of_w, w->a, w->n, w->k);
        side_begin(h, w->a, of_w->g);
        if (solve(h, of_w->g, SUB_STEPS) == 0) h->tolerance *= 0.1;
        gram_of(of_h, h->a, h->n, h->k);
        side_begin(w, h->a, of_h->g);

        out->error = objective(h, all->norm);
        if (all->trace) all->trace(all->self, start, iteration + 1, out->error);
    }
}

/* Copies the factors, with each component scaled so that its row of H sums to 1. A component whose
 * row is zero contributes nothing: its column of W becomes zero too. */
static caucus_status take_factors(const side *w, const side *h, cau_nmf *out)
{
    const size_t k = w->k, S = w->S;
    size_t w_cells, h_cells;
    if (!cau_size_mul(w->n, k, &w_cells) || !cau_size_mul(h->n, k, &h_cells))
        return CAUCUS_ERR_MEMORY;
    out->w = cau_alloc(w_cells, sizeof *out->w);
    out->h = cau_alloc(h_cells, sizeof *out->h);
    if (!out->w || !out->h) return CAUCUS_ERR_MEMORY;
    out->N = w->n;
    out->V = h->n;
    out->rank = k;
    for (size_t j = 0; j < k; j++) {
        double sum = 0;
        for (size_t v = 0; v < h->n; v++) sum += h->a[v * S + j];
        for (size_t v = 0; v < h->n; v++)
            out->h[j * h->n + v] = sum > 0 ? h->a[v * S + j] / sum : 0;
        for (size_t i = 0; i < w->n; i++) out->w[i * k + j] = w->a[i * S + j] * sum;
    }
    return CAUCUS_OK;
}

/* One start. The caller clears its result, also on failure. */
static caucus_status run_start(void *self, size_t start, unsigned worker)
{
    (void)worker;
    caucus_status st = CAUCUS_OK;
    const nmf_job *all = self;
    const size_t k = all->options->rank;
    const uint64_t number = start;
    cau_nmf *out = &all->result[start];
    side w = {0}, h = {0};
    gram of_w = {0}, of_h = {0};
    cau_rng rng;
    TRY(side_init(&w, all->v, k));
    TRY(side_init(&h, all->vt, k));
    TRY(gram_init(&of_w, k));
    TRY(gram_init(&of_h, k));
    cau_rng_init(&rng, cau_hash(&number, sizeof number, all->options->seed));
    randomise(&w, &rng, all->mean);
    randomise(&h, &rng, all->mean);
    alternate(all, start, &w, &h, &of_w, &of_h, out);
    if (!isfinite(out->error)) TRY(CAUCUS_ERR_NUMERIC);
    TRY(take_factors(&w, &h, out));
done:
    side_clear(&w);
    side_clear(&h);
    gram_clear(&of_w);
    gram_clear(&of_h);
    return st;
}

/* |V|^2 and the sum of V, whose cells must not be negative. */
static caucus_status check_matrix(caucus_ctx *ctx, const cau_csr *v, double *norm, double *sum)
{
    *norm = *sum = 0;
    for (size_t i = 0; i < v->rows; i++)
        for (size_t e = v->start[i]; e < v->start[i + 1]; e++) {
            const double x = v->value ? (double)v->value[e] : 1;
            if (!(x >= 0) || !isfinite(x))
                return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                                "item %zu has the value %g, but NMF takes finite values of at "
                                "least 0; do without it",
                                i + 1, x);
            *norm += x * x;
            *sum += x;
        }
    return CAUCUS_OK;
}

static caucus_status check_options(caucus_ctx *ctx, const cau_csr *v, const cau_nmf_options *o)
{
    const size_t most = v->rows < v->columns ? v->rows : v->columns;
    if (o->rank == 0 || o->starts == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "NMF needs a rank and a start; give at least 1");
    if (o->rank > most)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "rank %zu is above what %zu items with %zu features have; take %zu at most",
                        o->rank, v->rows, v->columns, most);
    if (!(o->tolerance >= 0))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "NMF cannot stop at a gradient of %g; take 1e-4",
                        o->tolerance);
    return CAUCUS_OK;
}

void cau_nmf_clear(cau_nmf *nmf)
{
    free(nmf->w);
    free(nmf->h);
    *nmf = (cau_nmf){0};
}

caucus_status cau_nmf_fit(caucus_ctx *ctx, const cau_csr *v, const cau_nmf_options *options,
                          cau_nmf_trace *trace, void *self, cau_nmf *out)
{
    caucus_status st = CAUCUS_OK;
    cau_csr vt = {0};
    nmf_job all = {.v = v, .vt = &vt, .options = options, .trace = trace, .self = self};
    double sum;
    TRY(check_options(ctx, v, options));
    TRY(check_matrix(ctx, v, &all.norm, &sum));
    all.mean = sum / (double)v->rows / (double)v->columns;
    all.result = cau_calloc(options->starts, sizeof *all.result);
    if (!all.result || cau_csr_transpose(cau_threads(ctx), v, &vt))
        TRY(cau_fail_memory(ctx, "the factors"));

    st = cau_parallel(options->threads, options->starts, run_start, &all);
    if (st == CAUCUS_ERR_NUMERIC)
        TRY(cau_fail(ctx, st, "the error of NMF is not finite; scale the values down"));
    if (st) TRY(cau_fail_memory(ctx, "the factors"));
    size_t best = 0;
    for (size_t i = 1; i < options->starts; i++)
        if (all.result[i].error < all.result[best].error) best = i;
    *out = all.result[best];
    all.result[best] = (cau_nmf){0};
done:
    for (size_t i = 0; all.result && i < options->starts; i++) cau_nmf_clear(&all.result[i]);
    free(all.result);
    cau_csr_clear(&vt);
    return st;
}
