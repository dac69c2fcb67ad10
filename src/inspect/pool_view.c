/* pool_view.c - the experts of a pool: what each is made of, what they share, how well they do.
 *
 * All experts have the same observations, so one walk over the rows tells everything: the set of
 * experts in which a row is active is a word of bits (there are at most 64 of them), and counts of
 * features, of what two share, and of what one has alone all come from these sets. */

#include "inspect/pool_view.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum {
    WEIGHT_DECIMALS = 6,
    NUMBER_WIDTH = 12,
    NAME_WIDTH_MAX = 40, /* longer names push what is beside them */
};

/* ---- features ------------------------------------------------------------------------ */

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the experts of a pool");
}

/* How many weights of row k are not 0, and which is the strongest, the first of equals. */
static size_t row_weights(const cau_observations *of, size_t k, cau_lone *strongest)
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
static void count_set(cau_pool_view *v, uint64_t set)
{
    const size_t J = v->model->pool.J;
    v->features += set != 0;
    for (uint64_t rest = set; rest; rest &= rest - 1) {
        const size_t i = (size_t)__builtin_ctzll(rest);
        v->expert[i].features++;
        for (size_t j = 0; j < J; j++) v->common[i * J + j] += set >> j & 1;
    }
}

/* All rows of the nodes or of the edges. */
static caucus_status count_rows(caucus_ctx *ctx, cau_pool_view *v, bool edge)
{
    const caucus_model *m = v->model;
    const size_t K = edge ? m->edges.K : m->nodes.K;
    for (size_t k = 0; k < K; k++) {
        uint64_t set = 0;
        cau_lone lone = {.k = (uint32_t)k, .edge = edge};
        for (size_t j = 0; j < m->pool.J; j++) {
            const cau_member *member = &m->member[j];
            const size_t weights = row_weights(edge ? &member->edges : &member->nodes, k, &lone);
            v->expert[j].weights += weights;
            if (!weights) continue;
            set |= 1ull << j;
            lone.expert = (uint32_t)j;
        }
        count_set(v, set);
        if (set == 0 || (set & (set - 1))) continue;
        if (!CAU_GROW(v->lone, v->lone_room, v->lones + 1)) return no_memory(ctx);
        v->lone[v->lones++] = lone;
    }
    return CAUCUS_OK;
}

/* By expert; the strongest first, and of equals the one that comes first in the model. */
static int compare_lone(const void *a, const void *b)
{
    const cau_lone *p = a, *q = b;
    if (p->expert != q->expert) return p->expert < q->expert ? -1 : 1;
    const float size = fabsf(p->weight), other = fabsf(q->weight);
    if (size != other) return size > other ? -1 : 1;
    if (p->edge != q->edge) return p->edge ? 1 : -1;
    return (p->k > q->k) - (p->k < q->k);
}

static void sort_lone(cau_pool_view *v)
{
    if (v->lones) qsort(v->lone, v->lones, sizeof *v->lone, compare_lone);
    for (size_t i = 0; i < v->lones; i++) {
        cau_expert *e = &v->expert[v->lone[i].expert];
        if (e->alone++ == 0) e->first = i;
    }
}

caucus_status cau_info_name(caucus_ctx *ctx, const caucus_model *model, const char *key,
                            cau_arena *arena, cau_str *out)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf plain = {0};
    const char *value = cau_model_info(model, key);
    if (!value) return CAUCUS_OK;
    const bool escaped = cau_strbuf_unescape(&plain, (cau_str){value, strlen(value)});
    TRY(cau_strbuf_status(ctx, &plain));
    const cau_str name =
        escaped ? (cau_str){plain.n ? plain.s : "", plain.n} : (cau_str){value, strlen(value)};
    const char *copy = cau_arena_copy(arena, name.s, name.n);
    if (!copy) TRY(cau_fail_memory(ctx, "a name of the model"));
    *out = (cau_str){copy, name.n};
done:
    cau_strbuf_clear(&plain);
    return st;
}

/* The names of experts, from what the file says of itself; those of a gated pool are domains. */
static caucus_status find_names(caucus_ctx *ctx, cau_pool_view *v)
{
    caucus_status st = CAUCUS_OK;
    const bool gated = v->model->gate.base != NULL;
    const size_t J = v->model->pool.J;
    for (size_t j = 0; j < J; j++) {
        char key[64];
        snprintf(key, sizeof key, "%s.%zu.name", gated ? "domain" : "expert", j + 1);
        TRY(cau_info_name(ctx, v->model, key, &v->arena, &v->expert[j].name));
    }
    if (gated) v->expert[J - 1].name = CAU_STR("general");
done:
    return st;
}

