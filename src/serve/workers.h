/* workers.h - a queue of jobs, and threads that take them in batches.
 *
 * A worker takes its share of all jobs that wait, so that jobs which arrive together share the cost
 * of waking it and of waking the thread that waits for the answers. */

#ifndef CAU_SERVE_WORKERS_H
#define CAU_SERVE_WORKERS_H

#include "caucus.h"

/* Embed it in the job. */
typedef struct cau_task {
    struct cau_task *next;
    size_t cost; /* as bytes; jobs that cost much are taken alone */
} cau_task;

/* Works on the jobs of a list, which ends with NULL. worker < threads. */
typedef void cau_batch_fn(void *self, unsigned worker, cau_task *jobs);

typedef struct cau_workers cau_workers;
caucus_status cau_workers_new(caucus_ctx *ctx, unsigned threads, size_t most, cau_batch_fn *fn,
                              void *self, cau_workers **out);

/* Works on the jobs that still wait, and ends the threads. */
void cau_workers_free(cau_workers *workers);

/* False when `most` jobs wait already. Any thread. */
bool cau_workers_add(cau_workers *workers, cau_task *job);
size_t cau_workers_waiting(cau_workers *workers);

#endif
