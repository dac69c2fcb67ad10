/* perceptron.h - learners that go by mistakes: the averaged perceptron and passive-aggressive
 * updates. They have no objective and no penalty; of the problem they use the examples and the
 * callback `mistake`. The maths is in mistake.c. */

#ifndef CAU_OPTIM_PERCEPTRON_H
#define CAU_OPTIM_PERCEPTRON_H

#include "optim/online.h"

typedef enum {
    CAU_MISTAKE_PERCEPTRON,
    CAU_MISTAKE_PA,   /* as far as it takes to get the example right */
    CAU_MISTAKE_PA_1, /* but by c at most */
    CAU_MISTAKE_PA_2, /* a little less far, the smaller c the less */
} cau_perceptron_kind;

typedef struct {
    cau_perceptron_kind kind;
    double c;     /* of PA-I and PA-II, above 0; 1 is customary */
    size_t round; /* examples that look at the same weights; 0: by their size */
    uint64_t seed;
} cau_perceptron_options;

/* A solver whose step is one epoch in a seeded random order. Its weights are the average over
 * all steps so far. It reports the wrong labels met in the epoch as f (the norm of the gradient
 * is not known), and is exhausted after an epoch without any. Starts at w (copied). */
caucus_status cau_perceptron_new(caucus_ctx *ctx, const cau_online_problem *problem,
                                 const cau_perceptron_options *options, const double *w,
                                 cau_solver *out);

/* Bytes that such a solver takes. */
size_t cau_perceptron_bytes(const cau_online_problem *problem);

#endif
