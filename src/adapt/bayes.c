/* bayes.c - the naive Bayes part of MEGA.
 *
 * Each instance n of domain d comes from the general component (z = 1, with probability pi^d) or
 * from that of the domain (z = 0). A component c generates features independently:
 *     rho_n(z) = q_n Psi_n^c,     q_n = pi^d or 1 - pi^d,     p(x_n) = rho_n(0) + rho_n(1)
 *
 * Conditional EM raises sum_n log p(y_n | x_n) = sum_n log p(y_n, x_n) - log p(x_n). The joint is
 * bounded from below as in EM, with v_n = p_old(z | x_n, y_n); the marginal by log u <= u - 1,
 * which leaves -p(x_n) m_n with m_n = 1 / p_old(x_n). The part of the bound for one component is
 *     Q = sum_n v_n log Psi_n - sum_n r_n + log prior,      r_n = m_n q_n Psi_n
 * At the old parameters r_n = p_old(z | x_n), which is at most 1. So the code works with r_n: Psi
 * and m alone would underflow with a thousand features. The weight of an instance is a factor of
 * its v_n and r_n.
 *
 * One coordinate. Psi_n is linear in psi_f = p: Psi_{n,-f} p if x_nf = 1, else Psi_{n,-f} (1-p).
 * With all other psi fixed,
 *     Q(p) = C log p + (D - C) log(1 - p) - U p - V (1 - p) + constant
 *     C = a - 1 + sum_n v_n x_nf                  U = sum_{x_nf = 1} r_n / psi_f
 *     D = a + b - 2 + sum_n v_n                   V = sum_{x_nf = 0} r_n / (1 - psi_f)
 * is concave. p (1-p) Q'(p) = 0 is, with S = U - V,
 *     S p^2 - (D + S) p + C = 0
 * It is C > 0 at p = 0 and C - D < 0 at p = 1: one root lies between, and that is the maximum. pi
 * has the same equation with S = sum_n m_n (Psi_n^g - Psi_n^d), D = N and C = sum_n p_old(z = 1 |
 * x_n, y_n).
 *
 * A sweep updates one coordinate after another in O(non-zeros). A change of psi_f from p to p'
 * multiplies all r_n without the feature by the same factor. So let r_n = scale t_n:
 *     scale *= (1-p') / (1-p)        t_n *= (p'/p) (1-p)/(1-p')  if x_nf = 1
 * and V follows from the sum of all t_n minus those with the feature. Three rules keep this exact:
 *   - scale is multiplied into the t_n before it leaves the range of double;
 *   - the sum of all t_n is updated by differences, and computed again when it has become so much
 *     smaller that the rounding errors of its earlier size would show;
 *   - no t_n falls below FLOOR. An r_n that underflowed to 0 would never recover, and the bound
 *     would no longer restrain a psi that makes such an instance likely again. An r_n that is too
 *     large only lowers Q: what raises the lower bound still raises the objective.
 * No care is needed upwards: Q does not fall, and contains -sum_n r_n.
 *
 * The information gain of a feature about the domain, by counts of instances:
 *     IG(f) = sum_{d,v} n_dv / N log( n_dv N / (n_d n_v) )
 * [1] Daume, Marcu. Domain Adaptation for Statistical Classifiers. JAIR 26, 2006. The equations
 *     for pi and psi are derived anew: those printed there do not raise the objective. */

#include "adapt/bayes.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/vector.h"

enum {
    BLOCK_ROWS = 256,     /* instances and */
    BLOCK_FEATURES = 512, /* features of a block of work */
};

static const double SMALLEST_CHANGE = 1e-6; /* of a psi; below it the sweeps end */
static const double FLOOR = 1e-280;         /* of t_n */
static const double SCALE_MAX = 1e130;      /* and its inverse is the least scale */
static const double FRESH = 1. / 64;        /* of its peak: then the sum of t_n is computed again */

/* Whether the feature of entry e occurs: a value may be given as 0. */
static inline bool occurs(const cau_csr *x, size_t e)
{
    return !x->value || x->value[e] != 0;
}

void cau_bayes_clear(cau_bayes *bayes)
{
    free(bayes->feature);
    free(bayes->place);
    *bayes = (cau_bayes){0};
}

/* ---- selection and divergence -------------------------------------------------------------- */

