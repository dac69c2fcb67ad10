/* crf.c - loss and residuals of linear-chain conditional random fields.
 *
 *     score(y) = sum_t s_t(y_t) + sum_{t>0} a_t(y_{t-1}, y_t),     p(y|x) = exp score(y) / Z
 * where a_t is the plain transitions a, or, where observations speak for edges, a + own_t.
 *
 *     loss = -c log p(y|x) = c ( log Z - score(y) )
 *     d loss / d s_t(j)   = c ( p(y_t = j | x)                - [y_t = j] )
 *     d loss / d a_t(i,j) = c ( p(y_{t-1} = i, y_t = j | x)   - [y_{t-1} = i, y_t = j] )
 *
 * Where labels are left open, let Z(A) be the sum over the paths A that they allow:
 *     loss = c ( log Z - log Z(A) )
 *     d loss / d s_t(j)   = c ( p(y_t = j | x) - p(y_t = j | x, A) )
 * and likewise for the edges: the same sums are made once more, over fewer paths, and
 * subtracted. No EM is needed. A sequence of which nothing is known has loss and residuals 0.
 *
 * The sums are scaled where the scores allow it, and in log space otherwise (sums.c): a
 * sequence of the usual kind costs T Y exponentials and 3 T Y^2 multiplications.
 *
 * [1] Lafferty, McCallum, Pereira. Conditional random fields. ICML 2001.
 * [2] Tsuboi, Kashima, Mori, Oda, Matsumoto. Training conditional random fields using
 *     incomplete annotations. COLING 2008. */

#include <math.h>
#include <string.h>

#include "model/chain_work.h"

static double gold_score(size_t Y, const cau_transitions *a, const cau_chain_example *x)
{
    double score = x->s[x->gold[0]];
    for (size_t t = 1; t < x->T; t++) {
        const size_t edge = x->gold[t - 1] * Y + x->gold[t];
        score += x->s[t * Y + x->gold[t]] + a->a[edge];
        if (x->own) score += x->own[t * Y * Y + edge];
    }
    return score;
}

/* Subtracts c from what the gold path has: nodes, and edges of positions or plain ones. */
static void subtract_gold(size_t Y, cau_chain_example *x)
{
    for (size_t t = 0; t < x->T; t++) {
        x->s[t * Y + x->gold[t]] -= x->weight;
        if (t == 0) continue;
        const size_t edge = x->gold[t - 1] * Y + x->gold[t];
        if (x->own)
            x->own[t * Y * Y + edge] -= x->weight;
        else
            x->counts[edge] -= x->weight;
    }
}

/* Edges of positions have the plain transitions in them. */
static void count_own(size_t Y, cau_chain_example *x)
{
    for (size_t t = 1; t < x->T; t++)
        for (size_t i = 0; i < Y * Y; i++) x->counts[i] += x->own[t * Y * Y + i];
}

/* The loss, when log Z and the log of the gold part are known. */
static caucus_status set_loss(double c, double logz, double gold, double *loss)
{
    const double value = c * (logz - gold);
    if (!isfinite(value)) return CAUCUS_ERR_NUMERIC;
    *loss = value;
    return CAUCUS_OK;
}

/* ---- scaled ----------------------------------------------------------------------------- */

static void add_edges(cau_chain_work *work, const cau_chain_matrices *m, cau_chain_example *x)
{
    if (m->own)
        cau_chain_add_own(work, x->T, m, x->own);
    else
        cau_chain_add_counts(work, x->T, m, x->counts);
}

