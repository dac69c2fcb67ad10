/* decode.c - from the scores of a sequence to its labels and their probabilities.
 *
 * A CRF and a MEMM give a lattice, whose paths have the scores of the model (model/chain.h). A
 * constraint is -INFINITY in it: on the labels of a position other than the given ones, on
 * transitions that a scheme forbids, at both ends. What remains is the model given the
 * constraint,
 *     p(y | x, C) = [y in C] exp score(y) / sum over y' in C of exp score(y'),
 * and everything below is asked of that lattice:
 *
 *     labels     argmax_y score(y), and the n best
 *     posterior  argmax_{y_t} p(y_t | x), or, under a scheme, the legal path with the largest
 *                sum_t log p(y_t | x): a second lattice with the scheme on its edges
 *     path       exp(score(y) - log Z)
 *     segment    exp(log Z of the paths that have its labels there - log Z)
 *
 * In a MaxEnt model positions are independent: the labels are the best of each, and the
 * marginals are a softmax.
 *
 * In a pool each member gives a lattice, and these become one (model/pool.h), of which
 * everything is asked as above. So a constraint is put on what the members say together,
 *     p(y | x, C) = [y in C] p_pool(y | x) / p_pool(C | x),
 * not on each of them. The exception is `rescore`, where the labellings are the best of those
 * that members propose, by the mixture itself; with a constraint, of which the members know
 * nothing, they are those of the chain. A mixture of MaxEnt models is one at each position. */

#include "apply/decode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/kernels.h"

caucus_status cau_decoder_init(caucus_ctx *ctx, cau_decoder *d, const caucus_model *model,
                               const cau_decode_options *how)
{
    caucus_status st = CAUCUS_OK;
    double *plain = NULL;
    const size_t Y = model->Y;
    *d = (cau_decoder){
        .model = model, .pool = cau_voting(model), .voters = cau_voters(model), .how = *how};
    if (model->kind == CAU_KIND_MAXENT) return CAUCUS_OK;

    d->ops = model->kind == CAU_KIND_CRF ? &cau_crf_ops : &cau_memm_ops;
    d->a = cau_calloc(d->voters, sizeof *d->a);
    plain = cau_alloc(Y * Y, sizeof *plain); /* tables of that size exist already */
    if (!d->a || !plain) TRY(cau_fail_memory(ctx, "the transitions of a model"));
    for (size_t j = 0; j < d->voters; j++) {
        const caucus_model voter = cau_voter(model, j);
        for (size_t i = 0; voter.plain && i < Y * Y; i++) plain[i] = (double)voter.plain[i];
        TRY(cau_transitions_init(ctx, &d->a[j], Y));
        cau_transitions_set(&d->a[j], voter.plain ? plain : NULL);
    }
done:
    free(plain);
    if (st) cau_decoder_clear(d);
    return st;
}

void cau_decoder_clear(cau_decoder *d)
{
    for (size_t j = 0; d->a && j < d->voters; j++) cau_transitions_clear(&d->a[j]);
    free(d->a);
    *d = (cau_decoder){0};
}

caucus_status cau_decoded_init(caucus_ctx *ctx, cau_decoded *decoded, const cau_decoder *d)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = d->model->Y;
    *decoded = (cau_decoded){.voters = d->voters};
    if (!d->ops) return CAUCUS_OK;
    decoded->work = cau_calloc(d->voters, sizeof(cau_chain_work *));
    decoded->lattice = cau_calloc(d->voters, sizeof *decoded->lattice);
    if (!decoded->work || !decoded->lattice) TRY(cau_fail_memory(ctx, "the labels of a sequence"));
    for (size_t j = 0; j < d->voters; j++) TRY(cau_chain_work_new(ctx, Y, &decoded->work[j]));
    if (d->pool) TRY(cau_pool_work_new(ctx, Y, d->voters, &decoded->pool));
done:
    return st;
}

void cau_decoded_clear(cau_decoded *decoded)
{
    free(decoded->path);
    free(decoded->probability);
    free(decoded->marginal);
    free(decoded->segment);
    free(decoded->node);
    free(decoded->edge);
    free(decoded->posterior);
    for (size_t j = 0; decoded->work && j < decoded->voters; j++)
        cau_chain_work_free(decoded->work[j]);
    free(decoded->work);
    free(decoded->lattice);
    cau_pool_work_free(decoded->pool);
    *decoded = (cau_decoded){0};
}

