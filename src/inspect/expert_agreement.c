/* expert_agreement.c - what the members of a pool, and the pool, say of a file.
 *
 * The file is read once. Members share their observations, so one scorer gives the scores of all
 * of them; each decodes its own as a model by itself does, and the pool decodes all together. Where
 * it comes to one table of weights sum_j alpha_j w_j, its scores are sums as well:
 *     s(t, y) = sum_j alpha_j s_j(t, y)
 *
 * Of the marginals p of the pool and p_j of member j, the ambiguity is the mean over positions of
 *     sum_j alpha_j KL(p || p_j) = sum_j alpha_j sum_y p(y) log( p(y) / p_j(y) )
 * For a product of MaxEnt models with alphas that sum to 1 the cross entropy of the pool is the
 * mean of the members' (weighted by alpha) minus this: what the members' differing is worth [1]. A
 * probability that a double cannot hold counts as the smallest that it can.
 *
 * [1] Heskes. Selecting weighting factors in logarithmic opinion pools. NIPS 1998. */

#include "inspect/views.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "infer/decode.h"
#include "infer/score.h"

/* Somebody who labels a sequence: a member, or the pool. */
typedef struct {
    caucus_model model; /* a view */
    cau_decoder decoder;
    cau_decoded decoded;
} voter;

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *pool;
    cau_expert_agreement *ballot;
    caucus_model apart; /* the pool, as one whose members have to be asked one by one: a view */
    cau_scorer scorer;  /* with the scores of each member */
    cau_reader *reader;
    cau_scores sums; /* of the pool, where it comes to one table */
    voter *voter;    /* [J + 1] the members, then the pool */
    uint32_t *gold;  /* [T] the label in the file, if it is one of the model */
    bool *labelled;  /* [T] the file tells one */
    size_t gold_room, labelled_room;
    size_t number; /* of the first line of the sequence */
} count;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the answers of a pool");
}

/* ---- one sequence -------------------------------------------------------------------- */

static caucus_status add_instance(count *c, const cau_instance *x)
{
    const size_t T = c->scorer.T;
    if (!CAU_GROW(c->gold, c->gold_room, T + 1) || !CAU_GROW(c->labelled, c->labelled_room, T + 1))
        return no_memory(c->ctx);
    c->labelled[T] = x->label.s && !(x->label.n == 1 && x->label.s[0] == '?');
    c->gold[T] = c->labelled[T] ? cau_model_label_find(c->pool, x->label) : CAU_UNKNOWN;
    if (T == 0) c->number = x->number;
    return cau_scorer_push(c->ctx, &c->scorer, c->reader, x);
}

/* sum [n] <- sum_j alpha_j s_j, of positions or with `own` of what stands on edges. */
static void add_up(const count *c, size_t n, bool own, double *sum)
{
    memset(sum, 0, n * sizeof *sum);
    for (size_t j = 0; j < c->ballot->J; j++) {
        const double *s = own ? c->scorer.scores[j].own : c->scorer.scores[j].s;
        for (size_t i = 0; i < n; i++) sum[i] += c->pool->pool.alpha[j] * s[i];
    }
}

/* The scores by which the pool decodes. */
static const cau_scores *scores_of_pool(count *c)
{
    cau_scores *sums = &c->sums;
    const size_t Y = c->pool->Y, n = c->scorer.T * Y;
    if (cau_voting(c->pool)) return c->scorer.scores;
    if (!CAU_GROW(sums->s, sums->s_room, n)) return NULL;
    add_up(c, n, false, sums->s);
    if (c->pool->edges.K == 0) return sums;
    if (!CAU_GROW(sums->own, sums->own_room, n * Y)) return NULL; /* members have as many */
    add_up(c, n * Y, true, sums->own);
    return sums;
}

static caucus_status decode(count *c)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = c->ballot->J;
    const cau_scores *together = scores_of_pool(c);
    if (!together) TRY(no_memory(c->ctx));
    for (size_t j = 0; j <= J; j++) {
        voter *v = &c->voter[j];
        st =
            cau_decode(&v->decoder, &v->decoded, c->scorer.T,
                       j < J ? &c->scorer.scores[j] : together, j < J ? NULL : c->scorer.say, NULL);
        if (st == CAUCUS_ERR_MEMORY) TRY(no_memory(c->ctx));
        if (st)
            TRY(cau_fail(c->ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "no labelling of this sequence has a finite score; are its values?",
                         cau_lines_name(cau_reader_lines(c->reader)), c->number));
    }
done:
    return st;
}

/* KL(p || q) of Y probabilities. */
static double divergence(size_t Y, const double *p, const double *q)
{
    double sum = 0;
    for (size_t y = 0; y < Y; y++)
        if (p[y] > 0) sum += p[y] * (log(p[y]) - log(fmax(q[y], DBL_MIN)));
    return sum;
}

