/* problem.h - the objective of training:
 *
 *     F(w) = loss(w) + l1 sum_k |w_k| + l2/2 sum_k (w_k - mean_k)^2
 *
 * a sum over the instances, not a mean. Intercepts are not regularised, unless the mean is a prior
 * (cau_train_options). With groups, sum |w_k| is replaced by the penalty of group_penalty.h.
 *
 * The weights are those of the node table (row by row, one for each observation), then those of the
 * edge table, then the common weights: the transitions of a chain, or the intercepts of a
 * classifier. Observations may be left out (cau_train_options.rows): their rows are empty, as if
 * the data did not have them.
 *
 * The solver may use other coordinates than the model: equal columns merged
 * (dataset/merged_columns.h), and each row of weights scaled. Both keep F and its optimum. The
 * choice depends on the solver. Below, v are the weights of the solver and w those of the model. */

#ifndef CAU_TRAIN_PROBLEM_H
#define CAU_TRAIN_PROBLEM_H

#include "comm/comm.h"
#include "dataset/merged_columns.h"
#include "infer/dataset_pass.h"
#include "train/fit.h"
#include "train/group_penalty.h"

typedef struct {
    const cau_dataset *set;     /* in the coordinates of the solver */
    const cau_chain_ops *chain; /* NULL: a classifier */
    cau_merged merged;          /* that set, if columns were merged; else merged.column is NULL */
    cau_table nodes, edges;     /* of the solver's weights */
    size_t common;              /* weights after those of the tables */
    size_t n;                   /* all weights of the solver */
    cau_table model_nodes;      /* of the weights of the model, if columns were merged */
    size_t model_n;             /* all weights of the model */
    size_t free_n;              /* weights of the model that are not fixed to 0 */
    size_t penalised;           /* weights of the solver before this index are penalised */
    double l1, l2;
    cau_group_penalty *groups; /* groups for l1; NULL: single weights */
    double *mean;              /* [n] of unscaled weights, or NULL: all 0 */
    uint8_t *fixed;            /* [n] 1: the pair was not seen and its weight stays 0; or NULL */
    float *weight;             /* [N] of the instances, or NULL: all 1 */
    double *scale;    /* of the rows of both tables, and of the common weights; or NULL: all 1 */
    double *unscaled; /* [n] scratch */
    unsigned threads;

    /* several processes, each with a part of the data; else NULL */
    cau_comm *comm;
    size_t *first;      /* [ranks + 1] the weights of which a rank has the solver's vectors: rows */
    double *whole;      /* [n] all weights, gathered */
    double *parts;      /* [n] the gradient of the own part of the data */
    double busy;        /* seconds of computing, without waiting for other processes */
    caucus_status lost; /* of a gathering that failed */

    cau_pass *pass; /* over the training set */
    cau_pass *dev;  /* over the development set, with the weights of the model; or NULL */
} cau_problem;

/* Sets everything up: class weights, the mean from a model file, the seen pairs, and the
 * coordinates for the solver. The problem must not move in memory. It is cleared on failure. */
caucus_status cau_problem_init(caucus_ctx *ctx, const caucus_data *data,
                               const cau_train_options *options, unsigned threads,
                               cau_problem *problem);
void cau_problem_clear(cau_problem *problem);

/* The layout of the solver's weights. */
cau_weight_layout cau_problem_layout(const cau_problem *problem);

/* The options of a pass over another set with the weights of the model. */
cau_pass_options cau_problem_model_pass(const cau_problem *problem, const cau_dataset *set);

/* The node table of the model. */
cau_table cau_problem_model_nodes(const cau_problem *problem);

/* Weights of another model, matched by the names of features and labels: w [model_n], 0 for those
 * that it lacks. Opens the model at `path`, or uses `model` if path is NULL. */
caucus_status cau_problem_weights_of(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_problem *problem, const char *path,
                                     const caucus_model *model, double *w);

/* The smooth part of F and its gradient: loss and l2. A cau_objective. */
caucus_status cau_problem_smooth(void *problem, const double *v, double *f, double *g);

/* The same for the own weights of this process, v and g [first[rank + 1] - first[rank]], and for
 * all of them in each process. Collective; f is the sum over all processes. */
caucus_status cau_problem_smooth_part(void *problem, const double *v, double *f, double *g);
caucus_status cau_problem_smooth_all(void *problem, const double *v, double *f, double *g);

/* A cau_total_fn. */
caucus_status cau_problem_total(void *problem, size_t count, double *sums);

/* All weights from the own ones v, which are returned themselves in a process alone. Valid until
 * the next call. Collective. */
const double *cau_problem_gather(cau_problem *problem, const double *v);

/* The own weights in each process: those from *begin, *count of them. */
void cau_problem_own(const cau_problem *problem, size_t *begin, size_t *count);

/* The accuracy of a pass over a set that is shared, from that over the own part. Collective. */
caucus_status cau_problem_share(const cau_problem *problem, const cau_pass *pass, double *share);

/* The nonsmooth part: the l1 penalty, and its proximal step
 * v <- argmin_z 1/2 |z - v|^2 + step times the penalty of z, for cau_proximal_problem. */
double cau_problem_penalty(void *problem, const double *v);
bool cau_problem_prox(void *problem, double step, double *v);

/* F in two parts, loss and penalty, and the accuracy on the training instances: see
 * cau_pass_measure. */
caucus_status cau_problem_measure(cau_problem *problem, const double *v, double *loss,
                                  double *penalty, double *share);

/* Converts between the weights of the solver [n] and those of the model [model_n]. */
void cau_problem_to_model(const cau_problem *problem, const double *v, double *w);
void cau_problem_from_model(const cau_problem *problem, const double *w, double *v);
bool cau_problem_is_plain(const cau_problem *problem); /* they are the same */

/* Empirical counts sum_i c_i f_k(x_i, y_i), [n]. Labels must be whole. */
void cau_problem_counts(const cau_problem *problem, double *counts);

#endif
