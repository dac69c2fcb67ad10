/* bayes_test.c - checks the naive Bayes part against known values and against dense versions of
 * likelihoods, sweeps and gains. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/bayes.h"
#include "base/memory.h"
#include "base/rng.h"
#include "support/support.h"

/* ---- problems ------------------------------------------------------------------------------ */

/* The instances of one component, sparse and dense, and the results of an E-step. */
typedef struct {
    size_t N, K; /* K selectable columns; x has two more that must be ignored */
    bool *has;   /* [N][K] */
    cau_csr x, xt;
    cau_bayes bayes;
    cau_bayes_prior prior;
    double *v;    /* [N] */
    double *logm; /* [N] log of m_n q_n, and of the weight of the instance */
    double *psi;  /* [B] */
} bayes_problem;

typedef struct {
    size_t N, K;
    double density;   /* of x; columns 3 and 4 and row 1 are empty */
    double low, high; /* range of the initial psi */
    double a, b;      /* prior parameters */
    bool valued;      /* x has values; zeros among them count as absent */
    bool weighted;    /* instances have weights */
    bool some;        /* only two thirds of the columns are selectable */
    bool silent;      /* v is 0 everywhere */
} bayes_recipe;

static void bayes_make(cau_bayes *bayes, size_t K, cau_rng *rng, bool some)
{
    *bayes = (cau_bayes){.K = K};
    bayes->feature = cau_alloc(K, sizeof *bayes->feature);
    bayes->place = cau_alloc(K, sizeof *bayes->place);
    assert_true(bayes->feature && bayes->place);
    for (size_t k = 0; k < K; k++) {
        bayes->place[k] = CAU_BAYES_NONE;
        if (some && cau_rng_below(rng, 3) == 0) continue;
        bayes->place[k] = (uint32_t)bayes->B;
        bayes->feature[bayes->B++] = (uint32_t)k;
    }
}

/* log Psi_n by the definition, feature by feature, without feature `skip`. */
static double dense_log(const bayes_problem *p, size_t n, const double *psi, size_t skip)
{
    double sum = 0;
    for (size_t f = 0; f < p->bayes.B; f++)
        if (f != skip) sum += p->has[n * p->K + p->bayes.feature[f]] ? log(psi[f]) : log1p(-psi[f]);
    return sum;
}

static double dense_prior(const bayes_problem *p, const double *psi)
{
    double sum = 0;
    for (size_t f = 0; f < p->bayes.B; f++)
        sum += (p->prior.a - 1) * log(psi[f]) + (p->prior.b - 1) * log(1 - psi[f]);
    return sum;
}

static void problem_make(bayes_problem *p, const bayes_recipe *how, uint64_t seed)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    const size_t N = how->N, K = how->K;
    *p = (bayes_problem){.N = N, .K = K, .prior = {how->a, how->b, 1}};
    p->has = cau_calloc(N * K, sizeof *p->has);
    p->x = (cau_csr){.rows = N, .columns = K + 2};
    p->x.start = cau_calloc(N + 1, sizeof *p->x.start);
    p->x.column = cau_alloc(N * (K + 2), sizeof *p->x.column);
    p->x.value = how->valued ? cau_alloc(N * (K + 2), sizeof *p->x.value) : NULL;
    p->v = cau_alloc(N, sizeof *p->v);
    p->logm = cau_alloc(N, sizeof *p->logm);
    p->psi = cau_alloc(K, sizeof *p->psi);
    assert_true(p->has && p->x.start && p->x.column && p->v && p->logm && p->psi);
    assert_true(p->x.value || !how->valued);

    size_t at = 0;
    for (size_t n = 0; n < N; n++) {
        for (size_t k = 0; k < K + 2; k++) {
            const bool blank = how->density < 1 && (n == 1 || k == 3 || k == 4);
            if (blank || cau_rng_real(&rng) >= how->density) continue;
            const float value = (float)cau_rng_below(&rng, 4) - 1.f;
            p->x.column[at] = (uint32_t)k;
            if (how->valued) p->x.value[at] = value;
            if (k < K) p->has[n * K + k] = !how->valued || value != 0;
            at++;
        }
        p->x.start[n + 1] = at;
    }
    assert_int_equal(cau_csr_transpose(1, &p->x, &p->xt), CAUCUS_OK);

    bayes_make(&p->bayes, K, &rng, how->some);
    for (size_t f = 0; f < p->bayes.B; f++)
        p->psi[f] = how->low + (how->high - how->low) * cau_rng_real(&rng);
    for (size_t n = 0; n < N; n++) {
        const double weight = how->weighted ? 3 * cau_rng_real(&rng) : 1;
        p->v[n] = how->silent ? 0 : weight * cau_rng_real(&rng);
        p->logm[n] = log(weight * (1 - cau_rng_real(&rng))) - dense_log(p, n, p->psi, SIZE_MAX);
    }
}

