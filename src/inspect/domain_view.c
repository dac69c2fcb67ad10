/* domain_view.c - the domains of a gated pool: how near they are, and what tells them apart. What
 * is shown, and by which order, is in domain_view.h.
 *
 * The order of features is found by strongest.c: what each adds to a divergence is put into a table
 * of observations with a cell for each component, and the strongest are asked for by cell. */

#include "inspect/domain_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "inspect/pool_view.h"

enum {
    DECIMALS = 6,
    NUMBER_WIDTH = 12,
    NAME_WIDTH_MAX = 40, /* longer names push what is beside them */
};

/* ---- what features tell -------------------------------------------------------------- */

static double gate_weight(const caucus_model *m, size_t k, size_t j)
{
    return (double)m->gate.weight[k * m->pool.J + j];
}

static double psi_of(const caucus_model *m, size_t k, size_t j)
{
    return 1 / (1 + exp(-gate_weight(m, k, j)));
}

/* What component c is compared with, for feature k: general, and that one with the domain where the
 * feature is most probable. */
static size_t other_of(const caucus_model *m, size_t k, size_t c)
{
    const size_t general = m->pool.J - 1;
    size_t most = 0;
    if (c != general) return general;
    for (size_t d = 1; d < general; d++)
        if (gate_weight(m, k, d) > gate_weight(m, k, most)) most = d;
    return most;
}

static double pull_of(const caucus_model *m, size_t k, size_t c)
{
    return gate_weight(m, k, c) - gate_weight(m, k, other_of(m, k, c));
}

/* log(1 + exp(x)): of a logit, -log(1 - psi). */
static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* KL between presence of k in component c and in the one it is compared with. With logits g and g'
 * that is psi (g - g') - softplus g + softplus g'. */
static double telling(const caucus_model *m, size_t k, size_t c)
{
    const double g = gate_weight(m, k, c), other = gate_weight(m, k, other_of(m, k, c));
    return psi_of(m, k, c) * (g - other) - softplus(g) + softplus(other);
}

static caucus_status find_pulls(caucus_ctx *ctx, cau_domain_view *v, uint64_t top)
{
    const caucus_model *m = v->model;
    const size_t J = m->pool.J, K = m->nodes.K;
    float *size = cau_calloc(K * J, sizeof *size); /* the gate has as many */
    if (!size) return cau_fail_memory(ctx, "the features of domains");
    for (size_t k = 0; k < K; k++)
        for (size_t c = 0; J > 1 && c < J; c++)
            if (pull_of(m, k, c) > 0) size[k * J + c] = (float)telling(m, k, c);
    const cau_observations table = {.K = K, .width = J, .dense = size};
    const caucus_status st = cau_top_features_find(ctx, &table, true, top, &v->pull);
    free(size);
    return st;
}

/* ---- what the file says -------------------------------------------------------------- */

/* A number of the file's own words; NAN where it is none. */
static double number_of(const caucus_model *m, const char *key)
{
    const char *value = cau_model_info(m, key);
    double x;
    return value && cau_parse_real(value, strlen(value), &x) && isfinite(x) ? x : NAN;
}

static caucus_status read_info(caucus_ctx *ctx, cau_domain_view *v)
{
    caucus_status st = CAUCUS_OK;
    const size_t D = v->model->pool.J - 1;
    char key[64];
    for (size_t i = 0; i < D; i++) {
        snprintf(key, sizeof key, "domain.%zu.name", i + 1);
        TRY(cau_info_name(ctx, v->model, key, &v->arena, &v->component[i].name));
        snprintf(key, sizeof key, "domain.%zu.pi", i + 1);
        v->component[i].pi = number_of(v->model, key);
        for (size_t j = 0; j < D; j++) {
            snprintf(key, sizeof key, "kl.%zu.%zu", i + 1, j + 1);
            v->divergence[i * D + j] = i == j ? 0 : number_of(v->model, key);
        }
    }
    v->component[D].name = CAU_STR("general");
    v->component[D].pi = NAN;
done:
    return st;
}

caucus_status cau_domain_view_make(caucus_ctx *ctx, const caucus_model *pool, uint64_t top,
                                   cau_domain_view *v)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = pool->pool.J;
    v->model = pool;
    v->component = cau_calloc(J, sizeof *v->component);
    v->divergence = cau_calloc((J - 1) * (J - 1), sizeof *v->divergence); /* at most 63^2 */
    if (!v->component || !v->divergence) TRY(cau_fail_memory(ctx, "the domains of a model"));
    TRY(read_info(ctx, v));
    TRY(find_pulls(ctx, v, top));
    for (size_t c = 0; c < J; c++)
        TRY(cau_top_features_find(ctx, &pool->member[c].nodes, false, top,
                                  &v->component[c].weights));
done:
    return st;
}

