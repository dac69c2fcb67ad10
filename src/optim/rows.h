/* rows.h - what the solvers that go example by example share: where the weights of a row lie,
 * scores from weights, and gradients summed over the rows of an example. */

#ifndef CAU_OPTIM_ROWS_H
#define CAU_OPTIM_ROWS_H

#include <stdbool.h>

#include "optim/online.h"

/* The weights of a row: w[at .. at + count - 1], for the cells listed, or for all of them. */
typedef struct {
    size_t at, count;
    const uint32_t *cell; /* [count]; NULL: weight j is that of cell j */
} cau_row;

static inline cau_row cau_row_of(const cau_online_problem *p, size_t k)
{
    const bool node = k < p->nodes.rows;
    const cau_table *t = node ? &p->nodes : &p->edges;
    const size_t before = node ? 0 : cau_table_size(&p->nodes), row = node ? k : k - p->nodes.rows;
    const size_t at = cau_table_at(t, row), count = cau_table_at(t, row + 1) - at;
    return (cau_row){before + at, count, count < t->width ? t->cell + at : NULL};
}

static inline size_t cau_rows_count(const cau_online_problem *p)
{
    return p->nodes.rows + p->edges.rows;
}

static inline size_t cau_rows_offset(const cau_online_problem *p, const cau_example *e, size_t g)
{
    return e->offset ? e->offset[g] : g * p->nodes.width;
}

/* Index of the first common weight, which come after those of all rows. */
static inline size_t cau_rows_common(const cau_online_problem *p)
{
    return cau_table_size(&p->nodes) + cau_table_size(&p->edges);
}

/* Whether a solver can work on it: 1 to 2^32 - 2 examples, fewer than 2^32 rows, and all
 * weights countable (*n). False otherwise. */
bool cau_rows_check(const cau_online_problem *p, size_t *n);

/* The most that one example has. */
typedef struct {
    size_t groups, scores, entries;
    size_t longest; /* the example that has the entries */
} cau_rows_most;

cau_rows_most cau_rows_largest(const cau_online_problem *p);

/* The weights that an example touches: those of a row count as often as the row. SIZE_MAX if more.
 */
size_t cau_rows_weights(const cau_online_problem *p, const cau_example *e);

/* The `self` of a thread. */
static inline void *cau_rows_self(const cau_online_problem *p, unsigned thread)
{
    return p->selves ? p->selves[thread] : p->self;
}

/* s [scores] = the scores of an example at w; those of the common weights are not in it. */
void cau_rows_score(const cau_online_problem *p, const cau_example *e, const double *w, double *s);

/* Loss of example i at w, and its residuals in s [scores] and g [common]; weights that are fixed
 * have none there. */
caucus_status cau_rows_residuals(const cau_online_problem *p, unsigned thread, size_t i,
                                 const cau_example *e, const double *w, double *s, double *g,
                                 double *loss);

/* Thins out residuals r [scores] where the model is sure: a group whose largest one, R, is below
 * `least` keeps them with probability R / least, times least / R, and has none otherwise. So they
 * stay the same on average. Only where no two groups may share scores (e->offset is NULL). */
void cau_rows_thin(const cau_online_problem *p, const cau_example *e, double least, cau_rng *rng,
                   double *r);

/* Nothing larger is added to a weight, so that weights stay finite for 10^18 steps. */
#define CAU_ROWS_LARGEST 1e290

/* w += c times the gradient that residuals r [scores] make, place by place. A weight that might
 * not be finite then stays as it is, and the answer is false. */
bool cau_rows_add(const cau_online_problem *p, const cau_example *e, double c, const double *r,
                  double *w);

/* first [examples + 1] = where the scores of each example begin if all stand one after the other;
 * it may be NULL. Returns how many there are, or SIZE_MAX if more. */
size_t cau_rows_first(const cau_online_problem *p, size_t *first);

/* order [examples] = the examples in a random order, whatever it was before. */
void cau_rows_order(const cau_online_problem *p, cau_rng *rng, uint32_t *order);

/* Asks for the weights of an example that will be needed soon. */
void cau_rows_prefetch(const cau_online_problem *p, const cau_example *e, const double *w);

/* The gradient of one example: each row that it has, once, with the sum over its places. Places
 * whose residuals are all 0 are left out. */
typedef struct {
    size_t count;
    uint32_t *row; /* [count] in the order in which they are met first */
    size_t *at;    /* [count + 1] into g */
    double *g;     /* the sums of row[i] are g[at[i] .. at[i + 1] - 1] */
    size_t room;   /* of g */
} cau_row_sums;

/* Gradients of several examples, summed by several threads. */
typedef struct {
    size_t examples;
    unsigned threads;
    struct cau_gradient {
        double *s; /* [scores] of an example, then its residuals d loss / d s */
        double *g; /* [common] residuals of the common weights */
        cau_row_sums sums;
    } * of;           /* [examples] */
    uint32_t **slots; /* [threads][rows] 1 + place in `row`; 0: not met */
} cau_gradients;

/* Room for any examples, but for sums, which get it when they need it. Only CAUCUS_ERR_MEMORY;
 * clear it in any case. */
caucus_status cau_gradients_init(cau_gradients *all, const cau_online_problem *p, size_t examples,
                                 unsigned threads);
void cau_gradients_clear(cau_gradients *all);

/* Bytes of that, about: as if the example with the most entries had the most weights. */
size_t cau_gradients_bytes(const cau_online_problem *p, size_t examples, unsigned threads);

/* Sums the gradient `which` of an example from its residuals. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_gradients_sum(cau_gradients *all, unsigned thread, size_t which,
                                const cau_online_problem *p, const cau_example *e);

#endif
