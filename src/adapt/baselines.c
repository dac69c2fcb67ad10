/* baselines.c - see baselines.h. Every method is a few steps of training:
 *
 *     only-in          target ──────────▶ fit
 *     only-out         source ──────────▶ fit
 *     mix              target + source ─▶ fit; mix-weighted with sum_source c_n = N_target
 *     interpolate      only-in, only-out ──▶ join
 *     feats            only-out ──labels──▶ target, extended by them ──▶ fit ──▶ join with only-out
 *     prior            only-out ──mean────▶ target, with all names and labels ──▶ fit
 *     augment          target + source, extended by copies ──▶ fit ──▶ fold the target copies
 *
 * In augment, feature k of domain d has the score w_k + w_kd, with the same penalty on both [1]:
 * for the target domain that is one weight.
 * [1] Daume. Frustratingly Easy Domain Adaptation. ACL 2007. */

#include "adapt/baselines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "dataset/extend.h"
#include "dataset/subset.h"
#include "infer/apply.h"
#include "train/resolve_options.h"

typedef struct {
    caucus_ctx *ctx;
    caucus_data data; /* a view of the training set alone */
    cau_method method;
    cau_train_options train; /* without what belongs to a single run: output, masks, start */
    double t;
    uint64_t seed;
    unsigned threads;
    cau_strbuf notes; /* of the final model, besides those of its training */
} baseline;

const char *cau_method_name(cau_method method)
{
    static const char *const names[] = {"mega",        "mega-tied", "only-in",      "only-out",
                                        "interpolate", "mix",       "mix-weighted", "feats",
                                        "prior",       "augment",   "all"};
    return names[method];
}

/* ---- parts of the data --------------------------------------------------------------------- */

typedef enum { SOURCE, TARGET } domain_side;

static const char *side_name(domain_side side)
{
    return side == TARGET ? "target" : "source";
}

static domain_side side_of(const cau_dataset *set, size_t s)
{
    return set->unit[s] == 0 ? TARGET : SOURCE;
}

static size_t count_instances(const cau_dataset *set, domain_side side)
{
    size_t N = 0;
    for (size_t s = 0; s < set->S; s++)
        if (side_of(set, s) == side) N += cau_dataset_length(set, s);
    return N;
}

static caucus_status require_data(const baseline *b, domain_side side)
{
    if (count_instances(&b->data.train, side) > 0) return CAUCUS_OK;
    return cau_fail(b->ctx, CAUCUS_ERR_FORMAT,
                    "there is no %s data, which %s needs; add some, or use another method",
                    side_name(side), cau_method_name(b->method));
}

/* The data of one side, with all names and labels if `whole`. Free it with cau_data_free. */
static caucus_status select_side(const baseline *b, domain_side side, bool whole, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &b->data.train;
    uint32_t *list = cau_alloc(set->S, sizeof *list);
    if (!list) TRY(cau_fail_memory(b->ctx, "a part of the data"));
    TRY(require_data(b, side));
    cau_part_of part = {.train = list, .whole = whole};
    for (size_t s = 0; s < set->S; s++)
        if (side_of(set, s) == side) list[part.trained++] = (uint32_t)s;
    st = cau_data_subset(b->ctx, &b->data, &part, 0, out);
    if (st == CAUCUS_ERR_FORMAT)
        st = cau_fail(b->ctx, st, "the %s data: %s", side_name(side), b->ctx->message);
done:
    free(list);
    return st;
}

/* ---- training ------------------------------------------------------------------------------ */

/* Copies the notes of a model with a prefix, without those that the joined model has itself. */
static void copy_notes(const caucus_model *m, const char *prefix, cau_strbuf *out)
{
    const char *key, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);)
        if (strcmp(key, "model") != 0 && strcmp(key, "seed") != 0)
            cau_strbuf_printf(out, "%s.%s\t%s\n", prefix, key, value);
}

/* Trains the final model, with its notes. `source`, unless NULL, is a model that it is based on;
 * with `prior` its weights are the means. */
static caucus_status fit_final(baseline *b, const caucus_data *data, const caucus_model *source,
                               bool prior, caucus_model **out)
{
    cau_train_options o = b->train;
    cau_strbuf_printf(&b->notes, "method\t%s\n", cau_method_name(b->method));
    if (source) copy_notes(source, "out", &b->notes);
    cau_strbuf_add(&b->notes, b->train.kept.s, b->train.kept.n);
    const caucus_status st = cau_strbuf_status(b->ctx, &b->notes);
    if (st) return st;
    o.kept = (cau_str){b->notes.s, b->notes.n};
    if (prior) o.prior = source;
    return cau_fit(b->ctx, data, &o, b->seed, b->threads, out);
}

