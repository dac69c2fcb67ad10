/* component.c - sufficient statistics of clusters, and the likelihood of a unit given them.
 *
 * Multinomial with a symmetric Dirichlet, parameters integrated out:
 *     log p(x | n) = lG(n. + Vb) - lG(n. + Vb + x.) + sum_v lG(n_v + b + x_v) - lG(n_v + b)
 * Terms of the sum that many units share are kept as rows of lanes (see cluster_stats.c), so the
 * likelihood of a unit is a sum of rows, the sparse product of math/kernels.h: with doubles in
 * vector registers, a fraction of a nanosecond for a term.
 *
 * Gaussian, each feature separately with a Normal-Gamma(mu0, k0, a0, b0), y = x - mu0:
 *     kn = k0 + n,  an = a0 + n/2,  bn = b0 + ( sum y^2 - (sum y)^2 / kn ) / 2
 *     log p(X) = lG(an) - lG(a0) + a0 log b0 - an log bn + (log k0 - log kn)/2 - n/2 log 2 pi
 * where only bn depends on the data. Summed over the features, with r_v = bn / b0,
 *     log p(X) = normal[n] - an sum_v log r_v
 *     normal[n] = V ( lG(an) - lG(a0) + (log k0 - log kn)/2 - n/2 log 2 pi ) - n/2 sum_v log b0_v
 * and log p(x | X) is the difference of two such values. It equals the product of Student's t of
 * the items in any order. No r is below 1, so the sum of several logarithms is the logarithm of
 * their product.
 *
 * Sums of integers are exact. Other sums accumulate rounding errors while units come and go, which
 * cau_components_arrange removes; a count or variance that rounding pushes below 0 counts as 0. */

#include "cluster/component.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/log_rising_factorial.h"
#include "math/kernels.h"

enum {
    PAD = 8,      /* lanes are allocated in eights, one cache line of doubles */
    FACTORS = 4,  /* ratios in one logarithm */
    SMALL = 4096, /* integer counts below this are tabulated */
    AT_ONCE = 64, /* rising factorials of other counts in one call */
};

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* ---- memory ---------------------------------------------------------------------------- */

void cau_components_init(cau_components *c, const cau_cluster_stats *units,
                         const cau_dp_parameters *base)
{
    *c = (cau_components){.units = units, .base = *base};
    c->base.mu0 = units->mu0;
    c->base.b0 = units->b0;
}

void cau_components_clear(cau_components *c)
{
    free(c->memory);
    *c = (cau_components){0};
}

/* The most rising factorials in one call: of a unit in one lane, or of a feature in all lanes, plus
 * one. */
static size_t rise_width(const cau_components *c, size_t lanes)
{
    const size_t most = c->units->V > lanes ? c->units->V : lanes;
    return (most + PAD) / PAD * PAD;
}

/* Makes room for this many lanes, zeroed; on failure nothing changes. */
static bool make_room(cau_components *c, size_t lanes)
{
    const cau_cluster_stats *u = c->units;
    const size_t V = (u->V + PAD - 1) / PAD * PAD, N = (u->N + 1 + PAD) / PAD * PAD;
    const bool counts = u->likelihood == CAU_MULTINOMIAL, values = u->likelihood == CAU_GAUSSIAN;
    const struct {
        double **where;
        size_t rows, width;
    } parts[] = {
        {&c->size, 1, lanes},
        {&c->log_size, 1, lanes},
        {&c->marginal, 1, lanes},
        {&c->weight, 1, lanes},
        {&c->work, 1, lanes},
        {&c->total, counts, lanes},
        {&c->count, counts ? u->V : 0, lanes},
        {&c->row, counts ? u->common.columns : 0, lanes},
        {&c->sum, values ? u->V : 0, lanes},
        {&c->square, values ? u->V : 0, lanes},
        {&c->spread, values, lanes},
        {&c->rise, counts ? 3 : 0, rise_width(c, lanes)},
        {&c->half, values, V},
        {&c->normal, values, N},
    };
    const size_t count = sizeof parts / sizeof *parts;
    size_t need = 0, cells;
    for (size_t i = 0; i < count; i++)
        if (!cau_size_mul(parts[i].rows, parts[i].width, &cells) ||
            !cau_size_add(need, cells, &need))
            return false;
    if (need > c->room) {
        double *memory = cau_vector(need, sizeof *memory);
        if (!memory) return false;
        free(c->memory);
        c->memory = memory;
        c->room = need;
    } else {
        memset(c->memory, 0, need * sizeof *c->memory);
    }
    c->lanes = lanes;
    for (size_t i = 0, at = 0; i < count; i++) {
        *parts[i].where = c->memory + at;
        at += parts[i].rows * parts[i].width;
    }
    return true;
}

