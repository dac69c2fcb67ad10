/* contest.h - methods against each other: between the runs and the report of them. */

#ifndef CAU_ADAPT_CONTEST_H
#define CAU_ADAPT_CONTEST_H

#include "adapt/adapt.h"
#include "report/report.h"
#include "study/tally.h"

/* One method on one part of the data. */
typedef struct {
    bool missing; /* one of several methods, for which this is too little to learn from */
    cau_tally tally;
    uint64_t only_this, only_first; /* instances that it alone got right, or the first method alone;
                                       0 where that is missing */
    cau_tuned tuned;
    double pi;      /* of the domain that matters; NaN but for MEGA */
    double seconds; /* of training */
} cau_trial;

/* Rows are the sizes of a curve from small to large, or one; columns are folds or seeds, or one for
 * the test set. */
typedef struct {
    const caucus_data *data;
    const cau_adapt_options *options;
    cau_tags tags;
    bool chunked; /* the score is the F1 of chunks, else the accuracy */
    size_t rows, columns, M;
    cau_method method[CAU_METHODS]; /* [M] */
    cau_trial *trial;               /* [rows][columns][M] */
    double *size; /* [rows] in-domain sequences trained on, the sum over columns */
} cau_contest;

static inline cau_trial *cau_contest_at(const cau_contest *c, size_t row, size_t column, size_t m)
{
    return &c->trial[(row * c->columns + column) * c->M + m];
}

/* A view of the in-domain data alone, whose sequences come first; each is for itself. It borrows
 * everything. */
caucus_data cau_contest_in(const caucus_data *data);

/* Makes all runs, side by side. */
caucus_status cau_contest_run(caucus_ctx *ctx, cau_contest *contest);

/* A method over the columns of a row. */
typedef struct {
    size_t n;
    double mean, error; /* of the score; the standard error is NaN below two */
    cau_tally pooled;
    uint64_t only_this, only_first;
    double l2, t, pi, seconds; /* means */
} cau_standing;
cau_standing cau_contest_row(const cau_contest *contest, size_t row, size_t m);
double cau_contest_score(const cau_contest *contest, const cau_tally *tally);
const char *cau_contest_measure(const cau_contest *contest); /* "F1" or "accuracy" */

void cau_contest_table(const cau_contest *contest, cau_writer *sheet);
void cau_contest_json(const cau_contest *contest, cau_writer *sheet);
caucus_status cau_contest_plot(caucus_ctx *ctx, const cau_contest *contest);

#endif
