/* adapt.c - one method from data to model.
 *
 * Penalties, the weight of an interpolation and the number of iterations of conditional EM are
 * chosen by the number of labels that come out right on a random tenth of the target data. Then the
 * method is trained on all data. Each method is tuned for itself. */

#include "adapt/adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/rng.h"
#include "base/status.h"
#include "dataset/subset.h"
#include "report/plot.h"
#include "study/runs.h"
#include "train/resolve_options.h"

enum {
    HELD_SHARE = 10, /* a tenth is held out */
    PENALTIES_MOST = 32
};

/* ---- options ------------------------------------------------------------------------------- */

/* Parses "0.1,1,10", and returns how many values there are: 0 if the text is no such list. */
static size_t parse_values(const char *text, double *values)
{
    size_t count = 0;
    for (const char *at = text;; at++) {
        const size_t n = strcspn(at, ",");
        if (count == PENALTIES_MOST || !cau_parse_real(at, n, &values[count]) ||
            !isfinite(values[count]) || values[count] < 0)
            return 0;
        count++;
        at += n;
        if (!*at) return count;
    }
}

caucus_status cau_adapt_check(caucus_ctx *ctx, const cau_adapt_options *o)
{
    double values[PENALTIES_MOST];
    const bool compares = o->method == CAU_METHOD_ALL || o->folds || o->curve;
    if (o->train.l1 > 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "adaptation uses an l2 penalty; leave out --l1");
    if (cau_method_is_mega(o->method) && o->train.model == CAU_MODEL_CRF)
        return cau_fail(
            ctx, CAUCUS_ERR_ARGUMENT,
            "MEGA mixes label by label, which a CRF cannot; use --model memm or maxent, "
            "or another --method");
    const bool mega = cau_method_is_mega(o->method) || o->method == CAU_METHOD_ALL || o->curve;
    if (o->train.class_weight && mega && o->train.model != CAU_MODEL_CRF)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "MEGA does not weigh classes; leave out --class-weight, or use another "
                        "--method");
    if (o->tune && parse_values(o->tune, values) == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--tune %s: not a list of at most %d penalties; write 0.1,1,10 for example",
                        o->tune, PENALTIES_MOST);
    if (o->folds == 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--folds 1 leaves nothing to train on; use at least 2");
    if (o->curve && o->folds)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--curve holds out its own part of the data; leave out --folds");
    if (o->plot && !o->curve)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--plot draws a curve; add --curve");
    if (o->json && !compares)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--json is for a table; add --method all, --folds or --curve");
    caucus_status st = cau_options_check(ctx, &o->train);
    if (!st) st = cau_plot_check(ctx, o->plot);
    if (!st && o->train.output) st = cau_output_probe(ctx, o->train.output);
    return st;
}

bool cau_adapt_learns(const caucus_data *data, cau_method method)
{
    const cau_dataset target = cau_target_set(&data->train);
    if (method != CAU_METHOD_ONLY_IN && method != CAU_METHOD_INTERPOLATE &&
        method != CAU_METHOD_FEATS)
        return true;
    for (size_t n = 0; n < target.N; n++)
        if (target.gold[n] != target.gold[0] || target.gold[n] >= CAU_SET) return true;
    return false;
}

/* The options of a training run, whose model is not saved. */
static cau_train_options train_options(const cau_adapt_options *o, const caucus_data *data,
                                       double l2)
{
    cau_train_options train = o->train;
    train.l2 = l2;
    train.output = NULL;
    train.resume = false;
    train.checkpoint = 0;
    if (train.model == CAU_MODEL_AUTO)
        train.model = data->train.sequence ? CAU_MODEL_MEMM : CAU_MODEL_MAXENT;
    return train;
}

/* ---- MEGA ---------------------------------------------------------------------------------- */

static cau_mega_options mega_options(const cau_adapt_options *o, const cau_train_options *train,
                                     const cau_tuned *tuned, unsigned threads)
{
    cau_mega_options mega = o->mega;
    mega.l2 = tuned->l2;
    if (tuned->iterations) mega.iterations = tuned->iterations;
    mega.no_bias = train->no_bias;
    mega.seen = train->states == CAU_STATES_SEEN ||
                (train->states == CAU_STATES_AUTO && train->model == CAU_MODEL_MEMM);
    mega.threads = threads;
    return mega;
}

