/* robust.h - the score of a model without some of its features.
 *
 * A model tags the same data several times, the first time with all features and then without some.
 * The runs are scored, and each is compared with the first:
 *
 *     cau_robust_new(ctx, options, "test.txt", &robust);
 *     cau_robust_add(ctx, robust, NULL, tagged text);
 *     cau_robust_add(ctx, robust, "U2*", tagged text without these features); ...
 *     cau_robust_write(ctx, robust, write, user);
 *
 * The text of a run has the form of tagged files (tagged.h). */

#ifndef CAU_EVAL_ROBUST_H
#define CAU_EVAL_ROBUST_H

#include "base/strbuf.h"
#include "eval/eval.h"

typedef struct cau_robust cau_robust;

/* The options are copied; the data that they point to is borrowed, as is the name of the data, for
 * messages. Lines, labels, resampling and output are as in cau_scores_read. CAUCUS_ERR_ARGUMENT for
 * options that do not apply: other systems, gold labels in a file of their own, probabilities,
 * clusterings, conlleval's tables and figures. */
caucus_status cau_robust_new(caucus_ctx *ctx, const cau_eval_options *options, const char *data,
                             cau_robust **out);
void cau_robust_free(cau_robust *robust); /* NULL is fine */

/* Scores a run, the first with removed = NULL. Both texts are copied as far as they are needed.
 * Fails as cau_scores_read does, for instance on data of a single sentence, which cannot be
 * resampled; `robust` is unchanged then. */
caucus_status cau_robust_add(caucus_ctx *ctx, cau_robust *robust, const char *removed,
                             cau_str tagged);

/* The number of runs, and the scores of one, which belong to `robust`. For a run after the first,
 * cau_scores_get also gives the score of the first minus its own: "difference", "low", "high". */
size_t cau_robust_runs(const cau_robust *robust);
const caucus_scores *cau_robust_scores(const cau_robust *robust, size_t run);

/* Writes the table, or with options.json the JSON described in robust.c. */
caucus_status cau_robust_write(caucus_ctx *ctx, const cau_robust *robust, caucus_write_fn *write,
                               void *user);

#endif
