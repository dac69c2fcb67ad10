/* characters.c - see characters.h. A line of ASCII is looked at once and byte by byte. */

#include "doctor/characters.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "text/lines.h"

void cau_line_list_add(cau_line_list *list, size_t line)
{
    if (list->count < CAU_LINES_KEPT) list->line[list->count] = line;
    list->count++;
}

void cau_line_list_join(cau_line_list *list, const cau_line_list *next)
{
    for (uint64_t i = 0; i < next->count; i++) {
        if (i == CAU_LINES_KEPT || list->count >= CAU_LINES_KEPT) {
            list->count += next->count - i;
            return;
        }
        cau_line_list_add(list, next->line[i]);
    }
}

/* What a character above U+007F is, or CAU_ODDITIES. */
static cau_oddity oddity_of(utf8proc_int32_t code)
{
    if (code == 0xFFFD) return CAU_ODD_LOST;
    if (code == 0x200B || code == 0x2060 || code == 0xFEFF || code == 0x00AD || code == 0x200E ||
        code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069))
        return CAU_ODD_INVISIBLE;
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return CAU_ODD_SPACE;
    case UTF8PROC_CATEGORY_CC:
        return CAU_ODD_CONTROL;
    default:
        return CAU_ODDITIES;
    }
}

/* Whether two characters are what the two bytes of a letter become when they are read as Latin-1 or
 * Windows-1252. */
static bool is_misread(utf8proc_int32_t before, utf8proc_int32_t code)
{
    if (before == 0xC3 || before == 0xC2)
        return (code >= 0xA1 && code <= 0xBF) || (before == 0xC3 && code == 0xA0) ||
               (before == 0xC3 && (code == 0x20AC || code == 0x2030 || code == 0x0152));
    return before == 0xE2 && code == 0x20AC;
}

/* Whether a normal form changes a text. */
static bool changes(cau_str text, utf8proc_option_t form, bool *failed)
{
    utf8proc_uint8_t *other = NULL;
    const utf8proc_ssize_t n = utf8proc_map(
        (const utf8proc_uint8_t *)text.s, (utf8proc_ssize_t)text.n, &other, UTF8PROC_STABLE | form);
    const bool changed = n >= 0 && ((size_t)n != text.n || memcmp(other, text.s, text.n) != 0);
    *failed |= n == UTF8PROC_ERROR_NOMEM;
    free(other);
    return changed;
}

/* Sets what a line has. */
static bool look_at(cau_str line, bool has[CAU_ODDITIES])
{
    bool ascii = true, marks = false, failed = false;
    utf8proc_int32_t before = 0, code;
    for (size_t i = 0; i < line.n; before = code) {
        const unsigned char c = (unsigned char)line.s[i];
        code = c;
        if (c < 0x80) {
            if ((c < ' ' && c != '\t') || c == 0x7F) has[CAU_ODD_CONTROL] = true;
            i++;
            continue;
        }
        const utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)line.s + i,
                                                    (utf8proc_ssize_t)(line.n - i), &code);
        if (n < 1) return true; /* the reader reports it */
        i += (size_t)n;
        ascii = false;
        marks |= code >= 0x300;
        const cau_oddity odd = oddity_of(code);
        if (odd < CAU_ODDITIES) has[odd] = true;
        if (is_misread(before, code)) has[CAU_ODD_MISREAD] = true;
    }
    if (ascii) return true;
    if (marks) has[CAU_ODD_DECOMPOSED] = changes(line, UTF8PROC_COMPOSE, &failed);
    has[CAU_ODD_COMPOSED] = changes(line, UTF8PROC_DECOMPOSE, &failed);
    return !failed;
}

bool cau_characters_add(cau_characters *all, cau_str bytes, size_t first)
{
    const char *at = bytes.s, *end = bytes.s + bytes.n;
    if (first == 1 && cau_byte_order_mark(bytes)) {
        all->byte_order_mark = true;
        at += cau_byte_order_mark(bytes);
    }
    for (size_t number = first; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        cau_str line = {at, (size_t)((newline ? newline : end) - at)};
        bool has[CAU_ODDITIES] = {false};
        at = newline ? newline + 1 : end;
        if (newline && line.n && line.s[line.n - 1] == '\r') {
            has[CAU_ODD_CRLF] = true;
            line.n--;
        }
        if (!look_at(line, has)) return false;
        for (int odd = 0; odd < CAU_ODDITIES; odd++)
            if (has[odd]) cau_line_list_add(&all->odd[odd], number);
        all->lines++;
    }
    return true;
}

void cau_characters_join(cau_characters *all, const cau_characters *next)
{
    all->byte_order_mark |= next->byte_order_mark;
    all->lines += next->lines;
    for (int odd = 0; odd < CAU_ODDITIES; odd++)
        cau_line_list_join(&all->odd[odd], &next->odd[odd]);
}
