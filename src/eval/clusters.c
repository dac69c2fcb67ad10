/* clusters.c - how well clusterings agree with classes.
 *
 * N items are in classes c = 1..C and in clusters k = 1..K; n_ck of them in both, n_c. in the
 * class and n_.k in the cluster. Only the cells of the table n_ck that are not 0 are used: they are
 * runs of equal pairs once the items are sorted, so this takes O(N log N) time and O(N) memory,
 * however many classes and clusters there are.
 *
 * Entropies [1, 2], in nats, where 0 log 0 = 0:
 *     H(C)   = - sum_c n_c./N log(n_c./N)          H(K) likewise
 *     H(C|K) = - sum_ck n_ck/N log(n_ck/n_.k)      H(K|C) likewise
 *     homogeneity   h   = 1 - H(C|K) / H(C)        1 if H(C) = 0: one class
 *     completeness  c   = 1 - H(K|C) / H(K)        1 if H(K) = 0: one cluster
 *     v-beta        V_b = (1+b) h c / (b h + c)    0 if b h + c = 0
 *     v                   b = 1;  v-beta [3] takes b = K/C: above 1 completeness weighs more
 *     vi                = H(C|K) + H(K|C)          0 is best, at most log N
 *
 * Pairs of items, with p(n) = n (n-1) / 2:
 *     I = sum_ck p(n_ck)  in the same class and cluster
 *     A = sum_c p(n_c.)   in the same class,    B = sum_k p(n_.k)  in the same cluster
 *     pair-precision = I / B          1 if B = 0: no pair was put together, so none wrongly
 *     pair-recall    = I / A          1 if A = 0: there is no pair to be found
 *     pair-f1        = 2 I / (A + B)  1 if A + B = 0: all items are alone in both
 *     rand           = (p(N) - A - B + 2 I) / p(N)      pairs on which both agree [4]
 *     adjusted-rand  = (I - E) / ((A+B)/2 - E)  with  E = A B / p(N), what chance expects [4]
 * The denominator is 0 only if A (p(N) - B) + B (p(N) - A) = 0: if all items are alone in both,
 * or together in both. Then the two are the same partition, and adjusted-rand is 1.
 *
 *     purity = sum_k max_c n_ck / N
 *
 * If there are no items, every measure has its best value.
 *
 * Of files: the items and their classes are read first, so that a file of clusterings, which may
 * have many samples side by side, is one table of numbers, [samples][N]; it is measured and freed
 * before the next file is opened. Measures of samples are averaged, not measures of one "best"
 * sample. Of S > 1 samples there are also the standard deviation (divisor S - 1) and the
 * percentiles 2.5 and 97.5, interpolated between neighbours (position q (S-1) in the sorted sample,
 * from 0).
 *
 * docs/evaluation.md describes the JSON.
 *
 * [1] Rosenberg, Hirschberg. V-Measure. EMNLP 2007.
 * [2] Meila. Comparing clusterings - an information based distance. 2007.
 * [3] Vlachos, Korhonen, Ghahramani. Unsupervised and constrained Dirichlet process mixture
 *     models for verb clustering. GEMS 2009.
 * [4] Hubert, Arabie. Comparing partitions. 1985. */

#include "eval/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/memory.h"
#include "base/status.h"
#include "text/columns.h"
#include "text/lines.h"

/* ---- one clustering ------------------------------------------------------------------ */

/* Sums over items sorted by group, then by part. By cluster and class they give one half of the
 * formulas, by class and cluster the other. */
typedef struct {
    size_t groups;
    double entropy;     /* H(group) */
    double conditional; /* H(part | group) */
    double pairs;       /* in the same group */
    double both;        /* in the same group and part */
    double largest;     /* items in the largest part of their group */
} half_sums;

static double pairs_of(size_t n)
{
    return (double)n * ((double)n - 1) / 2;
}

/* How many items from `i` on have the same bits from `shift` on. */
static size_t count_run(const uint64_t *items, size_t N, size_t i, unsigned shift)
{
    size_t end = i + 1;
    while (end < N && items[end] >> shift == items[i] >> shift) end++;
    return end - i;
}

/* items [N] are group << 32 | part, sorted. A part that is the whole of its group adds exactly 0
 * to H(part | group), so that the best values are reached exactly. */
