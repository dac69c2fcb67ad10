/* mega.c - MEGA: its parameters, its objective, and the loop that raises it.
 *
 * Instances n = 1..N belong to domains d = 0..D-1. Components c = 0..D-1 are those of the domains,
 * c = D is the general one. z_n tells which of the two generated instance n:
 *     z_n ~ Bernoulli(pi^d);      c(0) = d, c(1) = D
 *     x_nf ~ Bernoulli(psi^c_f)   independent over features f: the naive Bayes part (bayes.c)
 *     y_n ~ MaxEnt(w^c, x_n)
 *     psi^c_f ~ Beta(a, b),       w^c ~ Normal(0, 1/l2)
 * Only y is modelled: the objective is the conditional likelihood times the priors,
 *     sum_n c_n log p(y_n|x_n) + sum_c ( log Beta(psi^c) - l2/2 |w^c|^2 )
 *     p(y|x) = sum_z p(z|x) p(y|x, w^c(z)),      p(z|x) ~ p(z) Psi^c(z)(x)
 * where c_n is the weight of an instance, usually 1. Default weights have no prior.
 *
 * With t = log(1-pi) + log Psi^d - log pi - log Psi^g, the log odds of the own component,
 *     log p(z=1|x) = -log(1 + exp t),     log p(z=0|x) = -log(1 + exp -t)
 * so p(x) itself, which underflows, is never computed.
 *
 * A component goes over its own instances only, with its own cau_pass. One pass gives
 * log p(y_n|x_n,w^c) for all n, from which all probabilities of z follow. With these as weights of
 * the instances, the same pass then gives the gradient of w^c.
 *
 * The paper [1] starts with psi = .5, and so do we: five iterations of conditional EM change psi
 * little, as the bound is loose. (A start at the frequencies of the features was tried. Such a gate
 * is too certain, and assigns nearly all instances to the one component that smoothing favours.)
 * Its equations are corrected here (see mega_em.c).
 *
 * Ties are our addition, and optional. The component of a small domain learns from its few
 * instances only. Tied components start from the general one,
 *     w^d ~ Normal(w^D, 1/l2),    w^D ~ Normal(0, 1/l2)
 * and all have the table of the general one, so a domain has the general weights for features that
 * it has not seen. The default weights of a domain are drawn to the general ones in the same way;
 * the general ones are free.
 *
 * A solver sees free numbers u, whose penalty is the same with and without ties:
 *     u^D = w^D,  u^d = w^d - w^D if tied, else w^d;         penalty = l2/2 sum_c |u^c|^2
 *     d / d u^D = sum_c d / d w^c if tied,                   d / d u^d = d / d w^d
 * (w^d = u^d + u^D means features in two copies, as in [2], under a gate.) So tied components are
 * learned together. Updates in turn, w^D given all w^d and each w^d given w^D, would raise the
 * objective as well, but under a large l2 neither side could move far without the other.
 *
 * [1] Daume, Marcu. Domain adaptation for statistical classifiers. JAIR 26, 2006.
 * [2] Daume. Frustratingly easy domain adaptation. ACL 2007. */

#include "adapt/mega.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/mega_run.h"
#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"
#include "train/seen.h"

enum { CEM_ITERATIONS = 5, LBFGS_ITERATIONS = 100, STEPS = 20, SWEEPS = 10 };

static const double SMALLEST_RISE = 1e-6; /* of the objective, relative to its value */

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the components of the domains");
}

/* ---- parameters ---------------------------------------------------------------------------- */

size_t cau_mega_weights(const cau_mega *mega, size_t c)
{
    return cau_table_size(&mega->table[c]) + (mega->bias ? mega->table[c].width : 0);
}

size_t cau_mega_weights_at(const cau_mega *mega, size_t c)
{
    size_t at = 0;
    for (size_t i = 0; i < c; i++) at += cau_mega_weights(mega, i);
    return at;
}

