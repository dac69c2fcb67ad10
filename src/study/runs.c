/* runs.c - the training runs of a study, in parallel.
 *
 *              jobs, in parallel                      runs of a job, in turn
 *     folds    the folds                              all settings
 *     curve    the subsets: sizes times seeds         all settings
 *     else     one                                    all settings
 *              or, if they are independent,
 *              the settings                           one
 *
 * A job makes its part of the data, trains on it, scores the labels of the held-out data, and frees
 * the part. So there are never more parts in memory than threads. With warm starts, each run of a
 * job starts at the weights of the one before: the optimum under a strong penalty is small and soon
 * found, and the next one is never far. A list with a single job gives it all threads, otherwise a
 * job has one; a run gives the same bits either way. */

#include "study/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "dataset/subset.h"
#include "study/folds.h"
#include "study/jobs.h"

typedef struct {
    cau_runs *runs;
    const cau_runs_options *o;
    const caucus_data *data;
    const cau_dataset *divided;
    size_t jobs;
    uint32_t *fold; /* [divided->S]; NULL without folds */
    size_t *path;   /* [count] the settings, from strong penalties to weak */
} run_plan;

/* A job at work. */
typedef struct {
    const run_plan *plan;
    cau_job *job;
    size_t size, column;
    size_t first, last;      /* settings, on the path */
    const caucus_data *data; /* to train on; its test set is held out */
    cau_held_data held;      /* the held-out data, in the whole data */
    cau_run_result sizes;    /* the sizes of both */
    uint8_t *first_right;    /* [test.N] whether the first setting labels an instance right */
} run_part;

/* ---- runs ---------------------------------------------------------------------------------- */

/* The place of a run for error messages: "fold 3, l2=1". */
static void name_place(run_part *p, const char *text)
{
    const run_plan *plan = p->plan;
    const size_t room = sizeof p->job->place;
    const char *comma = text[0] ? ", " : "";
    if (plan->o->seeds)
        snprintf(p->job->place, room, "size %zu of %zu, seed %llu%s%s", p->size + 1,
                 plan->runs->sizes, (unsigned long long)(plan->o->seed + p->column), comma, text);
    else if (plan->fold)
        snprintf(p->job->place, room, "fold %zu%s%s", p->column + 1, comma, text);
    else
        snprintf(p->job->place, room, "%s", text);
}

/* Keeps the result of a run and reports it. */
static caucus_status finish_run(run_part *p, size_t setting, const cau_run_result *run)
{
    const cau_runs *runs = p->plan->runs;
    *cau_run_at(runs, p->size, p->column, setting) = *run;
    return cau_job_report(p->job, run->missing ? NAN : cau_runs_score(runs, &run->counts));
}

static caucus_status skip_run(run_part *p, size_t setting)
{
    return finish_run(p, setting,
                      &(cau_run_result){.missing = true, .sequences = p->sizes.sequences});
}

/* Counts the held-out instances that only this setting or only the first one labels right. */
static void compare_with_first(run_part *p, size_t setting, const uint32_t *label,
                               cau_run_result *run)
{
    const cau_dataset *set = &p->data->test;
    const bool compares = setting && !cau_run_at(p->plan->runs, p->size, p->column, 0)->missing;
    for (size_t n = 0; n < set->N; n++) {
        const bool right = label[n] != CAU_UNKNOWN && label[n] == set->gold[n];
        if (setting == 0) p->first_right[n] = right;
        run->only_this += compares && right && !p->first_right[n];
        run->only_first += compares && !right && p->first_right[n];
    }
}

