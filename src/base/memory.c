/* memory.c - checked allocation and arenas.
 *
 * An arena is a list of chunks, each twice the size of the one before, up to a limit; memory
 * is taken from the first chunk until it is full. What is too large for a fresh chunk gets
 * one of its own, which goes behind the first, so that the room left there is still used:
 *
 *     arena -> [chunk in use ....      ] -> [full] -> [large] -> [full]
 *
 * Strings are packed without gaps, everything else starts at a multiple of 16. */

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

enum {
    VECTOR_ALIGN = 64,
    PIECE = 1 << 18, /* bytes that a thread clears at a time */
    ARENA_ALIGN = 16,
    CHUNK_FIRST = 4 << 10,
    CHUNK_LAST = 1 << 20,
};

struct cau_chunk {
    struct cau_chunk *next;
    size_t used, size; /* of bytes */
    _Alignas(ARENA_ALIGN) char bytes[];
};

/* ---- arrays -------------------------------------------------------------------------- */

void *cau_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!cau_size_mul(count, size, &bytes)) return NULL;
    return malloc(bytes ? bytes : 1);
}

void *cau_calloc(size_t count, size_t size)
{
    return count && size ? calloc(count, size) : calloc(1, 1);
}

/* A vector on its way: pieces of it are cleared by threads. */
typedef struct {
    char *at;
    size_t bytes;
} clearing;

static caucus_status clear_piece(void *self, size_t piece, unsigned worker)
{
    (void)worker;
    const clearing *c = self;
    const size_t begin = piece * PIECE;
    memset(c->at + begin, 0, c->bytes - begin < PIECE ? c->bytes - begin : PIECE);
    return CAUCUS_OK;
}

void *cau_vector_by(unsigned threads, size_t count, size_t size)
{
    clearing c;
    if (!cau_size_mul(count, size, &c.bytes)) return NULL;
    if (!cau_size_add(c.bytes, VECTOR_ALIGN - 1, &c.bytes)) return NULL;
    c.bytes -= c.bytes % VECTOR_ALIGN;
    if (c.bytes == 0) c.bytes = VECTOR_ALIGN;
    c.at = aligned_alloc(VECTOR_ALIGN, c.bytes);
    if (c.at) (void)cau_parallel(threads, (c.bytes - 1) / PIECE + 1, clear_piece, &c);
    return c.at;
}

void *cau_vector(size_t count, size_t size)
{
    return cau_vector_by(1, count, size);
}

bool cau_grow(void **array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity) return true;
    size_t count, bytes;
    if (!cau_size_mul(*capacity, 2, &count) || count < need) count = need;
    if (count < 8) count = 8;
    if (!cau_size_mul(count, size, &bytes)) {
        count = need;
        if (!cau_size_mul(count, size, &bytes)) return false;
    }

    /* The caller's pointer is a T *, seen here as a void *: copy it, do not access it. */
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, bytes);
    if (!grown) return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = count;
    return true;
}

/* ---- arenas -------------------------------------------------------------------------- */

void cau_arena_init(cau_arena *arena)
{
    *arena = (cau_arena){0};
}

void cau_arena_clear(cau_arena *arena)
{
    for (struct cau_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    cau_arena_init(arena);
}

static struct cau_chunk *chunk_new(size_t size)
{
    size_t bytes;
    if (!cau_size_add(sizeof(struct cau_chunk), size, &bytes)) return NULL;
    struct cau_chunk *chunk = malloc(bytes);
    if (chunk) *chunk = (struct cau_chunk){.size = size};
    return chunk;
}

/* `bytes` bytes at a multiple of `align`, a power of two up to ARENA_ALIGN. */
static void *take(cau_arena *arena, size_t bytes, size_t align)
{
    struct cau_chunk *first = arena->chunks;
    if (first) {
        size_t start = (first->used + align - 1) & ~(align - 1);
        if (start <= first->size && bytes <= first->size - start) {
            first->used = start + bytes;
            return first->bytes + start;
        }
    }

    size_t size = arena->chunk_size ? arena->chunk_size : CHUNK_FIRST;
    bool large = bytes > size / 4; /* a fresh chunk would leave too much of the old unused */
    struct cau_chunk *chunk = chunk_new(large ? bytes : size);
    if (!chunk) return NULL;
    chunk->used = bytes;
    if (large && first) {
        chunk->next = first->next;
        first->next = chunk;
    } else {
        chunk->next = first;
        arena->chunks = chunk;
    }
    if (!large) arena->chunk_size = size < CHUNK_LAST ? 2 * size : size;
    return chunk->bytes;
}

void *cau_arena_alloc(cau_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!cau_size_mul(count, size, &bytes)) return NULL;
    return take(arena, bytes, ARENA_ALIGN);
}

char *cau_arena_copy(cau_arena *arena, const char *bytes, size_t length)
{
    size_t room;
    if (!cau_size_add(length, 1, &room)) return NULL;
    char *copy = take(arena, room, 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}
