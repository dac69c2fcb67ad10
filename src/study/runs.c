/* runs.c - many training runs, side by side.
 *
 *              blocks, which go side by side          runs of a block, one after the other
 *     folds    the folds                              the one setting
 *     grid     the folds                              all settings, from strong penalties to weak
 *              without folds: one block; or, where    the same
 *              no run starts at another, each setting
 *     curve    the subsets: sizes times seeds         the one setting
 *
 * A block makes its part of the data, trains on it, scores the answers to what it held out, and
 * frees the part: so there are never more parts than threads. Along a path of penalties each run
 * starts with the weights of the one before: those of a strong penalty are small and soon found,
 * and the next optimum is never far. Where there is one block, its runs have all threads, else
 * each has one; a run gives the same bits either way.
 *
 * Every block has a context of its own. When one fails, those after it end early, and those before
 * it do not: which failure is told does not depend on timing. */

#include "study/runs.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "dataset/subset.h"
#include "study/folds.h"

typedef struct {
    caucus_ctx *ctx; /* of the caller */
    cau_runs *runs;
    const cau_study_options *o;
    const caucus_data *data;
    size_t blocks;
    unsigned inside; /* threads of a run */
    uint32_t *fold;  /* [S] of each sequence; NULL without folds */
    size_t *path;    /* [count] the settings, from strong penalties to weak */
    double began;

    pthread_mutex_t lock; /* of what follows; the atomic ones may be read without it */
    size_t done;          /* runs */
    atomic_bool stopped;  /* by the callback */
    atomic_size_t failed; /* the first block that did; SIZE_MAX: none */
    char message[CAU_MESSAGE_MAX];
} study;

/* A block at work: the data it trains on, what it holds out, and where its results go. */
typedef struct {
    study *s;
    size_t number;
    caucus_ctx *ctx;
    const caucus_data *part;
    cau_held held;
    size_t held_units, held_instances;
    size_t first, last; /* settings of the path */
    size_t row, column; /* row: of a curve; else the settings are the rows */
    const char *text;   /* of the setting that is being trained */
} block;

/* ---- runs ---------------------------------------------------------------------------------- */

/* Whether a block may go on: nobody stopped the study, and no block before it failed. */
static bool goes_on(const block *b)
{
    return !atomic_load(&b->s->stopped) && atomic_load(&b->s->failed) > b->number;
}

/* The same as solvers ask it, at each iteration. */
static bool solver_goes_on(void *user, const caucus_progress *progress)
{
    (void)progress;
    return goes_on(user);
}

