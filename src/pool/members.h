/* members.h - members of a pool that are trained alone, in parallel: on all of the training data,
 * or on folds of it. */

#ifndef CAU_POOL_MEMBERS_H
#define CAU_POOL_MEMBERS_H

#include "pool/alphas.h"
#include "pool/partition.h"
#include "study/jobs.h"
#include "train/problem.h"

/* A trained member. Embed it zeroed. */
typedef struct {
    double *w; /* [n] in the layout of all features; 0 for features that it does not see */
    double objective;
    size_t iterations, passes;
    double dev; /* accuracy on the development set; NaN without one */
} cau_trained_member;
void cau_members_clear(size_t J, cau_trained_member *members);

typedef struct {
    const caucus_data *data;
    const cau_train_options *train; /* without masks */
    const cau_partition *partition; /* the masks, over this data, and the names of the members */
    uint64_t seed;
    bool seeds; /* member j has seed + j; otherwise all have the same */
} cau_member_options;

/* The layout of the weights of all features, for members with these options: without masks and in
 * the coordinates of the model. Clear it with cau_problem_clear. */
caucus_status cau_pool_problem(caucus_ctx *ctx, const caucus_data *data,
                               const cau_train_options *train, unsigned threads,
                               cau_problem *problem);

/* Trains all members: members [partition->J], zeroed. `problem` is the layout for the data. A
 * failure is reported with the name of the member. */
caucus_status cau_members_train(cau_jobs *jobs, const cau_member_options *options,
                                const cau_problem *problem, cau_trained_member *members);

/* Votes of members on data that they were not trained on, if there is no development data: the
 * training data is cut into folds, and the members that vote on a fold are trained on the others.
 * Groups (documents) are kept together. When the caller stops the jobs, there are fewer folds.
 * CAUCUS_ERR_ARGUMENT if there are fewer groups than folds. */
typedef struct cau_fold_votes cau_fold_votes;
caucus_status cau_fold_votes_new(cau_jobs *jobs, const cau_member_options *options, size_t folds,
                                 cau_fold_votes **out);
cau_ballots cau_fold_votes_all(cau_fold_votes *votes); /* borrowed */
void cau_fold_votes_free(cau_fold_votes *votes);       /* NULL is fine */

#endif
