/* cluster_stats.c - the data of units, in a form that makes likelihoods fast.
 *
 * Multinomial. By the chain rule a unit has the likelihood of one item with the sum of its counts
 * (the coefficients are the same in all clusters):
 *     log p(x | n) = lG(n. + Vb) - lG(n. + Vb + x.) + sum_v lG(n_v + b + x_v) - lG(n_v + b)
 * A term of the sum depends on the feature, the count and the cluster. Most counts are 1 or 2. So
 * for each pair (v, c) of a feature and a count that enough units have, there is a row of terms,
 * one for each cluster, which is kept up to date; the likelihood of a unit adds its rows. When a
 * unit moves, all rows of its features change in one lane, so a pair gets a row only if a
 * sufficient share of the units with the feature have it. The other terms are computed each time.
 *
 * With weighted counts (tf-idf) a feature has few different values as well. Values of a factorised
 * matrix are all different, so all of its pairs are rare.
 *
 * Gaussian. A unit is the sums of x - mu0 and of its square. mu0 and b0 are the mean and the
 * variance (over N) of the data unless given; a constant feature has no variance and gets 1. */

#include "cluster/cluster_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum {
    SHARE = 8
}; /* a pair has a row if at least 1 / SHARE of the units with the feature have it */

static const uint32_t NO_ROW = UINT32_MAX;
static const double LARGEST = 1e60; /* limit of a value, whose powers must stay finite */

void cau_cluster_stats_clear(cau_cluster_stats *u)
{
    void *const all[] = {(void *)u->links.group,
                         (void *)u->links.start,
                         (void *)u->links.member,
                         (void *)u->links.forbid_start,
                         (void *)u->links.forbid,
                         (void *)u->links.soft_start,
                         (void *)u->links.soft_item,
                         (void *)u->links.soft_log_odds,
                         u->size,
                         u->total,
                         u->rare_start,
                         u->rare,
                         u->rare_count,
                         u->row_start,
                         u->row_feature,
                         u->row_count,
                         u->mu0,
                         u->b0,
                         u->sum,
                         u->square};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    cau_csr_clear(&u->common);
    *u = (cau_cluster_stats){0};
}

/* ---- checks ---------------------------------------------------------------------------- */

static caucus_status check_parameters(caucus_ctx *ctx, const cau_dp_options *options)
{
    const cau_dp_parameters *p = &options->start;
    const struct {
        const char *name;
        double value;
        bool asked;
    } all[] = {
        {"alpha", p->alpha, true},
        {"the shape of alpha's prior", options->alpha_shape, !options->fixed_alpha},
        {"the rate of alpha's prior", options->alpha_rate, !options->fixed_alpha},
        {"beta", p->beta, options->likelihood == CAU_MULTINOMIAL},
        {"k0", p->k0, options->likelihood == CAU_GAUSSIAN},
        {"a0", p->a0, options->likelihood == CAU_GAUSSIAN},
        {"the scale of b0", p->b0_scale, options->likelihood == CAU_GAUSSIAN},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].asked && !(all[i].value > 0 && all[i].value < LARGEST))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%s is %g; give a positive number",
                            all[i].name, all[i].value);
    return CAUCUS_OK;
}

static caucus_status check_points(caucus_ctx *ctx, const cau_points *points,
                                  cau_likelihood likelihood)
{
    if (points->N == 0 || points->N >= UINT32_MAX || points->V >= UINT32_MAX)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu items of %zu features cannot be clustered; give 1 to 4294967294 items",
                        points->N, points->V);
    if (likelihood == CAU_PRIOR_ONLY) return CAUCUS_OK;
    for (size_t i = 0; i < points->N; i++) {
        uint32_t v;
        double x;
        for (size_t at = 0; cau_points_next(points, i, &at, &v, &x);)
            if (v >= points->V || !(fabs(x) < LARGEST) || (likelihood == CAU_MULTINOMIAL && x < 0))
                return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "item %zu has %g for feature %zu; %s",
                                i + 1, x, (size_t)v + 1,
                                likelihood == CAU_MULTINOMIAL
                                    ? "counts must be finite and not negative"
                                    : "values must be finite");
    }
    return CAUCUS_OK;
}

