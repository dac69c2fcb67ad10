/* cluster_features.c - the top features of each cluster.
 *
 * Only features of its items can score, so each cluster adds up the rows of its items in one array
 * over all features and clears the entries afterwards: O(non-zeros + V), and O(`most`) for each
 * feature that enters the list of the best. */

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "cluster/consensus.h"

/* Inserts a feature into best [count] of at most `most`, ordered by decreasing score, then by
 * number. Returns the new count. */
static size_t insert(cau_cluster_feature *best, size_t count, size_t most, cau_cluster_feature new)
{
    size_t at = count;
    while (at > 0 && (best[at - 1].score < new.score ||
                      (best[at - 1].score == new.score &&best[at - 1].feature > new.feature)))
        at--;
    if (at == most) return count;
    if (count < most) count++;
    for (size_t i = count - 1; i > at; i--) best[i] = best[i - 1];
    best[at] = new;
    return count;
}

/* n_kv log( (n_kv + .5) / (n_k + .5 V)  /  ((n_.v - n_kv + .5) / (n_. - n_k + .5 V)) ) */
static double score(double n_kv, double n_k, double n_v, double n, double V)
{
    return n_kv * (log((n_kv + .5) / (n_k + .5 * V)) - log((n_v - n_kv + .5) / (n - n_k + .5 * V)));
}

caucus_status cau_cluster_top_features(caucus_ctx *ctx, const cau_items *items, const uint32_t *z,
                                       size_t K, size_t most, cau_cluster_feature *out,
                                       size_t *count)
{
    caucus_status st = CAUCUS_OK;
    const cau_csr *x = &items->x;
    const size_t N = x->rows, V = x->columns;
    double n = 0;
    double *total = cau_calloc(V, sizeof *total);      /* [V] n_.v */
    double *here = cau_calloc(V, sizeof *here);        /* [V] n_kv of one cluster */
    uint32_t *touched = cau_alloc(V, sizeof *touched); /* [V] features of one cluster */
    uint8_t *seen = cau_calloc(V, sizeof *seen);       /* [V] is among them */
    uint32_t *first = cau_alloc(K, sizeof *first);     /* [K] an item of each cluster */
    uint32_t *next = cau_alloc(N, sizeof *next);       /* [N] the next item of the cluster */
    if (!total || !here || !touched || !seen || !first || !next)
        TRY(cau_fail_memory(ctx, "the top features"));
    for (size_t k = 0; k < K; k++) first[k] = UINT32_MAX;
    for (size_t i = N; i-- > 0;) {
        next[i] = first[z[i]];
        first[z[i]] = (uint32_t)i;
    }
    for (size_t e = 0; e < cau_csr_nonzeros(x); e++) {
        const double value = x->value ? (double)x->value[e] : 1;
        total[x->column[e]] += value;
        n += value;
    }
    for (size_t k = 0; k < K; k++) {
        size_t features = 0;
        double n_k = 0;
        for (uint32_t i = first[k]; i != UINT32_MAX; i = next[i])
            for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
                const uint32_t v = x->column[e];
                const double value = x->value ? (double)x->value[e] : 1;
                if (!seen[v]) touched[features++] = v;
                seen[v] = 1;
                here[v] += value;
                n_k += value;
            }
        count[k] = 0;
        for (size_t i = 0; i < features; i++) {
            const uint32_t v = touched[i];
            const double s = score(here[v], n_k, total[v], n, (double)V);
            if (s > 0 && isfinite(s))
                count[k] = insert(out + k * most, count[k], most, (cau_cluster_feature){v, s});
            here[v] = seen[v] = 0;
        }
    }
done:
    free(total);
    free(here);
    free(touched);
    free(seen);
    free(first);
    free(next);
    return st;
}
