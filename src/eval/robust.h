/* robust.h - the score of a model as a function of what is missing.
 *
 * A model tags the same data several times, each time without some of its features; here the runs
 * are scored, and each is compared with the first, which had all of them:
 *
 *     cau_robust_new(ctx, options, "test.txt", &robust);
 *     cau_robust_add(ctx, robust, NULL, what the model says);
 *     cau_robust_add(ctx, robust, "U2*", what it says without these features); ...
 *     cau_robust_write(ctx, robust, write, user);
 *
 * A run is text as tagged files have it (tagged.h). */

#ifndef CAU_EVAL_ROBUST_H
#define CAU_EVAL_ROBUST_H

#include "base/strbuf.h"
#include "eval/eval.h"

typedef struct cau_robust cau_robust;

/* The options are copied, what they point to is borrowed, like the name of the data, which is for
 * messages. How lines are read, what labels mean, and how differences are resampled and answered
 * is as in cau_scores_read; CAUCUS_ERR_ARGUMENT for what has no place here: other systems, labels
 * in a file of their own, probabilities, clusterings, conlleval's tables and figures. */
caucus_status cau_robust_new(caucus_ctx *ctx, const cau_eval_options *options, const char *data,
                             cau_robust **out);
void cau_robust_free(cau_robust *robust); /* NULL is fine */

/* Scores a run, the first with removed = NULL. Both texts are copied as far as they are needed.
 * Fails as cau_scores_read does, and leaves all as it was then: with data of a single sentence,
 * for instance, of which nothing can be resampled. */
caucus_status cau_robust_add(caucus_ctx *ctx, cau_robust *robust, const char *removed,
                             cau_str tagged);

/* Runs so far, and the scores of one, which belong to `robust`. Those of a run after the first
 * have besides, by cau_scores_get, how much better the first is: "difference", "low", "high". */
size_t cau_robust_runs(const cau_robust *robust);
const caucus_scores *cau_robust_scores(const cau_robust *robust, size_t run);

/* The table, or with options.json what robust.c describes. */
caucus_status cau_robust_write(caucus_ctx *ctx, const cau_robust *robust, caucus_write_fn *write,
                               void *user);

#endif
