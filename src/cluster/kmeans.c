/* kmeans.c - k-means under links.
 *
 * COP-KMeans [1] minimises the sum of squared distances of the items from the means of their
 * clusters, and keeps the links. Must-linked items are one unit. An iteration assigns the units one
 * after the other, each to the nearest mean among the clusters that hold no earlier unit with a
 * cannot-link to it, and then computes the means. A unit that no cluster may take ends the start:
 * greedy assignment may fail where a legal assignment exists. Each start has its own order of
 * units, and the best start that did not fail wins.
 *
 * PCKMeans [2] may violate links, at a cost:
 *     J = sum_i |x_i - mu_{z_i}|^2 + w ( #{must-linked pairs apart} + #{cannot-linked pairs
 * together}
 *                                        + sum of |log odds| of violated soft links )
 * where w = penalty * sum_i |x_i - mean|^2 / N, so the scale of the data does not matter. An
 * iteration assigns the items one after the other, each to the cluster that adds least to J given
 * all others; then it computes the means. Neither step raises J. Pairs are those of the closure:
 * all pairs of a must-linked group, and all pairs between two groups with a cannot-link. The first
 * means are those of the largest groups; groups of one item follow in random order.
 *
 * An item of the cluster h adds, up to a constant that does not depend on h,
 *     |x_i - mu_h|^2 + w ( cannot-linked items in h - must-linked items in h - log odds into h ).
 *
 * A cluster that loses all items keeps its mean. Both stop when no item moved.
 * [1] Wagstaff, Cardie, Rogers, Schroedl. Constrained K-means Clustering with Background Knowledge.
 *     ICML 2001.
 * [2] Basu, Banerjee, Mooney. Active Semi-Supervision for Pairwise Constrained Clustering. SDM
 * 2004. */

#include "cluster/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"

static const uint32_t UNASSIGNED = UINT32_MAX;

/* What all starts share. */
typedef struct {
    const cau_points *points;
    const cau_constraints *links;
    const cau_kmeans_options *how;
    double penalty;    /* w */
    uint32_t *z;       /* [starts][N] results */
    double *objective; /* [starts] INFINITY for a start that failed */
} kmeans_job;

/* The memory of one start. */
typedef struct {
    const kmeans_job *job;
    cau_rng rng;
    uint32_t *z;     /* [N] */
    uint32_t *order; /* [N] items or units, in the order of assignment */
    double *mean;    /* [K][V] */
    size_t *size;    /* [K] */
    double *cost;    /* [K] of the item or unit to be assigned */
} kmeans_start;

static double squared_distance(const double *x, const double *y, size_t V)
{
    double sum = 0;
    for (size_t v = 0; v < V; v++) sum += (x[v] - y[v]) * (x[v] - y[v]);
    return sum;
}

/* The mean of `count` items into out [V]. */
static void average_items(const cau_points *points, const uint32_t *item, size_t count, double *out)
{
    const size_t V = points->V;
    for (size_t v = 0; v < V; v++) out[v] = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < V; v++) out[v] += points->dense[item[i] * V + v] / (double)count;
}

/* w, without the factor of the option. */
static double mean_squared_deviation(const cau_points *points, double *mean)
{
    double sum = 0;
    for (size_t v = 0; v < points->V; v++) mean[v] = 0;
    for (size_t i = 0; i < points->N; i++)
        for (size_t v = 0; v < points->V; v++)
            mean[v] += points->dense[i * points->V + v] / (double)points->N;
    for (size_t i = 0; i < points->N; i++)
        sum += squared_distance(points->dense + i * points->V, mean, points->V) / (double)points->N;
    return sum;
}

/* ---- means ----------------------------------------------------------------------------------- */

/* The first K means: the groups in random order, or the largest first with PCKMeans. */
static void choose_first_means(kmeans_start *s)
{
    const cau_constraints *links = s->job->links;
    const size_t K = s->job->how->K, V = s->job->points->V, G = links->G;
    for (size_t g = 0; g < G; g++) s->order[g] = (uint32_t)g;
    cau_rng_shuffle(&s->rng, s->order, G);
    for (size_t k = 0; k < K; k++) {
        if (k >= G) { /* more clusters than groups: the rest begins at random items */
            const uint32_t item = (uint32_t)cau_rng_below(&s->rng, links->N);
            average_items(s->job->points, &item, 1, s->mean + k * V);
            continue;
        }
        size_t best = k;
        for (size_t i = k + 1; s->job->how->soft && i < G; i++) {
            const uint32_t a = s->order[i], b = s->order[best];
            if (links->start[a + 1] - links->start[a] > links->start[b + 1] - links->start[b])
                best = i;
        }
        const uint32_t g = s->order[best];
        s->order[best] = s->order[k];
        s->order[k] = g;
        average_items(s->job->points, links->member + links->start[g],
                      links->start[g + 1] - links->start[g], s->mean + k * V);
    }
}