/* One run. *before is the result of the one before it in the job, and becomes that of this one. */
static caucus_status make_run(run_part *p, size_t s, cau_fit_result *before)
{
    const cau_runs_options *o = p->plan->o;
    const cau_setting *setting = &o->settings[s];
    caucus_status st = CAUCUS_OK;
    cau_fit_result result = {0};
    cau_run_result run = p->sizes;
    cau_train_options train = setting->train;
    const double began = cau_seconds();
    name_place(p, setting->text);
    for (size_t i = 0; i < CAU_RUN_NUMBERS; i++) run.own[i] = NAN;
    if (o->warm) train.start = before->w;
    if (setting->fit)
        TRY(setting->fit(p->job->ctx, p->data, setting, &train, o->seed, p->job->threads, &result,
                         run.own));
    else
        TRY(cau_fit_weights(p->job->ctx, p->data, &train, o->seed, p->job->threads, &result));
    if (!result.answer) {
        st = skip_run(p, s);
        goto done;
    }
    run.seconds = cau_seconds() - began;
    run.objective = result.objective;
    run.nonzero = result.nonzero;
    run.iterations = result.iterations;
    TRY(cau_count_labels(p->job->ctx, &p->held, p->plan->data->labels, p->data->labels,
                         result.answer, &run.counts));
    if (o->compare) compare_with_first(p, s, result.answer, &run);
    st = finish_run(p, s, &run);
done:
    cau_fit_result_clear(before);
    *before = result;
    return st;
}

/* The runs of a job on its part of the data. */
static caucus_status make_runs(run_part *p, const caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    cau_fit_result before = {0};
    p->data = data;
    p->sizes.instances = data->train.N;
    if (p->plan->o->compare) {
        p->first_right = cau_alloc(data->test.N, sizeof *p->first_right);
        if (!p->first_right) TRY(cau_fail_memory(p->job->ctx, "the labels"));
    }
    for (size_t i = p->first; i < p->last; i++) TRY(make_run(p, p->plan->path[i], &before));
done:
    cau_fit_result_clear(&before);
    free(p->first_right);
    return st;
}

/* ---- parts of the data --------------------------------------------------------------------- */

static void hold_out_test_set(run_part *p)
{
    const cau_dataset *test = &p->plan->data->test;
    p->held.set = test;
    p->held.count = p->sizes.held_groups = p->sizes.held_sequences = test->S;
    p->sizes.held_instances = test->N;
}

/* Makes the part of the data that the roles of the divided sequences describe, and its runs. */
static caucus_status run_roles(run_part *p, const unsigned char *role)
{
    caucus_status st = CAUCUS_OK;
    const run_plan *plan = p->plan;
    const cau_dataset *set = &plan->data->train, *divided = plan->divided;
    caucus_data *data = NULL;
    size_t groups = 0; /* groups below this number have been counted: they are numbered by first
                          occurrence */
    uint32_t *list = cau_alloc(set->S, sizeof *list);
    if (!list) TRY(cau_fail_memory(p->job->ctx, "a part of the data"));
    cau_part_of of = {.train = list};
    for (size_t s = 0; s < set->S; s++)
        if (s >= divided->S || role[s] == CAU_TRAINED) list[of.trained++] = (uint32_t)s;
    of.test = list + of.trained;
    p->sizes.sequences = of.trained - (set->S - divided->S);
    for (size_t s = 0; s < divided->S; s++) {
        const size_t group = divided->unit ? divided->unit[s] : s;
        const bool first = group >= groups;
        if (first) groups = group + 1;
        if (role[s] != CAU_HELD) continue;
        list[of.trained + of.held++] = (uint32_t)s;
        p->sizes.held_groups += first;
        p->sizes.held_instances += cau_dataset_length(set, s);
    }
    p->held.set = set;
    p->held.which = of.test;
    p->held.count = p->sizes.held_sequences = of.held;
    if (of.held == 0) {
        p->held.which = NULL;
        hold_out_test_set(p);
    }
    st = cau_data_subset(p->job->ctx, plan->data, &of, plan->o->cutoff, &data);
    if (st == CAUCUS_ERR_FORMAT && plan->o->seeds) { /* a single label */
        st = CAUCUS_OK;
        for (size_t i = p->first; i < p->last; i++) TRY(skip_run(p, plan->path[i]));
    } else if (!st) {
        st = make_runs(p, data);
    }
done:
    cau_data_free(data);
    free(list);
    return st;
}

