/* jobs.h - lists of independent jobs, run in parallel. Cross-validation, grids, learning curves,
 * comparisons of methods, tuning and the members of pools all go through here.
 *
 * A job is one training run, or several that build on each other. Jobs share constant data only.
 * Each has its own context, and writes its result, plain numbers, to memory that the caller has
 * set aside for it. So the results do not depend on timing or on the number of threads, and a list
 * could be spread over processes that send each other their results. */

#ifndef CAU_STUDY_JOBS_H
#define CAU_STUDY_JOBS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"

/* What several lists share: progress, and the caller's wish to stop. Set the first fields and call
 * cau_jobs_init; clear it at the end. */
typedef struct {
    caucus_ctx *ctx;  /* the caller's; its progress callback is called for all runs */
    const char *name; /* of the progress: "folds", "members", ... */
    size_t runs;      /* training runs in all lists together */
    unsigned threads;
    bool keep; /* a stop makes every run end with what it has, and is no failure */

    size_t done; /* runs */
    double began, score;
    atomic_bool stopped;  /* by the progress callback */
    atomic_size_t failed; /* lowest job of the current list that failed; SIZE_MAX: no failure */
    char message[CAU_MESSAGE_MAX];
    pthread_mutex_t lock; /* of done, score and message */
} cau_jobs;
void cau_jobs_init(cau_jobs *jobs);
void cau_jobs_clear(cau_jobs *jobs);

/* A job at work. */
typedef struct {
    cau_jobs *jobs;
    size_t number;
    unsigned threads; /* that it may use: all if it is the only job of the list, else 1 */
    caucus_ctx *ctx;  /* for the calls that it makes; its progress callback ends solvers early when
                         the job has to end */
    double dev;       /* best score on development data that a solver reported; NaN: no score */
    char place[160];  /* written by the job: "fold 3, l2=1", put before the message of a failure */
} cau_job;
typedef caucus_status cau_job_fn(void *self, cau_job *job);

/* Runs jobs 0..count-1. When one fails, those with higher numbers end early and those with lower
 * numbers do not, so the failure that is reported does not depend on timing. The progress callback
 * is called at each iteration of a run and after each run, from any thread but by one at a time:
 * iteration is the number of finished runs, passes that of all runs, dev the score of the run that
 * finished last. When it returns false, the list ends with CAUCUS_ERR_STOPPED unless jobs->keep. */
caucus_status cau_jobs_run(cau_jobs *jobs, size_t count, cau_job_fn *fn, void *self);

/* To be called by a job after each of its runs, with the score of the run or NaN.
 * CAUCUS_ERR_STOPPED when the job has to end. */
caucus_status cau_job_report(cau_job *job, double score);

#endif
