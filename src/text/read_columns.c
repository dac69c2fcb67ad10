/* read_columns.c - columns separated by blanks or tabs, the label last, in sequences; and CoNLL-U.
 *
 *     The DT B-NP
 *     cat NN I-NP
 *     <empty line>
 *
 * A template looks at neighbours, so a whole sequence is read before its first instance is
 * returned. Lines are copied to one text; cells are offsets while the text grows:
 *
 *     text  | The DT B-NP | cat NN I-NP |  |      row   0: instance  1: instance  2: break
 *             ^   ^  ^      ^   ^  ^              cell  the six parts that start at ^
 *
 * Then rows are returned one by one, with comments and -DOCSTART- in their places. Features are
 * extracted in blocks, when the first instance of a block is returned. All memory is kept from one
 * sequence to the next.
 *
 * Columns that are chosen by number or name are put in that order, with the label last (layout.h):
 * the rest of this file sees no difference.
 *
 * All lines of the data have the same number of columns. The first line sets it, and its last
 * column is the label. If the number of columns before the label is known, as it is for a model, a
 * file may also have no labels. */

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "text/columns.h"
#include "text/formats.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "a sequence");
}

bool cau_is_comment(const cau_read_options *options, cau_str line)
{
    return options->comments && line.n && line.s[0] == '#';
}

bool cau_is_docstart(const cau_read_options *options, cau_str line)
{
    static const char mark[] = "-DOCSTART-";
    return options->docstart && line.n >= sizeof mark - 1 &&
           memcmp(line.s, mark, sizeof mark - 1) == 0;
}

void cau_columns_reset(cau_reader *r)
{
    cau_sequence *q = &r->sequence;
    q->text.n = q->rows = q->cells = q->length = q->next = q->t = q->first = 0;
    q->ended = false;
    r->block.rows = 0;
}

void cau_columns_clear(cau_reader *r)
{
    cau_sequence *q = &r->sequence;
    cau_strbuf_clear(&q->text);
    free(q->row);
    free(q->cell);
    free(q->view);
    cau_extractor_free(r->extractor);
    cau_template_free(r->standard);
}

/* ---- reading a sequence ------------------------------------------------------------------ */

/* Makes the extractor for rows of `columns` cells, unless it exists. */
static caucus_status prepare(caucus_ctx *ctx, cau_reader *r, size_t columns)
{
    caucus_status st = CAUCUS_OK;
    if (r->extractor) return CAUCUS_OK;
    if (!cau_reader_template(r)) TRY(cau_template_default(ctx, columns, &r->standard));

    const cau_template *t = cau_reader_template(r);
    const size_t need = cau_template_columns(t);
    if (need > columns)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT
                     "the template looks at column %zu, counted from 0, but only %zu stand%s "
                     "before the label; correct the template, or is it the wrong file?",
                     CAU_AT_ARGS(r->lines), need - 1, columns, columns == 1 ? "s" : ""));
    TRY(cau_extractor_new(ctx, t, r->block.base, &r->extractor));
    r->block.repeats = cau_template_repeats(t) ? CAU_REPEATS_ONCE : CAU_REPEATS_NEVER;
done:
    if (st) {
        cau_template_free(r->standard);
        r->standard = NULL;
    }
    return st;
}

/* Whether lines of this many columns have no label although one could be there. */
static bool lacks_label(const cau_reader *r, size_t found)
{
    const cau_template *t = cau_reader_template(r);
    return r->options.label_optional && t && cau_template_columns(t) == found;
}

