/* tag.c - a file through a model.
 *
 * Each line is scored,
 *     s_y = b_y + sum_k f_k(x) w_ky,
 * and the best class needs no exp; the probabilities are s after a softmax, when asked for.
 * Classes are ranked by their scores in either case, so that the label is the same with
 * probabilities and without.
 *
 * Most of the time goes into taking lines apart and looking up names, so that is what threads
 * share: the input is cut into pieces of whole lines (pieces.h), a batch of them is tagged side
 * by side, each by a reader of its own, and the answers are written in the order of the pieces.
 *
 *     input -> piece, piece, piece, ... -> readers, scores -> texts -> output in order
 *
 * What the lines of a file must have in common (the number of columns) is not known before the
 * first instance, so up to there pieces are tagged one at a time, by the first worker; then the
 * others get readers that know what its reader has learnt. A piece knows the number of its
 * first line, so a failure is told with its place, whoever meets it.
 *
 * Nothing is allocated for an instance, and memory does not grow with the input. */

#include "apply/tag.h"

#include <stdlib.h>
#include <string.h>

#include "apply/pieces.h"
#include "apply/score.h"
#include "apply/sheet.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/kernels.h"

enum {
    PROBABILITY_DIGITS = 9,
    FIRST_SIZE = 32 << 10,  /* bytes of a piece that is tagged alone */
    PIECE_SIZE = 128 << 10, /* and of one in a batch */
    PIECES_PER_THREAD = 8,  /* so that uneven ones balance */
    BATCH_MAX = 64,         /* pieces */
};

/* A piece and its answer. */
typedef struct {
    cau_piece piece;
    caucus_ctx ctx;   /* for the sentence of its failure */
    cau_sheet sheet;  /* the answer */
    size_t instances; /* answered */
    caucus_status status;
} job;

/* What one thread works with. */
typedef struct {
    cau_scorer scorer;
    cau_reader *reader; /* NULL before it is its turn */
    double *s;          /* [Y] scores, then probabilities */
    uint32_t *best;     /* [shown] classes by rank */
} worker;

typedef struct {
    const caucus_model *model;
    cau_read_options read;
    size_t shown; /* classes whose probability is written */
    bool ranked;  /* the best first, not in the order of the model */
    job *jobs;    /* [BATCH_MAX or less] */
    worker *workers;
    size_t most_jobs, most_workers;
} tagger;

/* ---- one instance -------------------------------------------------------------------- */

static void add_label(cau_text *text, const caucus_model *m, size_t y)
{
    /* the offsets count the NUL behind each label */
    cau_text_add(text, m->label_bytes + m->label_at[y],
                 (size_t)(m->label_at[y + 1] - m->label_at[y] - 1));
}

static void add_probabilities(const tagger *t, worker *w, cau_sheet *sheet)
{
    double logz;
    cau_kernels_get()->softmax(1, t->model->Y, w->s, &logz);
    for (size_t i = 0; i < t->shown; i++) {
        size_t y = t->ranked ? w->best[i] : i;
        cau_text_add(&sheet->text, "\t", 1);
        add_label(&sheet->text, t->model, y);
        cau_text_add(&sheet->text, ":", 1);
        cau_sheet_general(sheet, w->s[y], PROBABILITY_DIGITS);
    }
}

/* The line of output for an instance whose scores are in w->s. */
static void add_answer(const tagger *t, worker *w, const cau_instance *instance, cau_sheet *sheet)
{
    const caucus_model *m = t->model;
    bool columns = cau_reader_format(w->reader) == CAU_FORMAT_COLUMNS;
    cau_str first = columns ? instance->line : instance->label;
    if (first.s) {
        cau_text_add(&sheet->text, first.s, first.n);
        cau_text_add(&sheet->text, "\t", 1);
    }
    if (t->ranked) cau_best_classes(w->s, m->Y, t->shown, w->best);
    add_label(&sheet->text, m, t->ranked ? w->best[0] : cau_best_class(w->s, m->Y));
    if (t->shown) add_probabilities(t, w, sheet);
    cau_text_add(&sheet->text, "\n", 1);
}

/* ---- one piece ----------------------------------------------------------------------- */

