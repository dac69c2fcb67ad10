/* prox.c - proximal steps of l1, l2 and the elitist lasso, one or many at a time.
 *
 * Elitist lasso, one group: argmin_x 1/2 |x - v|^2 + (r/2) (sum_j |x_j|)^2. With the sizes
 * a_1 >= .. >= a_J of v and A_k = a_1 + .. + a_k,
 *     x_j = sgn(v_j) max(|v_j| - tau, 0),   tau = max_k r A_k / (1 + r k) = r sum_j |x_j|
 * The k that gives the maximum is the number M of members that survive: the largest m with
 *     a_m > r D_m,        D_m = sum_{i<=m} (a_i - a_m) = D_{m-1} + (m-1) (a_{m-1} - a_m)
 * The survivors keep their distances, so it is enough to know where the smallest of them goes:
 *     |x_j| = low + (|v_j| - a_M),   low = a_M - tau = (a_M - r D_M) / (1 + r M)
 * In this form nothing cancels: all terms of D_m and of |x_j| are positive. The largest member
 * always survives (D_1 = 0), so no group dies.
 *
 * Many steps: steps of l1 add up, factors of l2 multiply. Steps of the elitist lasso combine into
 * one as long as no member dies; fobos.c implements that with the sums kept here.
 *
 * The norm without the square, N(x) = ( sum_g (sum_j |x_gj|)^2 )^(1/2), couples the groups. Its
 * step is the step r = 1/s of the squared norm for all groups, with s such that
 *     h(s) = ( sum_g tau_g(s)^2 )^(1/2) = lambda,   tau_g(s) = max_k A_k / (s + k),   s >= 0
 * or x = 0 where h(0), the dual norm ( sum_g a_g1^2 )^(1/2), is no larger than lambda. Each
 * 1 / tau_g is a minimum of lines in s, hence 1/h, a power mean of concave functions, is
 * concave and rises. Newton's method for 1/h(s) = 1/lambda from a point below the root
 * climbs to it and never passes it. As tau_g >= a_g1 / (s + 1), s = h(0)/lambda - 1 is such a
 * point.
 *
 * [1] Kowalski, Torresani. Sparsity and persistence: mixed norms provide simple signal models with
 *     dependent coefficients. Signal, Image and Video Processing 3, 2009.
 * [2] Wang, Manning. Learning a product of experts with elitist lasso. IJCNLP 2013. */

#include "optim/prox.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- one group -------------------------------------------------------------------------- */

/* The members that survive a step. */
typedef struct {
    size_t M;     /* their number */
    double least; /* a_M */
    double gaps;  /* D_M */
} prox_support;

/* a [J] = the absolute values of v, largest first; an insertion sort, because J is small. */
static void sort_sizes(size_t J, const double *v, double *a)
{
    assert(J >= 1 && J <= CAU_PROX_MEMBERS_MAX);
    for (size_t j = 0; j < J; j++) {
        const double size = fabs(v[j]);
        size_t at = j;
        for (; at > 0 && a[at - 1] < size; at--) a[at] = a[at - 1];
        a[at] = size;
    }
}

/* The largest M with a_M > r D_M, at least 1. With r = 0 these are the members that are not 0. */
static prox_support find_support(size_t J, double r, const double *a)
{
    prox_support s = {.M = 1, .least = a[0]};
    while (s.M < J) {
        const double gaps = s.gaps + (double)s.M * (s.least - a[s.M]);
        if (!(a[s.M] > r * gaps)) break;
        s = (prox_support){.M = s.M + 1, .least = a[s.M], .gaps = gaps};
    }
    return s;
}

/* |x_j| = low + (|v_j| - a_M) for the survivors, 0 for the others. */
static void shrink(size_t J, double r, prox_support s, double *v)
{
    const double low = fmax((s.least - r * s.gaps) / (1 + r * (double)s.M), 0);
    for (size_t j = 0; j < J; j++) {
        const double above = fabs(v[j]) - s.least;
        v[j] = above >= 0 && low + above > 0 ? copysign(low + above, v[j]) : 0;
    }
}

/* r A_M / (1 + r M), in a form that does not overflow. */
static double threshold(double r, prox_support s, const double *a)
{
    double A = 0;
    for (size_t m = 0; m < s.M; m++) A += a[m];
    return A / (1 / r + (double)s.M);
}

double cau_prox_elitist(size_t J, double r, double *v)
{
    double a[CAU_PROX_MEMBERS_MAX];
    if (J == 0 || !(r > 0)) return 0;
    sort_sizes(J, v, a);
    const prox_support s = find_support(J, r, a);
    shrink(J, r, s, v);
    return threshold(r, s, a);
}

double cau_prox_elitist_approximate(size_t J, double r, double *v)
{
    if (J == 0 || !(r > 0)) return 0;
    double A = 0;
    for (size_t j = 0; j < J; j++) A += fabs(v[j]);
    const double tau = A / (1 / r + (double)J);
    cau_prox_l1(J, tau, v);
    return tau;
}

/* ---- all groups ------------------------------------------------------------------------- */

/* s with h(s) = lambda, for sorted sizes a [G][J] whose dual norm is larger than lambda. In
 * the letters of the head, with H = h^2 = sum_g tau_g^2 and the slope S = sum_g tau_g^2 / (s +
 * M_g), (1/h)' = S / h^3,   Newton's step = (1/lambda - 1/h) / (1/h)' = (h/lambda - 1) H / S */
