/* tag.c - a file through a model.
 *
 * Lines are scored as they are read (score.h); at the end of a sequence the scores become labels
 * (decode.h), and these are written behind the lines (answer.h). For a MaxEnt model without
 * neighbours to look at, every line is a sequence.
 *
 * Most of the time goes into taking lines apart and looking up names, so that is what threads
 * share: the input is cut into pieces of whole sequences (pieces.h), a batch of them is tagged
 * side by side, each by a reader of its own, and the answers are written in the order of the
 * pieces.
 *
 *     input -> piece, piece, piece, ... -> readers, scores, labels -> texts -> output in order
 *
 * What the lines of a file must have in common (the number of columns) is not known before the
 * first instance, so up to there pieces are tagged one at a time, by the first worker; then the
 * others get readers that know what its reader has learnt. A piece knows the number of its
 * first line, so a failure is told with its place, whoever meets it.
 *
 * Nothing is allocated for an instance, and memory does not grow with the input, but for the
 * longest sequence. */

#include "tag/tag.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "dataset/parallel_read.h"
#include "infer/constraints.h"
#include "infer/score.h"
#include "tag/tag_output.h"
#include "tag/tag_setup.h"
#include "text/chunker.h"

enum {
    FIRST_SIZE = 32 << 10,  /* bytes of a piece that is tagged alone */
    PIECE_SIZE = 128 << 10, /* and of one in a batch */
    PIECES_PER_THREAD = 8,  /* so that uneven ones balance */
    BATCH_MAX = 64,         /* pieces */
};

/* A piece and its answer. */
typedef struct {
    cau_text_chunk piece;
    caucus_ctx ctx;   /* for the sentence of its failure */
    cau_writer sheet; /* the answer */
    size_t instances; /* answered */
    caucus_status status;
} job;

/* What one thread works with. */
typedef struct {
    cau_scorer scorer;
    cau_reader *reader; /* NULL before it is its turn */
    cau_decoded decoded;
    cau_forced_labels given; /* labels, with `forced` */
    cau_output_page page;
    size_t number; /* of the first line of the sequence */
} worker;

typedef struct {
    const caucus_model *model;
    cau_template *template; /* of the model, or NULL */
    cau_read_options read;
    cau_tag_setup setup;
    cau_output_form form;
    bool forced;
    size_t first_size, piece_size;
    job *jobs; /* [BATCH_MAX or less] */
    worker *workers;
    size_t most_jobs, most_workers;
} tagger;

/* ---- one sequence -------------------------------------------------------------------- */

/* Whether the instances of a format belong together up to a blank line. */
static bool has_sequences(const caucus_model *model, cau_format format)
{
    if (format == CAU_FORMAT_COLUMNS) return true;
    return model->kind != CAU_KIND_MAXENT &&
           (format == CAU_FORMAT_CRFSUITE || format == CAU_FORMAT_AUTO);
}

static void begin_sequence(worker *w)
{
    cau_scorer_begin(&w->scorer);
    cau_forced_labels_begin(&w->given);
    cau_output_page_begin(&w->page);
}

static caucus_status add_instance(const tagger *t, worker *w, caucus_ctx *ctx,
                                  const cau_instance *instance)
{
    caucus_status st = CAUCUS_OK;
    const bool columns = cau_reader_format(w->reader) == CAU_FORMAT_COLUMNS;
    if (w->scorer.T == 0) w->number = instance->number;
    if (t->forced)
        TRY(cau_forced_labels_add(ctx, &w->given, t->model,
                                  cau_lines_name(cau_reader_lines(w->reader)), instance));
    TRY(cau_scorer_push(ctx, &w->scorer, w->reader, instance));
    TRY(cau_output_page_add(ctx, &w->page, columns ? instance->line : instance->label, true));
done:
    return st;
}

/* Answers the sequence at hand, if there is one. */
static caucus_status end_sequence(const tagger *t, worker *w, job *j)
{
    caucus_status st = CAUCUS_OK;
    cau_scorer *scorer = &w->scorer;
    if (scorer->T == 0) return CAUCUS_OK;
    TRY(cau_scorer_finish(&j->ctx, scorer, w->reader));
    st = cau_decode(&t->setup.decoder, &w->decoded, scorer->T, scorer->scores, scorer->say,
                    t->forced ? &w->given : NULL);
    if (st == CAUCUS_ERR_NUMERIC)
        TRY(cau_fail(&j->ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "no labelling of this sequence is possible: the given labels and the "
                            "scheme exclude all of them; correct the labels, or leave out "
                            "--forced or --scheme",
                     cau_lines_name(cau_reader_lines(w->reader)), w->number));
    if (st) TRY(cau_fail_memory(&j->ctx, "the labels of a sequence"));
    TRY(cau_output_page_write(&j->ctx, &w->page, &t->form, &w->decoded, scorer->say, &j->sheet));
    TRY(cau_strbuf_status(&j->ctx, &j->sheet.text));
    j->instances += scorer->T;
    begin_sequence(w);
done:
    return st;
}