static half_sums measure_half(const uint64_t *items, size_t N)
{
    half_sums h = {0};
    for (size_t i = 0, n; i < N; i += n) {
        size_t largest = 0;
        n = count_run(items, N, i, 32);
        for (size_t j = i, m; j < i + n; j += m) {
            m = count_run(items, N, j, 0);
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
    const half_sums k = measure_half(items, N); /* C | K */
    for (size_t i = 0; i < N; i++) items[i] = items[i] << 32 | items[i] >> 32;
    qsort(items, N, sizeof *items, compare_items);
    const half_sums c = measure_half(items, N); /* K | C */
    free(items);

    cau_cluster_measures m = {
        .homogeneity = explained(k.conditional, c.entropy),
        .completeness = explained(c.conditional, k.entropy),
        .beta = share((double)k.groups, (double)c.groups),
        .vi = k.conditional + c.conditional,
        .rand = share(pairs_of(N) - c.pairs - k.pairs + 2 * k.both, pairs_of(N)),
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

/* ---- measures over samples ----------------------------------------------------------- */

#define AT(field) offsetof(cau_cluster_measures, field)

static const struct {
    const char *name;
    size_t at;
    const char *about;
} measures[] = {
    {"v", AT(v), "harmonic mean of homogeneity and completeness"},
    {"v-beta", AT(v_beta), "the same, weighted by beta = clusters / classes"},
    {"vi", AT(vi), "variation of information in nats; 0 is best"},
    {"homogeneity", AT(homogeneity), "1 if each cluster has items of one class only"},
    {"completeness", AT(completeness), "1 if each class has all its items in one cluster"},
    {"rand", AT(rand), "share of the pairs that both put together or apart"},
    {"adjusted-rand", AT(rand_adjusted), "agreement of pairs; chance agreement is 0"},
    {"purity", AT(purity), "share of the items in the largest class of their cluster"},
    {"pair-precision", AT(pair_precision),
     "share of the pairs in one cluster that are of one class"},
    {"pair-recall", AT(pair_recall), "share of the pairs of one class that are in one cluster"},
    {"pair-f1", AT(pair_f1), "harmonic mean of the two"},
    {"clusters", AT(clusters), "number of clusters"},
};
enum { MEASURES = sizeof measures / sizeof *measures };

static double measure_at(const cau_cluster_measures *m, size_t i)
{
    double x;
    memcpy(&x, (const char *)m + measures[i].at, sizeof x);
    return x;
}

double cau_cluster_measure_get(const cau_cluster_measures *m, const char *measure)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (strcmp(measures[i].name, measure) == 0) return measure_at(m, i);
    return (double)NAN;
}

/* Clusterings while they are read. */
typedef struct {
    cau_alphabet *items, *classes;
    size_t N;
    uint32_t *class;   /* [N] by the number of the item */
    size_t *gold_line; /* [N] */
    size_t class_room, line_room;

    cau_cluster_measures *sample; /* [S] */
    size_t S, sample_room;
} clusterings;

static void clusterings_clear(clusterings *c)
{
    cau_alphabet_free(c->items);
    cau_alphabet_free(c->classes);
    free(c->class);
    free(c->gold_line);
    free(c->sample);
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value at q of the way through sorted values x [n]. */
static double percentile(const double *x, size_t n, double q)
{
    const double position = q * (double)(n - 1);
    const size_t i = (size_t)position;
    return i + 1 < n ? x[i] + (position - (double)i) * (x[i + 1] - x[i]) : x[n - 1];
}

/* Adds the summary of x [n], which is sorted by it. */
static void add_summary(cau_tree *tree, const char *key, double *x, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += (x[i] - mean) / (double)(i + 1);
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    qsort(x, n, sizeof *x, compare_reals);
    const double deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : (double)NAN;
    cau_tree_record(tree, key, {"mean", cau_json_number(mean)},
                    {"deviation", cau_json_number(deviation)},
                    {"low", cau_json_number(n > 1 ? percentile(x, n, 0.025) : (double)NAN)},
                    {"high", cau_json_number(n > 1 ? percentile(x, n, 0.975) : (double)NAN)});
}

static caucus_status summarise(caucus_ctx *ctx, const clusterings *c, cau_tree *tree)
{
    double *x = cau_alloc(c->S, sizeof *x);
    if (!x) return cau_fail_memory(ctx, "the measures");
    cau_tree_object(tree, NULL);
    cau_tree_fields(tree, {"format", cau_json_count(1)}, {"items", cau_json_count(c->N)},
                    {"classes", cau_json_count(cau_alphabet_size(c->classes))},
                    {"samples", cau_json_count(c->S)});
    cau_tree_object(tree, "measures");
    for (size_t i = 0; i < MEASURES; i++) {
        for (size_t s = 0; s < c->S; s++) x[s] = measure_at(&c->sample[s], i);
        add_summary(tree, measures[i].name, x, c->S);
    }
    cau_tree_end(tree);
    cau_tree_end(tree);
    free(x);
    return cau_tree_status(ctx, tree);
}

void cau_clusterings_print(const json_t *root, cau_writer *out)
{
    static const cau_column one[] = {
        {"measure       ", "<{name}"}, {"   value", "{of.mean:.4f}"}, {NULL, "<{about}"}};
    static const cau_column several[] = {
        {"measure       ", "<{name}"},       {"    mean", "{of.mean:.4f}"},
        {"deviation", "{of.deviation:.4f}"}, {"    2.5%", "{of.low:.4f}"},
        {"   97.5%", "{of.high:.4f}"},       {NULL, "<{about}"}};
    const bool spread = cau_count_at(root, "samples") > 1;
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    for (size_t i = 0; i < MEASURES; i++) {
        json_t *of = json_object_get(cau_at(root, "measures"), measures[i].name);
        cau_tree_record(&rows, NULL, {"name", cau_json_string(measures[i].name)},
                        {"about", cau_json_string(measures[i].about)}, {"of", json_incref(of)});
    }
    cau_print(out, root,
              "{samples} sample{samples:|s} of {items} item{items:|s} in {classes} "
              "class{classes:|es}\n\n");
    cau_print_rows(out, spread ? several : one, spread ? 6 : 3, &rows);
    if (spread)
        cau_print(out, NULL,
                  "(each measure is computed for every sample; 95% of the samples are between 2.5% "
                  "and 97.5%)\n");
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool is_blank(cau_str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.s[i] != ' ' && line.s[i] != '\t') return false;
    return true;
}

static const cau_separator by_tab = {'\t', false};

static size_t count_columns(cau_str line)
{
    size_t columns = 0;
    for (cau_str column; cau_column_first(&line, by_tab, &column);) columns++;
    return columns;
}

/* Rejects a line unless it has `want` columns (0: two or more), none of them empty. */
static caucus_status check_columns(caucus_ctx *ctx, const cau_lines *lines, cau_str line,
                                   size_t want, const char *what)
{
    const size_t found = count_columns(line);
    if (found < 2)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "only one column; give an item, a TAB and its %s",
                        CAU_AT_ARGS(lines), what);
    if (want && found != want)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%zu columns instead of %zu; fix the line or drop it",
                        CAU_AT_ARGS(lines), found, want);
    for (cau_str column; cau_column_first(&line, by_tab, &column);)
        if (column.n == 0)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "a column is empty; fix the line or drop it",
                            CAU_AT_ARGS(lines));
    return CAUCUS_OK;
}

static caucus_status fail_repeated(caucus_ctx *ctx, const cau_lines *lines, cau_str item,
                                   size_t before)
{
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "the item '%.*s' is in line %zu already; drop one of them",
                    CAU_AT_ARGS(lines), CAU_SHOWN(item), before);
}

