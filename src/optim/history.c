/* history.c - the memory of L-BFGS, and its direction from a Gram matrix.
 *
 * With pairs s_i = w_{i+1} - w_i and y_i = g_{i+1} - g_i the direction -H v follows from the
 * two-loop recursion (Nocedal and Wright, algorithm 7.4). It only adds multiples of s_1 .. s_m,
 * y_1 .. y_m and v, and takes inner products of them. It therefore runs on the coefficients
 *     d = sum_j c_j b_j,     b = (s_1 .. s_m, y_1 .. y_m, v)
 * and the Gram matrix of the b_j, which takes a few hundred operations on numbers in cache [1]. The
 * long vectors are read once to compute d, and once after each step for the 3 (2m + 1) products of
 * the newest s, y and v with all others; these are never derived from older ones.
 *
 * The vectors change roles without being copied:
 *   - The direction is stored in the place of the new s, which is the direction times the step
 *     length; the length is kept as a scale. (With l1 a step is not along d, and s is computed.)
 *   - The new y is computed in place of the old gradient, by the pass that also takes the products;
 *     `row` remembers which vector holds what.
 *   - A full history uses the oldest pair for the direction and then drops it: the direction
 *     overwrites its s, the gradient of the trial its y.
 *   - With l1, v is stored in the place of the next trial's weights.
 * This makes 2m + 3 vectors. An iteration with one trial moves 4m + 10 of them through memory:
 * 2m + 2 for the direction, as many for the move, 6 for the trial and its slope.
 *
 * [1] Chen, Wang, Zhou. Large-scale L-BFGS using MapReduce. NIPS 2014. */

#include "optim/quasi_newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/kernels.h"
#include "math/vector.h"

enum {
    LINE = 8,     /* doubles in a cache line */
    PIECE = 2048, /* numbers of each vector that are processed together, in cache */
};

/* ---- storage -------------------------------------------------------------------------- */

static bool layout(size_t n, size_t m, size_t *stride, size_t *count)
{
    if (m == 0 || m > CAU_HISTORY_MAX || !cau_size_add(n, LINE - 1, stride)) return false;
    *stride -= *stride % LINE;
    return cau_size_mul(*stride, 2 * m + 3, count);
}

bool cau_history_bytes(size_t n, size_t m, size_t *bytes)
{
    size_t stride, count;
    return layout(n, m, &stride, &count) && cau_size_mul(count, sizeof(double), bytes);
}

