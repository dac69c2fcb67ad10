/* runs.h - the runs of a study as a table: between those who fill it and those who tell of it. */

#ifndef CAU_STUDY_RUNS_H
#define CAU_STUDY_RUNS_H

#include "study/study.h"
#include "study/tally.h"

typedef enum { CAU_STUDY_FOLDS, CAU_STUDY_GRID, CAU_STUDY_CURVE } cau_study_kind;
const char *cau_study_name(cau_study_kind kind); /* "folds", "grid", "curve" */

typedef struct {
    bool missing;                /* the training data had a single label: there was no run */
    size_t sequences, instances; /* trained on */
    size_t held_units, held_sequences, held_instances;
    cau_tally tally; /* of the answers to what was held out */
    double objective;
    size_t nonzero, iterations;
} cau_run;

/* Rows are settings, or the sizes of a curve from small to large; columns are folds, the seeds of
 * a curve, or one for development data. */
typedef struct {
    const caucus_data *data;
    const cau_study_options *options;
    cau_study_kind kind;
    cau_tags tags; /* of the labels */
    bool chunked;  /* the score is the F1 of chunks, else the accuracy */
    size_t rows, columns;
    cau_run *run; /* [rows][columns] */
    size_t best;  /* the winning row; of settings */
} cau_runs;

/* Makes all runs, side by side: fills runs->run. */
caucus_status cau_runs_make(caucus_ctx *ctx, cau_runs *runs);

/* ---- what they came to ----------------------------------------------------------------- */

/* A mean over n values, and its standard error, sd / sqrt(n). NaN where n is too small. */
typedef struct {
    double mean, error;
} cau_mean;

/* Over the runs of a row that are not missing and have something to count. */
typedef struct {
    size_t n;
    cau_mean score, accuracy;
    double sequences, instances, nonzero; /* means */
    size_t iterations;                    /* sum */
    cau_tally pooled;                     /* sum */
} cau_row;

const char *cau_runs_measure(const cau_runs *runs); /* "F1" or "accuracy" */
double cau_runs_score(const cau_runs *runs, const cau_tally *tally);
cau_row cau_runs_row(const cau_runs *runs, size_t row);

/* The winning row: the highest mean score, the strongest penalty of equals. */
size_t cau_runs_best(const cau_runs *runs);

/* The answer as a table, or as JSON; and the figure. */
void cau_runs_table(const cau_runs *runs, cau_writer *sheet);
void cau_runs_json(const cau_runs *runs, cau_writer *sheet);
caucus_status cau_runs_plot(caucus_ctx *ctx, const cau_runs *runs);

#endif
