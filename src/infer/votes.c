/* votes.c - see votes.h.
 *
 *     scores of the members ──▶ lattices, one each ──▶ pool.h ──▶ labels, likelihoods
 *                           └──▶ sum_j alpha_j s_j ──▶ the lattice of a product by sequence
 *
 * Scores are linear in the weights, so the pool whose weights are sum_j alpha_j w_j has the scores
 * sum_j alpha_j s_j, and the loss of that as a function of alpha is the loss of any model as
 * a function of its scores, one step further:
 *     d loss / d alpha_j = sum_t <r_t, s_jt>         r the residuals, d loss / d s
 * with the scores of edges among the s. For MaxEnt and CRF that is MATH D.2; it holds for a MEMM
 * too. By transition, the product is a MaxEnt model at each position, with one feature for each
 * member:
 *     q_j(y) = log p_j(y | gold_{t-1}, x),    p(y) ~ exp sum_j alpha_j q_j(y)
 *
 * An instance of a classifier is a sequence of one position. Work is cut into blocks of sequences
 * that do not depend on the number of threads, and what is added up is added in their order. */

#include "infer/votes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/kernels.h"
#include "model/maxent.h"

enum {
    BLOCK = 64, /* sequences */
};

/* Memory of one thread. The last of the [J+1] is for the members together. */
typedef struct {
    cau_chain_work **chain; /* [J+1] */
    cau_pool_work *pool;
    double *s;                   /* [J+1][longest][Y] */
    double *own;                 /* [J+1][longest][Y][Y], or NULL: no observations on edges */
    double *counts;              /* [Y][Y] */
    cau_lattice *x;              /* [J+1] */
    const double **node, **edge; /* [J+1] what x was made of: scores, and those of edges or NULL */
    uint32_t *path;              /* [longest] */
} voter;

struct cau_votes {
    const cau_dataset *set;
    cau_panel panel;
    unsigned threads;
    const cau_kernels *kernels;
    size_t S, longest, blocks;
    cau_transitions *plain; /* [J+1] */
    double *zero;           /* [Y][Y] the edges of classifiers */
    double *scores;         /* [J][N][Y], or NULL: not kept */
    double *q;              /* [N][J][Y], once it was asked for */
    voter *voter;           /* [threads] */

    size_t *right, *counted; /* [blocks] */
    double *loss, *gradient; /* [blocks], [blocks][J] */
};

typedef struct {
    cau_votes *votes;
    const cau_pool *pool;
    const double *alpha;
    cau_per per;
    const size_t *at; /* [S] the first case of each sequence */
    double *logp;
    uint32_t *labels; /* [N], or NULL */
} job;

/* ---- beginning and end ---------------------------------------------------------------------- */

static size_t begin_of(const cau_votes *v, size_t s)
{
    return v->panel.chain && v->set->sequence ? v->set->sequence[s] : s;
}

static size_t length_of(const cau_votes *v, size_t s)
{
    return begin_of(v, s + 1) - begin_of(v, s);
}

static void clear_voter(size_t J, voter *w)
{
    for (size_t j = 0; w->chain && j <= J; j++) cau_chain_work_free(w->chain[j]);
    cau_pool_work_free(w->pool);
    free(w->chain);
    free(w->s);
    free(w->own);
    free(w->counts);
    free(w->x);
    free(w->node);
    free(w->edge);
    free(w->path);
}

void cau_votes_free(cau_votes *v)
{
    if (!v) return;
    const size_t J = v->panel.J;
    for (unsigned i = 0; v->voter && i < v->threads; i++) clear_voter(J, &v->voter[i]);
    for (size_t j = 0; v->plain && j <= J; j++) cau_transitions_clear(&v->plain[j]);
    free(v->voter);
    free(v->plain);
    free(v->zero);
    free(v->scores);
    free(v->q);
    free(v->right);
    free(v->counted);
    free(v->loss);
    free(v->gradient);
    free(v);
}

