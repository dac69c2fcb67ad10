/* table.c - text: the buffer on its way to a callback, widths, templates, tables, matrices.
 *
 * A table collects its cells as text, row by row, and is printed when the widest cell of each
 * column is known. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/memory.h"
#include "base/status.h"
#include "report/report.h"

enum {
    FLUSH_AT = 1 << 16,
    GAP = 2,             /* blanks between columns */
    LEFT_WIDTH_MAX = 40, /* of a column aligned to the left, for its cells */
};

/* ---- the buffer --------------------------------------------------------------------- */

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

/* ---- templates ----------------------------------------------------------------------- */

/* A real number by ".4f", ".1%" or ".9g". */
static void add_real(cau_strbuf *text, double x, const char *spec)
{
    char *type;
    assert(spec[0] == '.');
    const int digits = (int)strtoul(spec + 1, &type, 10);
    if (*type == 'g') {
        cau_strbuf_general(text, x, digits);
    } else {
        assert(*type == 'f' || *type == '%');
        cau_strbuf_fixed(text, *type == '%' ? 100 * x : x, digits);
        if (*type == '%') cau_strbuf_add(text, "%", 1);
    }
}

/* "one|many" by a number. */
static void add_form(cau_strbuf *text, const json_t *value, cau_str spec)
{
    const char *bar = memchr(spec.s, '|', spec.n);
    const size_t one = (size_t)(bar - spec.s);
    if (json_integer_value(value) == 1)
        cau_strbuf_add(text, spec.s, one);
    else
        cau_strbuf_add(text, bar + 1, spec.n - one - 1);
}

