/* kernels_test.c - checks every set of kernels that this machine can run against plain loops. */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "math/kernels.h"
#include "support/support.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};
enum { ISAS = 3 };

static const size_t widths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13, 14,
                                15, 16, 17, 18, 19, 20, 21, 22, 23, 24,  25,  26,  27, 28,
                                29, 30, 31, 32, 33, 34, 35, 36, 37, 38,  39,  40,  41, 47,
                                48, 49, 55, 56, 57, 62, 63, 64, 65, 100, 128, 129, 333};
enum { WIDTHS = sizeof widths / sizeof *widths };

static double signed_real(cau_rng *rng)
{
    return 2 * cau_rng_real(rng) - 1;
}

/* A random matrix with empty rows, one full row, and repeated columns. */
static cau_csr random_csr(cau_rng *rng, size_t rows, size_t columns, bool valued)
{
    cau_csr x = {.rows = rows, .columns = columns};
    x.start = cau_calloc(rows + 1, sizeof *x.start);
    assert_non_null(x.start);
    for (size_t i = 0; i < rows; i++)
        x.start[i + 1] = x.start[i] + (i == 3 ? columns : (size_t)cau_rng_below(rng, 30));
    x.column = cau_alloc(x.start[rows], sizeof *x.column);
    x.value = valued ? cau_alloc(x.start[rows], sizeof *x.value) : NULL;
    assert_non_null(x.column);
    for (size_t e = 0; e < x.start[rows]; e++) {
        x.column[e] = (uint32_t)cau_rng_below(rng, columns);
        if (valued) x.value[e] = (float)signed_real(rng);
    }
    return x;
}

/* Exactly n doubles, so that the address sanitizer finds a read beyond them. */
static double *random_doubles(cau_rng *rng, size_t n)
{
    double *a = cau_alloc(n, sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < n; i++) a[i] = signed_real(rng);
    return a;
}

/* out[i - begin][j] = init[j] + sum_k x[i][k] W[k][j] in long double. */
static double product(const cau_csr *x, size_t i, size_t Y, const double *W, const double *init,
                      size_t j)
{
    long double sum = init ? init[j] : 0;
    for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
        sum += (long double)W[x->column[e] * Y + j] * (x->value ? (long double)x->value[e] : 1);
    return (double)sum;
}

static void rows_are_products(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        assert_string_equal(kernels->isa, isas[a]);
        for (size_t b = 0; b < 4 * WIDTHS; b++) {
            const size_t Y = widths[b / 4], rows = 25, begin = 2, end = 24;
            const size_t far = (2 << 20) / (Y * sizeof(double)); /* W exceeds the cache */
            cau_csr x = random_csr(&rng, rows, b & 2 ? far : 60, b & 1);
            double *W = random_doubles(&rng, x.columns * Y), *init = random_doubles(&rng, Y);
            double *out = random_doubles(&rng, (end - begin) * Y);
            for (int with_init = 0; with_init < 2; with_init++) {
                const double *from = with_init ? init : NULL;
                kernels->rows(&x, begin, end, Y, W, from, out);
                for (size_t i = begin; i < end; i++)
                    for (size_t j = 0; j < Y; j++)
                        assert_near(out[(i - begin) * Y + j], product(&x, i, Y, W, from, j),
                                    b & 2 ? 1e-10 : 2e-14);
            }
            kernels->rows(&x, begin, begin, Y, W, NULL, NULL); /* no rows: nothing is written */
            cau_csr_clear(&x);
            free(W);
            free(init);
            free(out);
        }
    }
}

/* Makes a table that lists each cell of a row with probability `share`. */
static cau_table random_table(cau_rng *rng, size_t rows, size_t width, double share)
{
    cau_table t = {.rows = rows,
                   .width = width,
                   .start = cau_alloc(rows + 1, sizeof *t.start),
                   .cell = cau_alloc(rows * width, sizeof *t.cell)};
    assert_true(t.start && t.cell);
    size_t at = 0;
    for (size_t k = 0; k < rows; k++) {
        t.start[k] = at;
        for (size_t c = 0; c < width; c++)
            if (cau_rng_real(rng) < share) t.cell[at++] = (uint32_t)c;
    }
    t.start[rows] = at;
    return t;
}

