/* strbuf.h - pieces of text: numbers read strictly, names compared, strings built. */

#ifndef CAU_BASE_STRBUF_H
#define CAU_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "caucus.h"

/* Text that somebody else owns; not NUL-terminated. */
typedef struct {
    const char *s;
    size_t n;
} cau_str;

/* The whole text as a number, in the C locale whatever the program's is: no blanks, nothing
 * after it. False when it is none. Decimal and hexadecimal ("0x1.8p3") forms are read.
 * 1e999, inf and nan are read as what they are: callers check isfinite and say so. */
bool cau_parse_real(const char *s, size_t n, double *out);
bool cau_parse_count(const char *s, size_t n, uint64_t *out); /* decimal digits only */

/* Edits (insert, delete, replace, swap neighbours) that turn a into b. */
size_t cau_edit_distance(const char *a, const char *b);

/* Order for people: runs of digits compare as numbers, "c2" before "c10". Total: texts that
 * differ never compare equal. */
int cau_natural_compare(cau_str a, cau_str b);

/* Paths that somebody else owns. */
typedef struct {
    size_t count;
    const char *const *path; /* [count] */
} cau_paths;

/* A string that grows. Embed it zeroed; clear it at the end. Failures of memory are kept
 * and reported once by cau_strbuf_status, so that code which builds a report stays plain. */
typedef struct {
    char *s; /* NUL-terminated; NULL while empty */
    size_t n, capacity;
    bool failed;
} cau_strbuf;

/* Makes room for so many bytes more and the NUL behind them; false: there is none. */
bool cau_strbuf_reserve(cau_strbuf *text, size_t more);

/* Here, and not in text.c, since most of what is added is a byte or two. */
static inline void cau_strbuf_add(cau_strbuf *text, const char *bytes, size_t length)
{
    const bool fits = length < text->capacity - text->n && !text->failed;
    if (length == 0 || (!fits && !cau_strbuf_reserve(text, length))) return;
    memcpy(text->s + text->n, bytes, length);
    text->n += length;
    text->s[text->n] = '\0';
}

__attribute__((format(printf, 2, 3))) void cau_strbuf_printf(cau_strbuf *text, const char *format,
                                                             ...);

/* Adds text with tab, newline, carriage return and backslash written \t \n \r \\, and back
 * again; false from the latter when an escape is none of these. */
void cau_strbuf_escape(cau_strbuf *text, cau_str raw);
bool cau_strbuf_unescape(cau_strbuf *text, cau_str escaped);

caucus_status cau_strbuf_status(caucus_ctx *ctx, const cau_strbuf *text); /* OK or ERR_MEMORY */
void cau_strbuf_clear(cau_strbuf *text);

#endif
