/* fobos.h - stochastic forward-backward splitting for J experts.
 *
 *     theta [n][J],   w_k = sum_j alpha_j theta_kj,   F = loss(w) + penalty(theta)
 *
 * The loss depends on w alone, so the gradient of theta_kj is alpha_j times that of w_k. A step
 * follows the gradient of one example and then takes the proximal step of the example's share of
 * the penalty. Weights without a feature in the example catch up when they are next needed
 * (prox.h); the result is that of the eager method. J = 1 and alpha = 1 is FOBOS for one model.
 */

#ifndef CAU_OPTIM_FOBOS_H
#define CAU_OPTIM_FOBOS_H

#include "optim/online.h"
#include "optim/prox.h"

typedef enum {
    CAU_FOBOS_ELITIST,     /* lambda/2 sum_k (sum_j |theta_kj|)^2 */
    CAU_FOBOS_APPROXIMATE, /* the same, by the approximate step */
    CAU_FOBOS_L1,          /* lambda sum |theta_kj| */
    CAU_FOBOS_L2,          /* lambda/2 sum theta_kj^2 */
} cau_fobos_penalty;

typedef struct {
    size_t J;
    const double *alpha; /* [J] */
    cau_fobos_penalty penalty;
    double lambda;
    double rate; /* eta_0 of eta_t = eta_0 / (1 + t/N); 0 chooses it by trials on a sample */
    bool eager;  /* update every weight at every step: slow, for tests */
    uint64_t seed;
} cau_fobos_options;

/* A solver whose step is one epoch in a seeded random order. theta [n][J] is the start. Its weights
 * are w [n]; cau_fobos_theta returns theta, up to date. It ignores l1, l2 and mean of the problem;
 * without the callback `loss`, f is an estimate. */
caucus_status cau_fobos_new(caucus_ctx *ctx, const cau_online_problem *problem,
                            const cau_fobos_options *options, const double *theta, cau_solver *out);
const double *cau_fobos_theta(const cau_solver *solver); /* [n][J], until the next step */
size_t cau_fobos_bytes(const cau_online_problem *problem, const cau_fobos_options *options);

#endif
