/* summary.c - the parts of a model, and its strongest features.
 *
 * For each class the features with the largest weights ("for" it) and with the most negative ones
 * ("against" it); for a sequence model also the strongest transitions and features on edges, of all
 * classes together. As JSON:
 *     {"format": 1, "kind": ..., "info": {KEY: VALUE, ...},
 *      "read": {"format": ..., "ngrams": ..., "lower": ..., "counts": ..., "values": ...},
 *      "size": {"features": K, "classes": Y, "weights": not zero, "bytes": of the file,
 *               "storage": "dense" or "packed"},
 *      "classes": [{"label": LABEL, "default": weight or null,
 *                   "for": [{"feature": NAME, "weight": w}, ...], "against": [...]}, ...]}
 * In a model with explicit features (megam's # sections) a feature has one weight for all classes;
 * then "for" and "against" are keys of the root. A sequence model also has
 *      "template": {"patterns": n, "text": TEXT} or null,
 *      "transitions": [[w for each class after it], for each class ...] or null,
 *      "strongest_transitions": {"weights": not zero, "for": [{"from": LABEL, "to": LABEL,
 *                                "weight": w}, ...], "against": [...]},
 *      "edges": {"features": K, "weights": not zero, "storage": ..., "for": [{"feature": NAME,
 *                "from": LABEL, "to": LABEL, "weight": w}, ...], "against": [...]}
 * and its "read" has "columns", "comments" and "docstart". A pool also has "experts" (pool_view.c),
 * one with a gate "domains" (domain_view.c); the rest is then about the sums of their weights, or
 * about the model on top of a stack. */

#include "base/status.h"
#include "inspect/inspect.h"

/* Lines of the template that are patterns: neither comments nor lists of names (template.c). */
static size_t count_patterns(cau_str template)
{
    size_t count = 0;
    for (size_t i = 0; i < template.n; i++)
        if (i == 0 || template.s[i - 1] == '\n') count += memchr("UuBb*", template.s[i], 5) != NULL;
    return count;
}

/* ---- the tree ------------------------------------------------------------------------ */

static void add_info(const caucus_model *m, cau_tree *tree)
{
    const char *key, *value;
    cau_tree_object(tree, "info");
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);)
        cau_tree_info(tree, key, m, key);
    cau_tree_end(tree);
}

static void add_read(const caucus_model *m, cau_tree *tree)
{
    const cau_read_options *read = &m->read;
    cau_tree_object(tree, "read");
    cau_tree_fields(tree, {"format", cau_json_string(cau_format_name(read->format))},
                    {"ngrams", cau_json_count(read->ngrams)}, {"lower", cau_json_bool(read->lower)},
                    {"counts", cau_json_bool(read->counts)},
                    {"values", cau_json_bool(read->values)});
    if (read->tokenize) cau_tree_bool(tree, "tokenize", true);
    if (read->chars) cau_tree_string(tree, "chars", read->chars);
    if (read->tfidf) cau_tree_bool(tree, "tfidf", true);
    if (m->kind != CAU_KIND_MAXENT)
        cau_tree_fields(tree, {"columns", cau_json_count(read->columns)},
                        {"comments", cau_json_bool(read->comments)},
                        {"docstart", cau_json_bool(read->docstart)});
    cau_tree_end(tree);
}

static json_t *storage_of(const cau_observations *of)
{
    return cau_json_string(of->dense ? "dense" : "packed");
}

/* The keys "for" and "against". `of` is NULL for transitions, which have no features. */
static void add_lists(const caucus_model *m, const cau_observations *of,
                      const cau_top_list lists[CAU_SIGNS], cau_tree *tree)
{
    static const char *const keys[] = {[CAU_FOR] = "for", [CAU_AGAINST] = "against"};
    const cau_cell_kind kind = of == &m->nodes ? CAU_CELL_HIDDEN : CAU_CELL_PAIR;
    for (int sign = CAU_FOR; sign < CAU_SIGNS; sign++) {
        cau_tree_array(tree, keys[sign]);
        for (size_t i = 0; i < lists[sign].count; i++) {
            const cau_top_feature *e = &lists[sign].entries[i];
            const double size = (double)e->size;
            cau_tree_weight(tree, m, of ? cau_model_name(of, e->k) : (cau_str){NULL, 0}, kind,
                            of ? e->cell : e->k * m->Y + e->cell, sign == CAU_FOR ? size : -size);
        }
        cau_tree_end(tree);
    }
}

