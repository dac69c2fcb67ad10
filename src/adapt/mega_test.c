#include "adapt/mega.h"

#include "adapt/mega_sample.h"

/* ---- the oracle of MATH E.10 ----------------------------------------------------------------- */

static const sample_row oracle_rows[] = {
    {0, "y0", "ac", 0}, {0, "y1", "b", 0},  {0, "y1", "ab", 0},  {1, "y0", "c", 0},
    {1, "y0", "a", 0},  {1, "y1", "bc", 0}, {1, "y0", "abc", 0},
};

/* pi, psi and w of the oracle, in the components in, out, general. */
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
} problem;

static caucus_status stop_at_once(void *self, const cau_mega *mega, bool *go_on)
{
    (void)self;
    (void)mega;
    *go_on = false;
    return CAUCUS_OK;
}

/* Domains, and a mega with its tables, whose parameters are to be set. */
static void open_problem(problem *p, caucus_data *data, bool chain, cau_mega_options o)
{
    p->data = data;
    p->o = o;
    assert_ok(p->ctx, cau_domains_init(p->ctx, data, chain, &p->domains));
    assert_ok(p->ctx, cau_mega_fit(p->ctx, &p->domains, &o, stop_at_once, NULL, &p->mega));
    assert_ok(p->ctx, cau_mega_run_init(p->ctx, &p->domains, &p->o, &p->mega, &p->run));
}

static void close_problem(problem *p)
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
    problem p = {.ctx = test_ctx()};
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    o.no_bias = true;
    open_problem(&p, sample_rows(p.ctx, oracle_rows, 7), false, o);
    oracle_parameters(p.data, &p.mega);

    double h[7];
    assert_ok(p.ctx, cau_mega_objective(p.ctx, &p.domains, &p.o, &p.mega, NULL, h));
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
    problem p = {.ctx = test_ctx()};
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    o.no_bias = true;
    open_problem(&p, sample_rows(p.ctx, rows, 2), false, o);
    oracle_parameters(p.data, &p.mega);
    assert_ok(p.ctx, cau_mega_expect(&p.run));
    assert_near(p.run.given[0], .282051282, 1e-6);
    assert_near(exp(p.run.sums[0].logp), .693723191, 1e-6);
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_oracle_prediction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
