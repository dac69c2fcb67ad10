/* strbuf.h - strings: views, growing buffers, strict parsing of numbers, comparison of names. */

#ifndef CAU_BASE_STRBUF_H
#define CAU_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "caucus.h"

/* A borrowed string; not NUL-terminated. */
typedef struct {
    const char *s;
    size_t n;
} cau_str;

/* A string literal, and text that ends with NUL, as cau_str; NULL as {NULL, 0}. */
#define CAU_STR(literal) ((cau_str){"" literal, sizeof(literal) - 1})
static inline cau_str cau_str_of(const char *text)
{
    return (cau_str){text, text ? strlen(text) : 0};
}

/* Parses the whole text as a number, in the C locale whatever the program's locale is: no blanks,
 * nothing after the number. False when the text is not a number. Accepts decimal and hexadecimal
 * ("0x1.8p3") forms, and 1e999, inf and nan; callers check isfinite. */
bool cau_parse_real(const char *s, size_t n, double *out);
bool cau_parse_count(const char *s, size_t n, uint64_t *out); /* decimal digits only */

/* The number of edits (insert, delete, replace, swap neighbours) that turn a into b. */
size_t cau_edit_distance(const char *a, const char *b);

/* Natural order: runs of digits compare as numbers, "c2" before "c10". The order is total: texts
 * that differ never compare equal. */
int cau_natural_compare(cau_str a, cau_str b);

/* For messages: with "%.*s", CAU_SHOWN(text) prints at most 80 bytes of a text, whole characters.
 */
int cau_shown(cau_str text);
#define CAU_SHOWN(text) cau_shown(text), (text).s

/* Borrowed paths. */
typedef struct {
    size_t count;
    const char *const *path; /* [count] */
} cau_paths;

/* A string that grows. Embed it zeroed; clear it at the end. A failed allocation is remembered and
 * reported once by cau_strbuf_status, so that code which builds a report stays short. */
typedef struct {
    char *s; /* NUL-terminated; NULL while empty */
    size_t n, capacity;
    bool failed;
} cau_strbuf;

/* Makes room for `more` bytes and the NUL after them; false when memory is short. */
bool cau_strbuf_reserve(cau_strbuf *text, size_t more);

/* Inline, because most additions are a byte or two. */
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

/* Adds x as printf writes it with %.*g and %.*f, but with a point in every locale. */
void cau_strbuf_general(cau_strbuf *text, double x, int digits);
void cau_strbuf_fixed(cau_strbuf *text, double x, int decimals);

/* Adds a finite x as "%a" writes it in the C locale: [-]0x1.8p+3. */
void cau_strbuf_hex(cau_strbuf *text, double x);

/* Adds text with tab, newline, carriage return and backslash written as \t \n \r \\, and the
 * reverse, which returns false for any other escape. */
void cau_strbuf_escape(cau_strbuf *text, cau_str raw);
bool cau_strbuf_unescape(cau_strbuf *text, cau_str escaped);

/* A caucus_write_fn that adds to the cau_strbuf `text`. */
caucus_status cau_strbuf_write(void *text, const char *bytes, size_t length);

caucus_status cau_strbuf_status(caucus_ctx *ctx, const cau_strbuf *text); /* OK or ERR_MEMORY */
void cau_strbuf_clear(cau_strbuf *text);

#endif
