/* convert_data.c - data from one format to another.
 *
 *     reader ──▶ instances ──▶ example ──▶ writer of the format ──▶ text ──▶ file
 *
 * An instance is valid until the next one is read, so its parts are copied to an arena, which is
 * emptied after each example. Memory grows with the longest sequence. */

#include "text/convert_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "text/brat.h"
#include "text/formats.h"

enum { FLUSH_SIZE = 256 << 10 };

typedef struct {
    cau_reader *reader;
    cau_output *out; /* NULL: standard output */
    bool hold;       /* the text is written at the end: brat has several files */
    cau_data_sheet sheet;
    cau_arena arena; /* of the example */
    cau_data_token *token;
    size_t T, room;
} conversion;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "an example");
}

caucus_status cau_cannot_hold(caucus_ctx *ctx, const cau_data_sheet *sheet,
                              const cau_data_example *x, size_t t, const char *what,
                              const char *remedy)
{
    return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "%s cannot hold %s; %s", x->file,
                    x->token[t].number, cau_format_name(sheet->to), what, remedy);
}

/* ---- collecting an example --------------------------------------------------------------- */

static caucus_status copy_text(caucus_ctx *ctx, conversion *c, cau_str from, cau_str *to)
{
    *to = (cau_str){NULL, 0};
    if (!from.s) return CAUCUS_OK;
    *to = (cau_str){cau_arena_copy(&c->arena, from.s, from.n), from.n};
    return to->s ? CAUCUS_OK : no_memory(ctx);
}

static caucus_status copy_cells(caucus_ctx *ctx, conversion *c, const cau_instance *in,
                                cau_data_token *token)
{
    caucus_status st = CAUCUS_OK;
    const size_t count = (size_t)cau_reader_columns(c->reader);
    cau_str *cell = cau_arena_alloc(&c->arena, count, sizeof *cell);
    if (!cell) TRY(no_memory(ctx));
    for (size_t j = 0; j < count; j++) TRY(copy_text(ctx, c, in->cells[j], &cell[j]));
    token->cell = cell;
    token->cells = count;
done:
    return st;
}

static caucus_status copy_features(caucus_ctx *ctx, conversion *c, const cau_instance *in,
                                   cau_data_token *token)
{
    caucus_status st = CAUCUS_OK;
    const cau_feature_list *nodes = &in->block->nodes, *edges = &in->block->edges;
    const size_t first = nodes->start[in->row], count = nodes->start[in->row + in->groups] - first;
    const size_t edge = edges->start[in->row], more = edges->start[in->row + 1] - edge;
    cau_named_feature *feature = cau_arena_alloc(&c->arena, count, sizeof *feature);
    size_t *group = cau_arena_alloc(&c->arena, in->groups + 1, sizeof *group);
    cau_str *names = cau_arena_alloc(&c->arena, more, sizeof *names);
    if (!feature || !group || !names) TRY(no_memory(ctx));
    for (size_t g = 0; g <= in->groups; g++) group[g] = nodes->start[in->row + g] - first;
    for (size_t i = 0; i < count; i++) {
        feature[i].value = nodes->plain ? 1 : nodes->value[first + i];
        TRY(copy_text(ctx, c, nodes->name[first + i], &feature[i].name));
    }
    for (size_t i = 0; i < more; i++) TRY(copy_text(ctx, c, edges->name[edge + i], &names[i]));
    token->feature = feature;
    token->features = count;
    token->group = group;
    token->groups = in->groups;
    token->edge = names;
    token->edges = more;
done:
    return st;
}

static caucus_status add_instance(caucus_ctx *ctx, conversion *c, const cau_instance *in)
{
    caucus_status st = CAUCUS_OK;
    if (!CAU_GROW(c->token, c->room, c->T + 1)) TRY(no_memory(ctx));
    cau_data_token *token = &c->token[c->T++];
    *token = (cau_data_token){.number = in->number, .weight = in->weight, .part = in->part};
    TRY(copy_text(ctx, c, in->line, &token->line));
    TRY(copy_text(ctx, c, in->label, &token->label));
    TRY(copy_text(ctx, c, in->text, &token->text));
    if (in->word) token->word = *in->word;
    token->placed = in->word;
    TRY(in->cells ? copy_cells(ctx, c, in, token) : copy_features(ctx, c, in, token));
done:
    return st;
}

