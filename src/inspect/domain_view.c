/* domain_view.c - the domains of a gated pool: how similar they are, and how they differ.
 *
 * The part "domains" of `inspect` on a model of MEGA. Its members are the components: one for each
 * domain, and the last, "general", for what all domains share. A feature k is in an input of
 * component c with probability psi_c = 1 / (1 + exp(-gate weight of k)).
 *
 * Feature k pulls a token towards component d by logit psi_d - logit psi_general, which it adds to
 * the log odds of d against general. It pulls towards general by logit psi_general minus the
 * largest logit of a domain, so such a feature speaks against every domain. The list of a component
 * has the features that pull towards it, sorted by their part of the divergence of its inputs from
 * those of the component it is compared with (psi'; general is compared with the nearest domain),
 *     psi log(psi / psi') + (1 - psi) log((1 - psi) / (1 - psi')),
 * so that distinctive and frequent features come first. The strongest weights are those of the
 * component's classifier, without transitions and features on edges. As JSON:
 *
 *   {
 *     "components": [              domain 1 is the target; the last is general
 *       {"name": "calls.txt",                               or null
 *        "pi": 0.41,                                        p(general) in the domain; null where
 *                                                           the file has no number, and for general
 *        "pull": [                                          towards it, the strongest first
 *          {"feature": NAME, "pull": 2.1,
 *           "psi": [0.2, 0.01, 0.03]}, ...],                in each component
 *        "weights": [                                       the largest above 0
 *          {"feature": NAME, "label": LABEL, "weight": w}, ...]}, ...],   no label with explicit
 *                                                           features
 *     "divergence": [[0, 1.2], [1.5, 0]]                    KL(row || column) between domains, in
 *                                                           nats; null if the file has none
 *   } */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "inspect/inspect.h"

/* ---- features ------------------------------------------------------------------------ */

static double gate_weight(const caucus_model *m, size_t k, size_t j)
{
    return (double)m->gate.weight[k * m->pool.J + j];
}

static double psi_of(const caucus_model *m, size_t k, size_t j)
{
    return 1 / (1 + exp(-gate_weight(m, k, j)));
}

/* The component that c is compared with for feature k: general; or, for general, the domain where
 * the feature is most probable. */
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

/* log(1 + exp(x)); of a logit, -log(1 - psi). */
static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* KL between the presence of k in component c and in the one it is compared with. With logits g and
 * g' that is psi (g - g') - softplus g + softplus g'. */
static double feature_divergence(const caucus_model *m, size_t k, size_t c)
{
    const double g = gate_weight(m, k, c), other = gate_weight(m, k, other_of(m, k, c));
    return psi_of(m, k, c) * (g - other) - softplus(g) + softplus(other);
}

/* The lists of features that pull: the strongest entries of a table of divergences. */
static caucus_status find_pulls(caucus_ctx *ctx, const caucus_model *m, uint64_t top,
                                cau_top_features *out)
{
    const size_t J = m->pool.J, K = m->nodes.K;
    float *size = cau_calloc(K * J, sizeof *size); /* no overflow: the gate has as many */
    if (!size) return cau_fail_memory(ctx, "the features of domains");
    for (size_t k = 0; k < K; k++)
        for (size_t c = 0; J > 1 && c < J; c++)
            if (pull_of(m, k, c) > 0) size[k * J + c] = (float)feature_divergence(m, k, c);
    const cau_observations table = {.K = K, .width = J, .dense = size};
    const caucus_status st = cau_top_features_find(ctx, &table, true, top, out);
    free(size);
    return st;
}

/* ---- the tree ------------------------------------------------------------------------ */

/* A number in the model file, or NAN. */
static double info_number(const caucus_model *m, const char *key)
{
    const char *value = cau_model_info(m, key);
    double x;
    return value && cau_parse_real(value, strlen(value), &x) ? x : NAN;
}

static void add_pulls(const caucus_model *m, size_t c, const cau_top_list *list, cau_tree *tree)
{
    cau_tree_array(tree, "pull");
    for (size_t i = 0; i < list->count; i++) {
        const size_t k = list->entries[i].k;
        double psi[CAU_MEMBERS_MOST];
        for (size_t d = 0; d < m->pool.J; d++) psi[d] = psi_of(m, k, d);
        cau_tree_record(tree, NULL, {"feature", cau_json_text(cau_model_name(&m->nodes, k))},
                        {"pull", cau_json_number(pull_of(m, k, c))},
                        {"psi", cau_json_numbers(psi, m->pool.J)});
    }
    cau_tree_end(tree);
}

