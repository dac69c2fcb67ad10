/* dispatch.c - chooses the kernels for this machine.
 *
 * The choice is made once and kept in an atomic pointer. Threads that race on the first call all
 * make the same choice, so no lock is needed. */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "math/kernels.h"

extern const cau_kernels cau_kernels_baseline, cau_kernels_avx2, cau_kernels_avx512;

const cau_kernels *cau_kernels_named(const char *isa)
{
    if (strcmp(isa, "baseline") == 0) return &cau_kernels_baseline;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (strcmp(isa, "avx2") == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &cau_kernels_avx2;
    if (strcmp(isa, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma"))
        return &cau_kernels_avx512;
#endif
    return NULL;
}

/* The set named in the environment if the machine supports it, otherwise the best set. */
static const cau_kernels *choose_kernels(void)
{
    const char *wish = getenv("CAUCUS_ISA");
    const cau_kernels *found = wish ? cau_kernels_named(wish) : NULL;
    if (!found) found = cau_kernels_named("avx512");
    if (!found) found = cau_kernels_named("avx2");
    return found ? found : cau_kernels_named("baseline");
}

const cau_kernels *cau_kernels_get(void)
{
    static _Atomic(const cau_kernels *) chosen;
    const cau_kernels *kernels = atomic_load_explicit(&chosen, memory_order_acquire);
    if (!kernels) {
        kernels = choose_kernels();
        atomic_store_explicit(&chosen, kernels, memory_order_release);
    }
    return kernels;
}
