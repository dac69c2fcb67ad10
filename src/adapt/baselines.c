/* baselines.c - see baselines.h. Every method is a few steps of training:
 *
 *     only-in          in ──────▶ fit
 *     only-out         out ─────▶ fit
 *     mix              in + out ▶ fit, mix-weighted with sum_out c_n = N_in instead of N_out
 *     interpolate      only-in, only-out ──▶ join
 *     feats            only-out ──answers──▶ in, extended by them ──▶ fit ──▶ join with only-out
 *     prior            only-out ──mean─────▶ in, with the names and labels of all ──▶ fit
 *     augment          in + out, extended by copies ──▶ fit ──▶ fold the copies of domain 0
 *
 * In augment, feature k of domain d has the score w_k + w_kd there, with the same penalty on both
 * [1]: for the domain that matters that is one weight.
 * [1] Daume. Frustratingly Easy Domain Adaptation. ACL 2007. */

#include "adapt/baselines.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/join.h"
#include "base/memory.h"
#include "base/status.h"
#include "dataset/extend.h"
#include "dataset/subset.h"
#include "infer/apply.h"
#include "train/resolve_options.h"

typedef struct {
    caucus_ctx *ctx;
    caucus_data data; /* a view, of its training set alone */
    cau_method method;
    cau_train_options train; /* nothing of it is saved, or speaks of weights by their place */
    double t;
    uint64_t seed;
    unsigned threads;
    cau_strbuf kept; /* what the model is to note beside its training */
} baseline;

const char *cau_method_name(cau_method method)
{
    static const char *const names[] = {"mega",        "mega-tied", "only-in",      "only-out",
                                        "interpolate", "mix",       "mix-weighted", "feats",
                                        "prior",       "augment",   "all"};
    return names[method];
}

/* ---- parts of the data ----------------------------------------------------------------------- */

static bool is_in(const cau_dataset *set, size_t s)
{
    return set->unit[s] == 0;
}

/* Instances of the domain that matters, or of the others. */
static size_t count_in(const cau_dataset *set, bool in)
{
    size_t N = 0;
    for (size_t s = 0; s < set->S; s++) N += is_in(set, s) == in ? cau_dataset_length(set, s) : 0;
    return N;
}

static caucus_status require(const baseline *b, bool in)
{
    if (count_in(&b->data.train, in) > 0) return CAUCUS_OK;
    return cau_fail(b->ctx, CAUCUS_ERR_FORMAT,
                    "there is no %s data, which %s needs; add some, or use another method",
                    in ? "target" : "source", cau_method_name(b->method));
}

/* The data of the domain that matters, or that of the others; `whole`: with all names and labels.
 * Free it. */
static caucus_status take(const baseline *b, bool in, bool whole, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &b->data.train;
    size_t count = 0;
    cau_strbuf why = {0};
    uint32_t *list = cau_alloc(set->S, sizeof *list);
    if (!list) TRY(cau_fail_memory(b->ctx, "a part of the data"));
    TRY(require(b, in));
    for (size_t s = 0; s < set->S; s++)
        if (is_in(set, s) == in) list[count++] = (uint32_t)s;
    const cau_part_of part = {.train = list, .trained = count, .whole = whole};
    st = cau_data_subset(b->ctx, &b->data, &part, 0, out);
    if (st == CAUCUS_ERR_FORMAT) {
        cau_strbuf_printf(&why, "the %s data: %s", in ? "target" : "source", b->ctx->message);
        TRY(cau_strbuf_status(b->ctx, &why));
        TRY(cau_fail(b->ctx, CAUCUS_ERR_FORMAT, "%s", why.s));
    }
done:
    cau_strbuf_clear(&why);
    free(list);
    return st;
}

/* ---- training -------------------------------------------------------------------------------- */

/* What a model notes of itself, each key behind a prefix. What all models of a run share is noted
 * once, by the whole. */
static void note_of(const caucus_model *m, const char *prefix, cau_strbuf *out)
{
    const char *key, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);)
        if (strcmp(key, "model") != 0 && strcmp(key, "seed") != 0)
            cau_strbuf_printf(out, "%s.%s\t%s\n", prefix, key, value);
}

