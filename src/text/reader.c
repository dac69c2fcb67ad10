/* reader.c - the part of reading that all formats share: files, lines, names, features.
 *
 * The function of the format parses a line and adds its features to the block of the reader;
 * columns have a loop of their own (read_columns.c). Names are views of the line. All memory is
 * kept from line to line. */

#include "text/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "text/columns.h"
#include "text/formats.h"

enum {
    PEEK_LINES = 64, /* from which the format is detected */
    NGRAMS_MAX = 8,
    CHUNK_SIZE = 256 << 10,
};

/* ---- for the formats ------------------------------------------------------------------- */

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the features of an instance");
}

caucus_status cau_reader_add(caucus_ctx *ctx, cau_reader *r, cau_str name, double value)
{
    const float narrow = (float)value;
    return narrow == 0 || cau_add_feature(&r->block, name, narrow) ? CAUCUS_OK : no_memory(ctx);
}

caucus_status cau_reader_add_copy(caucus_ctx *ctx, cau_reader *r, cau_str name, double value)
{
    const float narrow = (float)value;
    const bool added = narrow == 0 || (r->block.base == CAU_BY_NAME
                                           ? cau_add_copied_name(&r->block.nodes, name, narrow)
                                           : cau_add_feature(&r->block, name, narrow));
    return added ? CAUCUS_OK : no_memory(ctx);
}

caucus_status cau_reader_label(caucus_ctx *ctx, cau_reader *r)
{
    cau_str *label = &r->now.label, rest = cau_str_of(r->options.layout.names), name = {0};
    uint64_t number;
    if (label->s && rest.s && cau_parse_count(label->s, label->n, &number)) {
        for (uint64_t i = 0; i <= number; i++)
            if (!cau_column_first(&rest, (cau_separator){',', false}, &name)) break;
        if (!name.s)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "the label %.*s has no name in --label-names; give one for each "
                                   "number from 0",
                            cau_lines_name(r->lines), r->now.number, CAU_SHOWN(*label));
        *label = name;
    }
    for (size_t i = 0; i < label->n; i++)
        if (label->s[i] == '\t' || label->s[i] == '\n' || label->s[i] == '\r')
            return cau_fail(
                ctx, CAUCUS_ERR_FORMAT, CAU_AT "the label has a %s; is it the right column?",
                cau_lines_name(r->lines), r->now.number, label->s[i] == '\t' ? "TAB" : "line end");
    return CAUCUS_OK;
}

caucus_status cau_reader_group(caucus_ctx *ctx, cau_reader *r)
{
    return cau_feature_block_row(&r->block) ? CAUCUS_OK : no_memory(ctx);
}

caucus_status cau_reader_value(caucus_ctx *ctx, const cau_reader *r, cau_str name, cau_str text,
                               double *value)
{
    double x;
    const char *fault = NULL;
    if (!cau_parse_real(text.s, text.n, &x))
        fault = "is not a number";
    else if (!isfinite(x))
        fault = "is not finite";
    else if (!isfinite((float)x))
        fault = "is too large";
    if (fault)
        return cau_fail(
            ctx, CAUCUS_ERR_FORMAT, CAU_AT "value '%.*s' of feature '%.*s' %s; correct it%s",
            CAU_AT_ARGS(r->lines), CAU_SHOWN(text), CAU_SHOWN(name), fault,
            r->options.format == CAU_FORMAT_CRFSUITE ? ", or write \\: for a colon in the name"
                                                     : " or drop the line");
    *value = x;
    return CAUCUS_OK;
}

caucus_status cau_reader_weight(caucus_ctx *ctx, const cau_reader *r, const char *what,
                                cau_str text, double *weight)
{
    double x;
    if (!cau_parse_real(text.s, text.n, &x) || !isfinite((float)x) || x < 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%s '%.*s' is not a finite number of at least 0; correct it",
                        CAU_AT_ARGS(r->lines), what, CAU_SHOWN(text));
    *weight = x;
    return CAUCUS_OK;
}

/* ---- the reader ------------------------------------------------------------------------ */

/* Lists the formats that fit. */
static caucus_status fail_detection(caucus_ctx *ctx, const cau_reader *r,
                                    const bool candidate[CAU_FORMATS])
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf list = {0};
    for (cau_format f = CAU_FORMAT_AUTO; f < CAU_FORMATS; f++)
        if (candidate[f])
            cau_strbuf_printf(&list, "%s--format %s (%s)", list.n ? ", " : "", cau_format_name(f),
                              cau_format_table[f].info.looks);
    TRY(cau_strbuf_status(ctx, &list));
    if (list.n == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: its first lines fit no format; correct them, or choose one of `caucus "
                     "help formats` with --format",
                     cau_lines_name(r->lines)));
    TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: its first lines fit several formats; choose one: %s",
                 cau_lines_name(r->lines), list.s));
