/* linesearch.h - a step length that satisfies the strong Wolfe conditions. */

#ifndef CAU_OPTIM_LINESEARCH_H
#define CAU_OPTIM_LINESEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "caucus.h"

/* The function along the line: its value and slope at a step. CAUCUS_ERR_NUMERIC means that the
 * value is not finite; the search then tries shorter steps. */
typedef caucus_status cau_line_fn(void *self, double step, double *f, double *slope);

typedef struct {
    double step, f, slope;
} cau_line_point;

/* Searches for a step from {0, f, slope < 0}, trying `first` first. *found tells whether *out is a
 * step that lowers f, or that keeps f, up to rounding, and flattens the slope. The last call of fn
 * was then at out->step. Any status of fn other than CAUCUS_ERR_NUMERIC ends the search and is
 * returned. */
caucus_status cau_line_search(cau_line_fn *fn, void *self, cau_line_point start, double first,
                              cau_line_point *out, bool *found);

#endif
