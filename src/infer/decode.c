/* decode.c - from the scores of a sequence to its labels and their probabilities.
 *
 * A CRF or a MEMM gives a lattice, whose paths have the scores of the model (model/chain.h). A
 * constraint is -INFINITY in it: on labels other than the given ones, on transitions that a scheme
 * forbids, at both ends. What remains is the model given the constraint C,
 *     p(y | x, C) = [y in C] exp score(y) / sum over y' in C of exp score(y'),
 * and all results come from that lattice:
 *
 *     labels     argmax_y score(y), and the n best
 *     posterior  argmax_{y_t} p(y_t | x), or, under a scheme, the legal path with the largest
 *                sum_t log p(y_t | x): a second lattice with the scheme on its edges
 *     path       exp(score(y) - log Z)
 *     segment    exp(log Z of the paths with these labels there - log Z)
 *
 * Positions of a MaxEnt model are independent: each gets its best label, and the marginals are a
 * softmax.
 *
 * The members of a pool give a lattice each, and model/pool.h makes one of them. Constraints apply
 * to that one,
 *     p(y | x, C) = [y in C] p_pool(y | x) / p_pool(C | x),
 * not to each member. Two cases differ. The best labellings of a mixture that is decoded by
 * rescoring are chosen among those that the members propose. Members do not see constraints, so
 * with a constraint these are the labellings of the chain as well. Exact decoding puts the
 * constraint into the lattice of each member, so that their lists have allowed labellings only, and
 * divides by the exact p_pool(C | x). A mixture of MaxEnt models is a mixture at each position.
 * Where the pool equals one model with summed weights, its scores and transitions are the sums of
 * those of the members.
 *
 * In a stack the member labels the sequence first, alone and without constraints, as it did in
 * training. Its label at a position is an observation there, whose weights are added to the scores
 * of the model. The rest is as for a single model. */

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

/* ---- decoders ------------------------------------------------------------------------ */

/* The observations of a stack that stand for the labels of its member. */
static caucus_status find_stacked(caucus_ctx *ctx, cau_decoder *d, const caucus_model *model)
{
    const uint64_t *dropped = d->how.dropped ? d->how.dropped->nodes : NULL;
    cau_strbuf name = {0};
    d->nodes = &model->nodes;
    d->stacked = cau_alloc(d->Y, sizeof *d->stacked);
    if (!d->stacked) return cau_fail_memory(ctx, "the labels of a stack");
    for (size_t y = 0; y < d->Y; y++) {
        uint32_t *row = &d->stacked[y];
        *row = cau_stack_row(model, y, &name);
        if (*row != CAU_UNKNOWN && dropped && cau_is_dropped(dropped, *row)) *row = CAU_UNKNOWN;
    }
    const caucus_status st = cau_strbuf_status(ctx, &name);
    cau_strbuf_clear(&name);
    return st;
}

static caucus_status init_transitions(caucus_ctx *ctx, cau_decoder *d)
{
    caucus_status st = CAUCUS_OK;
    d->a = cau_calloc(d->voters + 1, sizeof *d->a);
    if (!d->a) return cau_fail_memory(ctx, "the transitions of a model");
    for (size_t j = 0; !st && j < d->voters + d->how.members; j++)
        st = cau_transitions_init(ctx, &d->a[j], d->Y);
    return st;
}

caucus_status cau_decoder_init(caucus_ctx *ctx, cau_decoder *d, const caucus_model *model,
                               const cau_decode_options *how)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = model->Y;
    double *plain = NULL;
    *d = (cau_decoder){
        .Y = Y, .voters = how->members ? model->pool.J : cau_voters(model), .how = *how};
    if (cau_stacked(model)) TRY(find_stacked(ctx, d, model));
    if (model->kind != CAU_KIND_MAXENT) {
        d->ops = model->kind == CAU_KIND_CRF ? &cau_crf_ops : &cau_memm_ops;
        TRY(init_transitions(ctx, d));
        plain = cau_alloc(Y * Y, sizeof *plain); /* no overflow: tables of that size exist */
        if (!plain) TRY(cau_fail_memory(ctx, "the transitions of a model"));
    }
    for (size_t j = 0; d->ops && j < d->voters; j++) {
        const caucus_model voter = how->members ? cau_pool_member(model, j) : cau_voter(model, j);
        for (size_t i = 0; voter.transitions && i < Y * Y; i++)
            plain[i] = (double)voter.transitions[i];
        cau_transitions_set(&d->a[j], voter.transitions ? plain : NULL);
    }
    if ((how->members || cau_voting(model)) && !d->stacked && cau_decoder_combine(d, &model->pool))
        TRY(cau_fail_memory(ctx, "the transitions of a model"));