static caucus_status init_voter(caucus_ctx *ctx, const cau_votes *v, voter *w)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->panel.J, Y = v->set->Y, members = J + 1;
    const bool own = v->panel.edges.rows > 0;
    size_t cells = 0, pairs = 0;
    if (!cau_size_mul(members * v->longest, Y, &cells) || !cau_size_mul(cells, own ? Y : 0, &pairs))
        TRY(cau_fail_memory(ctx, "the members"));
    w->chain = cau_calloc(members, sizeof(cau_chain_work *));
    w->s = cau_vector(cells, sizeof *w->s);
    if (own) w->own = cau_vector(pairs, sizeof *w->own);
    w->counts = cau_vector(Y * Y, sizeof *w->counts);
    w->x = cau_calloc(members, sizeof *w->x);
    w->node = cau_calloc(members, sizeof(const double *));
    w->edge = cau_calloc(members, sizeof(const double *));
    w->path = cau_alloc(v->longest, sizeof *w->path);
    if (!w->chain || !w->s || (own && !w->own) || !w->counts || !w->x || !w->node || !w->edge ||
        !w->path)
        TRY(cau_fail_memory(ctx, "the members"));
    for (size_t j = 0; j < members; j++) TRY(cau_chain_work_new(ctx, Y, &w->chain[j]));
    TRY(cau_pool_work_new(ctx, Y, J, &w->pool));
done:
    return st;
}

/* ---- scores --------------------------------------------------------------------------------- */

static const double *edge_weights(const cau_panel *p, size_t j)
{
    return p->w[j] + cau_table_size(&p->nodes);
}

static const double *common_weights(const cau_panel *p, size_t j)
{
    return p->common ? edge_weights(p, j) + cau_table_size(&p->edges) : NULL;
}

/* Scores of the instances begin .. begin+T-1 by member j: s [T][Y]. */
static void score_nodes(const cau_votes *v, size_t j, size_t begin, size_t T, double *s)
{
    const cau_panel *p = &v->panel;
    const cau_dataset *set = v->set;
    const size_t row = begin * set->group, end = (begin + T) * set->group;
    const double *bias = p->chain ? NULL : common_weights(p, j);
    if (!p->nodes.start) {
        v->kernels->rows(&set->x, row, end, set->width, p->w[j], bias, s);
        return;
    }
    v->kernels->rows_listed(&set->x, row, end, &p->nodes, p->w[j], s);
    for (size_t i = 0; bias && i < T * set->Y; i++) s[i] += bias[i % set->Y];
}

/* The same of the edges into them: own [T][Y][Y]. */
static void score_edges(const cau_votes *v, size_t j, size_t begin, size_t T, double *own)
{
    const cau_panel *p = &v->panel;
    const double *w = edge_weights(p, j);
    if (p->edges.start)
        v->kernels->rows_listed(&v->set->e, begin, begin + T, &p->edges, w, own);
    else
        v->kernels->rows(&v->set->e, begin, begin + T, p->edges.width, w, NULL, own);
}

static caucus_status score_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const job *o = self;
    cau_votes *v = o->votes;
    const size_t j = block / v->blocks, first = block % v->blocks * BLOCK;
    const size_t last = first + BLOCK < v->S ? first + BLOCK : v->S;
    const size_t begin = begin_of(v, first), end = begin_of(v, last);
    score_nodes(v, j, begin, end - begin, v->scores + (j * v->set->N + begin) * v->set->Y);
    return CAUCUS_OK;
}

