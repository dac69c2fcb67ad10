/* explain_gate.c - why a gated pool decides as it does: first who has how much say, then what each
 * of those says.
 *
 * The log odds of a component are a sum, as scores are: log alpha_j for what is known before the
 * line is seen, base_j for a line in which no feature is, and what each feature that is there adds.
 * Features are shown by how far these are apart, the farthest first. Then p(y|x) of each component
 * and of the pool, and for each component the table of explain.c. Components that have no say at
 * all (those of other domains) are left out.
 *
 * As JSON:
 *     {"format": 1, "gold": LABEL or null,
 *      "classes": [best first: {"label": LABEL, "probability": p}, ...],
 *      "gate": [{"feature": NAME, "weights": [one for each component below]}, ...],
 *      "components": [{"name": NAME or null, "prior": log alpha, "base": b, "say": p(it | x),
 *                      and what explain.c says of it, without "format" and "gold"}, ...]} */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "infer/decode.h"
#include "inspect/explain.h"
#include "inspect/pool_view.h"
#include "inspect/views.h"

enum {
    DECIMALS = 6,
    NUMBER_WIDTH = 12,
    NAME_WIDTH_MAX = 40,
};

/* Somebody with a say. */
typedef struct {
    size_t j; /* among the members */
    cau_str name;
    caucus_model model; /* a view */
    cau_explanation why;
} component;

/* A feature that the gate knows. */
typedef struct {
    cau_str name;
    const float *weight; /* [J] */
    double apart;        /* the largest difference of these */
} clue;

typedef struct {
    const caucus_model *model;
    component *component; /* [count] */
    size_t count;
    double say[CAU_MEMBERS_MOST];
    clue *clue; /* [clues] */
    size_t clues;
    uint32_t *row;  /* [clues] */
    double *p;      /* [Y] of the pool */
    uint32_t *best; /* [shown] classes */
    size_t shown;
    cau_arena arena; /* of the names */
} verdict;

/* ---- computing ----------------------------------------------------------------------- */

/* The farthest apart first, then by name. */
static int compare_clues(const void *a, const void *b)
{
    const clue *x = a, *y = b;
    if (x->apart != y->apart) return x->apart > y->apart ? -1 : 1;
    const size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
    const int order = n ? memcmp(x->name.s, y->name.s, n) : 0;
    return order ? order : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

static clue clue_of(const verdict *v, cau_str name, uint32_t row)
{
    clue c = {.name = name, .weight = v->model->gate.weight + row * v->model->pool.J};
    float least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < v->count; i++) {
        least = fminf(least, c.weight[v->component[i].j]);
        most = fmaxf(most, c.weight[v->component[i].j]);
    }
    c.apart = (double)most - (double)least;
    return c;
}

/* Who has how much say, and by which features. */
static caucus_status open_gate(caucus_ctx *ctx, verdict *v)
{
    cau_gate_work work = {0};
    const cau_explanation *why = &v->component->why; /* names are the same for all */
    v->clue = cau_calloc(why->known, sizeof *v->clue);
    v->row = cau_calloc(why->known, sizeof *v->row);
    if (!v->clue || !v->row) return cau_fail_memory(ctx, "the features of the line");
    for (size_t i = 0; i < why->known; i++) {
        const uint32_t id = why->terms[i].id, row = why->scorer.row[id];
        if (why->terms[i].value == 0) continue;
        v->row[v->clues] = row;
        v->clue[v->clues++] = clue_of(v, cau_alphabet_name(why->scorer.names, id), row);
    }
    (void)cau_gate_say(&work, v->model, v->clues, v->row, NULL, true, v->say);
    if (v->clues) qsort(v->clue, v->clues, sizeof *v->clue, compare_clues);
    return CAUCUS_OK;
}

static caucus_status find_components(caucus_ctx *ctx, verdict *v, const cau_read_options *read,
                                     const char *line)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->model->pool.J;
    v->component = cau_calloc(J, sizeof *v->component);
    if (!v->component) TRY(cau_fail_memory(ctx, "the scores of the line"));
    for (size_t j = 0; j < J; j++) {
        char key[64];
        if (cau_is_silent(v->model, j)) continue;
        component *c = &v->component[v->count++];
        c->j = j;
        c->model = cau_voter(v->model, j);
        snprintf(key, sizeof key, "domain.%zu.name", j + 1);
        TRY(cau_info_name(ctx, v->model, key, &v->arena, &c->name));
        if (j == J - 1) c->name = CAU_STR("general");
        TRY(cau_explanation_make(ctx, &c->model, read, line, &c->why));
    }
