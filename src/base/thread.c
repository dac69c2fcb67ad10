/* thread.c - one pool of threads for the process.
 *
 * A job is a number of blocks. They are handed out one at a time, which balances uneven blocks.
 * The caller works on the blocks like every worker. At the end it waits only for workers in the
 * middle of a block, not for workers that the system has not scheduled yet. OpenMP lets all
 * threads meet at the end of every loop; on a busy machine all of them then wait for the one that
 * was descheduled (docs/decisions/threads.md has the figures).
 *
 * The pool runs one job at a time. A nested or concurrent call runs serially in the caller, because
 * the processors are busy anyway. Workers start on first use. Between jobs they spin for a moment,
 * then sleep; they end with the process. If the system refuses a thread, the pool has fewer
 * workers. After a fork the child has no workers and runs jobs serially. */

#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"

enum {
    THREADS_MAX = 4096,
    SPINS_FOR_JOB = 2000,   /* about 50 microseconds, then the worker sleeps */
    SPINS_FOR_COUNT = 1000, /* then the waiting thread yields the processor */
};

/* The lowest failing block; {SIZE_MAX, CAUCUS_OK} when no block failed. */
typedef struct {
    size_t block;
    caucus_status status;
} failure;

typedef struct {
    cau_block_fn *fn;
    void *self;
    size_t blocks;
    unsigned threads;   /* the most that may take part, including the caller */
    atomic_size_t next; /* block to hand out */
    unsigned joined;    /* workers that joined so far; their numbers are 1, 2, ... */
    unsigned working;   /* workers that joined and have not left */
    failure lowest;
} thread_job;

static struct {
    pthread_mutex_t owner; /* held by the thread whose job it is */
    pthread_mutex_t lock;  /* protects everything below except `posted` */
    pthread_cond_t posting, leaving;
    atomic_ullong posted; /* number of jobs so far; spinning workers watch it */
    thread_job *job;      /* the job to join, or NULL */
    unsigned workers;     /* number of workers started */
    pid_t process;        /* the process that started them */
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

/* Runs blocks of the job until none is left. */
static failure run_blocks(thread_job *j, unsigned worker)
{
    failure mine = {SIZE_MAX, CAUCUS_OK};
    for (size_t b; (b = atomic_fetch_add(&j->next, 1)) < j->blocks;)
        keep_lowest(&mine, b, j->fn(j->self, b, worker));
    return mine;
}

/* ---- workers --------------------------------------------------------------------------- */

/* A short pause between two reads of a variable that another thread writes. */
static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/* Spins for a moment, without the lock, until a job after number `seen` is posted. */
static void spin_for_job(unsigned long long seen)
{
    for (int i = 0;
         i < SPINS_FOR_JOB && atomic_load_explicit(&pool.posted, memory_order_relaxed) == seen; i++)
        pause_briefly();
}

static void *worker_main(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        thread_job *j = pool.job;
        if (j && j->joined + 1 < j->threads) {
            unsigned number = ++j->joined;
            j->working++;
            pthread_mutex_unlock(&pool.lock);
            failure mine = run_blocks(j, number);
            pthread_mutex_lock(&pool.lock);
            keep_lowest(&j->lowest, mine.block, mine.status);
            if (--j->working == 0) pthread_cond_signal(&pool.leaving);
        }
        unsigned long long seen = atomic_load(&pool.posted);
        pthread_mutex_unlock(&pool.lock);
        spin_for_job(seen);
        pthread_mutex_lock(&pool.lock);
        while (atomic_load(&pool.posted) == seen) pthread_cond_wait(&pool.posting, &pool.lock);
    }
    return NULL;
}

/* pthread_create for a thread that blocks all signals, which leaves them to the others. */
static int create_thread(pthread_t *thread, const pthread_attr_t *how, void *(*fn)(void *),
                         void *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, how, fn, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Starts workers until there are `count`, or until the system refuses one. Called with
 * the lock held. */
static void start_workers(unsigned count)
{
    pthread_attr_t detached;
    if (pool.workers >= count || pthread_attr_init(&detached) != 0) return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    while (pool.workers < count && create_thread(&thread, &detached, worker_main, NULL) == 0)
        pool.workers++;
    pthread_attr_destroy(&detached);
}

/* ---- jobs ------------------------------------------------------------------------------ */

/* Whether the caller now owns the pool. */
static bool acquire_pool(void)
{
    if (pthread_mutex_trylock(&pool.owner) != 0) return false;
    if (pool.process == 0) pool.process = getpid();
    if (pool.process == getpid()) return true;
    pthread_mutex_unlock(&pool.owner); /* a forked child: the workers stayed with the parent */
    return false;
}

caucus_status cau_parallel(unsigned threads, size_t blocks, cau_block_fn *fn, void *self)
{
    thread_job j = {.fn = fn, .self = self, .blocks = blocks, .threads = threads};
    j.lowest = (failure){SIZE_MAX, CAUCUS_OK};
    if (threads > blocks) j.threads = (unsigned)blocks;
    if (j.threads <= 1 || !acquire_pool()) return run_blocks(&j, 0).status;

    pthread_mutex_lock(&pool.lock);
    start_workers(j.threads - 1);
    pool.job = &j;
    atomic_fetch_add(&pool.posted, 1);
    pthread_cond_broadcast(&pool.posting);
    pthread_mutex_unlock(&pool.lock);

    failure mine = run_blocks(&j, 0);

    pthread_mutex_lock(&pool.lock);
    pool.job = NULL; /* no worker joins from now on */
    while (j.working > 0) pthread_cond_wait(&pool.leaving, &pool.lock);
    keep_lowest(&j.lowest, mine.block, mine.status);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.owner);
    return j.lowest.status;
}

double cau_await(const atomic_size_t *count, size_t enough)
{
    for (int i = 0; i < SPINS_FOR_COUNT; i++) {
        if (atomic_load_explicit(count, memory_order_acquire) >= enough) return 0;
        pause_briefly();
    }
    const double begin = cau_seconds();
    while (atomic_load_explicit(count, memory_order_acquire) < enough)
        sched_yield(); /* the thread that raises the count may be descheduled */
    return cau_seconds() - begin;
}

/* ---- threads that wait ----------------------------------------------------------------- */

struct cau_thread {
    pthread_t thread;
    void (*fn)(void *self);
    void *self;
};

static void *thread_main(void *self)
{
    const cau_thread *t = self;
    t->fn(t->self);
    return NULL;
}

caucus_status cau_thread_start(caucus_ctx *ctx, void (*fn)(void *self), void *self,
                               cau_thread **out)
{
    cau_thread *t = cau_alloc(1, sizeof *t);
    if (!t) return cau_fail_memory(ctx, "a thread");
    *t = (cau_thread){.fn = fn, .self = self};
    const int error = create_thread(&t->thread, NULL, thread_main, t);
    if (error) {
        free(t);
        return cau_fail(ctx, CAUCUS_ERR_MEMORY, "cannot start a thread: %s", strerror(error));
    }
    *out = t;
    return CAUCUS_OK;
}

void cau_thread_join(cau_thread *t)
{
    if (!t) return;
    pthread_join(t->thread, NULL);
    free(t);
}
