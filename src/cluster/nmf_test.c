/* nmf_test.c - factorisation against multiplicative updates and exact factors, projection against
 * coordinate descent. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/nmf.h"
#include "support/support.h"

enum { ROWS = 40, COLUMNS = 24, RANK = 5 };

static const cau_nmf_options usual = {
    .rank = RANK, .tolerance = 1e-4, .iterations = 500, .starts = 4, .seed = 7, .threads = 1};

/* The cells of a matrix as a sparse one; with `all`, those that are 0 as well. */
static cau_csr sparse(size_t n, size_t m, const double *x, bool all)
{
    cau_csr out = {.rows = n, .columns = m};
    out.start = calloc(n + 1, sizeof *out.start);
    out.column = calloc(n * m, sizeof *out.column);
    out.value = calloc(n * m, sizeof *out.value);
    assert_true(out.start && out.column && out.value);
    size_t e = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            if (!all && x[i * m + j] == 0) continue;
            out.column[e] = (uint32_t)j;
            out.value[e++] = (float)x[i * m + j];
        }
        out.start[i + 1] = e;
    }
    return out;
}

/* Small counts, two thirds of them 0. */
static void fill_counts(double *x, size_t cells, uint64_t seed)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t c = 0; c < cells; c++) {
        const uint64_t kind = cau_rng_below(&rng, 3), count = cau_rng_below(&rng, 20);
        x[c] = kind ? 0 : (double)count;
    }
}

/* 1/2 |X - W H|^2, cell by cell. */
static double error_of(size_t n, size_t m, size_t k, const double *x, const double *w,
                       const double *h)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double rest = x[i * m + j];
            for (size_t r = 0; r < k; r++) rest -= w[i * k + r] * h[r * m + j];
            sum += rest * rest;
        }
    return sum / 2;
}

/* Lee and Seung's updates: H <- H (W'X) / (W'W H), W <- W (X H') / (W H H'). */
static double multiplicative(size_t n, size_t m, size_t k, const double *x, uint64_t seed,
                             int rounds)
{
    double *w = calloc(n * k, sizeof *w), *h = calloc(k * m, sizeof *h);
    double *wh = calloc(n * m, sizeof *wh);
    cau_rng rng;
    assert_true(w && h && wh);
    cau_rng_init(&rng, seed);
    for (size_t c = 0; c < n * k; c++) w[c] = cau_rng_real(&rng) + 0.01;
    for (size_t c = 0; c < k * m; c++) h[c] = cau_rng_real(&rng) + 0.01;
    for (int round = 0; round < 2 * rounds; round++) {
        memset(wh, 0, n * m * sizeof *wh);
        for (size_t i = 0; i < n; i++)
            for (size_t r = 0; r < k; r++)
                for (size_t j = 0; j < m; j++) wh[i * m + j] += w[i * k + r] * h[r * m + j];
        if (round % 2 == 0)
            for (size_t r = 0; r < k; r++)
                for (size_t j = 0; j < m; j++) {
                    double above = 0, below = 1e-300;
                    for (size_t i = 0; i < n; i++) {
                        above += w[i * k + r] * x[i * m + j];
                        below += w[i * k + r] * wh[i * m + j];
                    }
                    h[r * m + j] *= above / below;
                }
        else
            for (size_t i = 0; i < n; i++)
                for (size_t r = 0; r < k; r++) {
                    double above = 0, below = 1e-300;
                    for (size_t j = 0; j < m; j++) {
                        above += h[r * m + j] * x[i * m + j];
                        below += h[r * m + j] * wh[i * m + j];
                    }
                    w[i * k + r] *= above / below;
                }
    }
    const double error = error_of(n, m, k, x, w, h);
    free(w);
    free(h);
    free(wh);
    return error;
}

/* Every result has no negative cells, rows of H that sum to 1, and the stated error. */
static void check_factors(const cau_nmf *nmf, const double *x)
{
    const size_t n = nmf->N, m = nmf->V, k = nmf->rank;
    double norm = 0;
    for (size_t c = 0; c < n * m; c++) norm += x[c] * x[c];
    for (size_t c = 0; c < n * k; c++) assert_true(nmf->w[c] >= 0);
    for (size_t r = 0; r < k; r++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++) {
            assert_true(nmf->h[r * m + j] >= 0);
            sum += nmf->h[r * m + j];
        }
        assert_near(sum, 1, 1e-12);
    }
    assert_near(nmf->error, error_of(n, m, k, x, nmf->w, nmf->h), 1e-12 * norm);
}

