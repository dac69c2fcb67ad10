/* kernels.c - the inner loops: sparse times dense, softmax, rising factorials, long vectors.
 *
 * This file is compiled once for each instruction set, which CAU_ISA names, and exports one table
 * of functions. It is plain C with the vector types of GCC and Clang; LANES is the number of
 * doubles in the widest register of the instruction set.
 *
 * Training spends most of its time in sparse times dense. One row of the product,
 *     out[j] = init[j] + sum_i value[i] W[id[i]][j],      j = 0 .. N-1
 * keeps its N sums in registers while the rows of W stream by, so each entry reads only its id and
 * its N weights from memory. N must therefore be a compile-time constant: there is one copy of the
 * loop for every N up to BLOCK, and wider rows are processed BLOCK columns at a time.
 *
 * A row whose N is no multiple of the register is covered by overlapping the last register
 * with the one before it:
 *     N = 11, 8 lanes:   [0 1 2 3 4 5 6 7]
 *                              [3 4 5 6 7 8 9 10]
 * The shared lanes are computed twice, with the same result. This needs no mask and no scalar tail,
 * and reads nothing beyond the row. Rows narrower than a register use narrower registers.
 *
 * The rows of W are scattered in memory, so each entry prefetches the row of the entry AHEAD places
 * later, unless W is small enough to stay in the second-level cache. */

#include "math/kernels.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES 8
#define BLOCK 64 /* columns that are summed in registers */
#elif defined(__AVX2__)
#define LANES 4
#define BLOCK 32
#else
#define LANES 2
#define BLOCK 32
#endif

enum {
    AHEAD = 24,     /* entries between the prefetch of a row and its use */
    NEAR = 1 << 20, /* bytes of weights that need no prefetch */
    LINE = 64,      /* bytes of a cache line */
    FLAT = 1024,    /* scores that softmax processes at a time, in the first-level cache */
};

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define INLINE static inline __attribute__((always_inline))
#define LN2 0x1.62e42fefa39efp-1

/* ---- sparse times dense --------------------------------------------------------------- */

/* The first of the N columns in register q of V lanes. */
INLINE size_t register_at(size_t q, size_t N, size_t V)
{
    return q < N / V ? q * V : N - V;
}

/* Prefetches all cache lines of N elements from `row` on. */
INLINE void prefetch_row(const void *row, size_t N, size_t size)
{
    const char *at = row;
    const size_t last = (N - 1) * size;
    for (size_t b = 0; b <= last; b += LINE) __builtin_prefetch(at + b);
    if (last % LINE) __builtin_prefetch(at + last);
}

#define T double
#define V 1
#include "math/kernels_row.h"
#define V 2
#include "math/kernels_row.h"
#define V 4
#include "math/kernels_row.h"
#define V 8
#include "math/kernels_row.h"
#undef T
#define T float
#define V 1
#include "math/kernels_row.h"
#define V 2
#include "math/kernels_row.h"
#define V 4
#include "math/kernels_row.h"
#define V 8
#include "math/kernels_row.h"
#undef T

/* Calls the row function for weights of type T with the widest registers that N columns fill. */
#define ROW(T, N, ...)                                                                             \
    do {                                                                                           \
        if (LANES >= 8 && N >= 8)                                                                  \
            row_##T##_8(__VA_ARGS__, N);                                                           \
        else if (LANES >= 4 && N >= 4)                                                             \
            row_##T##_4(__VA_ARGS__, N);                                                           \
        else if (N >= 2)                                                                           \
            row_##T##_2(__VA_ARGS__, N);                                                           \
        else                                                                                       \
            row_##T##_1(__VA_ARGS__, N);                                                           \
    } while (0)

/* N columns of the rows begin..end-1 of x; W, init and out start at the first of them. */
INLINE void rows_of(const cau_csr *x, size_t begin, size_t end, size_t stride, const double *W,
                    const double *init, double *out, bool valued, bool ahead, const size_t N)
{
    const size_t *start = x->start, all = start[x->rows];
    for (size_t i = begin; i < end; i++, out += stride) {
        const size_t at = start[i], count = start[i + 1] - at;
        const float *value = valued ? x->value + at : NULL;
        ROW(double, N, count, ahead ? all - at : 0, x->column + at, value, stride, W, init, out);
    }
}

