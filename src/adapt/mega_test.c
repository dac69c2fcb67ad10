#include "adapt/mega.h"

#include "base/status.h"
#include "support/mega_sample.h"

/* ---- the oracle of MATH E.10 ----------------------------------------------------------------- */

static const sample_row oracle_rows[] = {
    {0, "y0", "ac", 0}, {0, "y1", "b", 0},  {0, "y1", "ab", 0},  {1, "y0", "c", 0},
    {1, "y0", "a", 0},  {1, "y1", "bc", 0}, {1, "y0", "abc", 0},
};

/* Sets pi, psi and w of the reference example, in the order in, out, general. */
static void oracle_parameters(const caucus_data *data, cau_mega *mega)
{
    static const double pi[] = {.4, .7};
    static const double psi[3][3] = {{.6, .5, .3}, {.4, .3, .7}, {.5, .45, .55}};
    static const double w[3][3] = {{.5, -.2, .1}, {.1, .3, -.4}, {.2, .1, .3}};
    memcpy(mega->pi, pi, sizeof pi);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < 3; i++) {
            const char name[] = {(char)('a' + i), '\0'};
            const uint32_t k = cau_alphabet_find(data->alphabets.names, name, 1);
            const uint32_t y0 = cau_alphabet_find(data->labels, "y0", 2);
            if (k == CAU_UNKNOWN) continue;
            mega->psi[c][mega->bayes.place[k]] = psi[c][i];
            for (uint32_t y = 0; y < 2; y++) {
                const size_t at = cau_table_find(&mega->table[c], k, y);
                if (at != SIZE_MAX) mega->w[c][at] = y == y0 ? w[c][i] : -w[c][i];
            }
        }
}

typedef struct {
    caucus_ctx *ctx;
    caucus_data *data;
    cau_domains domains;
    cau_mega_options o;
    cau_mega mega;
    cau_mega_run run;
} mega_problem;

/* Makes domains and a mega with its tables; the caller sets the parameters. */
static void open_problem(mega_problem *p, caucus_data *data, bool chain, cau_mega_options o)
{
    p->data = data;
    p->o = o;
    assert_ok(p->ctx, cau_domains_init(p->ctx, data, chain, &p->domains));
    assert_ok(p->ctx, cau_mega_init(p->ctx, &p->domains, &o, &p->mega));
    assert_ok(p->ctx, cau_mega_run_init(p->ctx, &p->domains, &p->o, &p->mega, &p->run));
}

static void close_problem(mega_problem *p)
{
    cau_mega_run_clear(&p->run);
    cau_mega_clear(&p->mega);
    cau_domains_clear(&p->domains);
    cau_data_free(p->data);
    caucus_ctx_free(p->ctx);
}

static void test_oracle(void **state)
{
    (void)state;
    static const double known[] = {.515914647, .266073082, .243243243, .714280444,
                                   .789159758, .563730852, .840855760};
    static const double logx[] = {-2.167180456, -2.083449563, -1.792759970};
    mega_problem p = {.ctx = test_ctx()};
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    o.no_bias = true;
    open_problem(&p, sample_rows(p.ctx, oracle_rows, 7), false, o);
    oracle_parameters(p.data, &p.mega);

    double h[7];
    assert_ok(p.ctx, sample_expect(p.ctx, &p.domains, &p.o, &p.mega, NULL, h));
    assert_near(-p.mega.loss, -4.467925808, 1e-6);
    assert_near(p.mega.objective, plain_objective(&p.domains, &p.mega, &p.o), 1e-12);
    for (size_t n = 0; n < 7; n++) assert_near(h[n], known[n], 1e-6);

    assert_ok(p.ctx, cau_mega_expect(&p.run));
    for (size_t n = 0; n < 3; n++)
        assert_near(log(.4 * exp(p.run.logx[1][n]) + .6 * exp(p.run.logx[0][n])), logx[n], 1e-6);
    assert_near(p.run.sums[0].known, 1.025230972, 1e-6);
    assert_near(p.run.sums[1].known, 2.908026813, 1e-6);
    cau_mega_maximise_pi(&p.run);
    assert_near(p.mega.pi[0], .375306458, 1e-6);
    assert_near(p.mega.pi[1], .729114656, 1e-6);
    close_problem(&p);
}

