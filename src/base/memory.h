/* memory.h - checked sizes, growing arrays, and arenas for objects with one lifetime.
 *
 * The library allocates only through these functions, which call malloc, calloc, realloc and
 * aligned_alloc. The tests replace those four to fail the n-th call in turn. */

#ifndef CAU_BASE_MEMORY_H
#define CAU_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* a * b and a + b; false on overflow. */
static inline bool cau_size_mul(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool cau_size_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* Allocate count items of `size` bytes; NULL when the product overflows or memory is short. Zero
 * items give a pointer that may be freed. Release the memory with free(). */
void *cau_alloc(size_t count, size_t size);  /* uninitialised */
void *cau_calloc(size_t count, size_t size); /* zeroed */
void *cau_vector(size_t count, size_t size); /* zeroed, aligned to 64 bytes, padded to 64 */

/* A vector that is zeroed on `threads` threads; page faults dominate for large ones. */
void *cau_vector_by(unsigned threads, size_t count, size_t size);

/* As cau_alloc, for memory that is soon written as a whole: a large block is on large pages, where
 * the system has them. That saves most of the page faults, which take longer than the writing.
 * cau_use_large_pages asks for the same for a block that exists. */
void *cau_alloc_large(size_t count, size_t size);
void cau_use_large_pages(void *memory, size_t bytes);

/* Makes room for at least `need` items in *array, whose capacity is *capacity. Keeps the contents
 * and at least doubles the capacity. On failure returns false and changes nothing. */
bool cau_grow(void **array, size_t *capacity, size_t need, size_t size);
#define CAU_GROW(array, capacity, need)                                                            \
    cau_make_room((void **)&(array), &(capacity), (need), sizeof *(array))

/* The same, without a call when there is room already. */
static inline bool cau_make_room(void **array, size_t *capacity, size_t need, size_t size)
{
    return need <= *capacity || cau_grow(array, capacity, need, size);
}

/* An arena: allocations that are freed all at once. Embed it zeroed or cau_arena_init it. */
typedef struct cau_arena {
    struct cau_arena_chunk *chunks;
    size_t chunk_size; /* of the next chunk */
} cau_arena;

void cau_arena_init(cau_arena *arena);
void cau_arena_clear(cau_arena *arena); /* frees everything */
void *cau_arena_alloc(cau_arena *arena, size_t count,
                      size_t size); /* aligned to 16; NULL on failure */
char *cau_arena_copy(cau_arena *arena, const char *bytes, size_t length); /* NUL-terminated */

#endif
