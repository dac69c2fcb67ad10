/* clusters.h - how well clusterings agree with classes, over any number of samples. */

#ifndef CAU_EVAL_CLUSTERS_H
#define CAU_EVAL_CLUSTERS_H

#include "eval/eval.h"
#include "report/report.h"

/* The measures of one clustering; entropies are in nats. The formulas are in clusters.c. */
typedef struct {
    double homogeneity, completeness, v, v_beta, beta, vi;
    double rand, rand_adjusted, purity, pair_precision, pair_recall, pair_f1;
    double clusters; /* their number */
} cau_cluster_measures;

/* Of N items with classes [N] and clusters [N], any numbers. CAUCUS_ERR_MEMORY. */
caucus_status cau_cluster_measure(const uint32_t *classes, const uint32_t *clusters, size_t N,
                                  cau_cluster_measures *out);

/* A measure by its name in the text; NaN for an unknown name. */
double cau_cluster_measure_get(const cau_cluster_measures *measures, const char *measure);

/* Reads gold classes (item TAB class) and clusterings (item TAB cluster [TAB cluster ...], a column
 * for each sample; several files are more samples) and builds the tree of their measures; clear it
 * in any case. All files must have the same items. CAUCUS_ERR_FORMAT with file and line. */
caucus_status cau_clusterings_read(caucus_ctx *ctx, const char *gold, const char *const *paths,
                                   size_t count, cau_tree *tree);

/* Prints that tree: mean, standard deviation and 95% interval of each measure over the samples. */
void cau_clusterings_print(const json_t *root, cau_writer *out);

#endif
