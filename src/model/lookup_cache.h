/* lookup_cache.h - the observations of what was met lately. */

#ifndef CAU_MODEL_LOOKUP_CACHE_H
#define CAU_MODEL_LOOKUP_CACHE_H

#include "model/model.h"

/* Memory of one thread, for the observations of one model and the families of one template. */
typedef struct cau_lookup_cache cau_lookup_cache;

cau_lookup_cache *cau_lookup_cache_new(void); /* NULL: out of memory. Release it with free(). */

/* A content that was not met lately. Its features have the places from `place` on. */
typedef struct {
    uint64_t content;
    uint32_t family, members; /* 0 and 1 for a key that came alone */
    uint32_t place;
} cau_open;

enum { CAU_RECENT_SPARE = CAU_FAMILY_MOST - 1 }; /* places behind the last that may be written */

/* Asks for the features that `count` contents are for the members of a family, at the places from
 * `place` on: members for each content. What was met lately is answered at once, in row[]; for all
 * others the keys are written to hash[], cau_model_ask is done for them, and the contents are
 * written to open[] [count]. Gives how many these are. */
size_t cau_lookup_cache_ask(const cau_lookup_cache *recent, const cau_observations *of,
                            const cau_family *family, size_t count, const cau_key *content,
                            size_t place, uint64_t *hash, uint32_t *row, cau_open *open);

/* cau_model_answer for all features of open contents: row[] <- the observations of hash[], at their
 * places. Keys that came alone are not kept; where all did, recent may be NULL. */
void cau_lookup_cache_answer(cau_lookup_cache *recent, const cau_observations *of, size_t count,
                             const cau_open *open, const uint64_t *hash, uint32_t *row);

#endif