/* Trains on one side alone, for a method that needs such a model. */
static caucus_status fit_side(const baseline *b, domain_side side, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *data = NULL;
    cau_train_options o = b->train;
    o.kept = (cau_str){NULL, 0};
    TRY(select_side(b, side, false, &data));
    TRY(cau_fit(b->ctx, data, &o, b->seed, b->threads, out));
done:
    cau_data_free(data);
    return st;
}

/* ---- a single model ------------------------------------------------------------------------ */

static caucus_status train_only(baseline *b, domain_side side, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *data = NULL;
    TRY(select_side(b, side, false, &data));
    TRY(fit_final(b, data, NULL, false, out));
done:
    cau_data_free(data);
    return st;
}

/* c_n = N_target / N_source for source instances, times their own weights. */
static caucus_status train_mix_weighted(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data weighted = b->data; /* a view, except for the weights */
    cau_dataset *set = &weighted.train;
    const float *own = set->weight;
    float *weight = cau_alloc(set->N, sizeof *weight);
    if (!weight) TRY(cau_fail_memory(b->ctx, "the weights of instances"));
    TRY(require_data(b, TARGET));
    TRY(require_data(b, SOURCE));
    const float c =
        (float)((double)count_instances(set, TARGET) / (double)count_instances(set, SOURCE));
    for (size_t s = 0, n = 0; s < set->S; s++)
        for (const size_t end = n + cau_dataset_length(set, s); n < end; n++)
            weight[n] = (own ? own[n] : 1) * (side_of(set, s) == TARGET ? 1 : c);
    set->weight = weight;
    TRY(fit_final(b, &weighted, NULL, false, out));
done:
    free(weight);
    return st;
}

/* The gradient of features that the target data lacks is that of the penalty alone, so their
 * weights stay at the mean. That is why the target data keeps all names and labels. */
static caucus_status train_prior(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *target = NULL;
    caucus_model *source = NULL;
    TRY(select_side(b, TARGET, true, &target));
    TRY(fit_side(b, SOURCE, &source));
    TRY(fit_final(b, target, source, true, out));
done:
    cau_data_free(target);
    cau_model_free(source);
    return st;
}

/* ---- two models ---------------------------------------------------------------------------- */

static caucus_status train_interpolate(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *side[2] = {NULL, NULL};
    const double alpha[] = {b->t, 1 - b->t};
    const cau_kind kind = cau_train_kind(&b->train, &b->data);
    cau_strbuf *info = &b->notes;
    TRY(fit_side(b, TARGET, &side[0]));
    TRY(fit_side(b, SOURCE, &side[1]));
    cau_strbuf_printf(info, "model\t%s\n", cau_kind_name(kind));
    cau_strbuf_printf(info, "method\t%s\n", cau_method_name(b->method));
    cau_strbuf_printf(info, "interpolation\t%g\n", b->t);
    copy_notes(side[0], "in", info);
    copy_notes(side[1], "out", info);
    cau_strbuf_printf(info, "seed\t%llu\n", (unsigned long long)b->seed);
    cau_strbuf_printf(info, "fingerprint\t%016llx\n", (unsigned long long)b->data.fingerprint);
    cau_strbuf_add(info, b->train.kept.s, b->train.kept.n);
    TRY(cau_strbuf_status(b->ctx, info));
    const cau_join_parts parts = {
        .member = (const caucus_model *const *)side,
        .pool = {.J = 2,
                 .combine = CAU_COMBINE_MIXTURE,
                 .per = kind == CAU_KIND_CRF ? CAU_PER_SEQUENCE : CAU_PER_TRANSITION,
                 .mix = CAU_MIX_CHAIN,
                 .alpha = alpha},
        .info = {info->s, info->n}};
    TRY(cau_join(b->ctx, &parts, out));
done:
    cau_model_free(side[0]);
    cau_model_free(side[1]);
    return st;
}

/* The label that a model predicts for each instance, as a feature of it. */
typedef struct {
    const cau_alphabet *labels;
    uint32_t *label; /* [N] */
    cau_strbuf name;
} label_features;