/* A line that is no data: between sequences it stands as it is, inside of one it waits. */
static caucus_status add_aside(const tagger *t, worker *w, job *j, const cau_instance *aside)
{
    caucus_status st = CAUCUS_OK;
    if (aside->ends) TRY(end_sequence(t, w, j));
    if (w->scorer.T) return cau_output_page_add(&j->ctx, &w->page, aside->line, false);
    cau_strbuf_add(&j->sheet.text, aside->line.s, aside->line.n);
    cau_strbuf_add(&j->sheet.text, "\n", 1);
done:
    return st;
}

/* ---- one piece ----------------------------------------------------------------------- */

static caucus_status tag_piece(const tagger *t, worker *w, job *j)
{
    caucus_status st = CAUCUS_OK;
    const bool apart = !has_sequences(t->model, cau_reader_format(w->reader));
    j->instances = 0;
    begin_sequence(w);
    cau_reader_continue(w->reader, (cau_str){j->piece.bytes, j->piece.n}, j->piece.first);
    for (cau_read_event event = CAU_READ_INSTANCE; event != CAU_READ_END;) {
        cau_instance instance;
        TRY(cau_reader_next(&j->ctx, w->reader, &event, &instance));
        switch (event) {
        case CAU_READ_INSTANCE:
            TRY(add_instance(t, w, &j->ctx, &instance));
            if (apart) TRY(end_sequence(t, w, j));
            break;
        case CAU_READ_ASIDE:
            TRY(add_aside(t, w, j, &instance));
            break;
        case CAU_READ_BREAK:
            TRY(end_sequence(t, w, j));
            cau_strbuf_add(&j->sheet.text, "\n", 1);
            break;
        case CAU_READ_END:
            TRY(end_sequence(t, w, j));
            break;
        }
    }
    TRY(cau_strbuf_status(&j->ctx, &j->sheet.text));
done:
    return st;
}

static caucus_status tag_block(void *self, size_t block, unsigned thread)
{
    tagger *t = self;
    t->jobs[block].status = tag_piece(t, &t->workers[thread], &t->jobs[block]);
    return t->jobs[block].status;
}

/* ---- the whole file ------------------------------------------------------------------ */

/* The reader of the first worker, which finds the format in the first piece. */
static caucus_status open_first(caucus_ctx *ctx, tagger *t, const char *name,
                                const cau_text_chunk *piece)
{
    worker *w = &t->workers[0];
    return cau_reader_memory(ctx, name, (cau_str){piece->bytes, piece->n}, &t->read,
                             cau_scorer_vocabulary(&w->scorer), &w->reader);
}

/* The readers of all others, once that of the first has seen an instance. */
static caucus_status open_others(caucus_ctx *ctx, tagger *t)
{
    caucus_status st = CAUCUS_OK;
    for (size_t i = 1; !st && i < t->most_workers; i++) {
        worker *w = &t->workers[i];
        st = cau_reader_like(ctx, t->workers[0].reader, cau_scorer_vocabulary(&w->scorer),
                             &w->reader);
    }
    return st;
}

/* The pieces of the next batch; *count = 0 at the end of the input. */
static caucus_status fill_batch(caucus_ctx *ctx, tagger *t, cau_chunker *pieces, bool alone,
                                size_t *count)
{
    size_t most = alone || cau_chunker_live(pieces) ? 1 : t->most_jobs;
    for (*count = 0; *count < most; ++*count) {
        cau_text_chunk *piece = &t->jobs[*count].piece;
        caucus_status st =
            cau_chunker_next(ctx, pieces, alone ? t->first_size : t->piece_size, piece);
        if (st) return st;
        if (piece->n == 0) break;
    }
    return CAUCUS_OK;
}