static void test_oracle_prediction(void **state)
{
    (void)state;
    static const sample_row rows[] = {{0, "y0", "a", 0}, {1, "y1", "bc", 0}};
    mega_problem p = {.ctx = test_ctx()};
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    o.no_bias = true;
    open_problem(&p, sample_rows(p.ctx, rows, 2), false, o);
    oracle_parameters(p.data, &p.mega);
    assert_ok(p.ctx, cau_mega_expect(&p.run));
    assert_near(p.run.given[0], .282051282, 1e-6);
    assert_near(exp(p.run.sums[0].logp), .693723191, 1e-6);
    close_problem(&p);
}

/* ---- the objective and its bounds ------------------------------------------------------------ */

/* Bits that select the variants of random problems. */
enum { SEEN = 1, BIAS = 2, VALUED = 4, WEIGHTED = 8, CHAIN = 16, FEW = 32, TIED = 64, CASES = 128 };

static sample_law law_of(unsigned which, uint64_t seed)
{
    return (sample_law){.D = 2 + seed % 2,
                        .N = 6,
                        .K = 5,
                        .Y = 3,
                        .dense = .5,
                        .apart = .5,
                        .chain = which & CHAIN,
                        .valued = which & VALUED,
                        .weighted = which & WEIGHTED,
                        .seed = seed};
}

static cau_mega_options options_of(unsigned which, cau_mega_optimizer optimizer)
{
    cau_mega_options o = sample_mega_options(optimizer);
    o.seen = which & SEEN;
    o.tied = which & TIED;
    o.no_bias = !(which & BIAS);
    o.nb_features = which & FEW ? 3 : 0;
    o.a = 1.5;
    o.b = 2.5;
    o.l2 = 0.7;
    return o;
}

/* Opens a random problem at random parameters. */
static void open_random(mega_problem *p, unsigned which, uint64_t seed)
{
    const sample_law law = law_of(which, seed);
    p->ctx = test_ctx();
    open_problem(p, sample_domains(p->ctx, &law), law.chain, options_of(which, CAU_MEGA_CEM));
    sample_parameters(&p->mega, .8, seed);
}

static void test_objective(void **state)
{
    (void)state;
    for (unsigned which = 0; which < CASES; which++) {
        mega_problem p = {0};
        double given[256], known[256];
        open_random(&p, which, which);
        assert_true(p.domains.N <= 256);
        assert_ok(p.ctx, sample_expect(p.ctx, &p.domains, &p.o, &p.mega, given, known));
        const double want = plain_objective(&p.domains, &p.mega, &p.o);
        assert_near(p.mega.objective, want, 1e-10);
        assert_near(-p.mega.loss, want - plain_log_prior(&p.mega, &p.o), 1e-10);
        for (size_t n = 0; n < p.domains.N; n++) {
            const plain_instance i = plain_at(&p.domains, &p.mega, n);
            const double joint[2] = {i.rho[0] * i.label[0], i.rho[1] * i.label[1]};
            assert_near(given[n], i.rho[1] / (i.rho[0] + i.rho[1]), 1e-12);
            assert_near(known[n], joint[1] / (joint[0] + joint[1]), 1e-12);
        }
        close_problem(&p);
    }
}

/* The bound Q (see mega_em.c) at new parameters, computed from old ones. */
static double plain_bound(const mega_problem *p, const plain_instance *old)
{
    double sum = plain_log_prior(&p->mega, &p->o);
    for (size_t n = 0; n < p->domains.N; n++) {
        const plain_instance now = plain_at(&p->domains, &p->mega, n);
        const double evidence = old[n].rho[0] * old[n].label[0] + old[n].rho[1] * old[n].label[1];
        double own = 1;
        for (size_t z = 0; z < 2; z++) {
            const double h = old[n].rho[z] * old[n].label[z] / evidence;
            own += h * log(now.rho[z] * now.label[z] / (old[n].rho[z] * old[n].label[z]));
            own -= now.rho[z] / (old[n].rho[0] + old[n].rho[1]);
        }
        sum += plain_weight_of(&p->domains, n) * own;
    }
    return sum;
}