/* Room for a * b * c items. */
static bool room(double **array, size_t *capacity, size_t a, size_t b, size_t c)
{
    size_t need;
    return cau_size_mul(a, b, &need) && cau_size_mul(need, c, &need) &&
           cau_grow((void **)array, capacity, need, sizeof **array);
}

/* ---- pools --------------------------------------------------------------------------- */

/* The lattice that the voters give together. */
static caucus_status combine(const cau_decoder *d, cau_decoded *out, const cau_scores *scores,
                             cau_lattice *x)
{
    caucus_status st = CAUCUS_OK;
    for (size_t j = 0; j < d->voters; j++)
        TRY(d->ops->lattice(out->work[j], &d->a[j], out->T, scores[j].s, scores[j].own,
                            &out->lattice[j]));
    *x = *out->lattice;
    if (d->pool) TRY(cau_pool_lattice(out->pool, d->pool, out->lattice, x));
done:
    return st;
}

/* Whether the best labellings are those that members propose. */
static bool rescores(const cau_decoder *d, const cau_forced *forced)
{
    const cau_pool *pool = d->pool;
    const cau_allowed *scheme = d->how.scheme;
    return pool && pool->combine == CAU_COMBINE_MIXTURE && pool->per == CAU_PER_SEQUENCE &&
           pool->mix == CAU_MIX_RESCORE && !forced && !(scheme && scheme->edge);
}

/* ---- constraints --------------------------------------------------------------------- */

/* Makes all labels of a position impossible but the given ones. */
static void force(size_t Y, double *node, uint32_t gold, const cau_label_sets *sets)
{
    if (gold == CAU_UNKNOWN) return;
    const uint32_t *label = &gold;
    size_t count = 1;
    if (gold >= CAU_SET) {
        const size_t set = gold - CAU_SET;
        label = sets->label + sets->start[set];
        count = sets->start[set + 1] - sets->start[set];
    }
    for (size_t y = 0, i = 0; y < Y; y++) {
        if (i < count && label[i] == y)
            i++;
        else
            node[y] = -INFINITY;
    }
}

/* x with the constraints in it: copies in the memory of `out`. */
static caucus_status constrain(const cau_allowed *scheme, const cau_forced *forced,
                               cau_decoded *out, cau_lattice *x)
{
    const size_t T = x->T, Y = x->Y;
    if (!room(&out->node, &out->node_room, T, Y, 1)) return CAUCUS_ERR_MEMORY;
    memcpy(out->node, x->node, T * Y * sizeof *out->node);
    for (size_t t = 0; forced && t < T; t++)
        force(Y, out->node + t * Y, forced->gold[t], forced->sets);
    x->node = out->node;
    if (!scheme || !scheme->edge) return CAUCUS_OK;

    double *last = out->node + (T - 1) * Y;
    for (size_t y = 0; y < Y; y++) {
        out->node[y] += scheme->first[y];
        last[y] += scheme->last[y];
    }
    const size_t tables = x->own ? T : 1, cells = Y * Y;
    if (!room(&out->edge, &out->edge_room, tables, Y, Y)) return CAUCUS_ERR_MEMORY;
    for (size_t t = 0; t < tables; t++)
        for (size_t c = 0; c < cells; c++)
            out->edge[t * cells + c] = x->edge[t * cells + c] + scheme->edge[c];
    x->edge = out->edge;
    return CAUCUS_OK;
}

/* ---- labels -------------------------------------------------------------------------- */

/* The most probable label of each position, or the best legal path through these. */
static caucus_status posterior(const cau_allowed *scheme, cau_decoded *out, size_t Y)
{
    const size_t T = out->T;
    if (!scheme || !scheme->edge) {
        for (size_t t = 0; t < T; t++) out->path[t] = cau_best_class(out->marginal + t * Y, Y);
        return CAUCUS_OK;
    }
    if (!room(&out->posterior, &out->posterior_room, T, Y, 1)) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < T * Y; i++) out->posterior[i] = log(out->marginal[i]);
    const cau_lattice x = {.T = T, .Y = Y, .node = out->posterior, .edge = scheme->edge};
    return cau_chain_best(*out->work, &x, out->path, NULL);
}