caucus_status cau_votes_new(caucus_ctx *ctx, const cau_dataset *set, const cau_panel *panel,
                            bool keep, unsigned threads, cau_votes **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = panel->J, Y = set->Y;
    size_t cells = 0, all = 0;
    cau_votes *v = cau_calloc(1, sizeof *v);
    if (!v) TRY(cau_fail_memory(ctx, "the members"));
    v->set = set;
    v->panel = *panel;
    v->threads = threads;
    v->kernels = cau_kernels_get();
    v->S = panel->chain && set->sequence ? set->S : set->N;
    v->blocks = (v->S + BLOCK - 1) / BLOCK;
    v->longest = 1;
    for (size_t s = 0; s < v->S; s++)
        if (length_of(v, s) > v->longest) v->longest = length_of(v, s);

    v->plain = cau_calloc(J + 1, sizeof *v->plain);
    v->zero = cau_vector(Y * Y, sizeof *v->zero);
    v->voter = cau_calloc(threads, sizeof *v->voter);
    v->right = cau_calloc(v->blocks, sizeof *v->right);
    v->counted = cau_calloc(v->blocks, sizeof *v->counted);
    v->loss = cau_calloc(v->blocks, sizeof *v->loss);
    v->gradient = cau_calloc(v->blocks, J * sizeof *v->gradient);
    if (!cau_size_mul(set->N, Y, &cells) || !cau_size_mul(cells, J, &all) || !v->plain ||
        !v->zero || !v->voter || !v->right || !v->counted || !v->loss || !v->gradient)
        TRY(cau_fail_memory(ctx, "the members"));
    for (unsigned i = 0; i < threads; i++) TRY(init_voter(ctx, v, &v->voter[i]));
    for (size_t j = 0; panel->chain && j <= J; j++) {
        TRY(cau_transitions_init(ctx, &v->plain[j], Y));
        if (j < J) cau_transitions_set(&v->plain[j], common_weights(panel, j));
    }
    if (keep) {
        v->scores = cau_vector(all, sizeof *v->scores);
        if (!v->scores) TRY(cau_fail_memory(ctx, "the scores of the members"));
        TRY(cau_parallel(threads, J * v->blocks, score_block, &(job){.votes = v}));
    }
    *out = v;
    v = NULL;
done:
    cau_votes_free(v);
    return st;
}

/* ---- lattices ------------------------------------------------------------------------------- */

/* The scores of all members for a sequence: w->node and w->edge. */
static void score(const cau_votes *v, voter *w, size_t s)
{
    const size_t J = v->panel.J, Y = v->set->Y, begin = begin_of(v, s), T = length_of(v, s);
    for (size_t j = 0; j < J; j++) {
        double *node = w->s + j * v->longest * Y;
        double *own = w->own ? w->own + j * v->longest * Y * Y : NULL;
        if (v->scores)
            w->node[j] = v->scores + (j * v->set->N + begin) * Y;
        else
            score_nodes(v, j, begin, T, node), w->node[j] = node;
        if (own) score_edges(v, j, begin, T, own);
        w->edge[j] = own;
    }
}

/* The lattice of member j, or with j = J that of all together. */
static caucus_status lattice(const cau_votes *v, voter *w, size_t j, size_t T)
{
    const size_t Y = v->set->Y;
    if (v->panel.chain)
        return v->panel.chain->lattice(w->chain[j], &v->plain[j], T, w->node[j], w->edge[j],
                                       &w->x[j]);
    w->x[j] = (cau_lattice){.T = T, .Y = Y, .node = w->node[j], .edge = v->zero};
    return CAUCUS_OK;
}

static caucus_status lattices(const cau_votes *v, voter *w, size_t s)
{
    score(v, w, s);
    for (size_t j = 0; j < v->panel.J; j++) {
        const caucus_status st = lattice(v, w, j, length_of(v, s));
        if (st) return st;
    }
    return CAUCUS_OK;
}

/* to [n] = sum_j alpha_j from_j. */
static void add_up(const cau_votes *v, const double *alpha, const double *const *from, size_t n,
                   double *to)
{
    v->kernels->combine(n, v->panel.J, alpha, from, to);
}

/* The scores of the members together for a sequence, and the place of their edges. */
static void score_together(const cau_votes *v, voter *w, const double *alpha, size_t s)
{
    const size_t J = v->panel.J, Y = v->set->Y, T = length_of(v, s);
    double *node = w->s + J * v->longest * Y;
    double *own = w->own ? w->own + J * v->longest * Y * Y : NULL;
    score(v, w, s);
    add_up(v, alpha, w->node, T * Y, node);
    if (own) add_up(v, alpha, w->edge, T * Y * Y, own);
    w->node[J] = node;
    w->edge[J] = own;
}

