/* consensus.c - finds the clustering with the least expected loss over samples, by local search.
 *
 * With n_k items in cluster k of the result, m_sj in cluster j of sample s and n_ksj in both, both
 * losses have one form, summed over the S samples:
 *     L = S sum_k f(n_k) + sum_sj f(m_sj) - 2 sum_ksj f(n_ksj)
 *     VI      f(n) = n log n       L / (S N) is the expected variation of information, in nats
 *     Binder  f(n) = n(n-1)/2      L / (S N(N-1)/2) the expected share of pairs that differ
 * A move concerns a group g of must-linked items, c of which are in cluster j of sample s (for most
 * groups one j for each s, and c = |g|). Adding it to cluster k changes L by
 *     S ( f(n_k + |g|) - f(n_k) ) - 2 sum_sj ( f(n_ksj + c) - f(n_ksj) ),
 * which takes O(S), as does updating the counts n_ksj: a row of counts for each cluster, with a
 * column for each cluster of each sample.
 *
 * A run removes each group in turn, in random order, and adds it to the cluster with the least
 * increase, among those without a cannot-link to it and a new one, until nothing changes. Then each
 * cluster is dissolved and its groups are placed one by one; if that does not lower L it is undone,
 * else the run continues [1]. Every accepted change lowers L, so runs end. They start from the
 * sample with the lowest L, from the best cut of average linkage (consensus_linkage.c, up to
 * LINKAGE_MOST groups), and a few times with all groups unassigned, in random order [1]; the best
 * result wins. A sweep over all groups costs O(N K S).
 * [1] Dahl, Johnson, Mueller. Search algorithms and loss functions for Bayesian clustering.
 *     JCGS 2022.
 * [2] Wade, Ghahramani. Bayesian cluster analysis: point estimation and credible balls. 2018. */

#include "cluster/consensus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cluster/consensus_linkage.h"

enum {
    RUNS_FROM_NOTHING = 2,
    SAMPLES_TRIED = 100, /* samples tried as starts, evenly spaced */
    CUTS_TRIED = 64,     /* cuts of the linkage tried */
    LINKAGE_MOST = 5000, /* groups; the table takes 2 G^2 bytes, 50 MB */
};
static const size_t CELLS_MOST = (size_t)1 << 30; /* counts of all clusters: 4 GiB */

#define NOWHERE UINT32_MAX

/* The items of a group in one cluster of one sample. */
typedef struct {
    uint32_t column, count;
} part;

typedef struct {
    caucus_ctx *ctx;
    const cau_partitions *samples;
    const cau_constraints *links;
    cau_rng *rng;
    double *f;          /* [N+1] */
    size_t columns;     /* clusters of all samples together */
    part *parts;        /* of group g: part_start[g] .. part_start[g+1]-1 */
    size_t *part_start; /* [G+1] */
    double fixed;       /* sum_sj f(m_sj) */
    double little;      /* a smaller change is not an improvement */

    uint32_t *z;     /* [G] cluster of each group, or NOWHERE */
    uint32_t **row;  /* [K] counts [columns] of each cluster; NULL before the first use */
    size_t *n;       /* [K] items; 0: unused */
    size_t *blocked; /* [K] stamp of the last group with a cannot-link to the cluster */
    size_t K, rows;  /* clusters ever used; rows allocated */
    size_t stamp;

    uint32_t *order;    /* [G] random */
    uint32_t *taken;    /* [G] groups of the cluster that is dissolved */
    uint32_t *best;     /* [G] the best clusters of all runs, numbered below G */
    double best_loss;   /* L of them */
    uint32_t *try_z;    /* [G] a candidate start */
    uint32_t *number;   /* [2N] scratch for numberings */
    uint32_t *item;     /* [N] items by cluster */
    size_t *item_start; /* [N+1] */
    uint32_t *cell;     /* [N] counts of one cluster in one sample, zero between uses */
} consensus_search;

static size_t group_size(const consensus_search *w, size_t g)
{
    return w->links->start[g + 1] - w->links->start[g];
}

