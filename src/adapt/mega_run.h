/* mega_run.h - what the two optimisers of MEGA share (mega_em.c, mega_lbfgs.c): the parameters and
 * what follows from them on the data. The letters are those of mega.c; z = 0 is the component of an
 * instance's own domain, z = 1 the general one. */

#ifndef CAU_ADAPT_MEGA_RUN_H
#define CAU_ADAPT_MEGA_RUN_H

#include "adapt/mega.h"
#include "infer/dataset_pass.h"
#include "optim/solver.h"

enum { CAU_MEGA_HISTORY = 6 }; /* pairs that L-BFGS keeps */

/* Sums over the instances of a domain, with their weights c_n. */
typedef struct {
    double weight; /* sum c_n */
    double given;  /* sum c_n p(z=1|x_n) */
    double known;  /* sum c_n p(z=1|x_n,y_n) */
    double logp;   /* sum c_n log p(y_n|x_n) */
} cau_mega_sums;

typedef struct {
    caucus_ctx *ctx;
    const cau_domains *domains;
    cau_mega_options o; /* with the defaults in place of zeros */
    cau_bayes_prior prior;
    cau_mega *mega;
    cau_pass **pass;           /* [D+1] of each component over its own instances */
    double *logx[2], *logy[2]; /* [N] log Psi_n, and log p(y_n|x_n,w), of both z */
    double *given, *known;     /* [N] p(z=1|x_n), p(z=1|x_n,y_n) */
    double *v[2];              /* [N] c_n p(z|x_n,y_n) */
    double *r[2];              /* [N] scratch: for CEM the ratios of bayes.h, for L-BFGS e */
    cau_mega_sums *sums;       /* [D] */
} cau_mega_run;

/* The first parameters and their tables, in a zeroed mega. Clear it in any case. */
caucus_status cau_mega_init(caucus_ctx *ctx, const cau_domains *domains,
                            const cau_mega_options *options, cau_mega *mega);

/* A run over the parameters of mega, which has its tables. Clear it in any case. */
caucus_status cau_mega_run_init(caucus_ctx *ctx, const cau_domains *domains,
                                const cau_mega_options *options, cau_mega *mega, cau_mega_run *run);
void cau_mega_run_clear(cau_mega_run *run);

/* The E-step: logx, logy, given, known, v and sums at the parameters, and with them the loss and
 * the objective of mega. Each pass has then done its cau_pass_gold. CAUCUS_ERR_NUMERIC, without a
 * message, if something is not finite. */
caucus_status cau_mega_expect(cau_mega_run *run);

/* The log priors of the parameters, up to their constants. */
double cau_mega_log_prior(const cau_mega_run *run);

/* Of component c: its instances, where they begin in the vectors of the run, and its z. */
const cau_dataset *cau_mega_set(const cau_mega_run *run, size_t c);
size_t cau_mega_begin(const cau_mega_run *run, size_t c);
size_t cau_mega_z(const cau_mega_run *run, size_t c);

/* What a solver sees of the weights of components first..end-1: the free numbers u of mega.c, one
 * component after another. Tied components come all together, first = 0 and end = D+1. */
void cau_mega_get_weights(const cau_mega_run *run, size_t first, size_t end, double *u);
void cau_mega_set_weights(cau_mega_run *run, size_t first, size_t end, const double *u);

/* The penalty of component c: l2/2 |u^c|^2. */
double cau_mega_penalty(const cau_mega_run *run, size_t c);

/* The gradient g with respect to these u of sum_c ( penalty - sum_n v_n log p(y_n|x_n,w^c) ) at the
 * weights of mega, for which each pass has done its cau_pass_gold. */
caucus_status cau_mega_gradient(const cau_mega_run *run, size_t first, size_t end, double *g);

/* One M-step of conditional EM, after an E-step: pi, all w, all psi. No step lowers Q. */
caucus_status cau_mega_maximise(cau_mega_run *run);
void cau_mega_maximise_pi(cau_mega_run *run);
caucus_status cau_mega_maximise_w(cau_mega_run *run);
caucus_status cau_mega_maximise_psi(cau_mega_run *run);

/* The direct optimiser sees one vector, [u of all c][psi of all c][pi], of this length. */
size_t cau_mega_parameters(const cau_mega *mega);

/* -objective and its gradient at such a vector, which becomes the parameters of mega. A
 * cau_objective; self is the cau_mega_run. */
caucus_status cau_mega_evaluate(void *self, const double *at, double *f, double *g);

/* A solver that starts at the parameters of mega; and mega after a step of it. */
caucus_status cau_mega_direct(cau_mega_run *run, cau_solver *out);
void cau_mega_after_step(cau_mega_run *run, const cau_solver *solver, const cau_iterate *it);

#endif
