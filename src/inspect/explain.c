/* explain.c - what each feature of one line adds to the scores.
 *
 * The score of a class is a sum, s_y = b_y + sum_k f_k(x) w_ky, so its terms explain a decision.
 * They are shown for the best classes, sorted by how much they separate the best class from the
 * second best, |f_k (w_k,best - w_k,second)|. Features that the model does not have add nothing and
 * are listed at the end. In a stack the label of the member is one of the features of the line.
 *
 * For a model of sequences, and for a template, the line is read as a sequence of its own, without
 * neighbours and transitions, with a note. As JSON:
 *     {"format": 1, "gold": LABEL or null, "classes": [best first:
 *        {"label": LABEL, "score": s, "probability": p, "default": b or null}, ...],
 *      "features": [{"feature": NAME, "value": f, "contributions": [one for each class above],
 *        "separates": difference of the first two}, ...],
 *      "unknown": [NAME, ...], "alone": whether the line was read as a sequence of its own}
 * An explicit feature may have another value for each class, so it has no "value".
 *
 * A gated pool has one such table for each component, and one for the gate: the log odds of a
 * component are also a sum, of log alpha_j, base_j (for a line without features), and a weight for
 * each feature of the line. Features are sorted by the largest difference between components.
 * Components of weight 0 (other domains) are left out. As JSON:
 *     {"format": 1, "gold": LABEL or null,
 *      "classes": [best first: {"label": LABEL, "probability": p,
 *        "components": [p by each component below]}, ...],
 *      "gate": [{"feature": NAME, "weights": [one for each component below]}, ...],
 *      "components": [{the keys above without "format" and "gold", and "name": NAME or null,
 *        "domain": its number, or 0 for general, "prior": log alpha, "base": b, "probability": p(it
 * | x)},
 *        ...]} */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "infer/decode.h"
#include "inspect/inspect.h"
#include "math/kernels.h"

enum { CLASSES_SHOWN = 5 }; /* fit side by side on a terminal */

#define LINE_NAME "the line" /* the name of the file in messages */

/* One feature of the line. */
typedef struct {
    uint32_t id; /* in the scorer's names */
    bool known;  /* by the model */
    double value;
    double part[CLASSES_SHOWN]; /* what it adds to each class shown */
    double separates;           /* part[0] - part[1] */
} term;

/* One table of weights applied to the line. */
typedef struct {
    caucus_model model; /* a view */
    cau_named_scorer scorer;
    cau_reader *reader;
    cau_str gold;  /* {NULL,0}: not given */
    double *s, *p; /* [Y] scores and probabilities */
    uint32_t best[CLASSES_SHOWN];
    size_t shown; /* of them */
    term *terms;  /* [count], the known ones first */
    size_t known, count;
    uint32_t answer, stacked; /* of a stack: the label of its member, as an id of the scorer's
                                 names and of the model */
} explanation;

/* ---- one table of weights ------------------------------------------------------------ */

/* Known features first, then by how much they separate, then in the order of the line. */
static int compare_terms(const void *a, const void *b)
{
    const term *x = a, *y = b;
    if (x->known != y->known) return x->known ? -1 : 1;
    double u = fabs(x->separates), v = fabs(y->separates);
    if (u != v) return u > v ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Reads the one instance of the line. */
static caucus_status read_line(caucus_ctx *ctx, explanation *e, const cau_read_options *read,
                               const char *line, cau_instance *instance)
{
    cau_str bytes = {line, strcspn(line, "\n")};
    if (line[bytes.n] && line[bytes.n + 1])
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--explain: several lines; give one of them");
    cau_read_event event = CAU_READ_END;
    cau_read_options how = *read;
    how.layout.header = false; /* it is not the first line of a file */
    caucus_status st = cau_reader_memory(ctx, LINE_NAME, bytes, &how, CAU_BY_NAME, &e->reader);
    if (!st) st = cau_reader_next(ctx, e->reader, &event, instance);
    if (!st && event != CAU_READ_INSTANCE)
        st = cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                      "--explain: the line has no features; give one as in the data");
    return st;
}

/* part_c += f w_kc for each class c that is shown; explicit features of group g belong to class g
 * alone. */
static void add_parts(explanation *e)
{
    const cau_indexed_instance *x = &e->scorer.instance;
    const caucus_model *m = &e->model;
    const bool explicit = m->nodes.width != m->Y;
    for (size_t g = 0; g < x->groups; g++)
        for (size_t i = x->start[g]; i < x->start[g + 1]; i++) {
            term *t = &e->terms[x->id[i]];
            uint32_t k = e->scorer.row[x->id[i]];
            t->value = x->value ? (double)x->value[i] : 1;
            t->known = k != CAU_UNKNOWN;
            for (size_t c = 0; t->known && c < e->shown; c++) {
                if (explicit && e->best[c] != g) continue;
                t->part[c] += t->value * cau_model_weight(&m->nodes, k, explicit ? 0 : e->best[c]);
            }
        }
}

