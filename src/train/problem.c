/* problem.c - see problem.h.
 *
 * With u = m w for m merged columns and v = scale u,
 *     scores are X u,    l2/2 sum (w - mean)^2 = l2/(2m) (u - mean_u)^2,    dF/dv = dF/du / scale
 * Means differ between columns that would be merged, so with means nothing is. */

#include "train/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"

/* ---- instance weights ---- */

/* Weight of each class: "balanced" is N / (Y * its count), so that classes weigh the same. */
static caucus_status class_weights(caucus_ctx *ctx, const caucus_data *data, const char *text,
                                   double *out)
{
    const cau_dataset *set = &data->train;
    for (size_t y = 0; y < set->Y; y++) out[y] = 1;
    if (strcmp(text, "balanced") == 0) {
        size_t *count = cau_calloc(set->Y, sizeof *count);
        if (!count) return cau_fail_memory(ctx, "class weights");
        for (size_t i = 0; i < set->N; i++) count[set->gold[i]]++;
        for (size_t y = 0; y < set->Y; y++)
            if (count[y]) out[y] = (double)set->N / ((double)set->Y * (double)count[y]);
        free(count);
        return CAUCUS_OK;
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

static caucus_status instance_weights(caucus_ctx *ctx, const caucus_data *data,
                                      const char *class_weight, cau_problem *p)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &data->train;
    double *by_class = NULL;
    if (!class_weight && !set->weight) return CAUCUS_OK;
    by_class = cau_alloc(set->Y, sizeof *by_class);
    p->weight = cau_alloc(set->N, sizeof *p->weight);
    if (!by_class || !p->weight) TRY(cau_fail_memory(ctx, "instance weights"));
    for (size_t y = 0; y < set->Y; y++) by_class[y] = 1;
    if (class_weight) TRY(class_weights(ctx, data, class_weight, by_class));
    for (size_t i = 0; i < set->N; i++)
        p->weight[i] =
            (float)(by_class[set->gold[i]] * (set->weight ? (double)set->weight[i] : 1.0));
done:
    free(by_class);
    return st;
}

/* ---- means ---- */

/* The weights of another model, matched by the names of features and classes. */
static caucus_status read_mean(caucus_ctx *ctx, const caucus_data *data, const char *path,
                               cau_problem *p)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *other = NULL;
    uint32_t *class_of = NULL;
    size_t Y = p->set->Y, width = p->set->width;

    TRY(cau_model_open(ctx, path, &other));
    if ((other->width == 1) != (width == 1))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%s: its features are given in another form than those of the data; train it "
                     "on data of the same form",
                     path));
    class_of = cau_alloc(Y, sizeof *class_of);
    p->mean = cau_vector(p->n, sizeof *p->mean);
    if (!class_of || !p->mean) TRY(cau_fail_memory(ctx, "the means"));

    for (uint32_t y = 0; y < Y; y++) {
        class_of[y] = cau_model_label_find(other, cau_alphabet_name(data->labels, y));
        if (p->bias && other->bias && class_of[y] != CAU_UNKNOWN)
            p->mean[p->table + y] = (double)other->bias[class_of[y]];
    }
    for (uint32_t k = 0; k < p->set->K; k++) {
        cau_str name = cau_alphabet_name(data->names, k);
        uint32_t row = cau_model_find(other, name.s, name.n);
        if (row == CAU_UNKNOWN) continue;
        for (size_t j = 0; j < width; j++) {
            uint32_t column = width == 1 ? 0 : class_of[j];
            size_t at = k * width + j;
            if (column != CAU_UNKNOWN && !(p->fixed && p->fixed[at]))
                p->mean[at] = cau_model_weight(other, row, column);
        }
    }
done:
    free(class_of);
    cau_model_free(other);
    return st;
}

/* ---- pairs of feature and class ---- */

void cau_problem_counts(const cau_problem *p, double *counts)
{
    const cau_dataset *set = p->set;
    memset(counts, 0, p->n * sizeof *counts);
    for (size_t i = 0; i < set->N; i++) {
        double c = p->weight ? (double)p->weight[i] : 1;
        size_t row = i * set->group + (set->width == 1 ? set->gold[i] : 0);
        size_t column = set->width == 1 ? 0 : set->gold[i];
        for (size_t e = set->x.start[row]; e < set->x.start[row + 1]; e++)
            counts[set->x.column[e] * set->width + column] +=
                c * (set->x.value ? (double)set->x.value[e] : 1);
        if (p->bias) counts[p->table + set->gold[i]] += c;
    }
}

/* Marks the pairs that never occur together. Seen is seen, whatever the values add up to. */
static caucus_status mark_unseen(caucus_ctx *ctx, cau_problem *p)
{
    const cau_dataset *set = p->set;
    if (set->width == 1) return CAUCUS_OK; /* explicit features say themselves what they see */
    p->fixed = cau_alloc(p->table, 1);
    if (!p->fixed) return cau_fail_memory(ctx, "the seen pairs");
    memset(p->fixed, 1, p->table);
    for (size_t i = 0; i < set->N; i++)
        for (size_t e = set->x.start[i]; e < set->x.start[i + 1]; e++)
            p->fixed[set->x.column[e] * set->width + set->gold[i]] = 0;
    return CAUCUS_OK;
}

