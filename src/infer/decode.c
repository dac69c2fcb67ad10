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
 * nothing, they are those of the chain. A mixture of MaxEnt models is one at each position. With a
 * gate, who has how much say is told with the scores.
 *
 * In a stack the member labels the sequence first, by itself and without constraints, as it did for
 * training. Its label at a position is an observation there: its weights are added to the scores of
 * the model, which is then one like any other. */

#include "infer/decode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/kernels.h"

uint32_t cau_best_class(const double *s, size_t Y)
{
    uint32_t best = 0;
    for (uint32_t y = 1; y < Y; y++)
        if (s[y] > s[best]) best = y;
    return best;
}

/* Insertion into a short sorted list: most labels are worse than all in it. */
void cau_best_classes(const double *s, size_t Y, size_t n, uint32_t *best)
{
    size_t held = 0;
    for (uint32_t y = 0; y < Y; y++) {
        if (held == n && (n == 0 || !(s[y] > s[best[n - 1]]))) continue;
        size_t at = held < n ? held++ : n - 1;
        for (; at > 0 && s[y] > s[best[at - 1]]; at--) best[at] = best[at - 1];
        best[at] = y;
    }
}

/* The observations that labels of the member of a stack are. */
static caucus_status find_stacked(caucus_ctx *ctx, cau_decoder *d)
{
    const uint64_t *dropped = d->how.dropped ? d->how.dropped->nodes : NULL;
    cau_strbuf name = {0};
    d->stacked = cau_alloc(d->model->Y, sizeof *d->stacked);
    if (!d->stacked) return cau_fail_memory(ctx, "the labels of a stack");
    for (size_t y = 0; y < d->model->Y; y++) {
        uint32_t *row = &d->stacked[y];
        *row = cau_stack_row(d->model, y, &name);
        if (*row != CAU_UNKNOWN && dropped && cau_is_dropped(dropped, *row)) *row = CAU_UNKNOWN;
    }
    const caucus_status st = cau_strbuf_status(ctx, &name);
    cau_strbuf_clear(&name);
    return st;
}

