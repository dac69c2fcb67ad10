/* cluster_report.c - what was found: as text, as JSON, as files and figures.
 *
 * As JSON:
 *
 *   {
 *     "format": 1,                 this layout; a change of meaning makes it 2
 *     "samples": 100, "links": 12, "asked": 10, "skipped": 0,
 *     "agreed": 8,                 answers that were what most samples said
 *     "alpha": 2.1,                concentration, a mean over samples
 *     "clusters_mean": 16.2,       clusters in a sample
 *     "loss": 0.8,                 expected loss of the consensus
 *     "chains": {"agree": true, "scale_reduction": {"clusters": 1.01, "log_joint": 1.02},
 *                "effective_samples": {"clusters": 80, "log_joint": 75}},
 *     "clusters": [
 *       {"cluster": "c1", "size": 12, "certainty": 0.83,
 *        "telling": [{"feature": NAME, "score": 3.2}, ...]}, ...],
 *     "items": [{"item": NAME, "cluster": "c1", "certainty": 0.9}, ...],
 *     "curve": [                   one entry for each draw of samples; null without gold classes
 *       {"links": 0, "v": 0.4, "v_beta": 0.4, "vi": 2.1, "homogeneity": 0.5, "completeness": 0.4,
 *        "clusters": 14.2}, ...]
 *   } */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "cluster/work.h"
#include "report/plot.h"

enum { LINE = 92, INDENT = 4 }; /* columns of text */

typedef struct {
    cau_telling *telling; /* [K][top] */
    size_t *tells;        /* [K] */
    size_t *size;         /* [K] */
    double *certainty;    /* [K] mean over its items */
    uint32_t *order;      /* [N] items by cluster, the most certain first */
} view;

static void view_clear(view *v)
{
    free(v->telling);
    free(v->tells);
    free(v->size);
    free(v->certainty);
    free(v->order);
}

typedef struct {
    uint32_t cluster, item;
    double certainty;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->cluster != q->cluster) return p->cluster < q->cluster ? -1 : 1;
    if (p->certainty > q->certainty || p->certainty < q->certainty)
        return p->certainty > q->certainty ? -1 : 1;
    return p->item < q->item ? -1 : p->item > q->item;
}

