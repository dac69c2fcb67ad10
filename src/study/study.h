/* study.h - many training runs that answer one question: which setting is best, how good is it on
 * new data, and how much would more data help?
 *
 *   folds   cross-validation: each group (sequence, document) is held out once
 *   grid    several settings, each measured by folds or on the development data
 *   curve   nested random subsets of doubling size, over several seeds
 *
 * Runs are independent and run in parallel, each on one thread; the results do not depend on the
 * number of threads. The score is the F1 of chunks if the labels are those of chunks
 * (eval/chunks.h), else the accuracy. */

#ifndef CAU_STUDY_STUDY_H
#define CAU_STUDY_STUDY_H

#include "base/memory.h"
#include "base/status.h"
#include "report/report.h"
#include "study/runs.h"

typedef struct {
    cau_runs_options runs;
    const char *plot; /* a file, or NULL */
    bool json;
} cau_study_options;

/* Refuses options that contradict each other: a curve with a grid, more folds than groups, a grid
 * without folds and without development data. With data = NULL only the options are checked. */
caucus_status cau_study_check(caucus_ctx *ctx, const cau_study_options *options,
                              const caucus_data *data);

/* The results of a study as a program reads them: see caucus.h. Embed it zeroed, clear it at the
 * end. */
typedef struct {
    const char *measure;   /* "F1" or "accuracy" */
    caucus_study_row *row; /* [count]; texts and scores are in the arena */
    size_t count, room;
    size_t best; /* CAUCUS_NONE: a curve */
    cau_arena arena;
    caucus_status figure; /* whether the figure could be drawn, and the message if not */
    char message[CAU_MESSAGE_MAX];
} cau_study_summary;
void cau_study_summary_clear(cau_study_summary *summary);

/* Adds the runs of a setting on the data of a size. `name` is copied. */
caucus_status cau_study_summary_add(caucus_ctx *ctx, cau_study_summary *summary,
                                    const cau_runs *runs, size_t size, size_t setting,
                                    const char *name);

/* The status of drawing a figure, or, with a summary, CAUCUS_OK and a note there. */
caucus_status cau_study_figure(caucus_ctx *ctx, cau_study_summary *summary, caucus_status drawn);

/* Makes all runs, writes the table or the JSON, and draws the figure. *best is the setting with the
 * highest mean score, and of equal ones the one with the strongest penalty. `summary` may be NULL;
 * with it, a figure that cannot be drawn is noted there and is no failure. The progress callback
 * works as in jobs.h, with solver "folds", "grid" or "curve". */
caucus_status cau_study(caucus_ctx *ctx, const caucus_data *data, const cau_study_options *options,
                        caucus_write_fn *write, void *user, size_t *best,
                        cau_study_summary *summary);

/* ---- study_report.c ------------------------------------------------------------------------ */

typedef enum { CAU_STUDY_FOLDS, CAU_STUDY_GRID, CAU_STUDY_CURVE } cau_study_kind;

/* A finished study. Its rows are the settings, or the sizes of a curve from small to large. */
typedef struct {
    const cau_study_options *options;
    cau_study_kind kind;
    cau_runs runs;
    size_t rows;
    size_t best; /* the winning row; of settings */
} cau_study_result;

const char *cau_study_name(cau_study_kind kind); /* "folds", "grid", "curve" */
cau_run_means cau_study_means(const cau_study_result *study, size_t row);

/* The study as a table or as JSON; and as a figure. */
caucus_status cau_study_write(const cau_study_result *study, cau_writer *out);
caucus_status cau_study_plot(caucus_ctx *ctx, const cau_study_result *study);

/* A figure of mean scores with their standard errors, over the columns of runs. */
typedef struct {
    double x;
    cau_mean score; /* not drawn if NaN */
} cau_score_point;

typedef struct {
    const char *path, *x; /* the text of the x axis */
    bool log_x;
    const char *const *name; /* [count] of the lines; NULL for a single one */
    size_t count, rows;
    cau_score_point *point; /* [count][rows], which are sorted by x */
} cau_score_plot;
caucus_status cau_plot_scores(caucus_ctx *ctx, const cau_runs *runs, const cau_score_plot *plot);

#endif
