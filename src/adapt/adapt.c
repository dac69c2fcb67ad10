/* adapt.c - one method from data to model: what it needs to know is tuned first.
 *
 * Penalties, the weight of an interpolation and the length of conditional EM are chosen by how many
 * labels of a random tenth of the in-domain data come out right; then the method is trained again
 * on all of it. What is tuned for one method is not taken over for another: each gets its best
 * chance. */

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
#include "infer/apply.h"
#include "report/plot.h"
#include "train/resolve_options.h"

enum {
    HELD_SHARE = 10, /* a tenth is held out */
    TUNE_MOST = 32,  /* penalties to choose from */
};

/* ---- options ------------------------------------------------------------------------------- */

/* The values of "0.1,1,10"; 0 of them when the text is not such a list. */
static size_t parse_values(const char *text, double *values)
{
    size_t count = 0;
    for (const char *at = text;; at++) {
        const size_t n = strcspn(at, ",");
        if (count == TUNE_MOST || !cau_parse_real(at, n, &values[count]) ||
            !isfinite(values[count]) || values[count] < 0)
            return 0;
        count++;
        at += n;
        if (!*at) return count;
    }
}

caucus_status cau_adapt_check(caucus_ctx *ctx, const cau_adapt_options *o)
{
    double values[TUNE_MOST];
    const bool compares = o->method == CAU_METHOD_ALL || o->folds || o->curve;
    if (o->train.l1 > 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "adaptation is with an l2 penalty; leave out --l1");
    if (cau_method_is_mega((cau_method)o->method) && o->train.model == CAU_MODEL_CRF)
        return cau_fail(
            ctx, CAUCUS_ERR_ARGUMENT,
            "MEGA mixes label by label, which a CRF cannot; use --model memm or maxent, "
            "or another --method");
    const bool mega =
        cau_method_is_mega((cau_method)o->method) || o->method == CAU_METHOD_ALL || o->curve;
    if (o->train.class_weight && mega && o->train.model != CAU_MODEL_CRF)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "MEGA does not weigh classes; leave out --class-weight, or use another "
                        "--method");
    if (o->tune && parse_values(o->tune, values) == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--tune %s: not a list of at most %d penalties; write 0.1,1,10 for example",
                        o->tune, TUNE_MOST);
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

/* The in-domain sequences are the first; how many they are. */
static size_t count_in(const cau_dataset *set)
{
    size_t in = 0;
    for (size_t s = 0; s < set->S; s++) in += set->unit[s] == 0;
    return in;
}

bool cau_adapt_learns(const caucus_data *data, cau_method method)
{
    const cau_dataset *set = &data->train;
    if (method != CAU_METHOD_ONLY_IN && method != CAU_METHOD_INTERPOLATE &&
        method != CAU_METHOD_FEATS)
        return true;
    const size_t in = count_in(set), N = set->sequence ? set->sequence[in] : in;
    for (size_t n = 0; n < N; n++)
        if (set->gold[n] != set->gold[0] || set->gold[n] >= CAU_SET) return true;
    return false;
}

/* The options of a training run: the model is chosen, and nothing is saved. */
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

/* Of all components. */
static size_t count_weights(const cau_mega *mega, size_t Y)
{
    size_t count = 0;
    for (size_t c = 0; c <= mega->D; c++)
        count += cau_table_size(&mega->table[c]) + (mega->bias ? Y : 0);
    return count;
}

/* What a model file says of the run, in the order of a report. */
static caucus_status describe(caucus_ctx *ctx, const cau_adapt_options *o, const caucus_data *data,
                              const cau_domains *domains, const cau_mega_options *how,
                              const cau_mega *mega, cau_strbuf *out)
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
    cau_strbuf_printf(out, "weights\t%zu\n", count_weights(mega, domains->Y));
    cau_strbuf_printf(out, "objective\t%.12g\n", mega->objective);
    cau_strbuf_printf(out, "loss\t%.12g\n", mega->loss);
    cau_strbuf_printf(out, "penalty.definition\t%g/2 * sum of %s; Beta(%g, %g) on psi\n", how->l2,
                      how->tied ? "w^2 of the general component and (w - general w)^2 of the others"
                                : "w^2, of each component",
                      how->a, how->b);
    cau_strbuf_printf(out, "iterations\t%zu\n", mega->iteration);
    cau_strbuf_printf(out, "passes\t%zu\n", mega->passes);
    for (size_t d = 0; d < D; d++) {
        const char *name = o->name ? o->name[d] : d ? "out" : "in";
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

/* What is heard of a run: progress, and which iteration labels most of the held-out data right. */
typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    const cau_domains *domains;
    unsigned threads;
    bool scores; /* look at data->test after each iteration */
    size_t best_right, best_iteration;
    double began;
} listener;

