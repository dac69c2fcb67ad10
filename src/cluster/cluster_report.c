/* cluster_report.c - the results of a clustering as text, JSON, files and figures.
 *
 * As JSON:
 *
 *   {
 *     "format": 1,                 this layout; a change of meaning makes it 2
 *     "method": "dpmm", "objective": null,         objective: of k-means
 *     "samples": 100, "links": 12, "asked": 10, "skipped": 0,
 *     "asked_before": 2,           of the asked: answers that were in the file of answers
 *     "agreed": 8, "tied": 1,      answers that agree with most samples; with exactly half of them
 *     "points": {"likelihood": "multinomial", "dimensions": 35, "total": 20},   total: sum of each
 *                                  row, the sharpness of the likelihood; 0: rows were not scaled
 *     "alpha": 2.1,                concentration, a mean over samples
 *     "clusters_mean": 16.2,       number of clusters, a mean over samples
 *     "loss": 0.8,                 expected loss of the consensus
 *     "chains": {"agree": true, "scale_reduction": {"clusters": 1.01, "log_joint": 1.02},
 *                "effective_samples": {"clusters": 80, "log_joint": 75}},
 *     "clusters": [
 *       {"cluster": "c1", "size": 12, "certainty": 0.83,
 *        "top_features": [{"feature": NAME, "score": 3.2}, ...]}, ...],
 *     "items": [{"item": NAME, "cluster": "c1", "certainty": 0.9}, ...],
 *     "curve": [                   one entry for each draw of samples; null without gold classes
 *       {"links": 0, "v": 0.4, "v_beta": 0.4, "vi": 2.1, "homogeneity": 0.5, "completeness": 0.4,
 *        "rand": 0.9, "clusters": 14.2, "alpha": 2.1,
 *        "scale_reduction": {"clusters": 1.01, "log_joint": 1.02},
 *        "unlinked": {"items": 204, "v": 0.4, ...}},     items without a link: the same scores
 *       ...]
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

/* ---- top features -------------------------------------------------------------------- */

/* Inserts a feature into best [count] of at most `most`, ordered by decreasing score, then by
 * number. Returns the new count. */
static size_t insert_feature(cau_cluster_feature *best, size_t count, size_t most,
                             cau_cluster_feature entry)
{
    size_t at = count;
    while (at > 0 && (best[at - 1].score < entry.score ||
                      (best[at - 1].score == entry.score && best[at - 1].feature > entry.feature)))
        at--;
    if (at == most) return count;
    if (count < most) count++;
    for (size_t i = count - 1; i > at; i--) best[i] = best[i - 1];
    best[at] = entry;
    return count;
}

/* n_kv log( (n_kv + .5) / (n_k + .5 V)  /  ((n_.v - n_kv + .5) / (n_. - n_k + .5 V)) ) */
static double score_feature(double n_kv, double n_k, double n_v, double n, double V)
{
    return n_kv * (log((n_kv + .5) / (n_k + .5 * V)) - log((n_v - n_kv + .5) / (n - n_k + .5 * V)));
}

/* Only features of its items can score, so each cluster adds up the rows of its items in one array
 * over all features and clears the entries afterwards: O(non-zeros + V), and O(`most`) for each
 * feature that enters the list of the best. */
caucus_status cau_cluster_top_features(caucus_ctx *ctx, const cau_items *items, const uint32_t *z,
                                       size_t K, size_t most, cau_cluster_feature *out,
                                       size_t *count)
{
    caucus_status st = CAUCUS_OK;
    const cau_csr *x = &items->x;
    const size_t N = x->rows, V = x->columns;
    double n = 0;
    double *total = cau_calloc(V, sizeof *total);      /* [V] n_.v */
    double *here = cau_calloc(V, sizeof *here);        /* [V] n_kv of one cluster */
    uint32_t *touched = cau_alloc(V, sizeof *touched); /* [V] features of one cluster */
    uint8_t *seen = cau_calloc(V, sizeof *seen);       /* [V] is among them */
    uint32_t *first = cau_alloc(K, sizeof *first);     /* [K] an item of each cluster */
    uint32_t *next = cau_alloc(N, sizeof *next);       /* [N] the next item of the cluster */
    if (!total || !here || !touched || !seen || !first || !next)
        TRY(cau_fail_memory(ctx, "the top features"));
    for (size_t k = 0; k < K; k++) first[k] = UINT32_MAX;
    for (size_t i = N; i-- > 0;) {
        next[i] = first[z[i]];
        first[z[i]] = (uint32_t)i;
    }
    for (size_t e = 0; e < cau_csr_nonzeros(x); e++) {
        const double value = x->value ? (double)x->value[e] : 1;
        total[x->column[e]] += value;
        n += value;
    }
    for (size_t k = 0; k < K; k++) {
        size_t features = 0;
        double n_k = 0;
        for (uint32_t i = first[k]; i != UINT32_MAX; i = next[i])
            for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
                const uint32_t v = x->column[e];
                const double value = x->value ? (double)x->value[e] : 1;
                if (!seen[v]) touched[features++] = v;
                seen[v] = 1;
                here[v] += value;
                n_k += value;
            }
        count[k] = 0;
        for (size_t i = 0; i < features; i++) {
            const uint32_t v = touched[i];
            const double s = score_feature(here[v], n_k, total[v], n, (double)V);
            if (s > 0 && isfinite(s))
                count[k] =
                    insert_feature(out + k * most, count[k], most, (cau_cluster_feature){v, s});
            here[v] = seen[v] = 0;
        }
    }
