/* constraints.h - what a labelling must obey: the transitions of a label scheme, and labels that
 * the input gives. */

#ifndef CAU_INFER_CONSTRAINTS_H
#define CAU_INFER_CONSTRAINTS_H

#include "dataset/dataset.h"
#include "model/model.h"
#include "text/scheme.h"

/* ---- schemes ------------------------------------------------------------------------- */

/* The labels of a model under a scheme (text/scheme.h). Embed it zeroed, clear it at the end;
 * threads may share it. The tables are added to the scores of a lattice: 0 is allowed, -INFINITY is
 * not. CAU_SCHEME_NONE forbids nothing and has no tables. */
typedef struct {
    size_t Y;
    cau_place *place;     /* [Y] */
    uint32_t *type;       /* [Y] the first label of the same type */
    double *edge;         /* [Y][Y] from row to column */
    double *first, *last; /* [Y] at the ends of a sequence */
} cau_scheme_constraints;

/* CAUCUS_ERR_ARGUMENT when a label of the model is not part of the scheme, or no legal sequence of
 * the model's labels contains it. */
caucus_status cau_scheme_constraints_init(caucus_ctx *ctx, cau_scheme_constraints *scheme,
                                          const caucus_model *model, cau_scheme_name name);
void cau_scheme_constraints_clear(cau_scheme_constraints *scheme);

/* The end of the segment that begins at path[t], of T labels; t itself where no segment begins. As
 * conlleval reads illegal paths: a segment begins with B and S, and with any label that does not
 * continue the one before. */
size_t cau_scheme_constraints_segment(const cau_scheme_constraints *scheme, const uint32_t *path,
                                      size_t T, size_t t);

/* ---- given labels -------------------------------------------------------------------- */

/* The labels that are given for a sequence (dataset/dataset.h). Embed it zeroed, clear it at the
 * end. */
typedef struct {
    uint32_t *gold; /* [T] */
    cau_label_sets sets;
    size_t T, gold_room, start_room, label_room;
} cau_forced_labels;

void cau_forced_labels_begin(cau_forced_labels *forced); /* empties it for the next sequence */
void cau_forced_labels_clear(cau_forced_labels *forced);

/* Adds the next position, given the label of an instance: "a" allows this label, "a|b" these two,
 * "?" and no label allow any. CAUCUS_ERR_FORMAT with file and line for a label that the model does
 * not have. */
caucus_status cau_forced_labels_add(caucus_ctx *ctx, cau_forced_labels *forced,
                                    const caucus_model *model, const char *file,
                                    const cau_instance *instance);

#endif
