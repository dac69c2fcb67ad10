/* pool_view.c - the experts of a pool: their features, their overlap, their scores.
 *
 * The part "experts" of `inspect` on a pool. A feature is active in an expert when one of its
 * weights there is not 0; features on edges count like all others, transitions and default
 * weights do not. As JSON:
 *
 *   {
 *     "combine": "product",        or "mixture", "stack"
 *     "per": "sequence",           or "transition"
 *     "mix": null,                 how a mixture by sequence is decoded: "chain", ...
 *     "features": 12000,           that are active in any expert
 *     "members": [
 *       {"name": "ngrams",                                  or null
 *        "alpha": 0.5,
 *        "features": 8000,                                  active ones
 *        "weights": 20000,                                  of these, not 0
 *        "alone": 5000,                                     active in no other expert
 *        "only": [                                          the strongest of them
 *          {"feature": NAME, "label": LABEL, "weight": w},  no label for explicit features; on
 * edges
 *          {"feature": NAME, "from": LABEL, "to": LABEL,    two
 *           "weight": w}, ...],
 *        "accuracy": 0.95}, ...],                           of its labels, if data was given
 *     "jaccard": [[1, 0.25], [0.25, 1]],                    features active in both, over those in
 *                                                           either; 1 where neither has any
 *     "data": {                    if data was given
 *       "positions": 46435,
 *       "labelled": 46435,         of these: those that accuracy is about; or null
 *       "accuracy": 0.96,          of the pool
 *       "differ": [[0, 0.07], [0.07, 0]],                   share of positions where two experts
 *                                                           have different labels
 *       "disagreement": 0.07,      its mean over all pairs
 *       "ambiguity": 0.01}         in nats: expert_agreement.c
 *   }
 *
 * All experts have the same observations, so one pass over the rows is enough. There are at most 64
 * experts, so the experts in which a row is active are a set of bits. All counts of features come
 * from these sets. */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "inspect/inspect.h"

typedef struct {
    size_t features, weights;
    size_t first, alone; /* the features that are active only here: a range of `lone` */
} expert_counts;

/* A feature that is active in one expert only, and its strongest weight. */
typedef struct {
    float weight;
    uint32_t k, cell;
    uint32_t expert;
    bool edge;
} lone_feature;

typedef struct {
    const caucus_model *model;
    size_t features;       /* active in any expert */
    expert_counts *expert; /* [J] */
    size_t *common;        /* [J][J] features that are active in both */
    lone_feature *lone;    /* [lones] by expert, the strongest first */
    size_t lones, lone_room;
} pool_counts;

/* ---- features ------------------------------------------------------------------------ */

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the experts of a pool");
}

/* The number of weights of row k that are not 0; and the strongest (of equals the first). */
static size_t row_weights(const cau_observations *of, size_t k, lone_feature *strongest)
{
    size_t count = 0;
    const size_t first = of->dense ? 0 : (size_t)of->start[k];
    const size_t end = of->dense ? of->width : (size_t)of->start[k + 1];
    for (size_t i = first; i < end; i++) {
        const float w = of->dense ? of->dense[k * of->width + i] : of->packed[i].weight;
        if (w == 0) continue;
        if (count++ && fabsf(w) <= fabsf(strongest->weight)) continue;
        strongest->weight = w;
        strongest->cell = of->dense ? (uint32_t)i : of->packed[i].cell;
    }
    return count;
}

/* Counts a row that is active in the experts of a set. */
static void count_set(pool_counts *c, uint64_t set)
{
    const size_t J = c->model->pool.J;
    c->features += set != 0;
    for (uint64_t rest = set; rest; rest &= rest - 1) {
        const size_t i = (size_t)__builtin_ctzll(rest);
        c->expert[i].features++;
        for (size_t j = 0; j < J; j++) c->common[i * J + j] += set >> j & 1;
    }
}

/* Counts all rows of the nodes or of the edges. */
static caucus_status count_rows(caucus_ctx *ctx, pool_counts *c, bool edge)
{
    const caucus_model *m = c->model;
    const size_t K = edge ? m->edges.K : m->nodes.K;
    for (size_t k = 0; k < K; k++) {
        uint64_t set = 0;
        lone_feature lone = {.k = (uint32_t)k, .edge = edge};
        for (size_t j = 0; j < m->pool.J; j++) {
            const cau_member *member = &m->member[j];
            const size_t weights = row_weights(edge ? &member->edges : &member->nodes, k, &lone);
            c->expert[j].weights += weights;
            if (!weights) continue;
            set |= 1ull << j;
            lone.expert = (uint32_t)j;
        }
        count_set(c, set);
        if (set == 0 || (set & (set - 1))) continue;
        if (!CAU_GROW(c->lone, c->lone_room, c->lones + 1)) return no_memory(ctx);
        c->lone[c->lones++] = lone;
    }
    return CAUCUS_OK;
}