typedef void rows_fn(const cau_csr *x, size_t begin, size_t end, size_t stride, const double *W,
                     const double *init, double *out);
typedef void score_fn(size_t count, const uint32_t *id, const float *value, size_t stride,
                      const float *W, double *out);

/* Every N up to BLOCK. */
/* clang-format off */
#define EACH_OF_32(X)                                                                              \
    X(1)  X(2)  X(3)  X(4)  X(5)  X(6)  X(7)  X(8)  X(9)  X(10) X(11) X(12) X(13) X(14) X(15)      \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)      \
    X(31) X(32)
#if BLOCK == 64
#define EACH(X)                                                                                    \
    EACH_OF_32(X)                                                                                  \
    X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47)      \
    X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) X(57) X(58) X(59) X(60) X(61) X(62)      \
    X(63) X(64)
#else
#define EACH(X) EACH_OF_32(X)
#endif
/* clang-format on */

#define DEFINE(N)                                                                                  \
    static void rows_##N(const cau_csr *x, size_t begin, size_t end, size_t stride,                \
                         const double *W, const double *init, double *out)                         \
    {                                                                                              \
        const bool ahead = x->columns * stride * sizeof *W > NEAR;                                 \
        if (x->value)                                                                              \
            rows_of(x, begin, end, stride, W, init, out, true, ahead, N);                          \
        else if (ahead)                                                                            \
            rows_of(x, begin, end, stride, W, init, out, false, true, N);                          \
        else                                                                                       \
            rows_of(x, begin, end, stride, W, init, out, false, false, N);                         \
    }                                                                                              \
    static void score_##N(size_t count, const uint32_t *id, const float *value, size_t stride,     \
                          const float *W, double *out)                                             \
    {                                                                                              \
        const size_t reach = count > AHEAD ? count : 0; /* few rows need no prefetch */            \
        if (value)                                                                                 \
            ROW(float, N, count, reach, id, value, stride, W, out, out);                           \
        else                                                                                       \
            ROW(float, N, count, reach, id, NULL, stride, W, out, out);                            \
    }
EACH(DEFINE)

#define ROWS(N) [N] = rows_##N,
#define SCORE(N) [N] = score_##N,
static rows_fn *const rows_by_width[BLOCK + 1] = {EACH(ROWS)};
static score_fn *const score_by_width[BLOCK + 1] = {EACH(SCORE)};

static void rows(const cau_csr *x, size_t begin, size_t end, size_t Y, const double *W,
                 const double *init, double *out)
{
    if (Y == 0 || begin >= end) return;
    if (Y <= BLOCK) {
        rows_by_width[Y](x, begin, end, Y, W, init, out);
        return;
    }
    for (size_t i = begin; i < end; i++, out += Y)
        for (size_t j = 0; j < Y; j += BLOCK) {
            const size_t N = Y - j < BLOCK ? Y - j : BLOCK;
            rows_by_width[N](x, i, i + 1, Y, W + j, init ? init + j : NULL, out + j);
        }
}

static void score(size_t count, const uint32_t *id, const float *value, size_t Y, const float *W,
                  double *out)
{
    for (size_t j = 0; j < Y; j += BLOCK) {
        const size_t N = Y - j < BLOCK ? Y - j : BLOCK;
        score_by_width[N](count, id, value, Y, W + j, out + j);
    }
}

/* ---- tables that list their cells ------------------------------------------------------- */

#define LISTED(N, ...)                                                                             \
    do {                                                                                           \
        if (LANES >= 8 && N >= 8)                                                                  \
            listed_double_8(__VA_ARGS__, N);                                                       \
        else if (LANES >= 4 && N >= 4)                                                             \
            listed_double_4(__VA_ARGS__, N);                                                       \
        else if (N >= 2)                                                                           \
            listed_double_2(__VA_ARGS__, N);                                                       \
        else                                                                                       \
            listed_double_1(__VA_ARGS__, N);                                                       \
    } while (0)

INLINE void listed_of(const cau_csr *x, size_t begin, size_t end, const cau_table *table,
                      const double *W, double *out, bool valued, const size_t N)
{
    const size_t *start = x->start, all = start[x->rows];
    for (size_t i = begin; i < end; i++, out += N) {
        const size_t at = start[i], count = start[i + 1] - at;
        const float *value = valued ? x->value + at : NULL;
        LISTED(N, count, all - at, x->column + at, value, table->start, table->cell, W, out);
    }
}