/* The number of instances of each domain with each column: *out [K][D], to be freed. */
static caucus_status count_columns(caucus_ctx *ctx, const cau_csr *x, const size_t *begin, size_t D,
                                   size_t K, uint32_t **out)
{
    size_t cells;
    uint32_t *count = cau_size_mul(K, D, &cells) ? cau_calloc(cells, sizeof *count) : NULL;
    if (!count) return cau_fail_memory(ctx, "the counts of features in each domain");
    for (size_t d = 0; d < D; d++)
        for (size_t e = x->start[begin[d]]; e < x->start[begin[d + 1]]; e++)
            if (x->column[e] < K && occurs(x, e)) count[x->column[e] * D + d]++;
    *out = count;
    return CAUCUS_OK;
}

typedef struct {
    double gain; /* in units of 2^-40 nats, so that rounding errors do not decide */
    uint32_t column;
} feature_gain;

/* Higher gains first, then lower columns. */
static int compare_gains(const void *one, const void *other)
{
    const feature_gain *a = one, *b = other;
    if (a->gain != b->gain) return a->gain > b->gain ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* n/N log(n N / (n_d n_v)), and 0 for n = 0. */
static double gain_term(double n, double N, double n_d, double n_v)
{
    return n > 0 ? n / N * log(n * N / (n_d * n_v)) : 0;
}

/* IG of a feature that occurs in with[d] of the instances of each domain. */
static double information_gain(const uint32_t *with, const size_t *begin, size_t D)
{
    const double N = (double)(begin[D] - begin[0]);
    double n_1 = 0, sum = 0;
    for (size_t d = 0; d < D; d++) n_1 += with[d];
    for (size_t d = 0; d < D; d++) {
        const double n_d = (double)(begin[d + 1] - begin[d]);
        sum += gain_term(with[d], N, n_d, n_1) + gain_term(n_d - with[d], N, n_d, N - n_1);
    }
    return sum;
}

caucus_status cau_bayes_select(caucus_ctx *ctx, const cau_csr *x, const size_t *begin, size_t D,
                               size_t K, size_t most, cau_bayes *out)
{
    caucus_status st = CAUCUS_OK;
    cau_bayes bayes = {.K = K};
    uint32_t *count = NULL;
    feature_gain *found = NULL;
    size_t occur = 0;

    TRY(count_columns(ctx, x, begin, D, K, &count));
    found = cau_alloc(K, sizeof *found);
    bayes.place = cau_alloc(K, sizeof *bayes.place);
    if (!found || !bayes.place) TRY(cau_fail_memory(ctx, "the choice of features"));
    for (size_t k = 0; k < K; k++) {
        size_t d = 0;
        while (d < D && !count[k * D + d]) d++;
        bayes.place[k] = CAU_BAYES_NONE;
        if (d == D) continue;
        const double gain = most ? information_gain(count + k * D, begin, D) : 0;
        found[occur++] = (feature_gain){rint(gain * 0x1p40), (uint32_t)k};
    }

    bayes.B = most && most < occur ? most : occur;
    if (bayes.B < occur) qsort(found, occur, sizeof *found, compare_gains);
    bayes.feature = cau_alloc(bayes.B, sizeof *bayes.feature);
    if (!bayes.feature) TRY(cau_fail_memory(ctx, "the choice of features"));
    for (size_t i = 0; i < bayes.B; i++) bayes.place[found[i].column] = 0; /* selected */
    for (size_t k = 0, f = 0; k < K; k++)
        if (bayes.place[k] != CAU_BAYES_NONE) {
            bayes.feature[f] = (uint32_t)k;
            bayes.place[k] = (uint32_t)f++;
        }
    *out = bayes;
    bayes = (cau_bayes){0}; /* the caller owns it from here */
done:
    cau_bayes_clear(&bayes);
    free(found);
    free(count);
    return st;
}

/* KL(p_i || p_j) = sum_f p_if (log p_if - log p_jf),   p_df = (n_df + 1/2) / (sum_f n_df + K/2) */
caucus_status cau_bayes_divergence(caucus_ctx *ctx, const cau_csr *x, const size_t *begin, size_t D,
                                   size_t K, double *out)
{
    caucus_status st = CAUCUS_OK;
    uint32_t *count = NULL;
    double *total = cau_alloc(D, sizeof *total), *logp = cau_alloc(D, sizeof *logp);
    if (!total || !logp) TRY(cau_fail_memory(ctx, "the divergence of the domains"));
    TRY(count_columns(ctx, x, begin, D, K, &count));

    for (size_t d = 0; d < D; d++) total[d] = .5 * (double)K;
    for (size_t k = 0; k < K; k++)
        for (size_t d = 0; d < D; d++) total[d] += count[k * D + d];

    for (size_t i = 0; i < D * D; i++) out[i] = 0;
    for (size_t k = 0; k < K; k++) {
        for (size_t d = 0; d < D; d++) logp[d] = log((count[k * D + d] + .5) / total[d]);
        for (size_t i = 0; i < D; i++) {
            const double p = (count[k * D + i] + .5) / total[i];
            for (size_t j = 0; j < D; j++) out[i * D + j] += p * (logp[i] - logp[j]);
        }
    }
    for (size_t i = 0; i < D * D; i++) out[i] = fmax(out[i], 0); /* rounding of equal domains */
done:
    free(total);
    free(logp);
    free(count);
    return st;
}

/* ---- likelihood ---------------------------------------------------------------------------- */

typedef struct {
    const cau_bayes *bayes;
    const cau_csr *x;
    size_t first, end;
    const double *psi;
    double *logit; /* [B] */
    double none;   /* log probability that no feature occurs */
    double *out;
} bayes_likelihood;

static void logit_block(void *self, size_t begin, size_t end, double *sums)
{
    const bayes_likelihood *l = self;
    for (size_t f = begin; f < end; f++) {
        const double without = log1p(-l->psi[f]);
        l->logit[f] = log(l->psi[f]) - without;
        sums[0] += without;
    }
}

/* log Psi_n = sum_f log(1 - psi_f) + sum_{f in x_n} logit psi_f */
static caucus_status likelihood_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const bayes_likelihood *l = self;
    const cau_csr *x = l->x;
    const size_t begin = l->first + block * BLOCK_ROWS;
    const size_t end = l->end - begin < BLOCK_ROWS ? l->end : begin + BLOCK_ROWS;
    for (size_t n = begin; n < end; n++) {
        double sum = 0;
        for (size_t e = x->start[n]; e < x->start[n + 1]; e++) {
            const uint32_t k = x->column[e];
            if (k >= l->bayes->K || l->bayes->place[k] == CAU_BAYES_NONE) continue;
            if (occurs(x, e)) sum += l->logit[l->bayes->place[k]];
        }
        l->out[n - l->first] = l->none + sum;
    }
    return CAUCUS_OK;
}

