/* cluster.c - a clustering from its items to its results. Also prepares the rows for the sampler:
 * weighted like the items, factorised, scaled. */

#include "cluster/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "cluster/kmeans.h"
#include "cluster/work.h"
#include "report/plot.h"
#include "text/lines.h"

static const double reduced_total = 20; /* sum of multinomial rows after a reduction */
static const double even_total =
    100; /* sum of rows before a reduction, so that no item outweighs the others */
enum { NMF_ITERATIONS = 1000, KMEANS_ITERATIONS = 100 };
static const double nmf_tolerance = 1e-4;

/* ---- options ------------------------------------------------------------------------------- */

/* The rank of "nmf:35"; 0 if malformed. */
static size_t parse_rank(const char *text)
{
    uint64_t rank = 0;
    if (strncmp(text, "nmf:", 4) != 0) return 0;
    return cau_parse_count(text + 4, strlen(text + 4), &rank) ? (size_t)rank : 0;
}

caucus_status cau_cluster_check(caucus_ctx *ctx, const cau_cluster_options *o)
{
    const char *const files[] = {o->samples_file, o->assignments_file, o->members_file, o->output,
                                 o->answers};
    caucus_status st = CAUCUS_OK;
    if (o->reduce && parse_rank(o->reduce) == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--reduce %s: not a reduction; write nmf:35 for 35 dimensions", o->reduce);
    if (o->method != CAU_METHOD_DPMM && o->clusters == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "k-means needs the number of clusters; add --clusters N");
    if (o->method != CAU_METHOD_DPMM && o->ask && o->select != CAU_SELECT_RANDOM)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "k-means is never uncertain about a pair; add --select random");
    if (o->batch_mode == CAU_BATCH_JOINT && o->select != CAU_SELECT_ACTIVE)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--batch-mode joint chooses questions by their information, not by "
                        "--select %s; leave out one of the two",
                        o->select == CAU_SELECT_VI ? "vi" : "random");
    struct stat there;
    if (o->answers && stat(o->answers, &there) == 0 && !S_ISREG(there.st_mode))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s is no regular file, so answers cannot be kept in it; give --answers "
                        "another name",
                        o->answers);
    TRY(cau_plot_check(ctx, o->plot));
    TRY(cau_plot_check(ctx, o->plot_members));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i]) TRY(cau_output_probe(ctx, files[i]));
done:
    return st;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void scale_rows(size_t rows, size_t width, double total, double *x)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t v = 0; v < width; v++) sum += x[i * width + v];
        for (size_t v = 0; sum > 0 && v < width; v++) x[i * width + v] *= total / sum;
    }
}

static caucus_status reduce(cau_cluster_work *w, size_t rank)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_options *o = w->o;
    const cau_nmf_options how = {.rank = rank,
                                 .tolerance = nmf_tolerance,
                                 .iterations = NMF_ITERATIONS,
                                 .starts = (size_t)o->nmf_starts,
                                 .seed = o->nmf_seed,
                                 .threads = o->threads};
    TRY(cau_nmf_fit(w->ctx, &w->items.x, &how, NULL, NULL, &w->nmf));
    cau_note(w->ctx, "%zu features became %zu dimensions: error %.6g after %zu iterations%s",
             w->nmf.V, rank, w->nmf.error, w->nmf.iterations,
             w->nmf.converged ? "" : ", which are not enough for its tolerance");
    const size_t cells = w->nmf.N * rank;
    w->dense = cau_alloc(cells, sizeof *w->dense);
    if (!w->dense) TRY(cau_fail_memory(w->ctx, "the items"));
    memcpy(w->dense, w->nmf.w, cells * sizeof *w->dense);
    if (w->total > 0) scale_rows(w->nmf.N, rank, w->total, w->dense);
    w->points = (cau_points){.N = w->nmf.N, .V = rank, .dense = w->dense};
done:
    return st;
}

static caucus_status spread_out(cau_cluster_work *w)
{
    const cau_csr *x = &w->items.x;
    size_t cells;
    if (cau_size_mul(x->rows, x->columns, &cells)) w->dense = cau_calloc(cells, sizeof *w->dense);
    if (!w->dense) return cau_fail_memory(w->ctx, "the items as rows of numbers");
    for (size_t i = 0; i < x->rows; i++)
        for (size_t at = x->start[i]; at < x->start[i + 1]; at++)
            w->dense[i * x->columns + x->column[at]] = (double)x->value[at];
    if (w->total > 0) scale_rows(x->rows, x->columns, w->total, w->dense);
    w->points = (cau_points){.N = x->rows, .V = x->columns, .dense = w->dense};
    return CAUCUS_OK;
}