static caucus_status tag_pieces(caucus_ctx *ctx, tagger *t, cau_chunker *pieces, cau_writer *out)
{
    caucus_status st = CAUCUS_OK;
    size_t count;
    bool alone = true; /* until the first instance */
    for (;;) {
        /* A batch that could not be filled is tagged as far as it goes. */
        caucus_status filled = fill_batch(ctx, t, pieces, alone, &count);
        if (count == 0) TRY(filled);
        if (count == 0) break;
        if (!t->workers[0].reader)
            TRY(open_first(ctx, t, cau_chunker_name(pieces), &t->jobs[0].piece));
        for (size_t i = 0; i < count; i++) {
            t->jobs[i].ctx.note = alone ? ctx->note : NULL;
            t->jobs[i].ctx.note_user = ctx->note_user;
        }
        (void)cau_parallel((unsigned)t->most_workers, count, tag_block, t);
        for (size_t i = 0; i < count; i++) {
            job *j = &t->jobs[i];
            cau_strbuf_add(&out->text, j->sheet.text.s, j->sheet.text.n);
            j->sheet.text.n = 0;
            if (j->status) TRY(cau_fail(ctx, j->status, "%s", j->ctx.message));
            TRY(cau_writer_flush(out, false));
        }
        TRY(filled);
        TRY(cau_writer_flush(out, true));
        if (alone && t->jobs[0].instances) {
            alone = false;
            TRY(open_others(ctx, t));
        }
    }
done:
    return st;
}

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

static caucus_status tagger_init(caucus_ctx *ctx, tagger *t, const cau_tag_options *options,
                                 unsigned threads)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_tag_setup_init(ctx, &t->setup, t->model, options));
    t->form = output_form(t->model, options);
    t->forced = options->forced;
    t->read = t->model->read;
    if (options->format != CAU_FORMAT_AUTO) t->read.format = (cau_format)options->format;
    if (t->model->template.s)
        TRY(cau_template_parse(ctx, "the template of the model", t->model->template, NULL,
                               &t->template));
    t->read.template = t->template;
    t->first_size = options->piece ? options->piece : FIRST_SIZE;
    t->piece_size = options->piece ? options->piece : PIECE_SIZE;

    const size_t wanted = (size_t)threads * PIECES_PER_THREAD;
    t->most_jobs = wanted < BATCH_MAX ? wanted : BATCH_MAX;
    t->most_workers = threads < t->most_jobs ? threads : t->most_jobs;
    t->jobs = cau_calloc(t->most_jobs, sizeof *t->jobs);
    t->workers = cau_calloc(t->most_workers, sizeof *t->workers);
    if (!t->jobs || !t->workers) TRY(cau_fail_memory(ctx, "the lines of a file"));
    for (size_t i = 0; i < t->most_workers; i++) {
        TRY(cau_scorer_init(ctx, &t->workers[i].scorer, t->model, false));
        cau_scorer_drop(&t->workers[i].scorer, &t->setup.dropped);
        TRY(cau_decoded_init(ctx, &t->workers[i].decoded, &t->setup.decoder));
    }
done:
    return st;
}

static void tagger_clear(tagger *t)
{
    for (size_t i = 0; t->jobs && i < t->most_jobs; i++) {
        free(t->jobs[i].piece.bytes);
        cau_writer_clear(&t->jobs[i].sheet);
    }
    for (size_t i = 0; t->workers && i < t->most_workers; i++) {
        worker *w = &t->workers[i];
        cau_reader_free(w->reader);
        cau_scorer_clear(&w->scorer);
        cau_decoded_clear(&w->decoded);
        cau_forced_labels_clear(&w->given);
        cau_output_page_clear(&w->page);
    }
    free(t->jobs);
    free(t->workers);
    cau_tag_setup_clear(&t->setup);
    cau_template_free(t->template);
}

caucus_status cau_tag(caucus_ctx *ctx, const caucus_model *model, const cau_tag_options *options,
                      unsigned threads, const char *path, caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_chunker *pieces = NULL;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    tagger t = {.model = model};
    TRY(tagger_init(ctx, &t, options, threads ? threads : 1));
    const char *blanks =
        has_sequences(model, t.read.format) ? cau_format_blanks(t.read.format) : NULL;
    TRY(cau_chunker_open(ctx, path, blanks, &pieces));
    st = tag_pieces(ctx, &t, pieces, &out);
    /* The sequences before a faulty one are answered all the same. */
    caucus_status last = cau_writer_flush(&out, true);
    if (!st) st = last;
done:
    tagger_clear(&t);
    cau_chunker_free(pieces);
    cau_writer_clear(&out);
    return st;
}