static caucus_status run_part_of(run_part *p)
{
    const run_plan *plan = p->plan;
    const cau_dataset *divided = plan->divided;
    caucus_status st = CAUCUS_OK;
    if (!plan->fold && !plan->o->seeds) {
        p->sizes.sequences = divided->S;
        hold_out_test_set(p);
        return make_runs(p, plan->data);
    }
    unsigned char *role = cau_alloc(divided->S, sizeof *role);
    if (!role) return cau_fail_memory(p->job->ctx, "a part of the data");
    name_place(p, "");
    if (plan->fold)
        for (size_t s = 0; s < divided->S; s++)
            role[s] = plan->fold[s] == p->column ? CAU_HELD : CAU_TRAINED;
    else
        st = cau_curve_subset(p->job->ctx, divided, plan->data->test.N > 0,
                              plan->o->seed + p->column, plan->runs->sizes - 1 - p->size, role);
    if (!st) st = run_roles(p, role);
    free(role);
    return st;
}

/* The runs of a job. Large subsets come first, so that the long runs do not come last. */
static run_part part_of_job(const run_plan *plan, size_t number)
{
    const cau_runs *runs = plan->runs;
    const bool alone = plan->jobs > runs->sizes * runs->columns; /* each setting is a job */
    return (run_part){.plan = plan,
                      .size = alone ? 0 : runs->sizes - 1 - number / runs->columns,
                      .column = alone ? 0 : number % runs->columns,
                      .first = alone ? number : 0,
                      .last = alone ? number + 1 : plan->o->count};
}

static caucus_status run_job(void *self, cau_job *job)
{
    const run_plan *plan = self;
    run_part p = part_of_job(plan, job->number);
    p.job = job;
    p.held.tags = plan->runs->chunked ? &plan->runs->tags : NULL;
    return run_part_of(&p);
}

/* The results of a job are those of its runs. */
static void write_job(void *self, size_t number, cau_strbuf *out)
{
    const run_plan *plan = self;
    const run_part p = part_of_job(plan, number);
    for (size_t i = p.first; i < p.last; i++) {
        const cau_run_result *run = cau_run_at(plan->runs, p.size, p.column, plan->path[i]);
        cau_strbuf_add(out, (const char *)run, sizeof *run);
    }
}

static caucus_status read_job(void *self, cau_job *job, cau_str result)
{
    const run_plan *plan = self;
    const run_part p = part_of_job(plan, job->number);
    for (size_t i = p.first, at = 0; i < p.last; i++, at += sizeof(cau_run_result))
        memcpy(cau_run_at(plan->runs, p.size, p.column, plan->path[i]), result.s + at,
               sizeof(cau_run_result));
    return CAUCUS_OK;
}

/* ---- the list ------------------------------------------------------------------------------ */

/* The settings from strong penalties to weak; equal ones stay in their order. */
static void order_path(run_plan *plan)
{
    const cau_setting *settings = plan->o->settings;
    for (size_t i = 0; i < plan->o->count; i++) {
        size_t at = i;
        for (; at > 0 && settings[plan->path[at - 1]].penalty < settings[i].penalty; at--)
            plan->path[at] = plan->path[at - 1];
        plan->path[at] = i;
    }
}

