/* rows.c - see rows.h. The weights and scores of full rows are added as vectors; other rows list
 * their cells. Weights of full rows may be fixed: nothing is added to them. */

#include "optim/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
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
        if (!cau_size_add(sum, cau_weight_row_of(p, e->id[k]).count, &sum)) return SIZE_MAX;
    return sum;
}

cau_rows_most cau_rows_largest(const cau_online_problem *p)
{
    cau_rows_most most = {1, 1, 1, 0};
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        const size_t entries = e.start[e.groups] - e.start[0];
        if (e.groups > most.groups) most.groups = e.groups;
        if (e.scores > most.scores) most.scores = e.scores;
        if (entries > most.entries) {
            most.entries = entries;
            most.longest = i;
        }
    }
    return most;
}

size_t cau_rows_first(const cau_online_problem *p, size_t *first)
{
    size_t sum = 0;
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        if (first) first[i] = sum;
        if (!cau_size_add(sum, e.scores, &sum)) return SIZE_MAX;
    }
    if (first) first[p->examples] = sum;
    return sum;
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

/* Whether all rows are in the node table and each group has scores of its own. */
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
            const cau_weight_row row = cau_weight_row_of(p, e->id[i]);
            const double value = e->value ? (double)e->value[i] : 1;
            const double *from = w + row.at;
            if (row.cell)
                for (size_t j = 0; j < row.count; j++) to[row.cell[j]] += value * from[j];
            else
                for (size_t j = 0; j < row.count; j++) to[j] += value * from[j];
        }
    }
}

caucus_status cau_rows_residuals(const cau_online_problem *p, unsigned thread, size_t i,
                                 const cau_example *e, const double *w, double *s, double *g,
                                 double *loss)
{
    const size_t common = cau_rows_common(p);
    cau_rows_score(p, e, w, s);
    memset(g, 0, p->common * sizeof *g);
    caucus_status st = p->residual(cau_rows_self(p, thread), i, s, w + common, g, loss);
    for (size_t j = 0; j < p->common && p->fixed; j++)
        if (p->fixed[common + j]) g[j] = 0;
    return st;
}

/* The largest absolute residual of a group; NaN if one is NaN; 0 for a group without rows. */
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

void cau_rows_thin(const cau_online_problem *p, const cau_example *e, double least, cau_rng *rng,
                   double *r)
{
    const size_t width = p->nodes.width;
    for (size_t group = 0; !e->offset && group < e->groups; group++) {
        double *own = r + group * width;
        const double top = largest(p, e, group, own);
        if (!(top > 0 && top < least)) continue;
        const double factor = cau_rng_real(rng) * least < top ? least / top : 0;
        for (size_t j = 0; j < width; j++) own[j] *= factor;
    }
}

/* to [row->count] += value * from, cell by cell; = instead of += for the first. */
static inline void add_row(const cau_online_problem *p, const cau_weight_row *row, double value,
                           const double *from, double *to, const bool first)
{
    const uint8_t *fixed = p->fixed ? p->fixed + row->at : NULL;
    for (size_t j = 0; j < row->count; j++) {
        const double x = value * from[row->cell ? row->cell[j] : j];
        to[j] = (first ? 0 : to[j]) + (fixed && !row->cell && fixed[j] ? 0 : x);
    }
}

/* The largest absolute value of a feature in a group, at least 1. */
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
            const cau_weight_row row = cau_weight_row_of(p, e->id[i]);
            const double value = c * (e->value ? (double)e->value[i] : 1);
            if (fabs(value) * top < CAU_ROWS_LARGEST)
                add_row(p, &row, value, from, w + row.at, false);
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
        const cau_weight_row row = cau_weight_row_of(p, e->id[i]);
        for (size_t j = 0; j < row.count; j += 8) __builtin_prefetch(w + row.at + j);
    }
}

caucus_status cau_gradients_init(cau_gradients *all, const cau_online_problem *p, size_t examples,
                                 unsigned threads)
{
    const cau_rows_most most = cau_rows_largest(p);
    bool fine = true;
    *all = (cau_gradients){.examples = examples,
                           .threads = threads,
                           .of = cau_calloc(examples, sizeof *all->of),
                           .slots = cau_calloc(threads, sizeof *all->slots)};
    if (!all->of || !all->slots) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < examples && fine; i++) {
        struct cau_gradient *one = &all->of[i];
        one->s = cau_vector(most.scores, sizeof *one->s);
        one->g = cau_vector(p->common, sizeof *one->g);
        one->sums = (cau_row_sums){.row = cau_alloc(most.entries, sizeof(uint32_t)),
                                   .at = cau_alloc(most.entries + 1, sizeof(size_t))};
        fine = one->s && one->g && one->sums.row && one->sums.at;
    }
    for (size_t i = 0; i < threads && fine; i++) {
        all->slots[i] = cau_calloc(cau_rows_count(p), sizeof **all->slots);
        fine = all->slots[i];
    }
    return fine ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