/* No M-step of pi, w or psi lowers Q, and the objective rises by at least as much. */
static void test_no_step_lowers_the_bound(void **state)
{
    (void)state;
    for (unsigned which = 0; which < CASES; which++) {
        mega_problem p = {0};
        plain_instance old[256];
        open_random(&p, which, 100 + which);
        for (size_t n = 0; n < p.domains.N; n++) old[n] = plain_at(&p.domains, &p.mega, n);
        const double objective = plain_objective(&p.domains, &p.mega, &p.o);
        const double first = plain_bound(&p, old);
        assert_near(first, plain_log_prior(&p.mega, &p.o), 1e-10); /* the bound is tight */

        assert_ok(p.ctx, cau_mega_expect(&p.run));
        cau_mega_maximise_pi(&p.run);
        const double after_pi = plain_bound(&p, old);
        for (size_t n = 0; n < p.domains.N; n++) {
            const plain_instance now = plain_at(&p.domains, &p.mega, n);
            const double c = plain_weight_of(&p.domains, n);
            for (size_t z = 0; z < 2; z++)
                assert_near(p.run.r[z][n], c * now.rho[z] / (old[n].rho[0] + old[n].rho[1]), 1e-12);
        }
        assert_ok(p.ctx, cau_mega_maximise_w(&p.run));
        const double after_w = plain_bound(&p, old);
        assert_ok(p.ctx, cau_mega_maximise_psi(&p.run));
        const double after_psi = plain_bound(&p, old);
        assert_true(after_pi > first);
        assert_true(after_w > after_pi + 0.1);
        assert_true(after_psi > after_w);
        assert_true(plain_objective(&p.domains, &p.mega, &p.o) - objective >=
                    after_psi - first - 1e-10);
        close_problem(&p);
    }
}

/* The gradient of the direct optimiser against central differences of the objective, via the
 * parameters that it leaves in mega. */
static void test_gradient(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (unsigned which = 0; which < CASES; which++) {
        mega_problem p = {0};
        cau_solver solver = {0};
        open_random(&p, which, 200 + which);
        assert_ok(p.ctx, cau_mega_direct(&p.run, &solver));
        const size_t n = cau_mega_parameters(&p.mega);
        double f, *at = malloc(n * sizeof *at), *g = malloc(n * sizeof *g);
        double *unused = malloc(n * sizeof *unused);
        assert_true(at && g && unused);
        memcpy(at, solver.ops->weights(solver.self), n * sizeof *at);
        if (which % 2) at[n - 1] = at[n - 1 - p.mega.D] = -21; /* pi, psi near the clip */
        assert_ok(p.ctx, cau_mega_evaluate(&p.run, at, &f, g));
        assert_near(-f, plain_objective(&p.domains, &p.mega, &p.o), 1e-9);
        for (size_t k = 0; k < n; k++) {
            const double middle = at[k];
            double value[2];
            for (int side = 0; side < 2; side++) {
                at[k] = side ? middle + h : middle - h;
                assert_ok(p.ctx, cau_mega_evaluate(&p.run, at, &f, unused));
                assert_ok(p.ctx, sample_expect(p.ctx, &p.domains, &p.o, &p.mega, NULL, NULL));
                value[side] = p.mega.objective;
                assert_near(-f, value[side], 1e-9);
            }
            at[k] = middle;
            assert_near(-g[k], (value[1] - value[0]) / (2 * h), 1e-6);
        }
        free(at);
        free(g);
        free(unused);
        solver.ops->free(solver.self);
        close_problem(&p);
    }
}

/* At the optimum that CEM reaches, the gradient of the direct optimiser is nearly 0. */
static void check_agreement(bool tied)
{
    mega_problem p = {.ctx = test_ctx()};
    const sample_law law = {.D = 2, .N = 30, .K = 6, .Y = 2, .dense = .4, .apart = .3, .seed = 5};
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    o.iterations = 2000;
    o.tied = tied;
    open_problem(&p, sample_domains(p.ctx, &law), false, o);
    cau_mega_clear(&p.mega);
    assert_ok(p.ctx, cau_mega_fit(p.ctx, &p.domains, &o, NULL, NULL, &p.mega));
    cau_mega_run_clear(&p.run);
    assert_ok(p.ctx, cau_mega_run_init(p.ctx, &p.domains, &o, &p.mega, &p.run));
    const double before = p.mega.objective;
    cau_solver solver = {0};
    assert_ok(p.ctx, cau_mega_direct(&p.run, &solver));
    for (size_t i = 0; i < 20; i++) {
        cau_iterate it;
        assert_ok(p.ctx, solver.ops->step(solver.self, &it));
        assert_true(-it.f >= before - 1e-9);
        cau_mega_after_step(&p.run, &solver, &it);
        if (it.exhausted) break;
    }
    assert_near(p.mega.objective, before, 0.1);
    solver.ops->free(solver.self);
    close_problem(&p);
}

static void test_optimisers_agree(void **state)
{
    (void)state;
    check_agreement(false);
    check_agreement(true);
}

/* ---- optima ---------------------------------------------------------------------------------- */

