/* sampler.c - collapsed Gibbs sampling of a Dirichlet process mixture under links.
 *
 * A partition of N items with clusters of n_1 .. n_K has, by the Chinese restaurant process, the
 * data (component.c) and the soft links (log-odds w of pairs),
 *     log p = K log alpha + sum_k lG(n_k) + lG(alpha) - lG(alpha + N)
 *           + sum_k log p(X_k) + sum_{soft pairs in one cluster} w
 * Must-linked items form one unit of s items. A sweep removes each unit and assigns it to a cluster
 * again [1]; the weights are the ratios of these probabilities with and without the unit:
 *     cluster k     n_k (n_k + 1) .. (n_k + s - 1)  p(x | X_k)  e^{soft links into k}
 *     a new one     alpha (s - 1)!  p(x)
 *     0             if k holds a unit with a cannot-link to this one
 * The new cluster is always legal, and so is every state. It is an empty lane of the components,
 * which compute the likelihood of the unit in all lanes at once. The statistics change only when a
 * unit moves, which is rare once a chain has converged: the likelihood in its own lane is computed
 * separately, without the unit.
 *
 * A chain starts from units assigned one by one in random order. So chains with different seeds
 * start far apart, and yet close enough to the data that few sweeps are wasted.
 * [1] Neal. Markov Chain Sampling Methods for Dirichlet Process Mixture Models. JCGS 2000. */

#include "cluster/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cluster/log_rising_factorial.h"
#include "cluster/state.h"

/* ---- one seat -------------------------------------------------------------------------- */

double cau_seat_prior(const cau_chain_state *state, size_t g, double n)
{
    const double s = state->units.size[g];
    return n > 0 ? cau_log_rise(n, s) : log(state->alpha) + cau_log_rise(1, s - 1);
}

/* Exponentiates the weights in place. NaN counts as impossible. */
size_t cau_draw_log(cau_rng *rng, double *weight, size_t count, size_t otherwise)
{
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < count; k++)
        if (weight[k] > top) top = weight[k];
    const double u = cau_rng_real(rng);
    if (!isfinite(top)) return otherwise;
    for (size_t k = 0; k < count; k++) {
        weight[k] = weight[k] > -INFINITY ? exp(weight[k] - top) : 0;
        sum += weight[k];
    }
    double left = u * sum;
    size_t last = otherwise;
    for (size_t k = 0; k < count; k++) {
        if (weight[k] == 0) continue;
        last = k;
        left -= weight[k];
        if (left < 0) break;
    }
    return last;
}

/* Draws a lane for unit g; its own lane, if any, counts without g. A singleton unit may stay in its
 * lane, which is its new cluster. Other units use the empty lane as the new cluster. */
static size_t draw_lane(cau_chain_state *state, size_t g)
{
    cau_components *c = &state->clusters;
    const cau_constraints *links = &state->units.links;
    const double s = state->units.size[g];
    const uint32_t own = state->z[g];
    const bool sits = own != CAU_NO_LANE, alone = sits && c->size[own] == s;
    const size_t fresh = alone ? own : c->empty;
    double *w = c->weight;
    cau_components_weigh(c, g, own, w);
    for (size_t k = 0; k < c->extent; k++) {
        if (k == fresh)
            w[k] += cau_seat_prior(state, g, 0);
        else if (k == own)
            w[k] += cau_seat_prior(state, g, c->size[k] - s);
        else if (s == 1)
            w[k] += c->log_size[k]; /* -INFINITY if it is empty */
        else
            w[k] += c->size[k] > 0 ? cau_seat_prior(state, g, c->size[k]) : -INFINITY;
    }
    for (size_t m = links->start[g]; m < links->start[g + 1]; m++) {
        const uint32_t i = links->member[m];
        for (size_t j = links->soft_start[i]; j < links->soft_start[i + 1]; j++) {
            const uint32_t other = links->group[links->soft_item[j]], lane = state->z[other];
            if (other != g && lane != CAU_NO_LANE) w[lane] += links->soft_log_odds[j];
        }
    }
    for (size_t f = links->forbid_start[g]; f < links->forbid_start[g + 1]; f++) {
        const uint32_t lane = state->z[links->forbid[f]];
        if (lane != CAU_NO_LANE) w[lane] = -INFINITY;
    }
    return cau_draw_log(&state->rng, w, c->extent, fresh);
}

