/* prox.h - proximal steps: argmin_x 1/2 |x - v|^2 + r P(x), in place.
 *
 * Groups are rows of J members, v [G][J]. The formulas are in prox.c. All are exact unless they say
 * otherwise. */

#ifndef CAU_OPTIM_PROX_H
#define CAU_OPTIM_PROX_H

#include "caucus.h"

enum { CAU_PROX_MEMBERS_MAX = 64 };

/* P = 1/2 (sum_j |x_j|)^2 of one group: the squared norm of the elitist lasso. Returns tau, by
 * which the members are shrunk. */
double cau_prox_elitist(size_t J, double r, double *v);

/* The same with all members taken for active: what Wang and Manning (2013) use. */
double cau_prox_elitist_approximate(size_t J, double r, double *v);

/* P = ( sum_g (sum_j |x_gj|)^2 )^(1/2), which couples all groups. CAUCUS_ERR_MEMORY. */
caucus_status cau_prox_elitist_norm(size_t G, size_t J, double r, double *v);

/* P = sum_j |x_j|; P = 1/2 sum_j x_j^2; P = (sum_j x_j^2)^(1/2): the group lasso, returns the
 * factor by which the group was shrunk, 0 where it is gone. */
void cau_prox_l1(size_t n, double r, double *v);
void cau_prox_l2(size_t n, double r, double *v);
double cau_prox_group(size_t n, double r, double *v);

/* ---- many steps at once ------------------------------------------------------------------------
 */

/* The steps r_1, r_2, ... that a stochastic solver has taken, so that a group that was not touched
 * for a while catches up exactly with cau_prox_elitist at each of them (or with l1, l2). Grows by
 * one number for each J and step; `forget` drops what all groups have seen. Embed it zeroed. */
typedef struct {
    size_t J;
    size_t first, count, room; /* steps first .. first + count - 1 are kept */
    double *log_sum;           /* [count + 1][J]: sum_i log(1 + M r_i), M = 1 .. J */
    double *sum;               /* [count + 1]: sum_i r_i */
} cau_prox_steps;
caucus_status cau_prox_steps_add(cau_prox_steps *steps, double r);
void cau_prox_steps_forget(cau_prox_steps *steps, size_t before);
void cau_prox_steps_clear(cau_prox_steps *steps);

/* Brings a group that has seen the steps before `seen` up to all of them. */
void cau_prox_elitist_catch_up(const cau_prox_steps *steps, size_t seen, double *v);
void cau_prox_l1_catch_up(const cau_prox_steps *steps, size_t seen, size_t n, double *v);

#endif