static caucus_status view_of(const cau_cluster_work *w, view *v)
{
    caucus_status st = CAUCUS_OK;
    const cau_consensus *c = &w->consensus;
    const size_t N = w->samples.N, K = c->K, top = (size_t)w->o->top;
    size_t cells;
    place *places = cau_alloc(N, sizeof *places);
    if (cau_size_mul(K, top, &cells)) v->telling = cau_calloc(cells, sizeof *v->telling);
    v->tells = cau_calloc(K, sizeof *v->tells);
    v->size = cau_calloc(K, sizeof *v->size);
    v->certainty = cau_calloc(K, sizeof *v->certainty);
    v->order = cau_alloc(N, sizeof *v->order);
    if (!places || !v->telling || !v->tells || !v->size || !v->certainty || !v->order)
        TRY(cau_fail_memory(w->ctx, "the report"));
    TRY(cau_telling_features(w->ctx, &w->items, c->z, K, top, v->telling, v->tells));
    for (size_t i = 0; i < N; i++) {
        places[i] = (place){c->z[i], (uint32_t)i, c->certainty[i]};
        v->size[c->z[i]]++;
        v->certainty[c->z[i]] += c->certainty[i];
    }
    for (size_t k = 0; k < K; k++) v->certainty[k] /= (double)v->size[k];
    qsort(places, N, sizeof *places, compare_places);
    for (size_t i = 0; i < N; i++) v->order[i] = places[i].item;
done:
    free(places);
    return st;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const cau_milestone *last(const cau_cluster_work *w)
{
    return &w->milestone[w->milestones - 1];
}

/* The ending of a word that is counted. */
static const char *s_of(size_t n)
{
    return n == 1 ? "" : "s";
}

/* A number that cannot always be told: there is no effective sample size of what never changes. */
static void tell_number(cau_strbuf *t, const char *before, double x, int digits)
{
    if (isfinite(x))
        cau_strbuf_printf(t, "%s%.*f", before, digits, x);
    else
        cau_strbuf_printf(t, "%s%s", before, isnan(x) ? "-" : "infinite");
}

/* Whether there are enough samples to tell how the chains are. */
static bool told(const cau_diagnosis *d)
{
    return !isnan(d->rhat_clusters) && !isnan(d->rhat_joint);
}

static void tell_chains(const cau_diagnosis *d, cau_strbuf *t)
{
    if (!told(d)) return;
    cau_strbuf_printf(t, "chains %s: scale reduction", d->agree ? "agree" : "do not agree");
    tell_number(t, " ", d->rhat_clusters, 3);
    tell_number(t, " (clusters), ", d->rhat_joint, 3);
    tell_number(t, " (log joint); effective samples ", d->ess_clusters, 0);
    tell_number(t, ", ", d->ess_joint, 0);
    cau_strbuf_add(t, "\n", 1);
}

static void tell_whole(const cau_cluster_work *w, cau_strbuf *t)
{
    const cau_milestone *m = last(w);
    const cau_diagnosis *d = &m->diagnosis;
    const size_t N = w->samples.N, K = w->consensus.K, S = w->samples.S;
    const size_t links = cau_links_count(w->links);
    cau_strbuf_printf(t,
                      "%zu item%s in %zu cluster%s; %zu sample%s with %.1f clusters on average; "
                      "%zu link%s\n",
                      N, s_of(N), K, s_of(K), S, s_of(S), d->clusters, links, s_of(links));
    const size_t now = w->asked - w->earlier;
    if (now)
        cau_strbuf_printf(t, "%zu question%s answered, %zu as most samples said\n", now, s_of(now),
                          w->right);
    tell_chains(d, t);
    if (w->gold)
        cau_strbuf_printf(t,
                          "against the classes, means over samples: V %.3f, V-beta %.3f, VI %.3f, "
                          "homogeneity %.3f, completeness %.3f\n",
                          m->measures.v, m->measures.v_beta, m->measures.vi,
                          m->measures.homogeneity, m->measures.completeness);
}

/* Adds a word of a list, on a new line behind `indent` columns where it does not fit. */
static void add_word(cau_writer *sheet, cau_str word, bool first, size_t indent, size_t *column)
{
    const size_t width = cau_text_width(word);
    if (!first) cau_strbuf_add(&sheet->text, ",", 1);
    if (*column > indent && *column + width + 2 > LINE) {
        cau_strbuf_printf(&sheet->text, "\n%*s", (int)indent, "");
        *column = indent;
    } else if (*column > indent) {
        cau_strbuf_add(&sheet->text, " ", 1);
        *column += 1;
    }
    cau_strbuf_escape(&sheet->text, word);
    *column += width + 1;
}

static void tell_cluster(const cau_cluster_work *w, const view *v, size_t k, size_t first,
                         cau_writer *sheet)
{
    cau_strbuf *t = &sheet->text;
    const size_t size = v->size[k], start = t->n;
    cau_strbuf_printf(t, "\nc%zu: %zu item%s, certainty %.2f%s", k + 1, size, s_of(size),
                      v->certainty[k], v->tells[k] ? "; told by" : "");
    size_t column = t->n - start - 1;
    for (size_t i = 0; i < v->tells[k]; i++)
        add_word(
            sheet,
            cau_alphabet_name(w->items.features, v->telling[k * (size_t)w->o->top + i].feature),
            i == 0, 2 * INDENT, &column);
    cau_strbuf_printf(t, "\n%*s", INDENT, "");
    column = INDENT;
    for (size_t i = 0; i < size; i++)
        add_word(sheet, cau_alphabet_name(w->items.items, v->order[first + i]), i == 0, INDENT,
                 &column);
    cau_strbuf_add(t, "\n", 1);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *cluster_name(size_t k)
{
    char name[32];
    snprintf(name, sizeof name, "c%zu", k + 1);
    return json_string(name);
}

static json_t *pair_json(cau_writer *sheet, double clusters, double joint)
{
    json_t *o = json_object();
    cau_writer_put(sheet, o, "clusters", real(clusters));
    cau_writer_put(sheet, o, "log_joint", real(joint));
    return o;
}

static json_t *curve_json(const cau_cluster_work *w, cau_writer *sheet)
{
    if (!w->gold) return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < w->milestones; i++) {
        const cau_milestone *m = &w->milestone[i];
        json_t *o = json_object();
        cau_writer_put(sheet, o, "links", json_integer((json_int_t)m->links));
        cau_writer_put(sheet, o, "v", real(m->measures.v));
        cau_writer_put(sheet, o, "v_beta", real(m->measures.v_beta));
        cau_writer_put(sheet, o, "vi", real(m->measures.vi));
        cau_writer_put(sheet, o, "homogeneity", real(m->measures.homogeneity));
        cau_writer_put(sheet, o, "completeness", real(m->measures.completeness));
        cau_writer_put(sheet, o, "clusters", real(m->measures.clusters));
        cau_writer_push(sheet, list, o);
    }
    return list;
}

static json_t *clusters_json(const cau_cluster_work *w, const view *v, cau_writer *sheet)
{
    json_t *list = json_array();
    for (size_t k = 0; k < w->consensus.K; k++) {
        json_t *o = json_object(), *telling = json_array();
        cau_writer_put(sheet, o, "cluster", cluster_name(k));
        cau_writer_put(sheet, o, "size", json_integer((json_int_t)v->size[k]));
        cau_writer_put(sheet, o, "certainty", real(v->certainty[k]));
        for (size_t i = 0; i < v->tells[k]; i++) {
            const cau_telling *t = &v->telling[k * (size_t)w->o->top + i];
            json_t *f = json_object();
            cau_writer_put(sheet, f, "feature",
                           cau_writer_string(cau_alphabet_name(w->items.features, t->feature)));
            cau_writer_put(sheet, f, "score", real(t->score));
            cau_writer_push(sheet, telling, f);
        }
        cau_writer_put(sheet, o, "telling", telling);
        cau_writer_push(sheet, list, o);
    }
    return list;
}

static void tell_json(const cau_cluster_work *w, const view *v, cau_writer *sheet)
{
    const cau_diagnosis *d = &last(w)->diagnosis;
    json_t *root = json_object(), *chains = json_object(), *items = json_array();
    cau_writer_put(sheet, root, "format", json_integer(1));
    cau_writer_put(sheet, root, "samples", json_integer((json_int_t)w->samples.S));
    cau_writer_put(sheet, root, "links", json_integer((json_int_t)cau_links_count(w->links)));
    cau_writer_put(sheet, root, "asked", json_integer((json_int_t)w->asked));
    cau_writer_put(sheet, root, "skipped", json_integer((json_int_t)w->skipped));
    cau_writer_put(sheet, root, "agreed", json_integer((json_int_t)w->right));
    cau_writer_put(sheet, root, "alpha", real(d->alpha));
    cau_writer_put(sheet, root, "clusters_mean", real(d->clusters));
    cau_writer_put(sheet, root, "loss", real(w->consensus.loss));
    cau_writer_put(sheet, chains, "agree", told(d) ? json_boolean(d->agree) : json_null());
    cau_writer_put(sheet, chains, "scale_reduction",
                   pair_json(sheet, d->rhat_clusters, d->rhat_joint));
    cau_writer_put(sheet, chains, "effective_samples",
                   pair_json(sheet, d->ess_clusters, d->ess_joint));
    cau_writer_put(sheet, root, "chains", chains);
    cau_writer_put(sheet, root, "clusters", clusters_json(w, v, sheet));
    for (size_t i = 0; i < w->samples.N; i++) {
        json_t *o = json_object();
        cau_writer_put(sheet, o, "item",
                       cau_writer_string(cau_alphabet_name(w->items.items, (uint32_t)i)));
        cau_writer_put(sheet, o, "cluster", cluster_name(w->consensus.z[i]));
        cau_writer_put(sheet, o, "certainty", real(w->consensus.certainty[i]));
        cau_writer_push(sheet, items, o);
    }
    cau_writer_put(sheet, root, "items", items);
    cau_writer_put(sheet, root, "curve", curve_json(w, sheet));
    cau_writer_json(sheet, root, false);
}

caucus_status cau_cluster_report(cau_cluster_work *w, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    view v = {0};
    TRY(view_of(w, &v));
    if (w->o->json) {
        tell_json(w, &v, sheet);
        goto done;
    }
    tell_whole(w, &sheet->text);
    for (size_t k = 0, first = 0; k < w->consensus.K; first += v.size[k++])
        tell_cluster(w, &v, k, first, sheet);
done:
    view_clear(&v);
    return st;
}

/* ---- files ----------------------------------------------------------------------------------- */

static caucus_status write_file(const cau_cluster_work *w, const char *path, cau_strbuf *text)
{
    caucus_status st = CAUCUS_OK;
    cau_output *out = NULL;
    TRY(cau_strbuf_status(w->ctx, text));
    TRY(cau_output_open(w->ctx, path, &out));
    TRY(cau_output_write(w->ctx, out, text->s ? text->s : "", text->n));
    TRY(cau_output_commit(w->ctx, out));
done:
    cau_output_free(out);
    return st;
}

/* As it was read: a name has no TABs and line ends, and whoever reads the file looks for it. */
static void add_name(cau_strbuf *text, cau_str name)
{
    cau_strbuf_add(text, name.s, name.n);
}

/* Lines of item TAB cluster, of the consensus or of all samples: what `eval --clusters` reads. */
static caucus_status write_clusters(const cau_cluster_work *w, const char *path, bool samples)
{
    cau_strbuf text = {0};
    const size_t N = w->samples.N;
    for (size_t i = 0; i < N; i++) {
        add_name(&text, cau_alphabet_name(w->items.items, (uint32_t)i));
        for (size_t s = 0; samples && s < w->samples.S; s++)
            cau_strbuf_printf(&text, "\tc%u", w->samples.z[s * N + i] + 1);
        if (!samples) cau_strbuf_printf(&text, "\tc%u", w->consensus.z[i] + 1);
        cau_strbuf_add(&text, "\n", 1);
    }
    const caucus_status st = write_file(w, path, &text);
    cau_strbuf_clear(&text);
    return st;
}

/* The share of samples in which each pair is together, items by cluster. */
static double together(const float *p, size_t N, uint32_t a, uint32_t b)
{
    if (a == b) return 1;
    return (double)(a < b ? p[cau_pair_index(N, a, b)] : p[cau_pair_index(N, b, a)]);
}

static caucus_status write_members(const cau_cluster_work *w, const view *v, const float *p)
{
    cau_strbuf text = {0};
    const size_t N = w->samples.N;
    for (size_t i = 0; i < N; i++) {
        cau_strbuf_add(&text, "\t", 1);
        add_name(&text, cau_alphabet_name(w->items.items, v->order[i]));
    }
    cau_strbuf_add(&text, "\n", 1);
    for (size_t i = 0; i < N; i++) {
        add_name(&text, cau_alphabet_name(w->items.items, v->order[i]));
        for (size_t j = 0; j < N; j++)
            cau_strbuf_printf(&text, "\t%.3f", together(p, N, v->order[i], v->order[j]));
        cau_strbuf_add(&text, "\n", 1);
    }
    const caucus_status st = write_file(w, w->o->members_file, &text);
    cau_strbuf_clear(&text);
    return st;
}

static caucus_status draw_members(const cau_cluster_work *w, const view *v, const float *p)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = w->samples.N, K = w->consensus.K;
    float *value = NULL;
    size_t *border = cau_alloc(K, sizeof *border), cells;
    cau_str *label = cau_alloc(N, sizeof *label);
    if (cau_size_mul(N, N, &cells)) value = cau_alloc(cells, sizeof *value);
    if (!border || !label || !value) TRY(cau_fail_memory(w->ctx, "the figure"));
    for (size_t i = 0; i < N; i++) {
        label[i] = cau_alphabet_name(w->items.items, v->order[i]);
        for (size_t j = 0; j < N; j++)
            value[i * N + j] = (float)together(p, N, v->order[i], v->order[j]);
    }
    for (size_t k = 0, end = 0; k + 1 < K; k++) border[k] = end += v->size[k];
    const cau_heatmap plot = {.what = "share of samples in which two items are together",
                              .n = N,
                              .value = value,
                              .label = label,
                              .border = border,
                              .borders = K - 1};
    TRY(cau_plot_heat(w->ctx, w->o->plot_members, &plot));
done:
    free(border);
    free(label);
    free(value);
    return st;
}

