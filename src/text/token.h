/* token.h - functions of one cell: prefixes, suffixes, shapes, and the padding that stands for
 * cells outside of a sequence. Characters are Unicode code points. */

#ifndef CAU_TEXT_TOKEN_H
#define CAU_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* The length in bytes of the first character of n > 0 bytes; 1 where it is not valid UTF-8. */
size_t cau_token_step(const char *s, size_t n);

/* The first or last characters of a cell, at most `count`: views of the cell. */
cau_str cau_token_prefix(cau_str cell, size_t count);
cau_str cau_token_suffix(cau_str cell, size_t count);

/* The character n-grams of a text, from the shortest to the longest at each character. Set the
 * first three, the rest zeroed. */
typedef struct {
    cau_str text;
    size_t least, most; /* characters */
    size_t at, end, n;  /* of the n-gram before */
} cau_grams;

/* The next n-gram; false at the end. */
static inline bool cau_grams_next(cau_grams *g, cau_str *gram)
{
    for (;;) {
        if (g->n == g->most || g->end == g->text.n) {
            if (g->n) g->at += cau_token_step(g->text.s + g->at, g->text.n - g->at);
            if (g->at >= g->text.n) return false;
            g->end = g->at;
            g->n = 0;
        }
        g->end += cau_token_step(g->text.s + g->end, g->text.n - g->end);
        if (++g->n < g->least) continue;
        *gram = (cau_str){g->text.s + g->at, g->end - g->at};
        return true;
    }
}

/* Appends the shape of a cell: X for an upper-case letter, x for a lower-case one, c for other
 * letters, d for digits, nothing for combining marks, and every other character as it is. A run of
 * equal characters is cut to four. "McDonald's" gives XxXxxxx'x, "1996-08-22" gives dddd-dd-dd. */
void cau_token_shape(cau_strbuf *out, cau_str cell);

/* The text for cells outside of a sequence differs between the dialects. */
typedef enum {
    CAU_PADDING_CRFPP,  /* _B-1 before the first, then _B-2 ...; _B+1 after the last */
    CAU_PADDING_WAPITI, /* _x-1 to _x-4, _x-# from there on; _x+1 ... */
} cau_padding;

enum { CAU_PADDING_MAX = 32 }; /* bytes of a padding */

/* The text for a cell outside of the sequence: distance -1 is the position before the first, 1 the
 * position after the last. Written to `buffer`, which the result views. */
cau_str cau_token_padding(char buffer[CAU_PADDING_MAX], cau_padding kind, long distance);

#endif
