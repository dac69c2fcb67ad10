/* study.h - many training runs that answer one question: which setting is best, how good is it on
 * data it has not seen, and how much would more data help?
 *
 *   folds   cross-validation: every unit (sequence, document, group) is held out once
 *   grid    several settings, each measured so, or on the development data; the best is trained
 *           again on all data
 *   curve   nested random subsets, doubling, over several seeds
 *
 * Runs are independent and go side by side, each on one thread; results do not depend on how many
 * there are. The score is the F1 of chunks where labels tell of them (eval/chunks.h), else the
 * accuracy. */

#ifndef CAU_STUDY_STUDY_H
#define CAU_STUDY_STUDY_H

#include "dataset/dataset.h"
#include "report/report.h"
#include "train/fit.h"

/* One setting of a grid. */
typedef struct cau_setting cau_setting;

/* How a setting is trained: as cau_fit_weights, with options that have a start besides. */
typedef caucus_status cau_setting_fn(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_setting *setting, const cau_train_options *options,
                                     uint64_t seed, unsigned threads, cau_fit_result *result);

struct cau_setting {
    const char *text;        /* "l2=0.1 l1=1"; "" where there is no grid */
    double penalty;          /* l1 + l2: the path goes from strong to weak */
    cau_train_options train; /* without an output */
    cau_setting_fn *fit;     /* NULL: cau_fit_weights */
    const void *self;        /* for `fit` */
};

typedef struct {
    uint64_t folds;              /* 0: none; else at least 2 */
    bool curve;                  /* a learning curve; without folds and grid */
    uint64_t seeds;              /* of the curve */
    const cau_setting *settings; /* [count] in the order of the grid; one where there is none */
    size_t count;
    bool warm; /* settings differ in penalties alone: each run starts where the one before ended */
    size_t cutoff;
    uint64_t seed;
    unsigned threads; /* at least 1 */
    const char *plot; /* a file, or NULL */
    bool json;
} cau_study_options;

/* Refuses what cannot be meant: a curve with a grid, more folds than units (data given), a grid
 * without folds and without development data. data may be NULL: what options alone show. */
caucus_status cau_study_check(caucus_ctx *ctx, const cau_study_options *options,
                              const caucus_data *data);

/* Runs, writes the table or the JSON, draws the figure. *best is the index of the winning setting:
 * the highest mean score, the strongest penalty of equals. The progress callback is called once
 * for each finished run, from the calling thread or another, one at a time: solver "folds", "grid"
 * or "curve", iteration = runs done, passes = runs in all, dev = the score of the run; when it
 * returns false the study ends with CAUCUS_ERR_STOPPED. */
caucus_status cau_study(caucus_ctx *ctx, const caucus_data *data, const cau_study_options *options,
                        caucus_write_fn *write, void *user, size_t *best);

#endif
