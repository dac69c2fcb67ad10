/* sheet.c - text on its way out.
 *
 * printf writes the decimal point of the program's locale, which may be a comma or several
 * bytes. It stands behind a digit or not at all, and nothing else in a number changes with the
 * locale: so it is found and replaced, and what Caucus writes can be read everywhere. */

#include "report/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "base/status.h"
#include "base/utf8.h"

enum {
    FLUSH_AT = 1 << 16, /* bytes of text that are worth a call */
    NUMBER_MAX = 400,   /* of DBL_MAX with decimals, in any locale */
    JSON_DIGITS = 9,    /* significant ones: a float is exact with them */
};

void cau_sheet_clear(cau_sheet *sheet)
{
    cau_strbuf_clear(&sheet->text);
}

caucus_status cau_sheet_flush(cau_sheet *sheet, bool all)
{
    cau_strbuf *text = &sheet->text;
    caucus_status st = cau_strbuf_status(sheet->ctx, text);
    if (sheet->json_failed) st = cau_fail_memory(sheet->ctx, "the answer as JSON");
    if (st || text->n == 0 || (!all && text->n < FLUSH_AT)) return st;
    st = sheet->write(sheet->user, text->s, text->n);
    text->n = 0;
    return st;
}

/* ---- numbers and cells --------------------------------------------------------------- */

/* Replaces the decimal point of a finite number; gives its length. */
static size_t fix_point(char *number, double x)
{
    size_t length = strlen(number);
    size_t point = strspn(number, "+-0123456789e");
    if (!isfinite(x) || point == length) return length;
    size_t bytes = strcspn(number + point, "0123456789");
    memmove(number + point + 1, number + point + bytes, length - point - bytes + 1);
    number[point] = '.';
    return length - bytes + 1;
}

static size_t format_fixed(char number[NUMBER_MAX], double x, int decimals)
{
    snprintf(number, NUMBER_MAX, "%.*f", decimals, x);
    return fix_point(number, x);
}

void cau_sheet_general(cau_sheet *sheet, double x, int digits)
{
    char number[NUMBER_MAX];
    snprintf(number, sizeof number, "%.*g", digits, x);
    cau_strbuf_add(&sheet->text, number, fix_point(number, x));
}

void cau_sheet_fixed(cau_sheet *sheet, double x, int decimals)
{
    char number[NUMBER_MAX];
    size_t length = format_fixed(number, x, decimals);
    cau_strbuf_add(&sheet->text, number, length);
}

size_t cau_sheet_width(cau_str text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text.s + at,
                                                 (utf8proc_ssize_t)(text.n - at), &c);
        if (used <= 0) c = '?', used = 1;
        bool escaped = c == '\t' || c == '\n' || c == '\r' || c == '\\';
        width += escaped ? 2 : (size_t)utf8proc_charwidth(c);
        at += (size_t)used;
    }
    return width;
}

static void add_blanks(cau_sheet *sheet, size_t have, size_t want)
{
    static const char blanks[] = "                                ";
    for (size_t n; have < want; have += n) {
        n = want - have < sizeof blanks - 1 ? want - have : sizeof blanks - 1;
        cau_strbuf_add(&sheet->text, blanks, n);
    }
}

void cau_sheet_left(cau_sheet *sheet, cau_str text, size_t width)
{
    cau_strbuf_escape(&sheet->text, text);
    add_blanks(sheet, cau_sheet_width(text), width);
}

void cau_sheet_right(cau_sheet *sheet, cau_str text, size_t width)
{
    add_blanks(sheet, cau_sheet_width(text), width);
    cau_strbuf_escape(&sheet->text, text);
}

void cau_sheet_number(cau_sheet *sheet, double x, int decimals, size_t width)
{
    char number[NUMBER_MAX];
    size_t length = format_fixed(number, x, decimals);
    cau_sheet_right(sheet, (cau_str){number, length}, width);
}

/* ---- JSON ---------------------------------------------------------------------------- */

void cau_sheet_put(cau_sheet *sheet, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value)) sheet->json_failed = true;
}

void cau_sheet_push(cau_sheet *sheet, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value)) sheet->json_failed = true;
}

json_t *cau_sheet_string(cau_str text)
{
    if (cau_utf8_check(text.s, text.n) == text.n) return json_stringn(text.s, text.n);
    cau_strbuf repaired = {0};
    while (text.n) {
        size_t valid = cau_utf8_check(text.s, text.n);
        cau_strbuf_add(&repaired, text.s, valid);
        if (valid < text.n) {
            cau_strbuf_add(&repaired, "\xEF\xBF\xBD", 3);
            valid++;
        }
        text.s += valid;
        text.n -= valid;
    }
    json_t *string = repaired.failed ? NULL : json_stringn(repaired.s, repaired.n);
    cau_strbuf_clear(&repaired);
    return string;
}

static int add_piece(const char *bytes, size_t length, void *text)
{
    cau_strbuf_add(text, bytes, length);
    return 0; /* a failure is kept in the text */
}

void cau_sheet_json(cau_sheet *sheet, json_t *tree, bool compact)
{
    size_t flags = JSON_REAL_PRECISION(JSON_DIGITS) | (compact ? 0 : JSON_INDENT(2));
    if (!tree || json_dump_callback(tree, add_piece, &sheet->text, flags))
        sheet->json_failed = true;
    json_decref(tree);
}
