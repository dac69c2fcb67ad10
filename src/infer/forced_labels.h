/* forced_labels.h - labels that the input gives, as constraints on decoding. */

#ifndef CAU_INFER_FORCED_LABELS_H
#define CAU_INFER_FORCED_LABELS_H

#include "dataset/gold.h"
#include "model/model.h"

/* Those of the sequence at hand: see dataset/gold.h. Embed it zeroed, clear it at the end. */
typedef struct {
    uint32_t *gold; /* [T] */
    cau_label_sets sets;
    size_t T, gold_room, start_room, label_room;
} cau_forced_labels;

void cau_forced_labels_begin(cau_forced_labels *given); /* the next sequence: empties it */
void cau_forced_labels_clear(cau_forced_labels *given);

/* Adds what is known of the next position: "a" is this label, "a|b" one of these, "?" or none is
 * any. CAUCUS_ERR_FORMAT with file and line for a label that the model does not have. */
caucus_status cau_forced_labels_add(caucus_ctx *ctx, cau_forced_labels *given,
                                    const caucus_model *model, const char *file,
                                    const cau_instance *instance);

#endif