typedef void listed_fn(const cau_csr *x, size_t begin, size_t end, const cau_table *table,
                       const double *W, double *out);

#define DEFINE_LISTED(N)                                                                           \
    static void listed_##N(const cau_csr *x, size_t begin, size_t end, const cau_table *table,     \
                           const double *W, double *out)                                           \
    {                                                                                              \
        if (x->value)                                                                              \
            listed_of(x, begin, end, table, W, out, true, N);                                      \
        else                                                                                       \
            listed_of(x, begin, end, table, W, out, false, N);                                     \
    }
EACH(DEFINE_LISTED)

#define LISTED_ROWS(N) [N] = listed_##N,
static listed_fn *const listed_by_width[BLOCK + 1] = {EACH(LISTED_ROWS)};

static void rows_listed(const cau_csr *x, size_t begin, size_t end, const cau_table *table,
                        const double *W, double *out)
{
    const size_t *start = table->start, width = table->width;
    const uint32_t *cell = table->cell;
    if (width <= BLOCK) {
        if (width > 0) listed_by_width[width](x, begin, end, table, W, out);
        return;
    }
    for (size_t i = begin; i < end; i++, out += width) {
        memset(out, 0, width * sizeof *out);
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            const size_t at = start[x->column[e]], count = start[x->column[e] + 1] - at;
            const double v = x->value ? (double)x->value[e] : 1;
            const double *w = W + at;
            if (count == width)
                for (size_t j = 0; j < width; j++) out[j] += v * w[j];
            else
                for (size_t j = 0; j < count; j++) out[cell[at + j]] += v * w[j];
        }
    }
}

#define PUSH(N, ...)                                                                               \
    do {                                                                                           \
        if (LANES >= 8 && N >= 8)                                                                  \
            push_double_8(__VA_ARGS__, N);                                                         \
        else if (LANES >= 4 && N >= 4)                                                             \
            push_double_4(__VA_ARGS__, N);                                                         \
        else if (N >= 2)                                                                           \
            push_double_2(__VA_ARGS__, N);                                                         \
        else                                                                                       \
            push_double_1(__VA_ARGS__, N);                                                         \
    } while (0)

typedef void push_fn(double a, const double *r, const uint8_t *fixed, double *W);

#define DEFINE_PUSH(N)                                                                             \
    static void push_##N(double a, const double *r, const uint8_t *fixed, double *W)               \
    {                                                                                              \
        if (fixed)                                                                                 \
            PUSH(N, a, r, fixed, W);                                                               \
        else                                                                                       \
            PUSH(N, a, r, NULL, W);                                                                \
    }
EACH(DEFINE_PUSH)

#define PUSH_ROW(N) [N] = push_##N,
static push_fn *const push_by_width[BLOCK + 1] = {EACH(PUSH_ROW)};

/* W [width] += a r, in blocks. */
static void push_row(size_t width, double a, const double *r, const uint8_t *fixed, double *W)
{
    for (size_t j = 0; j < width; j += BLOCK)
        push_by_width[width - j < BLOCK ? width - j : BLOCK](a, r + j, fixed ? fixed + j : NULL,
                                                             W + j);
}

static void push(const cau_csr *x, size_t begin, size_t end, const cau_table *table, double a,
                 const double *R, const uint8_t *fixed, double *W)
{
    const size_t width = table->width;
    for (size_t i = begin; i < end; i++, R += width)
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            const size_t k = x->column[e], at = cau_table_at(table, k);
            const size_t count = cau_table_at(table, k + 1) - at;
            const double c = x->value ? a * (double)x->value[e] : a;
            if (count == width)
                push_row(width, c, R, fixed ? fixed + at : NULL, W + at);
            else
                for (size_t j = at; j < at + count; j++) W[j] += c * R[table->cell[j]];
        }
}

/* One weight of the row: the sum of its cell over all occurrences. */
INLINE double pull_cell(const cau_csr *xt, size_t k, size_t width, const double *R)
{
    double sum = 0;
    for (size_t e = xt->start[k]; e < xt->start[k + 1]; e++)
        sum += (xt->value ? (double)xt->value[e] : 1) * R[xt->column[e] * width];
    return sum;
}