/* The notes of the model, in the order of a report. */
static caucus_status describe_mega(caucus_ctx *ctx, const cau_adapt_options *o,
                                   const caucus_data *data, const cau_domains *domains,
                                   const cau_mega_options *how, const cau_mega *mega,
                                   cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    const size_t D = domains->D;
    double *kl = cau_alloc(D * D, sizeof *kl);
    if (!kl) TRY(cau_fail_memory(ctx, "the divergence of domains"));
    TRY(cau_bayes_divergence(ctx, &domains->all.x, domains->begin, D, domains->K, kl));
    cau_strbuf_printf(out, "model\t%s\n", domains->chain ? "memm" : "maxent");
    cau_strbuf_printf(out, "method\t%s\n",
                      cau_method_name(how->tied ? CAU_METHOD_TIED : CAU_METHOD_MEGA));
    cau_strbuf_printf(out, "optimizer\t%s\n", how->optimizer == CAU_MEGA_LBFGS ? "lbfgs" : "cem");
    cau_strbuf_printf(out, "instances\t%zu\n", domains->N);
    if (domains->chain) cau_strbuf_printf(out, "sequences\t%zu\n", data->train.S);
    cau_strbuf_printf(out, "features\t%zu\n", domains->K);
    cau_strbuf_printf(out, "nb.features\t%zu\n", mega->bayes.B);
    cau_strbuf_printf(out, "classes\t%zu\n", domains->Y);
    cau_strbuf_printf(out, "weights\t%zu\n", cau_mega_weights_at(mega, domains->D + 1));
    cau_strbuf_printf(out, "objective\t%.12g\n", mega->objective);
    cau_strbuf_printf(out, "loss\t%.12g\n", mega->loss);
    cau_strbuf_printf(out, "penalty.definition\t%g/2 * sum of %s; Beta(%g, %g) on psi\n", how->l2,
                      how->tied ? "w^2 of the general component and (w - general w)^2 of the others"
                                : "w^2, of each component",
                      how->a, how->b);
    cau_strbuf_printf(out, "iterations\t%zu\n", mega->iteration);
    cau_strbuf_printf(out, "passes\t%zu\n", mega->passes);
    for (size_t d = 0; d < D; d++) {
        const char *name = o->name ? o->name[d] : d ? "source" : "target";
        cau_strbuf_printf(out, "domain.%zu.name\t", d + 1);
        cau_strbuf_escape(out, (cau_str){name, strlen(name)});
        cau_strbuf_printf(out, "\ndomain.%zu.instances\t%zu\n", d + 1,
                          domains->begin[d + 1] - domains->begin[d]);
        cau_strbuf_printf(out, "domain.%zu.pi\t%.6f\n", d + 1, mega->pi[d]);
    }
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            if (i != j) cau_strbuf_printf(out, "kl.%zu.%zu\t%.6f\n", i + 1, j + 1, kl[i * D + j]);
    cau_strbuf_printf(out, "seed\t%llu\n", (unsigned long long)o->seed);
    cau_strbuf_printf(out, "fingerprint\t%016llx\n", (unsigned long long)data->fingerprint);
    cau_strbuf_add(out, o->train.kept.s, o->train.kept.n);
    TRY(cau_strbuf_status(ctx, out));
done:
    free(kl);
    return st;
}

/* What is done after each iteration of MEGA: progress is reported, and the labels of the test set
 * are kept if more of them are right than before. */
typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    const cau_domains *domains;
    unsigned threads;
    uint32_t *label; /* [test.N]; NULL: no labels are wanted */
    uint32_t *scratch;
    size_t right, iteration; /* of the best labels */
    double began;
} mega_watch;

static caucus_status watch_mega(void *self, const cau_mega *mega, bool *go_on)
{
    mega_watch *w = self;
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    caucus_ctx *ctx = w->ctx;
    size_t right;
    if (ctx->progress) {
        const caucus_progress p = {.solver = "mega",
                                   .iteration = mega->iteration,
                                   .passes = mega->passes,
                                   .objective = -mega->objective,
                                   .gradient = NAN,
                                   .dev = NAN,
                                   .elapsed = cau_seconds() - w->began,
                                   .remaining = NAN,
                                   .norm = NAN};
        *go_on = ctx->progress(ctx->progress_user, &p);
    }
    if (!w->label) goto done;
    TRY(cau_mega_model(ctx, w->data, w->domains, mega, (cau_str){"", 0}, &model));
    TRY(cau_label_test(ctx, model, w->data, w->threads, w->scratch, &right));
    if (w->iteration == 0 || right > w->right) {
        memcpy(w->label, w->scratch, w->data->test.N * sizeof *w->label);
        w->right = right;
        w->iteration = mega->iteration;
    }
done:
    cau_model_free(model);
    return st;
}

