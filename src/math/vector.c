/* vector.c - long vectors in blocks of fixed size.
 *
 * Every sum is the sum of its blocks, added in block order by one thread: which thread did a
 * block, and how many there were, cannot show in the result. The sums of the blocks wait in a
 * small array on the stack; when the vectors have more blocks than it holds, they are done one
 * stretch after the other. So nothing here allocates, and nothing can fail.
 *
 * Within a block, several vectors are taken PIECE numbers at a time, so that a piece is read
 * from memory once and then used from the first cache as often as it is needed. */

#include "math/vector.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/thread.h"
#include "math/kernels.h"

enum {
    PIECE = 512,     /* numbers of one vector that are worked on together */
    PARTIALS = 2048, /* sums of blocks that wait at a time; at least CAU_VECTOR_PRODUCTS */
};

/* One job for all blocks of one stretch: the fields that its function needs are set. */
typedef struct {
    const cau_kernels *kernels;
    size_t n;
    size_t first; /* block with which the stretch starts */
    size_t p, m;
    const double *const *a; /* [p] vectors */
    const double *const *v; /* [m] vectors */
    const double *c;        /* [m] coefficients */
    double *y;
    double *partial; /* [blocks of the stretch][p][m] */
} job;

static size_t blocks_of(size_t n)
{
    return n / CAU_VECTOR_BLOCK + (n % CAU_VECTOR_BLOCK != 0);
}

/* The numbers at begin..*end-1 are the block. */
static size_t block_range(const job *j, size_t block, size_t *end)
{
    const size_t begin = (j->first + block) * CAU_VECTOR_BLOCK;
    *end = j->n - begin < CAU_VECTOR_BLOCK ? j->n : begin + CAU_VECTOR_BLOCK;
    return begin;
}

static caucus_status products_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const job *j = self;
    double *sum = j->partial + block * j->p * j->m;
    memset(sum, 0, j->p * j->m * sizeof *sum);

    size_t end;
    for (size_t at = block_range(j, block, &end); at < end; at += PIECE) {
        const size_t count = end - at < PIECE ? end - at : PIECE;
        for (size_t k = 0; k < j->m; k++)
            for (size_t i = 0; i < j->p; i++)
                sum[i * j->m + k] += j->kernels->dot(count, j->a[i] + at, j->v[k] + at);
    }
    return CAUCUS_OK;
}

void cau_vector_products(unsigned threads, size_t n, size_t p, const double *const *a, size_t m,
                         const double *const *v, double *out)
{
    const size_t products = p * m;
    assert(products <= CAU_VECTOR_PRODUCTS);
    memset(out, 0, products * sizeof *out);
    if (products == 0) return;

    double partial[PARTIALS];
    job j = {
        .kernels = cau_kernels_get(), .n = n, .p = p, .m = m, .a = a, .v = v, .partial = partial};
    const size_t blocks = blocks_of(n), stretch = PARTIALS / products;
    for (; j.first < blocks; j.first += stretch) {
        const size_t count = blocks - j.first < stretch ? blocks - j.first : stretch;
        cau_parallel(threads, count, products_block, &j);
        for (size_t b = 0; b < count; b++)
            for (size_t i = 0; i < products; i++) out[i] += partial[b * products + i];
    }
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

static caucus_status combine_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const job *j = self;
    size_t end;
    for (size_t at = block_range(j, block, &end); at < end; at += PIECE) {
        const size_t count = end - at < PIECE ? end - at : PIECE;
        const double *from[CAU_VECTOR_PRODUCTS];
        for (size_t k = 0; k < j->m; k++) from[k] = j->v[k] + at;
        j->kernels->combine(count, j->m, j->c, from, j->y + at);
    }
    return CAUCUS_OK;
}

void cau_vector_combine(unsigned threads, size_t n, size_t m, const double *c,
                        const double *const *v, double *y)
{
    assert(m <= CAU_VECTOR_PRODUCTS);
    job j = {.kernels = cau_kernels_get(), .n = n, .m = m, .c = c, .v = v, .y = y};
    cau_parallel(threads, blocks_of(n), combine_block, &j);
}

void cau_vector_step(unsigned threads, size_t n, const double *x, double a, const double *d,
                     double *y)
{
    cau_vector_combine(threads, n, 2, (const double[]){1, a}, (const double *const[]){x, d}, y);
}

static caucus_status copy_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const job *j = self;
    size_t end;
    const size_t at = block_range(j, block, &end);
    memcpy(j->y + at, j->v[0] + at, (end - at) * sizeof *j->y);
    return CAUCUS_OK;
}

void cau_vector_copy(unsigned threads, size_t n, const double *from, double *to)
{
    job j = {.n = n, .v = &from, .y = to};
    cau_parallel(threads, blocks_of(n), copy_block, &j);
}
