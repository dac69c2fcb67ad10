/* means.c - what the runs of a study came to. */

#include <math.h>

#include "study/runs.h"

const char *cau_study_name(cau_study_kind kind)
{
    static const char *const names[] = {"folds", "grid", "curve"};
    return names[kind];
}

const char *cau_runs_measure(const cau_runs *runs)
{
    return runs->chunked ? "F1" : "accuracy";
}

double cau_runs_score(const cau_runs *runs, const cau_tally *tally)
{
    return runs->chunked ? cau_counts_f1(tally->chunks) : cau_tally_accuracy(tally);
}

static double score_of(const cau_runs *runs, const cau_run *run)
{
    return cau_runs_score(runs, &run->tally);
}

static double accuracy_of(const cau_runs *runs, const cau_run *run)
{
    (void)runs;
    return cau_tally_accuracy(&run->tally);
}

static bool counts(const cau_run *run)
{
    return !run->missing && run->tally.tokens > 0;
}

/* mean = sum x / n,  error = sqrt( sum (x - mean)^2 / (n - 1) / n ) */
static cau_mean mean_of(const cau_runs *runs, size_t row, size_t n,
                        double (*value)(const cau_runs *, const cau_run *))
{
    const cau_run *run = runs->run + row * runs->columns;
    double sum = 0, squares = 0;
    for (size_t c = 0; c < runs->columns; c++)
        if (counts(&run[c])) sum += value(runs, &run[c]);
    const double mean = n ? sum / (double)n : NAN;
    for (size_t c = 0; c < runs->columns; c++) {
        const double from = counts(&run[c]) ? value(runs, &run[c]) - mean : 0;
        squares += from * from;
    }
    return (cau_mean){mean, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN};
}

cau_row cau_runs_row(const cau_runs *runs, size_t row)
{
    cau_row r = {0};
    for (size_t c = 0; c < runs->columns; c++) {
        const cau_run *run = &runs->run[row * runs->columns + c];
        if (!counts(run)) continue;
        r.n++;
        r.sequences += (double)run->sequences;
        r.instances += (double)run->instances;
        r.nonzero += (double)run->nonzero;
        r.iterations += run->iterations;
        cau_tally_add(&r.pooled, &run->tally);
    }
    r.score = mean_of(runs, row, r.n, score_of);
    r.accuracy = mean_of(runs, row, r.n, accuracy_of);
    r.sequences /= (double)r.n;
    r.instances /= (double)r.n;
    r.nonzero /= (double)r.n;
    return r;
}

#define EQUAL 1e-12 /* two means that differ by less do so by rounding */

size_t cau_runs_best(const cau_runs *runs)
{
    const cau_setting *settings = runs->options->settings;
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < runs->rows; i++) {
        const double mean = cau_runs_row(runs, i).score.mean;
        const bool stronger = settings[i].penalty > settings[best].penalty;
        if (mean > most + EQUAL || (mean >= most - EQUAL && stronger)) {
            best = i;
            most = mean;
        }
    }
    return best;
}
