/* pool_test.c - pools against their definitions over all paths of small chains. */

#include "support/paths.h"

static cau_pool_work *new_work(size_t Y, size_t J)
{
    caucus_ctx *ctx = test_ctx();
    cau_pool_work *work = NULL;
    assert_ok(ctx, cau_pool_work_new(ctx, Y, J, &work));
    caucus_ctx_free(ctx);
    return work;
}

/* ---- comparisons ------------------------------------------------------------------------ */

/* Compares logarithms of probabilities as closely as rounding of numbers and scores of this size
 * allows. */
static void check_logp(double got, long double want, double size)
{
    if (want == IMPOSSIBLE || got == -INFINITY)
        assert_true(want == IMPOSSIBLE && got == -INFINITY);
    else
        assert_near(got, (double)want, 1e-12 * (1 + size + fabs(got)));
}

static cau_pool pool_of(const trial *c, cau_combine combine, cau_per per, cau_mix mix)
{
    return (cau_pool){.J = c->J,
                      .combine = combine,
                      .per = per,
                      .mix = mix,
                      .alpha = c->alpha,
                      .mixing = c->gated ? c->mixing : NULL};
}

/* The lattice gives paths these probabilities, their marginals, and their best path. */
static void check_paths(cau_chain_work *chain, const trial *c, const cau_lattice *got,
                        const long double *want, double size)
{
    long double most = IMPOSSIBLE;
    for (size_t k = 0; k < c->paths; k++) {
        check_logp(cau_chain_score(got, c->path[k]), want[k], size);
        if (want[k] > most) most = want[k];
    }
    double logz, node[TRIAL_T * TRIAL_Y], edge[TRIAL_T * TRIAL_Y * TRIAL_Y], score;
    const long double total = log_total(c->paths, want);
    assert_int_equal(cau_chain_sum(chain, got, &logz, node, edge), CAUCUS_OK);
    check_logp(logz, total, size);
    for (size_t t = 0; t < c->T; t++)
        for (size_t y = 0; y < c->Y; y++)
            assert_near(node[t * c->Y + y], (double)expl(label_logp(c, want, t, y) - total),
                        1e-12 * (1 + size));
    uint32_t best[TRIAL_T];
    assert_int_equal(cau_chain_best(chain, got, best, &score), CAUCUS_OK);
    check_logp(score, most, size);
    check_logp((double)want[path_number(c, best)], most, size);
}

/* Also checks the transition rows; with `all`, of labels that no path reaches too. */
static void check_rows(const trial *c, const cau_lattice *got, const conditionals *want, bool all,
                       double size)
{
    assert_true(got->T == c->T && got->Y == c->Y && got->per_position);
    for (size_t t = 0; t < c->T; t++)
        for (size_t i = 0; i < (t ? c->Y : 1); i++) {
            if (!all && log_total(c->Y, want->row[t][i]) == IMPOSSIBLE) continue;
            for (size_t y = 0; y < c->Y; y++) {
                const double cell = t ? got->edge[(t * c->Y + i) * c->Y + y] : got->node[y];
                check_logp(cell, want->row[t][i][y], size);
                if (t) assert_true(got->node[t * c->Y + y] == 0);
            }
        }
}

static void check_transition(cau_pool_work *work, cau_chain_work *chain, const trial *c,
                             cau_combine combine, double size)
{
    const cau_pool pool = pool_of(c, combine, CAU_PER_TRANSITION, CAU_MIX_CHAIN);
    const conditionals rows = by_transition(c, combine);
    long double want[TRIAL_PATHS];
    cau_lattice got;
    chain_logp(c, &rows, want);
    const bool any = all_possible(c) && log_total(c->paths, want) > IMPOSSIBLE;
    assert_int_equal(cau_pool_lattice(work, &pool, c->x, &got),
                     any ? CAUCUS_OK : CAUCUS_ERR_NUMERIC);
    if (!any) return;
    check_rows(c, &got, &rows, true, size);
    check_paths(chain, c, &got, want, size);
}