/* Products over listed cells equal those over all cells with zeros elsewhere. */
static void listed_tables(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        for (size_t b = 0; b < 6 * WIDTHS; b++) {
            const size_t Y = widths[b / 6], rows = 25, columns = 40;
            cau_csr x = random_csr(&rng, rows, columns, b & 1), xt;
            assert_int_equal(cau_csr_transpose(1, &x, &xt), CAUCUS_OK);
            cau_table t = random_table(&rng, columns, Y, (double)(b % 3) / 2 + 0.02);
            double *w = random_doubles(&rng, cau_table_size(&t) + 1);
            double *full = cau_calloc(columns * Y, sizeof *full);
            double *out = random_doubles(&rng, rows * Y), *R = random_doubles(&rng, rows * Y);
            double *G = random_doubles(&rng, cau_table_size(&t) + 1);
            assert_non_null(full);
            for (size_t k = 0; k < columns; k++)
                for (size_t j = t.start[k]; j < t.start[k + 1]; j++) full[k * Y + t.cell[j]] = w[j];

            kernels->rows_listed(&x, 1, rows, &t, w, out);
            for (size_t i = 1; i < rows; i++)
                for (size_t c = 0; c < Y; c++)
                    assert_near(out[(i - 1) * Y + c], product(&x, i, Y, full, NULL, c), 2e-14);
            kernels->pull_listed(&xt, 0, columns, &t, R, G);
            for (size_t k = 0; k < columns; k++)
                for (size_t j = t.start[k]; j < t.start[k + 1]; j++)
                    assert_near(G[j], product(&xt, k, Y, R, NULL, t.cell[j]), 2e-14);

            /* products with the transpose, for listed rows and for whole rows with fixed weights */
            const size_t all = columns * Y;
            uint8_t *fixed = cau_calloc(all, 1);
            double *W = random_doubles(&rng, all), *want = cau_alloc(all, sizeof *want);
            assert_true(fixed && want);
            for (int listed = 0; listed < 2; listed++) {
                const cau_table whole = {.rows = columns, .width = Y};
                const cau_table *at = listed ? &t : &whole;
                for (size_t c = 0; c < all; c++) {
                    want[c] = W[c];
                    fixed[c] = !listed && c % 5 == 2;
                }
                for (size_t i = 1; i < rows; i++)
                    for (size_t e = x.start[i]; e < x.start[i + 1]; e++)
                        for (size_t k = x.column[e], j = cau_table_at(at, k);
                             j < cau_table_at(at, k + 1); j++) {
                            size_t cell = listed ? t.cell[j] : j - k * Y;
                            double value = x.value ? (double)x.value[e] : 1;
                            if (!fixed[j]) want[j] += 0.5 * value * R[(i - 1) * Y + cell];
                        }
                kernels->push(&x, 1, rows, at, 0.5, R, listed ? NULL : fixed, W);
                for (size_t c = 0; c < all; c++) assert_near(W[c], want[c], 2e-14);
            }
            free(fixed);
            free(W);
            free(want);

            cau_csr_clear(&x);
            cau_csr_clear(&xt);
            free(t.start);
            free(t.cell);
            free(w);
            free(full);
            free(out);
            free(R);
            free(G);
        }
    }
}

static void score_adds_rows(void **state)
{
    (void)state;
    enum { K = 50, COUNT = 37 };
    cau_rng rng;
    cau_rng_init(&rng, 2);
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        for (size_t b = 0; b < 2 * WIDTHS; b++) {
            const size_t Y = widths[b / 2];
            float *W = cau_alloc(K * Y, sizeof *W), value[COUNT];
            uint32_t id[COUNT];
            double *out = random_doubles(&rng, Y);
            assert_non_null(W);
            for (size_t i = 0; i < K * Y; i++) W[i] = (float)signed_real(&rng);
            for (size_t i = 0; i < COUNT; i++) {
                id[i] = (uint32_t)cau_rng_below(&rng, K);
                value[i] = (float)signed_real(&rng);
            }
            double want[333];
            for (size_t j = 0; j < Y; j++) {
                want[j] = out[j];
                for (size_t i = 0; i < COUNT; i++)
                    want[j] += (double)W[id[i] * Y + j] * (b % 2 ? (double)value[i] : 1);
            }
            kernels->score(COUNT, id, b % 2 ? value : NULL, Y, W, out);
            for (size_t j = 0; j < Y; j++) assert_near(out[j], want[j], 1e-13);
            kernels->score(0, NULL, NULL, Y, W, out); /* no features: nothing is added */
            for (size_t j = 0; j < Y; j++) assert_near(out[j], want[j], 1e-13);
            free(W);
            free(out);
        }
    }
}

