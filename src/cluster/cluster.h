/* cluster.h - clustering with an unknown number of clusters and a person in the loop.
 *
 *     items ──weigh, factorise──▶ points ──▶ chains ──▶ samples ──▶ consensus, report, model
 *                                    ▲                     │
 *                                  links ◀── answers ◀── questions
 */

#ifndef CAU_CLUSTER_CLUSTER_H
#define CAU_CLUSTER_CLUSTER_H

#include "cluster/consensus.h"
#include "cluster/items.h"
#include "cluster/sampler.h"
#include "model/model.h"

/* In the order of --batch-mode and --select. */
typedef enum { CAU_BATCH_NAIVE, CAU_BATCH_FILTERED, CAU_BATCH_JOINT } cau_batch_mode;
typedef enum { CAU_SELECT_ACTIVE, CAU_SELECT_VI, CAU_SELECT_RANDOM } cau_select;

/* In the order of --method. */
typedef enum { CAU_METHOD_DPMM, CAU_METHOD_COP_KMEANS, CAU_METHOD_PCK_MEANS } cau_cluster_method;

typedef struct {
    cau_items_options items;       /* except total */
    const char *reduce;            /* "nmf:35", or NULL: features as they are */
    uint64_t nmf_starts, nmf_seed; /* nmf_seed: apart from `seed`, which is of the chains and the
                                     questions, so that all seeds cluster the same points */
    double total; /* scales the rows for the sampler to this sum; 0: no scaling, except 20 for
                     multinomial components after a reduction */
    cau_cluster_method method; /* the mixture has the options from dp to lag */
    uint64_t clusters, starts; /* of the k-means methods */
    double penalty;            /* of PCKMeans */
    cau_dp_options dp;
    uint64_t split_merge; /* moves in each sweep */
    uint64_t chains, burn_in, samples, lag;
    uint64_t again;      /* burn-in sweeps after new links */
    bool afresh;         /* restart the chains after new links, with all of burn_in */
    const char *links;   /* a file, or NULL */
    const char *answers; /* a file to which each answer is appended; read first if it exists */
    const char *gold;    /* item TAB class: for scores, and for answers unless the caller answers */
    uint64_t ask, batch; /* number of questions; questions between draws */
    double trust;        /* probability that an answer is right; 1: answers are hard links */
    cau_batch_mode batch_mode;
    cau_select select;
    cau_consensus_loss consensus;
    uint64_t threshold; /* filtered: draw again if fewer samples than this agree with the answers */
    uint64_t top;       /* top features to show */
    const char *samples_file, *assignments_file, *members_file; /* or NULL, as those below */
    const char *plot, *plot_members, *output;
    bool json;
    uint64_t seed;
    unsigned threads;
} cau_cluster_options;

caucus_status cau_cluster_check(caucus_ctx *ctx, const cau_cluster_options *options);

#endif
