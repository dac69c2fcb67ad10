/* crf.c - loss and residuals of linear-chain conditional random fields.
 *
 *     score(y) = sum_t s_t(y_t) + sum_{t>0} a_t(y_{t-1}, y_t),     p(y|x) = exp score(y) / Z
 * where a_t is the transitions a, or a + own_t with observations on edges.
 *
 *     loss = -c log p(y|x) = c ( log Z - score(y) )
 *     d loss / d s_t(j)   = c ( p(y_t = j | x)                - [y_t = j] )
 *     d loss / d a_t(i,j) = c ( p(y_{t-1} = i, y_t = j | x)   - [y_{t-1} = i, y_t = j] )
 *
 * For partial labels, let Z(A) be the sum over the set A of paths that they allow:
 *     loss = c ( log Z - log Z(A) )
 *     d loss / d s_t(j)   = c ( p(y_t = j | x) - p(y_t = j | x, A) )
 * and likewise for the edges: forward-backward runs once more, over fewer paths, and the result is
 * subtracted. No EM is needed. A sequence without known labels has loss and residuals 0.
 *
 * Forward-backward is scaled if the scores allow it, and runs in log space otherwise
 * (forward_backward.c). A typical sequence costs T Y exponentials and 3 T Y^2 multiplications.
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
        if (x->edge_scores) score += x->edge_scores[t * Y * Y + edge];
    }
    return score;
}

/* Subtracts c from the nodes and edges of the gold path. */
static void subtract_gold(size_t Y, cau_chain_example *x)
{
    for (size_t t = 0; t < x->T; t++) {
        x->s[t * Y + x->gold[t]] -= x->weight;
        if (t == 0) continue;
        const size_t edge = x->gold[t - 1] * Y + x->gold[t];
        if (x->edge_scores)
            x->edge_scores[t * Y * Y + edge] -= x->weight;
        else
            x->counts[edge] -= x->weight;
    }
}

/* Adds the expectations of the edges of all positions to those of the transitions. */
static void add_to_transitions(size_t Y, cau_chain_example *x)
{
    for (size_t t = 1; t < x->T; t++)
        for (size_t i = 0; i < Y * Y; i++) x->counts[i] += x->edge_scores[t * Y * Y + i];
}

/* Adds the loss, given log Z and the log of the gold part. */
static caucus_status add_loss(double c, double logz, double gold, double *loss)
{
    const double value = c * (logz - gold);
    if (!isfinite(value)) return CAUCUS_ERR_NUMERIC;
    *loss += value;
    return CAUCUS_OK;
}

/* ---- scaled ----------------------------------------------------------------------------- */

static void add_edges(cau_chain_work *work, const cau_chain_matrices *m, size_t T,
                      cau_chain_example *x)
{
    if (m->per_position)
        cau_chain_add_own(work, T, m, x->edge_scores);
    else
        cau_chain_add_counts(work, T, m, x->counts);
}

/* Computes c p(y_t|x) and c p(y_{t-1}, y_t|x) of sequences from their S. */
static void compute_expectations(cau_chain_work *work, const cau_chain_group *g,
                                 const cau_chain_matrices *m, cau_chain_example *x, double *logz)
{
    double c[CAU_TOGETHER], *p[CAU_TOGETHER];
    for (size_t i = 0; i < g->n; i++) {
        c[i] = x[i].weight;
        p[i] = x[i].s;
    }
    cau_chain_forward(work, g, m, logz);
    cau_chain_backward(work, g, m, c, p);
    if (x->edge_scores)
        memset(x->edge_scores, 0, x->T * work->Y * work->Y * sizeof *x->edge_scores);
    add_edges(work, m, g->first[g->n], x);
}

/* Fully labelled sequences, given S, the shifts and the scores of the gold paths. */
static caucus_status labelled_residuals(cau_chain_work *work, const cau_chain_group *g,
                                        const cau_chain_matrices *m, const double *shift,
                                        const double *path, cau_chain_example *x, double *loss)
{
    double logz[CAU_TOGETHER];
    caucus_status st = CAUCUS_OK;
    compute_expectations(work, g, m, x, logz);
    for (size_t i = 0; !st && i < g->n; i++) {
        if (!x[i].expected_only) subtract_gold(work->Y, &x[i]);
        st = add_loss(x[i].weight, shift[i] + logz[i], path[i], loss);
    }
    return st;
}

static caucus_status partial_residuals(cau_chain_work *work, const cau_chain_matrices *m,
                                       cau_chain_example *x, double *loss)
{
    const size_t Y = work->Y, T = x->T;
    const cau_chain_group alone = cau_chain_alone(T);
    double logz, allowed;
    compute_expectations(work, &alone, m, x, &logz);
    for (size_t t = 0; t < T; t++)
        cau_chain_allow(Y, x->gold[t], x->sets, 0, work->S + t * work->stride);
    cau_chain_forward(work, &alone, m, &allowed);
    if (!x->expected_only) {
        const double minus = -x->weight;
        cau_chain_backward(work, &alone, m, &minus, &work->p);
        for (size_t i = 0; i < T * Y; i++) x->s[i] += work->p[i];
        add_edges(work, m, T, x);
    }
    return add_loss(x->weight, logz, allowed, loss); /* the shifts are the same */
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
    out->per_position = true;
    return CAUCUS_OK;
}

