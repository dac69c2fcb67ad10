/* thread.c - blocks of a job on OpenMP threads.
 *
 * Blocks are handed out one at a time, so that uneven ones balance. Inside a parallel region
 * a job runs inline: the threads are busy already.
 *
 * GCC's OpenMP runtime synchronises in ways that the thread sanitizer cannot see. When it
 * watches, the start and the end of a job are announced to it by hand, and this file is left
 * out; what the blocks of a job access is checked as usual. (Clang's runtime, libomp, needs
 * TSAN_OPTIONS=ignore_noninstrumented_modules=1 besides.) */

#include "base/thread.h"

#include <omp.h>

#include "base/status.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define HANDS_OVER(place) __tsan_release(place)
#define TAKES_OVER(place) __tsan_acquire(place)
#define UNWATCHED __attribute__((no_sanitize("thread"), noinline))
#else
#define HANDS_OVER(place) ((void)(place))
#define TAKES_OVER(place) ((void)(place))
#define UNWATCHED
#endif

enum { THREADS_MAX = 4096 };

unsigned cau_threads(const caucus_ctx *ctx)
{
    unsigned threads = ctx->threads;
    if (threads == 0) {
        /* The processors of our affinity mask, or OMP_NUM_THREADS where that is set. */
        int machine = omp_get_max_threads();
        threads = machine > 0 ? (unsigned)machine : 1;
    }
    return threads < THREADS_MAX ? threads : THREADS_MAX;
}

/* The lowest failing block of some blocks; none is {SIZE_MAX, CAUCUS_OK}. */
typedef struct {
    size_t block;
    caucus_status status;
} failure;

UNWATCHED static void keep_lowest(failure *lowest, size_t block, caucus_status st)
{
    if (st && block < lowest->block) *lowest = (failure){block, st};
}

UNWATCHED caucus_status cau_parallel(unsigned threads, size_t blocks, cau_block_fn *fn, void *self)
{
    failure lowest = {SIZE_MAX, CAUCUS_OK};
    if (threads > blocks) threads = (unsigned)blocks;
    if (threads <= 1 || omp_in_parallel()) {
        for (size_t b = 0; b < blocks; b++) keep_lowest(&lowest, b, fn(self, b, 0));
        return lowest.status;
    }

    char start, end;
    HANDS_OVER(&start);
#pragma omp parallel num_threads(threads)
    {
        failure mine = {SIZE_MAX, CAUCUS_OK};
        unsigned worker = (unsigned)omp_get_thread_num();
        TAKES_OVER(&start);
#pragma omp for schedule(dynamic, 1) nowait
        for (size_t b = 0; b < blocks; b++) keep_lowest(&mine, b, fn(self, b, worker));
#pragma omp critical(cau_parallel)
        keep_lowest(&lowest, mine.block, mine.status);
        HANDS_OVER(&end);
    }
    TAKES_OVER(&end);
    return lowest.status;
}
