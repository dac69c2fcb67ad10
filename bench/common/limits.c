/* limits.c - the limits of this machine: memory bandwidth, and multiply-adds in registers.
 *
 *     limits THREADS
 *
 * prints one line, the bandwidth in GB/s and the arithmetic in GFLOP/s in double and in float, with
 * THREADS threads at once. The bandwidth is that of the triad a[i] = b[i] + 3 c[i] on arrays larger
 * than any cache: 24 bytes for each i. The arithmetic is independent sums in registers, enough of
 * them to hide the latency. Each number is the best of several rounds. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined __AVX512F__
#define BYTES 64
#elif defined __AVX__
#define BYTES 32
#else
#define BYTES 16
#endif

enum {
    THREADS_MAX = 64,
    ROUNDS = 7,
    CELLS = 1 << 24, /* of each array, for all threads together: 128 MB */
    SUMS = 12,       /* independent */
    STEPS = 20 * 1000 * 1000,
};

typedef double doubles __attribute__((vector_size(BYTES)));
typedef float floats __attribute__((vector_size(BYTES)));

typedef struct {
    size_t begin, end;
    pthread_barrier_t *gate;
    double result; /* so that the compiler cannot remove the work */
} limits_work;

static double *a, *b, *c;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *fill(void *self)
{
    limits_work *p = self;
    for (size_t i = p->begin; i < p->end; i++) a[i] = 0, b[i] = 1, c[i] = 2;
    return NULL;
}

static void *triad(void *self)
{
    limits_work *p = self;
    pthread_barrier_wait(p->gate);
    for (size_t i = p->begin; i < p->end; i++) a[i] = b[i] + 3 * c[i];
    pthread_barrier_wait(p->gate);
    p->result = a[p->begin];
    return NULL;
}

/* sum[k] = sum[k] * x + y, in registers. */
#define FMA(name, type, scalar)                                                                    \
    static void *name(void *self)                                                                  \
    {                                                                                              \
        limits_work *p = self;                                                                     \
        type sum[SUMS], x = (type){0} + (scalar).999, y = (type){0} + (scalar).001;                \
        for (int k = 0; k < SUMS; k++) sum[k] = (type){0} + (scalar)(k + 2);                       \
        pthread_barrier_wait(p->gate);                                                             \
        for (long i = 0; i < STEPS; i++)                                                           \
            for (int k = 0; k < SUMS; k++) sum[k] = sum[k] * x + y;                                \
        pthread_barrier_wait(p->gate);                                                             \
        for (int k = 0; k < SUMS; k++) p->result += sum[k][0];                                     \
        return NULL;                                                                               \
    }
FMA(fma_double, doubles, double)
FMA(fma_float, floats, float)

/* Seconds of the work, done by all threads at once; the least of several rounds. */
static double least_seconds(void *(*work)(void *), size_t threads, double *kept)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t id[THREADS_MAX];
        limits_work parts[THREADS_MAX];
        pthread_barrier_t gate;
        pthread_barrier_init(&gate, NULL, (unsigned)threads + 1);
        for (size_t i = 0; i < threads; i++) {
            parts[i] = (limits_work){CELLS * i / threads, CELLS * (i + 1) / threads, &gate, 0};
            if (pthread_create(&id[i], NULL, work, &parts[i]) != 0) exit(1);
        }
        pthread_barrier_wait(&gate);
        double begin = now();
        pthread_barrier_wait(&gate);
        double took = now() - begin;
        for (size_t i = 0; i < threads; i++) pthread_join(id[i], NULL), *kept += parts[i].result;
        pthread_barrier_destroy(&gate);
        if (took < best) best = took;
    }
    return best;
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    if (threads < 1 || threads > THREADS_MAX) return fprintf(stderr, "usage: limits THREADS\n"), 2;
    a = malloc(CELLS * sizeof *a), b = malloc(CELLS * sizeof *b), c = malloc(CELLS * sizeof *c);
    if (!a || !b || !c) return fprintf(stderr, "limits: out of memory\n"), 1;

    /* Each thread touches its part first, so that it lies in its memory. */
    pthread_t id[THREADS_MAX];
    limits_work parts[THREADS_MAX];
    for (long i = 0; i < threads; i++) {
        parts[i] = (limits_work){(size_t)(CELLS * i / threads), (size_t)(CELLS * (i + 1) / threads),
                                 NULL, 0};
        if (pthread_create(&id[i], NULL, fill, &parts[i]) != 0) return 1;
    }
    for (long i = 0; i < threads; i++) pthread_join(id[i], NULL);

    double kept = 0, flops = 2.0 * SUMS * STEPS * (double)threads;
    double bytes = 24.0 * CELLS / least_seconds(triad, (size_t)threads, &kept);
    double in_double =
        flops * BYTES / sizeof(double) / least_seconds(fma_double, (size_t)threads, &kept);
    double in_float =
        flops * BYTES / sizeof(float) / least_seconds(fma_float, (size_t)threads, &kept);
    printf("%.2f %.2f %.2f\n", bytes / 1e9, in_double / 1e9, in_float / 1e9);
    return kept == 0; /* never true */
}