static void count_position(count *c, size_t t)
{
    cau_expert_agreement *b = c->ballot;
    const size_t J = b->J, Y = c->pool->Y;
    const double *p = c->voter[J].decoded.marginal + t * Y;
    b->positions++;
    b->labelled += c->labelled[t];
    for (size_t j = 0; j <= J; j++)
        b->right[j] += c->labelled[t] && c->voter[j].decoded.path[t] == c->gold[t];
    for (size_t i = 0; i < J; i++)
        for (size_t j = 0; j < J; j++)
            b->differ[i * J + j] += c->voter[i].decoded.path[t] != c->voter[j].decoded.path[t];
    for (size_t j = 0; j < J; j++)
        b->ambiguity +=
            c->pool->pool.alpha[j] * divergence(Y, p, c->voter[j].decoded.marginal + t * Y);
}

static caucus_status end_sequence(count *c)
{
    caucus_status st = CAUCUS_OK;
    const size_t T = c->scorer.T;
    if (T == 0) return CAUCUS_OK;
    TRY(cau_scorer_finish(c->ctx, &c->scorer, c->reader));
    TRY(decode(c));
    for (size_t t = 0; t < T; t++) count_position(c, t);
    cau_scorer_begin(&c->scorer);
done:
    return st;
}

/* ---- the whole file ------------------------------------------------------------------ */

/* Whether the instances of the file have nothing to do with each other. */
static bool one_by_one(const count *c)
{
    const cau_format format = cau_reader_format(c->reader);
    return c->pool->kind == CAU_KIND_MAXENT ||
           (format != CAU_FORMAT_COLUMNS && format != CAU_FORMAT_CRFSUITE);
}

static caucus_status read_file(count *c, const cau_read_options *read, const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_scorer_begin(&c->scorer);
    TRY(cau_reader_open(c->ctx, path, read, cau_scorer_vocabulary(&c->scorer), &c->reader));
    const bool apart = one_by_one(c);
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance x;
        TRY(cau_reader_next(c->ctx, c->reader, &event, &x));
        if (event == CAU_READ_INSTANCE) TRY(add_instance(c, &x));
        const bool ends = event == CAU_READ_ASIDE ? x.ends : event != CAU_READ_INSTANCE;
        if (ends || apart) TRY(end_sequence(c));
    }
    if (c->ballot->positions == 0)
        TRY(cau_fail(c->ctx, CAUCUS_ERR_FORMAT, "%s: no instances; give labelled data",
                     cau_lines_name(cau_reader_lines(c->reader))));
    c->ballot->ambiguity /= (double)c->ballot->positions;
done:
    return st;
}

static caucus_status prepare(count *c)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = c->pool->pool.J;
    const cau_decode_options how = {.marginals = true};
    c->apart = *c->pool;
    if (!cau_voting(c->pool)) c->apart.pool.combine = CAU_COMBINE_MIXTURE;
    c->ballot->J = J;
    c->ballot->right = cau_calloc(J + 1, sizeof *c->ballot->right);
    c->ballot->differ = cau_calloc(J * J, sizeof *c->ballot->differ); /* at most 64^2 */
    c->voter = cau_calloc(J + 1, sizeof *c->voter);
    if (!c->ballot->right || !c->ballot->differ || !c->voter) TRY(no_memory(c->ctx));
    for (size_t j = 0; j <= J; j++) {
        voter *v = &c->voter[j];
        v->model = j < J ? cau_voter(&c->apart, j) : *c->pool;
        TRY(cau_decoder_init(c->ctx, &v->decoder, &v->model, &how));
        TRY(cau_decoded_init(c->ctx, &v->decoded, &v->decoder));
    }
    TRY(cau_scorer_init(c->ctx, &c->scorer, &c->apart, false));
    c->scorer.all = true;
done:
    return st;
}

caucus_status cau_expert_agreement_count(caucus_ctx *ctx, const caucus_model *pool,
                                         const cau_read_options *read, const char *path,
                                         cau_expert_agreement *out)
{
    caucus_status st = CAUCUS_OK;
    count c = {.ctx = ctx, .pool = pool, .ballot = out};
    TRY(prepare(&c));
    TRY(read_file(&c, read, path));
done:
    cau_reader_free(c.reader);
    cau_scorer_clear(&c.scorer);
    for (size_t j = 0; c.voter && j <= out->J; j++) {
        cau_decoded_clear(&c.voter[j].decoded);
        cau_decoder_clear(&c.voter[j].decoder);
    }
    free(c.voter);
    free(c.sums.s);
    free(c.sums.own);
    free(c.gold);
    free(c.labelled);
    return st;
}

void cau_expert_agreement_clear(cau_expert_agreement *ballot)
{
    free(ballot->right);
    free(ballot->differ);
    *ballot = (cau_expert_agreement){0};
}
