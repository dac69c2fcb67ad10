/* nbest_test.c - the n best paths against all paths sorted, and against the textbook algorithm. */

#include "model/chain_work.h"
#include "support/paths.h"

static void test_oracle(void **state)
{
    (void)state;
    static const double s[] = {.5, 0, -.2, 0, 1, .3, .2, -.4, .6, 1, .1, -1};
    static const double a[] = {.3, -.2, 0, .1, .4, -.5, -.3, .2, .25};
    static const uint32_t want[][4] = {
        {1, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {2, 1, 0, 0}, {1, 1, 1, 0}};
    static const double score[] = {3, 2.9, 2.6, 2.6, 2.5};
    static const double p[] = {.064206782, .058096699, .043039093, .043039093, .038943382};
    const cau_lattice x = {.T = 4, .Y = 3, .node = s, .edge = a};
    cau_chain_work *work = new_chain_work(3);
    double logz, scores[100];
    uint32_t paths[100 * 4];
    size_t count;
    assert_int_equal(cau_chain_sum(work, &x, &logz, NULL, NULL), CAUCUS_OK);
    assert_int_equal(cau_chain_nbest(work, &x, 100, paths, scores, &count), CAUCUS_OK);
    assert_int_equal(count, 81);
    double all = 0;
    for (size_t i = 0; i < count; i++) all += exp(scores[i] - logz);
    assert_near(all, 1, 1e-14);
    for (size_t i = 0; i < 5; i++) {
        assert_near(scores[i], score[i], 1e-15);
        assert_near(exp(scores[i] - logz), p[i], 5e-10);
        const size_t j = i == 2 || i == 3 ? (paths[8] == want[i][0] ? 2 : 3) : i; /* the tie */
        assert_memory_equal(paths + j * 4, want[i], sizeof want[i]);
    }
    cau_chain_work_free(work);
}

typedef struct {
    long double score;
    size_t order; /* its position in the order of path_next */
    uint32_t path[SMALL_T];
} nbest_path;

static int better(const void *a, const void *b)
{
    const nbest_path *p = a, *q = b;
    if (p->score != q->score) return p->score > q->score ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

static void check_all(cau_chain_work *work, const cau_lattice *x, size_t n)
{
    static nbest_path all[SMALL_PATHS];
    static uint32_t paths[(SMALL_PATHS + 1) * SMALL_T];
    static double scores[SMALL_PATHS + 1];
    size_t possible = 0, count = 0;
    uint32_t path[SMALL_T] = {0};
    for (bool more = true; more; more = path_next(x->T, x->Y, path)) {
        nbest_path *w = &all[possible];
        *w = (nbest_path){.score = path_score(x, path), .order = possible};
        memcpy(w->path, path, sizeof path);
        possible += w->score > -INFINITY;
    }
    qsort(all, possible, sizeof *all, better);

    const caucus_status st = cau_chain_nbest(work, x, n, paths, scores, &count);
    if (possible == 0) {
        assert_int_equal(st, CAUCUS_ERR_NUMERIC);
        return;
    }
    assert_int_equal(st, CAUCUS_OK);
    assert_int_equal(count, n < possible ? n : possible);
    for (size_t i = 0; i < count; i++) {
        assert_near(scores[i], (double)all[i].score, 1e-13);
        assert_memory_equal(paths + i * x->T, all[i].path, x->T * sizeof *path);
    }
}

static void test_enumeration(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t Y = 1; Y <= SMALL_Y; Y++) {
        cau_chain_work *work = new_chain_work(Y);
        for (size_t T = 1; T <= SMALL_T; T++)
            for (size_t round = 0; round < 36; round++) {
                cau_lattice x = random_lattice(&rng, T, Y, round % 2, round % 3 ? 0 : 2,
                                               round % 4 == 3 ? .25 : 0);
                check_all(work, &x, round % 5 ? SMALL_PATHS + 1 : round);
                lattice_clear(&x);
            }
        cau_chain_work_free(work);
    }
}

/* The n best paths to each cell, from the n best of the previous position. */
static void test_many_labels(void **state)
{
    (void)state;
    enum { T = 30, Y = 11, N = 60 };
    typedef struct {
        double score;
        uint32_t path[T];
    } entry;
    cau_rng rng;
    cau_rng_init(&rng, 2);
    cau_chain_work *work = new_chain_work(Y);
    entry(*cell)[N] = calloc(2 * Y, sizeof *cell), *sorted = calloc(N + 1, sizeof *sorted);
    uint32_t *paths = calloc(N * T, sizeof *paths), best[T];
    assert_true(cell && sorted && paths);
    for (size_t round = 0; round < 4; round++) {
        cau_lattice x = random_lattice(&rng, T, Y, round % 2, round < 2 ? 1 : 0, 0);
        for (size_t t = 0; t <= T; t++)
            for (uint32_t y = 0; y < (t < T ? Y : 1); y++) {
                size_t have = 0;
                for (size_t i = 0; i < (t ? Y : 1); i++)
                    for (size_t r = 0; r < (t > 1 ? N : 1); r++) {
                        entry e = t ? cell[(t - 1) % 2 * Y + i][r] : (entry){0};
                        if (t > 0 && t < T) e.score += cau_chain_edges(&x, t)[i * Y + y];
                        if (t < T) e.path[t] = y;
                        size_t at = have;
                        for (; at > 0 && e.score > sorted[at - 1].score; at--)
                            sorted[at] = sorted[at - 1];
                        sorted[at] = e;
                        have += have < N;
                    }
                for (size_t r = 0; r < N; r++) {
                    if (r >= have) sorted[r].score = -INFINITY;
                    if (t < T) sorted[r].score += x.node[t * Y + y];
                    cell[t % 2 * Y + y][r] = sorted[r];
                }
            }
        double scores[N], score;
        size_t count;
        assert_int_equal(cau_chain_nbest(work, &x, N, paths, scores, &count), CAUCUS_OK);
        assert_int_equal(count, N);
        for (size_t r = 0; r < N; r++) {
            const entry *want = &cell[T % 2 * Y][r];
            assert_true(scores[r] == want->score);
            assert_memory_equal(paths + r * T, want->path, sizeof want->path);
        }
        assert_int_equal(cau_chain_best(work, &x, best, &score), CAUCUS_OK);
        assert_true(score == scores[0]);
        assert_memory_equal(best, paths, sizeof best);
        lattice_clear(&x);
    }
    cau_chain_work_free(work);
    free(cell), free(sorted), free(paths);
}

static caucus_status allocate(void *self)
{
    const lattice_case *m = self;
    cau_chain_work *work = NULL;
    static uint32_t paths[200 * 5];
    double scores[200];
    size_t count;
    caucus_status st = cau_chain_work_new(m->ctx, m->x.Y, &work);
    if (!st) st = cau_chain_nbest(work, &m->x, 200, paths, scores, &count);
    cau_chain_work_free(work);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    check_lattice_memory(allocate, 5, 4, false, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_many_labels),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("model/nbest", tests, NULL, NULL);
}
