/* problem.c - see problem.h.
 *
 * With u = m w for m merged columns and v = scale u,
 *     scores are X u,    l2/2 sum (w - mean)^2 = l2/(2m) (u - mean_u)^2,    dF/dv = dF/du / scale
 * With means columns are not merged, since their means differ; and not where some observations have
 * no weights. */

#include "train/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/vector.h"
#include "optim/prox.h"
#include "train/resolve_options.h"
#include "train/seen.h"

/* ---- rows of weights ---- */

/* Rows are numbered through: those of the nodes, those of the edges, and one of all common weights.
 * The first weight of a row; n for the row after the last. */
static size_t row_at(const cau_problem *p, size_t row)
{
    if (row <= p->nodes.rows) return cau_table_at(&p->nodes, row);
    row -= p->nodes.rows;
    if (row <= p->edges.rows) return cau_table_size(&p->nodes) + cau_table_at(&p->edges, row);
    return p->n;
}

static size_t rows_of(const cau_problem *p)
{
    return p->nodes.rows + p->edges.rows + 1;
}

/* The row of a weight below n. */
static size_t row_of(const cau_problem *p, size_t k)
{
    size_t low = 0, high = rows_of(p); /* row_at(low) <= k < row_at(high) */
    if (!p->nodes.start && k < cau_table_size(&p->nodes)) return k / p->nodes.width;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (row_at(p, middle) <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The number of weights of the model that a row of the solver stands for. */
static double row_count(const cau_problem *p, size_t row)
{
    return p->merged.count && row < p->set->K ? (double)p->merged.count[row] : 1;
}

/* ---- other models ---- */

caucus_status cau_problem_weights_of(caucus_ctx *ctx, const caucus_data *data, const cau_problem *p,
                                     const char *path, const caucus_model *model, double *w)
{
    cau_source_model other = {0};
    const cau_table nodes = cau_problem_model_nodes(p);
    caucus_status st = cau_source_model_open(ctx, data, path, model, &other);
    if (st) return st;
    memset(w, 0, p->model_n * sizeof *w);
    cau_source_model_weights(&other, &nodes, false, w);
    cau_source_model_weights(&other, &p->edges, true, w + cau_table_size(&nodes));
    if (p->common) cau_source_model_common(&other, p->chain, w + p->model_n - p->common);
    for (size_t k = 0; k < p->n && p->fixed; k++) /* fixed weights are never merged */
        if (p->fixed[k]) w[k] = 0;
    cau_source_model_clear(&other);
    return CAUCUS_OK;
}

/* ---- counts ---- */

static void count(const cau_table *table, size_t k, size_t cell, double c, double *counts)
{
    size_t at = cau_table_find(table, k, cell);
    if (at != SIZE_MAX) counts[at] += c;
}

void cau_problem_counts(const cau_problem *p, double *counts)
{
    const cau_dataset *set = p->set;
    const size_t Y = set->Y;
    double *edges = counts + cau_table_size(&p->nodes), *common = counts + p->n - p->common;
    memset(counts, 0, p->n * sizeof *counts);
    for (size_t i = 0, s = 0; i < set->N; i++) {
        const size_t gold = set->gold[i];
        double c = p->weight ? (double)p->weight[i] : 1;
        size_t row = i * set->group + (set->width == 1 && set->group > 1 ? gold : 0);
        size_t cell = set->width == 1 ? 0 : gold;
        while (p->chain && set->sequence && set->sequence[s + 1] <= i) s++;
        const size_t first = p->chain && set->sequence ? set->sequence[s] : i;
        if (p->chain && p->weight) c = (double)p->weight[first];
        for (size_t e = set->x.start[row]; e < set->x.start[row + 1]; e++)
            count(&p->nodes, set->x.column[e], cell,
                  c * (set->x.value ? (double)set->x.value[e] : 1), counts);
        if (p->common && !p->chain) common[gold] += c;
        if (first == i) continue;
        const size_t pair = set->gold[i - 1] * Y + gold;
        if (p->common) common[pair] += c;
        for (size_t e = set->E ? set->e.start[i] : 0; set->E && e < set->e.start[i + 1]; e++)
            count(&p->edges, set->e.column[e], pair, c, edges);
    }
}

/* ---- coordinates ---- */

/* The fourth root of the curvature at w = 0, where all cells of an observation have equal
 * probability, p = 1/cells:
 *     scale_k = ( p (1-p) sum_i c_i x_ik^2 + l2/m_k )^(1/4)
 * The square root would make all these curvatures 1; the fourth root is half way there, and better
 * than either extreme: docs/decisions/scaled-lbfgs.md. The same holds for proximal gradient: on a
 * part of CoNLL-2000, F after 200 iterations is 0.6 to 4% lower than without. */
static caucus_status choose_scale(caucus_ctx *ctx, cau_problem *p)
{
    const cau_dataset *set = p->set;
    const size_t last = rows_of(p) - 1;
    const bool edges = p->edges.rows > 0; /* a classifier does not use those of the data */
    p->scale = cau_calloc(rows_of(p), sizeof *p->scale);
    p->unscaled = cau_vector(p->n, sizeof *p->unscaled);
    if (!p->scale || !p->unscaled) return cau_fail_memory(ctx, "the weights");
    for (size_t row = 0; row < set->N * set->group; row++) {
        double c = p->weight ? (double)p->weight[row / set->group] : 1;
        for (size_t e = set->x.start[row]; e < set->x.start[row + 1]; e++) {
            double x = set->x.value ? (double)set->x.value[e] : 1;
            p->scale[set->x.column[e]] += c * x * x;
        }
        for (size_t e = edges ? set->e.start[row] : 0; edges && e < set->e.start[row + 1]; e++)
            p->scale[set->K + set->e.column[e]] += c;
        p->scale[last] += c;
    }
    if (cau_comm_sum(p->comm, last + 1, p->scale))
        return cau_fail(ctx, CAUCUS_ERR_IO, "lost contact with the other processes");
    for (size_t k = 0; k <= last; k++) {
        bool edge = k >= set->K && (k < last || p->chain);
        double share = 1 / (double)(edge ? set->Y * set->Y : set->Y);
        double l2 = row_at(p, k) < p->penalised ? p->l2 / row_count(p, k) : 0;
        double curvature = share * (1 - share) * p->scale[k] + l2;
        p->scale[k] = curvature > 0 ? sqrt(sqrt(curvature)) : 1;
    }
    return CAUCUS_OK;
}

/* to = from / scale, for a range of the weights (v is scale * u). */
static void unscale(const cau_problem *p, size_t begin, size_t end, const double *from, double *to)
{
    for (size_t k = begin, row = begin < end ? row_of(p, begin) : 0; k < end; row++) {
        size_t stop = row_at(p, row + 1);
        double factor = 1 / p->scale[row];
        for (stop = stop < end ? stop : end; k < stop; k++) to[k] = from[k] * factor;
    }
}

typedef struct {
    const cau_problem *p;
    const double *from;
    double *to;
} move_job;

static void unscale_block(void *self, size_t begin, size_t end, double *sums)
{
    const move_job *j = self;
    (void)sums;
    unscale(j->p, begin, end, j->from, j->to);
}

cau_table cau_problem_model_nodes(const cau_problem *p)
{
    return p->merged.column ? p->model_nodes : p->nodes;
}

/* Rows of the model are numbered in the same way. The first weight of a row, and the row of the
 * solver that stands for it. */
static size_t model_row_at(const cau_problem *p, size_t row)
{
    if (!p->merged.column) return row_at(p, row);
    if (row <= p->model_nodes.rows) return cau_table_at(&p->model_nodes, row);
    return row_at(p, row - p->model_nodes.rows + p->nodes.rows) + p->model_n - p->n;
}

static size_t solver_row(const cau_problem *p, size_t row)
{
    if (!p->merged.column) return row;
    if (row < p->model_nodes.rows) return p->merged.column[row];
    return row - p->model_nodes.rows + p->nodes.rows;
}

static size_t model_rows(const cau_problem *p)
{
    return (p->merged.column ? p->model_nodes.rows : p->nodes.rows) + p->edges.rows + 1;
}

enum { ROW_BLOCK = 1024 };

static caucus_status to_model_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const move_job *j = self;
    const cau_problem *p = j->p;
    const size_t rows = model_rows(p);
    size_t end = (block + 1) * ROW_BLOCK < rows ? (block + 1) * ROW_BLOCK : rows;
    for (size_t row = block * ROW_BLOCK; row < end; row++) {
        size_t from = solver_row(p, row), stop = model_row_at(p, row + 1);
        const double *v = j->from + row_at(p, from);
        double factor = 1 / (row_count(p, from) * (p->scale ? p->scale[from] : 1));
        for (size_t at = model_row_at(p, row); at < stop; at++) j->to[at] = *v++ * factor;
    }
    return CAUCUS_OK;
}

void cau_problem_to_model(const cau_problem *p, const double *v, double *w)
{
    move_job j = {.p = p, .from = v, .to = w};
    (void)cau_parallel(p->threads, (model_rows(p) + ROW_BLOCK - 1) / ROW_BLOCK, to_model_block, &j);
}

void cau_problem_from_model(const cau_problem *p, const double *w, double *v)
{
    memset(v, 0, p->n * sizeof *v);
    for (size_t row = 0; row < model_rows(p); row++) {
        size_t to = solver_row(p, row), stop = model_row_at(p, row + 1);
        double *at = v + row_at(p, to), scale = p->scale ? p->scale[to] : 1;
        for (size_t k = model_row_at(p, row); k < stop; k++) *at++ += w[k] * scale;
    }
}

bool cau_problem_is_plain(const cau_problem *p)
{
    return !p->scale && !p->merged.column;
}

/* ---- the problem ---- */

static bool is_batch(cau_solver_kind solver)
{
    return solver == CAU_SOLVER_LBFGS || solver == CAU_SOLVER_OWLQN;
}

/* Expands a merged table to one row for each observation of the model. */
static caucus_status unmerge(caucus_ctx *ctx, const cau_problem *p, size_t K, cau_table *out)
{
    const uint32_t *column = p->merged.column;
    *out = (cau_table){.rows = K, .width = p->nodes.width};
    if (!p->nodes.start) return CAUCUS_OK;
    out->start = cau_alloc(K + 1, sizeof *out->start);
    if (!out->start) return cau_fail_memory(ctx, "the seen pairs");
    size_t at = 0;
    for (size_t k = 0; k < K; k++) {
        out->start[k] = at;
        at += p->nodes.start[column[k] + 1] - p->nodes.start[column[k]];
    }
    out->start[K] = at;
    out->cell = cau_alloc(at, sizeof *out->cell);
    if (!out->cell) return cau_fail_memory(ctx, "the seen pairs");
    for (size_t k = 0; k < K; k++)
        memcpy(out->cell + out->start[k], p->nodes.cell + p->nodes.start[column[k]],
               (out->start[k + 1] - out->start[k]) * sizeof *out->cell);
    return CAUCUS_OK;
}

/* Makes rows of the node table complete if that is faster, but not for iterative scaling, which
 * counts the weights of an instance. filled [nodes] marks the weights that were added. */
static caucus_status fill_rows(caucus_ctx *ctx, cau_problem *p, uint8_t **filled)
{
    cau_table whole;
    caucus_status st = cau_table_fill(ctx, &p->nodes, p->nodes.width / 4 + 1, &whole, filled);
    if (st) return st;
    cau_table_clear(&p->nodes);
    p->nodes = whole;
    return CAUCUS_OK;
}

/* Makes rows without keep[] empty; NULL keeps them all. */
static caucus_status mask_rows(caucus_ctx *ctx, const uint8_t *keep, cau_table *table)
{
    cau_table masked;
    if (!keep || table->rows == 0) return CAUCUS_OK;
    caucus_status st = cau_table_mask(ctx, table, keep, &masked);
    if (st) return st;
    cau_table_clear(table);
    *table = masked;
    return CAUCUS_OK;
}

/* A transition that another process has seen is seen. */
static caucus_status unite_unseen(const cau_problem *p, uint8_t *unseen)
{
    uint64_t *seen = cau_alloc(p->common, sizeof *seen);
    if (!seen) return CAUCUS_ERR_MEMORY;
    for (size_t c = 0; c < p->common; c++) seen[c] = !unseen[c];
    const caucus_status st = cau_comm_union(p->comm, p->common, seen);
    for (size_t c = 0; c < p->common; c++) unseen[c] = !seen[c];
    free(seen);
    return st;
}

/* Marks the weights that stay 0: those that fill rows, and unseen transitions. */
static caucus_status fix_weights(caucus_ctx *ctx, cau_problem *p, const uint8_t *filled, bool seen,
                                 const cau_source_model *other)
{
    if (!filled && !(seen && p->common)) return CAUCUS_OK;
    p->fixed = cau_calloc(p->n, 1);
    if (!p->fixed) return cau_fail_memory(ctx, "the seen pairs");
    if (filled) memcpy(p->fixed, filled, cau_table_size(&p->nodes));
    if (seen && p->common) {
        uint8_t *unseen = p->fixed + p->n - p->common;
        cau_unseen_transitions(p->set, other, unseen);
        if (p->comm && unite_unseen(p, unseen))
            return cau_fail(ctx, CAUCUS_ERR_IO, "lost contact with the other processes");
        for (size_t c = 0; c < p->common; c++) p->free_n -= unseen[c];
    }
    return CAUCUS_OK;
}

/* The number of weights of the nodes of the model, before rows are filled. */
static size_t node_weights(const cau_problem *p, size_t K)
{
    if (!p->merged.column) return cau_table_size(&p->nodes);
    if (!p->nodes.start) return K * p->nodes.width;
    size_t sum = 0;
    for (size_t k = 0; k < K; k++) {
        const size_t row = p->merged.column[k];
        sum += p->nodes.start[row + 1] - p->nodes.start[row];
    }
    return sum;
}

/* Chooses the layout of the weights. */
static caucus_status lay_out(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *o,
                             const cau_source_model *other, cau_problem *p)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = p->set;
    const size_t Y = set->Y, K = data->train.K;
    const cau_solver_kind solver = cau_train_solver(o, data);
    const bool seen = p->chain && o->transitions == CAU_TRANSITIONS_SEEN;
    /* explicit features list their own classes */
    const bool listed = cau_train_states(o, p->chain) == CAU_STATES_SEEN && set->width > 1;
    uint8_t *filled = NULL;
    size_t size;
    p->nodes = (cau_table){.rows = set->K, .width = set->width};
    p->edges = (cau_table){.rows = p->chain ? set->E : 0, .width = Y * Y};
    if (!cau_size_mul(K, set->width, &size) || !cau_size_mul(p->edges.rows, Y * Y, &size))
        TRY(cau_fail_memory(ctx, "the weights"));
    if (listed) TRY(cau_seen_nodes(ctx, set, other, &p->nodes));
    if (seen && set->E) TRY(cau_seen_edges(ctx, set, other, &p->edges));
    if (p->comm && listed) TRY(cau_seen_unite(ctx, &p->nodes));
    if (p->comm && seen && set->E) TRY(cau_seen_unite(ctx, &p->edges));
    TRY(mask_rows(ctx, o->rows, &p->nodes));
    TRY(mask_rows(ctx, o->edge_rows, &p->edges));
    if (p->chain)
        p->common = data->transitions ? Y * Y : 0;
    else
        p->common = !o->no_bias && set->width > 1 ? Y : 0;
    const size_t others = cau_table_size(&p->edges) + p->common;
    p->free_n = node_weights(p, K) + others;

    if (listed && !cau_solver_is_scaling(solver)) TRY(fill_rows(ctx, p, &filled));
    if (p->merged.column) TRY(unmerge(ctx, p, K, &p->model_nodes));
    const cau_table model_nodes = cau_problem_model_nodes(p);
    p->model_n = cau_table_size(&model_nodes) + others;
    p->n = cau_table_size(&p->nodes) + others;
    p->penalised = p->chain || o->prior ? p->n : p->n - p->common;
    TRY(fix_weights(ctx, p, filled, seen, other));
done:
    free(filled);
    return st;
}

