/* tag.c - a file through a model.
 *
 *     chunker ──▶ reader ──▶ scorer ──▶ decoder ──▶ text, in the order of the file
 *     text        text       infer      infer       tag_output.c
 *
 * The reader takes lines apart, the scorer gives them scores, and at the end of a sequence the
 * decoder turns these into labels. For a MaxEnt model that looks at no neighbours every line is a
 * sequence.
 *
 * Threads work on different chunks of the file (text/chunk_loop.h), each with a reader, a scorer
 * and a decoder of its own. The first chunk that has an instance shows the number of columns and,
 * where it is not known, the format. So chunks up to that one are tagged by the first reader alone,
 * and the other readers are made like it.
 *
 * No memory is allocated for an instance, and memory grows with the longest sequence only. */

#include "tag/tag.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "infer/constraints.h"
#include "infer/score.h"
#include "tag/tag_output.h"
#include "tag/tag_setup.h"
#include "text/chunk_loop.h"

enum {
    FIRST_SIZE = 32 << 10, /* bytes of a chunk that the first reader tags alone */
    CHUNK_SIZE = 128 << 10,
};

/* The output of a chunk. */
typedef struct {
    cau_writer sheet;
    size_t instances, sequences, uncertified;
} tagged_chunk;

/* What one thread works with. */
typedef struct {
    cau_scorer scorer;
    cau_reader *reader; /* NULL until the first chunk */
    cau_decoded decoded;
    cau_forced_labels given; /* labels, with `forced` */
    cau_output_page page;
    size_t number;         /* of the first line of the sequence */
    cau_span_writer spans; /* running text: of the text at hand */
    cau_word *word;        /* [T] the places of the words of the sequence */
    cau_str *label;        /* [T] what they are labelled */
    size_t word_room, label_room;
} tag_worker;

typedef struct {
    const caucus_model *model;
    cau_template *template; /* of the model, or NULL */
    cau_read_options read;
    cau_cut cut; /* where chunks may be cut */
    cau_tag_setup setup;
    cau_output_form form;
    bool forced, live, labels;
    size_t sequences, uncertified; /* written, and of these without a certificate */
    size_t first_size, chunk_size;
    unsigned threads;
    size_t slots;
    tagged_chunk *chunk; /* [slots] */
    tag_worker *worker;  /* [threads] */
    cau_writer *out;
} tagger;

/* ---- one sequence -------------------------------------------------------------------- */

/* Whether the instances of a format belong together up to a blank line. */
static bool has_sequences(const caucus_model *model, cau_format format)
{
    if (cau_has_cells(format)) return true;
    return model->kind != CAU_KIND_MAXENT &&
           (cau_has_sequences(format) || format == CAU_FORMAT_AUTO);
}

static void begin_sequence(tag_worker *w)
{
    cau_scorer_begin(&w->scorer);
    cau_forced_labels_begin(&w->given);
    cau_output_page_begin(&w->page);
}

/* Whether spans of the text are written instead of lines. */
static bool writes_spans(const tagger *t, const tag_worker *w)
{
    return cau_is_running(cau_reader_format(w->reader)) && !t->labels;
}

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the spans of a text");
}

/* Keeps the place of a word of running text; the first of a text begins a record. */
static caucus_status add_word(tag_worker *w, caucus_ctx *ctx, tagged_chunk *c,
                              const cau_instance *instance)
{
    const size_t T = w->scorer.T; /* with this word */
    if (!CAU_GROW(w->word, w->word_room, T) || !CAU_GROW(w->label, w->label_room, T) ||
        (instance->text.s && !cau_span_writer_begin(&w->spans, &c->sheet.text, instance->text)))
        return no_memory(ctx);
    w->word[T - 1] = *instance->word;
    return CAUCUS_OK;
}

/* Adds the spans of a sentence to the record of its text. */
static caucus_status add_spans(const tagger *t, tag_worker *w, caucus_ctx *ctx)
{
    const cau_decoded *d = &w->decoded;
    const size_t T = w->scorer.T;
    for (size_t i = 0; i < T; i++) w->label[i] = cau_str_of(cau_model_label(t->model, d->path[i]));
    return cau_span_writer_add(&w->spans, w->word, w->label, t->form.segments ? d->segment : NULL,
                               T)
               ? CAUCUS_OK
               : no_memory(ctx);
}

