/* study_table.c - the answer of a study as a table for people.
 *
 * No time is told: the same data, options and seed give the same bytes. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/folds.h"
#include "study/runs.h"

enum {
    NUMBER = 10, /* columns of a number, with two blanks before it */
    SCORE = 4,   /* decimals */
    NAME_MAX_WIDTH = 60,
};

static void cell(cau_writer *sheet, const char *text)
{
    cau_strbuf_add(&sheet->text, "  ", 2);
    cau_writer_right(sheet, (cau_str){text, strlen(text)}, NUMBER);
}

static void blank(cau_writer *sheet)
{
    cell(sheet, "");
}

/* A number; "-" where there is none. */
static void number(cau_writer *sheet, double x, int decimals)
{
    if (!isfinite(x)) {
        cell(sheet, "-");
        return;
    }
    cau_strbuf_add(&sheet->text, "  ", 2);
    cau_writer_number(sheet, x, decimals, NUMBER);
}

static void count(cau_writer *sheet, size_t n)
{
    number(sheet, (double)n, 0);
}

/* A mean of counts, which is most often whole. */
static void mean_count(cau_writer *sheet, double x)
{
    number(sheet, x, x - floor(x) > 0 ? 1 : 0);
}

static void end_line(cau_writer *sheet)
{
    cau_strbuf_add(&sheet->text, "\n", 1);
}

static void name(cau_writer *sheet, const char *text, size_t width)
{
    cau_writer_left(sheet, (cau_str){text, strlen(text)}, width);
}

/* What the data is made of, for the first line: "120 units, 600 sequences, 9000 instances". */
static void tell_data(const cau_runs *runs, cau_writer *sheet)
{
    const cau_dataset *set = &runs->data->train;
    if (set->unit) cau_strbuf_printf(&sheet->text, "%zu units, ", cau_cv_groups_in(set));
    if (set->sequence) cau_strbuf_printf(&sheet->text, "%zu sequences, ", set->S);
    cau_strbuf_printf(&sheet->text, "%zu instances", set->N);
}

static void tell_folds(const cau_runs *runs, cau_writer *sheet)
{
    cau_strbuf_printf(&sheet->text, "%zu folds of ", runs->columns);
    tell_data(runs, sheet);
    cau_strbuf_printf(&sheet->text, "; stratified, seed %llu\n",
                      (unsigned long long)runs->options->seed);
}

/* The two columns of scores, or the one where they are the same. */
static void score_heads(const cau_runs *runs, cau_writer *sheet, bool errors)
{
    if (runs->chunked) cell(sheet, "F1");
    if (runs->chunked && errors) cell(sheet, "std. error");
    cell(sheet, "accuracy");
    if (errors) cell(sheet, "std. error");
}

static void tally_scores(const cau_runs *runs, cau_writer *sheet, const cau_tally *tally)
{
    if (runs->chunked) number(sheet, cau_runs_score(runs, tally), SCORE);
    number(sheet, cau_tally_accuracy(tally), SCORE);
}

static void mean_scores(const cau_runs *runs, cau_writer *sheet, const cau_row *row)
{
    if (runs->chunked) number(sheet, row->score.mean, SCORE);
    if (runs->chunked) number(sheet, row->score.error, SCORE);
    number(sheet, row->accuracy.mean, SCORE);
    number(sheet, row->accuracy.error, SCORE);
}

/* ---- the three studies ----------------------------------------------------------------- */

/* The start of a line that stands below the folds. */
static void summary(const cau_runs *runs, cau_writer *sheet, const char *text, size_t width)
{
    const cau_dataset *set = &runs->data->train;
    name(sheet, text, width);
    if (set->unit) blank(sheet);
    if (set->sequence) blank(sheet);
    blank(sheet);
}

static void folds_table(const cau_runs *runs, cau_writer *sheet)
{
    const cau_dataset *set = &runs->data->train;
    const cau_row row = cau_runs_row(runs, 0);
    const size_t width = strlen("std. error");
    tell_folds(runs, sheet);
    end_line(sheet);
    name(sheet, "held out", width);
    if (set->unit) cell(sheet, "units");
    if (set->sequence) cell(sheet, "sequences");
    cell(sheet, "instances");
    score_heads(runs, sheet, false);
    cell(sheet, "objective");
    cell(sheet, "iterations");
    end_line(sheet);
    for (size_t f = 0; f < runs->columns; f++) {
        const cau_run *run = &runs->run[f];
        char fold[32];
        snprintf(fold, sizeof fold, "fold %zu", f + 1);
        name(sheet, fold, width);
        if (set->unit) count(sheet, run->held_units);
        if (set->sequence) count(sheet, run->held_sequences);
        count(sheet, run->held_instances);
        tally_scores(runs, sheet, &run->tally);
        number(sheet, run->objective, 2);
        count(sheet, run->iterations);
        end_line(sheet);
    }
    summary(runs, sheet, "mean", width);
    if (runs->chunked) number(sheet, row.score.mean, SCORE);
    number(sheet, row.accuracy.mean, SCORE);
    end_line(sheet);
    summary(runs, sheet, "std. error", width);
    if (runs->chunked) number(sheet, row.score.error, SCORE);
    number(sheet, row.accuracy.error, SCORE);
    end_line(sheet);
    summary(runs, sheet, "pooled", width);
    tally_scores(runs, sheet, &row.pooled);
    end_line(sheet);
}

