/* chunk_loop.h - all chunks of a file, worked on by all threads, with the results in order.
 *
 *     chunker ──▶ chunk, chunk, ... ──▶ work, on any thread ──▶ sink, in the order of the file */

#ifndef CAU_TEXT_CHUNK_LOOP_H
#define CAU_TEXT_CHUNK_LOOP_H

#include "text/chunker.h"

/* What is done to a chunk. Both functions get the slot of the chunk, a number below
 * cau_chunk_slots, in which its result is kept from `work` to `sink`, and a context for their
 * messages and notes. */
typedef struct {
    /* Runs for several chunks at a time; `thread`, less than the number of threads, selects scratch
     * memory. The bytes of the chunk stay valid until the sink returns. */
    caucus_status (*work)(void *self, caucus_ctx *ctx, const cau_text_chunk *chunk, size_t slot,
                          unsigned thread);

    /* Runs for one chunk after the other, in the order of the file. st is what `work` returned: the
     * sink may keep what came before a failure. */
    caucus_status (*sink)(void *self, caucus_ctx *ctx, size_t slot, caucus_status st);

    bool sink_on_caller; /* the sink runs on the calling thread, since it calls back the program */
    void *self;
} cau_chunk_work;

/* The number of chunks that can be in work at a time. */
size_t cau_chunk_slots(unsigned threads);

/* Works on all chunks that are left of a file. The first failure in the order of the file ends the
 * loop and is returned with its message; the first note of all chunks is passed on. A live input
 * (chunker.h) is worked on by one thread, so that each chunk is sunk before the next one is read.
 * `size` and `cut` are those of cau_chunker_next. */
caucus_status cau_chunk_loop(caucus_ctx *ctx, cau_chunker *chunker, size_t size, const cau_cut *cut,
                             unsigned threads, const cau_chunk_work *work);

#endif