static caucus_status add_instance(const tagger *t, tag_worker *w, caucus_ctx *ctx, tagged_chunk *c,
                                  const cau_instance *instance)
{
    caucus_status st = CAUCUS_OK;
    const bool line =
        cau_has_cells(cau_reader_format(w->reader)) && !(t->labels && instance->field);
    if (w->scorer.T == 0) w->number = instance->number;
    if (t->forced)
        TRY(cau_forced_labels_add(ctx, &w->given, t->model,
                                  cau_lines_name(cau_reader_lines(w->reader)), instance));
    TRY(cau_scorer_push(ctx, &w->scorer, w->reader, instance));
    if (writes_spans(t, w)) return add_word(w, ctx, c, instance);
    TRY(cau_output_page_add(ctx, &w->page, line ? instance->line : instance->label, true,
                            line ? instance->field : NULL));
done:
    return st;
}

/* Labels the sequence and writes it, if it has any instances. */
static caucus_status end_sequence(const tagger *t, tag_worker *w, caucus_ctx *ctx, tagged_chunk *c)
{
    caucus_status st = CAUCUS_OK;
    cau_scorer *scorer = &w->scorer;
    if (scorer->T == 0) return CAUCUS_OK;
    TRY(cau_scorer_finish(ctx, scorer));
    st = cau_decode(&t->setup.decoder, &w->decoded, scorer->T, scorer->scores, scorer->mixing,
                    t->forced ? &w->given : NULL);
    if (st == CAUCUS_ERR_NUMERIC)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "no labelling of this sequence is possible: the given labels and the "
                            "scheme exclude all of them; correct the labels, or leave out "
                            "--forced or --scheme",
                     cau_lines_name(cau_reader_lines(w->reader)), w->number));
    if (st) TRY(cau_fail_memory(ctx, "the labels of a sequence"));
    if (writes_spans(t, w))
        TRY(add_spans(t, w, ctx));
    else
        TRY(cau_output_page_write(ctx, &w->page, &t->form, &w->decoded, scorer->mixing, &c->sheet));
    TRY(cau_strbuf_status(ctx, &c->sheet.text));
    c->instances += scorer->T;
    c->sequences++;
    c->uncertified += w->decoded.uncertified;
    begin_sequence(w);
done:
    return st;
}

/* A line that is not data is written at once between sequences, and with the sequence inside of
 * one. */
static caucus_status add_aside(const tagger *t, tag_worker *w, caucus_ctx *ctx, tagged_chunk *c,
                               const cau_instance *aside)
{
    caucus_status st = CAUCUS_OK;
    if (t->labels && cau_reader_format(w->reader) == CAU_FORMAT_CONLLU) return CAUCUS_OK;
    if (writes_spans(t, w)) /* a text without words */
        return cau_span_writer_begin(&w->spans, &c->sheet.text, aside->text) ? CAUCUS_OK
                                                                             : no_memory(ctx);
    if (aside->ends) TRY(end_sequence(t, w, ctx, c));
    if (w->scorer.T) return cau_output_page_add(ctx, &w->page, aside->line, false, NULL);
    cau_strbuf_add(&c->sheet.text, aside->line.s, aside->line.n);
    cau_strbuf_add(&c->sheet.text, "\n", 1);
done:
    return st;
}

/* ---- chunks -------------------------------------------------------------------------- */