/* A row with few cells picks them out of each occurrence. For many cells it is faster to add up
 * whole rows and to pick the cells at the end. */
static void pull_listed(const cau_csr *xt, size_t begin, size_t end, const cau_table *table,
                        const double *R, double *G)
{
    const size_t width = table->width;
    const uint32_t *cell = table->cell;
    double whole[FLAT];
    for (size_t k = begin; k < end; k++) {
        const size_t at = table->start[k], count = table->start[k + 1] - at;
        const size_t first = xt->start[k], last = xt->start[k + 1];
        if (count == 0) continue;
        if (count == 1) {
            G[at] = pull_cell(xt, k, width, R + cell[at]);
        } else if (count == width) {
            rows(xt, k, k + 1, width, R, NULL, G + at);
        } else if (width <= FLAT && 4 * count > width && last - first > 2) {
            rows(xt, k, k + 1, width, R, NULL, whole);
            for (size_t j = 0; j < count; j++) G[at + j] = whole[cell[at + j]];
        } else {
            for (size_t j = at; j < at + count; j++) G[j] = 0;
            for (size_t e = first; e < last; e++) {
                const double *r = R + xt->column[e] * width;
                const double value = xt->value ? (double)xt->value[e] : 1;
                for (size_t j = at; j < at + count; j++) G[j] += value * r[cell[j]];
            }
        }
    }
}

/* ---- vectors of LANES doubles --------------------------------------------------------- */

typedef PASTE(wide_double, LANES) vec;
typedef int64_t ivec __attribute__((vector_size(LANES * sizeof(int64_t))));

INLINE vec load(const double *a)
{
    return *(const vec *)a;
}

INLINE void store(double *a, vec x)
{
    *(vec *)a = x;
}

/* The first `count` < LANES numbers of a; the other lanes are `rest`. */
INLINE vec load_part(const double *a, size_t count, double rest)
{
    vec x = rest - (vec){0};
    memcpy(&x, a, count * sizeof *a);
    return x;
}

INLINE vec larger(vec a, vec b)
{
#if LANES == 8 /* the same in one instruction, which GCC does not see */
    return (vec)_mm512_max_pd((__m512d)a, (__m512d)b);
#else
    const ivec first = a > b;
    return (vec)(((ivec)a & first) | ((ivec)b & ~first));
#endif
}

/* The sum of the lanes, neighbours last. */
INLINE double sum_lanes(vec x)
{
    double lane[LANES];
    memcpy(lane, &x, sizeof lane);
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0];
}

/* ---- softmax -------------------------------------------------------------------------- */

/* exp x for x <= 0, each lane within 2 units in the last place, 0 below -745.2.
 *     x = k ln 2 + r, |r| <= ln 2 / 2,     exp x = 2^k (1 + r + r^2/2! + ... + r^13/13!)
 * The series is cut where its rest is below 2^-57. Adding 1.5 * 2^52 to a small number rounds
 * it to an integer k and leaves k in the low bits. ln 2 is subtracted in two parts, the first
 * of which has room for k without rounding. 2^k is denormal from -1023 on: the exponent is set
 * for 2^(k+64) and the product brought down by 2^-64, which rounds once. */
INLINE vec exp_lanes(vec x)
{
    const double shift = 0x1.8p52;
    const vec floor = (vec){0} - 746.0;
    x = larger(x, floor);
    const vec shifted = x * 0x1.71547652b82fep0 + shift;
    const vec k = shifted - shift;
    const vec r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;

    vec p = r * (1 / 6227020800.0) + 1 / 479001600.0;
    p = p * r + 1 / 39916800.0;
    p = p * r + 1 / 3628800.0;
    p = p * r + 1 / 362880.0;
    p = p * r + 1 / 40320.0;
    p = p * r + 1 / 5040.0;
    p = p * r + 1 / 720.0;
    p = p * r + 1 / 120.0;
    p = p * r + 1 / 24.0;
    p = p * r + 1 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;

    const vec scaled = (vec)((ivec)p + (((ivec)shifted + 64) << 52));
    return scaled * 0x1p-64;
}

/* log((d + n) / (d - n)) for |n / d| <= 0.2:
 *     f = n / d,     2 (f + f^3/3 + f^5/5 + ... + f^21/21) */