/* Makes ready the plain transitions of the members together. */
static caucus_status together(cau_votes *v, const double *alpha)
{
    const size_t J = v->panel.J, n = v->panel.common;
    if (!v->panel.chain) return CAUCUS_OK;
    double *a = cau_calloc(n + 1, sizeof *a);
    if (!a) return CAUCUS_ERR_MEMORY;
    for (size_t j = 0; j < J; j++)
        for (size_t i = 0; i < n; i++) a[i] += alpha[j] * v->plain[j].a[i];
    cau_transitions_set(&v->plain[J], n ? a : NULL);
    free(a);
    return CAUCUS_OK;
}

/* ---- labels --------------------------------------------------------------------------------- */

/* Products of classifiers are the same by transition as by sequence. */
static bool collapses(const cau_votes *v, const cau_pool *pool)
{
    return cau_pool_collapses(pool) || (!v->panel.chain && pool->combine == CAU_COMBINE_PRODUCT);
}

/* The labels of a sequence: w->path. */
static caucus_status label(const cau_votes *v, voter *w, const cau_pool *pool, size_t s)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->panel.J, T = length_of(v, s);
    cau_lattice joined;
    if (collapses(v, pool)) {
        score_together(v, w, pool->alpha, s);
        TRY(lattice(v, w, J, T));
        joined = w->x[J];
    } else {
        TRY(lattices(v, w, s));
        if (v->panel.chain && pool->combine == CAU_COMBINE_MIXTURE &&
            pool->per == CAU_PER_SEQUENCE && pool->mix == CAU_MIX_RESCORE) {
            double logp;
            size_t count;
            return cau_pool_rescore(w->pool, pool, w->x, CAU_RESCORE, 1, w->path, &logp, &count);
        }
        TRY(cau_pool_lattice(w->pool, pool, w->x, &joined));
    }
    TRY(cau_chain_best(w->chain[J], &joined, w->path, NULL));
done:
    return st;
}

static caucus_status count_block(void *self, size_t block, unsigned worker)
{
    const job *o = self;
    cau_votes *v = o->votes;
    voter *w = &v->voter[worker];
    size_t right = 0, counted = 0;
    for (size_t s = block * BLOCK; s < v->S && s < (block + 1) * BLOCK; s++) {
        const uint32_t *gold = v->set->gold + begin_of(v, s);
        const caucus_status st = label(v, w, o->pool, s);
        if (st) return st;
        for (size_t t = 0; t < length_of(v, s); t++) {
            if (o->labels) o->labels[begin_of(v, s) + t] = w->path[t];
            if (v->set->partial && (gold[t] & CAU_SET)) continue;
            right += gold[t] == w->path[t];
            counted++;
        }
    }
    v->right[block] = right;
    v->counted[block] = counted;
    return CAUCUS_OK;
}

caucus_status cau_votes_label(cau_votes *v, const cau_pool *pool, uint32_t *labels, size_t *right,
                              size_t *counted)
{
    job o = {.votes = v, .pool = pool, .labels = labels};
    caucus_status st = together(v, pool->alpha);
    if (!st) st = cau_parallel(v->threads, v->blocks, count_block, &o);
    if (st) return st;
    *right = *counted = 0;
    for (size_t b = 0; b < v->blocks; b++) {
        *right += v->right[b];
        *counted += v->counted[b];
    }
    return CAUCUS_OK;
}

caucus_status cau_votes_count(cau_votes *v, const cau_pool *pool, size_t *right, size_t *counted)
{
    return cau_votes_label(v, pool, NULL, right, counted);
}

/* ---- likelihoods ---------------------------------------------------------------------------- */

/* Whether all labels of a sequence are known. */
static bool whole(const cau_votes *v, size_t s)
{
    const uint32_t *gold = v->set->gold + begin_of(v, s);
    for (size_t t = 0; t < length_of(v, s); t++)
        if (gold[t] & CAU_SET) return false;
    return true;
}

static size_t cases_of(const cau_votes *v, cau_per per, size_t s)
{
    if (!whole(v, s)) return 0;
    return per == CAU_PER_SEQUENCE ? 1 : length_of(v, s);
}

size_t cau_votes_cases(const cau_votes *v, cau_per per)
{
    size_t count = 0;
    for (size_t s = 0; s < v->S; s++) count += cases_of(v, per, s);
    return count;
}