/* The functions of cau_extension. */
static cau_str label_feature_name(void *self, size_t y)
{
    label_features *f = self;
    const cau_str label = cau_alphabet_name(f->labels, (uint32_t)y);
    f->name.n = 0;
    cau_strbuf_printf(&f->name, "%s", CAU_STACK_NAME);
    cau_strbuf_add(&f->name, label.s, label.n);
    return f->name.failed ? (cau_str){NULL, 0} : (cau_str){f->name.s, f->name.n};
}

static size_t label_feature(void *self, size_t n, uint32_t *extra, float *value, size_t room)
{
    const label_features *f = self;
    (void)value, (void)room;
    *extra = f->label[n];
    return f->label[n] != CAU_UNKNOWN;
}

/* The target data with the labels that a model predicts as features. The model may predict labels
 * that the target data lacks, so it labels a copy that has all of them. */
static caucus_status extend_by_labels(const baseline *b, const caucus_model *model,
                                      caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *target = NULL, *whole = NULL;
    label_features f = {.labels = b->data.labels};
    TRY(select_side(b, TARGET, false, &target));
    TRY(select_side(b, TARGET, true, &whole));
    f.label = cau_alloc(whole->train.N, sizeof *f.label);
    if (!f.label) TRY(cau_fail_memory(b->ctx, "the labels"));
    TRY(cau_apply_set(b->ctx, model, whole, &whole->train, b->threads, f.label, NULL));
    const cau_extension more = {.count = cau_alphabet_size(f.labels),
                                .most = 1,
                                .name = label_feature_name,
                                .extra = label_feature,
                                .self = &f};
    TRY(cau_data_extend(b->ctx, target, &more, out));
done:
    cau_strbuf_clear(&f.name);
    free(f.label);
    cau_data_free(whole);
    cau_data_free(target);
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

static caucus_status train_feats(baseline *b, caucus_model **out)
{
    static const double one = 1;
    caucus_status st = CAUCUS_OK;
    caucus_data *target = NULL;
    caucus_model *source = NULL, *top = NULL;
    TRY(refuse_explicit(b));
    TRY(require_data(b, TARGET));
    TRY(fit_side(b, SOURCE, &source));
    TRY(extend_by_labels(b, source, &target));
    TRY(fit_final(b, target, source, false, &top));
    const cau_join_parts parts = {.member = (const caucus_model *const *)&source,
                                  .top = top,
                                  .pool = {.J = 1, .combine = CAU_COMBINE_STACK, .alpha = &one}};
    TRY(cau_join(b->ctx, &parts, out));
done:
    cau_data_free(target);
    cau_model_free(source);
    cau_model_free(top);
    return st;
}

/* ---- copies of features -------------------------------------------------------------------- */

/* Feature k in domain d has the number d K + k; copies are those that occur, in this order. Their
 * names contain a line end, which no name in a file can. */
typedef struct {
    const caucus_data *data;
    size_t K, D, count, most; /* copies; those of an instance, at most */
    uint32_t *copy;           /* [D K] the copy of each, CAU_UNKNOWN if it does not occur */
    uint32_t *domain;         /* [N] */
    size_t *feature;          /* [count] d K + k */
    cau_strbuf name;
} feature_copies;

static void clear_copies(feature_copies *c)
{
    free(c->copy);
    free(c->domain);
    free(c->feature);
    cau_strbuf_clear(&c->name);
}

/* The functions of cau_extension. */
static cau_str copy_name(void *self, size_t i)
{
    feature_copies *c = self;
    const size_t d = c->feature[i] / c->K, k = c->feature[i] % c->K;
    const cau_str name = cau_alphabet_name(c->data->alphabets.names, (uint32_t)k);
    c->name.n = 0;
    cau_strbuf_add(&c->name, name.s, name.n);
    cau_strbuf_printf(&c->name, "\n%zu", d);
    return c->name.failed ? (cau_str){NULL, 0} : (cau_str){c->name.s, c->name.n};
}

static size_t copies_of(void *self, size_t n, uint32_t *extra, float *value, size_t room)
{
    const feature_copies *c = self;
    const cau_csr *x = &c->data->train.x;
    size_t count = 0;
    (void)room; /* enough for the longest row */
    for (size_t e = x->start[n]; e < x->start[n + 1]; e++) {
        if (x->value) value[count] = x->value[e];
        extra[count++] = c->copy[c->domain[n] * c->K + x->column[e]];
    }
    return count;
}

/* Numbers the features that occur in each domain. Clear *c also on failure. */
static caucus_status number_copies(const baseline *b, feature_copies *c)
{
    const cau_dataset *set = &b->data.train;
    const cau_csr *x = &set->x;
    size_t all;
    *c = (feature_copies){.data = &b->data, .K = set->K};
    for (size_t s = 0; s < set->S; s++)
        if (set->unit[s] >= c->D) c->D = set->unit[s] + (size_t)1;
    if (!cau_size_mul(c->D, c->K, &all)) return cau_fail_memory(b->ctx, "the copies of features");
    c->copy = cau_alloc(all, sizeof *c->copy);
    c->domain = cau_alloc(set->N, sizeof *c->domain);
    if (!c->copy || !c->domain) return cau_fail_memory(b->ctx, "the copies of features");
    for (size_t i = 0; i < all; i++) c->copy[i] = CAU_UNKNOWN;
    for (size_t s = 0, n = 0; s < set->S; s++)
        for (const size_t end = n + cau_dataset_length(set, s); n < end; n++) {
            c->domain[n] = set->unit[s];
            if (x->start[n + 1] - x->start[n] > c->most) c->most = x->start[n + 1] - x->start[n];
            for (size_t e = x->start[n]; e < x->start[n + 1]; e++)
                c->copy[set->unit[s] * c->K + x->column[e]] = 0;
        }
    for (size_t i = 0; i < all; i++) c->count += c->copy[i] != CAU_UNKNOWN;
    c->feature = cau_alloc(c->count, sizeof *c->feature);
    if (!c->feature) return cau_fail_memory(b->ctx, "the copies of features");
    for (size_t i = 0, next = 0; i < all; i++) {
        if (c->copy[i] == CAU_UNKNOWN) continue;
        c->copy[i] = (uint32_t)next;
        c->feature[next++] = i;
    }
    return CAUCUS_OK;
}

static caucus_status train_augment(baseline *b, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    feature_copies c = {0};
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    TRY(refuse_explicit(b));
    TRY(number_copies(b, &c));
    const cau_extension more = {
        .count = c.count, .most = c.most, .name = copy_name, .extra = copies_of, .self = &c};
    TRY(cau_data_extend(b->ctx, &b->data, &more, &data));
    TRY(fit_final(b, data, NULL, false, &model));
    TRY(cau_fold(b->ctx, model, b->data.alphabets.names, (cau_str){"\n0", 2}, out));
done:
    cau_model_free(model);
    cau_data_free(data);
    clear_copies(&c);
    return st;
}

/* ---- all baselines ------------------------------------------------------------------------- */

static caucus_status train_method(baseline *b, caucus_model **out)
{
    switch (b->method) {
    case CAU_METHOD_ONLY_IN:
        return train_only(b, TARGET, out);
    case CAU_METHOD_ONLY_OUT:
        return train_only(b, SOURCE, out);
    case CAU_METHOD_INTERPOLATE:
        return train_interpolate(b, out);
    case CAU_METHOD_MIX:
        return fit_final(b, &b->data, NULL, false, out);
    case CAU_METHOD_MIX_WEIGHTED:
        return train_mix_weighted(b, out);
    case CAU_METHOD_FEATS:
        return train_feats(b, out);
    case CAU_METHOD_PRIOR:
        return train_prior(b, out);
    case CAU_METHOD_AUGMENT:
        return train_augment(b, out);
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
    const caucus_status st = train_method(&b, out);
    cau_strbuf_clear(&b.notes);
    return st;
}

/* ---- labels of the test set ---------------------------------------------------------------- */

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
    uint32_t *label = cau_alloc(data->test.N, sizeof *label);
    if (!label) TRY(cau_fail_memory(ctx, "the labels"));
    if (view.pool.J != 2 || view.pool.combine != CAU_COMBINE_MIXTURE)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the model is not an interpolation of two"));
    view.pool.alpha = alpha;
    for (int i = 0; i <= STEPS; i++) {
        size_t right;
        alpha[0] = (double)i / STEPS;
        alpha[1] = 1 - alpha[0];
        TRY(cau_label_test(ctx, &view, data, threads, label, &right));
        const bool nearer = abs(i - STEPS / 2) < abs(best - STEPS / 2);
        if (i > 0 && (right < most || (right == most && !nearer))) continue;
        most = right;
        best = i;
    }
    *t = (double)best / STEPS;
done:
    free(label);
    return st;
}