/* Reads a line that is not blank. */
typedef caucus_status cluster_row_fn(caucus_ctx *ctx, void *self, const cau_lines *lines,
                                     cau_str line);

static caucus_status each_row(caucus_ctx *ctx, const char *path, cluster_row_fn *row, void *self)
{
    caucus_status st = CAUCUS_OK;
    cau_lines *lines = NULL;
    size_t rows = 0;
    TRY(cau_lines_open(ctx, path, &lines));
    for (;;) {
        cau_str line;
        TRY(cau_lines_next(ctx, lines, &line));
        if (!line.s) break;
        if (is_blank(line)) continue;
        TRY(row(ctx, self, lines, line));
        rows++;
    }
    if (rows == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: no items; give lines of an item, a TAB and its class or cluster",
                     cau_lines_name(lines)));
done:
    cau_lines_free(lines);
    return st;
}

/* Reads a line of gold classes: item TAB class. */
static caucus_status read_class(caucus_ctx *ctx, void *self, const cau_lines *lines, cau_str line)
{
    clusterings *c = self;
    caucus_status st = check_columns(ctx, lines, line, 2, "class");
    if (st) return st;
    cau_str item, class;
    cau_column_first(&line, by_tab, &item);
    cau_column_first(&line, by_tab, &class);
    const uint32_t i = cau_alphabet_add(c->items, item.s, item.n);
    const uint32_t y = cau_alphabet_add(c->classes, class.s, class.n);
    if (i == CAU_UNKNOWN || y == CAU_UNKNOWN || !CAU_GROW(c->class, c->class_room, c->N + 1) ||
        !CAU_GROW(c->gold_line, c->line_room, c->N + 1))
        return cau_fail_memory(ctx, "the classes");
    if (i < c->N) return fail_repeated(ctx, lines, item, c->gold_line[i]);
    c->class[c->N] = y;
    c->gold_line[c->N++] = cau_lines_number(lines);
    return CAUCUS_OK;
}

