/* clock.h - seconds of a monotonic clock. */

#ifndef CAU_BASE_CLOCK_H
#define CAU_BASE_CLOCK_H

#include <time.h>

static inline double cau_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
