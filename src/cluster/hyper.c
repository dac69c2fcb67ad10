/* hyper.c - resamples the concentration and the parameters of the base measure, given the clusters.
 *
 * Concentration, prior Gamma(a, rate b), K clusters of N items [1]:
 *     eta ~ Beta(alpha + 1, N)
 *     alpha ~ Gamma(a + K, b - log eta) with odds (a + K - 1) : N (b - log eta),
 *             else Gamma(a + K - 1, b - log eta)
 * This is exact under links as well. A link is an observation of the partition: its probability, 0
 * or 1, or p or 1 - p for a soft link, depends on the partition alone. So given the partition,
 * links and data say nothing more about alpha (docs/decisions/alpha-under-links.md).
 *
 * Base measure: each parameter has a Gamma(1, 1) prior and is drawn by slice sampling of its
 * logarithm l [2], with density
 *     log p(l | clusters) = log p(data | clusters, e^l) - e^l + l
 * by stepping out and shrinking, between 1e-6 and 1e6.
 * [1] Escobar, West. Bayesian Density Estimation and Inference Using Mixtures. JASA 1995.
 * [2] Neal. Slice Sampling. Annals of Statistics 2003. */

#include <float.h>
#include <math.h>

#include "cluster/state.h"

enum {
    WIDTH = 1, /* width of a step, in logarithms */
    STEPS = 8, /* the most steps */
};

void cau_sampler_draw_alpha(cau_chain_state *state)
{
    const double a = state->options.alpha_shape, b = state->options.alpha_rate;
    const double N = (double)state->units.N, K = (double)state->clusters.K;
    const double eta = cau_rng_beta(&state->rng, state->alpha + 1, N);
    const double rate = b - log(eta > DBL_MIN ? eta : DBL_MIN);
    const double more = (a + K - 1) / (a + K - 1 + N * rate);
    const double shape = cau_rng_real(&state->rng) < more ? a + K : a + K - 1;
    const double alpha = cau_rng_gamma(&state->rng, shape) / rate;
    state->alpha = alpha > DBL_MIN ? alpha : DBL_MIN;
}

/* The parameters, one of which is resampled. */
typedef struct {
    const cau_evidence *evidence;
    cau_dp_parameters parameters;
    double *moving; /* points into `parameters` */
} slice;

/* log p(l); -INFINITY out of bounds. */
static double density(slice *s, double l)
{
    if (!(fabs(l) <= 6 * M_LN10)) return -INFINITY;
    *s->moving = exp(l);
    return cau_evidence_at(s->evidence, &s->parameters) - *s->moving + l;
}

/* Resamples *s->moving. A value out of bounds, or with a NaN density, stays. */
static void draw(slice *s, cau_rng *rng)
{
    const double before = *s->moving, l = log(before), here = density(s, l);
    const double level = here + log(1 - cau_rng_real(rng));
    double left = l - WIDTH * cau_rng_real(rng), right = left + WIDTH;
    *s->moving = before;
    if (!isfinite(here)) return;
    size_t left_steps = (size_t)cau_rng_below(rng, STEPS), right_steps = STEPS - 1 - left_steps;
    while (left_steps-- > 0 && density(s, left) > level) left -= WIDTH;
    while (right_steps-- > 0 && density(s, right) > level) right += WIDTH;
    for (;;) {
        const double at = left + (right - left) * cau_rng_real(rng);
        if (density(s, at) >= level) return; /* moved there */
        if (at < l)
            left = at;
        else
            right = at;
        if (!(right - left > 1e-12)) break;
    }
    *s->moving = before;
}

caucus_status cau_sampler_draw_base(cau_chain_state *state)
{
    cau_components *c = &state->clusters;
    cau_evidence evidence;
    caucus_status st = cau_evidence_init(c, &evidence);
    if (st) return st;
    slice s = {.evidence = &evidence, .parameters = c->base};
    double *const counts[] = {&s.parameters.beta};
    double *const values[] = {&s.parameters.k0, &s.parameters.a0, &s.parameters.b0_scale};
    const bool gaussian = state->units.likelihood == CAU_GAUSSIAN;
    double *const *all = gaussian ? values : counts;
    const size_t count = gaussian ? sizeof values / sizeof *values : 1;
    for (size_t i = 0; i < count; i++) {
        s.moving = all[i];
        draw(&s, &state->rng);
    }
    cau_evidence_clear(&evidence);
    return cau_components_arrange(c, &s.parameters, 2 + c->K / 8, state->z);
}
