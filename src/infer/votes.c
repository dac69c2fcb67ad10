/* votes.c - see votes.h.
 *
 *     scores of the experts ──▶ decode.h, lattices ──▶ labels, likelihoods
 *                           └──▶ sum_j alpha_j s_j ──▶ loss of a product by sequence
 *
 * Scores are linear in the weights, so a pool with weights sum_j alpha_j w_j has the scores
 * sum_j alpha_j s_j. Its loss as a function of alpha has the gradient of any model's loss with
 * respect to its scores, projected on those of the experts:
 *     d loss / d alpha_j = sum_t <r_t, s_jt>         r the residuals, d loss / d s
 * Scores of edges are among the s. For MaxEnt and CRF that is MATH D.2; it holds for a MEMM
 * too. By transition, the product is a MaxEnt model at each position, with one feature for each
 * expert:
 *     q_j(y) = log p_j(y | gold_{t-1}, x),    p(y) ~ exp sum_j alpha_j q_j(y) */

#include "infer/votes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "infer/decode.h"
#include "math/kernels.h"
#include "model/chain.h"

/* Memory of one thread. */
typedef struct {
    cau_decoded decoded;
    cau_scores *scores; /* [J + 1] of a sequence, the last for the sums */
    double *s;          /* [J + 1][longest][Y] */
    double *own;        /* [J + 1][longest][Y][Y], or NULL: no features on edges */
    double *counts;     /* [Y][Y] */
} votes_memory;

struct cau_votes {
    const cau_dataset *set;
    cau_weight_layout layout;
    size_t J;
    const double *const *w;
    unsigned threads;
    const cau_kernels *kernels;
    cau_sequence_blocks blocks;
    cau_decoder decoder;
    double *scores;       /* [J][N][Y], or NULL: not kept */
    double *q;            /* [N][J][Y], from the first loss by transition on */
    votes_memory *memory; /* [threads] */

    size_t *right, *counted; /* [blocks] */
    double *loss, *gradient; /* [blocks], [blocks][J] */
};

/* What one call works on. */
typedef struct {
    cau_votes *votes;
    const double *alpha;
    cau_per per;
    const size_t *at; /* [S] the first case of each sequence */
    double *logp;
    uint32_t *labels; /* [N], or NULL */
} votes_job;

/* ---- beginning and end ---------------------------------------------------------------------- */

void cau_votes_free(cau_votes *v)
{
    if (!v) return;
    for (unsigned i = 0; v->memory && i < v->threads; i++) {
        votes_memory *m = &v->memory[i];
        cau_decoded_clear(&m->decoded);
        free(m->scores);
        free(m->s);
        free(m->own);
        free(m->counts);
    }
    free(v->memory);
    cau_decoder_clear(&v->decoder);
    cau_sequence_blocks_clear(&v->blocks);
    free(v->scores);
    free(v->q);
    free(v->right);
    free(v->counted);
    free(v->loss);
    free(v->gradient);
    free(v);
}

static caucus_status init_memory(caucus_ctx *ctx, const cau_votes *v, votes_memory *m)
{
    const size_t Y = v->set->Y, voters = v->J + 1;
    const bool edges = v->layout.edges.rows > 0;
    size_t cells = 0, pairs = 0;
    if (!cau_size_mul(voters * v->blocks.longest, Y, &cells) || !cau_size_mul(cells, Y, &pairs))
        return cau_fail_memory(ctx, "the members");
    m->scores = cau_calloc(voters, sizeof *m->scores);
    m->s = cau_vector(cells, sizeof *m->s);
    if (edges) m->own = cau_vector(pairs, sizeof *m->own);
    m->counts = cau_vector(Y * Y, sizeof *m->counts);
    if (!m->scores || !m->s || (edges && !m->own) || !m->counts)
        return cau_fail_memory(ctx, "the members");
    return cau_decoded_init(ctx, &m->decoded, &v->decoder);
}

/* The kept scores of one block by one expert. */
static caucus_status score_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const votes_job *o = self;
    cau_votes *v = o->votes;
    const size_t j = block / v->blocks.count, b = block % v->blocks.count;
    const size_t begin = cau_block_begin(&v->blocks, b), end = cau_block_begin(&v->blocks, b + 1);
    cau_score_nodes(v->set, &v->layout, v->w[j], begin, end - begin,
                    v->scores + (j * v->set->N + begin) * v->set->Y);
    return CAUCUS_OK;
}

