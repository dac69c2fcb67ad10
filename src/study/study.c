/* study.c - a study: checks the options, makes the runs (runs.c), and picks the best setting. */

#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "report/plot.h"
#include "study/folds.h"

/* ---- options ------------------------------------------------------------------------------- */

/* In a grid, even of one setting, settings have a text. */
static bool has_grid(const cau_runs_options *o)
{
    return o->count > 1 || o->settings[0].text[0];
}

static cau_study_kind kind_of(const cau_runs_options *o)
{
    return o->seeds ? CAU_STUDY_CURVE : has_grid(o) ? CAU_STUDY_GRID : CAU_STUDY_FOLDS;
}

static caucus_status check_options(caucus_ctx *ctx, const cau_study_options *options)
{
    const cau_runs_options *o = &options->runs;
    if (o->seeds && (o->folds || has_grid(o)))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--curve measures one setting with more and more data; leave out --%s",
                        o->folds ? "folds" : "grid");
    if (!o->seeds && !has_grid(o) && o->folds == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "there is nothing to study; add --folds, --grid or --curve");
    if (o->folds == 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--folds 1 leaves nothing to train on; use at least 2");
    for (size_t i = 0; i < o->count; i++)
        if (o->settings[i].train.stop.patience)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--patience ends a run by its score on development data, and runs of "
                            "a study must not see what scores them; leave it out");
    if (options->plot && kind_of(o) == CAU_STUDY_FOLDS)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--plot has nothing to draw of --folds alone; add --grid, or use --curve");
    return cau_plot_check(ctx, options->plot);
}

caucus_status cau_study_check(caucus_ctx *ctx, const cau_study_options *options,
                              const caucus_data *data)
{
    const cau_runs_options *o = &options->runs;
    const caucus_status st = check_options(ctx, options);
    if (st || !data) return st;
    if (data->open)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the data is still being added to; call caucus_data_close first");
    const size_t groups = cau_count_groups(&data->train);
    const char *word = cau_groups_word(&data->train);
    if (o->folds > groups)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--folds %zu: there are only %zu %s to spread over them; use fewer",
                        o->folds, groups, word);
    if (!o->folds && !o->seeds && !data->dev.N)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--grid needs data to choose by; add --folds 5, --dev or --dev-fraction");
    if (o->seeds && !data->test.N && groups < 2)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--curve holds out some %s to test on, and there is only one of them; add "
                        "--test",
                        word);
    return CAUCUS_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

const char *cau_study_name(cau_study_kind kind)
{
    static const char *const names[] = {"folds", "grid", "curve"};
    return names[kind];
}

cau_run_means cau_study_means(const cau_study_result *study, size_t row)
{
    const bool curve = study->kind == CAU_STUDY_CURVE;
    return cau_runs_means(&study->runs, curve ? row : 0, curve ? 0 : row);
}

/* The setting with the highest mean score; of equal ones, that with the strongest penalty. */
static size_t find_best(const cau_study_result *study)
{
    static const double rounding = 1e-12; /* smaller differences of means are rounding errors */
    const cau_setting *settings = study->options->runs.settings;
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < study->rows; i++) {
        const double mean = cau_study_means(study, i).score.mean;
        const bool stronger = settings[i].penalty > settings[best].penalty;
        if (mean > most + rounding || (mean >= most - rounding && stronger)) {
            best = i;
            most = mean;
        }
    }
    return best;
}

/* Notes the sizes of a curve that the table leaves out. */
static void note_missing_sizes(caucus_ctx *ctx, const cau_study_result *study)
{
    const cau_runs *runs = &study->runs;
    for (size_t r = 0; study->kind == CAU_STUDY_CURVE && r < study->rows; r++)
        if (cau_study_means(study, r).n == 0)
            cau_note(ctx,
                     "subsets of about %zu %s have a single label, nothing to learn from, and are "
                     "left out of the curve",
                     cau_run_at(runs, r, 0, 0)->sequences,
                     runs->data->train.sequence ? "sequences" : "instances");
}

