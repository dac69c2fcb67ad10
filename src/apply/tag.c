/* tag.c - a file through a model, line by line.
 *
 * Lines are read with the table of names of the mapped model as vocabulary, so that features
 * it does not know never get a number. What remains of a line is scored,
 *     s_y = b_y + sum_k f_k(x) w_ky,
 * and the best class needs no exp; the probabilities are s after a softmax, when asked for.
 * Classes are ranked by their scores in either case, so that the label is the same with
 * probabilities and without.
 *
 * Memory is one line of input, the scores of one instance and a buffer of output: nothing is
 * allocated for an instance once the longest line has passed. */

#include "apply/tag.h"

#include <assert.h>
#include <stdlib.h>

#include "apply/score.h"
#include "apply/sheet.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/kernels.h"

enum { PROBABILITY_DIGITS = 9 };

typedef struct {
    const caucus_model *model;
    cau_reader *reader;
    cau_sheet sheet;
    double *s;      /* [Y] scores, then probabilities */
    size_t shown;   /* classes whose probability is written */
    uint32_t *best; /* [shown] the classes in that order; NULL: in the order of the model */
} tagger;

static void add_label(tagger *t, size_t y)
{
    const caucus_model *m = t->model;
    /* the offsets count the NUL behind each label */
    cau_text_add(&t->sheet.text, m->label_bytes + m->label_at[y],
                 (size_t)(m->label_at[y + 1] - m->label_at[y] - 1));
}

static void add_probabilities(tagger *t)
{
    double logz;
    cau_kernels_get()->softmax(1, t->model->Y, t->s, &logz);
    for (size_t i = 0; i < t->shown; i++) {
        size_t y = t->best ? t->best[i] : i;
        cau_text_add(&t->sheet.text, "\t", 1);
        add_label(t, y);
        cau_text_add(&t->sheet.text, ":", 1);
        cau_sheet_general(&t->sheet, t->s[y], PROBABILITY_DIGITS);
    }
}

/* One line of output for one instance, whose groups fit the model. */
static void tag_instance(tagger *t, const cau_instance *instance)
{
    const caucus_model *m = t->model;
    caucus_status st = cau_model_scores(m, instance, t->s);
    assert(st == CAUCUS_OK);
    (void)st;

    bool columns = cau_reader_format(t->reader) == CAU_FORMAT_COLUMNS;
    cau_str first = columns ? instance->line : instance->label;
    if (first.s) {
        cau_text_add(&t->sheet.text, first.s, first.n);
        cau_text_add(&t->sheet.text, "\t", 1);
    }
    if (t->best) cau_best_classes(t->s, m->Y, t->shown, t->best);
    add_label(t, t->best ? t->best[0] : cau_best_class(t->s, m->Y));
    if (t->shown) add_probabilities(t);
    cau_text_add(&t->sheet.text, "\n", 1);
}

static caucus_status tag_lines(caucus_ctx *ctx, tagger *t)
{
    caucus_status st = CAUCUS_OK;
    for (;;) {
        cau_read_event event;
        cau_instance instance;
        TRY(cau_reader_next(ctx, t->reader, &event, &instance));
        if (event == CAU_READ_END) break;
        if (event == CAU_READ_INSTANCE) {
            TRY(cau_score_check(ctx, t->model, t->reader, &instance));
            tag_instance(t, &instance);
        } else {
            cau_text_add(&t->sheet.text, "\n", 1);
        }
        TRY(cau_sheet_flush(&t->sheet, false));
    }
done:
    return st;
}

caucus_status cau_tag(caucus_ctx *ctx, const caucus_model *model, const cau_tag_options *options,
                      unsigned threads, const char *path, caucus_write_fn *write, void *user)
{
    if (options->probabilities && options->top)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--probabilities writes all classes and --top the best ones; give one of "
                        "them");

    caucus_status st = CAUCUS_OK;
    tagger t = {.model = model, .sheet = {.ctx = ctx, .write = write, .user = user}};
    if (options->probabilities) t.shown = model->Y;
    if (options->top) {
        t.shown = options->top < model->Y ? (size_t)options->top : model->Y;
        t.best = cau_alloc(t.shown, sizeof *t.best);
        if (!t.best) TRY(cau_fail_memory(ctx, "the best classes"));
    }
    t.s = cau_vector(model->Y, sizeof *t.s);
    if (!t.s) TRY(cau_fail_memory(ctx, "the scores of a line"));

    cau_read_options read = model->read;
    if (options->format != CAU_FORMAT_AUTO) read.format = (cau_format)options->format;
    TRY(cau_reader_open(ctx, path, &read, cau_model_vocabulary(model), &t.reader));
    st = tag_lines(ctx, &t);
    /* The lines before a faulty one are answered all the same. */
    caucus_status last = cau_sheet_flush(&t.sheet, true);
    if (!st) st = last;
done:
    cau_reader_free(t.reader);
    cau_sheet_clear(&t.sheet);
    free(t.best);
    free(t.s);
    return st;
}
