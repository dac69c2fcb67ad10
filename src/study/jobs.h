/* jobs.h - lists of independent jobs, run in parallel. Cross-validation, grids, learning curves,
 * comparisons of methods, tuning and the members of pools all go through here.
 *
 * A job is one training run, or several that build on each other. Jobs share constant data only.
 * Each has its own context, and writes its result, plain numbers, to memory that the caller has
 * set aside for it. So the results do not depend on timing or on the number of threads. In a job of
 * several processes (comm/comm.h) each runs a part of the list, and they send each other the
 * results: they do not depend on the number of processes either. */

#ifndef CAU_STUDY_JOBS_H
#define CAU_STUDY_JOBS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"
#include "base/strbuf.h"

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

/* What jobs do, and how their results are sent between processes. */
typedef struct {
    caucus_status (*run)(void *self, cau_job *job);

    /* Appends the result of a job, and puts the result of a job of another process where the job
     * would have put it. Called in the order of the jobs, after all own ones have run. NULL:
     * results are not sent, and every process runs all jobs. */
    void (*write)(void *self, size_t number, cau_strbuf *out);
    caucus_status (*read)(void *self, cau_job *job, cau_str result);

    size_t together; /* successive jobs that one process runs, because they share data; 0: one */
} cau_job_kind;

/* Runs jobs 0..count-1. When one fails, those with higher numbers end early and those with lower
 * numbers do not, so the failure that is reported does not depend on timing. The progress callback
 * is called at each iteration of a run and after each run, from any thread but by one at a time:
 * iteration is the number of finished runs, passes that of all runs, dev the score of the run that
 * finished last. Of other processes, runs are counted when their list is done. When it returns
 * false, the list ends with CAUCUS_ERR_STOPPED unless jobs->keep. */
caucus_status cau_jobs_run(cau_jobs *jobs, size_t count, const cau_job_kind *kind, void *self);

/* To be called by a job after each of its runs, with the score of the run or NaN.
 * CAUCUS_ERR_STOPPED when the job has to end. */
caucus_status cau_job_report(cau_job *job, double score);

#endif