static caucus_status log_space_residuals(cau_chain_work *work, const cau_transitions *a,
                                         cau_label_knowledge known, double path,
                                         cau_chain_example *x, double *loss)
{
    const size_t Y = work->Y, T = x->T;
    cau_lattice all;
    caucus_status st = lattice(work, a, T, x->s, x->edge_scores, &all);
    if (st) return st;
    all.node = memcpy(work->p, x->s, T * Y * sizeof *x->s);
    memset(x->s, 0, T * Y * sizeof *x->s);
    if (x->edge_scores) memset(x->edge_scores, 0, T * Y * Y * sizeof *x->edge_scores);
    double *counts = x->edge_scores ? NULL : x->counts;

    double logz, allowed = path;
    st = cau_chain_sum_log(work, &all, x->weight, &logz, x->s, x->edge_scores, counts);
    if (!st && known != CAU_KNOWN_ALL) {
        for (size_t t = 0; t < T; t++)
            cau_chain_allow(Y, x->gold[t], x->sets, -INFINITY, work->p + t * Y);
        const bool also = !x->expected_only;
        st = cau_chain_sum_log(work, &all, -x->weight, &allowed, also ? x->s : NULL,
                               also ? x->edge_scores : NULL, also ? counts : NULL);
    } else if (!st && !x->expected_only) {
        subtract_gold(Y, x);
    }
    return st ? st : add_loss(x->weight, logz, allowed, loss);
}

/* ---- sequences ---------------------------------------------------------------------------- */

static cau_chain_matrices plain_matrices(const cau_transitions *a)
{
    return (cau_chain_matrices){.e = a->e, .back = a->back};
}

static caucus_status one_sequence(cau_chain_work *work, const cau_transitions *a,
                                  cau_chain_example *x, double *loss)
{
    const size_t Y = work->Y, T = x->T;
    caucus_status st = cau_chain_reserve(work, T);
    if (!st && x->edge_scores) st = cau_chain_reserve_own(work, T);
    if (st) return st;

    const cau_label_knowledge known = cau_chain_known(T, x->gold);
    if (known == CAU_KNOWN_NOTHING && !x->expected_only) {
        cau_chain_nothing(Y, x);
        return CAUCUS_OK;
    }

    const cau_chain_group group = cau_chain_alone(T);
    const double path = known == CAU_KNOWN_ALL ? gold_score(Y, a, x) : 0;
    cau_chain_matrices m = plain_matrices(a);
    double shift;
    m.shift = (double)(T - 1) * a->top;
    if (!cau_chain_exp_nodes(work, 0, T, x->s, &shift) ||
        !(x->edge_scores ? cau_chain_exp_own(work, T, a->a, x->edge_scores, &m) : a->moderate)) {
        st = log_space_residuals(work, a, known, path, x, loss);
    } else if (known == CAU_KNOWN_ALL) {
        shift += m.shift;
        st = labelled_residuals(work, &group, &m, &shift, &path, x, loss);
    } else {
        st = partial_residuals(work, &m, x, loss);
    }
    if (!st && x->edge_scores) add_to_transitions(Y, x);
    return st;
}

/* The number of sequences, from the first on, that can go together: fully labelled, without
 * observations on edges. */
static size_t count_alike(const cau_transitions *a, size_t n, const cau_chain_example *x)
{
    size_t i = 0;
    while (a->moderate && i < n && i < CAU_TOGETHER && !x[i].edge_scores &&
           cau_chain_known(x[i].T, x[i].gold) == CAU_KNOWN_ALL)
        i++;
    return i;
}

/* Computes S, shifts and gold scores of several sequences; false if one of them needs log space. */
static bool prepare_together(cau_chain_work *work, const cau_transitions *a,
                             const cau_chain_example *x, const cau_chain_group *g, double *shift,
                             double *path)
{
    for (size_t i = 0; i < g->n; i++) {
        if (!cau_chain_exp_nodes(work, g->first[i], x[i].T, x[i].s, &shift[i])) return false;
        shift[i] += (double)(x[i].T - 1) * a->top;
        path[i] = gold_score(work->Y, a, &x[i]);
    }
    return true;
}

static caucus_status residuals(cau_chain_work *work, const cau_transitions *a, size_t n,
                               cau_chain_example *x, double *loss)
{
    const cau_chain_matrices m = plain_matrices(a);
    caucus_status st = CAUCUS_OK;
    *loss = 0;
    for (size_t i = 0; !st && i < n;) {
        cau_chain_group g = {.n = count_alike(a, n - i, x + i)};
        double shift[CAU_TOGETHER], path[CAU_TOGETHER];
        for (size_t k = 0; k < g.n; k++) g.first[k + 1] = g.first[k] + x[i + k].T;
        if (g.n > 1) st = cau_chain_reserve(work, g.first[g.n]);
        if (!st && g.n > 1 && prepare_together(work, a, x + i, &g, shift, path)) {
            st = labelled_residuals(work, &g, &m, shift, path, x + i, loss);
            i += g.n;
        } else if (!st) {
            st = one_sequence(work, a, &x[i++], loss);
        }
    }
    return st;
}

const cau_chain_ops cau_crf_ops = {.name = "crf", .residuals = residuals, .lattice = lattice};
