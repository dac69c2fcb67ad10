/* held_out.h - votes on data that the voters were not trained on, where there is no development
 * data: the training data is cut into folds, and the members of a fold are trained on the others.
 */

#ifndef CAU_POOL_HELD_OUT_H
#define CAU_POOL_HELD_OUT_H

#include "pool/alphas.h"
#include "pool/members.h"

typedef struct cau_held_out cau_held_out;

/* Trains the members of a job `folds` times, whose problem is not looked at: each fold has its
 * own. What belongs together (a document) is in one fold; which, the seed decides. When the caller
 * stops it, there are fewer folds. CAUCUS_ERR_ARGUMENT when there is less to be held out than
 * folds. */
caucus_status cau_held_out_new(caucus_ctx *ctx, const cau_members_job *job, size_t folds,
                               cau_runs_heard *heard, cau_held_out **out);
cau_ballots cau_held_out_ballots(cau_held_out *held); /* borrowed */
void cau_held_out_free(cau_held_out *held);           /* NULL is fine */

/* The layout of the weights of all features, without masks and in plain coordinates, for members
 * trained by these options. Clear it with cau_problem_clear. */
caucus_status cau_pool_problem(caucus_ctx *ctx, const caucus_data *data,
                               const cau_train_options *train, unsigned threads,
                               cau_problem *problem);

#endif