static void check_mixture_lattices(cau_pool_work *work, cau_chain_work *chain, const trial *c,
                                   double size)
{
    long double mixture[TRIAL_PATHS], want[TRIAL_PATHS];
    by_sequence(c, CAU_COMBINE_MIXTURE, mixture);
    const conditionals rows = chain_of(c, mixture);
    chain_logp(c, &rows, want);
    const bool any = all_possible(c);
    const caucus_status st = any ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;

    /* chain, which rescore and exact have for their marginals too */
    static const cau_mix chains[] = {CAU_MIX_CHAIN, CAU_MIX_RESCORE, CAU_MIX_EXACT};
    cau_lattice got;
    for (size_t m = 0; m < 3; m++) {
        cau_pool pool = pool_of(c, CAU_COMBINE_MIXTURE, CAU_PER_SEQUENCE, chains[m]);
        assert_int_equal(cau_pool_lattice(work, &pool, c->x, &got), st);
        if (!any) continue;
        check_rows(c, &got, &rows, false, size);
        check_paths(chain, c, &got, want, size);
    }

    /* posterior: each label's marginal in the mixture */
    cau_pool pool = pool_of(c, CAU_COMBINE_MIXTURE, CAU_PER_SEQUENCE, CAU_MIX_POSTERIOR);
    assert_int_equal(cau_pool_lattice(work, &pool, c->x, &got), st);
    if (!any) return;
    uint32_t best[TRIAL_T];
    assert_int_equal(cau_chain_best(chain, &got, best, NULL), CAUCUS_OK);
    assert_false(got.per_position);
    for (size_t i = 0; i < c->Y * c->Y; i++) assert_true(got.edge[i] == 0);
    for (size_t t = 0; t < c->T; t++)
        for (size_t y = 0; y < c->Y; y++) {
            const long double logp = label_logp(c, mixture, t, y);
            check_logp(got.node[t * c->Y + y], logp, size);
            assert_true(label_logp(c, mixture, t, best[t]) >= logp - 1e-12L * (1 + size));
        }
}

/* The product per sequence equals the chain of summed scores, so one table is enough. */
static void check_collapsed(cau_chain_work *chain, const trial *c, double size)
{
    const size_t T = c->T, Y = c->Y;
    double node[TRIAL_T * TRIAL_Y] = {0}, edge[TRIAL_T * TRIAL_Y * TRIAL_Y] = {0};
    for (size_t j = 0; j < c->J; j++) {
        const cau_lattice *x = &c->x[j];
        for (size_t i = 0; c->alpha[j] > 0 && i < T * Y; i++) node[i] += c->alpha[j] * x->node[i];
        for (size_t i = 0; c->alpha[j] > 0 && i < T * Y * Y; i++)
            edge[i] += c->alpha[j] * x->edge[x->per_position ? i : i % (Y * Y)];
    }
    const cau_pool pool = pool_of(c, CAU_COMBINE_PRODUCT, CAU_PER_SEQUENCE, CAU_MIX_CHAIN);
    assert_true(cau_pool_collapses(&pool));
    long double want[TRIAL_PATHS];
    by_sequence(c, CAU_COMBINE_PRODUCT, want);
    const cau_lattice sum = {.T = T, .Y = Y, .node = node, .edge = edge, .per_position = true};
    double logz, p[TRIAL_T * TRIAL_Y], pair[TRIAL_T * TRIAL_Y * TRIAL_Y];
    const bool any = log_total(c->paths, want) > IMPOSSIBLE;
    assert_int_equal(cau_chain_sum(chain, &sum, &logz, p, pair),
                     any ? CAUCUS_OK : CAUCUS_ERR_NUMERIC);
    for (size_t t = 0; any && t < T; t++)
        for (size_t y = 0; y < Y; y++)
            assert_near(p[t * Y + y], (double)expl(label_logp(c, want, t, y)), 1e-12 * (1 + size));
    for (size_t k = 0; any && k < c->paths; k++)
        check_logp(cau_chain_score(&sum, c->path[k]) - logz, want[k], size);
}

