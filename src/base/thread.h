/* thread.h - the one place that starts threads. */

#ifndef CAU_BASE_THREAD_H
#define CAU_BASE_THREAD_H

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

#endif