static void problem_clear(bayes_problem *p)
{
    free(p->has);
    cau_csr_clear(&p->x);
    cau_csr_clear(&p->xt);
    cau_bayes_clear(&p->bayes);
    free(p->v);
    free(p->logm);
    free(p->psi);
}

/* Q = sum_n v_n log Psi_n - sum_n r_n + log prior */
static double dense_bound(const bayes_problem *p, const double *psi)
{
    double sum = dense_prior(p, psi);
    for (size_t n = 0; n < p->N; n++) {
        const double log_psi = dense_log(p, n, psi, SIZE_MAX);
        sum += p->v[n] * log_psi - exp(p->logm[n] + log_psi);
    }
    return sum;
}

/* S, C and D of feature f. */
typedef struct {
    double S, C, D;
} bayes_coefficients;

static bayes_coefficients dense_coefficients(const bayes_problem *p, const double *psi, size_t f)
{
    bayes_coefficients c = {0, p->prior.a - 1, p->prior.a + p->prior.b - 2};
    for (size_t n = 0; n < p->N; n++) {
        const bool there = p->has[n * p->K + p->bayes.feature[f]];
        c.S += exp(p->logm[n] + dense_log(p, n, psi, f)) * (there ? 1 : -1);
        c.C += there ? p->v[n] : 0;
        c.D += p->v[n];
    }
    return c;
}

/* The same root by bisection: C (1-p) - (D-C) p - S p (1-p) changes its sign once. */
static double bisected_root(double S, double D, double C)
{
    long double low = 0, high = 1;
    for (int i = 0; i < 200; i++) {
        const long double p = (low + high) / 2, q = 1 - p;
        const long double slope =
            (long double)C * q - ((long double)D - (long double)C) * p - (long double)S * p * q;
        if (slope > 0)
            low = p;
        else
            high = p;
    }
    return fmin(fmax((double)low, CAU_BAYES_CLIP), 1 - CAU_BAYES_CLIP);
}

/* One sweep with every number computed from the definition. */
static void dense_sweep(const bayes_problem *p, double *psi)
{
    for (size_t f = 0; f < p->bayes.B; f++) {
        const bayes_coefficients c = dense_coefficients(p, psi, f);
        psi[f] = bisected_root(c.S, c.D, c.C);
    }
}

/* r_n at the start of an M-step; free with free(). */
static double *first_ratios(const bayes_problem *p)
{
    double *ratio = cau_alloc(p->N, sizeof *ratio);
    assert_non_null(ratio);
    for (size_t n = 0; n < p->N; n++)
        ratio[n] = exp(p->logm[n] + dense_log(p, n, p->psi, SIZE_MAX));
    return ratio;
}

static double *copy_of(const double *from, size_t count)
{
    double *to = cau_alloc(count, sizeof *to);
    assert_non_null(to);
    memcpy(to, from, count * sizeof *to);
    return to;
}

/* Shapes and corner cases that several tests use. */
static const bayes_recipe recipes[] = {
    {.N = 40, .K = 30, .density = .1, .low = .05, .high = .95, .a = 2, .b = 2},
    {.N = 40, .K = 30, .density = .8, .low = .05, .high = .95, .a = 2, .b = 2},
    {.N = 40, .K = 30, .density = .3, .low = .5, .high = .5, .a = 2, .b = 2, .weighted = true},
    {.N = 40, .K = 30, .density = .3, .low = .1, .high = .9, .a = 2, .b = 3, .some = true},
    {.N = 30, .K = 20, .density = .4, .low = .1, .high = .9, .a = 1.5, .b = 1, .valued = true},
    {.N = 30, .K = 20, .density = .4, .low = .1, .high = .9, .a = 2, .b = 2, .silent = true},
    {.N = 30, .K = 20, .density = .4, .low = 1e-6, .high = 2e-6, .a = 2, .b = 2},
    {.N = 30, .K = 20, .density = .4, .low = 1 - 2e-6, .high = 1 - 1e-6, .a = 2, .b = 2},
    {.N = 1, .K = 20, .density = .5, .low = .1, .high = .9, .a = 2, .b = 2},
    {.N = 20, .K = 1, .density = .5, .low = .1, .high = .9, .a = 2, .b = 2},
    {.N = 10, .K = 20, .density = 0, .low = .1, .high = .9, .a = 2, .b = 2},
    /* the products leave the range of double in both directions */
    {.N = 4, .K = 700, .density = .01, .low = 1e-6, .high = 2e-6, .a = 50, .b = 50},
    {.N = 3, .K = 300, .density = 1, .low = .99, .high = .995, .a = 1, .b = 50},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

/* ---- known values -------------------------------------------------------------------------- */

/* Two domains of three and four instances with three features, computed by hand. */
enum { NI = 3, NO = 4, F = 3 };
static const bool known_x[NI + NO][F] = {{1, 0, 1}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1},
                                         {1, 0, 0}, {0, 1, 1}, {1, 1, 1}};