/* Checks one block of scores of magnitude up to `size` against long double. */
static void check_softmax(const cau_kernels *kernels, cau_rng *rng, size_t n, size_t Y, double size)
{
    double *s = random_doubles(rng, n * Y), *logz = random_doubles(rng, n);
    long double *want = cau_alloc(n * Y, sizeof *want);
    assert_non_null(want);
    for (size_t e = 0; e < n * Y; e++) {
        s[e] *= size;
        want[e] = s[e];
    }
    kernels->softmax(n, Y, s, logz);
    for (size_t i = 0; i < n; i++) {
        long double *row = want + i * Y, top = row[0], sum = 0;
        for (size_t j = 1; j < Y; j++) top = row[j] > top ? row[j] : top;
        for (size_t j = 0; j < Y; j++) sum += expl(row[j] - top);
        assert_near(logz[i], (double)(top + logl(sum)), 4 * DBL_EPSILON * (double)(1 + fabsl(top)));
        double total = 0;
        for (size_t j = 0; j < Y; j++) {
            const double p = (double)(expl(row[j] - top) / sum);
            /* the difference of two scores is rounded before exp */
            const double slack = 8 + fabs((double)(row[j] - top)) / 2;
            assert_near(s[i * Y + j], p, slack * DBL_EPSILON * p + 5e-324);
            assert_true(s[i * Y + j] >= 0);
            total += s[i * Y + j];
        }
        assert_near(total, 1, 4 * DBL_EPSILON * sqrt((double)Y) + 4 * DBL_EPSILON);
    }
    free(s);
    free(logz);
    free(want);
}

static void softmax_is_exact(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        for (size_t b = 0; b < WIDTHS; b++) {
            check_softmax(kernels, &rng, 7, widths[b], 1);
            check_softmax(kernels, &rng, 3, widths[b], 30);
            check_softmax(kernels, &rng, 3, widths[b], 2000);
        }
        check_softmax(kernels, &rng, 700, 9, 5);
        check_softmax(kernels, &rng, 2, 3000, 5);
        check_softmax(kernels, &rng, 50, 3, 1e6);
    }
}

/* exp itself: the scores {0, x} have odds exp(x). Units in the last place, and down through
 * the denormal numbers to 0. */
/* n equal scores: the normaliser is their score plus log n, for every n up to a large one. */
static void softmax_has_an_exact_log(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static double s[MOST];
    for (size_t i = 0; i < ISAS; i++) {
        const cau_kernels *kernels = cau_kernels_named(isas[i]);
        if (!kernels) continue;
        for (size_t n = 1; n <= MOST; n += n < 100 ? 1 : 97) {
            double logz;
            memset(s, 0, sizeof s);
            kernels->softmax(1, n, s, &logz);
            assert_near(logz, (double)logl((long double)n), 4e-16 * (1 + logz));
        }
        double odd[] = {NAN, 0, 0, INFINITY, 1, 2}, logz[3];
        kernels->softmax(3, 2, odd, logz);
        assert_false(isfinite(logz[0]) || isfinite(logz[1]));
        assert_near(logz[2], 2 + log1p(exp(-1)), 1e-15);
    }
}

static void softmax_has_an_exact_exp(void **state)
{
    (void)state;
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        for (double x = 0; x > -760; x -= 0.0123) {
            double s[2] = {0, x}, logz;
            kernels->softmax(1, 2, s, &logz);
            const long double e = expl((long double)x), p = e / (1 + e);
            const double ulp = fmax(nextafter((double)p, 1) - (double)p, 5e-324);
            assert_true(fabsl((long double)s[1] - p) <= 3.5L * (long double)ulp);
            assert_near(logz, (double)log1pl(e), 2 * DBL_EPSILON);
        }
    }
}