/* By expert, then the strongest first, then in the order of the model. */
static int compare_lone(const void *a, const void *b)
{
    const lone_feature *p = a, *q = b;
    if (p->expert != q->expert) return p->expert < q->expert ? -1 : 1;
    const float size = fabsf(p->weight), other = fabsf(q->weight);
    if (size != other) return size > other ? -1 : 1;
    if (p->edge != q->edge) return p->edge ? 1 : -1;
    return (p->k > q->k) - (p->k < q->k);
}

static caucus_status count_features(caucus_ctx *ctx, pool_counts *c)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = c->model->pool.J;
    assert(J > 0 && J <= 64);
    c->expert = cau_calloc(J, sizeof *c->expert);
    c->common = cau_calloc(J * J, sizeof *c->common);
    if (!c->expert || !c->common) TRY(no_memory(ctx));
    TRY(count_rows(ctx, c, false));
    TRY(count_rows(ctx, c, true));
    if (c->lones) qsort(c->lone, c->lones, sizeof *c->lone, compare_lone);
    for (size_t i = 0; i < c->lones; i++) {
        expert_counts *e = &c->expert[c->lone[i].expert];
        if (e->alone++ == 0) e->first = i;
    }
done:
    return st;
}

/* ---- the tree ------------------------------------------------------------------------ */

/* The strongest features that are active only in expert j. */
static void add_only(const pool_counts *c, size_t j, uint64_t top, cau_tree *tree)
{
    const caucus_model *m = c->model;
    const expert_counts *e = &c->expert[j];
    cau_tree_array(tree, "only");
    for (size_t i = e->first; i < e->first + e->alone && i - e->first < top; i++) {
        const lone_feature *l = &c->lone[i];
        const bool label = m->nodes.width == m->Y;
        cau_tree_weight(tree, m, cau_model_name(l->edge ? &m->edges : &m->nodes, l->k),
                        l->edge ? CAU_CELL_PAIR
                        : label ? CAU_CELL_LABEL
                                : CAU_CELL_HIDDEN,
                        l->cell, (double)l->weight);
    }
    cau_tree_end(tree);
}

static void add_expert(const pool_counts *c, size_t j, uint64_t top,
                       const cau_expert_agreement *data, cau_tree *tree)
{
    const expert_counts *e = &c->expert[j];
    cau_tree_object(tree, NULL);
    cau_tree_expert_name(tree, c->model, j);
    cau_tree_fields(tree, {"alpha", cau_json_number(c->model->pool.alpha[j])},
                    {"features", cau_json_count(e->features)},
                    {"weights", cau_json_count(e->weights)}, {"alone", cau_json_count(e->alone)});
    add_only(c, j, top, tree);
    if (data->positions)
        cau_tree_number(tree, "accuracy", cau_ratio(data->right[j], data->labelled));
    cau_tree_end(tree);
}

