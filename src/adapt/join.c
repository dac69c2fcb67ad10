/* join.c - see join.h.
 *
 * The parts of the result are woven from those of the models, its voices. A row of the woven table
 * lists the cells for which any voice has a weight, in the numbers of the labels of the whole; each
 * voice then has a vector of weights over that one table, as model/build.c wants it. Rows are made
 * one after the other, with a note for each cell of where it stands in the row at hand, so time is
 * in the number of weights, and in the number of names, which are looked up. */

#include "adapt/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum {
    VOICES = 1 + CAU_MEMBERS_MOST,
    LABELS_MAX = 32767, /* of a chain: pairs of them are numbered in 32 bits */
};

typedef struct {
    const caucus_model *model;
    cau_str suffix;  /* behind a name of the whole, it is a name of this model */
    uint32_t *label; /* [Y of the model] its labels in the numbers of the whole */
} voice;

/* Nodes or edges. */
typedef struct {
    bool edge;
    cau_alphabet *names; /* of all rows */
    size_t width;
    cau_table table;
    size_t cell_room;
    double *w[VOICES]; /* [cau_table_size(table)] */
} weave;

typedef struct {
    caucus_ctx *ctx;
    size_t V, Y;
    voice voice[VOICES];
    cau_alphabet *labels;
    weave nodes, edges;
    double *plain[VOICES], *bias[VOICES]; /* [Y][Y], [Y]; all NULL where there are none */
    double *sum[4];                       /* of nodes, edges, plain, bias */
    cau_strbuf info;
} join;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the joined model");
}

static void clear_weave(weave *v)
{
    cau_alphabet_free(v->names);
    free(v->table.start);
    free(v->table.cell);
    for (size_t i = 0; i < VOICES; i++) free(v->w[i]);
}

static void clear(join *j)
{
    for (size_t v = 0; v < VOICES; v++) {
        free(j->voice[v].label);
        free(j->plain[v]);
        free(j->bias[v]);
    }
    for (size_t i = 0; i < 4; i++) free(j->sum[i]);
    cau_alphabet_free(j->labels);
    clear_weave(&j->nodes);
    clear_weave(&j->edges);
    cau_strbuf_clear(&j->info);
}

/* ---- names and labels ------------------------------------------------------------------------ */

static const cau_observations *part_of(const caucus_model *m, bool edge)
{
    return edge ? &m->edges : &m->nodes;
}

/* Adds the names that a model has. */
static caucus_status add_names(caucus_ctx *ctx, const cau_observations *of, cau_alphabet *names)
{
    for (size_t k = 0; k < of->K; k++) {
        const cau_str name = cau_model_name(of, k);
        if (cau_alphabet_add(names, name.s, name.n) == CAU_UNKNOWN) return no_memory(ctx);
    }
    return CAUCUS_OK;
}

static caucus_status add_labels(join *j)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_alphabet_new(j->ctx, &j->labels));
    for (size_t v = 0; v < j->V; v++) {
        const caucus_model *m = j->voice[v].model;
        uint32_t *label = j->voice[v].label = cau_alloc(m->Y, sizeof *label);
        if (!label) TRY(no_memory(j->ctx));
        for (size_t y = 0; y < m->Y; y++) {
            const char *name = cau_model_label(m, y);
            label[y] = cau_alphabet_add(j->labels, name, strlen(name));
            if (label[y] == CAU_UNKNOWN) TRY(no_memory(j->ctx));
        }
    }
    j->Y = cau_alphabet_size(j->labels);
    if (j->voice[0].model->kind != CAU_KIND_MAXENT && j->Y > LABELS_MAX)
        TRY(cau_fail(j->ctx, CAUCUS_ERR_UNSUPPORTED,
                     "%zu labels are too many for models of sequences; use --model maxent", j->Y));
done:
    return st;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* The row of a voice for a name of the whole, or CAU_UNKNOWN. */
static caucus_status find_row(join *j, const weave *of, size_t k, size_t v, cau_strbuf *scratch,
                              uint32_t *row)
{
    const voice *by = &j->voice[v];
    cau_str name = cau_alphabet_name(of->names, (uint32_t)k);
    if (by->suffix.n) {
        scratch->n = 0;
        cau_strbuf_add(scratch, name.s, name.n);
        cau_strbuf_add(scratch, by->suffix.s, by->suffix.n);
        const caucus_status st = cau_strbuf_status(j->ctx, scratch);
        if (st) return st;
        name = (cau_str){scratch->s, scratch->n};
    }
    *row = cau_model_find(by->model, part_of(by->model, of->edge), name.s, name.n);
    return CAUCUS_OK;
}