static const double known_pi[2] = {.4, .7};
static const double known_psi[3][F] = {{.6, .5, .3}, {.4, .3, .7}, {.5, .45, .55}};
static const double known_h[NI + NO] = {.515914647, .266073082, .243243243, .714280444,
                                        .789159758, .563730852, .840855760};

/* Psi of instance n as a product. */
static double known_product(size_t n, const double *psi)
{
    double product = 1;
    for (size_t f = 0; f < F; f++) product *= known_x[n][f] ? psi[f] : 1 - psi[f];
    return product;
}

static double known_marginal(size_t n)
{
    const size_t d = n >= NI;
    return known_pi[d] * known_product(n, known_psi[2]) +
           (1 - known_pi[d]) * known_product(n, known_psi[d]);
}

static void known_values_of_pi(void **state)
{
    (void)state;
    static const double want[2][3] = {{-.429463635, 1.025230972, .375306458},
                                      {-.042691306, 2.908026813, .729114656}};
    static const double log_marginal[NI] = {-2.167180456, -2.083449563, -1.792759970};
    for (size_t n = 0; n < NI; n++) assert_near(log(known_marginal(n)), log_marginal[n], 1e-6);
    for (size_t d = 0; d < 2; d++) {
        const size_t begin = d ? NI : 0, end = d ? NI + NO : NI;
        double R = 0, H = 0;
        for (size_t n = begin; n < end; n++) {
            R += (known_product(n, known_psi[2]) - known_product(n, known_psi[d])) /
                 known_marginal(n);
            H += known_h[n];
        }
        assert_near(R, want[d][0], 1e-6);
        assert_near(H, want[d][1], 1e-6);
        assert_near(cau_bayes_root(R, (double)(end - begin), H), want[d][2], 1e-6);
    }
}

/* psi_0 of the first domain's component (0) and of the general one (2), with the old pi. */
static void known_values_of_psi(void **state)
{
    (void)state;
    static const struct {
        size_t component, N;
        bayes_coefficients want;
        double root;
    } cases[] = {{0, NI, {.360540474, 2.240842110, 3.974769028}, .541244103},
                 {2, NI + NO, {1.507766083, 3.389173408, 5.933257785}, .507701067}};
    for (size_t i = 0; i < 2; i++) {
        const size_t N = cases[i].N;
        const double *old = known_psi[cases[i].component];
        bayes_problem p;
        problem_make(&p, &(bayes_recipe){.N = N, .K = F, .density = 1, .a = 2, .b = 2}, 1);
        memcpy(p.psi, old, sizeof known_psi[0]);
        memcpy(p.has, known_x, N * sizeof known_x[0]);
        p.x.start[0] = 0;
        for (size_t n = 0, at = 0; n < N; n++) {
            const bool general = cases[i].component == 2, d = n >= NI;
            for (uint32_t f = 0; f < F; f++)
                if (known_x[n][f]) p.x.column[at++] = f;
            p.x.start[n + 1] = at;
            p.v[n] = general ? known_h[n] : 1 - known_h[n];
            p.logm[n] = log((general ? known_pi[d] : 1 - known_pi[d]) / known_marginal(n));
        }
        cau_csr_clear(&p.xt);
        assert_int_equal(cau_csr_transpose(1, &p.x, &p.xt), CAUCUS_OK);

        const bayes_coefficients c = dense_coefficients(&p, p.psi, 0);
        assert_near(c.S, cases[i].want.S, 1e-6);
        assert_near(c.C, cases[i].want.C, 1e-6);
        assert_near(c.D, cases[i].want.D, 1e-6);
        assert_near(cau_bayes_root(c.S, c.D, c.C), cases[i].root, 1e-6);

        double *ratio = first_ratios(&p), logs[NI + NO];
        assert_int_equal(cau_bayes_log(&p.bayes, &p.x, 0, N, p.psi, 1, logs), CAUCUS_OK);
        for (size_t n = 0; n < N; n++) assert_near(exp(logs[n]), known_product(n, old), 1e-15);
        assert_int_equal(cau_bayes_maximise(&p.bayes, &p.xt, p.v, ratio, &p.prior, p.psi, NULL),
                         CAUCUS_OK);
        assert_near(p.psi[0], cases[i].root, 1e-6);
        free(ratio);
        problem_clear(&p);
    }
}

/* ---- roots --------------------------------------------------------------------------------- */