/* Checks the number of columns of this line. */
static caucus_status check_columns(caucus_ctx *ctx, cau_reader *r, size_t found)
{
    const size_t want = r->shape.columns;
    size_t known = (size_t)r->options.columns;        /* without the label */
    if (want == found) return prepare(ctx, r, known); /* needed after cau_reader_like */
    if (want)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%zu column%s, but earlier lines have %zu; fix the line or drop it",
                        CAU_AT_ARGS(r->lines), found, found == 1 ? "" : "s", want);
    if (known && found != known && found - 1 != known)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%zu column%s, but the model wants %zu, or %zu with the label; is "
                               "it the right file?",
                        CAU_AT_ARGS(r->lines), found, found == 1 ? "" : "s", known, known + 1);
    bool labelled = r->layout.chosen ? r->layout.labelled : !r->options.layout.no_label;
    if (!known && !r->layout.chosen && lacks_label(r, found)) labelled = false;
    if (!known && found == 1 && labelled)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "one column only; the label must be the last of two or more",
                        CAU_AT_ARGS(r->lines));
    if (!known) known = found - labelled;
    const caucus_status st = prepare(ctx, r, known);
    if (st) return st;
    r->options.columns = known;
    r->shape.columns = found;
    return CAUCUS_OK;
}

/* Cuts the next cell off the front of *rest: between delimiters, or between blanks and tabs. */
static bool next_cell(char delimiter, cau_str *rest, cau_str *cell)
{
    return delimiter ? cau_column_first(rest, (cau_separator){delimiter, false}, cell)
                     : cau_token(rest, cell);
}

static char delimiter_of(const cau_reader *r)
{
    return r->options.format == CAU_FORMAT_CONLLU ? '\t' : r->layout.delimiter;
}

/* Appends the cells of a line whose text starts at `begin`; *found is their number. */
static caucus_status split_cells(caucus_ctx *ctx, cau_sequence *q, char delimiter, cau_str line,
                                 size_t begin, size_t *found)
{
    const size_t before = q->cells;
    cau_str rest = line, cell;
    while (next_cell(delimiter, &rest, &cell)) {
        if (!CAU_GROW(q->cell, q->cell_room, q->cells + 1)) return no_memory(ctx);
        q->cell[q->cells++] = (cau_cell){begin + (size_t)(cell.s - line.s), cell.n};
    }
    *found = q->cells - before;
    return CAUCUS_OK;
}

/* Chooses columns by the names of the header, or by their numbers in a line. */
static caucus_status choose_columns(caucus_ctx *ctx, cau_reader *r, const cau_str *names,
                                    size_t fields)
{
    return cau_layout_choose(ctx, &r->options.layout, cau_lines_name(r->lines), names, fields,
                             r->options.columns > 0, &r->layout);
}

/* The names of the columns, in the first line of a file. */
static caucus_status read_header(caucus_ctx *ctx, cau_reader *r, cau_str line)
{
    caucus_status st = CAUCUS_OK;
    cau_str names[CAU_LAYOUT_CELLS], rest = line, name;
    size_t count = 0;
    while (next_cell(r->layout.delimiter, &rest, &name)) {
        if (count == CAU_LAYOUT_CELLS)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "more than %d columns; leave out --header",
                         CAU_AT_ARGS(r->lines), CAU_LAYOUT_CELLS));
        names[count++] = name;
    }
    if (count && cau_layout_chooses(&r->options.layout)) TRY(choose_columns(ctx, r, names, count));
done:
    return st;
}

/* In CoNLL-U the cell is the form and the label UPOS, unless others are chosen. */
static caucus_status choose_fields(caucus_ctx *ctx, cau_reader *r)
{
    cau_layout *layout = &r->layout;
    cau_layout_options options = r->options.layout;
    if (!options.columns) options.columns = "form";
    options.label = NULL;
    const caucus_status st = cau_layout_choose(ctx, &options, cau_lines_name(r->lines),
                                               cau_conllu_names, CAU_CONLLU_FIELDS, true, layout);
    layout->label = r->label.field;
    layout->labelled = !options.no_label;
    return st;
}

/* The label of a line of CoNLL-U as a cell. One that is no part of the line is a single character,
 * to be put behind the line. */
