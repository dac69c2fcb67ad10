/* chains.c - parallel chains and their convergence.
 *
 * Each chain has its own seed, state and samples: the result is the same at any number of threads.
 * Chains run a few sweeps at a time, with a progress report after each of these laps.
 *
 * A chain under new links continues from its last state, made legal. That state is not a sample of
 * the new posterior, but usually close to one: a few sweeps suffice instead of a hundred from
 * scratch.
 *
 * Convergence [1]. For m half chains of n samples, W is the mean of their variances and B/n the
 * variance of their means:
 *     var+ = (n-1)/n W + B/n,      R = sqrt(var+ / W)
 * The means of chains that have not converged differ by more than their variances explain.
 *
 * With a_t the mean over half chains of the autocovariance at lag t (over n - 1, so that a_0 = W),
 *     rho_t = 1 - (W - a_t) / var+,     ESS = m n / (1 + 2 sum_{t>0} rho_t)
 * The sum is truncated where noise begins [2]: the true sums of neighbours rho_2t + rho_2t+1 are
 * positive and decrease, so terms are added while they are positive, each limited by the one
 * before. ESS is at most m n log10(m n), because antithetic chains beat independent samples, but
 * not without bound.
 *
 * [1] Gelman et al. Bayesian Data Analysis. 3rd edition, 2013, 11.4 and 11.5.
 * [2] Geyer. Practical Markov Chain Monte Carlo. Statistical Science 1992. */

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "cluster/state.h"

enum { LAP = 10 }; /* sweeps of a lap during burn-in */

struct cau_chains {
    cau_points points;
    cau_dp_options options;
    cau_chains_options how;
    cau_rng seeds;
    cau_chain_state **chain; /* [chains] */
    /* of the last samples: [chains][samples] */
    double *clusters, *joint;
    cau_dp_parameters *parameters;
    bool begun, drawn; /* whether there was a draw, and whether the last was completed */
};

void cau_chains_free(cau_chains *chains)
{
    if (!chains) return;
    for (size_t c = 0; chains->chain && c < chains->how.chains; c++)
        cau_sampler_free(chains->chain[c]);
    free(chains->chain);
    free(chains->clusters);
    free(chains->joint);
    free(chains->parameters);
    free(chains);
}

/* New chains, each with the next seed, in fresh [chains]; on failure some are NULL. */
static caucus_status start(caucus_ctx *ctx, cau_chains *chains, const cau_constraints *links,
                           cau_chain_state **fresh)
{
    caucus_status st = CAUCUS_OK;
    for (size_t c = 0; c < chains->how.chains && !st; c++)
        st = cau_sampler_new(ctx, &chains->points, &chains->options, links,
                             cau_rng_next(&chains->seeds), &fresh[c]);
    return st;
}

/* Replaces the chains by new ones; keeps the old ones on failure. links NULL: the same links. */
static caucus_status start_afresh(caucus_ctx *ctx, cau_chains *chains, const cau_constraints *links)
{
    const size_t count = chains->how.chains;
    cau_chain_state **fresh = cau_calloc(count, sizeof *fresh);
    if (!fresh) return cau_fail_memory(ctx, "chains");
    caucus_status st = start(ctx, chains, links ? links : &chains->chain[0]->units.links, fresh);
    for (size_t c = 0; c < count; c++) {
        cau_sampler_free(st ? fresh[c] : chains->chain[c]);
        if (!st) chains->chain[c] = fresh[c];
    }
    free(fresh);
    return st;
}

caucus_status cau_chains_new(caucus_ctx *ctx, const cau_points *points,
                             const cau_dp_options *options, const cau_chains_options *how,
                             const cau_constraints *constraints, cau_chains **out)
{
    caucus_status st = CAUCUS_OK;
    size_t samples;
    cau_chains *chains = cau_calloc(1, sizeof *chains);
    if (!chains) return cau_fail_memory(ctx, "chains");
    chains->points = *points;
    chains->options = *options;
    chains->how = *how;
    cau_rng_init(&chains->seeds, how->seed);
    if (how->chains == 0 || how->samples == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%zu chains of %zu samples; at least one of each",
                     how->chains, how->samples));
    chains->chain = cau_calloc(how->chains, sizeof *chains->chain);
    if (!cau_size_mul(how->chains, how->samples, &samples)) samples = SIZE_MAX;
    chains->clusters = cau_calloc(samples, sizeof *chains->clusters);
    chains->joint = cau_calloc(samples, sizeof *chains->joint);
    chains->parameters = cau_calloc(samples, sizeof *chains->parameters);
    if (!chains->chain || !chains->clusters || !chains->joint || !chains->parameters)
        TRY(cau_fail_memory(ctx, "chains"));
    TRY(start(ctx, chains, constraints, chains->chain));
    *out = chains;
    chains = NULL;
