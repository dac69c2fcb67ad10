/* group_penalty.h - the group lasso:
 *
 *     P(w) = l1 sum_g sqrt(n_g) |w_g|_2,      n_g the number of weights of group g
 *
 * A group is all weights of an observation, or of all observations of a kind
 * (dataset/feature_group.h), which is a pattern of the template. The transitions of a chain are a
 * group too. With a strong penalty whole groups are 0, and their features drop out of the model. */

#ifndef CAU_TRAIN_GROUP_PENALTY_H
#define CAU_TRAIN_GROUP_PENALTY_H

#include "dataset/dataset.h"
#include "math/table.h"
#include "train/fit.h"

typedef struct cau_group_penalty cau_group_penalty;

/* The weights to group. Borrowed only during cau_group_penalty_new. */
typedef struct {
    const caucus_data *data;
    cau_group by; /* not CAU_GROUP_NONE */
    cau_table nodes, edges;
    size_t common;        /* weights after those of the tables, which are one group; 0: none */
    const uint8_t *fixed; /* [all weights] 1: the weight stays 0 and does not count; or NULL */
    const double *scale;  /* of the rows of both tables and of the common weights: the functions
                             below take  v = scale w; NULL: all 1 */
    double l1;
    unsigned threads;
} cau_group_penalty_options;

caucus_status cau_group_penalty_new(caucus_ctx *ctx, const cau_group_penalty_options *options,
                                    cau_group_penalty **out);
void cau_group_penalty_free(cau_group_penalty *groups); /* NULL is fine */

/* v <- argmin_z 1/2 |z - v|^2 + step P(z / scale). */
void cau_group_penalty_prox(cau_group_penalty *groups, double step, double *v);

/* P(v / scale), the same at any number of threads. */
double cau_group_penalty_penalty(cau_group_penalty *groups, const double *v);

/* Lines for the description of a model: the number of groups, the number of nonzero ones, and, for
 * templates, the names of the latter. */
void cau_group_penalty_describe(cau_group_penalty *groups, const double *w, cau_strbuf *out);

/* The text of a template without the patterns whose groups are 0, so that tagging skips them, and
 * without @bag lines. Adds nothing if no pattern would be left, or with groups of single features.
 */
void cau_group_penalty_prune(cau_group_penalty *groups, const double *w, cau_str template,
                             cau_strbuf *out);

#endif