caucus_status cau_bayes_log(const cau_bayes *bayes, const cau_csr *x, size_t first, size_t end,
                            const double *psi, unsigned threads, double *out)
{
    bayes_likelihood l = {
        .bayes = bayes, .x = x, .first = first, .end = end, .psi = psi, .out = out};
    l.logit = cau_alloc(bayes->B, sizeof *l.logit);
    if (!l.logit) return CAUCUS_ERR_MEMORY;
    cau_vector_sums(threads, bayes->B, 1, logit_block, &l, &l.none);
    const size_t n = end - first;
    caucus_status st =
        cau_parallel(threads, n / BLOCK_ROWS + (n % BLOCK_ROWS != 0), likelihood_block, &l);
    free(l.logit);
    return st;
}

double cau_bayes_log_prior(const cau_bayes *bayes, const cau_bayes_prior *prior, const double *psi)
{
    double sum = 0;
    for (size_t f = 0; f < bayes->B; f++)
        sum += (prior->a - 1) * log(psi[f]) + (prior->b - 1) * log1p(-psi[f]);
    return sum;
}

/* ---- the bound ----------------------------------------------------------------------------- */

/* With half = (D + S) / 2 the roots are (half +- root) / S, and the one in (0,1) is
 *     (half - root) / S = C / (half + root),      root^2 = half^2 - S C = (half - S)^2 + S (D - C)
 * In each case the code uses the form without cancellation, and no square that could overflow. */
double cau_bayes_root(double S, double D, double C)
{
    const double half = .5 * D + .5 * S;
    const double root = S > 0 ? hypot(.5 * D - .5 * S, sqrt(S) * sqrt(fmax(D - C, 0)))
                              : hypot(half, sqrt(-S) * sqrt(C));
    double p;
    if (half < 0)
        p = (half - root) / S;
    else if (half + root > 0)
        p = C / (half + root);
    else /* S = -D and C = 0: Q falls everywhere, or is constant */
        p = D > 0 ? 0 : .5;
    return fmin(fmax(p, CAU_BAYES_CLIP), 1 - CAU_BAYES_CLIP);
}

/* All r_n = scale t_n of a component. */
typedef struct {
    const cau_csr *xt;
    double *t; /* [n] */
    double scale;
    double sum;  /* of t */
    double peak; /* the highest sum since it was computed from scratch */
} psi_ratios;

static inline double at_least_floor(double t)
{
    return t > FLOOR ? t : FLOOR;
}

static void compute_sum(psi_ratios *r)
{
    r->sum = 0;
    for (size_t n = 0; n < r->xt->columns; n++) r->sum += r->t[n];
    r->peak = r->sum;
}

