/* pending_features.h - features that are looked up together. */

#ifndef CAU_TEXT_PENDING_FEATURES_H
#define CAU_TEXT_PENDING_FEATURES_H

#include "base/strbuf.h"
#include "text/reader.h"

/* Embed it zeroed, and clear it at the end. Emptying it keeps the memory. */
typedef struct {
    size_t count;
    cau_str *name; /* [count]; s is NULL for a copied name until the lookup */
    uint32_t *id;  /* [count] set by the lookup */
    float *value;  /* [count] */

    cau_strbuf text; /* the copied names, one after the other */
    size_t room;
} cau_pending_features;

void cau_pending_features_empty(cau_pending_features *batch);
void cau_pending_features_clear(cau_pending_features *batch); /* frees its memory */

/* Adds a feature; its name is borrowed or copied. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_pending_features_add(cau_pending_features *batch, cau_str name, float value);
caucus_status cau_pending_features_copy(cau_pending_features *batch, cau_str name, float value);

/* Looks up the ids of all features in a vocabulary that has `ids`. */
void cau_pending_features_look_up(cau_pending_features *batch, const cau_vocabulary *vocabulary);

#endif
