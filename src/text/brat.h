/* brat.h - the standoff format of brat: a text and its annotations in two files.
 *
 *     doc.txt    Ada Lovelace saw Paris.
 *     doc.ann    T1<TAB>PERSON 0 12<TAB>Ada Lovelace
 *                T2<TAB>PLACE 17 22<TAB>Paris
 *
 * Offsets count characters (code points) of the text, line ends included; ends are exclusive. Lines
 * that do not begin with T (relations, events, attributes, notes) are left out. */

#ifndef CAU_TEXT_BRAT_H
#define CAU_TEXT_BRAT_H

#include "base/input.h"
#include "base/strbuf.h"

/* Reads documents as records of spans (spans.h), one on a line: of a folder, in the order of their
 * names, or of one file, .txt or .ann. A text without an .ann has no labels. Discontinuous spans,
 * and annotations that do not fit the text, are CAUCUS_ERR_FORMAT with the file and its line. */
caucus_status cau_brat_open(caucus_ctx *ctx, const char *path, cau_input **out);

/* Writes records as documents 0001.txt and 0001.ann, and so on, to a folder, which is made unless
 * it exists. */
caucus_status cau_brat_write(caucus_ctx *ctx, cau_str records, const char *folder);

#endif