static size_t settings_width(const cau_runs *runs)
{
    size_t width = strlen("setting");
    for (size_t i = 0; i < runs->rows; i++) {
        const char *text = runs->options->settings[i].text;
        const size_t w = cau_text_width((cau_str){text, strlen(text)});
        if (w > width) width = w;
    }
    return width < NAME_MAX_WIDTH ? width : NAME_MAX_WIDTH;
}

static void grid_table(const cau_runs *runs, cau_writer *sheet)
{
    const cau_study_options *o = runs->options;
    const size_t width = settings_width(runs);
    const bool folds = o->folds > 0;
    if (folds)
        tell_folds(runs, sheet);
    else
        cau_strbuf_printf(&sheet->text, "%zu instances to train on, %zu development instances\n",
                          runs->data->train.N, runs->data->dev.N);
    end_line(sheet);
    name(sheet, "  setting", width + 2);
    score_heads(runs, sheet, folds);
    cell(sheet, "nonzero");
    cell(sheet, "iterations");
    end_line(sheet);
    for (size_t i = 0; i < runs->rows; i++) {
        const cau_row row = cau_runs_row(runs, i);
        cau_strbuf_add(&sheet->text, i == runs->best ? "* " : "  ", 2);
        name(sheet, o->settings[i].text, width);
        if (folds)
            mean_scores(runs, sheet, &row);
        else
            tally_scores(runs, sheet, &row.pooled);
        mean_count(sheet, row.nonzero);
        count(sheet, row.iterations);
        end_line(sheet);
    }
    cau_strbuf_printf(&sheet->text, "\n* best: ");
    cau_strbuf_escape(&sheet->text, (cau_str){o->settings[runs->best].text,
                                              strlen(o->settings[runs->best].text)});
    cau_strbuf_printf(&sheet->text,
                      "; the highest %s%s, the strongest penalty of equals.\n"
                      "Its score is optimistic, as %s chose it: measure the model on other data.\n",
                      folds ? "mean " : "", cau_runs_measure(runs),
                      folds ? "these folds" : "the development data");
    if (folds)
        cau_strbuf_printf(&sheet->text,
                          "Nonzero weights are means over the folds, iterations are sums.\n");
}

static void curve_table(const cau_runs *runs, cau_writer *sheet)
{
    const cau_study_options *o = runs->options;
    const bool sequences = runs->data->train.sequence != NULL;
    tell_data(runs, sheet);
    if (runs->data->test.N)
        cau_strbuf_printf(&sheet->text, "; %zu test instances", runs->data->test.N);
    else
        cau_strbuf_printf(&sheet->text, "; a fifth of the %s held out for each seed",
                          cau_cv_groups_text(&runs->data->train));
    cau_strbuf_printf(&sheet->text, "; %zu nested series, seeds %llu to %llu\n\n", runs->columns,
                      (unsigned long long)o->seed,
                      (unsigned long long)(o->seed + runs->columns - 1));
    name(sheet, "trained on", strlen("trained on"));
    if (sequences) cell(sheet, "sequences");
    cell(sheet, "instances");
    score_heads(runs, sheet, true);
    cell(sheet, "seeds");
    end_line(sheet);
    for (size_t r = 0; r < runs->rows; r++) {
        const cau_row row = cau_runs_row(runs, r);
        if (row.n == 0) continue;
        char part[32];
        snprintf(part, sizeof part, "1/%llu", 1ull << (runs->rows - 1 - r));
        name(sheet, r + 1 < runs->rows ? part : "all", strlen("trained on"));
        if (sequences) mean_count(sheet, row.sequences);
        mean_count(sheet, row.instances);
        mean_scores(runs, sheet, &row);
        count(sheet, row.n);
        end_line(sheet);
    }
}

void cau_runs_table(const cau_runs *runs, cau_writer *sheet)
{
    switch (runs->kind) {
    case CAU_STUDY_FOLDS:
        folds_table(runs, sheet);
        break;
    case CAU_STUDY_GRID:
        grid_table(runs, sheet);
        break;
    case CAU_STUDY_CURVE:
        curve_table(runs, sheet);
        break;
    }
}
