/* group_penalty.h - weights that are kept or dropped together, the group lasso:
 *
 *     P(w) = l1 sum_g sqrt(n_g) |w_g|_2,      n_g the number of weights of group g
 *
 * A group is all weights of an observation, or of all observations of a kind
 * (dataset/feature_group.h), which is a pattern of the template. The plain transitions of a chain
 * are a group as well. Where P is strong enough a whole group is 0, and what it stands for drops
 * out of the model. */

#ifndef CAU_TRAIN_GROUP_PENALTY_H
#define CAU_TRAIN_GROUP_PENALTY_H

#include "dataset/dataset.h"
#include "math/table.h"
#include "train/fit.h"

typedef struct cau_group_penalty cau_group_penalty;

/* What is grouped. All of it is borrowed by cau_group_penalty_new alone. */
typedef struct {
    const caucus_data *data;
    cau_group by; /* not CAU_GROUP_NONE */
    cau_table nodes, edges;
    size_t common;        /* weights behind those of the tables that are a group; 0: none */
    const uint8_t *fixed; /* [all weights] 1: stays 0, and does not count; or NULL */
    const double *scale;  /* of the rows of both tables and of the common weights: v = scale w is
                             what the functions below see; NULL: all 1 */
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

/* Lines for the description of a model: how many groups there are and how many are not 0; of
 * templates also the names of those that are. */
void cau_group_penalty_describe(cau_group_penalty *groups, const double *w, cau_strbuf *out);

/* The text of a template without the patterns whose features have all dropped out, so that tagging
 * does not make them, and without the names of its groups. Nothing is added where no pattern would
 * be left, nor with groups of single features. */
void cau_group_penalty_prune(cau_group_penalty *groups, const double *w, cau_str template,
                             cau_strbuf *out);

#endif