/* Sparse rows with the same pattern and other values. */
static caucus_status scale_sparse(cau_cluster_work *w)
{
    const cau_csr *x = &w->items.x;
    const size_t nonzeros = cau_csr_nonzeros(x);
    w->scaled = *x;
    w->scaled.value = cau_alloc(nonzeros, sizeof(float));
    if (!w->scaled.value) return cau_fail_memory(w->ctx, "the items");
    for (size_t i = 0; i < x->rows; i++) {
        double sum = 0;
        for (size_t at = x->start[i]; at < x->start[i + 1]; at++) sum += (double)x->value[at];
        for (size_t at = x->start[i]; at < x->start[i + 1]; at++)
            w->scaled.value[at] =
                sum > 0 ? (float)((double)x->value[at] * w->total / sum) : x->value[at];
    }
    w->points = (cau_points){.N = x->rows, .V = x->columns, .sparse = &w->scaled};
    return CAUCUS_OK;
}

static caucus_status make_points(cau_cluster_work *w)
{
    const cau_csr *x = &w->items.x;
    const cau_cluster_options *o = w->o;
    w->total = o->total;
    if (o->total == 0 && o->reduce && o->dp.likelihood == CAU_MULTINOMIAL) w->total = reduced_total;
    if (o->reduce) return reduce(w, parse_rank(o->reduce));
    if (o->dp.likelihood == CAU_GAUSSIAN || o->method != CAU_METHOD_DPMM) return spread_out(w);
    for (size_t at = 0; o->dp.likelihood == CAU_MULTINOMIAL && at < cau_csr_nonzeros(x); at++)
        if (x->value[at] < 0)
            return cau_fail(w->ctx, CAUCUS_ERR_FORMAT,
                            "multinomial components are of counts, and some values are below 0; "
                            "use --likelihood gaussian");
    if (w->total > 0) return scale_sparse(w);
    w->points = (cau_points){.N = x->rows, .V = x->columns, .sparse = x};
    return CAUCUS_OK;
}

/* ---- samples ------------------------------------------------------------------------------- */

/* Means of the measures over the samples, for the items with a class, except those with a link if
 * `linked` [N] is not NULL; *count of them. */
static caucus_status measure(cau_cluster_work *w, const bool *linked, cau_cluster_measures *out,
                             size_t *count)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = w->samples.N;
    double *sum = (double *)out;
    enum { MEASURES = sizeof(cau_cluster_measures) / sizeof(double) };
    uint32_t *classes = cau_alloc(N, sizeof *classes), *clusters = cau_alloc(N, sizeof *clusters);
    *out = (cau_cluster_measures){0};
    if (!classes || !clusters) TRY(cau_fail_memory(w->ctx, "the scores"));
    for (size_t s = 0; s < w->samples.S; s++) {
        cau_cluster_measures one;
        size_t n = 0;
        for (size_t i = 0; i < N; i++) {
            if (w->gold[i] == CAU_UNKNOWN || (linked && linked[i])) continue;
            classes[n] = w->gold[i];
            clusters[n++] = w->samples.z[s * N + i];
        }
        *count = n;
        if (cau_cluster_measure(classes, clusters, n, &one))
            TRY(cau_fail_memory(w->ctx, "the scores"));
        for (size_t m = 0; m < MEASURES; m++)
            sum[m] += ((const double *)&one)[m] / (double)w->samples.S;
    }
done:
    free(classes);
    free(clusters);
    return st;
}

/* The scores of all items, and of those without a link. Items with links score better because they
 * were asked about; the others show what the model learnt from the answers. */
