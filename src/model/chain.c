/* chain.c - the scratch memory of chains, the Viterbi path, and transitions.
 *
 * The best path (Viterbi):
 *     best_0(y) = node_0(y)
 *     best_t(y) = node_t(y) + max_y' ( best_{t-1}(y') + edge_t(y', y) )
 * The maxima are taken for all y at once, with labels as the lanes of vectors and without back
 * pointers. Going back from the end, only one label of each position matters, so its best
 * predecessor is searched again. That takes Y additions for each position, the same ones with the
 * same rounding; storing Y back pointers would double the work of the inner loop.
 *
 * Time O(T Y^2), memory O(T Y). */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "model/chain_work.h"

/* ---- memory ----------------------------------------------------------------------------- */

static bool padded(size_t Y, size_t *stride)
{
    if (!cau_size_add(Y, CAU_CHAIN_PAD - 1, stride)) return false;
    *stride -= *stride % CAU_CHAIN_PAD;
    return true;
}

caucus_status cau_chain_work_new(caucus_ctx *ctx, size_t Y, cau_chain_work **out)
{
    caucus_status st = CAUCUS_ERR_MEMORY;
    size_t cells;
    cau_chain_work *work = cau_calloc(1, sizeof *work);
    if (!work || !padded(Y, &work->stride) || !cau_size_mul(Y, work->stride, &cells)) goto done;
    work->Y = Y;
    work->kernels = cau_kernels_get();
    work->edge = cau_vector(cells, sizeof *work->edge);
    work->back = cau_vector(cells, sizeof *work->back);
    work->beta = cau_vector(CAU_TOGETHER * work->stride, sizeof *work->beta);
    if (!work->edge || !work->back || !work->beta) goto done;
    *out = work, work = NULL;
    st = CAUCUS_OK;
done:
    cau_chain_work_free(work);
    return st ? cau_fail_memory(ctx, "the labels of a sequence") : CAUCUS_OK;
}

void cau_chain_work_free(cau_chain_work *work)
{
    if (!work) return;
    free(work->edge);
    free(work->back);
    free(work->beta);
    free(work->memory);
    free(work->M);
    free(work->lattice_node);
    free(work->lattice_edge);
    cau_nbest_free(work->nbest);
    free(work);
}

/* The new capacity for T positions: at least half as much again as before. */
static size_t next_capacity(size_t have, size_t T)
{
    return T < have + have / 2 ? have + have / 2 : T;
}

caucus_status cau_chain_reserve(cau_chain_work *work, size_t T)
{
    if (T <= work->T) return CAUCUS_OK;
    size_t row, all;
    T = next_capacity(work->T, T);
    /* one position has S, alpha, gamma, p and z, of which p and z need less than a row */
    if (!cau_size_mul(work->stride, 5, &row) || !cau_size_mul(row, T, &all))
        return CAUCUS_ERR_MEMORY;
    double *memory = cau_vector(all, sizeof *memory);
    if (!memory) return CAUCUS_ERR_MEMORY;
    free(work->memory);
    const size_t step = T * work->stride;
    work->memory = memory;
    work->S = memory;
    work->alpha = memory + step;
    work->gamma = memory + 2 * step;
    work->p = memory + 3 * step;
    work->z = memory + 4 * step;
    work->T = T;
    return CAUCUS_OK;
}

caucus_status cau_chain_reserve_own(cau_chain_work *work, size_t T)
{
    if (T <= work->own_T) return CAUCUS_OK;
    size_t all;
    T = next_capacity(work->own_T, T);
    if (!cau_size_mul(work->Y * work->stride, T, &all)) return CAUCUS_ERR_MEMORY;
    double *M = cau_vector(all, sizeof *M);
    if (!M) return CAUCUS_ERR_MEMORY;
    free(work->M);
    work->M = M;
    work->own_T = T;
    return CAUCUS_OK;
}

caucus_status cau_chain_reserve_lattice(cau_chain_work *work, size_t T)
{
    if (T <= work->lattice_T) return CAUCUS_OK;
    size_t all;
    T = next_capacity(work->lattice_T, T);
    if (!cau_size_mul(work->Y * work->Y, T, &all)) return CAUCUS_ERR_MEMORY;
    double *node = cau_alloc(work->Y * T, sizeof *node);
    double *edge = cau_alloc(all, sizeof *edge);
    if (!node || !edge) {
        free(node);
        free(edge);
        return CAUCUS_ERR_MEMORY;
    }
    free(work->lattice_node);
    free(work->lattice_edge);
    work->lattice_node = node;
    work->lattice_edge = edge;
    work->lattice_T = T;
    return CAUCUS_OK;
}

/* ---- helpers ------------------------------------------------------------------------------ */

void cau_chain_pad(const cau_chain_work *work, const double *from, double *to)
{
    const size_t Y = work->Y;
    for (size_t i = 0; i < Y; i++) memcpy(to + i * work->stride, from + i * Y, Y * sizeof *to);
}

void cau_chain_transpose(const cau_chain_work *work, size_t from_stride, const double *from,
                         double *to)
{
    const size_t Y = work->Y;
    for (size_t i = 0; i < Y; i++)
        for (size_t j = 0; j < Y; j++) to[i * work->stride + j] = from[j * from_stride + i];
}

