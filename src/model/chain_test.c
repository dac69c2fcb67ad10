/* chain_test.c - best paths and sums of chains against enumeration, against each other, and with
 * extreme scores. */

#include "model/chain_work.h"
#include "support/paths.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};
enum { ISAS = 3 };

/* Reference example with Y = 3, T = 4. */
static const double oracle_s[] = {.5, 0, -.2, 0, 1, .3, .2, -.4, .6, 1, .1, -1};
static const double oracle_a[] = {.3, -.2, 0, .1, .4, -.5, -.3, .2, .25};

static void test_oracle(void **state)
{
    (void)state;
    static const double nodes[] = {.435964, .313216, .250821, .224203, .526985, .248812,
                                   .389045, .253411, .357543, .632682, .282734, .084585};
    static const double edges[] = {.126732, .185167, .124064, .062933, .204642,
                                   .045641, .034538, .137175, .079107};
    static const uint32_t want[] = {1, 1, 0, 0};
    const cau_lattice x = {.T = 4, .Y = 3, .node = oracle_s, .edge = oracle_a};
    cau_chain_work *work = new_chain_work(3);
    double logz, score, within, node[12], edge[36];
    uint32_t path[4];

    assert_int_equal(cau_chain_sum(work, &x, &logz, node, edge), CAUCUS_OK);
    assert_near(logz, 5.745646433, 5e-10);
    for (size_t i = 0; i < 12; i++) assert_near(node[i], nodes[i], 5.1e-7);
    for (size_t i = 0; i < 9; i++) {
        assert_true(edge[i] == 0);
        assert_near(edge[9 + i], edges[i], 5.1e-7);
    }

    assert_int_equal(cau_chain_best(work, &x, path, &score), CAUCUS_OK);
    assert_memory_equal(path, want, sizeof want);
    assert_near(score, 3, 1e-15);
    assert_near(cau_chain_score(&x, path), 3, 1e-15);
    assert_near(exp(score - logz), .064206782, 5e-10);

    /* the whole path, and no label */
    assert_int_equal(cau_chain_within(work, &x, path, 0, 4, &within), CAUCUS_OK);
    assert_near(within, 3, 1e-14);
    assert_int_equal(cau_chain_within(work, &x, path, 2, 2, &within), CAUCUS_OK);
    assert_near(within, logz, 1e-14);
    cau_chain_work_free(work);
}

/* Of equal paths the best is the first in the order of path_next. */
static void check_best(cau_chain_work *work, const cau_lattice *x, bool exact)
{
    uint32_t path[SMALL_T] = {0}, best[SMALL_T], got[SMALL_T];
    long double top = -INFINITY;
    do {
        const long double score = path_score(x, path);
        if (score > top) top = score, memcpy(best, path, sizeof best);
    } while (path_next(x->T, x->Y, path));
    double score;
    const caucus_status st = cau_chain_best(work, x, got, &score);
    if (top == -INFINITY) {
        assert_int_equal(st, CAUCUS_ERR_NUMERIC);
        return;
    }
    assert_int_equal(st, CAUCUS_OK);
    const double near = 1e-12 * (1 + fabs(score));
    assert_near(score, (double)top, near);
    assert_near(cau_chain_score(x, got), (double)top, near);
    if (exact) assert_memory_equal(got, best, x->T * sizeof *got);
    assert_int_equal(cau_chain_best(work, x, NULL, NULL), CAUCUS_OK);
}