static caucus_status likelihood_block(void *self, size_t block, unsigned worker)
{
    const job *o = self;
    cau_votes *v = o->votes;
    voter *w = &v->voter[worker];
    const size_t J = v->panel.J;
    for (size_t s = block * BLOCK; s < v->S && s < (block + 1) * BLOCK; s++) {
        const uint32_t *gold = v->set->gold + begin_of(v, s);
        double *logp = o->logp + o->at[s] * J;
        if (!whole(v, s)) continue;
        caucus_status st = lattices(v, w, s);
        if (!st)
            st = o->per == CAU_PER_SEQUENCE ? cau_pool_by_sequence(w->pool, J, w->x, gold, logp)
                                            : cau_pool_by_transition(w->pool, J, w->x, gold, logp);
        if (st) return st;
    }
    return CAUCUS_OK;
}

caucus_status cau_votes_likelihoods(cau_votes *v, cau_per per, double *logp)
{
    size_t *at = cau_alloc(v->S, sizeof *at), sum = 0;
    if (!at) return CAUCUS_ERR_MEMORY;
    for (size_t s = 0; s < v->S; s++) {
        at[s] = sum;
        sum += cases_of(v, per, s);
    }
    const caucus_status st = cau_parallel(v->threads, v->blocks, likelihood_block,
                                          &(job){.votes = v, .per = per, .at = at, .logp = logp});
    free(at);
    return st;
}

/* ---- loss of products ----------------------------------------------------------------------- */

/* g_j += <r, x_j>, for all members. */
static void project(const cau_votes *v, size_t n, const double *r, const double *const *x,
                    double *g)
{
    for (size_t j = 0; j < v->panel.J; j++) g[j] += v->kernels->dot(n, r, x[j]);
}

/* Of a sequence, by the scores. */
static caucus_status scores_loss(const cau_votes *v, voter *w, const double *alpha, size_t s,
                                 double *loss, double *g)
{
    const size_t J = v->panel.J, Y = v->set->Y, T = length_of(v, s);
    const uint32_t *gold = v->set->gold + begin_of(v, s);
    double logz, *r = w->s + J * v->longest * Y, *own = w->own;
    caucus_status st;
    if (own) own += J * v->longest * Y * Y;
    *loss = 0;
    if (!v->panel.chain && !whole(v, s)) return CAUCUS_OK;
    score_together(v, w, alpha, s);
    if (!v->panel.chain) {
        st = cau_maxent_ops.residuals(1, Y, r, gold, NULL, false, &logz, loss);
        if (!st) project(v, Y, r, w->node, g);
        return st;
    }
    memset(w->counts, 0, Y * Y * sizeof *w->counts);
    cau_chain_example x = {.T = T,
                           .s = r,
                           .own = own,
                           .gold = gold,
                           .sets = &v->set->sets,
                           .weight = 1,
                           .counts = w->counts};
    st = v->panel.chain->residuals(w->chain[J], &v->plain[J], 1, &x, loss);
    if (st) return st;
    project(v, T * Y, r, w->node, g);
    if (own && T > 1) { /* what stands at the first position means nothing */
        for (size_t j = 0; j < J; j++)
            g[j] += v->kernels->dot((T - 1) * Y * Y, own + Y * Y, w->edge[j] + Y * Y);
    }
    for (size_t j = 0; v->panel.common && j < J; j++)
        g[j] += v->kernels->dot(Y * Y, w->counts, v->plain[j].a);
    return CAUCUS_OK;
}

/* q_j(y) of the positions of a sequence, from the transitions of each member by itself. */
static caucus_status next_labels(const cau_votes *v, voter *w, size_t s)
{
    const size_t J = v->panel.J, Y = v->set->Y, begin = begin_of(v, s), T = length_of(v, s);
    const uint32_t *gold = v->set->gold + begin;
    const double one = 1;
    const cau_pool alone = {
        .J = 1, .combine = CAU_COMBINE_PRODUCT, .per = CAU_PER_TRANSITION, .alpha = &one};
    caucus_status st = lattices(v, w, s);
    for (size_t j = 0; j < J && !st; j++) {
        cau_lattice x;
        st = cau_pool_lattice(w->pool, &alone, &w->x[j], &x);
        for (size_t t = 0; t < T && !st; t++)
            memcpy(v->q + ((begin + t) * J + j) * Y,
                   t == 0 ? x.node : x.edge + (t * Y + gold[t - 1]) * Y, Y * sizeof *v->q);
    }
    return st;
}