static caucus_status make_groups(caucus_ctx *ctx, const caucus_data *data, cau_group by,
                                 cau_problem *p)
{
    const cau_group_penalty_options groups = {.data = data,
                                              .by = by,
                                              .nodes = p->nodes,
                                              .edges = p->edges,
                                              .common = p->penalised == p->n ? p->common : 0,
                                              .fixed = p->fixed,
                                              .scale = p->scale,
                                              .l1 = p->l1,
                                              .threads = p->threads};
    return cau_group_penalty_new(ctx, &groups, &p->groups);
}

cau_weight_layout cau_problem_layout(const cau_problem *p)
{
    return (cau_weight_layout){
        .nodes = p->nodes, .edges = p->edges, .common = p->common, .chain = p->chain};
}

cau_pass_options cau_problem_model_pass(const cau_problem *p, const cau_dataset *set)
{
    cau_weight_layout layout = cau_problem_layout(p);
    layout.nodes = cau_problem_model_nodes(p);
    return (cau_pass_options){.set = set, .layout = layout, .threads = p->threads};
}

/* Cuts the weights into parts, at the beginnings of rows. */
static caucus_status make_parts(caucus_ctx *ctx, cau_problem *p)
{
    const size_t ranks = cau_comm_ranks(p->comm);
    p->first = cau_calloc(ranks + 1, sizeof *p->first);
    p->whole = cau_vector(p->n, sizeof *p->whole);
    p->parts = cau_vector(p->n, sizeof *p->parts);
    if (!p->first || !p->whole || !p->parts) return cau_fail_memory(ctx, "the weights");
    for (size_t r = 1; r < ranks; r++) {
        const size_t k = p->n / ranks * r;
        p->first[r] = p->n ? row_at(p, row_of(p, k)) : 0;
    }
    p->first[ranks] = p->n;
    return CAUCUS_OK;
}

