/* token.c - functions of one cell. Most cells are ASCII and need no call of utf8proc. */

#include "text/token.h"

#include <stdio.h>
#include <utf8proc.h>

enum { RUN_MAX = 4 }; /* equal characters of a shape in a row */

static bool continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t cau_token_step(const char *s, size_t n)
{
    const unsigned char first = (unsigned char)s[0];
    if (first < 0xC2 || first > 0xF4) return 1;
    const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (n < length) return 1;
    for (size_t i = 1; i < length; i++)
        if (!continues(s[i])) return 1;
    return length;
}

cau_str cau_token_prefix(cau_str cell, size_t count)
{
    size_t n = 0;
    for (; n < cell.n && count > 0; count--) n += cau_token_step(cell.s + n, cell.n - n);
    return (cau_str){cell.s, n};
}

cau_str cau_token_suffix(cau_str cell, size_t count)
{
    size_t at = cell.n;
    for (; at > 0 && count > 0; count--) {
        const size_t end = at--;
        while (at > 0 && end - at < 4 && continues(cell.s[at])) at--;
    }
    return (cau_str){cell.s + at, cell.n - at};
}

/* The letter of the shape for a character of `bytes` bytes; 0: the character is left out; -1: the
 * character itself. */
static int shape_of(const char *s, size_t bytes)
{
    const unsigned char c = (unsigned char)*s;
    if (c < 0x80) {
        if (c >= 'a' && c <= 'z') return 'x';
        if (c >= 'A' && c <= 'Z') return 'X';
        return c >= '0' && c <= '9' ? 'd' : -1;
    }
    utf8proc_int32_t code;
    if (utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)bytes, &code) < 0)
        return -1;
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
        return 'X';
    case UTF8PROC_CATEGORY_LL:
        return 'x';
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return 'c';
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return 'd';
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return 0;
    default:
        return -1;
    }
}

/* Whether two characters have the same bytes; the first may be empty. */
static bool same(cau_str a, cau_str b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (a.s[i] != b.s[i]) return false;
    return true;
}

void cau_token_shape(cau_strbuf *out, cau_str cell)
{
    static const char letters[] = {'X', 'x', 'c', 'd'};
    cau_str last = {NULL, 0};
    size_t run = 0;
    for (size_t at = 0; at < cell.n;) {
        const size_t bytes = cau_token_step(cell.s + at, cell.n - at);
        const int letter = shape_of(cell.s + at, bytes);
        cau_str next = {cell.s + at, bytes};
        at += bytes;
        if (letter == 0) continue;
        for (size_t i = 0; letter > 0 && i < sizeof letters; i++)
            if (letters[i] == letter) next = (cau_str){letters + i, 1};
        run = same(last, next) ? run + 1 : 1;
        last = next;
        if (run <= RUN_MAX) cau_strbuf_add(out, next.s, next.n);
    }
}

cau_str cau_token_padding(char buffer[CAU_PADDING_MAX], cau_padding kind, long distance)
{
    const long away = distance < 0 ? -distance : distance;
    const char sign = distance < 0 ? '-' : '+';
    int n;
    if (kind == CAU_PADDING_CRFPP)
        n = snprintf(buffer, CAU_PADDING_MAX, "_B%c%ld", sign, away);
    else if (away <= 4)
        n = snprintf(buffer, CAU_PADDING_MAX, "_x%c%ld", sign, away);
    else
        n = snprintf(buffer, CAU_PADDING_MAX, "_x%c#", sign);
    return (cau_str){buffer, (size_t)n};
}