INLINE vec log_of_ratio(vec n, vec d)
{
    const vec f = n / d, g = f * f;
    vec p = g * (1 / 21.0) + 1 / 19.0;
    p = p * g + 1 / 17.0;
    p = p * g + 1 / 15.0;
    p = p * g + 1 / 13.0;
    p = p * g + 1 / 11.0;
    p = p * g + 1 / 9.0;
    p = p * g + 1 / 7.0;
    p = p * g + 1 / 5.0;
    p = p * g + 1 / 3.0;
    return 2 * f + 2 * f * g * p;
}

/* log x for any x > 0 that is not denormal, each lane within 2 units in the last place of 1 or of
 * the result, whichever is larger.
 *     x = 2^k m, sqrt(1/2) <= m < sqrt(2),     log x = k ln 2 + log m
 * The exponent of x / sqrt(1/2) is that of x, or one more from x = sqrt(2) 2^k on: subtracting
 * the bits of sqrt(1/2) and keeping the exponent gives k. NaN stays NaN. */
INLINE vec log_lanes(vec x)
{
    const double half = 0x1.6a09e667f3bcdp-1, shift = 0x1.8p52;
    int64_t half_bits;
    memcpy(&half_bits, &half, sizeof half_bits);
    const ivec exponent = ((ivec)x - half_bits) & (int64_t)0xfff0000000000000;
    const vec m = (vec)((ivec)x - exponent);
    const vec k = (vec)((exponent >> 52) + (ivec)(shift - (vec){0})) - shift;

    const vec nothing = x - x; /* unless x is not finite */
    return k * LN2 + log_of_ratio(m - 1.0, m + 1.0) + nothing;
}

/* max_j s[j], and sum_j s[j] in an order that depends only on Y. */
INLINE double row_max(size_t Y, const double *s)
{
    double top = s[0];
    size_t j = 1;
    if (Y >= 2 * LANES) {
        vec most = load(s);
        for (j = LANES; j + LANES <= Y; j += LANES) most = larger(load(s + j), most);
        for (size_t i = 0; i < LANES; i++) top = most[i] > top ? most[i] : top;
    }
    for (; j < Y; j++) top = s[j] > top ? s[j] : top;
    return top;
}

INLINE double row_sum(size_t Y, const double *s)
{
    double sum = 0;
    size_t j = 0;
    if (Y >= 2 * LANES) {
        vec part = load(s);
        for (j = LANES; j + LANES <= Y; j += LANES) part += load(s + j);
        sum = sum_lanes(part);
    }
    for (; j < Y; j++) sum += s[j];
    return sum;
}

/* With m_i = max_j s[i][j] the sum below is in [1, Y] for any scores:
 *     logz[i] = m_i + log sum_j exp(s[i][j] - m_i)
 * A few rows at a time are processed as one flat array. */
static void softmax(size_t n, size_t Y, double *s, double *logz)
{
    if (Y == 0) return;
    const size_t step = Y < FLAT ? FLAT / Y : 1;
    for (size_t begin = 0; begin < n; begin += step, s += step * Y) {
        const size_t count = n - begin < step ? n - begin : step, flat = count * Y;

        for (size_t i = 0; i < count; i++) {
            const double top = logz[begin + i] = row_max(Y, s + i * Y);
            for (size_t j = 0; j < Y; j++) s[i * Y + j] -= top;
        }

        size_t e = 0;
        for (; e + LANES <= flat; e += LANES) store(s + e, exp_lanes(load(s + e)));
        if (e < flat) {
            const vec last = exp_lanes(load_part(s + e, flat - e, 0));
            memcpy(s + e, &last, (flat - e) * sizeof *s);
        }

        double sum[FLAT + LANES];
        for (size_t i = 0; i < count; i++) {
            sum[i] = row_sum(Y, s + i * Y);
            const double scale = 1 / sum[i];
            for (size_t j = 0; j < Y; j++) s[i * Y + j] *= scale;
        }
        for (size_t i = count; i % LANES != 0; i++) sum[i] = 1;
        for (size_t i = 0; i < count; i += LANES) {
            const vec part = log_lanes(load(sum + i));
            for (size_t l = 0; l < LANES && i + l < count; l++) logz[begin + i + l] += part[l];
        }
    }
}

/* ---- rising factorials ---------------------------------------------------------------- */

