/* label.c - labels and probabilities of what a program has in memory: names and values.
 *
 * A name is looked up for each voter, which is not the fast way (score.c is) but needs no memory.
 * The gate of a pool, which has to see what stands in several places as one, gets the rows. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "infer/decode.h"
#include "math/kernels.h"

static bool is_finite(const caucus_feature *features, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite((float)features[i].value)) return false;
    return true;
}

/* Scores of an instance by a model: s [Y], own [Y][Y] or NULL. */
static void score_item(const caucus_model *m, const caucus_feature *features, size_t count,
                       double *s, double *own)
{
    const size_t Y = m->Y;
    for (size_t y = 0; y < Y; y++) s[y] = m->bias ? (double)m->bias[y] : 0;
    if (own) memset(own, 0, Y * Y * sizeof *own);
    for (size_t i = 0; i < count; i++) {
        const float value = (float)features[i].value;
        const uint64_t hash = cau_model_hash(m, features[i].name, strlen(features[i].name));
        const uint32_t node = cau_model_answer(&m->nodes, hash);
        if (node != CAU_UNKNOWN) cau_model_add(&m->nodes, 1, &node, &value, s);
        if (!own) continue;
        const uint32_t edge = cau_model_answer(&m->edges, hash);
        if (edge != CAU_UNKNOWN) cau_model_add(&m->edges, 1, &edge, &value, own);
    }
}

/* What the gate of a pool looks at. Embed it zeroed, clear it at the end. */
typedef struct {
    cau_gate_work work;
    uint32_t *row; /* of the features that the pool knows */
    float *value;
    size_t row_room, value_room;
} gate_input;

static void gate_clear(gate_input *in)
{
    cau_gate_clear(&in->work);
    free(in->row);
    free(in->value);
}

/* say [J] of an instance; false when memory is short. */
static bool item_say(gate_input *in, const caucus_model *m, const caucus_feature *features,
                     size_t count, double *say)
{
    size_t known = 0;
    if (!CAU_GROW(in->row, in->row_room, count) || !CAU_GROW(in->value, in->value_room, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        in->row[known] = cau_model_find(m, &m->nodes, features[i].name, strlen(features[i].name));
        in->value[known] = (float)features[i].value;
        known += in->row[known] != CAU_UNKNOWN;
    }
    return cau_gate_say(&in->work, m, known, in->row, in->value, false, say);
}

/* say [T][J] of a sequence, to be freed; NULL where there is no gate. */
static caucus_status say_of_items(caucus_ctx *ctx, const caucus_model *model,
                                  const caucus_item *items, size_t T, double **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = model->pool.J;
    gate_input in = {0};
    double *say = NULL;
    size_t cells;
    *out = NULL;
    if (!model->gate.base) return CAUCUS_OK;
    if (cau_size_mul(T, J, &cells)) say = cau_alloc(cells, sizeof *say);
    bool done = say != NULL;
    for (size_t t = 0; done && t < T; t++)
        done = item_say(&in, model, items[t].features, items[t].count, say + t * J);
    if (!done) TRY(cau_fail_memory(ctx, "the scores of a sequence"));
    *out = say;
    say = NULL;
done:
    gate_clear(&in);
    free(say);
    return st;
}

/* Scores of a sequence by each voter: scores [voters], zeroed, to be freed by the caller. */
static caucus_status score_items(caucus_ctx *ctx, const caucus_model *model,
                                 const caucus_item *items, size_t T, cau_scores *scores)
{
    const size_t Y = model->Y;
    for (size_t j = 0; j < cau_voters(model); j++) {
        const caucus_model voter = cau_voter(model, j);
        cau_scores *by = &scores[j];
        size_t need, cells;
        if (cau_is_silent(model, j)) continue;
        if (!cau_size_mul(T, Y, &need) || !CAU_GROW(by->s, by->s_room, need) ||
            (voter.edges.K &&
             (!cau_size_mul(need, Y, &cells) || !CAU_GROW(by->own, by->own_room, cells))))
            return cau_fail_memory(ctx, "the scores of a sequence");
        for (size_t t = 0; t < T; t++)
            score_item(&voter, items[t].features, items[t].count, by->s + t * Y,
                       by->own ? by->own + t * Y * Y : NULL);
    }
    return CAUCUS_OK;
}

static caucus_status check_items(caucus_ctx *ctx, const caucus_model *model,
                                 const caucus_item *items, size_t T)
{
    if (model->nodes.width != model->Y)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "this model has its features for each class apart; use `caucus tag`");
    for (size_t t = 0; t < T; t++)
        if (!is_finite(items[t].features, items[t].count))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "the value of a feature is not finite; correct it");
    return CAUCUS_OK;
}

