/* summary.c - what a model is made of, and its strongest features.
 *
 * For each class the features with the largest weights (they speak for it) and those with the
 * most negative ones (against it); of a sequence model the same for the transitions and for the
 * observations on edges, all classes together.
 *
 * As JSON:
 *     {"format": 1, "kind": ..., "info": {KEY: VALUE, ...},
 *      "read": {"format": ..., "ngrams": ..., "lower": ..., "counts": ..., "values": ...},
 *      "size": {"features": K, "classes": Y, "weights": not zero, "bytes": of the file},
 *      "classes": [{"label": LABEL, "default": weight or null,
 *                   "for": [{"feature": NAME, "weight": w}, ...], "against": [...]}, ...]}
 * In a model whose features were given for each class apart (megam's explicit form) a feature
 * has one weight for all classes; then "for" and "against" stand beside "classes". A sequence
 * model has besides
 *      "template": {"patterns": n, "text": TEXT} or null,
 *      "transitions": [[w, one for each class after it], one for each class ...] or null,
 *      "edges": {"features": K, "weights": not zero, "for": [{"feature": NAME, "from": LABEL,
 *                "to": LABEL, "weight": w}, ...], "against": [...]}
 * and its "read" has "columns", "comments" and "docstart". A pool has besides "experts", which is
 * described in pool_view.h, and one with a gate "domains" (domain_view.h); all else is then of the
 * sums of their weights, or of the model on top of a stack. */

#include <string.h>

#include "base/status.h"
#include "inspect/top_features.h"
#include "inspect/views.h"

enum {
    DECIMALS = 6,
    NUMBER_WIDTH = 12,
    NAME_WIDTH_MAX = 40, /* longer names push what is beside them */
};

/* What was found in a model. */
typedef struct {
    const caucus_model *model;
    const cau_domain_view *domains; /* NULL: it has no gate */
    const cau_pool_view *experts;   /* NULL: it is no pool */
    uint64_t top;
    cau_top_features nodes, edges, plain;
    cau_writer *sheet;
    cau_strbuf label; /* of the entry at hand */
} summary;

static cau_str text_of(const char *s)
{
    return (cau_str){s, strlen(s)};
}

/* Lines of the template that are patterns: neither comments nor lists of names (template.c). */
static size_t patterns_of(cau_str template)
{
    size_t count = 0;
    for (size_t i = 0; i < template.n; i++)
        if (i == 0 || template.s[i - 1] == '\n') count += memchr("UuBb*", template.s[i], 5) != NULL;
    return count;
}

/* ---- as text ------------------------------------------------------------------------- */

/* How lines of data are read. */
static void add_format(const cau_read_options *read, cau_writer *sheet)
{
    cau_strbuf *text = &sheet->text;
    cau_strbuf_printf(text, "  %s", cau_format_name(read->format));
    if (read->format == CAU_FORMAT_COLUMNS)
        cau_strbuf_printf(text, ", %llu beside the label", (unsigned long long)read->columns);
    if (read->ngrams > 1)
        cau_strbuf_printf(text, ", n-grams up to %llu", (unsigned long long)read->ngrams);
    if (read->lower) cau_strbuf_printf(text, ", lower case");
    if (read->counts) cau_strbuf_printf(text, ", counts");
    if (read->values) cau_strbuf_printf(text, ", values");
    if (read->comments) cau_strbuf_printf(text, ", comments");
    if (read->docstart) cau_strbuf_printf(text, ", -DOCSTART-");
    cau_strbuf_add(text, "\n", 1);
}

