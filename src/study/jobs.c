/* jobs.c - see jobs.h. */

#include "study/jobs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "comm/comm.h"

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
    size_t count; /* of the whole list */
    const cau_job_kind *kind;
    void *self;
    size_t rank, ranks; /* 0 and 1 if the list is not spread */
    size_t own;         /* jobs of this process */
} job_list;

/* Whether a job belongs to this process. Results do not depend on it, since seeds belong to jobs.
 */
static bool is_own(const job_list *list, size_t number)
{
    const size_t together = list->kind->together ? list->kind->together : 1;
    return number / together % list->ranks == list->rank;
}

/* Starts a job with a context of its own. */
static caucus_status job_init(const job_list *list, size_t number, cau_job *job)
{
    *job = (cau_job){.jobs = list->jobs,
                     .number = number,
                     .threads = list->own > 1 ? 1 : list->jobs->threads,
                     .dev = NAN};
    const caucus_status st = caucus_ctx_new(&job->ctx);
    if (!st) caucus_set_threads(job->ctx, job->threads);
    return st;
}

static caucus_status run_job(void *self, size_t number, unsigned worker)
{
    (void)worker;
    const job_list *list = self;
    cau_job job = {.jobs = list->jobs, .number = number};
    if (!is_own(list, number)) return CAUCUS_OK;
    if (!list->jobs->keep && !may_go_on(&job)) return CAUCUS_ERR_STOPPED;
    caucus_status st = job_init(list, number, &job);
    if (!st) {
        caucus_on_progress(job.ctx, hear_solver, &job);
        st = list->kind->run(list->self, &job);
    }
    if (st && st != CAUCUS_ERR_STOPPED) keep_failure(&job);
    caucus_ctx_free(job.ctx);
    return st;
}

/* ---- several processes ----------------------------------------------------------------------- */

/* How the own jobs of a process ended. */
typedef struct {
    uint64_t failed; /* lowest job; SIZE_MAX: no failure */
    uint64_t status, stopped, done;
    double score;
    char message[CAU_MESSAGE_MAX];
} job_outcome;

/* Makes the outcome of all processes that of this one: the failure of the lowest job is kept. */
static caucus_status agree(const job_list *list, size_t before, caucus_status *st)
{
    cau_jobs *jobs = list->jobs;
    cau_strbuf all = {0};
    job_outcome own = {.failed = atomic_load(&jobs->failed),
                       .status = (uint64_t)*st,
                       .stopped = atomic_load(&jobs->stopped),
                       .done = jobs->done - before,
                       .score = jobs->score};
    memcpy(own.message, jobs->message, sizeof own.message);
    const caucus_status sent =
        cau_comm_collect(jobs->ctx->comm, (cau_str){(const char *)&own, sizeof own}, &all, NULL);
    for (size_t r = 0; !sent && r < list->ranks; r++) {
        job_outcome one;
        memcpy(&one, all.s + r * sizeof one, sizeof one);
        if (r == list->rank) continue;
        jobs->done += one.done;
        if (one.done) jobs->score = one.score;
        if (one.stopped) atomic_store(&jobs->stopped, true);
        if (one.failed >= atomic_load(&jobs->failed)) continue;
        atomic_store(&jobs->failed, one.failed);
        memcpy(jobs->message, one.message, sizeof one.message);
        *st = (caucus_status)one.status;
    }
    cau_strbuf_clear(&all);
    return sent;
}

/* Reads the results of the jobs of other processes: a number, a length, and bytes for each. */
static caucus_status read_results(const job_list *list, cau_str all)
{
    for (uint64_t head[2]; all.n >= sizeof head;) {
        cau_job job;
        memcpy(head, all.s, sizeof head);
        const cau_str result = {all.s + sizeof head, (size_t)head[1]};
        all = (cau_str){result.s + result.n, all.n - sizeof head - result.n};
        if (is_own(list, (size_t)head[0])) continue;
        caucus_status st = job_init(list, (size_t)head[0], &job);
        if (!st) st = list->kind->read(list->self, &job, result);
        if (st) keep_failure(&job);
        caucus_ctx_free(job.ctx);
        if (st) return st;
    }
    return CAUCUS_OK;
}

/* Sends the results of the jobs first .. end-1 to all processes. */
static caucus_status send_some(const job_list *list, size_t first, size_t end)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf own = {0}, all = {0}, one = {0};
    for (size_t j = first; j < end; j++) {
        if (!is_own(list, j)) continue;
        one.n = 0;
        list->kind->write(list->self, j, &one);
        const uint64_t head[2] = {j, one.n};
        cau_strbuf_add(&own, (const char *)head, sizeof head);
        cau_strbuf_add(&own, one.s, one.n);
        own.failed |= one.failed;
    }
    if (own.failed) TRY(cau_fail_memory(list->jobs->ctx, "the results of other processes"));
    st = cau_comm_collect(list->jobs->ctx->comm, (cau_str){own.s, own.n}, &all, NULL);
    if (st) TRY(cau_fail(list->jobs->ctx, st, "lost contact with the other processes"));
    st = read_results(list, (cau_str){all.s, all.n});
    if (st) cau_fail(list->jobs->ctx, st, "%s", list->jobs->message);
done:
    cau_strbuf_clear(&own);
    cau_strbuf_clear(&all);
    cau_strbuf_clear(&one);
    return st;
}

/* Some results at a time, because they can be large. */
static caucus_status send_results(const job_list *list)
{
    const size_t together = list->kind->together ? list->kind->together : 1;
    const size_t some = list->ranks * together;
    for (size_t first = 0; first < list->count; first += some) {
        const size_t end = list->count - first < some ? list->count : first + some;
        const caucus_status st = send_some(list, first, end);
        if (st) return st;
    }
    return CAUCUS_OK;
}

caucus_status cau_jobs_run(cau_jobs *jobs, size_t count, const cau_job_kind *kind, void *self)
{
    cau_comm *comm = kind->write ? jobs->ctx->comm : NULL;
    job_list list = {.jobs = jobs,
                     .count = count,
                     .kind = kind,
                     .self = self,
                     .rank = cau_comm_rank(comm),
                     .ranks = cau_comm_ranks(comm)};
    const size_t before = jobs->done;
    for (size_t j = 0; j < count; j++) list.own += is_own(&list, j);
    atomic_store(&jobs->failed, SIZE_MAX);
    caucus_status st = cau_parallel(list.own > 1 ? jobs->threads : 1, count, run_job, &list);
    if (comm) {
        const caucus_status sent = agree(&list, before, &st);
        if (sent) return cau_fail(jobs->ctx, sent, "lost contact with the other processes");
    }
    if (!jobs->keep && atomic_load(&jobs->stopped))
        return cau_fail(jobs->ctx, CAUCUS_ERR_STOPPED, "stopped after %zu of %zu runs", jobs->done,
                        jobs->runs);
    if (st) return cau_fail(jobs->ctx, st, "%s", jobs->message);
    return comm ? send_results(&list) : CAUCUS_OK;
}