caucus_status cau_label(caucus_ctx *ctx, const caucus_model *model, const caucus_item *items,
                        size_t T, uint32_t *path, double *marginal, double *score, double *logz)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = model->Y;
    cau_decoder decoder = {0};
    cau_decoded decoded = {0};
    cau_scores *scores = NULL;
    double *say = NULL;
    const cau_decode_options how = {.marginals = marginal || logz};
    if (score) *score = 0;
    if (logz) *logz = 0;
    if (T == 0) return CAUCUS_OK;

    TRY(cau_model_verify(ctx, model));
    TRY(check_items(ctx, model, items, T));
    TRY(cau_decoder_init(ctx, &decoder, model, &how));
    TRY(cau_decoded_init(ctx, &decoded, &decoder));
    scores = cau_calloc(decoder.voters, sizeof *scores);
    if (!scores) TRY(cau_fail_memory(ctx, "the scores of a sequence"));
    TRY(score_items(ctx, model, items, T, scores));
    TRY(say_of_items(ctx, model, items, T, &say));
    st = cau_decode(&decoder, &decoded, T, scores, say, NULL);
    if (st == CAUCUS_ERR_MEMORY) TRY(cau_fail_memory(ctx, "the labels of a sequence"));
    if (st) TRY(cau_fail(ctx, st, "the scores of a sequence are not finite; are its values?"));
    memcpy(path, decoded.path, T * sizeof *path);
    if (marginal) memcpy(marginal, decoded.marginal, T * Y * sizeof *marginal);
    if (score) *score = decoded.score;
    if (logz) *logz = decoded.logz;
done:
    for (size_t j = 0; scores && j < decoder.voters; j++) {
        free(scores[j].s);
        free(scores[j].own);
    }
    free(scores);
    free(say);
    cau_decoded_clear(&decoded);
    cau_decoder_clear(&decoder);
    return st;
}

/* p <- p(y | x) of a mixture: sum_j share_j p_j(y | x). */
static caucus_status predict_mixture(const caucus_model *model, const caucus_feature *features,
                                     size_t count, double *p)
{
    caucus_status st = CAUCUS_ERR_MEMORY;
    const size_t Y = model->Y;
    const cau_pool *pool = &model->pool;
    gate_input in = {0};
    double logz, say[CAU_MEMBERS_MOST], *q = cau_alloc(Y, sizeof *q);
    const bool gated = model->gate.base != NULL;
    if (!q || (gated && !item_say(&in, model, features, count, say))) goto done;
    memset(p, 0, Y * sizeof *p);
    for (size_t j = 0; j < pool->J; j++) {
        if (cau_is_silent(model, j)) continue;
        const caucus_model voter = cau_voter(model, j);
        const double share = cau_share(pool, gated ? say : NULL, j);
        score_item(&voter, features, count, q, NULL);
        cau_kernels_get()->softmax(1, Y, q, &logz);
        for (size_t y = 0; y < Y; y++) p[y] += share * q[y];
    }
    st = CAUCUS_OK;
done:
    gate_clear(&in);
    free(q);
    return st;
}

/* p <- p(y | x) of a stack: its member is asked first. */
static caucus_status predict_stacked(const caucus_model *model, const caucus_feature *features,
                                     size_t count, double *p)
{
    const caucus_model member = cau_voter(model, 0);
    const size_t Y = model->Y;
    cau_strbuf name = {0};
    double *q = cau_alloc(Y, sizeof *q);
    uint32_t row = CAU_UNKNOWN;
    bool done = q != NULL;
    if (done) {
        score_item(&member, features, count, q, NULL);
        row = cau_stack_row(model, cau_best_class(q, Y), &name);
        done = !name.failed;
    }
    if (done) {
        score_item(model, features, count, p, NULL);
        if (row != CAU_UNKNOWN) cau_model_add(&model->nodes, 1, &row, NULL, p);
        cau_kernels_get()->softmax(1, Y, p, q);
    }
    cau_strbuf_clear(&name);
    free(q);
    return done ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

/* A sequence of one has no edges, so there every product comes to the sums of the weights. */
caucus_status cau_predict(const caucus_model *model, const caucus_feature *features, size_t count,
                          double *p)
{
    const size_t Y = model->Y;
    const cau_pool *pool = cau_voting(model);
    double logz;
    if (model->nodes.width != Y || !is_finite(features, count)) return CAUCUS_ERR_ARGUMENT;
    if (cau_model_verify(NULL, model)) return CAUCUS_ERR_FORMAT;
    if (pool && pool->combine == CAU_COMBINE_MIXTURE)
        return predict_mixture(model, features, count, p);
    if (pool && pool->combine == CAU_COMBINE_STACK)
        return predict_stacked(model, features, count, p);
    score_item(model, features, count, p, NULL);
    cau_kernels_get()->softmax(1, Y, p, &logz);
    return CAUCUS_OK;
}
