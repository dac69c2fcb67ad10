/* write_cells.c - examples as tokens with cells: columns, CoNLL-U, json-tokens. */

#include "base/status.h"
#include "text/formats.h"

/* Refuses an example without cells. */
static caucus_status check_cells(caucus_ctx *ctx, const cau_data_sheet *sheet,
                                 const cau_data_example *x)
{
    if (x->token->cell) return CAUCUS_OK;
    return x->token->text.s
               ? cau_cannot_hold(ctx, sheet, x, 0, "text that is not split into tokens",
                                 "write text, csv or json-text")
               : cau_cannot_hold(ctx, sheet, x, 0, "features", "write crfsuite, wapiti or vw");
}

static bool has_blank(cau_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (cau_is_blank(text.s[i])) return true;
    return text.n == 0;
}

static caucus_status add_cell(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x,
                              size_t t, cau_str cell)
{
    if (has_blank(cell))
        return cau_cannot_hold(ctx, sheet, x, t, "a cell that is empty or has a blank",
                               "replace it, or write json-tokens");
    cau_strbuf_add(&sheet->text, cell.s, cell.n);
    return CAUCUS_OK;
}

caucus_status cau_columns_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    TRY(check_cells(ctx, sheet, x));
    for (size_t t = 0; t < x->T; t++) {
        const cau_data_token *token = &x->token[t];
        if (sheet->examples == 0 && t == 0) sheet->unlabelled = !token->label.s;
        if (sheet->unlabelled && token->label.s)
            TRY(cau_cannot_hold(ctx, sheet, x, t, "labels in some lines only",
                                "add the missing ones, as ?"));
        for (size_t j = 0; j < token->cells; j++) {
            if (j) cau_strbuf_add(&sheet->text, "\t", 1);
            TRY(add_cell(ctx, sheet, x, t, token->cell[j]));
        }
        if (!sheet->unlabelled) {
            cau_strbuf_add(&sheet->text, "\t", 1);
            TRY(add_cell(ctx, sheet, x, t, token->label.s ? token->label : CAU_STR("?")));
        }
        cau_strbuf_add(&sheet->text, "\n", 1);
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}

caucus_status cau_conllu_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    TRY(check_cells(ctx, sheet, x));
    for (size_t t = 0; t < x->T; t++) {
        const cau_data_token *token = &x->token[t];
        const cau_str form = token->cell[0];
        if (token->cells > 1)
            TRY(cau_cannot_hold(ctx, sheet, x, t, "several columns besides the label",
                                "choose the word with --columns"));
        if (form.n == 0) TRY(cau_cannot_hold(ctx, sheet, x, t, "an empty word", "replace it"));
        const bool known = token->label.s && !cau_is_text(token->label, "?");
        const cau_str label = known ? token->label : CAU_STR("_");
        cau_strbuf_printf(&sheet->text, "%zu\t", t + 1);
        cau_strbuf_add(&sheet->text, form.s, form.n);
        cau_strbuf_add(&sheet->text, "\t_\t", 3);
        cau_strbuf_add(&sheet->text, label.s, label.n);
        cau_strbuf_printf(&sheet->text, "\t_\t_\t_\t_\t_\t_\n");
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
done:
    return st;
}

/* Adds "key": [...] of the cells j of all tokens, or of the labels for j = SIZE_MAX. */
static caucus_status add_array(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x,
                               size_t j)
{
    caucus_status st = CAUCUS_OK;
    if (j == SIZE_MAX)
        cau_strbuf_printf(&sheet->text, ", \"labels\": [");
    else if (j == 0)
        cau_strbuf_printf(&sheet->text, "{\"tokens\": [");
    else
        cau_strbuf_printf(&sheet->text, ", \"column%zu\": [", j);
    for (size_t t = 0; t < x->T; t++) {
        const cau_data_token *token = &x->token[t];
        if (t) cau_strbuf_add(&sheet->text, ", ", 2);
        if (j < SIZE_MAX)
            TRY(cau_json_add_text(ctx, &sheet->text, token->cell[j]));
        else if (token->label.s)
            TRY(cau_json_add_text(ctx, &sheet->text, token->label));
        else
            cau_strbuf_printf(&sheet->text, "null");
    }
    cau_strbuf_add(&sheet->text, "]", 1);
done:
    return st;
}

caucus_status cau_json_tokens_write(caucus_ctx *ctx, cau_data_sheet *sheet,
                                    const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    bool labelled = false;
    TRY(check_cells(ctx, sheet, x));
    for (size_t t = 0; t < x->T; t++) labelled |= x->token[t].label.s != NULL;
    for (size_t j = 0; j < x->token->cells; j++) TRY(add_array(ctx, sheet, x, j));
    if (labelled) TRY(add_array(ctx, sheet, x, SIZE_MAX));
    cau_strbuf_printf(&sheet->text, "}\n");
done:
    return st;
}
