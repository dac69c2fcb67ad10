/* consensus.h - one clustering for many samples. */

#ifndef CAU_CLUSTER_CONSENSUS_H
#define CAU_CLUSTER_CONSENSUS_H

#include "base/rng.h"
#include "cluster/sampler.h"

/* In the order of --consensus. */
typedef enum { CAU_CONSENSUS_VI, CAU_CONSENSUS_BINDER } cau_consensus_loss;

typedef struct {
    size_t K;
    uint32_t *z;       /* [N] numbered in the order of their first items */
    double *certainty; /* [N] mean share of samples in which an item is with each other item of its
                          cluster; for a singleton, the share in which it is a singleton */
    double loss;       /* expected over the samples: VI in nats, Binder as a share of pairs */
} cau_consensus;

/* Minimises the expected loss over the samples by local search: starts from the best sample, from
 * average linkage by co-membership (up to 5000 groups), and a few times from random orders, and
 * moves whole groups of must-linked items, never against a cannot-link, while the loss falls. The
 * result is the best of these local optima. Soft links are ignored, because the samples reflect
 * them already. Memory O(S N), and 4 bytes for each pair of a cluster of the result and a cluster
 * of a sample. CAUCUS_ERR_ARGUMENT without samples or items. Embed out zeroed; clear it at the end.
 */
caucus_status cau_consensus_find(caucus_ctx *ctx, const cau_partitions *samples,
                                 const cau_constraints *constraints, cau_consensus_loss loss,
                                 cau_rng *rng, cau_consensus *out);
void cau_consensus_clear(cau_consensus *consensus);

#endif
