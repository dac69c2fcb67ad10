/* rows.c - see rows.h. Rows are either full, and then their weights and scores are added as
 * vectors, or list their cells. Weights of full rows may be fixed: nothing is added to them. */

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

size_t cau_rows_weights(const cau_online_problem *p, const cau_example *e)
{
    size_t sum = 0;
    for (size_t k = e->start[0]; k < e->start[e->groups]; k++)
        if (!cau_size_add(sum, cau_row_of(p, e->id[k]).count, &sum)) return SIZE_MAX;
    return sum;
}

cau_rows_most cau_rows_largest(const cau_online_problem *p)
{
    cau_rows_most most = {1, 1, 1};
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        const size_t entries = e.start[e.groups] - e.start[0];
        if (e.groups > most.groups) most.groups = e.groups;
        if (e.scores > most.scores) most.scores = e.scores;
        if (entries > most.entries) most.entries = entries;
    }
    return most;
}

/* The groups of an example as the rows of a matrix over the node table. */
static cau_csr matrix_of(const cau_online_problem *p, const cau_example *e)
{
    return (cau_csr){.rows = e->groups,
                     .columns = p->nodes.rows,
                     .start = (size_t *)e->start,
                     .column = (uint32_t *)e->id,
                     .value = (float *)e->value};
}

/* Whether all rows are of one table, with one row of scores after the other. */
static bool is_matrix(const cau_online_problem *p, const cau_example *e)
{
    return !e->offset && p->edges.rows == 0;
}

void cau_rows_score(const cau_online_problem *p, const cau_example *e, const double *w, double *s)
{
    if (is_matrix(p, e)) {
        const cau_csr x = matrix_of(p, e);
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

/* to [row->count] += value * from, cell by cell. */
static inline void add_row(const cau_online_problem *p, const cau_row *row, double value,
                           const double *from, double *to)
{
    const uint8_t *fixed = p->fixed ? p->fixed + row->at : NULL;
    if (row->cell)
        for (size_t j = 0; j < row->count; j++) to[j] += value * from[row->cell[j]];
    else if (fixed)
        for (size_t j = 0; j < row->count; j++) to[j] += fixed[j] ? 0 : value * from[j];
    else
        for (size_t j = 0; j < row->count; j++) to[j] += value * from[j];
}

/* The largest factor of a residual in a group. */
static double largest_value(const cau_example *e, size_t group)
{
    double top = 1;
    for (size_t i = e->start[group]; e->value && i < e->start[group + 1]; i++)
        top = fmax(top, fabs((double)e->value[i]));
    return top;
}

bool cau_rows_add(const cau_online_problem *p, const cau_example *e, double c, const double *r,
                  double *w)
{
    bool fine = true;
    const bool matrix = is_matrix(p, e);
    const cau_csr x = matrix_of(p, e);
    for (size_t group = 0; group < e->groups; group++) {
        const double *from = r + cau_rows_offset(p, e, group);
        const double top = largest(p, e, group, from);
        if (top == 0) continue;
        if (matrix && fabs(c) * top * largest_value(e, group) < CAU_ROWS_LARGEST) {
            cau_kernels_get()->push(&x, group, group + 1, &p->nodes, c, from, p->fixed, w);
            continue;
        }
        for (size_t i = e->start[group]; i < e->start[group + 1]; i++) {
            const cau_row row = cau_row_of(p, e->id[i]);
            const double value = c * (e->value ? (double)e->value[i] : 1);
            if (fabs(value) * top < CAU_ROWS_LARGEST)
                add_row(p, &row, value, from, w + row.at);
            else
                fine = false;
        }
    }
    return fine;
}

void cau_rows_order(const cau_online_problem *p, cau_rng *rng, uint32_t *order)
{
    for (size_t i = 0; i < p->examples; i++) order[i] = (uint32_t)i;
    cau_rng_shuffle(rng, order, p->examples);
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
    size_t weights = 1;
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        const size_t these = cau_rows_weights(p, &e);
        if (these > weights) weights = these;
    }
    *sums = (cau_row_sums){.row = cau_alloc(most->entries, sizeof(uint32_t)),
                           .at = cau_alloc(most->entries + 1, sizeof(size_t)),
                           .g = cau_vector(weights, sizeof(double)),
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
            add_row(p, &row, value, from, to);
        }
    }
    for (size_t i = 0; i < sums->count; i++) sums->slot[sums->row[i]] = 0;
}