static caucus_status measure_milestone(cau_cluster_work *w, cau_milestone *m)
{
    caucus_status st = CAUCUS_OK;
    size_t items;
    bool *linked = cau_calloc(w->samples.N, sizeof *linked);
    if (!linked) TRY(cau_fail_memory(w->ctx, "the scores"));
    for (size_t i = 0; i < m->links; i++) {
        const cau_link link = cau_links_at(w->links, i);
        linked[link.a] = linked[link.b] = true;
    }
    TRY(measure(w, NULL, &m->measures, &items));
    TRY(measure(w, linked, &m->unlinked, &m->unlinked_items));
done:
    free(linked);
    return st;
}

/* The best start of k-means as the only sample. */
static caucus_status draw_kmeans(cau_cluster_work *w, const cau_constraints *constraints,
                                 cau_diagnosis *d)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_options *o = w->o;
    const size_t N = w->points.N;
    const cau_kmeans_options how = {.soft = o->method == CAU_METHOD_PCK_MEANS,
                                    .K = (size_t)o->clusters,
                                    .penalty = o->penalty,
                                    .starts = (size_t)o->starts,
                                    .iterations = KMEANS_ITERATIONS,
                                    .seed = o->seed,
                                    .threads = o->threads};
    w->samples = (cau_partitions){.N = N, .S = 1, .z = cau_alloc(N, sizeof *w->samples.z)};
    if (!w->samples.z) TRY(cau_fail_memory(w->ctx, "the clusters"));
    TRY(cau_kmeans_fit(w->ctx, &w->points, constraints, &how, w->samples.z, &w->objective));
    *d = (cau_diagnosis){NAN, NAN, NAN, NAN, .clusters = 0, .joint = NAN, .alpha = NAN};
    for (size_t i = 0; i < N; i++) d->clusters = fmax(d->clusters, w->samples.z[i] + 1.0);
done:
    return st;
}

static caucus_status draw_chains(cau_cluster_work *w, const cau_constraints *constraints,
                                 bool first, cau_diagnosis *d)
{
    caucus_status st = CAUCUS_OK;
    if (!w->chains) {
        const cau_chains_options how = {.chains = (size_t)w->o->chains,
                                        .burn_in = (size_t)w->o->burn_in,
                                        .samples = (size_t)w->o->samples,
                                        .lag = (size_t)w->o->lag,
                                        .seed = w->o->seed,
                                        .threads = w->o->threads};
        cau_dp_options dp = w->o->dp;
        dp.split_merge = (size_t)w->o->split_merge;
        TRY(cau_chains_new(w->ctx, &w->points, &dp, &how, constraints, &w->chains));
    }
    TRY(cau_chains_draw(w->ctx, w->chains, first ? NULL : constraints, !first && w->o->afresh,
                        (size_t)w->o->again, &w->samples));
    *d = cau_chains_diagnose(w->chains);
done:
    return st;
}

caucus_status cau_cluster_draw(cau_cluster_work *w, bool first)
{
    caucus_status st = CAUCUS_OK;
    cau_constraints constraints;
    cau_milestone m = {.links = cau_links_count(w->links)};
    TRY(cau_links_constraints(w->ctx, w->links, &constraints));
    free(w->samples.z);
    w->samples = (cau_partitions){0};
    if (w->o->method == CAU_METHOD_DPMM)
        TRY(draw_chains(w, &constraints, first, &m.diagnosis));
    else
        TRY(draw_kmeans(w, &constraints, &m.diagnosis));
    if (w->gold) TRY(measure_milestone(w, &m));
    /* Milestones of undone answers are dropped. */
    while (w->milestones && w->milestone[w->milestones - 1].links >= m.links) w->milestones--;
    if (w->milestones == w->milestone_room &&
        !CAU_GROW(w->milestone, w->milestone_room, w->milestones + 1))
        TRY(cau_fail_memory(w->ctx, "the scores"));
    w->milestone[w->milestones++] = m;
done:
    return st;
}

/* ---- items ---------------------------------------------------------------------------------- */

static void facts_clear(cau_item_facts *facts)
{
    cau_alphabet_free(facts->name);
    cau_alphabet_free(facts->class);
    free(facts->link);
    free(facts->of);
}

void cau_cluster_clear(cau_cluster_work *w)
{
    cau_item_builder_clear(&w->builder);
    facts_clear(&w->facts);
    cau_items_clear(&w->items);
    cau_nmf_clear(&w->nmf);
    free(w->dense);
    free(w->scaled.value);
    free(w->gold);
    cau_links_free(w->links);
    cau_chains_free(w->chains);
    free(w->samples.z);
    cau_consensus_clear(&w->consensus);
    free(w->milestone);
}