/* ---- links ----------------------------------------------------------------------------- */

/* A copy of `count` items in *out, a pointer; zeros for NULL. */
static bool copy(const void *from, size_t count, size_t size, void *out)
{
    void *to = cau_calloc(count, size);
    if (!to) return false;
    if (from && count) memcpy(to, from, count * size);
    memcpy(out, &to, sizeof to);
    return true;
}

static bool copy_links(const cau_constraints *from, cau_cluster_stats *u)
{
    cau_constraints *to = &u->links;
    if (from) {
        to->N = from->N;
        to->G = from->G;
        return copy(from->group, to->N, sizeof *to->group, &to->group) &&
               copy(from->start, to->G + 1, sizeof *to->start, &to->start) &&
               copy(from->member, to->N, sizeof *to->member, &to->member) &&
               copy(from->forbid_start, to->G + 1, sizeof *to->forbid_start, &to->forbid_start) &&
               copy(from->forbid, from->forbid_start[to->G], sizeof *to->forbid, &to->forbid) &&
               copy(from->soft_start, to->N + 1, sizeof *to->soft_start, &to->soft_start) &&
               copy(from->soft_item, from->soft_start[to->N], sizeof *to->soft_item,
                    &to->soft_item) &&
               copy(from->soft_log_odds, from->soft_start[to->N], sizeof *to->soft_log_odds,
                    &to->soft_log_odds);
    }
    to->N = to->G = u->N;
    uint32_t *each = cau_alloc(u->N, sizeof *each);
    size_t *start = cau_alloc(u->N + 1, sizeof *start);
    to->member = each;
    to->start = start;
    if (!each || !start) return false;
    for (size_t i = 0; i < u->N; i++) each[i] = (uint32_t)i;
    for (size_t i = 0; i <= u->N; i++) start[i] = i;
    return copy(each, u->N, sizeof *each, &to->group) &&
           copy(NULL, u->N + 1, sizeof *to->forbid_start, &to->forbid_start) &&
           copy(NULL, u->N + 1, sizeof *to->soft_start, &to->soft_start);
}

/* ---- multinomial ----------------------------------------------------------------------- */

/* One count of one unit. */
typedef struct {
    uint32_t unit, feature, row;
    double count;
} entry;

/* Sums the counts of each unit, with features in the order of its items. */
static size_t gather(const cau_points *points, cau_cluster_stats *u, double *sum, uint32_t *seen,
                     entry *entries)
{
    size_t count = 0;
    u->whole = true;
    for (size_t g = 0; g < u->G; g++) {
        size_t features = 0;
        for (size_t m = u->links.start[g]; m < u->links.start[g + 1]; m++) {
            uint32_t v;
            double x;
            for (size_t at = 0; cau_points_next(points, u->links.member[m], &at, &v, &x);) {
                if (sum[v] == 0) seen[features++] = v;
                sum[v] += x;
            }
        }
        for (size_t f = 0; f < features; f++) {
            const double x = sum[seen[f]];
            u->total[g] += x;
            u->whole = u->whole && x < 0x1p40 && x == floor(x);
            entries[count++] = (entry){(uint32_t)g, seen[f], NO_ROW, x};
            sum[seen[f]] = 0;
        }
    }
    return count;
}

static int by_count(const void *a, const void *b)
{
    const double x = (*(const entry *const *)a)->count, y = (*(const entry *const *)b)->count;
    return (x > y) - (x < y);
}

/* Gives rows to the common pairs, which are runs of equal counts among the entries of a feature.
 * `order` [entries] are pointers to them by feature; the entries of feature v start at start[v]. */