static void roots_at_any_size(void **state)
{
    (void)state;
    static const double sizes[] = {1e-300, 1e-12, 1e-3, 1, 7, 1e6, 1e150, 1e300, 1e307};
    static const double parts[] = {0, 1e-15, 1e-6, .25, .5, .75, 1 - 1e-6, 1 - 1e-15, 1};
    for (size_t s = 0; s <= 18; s++)
        for (size_t d = 0; d < 9; d++)
            for (size_t c = 0; c < 9; c++) {
                const double S = s < 9 ? sizes[s] : s < 18 ? -sizes[s - 9] : 0;
                const double D = sizes[d], C = D * parts[c];
                const double p = cau_bayes_root(S, D, C), want = bisected_root(S, D, C);
                assert_true(p >= CAU_BAYES_CLIP && p <= 1 - CAU_BAYES_CLIP);
                if (C == 0 && S == -D) continue; /* see below */
                assert_near(p, want, 1e-11 * want);
            }
    /* No instance has the feature, and the bound falls from p = 0 on. */
    assert_true(cau_bayes_root(-3, 3, 0) == CAU_BAYES_CLIP);
    assert_true(cau_bayes_root(0, 0, 0) == .5);
    assert_true(cau_bayes_root(2, 0, 0) == CAU_BAYES_CLIP);
    assert_true(cau_bayes_root(-2, 0, 0) == 1 - CAU_BAYES_CLIP);
}

/* ---- likelihoods --------------------------------------------------------------------------- */

static void likelihoods_are_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < RECIPES; i++) {
        bayes_problem p;
        problem_make(&p, &recipes[i], i);
        const size_t first = p.N / 3;
        double *out = cau_alloc(p.N, sizeof *out);
        assert_non_null(out);
        assert_int_equal(cau_bayes_log(&p.bayes, &p.x, first, p.N, p.psi, 2, out), CAUCUS_OK);
        for (size_t n = first; n < p.N; n++)
            assert_near(out[n - first], dense_log(&p, n, p.psi, SIZE_MAX),
                        1e-12 * (1 + fabs(out[n - first])));
        const double prior = dense_prior(&p, p.psi);
        assert_near(cau_bayes_log_prior(&p.bayes, &p.prior, p.psi), prior, 1e-9 * fabs(prior));
        free(out);
        problem_clear(&p);
    }
}

/* ---- sweeps -------------------------------------------------------------------------------- */

static void sweeps_equal_dense_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < RECIPES; i++)
        for (uint64_t seed = 1; seed <= (recipes[i].K > 100 ? 1 : 5); seed++) {
            bayes_problem p;
            problem_make(&p, &recipes[i], seed);
            double *ratio = first_ratios(&p), *want = copy_of(p.psi, p.K);
            double *psi = copy_of(p.psi, p.K);
            for (int sweep = 0; sweep < 3; sweep++) {
                dense_sweep(&p, want);
                size_t done = 0;
                assert_int_equal(
                    cau_bayes_maximise(&p.bayes, &p.xt, p.v, ratio, &p.prior, psi, &done),
                    CAUCUS_OK);
                assert_int_equal(done, 1);
                for (size_t f = 0; f < p.bayes.B; f++) assert_near(psi[f], want[f], 1e-12);
            }
            for (size_t n = 0; n < p.N; n++) { /* the next sweep starts from these */
                const double r = exp(p.logm[n] + dense_log(&p, n, psi, SIZE_MAX));
                assert_near(ratio[n], r, 1e-10 * r + 1e-140);
            }
            free(ratio);
            free(want);
            free(psi);
            problem_clear(&p);
        }
}

/* Several sweeps in one call equal single calls, and the sweeps end by themselves. */
static void sweeps_end_when_nothing_changes(void **state)
{
    (void)state;
    bayes_problem p;
    problem_make(&p, &recipes[2], 11);
    double *ratio = first_ratios(&p), *psi = copy_of(p.psi, p.K), *want = copy_of(p.psi, p.K);
    p.prior.sweeps = 10000;
    size_t done = 0, swept = 0;
    assert_int_equal(cau_bayes_maximise(&p.bayes, &p.xt, p.v, ratio, &p.prior, psi, &done),
                     CAUCUS_OK);
    for (double change = 1; change >= 1e-6; swept++) {
        double *before = copy_of(want, p.K);
        dense_sweep(&p, want);
        change = 0;
        for (size_t f = 0; f < p.bayes.B; f++) change = fmax(change, fabs(want[f] - before[f]));
        free(before);
    }
    assert_int_equal(done, swept);
    assert_true(done > 1 && done < 1000);
    for (size_t f = 0; f < p.bayes.B; f++) {
        assert_near(psi[f], want[f], 1e-11);
        const bayes_coefficients c =
            dense_coefficients(&p, psi, f); /* all at their maxima at once */
        assert_near(bisected_root(c.S, c.D, c.C), psi[f], 1e-5);
    }
    p.prior.sweeps = 0;
    assert_int_equal(cau_bayes_maximise(&p.bayes, &p.xt, p.v, ratio, &p.prior, psi, &done),
                     CAUCUS_OK);
    assert_int_equal(done, 0);
    free(ratio);
    free(psi);
    free(want);
    problem_clear(&p);
}

