/* mega_em.c - conditional EM for MEGA.
 *
 * A change of the objective is a log-ratio of joints minus a log-ratio of marginals. Jensen's
 * inequality for the first and log u <= u - 1 for the second bound it from below, at the old
 * parameters Theta', by
 *     Q = sum_n c_n { sum_z h_n(z) [ log p(z,x_n,y_n;Theta) - log p(z,x_n,y_n;Theta') ]
 *                     - sum_z rho_n(z;Theta) / p(x_n;Theta') + 1 } + log priors
 *     h_n(z)   = p(z|x_n,y_n;Theta'),      rho_n(1) = pi^d Psi^g_n, rho_n(0) = (1-pi^d) Psi^d_n
 * which is tight at Theta', with equal gradient: what raises Q raises the objective. (In the paper,
 * h lacks the y in one place, and pi and psi have signs that leave no root in (0,1).)
 *
 * Given h, Q is a sum of a part for pi and psi and a part for each w:
 *   pi^d   R p^2 - (C + R) p + H = 0,   C = sum c_n, H = sum c_n h_n(1) over the domain, and
 *          R = sum c_n (Psi^g_n - Psi^d_n) / p(x_n) = G / pi' - (C - G) / (1 - pi')
 *          with G = sum c_n p(z=1|x_n;Theta')
 *   w^c    a MaxEnt classifier of instances weighted by c_n h_n: a few steps of L-BFGS from the
 *          last weights. The instance weights are not scaled to mean 1, which would change the
 *          strength of the prior. Tied classifiers are one problem, which is convex as well
 *   psi^c  coordinate by coordinate (bayes.c), with the ratios c_n rho_n(z) / p(x_n;Theta'), that
 *          is, c_n p(z|x_n;Theta') times the change by pi. Components are independent here, and are
 *          updated in parallel
 *
 * Q need not be maximised, only raised. The number of steps for w is a question of time: they end
 * when PERIOD of them raise Q by less than SMALL_RISE of the loss. F, which is minimised for a w,
 * is never below 0, so no steps are taken if F itself is less than that: a component of little
 * weight takes little time. */

#include <math.h>
#include <stdlib.h>

#include "adapt/mega_run.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/vector.h"
#include "optim/batch.h"

static const double SMALL_RISE = 1e-3;
enum { PERIOD = 3 };

/* ---- pi and the ratios --------------------------------------------------------------------- */

typedef struct {
    const cau_mega_run *run;
    size_t first;
    double own, general; /* the factors by which pi has changed p(z) */
} ratio_range;

static void ratio_block(void *self, size_t begin, size_t end, double *sums)
{
    (void)sums;
    const ratio_range *j = self;
    const cau_mega_run *run = j->run;
    const float *weight = run->domains->all.weight;
    for (size_t n = j->first + begin; n < j->first + end; n++) {
        const double c = weight ? (double)weight[n] : 1;
        run->r[0][n] = c * (1 - run->given[n]) * j->own;
        run->r[1][n] = c * run->given[n] * j->general;
    }
}

void cau_mega_maximise_pi(cau_mega_run *run)
{
    const size_t *border = run->domains->begin;
    for (size_t d = 0; d < run->mega->D; d++) {
        const cau_mega_sums *s = &run->sums[d];
        const double old = run->mega->pi[d];
        const double R = s->given / old - (s->weight - s->given) / (1 - old);
        double pi = old;
        if (s->weight > 0) pi = cau_bayes_root(R, s->weight, s->known);
        ratio_range j = {
            .run = run, .first = border[d], .own = (1 - pi) / (1 - old), .general = pi / old};
        cau_vector_sums(run->o.threads, border[d + 1] - border[d], 0, ratio_block, &j, NULL);
        run->mega->pi[d] = pi;
    }
}

/* ---- w ------------------------------------------------------------------------------------- */

/* The problem of a solver: the weights of components first..end-1. */
typedef struct {
    cau_mega_run *run;
    size_t first, end;
    bool fresh; /* the passes have done cau_pass_gold at the first weights */
} weights_problem;

/* F = sum_c ( penalty - sum_n v_n log p(y_n|x_n,w^c) ) at the w of the last cau_pass_gold. */
static double weights_value(const weights_problem *j)
{
    const cau_mega_run *run = j->run;
    double sum = 0;
    for (size_t c = j->first; c < j->end; c++) {
        const size_t z = cau_mega_z(run, c), begin = cau_mega_begin(run, c);
        sum += cau_mega_penalty(run, c) - cau_vector_dot(run->o.threads, cau_mega_set(run, c)->N,
                                                         run->v[z] + begin, run->logy[z] + begin);
    }
    return sum;
}