/* ---- coordinates ---- */

/* How many weights of the model a row of the solver's stands for. */
static double row_count(const cau_problem *p, size_t row)
{
    return p->merged.count && row < p->set->K ? (double)p->merged.count[row] : 1;
}

/* The fourth root of the curvature at w = 0, where all classes have p = 1/Y:
 *     scale_k = ( p (1-p) sum_i c_i x_ik^2 + l2/m_k )^(1/4)
 * The square root would make all curvatures there equal to 1; it is half way to that, and
 * better than either end: docs/decisions/scaled-lbfgs.md. */
static caucus_status choose_scale(caucus_ctx *ctx, cau_problem *p)
{
    const cau_dataset *set = p->set;
    double share = 1 / (double)set->Y, variance = share * (1 - share);
    p->scale = cau_calloc(set->K + 1, sizeof *p->scale);
    p->plain = cau_vector(p->n, sizeof *p->plain);
    if (!p->scale || !p->plain) return cau_fail_memory(ctx, "the weights");
    for (size_t row = 0; row < set->N * set->group; row++) {
        double c = p->weight ? (double)p->weight[row / set->group] : 1;
        for (size_t e = set->x.start[row]; e < set->x.start[row + 1]; e++) {
            double x = set->x.value ? (double)set->x.value[e] : 1;
            p->scale[set->x.column[e]] += c * x * x;
        }
        p->scale[set->K] += c;
    }
    for (size_t k = 0; k <= set->K; k++) {
        double curvature = variance * p->scale[k] + (k < set->K ? p->l2 / row_count(p, k) : 0);
        p->scale[k] = curvature > 0 ? sqrt(sqrt(curvature)) : 1;
    }
    return CAUCUS_OK;
}

/* v is scale * u. Over a stretch of the weights: to = from / scale. */
static void unscale(const cau_problem *p, size_t begin, size_t end, const double *from, double *to)
{
    for (size_t k = begin; k < end;) {
        size_t row = k < p->table ? k / p->set->width : p->set->K;
        size_t stop = k < p->table ? (row + 1) * p->set->width : p->n;
        double factor = 1 / p->scale[row];
        for (stop = stop < end ? stop : end; k < stop; k++) to[k] = from[k] * factor;
    }
}

typedef struct {
    const cau_problem *p;
    const double *from;
    double *to;
} move_job;

static void unscale_block(void *self, size_t begin, size_t end, double *sums)
{
    const move_job *j = self;
    (void)sums;
    unscale(j->p, begin, end, j->from, j->to);
}

/* The row of the solver's weights, and the first weight in it, of row k of the model's. */
static size_t solver_row(const cau_problem *p, size_t k, size_t model_K)
{
    if (k == model_K) return p->set->K;
    return p->merged.column ? p->merged.column[k] : k;
}

static size_t model_rows(const cau_problem *p)
{
    return (p->model_n - (p->bias ? p->set->Y : 0)) / p->set->width;
}

static void to_model_block(void *self, size_t begin, size_t end, double *sums)
{
    const move_job *j = self;
    const cau_problem *p = j->p;
    size_t width = p->set->width, K = model_rows(p);
    (void)sums;
    for (size_t at = begin; at < end;) {
        size_t k = at / width < K ? at / width : K;
        size_t row = solver_row(p, k, K), stop = k < K ? (k + 1) * width : p->model_n;
        const double *v = j->from + row * width + (at - k * width);
        double factor = 1 / (row_count(p, row) * (p->scale ? p->scale[row] : 1));
        for (stop = stop < end ? stop : end; at < stop; at++) j->to[at] = *v++ * factor;
    }
}

void cau_problem_to_model(const cau_problem *p, const double *v, double *w)
{
    move_job j = {.p = p, .from = v, .to = w};
    cau_vector_sums(p->threads, p->model_n, 0, to_model_block, &j, NULL);
}

void cau_problem_from_model(const cau_problem *p, const double *w, double *v)
{
    size_t width = p->set->width, K = model_rows(p);
    memset(v, 0, p->n * sizeof *v);
    for (size_t at = 0; at < p->model_n; at++) {
        size_t k = at / width < K ? at / width : K, row = solver_row(p, k, K);
        v[row * width + (at - k * width)] += w[at] * (p->scale ? p->scale[row] : 1);
    }
}

bool cau_problem_is_plain(const cau_problem *p)
{
    return !p->scale && !p->merged.column;
}

/* ---- the problem ---- */

