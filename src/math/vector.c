/* vector.c - long vectors in blocks of fixed size.
 *
 * One thread adds the sums of the blocks in block order, so the result does not depend on the
 * number of threads. The sums of the blocks are kept in a small array on the stack. Vectors with
 * more blocks than the array holds are processed range by range. So nothing here allocates, and
 * nothing can fail.
 *
 * Within a block, several vectors are processed PIECE numbers at a time: each piece is read from
 * memory once and then stays in cache. */

#include "math/vector.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/thread.h"
#include "math/kernels.h"

enum {
    PIECE = 2048,    /* numbers of one vector that are processed together */
    PARTIALS = 2048, /* sums of the blocks of a range; at least CAU_VECTOR_PRODUCTS */
};

/* A range of blocks. */
typedef struct {
    size_t n, first; /* length of the vectors, first block of the range */
    size_t count;
    cau_vector_fn *fn;
    void *self;
    double *partial; /* [blocks of the range][count] */
} block_range;

static caucus_status run_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const block_range *s = self;
    const size_t begin = (s->first + block) * CAU_VECTOR_BLOCK;
    const size_t end = s->n - begin < CAU_VECTOR_BLOCK ? s->n : begin + CAU_VECTOR_BLOCK;
    s->fn(s->self, begin, end, s->partial + block * s->count);
    return CAUCUS_OK;
}

void cau_vector_sums(unsigned threads, size_t n, size_t count, cau_vector_fn *fn, void *self,
                     double *out)
{
    assert(count <= CAU_VECTOR_PRODUCTS);
    double partial[PARTIALS];
    block_range s = {.n = n, .count = count, .fn = fn, .self = self, .partial = partial};
    const size_t blocks = n / CAU_VECTOR_BLOCK + (n % CAU_VECTOR_BLOCK != 0);
    const size_t most = count ? PARTIALS / count : blocks;

    for (size_t i = 0; i < count; i++) out[i] = 0;
    for (; s.first < blocks; s.first += most) {
        const size_t now = blocks - s.first < most ? blocks - s.first : most;
        memset(partial, 0, now * count * sizeof *partial);
        cau_parallel(threads, now, run_block, &s);
        for (size_t b = 0; b < now; b++)
            for (size_t i = 0; i < count; i++) out[i] += partial[b * count + i];
    }
}

/* ---- products and sums of vectors ------------------------------------------------------ */

typedef struct {
    const cau_kernels *kernels;
    size_t p, m;
    const double *const *a; /* [p] */
    const double *const *v; /* [m] */
    const double *c;        /* [m] */
    double *y;
} vector_job;

static void products(void *self, size_t begin, size_t end, double *sums)
{
    const vector_job *j = self;
    for (size_t at = begin; at < end; at += PIECE) {
        const size_t count = end - at < PIECE ? end - at : PIECE;
        for (size_t k = 0; k < j->m; k++)
            for (size_t i = 0; i < j->p; i++)
                sums[i * j->m + k] += j->kernels->dot(count, j->a[i] + at, j->v[k] + at);
    }
}

void cau_vector_products(unsigned threads, size_t n, size_t p, const double *const *a, size_t m,
                         const double *const *v, double *out)
{
    vector_job j = {.kernels = cau_kernels_get(), .p = p, .m = m, .a = a, .v = v};
    cau_vector_sums(threads, n, p * m, products, &j, out);
}

double cau_vector_dot(unsigned threads, size_t n, const double *a, const double *b)
{
    double sum;
    cau_vector_products(threads, n, 1, &a, 1, &b, &sum);
    return sum;
}

double cau_vector_norm(unsigned threads, size_t n, const double *a)
{
    return sqrt(cau_vector_dot(threads, n, a, a));
}

static void combine(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const vector_job *j = self;
    const double *from[CAU_VECTOR_PRODUCTS];
    for (size_t k = 0; k < j->m; k++) from[k] = j->v[k] + begin;
    j->kernels->combine(end - begin, j->m, j->c, from, j->y + begin);
}

void cau_vector_combine(unsigned threads, size_t n, size_t m, const double *c,
                        const double *const *v, double *y)
{
    assert(m <= CAU_VECTOR_PRODUCTS);
    vector_job j = {.kernels = cau_kernels_get(), .m = m, .c = c, .v = v, .y = y};
    cau_vector_sums(threads, n, 0, combine, &j, NULL);
}

static void copy(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const vector_job *j = self;
    memcpy(j->y + begin, j->v[0] + begin, (end - begin) * sizeof *j->y);
}

void cau_vector_copy(unsigned threads, size_t n, const double *from, double *to)
{
    vector_job j = {.v = &from, .y = to};
    cau_vector_sums(threads, n, 0, copy, &j, NULL);
}