static double solve_norm(size_t G, size_t J, double lambda, double dual, const double *a)
{
    enum { ITERATIONS = 200 }; /* a handful is usual */
    double s = dual / lambda - 1;
    for (int i = 0; i < ITERATIONS; i++) {
        double H = 0, S = 0;
        for (size_t g = 0; g < G; g++) {
            const prox_support at = find_support(J, 1 / s, a + g * J);
            const double tau = threshold(1 / s, at, a + g * J);
            H += tau * tau;
            S += tau * tau / (s + (double)at.M);
        }
        const double step = (sqrt(H) / lambda - 1) * H / S;
        if (!(step > DBL_EPSILON * s)) break;
        s += step;
    }
    return s;
}

caucus_status cau_prox_elitist_norm(size_t G, size_t J, double r, double *v)
{
    if (G == 0 || J == 0 || !(r > 0)) return CAUCUS_OK;
    double *a = cau_alloc(G, J * sizeof *a);
    if (!a) return CAUCUS_ERR_MEMORY;

    double squares = 0;
    for (size_t g = 0; g < G; g++) {
        sort_sizes(J, v + g * J, a + g * J);
        squares += a[g * J] * a[g * J];
    }
    const double dual = sqrt(squares);
    if (dual <= r) {
        memset(v, 0, G * J * sizeof *v);
    } else {
        const double c = 1 / solve_norm(G, J, r, dual, a);
        for (size_t g = 0; g < G; g++) shrink(J, c, find_support(J, c, a + g * J), v + g * J);
    }
    free(a);
    return CAUCUS_OK;
}

/* ---- penalties of single weights ----------------------------------- */

/* x = sgn(v) max(|v| - r, 0) */
void cau_prox_l1(size_t n, double r, double *v)
{
    for (size_t k = 0; k < n; k++) v[k] = fabs(v[k]) > r ? v[k] - copysign(r, v[k]) : 0;
}

/* x = v / (1 + r) */
void cau_prox_l2(size_t n, double r, double *v)
{
    for (size_t k = 0; k < n; k++) v[k] /= 1 + r;
}

/* ---- many steps at once ----------------------------------------------------------------- */

/* sum + x by Kahan's compensated summation; *low carries the rounding error. */
static double add_compensated(double sum, double x, double *low)
{
    const double y = x - *low, next = sum + y;
    *low = next - sum - y;
    return next;
}

caucus_status cau_prox_steps_add(cau_prox_steps *steps, double r)
{
    const size_t J = steps->J, t = steps->count;
    size_t rooms[3] = {steps->room, steps->room, steps->room};
    assert(J >= 1 && J <= CAU_PROX_MEMBERS_MAX);
    if (t + 2 > steps->room) {
        if (!cau_grow((void **)&steps->log_sum, &rooms[0], t + 2, J * sizeof *steps->log_sum) ||
            !CAU_GROW(steps->sum, rooms[1], t + 2) || !CAU_GROW(steps->step, rooms[2], t + 2))
            return CAUCUS_ERR_MEMORY;
        steps->room = rooms[0];
    }
    if (t == 0) {
        memset(steps->log_sum, 0, J * sizeof *steps->log_sum);
        steps->sum[0] = 0;
    }

    const double *before = steps->log_sum + t * J;
    double *after = steps->log_sum + (t + 1) * J;
    for (size_t j = 0; j < J; j++)
        after[j] = add_compensated(before[j], log1p((double)(j + 1) * r), &steps->low[j]);
    steps->sum[t + 1] = add_compensated(steps->sum[t], r, &steps->low[J]);
    steps->step[t] = r;
    steps->count++;
    return CAUCUS_OK;
}

void cau_prox_steps_forget(cau_prox_steps *steps, size_t before)
{
    if (before <= steps->first) return;
    const size_t J = steps->J,
                 gone = before - steps->first < steps->count ? before - steps->first : steps->count;
    steps->first += gone;
    steps->count -= gone;
    if (steps->count == 0) {
        memset(steps->low, 0, sizeof steps->low);
        return;
    }
    /* The remaining sums restart from 0. */
    const double *base = steps->log_sum + gone * J, origin = steps->sum[gone];
    double from[CAU_PROX_MEMBERS_MAX];
    memcpy(from, base, J * sizeof *from);
    for (size_t t = 0; t <= steps->count; t++) {
        for (size_t j = 0; j < J; j++) steps->log_sum[t * J + j] = base[t * J + j] - from[j];
        steps->sum[t] = steps->sum[gone + t] - origin;
    }
    memmove(steps->step, steps->step + gone, steps->count * sizeof *steps->step);
}

void cau_prox_steps_clear(cau_prox_steps *steps)
{
    free(steps->log_sum);
    free(steps->sum);
    free(steps->step);
    *steps = (cau_prox_steps){.J = steps->J};
}

void cau_prox_l1_catch_up(const cau_prox_steps *steps, size_t seen, size_t n, double *v)
{
    assert(seen >= steps->first && seen <= steps->first + steps->count);
    if (steps->count == 0) return;
    cau_prox_l1(n, steps->sum[steps->count] - steps->sum[seen - steps->first], v);
}

void cau_prox_l2_catch_up(const cau_prox_steps *steps, size_t seen, size_t n, double *v)
{
    assert(seen >= steps->first && seen <= steps->first + steps->count);
    if (steps->count == 0) return;
    const double *L = steps->log_sum; /* of M = 1 */
    const double factor = exp(L[(seen - steps->first) * steps->J] - L[steps->count * steps->J]);
    for (size_t k = 0; k < n; k++) v[k] *= factor;
}
