/* problem.h - what is minimised:
 *
 *     F(w) = loss(w) + l1 sum_k |w_k| + l2/2 sum_k (w_k - mean_k)^2
 *
 * a sum over the instances, never a mean. Default weights are not penalised, unless the mean is a
 * prior (cau_train_options). With groups, the sum
 * of |w_k| is that of groups.h instead.
 *
 * The weights are those of the node table (row by row, an observation each), then those of the
 * edge table, then the common ones: the plain transitions of a chain, or the default weights of
 * a classifier. Observations may be left out (cau_train_options.rows): their rows are empty, and
 * everything is as if the data did not have them.
 *
 * The solver may see the problem in other coordinates than the model has its weights in: equal
 * columns merged (dataset/merged_columns.h), and each row of weights scaled. Both leave F and its
 * optimum as they are. Which, is chosen for the solver; everything below that takes v means weights
 * as the solver sees them, w those of the model. */

#ifndef CAU_TRAIN_PROBLEM_H
#define CAU_TRAIN_PROBLEM_H

#include "dataset/merged_columns.h"
#include "infer/dataset_pass.h"
#include "train/fit.h"
#include "train/group_penalty.h"

typedef struct {
    const cau_dataset *set;     /* as the solver sees it */
    const cau_chain_ops *chain; /* NULL: a classifier */
    cau_merged merged;          /* that set, if columns were merged; else column is NULL */
    cau_table nodes, edges;     /* of the solver's weights */
    size_t common;              /* weights behind those of the tables */
    size_t n;                   /* all weights of the solver */
    cau_table model_nodes;      /* of the model's weights, where columns were merged */
    size_t model_n;             /* all weights of the model */
    size_t free_n;              /* those of them that do not stay 0 */
    size_t penalised;           /* weights of the solver before this have penalties */
    double l1, l2;
    cau_group_penalty *groups; /* that l1 is on; NULL: single weights */
    double *mean;              /* [n] of unscaled weights, or NULL: all 0 */
    uint8_t *fixed;            /* [n] 1: the pair was not seen and its weight stays 0; or NULL */
    float *weight;             /* [N] of the instances, or NULL: all 1 */
    double *scale;    /* of the rows of both tables, and of the common weights; or NULL: all 1 */
    double *unscaled; /* [n] scratch */
    unsigned threads;
    cau_pass *pass; /* over the training set */
    cau_pass *dev;  /* over the development set, with the weights of the model; or NULL */
} cau_problem;

/* Sets everything up: class weights, the mean from a model file, which pairs are seen, and the
 * coordinates that suit the solver. The problem must stay where it is. It is cleared on
 * failure. */
caucus_status cau_problem_init(caucus_ctx *ctx, const caucus_data *data,
                               const cau_train_options *options, unsigned threads,
                               cau_problem *problem);
void cau_problem_clear(cau_problem *problem);

/* The layout of the solver's weights. */
cau_weight_layout cau_problem_layout(const cau_problem *problem);

/* What a pass over another set with the weights of the model needs. */
cau_pass_options cau_problem_model_pass(const cau_problem *problem, const cau_dataset *set);

/* The node table of the model. */
cau_table cau_problem_model_nodes(const cau_problem *problem);

/* Weights of another model, matched by the names of features and labels: w [model_n]. What it
 * does not have is 0. The model is that at `path`, or `model` where that is NULL. */
caucus_status cau_problem_weights_of(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_problem *problem, const char *path,
                                     const caucus_model *model, double *w);

/* The smooth part of F and its gradient: loss and l2. A cau_objective. */
caucus_status cau_problem_smooth(void *problem, const double *v, double *f, double *g);

/* The other part, which has no gradient everywhere: the l1 penalty, and its proximal step
 * v <- argmin_z 1/2 |z - v|^2 + step times the penalty of z. As cau_proximal_problem wants them. */
double cau_problem_penalty(void *problem, const double *v);
bool cau_problem_prox(void *problem, double step, double *v);

/* F in two parts. g [n] is overwritten with the gradient of the smooth part. */
caucus_status cau_problem_parts(cau_problem *problem, const double *v, double *g, double *loss,
                                double *penalty);

/* F in two parts, and the share of the training instances that are labelled right:
 * cau_pass_measure. */
caucus_status cau_problem_measure(cau_problem *problem, const double *v, double *loss,
                                  double *penalty, double *share);

/* Between the weights of the solver [n] and those of the model [model_n]. */
void cau_problem_to_model(const cau_problem *problem, const double *v, double *w);
void cau_problem_from_model(const cau_problem *problem, const double *w, double *v);
bool cau_problem_is_plain(const cau_problem *problem); /* the two are the same */

/* Feature counts in the labelled data, sum_i c_i f_k(x_i, y_i): [n]. Labels must be whole. */
void cau_problem_counts(const cau_problem *problem, double *counts);

#endif
