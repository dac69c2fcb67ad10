/* read_crfsuite.c - CRFsuite's items: label TAB attribute[:value] TAB ...
 *
 *     @weight:2.0
 *     B-NP<TAB>w=The<TAB>len:0.3<TAB>time=10\:30
 *     I-NP<TAB>w=cat
 *     <empty line>
 *
 * Only TABs separate fields, so names may contain spaces. The first ':' that is not escaped by a
 * backslash starts the value; a missing or empty value is 1. "\:" and "\\" stand for ':' and '\';
 * any other backslash is itself. A first field that starts with '@' is a directive: @weight holds
 * up to the next empty line. A colon in a label needs no escape. Empty attributes are skipped. */

#include <string.h>

#include "base/status.h"
#include "text/formats.h"

/* Cuts the next field off the front of *rest; rest->s is NULL once there are no more. */
static cau_str next_field(cau_str *rest)
{
    const char *tab = memchr(rest->s, '\t', rest->n);
    const cau_str field = {rest->s, tab ? (size_t)(tab - rest->s) : rest->n};
    *rest = tab ? (cau_str){tab + 1, rest->n - field.n - 1} : (cau_str){NULL, 0};
    return field;
}

/* Whether a backslash at s[i] escapes what follows it. */
static bool escapes(cau_str s, size_t i)
{
    return s.s[i] == '\\' && i + 1 < s.n && (s.s[i + 1] == ':' || s.s[i + 1] == '\\');
}

/* Removes the backslashes of escapes from a field, in place: a line with a backslash is in
 * r->scratch. */
static cau_str unescape(cau_reader *r, cau_str field)
{
    if (!memchr(field.s, '\\', field.n)) return field;
    char *to = r->scratch.s + (field.s - r->scratch.s);
    size_t n = 0;
    for (size_t i = 0; i < field.n; i++) {
        if (escapes(field, i)) i++;
        to[n++] = field.s[i];
    }
    return (cau_str){to, n};
}

/* Splits a field at the colon of its value; *text is empty without one. */
static cau_str split_value(cau_str field, cau_str *text)
{
    *text = (cau_str){field.s + field.n, 0};
    if (!memchr(field.s, ':', field.n)) return field;
    for (size_t i = 0; i < field.n; i++) {
        if (escapes(field, i)) {
            i++;
        } else if (field.s[i] == ':') {
            *text = (cau_str){field.s + i + 1, field.n - i - 1};
            return (cau_str){field.s, i};
        }
    }
    return field;
}

static caucus_status add_attribute(caucus_ctx *ctx, cau_reader *r, cau_str field)
{
    caucus_status st = CAUCUS_OK;
    cau_str text;
    cau_str name = split_value(field, &text);
    double value = 1;
    name = unescape(r, name);
    if (text.n) TRY(cau_reader_value(ctx, r, name, text, &value));
    TRY(cau_reader_add(ctx, r, name, value));
done:
    return st;
}

static caucus_status directive(caucus_ctx *ctx, cau_reader *r, cau_str field)
{
    cau_str text;
    const cau_str name = split_value(field, &text);
    if (cau_is_text(name, "@weight")) return cau_reader_weight(ctx, r, "@weight", text, &r->weight);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "unknown directive '%.*s'; only @weight:x is known, and labels must "
                           "not start with '@'",
                    CAU_AT_ARGS(r->lines), CAU_SHOWN(name));
}

caucus_status cau_crfsuite_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    if (line.n == 0) {
        r->weight = 1;
        *kind = CAU_LINE_BREAK;
        return CAUCUS_OK;
    }

    const bool backslash = memchr(line.s, '\\', line.n);
    const bool plain = !backslash && !memchr(line.s, ':', line.n); /* names and nothing else */
    if (backslash) {
        r->scratch.n = 0;
        cau_strbuf_add(&r->scratch, line.s, line.n);
        TRY(cau_strbuf_status(ctx, &r->scratch));
        line.s = r->scratch.s;
    }

    cau_str rest = line, field = next_field(&rest);
    while (field.n && field.s[0] == '@') {
        TRY(directive(ctx, r, field));
        if (!rest.s) {
            *kind = CAU_LINE_NOTHING;
            return CAUCUS_OK;
        }
        field = next_field(&rest);
    }
    if (field.n) r->now.label = unescape(r, field);
    while (rest.s) {
        field = next_field(&rest);
        if (field.n == 0) continue;
        TRY(plain ? cau_reader_add(ctx, r, field, 1) : add_attribute(ctx, r, field));
    }
    r->now.weight = r->weight;
done:
    return st;
}
