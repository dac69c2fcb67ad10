/* clusters.c - how well clusterings agree with classes.
 *
 * N items stand in classes c = 1..C and in clusters k = 1..K; n_ck of them in both, n_c. in the
 * class and n_.k in the cluster. Of the table n_ck only the cells that are not 0 are ever looked
 * at. They are runs of equal pairs once the items are sorted, so everything here takes
 * O(N log N) time and O(N) memory, however many classes and clusters there are.
 *
 * Entropies [1, 2], in nats, where 0 log 0 = 0:
 *     H(C)   = - sum_c n_c./N log(n_c./N)          H(K) likewise
 *     H(C|K) = - sum_ck n_ck/N log(n_ck/n_.k)      H(K|C) likewise
 *     homogeneity   h   = 1 - H(C|K) / H(C)        1 where H(C) = 0: one class
 *     completeness  c   = 1 - H(K|C) / H(K)        1 where H(K) = 0: one cluster
 *     v-beta        V_b = (1+b) h c / (b h + c)    0 where b h + c = 0
 *     v                   b = 1;  v-beta [3] takes b = K/C: above 1 completeness weighs more
 *     vi                = H(C|K) + H(K|C)          0 is best, at most log N
 *
 * Pairs of items, with p(n) = n (n-1) / 2:
 *     I = sum_ck p(n_ck)  in the same class and cluster
 *     A = sum_c p(n_c.)   in the same class,    B = sum_k p(n_.k)  in the same cluster
 *     pair-precision = I / B          1 where B = 0: no pair was put together, so none wrongly
 *     pair-recall    = I / A          1 where A = 0: there is no pair to be found
 *     pair-f1        = 2 I / (A + B)  1 where A + B = 0: all items are alone in both
 *     adjusted-rand  = (I - E) / ((A+B)/2 - E)  with  E = A B / p(N), what chance expects [4]
 * The denominator is 0 only if A (p(N) - B) + B (p(N) - A) = 0: if all items are alone in both,
 * or together in both. Then the two are the same partition, and adjusted-rand is 1.
 *
 *     purity = sum_k max_c n_ck / N
 *
 * Of no items at all every measure says that the two agree.
 *
 * Files, averages over samples and the report, its JSON as well, are in clusters_read.c.
 *
 * [1] Rosenberg, Hirschberg. V-Measure. EMNLP 2007.
 * [2] Meila. Comparing clusterings - an information based distance. 2007.
 * [3] Vlachos, Korhonen, Ghahramani. Unsupervised and constrained Dirichlet process mixture
 *     models for verb clustering. GEMS 2009.
 * [4] Hubert, Arabie. Comparing partitions. 1985. */

#include "eval/clusters.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* What items sorted by group, then by part, tell of groups and of parts within groups. Taken by
 * cluster and class it is one half of the formulas, by class and cluster the other. */
typedef struct {
    size_t groups;
    double entropy;     /* H(group) */
    double conditional; /* H(part | group) */
    double pairs;       /* in the same group */
    double both;        /* in the same group and part */
    double largest;     /* items in the largest part of their group */
} half;

static double pairs_of(size_t n)
{
    return (double)n * ((double)n - 1) / 2;
}

/* How many items from `i` on have the same bits from `shift` on. */
static size_t run(const uint64_t *items, size_t N, size_t i, unsigned shift)
{
    size_t end = i + 1;
    while (end < N && items[end] >> shift == items[i] >> shift) end++;
    return end - i;
}

/* items [N] are group << 32 | part, sorted. A part that is the whole of its group adds exactly 0
 * to H(part | group), so that the best values are reached exactly. */
static half measure_half(const uint64_t *items, size_t N)
{
    half h = {0};
    for (size_t i = 0, n; i < N; i += n) {
        size_t largest = 0;
        n = run(items, N, i, 32);
        for (size_t j = i, m; j < i + n; j += m) {
            m = run(items, N, j, 0);
            h.conditional += (double)m / (double)N * log((double)n / (double)m);
            h.both += pairs_of(m);
            if (m > largest) largest = m;
        }
        h.groups++;
        h.entropy += (double)n / (double)N * log((double)N / (double)n);
        h.pairs += pairs_of(n);
        h.largest += (double)largest;
    }
    return h;
}

static int compare_items(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* 1 - H(X|Y)/H(X), which rounding must not make negative. */
static double explained(double conditional, double entropy)
{
    return entropy > 0 ? fmax(0, 1 - conditional / entropy) : 1;
}

static double v_measure(double beta, double h, double c)
{
    const double below = beta * h + c;
    return below > 0 ? (1 + beta) * h * c / below : 0;
}

static double share(double a, double b)
{
    return b > 0 ? a / b : 1;
}

static double adjusted_rand(double I, double A, double B, double all)
{
    if (A == B && (A == 0 || A == all)) return 1;
    const double expected = A * (B / all);
    return (I - expected) / ((A + B) / 2 - expected);
}

caucus_status cau_cluster_measure(const uint32_t *classes, const uint32_t *clusters, size_t N,
                                  cau_cluster_measures *out)
{
    uint64_t *items = cau_alloc(N, sizeof *items);
    if (!items) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < N; i++) items[i] = (uint64_t)clusters[i] << 32 | classes[i];
    qsort(items, N, sizeof *items, compare_items);
    const half k = measure_half(items, N); /* C | K */
    for (size_t i = 0; i < N; i++) items[i] = items[i] << 32 | items[i] >> 32;
    qsort(items, N, sizeof *items, compare_items);
    const half c = measure_half(items, N); /* K | C */
    free(items);

    cau_cluster_measures m = {
        .homogeneity = explained(k.conditional, c.entropy),
        .completeness = explained(c.conditional, k.entropy),
        .beta = share((double)k.groups, (double)c.groups),
        .vi = k.conditional + c.conditional,
        .rand_adjusted = adjusted_rand(k.both, c.pairs, k.pairs, pairs_of(N)),
        .purity = share(k.largest, (double)N),
        .pair_precision = share(k.both, k.pairs),
        .pair_recall = share(k.both, c.pairs),
        .pair_f1 = share(2 * k.both, c.pairs + k.pairs),
        .clusters = (double)k.groups,
    };
    m.v = v_measure(1, m.homogeneity, m.completeness);
    m.v_beta = v_measure(m.beta, m.homogeneity, m.completeness);
    *out = m;
    return CAUCUS_OK;
}
