/* perceptron.h - the averaged perceptron and passive-aggressive updates. They have no objective and
 * no penalty. Of the problem they use the examples and the callback `mistake`. The maths is in
 * perceptron.c. */

#ifndef CAU_OPTIM_PERCEPTRON_H
#define CAU_OPTIM_PERCEPTRON_H

#include "optim/online.h"

typedef enum {
    CAU_PERCEPTRON_PLAIN,
    CAU_PERCEPTRON_PA,   /* passive-aggressive: the step makes the hinge loss 0 */
    CAU_PERCEPTRON_PA_1, /* the step is at most c */
    CAU_PERCEPTRON_PA_2, /* the step is damped, more strongly for a small c */
} cau_perceptron_kind;

typedef struct {
    cau_perceptron_kind kind;
    double c;         /* of PA-I and PA-II, above 0; 1 is customary */
    size_t minibatch; /* examples; 0 chooses by the size of the examples */
    uint64_t seed;
} cau_perceptron_options;

/* A solver whose step is one epoch in a seeded random order. Its weights are the average over all
 * steps so far. It reports the number of wrong labels in the epoch as f and no norm of the
 * gradient; it is exhausted after an epoch without wrong labels. Starts at w (copied). */
caucus_status cau_perceptron_new(caucus_ctx *ctx, const cau_online_problem *problem,
                                 const cau_perceptron_options *options, const double *w,
                                 cau_solver *out);

/* Memory of such a solver, in bytes. */
size_t cau_perceptron_bytes(const cau_online_problem *problem);

#endif
