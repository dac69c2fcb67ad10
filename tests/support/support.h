/* support.h - what the unit tests share: cmocka, near-equality, temporary files, and memory
 * that fails on demand. */

#ifndef CAU_SUPPORT_SUPPORT_H
#define CAU_SUPPORT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "caucus.h"

/* |a - b| <= tolerance, with both printed when not. */
#define assert_near(a, b, tolerance) assert_near_at((a), (b), (tolerance), __FILE__, __LINE__)
void assert_near_at(double a, double b, double tolerance, const char *file, int line);

#define assert_ok(ctx, call) assert_ok_at((ctx), (call), __FILE__, __LINE__)
void assert_ok_at(const caucus_ctx *ctx, caucus_status st, const char *file, int line);

/* The status is `want` and the message contains `part`. */
void assert_fails(const caucus_ctx *ctx, caucus_status st, caucus_status want, const char *part);

/* A new context that fails the test when it cannot be made. */
caucus_ctx *test_ctx(void);

/* A file in a temporary directory with these bytes; the path lives until the process ends,
 * when the directory is removed. */
const char *test_file(const char *name, const void *bytes, size_t length);
const char *test_text(const char *name, const char *text);
const char *test_path(const char *name); /* a path in that directory; no file is made */

/* Memory. The linker sends malloc, calloc, realloc and aligned_alloc of our code here. */
void test_memory_fail_at(size_t n); /* the n-th allocation from now fails, 1 is the next; 0: none */
bool test_memory_failed(void);      /* whether it came to that */

/* Runs `work` again and again, failing the 1st, 2nd, 3rd ... allocation, until it succeeds
 * untouched. Each time it must return CAUCUS_ERR_MEMORY (and free what it had: the address
 * sanitizer watches) or, once, CAUCUS_OK. Allocations inside other libraries are not ours
 * to fail. Returns how many allocations there were. */
size_t test_every_allocation(caucus_status (*work)(void *self), void *self);

#endif
