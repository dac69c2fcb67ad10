/* lookup_cache.h - a direct-mapped cache of recent lookups. */

#ifndef CAU_MODEL_LOOKUP_CACHE_H
#define CAU_MODEL_LOOKUP_CACHE_H

#include "model/model.h"

/* Memory of one thread, for the observations of one model and the families of one template. */
typedef struct cau_lookup_cache cau_lookup_cache;

cau_lookup_cache *cau_lookup_cache_new(void); /* NULL: out of memory. Release it with free(). */

/* A lookup that missed the cache. Its features have the places from `place` on. */
typedef struct {
    uint64_t content;
    uint32_t family, members; /* 0 and 1 for a single key */
    uint32_t place;
} cau_open;

enum { CAU_RECENT_SPARE = CAU_FAMILY_MOST - 1 }; /* places after the last that may be written */

/* Looks up the features of `count` contents for the members of a family, at the places from `place`
 * on: one place per member for each content. Hits are written to row[]. For misses the keys are
 * written to hash[], their places in the table are prefetched, and the contents are written to
 * open[] [count]. Returns the number of misses. */
size_t cau_lookup_cache_ask(const cau_lookup_cache *cache, const cau_observations *of,
                            const cau_family *family, size_t count, const cau_key *content,
                            size_t place, uint64_t *hash, uint32_t *row, cau_open *open);

/* Looks up all features of open contents in the table: row[] <- the observations of hash[]. Caches
 * the contents, but not single keys; if all are single keys, the cache may be NULL. */
void cau_lookup_cache_answer(cau_lookup_cache *cache, const cau_observations *of, size_t count,
                             const cau_open *open, const uint64_t *hash, uint32_t *row);

#endif