caucus_status cau_votes_new(caucus_ctx *ctx, const cau_dataset *set,
                            const cau_weight_layout *layout, size_t J, const double *const *w,
                            bool keep, unsigned threads, cau_votes **out)
{
    caucus_status st = CAUCUS_OK;
    size_t cells = 0, all = 0;
    cau_votes *v = cau_calloc(1, sizeof *v);
    if (!v) TRY(cau_fail_memory(ctx, "the members"));
    v->set = set;
    v->layout = *layout;
    v->J = J;
    v->w = w;
    v->threads = threads;
    v->kernels = cau_kernels_get();
    if (cau_sequence_blocks_init(&v->blocks, set, layout->chain, 0))
        TRY(cau_fail_memory(ctx, "the members"));
    TRY(cau_decoder_init_weights(ctx, &v->decoder, set->Y, layout, J, w,
                                 &(cau_decode_options){.members = true}));
    v->memory = cau_calloc(threads, sizeof *v->memory);
    v->right = cau_calloc(v->blocks.count, sizeof *v->right);
    v->counted = cau_calloc(v->blocks.count, sizeof *v->counted);
    v->loss = cau_calloc(v->blocks.count, sizeof *v->loss);
    v->gradient = cau_calloc(v->blocks.count, J * sizeof *v->gradient);
    if (!cau_size_mul(set->N, set->Y, &cells) || !cau_size_mul(cells, J, &all) || !v->memory ||
        !v->right || !v->counted || !v->loss || !v->gradient)
        TRY(cau_fail_memory(ctx, "the members"));
    for (unsigned i = 0; i < threads; i++) TRY(init_memory(ctx, v, &v->memory[i]));
    if (keep) {
        v->scores = cau_vector(all, sizeof *v->scores);
        if (!v->scores) TRY(cau_fail_memory(ctx, "the scores of the members"));
        TRY(cau_parallel(threads, J * v->blocks.count, score_block, &(votes_job){.votes = v}));
    }
    *out = v;
    v = NULL;
done:
    cau_votes_free(v);
    return st;
}

/* ---- scores --------------------------------------------------------------------------------- */

/* The scores of a sequence by all experts: m->scores. */
static void score(const cau_votes *v, votes_memory *m, size_t begin, size_t T)
{
    const size_t Y = v->set->Y, longest = v->blocks.longest;
    for (size_t j = 0; j < v->J; j++) {
        cau_scores *by = &m->scores[j];
        by->s = v->scores ? v->scores + (j * v->set->N + begin) * Y : m->s + j * longest * Y;
        if (!v->scores) cau_score_nodes(v->set, &v->layout, v->w[j], begin, T, by->s);
        if (!m->own) continue;
        by->edge_scores = m->own + j * longest * Y * Y;
        cau_score_edges(v->set, &v->layout, v->w[j], begin, T, by->edge_scores);
    }
}

/* Whether all labels of a sequence are known. */
static bool is_labelled(const uint32_t *gold, size_t T)
{
    for (size_t t = 0; t < T; t++)
        if (gold[t] & CAU_SET) return false;
    return true;
}

/* ---- labels --------------------------------------------------------------------------------- */

static caucus_status label_block(void *self, size_t b, unsigned worker)
{
    const votes_job *o = self;
    cau_votes *v = o->votes;
    votes_memory *m = &v->memory[worker];
    size_t right = 0, counted = 0;
    for (size_t s = v->blocks.first[b]; s < v->blocks.first[b + 1]; s++) {
        const size_t at = cau_sequence_at(&v->blocks, s), T = cau_sequence_length(&v->blocks, s);
        score(v, m, at, T);
        const caucus_status st = cau_decode(&v->decoder, &m->decoded, T, m->scores, NULL, NULL);
        if (st) return st;
        if (o->labels) memcpy(o->labels + at, m->decoded.path, T * sizeof *o->labels);
        cau_count_right(v->set, at, T, m->decoded.path, &right, &counted);
    }
    v->right[b] = right;
    v->counted[b] = counted;
    return CAUCUS_OK;
}

caucus_status cau_votes_label(cau_votes *v, const cau_pool *pool, uint32_t *labels, size_t *right,
                              size_t *counted)
{
    votes_job o = {.votes = v, .labels = labels};
    caucus_status st = cau_decoder_combine(&v->decoder, pool);
    if (!st) st = cau_parallel(v->threads, v->blocks.count, label_block, &o);
    if (st) return st;
    *right = *counted = 0;
    for (size_t b = 0; b < v->blocks.count; b++) {
        *right += v->right[b];
        *counted += v->counted[b];
    }
    return CAUCUS_OK;
}

/* ---- likelihoods ---------------------------------------------------------------------------- */

static size_t cases_of(const cau_votes *v, cau_per per, size_t s)
{
    const size_t at = cau_sequence_at(&v->blocks, s), T = cau_sequence_length(&v->blocks, s);
    if (!is_labelled(v->set->gold + at, T)) return 0;
    return per == CAU_PER_SEQUENCE ? 1 : T;
}

