/* support.h - for all unit tests: cmocka, near-equality, temporary files, failing allocations. */

#ifndef CAU_SUPPORT_SUPPORT_H
#define CAU_SUPPORT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "caucus.h"

/* |a - b| <= tolerance; prints both if not. */
#define assert_near(a, b, tolerance) assert_near_at((a), (b), (tolerance), __FILE__, __LINE__)
void assert_near_at(double a, double b, double tolerance, const char *file, int line);

#define assert_ok(ctx, call) assert_ok_at((ctx), (call), __FILE__, __LINE__)
void assert_ok_at(const caucus_ctx *ctx, caucus_status st, const char *file, int line);

/* The status is `want` and the message contains `part`. */
void assert_fails(const caucus_ctx *ctx, caucus_status st, caucus_status want, const char *part);

/* A new context that fails the test when it cannot be made. */
caucus_ctx *test_ctx(void);

/* A file with these bytes in a temporary directory, which is removed when the process ends. The
 * path lives as long. */
const char *test_file(const char *name, const void *bytes, size_t length);
const char *test_text(const char *name, const char *text);
const char *test_path(const char *name); /* a path there, without a file */

bool test_exists(const char *path); /* whether the file can be read */

/* Two models have the same bytes. */
#define assert_same_model(a, b)                                                                    \
    do {                                                                                           \
        assert_int_equal((a)->bytes, (b)->bytes);                                                  \
        assert_memory_equal((a)->image, (b)->image, (a)->bytes);                                   \
    } while (0)

/* Memory. The linker sends malloc, calloc, realloc and aligned_alloc of our code here. */
void test_memory_fail_at(size_t n); /* the n-th allocation from now fails; 0: no allocation fails */
bool test_memory_failed(void);      /* whether an allocation has failed since */

/* Calls `work` repeatedly and fails its 1st, 2nd, 3rd ... allocation, until no allocation fails.
 * Each call must return CAUCUS_ERR_MEMORY, the last CAUCUS_OK; the address sanitizer finds memory
 * that is not freed. Allocations inside other libraries never fail. Returns the number of
 * allocations. */
size_t test_every_allocation(caucus_status (*work)(void *self), void *self);

#endif
