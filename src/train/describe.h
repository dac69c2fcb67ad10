/* describe.h - notes in a model file about the run that made it, as "key TAB value" lines. */

#ifndef CAU_TRAIN_DESCRIBE_H
#define CAU_TRAIN_DESCRIBE_H

#include "train/problem.h"

/* Measures of the final weights. */
typedef struct {
    double loss, penalty;    /* NaN if the solver has no objective */
    double train, dev, test; /* accuracy; NaN without such a set */
} cau_outcome;

/* A finished run. */
typedef struct {
    const caucus_data *data;
    const cau_train_options *options;
    const cau_problem *problem;
    cau_solver_kind solver;
    uint64_t seed;
    cau_stop_reason ended; /* CAU_STOP_NOT: of the members of a pool, which end by themselves */
    size_t iterations, best_iteration, passes; /* the best by the development set */
    cau_outcome end;
    const double *w;                /* [model_n] the final weights */
    cau_str pool, penalty, members; /* of a pool: lines on its kind, the definition of its penalty,
                                       lines on its members; else empty */
} cau_run;

void cau_run_describe(const cau_run *run, cau_strbuf *out);

size_t cau_count_nonzero(size_t n, const double *w);

#endif
