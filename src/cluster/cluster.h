/* cluster.h - groups of items whose number nobody knows, found with a person in the loop.
 *
 *     items ──weigh, factorise──▶ points ──▶ chains ──▶ samples ──▶ consensus, report, model
 *                                    ▲                     │
 *                                  links ◀── answers ◀── questions
 */

#ifndef CAU_CLUSTER_CLUSTER_H
#define CAU_CLUSTER_CLUSTER_H

#include "cluster/items.h"
#include "cluster/sampler.h"
#include "model/model.h"

/* In the order of --batch-mode and --select. */
typedef enum { CAU_BATCH_NAIVE, CAU_BATCH_FILTERED } cau_batch_mode;
typedef enum { CAU_SELECT_ACTIVE, CAU_SELECT_RANDOM } cau_select;

typedef struct {
    cau_items_options items; /* but for total */
    const char *reduce;      /* "nmf:35", or NULL: features as they are */
    uint64_t nmf_starts;
    double total; /* scale the rows that the sampler sees to this sum; 0: as they are, but 20 for
                     multinomial components after a reduction */
    cau_dp_options dp;
    uint64_t split_merge; /* moves in each sweep */
    uint64_t chains, burn_in, samples, lag;
    uint64_t again;      /* sweeps before samples are drawn under new links */
    bool afresh;         /* chains start anew under new links, with all of burn_in */
    const char *links;   /* a file, or NULL */
    const char *answers; /* where answers are added as they come; read first, if it is there */
    const char *gold;    /* item TAB class: scores, and answers unless the caller gives them */
    uint64_t ask, batch; /* questions; how many between draws */
    int batch_mode, select;
    uint64_t
        threshold; /* filtered: draw again when fewer samples than this agree with the answers */
    int consensus; /* cau_consensus_loss */
    uint64_t top;  /* telling features to show */
    const char *samples_file, *assignments_file, *members_file; /* or NULL, as those below */
    const char *plot, *plot_members, *output;
    bool json;
    uint64_t seed;
    unsigned threads;
} cau_cluster_options;

caucus_status cau_cluster_check(caucus_ctx *ctx, const cau_cluster_options *options);

#endif