/* Tells the caller of one more run, and hears whether to stop. What ends after that is not told. */
static void report(study *s, const cau_run *run)
{
    const size_t total = s->runs->rows * s->runs->columns;
    pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->stopped)) {
        s->done++;
        const double elapsed = cau_seconds() - s->began, left = (double)(total - s->done);
        const caucus_progress p = {
            .solver = cau_study_name(s->runs->kind),
            .iteration = s->done,
            .passes = total,
            .objective = NAN,
            .gradient = NAN,
            .dev = run->missing ? NAN : cau_runs_score(s->runs, &run->tally),
            .elapsed = elapsed,
            .remaining = elapsed / (double)s->done * left,
        };
        if (s->ctx->progress && !s->ctx->progress(s->ctx->progress_user, &p))
            atomic_store(&s->stopped, true);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Where the run of setting i of the path goes. */
static cau_run *slot_of(const block *b, size_t i)
{
    const cau_runs *runs = b->s->runs;
    const size_t row = runs->kind == CAU_STUDY_CURVE ? b->row : b->s->path[i];
    return &runs->run[row * runs->columns + b->column];
}

/* One run. *before is the result of the one before it in the block, if any; that of this one
 * replaces it. */
static caucus_status train(block *b, const cau_setting *setting, cau_fit_result *before,
                           cau_run *run)
{
    const study *s = b->s;
    caucus_status st = CAUCUS_OK;
    cau_fit_result result = {0};
    cau_train_options options = setting->train;
    if (s->o->warm) options.start = before->w;
    if (setting->fit)
        TRY(setting->fit(b->ctx, b->part, setting, &options, s->o->seed, s->inside, &result));
    else
        TRY(cau_fit_weights(b->ctx, b->part, &options, s->o->seed, s->inside, &result));
    TRY(cau_tally_answers(b->ctx, &b->held, s->data->labels, b->part->labels, result.answer,
                          &run->tally));
    run->sequences = b->part->train.S;
    run->instances = b->part->train.N;
    run->held_units = b->held_units;
    run->held_sequences = b->held.count;
    run->held_instances = b->held_instances;
    run->objective = result.objective;
    run->nonzero = result.nonzero;
    run->iterations = result.iterations;
done:
    cau_fit_result_clear(before);
    *before = result;
    return st;
}

/* The runs of a block, along the path. */
static caucus_status follow(block *b)
{
    caucus_status st = CAUCUS_OK;
    cau_fit_result result = {0};
    for (size_t i = b->first; i < b->last; i++) {
        const cau_setting *setting = &b->s->o->settings[b->s->path[i]];
        b->text = setting->text;
        TRY(train(b, setting, &result, slot_of(b, i)));
        if (!goes_on(b)) TRY(CAUCUS_ERR_STOPPED);
        report(b->s, slot_of(b, i));
    }
done:
    cau_fit_result_clear(&result);
    return st;
}

/* ---- parts of the data --------------------------------------------------------------------- */

/* Sequences by their roles, ascending. */
typedef struct {
    uint32_t *list; /* [S] those to train on, then those held out */
    size_t trained, held;
    size_t held_units, held_instances;
} split;

static caucus_status split_by(caucus_ctx *ctx, const cau_dataset *set, const unsigned char *role,
                              split *out)
{
    size_t units = 0; /* numbers below this have come: they rise in the order of their coming */
    *out = (split){.list = cau_alloc(set->S, sizeof *out->list)};
    if (!out->list) return cau_fail_memory(ctx, "a part of the data");
    for (size_t s = 0; s < set->S; s++)
        if (role[s] == CAU_TRAINED) out->list[out->trained++] = (uint32_t)s;
    for (size_t s = 0; s < set->S; s++) {
        const size_t unit = set->unit ? set->unit[s] : s;
        const bool first = unit >= units; /* of its unit */
        if (first) units = unit + 1;
        if (role[s] != CAU_HELD) continue;
        out->list[out->trained + out->held++] = (uint32_t)s;
        out->held_units += first;
        out->held_instances += cau_sequence_begin(set, s + 1) - cau_sequence_begin(set, s);
    }
    return CAUCUS_OK;
}

/* Notes the run of a curve that could not be: its subset has a single label. */
static void miss(block *b, const split *parts)
{
    cau_run *run = slot_of(b, 0);
    *run = (cau_run){.missing = true, .sequences = parts->trained};
    report(b->s, run);
}

/* Trains on some sequences, and holds others out; where these are none, it is the test set. */
static caucus_status run_part(block *b, const unsigned char *role)
{
    caucus_status st = CAUCUS_OK;
    const caucus_data *data = b->s->data;
    caucus_data *part = NULL;
    split parts = {0};
    TRY(split_by(b->ctx, &data->train, role, &parts));
    const cau_part_of of = {.train = parts.list,
                            .trained = parts.trained,
                            .test = parts.list + parts.trained,
                            .held = parts.held};
    if (parts.held) {
        b->held.set = &data->train;
        b->held.which = of.test;
        b->held.count = parts.held;
    } else {
        b->held.set = &data->test;
        b->held.count = data->test.S;
    }
    b->held_units = parts.held ? parts.held_units : data->test.S;
    b->held_instances = parts.held ? parts.held_instances : data->test.N;
    st = cau_data_subset(b->ctx, data, &of, b->s->o->cutoff, &part);
    if (st == CAUCUS_ERR_FORMAT && b->s->runs->kind == CAU_STUDY_CURVE) {
        miss(b, &parts);
        st = CAUCUS_OK;
    } else if (!st) {
        b->part = part;
        st = follow(b);
    }
done:
    cau_data_free(part);
    free(parts.list);
    return st;
}

/* ---- blocks -------------------------------------------------------------------------------- */

static caucus_status run_fold(block *b)
{
    const study *s = b->s;
    const size_t S = s->data->train.S;
    unsigned char *role = cau_alloc(S, sizeof *role);
    if (!role) return cau_fail_memory(b->ctx, "a fold");
    for (size_t q = 0; q < S; q++) role[q] = s->fold[q] == b->column ? CAU_HELD : CAU_TRAINED;
    caucus_status st = run_part(b, role);
    free(role);
    return st;
}

static caucus_status run_subset(block *b)
{
    const study *s = b->s;
    unsigned char *role = cau_alloc(s->data->train.S, sizeof *role);
    if (!role) return cau_fail_memory(b->ctx, "a subset");
    caucus_status st =
        cau_curve_subset(b->ctx, s->data, s->o->seed + b->column, s->runs->rows - 1 - b->row, role);
    if (!st) st = run_part(b, role);
    free(role);
    return st;
}

/* Trains on all data, with the development set as the test set. */
static caucus_status run_dev(block *b)
{
    caucus_data view = *b->s->data; /* borrows everything */
    view.test = view.dev;
    view.dev = (cau_dataset){0};
    b->part = &view;
    b->held.set = &view.test;
    b->held.count = view.test.S;
    b->held_units = view.test.S;
    b->held_instances = view.test.N;
    return follow(b);
}

/* Keeps the failure of a block, with the run that it was, unless one before it failed too. */
static void keep_failure(const block *b)
{
    study *s = b->s;
    const char *sentence = b->ctx ? caucus_message(b->ctx) : "out of memory", *text = b->text;
    const char *comma = text[0] ? ", " : "";
    pthread_mutex_lock(&s->lock);
    if (b->number < atomic_load(&s->failed)) {
        atomic_store(&s->failed, b->number);
        if (s->runs->kind == CAU_STUDY_CURVE)
            snprintf(s->message, sizeof s->message, "size %zu of %zu, seed %llu: %s", b->row + 1,
                     s->runs->rows, (unsigned long long)(s->o->seed + b->column), sentence);
        else if (s->fold)
            snprintf(s->message, sizeof s->message, "fold %zu%s%s: %s", b->column + 1, comma, text,
                     sentence);
        else
            snprintf(s->message, sizeof s->message, "%s%s%s", text, text[0] ? ": " : "", sentence);
    }
    pthread_mutex_unlock(&s->lock);
}

/* The subsets of a curve go from large to small, so that the long runs do not come last. */
static caucus_status run_block(void *self, size_t number, unsigned worker)
{
    (void)worker;
    study *s = self;
    const bool alone = !s->fold && s->blocks > 1; /* a block for each setting */
    block b = {.s = s, .number = number, .text = "", .last = s->o->count};
    b.held.tags = s->runs->chunked ? &s->runs->tags : NULL;
    if (!goes_on(&b)) return CAUCUS_ERR_STOPPED;
    caucus_status st = caucus_ctx_new(&b.ctx);
    if (!st) {
        caucus_on_progress(b.ctx, solver_goes_on, &b);
        if (s->runs->kind == CAU_STUDY_CURVE) {
            b.row = s->runs->rows - 1 - number / s->runs->columns;
            b.column = number % s->runs->columns;
            st = run_subset(&b);
        } else if (s->fold) {
            b.column = number;
            st = run_fold(&b);
        } else {
            b.first = alone ? number : 0;
            b.last = alone ? number + 1 : s->o->count;
            st = run_dev(&b);
        }
    }
    if (st && st != CAUCUS_ERR_STOPPED) keep_failure(&b);
    caucus_ctx_free(b.ctx);
    return st;
}

/* ---- the study ----------------------------------------------------------------------------- */

/* The settings from strong penalties to weak, those of the same in the order of the grid. */
static void order_path(study *s)
{
    const cau_setting *settings = s->o->settings;
    for (size_t i = 0; i < s->o->count; i++) {
        size_t at = i;
        for (; at > 0 && settings[s->path[at - 1]].penalty < settings[i].penalty; at--)
            s->path[at] = s->path[at - 1];
        s->path[at] = i;
    }
}

static size_t blocks_of(const study *s)
{
    if (s->runs->kind == CAU_STUDY_CURVE) return s->runs->rows * s->runs->columns;
    if (s->o->folds) return s->runs->columns;
    return s->o->warm ? 1 : s->o->count;
}

caucus_status cau_runs_make(caucus_ctx *ctx, cau_runs *runs)
{
    caucus_status st = CAUCUS_OK;
    const cau_study_options *o = runs->options;
    study s = {.ctx = ctx, .runs = runs, .o = o, .data = runs->data, .began = cau_seconds()};
    atomic_init(&s.stopped, false);
    atomic_init(&s.failed, SIZE_MAX);
    pthread_mutex_init(&s.lock, NULL);
    s.blocks = blocks_of(&s);
    s.inside = s.blocks > 1 ? 1 : o->threads;
    s.path = cau_alloc(o->count, sizeof *s.path);
    if (o->folds) s.fold = cau_alloc(s.data->train.S, sizeof *s.fold);
    if (!s.path || (o->folds && !s.fold)) TRY(cau_fail_memory(ctx, "the study"));
    order_path(&s);
    if (o->folds) TRY(cau_folds(ctx, s.data, (size_t)o->folds, o->seed, s.fold));
    st = cau_parallel(o->threads, s.blocks, run_block, &s);
    if (atomic_load(&s.stopped))
        st = cau_fail(ctx, CAUCUS_ERR_STOPPED, "stopped after %zu of %zu runs", s.done,
                      runs->rows * runs->columns);
    else if (st)
        st = cau_fail(ctx, st, "%s", s.message);
done:
    pthread_mutex_destroy(&s.lock);
    free(s.fold);
    free(s.path);
    return st;
}
