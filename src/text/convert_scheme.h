/* convert_scheme.h - the labels of a file of columns in another scheme. */

#ifndef CAU_TEXT_CONVERT_SCHEME_H
#define CAU_TEXT_CONVERT_SCHEME_H

#include "text/scheme.h"

typedef struct {
    cau_scheme_name to; /* not NONE */
    uint64_t columns;   /* how many columns at the end of each line are labels; at least 1 */
} cau_rescheme_options;

/* Copies `from` to `to` ("-" is standard input and output) and writes the labels of each sequence
 * in another scheme. A file is written as a whole or not at all. All other bytes stay: blanks and
 * tabs between columns, blank lines, comments (lines of one column that begin with #). Only line
 * ends become LF, and a byte-order mark is dropped.
 *
 * Chunks stay the same by the rules of scheme.h, with one exception: io joins neighbouring chunks
 * of one type, and a note counts these. Labels that are illegal in the scheme of the file, which is
 * detected from its labels, are repaired, and a note counts them. '?' stays, and its neighbours
 * treat it like O. CAUCUS_ERR_FORMAT with file and line for text that is not a label. Memory grows
 * with the longest sequence. */
caucus_status cau_rescheme(caucus_ctx *ctx, const cau_rescheme_options *options, const char *from,
                           const char *to);

#endif