static void test_exact_factors(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double w[ROWS * 3], h[3 * COLUMNS], x[ROWS * COLUMNS] = {0}, norm = 0;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t c = 0; c < ROWS * 3; c++) w[c] = (double)cau_rng_below(&rng, 4);
    for (size_t c = 0; c < 3 * COLUMNS; c++) h[c] = (double)cau_rng_below(&rng, 4);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            for (size_t r = 0; r < 3; r++) x[i * COLUMNS + j] += w[i * 3 + r] * h[r * COLUMNS + j];
            norm += x[i * COLUMNS + j] * x[i * COLUMNS + j];
        }
    cau_csr v = sparse(ROWS, COLUMNS, x, false);
    cau_nmf_options options = usual;
    options.rank = 3;
    options.tolerance = 1e-7;
    options.iterations = 5000;
    cau_nmf nmf = {0};
    assert_ok(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &nmf));
    assert_true(nmf.converged);
    assert_true(nmf.error < 1e-9 * norm);
    check_factors(&nmf, x);
    cau_nmf_clear(&nmf);
    cau_csr_clear(&v);
    caucus_ctx_free(ctx);
}

/* The best of twelve starts is at most 1% worse than the best of four long runs of another kind. */
static void test_other_solver(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double x[ROWS * COLUMNS], best = INFINITY;
        fill_counts(x, ROWS * COLUMNS, seed);
        for (uint64_t start = 0; start < 4; start++)
            best = fmin(best, multiplicative(ROWS, COLUMNS, RANK, x, 100 * seed + start, 1000));
        cau_csr v = sparse(ROWS, COLUMNS, x, false);
        cau_nmf_options options = usual;
        options.starts = 12;
        cau_nmf nmf = {0};
        assert_ok(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &nmf));
        assert_true(nmf.converged);
        assert_true(nmf.gradient < options.tolerance);
        assert_true(nmf.error <= 1.01 * best);
        check_factors(&nmf, x);
        cau_nmf_clear(&nmf);
        cau_csr_clear(&v);
    }
    caucus_ctx_free(ctx);
}

/* The errors of each start, in order. */
typedef struct {
    size_t last[4]; /* iteration */
    double error[4], rise;
} history;

static void watch(void *self, size_t start, size_t iteration, double error)
{
    history *all = self;
    assert_true(start < 4);
    assert_int_equal(iteration, all->last[start] + 1);
    if (iteration > 1) all->rise = fmax(all->rise, error - all->error[start]);
    all->last[start] = iteration;
    all->error[start] = error;
}

static void test_error_never_rises(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double x[ROWS * COLUMNS], norm = 0;
        fill_counts(x, ROWS * COLUMNS, seed);
        for (size_t c = 0; c < ROWS * COLUMNS; c++) {
            if (seed == 2) x[c] *= 1e6;
            if (seed == 3) x[c] *= 1e-6;
            norm += x[c] * x[c];
        }
        cau_csr v = sparse(ROWS, COLUMNS, x, false);
        cau_nmf nmf = {0};
        history all = {0};
        assert_ok(ctx, cau_nmf_fit(ctx, &v, &usual, watch, &all, &nmf));
        assert_true(nmf.converged);
        assert_true(all.rise <= 1e-14 * norm);
        double least = INFINITY;
        for (size_t i = 0; i < 4; i++) {
            assert_true(all.last[i] > 2);
            least = fmin(least, all.error[i]);
        }
        assert_true(nmf.error == least);
        cau_nmf_clear(&nmf);
        cau_csr_clear(&v);
    }
    caucus_ctx_free(ctx);
}

static void test_dense_is_sparse(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double x[ROWS * COLUMNS];
    fill_counts(x, ROWS * COLUMNS, 4);
    cau_csr some = sparse(ROWS, COLUMNS, x, false), all = sparse(ROWS, COLUMNS, x, true);
    cau_nmf a = {0}, b = {0};
    assert_ok(ctx, cau_nmf_fit(ctx, &some, &usual, NULL, NULL, &a));
    assert_ok(ctx, cau_nmf_fit(ctx, &all, &usual, NULL, NULL, &b));
    assert_near(a.error, b.error, 1e-6 * a.error);
    for (size_t c = 0; c < ROWS * RANK; c++) assert_near(a.w[c], b.w[c], 1e-3);
    cau_nmf_clear(&b);

    /* A matrix without values has 1 in each cell of its pattern. */
    for (size_t c = 0; c < ROWS * COLUMNS; c++) x[c] = x[c] > 0;
    cau_nmf_clear(&a);
    cau_csr_clear(&some);
    some = sparse(ROWS, COLUMNS, x, false);
    assert_ok(ctx, cau_nmf_fit(ctx, &some, &usual, NULL, NULL, &a));
    free(some.value);
    some.value = NULL;
    assert_ok(ctx, cau_nmf_fit(ctx, &some, &usual, NULL, NULL, &b));
    assert_near(a.error, b.error, 1e-6 * a.error);
    cau_nmf_clear(&a);
    cau_nmf_clear(&b);
    cau_csr_clear(&some);
    cau_csr_clear(&all);
    caucus_ctx_free(ctx);
}