/* ---- the summary --------------------------------------------------------------------------- */

void cau_study_summary_clear(cau_study_summary *summary)
{
    free(summary->row);
    cau_arena_clear(&summary->arena);
    *summary = (cau_study_summary){0};
}

caucus_status cau_study_summary_add(caucus_ctx *ctx, cau_study_summary *summary,
                                    const cau_runs *runs, size_t size, size_t setting,
                                    const char *name)
{
    const cau_run_means means = cau_runs_means(runs, size, setting);
    const bool sequences = runs->data->train.sequence != NULL;
    double *scores = cau_arena_alloc(&summary->arena, runs->columns, sizeof *scores);
    const char *copy = cau_arena_copy(&summary->arena, name, strlen(name));
    if (!scores || !copy || !CAU_GROW(summary->row, summary->room, summary->count + 1))
        return cau_fail_memory(ctx, "the results of a study");
    for (size_t c = 0; c < runs->columns; c++) {
        const cau_run_result *run = cau_run_at(runs, size, c, setting);
        scores[c] = run->missing ? (double)NAN : cau_runs_score(runs, &run->counts);
    }
    summary->row[summary->count++] =
        (caucus_study_row){.name = copy,
                           .trained = sequences ? means.sequences : means.instances,
                           .score = means.score.mean,
                           .error = means.score.error,
                           .accuracy = means.accuracy.mean,
                           .scores = scores,
                           .runs = runs->columns};
    return CAUCUS_OK;
}

caucus_status cau_study_figure(caucus_ctx *ctx, cau_study_summary *summary, caucus_status drawn)
{
    if (!drawn || !summary) return drawn;
    summary->figure = drawn;
    snprintf(summary->message, sizeof summary->message, "%s", caucus_message(ctx));
    return CAUCUS_OK;
}

static caucus_status summarise(caucus_ctx *ctx, const cau_study_result *study,
                               cau_study_summary *summary)
{
    const bool curve = study->kind == CAU_STUDY_CURVE;
    summary->measure = cau_runs_measure(&study->runs);
    summary->best = curve ? CAUCUS_NONE : study->best;
    for (size_t r = 0; r < study->rows; r++) {
        const caucus_status st =
            cau_study_summary_add(ctx, summary, &study->runs, curve ? r : 0, curve ? 0 : r,
                                  study->options->runs.settings[curve ? 0 : r].text);
        if (st) return st;
    }
    return CAUCUS_OK;
}

/* ---- the study ----------------------------------------------------------------------------- */

caucus_status cau_study(caucus_ctx *ctx, const caucus_data *data, const cau_study_options *options,
                        caucus_write_fn *write, void *user, size_t *best,
                        cau_study_summary *summary)
{
    caucus_status st = CAUCUS_OK;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    cau_study_result study = {.options = options, .kind = kind_of(&options->runs)};
    cau_runs_options runs = options->runs;
    caucus_data view = *data; /* borrows everything; without folds and seeds, the test set is dev */
    TRY(cau_study_check(ctx, options, data));
    if (!runs.folds && !runs.seeds) {
        view.test = view.dev;
        view.dev = (cau_dataset){0}; /* training must not see it */
    }
    runs.name = cau_study_name(study.kind);
    TRY(cau_runs_make(ctx, &view, &runs, &study.runs));
    study.rows = study.kind == CAU_STUDY_CURVE ? study.runs.sizes : runs.count;
    if (study.kind != CAU_STUDY_CURVE) study.best = find_best(&study);
    note_missing_sizes(ctx, &study);
    TRY(cau_study_write(&study, &out));
    if (summary) TRY(summarise(ctx, &study, summary));
    if (options->plot) TRY(cau_study_figure(ctx, summary, cau_study_plot(ctx, &study)));
    *best = study.best;
done:
    cau_writer_clear(&out);
    cau_runs_clear(&study.runs);
    return st;
}