static void the_bound_never_falls(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        bayes_recipe how = recipes[seed % 11];
        how.weighted = seed % 2;
        how.some = seed % 3 == 0;
        bayes_problem p;
        problem_make(&p, &how, seed);
        double *ratio = first_ratios(&p), *psi = copy_of(p.psi, p.K);
        double Q = dense_bound(&p, psi), first = Q;
        for (int sweep = 0; sweep < 5; sweep++) {
            assert_int_equal(cau_bayes_maximise(&p.bayes, &p.xt, p.v, ratio, &p.prior, psi, NULL),
                             CAUCUS_OK);
            const double now = dense_bound(&p, psi);
            assert_true(now >= Q - 1e-12 * fabs(Q));
            Q = now;
        }
        assert_true(Q > first || p.bayes.B == 0);
        free(ratio);
        free(psi);
        problem_clear(&p);
    }
}

/* The ratio of an instance underflows, and a strong prior makes the instance likely again. The
 * ratio 0 must not let Q fall. */
static void underflowing_ratios_do_not_lower_the_bound(void **state)
{
    (void)state;
    const bayes_recipe how = {
        .N = 2, .K = 80, .density = 1, .low = 1e-9, .high = 1e-9, .a = 9, .b = 9};
    bayes_problem p;
    problem_make(&p, &how, 1);
    p.x.start[1] = 0; /* the first instance has no feature, the second all */
    p.x.start[2] = how.K;
    for (size_t k = 0; k < how.K; k++) {
        p.x.column[k] = (uint32_t)k;
        p.has[k] = false;
    }
    cau_csr_clear(&p.xt);
    assert_int_equal(cau_csr_transpose(1, &p.x, &p.xt), CAUCUS_OK);
    p.v[0] = p.v[1] = 0;
    p.logm[0] = -dense_log(&p, 0, p.psi, SIZE_MAX);
    p.logm[1] = -800 - dense_log(&p, 1, p.psi, SIZE_MAX);
    double ratio[2] = {1, 0}, Q = dense_bound(&p, p.psi);
    for (int sweep = 0; sweep < 3; sweep++) {
        assert_int_equal(cau_bayes_maximise(&p.bayes, &p.xt, p.v, ratio, &p.prior, p.psi, NULL),
                         CAUCUS_OK);
        const double now = dense_bound(&p, p.psi);
        assert_true(now >= Q - 1e-12 * fabs(Q));
        Q = now;
    }
    problem_clear(&p);
}

/* A million features: log Psi starts near -700000. The labels assign each instance to one of two
 * components. */
static void a_million_features(void **state)
{
    (void)state;
    enum { N = 300, EACH = 400 };
    const size_t K = 1000000;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    size_t start[N + 1];
    uint32_t *column = cau_alloc((size_t)N * EACH, sizeof *column);
    double *psi[2] = {cau_alloc(K, sizeof(double)), cau_alloc(K, sizeof(double))};
    assert_true(column && psi[0] && psi[1]);
    for (size_t n = 0; n <= N; n++) start[n] = n * EACH;
    /* even and odd rows share some columns and have others of their own */
    for (size_t n = 0; n < N; n++)
        for (size_t i = 0, k = n % 2; i < EACH; i++) {
            column[start[n] + i] = (uint32_t)k;
            k += 2 + 2 * cau_rng_below(&rng, 4 * i + 1);
            assert_true(k < K);
        }
    cau_csr x = {.rows = N, .columns = K, .start = start, .column = column}, xt;
    assert_int_equal(cau_csr_transpose(1, &x, &xt), CAUCUS_OK);
    cau_bayes bayes;
    bayes_make(&bayes, K, &rng, false);
    for (size_t k = 0; k < K; k++) psi[0][k] = psi[1][k] = .5;

    const cau_bayes_prior prior = {2, 2, 2};
    double logs[2][N], marginal[N], v[N], ratio[N];
    for (int round = 0; round < 4; round++) {
        for (int c = 0; c < 2; c++)
            assert_int_equal(cau_bayes_log(&bayes, &x, 0, N, psi[c], 2, logs[c]), CAUCUS_OK);
        for (size_t n = 0; n < N; n++) {
            if (round == 0) assert_near(logs[0][n], -(double)K * log(2), 1e-6);
            const double most = fmax(logs[0][n], logs[1][n]);
            marginal[n] = most + log(.5 * exp(logs[0][n] - most) + .5 * exp(logs[1][n] - most));
            assert_true(isfinite(marginal[n]));
        }
        for (int c = 0; c < 2; c++) {
            double before = cau_bayes_log_prior(&bayes, &prior, psi[c]);
            for (size_t n = 0; n < N; n++) {
                v[n] = n % 2 == (size_t)c ? .9 : .1;
                ratio[n] = exp(log(.5) + logs[c][n] - marginal[n]);
                before += v[n] * logs[c][n] - ratio[n];
            }
            assert_int_equal(cau_bayes_maximise(&bayes, &xt, v, ratio, &prior, psi[c], NULL),
                             CAUCUS_OK);
            for (size_t k = 0; k < K; k++) assert_true(psi[c][k] > 0 && psi[c][k] < 1);

            double after = cau_bayes_log_prior(&bayes, &prior, psi[c]), now[N];
            assert_int_equal(cau_bayes_log(&bayes, &x, 0, N, psi[c], 1, now), CAUCUS_OK);
            for (size_t n = 0; n < N; n++) {
                const double r = exp(log(.5) + now[n] - marginal[n]);
                assert_near(ratio[n], r, 1e-7 * r + 1e-140);
                after += v[n] * now[n] - r;
            }
            assert_true(after > before);
        }
    }
    free(column);
    free(psi[0]);
    free(psi[1]);
    cau_csr_clear(&xt);
    cau_bayes_clear(&bayes);
}

