/* memm.c - loss and residuals of maximum-entropy Markov models.
 *
 *     p(y|x)     = p_0(y_0) prod_{t>0} p_t(y_t | y_{t-1})
 *     p_0(j)     = exp s_0(j) / Z_0
 *     p_t(j | i) = exp( s_t(j) + a_t(i,j) ) / Z_t(i),        a_t = a, or a + own_t
 *
 * Each factor is a classifier that sees the previous label. If all labels are known, training uses
 * only the previous labels of the data:
 *     loss = -c sum_t log p_t(y_t | y_{t-1})
 *     d loss / d s_t(j) = d loss / d a_t(y_{t-1}, j) = c ( p_t(j | y_{t-1}) - [y_t = j] )
 * which takes O(T Y), like a classifier, without sums over paths.
 *
 * For partial labels, the loss is -c log of the sum of p(y|x) over the paths that they allow. With
 * the probabilities of labels and edges among those paths,
 *     g_t(i) = p(y_t = i | x, allowed),     h_t(i,j) = p(y_{t-1} = i, y_t = j | x, allowed)
 * the residuals are the expectation given the previous labels minus the expectation among those
 * paths:
 *     d loss / d a_t(i,j) = c ( g_{t-1}(i) p_t(j|i) - h_t(i,j) )
 *     d loss / d s_t(j)   = the sum of these over i;   d loss / d s_0(j) = c ( p_0(j) - g_0(j) )
 *
 * [1] McCallum, Freitag, Pereira. Maximum entropy Markov models for information extraction and
 *     segmentation. ICML 2000. */

#include <math.h>
#include <string.h>

#include "model/chain_work.h"

/* Nodes: log p_0 at position 0, and 0 elsewhere. Edges: log p_t(j|i). */
static caucus_status lattice(cau_chain_work *work, const cau_transitions *a, size_t T,
                             const double *s, const double *own, cau_lattice *out)
{
    const size_t Y = work->Y;
    caucus_status st = cau_chain_reserve_lattice(work, T);
    if (st) return st;
    double *node = work->lattice_node, *edge = work->lattice_edge;
    double *copy = work->edge, *logz = work->back; /* [Y][Y] and [Y] */

    memset(node, 0, T * Y * sizeof *node);
    memcpy(copy, s, Y * sizeof *copy);
    work->kernels->softmax(1, Y, copy, logz);
    for (size_t y = 0; y < Y; y++) node[y] = s[y] - logz[0];

    for (size_t t = 1; t < T; t++) {
        double *to = edge + t * Y * Y;
        for (size_t i = 0; i < Y; i++)
            for (size_t y = 0; y < Y; y++) {
                const size_t at = i * Y + y;
                to[at] = s[t * Y + y] + a->a[at] + (own ? own[t * Y * Y + at] : 0);
            }
        memcpy(copy, to, Y * Y * sizeof *copy);
        work->kernels->softmax(Y, Y, copy, logz);
        for (size_t i = 0; i < Y; i++)
            for (size_t y = 0; y < Y; y++) to[i * Y + y] -= logz[i];
    }
    *out = (cau_lattice){.T = T, .Y = Y, .node = node, .edge = edge, .per_position = true};
    return CAUCUS_OK;
}

/* ---- fully labelled ----------------------------------------------------------------------- */

static caucus_status labelled_residuals(cau_chain_work *work, const cau_transitions *a,
                                        cau_chain_example *x, double *loss)
{
    const size_t Y = work->Y, T = x->T;
    const uint32_t *gold = x->gold;
    const double c = x->weight;
    double *logz = work->z, score = 0, sum = 0;

    for (size_t t = 0; t < T; t++) {
        double *s = x->s + t * Y;
        if (t > 0) {
            const double *plain = a->a + gold[t - 1] * Y;
            const double *own = x->edge_scores ? x->edge_scores + (t * Y + gold[t - 1]) * Y : NULL;
            for (size_t y = 0; y < Y; y++) s[y] += plain[y] + (own ? own[y] : 0);
        }
        score += s[gold[t]];
    }
    work->kernels->softmax(T, Y, x->s, logz);
    if (x->edge_scores) memset(x->edge_scores, 0, T * Y * Y * sizeof *x->edge_scores);

    for (size_t t = 0; t < T; t++) {
        double *r = x->s + t * Y;
        sum += logz[t];
        for (size_t y = 0; y < Y; y++) r[y] *= c;
        if (!x->expected_only) r[gold[t]] -= c;
        if (t == 0) continue;
        double *counts = x->counts + gold[t - 1] * Y;
        for (size_t y = 0; y < Y; y++) counts[y] += r[y];
        if (x->edge_scores) memcpy(x->edge_scores + (t * Y + gold[t - 1]) * Y, r, Y * sizeof *r);
    }
    *loss += c * (sum - score);
    return isfinite(*loss) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

/* ---- partial labels ----------------------------------------------------------------------- */

static caucus_status partial_residuals(cau_chain_work *work, const cau_transitions *a,
                                       cau_chain_example *x, double *loss)
{
    const size_t Y = work->Y, T = x->T;
    const double c = x->weight;
    cau_lattice all;
    caucus_status st = lattice(work, a, T, x->s, x->edge_scores, &all);
    if (st) return st;
    double *p0 = x->s; /* c p_0, in the place of the residuals */
    for (size_t y = 0; y < Y; y++) p0[y] = c * exp(all.node[y]);
    memset(x->s + Y, 0, (T - 1) * Y * sizeof *x->s);
    if (x->edge_scores) memset(x->edge_scores, 0, T * Y * Y * sizeof *x->edge_scores);

    for (size_t t = 0; t < T; t++)
        cau_chain_allow(Y, x->gold[t], x->sets, -INFINITY, work->lattice_node + t * Y);
    double logz, *g = work->p;
    memset(g, 0, T * Y * sizeof *g);
    st = cau_chain_sum_log(work, &all, 1, &logz, g, NULL, NULL);
    if (!st && !x->expected_only)
        st = cau_chain_sum_log(work, &all, -c, &logz, x->s, x->edge_scores, x->counts);
    if (st) return st;

    for (size_t t = 1; t < T; t++)
        for (size_t i = 0; i < Y; i++) {
            const double before = c * g[(t - 1) * Y + i];
            for (size_t y = 0; before != 0 && y < Y; y++) {
                const double p = before * exp(all.edge[(t * Y + i) * Y + y]);
                x->s[t * Y + y] += p;
                x->counts[i * Y + y] += p;
                if (x->edge_scores) x->edge_scores[(t * Y + i) * Y + y] += p;
            }
        }
    *loss -= c * logz;
    return isfinite(*loss) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

static caucus_status residuals(cau_chain_work *work, const cau_transitions *a, size_t n,
                               cau_chain_example *x, double *loss)
{
    caucus_status st = CAUCUS_OK;
    *loss = 0;
    for (; !st && n > 0; n--, x++) {
        st = cau_chain_reserve(work, x->T);
        if (st) break;
        const cau_label_knowledge known = cau_chain_known(x->T, x->gold);
        if (known == CAU_KNOWN_ALL)
            st = labelled_residuals(work, a, x, loss);
        else if (known == CAU_KNOWN_PARTLY || x->expected_only)
            st = partial_residuals(work, a, x, loss);
        else
            cau_chain_nothing(work->Y, x);
    }
    return st;
}

const cau_chain_ops cau_memm_ops = {.name = "memm", .residuals = residuals, .lattice = lattice};
