/* join.c - several models as one.
 *
 * A row of the joined table lists the cells for which any of the models has a weight, with the
 * labels numbered as in the joined model. Each model has a vector of weights over this table, as
 * model/build.c needs it. Rows are made one at a time, with the place of each cell in the current
 * row at hand, so the time is that of reading all weights and looking up all names. */

#include "adapt/baselines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "dataset/dataset.h"

enum {
    INPUTS_MOST = 1 + CAU_MEMBERS_MOST,
    LABELS_MOST = 32767, /* of a chain: pairs of labels are numbered with 32 bits */
};

/* The weights of a model. */
enum { NODES, EDGES, PLAIN, BIAS, WEIGHT_KINDS };

typedef struct {
    const caucus_model *model;
    cau_str suffix;          /* makes a joined name into a name of this model */
    uint32_t *label;         /* [Y of the model] its labels in the joined model */
    double *w[WEIGHT_KINDS]; /* in the joined model; NULL: no such weights */
} join_input;

typedef struct {
    caucus_ctx *ctx;
    size_t count;
    join_input input[INPUTS_MOST];
    cau_alphabet *labels;
    size_t Y;
    cau_alphabet *names[2]; /* of NODES and EDGES */
    cau_table table[2];
    size_t room[2]; /* of table[].cell */
    size_t size[WEIGHT_KINDS];
    double *sum[WEIGHT_KINDS];
    cau_strbuf info;
} joined;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the joined model");
}

static void clear_joined(joined *j)
{
    for (size_t i = 0; i < j->count; i++) {
        free(j->input[i].label);
        for (size_t kind = 0; kind < WEIGHT_KINDS; kind++) free(j->input[i].w[kind]);
    }
    for (size_t kind = 0; kind < WEIGHT_KINDS; kind++) free(j->sum[kind]);
    for (size_t part = NODES; part <= EDGES; part++) {
        cau_alphabet_free(j->names[part]);
        free(j->table[part].start);
        free(j->table[part].cell);
    }
    cau_alphabet_free(j->labels);
    cau_strbuf_clear(&j->info);
}

/* ---- names and labels ---------------------------------------------------------------------- */

static const cau_observations *observations_of(const caucus_model *m, size_t part)
{
    return part == EDGES ? &m->edges : &m->nodes;
}

static caucus_status add_names(joined *j, const caucus_model *m, size_t part)
{
    const cau_observations *of = observations_of(m, part);
    for (size_t k = 0; k < of->K; k++) {
        const cau_str name = cau_model_name(of, k);
        if (cau_alphabet_add(j->names[part], name.s, name.n) == CAU_UNKNOWN)
            return no_memory(j->ctx);
    }
    return CAUCUS_OK;
}

/* The labels of all inputs, and the alphabets of names, which are empty. */
static caucus_status add_labels(joined *j)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_alphabet_new(j->ctx, &j->labels));
    TRY(cau_alphabet_new(j->ctx, &j->names[NODES]));
    TRY(cau_alphabet_new(j->ctx, &j->names[EDGES]));
    for (size_t i = 0; i < j->count; i++) {
        const caucus_model *m = j->input[i].model;
        uint32_t *label = j->input[i].label = cau_alloc(m->Y, sizeof *label);
        if (!label) TRY(no_memory(j->ctx));
        for (size_t y = 0; y < m->Y; y++) {
            const char *name = cau_model_label(m, y);
            label[y] = cau_alphabet_add(j->labels, name, strlen(name));
            if (label[y] == CAU_UNKNOWN) TRY(no_memory(j->ctx));
        }
    }
    j->Y = cau_alphabet_size(j->labels);
    if (j->input[0].model->kind != CAU_KIND_MAXENT && j->Y > LABELS_MOST)
        TRY(cau_fail(j->ctx, CAUCUS_ERR_UNSUPPORTED,
                     "%zu labels are too many for models of sequences; use --model maxent", j->Y));
done:
    return st;
}

/* ---- weights ------------------------------------------------------------------------------- */

