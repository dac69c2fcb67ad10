/* recent.h - the observations of names that were met lately. */

#ifndef CAU_MODEL_RECENT_H
#define CAU_MODEL_RECENT_H

#include "model/model.h"

/* Memory of one thread, for the observations of one model. */
typedef struct cau_recent cau_recent;

cau_recent *cau_recent_new(void); /* NULL: out of memory. Release it with free(). */

/* cau_model_ask for hash[begin .. end-1]. What was met lately is answered at once, in row[]; the
 * places of all others are written to open[], and given is how many these are. */
size_t cau_recent_ask(const cau_recent *recent, const cau_observations *of, size_t begin,
                      size_t end, const uint64_t *hash, uint32_t *row, uint32_t *open);

/* cau_model_answer for those: row[open[i]] <- the observation of hash[open[i]], i < count. */
void cau_recent_answer(cau_recent *recent, const cau_observations *of, size_t count,
                       const uint32_t *open, const uint64_t *hash, uint32_t *row);

#endif
