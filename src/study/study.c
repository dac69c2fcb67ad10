/* study.c - a study from its options to its answer: what goes together, what is measured. The runs
 * are made in runs.c. */

#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "report/plot.h"
#include "study/folds.h"
#include "study/runs.h"

/* ---- what goes together -------------------------------------------------------------------- */

/* Settings have a text where there is a grid, be it of one. */
static bool has_grid(const cau_study_options *o)
{
    return o->count > 1 || o->settings[0].text[0];
}

static cau_study_kind kind_of(const cau_study_options *o)
{
    return o->curve ? CAU_STUDY_CURVE : has_grid(o) ? CAU_STUDY_GRID : CAU_STUDY_FOLDS;
}

static caucus_status check_options(caucus_ctx *ctx, const cau_study_options *o)
{
    if (o->curve && (o->folds || has_grid(o)))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--curve measures one setting with more and more data; leave out --%s",
                        o->folds ? "folds" : "grid");
    if (o->curve && o->seeds == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--curve needs at least one of --seeds");
    if (!o->curve && !has_grid(o) && o->folds == 0)
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
    if (o->plot && kind_of(o) == CAU_STUDY_FOLDS)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--plot has nothing to draw of --folds alone; add --grid, or use --curve");
    return cau_plot_check(ctx, o->plot);
}

caucus_status cau_study_check(caucus_ctx *ctx, const cau_study_options *o, const caucus_data *data)
{
    caucus_status st = check_options(ctx, o);
    if (st || !data) return st;
    if (data->open)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the data is still being added to; call caucus_data_close first");
    const size_t units = cau_cv_groups_in(&data->train);
    const char *called = cau_cv_groups_text(&data->train);
    if (o->folds > units)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--folds %llu: there are only %zu %s to spread over them; use fewer",
                        (unsigned long long)o->folds, units, called);
    if (!o->folds && !o->curve && !data->dev.N)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--grid needs data to choose by; add --folds 5, --dev or --dev-fraction");
    if (o->curve && !data->test.N && units < 2)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--curve holds out some %s to test on, and there is only one of them; add "
                        "--test",
                        called);
    return CAUCUS_OK;
}

/* ---- the study ----------------------------------------------------------------------------- */

/* Notes the sizes of a curve of which the table has nothing. */
static void note_missing(caucus_ctx *ctx, const cau_runs *runs)
{
    if (runs->kind != CAU_STUDY_CURVE) return;
    for (size_t r = 0; r < runs->rows; r++)
        if (cau_runs_row(runs, r).n == 0)
            cau_note(ctx,
                     "subsets of about %zu %s have nothing to learn from, a single label, and are "
                     "left out of the curve",
                     runs->run[r * runs->columns].sequences,
                     runs->data->train.sequence ? "sequences" : "instances");
}

caucus_status cau_study(caucus_ctx *ctx, const caucus_data *data, const cau_study_options *options,
                        caucus_write_fn *write, void *user, size_t *best)
{
    caucus_status st = CAUCUS_OK;
    cau_writer sheet = {.ctx = ctx, .write = write, .user = user};
    cau_runs runs = {.data = data, .options = options, .kind = kind_of(options)};
    TRY(cau_study_check(ctx, options, data));
    if (cau_tags_learn(&runs.tags, data->labels)) TRY(cau_fail_memory(ctx, "the labels"));
    runs.chunked = cau_tally_chunked(&data->train, &runs.tags);
    runs.rows = options->curve ? cau_curve_sizes(data) : options->count;
    runs.columns = (size_t)(options->curve ? options->seeds : options->folds ? options->folds : 1);
    size_t cells;
    if (cau_size_mul(runs.rows, runs.columns, &cells))
        runs.run = cau_calloc(cells, sizeof *runs.run);
    if (!runs.run) TRY(cau_fail_memory(ctx, "the runs"));
    TRY(cau_runs_make(ctx, &runs));
    if (!options->curve) runs.best = cau_runs_best(&runs);
    note_missing(ctx, &runs);
    if (options->json)
        cau_runs_json(&runs, &sheet);
    else
        cau_runs_table(&runs, &sheet);
    TRY(cau_writer_flush(&sheet, true));
    if (options->plot) TRY(cau_runs_plot(ctx, &runs));
    *best = runs.best;
done:
    cau_writer_clear(&sheet);
    cau_tags_clear(&runs.tags);
    free(runs.run);
    return st;
}
