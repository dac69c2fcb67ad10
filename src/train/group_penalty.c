/* group_penalty.c - see group_penalty.h.
 *
 * A group is a list of ranges of weights, one for each of its rows. Its proximal step, with
 * c = step l1 sqrt(n_g) and s_k the scale of a weight, v = s w, is
 *     z = argmin 1/2 |z - v|^2 + c r,                r = |z / s|
 *     0 = z_k - v_k + c z_k / (s_k^2 r),    so       z_k = v_k s_k^2 r / (s_k^2 r + c)
 * unless |s v| <= c, when z = 0. Inserting z_k into r gives the equation for r,
 *     f(r) = sum_k ( s_k v_k / (s_k^2 r + c) )^2 = 1
 * 1/sqrt(f) is concave and increasing, so Newton's method for 1/sqrt(f) = 1 increases from r = 0
 * and never overshoots; with equal scales the function is linear, and one step suffices. Groups
 * share no weights, so threads process different groups, and the result does not depend on their
 * number.
 *
 * [1] Yuan, Lin. Model selection and estimation in regression with grouped variables. JRSS B 68,
 *     2006. */

#include "train/group_penalty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "dataset/feature_group.h"

enum {
    BLOCKS = 256, /* groups of a block */
    NEWTON_MAX = 60,
    NAMES_MAX = 50, /* of dropped groups in a description */
};

typedef struct {
    size_t begin, end;
    double scale;
    double square; /* scratch: sum of (s v)^2 */
} weight_range;

struct cau_group_penalty {
    size_t count;
    size_t *first;         /* [count + 1] into weights */
    weight_range *weights; /* the ranges of a group are adjacent */
    double *strength;      /* [count] l1 sqrt(n_g); 0: a group without weights */
    double *norm;          /* [count] |w_g| at the last call */
    unsigned threads;
    cau_feature_groups nodes, edges; /* of templates: a group each, those of the nodes first */
    bool named;
};

/* ---- making them ---------------------------------------------------------------------------- */

/* Row `row` of both tables and the common weights, numbered in this order. */
static weight_range row_at(const cau_group_penalty_options *o, size_t row)
{
    const size_t edges = cau_table_size(&o->nodes), common = edges + cau_table_size(&o->edges);
    const double scale = o->scale ? o->scale[row] : 1;
    if (row < o->nodes.rows)
        return (weight_range){cau_table_at(&o->nodes, row), cau_table_at(&o->nodes, row + 1), scale,
                              0};
    row -= o->nodes.rows;
    if (row < o->edges.rows)
        return (weight_range){edges + cau_table_at(&o->edges, row),
                              edges + cau_table_at(&o->edges, row + 1), scale, 0};
    return (weight_range){common, common + o->common, scale, 0};
}

/* The group of a row. */
static size_t group_of(const cau_group_penalty *g, const cau_group_penalty_options *o, size_t row)
{
    if (!g->named) return row;
    if (row < o->nodes.rows) return g->nodes.of[row];
    const size_t before = cau_alphabet_size(g->nodes.names);
    if (row < o->nodes.rows + o->edges.rows) return before + g->edges.of[row - o->nodes.rows];
    return before + cau_alphabet_size(g->edges.names);
}

/* Counting sort of the rows by group. first [count + 2] is zero. */
static void fill(cau_group_penalty *g, const cau_group_penalty_options *o, size_t rows)
{
    size_t *at = g->first + 1; /* counts, then positions; the starts are left */
    for (size_t row = 0; row < rows; row++) at[group_of(g, o, row) + 1]++;
    for (size_t i = 0; i < g->count; i++) at[i + 1] += at[i];
    for (size_t row = 0; row < rows; row++) {
        const size_t group = group_of(g, o, row);
        const weight_range w = row_at(o, row);
        g->weights[at[group]++] = w;
        for (size_t k = w.begin; k < w.end; k++) g->strength[group] += !(o->fixed && o->fixed[k]);
    }
    for (size_t i = 0; i < g->count; i++) g->strength[i] = o->l1 * sqrt(g->strength[i]);
}

