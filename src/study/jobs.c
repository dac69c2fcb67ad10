/* jobs.c - see jobs.h. */

#include "study/jobs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/thread.h"

void cau_jobs_init(cau_jobs *jobs)
{
    jobs->done = 0;
    jobs->began = cau_seconds();
    jobs->score = NAN;
    atomic_init(&jobs->stopped, false);
    atomic_init(&jobs->failed, SIZE_MAX);
    pthread_mutex_init(&jobs->lock, NULL);
}

void cau_jobs_clear(cau_jobs *jobs)
{
    pthread_mutex_destroy(&jobs->lock);
}

static bool may_go_on(const cau_job *job)
{
    return !atomic_load(&job->jobs->stopped) && atomic_load(&job->jobs->failed) > job->number;
}

/* Calls the caller's progress callback; once that has returned false, it is not called again. */
static void call_progress(cau_jobs *jobs)
{
    if (atomic_load(&jobs->stopped) || !jobs->ctx->progress) return;
    const double elapsed = cau_seconds() - jobs->began, done = (double)jobs->done;
    const caucus_progress p = {
        .solver = jobs->name,
        .iteration = jobs->done,
        .passes = jobs->runs,
        .objective = NAN,
        .gradient = NAN,
        .dev = jobs->score,
        .elapsed = elapsed,
        .remaining = jobs->done ? elapsed / done * ((double)jobs->runs - done) : NAN,
        .norm = NAN,
    };
    if (!jobs->ctx->progress(jobs->ctx->progress_user, &p)) atomic_store(&jobs->stopped, true);
}

/* The progress callback of a job's own context. */
static bool hear_solver(void *user, const caucus_progress *p)
{
    cau_job *job = user;
    job->dev = fmax(job->dev, p->dev); /* fmax ignores NaN */
    pthread_mutex_lock(&job->jobs->lock);
    call_progress(job->jobs);
    pthread_mutex_unlock(&job->jobs->lock);
    return may_go_on(job);
}

caucus_status cau_job_report(cau_job *job, double score)
{
    cau_jobs *jobs = job->jobs;
    pthread_mutex_lock(&jobs->lock);
    if (jobs->keep || may_go_on(job)) {
        jobs->done++;
        jobs->score = score;
        call_progress(jobs);
    }
    pthread_mutex_unlock(&jobs->lock);
    return jobs->keep || may_go_on(job) ? CAUCUS_OK : CAUCUS_ERR_STOPPED;
}

static void keep_failure(const cau_job *job)
{
    cau_jobs *jobs = job->jobs;
    const char *sentence = job->ctx ? caucus_message(job->ctx) : "out of memory";
    pthread_mutex_lock(&jobs->lock);
    if (job->number < atomic_load(&jobs->failed)) {
        atomic_store(&jobs->failed, job->number);
        snprintf(jobs->message, sizeof jobs->message, "%s%s%s", job->place,
                 job->place[0] ? ": " : "", sentence);
    }
    pthread_mutex_unlock(&jobs->lock);
}

typedef struct {
    cau_jobs *jobs;
    size_t count;
    cau_job_fn *fn;
    void *self;
} job_list;

static caucus_status run_job(void *self, size_t number, unsigned worker)
{
    (void)worker;
    const job_list *list = self;
    cau_job job = {.jobs = list->jobs,
                   .number = number,
                   .threads = list->count > 1 ? 1 : list->jobs->threads,
                   .dev = NAN};
    if (!list->jobs->keep && !may_go_on(&job)) return CAUCUS_ERR_STOPPED;
    caucus_status st = caucus_ctx_new(&job.ctx);
    if (!st) {
        caucus_set_threads(job.ctx, job.threads);
        caucus_on_progress(job.ctx, hear_solver, &job);
        st = list->fn(list->self, &job);
    }
    if (st && st != CAUCUS_ERR_STOPPED) keep_failure(&job);
    caucus_ctx_free(job.ctx);
    return st;
}

caucus_status cau_jobs_run(cau_jobs *jobs, size_t count, cau_job_fn *fn, void *self)
{
    job_list list = {.jobs = jobs, .count = count, .fn = fn, .self = self};
    atomic_store(&jobs->failed, SIZE_MAX);
    const caucus_status st = cau_parallel(count > 1 ? jobs->threads : 1, count, run_job, &list);
    if (!jobs->keep && atomic_load(&jobs->stopped))
        return cau_fail(jobs->ctx, CAUCUS_ERR_STOPPED, "stopped after %zu of %zu runs", jobs->done,
                        jobs->runs);
    return st ? cau_fail(jobs->ctx, st, "%s", jobs->message) : CAUCUS_OK;
}