done:
    cau_chains_free(chains);
    return st;
}

/* ---- drawing --------------------------------------------------------------------------- */

/* One lap: some sweeps of each chain, and then possibly a sample. */
typedef struct {
    cau_chains *chains;
    cau_partitions *partitions;
    size_t sweeps;
    size_t sample;  /* number of the sample; SIZE_MAX: none */
    double *joints; /* [chains] log joint at the end of the lap */
} lap;

static caucus_status run_chain(void *self, size_t c, unsigned worker)
{
    (void)worker;
    const lap *r = self;
    cau_chain_state *state = r->chains->chain[c];
    for (size_t s = 0; s < r->sweeps; s++) {
        caucus_status st = cau_sampler_sweep(state);
        if (st) return st;
    }
    r->joints[c] = cau_sampler_log_joint(state);
    if (r->sample == SIZE_MAX) return CAUCUS_OK;
    const size_t at = c * r->chains->how.samples + r->sample;
    cau_sampler_partition(state, r->partitions->z + at * r->partitions->N);
    r->chains->clusters[at] = (double)cau_sampler_clusters(state);
    r->chains->joint[at] = r->joints[c];
    r->chains->parameters[at] = cau_sampler_parameters(state);
    return CAUCUS_OK;
}

/* Reports progress; false if the caller stops. */
static bool report(caucus_ctx *ctx, const lap *r, size_t done, size_t all, double began)
{
    const size_t count = r->chains->how.chains;
    double joint = 0;
    if (!ctx->progress) return true;
    for (size_t c = 0; c < count; c++) joint += r->joints[c] / (double)count;
    const double elapsed = cau_seconds() - began;
    const caucus_progress progress = {
        .solver = "gibbs",
        .iteration = done * count,
        .passes = all * count,
        .objective = joint,
        .gradient = NAN,
        .dev = NAN,
        .elapsed = elapsed,
        .remaining = done > 0 ? elapsed / (double)done * (double)(all - done) : NAN,
        .norm = NAN,
    };
    return ctx->progress(ctx->progress_user, &progress);
}

/* Burn-in, then draws into r->partitions. */
static caucus_status draw(caucus_ctx *ctx, lap *r, size_t burn)
{
    const cau_chains_options *how = &r->chains->how;
    const size_t lag = how->lag > 0 ? how->lag : 1;
    const double began = cau_seconds();
    size_t done = 0, all, s = 0;
    if (!cau_size_mul(lag, how->samples, &all) || !cau_size_add(all, burn, &all) ||
        all > SIZE_MAX / how->chains)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the number of sweeps is too large; lower --burn-in, --samples or --lag");
    while (s < how->samples) {
        const size_t left = burn > done ? burn - done : 0;
        r->sweeps = left == 0 ? lag : left < LAP ? left : LAP;
        r->sample = left == 0 ? s++ : SIZE_MAX;
        caucus_status st = cau_parallel(how->threads, how->chains, run_chain, r);
        if (st) return cau_fail_memory(ctx, "the clusters of a chain");
        done += r->sweeps;
        if (!report(ctx, r, done, all, began))
            return cau_fail(ctx, CAUCUS_ERR_STOPPED, "sampling was stopped");
    }
    return CAUCUS_OK;
}

caucus_status cau_chains_draw(caucus_ctx *ctx, cau_chains *chains,
                              const cau_constraints *constraints, bool afresh, size_t again,
                              cau_partitions *partitions)
{
    caucus_status st = CAUCUS_OK;
    const size_t count = chains->how.chains, N = chains->points.N;
    cau_partitions drawn = {.N = N, .S = count * chains->how.samples};
    lap r = {.chains = chains, .partitions = &drawn};
    size_t cells;
    chains->drawn = false;
    r.joints = cau_calloc(count, sizeof *r.joints);
    if (cau_size_mul(N, drawn.S, &cells)) drawn.z = cau_alloc(cells, sizeof *drawn.z);
    if (!r.joints || !drawn.z) TRY(cau_fail_memory(ctx, "samples"));
    if (afresh)
        TRY(start_afresh(ctx, chains, constraints));
    else
        for (size_t c = 0; c < count && constraints; c++)
            TRY(cau_sampler_constrain(ctx, chains->chain[c], constraints));
    TRY(draw(ctx, &r, afresh || !chains->begun ? chains->how.burn_in : again));
    chains->begun = chains->drawn = true;
    *partitions = drawn;
    drawn.z = NULL;
done:
    free(r.joints);
    free(drawn.z);
    return st;
}

