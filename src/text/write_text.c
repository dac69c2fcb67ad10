/* write_text.c - examples as text with a label: text, csv, json-text, fasttext, mallet. */

#include <jansson.h>
#include <stdlib.h>

#include "base/status.h"
#include "text/formats.h"

/* Refuses an example without text. */
static caucus_status check_text(caucus_ctx *ctx, const cau_data_sheet *sheet,
                                const cau_data_example *x)
{
    if (x->T > 1)
        return cau_cannot_hold(ctx, sheet, x, 0, "sequences", "write columns or json-tokens");
    if (!x->token->text.s)
        return cau_cannot_hold(ctx, sheet, x, 0, "features",
                               "write vw, megam or crfsuite, or give data of text");
    if (x->token->weight != 1)
        return cau_cannot_hold(ctx, sheet, x, 0, "the weight of an instance",
                               "write crfsuite, megam or vw");
    return CAUCUS_OK;
}

/* Adds text as a part of a line: TABs and line ends become blanks. */
static void add_line(cau_strbuf *out, cau_str text)
{
    const size_t begin = out->n;
    cau_strbuf_add(out, text.s, text.n);
    for (size_t i = begin; !out->failed && i < out->n; i++)
        if (out->s[i] == '\t' || out->s[i] == '\n' || out->s[i] == '\r') out->s[i] = ' ';
}

caucus_status cau_text_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    TRY(check_text(ctx, sheet, x));
    add_line(&sheet->text, x->token->label);
    cau_strbuf_add(&sheet->text, "\t", 1);
    add_line(&sheet->text, x->token->text);
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}

/* ---- csv --------------------------------------------------------------------------------- */

static void add_field(cau_strbuf *out, cau_str text, char delimiter)
{
    bool quote = false;
    for (size_t i = 0; i < text.n && !quote; i++)
        quote =
            text.s[i] == '"' || text.s[i] == delimiter || text.s[i] == '\n' || text.s[i] == '\r';
    if (quote) cau_strbuf_add(out, "\"", 1);
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] == '"') cau_strbuf_add(out, "\"", 1);
        cau_strbuf_add(out, text.s + i, 1);
    }
    if (quote) cau_strbuf_add(out, "\"", 1);
}

caucus_status cau_csv_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    const char delimiter = sheet->to == CAU_FORMAT_TSV ? '\t' : ',';
    TRY(check_text(ctx, sheet, x));
    if (sheet->examples == 0) cau_strbuf_printf(&sheet->text, "label%ctext\n", delimiter);
    add_field(&sheet->text, x->token->label, delimiter);
    cau_strbuf_add(&sheet->text, &delimiter, 1);
    add_field(&sheet->text, x->token->text, delimiter);
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}

/* ---- json-text --------------------------------------------------------------------------- */

caucus_status cau_json_add_text(caucus_ctx *ctx, cau_strbuf *out, cau_str text)
{
    json_t *value = json_stringn(text.s ? text.s : "", text.n);
    char *written = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (written) cau_strbuf_add(out, written, strlen(written));
    json_decref(value);
    free(written);
    return written ? CAUCUS_OK : cau_fail_memory(ctx, "a JSON text");
}

caucus_status cau_json_text_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    TRY(check_text(ctx, sheet, x));
    cau_strbuf_printf(&sheet->text, "{\"text\": ");
    TRY(cau_json_add_text(ctx, &sheet->text, x->token->text));
    if (x->token->label.s) {
        cau_strbuf_printf(&sheet->text, ", \"label\": ");
        TRY(cau_json_add_text(ctx, &sheet->text, x->token->label));
    }
    cau_strbuf_printf(&sheet->text, "}\n");
done:
    return st;
}

/* ---- fasttext and mallet ----------------------------------------------------------------- */

static bool has_space(cau_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (cau_is_blank(text.s[i]) || text.s[i] == '\n' || text.s[i] == '\r') return true;
    return false;
}

caucus_status cau_fasttext_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    const cau_str label = x->token->label;
    TRY(check_text(ctx, sheet, x));
    if (has_space(label))
        TRY(cau_cannot_hold(ctx, sheet, x, 0, "a label with a blank", "rename it"));
    if (label.n) {
        cau_strbuf_add(&sheet->text, "__label__", 9);
        cau_strbuf_add(&sheet->text, label.s, label.n);
        cau_strbuf_add(&sheet->text, " ", 1);
    }
    add_line(&sheet->text, x->token->text);
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}

caucus_status cau_mallet_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    const cau_str label = x->token->label;
    TRY(check_text(ctx, sheet, x));
    if (!label.n || has_space(label))
        TRY(cau_cannot_hold(ctx, sheet, x, 0, "a label that is missing or has a blank",
                            "rename it"));
    cau_strbuf_printf(&sheet->text, "%zu ", x->token->number);
    cau_strbuf_add(&sheet->text, label.s, label.n);
    cau_strbuf_add(&sheet->text, " ", 1);
    add_line(&sheet->text, x->token->text);
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}
