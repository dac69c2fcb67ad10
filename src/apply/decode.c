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
 * marginals are a softmax. */

#include "apply/decode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply/score.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/kernels.h"

caucus_status cau_decoder_init(caucus_ctx *ctx, cau_decoder *d, const caucus_model *model,
                               const cau_decode_options *how)
{
    caucus_status st = CAUCUS_OK;
    double *plain = NULL;
    const size_t Y = model->Y;
    *d = (cau_decoder){.model = model, .how = *how};
    if (model->kind == CAU_KIND_MAXENT) return CAUCUS_OK;

    d->ops = model->kind == CAU_KIND_CRF ? &cau_crf_ops : &cau_memm_ops;
    TRY(cau_transitions_init(ctx, &d->a, Y));
    if (model->plain) {
        plain = cau_alloc(Y * Y, sizeof *plain); /* the image has that many floats */
        if (!plain) TRY(cau_fail_memory(ctx, "the transitions of a model"));
        for (size_t i = 0; i < Y * Y; i++) plain[i] = (double)model->plain[i];
    }
    cau_transitions_set(&d->a, plain);
done:
    free(plain);
    if (st) cau_decoder_clear(d);
    return st;
}

void cau_decoder_clear(cau_decoder *d)
{
    cau_transitions_clear(&d->a);
    *d = (cau_decoder){0};
}

caucus_status cau_decoded_init(caucus_ctx *ctx, cau_decoded *decoded, const cau_decoder *d)
{
    *decoded = (cau_decoded){0};
    return d->ops ? cau_chain_work_new(ctx, d->model->Y, &decoded->work) : CAUCUS_OK;
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
    cau_chain_work_free(decoded->work);
    *decoded = (cau_decoded){0};
}

/* Room for a * b * c items. */
static bool room(double **array, size_t *capacity, size_t a, size_t b, size_t c)
{
    size_t need;
    return cau_size_mul(a, b, &need) && cau_size_mul(need, c, &need) &&
           cau_grow((void **)array, capacity, need, sizeof **array);
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
    return cau_chain_best(out->work, &x, out->path, NULL);
}

/* The labellings asked for, with their probabilities if these are wanted. */
static caucus_status label(const cau_decode_options *how, const cau_lattice *x, cau_decoded *out)
{
    caucus_status st = CAUCUS_OK;
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
    } else if (most == 1) {
        TRY(cau_chain_best(out->work, x, out->path, p));
    } else {
        TRY(cau_chain_nbest(out->work, x, most, out->path, p, &out->count));
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
            const caucus_status st = cau_chain_within(out->work, x, path, t, end, &within);
            if (st) return st;
            *p = exp(within - out->logz);
        }
    }
    return CAUCUS_OK;
}

/* ---- sequences ----------------------------------------------------------------------- */

/* A MaxEnt model: each position for itself. */
static caucus_status decode_apart(const cau_decoder *d, cau_decoded *out, size_t T, const double *s)
{
    const size_t Y = d->model->Y;
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

caucus_status cau_decode(const cau_decoder *d, cau_decoded *out, size_t T, const double *s,
                         const double *own, const cau_forced *forced)
{
    const cau_decode_options *how = &d->how;
    const cau_allowed *scheme = how->scheme;
    assert(T > 0);
    out->T = T;
    if (!d->ops) return decode_apart(d, out, T, s);

    caucus_status st = CAUCUS_OK;
    cau_lattice x;
    const size_t Y = d->model->Y;
    const bool marginals = how->marginals || how->rule == CAU_DECODE_POSTERIOR;
    TRY(d->ops->lattice(out->work, &d->a, T, s, own, &x));
    if (forced || (scheme && scheme->edge)) TRY(constrain(scheme, forced, out, &x));
    if (marginals && !room(&out->marginal, &out->marginal_room, T, Y, 1)) TRY(CAUCUS_ERR_MEMORY);
    if (marginals || how->probability || how->segments)
        TRY(cau_chain_sum(out->work, &x, &out->logz, marginals ? out->marginal : NULL, NULL));
    TRY(label(how, &x, out));
    if (how->segments) TRY(segments(scheme, &x, out));
done:
    return st;
}

/* ---- from memory --------------------------------------------------------------------- */

/* Scores of the items: s [T][Y], own [T][Y][Y] or NULL. */
static caucus_status score_items(const caucus_model *m, const caucus_item *items, size_t T,
                                 double *s, double *own)
{
    const size_t Y = m->Y;
    for (size_t t = 0; t < T; t++) {
        for (size_t y = 0; y < Y; y++) s[t * Y + y] = m->bias ? (double)m->bias[y] : 0;
        for (size_t i = 0; i < items[t].count; i++) {
            const caucus_feature *f = &items[t].features[i];
            const float value = (float)f->value;
            const size_t n = strlen(f->name);
            if (!isfinite(value)) return CAUCUS_ERR_ARGUMENT;
            const uint32_t node = cau_model_find(m, &m->nodes, f->name, n);
            if (node != CAU_UNKNOWN) cau_model_add(&m->nodes, 1, &node, &value, s + t * Y);
            if (!own) continue;
            const uint32_t edge = cau_model_find(m, &m->edges, f->name, n);
            if (edge != CAU_UNKNOWN) cau_model_add(&m->edges, 1, &edge, &value, own + t * Y * Y);
        }
    }
    return CAUCUS_OK;
}

caucus_status cau_label(caucus_ctx *ctx, const caucus_model *model, const caucus_item *items,
                        size_t T, uint32_t *path, double *marginal, double *score, double *logz)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = model->Y;
    cau_decoder decoder = {0};
    cau_decoded decoded = {0};
    double *s = NULL, *own = NULL;
    size_t s_room = 0, own_room = 0;
    const cau_decode_options how = {.marginals = marginal || logz};
    if (score) *score = 0;
    if (logz) *logz = 0;
    if (T == 0) return CAUCUS_OK;
    if (model->nodes.width != Y)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "this model has its features for each class apart; use `caucus tag`"));

    TRY(cau_decoder_init(ctx, &decoder, model, &how));
    TRY(cau_decoded_init(ctx, &decoded, &decoder));
    if (!room(&s, &s_room, T, Y, 1)) TRY(cau_fail_memory(ctx, "the scores of a sequence"));
    if (model->edges.K) {
        if (!room(&own, &own_room, T, Y, Y)) TRY(cau_fail_memory(ctx, "the scores of a sequence"));
        memset(own, 0, T * Y * Y * sizeof *own);
    }
    if (score_items(model, items, T, s, own))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the value of a feature is not finite; correct it"));
    st = cau_decode(&decoder, &decoded, T, s, own, NULL);
    if (st == CAUCUS_ERR_MEMORY) TRY(cau_fail_memory(ctx, "the labels of a sequence"));
    if (st) TRY(cau_fail(ctx, st, "the scores of a sequence are not finite; are its values?"));
    memcpy(path, decoded.path, T * sizeof *path);
    if (marginal) memcpy(marginal, decoded.marginal, T * Y * sizeof *marginal);
    if (score) *score = decoded.score;
    if (logz) *logz = decoded.logz;
done:
    cau_decoded_clear(&decoded);
    cau_decoder_clear(&decoder);
    free(s);
    free(own);
    return st;
}