/* ---- which lanes are in use ------------------------------------------------------------ */

static void resize(cau_components *c, size_t k, double size)
{
    const bool was = c->size[k] > 0, is = size > 0;
    c->size[k] = size;
    c->log_size[k] = log(size);
    if (was == is) return;
    c->K += is;
    c->K -= was;
    if (is && k == c->empty)
        while (c->empty < c->lanes && c->size[c->empty] > 0) c->empty++;
    if (!is && k < c->empty) c->empty = k;
    c->extent = c->extent > k ? c->extent : k + 1;
    while (c->extent > 0 && c->size[c->extent - 1] == 0) c->extent--;
    if (c->extent <= c->empty && c->empty < c->lanes) c->extent = c->empty + 1;
}

/* ---- multinomial ----------------------------------------------------------------------- */

/* Adds x to the count of feature v in lane k. */
static void count(cau_components *c, size_t v, size_t k, double x)
{
    const cau_cluster_stats *u = c->units;
    double *n = &c->count[v * c->lanes + k];
    *n += x;
    if (*n < 1e-12 * fabs(x)) *n = 0;
    for (size_t p = u->row_start[v]; p < u->row_start[v + 1]; p++)
        c->row[p * c->lanes + k] = cau_log_rise(*n + c->base.beta, u->row_count[p]);
}

static void count_unit(cau_components *c, size_t g, size_t k, double sign)
{
    const cau_cluster_stats *u = c->units;
    for (size_t i = u->common.start[g]; i < u->common.start[g + 1]; i++) {
        const size_t p = u->common.column[i];
        count(c, u->row_feature[p], k, sign * u->row_count[p]);
    }
    for (size_t i = u->rare_start[g]; i < u->rare_start[g + 1]; i++)
        count(c, u->rare[i], k, sign * u->rare_count[i]);
    c->total[k] += sign * u->total[g];
    if (c->total[k] < 1e-12 * u->total[g]) c->total[k] = 0;
}

/* The arguments and results of one call for many rising factorials. */
typedef struct {
    double *a, *x, *log;
    size_t count;
} rises;

static rises rises_of(const cau_components *c)
{
    const size_t width = rise_width(c, c->lanes);
    return (rises){c->rise, c->rise + width, c->rise + 2 * width, 0};
}

static inline void ask(rises *r, double a, double x)
{
    r->a[r->count] = a;
    r->x[r->count++] = x;
}

static void answer(const rises *r)
{
    cau_kernels_get()->rises(r->count, r->a, r->x, r->log);
}

/* The sum of all results except the first, minus the first. */
static double answer_sum(const rises *r)
{
    double sum = 0;
    answer(r);
    for (size_t i = 1; i < r->count; i++) sum += r->log[i];
    return sum - r->log[0];
}

static double weigh_counts_one(const cau_components *c, size_t g, size_t k)
{
    const cau_cluster_stats *u = c->units;
    const double b = c->base.beta;
    rises r = rises_of(c);
    double sum = 0;
    ask(&r, c->total[k] + (double)u->V * b, u->total[g]);
    for (size_t i = u->common.start[g]; i < u->common.start[g + 1]; i++)
        sum += c->row[u->common.column[i] * c->lanes + k];
    for (size_t i = u->rare_start[g]; i < u->rare_start[g + 1]; i++)
        ask(&r, c->count[u->rare[i] * c->lanes + k] + b, u->rare_count[i]);
    return sum + answer_sum(&r);
}

/* The logarithm of a product of many factors, a few at a time. */
typedef struct {
    double sum, product;
} log_sum;

static inline void times(log_sum *t, double factor)
{
    t->product *= factor;
    if (t->product > 1e-100 && t->product < 1e100) return;
    t->sum += log(t->product);
    t->product = 1;
}

