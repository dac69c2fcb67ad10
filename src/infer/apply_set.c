/* apply_set.c - a model applied to a data set in memory.
 *
 * The names in the set are looked up once, which gives the observation of the model for each number
 * of the data. From there on the instances of a sequence are scored and decoded as they are in
 * tagging (score.h, decode.h). Blocks of whole sequences go to the threads; each
 * writes the answers of its own instances. */

#include "infer/apply_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "infer/decode.h"
#include "infer/score.h"

enum { BLOCK_SIZE = 256 }; /* instances, and the rest of a sequence */

/* The features of the instances of a sequence that the model has. */
typedef struct {
    size_t *start; /* [instances + 1] */
    uint32_t *row;
    float *value;
    size_t start_room, row_room, value_room;
} rows;

/* What one thread works with. */
typedef struct {
    caucus_ctx ctx; /* for the sentence of a failure, which the caller does not get */
    cau_scorer scorer;
    cau_decoded decoded;
    rows rows, edge_rows; /* of a sequence */
} worker;

typedef struct {
    const caucus_model *model;
    const cau_dataset *set;
    uint32_t *row, *edge_row; /* [K], [E] observations of the model */
    uint32_t *label;          /* [Y of the model] numbers in the data */
    cau_decoder decoder;
    worker *worker; /* [workers] */
    size_t workers;
    size_t *first; /* [blocks + 1] sequences */
    size_t blocks;
    uint32_t *labels; /* the answer */
    double *general;
} application;

/* ---- names --------------------------------------------------------------------------- */

/* The observation of each name that is in x, to be freed. Names are found in steps (model.h), some
 * at a time. */
static caucus_status find_rows(caucus_ctx *ctx, const caucus_model *model,
                               const cau_observations *of, const cau_alphabet *names,
                               const cau_csr *x, uint32_t **out)
{
    enum { USED = 0, AHEAD = 32 };
    const size_t size = names ? cau_alphabet_size(names) : 0, count = cau_csr_nonzeros(x);
    uint32_t *row = cau_alloc(size, sizeof *row), id[AHEAD];
    uint64_t hash[AHEAD];
    if (!row) return cau_fail_memory(ctx, "the names of the data");
    for (size_t i = 0; i < size; i++) row[i] = CAU_UNKNOWN;
    for (size_t i = 0; i < count; i++) row[x->column[i]] = USED;
    for (size_t i = 0, n = 0; i <= size; i++) {
        if (i < size && row[i] == USED) {
            const cau_str name = cau_alphabet_name(names, (uint32_t)i);
            id[n] = (uint32_t)i;
            hash[n] = cau_model_hash(model, name.s, name.n);
            cau_model_ask(of, hash[n++]);
        }
        if (n < AHEAD && i < size) continue;
        for (size_t k = 0; k < n; k++) row[id[k]] = cau_model_answer(of, hash[k]);
        n = 0;
    }
    *out = row;
    return CAUCUS_OK;
}

/* The number of each label of the model in the data, to be freed. */
static caucus_status find_labels(caucus_ctx *ctx, const caucus_model *model,
                                 const cau_alphabet *labels, uint32_t **out)
{
    uint32_t *label = cau_alloc(model->Y, sizeof *label);
    if (!label) return cau_fail_memory(ctx, "the labels of the data");
    for (size_t y = 0; y < model->Y; y++) {
        const char *name = cau_model_label(model, y);
        label[y] = cau_alphabet_find(labels, name, strlen(name));
    }
    *out = label;
    return CAUCUS_OK;
}

/* ---- sequences ----------------------------------------------------------------------- */

/* Where sequence s begins. */
static size_t begin_of(const cau_dataset *set, size_t s)
{
    return set->sequence ? set->sequence[s] : s;
}

static size_t sequences_of(const cau_dataset *set)
{
    return set->sequence ? set->S : set->N;
}

static caucus_status cut_blocks(caucus_ctx *ctx, application *a)
{
    const size_t S = sequences_of(a->set);
    size_t room = 0, next = 0; /* the instance with which the next block may begin */
    for (size_t s = 0; s < S; s++) {
        if (begin_of(a->set, s) < next) continue;
        if (!CAU_GROW(a->first, room, a->blocks + 2)) return cau_fail_memory(ctx, "the answers");
        a->first[a->blocks++] = s;
        next = begin_of(a->set, s) + BLOCK_SIZE;
    }
    if (a->blocks) a->first[a->blocks] = S;
    return CAUCUS_OK;
}

/* The rows of the features of instances begin .. end-1 of x. */
static bool find_features(const cau_csr *x, const uint32_t *row, size_t begin, size_t end,
                          rows *out)
{
    const size_t most = x->start[end] - x->start[begin];
    size_t n = 0;
    if (!CAU_GROW(out->start, out->start_room, end - begin + 1) ||
        !CAU_GROW(out->row, out->row_room, most) ||
        (x->value && !CAU_GROW(out->value, out->value_room, most)))
        return false;
    for (size_t i = begin; i < end; i++) {
        out->start[i - begin] = n;
        for (size_t k = x->start[i]; k < x->start[i + 1]; k++) {
            out->row[n] = row[x->column[k]];
            if (x->value) out->value[n] = x->value[k];
            n += out->row[n] != CAU_UNKNOWN;
        }
    }
    out->start[end - begin] = n;
    return true;
}