/* k such that b 2^k is nearest to c, for b and c > 0, and 2^k itself. The bits of a number, read
 * as an integer, are nearly linear in its logarithm, so that c / (b 2^k) is in [2/3, 3/2]. */
INLINE vec nearest_power(vec b, vec c, vec *power)
{
    const double one = 1, shift = 0x1.8p52;
    int64_t one_bits, shift_bits;
    memcpy(&one_bits, &one, sizeof one_bits);
    memcpy(&shift_bits, &shift, sizeof shift_bits);
    const ivec apart = (ivec)c - (ivec)b + ((int64_t)1 << 51);
    const ivec exponent = apart & (int64_t)0xfff0000000000000;
    *power = (vec)(exponent + one_bits);
    return (vec)((exponent >> 52) + shift_bits) - shift;
}

/* log(c / b), for b and c > 0. */
INLINE vec log_quotient(vec b, vec c)
{
    vec power;
    const vec k = nearest_power(b, c, &power), near = b * power;
    return k * LN2 + log_of_ratio(c - near, c + near);
}

/* log(1 + x / b), for b > 0 and x >= 0, whatever is left of x in b + x:
 *     b + x - 2^k b = x - (2^k - 1) b,     which is x where k = 0 */
INLINE vec log_growth(vec b, vec x)
{
    vec power;
    const vec k = nearest_power(b, b + x, &power);
    return k * LN2 + log_of_ratio(x - (power - 1) * b, x + (power + 1) * b);
}

/* The rest of Stirling's series after its first terms, for z >= 8 and r = 1 / z. */
INLINE vec stirling_tail(vec r)
{
    const vec q = r * r;
    vec p = 691.0 / 360360 - q * (1 / 156.0);
    p = 1 / 1188.0 - q * p;
    p = 1 / 1680.0 - q * p;
    p = 1 / 1260.0 - q * p;
    p = 1 / 360.0 - q * p;
    p = 1 / 12.0 - q * p;
    return r * p;
}

/* The steps of cluster/log_rising_factorial.h, but always all of them. With z = a + 8, w = z + x,
 *     lG(w) - lG(z) = (w - 1/2) log(w / z) + x (log z - 1) + tail(w) - tail(z)
 * in which no large terms cancel, and
 *     lG(a + x) - lG(a) = lG(w) - lG(z) - log prod_{i<8} (a + x + i) / (a + i)
 * whose products of four do not overflow and need not be divided. */
INLINE vec rise_lanes(vec a, vec x)
{
    const vec c = a + x, z = a + 8.0, w = z + x, one = 1 / (z * w);
    const vec a4 = a * (a + 1.0) * ((a + 2.0) * (a + 3.0));
    const vec c4 = c * (c + 1.0) * ((c + 2.0) * (c + 3.0));
    const vec a8 = (a + 4.0) * (a + 5.0) * ((a + 6.0) * (a + 7.0));
    const vec c8 = (c + 4.0) * (c + 5.0) * ((c + 6.0) * (c + 7.0));
    const vec series = (w - 0.5) * log_growth(z, x) + x * (log_lanes(z) - 1.0);
    const vec tails = stirling_tail(z * one) - stirling_tail(w * one);
    return series + (tails - (log_quotient(a4, c4) + log_quotient(a8, c8)));
}

static void rises(size_t n, const double *a, const double *x, double *out)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) store(out + i, rise_lanes(load(a + i), load(x + i)));
    if (i < n) {
        const vec last = rise_lanes(load_part(a + i, n - i, 1), load_part(x + i, n - i, 0));
        memcpy(out + i, &last, (n - i) * sizeof *out);
    }
}

/* ---- long vectors --------------------------------------------------------------------- */

/* Four partial sums, so that additions do not wait for each other. */
static double dot(size_t n, const double *a, const double *b)
{
    vec p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        p0 += load(a + i) * load(b + i);
        p1 += load(a + i + LANES) * load(b + i + LANES);
        p2 += load(a + i + 2 * LANES) * load(b + i + 2 * LANES);
        p3 += load(a + i + 3 * LANES) * load(b + i + 3 * LANES);
    }
    for (; i + LANES <= n; i += LANES) p0 += load(a + i) * load(b + i);
    if (i < n) p1 += load_part(a + i, n - i, 0) * load_part(b + i, n - i, 0);
    return sum_lanes((p0 + p1) + (p2 + p3));
}