/* The notes that come with the model of the method. `behind` is one that it rests on, or NULL. */
static caucus_status keep_notes(baseline *b, const caucus_model *behind)
{
    cau_strbuf_printf(&b->kept, "method\t%s\n", cau_method_name(b->method));
    if (behind) note_of(behind, "out", &b->kept);
    cau_strbuf_add(&b->kept, b->train.kept.s, b->train.kept.n);
    return cau_strbuf_status(b->ctx, &b->kept);
}

/* The model of the method, with its notes. */
static caucus_status fit(const baseline *b, const caucus_data *data, const caucus_model *prior,
                         caucus_model **out)
{
    cau_train_options o = b->train;
    o.kept = (cau_str){b->kept.s, b->kept.n};
    if (prior) o.prior = prior;
    return cau_fit(b->ctx, data, &o, b->seed, b->threads, out);
}

/* A model on the way to it, from the data of one side. */
static caucus_status fit_side(const baseline *b, bool in, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *side = NULL;
    cau_train_options o = b->train;
    o.kept = (cau_str){NULL, 0};
    TRY(take(b, in, false, &side));
    TRY(cau_fit(b->ctx, side, &o, b->seed, b->threads, out));
done:
    cau_data_free(side);
    return st;
}

/* ---- one model ------------------------------------------------------------------------------- */

static caucus_status only(baseline *b, bool in, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *side = NULL;
    TRY(take(b, in, false, &side));
    TRY(keep_notes(b, NULL));
    TRY(fit(b, side, NULL, out));
done:
    cau_data_free(side);
    return st;
}

static caucus_status mix(baseline *b, caucus_model **out)
{
    const caucus_status st = keep_notes(b, NULL);
    return st ? st : fit(b, &b->data, NULL, out);
}

/* c_n = N_in / N_out for the instances of other domains, times what they weigh by themselves. */
static caucus_status mix_weighted(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data weighted = b->data; /* a view, but for the weights */
    cau_dataset *set = &weighted.train;
    const float *own = set->weight;
    float *weight = cau_alloc(set->N, sizeof *weight);
    if (!weight) TRY(cau_fail_memory(b->ctx, "the weights of instances"));
    TRY(require(b, true));
    TRY(require(b, false));
    const float c = (float)((double)count_in(set, true) / (double)count_in(set, false));
    for (size_t s = 0, n = 0; s < set->S; s++)
        for (const size_t end = n + cau_dataset_length(set, s); n < end; n++)
            weight[n] = (own ? own[n] : 1) * (is_in(set, s) ? 1 : c);
    set->weight = weight;
    TRY(keep_notes(b, NULL));
    TRY(fit(b, &weighted, NULL, out));
done:
    free(weight);
    return st;
}

/* Features that the in-domain data lacks have no gradient but that of the penalty: their weights
 * stay where it pulls to. So the data keeps all names and labels. */
static caucus_status prior(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *in = NULL;
    caucus_model *mean = NULL;
    TRY(take(b, true, true, &in));
    TRY(fit_side(b, false, &mean));
    TRY(keep_notes(b, mean));
    TRY(fit(b, in, mean, out));
done:
    cau_data_free(in);
    cau_model_free(mean);
    return st;
}

/* ---- two models ------------------------------------------------------------------------------ */