caucus_status cau_history_init(cau_history *h)
{
    size_t count;
    memset(&h->state, 0, sizeof h->state);
    for (size_t i = 0; i <= h->m; i++) h->state.row[i] = i;
    h->vectors = layout(h->n, h->m, &h->stride, &count) ? cau_vector(count, sizeof(double)) : NULL;
    return h->vectors ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

void cau_history_clear(cau_history *h)
{
    free(h->vectors);
    h->vectors = NULL;
}

bool cau_history_valid(const cau_history *h)
{
    const cau_history_state *state = &h->state;
    if (state->count > h->m || state->open >= h->m || state->now > 1) return false;
    bool seen[CAU_HISTORY_MAX + 1] = {false};
    for (size_t i = 0; i <= h->m; i++) {
        if (state->row[i] > h->m || seen[state->row[i]]) return false;
        seen[state->row[i]] = true;
    }
    return true;
}

static double *vector_at(const cau_history *h, size_t index)
{
    return h->vectors + index * h->stride;
}

static double *step_of(const cau_history *h, size_t slot)
{
    return vector_at(h, 2 + slot);
}

static double *change_of(const cau_history *h, size_t slot)
{
    return vector_at(h, 2 + h->m + (size_t)h->state.row[slot]);
}

double *cau_history_weights(const cau_history *h)
{
    return vector_at(h, (size_t)h->state.now);
}

double *cau_history_trial_weights(const cau_history *h)
{
    return vector_at(h, 1 - (size_t)h->state.now);
}

double *cau_history_gradient(const cau_history *h)
{
    return change_of(h, h->m);
}

double *cau_history_trial_gradient(const cau_history *h)
{
    return change_of(h, (size_t)h->state.open);
}

double *cau_history_direction(const cau_history *h)
{
    return step_of(h, (size_t)h->state.open);
}

/* ---- basis and Gram matrix ------------------------------------------------------------ */

/* The vectors in use with their places in the Gram matrix: s at its slot, y at m + slot, v at
 * 2m. Pairs come oldest first, s before y, and v last. */
typedef struct {
    size_t count;
    const double *vector[CAU_HISTORY_BASIS];
    size_t place[CAU_HISTORY_BASIS];
    double scale[CAU_HISTORY_BASIS];
} lbfgs_basis;

static const double *steepest(const cau_history *h)
{
    return h->l1 > 0 ? cau_history_trial_weights(h) : cau_history_gradient(h);
}

/* The basis of the `pairs` pairs before slot `end`, and v. */
static void basis_of(const cau_history *h, size_t end, size_t pairs, lbfgs_basis *b)
{
    size_t k = 0;
    for (size_t back = pairs; back > 0; back--) {
        const size_t slot = (end + h->m - back) % h->m;
        b->vector[k] = step_of(h, slot), b->place[k] = slot;
        b->scale[k++] = h->state.scale[slot];
        b->vector[k] = change_of(h, slot), b->place[k] = h->m + slot;
        b->scale[k++] = 1;
    }
    b->vector[k] = steepest(h), b->place[k] = 2 * h->m;
    b->scale[k++] = 1;
    b->count = k;
}

void cau_history_total(const cau_history *h, size_t count, double *sums)
{
    if (!h->total || !h->total(h->user, count, sums)) return;
    for (size_t i = 0; i < count; i++) sums[i] = NAN;
}

double cau_history_slope(const cau_history *h)
{
    return h->state.gram[2 * h->m][2 * h->m];
}

/* The two-loop recursion on coefficients. The pair at k, k + 1 of the basis is (s, y). */
double cau_history_descend(cau_history *h)
{
    cau_history_state *state = &h->state;
    lbfgs_basis b;
    basis_of(h, (size_t)state->open, (size_t)state->count, &b);

    const size_t last = b.count - 1;
    double gram[CAU_HISTORY_BASIS][CAU_HISTORY_BASIS];
    for (size_t i = 0; i < b.count; i++)
        for (size_t j = 0; j < b.count; j++) gram[i][j] = state->gram[b.place[i]][b.place[j]];

    double c[CAU_HISTORY_BASIS] = {0}, alpha[CAU_HISTORY_BASIS];
    c[last] = -1;
    for (size_t k = last; k > 0; k -= 2) { /* newest first; s is at k - 2, y at k - 1 */
        double product = 0;
        for (size_t j = 0; j < b.count; j++) product += c[j] * gram[k - 2][j];
        alpha[k - 2] = product / gram[k - 2][k - 1];
        c[k - 1] -= alpha[k - 2];
    }
    if (last > 0) {
        const double initial = gram[last - 2][last - 1] / gram[last - 1][last - 1];
        for (size_t j = 0; j < b.count; j++) c[j] *= initial;
    }
    for (size_t k = 0; k < last; k += 2) {
        double product = 0;
        for (size_t j = 0; j < b.count; j++) product += c[j] * gram[k + 1][j];
        c[k] += alpha[k] - product / gram[k][k + 1];
    }

    double slope = 0;
    for (size_t j = 0; j < b.count; j++) {
        slope += c[j] * gram[last][j];
        c[j] *= b.scale[j];
    }
    cau_vector_combine(h->threads, h->n, b.count, c, b.vector, cau_history_direction(h));
    if (state->count == h->m) state->count--; /* the direction has overwritten its s */
    return slope;
}

/* ---- moving --------------------------------------------------------------------------- */

/* One pass: the new vectors of a pair, and their products with the whole basis. */
typedef struct {
    const cau_kernels *kernels;
    const cau_history *h;
    const double *w, *g; /* at the new point */
    double *old_w;       /* with l1: becomes v */
    double *s, *y;       /* y holds the old gradient; with l1, s becomes w - old_w */
    const lbfgs_basis *all;
    const double *fresh[3]; /* s, y and v */
} accept_job;

static void accept_block(void *self, size_t begin, size_t end, double *sums)
{
    const accept_job *p = self;
    const cau_kernels *k = p->kernels;
    const double less[2] = {1, -1};
    for (size_t at = begin; at < end; at += PIECE) {
        const size_t n = end - at < PIECE ? end - at : PIECE;
        k->combine(n, 2, less, (const double *[]){p->g + at, p->y + at}, p->y + at);
        if (p->h->l1 > 0) {
            k->combine(n, 2, less, (const double *[]){p->w + at, p->old_w + at}, p->s + at);
            cau_owlqn_pseudo(p->h, at, at + n, p->w, p->g, p->old_w);
        }
        for (size_t j = 0; j < p->all->count; j++)
            for (size_t i = 0; i < 3; i++)
                sums[i * p->all->count + j] += k->dot(n, p->fresh[i] + at, p->all->vector[j] + at);
    }
}

void cau_history_accept(cau_history *h, double step)
{
    cau_history_state *state = &h->state;
    const size_t slot = (size_t)state->open, m = h->m;

    /* The vector of the old gradient becomes y; the gradient of the trial becomes the gradient. */
    const uint64_t old = state->row[m];
    state->row[m] = state->row[slot];
    state->row[slot] = old;
    state->now = 1 - state->now;
    state->scale[slot] = h->l1 > 0 ? 1 : step;

    lbfgs_basis b;
    basis_of(h, slot + 1, (size_t)state->count + 1, &b);
    accept_job p = {.kernels = cau_kernels_get(),
                    .h = h,
                    .w = cau_history_weights(h),
                    .g = cau_history_gradient(h),
                    .old_w = cau_history_trial_weights(h),
                    .s = step_of(h, slot),
                    .y = change_of(h, slot),
                    .all = &b,
                    .fresh = {step_of(h, slot), change_of(h, slot), steepest(h)}};
    double sums[3 * CAU_HISTORY_BASIS];
    cau_vector_sums(h->threads, h->n, 3 * b.count, accept_block, &p, sums);
    cau_history_total(h, 3 * b.count, sums);

    const size_t place[3] = {slot, m + slot, 2 * m};
    const double scale[3] = {state->scale[slot], 1, 1};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < b.count; j++) {
            const double product = scale[i] * b.scale[j] * sums[i * b.count + j];
            state->gram[place[i]][b.place[j]] = product;
            state->gram[b.place[j]][place[i]] = product;
        }

    /* A pair without positive curvature would make H indefinite. */
    const double sy = state->gram[slot][m + slot], yy = state->gram[m + slot][m + slot];
    if (sy > 1e-10 * yy && isfinite(sy) && isfinite(yy) && sy > 0) {
        state->count++;
        state->open = (slot + 1) % m;
    }
}

void cau_history_start(cau_history *h)
{
    double *v = cau_history_gradient(h);
    if (h->l1 > 0) {
        v = cau_history_trial_weights(h);
        cau_owlqn_pseudo(h, 0, h->n, cau_history_weights(h), cau_history_gradient(h), v);
    }
    h->state.count = 0;
    double squares = cau_vector_dot(h->threads, h->n, v, v);
    cau_history_total(h, 1, &squares);
    h->state.gram[2 * h->m][2 * h->m] = squares;
}
