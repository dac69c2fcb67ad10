/* forward_backward.c - sums over all paths of a chain: log Z and the probabilities of labels and
 * edges.
 *
 * Scaled. Scores are shifted by their maximum at each position before exp:
 *     u_t = max_y node_t(y)          S_t(y)     = exp( node_t(y) - u_t )
 *     m_t = max_y',y edge_t(y',y)    M_t(y',y)  = exp( edge_t(y',y) - m_t )
 * and each step divides by the sum z of the previous alphas, so that they stay near 1:
 *     alpha_0(y) = S_0(y)            alpha_t(y) = S_t(y) sum_y' alpha_{t-1}(y') M_t(y',y) / z_{t-1}
 *     z_t        = sum_y alpha_t(y)
 * (dividing by the sum of the same position would delay the step). Then
 *     log Z = sum_t ( u_t + m_t + log z_t )
 * and the backward pass, with the same z and everything times c, is
 *     beta_{T-1}(y)  = c / z_{T-1}
 *     gamma_t(y)     = S_t(y) beta_t(y) / z_{t-1}
 *     beta_{t-1}(y') = sum_y M_t(y',y) gamma_t(y)
 *     c p(y_t | x)            = alpha_t(y) beta_t(y)
 *     c p(y_{t-1}, y_t | x)   = alpha_{t-1}(y') M_t(y',y) gamma_t(y)
 * If M is the same at all positions, the expected transitions of a sequence are
 *     M .* sum_t alpha_{t-1} gamma_t'
 * a small matrix product over the positions, and one multiplication by M. Several sequences can
 * then go step by step together: a step is a matrix-matrix product, which uses each load of M
 * several times. With 319 labels M is as large as the second-level cache, and a step of a single
 * sequence is limited by loading M.
 *
 * Underflow. If all node scores of a position, and all edges into it, are within
 * CAU_CHAIN_SPREAD = 200 of each other, S and M are at least e^-200 (1e-87). Then no alpha is below
 * 1e-174, no beta above 1e174 and no gamma above 1e261, so nothing underflows or overflows.
 * Forbidden labels have S_t(y) = 0, which does not affect these bounds. Other chains (-INFINITY,
 * scores of thousands) run in log space, about ten times slower:
 *     A_t(y)  = node_t(y) + log sum_y' exp( A_{t-1}(y') + edge_t(y',y) ),       A_0 = node_0
 *     B_t(y') = log sum_y exp( edge_{t+1}(y',y) + node_{t+1}(y) + B_{t+1}(y) ),  B_{T-1} = 0
 *     log p(y_t|x) = A_t(y) + B_t(y) - log Z
 *
 * [1] Rabiner. A tutorial on hidden Markov models. Proceedings of the IEEE 77(2), 1989. */

#include <math.h>
#include <string.h>

#include "model/chain_work.h"

/* ---- exponentials ----------------------------------------------------------------------- */

bool cau_chain_exp_nodes(cau_chain_work *work, size_t first, size_t T, const double *node,
                         double *shift)
{
    const cau_kernels *k = work->kernels;
    double sum = 0, *S = work->S + first * work->stride;
    for (size_t t = 0; t < T; t++) {
        double least, most;
        if (!k->span(work->Y, node + t * work->Y, &least, &most)) return false;
        if (!(most - least <= CAU_CHAIN_SPREAD)) return false;
        k->exp_row(work->Y, work->stride, node + t * work->Y, most, S + t * work->stride);
        sum += most;
    }
    *shift = sum;
    return true;
}

bool cau_chain_exp_plain(cau_chain_work *work, size_t T, const double *edge,
                         cau_chain_matrices *out)
{
    const cau_kernels *k = work->kernels;
    const size_t Y = work->Y, stride = work->stride;
    double least, most;
    if (!k->span(Y * Y, edge, &least, &most) || !(most - least <= CAU_CHAIN_SPREAD)) return false;
    for (size_t i = 0; i < Y; i++)
        k->exp_row(Y, stride, edge + i * Y, most, work->edge + i * stride);
    cau_chain_transpose(work, stride, work->edge, work->back);
    *out =
        (cau_chain_matrices){.e = work->edge, .back = work->back, .shift = (double)(T - 1) * most};
    return true;
}

/* row[y] = a[y] + own[y] for one previous label. */
static const double *add_rows(size_t Y, const double *a, const double *own, double *row)
{
    if (!a) return own;
    for (size_t j = 0; j < Y; j++) row[j] = a[j] + own[j];
    return row;
}