/* N-best lists: each path of the union once, in order. */
static void check_rescore(cau_pool_work *work, cau_chain_work *chain, const trial *c, size_t n,
                          double size)
{
    const cau_pool pool = pool_of(c, CAU_COMBINE_MIXTURE, CAU_PER_SEQUENCE, CAU_MIX_RESCORE);
    uint32_t paths[(TRIAL_PATHS + 1) * TRIAL_T];
    double logp[TRIAL_PATHS + 1], scores[TRIAL_PATHS + 1];
    size_t count = 0, wanted = 0, most = TRIAL_PATHS + 1;
    if (!all_possible(c)) {
        assert_int_equal(cau_pool_rescore(work, &pool, c->x, n, most, paths, logp, &count),
                         CAUCUS_ERR_NUMERIC);
        return;
    }
    bool want[TRIAL_PATHS] = {false};
    for (size_t j = 0; j < c->J; j++) {
        if (c->alpha[j] == 0) continue;
        assert_int_equal(cau_chain_nbest(chain, &c->x[j], n, paths, scores, &count), CAUCUS_OK);
        for (size_t i = 0; i < count; i++) want[path_number(c, paths + i * c->T)] = true;
    }
    long double mixture[TRIAL_PATHS];
    by_sequence(c, CAU_COMBINE_MIXTURE, mixture);
    for (size_t k = 0; k < c->paths; k++) {
        wanted += want[k];
        if (n >= c->paths) assert_true(want[k] == (mixture[k] > IMPOSSIBLE));
    }

    assert_int_equal(cau_pool_rescore(work, &pool, c->x, n, most, paths, logp, &count), CAUCUS_OK);
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < count; i++) {
        const size_t k = path_number(c, paths + i * c->T);
        assert_true(want[k]);
        want[k] = false;
        check_logp(logp[i], mixture[k], size);
        if (i == 0) continue;
        assert_true(logp[i] <= logp[i - 1]);
        if (logp[i] == logp[i - 1]) assert_true(path_number(c, paths + (i - 1) * c->T) < k);
    }

    uint32_t best[TRIAL_T];
    double top;
    assert_int_equal(cau_pool_rescore(work, &pool, c->x, n, 1, best, &top, &count), CAUCUS_OK);
    assert_int_equal(count, wanted > 0);
    if (count) assert_memory_equal(best, paths, c->T * sizeof *best);
}

/* The mixture of the paths that end in one of the first `labels` labels, in the order of their
 * probability: all of them, and the best alone. */
static void check_exact(cau_pool_work *work, const trial *c, size_t labels, double size)
{
    const size_t T = c->T, Y = c->Y;
    const cau_pool pool = pool_of(c, CAU_COMBINE_MIXTURE, CAU_PER_SEQUENCE, CAU_MIX_EXACT);
    uint32_t paths[(TRIAL_PATHS + 1) * TRIAL_T], best[TRIAL_T];
    double logp[TRIAL_PATHS + 1], top, node[TRIAL_J][TRIAL_T * TRIAL_Y];
    cau_lattice allowed[TRIAL_J];
    long double mixture[TRIAL_PATHS];
    size_t wanted = 0;
    by_sequence(c, CAU_COMBINE_MIXTURE, mixture);
    for (size_t j = 0; j < c->J; j++) {
        allowed[j] = c->x[j];
        allowed[j].node = node[j];
        memcpy(node[j], c->x[j].node, T * Y * sizeof **node);
        for (size_t y = labels; y < Y; y++) node[j][(T - 1) * Y + y] = -INFINITY;
    }
    for (size_t k = 0; k < c->paths; k++) {
        if (c->path[k][T - 1] >= labels) mixture[k] = IMPOSSIBLE;
        wanted += mixture[k] > IMPOSSIBLE;
    }
    const long double total = log_total(c->paths, mixture);
    cau_pool_search all = {.most = TRIAL_PATHS + 1, .limit = 8, .paths = paths, .logp = logp};
    cau_pool_search one = {.most = 1, .limit = 2 * TRIAL_PATHS, .paths = best, .logp = &top};
    const cau_lattice *within = labels < Y ? allowed : NULL;
    const bool any = all_possible(c) && wanted > 0;
    const caucus_status st = any ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
    assert_int_equal(cau_pool_exact(work, &pool, c->x, within, &all), st);
    assert_int_equal(cau_pool_exact(work, &pool, c->x, within, &one), st);
    if (!any) return;
    assert_true(all.certified && one.certified);
    assert_int_equal(all.count, wanted);
    assert_int_equal(one.count, 1);
    check_logp(all.log_allowed, labels < Y ? total : 0, size);
    for (size_t i = 0; i < all.count; i++) {
        const size_t k = path_number(c, paths + i * T);
        check_logp(logp[i], mixture[k], size);
        assert_true(mixture[k] > IMPOSSIBLE && (i == 0 || logp[i] <= logp[i - 1]));
        mixture[k] = IMPOSSIBLE; /* each only once */
    }
    check_logp(top, logp[0], size);
}

/* Each member's probability of a path, from which the weights are chosen. */
static void check_by(cau_pool_work *work, const trial *c, const uint32_t *gold, double size)
{
    double sequence[TRIAL_J], transition[TRIAL_T * TRIAL_J];
    bool any = true;
    for (size_t j = 0; j < c->J; j++) any &= c->possible[j];
    const caucus_status st = any ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
    assert_int_equal(cau_pool_by_sequence(work, c->J, c->x, gold, sequence), st);
    assert_int_equal(cau_pool_by_transition(work, c->J, c->x, gold, transition), st);
    for (size_t j = 0; any && j < c->J; j++) {
        check_logp(sequence[j], c->logp[j][path_number(c, gold)], size);
        for (size_t t = 0; t < c->T; t++)
            check_logp(transition[t * c->J + j], c->after[j].row[t][t ? gold[t - 1] : 0][gold[t]],
                       size);
    }
}

