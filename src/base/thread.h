/* thread.h - the one place that starts threads. */

#ifndef CAU_BASE_THREAD_H
#define CAU_BASE_THREAD_H

#include <stdatomic.h>

#include "caucus.h"

/* The number of threads that a context asks for, at least 1: what the caller set, or what
 * the machine lets this process use. */
unsigned cau_threads(const caucus_ctx *ctx);

/* One block of a job. worker < threads tells which scratch memory is free to use. */
typedef caucus_status cau_block_fn(void *self, size_t block, unsigned worker);

/* Runs fn for every block in 0..blocks-1, in any order, on up to `threads` threads. All
 * blocks run even when one fails; the status of the lowest failing block is returned, so
 * the answer does not depend on timing. To get the same bits at any thread count, write per
 * block and add in block order afterwards. */
caucus_status cau_parallel(unsigned threads, size_t blocks, cau_block_fn *fn, void *self);

/* Waits until *count is at least `enough`, which blocks of the same job with lower numbers will
 * see to: they are handed out in order, so each of them is done or being worked on. What they
 * wrote before they counted (memory_order_release) can be read after. The answer is how many
 * seconds that took where it was more than a moment, which it is when the processors are busy with
 * something else; 0 otherwise. */
double cau_await(const atomic_size_t *count, size_t enough);

#endif
