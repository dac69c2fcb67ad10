/* clusters_read.c - clusterings from files, and what their measures come to over all samples.
 *
 * The items and their classes are read first, so that a file of clusterings, which may have many
 * samples side by side, is one table of numbers, [samples][N]; it is measured and forgotten before
 * the next file is opened.
 *
 * Measures of samples are averaged, not measures of one "best" sample. Of S > 1 samples there are
 * also the standard deviation (divisor S - 1) and the percentiles 2.5 and 97.5, which lie between
 * neighbours in proportion (position q (S-1) in the sorted sample, from 0).
 *
 * As JSON:
 *
 *   {
 *     "format": 1,            this layout; a change of meaning makes it 2
 *     "items": 9, "classes": 3, "samples": 100,
 *     "measures": {
 *       "v": {"mean": 0.71, "deviation": 0.02, "low": 0.68, "high": 0.75}, ...}
 *   }
 *
 * with the names of the report; deviation, low and high are null where there is one sample. */

#include "eval/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"
#include "text/lines.h"

/* ---- measures over samples ------------------------------------------------------------------ */

#define AT(field) offsetof(cau_cluster_measures, field)

/* The measures by name, as the report has them. */
static const struct {
    const char *name;
    size_t at;
    int decimals; /* of the report */
    const char *says;
} measures[] = {
    {"v", AT(v), 4, "harmonic mean of homogeneity and completeness"},
    {"v-beta", AT(v_beta), 4, "the same, weighted by beta = clusters / classes"},
    {"vi", AT(vi), 4, "variation of information in nats; 0 is best"},
    {"homogeneity", AT(homogeneity), 4, "1 where each cluster has items of one class only"},
    {"completeness", AT(completeness), 4, "1 where each class has all its items in one cluster"},
    {"adjusted-rand", AT(rand_adjusted), 4, "pairs that agree; 0 is what chance expects"},
    {"purity", AT(purity), 4, "items in the largest class of their cluster"},
    {"pair-precision", AT(pair_precision), 4, "of the pairs in one cluster: those of one class"},
    {"pair-recall", AT(pair_recall), 4, "of the pairs of one class: those in one cluster"},
    {"pair-f1", AT(pair_f1), 4, "harmonic mean of the two"},
    {"clusters", AT(clusters), 1, "how many there are"},
};
enum { MEASURES = sizeof measures / sizeof *measures };

static double measure_of(const cau_cluster_measures *m, size_t i)
{
    double x;
    memcpy(&x, (const char *)m + measures[i].at, sizeof x);
    return x;
}

/* Of one measure over the samples; all but the mean are NaN where there is one sample. */
typedef struct {
    double mean, deviation, low, high;
} summary;

struct cau_clusterings {
    cau_alphabet *items, *classes;
    size_t N;
    uint32_t *class;   /* [N] by the number of the item */
    size_t *gold_line; /* [N] */
    size_t class_room, line_room;

    cau_cluster_measures *sample; /* [S] */
    size_t S, sample_room;
    summary of[MEASURES];
};

