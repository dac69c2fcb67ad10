/* study_json.c - the answer of a study as JSON for programs.
 *
 *   {
 *     "format": 1,                 this layout; a change of meaning makes it 2
 *     "study": "folds",            or "grid", "curve"
 *     "score": "f1",               what `score` is below: "f1" of chunks, or "accuracy"
 *     "seed": 1,
 *     "instances": 9000, "sequences": 600, "units": 120,     of the training data; sequences and
 *                                  units are single instances where it has none
 *     "held_out": "folds",         or "dev", "test"; "part": a fifth, of a curve without test data
 *     "folds": 5,                  with folds
 *     "seeds": 5,                  of a curve
 *     "settings": [                in the order of the grid, one where there is none; or
 *     "sizes": [                   of a curve, from small to large
 *       {"setting": "l2=1",        "" where there is no grid; of settings
 *        "l1": 0.0, "l2": 1.0,     of settings
 *        "halvings": 3,            the size is 1/2^3 of the whole; of sizes
 *        "runs": 5,                that the means are over; others are missing
 *        "score": {"mean": x, "standard_error": x, "pooled": x},    null where there are too few
 *        "accuracy": {"mean": x, "standard_error": x, "pooled": x},
 *        "sequences": x, "instances": x,    trained on, means over the runs
 *        "nonzero": x,             weights, mean
 *        "iterations": 210,        sum
 *        "each": [                 a run for each fold or seed
 *          {"fold": 1,             or "seed": 1; neither with dev
 *           "missing": false,      true: the training data had a single label, and what follows
 *                                  is not there
 *           "sequences": 480, "instances": 7200,              trained on
 *           "held_out": {"units": 24, "sequences": 120, "instances": 1800},
 *           "score": x, "accuracy": x,
 *           "counted": 1800, "right": 1710,                   instances with a gold label
 *           "chunks": {"gold": 80, "found": 79, "correct": 70},    where the score is f1
 *           "objective": x, "nonzero": 5120, "iterations": 42}, ...]
 *       }, ...],
 *     "best": {"index": 0, "setting": "l2=1"}      the winner of a grid
 *   }
 *
 * Keys are added without notice; those here keep their meaning within a format. */

#include <math.h>
#include <string.h>

#include "study/folds.h"
#include "study/runs.h"

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static void put_number(cau_writer *sheet, json_t *to, const char *key, double x)
{
    cau_writer_put(sheet, to, key, number(x));
}

static void put_count(cau_writer *sheet, json_t *to, const char *key, uint64_t n)
{
    cau_writer_put(sheet, to, key, json_integer((json_int_t)n));
}

static void put_text(cau_writer *sheet, json_t *to, const char *key, const char *text)
{
    cau_writer_put(sheet, to, key, cau_writer_string((cau_str){text, strlen(text)}));
}

static json_t *mean_object(cau_writer *sheet, cau_mean mean, double pooled)
{
    json_t *object = json_object();
    put_number(sheet, object, "mean", mean.mean);
    put_number(sheet, object, "standard_error", mean.error);
    put_number(sheet, object, "pooled", pooled);
    return object;
}

static json_t *held_object(cau_writer *sheet, const cau_run *run)
{
    json_t *object = json_object();
    put_count(sheet, object, "units", run->held_units);
    put_count(sheet, object, "sequences", run->held_sequences);
    put_count(sheet, object, "instances", run->held_instances);
    return object;
}

static json_t *chunks_object(cau_writer *sheet, cau_counts chunks)
{
    json_t *object = json_object();
    put_count(sheet, object, "gold", chunks.gold);
    put_count(sheet, object, "found", chunks.found);
    put_count(sheet, object, "correct", chunks.correct);
    return object;
}

