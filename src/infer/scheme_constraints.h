/* scheme_constraints.h - the labels of a model under a scheme (text/scheme.h): which may follow
 * which. */

#ifndef CAU_INFER_SCHEME_CONSTRAINTS_H
#define CAU_INFER_SCHEME_CONSTRAINTS_H

#include "model/model.h"
#include "text/scheme.h"

/* The labels of a model under a scheme. Embed it zeroed, clear it at the end; constant and
 * shared by threads in between. The tables hold 0 for what may be and -INFINITY for what may not:
 * they are added to the scores of a lattice. */
typedef struct {
    size_t Y;
    cau_place *place;
    uint32_t *type; /* [Y] the first label of the same type */
    double *edge;   /* [Y][Y] from row to column; NULL with CAU_SCHEME_NONE, like the others */
    double *first, *last; /* [Y] labels at the ends of a sequence */
} cau_scheme_constraints;

/* CAUCUS_ERR_ARGUMENT when a label of the model is none of the scheme, or could never be used in
 * it. */
caucus_status cau_scheme_constraints_init(caucus_ctx *ctx, cau_scheme_constraints *scheme,
                                          const caucus_model *model, cau_scheme_name name);
void cau_scheme_constraints_clear(cau_scheme_constraints *scheme);

/* Where the segment ends that begins at path[t], of T labels; t itself where none begins there.
 * By the rules of conlleval, which make the best of illegal paths: a segment begins with B and S,
 * and with anything that does not go on with the one before. */
size_t cau_scheme_constraints_segment(const cau_scheme_constraints *scheme, const uint32_t *path,
                                      size_t T, size_t t);

#endif