/* A file of clusterings while it is read. */
typedef struct {
    const clusterings *of;
    const char *gold;
    cau_alphabet *names; /* of clusters, in any column */
    size_t columns;      /* samples; 0 before the first line */
    uint32_t *cluster;   /* [columns][N] */
    size_t *line;        /* [N] line of the item; 0: not found yet */
} cluster_file;

/* Reads a line of it: item TAB cluster TAB cluster ... */
static caucus_status read_clusters(caucus_ctx *ctx, void *self, const cau_lines *lines,
                                   cau_str line)
{
    cluster_file *f = self;
    const size_t N = f->of->N;
    caucus_status st = check_columns(ctx, lines, line, f->columns ? f->columns + 1 : 0, "cluster");
    if (st) return st;
    if (f->columns == 0) {
        size_t cells;
        f->columns = count_columns(line) - 1;
        if (cau_size_mul(f->columns, N, &cells)) f->cluster = cau_alloc(cells, sizeof *f->cluster);
        if (!f->cluster) return cau_fail_memory(ctx, "the clusters");
    }

    cau_str item, name;
    cau_column_first(&line, by_tab, &item);
    const uint32_t i = cau_alphabet_find(f->of->items, item.s, item.n);
    if (i == CAU_UNKNOWN)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the item '%.*s' has no class in %s; add it there, or drop the "
                               "line",
                        CAU_AT_ARGS(lines), CAU_SHOWN(item), f->gold);
    if (f->line[i]) return fail_repeated(ctx, lines, item, f->line[i]);
    f->line[i] = cau_lines_number(lines);
    for (size_t s = 0; s < f->columns; s++) {
        cau_column_first(&line, by_tab, &name);
        const uint32_t k = cau_alphabet_add(f->names, name.s, name.n);
        if (k == CAU_UNKNOWN) return cau_fail_memory(ctx, "the clusters");
        f->cluster[s * N + i] = k;
    }
    return CAUCUS_OK;
}

/* The name of a path in messages. */
static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Adds the samples of a file. */
static caucus_status read_samples(caucus_ctx *ctx, clusterings *c, const char *gold,
                                  const char *path)
{
    caucus_status st = CAUCUS_OK;
    cluster_file f = {.of = c, .gold = name_of(gold)};
    f.line = cau_calloc(c->N, sizeof *f.line);
    if (!f.line) TRY(cau_fail_memory(ctx, "the clusters"));
    TRY(cau_alphabet_new(ctx, &f.names));
    TRY(each_row(ctx, path, read_clusters, &f));
    for (uint32_t i = 0; i < c->N; i++)
        if (f.line[i] == 0) {
            const cau_str item = cau_alphabet_name(c->items, i);
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         "%s:%zu: the item '%.*s' has no cluster in %s; add it there, or drop the "
                         "line",
                         f.gold, c->gold_line[i], CAU_SHOWN(item), name_of(path)));
        }
    size_t samples;
    if (!cau_size_add(c->S, f.columns, &samples) || !CAU_GROW(c->sample, c->sample_room, samples))
        TRY(cau_fail_memory(ctx, "the samples"));
    for (size_t s = 0; s < f.columns; s++) {
        if (cau_cluster_measure(c->class, f.cluster + s * c->N, c->N, &c->sample[c->S]))
            TRY(cau_fail_memory(ctx, "the measures"));
        c->S++;
    }
done:
    cau_alphabet_free(f.names);
    free(f.cluster);
    free(f.line);
    return st;
}

caucus_status cau_clusterings_read(caucus_ctx *ctx, const char *gold, const char *const *paths,
                                   size_t count, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    clusterings c = {0};
    TRY(cau_alphabet_new(ctx, &c.items));
    TRY(cau_alphabet_new(ctx, &c.classes));
    TRY(each_row(ctx, gold, read_class, &c));
    for (size_t i = 0; i < count; i++) TRY(read_samples(ctx, &c, gold, paths[i]));
    if (c.S == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "no clusterings; give files of an item, a TAB and its cluster"));
    TRY(summarise(ctx, &c, tree));
done:
    clusterings_clear(&c);
    return st;
}
