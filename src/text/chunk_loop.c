/* chunk_loop.c - all chunks of a file, worked on by all threads, with the results in order.
 *
 * Each thread repeats three steps:
 *
 *     cut off the next chunk   ▶   work on it   ▶   sink the finished chunks that are next in the
 * file one thread at a time                          one thread at a time
 *
 * A thread that finishes a chunk before an earlier one is finished leaves the result in its slot
 * and goes on; the thread that finishes the earlier chunk sinks both. So threads wait for each
 * other only when all slots are taken. Chunk k uses slot k % slots, once chunk k - slots has been
 * sunk. */

#include "text/chunk_loop.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"

enum { SLOTS_PER_THREAD = 2 };

/* A chunk under way. */
typedef struct {
    atomic_size_t finished; /* 1 + the number of the chunk when its work is done */
    caucus_status status;
    caucus_ctx ctx;
    cau_text_chunk chunk;
    cau_strbuf note; /* the first note, or empty */
} chunk_slot;

typedef struct {
    cau_chunker *chunker;
    size_t size;
    const cau_cut *ends;
    const cau_chunk_work *work;
    chunk_slot *slot; /* [slots] */
    size_t slots;

    pthread_mutex_t cutting; /* held to use the chunker and these: */
    size_t cut;              /* chunks so far */
    bool ended;              /* no chunk is left, or a failure ended the loop */

    atomic_bool sinking; /* set by the thread that uses these: */
    atomic_size_t sunk;  /* chunks so far */
    caucus_status status;
    char message[CAU_MESSAGE_MAX];
    cau_strbuf note; /* the first note of all chunks */
} chunk_loop;

size_t cau_chunk_slots(unsigned threads)
{
    return threads > 1 ? SLOTS_PER_THREAD * (size_t)threads : 1;
}

static void keep_first_note(void *user, const char *sentence)
{
    cau_strbuf *note = user;
    if (note->n == 0) cau_strbuf_add(note, sentence, strlen(sentence));
}

/* ---- sinking ----------------------------------------------------------------------------- */

/* Ends the loop with the failure of a chunk. */
static void fail(chunk_loop *loop, caucus_status st, const caucus_ctx *ctx)
{
    loop->status = st;
    memcpy(loop->message, ctx->message, sizeof loop->message);
    pthread_mutex_lock(&loop->cutting);
    loop->ended = true;
    pthread_mutex_unlock(&loop->cutting);
}

static void sink_chunk(chunk_loop *loop, size_t index)
{
    chunk_slot *slot = &loop->slot[index];
    if (loop->status) return;
    if (slot->note.n && loop->note.n == 0) cau_strbuf_add(&loop->note, slot->note.s, slot->note.n);
    if (slot->status) fail(loop, slot->status, &slot->ctx);
    if (slot->chunk.n == 0) return; /* the chunk could not be cut */
    const caucus_status st = loop->work->sink(loop->work->self, &slot->ctx, index, slot->status);
    if (st && !loop->status) fail(loop, st, &slot->ctx);
}

/* The index of the slot of the chunk to be sunk next, if its work is done. */
static bool is_next_finished(chunk_loop *loop, size_t *index)
{
    const size_t next = atomic_load(&loop->sunk);
    *index = next % loop->slots;
    return atomic_load(&loop->slot[*index].finished) == next + 1;
}

/* Sinks all finished chunks that have no unfinished chunk before them. If another thread is
 * sinking, it sinks these chunks too, because it checks again when it is done. */
static void sink_finished(chunk_loop *loop, unsigned thread)
{
    size_t index;
    if (loop->work->sink_on_caller && thread > 0) return;
    while (is_next_finished(loop, &index) && !atomic_exchange(&loop->sinking, true)) {
        for (; is_next_finished(loop, &index); atomic_fetch_add(&loop->sunk, 1))
            sink_chunk(loop, index);
        atomic_store(&loop->sinking, false);
    }
}

/* ---- cutting and working ----------------------------------------------------------------- */

/* Cuts off the next chunk if its slot is free. False when no chunk is left. *number is SIZE_MAX
 * when chunks have to be sunk first, up to *before. */
static bool cut_chunk(chunk_loop *loop, size_t *number, size_t *before)
{
    *number = SIZE_MAX;
    pthread_mutex_lock(&loop->cutting);
    bool more = !loop->ended;
    *before = loop->cut < loop->slots ? 0 : loop->cut - loop->slots + 1;
    if (more && atomic_load(&loop->sunk) >= *before) {
        chunk_slot *slot = &loop->slot[loop->cut % loop->slots];
        slot->note.n = 0;
        slot->status =
            cau_chunker_next(&slot->ctx, loop->chunker, loop->size, loop->ends, &slot->chunk);
        more = slot->status || slot->chunk.n > 0;
        loop->ended = slot->status || !more;
        if (more) *number = loop->cut++;
    }
    pthread_mutex_unlock(&loop->cutting);
    return more;
}

static caucus_status work_on_chunks(void *self, size_t block, unsigned thread)
{
    (void)block;
    chunk_loop *loop = self;
    for (size_t number, before; cut_chunk(loop, &number, &before);) {
        if (number == SIZE_MAX) {
            sink_finished(loop, thread);
            if (atomic_load(&loop->sunk) < before) sched_yield();
            continue;
        }
        const size_t index = number % loop->slots;
        chunk_slot *slot = &loop->slot[index];
        if (!slot->status)
            slot->status =
                loop->work->work(loop->work->self, &slot->ctx, &slot->chunk, index, thread);
        if (!slot->status) slot->status = cau_strbuf_status(&slot->ctx, &slot->note);
        atomic_store(&slot->finished, number + 1);
        sink_finished(loop, thread);
    }
    return CAUCUS_OK;
}

caucus_status cau_chunk_loop(caucus_ctx *ctx, cau_chunker *chunker, size_t size, const cau_cut *cut,
                             unsigned threads, const cau_chunk_work *work)
{
    caucus_status st = CAUCUS_OK;
    if (cau_chunker_live(chunker)) threads = 1;
    chunk_loop loop = {.chunker = chunker,
                       .size = size,
                       .ends = cut,
                       .work = work,
                       .slots = cau_chunk_slots(threads),
                       .cutting = PTHREAD_MUTEX_INITIALIZER};
    loop.slot = cau_calloc(loop.slots, sizeof *loop.slot);
    if (!loop.slot) TRY(cau_fail_memory(ctx, "the lines of a file"));
    for (size_t i = 0; i < loop.slots; i++)
        loop.slot[i].ctx =
            (caucus_ctx){.threads = 1, .note = keep_first_note, .note_user = &loop.slot[i].note};
    TRY(cau_parallel(threads, threads, work_on_chunks, &loop));
    sink_finished(&loop, 0);
    if (loop.note.n) cau_note(ctx, "%s", loop.note.s);
    if (loop.status && *loop.message) TRY(cau_fail(ctx, loop.status, "%s", loop.message));
    TRY(loop.status);
    TRY(cau_strbuf_status(ctx, &loop.note));
done:
    for (size_t i = 0; loop.slot && i < loop.slots; i++) {
        free(loop.slot[i].chunk.bytes);
        cau_strbuf_clear(&loop.slot[i].note);
    }
    free(loop.slot);
    cau_strbuf_clear(&loop.note);
    pthread_mutex_destroy(&loop.cutting);
    return st;
}
