/* work.h - a clustering at work: what the parts of `cluster` share. */

#ifndef CAU_CLUSTER_WORK_H
#define CAU_CLUSTER_WORK_H

#include "cluster/cluster.h"
#include "cluster/consensus.h"
#include "cluster/nmf.h"
#include "cluster/questions.h"
#include "eval/clusters.h"
#include "report/report.h"

/* Where the work stood when samples had been drawn. */
typedef struct {
    size_t links;                  /* answers so far, and those of files */
    cau_cluster_measures measures; /* against the gold classes, means over the samples */
    cau_diagnosis diagnosis;
} cau_milestone;

typedef struct {
    caucus_ctx *ctx;
    const cau_cluster_options *o;
    cau_items items;
    cau_nmf nmf;    /* rank 0: none */
    double *dense;  /* [N][V] of the points, where they are not the items themselves */
    cau_csr scaled; /* the same, sparse */
    cau_points points;
    uint32_t *gold; /* [N] class of each item, or CAU_UNKNOWN; NULL: not known */
    cau_links *links;
    cau_chains *chains;
    cau_partitions samples;
    cau_consensus consensus;
    cau_milestone *milestone;
    size_t milestones, milestone_room;
    size_t asked, skipped; /* questions answered; passed over */
    size_t earlier;        /* of the answered: in the file of answers before */
    size_t right;          /* of the others: answered as most samples said */
} cau_cluster_work;

/* Draws samples under the links as they are, and notes the milestone. */
caucus_status cau_cluster_draw(cau_cluster_work *work, bool first);

/* Asks all questions: ask.c. */
caucus_status cau_cluster_ask(cau_cluster_work *work, caucus_ask_fn *ask, void *ask_user);

/* The class of each item of a file `item TAB class`; items that it does not have are CAU_UNKNOWN,
 * and others than ours are passed over. A note tells how many. */
caucus_status cau_cluster_gold(caucus_ctx *ctx, const char *path, const cau_alphabet *items,
                               uint32_t *gold);

/* The report as a table or as JSON, the figures and the files: cluster_report.c. */
caucus_status cau_cluster_report(cau_cluster_work *work, cau_writer *sheet);
caucus_status cau_cluster_files(cau_cluster_work *work);

/* A model that assigns items to the clusters: cluster_model.c. */
caucus_status cau_cluster_model(cau_cluster_work *work, caucus_model **out);

#endif
