/* clusters.c - how well clusterings agree with classes.
 *
 * N items are in classes c = 1..C and in clusters k = 1..K: n_ck items in both, n_c. in the class,
 * n_.k in the cluster. Only the cells of the table n_ck that are not 0 are used. They are runs of
 * equal pairs in the sorted items, so the measures take O(N log N) time and O(N) memory for any
 * number of classes and clusters.
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
 *     pair-precision = I / B          1 if B = 0: every cluster has one item
 *     pair-recall    = I / A          1 if A = 0: every class has one item
 *     pair-f1        = 2 I / (A + B)  1 if A + B = 0: both of these
 *     rand           = (p(N) - A - B + 2 I) / p(N)      pairs on which both agree [4]
 *     adjusted-rand  = (I - E) / ((A+B)/2 - E)  with  E = A B / p(N), expected by chance [4]
 * The denominator is 0 only if A (p(N) - B) + B (p(N) - A) = 0, that is, if A = B = 0 or
 * A = B = p(N). Then classes and clusters are the same partition, and adjusted-rand is 1.
 *
 *     purity = sum_k max_c n_ck / N
 *
 * If there are no items, every measure has its best value.
 *
 * The items and their classes are read first. A file of clusterings may have many samples, one in
 * each column; it is read into a table [samples][N], measured, and freed before the next file is
 * opened. The report has the mean of each measure over the samples and, for S > 1 samples, the
 * standard deviation (divisor S - 1) and the percentiles 2.5 and 97.5, interpolated between
 * neighbours (position q (S-1), from 0, in the sorted sample).
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

/* 1 - H(X|Y)/H(X); rounding must not make it negative. */
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

/* Gold classes and the measures of the samples read so far. */
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

/* The quantile q of sorted values x [n]. */
static double percentile(const double *x, size_t n, double q)
{
    const double position = q * (double)(n - 1);
    const size_t i = (size_t)position;
    return i + 1 < n ? x[i] + (position - (double)i) * (x[i + 1] - x[i]) : x[n - 1];
}

/* Adds the summary of x [n], and sorts x. */
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

/* A file of rows, an item and one or more columns that belong to it. */
typedef struct {
    cau_lines *lines;
    cau_str *column; /* [columns] of the current row */
    size_t columns, room;
} row_reader;

static caucus_status fail_repeated(caucus_ctx *ctx, const row_reader *r, size_t before)
{
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "the item '%.*s' is in line %zu already; drop one of them",
                    CAU_AT_ARGS(r->lines), CAU_SHOWN(r->column[0]), before);
}

/* Splits a line into `want` columns (0: two or more), none of which may be empty. */
static caucus_status split_row(caucus_ctx *ctx, row_reader *r, cau_str line, size_t want,
                               const char *what)
{
    bool empty = false;
    r->columns = 0;
    for (cau_str column; cau_column_first(&line, by_tab, &column);) {
        if (!CAU_GROW(r->column, r->room, r->columns + 1)) return cau_fail_memory(ctx, "the row");
        r->column[r->columns++] = column;
        empty |= column.n == 0;
    }
    if (r->columns < 2)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "only one column; give an item, a TAB and its %s",
                        CAU_AT_ARGS(r->lines), what);
    if (want && r->columns != want)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%zu columns instead of %zu; fix the line or drop it",
                        CAU_AT_ARGS(r->lines), r->columns, want);
    if (empty)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "a column is empty; fix the line or drop it",
                        CAU_AT_ARGS(r->lines));
    return CAUCUS_OK;
}

/* Moves to the next row that is not blank; *more is false at the end of the file. */
static caucus_status next_row(caucus_ctx *ctx, row_reader *r, size_t want, const char *what,
                              bool *more)
{
    for (;;) {
        cau_str line;
        const caucus_status st = cau_lines_next(ctx, r->lines, &line);
        if (st) return st;
        *more = line.s != NULL;
        if (*more && is_blank(line)) continue;
        if (*more) return split_row(ctx, r, line, want, what);
        if (r->columns) return CAUCUS_OK;
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: no items; give lines of an item, a TAB and its class or cluster",
                        cau_lines_name(r->lines));
    }
}

static void row_reader_clear(row_reader *r)
{
    cau_lines_free(r->lines);
    free(r->column);
}

