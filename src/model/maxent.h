/* maxent.h - maximum-entropy classification. The maths is in maxent.c. */

#ifndef CAU_MODEL_MAXENT_H
#define CAU_MODEL_MAXENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caucus.h"

/* The part of a classifier that depends on its kind: from scores to the loss and its residuals, for
 * n instances at a time, in place and without memory of its own.
 *   s       [n][Y]  in: scores. out: c_i (p(y|x_i) - [y = gold_i]), or, with expected_only,
 *                   c_i p(y|x_i)
 *   gold    [n]
 *   weight  [n]     c_i, or NULL: all 1
 *   logz    [n]     scratch
 *   loss            out: sum_i -c_i log p(gold_i|x_i)
 * CAUCUS_ERR_NUMERIC when the loss is not finite. Threads may share only gold and weight. */
typedef struct {
    const char *name;
    caucus_status (*residuals)(size_t n, size_t Y, double *s, const uint32_t *gold,
                               const float *weight, bool expected_only, double *logz, double *loss);
} cau_model_ops;

extern const cau_model_ops cau_maxent_ops;

#endif