static void check_everything(cau_pool_work *work, cau_chain_work *chain, const trial *c,
                             cau_rng *rng, double size)
{
    check_transition(work, chain, c, CAU_COMBINE_PRODUCT, size);
    check_transition(work, chain, c, CAU_COMBINE_MIXTURE, size);
    check_mixture_lattices(work, chain, c, size);
    check_collapsed(chain, c, size);
    check_rescore(work, chain, c, TRIAL_PATHS, size);
    check_rescore(work, chain, c, (size_t)cau_rng_below(rng, 5), size);
    check_exact(work, c, c->Y, size);
    check_exact(work, c, (size_t)cau_rng_below(rng, c->Y), size);
    check_by(work, c, c->path[cau_rng_below(rng, c->paths)], size);
}

static void check_random(uint64_t seed, double size, size_t rounds)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t Y = 1; Y <= TRIAL_Y; Y++) {
        cau_pool_work *work = new_work(Y, TRIAL_J);
        cau_chain_work *chain = new_chain_work(Y);
        for (size_t J = 1; J <= TRIAL_J; J++)
            for (size_t T = 1; T <= TRIAL_T; T++)
                for (size_t round = 0; round < rounds; round++) {
                    static const double impossible[] = {0, .15, .4};
                    trial c = random_trial(&rng, J, T, Y, size, impossible[round % 3]);
                    check_everything(work, chain, &c, &rng, size);
                    trial_clear(&c);
                }
        cau_pool_work_free(work);
        cau_chain_work_free(chain);
    }
}

/* ---- the tests -------------------------------------------------------------------------- */

static void test_enumeration(void **state)
{
    (void)state;
    check_random(1, 3, 24);
}

/* Integer scores give ties. */
static void test_ties(void **state)
{
    (void)state;
    check_random(2, 0, 12);
}

/* Labels whose predecessors have probability e^-10000 have ordinary rows. */
static void test_large_scores(void **state)
{
    (void)state;
    check_random(3, 300, 6);
    check_random(4, 1e4, 12);
}

/* Weights by position, with zeros among them; sometimes all weights are 0, or only members without
 * a continuation have weight. */
static void test_gates(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 9);
    size_t none = 0, all = 0;
    for (size_t Y = 1; Y <= TRIAL_Y; Y++) {
        cau_pool_work *work = new_work(Y, TRIAL_J);
        cau_chain_work *chain = new_chain_work(Y);
        for (size_t round = 0; round < 600; round++) {
            static const double impossible[] = {0, .15, .4};
            const double size = round % 2 ? 3 : 300;
            trial c = random_trial(&rng, 1 + round % TRIAL_J, 1 + round / TRIAL_J % TRIAL_T, Y,
                                   size, impossible[cau_rng_below(&rng, 3)]);
            gate_trial(&rng, &c);
            check_transition(work, chain, &c, CAU_COMBINE_MIXTURE, size);

            const cau_pool pool =
                pool_of(&c, CAU_COMBINE_MIXTURE, CAU_PER_TRANSITION, CAU_MIX_CHAIN);
            cau_lattice got;
            const caucus_status st = cau_pool_lattice(work, &pool, c.x, &got);
            all++, none += st == CAUCUS_ERR_NUMERIC;
            trial_clear(&c);
        }
        cau_pool_work_free(work);
        cau_chain_work_free(chain);
    }
    assert_true(none > all / 4 && none < all * 3 / 4); /* both outcomes occur */
}

/* Gates equal to the alphas at every position, in any scale, change nothing. */
static void test_gate_of_alphas(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 10);
    cau_pool_work *one = new_work(3, 3), *other = new_work(3, 3);
    for (size_t round = 0; round < 60; round++) {
        trial c = random_trial(&rng, 3, 4, 3, 3, 0);
        cau_pool pool = pool_of(&c, CAU_COMBINE_MIXTURE, CAU_PER_TRANSITION, CAU_MIX_CHAIN);
        for (size_t i = 0; i < c.T * c.J; i++)
            c.mixing[i] = c.alpha[i % c.J] * (1 + (double)(i / c.J));
        cau_lattice want, got;
        assert_int_equal(cau_pool_lattice(one, &pool, c.x, &want), CAUCUS_OK);
        pool.mixing = c.mixing;
        assert_int_equal(cau_pool_lattice(other, &pool, c.x, &got), CAUCUS_OK);
        for (size_t y = 0; y < c.Y; y++) check_logp(got.node[y], want.node[y], 3);
        for (size_t i = c.Y * c.Y; i < c.T * c.Y * c.Y; i++)
            check_logp(got.edge[i], want.edge[i], 3);
        trial_clear(&c);
    }
    cau_pool_work_free(one);
    cau_pool_work_free(other);
}