static caucus_status tag_piece(const tagger *t, worker *w, job *j)
{
    caucus_status st = CAUCUS_OK;
    j->instances = 0;
    cau_reader_continue(w->reader, (cau_str){j->piece.bytes, j->piece.n}, j->piece.first);
    for (;;) {
        cau_read_event event;
        cau_instance instance;
        TRY(cau_reader_next(&j->ctx, w->reader, &event, &instance));
        if (event == CAU_READ_END) break;
        if (event == CAU_READ_INSTANCE) {
            TRY(cau_scorer_scores(&j->ctx, &w->scorer, w->reader, &instance, w->s));
            add_answer(t, w, &instance, &j->sheet);
            j->instances++;
        } else {
            cau_text_add(&j->sheet.text, "\n", 1);
        }
        TRY(cau_text_status(&j->ctx, &j->sheet.text));
    }
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
                                const cau_piece *piece)
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
static caucus_status fill_batch(caucus_ctx *ctx, tagger *t, cau_pieces *pieces, bool alone,
                                size_t *count)
{
    size_t most = alone || cau_pieces_live(pieces) ? 1 : t->most_jobs;
    for (*count = 0; *count < most; ++*count) {
        cau_piece *piece = &t->jobs[*count].piece;
        caucus_status st = cau_pieces_next(ctx, pieces, alone ? FIRST_SIZE : PIECE_SIZE, piece);
        if (st) return st;
        if (piece->n == 0) break;
    }
    return CAUCUS_OK;
}

static caucus_status tag_pieces(caucus_ctx *ctx, tagger *t, cau_pieces *pieces, cau_sheet *out)
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
            TRY(open_first(ctx, t, cau_pieces_name(pieces), &t->jobs[0].piece));
        for (size_t i = 0; i < count; i++) {
            t->jobs[i].ctx.note = alone ? ctx->note : NULL;
            t->jobs[i].ctx.note_user = ctx->note_user;
        }
        (void)cau_parallel((unsigned)t->most_workers, count, tag_block, t);
        for (size_t i = 0; i < count; i++) {
            job *j = &t->jobs[i];
            cau_text_add(&out->text, j->sheet.text.s, j->sheet.text.n);
            j->sheet.text.n = 0;
            if (j->status) TRY(cau_fail(ctx, j->status, "%s", j->ctx.message));
            TRY(cau_sheet_flush(out, false));
        }
        TRY(filled);
        TRY(cau_sheet_flush(out, true));
        if (alone && t->jobs[0].instances) {
            alone = false;
            TRY(open_others(ctx, t));
        }
    }
done:
    return st;
}

static caucus_status tagger_init(caucus_ctx *ctx, tagger *t, const cau_tag_options *options,
                                 unsigned threads)
{
    size_t Y = t->model->Y;
    t->read = t->model->read;
    if (options->format != CAU_FORMAT_AUTO) t->read.format = (cau_format)options->format;
    t->ranked = options->top > 0;
    if (options->probabilities) t->shown = Y;
    if (options->top) t->shown = options->top < Y ? (size_t)options->top : Y;

    size_t wanted = (size_t)threads * PIECES_PER_THREAD;
    t->most_jobs = wanted < BATCH_MAX ? wanted : BATCH_MAX;
    t->most_workers = threads < t->most_jobs ? threads : t->most_jobs;
    t->jobs = cau_calloc(t->most_jobs, sizeof *t->jobs);
    t->workers = cau_calloc(t->most_workers, sizeof *t->workers);
    if (!t->jobs || !t->workers) return cau_fail_memory(ctx, "the lines of a file");
    for (size_t i = 0; i < t->most_workers; i++) {
        worker *w = &t->workers[i];
        caucus_status st = cau_scorer_init(ctx, &w->scorer, t->model, false);
        if (st) return st;
        w->s = cau_vector(Y, sizeof *w->s);
        w->best = cau_alloc(t->shown, sizeof *w->best);
        if (!w->s || !w->best) return cau_fail_memory(ctx, "the scores of a line");
    }
    return CAUCUS_OK;
}

static void tagger_clear(tagger *t)
{
    for (size_t i = 0; t->jobs && i < t->most_jobs; i++) {
        free(t->jobs[i].piece.bytes);
        cau_sheet_clear(&t->jobs[i].sheet);
    }
    for (size_t i = 0; t->workers && i < t->most_workers; i++) {
        cau_reader_free(t->workers[i].reader);
        cau_scorer_clear(&t->workers[i].scorer);
        free(t->workers[i].s);
        free(t->workers[i].best);
    }
    free(t->jobs);
    free(t->workers);
}

caucus_status cau_tag(caucus_ctx *ctx, const caucus_model *model, const cau_tag_options *options,
                      unsigned threads, const char *path, caucus_write_fn *write, void *user)
{
    if (options->probabilities && options->top)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--probabilities writes all classes and --top the best ones; give one of "
                        "them");

    caucus_status st = CAUCUS_OK;
    cau_pieces *pieces = NULL;
    cau_sheet out = {.ctx = ctx, .write = write, .user = user};
    tagger t = {.model = model};
    TRY(tagger_init(ctx, &t, options, threads ? threads : 1));
    TRY(cau_pieces_open(ctx, path, &pieces));
    st = tag_pieces(ctx, &t, pieces, &out);
    /* The lines before a faulty one are answered all the same. */
    caucus_status last = cau_sheet_flush(&out, true);
    if (!st) st = last;
done:
    tagger_clear(&t);
    cau_pieces_free(pieces);
    cau_sheet_clear(&out);
    return st;
}
