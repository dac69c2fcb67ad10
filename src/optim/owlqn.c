/* owlqn.c - steps inside an orthant, for F(w) = smooth(w) + l1 sum_k |w_k|.
 *
 * F has no gradient where a weight is 0. Its steepest descent direction is minus the
 * pseudo-gradient
 *     v_k = g_k + l1 sgn(w_k)     if w_k != 0
 *     v_k = g_k + l1              if w_k = 0 and g_k < -l1
 *     v_k = g_k - l1              if w_k = 0 and g_k > l1,     else 0
 * Within the orthant xi_k = sgn(w_k), or sgn(-v_k) where w_k = 0, F is smooth. A trial moves along
 * those components of d = -H v that agree with -v, and is projected onto the orthant:
 *     d_k = 0                     if d_k v_k >= 0
 *     w'_k = w_k + a d_k,         0 if its sign is not xi_k
 * The projection makes weights exactly 0. Weights from `penalised` on are not constrained:
 * v_k = g_k and w'_k = w_k + a d_k.
 *
 * v and the adjusted d are computed during a trial, so neither needs a vector of its own.
 * [1] Andrew, Gao. Scalable training of l1-regularized log-linear models. ICML 2007. */

#include "optim/quasi_newton.h"

#include <math.h>

#include "math/vector.h"

static inline double pseudo(double w, double g, double l1)
{
    if (w > 0) return g + l1;
    if (w < 0) return g - l1;
    if (g < -l1) return g + l1;
    if (g > l1) return g - l1;
    return 0;
}

void cau_owlqn_pseudo(const cau_history *h, size_t begin, size_t end, const double *w,
                      const double *g, double *v)
{
    size_t k = begin;
    for (; k < end && k < h->penalised; k++) v[k] = pseudo(w[k], g[k], h->l1);
    for (; k < end; k++) v[k] = g[k];
}

typedef struct {
    const cau_history *h;
    const double *w, *g, *d;
    double *trial;
    double step;
} owlqn_job;

enum { DESCENT, SIZE, SQUARES, SUMS };

static void trial_block(void *self, size_t begin, size_t end, double *sums)
{
    const owlqn_job *j = self;
    double descent = 0, size = 0, squares = 0;
    size_t k = begin;
    for (; k < end && k < j->h->penalised; k++) {
        const double w = j->w[k], v = pseudo(w, j->g[k], j->h->l1);
        const double orthant = w != 0 ? w : -v;
        double to = j->d[k] * v < 0 ? w + j->step * j->d[k] : w;
        if (to * orthant <= 0) to = 0;
        j->trial[k] = to;
        descent += v * (to - w);
        size += fabs(to);
        squares += to * to;
    }
    for (; k < end; k++) {
        const double to = j->w[k] + j->step * j->d[k];
        j->trial[k] = to;
        descent += j->g[k] * (to - j->w[k]);
        squares += to * to;
    }
    sums[DESCENT] += descent;
    sums[SIZE] += size;
    sums[SQUARES] += squares;
}

void cau_owlqn_trial(const cau_history *h, double step, cau_owlqn_point *out)
{
    owlqn_job j = {.h = h,
                   .w = cau_history_weights(h),
                   .g = cau_history_gradient(h),
                   .d = cau_history_direction(h),
                   .trial = cau_history_trial_weights(h),
                   .step = step};
    double sums[SUMS];
    cau_vector_sums(h->threads, h->n, SUMS, trial_block, &j, sums);
    cau_history_total(h, SUMS, sums);
    *out = (cau_owlqn_point){
        .descent = sums[DESCENT], .l1 = h->l1 * sums[SIZE], .norm = sqrt(sums[SQUARES])};
}

static void size_block(void *self, size_t begin, size_t end, double *sums)
{
    const owlqn_job *j = self;
    for (size_t k = begin; k < end && k < j->h->penalised; k++) sums[0] += fabs(j->w[k]);
}

double cau_owlqn_penalty(const cau_history *h, const double *w)
{
    owlqn_job j = {.h = h, .w = w};
    double sum;
    cau_vector_sums(h->threads, h->n, 1, size_block, &j, &sum);
    cau_history_total(h, 1, &sum);
    return h->l1 * sum;
}
