/* online.h - problems that are learnt example by example, and the solvers for them: SGD and
 * AdaGrad, SDCA, FOBOS, and the perceptron with its relatives.
 *
 * Weights are grouped into rows, and one example touches few rows. A row that was not touched for
 * some steps takes the penalty of all of them at once, before its next step or together with it. */

#ifndef CAU_OPTIM_ONLINE_H
#define CAU_OPTIM_ONLINE_H

#include <stdint.h>

#include "base/rng.h"
#include "math/table.h"
#include "optim/prox.h"
#include "optim/solver.h"

/* One example: groups of rows with their values. Group g adds to the scores that start at
 * offset[g]: the positions of a sequence, its edges, the classes of explicit features, or
 * the one group of a plain instance. */
typedef struct {
    size_t groups;
    const size_t *start;  /* [groups + 1] into id and value */
    const uint32_t *id;   /* rows of the weights, across both tables: see below */
    const float *value;   /* NULL: all 1 */
    const size_t *offset; /* [groups]; NULL: g times the width of the node table */
    size_t scores;        /* number of scores */
} cau_example;

/* The weights are those of the node table, then of the edge table (which may have no rows), then
 * `common` weights that every example touches: the intercepts of a classifier, or the plain
 * transitions of a chain. Row k < nodes.rows is in the node table; other rows are row
 * k - nodes.rows of the edge table. */
typedef struct {
    size_t examples;
    cau_table nodes, edges; /* borrowed */
    size_t common;
    bool common_penalised; /* true for transitions, false for intercepts */
    double l1, l2;         /* penalties of the summed loss; each example takes 1/examples of them */
    const double *mean;   /* [all weights] the penalty pulls w there instead of to 0; may be NULL */
    const uint8_t *fixed; /* [all weights] 1: the weight stays 0; may be NULL. Only rows with all
                             cells may have fixed weights; their mean is 0 */
    void *self;

    /* Solvers that process several examples at once call the functions below with selves[k] from
     * thread k < threads, and with `self` from the calling thread. NULL: one thread. */
    unsigned threads;
    void *const *selves;

    void (*example)(void *self, size_t i, cau_example *out);

    /* Computes the loss of example i from its scores s [scores], replaces s by the residuals
     * d loss / d s, and adds the residuals of the common weights w [common] to g [common]. */
    caucus_status (*residual)(void *self, size_t i, double *s, const double *w, double *g,
                              double *loss);

    /* For perceptron and PA: decodes the scores s, replaces s by the indicator of the best
     * labelling minus that of the gold one, and adds the same for the common weights to g [common].
     * *wrong is the number of positions that differ (0: s and g are zero); *margin is the score of
     * the best labelling minus that of the gold one. May be NULL. */
    caucus_status (*mistake)(void *self, size_t i, double *s, const double *w, double *g,
                             double *margin, size_t *wrong);

    bool changing; /* examples change from epoch to epoch (dropout): their losses are no estimate */

    /* The loss of all examples at w. NULL: solvers report an estimate only. */
    caucus_status (*loss)(void *self, const double *w, double *loss);
} cau_online_problem;

/* ---- online.c: stochastic gradient descent and AdaGrad with lazy penalties ------------------- */

typedef enum { CAU_ONLINE_SGD, CAU_ONLINE_ADAGRAD } cau_online_kind;

typedef struct {
    cau_online_kind kind;
    double rate;      /* of the first step; 0 chooses it by trials on a sample */
    size_t minibatch; /* examples; 0 chooses by the size of the examples */
    double sure;      /* positions whose residuals are all below this are thinned out; 0 is off */
    uint64_t seed;
} cau_online_options;

/* A solver whose step is one epoch in a seeded random order. At first it reports an estimate of the
 * objective (it->estimate): the sum of the losses before each example was learnt. Once the estimate
 * settles, the objective is evaluated after each epoch. Starts at w (copied). */
caucus_status cau_online_new(caucus_ctx *ctx, const cau_online_problem *problem,
                             const cau_online_options *options, const double *w, cau_solver *out);

/* Memory of such a solver, in bytes. */
size_t cau_online_bytes(const cau_online_problem *problem, cau_online_kind kind);