/* The rows of all inputs for joined name k: row [count], CAU_UNKNOWN if an input lacks it. */
static caucus_status find_rows(joined *j, size_t part, size_t k, cau_strbuf *scratch, uint32_t *row)
{
    for (size_t i = 0; i < j->count; i++) {
        const join_input *in = &j->input[i];
        cau_str name = cau_alphabet_name(j->names[part], (uint32_t)k);
        if (in->suffix.n) {
            scratch->n = 0;
            cau_strbuf_add(scratch, name.s, name.n);
            cau_strbuf_add(scratch, in->suffix.s, in->suffix.n);
            const caucus_status st = cau_strbuf_status(j->ctx, scratch);
            if (st) return st;
            name = (cau_str){scratch->s, scratch->n};
        }
        row[i] = cau_model_find(in->model, observations_of(in->model, part), name.s, name.n);
    }
    return CAUCUS_OK;
}

/* Iterates over the weights of a row that are not 0. Start with at = 0. */
typedef struct {
    size_t at;
    uint32_t cell; /* in the joined model */
    double w;
} row_weight;

static bool next_weight(const joined *j, size_t part, const join_input *in, uint32_t row,
                        row_weight *r)
{
    const cau_observations *of = observations_of(in->model, part);
    const size_t Y = in->model->Y;
    if (row == CAU_UNKNOWN) return false;
    const size_t end = of->dense ? of->width : (size_t)(of->start[row + 1] - of->start[row]);
    while (r->at < end) {
        const cau_packed *packed = of->dense ? NULL : &of->packed[of->start[row] + r->at];
        const size_t cell = packed ? packed->cell : r->at;
        r->w = (double)(packed ? packed->weight : of->dense[row * of->width + r->at]);
        r->at++;
        if (r->w == 0) continue;
        r->cell = of->width == 1  ? 0
                  : part == EDGES ? in->label[cell / Y] * (uint32_t)j->Y + in->label[cell % Y]
                                  : in->label[cell];
        return true;
    }
    return false;
}

static int compare_cells(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Adds the cells of row k to the table. place [width] is CAU_UNKNOWN everywhere, before and after.
 */
static caucus_status list_row(joined *j, size_t part, size_t k, const uint32_t *row,
                              uint32_t *place)
{
    cau_table *t = &j->table[part];
    size_t end = t->start[k];
    for (size_t i = 0; i < j->count; i++)
        for (row_weight r = {0}; next_weight(j, part, &j->input[i], row[i], &r);) {
            if (place[r.cell] != CAU_UNKNOWN) continue;
            if (!CAU_GROW(t->cell, j->room[part], end + 1)) return no_memory(j->ctx);
            place[r.cell] = 0;
            t->cell[end++] = r.cell;
        }
    for (size_t c = t->start[k]; c < end; c++) place[t->cell[c]] = CAU_UNKNOWN;
    if (end > t->start[k])
        qsort(t->cell + t->start[k], end - t->start[k], sizeof *t->cell, compare_cells);
    t->start[k + 1] = end;
    return CAUCUS_OK;
}

/* Writes the weights of row k, with place as above. */
static caucus_status fill_row(joined *j, size_t part, size_t k, const uint32_t *row,
                              uint32_t *place)
{
    const cau_table *t = &j->table[part];
    for (size_t c = t->start[k]; c < t->start[k + 1]; c++)
        place[t->cell[c]] = (uint32_t)(c - t->start[k]);
    for (size_t i = 0; i < j->count; i++)
        for (row_weight r = {0}; next_weight(j, part, &j->input[i], row[i], &r);)
            j->input[i].w[part][t->start[k] + place[r.cell]] = r.w;
    for (size_t c = t->start[k]; c < t->start[k + 1]; c++) place[t->cell[c]] = CAU_UNKNOWN;
    return CAUCUS_OK;
}

typedef caucus_status row_fn(joined *j, size_t part, size_t k, const uint32_t *row,
                             uint32_t *place);

static caucus_status visit_rows(joined *j, size_t part, row_fn *fn, uint32_t *place)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf scratch = {0};
    uint32_t row[INPUTS_MOST];
    for (size_t k = 0; k < j->table[part].rows; k++) {
        TRY(find_rows(j, part, k, &scratch, row));
        TRY(fn(j, part, k, row, place));
    }
done:
    cau_strbuf_clear(&scratch);
    return st;
}