static void compute_means(kmeans_start *s)
{
    const cau_points *points = s->job->points;
    const size_t K = s->job->how->K, V = points->V;
    for (size_t k = 0; k < K; k++) s->size[k] = 0;
    for (size_t i = 0; i < points->N; i++) s->size[s->z[i]]++;
    for (size_t k = 0; k < K; k++)
        for (size_t v = 0; s->size[k] > 0 && v < V; v++) s->mean[k * V + v] = 0;
    for (size_t i = 0; i < points->N; i++) {
        const size_t k = s->z[i];
        for (size_t v = 0; v < V; v++)
            s->mean[k * V + v] += points->dense[i * V + v] / (double)s->size[k];
    }
}

/* ---- assignment ------------------------------------------------------------------------------ */

/* The index of the lowest cost; K if all are INFINITY. */
static size_t cheapest(const double *cost, size_t K)
{
    size_t best = K;
    for (size_t k = 0; k < K; k++)
        if (cost[k] < (best < K ? cost[best] : INFINITY)) best = k;
    return best;
}

/* COP-KMeans: assigns all units. False if a unit found no cluster; *moved tells whether any item
 * changed its cluster. `before` [N] is scratch. */
static bool assign_units(kmeans_start *s, uint32_t *before, bool *moved)
{
    const cau_constraints *links = s->job->links;
    const cau_points *points = s->job->points;
    const size_t K = s->job->how->K, V = points->V;
    memcpy(before, s->z, points->N * sizeof *before);
    for (size_t i = 0; i < points->N; i++) s->z[i] = UNASSIGNED;
    *moved = false;
    for (size_t u = 0; u < links->G; u++) {
        const size_t g = s->order[u];
        const uint32_t *member = links->member + links->start[g];
        const size_t count = links->start[g + 1] - links->start[g];
        for (size_t k = 0; k < K; k++) {
            s->cost[k] = 0;
            for (size_t m = 0; m < count; m++)
                s->cost[k] += squared_distance(points->dense + member[m] * V, s->mean + k * V, V);
        }
        for (size_t f = links->forbid_start[g]; f < links->forbid_start[g + 1]; f++) {
            const uint32_t lane = s->z[links->member[links->start[links->forbid[f]]]];
            if (lane != UNASSIGNED) s->cost[lane] = INFINITY;
        }
        const size_t k = cheapest(s->cost, K);
        if (k == K) return false;
        for (size_t m = 0; m < count; m++) s->z[member[m]] = (uint32_t)k;
        if (before[member[0]] != k) *moved = true;
    }
    return true;
}

/* Adds `weight` to the cost of the cluster of each assigned item of group g, except item i. */
static void weigh_group(kmeans_start *s, size_t g, uint32_t i, double weight)
{
    const cau_constraints *links = s->job->links;
    for (size_t m = links->start[g]; m < links->start[g + 1]; m++) {
        const uint32_t other = links->member[m];
        if (other != i && s->z[other] != UNASSIGNED) s->cost[s->z[other]] += weight;
    }
}

/* PCKMeans: assigns all items. Returns whether any changed its cluster. */
static bool assign_items(kmeans_start *s)
{
    const cau_constraints *links = s->job->links;
    const cau_points *points = s->job->points;
    const size_t K = s->job->how->K, V = points->V;
    const double w = s->job->penalty;
    bool moved = false;
    for (size_t n = 0; n < points->N; n++) {
        const uint32_t i = s->order[n], g = links->group[i], before = s->z[i];
        for (size_t k = 0; k < K; k++)
            s->cost[k] = squared_distance(points->dense + i * V, s->mean + k * V, V);
        weigh_group(s, g, i, -w);
        for (size_t f = links->forbid_start[g]; f < links->forbid_start[g + 1]; f++)
            weigh_group(s, links->forbid[f], i, w);
        for (size_t j = links->soft_start[i]; j < links->soft_start[i + 1]; j++) {
            const uint32_t lane = s->z[links->soft_item[j]];
            if (lane != UNASSIGNED) s->cost[lane] -= w * links->soft_log_odds[j];
        }
        const size_t k = cheapest(s->cost, K);
        /* An item moves only if it gains, so ties cannot make the iterations go in circles. */
        if (before != UNASSIGNED && !(s->cost[k] < s->cost[before])) continue;
        s->z[i] = (uint32_t)k;
        moved = true;
    }
    return moved;
}

/* ---- the objective --------------------------------------------------------------------------- */