/* One member can begin and the other can continue; and invalid weights. */
static void test_gate_numeric(void **state)
{
    (void)state;
    static const double flat[] = {0, 0, 0, 0}, half[] = {.5, .5};
    const double to_0[] = {0, -INFINITY, 0, 0}, to_1[] = {-INFINITY, 0, 0, 0};
    const double from_0[] = {0, 0, -INFINITY, -INFINITY};
    const cau_lattice x[] = {{.T = 2, .Y = 2, .node = to_1, .edge = flat},
                             {.T = 2, .Y = 2, .node = to_0, .edge = from_0}};
    cau_pool pool = {
        .J = 2, .combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_TRANSITION, .alpha = half};
    cau_pool_work *work = new_work(2, 2);
    cau_lattice got;
    pool.mixing = (const double[]){1, 0, 0, 1}; /* starts with label 1, which has no continuation */
    assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_ERR_NUMERIC);
    pool.mixing = (const double[]){0, 1, 1, 0};
    assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_OK);
    assert_near(got.node[0], 0, 1e-15);
    assert_true(got.node[1] == -INFINITY);
    assert_near(got.edge[4], log(.5), 1e-15);
    /* after label 1, only the first member continues */
    pool.mixing = (const double[]){1, 0, .25, .75};
    assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_OK);
    assert_near(got.edge[6], log(.5), 1e-15);
    const double bad[] = {NAN, INFINITY, -1e-300, -INFINITY};
    for (size_t b = 0; b < 4; b++)
        for (size_t i = 0; i < 4; i++) {
            double mixing[] = {.5, .5, .5, .5};
            mixing[i] = bad[b];
            pool.mixing = mixing;
            assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_ERR_NUMERIC);
        }
    cau_pool_work_free(work);
    pool = (cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .alpha = half};
    assert_false(cau_pool_collapses(&pool));
}

/* Two equal members act as one: the n-best list is its own, ties included. */
static void test_equal_members(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    static const double half[] = {.5, .5};
    const cau_pool pool = {
        .J = 2, .combine = CAU_COMBINE_MIXTURE, .mix = CAU_MIX_RESCORE, .alpha = half};
    enum { N = 40 };
    cau_pool_work *work = new_work(3, 2);
    cau_chain_work *chain = new_chain_work(3);
    for (size_t round = 0; round < 20; round++) {
        cau_lattice x = random_lattice(&rng, 4, 3, round % 2, 0, 0);
        const cau_lattice twice[] = {x, x};
        uint32_t want[N * 4], got[N * 4];
        double scores[N], logp[N], logz;
        size_t count;
        assert_int_equal(cau_chain_sum(chain, &x, &logz, NULL, NULL), CAUCUS_OK);
        assert_int_equal(cau_chain_nbest(chain, &x, N, want, scores, &count), CAUCUS_OK);
        assert_int_equal(cau_pool_rescore(work, &pool, twice, N, N, got, logp, &count), CAUCUS_OK);
        assert_int_equal(count, N);
        for (size_t i = 0; i < N; i++) assert_near(logp[i], scores[i] - logz, 1e-13);
        assert_memory_equal(got, want, sizeof want);
        lattice_clear(&x);
    }
    cau_pool_work_free(work);
    cau_chain_work_free(chain);
}

/* Too many labels and positions to enumerate: compares with the sums of each member. The chain of a
 * mixture has its pair marginals, `posterior` its marginals, and rows are pair marginals over label
 * marginals. */