caucus_status cau_problem_init(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *o,
                               unsigned threads, cau_problem *p)
{
    caucus_status st = CAUCUS_OK;
    cau_solver_kind solver = cau_train_solver(o, data);
    const cau_dataset *set = &data->train;
    const char *path = o->from ? o->from : o->mean;
    const caucus_model *model = path ? NULL : o->prior;
    bool merge = is_batch(solver) && !path && !model && !o->rows && !o->edge_rows;
    cau_source_model other = {0};

    *p = (cau_problem){.set = set, .l1 = o->l1, .l2 = o->l2, .threads = threads};
    p->chain = cau_train_chain(o, data);
    p->comm = data->shared ? ctx->comm : NULL;
    if (cau_solver_is_perceptron(solver)) p->l1 = p->l2 = 0;
    if (path || model) TRY(cau_source_model_open(ctx, data, path, model, &other));
    if (merge) TRY(cau_merge(ctx, set, &p->merged, &merge));
    if (merge) p->set = &p->merged.set;
    TRY(lay_out(ctx, data, o, &other, p));
    TRY(cau_instance_weights(ctx, data, o->class_weight, &p->weight));
    if (o->mean || o->prior) {
        p->mean = cau_vector(p->n, sizeof *p->mean);
        if (!p->mean) TRY(cau_fail_memory(ctx, "the means"));
        TRY(cau_problem_weights_of(ctx, data, p, o->mean, o->prior, p->mean));
    }
    if (solver == CAU_SOLVER_LBFGS || solver == CAU_SOLVER_PROXIMAL) TRY(choose_scale(ctx, p));
    if (o->group != CAU_GROUP_NONE) TRY(make_groups(ctx, data, o->group, p));
    if (p->comm) TRY(make_parts(ctx, p));

    cau_pass_options pass = {
        .set = p->set, .layout = cau_problem_layout(p), .weight = p->weight, .threads = threads};
    TRY(cau_pass_new(ctx, &pass, &p->pass));
    if (data->dev.N) {
        pass = cau_problem_model_pass(p, &data->dev);
        TRY(cau_pass_new(ctx, &pass, &p->dev));
    }
done:
    cau_source_model_clear(&other);
    if (st) cau_problem_clear(p);
    return st;
}

