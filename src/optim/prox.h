/* prox.h - proximal steps: argmin_x 1/2 |x - v|^2 + r P(x), in place.
 *
 * Groups are rows of J members, v [G][J], J <= CAU_PROX_MEMBERS_MAX. r is finite and at least 0.
 * The formulas are in prox.c. All are exact unless stated otherwise. Calls share no data: threads
 * may work on different groups. */

#ifndef CAU_OPTIM_PROX_H
#define CAU_OPTIM_PROX_H

#include "caucus.h"

enum { CAU_PROX_MEMBERS_MAX = 64 };

/* P = 1/2 (sum_j |x_j|)^2 of one group: the squared norm of the elitist lasso. Returns the
 * threshold tau. */
double cau_prox_elitist(size_t J, double r, double *v);

/* The approximation of Wang and Manning (2013): all members count as active. */
double cau_prox_elitist_approximate(size_t J, double r, double *v);

/* P = ( sum_g (sum_j |x_gj|)^2 )^(1/2), which couples all groups. On CAUCUS_ERR_MEMORY v is
 * unchanged. */
caucus_status cau_prox_elitist_norm(size_t G, size_t J, double r, double *v);

/* P = sum_j |x_j|; P = 1/2 sum_j x_j^2. */
void cau_prox_l1(size_t n, double r, double *v);
void cau_prox_l2(size_t n, double r, double *v);

/* ---- many steps at once ----------------------------------------------------------------- */

/* The steps r_0, r_1, ... of a stochastic solver. A group that was not touched for some steps uses
 * them to catch up exactly with cau_prox_elitist (or l1, l2) at each step. Grows by J + 2 numbers a
 * step; `forget` drops steps that all groups have taken. Embed it zeroed, with J set. */
typedef struct {
    size_t J;
    size_t first, count; /* steps first .. first + count - 1 are kept */
    size_t room;         /* rows of the arrays below */
    double *log_sum;     /* [count + 1][J]: sum of log(1 + M r_i) before a step, M = 1 .. J */
    double *sum;         /* [count + 1]: sum of r_i before a step */
    double *step;        /* [count]: r_i itself */
    double low[CAU_PROX_MEMBERS_MAX + 1]; /* rounding errors of the last sums */
} cau_prox_steps;

/* On CAUCUS_ERR_MEMORY the steps are unchanged. */
caucus_status cau_prox_steps_add(cau_prox_steps *steps, double r);

/* Drops the steps before number `before`. When no step is left, later steps give the same bits as
 * in a new object. */
void cau_prox_steps_forget(cau_prox_steps *steps, size_t before);
void cau_prox_steps_clear(cau_prox_steps *steps);

/* Applies to weights the steps from number `seen` on; seen is between first and first + count. For
 * groups under the elitist penalty see fobos.c. */
void cau_prox_l1_catch_up(const cau_prox_steps *steps, size_t seen, size_t n, double *v);
void cau_prox_l2_catch_up(const cau_prox_steps *steps, size_t seen, size_t n, double *v);

#endif