/* A count before x was added. */
static inline double without(double n, double x)
{
    return n > x ? n - x : 0;
}

/* log p(unit g | the rest of lane k). */
static double weigh_counts_within(const cau_components *c, size_t g, size_t k)
{
    const cau_cluster_stats *u = c->units;
    const double b = c->base.beta, *n = c->count + k, rest = c->total[k] - u->total[g];
    log_sum t = {0, 1};
    rises r = rises_of(c);
    ask(&r, (rest > 0 ? rest : 0) + (double)u->V * b, u->total[g]);
    for (size_t i = u->common.start[g]; i < u->common.start[g + 1]; i++) {
        const size_t p = u->common.column[i];
        const double x = u->row_count[p], a = without(n[u->row_feature[p] * c->lanes], x) + b;
        if (x == 1)
            times(&t, a);
        else
            ask(&r, a, x);
    }
    for (size_t i = u->rare_start[g]; i < u->rare_start[g + 1]; i++) {
        const double x = u->rare_count[i];
        ask(&r, without(n[u->rare[i] * c->lanes], x) + b, x);
    }
    return t.sum + log(t.product) + answer_sum(&r);
}

/* out[k] += log rise(n[k] + b, x) for all lanes below the extent. The value for n = 0, the most
 * frequent, is computed once. */
static void add_rises(const cau_components *c, const double *n, double b, double x, double *out)
{
    rises r = rises_of(c);
    for (size_t k = 0; k < c->extent; k++) {
        r.a[r.count] = n[k] + b;
        r.x[r.count] = x;
        r.count += n[k] > 0;
    }
    ask(&r, b, x);
    answer(&r);
    const double nothing = r.log[r.count - 1];
    for (size_t k = 0, i = 0; k < c->extent; k++) {
        out[k] += n[k] > 0 ? r.log[i] : nothing;
        i += n[k] > 0;
    }
}

/* out[k] -= log rise(n[k] + Vb, total) for all lanes. */
static void subtract_totals(const cau_components *c, double total, double *out)
{
    rises r = rises_of(c);
    for (size_t k = 0; k < c->extent; k++)
        ask(&r, c->total[k] + (double)c->units->V * c->base.beta, total);
    answer(&r);
    for (size_t k = 0; k < c->extent; k++) out[k] -= r.log[k];
}

static void weigh_counts(const cau_components *c, size_t g, double *out)
{
    const cau_cluster_stats *u = c->units;
    const double b = c->base.beta;
    cau_kernels_get()->rows(&u->common, g, g + 1, c->lanes, c->row, NULL, out);
    for (size_t i = u->rare_start[g]; i < u->rare_start[g + 1]; i++)
        add_rises(c, c->count + u->rare[i] * c->lanes, b, u->rare_count[i], out);
    subtract_totals(c, u->total[g], out);
}

/* Computes rows and marginals from the counts, most of which are 0. */
static void finish_counts(cau_components *c)
{
    const cau_cluster_stats *u = c->units;
    const double b = c->base.beta;
    const size_t lanes = c->lanes;
    for (size_t v = 0; v < u->V; v++) {
        const double *n = c->count + v * lanes;
        for (size_t p = u->row_start[v]; p < u->row_start[v + 1]; p++) {
            const double x = u->row_count[p], nothing = cau_log_rise(b, x);
            double *row = c->row + p * lanes;
            for (size_t k = 0; k < lanes; k++)
                row[k] = n[k] > 0 ? cau_log_rise(n[k] + b, x) : nothing;
        }
        rises r = rises_of(c);
        for (size_t k = 0; k < lanes; k++)
            if (n[k] > 0) ask(&r, b, n[k]);
        answer(&r);
        for (size_t k = 0, i = 0; k < lanes; k++)
            if (n[k] > 0) c->marginal[k] += r.log[i++];
    }
    for (size_t k = 0; k < lanes; k++)
        c->marginal[k] -= cau_log_rise((double)u->V * b, c->total[k]);
}

/* ---- Gaussian -------------------------------------------------------------------------- */

/* r = bn / b0, with the sum s of y, the sum q of y^2, and 1/kn. */
static inline double ratio(double s, double q, double one_kn, double half)
{
    const double rest = q - s * s * one_kn;
    return 1 + (rest > 0 ? rest : 0) * half;
}

