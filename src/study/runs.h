/* runs.h - the training runs of a study: each setting on each part of the data. */

#ifndef CAU_STUDY_RUNS_H
#define CAU_STUDY_RUNS_H

#include "dataset/dataset.h"
#include "eval/chunks.h"
#include "train/fit.h"

/* ---- label_counts.c: the held-out labels of a run, compared with gold ------------------------ */

/* Plain counts, which can be added up over runs. */
typedef struct {
    uint64_t tokens, right; /* instances with a single gold label; those that were labelled so */
    cau_counts chunks;      /* 0 if the labels are not those of chunks */
} cau_label_counts;

/* The held-out data. Everything is borrowed. */
typedef struct {
    const cau_dataset *set; /* with the gold labels */
    const uint32_t *which;  /* [count] its sequences, in the order of the predictions; NULL: all */
    size_t count;
    const cau_tags *tags; /* of the labels of the set; NULL: they are not those of chunks */
} cau_held_data;

/* Whether labels are those of chunks: the set has sequences, all labels belong to a scheme, and at
 * least one of them is not O. */
bool cau_labels_are_chunked(const cau_dataset *set, const cau_tags *tags);

/* Compares predictions, one for each held-out instance, with gold. Predictions are numbers in
 * `theirs`, the labels of the training part; gold labels are numbers in `ours`, which has all
 * labels. So a label that training does not have is never predicted, and counts as an error.
 * Instances with a partial gold label are not counted. */
caucus_status cau_count_labels(caucus_ctx *ctx, const cau_held_data *held, const cau_alphabet *ours,
                               const cau_alphabet *theirs, const uint32_t *predicted,
                               cau_label_counts *out);

void cau_label_counts_add(cau_label_counts *sum, const cau_label_counts *more);
double cau_label_accuracy(const cau_label_counts *counts); /* NaN if nothing was counted */

/* ---- runs.c: each setting on each part ------------------------------------------------------- */

enum { CAU_RUN_NUMBERS = 3 };

/* Trains a setting on data->train and labels data->test: result->answer. NULL there means that the
 * part has too little to learn from, which is no failure. own [CAU_RUN_NUMBERS] are numbers that
 * the setting reports about the run; they are NaN before. */
typedef struct cau_setting cau_setting;
typedef caucus_status cau_setting_fn(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_setting *setting, const cau_train_options *options,
                                     uint64_t seed, unsigned threads, cau_fit_result *result,
                                     double *own);

struct cau_setting {
    const char *text;        /* "l2=0.1 l1=1"; "" without a grid */
    double penalty;          /* l1 + l2: settings are trained from strong to weak penalties */
    cau_train_options train; /* without an output */
    cau_setting_fn *fit;     /* NULL: cau_fit_weights */
    const void *self;        /* for `fit` */
};

typedef struct {
    const char *name;            /* of the study, for progress */
    const cau_setting *settings; /* [count] */
    size_t count;
    size_t folds;              /* cross-validation by at least 2 folds; 0: no folds */
    size_t seeds;              /* a learning curve over this many seeds; 0: no curve */
    bool warm;                 /* each setting starts at the weights of the one before */
    bool compare;              /* count on which instances settings differ from the first one */
    const cau_dataset *divide; /* the first sequences of data->train, to be divided into folds or
                                  subsets; the others are always trained on. NULL: all */
    size_t cutoff;             /* of parts of the data */
    uint64_t seed;
    unsigned threads; /* at least 1 */
    bool keep;        /* see jobs.h */
} cau_runs_options;

/* What is known of a run: plain numbers. */
typedef struct {
    bool missing;     /* the part had too little to learn from; only `sequences` is set */
    size_t sequences; /* trained on, of those that are divided */
    size_t instances; /* trained on */
    size_t held_groups, held_sequences, held_instances;
    cau_label_counts counts;        /* of the held-out labels */
    uint64_t only_this, only_first; /* instances that only this setting labels right, or only the
                                       first setting; 0 if that one is missing */
    double objective, seconds;
    size_t nonzero, iterations;
    double own[CAU_RUN_NUMBERS];
} cau_run_result;

/* Without folds and seeds there is one column, whose runs are scored on data->test. With seeds,
 * sizes go from small to large, and the test set is held out if there is one. */
typedef struct {
    const caucus_data *data;
    const cau_runs_options *options;
    cau_tags tags;          /* of the labels */
    bool chunked;           /* the score is the F1 of chunks, else the accuracy */
    size_t sizes;           /* of a learning curve; else 1 */
    size_t columns;         /* folds or seeds; else 1 */
    cau_run_result *result; /* [sizes][columns][options->count] */
} cau_runs;

/* Makes all runs in parallel (jobs.h). Borrows data and options; clear it in any case. */
caucus_status cau_runs_make(caucus_ctx *ctx, const caucus_data *data,
                            const cau_runs_options *options, cau_runs *runs);
void cau_runs_clear(cau_runs *runs);

static inline cau_run_result *cau_run_at(const cau_runs *runs, size_t size, size_t column,
                                         size_t setting)
{
    return &runs->result[(size * runs->columns + column) * runs->options->count + setting];
}

/* ---- summaries ------------------------------------------------------------------------------- */

/* A mean over n values, and its standard error, sd / sqrt(n). NaN if n is too small. */
typedef struct {
    double mean, error;
} cau_mean;

/* A setting over the columns of a size, without runs that are missing or have no gold labels. */
typedef struct {
    size_t n;
    cau_mean score, accuracy;
    double sequences, instances, nonzero, seconds, own[CAU_RUN_NUMBERS]; /* means */
    size_t iterations;                                                   /* sum */
    cau_label_counts pooled;                                             /* sums */
    uint64_t only_this, only_first;                                      /* sums */
} cau_run_means;
cau_run_means cau_runs_means(const cau_runs *runs, size_t size, size_t setting);

const char *cau_runs_measure(const cau_runs *runs); /* "F1" or "accuracy" */
double cau_runs_score(const cau_runs *runs, const cau_label_counts *counts);

#endif
