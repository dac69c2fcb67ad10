/* mega_lbfgs.c - MEGA by L-BFGS on all its parameters at once: the same objective as in mega_em.c,
 * often higher in the end, and a check of it.
 *
 * With e_n(z) = c_n ( p(z|x_n,y_n) - p(z|x_n) ), whose sum over z is 0, the gradient of the
 * objective is
 *     d / d logit psi^c_f = sum_n e_n(z) (x_nf - psi_f) + (a-1) (1-psi_f) - (b-1) psi_f
 *     d / d logit pi^d    = sum_n e_n(1) (1-pi) - e_n(0) pi = sum_n e_n(1)
 *     d / d w^c           = that of MaxEnt with the weights c_n p(z|x_n,y_n); d / du^c as in mega.c
 * over the instances of the component, or of the domain. Probabilities stay within [clip, 1 - clip]
 * as functions of free numbers u that are nearly their logits:
 *     p = clip + (1 - 2 clip) s,   s = 1 / (1 + exp -u);    d logit p / du = (1 - 2 clip) s (1-s)
 *                                                                            / ( p (1-p) ) */

#include <math.h>
#include <stdlib.h>

#include "adapt/mega_run.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "optim/batch.h"

/* ---- probabilities as free numbers --------------------------------------------------------- */

static const double SPAN = 1 - 2 * CAU_BAYES_CLIP;

static double sigmoid(double u)
{
    return 1 / (1 + exp(-u));
}

static double probability(double u)
{
    return CAU_BAYES_CLIP + SPAN * sigmoid(u);
}

/* d logit p / du at u. */
static double slope(double u)
{
    const double s = sigmoid(u), p = probability(u);
    return SPAN * s * sigmoid(-u) / (p * (1 - p));
}

/* The u of a probability; a finite number also for the bounds of the interval. */
static double free_number(double p)
{
    const double least = CAU_BAYES_CLIP / 2;
    const double s = fmin(fmax((p - CAU_BAYES_CLIP) / SPAN, least), 1 - least);
    return log(s) - log1p(-s);
}

/* ---- the vector of all parameters ---------------------------------------------------------- */

/* The place of psi of component c; for c = D+1, that of pi. */
static size_t psi_at(const cau_mega *mega, size_t c)
{
    return cau_mega_weights_at(mega, mega->D + 1) + c * mega->bayes.B;
}

size_t cau_mega_parameters(const cau_mega *mega)
{
    return psi_at(mega, mega->D + 1) + mega->D;
}

/* Sets the parameters of mega from the vector. */
static void set_parameters(cau_mega_run *run, const double *at)
{
    cau_mega *mega = run->mega;
    const double *pi = at + psi_at(mega, mega->D + 1);
    cau_mega_set_weights(run, 0, mega->D + 1, at);
    for (size_t c = 0; c <= mega->D; c++) {
        const double *psi = at + psi_at(mega, c);
        for (size_t f = 0; f < mega->bayes.B; f++) mega->psi[c][f] = probability(psi[f]);
    }
    for (size_t d = 0; d < mega->D; d++) mega->pi[d] = probability(pi[d]);
}

/* ---- value and gradient -------------------------------------------------------------------- */

/* e_n(z) */
static void difference_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const cau_mega_run *run = self;
    const float *weight = run->domains->all.weight;
    for (size_t n = begin; n < end; n++) {
        const double c = weight ? (double)weight[n] : 1;
        run->r[1][n] = c * (run->known[n] - run->given[n]);
        run->r[0][n] = -run->r[1][n];
    }
}

caucus_status cau_mega_evaluate(void *self, const double *at, double *f, double *g)
{
    caucus_status st = CAUCUS_OK;
    cau_mega_run *run = self;
    cau_mega *mega = run->mega;
    const size_t D = mega->D, B = mega->bayes.B;
    set_parameters(run, at);
    mega->passes++;
    TRY(cau_mega_expect(run));
    TRY(cau_mega_gradient(run, 0, D + 1, g));
    *f = -mega->objective;
    cau_vector_sums(run->o.threads, run->domains->N, 0, difference_block, run, NULL);
    for (size_t c = 0; c <= D; c++) {
        const double *e = run->r[cau_mega_z(run, c)] + cau_mega_begin(run, c);
        const double *u = at + psi_at(mega, c);
        double *gu = g + psi_at(mega, c);
        TRY(cau_bayes_gradient(&mega->bayes, &cau_mega_set(run, c)->xt, e, &run->prior,
                               mega->psi[c], run->o.threads, gu));
        for (size_t i = 0; i < B; i++) gu[i] *= -slope(u[i]);
    }
    for (size_t d = 0; d < D; d++) {
        const size_t i = psi_at(mega, D + 1) + d;
        g[i] = -(run->sums[d].known - run->sums[d].given) * slope(at[i]);
    }
done:
    return st;
}

/* ---- the solver ---------------------------------------------------------------------------- */

caucus_status cau_mega_direct(cau_mega_run *run, cau_solver *out)
{
    const cau_mega *mega = run->mega;
    const size_t D = mega->D, n = cau_mega_parameters(mega);
    const cau_lbfgs_problem problem = {.n = n,
                                       .evaluate = cau_mega_evaluate,
                                       .self = run,
                                       .threads = run->o.threads,
                                       .history = CAU_MEGA_HISTORY};
    double *at = cau_vector(n, sizeof *at);
    if (!at) return cau_fail_memory(run->ctx, "the parameters of all domains");
    cau_mega_get_weights(run, 0, D + 1, at);
    for (size_t c = 0; c <= D; c++)
        for (size_t f = 0; f < mega->bayes.B; f++)
            at[psi_at(mega, c) + f] = free_number(mega->psi[c][f]);
    for (size_t d = 0; d < D; d++) at[psi_at(mega, D + 1) + d] = free_number(mega->pi[d]);
    const caucus_status st = cau_lbfgs_new(run->ctx, &problem, at, out);
    free(at);
    return st;
}

void cau_mega_after_step(cau_mega_run *run, const cau_solver *solver, const cau_iterate *it)
{
    cau_mega *mega = run->mega;
    set_parameters(run, solver->ops->weights(solver->self));
    mega->objective = -it->f;
    mega->loss = cau_mega_log_prior(run) - mega->objective;
}