static double curvature(size_t n, const double *r, const float *a)
{
    typedef PASTE(narrow_float, LANES) few;
    vec curved = {0}, squares = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vec x = load(r + i), d = x - __builtin_convertvector(*(const few *)(a + i), vec);
        const vec size = larger(x, -x), left = 1 - size, square = d * d;
        curved += size * larger(left, -left) * square;
        squares += square;
    }
    double sum = sum_lanes(curved), all = sum_lanes(squares);
    for (; i < n; i++) {
        const double d = r[i] - (double)a[i];
        sum += fabs(r[i] * (1 - fabs(r[i]))) * d * d;
        all += d * d;
    }
    return all > 0 ? sum / all : 0;
}

INLINE double approach_one(double b, double r, float *a)
{
    const float to = (float)((double)*a + b * (r - (double)*a));
    const double move = (double)to - (double)*a;
    *a = to;
    return move;
}

static double approach(size_t n, double b, const double *r, float *a, double *move)
{
    typedef PASTE(narrow_float, LANES) few;
    vec squares = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vec from = __builtin_convertvector(*(const few *)(a + i), vec);
        const few to = __builtin_convertvector(from + b * (load(r + i) - from), few);
        const vec by = __builtin_convertvector(to, vec) - from;
        *(few *)(a + i) = to;
        store(move + i, by);
        squares += by * by;
    }
    double sum = sum_lanes(squares);
    for (; i < n; i++) {
        move[i] = approach_one(b, r[i], a + i);
        sum += move[i] * move[i];
    }
    return sum;
}

/* Multiplies everything by r = 1/h at rate 1, which leaves one root and one division. */
INLINE bool descend_by(size_t n, double rate, double l1, double l2, const double *g,
                       const double *mean, double *square, double *w)
{
    const double less = rate * l1, more = rate * l2;
    uint64_t lost = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = g ? g[i] : 0, centre = mean ? mean[i] : 0;
        const double sum = square ? square[i] + d * d : 1, r = sqrt(sum > 0 ? sum : 1);
        const double x = r * (w[i] - centre) - rate * d, size = fabs(x) - less;
        const double to = centre + copysign(size > 0 ? size : 0, x) / (r + more);
        const bool fine = fabs(to) <= DBL_MAX;
        if (square) square[i] = sum;
        w[i] = fine ? to : w[i];
        lost += !fine;
    }
    return lost == 0;
}

static bool descend(size_t n, double rate, double l1, double l2, const double *g,
                    const double *mean, double *square, double *w)
{
    if (!square) return descend_by(n, rate, l1, l2, g, mean, NULL, w);
    if (mean) return descend_by(n, rate, l1, l2, g, mean, square, w);
    if (g) return descend_by(n, rate, l1, l2, g, NULL, square, w);
    return descend_by(n, rate, l1, l2, NULL, NULL, square, w);
}

/* Two registers of the result at a time: reads the m vectors side by side and writes y once. */
static void combine(size_t n, size_t m, const double *c, const double *const *v, double *y)
{
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        vec p0 = {0}, p1 = {0};
        for (size_t j = 0; j < m; j++) {
            p0 += c[j] * load(v[j] + i);
            p1 += c[j] * load(v[j] + i + LANES);
        }
        store(y + i, p0);
        store(y + i + LANES, p1);
    }
    for (; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++) sum += c[j] * v[j][i];
        y[i] = sum;
    }
}

/* ---- chains of labels ----------------------------------------------------------------- */

#include "math/kernels_chain.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const cau_kernels PASTE(cau_kernels, CAU_ISA) = {
    .isa = TEXT(CAU_ISA),
    .rows = rows,
    .rows_listed = rows_listed,
    .pull_listed = pull_listed,
    .push = push,
    .softmax = softmax,
    .rises = rises,
    .dot = dot,
    .combine = combine,
    .curvature = curvature,
    .approach = approach,
    .descend = descend,
    .score = score,
    .span = span,
    .exp_row = exp_row,
    .chain_forward = chain_forward,
    .chain_backward = chain_backward,
    .chain_forward_rows = chain_forward_rows,
    .chain_backward_rows = chain_backward_rows,
    .chain_best = chain_best,
    .chain_log = chain_log,
    .chain_meet = chain_meet,
    .chain_counts = chain_counts,
};
