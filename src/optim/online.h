/* online.h - problems that are learnt example by example; and stochastic gradient descent and
 * AdaGrad, with lazy penalties.
 *
 * Weights lie in rows, and one example touches few of them. A row that was not touched for a
 * while takes the penalty of the steps that it missed at once, before its next step or with it. */

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
    size_t scores;        /* how many there are */
} cau_example;

/* The weights are those of the node table, then of the edge table (which has no rows where a
 * model has no such observations), then `common` ones that every example touches: the default
 * weights of a classifier, or the plain transitions of a chain. Row k < nodes.rows is one of the
 * node table; others are of the edge table, k - nodes.rows. */
typedef struct {
    size_t examples;
    cau_table nodes, edges; /* borrowed */
    size_t common;
    bool common_penalised; /* transitions are, default weights are not */
    double l1, l2;         /* of the summed loss; each example takes its 1/examples share */
    const double *mean;    /* [all weights] pulls w there instead of to 0; may be NULL */
    const uint8_t *fixed;  /* [all weights] 1: the weight stays 0; may be NULL. Of a row only where
                              it has all cells; its mean is 0 then */
    void *self;

    /* Solvers that look at several examples at once call the functions below with selves[k] from
     * thread k < threads, and `self` from the thread that runs them. NULL: one thread. */
    unsigned threads;
    void *const *selves;

    void (*example)(void *self, size_t i, cau_example *out);

    /* Loss of example i from its scores s [scores], which become its residuals d loss / d s in
     * place; and the residuals of the common weights w [common] are added to g [common]. */
    caucus_status (*residual)(void *self, size_t i, double *s, const double *w, double *g,
                              double *loss);

    /* For the learners that go by mistakes: the best labelling for scores s; s becomes its
     * indicator minus that of the gold one, g [common] gets the same added, and *wrong is the
     * number of positions that differ (0: s and g are zero). *margin is its score minus that of
     * the gold one. May be NULL. */
    caucus_status (*mistake)(void *self, size_t i, double *s, const double *w, double *g,
                             double *margin, size_t *wrong);

    bool changing; /* examples are others in each epoch: their losses are no estimate */

    /* The loss of all examples at w. NULL leaves the objective an estimate. */
    caucus_status (*loss)(void *self, const double *w, double *loss);
} cau_online_problem;

typedef enum { CAU_ONLINE_SGD, CAU_ONLINE_ADAGRAD } cau_online_kind;

typedef struct {
    cau_online_kind kind;
    double rate;  /* of the first step; 0 lets it choose by trials on a sample */
    size_t round; /* examples that look at the same weights; 0: by their size */
    double sure;  /* residuals of positions that have none above it are thinned out; 0: none are */
    uint64_t seed;
} cau_online_options;

/* A solver whose step is one epoch in a seeded random order. What it reports at first is an
 * estimate (it->estimate), each loss as it was before the example was learnt; when that settles,
 * the objective is evaluated after each epoch. Starts at w (copied). */
caucus_status cau_online_new(caucus_ctx *ctx, const cau_online_problem *problem,
                             const cau_online_options *options, const double *w, cau_solver *out);

/* Bytes that such a solver takes. */
size_t cau_online_bytes(const cau_online_problem *problem, cau_online_kind kind);

#endif
