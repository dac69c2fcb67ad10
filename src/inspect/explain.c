/* explain.c - what each feature of one line adds to the scores.
 *
 * The score of a class is a sum, s_y = b_y + sum_k f_k(x) w_ky, so a decision is explained by its
 * terms. They are shown for the best classes, features first that separate the best class
 * from the second best, |f_k (w_k,best - w_k,second)|, by the most. Features that the model does
 * not know add nothing and are named at the end.
 *
 * For a model of sequences, and for a template, the line is a sequence of its own: it has no
 * neighbours, and no transition leads to it. The answer says so.
 *
 * In a stack what the member answers is a feature of the line like all others. Gated pools, where
 * several tables have a say, are in explain_gate.c.
 *
 * As JSON:
 *     {"format": 1, "gold": LABEL or null, "classes": [best first:
 *        {"label": LABEL, "score": s, "probability": p, "default": b or null}, ...],
 *      "features": [{"feature": NAME, "value": f, "contributions": [one for each class above],
 *        "separates": difference of the first two}, ...],
 *      "unknown": [NAME, ...], "alone": whether the line was taken as a sequence of its own}
 * In the explicit form of megam a feature may have another value for each class, and "value" is
 * left out. */

#include "inspect/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "infer/decode.h"
#include "inspect/views.h"
#include "math/kernels.h"

enum {
    DECIMALS = 6,
    NUMBER_WIDTH = 12,
    NAME_WIDTH_MAX = 40,
};

#define LINE_NAME "the line" /* stands for the file in messages */

typedef cau_explanation explanation;
typedef cau_term term;

/* ---- computing ----------------------------------------------------------------------- */

/* Known before unknown, then by how much they separate, then as in the line. */
static int compare_terms(const void *a, const void *b)
{
    const term *x = a, *y = b;
    if (x->known != y->known) return x->known ? -1 : 1;
    double u = fabs(x->separates), v = fabs(y->separates);
    if (u != v) return u > v ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* The one instance of the line. */
static caucus_status read_line(caucus_ctx *ctx, explanation *e, const cau_read_options *read,
                               const char *line, cau_instance *instance)
{
    cau_str bytes = {line, strcspn(line, "\n")};
    if (line[bytes.n] && line[bytes.n + 1])
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--explain: several lines; give one of them");
    cau_read_event event = CAU_READ_END;
    caucus_status st = cau_reader_memory(ctx, LINE_NAME, bytes, read,
                                         cau_scorer_vocabulary(&e->scorer), &e->reader);
    if (!st) st = cau_reader_next(ctx, e->reader, &event, instance);
    if (!st && event != CAU_READ_INSTANCE)
        st = cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                      "--explain: the line has no features; give one as in the data");
    return st;
}

/* part_c += f w_kc for each class c that is shown; in the explicit form, the features of group
 * g belong to class g alone. */
static void add_parts(explanation *e, const cau_instance *x)
{
    const caucus_model *m = e->model;
    bool apart = m->nodes.width != m->Y;
    for (size_t g = 0; g < x->groups; g++)
        for (size_t i = x->start[g]; i < x->start[g + 1]; i++) {
            term *t = &e->terms[x->id[i]];
            uint32_t k = e->scorer.row[x->id[i]];
            t->value = x->value ? (double)x->value[i] : 1;
            t->known = k != CAU_UNKNOWN;
            for (size_t c = 0; t->known && c < e->shown; c++) {
                if (apart && e->best[c] != g) continue;
                t->part[c] += t->value * cau_model_weight(&m->nodes, k, apart ? 0 : e->best[c]);
            }
        }
}

/* The label that the member of a stack gives the line. e->p is overwritten. */
static size_t ask_member(explanation *e, const cau_instance *x)
{
    const caucus_model member = cau_voter(e->model, 0);
    for (size_t y = 0; y < e->model->Y; y++) e->p[y] = member.bias ? (double)member.bias[y] : 0;
    for (size_t i = 0; i < x->start[1]; i++) {
        const uint32_t k = e->scorer.row[x->id[i]];
        const float value = x->value ? x->value[i] : 1;
        if (k != CAU_UNKNOWN) cau_model_add(&member.nodes, 1, &k, &value, e->p);
    }
    return cau_best_class(e->p, e->model->Y);
}

/* What the member of a stack answers, as a feature with a name, and in the scores. */
static caucus_status add_stacked(caucus_ctx *ctx, explanation *e, const cau_instance *x)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf name = {0};
    e->stacked = cau_stack_row(e->model, ask_member(e, x), &name);
    TRY(cau_strbuf_status(ctx, &name));
    e->answer = cau_alphabet_add(e->scorer.names, name.s, name.n);
    if (e->answer == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the features of the line"));
    if (e->stacked != CAU_UNKNOWN) cau_model_add(&e->model->nodes, 1, &e->stacked, NULL, e->s);
done:
    cau_strbuf_clear(&name);
    return st;
}

