/* expert_agreement.c - the members of a pool, and the pool, applied to a file.
 *
 * The file is read once. The members share their observations, so one scorer gives the scores of
 * all of them; each member is decoded like a single model, and the pool from the scores of its
 * members.
 *
 * Of the marginals p of the pool and p_j of member j, the ambiguity is the mean over positions of
 *     sum_j alpha_j KL(p || p_j) = sum_j alpha_j sum_y p(y) log( p(y) / p_j(y) )
 * For a product of MaxEnt models with alphas that sum to 1, the cross entropy of the pool is the
 * mean of the members' (weighted by alpha) minus the ambiguity: what is gained because members
 * differ [1]. A probability that a double cannot hold counts as the smallest that it can.
 *
 * [1] Heskes. Selecting weighting factors in logarithmic opinion pools. NIPS 1998. */

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "infer/decode.h"
#include "infer/score.h"
#include "inspect/inspect.h"

/* A member or the pool. */
typedef struct {
    caucus_model model; /* a view */
    cau_decoder decoder;
    cau_decoded decoded;
} agreement_voter;

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *pool;
    cau_expert_agreement *out;
    cau_scorer scorer;
    cau_reader *reader;
    agreement_voter *voter; /* [J + 1] the members, then the pool */
    uint32_t *gold;         /* [T] the label in the file, if the model has it */
    bool *labelled;         /* [T] the file has one */
    size_t gold_room, labelled_room;
    size_t number; /* of the first line of the sequence */
} agreement_job;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the labels of a pool");
}

/* ---- one sequence -------------------------------------------------------------------- */

static caucus_status add_instance(agreement_job *c, const cau_instance *x)
{
    const size_t T = c->scorer.T;
    if (!CAU_GROW(c->gold, c->gold_room, T + 1) || !CAU_GROW(c->labelled, c->labelled_room, T + 1))
        return no_memory(c->ctx);
    c->labelled[T] = x->label.s && !(x->label.n == 1 && x->label.s[0] == '?');
    c->gold[T] = c->labelled[T] ? cau_model_label_find(c->pool, x->label) : CAU_UNKNOWN;
    if (T == 0) c->number = x->number;
    return cau_scorer_push(c->ctx, &c->scorer, c->reader, x);
}

static caucus_status decode_sequence(agreement_job *c)
{
    const size_t J = c->out->J;
    const cau_scorer *scorer = &c->scorer;
    for (size_t j = 0; j <= J; j++) {
        agreement_voter *v = &c->voter[j];
        const caucus_status st =
            cau_decode(&v->decoder, &v->decoded, scorer->T, scorer->scores + (j < J ? j : 0),
                       j < J ? NULL : scorer->mixing, NULL);
        if (st == CAUCUS_ERR_MEMORY) return no_memory(c->ctx);
        if (st)
            return cau_fail(c->ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT
                            "no labelling of this sequence has a finite score; are its values?",
                            cau_lines_name(cau_reader_lines(c->reader)), c->number);
    }
    return CAUCUS_OK;
}

/* KL(p || q) of Y probabilities. */
static double divergence(size_t Y, const double *p, const double *q)
{
    double sum = 0;
    for (size_t y = 0; y < Y; y++)
        if (p[y] > 0) sum += p[y] * (log(p[y]) - log(fmax(q[y], DBL_MIN)));
    return sum;
}

static void count_position(agreement_job *c, size_t t)
{
    cau_expert_agreement *out = c->out;
    const size_t J = out->J, Y = c->pool->Y;
    const agreement_voter *voter = c->voter;
    out->positions++;
    out->labelled += c->labelled[t];
    for (size_t j = 0; j <= J; j++)
        out->right[j] += c->labelled[t] && voter[j].decoded.path[t] == c->gold[t];
    for (size_t i = 0; i < J; i++)
        for (size_t j = 0; j < J; j++)
            out->differ[i * J + j] += voter[i].decoded.path[t] != voter[j].decoded.path[t];
    for (size_t j = 0; j < J; j++)
        out->ambiguity += c->pool->pool.alpha[j] * divergence(Y, voter[J].decoded.marginal + t * Y,
                                                              voter[j].decoded.marginal + t * Y);
}