/* The label that the member of a stack gives to the line. Overwrites e->p. */
static size_t member_label(explanation *e)
{
    const cau_indexed_instance *x = &e->scorer.instance;
    const caucus_model member = cau_pool_member(&e->model, 0);
    for (size_t y = 0; y < member.Y; y++) e->p[y] = member.bias ? (double)member.bias[y] : 0;
    for (size_t i = 0; i < x->start[1]; i++) {
        const uint32_t k = e->scorer.row[x->id[i]];
        const float value = x->value ? x->value[i] : 1;
        if (k != CAU_UNKNOWN) cau_model_add(&member.nodes, 1, &k, &value, e->p);
    }
    return cau_best_class(e->p, member.Y);
}

/* Adds the label of the member of a stack to the features of the line, and to the scores. */
static caucus_status add_stacked(caucus_ctx *ctx, explanation *e)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf name = {0};
    e->stacked = cau_stack_row(&e->model, member_label(e), &name);
    TRY(cau_strbuf_status(ctx, &name));
    e->answer = cau_alphabet_add(e->scorer.names, name.s, name.n);
    if (e->answer == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the features of the line"));
    if (e->stacked != CAU_UNKNOWN) cau_model_add(&e->model.nodes, 1, &e->stacked, NULL, e->s);
done:
    cau_strbuf_clear(&name);
    return st;
}

/* Adds the part of that feature; the line itself may have the feature, too. */
static void add_stacked_part(explanation *e)
{
    term *t = &e->terms[e->answer];
    t->value += 1;
    t->known = e->stacked != CAU_UNKNOWN;
    for (size_t c = 0; t->known && c < e->shown; c++)
        t->part[c] += cau_model_weight(&e->model.nodes, e->stacked, e->best[c]);
}

static caucus_status compute_terms(caucus_ctx *ctx, explanation *e, const cau_instance *line)
{
    const size_t Y = e->model.Y;
    const bool stack = cau_stacked(&e->model) && e->model.nodes.width == Y;
    caucus_status st = cau_named_scores(ctx, &e->scorer, e->reader, line, e->s);
    if (!st && stack) st = add_stacked(ctx, e);
    if (st) return st;
    e->gold = line->label;
    e->count = cau_alphabet_size(e->scorer.names);
    e->terms = cau_calloc(e->count, sizeof *e->terms);
    if (!e->terms) return cau_fail_memory(ctx, "the features of the line");

    double logz;
    memcpy(e->p, e->s, Y * sizeof *e->p);
    cau_kernels_get()->softmax(1, Y, e->p, &logz);
    e->shown = Y < CLASSES_SHOWN ? Y : CLASSES_SHOWN;
    cau_best_classes(e->s, Y, e->shown, e->best);
    add_parts(e);
    if (stack) add_stacked_part(e);
    for (size_t i = 0; i < e->count; i++) {
        term *t = &e->terms[i];
        t->id = (uint32_t)i;
        t->separates = t->part[0] - (e->shown > 1 ? t->part[1] : 0);
        e->known += t->known;
    }
    qsort(e->terms, e->count, sizeof *e->terms, compare_terms);
    return CAUCUS_OK;
}

/* CAUCUS_ERR_ARGUMENT unless it is one line. Clear *e in either case. */
static caucus_status explain_line(caucus_ctx *ctx, const caucus_model *model,
                                  const cau_read_options *read, const char *line, explanation *e)
{
    caucus_status st = CAUCUS_OK;
    cau_instance instance;
    *e = (explanation){.model = *model};
    e->s = cau_vector(model->Y, sizeof *e->s);
    e->p = cau_vector(model->Y, sizeof *e->p);
    if (!e->s || !e->p) TRY(cau_fail_memory(ctx, "the scores of the line"));
    TRY(cau_named_scorer_init(ctx, &e->scorer, &e->model));
    TRY(read_line(ctx, e, read, line, &instance));
    TRY(compute_terms(ctx, e, &instance));
done:
    return st;
}

static void clear_explanation(explanation *e)
{
    cau_reader_free(e->reader);
    cau_named_scorer_clear(&e->scorer);
    free(e->terms);
    free(e->s);
    free(e->p);
}

