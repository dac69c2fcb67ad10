/* rows.h - shared by the solvers that go example by example: the weights of a row, the scores of an
 * example, its gradient summed by rows, and the choice of a learning rate. */

#ifndef CAU_OPTIM_ROWS_H
#define CAU_OPTIM_ROWS_H

#include <stdbool.h>

#include "optim/online.h"

/* The weights of a row: w[at .. at + count - 1], for the listed cells or for all cells. */
typedef struct {
    size_t at, count;
    const uint32_t *cell; /* [count]; NULL: weight j is that of cell j */
} cau_weight_row;

static inline cau_weight_row cau_weight_row_of(const cau_online_problem *p, size_t k)
{
    const bool node = k < p->nodes.rows;
    const cau_table *t = node ? &p->nodes : &p->edges;
    const size_t before = node ? 0 : cau_table_size(&p->nodes), row = node ? k : k - p->nodes.rows;
    const size_t at = cau_table_at(t, row), count = cau_table_at(t, row + 1) - at;
    return (cau_weight_row){before + at, count, count < t->width ? t->cell + at : NULL};
}

static inline size_t cau_rows_count(const cau_online_problem *p)
{
    return p->nodes.rows + p->edges.rows;
}

static inline size_t cau_rows_offset(const cau_online_problem *p, const cau_example *e, size_t g)
{
    return e->offset ? e->offset[g] : g * p->nodes.width;
}

/* Index of the first common weight; they follow the weights of all rows. */
static inline size_t cau_rows_common(const cau_online_problem *p)
{
    return cau_table_size(&p->nodes) + cau_table_size(&p->edges);
}

/* Whether a solver can handle the problem: 1 to 2^32 - 2 examples, fewer than 2^32 rows, and a
 * number of weights (*n) that fits a size_t. */
bool cau_rows_check(const cau_online_problem *p, size_t *n);

/* The maxima over all examples. */
typedef struct {
    size_t groups, scores, entries;
    size_t longest; /* the example with the most entries */
} cau_rows_most;

cau_rows_most cau_rows_largest(const cau_online_problem *p);

/* The number of weights that an example touches; the weights of a row count once for each
 * occurrence. SIZE_MAX on overflow. */
size_t cau_rows_weights(const cau_online_problem *p, const cau_example *e);

/* The `self` of a thread. */
static inline void *cau_rows_self(const cau_online_problem *p, unsigned thread)
{
    return p->selves ? p->selves[thread] : p->self;
}

/* s [scores] = the scores of an example at w, without the common weights. */
void cau_rows_score(const cau_online_problem *p, const cau_example *e, const double *w, double *s);

/* Loss of example i at w, and its residuals in s [scores] and g [common]; 0 for fixed common
 * weights. */
caucus_status cau_rows_residuals(const cau_online_problem *p, unsigned thread, size_t i,
                                 const cau_example *e, const double *w, double *s, double *g,
                                 double *loss);

/* Thins out the residuals r [scores] of confident positions. A group whose largest residual R is
 * below `least` keeps its residuals, times least / R, with probability R / least, and gets zeros
 * otherwise, so the mean stays the same. Does nothing if groups may share scores (e->offset). */
void cau_rows_thin(const cau_online_problem *p, const cau_example *e, double least, cau_rng *rng,
                   double *r);

/* The largest change of a weight, so that weights stay finite for 10^18 steps. */
#define CAU_ROWS_LARGEST 1e290

/* w += c times the gradient from residuals r [scores], occurrence by occurrence. A change that is
 * too large is skipped, and false is returned. */
bool cau_rows_add(const cau_online_problem *p, const cau_example *e, double c, const double *r,
                  double *w);

/* first [examples + 1] = the offset of the scores of each example in an array of all scores; may be
 * NULL. Returns the number of all scores, or SIZE_MAX on overflow. */
size_t cau_rows_first(const cau_online_problem *p, size_t *first);

/* order [examples] = a random permutation of the examples. */
void cau_rows_order(const cau_online_problem *p, cau_rng *rng, uint32_t *order);

/* Prefetches the weights of an example. */
void cau_rows_prefetch(const cau_online_problem *p, const cau_example *e, const double *w);

/* The gradient of one example: each row once, with the sum over its occurrences. Groups whose
 * residuals are all 0 are left out. */
typedef struct {
    size_t count;
    uint32_t *row; /* [count] in the order of their first occurrence */
    size_t *at;    /* [count + 1] into g */
    double *g;     /* the gradient of row[i] is g[at[i] .. at[i + 1] - 1] */
    size_t room;   /* capacity of g */
} cau_row_sums;

/* Gradients of several examples, computed by several threads. */
typedef struct {
    size_t examples;
    unsigned threads;
    struct cau_gradient {
        double *s; /* [scores] of an example, then its residuals d loss / d s */
        double *g; /* [common] residuals of the common weights */
        cau_row_sums sums;
    } * of;           /* [examples] */
    uint32_t **slots; /* [threads][rows] 1 + index into `row`; 0: no occurrence yet */
} cau_gradients;

/* Allocates for `examples` examples; the sums grow on demand. Only CAUCUS_ERR_MEMORY; clear it in
 * any case. */
caucus_status cau_gradients_init(cau_gradients *all, const cau_online_problem *p, size_t examples,
                                 unsigned threads);
void cau_gradients_clear(cau_gradients *all);

/* Approximate memory of that, in bytes: assumes that the example with the most entries has the most
 * weights. */
size_t cau_gradients_bytes(const cau_online_problem *p, size_t examples, unsigned threads);

/* Sums gradient number `which` from the residuals of an example. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_gradients_sum(cau_gradients *all, unsigned thread, size_t which,
                                const cau_online_problem *p, const cau_example *e);

/* ---- the learning rate, chosen by trials ----------------------------------------------------- */

enum { CAU_RATE_SAMPLE = 500 }; /* the most examples for a trial */

/* Sets *f to the objective that a short run with this rate reaches, infinite when it diverges.
 * Restores the solver. */
typedef caucus_status cau_rate_trial(void *self, double rate, double *f);

/* Sets *rate to the best of 0.1 times the powers of 2. Searches upwards, then downwards if the
 * objective did not improve. Returns the status of a failed trial. */
caucus_status cau_rate_choose(cau_rate_trial *trial, void *self, double *rate);

#endif