/* ---- the gradient -------------------------------------------------------------------------- */

/* sum_n e_n log Psi_n + log prior after moving the logit of feature f. */
static double moved(const bayes_problem *p, const double *e, double *psi, size_t f, double by)
{
    const double was = psi[f], logit = log(was / (1 - was)) + by;
    psi[f] = 1 / (1 + exp(-logit));
    double sum = dense_prior(p, psi);
    for (size_t n = 0; n < p->N; n++) sum += e[n] * dense_log(p, n, psi, SIZE_MAX);
    psi[f] = was;
    return sum;
}

static void gradient_of_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        bayes_problem p;
        problem_make(&p, &recipes[i], i);
        cau_rng rng;
        cau_rng_init(&rng, i);
        double e[64], g[64];
        assert_true(p.N <= 64 && p.K <= 64);
        for (size_t n = 0; n < p.N; n++) e[n] = 2 * cau_rng_real(&rng) - 1;
        assert_int_equal(cau_bayes_gradient(&p.bayes, &p.xt, e, &p.prior, p.psi, 2, g), CAUCUS_OK);
        for (size_t f = 0; f < p.bayes.B; f++) {
            const double step = 1e-4;
            const double up = moved(&p, e, p.psi, f, step), down = moved(&p, e, p.psi, f, -step);
            assert_near(g[f], (up - down) / (2 * step), 1e-7 * (1 + fabs(g[f])));
        }
        problem_clear(&p);
    }
}

static void same_bits_at_any_thread_count(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 5};
    const bayes_recipe how = {
        .N = 1500, .K = 1100, .density = .02, .low = .05, .high = .95, .a = 2, .b = 2};
    bayes_problem p;
    problem_make(&p, &how, 3);
    double *out[3], *g[3];
    for (size_t i = 0; i < 3; i++) {
        out[i] = cau_alloc(how.N, sizeof(double));
        g[i] = cau_alloc(how.K, sizeof(double));
        assert_true(out[i] && g[i]);
        assert_int_equal(cau_bayes_log(&p.bayes, &p.x, 0, p.N, p.psi, threads[i], out[i]),
                         CAUCUS_OK);
        assert_int_equal(
            cau_bayes_gradient(&p.bayes, &p.xt, p.v, &p.prior, p.psi, threads[i], g[i]), CAUCUS_OK);
        assert_memory_equal(out[i], out[0], how.N * sizeof(double));
        assert_memory_equal(g[i], g[0], how.K * sizeof(double));
    }
    for (size_t i = 0; i < 3; i++) {
        free(out[i]);
        free(g[i]);
    }
    problem_clear(&p);
}

/* ---- choosing features --------------------------------------------------------------------- */

static double entropy(const double *count, size_t D)
{
    double total = 0, sum = 0;
    for (size_t d = 0; d < D; d++) total += count[d];
    for (size_t d = 0; d < D; d++)
        if (count[d] > 0) sum -= count[d] / total * log(count[d] / total);
    return sum;
}

/* H(d) - sum_v p(v) H(d | v) by counting; -1 for a column that never occurs. */
static double counted_gain(const bayes_problem *p, const size_t *begin, size_t D, size_t k)
{
    double all[4] = {0}, of[2][4] = {{0}}, size[2] = {0};
    for (size_t d = 0; d < D; d++)
        for (size_t n = begin[d]; n < begin[d + 1]; n++) {
            const bool there = p->has[n * p->K + k];
            all[d]++;
            of[there][d]++;
            size[there]++;
        }
    if (size[1] == 0) return -1;
    double gain = entropy(all, D);
    for (int v = 0; v < 2; v++)
        if (size[v] > 0) gain -= size[v] / (double)p->N * entropy(of[v], D);
    return gain;
}

/* A column is selected exactly if fewer than `most` columns are better, or equal with a lower
 * number. */