/* ---- writing ----------------------------------------------------------------------------- */

static caucus_status fail_output(caucus_ctx *ctx)
{
    return cau_fail(ctx, CAUCUS_ERR_IO,
                    "standard output: %s; the result is incomplete, write it elsewhere",
                    strerror(errno));
}

static caucus_status flush(caucus_ctx *ctx, conversion *c, size_t least)
{
    cau_strbuf *text = &c->sheet.text;
    caucus_status st = cau_strbuf_status(ctx, text);
    if (st || text->n < least || text->n == 0 || c->hold) return st;
    if (c->out)
        st = cau_output_write(ctx, c->out, text->s, text->n);
    else if (fwrite(text->s, 1, text->n, stdout) != text->n)
        st = fail_output(ctx);
    text->n = 0;
    return st;
}

/* Writes the instances so far as an example, if there are any. */
static caucus_status end_example(caucus_ctx *ctx, conversion *c)
{
    caucus_status st = CAUCUS_OK;
    const cau_data_example x = {
        .file = cau_lines_name(cau_reader_lines(c->reader)), .T = c->T, .token = c->token};
    if (c->T == 0) return CAUCUS_OK;
    TRY(cau_format_table[c->sheet.to].write(ctx, &c->sheet, &x));
    TRY(flush(ctx, c, FLUSH_SIZE));
    c->sheet.examples++;
    c->T = 0;
    cau_arena_clear(&c->arena);
done:
    return st;
}

static caucus_status convert(caucus_ctx *ctx, conversion *c)
{
    caucus_status st = CAUCUS_OK;
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance in;
        TRY(cau_reader_next(ctx, c->reader, &event, &in));
        const bool apart = !cau_has_sequences(c->sheet.from);
        if (event == CAU_READ_INSTANCE) TRY(add_instance(ctx, c, &in));
        if (event == CAU_READ_ASIDE && in.text.s && cau_is_running(c->sheet.to) &&
            !cau_span_writer_begin(&c->sheet.spans, &c->sheet.text, in.text))
            TRY(no_memory(ctx));
        const bool ends = event == CAU_READ_ASIDE ? in.ends : event != CAU_READ_INSTANCE;
        if (ends || apart) TRY(end_example(ctx, c));
    }
    if (!cau_span_writer_end(&c->sheet.spans, &c->sheet.text)) TRY(no_memory(ctx));
    TRY(flush(ctx, c, 0));
    if (c->hold) return st;
    if (c->out)
        TRY(cau_output_commit(ctx, c->out));
    else if (fflush(stdout) != 0)
        TRY(fail_output(ctx));
done:
    return st;
}

caucus_status cau_convert_data(caucus_ctx *ctx, const cau_read_options *read, cau_format format,
                               const char *from, const char *to)
{
    caucus_status st = CAUCUS_OK;
    conversion c = {.sheet = {.to = format, .values = read->values}};
    TRY(cau_reader_open(ctx, from, read, CAU_BY_NAME, &c.reader));
    c.sheet.from = cau_reader_format(c.reader);
    if (!cau_format_table[format].write)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--to %s: this format is read, but not written",
                     cau_format_name(format)));
    c.hold = format == CAU_FORMAT_BRAT;
    if (strcmp(to, "-") != 0 && !c.hold) TRY(cau_output_open(ctx, to, &c.out));
    TRY(convert(ctx, &c));
    if (c.hold) TRY(cau_brat_write(ctx, (cau_str){c.sheet.text.s, c.sheet.text.n}, to));
done:
    cau_reader_free(c.reader);
    cau_output_free(c.out);
    cau_arena_clear(&c.arena);
    cau_strbuf_clear(&c.sheet.text);
    cau_strbuf_clear(&c.sheet.scratch);
    cau_span_writer_clear(&c.sheet.spans);
    free(c.token);
    return st;
}