caucus_status cau_pool_view_make(caucus_ctx *ctx, const caucus_model *pool,
                                 const cau_read_options *read, const char *data, cau_pool_view *v)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = pool->pool.J;
    assert(J > 0 && J <= 64);
    v->model = pool;
    v->expert = cau_calloc(J, sizeof *v->expert);
    v->common = cau_calloc(J * J, sizeof *v->common);
    if (!v->expert || !v->common) TRY(no_memory(ctx));
    TRY(count_rows(ctx, v, false));
    TRY(count_rows(ctx, v, true));
    sort_lone(v);
    TRY(find_names(ctx, v));
    if (data) TRY(cau_expert_agreement_count(ctx, pool, read, data, &v->ballot));
done:
    return st;
}

void cau_pool_view_clear(cau_pool_view *v)
{
    free(v->expert);
    free(v->common);
    free(v->lone);
    cau_expert_agreement_clear(&v->ballot);
    cau_arena_clear(&v->arena);
    *v = (cau_pool_view){0};
}

double cau_pool_view_jaccard(const cau_pool_view *v, size_t i, size_t j)
{
    const size_t both = v->common[i * v->model->pool.J + j];
    const size_t either = v->expert[i].features + v->expert[j].features - both;
    return either ? (double)both / (double)either : 1;
}

/* Of a member, or of the pool as member J; NaN without labelled positions. */
static double accuracy_of(const cau_pool_view *v, size_t j)
{
    const cau_expert_agreement *b = &v->ballot;
    return b->labelled ? (double)b->right[j] / (double)b->labelled : NAN;
}

/* How many of the features of one expert alone are shown. */
static size_t shown(const cau_expert *e, uint64_t top)
{
    return top < e->alone ? (size_t)top : e->alone;
}

static cau_str name_of(const cau_pool_view *v, const cau_lone *lone)
{
    return cau_model_name(lone->edge ? &v->model->edges : &v->model->nodes, lone->k);
}

static cau_str label_of(const cau_pool_view *v, size_t y)
{
    const char *label = cau_model_label(v->model, y);
    return (cau_str){label, strlen(label)};
}

/* A mixture of sequences has several ways to be decoded; where positions do not depend on each
 * other there is one. */
static bool has_mix(const caucus_model *m)
{
    return m->kind != CAU_KIND_MAXENT && m->pool.combine == CAU_COMBINE_MIXTURE &&
           m->pool.per == CAU_PER_SEQUENCE;
}

/* ---- as text ------------------------------------------------------------------------- */

static size_t name_width(const cau_pool_view *v)
{
    size_t width = 0;
    for (size_t j = 0; j < v->model->pool.J; j++) {
        size_t w = cau_text_width(v->expert[j].name);
        if (w > NAME_WIDTH_MAX) w = NAME_WIDTH_MAX;
        if (w > width) width = w;
    }
    return width && width < strlen("name") ? strlen("name") : width;
}

static void add_accuracy(const cau_pool_view *v, size_t j, cau_writer *sheet)
{
    if (v->ballot.labelled) cau_writer_number(sheet, accuracy_of(v, j), 4, 10);
    cau_strbuf_add(&sheet->text, "\n", 1);
}

/* An expert to a row, and the pool. */
static void add_experts(const cau_pool_view *v, cau_writer *sheet)
{
    const cau_pool *pool = &v->model->pool;
    const size_t width = name_width(v);
    cau_strbuf_printf(&sheet->text, "expert%s", width ? "  " : "");
    cau_writer_left(sheet, width ? CAU_STR("name") : CAU_STR(""), width);
    cau_strbuf_printf(&sheet->text, "       alpha    features     weights   only here%s\n",
                      v->ballot.labelled ? "  accuracy" : "");
    for (size_t j = 0; j < pool->J; j++) {
        const cau_expert *e = &v->expert[j];
        cau_strbuf_printf(&sheet->text, "%6zu%s", j + 1, width ? "  " : "");
        cau_writer_left(sheet, e->name.s ? e->name : CAU_STR(""), width);
        cau_writer_number(sheet, pool->alpha[j], WEIGHT_DECIMALS, NUMBER_WIDTH);
        cau_strbuf_printf(&sheet->text, "%*zu%*zu%*zu", NUMBER_WIDTH, e->features, NUMBER_WIDTH,
                          e->weights, NUMBER_WIDTH, e->alone);
        add_accuracy(v, j, sheet);
    }
    cau_strbuf_printf(&sheet->text, "%6s%s", "pool", width ? "  " : "");
    cau_writer_left(sheet, CAU_STR(""), width + NUMBER_WIDTH);
    cau_strbuf_printf(&sheet->text, "%*zu", NUMBER_WIDTH, v->features);
    if (v->ballot.labelled) cau_writer_left(sheet, CAU_STR(""), 2 * NUMBER_WIDTH);
    add_accuracy(v, pool->J, sheet);
}

