/* mega_model.c - the parameters of MEGA as the image of a model file: a mixture by transition with
 * a gate (model/pool.h), whose members are the components.
 *
 * All members of a pool have weights over the same table. It is that of the general component,
 * which lists what the others list, since its instances are all there are. In chains the columns
 * after the observations, a row for each previous label y', are the transitions of the model:
 *     row K + y'               plain transitions from y'
 *     row K + Y + e*Y + y'     those of edge observation e, cells y'*Y + y
 * The rows of one e are adjacent, as the Y*Y cells of e in a table of edges are.
 *
 * The gate is log Psi of all components, base + sum of weights over the features that are there:
 *     base_c = sum_f log(1 - psi^c_f),     weight[f][c] = logit psi^c_f */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/mega.h"
#include "base/memory.h"
#include "base/status.h"
#include "train/seen.h"

typedef struct {
    const cau_domains *domains;
    const cau_mega *mega;
    cau_table edges;         /* owned */
    double **w;              /* [D+2] owned: of each component and the sums, over the general
                                table, then default weights */
    double **plain;          /* [D+2] owned: [Y][Y] */
    cau_member_part *member; /* [D+1] */
    double *alpha;           /* [D+1] */
    double *base, *gate;     /* [D+1], [K][D+1] */
} mega_image;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the model");
}

static void clear_image(mega_image *m)
{
    for (size_t i = 0; i < m->mega->D + 2; i++) {
        if (m->w) free(m->w[i]);
        if (m->plain) free(m->plain[i]);
    }
    free(m->w);
    free(m->plain);
    cau_table_clear(&m->edges);
    free(m->member);
    free(m->alpha);
    free(m->base);
    free(m->gate);
}

/* ---- weights ------------------------------------------------------------------------------- */

static const cau_table *general_table(const mega_image *m)
{
    return &m->mega->table[m->mega->D];
}

/* The weights of component c over the general table: to [its size, and Y default weights]. */
static void expand_weights(const mega_image *m, size_t c, double *to)
{
    const cau_table *from = &m->mega->table[c], *all = general_table(m);
    const double *w = m->mega->w[c];
    const size_t Y = m->domains->Y;
    for (size_t k = 0; k < from->rows; k++) {
        const size_t at = cau_table_at(from, k), end = cau_table_at(from, k + 1);
        for (size_t i = at; i < end; i++)
            to[cau_table_find(all, k, from->cell ? from->cell[i] : i - at)] = w[i];
    }
    for (size_t y = 0; m->mega->bias && y < Y; y++)
        to[cau_table_size(all) + y] = w[cau_table_size(from) + y];
}

/* The plain transitions among weights over the general table: to [Y][Y]. */
static void copy_plain(const mega_image *m, const double *w, double *to)
{
    const cau_table *all = general_table(m);
    const size_t Y = m->domains->Y;
    for (size_t before = 0; before < Y; before++) {
        const size_t k = m->domains->K + before, at = cau_table_at(all, k);
        for (size_t i = at; i < cau_table_at(all, k + 1); i++)
            to[before * Y + (all->cell ? all->cell[i] : i - at)] = w[i];
    }
}

/* The rows of the general table after the plain transitions, each Y of them as one. */
static caucus_status make_edges(caucus_ctx *ctx, mega_image *m)
{
    const cau_table *all = general_table(m);
    const size_t Y = m->domains->Y, E = m->domains->E, K = m->domains->K + Y;
    m->edges = (cau_table){.rows = E, .width = Y * Y};
    if (E == 0 || !all->start) return CAUCUS_OK;
    const size_t first = all->start[K];
    m->edges.start = cau_alloc(E + 1, sizeof *m->edges.start);
    m->edges.cell = cau_alloc(all->start[K + E * Y] - first, sizeof *m->edges.cell);
    if (!m->edges.start || !m->edges.cell) return no_memory(ctx);
    for (size_t e = 0; e <= E; e++) m->edges.start[e] = all->start[K + e * Y] - first;
    for (size_t row = 0; row < E * Y; row++)
        for (size_t i = all->start[K + row]; i < all->start[K + row + 1]; i++)
            m->edges.cell[i - first] = (uint32_t)(row % Y * Y) + all->cell[i];
    return CAUCUS_OK;
}

