/* kernels_row.h - one row of a sparse-times-dense product, for weights of type T in registers of V
 * elements. This is a template: kernels.c defines T and V and includes it once for each pair. */

#define NAME(what) PASTE(PASTE(what, T), V)
#if V == 1
typedef T NAME(narrow);
typedef double NAME(wide);
#define WIDEN(x) ((double)(x))
#else
typedef T NAME(narrow) __attribute__((vector_size(V * sizeof(T)), aligned(sizeof(T)), may_alias));
typedef double NAME(wide)
    __attribute__((vector_size(V * sizeof(double)), aligned(sizeof(double)), may_alias));
#if V == 8 /* one instruction: GCC 12 makes two halves of the other form */
#define WIDEN(x) ((NAME(wide)){(x)[0], (x)[1], (x)[2], (x)[3], (x)[4], (x)[5], (x)[6], (x)[7]})
#else
#define WIDEN(x) __builtin_convertvector((x), NAME(wide))
#endif
#endif

/* Sets the lanes of x whose flag is not 0 to 0. */
INLINE void NAME(clear)(NAME(wide) * x, const uint8_t *fixed)
{
#if V == 1
    if (*fixed) *x = 0;
#else
    typedef uint8_t bytes __attribute__((vector_size(V)));
    typedef int64_t masks __attribute__((vector_size(V * sizeof(int64_t))));
    bytes flags;
    memcpy(&flags, fixed, V);
    const masks keep = __builtin_convertvector(flags, masks) - 1; /* 0 or -1 */
    *x = (NAME(wide))((masks)*x & keep);
#endif
}

/*     out[j] = init[j] + sum_i value[i] W[id[i]][j],      j = 0 .. N-1
 * for V <= N <= BLOCK, N a compile-time constant. W has `stride` columns. init may be NULL or out
 * itself, value may be NULL. `reach` >= count ids can be read: those after `count` belong to the
 * following rows and are prefetched. A reach of 0 prefetches nothing. */
INLINE void NAME(row)(size_t count, size_t reach, const uint32_t *id, const float *value,
                      size_t stride, const T *W, const double *init, double *out, const size_t N)
{
    const size_t registers = (N + V - 1) / V;
    NAME(wide) sum[BLOCK / V];

    for (size_t q = 0; q < registers; q++)
        sum[q] = init ? *(const NAME(wide) *)(init + register_at(q, N, V)) : (NAME(wide)){0};

    for (size_t i = 0; i < count; i++) {
        if (reach) {
            const size_t next = i + AHEAD < reach ? i + AHEAD : reach - 1;
            prefetch_row(W + id[next] * stride, N, sizeof(T));
        }
        const T *w = W + id[i] * stride;
        for (size_t q = 0; q < registers; q++) {
            const NAME(wide) term = WIDEN(*(const NAME(narrow) *)(w + register_at(q, N, V)));
            if (value)
                sum[q] += (double)value[i] * term;
            else
                sum[q] += term;
        }
    }

    for (size_t q = 0; q < registers; q++) *(NAME(wide) *)(out + register_at(q, N, V)) = sum[q];
}

/*     out[c] = sum_i value[i] W[start[id[i]] + ...],      for the cells c that id[i] lists,
 * for V <= N <= BLOCK cells. Rows that list all cells are summed in registers. */
INLINE void NAME(listed)(size_t count, size_t reach, const uint32_t *id, const float *value,
                         const size_t *start, const uint32_t *cell, const T *W, double *out,
                         const size_t N)
{
    const size_t registers = (N + V - 1) / V;
    NAME(wide) sum[BLOCK / V];
    double whole[BLOCK];

    for (size_t q = 0; q < registers; q++) sum[q] = (NAME(wide)){0};
    for (size_t j = 0; j < N; j++) out[j] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t at = start[id[i]], stop = start[id[i] + 1];
        const size_t ahead = start[id[i + AHEAD < reach ? i + AHEAD : reach - 1]];
        const double v = value ? (double)value[i] : 1;
        prefetch_row(W + ahead, N, sizeof(T));
        __builtin_prefetch(&cell[ahead]);
        if (stop - at == N)
            for (size_t q = 0; q < registers; q++) {
                const NAME(wide) w = WIDEN(*(const NAME(narrow) *)(W + at + register_at(q, N, V)));
                if (value)
                    sum[q] += v * w;
                else
                    sum[q] += w;
            }
        else
            for (size_t j = at; j < stop; j++) out[cell[j]] += v * (double)W[j];
    }
    for (size_t q = 0; q < registers; q++) *(NAME(wide) *)(whole + register_at(q, N, V)) = sum[q];
    for (size_t j = 0; j < N; j++) out[j] += whole[j];
}

/*     W[j] += a r[j],      j = 0 .. N-1, except fixed ones (may be NULL),
 * for V <= N <= BLOCK. Reads everything before it writes, because registers may overlap. */
INLINE void NAME(push)(double a, const double *r, const uint8_t *fixed, double *W, const size_t N)
{
    const size_t registers = (N + V - 1) / V;
    NAME(wide) sum[BLOCK / V];
    for (size_t q = 0; q < registers; q++) {
        const size_t at = register_at(q, N, V);
        NAME(wide) term = a * *(const NAME(wide) *)(r + at);
        if (fixed) NAME(clear)(&term, fixed + at);
        sum[q] = *(const NAME(wide) *)(W + at) + term;
    }
    for (size_t q = 0; q < registers; q++) *(NAME(wide) *)(W + register_at(q, N, V)) = sum[q];
}

#undef NAME
#undef WIDEN
#undef V
