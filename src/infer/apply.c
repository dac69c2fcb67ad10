/* apply.c - a model applied to what is in memory.
 *
 * The features of an instance become keys in a block, as those of a reader do. The names of a
 * dataset are looked up once, which gives a row of the model for each number of the data. Blocks of
 * whole sequences go to the threads; each writes the labels of its own instances. */

#include "infer/apply.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "infer/score.h"
#include "text/formats.h"

/* ---- one sequence -------------------------------------------------------------------- */

caucus_status cau_labeller_init(caucus_ctx *ctx, cau_labeller *l, const caucus_model *model,
                                const cau_decoder *decoder)
{
    *l = (cau_labeller){.decoder = decoder, .block.base = (int)model->base};
    const caucus_status st = cau_scorer_init(ctx, &l->scorer, model);
    return st ? st : cau_decoded_init(ctx, &l->decoded, decoder);
}

void cau_labeller_clear(cau_labeller *l)
{
    cau_feature_block_clear(&l->block);
    cau_scorer_clear(&l->scorer);
    cau_decoded_clear(&l->decoded);
    *l = (cau_labeller){0};
}

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the labels of a sequence");
}

/* Begins the instance of the block. */
static caucus_status begin_features(caucus_ctx *ctx, cau_labeller *l)
{
    if (l->scorer.model->nodes.width != l->scorer.model->Y)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "this model has features for each class apart; tag a file with it");
    cau_feature_block_begin(&l->block);
    return cau_feature_block_row(&l->block) ? CAUCUS_OK : no_memory(ctx);
}

static bool add_key(cau_labeller *l, uint64_t key, float value)
{
    return cau_add_key(&l->block.nodes, key, value) &&
           (!l->scorer.model->edges.K || cau_add_key(&l->block.edges, key, value));
}

static caucus_status end_features(caucus_ctx *ctx, cau_labeller *l)
{
    cau_feature_block_end(&l->block);
    return cau_scorer_push(ctx, &l->scorer, NULL, &(cau_instance){.block = &l->block, .groups = 1});
}

caucus_status cau_labeller_add(caucus_ctx *ctx, cau_labeller *l, const caucus_feature *features,
                               size_t count)
{
    caucus_status st = begin_features(ctx, l);
    if (st) return st;
    for (size_t i = 0; i < count; i++) {
        const cau_str name = cau_str_of(features[i].name);
        const float value = (float)features[i].value;
        if (!isfinite(value))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "the value of feature '%.*s' is not finite; correct it",
                            CAU_SHOWN(name));
        if (!add_key(l, cau_model_hash(l->scorer.model, name.s, name.n), value))
            return no_memory(ctx);
    }
    return end_features(ctx, l);
}

caucus_status cau_labeller_add_keys(caucus_ctx *ctx, cau_labeller *l,
                                    const caucus_keyed_feature *features, size_t count)
{
    caucus_status st = begin_features(ctx, l);
    if (st) return st;
    for (size_t i = 0; i < count; i++)
        if (!isfinite((float)features[i].value))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "the value of feature %zu of a token is not finite; correct it", i);
    if (!cau_add_keys(&l->block.nodes, features, count) ||
        (l->scorer.model->edges.K && !cau_add_keys(&l->block.edges, features, count)))
        return no_memory(ctx);
    return end_features(ctx, l);
}

/* Decodes the sequence of the scorer. */
static caucus_status decode(caucus_ctx *ctx, cau_labeller *l, const cau_forced_labels *forced)
{
    const cau_scorer *scorer = &l->scorer;
    const caucus_status st =
        cau_decode(l->decoder, &l->decoded, scorer->T, scorer->scores, scorer->mixing, forced);
    if (st == CAUCUS_ERR_MEMORY) return no_memory(ctx);
    if (st == CAUCUS_ERR_NUMERIC)
        return cau_fail(ctx, st,
                        "no labelling of a sequence has a finite score; are its values finite, "
                        "and the given labels possible?");
    return st;
}

caucus_status cau_labeller_end(caucus_ctx *ctx, cau_labeller *l, const cau_forced_labels *forced)
{
    const caucus_status st = cau_scorer_finish(ctx, &l->scorer);
    return st ? st : decode(ctx, l, forced);
}

/* ---- a dataset ----------------------------------------------------------------------- */

/* The rows of a model for the features of some instances: see cau_feature_rows. */
typedef struct {
    size_t *start; /* [instances + 1] */
    uint32_t *row;
    float *value;
    size_t start_room, row_room, value_room;
} apply_rows;

/* The memory of one thread. */
typedef struct {
    caucus_ctx ctx; /* for messages, which the caller replaces by its own */
    cau_labeller labeller;
    apply_rows nodes, edges;
} apply_worker;

