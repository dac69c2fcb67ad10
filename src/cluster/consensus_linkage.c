/* consensus_linkage.c - average linkage by nearest-neighbour chains.
 *
 * The similarity of clusters A and B is the mean, over pairs of items between them, of the share of
 * samples in which the pair is together; for a union it is the weighted mean (Lance and Williams):
 *     s(A u B, C) = ( |A| s(A,C) + |B| s(B,C) ) / (|A| + |B|)
 * Clusters with a cannot-link have similarity -infinity, which unions inherit.
 *
 * A chain goes from a cluster to its most similar one, and so on, until two clusters are most
 * similar to each other; these are merged at once. A union is never more similar to a third cluster
 * than the closer of its parts, so the rest of the chain stays valid and the merges are those of
 * the greedy algorithm in another order: O(G^2) instead of O(G^3). A cluster that cannot merge with
 * any other is retired. Merges are sorted at the end; the sort is stable, because a merge comes
 * after the merges that it needs and is never better. [1] Muellner. Modern hierarchical,
 * agglomerative clustering algorithms. 2011. */

#include "cluster/consensus_linkage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/questions.h"

typedef struct {
    size_t G;
    float *s;         /* [G(G-1)/2] by cau_pair_index */
    double *size;     /* [G] items of the cluster with this number */
    uint32_t *active; /* [actives] clusters that may still merge */
    size_t actives;
    uint32_t *chain; /* [G] */
} linkage;

static float *similarity(const linkage *l, uint32_t a, uint32_t b)
{
    return &l->s[a < b ? cau_pair_index(l->G, a, b) : cau_pair_index(l->G, b, a)];
}

/* Counts the co-membership of the pairs of items between groups, sample by sample, and divides. */
static void fill(linkage *l, const cau_partitions *samples, const cau_constraints *c,
                 uint32_t *last, uint32_t *next)
{
    const size_t N = samples->N, G = l->G;
    for (size_t i = 0; i < G * (G - 1) / 2; i++) l->s[i] = 0;
    for (size_t s = 0; s < samples->S; s++) {
        cau_list_clusters(samples->z + s * N, N, last, next);
        for (size_t a = 0; a < N; a++)
            for (uint32_t b = next[a]; b != UINT32_MAX; b = next[b])
                if (c->group[a] != c->group[b]) ++*similarity(l, c->group[a], c->group[b]);
    }
    for (uint32_t a = 0; a < G; a++)
        for (uint32_t b = a + 1; b < G; b++)
            *similarity(l, a, b) /= (float)((double)samples->S * l->size[a] * l->size[b]);
    for (uint32_t g = 0; g < G; g++)
        for (size_t f = c->forbid_start[g]; f < c->forbid_start[g + 1]; f++)
            *similarity(l, g, c->forbid[f]) = -INFINITY;
}

/* The active cluster most similar to `a`: `favourite` in a tie, else the lowest number; UINT32_MAX
 * if cannot-links forbid all. */
static uint32_t nearest(const linkage *l, uint32_t a, uint32_t favourite)
{
    uint32_t best = favourite;
    float most = favourite == UINT32_MAX ? -INFINITY : *similarity(l, a, favourite);
    for (size_t i = 0; i < l->actives; i++) {
        const uint32_t b = l->active[i];
        if (b == a) continue;
        const float s = *similarity(l, a, b);
        if (s > most) {
            most = s;
            best = b;
        }
    }
    return best;
}

static void retire(linkage *l, uint32_t cluster)
{
    size_t i = 0;
    while (l->active[i] != cluster) i++;
    memmove(&l->active[i], &l->active[i + 1], (l->actives - i - 1) * sizeof *l->active);
    l->actives--;
}

/* Merges b into a. */
static void merge(linkage *l, uint32_t a, uint32_t b)
{
    const double n = l->size[a], m = l->size[b];
    retire(l, b);
    for (size_t i = 0; i < l->actives; i++) {
        const uint32_t c = l->active[i];
        if (c == a) continue;
        float *to = similarity(l, a, c);
        *to = (float)((n * (double)*to + m * (double)*similarity(l, b, c)) / (n + m));
    }
    l->size[a] = n + m;
}

static size_t run_chains(linkage *l, cau_merge *out)
{
    size_t count = 0, length = 0;
    while (l->actives > 1) {
        if (length == 0) l->chain[length++] = l->active[0];
        const uint32_t top = l->chain[length - 1];
        const uint32_t before = length > 1 ? l->chain[length - 2] : UINT32_MAX;
        const uint32_t next = nearest(l, top, before);
        if (next == UINT32_MAX) { /* a cannot-link to all remaining clusters */
            retire(l, top);
            length--;
        } else if (next == before) {
            out[count++] = (cau_merge){before, top, (double)*similarity(l, before, top)};
            merge(l, before, top);
            length -= 2;
        } else {
            l->chain[length++] = next;
        }
    }
    return count;
}

/* A stable merge sort by decreasing average. */
static void sort_merges(cau_merge *m, size_t n, cau_merge *scratch)
{
    if (n < 2) return;
    const size_t half = n / 2;
    sort_merges(m, half, scratch);
    sort_merges(m + half, n - half, scratch);
    memcpy(scratch, m, n * sizeof *m);
    for (size_t i = 0, j = half, at = 0; at < n; at++)
        m[at] = j == n || (i < half && scratch[i].average >= scratch[j].average) ? scratch[i++]
                                                                                 : scratch[j++];
}

caucus_status cau_linkage(const cau_partitions *samples, const cau_constraints *constraints,
                          cau_merge *out, size_t *count)
{
    const size_t N = samples->N, G = constraints->G;
    caucus_status st = CAUCUS_OK;
    linkage l = {.G = G, .actives = G};
    *count = 0;
    if (G < 2) return CAUCUS_OK;
    uint32_t *last = cau_alloc(N, sizeof *last), *next = cau_alloc(N, sizeof *next);
    cau_merge *scratch = cau_alloc(G, sizeof *scratch);
    l.s = cau_alloc(G * (G - 1) / 2, sizeof *l.s);
    l.size = cau_alloc(G, sizeof *l.size);
    l.active = cau_alloc(G, sizeof *l.active);
    l.chain = cau_alloc(G, sizeof *l.chain);
    if (last && next && scratch && l.s && l.size && l.active && l.chain) {
        for (uint32_t g = 0; g < G; g++) {
            l.size[g] = (double)(constraints->start[g + 1] - constraints->start[g]);
            l.active[g] = g;
        }
        fill(&l, samples, constraints, last, next);
        *count = run_chains(&l, out);
        sort_merges(out, *count, scratch);
    } else {
        st = CAUCUS_ERR_MEMORY;
    }
    free(last);
    free(next);
    free(scratch);
    free(l.s);
    free(l.size);
    free(l.active);
    free(l.chain);
    return st;
}
