/* eval_plot.c - what --plot-confusion and --plot-calibration draw.
 *
 * Confusions are those of types where labels tell of chunks, else those of classes. More than a
 * page can show are too many: the most frequent are drawn then, in their order, and a note says
 * so. */

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"
#include "report/plot.h"

enum { SHOWN_MAX = 60 };

/* How often one of the names occurs, and where it goes. */
typedef struct {
    double count;
    size_t at;
    uint32_t place; /* in the figure; CAU_UNKNOWN: nowhere */
} candidate;

typedef struct {
    size_t n;             /* names that there are */
    candidate *candidate; /* [n] */
    size_t shown;
    cau_str *label; /* [shown] */
    double *count;  /* [shown][shown] */
} figure;

static int more_frequent(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int in_order(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static caucus_status figure_init(caucus_ctx *ctx, figure *f, size_t n)
{
    f->n = n;
    f->shown = n < SHOWN_MAX ? n : SHOWN_MAX;
    f->candidate = cau_calloc(n, sizeof *f->candidate);
    f->label = cau_alloc(f->shown, sizeof *f->label);
    f->count = cau_calloc(f->shown * f->shown, sizeof *f->count);
    if (!f->candidate || !f->label || !f->count) return cau_fail_memory(ctx, "the figure");
    for (size_t i = 0; i < n; i++) f->candidate[i].at = i;
    return CAUCUS_OK;
}

static void figure_clear(figure *f)
{
    free(f->candidate);
    free(f->label);
    free(f->count);
}

/* Gives the most frequent candidates a place. */
static void choose(figure *f)
{
    qsort(f->candidate, f->n, sizeof *f->candidate, more_frequent);
    for (size_t i = 0; i < f->n; i++) f->candidate[i].place = i < f->shown ? 0 : CAU_UNKNOWN;
    qsort(f->candidate, f->n, sizeof *f->candidate, in_order);
    uint32_t place = 0;
    for (size_t i = 0; i < f->n; i++)
        if (f->candidate[i].place != CAU_UNKNOWN) f->candidate[i].place = place++;
}

static void add_label(figure *f, size_t i, cau_str label)
{
    if (f->candidate[i].place != CAU_UNKNOWN) f->label[f->candidate[i].place] = label;
}

static void add_count(figure *f, size_t gold, size_t predicted, double count)
{
    const uint32_t row = f->candidate[gold].place, column = f->candidate[predicted].place;
    if (row != CAU_UNKNOWN && column != CAU_UNKNOWN) f->count[row * f->shown + column] = count;
}

static caucus_status fill_with_types(caucus_ctx *ctx, figure *f, const cau_chunk_scores *chunks)
{
    size_t n;
    const cau_str *name;
    const double *count; /* [n][n] */
    cau_chunk_scores_confusion(chunks, &n, &name, &count);
    caucus_status st = figure_init(ctx, f, n);
    if (st) return st;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            f->candidate[i].count += count[i * n + j];
            f->candidate[j].count += count[i * n + j];
        }
    choose(f);
    for (size_t i = 0; i < n; i++) {
        add_label(f, i, name[i].n ? name[i] : CAU_STR("none"));
        for (size_t j = 0; j < n; j++) add_count(f, i, j, count[i * n + j]);
    }
    return CAUCUS_OK;
}

static caucus_status fill_with_classes(caucus_ctx *ctx, figure *f, const caucus_scores *scores)
{
    caucus_status st = figure_init(ctx, f, scores->Y);
    if (st) return st;
    for (size_t y = 0; y < scores->Y; y++)
        f->candidate[y].count =
            (double)scores->classes[y].support + (double)scores->classes[y].predicted;
    choose(f);
    for (size_t y = 0; y < scores->Y; y++) add_label(f, y, scores->classes[y].label);
    for (size_t i = 0; i < scores->P; i++)
        add_count(f, scores->pairs[i].gold, scores->pairs[i].predicted,
                  (double)scores->pairs[i].count);
    return CAUCUS_OK;
}

static caucus_status plot_confusion(caucus_ctx *ctx, const caucus_scores *scores, const char *path)
{
    caucus_status st = CAUCUS_OK;
    figure f = {0};
    if (scores->chunks)
        TRY(fill_with_types(ctx, &f, scores->chunks));
    else
        TRY(fill_with_classes(ctx, &f, scores));
    if (f.n == 0)
        cau_note(ctx, "%s: not drawn, as there are too many types of chunks", path);
    else if (f.shown < f.n)
        cau_note(ctx, "%s: the %zu most frequent of %zu %s are drawn", path, f.shown, f.n,
                 scores->chunks ? "types" : "classes");
    if (f.n) TRY(cau_plot_confusion(ctx, path, &(cau_confusion_plot){f.shown, f.label, f.count}));
done:
    figure_clear(&f);
    return st;
}

static caucus_status plot_calibration(caucus_ctx *ctx, const caucus_scores *scores,
                                      const char *path)
{
    caucus_status st = CAUCUS_OK;
    const size_t B = scores->calibration.B;
    double *confidence = cau_alloc(B, sizeof *confidence);
    double *accuracy = cau_alloc(B, sizeof *accuracy);
    double *count = cau_alloc(B, sizeof *count);
    if (!confidence || !accuracy || !count) TRY(cau_fail_memory(ctx, "the figure"));
    for (size_t b = 0; b < B; b++) {
        const cau_bin *bin = &scores->calibration.bins[b];
        const double n = bin->count ? (double)bin->count : (double)NAN;
        confidence[b] = bin->confidence / n;
        accuracy[b] = (double)bin->correct / n;
        count[b] = (double)bin->count;
    }
    TRY(cau_plot_reliability(
        ctx, path,
        &(cau_reliability){B, confidence, accuracy, count, scores->measures.calibration_error}));
done:
    free(confidence);
    free(accuracy);
    free(count);
    return st;
}

caucus_status cau_scores_plot(caucus_ctx *ctx, const caucus_scores *scores,
                              const cau_eval_options *options)
{
    caucus_status st = CAUCUS_OK;
    if (options->plot_confusion) TRY(plot_confusion(ctx, scores, options->plot_confusion));
    if (options->plot_calibration) TRY(plot_calibration(ctx, scores, options->plot_calibration));
done:
    return st;
}