/* The number of violated links of the closure, soft ones by their |log odds|. */
static double count_violations(const kmeans_start *s)
{
    const cau_constraints *links = s->job->links;
    double sum = 0;
    for (uint32_t i = 0; i < links->N; i++) {
        const uint32_t g = links->group[i];
        for (size_t m = links->start[g]; m < links->start[g + 1]; m++)
            sum += links->member[m] > i && s->z[links->member[m]] != s->z[i];
        for (size_t f = links->forbid_start[g]; f < links->forbid_start[g + 1]; f++) {
            const uint32_t h = links->forbid[f];
            for (size_t m = links->start[h]; h > g && m < links->start[h + 1]; m++)
                sum += s->z[links->member[m]] == s->z[i];
        }
        for (size_t j = links->soft_start[i]; j < links->soft_start[i + 1]; j++) {
            const uint32_t other = links->soft_item[j];
            const double log_odds = links->soft_log_odds[j];
            if (other > i && (s->z[other] == s->z[i]) != (log_odds > 0)) sum += fabs(log_odds);
        }
    }
    return sum;
}

/* The means must be up to date. */
static double compute_objective(const kmeans_start *s)
{
    const cau_points *points = s->job->points;
    const size_t V = points->V;
    double sum = s->job->how->soft ? s->job->penalty * count_violations(s) : 0;
    for (size_t i = 0; i < points->N; i++)
        sum += squared_distance(points->dense + i * V, s->mean + s->z[i] * V, V);
    return sum;
}

/* ---- a start --------------------------------------------------------------------------------- */

static caucus_status run_start(void *self, size_t start, unsigned worker)
{
    (void)worker;
    const kmeans_job *job = self;
    caucus_status st = CAUCUS_ERR_MEMORY;
    const size_t N = job->points->N, K = job->how->K, V = job->points->V;
    kmeans_start s = {.job = job, .z = job->z + start * N};
    size_t cells;
    bool moved = true, legal = true;
    uint32_t *before = cau_alloc(N, sizeof *before);
    s.order = cau_alloc(N, sizeof *s.order);
    if (cau_size_mul(K, V, &cells)) s.mean = cau_alloc(cells, sizeof *s.mean);
    s.size = cau_alloc(K, sizeof *s.size);
    s.cost = cau_alloc(K, sizeof *s.cost);
    if (!before || !s.order || !s.mean || !s.size || !s.cost) goto done;
    st = CAUCUS_OK;
    cau_rng_init(&s.rng, cau_hash(&start, sizeof start, job->how->seed));
    for (size_t i = 0; i < N; i++) s.z[i] = UNASSIGNED;
    choose_first_means(&s);
    const size_t count = job->how->soft ? N : job->links->G;
    for (size_t i = 0; i < count; i++) s.order[i] = (uint32_t)i;
    cau_rng_shuffle(&s.rng, s.order, count);
    for (size_t i = 0; i < job->how->iterations && moved && legal; i++) {
        if (job->how->soft)
            moved = assign_items(&s);
        else
            legal = assign_units(&s, before, &moved);
        if (legal) compute_means(&s);
    }
    job->objective[start] = legal ? compute_objective(&s) : (double)INFINITY;
done:
    free(before);
    free(s.order);
    free(s.mean);
    free(s.size);
    free(s.cost);
    return st;
}

/* Copies the clusters, numbered by their first items. number [K] is scratch. */
static void renumber(const uint32_t *z, size_t N, size_t K, uint32_t *number, uint32_t *out)
{
    uint32_t next = 0;
    for (size_t k = 0; k < K; k++) number[k] = UNASSIGNED;
    for (size_t i = 0; i < N; i++) {
        if (number[z[i]] == UNASSIGNED) number[z[i]] = next++;
        out[i] = number[z[i]];
    }
}

caucus_status cau_kmeans_fit(caucus_ctx *ctx, const cau_points *points,
                             const cau_constraints *constraints, const cau_kmeans_options *how,
                             uint32_t *z, double *objective)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = points->N;
    kmeans_job job = {.points = points, .links = constraints, .how = how};
    size_t cells, best = 0;
    uint32_t *number = NULL;
    double *mean = NULL;
    if (how->K == 0 || how->K > N)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%zu clusters of %zu items; give --clusters a number from 1 to the number of "
                     "items",
                     how->K, N));
    number = cau_alloc(how->K, sizeof *number);
    mean = cau_alloc(points->V, sizeof *mean);
    if (cau_size_mul(how->starts, N, &cells)) job.z = cau_alloc(cells, sizeof *job.z);
    job.objective = cau_alloc(how->starts, sizeof *job.objective);
    if (!number || !mean || !job.z || !job.objective) TRY(cau_fail_memory(ctx, "the clusters"));
    job.penalty = how->penalty * mean_squared_deviation(points, mean);
    if (cau_parallel(how->threads, how->starts, run_start, &job))
        TRY(cau_fail_memory(ctx, "the clusters"));
    for (size_t s = 1; s < how->starts; s++)
        if (job.objective[s] < job.objective[best]) best = s;
    if (!(job.objective[best] < INFINITY))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "no start found %zu clusters that keep the links; raise --clusters or "
                     "--starts, or take --method pck-means",
                     how->K));
    renumber(job.z + best * N, N, how->K, number, z);
    *objective = job.objective[best];
done:
    free(number);
    free(mean);
    free(job.z);
    free(job.objective);
    return st;
}