/* Runs the direct optimiser from the current parameters until it converges. */
static void run_direct_optimiser(mega_problem *p)
{
    cau_solver solver = {0};
    assert_ok(p->ctx, cau_mega_direct(&p->run, &solver));
    for (size_t i = 0; i < 3000; i++) {
        cau_iterate it;
        assert_ok(p->ctx, solver.ops->step(solver.self, &it));
        cau_mega_after_step(&p->run, &solver, &it);
        if (it.exhausted || it.gnorm < 1e-7) break;
    }
    solver.ops->free(solver.self);
}

/* At the optimum, central differences of the second implementation are 0 for every weight of every
 * component. */
static void test_optimum(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (unsigned which = 0; which < CASES; which += 7) {
        mega_problem p = {0};
        open_random(&p, which, 300 + which);
        run_direct_optimiser(&p);
        for (size_t c = 0; c <= p.mega.D; c++)
            for (size_t k = 0; k < cau_mega_weights(&p.mega, c); k++) {
                const double middle = p.mega.w[c][k];
                p.mega.w[c][k] = middle + h;
                const double above = plain_objective(&p.domains, &p.mega, &p.o);
                p.mega.w[c][k] = middle - h;
                const double below = plain_objective(&p.domains, &p.mega, &p.o);
                p.mega.w[c][k] = middle;
                assert_near((above - below) / (2 * h), 0, 1e-4);
            }
        close_problem(&p);
    }
}

/* Tied components with equal weights act as one MaxEnt classifier, whatever the gate: same loss,
 * and one penalty. */
static void test_equal_components_are_one(void **state)
{
    (void)state;
    for (unsigned which = TIED; which < CASES; which++) {
        mega_problem p = {0};
        double loss = 0, squares = 0;
        open_random(&p, which, 400 + which);
        const size_t D = p.mega.D;
        for (size_t d = 0; d < D; d++)
            memcpy(p.mega.w[d], p.mega.w[D], cau_mega_weights(&p.mega, D) * sizeof(double));
        for (size_t n = 0; n < p.domains.N; n++)
            loss -= plain_weight_of(&p.domains, n) *
                    log(plain_label(&p.domains, &p.mega, D, n, p.domains.all.gold[n]));
        for (size_t k = 0; k < cau_table_size(&p.mega.table[D]); k++)
            squares += p.mega.w[D][k] * p.mega.w[D][k];
        assert_ok(p.ctx, cau_mega_expect(&p.run));
        assert_near(p.mega.loss, loss, 1e-10);
        for (size_t c = 0; c <= D; c++)
            assert_near(cau_mega_penalty(&p.run, c), c < D ? 0 : p.o.l2 / 2 * squares, 1e-12);
        close_problem(&p);
    }
}

/* The derivative of component c's log likelihood by a weight: sum_n h_n c_n ( [y = y_n] -
 * p(y|x_n,w^c) ) x_nk, with h_n = p(z is c|x_n,y_n) if `posterior`, otherwise 1. */
static double plain_derivative(const mega_problem *p, size_t c, size_t k, size_t y, bool posterior)
{
    const cau_csr *x = &p->domains.all.x;
    const size_t D = p->mega.D;
    double sum = 0;
    for (size_t n = 0; n < p->domains.N; n++) {
        if (c < D && plain_domain(&p->domains, n) != c) continue;
        const plain_instance i = plain_at(&p->domains, &p->mega, n);
        const double joint[2] = {i.rho[0] * i.label[0], i.rho[1] * i.label[1]};
        const double h = posterior ? joint[c == D] / (joint[0] + joint[1]) : 1;
        double value = 0;
        for (size_t e = x->start[n]; e < x->start[n + 1]; e++)
            if (x->column[e] == k) value += x->value ? (double)x->value[e] : 1;
        if (value == 0) continue;
        sum += h * plain_weight_of(&p->domains, n) * value *
               ((p->domains.all.gold[n] == y) - plain_label(&p->domains, &p->mega, c, n, y));
    }
    return sum;
}

/* At an optimum, l2 u^d is the derivative for component d, and l2 w^D the sum over all components.
 * Under a strong penalty all weights are O(1/l2), so p(y|x_n) differs between components by as
 * much. Posteriors sum to 1 for each instance, so the derivatives add up to
 *     l2 w^D = sum_n c_n ( [y = y_n] - p(y|x_n,w^D) ) x_n + O(1/l2)
 * Only a single MaxEnt classifier of all data with the same l2 satisfies this. */
