/* component.h - the clusters of a mixture as sufficient statistics.
 *
 * Clusters are lanes: numbers below `lanes`, some of which are empty. What is kept of a feature is
 * a row with a number for each lane, so that a unit is weighed against all clusters at once, and
 * against a new one: an empty lane is one that has seen nothing. Opening and closing a cluster
 * costs nothing. The maths is in component.c. */

#ifndef CAU_CLUSTER_COMPONENT_H
#define CAU_CLUSTER_COMPONENT_H

#include "cluster/cluster_stats.h"

static const uint32_t CAU_NO_LANE = UINT32_MAX; /* of a unit that sits nowhere */

typedef struct {
    const cau_cluster_stats *units;
    cau_dp_parameters base; /* all but alpha */
    size_t lanes;           /* a multiple of 8 */
    size_t K;               /* of them, those that hold something */
    size_t empty;           /* the lowest that does not; lanes where all do */
    size_t extent;          /* behind the highest that does, but above `empty` */

    double *size;     /* [lanes] items */
    double *log_size; /* [lanes] */
    double *marginal; /* [lanes] log p of what a lane holds; 0 for nothing */

    /* Multinomial. */
    double *total; /* [lanes] n. */
    double *count; /* [V][lanes] n_v */
    double *row;   /* [P][lanes] lG(n_v + beta + c) - lG(n_v + beta) for each row (v, c) of units */

    /* Gaussian. */
    double *sum, *square; /* [V][lanes] of x - mu0 */
    double *spread;       /* [lanes] sum_v log(bn_v / b0_v) */
    double *half;         /* [V] 1 / 2 b0_v */
    double *normal;       /* [N+2] what the marginal of n items does not owe to where they are */

    double *weight; /* [lanes] for who draws a lane */
    double *work;   /* [lanes] */
    double *rise;   /* [3][max(V, lanes) + 1] arguments and results of a call for many rises */
    double *memory; /* where all of these are */
    size_t room;    /* numbers in it */
} cau_components;

/* No clusters; embed it zeroed. The units must outlive it. cau_components_arrange comes next. */
void cau_components_init(cau_components *c, const cau_cluster_stats *units,
                         const cau_dp_parameters *base);
void cau_components_clear(cau_components *c);

/* Seats all units anew, as z [G] says, under new parameters (or c->base): numbers lanes 0, 1, ...
 * in z without gaps, leaves at least `spare` of them empty, and computes everything afresh, which
 * takes away what rounding has added up. CAUCUS_ERR_MEMORY leaves all as it was. */
caucus_status cau_components_arrange(cau_components *c, const cau_dp_parameters *base, size_t spare,
                                     uint32_t *z);

/* Puts unit g into lane k, or takes it out and returns log p(unit g | what the lane holds then). To
 * who knows that when a unit comes, `weight`, it need not be computed again. */
void cau_components_add(cau_components *c, size_t g, size_t k);
void cau_components_add_weighed(cau_components *c, size_t g, size_t k, double weight);
double cau_components_remove(cau_components *c, size_t g, size_t k);

/* log p(unit g | what a lane holds), for one lane, or for all below c->extent: out [lanes]. If g
 * sits in a lane (own, or CAU_NO_LANE), it counts there as if it did not. */
double cau_components_weigh_one(const cau_components *c, size_t g, size_t k);
void cau_components_weigh(cau_components *c, size_t g, uint32_t own, double *out);

/* The same for row i of other points over the same features. row [2][V] is for work. */
void cau_components_weigh_row(cau_components *c, const cau_points *points, size_t i, double *row,
                              double *out);

/* ---- other parameters: what would all marginals together be? ---- */

/* What is enough to know of the counts: how often each small whole one occurs, and the others. */
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
