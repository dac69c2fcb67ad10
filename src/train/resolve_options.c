/* resolve_options.c - resolves automatic options for the given data, and refuses incompatible ones.
 */

#include "train/resolve_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "comm/comm.h"

/* The mean squared length of the rows of x, over observations with weights. */
static double mean_square(const cau_dataset *set, const uint8_t *rows)
{
    const size_t entries = cau_csr_nonzeros(&set->x);
    double sum = 0;
    if (!set->x.value && !rows) return (double)entries / (double)set->N;
    for (size_t e = 0; e < entries; e++) {
        const double x = set->x.value ? (double)set->x.value[e] : 1;
        if (!rows || rows[set->x.column[e]]) sum += x * x;
    }
    return sum / (double)set->N;
}

/* SDCA slows down for a penalty that is weak against the features of a position; L-BFGS and OWL-QN
 * do not: docs/decisions/stochastic.md. */
#define STRONG_L2 (1 / 80.0)
#define STRONG_L1 (1 / 100.0)
#define LARGE                                                                                      \
    1e9 /* limit in bytes for the residuals of transitions, which SDCA keeps for each sequence */

static bool is_for_dual(const cau_train_options *o, const caucus_data *data)
{
    if (!data || data->shared || !cau_train_chain(o, data) || data->train.partial) return false;
    if (o->l1 > 0 && (o->mean || o->prior)) return false;
    const double Y = (double)data->train.Y, kept = Y * Y * sizeof(float);
    if ((double)data->train.S * kept > LARGE) return false;
    const double length = mean_square(&data->train, o->rows);
    return (o->l1 > 0 && o->l1 >= STRONG_L1 * length) || (o->l2 > 0 && o->l2 >= STRONG_L2 * length);
}

cau_solver_kind cau_train_solver(const cau_train_options *o, const caucus_data *data)
{
    if (o->solver != CAU_SOLVER_AUTO) return o->solver;
    if (o->l1 > 0 && o->group != CAU_GROUP_NONE) return CAU_SOLVER_PROXIMAL;
    if (is_for_dual(o, data)) return CAU_SOLVER_SDCA;
    return o->l1 > 0 ? CAU_SOLVER_OWLQN : CAU_SOLVER_LBFGS;
}

cau_kind cau_train_kind(const cau_train_options *o, const caucus_data *data)
{
    switch (o->model) {
    case CAU_MODEL_MAXENT:
        return CAU_KIND_MAXENT;
    case CAU_MODEL_MEMM:
        return CAU_KIND_MEMM;
    case CAU_MODEL_CRF:
        return CAU_KIND_CRF;
    case CAU_MODEL_AUTO:
        break;
    }
    return data->train.sequence ? CAU_KIND_CRF : CAU_KIND_MAXENT;
}

const cau_chain_ops *cau_train_chain(const cau_train_options *o, const caucus_data *data)
{
    switch (cau_train_kind(o, data)) {
    case CAU_KIND_MEMM:
        return &cau_memm_ops;
    case CAU_KIND_CRF:
        return &cau_crf_ops;
    case CAU_KIND_MAXENT:
        break;
    }
    return NULL;
}

cau_states cau_train_states(const cau_train_options *o, bool chain)
{
    if (o->states != CAU_STATES_AUTO) return o->states;
    return chain ? CAU_STATES_SEEN : CAU_STATES_ALL;
}

bool cau_solver_is_perceptron(cau_solver_kind kind)
{
    return kind == CAU_SOLVER_PERCEPTRON || kind == CAU_SOLVER_PA || kind == CAU_SOLVER_AROW;
}

bool cau_solver_is_shared(cau_solver_kind kind)
{
    return kind == CAU_SOLVER_AUTO || kind == CAU_SOLVER_LBFGS || kind == CAU_SOLVER_OWLQN ||
           kind == CAU_SOLVER_GIS || kind == CAU_SOLVER_PROXIMAL;
}

bool cau_solver_is_stochastic(cau_solver_kind kind)
{
    return kind == CAU_SOLVER_SGD || kind == CAU_SOLVER_ADAGRAD || kind == CAU_SOLVER_FOBOS;
}

bool cau_solver_is_scaling(cau_solver_kind kind)
{
    return kind == CAU_SOLVER_GIS || kind == CAU_SOLVER_IIS;
}