/* What the file holds, how it reads data, and what it says of itself. */
static void add_head(const summary *s)
{
    const caucus_model *m = s->model;
    cau_writer *sheet = s->sheet;
    const char *key, *value;
    size_t width = strlen("template");
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);) {
        size_t columns = cau_text_width(text_of(key));
        if (columns > width) width = columns;
    }
    if (width > NAME_WIDTH_MAX) width = NAME_WIDTH_MAX;

    cau_writer_left(sheet, CAU_STR("file"), width);
    cau_strbuf_printf(&sheet->text,
                      "  %s, %zu features, %zu classes, %zu weights (%s), %zu bytes\n",
                      cau_kind_name(m->kind), m->nodes.K, m->Y, s->nodes.nonzeros,
                      m->nodes.dense ? "dense" : "packed", m->bytes);
    if (m->kind != CAU_KIND_MAXENT) {
        cau_writer_left(sheet, CAU_STR("edges"), width);
        cau_strbuf_printf(&sheet->text, "  %zu transitions, %zu features", s->plain.nonzeros,
                          m->edges.K);
        if (m->edges.K)
            cau_strbuf_printf(&sheet->text, ", %zu weights (%s)", s->edges.nonzeros,
                              m->edges.dense ? "dense" : "packed");
        cau_strbuf_add(&sheet->text, "\n", 1);
    }
    cau_writer_left(sheet, CAU_STR("format"), width);
    add_format(&m->read, sheet);
    if (m->template.s) {
        cau_writer_left(sheet, CAU_STR("template"), width);
        cau_strbuf_printf(&sheet->text, "  %zu patterns\n", patterns_of(m->template));
    }
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);) {
        cau_writer_left(sheet, text_of(key), width);
        cau_strbuf_printf(&sheet->text, "  %s\n", value); /* escaped in the image already */
    }
}

/* What an entry is called: a feature, a transition "from -> to", or both. Valid until the next. */
typedef cau_str name_fn(summary *s, const cau_top_feature *e);

static cau_str node_name(summary *s, const cau_top_feature *e)
{
    return cau_model_name(&s->model->nodes, e->k);
}

/* The label that was put together; empty where memory was short, which is told at the end. */
static cau_str label_of(const summary *s)
{
    return s->label.s ? (cau_str){s->label.s, s->label.n} : CAU_STR("");
}

static cau_str transition_name(summary *s, const cau_top_feature *e)
{
    s->label.n = 0;
    cau_strbuf_printf(&s->label, "%s -> %s", cau_model_label(s->model, e->k),
                      cau_model_label(s->model, e->cell));
    return label_of(s);
}

static cau_str edge_name(summary *s, const cau_top_feature *e)
{
    const size_t Y = s->model->Y;
    const cau_str name = cau_model_name(&s->model->edges, e->k);
    s->label.n = 0;
    cau_strbuf_printf(&s->label, "%s -> %s  ", cau_model_label(s->model, e->cell / Y),
                      cau_model_label(s->model, e->cell % Y));
    cau_strbuf_add(&s->label, name.s, name.n);
    return label_of(s);
}

/* The widest name in a list, within reason. */
static size_t widest(summary *s, const cau_top_list *l, name_fn *name)
{
    size_t most = 0;
    for (size_t i = 0; i < l->count; i++) {
        size_t width = cau_text_width(name(s, &l->entries[i]));
        if (width > most) most = width;
    }
    return most < NAME_WIDTH_MAX ? most : NAME_WIDTH_MAX;
}

/* One entry as "weight  name", the name in a cell of `width`; blanks when there is none. */
static void add_entry(summary *s, const cau_top_list *l, size_t i, double sign, name_fn *name,
                      size_t width)
{
    if (i >= l->count) {
        cau_writer_left(s->sheet, CAU_STR(""), NUMBER_WIDTH + 2 + width);
        return;
    }
    cau_writer_number(s->sheet, sign * (double)l->entries[i].size, DECIMALS, NUMBER_WIDTH);
    cau_strbuf_add(&s->sheet->text, "  ", 2);
    cau_writer_left(s->sheet, name(s, &l->entries[i]), width);
}

/* The two lists side by side. */
static caucus_status add_lists(summary *s, const cau_top_list lists[CAU_SIGNS], name_fn *name,
                               size_t width)
{
    caucus_status st = CAUCUS_OK;
    const cau_top_list *with = &lists[CAU_FOR], *against = &lists[CAU_AGAINST];
    size_t rows = with->count > against->count ? with->count : against->count;
    for (size_t i = 0; i < rows; i++) {
        bool both = i < against->count;
        add_entry(s, with, i, 1, name, both ? width : 0);
        if (both) add_entry(s, against, i, -1, name, 0);
        cau_strbuf_add(&s->sheet->text, "\n", 1);
        TRY(cau_writer_flush(s->sheet, false));
    }
done:
    return st;
}

/* A heading and the two lists below it, where there is anything to list. */
static caucus_status add_section(summary *s, const char *heading, const cau_top_features *of,
                                 name_fn *name)
{
    if (of->nonzeros == 0) return CAUCUS_OK;
    cau_strbuf_printf(&s->sheet->text, "\n%s\n", heading);
    return add_lists(s, of->lists, name, widest(s, &of->lists[CAU_FOR], name));
}