caucus_status cau_group_penalty_new(caucus_ctx *ctx, const cau_group_penalty_options *o,
                                    cau_group_penalty **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t rows = o->nodes.rows + o->edges.rows + (o->common > 0);
    cau_group_penalty *g = cau_calloc(1, sizeof *g);
    if (!g) return cau_fail_memory(ctx, "the groups of weights");
    g->threads = o->threads;
    g->named = o->by == CAU_GROUP_TEMPLATE;
    g->count = rows;
    if (g->named) {
        TRY(cau_feature_groups_init(ctx, o->data->alphabets.names, &g->nodes));
        TRY(cau_feature_groups_init(ctx, o->data->alphabets.edges, &g->edges));
        g->count =
            cau_alphabet_size(g->nodes.names) + cau_alphabet_size(g->edges.names) + (o->common > 0);
    }
    g->first = cau_calloc(g->count + 2, sizeof *g->first);
    g->weights = cau_alloc(rows, sizeof *g->weights);
    g->strength = cau_calloc(g->count, sizeof *g->strength);
    g->norm = cau_calloc(g->count, sizeof *g->norm);
    if (!g->first || !g->weights || !g->strength || !g->norm)
        TRY(cau_fail_memory(ctx, "the groups of weights"));
    fill(g, o, rows);
    *out = g;
    g = NULL;
done:
    cau_group_penalty_free(g);
    return st;
}

void cau_group_penalty_free(cau_group_penalty *g)
{
    if (!g) return;
    cau_feature_groups_clear(&g->nodes);
    cau_feature_groups_clear(&g->edges);
    free(g->first);
    free(g->weights);
    free(g->strength);
    free(g->norm);
    free(g);
}

/* ---- using them ----------------------------------------------------------------------------- */

/* |v / s| */
static double norm_of(const cau_group_penalty *g, size_t group, const double *v)
{
    double sum = 0;
    for (size_t i = g->first[group]; i < g->first[group + 1]; i++) {
        const weight_range *w = &g->weights[i];
        double squares = 0;
        for (size_t k = w->begin; k < w->end; k++) squares += v[k] * v[k];
        sum += squares / (w->scale * w->scale);
    }
    return sqrt(sum);
}

/* r, the norm of the group after the step; 0: the whole group is 0. */
static double shrunk_norm(cau_group_penalty *g, size_t group, double c, const double *v)
{
    weight_range *const first = g->weights + g->first[group];
    weight_range *const end = g->weights + g->first[group + 1];
    double all = 0, r = 0;
    for (weight_range *w = first; w < end; w++) {
        w->square = 0;
        for (size_t k = w->begin; k < w->end; k++) w->square += v[k] * v[k];
        w->square *= w->scale * w->scale;
        all += w->square;
    }
    if (all <= c * c) return 0;
    for (int i = 0; i < NEWTON_MAX; i++) {
        double f = 0, slope = 0; /* -f'/2 */
        for (const weight_range *w = first; w < end; w++) {
            const double s2 = w->scale * w->scale, below = s2 * r + c;
            const double term = w->square / (below * below);
            f += term;
            slope += term * s2 / below;
        }
        const double step = (sqrt(f) - 1) * f / slope;
        if (!(step > 1e-15 * r)) break;
        r += step;
    }
    return r;
}

/* The proximal step of a group. */
static void shrink(cau_group_penalty *g, size_t group, double step, double *v)
{
    const double c = step * g->strength[group];
    if (c == 0) return;
    const double r = shrunk_norm(g, group, c, v);
    for (size_t i = g->first[group]; i < g->first[group + 1]; i++) {
        const weight_range *w = &g->weights[i];
        const double s2 = w->scale * w->scale, left = r > 0 ? s2 * r / (s2 * r + c) : 0;
        for (size_t k = w->begin; k < w->end; k++) v[k] = left > 0 ? left * v[k] : 0;
    }
}

typedef struct {
    cau_group_penalty *g;
    const double *v; /* output norms, or NULL */
    double *shrunk;  /* vector for a proximal step, or NULL */
    double step;
    size_t each; /* groups in a block */
} group_job;

static caucus_status do_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const group_job *j = self;
    cau_group_penalty *g = j->g;
    const size_t end = (block + 1) * j->each < g->count ? (block + 1) * j->each : g->count;
    for (size_t group = block * j->each; group < end; group++) {
        if (j->v)
            g->norm[group] = norm_of(g, group, j->v);
        else
            shrink(g, group, j->step, j->shrunk);
    }
    return CAUCUS_OK;
}

static void do_all(group_job j)
{
    j.each = j.g->count / BLOCKS + 1;
    (void)cau_parallel(j.g->threads, (j.g->count + j.each - 1) / j.each, do_block, &j);
}

