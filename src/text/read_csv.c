/* read_csv.c - CSV and TSV with a header, quoted as in RFC 4180.
 *
 *     id,text,length,label
 *     17,"win a ""free"" prize, now",25,spam
 *
 * A record is an instance. A field that begins with a quote ends with the next single quote: it may
 * hold delimiters, line ends, and quotes written twice. Other quotes are characters.
 *
 * The words of the columns of --text are features. The other columns of --columns become name=value
 * or, where the field is a number, the feature `name` with that value; an empty field is no
 * feature. The header gives the names, so that other files may have the columns in another order.
 */

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "text/columns.h"
#include "text/formats.h"

char cau_csv_delimiter(const cau_read_options *options)
{
    char delimiter = options->format == CAU_FORMAT_TSV ? '\t' : ',';
    if (options->layout.delimiter) cau_delimiter_parse(options->layout.delimiter, &delimiter);
    return delimiter;
}

/* ---- a record ---------------------------------------------------------------------------- */

/* Reads the lines of the next record; {NULL, 0} at the end of the file. */
static caucus_status read_lines(caucus_ctx *ctx, cau_reader *r, char delimiter, cau_str *record)
{
    caucus_status st = CAUCUS_OK;
    cau_record_scan scan = {0};
    size_t at = 0;
    TRY(cau_lines_next(ctx, r->lines, record));
    r->now = (cau_instance){.number = cau_lines_number(r->lines), .weight = 1};
    if (!record->s || r->options.layout.no_quotes) return CAUCUS_OK;
    for (;;) {
        cau_str line;
        cau_quoted_end(&scan, delimiter, record->s, &at, record->n);
        if (!scan.quoted || (at + 1 == record->n && record->s[at] == '"')) break;
        TRY(cau_lines_next(ctx, r->lines, &line));
        if (!line.s)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT
                         "the quote of a field does not end; close it, or say --no-quotes if "
                         "quotes are characters",
                         cau_lines_name(r->lines), r->now.number));
        record->n = (size_t)(line.s + line.n - record->s);
    }
done:
    return st;
}

/* Cuts the field that begins with a quote off *rest; doubled quotes are undone in r->unquoted,
 * which has room for the record. */
static caucus_status cut_quoted(caucus_ctx *ctx, cau_reader *r, char delimiter, cau_str *rest,
                                cau_str *field)
{
    const char *at = rest->s + 1, *end = rest->s + rest->n, *quote;
    const size_t begin = r->unquoted.n;
    cau_str plain = {at, 0};
    bool doubled = false;
    for (;; at = quote + 2) { /* the record has the closing quote */
        quote = memchr(at, '"', (size_t)(end - at));
        if (!quote) quote = end;
        const bool twice = quote + 1 < end && quote[1] == '"';
        if (doubled || twice) cau_strbuf_add(&r->unquoted, at, (size_t)(quote - at) + twice);
        plain.n = (size_t)(quote - plain.s);
        doubled |= twice;
        if (!twice) break;
    }
    *field = doubled ? (cau_str){r->unquoted.s + begin, r->unquoted.n - begin} : plain;
    if (quote < end) quote++;
    if (quote < end && *quote != delimiter)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "text after the closing quote of a field; write quotes inside of it "
                               "twice, or say --no-quotes if quotes are characters",
                        cau_lines_name(r->lines), r->now.number);
    *rest = quote < end ? (cau_str){quote + 1, (size_t)(end - quote - 1)} : (cau_str){NULL, 0};
    return CAUCUS_OK;
}

/* Splits a record into r->field [*count]. */
static caucus_status split_record(caucus_ctx *ctx, cau_reader *r, char delimiter, cau_str record,
                                  size_t *count)
{
    caucus_status st = CAUCUS_OK;
    r->unquoted.n = 0;
    if (!cau_strbuf_reserve(&r->unquoted, record.n)) TRY(cau_strbuf_status(ctx, &r->unquoted));
    *count = 0;
    for (cau_str rest = record; rest.s; ++*count) {
        if (!CAU_GROW(r->field, r->field_room, *count + 1))
            TRY(cau_fail_memory(ctx, "the fields of a record"));
        if (rest.n && rest.s[0] == '"' && !r->options.layout.no_quotes)
            TRY(cut_quoted(ctx, r, delimiter, &rest, &r->field[*count]));
        else
            cau_column_first(&rest, (cau_separator){delimiter, false}, &r->field[*count]);
    }
done:
    return st;
}

/* ---- columns ----------------------------------------------------------------------------- */

static bool has_column(const cau_layout *layout, size_t column)
{
    for (size_t j = 0; j < layout->cells; j++)
        if (layout->cell[j] == column) return true;
    return false;
}