static caucus_status interpolate(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *side[2] = {NULL, NULL};
    const double alpha[] = {b->t, 1 - b->t};
    const cau_kind kind = cau_train_kind(&b->train, &b->data);
    cau_strbuf info = {0};
    TRY(fit_side(b, true, &side[0]));
    TRY(fit_side(b, false, &side[1]));
    cau_strbuf_printf(&info, "model\t%s\n", cau_kind_name(kind));
    cau_strbuf_printf(&info, "method\t%s\n", cau_method_name(b->method));
    cau_strbuf_printf(&info, "interpolation\t%g\n", b->t);
    note_of(side[0], "in", &info);
    note_of(side[1], "out", &info);
    cau_strbuf_printf(&info, "seed\t%llu\n", (unsigned long long)b->seed);
    cau_strbuf_printf(&info, "fingerprint\t%016llx\n", (unsigned long long)b->data.fingerprint);
    cau_strbuf_add(&info, b->train.kept.s, b->train.kept.n);
    TRY(cau_strbuf_status(b->ctx, &info));
    const cau_join_parts parts = {
        .member = (const caucus_model *const *)side,
        .pool = {.J = 2,
                 .combine = CAU_COMBINE_MIXTURE,
                 .per = kind == CAU_KIND_CRF ? CAU_PER_SEQUENCE : CAU_PER_TRANSITION,
                 .mix = CAU_MIX_CHAIN,
                 .alpha = alpha},
        .info = {info.s, info.n}};
    TRY(cau_join(b->ctx, &parts, out));
done:
    cau_strbuf_clear(&info);
    cau_model_free(side[0]);
    cau_model_free(side[1]);
    return st;
}

/* What a model answers for each instance, as a feature of it. */
typedef struct {
    const cau_alphabet *labels;
    const uint32_t *answer; /* [N] */
    cau_strbuf name;
} answers;

static cau_str answer_name(void *self, size_t y)
{
    answers *a = self;
    const cau_str label = cau_alphabet_name(a->labels, (uint32_t)y);
    a->name.n = 0;
    cau_strbuf_printf(&a->name, "%s", CAU_STACK_NAME);
    cau_strbuf_add(&a->name, label.s, label.n);
    return a->name.failed ? (cau_str){NULL, 0} : (cau_str){a->name.s, a->name.n};
}

static size_t answer_of(void *self, size_t n, uint32_t *extra, float *value, size_t room)
{
    const answers *a = self;
    (void)value, (void)room;
    *extra = a->answer[n];
    return a->answer[n] != CAU_UNKNOWN;
}

/* The in-domain data with the answers of another model. They are found in a copy that knows all
 * labels: the model may give one that the in-domain data lacks. */
static caucus_status hear(const baseline *b, const caucus_model *model, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *in = NULL, *whole = NULL;
    uint32_t *answer = NULL;
    answers a = {.labels = b->data.labels};
    TRY(take(b, true, false, &in));
    TRY(take(b, true, true, &whole));
    answer = cau_alloc(whole->train.N, sizeof *answer);
    if (!answer) TRY(cau_fail_memory(b->ctx, "the answers"));
    TRY(cau_apply_set(b->ctx, model, whole, &whole->train, b->threads, answer, NULL));
    a.answer = answer;
    const cau_extension more = {.count = cau_alphabet_size(a.labels),
                                .most = 1,
                                .name = answer_name,
                                .extra = answer_of,
                                .self = &a};
    TRY(cau_data_extend(b->ctx, in, &more, out));
done:
    cau_strbuf_clear(&a.name);
    free(answer);
    cau_data_free(whole);
    cau_data_free(in);
    return st;
}

static caucus_status refuse_explicit(const baseline *b)
{
    if (b->data.train.group == 1) return CAUCUS_OK;
    return cau_fail(b->ctx, CAUCUS_ERR_UNSUPPORTED,
                    "%s cannot use features that are given for each class apart; use another "
                    "method",
                    cau_method_name(b->method));
}

static caucus_status feats(baseline *b, caucus_model **out)
{
    static const double one = 1;
    caucus_status st = CAUCUS_OK;
    caucus_data *in = NULL;
    caucus_model *model = NULL, *top = NULL;
    TRY(refuse_explicit(b));
    TRY(require(b, true));
    TRY(fit_side(b, false, &model));
    TRY(hear(b, model, &in));
    TRY(keep_notes(b, model));
    TRY(fit(b, in, NULL, &top));
    const cau_join_parts parts = {.member = (const caucus_model *const *)&model,
                                  .top = top,
                                  .pool = {.J = 1, .combine = CAU_COMBINE_STACK, .alpha = &one}};
    TRY(cau_join(b->ctx, &parts, out));
done:
    cau_data_free(in);
    cau_model_free(model);
    cau_model_free(top);
    return st;
}

