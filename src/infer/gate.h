/* gate.h - who has how much say at a position of a gated pool (model/pool.h). */

#ifndef CAU_INFER_GATE_H
#define CAU_INFER_GATE_H

#include "model/model.h"

/* Memory of one thread. Embed it zeroed, clear it at the end. */
typedef struct {
    struct cau_present *present; /* the observations of a position, sorted: see gate.c */
    size_t room;
} cau_gate_work;

void cau_gate_clear(cau_gate_work *work);

/* say [J] of a position with some observations of the pool: row [count] and their values, NULL: all
 * 1. `each`: every row stands once; otherwise values of the same one add up. The say of all members
 * sums to 1, and a member of weight 0 has none. False when memory is short, which cannot be with
 * `each`. */
bool cau_gate_say(cau_gate_work *work, const caucus_model *pool, size_t count, const uint32_t *row,
                  const float *value, bool each, double *say);

#endif