/* The part of that feature, which the line may have by itself as well. */
static void add_stacked_part(explanation *e)
{
    term *t = &e->terms[e->answer];
    t->value += 1;
    t->known = e->stacked != CAU_UNKNOWN;
    for (size_t c = 0; t->known && c < e->shown; c++)
        t->part[c] += cau_model_weight(&e->model->nodes, e->stacked, e->best[c]);
}

static caucus_status compute(caucus_ctx *ctx, explanation *e, const cau_instance *x)
{
    size_t Y = e->model->Y;
    const bool stack = cau_stacked(e->model) && e->model->nodes.width == Y;
    caucus_status st = cau_scorer_scores(ctx, &e->scorer, e->reader, x, e->s);
    if (!st && stack) st = add_stacked(ctx, e, x);
    if (st) return st;
    e->gold = x->label;
    e->count = cau_alphabet_size(e->scorer.names);
    e->terms = cau_calloc(e->count, sizeof *e->terms);
    if (!e->terms) return cau_fail_memory(ctx, "the features of the line");

    double logz;
    memcpy(e->p, e->s, Y * sizeof *e->p);
    cau_kernels_get()->softmax(1, Y, e->p, &logz);
    e->shown = Y < CAU_EXPLAINED ? Y : CAU_EXPLAINED;
    cau_best_classes(e->s, Y, e->shown, e->best);
    add_parts(e, x);
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

/* ---- writing ------------------------------------------------------------------------- */

/* Whether in a file there would be lines before and after. */
static bool alone(const explanation *e)
{
    return e->model->kind != CAU_KIND_MAXENT || cau_reader_format(e->reader) == CAU_FORMAT_COLUMNS;
}

static cau_str term_name(const explanation *e, const term *t)
{
    return cau_alphabet_name(e->scorer.names, t->id);
}

static cau_str class_label(const explanation *e, size_t c)
{
    const char *label = cau_model_label(e->model, e->best[c]);
    return (cau_str){label, strlen(label)};
}

static double default_weight(const explanation *e, size_t c)
{
    return e->model->bias ? (double)e->model->bias[e->best[c]] : 0;
}

/* Widths of the columns of the table: names, and each class. */
typedef struct {
    size_t name, value, class[CAU_EXPLAINED];
} columns;

static columns measure(const explanation *e)
{
    columns w = {.name = strlen("probability"), .value = NUMBER_WIDTH};
    if (e->model->nodes.width != e->model->Y) w.value = 0;
    for (size_t i = 0; i < e->known; i++) {
        size_t width = cau_text_width(term_name(e, &e->terms[i]));
        if (width > NAME_WIDTH_MAX) width = NAME_WIDTH_MAX;
        if (width > w.name) w.name = width;
    }
    for (size_t c = 0; c < e->shown; c++) {
        size_t width = cau_text_width(class_label(e, c)) + 2;
        w.class[c] = width > NUMBER_WIDTH ? width : NUMBER_WIDTH;
    }
    return w;
}

/* A row: a name, the value of a feature if it has one, a number for each class, and the
 * difference of the first two. */
static void add_row(cau_writer *sheet, const explanation *e, const columns *w, cau_str name,
                    const double *value, const double *number, bool difference)
{
    cau_writer_left(sheet, name, w->name);
    if (value && w->value)
        cau_writer_number(sheet, *value, DECIMALS, w->value);
    else
        cau_writer_right(sheet, (cau_str){"", 0}, w->value);
    for (size_t c = 0; c < e->shown; c++)
        cau_writer_number(sheet, number[c], DECIMALS, w->class[c]);
    if (difference && e->shown > 1)
        cau_writer_number(sheet, number[0] - number[1], DECIMALS, NUMBER_WIDTH + 2);
    cau_strbuf_add(&sheet->text, "\n", 1);
}

caucus_status cau_explanation_text(const explanation *e, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    columns w = measure(e);
    double bias[CAU_EXPLAINED], score[CAU_EXPLAINED], probability[CAU_EXPLAINED];
    for (size_t c = 0; c < e->shown; c++) {
        bias[c] = default_weight(e, c);
        score[c] = e->s[e->best[c]];
        probability[c] = e->p[e->best[c]];
    }

    cau_writer_left(sheet, CAU_STR("feature"), w.name);
    cau_writer_right(sheet, w.value ? CAU_STR("value") : CAU_STR(""), w.value);
    for (size_t c = 0; c < e->shown; c++) cau_writer_right(sheet, class_label(e, c), w.class[c]);
    if (e->shown > 1) cau_writer_right(sheet, CAU_STR("1st - 2nd"), NUMBER_WIDTH + 2);
    cau_strbuf_add(&sheet->text, "\n", 1);
    for (size_t i = 0; i < e->known; i++) {
        const term *t = &e->terms[i];
        add_row(sheet, e, &w, term_name(e, t), &t->value, t->part, true);
        TRY(cau_writer_flush(sheet, false));
    }
    if (e->model->bias) add_row(sheet, e, &w, CAU_STR(CAU_DEFAULT_NAME), NULL, bias, true);
    add_row(sheet, e, &w, CAU_STR("score"), NULL, score, true);
    add_row(sheet, e, &w, CAU_STR("probability"), NULL, probability, false);

    if (e->known < e->count) cau_strbuf_printf(&sheet->text, "\nnot in the model:\n");
    for (size_t i = e->known; i < e->count; i++) {
        cau_writer_left(sheet, term_name(e, &e->terms[i]), 0);
        cau_strbuf_add(&sheet->text, "\n", 1);
        TRY(cau_writer_flush(sheet, false));
    }
    if (alone(e))
        cau_strbuf_printf(&sheet->text,
                          "\nthe line as a sequence of its own: without neighbours and "
                          "transitions\n");
done:
    return st;
}

static json_t *json_classes(const explanation *e, cau_writer *sheet)
{
    json_t *classes = json_array();
    for (size_t c = 0; c < e->shown; c++) {
        json_t *class = json_object();
        cau_writer_put(sheet, class, "label", cau_writer_string(class_label(e, c)));
        cau_writer_put(sheet, class, "score", json_real(e->s[e->best[c]]));
        cau_writer_put(sheet, class, "probability", json_real(e->p[e->best[c]]));
        cau_writer_put(sheet, class, "default",
                       e->model->bias ? json_real(default_weight(e, c)) : json_null());
        cau_writer_push(sheet, classes, class);
    }
    return classes;
}

static json_t *json_feature(const explanation *e, const term *t, cau_writer *sheet)
{
    json_t *feature = json_object(), *parts = json_array();
    for (size_t c = 0; c < e->shown; c++) cau_writer_push(sheet, parts, json_real(t->part[c]));
    cau_writer_put(sheet, feature, "feature", cau_writer_string(term_name(e, t)));
    if (e->model->nodes.width == e->model->Y)
        cau_writer_put(sheet, feature, "value", json_real(t->value));
    cau_writer_put(sheet, feature, "contributions", parts);
    cau_writer_put(sheet, feature, "separates", json_real(t->separates));
    return feature;
}

void cau_explanation_json(const explanation *e, cau_writer *sheet, json_t *root)
{
    json_t *features = json_array(), *unknown = json_array();
    for (size_t i = 0; i < e->known; i++)
        cau_writer_push(sheet, features, json_feature(e, &e->terms[i], sheet));
    for (size_t i = e->known; i < e->count; i++)
        cau_writer_push(sheet, unknown, cau_writer_string(term_name(e, &e->terms[i])));
    cau_writer_put(sheet, root, "gold", e->gold.s ? cau_writer_string(e->gold) : json_null());
    cau_writer_put(sheet, root, "classes", json_classes(e, sheet));
    cau_writer_put(sheet, root, "features", features);
    cau_writer_put(sheet, root, "unknown", unknown);
    cau_writer_put(sheet, root, "alone", json_boolean(alone(e)));
}

caucus_status cau_explanation_make(caucus_ctx *ctx, const caucus_model *model,
                                   const cau_read_options *read, const char *line, explanation *e)
{
    caucus_status st = CAUCUS_OK;
    cau_instance instance;
    e->model = model;
    e->s = cau_vector(model->Y, sizeof *e->s);
    e->p = cau_vector(model->Y, sizeof *e->p);
    if (!e->s || !e->p) TRY(cau_fail_memory(ctx, "the scores of the line"));
    TRY(cau_scorer_init(ctx, &e->scorer, model, true));
    TRY(read_line(ctx, e, read, line, &instance));
    TRY(compute(ctx, e, &instance));
done:
    return st;
}

void cau_explanation_clear(explanation *e)
{
    cau_reader_free(e->reader);
    cau_scorer_clear(&e->scorer);
    free(e->terms);
    free(e->s);
    free(e->p);
    *e = (explanation){0};
}

caucus_status cau_explain(const caucus_model *model, const cau_read_options *read, const char *line,
                          bool json, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    explanation e = {0};
    TRY(cau_explanation_make(sheet->ctx, model, read, line, &e));
    if (json) {
        json_t *root = json_object();
        cau_writer_put(sheet, root, "format", json_integer(1));
        cau_explanation_json(&e, sheet, root);
        cau_writer_json(sheet, root, false);
        cau_strbuf_add(&sheet->text, "\n", 1);
    } else {
        TRY(cau_explanation_text(&e, sheet));
    }
done:
    cau_explanation_clear(&e);
    return st;
}
