/* online.h - problems that are learnt example by example, and two solvers for them: stochastic
 * gradient descent and AdaGrad with lazy penalties.
 *
 * Weights are grouped into rows, and one example touches few rows. A row that was not touched for
 * some steps takes the penalty of all of them at once, before its next step or together with it. */

#ifndef CAU_OPTIM_ONLINE_H
#define CAU_OPTIM_ONLINE_H

#include <stdint.h>

#include "base/rng.h"
#include "math/table.h"
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

#endif
