/* members.h - the members of a pool that are trained alone.
 *
 *   partition.c   the features that each member sees
 *   members.c     training, on all of the training data or on folds of it
 *   alphas.c      their weights, from data that they were not trained on */

#ifndef CAU_POOL_MEMBERS_H
#define CAU_POOL_MEMBERS_H

#include "infer/votes.h"
#include "pool/pools.h"
#include "study/jobs.h"
#include "train/problem.h"

/* ---- partition.c --------------------------------------------------------------------------- */

typedef struct {
    size_t J;
    uint8_t **rows, **edge_rows; /* [J] masks over the K and the E observations: 1 is visible; NULL:
                                    all are */
    char **name;                 /* [J] "ngrams", "U00 U01", "part 1" */
} cau_partition;

/* With `bags` members overlap, and features outside all bags belong to every member. Otherwise each
 * observation belongs to one member, but all members see those on edges. CAUCUS_ERR_ARGUMENT if the
 * data cannot be divided so (no template, no @bag lines, fewer parts than experts). Clear it in any
 * case. */
caucus_status cau_partition_make(caucus_ctx *ctx, const caucus_data *data,
                                 const cau_pool_options *pool, uint64_t seed, cau_partition *out);

/* J members that see everything: "expert 1", ... */
caucus_status cau_partition_all(caucus_ctx *ctx, size_t J, cau_partition *out);
void cau_partition_clear(cau_partition *partition);

/* ---- members.c ----------------------------------------------------------------------------- */

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
 * training data is cut into folds, and the members that vote on a fold are trained on the others;
 * each member of each fold is a job. Groups (documents) are kept together. When the caller stops
 * the jobs, folds may lack their votes, so the sets must not be used. CAUCUS_ERR_ARGUMENT if there
 * are fewer groups than folds. */
typedef struct cau_fold_votes cau_fold_votes;
caucus_status cau_fold_votes_new(cau_jobs *jobs, const cau_member_options *options, size_t folds,
                                 cau_fold_votes **out);
void cau_fold_votes_free(cau_fold_votes *votes); /* NULL is fine */

/* ---- alphas.c ------------------------------------------------------------------------------ */

/* Votes on several sets, which count as one: those on all folds, or on the development data. */
typedef struct {
    cau_votes **votes; /* [count], all of J members */
    size_t count, J;
} cau_vote_sets;
cau_vote_sets cau_fold_votes_sets(cau_fold_votes *votes); /* borrowed */

/* Chooses alpha [J] as in the options, from equal alphas on; CAU_ALPHAS_EQUAL keeps these, and
 * `sets` may be NULL. CAUCUS_ERR_ARGUMENT if no sequence has all of its labels. */
caucus_status cau_alphas_choose(caucus_ctx *ctx, const cau_pool_options *pool,
                                const cau_vote_sets *sets, size_t J, double *alpha);

#endif