void cau_problem_clear(cau_problem *p)
{
    cau_pass_free(p->pass);
    cau_pass_free(p->dev);
    cau_merged_clear(&p->merged);
    cau_table_clear(&p->nodes);
    cau_table_clear(&p->edges);
    cau_table_clear(&p->model_nodes);
    cau_group_penalty_free(p->groups);
    free(p->mean);
    free(p->fixed);
    free(p->weight);
    free(p->scale);
    free(p->unscaled);
    free(p->first);
    free(p->whole);
    free(p->parts);
    *p = (cau_problem){0};
}

/* l2/(2m) (u - mean)^2 over the complete rows in begin..end-1; adds its gradient to g if not NULL.
 */
static double penalty_of(const cau_problem *p, size_t begin, size_t end, const double *u, double *g)
{
    double sum = 0;
    if (end > p->penalised) end = p->penalised;
    if (p->l2 == 0 || begin >= p->penalised || begin == end) return 0;
    for (size_t at = begin, row = row_of(p, begin); at < end; row++) {
        const double l2 = p->l2 / row_count(p, row);
        const size_t stop = row_at(p, row + 1);
        double squares = 0;
        for (; at < stop; at++) {
            double d = u[at] - (p->mean ? p->mean[at] : 0);
            squares += d * d;
            if (g) g[at] += l2 * d;
        }
        sum += l2 / 2 * squares;
    }
    return sum;
}

