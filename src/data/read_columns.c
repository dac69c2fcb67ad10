/* read_columns.c - columns that blanks or tabs separate, the label last.
 *
 *     The DT B-NP
 *     cat NN I-NP
 *     <empty line>
 *
 * Column j gives the feature "j=cell": "0=The", "1=DT". All lines have the same number of
 * columns. */

#include "base/status.h"
#include "data/formats.h"

/* Adds the feature "j=cell". */
static caucus_status add_cell(caucus_ctx *ctx, cau_reader *r, size_t j, cau_str cell)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '=';
    do digits[--at] = (char)('0' + j % 10);
    while (j /= 10);

    r->scratch.n = 0;
    cau_text_add(&r->scratch, digits + at, sizeof digits - at);
    cau_text_add(&r->scratch, cell.s, cell.n);
    const caucus_status st = cau_text_status(ctx, &r->scratch);
    return st ? st : cau_reader_add(ctx, r, (cau_str){r->scratch.s, r->scratch.n}, 1);
}

caucus_status cau_columns_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    cau_str rest = line, cell, label;
    if (!cau_token(&rest, &label)) {
        *kind = CAU_LINE_BREAK;
        return CAUCUS_OK;
    }

    /* Each cell is the label until another one follows. */
    size_t columns = 1;
    for (; cau_token(&rest, &cell); label = cell) TRY(add_cell(ctx, r, columns++ - 1, label));
    r->now.label = label;

    if (columns == 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "one column only; the label must be the last of two or more",
                     CAU_AT_ARGS(r->lines)));
    if (r->shape.columns == 0) r->shape.columns = columns;
    if (columns != r->shape.columns)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "%zu columns, but earlier lines have %zu; fix the line or drop it",
                     CAU_AT_ARGS(r->lines), columns, r->shape.columns));
done:
    return st;
}