typedef struct {
    const caucus_model *model;
    const cau_dataset *set;
    uint32_t *row, *edge_row; /* [K], [E] rows of the model, or CAU_UNKNOWN */
    uint32_t *label;          /* [Y of the model] numbers in the data */
    cau_decoder decoder;
    cau_sequence_blocks blocks;
    apply_worker *worker; /* [threads] */
    unsigned threads;
    uint32_t *labels; /* the result */
    double *general;
} apply_job;

/* The row of each name that occurs in x, to be freed. Names are found in steps (model.h), some at a
 * time. */
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

/* The rows of the features of instances begin .. begin+T-1 of x, given those of all names. */
static bool find_features(const cau_csr *x, const uint32_t *row, size_t begin, size_t T,
                          apply_rows *out)
{
    size_t n = 0;
    const size_t most = x->start ? x->start[begin + T] - x->start[begin] : 0;
    if (!CAU_GROW(out->start, out->start_room, T + 1) || !CAU_GROW(out->row, out->row_room, most) ||
        !CAU_GROW(out->value, out->value_room, most))
        return false;
    for (size_t t = 0; t < T; t++) {
        out->start[t] = n;
        for (size_t k = x->start ? x->start[begin + t] : 0; x->start && k < x->start[begin + t + 1];
             k++) {
            out->row[n] = row[x->column[k]];
            out->value[n] = x->value ? x->value[k] : 1;
            n += out->row[n] != CAU_UNKNOWN;
        }
    }
    out->start[T] = n;
    return true;
}

static caucus_status label_block(void *self, size_t block, unsigned worker)
{
    const apply_job *a = self;
    apply_worker *w = &a->worker[worker];
    cau_labeller *l = &w->labeller;
    const size_t J = a->model->pool.J;
    for (size_t s = a->blocks.first[block]; s < a->blocks.first[block + 1]; s++) {
        const size_t begin = cau_sequence_at(&a->blocks, s);
        const size_t T = cau_sequence_length(&a->blocks, s);
        if (T == 0) continue;
        if (!find_features(&a->set->x, a->row, begin, T, &w->nodes) ||
            !find_features(&a->set->e, a->edge_row, begin, T, &w->edges))
            return CAUCUS_ERR_MEMORY;
        const cau_feature_rows rows = {.count = T,
                                       .groups = 1,
                                       .start = w->nodes.start,
                                       .row = w->nodes.row,
                                       .value = a->set->x.value ? w->nodes.value : NULL,
                                       .edge_start = a->model->edges.K ? w->edges.start : NULL,
                                       .edge_row = w->edges.row,
                                       .distinct = true};
        cau_scorer_begin(&l->scorer);
        caucus_status st = cau_scorer_add(&w->ctx, &l->scorer, &rows);
        if (!st) st = decode(&w->ctx, l, NULL);
        if (st) return st;
        for (size_t t = 0; t < T; t++) a->labels[begin + t] = a->label[l->decoded.path[t]];
        for (size_t t = 0; a->general && t < T; t++)
            a->general[begin + t] = l->scorer.mixing ? l->scorer.mixing[t * J + J - 1] : 1;
    }
    return CAUCUS_OK;
}

static caucus_status prepare(caucus_ctx *ctx, apply_job *a, const caucus_data *data)
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
    TRY(cau_decoder_init(ctx, &a->decoder, m, &(cau_decode_options){0}));
    if (cau_sequence_blocks_init(&a->blocks, a->set, true, 0)) TRY(no_memory(ctx));
    if (a->blocks.count < a->threads) a->threads = (unsigned)a->blocks.count;
    a->worker = cau_calloc(a->threads, sizeof *a->worker);
    if (!a->worker) TRY(no_memory(ctx));
    for (unsigned i = 0; i < a->threads; i++)
        TRY(cau_labeller_init(ctx, &a->worker[i].labeller, m, &a->decoder));
done:
    return st;
}

caucus_status cau_apply_set(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                            const cau_dataset *set, unsigned threads, uint32_t *labels,
                            double *general)
{
    caucus_status st = CAUCUS_OK;
    apply_job a = {.model = model,
                   .set = set,
                   .threads = threads ? threads : 1,
                   .labels = labels,
                   .general = general};
    TRY(prepare(ctx, &a, data));
    st = cau_parallel(a.threads, a.blocks.count, label_block, &a);
    if (st == CAUCUS_ERR_MEMORY) TRY(no_memory(ctx));
    if (st)
        TRY(cau_fail(ctx, st,
                     "the scores of a sequence are not finite; are the values of the data?"));
done:
    for (unsigned i = 0; a.worker && i < a.threads; i++) {
        apply_rows *const lists[] = {&a.worker[i].nodes, &a.worker[i].edges};
        for (size_t k = 0; k < 2; k++) {
            free(lists[k]->start);
            free(lists[k]->row);
            free(lists[k]->value);
        }
        cau_labeller_clear(&a.worker[i].labeller);
    }
    free(a.worker);
    cau_decoder_clear(&a.decoder);
    cau_sequence_blocks_clear(&a.blocks);
    free(a.row);
    free(a.edge_row);
    free(a.label);
    return st;
}