/* ---- convergence ----------------------------------------------------------------------- */

/* The first sample of half chain h; it has n samples. */
static const double *half(const double *x, size_t samples, size_t h)
{
    const size_t n = samples / 2;
    return x + h / 2 * samples + (h % 2 ? samples - n : 0);
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] - x[0];
    return x[0] + sum / (double)n;
}

/* Autocovariance at lag t; exactly 0 for a constant. */
static double autocovariance(const double *x, size_t n, size_t t)
{
    const double m = mean_of(x, n);
    double sum = 0;
    for (size_t i = 0; i + t < n; i++) sum += (x[i] - m) * (x[i + t] - m);
    return sum / (double)(n - 1);
}

static double mean_autocovariance(const double *x, size_t chains, size_t samples, size_t t)
{
    double sum = 0;
    for (size_t h = 0; h < 2 * chains; h++)
        sum += autocovariance(half(x, samples, h), samples / 2, t);
    return sum / (double)(2 * chains);
}

/* W and var+. */
static void variances(const double *x, size_t chains, size_t samples, double *within, double *all)
{
    const size_t n = samples / 2, m = 2 * chains;
    double centre = 0, between = 0;
    for (size_t h = 0; h < m; h++) centre += (mean_of(half(x, samples, h), n) - x[0]) / (double)m;
    for (size_t h = 0; h < m; h++) {
        const double d = mean_of(half(x, samples, h), n) - x[0] - centre;
        between += d * d / (double)(m - 1);
    }
    *within = mean_autocovariance(x, chains, samples, 0);
    *all = (double)(n - 1) / (double)n * *within + between;
}

double cau_scale_reduction(const double *x, size_t chains, size_t samples)
{
    double within, all;
    if (chains == 0 || samples < 4) return NAN;
    variances(x, chains, samples, &within, &all);
    if (within > 0) return sqrt(all / within);
    return all > 0 ? INFINITY : all == 0 ? 1 : NAN;
}

double cau_effective_samples(const double *x, size_t chains, size_t samples)
{
    double within, all;
    if (chains == 0 || samples < 4) return NAN;
    variances(x, chains, samples, &within, &all);
    if (!(all > 0)) return NAN;
    const size_t n = samples / 2;
    const double total = 2 * (double)chains * (double)n;
    double sum = 0, before = INFINITY;
    for (size_t t = 0; t + 1 < n; t += 2) {
        double pair = 2 - (2 * within - mean_autocovariance(x, chains, samples, t) -
                           mean_autocovariance(x, chains, samples, t + 1)) /
                              all;
        if (!(pair > 0)) break;
        if (pair > before) pair = before;
        sum += pair;
        before = pair;
    }
    const double ess = total / (2 * sum - 1); /* the first pair holds rho_0 = 1 */
    return ess > 0 && ess < total * log10(total) ? ess : total * log10(total);
}

cau_diagnosis cau_chains_diagnose(const cau_chains *chains)
{
    const size_t count = chains->how.chains, samples = chains->how.samples, S = count * samples;
    cau_diagnosis d = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, .agree = false};
    if (!chains->drawn) return d;
    d.rhat_clusters = cau_scale_reduction(chains->clusters, count, samples);
    d.rhat_joint = cau_scale_reduction(chains->joint, count, samples);
    d.ess_clusters = cau_effective_samples(chains->clusters, count, samples);
    d.ess_joint = cau_effective_samples(chains->joint, count, samples);
    d.agree = d.rhat_clusters < 1.1 && d.rhat_joint < 1.1;

    const cau_dp_parameters now = cau_sampler_parameters(chains->chain[0]);
    cau_dp_parameters mean = {.mu0 = now.mu0, .b0 = now.b0};
    d.clusters = d.joint = 0;
    for (size_t s = 0; s < S; s++) {
        const cau_dp_parameters *p = &chains->parameters[s];
        d.clusters += chains->clusters[s] / (double)S;
        d.joint += chains->joint[s] / (double)S;
        mean.alpha += p->alpha / (double)S;
        mean.beta += p->beta / (double)S;
        mean.k0 += p->k0 / (double)S;
        mean.a0 += p->a0 / (double)S;
        mean.b0_scale += p->b0_scale / (double)S;
    }
    d.parameters = mean;
    d.alpha = mean.alpha;
    return d;
}
