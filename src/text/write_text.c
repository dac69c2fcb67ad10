/* write_text.c - examples as text with a label. */

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