void cau_mega_clear(cau_mega *mega)
{
    for (size_t c = 0; c <= mega->D; c++) {
        if (mega->psi) free(mega->psi[c]);
        if (mega->table) cau_table_clear(&mega->table[c]);
        if (mega->w) free(mega->w[c]);
    }
    free(mega->psi);
    free(mega->table);
    free(mega->w);
    free(mega->pi);
    cau_bayes_clear(&mega->bayes);
    *mega = (cau_mega){0};
}

/* The weights of a component: those of the pairs that occur in its instances, or all. Weights of
 * columns that do not occur stay 0, and are left out if these columns are more than half. (With a
 * full table, a pass of two classes takes two thirds of the time.) */
static caucus_status list_weights(caucus_ctx *ctx, const cau_dataset *set, bool seen,
                                  cau_table *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_table whole = {.rows = set->K, .width = set->Y};
    size_t size, missing = 0;
    uint8_t *keep = NULL;
    if (!cau_size_mul(set->K, set->Y, &size)) TRY(no_memory(ctx));
    if (seen) TRY(cau_seen_nodes(ctx, set, &(cau_source_model){0}, out));
    if (seen) goto done;
    keep = cau_alloc(set->K, sizeof *keep);
    if (!keep) TRY(no_memory(ctx));
    for (size_t k = 0; k < set->K; k++) {
        keep[k] = set->xt.start[k] < set->xt.start[k + 1];
        missing += !keep[k];
    }
    if (missing > set->K / 2)
        TRY(cau_table_mask(ctx, &whole, keep, out));
    else
        *out = whole;
done:
    free(keep);
    return st;
}

static const cau_dataset *set_of(const cau_domains *domains, size_t c)
{
    return c < domains->D ? &domains->of[c] : &domains->all;
}

caucus_status cau_mega_init(caucus_ctx *ctx, const cau_domains *domains, const cau_mega_options *o,
                            cau_mega *mega)
{
    caucus_status st = CAUCUS_OK;
    const size_t D = domains->D;
    mega->D = D;
    mega->bias = !o->no_bias && !domains->chain;
    TRY(cau_bayes_select(ctx, &domains->all.x, domains->begin, D, domains->K, o->nb_features,
                         &mega->bayes));
    mega->pi = cau_alloc(D, sizeof *mega->pi);
    mega->psi = cau_calloc(D + 1, sizeof *mega->psi);
    mega->table = cau_calloc(D + 1, sizeof *mega->table);
    mega->w = cau_calloc(D + 1, sizeof *mega->w);
    if (!mega->pi || !mega->psi || !mega->table || !mega->w) TRY(no_memory(ctx));
    for (size_t d = 0; d < D; d++) mega->pi[d] = 0.5;
    for (size_t c = D + 1; c-- > 0;) {
        if (o->tied && c < D)
            TRY(cau_table_copy(ctx, &mega->table[D], &mega->table[c]));
        else
            TRY(list_weights(ctx, set_of(domains, c), o->seen, &mega->table[c]));
        mega->w[c] = cau_vector(cau_mega_weights(mega, c), sizeof *mega->w[c]);
        mega->psi[c] = cau_alloc(mega->bayes.B, sizeof *mega->psi[c]);
        if (!mega->w[c] || !mega->psi[c]) TRY(no_memory(ctx));
        for (size_t f = 0; f < mega->bayes.B; f++) mega->psi[c][f] = 0.5;
    }
done:
    return st;
}

/* ---- the run ------------------------------------------------------------------------------- */

const cau_dataset *cau_mega_set(const cau_mega_run *run, size_t c)
{
    return set_of(run->domains, c);
}

size_t cau_mega_begin(const cau_mega_run *run, size_t c)
{
    return c < run->mega->D ? run->domains->begin[c] : 0;
}

size_t cau_mega_z(const cau_mega_run *run, size_t c)
{
    return c == run->mega->D;
}