static void selection_by_counting(void **state)
{
    (void)state;
    static const size_t begins[2][4] = {{0, 11, 40}, {0, 8, 20, 40}};
    static const size_t mosts[] = {0, 1, 2, 7, 15, 27, 28, 29, 1000};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < 2 * 20; i++) {
        const size_t D = 2 + i % 2, *begin = begins[i % 2];
        bayes_recipe how = recipes[i / 2 % 4]; /* 30 columns, two of them empty */
        how.valued = i % 3 == 0;
        bayes_problem p;
        problem_make(&p, &how, i);
        double gain[30];
        for (size_t k = 0; k < p.K; k++) gain[k] = counted_gain(&p, begin, D, k);
        for (size_t m = 0; m < sizeof mosts / sizeof *mosts; m++) {
            const size_t most = mosts[m];
            cau_bayes bayes;
            assert_ok(ctx, cau_bayes_select(ctx, &p.x, begin, D, p.K, most, &bayes));
            assert_int_equal(bayes.K, p.K);
            size_t B = 0;
            for (size_t k = 0; k < p.K; k++) {
                size_t before = 0;
                for (size_t j = 0; j < p.K; j++)
                    before += gain[j] > gain[k] + 1e-11 ||
                              (j < k && gain[j] >= 0 && gain[j] > gain[k] - 1e-11);
                const bool taken = gain[k] >= -1e-11 && (most == 0 || before < most);
                assert_int_equal(bayes.place[k], taken ? B : CAU_BAYES_NONE);
                if (taken) assert_int_equal(bayes.feature[B++], k);
            }
            assert_int_equal(bayes.B, B);
            cau_bayes_clear(&bayes);
            assert_null(bayes.place);
        }
        problem_clear(&p);
    }
    caucus_ctx_free(ctx);
}

/* Ten instances in each of two domains. Column 0 is in all instances, 1 in half of each domain, 2
 * in none, 3 in five of the first domain, 4 in five of the second, 5 in all of the second. */
static cau_csr plain_columns(size_t start[21], uint32_t column[120])
{
    size_t at = 0;
    for (size_t n = 0; n < 20; n++) {
        start[n] = at;
        column[at++] = 0;
        if (n % 2) column[at++] = 1;
        if (n < 5) column[at++] = 3;
        if (n >= 10 && n < 15) column[at++] = 4;
        if (n >= 10) column[at++] = 5;
    }
    start[20] = at;
    return (cau_csr){.rows = 20, .columns = 6, .start = start, .column = column};
}

static void selection_of_plain_columns(void **state)
{
    (void)state;
    static const size_t begin[] = {0, 10, 20};
    static const struct {
        size_t K, most, B;
        uint32_t feature[5];
    } cases[] = {
        {6, 1, 1, {5}},    /* separates the domains */
        {6, 2, 2, {3, 5}}, /* 3 and 4 have equal gains: the lower number wins */
        {6, 3, 3, {3, 4, 5}},
        {6, 4, 4, {0, 3, 4, 5}}, /* 0 and 1 have no gain */
        {6, 5, 5, {0, 1, 3, 4, 5}},
        {6, 6, 5, {0, 1, 3, 4, 5}}, /* 2 never occurs */
        {6, 0, 5, {0, 1, 3, 4, 5}},
        {5, 1, 1, {3}}, /* column 5 is after the first K */
        {3, 0, 2, {0, 1}},
        {0, 0, 0, {0}},
        {0, 7, 0, {0}},
    };
    size_t start[21];
    uint32_t column[120];
    const cau_csr x = plain_columns(start, column);
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_bayes bayes;
        assert_ok(ctx, cau_bayes_select(ctx, &x, begin, 2, cases[i].K, cases[i].most, &bayes));
        assert_int_equal(bayes.B, cases[i].B);
        assert_memory_equal(bayes.feature, cases[i].feature, cases[i].B * sizeof(uint32_t));
        cau_bayes_clear(&bayes);
    }
    caucus_ctx_free(ctx);
}

/* Columns that occur in 0, 2 and 26 of the 30 instances of three domains, in all six orders: their
 * gains are equal, although they are summed in different order. */
static void equal_gains_of_unequal_counts(void **state)
{
    (void)state;
    static const size_t begin[] = {0, 30, 60, 90};
    static const size_t counts[6][3] = {{0, 26, 2}, {26, 0, 2}, {0, 2, 26},
                                        {2, 0, 26}, {2, 26, 0}, {26, 2, 0}};
    size_t start[91], at = 0;
    uint32_t column[540];
    for (size_t n = 0; n < 90; n++) {
        start[n] = at;
        for (uint32_t k = 0; k < 6; k++)
            if (n % 30 < counts[k][n / 30]) column[at++] = k;
    }
    start[90] = at;
    const cau_csr x = {.rows = 90, .columns = 6, .start = start, .column = column};
    caucus_ctx *ctx = test_ctx();
    for (size_t most = 1; most <= 6; most++) {
        cau_bayes bayes;
        assert_ok(ctx, cau_bayes_select(ctx, &x, begin, 3, 6, most, &bayes));
        assert_int_equal(bayes.B, most);
        for (size_t f = 0; f < most; f++) assert_int_equal(bayes.feature[f], f);
        cau_bayes_clear(&bayes);
    }
    caucus_ctx_free(ctx);
}