/* F and its gradient. A cau_objective. */
static caucus_status evaluate_weights(void *self, const double *u, double *f, double *g)
{
    caucus_status st = CAUCUS_OK;
    weights_problem *j = self;
    cau_mega_run *run = j->run;
    cau_mega_set_weights(run, j->first, j->end, u);
    for (size_t c = j->first; c < j->end && !j->fresh; c++)
        TRY(cau_pass_gold(run->pass[c], run->mega->w[c],
                          run->logy[cau_mega_z(run, c)] + cau_mega_begin(run, c)));
    j->fresh = false;
    *f = weights_value(j);
    TRY(cau_mega_gradient(run, j->first, j->end, g));
    if (!isfinite(*f)) st = CAUCUS_ERR_NUMERIC;
done:
    return st;
}

/* A few steps for the weights of components first..end-1, which take *passes over their instances.
 */
static caucus_status improve_weights(cau_mega_run *run, size_t first, size_t end, size_t *passes)
{
    caucus_status st = CAUCUS_OK;
    const cau_mega *mega = run->mega;
    const double small = SMALL_RISE * mega->loss;
    weights_problem job = {.run = run, .first = first, .end = end, .fresh = true};
    const cau_lbfgs_problem problem = {.n = cau_mega_weights_at(mega, end) -
                                            cau_mega_weights_at(mega, first),
                                       .evaluate = evaluate_weights,
                                       .self = &job,
                                       .threads = run->o.threads,
                                       .history = CAU_MEGA_HISTORY};
    double before = weights_value(&job); /* F, PERIOD steps ago */
    double *u = NULL;
    cau_solver solver = {0};
    cau_iterate it = {0};
    *passes = 0;
    if (before < small) return CAUCUS_OK;
    u = cau_vector(problem.n, sizeof *u);
    if (!u) return cau_fail_memory(run->ctx, "the weights of a domain");
    cau_mega_get_weights(run, first, end, u);
    TRY(cau_lbfgs_new(run->ctx, &problem, u, &solver));
    for (size_t step = 1; step <= run->o.steps; step++) {
        TRY(solver.ops->step(solver.self, &it));
        if (it.exhausted) break;
        if (step % PERIOD) continue;
        if (before - it.f < small) break;
        before = it.f;
    }
    cau_mega_set_weights(run, first, end, solver.ops->weights(solver.self));
    *passes = it.passes;
done:
    if (solver.ops) solver.ops->free(solver.self);
    free(u);
    return st;
}

caucus_status cau_mega_maximise_w(cau_mega_run *run)
{
    caucus_status st = CAUCUS_OK;
    const size_t D = run->mega->D;
    size_t passes, most = 0; /* the components of domains have disjoint instances */
    if (run->o.tied) {
        TRY(improve_weights(run, 0, D + 1, &passes));
    } else {
        for (size_t d = 0; d < D; d++) {
            TRY(improve_weights(run, d, d + 1, &passes));
            most = passes > most ? passes : most;
        }
        TRY(improve_weights(run, D, D + 1, &passes));
    }
    run->mega->passes += most + passes;
done:
    return st;
}

/* ---- psi ----------------------------------------------------------------------------------- */

static caucus_status psi_block(void *self, size_t c, unsigned worker)
{
    (void)worker;
    const cau_mega_run *run = self;
    const size_t z = cau_mega_z(run, c), begin = cau_mega_begin(run, c);
    return cau_bayes_maximise(&run->mega->bayes, &cau_mega_set(run, c)->xt, run->v[z] + begin,
                              run->r[z] + begin, &run->prior, run->mega->psi[c], NULL);
}

caucus_status cau_mega_maximise_psi(cau_mega_run *run)
{
    return cau_parallel(run->o.threads, run->mega->D + 1, psi_block, run);
}

caucus_status cau_mega_maximise(cau_mega_run *run)
{
    caucus_status st = CAUCUS_OK;
    cau_mega_maximise_pi(run);
    TRY(cau_mega_maximise_w(run));
    TRY(cau_mega_maximise_psi(run));
done:
    return st;
}
