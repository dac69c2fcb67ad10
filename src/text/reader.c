/* reader.c - the part of reading that all formats share: files, lines, names, features.
 *
 * The function of the format parses a line and adds its features to the block of the reader;
 * columns have a loop of their own (read_columns.c). Names are views of the line. All memory is
 * kept from line to line. */

#include "text/reader.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
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

static caucus_status detect(caucus_ctx *ctx, cau_reader *r)
{
    cau_str lines[PEEK_LINES];
    size_t count = 0;
    bool empty = false;
    const caucus_status st = r->chunker
                                 ? cau_chunker_peek(ctx, r->chunker, lines, PEEK_LINES, &count)
                                 : cau_lines_peek(ctx, r->lines, lines, PEEK_LINES, &count);
    if (st) return st;

    const cau_format format = cau_detect(&r->options, lines, count, &empty);
    if (format == CAU_FORMAT_AUTO && !empty)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: its first lines look like none of text, svmlight, crfsuite, megam "
                        "and columns; correct them, or say with --format which it is",
                        cau_lines_name(r->lines));
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

void cau_reader_continue(cau_reader *r, cau_str bytes, size_t first)
{
    r->next_word = r->running.words = 0;
    r->in_file = false;
    cau_lines_continue(r->lines, bytes, first);
    cau_columns_reset(r);
}

caucus_status cau_reader_like(caucus_ctx *ctx, const cau_reader *r, cau_reader **out)
{
    const caucus_status st = cau_reader_memory(ctx, cau_lines_name(r->lines), (cau_str){NULL, 0},
                                               &r->options, r->block.base, out);
    if (st) return st;
    (*out)->shape = r->shape;
    (*out)->layout = r->layout;
    (*out)->noted = r->noted;
    return CAUCUS_OK;
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
    free(r->word);
    free(r->hash);
    cau_span_text_clear(&r->running);
    free(r);
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
        cau_str line;
        TRY(cau_lines_next(ctx, r->lines, &line));
        if (!line.s) {
            *event = CAU_READ_END;
            return CAUCUS_OK;
        }
        cau_feature_block_begin(&r->block);
        TRY(cau_reader_group(ctx, r));
        r->now = (cau_instance){.line = line, .number = cau_lines_number(r->lines), .weight = 1};
        kind = CAU_LINE_INSTANCE;
        TRY(cau_format_table[r->options.format].line(ctx, r, line, &kind));
    } while (kind == CAU_LINE_NOTHING);

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
        cau_columns_reset(r);
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
