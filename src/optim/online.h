/* online.h - stochastic gradient descent and AdaGrad with lazy penalties.
 *
 * Weights are rows w[k] [width]; one example touches few rows. A row that was not touched
 * for a while first catches up with the penalty steps it missed, in closed form: the result
 * is that of shrinking every weight at every step. */

#ifndef CAU_OPTIM_ONLINE_H
#define CAU_OPTIM_ONLINE_H

#include <stdint.h>

#include "base/rng.h"
#include "optim/solver.h"

/* One example: rows of weights with their values, several groups of them for one loss. */
typedef struct {
    size_t groups;       /* rows of scores: 1, or the classes for explicit features */
    const size_t *start; /* [groups + 1] into id and value */
    const uint32_t *id;  /* rows of w */
    const float *value;  /* NULL: all 1 */
} cau_example;

typedef struct {
    size_t examples;
    size_t rows;          /* rows of w, the default row (if any) not counted */
    size_t width;         /* weights in a row */
    bool bias;            /* w has one more row at its end that every example touches */
    double l1, l2;        /* of the summed loss; each example takes its 1/examples share */
    const double *mean;   /* [rows*width] pulls w there instead of to 0; may be NULL */
    const uint8_t *fixed; /* [rows*width] 1: the weight stays 0; may be NULL */
    void *self;

    void (*example)(void *self, size_t i, cau_example *out);

    /* Loss of example i from its scores s [groups*width], which become its residuals
     * d loss / d s in place. */
    caucus_status (*residual)(void *self, size_t i, double *s, double *loss);

    /* The whole objective F(w), penalties included, and its gradient's norm; once an epoch. */
    caucus_status (*evaluate)(void *self, const double *w, double *f, double *gnorm);
} cau_online_problem;

typedef enum { CAU_ONLINE_SGD, CAU_ONLINE_ADAGRAD } cau_online_kind;

/* A solver whose step is one epoch in a seeded random order. rate 0 lets it choose by trials
 * on a sample. The default row is never penalised. Runs on one thread; evaluate may use
 * more. Starts at w (copied). */
caucus_status cau_online_new(caucus_ctx *ctx, const cau_online_problem *problem,
                             cau_online_kind kind, double rate, uint64_t seed, const double *w,
                             cau_solver *out);

/* Bytes that such a solver takes. */
size_t cau_online_bytes(const cau_online_problem *problem, cau_online_kind kind);

#endif
