/* token.h - what templates make of one cell: its ends, its shape, and what stands for the cells
 * that are not there. Characters are Unicode code points. */

#ifndef CAU_TEXT_TOKEN_H
#define CAU_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Bytes of the first character of n > 0 bytes; 1 where it is not valid UTF-8. */
size_t cau_token_step(const char *s, size_t n);

/* The first or last characters of a cell, at most `count`: views of the cell. */
cau_str cau_token_prefix(cau_str cell, size_t count);
cau_str cau_token_suffix(cau_str cell, size_t count);

/* Adds the shape: X for an upper-case letter, x for a lower-case one, c for other letters, d for
 * digits, nothing for combining marks, and every other character as it is; of more than four
 * equal ones in a row, four. "McDonald's" is XxXxxxx'x, "1996-08-22" is dddd-dd-dd. */
void cau_token_shape(cau_strbuf *out, cau_str cell);

/* The dialects differ in what stands for the cells outside of a sequence. */
typedef enum {
    CAU_PADDING_CRFPP,  /* _B-1 before the first, then _B-2 ...; _B+1 after the last */
    CAU_PADDING_WAPITI, /* _x-1 to _x-4, _x-# from there on; _x+1 ... */
} cau_padding;

enum { CAU_PADDING_MAX = 32 }; /* bytes of a padding */

/* The text for the cell `distance` positions away from the end that is next: -1 is the one before
 * the first position, 1 the one after the last. Written to `buffer`, which the result views. */
cau_str cau_token_padding(char buffer[CAU_PADDING_MAX], cau_padding kind, long distance);

#endif