/* ---- copies of features ---------------------------------------------------------------------- */

/* A feature of a domain is a number d K + k; those that occur are numbered in that order. The name
 * of a copy has a line end, which no name that was read has. */
typedef struct {
    const caucus_data *data;
    size_t K, D, count, most;
    uint32_t *number; /* [D K] of each, or CAU_UNKNOWN: it does not occur */
    uint32_t *domain; /* [N] of each instance */
    size_t *copy;     /* [count] the feature that it is of: d K + k */
    cau_strbuf name;
} copies;

static void copies_clear(copies *c)
{
    free(c->number);
    free(c->domain);
    free(c->copy);
    cau_strbuf_clear(&c->name);
}

static void add_suffix(size_t d, cau_strbuf *name)
{
    cau_strbuf_printf(name, "\n%zu", d);
}

static cau_str copy_name(void *self, size_t i)
{
    copies *c = self;
    const cau_str name = cau_alphabet_name(c->data->alphabets.names, (uint32_t)(c->copy[i] % c->K));
    c->name.n = 0;
    cau_strbuf_add(&c->name, name.s, name.n);
    add_suffix(c->copy[i] / c->K, &c->name);
    return c->name.failed ? (cau_str){NULL, 0} : (cau_str){c->name.s, c->name.n};
}

static size_t copies_of(void *self, size_t n, uint32_t *extra, float *value, size_t room)
{
    const copies *c = self;
    const cau_csr *x = &c->data->train.x;
    size_t count = 0;
    (void)room; /* enough for the longest row */
    for (size_t e = x->start[n]; e < x->start[n + 1]; e++) {
        if (x->value) value[count] = x->value[e];
        extra[count++] = c->number[c->domain[n] * c->K + x->column[e]];
    }
    return count;
}

/* Finds which features occur in which domain. To be cleared on failure as well. */
static caucus_status copies_init(const baseline *b, copies *c)
{
    const cau_dataset *set = &b->data.train;
    const cau_csr *x = &set->x;
    size_t all;
    *c = (copies){.data = &b->data, .K = set->K};
    for (size_t s = 0; s < set->S; s++)
        if (set->unit[s] >= c->D) c->D = set->unit[s] + (size_t)1;
    if (!cau_size_mul(c->D, c->K, &all)) return cau_fail_memory(b->ctx, "the copies of features");
    c->number = cau_alloc(all, sizeof *c->number);
    c->domain = cau_alloc(set->N, sizeof *c->domain);
    if (!c->number || !c->domain) return cau_fail_memory(b->ctx, "the copies of features");
    for (size_t i = 0; i < all; i++) c->number[i] = CAU_UNKNOWN;
    for (size_t s = 0, n = 0; s < set->S; s++)
        for (const size_t end = n + cau_dataset_length(set, s); n < end; n++) {
            c->domain[n] = set->unit[s];
            if (x->start[n + 1] - x->start[n] > c->most) c->most = x->start[n + 1] - x->start[n];
            for (size_t e = x->start[n]; e < x->start[n + 1]; e++)
                c->number[set->unit[s] * c->K + x->column[e]] = 0;
        }
    for (size_t i = 0; i < all; i++) c->count += c->number[i] != CAU_UNKNOWN;
    c->copy = cau_alloc(c->count, sizeof *c->copy);
    if (!c->copy) return cau_fail_memory(b->ctx, "the copies of features");
    for (size_t i = 0, next = 0; i < all; i++) {
        if (c->number[i] == CAU_UNKNOWN) continue;
        c->number[i] = (uint32_t)next;
        c->copy[next++] = i;
    }
    return CAUCUS_OK;
}

