/* thread.h - the one place that starts threads. */

#ifndef CAU_BASE_THREAD_H
#define CAU_BASE_THREAD_H

#include <stdatomic.h>

#include "caucus.h"

/* The number of threads to use, at least 1: the number set in the context, or, where that is 0,
 * the number of processors available to this process. */
unsigned cau_threads(const caucus_ctx *ctx);

/* Runs one block of a job. worker < threads is the index of the scratch memory to use. */
typedef caucus_status cau_block_fn(void *self, size_t block, unsigned worker);

/* Runs fn for every block in 0..blocks-1, in any order, on up to `threads` threads. All blocks
 * run even when one fails. Returns the status of the lowest failing block, so the result does
 * not depend on timing. To get the same bits at any thread count, write one result per block and
 * add them in block order afterwards. */
caucus_status cau_parallel(unsigned threads, size_t blocks, cau_block_fn *fn, void *self);

/* Waits until *count is at least `enough`. Blocks of the same job with lower numbers must raise it:
 * blocks are handed out in order, so each of these is done or running. The caller sees everything
 * that they wrote before they raised the count (memory_order_release). Returns the seconds spent
 * yielding the processor, 0 when a short spin was enough. */
double cau_await(const atomic_size_t *count, size_t enough);

/* A thread of its own for work that mostly waits, such as that of a server. All signals are blocked
 * in it. CAUCUS_ERR_MEMORY when the system refuses it. cau_thread_join waits for its end and frees
 * it. */
typedef struct cau_thread cau_thread;
caucus_status cau_thread_start(caucus_ctx *ctx, void (*fn)(void *self), void *self,
                               cau_thread **out);
void cau_thread_join(cau_thread *thread); /* NULL is fine */

#endif