/* The weights of a row, one after the other: false after the last. Cells are those of the whole. */
typedef struct {
    const join *j;
    const voice *by;
    const cau_observations *of;
    bool edge;
    size_t row, at;
} reading;

static bool next_weight(reading *r, uint32_t *cell, double *w)
{
    const cau_observations *of = r->of;
    const size_t end = of->dense ? of->width : (size_t)(of->start[r->row + 1] - of->start[r->row]);
    for (; r->at < end; r->at++) {
        const cau_packed *packed = of->dense ? NULL : &of->packed[of->start[r->row] + r->at];
        const size_t c = packed ? packed->cell : r->at, Y = r->by->model->Y;
        *w = (double)(packed ? packed->weight : of->dense[r->row * of->width + r->at]);
        if (*w == 0) continue;
        const uint32_t *label = r->by->label;
        *cell = of->width == 1 ? 0
                : r->edge      ? label[c / Y] * (uint32_t)r->j->Y + label[c % Y]
                               : label[c];
        r->at++;
        return true;
    }
    return false;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Does something with the weights that voices have for row k. place [width] is all CAU_UNKNOWN
 * before and after. */
typedef caucus_status row_fn(join *j, weave *of, size_t k, const uint32_t *row, uint32_t *place);

/* Lists the cells of a row behind those of the rows before it. */
static caucus_status list_row(join *j, weave *of, size_t k, const uint32_t *row, uint32_t *place)
{
    cau_table *t = &of->table;
    const size_t first = t->start[k];
    size_t end = first;
    uint32_t cell;
    double w;
    for (size_t v = 0; v < j->V; v++) {
        if (row[v] == CAU_UNKNOWN) continue;
        const voice *by = &j->voice[v];
        reading r = {j, by, part_of(by->model, of->edge), of->edge, row[v], 0};
        while (next_weight(&r, &cell, &w)) {
            if (place[cell] != CAU_UNKNOWN) continue;
            if (!CAU_GROW(t->cell, of->cell_room, end + 1)) return no_memory(j->ctx);
            place[cell] = 0;
            t->cell[end++] = cell;
        }
    }
    for (size_t i = first; i < end; i++) place[t->cell[i]] = CAU_UNKNOWN;
    if (end > first) qsort(t->cell + first, end - first, sizeof *t->cell, ascending);
    t->start[k + 1] = end;
    return CAUCUS_OK;
}

/* Writes the weights of a row. */
static caucus_status fill_row(join *j, weave *of, size_t k, const uint32_t *row, uint32_t *place)
{
    const cau_table *t = &of->table;
    uint32_t cell;
    double w;
    for (size_t i = t->start[k]; i < t->start[k + 1]; i++)
        place[t->cell[i]] = (uint32_t)(i - t->start[k]);
    for (size_t v = 0; v < j->V; v++) {
        if (row[v] == CAU_UNKNOWN) continue;
        const voice *by = &j->voice[v];
        reading r = {j, by, part_of(by->model, of->edge), of->edge, row[v], 0};
        while (next_weight(&r, &cell, &w)) of->w[v][t->start[k] + place[cell]] = w;
    }
    for (size_t i = t->start[k]; i < t->start[k + 1]; i++) place[t->cell[i]] = CAU_UNKNOWN;
    return CAUCUS_OK;
}

static caucus_status each_row(join *j, weave *of, row_fn *fn, uint32_t *place)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf scratch = {0};
    uint32_t row[VOICES];
    for (size_t k = 0; k < of->table.rows; k++) {
        for (size_t v = 0; v < j->V; v++) TRY(find_row(j, of, k, v, &scratch, &row[v]));
        TRY(fn(j, of, k, row, place));
    }
done:
    cau_strbuf_clear(&scratch);
    return st;
}