size_t cau_votes_cases(const cau_votes *v, cau_per per)
{
    size_t count = 0;
    for (size_t s = 0; s < v->blocks.S; s++) count += cases_of(v, per, s);
    return count;
}

/* logp [J] of an instance of a classifier; softmax works in the scores of the sums. */
static void classifier_likelihoods(const cau_votes *v, votes_memory *m, uint32_t gold, double *logp)
{
    const size_t Y = v->set->Y;
    double *p = m->s + v->J * v->blocks.longest * Y, logz;
    for (size_t j = 0; j < v->J; j++) {
        memcpy(p, m->scores[j].s, Y * sizeof *p);
        v->kernels->softmax(1, Y, p, &logz);
        logp[j] = m->scores[j].s[gold] - logz;
    }
}

static caucus_status likelihood_block(void *self, size_t b, unsigned worker)
{
    caucus_status st = CAUCUS_OK;
    const votes_job *o = self;
    cau_votes *v = o->votes;
    votes_memory *m = &v->memory[worker];
    for (size_t s = v->blocks.first[b]; s < v->blocks.first[b + 1]; s++) {
        const size_t at = cau_sequence_at(&v->blocks, s), T = cau_sequence_length(&v->blocks, s);
        const uint32_t *gold = v->set->gold + at;
        double *logp = o->logp + o->at[s] * v->J;
        if (!is_labelled(gold, T)) continue;
        score(v, m, at, T);
        if (!v->layout.chain) {
            classifier_likelihoods(v, m, *gold, logp);
            continue;
        }
        const cau_lattice *x = m->decoded.lattice;
        TRY(cau_decode_lattices(&v->decoder, &m->decoded, T, m->scores));
        TRY(o->per == CAU_PER_SEQUENCE
                ? cau_pool_by_sequence(m->decoded.pool, v->J, x, gold, logp)
                : cau_pool_by_transition(m->decoded.pool, v->J, x, gold, logp));
    }
done:
    return st;
}

caucus_status cau_votes_likelihoods(cau_votes *v, cau_per per, double *logp)
{
    size_t *at = cau_alloc(v->blocks.S, sizeof *at), sum = 0;
    if (!at) return CAUCUS_ERR_MEMORY;
    for (size_t s = 0; s < v->blocks.S; s++) {
        at[s] = sum;
        sum += cases_of(v, per, s);
    }
    const caucus_status st =
        cau_parallel(v->threads, v->blocks.count, likelihood_block,
                     &(votes_job){.votes = v, .per = per, .at = at, .logp = logp});
    free(at);
    return st;
}

/* ---- loss of products ----------------------------------------------------------------------- */

/* The loss of a sequence, by the scores; adds its gradient to g. */
static caucus_status scores_loss(const cau_votes *v, votes_memory *m, const double *alpha,
                                 size_t at, size_t T, double *loss, double *g)
{
    const size_t J = v->J, Y = v->set->Y;
    const uint32_t *gold = v->set->gold + at;
    const cau_scores *by = m->scores;
    double *r = m->s + J * v->blocks.longest * Y, logz;
    double *own = m->own ? m->own + J * v->blocks.longest * Y * Y : NULL;
    caucus_status st;
    *loss = 0;
    if (!v->layout.chain && !is_labelled(gold, T)) return CAUCUS_OK;
    score(v, m, at, T);
    cau_add_scores(J, alpha, by, false, T * Y, r);
    if (own) cau_add_scores(J, alpha, by, true, T * Y * Y, own);
    if (v->layout.chain) {
        memset(m->counts, 0, Y * Y * sizeof *m->counts);
        cau_chain_example x = {.T = T,
                               .s = r,
                               .edge_scores = own,
                               .gold = gold,
                               .sets = &v->set->sets,
                               .weight = 1,
                               .counts = m->counts};
        st = v->layout.chain->residuals(*m->decoded.work, &v->decoder.a[J], 1, &x, loss);
    } else {
        st = cau_maxent_residuals(1, Y, r, gold, NULL, false, &logz, loss);
    }
    for (size_t j = 0; !st && j < J; j++) {
        g[j] += v->kernels->dot(T * Y, r, by[j].s);
        if (own && T > 1) /* the first position has no edge into it */
            g[j] += v->kernels->dot((T - 1) * Y * Y, own + Y * Y, by[j].edge_scores + Y * Y);
        if (v->layout.chain && v->layout.common)
            g[j] += v->kernels->dot(Y * Y, m->counts, v->decoder.a[j].a);
    }
    return st;
}

