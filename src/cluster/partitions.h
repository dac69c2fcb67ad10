/* partitions.h - clusterings of the same items, drawn by a sampler. */

#ifndef CAU_CLUSTER_PARTITIONS_H
#define CAU_CLUSTER_PARTITIONS_H

#include <stddef.h>
#include <stdint.h>

/* S clusterings of N items. The clusters of each are numbered 0, 1, ... in the order of their first
 * items; numbers are not comparable between samples. */
typedef struct {
    size_t N, S;
    uint32_t *z; /* [S][N] */
} cau_partitions;

#endif