static void check_sums(cau_chain_work *work, const cau_lattice *x, bool in_log_space, double near)
{
    const size_t T = x->T, Y = x->Y;
    const path_sums want = paths_sum(x, NULL, NULL);
    double logz = 0, node[SMALL_T * SMALL_Y] = {0}, edge[SMALL_T * SMALL_Y * SMALL_Y] = {0};
    const caucus_status st = in_log_space ? cau_chain_sum_log(work, x, 1, &logz, node, edge, NULL)
                                          : cau_chain_sum(work, x, &logz, node, edge);
    if (want.logz == -INFINITY) {
        assert_int_equal(st, CAUCUS_ERR_NUMERIC);
        return;
    }
    assert_int_equal(st, CAUCUS_OK);
    assert_near(logz, (double)want.logz, near);
    for (size_t t = 0; t < T; t++)
        for (size_t y = 0; y < Y; y++) {
            assert_near(node[t * Y + y], (double)want.node[t][y], near);
            for (size_t i = 0; i < Y; i++)
                assert_near(edge[(t * Y + i) * Y + y], (double)want.edge[t][i][y], near);
        }
    double alone;
    assert_int_equal(cau_chain_sum(work, x, &alone, NULL, NULL), CAUCUS_OK);
    assert_near(alone, logz, near);
}

static void check_within(cau_chain_work *work, const cau_lattice *x, cau_rng *rng)
{
    uint32_t path[SMALL_T], gold[SMALL_T];
    const size_t begin = (size_t)cau_rng_below(rng, x->T + 1);
    const size_t end = begin + (size_t)cau_rng_below(rng, x->T - begin + 1);
    for (size_t t = 0; t < x->T; t++) {
        path[t] = (uint32_t)cau_rng_below(rng, x->Y);
        gold[t] = t >= begin && t < end ? path[t] : CAU_UNKNOWN;
    }
    const path_sums want = paths_sum(x, gold, NULL);
    double got;
    const caucus_status st = cau_chain_within(work, x, path, begin, end, &got);
    assert_int_equal(st, want.logz == -INFINITY ? CAUCUS_ERR_NUMERIC : CAUCUS_OK);
    if (!st) assert_near(got, (double)want.logz, 1e-12 * (1 + fabs(got)));
}

static void test_enumeration(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t Y = 1; Y <= SMALL_Y; Y++) {
        cau_chain_work *work = new_chain_work(Y);
        for (size_t T = 1; T <= SMALL_T; T++)
            for (size_t round = 0; round < 48; round++) {
                const double size = round % 4 == 0 ? 0 : 3;
                const double impossible = round % 3 == 2 ? .25 : 0;
                cau_lattice x = random_lattice(&rng, T, Y, round / 2 % 2, size, impossible);
                check_best(work, &x, size == 0);
                check_sums(work, &x, false, 1e-12);
                check_sums(work, &x, true, 1e-12);
                check_within(work, &x, &rng);
                lattice_clear(&x);
            }
        cau_chain_work_free(work);
    }
}

/* Scores beyond the range of exp, and beyond that of the scaled sums. */
static void test_large_scores(void **state)
{
    (void)state;
    static const double sizes[] = {120, 300, 2000};
    cau_rng rng;
    cau_rng_init(&rng, 2);
    cau_chain_work *work = new_chain_work(3);
    for (size_t round = 0; round < 60; round++) {
        cau_lattice x = random_lattice(&rng, 1 + round % 5, 3, round / 5 % 2, sizes[round % 3], 0);
        check_best(work, &x, true);
        check_sums(work, &x, false, 2e-11);
        check_within(work, &x, &rng);
        lattice_clear(&x);
    }
    cau_chain_work_free(work);

    /* exact integers, one path has all the probability */
    const double node[] = {2000, -2000, -2000, 2000}, edge[] = {0, 0, 0, 0};
    const cau_lattice x = {.T = 2, .Y = 2, .node = node, .edge = edge};
    double logz, p[4];
    work = new_chain_work(2);
    assert_int_equal(cau_chain_sum(work, &x, &logz, p, NULL), CAUCUS_OK);
    assert_true(logz == 4000 && p[0] == 1 && p[1] == 0 && p[2] == 0 && p[3] == 1);
    cau_chain_work_free(work);
}

/* Node scores favour one path and edges another, at the limit of the scaled sums, over many
 * positions: the alphas nearly underflow. */