static void softmax_takes_any_finite_score(void **state)
{
    (void)state;
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        double s[] = {2000, -2000, 2000, -2000, -2000, -2000, DBL_MAX, -DBL_MAX, 0, 5, 5, 4000};
        double logz[4];
        kernels->softmax(4, 3, s, logz);
        const double want[] = {.5, 0, .5, 1. / 3, 1. / 3, 1. / 3, 1, 0, 0, 0, 0, 1};
        for (size_t i = 0; i < 12; i++) assert_near(s[i], want[i], 1e-15);
        assert_near(logz[0], 2000 + log(2), 1e-12);
        assert_near(logz[1], -2000 + log(3), 1e-12);
        assert_true(logz[2] == DBL_MAX);
        assert_true(logz[3] == 4000);
        kernels->softmax(0, 3, NULL, NULL);
    }
}

/* A difference of log-gammas cancels leading digits, in long double as well; `lost` bounds the
 * error from that. Every third x is an integer, every seventh is nearly zero. */
static void log_rising_factorials_match_log_gammas(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 12);
    for (size_t i = 0; i < ISAS; i++) {
        const cau_kernels *kernels = cau_kernels_named(isas[i]);
        if (!kernels) continue;
        for (size_t n = 0; n < 300; n++) {
            double *a = random_doubles(&rng, n), *x = random_doubles(&rng, n);
            double *out = random_doubles(&rng, n);
            for (size_t j = 0; j < n; j++) {
                a[j] = pow(10, -3 + 9 * cau_rng_real(&rng)); /* 1e-3 to 1e6 */
                x[j] = pow(10, -3 + 8 * cau_rng_real(&rng)); /* 1e-3 to 1e5 */
                if (j % 3 == 0) x[j] = floor(x[j]);
                if (j % 7 == 0) x[j] *= 1e-12;
            }
            kernels->rises(n, a, x, out);
            for (size_t j = 0; j < n; j++) {
                const long double from = lgammal(a[j]), to = lgammal((long double)a[j] + x[j]);
                const double want = (double)(to - from), lost = 1e-18 * (double)fabsl(to);
                assert_near(out[j], want, 1e-14 * (1 + fabs(want)) + lost);
                if (x[j] == 0) assert_near(out[j], 0, 1e-17);
                if (x[j] == 1) assert_near(out[j], log(a[j]), 4e-15 * (1 + fabs(log(a[j]))));
            }
            free(a);
            free(x);
            free(out);
        }
        const double a[] = {1e-60, 1e-9, 1e15, 1e60, 0.5, 1e-3},
                     x[] = {0.5, 1e15, 1, 1, 1e60, 1e60};
        double out[6];
        kernels->rises(6, a, x, out);
        for (size_t j = 0; j < 6; j++) {
            const double c = a[j] + x[j], want = lgamma(c) - lgamma(a[j]);
            assert_near(out[j], j == 2 || j == 3 ? log(a[j]) : want, 1e-14 * (1 + fabs(want)));
        }
    }
}

static void vectors_are_summed(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 4);
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        for (size_t n = 0; n < 150; n++) {
            double *v[3] = {random_doubles(&rng, n), random_doubles(&rng, n),
                            random_doubles(&rng, n)};
            double *y = random_doubles(&rng, n), dot = 0;
            const double c[3] = {0.5, -2, 3};
            for (size_t i = 0; i < n; i++) dot += v[0][i] * v[1][i];
            assert_near(kernels->dot(n, v[0], v[1]), dot, 1e-13);

            kernels->combine(n, 3, c, (const double *const *)v, y);
            for (size_t i = 0; i < n; i++)
                assert_near(y[i], 0.5 * v[0][i] - 2 * v[1][i] + 3 * v[2][i], 1e-14);
            kernels->combine(n, 0, NULL, NULL, y); /* an empty sum */
            for (size_t i = 0; i < n; i++) assert_true(y[i] == 0);
            for (size_t k = 0; k < 3; k++) free(v[k]);
            free(y);
        }
    }
}

