/* vector_test.c - checks operations on long vectors against plain loops, with the same bits at any
 * thread count. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "math/vector.h"
#include "support/support.h"

static const size_t lengths[] = {0, 1, 511, CAU_VECTOR_BLOCK, 3 * CAU_VECTOR_BLOCK + 5, 200001};
static const unsigned thread_counts[] = {1, 2, 3, 8};
enum { LENGTHS = sizeof lengths / sizeof *lengths, VECTORS = 5 };

static void make(cau_rng *rng, size_t n, double *v[VECTORS])
{
    for (size_t k = 0; k < VECTORS; k++) {
        v[k] = cau_alloc(n, sizeof *v[k]);
        assert_non_null(v[k]);
        for (size_t i = 0; i < n; i++) v[k][i] = cau_rng_real(rng) - 0.5;
    }
}

static double plain_dot(size_t n, const double *a, const double *b)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (long double)a[i] * b[i];
    return (double)sum;
}

static void sums_are_right_at_any_thread_count(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t l = 0; l < LENGTHS; l++) {
        const size_t n = lengths[l];
        double *v[VECTORS];
        make(&rng, n, v);
        const double *const *all = (const double *const *)v;
        double first[2 * VECTORS], first_norm = 0;
        for (size_t t = 0; t < 4; t++) {
            double out[2 * VECTORS];
            cau_vector_products(thread_counts[t], n, 2, all, VECTORS, all, out);
            const double norm = cau_vector_norm(thread_counts[t], n, v[3]);
            if (t == 0) {
                memcpy(first, out, sizeof out);
                first_norm = norm;
                for (size_t i = 0; i < 2; i++)
                    for (size_t k = 0; k < VECTORS; k++)
                        assert_near(out[i * VECTORS + k], plain_dot(n, v[i], v[k]), 1e-10);
                assert_near(norm, sqrt(plain_dot(n, v[3], v[3])), 1e-11);
                assert_true(cau_vector_dot(1, n, v[0], v[4]) == out[4]);
            }
            assert_memory_equal(out, first, sizeof out);
            assert_true(norm == first_norm);
        }
        for (size_t k = 0; k < VECTORS; k++) free(v[k]);
    }
}

static void elements_are_right_at_any_thread_count(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 2);
    for (size_t l = 0; l < LENGTHS; l++)
        for (size_t t = 0; t < 4; t++) {
            const size_t n = lengths[l];
            const unsigned threads = thread_counts[t];
            double *v[VECTORS];
            make(&rng, n, v);
            double *y = v[4];
            cau_vector_copy(threads, n, v[0], y);
            if (n) assert_memory_equal(y, v[0], n * sizeof *y);
            cau_vector_combine(threads, n, 2, (const double[]){1, -0.25},
                               (const double *const[]){v[1], v[2]}, y);
            for (size_t i = 0; i < n; i++) assert_true(y[i] == v[1][i] - 0.25 * v[2][i]);

            /* the result may be an operand */
            const double c[3] = {2, -1, 0.5};
            cau_vector_combine(threads, n, 3, c, (const double *const[]){v[0], v[1], y}, y);
            for (size_t i = 0; i < n; i++) {
                const double old = v[1][i] - 0.25 * v[2][i];
                assert_near(y[i], 2 * v[0][i] - v[1][i] + 0.5 * old, 1e-15);
            }
            for (size_t k = 0; k < VECTORS; k++) free(v[k]);
        }
}

/* Visits each number once, in blocks that do not depend on the thread count. Sums start at 0. */
static void count_block(void *self, size_t begin, size_t end, double *sums)
{
    unsigned char *seen = self;
    assert_true(begin % CAU_VECTOR_BLOCK == 0 && end - begin <= CAU_VECTOR_BLOCK && begin < end);
    for (size_t i = begin; i < end; i++) seen[i]++;
    for (size_t k = 0; k < CAU_VECTOR_PRODUCTS; k++) sums[k] += (double)(end - begin) + (double)k;
}

static void sums_visit_every_block_once(void **state)
{
    (void)state;
    const size_t n = 40 * CAU_VECTOR_BLOCK + 1; /* more than one round of blocks */
    unsigned char *seen = cau_calloc(n, 1);
    double out[CAU_VECTOR_PRODUCTS];
    assert_non_null(seen);
    cau_vector_sums(2, n, CAU_VECTOR_PRODUCTS, count_block, seen, out);
    for (size_t i = 0; i < n; i++) assert_int_equal(seen[i], 1);
    for (size_t k = 0; k < CAU_VECTOR_PRODUCTS; k++)
        assert_true(out[k] == (double)n + 41 * (double)k);
    free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right_at_any_thread_count),
        cmocka_unit_test(elements_are_right_at_any_thread_count),
        cmocka_unit_test(sums_visit_every_block_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
