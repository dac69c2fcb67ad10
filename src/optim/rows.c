/* rows.c - see rows.h. Rows are either full, and then their weights and scores are added as
 * vectors, or list their cells. */

#include "optim/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/kernels.h"

static bool table_size(const cau_table *t, size_t *n)
{
    if (t->rows > UINT32_MAX) return false;
    if (!t->start) return cau_size_mul(t->rows, t->width, n);
    *n = t->start[t->rows];
    return true;
}

bool cau_rows_check(const cau_online_problem *p, size_t *n)
{
    size_t nodes, edges, all;
    if (p->examples == 0 || p->examples >= UINT32_MAX) return false;
    if (!table_size(&p->nodes, &nodes) || !table_size(&p->edges, &edges)) return false;
    if (cau_rows_count(p) > UINT32_MAX) return false;
    return cau_size_add(nodes, edges, &all) && cau_size_add(all, p->common, n);
}

bool cau_rows_largest(const cau_online_problem *p, cau_rows_most *out)
{
    cau_rows_most most = {1, 1, 1};
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        const size_t entries = e.start[e.groups] - e.start[0];
        size_t weights = 0;
        for (size_t k = e.start[0]; k < e.start[e.groups]; k++)
            if (!cau_size_add(weights, cau_row_of(p, e.id[k]).count, &weights)) return false;
        if (e.scores > most.scores) most.scores = e.scores;
        if (entries > most.entries) most.entries = entries;
        if (weights > most.weights) most.weights = weights;
    }
    *out = most;
    return true;
}

void cau_rows_score(const cau_online_problem *p, const cau_example *e, const double *w, double *s)
{
    if (!e->offset && p->edges.rows == 0) { /* one table, one row of scores after the other */
        const cau_csr x = {.rows = e->groups,
                           .columns = p->nodes.rows,
                           .start = (size_t *)e->start,
                           .column = (uint32_t *)e->id,
                           .value = (float *)e->value};
        if (p->nodes.start)
            cau_kernels_get()->rows_listed(&x, 0, e->groups, &p->nodes, w, s);
        else
            cau_kernels_get()->rows(&x, 0, e->groups, p->nodes.width, w, NULL, s);
        return;
    }
    memset(s, 0, e->scores * sizeof *s);
    for (size_t group = 0; group < e->groups; group++) {
        double *to = s + cau_rows_offset(p, e, group);
        for (size_t i = e->start[group]; i < e->start[group + 1]; i++) {
            const cau_row row = cau_row_of(p, e->id[i]);
            const double value = e->value ? (double)e->value[i] : 1;
            const double *from = w + row.at;
            if (row.cell)
                for (size_t j = 0; j < row.count; j++) to[row.cell[j]] += value * from[j];
            else
                for (size_t j = 0; j < row.count; j++) to[j] += value * from[j];
        }
    }
}

/* The largest absolute residual of a group; NaN where one is. 0 for a group without rows. */
static double largest(const cau_online_problem *p, const cau_example *e, size_t group,
                      const double *r)
{
    if (e->start[group] == e->start[group + 1]) return 0;
    const bool node = e->id[e->start[group]] < p->nodes.rows;
    const size_t width = node ? p->nodes.width : p->edges.width;
    double top = 0;
    for (size_t j = 0; j < width; j++) top = top > fabs(r[j]) || isnan(top) ? top : fabs(r[j]);
    return top;
}

bool cau_rows_add(const cau_online_problem *p, const cau_example *e, double c, const double *r,
                  double *w)
{
    bool fine = true;
    for (size_t group = 0; group < e->groups; group++) {
        const double *from = r + cau_rows_offset(p, e, group);
        const double top = largest(p, e, group, from);
        if (top == 0) continue;
        for (size_t i = e->start[group]; i < e->start[group + 1]; i++) {
            const cau_row row = cau_row_of(p, e->id[i]);
            const double value = c * (e->value ? (double)e->value[i] : 1);
            double *to = w + row.at;
            if (!(fabs(value) * top < CAU_ROWS_LARGEST))
                fine = false;
            else if (row.cell)
                for (size_t j = 0; j < row.count; j++) to[j] += value * from[row.cell[j]];
            else
                for (size_t j = 0; j < row.count; j++) to[j] += value * from[j];
        }
    }
    return fine;
}

void cau_rows_prefetch(const cau_online_problem *p, const cau_example *e, const double *w)
{
    for (size_t i = e->start[0]; i < e->start[e->groups]; i++) {
        const cau_row row = cau_row_of(p, e->id[i]);
        for (size_t j = 0; j < row.count; j += 8) __builtin_prefetch(w + row.at + j);
    }
}

caucus_status cau_row_sums_init(cau_row_sums *sums, const cau_online_problem *p,
                                const cau_rows_most *most)
{
    *sums = (cau_row_sums){.row = cau_alloc(most->entries, sizeof(uint32_t)),
                           .at = cau_alloc(most->entries + 1, sizeof(size_t)),
                           .g = cau_vector(most->weights, sizeof(double)),
                           .slot = cau_calloc(cau_rows_count(p), sizeof(uint32_t))};
    return sums->row && sums->at && sums->g && sums->slot ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

void cau_row_sums_clear(cau_row_sums *sums)
{
    free(sums->row);
    free(sums->at);
    free(sums->g);
    free(sums->slot);
    *sums = (cau_row_sums){0};
}

void cau_row_sums_take(cau_row_sums *sums, const cau_online_problem *p, const cau_example *e,
                       const double *r)
{
    sums->count = 0;
    sums->at[0] = 0;
    for (size_t group = 0; group < e->groups; group++) {
        const double *from = r + cau_rows_offset(p, e, group);
        if (largest(p, e, group, from) == 0) continue;
        for (size_t i = e->start[group]; i < e->start[group + 1]; i++) {
            const cau_row row = cau_row_of(p, e->id[i]);
            const double value = e->value ? (double)e->value[i] : 1;
            uint32_t *slot = &sums->slot[e->id[i]];
            if (*slot == 0) {
                const size_t at = sums->at[sums->count];
                memset(sums->g + at, 0, row.count * sizeof *sums->g);
                sums->row[sums->count++] = e->id[i];
                sums->at[sums->count] = at + row.count;
                *slot = (uint32_t)sums->count;
            }
            double *to = sums->g + sums->at[*slot - 1];
            if (row.cell)
                for (size_t j = 0; j < row.count; j++) to[j] += value * from[row.cell[j]];
            else
                for (size_t j = 0; j < row.count; j++) to[j] += value * from[j];
        }
    }
    for (size_t i = 0; i < sums->count; i++) sums->slot[sums->row[i]] = 0;
}