static cau_cell label_cell(const cau_reader *r, cau_str line, size_t begin, char *behind)
{
    const cau_str label = cau_conllu_label_of(line, &r->label);
    if (label.s >= line.s && label.s < line.s + line.n)
        return (cau_cell){begin + (size_t)(label.s - line.s), label.n};
    *behind = label.s[0];
    return (cau_cell){begin + line.n, 1};
}

/* Puts the chosen ones of the last *found cells, of a line, in their order. *behind is a character
 * to put behind the line, or 0. */
static caucus_status choose_cells(caucus_ctx *ctx, cau_reader *r, cau_str line, size_t begin,
                                  size_t *found, char *behind)
{
    caucus_status st = CAUCUS_OK;
    cau_sequence *q = &r->sequence;
    cau_layout *layout = &r->layout;
    const size_t before = q->cells - *found;
    if (!layout->chosen)
        TRY(r->options.format == CAU_FORMAT_CONLLU ? choose_fields(ctx, r)
                                                   : choose_columns(ctx, r, NULL, *found));
    if (*found != layout->fields)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "%zu column%s, but %s %zu; fix the line or drop it",
                     CAU_AT_ARGS(r->lines), *found, *found == 1 ? "" : "s",
                     r->options.format == CAU_FORMAT_CONLLU ? "CoNLL-U has" : "earlier lines have",
                     layout->fields));
    const size_t wanted = layout->cells + layout->labelled;
    if (!CAU_GROW(q->cell, q->cell_room, q->cells + wanted)) TRY(no_memory(ctx));
    cau_cell *all = q->cell + before, *chosen = all + *found;
    for (size_t j = 0; j < layout->cells; j++) chosen[j] = all[layout->cell[j]];
    if (layout->labelled) chosen[layout->cells] = all[layout->label];
    if (layout->labelled && r->options.format == CAU_FORMAT_CONLLU)
        chosen[layout->cells] = label_cell(r, line, begin, behind);
    memmove(all, chosen, wanted * sizeof *all);
    q->cells = before + wanted;
    *found = wanted;
done:
    return st;
}

static bool is_blank(cau_str line)
{
    cau_str token;
    return !cau_token(&line, &token);
}

/* Whether not all columns are cells in their order with the label behind them. */
static bool chooses(const cau_reader *r)
{
    return r->layout.chosen || r->options.format == CAU_FORMAT_CONLLU ||
           cau_layout_chooses(&r->options.layout);
}

/* Whether a line that is not blank is not data, but a comment or the like. */
static caucus_status find_aside(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_column_row *row)
{
    caucus_status st = CAUCUS_OK;
    if (r->options.format == CAU_FORMAT_CONLLU) {
        cau_str rest = line, token;
        const cau_conllu_kind kind = cau_conllu_line(line);
        if (kind == CAU_CONLLU_ASIDE) row->event = CAU_READ_ASIDE;
        if (kind == CAU_CONLLU_OTHER && cau_token(&rest, &token))
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "'%.*s' is not the number of a word, with which a line of CoNLL-U "
                                "begins; fix the line, or is it another format?",
                         CAU_AT_ARGS(r->lines), CAU_SHOWN(token)));
    } else if (cau_is_comment(&r->options, line)) {
        row->event = CAU_READ_ASIDE;
    } else if (cau_is_docstart(&r->options, line)) {
        row->event = CAU_READ_ASIDE;
        row->ends = true;
    } else if (r->options.layout.header && row->number == 1) {
        row->event = CAU_READ_ASIDE;
        TRY(read_header(ctx, r, line));
    }
done:
    return st;
}