/* A number for each pair of experts. */
static void add_matrix(const cau_pool_view *v, double (*of)(const cau_pool_view *, size_t, size_t),
                       cau_writer *sheet)
{
    const size_t J = v->model->pool.J;
    cau_strbuf_printf(&sheet->text, "%6s", "");
    for (size_t j = 0; j < J; j++) cau_strbuf_printf(&sheet->text, "%8zu", j + 1);
    for (size_t i = 0; i < J; i++) {
        cau_strbuf_printf(&sheet->text, "\n%6zu", i + 1);
        for (size_t j = 0; j < J; j++) cau_writer_number(sheet, of(v, i, j), 4, 8);
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
}

static double differ(const cau_pool_view *v, size_t i, size_t j)
{
    return cau_expert_agreement_differ(&v->ballot, i, j);
}

/* What the experts say of the data. */
static void add_ballot(const cau_pool_view *v, cau_writer *sheet)
{
    const cau_expert_agreement *b = &v->ballot;
    cau_strbuf_printf(&sheet->text, "\nshare of %llu positions where experts differ\n",
                      (unsigned long long)b->positions);
    add_matrix(v, differ, sheet);
    cau_strbuf_printf(&sheet->text, "\ndisagreement  ");
    cau_strbuf_fixed(&sheet->text, cau_expert_agreement_disagreement(b), WEIGHT_DECIMALS);
    cau_strbuf_printf(&sheet->text, "  mean of these shares over all pairs\nambiguity     ");
    cau_strbuf_fixed(&sheet->text, b->ambiguity, WEIGHT_DECIMALS);
    cau_strbuf_printf(&sheet->text,
                      "  nats: how far experts are from the pool, weighted by alpha\n");
}

/* The strongest features of one expert alone: weight, name, labels. */
static caucus_status add_lone(const cau_pool_view *v, size_t j, uint64_t top, cau_writer *sheet)
{
    const cau_expert *e = &v->expert[j];
    const size_t n = shown(e, top), Y = v->model->Y;
    size_t width = 0;
    if (n) cau_strbuf_printf(&sheet->text, "\nonly expert %zu\n", j + 1);
    for (size_t i = 0; i < n; i++) {
        const size_t w = cau_text_width(name_of(v, &v->lone[e->first + i]));
        if (w > width) width = w < NAME_WIDTH_MAX ? w : NAME_WIDTH_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        const cau_lone *l = &v->lone[e->first + i];
        const bool apart = !l->edge && v->model->nodes.width != Y;
        cau_writer_number(sheet, (double)l->weight, WEIGHT_DECIMALS, NUMBER_WIDTH);
        cau_strbuf_add(&sheet->text, "  ", 2);
        cau_writer_left(sheet, name_of(v, l), apart ? 0 : width);
        if (!apart) cau_strbuf_add(&sheet->text, "  ", 2);
        if (l->edge) {
            cau_writer_left(sheet, label_of(v, l->cell / Y), 0);
            cau_strbuf_add(&sheet->text, " -> ", 4);
        }
        if (!apart) cau_writer_left(sheet, label_of(v, l->cell % Y), 0);
        cau_strbuf_add(&sheet->text, "\n", 1);
        const caucus_status st = cau_writer_flush(sheet, false);
        if (st) return st;
    }
    return CAUCUS_OK;
}

caucus_status cau_pool_view_text(const cau_pool_view *v, uint64_t top, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    const cau_pool *pool = &v->model->pool;
    cau_strbuf_printf(&sheet->text, "\nexperts: %zu, %s by %s%s%s\n", pool->J,
                      cau_combine_name(pool->combine), cau_per_name(pool->per),
                      has_mix(v->model) ? ", decoded by " : "",
                      has_mix(v->model) ? cau_mix_name(pool->mix) : "");
    add_experts(v, sheet);
    cau_strbuf_printf(&sheet->text, "\noverlap of active features (Jaccard)\n");
    add_matrix(v, cau_pool_view_jaccard, sheet);
    if (v->ballot.positions) add_ballot(v, sheet);
    for (size_t j = 0; j < pool->J; j++) TRY(add_lone(v, j, top, sheet));
done:
    return st;
}

/* ---- as JSON ------------------------------------------------------------------------- */

static json_t *integer(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *real(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *json_matrix(const cau_pool_view *v,
                           double (*of)(const cau_pool_view *, size_t, size_t), cau_writer *sheet)
{
    const size_t J = v->model->pool.J;
    json_t *rows = json_array();
    for (size_t i = 0; i < J; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < J; j++) cau_writer_push(sheet, row, real(of(v, i, j)));
        cau_writer_push(sheet, rows, row);
    }
    return rows;
}

static json_t *json_lone(const cau_pool_view *v, const cau_lone *l, cau_writer *sheet)
{
    const size_t Y = v->model->Y;
    json_t *object = json_object();
    cau_writer_put(sheet, object, "feature", cau_writer_string(name_of(v, l)));
    if (l->edge) {
        cau_writer_put(sheet, object, "from", cau_writer_string(label_of(v, l->cell / Y)));
        cau_writer_put(sheet, object, "to", cau_writer_string(label_of(v, l->cell % Y)));
    } else if (v->model->nodes.width == Y) {
        cau_writer_put(sheet, object, "label", cau_writer_string(label_of(v, l->cell)));
    }
    cau_writer_put(sheet, object, "weight", json_real((double)l->weight));
    return object;
}

static json_t *json_expert(const cau_pool_view *v, size_t j, uint64_t top, cau_writer *sheet)
{
    const cau_expert *e = &v->expert[j];
    json_t *object = json_object(), *only = json_array();
    cau_writer_put(sheet, object, "name", e->name.s ? cau_writer_string(e->name) : json_null());
    cau_writer_put(sheet, object, "alpha", json_real(v->model->pool.alpha[j]));
    cau_writer_put(sheet, object, "features", integer(e->features));
    cau_writer_put(sheet, object, "weights", integer(e->weights));
    cau_writer_put(sheet, object, "alone", integer(e->alone));
    for (size_t i = 0; i < shown(e, top); i++)
        cau_writer_push(sheet, only, json_lone(v, &v->lone[e->first + i], sheet));
    cau_writer_put(sheet, object, "only", only);
    if (v->ballot.positions) cau_writer_put(sheet, object, "accuracy", real(accuracy_of(v, j)));
    return object;
}

static json_t *json_ballot(const cau_pool_view *v, cau_writer *sheet)
{
    const cau_expert_agreement *b = &v->ballot;
    json_t *object = json_object();
    cau_writer_put(sheet, object, "positions", integer(b->positions));
    cau_writer_put(sheet, object, "labelled", integer(b->labelled));
    cau_writer_put(sheet, object, "accuracy", real(accuracy_of(v, b->J)));
    cau_writer_put(sheet, object, "differ", json_matrix(v, differ, sheet));
    cau_writer_put(sheet, object, "disagreement", real(cau_expert_agreement_disagreement(b)));
    cau_writer_put(sheet, object, "ambiguity", real(b->ambiguity));
    return object;
}

void cau_pool_view_json(const cau_pool_view *v, uint64_t top, cau_writer *sheet, json_t *root)
{
    const cau_pool *pool = &v->model->pool;
    json_t *object = json_object(), *members = json_array();
    for (size_t j = 0; j < pool->J; j++)
        cau_writer_push(sheet, members, json_expert(v, j, top, sheet));
    cau_writer_put(sheet, object, "combine", json_string(cau_combine_name(pool->combine)));
    cau_writer_put(sheet, object, "per", json_string(cau_per_name(pool->per)));
    cau_writer_put(sheet, object, "mix",
                   has_mix(v->model) ? json_string(cau_mix_name(pool->mix)) : json_null());
    cau_writer_put(sheet, object, "features", integer(v->features));
    cau_writer_put(sheet, object, "members", members);
    cau_writer_put(sheet, object, "jaccard", json_matrix(v, cau_pool_view_jaccard, sheet));
    if (v->ballot.positions) cau_writer_put(sheet, object, "data", json_ballot(v, sheet));
    cau_writer_put(sheet, root, "experts", object);
}