static cau_str term_name(const explanation *e, const term *t)
{
    return cau_alphabet_name(e->scorer.names, t->id);
}

/* Adds the keys of one table of weights. */
static void add_explanation(const explanation *e, cau_tree *tree)
{
    const caucus_model *m = &e->model;
    cau_tree_array(tree, "classes");
    for (size_t c = 0; c < e->shown; c++) {
        const uint32_t y = e->best[c];
        const double bias = m->bias ? (double)m->bias[y] : NAN;
        cau_tree_record(tree, NULL, {"label", cau_json_string(cau_model_label(m, y))},
                        {"score", cau_json_number(e->s[y])},
                        {"probability", cau_json_number(e->p[y])},
                        {"default", cau_json_number(bias)});
    }
    cau_tree_end(tree);
    cau_tree_array(tree, "features");
    for (size_t i = 0; i < e->known; i++) {
        const term *t = &e->terms[i];
        cau_tree_object(tree, NULL);
        cau_tree_text(tree, "feature", term_name(e, t));
        if (m->nodes.width == m->Y) cau_tree_number(tree, "value", t->value);
        cau_tree_fields(tree, {"contributions", cau_json_numbers(t->part, e->shown)},
                        {"separates", cau_json_number(t->separates)});
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    cau_tree_array(tree, "unknown");
    for (size_t i = e->known; i < e->count; i++)
        cau_tree_text(tree, NULL, term_name(e, &e->terms[i]));
    cau_tree_end(tree);
    cau_tree_bool(tree, "alone",
                  m->kind != CAU_KIND_MAXENT || cau_has_cells(cau_reader_format(e->reader)));
}

/* ---- the gate of a pool -------------------------------------------------------------- */

/* The components of positive weight. */
typedef struct {
    const caucus_model *pool;
    explanation *why; /* [count] */
    size_t *member;   /* [count] */
    size_t count;
    double mixing[CAU_MEMBERS_MOST];
} gate_explanation;

/* A feature of the line that the gate has weights for. */
typedef struct {
    cau_str name;
    const float *weight; /* [J] */
    double range;        /* the largest difference of these between components */
} gate_term;

/* The largest range first, then by name. */
static int compare_gate_terms(const void *a, const void *b)
{
    const gate_term *x = a, *y = b;
    if (x->range != y->range) return x->range > y->range ? -1 : 1;
    const size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
    const int order = n ? memcmp(x->name.s, y->name.s, n) : 0;
    return order ? order : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

static gate_term gate_term_of(const gate_explanation *g, cau_str name, uint32_t row)
{
    gate_term t = {.name = name, .weight = g->pool->gate.weight + row * g->pool->pool.J};
    float least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < g->count; i++) {
        least = fminf(least, t.weight[g->member[i]]);
        most = fmaxf(most, t.weight[g->member[i]]);
    }
    t.range = (double)most - (double)least;
    return t;
}

/* Computes the weights of the components, g->mixing, and adds the features that determine them. */
static caucus_status add_gate(caucus_ctx *ctx, gate_explanation *g, cau_tree *tree)
{
    const explanation *why = g->why; /* the features are the same for all components */
    cau_gate_work work = {0};
    caucus_status st = CAUCUS_OK;
    size_t n = 0;
    gate_term *terms = cau_calloc(why->known, sizeof *terms);
    uint32_t *row = cau_calloc(why->known, sizeof *row);
    if (!terms || !row) TRY(cau_fail_memory(ctx, "the features of the line"));
    for (size_t i = 0; i < why->known; i++) {
        const term *t = &why->terms[i];
        if (t->value == 0) continue;
        row[n] = why->scorer.row[t->id];
        terms[n] = gate_term_of(g, term_name(why, t), row[n]);
        n++;
    }
    (void)cau_gate_mixing(&work, g->pool, n, row, NULL, true, g->mixing);
    if (n) qsort(terms, n, sizeof *terms, compare_gate_terms);
    cau_tree_array(tree, "gate");
    for (size_t i = 0; i < n; i++) {
        double weight[CAU_MEMBERS_MOST];
        for (size_t c = 0; c < g->count; c++) weight[c] = (double)terms[i].weight[g->member[c]];
        cau_tree_record(tree, NULL, {"feature", cau_json_text(terms[i].name)},
                        {"weights", cau_json_numbers(weight, g->count)});
    }
    cau_tree_end(tree);
done:
    free(terms);
    free(row);
    return st;
}

/* Adds the best classes of the pool, by p(y|x) = sum_c p(c|x) p_c(y|x). */
static caucus_status add_pool_classes(caucus_ctx *ctx, const gate_explanation *g, cau_tree *tree)
{
    const size_t Y = g->pool->Y, shown = Y < CLASSES_SHOWN ? Y : CLASSES_SHOWN;
    uint32_t best[CLASSES_SHOWN];
    double *p = cau_calloc(Y, sizeof *p);
    if (!p) return cau_fail_memory(ctx, "the scores of the line");
    for (size_t c = 0; c < g->count; c++)
        for (size_t y = 0; y < Y; y++) p[y] += g->mixing[g->member[c]] * g->why[c].p[y];
    cau_best_classes(p, Y, shown, best);
    cau_tree_array(tree, "classes");
    for (size_t i = 0; i < shown; i++) {
        double part[CAU_MEMBERS_MOST];
        for (size_t c = 0; c < g->count; c++) part[c] = g->why[c].p[best[i]];
        cau_tree_record(tree, NULL, {"label", cau_json_string(cau_model_label(g->pool, best[i]))},
                        {"probability", cau_json_number(p[best[i]])},
                        {"components", cau_json_numbers(part, g->count)});
    }
    cau_tree_end(tree);
    free(p);
    return CAUCUS_OK;
}

static void add_component(const gate_explanation *g, size_t c, cau_tree *tree)
{
    const caucus_model *pool = g->pool;
    const size_t j = g->member[c];
    const bool general = j + 1 == pool->pool.J;
    cau_tree_object(tree, NULL);
    add_explanation(&g->why[c], tree);
    cau_tree_expert_name(tree, pool, j);
    cau_tree_fields(tree, {"domain", cau_json_count(general ? 0 : j + 1)},
                    {"prior", cau_json_number(log(pool->pool.alpha[j]))},
                    {"base", cau_json_number(pool->gate.base[j])},
                    {"probability", cau_json_number(g->mixing[j])});
    cau_tree_end(tree);
}

static caucus_status explain_gate(caucus_ctx *ctx, const caucus_model *pool,
                                  const cau_read_options *read, const char *line, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = pool->pool.J;
    gate_explanation g = {.pool = pool};
    g.why = cau_calloc(J, sizeof *g.why);
    g.member = cau_calloc(J, sizeof *g.member);
    if (!g.why || !g.member) TRY(cau_fail_memory(ctx, "the scores of the line"));
    for (size_t j = 0; j < J; j++) {
        if (cau_is_silent(pool, j)) continue;
        const caucus_model member = cau_voter(pool, j);
        g.member[g.count++] = j;
        TRY(explain_line(ctx, &member, read, line, &g.why[g.count - 1]));
    }
    cau_tree_text(tree, "gold", g.why->gold);
    TRY(add_gate(ctx, &g, tree));
    TRY(add_pool_classes(ctx, &g, tree));
    cau_tree_array(tree, "components");
    for (size_t c = 0; c < g.count; c++) add_component(&g, c, tree);
    cau_tree_end(tree);
done:
    for (size_t c = 0; g.why && c < g.count; c++) clear_explanation(&g.why[c]);
    free(g.why);
    free(g.member);
    return st;
}

caucus_status cau_explain(caucus_ctx *ctx, const caucus_model *model, const cau_read_options *read,
                          const char *line, cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    explanation e = {0};
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "format", 1);
    if (model->gate.base) {
        TRY(explain_gate(ctx, model, read, line, tree));
    } else {
        TRY(explain_line(ctx, model, read, line, &e));
        cau_tree_text(tree, "gold", e.gold);
        add_explanation(&e, tree);
    }
    cau_tree_end(tree);
done:
    clear_explanation(&e);
    return st;
}

