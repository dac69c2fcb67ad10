/* layout.c - chooses columns by number or name. */

#include "text/layout.h"

#include <string.h>

#include "base/status.h"
#include "text/columns.h"

bool cau_layout_chooses(const cau_layout_options *options)
{
    return options->columns || options->label;
}

void cau_layout_override(cau_layout_options *options, const cau_layout_options *given)
{
    const bool other = given->columns || given->label || given->no_label;
    options->header = given->header || (options->header && !other);
    if (given->columns) options->columns = given->columns;
    if (given->label) options->label = given->label;
    if (given->delimiter) options->delimiter = given->delimiter;
    options->no_label |= given->no_label;
    if (given->text) options->text = given->text;
    if (given->names) options->names = given->names;
    options->no_header |= given->no_header;
    options->no_quotes |= given->no_quotes;
}

caucus_status cau_layout_begin(caucus_ctx *ctx, const cau_layout_options *options,
                               cau_layout *layout)
{
    *layout = (cau_layout){0};
    if (!options->delimiter || cau_delimiter_parse(options->delimiter, &layout->delimiter))
        return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "--delimiter '%s': give one character, or \\t for TAB", options->delimiter);
}

bool cau_layout_find(cau_str text, const cau_str *names, size_t fields, size_t *column)
{
    uint64_t number;
    for (size_t j = 0; names && j < fields; j++)
        if (names[j].n == text.n && memcmp(names[j].s, text.s, text.n) == 0) {
            *column = j;
            return true;
        }
    if (!cau_parse_count(text.s, text.n, &number) || number >= fields) return false;
    *column = (size_t)number;
    return true;
}

static caucus_status fail_column(caucus_ctx *ctx, const char *file, const char *option,
                                 cau_str text, const cau_str *names, size_t fields)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf known = {0};
    for (size_t j = 0; names && j < fields && known.n < 200; j++)
        cau_strbuf_printf(&known, "%s%.*s", j ? ", " : ", or ", CAU_SHOWN(names[j]));
    TRY(cau_strbuf_status(ctx, &known));
    TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                 "%s: there is no column '%.*s' for --%s; give a number from 0 to %zu%s", file,
                 CAU_SHOWN(text), option, fields - 1, known.s ? known.s : ""));
done:
    cau_strbuf_clear(&known);
    return st;
}

/* Reads the list of --columns. */
static caucus_status choose_cells(caucus_ctx *ctx, cau_str list, const char *file,
                                  const cau_str *names, size_t fields, cau_layout *layout)
{
    for (cau_str rest = list, name; cau_column_first(&rest, (cau_separator){',', false}, &name);) {
        if (layout->cells == CAU_LAYOUT_CELLS)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--columns names more than %d columns",
                            CAU_LAYOUT_CELLS);
        if (!cau_layout_find(name, names, fields, &layout->cell[layout->cells]))
            return fail_column(ctx, file, "columns", name, names, fields);
        layout->cells++;
    }
    return CAUCUS_OK;
}

/* All columns but the label are cells. */
static caucus_status choose_others(caucus_ctx *ctx, const char *file, size_t fields,
                                   cau_layout *layout)
{
    for (size_t j = 0; j < fields; j++) {
        if (layout->labelled && j == layout->label) continue;
        if (layout->cells == CAU_LAYOUT_CELLS)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "%s: more than %d columns; choose some with --columns", file,
                            CAU_LAYOUT_CELLS);
        layout->cell[layout->cells++] = j;
    }
    return CAUCUS_OK;
}

caucus_status cau_layout_choose(caucus_ctx *ctx, const cau_layout_options *options,
                                const char *file, const cau_str *names, size_t fields,
                                bool optional, cau_layout *layout)
{
    caucus_status st = CAUCUS_OK;
    const cau_str label = cau_str_of(options->label);
    uint64_t number;
    layout->cells = 0;
    layout->labelled = !options->no_label;
    if (layout->labelled && !label.s) {
        layout->label = fields - 1;
    } else if (layout->labelled && !cau_layout_find(label, names, fields, &layout->label)) {
        if (!optional || (!names && !cau_parse_count(label.s, label.n, &number)))
            TRY(fail_column(ctx, file, "label", label, names, fields));
        layout->labelled = false;
    }
    if (options->columns)
        TRY(choose_cells(ctx, cau_str_of(options->columns), file, names, fields, layout));
    else
        TRY(choose_others(ctx, file, fields, layout));
    for (size_t i = 0; !label.s && i < layout->cells; i++) /* the last column is a cell */
        if (layout->cell[i] == layout->label) layout->labelled = false;
    if (layout->cells == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no columns but the label; the template needs one",
                     file));
    layout->fields = fields;
    layout->chosen = true;
done:
    return st;
}