static void test_strong_ties(void **state)
{
    (void)state;
    for (unsigned which = TIED; which < CASES; which += 3) {
        mega_problem p = {.ctx = test_ctx()};
        const sample_law law = law_of(which, which);
        cau_mega_options o = options_of(which, CAU_MEGA_LBFGS);
        o.no_bias = true; /* intercepts are not penalised, so they are not small */
        o.l2 = 1e4;
        open_problem(&p, sample_domains(p.ctx, &law), law.chain, o);
        const size_t D = p.mega.D;
        run_direct_optimiser(&p);
        for (size_t k = 0; k < p.domains.all.K; k++)
            for (size_t y = 0; y < p.domains.Y; y++) {
                if (cau_table_find(&p.mega.table[D], k, y) == SIZE_MAX) continue;
                const double general = plain_weight(&p.mega, D, k, y);
                assert_near(o.l2 * general, plain_derivative(&p, D, k, y, false), 2e-2);
                for (size_t d = 0; d < D; d++)
                    assert_near(o.l2 * (plain_weight(&p.mega, d, k, y) - general),
                                plain_derivative(&p, d, k, y, true), 2e-2);
            }
        close_problem(&p);
    }
}

/* ---- the start ------------------------------------------------------------------------------- */

static void test_start(void **state)
{
    (void)state;
    static const sample_row rows[] = {
        {0, "p", "ab", 0}, {0, "q", "a", 0}, {1, "p", "bc", 3}, {1, "q", "ac", 2}};
    mega_problem p = {.ctx = test_ctx()};
    open_problem(&p, sample_rows(p.ctx, rows, 4), false, sample_mega_options(CAU_MEGA_CEM));
    for (size_t d = 0; d < 2; d++) assert_near(p.mega.pi[d], .5, 0);
    for (size_t c = 0; c < 3; c++) {
        for (size_t f = 0; f < p.mega.bayes.B; f++) assert_near(p.mega.psi[c][f], .5, 0);
        for (size_t k = 0; k < cau_mega_weights(&p.mega, c); k++) assert_near(p.mega.w[c][k], 0, 0);
    }
    close_problem(&p);
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct {
    double before;
    size_t calls, most;
} mega_watcher;

static caucus_status watch(void *self, const cau_mega *mega, bool *go_on)
{
    mega_watcher *w = self;
    assert_true(mega->objective >= w->before - 1e-9 * fabs(w->before));
    assert_int_equal(mega->iteration, ++w->calls);
    w->before = mega->objective;
    *go_on = !w->most || w->calls < w->most;
    return CAUCUS_OK;
}

static void test_objective_never_falls(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 200; seed++)
        for (int optimizer = 0; optimizer < 2; optimizer++) {
            caucus_ctx *ctx = test_ctx();
            const unsigned which = (seed / 2 * 13 + 7) % TIED | (seed % 2 ? TIED : 0);
            sample_law law = law_of(which, seed / 2);
            law.dense = seed / 2 % 4 < 2 ? .05 : .5; /* sparse with empty rows, then dense */
            law.K = 20;
            law.N = 15;
            cau_mega_options o = options_of(which, (cau_mega_optimizer)optimizer);
            o.iterations = optimizer == CAU_MEGA_CEM ? 8 : 40;
            mega_watcher w = {.before = -INFINITY};
            cau_domains domains = {0};
            cau_mega mega = {0};
            caucus_data *data = sample_domains(ctx, &law);
            assert_ok(ctx, cau_domains_init(ctx, data, law.chain, &domains));
            assert_ok(ctx, cau_mega_fit(ctx, &domains, &o, watch, &w, &mega));
            assert_int_equal(mega.iteration, w.calls);
            assert_true(mega.passes > w.calls);
            const double said = mega.objective, loss = mega.loss;
            assert_ok(ctx, sample_expect(ctx, &domains, &o, &mega, NULL, NULL));
            assert_near(mega.objective, said, 1e-9);
            assert_near(mega.loss, loss, 1e-9);
            cau_mega_clear(&mega);
            cau_domains_clear(&domains);
            cau_data_free(data);
            caucus_ctx_free(ctx);
        }
}

/* Fits a few rows. */
static void fit_rows(caucus_ctx *ctx, const sample_row *rows, size_t N, cau_mega_options o,
                     caucus_data **data, cau_domains *domains, cau_mega *mega)
{
    *data = sample_rows(ctx, rows, N);
    assert_ok(ctx, cau_domains_init(ctx, *data, false, domains));
    assert_ok(ctx, cau_mega_fit(ctx, domains, &o, NULL, NULL, mega));
}