done:
    cau_strbuf_clear(&list);
    return st;
}

static caucus_status detect(caucus_ctx *ctx, cau_reader *r)
{
    cau_str lines[PEEK_LINES];
    size_t count = 0;
    bool empty = false, candidate[CAU_FORMATS] = {false};
    const caucus_status st = r->chunker
                                 ? cau_chunker_peek(ctx, r->chunker, lines, PEEK_LINES, &count)
                                 : cau_lines_peek(ctx, r->lines, lines, PEEK_LINES, &count);
    if (st) return st;

    const cau_format format = cau_detect(&r->options, lines, count, &empty, candidate);
    if (format == CAU_FORMAT_AUTO && !empty) return fail_detection(ctx, r, candidate);
    if (format != CAU_FORMAT_AUTO)
        cau_note(ctx, "%s: read as %s (%s); --format forces another", cau_lines_name(r->lines),
                 cau_format_name(format), cau_format_table[format].info.looks);
    r->options.format = format;
    return CAUCUS_OK;
}

/* A reader of bytes in memory, or of the chunks of a chunker, which it frees, also on failure. */
static caucus_status reader_new(caucus_ctx *ctx, const char *name, cau_str bytes,
                                cau_chunker *chunker, const cau_read_options *options, int base,
                                cau_reader **out)
{
    caucus_status st = CAUCUS_OK;
    cau_reader *r = cau_calloc(1, sizeof *r);
    if (!r) {
        cau_chunker_free(chunker);
        TRY(cau_fail_memory(ctx, "a reader"));
    }
    r->chunker = chunker;
    r->in_file = chunker != NULL;
    r->options = *options;
    r->block.base = base;
    r->weight = 1;
    TRY(cau_lines_memory(ctx, name, bytes, &r->lines));
    if (r->options.ngrams == 0) r->options.ngrams = 1;
    if (r->options.ngrams > NGRAMS_MAX)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "n-grams of %llu words; at most %d are possible",
                     (unsigned long long)r->options.ngrams, NGRAMS_MAX));
    if (r->options.chars)
        TRY(cau_text_chars_parse(ctx, r->options.chars, &r->chars_least, &r->chars_most));
    TRY(cau_layout_begin(ctx, &r->options.layout, &r->layout));
    if (r->options.format == CAU_FORMAT_AUTO) TRY(detect(ctx, r));
    if (r->options.format == CAU_FORMAT_CONLLU)
        TRY(cau_conllu_label_parse(ctx, r->options.layout.label, &r->label));
    if ((cau_has_text(r->options.format) && !r->options.counts && !r->options.tfidf) ||
        r->options.format == CAU_FORMAT_SIMPLETAGGER ||
        (r->options.format == CAU_FORMAT_MEGAM && !r->options.values))
        r->block.repeats = CAU_REPEATS_ONCE;
    *out = r;
    r = NULL;
done:
    cau_reader_free(r);
    return st;
}

caucus_status cau_reader_open(caucus_ctx *ctx, const char *path, const cau_read_options *options,
                              int base, cau_reader **out)
{
    cau_chunker *chunker = NULL;
    const caucus_status st = cau_format_open(ctx, path, options->format, false, &chunker);
    return st ? st
              : reader_new(ctx, cau_chunker_name(chunker), (cau_str){NULL, 0}, chunker, options,
                           base, out);
}

caucus_status cau_reader_memory(caucus_ctx *ctx, const char *name, cau_str bytes,
                                const cau_read_options *options, int base, cau_reader **out)
{
    return reader_new(ctx, name, bytes, NULL, options, base, out);
}

static void begin_chunk(cau_reader *r)
{
    cau_columns_reset(r);
    r->inside = false;
    r->json.rest = (cau_str){NULL, 0};
}

void cau_reader_continue(cau_reader *r, cau_str bytes, size_t first)
{
    r->next_word = r->running.words = 0;
    r->in_file = false;
    cau_lines_continue(r->lines, bytes, first);
    begin_chunk(r);
    if (first == 1) r->json.begun = r->json.array = false;
}