caucus_status cau_cluster_begin(cau_cluster_work *w)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_options *o = w->o;
    TRY(cau_cluster_check(w->ctx, o));
    w->item_options = o->items;
    if (o->reduce) w->item_options.total = even_total;
    TRY(cau_items_begin(w->ctx, &w->item_options, &w->builder));
    TRY(cau_alphabet_new(w->ctx, &w->facts.name));
    TRY(cau_alphabet_new(w->ctx, &w->facts.class));
done:
    return st;
}

/* ---- links and classes from memory ---------------------------------------------------------- */

/* The number of an added item among the names of the facts. */
static caucus_status number_of(cau_cluster_work *w, const char *item, uint32_t *number)
{
    const size_t n = strlen(item);
    if (cau_alphabet_find(w->builder.items, item, n) == CAU_UNKNOWN)
        return cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                        "there is no item '%s'; add it before what is known about it", item);
    *number = cau_alphabet_add(w->facts.name, item, n);
    return *number == CAU_UNKNOWN ? cau_fail_memory(w->ctx, "the items") : CAUCUS_OK;
}

caucus_status cau_cluster_link(cau_cluster_work *w, const char *a, const char *b, double together)
{
    caucus_status st = CAUCUS_OK;
    cau_item_facts *facts = &w->facts;
    cau_link link = {.together = together};
    if (!(together >= 0 && together <= 1))
        TRY(cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                     "a link of probability %g; give 1 for together, 0 for apart, or a number "
                     "between",
                     together));
    TRY(number_of(w, a, &link.a));
    TRY(number_of(w, b, &link.b));
    if (link.a == link.b)
        TRY(cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                     "a link from '%s' to itself; name two items, or drop it", a));
    if (!CAU_GROW(facts->link, facts->link_room, facts->links + 1))
        TRY(cau_fail_memory(w->ctx, "the links"));
    facts->link[facts->links++] = link;
done:
    return st;
}

caucus_status cau_cluster_class(cau_cluster_work *w, const char *item, const char *class)
{
    caucus_status st = CAUCUS_OK;
    cau_item_facts *facts = &w->facts;
    struct cau_item_class of;
    if (!*class)
        TRY(cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT, "the class of '%s' has no name; give it one",
                     item));
    TRY(number_of(w, item, &of.item));
    of.class = cau_alphabet_add(facts->class, class, strlen(class));
    if (of.class == CAU_UNKNOWN || !CAU_GROW(facts->of, facts->class_room, facts->classes + 1))
        TRY(cau_fail_memory(w->ctx, "the classes"));
    facts->of[facts->classes++] = of;
done:
    return st;
}

/* The index, among the items left, of a name of the facts, or CAU_UNKNOWN. */
static uint32_t item_of(const cau_cluster_work *w, uint32_t number)
{
    const cau_str name = cau_alphabet_name(w->facts.name, number);
    return cau_alphabet_find(w->items.items, name.s, name.n);
}

static caucus_status add_links(cau_cluster_work *w)
{
    for (size_t i = 0; i < w->facts.links; i++) {
        cau_link link = w->facts.link[i];
        const cau_str a = cau_alphabet_name(w->facts.name, link.a);
        const cau_str b = cau_alphabet_name(w->facts.name, link.b);
        link.a = item_of(w, link.a);
        link.b = item_of(w, link.b);
        if (link.a == CAU_UNKNOWN || link.b == CAU_UNKNOWN)
            return cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                            "the link of '%s' and '%s': --least or --only leave out one of them; "
                            "drop the link",
                            a.s, b.s);
        const caucus_status st = cau_links_add(w->ctx, w->links, w->items.items, link);
        if (st) return st;
    }
    return CAUCUS_OK;
}

static caucus_status add_classes(cau_cluster_work *w)
{
    for (size_t i = 0; i < w->facts.classes; i++) {
        const struct cau_item_class of = w->facts.of[i];
        const uint32_t item = item_of(w, of.item);
        if (item == CAU_UNKNOWN) continue;
        if (w->gold[item] != CAU_UNKNOWN && w->gold[item] != of.class)
            return cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                            "'%s' has a second class; leave it in one of them",
                            cau_alphabet_name(w->items.items, item).s);
        w->gold[item] = of.class;
    }
    return CAUCUS_OK;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* The items as they were added, the links, and the classes. */
