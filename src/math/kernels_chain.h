/* kernels_chain.h - the inner loops of chains of labels. Part of kernels.c, which includes it.
 *
 * The labels of a position are the lanes. Rows of labels and of matrices are padded to `stride`
 * numbers, a multiple of CAU_CHAIN_PAD and so of the lanes, and start at a multiple of 64
 * bytes: every register is loaded in one piece and there is no tail. What comes from outside
 * (node scores, counts) has rows of Y numbers.
 *
 * Sums, maxima and log-sums over the label before have one shape: the results of WIDTH
 * registers of columns stay in registers while the rows of the matrix stream by. A sum waits
 * four cycles for the one before it, so that few registers are not enough to keep the machine
 * busy: narrow matrices sum up to four rows side by side. */

enum { WIDTH = 8 };

/* CALL with the number of registers left at column j, up to WIDTH, as a constant R. */
#define BY_WIDTH(stride, j, CALL)                                                                  \
    switch (((stride) - (j)) / LANES) {                                                            \
    case 1:                                                                                        \
        CALL(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        CALL(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        CALL(3);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        CALL(4);                                                                                   \
        break;                                                                                     \
    case 5:                                                                                        \
        CALL(5);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        CALL(6);                                                                                   \
        break;                                                                                     \
    case 7:                                                                                        \
        CALL(7);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        CALL(8);                                                                                   \
    }

/* sum[r] = sum_i v[i] M[i][..], R registers of columns from M on. */
INLINE void times(size_t Y, size_t stride, const double *v, const double *M, vec *sum,
                  const size_t R)
{
    const size_t side = R <= 2 ? 4 : R <= 4 ? 2 : 1; /* rows side by side */
    vec part[4][WIDTH];
    for (size_t s = 0; s < side; s++)
        for (size_t r = 0; r < R; r++) part[s][r] = (vec){0};
    size_t i = 0;
    for (; i + side <= Y; i += side, M += side * stride)
        for (size_t s = 0; s < side; s++)
            for (size_t r = 0; r < R; r++)
                part[s][r] += v[i + s] * load(M + s * stride + r * LANES);
    for (; i < Y; i++, M += stride)
        for (size_t r = 0; r < R; r++) part[0][r] += v[i] * load(M + r * LANES);
    for (size_t r = 0; r < R; r++) {
        sum[r] = part[0][r];
        for (size_t s = 1; s < side; s++) sum[r] += part[s][r];
    }
}

INLINE vec forward_block(size_t Y, size_t stride, const double *v, const double *M, const double *S,
                         double scale, double *out, const size_t R)
{
    vec sum[WIDTH], all = {0};
    times(Y, stride, v, M, sum, R);
    for (size_t r = 0; r < R; r++) {
        const vec x = sum[r] * (scale * load(S + r * LANES));
        store(out + r * LANES, x);
        all += x;
    }
    return all;
}

static double chain_forward(size_t Y, size_t stride, const double *v, const double *M,
                            const double *S, double scale, double *out)
{
    vec all = {0};
    for (size_t j = 0; j < stride; j += WIDTH * LANES) {
#define FORWARD(R) all += forward_block(Y, stride, v, M + j, S + j, scale, out + j, R)
        BY_WIDTH(stride, j, FORWARD)
#undef FORWARD
    }
    return sum_lanes(all);
}

INLINE void backward_block(size_t Y, size_t stride, const double *v, const double *M, double *beta,
                           const size_t R)
{
    vec sum[WIDTH];
    times(Y, stride, v, M, sum, R);
    for (size_t r = 0; r < R; r++) store(beta + r * LANES, sum[r]);
}

static void chain_backward(size_t Y, size_t stride, const double *v, const double *M, double *beta)
{
    for (size_t j = 0; j < stride; j += WIDTH * LANES) {
#define BACKWARD(R) backward_block(Y, stride, v, M + j, beta + j, R)
        BY_WIDTH(stride, j, BACKWARD)
#undef BACKWARD
    }
}

/* Several rows v at once: each load of M serves the sums of all of them, which pays if M exceeds
 * the first-level cache. The sums of ABREAST rows and PANEL registers of columns fit in registers.
 */
enum { ABREAST = LANES == 8 ? 8 : 4, PANEL = 3 };

/* sum[s][r] = sum_i v[s][i] M[i][..] for N rows. */
INLINE void times_rows(size_t Y, size_t stride, const double *const *v, const double *M,
                       vec sum[ABREAST][PANEL], const size_t N, const size_t R)
{
    for (size_t s = 0; s < N; s++)
        for (size_t r = 0; r < R; r++) sum[s][r] = (vec){0};
    for (size_t i = 0; i < Y; i++, M += stride)
        for (size_t s = 0; s < N; s++)
            for (size_t r = 0; r < R; r++) sum[s][r] += v[s][i] * load(M + r * LANES);
}

/* CALL with the number of registers left at column j, up to PANEL, as a constant R. */
#define BY_PANEL(stride, j, CALL)                                                                  \
    switch (((stride) - (j)) / LANES) {                                                            \
    case 1:                                                                                        \
        CALL(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        CALL(2);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        CALL(3);                                                                                   \
    }

INLINE void forward_panel(size_t Y, size_t stride, const double *const *v, const double *M,
                          const double *const *S, const double *scale, double *const *out, size_t j,
                          vec *all, const size_t N, const size_t R)
{
    vec sum[ABREAST][PANEL];
    times_rows(Y, stride, v, M + j, sum, N, R);
    for (size_t s = 0; s < N; s++)
        for (size_t r = 0; r < R; r++) {
            const vec x = sum[s][r] * (scale[s] * load(S[s] + j + r * LANES));
            store(out[s] + j + r * LANES, x);
            all[s] += x;
        }
}

INLINE void forward_rows(size_t Y, size_t stride, const double *const *v, const double *M,
                         const double *const *S, const double *scale, double *const *out, double *z,
                         const size_t N)
{
    vec all[ABREAST];
    for (size_t s = 0; s < N; s++) all[s] = (vec){0};
    for (size_t j = 0; j < stride; j += PANEL * LANES) {
#define FORWARD(R) forward_panel(Y, stride, v, M, S, scale, out, j, all, N, R)
        BY_PANEL(stride, j, FORWARD)
#undef FORWARD
    }
    for (size_t s = 0; s < N; s++) z[s] = sum_lanes(all[s]);
}

static void chain_forward_rows(size_t n, size_t Y, size_t stride, const double *const *v,
                               const double *M, const double *const *S, const double *scale,
                               double *const *out, double *z)
{
    size_t s = 0;
    for (; s + ABREAST <= n; s += ABREAST)
        forward_rows(Y, stride, v + s, M, S + s, scale + s, out + s, z + s, ABREAST);
    for (; s + 2 <= n; s += 2)
        forward_rows(Y, stride, v + s, M, S + s, scale + s, out + s, z + s, 2);
    if (s < n) z[s] = chain_forward(Y, stride, v[s], M, S[s], scale[s], out[s]);
}

INLINE void backward_rows(size_t Y, size_t stride, const double *const *v, const double *M,
                          double *out, const size_t N)
{
    for (size_t j = 0; j < stride; j += PANEL * LANES) {
        vec sum[ABREAST][PANEL];
#define BACKWARD(R)                                                                                \
    times_rows(Y, stride, v, M + j, sum, N, R);                                                    \
    for (size_t s = 0; s < N; s++)                                                                 \
        for (size_t r = 0; r < R; r++) store(out + s * stride + j + r * LANES, sum[s][r])
        BY_PANEL(stride, j, BACKWARD)
#undef BACKWARD
    }
}

static void chain_backward_rows(size_t n, size_t Y, size_t stride, const double *const *v,
                                const double *M, double *out)
{
    size_t s = 0;
    for (; s + ABREAST <= n; s += ABREAST)
        backward_rows(Y, stride, v + s, M, out + s * stride, ABREAST);
    for (; s + 2 <= n; s += 2) backward_rows(Y, stride, v + s, M, out + s * stride, 2);
    if (s < n) chain_backward(Y, stride, v[s], M, out + s * stride);
}

/* The last register of p overlaps the one before, as for rows in kernels.c. */
static void chain_meet(size_t Y, size_t stride, const double *alpha, const double *beta,
                       const double *S, double scale, double *gamma, double *p)
{
    for (size_t j = 0; j < stride; j += LANES)
        store(gamma + j, load(beta + j) * (scale * load(S + j)));
    if (Y < LANES) {
        for (size_t j = 0; j < Y; j++) p[j] = alpha[j] * beta[j];
        return;
    }
    for (size_t q = 0; q * LANES < Y; q++) {
        const size_t j = register_at(q, Y, LANES);
        store(p + j, load(alpha + j) * load(beta + j));
    }
}

/* Sums over positions for a block of ROWS x C registers of matrix cells. For each position, each
 * loaded register serves ROWS sums and each number C sums. */
enum { ROWS = 4, COLUMNS = LANES == 8 ? 4 : 2 };

INLINE void counts_block(size_t n, size_t Y, size_t stride, const double *e, const double *alpha,
                         const double *gamma, size_t i, size_t j, double *counts, const size_t C)
{
    vec sum[ROWS][COLUMNS];
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < C; c++) sum[r][c] = (vec){0};
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 0; c < C; c++)
                sum[r][c] += alpha[t * stride + i + r] * load(gamma + t * stride + j + c * LANES);

    for (size_t r = 0; r < ROWS; r++) {
        if (i + r >= Y) break;
        for (size_t c = 0; c < C; c++) {
            const size_t at = j + c * LANES;
            const vec x = sum[r][c] * load(e + (i + r) * stride + at);
            double *to = counts + (i + r) * Y + at;
            if (at + LANES <= Y)
                store(to, load(to) + x);
            else
                for (size_t l = 0; at + l < Y; l++) to[l] += x[l];
        }
    }
}

static void chain_counts(size_t n, size_t Y, size_t stride, const double *e, const double *alpha,
                         const double *gamma, double *counts)
{
    for (size_t j = 0; j < stride; j += COLUMNS * LANES)
        for (size_t i = 0; i < Y; i += ROWS) {
            const size_t left = (stride - j) / LANES;
#define COUNTS(C) counts_block(n, Y, stride, e, alpha, gamma, i, j, counts, C)
            if (COLUMNS >= 4 && left >= 4)
                COUNTS(COLUMNS);
            else if (COLUMNS >= 4 && left == 3)
                COUNTS(COLUMNS - 1);
            else if (left >= 2)
                COUNTS(2);
            else
                COUNTS(1);
#undef COUNTS
        }
}

INLINE void best_block(size_t Y, size_t stride, const double *v, const double *M, double *out,
                       const size_t R)
{
    vec most[2][WIDTH];
    for (size_t r = 0; r < R; r++) most[0][r] = most[1][r] = -INFINITY - (vec){0};
    size_t i = 0;
    for (; i + 2 <= Y; i += 2, M += 2 * stride)
        for (size_t s = 0; s < 2; s++)
            for (size_t r = 0; r < R; r++)
                most[s][r] = larger(v[i + s] + load(M + s * stride + r * LANES), most[s][r]);
    if (i < Y)
        for (size_t r = 0; r < R; r++) most[0][r] = larger(v[i] + load(M + r * LANES), most[0][r]);
    for (size_t r = 0; r < R; r++) store(out + r * LANES, larger(most[0][r], most[1][r]));
}

static void chain_best(size_t Y, size_t stride, const double *v, const double *M,
                       const double *node, double *out)
{
    for (size_t j = 0; j < stride; j += WIDTH * LANES) {
#define BEST(R) best_block(Y, stride, v, M + j, out + j, R)
        BY_WIDTH(stride, j, BEST)
#undef BEST
    }
    for (size_t j = 0; j < Y; j++) out[j] += node[j];
}

/* With m the largest term, the sum of the terms relative to it is in [1, Y]. If all terms are
 * -INFINITY, so is the result. */
static void chain_log(size_t Y, size_t stride, const double *v, const double *M, double *out)
{
    for (size_t j = 0; j < stride; j += LANES) {
        vec most = -INFINITY - (vec){0}, sum = {0};
        for (size_t i = 0; i < Y; i++) most = larger(v[i] + load(M + i * stride + j), most);
        const ivec none = most == -INFINITY;
        const vec m = (vec)((ivec)most & ~none);
        for (size_t i = 0; i < Y; i++) sum += exp_lanes(v[i] + load(M + i * stride + j) - m);
        const vec x = m + log_lanes(sum);
        store(out + j, (vec)(((ivec)x & ~none) | ((ivec)most & none)));
    }
}

INLINE double largest_lane(vec x)
{
    double lane[LANES];
    memcpy(lane, &x, sizeof lane);
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            lane[i] = lane[i] > lane[i + half] ? lane[i] : lane[i + half];
    return lane[0];
}

/* The smallest is minus the largest of -x; x - x is 0, or NaN if x is not finite. */
static bool span(size_t n, const double *x, double *least, double *most)
{
    double low = -x[0], high = x[0], rest = 0;
    if (n >= LANES) {
        vec lows = -load(x), highs = load(x), rests = {0};
        for (size_t q = 0; q * LANES < n; q++) {
            const vec at = load(x + register_at(q, n, LANES));
            lows = larger(-at, lows);
            highs = larger(at, highs);
            rests += at - at;
        }
        low = largest_lane(lows);
        high = largest_lane(highs);
        rest = sum_lanes(rests);
    } else {
        for (size_t j = 0; j < n; j++) {
            low = -x[j] > low ? -x[j] : low;
            high = x[j] > high ? x[j] : high;
            rest += x[j] - x[j];
        }
    }
    *least = -low;
    *most = high;
    return rest == 0;
}

static void exp_row(size_t Y, size_t stride, const double *x, double top, double *out)
{
    if (Y < LANES) {
        const vec e = exp_lanes(load_part(x, Y, top) - top);
        for (size_t j = 0; j < Y; j++) out[j] = e[j];
        for (size_t j = Y; j < stride; j++) out[j] = 0;
        return;
    }
    for (size_t j = Y / LANES * LANES; j < stride; j += LANES) store(out + j, (vec){0});
    for (size_t q = 0; q * LANES < Y; q++) {
        const size_t j = register_at(q, Y, LANES);
        store(out + j, exp_lanes(load(x + j) - top));
    }
}
