/* pending_features.h - features whose numbers are asked for together. */

#ifndef CAU_TEXT_PENDING_FEATURES_H
#define CAU_TEXT_PENDING_FEATURES_H

#include "base/strbuf.h"
#include "text/reader.h"

/* Embed it zeroed, and clear it at the end. Its memory is kept when it is emptied. */
typedef struct {
    size_t count;
    cau_str *name; /* [count] once they are asked for; before, s is NULL for a copy */
    uint32_t *id;  /* [count] once they are asked for */
    float *value;  /* [count] */

    cau_strbuf text; /* the copies, one behind the other */
    size_t room;
} cau_pending_features;

void cau_pending_features_empty(cau_pending_features *batch);
void cau_pending_features_clear(cau_pending_features *batch); /* frees its memory */

/* Keeps a feature. Its name is borrowed, or copied. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_pending_features_add(cau_pending_features *batch, cau_str name, float value);
caucus_status cau_pending_features_copy(cau_pending_features *batch, cau_str name, float value);

/* Sets the names and their numbers in a vocabulary that answers several at once. */
void cau_pending_features_ask(cau_pending_features *batch, const cau_vocabulary *vocabulary);

#endif