/* Appends a line. *over is set if the line ends the sequence. */
static caucus_status append_line(caucus_ctx *ctx, cau_reader *r, cau_str line, bool *over)
{
    caucus_status st = CAUCUS_OK;
    cau_sequence *q = &r->sequence;
    char behind = 0;
    cau_column_row row = {.event = CAU_READ_INSTANCE,
                          .number = cau_lines_number(r->lines),
                          .begin = q->text.n,
                          .length = line.n};
    TRY(find_aside(ctx, r, line, &row));
    *over = row.ends;
    if (row.event == CAU_READ_INSTANCE) {
        const char delimiter = delimiter_of(r);
        size_t found = 0;
        if (!delimiter || !is_blank(line))
            TRY(split_cells(ctx, q, delimiter, line, row.begin, &found));
        if (found == 0) {
            row.event = CAU_READ_BREAK;
            *over = true;
        } else {
            if (chooses(r)) TRY(choose_cells(ctx, r, line, row.begin, &found, &behind));
            TRY(check_columns(ctx, r, found));
            q->length++;
        }
    }
    if (!CAU_GROW(q->row, q->row_room, q->rows + 1)) TRY(no_memory(ctx));
    cau_strbuf_add(&q->text, line.s, line.n);
    cau_strbuf_add(&q->text, &behind, behind != 0);
    TRY(cau_strbuf_status(ctx, &q->text));
    q->row[q->rows++] = row;
done:
    return st;
}

/* Passes the sequence to the extractor, which borrows its text. */
static caucus_status feed_extractor(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    cau_sequence *q = &r->sequence;
    const size_t columns = r->shape.columns, looked_at = (size_t)r->options.columns;
    size_t views;
    if (!cau_size_mul(q->length, looked_at, &views) || !CAU_GROW(q->view, q->view_room, views))
        TRY(no_memory(ctx));
    cau_extractor_begin(r->extractor);
    for (size_t t = 0; t < q->length; t++) {
        const cau_cell *cell = q->cell + t * columns;
        cau_str *view = q->view + t * looked_at;
        for (size_t j = 0; j < looked_at; j++)
            view[j] = (cau_str){q->text.s + cell[j].begin, cell[j].length};
        TRY(cau_extractor_add(ctx, r->extractor, view, looked_at));
    }
done:
    return st;
}

/* A failure drops the sequence. */
caucus_status cau_columns_sequence(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    cau_sequence *q = &r->sequence;
    cau_columns_reset(r);
    for (bool over = false; !over;) {
        cau_str line;
        TRY(cau_lines_next(ctx, r->lines, &line));
        if (!line.s) q->ended = true;
        if (!line.s) break;
        TRY(append_line(ctx, r, line, &over));
    }
    if (q->length) TRY(feed_extractor(ctx, r));
done:
    if (st) cau_columns_reset(r);
    return st;
}

/* ---- sequences that are records ---------------------------------------------------------- */

/* Adds text in which TABs and line ends become blanks. */
static caucus_status add_clean(caucus_ctx *ctx, cau_sequence *q, cau_str text)
{
    if (!CAU_GROW(q->cell, q->cell_room, q->cells + 1)) return no_memory(ctx);
    q->cell[q->cells++] = (cau_cell){q->text.n, text.n};
    cau_strbuf_add(&q->text, text.s, text.n);
    const caucus_status st = cau_strbuf_status(ctx, &q->text);
    if (st) return st;
    for (char *c = q->text.s + q->text.n - text.n; c < q->text.s + q->text.n; c++)
        if (*c == '\t' || *c == '\n' || *c == '\r') *c = ' ';
    return CAUCUS_OK;
}

static caucus_status add_row(caucus_ctx *ctx, cau_reader *r, cau_read_event event, size_t begin)
{
    cau_sequence *q = &r->sequence;
    if (!CAU_GROW(q->row, q->row_room, q->rows + 1)) return no_memory(ctx);
    q->row[q->rows++] = (cau_column_row){.event = event,
                                         .number = cau_lines_number(r->lines),
                                         .begin = begin,
                                         .length = q->text.n - begin};
    return CAUCUS_OK;
}