/* The table of NODES or EDGES, and the weights of all inputs over it. */
static caucus_status join_table(joined *j, size_t part, size_t width)
{
    caucus_status st = CAUCUS_OK;
    cau_table *t = &j->table[part];
    const size_t rows = cau_alphabet_size(j->names[part]);
    uint32_t *place = cau_alloc(rows ? width : 0, sizeof *place);
    *t = (cau_table){.rows = rows, .width = width};
    t->start = cau_calloc(rows + 1, sizeof *t->start);
    t->cell = cau_alloc(j->room[part] = 16, sizeof *t->cell);
    if (!place || !t->start || !t->cell) TRY(no_memory(j->ctx));
    for (size_t c = 0; rows && c < width; c++) place[c] = CAU_UNKNOWN;
    TRY(visit_rows(j, part, list_row, place));
    j->size[part] = cau_table_size(t);
    for (size_t i = 0; i < j->count; i++) {
        j->input[i].w[part] = cau_calloc(j->size[part], sizeof(double));
        if (!j->input[i].w[part]) TRY(no_memory(j->ctx));
    }
    TRY(visit_rows(j, part, fill_row, place));
done:
    free(place);
    return st;
}

/* Transitions and default weights, if any input has them or lacks a label. */
static caucus_status join_common(joined *j)
{
    const size_t Y = j->Y;
    for (size_t i = 0; i < j->count; i++) {
        const caucus_model *m = j->input[i].model;
        if (m->transitions) j->size[PLAIN] = Y * Y;
        if (m->bias || m->Y < Y) j->size[BIAS] = Y;
    }
    for (size_t i = 0; i < j->count; i++) {
        join_input *in = &j->input[i];
        const caucus_model *m = in->model;
        for (size_t kind = PLAIN; kind <= BIAS; kind++) {
            if (!j->size[kind]) continue;
            in->w[kind] = cau_calloc(j->size[kind], sizeof(double));
            if (!in->w[kind]) return no_memory(j->ctx);
        }
        for (size_t c = 0; m->transitions && c < m->Y * m->Y; c++)
            in->w[PLAIN][in->label[c / m->Y] * Y + in->label[c % m->Y]] = (double)m->transitions[c];
        for (size_t y = 0; y < j->size[BIAS]; y++) in->w[BIAS][y] = CAU_JOIN_NEVER;
        for (size_t y = 0; j->size[BIAS] && y < m->Y; y++)
            in->w[BIAS][in->label[y]] = m->bias ? (double)m->bias[y] : 0;
    }
    return CAUCUS_OK;
}

static caucus_status join_weights(joined *j)
{
    caucus_status st = CAUCUS_OK;
    const bool one = j->input[0].model->nodes.width == 1;
    TRY(join_table(j, NODES, one ? 1 : j->Y));
    TRY(join_table(j, EDGES, j->Y * j->Y));
    TRY(join_common(j));
done:
    return st;
}

/* sum = sum_i alpha_i w_i for the weights of a kind. */
static caucus_status add_up(joined *j, size_t kind, const double *alpha)
{
    if (!j->input[0].w[kind]) return CAUCUS_OK;
    double *sum = j->sum[kind] = cau_calloc(j->size[kind], sizeof *sum);
    if (!sum) return no_memory(j->ctx);
    for (size_t i = 0; i < j->count; i++)
        for (size_t k = 0; k < j->size[kind]; k++) sum[k] += alpha[i] * j->input[i].w[kind][k];
    return CAUCUS_OK;
}

/* ---- the joined model ---------------------------------------------------------------------- */

static cau_member_part part_of(double *const w[WEIGHT_KINDS])
{
    return (cau_member_part){w[NODES], w[EDGES], w[PLAIN], w[BIAS]};
}