done:
    free(plain);
    if (st) cau_decoder_clear(d);
    return st;
}

caucus_status cau_decoder_init_weights(caucus_ctx *ctx, cau_decoder *d, size_t Y,
                                       const cau_weight_layout *layout, size_t J,
                                       const double *const *w, const cau_decode_options *how)
{
    caucus_status st = CAUCUS_OK;
    *d = (cau_decoder){.Y = Y, .ops = layout->chain, .voters = J, .how = *how};
    if (d->ops) st = init_transitions(ctx, d);
    for (size_t j = 0; !st && w && j < J; j++) cau_decoder_set_weights(d, layout, j, w[j]);
    if (st) cau_decoder_clear(d);
    return st;
}

void cau_decoder_set_weights(cau_decoder *d, const cau_weight_layout *layout, size_t j,
                             const double *w)
{
    if (d->ops) cau_transitions_set(&d->a[j], cau_layout_common(layout, w));
}

caucus_status cau_decoder_combine(cau_decoder *d, const cau_pool *pool)
{
    assert(pool->J == d->voters);
    const size_t cells = d->Y * d->Y;
    d->pool = pool;
    d->sums = cau_pool_collapses(pool) || (!d->ops && pool->combine == CAU_COMBINE_PRODUCT);
    if (!d->ops || !d->sums) return CAUCUS_OK;
    double *sum = cau_calloc(cells, sizeof *sum);
    if (!sum) return CAUCUS_ERR_MEMORY;
    for (size_t j = 0; j < pool->J; j++)
        for (size_t i = 0; i < cells; i++) sum[i] += pool->alpha[j] * d->a[j].a[i];
    cau_transitions_set(&d->a[pool->J], sum);
    free(sum);
    return CAUCUS_OK;
}

void cau_decoder_clear(cau_decoder *d)
{
    for (size_t j = 0; d->a && j <= d->voters; j++) cau_transitions_clear(&d->a[j]);
    free(d->a);
    free(d->stacked);
    *d = (cau_decoder){0};
}

