/* contest.c - all methods on the same parts of the data, side by side.
 *
 *              parts, which go side by side             what each holds out
 *     test     one: all data                            the test set
 *     folds    the folds of the in-domain data          a fold
 *     curve    nested subsets of the in-domain data,    the test set, or a fifth of the in-domain
 *              sizes times seeds                        data, the same for all sizes of a seed
 *
 * The data of other domains is in every part. The methods of a part run one after the other, so
 * that they share it; each tunes for itself (adapt.c). With one part, its runs have all threads,
 * else each has one; a run gives the same bits either way. A failure is told for the first part
 * that has one, whatever came first in time. */

#include "adapt/contest.h"

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
#include "infer/apply.h"
#include "study/folds.h"

typedef struct {
    caucus_ctx *ctx; /* of the caller */
    cau_contest *c;
    caucus_data in; /* a view: the in-domain data alone, each sequence for itself */
    unsigned inside;
    uint32_t *fold; /* [in.train.S], or NULL */
    double began;

    pthread_mutex_t lock; /* of what follows; the atomic ones may be read without it */
    size_t done;
    atomic_bool stopped;
    atomic_size_t failed; /* the first part that did; SIZE_MAX: none */
    char message[CAU_MESSAGE_MAX];
} contest;

/* A part at work. */
typedef struct {
    contest *s;
    size_t number, row, column;
    caucus_ctx *ctx;
    const caucus_data *part; /* its test set is what is held out */
    cau_held held;           /* the same, in the data as a whole */
    const char *method;      /* that is being trained */
} heat;

/* ---- the in-domain data -------------------------------------------------------------------- */

caucus_data cau_contest_in(const caucus_data *data)
{
    caucus_data in = *data;
    cau_dataset *set = &in.train;
    size_t S = 0;
    while (S < set->S && set->unit[S] == 0) S++;
    set->S = S;
    set->N = set->sequence ? set->sequence[S] : S;
    set->x.rows = set->N * set->group;
    set->unit = NULL;
    return in;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static bool goes_on(const heat *h)
{
    return !atomic_load(&h->s->stopped) && atomic_load(&h->s->failed) > h->number;
}

static bool solver_goes_on(void *user, const caucus_progress *progress)
{
    (void)progress;
    return goes_on(user);
}

static void report(contest *s, const cau_trial *trial)
{
    const cau_contest *c = s->c;
    const size_t total = c->rows * c->columns * c->M;
    pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->stopped)) {
        s->done++;
        const double elapsed = cau_seconds() - s->began;
        const caucus_progress p = {
            .solver = c->options->curve   ? "curve"
                      : c->options->folds ? "folds"
                                          : "methods",
            .iteration = s->done,
            .passes = total,
            .objective = NAN,
            .gradient = NAN,
            .dev = trial->missing ? NAN : cau_contest_score(c, &trial->tally),
            .elapsed = elapsed,
            .remaining = elapsed / (double)s->done * (double)(total - s->done),
        };
        if (s->ctx->progress && !s->ctx->progress(s->ctx->progress_user, &p))
            atomic_store(&s->stopped, true);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Which of the held-out instances an answer gets right. */
static void mark_right(const cau_dataset *set, const uint32_t *labels, uint8_t *right)
{
    for (size_t n = 0; n < set->N; n++)
        right[n] = labels[n] != CAU_UNKNOWN && labels[n] == set->gold[n];
}

/* The part is too little for a method. */
static void miss(const heat *h, size_t m)
{
    cau_trial *trial = cau_contest_at(h->s->c, h->row, h->column, m);
    *trial = (cau_trial){.missing = true};
    report(h->s, trial);
}

static caucus_status run_method(heat *h, size_t m, uint32_t *labels, uint8_t *first, uint8_t *right)
{
    caucus_status st = CAUCUS_OK;
    const cau_contest *c = h->s->c;
    const cau_dataset *set = &h->part->test;
    cau_trial *trial = cau_contest_at(c, h->row, h->column, m);
    caucus_model *model = NULL;
    const double began = cau_seconds();
    if (!h->s->fold && c->M > 1 && !cau_adapt_learns(h->part, c->method[m])) {
        miss(h, m);
        return goes_on(h) ? CAUCUS_OK : CAUCUS_ERR_STOPPED;
    }
    h->method = cau_method_name(c->method[m]);
    TRY(cau_adapt_train(h->ctx, h->part, c->method[m], c->options, h->s->inside, &trial->tuned,
                        &model));
    trial->seconds = cau_seconds() - began;
    if (!goes_on(h)) TRY(CAUCUS_ERR_STOPPED);
    const char *pi = cau_model_info(model, "domain.1.pi");
    if (!pi || !cau_parse_real(pi, strlen(pi), &trial->pi)) trial->pi = NAN;
    TRY(cau_apply_set(h->ctx, model, h->part, set, h->s->inside, labels, NULL));
    TRY(cau_tally_answers(h->ctx, &h->held, c->data->labels, h->part->labels, labels,
                          &trial->tally));
    mark_right(set, labels, m ? right : first);
    const bool against = m > 0 && !cau_contest_at(c, h->row, h->column, 0)->missing;
    for (size_t n = 0; against && n < set->N; n++) {
        trial->only_this += right[n] && !first[n];
        trial->only_first += first[n] && !right[n];
    }
    report(h->s, trial);
done:
    cau_model_free(model);
    return st;
}

static caucus_status run_methods(heat *h)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = h->part->test.N;
    uint32_t *labels = cau_alloc(N, sizeof *labels);
    uint8_t *first = cau_alloc(N, 1), *right = cau_alloc(N, 1);
    if (!labels || !first || !right) TRY(cau_fail_memory(h->ctx, "the answers"));
    for (size_t m = 0; m < h->s->c->M; m++) TRY(run_method(h, m, labels, first, right));
done:
    free(labels);
    free(first);
    free(right);
    return st;
}