static void approach_steps_match_the_formula(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 9);
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        for (size_t n = 0; n < 40; n++) {
            double *r = random_doubles(&rng, n + 1), *move = random_doubles(&rng, n + 1), sum = 0;
            float from[40], to[40];
            for (size_t i = 0; i < n; i++) from[i] = to[i] = (float)signed_real(&rng);
            double curved = 0, all = 0;
            for (size_t i = 0; i < n; i++) {
                const double d = r[i] - (double)from[i];
                curved += fabs(r[i]) * fabs(1 - fabs(r[i])) * d * d;
                all += d * d;
            }
            assert_near(kernels->curvature(n, r, from), n ? curved / all : 0, 1e-14);
            const double square = kernels->approach(n, 0.3, r, to, move);
            for (size_t i = 0; i < n; i++) {
                assert_near((double)to[i], 0.7 * (double)from[i] + 0.3 * r[i], 1e-6);
                assert_true(move[i] == (double)to[i] - (double)from[i]);
                sum += move[i] * move[i];
            }
            assert_near(square, sum, 1e-14);
            free(r);
            free(move);
        }
    }
}

/* One step by the formula in kernels.h. */
static double descend_one(double rate, double l1, double l2, double g, double mean, double *square,
                          double w)
{
    if (square) *square += g * g;
    const double h = square && *square > 0 ? rate / sqrt(*square) : rate;
    const double x = w - mean - h * g, size = fabs(x) - h * l1;
    return mean + (size > 0 ? copysign(size, x) / (1 + h * l2) : 0);
}

static void descent_steps_match_the_formula(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 9);
    for (size_t a = 0; a < ISAS; a++) {
        const cau_kernels *kernels = cau_kernels_named(isas[a]);
        if (!kernels) continue;
        for (size_t n = 0; n < 320; n++) {
            const bool has_g = n & 1, has_mean = n & 2, has_square = n & 4;
            const size_t count = n / 8;
            double *g = random_doubles(&rng, count + 1), *mean = random_doubles(&rng, count + 1);
            double *w = random_doubles(&rng, count + 1), *square = random_doubles(&rng, count + 1);
            double want[40], squares[40];
            for (size_t i = 0; i < count; i++) {
                square[i] = i % 3 ? fabs(square[i]) : 0;
                if (i % 5 == 4) g[i] = 0;
                squares[i] = square[i];
                want[i] = descend_one(0.3, 0.4, 0.5, has_g ? g[i] : 0, has_mean ? mean[i] : 0,
                                      has_square ? &squares[i] : NULL, w[i]);
            }
            assert_true(kernels->descend(count, 0.3, 0.4, 0.5, has_g ? g : NULL,
                                         has_mean ? mean : NULL, has_square ? square : NULL, w));
            for (size_t i = 0; i < count; i++) {
                assert_near(w[i], want[i], 1e-14);
                assert_near(square[i], squares[i], 1e-14);
            }
            if (has_g && count) { /* a weight that would become infinite is left unchanged */
                const double last = w[count - 1];
                g[count - 1] = 1e308;
                assert_false(kernels->descend(count, 1e10, 0, 0, g, NULL, NULL, w));
                assert_true(w[count - 1] == last);
            }
            free(g);
            free(mean);
            free(w);
            free(square);
        }
    }
}

static void dispatch_keeps_its_choice(void **state)
{
    (void)state;
    const cau_kernels *first = cau_kernels_get();
    assert_non_null(first);
    assert_ptr_equal(cau_kernels_get(), first);
    assert_ptr_equal(cau_kernels_named(first->isa), first);
    assert_non_null(cau_kernels_named("baseline"));
    assert_null(cau_kernels_named("quantum"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_products),
        cmocka_unit_test(listed_tables),
        cmocka_unit_test(score_adds_rows),
        cmocka_unit_test(softmax_is_exact),
        cmocka_unit_test(softmax_has_an_exact_log),
        cmocka_unit_test(softmax_has_an_exact_exp),
        cmocka_unit_test(softmax_takes_any_finite_score),
        cmocka_unit_test(log_rising_factorials_match_log_gammas),
        cmocka_unit_test(vectors_are_summed),
        cmocka_unit_test(approach_steps_match_the_formula),
        cmocka_unit_test(descent_steps_match_the_formula),
        cmocka_unit_test(dispatch_keeps_its_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