/* ---- as text ------------------------------------------------------------------------- */

/* A row of numbers under the key of the other rows of a table, and in its last column their
 * difference, unless that is NAN. */
static void add_row(cau_text_table *table, const char *name, const char *key, const double *x,
                    size_t n, double difference)
{
    cau_tree row = {0};
    cau_tree_object(&row, NULL);
    cau_tree_numbers(&row, key, x, n);
    if (!isnan(difference)) cau_tree_number(&row, "separates", difference);
    cau_tree_end(&row);
    if (row.failed) table->out->text.failed = true;
    cau_text_table_row(table, name, row.root);
    cau_tree_clear(&row);
}

/* The row of a number that each class has. */
static void add_class_row(cau_text_table *table, const char *name, const json_t *classes,
                          const char *key, bool difference)
{
    double x[CLASSES_SHOWN];
    const size_t n = json_array_size(classes);
    for (size_t c = 0; c < n; c++) x[c] = cau_number_at(json_array_get(classes, c), key);
    add_row(table, name, "contributions", x, n, difference && n > 1 ? x[0] - x[1] : NAN);
}

/* The explanation by one table of weights. */
static void print_terms(cau_writer *out, const json_t *node)
{
    const json_t *classes = cau_at(node, "classes"), *unknown = cau_at(node, "unknown");
    const size_t n = json_array_size(classes);
    cau_column columns[CLASSES_SHOWN + 3] = {{"feature", "<{feature}"}, {"value", "{value:.6f}"}};
    cau_strbuf heading[CLASSES_SHOWN] = {{0}};
    char cell[CLASSES_SHOWN][32];
    for (size_t c = 0; c < n; c++) {
        const char *label = json_string_value(cau_at(json_array_get(classes, c), "label"));
        cau_strbuf_escape(&heading[c], cau_str_of(label));
        if (heading[c].failed) out->text.failed = true;
        snprintf(cell[c], sizeof cell[c], "{contributions.%zu:.6f}", c);
        columns[c + 2] = (cau_column){heading[c].s ? heading[c].s : "", cell[c]};
    }
    columns[n + 2] = (cau_column){"1st - 2nd", "{separates:.6f}"};
    cau_text_table table = cau_text_table_begin(out, columns, n + (n > 1 ? 3 : 2));
    cau_text_table_rows(&table, cau_at(node, "features"));
    if (!json_is_null(cau_at(node, "classes.0.default")))
        add_class_row(&table, CAU_DEFAULT_NAME, classes, "default", true);
    add_class_row(&table, "score", classes, "score", true);
    add_class_row(&table, "probability", classes, "probability", false);
    cau_text_table_end(&table);
    for (size_t c = 0; c < n; c++) cau_strbuf_clear(&heading[c]);

    if (json_array_size(unknown)) cau_print(out, node, "\nnot in the model:\n");
    for (size_t i = 0; i < json_array_size(unknown); i++)
        cau_print(out, json_array_get(unknown, i), "{}\n");
    if (json_is_true(cau_at(node, "alone")))
        cau_print(
            out, node,
            "\nthe line is read as a sequence of its own, without neighbours and transitions\n");
}