static void add_transitions(const caucus_model *m, const cau_top_features *top, cau_tree *tree)
{
    if (m->transitions) {
        cau_tree_array(tree, "transitions");
        for (size_t from = 0; from < m->Y; from++) {
            cau_tree_array(tree, NULL);
            for (size_t to = 0; to < m->Y; to++)
                cau_tree_number(tree, NULL, (double)m->transitions[from * m->Y + to]);
            cau_tree_end(tree);
        }
        cau_tree_end(tree);
    } else {
        cau_tree_value(tree, "transitions", json_null());
    }
    cau_tree_object(tree, "strongest_transitions");
    cau_tree_count(tree, "weights", top->nonzeros);
    add_lists(m, NULL, top->lists, tree);
    cau_tree_end(tree);
}

/* The parts that only sequence models have. */
static void add_sequence_parts(const caucus_model *m, const cau_top_features *plain,
                               const cau_top_features *edges, cau_tree *tree)
{
    if (m->template.s) {
        cau_tree_record(tree, "template", {"patterns", cau_json_count(count_patterns(m->template))},
                        {"text", cau_json_text(m->template)});
    } else {
        cau_tree_value(tree, "template", json_null());
    }
    add_transitions(m, plain, tree);
    cau_tree_object(tree, "edges");
    cau_tree_fields(tree, {"features", cau_json_count(m->edges.K)},
                    {"weights", cau_json_count(edges->nonzeros)},
                    {"storage", storage_of(&m->edges)});
    add_lists(m, &m->edges, edges->lists, tree);
    cau_tree_end(tree);
}

caucus_status cau_summary(caucus_ctx *ctx, const caucus_model *m, uint64_t top,
                          const cau_read_options *read, const char *data, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    const bool explicit = m->nodes.width != m->Y;
    cau_top_features nodes = {0}, edges = {0}, plain = {0};
    /* as observations: the weights of the previous class for the next class */
    const cau_observations transitions = {
        .K = m->transitions ? m->Y : 0, .width = m->Y, .dense = m->transitions};
    TRY(cau_top_features_find(ctx, &m->nodes, true, top, &nodes));
    TRY(cau_top_features_find(ctx, &m->edges, false, top, &edges));
    TRY(cau_top_features_find(ctx, &transitions, false, top, &plain));
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "format", 1);
    cau_tree_string(tree, "kind", cau_kind_name(m->kind));
    add_info(m, tree);
    add_read(m, tree);
    cau_tree_record(tree, "size", {"features", cau_json_count(m->nodes.K)},
                    {"classes", cau_json_count(m->Y)}, {"weights", cau_json_count(nodes.nonzeros)},
                    {"bytes", cau_json_count(m->bytes)}, {"storage", storage_of(&m->nodes)});
    if (m->kind != CAU_KIND_MAXENT) add_sequence_parts(m, &plain, &edges, tree);
    cau_tree_array(tree, "classes");
    for (size_t y = 0; y < m->Y; y++) {
        cau_tree_object(tree, NULL);
        cau_tree_fields(tree, {"label", cau_json_string(cau_model_label(m, y))},
                        {"default", m->bias ? json_real((double)m->bias[y]) : json_null()});
        if (!explicit) add_lists(m, &m->nodes, nodes.lists + y * CAU_SIGNS, tree);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    if (explicit) add_lists(m, &m->nodes, nodes.lists, tree);
    if (m->gate.base) TRY(cau_domain_view(ctx, m, top, tree));
    if (m->pool.J) TRY(cau_pool_view(ctx, m, top, read, data, tree));
    cau_tree_end(tree);
done:
    cau_top_features_clear(&nodes);
    cau_top_features_clear(&edges);
    cau_top_features_clear(&plain);
    return st;
}

/* ---- as text ------------------------------------------------------------------------- */

