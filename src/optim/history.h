/* history.h - what L-BFGS remembers: the weights, the gradient, and the last pairs of steps
 * and gradient changes, from which it makes a direction. The maths is in history.c. */

#ifndef CAU_OPTIM_HISTORY_H
#define CAU_OPTIM_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caucus.h"

enum { CAU_HISTORY_MAX = 20, CAU_HISTORY_BASIS = 2 * CAU_HISTORY_MAX + 1 };

/* Plain data: with the vectors, all there is to write to a checkpoint. */
typedef struct {
    uint64_t count;                    /* pairs in use */
    uint64_t open;                     /* slot of the pair to come */
    uint64_t now;                      /* which of the two weight vectors is the current one */
    uint64_t row[CAU_HISTORY_MAX + 1]; /* rows of the y of each slot, and of g (last) */
    double scale[CAU_HISTORY_MAX];     /* s of a slot is this times the vector stored */
    double gram[CAU_HISTORY_BASIS][CAU_HISTORY_BASIS]; /* products of s, y (by slot), and v */
} cau_history_state;

typedef struct {
    size_t n, stride; /* weights, and the distance of two vectors */
    size_t m;         /* pairs kept */
    unsigned threads;
    double l1;        /* > 0: v is the pseudo-gradient; else v is the gradient */
    size_t penalised; /* weights from here on are exempt from l1 */
    double *vectors;  /* [2m + 3][stride]: 2 weights, m steps, m + 1 gradients and changes */
    cau_history_state state;
} cau_history;

/* Bytes of all vectors; false when that does not fit a size_t. */
bool cau_history_bytes(size_t n, size_t m, size_t *bytes);

/* Allocates everything, zeroed; n, m, threads, l1 and penalised are set by the caller before.
 * Only CAUCUS_ERR_MEMORY. Clear it in any case. */
caucus_status cau_history_init(cau_history *h);
void cau_history_clear(cau_history *h);

/* Whether the state, which may come from a file, can be worked with. */
bool cau_history_valid(const cau_history *h);

/* The vectors by their roles, [n] each; which is which changes with cau_history_accept. With
 * l1, v lies in the trial's weights until the first trial after cau_history_descend: where no
 * trial was accepted, cau_history_start makes it again. */
double *cau_history_weights(const cau_history *h);
double *cau_history_gradient(const cau_history *h);
double *cau_history_trial_weights(const cau_history *h);
double *cau_history_trial_gradient(const cau_history *h);
double *cau_history_direction(const cau_history *h);

/* <v, v>: the squared norm of the gradient, or of the pseudo-gradient. */
double cau_history_slope(const cau_history *h);

/* Takes the weights and the gradient as they are for a first point, without any pairs. */
void cau_history_start(cau_history *h);

/* Forgets all pairs. */
void cau_history_drop(cau_history *h);

/* Fills the direction with -H v and returns <v, direction>, which is below 0 unless rounding
 * has spoilt the pairs. Makes room for a new pair: a full history loses its oldest. */
double cau_history_descend(cau_history *h);

/* Moves to the trial point, which lies `step` times the direction away (with l1, anywhere),
 * and keeps the pair if it says something about the curvature. */
void cau_history_accept(cau_history *h, double step);

#endif
