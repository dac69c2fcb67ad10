/* classes.h - how well predicted classes agree with the true ones.
 *
 * From gold and predicted label of each instance: accuracy; precision, recall and F1 of each
 * class and their macro and micro averages; the confusion matrix. From probabilities, if the
 * file has them: log-loss and calibration. */

#ifndef CAU_EVAL_CLASSES_H
#define CAU_EVAL_CLASSES_H

#include "caucus.h"
#include <stdint.h>

typedef struct {
    bool probabilities; /* columns are gold, label, then label:probability of every class */
    bool confusion;     /* print the matrix */
    uint64_t bins;      /* of the calibration table */
    bool json;
} cau_eval_options;

/* Reads tagged files ("-" is standard input). CAUCUS_ERR_FORMAT with file and line for a line
 * that has no gold and label, or no readable probabilities. */
caucus_status cau_scores_read(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, caucus_scores **out);
void cau_scores_free(caucus_scores *scores);

/* See caucus_scores_get and caucus_scores_write. */
double cau_scores_get(const caucus_scores *scores, const char *measure, const char *label);
caucus_status cau_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                               const cau_eval_options *options, caucus_write_fn *write, void *user);

#endif
