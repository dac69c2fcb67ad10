/* cluster_model.c - a model that assigns new items to the clusters.
 *
 * It is a log-linear classifier whose classes are the clusters of the consensus, over the original
 * features:
 *     score_k(x) = log n_k + sum_v x_v c_v log theta_kv
 *     theta_kv   = (n_kv + beta) / (n_k. + V beta)
 * with n_k items, n_kv the sum of feature v over them, and c_v its idf if values were weighted by
 * it, else 1. It is an ordinary model file: `tag` reads new items as lines of item TAB
 * feature:count, and `inspect` shows the top features of the clusters. This is the multinomial view
 * of the consensus for any likelihood of the samples; it never opens a new cluster. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cluster/work.h"

static const double no_beta = .5; /* without a fitted multinomial */

/* "c1", "c2", ... */
typedef struct {
    const cau_cluster_work *w;
    char (*label)[24];
} cluster_names;

static cau_str name_of(const void *self, size_t v)
{
    return cau_alphabet_name(((const cluster_names *)self)->w->items.features, (uint32_t)v);
}

static cau_str label_of(const void *self, size_t y)
{
    const cluster_names *n = self;
    return (cau_str){n->label[y], strlen(n->label[y])};
}

/* c_v of each feature. */
static void weighing(const cau_cluster_work *w, double *c)
{
    if (w->o->items.weigh == CAU_WEIGH_TFIDF)
        cau_items_idf(&w->items, c);
    else
        for (size_t v = 0; v < w->items.x.columns; v++) c[v] = 1;
}

static void describe(const cau_cluster_work *w, cau_strbuf *out)
{
    const cau_cluster_options *o = w->o;
    const cau_milestone *m = &w->milestone[w->milestones - 1];
    const bool mixture = o->method == CAU_METHOD_DPMM;
    cau_strbuf_printf(out, "model\tmaxent\nmethod\tcluster\n");
    if (mixture)
        cau_strbuf_printf(out, "likelihood\t%s\n", cau_likelihood_names[o->dp.likelihood]);
    else
        cau_strbuf_printf(out, "clustering\t%s\n", cau_cluster_method_names[o->method]);
    cau_strbuf_printf(out, "instances\t%zu\n", w->points.N);
    cau_strbuf_printf(out, "features\t%zu\n", cau_alphabet_size(w->items.features));
    if (o->reduce) cau_strbuf_printf(out, "reduce\t%s\n", o->reduce);
    cau_strbuf_printf(out, "classes\t%zu\n", w->consensus.K);
    cau_strbuf_printf(out, "samples\t%zu\n", w->samples.S);
    cau_strbuf_printf(out, "links\t%zu\n", cau_links_count(w->links));
    if (mixture) {
        cau_strbuf_printf(out, "alpha\t%.6g\n", m->diagnosis.alpha);
        cau_strbuf_printf(out, "loss\t%.6g\n", w->consensus.loss);
    } else {
        cau_strbuf_printf(out, "objective\t%.6g\n", w->objective);
    }
    cau_strbuf_printf(out, "seed\t%llu\n", (unsigned long long)o->seed);
}

caucus_status cau_cluster_model(cau_cluster_work *w, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_csr *x = &w->items.x;
    const size_t K = w->consensus.K, V = x->columns;
    const cau_dp_parameters *fitted = &w->milestone[w->milestones - 1].diagnosis.parameters;
    const bool has_beta =
        w->o->method == CAU_METHOD_DPMM && w->o->dp.likelihood == CAU_MULTINOMIAL && !w->o->reduce;
    const double beta = has_beta ? fitted->beta : no_beta;
    size_t cells;
    double *weight = NULL, *total = NULL, *bias = NULL, *c = NULL;
    cau_strbuf info = {0};
    cluster_names n = {.w = w};
    if (!cau_size_mul(V, K, &cells)) TRY(cau_fail_memory(w->ctx, "the model"));
    weight = cau_calloc(cells, sizeof *weight);
    total = cau_calloc(K, sizeof *total);
    bias = cau_calloc(K, sizeof *bias);
    c = cau_alloc(V, sizeof *c);
    n.label = cau_alloc(K, sizeof *n.label);
    if (!weight || !total || !bias || !c || !n.label) TRY(cau_fail_memory(w->ctx, "the model"));
    weighing(w, c);
    for (size_t i = 0; i < x->rows; i++) {
        const uint32_t k = w->consensus.z[i];
        bias[k] += 1;
        for (size_t at = x->start[i]; at < x->start[i + 1]; at++) {
            const double value = fmax((double)x->value[at], 0);
            weight[x->column[at] * K + k] += value;
            total[k] += value;
        }
    }
    for (size_t v = 0; v < V; v++)
        for (size_t k = 0; k < K; k++)
            weight[v * K + k] =
                c[v] * log((weight[v * K + k] + beta) / (total[k] + (double)V * beta));
    for (size_t k = 0; k < K; k++) {
        bias[k] = log(bias[k]);
        snprintf(n.label[k], sizeof n.label[k], "c%zu", k + 1);
    }
    describe(w, &info);
    TRY(cau_strbuf_status(w->ctx, &info));
    const cau_model_parts parts = {
        .kind = CAU_KIND_MAXENT,
        .Y = K,
        .nodes = {.table = {.rows = V, .width = K}, .w = weight, .name = name_of},
        .bias = bias,
        .label = label_of,
        .self = &n,
        .read = {.format = CAU_FORMAT_CRFSUITE, .ngrams = 1},
        .info = {info.s, info.n},
    };
    TRY(cau_model_build(w->ctx, &parts, out));
done:
    cau_strbuf_clear(&info);
    free(weight);
    free(total);
    free(bias);
    free(c);
    free(n.label);
    return st;
}
