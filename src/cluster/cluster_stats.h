/* cluster_stats.h - units, the groups of must-linked items that a sampler moves together: their
 * data and the links between them. */

#ifndef CAU_CLUSTER_CLUSTER_STATS_H
#define CAU_CLUSTER_CLUSTER_STATS_H

#include "cluster/sampler.h"

/* The next nonzero entry of item i; *at starts at 0. False at the end. */
static inline bool cau_points_next(const cau_points *points, size_t i, size_t *at, uint32_t *v,
                                   double *x)
{
    if (points->sparse) {
        const cau_csr *m = points->sparse;
        while (m->start[i] + *at < m->start[i + 1]) {
            size_t j = m->start[i] + (*at)++;
            *v = m->column[j];
            *x = m->value ? (double)m->value[j] : 1;
            if (*x != 0) return true;
        }
    } else {
        while (*at < points->V) {
            *v = (uint32_t)*at;
            *x = points->dense[i * points->V + (*at)++];
            if (*x != 0) return true;
        }
    }
    return false;
}

/* G units over V features. The likelihood decides which arrays are allocated. Embed it zeroed; it
 * owns its arrays and is constant after cau_cluster_stats_init. */
typedef struct {
    cau_likelihood likelihood;
    size_t N, G, V;
    cau_constraints links; /* a copy */
    double *size;          /* [G] items in each */

    /* Multinomial: the counts of a unit are the sums over its items. Pairs of a feature and a count
     * that are frequent among units are rows, numbered by feature; the others are rare. See
     * cluster_stats.c. */
    double *total;      /* [G] */
    cau_csr common;     /* [G][P] the rows of each unit; no values */
    size_t *rare_start; /* [G+1] */
    uint32_t *rare;     /* features */
    double *rare_count;
    size_t *row_start;     /* [V+1] the rows of each feature */
    uint32_t *row_feature; /* [P] */
    double *row_count;     /* [P] */
    bool whole;            /* all counts are whole numbers: sums of them are exact */

    /* Gaussian: sums over the items of a unit, centred. */
    double *mu0, *b0;     /* [V] as given, or from the data */
    double *sum, *square; /* [G][V] of x - mu0, and of its square */
} cau_cluster_stats;

/* Checks the points and sums them by units. links NULL: every item is a unit. CAUCUS_ERR_ARGUMENT
 * without items, for numbers that the likelihood does not allow, and for parameters out of range.
 */
caucus_status cau_cluster_stats_init(caucus_ctx *ctx, const cau_points *points,
                                     const cau_dp_options *options, const cau_constraints *links,
                                     cau_cluster_stats *out);
void cau_cluster_stats_clear(cau_cluster_stats *units);

#endif
