/* exact_partitions.h - small clustering problems with all their partitions, to test samplers. */

#ifndef CAU_SUPPORT_EXACT_PARTITIONS_H
#define CAU_SUPPORT_EXACT_PARTITIONS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/sampler.h"

enum { EXACT_MOST = 8, EXACT_BELL = 4140, EXACT_CODES = 40320 /* 8! */ };

/* ---- constraints ------------------------------------------------------------------------- */

typedef struct {
    uint32_t group[EXACT_MOST], member[EXACT_MOST], forbid[64], soft_item[64];
    size_t start[EXACT_MOST + 1], forbid_start[EXACT_MOST + 1], soft_start[EXACT_MOST + 1];
    double soft_log_odds[64];
} link_room;

/* Links between N items: groups[i] is the group of item i, numbered by first item; a link is 'c'
 * (cannot, between the groups of two items) or 's' (soft, with log-odds). */
typedef struct {
    uint32_t a, b;
    char kind;
    double log_odds;
} small_link;

static inline cau_constraints make_links(size_t N, const uint32_t *groups, const small_link *links,
                                         size_t count, link_room *room)
{
    size_t G = 0, at = 0;
    for (size_t i = 0; i < N; i++) {
        room->group[i] = groups ? groups[i] : (uint32_t)i;
        if (room->group[i] >= G) G = room->group[i] + 1;
    }
    for (size_t g = 0; g < G; g++) {
        room->start[g] = at;
        for (size_t i = 0; i < N; i++)
            if (room->group[i] == g) room->member[at++] = (uint32_t)i;
    }
    room->start[G] = at;
    size_t forbids = 0, softs = 0;
    for (size_t g = 0; g < G; g++) {
        room->forbid_start[g] = forbids;
        for (size_t l = 0; l < count; l++) {
            const uint32_t a = room->group[links[l].a], b = room->group[links[l].b];
            if (links[l].kind == 'c' && (a == g || b == g))
                room->forbid[forbids++] = a == g ? b : a;
        }
    }
    room->forbid_start[G] = forbids;
    for (size_t i = 0; i < N; i++) {
        room->soft_start[i] = softs;
        for (size_t l = 0; l < count; l++)
            if (links[l].kind == 's' && (links[l].a == i || links[l].b == i)) {
                room->soft_item[softs] = links[l].a == i ? links[l].b : links[l].a;
                room->soft_log_odds[softs++] = links[l].log_odds;
            }
    }
    room->soft_start[N] = softs;
    return (cau_constraints){.N = N,
                             .G = G,
                             .group = room->group,
                             .start = room->start,
                             .member = room->member,
                             .forbid_start = room->forbid_start,
                             .forbid = room->forbid,
                             .soft_start = room->soft_start,
                             .soft_item = room->soft_item,
                             .soft_log_odds = room->soft_log_odds};
}

/* ---- likelihoods, as the formulas have them --------------------------------------------- */

static inline double small_value(const cau_points *p, size_t i, size_t v)
{
    if (p->dense) return p->dense[i * p->V + v];
    for (size_t j = p->sparse->start[i]; j < p->sparse->start[i + 1]; j++)
        if (p->sparse->column[j] == v) return p->sparse->value ? (double)p->sparse->value[j] : 1;
    return 0;
}

/* log density of Student's t with f degrees of freedom. */
static inline double student(double x, double f, double mean, double scale2)
{
    const double y = (x - mean) * (x - mean) / scale2;
    return lgamma((f + 1) / 2) - lgamma(f / 2) - 0.5 * log(f * M_PI * scale2) -
           (f + 1) / 2 * log1p(y / f);
}

/* log p(row x | items of `from` with z == k) by the formulas of the predictive distribution; x is
 * row `row` of `of`. */
