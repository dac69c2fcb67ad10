/* memory.h - checked sizes, growing arrays, and arenas for what dies together.
 *
 * All memory of the library comes from malloc, calloc, realloc and aligned_alloc, through
 * these functions only; the tests replace those four to fail the n-th call in turn. */

#ifndef CAU_BASE_MEMORY_H
#define CAU_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* a * b and a + b; false when the result does not fit. */
static inline bool cau_size_mul(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool cau_size_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* count items of `size` bytes, NULL when the product overflows or memory is short. Zero
 * items give a pointer that may be freed. Release all of them with free(). */
void *cau_alloc(size_t count, size_t size);  /* not cleared */
void *cau_calloc(size_t count, size_t size); /* zero */
void *cau_vector(size_t count, size_t size); /* zero, aligned to 64 bytes, padded to 64 */

/* A vector that is cleared by so many threads: what is large takes its time, since all of its pages
 * come from the system then. */
void *cau_vector_by(unsigned threads, size_t count, size_t size);

/* Makes room for at least `need` items in *array, which holds *capacity of them: doubles as
 * needed, keeps the contents. False when it cannot, with everything as it was. */
bool cau_grow(void **array, size_t *capacity, size_t need, size_t size);
#define CAU_GROW(array, capacity, need)                                                            \
    cau_make_room((void **)&(array), &(capacity), (need), sizeof *(array))

/* The same, and where there is room nothing is called. */
static inline bool cau_make_room(void **array, size_t *capacity, size_t need, size_t size)
{
    return need <= *capacity || cau_grow(array, capacity, need, size);
}

/* An arena: allocations that are freed all at once. Embed it zeroed or cau_arena_init it. */
typedef struct cau_arena {
    struct cau_chunk *chunks;
    size_t chunk_size; /* of the next chunk */
} cau_arena;

void cau_arena_init(cau_arena *arena);
void cau_arena_clear(cau_arena *arena); /* frees everything */
void *cau_arena_alloc(cau_arena *arena, size_t count,
                      size_t size); /* aligned to 16; NULL on failure */
char *cau_arena_copy(cau_arena *arena, const char *bytes, size_t length); /* NUL-terminated */

#endif