/* Reads gold classes: item TAB class. */
static caucus_status read_classes(caucus_ctx *ctx, clusterings *c, const char *path)
{
    caucus_status st = CAUCUS_OK;
    row_reader r = {0};
    TRY(cau_lines_open(ctx, path, &r.lines));
    for (bool more;;) {
        TRY(next_row(ctx, &r, 2, "class", &more));
        if (!more) break;
        const uint32_t i = cau_alphabet_add(c->items, r.column[0].s, r.column[0].n);
        const uint32_t y = cau_alphabet_add(c->classes, r.column[1].s, r.column[1].n);
        if (i == CAU_UNKNOWN || y == CAU_UNKNOWN || !CAU_GROW(c->class, c->class_room, c->N + 1) ||
            !CAU_GROW(c->gold_line, c->line_room, c->N + 1))
            TRY(cau_fail_memory(ctx, "the classes"));
        if (i < c->N) TRY(fail_repeated(ctx, &r, c->gold_line[i]));
        c->class[c->N] = y;
        c->gold_line[c->N++] = cau_lines_number(r.lines);
    }
done:
    row_reader_clear(&r);
    return st;
}

/* A file of clusterings while it is read. */
typedef struct {
    const clusterings *of;
    const char *gold;
    cau_alphabet *names; /* of clusters, in any column */
    size_t samples;
    uint32_t *cluster; /* [samples][N]; NULL before the first row */
    size_t *line;      /* [N] line of the item; 0: not found yet */
} cluster_file;

/* Adds a row of it: item TAB cluster TAB cluster ... */
static caucus_status add_clusters(caucus_ctx *ctx, cluster_file *f, const row_reader *r)
{
    const cau_str item = r->column[0];
    const uint32_t i = cau_alphabet_find(f->of->items, item.s, item.n);
    if (i == CAU_UNKNOWN)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the item '%.*s' has no class in %s; add it there, or drop the "
                               "line",
                        CAU_AT_ARGS(r->lines), CAU_SHOWN(item), f->gold);
    if (f->line[i]) return fail_repeated(ctx, r, f->line[i]);
    f->line[i] = cau_lines_number(r->lines);
    for (size_t s = 0; s < f->samples; s++) {
        const cau_str name = r->column[s + 1];
        const uint32_t k = cau_alphabet_add(f->names, name.s, name.n);
        if (k == CAU_UNKNOWN) return cau_fail_memory(ctx, "the clusters");
        f->cluster[s * f->of->N + i] = k;
    }
    return CAUCUS_OK;
}

static caucus_status read_clusters(caucus_ctx *ctx, cluster_file *f, const char *path)
{
    caucus_status st = CAUCUS_OK;
    row_reader r = {0};
    TRY(cau_lines_open(ctx, path, &r.lines));
    for (bool more;;) {
        TRY(next_row(ctx, &r, f->cluster ? f->samples + 1 : 0, "cluster", &more));
        if (!more) break;
        if (!f->cluster) {
            size_t cells;
            f->samples = r.columns - 1;
            if (cau_size_mul(f->samples, f->of->N, &cells))
                f->cluster = cau_alloc(cells, sizeof *f->cluster);
            if (!f->cluster) TRY(cau_fail_memory(ctx, "the clusters"));
        }
        TRY(add_clusters(ctx, f, &r));
    }
done:
    row_reader_clear(&r);
    return st;
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
    TRY(read_clusters(ctx, &f, path));
    for (uint32_t i = 0; i < c->N; i++)
        if (f.line[i] == 0) {
            const cau_str item = cau_alphabet_name(c->items, i);
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         "%s:%zu: the item '%.*s' has no cluster in %s; add it there, or drop the "
                         "line",
                         f.gold, c->gold_line[i], CAU_SHOWN(item), name_of(path)));
        }
    size_t samples;
    if (!cau_size_add(c->S, f.samples, &samples) || !CAU_GROW(c->sample, c->sample_room, samples))
        TRY(cau_fail_memory(ctx, "the samples"));
    for (size_t s = 0; s < f.samples; s++) {
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
    TRY(read_classes(ctx, &c, gold));
    for (size_t i = 0; i < count; i++) TRY(read_samples(ctx, &c, gold, paths[i]));
    if (c.S == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "no clusterings; give files of an item, a TAB and its cluster"));
    TRY(summarise(ctx, &c, tree));
done:
    clusterings_clear(&c);
    return st;
}
