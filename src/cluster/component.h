/* component.h - the clusters of a mixture as sufficient statistics.
 *
 * Clusters are lanes: numbers below `lanes`, some of which are empty. The statistics of a feature
 * are a row with a number for each lane, so the likelihood of a unit is computed for all clusters
 * at once, including a new one, which is an empty lane. Opening and closing a cluster costs
 * nothing. The maths is in component.c. */

#ifndef CAU_CLUSTER_COMPONENT_H
#define CAU_CLUSTER_COMPONENT_H

#include "cluster/cluster_stats.h"

static const uint32_t CAU_NO_LANE = UINT32_MAX; /* of an unassigned unit */

typedef struct {
    const cau_cluster_stats *units;
    cau_dp_parameters base; /* all except alpha */
    size_t lanes;           /* a multiple of 8 */
    size_t K;               /* number of lanes in use */
    size_t empty;           /* the lowest empty lane; `lanes` if there is none */
    size_t extent;          /* one more than the highest lane in use, and above `empty` */

    double *size;     /* [lanes] items */
    double *log_size; /* [lanes] */
    double *marginal; /* [lanes] log marginal likelihood of a lane; 0 if empty */

    /* Multinomial. */
    double *total; /* [lanes] n. */
    double *count; /* [V][lanes] n_v */
    double *row;   /* [P][lanes] lG(n_v + beta + c) - lG(n_v + beta) for each row (v, c) of units */

    /* Gaussian. */
    double *sum, *square; /* [V][lanes] of x - mu0 */
    double *spread;       /* [lanes] sum_v log(bn_v / b0_v) */
    double *half;         /* [V] 1 / 2 b0_v */
    double *normal;       /* [N+2] the part of the marginal of n items that depends only on n */

    double *weight; /* [lanes] scratch for drawing a lane */
    double *work;   /* [lanes] scratch */
    double *rise;   /* [3][max(V, lanes) + 1] arguments and results of rising factorials */
    double *memory; /* the block that holds these arrays */
    size_t room;    /* numbers in it */
} cau_components;

/* Starts without clusters; embed it zeroed. The units must outlive it. Call cau_components_arrange
 * next. */
void cau_components_init(cau_components *c, const cau_cluster_stats *units,
                         const cau_dp_parameters *base);
void cau_components_clear(cau_components *c);

/* Assigns all units to the clusters z [G] under new parameters (or c->base): renumbers the lanes in
 * z 0, 1, ... without gaps, leaves at least `spare` lanes empty, and recomputes everything, which
 * removes accumulated rounding errors. On CAUCUS_ERR_MEMORY nothing changes. */
caucus_status cau_components_arrange(cau_components *c, const cau_dp_parameters *base, size_t spare,
                                     uint32_t *z);

/* Adds unit g to lane k, or removes it and returns log p(unit g | the rest of the lane). If that
 * number, `weight`, is known when a unit is added, cau_components_add_weighed saves computing it.
 */
void cau_components_add(cau_components *c, size_t g, size_t k);
void cau_components_add_weighed(cau_components *c, size_t g, size_t k, double weight);
double cau_components_remove(cau_components *c, size_t g, size_t k);

/* log p(unit g | a lane), for one lane, or for all below c->extent: out [lanes]. If g is in lane
 * `own` (else CAU_NO_LANE), that lane counts without g. */
double cau_components_weigh_one(const cau_components *c, size_t g, size_t k);
void cau_components_weigh(cau_components *c, size_t g, uint32_t own, double *out);

/* ---- the marginal likelihood of all clusters under other parameters ---- */

/* A summary of the counts that suffices: how often each small integer occurs, and the other counts.
 */
typedef struct {
    const cau_components *c;
    double *often; /* [SMALL] */
    double *other;
    size_t others, room;
} cau_evidence;

caucus_status cau_evidence_init(const cau_components *c, cau_evidence *out);
double cau_evidence_at(const cau_evidence *evidence, const cau_dp_parameters *base);
void cau_evidence_clear(cau_evidence *evidence);

#endif