static caucus_status score_sequence(const application *a, worker *w, size_t begin, size_t end)
{
    const cau_csr *x = &a->set->x, *e = &a->set->e;
    if (!find_features(x, a->row, begin, end, &w->rows) ||
        (e->start && !find_features(e, a->edge_row, begin, end, &w->edge_rows)))
        return CAUCUS_ERR_MEMORY;
    const cau_feature_rows features = {.count = end - begin,
                                       .groups = 1,
                                       .start = w->rows.start,
                                       .row = w->rows.row,
                                       .value = x->value ? w->rows.value : NULL,
                                       .edge_start = e->start ? w->edge_rows.start : NULL,
                                       .edge_row = w->edge_rows.row,
                                       .distinct = true};
    cau_scorer_begin(&w->scorer);
    return cau_scorer_add(&w->ctx, &w->scorer, &features);
}

static caucus_status label_sequence(const application *a, worker *w, size_t begin, size_t end)
{
    caucus_status st = CAUCUS_OK;
    const cau_scorer *scorer = &w->scorer;
    const size_t J = a->model->pool.J;
    if (begin == end) return CAUCUS_OK;
    TRY(score_sequence(a, w, begin, end));
    TRY(cau_decode(&a->decoder, &w->decoded, end - begin, scorer->scores, scorer->say, NULL));
    for (size_t i = begin; i < end; i++) a->labels[i] = a->label[w->decoded.path[i - begin]];
    for (size_t i = begin; a->general && i < end; i++)
        a->general[i] = scorer->say ? scorer->say[(i - begin) * J + J - 1] : 1;
done:
    return st;
}

static caucus_status label_block(void *self, size_t block, unsigned thread)
{
    const application *a = self;
    caucus_status st = CAUCUS_OK;
    for (size_t s = a->first[block]; !st && s < a->first[block + 1]; s++) {
        const size_t begin = begin_of(a->set, s);
        const size_t end = a->set->sequence ? begin_of(a->set, s + 1) : begin + 1;
        st = label_sequence(a, &a->worker[thread], begin, end);
    }
    return st;
}

/* ---- the set ------------------------------------------------------------------------- */

static caucus_status prepare(caucus_ctx *ctx, application *a, const caucus_data *data,
                             unsigned threads)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = a->model;
    if (m->nodes.width != m->Y || (a->set->N && a->set->group != 1))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "features for each class apart cannot be compared in memory; use `caucus "
                     "tag`"));
    TRY(find_rows(ctx, m, &m->nodes, data->alphabets.names, &a->set->x, &a->row));
    TRY(find_rows(ctx, m, &m->edges, data->alphabets.edges, &a->set->e, &a->edge_row));
    TRY(find_labels(ctx, m, data->labels, &a->label));
    TRY(cut_blocks(ctx, a));
    TRY(cau_decoder_init(ctx, &a->decoder, m, &(cau_decode_options){0}));
    a->workers = threads < a->blocks ? threads : a->blocks;
    a->worker = cau_calloc(a->workers, sizeof *a->worker);
    if (!a->worker) TRY(cau_fail_memory(ctx, "the answers"));
    for (size_t i = 0; i < a->workers; i++) {
        TRY(cau_scorer_init(ctx, &a->worker[i].scorer, m, false));
        TRY(cau_decoded_init(ctx, &a->worker[i].decoded, &a->decoder));
    }
done:
    return st;
}

static void rows_clear(rows *r)
{
    free(r->start);
    free(r->row);
    free(r->value);
}

static void clear(application *a)
{
    for (size_t i = 0; a->worker && i < a->workers; i++) {
        worker *w = &a->worker[i];
        cau_scorer_clear(&w->scorer);
        cau_decoded_clear(&w->decoded);
        rows_clear(&w->rows);
        rows_clear(&w->edge_rows);
    }
    free(a->worker);
    cau_decoder_clear(&a->decoder);
    free(a->row);
    free(a->edge_row);
    free(a->label);
    free(a->first);
}

caucus_status cau_apply_set(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                            const cau_dataset *set, unsigned threads, uint32_t *labels,
                            double *general)
{
    caucus_status st = CAUCUS_OK;
    application a = {.model = model, .set = set, .labels = labels, .general = general};
    TRY(prepare(ctx, &a, data, threads ? threads : 1));
    st = cau_parallel((unsigned)a.workers, a.blocks, label_block, &a);
    if (st == CAUCUS_ERR_MEMORY) TRY(cau_fail_memory(ctx, "the answers"));
    if (st)
        TRY(cau_fail(ctx, st,
                     "the scores of a sequence are not finite; are the values of the "
                     "data?"));
done:
    clear(&a);
    return st;
}