/* Multiplies scale into all t_n. */
static void apply_scale(psi_ratios *r)
{
    for (size_t n = 0; n < r->xt->columns; n++) r->t[n] = at_least_floor(r->t[n] * r->scale);
    r->scale = 1;
    compute_sum(r);
}

/* The sum of value[n] over the instances with the feature of column k. */
static double sum_with(const cau_csr *xt, uint32_t k, const double *value)
{
    double sum = 0;
    for (size_t e = xt->start[k]; e < xt->start[k + 1]; e++)
        if (occurs(xt, e)) sum += value[xt->column[e]];
    return sum;
}

/* Moves psi of column k from p to the maximum of Q, with all others fixed. Returns the new psi. */
static double maximise_psi(psi_ratios *r, uint32_t k, double p, double D, double C)
{
    const cau_csr *xt = r->xt;
    const double with = sum_with(xt, k, r->t);
    const double without = fmax(r->sum - with, 0);
    const double S = r->scale * with / p - r->scale * without / (1 - p);
    const double now = cau_bayes_root(S, D, C);
    if (now == p) return p;

    const double up = now / p * ((1 - p) / (1 - now));
    for (size_t e = xt->start[k]; e < xt->start[k + 1]; e++)
        if (occurs(xt, e)) {
            double *t = &r->t[xt->column[e]];
            *t = at_least_floor(*t * up);
        }
    r->sum = without + up * with;
    r->scale *= (1 - now) / (1 - p);
    r->peak = fmax(r->peak, r->sum);
    if (r->scale > SCALE_MAX || r->scale < 1 / SCALE_MAX)
        apply_scale(r);
    else if (r->sum < r->peak * FRESH)
        compute_sum(r);
    return now;
}

caucus_status cau_bayes_maximise(const cau_bayes *bayes, const cau_csr *xt, const double *v,
                                 double *ratio, const cau_bayes_prior *prior, double *psi,
                                 size_t *done)
{
    double *C = cau_alloc(bayes->B, sizeof *C);
    if (!C) return CAUCUS_ERR_MEMORY;
    double D = prior->a + prior->b - 2;
    for (size_t n = 0; n < xt->columns; n++) D += v[n];
    for (size_t f = 0; f < bayes->B; f++) C[f] = prior->a - 1 + sum_with(xt, bayes->feature[f], v);

    psi_ratios r = {.xt = xt, .t = ratio, .scale = 1};
    size_t sweep = 0;
    for (double change = INFINITY; sweep < prior->sweeps && change >= SMALLEST_CHANGE; sweep++) {
        change = 0;
        apply_scale(&r);
        for (size_t f = 0; f < bayes->B; f++) {
            const double now = maximise_psi(&r, bayes->feature[f], psi[f], D, C[f]);
            change = fmax(change, fabs(now - psi[f]));
            psi[f] = now;
        }
    }
    apply_scale(&r);
    if (done) *done = sweep;
    free(C);
    return CAUCUS_OK;
}

/* ---- the gradient -------------------------------------------------------------------------- */

typedef struct {
    const cau_bayes *bayes;
    const cau_csr *xt;
    const double *e, *psi;
    double all; /* sum of e */
    cau_bayes_prior prior;
    double *g;
} psi_gradient;

static void sum_e(void *self, size_t begin, size_t end, double *sums)
{
    const psi_gradient *job = self;
    for (size_t n = begin; n < end; n++) sums[0] += job->e[n];
}

static caucus_status gradient_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const psi_gradient *job = self;
    const size_t begin = block * BLOCK_FEATURES, B = job->bayes->B;
    const size_t end = B - begin < BLOCK_FEATURES ? B : begin + BLOCK_FEATURES;
    for (size_t f = begin; f < end; f++) {
        const double p = job->psi[f];
        job->g[f] = sum_with(job->xt, job->bayes->feature[f], job->e) - p * job->all +
                    (job->prior.a - 1) * (1 - p) - (job->prior.b - 1) * p;
    }
    return CAUCUS_OK;
}

caucus_status cau_bayes_gradient(const cau_bayes *bayes, const cau_csr *xt, const double *e,
                                 const cau_bayes_prior *prior, const double *psi, unsigned threads,
                                 double *g)
{
    psi_gradient job = {.bayes = bayes, .xt = xt, .e = e, .psi = psi, .prior = *prior, .g = g};
    cau_vector_sums(threads, xt->columns, 1, sum_e, &job, &job.all);
    const size_t B = bayes->B;
    return cau_parallel(threads, B / BLOCK_FEATURES + (B % BLOCK_FEATURES != 0), gradient_block,
                        &job);
}