/* ---- divergence ---------------------------------------------------------------------------- */

static void divergence_by_formula(void **state)
{
    (void)state;
    static const size_t begin[] = {0, 8, 20, 40};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < 4; i++) {
        bayes_recipe how = recipes[i];
        how.valued = i == 3;
        bayes_problem p;
        problem_make(&p, &how, i);
        double p_f[3][30], kl[3][3];
        for (size_t d = 0; d < 3; d++) {
            double total = 0;
            for (size_t k = 0; k < 30; k++) {
                p_f[d][k] = .5;
                for (size_t n = begin[d]; n < begin[d + 1]; n++) p_f[d][k] += p.has[n * 30 + k];
                total += p_f[d][k];
            }
            for (size_t k = 0; k < 30; k++) p_f[d][k] /= total;
        }
        assert_ok(ctx, cau_bayes_divergence(ctx, &p.x, begin, 3, 30, &kl[0][0]));
        for (size_t d = 0; d < 3; d++)
            for (size_t e = 0; e < 3; e++) {
                double want = 0;
                for (size_t k = 0; k < 30; k++) want += p_f[d][k] * log(p_f[d][k] / p_f[e][k]);
                assert_near(kl[d][e], want, 1e-13);
                assert_true(d == e ? kl[d][e] == 0 : kl[d][e] > 0);
            }
        assert_ok(ctx, cau_bayes_divergence(ctx, &p.x, begin, 3, 0, &kl[0][0])); /* no columns */
        for (size_t d = 0; d < 9; d++) assert_true(kl[d / 3][d % 3] == 0);
        problem_clear(&p);
    }
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------------- */

typedef struct {
    bayes_problem p;
    caucus_ctx *ctx;
} bayes_memory_case;

static const size_t halves[] = {0, 20, 40};

static caucus_status select_work(void *self)
{
    bayes_memory_case *a = self;
    cau_bayes bayes = {0};
    const caucus_status st = cau_bayes_select(a->ctx, &a->p.x, halves, 2, a->p.K, 5, &bayes);
    if (st) assert_true(!bayes.feature && !bayes.place); /* unchanged */
    cau_bayes_clear(&bayes);
    return st;
}

static caucus_status divergence_work(void *self)
{
    bayes_memory_case *a = self;
    double kl[4];
    return cau_bayes_divergence(a->ctx, &a->p.x, halves, 2, a->p.K, kl);
}

static caucus_status log_work(void *self)
{
    bayes_memory_case *a = self;
    double out[40];
    return cau_bayes_log(&a->p.bayes, &a->p.x, 0, 40, a->p.psi, 1, out);
}

static caucus_status maximise_work(void *self)
{
    bayes_memory_case *a = self;
    double ratio[40], psi[30];
    for (size_t n = 0; n < 40; n++) ratio[n] = .5;
    memcpy(psi, a->p.psi, sizeof psi);
    const caucus_status st =
        cau_bayes_maximise(&a->p.bayes, &a->p.xt, a->p.v, ratio, &a->p.prior, psi, NULL);
    if (st) { /* nothing has changed */
        assert_memory_equal(psi, a->p.psi, sizeof psi);
        for (size_t n = 0; n < 40; n++) assert_true(ratio[n] == .5);
    }
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    bayes_memory_case a = {.ctx = test_ctx()};
    problem_make(&a.p, &recipes[0], 1);
    assert_int_equal(test_every_allocation(select_work, &a), 4);
    assert_int_equal(test_every_allocation(divergence_work, &a), 3);
    assert_int_equal(test_every_allocation(log_work, &a), 1);
    assert_int_equal(test_every_allocation(maximise_work, &a), 1);
    problem_clear(&a.p);
    caucus_ctx_free(a.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_of_pi),
        cmocka_unit_test(known_values_of_psi),
        cmocka_unit_test(roots_at_any_size),
        cmocka_unit_test(likelihoods_are_products),
        cmocka_unit_test(sweeps_equal_dense_ones),
        cmocka_unit_test(sweeps_end_when_nothing_changes),
        cmocka_unit_test(the_bound_never_falls),
        cmocka_unit_test(underflowing_ratios_do_not_lower_the_bound),
        cmocka_unit_test(a_million_features),
        cmocka_unit_test(gradient_of_differences),
        cmocka_unit_test(same_bits_at_any_thread_count),
        cmocka_unit_test(selection_by_counting),
        cmocka_unit_test(selection_of_plain_columns),
        cmocka_unit_test(equal_gains_of_unequal_counts),
        cmocka_unit_test(divergence_by_formula),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