static void test_limit_of_scaling(void **state)
{
    (void)state;
    enum { T = 40, Y = 2 };
    double node[T * Y], p[T * Y], q[T * Y] = {0}, edge[] = {0, -200, -200, -200}, logz, want;
    for (size_t t = 0; t < T; t++) {
        node[t * Y] = -200.0 * (double)(t % 3 == 0);
        node[t * Y + 1] = -200.0 * (double)(t % 3 != 0);
    }
    const cau_lattice x = {.T = T, .Y = Y, .node = node, .edge = edge};
    cau_chain_work *work = new_chain_work(Y);
    assert_int_equal(cau_chain_sum(work, &x, &logz, p, NULL), CAUCUS_OK);
    assert_int_equal(cau_chain_sum_log(work, &x, 1, &want, q, NULL, NULL), CAUCUS_OK);
    assert_near(logz, want, 1e-12 * fabs(want));
    for (size_t i = 0; i < T * Y; i++) assert_near(p[i], q[i], 1e-11);
    cau_chain_work_free(work);
}

/* Every width with every set of kernels: compares scaled sums with log space, and all kernels with
 * the first. */
static void check_wide(size_t T, size_t Y, bool own)
{
    cau_rng rng;
    cau_rng_init(&rng, Y);
    cau_lattice x = random_lattice(&rng, T, Y, own, 5, 0);
    double *p = calloc(4 * T * Y, sizeof *p), *e = calloc(2 * T * Y * Y, sizeof *e);
    double *c = calloc(Y * Y, sizeof *c);
    uint32_t *path = calloc(2 * T, sizeof *path);
    assert_true(p && e && c && path);
    double *q = p + T * Y, *f = e + T * Y * Y, logz, want, score, first = 0;
    cau_chain_work *work = new_chain_work(Y);

    work->kernels = cau_kernels_named("baseline");
    assert_int_equal(cau_chain_sum_log(work, &x, 1, &want, q, f, c), CAUCUS_OK);
    for (size_t i = 0; i < Y * Y; i++) {
        double sum = 0;
        for (size_t t = 1; t < T; t++) sum += f[t * Y * Y + i];
        assert_near(c[i], sum, 1e-12);
    }
    for (size_t k = 0; k < ISAS; k++) {
        work->kernels = cau_kernels_named(isas[k]);
        if (!work->kernels) continue;
        assert_int_equal(cau_chain_sum(work, &x, &logz, p, e), CAUCUS_OK);
        assert_near(logz, want, 1e-12 * fabs(want));
        for (size_t i = 0; i < T * Y; i++) assert_near(p[i], q[i], 1e-12);
        for (size_t i = 0; i < T * Y * Y; i++) assert_near(e[i], f[i], 1e-12);
        assert_int_equal(cau_chain_sum_log(work, &x, 1, &logz, NULL, NULL, NULL), CAUCUS_OK);
        assert_near(logz, want, 1e-12 * fabs(want));
        assert_int_equal(cau_chain_best(work, &x, path + (k ? T : 0), &score), CAUCUS_OK);
        assert_near(cau_chain_score(&x, path), score, 1e-12 * fabs(score));
        if (k == 0) first = score;
        assert_true(score == first);
        if (k > 0) assert_memory_equal(path, path + T, T * sizeof *path);
    }
    cau_chain_work_free(work);
    lattice_clear(&x);
    free(p), free(e), free(c), free(path);
}

static void test_widths(void **state)
{
    (void)state;
    for (size_t Y = 1; Y <= 70; Y++) check_wide(1 + Y % 7, Y, Y % 2);
    check_wide(9, 22, false);
    check_wide(9, 50, false);
    check_wide(5, 129, false);
    check_wide(3, 129, true);
}

