/* gate.c - who has how much say at a position of a gated pool.
 *
 *     g_j   = log alpha_j + base_j + sum_{k in x} weight[k][j]
 *     say_j = exp(g_j - m) / sum_i exp(g_i - m),      m = max_j g_j
 *
 * An observation is in x if its value is not 0, and counts once whatever it is. Where a position
 * may have the same one in several places, these are brought together first, by sorting: values
 * that cancel are no observation. */

#include "infer/gate.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* An observation and its value. */
typedef struct cau_present {
    uint32_t row;
    float value;
} present;

void cau_gate_clear(cau_gate_work *work)
{
    free(work->present);
    *work = (cau_gate_work){0};
}

/* g_j += weight[row][j] */
static void add(const caucus_model *pool, uint32_t row, double *g)
{
    const size_t J = pool->pool.J;
    const float *weight = pool->gate.weight + row * J;
    for (size_t j = 0; j < J; j++) g[j] += (double)weight[j];
}

static int compare(const void *a, const void *b)
{
    const present *p = a, *q = b;
    return (p->row > q->row) - (p->row < q->row);
}

/* The same for rows that may stand in several places. */
static bool add_gathered(cau_gate_work *work, const caucus_model *pool, size_t count,
                         const uint32_t *row, const float *value, double *g)
{
    if (!CAU_GROW(work->present, work->room, count)) return false;
    present *x = work->present;
    for (size_t i = 0; i < count; i++) x[i] = (present){row[i], value ? value[i] : 1};
    if (count) qsort(x, count, sizeof *x, compare);
    for (size_t i = 0; i < count;) {
        const uint32_t k = x[i].row;
        double sum = 0;
        for (; i < count && x[i].row == k; i++) sum += (double)x[i].value;
        if (sum != 0) add(pool, k, g);
    }
    return true;
}

bool cau_gate_say(cau_gate_work *work, const caucus_model *pool, size_t count, const uint32_t *row,
                  const float *value, bool each, double *say)
{
    const size_t J = pool->pool.J;
    for (size_t j = 0; j < J; j++) say[j] = pool->gate.base[j];
    if (each) {
        for (size_t i = 0; i < count; i++)
            if (!value || value[i] != 0) add(pool, row[i], say);
    } else if (!add_gathered(work, pool, count, row, value, say)) {
        return false;
    }

    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j < J; j++) {
        say[j] += log(pool->pool.alpha[j]); /* of 0: -INFINITY */
        if (say[j] > most) most = say[j];
    }
    for (size_t j = 0; j < J; j++) sum += say[j] = exp(say[j] - most);
    for (size_t j = 0; j < J; j++) say[j] /= sum;
    return true;
}