void cau_domain_view_clear(cau_domain_view *v)
{
    for (size_t c = 0; v->component && c < v->model->pool.J; c++)
        cau_top_features_clear(&v->component[c].weights);
    free(v->component);
    free(v->divergence);
    cau_top_features_clear(&v->pull);
    cau_arena_clear(&v->arena);
    *v = (cau_domain_view){0};
}

static const cau_top_list *pulls(const cau_domain_view *v, size_t c)
{
    return &v->pull.lists[c * CAU_SIGNS + CAU_FOR];
}

static const cau_top_list *weights(const cau_domain_view *v, size_t c)
{
    return &v->component[c].weights.lists[CAU_FOR];
}

static cau_str feature(const cau_domain_view *v, const cau_top_feature *e)
{
    return cau_model_name(&v->model->nodes, e->k);
}

static cau_str label(const cau_domain_view *v, const cau_top_feature *e)
{
    const char *name = cau_model_label(v->model, e->cell);
    return (cau_str){name, strlen(name)};
}

/* ---- as text ------------------------------------------------------------------------- */

static void add_number(cau_writer *sheet, double x, int decimals, size_t width)
{
    if (isnan(x))
        cau_writer_right(sheet, CAU_STR("-"), width);
    else
        cau_writer_number(sheet, x, decimals, width);
}

/* A component to a row. */
static void add_components(const cau_domain_view *v, cau_writer *sheet)
{
    const size_t J = v->model->pool.J;
    cau_strbuf_printf(&sheet->text, "domain          pi  name\n");
    for (size_t c = 0; c < J; c++) {
        const cau_component *of = &v->component[c];
        if (c < J - 1)
            cau_strbuf_printf(&sheet->text, "%6zu", c + 1);
        else
            cau_strbuf_printf(&sheet->text, "%6s", "");
        add_number(sheet, of->pi, DECIMALS, NUMBER_WIDTH);
        cau_strbuf_add(&sheet->text, "  ", 2);
        cau_writer_left(sheet, of->name.s ? of->name : CAU_STR("-"), 0);
        cau_strbuf_add(&sheet->text, "\n", 1);
    }
}