static void test_many_labels(void **state)
{
    (void)state;
    enum { T = 40, Y = 11, J = 3 };
    static const double alpha[] = {.2, .5, .3};
    static double node[J][T][Y], edge[J][T][Y][Y], p[T][Y], pair[T][Y][Y];
    cau_rng rng;
    cau_rng_init(&rng, 6);
    cau_pool_work *work = new_work(Y, J);
    cau_chain_work *chain = new_chain_work(Y);
    cau_lattice x[J], got;
    double logz;
    for (size_t j = 0; j < J; j++) {
        x[j] = random_lattice(&rng, T, Y, j == 1, 2, 0);
        assert_int_equal(cau_chain_sum(chain, &x[j], &logz, node[j][0], edge[j][0][0]), CAUCUS_OK);
    }

    cau_pool pool = {.J = J, .combine = CAU_COMBINE_MIXTURE, .alpha = alpha};
    assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_OK);
    assert_int_equal(cau_chain_sum(chain, &got, &logz, p[0], pair[0][0]), CAUCUS_OK);
    assert_near(logz, 0, 1e-12);
    for (size_t t = 0; t < T; t++)
        for (size_t y = 0; y < Y; y++) {
            double want = 0;
            for (size_t j = 0; j < J; j++) want += alpha[j] * node[j][t][y];
            assert_near(p[t][y], want, 1e-13);
            for (size_t i = 0; t > 0 && i < Y; i++) {
                double both = 0;
                for (size_t j = 0; j < J; j++) both += alpha[j] * edge[j][t][i][y];
                assert_near(pair[t][i][y], both, 1e-13);
            }
        }

    pool.mix = CAU_MIX_POSTERIOR;
    assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_OK);
    for (size_t t = 0; t < T; t++)
        for (size_t y = 0; y < Y; y++) assert_near(exp(got.node[t * Y + y]), p[t][y], 1e-13);

    pool.per = CAU_PER_TRANSITION;
    for (int combine = 0; combine < 2; combine++) {
        pool.combine = (cau_combine)combine;
        assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_OK);
        for (size_t t = 1; t < T; t++)
            for (size_t i = 0; i < Y; i++) {
                double want[Y] = {0}, sum = 0;
                for (size_t y = 0; y < Y; y++) {
                    if (combine == CAU_COMBINE_PRODUCT) want[y] = 1;
                    for (size_t j = 0; j < J; j++) {
                        const double q = edge[j][t][i][y] / node[j][t - 1][i];
                        if (combine == CAU_COMBINE_PRODUCT)
                            want[y] *= pow(q, alpha[j]);
                        else
                            want[y] += alpha[j] * q;
                    }
                    sum += want[y];
                }
                for (size_t y = 0; y < Y; y++)
                    assert_near(exp(got.edge[(t * Y + i) * Y + y]), want[y] / sum, 1e-12);
            }
    }
    for (size_t j = 0; j < J; j++) lattice_clear(&x[j]);
    cau_pool_work_free(work);
    cau_chain_work_free(chain);
}

/* A mixture of chains is not a chain: the chain with its pair marginals is always another
 * distribution, and sometimes has another best path. */
static void test_chain_is_not_the_mixture(void **state)
{
    (void)state;
    enum { CASES = 300 };
    cau_rng rng;
    cau_rng_init(&rng, 7);
    cau_pool_work *work = new_work(2, 2);
    cau_chain_work *chain = new_chain_work(2);
    size_t equal = 0, other_best = 0;
    for (size_t round = 0; round < CASES; round++) {
        trial c = {.J = 2, .T = 4, .Y = 2, .alpha = {.5, .5}};
        for (size_t j = 0; j < 2; j++) c.x[j] = random_lattice(&rng, 4, 2, false, 3, 0);
        complete_trial(&c);
        long double mixture[TRIAL_PATHS], off = 0;
        by_sequence(&c, CAU_COMBINE_MIXTURE, mixture);
        const cau_pool pool = pool_of(&c, CAU_COMBINE_MIXTURE, CAU_PER_SEQUENCE, CAU_MIX_CHAIN);
        cau_lattice got;
        assert_int_equal(cau_pool_lattice(work, &pool, c.x, &got), CAUCUS_OK);
        size_t top = 0;
        for (size_t k = 0; k < c.paths; k++) {
            off = fmaxl(off, fabsl(expl(mixture[k]) - expl(cau_chain_score(&got, c.path[k]))));
            if (mixture[k] > mixture[top]) top = k;
        }
        uint32_t best[4], exact[4];
        double logp;
        size_t count;
        assert_int_equal(cau_chain_best(chain, &got, best, NULL), CAUCUS_OK);
        equal += off < 1e-9L;
        other_best += path_number(&c, best) != top;
        /* rescoring all paths is exact */
        assert_int_equal(cau_pool_rescore(work, &pool, c.x, 16, 1, exact, &logp, &count),
                         CAUCUS_OK);
        assert_int_equal(path_number(&c, exact), top);
        trial_clear(&c);
    }
    assert_int_equal(equal, 0);
    assert_true(other_best > 10 && other_best < CASES / 2);
    cau_pool_work_free(work);
    cau_chain_work_free(chain);
}