static void test_symmetric_in_the_domains(void **state)
{
    (void)state;
    for (int optimizer = 0; optimizer < 2; optimizer++) {
        caucus_ctx *ctx = test_ctx();
        const cau_mega_options o = sample_mega_options((cau_mega_optimizer)optimizer);
        const sample_law law = {
            .D = 2, .N = 20, .K = 8, .Y = 2, .dense = .4, .apart = .5, .seed = 3};
        caucus_data *data = sample_domains(ctx, &law);
        cau_domains domains[2] = {0};
        cau_mega mega[2] = {0};
        for (size_t swapped = 0; swapped < 2; swapped++) {
            uint32_t unit[40];
            for (size_t n = 0; n < 40; n++) unit[n] = (uint32_t)((n / 20) ^ swapped);
            sample_units(data, unit);
            assert_ok(ctx, cau_domains_init(ctx, data, false, &domains[swapped]));
            assert_ok(ctx, cau_mega_fit(ctx, &domains[swapped], &o, NULL, NULL, &mega[swapped]));
        }
        assert_near(mega[0].objective, mega[1].objective, 1e-6);
        for (size_t d = 0; d < 2; d++) {
            assert_near(mega[0].pi[d], mega[1].pi[1 - d], 1e-4);
            for (size_t f = 0; f < mega[0].bayes.B; f++)
                assert_near(mega[0].psi[d][f], mega[1].psi[1 - d][f], 1e-4);
        }
        assert_true(fabs(mega[0].pi[0] - mega[0].pi[1]) > 1e-3);
        for (size_t i = 0; i < 2; i++) {
            cau_mega_clear(&mega[i]);
            cau_domains_clear(&domains[i]);
        }
        cau_data_free(data);
        caucus_ctx_free(ctx);
    }
}

/* Fits pi for domains at distance `apart`. */
static void fit_apart(cau_mega_optimizer optimizer, double apart, uint64_t seed, double *pi)
{
    caucus_ctx *ctx = test_ctx();
    const sample_law law = {
        .D = 2, .N = 200, .K = 30, .Y = 3, .dense = .2, .apart = apart, .seed = seed};
    cau_mega_options o = sample_mega_options(optimizer);
    cau_domains domains = {0};
    cau_mega mega = {0};
    caucus_data *data = sample_domains(ctx, &law);
    o.iterations = optimizer == CAU_MEGA_CEM ? 30 : 1000;
    assert_ok(ctx, cau_domains_init(ctx, data, false, &domains));
    assert_ok(ctx, cau_mega_fit(ctx, &domains, &o, NULL, NULL, &mega));
    pi[0] = mega.pi[0];
    pi[1] = mega.pi[1];
    cau_mega_clear(&mega);
    cau_domains_clear(&domains);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Labels follow a MaxEnt law, so a mixture of classifiers is useless unless the domains differ. Two
 * halves of one data set share all features and get a high pi; unrelated domains get a low pi. CEM
 * only approaches these values: its bound is loose. */
static void test_pi_measures_domain_similarity(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int optimizer = 0; optimizer < 2; optimizer++) {
            double near[2], far[2];
            fit_apart((cau_mega_optimizer)optimizer, 0, seed, near);
            fit_apart((cau_mega_optimizer)optimizer, 1, seed, far);
            assert_true(near[0] + near[1] > far[0] + far[1] + 0.5);
            assert_true(optimizer == CAU_MEGA_CEM || fmin(near[0], near[1]) > 0.9);
            assert_true(fmin(far[0], far[1]) < 0.1);
        }
}

/* A class and features that one domain lacks, an empty row, and a domain with one instance. */
static void test_one_sided_domains(void **state)
{
    (void)state;
    static const sample_row rows[] = {{0, "p", "ab", 0}, {0, "q", "ac", 0}, {0, "p", "", 0},
                                      {1, "p", "ad", 0}, {1, "r", "de", 0}, {1, "r", "e", 0},
                                      {2, "q", "ac", 0}};
    for (int optimizer = 0; optimizer < 2; optimizer++)
        for (int which = 0; which < 4; which++) {
            caucus_ctx *ctx = test_ctx();
            cau_mega_options o = sample_mega_options((cau_mega_optimizer)optimizer);
            caucus_data *data;
            cau_domains domains = {0};
            cau_mega mega = {0};
            o.seen = which & 1;
            o.tied = which & 2;
            fit_rows(ctx, rows, 7, o, &data, &domains, &mega);
            assert_true(isfinite(mega.objective));
            assert_near(mega.objective, plain_objective(&domains, &mega, &o), 1e-9);
            const size_t d = cau_alphabet_find(data->alphabets.names, "d", 1);
            const size_t r = cau_alphabet_find(data->labels, "r", 1);
            for (size_t y = 0; y < 3; y++)
                assert_near(plain_weight(&mega, 0, d, y), o.tied ? plain_weight(&mega, 3, d, y) : 0,
                            1e-12);
            assert_true(plain_weight(&mega, 1, d, r) != 0);
            assert_true(plain_weight(&mega, 3, d, r) != 0);
            cau_mega_clear(&mega);
            cau_domains_clear(&domains);
            cau_data_free(data);
            caucus_ctx_free(ctx);
        }
}

