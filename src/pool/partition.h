/* partition.h - which member sees which features. */

#ifndef CAU_POOL_PARTITION_H
#define CAU_POOL_PARTITION_H

#include "dataset/dataset.h"
#include "pool/pools.h"

typedef struct {
    size_t J;
    uint8_t **rows, **edge_rows; /* [J] masks over the K and the E observations: 1 is seen; NULL:
                                    all are */
    char **name;                 /* [J] "ngrams", "U00 U01", "part 1" */
} cau_partition;

/* `bags`: overlapping, what no bag names is in all of them; without, every observation has one
 * member but for those on edges, which all have. CAUCUS_ERR_ARGUMENT when the data has no
 * such parts (no template, no @bag lines, fewer parts than experts). Clear it in any case. */
caucus_status cau_partition_make(caucus_ctx *ctx, const caucus_data *data,
                                 const cau_pool_options *pool, uint64_t seed, cau_partition *out);

/* J members that see everything: "expert 1", ... */
caucus_status cau_partition_all(caucus_ctx *ctx, size_t J, cau_partition *out);
void cau_partition_clear(cau_partition *partition);

#endif