caucus_status cau_reader_like(caucus_ctx *ctx, const cau_reader *r, cau_reader **out)
{
    const caucus_status st = cau_reader_memory(ctx, cau_lines_name(r->lines), (cau_str){NULL, 0},
                                               &r->options, r->block.base, out);
    if (st) return st;
    (*out)->shape = r->shape;
    (*out)->layout = r->layout;
    (*out)->noted = r->noted;
    (*out)->text_layout = r->text_layout;
    (*out)->json.begun = r->json.begun;
    (*out)->json.array = r->json.array;
    if (r->name_count && !CAU_GROW((*out)->name, (*out)->name_room, r->name_count)) {
        cau_reader_free(*out);
        return cau_fail_memory(ctx, "a header");
    }
    if (r->name_count) memcpy((*out)->name, r->name, r->name_count * sizeof *r->name);
    (*out)->name_count = r->name_count;
    cau_strbuf_add(&(*out)->names, r->names.s, r->names.n);
    return cau_strbuf_status(ctx, &(*out)->names);
}

void cau_reader_free(cau_reader *r)
{
    if (!r) return;
    cau_lines_free(r->lines);
    cau_chunker_free(r->chunker);
    free(r->chunk.bytes);
    cau_columns_clear(r);
    cau_feature_block_clear(&r->block);
    cau_strbuf_clear(&r->scratch);
    cau_strbuf_clear(&r->marked);
    cau_strbuf_clear(&r->joined);
    cau_strbuf_clear(&r->unquoted);
    cau_strbuf_clear(&r->names);
    cau_json_clear(r);
    free(r->field);
    free(r->name);
    free(r->word);
    free(r->hash);
    cau_span_text_clear(&r->running);
    free(r);
}

/* Reads the next line or record. */
static caucus_status next_instance(caucus_ctx *ctx, cau_reader *r, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    const cau_format_entry *format = &cau_format_table[r->options.format];
    cau_str line;
    if (format->record) return format->record(ctx, r, kind);
    *kind = CAU_LINE_END;
    TRY(cau_lines_next(ctx, r->lines, &line));
    if (!line.s) return CAUCUS_OK;
    *kind = CAU_LINE_INSTANCE;
    r->now = (cau_instance){.line = line, .number = cau_lines_number(r->lines), .weight = 1};
    TRY(format->line(ctx, r, line, kind));
done:
    return st;
}

/* The next event in the current lines. */
static caucus_status next_event(caucus_ctx *ctx, cau_reader *r, cau_read_event *event,
                                cau_instance *instance)
{
    if (cau_has_cells(r->options.format)) return cau_columns_next(ctx, r, event, instance);

    caucus_status st = CAUCUS_OK;
    const cau_shape shape = r->shape;
    cau_line_kind kind;
    do {
        cau_feature_block_begin(&r->block);
        TRY(cau_reader_group(ctx, r));
        TRY(next_instance(ctx, r, &kind));
    } while (kind == CAU_LINE_NOTHING);

    if (kind == CAU_LINE_END) {
        *event = CAU_READ_END;
        return CAUCUS_OK;
    }

    if (kind == CAU_LINE_BREAK) {
        *event = CAU_READ_BREAK;
        return CAUCUS_OK;
    }
    cau_feature_block_end(&r->block);
    r->now.part = r->part;
    r->now.block = &r->block;
    r->now.groups = r->block.rows;
    *instance = r->now;
    *event = CAU_READ_INSTANCE;
done:
    if (st) r->shape = shape; /* a bad line does not set the shape */
    return st;
}

caucus_status cau_reader_next(caucus_ctx *ctx, cau_reader *r, cau_read_event *event,
                              cau_instance *instance)
{
    caucus_status st = CAUCUS_OK;
    const cau_cut cut = cau_read_cut(&r->options);
    for (;;) {
        TRY(next_event(ctx, r, event, instance));
        if (*event != CAU_READ_END || !r->in_file) break;
        TRY(cau_chunker_next(ctx, r->chunker, CHUNK_SIZE, &cut, &r->chunk));
        if (r->chunk.n == 0) break;
        cau_lines_continue(r->lines, (cau_str){r->chunk.bytes, r->chunk.n}, r->chunk.first);
        begin_chunk(r);
    }
done:
    return st;
}

cau_chunker *cau_reader_chunker(const cau_reader *r)
{
    return r->chunker;
}

cau_format cau_reader_format(const cau_reader *r)
{
    return r->options.format;
}

const cau_read_options *cau_reader_options(const cau_reader *r)
{
    return &r->options;
}

const cau_template *cau_reader_template(const cau_reader *r)
{
    return r->options.template ? r->options.template : r->standard;
}

uint64_t cau_reader_columns(const cau_reader *r)
{
    return r->options.columns;
}

const cau_lines *cau_reader_lines(const cau_reader *r)
{
    return r->lines;
}