static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double x[ROWS * COLUMNS];
    fill_counts(x, ROWS * COLUMNS, 5);
    cau_csr v = sparse(ROWS, COLUMNS, x, false);
    cau_nmf one = {0};
    assert_ok(ctx, cau_nmf_fit(ctx, &v, &usual, NULL, NULL, &one));
    for (unsigned threads = 2; threads <= 5; threads += 3) {
        cau_nmf_options options = usual;
        options.threads = threads;
        cau_nmf many = {0};
        assert_ok(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &many));
        assert_memory_equal(one.w, many.w, ROWS * RANK * sizeof *one.w);
        assert_memory_equal(one.h, many.h, RANK * COLUMNS * sizeof *one.h);
        assert_true(one.error == many.error && one.iterations == many.iterations);
        cau_nmf_clear(&many);
    }

    /* Another seed is another start; fewer starts are no better. */
    cau_nmf_options options = usual;
    cau_nmf other = {0};
    options.seed = 8;
    options.starts = 1;
    assert_ok(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &other));
    assert_memory_not_equal(one.w, other.w, ROWS * RANK * sizeof *one.w);
    cau_nmf_clear(&other);
    options.seed = usual.seed;
    assert_ok(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &other));
    assert_true(other.error >= one.error);
    cau_nmf_clear(&other);
    cau_nmf_clear(&one);
    cau_csr_clear(&v);
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double x[ROWS * COLUMNS];
    fill_counts(x, ROWS * COLUMNS, 7);
    cau_csr v = sparse(ROWS, COLUMNS, x, false);
    cau_nmf nmf = {0};
    cau_nmf_options options = usual;
    options.rank = COLUMNS + 1;
    assert_fails(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &nmf), CAUCUS_ERR_FORMAT,
                 "rank 25 is above what 40 items with 24 features have; take 24 at most");
    options.rank = 0;
    assert_fails(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &nmf), CAUCUS_ERR_ARGUMENT,
                 "rank");
    options = usual;
    options.tolerance = (double)NAN;
    assert_fails(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &nmf), CAUCUS_ERR_ARGUMENT,
                 "gradient");
    v.value[v.start[2]] = -0.5f;
    assert_fails(ctx, cau_nmf_fit(ctx, &v, &usual, NULL, NULL, &nmf), CAUCUS_ERR_FORMAT,
                 "item 3 has the value -0.5");
    v.value[v.start[2]] = (float)NAN;
    assert_fails(ctx, cau_nmf_fit(ctx, &v, &usual, NULL, NULL, &nmf), CAUCUS_ERR_FORMAT, "item 3");
    assert_null(nmf.w);
    cau_csr_clear(&v);
    caucus_ctx_free(ctx);
}

/* Full rank, one component, and a matrix of zeros. */
static void test_corners(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double x[ROWS * COLUMNS];
    fill_counts(x, ROWS * COLUMNS, 8);
    cau_csr v = sparse(ROWS, COLUMNS, x, false);
    cau_nmf_options options = usual;
    double last = INFINITY;
    for (size_t rank = 1; rank <= COLUMNS; rank += 23) {
        cau_nmf nmf = {0};
        options.rank = rank;
        assert_ok(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &nmf));
        assert_true(nmf.error < last);
        last = nmf.error;
        cau_nmf_clear(&nmf);
    }
    options = usual;
    options.iterations = 0;
    cau_nmf nmf = {0};
    assert_ok(ctx, cau_nmf_fit(ctx, &v, &options, NULL, NULL, &nmf));
    assert_false(nmf.converged);
    assert_int_equal(nmf.iterations, 0);
    check_factors(&nmf, x);
    cau_nmf_clear(&nmf);
    for (size_t i = 0; i <= ROWS; i++) v.start[i] = 0;
    assert_ok(ctx, cau_nmf_fit(ctx, &v, &usual, NULL, NULL, &nmf));
    assert_true(nmf.converged && nmf.error == 0);
    cau_nmf_clear(&nmf);
    cau_csr_clear(&v);
    caucus_ctx_free(ctx);
}

static caucus_status work(void *self)
{
    const cau_csr *v = self;
    caucus_ctx *ctx = NULL;
    cau_nmf nmf = {0};
    cau_nmf_options options = usual;
    options.iterations = 1;
    options.starts = 2;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_nmf_fit(ctx, v, &options, NULL, NULL, &nmf);
    cau_nmf_clear(&nmf);
    caucus_ctx_free(ctx);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    double x[ROWS * COLUMNS];
    fill_counts(x, ROWS * COLUMNS, 9);
    cau_csr v = sparse(ROWS, COLUMNS, x, false);
    assert_true(test_every_allocation(work, &v) > 30);
    cau_csr_clear(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_factors),     cmocka_unit_test(test_other_solver),
        cmocka_unit_test(test_error_never_rises), cmocka_unit_test(test_dense_is_sparse),
        cmocka_unit_test(test_threads),           cmocka_unit_test(test_refused),
        cmocka_unit_test(test_corners),           cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
