/* history_test.c - checks the direction from the Gram matrix against the textbook's two loops. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "optim/quasi_newton.h"
#include "support/support.h"

enum { N = 37, STEPS = 14 };

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < N; k++) sum += a[k] * b[k];
    return sum;
}

/* Computes d = -H g by Nocedal and Wright, algorithm 7.4, from pairs first..last-1. */
static void two_loops(double s[][N], double y[][N], size_t first, size_t last, const double *g,
                      double *d)
{
    double alpha[STEPS] = {0};
    memcpy(d, g, N * sizeof *d);
    for (size_t i = last; i-- > first;) {
        alpha[i] = dot(s[i], d) / dot(s[i], y[i]);
        for (size_t k = 0; k < N; k++) d[k] -= alpha[i] * y[i][k];
    }
    if (last > first) {
        const double scale = dot(s[last - 1], y[last - 1]) / dot(y[last - 1], y[last - 1]);
        for (size_t k = 0; k < N; k++) d[k] *= scale;
    }
    for (size_t i = first; i < last; i++) {
        const double beta = dot(y[i], d) / dot(s[i], y[i]);
        for (size_t k = 0; k < N; k++) d[k] += (alpha[i] - beta) * s[i][k];
    }
    for (size_t k = 0; k < N; k++) d[k] = -d[k];
}

/* Takes random steps on a convex function. Every third step gets a gradient with negative
 * curvature; that pair must be dropped. */
static void direction_matches_the_two_loops(void **state)
{
    (void)state;
    for (size_t m = 1; m <= 6; m++) {
        cau_rng rng;
        cau_rng_init(&rng, m);
        cau_history h = {.n = N, .m = m, .threads = 2};
        double s[STEPS][N], y[STEPS][N];
        size_t pairs = 0, room = 0; /* pairs seen, and the number that the history keeps */
        assert_int_equal(cau_history_init(&h), CAUCUS_OK);
        double *g = cau_history_gradient(&h);
        for (size_t k = 0; k < N; k++) g[k] = cau_rng_real(&rng) - 0.5;
        cau_history_start(&h);

        for (size_t t = 0; t < STEPS; t++) {
            double want[N];
            const double *d = cau_history_direction(&h);
            g = cau_history_gradient(&h);
            assert_near(cau_history_slope(&h), dot(g, g), 1e-12);
            two_loops(s, y, pairs - room, pairs, g, want);
            const double slope = cau_history_descend(&h);
            for (size_t k = 0; k < N; k++) assert_near(d[k], want[k], 1e-9 * (1 + fabs(want[k])));
            assert_near(slope, dot(g, want), 1e-9 * fabs(dot(g, want)));
            if (room == m) room--;

            const double step = 0.1 + cau_rng_real(&rng);
            const double *w = cau_history_weights(&h);
            double *to = cau_history_trial_weights(&h), *to_g = cau_history_trial_gradient(&h);
            const bool bad = t % 3 == 2;
            for (size_t k = 0; k < N; k++) {
                const double moved = step * d[k], curve = 1 + (double)(k % 5);
                to[k] = w[k] + moved;
                to_g[k] = g[k] + (bad ? -1 : curve + 0.3 * cau_rng_real(&rng)) * moved;
                s[pairs][k] = moved;
                y[pairs][k] = to_g[k] - g[k];
            }
            double arrived[N], gradient[N];
            memcpy(arrived, to, sizeof arrived);
            memcpy(gradient, to_g, sizeof gradient);
            cau_history_accept(&h, step);
            assert_memory_equal(cau_history_weights(&h), arrived, sizeof arrived);
            assert_memory_equal(cau_history_gradient(&h), gradient, sizeof gradient);
            if (!bad) pairs++, room++;
            assert_int_equal(h.state.count, room);
            assert_true(cau_history_valid(&h));
        }

        cau_history_start(&h);
        const double slope = cau_history_descend(&h); /* steepest descent */
        assert_near(slope, -cau_history_slope(&h), 1e-12);
        cau_history_clear(&h);
    }
}

static void states_from_files_are_checked(void **state)
{
    (void)state;
    cau_history h = {.n = N, .m = 4, .threads = 1};
    assert_int_equal(cau_history_init(&h), CAUCUS_OK);
    const cau_history_state good = h.state;
    assert_true(cau_history_valid(&h));
    h.state.count = 5;
    assert_false(cau_history_valid(&h));
    h.state = good, h.state.open = 4;
    assert_false(cau_history_valid(&h));
    h.state = good, h.state.now = 2;
    assert_false(cau_history_valid(&h));
    h.state = good, h.state.row[1] = 5;
    assert_false(cau_history_valid(&h));
    h.state = good, h.state.row[1] = h.state.row[0];
    assert_false(cau_history_valid(&h));
    cau_history_clear(&h);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    size_t bytes;
    assert_true(cau_history_bytes(100, 6, &bytes));
    assert_int_equal(bytes, 15 * 104 * sizeof(double));
    assert_false(cau_history_bytes(SIZE_MAX, 6, &bytes));
    assert_false(cau_history_bytes(SIZE_MAX / 64, 6, &bytes));
    assert_false(cau_history_bytes(100, 0, &bytes));
    assert_false(cau_history_bytes(100, CAU_HISTORY_MAX + 1, &bytes));
    cau_history h = {.n = SIZE_MAX / 16, .m = 6, .threads = 1};
    assert_int_equal(cau_history_init(&h), CAUCUS_ERR_MEMORY);
    cau_history_clear(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direction_matches_the_two_loops),
        cmocka_unit_test(states_from_files_are_checked),
        cmocka_unit_test(sizes_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
