/* consensus_linkage.h - average linkage by co-membership. */

#ifndef CAU_CLUSTER_CONSENSUS_LINKAGE_H
#define CAU_CLUSTER_CONSENSUS_LINKAGE_H

#include "cluster/links.h"
#include "cluster/sampler.h"

/* The merge of the clusters of two groups. */
typedef struct {
    uint32_t a, b;
    double average; /* co-membership over the pairs of items between the two clusters */
} cau_merge;

/* The merges of G groups, with the highest average first; the first G - K of them leave K clusters.
 * Clusters with a cannot-link are never merged, so *count may be less than G - 1. out [G-1]. Time
 * O(S sum n_k^2 + G^2), memory 2 G^2 bytes: CAUCUS_ERR_MEMORY. */
caucus_status cau_linkage(const cau_partitions *samples, const cau_constraints *constraints,
                          cau_merge *out, size_t *count);

#endif