/* The penalty of a range of weights; converts the gradient to the coordinates of the solver. */
static double add_penalty(void *self, size_t begin, size_t end, const double *u, double *g)
{
    const cau_problem *p = self;
    const double sum = penalty_of(p, begin, end, u, g);
    if (p->fixed)
        for (size_t k = begin; k < end; k++)
            if (p->fixed[k]) g[k] = 0;
    if (p->scale) unscale(p, begin, end, g, g);
    return sum;
}

/* The unscaled weights, valid until the next call. */
static const double *unscaled(cau_problem *p, const double *v)
{
    if (!p->scale) return v;
    move_job j = {.p = p, .from = v, .to = p->unscaled};
    cau_vector_sums(p->threads, p->n, 0, unscale_block, &j, NULL);
    return p->unscaled;
}

caucus_status cau_problem_smooth(void *problem, const double *v, double *f, double *g)
{
    cau_problem *p = problem;
    double loss, penalty;
    const double *u = unscaled(p, v);
    const caucus_status st = cau_pass_gradient(p->pass, u, &loss, g, add_penalty, p, &penalty);
    if (st) return st;
    if (!isfinite(loss + penalty)) return CAUCUS_ERR_NUMERIC;
    *f = loss + penalty;
    return CAUCUS_OK;
}

