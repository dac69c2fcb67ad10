/* prox.h - proximal steps: argmin_x 1/2 |x - v|^2 + r P(x), in place.
 *
 * Groups are rows of J members, v [G][J], J <= CAU_PROX_MEMBERS_MAX. r is finite and at least 0.
 * The formulas are in prox.c. All are exact unless they say otherwise. Nothing here is shared
 * between calls: threads may work on different groups. */

#ifndef CAU_OPTIM_PROX_H
#define CAU_OPTIM_PROX_H

#include "caucus.h"

enum { CAU_PROX_MEMBERS_MAX = 64 };

/* P = 1/2 (sum_j |x_j|)^2 of one group: the squared norm of the elitist lasso. Returns tau, by
 * which the members are shrunk. */
double cau_prox_elitist(size_t J, double r, double *v);

/* The same with all members taken for active: what Wang and Manning (2013) use. */
double cau_prox_elitist_approximate(size_t J, double r, double *v);

/* P = ( sum_g (sum_j |x_gj|)^2 )^(1/2), which couples all groups. CAUCUS_ERR_MEMORY, with v as it
 * was. */
caucus_status cau_prox_elitist_norm(size_t G, size_t J, double r, double *v);

/* P = sum_j |x_j|; P = 1/2 sum_j x_j^2. */
void cau_prox_l1(size_t n, double r, double *v);
void cau_prox_l2(size_t n, double r, double *v);

/* ---- many steps at once ----------------------------------------------------------------- */

/* The steps r_0, r_1, ... that a stochastic solver has taken, so that a group that was not touched
 * for a while catches up exactly with cau_prox_elitist at each of them (or with l1, l2). Grows by
 * J + 2 numbers a step; `forget` drops what all groups have seen. Embed it zeroed, with J set. */
typedef struct {
    size_t J;
    size_t first, count; /* steps first .. first + count - 1 are kept */
    size_t room;         /* rows of the arrays below */
    double *log_sum;     /* [count + 1][J]: sum of log(1 + M r_i) before a step, M = 1 .. J */
    double *sum;         /* [count + 1]: sum of r_i before a step */
    double *step;        /* [count]: r_i itself */
    double low[CAU_PROX_MEMBERS_MAX + 1]; /* what rounding took from the last sums */
} cau_prox_steps;

/* CAUCUS_ERR_MEMORY, with the steps as they were. */
caucus_status cau_prox_steps_add(cau_prox_steps *steps, double r);

/* Drops the steps before number `before`. When none is left, the next ones give the same bits as
 * with a new object. */
void cau_prox_steps_forget(cau_prox_steps *steps, size_t before);
void cau_prox_steps_clear(cau_prox_steps *steps);

/* Brings weights that have seen the steps before number `seen` up to all of them; seen is between
 * first and first + count. (Groups under the elitist penalty: fobos.c.) */
void cau_prox_l1_catch_up(const cau_prox_steps *steps, size_t seen, size_t n, double *v);
void cau_prox_l2_catch_up(const cau_prox_steps *steps, size_t seen, size_t n, double *v);

#endif