/* The table of all rows, and the weights that each voice has there. */
static caucus_status make_weave(join *j, weave *of)
{
    caucus_status st = CAUCUS_OK;
    const size_t rows = cau_alphabet_size(of->names);
    uint32_t *place = cau_alloc(rows ? of->width : 0, sizeof *place);
    of->table = (cau_table){.rows = rows, .width = of->width};
    of->table.start = cau_calloc(rows + 1, sizeof *of->table.start);
    of->table.cell = cau_alloc(of->cell_room = 16, sizeof *of->table.cell);
    if (!place || !of->table.start || !of->table.cell) TRY(no_memory(j->ctx));
    for (size_t c = 0; rows && c < of->width; c++) place[c] = CAU_UNKNOWN;
    TRY(each_row(j, of, list_row, place));
    for (size_t v = 0; v < j->V; v++) {
        of->w[v] = cau_calloc(cau_table_size(&of->table), sizeof *of->w[v]);
        if (!of->w[v]) TRY(no_memory(j->ctx));
    }
    TRY(each_row(j, of, fill_row, place));
done:
    free(place);
    return st;
}

/* Transitions and default weights. What a voice has never heard of is impossible. */
static caucus_status make_common(join *j)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = j->Y;
    bool plain = false, bias = false;
    for (size_t v = 0; v < j->V; v++) {
        const caucus_model *m = j->voice[v].model;
        plain |= m->plain != NULL;
        bias |= m->bias || m->Y < Y;
    }
    for (size_t v = 0; v < j->V; v++) {
        const caucus_model *m = j->voice[v].model;
        const uint32_t *label = j->voice[v].label;
        if (plain) j->plain[v] = cau_calloc(Y * Y, sizeof *j->plain[v]);
        if (bias) j->bias[v] = cau_alloc(Y, sizeof *j->bias[v]);
        if ((plain && !j->plain[v]) || (bias && !j->bias[v])) TRY(no_memory(j->ctx));
        for (size_t c = 0; m->plain && c < m->Y * m->Y; c++)
            j->plain[v][label[c / m->Y] * Y + label[c % m->Y]] = (double)m->plain[c];
        for (size_t y = 0; bias && y < Y; y++) j->bias[v][y] = CAU_JOIN_NEVER;
        for (size_t y = 0; bias && y < m->Y; y++)
            j->bias[v][label[y]] = m->bias ? (double)m->bias[y] : 0;
    }
done:
    return st;
}

/* ---- the result ------------------------------------------------------------------------------ */

static cau_str name_of(const void *self, size_t k)
{
    return cau_alphabet_name(((const join *)self)->nodes.names, (uint32_t)k);
}

static cau_str edge_name_of(const void *self, size_t k)
{
    return cau_alphabet_name(((const join *)self)->edges.names, (uint32_t)k);
}

static cau_str label_of(const void *self, size_t y)
{
    return cau_alphabet_name(((const join *)self)->labels, (uint32_t)y);
}

/* Everything but the weights of the whole. */
static caucus_status weave_all(join *j)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *first = j->voice[0].model;
    j->nodes.width = first->nodes.width == 1 ? 1 : j->Y;
    j->edges.width = j->Y * j->Y;
    TRY(make_weave(j, &j->nodes));
    TRY(make_weave(j, &j->edges));
    TRY(make_common(j));
done:
    return st;
}

/* *sum = sum_v alpha_v w_v; it stays NULL where voices have none. */
static caucus_status add_up(join *j, double *const *w, const double *alpha, size_t n, double **sum)
{
    if (!w[0]) return CAUCUS_OK;
    *sum = cau_calloc(n, sizeof **sum);
    if (!*sum) return no_memory(j->ctx);
    for (size_t v = 0; v < j->V; v++)
        for (size_t i = 0; i < n; i++) (*sum)[i] += alpha[v] * w[v][i];
    return CAUCUS_OK;
}

static caucus_status build(join *j, const cau_model_parts *base, double *const w[4],
                           caucus_model **out)
{
    const caucus_model *first = j->voice[0].model;
    cau_model_parts parts = *base;
    parts.kind = first->kind;
    parts.Y = j->Y;
    parts.nodes = (cau_model_part){j->nodes.table, w[0], name_of};
    parts.edges = (cau_model_part){j->edges.table, w[1], edge_name_of};
    parts.plain = w[2];
    parts.bias = w[3];
    parts.label = label_of;
    parts.self = j;
    parts.read = first->read;
    parts.template = first->template;
    return cau_model_build(j->ctx, &parts, out);
}

