/* owlqn.h - the parts of OWL-QN that differ from L-BFGS. The maths is in owlqn.c. */

#ifndef CAU_OPTIM_OWLQN_H
#define CAU_OPTIM_OWLQN_H

#include "optim/history.h"

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
