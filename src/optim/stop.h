/* stop.h - stopping rules. */

#ifndef CAU_OPTIM_STOP_H
#define CAU_OPTIM_STOP_H

#include "optim/solver.h"

typedef struct {
    double epsilon;    /* stop when |g| / max(1, |w|) < epsilon; 0 is off */
    double delta;      /* stop when F fell by less than delta * |F| over a period; 0 is off */
    size_t period;     /* iterations of a period (see stop.c on estimates); 0 means the default */
    size_t iterations; /* limit; 0 is off */
    size_t passes;     /* limit of passes over the data; 0 is off */
    double seconds;    /* limit; 0 is off */
    size_t patience;   /* stop after this many iterations without a better dev score; 0 is off */
} cau_stop_rule;

typedef enum {
    CAU_STOP_NOT,
    CAU_STOP_GRADIENT,
    CAU_STOP_IMPROVEMENT,
    CAU_STOP_ITERATIONS,
    CAU_STOP_PASSES,
    CAU_STOP_TIME,
    CAU_STOP_PATIENCE,
    CAU_STOP_EXHAUSTED,
    CAU_STOP_CALLER,
} cau_stop_reason;

enum { CAU_STOP_PERIOD = 10, CAU_STOP_PERIOD_MAX = 64 };

/* The history that the rule needs; plain data, part of a checkpoint. Zero it to start. */
typedef struct {
    size_t iteration;
    double past[CAU_STOP_PERIOD_MAX]; /* F of the last iterations, a ring buffer */
    double best_dev;                  /* valid once has_dev */
    size_t best_iteration;
    int has_dev;
} cau_stop_state;

/* Counts one iteration and decides. dev is NaN if it was not measured; *best tells whether it is
 * the best so far. `elapsed` is in seconds. */
cau_stop_reason cau_stop_check(const cau_stop_rule *rule, cau_stop_state *state,
                               const cau_iterate *it, double dev, double elapsed, bool *best);

/* Estimated seconds left, from the tightest criterion; NaN without an estimate. */
double cau_stop_remaining(const cau_stop_rule *rule, const cau_stop_state *state,
                          const cau_iterate *it, double elapsed);

/* The reason, for messages and the model file: "converged (...)". */
const char *cau_stop_text(cau_stop_reason reason);

#endif
