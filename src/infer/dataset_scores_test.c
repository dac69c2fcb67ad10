/* dataset_scores_test.c - blocks contain all sequences once, in order; correct labels are counted
 * with partial labels. Training tests the scores. */

#include "infer/dataset_scores.h"

#include "base/rng.h"
#include "support/support.h"

enum { SEQUENCES = 300, LONGEST = 9, INSTANCES = SEQUENCES * LONGEST };

/* A set of sequences whose instances have up to 4 features. */
typedef struct {
    cau_dataset set;
    size_t start[INSTANCES + 1], sequence[SEQUENCES + 1];
} scores_case;

static void make_case(scores_case *c, size_t group, bool sequences, uint64_t seed)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    *c = (scores_case){.set = {.group = group, .S = SEQUENCES}};
    for (size_t s = 0; s < SEQUENCES; s++)
        c->sequence[s + 1] = c->sequence[s] + 1 + cau_rng_below(&rng, LONGEST);
    const size_t rows = c->sequence[SEQUENCES] - c->sequence[SEQUENCES] % group;
    for (size_t i = 0; i < rows; i++) c->start[i + 1] = c->start[i] + cau_rng_below(&rng, 5);
    c->set.N = rows / group;
    c->set.x = (cau_csr){.rows = rows, .start = c->start};
    if (sequences) c->set.sequence = c->sequence;
}

/* Every block begins where the previous one ends, and has the requested number of features. */
static void check_blocks(const scores_case *c, bool chain, size_t nonzeros)
{
    cau_sequence_blocks b;
    const cau_dataset *set = &c->set;
    assert_int_equal(cau_sequence_blocks_init(&b, set, chain, nonzeros), CAUCUS_OK);
    const bool sequences = chain && set->sequence;
    assert_int_equal(b.S, sequences ? SEQUENCES : set->N);
    assert_int_equal(b.first[0], 0);
    assert_int_equal(b.first[b.count], b.S);
    size_t longest = 0, largest = 0;
    for (size_t i = 0; i < b.count; i++) {
        const size_t begin = cau_block_begin(&b, i), end = cau_block_begin(&b, i + 1);
        const size_t from = begin * set->group, to = end * set->group;
        assert_true(b.first[i] < b.first[i + 1]);
        assert_int_equal(cau_sequence_at(&b, b.first[i]), begin);
        if (end - begin > largest) largest = end - begin;
        if (!nonzeros) assert_true(b.first[i + 1] - b.first[i] == 64 || i + 1 == b.count);
        if (nonzeros && i + 1 < b.count) /* a row costs one more than its features */
            assert_true(c->start[to] - c->start[from] + (to - from) + LONGEST * 5 > nonzeros);
    }
    for (size_t s = 0; s < b.S; s++) {
        const size_t T = cau_sequence_length(&b, s);
        assert_int_equal(cau_sequence_at(&b, s) + T, cau_sequence_at(&b, s + 1));
        if (T > longest) longest = T;
    }
    assert_int_equal(b.longest, longest);
    assert_int_equal(cau_largest_block(&b), largest);
    cau_sequence_blocks_clear(&b);
}

static void test_blocks(void **state)
{
    (void)state;
    static scores_case c;
    for (uint64_t seed = 0; seed < 5; seed++)
        for (size_t nonzeros = 0; nonzeros < 5000; nonzeros = 10 * nonzeros + 7) {
            make_case(&c, 1, true, seed);
            check_blocks(&c, true, nonzeros);
            check_blocks(&c, false, nonzeros); /* a classifier has no sequences */
            make_case(&c, 1, false, seed);
            check_blocks(&c, true, nonzeros);
            make_case(&c, 3, false, seed);
            check_blocks(&c, false, nonzeros);
        }
}

static void test_empty_set(void **state)
{
    (void)state;
    size_t start = 0;
    const cau_dataset set = {.group = 1, .x = {.start = &start}};
    for (size_t nonzeros = 0; nonzeros < 2; nonzeros++) {
        cau_sequence_blocks b;
        assert_int_equal(cau_sequence_blocks_init(&b, &set, true, nonzeros), CAUCUS_OK);
        assert_int_equal(b.count, 0);
        assert_int_equal(cau_largest_block(&b), 0);
        cau_sequence_blocks_clear(&b);
    }
}

static void test_count_right(void **state)
{
    (void)state;
    uint32_t gold[] = {9, 1, 2, CAU_UNKNOWN, CAU_SET, 0};
    const uint32_t path[] = {1, 0, 2, 1, 0};
    cau_dataset set = {.N = 6, .gold = gold};
    size_t right = 10, counted = 20;
    cau_count_right(&set, 1, 5, path, &right, &counted);
    assert_int_equal(right, 12);
    assert_int_equal(counted, 25);
    set.partial = true; /* unknown labels are not counted */
    cau_count_right(&set, 1, 5, path, &right, &counted);
    assert_int_equal(right, 14);
    assert_int_equal(counted, 28);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_empty_set),
        cmocka_unit_test(test_count_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