static caucus_status write_text(summary *s)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = s->model;
    cau_strbuf *text = &s->sheet->text;
    bool apart = m->nodes.width != m->Y;
    size_t width = 0; /* the same for all classes */
    for (size_t j = 0; j < m->nodes.width; j++) {
        size_t needed = widest(s, &s->nodes.lists[j * CAU_SIGNS + CAU_FOR], node_name);
        if (needed > width) width = needed;
    }
    add_head(s);
    TRY(add_section(s, "transitions", &s->plain, transition_name));
    TRY(add_section(s, "on edges", &s->edges, edge_name));
    for (size_t y = 0; y < m->Y; y++) {
        cau_strbuf_printf(text, apart && y ? "class " : "\nclass ");
        cau_writer_left(s->sheet, text_of(cau_model_label(m, y)), 0);
        if (m->bias) {
            cau_strbuf_printf(text, ", default weight ");
            cau_strbuf_fixed(&s->sheet->text, (double)m->bias[y], DECIMALS);
        }
        cau_strbuf_add(text, "\n", 1);
        if (!apart) TRY(add_lists(s, s->nodes.lists + y * CAU_SIGNS, node_name, width));
    }
    if (apart) {
        cau_strbuf_printf(text, "\nall classes\n");
        TRY(add_lists(s, s->nodes.lists, node_name, width));
    }
    if (s->domains) TRY(cau_domain_view_text(s->domains, s->sheet));
    if (s->experts) TRY(cau_pool_view_text(s->experts, s->top, s->sheet));
    st = cau_strbuf_status(s->sheet->ctx, &s->label);
done:
    return st;
}

/* ---- as JSON ------------------------------------------------------------------------- */

static json_t *json_info(const caucus_model *m, cau_writer *sheet)
{
    json_t *info = json_object();
    cau_strbuf plain = {0};
    const char *key, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);) {
        plain.n = 0;
        bool escaped = cau_strbuf_unescape(&plain, text_of(value));
        cau_str text = escaped && plain.n ? (cau_str){plain.s, plain.n} : text_of(value);
        cau_writer_put(sheet, info, key, plain.failed ? NULL : cau_writer_string(text));
    }
    cau_strbuf_clear(&plain);
    return info;
}

static json_t *json_read(const caucus_model *m, cau_writer *sheet)
{
    const cau_read_options *read = &m->read;
    json_t *object = json_object();
    cau_writer_put(sheet, object, "format", json_string(cau_format_name(read->format)));
    cau_writer_put(sheet, object, "ngrams", json_integer((json_int_t)read->ngrams));
    cau_writer_put(sheet, object, "lower", json_boolean(read->lower));
    cau_writer_put(sheet, object, "counts", json_boolean(read->counts));
    cau_writer_put(sheet, object, "values", json_boolean(read->values));
    if (m->kind != CAU_KIND_MAXENT) {
        cau_writer_put(sheet, object, "columns", json_integer((json_int_t)read->columns));
        cau_writer_put(sheet, object, "comments", json_boolean(read->comments));
        cau_writer_put(sheet, object, "docstart", json_boolean(read->docstart));
    }
    return object;
}

static json_t *json_size(const summary *s)
{
    json_t *object = json_object();
    cau_writer_put(s->sheet, object, "features", json_integer((json_int_t)s->model->nodes.K));
    cau_writer_put(s->sheet, object, "classes", json_integer((json_int_t)s->model->Y));
    cau_writer_put(s->sheet, object, "weights", json_integer((json_int_t)s->nodes.nonzeros));
    cau_writer_put(s->sheet, object, "bytes", json_integer((json_int_t)s->model->bytes));
    return object;
}

static json_t *json_label(const summary *s, size_t y)
{
    return cau_writer_string(text_of(cau_model_label(s->model, y)));
}

static json_t *json_list(const summary *s, const cau_observations *of, const cau_top_list *l,
                         double sign)
{
    const size_t Y = s->model->Y;
    json_t *array = json_array();
    for (size_t i = 0; i < l->count; i++) {
        const cau_top_feature *e = &l->entries[i];
        json_t *object = json_object();
        cau_writer_put(s->sheet, object, "feature", cau_writer_string(cau_model_name(of, e->k)));
        if (of == &s->model->edges) {
            cau_writer_put(s->sheet, object, "from", json_label(s, e->cell / Y));
            cau_writer_put(s->sheet, object, "to", json_label(s, e->cell % Y));
        }
        cau_writer_put(s->sheet, object, "weight", json_real(sign * (double)e->size));
        cau_writer_push(s->sheet, array, object);
    }
    return array;
}