/* ---- sdca.c: stochastic dual coordinate ascent ----------------------------------------------- */

/* Stochastic training that reaches the optimum of penalised problems. Plain stochastic steps stop
 * at a distance from the optimum that depends on the rate. This solver remembers the last residuals
 * of every example, so the noise of its steps vanishes as they converge. It comes as close as
 * L-BFGS in a fraction of the passes, and needs one vector of weights, or three if there is an l1
 * penalty or a weak l2 penalty. The figures are in docs/decisions/stochastic.md. */

typedef struct {
    double share;     /* step size in (0,1] towards the new residuals; 0 adapts it all the time */
    size_t minibatch; /* examples, 1, 2, 4, ... 32; 0 chooses by the size of the examples */
    uint64_t seed;
} cau_sdca_options;

/* A solver whose step is one epoch: about as many visits as there are examples, in a seeded random
 * order. The problem must have a penalty, and must not have both a mean and an l1 penalty.
 *
 * At first it reports an estimate of the objective (it->estimate): each loss at the last visit of
 * the example, plus the penalty at the end of the epoch. The estimate is too high while the
 * objective falls. Once it settles, the objective is evaluated after each epoch. The norm of the
 * gradient is unknown.
 *
 * Starts at w (copied). A start that differs from the mean of the penalty (0 without one) costs one
 * more vector. A state can only be restored in a solver whose start is of the same kind. */
caucus_status cau_sdca_new(caucus_ctx *ctx, const cau_online_problem *problem,
                           const cau_sdca_options *options, const double *w, cau_solver *out);

/* Memory of such a solver that starts at the mean, in bytes: the weights, a float for every score
 * of the data, and a float for every example and common weight. */
size_t cau_sdca_bytes(const cau_online_problem *problem);

/* ---- perceptron.c: the averaged perceptron, passive-aggressive updates and AROW -------------- */

/* They have no objective and no penalty. Of the problem they use the examples and the callback
 * `mistake`. */

typedef enum {
    CAU_PERCEPTRON_PLAIN,
    CAU_PERCEPTRON_PA,   /* passive-aggressive: the step makes the hinge loss 0 */
    CAU_PERCEPTRON_PA_1, /* the step is at most c */
    CAU_PERCEPTRON_PA_2, /* the step is damped, more strongly for a small c */
    CAU_PERCEPTRON_AROW, /* each weight has a variance, which its updates reduce; no average */
} cau_perceptron_kind;

typedef struct {
    cau_perceptron_kind kind;
    double c;         /* of PA-I and PA-II, above 0; 1 is customary */
    bool unit_margin; /* PA: a margin of 1 instead of the square root of the wrong labels */
    bool last;        /* the last weights instead of the average */
    double variance;  /* AROW: the initial variance, above 0; 1 is customary */
    double gamma;     /* AROW: a large one keeps variances large and steps small, above 0 */
    size_t epochs;    /* of the run; 0: unknown */
    size_t minibatch; /* examples; 0 chooses by the size of the examples */
    uint64_t seed;
} cau_perceptron_options;

/* A solver whose step is one epoch in a seeded random order. Its weights are the average over all
 * steps so far. It reports the number of wrong labels in the epoch as f and no norm of the
 * gradient; it is exhausted after an epoch without wrong labels, and then the average is that of
 * all `epochs`, since further ones would not change the weights. Starts at w (copied). */
caucus_status cau_perceptron_new(caucus_ctx *ctx, const cau_online_problem *problem,
                                 const cau_perceptron_options *options, const double *w,
                                 cau_solver *out);

/* Memory of such a solver, in bytes. */
size_t cau_perceptron_bytes(const cau_online_problem *problem);

/* ---- fobos.c: stochastic forward-backward splitting for J experts ---------------------------- */

/*     theta [n][J],   w_k = sum_j alpha_j theta_kj,   F = loss(w) + penalty(theta)
 *
 * The loss depends on w alone, so the gradient of theta_kj is alpha_j times that of w_k. A step
 * follows the gradient of one example and then takes the proximal step of the example's share of
 * the penalty. Weights without a feature in the example catch up when they are next needed
 * (prox.h); the result is that of the eager method. J = 1 and alpha = 1 is FOBOS for one model. */

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