void cau_clusterings_free(cau_clusterings *c)
{
    if (!c) return;
    cau_alphabet_free(c->items);
    cau_alphabet_free(c->classes);
    free(c->class);
    free(c->gold_line);
    free(c->sample);
    free(c);
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

/* x [n] is left sorted. */
static summary summarise(double *x, size_t n)
{
    summary s = {0, (double)NAN, (double)NAN, (double)NAN};
    double squares = 0;
    for (size_t i = 0; i < n; i++) s.mean += (x[i] - s.mean) / (double)(i + 1);
    if (n == 1) return s;
    for (size_t i = 0; i < n; i++) squares += (x[i] - s.mean) * (x[i] - s.mean);
    qsort(x, n, sizeof *x, compare_reals);
    s.deviation = sqrt(squares / (double)(n - 1));
    s.low = percentile(x, n, 0.025);
    s.high = percentile(x, n, 0.975);
    return s;
}

static caucus_status summarise_all(caucus_ctx *ctx, cau_clusterings *c)
{
    double *x = cau_alloc(c->S, sizeof *x);
    if (!x) return cau_fail_memory(ctx, "the measures");
    for (size_t i = 0; i < MEASURES; i++) {
        for (size_t s = 0; s < c->S; s++) x[s] = measure_of(&c->sample[s], i);
        c->of[i] = summarise(x, c->S);
    }
    free(x);
    return CAUCUS_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool is_blank(cau_str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.s[i] != ' ' && line.s[i] != '\t') return false;
    return true;
}

/* Cuts the next column off *rest, which is {NULL, 0} after the last. */
static cau_str next_column(cau_str *rest)
{
    const char *tab = memchr(rest->s, '\t', rest->n);
    if (!tab) {
        const cau_str last = *rest;
        *rest = (cau_str){NULL, 0};
        return last;
    }
    const cau_str column = {rest->s, (size_t)(tab - rest->s)};
    *rest = (cau_str){tab + 1, rest->n - column.n - 1};
    return column;
}

static size_t count_columns(cau_str line)
{
    size_t columns = 1;
    for (size_t i = 0; i < line.n; i++) columns += line.s[i] == '\t';
    return columns;
}

/* Refuses a line that has not `want` columns (0: any number from 2 on) or an empty one. */
static caucus_status check_columns(caucus_ctx *ctx, const cau_lines *lines, cau_str line,
                                   size_t want, const char *what)
{
    const size_t found = count_columns(line);
    if (found < 2)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "one column only; a line is an item, a TAB and its %s",
                        CAU_AT_ARGS(lines), what);
    if (want && found != want)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%zu columns instead of %zu; fix the line or drop it",
                        CAU_AT_ARGS(lines), found, want);
    for (cau_str rest = line; rest.s;)
        if (next_column(&rest).n == 0)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "a column is empty; fix the line or drop it",
                            CAU_AT_ARGS(lines));
    return CAUCUS_OK;
}

static caucus_status twice(caucus_ctx *ctx, const cau_lines *lines, cau_str item, size_t before)
{
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "the item '%.*s' stands in line %zu already; drop one of them",
                    CAU_AT_ARGS(lines), CAU_SHOWN(item), before);
}

/* Calls `row` for each line that is not blank; cau_lines_name(lines) names the file. */
typedef caucus_status row_fn(caucus_ctx *ctx, void *self, const cau_lines *lines, cau_str line);

static caucus_status each_row(caucus_ctx *ctx, const char *path, row_fn *row, void *self)
{
    caucus_status st = CAUCUS_OK;
    cau_input *in = NULL;
    cau_lines *lines = NULL;
    size_t rows = 0;
    TRY(cau_input_open(ctx, path, &in));
    TRY(cau_lines_new(ctx, in, &lines));
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

/* A line of the gold: item TAB class. */
static caucus_status read_class(caucus_ctx *ctx, void *self, const cau_lines *lines, cau_str line)
{
    cau_clusterings *c = self;
    caucus_status st = check_columns(ctx, lines, line, 2, "class");
    if (st) return st;
    const cau_str item = next_column(&line), class = next_column(&line);
    const uint32_t i = cau_alphabet_add(c->items, item.s, item.n);
    const uint32_t y = cau_alphabet_add(c->classes, class.s, class.n);
    if (i == CAU_UNKNOWN || y == CAU_UNKNOWN || !CAU_GROW(c->class, c->class_room, c->N + 1) ||
        !CAU_GROW(c->gold_line, c->line_room, c->N + 1))
        return cau_fail_memory(ctx, "the classes");
    if (i < c->N) return twice(ctx, lines, item, c->gold_line[i]);
    c->class[c->N] = y;
    c->gold_line[c->N++] = cau_lines_number(lines);
    return CAUCUS_OK;
}

/* A file of clusterings on its way in. */
typedef struct {
    const cau_clusterings *of;
    const char *gold;
    cau_alphabet *names; /* of clusters, in whatever column */
    size_t columns;      /* samples; 0 before the first line */
    uint32_t *cluster;   /* [columns][N] */
    size_t *line;        /* [N] where the item stands; 0: not yet */
} cluster_file;

/* A line of it: item TAB cluster TAB cluster ... */
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

    const cau_str item = next_column(&line);
    const uint32_t i = cau_alphabet_find(f->of->items, item.s, item.n);
    if (i == CAU_UNKNOWN)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the item '%.*s' has no class in %s; add it there, or drop the "
                               "line",
                        CAU_AT_ARGS(lines), CAU_SHOWN(item), f->gold);
    if (f->line[i]) return twice(ctx, lines, item, f->line[i]);
    f->line[i] = cau_lines_number(lines);
    for (size_t s = 0; s < f->columns; s++) {
        const cau_str name = next_column(&line);
        const uint32_t k = cau_alphabet_add(f->names, name.s, name.n);
        if (k == CAU_UNKNOWN) return cau_fail_memory(ctx, "the clusters");
        f->cluster[s * N + i] = k;
    }
    return CAUCUS_OK;
}

