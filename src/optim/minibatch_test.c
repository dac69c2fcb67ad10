/* minibatch_test.c - the order of examples within a minibatch. The solvers' tests check threads. */

#include "optim/minibatch.h"

#include "support/support.h"

static void longest_examples_come_first(void **state)
{
    (void)state;
    const cau_minibatch rounds = {.size = 3};
    const size_t first[] = {0, 5, 7, 7, 14, 16, 17, 22}; /* sizes 5 2 0 7 2 1 5 */
    uint32_t order[] = {4, 2, 1, 0, 3, 6, 5};
    const uint32_t want[] = {4, 1, 2, 3, 0, 6, 5}; /* equal sizes keep their order */
    cau_minibatch_sort(&rounds, 7, first, order);
    assert_memory_equal(order, want, sizeof want);

    const cau_minibatch alone = {.size = 1};
    cau_minibatch_sort(&alone, 7, first, order);
    assert_memory_equal(order, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(longest_examples_come_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