static size_t make_rows(cau_cluster_stats *u, entry **order, const size_t *start)
{
    size_t P = 0;
    for (size_t v = 0; v < u->V; v++) {
        entry **first = order + start[v];
        const size_t units = start[v + 1] - start[v];
        u->row_start[v] = P;
        bool equal = true;
        for (size_t i = 1; i < units && equal; i++) equal = first[i]->count == first[0]->count;
        if (!equal) qsort(first, units, sizeof *first, by_count);
        for (size_t i = 0, end; i < units; i = end) {
            for (end = i + 1; end < units && first[end]->count == first[i]->count;) end++;
            if (end - i < 2 || (end - i) * SHARE < units || P >= NO_ROW) continue;
            for (size_t j = i; j < end; j++) first[j]->row = (uint32_t)P;
            u->row_feature[P] = (uint32_t)v;
            u->row_count[P++] = first[i]->count;
        }
    }
    u->row_start[u->V] = P;
    return P;
}

/* Distributes the entries, which are ordered by unit, to the rows and the rare pairs. */
static void share_out(cau_cluster_stats *u, const entry *entries, size_t count)
{
    size_t common = 0, rare = 0;
    for (size_t i = 0, g = 0; g < u->G; g++) {
        u->common.start[g] = common;
        u->rare_start[g] = rare;
        for (; i < count && entries[i].unit == g; i++) {
            if (entries[i].row != NO_ROW) {
                u->common.column[common++] = entries[i].row;
            } else {
                u->rare[rare] = entries[i].feature;
                u->rare_count[rare++] = entries[i].count;
            }
        }
    }
    u->common.start[u->G] = common;
    u->rare_start[u->G] = rare;
}

static caucus_status init_multinomial(const cau_points *points, cau_cluster_stats *u)
{
    caucus_status st = CAUCUS_ERR_MEMORY;
    size_t most = 0, count, rows = 0, P;
    for (size_t i = 0; i < u->N; i++) {
        uint32_t v;
        double x;
        for (size_t at = 0; cau_points_next(points, i, &at, &v, &x);) most++;
    }
    entry *entries = cau_alloc(most, sizeof *entries);
    entry **order = cau_alloc(most, sizeof *order);
    double *sum = cau_calloc(u->V, sizeof *sum);
    uint32_t *seen = cau_alloc(u->V, sizeof *seen);
    size_t *start = cau_calloc(u->V + 2, sizeof *start);
    u->total = cau_calloc(u->G, sizeof *u->total);
    u->row_start = cau_alloc(u->V + 1, sizeof *u->row_start);
    if (!entries || !order || !sum || !seen || !start || !u->total || !u->row_start) goto done;

    count = gather(points, u, sum, seen, entries);
    for (size_t i = 0; i < count; i++) start[entries[i].feature + 2]++;
    for (size_t v = 2; v <= u->V; v++) start[v] += start[v - 1];
    for (size_t i = 0; i < count; i++) order[start[entries[i].feature + 1]++] = &entries[i];

    u->row_feature = cau_alloc(count, sizeof *u->row_feature);
    u->row_count = cau_alloc(count, sizeof *u->row_count);
    if (!u->row_feature || !u->row_count) goto done;
    P = make_rows(u, order, start);

    for (size_t i = 0; i < count; i++) rows += entries[i].row != NO_ROW;
    u->common.rows = u->G;
    u->common.columns = P;
    u->common.start = cau_alloc(u->G + 1, sizeof *u->common.start);
    u->common.column = cau_alloc(rows, sizeof *u->common.column);
    u->rare_start = cau_alloc(u->G + 1, sizeof *u->rare_start);
    u->rare = cau_alloc(count - rows, sizeof *u->rare);
    u->rare_count = cau_alloc(count - rows, sizeof *u->rare_count);
    if (!u->common.start || !u->common.column || !u->rare_start || !u->rare || !u->rare_count)
        goto done;
    share_out(u, entries, count);
    st = CAUCUS_OK;
done:
    free(entries);
    free(order);
    free(sum);
    free(seen);
    free(start);
    return st;
}

/* ---- Gaussian -------------------------------------------------------------------------- */

/* Expands item i to a dense row. */
static void spread_out(const cau_points *points, size_t i, double *row /* [V] */)
{
    uint32_t v;
    double x;
    for (size_t f = 0; f < points->V; f++) row[f] = 0;
    for (size_t at = 0; cau_points_next(points, i, &at, &v, &x);) row[v] += x;
}