static caucus_status build_joined(joined *j, cau_member_part w, const cau_pool *pool,
                                  const cau_member_part *member, cau_str info, caucus_model **out)
{
    const caucus_model *first = j->input[0].model;
    const caucus_data names = {.alphabets = {.names = j->names[NODES], .edges = j->names[EDGES]},
                               .labels = j->labels,
                               .read = first->read};
    cau_model_parts parts =
        cau_model_parts_of(&names, first->kind, j->table[NODES], j->table[EDGES], w, info);
    parts.template = first->template;
    if (pool) parts.pool = *pool;
    parts.member = member;
    return cau_model_build(j->ctx, &parts, out);
}

static caucus_status check_inputs(const joined *j, const cau_join_parts *parts)
{
    const caucus_model *first = j->input[0].model;
    bool fits = !parts->top || parts->pool.J == 1;
    for (size_t i = 0; i < j->count; i++) {
        const caucus_model *m = j->input[i].model;
        fits &= m->kind == first->kind && m->pool.J == 0 &&
                (m->nodes.width == 1) == (first->nodes.width == 1);
    }
    return fits ? CAUCUS_OK
                : cau_fail(j->ctx, CAUCUS_ERR_ARGUMENT,
                           "models of different kinds cannot be joined; train them alike");
}

static caucus_status copy_info(joined *j, const caucus_model *m, cau_str *info)
{
    const char *key, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);)
        cau_strbuf_printf(&j->info, "%s\t%s\n", key, value);
    *info = (cau_str){j->info.s, j->info.n};
    return cau_strbuf_status(j->ctx, &j->info);
}

caucus_status cau_join(caucus_ctx *ctx, const cau_join_parts *parts, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = parts->pool.J, first = parts->top != NULL; /* the input of member 0 */
    cau_member_part member[INPUTS_MOST];
    cau_str info = parts->info;
    joined j = {.ctx = ctx};
    if (J == 0 || J > CAU_MEMBERS_MOST)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%zu models cannot be joined; give 1 to %d", J,
                        CAU_MEMBERS_MOST);
    if (parts->top) j.input[j.count++].model = parts->top;
    for (size_t m = 0; m < J; m++) j.input[j.count++].model = parts->member[m];
    TRY(check_inputs(&j, parts));
    TRY(add_labels(&j));
    for (size_t i = 0; i < j.count; i++) {
        TRY(add_names(&j, j.input[i].model, NODES));
        TRY(add_names(&j, j.input[i].model, EDGES));
    }
    TRY(join_weights(&j));
    for (size_t m = 0; m < J; m++) member[m] = part_of(j.input[first + m].w);
    if (parts->top) {
        TRY(copy_info(&j, parts->top, &info));
        TRY(build_joined(&j, part_of(j.input[0].w), &parts->pool, member, info, out));
    } else {
        for (size_t kind = 0; kind < WEIGHT_KINDS; kind++) TRY(add_up(&j, kind, parts->pool.alpha));
        TRY(build_joined(&j, part_of(j.sum), &parts->pool, member, info, out));
    }
done:
    clear_joined(&j);
    return st;
}

caucus_status cau_fold(caucus_ctx *ctx, const caucus_model *model, const cau_alphabet *names,
                       cau_str suffix, caucus_model **out)
{
    static const double both[] = {1, 1};
    caucus_status st = CAUCUS_OK;
    cau_str info;
    joined j = {.ctx = ctx, .count = 2};
    j.input[0].model = j.input[1].model = model;
    j.input[1].suffix = suffix;
    TRY(add_labels(&j));
    for (uint32_t k = 0; k < cau_alphabet_size(names); k++) {
        const cau_str name = cau_alphabet_name(names, k);
        if (cau_alphabet_add(j.names[NODES], name.s, name.n) == CAU_UNKNOWN) TRY(no_memory(ctx));
    }
    TRY(add_names(&j, model, EDGES));
    TRY(join_weights(&j));
    TRY(copy_info(&j, model, &info));
    TRY(add_up(&j, NODES, both));
    cau_member_part w = part_of(j.input[0].w);
    w.nodes = j.sum[NODES];
    TRY(build_joined(&j, w, NULL, NULL, info, out));
done:
    clear_joined(&j);
    return st;
}