bool cau_chain_exp_own(cau_chain_work *work, size_t T, const double *a, const double *own,
                       cau_chain_matrices *out)
{
    const cau_kernels *k = work->kernels;
    const size_t Y = work->Y, stride = work->stride;
    double shift = 0, *row = work->beta;
    for (size_t t = 1; t < T; t++) {
        const double *from = own + t * Y * Y;
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < Y; i++) {
            const double *sum = add_rows(Y, a ? a + i * Y : NULL, from + i * Y, row);
            double low, high;
            if (!k->span(Y, sum, &low, &high)) return false;
            least = fmin(least, low);
            most = fmax(most, high);
        }
        if (!(most - least <= CAU_CHAIN_SPREAD)) return false;
        for (size_t i = 0; i < Y; i++) {
            const double *sum = add_rows(Y, a ? a + i * Y : NULL, from + i * Y, row);
            k->exp_row(Y, stride, sum, most, work->M + (t * Y + i) * stride);
        }
        shift += most;
    }
    *out = (cau_chain_matrices){.e = work->M, .per_position = true, .shift = shift};
    return true;
}

/* ---- scaled ------------------------------------------------------------------------------- */

static const double *matrix_into(const cau_chain_work *work, const cau_chain_matrices *m, size_t t)
{
    return m->per_position ? m->e + t * work->Y * work->stride : m->e;
}

/* The number of sequences of a group that have a position t. */
static size_t count_longer(const cau_chain_group *g, size_t t)
{
    size_t n = g->n;
    while (n > 0 && g->first[n] - g->first[n - 1] <= t) n--;
    return n;
}

/* Computes alpha and z of position `at`, which is not the first of its sequence. */
static void forward_one(cau_chain_work *work, size_t at, const double *M)
{
    const size_t stride = work->stride;
    double *to = work->alpha + at * stride, *z = work->z + at;
    *z = work->kernels->chain_forward(work->Y, stride, to - stride, M, work->S + at * stride,
                                      1 / z[-1], to);
}

/* The same for position t > 0 of the first n sequences. */
static void forward_together(cau_chain_work *work, const cau_chain_group *g, size_t n, size_t t,
                             const double *M)
{
    const size_t stride = work->stride;
    const double *before[CAU_TOGETHER] = {NULL}, *S[CAU_TOGETHER] = {NULL};
    double scale[CAU_TOGETHER] = {0}, z[CAU_TOGETHER], *to[CAU_TOGETHER] = {NULL};
    for (size_t i = 0; i < n; i++) {
        const size_t at = g->first[i] + t;
        to[i] = work->alpha + at * stride;
        before[i] = to[i] - stride;
        S[i] = work->S + at * stride;
        scale[i] = 1 / work->z[at - 1];
    }
    work->kernels->chain_forward_rows(n, work->Y, stride, before, M, S, scale, to, z);
    for (size_t i = 0; i < n; i++) work->z[g->first[i] + t] = z[i];
}

/* sum_t log z_t. Takes a logarithm only when the product would leave the range of doubles; z is in
 * [1e-174, Y]. */
