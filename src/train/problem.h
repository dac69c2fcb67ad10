/* problem.h - what is minimised:
 *
 *     F(w) = loss(w) + l1 sum_k |w_k| + l2/2 sum_k (w_k - mean_k)^2
 *
 * a sum over the instances, never a mean. Default weights are not penalised. */

#ifndef CAU_TRAIN_PROBLEM_H
#define CAU_TRAIN_PROBLEM_H

#include "exec/pass.h"
#include "train/fit.h"

typedef struct {
    const cau_dataset *set;
    size_t n;     /* all weights */
    size_t table; /* those of the observations, K*width; default weights follow */
    bool bias;
    double l1, l2;
    double *mean;   /* [n], or NULL: all 0 */
    uint8_t *fixed; /* [table] 1: the pair was not seen and its weight stays 0; or NULL */
    float *weight;  /* [N] of the instances, or NULL: all 1 */
    double *scale;  /* [K+1] of the rows of weights, the default row last; see cau_problem_scaled */
    double *plain;  /* [n] scratch of cau_problem_scaled */
    unsigned threads;
    cau_pass *pass; /* over the training set */
    cau_pass *dev;  /* over the development set, or NULL */
} cau_problem;

/* Sets everything up: class weights, the mean from a model file, which pairs are seen. */
caucus_status cau_problem_init(caucus_ctx *ctx, const caucus_data *data,
                               const cau_train_options *options, unsigned threads,
                               cau_problem *problem);
void cau_problem_clear(cau_problem *problem);

/* The smooth part of F and its gradient: loss and l2. A cau_objective. */
caucus_status cau_problem_smooth(void *problem, const double *w, double *f, double *g);

/* The same in other coordinates, v = scale w, in which L-BFGS needs fewer iterations where
 * features differ much in frequency or size: docs/decisions/scaled-lbfgs.md. A cau_objective
 * over v. */
caucus_status cau_problem_scaled(void *problem, const double *v, double *f, double *g);
void cau_problem_to_scaled(const cau_problem *problem, const double *w, double *v);
void cau_problem_to_plain(const cau_problem *problem, const double *v, double *w);

/* F in two parts. g [n] is overwritten with the gradient of the smooth part. */
caucus_status cau_problem_parts(cau_problem *problem, const double *w, double *g, double *loss,
                                double *penalty);

/* Norm of the gradient of F, given that of its smooth part: with l1, of the subgradient that
 * is nearest to zero (MATH A.5). */
double cau_problem_norm(const cau_problem *problem, const double *w, const double *g);

/* Feature counts in the labelled data, sum_i c_i f_k(x_i, y_i): [n]. */
void cau_problem_counts(const cau_problem *problem, double *counts);

#endif