static void test_tiny_data(void **state)
{
    (void)state;
    static const sample_row one[] = {{0, "p", "a", 0}, {1, "q", "b", 0}};
    static const sample_row none[] = {{0, "p", "", 0}, {0, "q", "", 0}, {1, "q", "", 0}};
    for (int optimizer = 0; optimizer < 2; optimizer++)
        for (int empty = 0; empty < 2; empty++) {
            caucus_ctx *ctx = test_ctx();
            const cau_mega_options o = sample_mega_options((cau_mega_optimizer)optimizer);
            caucus_data *data;
            cau_domains domains = {0};
            cau_mega mega = {0};
            fit_rows(ctx, empty ? none : one, empty ? 3 : 2, o, &data, &domains, &mega);
            assert_int_equal(mega.bayes.B, empty ? 0 : 2);
            assert_true(isfinite(mega.objective));
            for (size_t d = 0; d < 2; d++) assert_true(mega.pi[d] > 0 && mega.pi[d] < 1);
            assert_true(mega.loss < (empty ? 3 : 2) * log(2));
            cau_mega_clear(&mega);
            cau_domains_clear(&domains);
            cau_data_free(data);
            caucus_ctx_free(ctx);
        }
}

/* Instances of weight 2 equal instances that occur twice. */
static void test_weights_are_counts(void **state)
{
    (void)state;
    static const sample_row weighted[] = {
        {0, "p", "ab", 2}, {0, "q", "a", 0}, {1, "p", "b", 0}, {1, "q", "", 3}};
    static const sample_row repeated[] = {{0, "p", "ab", 0}, {0, "p", "ab", 0}, {0, "q", "a", 0},
                                          {1, "p", "b", 0},  {1, "q", "", 0},   {1, "q", "", 0},
                                          {1, "q", "", 0}};
    for (int optimizer = 0; optimizer < 2; optimizer++) {
        caucus_ctx *ctx = test_ctx();
        const cau_mega_options o = sample_mega_options((cau_mega_optimizer)optimizer);
        caucus_data *data[2];
        cau_domains domains[2] = {0};
        cau_mega mega[2] = {0};
        fit_rows(ctx, weighted, 4, o, &data[0], &domains[0], &mega[0]);
        fit_rows(ctx, repeated, 7, o, &data[1], &domains[1], &mega[1]);
        assert_near(mega[0].objective, mega[1].objective, 1e-6);
        for (size_t d = 0; d < 2; d++) assert_near(mega[0].pi[d], mega[1].pi[d], 1e-4);
        for (size_t i = 0; i < 2; i++) {
            cau_mega_clear(&mega[i]);
            cau_domains_clear(&domains[i]);
            cau_data_free(data[i]);
        }
        caucus_ctx_free(ctx);
    }
}