static double sum_of_logs(size_t T, const double *z)
{
    double sum = 0, product = 1;
    for (size_t t = 0; t < T; t++) {
        product *= z[t];
        if (!(product > 1e-100 && product < 1e100)) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

void cau_chain_forward(cau_chain_work *work, const cau_chain_group *g, const cau_chain_matrices *m,
                       double *logz)
{
    const size_t stride = work->stride;
    for (size_t i = 0; i < g->n; i++) {
        const double *S = work->S + g->first[i] * stride;
        double *z = work->z + g->first[i];
        memcpy(work->alpha + g->first[i] * stride, S, stride * sizeof *S);
        *z = 0;
        for (size_t y = 0; y < work->Y; y++) *z += S[y];
    }
    for (size_t t = 1; t < g->first[1]; t++) {
        const size_t n = count_longer(g, t);
        if (n == 1)
            forward_one(work, t, matrix_into(work, m, t));
        else
            forward_together(work, g, n, t, m->e);
    }
    for (size_t i = 0; i < g->n; i++)
        logz[i] = sum_of_logs(g->first[i + 1] - g->first[i], work->z + g->first[i]);
}

/* Computes gamma and p of position t from beta. */
static void combine_passes(cau_chain_work *work, size_t first, size_t t, const double *beta,
                           double *p)
{
    const size_t stride = work->stride, at = first + t;
    work->kernels->chain_meet(work->Y, stride, work->alpha + at * stride, beta,
                              work->S + at * stride, t > 0 ? 1 / work->z[at - 1] : 0,
                              work->gamma + at * stride, p + t * work->Y);
}

/* Computes beta of position t - 1 of the first n sequences. */
static void backward_together(cau_chain_work *work, const cau_chain_group *g, size_t n, size_t t,
                              const double *back)
{
    const double *gamma[CAU_TOGETHER] = {NULL};
    for (size_t i = 0; i < n; i++) gamma[i] = work->gamma + (g->first[i] + t) * work->stride;
    work->kernels->chain_backward_rows(n, work->Y, work->stride, gamma, back, work->beta);
}

void cau_chain_backward(cau_chain_work *work, const cau_chain_group *g, const cau_chain_matrices *m,
                        const double *c, double *const *p)
{
    const size_t stride = work->stride;
    size_t n = 0; /* sequences that have begun, at their ends */
    for (size_t t = g->first[1] - 1;; t--) {
        for (; n < count_longer(g, t); n++)
            for (size_t j = 0; j < stride; j++)
                work->beta[n * stride + j] = c[n] / work->z[g->first[n + 1] - 1];
        for (size_t i = 0; i < n; i++)
            combine_passes(work, g->first[i], t, work->beta + i * stride, p[i]);
        if (t == 0) break;
        const double *back = m->back;
        if (m->per_position) {
            cau_chain_transpose(work, stride, matrix_into(work, m, t), work->back);
            back = work->back;
        }
        if (n == 1)
            work->kernels->chain_backward(work->Y, stride, work->gamma + t * stride, back,
                                          work->beta);
        else
            backward_together(work, g, n, t, back);
    }
}

void cau_chain_add_own(cau_chain_work *work, size_t T, const cau_chain_matrices *m, double *own)
{
    const size_t Y = work->Y, stride = work->stride;
    for (size_t t = 1; t < T; t++)
        work->kernels->chain_counts(1, Y, stride, matrix_into(work, m, t),
                                    work->alpha + (t - 1) * stride, work->gamma + t * stride,
                                    own + t * Y * Y);
}

void cau_chain_add_counts(cau_chain_work *work, size_t T, const cau_chain_matrices *m,
                          double *counts)
{
    work->kernels->chain_counts(T - 1, work->Y, work->stride, m->e, work->alpha,
                                work->gamma + work->stride, counts);
}

/* ---- log space -------------------------------------------------------------------------- */

/* Whether all scores are numbers below infinity. */
static bool possible(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] < INFINITY)) return false;
    return true;
}

/* A into work->alpha, and log Z. */
static caucus_status forward_log(cau_chain_work *work, const cau_lattice *x, double *logz)
{
    const size_t Y = x->Y, T = x->T, stride = work->stride;
    if (!possible(T * Y, x->node)) return CAUCUS_ERR_NUMERIC;
    if (T > 1 && !possible(x->per_position ? (T - 1) * Y * Y : Y * Y, cau_chain_edges(x, 1)))
        return CAUCUS_ERR_NUMERIC;

    double *A = work->alpha;
    memcpy(A, x->node, Y * sizeof *A);
    for (size_t t = 1; t < T; t++) {
        double *to = A + t * stride;
        if (t == 1 || x->per_position) cau_chain_pad(work, cau_chain_edges(x, t), work->edge);
        work->kernels->chain_log(Y, stride, to - stride, work->edge, to);
        for (size_t y = 0; y < Y; y++) to[y] += x->node[t * Y + y];
    }

    const double *end = A + (T - 1) * stride;
    double most = -INFINITY, sum = 0;
    for (size_t y = 0; y < Y; y++) most = fmax(most, end[y]);
    if (!isfinite(most)) return CAUCUS_ERR_NUMERIC;
    for (size_t y = 0; y < Y; y++) sum += exp(end[y] - most);
    *logz = most + log(sum);
    return CAUCUS_OK;
}