/* Best paths at every width, with ties, against the textbook algorithm. */
static void test_viterbi(void **state)
{
    (void)state;
    enum { T = 12 };
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t Y = 1; Y <= 40; Y++) {
        cau_lattice x = random_lattice(&rng, T, Y, Y % 3 == 0, Y % 4 ? 0 : 4, Y % 5 ? 0 : .3);
        double best[T][40], score;
        uint32_t from[T][40], want[T], path[T];
        memcpy(best[0], x.node, Y * sizeof(double));
        for (size_t t = 1; t < T; t++)
            for (size_t y = 0; y < Y; y++) {
                best[t][y] = -INFINITY, from[t][y] = 0;
                for (uint32_t i = 0; i < Y; i++) {
                    const double at = best[t - 1][i] + cau_chain_edges(&x, t)[i * Y + y];
                    if (at > best[t][y]) best[t][y] = at, from[t][y] = i;
                }
                best[t][y] += x.node[t * Y + y];
            }
        want[T - 1] = 0;
        for (uint32_t y = 1; y < Y; y++)
            if (best[T - 1][y] > best[T - 1][want[T - 1]]) want[T - 1] = y;
        for (size_t t = T - 1; t > 0; t--) want[t - 1] = from[t][want[t]];
        for (size_t k = 0; k < ISAS; k++) {
            cau_chain_work *work = new_chain_work(Y);
            work->kernels = cau_kernels_named(isas[k]);
            if (work->kernels && isfinite(best[T - 1][want[T - 1]])) {
                assert_int_equal(cau_chain_best(work, &x, path, &score), CAUCUS_OK);
                assert_memory_equal(path, want, sizeof want);
                assert_true(score == best[T - 1][want[T - 1]]);
            }
            cau_chain_work_free(work);
        }
        lattice_clear(&x);
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY};
    cau_chain_work *work = new_chain_work(2);
    double logz;
    uint32_t path[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        double node[] = {0, 0, 0, 0}, edge[] = {0, 0, 0, 0};
        const cau_lattice x = {.T = 2, .Y = 2, .node = node, .edge = edge};
        node[3] = bad[i];
        assert_int_equal(cau_chain_sum(work, &x, &logz, NULL, NULL), CAUCUS_ERR_NUMERIC);
        node[3] = 0, edge[1] = bad[i];
        assert_int_equal(cau_chain_sum(work, &x, &logz, NULL, NULL), CAUCUS_ERR_NUMERIC);
        assert_int_equal(cau_chain_within(work, &x, path, 0, 1, &logz), CAUCUS_ERR_NUMERIC);
    }
    cau_chain_work_free(work);
}

static void test_transitions(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_transitions t;
    assert_ok(ctx, cau_transitions_init(ctx, &t, 3));
    for (size_t i = 0; i < 9; i++) assert_true(t.a[i] == 0);
    cau_transitions_set(&t, oracle_a);
    assert_true(t.moderate && t.top == .4 && t.stride == 8);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < t.stride; j++) {
            const double want = j < 3 ? exp(oracle_a[i * 3 + j] - .4) : 0;
            assert_near(t.e[i * t.stride + j], want, 1e-15);
            if (j < 3) assert_true(t.back[j * t.stride + i] == t.e[i * t.stride + j]);
        }
    double far[9] = {0, 0, -INFINITY};
    cau_transitions_set(&t, far);
    assert_false(t.moderate);
    cau_transitions_clear(&t);
    caucus_ctx_free(ctx);
}

static caucus_status allocate(void *self)
{
    caucus_ctx *ctx = ((lattice_case *)self)->ctx;
    const cau_lattice *x = &((lattice_case *)self)->x;
    cau_transitions a = {0};
    cau_chain_work *work = NULL;
    double logz;
    uint32_t path[4] = {0};
    caucus_status st = cau_chain_work_new(ctx, x->Y, &work);
    if (!st) st = cau_transitions_init(ctx, &a, x->Y);
    for (size_t T = 1; !st && T <= x->T; T++) { /* the workspace has to grow */
        cau_lattice part = *x;
        part.T = T;
        st = cau_chain_sum(work, &part, &logz, NULL, NULL);
        if (!st) st = cau_chain_best(work, &part, path, NULL);
        if (!st) st = cau_chain_within(work, &part, path, 0, T, &logz);
    }
    cau_chain_work_free(work);
    cau_transitions_clear(&a);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    check_lattice_memory(allocate, 4, 3, true, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),       cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_large_scores), cmocka_unit_test(test_limit_of_scaling),
        cmocka_unit_test(test_widths),       cmocka_unit_test(test_viterbi),
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_transitions),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("model/chain", tests, NULL, NULL);
}