static caucus_status augment(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    copies c = {0};
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    cau_strbuf suffix = {0};
    TRY(refuse_explicit(b));
    TRY(copies_init(b, &c));
    const cau_extension more = {
        .count = c.count, .most = c.most, .name = copy_name, .extra = copies_of, .self = &c};
    TRY(cau_data_extend(b->ctx, &b->data, &more, &data));
    TRY(keep_notes(b, NULL));
    TRY(fit(b, data, NULL, &model));
    add_suffix(0, &suffix);
    TRY(cau_strbuf_status(b->ctx, &suffix));
    TRY(cau_fold(b->ctx, model, b->data.alphabets.names, (cau_str){suffix.s, suffix.n}, out));
done:
    cau_strbuf_clear(&suffix);
    cau_model_free(model);
    cau_data_free(data);
    copies_clear(&c);
    return st;
}

/* ---- the interface --------------------------------------------------------------------------- */

static caucus_status run(baseline *b, caucus_model **out)
{
    switch (b->method) {
    case CAU_METHOD_ONLY_IN:
        return only(b, true, out);
    case CAU_METHOD_ONLY_OUT:
        return only(b, false, out);
    case CAU_METHOD_INTERPOLATE:
        return interpolate(b, out);
    case CAU_METHOD_MIX:
        return mix(b, out);
    case CAU_METHOD_MIX_WEIGHTED:
        return mix_weighted(b, out);
    case CAU_METHOD_FEATS:
        return feats(b, out);
    case CAU_METHOD_PRIOR:
        return prior(b, out);
    case CAU_METHOD_AUGMENT:
        return augment(b, out);
    case CAU_METHOD_MEGA:
    case CAU_METHOD_TIED:
    case CAU_METHOD_ALL:
        break;
    }
    return cau_fail(b->ctx, CAUCUS_ERR_ARGUMENT, "'%s' is not a baseline; use one",
                    cau_method_name(b->method));
}

caucus_status cau_baseline_train(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                 const cau_train_options *train, double t, uint64_t seed,
                                 unsigned threads, caucus_model **out)
{
    baseline b = {.ctx = ctx,
                  .data = *data,
                  .method = method,
                  .train = *train,
                  .t = t,
                  .seed = seed,
                  .threads = threads};
    if (!data->train.unit)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the data does not say which domain it is of; read a file for each");
    b.data.dev = b.data.test = (cau_dataset){0};
    b.train.output = NULL;
    b.train.resume = false;
    b.train.checkpoint = 0;
    b.train.rows = b.train.edge_rows = NULL;
    b.train.start = NULL;
    const caucus_status st = run(&b, out);
    cau_strbuf_clear(&b.kept);
    return st;
}

caucus_status cau_label_test(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                             unsigned threads, uint32_t *label, size_t *right)
{
    const cau_dataset *set = &data->test;
    const caucus_status st = cau_apply_set(ctx, model, data, set, threads, label, NULL);
    *right = 0;
    for (size_t n = 0; !st && n < set->N; n++)
        *right += label[n] == set->gold[n] && label[n] != CAU_UNKNOWN;
    return st;
}

caucus_status cau_baseline_weigh(caucus_ctx *ctx, const caucus_model *interpolated,
                                 const caucus_data *data, unsigned threads, double *t)
{
    enum { STEPS = 20 };
    caucus_status st = CAUCUS_OK;
    caucus_model view = *interpolated; /* with other weights of its members */
    double alpha[2];
    int best = 0;
    size_t most = 0;
    uint32_t *labels = cau_alloc(data->test.N, sizeof *labels);
    if (!labels) TRY(cau_fail_memory(ctx, "the answers"));
    if (view.pool.J != 2 || view.pool.combine != CAU_COMBINE_MIXTURE)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the model is not an interpolation of two"));
    view.pool.alpha = alpha;
    for (int i = 0; i <= STEPS; i++) {
        size_t right;
        alpha[0] = (double)i / STEPS;
        alpha[1] = 1 - alpha[0];
        TRY(cau_label_test(ctx, &view, data, threads, labels, &right));
        const bool nearer = abs(i - STEPS / 2) < abs(best - STEPS / 2);
        if (i > 0 && (right < most || (right == most && !nearer))) continue;
        most = right;
        best = i;
    }
    *t = (double)best / STEPS;
done:
    free(labels);
    return st;
}
