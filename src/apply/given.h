/* given.h - labels that the input gives, as constraints on decoding. */

#ifndef CAU_APPLY_GIVEN_H
#define CAU_APPLY_GIVEN_H

#include "data/gold.h"
#include "model/model.h"

/* Those of the sequence at hand: see data/gold.h. Embed it zeroed, clear it at the end. */
typedef struct {
    uint32_t *gold; /* [T] */
    cau_label_sets sets;
    size_t T, gold_room, start_room, label_room;
} cau_given;

void cau_given_begin(cau_given *given); /* the next sequence: empties it */
void cau_given_clear(cau_given *given);

/* Adds what is known of the next position: "a" is this label, "a|b" one of these, "?" or none is
 * any. CAUCUS_ERR_FORMAT with file and line for a label that the model does not have. */
caucus_status cau_given_add(caucus_ctx *ctx, cau_given *given, const caucus_model *model,
                            const char *file, const cau_instance *instance);

#endif