done:
    return st;
}

static caucus_status decide(caucus_ctx *ctx, verdict *v)
{
    const size_t Y = v->model->Y;
    v->shown = Y < CAU_EXPLAINED ? Y : CAU_EXPLAINED;
    v->p = cau_calloc(Y, sizeof *v->p);
    v->best = cau_calloc(v->shown, sizeof *v->best);
    if (!v->p || !v->best) return cau_fail_memory(ctx, "the scores of the line");
    for (size_t i = 0; i < v->count; i++)
        for (size_t y = 0; y < Y; y++)
            v->p[y] += v->say[v->component[i].j] * v->component[i].why.p[y];
    cau_best_classes(v->p, Y, v->shown, v->best);
    return CAUCUS_OK;
}

static cau_str class_label(const verdict *v, size_t i)
{
    const char *label = cau_model_label(v->model, v->best[i]);
    return (cau_str){label, strlen(label)};
}

static double prior_of(const verdict *v, const component *c)
{
    return log(v->model->pool.alpha[c->j]);
}

/* ---- as text ------------------------------------------------------------------------- */

/* "general", or "domain 1". */
static void write_title(const verdict *v, const component *c, char *out, size_t room)
{
    if (c->j == v->model->pool.J - 1)
        snprintf(out, room, "general");
    else
        snprintf(out, room, "domain %zu", c->j + 1);
}

static void add_titles(const verdict *v, cau_str first, size_t width, cau_writer *sheet)
{
    cau_writer_left(sheet, first, width);
    for (size_t i = 0; i < v->count; i++) {
        char title[32];
        write_title(v, &v->component[i], title, sizeof title);
        cau_writer_right(sheet, (cau_str){title, strlen(title)}, NUMBER_WIDTH);
    }
}

static size_t widest(const verdict *v)
{
    size_t width = NUMBER_WIDTH;
    for (size_t i = 0; i < v->clues; i++) {
        const size_t w = cau_text_width(v->clue[i].name);
        if (w > width) width = w < NAME_WIDTH_MAX ? w : NAME_WIDTH_MAX;
    }
    return width;
}

