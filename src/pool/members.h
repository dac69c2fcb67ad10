/* members.h - experts that are trained alone, side by side, each on one thread. */

#ifndef CAU_POOL_MEMBERS_H
#define CAU_POOL_MEMBERS_H

#include <pthread.h>
#include <stdatomic.h>

#include "pool/partition.h"
#include "train/problem.h"

/* What came of an expert. Embed it zeroed. */
typedef struct {
    double *w; /* [n] in the layout of all features; what it does not see is 0 */
    double objective;
    size_t iterations, passes;
    double dev; /* accuracy on the development set; NaN without one */
} cau_expert;
void cau_experts_clear(size_t J, cau_expert *experts);

/* What the caller hears of many runs: how many are done. One for all runs of a pool. */
typedef struct {
    caucus_ctx *ctx; /* of the caller */
    size_t done, total;
    double began, dev;
    pthread_mutex_t lock; /* of the above */
    atomic_bool stopped;  /* by the caller: each run ends with the best that it has */
} cau_runs_heard;
void cau_runs_heard_init(caucus_ctx *ctx, size_t total, cau_runs_heard *heard);
void cau_runs_heard_clear(cau_runs_heard *heard);

typedef struct {
    const caucus_data *data;
    const cau_train_options *train; /* without masks */
    const cau_partition *partition; /* the masks, over this data, and the names */
    const cau_problem *problem;     /* over the same data, without masks and in plain coordinates:
                                       the layout of the weights */
    uint64_t seed;
    bool seeds; /* member j has seed + j; else all have the same */
    unsigned threads;
} cau_members_job;

/* Trains all members: experts [partition->J], zeroed. A failure is told with the name of the
 * member, the first in their order. */
caucus_status cau_members_train(caucus_ctx *ctx, const cau_members_job *job, cau_runs_heard *heard,
                                cau_expert *experts);

#endif