/* Trains MEGA. With `label` [test.N] there is no model: the labels are those of the iteration that
 * labels most of data->test right, and *best is that iteration. */
static caucus_status train_mega(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                const cau_adapt_options *o, const cau_tuned *tuned,
                                unsigned threads, uint32_t *label, size_t *best, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_train_options train = train_options(o, data, tuned->l2);
    cau_mega_options how = mega_options(o, &train, tuned, threads);
    cau_domains domains = {0};
    cau_mega mega = {0};
    cau_strbuf info = {0};
    mega_watch w = {.ctx = ctx,
                    .data = data,
                    .domains = &domains,
                    .threads = threads,
                    .label = label,
                    .began = cau_seconds()};
    if (label) w.scratch = cau_alloc(data->test.N, sizeof *w.scratch);
    if (label && !w.scratch) TRY(cau_fail_memory(ctx, "the labels"));
    how.tied = method == CAU_METHOD_TIED;
    TRY(cau_domains_init(ctx, data, train.model == CAU_MODEL_MEMM, &domains));
    TRY(cau_mega_fit(ctx, &domains, &how, watch_mega, &w, &mega));
    if (label) {
        *best = w.iteration;
    } else {
        TRY(describe_mega(ctx, o, data, &domains, &how, &mega, &info));
        TRY(cau_mega_model(ctx, data, &domains, &mega, (cau_str){info.s, info.n}, out));
    }
done:
    free(w.scratch);
    cau_strbuf_clear(&info);
    cau_mega_clear(&mega);
    cau_domains_clear(&domains);
    return st;
}

static caucus_status train_once(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                const cau_adapt_options *o, const cau_tuned *tuned,
                                unsigned threads, caucus_model **out)
{
    if (cau_method_is_mega(method))
        return train_mega(ctx, data, method, o, tuned, threads, NULL, NULL, out);
    const cau_train_options train = train_options(o, data, tuned->l2);
    return cau_baseline_train(ctx, data, method, &train, tuned->t, o->seed, threads, out);
}

/* ---- tuning -------------------------------------------------------------------------------- */

typedef struct {
    cau_method method;
    const cau_adapt_options *options;
} tuned_method;

/* The numbers of a run: what else was chosen under its penalty. */
enum { NUMBER_T, NUMBER_ITERATIONS };

/* A cau_setting_fn: trains with one penalty, and labels the held-out part. */
static caucus_status try_penalty(caucus_ctx *ctx, const caucus_data *part,
                                 const cau_setting *setting, const cau_train_options *train,
                                 uint64_t seed, unsigned threads, cau_fit_result *result,
                                 double *own)
{
    caucus_status st = CAUCUS_OK;
    const tuned_method *m = setting->self;
    cau_tuned tried = {.l2 = train->l2, .t = .5};
    caucus_model *model = NULL, view;
    size_t right, iterations = 0;
    double alpha[2];
    (void)seed; /* that of the options counts */
    result->answer = cau_alloc(part->test.N, sizeof *result->answer);
    if (!result->answer) TRY(cau_fail_memory(ctx, "the labels"));
    if (cau_method_is_mega(m->method)) {
        TRY(train_mega(ctx, part, m->method, m->options, &tried, threads, result->answer,
                       &iterations, NULL));
    } else {
        TRY(train_once(ctx, part, m->method, m->options, &tried, threads, &model));
        view = *model;
        if (m->method == CAU_METHOD_INTERPOLATE) {
            TRY(cau_baseline_weigh(ctx, model, part, threads, &tried.t));
            alpha[0] = tried.t;
            alpha[1] = 1 - tried.t;
            view.pool.alpha = alpha;
        }
        TRY(cau_label_test(ctx, &view, part, threads, result->answer, &right));
    }
    own[NUMBER_T] = tried.t;
    own[NUMBER_ITERATIONS] = (double)iterations;
done:
    cau_model_free(model);
    return st;
}

/* The data without a random tenth of the target domain, which becomes its test set.
 * CAUCUS_ERR_FORMAT if that leaves a single label. */