caucus_status cau_decoded_init(caucus_ctx *ctx, cau_decoded *decoded, const cau_decoder *d)
{
    caucus_status st = CAUCUS_OK;
    *decoded = (cau_decoded){.voters = d->voters};
    if (!d->ops) return CAUCUS_OK;
    decoded->work = cau_calloc(d->voters, sizeof(cau_chain_work *));
    decoded->lattice = cau_calloc(d->voters, sizeof *decoded->lattice);
    decoded->allowed = cau_calloc(d->voters, sizeof *decoded->allowed);
    if (!decoded->work || !decoded->lattice || !decoded->allowed)
        TRY(cau_fail_memory(ctx, "the labels of a sequence"));
    for (size_t j = 0; j < d->voters; j++) TRY(cau_chain_work_new(ctx, d->Y, &decoded->work[j]));
    if (d->pool || d->how.members) TRY(cau_pool_work_new(ctx, d->Y, d->voters, &decoded->pool));
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
    free(decoded->sum.s);
    free(decoded->sum.edge_scores);
    for (size_t j = 0; decoded->work && j < decoded->voters; j++)
        cau_chain_work_free(decoded->work[j]);
    free(decoded->work);
    free(decoded->lattice);
    free(decoded->allowed);
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

/* ---- voters -------------------------------------------------------------------------- */

void cau_add_scores(size_t J, const double *alpha, const cau_scores *scores, bool own, size_t n,
                    double *s)
{
    const double *from[CAU_MEMBERS_MOST], *edges[CAU_MEMBERS_MOST];
    for (size_t j = 0; j < J; j++) from[j] = scores[j].s, edges[j] = scores[j].edge_scores;
    cau_kernels_get()->combine(n, J, alpha, own ? edges : from, s);
}

/* The scores of the model that the pool equals, in the memory of `out`. */
static caucus_status add_up(const cau_decoder *d, cau_decoded *out, const cau_scores *scores)
{
    const size_t T = out->T, Y = d->Y, J = d->voters;
    cau_scores *sum = &out->sum;
    if (!room(&sum->s, &sum->s_room, T, Y, 1) ||
        (scores->edge_scores && !room(&sum->edge_scores, &sum->own_room, T, Y, Y)))
        return CAUCUS_ERR_MEMORY;
    cau_add_scores(J, d->pool->alpha, scores, false, T * Y, sum->s);
    if (scores->edge_scores)
        cau_add_scores(J, d->pool->alpha, scores, true, T * Y * Y, sum->edge_scores);
    return CAUCUS_OK;
}

static caucus_status lattice_of(const cau_decoder *d, cau_decoded *out, size_t j, size_t a,
                                const cau_scores *scores, cau_lattice *x)
{
    return d->ops->lattice(out->work[j], &d->a[a], out->T, scores->s, scores->edge_scores, x);
}

caucus_status cau_decode_lattices(const cau_decoder *d, cau_decoded *out, size_t T,
                                  const cau_scores *scores)
{
    caucus_status st = CAUCUS_OK;
    out->T = T;
    for (size_t j = 0; !st && j < d->voters; j++)
        st = lattice_of(d, out, j, j, &scores[j], &out->lattice[j]);
    return st;
}

/* The lattices of the members. Silent ones have no scores: they get the lattice of another. */
static caucus_status lattices_with_weight(const cau_decoder *d, cau_decoded *out,
                                          const cau_scores *scores)
{
    const cau_lattice *any = NULL;
    for (size_t j = 0; j < d->voters; j++) {
        if (d->pool->alpha[j] == 0) continue;
        const caucus_status st = lattice_of(d, out, j, j, &scores[j], &out->lattice[j]);
        if (st) return st;
        any = &out->lattice[j];
    }
    if (!any) return CAUCUS_ERR_NUMERIC;
    for (size_t j = 0; j < d->voters; j++)
        if (d->pool->alpha[j] == 0) out->lattice[j] = *any;
    return CAUCUS_OK;
}

/* One lattice for all voters. */
static caucus_status combine(const cau_decoder *d, cau_decoded *out, const cau_scores *scores,
                             const double *mixing, cau_lattice *x)
{
    if (d->stacked) return lattice_of(d, out, 1, 1, scores, x);
    if (!d->pool) return lattice_of(d, out, 0, 0, scores, x);
    if (d->sums) return lattice_of(d, out, 0, d->voters, scores, x);
    cau_pool pool = *d->pool;
    pool.mixing = mixing;
    const caucus_status st = lattices_with_weight(d, out, scores);
    return st ? st : cau_pool_lattice(out->pool, &pool, out->lattice, x);
}

/* Whether the best labellings are those of a mixture by sequence, decoded this way. */
static bool mixes(const cau_decoder *d, cau_mix mix)
{
    const cau_pool *pool = d->pool;
    return d->how.rule == CAU_DECODE_VITERBI && pool && pool->combine == CAU_COMBINE_MIXTURE &&
           pool->per == CAU_PER_SEQUENCE && pool->mix == mix;
}

/* The scores of a stack, with the labels of its member as observations,
 *     s_t(y) = s_t(y) of the model + w[label_t][y]
 * in the memory of `out`. scores [2]: of the member, and of the model without these observations.
 */
static caucus_status stack(const cau_decoder *d, cau_decoded *out, const cau_scores *scores)
{
    caucus_status st = CAUCUS_OK;
    const size_t T = out->T, Y = d->Y;
    cau_scores *sum = &out->sum;
    if (!CAU_GROW(out->path, out->path_room, T) || !room(&sum->s, &sum->s_room, T, Y, 1))
        return CAUCUS_ERR_MEMORY;
    if (d->ops) {
        TRY(lattice_of(d, out, 0, 0, scores, out->lattice));
        TRY(cau_chain_best(*out->work, out->lattice, out->path, NULL));
    } else {
        for (size_t t = 0; t < T; t++) out->path[t] = cau_best_class(scores->s + t * Y, Y);
    }
    memcpy(sum->s, scores[1].s, T * Y * sizeof *sum->s);
    for (size_t t = 0; t < T; t++) {
        const uint32_t row = d->stacked[out->path[t]];
        if (row != CAU_UNKNOWN) cau_model_add(d->nodes, 1, &row, NULL, sum->s + t * Y);
    }
done:
    return st;
}

/* ---- constraints --------------------------------------------------------------------- */

/* Adds the constraints to x: copies in node [T][Y] and, with a scheme, edge [T or 1][Y][Y]. */
static void constrain(const cau_scheme_constraints *scheme, const cau_forced_labels *forced,
                      double *node, double *edge, cau_lattice *x)
{
    const size_t T = x->T, Y = x->Y;
    memcpy(node, x->node, T * Y * sizeof *node);
    for (size_t t = 0; forced && t < T; t++)
        cau_chain_allow(Y, forced->gold[t], &forced->sets, -INFINITY, node + t * Y);
    x->node = node;
    if (!scheme || !scheme->edge) return;

    double *last = node + (T - 1) * Y;
    for (size_t y = 0; y < Y; y++) {
        node[y] += scheme->first[y];
        last[y] += scheme->last[y];
    }
    const size_t tables = x->per_position ? T : 1, cells = Y * Y;
    for (size_t t = 0; t < tables; t++)
        for (size_t c = 0; c < cells; c++)
            edge[t * cells + c] = x->edge[t * cells + c] + scheme->edge[c];
    x->edge = edge;
}

/* The tables of edges that a constrained copy of x needs. */
static size_t constrained_tables(const cau_scheme_constraints *scheme, const cau_lattice *x)
{
    return !scheme || !scheme->edge ? 0 : x->per_position ? x->T : 1;
}

/* Adds the constraints to the lattice x of the model and, for exact decoding, to copies of those of
 * the members: out->allowed [voters]. */
static caucus_status constrain_all(const cau_decoder *d, const cau_forced_labels *forced,
                                   cau_decoded *out, cau_lattice *x)
{
    const size_t T = x->T, Y = x->Y, members = mixes(d, CAU_MIX_EXACT) ? d->voters : 0;
    const cau_scheme_constraints *scheme = d->how.scheme;
    size_t nodes, tables = constrained_tables(scheme, x);
    for (size_t j = 0; j < members; j++) tables += constrained_tables(scheme, &out->lattice[j]);
    if (!cau_size_mul(T, 1 + members, &nodes) || !room(&out->node, &out->node_room, nodes, Y, 1) ||
        !room(&out->edge, &out->edge_room, tables, Y, Y))
        return CAUCUS_ERR_MEMORY;
    double *node = out->node, *edge = out->edge;
    for (size_t j = 0; j < members; j++) {
        cau_lattice *copy = &out->allowed[j];
        *copy = out->lattice[j];
        constrain(scheme, forced, node, edge, copy);
        node += T * Y;
        edge += constrained_tables(scheme, copy) * Y * Y;
    }
    constrain(scheme, forced, node, edge, x);
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

/* The best labellings of a mixture by sequence, with log p. */
static caucus_status label_exactly(const cau_decoder *d, bool constrained, size_t most,
                                   cau_decoded *out, double *log_allowed)
{
    cau_pool_search search = {
        .most = most, .limit = CAU_EXACT, .paths = out->path, .logp = out->probability};
    const caucus_status st = cau_pool_exact(out->pool, d->pool, out->lattice,
                                            constrained ? out->allowed : NULL, &search);
    out->count = search.count;
    out->uncertified = !search.certified;
    *log_allowed = search.log_allowed;
    return st;
}

/* The labellings, with their probabilities if these are wanted. */
static caucus_status label(const cau_decoder *d, const cau_lattice *x, bool constrained,
                           cau_decoded *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_decode_options *how = &d->how;
    const size_t T = x->T, most = how->nbest > 1 ? how->nbest : 1;
    double logz = out->logz;
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
    } else if (mixes(d, CAU_MIX_EXACT)) {
        TRY(label_exactly(d, constrained, most, out, &logz));
    } else if (mixes(d, CAU_MIX_RESCORE) && !constrained) {
        /* log p; the log Z of a pool's lattice is 0 */
        const size_t n = most > CAU_RESCORE ? most : CAU_RESCORE;
        TRY(cau_pool_rescore(out->pool, d->pool, out->lattice, n, most, out->path, p, &out->count));
    } else if (most == 1) {
        TRY(cau_chain_best(*out->work, x, out->path, p));
    } else {
        TRY(cau_chain_nbest(*out->work, x, most, out->path, p, &out->count));
    }
    out->score = *p;
    for (size_t i = 0; how->probability && i < out->count; i++) p[i] = exp(p[i] - logz);
    out->logz = logz;
done:
    return st;
}

static caucus_status segments(const cau_scheme_constraints *scheme, const cau_lattice *x,
                              double logz, cau_decoded *out)
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
            *p = exp(within - logz);
        }
    }
    return CAUCUS_OK;
}