/* ---- parts --------------------------------------------------------------------------------- */

/* Trains on all other domains and on the in-domain sequences with that role. */
static caucus_status run_part(heat *h, const unsigned char *role)
{
    caucus_status st = CAUCUS_OK;
    const cau_contest *c = h->s->c;
    const caucus_data *data = c->data;
    const size_t S = data->train.S, in = h->s->in.train.S;
    caucus_data *part = NULL;
    uint32_t *list = cau_alloc(S, sizeof *list), *held = cau_alloc(in, sizeof *held);
    if (!list || !held) TRY(cau_fail_memory(h->ctx, "a part of the data"));
    cau_part_of of = {.train = list, .test = held};
    for (size_t s = 0; s < S; s++) {
        if (s >= in || role[s] == CAU_TRAINED)
            list[of.trained++] = (uint32_t)s;
        else if (role[s] == CAU_HELD)
            held[of.held++] = (uint32_t)s;
    }
    const size_t trained = of.trained - (S - in);
    h->held.set = of.held ? &data->train : &data->test;
    h->held.which = of.held ? held : NULL;
    h->held.count = of.held ? of.held : data->test.S;
    pthread_mutex_lock(&h->s->lock);
    c->size[h->row] += (double)trained; /* whole numbers: the order does not matter */
    pthread_mutex_unlock(&h->s->lock);
    st = cau_data_subset(h->ctx, data, &of, c->options->cutoff, &part);
    if (st == CAUCUS_ERR_FORMAT && c->options->curve) { /* a single label in all domains */
        for (size_t m = 0; m < c->M; m++) miss(h, m);
        st = CAUCUS_OK;
    } else if (!st) {
        h->part = part;
        st = run_methods(h);
    }
done:
    cau_data_free(part);
    free(list);
    free(held);
    return st;
}

static caucus_status run_roles(heat *h)
{
    contest *s = h->s;
    const cau_contest *c = s->c;
    const size_t S = s->in.train.S;
    caucus_status st = CAUCUS_OK;
    unsigned char *role = cau_alloc(S, sizeof *role);
    if (!role) return cau_fail_memory(h->ctx, "a part of the data");
    if (s->fold)
        for (size_t q = 0; q < S; q++) role[q] = s->fold[q] == h->column ? CAU_HELD : CAU_TRAINED;
    else
        st = cau_curve_subset(h->ctx, &s->in, c->options->seed + h->column, c->rows - 1 - h->row,
                              role);
    if (!st) st = run_part(h, role);
    free(role);
    return st;
}

