/* columns.h - splitting a line into columns. */

#ifndef CAU_TEXT_COLUMNS_H
#define CAU_TEXT_COLUMNS_H

#include "base/strbuf.h"

/* What separates columns: a character, or runs of it. */
typedef struct {
    char c;
    bool runs;
} cau_separator;

/* The delimiter; if that is 0, TAB or, in a line without TAB, runs of blanks. */
cau_separator cau_separator_of(cau_str line, char delimiter);

/* Cuts the first or the last column off *rest, which becomes {NULL, 0} with the last one. False if
 * there is none, and *column is {NULL, 0} then. Blanks around columns separated by runs of blanks
 * are skipped; otherwise columns may be empty. */
bool cau_column_first(cau_str *rest, cau_separator by, cau_str *column);
bool cau_column_last(cau_str *rest, cau_separator by, cau_str *column);

/* The delimiter named by an option: one character, or \t as two. False if it is neither. */
bool cau_delimiter_parse(const char *option, char *delimiter);

#endif