const char *cau_solver_name(cau_solver_kind kind)
{
    static const char *const names[] = {"auto", "lbfgs",   "owlqn",   "gis",        "iis",
                                        "sgd",  "adagrad", "sdca",    "perceptron", "pa",
                                        "arow", "fobos",   "proximal"};
    return names[kind];
}

#define DROPOUT_MAX 0.9

caucus_status cau_options_check(caucus_ctx *ctx, const cau_train_options *o)
{
    cau_solver_kind kind = cau_train_solver(o, NULL);
    const char *name = cau_solver_name(kind);
    const char *mean = o->mean ? "--mean" : o->prior ? "a prior model" : NULL;
    if (o->l1 > 0 && (kind == CAU_SOLVER_LBFGS || kind == CAU_SOLVER_GIS || kind == CAU_SOLVER_IIS))
        return cau_fail(
            ctx, CAUCUS_ERR_ARGUMENT,
            "--solver %s cannot minimise an l1 penalty; use owlqn, sdca, sgd or adagrad", name);
    if (o->group != CAU_GROUP_NONE && o->l1 == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--group says what an l1 penalty keeps or drops as a whole; add --l1");
    if (o->group != CAU_GROUP_NONE && kind != CAU_SOLVER_PROXIMAL)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver %s cannot minimise a penalty on groups; use proximal, or leave "
                        "--group out",
                        name);
    if (o->correction && kind != CAU_SOLVER_GIS)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--correction belongs to --solver gis; leave it out for %s", name);
    if (o->correction && o->l2 > 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--correction is for training without a penalty; add --l2 0");
    if (o->rate > 0 && !cau_solver_is_stochastic(kind))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--rate belongs to --solver sgd, adagrad and fobos; leave it out for %s",
                        name);
    if (kind == CAU_SOLVER_FOBOS && o->l1 > 0 && o->l2 > 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver fobos takes an l1 or an l2 penalty, not both; add --l2 0, or use "
                        "adagrad");
    if (kind == CAU_SOLVER_FOBOS && mean)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver fobos pulls weights to 0, not to %s; use adagrad", mean);
    if (!(o->dropout >= 0 && o->dropout <= DROPOUT_MAX))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--dropout %g: not a share of the features; give 0 to %g", o->dropout,
                        DROPOUT_MAX);
    if (o->dropout > 0 && !cau_solver_is_stochastic(kind))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver %s learns from whole examples; for --dropout use sgd, adagrad or "
                        "fobos",
                        name);
    if (kind == CAU_SOLVER_SDCA && o->l1 == 0 && o->l2 == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver sdca needs a penalty; add --l2 or --l1, or use lbfgs");
    if (kind == CAU_SOLVER_SDCA && o->l1 > 0 && mean)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver sdca cannot pull weights to %s with an l1 penalty; use owlqn",
                        mean);
    if (mean && cau_solver_is_perceptron(kind))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s belongs to a penalty, and --solver %s has none; use --from to "
                        "start at a model",
                        mean, name);
    if (mean && o->l2 == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s is where the l2 penalty pulls to; it needs --l2 above 0", mean);
    if (mean && o->l1 > 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%s goes with l2 alone; leave out the l1 penalty",
                        mean);
    if (o->mean && o->prior)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the mean of the weights is given already; leave out --mean");
    if (o->resume && !o->output)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--resume needs the output of the run; add -o");
    return CAUCUS_OK;
}

enum { LABELS_MAX = 32767 }; /* pairs of labels have 32-bit numbers */

/* Refuses options that sequence models do not support. */
static caucus_status check_chain(caucus_ctx *ctx, const caucus_data *data,
                                 const cau_train_options *o)
{
    const cau_solver_kind solver = cau_train_solver(o, data);
    const char *kind = cau_kind_name(cau_train_kind(o, data));
    if (data->train.group > 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--model %s cannot use features that are given for each class apart; use "
                        "--model maxent",
                        kind);
    if (data->train.Y > LABELS_MAX)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu labels are too many for --model %s; use --model maxent", data->train.Y,
                        kind);
    if (cau_solver_is_perceptron(solver) && cau_train_kind(o, data) != CAU_KIND_CRF)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver %s trains a CRF, not a %s; use another solver",
                        cau_solver_name(solver), kind);
    if (o->class_weight)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--class-weight is for --model maxent: a %s is trained on whole sequences",
                        kind);
    if (o->correction)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--correction is for --model maxent; leave it out for %s", kind);
    if ((cau_solver_is_scaling(solver) || solver == CAU_SOLVER_SDCA) && data->train.partial)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver %s needs whole labels, and the data has partial ones; use "
                        "--solver lbfgs",
                        cau_solver_name(solver));
    return CAUCUS_OK;
}