void cau_gradients_clear(cau_gradients *all)
{
    for (size_t i = 0; all->of && i < all->examples; i++) {
        struct cau_gradient *one = &all->of[i];
        free(one->s);
        free(one->g);
        free(one->sums.row);
        free(one->sums.at);
        free(one->sums.g);
    }
    for (size_t i = 0; all->slots && i < all->threads; i++) free(all->slots[i]);
    free(all->of);
    free(all->slots);
    *all = (cau_gradients){0};
}

size_t cau_gradients_bytes(const cau_online_problem *p, size_t examples, unsigned threads)
{
    const cau_rows_most most = cau_rows_largest(p);
    size_t one, slots, all;
    cau_example e;
    p->example(p->self, most.longest, &e);
    if (!cau_size_add(cau_rows_weights(p, &e), most.scores + p->common, &one) ||
        !cau_size_mul(one, sizeof(double), &one) ||
        !cau_size_add(one, most.entries * (sizeof(uint32_t) + sizeof(size_t)), &one) ||
        !cau_size_mul(one, examples, &one) ||
        !cau_size_mul(cau_rows_count(p) * sizeof(uint32_t), threads, &slots) ||
        !cau_size_add(one, slots, &all))
        return SIZE_MAX;
    return all;
}

/* Adds the residuals of one group to the sums. False if memory is short. */
static bool add_group(cau_row_sums *sums, uint32_t *slots, const cau_online_problem *p,
                      const cau_example *e, size_t group, const double *from)
{
    for (size_t i = e->start[group]; i < e->start[group + 1]; i++) {
        const cau_weight_row row = cau_weight_row_of(p, e->id[i]);
        const double value = e->value ? (double)e->value[i] : 1;
        uint32_t *slot = &slots[e->id[i]];
        if (*slot == 0) {
            const size_t at = sums->at[sums->count];
            if (!CAU_GROW(sums->g, sums->room, at + row.count)) return false;
            add_row(p, &row, value, from, sums->g + at, true);
            sums->row[sums->count++] = e->id[i];
            sums->at[sums->count] = at + row.count;
            *slot = (uint32_t)sums->count;
        } else {
            add_row(p, &row, value, from, sums->g + sums->at[*slot - 1], false);
        }
    }
    return true;
}

caucus_status cau_gradients_sum(cau_gradients *all, unsigned thread, size_t which,
                                const cau_online_problem *p, const cau_example *e)
{
    struct cau_gradient *one = &all->of[which];
    cau_row_sums *sums = &one->sums;
    uint32_t *slots = all->slots[thread];
    bool fine = true;
    sums->count = 0;
    sums->at[0] = 0;
    for (size_t group = 0; group < e->groups && fine; group++) {
        const double *from = one->s + cau_rows_offset(p, e, group);
        if (largest(p, e, group, from) != 0) fine = add_group(sums, slots, p, e, group, from);
    }
    for (size_t i = 0; i < sums->count; i++) slots[sums->row[i]] = 0;
    return fine ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

/* ---- the learning rate ----------------------------------------------------------------------- */

/* As the rate grows, the objective after a short run falls and then rises. The search ends at the
 * first rate that is worse than the one before. */
enum { TRIALS = 60 }; /* in each direction */

caucus_status cau_rate_choose(cau_rate_trial *trial, void *self, double *rate)
{
    caucus_status st = CAUCUS_OK;
    double best = 0.1, least, f;
    TRY(trial(self, best, &least));
    for (int direction = 0; direction < 2; direction++) {
        const double factor = direction == 0 ? 2 : 0.5, first = best;
        for (int i = 0; i < TRIALS; i++) {
            TRY(trial(self, best * factor, &f));
            if (!(f < least) && isfinite(least)) break;
            if (!isfinite(f) && factor > 1) break; /* larger rates will not help */
            best *= factor;
            least = f;
        }
        if (best != first) break;
    }
    *rate = best;
done:
    return st;
}
