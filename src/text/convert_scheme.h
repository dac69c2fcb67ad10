/* convert_scheme.h - the labels of a file of columns in another scheme. */

#ifndef CAU_TEXT_CONVERT_SCHEME_H
#define CAU_TEXT_CONVERT_SCHEME_H

#include "text/scheme.h"

typedef struct {
    cau_scheme_name to; /* not NONE */
    uint64_t columns;   /* how many columns at the end of each line are labels; at least 1 */
} cau_rescheme_options;

/* Copies `from` to `to` ("-" is standard input and output), whole or not at all where `to` is a
 * file, with the labels of each sequence in another scheme and every other byte as it was: blanks
 * and tabs between columns, blank lines, comments that are lines of one column beginning with #.
 * Only that lines end with LF and no byte-order mark stands before the first, as text/lines.h has
 * it. The chunks stay what they were by the rules of scheme.h, except that io cannot tell chunks of
 * one type apart that touch: a note tells how many were joined. Labels that were not legal in the
 * scheme that the file is in (found out from its labels) are repaired so, and a note tells how
 * many there were. '?' stays, and is as O to its neighbours. CAUCUS_ERR_FORMAT with file and line
 * for a label that is none. Memory grows with the longest sequence. */
caucus_status cau_rescheme(caucus_ctx *ctx, const cau_rescheme_options *options, const char *from,
                           const char *to);

#endif
