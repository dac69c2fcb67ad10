/* scheme.h - label schemes for chunks: the places of labels, and which labels may follow each
 * other.
 *
 * A label is O, or a letter and a type: B-NP, I-NP. The type may be missing (B, I), as in word
 * segmentation, and may contain hyphens.
 *
 *   io     I in a chunk; neighbours of the same type are one chunk
 *   iob1   I in a chunk; B at its first token if it directly follows a chunk of the same type
 *   iob2   B at the first token of a chunk, I at the others
 *   iobes  B at the first, I (or M) inside, E at the last, S for a chunk of one token
 *   bilou  the same with L for E and U for S
 *
 * Labels are read in the same way for all schemes, and illegal ones as conlleval reads them: a
 * chunk begins at B and S, and at any other label that does not continue the chunk before; it ends
 * at E and S, and where the next label does not continue it. */

#ifndef CAU_TEXT_SCHEME_H
#define CAU_TEXT_SCHEME_H

#include <stdbool.h>

#include "base/strbuf.h"

/* In the order of the options. */
typedef enum {
    CAU_SCHEME_NONE, /* all letters, in any order */
    CAU_SCHEME_IO,
    CAU_SCHEME_IOB1,
    CAU_SCHEME_IOB2,
    CAU_SCHEME_IOBES,
    CAU_SCHEME_BILOU,
} cau_scheme_name;

const char *cau_scheme_text(cau_scheme_name scheme);  /* "iob2" */
const char *cau_scheme_looks(cau_scheme_name scheme); /* "O, B-TYPE or I-TYPE" */

/* The place of a token in its chunk. */
typedef enum { CAU_OUTSIDE, CAU_BEGIN, CAU_INSIDE, CAU_END, CAU_SINGLE } cau_place;

/* Splits a label; *type is a view of it, empty for O and for a missing type. False when the label
 * does not belong to the scheme. */
bool cau_scheme_parse(cau_scheme_name scheme, cau_str label, cau_place *place, cau_str *type);

/* The letter for a place, 'I' for the inside; 0 if the scheme has no letter for it. */
char cau_scheme_letter(cau_scheme_name scheme, cau_place place);

/* How the scheme writes token t of a chunk of n tokens; `touches`: a chunk of the same type ends
 * directly before this one. */
cau_place cau_scheme_place(cau_scheme_name scheme, size_t t, size_t n, bool touches);

/* Whether the second of two successive labels of the same type continues the chunk of the first.
 * Labels of different types never do. */
bool cau_place_continues(cau_place before, cau_place place);

/* Whether a scheme allows a place at the start of a sequence, at its end, or after another place.
 */
bool cau_scheme_first(cau_scheme_name scheme, cau_place place);
bool cau_scheme_last(cau_scheme_name scheme, cau_place place);
bool cau_scheme_follows(cau_scheme_name scheme, cau_place before, cau_place place, bool same_type);

/* The schemes that data may be in. The one that the fewest labels break is taken, the first of
 * several: a letter of iobes may be foreign to iob2, but no letter of iob2 is foreign to iobes. */
enum { CAU_SCHEMES = 5 };
extern const cau_scheme_name cau_schemes[CAU_SCHEMES];

/* Whether a label is illegal in a scheme where it stands: its letter does not belong to the scheme,
 * it must continue a chunk and there is none to continue (`open`: the label before is of the same
 * type and not the end of its chunk), or it leaves a chunk open that the next label does not
 * continue (`goes_on`: it does). */
bool cau_scheme_breaks(cau_scheme_name scheme, cau_str label, cau_place place, bool open,
                       bool goes_on);

#endif