/* The weights of component i, or the sums for i = D+1. */
static cau_member_part part_of(const mega_image *m, size_t i)
{
    const cau_table *all = general_table(m);
    return (cau_member_part){
        .nodes = m->w[i],
        .edges = m->edges.rows ? m->w[i] + cau_table_at(all, m->domains->K + m->domains->Y) : NULL,
        .transitions = m->plain[i],
        .bias = m->mega->bias ? m->w[i] + cau_table_size(all) : NULL};
}

static caucus_status make_members(caucus_ctx *ctx, bool plain, mega_image *m)
{
    const size_t D = m->mega->D, Y = m->domains->Y;
    const size_t n = cau_table_size(general_table(m)) + (m->mega->bias ? Y : 0);
    m->alpha = cau_calloc(D + 1, sizeof *m->alpha);
    m->member = cau_calloc(D + 1, sizeof *m->member);
    m->w = cau_calloc(D + 2, sizeof *m->w);
    m->plain = cau_calloc(D + 2, sizeof *m->plain);
    if (!m->alpha || !m->member || !m->w || !m->plain) return no_memory(ctx);
    m->alpha[0] = 1 - m->mega->pi[0];
    m->alpha[D] = m->mega->pi[0];
    for (size_t i = 0; i < D + 2; i++) {
        m->w[i] = cau_vector(n, sizeof *m->w[i]);
        if (plain) m->plain[i] = cau_calloc(Y * Y, sizeof *m->plain[i]);
        if (!m->w[i] || (plain && !m->plain[i])) return no_memory(ctx);
    }
    for (size_t c = 0; c <= D; c++) {
        expand_weights(m, c, m->w[c]);
        for (size_t k = 0; m->alpha[c] > 0 && k < n; k++)
            m->w[D + 1][k] += m->alpha[c] * m->w[c][k];
    }
    for (size_t i = 0; plain && i < D + 2; i++) copy_plain(m, m->w[i], m->plain[i]);
    for (size_t c = 0; c <= D; c++) m->member[c] = part_of(m, c);
    return CAUCUS_OK;
}

/* ---- the gate ------------------------------------------------------------------------------ */

static caucus_status make_gate(caucus_ctx *ctx, mega_image *m)
{
    const cau_bayes *bayes = &m->mega->bayes;
    const size_t J = m->mega->D + 1;
    size_t cells;
    m->base = cau_calloc(J, sizeof *m->base);
    m->gate = cau_size_mul(m->domains->K, J, &cells) ? cau_calloc(cells, sizeof *m->gate) : NULL;
    if (!m->base || !m->gate) return no_memory(ctx);
    for (size_t c = 0; c < J; c++)
        for (size_t f = 0; f < bayes->B; f++) {
            const double psi = m->mega->psi[c][f], without = log1p(-psi);
            m->base[c] += without;
            m->gate[bayes->feature[f] * J + c] = log(psi) - without;
        }
    return CAUCUS_OK;
}

caucus_status cau_mega_model(caucus_ctx *ctx, const caucus_data *data, const cau_domains *domains,
                             const cau_mega *mega, cau_str info, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    mega_image m = {.domains = domains, .mega = mega};
    TRY(make_edges(ctx, &m));
    TRY(make_members(ctx, domains->chain && data->transitions, &m));
    TRY(make_gate(ctx, &m));

    cau_table nodes = *general_table(&m);
    nodes.rows = domains->K;
    cau_model_parts parts =
        cau_model_parts_of(data, domains->chain ? CAU_KIND_MEMM : CAU_KIND_MAXENT, nodes, m.edges,
                           part_of(&m, mega->D + 1), info);
    parts.pool = (cau_pool){.J = mega->D + 1,
                            .combine = CAU_COMBINE_MIXTURE,
                            .per = CAU_PER_TRANSITION,
                            .alpha = m.alpha};
    parts.member = m.member;
    parts.gate_base = m.base;
    parts.gate = m.gate;
    TRY(cau_model_build(ctx, &parts, out));
done:
    clear_image(&m);
    return st;
}