static size_t group_parts(const consensus_search *w, size_t g)
{
    return w->part_start[g + 1] - w->part_start[g];
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* The change of L when group g is added to cluster k, or a number not below `enough` as soon as the
 * change must exceed it: f is convex, so neither a part nor all parts of one sample can add more to
 * the shared counts than f(n_k + |g|) - f(n_k). */
static double added(const consensus_search *w, uint32_t g, uint32_t k, double enough)
{
    const double *f = w->f, S = (double)w->samples->S;
    const double grown = f[w->n[k] + group_size(w, g)] - f[w->n[k]];
    const uint32_t *row = w->row[k];
    const part *p = w->parts + w->part_start[g];
    double x = S * grown;
    if (x - 2 * S * grown >= enough) return enough;
    for (size_t i = 0, left = group_parts(w, g); left > 0; i++, left--) {
        if (x - 2 * (double)left * grown >= enough) return enough;
        const uint32_t n = row[p[i].column];
        x -= 2 * (f[n + p[i].count] - f[n]);
    }
    return x;
}

static void put(consensus_search *w, uint32_t g, uint32_t k)
{
    const part *p = w->parts + w->part_start[g];
    for (size_t i = 0, count = group_parts(w, g); i < count; i++)
        w->row[k][p[i].column] += p[i].count;
    w->n[k] += group_size(w, g);
    w->z[g] = k;
}

static void take(consensus_search *w, uint32_t g)
{
    const part *p = w->parts + w->part_start[g];
    const uint32_t k = w->z[g];
    for (size_t i = 0, count = group_parts(w, g); i < count; i++)
        w->row[k][p[i].column] -= p[i].count;
    w->n[k] -= group_size(w, g);
    w->z[g] = NOWHERE;
}

/* An unused cluster, with its row. There are never more clusters than groups; rows are allocated on
 * demand. */
static caucus_status free_cluster(consensus_search *w, uint32_t *out)
{
    uint32_t k = 0;
    while (k < w->K && w->n[k]) k++;
    if (!w->row[k]) {
        if (++w->rows > CELLS_MOST / w->columns)
            return cau_fail(w->ctx, CAUCUS_ERR_MEMORY,
                            "a consensus of %zu clusters over %zu of all samples needs more than 4 "
                            "GiB; draw fewer samples",
                            w->rows, w->columns);
        w->row[k] = cau_calloc(w->columns, sizeof **w->row);
        if (!w->row[k]) return cau_fail_memory(w->ctx, "the consensus");
    }
    if (k == w->K) w->K++;
    *out = k;
    return CAUCUS_OK;
}

/* Adds the unassigned group g where the change is least, with `from` preferred in ties. *change is
 * the change of L. */
static caucus_status place(consensus_search *w, uint32_t g, uint32_t from, double *change)
{
    const cau_constraints *links = w->links;
    uint32_t best = from, fresh;
    caucus_status st = free_cluster(w, &fresh);
    if (st) return st;
    w->stamp++;
    for (size_t i = links->forbid_start[g]; i < links->forbid_start[g + 1]; i++) {
        const uint32_t k = w->z[links->forbid[i]];
        if (k != NOWHERE) w->blocked[k] = w->stamp;
    }
    double least = from == NOWHERE ? INFINITY : added(w, g, from, INFINITY);
    for (uint32_t k = 0; k < w->K; k++) {
        if (k == from || w->blocked[k] == w->stamp || (w->n[k] == 0 && k != fresh)) continue;
        const double x = added(w, g, k, least - w->little);
        if (x < least - w->little) {
            least = x;
            best = k;
        }
    }
    put(w, g, best);
    *change = least;
    return CAUCUS_OK;
}

/* Moves single groups until none moves. Unassigned groups are assigned. */
static caucus_status move_groups(consensus_search *w)
{
    caucus_status st = CAUCUS_OK;
    const size_t G = w->links->G;
    for (bool moved = true; moved && !st;) {
        moved = false;
        cau_rng_shuffle(w->rng, w->order, G);
        for (size_t i = 0; i < G && !st; i++) {
            const uint32_t g = w->order[i], from = w->z[g];
            double change;
            if (from != NOWHERE) take(w, g);
            st = place(w, g, from, &change);
            moved |= !st && w->z[g] != from;
        }
    }
    return st;
}

/* Dissolves cluster k and assigns its groups again; undoes it if that does not help. */
static caucus_status dissolve(consensus_search *w, uint32_t k, bool *helped)
{
    caucus_status st = CAUCUS_OK;
    size_t count = 0;
    double change = 0, x;
    for (size_t i = 0; i < w->links->G; i++) {
        const uint32_t g = w->order[i];
        if (w->z[g] != k) continue;
        take(w, g);
        change -= added(w, g, k, INFINITY);
        w->taken[count++] = g;
    }
    cau_rng_shuffle(w->rng, w->taken, count);
    for (size_t i = 0; i < count; i++) {
        TRY(place(w, w->taken[i], NOWHERE, &x));
        change += x;
    }
    if (change < -w->little) {
        *helped = true;
        goto done;
    }
    for (size_t i = 0; i < count; i++) take(w, w->taken[i]);
    for (size_t i = 0; i < count; i++) put(w, w->taken[i], k);
done:
    return st;
}

/* ---- judging a clustering as a whole --------------------------------------------------------- */

/* Lists the items of each cluster of z [G], numbered below N, in w->item and w->item_start. */
static void list_items(consensus_search *w, const uint32_t *z)
{
    const size_t N = w->samples->N;
    size_t *start = w->item_start;
    memset(start, 0, (N + 1) * sizeof *start);
    for (size_t i = 0; i < N; i++) start[z[w->links->group[i]] + 1]++;
    for (size_t k = 0; k < N; k++) start[k + 1] += start[k];
    for (uint32_t i = 0; i < N; i++) w->item[start[z[w->links->group[i]]]++] = i;
    for (size_t k = N; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
}

/* L of the clusters z [G]: O(N S). */
static double loss_of(consensus_search *w, const uint32_t *z)
{
    const size_t N = w->samples->N, S = w->samples->S;
    double sizes = 0, shared = 0;
    list_items(w, z);
    for (size_t k = 0; k < N; k++) {
        const size_t first = w->item_start[k], end = w->item_start[k + 1];
        sizes += w->f[end - first];
        for (size_t s = 0; s < S; s++) {
            const uint32_t *sample = w->samples->z + s * N;
            for (size_t i = first; i < end; i++) {
                const uint32_t n = w->cell[sample[w->item[i]]]++;
                shared += w->f[n + 1] - w->f[n];
            }
            for (size_t i = first; i < end; i++) w->cell[sample[w->item[i]]] = 0;
        }
    }
    return (double)S * sizes + w->fixed - 2 * shared;
}

/* Renumbers z [G], which is below 2N, in the order of first groups, and so of first items. Returns
 * the number of clusters. */
static uint32_t renumber(consensus_search *w, uint32_t *z)
{
    uint32_t K = 0;
    for (size_t k = 0; k < 2 * w->samples->N; k++) w->number[k] = NOWHERE;
    for (size_t g = 0; g < w->links->G; g++) {
        if (w->number[z[g]] == NOWHERE) w->number[z[g]] = K++;
        z[g] = w->number[z[g]];
    }
    return K;
}

static void keep_if_best(consensus_search *w, uint32_t *z)
{
    renumber(w, z);
    const double loss = loss_of(w, z);
    if (loss >= w->best_loss - w->little) return;
    w->best_loss = loss;
    memcpy(w->best, z, w->links->G * sizeof *z);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* One run from z [G], numbered as by renumber(), or from unassigned groups if z is NULL. */
static caucus_status run(consensus_search *w, const uint32_t *z)
{
    caucus_status st = CAUCUS_OK;
    const size_t G = w->links->G;
    for (uint32_t g = 0; g < G; g++)
        if (w->z[g] != NOWHERE) take(w, g);
    for (uint32_t g = 0; z && g < G; g++) {
        uint32_t k = z[g];
        if (w->n[k] == 0) TRY(free_cluster(w, &k)); /* this is k: numbers are given in order */
        put(w, g, k);
    }
    for (bool helped = true; helped;) {
        helped = false;
        TRY(move_groups(w));
        for (uint32_t k = 0; k < w->K; k++)
            if (w->n[k]) TRY(dissolve(w, k, &helped));
    }
    memcpy(w->try_z, w->z, G * sizeof *w->z);
    keep_if_best(w, w->try_z);
done:
    return st;
}

/* A sample as a start: groups go to the cluster of their first item unless a cannot-link forbids.
 */
static void start_from_sample(consensus_search *w, size_t s)
{
    const cau_constraints *links = w->links;
    const size_t N = w->samples->N;
    for (uint32_t g = 0; g < links->G; g++) {
        w->try_z[g] = w->samples->z[s * N + links->member[links->start[g]]];
        for (size_t i = links->forbid_start[g]; i < links->forbid_start[g + 1]; i++)
            if (links->forbid[i] < g && w->try_z[links->forbid[i]] == w->try_z[g])
                w->try_z[g] = (uint32_t)(N + g);
    }
}

/* Runs from the best of the starts in w->best. */
static caucus_status run_from_best(consensus_search *w, uint32_t *start)
{
    memcpy(start, w->best, w->links->G * sizeof *start);
    return run(w, start);
}

static caucus_status run_from_samples(consensus_search *w, uint32_t *start)
{
    const size_t S = w->samples->S, tried = S < SAMPLES_TRIED ? S : SAMPLES_TRIED;
    for (size_t i = 0; i < tried; i++) {
        start_from_sample(w, i * S / tried);
        keep_if_best(w, w->try_z);
    }
    return run_from_best(w, start);
}

static uint32_t find_root(const uint32_t *parent, uint32_t g)
{
    while (parent[g] != g) g = parent[g];
    return g;
}

/* Evaluates cuts of the linkage with at most about twice the clusters of a sample. `start` [G]
 * becomes the best. */
static caucus_status cut_linkage(consensus_search *w, uint32_t *start)
{
    const size_t G = w->links->G, N = w->samples->N;
    caucus_status st = CAUCUS_OK;
    size_t count = 0, largest = 1;
    double least = INFINITY;
    cau_merge *merge = cau_alloc(G, sizeof *merge);
    uint32_t *parent = cau_alloc(G, sizeof *parent);
    if (!merge || !parent || cau_linkage(w->samples, w->links, merge, &count))
        TRY(cau_fail_memory(w->ctx, "the consensus"));
    for (size_t i = 0; i < w->samples->S * N; i++)
        if (w->samples->z[i] >= largest) largest = w->samples->z[i] + (size_t)1;
    for (uint32_t g = 0; g < G; g++) parent[g] = g;
    const size_t fewest = G - count, most = 2 * largest < G ? 2 * largest : G;
    const size_t step = most > fewest ? (most - fewest) / CUTS_TRIED + 1 : 1;
    for (size_t m = 0; m <= count; m++) {
        if (m) parent[find_root(parent, merge[m - 1].b)] = find_root(parent, merge[m - 1].a);
        const size_t K = G - m;
        if (m < count && (K > most || (K - fewest) % step)) continue;
        for (uint32_t g = 0; g < G; g++) w->try_z[g] = find_root(parent, g);
        renumber(w, w->try_z);
        const double loss = loss_of(w, w->try_z);
        if (loss >= least) continue;
        least = loss;
        memcpy(start, w->try_z, G * sizeof *start);
    }
done:
    free(merge);
    free(parent);
    return st;
}

static caucus_status run_all(consensus_search *w)
{
    caucus_status st = CAUCUS_OK;
    uint32_t *start = cau_alloc(w->links->G, sizeof *start);
    if (!start) TRY(cau_fail_memory(w->ctx, "the consensus"));
    TRY(run_from_samples(w, start));
    if (w->links->G <= LINKAGE_MOST) {
        TRY(cut_linkage(w, start));
        TRY(run(w, start));
    }
    for (int i = 0; i < RUNS_FROM_NOTHING; i++) TRY(run(w, NULL));
done:
    free(start);
    return st;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void fill_f(consensus_search *w, cau_consensus_loss loss)
{
    const size_t N = w->samples->N;
    w->f[0] = 0;
    for (size_t n = 1; n <= N; n++) {
        const double x = (double)n;
        w->f[n] = loss == CAU_CONSENSUS_VI ? x * log(x) : x * (x - 1) / 2;
    }
    w->little = 1e-12 * (double)w->samples->S * (w->f[N] + 1);
}

/* Fills the parts of the groups, and sum_sj f(m_sj). clusters [S]: the number in each sample. */
static void fill_parts(consensus_search *w, const size_t *clusters)
{
    const cau_constraints *links = w->links;
    const size_t N = w->samples->N, S = w->samples->S;
    size_t used = 0;
    for (size_t g = 0; g < links->G; g++) {
        const size_t from = links->start[g], end = links->start[g + 1];
        size_t column = 0;
        w->part_start[g] = used;
        for (size_t s = 0; s < S; s++) {
            const uint32_t *z = w->samples->z + s * N;
            for (size_t i = from; i < end; i++) w->cell[z[links->member[i]]]++;
            for (size_t i = from; i < end; i++) {
                const uint32_t j = z[links->member[i]];
                if (!w->cell[j]) continue;
                w->parts[used++] = (part){(uint32_t)(column + j), w->cell[j]};
                w->cell[j] = 0;
            }
            column += clusters[s];
        }
    }
    w->part_start[links->G] = used;
    for (size_t s = 0; s < S; s++) {
        for (size_t i = 0; i < N; i++) w->cell[w->samples->z[s * N + i]]++;
        for (size_t j = 0; j < N; j++) {
            w->fixed += w->f[w->cell[j]];
            w->cell[j] = 0;
        }
    }
}

static caucus_status search_init(consensus_search *w, cau_consensus_loss loss)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = w->samples->N, S = w->samples->S, G = w->links->G;
    size_t cells = 0;
    size_t *clusters = cau_calloc(S, sizeof *clusters); /* of each sample */
    if (!clusters || !cau_size_mul(N, S, &cells)) TRY(cau_fail_memory(w->ctx, "the consensus"));
    for (size_t s = 0; s < S; s++) {
        for (size_t i = 0; i < N; i++) {
            const size_t k = w->samples->z[s * N + i];
            if (k >= clusters[s]) clusters[s] = k + 1;
        }
        w->columns += clusters[s];
    }
    if (w->columns > UINT32_MAX) TRY(cau_fail_memory(w->ctx, "the consensus"));
    w->f = cau_alloc(N + 1, sizeof *w->f);
    w->parts = cau_alloc(cells, sizeof *w->parts);
    w->part_start = cau_alloc(G + 1, sizeof *w->part_start);
    w->z = cau_alloc(G, sizeof *w->z);
    w->row = cau_calloc(G + 1, sizeof *w->row);
    w->n = cau_calloc(G + 1, sizeof *w->n);
    w->blocked = cau_calloc(G + 1, sizeof *w->blocked);
    w->order = cau_alloc(G, sizeof *w->order);
    w->taken = cau_alloc(G, sizeof *w->taken);
    w->best = cau_alloc(G, sizeof *w->best);
    w->try_z = cau_alloc(G, sizeof *w->try_z);
    w->number = cau_alloc(2 * N, sizeof *w->number);
    w->item = cau_alloc(N, sizeof *w->item);
    w->item_start = cau_alloc(N + 1, sizeof *w->item_start);
    w->cell = cau_calloc(N, sizeof *w->cell);
    if (!w->f || !w->parts || !w->part_start || !w->z || !w->row || !w->n || !w->blocked ||
        !w->order || !w->taken || !w->best || !w->try_z || !w->number || !w->item ||
        !w->item_start || !w->cell)
        TRY(cau_fail_memory(w->ctx, "the consensus"));
    for (uint32_t g = 0; g < G; g++) {
        w->order[g] = g;
        w->z[g] = NOWHERE;
    }
    w->best_loss = INFINITY;
    fill_f(w, loss);
    fill_parts(w, clusters);
done:
    free(clusters);
    return st;
}

static void search_clear(consensus_search *w)
{
    for (size_t k = 0; w->row && k < w->K; k++) free(w->row[k]);
    free(w->f);
    free(w->parts);
    free(w->part_start);
    free(w->z);
    free(w->row);
    free(w->n);
    free(w->blocked);
    free(w->order);
    free(w->taken);
    free(w->best);
    free(w->try_z);
    free(w->number);
    free(w->item);
    free(w->item_start);
    free(w->cell);
}

/* certainty [N] of the clusters z [G]: the mean share of samples in which an item is with each
 * other item of its cluster, or a singleton if it is one in z. */
static void fill_certainty(consensus_search *w, const uint32_t *z, double *certainty)
{
    const size_t N = w->samples->N, S = w->samples->S;
    list_items(w, z);
    for (size_t i = 0; i < N; i++) certainty[i] = 0;
    for (size_t s = 0; s < S; s++) {
        const uint32_t *sample = w->samples->z + s * N;
        for (size_t i = 0; i < N; i++) w->cell[sample[i]]++;
        for (size_t i = 0; i < N; i++) w->number[i] = w->cell[sample[i]] == 1;
        for (size_t i = 0; i < N; i++) w->cell[sample[i]] = 0;
        for (size_t k = 0; k < N; k++) {
            const size_t first = w->item_start[k], end = w->item_start[k + 1];
            for (size_t i = first; i < end; i++) w->cell[sample[w->item[i]]]++;
            for (size_t i = first; i < end; i++) {
                const uint32_t item = w->item[i];
                certainty[item] += end - first == 1 ? (double)w->number[item]
                                                    : (double)(w->cell[sample[item]] - 1) /
                                                          (double)(end - first - 1);
            }
            for (size_t i = first; i < end; i++) w->cell[sample[w->item[i]]] = 0;
        }
    }
    for (size_t i = 0; i < N; i++) certainty[i] /= (double)S;
}

caucus_status cau_consensus_find(caucus_ctx *ctx, const cau_partitions *samples,
                                 const cau_constraints *constraints, cau_consensus_loss loss,
                                 cau_rng *rng, cau_consensus *out)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = samples->N;
    consensus_search w = {.ctx = ctx, .samples = samples, .links = constraints, .rng = rng};
    cau_consensus found = {0};
    if (samples->S == 0 || N == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "a consensus takes samples of some items"));
    TRY(search_init(&w, loss));
    TRY(run_all(&w));
    found.z = cau_alloc(N, sizeof *found.z);
    found.certainty = cau_alloc(N, sizeof *found.certainty);
    if (!found.z || !found.certainty) TRY(cau_fail_memory(ctx, "the consensus"));
    found.K = renumber(&w, w.best);
    for (size_t i = 0; i < N; i++) found.z[i] = w.best[constraints->group[i]];
    fill_certainty(&w, w.best, found.certainty);
    const double whole = loss == CAU_CONSENSUS_VI ? (double)N : N > 1 ? w.f[N] : 1;
    found.loss = fmax(0, w.best_loss / ((double)samples->S * whole));
    *out = found;
    found = (cau_consensus){0};
done:
    cau_consensus_clear(&found);
    search_clear(&w);
    return st;
}

void cau_consensus_clear(cau_consensus *consensus)
{
    free(consensus->z);
    free(consensus->certainty);
    *consensus = (cau_consensus){0};
}