/* q_j(y) at the positions of a sequence. */
static caucus_status compute_q(const cau_votes *v, votes_memory *m, size_t at, size_t T)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->J, Y = v->set->Y;
    const uint32_t *gold = v->set->gold + at;
    const double one = 1;
    const cau_pool alone = {
        .J = 1, .combine = CAU_COMBINE_PRODUCT, .per = CAU_PER_TRANSITION, .alpha = &one};
    score(v, m, at, T);
    TRY(cau_decode_lattices(&v->decoder, &m->decoded, T, m->scores));
    for (size_t j = 0; j < J; j++) {
        cau_lattice x;
        TRY(cau_pool_lattice(m->decoded.pool, &alone, &m->decoded.lattice[j], &x));
        for (size_t t = 0; t < T; t++)
            memcpy(v->q + ((at + t) * J + j) * Y,
                   t == 0 ? x.node : x.edge + (t * Y + gold[t - 1]) * Y, Y * sizeof *v->q);
    }
done:
    return st;
}

static caucus_status q_block(void *self, size_t b, unsigned worker)
{
    caucus_status st = CAUCUS_OK;
    cau_votes *v = ((const votes_job *)self)->votes;
    for (size_t s = v->blocks.first[b]; !st && s < v->blocks.first[b + 1]; s++) {
        const size_t at = cau_sequence_at(&v->blocks, s), T = cau_sequence_length(&v->blocks, s);
        if (is_labelled(v->set->gold + at, T)) st = compute_q(v, &v->memory[worker], at, T);
    }
    return st;
}

/* The loss of a sequence, by q; adds its gradient to g. */
static caucus_status transitions_loss(const cau_votes *v, votes_memory *m, const double *alpha,
                                      size_t at, size_t T, double *loss, double *g)
{
    const size_t J = v->J, Y = v->set->Y;
    double *r = m->s;
    *loss = 0;
    if (!is_labelled(v->set->gold + at, T)) return CAUCUS_OK;
    for (size_t i = at; i < at + T; i++) {
        const double *q = v->q + i * J * Y;
        double logz, one;
        memset(r, 0, Y * sizeof *r);
        for (size_t j = 0; j < J; j++)
            for (size_t y = 0; y < Y; y++) r[y] += alpha[j] * q[j * Y + y];
        const caucus_status st =
            cau_maxent_residuals(1, Y, r, v->set->gold + i, NULL, false, &logz, &one);
        if (st) return st;
        *loss += one;
        for (size_t j = 0; j < J; j++) g[j] += v->kernels->dot(Y, r, q + j * Y);
    }
    return CAUCUS_OK;
}

static caucus_status loss_block(void *self, size_t b, unsigned worker)
{
    const votes_job *o = self;
    cau_votes *v = o->votes;
    votes_memory *m = &v->memory[worker];
    double total = 0, *g = v->gradient + b * v->J;
    memset(g, 0, v->J * sizeof *g);
    for (size_t s = v->blocks.first[b]; s < v->blocks.first[b + 1]; s++) {
        const size_t at = cau_sequence_at(&v->blocks, s), T = cau_sequence_length(&v->blocks, s);
        double loss;
        const caucus_status st = o->per == CAU_PER_SEQUENCE
                                     ? scores_loss(v, m, o->alpha, at, T, &loss, g)
                                     : transitions_loss(v, m, o->alpha, at, T, &loss, g);
        if (st) return st;
        total += loss;
    }
    v->loss[b] = total;
    return CAUCUS_OK;
}

/* Computes q for all sequences, once. */
static caucus_status make_q(cau_votes *v)
{
    size_t cells, all;
    if (v->q) return CAUCUS_OK;
    if (!cau_size_mul(v->set->N, v->J, &cells) || !cau_size_mul(cells, v->set->Y, &all))
        return CAUCUS_ERR_MEMORY;
    v->q = cau_vector(all, sizeof *v->q);
    if (!v->q) return CAUCUS_ERR_MEMORY;
    const caucus_status st =
        cau_parallel(v->threads, v->blocks.count, q_block, &(votes_job){.votes = v});
    if (st) free(v->q), v->q = NULL;
    return st;
}

caucus_status cau_votes_loss(cau_votes *v, cau_per per, const double *alpha, double *loss,
                             double *g)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->J;
    if (!v->layout.chain) per = CAU_PER_SEQUENCE;
    const cau_pool product = {.J = J, .combine = CAU_COMBINE_PRODUCT, .alpha = alpha};
    votes_job o = {.votes = v, .alpha = alpha, .per = per};
    TRY(per == CAU_PER_SEQUENCE ? cau_decoder_combine(&v->decoder, &product) : make_q(v));
    TRY(cau_parallel(v->threads, v->blocks.count, loss_block, &o));
    double total = 0;
    memset(g, 0, J * sizeof *g);
    for (size_t b = 0; b < v->blocks.count; b++) {
        total += v->loss[b];
        for (size_t j = 0; j < J; j++) g[j] += v->gradient[b * J + j];
    }
    if (!isfinite(total)) TRY(CAUCUS_ERR_NUMERIC);
    *loss = total;
done:
    return st;
}
