/* state.h - the state of one chain, for sampler.c, hyper.c and split_merge.c. */

#ifndef CAU_CLUSTER_STATE_H
#define CAU_CLUSTER_STATE_H

#include "cluster/component.h"

struct cau_chain_state {
    cau_points points;
    cau_dp_options options;
    cau_rng rng;
    double alpha;
    cau_cluster_stats units;
    cau_components clusters; /* its `base` holds the parameters of the base measure */
    uint32_t *z;             /* [G] lanes */
    uint32_t *members;       /* [G] scratch of split_merge.c */
    uint8_t *side;           /* [G] scratch; all 0 between moves */
};

/* A chain that starts from the clusters z [N] as far as the links allow. The other items, or all if
 * z is NULL, are assigned one by one, in random order, each given those before it. */
caucus_status cau_sampler_resume(caucus_ctx *ctx, const cau_points *points,
                                 const cau_dp_options *options, const cau_constraints *constraints,
                                 const cau_dp_parameters *parameters, const cau_rng *rng,
                                 const uint32_t *z, cau_chain_state **out);

/* The prior of unit g, log n (n+1) .. (n+s-1), in a cluster of n items; log alpha (s-1)! for n = 0.
 */
double cau_seat_prior(const cau_chain_state *state, size_t g, double n);

/* Draws an index with probability proportional to exp weight[i]; overwrites the weights. Never
 * draws -INFINITY or NaN; returns `otherwise` if all weights are such. */
size_t cau_draw_log(cau_rng *rng, double *weight, size_t count, size_t otherwise);

/* hyper.c: resample alpha, or the parameters of the base measure (recomputes all statistics). */
void cau_sampler_draw_alpha(cau_chain_state *state);
caucus_status cau_sampler_draw_base(cau_chain_state *state);

/* split_merge.c: one move. */
caucus_status cau_sampler_split_merge(cau_chain_state *state);

#endif
