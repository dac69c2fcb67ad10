/* workers.c - see workers.h. */

#include "serve/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"

enum { BATCH_MOST = 64, BATCH_COST = 1 << 16 };

typedef struct {
    struct cau_workers *all;
    unsigned number;
    cau_thread *thread;
} worker;

struct cau_workers {
    pthread_mutex_t lock; /* of the members down to `ending` */
    pthread_cond_t arrival;
    cau_task *first, **last;
    size_t waiting, most;
    unsigned idle; /* workers */
    bool ending;

    cau_batch_fn *fn;
    void *self;
    worker *workers; /* [threads] */
    unsigned threads;
};

/* The share of a worker of the jobs that wait, with the lock held; the rest is for idle ones. */
static cau_task *take_batch(cau_workers *w)
{
    const size_t share = (w->waiting + w->idle) / (w->idle + 1);
    cau_task *batch = w->first, **end = &w->first;
    size_t n = 0, cost = 0;
    while (*end && n < share && n < BATCH_MOST && (n == 0 || cost + (*end)->cost <= BATCH_COST)) {
        cost += (*end)->cost;
        end = &(*end)->next;
        n++;
    }
    w->waiting -= n;
    w->first = *end;
    *end = NULL;
    if (!w->first) w->last = &w->first;
    return batch;
}

static void work(void *self)
{
    worker *me = self;
    cau_workers *w = me->all;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        w->idle++;
        while (!w->first && !w->ending) pthread_cond_wait(&w->arrival, &w->lock);
        w->idle--;
        if (!w->first) break;
        cau_task *batch = take_batch(w);
        if (w->first && w->idle) pthread_cond_signal(&w->arrival);
        pthread_mutex_unlock(&w->lock);
        w->fn(w->self, me->number, batch);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

caucus_status cau_workers_new(caucus_ctx *ctx, unsigned threads, size_t most, cau_batch_fn *fn,
                              void *self, cau_workers **out)
{
    caucus_status st = CAUCUS_OK;
    cau_workers *w = cau_calloc(1, sizeof *w);
    if (!w) return cau_fail_memory(ctx, "the workers");
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->arrival, NULL);
    w->last = &w->first;
    w->most = most;
    w->fn = fn;
    w->self = self;
    w->workers = cau_calloc(threads, sizeof *w->workers);
    if (!w->workers) TRY(cau_fail_memory(ctx, "the workers"));
    for (unsigned i = 0; i < threads; i++) {
        w->workers[i] = (worker){.all = w, .number = i};
        TRY(cau_thread_start(ctx, work, &w->workers[i], &w->workers[i].thread));
        w->threads++;
    }
    *out = w;
    w = NULL;
done:
    cau_workers_free(w);
    return st;
}

void cau_workers_free(cau_workers *w)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->arrival);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->threads; i++) cau_thread_join(w->workers[i].thread);
    pthread_cond_destroy(&w->arrival);
    pthread_mutex_destroy(&w->lock);
    free(w->workers);
    free(w);
}

bool cau_workers_add(cau_workers *w, cau_task *job)
{
    job->next = NULL;
    pthread_mutex_lock(&w->lock);
    const bool fits = w->waiting < w->most;
    if (fits) {
        *w->last = job;
        w->last = &job->next;
        w->waiting++;
        if (w->idle) pthread_cond_signal(&w->arrival);
    }
    pthread_mutex_unlock(&w->lock);
    return fits;
}

size_t cau_workers_waiting(cau_workers *w)
{
    pthread_mutex_lock(&w->lock);
    const size_t n = w->waiting;
    pthread_mutex_unlock(&w->lock);
    return n;
}