/* log of a product of ratios; an overflow counts as the largest double. */
static inline double log_product(double product)
{
    return product < INFINITY ? log(product) : 709;
}

/* sum_v log r_v of lane k (sign 0), with unit g added (1), or removed (-1). */
static double spread(const cau_components *c, size_t g, size_t k, double sign)
{
    const cau_cluster_stats *u = c->units;
    const double *y = u->sum + g * u->V, *y2 = u->square + g * u->V;
    const double one_kn = 1 / (c->base.k0 + c->size[k] + sign * u->size[g]);
    double sum = 0, product = 1;
    for (size_t v = 0; v < u->V; v++) {
        product *= ratio(c->sum[v * c->lanes + k] + sign * y[v],
                         c->square[v * c->lanes + k] + sign * y2[v], one_kn, c->half[v]);
        if (v % FACTORS == FACTORS - 1 || v + 1 == u->V) {
            sum += log_product(product);
            product = 1;
        }
    }
    return sum;
}

/* log p of n items whose log ratios sum to `spread`. */
static inline double value_marginal(const cau_components *c, double n, double spread)
{
    return c->normal[(size_t)n] - (c->base.a0 + n / 2) * spread;
}

/* The likelihood of s items with the sums y and y2 [V] in all lanes except their own. */
static void weigh_values(cau_components *c, double s, const double *y, const double *y2,
                         uint32_t own, double *out)
{
    const size_t V = c->units->V, lanes = c->lanes, extent = c->extent;
    double *one_kn = c->work;
    double product[PAD];
    for (size_t k = 0; k < extent; k++) one_kn[k] = 1 / (c->base.k0 + c->size[k] + s);
    for (size_t first = 0; first < extent; first += PAD) { /* one cache line of lanes at a time */
        double sum[PAD] = {0};
        for (size_t v = 0; v < V;) {
            const size_t stop = V - v < FACTORS ? V : v + FACTORS;
            for (size_t k = 0; k < PAD; k++) product[k] = 1;
            for (; v < stop; v++) {
                const double *at = c->sum + v * lanes + first, *bt = c->square + v * lanes + first;
                for (size_t k = 0; k < PAD; k++)
                    product[k] *= ratio(at[k] + y[v], bt[k] + y2[v], one_kn[first + k], c->half[v]);
            }
            for (size_t k = 0; k < PAD; k++) sum[k] += log_product(product[k]);
        }
        for (size_t k = first; k < extent && k < first + PAD; k++)
            if (k != own)
                out[k] = value_marginal(c, c->size[k] + s, sum[k - first]) -
                         value_marginal(c, c->size[k], c->spread[k]);
    }
}

static void value_unit(cau_components *c, size_t g, size_t k, double sign)
{
    const cau_cluster_stats *u = c->units;
    for (size_t v = 0; v < u->V; v++) {
        c->sum[v * c->lanes + k] += sign * u->sum[g * u->V + v];
        c->square[v * c->lanes + k] += sign * u->square[g * u->V + v];
    }
}

/* Computes the terms that depend only on the parameters. */
static void prepare_values(cau_components *c)
{
    const cau_cluster_stats *u = c->units;
    const cau_dp_parameters *p = &c->base;
    double log_b0 = 0;
    for (size_t v = 0; v < u->V; v++) {
        c->half[v] = 0.5 / (u->b0[v] * p->b0_scale);
        log_b0 += log(u->b0[v] * p->b0_scale);
    }
    for (size_t i = 0; i <= u->N + 1; i++) { /* items may be added one at a time */
        const double n = (double)i;
        c->normal[i] = (double)u->V * (log_gamma(p->a0 + n / 2) - log_gamma(p->a0) -
                                       0.5 * log1p(n / p->k0) - n / 2 * log(2 * M_PI)) -
                       n / 2 * log_b0;
    }
}

/* log p(unit g | the rest of lane k). */
static double weigh_values_within(const cau_components *c, size_t g, size_t k)
{
    const double rest = c->size[k] - c->units->size[g];
    return c->marginal[k] - value_marginal(c, rest, spread(c, g, k, -1));
}

/* ---- units come and go ----------------------------------------------------------------- */