/* How many of data->test a model labels right. */
static caucus_status count_right(caucus_ctx *ctx, const caucus_model *model,
                                 const caucus_data *data, unsigned threads, size_t *right)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &data->test;
    uint32_t *labels = cau_alloc(set->N, sizeof *labels);
    if (!labels) TRY(cau_fail_memory(ctx, "the answers"));
    TRY(cau_apply_set(ctx, model, data, set, threads, labels, NULL));
    *right = 0;
    for (size_t n = 0; n < set->N; n++)
        *right += labels[n] == set->gold[n] && labels[n] != CAU_UNKNOWN;
done:
    free(labels);
    return st;
}

static caucus_status heard(void *self, const cau_mega *mega, bool *go_on)
{
    listener *l = self;
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    caucus_ctx *ctx = l->ctx;
    if (ctx->progress) {
        const caucus_progress p = {.solver = "mega",
                                   .iteration = mega->iteration,
                                   .passes = mega->passes,
                                   .objective = -mega->objective,
                                   .gradient = NAN,
                                   .dev = NAN,
                                   .elapsed = cau_seconds() - l->began,
                                   .remaining = NAN};
        *go_on = ctx->progress(ctx->progress_user, &p);
    }
    if (l->scores) {
        size_t right;
        TRY(cau_mega_model(ctx, l->data, l->domains, mega, (cau_str){"", 0}, &model));
        TRY(count_right(ctx, model, l->data, l->threads, &right));
        if (l->best_iteration == 0 || right > l->best_right) {
            l->best_right = right;
            l->best_iteration = mega->iteration;
        }
    }
done:
    cau_model_free(model);
    return st;
}

/* Trains MEGA. With `best`, the iteration that labels most of data->test right goes there, and how
 * many that are to *right. */
static caucus_status train_mega(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                const cau_adapt_options *o, const cau_tuned *tuned,
                                unsigned threads, size_t *best, size_t *right, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_train_options train = train_options(o, data, tuned->l2);
    cau_mega_options how = mega_options(o, &train, tuned, threads);
    cau_domains domains = {0};
    cau_mega mega = {0};
    cau_strbuf info = {0};
    listener l = {.ctx = ctx,
                  .data = data,
                  .domains = &domains,
                  .threads = threads,
                  .scores = best != NULL,
                  .began = cau_seconds()};
    how.tied = method == CAU_METHOD_TIED;
    TRY(cau_domains_init(ctx, data, train.model == CAU_MODEL_MEMM, &domains));
    TRY(cau_mega_fit(ctx, &domains, &how, heard, &l, &mega));
    if (best) {
        *best = l.best_iteration;
        *right = l.best_right;
    } else {
        TRY(describe(ctx, o, data, &domains, &how, &mega, &info));
        TRY(cau_mega_model(ctx, data, &domains, &mega, (cau_str){info.s, info.n}, out));
    }
done:
    cau_strbuf_clear(&info);
    cau_mega_clear(&mega);
    cau_domains_clear(&domains);
    return st;
}

/* ---- tuning -------------------------------------------------------------------------------- */

static caucus_status train_once(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                const cau_adapt_options *o, const cau_tuned *tuned,
                                unsigned threads, caucus_model **out)
{
    if (cau_method_is_mega(method))
        return train_mega(ctx, data, method, o, tuned, threads, NULL, NULL, out);
    const cau_train_options train = train_options(o, data, tuned->l2);
    return cau_baseline_train(ctx, data, method, &train, tuned->t, o->seed, threads, out);
}