static json_t *run_object(const cau_runs *runs, cau_writer *sheet, const cau_run *run,
                          size_t column)
{
    const cau_study_options *o = runs->options;
    json_t *object = json_object();
    if (o->curve)
        put_count(sheet, object, "seed", o->seed + column);
    else if (o->folds)
        put_count(sheet, object, "fold", column + 1);
    cau_writer_put(sheet, object, "missing", json_boolean(run->missing));
    if (run->missing) return object;
    put_count(sheet, object, "sequences", run->sequences);
    put_count(sheet, object, "instances", run->instances);
    cau_writer_put(sheet, object, "held_out", held_object(sheet, run));
    put_number(sheet, object, "score", cau_runs_score(runs, &run->tally));
    put_number(sheet, object, "accuracy", cau_tally_accuracy(&run->tally));
    put_count(sheet, object, "counted", run->tally.tokens);
    put_count(sheet, object, "right", run->tally.right);
    if (runs->chunked)
        cau_writer_put(sheet, object, "chunks", chunks_object(sheet, run->tally.chunks));
    put_number(sheet, object, "objective", run->objective);
    put_count(sheet, object, "nonzero", run->nonzero);
    put_count(sheet, object, "iterations", run->iterations);
    return object;
}

static json_t *row_object(const cau_runs *runs, cau_writer *sheet, size_t r)
{
    const cau_row row = cau_runs_row(runs, r);
    json_t *object = json_object(), *each = json_array();
    if (runs->options->curve) {
        put_count(sheet, object, "halvings", runs->rows - 1 - r);
    } else {
        const cau_setting *setting = &runs->options->settings[r];
        put_text(sheet, object, "setting", setting->text);
        put_number(sheet, object, "l1", setting->train.l1);
        put_number(sheet, object, "l2", setting->train.l2);
    }
    put_count(sheet, object, "runs", row.n);
    cau_writer_put(
        sheet, object, "score",
        mean_object(sheet, row.score, row.n ? cau_runs_score(runs, &row.pooled) : (double)NAN));
    cau_writer_put(sheet, object, "accuracy",
                   mean_object(sheet, row.accuracy, cau_tally_accuracy(&row.pooled)));
    put_number(sheet, object, "sequences", row.sequences);
    put_number(sheet, object, "instances", row.instances);
    put_number(sheet, object, "nonzero", row.nonzero);
    put_count(sheet, object, "iterations", row.iterations);
    for (size_t c = 0; c < runs->columns; c++)
        cau_writer_push(sheet, each, run_object(runs, sheet, &runs->run[r * runs->columns + c], c));
    cau_writer_put(sheet, object, "each", each);
    return object;
}

static const char *held_out(const cau_runs *runs)
{
    if (runs->options->curve) return runs->data->test.N ? "test" : "part";
    return runs->options->folds ? "folds" : "dev";
}

void cau_runs_json(const cau_runs *runs, cau_writer *sheet)
{
    const cau_study_options *o = runs->options;
    const cau_dataset *set = &runs->data->train;
    json_t *root = json_object(), *rows = json_array();
    put_count(sheet, root, "format", 1);
    put_text(sheet, root, "study", cau_study_name(runs->kind));
    put_text(sheet, root, "score", runs->chunked ? "f1" : "accuracy");
    put_count(sheet, root, "seed", o->seed);
    put_count(sheet, root, "instances", set->N);
    put_count(sheet, root, "sequences", set->S);
    put_count(sheet, root, "units", cau_cv_groups_in(set));
    put_text(sheet, root, "held_out", held_out(runs));
    if (o->folds) put_count(sheet, root, "folds", o->folds);
    if (o->curve) put_count(sheet, root, "seeds", o->seeds);
    for (size_t r = 0; r < runs->rows; r++)
        cau_writer_push(sheet, rows, row_object(runs, sheet, r));
    cau_writer_put(sheet, root, o->curve ? "sizes" : "settings", rows);
    if (runs->kind == CAU_STUDY_GRID) {
        json_t *best = json_object();
        put_count(sheet, best, "index", runs->best);
        put_text(sheet, best, "setting", o->settings[runs->best].text);
        cau_writer_put(sheet, root, "best", best);
    }
    cau_writer_json(sheet, root, false);
    cau_strbuf_add(&sheet->text, "\n", 1);
}