double cau_components_weigh_one(const cau_components *c, size_t g, size_t k)
{
    switch (c->units->likelihood) {
    case CAU_MULTINOMIAL:
        return weigh_counts_one(c, g, k);
    case CAU_GAUSSIAN:
        return value_marginal(c, c->size[k] + c->units->size[g], spread(c, g, k, 1)) -
               value_marginal(c, c->size[k], c->spread[k]);
    default:
        return 0;
    }
}

void cau_components_weigh(cau_components *c, size_t g, uint32_t own, double *out)
{
    const cau_cluster_stats *u = c->units;
    const bool within = own != CAU_NO_LANE;
    switch (u->likelihood) {
    case CAU_MULTINOMIAL:
        weigh_counts(c, g, out);
        if (within) out[own] = weigh_counts_within(c, g, own);
        break;
    case CAU_GAUSSIAN:
        weigh_values(c, u->size[g], u->sum + g * u->V, u->square + g * u->V, own, out);
        if (within) out[own] = weigh_values_within(c, g, own);
        break;
    default:
        for (size_t k = 0; k < c->extent; k++) out[k] = 0;
    }
}

void cau_components_add(cau_components *c, size_t g, size_t k)
{
    const bool counts = c->units->likelihood == CAU_MULTINOMIAL;
    cau_components_add_weighed(c, g, k, counts ? weigh_counts_one(c, g, k) : 0);
}

void cau_components_add_weighed(cau_components *c, size_t g, size_t k, double weight)
{
    if (c->units->likelihood == CAU_MULTINOMIAL) {
        c->marginal[k] += weight;
        count_unit(c, g, k, 1);
    }
    resize(c, k, c->size[k] + c->units->size[g]);
    if (c->units->likelihood == CAU_GAUSSIAN) {
        value_unit(c, g, k, 1);
        c->spread[k] = spread(c, 0, k, 0);
        c->marginal[k] = value_marginal(c, c->size[k], c->spread[k]);
    }
}

double cau_components_remove(cau_components *c, size_t g, size_t k)
{
    const double before = c->marginal[k];
    double weight = 0;
    resize(c, k, c->size[k] - c->units->size[g]);
    const bool empty = c->size[k] == 0;
    if (c->units->likelihood == CAU_MULTINOMIAL) {
        count_unit(c, g, k, -1);
        if (empty) c->total[k] = 0;
        weight = empty ? before : weigh_counts_one(c, g, k);
        c->marginal[k] = empty ? 0 : before - weight;
    }
    if (c->units->likelihood == CAU_GAUSSIAN) {
        value_unit(c, g, k, -1);
        for (size_t v = 0; empty && v < c->units->V; v++)
            c->sum[v * c->lanes + k] = c->square[v * c->lanes + k] = 0;
        c->spread[k] = empty ? 0 : spread(c, 0, k, 0);
        c->marginal[k] = empty ? 0 : value_marginal(c, c->size[k], c->spread[k]);
        weight = before - c->marginal[k];
    }
    return weight;
}

caucus_status cau_components_arrange(cau_components *c, const cau_dp_parameters *base, size_t spare,
                                     uint32_t *z)
{
    const cau_cluster_stats *u = c->units;
    size_t K = 0;
    uint32_t *number = cau_alloc(c->lanes, sizeof *number);
    if (!number) return CAUCUS_ERR_MEMORY;
    for (size_t k = 0; k < c->lanes; k++) number[k] = c->size[k] > 0 ? (uint32_t)K++ : 0;
    if (!make_room(c, (K + spare + PAD - 1) / PAD * PAD)) {
        free(number);
        return CAUCUS_ERR_MEMORY;
    }
    c->base.beta = base->beta;
    c->base.k0 = base->k0;
    c->base.a0 = base->a0;
    c->base.b0_scale = base->b0_scale;
    c->K = c->empty = c->extent = 0;
    for (size_t k = 0; k < c->lanes; k++) c->log_size[k] = -INFINITY;
    for (size_t g = 0; g < u->G; g++) {
        if (z[g] == CAU_NO_LANE) continue;
        z[g] = number[z[g]];
        resize(c, z[g], c->size[z[g]] + u->size[g]);
        if (u->likelihood == CAU_GAUSSIAN) value_unit(c, g, z[g], 1);
        if (u->likelihood != CAU_MULTINOMIAL) continue;
        for (size_t i = u->common.start[g]; i < u->common.start[g + 1]; i++) {
            const size_t p = u->common.column[i];
            c->count[u->row_feature[p] * c->lanes + z[g]] += u->row_count[p];
        }
        for (size_t i = u->rare_start[g]; i < u->rare_start[g + 1]; i++)
            c->count[u->rare[i] * c->lanes + z[g]] += u->rare_count[i];
        c->total[z[g]] += u->total[g];
    }
    free(number);
    if (c->extent == 0) c->extent = 1;
    if (u->likelihood == CAU_MULTINOMIAL) finish_counts(c);
    if (u->likelihood == CAU_GAUSSIAN) {
        prepare_values(c);
        for (size_t k = 0; k < c->lanes; k++) {
            c->spread[k] = spread(c, 0, k, 0);
            c->marginal[k] = value_marginal(c, c->size[k], c->spread[k]);
        }
    }
    return CAUCUS_OK;
}

