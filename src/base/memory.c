/* memory.c - checked allocation and arenas.
 *
 * An arena is a list of chunks. Each is twice the size of the one before, up to a limit. Memory is
 * taken from the first chunk until it is full. A large allocation gets a chunk of its own, which is
 * inserted after the first, so that the room left in the first is still used:
 *
 *     arena -> [chunk in use ....      ] -> [full] -> [large] -> [full]
 *
 * Strings are packed without gaps; other allocations start at a multiple of 16. */

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/thread.h"

enum {
    VECTOR_ALIGN = 64,
    LARGE_PAGE = 2 << 20,
    ZERO_BLOCK = 1 << 18, /* bytes that a thread zeroes at a time */
    ARENA_ALIGN = 16,
    CHUNK_FIRST = 4 << 10,
    CHUNK_LAST = 1 << 20,
};

struct cau_arena_chunk {
    struct cau_arena_chunk *next;
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

typedef struct {
    char *at;
    size_t bytes;
} zero_job;

static caucus_status zero_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const zero_job *z = self;
    const size_t begin = block * ZERO_BLOCK;
    memset(z->at + begin, 0, z->bytes - begin < ZERO_BLOCK ? z->bytes - begin : ZERO_BLOCK);
    return CAUCUS_OK;
}

void *cau_vector_by(unsigned threads, size_t count, size_t size)
{
    zero_job z;
    if (!cau_size_mul(count, size, &z.bytes)) return NULL;
    if (!cau_size_add(z.bytes, VECTOR_ALIGN - 1, &z.bytes)) return NULL;
    z.bytes -= z.bytes % VECTOR_ALIGN;
    if (z.bytes == 0) z.bytes = VECTOR_ALIGN;
    z.at = aligned_alloc(VECTOR_ALIGN, z.bytes);
    if (z.at) (void)cau_parallel(threads, (z.bytes - 1) / ZERO_BLOCK + 1, zero_block, &z);
    return z.at;
}

void *cau_vector(size_t count, size_t size)
{
    return cau_vector_by(1, count, size);
}

void cau_use_large_pages(void *memory, size_t bytes)
{
    char *begin = memory;
    const size_t lead = (LARGE_PAGE - (uintptr_t)begin % LARGE_PAGE) % LARGE_PAGE;
    if (bytes < lead + LARGE_PAGE) return;
    (void)madvise(begin + lead, (bytes - lead) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
}

void *cau_alloc_large(size_t count, size_t size)
{
    size_t bytes;
    if (!cau_size_mul(count, size, &bytes)) return NULL;
    if (bytes < LARGE_PAGE || !cau_size_add(bytes, LARGE_PAGE - 1, &bytes))
        return cau_alloc(count, size);
    bytes -= bytes % LARGE_PAGE;
    void *memory = aligned_alloc(LARGE_PAGE, bytes);
    if (memory) cau_use_large_pages(memory, bytes);
    return memory;
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
    for (struct cau_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    cau_arena_init(arena);
}

static struct cau_arena_chunk *chunk_new(size_t size)
{
    size_t bytes;
    if (!cau_size_add(sizeof(struct cau_arena_chunk), size, &bytes)) return NULL;
    struct cau_arena_chunk *chunk = malloc(bytes);
    if (chunk) *chunk = (struct cau_arena_chunk){.size = size};
    return chunk;
}

/* Allocates at a multiple of `align`, a power of two up to ARENA_ALIGN. */
static void *alloc_aligned(cau_arena *arena, size_t bytes, size_t align)
{
    struct cau_arena_chunk *first = arena->chunks;
    if (first) {
        size_t start = (first->used + align - 1) & ~(align - 1);
        if (start <= first->size && bytes <= first->size - start) {
            first->used = start + bytes;
            return first->bytes + start;
        }
    }

    size_t size = arena->chunk_size ? arena->chunk_size : CHUNK_FIRST;
    bool large = bytes > size / 4; /* a new chunk would leave too much of the old one unused */
    struct cau_arena_chunk *chunk = chunk_new(large ? bytes : size);
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
    return alloc_aligned(arena, bytes, ARENA_ALIGN);
}

char *cau_arena_copy(cau_arena *arena, const char *bytes, size_t length)
{
    size_t room;
    if (!cau_size_add(length, 1, &room)) return NULL;
    char *copy = alloc_aligned(arena, room, 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}