/* KL of each pair of domains, if any is told. */
static void add_divergence(const cau_domain_view *v, cau_writer *sheet)
{
    const size_t D = v->model->pool.J - 1;
    bool told = false;
    for (size_t i = 0; i < D * D; i++) told |= i % (D + 1) != 0 && !isnan(v->divergence[i]);
    if (!told) return;
    cau_strbuf_printf(&sheet->text, "\nKL divergence from row to column, in nats\n%6s", "");
    for (size_t j = 0; j < D; j++) cau_strbuf_printf(&sheet->text, "%10zu", j + 1);
    for (size_t i = 0; i < D; i++) {
        cau_strbuf_printf(&sheet->text, "\n%6zu", i + 1);
        for (size_t j = 0; j < D; j++) add_number(sheet, v->divergence[i * D + j], 4, 10);
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
}

static void add_heading(const cau_domain_view *v, const char *what, size_t c, cau_writer *sheet)
{
    cau_strbuf_printf(&sheet->text, "\n%s ", what);
    if (c + 1 < v->model->pool.J)
        cau_strbuf_printf(&sheet->text, "domain %zu%s", c + 1, v->component[c].name.s ? ", " : "");
    if (v->component[c].name.s) cau_writer_left(sheet, v->component[c].name, 0);
    cau_strbuf_add(&sheet->text, "\n", 1);
}

/* The features that pull towards a component: by how much, psi in each, name. */
static caucus_status add_pulls(const cau_domain_view *v, size_t c, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->model->pool.J;
    const cau_top_list *list = pulls(v, c);
    if (list->count == 0) return CAUCUS_OK;
    add_heading(v, "pulls towards", c, sheet);
    cau_strbuf_printf(&sheet->text, "%*s", NUMBER_WIDTH, "pull");
    for (size_t d = 0; d + 1 < J; d++)
        cau_strbuf_printf(&sheet->text, "%*s%zu", NUMBER_WIDTH - (d < 9 ? 1 : 2), "psi ", d + 1);
    cau_strbuf_printf(&sheet->text, "%*s  feature\n", NUMBER_WIDTH, "general");
    for (size_t i = 0; i < list->count; i++) {
        const cau_top_feature *e = &list->entries[i];
        cau_writer_number(sheet, pull_of(v->model, e->k, c), DECIMALS, NUMBER_WIDTH);
        for (size_t d = 0; d < J; d++)
            cau_writer_number(sheet, psi_of(v->model, e->k, d), DECIMALS, NUMBER_WIDTH);
        cau_strbuf_add(&sheet->text, "  ", 2);
        cau_writer_left(sheet, feature(v, e), 0);
        cau_strbuf_add(&sheet->text, "\n", 1);
        TRY(cau_writer_flush(sheet, false));
    }
done:
    return st;
}

/* The strongest weights of a component: weight, name, label. */
static caucus_status add_weights(const cau_domain_view *v, size_t c, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    const cau_top_list *list = weights(v, c);
    const bool apart = v->model->nodes.width != v->model->Y;
    size_t width = 0;
    if (list->count == 0) return CAUCUS_OK;
    for (size_t i = 0; i < list->count && !apart; i++) {
        const size_t w = cau_text_width(feature(v, &list->entries[i]));
        if (w > width) width = w < NAME_WIDTH_MAX ? w : NAME_WIDTH_MAX;
    }
    add_heading(v, "strongest weights of", c, sheet);
    for (size_t i = 0; i < list->count; i++) {
        const cau_top_feature *e = &list->entries[i];
        cau_writer_number(sheet, (double)e->size, DECIMALS, NUMBER_WIDTH);
        cau_strbuf_add(&sheet->text, "  ", 2);
        cau_writer_left(sheet, feature(v, e), width);
        if (!apart) cau_strbuf_add(&sheet->text, "  ", 2);
        if (!apart) cau_writer_left(sheet, label(v, e), 0);
        cau_strbuf_add(&sheet->text, "\n", 1);
        TRY(cau_writer_flush(sheet, false));
    }
done:
    return st;
}

caucus_status cau_domain_view_text(const cau_domain_view *v, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->model->pool.J;
    cau_strbuf_printf(&sheet->text, "\ndomains: %zu, and what they share\n", J - 1);
    add_components(v, sheet);
    add_divergence(v, sheet);
    for (size_t c = 0; c < J; c++) TRY(add_pulls(v, c, sheet));
    for (size_t c = 0; c < J; c++) TRY(add_weights(v, c, sheet));
done:
    return st;
}

/* ---- as JSON ------------------------------------------------------------------------- */

static json_t *real(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *json_pull(const cau_domain_view *v, size_t c, const cau_top_feature *e,
                         cau_writer *sheet)
{
    json_t *object = json_object(), *psi = json_array();
    for (size_t d = 0; d < v->model->pool.J; d++)
        cau_writer_push(sheet, psi, json_real(psi_of(v->model, e->k, d)));
    cau_writer_put(sheet, object, "feature", cau_writer_string(feature(v, e)));
    cau_writer_put(sheet, object, "pull", json_real(pull_of(v->model, e->k, c)));
    cau_writer_put(sheet, object, "psi", psi);
    return object;
}

static json_t *json_weight(const cau_domain_view *v, const cau_top_feature *e, cau_writer *sheet)
{
    json_t *object = json_object();
    cau_writer_put(sheet, object, "feature", cau_writer_string(feature(v, e)));
    if (v->model->nodes.width == v->model->Y)
        cau_writer_put(sheet, object, "label", cau_writer_string(label(v, e)));
    cau_writer_put(sheet, object, "weight", json_real((double)e->size));
    return object;
}

static json_t *json_component(const cau_domain_view *v, size_t c, cau_writer *sheet)
{
    const cau_component *of = &v->component[c];
    json_t *object = json_object(), *pull = json_array(), *strongest = json_array();
    cau_writer_put(sheet, object, "name", of->name.s ? cau_writer_string(of->name) : json_null());
    cau_writer_put(sheet, object, "pi", real(of->pi));
    for (size_t i = 0; i < pulls(v, c)->count; i++)
        cau_writer_push(sheet, pull, json_pull(v, c, &pulls(v, c)->entries[i], sheet));
    for (size_t i = 0; i < weights(v, c)->count; i++)
        cau_writer_push(sheet, strongest, json_weight(v, &weights(v, c)->entries[i], sheet));
    cau_writer_put(sheet, object, "pull", pull);
    cau_writer_put(sheet, object, "weights", strongest);
    return object;
}

void cau_domain_view_json(const cau_domain_view *v, cau_writer *sheet, json_t *root)
{
    const size_t J = v->model->pool.J, D = J - 1;
    json_t *domains = json_object(), *components = json_array(), *rows = json_array();
    for (size_t c = 0; c < J; c++) cau_writer_push(sheet, components, json_component(v, c, sheet));
    for (size_t i = 0; i < D; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < D; j++) cau_writer_push(sheet, row, real(v->divergence[i * D + j]));
        cau_writer_push(sheet, rows, row);
    }
    cau_writer_put(sheet, domains, "components", components);
    cau_writer_put(sheet, domains, "divergence", rows);
    cau_writer_put(sheet, root, "domains", domains);
}