static caucus_status add_gate(const verdict *v, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    const size_t width = widest(v);
    add_titles(v, CAU_STR("feature"), width, sheet);
    for (size_t i = 0; i < v->clues; i++) {
        cau_strbuf_add(&sheet->text, "\n", 1);
        cau_writer_left(sheet, v->clue[i].name, width);
        for (size_t c = 0; c < v->count; c++)
            cau_writer_number(sheet, (double)v->clue[i].weight[v->component[c].j], DECIMALS,
                              NUMBER_WIDTH);
        TRY(cau_writer_flush(sheet, false));
    }
    static const char *const rows[] = {"(no feature)", "(prior)", "say"};
    for (size_t r = 0; r < 3; r++) {
        cau_strbuf_add(&sheet->text, "\n", 1);
        cau_writer_left(sheet, (cau_str){rows[r], strlen(rows[r])}, width);
        for (size_t i = 0; i < v->count; i++) {
            const component *c = &v->component[i];
            const double x[] = {v->model->gate.base[c->j], prior_of(v, c), v->say[c->j]};
            cau_writer_number(sheet, x[r], DECIMALS, NUMBER_WIDTH);
        }
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}

static void add_classes(const verdict *v, cau_writer *sheet)
{
    size_t width = NUMBER_WIDTH;
    for (size_t i = 0; i < v->shown; i++) {
        const size_t w = cau_text_width(class_label(v, i));
        if (w > width) width = w < NAME_WIDTH_MAX ? w : NAME_WIDTH_MAX;
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
    add_titles(v, CAU_STR("class"), width, sheet);
    cau_writer_right(sheet, CAU_STR("together"), NUMBER_WIDTH);
    cau_strbuf_add(&sheet->text, "\n", 1);
    for (size_t i = 0; i < v->shown; i++) {
        cau_writer_left(sheet, class_label(v, i), width);
        for (size_t c = 0; c < v->count; c++)
            cau_writer_number(sheet, v->component[c].why.p[v->best[i]], DECIMALS, NUMBER_WIDTH);
        cau_writer_number(sheet, v->p[v->best[i]], DECIMALS, NUMBER_WIDTH);
        cau_strbuf_add(&sheet->text, "\n", 1);
    }
}

static caucus_status write_text(const verdict *v, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    TRY(add_gate(v, sheet));
    add_classes(v, sheet);
    for (size_t i = 0; i < v->count; i++) {
        const component *c = &v->component[i];
        char title[32];
        write_title(v, c, title, sizeof title);
        cau_strbuf_printf(&sheet->text, "\n%s", title);
        if (c->name.s && c->j < v->model->pool.J - 1) {
            cau_strbuf_add(&sheet->text, ", ", 2);
            cau_writer_left(sheet, c->name, 0);
        }
        cau_strbuf_add(&sheet->text, "\n", 1);
        TRY(cau_explanation_text(&c->why, sheet));
    }
done:
    return st;
}

/* ---- as JSON ------------------------------------------------------------------------- */

static json_t *json_component(const verdict *v, const component *c, cau_writer *sheet)
{
    json_t *object = json_object();
    cau_explanation_json(&c->why, sheet, object);
    if (object) (void)json_object_del(object, "gold");
    cau_writer_put(sheet, object, "name", c->name.s ? cau_writer_string(c->name) : json_null());
    cau_writer_put(sheet, object, "prior", json_real(prior_of(v, c)));
    cau_writer_put(sheet, object, "base", json_real(v->model->gate.base[c->j]));
    cau_writer_put(sheet, object, "say", json_real(v->say[c->j]));
    return object;
}

static json_t *json_clue(const verdict *v, const clue *of, cau_writer *sheet)
{
    json_t *object = json_object(), *weights = json_array();
    for (size_t i = 0; i < v->count; i++)
        cau_writer_push(sheet, weights, json_real((double)of->weight[v->component[i].j]));
    cau_writer_put(sheet, object, "feature", cau_writer_string(of->name));
    cau_writer_put(sheet, object, "weights", weights);
    return object;
}

static void write_json(const verdict *v, cau_writer *sheet)
{
    const cau_str gold = v->component->why.gold;
    json_t *root = json_object(), *classes = json_array();
    json_t *gate = json_array(), *components = json_array();
    for (size_t i = 0; i < v->shown; i++) {
        json_t *class = json_object();
        cau_writer_put(sheet, class, "label", cau_writer_string(class_label(v, i)));
        cau_writer_put(sheet, class, "probability", json_real(v->p[v->best[i]]));
        cau_writer_push(sheet, classes, class);
    }
    for (size_t i = 0; i < v->clues; i++)
        cau_writer_push(sheet, gate, json_clue(v, &v->clue[i], sheet));
    for (size_t i = 0; i < v->count; i++)
        cau_writer_push(sheet, components, json_component(v, &v->component[i], sheet));
    cau_writer_put(sheet, root, "format", json_integer(1));
    cau_writer_put(sheet, root, "gold", gold.s ? cau_writer_string(gold) : json_null());
    cau_writer_put(sheet, root, "classes", classes);
    cau_writer_put(sheet, root, "gate", gate);
    cau_writer_put(sheet, root, "components", components);
    cau_writer_json(sheet, root, false);
    cau_strbuf_add(&sheet->text, "\n", 1);
}

caucus_status cau_explain_gate(const caucus_model *model, const cau_read_options *read,
                               const char *line, bool json, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    verdict v = {.model = model};
    TRY(find_components(sheet->ctx, &v, read, line));
    TRY(open_gate(sheet->ctx, &v));
    TRY(decide(sheet->ctx, &v));
    if (json)
        write_json(&v, sheet);
    else
        TRY(write_text(&v, sheet));
done:
    for (size_t i = 0; i < v.count; i++) cau_explanation_clear(&v.component[i].why);
    free(v.component);
    free(v.clue);
    free(v.row);
    free(v.p);
    free(v.best);
    cau_arena_clear(&v.arena);
    return st;
}