void cau_chain_allow(size_t Y, uint32_t gold, const cau_label_sets *sets, double rest, double *row)
{
    if (gold == CAU_UNKNOWN) return;
    const uint32_t *label = &gold;
    size_t count = 1;
    if (gold >= CAU_SET) {
        const size_t s = gold - CAU_SET;
        label = sets->label + sets->start[s];
        count = sets->start[s + 1] - sets->start[s];
    }
    size_t next = 0; /* index into the allowed labels, which ascend */
    for (size_t y = 0; y < Y; y++)
        if (next < count && label[next] == y)
            next++;
        else
            row[y] = rest;
}

cau_label_knowledge cau_chain_known(size_t T, const uint32_t *gold)
{
    size_t labelled = 0, unknown = 0;
    for (size_t t = 0; t < T; t++) {
        labelled += gold[t] < CAU_SET;
        unknown += gold[t] == CAU_UNKNOWN;
    }
    return labelled == T ? CAU_KNOWN_ALL : unknown == T ? CAU_KNOWN_NOTHING : CAU_KNOWN_PARTLY;
}

void cau_chain_nothing(size_t Y, cau_chain_example *x)
{
    memset(x->s, 0, x->T * Y * sizeof *x->s);
    if (x->edge_scores) memset(x->edge_scores, 0, x->T * Y * Y * sizeof *x->edge_scores);
}

double cau_chain_score(const cau_lattice *x, const uint32_t *path)
{
    double score = x->node[path[0]];
    for (size_t t = 1; t < x->T; t++)
        score += cau_chain_edges(x, t)[path[t - 1] * x->Y + path[t]] + x->node[t * x->Y + path[t]];
    return score;
}

/* ---- the best path ---------------------------------------------------------------------- */

/* The lowest y' with (v[y'] + edge[y'][y]) + node equal to the best score of y. The sum is computed
 * as in the kernel, with the same rounding, so one y' always matches. */
static uint32_t best_predecessor(size_t Y, const double *v, const double *edge, uint32_t y,
                                 double node, double best)
{
    uint32_t i = 0;
    while (i + 1 < Y && (v[i] + edge[i * Y + y]) + node != best) i++;
    return i;
}

void cau_chain_forward_best(cau_chain_work *work, const cau_lattice *x)
{
    const size_t Y = x->Y, stride = work->stride;
    double *best = work->alpha; /* [T][stride] */
    memcpy(best, x->node, Y * sizeof *best);
    if (!x->per_position) cau_chain_pad(work, x->edge, work->edge);
    for (size_t t = 1; t < x->T; t++) {
        if (x->per_position) cau_chain_pad(work, cau_chain_edges(x, t), work->edge);
        work->kernels->chain_best(Y, stride, best + (t - 1) * stride, work->edge, x->node + t * Y,
                                  best + t * stride);
    }
}

caucus_status cau_chain_best(cau_chain_work *work, const cau_lattice *x, uint32_t *path,
                             double *score)
{
    const size_t Y = x->Y, T = x->T, stride = work->stride;
    caucus_status st = cau_chain_reserve(work, T);
    if (st) return st;
    cau_chain_forward_best(work, x);

    const double *best = work->alpha, *end = best + (T - 1) * stride;
    uint32_t y = 0;
    for (uint32_t j = 1; j < Y; j++)
        if (end[j] > end[y]) y = j;
    if (!isfinite(end[y])) return CAUCUS_ERR_NUMERIC;
    if (score) *score = end[y];
    if (!path) return CAUCUS_OK;
    path[T - 1] = y;
    for (size_t t = T - 1; t > 0; t--)
        path[t - 1] = y = best_predecessor(Y, best + (t - 1) * stride, cau_chain_edges(x, t), y,
                                           x->node[t * Y + y], best[t * stride + y]);
    return CAUCUS_OK;
}

/* ---- transitions -------------------------------------------------------------------------- */

caucus_status cau_transitions_init(caucus_ctx *ctx, cau_transitions *t, size_t Y)
{
    size_t cells;
    *t = (cau_transitions){.Y = Y};
    if (padded(Y, &t->stride) && cau_size_mul(Y, t->stride, &cells)) {
        t->a = cau_alloc(cells, sizeof *t->a);
        t->e = cau_vector(cells, sizeof *t->e);
        t->back = cau_vector(cells, sizeof *t->back);
    }
    if (!t->a || !t->e || !t->back) {
        cau_transitions_clear(t);
        return cau_fail_memory(ctx, "the transitions between labels");
    }
    cau_transitions_set(t, NULL);
    return CAUCUS_OK;
}

void cau_transitions_clear(cau_transitions *t)
{
    free(t->a);
    free(t->e);
    free(t->back);
    *t = (cau_transitions){0};
}

void cau_transitions_set(cau_transitions *t, const double *a)
{
    const cau_kernels *k = cau_kernels_get();
    const size_t Y = t->Y, stride = t->stride;
    double least;
    if (a && t->set && memcmp(t->a, a, Y * Y * sizeof *a) == 0) return;
    t->set = a != NULL;
    if (a)
        memcpy(t->a, a, Y * Y * sizeof *a);
    else
        memset(t->a, 0, Y * Y * sizeof *t->a);
    t->moderate = k->span(Y * Y, t->a, &least, &t->top) && t->top - least <= CAU_CHAIN_SPREAD;
    if (!t->moderate) return; /* e is not used */
    for (size_t i = 0; i < Y; i++) k->exp_row(Y, stride, t->a + i * Y, t->top, t->e + i * stride);
    for (size_t i = 0; i < Y; i++)
        for (size_t j = 0; j < Y; j++) t->back[i * stride + j] = t->e[j * stride + i];
}