static caucus_status tag_chunk(void *self, caucus_ctx *ctx, const cau_text_chunk *chunk,
                               size_t slot, unsigned thread)
{
    caucus_status st = CAUCUS_OK;
    const tagger *t = self;
    tag_worker *w = &t->worker[thread];
    tagged_chunk *c = &t->chunk[slot];
    const bool apart = !has_sequences(t->model, cau_reader_format(w->reader));
    c->instances = c->sequences = c->uncertified = 0;
    begin_sequence(w);
    cau_reader_continue(w->reader, (cau_str){chunk->bytes, chunk->n}, chunk->first);
    for (cau_read_event event = CAU_READ_INSTANCE; event != CAU_READ_END;) {
        cau_instance instance;
        TRY(cau_reader_next(ctx, w->reader, &event, &instance));
        switch (event) {
        case CAU_READ_INSTANCE:
            TRY(add_instance(t, w, ctx, c, &instance));
            if (apart) TRY(end_sequence(t, w, ctx, c));
            break;
        case CAU_READ_ASIDE:
            TRY(add_aside(t, w, ctx, c, &instance));
            break;
        case CAU_READ_BREAK:
            TRY(end_sequence(t, w, ctx, c));
            if (!writes_spans(t, w)) cau_strbuf_add(&c->sheet.text, "\n", 1);
            break;
        case CAU_READ_END:
            TRY(end_sequence(t, w, ctx, c));
            if (!cau_span_writer_end(&w->spans, &c->sheet.text)) TRY(no_memory(ctx));
            break;
        }
    }
    TRY(cau_strbuf_status(ctx, &c->sheet.text));
done:
    return st;
}

/* Writes the output of a chunk, also what comes before a failure. */
static caucus_status write_chunk(void *self, caucus_ctx *ctx, size_t slot, caucus_status tagged)
{
    tagger *t = self;
    cau_strbuf *text = &t->chunk[slot].sheet.text;
    (void)tagged;
    t->sequences += t->chunk[slot].sequences;
    t->uncertified += t->chunk[slot].uncertified;
    cau_strbuf_add(&t->out->text, text->s, text->n);
    text->n = 0;
    t->out->ctx = ctx;
    return cau_writer_flush(t->out, t->live);
}

/* Tags chunks with the first reader until there was an instance; *more tells whether the file has
 * other chunks. */
static caucus_status tag_first_chunks(caucus_ctx *ctx, tagger *t, cau_chunker *chunker, bool *more)
{
    caucus_status st = CAUCUS_OK;
    cau_text_chunk chunk = {0};
    tag_worker *w = &t->worker[0];
    for (*more = true; *more && t->chunk[0].instances == 0;) {
        TRY(cau_chunker_next(ctx, chunker, t->first_size, &t->cut, &chunk));
        *more = chunk.n > 0;
        if (!*more) break;
        if (!w->reader)
            TRY(cau_reader_memory(ctx, cau_chunker_name(chunker), (cau_str){chunk.bytes, chunk.n},
                                  &t->read, (int)t->model->base, &w->reader));
        const caucus_status tagged = tag_chunk(t, ctx, &chunk, 0, 0);
        TRY(write_chunk(t, ctx, 0, tagged));
        TRY(tagged);
    }
done:
    free(chunk.bytes);
    return st;
}

static caucus_status tag_chunks(caucus_ctx *ctx, tagger *t, cau_chunker *chunker)
{
    caucus_status st = CAUCUS_OK;
    bool more;
    const cau_chunk_work work = {
        .work = tag_chunk, .sink = write_chunk, .sink_on_caller = true, .self = t};
    TRY(tag_first_chunks(ctx, t, chunker, &more));
    for (size_t i = 1; more && i < t->threads; i++)
        TRY(cau_reader_like(ctx, t->worker[0].reader, &t->worker[i].reader));
    if (more) TRY(cau_chunk_loop(ctx, chunker, t->chunk_size, &t->cut, t->threads, &work));
done:
    return st;
}

/* ---- the whole file ------------------------------------------------------------------ */

/* What is written for each sequence. */
static cau_output_form output_form(const caucus_model *model, const cau_tag_options *o)
{
    const size_t Y = model->Y;
    return (cau_output_form){.model = model,
                             .domain = o->domain,
                             .label_probability = o->label_probability,
                             .segments = o->segments,
                             .ranks = o->nbest > 0,
                             .probability = o->sequence_probability || o->nbest > 0,
                             .ranked = o->top > 0,
                             .shown = o->probabilities       ? Y
                                      : o->top && o->top < Y ? (size_t)o->top
                                      : o->top               ? Y
                                                             : 0};
}