caucus_status cau_decoder_init(caucus_ctx *ctx, cau_decoder *d, const caucus_model *model,
                               const cau_decode_options *how)
{
    caucus_status st = CAUCUS_OK;
    double *plain = NULL;
    const size_t Y = model->Y;
    *d = (cau_decoder){.model = model,
                       .pool = cau_stacked(model) ? NULL : cau_voting(model),
                       .voters = cau_voters(model),
                       .how = *how};
    if (cau_stacked(model)) TRY(find_stacked(ctx, d));
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
    free(d->stacked);
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
    free(decoded->stack);
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

/* The lattices of those who have a say. The others have none to look at, and get that of one who
 * has. */
static caucus_status lattices(const cau_decoder *d, cau_decoded *out, const cau_scores *scores)
{
    const cau_lattice *any = NULL;
    for (size_t j = 0; j < d->voters; j++) {
        if (cau_is_silent(d->model, j)) continue;
        const caucus_status st = d->ops->lattice(out->work[j], &d->a[j], out->T, scores[j].s,
                                                 scores[j].own, &out->lattice[j]);
        if (st) return st;
        any = &out->lattice[j];
    }
    if (!any) return CAUCUS_ERR_NUMERIC;
    for (size_t j = 0; j < d->voters; j++)
        if (cau_is_silent(d->model, j)) out->lattice[j] = *any;
    return CAUCUS_OK;
}

/* The lattice of a model, or the one that members give together. */
static caucus_status combine(const cau_decoder *d, cau_decoded *out, const cau_scores *scores,
                             const double *say, cau_lattice *x)
{
    const size_t last = d->voters - 1; /* a single model, or that of a stack */
    if (!d->pool)
        return d->ops->lattice(out->work[last], &d->a[last], out->T, scores->s, scores->own, x);
    cau_pool pool = *d->pool;
    pool.say = say;
    const caucus_status st = lattices(d, out, scores);
    return st ? st : cau_pool_lattice(out->pool, &pool, out->lattice, x);
}

/* Whether the best labellings are those that members propose. */
static bool rescores(const cau_decoder *d, const cau_forced *forced)
{
    const cau_pool *pool = d->pool;
    const cau_scheme_constraints *scheme = d->how.scheme;
    return pool && pool->combine == CAU_COMBINE_MIXTURE && pool->per == CAU_PER_SEQUENCE &&
           pool->mix == CAU_MIX_RESCORE && !forced && !(scheme && scheme->edge);
}

/* ---- stacks -------------------------------------------------------------------------- */

/* The scores of a stack, with what its member answers as an observation:
 *     s_t(y) = s_t(y) of the model + w[answer_t][y]
 * in the memory of `out`. scores [2]: of the member, of the model without it. */
static caucus_status stack(const cau_decoder *d, cau_decoded *out, const cau_scores *scores,
                           cau_scores *stacked)
{
    caucus_status st = CAUCUS_OK;
    const size_t T = out->T, Y = d->model->Y;
    if (!CAU_GROW(out->path, out->path_room, T) || !room(&out->stack, &out->stack_room, T, Y, 1))
        return CAUCUS_ERR_MEMORY;
    if (d->ops) {
        TRY(d->ops->lattice(*out->work, d->a, T, scores->s, scores->own, out->lattice));
        TRY(cau_chain_best(*out->work, out->lattice, out->path, NULL));
    } else {
        for (size_t t = 0; t < T; t++) out->path[t] = cau_best_class(scores->s + t * Y, Y);
    }
    memcpy(out->stack, scores[1].s, T * Y * sizeof *out->stack);
    for (size_t t = 0; t < T; t++) {
        const uint32_t row = d->stacked[out->path[t]];
        if (row != CAU_UNKNOWN) cau_model_add(&d->model->nodes, 1, &row, NULL, out->stack + t * Y);
    }
    *stacked = (cau_scores){.s = out->stack, .own = scores[1].own};
done:
    return st;
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
static caucus_status constrain(const cau_scheme_constraints *scheme, const cau_forced *forced,
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
static caucus_status posterior(const cau_scheme_constraints *scheme, cau_decoded *out, size_t Y)
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

static caucus_status segments(const cau_scheme_constraints *scheme, const cau_lattice *x,
                              cau_decoded *out)
{
    const size_t T = x->T;
    if (!room(&out->segment, &out->segment_room, out->count, T, 1)) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < out->count; i++) {
        const uint32_t *path = out->path + i * T;
        for (size_t t = 0; t < T; t++) {
            const size_t end = cau_scheme_constraints_segment(scheme, path, T, t);
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

/* A mixture of MaxEnt models, each position for itself: p(y_t|x) = sum_j alpha_j p_j(y_t|x), or
 * say_tj for alpha_j. */
static caucus_status decode_mixture(const cau_decoder *d, cau_decoded *out,
                                    const cau_scores *scores, const double *say)
{
    const size_t T = out->T, Y = d->model->Y, J = d->voters;
    if (!CAU_GROW(out->path, out->path_room, T) ||
        !room(&out->marginal, &out->marginal_room, T, Y, 1) ||
        !room(&out->node, &out->node_room, T, Y, 1) ||
        !room(&out->posterior, &out->posterior_room, T, 1, 1))
        return CAUCUS_ERR_MEMORY;
    memset(out->marginal, 0, T * Y * sizeof *out->marginal);
    for (size_t j = 0; j < J; j++) {
        if (cau_is_silent(d->model, j)) continue;
        memcpy(out->node, scores[j].s, T * Y * sizeof *out->node);
        cau_kernels_get()->softmax(T, Y, out->node, out->posterior);
        for (size_t t = 0; t < T; t++) {
            const double share = cau_share(d->pool, say ? say + t * J : NULL, j);
            for (size_t i = t * Y; i < (t + 1) * Y; i++) out->marginal[i] += share * out->node[i];
        }
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
                         const double *say, const cau_forced *forced)
{
    caucus_status st = CAUCUS_OK;
    const cau_decode_options *how = &d->how;
    const cau_scheme_constraints *scheme = how->scheme;
    cau_scores stacked;
    cau_lattice x;
    assert(T > 0 && !say == !d->model->gate.base);
    out->T = T;
    if (d->stacked) {
        TRY(stack(d, out, scores, &stacked));
        scores = &stacked;
    }
    if (!d->ops)
        return d->pool ? decode_mixture(d, out, scores, say) : decode_apart(d, out, scores->s);

    const size_t Y = d->model->Y;
    const bool marginals = how->marginals || how->rule == CAU_DECODE_POSTERIOR;
    TRY(combine(d, out, scores, say, &x));
    if (forced || (scheme && scheme->edge)) TRY(constrain(scheme, forced, out, &x));
    if (marginals && !room(&out->marginal, &out->marginal_room, T, Y, 1)) TRY(CAUCUS_ERR_MEMORY);
    if (marginals || how->probability || how->segments)
        TRY(cau_chain_sum(*out->work, &x, &out->logz, marginals ? out->marginal : NULL, NULL));
    TRY(label(d, &x, rescores(d, forced), out));
    if (how->segments) TRY(segments(scheme, &x, out));
done:
    return st;
}