caucus_status cau_sequence_token(caucus_ctx *ctx, cau_reader *r, const cau_str *cells, size_t count,
                                 cau_str label)
{
    caucus_status st = CAUCUS_OK;
    cau_sequence *q = &r->sequence;
    const size_t begin = q->text.n, known = (size_t)r->options.columns;
    if (known && count != known)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "%zu cells for each token, but %s %zu; choose as many with --columns",
                     CAU_AT_ARGS(r->lines), count,
                     r->extractor ? "earlier tokens have" : "the model wants", known));
    TRY(prepare(ctx, r, count));
    r->options.columns = count;
    r->shape.columns = count + 1;
    for (size_t j = 0; j <= count; j++) {
        if (j && (j < count || label.s)) cau_strbuf_add(&q->text, "\t", 1);
        TRY(add_clean(ctx, q, j < count ? cells[j] : label));
    }
    TRY(add_row(ctx, r, CAU_READ_INSTANCE, begin));
    q->length++;
done:
    if (st) cau_columns_reset(r);
    return st;
}

caucus_status cau_sequence_break(caucus_ctx *ctx, cau_reader *r)
{
    const caucus_status st = add_row(ctx, r, CAU_READ_BREAK, r->sequence.text.n);
    if (st) cau_columns_reset(r);
    return st;
}

caucus_status cau_sequence_aside(caucus_ctx *ctx, cau_reader *r)
{
    const caucus_status st = add_row(ctx, r, CAU_READ_ASIDE, r->sequence.text.n);
    if (st) cau_columns_reset(r);
    return st;
}

caucus_status cau_sequence_close(caucus_ctx *ctx, cau_reader *r)
{
    const caucus_status st = r->sequence.length ? feed_extractor(ctx, r) : CAUCUS_OK;
    if (st) cau_columns_reset(r);
    return st;
}

/* ---- sequences in memory ------------------------------------------------------------------- */

static caucus_status add_cell(caucus_ctx *ctx, cau_sequence *q, cau_str text)
{
    if (!CAU_GROW(q->cell, q->cell_room, q->cells + 1)) return no_memory(ctx);
    q->cell[q->cells++] = (cau_cell){q->text.n, text.n};
    cau_strbuf_add(&q->text, text.s, text.n);
    return cau_strbuf_status(ctx, &q->text);
}

/* Compares the number of cells of a row with the number wanted. */
static caucus_status check_cells(caucus_ctx *ctx, cau_reader *r, size_t number, size_t count)
{
    const size_t known = (size_t)r->options.columns;
    if (count == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "token:%zu: no cells; give it at least the word",
                        number);
    if (known && count != known)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "token:%zu: %zu cell%s, but %s %zu; give each token all of them", number,
                        count, count == 1 ? "" : "s",
                        r->extractor ? "earlier tokens have" : "the model wants", known);
    caucus_status st = prepare(ctx, r, count);
    if (st == CAUCUS_ERR_FORMAT) st = CAUCUS_ERR_ARGUMENT; /* the template wants more cells */
    if (st) return st;
    r->options.columns = count;
    r->shape.columns = count + 1;
    return CAUCUS_OK;
}

caucus_status cau_reader_row(caucus_ctx *ctx, cau_reader *r, const char *const *cells, size_t count,
                             cau_str label)
{
    caucus_status st = CAUCUS_OK;
    cau_sequence *q = &r->sequence;
    if (q->ended) cau_columns_reset(r); /* the previous sequence was returned */
    const cau_column_row row = {
        .event = CAU_READ_INSTANCE, .number = q->rows + 1, .begin = q->text.n, .length = 0};
    cau_lines_continue(r->lines, (cau_str){NULL, 0}, row.number + 1); /* for messages */
    TRY(check_cells(ctx, r, row.number, count));
    for (size_t j = 0; j < count; j++) {
        const cau_str cell = {cells[j], strlen(cells[j])};
        if (cau_utf8_check(cell.s, cell.n) != cell.n)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "token:%zu: cell %zu is not valid UTF-8; convert it", row.number, j));
        TRY(add_cell(ctx, q, cell));
    }
    TRY(add_cell(ctx, q, label));
    if (!CAU_GROW(q->row, q->row_room, q->rows + 1)) TRY(no_memory(ctx));
    q->row[q->rows++] = row;
    q->length++;