/* S, and the shift of the nodes, are there. */
static caucus_status scaled(cau_chain_work *work, const cau_chain_matrices *m, double shift,
                            cau_known known, double path, cau_chain_example *x, double *loss)
{
    const size_t Y = work->Y, T = x->T;
    const double logz = cau_chain_forward(work, T, m);
    cau_chain_backward(work, T, m, x->weight, x->s);
    if (x->own) memset(x->own, 0, T * Y * Y * sizeof *x->own);
    add_edges(work, m, x);
    if (known == CAU_KNOWN_ALL) {
        if (!x->expected_only) subtract_gold(Y, x);
        return set_loss(x->weight, shift + m->shift + logz, path, loss);
    }

    for (size_t t = 0; t < T; t++)
        cau_chain_allow(Y, x->gold[t], x->sets, 0, work->S + t * work->stride);
    const double allowed = cau_chain_forward(work, T, m);
    if (!x->expected_only) {
        cau_chain_backward(work, T, m, -x->weight, work->p);
        for (size_t i = 0; i < T * Y; i++) x->s[i] += work->p[i];
        add_edges(work, m, x);
    }
    return set_loss(x->weight, logz, allowed, loss); /* the shifts are the same */
}

/* ---- log space -------------------------------------------------------------------------- */

static caucus_status lattice(cau_chain_work *work, const cau_transitions *a, size_t T,
                             const double *s, const double *own, cau_lattice *out)
{
    const size_t Y = work->Y;
    *out = (cau_lattice){.T = T, .Y = Y, .node = s, .edge = a->a};
    if (!own) return CAUCUS_OK;
    caucus_status st = cau_chain_reserve_lattice(work, T);
    if (st) return st;
    for (size_t t = 1; t < T; t++)
        for (size_t i = 0; i < Y * Y; i++)
            work->lattice_edge[t * Y * Y + i] = a->a[i] + own[t * Y * Y + i];
    out->edge = work->lattice_edge;
    out->own = true;
    return CAUCUS_OK;
}

static caucus_status in_log_space(cau_chain_work *work, const cau_transitions *a, cau_known known,
                                  double path, cau_chain_example *x, double *loss)
{
    const size_t Y = work->Y, T = x->T;
    cau_lattice all;
    caucus_status st = lattice(work, a, T, x->s, x->own, &all);
    if (st) return st;
    all.node = memcpy(work->p, x->s, T * Y * sizeof *x->s);
    memset(x->s, 0, T * Y * sizeof *x->s);
    if (x->own) memset(x->own, 0, T * Y * Y * sizeof *x->own);
    double *counts = x->own ? NULL : x->counts;

    double logz, allowed = path;
    st = cau_chain_sum_log(work, &all, x->weight, &logz, x->s, x->own, counts);
    if (!st && known != CAU_KNOWN_ALL) {
        for (size_t t = 0; t < T; t++)
            cau_chain_allow(Y, x->gold[t], x->sets, -INFINITY, work->p + t * Y);
        const bool also = !x->expected_only;
        st = cau_chain_sum_log(work, &all, -x->weight, &allowed, also ? x->s : NULL,
                               also ? x->own : NULL, also ? counts : NULL);
    } else if (!st && !x->expected_only) {
        subtract_gold(Y, x);
    }
    return st ? st : set_loss(x->weight, logz, allowed, loss);
}

/* ---- both ------------------------------------------------------------------------------- */

static caucus_status residuals(cau_chain_work *work, const cau_transitions *a, cau_chain_example *x,
                               double *loss)
{
    const size_t Y = work->Y, T = x->T;
    caucus_status st = cau_chain_reserve(work, T);
    if (!st && x->own) st = cau_chain_reserve_own(work, T);
    if (st) return st;

    const cau_known known = cau_chain_known(T, x->gold);
    if (known == CAU_KNOWN_NOTHING && !x->expected_only) {
        cau_chain_nothing(Y, x, loss);
        return CAUCUS_OK;
    }

    const double path = known == CAU_KNOWN_ALL ? gold_score(Y, a, x) : 0;
    cau_chain_matrices m = {.e = a->e, .back = a->back, .shift = (double)(T - 1) * a->top};
    double shift;
    if (cau_chain_exp_nodes(work, T, x->s, &shift) &&
        (x->own ? cau_chain_exp_own(work, T, a->a, x->own, &m) : a->moderate))
        st = scaled(work, &m, shift, known, path, x, loss);
    else
        st = in_log_space(work, a, known, path, x, loss);
    if (!st && x->own) count_own(Y, x);
    return st;
}

const cau_chain_ops cau_crf_ops = {.name = "crf", .residuals = residuals, .lattice = lattice};