/* Chooses the label, the columns of text and those of features among `count`. */
static caucus_status choose_columns(caucus_ctx *ctx, cau_reader *r, const cau_str *names,
                                    size_t count)
{
    caucus_status st = CAUCUS_OK;
    const char *file = cau_lines_name(r->lines);
    cau_layout_options texts = {.columns = r->options.layout.text, .no_label = true};
    cau_layout_options others = r->options.layout;
    size_t column;
    const bool known = r->options.columns > 0;
    r->text_layout.cells = r->layout.cells = 0;
    if (!others.label) others.label = "label";
    if (!texts.columns && !others.columns &&
        cau_layout_find(CAU_STR("text"), names, count, &column))
        texts.columns = "text";
    if (texts.columns)
        TRY(cau_layout_choose(ctx, &texts, file, names, count, false, &r->text_layout));
    TRY(cau_layout_choose(ctx, &others, file, names, count, known, &r->layout));
    if (texts.columns && !others.columns) r->layout.cells = 0;
    if (r->layout.labelled && has_column(&r->text_layout, r->layout.label))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: the label is a column of --text as well; choose "
                     "another one",
                     file));
    const size_t chosen = r->text_layout.cells + r->layout.cells;
    if (known && chosen != r->options.columns)
        TRY(cau_fail(
            ctx, CAUCUS_ERR_FORMAT,
            "%s: %zu columns besides the label, but the model wants %llu; choose them with "
            "--text and --columns",
            file, chosen, (unsigned long long)r->options.columns));
    r->options.columns = chosen;
    r->layout.fields = count;
done:
    return st;
}

/* Keeps the names of the columns: of the header, or their numbers. */
static caucus_status keep_names(caucus_ctx *ctx, cau_reader *r, size_t count, bool header)
{
    r->names.n = 0;
    for (size_t j = 0; j < count; j++) {
        if (!CAU_GROW(r->name, r->name_room, j + 1)) return cau_fail_memory(ctx, "a header");
        const size_t begin = r->names.n;
        if (header)
            cau_strbuf_add(&r->names, r->field[j].s, r->field[j].n);
        else
            cau_strbuf_printf(&r->names, "%zu", j);
        r->name[j] = (cau_cell){begin, r->names.n - begin};
    }
    r->name_count = count;
    return cau_strbuf_status(ctx, &r->names);
}

/* The first record of a file. */
static caucus_status begin_file(caucus_ctx *ctx, cau_reader *r, size_t count)
{
    caucus_status st = CAUCUS_OK;
    const bool header = !r->options.layout.no_header;
    if (count > CAU_LAYOUT_CELLS)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "more than %d columns", CAU_AT_ARGS(r->lines),
                     CAU_LAYOUT_CELLS));
    TRY(choose_columns(ctx, r, header ? r->field : NULL, count));
    TRY(keep_names(ctx, r, count, header));
done:
    return st;
}

/* ---- an instance ------------------------------------------------------------------------- */

static cau_str name_at(const cau_reader *r, size_t column)
{
    return (cau_str){r->names.s + r->name[column].begin, r->name[column].length};
}

/* The words of all columns of text, which a line end separates. */
static caucus_status add_text(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    const cau_layout *layout = &r->text_layout;
    if (layout->cells == 0) return CAUCUS_OK;
    if (layout->cells == 1) return cau_reader_words(ctx, r, r->field[layout->cell[0]]);
    r->joined.n = 0;
    for (size_t j = 0; j < layout->cells; j++) {
        const cau_str part = r->field[layout->cell[j]];
        if (j) cau_strbuf_add(&r->joined, "\n", 1);
        cau_strbuf_add(&r->joined, part.s, part.n);
    }
    TRY(cau_strbuf_status(ctx, &r->joined));
    TRY(cau_reader_words(ctx, r, (cau_str){r->joined.s, r->joined.n}));
done:
    return st;
}

/* name with a number as value, or name=value. */
static caucus_status add_feature(caucus_ctx *ctx, cau_reader *r, cau_str name, cau_str field)
{
    double value;
    if (field.n == 0) return CAUCUS_OK;
    if (cau_parse_real(field.s, field.n, &value) && isfinite((float)value))
        return cau_reader_add_copy(ctx, r, name, value);
    r->joined.n = 0;
    cau_strbuf_add(&r->joined, name.s, name.n);
    cau_strbuf_add(&r->joined, "=", 1);
    cau_strbuf_add(&r->joined, field.s, field.n);
    const caucus_status st = cau_strbuf_status(ctx, &r->joined);
    return st ? st : cau_reader_add_copy(ctx, r, (cau_str){r->joined.s, r->joined.n}, 1);
}

caucus_status cau_csv_record(caucus_ctx *ctx, cau_reader *r, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    const char delimiter = cau_csv_delimiter(&r->options);
    cau_str record;
    size_t count;
    TRY(read_lines(ctx, r, delimiter, &record));
    *kind = record.s ? CAU_LINE_NOTHING : CAU_LINE_END;
    if (record.n == 0) return CAUCUS_OK;
    TRY(split_record(ctx, r, delimiter, record, &count));
    if (r->name_count == 0) {
        TRY(begin_file(ctx, r, count));
        if (!r->options.layout.no_header) return CAUCUS_OK;
    }
    *kind = CAU_LINE_INSTANCE;
    r->now.line = record;
    if (count != r->layout.fields)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "%zu field%s, but the %s %zu; correct it: a field with a delimiter "
                            "needs quotes",
                     cau_lines_name(r->lines), r->now.number, count, count == 1 ? "" : "s",
                     r->options.layout.no_header ? "first line has" : "header has",
                     r->layout.fields));
    if (r->layout.labelled && r->field[r->layout.label].n) {
        r->now.label = r->field[r->layout.label];
        TRY(cau_reader_label(ctx, r));
    }
    TRY(add_text(ctx, r));
    if (r->layout.cells) r->now.text = (cau_str){NULL, 0}; /* not all of the instance */
    for (size_t j = 0; j < r->layout.cells; j++)
        TRY(add_feature(ctx, r, name_at(r, r->layout.cell[j]), r->field[r->layout.cell[j]]));
done:
    return st;
}