/* A path as messages name it. */
static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Adds the samples of a file. */
static caucus_status read_samples(caucus_ctx *ctx, cau_clusterings *c, const char *gold,
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
                                   size_t count, cau_clusterings **out)
{
    caucus_status st = CAUCUS_OK;
    cau_clusterings *c = cau_calloc(1, sizeof *c);
    if (!c) TRY(cau_fail_memory(ctx, "the clusterings"));
    TRY(cau_alphabet_new(ctx, &c->items));
    TRY(cau_alphabet_new(ctx, &c->classes));
    TRY(each_row(ctx, gold, read_class, c));
    for (size_t i = 0; i < count; i++) TRY(read_samples(ctx, c, gold, paths[i]));
    if (c->S == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "no clusterings; give files of an item, a TAB and its cluster"));
    TRY(summarise_all(ctx, c));
    *out = c;
    c = NULL; /* the caller owns it from here */
done:
    cau_clusterings_free(c);
    return st;
}

double cau_cluster_measure_get(const cau_cluster_measures *m, const char *measure)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (strcmp(measures[i].name, measure) == 0) return measure_of(m, i);
    return (double)NAN;
}

double cau_clusterings_get(const cau_clusterings *c, const char *measure)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (strcmp(measures[i].name, measure) == 0) return c->of[i].mean;
    return (double)NAN;
}

/* ---- what is told of it ------------------------------------------------------------------ */

enum { NAME_WIDTH = 14, NUMBER_WIDTH = 10 };

static cau_str text(const char *s)
{
    return (cau_str){s, strlen(s)};
}

static const char *plural(size_t count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

void cau_clusterings_report(const cau_clusterings *c, cau_writer *sheet)
{
    const size_t C = cau_alphabet_size(c->classes);
    const bool spread = c->S > 1;
    cau_strbuf_printf(&sheet->text, "%zu sample%s of %zu item%s in %zu class%s\n\n", c->S,
                      plural(c->S, "", "s"), c->N, plural(c->N, "", "s"), C, plural(C, "", "es"));
    cau_writer_left(sheet, text("measure"), NAME_WIDTH);
    cau_writer_right(sheet, text(spread ? "mean" : "value"), NUMBER_WIDTH);
    if (spread)
        for (size_t i = 0; i < 3; i++)
            cau_writer_right(sheet, text((const char *[]){"deviation", "2.5%", "97.5%"}[i]),
                             NUMBER_WIDTH);
    cau_strbuf_add(&sheet->text, "\n", 1);
    for (size_t i = 0; i < MEASURES; i++) {
        const summary *s = &c->of[i];
        const double numbers[] = {s->mean, s->deviation, s->low, s->high};
        cau_writer_left(sheet, text(measures[i].name), NAME_WIDTH);
        for (size_t j = 0; j < (spread ? 4 : 1); j++)
            cau_writer_number(sheet, numbers[j], measures[i].decimals, NUMBER_WIDTH);
        cau_strbuf_printf(&sheet->text, "   %s\n", measures[i].says);
    }
    if (spread)
        cau_strbuf_printf(&sheet->text,
                          "(each measure is taken of every sample; 95%% of the samples "
                          "lie from 2.5%% to 97.5%%)\n");
}

static json_t *number(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

json_t *cau_clusterings_json(const cau_clusterings *c, cau_writer *sheet)
{
    json_t *root = json_object(), *all = json_object();
    cau_writer_put(sheet, root, "format", json_integer(1));
    cau_writer_put(sheet, root, "items", json_integer((json_int_t)c->N));
    cau_writer_put(sheet, root, "classes", json_integer((json_int_t)cau_alphabet_size(c->classes)));
    cau_writer_put(sheet, root, "samples", json_integer((json_int_t)c->S));
    for (size_t i = 0; i < MEASURES; i++) {
        json_t *one = json_object();
        cau_writer_put(sheet, one, "mean", number(c->of[i].mean));
        cau_writer_put(sheet, one, "deviation", number(c->of[i].deviation));
        cau_writer_put(sheet, one, "low", number(c->of[i].low));
        cau_writer_put(sheet, one, "high", number(c->of[i].high));
        cau_writer_put(sheet, all, measures[i].name, one);
    }
    cau_writer_put(sheet, root, "measures", all);
    return root;
}