done:
    free(total);
    free(here);
    free(touched);
    free(seen);
    free(first);
    free(next);
    return st;
}

/* ---- clusters ------------------------------------------------------------------------ */

/* Items and top features by cluster; all arrays are in the arena. */
typedef struct {
    cau_arena arena;
    cau_cluster_feature *feature; /* [K][top] */
    size_t *features;             /* [K] */
    size_t *size;                 /* [K] */
    double *certainty;            /* [K] mean over its items */
    uint32_t *order;              /* [N] items by cluster, the most certain first */
} cluster_listing;

typedef struct {
    uint32_t cluster, item;
    double certainty;
} placed_item;

static int compare_placed(const void *a, const void *b)
{
    const placed_item *p = a, *q = b;
    if (p->cluster != q->cluster) return p->cluster < q->cluster ? -1 : 1;
    if (p->certainty > q->certainty || p->certainty < q->certainty)
        return p->certainty > q->certainty ? -1 : 1;
    return p->item < q->item ? -1 : p->item > q->item;
}

/* Clear the arena in any case. */
static caucus_status list_clusters(const cau_cluster_work *w, cluster_listing *l)
{
    caucus_status st = CAUCUS_OK;
    const cau_consensus *c = &w->consensus;
    const size_t N = w->samples.N, K = c->K, top = (size_t)w->o->top;
    size_t cells = 0;
    const bool fits = cau_size_mul(K, top, &cells);
    placed_item *placed = cau_alloc(N, sizeof *placed);
    l->feature = fits ? cau_arena_alloc(&l->arena, cells, sizeof *l->feature) : NULL;
    l->features = cau_arena_alloc(&l->arena, K, sizeof *l->features);
    l->size = cau_arena_alloc(&l->arena, K, sizeof *l->size);
    l->certainty = cau_arena_alloc(&l->arena, K, sizeof *l->certainty);
    l->order = cau_arena_alloc(&l->arena, N, sizeof *l->order);
    if (!placed || !l->feature || !l->features || !l->size || !l->certainty || !l->order)
        TRY(cau_fail_memory(w->ctx, "the report"));
    TRY(cau_cluster_top_features(w->ctx, &w->items, c->z, K, top, l->feature, l->features));
    for (size_t k = 0; k < K; k++) l->size[k] = 0, l->certainty[k] = 0;
    for (size_t i = 0; i < N; i++) {
        placed[i] = (placed_item){c->z[i], (uint32_t)i, c->certainty[i]};
        l->size[c->z[i]]++;
        l->certainty[c->z[i]] += c->certainty[i];
    }
    for (size_t k = 0; k < K; k++) l->certainty[k] /= (double)l->size[k];
    qsort(placed, N, sizeof *placed, compare_placed);
    for (size_t i = 0; i < N; i++) l->order[i] = placed[i].item;
done:
    free(placed);
    return st;
}

/* ---- the tree ------------------------------------------------------------------------ */

static void add_cluster_name(cau_tree *tree, size_t k)
{
    char name[32];
    snprintf(name, sizeof name, "c%zu", k + 1);
    cau_tree_string(tree, "cluster", name);
}

static void add_pair(cau_tree *tree, const char *key, double clusters, double joint)
{
    cau_tree_object(tree, key);
    cau_tree_number(tree, "clusters", clusters);
    cau_tree_number(tree, "log_joint", joint);
    cau_tree_end(tree);
}