/* ---- several processes ----------------------------------------------------------------------- */

void cau_problem_own(const cau_problem *p, size_t *begin, size_t *count)
{
    const size_t rank = cau_comm_rank(p->comm);
    *begin = p->comm ? p->first[rank] : 0;
    *count = p->comm ? p->first[rank + 1] - *begin : p->n;
}

const double *cau_problem_gather(cau_problem *p, const double *v)
{
    size_t begin, count;
    if (!p->comm) return v;
    cau_problem_own(p, &begin, &count);
    memcpy(p->whole + begin, v, count * sizeof *v);
    const caucus_status st = cau_comm_share(p->comm, p->first, p->whole);
    if (st) p->lost = st;
    return p->whole;
}

caucus_status cau_problem_total(void *problem, size_t count, double *sums)
{
    const cau_problem *p = problem;
    return cau_comm_sum(p->comm, count, sums);
}

/* Loss and gradient of the own part of the data at the unscaled weights u. A loss that is not
 * finite must reach the other processes, which wait for the sums. */
static caucus_status own_gradient(cau_problem *p, const double *u, double *loss, double *g)
{
    const double began = cau_seconds();
    const caucus_status st = cau_pass_gradient(p->pass, u, loss, g, NULL, NULL, NULL);
    if (st == CAUCUS_ERR_NUMERIC) *loss = NAN;
    p->busy += cau_seconds() - began;
    return st == CAUCUS_ERR_NUMERIC ? CAUCUS_OK : st;
}

