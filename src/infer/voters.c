/* voters.c - the models that vote on a label, and the gate of a pool:
 *
 *     g_j   = log alpha_j + base_j + sum_{k in x} weight[k][j]
 *     mixing_j = exp(g_j - m) / sum_i exp(g_i - m),      m = max_j g_j
 *
 * An observation is in x if its value is not 0, and counts once whatever its value. Values of the
 * same observation are added first: if they cancel, it is not in x. */

#include "infer/voters.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

const cau_pool *cau_voting(const caucus_model *m)
{
    const cau_pool *pool = &m->pool;
    const bool apart = m->kind == CAU_KIND_MAXENT && pool->combine == CAU_COMBINE_PRODUCT;
    return pool->J == 0 || apart || cau_pool_collapses(pool) ? NULL : pool;
}

bool cau_stacked(const caucus_model *m)
{
    return m->pool.J > 0 && m->pool.combine == CAU_COMBINE_STACK;
}

size_t cau_voters(const caucus_model *m)
{
    const cau_pool *pool = cau_voting(m);
    return pool ? pool->J + cau_stacked(m) : 1;
}

caucus_model cau_pool_member(const caucus_model *m, size_t j)
{
    const cau_member *member = &m->member[j];
    caucus_model voter = *m;
    voter.pool = (cau_pool){0};
    voter.gate = (cau_gate){0};
    voter.member = NULL;
    voter.nodes = member->nodes;
    voter.edges = member->edges;
    voter.transitions = member->transitions;
    voter.bias = member->bias;
    return voter;
}

caucus_model cau_voter(const caucus_model *m, size_t j)
{
    if (cau_voting(m) && j < m->pool.J) return cau_pool_member(m, j);
    caucus_model voter = *m;
    voter.pool = (cau_pool){0};
    voter.gate = (cau_gate){0};
    voter.member = NULL;
    return voter;
}

bool cau_is_silent(const caucus_model *m, size_t j)
{
    return cau_voting(m) && !cau_stacked(m) && m->pool.alpha[j] == 0;
}

uint32_t cau_stack_row(const caucus_model *stack, size_t y, cau_strbuf *name)
{
    name->n = 0;
    cau_strbuf_printf(name, "%s%s", CAU_STACK_NAME, cau_model_label(stack, y));
    return name->failed ? CAU_UNKNOWN : cau_model_find(stack, &stack->nodes, name->s, name->n);
}

double cau_voter_share(const cau_pool *pool, const double *mixing, size_t j)
{
    double sum = 0;
    if (mixing) return mixing[j];
    for (size_t i = 0; i < pool->J; i++) sum += pool->alpha[i];
    return pool->alpha[j] / sum;
}

/* ---- the gate of a pool -------------------------------------------------------------- */

struct cau_present {
    uint32_t row;
    float value;
};

void cau_gate_clear(cau_gate_work *work)
{
    free(work->present);
    *work = (cau_gate_work){0};
}

/* g_j += weight[row][j] */
static void add_gate_row(const caucus_model *pool, uint32_t row, double *g)
{
    const size_t J = pool->pool.J;
    const float *weight = pool->gate.weight + row * J;
    for (size_t j = 0; j < J; j++) g[j] += (double)weight[j];
}

static int compare_rows(const void *a, const void *b)
{
    const struct cau_present *p = a, *q = b;
    return (p->row > q->row) - (p->row < q->row);
}

/* The same for rows that may occur several times: sorts them and adds up their values. */
static bool add_repeated(cau_gate_work *work, const caucus_model *pool, size_t count,
                         const uint32_t *row, const float *value, double *g)
{
    if (!CAU_GROW(work->present, work->room, count)) return false;
    struct cau_present *x = work->present;
    for (size_t i = 0; i < count; i++) x[i] = (struct cau_present){row[i], value ? value[i] : 1};
    if (count) qsort(x, count, sizeof *x, compare_rows);
    for (size_t i = 0; i < count;) {
        const uint32_t k = x[i].row;
        double sum = 0;
        for (; i < count && x[i].row == k; i++) sum += (double)x[i].value;
        if (sum != 0) add_gate_row(pool, k, g);
    }
    return true;
}

bool cau_gate_mixing(cau_gate_work *work, const caucus_model *pool, size_t count,
                     const uint32_t *row, const float *value, bool distinct, double *mixing)
{
    const size_t J = pool->pool.J;
    for (size_t j = 0; j < J; j++) mixing[j] = pool->gate.base[j];
    if (distinct) {
        for (size_t i = 0; i < count; i++)
            if (!value || value[i] != 0) add_gate_row(pool, row[i], mixing);
    } else if (!add_repeated(work, pool, count, row, value, mixing)) {
        return false;
    }

    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j < J; j++) {
        mixing[j] += log(pool->pool.alpha[j]); /* -INFINITY for 0 */
        if (mixing[j] > most) most = mixing[j];
    }
    for (size_t j = 0; j < J; j++) sum += mixing[j] = exp(mixing[j] - most);
    for (size_t j = 0; j < J; j++) mixing[j] /= sum;
    return true;
}