static caucus_status next_block(void *self, size_t block, unsigned worker)
{
    const job *o = self;
    cau_votes *v = o->votes;
    for (size_t s = block * BLOCK; s < v->S && s < (block + 1) * BLOCK; s++) {
        const caucus_status st = whole(v, s) ? next_labels(v, &v->voter[worker], s) : CAUCUS_OK;
        if (st) return st;
    }
    return CAUCUS_OK;
}

/* Of a sequence, by q. */
static caucus_status transitions_loss(const cau_votes *v, voter *w, const double *alpha, size_t s,
                                      double *loss, double *g)
{
    const size_t J = v->panel.J, Y = v->set->Y, begin = begin_of(v, s);
    double *r = w->s;
    *loss = 0;
    for (size_t t = 0; t < length_of(v, s) && whole(v, s); t++) {
        const double *q = v->q + (begin + t) * J * Y;
        double logz, one;
        memset(r, 0, Y * sizeof *r);
        for (size_t j = 0; j < J; j++)
            for (size_t y = 0; y < Y; y++) r[y] += alpha[j] * q[j * Y + y];
        const caucus_status st =
            cau_maxent_ops.residuals(1, Y, r, v->set->gold + begin + t, NULL, false, &logz, &one);
        if (st) return st;
        *loss += one;
        for (size_t j = 0; j < J; j++) g[j] += v->kernels->dot(Y, r, q + j * Y);
    }
    return CAUCUS_OK;
}

static caucus_status loss_block(void *self, size_t block, unsigned worker)
{
    const job *o = self;
    cau_votes *v = o->votes;
    voter *w = &v->voter[worker];
    double total = 0, *g = v->gradient + block * v->panel.J;
    memset(g, 0, v->panel.J * sizeof *g);
    for (size_t s = block * BLOCK; s < v->S && s < (block + 1) * BLOCK; s++) {
        double loss;
        const caucus_status st = o->per == CAU_PER_SEQUENCE
                                     ? scores_loss(v, w, o->alpha, s, &loss, g)
                                     : transitions_loss(v, w, o->alpha, s, &loss, g);
        if (st) return st;
        total += loss;
    }
    v->loss[block] = total;
    return CAUCUS_OK;
}

caucus_status cau_votes_loss(cau_votes *v, cau_per per, const double *alpha, double *loss,
                             double *g)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = v->panel.J;
    if (!v->panel.chain) per = CAU_PER_SEQUENCE;
    job o = {.votes = v, .alpha = alpha, .per = per};
    if (per == CAU_PER_SEQUENCE) TRY(together(v, alpha));
    if (per == CAU_PER_TRANSITION && !v->q) {
        size_t cells, all;
        if (!cau_size_mul(v->set->N, J, &cells) || !cau_size_mul(cells, v->set->Y, &all))
            TRY(CAUCUS_ERR_MEMORY);
        v->q = cau_vector(all, sizeof *v->q);
        if (!v->q) TRY(CAUCUS_ERR_MEMORY);
        st = cau_parallel(v->threads, v->blocks, next_block, &o);
        if (st) free(v->q), v->q = NULL;
        if (st) goto done;
    }
    TRY(cau_parallel(v->threads, v->blocks, loss_block, &o));
    double total = 0;
    memset(g, 0, J * sizeof *g);
    for (size_t b = 0; b < v->blocks; b++) {
        total += v->loss[b];
        for (size_t j = 0; j < J; j++) g[j] += v->gradient[b * J + j];
    }
    if (!isfinite(total)) TRY(CAUCUS_ERR_NUMERIC);
    *loss = total;
done:
    return st;
}