static caucus_status sum_values(cau_problem *p, double loss, double penalty, double *f)
{
    double sums[2] = {loss, penalty};
    const caucus_status st = cau_comm_sum(p->comm, 2, sums);
    *f = sums[0] + sums[1];
    if (st || p->lost) return st ? st : p->lost;
    return isfinite(*f) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

caucus_status cau_problem_smooth_part(void *problem, const double *v, double *f, double *g)
{
    cau_problem *p = problem;
    double loss;
    size_t begin, count;
    cau_problem_own(p, &begin, &count);
    const double *u = unscaled(p, cau_problem_gather(p, v));
    caucus_status st = own_gradient(p, u, &loss, p->parts);
    if (!st) st = cau_comm_sum_parts(p->comm, p->first, p->parts, p->parts + begin);
    if (st) return st;
    const double penalty = add_penalty(p, begin, begin + count, u, p->parts);
    memcpy(g, p->parts + begin, count * sizeof *g);
    return sum_values(p, loss, penalty, f);
}

caucus_status cau_problem_smooth_all(void *problem, const double *v, double *f, double *g)
{
    cau_problem *p = problem;
    double loss;
    const double *u = unscaled(p, v);
    caucus_status st = own_gradient(p, u, &loss, g);
    if (!st) st = cau_comm_sum(p->comm, p->n, g);
    if (st) return st;
    const double penalty = add_penalty(p, 0, p->n, u, g);
    return sum_values(p, loss, cau_comm_rank(p->comm) ? 0 : penalty, f);
}

caucus_status cau_problem_share(const cau_problem *p, const cau_pass *pass, double *share)
{
    size_t counts[2];
    if (!p->comm) return CAUCUS_OK;
    cau_pass_counts(pass, &counts[0], &counts[1]);
    uint64_t sums[2] = {counts[0], counts[1]};
    const caucus_status st = cau_comm_count(p->comm, 2, sums);
    *share = sums[1] ? (double)sums[0] / (double)sums[1] : NAN;
    return st;
}

/* ---- the rest of the objective --------------------------------------------------------------- */

/* Merged columns have sum |w| = sum |u|. With groups, columns are not merged. */
double cau_problem_penalty(void *problem, const double *v)
{
    const cau_problem *p = problem;
    double sum = 0;
    if (p->l1 == 0) return 0;
    if (p->groups) return cau_group_penalty_penalty(p->groups, v);
    for (size_t row = 0, k = 0; k < p->penalised; row++) {
        const double scale = p->scale ? p->scale[row] : 1;
        double own = 0;
        for (const size_t stop = row_at(p, row + 1); k < stop; k++) own += fabs(v[k]);
        sum += own / scale;
    }
    return p->l1 * sum;
}

bool cau_problem_prox(void *problem, double step, double *v)
{
    const cau_problem *p = problem;
    if (p->groups) {
        cau_group_penalty_prox(p->groups, step, v);
        return true;
    }
    for (size_t row = 0; p->l1 > 0 && row_at(p, row) < p->penalised; row++) {
        const double scale = p->scale ? p->scale[row] : 1;
        const size_t at = row_at(p, row);
        cau_prox_l1(row_at(p, row + 1) - at, step * p->l1 / scale, v + at);
    }
    return true;
}

caucus_status cau_problem_measure(cau_problem *p, const double *v, double *loss, double *penalty,
                                  double *share)
{
    const double *u = unscaled(p, v);
    caucus_status st = cau_pass_measure(p->pass, u, loss, share);
    if (p->comm && (!st || st == CAUCUS_ERR_NUMERIC)) {
        if (st) *loss = NAN;
        st = cau_comm_sum(p->comm, 1, loss);
        if (!st) st = cau_problem_share(p, p->pass, share);
        if (!st && !isfinite(*loss)) st = CAUCUS_ERR_NUMERIC;
    }
    if (st) return st;
    *penalty = penalty_of(p, 0, p->penalised, u, NULL) + cau_problem_penalty(p, v);
    return isfinite(*penalty) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}
