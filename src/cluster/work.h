/* work.h - a clustering, from its items to its results: what the parts of `cluster` share. */

#ifndef CAU_CLUSTER_WORK_H
#define CAU_CLUSTER_WORK_H

#include "cluster/cluster.h"
#include "cluster/consensus.h"
#include "cluster/items_read.h"
#include "cluster/nmf.h"
#include "cluster/questions.h"
#include "eval/clusters.h"
#include "report/report.h"

/* Where the work stood when samples had been drawn. */
typedef struct {
    size_t links;                  /* number of links so far, from files and answers */
    cau_cluster_measures measures; /* against the gold classes, means over the samples */
    cau_cluster_measures unlinked; /* of the items with a class but without a link */
    size_t unlinked_items;
    cau_diagnosis diagnosis; /* NaN except `clusters` for the k-means methods */
} cau_milestone;

/* Links and classes that a program sets before the run; items are numbers in `name`. */
typedef struct {
    cau_alphabet *name, *class;
    cau_link *link; /* [links] */
    struct cau_item_class {
        uint32_t item, class;
    } * of; /* [classes] */
    size_t links, classes, link_room, class_room;
} cau_item_facts;

/* Embed it zeroed but for the context, which may change between calls, and the options, which are
 * borrowed; cau_cluster_clear at the end. */
typedef struct {
    caucus_ctx *ctx;
    const cau_cluster_options *o;
    cau_items_options item_options; /* those of `o`, but rows are scaled before a reduction */
    cau_item_builder builder;       /* before the run */
    cau_item_facts facts;

    cau_items items;
    cau_nmf nmf;    /* rank 0: none */
    double *dense;  /* [N][V] the points, unless they are the items themselves */
    cau_csr scaled; /* the same, sparse */
    double total;   /* sum of each row of the points; 0: they were not scaled */
    cau_points points;
    uint32_t *gold; /* [N] class of each item, or CAU_UNKNOWN; NULL: unknown */
    cau_links *links;
    cau_chains *chains;
    cau_partitions samples; /* of the k-means methods: one, the best start */
    double objective;       /* of the k-means methods: its objective */
    cau_consensus consensus;
    cau_milestone *milestone;
    size_t milestones, milestone_room;
    size_t first_answer;   /* links from this index on are answers */
    size_t asked, skipped; /* questions answered; skipped */
    size_t earlier;        /* answers that were in the file before */
    size_t right, tied;    /* later answers that agree with most samples; with half of them */
} cau_cluster_work;

/* Before the run: items, from files or one by one from memory, and their links and classes (see
 * caucus_clustering_link and caucus_clustering_class). */
caucus_status cau_cluster_begin(cau_cluster_work *work);
caucus_status cau_cluster_link(cau_cluster_work *work, const char *a, const char *b,
                               double together);
caucus_status cau_cluster_class(cau_cluster_work *work, const char *item, const char *class);

/* Samples, asks `ask` (NULL: the gold classes answer), finds the consensus, writes the files that
 * the options name, and the model to options->output. CAUCUS_ERR_STOPPED when the progress callback
 * ended it; the answers that were given are in their file by then. */
caucus_status cau_cluster_run(cau_cluster_work *work, caucus_ask_fn *ask, void *ask_user);
void cau_cluster_clear(cau_cluster_work *work);

/* Draws samples under the links as they are, and notes the milestone. */
caucus_status cau_cluster_draw(cau_cluster_work *work, bool first);

/* Asks all questions: ask.c. */
caucus_status cau_cluster_ask(cau_cluster_work *work, caucus_ask_fn *ask, void *ask_user);

/* Reads the class of each item from a file `item TAB class`. Items that are not in the file get
 * CAU_UNKNOWN, and other items of the file are ignored; a note gives their number. */
caucus_status cau_cluster_gold(caucus_ctx *ctx, const char *path, const cau_alphabet *items,
                               uint32_t *gold);

/* The top features of each cluster, those that distinguish it most from the others: the highest
 *     n_kv log( (n_kv + .5) / (n_k + .5 V)  /  ((n_.v - n_kv + .5) / (n_. - n_k + .5 V)) )
 * best first, as far as they are positive: *count of them, at most `most`. Counts are those of
 * items->x; features whose score is not finite, because of negative values, are left out. */
typedef struct {
    uint32_t feature;
    double score;
} cau_cluster_feature;
caucus_status cau_cluster_top_features(caucus_ctx *ctx, const cau_items *items, const uint32_t *z,
                                       size_t K, size_t most,
                                       cau_cluster_feature *out /* [K][most] */,
                                       size_t *count /* [K] */);

/* As in the options --method and --likelihood. */
extern const char *const cau_cluster_method_names[], *const cau_likelihood_names[];

/* The report as a table or as JSON, the figures and the files: cluster_report.c. */
caucus_status cau_cluster_report(cau_cluster_work *work, cau_writer *out);
caucus_status cau_cluster_files(cau_cluster_work *work);

/* A model that assigns items to the clusters: cluster_model.c. */
caucus_status cau_cluster_model(cau_cluster_work *work, caucus_model **out);

#endif