static caucus_status end_sequence(agreement_job *c)
{
    caucus_status st = CAUCUS_OK;
    if (c->scorer.T == 0) return CAUCUS_OK;
    TRY(cau_scorer_finish(c->ctx, &c->scorer));
    TRY(decode_sequence(c));
    for (size_t t = 0; t < c->scorer.T; t++) count_position(c, t);
    cau_scorer_begin(&c->scorer);
done:
    return st;
}

/* ---- the whole file ------------------------------------------------------------------ */

static caucus_status read_file(agreement_job *c, const cau_read_options *read, const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_scorer_begin(&c->scorer);
    TRY(cau_reader_open(c->ctx, path, read, (int)c->pool->base, &c->reader));
    const cau_format format = cau_reader_format(c->reader);
    const bool apart = c->pool->kind == CAU_KIND_MAXENT || !cau_has_sequences(format);
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance x;
        TRY(cau_reader_next(c->ctx, c->reader, &event, &x));
        if (event == CAU_READ_INSTANCE) TRY(add_instance(c, &x));
        const bool ends = event == CAU_READ_ASIDE ? x.ends : event != CAU_READ_INSTANCE;
        if (ends || apart) TRY(end_sequence(c));
    }
    if (c->out->positions == 0)
        TRY(cau_fail(c->ctx, CAUCUS_ERR_FORMAT, "%s: no instances; give labelled data",
                     cau_lines_name(cau_reader_lines(c->reader))));
    c->out->ambiguity /= (double)c->out->positions;
done:
    return st;
}

static caucus_status prepare(agreement_job *c)
{
    caucus_status st = CAUCUS_OK;
    cau_expert_agreement *out = c->out;
    const size_t J = c->pool->pool.J;
    out->J = J;
    out->right = cau_calloc(J + 1, sizeof *out->right);
    out->differ = cau_calloc(J * J, sizeof *out->differ); /* at most 64^2 */
    c->voter = cau_calloc(J + 1, sizeof *c->voter);
    if (!out->right || !out->differ || !c->voter) TRY(no_memory(c->ctx));
    for (size_t j = 0; j <= J; j++) {
        agreement_voter *v = &c->voter[j];
        const cau_decode_options how = {.marginals = true,
                                        .members = j == J && !cau_stacked(c->pool)};
        v->model = j < J ? cau_pool_member(c->pool, j) : *c->pool;
        TRY(cau_decoder_init(c->ctx, &v->decoder, &v->model, &how));
        TRY(cau_decoded_init(c->ctx, &v->decoded, &v->decoder));
    }
    TRY(cau_scorer_init_members(c->ctx, &c->scorer, c->pool));
done:
    return st;
}

caucus_status cau_expert_agreement_count(caucus_ctx *ctx, const caucus_model *pool,
                                         const cau_read_options *read, const char *path,
                                         cau_expert_agreement *out)
{
    agreement_job c = {.ctx = ctx, .pool = pool, .out = out};
    caucus_status st = prepare(&c);
    if (!st) st = read_file(&c, read, path);
    cau_reader_free(c.reader);
    cau_scorer_clear(&c.scorer);
    for (size_t j = 0; c.voter && j <= out->J; j++) {
        cau_decoded_clear(&c.voter[j].decoded);
        cau_decoder_clear(&c.voter[j].decoder);
    }
    free(c.voter);
    free(c.gold);
    free(c.labelled);
    return st;
}

void cau_expert_agreement_clear(cau_expert_agreement *agreement)
{
    free(agreement->right);
    free(agreement->differ);
    *agreement = (cau_expert_agreement){0};
}