/* ---- sequences ----------------------------------------------------------------------- */

/* A MaxEnt model. */
static caucus_status decode_positions(const cau_decoder *d, cau_decoded *out, const double *s)
{
    const size_t T = out->T, Y = d->Y;
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

/* A mixture of MaxEnt models: p(y_t|x) = sum_j alpha_j p_j(y_t|x), or mixing_tj for alpha_j. */
static caucus_status decode_mixture(const cau_decoder *d, cau_decoded *out,
                                    const cau_scores *scores, const double *mixing)
{
    const size_t T = out->T, Y = d->Y, J = d->voters;
    if (!CAU_GROW(out->path, out->path_room, T) ||
        !room(&out->marginal, &out->marginal_room, T, Y, 1) ||
        !room(&out->node, &out->node_room, T, Y, 1) ||
        !room(&out->posterior, &out->posterior_room, T, 1, 1))
        return CAUCUS_ERR_MEMORY;
    memset(out->marginal, 0, T * Y * sizeof *out->marginal);
    for (size_t j = 0; j < J; j++) {
        if (d->pool->alpha[j] == 0) continue;
        memcpy(out->node, scores[j].s, T * Y * sizeof *out->node);
        cau_kernels_get()->softmax(T, Y, out->node, out->posterior);
        for (size_t t = 0; t < T; t++) {
            const double share = cau_voter_share(d->pool, mixing ? mixing + t * J : NULL, j);
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
                         const double *mixing, const cau_forced_labels *forced)
{
    caucus_status st = CAUCUS_OK;
    const cau_decode_options *how = &d->how;
    const cau_scheme_constraints *scheme = how->scheme;
    cau_scores together;
    cau_lattice x;
    assert(T > 0);
    out->T = T;
    out->uncertified = false;
    if (d->stacked || d->sums) {
        TRY(d->stacked ? stack(d, out, scores) : add_up(d, out, scores));
        together = out->sum;
        if (d->stacked) together.edge_scores = scores[1].edge_scores;
        scores = &together;
    }
    if (!d->ops && d->pool && !d->sums) return decode_mixture(d, out, scores, mixing);
    if (!d->ops) return decode_positions(d, out, scores->s);

    const bool marginals = how->marginals || how->rule == CAU_DECODE_POSTERIOR;
    const bool constrained = forced || (scheme && scheme->edge);
    TRY(combine(d, out, scores, mixing, &x));
    if (constrained) TRY(constrain_all(d, forced, out, &x));
    if (marginals && !room(&out->marginal, &out->marginal_room, T, d->Y, 1)) TRY(CAUCUS_ERR_MEMORY);
    if (marginals || how->probability || how->segments)
        TRY(cau_chain_sum(*out->work, &x, &out->logz, marginals ? out->marginal : NULL, NULL));
    const double logz = out->logz; /* of x; exact decoding sets its own */
    TRY(label(d, &x, constrained, out));
    if (how->segments) TRY(segments(scheme, &x, logz, out));
done:
    return st;
}