static void seat(cau_chain_state *state, size_t g, size_t lane)
{
    state->z[g] = (uint32_t)lane;
    cau_components_add(&state->clusters, g, lane);
}

/* Makes sure that there is an empty lane. */
static caucus_status keep_spare(cau_chain_state *state)
{
    cau_components *c = &state->clusters;
    if (c->K < c->lanes) return CAUCUS_OK;
    return cau_components_arrange(c, &c->base, 2 + c->K / 2, state->z);
}

/* ---- a chain --------------------------------------------------------------------------- */

void cau_sampler_free(cau_chain_state *state)
{
    if (!state) return;
    cau_components_clear(&state->clusters);
    cau_cluster_stats_clear(&state->units);
    free(state->z);
    free(state->members);
    free(state->side);
    free(state);
}

static bool is_forbidden(const cau_chain_state *state, size_t g, uint32_t lane)
{
    const cau_constraints *links = &state->units.links;
    for (size_t f = links->forbid_start[g]; f < links->forbid_start[g + 1]; f++)
        if (state->z[links->forbid[f]] == lane) return true;
    return false;
}

/* The number that most items of unit g have in z; ties go to the first. */
static uint32_t majority(const cau_chain_state *state, size_t g, const uint32_t *z)
{
    const cau_constraints *links = &state->units.links;
    const size_t start = links->start[g], stop = links->start[g + 1];
    uint32_t best = z[links->member[start]];
    size_t most = 0;
    for (size_t a = start; a < stop && most < stop - a; a++) {
        size_t same = 0;
        for (size_t b = a; b < stop; b++) same += z[links->member[b]] == z[links->member[a]];
        if (same > most) {
            most = same;
            best = z[links->member[a]];
        }
    }
    return best;
}

/* Assigns units to the clusters of most of their items, unless an earlier unit there has a
 * cannot-link to them. */
static caucus_status seat_as(cau_chain_state *state, const uint32_t *z)
{
    cau_components *c = &state->clusters;
    uint32_t most = 0;
    for (size_t i = 0; i < state->units.N; i++) most = z[i] > most ? z[i] : most;
    caucus_status st = cau_components_arrange(c, &c->base, (size_t)most + 2, state->z);
    if (st) return st;
    for (size_t g = 0; g < state->units.G; g++) {
        const uint32_t lane = majority(state, g, z);
        if (!is_forbidden(state, g, lane)) seat(state, g, lane);
    }
    return CAUCUS_OK;
}

caucus_status cau_sampler_resume(caucus_ctx *ctx, const cau_points *points,
                                 const cau_dp_options *options, const cau_constraints *constraints,
                                 const cau_dp_parameters *parameters, const cau_rng *rng,
                                 const uint32_t *z, cau_chain_state **out)
{
    caucus_status st = CAUCUS_OK;
    cau_chain_state *state = cau_calloc(1, sizeof *state);
    if (!state) return cau_fail_memory(ctx, "a chain");
    state->points = *points;
    state->options = *options;
    state->rng = *rng;
    state->alpha = parameters->alpha;
    TRY(cau_cluster_stats_init(ctx, points, options, constraints, &state->units));
    const size_t G = state->units.G;
    cau_components_init(&state->clusters, &state->units, parameters);
    state->z = cau_alloc(G, sizeof *state->z);
    state->members = cau_alloc(G, sizeof *state->members);
    state->side = cau_calloc(G, sizeof *state->side);
    if (!state->z || !state->members || !state->side) TRY(cau_fail_memory(ctx, "a chain"));
    for (size_t g = 0; g < G; g++) {
        state->z[g] = CAU_NO_LANE;
        state->members[g] = (uint32_t)g;
    }
    st = z ? seat_as(state, z)
           : cau_components_arrange(&state->clusters, &state->clusters.base, 2, state->z);
    cau_rng_shuffle(&state->rng, state->members, G);
    for (size_t i = 0; i < G && !st; i++) {
        const uint32_t g = state->members[i];
        if (state->z[g] != CAU_NO_LANE) continue;
        st = keep_spare(state);
        if (!st) seat(state, g, draw_lane(state, g));
    }
    if (st) TRY(cau_fail_memory(ctx, "the clusters of a chain"));
    *out = state;
    state = NULL;
done:
    cau_sampler_free(state);
    return st;
}