caucus_status cau_mega_run_init(caucus_ctx *ctx, const cau_domains *domains,
                                const cau_mega_options *options, cau_mega *mega, cau_mega_run *run)
{
    caucus_status st = CAUCUS_OK;
    const size_t D = mega->D, N = domains->N;
    const bool cem = options->optimizer == CAU_MEGA_CEM;
    *run = (cau_mega_run){.ctx = ctx, .domains = domains, .o = *options, .mega = mega};
    run->o.iterations = options->iterations ? options->iterations
                        : cem               ? CEM_ITERATIONS
                                            : LBFGS_ITERATIONS;
    run->o.steps = options->steps ? options->steps : STEPS;
    run->prior =
        (cau_bayes_prior){options->a, options->b, options->sweeps ? options->sweeps : SWEEPS};

    double **const vectors[] = {&run->logx[0], &run->logx[1], &run->logy[0], &run->logy[1],
                                &run->v[0],    &run->v[1],    &run->r[0],    &run->r[1],
                                &run->given,   &run->known};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = cau_vector(N, sizeof(double));
        if (!*vectors[i]) TRY(no_memory(ctx));
    }
    run->sums = cau_calloc(D, sizeof *run->sums);
    run->pass = cau_calloc(D + 1, sizeof(cau_pass *));
    if (!run->sums || !run->pass) TRY(no_memory(ctx));
    for (size_t c = 0; c <= D; c++) {
        const cau_pass_options pass = {
            .set = cau_mega_set(run, c),
            .layout = {.nodes = mega->table[c], .common = mega->bias ? mega->table[c].width : 0},
            .threads = options->threads};
        TRY(cau_pass_new(ctx, &pass, &run->pass[c]));
    }
done:
    return st;
}

void cau_mega_run_clear(cau_mega_run *run)
{
    for (size_t c = 0; run->pass && c <= run->domains->D; c++) cau_pass_free(run->pass[c]);
    free(run->pass);
    free(run->sums);
    for (size_t z = 0; z < 2; z++) {
        free(run->logx[z]);
        free(run->logy[z]);
        free(run->v[z]);
        free(run->r[z]);
    }
    free(run->given);
    free(run->known);
    *run = (cau_mega_run){0};
}

/* ---- the E-step ---------------------------------------------------------------------------- */

/* log(1 + exp t). */
static double softplus(double t)
{
    return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t));
}