caucus_status cau_chain_sum_log(cau_chain_work *work, const cau_lattice *x, double c, double *logz,
                                double *p, double *own, double *counts)
{
    const size_t Y = x->Y, T = x->T, stride = work->stride;
    caucus_status st = cau_chain_reserve(work, T);
    if (!st) st = forward_log(work, x, logz);
    if (st || (!p && !own && !counts)) return st;

    const double *A = work->alpha;
    double *B = work->beta, *G = work->gamma; /* G(y) = node_t(y) + B_t(y), of one position */
    for (size_t y = 0; y < Y; y++) B[y] = 0;
    for (size_t t = T - 1;; t--) {
        for (size_t y = 0; p && y < Y; y++)
            p[t * Y + y] += c * exp(A[t * stride + y] + B[y] - *logz);
        if (t == 0) break;

        const double *edge = cau_chain_edges(x, t);
        for (size_t y = 0; y < Y; y++) G[y] = x->node[t * Y + y] + B[y];
        for (size_t i = 0; (own || counts) && i < Y; i++) {
            const double before = A[(t - 1) * stride + i] - *logz;
            for (size_t y = 0; y < Y; y++) {
                const double xi = c * exp(before + edge[i * Y + y] + G[y]);
                if (own) own[(t * Y + i) * Y + y] += xi;
                if (counts) counts[i * Y + y] += xi;
            }
        }
        if (t == T - 1 || x->per_position) cau_chain_transpose(work, Y, edge, work->back);
        work->kernels->chain_log(Y, stride, G, work->back, B);
    }
    return CAUCUS_OK;
}

/* ---- lattices ----------------------------------------------------------------------------- */

/* Computes S and the matrices of a lattice. *scaled is false if it needs log space. */
static caucus_status prepare_lattice(cau_chain_work *work, const cau_lattice *x,
                                     cau_chain_matrices *m, double *shift, bool *scaled)
{
    caucus_status st = cau_chain_reserve(work, x->T);
    if (!st && x->per_position) st = cau_chain_reserve_own(work, x->T);
    if (st) return st;
    *scaled = cau_chain_exp_nodes(work, 0, x->T, x->node, shift) &&
              (x->per_position ? cau_chain_exp_own(work, x->T, NULL, x->edge, m)
                               : cau_chain_exp_plain(work, x->T, x->edge, m));
    return CAUCUS_OK;
}

/* log Z, including the shifts. */
static double log_normaliser(cau_chain_work *work, const cau_chain_group *alone,
                             const cau_chain_matrices *m, double shift)
{
    double logz;
    cau_chain_forward(work, alone, m, &logz);
    return shift + m->shift + logz;
}

caucus_status cau_chain_sum(cau_chain_work *work, const cau_lattice *x, double *logz, double *node,
                            double *edge)
{
    const size_t Y = x->Y, T = x->T;
    cau_chain_matrices m;
    double shift;
    bool scaled;
    caucus_status st = prepare_lattice(work, x, &m, &shift, &scaled);
    if (st) return st;
    if (edge) memset(edge, 0, T * Y * Y * sizeof *edge);
    if (!scaled) {
        if (node) memset(node, 0, T * Y * sizeof *node);
        return cau_chain_sum_log(work, x, 1, logz, node, edge, NULL);
    }
    const cau_chain_group alone = cau_chain_alone(T);
    const double sum = log_normaliser(work, &alone, &m, shift);
    if (!isfinite(sum)) return CAUCUS_ERR_NUMERIC;
    *logz = sum;
    const double once = 1;
    double *const p = node ? node : work->p;
    if (node || edge) cau_chain_backward(work, &alone, &m, &once, &p);
    if (edge) cau_chain_add_own(work, T, &m, edge);
    return CAUCUS_OK;
}

/* The paths through given labels are those of a lattice without the other labels. */
caucus_status cau_chain_within(cau_chain_work *work, const cau_lattice *x, const uint32_t *path,
                               size_t begin, size_t end, double *logz)
{
    const size_t Y = x->Y, T = x->T, stride = work->stride;
    cau_chain_matrices m;
    double shift;
    bool scaled;
    caucus_status st = prepare_lattice(work, x, &m, &shift, &scaled);
    if (st) return st;
    if (!scaled) {
        cau_lattice narrow = *x;
        narrow.node = memcpy(work->p, x->node, T * Y * sizeof *work->p);
        for (size_t t = begin; t < end; t++)
            cau_chain_allow(Y, path[t], NULL, -INFINITY, work->p + t * Y);
        return forward_log(work, &narrow, logz);
    }
    for (size_t t = begin; t < end; t++) cau_chain_allow(Y, path[t], NULL, 0, work->S + t * stride);
    const cau_chain_group alone = cau_chain_alone(T);
    const double sum = log_normaliser(work, &alone, &m, shift);
    if (!isfinite(sum)) return CAUCUS_ERR_NUMERIC;
    *logz = sum;
    return CAUCUS_OK;
}