static void add_value(cau_strbuf *text, const json_t *value, cau_str spec)
{
    if (!value)
        return;
    else if (memchr(spec.s, '|', spec.n))
        add_form(text, value, spec);
    else if (json_is_null(value))
        cau_strbuf_add(text, "-", 1);
    else if (json_is_boolean(value))
        cau_strbuf_printf(text, "%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_string(value))
        cau_strbuf_escape(text, (cau_str){json_string_value(value), json_string_length(value)});
    else if (spec.n)
        add_real(text, json_number_value(value), spec.s);
    else if (json_is_integer(value))
        cau_strbuf_printf(text, "%lld", (long long)json_integer_value(value));
    else
        cau_strbuf_general(text, json_number_value(value), 6);
}

/* Adds a template. Returns whether any of its values exists, or it has no fields. */
static bool add_template(cau_strbuf *text, const json_t *node, const char *template)
{
    bool fields = false, found = false;
    for (;;) {
        const char *open = strchrnul(template, '{');
        cau_strbuf_add(text, template, (size_t)(open - template));
        if (!*open) return found || !fields;
        const char *close = strchr(open, '}');
        assert(close);
        char path[128];
        const size_t n = strcspn(open + 1, ":}");
        assert(n < sizeof path);
        memcpy(path, open + 1, n);
        path[n] = '\0';
        const char *spec = open + 1 + n + (open[1 + n] == ':');
        const json_t *value = cau_at(node, path);
        add_value(text, value, (cau_str){spec, (size_t)(close - spec)});
        fields = true;
        found |= value != NULL;
        template = close + 1;
    }
}

void cau_print(cau_writer *out, const json_t *node, const char *template)
{
    add_template(&out->text, node, template);
}

void cau_tree_print(cau_tree *tree, const char *key, const json_t *node, const char *template)
{
    cau_strbuf text = {0};
    add_template(&text, node, template);
    cau_tree_value(tree, key, text.failed ? NULL : json_stringn(text.s ? text.s : "", text.n));
    cau_strbuf_clear(&text);
}

/* ---- tables -------------------------------------------------------------------------- */

cau_text_table cau_text_table_begin(cau_writer *out, const cau_column *column, size_t columns)
{
    return (cau_text_table){.out = out, .column = column, .columns = columns};
}

static bool is_left(const cau_column *column)
{
    return column->cell[0] == '<';
}

/* Ends the cell whose text has just been added. */
static void end_cell(cau_text_table *table)
{
    if (CAU_GROW(table->end, table->room, table->cells + 1))
        table->end[table->cells++] = table->text.n;
    else
        table->text.failed = true;
}

/* Adds a cell from a template. */
static void add_cell(cau_text_table *table, const json_t *node, const char *template)
{
    const size_t before = table->text.n;
    if (!add_template(&table->text, node, template)) table->text.n = before;
    end_cell(table);
}

void cau_text_table_row(cau_text_table *table, const char *name, const json_t *row)
{
    for (size_t j = 0; j < table->columns; j++) {
        if (j == 0 && name) {
            cau_strbuf_escape(&table->text, cau_str_of(name));
            end_cell(table);
        } else {
            add_cell(table, row, table->column[j].cell + is_left(&table->column[j]));
        }
    }
}

void cau_text_table_rows(cau_text_table *table, const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        cau_text_table_row(table, NULL, json_array_get(rows, i));
}

static cau_str cell_text(const cau_text_table *table, size_t cell)
{
    const size_t begin = cell ? table->end[cell - 1] : 0;
    return (cau_str){table->text.s + begin, table->end[cell] - begin};
}

/* The width of escaped text on a terminal. */
static size_t display_width(cau_str text)
{
    size_t width = cau_text_width(text);
    for (size_t i = 0; i < text.n; i++) width -= text.s[i] == '\\';
    return width;
}

/* The width of a column, and whether any of its cells has text. */
static size_t column_width(const cau_text_table *table, size_t j, bool *used)
{
    const cau_column *column = &table->column[j];
    size_t width = column->heading ? display_width(cau_str_of(column->heading)) : 0;
    *used = table->cells == 0;
    for (size_t cell = j; cell < table->cells; cell += table->columns) {
        size_t own = display_width(cell_text(table, cell));
        *used |= own > 0;
        if (is_left(column) && own > LEFT_WIDTH_MAX) own = LEFT_WIDTH_MAX;
        if (own > width) width = own;
    }
    return width;
}

/* Adds the pending blanks and a cell; so a line does not end with blanks. */
static void print_cell(cau_strbuf *text, cau_str cell, bool left, size_t width, size_t *pending)
{
    while (left && cell.n && cell.s[cell.n - 1] == ' ') cell.n--; /* of a heading */
    const size_t own = display_width(cell), rest = own < width ? width - own : 0;
    if (cell.n == 0) {
        *pending += width + GAP;
        return;
    }
    cau_strbuf_printf(text, "%*s", (int)(*pending + (left ? 0 : rest)), "");
    cau_strbuf_add(text, cell.s, cell.n);
    *pending = (left ? rest : 0) + GAP;
}

static void print_rows(cau_text_table *table, const size_t *width, const bool *used, bool headed)
{
    cau_strbuf *text = &table->out->text;
    const size_t rows = table->columns ? table->cells / table->columns : 0;
    for (size_t i = headed ? 0 : 1; i <= rows; i++) { /* row 0 has the headings */
        size_t pending = 0;
        for (size_t j = 0; j < table->columns; j++) {
            const cau_column *column = &table->column[j];
            const cau_str cell = i ? cell_text(table, (i - 1) * table->columns + j)
                                   : cau_str_of(column->heading ? column->heading : "");
            if (used[j]) print_cell(text, cell, is_left(column), width[j], &pending);
        }
        cau_strbuf_add(text, "\n", 1);
        cau_writer_flush(table->out, false);
    }
}

void cau_text_table_end(cau_text_table *table)
{
    bool headed = false;
    size_t *width = cau_alloc(table->columns, sizeof *width);
    bool *used = cau_alloc(table->columns, sizeof *used);
    if (!width || !used) table->text.failed = true;
    for (size_t j = 0; !table->text.failed && j < table->columns; j++) {
        width[j] = column_width(table, j, &used[j]);
        headed |= table->column[j].heading != NULL;
    }
    if (table->text.failed)
        table->out->text.failed = true;
    else
        print_rows(table, width, used, headed);
    free(width);
    free(used);
    free(table->end);
    cau_strbuf_clear(&table->text);
}

void cau_print_table(cau_writer *out, const cau_column *column, size_t columns, const json_t *rows)
{
    cau_text_table table = cau_text_table_begin(out, column, columns);
    cau_text_table_rows(&table, rows);
    cau_text_table_end(&table);
}

void cau_print_rows(cau_writer *out, const cau_column *column, size_t columns, cau_tree *rows)
{
    cau_tree_end(rows);
    if (rows->failed)
        out->text.failed = true;
    else
        cau_print_table(out, column, columns, rows->root);
    cau_tree_clear(rows);
}

void cau_print_matrix(cau_writer *out, const json_t *names, const json_t *rows, const char *cell)
{
    const size_t n = json_array_size(rows);
    cau_column *column = cau_calloc(n + 1, sizeof *column);
    if (!column) {
        out->text.failed = true;
        return;
    }
    cau_text_table table = cau_text_table_begin(out, column, n + 1);
    for (size_t j = 0; j <= n; j++) column[j].cell = j == 0 && names ? "<" : "";
    for (size_t i = 0; i <= n; i++) {
        const json_t *row = i ? json_array_get(rows, i - 1) : NULL;
        for (size_t j = 0; j <= n; j++) {
            const size_t head = i ? i : j; /* the name in the first column or row */
            if (i && j)
                add_template(&table.text, json_array_get(row, j - 1), cell);
            else if (head && names)
                add_template(&table.text, json_array_get(names, head - 1), "{}");
            else if (head)
                cau_strbuf_printf(&table.text, "%zu", head);
            end_cell(&table);
        }
    }
    cau_text_table_end(&table);
    free(column);
}
