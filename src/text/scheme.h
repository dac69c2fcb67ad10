/* scheme.h - labels that tell where chunks begin and end, and which may follow which.
 *
 * A label is O, or a letter and a type: B-NP, I-NP. The type may be missing (B, I), as it does
 * where words are cut out of characters, and it may have hyphens itself.
 *
 *   io     I in a chunk; neighbours of the same type are one chunk
 *   iob1   I in a chunk, B at its first token only where it follows one of the same type
 *   iob2   B at the first token of a chunk, I at the others
 *   iobes  B at the first, I (or M) inside, E at the last, S for a chunk of one token
 *   bilou  the same with L for E and U for S
 *
 * Whatever the scheme, labels are read in one way, which makes the best of illegal ones as
 * conlleval does: a chunk begins with B and S, and with anything else that does not go on with
 * the chunk before; it ends with E and S, and where the next label does not go on with it. */

#ifndef CAU_TEXT_SCHEME_H
#define CAU_TEXT_SCHEME_H

#include <stdbool.h>

#include "base/strbuf.h"

/* In the order of the options. */
typedef enum {
    CAU_SCHEME_NONE, /* any of the letters, and nothing is forbidden */
    CAU_SCHEME_IO,
    CAU_SCHEME_IOB1,
    CAU_SCHEME_IOB2,
    CAU_SCHEME_IOBES,
    CAU_SCHEME_BILOU,
} cau_scheme_name;

const char *cau_scheme_text(cau_scheme_name scheme);  /* "iob2" */
const char *cau_scheme_looks(cau_scheme_name scheme); /* "O, B-TYPE or I-TYPE" */

/* What a label says of its token. */
typedef enum { CAU_OUTSIDE, CAU_BEGIN, CAU_INSIDE, CAU_END, CAU_SINGLE } cau_place;

/* Takes a label apart; the type is a part of it, empty for O and where it is missing. False when
 * the label is none of the scheme. */
bool cau_scheme_parse(cau_scheme_name scheme, cau_str label, cau_place *place, cau_str *type);

/* The letter of a place in a scheme, 'I' for the inside; 0 where the scheme has none. */
char cau_scheme_letter(cau_scheme_name scheme, cau_place place);

/* The place of token t of the n tokens of a chunk, as the scheme writes it; `touches` tells that
 * a chunk of the same type ends right before this one. */
cau_place cau_scheme_place(cau_scheme_name scheme, size_t t, size_t n, bool touches);

/* Of two labels in a row, of the same type: whether the second goes on with the chunk that the
 * first leaves open. Labels of different types never do. */
bool cau_place_continues(cau_place before, cau_place place);

/* What a scheme allows: at the beginning of a sequence, at its end, and in between. */
bool cau_scheme_first(cau_scheme_name scheme, cau_place place);
bool cau_scheme_last(cau_scheme_name scheme, cau_place place);
bool cau_scheme_follows(cau_scheme_name scheme, cau_place before, cau_place place, bool same_type);

#endif