/* log(exp a + exp b). */
static double log_add(double a, double b)
{
    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

typedef struct {
    const cau_mega_run *run;
    size_t first; /* instance of the domain */
    double odds;  /* log(1-pi) - log pi */
} posterior_range;

enum { SUM_WEIGHT, SUM_GIVEN, SUM_KNOWN, SUM_LOGP, SUMS };

/* p(z|x_n) and p(z|x_n,y_n) for instances begin..end-1 of a domain. */
static void posterior_block(void *self, size_t begin, size_t end, double *sums)
{
    const posterior_range *j = self;
    const cau_mega_run *run = j->run;
    const float *weight = run->domains->all.weight;
    for (size_t n = j->first + begin; n < j->first + end; n++) {
        const double c = weight ? (double)weight[n] : 1;
        const double t = j->odds + run->logx[0][n] - run->logx[1][n];
        const double general = run->logy[1][n] - softplus(t);
        const double own = run->logy[0][n] - softplus(-t);
        run->given[n] = 1 / (1 + exp(t));
        run->known[n] = 1 / (1 + exp(own - general));
        run->v[0][n] = c / (1 + exp(general - own));
        run->v[1][n] = c * run->known[n];
        sums[SUM_WEIGHT] += c;
        sums[SUM_GIVEN] += c * run->given[n];
        sums[SUM_KNOWN] += c * run->known[n];
        sums[SUM_LOGP] += c * log_add(own, general);
    }
}

double cau_mega_log_prior(const cau_mega_run *run)
{
    double sum = 0;
    for (size_t c = 0; c <= run->mega->D; c++) {
        sum += cau_bayes_log_prior(&run->mega->bayes, &run->prior, run->mega->psi[c]);
        sum -= cau_mega_penalty(run, c);
    }
    return sum;
}

caucus_status cau_mega_expect(cau_mega_run *run)
{
    caucus_status st = CAUCUS_OK;
    cau_mega *mega = run->mega;
    const cau_csr *x = &run->domains->all.x;
    const size_t *border = run->domains->begin;
    double logp = 0;
    for (size_t c = 0; c <= mega->D; c++) {
        const size_t z = cau_mega_z(run, c), begin = cau_mega_begin(run, c);
        const size_t end = begin + cau_mega_set(run, c)->N;
        TRY(cau_pass_gold(run->pass[c], mega->w[c], run->logy[z] + begin));
        TRY(cau_bayes_log(&mega->bayes, x, begin, end, mega->psi[c], run->o.threads,
                          run->logx[z] + begin));
    }
    for (size_t d = 0; d < mega->D; d++) {
        posterior_range j = {
            .run = run, .first = border[d], .odds = log1p(-mega->pi[d]) - log(mega->pi[d])};
        double sums[SUMS];
        cau_vector_sums(run->o.threads, border[d + 1] - border[d], SUMS, posterior_block, &j, sums);
        run->sums[d] = (cau_mega_sums){.weight = sums[SUM_WEIGHT],
                                       .given = sums[SUM_GIVEN],
                                       .known = sums[SUM_KNOWN],
                                       .logp = sums[SUM_LOGP]};
        logp += sums[SUM_LOGP];
    }
    mega->loss = -logp;
    mega->objective = logp + cau_mega_log_prior(run);
    if (!isfinite(mega->objective)) st = CAUCUS_ERR_NUMERIC;
done:
    return st;
}

/* ---- weights as a solver sees them --------------------------------------------------------- */

/* Whether u of component c is the difference of its weights from the general ones. */
static bool is_difference(const cau_mega_run *run, size_t c)
{
    return run->o.tied && c < run->mega->D;
}

void cau_mega_get_weights(const cau_mega_run *run, size_t first, size_t end, double *u)
{
    const cau_mega *mega = run->mega;
    for (size_t c = first; c < end; u += cau_mega_weights(mega, c), c++)
        cau_vector_combine(run->o.threads, cau_mega_weights(mega, c), is_difference(run, c) ? 2 : 1,
                           (const double[]){1, -1},
                           (const double *const[]){mega->w[c], mega->w[mega->D]}, u);
}

void cau_mega_set_weights(cau_mega_run *run, size_t first, size_t end, const double *u)
{
    cau_mega *mega = run->mega;
    const double *general = run->o.tied ? u + cau_mega_weights_at(mega, mega->D) : NULL;
    for (size_t c = first; c < end; u += cau_mega_weights(mega, c), c++)
        cau_vector_combine(run->o.threads, cau_mega_weights(mega, c), is_difference(run, c) ? 2 : 1,
                           (const double[]){1, 1}, (const double *const[]){u, general}, mega->w[c]);
}

/* The prior of component c. */
typedef struct {
    const double *w, *mean; /* mean NULL: 0 */
    size_t penalised;       /* weights before this have a penalty, the others are free */
    double l2;
    double *general; /* the gradient to which that of w is also added, or NULL */
} weight_prior;

static weight_prior prior_of(const cau_mega_run *run, size_t c)
{
    const cau_mega *mega = run->mega;
    const bool tied = is_difference(run, c);
    return (weight_prior){.w = mega->w[c],
                          .mean = tied ? mega->w[mega->D] : NULL,
                          .penalised =
                              tied ? cau_mega_weights(mega, c) : cau_table_size(&mega->table[c]),
                          .l2 = run->o.l2};
}

static double free_number(const weight_prior *p, size_t k)
{
    return p->mean ? p->w[k] - p->mean[k] : p->w[k];
}

static void square_block(void *self, size_t begin, size_t end, double *sums)
{
    for (size_t k = begin; k < end; k++) sums[0] += free_number(self, k) * free_number(self, k);
}

double cau_mega_penalty(const cau_mega_run *run, size_t c)
{
    weight_prior p = prior_of(run, c);
    double squares;
    cau_vector_sums(run->o.threads, p.penalised, 1, square_block, &p, &squares);
    return p.l2 / 2 * squares;
}

/* A cau_finish_fn: the gradient of w becomes that of u. */
static double finish_gradient(void *self, size_t begin, size_t end, const double *w, double *g)
{
    (void)w;
    const weight_prior *p = self;
    for (size_t k = begin; p->general && k < end; k++) p->general[k] += g[k];
    for (size_t k = begin; k < end && k < p->penalised; k++) g[k] += p->l2 * free_number(p, k);
    return 0;
}

caucus_status cau_mega_gradient(const cau_mega_run *run, size_t first, size_t end, double *g)
{
    const cau_mega *mega = run->mega;
    const size_t origin = cau_mega_weights_at(mega, first);
    for (size_t c = end; c-- > first;) { /* the general gradient first: the others are added */
        const double *v = run->v[cau_mega_z(run, c)] + cau_mega_begin(run, c);
        weight_prior p = prior_of(run, c);
        if (p.mean) p.general = g + cau_mega_weights_at(mega, mega->D);
        const caucus_status st =
            cau_pass_weighed(run->pass[c], mega->w[c], v, g + cau_mega_weights_at(mega, c) - origin,
                             finish_gradient, &p, NULL);
        if (st) return st;
    }
    return CAUCUS_OK;
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* One iteration by either optimiser. *ended: no further progress is possible. */
static caucus_status take_iteration(cau_mega_run *run, const cau_solver *direct, bool *ended)
{
    if (!direct) {
        const caucus_status st = cau_mega_maximise(run);
        return st ? st : cau_mega_expect(run);
    }
    cau_iterate it = {0};
    const caucus_status st = direct->ops->step(direct->self, &it);
    if (st) return st;
    cau_mega_after_step(run, direct, &it);
    *ended = it.exhausted;
    return CAUCUS_OK;
}

/* Adds a message to a failure of iteration i. */
static caucus_status explain(caucus_ctx *ctx, caucus_status st, size_t i)
{
    if (st == CAUCUS_ERR_NUMERIC)
        return cau_fail(ctx, st,
                        "the objective is not finite at iteration %zu; use a stronger penalty or "
                        "smaller feature values",
                        i);
    return st == CAUCUS_ERR_MEMORY ? no_memory(ctx) : st;
}

caucus_status cau_mega_fit(caucus_ctx *ctx, const cau_domains *domains,
                           const cau_mega_options *options, cau_mega_fn *after, void *self,
                           cau_mega *out)
{
    caucus_status st = CAUCUS_OK;
    cau_mega mega = {0};
    cau_mega_run run = {0};
    cau_solver direct = {0};
    const bool cem = options->optimizer == CAU_MEGA_CEM;
    bool go_on = true, ended = false;
    TRY(cau_mega_init(ctx, domains, options, &mega));
    TRY(cau_mega_run_init(ctx, domains, options, &mega, &run));
    TRY(explain(ctx, cau_mega_expect(&run), 0));
    mega.passes = 1;
    if (!cem) TRY(cau_mega_direct(&run, &direct));
    while (go_on && !ended && mega.iteration < run.o.iterations) {
        const double before = mega.objective;
        TRY(explain(ctx, take_iteration(&run, cem ? NULL : &direct, &ended), mega.iteration + 1));
        mega.iteration++;
        if (mega.objective - before < SMALLEST_RISE * fabs(mega.objective)) ended = true;
        if (after) TRY(after(self, &mega, &go_on));
    }
    *out = mega;
    mega = (cau_mega){0};
done:
    if (direct.ops) direct.ops->free(direct.self);
    cau_mega_run_clear(&run);
    cau_mega_clear(&mega);
    return st;
}
