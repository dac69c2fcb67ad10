/* scheme.h - labels that tell where segments begin and end, and which may follow which.
 *
 * A label is O, or a letter and a type: B-NP, I-NP. The type may be missing (B, I), as it does
 * where words are cut out of characters.
 *
 *   io     I in a segment; neighbours of the same type are one segment
 *   iob1   I in a segment, B at its first token only where it follows one of the same type
 *   iob2   B at the first token of a segment, I at the others
 *   iobes  B at the first, I (or M) inside, E at the last, S for a segment of one token
 *   bilou  the same with L for E and U for S */

#ifndef CAU_APPLY_SCHEME_H
#define CAU_APPLY_SCHEME_H

#include "model/model.h"

/* In the order of the option. */
typedef enum {
    CAU_SCHEME_NONE, /* any of the letters, and nothing is forbidden */
    CAU_SCHEME_IO,
    CAU_SCHEME_IOB1,
    CAU_SCHEME_IOB2,
    CAU_SCHEME_IOBES,
    CAU_SCHEME_BILOU,
} cau_scheme_name;

/* What a label says of its token. */
typedef enum { CAU_OUTSIDE, CAU_BEGIN, CAU_INSIDE, CAU_END, CAU_SINGLE } cau_place;

/* The labels of a model under a scheme. Embed it zeroed, clear it at the end; constant and
 * shared by threads in between. The tables hold 0 for what may be and -INFINITY for what may not:
 * they are added to the scores of a lattice. */
typedef struct {
    size_t Y;
    cau_place *place;
    uint32_t *type; /* [Y] the first label of the same type */
    double *edge;   /* [Y][Y] from row to column; NULL with CAU_SCHEME_NONE, like the others */
    double *first, *last; /* [Y] labels at the ends of a sequence */
} cau_scheme;

/* CAUCUS_ERR_ARGUMENT when a label of the model is none of the scheme, or could never be used in
 * it. */
caucus_status cau_scheme_init(caucus_ctx *ctx, cau_scheme *scheme, const caucus_model *model,
                              cau_scheme_name name);
void cau_scheme_clear(cau_scheme *scheme);

/* Where the segment ends that begins at path[t], of T labels; t itself where none begins there.
 * By the rules of conlleval, which make the best of illegal paths: a segment begins with B and S,
 * and with anything that does not go on with the one before. */
size_t cau_scheme_segment(const cau_scheme *scheme, const uint32_t *path, size_t T, size_t t);

#endif