/* Running text goes to models of words, and spans have one probability at most. */
static caucus_status check_running(caucus_ctx *ctx, tagger *t, const cau_tag_options *o)
{
    t->read.misaligned = CAU_MISALIGNED_DROP; /* spans in the data do not matter */
    if (!t->template || t->read.columns > 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--format %s gives the model words, and this model looks at %s; train one "
                        "on words alone, or choose another --format",
                        cau_format_name(t->read.format), t->template ? "more columns" : "features");
    if (!o->labels && (o->nbest || o->probabilities || o->top || o->label_probability ||
                       o->sequence_probability || o->domain))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "spans of running text have one probability: give --segments, and leave "
                        "out the options for probabilities and labellings of tokens");
    return CAUCUS_OK;
}

static caucus_status tagger_init(caucus_ctx *ctx, tagger *t, const cau_tag_options *options)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_tag_setup_init(ctx, &t->setup, t->model, options));
    t->form = output_form(t->model, options);
    t->forced = options->forced;
    t->labels = options->labels;
    t->read = t->model->read;
    if (options->format != CAU_FORMAT_AUTO) t->read.format = options->format;
    t->read.label_optional = true;
    cau_layout_override(&t->read.layout, &options->layout);
    if (t->model->template.s)
        TRY(cau_template_parse(ctx, "the template of the model", t->model->template, NULL,
                               &t->template));
    t->read.template = t->template;
    if (cau_is_running(t->read.format)) TRY(check_running(ctx, t, options));
    t->cut = cau_read_cut(&t->read);
    if (t->cut.rule == CAU_CUT_BLANKS && !has_sequences(t->model, t->read.format))
        t->cut.rule = CAU_CUT_LINES;
    t->first_size = options->chunk ? options->chunk : FIRST_SIZE;
    t->chunk_size = options->chunk ? options->chunk : CHUNK_SIZE;
    t->slots = cau_chunk_slots(t->threads);
    t->chunk = cau_calloc(t->slots, sizeof *t->chunk);
    t->worker = cau_calloc(t->threads, sizeof *t->worker);
    if (!t->chunk || !t->worker) TRY(cau_fail_memory(ctx, "the lines of a file"));
    for (size_t i = 0; i < t->threads; i++) {
        TRY(cau_scorer_init(ctx, &t->worker[i].scorer, t->model));
        cau_scorer_drop(&t->worker[i].scorer, &t->setup.dropped);
        TRY(cau_decoded_init(ctx, &t->worker[i].decoded, &t->setup.decoder));
    }
done:
    return st;
}

static void tagger_clear(tagger *t)
{
    for (size_t i = 0; t->chunk && i < t->slots; i++) cau_writer_clear(&t->chunk[i].sheet);
    for (size_t i = 0; t->worker && i < t->threads; i++) {
        tag_worker *w = &t->worker[i];
        cau_reader_free(w->reader);
        cau_scorer_clear(&w->scorer);
        cau_decoded_clear(&w->decoded);
        cau_forced_labels_clear(&w->given);
        cau_output_page_clear(&w->page);
        cau_span_writer_clear(&w->spans);
        free(w->word);
        free(w->label);
    }
    free(t->chunk);
    free(t->worker);
    cau_tag_setup_clear(&t->setup);
    cau_template_free(t->template);
}

caucus_status cau_tag(caucus_ctx *ctx, const caucus_model *model, const cau_tag_options *options,
                      unsigned threads, const char *path, caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_chunker *chunker = NULL;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    tagger t = {.model = model, .threads = threads ? threads : 1, .out = &out};
    TRY(tagger_init(ctx, &t, options));
    TRY(cau_format_open(ctx, path, t.read.format, true, &chunker));
    t.live = cau_chunker_live(chunker);
    st = tag_chunks(ctx, &t, chunker);
    /* The sequences before a faulty one are written all the same. */
    out.ctx = ctx;
    const caucus_status last = cau_writer_flush(&out, true);
    if (!st) st = last;
    if (t.uncertified)
        cau_note(ctx,
                 "%s: exact decoding stopped at %d-best lists for %zu of %zu sequences; their "
                 "labels are the best of these lists, and perhaps not the best",
                 cau_chunker_name(chunker), CAU_EXACT, t.uncertified, t.sequences);
done:
    tagger_clear(&t);
    cau_chunker_free(chunker);
    cau_writer_clear(&out);
    return st;
}