static void put_lists(const summary *s, const cau_observations *of,
                      const cau_top_list lists[CAU_SIGNS], json_t *object)
{
    cau_writer_put(s->sheet, object, "for", json_list(s, of, &lists[CAU_FOR], 1));
    cau_writer_put(s->sheet, object, "against", json_list(s, of, &lists[CAU_AGAINST], -1));
}

static json_t *json_template(const summary *s)
{
    const cau_str template = s->model->template;
    if (!template.s) return json_null();
    json_t *object = json_object();
    cau_writer_put(s->sheet, object, "patterns", json_integer((json_int_t)patterns_of(template)));
    cau_writer_put(s->sheet, object, "text", cau_writer_string(template));
    return object;
}

static json_t *json_transitions(const summary *s)
{
    const caucus_model *m = s->model;
    if (!m->plain) return json_null();
    json_t *rows = json_array();
    for (size_t from = 0; from < m->Y; from++) {
        json_t *row = json_array();
        for (size_t to = 0; to < m->Y; to++)
            cau_writer_push(s->sheet, row, json_real((double)m->plain[from * m->Y + to]));
        cau_writer_push(s->sheet, rows, row);
    }
    return rows;
}

static json_t *json_edges(const summary *s)
{
    json_t *object = json_object();
    cau_writer_put(s->sheet, object, "features", json_integer((json_int_t)s->model->edges.K));
    cau_writer_put(s->sheet, object, "weights", json_integer((json_int_t)s->edges.nonzeros));
    put_lists(s, &s->model->edges, s->edges.lists, object);
    return object;
}

static void write_json(const summary *s)
{
    const caucus_model *m = s->model;
    cau_writer *sheet = s->sheet;
    bool apart = m->nodes.width != m->Y;
    json_t *root = json_object(), *classes = json_array();
    cau_writer_put(sheet, root, "format", json_integer(1));
    cau_writer_put(sheet, root, "kind", json_string(cau_kind_name(m->kind)));
    cau_writer_put(sheet, root, "info", json_info(m, sheet));
    cau_writer_put(sheet, root, "read", json_read(m, sheet));
    cau_writer_put(sheet, root, "size", json_size(s));
    if (m->kind != CAU_KIND_MAXENT) {
        cau_writer_put(sheet, root, "template", json_template(s));
        cau_writer_put(sheet, root, "transitions", json_transitions(s));
        cau_writer_put(sheet, root, "edges", json_edges(s));
    }
    for (size_t y = 0; y < m->Y; y++) {
        json_t *class = json_object();
        cau_writer_put(sheet, class, "label", json_label(s, y));
        cau_writer_put(sheet, class, "default",
                       m->bias ? json_real((double)m->bias[y]) : json_null());
        if (!apart) put_lists(s, &m->nodes, s->nodes.lists + y * CAU_SIGNS, class);
        cau_writer_push(sheet, classes, class);
    }
    cau_writer_put(sheet, root, "classes", classes);
    if (apart) put_lists(s, &m->nodes, s->nodes.lists, root);
    if (s->domains) cau_domain_view_json(s->domains, sheet, root);
    if (s->experts) cau_pool_view_json(s->experts, s->top, sheet, root);
    cau_writer_json(sheet, root, false);
    cau_strbuf_add(&sheet->text, "\n", 1);
}

caucus_status cau_summary(const caucus_model *model, const cau_domain_view *domains,
                          const cau_pool_view *experts, uint64_t top, bool json, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    summary s = {
        .model = model, .domains = domains, .experts = experts, .top = top, .sheet = sheet};
    /* transitions are weights of the class that they leave, for the class that they enter */
    const cau_observations plain = {
        .K = model->plain ? model->Y : 0, .width = model->Y, .dense = model->plain};
    TRY(cau_top_features_find(sheet->ctx, &model->nodes, true, top, &s.nodes));
    TRY(cau_top_features_find(sheet->ctx, &model->edges, false, top, &s.edges));
    TRY(cau_top_features_find(sheet->ctx, &plain, false, top, &s.plain));
    if (json)
        write_json(&s);
    else
        TRY(write_text(&s));
done:
    cau_top_features_clear(&s.nodes);
    cau_top_features_clear(&s.edges);
    cau_top_features_clear(&s.plain);
    cau_strbuf_clear(&s.label);
    return st;
}