caucus_status cau_problem_init(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *o,
                               unsigned threads, cau_problem *p)
{
    caucus_status st = CAUCUS_OK;
    cau_solver_kind solver = cau_train_solver(o);
    const cau_dataset *set = &data->train;
    bool merge = (solver == CAU_SOLVER_LBFGS || solver == CAU_SOLVER_OWLQN) && !o->mean;

    *p = (cau_problem){.set = set, .l1 = o->l1, .l2 = o->l2, .threads = threads};
    p->bias = !o->no_bias && set->width > 1;
    if (!cau_size_mul(set->K, set->width, &p->model_n)) TRY(cau_fail_memory(ctx, "the weights"));
    p->model_n += p->bias ? set->Y : 0;
    if (merge) TRY(cau_merge(ctx, set, &p->merged, &merge));
    if (merge) p->set = &p->merged.set;
    p->table = p->set->K * set->width;
    p->n = p->table + (p->bias ? set->Y : 0);

    TRY(instance_weights(ctx, data, o->class_weight, p));
    if (o->states == CAU_STATES_SEEN) TRY(mark_unseen(ctx, p));
    if (o->mean) TRY(read_mean(ctx, data, o->mean, p));
    if (solver == CAU_SOLVER_LBFGS) TRY(choose_scale(ctx, p));

    cau_pass_options pass = {.set = p->set,
                             .weight = p->weight,
                             .bias = p->bias,
                             .model = &cau_maxent_ops,
                             .threads = threads};
    TRY(cau_pass_new(ctx, &pass, &p->pass));
    if (data->dev.N) {
        pass.set = &data->dev;
        pass.weight = NULL;
        TRY(cau_pass_new(ctx, &pass, &p->dev));
    }
done:
    if (st) cau_problem_clear(p);
    return st;
}

void cau_problem_clear(cau_problem *p)
{
    cau_pass_free(p->pass);
    cau_pass_free(p->dev);
    cau_merged_clear(&p->merged);
    free(p->mean);
    free(p->fixed);
    free(p->weight);
    free(p->scale);
    free(p->plain);
    *p = (cau_problem){0};
}

/* l2/(2m) (u - mean)^2 over whole rows of weights, its gradient added to g; then the gradient
 * in the solver's coordinates. */
static double add_penalty(void *self, size_t begin, size_t end, const double *u, double *g)
{
    const cau_problem *p = self;
    size_t width = p->set->width;
    double sum = 0;
    if (p->fixed && begin < p->table)
        for (size_t k = begin; k < end; k++)
            if (p->fixed[k]) g[k] = 0;
    if (p->l2 > 0 && begin < p->table) {
        for (size_t at = begin; at < end; at += width) {
            double l2 = p->l2 / row_count(p, at / width), squares = 0;
            for (size_t k = at; k < at + width; k++) {
                double d = u[k] - (p->mean ? p->mean[k] : 0);
                squares += d * d;
                g[k] += l2 * d;
            }
            sum += l2 / 2 * squares;
        }
    }
    if (p->scale) unscale(p, begin, end, g, g);
    return sum;
}

/* The weights without their scale, valid until the next call. */
static const double *unscaled(cau_problem *p, const double *v)
{
    if (!p->scale) return v;
    move_job j = {.p = p, .from = v, .to = p->plain};
    cau_vector_sums(p->threads, p->n, 0, unscale_block, &j, NULL);
    return p->plain;
}

static caucus_status evaluate(cau_problem *p, const double *v, double *g, double *loss,
                              double *penalty)
{
    const double *u = unscaled(p, v);
    caucus_status st = cau_pass_gradient(p->pass, u, loss, g, add_penalty, p, penalty);
    if (st) return st;
    return isfinite(*loss + *penalty) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

caucus_status cau_problem_smooth(void *problem, const double *v, double *f, double *g)
{
    double loss, penalty;
    caucus_status st = evaluate(problem, v, g, &loss, &penalty);
    if (!st) *f = loss + penalty;
    return st;
}

caucus_status cau_problem_parts(cau_problem *p, const double *v, double *g, double *loss,
                                double *penalty)
{
    caucus_status st = evaluate(p, v, g, loss, penalty);
    if (st) return st;
    if (p->l1 > 0) { /* then nothing is scaled, and sum |w| = sum |u| */
        double sum = 0;
        for (size_t k = 0; k < p->table; k++) sum += fabs(v[k]);
        *penalty += p->l1 * sum;
    }
    return isfinite(*penalty) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

double cau_problem_accuracy(cau_problem *p, const double *v)
{
    return cau_pass_accuracy(p->pass, unscaled(p, v));
}

double cau_problem_norm(const cau_problem *p, const double *v, const double *g)
{
    double sum = 0;
    for (size_t k = 0; k < p->n; k++) {
        double slope = g[k];
        if (k < p->table && p->l1 > 0) {
            if (p->fixed && p->fixed[k])
                slope = 0;
            else if (v[k] != 0)
                slope += v[k] > 0 ? p->l1 : -p->l1;
            else
                slope = fabs(slope) > p->l1 ? slope - (slope > 0 ? p->l1 : -p->l1) : 0;
        }
        sum += slope * slope;
    }
    return sqrt(sum);
}