/* Mean and variance of each feature; both start as 0. */
static void describe(const cau_points *points, double *row, double *mean, double *variance)
{
    const size_t V = points->V;
    const double N = (double)points->N;
    for (size_t i = 0; i < points->N; i++) {
        spread_out(points, i, row);
        for (size_t v = 0; v < V; v++) mean[v] += row[v] / N;
    }
    for (size_t i = 0; i < points->N; i++) {
        spread_out(points, i, row);
        for (size_t v = 0; v < V; v++) variance[v] += (row[v] - mean[v]) * (row[v] - mean[v]) / N;
    }
    for (size_t v = 0; v < V; v++) /* a variance within rounding of 0 counts as 0 */
        if (!(variance[v] > 1e-28 * mean[v] * mean[v])) variance[v] = 1;
}

static caucus_status init_gaussian(caucus_ctx *ctx, const cau_points *points,
                                   const cau_dp_parameters *given, cau_cluster_stats *u)
{
    caucus_status st = CAUCUS_ERR_MEMORY;
    size_t cells;
    double *row = cau_alloc(u->V, sizeof *row);
    u->mu0 = cau_calloc(u->V, sizeof *u->mu0);
    u->b0 = cau_calloc(u->V, sizeof *u->b0);
    if (cau_size_mul(u->G, u->V, &cells)) {
        u->sum = cau_calloc(cells, sizeof *u->sum);
        u->square = cau_calloc(cells, sizeof *u->square);
    }
    if (!row || !u->mu0 || !u->b0 || !u->sum || !u->square) goto done;

    describe(points, row, u->mu0, u->b0);
    for (size_t v = 0; v < u->V; v++) {
        if (given->mu0) u->mu0[v] = given->mu0[v];
        if (given->b0) u->b0[v] = given->b0[v];
        if (!(fabs(u->mu0[v]) < LARGEST) || !(u->b0[v] > 0 && u->b0[v] < INFINITY))
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "mu0 and b0 of feature %zu are %g and %g; give numbers, b0 positive",
                         v + 1, u->mu0[v], u->b0[v]));
    }
    for (size_t i = 0; i < u->N; i++) {
        const size_t at = u->links.group[i] * u->V;
        spread_out(points, i, row);
        for (size_t v = 0; v < u->V; v++) {
            const double y = row[v] - u->mu0[v];
            u->sum[at + v] += y;
            u->square[at + v] += y * y;
        }
    }
    st = CAUCUS_OK;
done:
    free(row);
    return st;
}

/* ---- all of it ------------------------------------------------------------------------- */

caucus_status cau_cluster_stats_init(caucus_ctx *ctx, const cau_points *points,
                                     const cau_dp_options *options, const cau_constraints *links,
                                     cau_cluster_stats *out)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_stats u = {.likelihood = options->likelihood, .N = points->N, .V = points->V};
    if (u.likelihood == CAU_PRIOR_ONLY) u.V = 0;
    TRY(check_parameters(ctx, options));
    TRY(check_points(ctx, points, u.likelihood));
    if (!copy_links(links, &u)) TRY(CAUCUS_ERR_MEMORY);
    u.G = u.links.G;
    u.size = cau_alloc(u.G, sizeof *u.size);
    if (!u.size) TRY(CAUCUS_ERR_MEMORY);
    for (size_t g = 0; g < u.G; g++) u.size[g] = (double)(u.links.start[g + 1] - u.links.start[g]);
    if (u.likelihood == CAU_MULTINOMIAL) TRY(init_multinomial(points, &u));
    if (u.likelihood == CAU_GAUSSIAN) TRY(init_gaussian(ctx, points, &options->start, &u));
    *out = u;
    u = (cau_cluster_stats){0};
done:
    cau_cluster_stats_clear(&u);
    return st == CAUCUS_ERR_MEMORY ? cau_fail_memory(ctx, "the items to be clustered") : st;
}