static void keep_failure(const heat *h)
{
    contest *s = h->s;
    const char *sentence = h->ctx ? caucus_message(h->ctx) : "out of memory";
    pthread_mutex_lock(&s->lock);
    if (h->number < atomic_load(&s->failed)) {
        atomic_store(&s->failed, h->number);
        if (s->c->options->folds)
            snprintf(s->message, sizeof s->message, "fold %zu, %s: %s", h->column + 1, h->method,
                     sentence);
        else if (s->c->options->curve)
            snprintf(s->message, sizeof s->message, "size %zu of %zu, seed %llu, %s: %s",
                     h->row + 1, s->c->rows, (unsigned long long)(s->c->options->seed + h->column),
                     h->method, sentence);
        else
            snprintf(s->message, sizeof s->message, "%s: %s", h->method, sentence);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Large parts first, so that the long runs do not come last. */
static caucus_status run_heat(void *self, size_t number, unsigned worker)
{
    (void)worker;
    contest *s = self;
    const cau_contest *c = s->c;
    heat h = {.s = s,
              .number = number,
              .row = c->rows - 1 - number / c->columns,
              .column = number % c->columns,
              .method = "the data"};
    h.held.tags = c->chunked ? &c->tags : NULL;
    if (!goes_on(&h)) return CAUCUS_ERR_STOPPED;
    caucus_status st = caucus_ctx_new(&h.ctx);
    if (!st) {
        caucus_on_progress(h.ctx, solver_goes_on, &h);
        if (s->fold || c->options->curve) {
            st = run_roles(&h);
        } else {
            h.part = c->data;
            h.held.set = &c->data->test;
            h.held.count = c->data->test.S;
            c->size[0] = (double)s->in.train.S;
            st = run_methods(&h);
        }
    }
    if (st && st != CAUCUS_ERR_STOPPED) keep_failure(&h);
    caucus_ctx_free(h.ctx);
    return st;
}

caucus_status cau_contest_run(caucus_ctx *ctx, cau_contest *c)
{
    caucus_status st = CAUCUS_OK;
    const cau_adapt_options *o = c->options;
    const size_t parts = c->rows * c->columns;
    contest s = {.ctx = ctx, .c = c, .began = cau_seconds()};
    atomic_init(&s.stopped, false);
    atomic_init(&s.failed, SIZE_MAX);
    pthread_mutex_init(&s.lock, NULL);
    s.in = cau_contest_in(c->data);
    s.inside = parts > 1 ? 1 : o->threads;
    if (o->folds) {
        s.fold = cau_alloc(s.in.train.S, sizeof *s.fold);
        if (!s.fold) TRY(cau_fail_memory(ctx, "the folds"));
        TRY(cau_folds(ctx, &s.in, (size_t)o->folds, o->seed, s.fold));
    }
    st = cau_parallel(parts > 1 ? o->threads : 1, parts, run_heat, &s);
    if (atomic_load(&s.stopped))
        st = cau_fail(ctx, CAUCUS_ERR_STOPPED, "stopped after %zu of %zu runs", s.done,
                      parts * c->M);
    else if (st)
        st = cau_fail(ctx, st, "%s", s.message);
done:
    pthread_mutex_destroy(&s.lock);
    free(s.fold);
    return st;
}

/* ---- what they came to ---------------------------------------------------------------------- */

const char *cau_contest_measure(const cau_contest *c)
{
    return c->chunked ? "F1" : "accuracy";
}

double cau_contest_score(const cau_contest *c, const cau_tally *tally)
{
    return c->chunked ? cau_counts_f1(tally->chunks) : cau_tally_accuracy(tally);
}

cau_standing cau_contest_row(const cau_contest *c, size_t row, size_t m)
{
    cau_standing r = {.error = NAN};
    double squares = 0;
    for (size_t column = 0; column < c->columns; column++) {
        const cau_trial *t = cau_contest_at(c, row, column, m);
        if (t->missing) continue;
        r.n++;
        r.mean += cau_contest_score(c, &t->tally);
        cau_tally_add(&r.pooled, &t->tally);
        r.only_this += t->only_this;
        r.only_first += t->only_first;
        r.l2 += t->tuned.l2;
        r.t += t->tuned.t;
        r.pi += t->pi;
        r.seconds += t->seconds;
    }
    const double n = (double)r.n;
    r.mean /= n;
    r.l2 /= n;
    r.t /= n;
    r.pi /= n;
    r.seconds /= n;
    for (size_t column = 0; column < c->columns; column++) {
        const cau_trial *t = cau_contest_at(c, row, column, m);
        if (t->missing) continue;
        const double d = cau_contest_score(c, &t->tally) - r.mean;
        squares += d * d;
    }
    if (r.n > 1) r.error = sqrt(squares / (n - 1) / n);
    return r;
}