static caucus_status check_classifier(caucus_ctx *ctx, const caucus_data *data,
                                      const cau_train_options *o)
{
    if (cau_solver_is_perceptron(cau_train_solver(o, data)))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--solver %s trains a CRF; use --model crf with data in sequences, or "
                        "another solver",
                        cau_solver_name(cau_train_solver(o, data)));
    if (data->train.partial)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--model maxent needs whole labels, and the data has partial ones ('?' or "
                        "'a|b'); use --model crf or memm");
    return CAUCUS_OK;
}

caucus_status cau_options_check_data(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_train_options *o)
{
    if (o->stop.patience && !data->dev.N)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--patience needs development data; add --dev or --dev-fraction");
    if (data->open)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the data is still being added to; call caucus_data_close first");
    return cau_train_chain(o, data) ? check_chain(ctx, data, o) : check_classifier(ctx, data, o);
}

/* ---- weights of instances -------------------------------------------------------------------- */

/* Weight of each class: "balanced" is N / (Y * its count), so that classes weigh the same. */
static caucus_status class_weights(caucus_ctx *ctx, const caucus_data *data, const char *text,
                                   double *out)
{
    const cau_dataset *set = &data->train;
    for (size_t y = 0; y < set->Y; y++) out[y] = 1;
    if (strcmp(text, "balanced") == 0) {
        uint64_t *count = cau_calloc(set->Y, sizeof *count);
        if (!count) return cau_fail_memory(ctx, "class weights");
        for (size_t i = 0; i < set->N; i++) count[set->gold[i]]++;
        caucus_status st = cau_comm_count(data->shared ? ctx->comm : NULL, set->Y, count);
        const double N = (double)cau_dataset_all(set);
        for (size_t y = 0; y < set->Y; y++)
            if (count[y]) out[y] = N / ((double)set->Y * (double)count[y]);
        free(count);
        if (st) st = cau_fail(ctx, st, "lost contact with the other processes");
        return st;
    }
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ",");
        const char *sign = memrchr(at, '=', length);
        double value;
        if (!sign || !cau_parse_real(sign + 1, length - (size_t)(sign + 1 - at), &value) ||
            !isfinite(value) || value < 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--class-weight '%.*s': not label=weight; write label=2,label=0.5 or "
                            "balanced",
                            (int)length, at);
        uint32_t y = cau_alphabet_find(data->labels, at, (size_t)(sign - at));
        if (y == CAU_UNKNOWN)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--class-weight: no class '%.*s' in the training data; check the name",
                            (int)(sign - at), at);
        out[y] = value;
        at += length;
        if (*at == ',') at++;
    }
    return CAUCUS_OK;
}

caucus_status cau_instance_weights(caucus_ctx *ctx, const caucus_data *data,
                                   const char *class_weight, float **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &data->train;
    double *by_class = NULL;
    float *of = NULL;
    *out = NULL;
    if (!class_weight && !set->weight) return CAUCUS_OK;
    by_class = cau_alloc(set->Y, sizeof *by_class);
    of = cau_alloc(set->N, sizeof *of);
    if (!by_class || !of) TRY(cau_fail_memory(ctx, "instance weights"));
    for (size_t y = 0; y < set->Y; y++) by_class[y] = 1;
    if (class_weight) TRY(class_weights(ctx, data, class_weight, by_class));
    for (size_t i = 0; i < set->N; i++) {
        const double weight = set->weight ? (double)set->weight[i] : 1.0;
        of[i] = (float)(class_weight ? by_class[set->gold[i]] * weight : weight);
    }
    *out = of;
    of = NULL;
done:
    free(by_class);
    free(of);
    return st;
}