/* The tables of the gate: the parts of the log odds of components, and the probabilities that
 * these give to classes. */
static void print_gate(cau_writer *out, const json_t *root)
{
    static const struct {
        const char *key, *name;
    } rows[] = {{"base", "(no feature)"}, {"prior", "(prior)"}, {"probability", "probability"}};
    const json_t *components = cau_at(root, "components");
    const size_t n = json_array_size(components);
    cau_column odds[CAU_MEMBERS_MOST + 1] = {{"feature", "<{feature}"}};
    cau_column classes[CAU_MEMBERS_MOST + 2] = {{"class", "<{label}"}};
    char title[CAU_MEMBERS_MOST][32], cell[CAU_MEMBERS_MOST][2][32];
    for (size_t c = 0; c < n; c++) {
        const uint64_t domain = cau_count_at(json_array_get(components, c), "domain");
        snprintf(title[c], sizeof title[c], "domain %zu", (size_t)domain);
        snprintf(cell[c][0], sizeof cell[c][0], "{weights.%zu:.6f}", c);
        snprintf(cell[c][1], sizeof cell[c][1], "{components.%zu:.6f}", c);
        odds[c + 1] = (cau_column){domain ? title[c] : "general", cell[c][0]};
        classes[c + 1] = (cau_column){odds[c + 1].heading, cell[c][1]};
    }
    classes[n + 1] = (cau_column){"together", "{probability:.6f}"};
    cau_text_table table = cau_text_table_begin(out, odds, n + 1);
    cau_text_table_rows(&table, cau_at(root, "gate"));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double x[CAU_MEMBERS_MOST];
        for (size_t c = 0; c < n; c++)
            x[c] = cau_number_at(json_array_get(components, c), rows[r].key);
        add_row(&table, rows[r].name, "weights", x, n, NAN);
    }
    cau_text_table_end(&table);
    cau_print(out, root, "\n");
    cau_print_table(out, classes, n + 2, cau_at(root, "classes"));
}

void cau_print_explanation(cau_writer *out, const json_t *root)
{
    const json_t *components = cau_at(root, "components");
    if (components)
        print_gate(out, root);
    else
        print_terms(out, root);
    for (size_t c = 0; c < json_array_size(components); c++) {
        const json_t *component = json_array_get(components, c);
        cau_print(out, component, "\n");
        cau_print_component(out, cau_count_at(component, "domain"), component);
        cau_print(out, component, "\n");
        print_terms(out, component);
    }
}