/* The labellings asked for, with their probabilities if these are wanted. */
static caucus_status label(const cau_decoder *d, const cau_lattice *x, bool rescore,
                           cau_decoded *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_decode_options *how = &d->how;
    const size_t T = x->T, most = how->nbest > 1 ? how->nbest : 1;
    size_t labels;
    if (!cau_size_mul(most, T, &labels) || !CAU_GROW(out->path, out->path_room, labels) ||
        !CAU_GROW(out->probability, out->probability_room, most))
        return CAUCUS_ERR_MEMORY;

    /* the scores of the labellings, then their probabilities */
    double *p = out->probability;
    out->count = 1;
    if (how->rule == CAU_DECODE_POSTERIOR) {
        TRY(posterior(how->scheme, out, x->Y));
        *p = cau_chain_score(x, out->path);
    } else if (rescore) { /* log p, as the lattice has it: its log Z is 0 */
        const size_t n = most > CAU_RESCORE ? most : CAU_RESCORE;
        TRY(cau_pool_rescore(out->pool, d->pool, out->lattice, n, most, out->path, p, &out->count));
    } else if (most == 1) {
        TRY(cau_chain_best(*out->work, x, out->path, p));
    } else {
        TRY(cau_chain_nbest(*out->work, x, most, out->path, p, &out->count));
    }
    out->score = *p;
    for (size_t i = 0; how->probability && i < out->count; i++) p[i] = exp(p[i] - out->logz);
done:
    return st;
}

static caucus_status segments(const cau_allowed *scheme, const cau_lattice *x, cau_decoded *out)
{
    const size_t T = x->T;
    if (!room(&out->segment, &out->segment_room, out->count, T, 1)) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < out->count; i++) {
        const uint32_t *path = out->path + i * T;
        for (size_t t = 0; t < T; t++) {
            const size_t end = cau_allowed_segment(scheme, path, T, t);
            double within, *p = &out->segment[i * T + t];
            *p = -1;
            if (end == t) continue;
            const caucus_status st = cau_chain_within(*out->work, x, path, t, end, &within);
            if (st) return st;
            *p = exp(within - out->logz);
        }
    }
    return CAUCUS_OK;
}

/* ---- sequences ----------------------------------------------------------------------- */

/* A MaxEnt model: each position for itself. */
static caucus_status decode_apart(const cau_decoder *d, cau_decoded *out, const double *s)
{
    const size_t T = out->T, Y = d->model->Y;
    if (!CAU_GROW(out->path, out->path_room, T)) return CAUCUS_ERR_MEMORY;
    out->count = 1;
    out->score = out->logz = 0;
    for (size_t t = 0; t < T; t++) {
        out->path[t] = cau_best_class(s + t * Y, Y);
        out->score += s[t * Y + out->path[t]];
    }
    if (!d->how.marginals) return CAUCUS_OK;

    if (!room(&out->marginal, &out->marginal_room, T, Y, 1) ||
        !room(&out->node, &out->node_room, T, 1, 1))
        return CAUCUS_ERR_MEMORY;
    memcpy(out->marginal, s, T * Y * sizeof *s);
    cau_kernels_get()->softmax(T, Y, out->marginal, out->node);
    for (size_t t = 0; t < T; t++) out->logz += out->node[t];
    return CAUCUS_OK;
}

/* p [n] += share * q, one member's part of a mixture. */
static void add_share(size_t n, double share, const double *q, double *p)
{
    for (size_t i = 0; i < n; i++) p[i] += share * q[i];
}

/* The share of member j in a mixture: alphas need not sum to 1. */
static double share_of(const cau_pool *pool, size_t j)
{
    double sum = 0;
    for (size_t i = 0; i < pool->J; i++) sum += pool->alpha[i];
    return pool->alpha[j] / sum;
}

/* A mixture of MaxEnt models, each position for itself: p(y_t|x) = sum_j alpha_j p_j(y_t|x). */
static caucus_status decode_mixture(const cau_decoder *d, cau_decoded *out,
                                    const cau_scores *scores)
{
    const size_t T = out->T, Y = d->model->Y;
    if (!CAU_GROW(out->path, out->path_room, T) ||
        !room(&out->marginal, &out->marginal_room, T, Y, 1) ||
        !room(&out->node, &out->node_room, T, Y, 1) ||
        !room(&out->posterior, &out->posterior_room, T, 1, 1))
        return CAUCUS_ERR_MEMORY;
    memset(out->marginal, 0, T * Y * sizeof *out->marginal);
    for (size_t j = 0; j < d->voters; j++) {
        memcpy(out->node, scores[j].s, T * Y * sizeof *out->node);
        cau_kernels_get()->softmax(T, Y, out->node, out->posterior);
        add_share(T * Y, share_of(d->pool, j), out->node, out->marginal);
    }
    out->count = 1;
    out->score = out->logz = 0;
    for (size_t t = 0; t < T; t++) {
        out->path[t] = cau_best_class(out->marginal + t * Y, Y);
        out->score += log(out->marginal[t * Y + out->path[t]]);
    }
    return CAUCUS_OK;
}