/* A certificate is given only for the best path, and is given once the lists are long enough: two
 * members of 12 positions that disagree everywhere, more or less strongly. */
static void test_certificates(void **state)
{
    (void)state;
    enum { LONG = 12, PATHS = 1 << LONG, CASES = 64 };
    static const double half[] = {.5, .5}, edge[] = {0, 0, 0, 0};
    const cau_pool pool = {
        .J = 2, .combine = CAU_COMBINE_MIXTURE, .mix = CAU_MIX_EXACT, .alpha = half};
    cau_pool_work *work = new_work(2, 2);
    size_t certified[4] = {0}, wrong = 0;
    cau_rng rng;
    cau_rng_init(&rng, 23);
    for (size_t round = 0; round < CASES; round++) {
        const double size = .25 * (double)(1 + round % 8);
        double node[2][LONG * 2] = {{0}}, logz[2] = {0}, most = -INFINITY;
        cau_lattice x[2];
        for (size_t j = 0; j < 2; j++) {
            for (size_t t = 0; t < LONG; t++) {
                node[j][2 * t] = size * cau_rng_real(&rng) * (j ? 1 : -1);
                logz[j] += log(1 + exp(node[j][2 * t]));
            }
            x[j] = (cau_lattice){.T = LONG, .Y = 2, .node = node[j], .edge = edge};
        }
        for (uint32_t k = 0; k < PATHS; k++) {
            double p = 0;
            for (size_t j = 0; j < 2; j++) {
                double score = -logz[j];
                for (size_t t = 0; t < LONG; t++) score += k >> t & 1 ? 0 : node[j][2 * t];
                p += .5 * exp(score);
            }
            most = fmax(most, log(p));
        }
        static const size_t limits[] = {8, 64, 512, 2 * PATHS};
        for (size_t l = 0; l < 4; l++) {
            uint32_t path[LONG];
            double logp;
            cau_pool_search s = {.most = 1, .limit = limits[l], .paths = path, .logp = &logp};
            assert_int_equal(cau_pool_exact(work, &pool, x, NULL, &s), CAUCUS_OK);
            certified[l] += s.certified;
            if (s.certified) assert_near(logp, most, 1e-9);
            wrong += logp < most - 1e-9;
        }
    }
    assert_true(certified[0] < certified[1] && certified[1] < certified[2]);
    assert_int_equal(certified[3], CASES);
    assert_true(wrong < CASES);
    cau_pool_work_free(work);
}

/* Scores that are not finite, and members that have no path in common. */
static void test_numeric(void **state)
{
    (void)state;
    static const double half[] = {.5, .5}, none[] = {0, 0}, negative[] = {1.5, -.5};
    static const double flat[] = {0, 0, 0, 0}, zero[] = {0, 0, 0, 0};
    const double left[] = {0, -INFINITY, 0, 0}, right[] = {-INFINITY, 0, 0, 0};
    const double not [] = {0, 0, NAN, 0}, high[] = {0, 0, 0, INFINITY};
    const double *const bad[] = {not, high};
    cau_pool_work *work = new_work(2, 2);
    cau_lattice got;
    uint32_t path[4] = {0};
    double logp[4];
    size_t count;
    for (int per = 0; per < 2; per++)
        for (int combine = 0; combine < 2; combine++) {
            cau_pool pool = {.J = 2, .combine = (cau_combine)combine, .per = (cau_per)per};
            if (cau_pool_collapses(&pool)) continue;
            for (size_t b = 0; b < 2; b++) {
                cau_lattice x[] = {{.T = 2, .Y = 2, .node = flat, .edge = zero},
                                   {.T = 2, .Y = 2, .node = bad[b], .edge = zero}};
                pool.alpha = half;
                assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_ERR_NUMERIC);
                assert_int_equal(cau_pool_by_sequence(work, 2, x, path, logp), CAUCUS_ERR_NUMERIC);
                assert_int_equal(cau_pool_by_transition(work, 2, x, path, logp),
                                 CAUCUS_ERR_NUMERIC);
                x[1].node = flat, x[1].edge = bad[b];
                assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_ERR_NUMERIC);
                pool.alpha = none;
                assert_int_equal(cau_pool_lattice(work, &pool, x, &got), CAUCUS_ERR_NUMERIC);
            }
            /* one member requires label 0 first, the other label 1 */
            const cau_lattice apart[] = {{.T = 2, .Y = 2, .node = left, .edge = zero},
                                         {.T = 2, .Y = 2, .node = right, .edge = zero}};
            pool.alpha = half;
            assert_int_equal(cau_pool_lattice(work, &pool, apart, &got),
                             combine == CAU_COMBINE_PRODUCT ? CAUCUS_ERR_NUMERIC : CAUCUS_OK);
            if (combine == CAU_COMBINE_MIXTURE) {
                assert_near(got.node[0], log(.5), 1e-15);
                assert_near(got.node[1], log(.5), 1e-15);
                continue;
            }
            /* a path that one member excludes stays excluded, even if its weight is tiny */
            const cau_lattice one[] = {{.T = 2, .Y = 2, .node = flat, .edge = zero},
                                       {.T = 2, .Y = 2, .node = left, .edge = zero}};
            pool.alpha = negative;
            assert_int_equal(cau_pool_lattice(work, &pool, one, &got), CAUCUS_OK);
            assert_near(got.node[0], 0, 1e-15);
            assert_true(got.node[1] == -INFINITY);
        }
    const cau_lattice silent[] = {{.T = 2, .Y = 2, .node = flat, .edge = zero},
                                  {.T = 2, .Y = 2, .node = flat, .edge = zero}};
    const cau_pool pool = {.J = 2, .combine = CAU_COMBINE_MIXTURE, .alpha = none};
    assert_int_equal(cau_pool_rescore(work, &pool, silent, 2, 2, path, logp, &count),
                     CAUCUS_ERR_NUMERIC);
    cau_pool_work_free(work);
}