/* Scores over the number of links. */
static caucus_status draw_curve(const cau_cluster_work *w)
{
    static const char *const names[] = {"V-beta", "V", "homogeneity", "completeness"};
    enum { SERIES = 4 };
    caucus_status st = CAUCUS_OK;
    const size_t n = w->milestones;
    cau_series series[SERIES];
    double *x = cau_alloc(n, (SERIES + 1) * sizeof *x);
    if (!x) TRY(cau_fail_memory(w->ctx, "the figure"));
    for (size_t i = 0; i < n; i++) {
        const cau_milestone *m = &w->milestone[i];
        const double y[SERIES] = {m->measures.v_beta, m->measures.v, m->measures.homogeneity,
                                  m->measures.completeness};
        x[i] = (double)m->links;
        for (size_t s = 0; s < SERIES; s++) x[(s + 1) * n + i] = y[s];
    }
    for (size_t s = 0; s < SERIES; s++)
        series[s] = (cau_series){.name = names[s], .n = n, .x = x, .y = x + (s + 1) * n};
    const cau_curves curves = {
        .x = "links", .y = "mean over samples", .series = series, .count = SERIES};
    TRY(cau_plot_curves(w->ctx, w->o->plot, &curves));
done:
    free(x);
    return st;
}

caucus_status cau_cluster_files(cau_cluster_work *w)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_options *o = w->o;
    const size_t N = w->samples.N;
    view v = {0};
    float *p = NULL;
    if (o->samples_file) TRY(write_clusters(w, o->samples_file, true));
    if (o->assignments_file) TRY(write_clusters(w, o->assignments_file, false));
    if (o->plot) TRY(draw_curve(w));
    if (!o->members_file && !o->plot_members) goto done;
    TRY(view_of(w, &v));
    p = cau_alloc(N * (N - 1) / 2 + 1, sizeof *p);
    if (!p) TRY(cau_fail_memory(w->ctx, "the pairs of items"));
    if (cau_co_membership(&w->samples, NULL, p)) TRY(cau_fail_memory(w->ctx, "the pairs of items"));
    if (o->members_file) TRY(write_members(w, &v, p));
    if (o->plot_members) TRY(draw_members(w, &v, p));
done:
    free(p);
    view_clear(&v);
    return st;
}