static void test_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 5};
    const sample_law law = {.D = 3, .N = 2000, .K = 40, .Y = 3, .dense = .4, .apart = .5};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_domains(ctx, &law);
    cau_domains domains = {0};
    assert_ok(ctx, cau_domains_init(ctx, data, false, &domains));
    for (int which = 0; which < 4; which++) {
        cau_mega mega[3] = {0};
        for (size_t t = 0; t < 3; t++) {
            cau_mega_options o = sample_mega_options((cau_mega_optimizer)(which % 2));
            o.tied = which / 2;
            o.iterations = 3;
            o.threads = threads[t];
            assert_ok(ctx, cau_mega_fit(ctx, &domains, &o, NULL, NULL, &mega[t]));
            assert_memory_equal(mega[t].pi, mega[0].pi, 3 * sizeof(double));
            for (size_t c = 0; c <= 3; c++) {
                assert_memory_equal(mega[t].psi[c], mega[0].psi[c],
                                    mega[0].bayes.B * sizeof(double));
                assert_memory_equal(mega[t].w[c], mega[0].w[c],
                                    cau_mega_weights(&mega[0], c) * sizeof(double));
            }
            assert_true(mega[t].objective == mega[0].objective);
        }
        for (size_t t = 0; t < 3; t++) cau_mega_clear(&mega[t]);
    }
    cau_domains_clear(&domains);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_stopping(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const sample_law law = {.D = 2, .N = 20, .K = 6, .Y = 2, .dense = .4, .apart = .5};
    caucus_data *data = sample_domains(ctx, &law);
    cau_domains domains = {0};
    assert_ok(ctx, cau_domains_init(ctx, data, false, &domains));
    for (int optimizer = 0; optimizer < 2; optimizer++) {
        cau_mega_options o = sample_mega_options((cau_mega_optimizer)optimizer);
        cau_mega mega = {0};
        mega_watcher w = {.before = -INFINITY, .most = 2};
        assert_ok(ctx, cau_mega_fit(ctx, &domains, &o, watch, &w, &mega));
        assert_int_equal(mega.iteration, 2); /* stopped by the callback */
        cau_mega_clear(&mega);
        o.iterations = 3;
        w = (mega_watcher){.before = -INFINITY};
        assert_ok(ctx, cau_mega_fit(ctx, &domains, &o, watch, &w, &mega));
        assert_int_equal(mega.iteration, 3); /* stopped by the limit */
        cau_mega_clear(&mega);
        o.iterations = 100000;
        w = (mega_watcher){.before = -INFINITY};
        assert_ok(ctx, cau_mega_fit(ctx, &domains, &o, watch, &w, &mega));
        assert_true(mega.iteration < 100000); /* converged */
        cau_mega_clear(&mega);
    }
    cau_domains_clear(&domains);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- failures -------------------------------------------------------------------------------- */

typedef struct {
    caucus_ctx *ctx;
    const cau_domains *domains;
    cau_mega_options o;
} mega_memory_job;

static caucus_status run_fit(void *self)
{
    const mega_memory_job *j = self;
    cau_mega mega = {0};
    caucus_status st = cau_mega_fit(j->ctx, j->domains, &j->o, NULL, NULL, &mega);
    if (!st) st = sample_expect(j->ctx, j->domains, &j->o, &mega, NULL, NULL);
    cau_mega_clear(&mega);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const sample_law law = {.D = 2, .N = 5, .K = 5, .Y = 2, .dense = .4, .apart = .5};
    caucus_data *data = sample_domains(ctx, &law);
    cau_domains domains = {0};
    assert_ok(ctx, cau_domains_init(ctx, data, false, &domains));
    for (int which = 0; which < 8; which++) {
        mega_memory_job j = {ctx, &domains, sample_mega_options((cau_mega_optimizer)(which % 2))};
        j.o.iterations = 2;
        j.o.seen = which & 2;
        j.o.tied = which & 4;
        assert_true(test_every_allocation(run_fit, &j) > 40);
    }
    cau_domains_clear(&domains);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static caucus_status refuse(void *self, const cau_mega *mega, bool *go_on)
{
    (void)mega;
    (void)go_on;
    return cau_fail(self, CAUCUS_ERR_STOPPED, "not so");
}

static void test_failures(void **state)
{
    (void)state;
    static const sample_row rows[] = {{0, "p", "a", 0}, {1, "q", "b", 0}};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_rows(ctx, rows, 2);
    cau_domains domains = {0};
    cau_mega mega = {0};
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    assert_ok(ctx, cau_domains_init(ctx, data, false, &domains));
    assert_fails(ctx, cau_mega_fit(ctx, &domains, &o, refuse, ctx, &mega), CAUCUS_ERR_STOPPED,
                 "not so");
    assert_null(mega.w);
    o.l2 = INFINITY;
    for (o.optimizer = 0; o.optimizer < 2; o.optimizer++)
        assert_fails(ctx, cau_mega_fit(ctx, &domains, &o, NULL, NULL, &mega), CAUCUS_ERR_NUMERIC,
                     "the objective is not finite at iteration 0");
    cau_domains_clear(&domains);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_oracle_prediction),
        cmocka_unit_test(test_objective),
        cmocka_unit_test(test_no_step_lowers_the_bound),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_optimisers_agree),
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_equal_components_are_one),
        cmocka_unit_test(test_strong_ties),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_objective_never_falls),
        cmocka_unit_test(test_symmetric_in_the_domains),
        cmocka_unit_test(test_pi_measures_domain_similarity),
        cmocka_unit_test(test_one_sided_domains),
        cmocka_unit_test(test_tiny_data),
        cmocka_unit_test(test_weights_are_counts),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