static caucus_status prepare(cau_cluster_work *w)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_options *o = w->o;
    TRY(cau_items_finish(w->ctx, &w->builder, &w->items));
    const size_t N = cau_alphabet_size(w->items.items);
    cau_note(w->ctx, "%zu items, %zu features", N, cau_alphabet_size(w->items.features));
    TRY(cau_links_new(w->ctx, N, &w->links));
    TRY(add_links(w));
    if (o->links) TRY(cau_links_read(w->ctx, w->links, w->items.items, o->links));
    if (o->gold && w->facts.classes)
        TRY(cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                     "the classes are in memory already; leave out --gold"));
    if (o->gold || w->facts.classes) {
        w->gold = cau_alloc(N, sizeof *w->gold);
        if (!w->gold) TRY(cau_fail_memory(w->ctx, "the classes"));
        for (size_t i = 0; i < N; i++) w->gold[i] = CAU_UNKNOWN;
    }
    if (o->gold) TRY(cau_cluster_gold(w->ctx, o->gold, w->items.items, w->gold));
    TRY(add_classes(w));
done:
    return st;
}

static void warn_of_chains(const cau_cluster_work *w)
{
    const cau_diagnosis *d = &w->milestone[w->milestones - 1].diagnosis;
    if (isnan(d->rhat_clusters) || isnan(d->rhat_joint))
        cau_note(w->ctx, "too few samples to tell whether the chains agree; raise --samples");
    else if (w->o->chains > 1 && !d->agree)
        cau_note(
            w->ctx,
            "the chains do not agree (scale reduction %.2f of the number of clusters, %.2f of "
            "the log joint; 1.1 is the usual limit): raise --burn-in or --lag before you trust "
            "the samples",
            d->rhat_clusters, d->rhat_joint);
}

/* The only sample is the result: PCKMeans may violate links, which the consensus would keep. */
static caucus_status take_only_sample(cau_cluster_work *w)
{
    const size_t N = w->samples.N;
    cau_consensus *c = &w->consensus;
    c->z = cau_alloc(N, sizeof *c->z);
    c->certainty = cau_alloc(N, sizeof *c->certainty);
    if (!c->z || !c->certainty) return cau_fail_memory(w->ctx, "the clusters");
    memcpy(c->z, w->samples.z, N * sizeof *c->z);
    for (size_t i = 0; i < N; i++) c->certainty[i] = 1;
    c->K = (size_t)w->milestone[w->milestones - 1].diagnosis.clusters;
    return CAUCUS_OK;
}

static caucus_status summarise(cau_cluster_work *w)
{
    if (w->o->method != CAU_METHOD_DPMM) return take_only_sample(w);
    caucus_status st = CAUCUS_OK;
    cau_constraints constraints;
    cau_rng rng;
    cau_rng_init(&rng, w->o->seed);
    TRY(cau_links_constraints(w->ctx, w->links, &constraints));
    TRY(cau_consensus_find(w->ctx, &w->samples, &constraints, w->o->consensus, &rng,
                           &w->consensus));
    warn_of_chains(w);
done:
    return st;
}

caucus_status cau_cluster_run(cau_cluster_work *w, caucus_ask_fn *ask, void *ask_user)
{
    caucus_status st = CAUCUS_OK;
    const cau_cluster_options *o = w->o;
    caucus_model *model = NULL;
    if (o->ask && !ask && !o->gold && !w->facts.classes)
        TRY(cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                     "--ask needs an answer to each question; add --gold, or answer at a "
                     "terminal"));
    if (o->plot && !o->gold && !w->facts.classes)
        TRY(cau_fail(w->ctx, CAUCUS_ERR_ARGUMENT,
                     "--plot draws scores over questions; add --gold, the true classes"));
    TRY(prepare(w));
    TRY(make_points(w));
    TRY(cau_cluster_ask(w, ask, ask_user));
    TRY(summarise(w));
    TRY(cau_cluster_files(w));
    if (o->output) {
        TRY(cau_cluster_model(w, &model));
        TRY(cau_model_save(w->ctx, model, o->output));
    }
done:
    cau_model_free(model);
    return st;
}