static caucus_status hold_out_tenth(caucus_ctx *ctx, const caucus_data *data,
                                    const cau_adapt_options *o, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t S = data->train.S, target = cau_target_set(&data->train).S;
    const size_t held = (target + HELD_SHARE - 1) / HELD_SHARE;
    cau_rng rng;
    uint32_t *order = cau_alloc(S, sizeof *order), *list = cau_alloc(S, sizeof *list);
    uint8_t *leaves = cau_calloc(S, sizeof *leaves);
    if (!order || !list || !leaves) TRY(cau_fail_memory(ctx, "the held-out data"));
    for (size_t s = 0; s < S; s++) order[s] = (uint32_t)s;
    cau_rng_init(&rng, o->seed);
    cau_rng_shuffle(&rng, order, target);
    for (size_t i = 0; i < held; i++) leaves[order[i]] = 1;
    cau_part_of part = {.train = list, .test = list + S - held};
    for (size_t s = 0; s < S; s++)
        list[leaves[s] ? S - held + part.held++ : part.trained++] = (uint32_t)s;
    TRY(cau_data_subset(ctx, data, &part, o->cutoff, out));
done:
    free(order);
    free(list);
    free(leaves);
    return st;
}

/* Chooses the penalty, and what depends on it, by the labels of a held-out tenth; of equally good
 * penalties the strongest. */
static caucus_status tune(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                          const cau_adapt_options *o, unsigned threads, cau_tuned *tuned)
{
    caucus_status st = CAUCUS_OK;
    double values[PENALTIES_MOST] = {o->train.l2};
    const size_t count = o->tune ? parse_values(o->tune, values) : 1;
    const tuned_method self = {method, o};
    cau_setting settings[PENALTIES_MOST];
    cau_runs runs = {0};
    caucus_data *part = NULL;
    size_t best = 0;
    if (!o->tune && method != CAU_METHOD_INTERPOLATE) return CAUCUS_OK;
    if (cau_target_set(&data->train).S > 1) st = hold_out_tenth(ctx, data, o, &part);
    if (st && st != CAUCUS_ERR_FORMAT) goto done;
    if (!part || !cau_adapt_learns(part, method)) {
        cau_note(ctx, "there is too little target data to hold some out, so nothing is tuned");
        st = CAUCUS_OK;
        goto done;
    }
    for (size_t i = 0; i < count; i++)
        settings[i] = (cau_setting){
            .text = "", .train = {.l2 = values[i]}, .fit = try_penalty, .self = &self};
    const cau_runs_options how = {.name = "tuning",
                                  .settings = settings,
                                  .count = count,
                                  .seed = o->seed,
                                  .threads = threads,
                                  .keep = true};
    TRY(cau_runs_make(ctx, part, &how, &runs));
    for (size_t i = 1; i < count; i++) {
        const size_t right = cau_run_at(&runs, 0, 0, i)->counts.right;
        const size_t most = cau_run_at(&runs, 0, 0, best)->counts.right;
        if (right > most || (right == most && values[i] > values[best])) best = i;
    }
    const double *own = cau_run_at(&runs, 0, 0, best)->own;
    *tuned = (cau_tuned){values[best], own[NUMBER_T], (size_t)own[NUMBER_ITERATIONS]};
done:
    cau_runs_clear(&runs);
    cau_data_free(part);
    return st;
}

/* ---- one method ---------------------------------------------------------------------------- */

caucus_status cau_adapt_train(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                              const cau_adapt_options *o, unsigned threads, cau_tuned *tuned,
                              caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_tuned found = {.l2 = o->train.l2, .t = .5};
    TRY(tune(ctx, data, method, o, threads, &found));
    TRY(train_once(ctx, data, method, o, &found, threads, out));
    if (tuned) *tuned = found;
done:
    return st;
}

caucus_status cau_adapt_fit(caucus_ctx *ctx, const caucus_data *data, const cau_adapt_options *o,
                            caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    uint32_t *label = NULL;
    TRY(cau_adapt_check(ctx, o));
    TRY(cau_adapt_train(ctx, data, o->method, o, o->threads, NULL, &model));
    if (data->test.N) {
        size_t right;
        label = cau_alloc(data->test.N, sizeof *label);
        if (!label) TRY(cau_fail_memory(ctx, "the labels"));
        TRY(cau_label_test(ctx, model, data, o->threads, label, &right));
        cau_note(ctx, "%.2f%% of the test data are labelled right",
                 100 * (double)right / (double)data->test.N);
    }
    if (o->train.output) TRY(cau_model_save(ctx, model, o->train.output));
    *out = model;
    model = NULL;
done:
    free(label);
    cau_model_free(model);
    return st;
}
