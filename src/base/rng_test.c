/* rng_test.c - checks the generators against published numbers, and that draws are fair. */

#include "support/support.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

/* The first numbers of Blackman and Vigna's reference implementation from state 1, 2, 3, 4. */
static void numbers_match_the_reference(void **state)
{
    (void)state;
    static const uint64_t expected[] = {11520,
                                        0,
                                        1509978240,
                                        1215971899390074240,
                                        1216172134540287360,
                                        607988272756665600,
                                        16172922978634559625u,
                                        8476171486693032832,
                                        10595114339597558777u,
                                        2904607092377533576};
    cau_rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(cau_rng_next(&rng) == expected[i]);
}

/* Seeding fills the state with the output of splitmix64, whose numbers are published too. */
static void seeds_are_spread_by_splitmix(void **state)
{
    (void)state;
    cau_rng rng, other;
    cau_rng_init(&rng, 1234567);
    assert_true(rng.s[0] == 6457827717110365317u && rng.s[1] == 3203168211198807973u);
    assert_true(rng.s[2] == 9817491932198370423u && rng.s[3] == 4593380528125082431u);
    cau_rng_init(&rng, 0);
    assert_true(rng.s[0] || rng.s[1] || rng.s[2] || rng.s[3]);
    cau_rng_init(&other, 1);
    assert_true(cau_rng_next(&rng) != cau_rng_next(&other));
}

static void a_copy_continues_the_same_sequence(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 42);
    for (int i = 0; i < 10; i++) cau_rng_next(&rng);
    cau_rng copy = rng;
    for (int i = 0; i < 100; i++) assert_true(cau_rng_next(&rng) == cau_rng_next(&copy));
}

/* The chi-squared statistic of 7 cells has mean 6 and exceeds 22.5 for one seed in a thousand. */
static void draws_below_n_are_fair(void **state)
{
    (void)state;
    enum { CELLS = 7, DRAWS = 70000 };
    cau_rng rng;
    cau_rng_init(&rng, 3);
    double count[CELLS] = {0}, chi = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = cau_rng_below(&rng, CELLS);
        assert_true(x < CELLS);
        count[x]++;
    }
    for (int c = 0; c < CELLS; c++) chi += (count[c] - 10000) * (count[c] - 10000) / 10000;
    assert_true(chi < 22.5);

    /* With n = 3/4 of 2^64, a plain remainder would draw small numbers twice as often. */
    uint64_t n = (uint64_t)3 << 62;
    int low = 0;
    for (int i = 0; i < 30000; i++) low += cau_rng_below(&rng, n) < n / 3;
    assert_near(low, 10000, 400);
    for (int i = 0; i < 100; i++) assert_true(cau_rng_below(&rng, 1) == 0);
}

static void reals_fill_the_unit_interval(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 5);
    double sum = 0, least = 1, most = 0;
    for (int i = 0; i < 100000; i++) {
        double x = cau_rng_real(&rng);
        assert_true(x >= 0 && x < 1);
        sum += x;
        if (x < least) least = x;
        if (x > most) most = x;
    }
    assert_near(sum / 100000, 0.5, 0.005);
    assert_true(least < 0.001 && most > 0.999);
}

/* All 24 orders of four items are equally frequent. */
static void shuffles_are_fair(void **state)
{
    (void)state;
    enum { ROUNDS = 48000 };
    cau_rng rng;
    cau_rng_init(&rng, 11);
    double count[256] = {0};
    size_t orders = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t items[4] = {0, 1, 2, 3};
        cau_rng_shuffle(&rng, items, 4);
        assert_int_equal(1u << items[0] | 1u << items[1] | 1u << items[2] | 1u << items[3], 15);
        count[items[0] << 6 | items[1] << 4 | items[2] << 2 | items[3]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        if (count[i] == 0) continue;
        orders++;
        assert_near(count[i], ROUNDS / 24.0, 200); /* more than four standard deviations */
    }
    assert_int_equal(orders, 24);
    cau_rng_shuffle(&rng, NULL, 0);
}

/* Means and variances of 200000 draws agree within at least four standard errors. */
static void variates_have_their_moments(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    cau_rng rng;
    cau_rng_init(&rng, 17);
    double sum = 0, square = 0, fourth = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = cau_rng_normal(&rng);
        sum += x / DRAWS;
        square += x * x / DRAWS;
        fourth += x * x * x * x / DRAWS;
    }
    assert_near(sum, 0, 0.01);
    assert_near(square, 1, 0.015);
    assert_near(fourth, 3, 0.1);

    static const double shapes[] = {0.05, 0.5, 1, 2.5, 100};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const double shape = shapes[s];
        sum = square = 0;
        for (int i = 0; i < DRAWS; i++) {
            double x = cau_rng_gamma(&rng, shape);
            assert_true(x >= 0);
            sum += x / DRAWS;
            square += (x - shape) * (x - shape) / DRAWS;
        }
        assert_near(sum, shape, 0.01 * sqrt(shape));
        assert_near(square, shape, 0.012 * sqrt(2 * shape * shape + 6 * shape));
    }

    sum = square = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = cau_rng_beta(&rng, 2, 3);
        assert_true(x > 0 && x < 1);
        sum += x / DRAWS;
        square += (x - 0.4) * (x - 0.4) / DRAWS;
    }
    assert_near(sum, 0.4, 0.002);
    assert_near(square, 0.04, 0.0005);
    double tiny = cau_rng_beta(&rng, 1e-320, 1e-320);
    assert_true(tiny >= 0 && tiny <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_match_the_reference),
        cmocka_unit_test(seeds_are_spread_by_splitmix),
        cmocka_unit_test(a_copy_continues_the_same_sequence),
        cmocka_unit_test(draws_below_n_are_fair),
        cmocka_unit_test(reals_fill_the_unit_interval),
        cmocka_unit_test(shuffles_are_fair),
        cmocka_unit_test(variates_have_their_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
