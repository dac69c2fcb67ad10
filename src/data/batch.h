/* batch.h - features whose numbers are asked for together. */

#ifndef CAU_DATA_BATCH_H
#define CAU_DATA_BATCH_H

#include "base/text.h"
#include "data/reader.h"

/* Embed it zeroed, and clear it at the end. Its memory is kept when it is emptied. */
typedef struct {
    size_t count;
    cau_str *name; /* [count] once they are asked for; before, s is NULL for a copy */
    uint32_t *id;  /* [count] once they are asked for */
    float *value;  /* [count] */

    cau_text text; /* the copies, one behind the other */
    size_t room;
} cau_batch;

void cau_batch_empty(cau_batch *batch);
void cau_batch_clear(cau_batch *batch); /* frees its memory */

/* Keeps a feature. Its name is borrowed, or copied. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_batch_add(cau_batch *batch, cau_str name, float value);
caucus_status cau_batch_copy(cau_batch *batch, cau_str name, float value);

/* Sets the names and their numbers in a vocabulary that answers several at once. */
void cau_batch_ask(cau_batch *batch, const cau_vocabulary *vocabulary);

#endif