caucus_status cau_decode(const cau_decoder *d, cau_decoded *out, size_t T, const cau_scores *scores,
                         const cau_forced *forced)
{
    const cau_decode_options *how = &d->how;
    const cau_allowed *scheme = how->scheme;
    assert(T > 0);
    out->T = T;
    if (!d->ops) return d->pool ? decode_mixture(d, out, scores) : decode_apart(d, out, scores->s);

    caucus_status st = CAUCUS_OK;
    cau_lattice x;
    const size_t Y = d->model->Y;
    const bool marginals = how->marginals || how->rule == CAU_DECODE_POSTERIOR;
    TRY(combine(d, out, scores, &x));
    if (forced || (scheme && scheme->edge)) TRY(constrain(scheme, forced, out, &x));
    if (marginals && !room(&out->marginal, &out->marginal_room, T, Y, 1)) TRY(CAUCUS_ERR_MEMORY);
    if (marginals || how->probability || how->segments)
        TRY(cau_chain_sum(*out->work, &x, &out->logz, marginals ? out->marginal : NULL, NULL));
    TRY(label(d, &x, rescores(d, forced), out));
    if (how->segments) TRY(segments(scheme, &x, out));
done:
    return st;
}

/* ---- from memory --------------------------------------------------------------------- */

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

/* Scores of a sequence by each voter: scores [voters], zeroed, to be freed by the caller. */
static caucus_status score_items(caucus_ctx *ctx, const caucus_model *model,
                                 const caucus_item *items, size_t T, cau_scores *scores)
{
    const size_t Y = model->Y;
    for (size_t j = 0; j < cau_voters(model); j++) {
        const caucus_model voter = cau_voter(model, j);
        cau_scores *by = &scores[j];
        if (!room(&by->s, &by->s_room, T, Y, 1) ||
            (voter.edges.K && !room(&by->own, &by->own_room, T, Y, Y)))
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
    const cau_decode_options how = {.marginals = marginal || logz};
    if (score) *score = 0;
    if (logz) *logz = 0;
    if (T == 0) return CAUCUS_OK;

    TRY(check_items(ctx, model, items, T));
    TRY(cau_decoder_init(ctx, &decoder, model, &how));
    TRY(cau_decoded_init(ctx, &decoded, &decoder));
    scores = cau_calloc(decoder.voters, sizeof *scores);
    if (!scores) TRY(cau_fail_memory(ctx, "the scores of a sequence"));
    TRY(score_items(ctx, model, items, T, scores));
    st = cau_decode(&decoder, &decoded, T, scores, NULL);
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
    cau_decoded_clear(&decoded);
    cau_decoder_clear(&decoder);
    return st;
}

/* A sequence of one has no edges, so there every product comes to the sums of the weights. */
caucus_status cau_predict(const caucus_model *model, const caucus_feature *features, size_t count,
                          double *p)
{
    const size_t Y = model->Y;
    const cau_pool *pool = cau_voting(model);
    double logz;
    if (model->nodes.width != Y || !is_finite(features, count)) return CAUCUS_ERR_ARGUMENT;
    if (!pool || pool->combine == CAU_COMBINE_PRODUCT) {
        score_item(model, features, count, p, NULL);
        cau_kernels_get()->softmax(1, Y, p, &logz);
        return CAUCUS_OK;
    }
    double *q = cau_alloc(Y, sizeof *q);
    if (!q) return CAUCUS_ERR_MEMORY;
    memset(p, 0, Y * sizeof *p);
    for (size_t j = 0; j < pool->J; j++) {
        const caucus_model voter = cau_voter(model, j);
        score_item(&voter, features, count, q, NULL);
        cau_kernels_get()->softmax(1, Y, q, &logz);
        add_share(Y, share_of(pool, j), q, p);
    }
    free(q);
    return CAUCUS_OK;
}
