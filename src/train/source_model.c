/* source_model.c - see source_model.h. */

#include "train/source_model.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "peers/peers.h"

caucus_status cau_source_model_open(caucus_ctx *ctx, const caucus_data *data, const char *path,
                                    const caucus_model *model, cau_source_model *out)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = data->train.Y;
    cau_source_model o = {.model = model, .data = data};
    if (path) {
        TRY(cau_peers_open(ctx, path, &o.opened));
        TRY(cau_model_verify(ctx, o.opened));
        o.model = o.opened;
    }
    if (data->idf || o.model->read.tfidf)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: weights of a model with --tfidf belong to the rarities of its own data; "
                     "train without --tfidf, or without another model",
                     path ? path : "the other model"));
    if ((o.model->nodes.width == 1) != (data->train.width == 1))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: its features are given in another form than those of the data; train it "
                     "on data of the same form",
                     path ? path : "the other model"));
    o.theirs = cau_alloc(Y, sizeof *o.theirs);
    o.ours = cau_alloc(o.model->Y, sizeof *o.ours);
    if (!o.theirs || !o.ours) TRY(cau_fail_memory(ctx, "the weights of another model"));
    for (size_t y = 0; y < o.model->Y; y++) o.ours[y] = CAU_UNKNOWN;
    for (uint32_t y = 0; y < Y; y++) {
        o.theirs[y] = cau_model_label_find(o.model, cau_alphabet_name(data->labels, y));
        if (o.theirs[y] != CAU_UNKNOWN) o.ours[o.theirs[y]] = y;
    }
    *out = o;
    o = (cau_source_model){0};
done:
    cau_source_model_clear(&o);
    return st;
}

void cau_source_model_clear(cau_source_model *o)
{
    cau_model_free(o->opened);
    free(o->theirs);
    free(o->ours);
    *o = (cau_source_model){0};
}

/* Converts a cell by map [from]: a label, a pair of labels (Y: number of labels of the source,
 * `to`: of the target), or the one weight of an explicit feature. */
static uint32_t translate(const uint32_t *map, size_t Y, size_t to, size_t cell, bool edge)
{
    if (!edge) return map[cell];
    const uint32_t before = map[cell / Y], here = map[cell % Y];
    if (before == CAU_UNKNOWN || here == CAU_UNKNOWN) return CAU_UNKNOWN;
    return before * (uint32_t)to + here;
}

static uint32_t their_cell(const cau_source_model *o, size_t width, size_t cell, bool edge)
{
    if (width == 1) return 0;
    return translate(o->theirs, o->data->train.Y, o->model->Y, cell, edge);
}

static uint32_t their_row(const cau_source_model *o, size_t k, bool edge)
{
    const cau_alphabets *names = &o->data->alphabets;
    const cau_str name = cau_alphabet_name(edge ? names->edges : names->names, (uint32_t)k);
    return cau_model_find(o->model, edge ? &o->model->edges : &o->model->nodes, name.s, name.n);
}

void cau_source_model_weights(const cau_source_model *o, const cau_table *table, bool edge,
                              double *w)
{
    const cau_observations *from = edge ? &o->model->edges : &o->model->nodes;
    for (size_t k = 0; k < table->rows && from->K; k++) {
        const uint32_t row = their_row(o, k, edge);
        if (row == CAU_UNKNOWN) continue;
        for (size_t at = cau_table_at(table, k), i = at; i < cau_table_at(table, k + 1); i++) {
            const size_t cell = table->cell ? table->cell[i] : i - at;
            const uint32_t theirs = their_cell(o, table->width, cell, edge);
            if (theirs != CAU_UNKNOWN) w[i] = cau_model_weight(from, row, theirs);
        }
    }
}

void cau_source_model_common(const cau_source_model *o, bool chain, double *w)
{
    const size_t Y = o->data->train.Y;
    const float *from = chain ? o->model->transitions : o->model->bias;
    for (size_t c = 0; from && c < (chain ? Y * Y : Y); c++) {
        const uint32_t theirs = translate(o->theirs, Y, o->model->Y, c, chain);
        if (theirs != CAU_UNKNOWN) w[c] = (double)from[theirs];
    }
}

double cau_source_model_transition(const cau_source_model *o, size_t cell)
{
    const uint32_t theirs = translate(o->theirs, o->data->train.Y, o->model->Y, cell, true);
    return o->model->transitions && theirs != CAU_UNKNOWN ? (double)o->model->transitions[theirs]
                                                          : 0;
}

size_t cau_source_model_cells(const cau_source_model *o, size_t k, bool edge, uint32_t *cells)
{
    const cau_observations *from = edge ? &o->model->edges : &o->model->nodes;
    const uint32_t row = from->K ? their_row(o, k, edge) : CAU_UNKNOWN;
    size_t count = 0;
    if (row == CAU_UNKNOWN) return 0;
    for (size_t c = 0; c < from->width; c++) {
        const uint32_t ours = translate(o->ours, o->model->Y, o->data->train.Y, c, edge);
        if (ours != CAU_UNKNOWN && cau_model_weight(from, row, c) != 0) cells[count++] = ours;
    }
    return count;
}