caucus_status cau_sampler_new(caucus_ctx *ctx, const cau_points *points,
                              const cau_dp_options *options, const cau_constraints *constraints,
                              uint64_t seed, cau_chain_state **out)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    return cau_sampler_resume(ctx, points, options, constraints, &options->start, &rng, NULL, out);
}

caucus_status cau_sampler_constrain(caucus_ctx *ctx, cau_chain_state *state,
                                    const cau_constraints *constraints)
{
    cau_chain_state *fresh = NULL;
    uint32_t *z = cau_alloc(state->units.N, sizeof *z);
    if (!z) return cau_fail_memory(ctx, "the clusters of a chain");
    cau_sampler_partition(state, z);
    const cau_dp_parameters now = cau_sampler_parameters(state);
    caucus_status st = cau_sampler_resume(ctx, &state->points, &state->options, constraints, &now,
                                          &state->rng, z, &fresh);
    if (!st) {
        const cau_chain_state old = *state;
        *state = *fresh;
        state->clusters.units = &state->units;
        *fresh = old;
    }
    cau_sampler_free(fresh);
    free(z);
    return st;
}

caucus_status cau_sampler_sweep(cau_chain_state *state)
{
    caucus_status st;
    cau_components *c = &state->clusters;
    const cau_likelihood likelihood = state->units.likelihood;
    for (size_t g = 0; g < state->units.G; g++) {
        if ((st = keep_spare(state))) return st;
        const size_t lane = draw_lane(state, g);
        if (lane == state->z[g]) continue;
        cau_components_remove(c, g, state->z[g]);
        seat(state, g, lane);
    }
    for (size_t i = 0; i < state->options.split_merge; i++)
        if ((st = cau_sampler_split_merge(state))) return st;
    if (!state->options.fixed_alpha) cau_sampler_draw_alpha(state);
    if (!state->options.fixed_base && likelihood != CAU_PRIOR_ONLY)
        return cau_sampler_draw_base(state);
    const bool exact =
        likelihood == CAU_PRIOR_ONLY || (likelihood == CAU_MULTINOMIAL && state->units.whole);
    if (exact && c->lanes <= 16 + 2 * c->K) return CAUCUS_OK;
    return cau_components_arrange(c, &c->base, 2 + c->K / 8, state->z);
}

/* ---- where it stands ------------------------------------------------------------------- */

size_t cau_sampler_clusters(const cau_chain_state *state)
{
    return state->clusters.K;
}

cau_dp_parameters cau_sampler_parameters(const cau_chain_state *state)
{
    cau_dp_parameters now = state->clusters.base;
    now.alpha = state->alpha;
    return now;
}

double cau_sampler_log_joint(const cau_chain_state *state)
{
    const cau_components *c = &state->clusters;
    const cau_constraints *links = &state->units.links;
    double sum =
        (double)c->K * log(state->alpha) - cau_log_rise(state->alpha, (double)state->units.N);
    for (size_t k = 0; k < c->extent; k++)
        if (c->size[k] > 0) sum += cau_log_rise(1, c->size[k] - 1) + c->marginal[k];
    for (size_t i = 0; i < links->N; i++)
        for (size_t j = links->soft_start[i]; j < links->soft_start[i + 1]; j++) {
            const uint32_t other = links->soft_item[j];
            if (other > i && state->z[links->group[other]] == state->z[links->group[i]])
                sum += links->soft_log_odds[j];
        }
    return sum;
}

void cau_sampler_partition(const cau_chain_state *state, uint32_t *z)
{
    const cau_constraints *links = &state->units.links;
    uint32_t K = 0;
    double *number = state->clusters.work; /* new number of each lane, or -1 */
    for (size_t k = 0; k < state->clusters.lanes; k++) number[k] = -1;
    for (size_t i = 0; i < links->N; i++) {
        const uint32_t lane = state->z[links->group[i]];
        if (number[lane] < 0) number[lane] = K++;
        z[i] = (uint32_t)number[lane];
    }
}