/* How well one setting does on the held-out part; what else can be chosen under it is. */
static caucus_status try_setting(caucus_ctx *ctx, const caucus_data *part, cau_method method,
                                 const cau_adapt_options *o, unsigned threads, cau_tuned *tuned,
                                 size_t *right)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    if (cau_method_is_mega(method)) {
        TRY(train_mega(ctx, part, method, o, tuned, threads, &tuned->iterations, right, NULL));
        goto done;
    }
    TRY(train_once(ctx, part, method, o, tuned, threads, &model));
    if (method == CAU_METHOD_INTERPOLATE) {
        TRY(cau_baseline_weigh(ctx, model, part, threads, &tuned->t));
        const double alpha[] = {tuned->t, 1 - tuned->t};
        caucus_model view = *model; /* with these weights instead of its own */
        view.pool.alpha = alpha;
        TRY(count_right(ctx, &view, part, threads, right));
    } else {
        TRY(count_right(ctx, model, part, threads, right));
    }
done:
    cau_model_free(model);
    return st;
}

/* The data without a random tenth of the in-domain sequences, which become its test set.
 * CAUCUS_ERR_FORMAT when that leaves a single label. */
static caucus_status hold_out(caucus_ctx *ctx, const caucus_data *data, const cau_adapt_options *o,
                              size_t in, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t S = data->train.S, held = (in + HELD_SHARE - 1) / HELD_SHARE;
    cau_rng rng;
    uint32_t *order = cau_alloc(S, sizeof *order), *rest = cau_alloc(S, sizeof *rest);
    uint8_t *leaves = cau_calloc(S, sizeof *leaves);
    if (!order || !rest || !leaves) TRY(cau_fail_memory(ctx, "the held-out data"));
    for (size_t s = 0; s < S; s++) order[s] = (uint32_t)s;
    cau_rng_init(&rng, o->seed);
    cau_rng_shuffle(&rng, order, in);
    for (size_t i = 0; i < held; i++) leaves[order[i]] = 1;
    size_t kept = 0, left = 0;
    for (size_t s = 0; s < S; s++) {
        if (leaves[s])
            order[left++] = (uint32_t)s;
        else
            rest[kept++] = (uint32_t)s;
    }
    const cau_part_of part = {.train = rest, .trained = kept, .test = order, .held = left};
    TRY(cau_data_subset(ctx, data, &part, o->cutoff, out));
done:
    free(order);
    free(rest);
    free(leaves);
    return st;
}

static caucus_status tune(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                          const cau_adapt_options *o, unsigned threads, cau_tuned *tuned)
{
    caucus_status st = CAUCUS_OK;
    const size_t in = count_in(&data->train);
    double values[TUNE_MOST] = {o->train.l2};
    size_t count = o->tune ? parse_values(o->tune, values) : 1, most = 0;
    caucus_data *part = NULL;
    if (!o->tune && method != CAU_METHOD_INTERPOLATE) return CAUCUS_OK;
    if (in > 1) st = hold_out(ctx, data, o, in, &part);
    if (st && st != CAUCUS_ERR_FORMAT) goto done;
    if (!part || !cau_adapt_learns(part, method)) {
        cau_note(ctx, "there is too little in-domain data to hold some out, so nothing is tuned");
        st = CAUCUS_OK;
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        cau_tuned tried = {.l2 = values[i], .t = .5};
        size_t right = 0;
        TRY(try_setting(ctx, part, method, o, threads, &tried, &right));
        if (i > 0 && (right < most || (right == most && tried.l2 <= tuned->l2))) continue;
        most = right;
        *tuned = tried;
    }
done:
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
    TRY(cau_adapt_check(ctx, o));
    TRY(cau_adapt_train(ctx, data, (cau_method)o->method, o, o->threads, NULL, &model));
    if (data->test.N) {
        size_t right;
        TRY(count_right(ctx, model, data, o->threads, &right));
        cau_note(ctx, "%.2f%% of the test data are labelled right",
                 100 * (double)right / (double)data->test.N);
    }
    if (o->train.output) TRY(cau_model_save(ctx, model, o->train.output));
    *out = model;
    model = NULL;
done:
    cau_model_free(model);
    return st;
}