static caucus_status check(caucus_ctx *ctx, const join *j, const cau_join_parts *parts)
{
    const caucus_model *first = j->voice[0].model;
    bool fits = !parts->top || parts->pool.J == 1;
    for (size_t v = 0; v < j->V; v++) {
        const caucus_model *m = j->voice[v].model;
        fits &= m->kind == first->kind && m->pool.J == 0 &&
                (m->nodes.width == 1) == (first->nodes.width == 1);
    }
    return fits ? CAUCUS_OK
                : cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                           "models of different kinds cannot be joined; train them alike");
}

/* What a model says of itself, as lines. */
static caucus_status copy_info(join *j, const caucus_model *m)
{
    const char *key, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);)
        cau_strbuf_printf(&j->info, "%s\t%s\n", key, value);
    return cau_strbuf_status(j->ctx, &j->info);
}

caucus_status cau_join(caucus_ctx *ctx, const cau_join_parts *parts, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = parts->pool.J, first = parts->top != NULL; /* the voice of member 0 */
    join j = {.ctx = ctx, .edges.edge = true};
    cau_member_part member[VOICES];
    if (J == 0 || J > CAU_MEMBERS_MOST)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%zu models cannot be joined; give 1 to %d", J,
                        CAU_MEMBERS_MOST);
    if (parts->top) j.voice[j.V++].model = parts->top;
    for (size_t m = 0; m < J; m++) j.voice[j.V++].model = parts->member[m];
    TRY(check(ctx, &j, parts));
    TRY(add_labels(&j));
    TRY(cau_alphabet_new(ctx, &j.nodes.names));
    TRY(cau_alphabet_new(ctx, &j.edges.names));
    for (size_t v = 0; v < j.V; v++) {
        TRY(add_names(ctx, &j.voice[v].model->nodes, j.nodes.names));
        TRY(add_names(ctx, &j.voice[v].model->edges, j.edges.names));
    }
    TRY(weave_all(&j));
    for (size_t m = 0; m < J; m++)
        member[m] = (cau_member_part){j.nodes.w[first + m], j.edges.w[first + m],
                                      j.plain[first + m], j.bias[first + m]};
    if (parts->top) TRY(copy_info(&j, parts->top));
    const cau_model_parts base = {.pool = parts->pool,
                                  .member = member,
                                  .info = parts->top ? (cau_str){j.info.s, j.info.n} : parts->info};
    if (parts->top) {
        double *const own[] = {j.nodes.w[0], j.edges.w[0], j.plain[0], j.bias[0]};
        TRY(build(&j, &base, own, out));
    } else {
        const double *alpha = parts->pool.alpha;
        TRY(add_up(&j, j.nodes.w, alpha, cau_table_size(&j.nodes.table), &j.sum[0]));
        TRY(add_up(&j, j.edges.w, alpha, cau_table_size(&j.edges.table), &j.sum[1]));
        TRY(add_up(&j, j.plain, alpha, j.Y * j.Y, &j.sum[2]));
        TRY(add_up(&j, j.bias, alpha, j.Y, &j.sum[3]));
        TRY(build(&j, &base, j.sum, out));
    }
done:
    clear(&j);
    return st;
}

caucus_status cau_fold(caucus_ctx *ctx, const caucus_model *model, const cau_alphabet *names,
                       cau_str suffix, caucus_model **out)
{
    static const double both[] = {1, 1};
    caucus_status st = CAUCUS_OK;
    join j = {.ctx = ctx, .edges.edge = true, .V = 2};
    j.voice[0].model = j.voice[1].model = model;
    j.voice[1].suffix = suffix;
    TRY(add_labels(&j));
    TRY(cau_alphabet_new(ctx, &j.nodes.names));
    TRY(cau_alphabet_new(ctx, &j.edges.names));
    for (uint32_t k = 0; k < cau_alphabet_size(names); k++) {
        const cau_str name = cau_alphabet_name(names, k);
        if (cau_alphabet_add(j.nodes.names, name.s, name.n) == CAU_UNKNOWN) TRY(no_memory(ctx));
    }
    TRY(add_names(ctx, &model->edges, j.edges.names));
    TRY(weave_all(&j));
    TRY(copy_info(&j, model));
    TRY(add_up(&j, j.nodes.w, both, cau_table_size(&j.nodes.table), &j.sum[0]));
    double *const w[] = {j.sum[0], j.edges.w[0], j.plain[0], j.bias[0]};
    const cau_model_parts base = {.info = {j.info.s, j.info.n}};
    TRY(build(&j, &base, w, out));
done:
    clear(&j);
    return st;
}