void cau_group_penalty_prox(cau_group_penalty *g, double step, double *v)
{
    do_all((group_job){.g = g, .shrunk = v, .step = step});
}

double cau_group_penalty_penalty(cau_group_penalty *g, const double *v)
{
    double sum = 0;
    do_all((group_job){.g = g, .v = v});
    for (size_t i = 0; i < g->count; i++) sum += g->strength[i] * g->norm[i];
    return sum;
}

/* ---- description ---------------------------------------------------------------------------- */

static cau_str name_of(const cau_group_penalty *g, size_t group)
{
    static const char other[] = "(other)", plain[] = "(transitions)";
    const size_t nodes = cau_alphabet_size(g->nodes.names);
    const size_t edges = cau_alphabet_size(g->edges.names);
    if (group >= nodes + edges) return (cau_str){plain, sizeof plain - 1};
    const cau_str name = group < nodes
                             ? cau_alphabet_name(g->nodes.names, (uint32_t)group)
                             : cau_alphabet_name(g->edges.names, (uint32_t)(group - nodes));
    return name.n ? name : (cau_str){other, sizeof other - 1};
}

static int by_name(const void *a, const void *b)
{
    return cau_natural_compare(*(const cau_str *)a, *(const cau_str *)b);
}

void cau_group_penalty_describe(cau_group_penalty *g, const double *w, cau_strbuf *out)
{
    size_t all = 0, dropped = 0;
    cau_str *names = cau_alloc(g->count, sizeof *names);
    if (!names) {
        out->failed = true;
        return;
    }
    do_all((group_job){.g = g, .v = w}); /* zero norms do not depend on the scale */
    for (size_t i = 0; i < g->count; i++) {
        if (g->strength[i] == 0) continue; /* a group without weights */
        all++;
        if (g->norm[i] > 0) continue;
        if (g->named) names[dropped] = name_of(g, i);
        dropped++;
    }
    cau_strbuf_printf(out, "groups\t%zu\ngroups.kept\t%zu\n", all, all - dropped);
    if (g->named && dropped) {
        qsort(names, dropped, sizeof *names, by_name);
        cau_strbuf_printf(out, "groups.dropped\t");
        for (size_t i = 0; i < dropped && i < NAMES_MAX; i++) {
            if (i) cau_strbuf_add(out, " ", 1);
            cau_strbuf_escape(out, names[i]);
        }
        if (dropped > NAMES_MAX) cau_strbuf_printf(out, " and %zu more", dropped - NAMES_MAX);
        cau_strbuf_add(out, "\n", 1);
    }
    free(names);
}

/* Whether all features of a line of a template belong to a group that is 0. */
static bool is_dropped(const cau_group_penalty *g, cau_str line)
{
    if (line.n == 0 || !strchr("UuBb", line.s[0])) return false;
    const char *macro = memchr(line.s, '%', line.n);
    const size_t literal = macro ? (size_t)(macro - line.s) : 0;
    const cau_str kind = cau_feature_group_of((cau_str){line.s, literal});
    if (kind.n == literal) return false; /* the names of its features do not tell the pattern */
    const bool edge = line.s[0] == 'B' || line.s[0] == 'b';
    const cau_feature_groups *of = edge ? &g->edges : &g->nodes;
    const uint32_t id = cau_alphabet_find(of->names, kind.s, kind.n);
    if (id == CAU_UNKNOWN) return false;
    return g->norm[id + (edge ? cau_alphabet_size(g->nodes.names) : 0)] == 0;
}

void cau_group_penalty_prune(cau_group_penalty *g, const double *w, cau_str text, cau_strbuf *out)
{
    size_t patterns = 0;
    if (!g->named) return;
    do_all((group_job){.g = g, .v = w});
    for (size_t at = 0; at < text.n;) {
        const char *end = memchr(text.s + at, '\n', text.n - at);
        const cau_str line = {text.s + at, end ? (size_t)(end - text.s) - at : text.n - at};
        at += line.n + 1;
        const bool bag = line.n > 4 && memcmp(line.s, "@bag", 4) == 0;
        if (bag || is_dropped(g, line)) continue;
        patterns += line.n > 0 && strchr("UuBb*", line.s[0]) != NULL;
        cau_strbuf_add(out, line.s, line.n);
        cau_strbuf_add(out, "\n", 1);
    }
    if (patterns == 0) out->n = 0;
}