/* How lines of data are read. */
static void print_read(cau_writer *out, const json_t *read)
{
    static const char *const flags[][2] = {{"lower", ", lower case"},
                                           {"counts", ", counts"},
                                           {"tokenize", ", words by Unicode rules"},
                                           {"tfidf", ", TF-IDF"},
                                           {"values", ", values"},
                                           {"comments", ", comments"},
                                           {"docstart", ", -DOCSTART-"}};
    cau_print(out, read, "format    {format}");
    if (strcmp(json_string_value(cau_at(read, "format")), "columns") == 0 &&
        cau_at(read, "columns"))
        cau_print(out, read, ", {columns} beside the label");
    if (cau_count_at(read, "ngrams") > 1) cau_print(out, read, ", n-grams up to {ngrams}");
    if (cau_at(read, "chars")) cau_print(out, read, ", character n-grams {chars}");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (json_is_true(cau_at(read, flags[i][0]))) cau_print(out, read, flags[i][1]);
    cau_print(out, read, "\n");
}

static void print_head(cau_writer *out, const json_t *root)
{
    static const cau_column columns[] = {{NULL, "<"}, {NULL, "<{}"}};
    const char *key;
    json_t *value;
    cau_print(out, root,
              "file      {kind}, {size.features} features, {size.classes} classes, "
              "{size.weights} weights ({size.storage}), {size.bytes} bytes\n");
    if (cau_at(root, "edges"))
        cau_print(
            out, root,
            "edges     {strongest_transitions.weights} transitions, {edges.features} features");
    if (cau_count_at(root, "edges.features"))
        cau_print(out, root, ", {edges.weights} weights ({edges.storage})");
    if (cau_at(root, "edges")) cau_print(out, root, "\n");
    print_read(out, cau_at(root, "read"));
    if (json_is_object(cau_at(root, "template")))
        cau_print(out, root, "template  {template.patterns} pattern{template.patterns:|s}\n");
    if (json_object_size(cau_at(root, "info"))) cau_print(out, root, "\n");
    cau_text_table table = cau_text_table_begin(out, columns, 2);
    json_object_foreach(cau_at(root, "info"), key, value) cau_text_table_row(&table, key, value);
    cau_text_table_end(&table);
}

/* The lists "for" and "against" of a node, side by side. */
static void print_lists(cau_writer *out, const json_t *node)
{
    /* "{a:|b}" prints b if a exists and is not the number 1 */
    static const cau_column columns[] = {
        {NULL, "  {for.weight:.6f}"},
        {NULL, "<{for.from}{for.from:| -> }{for.to}"},
        {NULL, "<{for.feature}"},
        {NULL, "{against.weight:.6f}"},
        {NULL, "<{against.from}{against.from:| -> }{against.to}"},
        {NULL, "<{against.feature}"},
    };
    const json_t *with = cau_at(node, "for"), *against = cau_at(node, "against");
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(with) || i < json_array_size(against); i++) {
        json_t *row = json_object();
        if (i < json_array_size(with)) json_object_set(row, "for", json_array_get(with, i));
        if (i < json_array_size(against))
            json_object_set(row, "against", json_array_get(against, i));
        if (json_array_append_new(rows, row)) out->text.failed = true;
    }
    if (!rows) out->text.failed = true;
    if (json_array_size(rows))
        cau_print_table(out, columns, sizeof columns / sizeof *columns, rows);
    json_decref(rows);
}

static void print_section(cau_writer *out, const char *heading, const json_t *node)
{
    if (cau_count_at(node, "weights") == 0) return;
    cau_strbuf_printf(&out->text, "\n%s\n", heading);
    print_lists(out, node);
}

void cau_print_summary(cau_writer *out, const json_t *root)
{
    const json_t *classes = cau_at(root, "classes");
    const bool explicit = cau_at(root, "for") != NULL;
    print_head(out, root);
    print_section(out, "transitions", cau_at(root, "strongest_transitions"));
    print_section(out, "on edges", cau_at(root, "edges"));
    for (size_t y = 0; y < json_array_size(classes); y++) {
        const json_t *class = json_array_get(classes, y);
        cau_print(out, class, explicit && y ? "class {label}" : "\nclass {label}");
        if (!json_is_null(cau_at(class, "default")))
            cau_print(out, class, ", default weight {default:.6f}");
        cau_print(out, class, "\n");
        print_lists(out, class);
    }
    if (explicit) {
        cau_print(out, root, "\nall classes\n");
        print_lists(out, root);
    }
    if (cau_at(root, "domains")) cau_print_domains(out, cau_at(root, "domains"));
    if (cau_at(root, "experts")) cau_print_experts(out, cau_at(root, "experts"));
}
