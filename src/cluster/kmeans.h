/* kmeans.h - k-means under links, the baselines of the mixture: COP-KMeans and PCKMeans. */

#ifndef CAU_CLUSTER_KMEANS_H
#define CAU_CLUSTER_KMEANS_H

#include "cluster/sampler.h"

typedef struct {
    bool soft; /* PCKMeans: a violated link costs `penalty`; else COP-KMeans: hard links hold */
    size_t K;  /* clusters */
    double penalty;    /* in mean squared distances of an item from the mean of all */
    size_t starts;     /* random starts; the one with the lowest objective wins */
    size_t iterations; /* at most, of each start */
    uint64_t seed;
    unsigned threads; /* starts that run in parallel */
} cau_kmeans_options;

/* Writes the clusters of the best start to z [N], numbered 0, 1, ... by their first items, and its
 * objective (kmeans.c). Clusters that lost all their items are missing. The points must be dense.
 * COP-KMeans ignores soft links, and fails with CAUCUS_ERR_ARGUMENT
 * where no start found clusters that keep the cannot-links. CAUCUS_ERR_ARGUMENT also for K = 0 or
 * more clusters than items. The same result at any number of threads. */
caucus_status cau_kmeans_fit(caucus_ctx *ctx, const cau_points *points,
                             const cau_constraints *constraints, const cau_kmeans_options *options,
                             uint32_t *z, double *objective);

#endif