/* With too few samples the chains cannot be compared, and "agree" is null. */
static void add_chains(cau_tree *tree, const cau_diagnosis *d)
{
    cau_tree_object(tree, "chains");
    if (isnan(d->rhat_clusters) || isnan(d->rhat_joint))
        cau_tree_string(tree, "agree", NULL);
    else
        cau_tree_bool(tree, "agree", d->agree);
    add_pair(tree, "scale_reduction", d->rhat_clusters, d->rhat_joint);
    add_pair(tree, "effective_samples", d->ess_clusters, d->ess_joint);
    cau_tree_end(tree);
}

static void add_clusters(cau_tree *tree, const cau_cluster_work *w, const cluster_listing *l)
{
    cau_tree_array(tree, "clusters");
    for (size_t k = 0; k < w->consensus.K; k++) {
        cau_tree_object(tree, NULL);
        add_cluster_name(tree, k);
        cau_tree_count(tree, "size", l->size[k]);
        cau_tree_number(tree, "certainty", l->certainty[k]);
        cau_tree_array(tree, "top_features");
        for (size_t i = 0; i < l->features[k]; i++) {
            const cau_cluster_feature *f = &l->feature[k * (size_t)w->o->top + i];
            cau_tree_object(tree, NULL);
            cau_tree_text(tree, "feature", cau_alphabet_name(w->items.features, f->feature));
            cau_tree_number(tree, "score", f->score);
            cau_tree_end(tree);
        }
        cau_tree_end(tree);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
}

/* NaN, which becomes null, without items. */
static void add_measures(cau_tree *tree, const cau_cluster_measures *m, bool items)
{
    cau_tree_number(tree, "v", items ? m->v : (double)NAN);
    cau_tree_number(tree, "v_beta", items ? m->v_beta : (double)NAN);
    cau_tree_number(tree, "vi", items ? m->vi : (double)NAN);
    cau_tree_number(tree, "homogeneity", items ? m->homogeneity : (double)NAN);
    cau_tree_number(tree, "completeness", items ? m->completeness : (double)NAN);
    cau_tree_number(tree, "rand", items ? m->rand : (double)NAN);
    cau_tree_number(tree, "clusters", items ? m->clusters : (double)NAN);
}

static void add_curve(cau_tree *tree, const cau_cluster_work *w)
{
    if (!w->gold) {
        cau_tree_string(tree, "curve", NULL);
        return;
    }
    cau_tree_array(tree, "curve");
    for (size_t i = 0; i < w->milestones; i++) {
        const cau_milestone *m = &w->milestone[i];
        cau_tree_object(tree, NULL);
        cau_tree_count(tree, "links", m->links);
        add_measures(tree, &m->measures, true);
        cau_tree_number(tree, "alpha", m->diagnosis.alpha);
        add_pair(tree, "scale_reduction", m->diagnosis.rhat_clusters, m->diagnosis.rhat_joint);
        cau_tree_object(tree, "unlinked");
        cau_tree_count(tree, "items", m->unlinked_items);
        add_measures(tree, &m->unlinked, m->unlinked_items > 0);
        cau_tree_end(tree);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
}

const char *const cau_cluster_method_names[] = {"dpmm", "cop-kmeans", "pck-means"};
const char *const cau_likelihood_names[] = {"multinomial", "gaussian", "prior"};

static void build_tree(const cau_cluster_work *w, const cluster_listing *l, cau_tree *tree)
{
    const cau_diagnosis *d = &w->milestone[w->milestones - 1].diagnosis;
    const bool mixture = w->o->method == CAU_METHOD_DPMM;
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "format", 1);
    cau_tree_string(tree, "method", cau_cluster_method_names[w->o->method]);
    cau_tree_number(tree, "objective", mixture ? (double)NAN : w->objective);
    cau_tree_count(tree, "samples", w->samples.S);
    cau_tree_count(tree, "links", cau_links_count(w->links));
    cau_tree_count(tree, "asked", w->asked);
    cau_tree_count(tree, "skipped", w->skipped);
    cau_tree_count(tree, "asked_before", w->earlier);
    cau_tree_count(tree, "agreed", w->right);
    cau_tree_count(tree, "tied", w->tied);
    cau_tree_object(tree, "points");
    cau_tree_string(tree, "likelihood", mixture ? cau_likelihood_names[w->o->dp.likelihood] : NULL);
    cau_tree_count(tree, "dimensions", w->points.V);
    cau_tree_number(tree, "total", w->total);
    cau_tree_end(tree);
    cau_tree_number(tree, "alpha", d->alpha);
    cau_tree_number(tree, "clusters_mean", d->clusters);
    cau_tree_number(tree, "loss", w->consensus.loss);
    add_chains(tree, d);
    add_clusters(tree, w, l);
    cau_tree_array(tree, "items");
    for (uint32_t i = 0; i < w->samples.N; i++) {
        cau_tree_object(tree, NULL);
        cau_tree_text(tree, "item", cau_alphabet_name(w->items.items, i));
        add_cluster_name(tree, w->consensus.z[i]);
        cau_tree_number(tree, "certainty", w->consensus.certainty[i]);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    add_curve(tree, w);
    cau_tree_end(tree);
}

/* ---- text ---------------------------------------------------------------------------- */

#define CHAIN_NUMBERS                                                                              \
    "scale reduction {scale_reduction.clusters:.3f} (clusters), {scale_reduction.log_joint:.3f} "  \
    "(log joint); effective samples {effective_samples.clusters:.0f}, "                            \
    "{effective_samples.log_joint:.0f}\n"

static void print_summary(const json_t *root, cau_writer *out)
{
    const size_t N = json_array_size(cau_at(root, "items"));
    const size_t K = json_array_size(cau_at(root, "clusters"));
    const size_t draws = json_array_size(cau_at(root, "curve"));
    const uint64_t asked = cau_count_at(root, "asked") - cau_count_at(root, "asked_before");
    cau_strbuf_printf(&out->text, "%zu item%s in %zu cluster%s", N, N == 1 ? "" : "s", K,
                      K == 1 ? "" : "s");
    if (json_is_null(cau_at(root, "objective")))
        cau_print(out, root,
                  "; {samples} sample{samples:|s} with {clusters_mean:.1f} clusters on average");
    else
        cau_print(out, root, "; {method}, objective {objective:.6g}");
    cau_print(out, root, "; {links} link{links:|s}\n");
    if (asked) {
        cau_strbuf_printf(&out->text, "%llu question%s answered, ", (unsigned long long)asked,
                          asked == 1 ? "" : "s");
        cau_print(out, root, "{agreed} as in most samples");
        if (cau_count_at(root, "tied")) cau_print(out, root, ", {tied} as in half of them");
        cau_print(out, NULL, "\n");
    }
    const json_t *agree = cau_at(root, "chains.agree");
    if (!json_is_null(agree))
        cau_print(out, cau_at(root, "chains"),
                  json_is_true(agree) ? "chains agree: " CHAIN_NUMBERS
                                      : "chains do not agree: " CHAIN_NUMBERS);
    if (draws)
        cau_print(out, json_array_get(cau_at(root, "curve"), draws - 1),
                  "against the classes, means over samples: V {v:.3f}, V-beta {v_beta:.3f}, VI "
                  "{vi:.3f}, homogeneity {homogeneity:.3f}, completeness {completeness:.3f}\n");
}

/* Adds a word of a list, on a new line after `indent` blanks if it does not fit. */
static void add_word(cau_writer *out, cau_str word, bool first, size_t indent, size_t *column)
{
    const size_t width = cau_text_width(word);
    if (!first) cau_strbuf_add(&out->text, ",", 1);
    if (*column > indent && *column + width + 2 > LINE) {
        cau_strbuf_printf(&out->text, "\n%*s", (int)indent, "");
        *column = indent;
    } else if (*column > indent) {
        cau_strbuf_add(&out->text, " ", 1);
        *column += 1;
    }
    cau_strbuf_escape(&out->text, word);
    *column += width + 1;
}

/* A cluster, its top features, and its items: order [size] of `items`. */
static void print_cluster(const json_t *cluster, const json_t *items, const uint32_t *order,
                          cau_writer *out)
{
    const json_t *features = cau_at(cluster, "top_features");
    const size_t size = (size_t)cau_count_at(cluster, "size"), start = out->text.n;
    cau_print(out, cluster, "\n{cluster}: {size} item{size:|s}, certainty {certainty:.2f}");
    if (json_array_size(features)) cau_print(out, NULL, "; top features:");
    size_t column = out->text.n - start - 1;
    for (size_t i = 0; i < json_array_size(features); i++)
        add_word(out, cau_str_of(json_string_value(cau_at(json_array_get(features, i), "feature"))),
                 i == 0, 2 * INDENT, &column);
    cau_strbuf_printf(&out->text, "\n%*s", INDENT, "");
    column = INDENT;
    for (size_t i = 0; i < size; i++)
        add_word(out,
                 cau_str_of(json_string_value(cau_at(json_array_get(items, order[i]), "item"))),
                 i == 0, INDENT, &column);
    cau_strbuf_add(&out->text, "\n", 1);
    cau_writer_flush(out, false);
}

caucus_status cau_cluster_report(cau_cluster_work *w, cau_writer *out)
{
    caucus_status st = CAUCUS_OK;
    cluster_listing l = {0};
    cau_tree tree = {0};
    TRY(list_clusters(w, &l));
    build_tree(w, &l, &tree);
    TRY(cau_tree_status(w->ctx, &tree));
    if (w->o->json) {
        cau_print_json(out, tree.root, CAU_DIGITS_DOUBLE);
        goto done;
    }
    print_summary(tree.root, out);
    for (size_t k = 0, first = 0; k < w->consensus.K; first += l.size[k++])
        print_cluster(json_array_get(cau_at(tree.root, "clusters"), k), cau_at(tree.root, "items"),
                      l.order + first, out);
done:
    cau_tree_clear(&tree);
    cau_arena_clear(&l.arena);
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

/* Names are written as they were read: they contain no TABs and line ends. */
static void add_name(cau_strbuf *text, cau_str name)
{
    cau_strbuf_add(text, name.s, name.n);
}

/* Lines of item TAB cluster, of the consensus or of all samples, for `eval --clusters`. */
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

static caucus_status write_members(const cau_cluster_work *w, const cluster_listing *l,
                                   const float *p)
{
    cau_strbuf text = {0};
    const size_t N = w->samples.N;
    for (size_t i = 0; i < N; i++) {
        cau_strbuf_add(&text, "\t", 1);
        add_name(&text, cau_alphabet_name(w->items.items, l->order[i]));
    }
    cau_strbuf_add(&text, "\n", 1);
    for (size_t i = 0; i < N; i++) {
        add_name(&text, cau_alphabet_name(w->items.items, l->order[i]));
        for (size_t j = 0; j < N; j++) {
            cau_strbuf_add(&text, "\t", 1);
            cau_strbuf_fixed(&text, together(p, N, l->order[i], l->order[j]), 3);
        }
        cau_strbuf_add(&text, "\n", 1);
    }
    const caucus_status st = write_file(w, w->o->members_file, &text);
    cau_strbuf_clear(&text);
    return st;
}

static caucus_status draw_members(const cau_cluster_work *w, const cluster_listing *l,
                                  const float *p)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = w->samples.N, K = w->consensus.K;
    float *value = NULL;
    size_t *border = cau_alloc(K, sizeof *border), cells;
    cau_str *label = cau_alloc(N, sizeof *label);
    if (cau_size_mul(N, N, &cells)) value = cau_alloc(cells, sizeof *value);
    if (!border || !label || !value) TRY(cau_fail_memory(w->ctx, "the figure"));
    for (size_t i = 0; i < N; i++) {
        label[i] = cau_alphabet_name(w->items.items, l->order[i]);
        for (size_t j = 0; j < N; j++)
            value[i * N + j] = (float)together(p, N, l->order[i], l->order[j]);
    }
    for (size_t k = 0, end = 0; k + 1 < K; k++) border[k] = end += l->size[k];
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
    cluster_listing l = {0};
    float *p = NULL;
    if (o->samples_file) TRY(write_clusters(w, o->samples_file, true));
    if (o->assignments_file) TRY(write_clusters(w, o->assignments_file, false));
    if (o->plot) TRY(draw_curve(w));
    if (!o->members_file && !o->plot_members) goto done;
    TRY(list_clusters(w, &l));
    p = cau_alloc(N * (N - 1) / 2 + 1, sizeof *p);
    if (!p) TRY(cau_fail_memory(w->ctx, "the pairs of items"));
    if (cau_co_membership(&w->samples, NULL, p)) TRY(cau_fail_memory(w->ctx, "the pairs of items"));
    if (o->members_file) TRY(write_members(w, &l, p));
    if (o->plot_members) TRY(draw_members(w, &l, p));
done:
    free(p);
    cau_arena_clear(&l.arena);
    return st;
}