static caucus_status add_component(caucus_ctx *ctx, const caucus_model *m, size_t c, uint64_t top,
                                   const cau_top_features *pulls, cau_tree *tree)
{
    const bool general = c + 1 == m->pool.J;
    const cau_cell_kind kind = m->nodes.width == m->Y ? CAU_CELL_LABEL : CAU_CELL_HIDDEN;
    char key[64];
    cau_top_features weights = {0};
    const caucus_status st = cau_top_features_find(ctx, &m->member[c].nodes, false, top, &weights);
    cau_tree_object(tree, NULL);
    cau_tree_expert_name(tree, m, c);
    snprintf(key, sizeof key, "domain.%zu.pi", c + 1);
    cau_tree_number(tree, "pi", general ? NAN : info_number(m, key));
    add_pulls(m, c, &pulls->lists[c * CAU_SIGNS + CAU_FOR], tree);
    cau_tree_array(tree, "weights");
    for (size_t i = 0; !st && i < weights.lists[CAU_FOR].count; i++) {
        const cau_top_feature *e = &weights.lists[CAU_FOR].entries[i];
        cau_tree_weight(tree, m, cau_model_name(&m->nodes, e->k), kind, e->cell, (double)e->size);
    }
    cau_tree_end(tree);
    cau_tree_end(tree);
    cau_top_features_clear(&weights);
    return st;
}

caucus_status cau_domain_view(caucus_ctx *ctx, const caucus_model *m, uint64_t top, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = m->pool.J;
    cau_top_features pulls = {0};
    TRY(find_pulls(ctx, m, top, &pulls));
    cau_tree_object(tree, "domains");
    cau_tree_array(tree, "components");
    for (size_t c = 0; c < J; c++) TRY(add_component(ctx, m, c, top, &pulls, tree));
    cau_tree_end(tree);
    cau_tree_array(tree, "divergence");
    for (size_t i = 1; i < J; i++) {
        cau_tree_array(tree, NULL);
        for (size_t j = 1; j < J; j++) {
            char key[64];
            snprintf(key, sizeof key, "kl.%zu.%zu", i, j);
            cau_tree_number(tree, NULL, i == j ? 0 : info_number(m, key));
        }
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    cau_tree_end(tree);
done:
    cau_top_features_clear(&pulls);
    return st;
}

/* ---- as text ------------------------------------------------------------------------- */

static void print_components(cau_writer *out, const json_t *components)
{
    static const cau_column columns[] = {{"domain", ""}, {"pi", "{pi:.6f}"}, {"name", "<{name}"}};
    const size_t J = json_array_size(components);
    cau_text_table table = cau_text_table_begin(out, columns, sizeof columns / sizeof *columns);
    for (size_t c = 0; c < J; c++) {
        char number[24] = "";
        if (c + 1 < J) snprintf(number, sizeof number, "%zu", c + 1);
        cau_text_table_row(&table, number, json_array_get(components, c));
    }
    cau_text_table_end(&table);
}

/* The divergence of each pair of domains, if any is known. */
static void print_divergence(cau_writer *out, const json_t *rows)
{
    const size_t D = json_array_size(rows);
    bool any = false;
    for (size_t i = 0; i < D * D; i++)
        any |= i % (D + 1) && !json_is_null(json_array_get(json_array_get(rows, i / D), i % D));
    if (!any) return;
    cau_strbuf_printf(&out->text, "\nKL divergence from row to column, in nats\n");
    cau_print_matrix(out, NULL, rows, "{:.4f}");
}

/* The features that pull towards a component: by how much, psi in each of J components, name. */
static void print_pulls(cau_writer *out, size_t J, const json_t *pulls)
{
    cau_column columns[CAU_MEMBERS_MOST + 2] = {{"pull", "{pull:.6f}"}};
    char heading[CAU_MEMBERS_MOST][24], cell[CAU_MEMBERS_MOST][32];
    for (size_t d = 0; d < J; d++) {
        snprintf(heading[d], sizeof *heading, "psi %zu", d + 1);
        snprintf(cell[d], sizeof *cell, "{psi.%zu:.6f}", d);
        columns[d + 1] = (cau_column){d + 1 < J ? heading[d] : "general", cell[d]};
    }
    columns[J + 1] = (cau_column){"feature", "<{feature}"};
    cau_print_table(out, columns, J + 2, pulls);
}

void cau_print_domains(cau_writer *out, const json_t *domains)
{
    const json_t *components = cau_at(domains, "components");
    const size_t J = json_array_size(components);
    cau_strbuf_printf(&out->text, "\ndomains: %zu, and a general component\n", J - 1);
    print_components(out, components);
    print_divergence(out, cau_at(domains, "divergence"));
    for (size_t list = 0; list < 2; list++)
        for (size_t c = 0; c < J; c++) {
            const json_t *of = json_array_get(components, c);
            const json_t *entries = cau_at(of, list ? "weights" : "pull");
            if (json_array_size(entries) == 0) continue;
            cau_print(out, of, list ? "\nstrongest weights of " : "\npulls towards ");
            cau_print_component(out, c + 1 < J ? c + 1 : 0, of);
            cau_print(out, of, "\n");
            if (list)
                cau_print_weights(out, entries);
            else
                print_pulls(out, J, entries);
        }
}