static inline double exact_predictive(const cau_points *from, size_t N, cau_likelihood likelihood,
                                      const cau_dp_parameters *p, const uint32_t *z, uint32_t k,
                                      const cau_points *of, size_t row)
{
    double sum = 0, n_all = 0, x_all = 0;
    if (likelihood == CAU_PRIOR_ONLY) return 0;
    for (size_t v = 0; v < of->V; v++) {
        const double x = small_value(of, row, v);
        double n = 0, total = 0, squares = 0;
        for (size_t i = 0; i < N; i++)
            if (z[i] == k) {
                n++;
                total += small_value(from, i, v);
            }
        for (size_t i = 0; i < N && n > 0; i++)
            if (z[i] == k) {
                const double d = small_value(from, i, v) - total / n;
                squares += d * d;
            }
        if (likelihood == CAU_MULTINOMIAL) {
            sum += lgamma(total + p->beta + x) - lgamma(total + p->beta);
            n_all += total;
            x_all += x;
        } else {
            const double mu0 = p->mu0[v], b0 = p->b0[v] * p->b0_scale, kn = p->k0 + n;
            const double mean = n > 0 ? total / n : 0, an = p->a0 + n / 2;
            const double bn = b0 + squares / 2 + p->k0 * n * (mean - mu0) * (mean - mu0) / (2 * kn);
            sum += student(x, 2 * an, (p->k0 * mu0 + total) / kn, bn * (kn + 1) / (an * kn));
        }
    }
    if (likelihood == CAU_MULTINOMIAL)
        sum += lgamma(n_all + (double)of->V * p->beta) -
               lgamma(n_all + (double)of->V * p->beta + x_all);
    return sum;
}

/* log p(partition, data, links) by the chain rule, one item at a time. */
static inline double exact_joint(const cau_points *points, cau_likelihood likelihood,
                                 const cau_dp_parameters *p, const cau_constraints *links,
                                 const uint32_t *z)
{
    double sum = 0;
    for (size_t i = 0; i < points->N; i++) {
        double n = 0;
        for (size_t j = 0; j < i; j++) n += z[j] == z[i];
        sum += log((n > 0 ? n : p->alpha) / ((double)i + p->alpha));
        sum += exact_predictive(points, i, likelihood, p, z, z[i], points, i);
    }
    for (size_t i = 0; links && i < links->N; i++) {
        for (size_t j = i + 1; j < links->N; j++) {
            const uint32_t a = links->group[i], b = links->group[j];
            if (a == b && z[i] != z[j]) return -INFINITY;
            for (size_t f = links->forbid_start[a]; f < links->forbid_start[a + 1]; f++)
                if (links->forbid[f] == b && z[i] == z[j]) return -INFINITY;
        }
        for (size_t s = links->soft_start[i]; s < links->soft_start[i + 1]; s++)
            if (links->soft_item[s] > i && z[links->soft_item[s]] == z[i])
                sum += links->soft_log_odds[s];
    }
    return sum;
}

/* ---- all partitions --------------------------------------------------------------------- */

typedef struct {
    size_t N, count;
    uint32_t z[EXACT_BELL][EXACT_MOST];
    double p[EXACT_BELL];
    uint32_t at[EXACT_CODES]; /* indexed by partition_code */
} all_partitions;

/* A number below N! for a partition with z_i <= i. */
static inline size_t partition_code(size_t N, const uint32_t *z)
{
    size_t code = 0;
    for (size_t i = 0; i < N; i++) code = code * (i + 1) + z[i];
    return code;
}

/* All partitions of the points with their posterior probabilities. The caller frees the arrays. */
static inline all_partitions *enumerate(const cau_points *points, cau_likelihood likelihood,
                                        const cau_dp_parameters *parameters,
                                        const cau_constraints *links)
{
    all_partitions *all = calloc(1, sizeof *all);
    if (!all) abort();
    const size_t N = all->N = points->N;
    uint32_t z[EXACT_MOST] = {0};
    double top = -INFINITY, sum = 0;
    for (;;) { /* z_i <= 1 + the largest number before it: counts up from 0 0 ... 0 */
        const size_t c = all->count++;
        memcpy(all->z[c], z, sizeof z);
        all->at[partition_code(N, z)] = (uint32_t)c;
        all->p[c] = exact_joint(points, likelihood, parameters, links, z);
        if (all->p[c] > top) top = all->p[c];
        size_t i = N;
        while (i-- > 1) {
            uint32_t most = 0;
            for (size_t j = 0; j < i; j++) most = z[j] > most ? z[j] : most;
            if (z[i] <= most) break;
            z[i] = 0;
        }
        if (i == 0 || i >= N) break;
        z[i]++;
    }
    for (size_t c = 0; c < all->count; c++) sum += all->p[c] = exp(all->p[c] - top);
    for (size_t c = 0; c < all->count; c++) all->p[c] /= sum;
    return all;
}

#endif
