/* writer.c - buffered text and the width of text on a terminal. */

#include <utf8proc.h>

#include "base/status.h"
#include "report/report.h"

enum { FLUSH_AT = 1 << 16 };

void cau_writer_clear(cau_writer *out)
{
    cau_strbuf_clear(&out->text);
}

caucus_status cau_writer_flush(cau_writer *out, bool all)
{
    cau_strbuf *text = &out->text;
    if (out->status == CAUCUS_OK) out->status = cau_strbuf_status(out->ctx, text);
    if (out->status || text->n == 0 || (!all && text->n < FLUSH_AT)) return out->status;
    out->status = out->write(out->user, text->s, text->n);
    text->n = 0;
    return out->status;
}

/* ---- cells --------------------------------------------------------------------------- */

size_t cau_text_width(cau_str text)
{
    size_t width = 0;
    for (size_t at = 0; at < text.n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text.s + at,
                                                 (utf8proc_ssize_t)(text.n - at), &c);
        if (used <= 0) c = '?', used = 1;
        const bool escaped = c == '\t' || c == '\n' || c == '\r' || c == '\\';
        width += escaped ? 2 : (size_t)utf8proc_charwidth(c);
        at += (size_t)used;
    }
    return width;
}

static void add_blanks(cau_writer *out, size_t have, size_t want)
{
    if (have < want) cau_strbuf_printf(&out->text, "%*s", (int)(want - have), "");
}

void cau_writer_left(cau_writer *out, cau_str text, size_t width)
{
    cau_strbuf_escape(&out->text, text);
    add_blanks(out, cau_text_width(text), width);
}

void cau_writer_right(cau_writer *out, cau_str text, size_t width)
{
    add_blanks(out, cau_text_width(text), width);
    cau_strbuf_escape(&out->text, text);
}

void cau_writer_number(cau_writer *out, double x, int decimals, size_t width)
{
    cau_strbuf number = {0};
    cau_strbuf_fixed(&number, x, decimals);
    if (number.failed)
        out->text.failed = true;
    else
        cau_writer_right(out, (cau_str){number.s, number.n}, width);
    cau_strbuf_clear(&number);
}
