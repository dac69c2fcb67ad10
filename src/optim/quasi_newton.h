/* quasi_newton.h - the parts of L-BFGS and OWL-QN: a memory of past steps, which gives the
 * direction; a step along it without l1; and steps inside an orthant with l1. */

#ifndef CAU_OPTIM_QUASI_NEWTON_H
#define CAU_OPTIM_QUASI_NEWTON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "optim/batch.h"

/* ---- history.c: the last steps and changes of the gradient, and the direction from them ------ */

enum { CAU_HISTORY_MAX = 20, CAU_HISTORY_BASIS = 2 * CAU_HISTORY_MAX + 1 };

/* Plain data: together with the vectors, the whole state for a checkpoint. */
typedef struct {
    uint64_t count;                    /* pairs in use */
    uint64_t open;                     /* slot of the next pair */
    uint64_t now;                      /* which of the two weight vectors is the current one */
    uint64_t row[CAU_HISTORY_MAX + 1]; /* rows of the y of each slot, and of g (last) */
    double scale[CAU_HISTORY_MAX];     /* s of a slot is this times the vector stored */
    double gram[CAU_HISTORY_BASIS][CAU_HISTORY_BASIS]; /* products of s, y (by slot), and v */
} cau_history_state;

typedef struct {
    size_t n, stride; /* weights, and the distance of two vectors */
    size_t m;         /* pairs kept */
    unsigned threads;
    double l1;           /* > 0: v is the pseudo-gradient; else v is the gradient */
    size_t penalised;    /* weights from here on are exempt from l1 */
    cau_total_fn *total; /* of cau_lbfgs_problem, and its user; NULL: all weights are here */
    void *user;
    double *vectors; /* [2m + 3][stride]: 2 weights, m steps, m + 1 gradients and changes */
    cau_history_state state;
} cau_history;

/* Bytes of all vectors; false on overflow. */
bool cau_history_bytes(size_t n, size_t m, size_t *bytes);

/* Allocates everything, zeroed; n, m, threads, l1 and penalised are set by the caller before.
 * Only CAUCUS_ERR_MEMORY. Clear it in any case. */
caucus_status cau_history_init(cau_history *h);
void cau_history_clear(cau_history *h);

/* Whether the state, which may come from a file, is valid. */
bool cau_history_valid(const cau_history *h);

/* The vectors by their roles, [n] each; cau_history_accept exchanges them. With l1, v is stored in
 * the weights of the trial until the first trial after cau_history_descend; if no trial was
 * accepted, cau_history_start recomputes it. */
double *cau_history_weights(const cau_history *h);
double *cau_history_gradient(const cau_history *h);
double *cau_history_trial_weights(const cau_history *h);
double *cau_history_trial_gradient(const cau_history *h);
double *cau_history_direction(const cau_history *h);

/* <v, v>: the squared norm of the gradient, or of the pseudo-gradient. */
double cau_history_slope(const cau_history *h);

/* Turns sums over the own weights into sums over all; NaN if that fails. */
void cau_history_total(const cau_history *h, size_t count, double *sums);

/* Starts at the current weights and gradient, without pairs. */
void cau_history_start(cau_history *h);

/* Fills the direction with -H v and returns <v, direction>, which is below 0 unless the pairs
 * suffer from rounding. Makes room for a new pair: a full history drops its oldest. */
double cau_history_descend(cau_history *h);

/* Moves to the trial point, which is `step` times the direction away (with l1, any point), and
 * keeps the pair if its curvature is positive. */
void cau_history_accept(cau_history *h, double step);

/* ---- linesearch.c: a step length that satisfies the strong Wolfe conditions ------------------ */

/* The function along the line: its value and slope at a step. CAUCUS_ERR_NUMERIC means that the
 * value is not finite; the search then tries shorter steps. */
typedef caucus_status cau_line_fn(void *self, double step, double *f, double *slope);

typedef struct {
    double step, f, slope;
} cau_line_point;

/* Searches for a step from {0, f, slope < 0}, trying `first` first. *found tells whether *out is a
 * step that lowers f, or that keeps f, up to rounding, and flattens the slope. The last call of fn
 * was then at out->step. Any status of fn other than CAUCUS_ERR_NUMERIC ends the search and is
 * returned. */
caucus_status cau_line_search(cau_line_fn *fn, void *self, cau_line_point start, double first,
                              cau_line_point *out, bool *found);

/* ---- owlqn.c: what OWL-QN does differently from L-BFGS --------------------------------------- */

/* v[k] = the pseudo-gradient at weights w with gradient g, for begin <= k < end. v may be w. */
void cau_owlqn_pseudo(const cau_history *h, size_t begin, size_t end, const double *w,
                      const double *g, double *v);

/* Properties of a trial point w' that need no evaluation. */
typedef struct {
    double descent; /* <v, w' - w> */
    double l1;      /* l1 * sum of |w'_k| over the penalised k */
    double norm;    /* of w' */
} cau_owlqn_point;

/* Fills the trial weights of h: a step along the direction inside the orthant. */
void cau_owlqn_trial(const cau_history *h, double step, cau_owlqn_point *out);

/* l1 * sum of |w_k| over the penalised k. */
double cau_owlqn_penalty(const cau_history *h, const double *w);

#endif
