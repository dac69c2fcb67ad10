/* thread.c - one pool of threads for the process.
 *
 * A job is a number of blocks, handed out one at a time, so that uneven ones balance. The
 * caller works on it like everybody else, and waits at the end only for those who are in the
 * middle of a block: a worker that the system has not let run yet is not missed. That is the
 * difference to OpenMP, where all threads meet at the end of every loop, and where a machine
 * with other work to do makes everybody wait for the one thread that was put aside
 * (docs/decisions/threads.md has the figures).
 *
 * There is one job at a time. Who comes while the pool is at work (a job inside a job, or
 * another thread of the program) runs the blocks alone: the processors are busy anyway.
 * Workers are started when they are first asked for, sleep between jobs after a moment of
 * looking out for the next, and end with the process. Where no thread can be had, there are
 * fewer of them; after a fork, the child has none and works alone. */

#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/status.h"

enum {
    THREADS_MAX = 4096,
    LOOKOUTS = 2000, /* looks for the next job before sleeping, some 50 microseconds */
    PATIENCE = 1000, /* looks at a count before others are let run in between */
};

/* The lowest failing block of some blocks; none is {SIZE_MAX, CAUCUS_OK}. */
typedef struct {
    size_t block;
    caucus_status status;
} failure;

typedef struct {
    cau_block_fn *fn;
    void *self;
    size_t blocks;
    unsigned threads;   /* that may take part, the caller included */
    atomic_size_t next; /* block to hand out */
    unsigned joined;    /* workers that came so far, whose numbers are 1, 2, ... */
    unsigned working;   /* of them, those who have not left */
    failure lowest;
} job;

static struct {
    pthread_mutex_t owner; /* held by the thread whose job it is */
    pthread_mutex_t lock;  /* of everything below, but for `posted` */
    pthread_cond_t posting, leaving;
    atomic_ullong posted; /* jobs so far: what a worker on the lookout watches */
    job *job;             /* to take part in, or NULL */
    unsigned workers;     /* started */
    pid_t process;        /* that started them */
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .posting = PTHREAD_COND_INITIALIZER,
          .leaving = PTHREAD_COND_INITIALIZER};

unsigned cau_threads(const caucus_ctx *ctx)
{
    unsigned threads = ctx->threads;
    if (threads == 0) { /* the processors that this process may use */
        cpu_set_t set;
        int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
        threads = count > 0 ? (unsigned)count : 1;
    }
    return threads < THREADS_MAX ? threads : THREADS_MAX;
}

static void keep_lowest(failure *lowest, size_t block, caucus_status st)
{
    if (st && block < lowest->block) *lowest = (failure){block, st};
}

/* Blocks of the job until there are no more. */
static failure work_on(job *j, unsigned worker)
{
    failure mine = {SIZE_MAX, CAUCUS_OK};
    for (size_t b; (b = atomic_fetch_add(&j->next, 1)) < j->blocks;)
        keep_lowest(&mine, b, j->fn(j->self, b, worker));
    return mine;
}

/* ---- workers --------------------------------------------------------------------------- */

/* A moment between two looks at what another thread writes. */
static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/* Looks out for a job after number `seen`, without the lock, for a moment. */
static void look_out(unsigned long long seen)
{
    for (int i = 0;
         i < LOOKOUTS && atomic_load_explicit(&pool.posted, memory_order_relaxed) == seen; i++)
        pause_briefly();
}

static void *worker_main(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        job *j = pool.job;
        if (j && j->joined + 1 < j->threads) {
            unsigned number = ++j->joined;
            j->working++;
            pthread_mutex_unlock(&pool.lock);
            failure mine = work_on(j, number);
            pthread_mutex_lock(&pool.lock);
            keep_lowest(&j->lowest, mine.block, mine.status);
            if (--j->working == 0) pthread_cond_signal(&pool.leaving);
        }
        unsigned long long seen = atomic_load(&pool.posted);
        pthread_mutex_unlock(&pool.lock);
        look_out(seen);
        pthread_mutex_lock(&pool.lock);
        while (atomic_load(&pool.posted) == seen) pthread_cond_wait(&pool.posting, &pool.lock);
    }
    return NULL;
}

/* Sees to it that there are `count` workers, or as many as can be had. They leave all signals to
 * the threads of the program. Called with the lock held. */
static void start_workers(unsigned count)
{
    sigset_t all, before;
    pthread_attr_t detached;
    if (pool.workers >= count || pthread_attr_init(&detached) != 0) return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    while (pool.workers < count && pthread_create(&thread, &detached, worker_main, NULL) == 0)
        pool.workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

/* ---- jobs ------------------------------------------------------------------------------ */

/* Whether the pool is now ours. */
static bool take_pool(void)
{
    if (pthread_mutex_trylock(&pool.owner) != 0) return false;
    if (pool.process == 0) pool.process = getpid();
    if (pool.process == getpid()) return true;
    pthread_mutex_unlock(&pool.owner); /* a child: the workers stayed with the parent */
    return false;
}

caucus_status cau_parallel(unsigned threads, size_t blocks, cau_block_fn *fn, void *self)
{
    job j = {.fn = fn, .self = self, .blocks = blocks, .threads = threads};
    j.lowest = (failure){SIZE_MAX, CAUCUS_OK};
    if (threads > blocks) j.threads = (unsigned)blocks;
    if (j.threads <= 1 || !take_pool()) return work_on(&j, 0).status;

    pthread_mutex_lock(&pool.lock);
    start_workers(j.threads - 1);
    pool.job = &j;
    atomic_fetch_add(&pool.posted, 1);
    pthread_cond_broadcast(&pool.posting);
    pthread_mutex_unlock(&pool.lock);

    failure mine = work_on(&j, 0);

    pthread_mutex_lock(&pool.lock);
    pool.job = NULL; /* whoever comes now is too late */
    while (j.working > 0) pthread_cond_wait(&pool.leaving, &pool.lock);
    keep_lowest(&j.lowest, mine.block, mine.status);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.owner);
    return j.lowest.status;
}

double cau_await(const atomic_size_t *count, size_t enough)
{
    for (int i = 0; i < PATIENCE; i++) {
        if (atomic_load_explicit(count, memory_order_acquire) >= enough) return 0;
        pause_briefly();
    }
    const double begin = cau_seconds();
    while (atomic_load_explicit(count, memory_order_acquire) < enough)
        sched_yield(); /* whom we wait for may have been put aside */
    return cau_seconds() - begin;
}