/* ---- other parameters ------------------------------------------------------------------ */

void cau_evidence_clear(cau_evidence *e)
{
    free(e->often);
    free(e->other);
    *e = (cau_evidence){0};
}

caucus_status cau_evidence_init(const cau_components *c, cau_evidence *out)
{
    cau_evidence e = {.c = c};
    if (c->units->likelihood == CAU_MULTINOMIAL) {
        const size_t cells = c->units->V * c->lanes;
        e.often = cau_calloc(SMALL, sizeof *e.often);
        bool fits = e.often != NULL;
        for (size_t i = 0; i < cells && fits; i++) {
            const double n = c->count[i];
            if (n == 0) continue;
            if (n < SMALL && n == (double)(size_t)n)
                e.often[(size_t)n]++;
            else if ((fits = CAU_GROW(e.other, e.room, e.others + 1)))
                e.other[e.others++] = n;
        }
        if (!fits) {
            cau_evidence_clear(&e);
            return CAUCUS_ERR_MEMORY;
        }
    }
    *out = e;
    return CAUCUS_OK;
}

/* sum over lanes of  -log rise(Vb, n.) + sum_v log rise(b, n_v) */
static double counts_at(const cau_evidence *e, double b)
{
    const cau_components *c = e->c;
    double sum = 0, a[AT_ONCE], log[AT_ONCE];
    for (size_t n = 1; n < SMALL; n++)
        if (e->often[n] > 0) sum += e->often[n] * cau_log_rise(b, (double)n);
    for (size_t j = 0; j < AT_ONCE; j++) a[j] = b;
    for (size_t i = 0; i < e->others; i += AT_ONCE) {
        const size_t count = e->others - i < AT_ONCE ? e->others - i : AT_ONCE;
        cau_kernels_get()->rises(count, a, e->other + i, log);
        for (size_t j = 0; j < count; j++) sum += log[j];
    }
    for (size_t k = 0; k < c->extent; k++)
        sum -= cau_log_rise((double)c->units->V * b, c->total[k]);
    return sum;
}

static double values_at(const cau_components *c, const cau_dp_parameters *p)
{
    const cau_cluster_stats *u = c->units;
    double sum = 0;
    for (size_t k = 0; k < c->extent; k++) {
        const double n = c->size[k], one_kn = 1 / (p->k0 + n);
        double logs = 0;
        if (n == 0) continue;
        for (size_t v = 0; v < u->V; v++) {
            const double b0 = u->b0[v] * p->b0_scale;
            logs +=
                log(ratio(c->sum[v * c->lanes + k], c->square[v * c->lanes + k], one_kn, 0.5 / b0));
            sum -= n / 2 * log(b0);
        }
        sum += (double)u->V * (log_gamma(p->a0 + n / 2) - log_gamma(p->a0) -
                               0.5 * log1p(n / p->k0) - n / 2 * log(2 * M_PI)) -
               (p->a0 + n / 2) * logs;
    }
    return sum;
}

double cau_evidence_at(const cau_evidence *e, const cau_dp_parameters *base)
{
    switch (e->c->units->likelihood) {
    case CAU_MULTINOMIAL:
        return counts_at(e, base->beta);
    case CAU_GAUSSIAN:
        return values_at(e->c, base);
    default:
        return 0;
    }
}