done:
    if (st) cau_columns_reset(r);
    return st;
}

caucus_status cau_reader_end_rows(caucus_ctx *ctx, cau_reader *r)
{
    cau_sequence *q = &r->sequence;
    const caucus_status st = q->length && !q->ended ? feed_extractor(ctx, r) : CAUCUS_OK;
    if (st) cau_columns_reset(r);
    q->ended = true;
    return st;
}

/* ---- returning it ------------------------------------------------------------------------ */

static cau_str piece(const cau_sequence *q, size_t begin, size_t length)
{
    return (cau_str){length ? q->text.s + begin : "", length};
}

/* Fills the block, unless it has the features of the next instance. */
static caucus_status extract(caucus_ctx *ctx, cau_reader *r, const cau_column_row *row)
{
    cau_sequence *q = &r->sequence;
    if (q->t - q->first < r->block.rows) return CAUCUS_OK;
    const caucus_status st = cau_extractor_fill(ctx, r->extractor, q->t, &r->block);
    q->first = q->t;
    if (!st) return CAUCUS_OK;
    r->block.rows = 0;
    if (st == CAUCUS_ERR_MEMORY) return st;
    return cau_fail(ctx, st, CAU_AT "%s", cau_lines_name(r->lines), row->number,
                    caucus_message(ctx));
}

/* Sets the place of a word in running text, and the text at its first word. */
static void set_place(cau_reader *r, cau_read_event event)
{
    const cau_span_text *x = &r->running;
    const size_t word = r->sentence + r->sequence.t - 1;
    if (event == CAU_READ_INSTANCE) r->now.word = &x->word[word];
    if (event == CAU_READ_ASIDE || (event == CAU_READ_INSTANCE && word == 0))
        r->now.text = (cau_str){x->text.s ? x->text.s : "", x->text.n};
}

caucus_status cau_columns_next(caucus_ctx *ctx, cau_reader *r, cau_read_event *event,
                               cau_instance *instance)
{
    caucus_status st = CAUCUS_OK;
    cau_sequence *q = &r->sequence;
    if (q->next == q->rows && !q->ended) TRY(cau_format_table[r->options.format].sequence(ctx, r));
    if (q->next == q->rows) {
        *event = CAU_READ_END;
        return CAUCUS_OK;
    }

    const cau_column_row *row = &q->row[q->next++];
    r->now = (cau_instance){.line = piece(q, row->begin, row->length),
                            .number = row->number,
                            .weight = 1,
                            .ends = row->ends};
    if (row->event == CAU_READ_INSTANCE) {
        const size_t columns = r->shape.columns;
        const cau_cell *last = &q->cell[(q->t + 1) * columns - 1];
        st = extract(ctx, r, row);
        q->t++;
        if (st) return st;
        if (columns > r->options.columns && last->length)
            r->now.label = piece(q, last->begin, last->length);
        if (r->options.format == CAU_FORMAT_CONLLU) r->now.field = &r->label;
        r->now.block = &r->block;
        r->now.row = q->t - 1 - q->first;
        r->now.groups = 1;
        r->now.cells = q->view + (q->t - 1) * (size_t)r->options.columns;
    }
    if (cau_is_running(r->options.format)) set_place(r, row->event);
    *instance = r->now;
    *event = row->event;
done:
    return st;
}

size_t cau_reader_cell_number(const cau_reader *r, size_t cell)
{
    return r->layout.chosen ? r->layout.cell[cell] : cell;
}