typedef struct {
    caucus_ctx *ctx;
    trial c;
} pool_vote;

static caucus_status vote_by_sequence(void *self)
{
    const pool_vote *all = self;
    const trial *c = &all->c;
    cau_pool_work *work = NULL;
    cau_lattice got;
    uint32_t paths[8 * TRIAL_T];
    double logp[8], each[TRIAL_T * TRIAL_J];
    size_t count;
    caucus_status st = cau_pool_work_new(all->ctx, c->Y, c->J, &work);
    for (int combine = 0; combine < 2; combine++)
        for (int per = 0; per < 2; per++)
            for (int m = 0; m < 4; m++) {
                const cau_pool pool = pool_of(c, (cau_combine)combine, (cau_per)per, (cau_mix)m);
                if (!st && !cau_pool_collapses(&pool))
                    st = cau_pool_lattice(work, &pool, c->x, &got);
            }
    const cau_pool pool = pool_of(c, CAU_COMBINE_MIXTURE, CAU_PER_SEQUENCE, CAU_MIX_RESCORE);
    if (!st) st = cau_pool_rescore(work, &pool, c->x, 4, 8, paths, logp, &count);
    cau_pool_search search = {.most = 8, .limit = CAU_EXACT, .paths = paths, .logp = logp};
    if (!st) st = cau_pool_exact(work, &pool, c->x, c->x, &search);
    if (!st) st = cau_pool_by_sequence(work, c->J, c->x, c->path[0], each);
    if (!st) st = cau_pool_by_transition(work, c->J, c->x, c->path[0], each);
    cau_pool_work_free(work);
    return st;
}

static caucus_status vote_by_transition(void *self)
{
    const pool_vote *all = self;
    cau_pool_work *work = NULL;
    double each[TRIAL_T * TRIAL_J];
    caucus_status st = cau_pool_work_new(all->ctx, all->c.Y, all->c.J, &work);
    if (!st) st = cau_pool_by_transition(work, all->c.J, all->c.x, all->c.path[0], each);
    cau_pool_work_free(work);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    static pool_vote all;
    cau_rng rng;
    cau_rng_init(&rng, 8);
    all.ctx = test_ctx();
    all.c = random_trial(&rng, 3, 4, 3, 2, 0);
    while (!all_possible(&all.c) || all.c.alpha[0] == 0) {
        trial_clear(&all.c);
        all.c = random_trial(&rng, 3, 4, 3, 2, 0);
    }
    assert_true(test_every_allocation(vote_by_sequence, &all) > 15);
    assert_true(test_every_allocation(vote_by_transition, &all) > 5);
    cau_pool_work *work = NULL;
    assert_int_equal(cau_pool_work_new(all.ctx, 3, SIZE_MAX / 4, &work), CAUCUS_ERR_MEMORY);
    assert_null(work);
    cau_pool_work_free(NULL);
    trial_clear(&all.c);
    caucus_ctx_free(all.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_certificates),
        cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_equal_members),
        cmocka_unit_test(test_many_labels),
        cmocka_unit_test(test_chain_is_not_the_mixture),
        cmocka_unit_test(test_numeric),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_gates),
        cmocka_unit_test(test_gate_of_alphas),
        cmocka_unit_test(test_gate_numeric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