caucus_status cau_runs_make(caucus_ctx *ctx, const caucus_data *data, const cau_runs_options *o,
                            cau_runs *runs)
{
    static const cau_job_kind kind = {.run = run_job, .write = write_job, .read = read_job};
    caucus_status st = CAUCUS_OK;
    run_plan plan = {
        .runs = runs, .o = o, .data = data, .divided = o->divide ? o->divide : &data->train};
    cau_jobs jobs = {.ctx = ctx, .name = o->name, .threads = o->threads, .keep = o->keep};
    size_t size = 0;
    *runs = (cau_runs){.data = data, .options = o, .sizes = 1, .columns = 1};
    cau_jobs_init(&jobs);
    if (o->folds) runs->columns = o->folds;
    if (o->seeds) {
        runs->sizes = cau_curve_sizes(plan.divided, data->test.N > 0);
        runs->columns = o->seeds;
    }
    if (cau_tags_learn(&runs->tags, data->labels)) TRY(cau_fail_memory(ctx, "the labels"));
    runs->chunked = cau_labels_are_chunked(&data->train, &runs->tags);
    if (cau_size_mul(runs->sizes, runs->columns, &plan.jobs) &&
        cau_size_mul(plan.jobs, o->count, &size))
        runs->result = cau_calloc(size, sizeof *runs->result);
    plan.path = cau_alloc(o->count, sizeof *plan.path);
    if (o->folds) plan.fold = cau_alloc(plan.divided->S, sizeof *plan.fold);
    if (!runs->result || !plan.path || (o->folds && !plan.fold))
        TRY(cau_fail_memory(ctx, "the runs"));
    order_path(&plan);
    if (o->folds) TRY(cau_folds(ctx, plan.divided, o->folds, o->seed, plan.fold));
    jobs.runs = size;
    if (!o->folds && !o->seeds && !o->warm && !o->compare) plan.jobs = o->count;
    TRY(cau_jobs_run(&jobs, plan.jobs, &kind, &plan));
done:
    cau_jobs_clear(&jobs);
    free(plan.fold);
    free(plan.path);
    return st;
}

void cau_runs_clear(cau_runs *runs)
{
    cau_tags_clear(&runs->tags);
    free(runs->result);
    *runs = (cau_runs){0};
}

/* ---- summaries ----------------------------------------------------------------------------- */

const char *cau_runs_measure(const cau_runs *runs)
{
    return runs->chunked ? "F1" : "accuracy";
}

double cau_runs_score(const cau_runs *runs, const cau_label_counts *counts)
{
    return runs->chunked ? cau_counts_f1(counts->chunks) : cau_label_accuracy(counts);
}

static bool is_scored(const cau_run_result *run)
{
    return !run->missing && run->counts.tokens > 0;
}

/* The mean score of a setting, or its mean accuracy:
 *     mean = sum x / n,  error = sqrt( sum (x - mean)^2 / (n - 1) / n ) */
static cau_mean mean_of(const cau_runs *runs, size_t size, size_t setting, size_t n, bool accuracy)
{
    double sum = 0, squares = 0, mean = NAN;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < runs->columns; c++) {
            const cau_run_result *run = cau_run_at(runs, size, c, setting);
            if (!is_scored(run)) continue;
            const double x =
                accuracy ? cau_label_accuracy(&run->counts) : cau_runs_score(runs, &run->counts);
            if (pass == 0) sum += x;
            if (pass == 1) squares += (x - mean) * (x - mean);
        }
        if (pass == 0 && n) mean = sum / (double)n;
    }
    return (cau_mean){mean, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN};
}

cau_run_means cau_runs_means(const cau_runs *runs, size_t size, size_t setting)
{
    cau_run_means m = {0};
    for (size_t c = 0; c < runs->columns; c++) {
        const cau_run_result *run = cau_run_at(runs, size, c, setting);
        if (!is_scored(run)) continue;
        m.n++;
        m.sequences += (double)run->sequences;
        m.instances += (double)run->instances;
        m.nonzero += (double)run->nonzero;
        m.seconds += run->seconds;
        for (size_t i = 0; i < CAU_RUN_NUMBERS; i++) m.own[i] += run->own[i];
        m.iterations += run->iterations;
        cau_label_counts_add(&m.pooled, &run->counts);
        m.only_this += run->only_this;
        m.only_first += run->only_first;
    }
    const double n = (double)m.n;
    m.score = mean_of(runs, size, setting, m.n, false);
    m.accuracy = mean_of(runs, size, setting, m.n, true);
    m.sequences /= n;
    m.instances /= n;
    m.nonzero /= n;
    m.seconds /= n;
    for (size_t i = 0; i < CAU_RUN_NUMBERS; i++) m.own[i] /= n;
    return m;
}