static void add_jaccard(const pool_counts *c, cau_tree *tree)
{
    const size_t J = c->model->pool.J;
    cau_tree_array(tree, "jaccard");
    for (size_t i = 0; i < J; i++) {
        cau_tree_array(tree, NULL);
        for (size_t j = 0; j < J; j++) {
            const size_t both = c->common[i * J + j];
            const size_t either = c->expert[i].features + c->expert[j].features - both;
            cau_tree_number(tree, NULL, either ? cau_ratio(both, either) : 1);
        }
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
}

static void add_data(const cau_expert_agreement *data, cau_tree *tree)
{
    const size_t J = data->J;
    double sum = 0;
    cau_tree_object(tree, "data");
    cau_tree_fields(tree, {"positions", cau_json_count(data->positions)},
                    {"labelled", cau_json_count(data->labelled)},
                    {"accuracy", cau_json_number(cau_ratio(data->right[J], data->labelled))});
    cau_tree_array(tree, "differ");
    for (size_t i = 0; i < J; i++) {
        cau_tree_array(tree, NULL);
        for (size_t j = 0; j < J; j++) {
            const double share = cau_ratio(data->differ[i * J + j], data->positions);
            cau_tree_number(tree, NULL, share);
            if (i < j) sum += share;
        }
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    const double pairs = (double)(J * (J - 1)) / 2;
    cau_tree_fields(tree, {"disagreement", cau_json_number(J > 1 ? sum / pairs : 0)},
                    {"ambiguity", cau_json_number(data->ambiguity)});
    cau_tree_end(tree);
}

caucus_status cau_pool_view(caucus_ctx *ctx, const caucus_model *m, uint64_t top,
                            const cau_read_options *read, const char *path, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    const cau_pool *pool = &m->pool;
    /* only a mixture by sequence can be decoded in several ways */
    const bool mix = m->kind != CAU_KIND_MAXENT && pool->combine == CAU_COMBINE_MIXTURE &&
                     pool->per == CAU_PER_SEQUENCE;
    pool_counts c = {.model = m};
    cau_expert_agreement data = {0};
    TRY(count_features(ctx, &c));
    if (path) TRY(cau_expert_agreement_count(ctx, m, read, path, &data));
    cau_tree_object(tree, "experts");
    cau_tree_fields(tree, {"combine", cau_json_string(cau_combine_name(pool->combine))},
                    {"per", cau_json_string(cau_per_name(pool->per))},
                    {"mix", cau_json_string(mix ? cau_mix_name(pool->mix) : NULL)},
                    {"features", cau_json_count(c.features)});
    cau_tree_array(tree, "members");
    for (size_t j = 0; j < pool->J; j++) add_expert(&c, j, top, &data, tree);
    cau_tree_end(tree);
    add_jaccard(&c, tree);
    if (path) add_data(&data, tree);
    cau_tree_end(tree);
done:
    free(c.expert);
    free(c.common);
    free(c.lone);
    cau_expert_agreement_clear(&data);
    return st;
}

/* ---- as text ------------------------------------------------------------------------- */

static bool is_named(const json_t *members)
{
    for (size_t j = 0; j < json_array_size(members); j++)
        if (json_is_string(cau_at(json_array_get(members, j), "name"))) return true;
    return false;
}

/* A row for each expert, and one for the pool. */
static void print_members(cau_writer *out, const json_t *experts)
{
    cau_column columns[] = {
        {"expert", ""},
        {"name", "<{name}"},
        {"alpha", "{alpha:.6f}"},
        {"features", "{features}"},
        {"weights", "{weights}"},
        {"only here", "{alone}"},
        {"accuracy", "{accuracy:.4f}{data.accuracy:.4f}"},
    };
    const json_t *members = cau_at(experts, "members");
    if (!is_named(members)) columns[1].cell = "<";
    cau_text_table table = cau_text_table_begin(out, columns, sizeof columns / sizeof *columns);
    for (size_t j = 0; j < json_array_size(members); j++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", j + 1);
        cau_text_table_row(&table, number, json_array_get(members, j));
    }
    cau_text_table_row(&table, "pool", experts);
    cau_text_table_end(&table);
}

void cau_print_experts(cau_writer *out, const json_t *experts)
{
    const json_t *members = cau_at(experts, "members"), *data = cau_at(experts, "data");
    cau_strbuf_printf(&out->text, "\nexperts: %zu", json_array_size(members));
    cau_print(out, experts, ", {combine} by {per}");
    if (json_is_string(cau_at(experts, "mix"))) cau_print(out, experts, ", decoded by {mix}");
    cau_print(out, experts, "\n");
    print_members(out, experts);
    cau_print(out, experts, "\noverlap of active features (Jaccard)\n");
    cau_print_matrix(out, NULL, cau_at(experts, "jaccard"), "{:.4f}");
    if (data) {
        cau_print(out, data, "\nshare of {positions} positions where experts differ\n");
        cau_print_matrix(out, NULL, cau_at(data, "differ"), "{:.4f}");
        cau_print(out, data,
                  "\ndisagreement  {disagreement:.6f}  mean of these shares over all pairs\n"
                  "ambiguity     {ambiguity:.6f}  nats: mean divergence of the experts from the "
                  "pool, weighted by alpha\n");
    }
    for (size_t j = 0; j < json_array_size(members); j++) {
        const json_t *only = cau_at(json_array_get(members, j), "only");
        if (json_array_size(only) == 0) continue;
        cau_strbuf_printf(&out->text, "\nonly expert %zu\n", j + 1);
        cau_print_weights(out, only);
    }
}
