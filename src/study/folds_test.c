/* folds_test.c - folds balance labels and keep groups whole; the subsets of a curve are nested. */

#include "study/folds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/support.h"

/* Makes U groups of 1 to `longest` sequences of 1 to 6 labels. y0 is most frequent, each next label
 * half as frequent, and `rare` is in exactly three groups. If `scattered`, sequences of a group are
 * not neighbours. */
static caucus_data *skewed(caucus_ctx *ctx, size_t U, size_t longest, bool scattered, uint64_t seed)
{
    caucus_data *data = NULL;
    uint32_t unit[2000];
    size_t S = 0;
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t u = 0; u < U; u++)
        for (size_t n = 1 + cau_rng_below(&rng, longest); n > 0; n--) unit[S++] = (uint32_t)u;
    if (scattered) cau_rng_shuffle(&rng, unit, S);

    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    uint32_t *number = malloc(S * sizeof *number), *seen = malloc(U * sizeof *seen), next = 0;
    memset(seen, 0xff, U * sizeof *seen);
    for (size_t s = 0; s < S; s++) {
        if (seen[unit[s]] == UINT32_MAX) {
            if (unit[s] < 3)
                assert_ok(ctx, cau_data_add(ctx, data, "rare", 1, &(caucus_feature){"x", 1}, 1));
            seen[unit[s]] = next++;
        }
        number[s] = seen[unit[s]];
        for (size_t t = 1 + cau_rng_below(&rng, 6); t > 0; t--) {
            char label[8];
            int y = 0;
            while (y < 7 && cau_rng_below(&rng, 2)) y++;
            snprintf(label, sizeof label, "y%d", y);
            assert_ok(ctx, cau_data_add(ctx, data, label, 1, &(caucus_feature){"x", 1}, 1));
        }
        assert_ok(ctx, cau_data_break(ctx, data));
    }
    free(seen);
    assert_ok(ctx, cau_data_close(ctx, data));
    assert_int_equal(data->train.S, S);
    if (longest > 1)
        data->train.unit = number; /* freed with the data */
    else
        free(number);
    return data;
}

/* The label that is in three groups. */
static uint32_t rare_label(const caucus_data *data)
{
    return cau_alphabet_find(data->labels, "rare", 4);
}

/* Whether fold f has label y. */
static bool fold_has(const caucus_data *data, const uint32_t *fold, uint32_t f, uint32_t y)
{
    for (size_t s = 0; s < data->train.S; s++)
        for (size_t i = data->train.sequence[s]; i < data->train.sequence[s + 1]; i++)
            if (fold[s] == f && data->train.gold[i] == y) return true;
    return false;
}

/* The mean square of (share of a label in a fold / expected share - 1), over labels of which a fold
 * should have ten or more; in `sizes`, the same of the fold sizes. */
static double imbalance(const caucus_data *data, const uint32_t *fold, size_t K, double *sizes)
{
    const cau_dataset *set = &data->train;
    double sum = 0, cells = 0;
    *sizes = 0;
    for (uint32_t f = 0; f < K; f++) {
        double size = 0;
        for (uint32_t y = 0; y < set->Y; y++) {
            double in = 0, all = 0;
            for (size_t s = 0; s < set->S; s++)
                for (size_t i = set->sequence[s]; i < set->sequence[s + 1]; i++) {
                    all += set->gold[i] == y;
                    in += set->gold[i] == y && fold[s] == f;
                }
            size += in;
            if (all < 10 * (double)K) continue;
            sum += pow(in * (double)K / all - 1, 2);
            cells++;
        }
        *sizes += pow(size * (double)K / (double)set->N - 1, 2) / (double)K;
    }
    return sum / cells;
}

/* Assigns groups to folds at random, with equal numbers of groups. */
static void random_folds(const caucus_data *data, size_t K, uint64_t seed, uint32_t *fold)
{
    const size_t units = cau_count_groups(&data->train);
    uint32_t of[2000];
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t u = 0; u < units; u++) of[u] = (uint32_t)(u % K);
    cau_rng_shuffle(&rng, of, units);
    for (size_t s = 0; s < data->train.S; s++)
        fold[s] = of[data->train.unit ? data->train.unit[s] : s];
}

static void check_folds(const caucus_data *data, const uint32_t *fold, size_t K)
{
    const cau_dataset *set = &data->train;
    for (size_t s = 0; s < set->S; s++) {
        assert_in_range(fold[s], 0, K - 1);
        for (size_t r = 0; set->unit && r < s; r++)
            if (set->unit[r] == set->unit[s]) assert_int_equal(fold[r], fold[s]);
    }
    for (uint32_t f = 0; f < K; f++) {
        size_t size = 0;
        for (size_t s = 0; s < set->S; s++) size += fold[s] == f;
        assert_true(size > 0);
    }
}

/* Compared with random folds over ten seeds, label shares and sizes are several times nearer to
 * their targets. */
static void test_balance(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    uint32_t fold[2000];
    for (size_t longest = 1; longest <= 5; longest += 4) {
        double ours = 0, our_sizes = 0, random = 0, random_sizes = 0, sizes;
        for (uint64_t seed = 1; seed <= 10; seed++) {
            caucus_data *data = skewed(ctx, 150, longest, seed % 2 == 0, seed);
            for (size_t K = 2; K <= 10; K += 4) {
                assert_ok(ctx, cau_folds(ctx, &data->train, K, seed, fold));
                check_folds(data, fold, K);
                ours += imbalance(data, fold, K, &sizes);
                our_sizes += sizes;
                size_t with = 0; /* a label of three groups is in as many folds as possible */
                for (uint32_t f = 0; f < K; f++) with += fold_has(data, fold, f, rare_label(data));
                assert_int_equal(with, K < 3 ? K : 3);
                random_folds(data, K, seed, fold);
                check_folds(data, fold, K);
                random += imbalance(data, fold, K, &sizes);
                random_sizes += sizes;
            }
            cau_data_free(data);
        }
        print_message("up to %zu in a unit: labels %.4f, random %.4f; sizes %.5f, random %.5f\n",
                      longest, ours / 30, random / 30, our_sizes / 30, random_sizes / 30);
        assert_true(ours < random / 10);
        assert_true(our_sizes < random_sizes / 10);
    }
    caucus_ctx_free(ctx);
}

/* Single instances: each class is spread evenly to within one, and so are the folds. */
static void test_classes(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const char *const labels[] = {"a", "b", "c"};
    static const size_t counts[] = {61, 17, 4};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t y = 0; y < 3; y++)
        for (size_t n = 0; n < counts[y]; n++)
            assert_ok(ctx, cau_data_add(ctx, data, labels[y], 1, &(caucus_feature){"x", 1}, 1));
    assert_ok(ctx, cau_data_close(ctx, data));
    uint32_t fold[82];
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_ok(ctx, cau_folds(ctx, &data->train, 5, seed, fold));
        size_t in[5][4] = {{0}};
        for (size_t i = 0; i < 82; i++) in[fold[i]][data->train.gold[i]]++, in[fold[i]][3]++;
        for (size_t f = 0; f < 5; f++) {
            for (size_t y = 0; y < 3; y++)
                assert_in_range(in[f][y], counts[y] / 5, counts[y] / 5 + 1);
            assert_in_range(in[f][3], 16, 17);
        }
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_seeds(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = skewed(ctx, 60, 3, true, 3);
    uint32_t a[2000], b[2000];
    assert_ok(ctx, cau_folds(ctx, &data->train, 4, 1, a));
    assert_ok(ctx, cau_folds(ctx, &data->train, 4, 1, b));
    assert_memory_equal(a, b, data->train.S * sizeof *a);
    assert_ok(ctx, cau_folds(ctx, &data->train, 4, 2, b));
    assert_memory_not_equal(a, b, data->train.S * sizeof *a);

    assert_ok(ctx, cau_folds(ctx, &data->train, 60, 1, a)); /* each group alone */
    check_folds(data, a, 60);
    assert_fails(ctx, cau_folds(ctx, &data->train, 61, 1, a), CAUCUS_ERR_ARGUMENT,
                 "cannot make 61 folds of 60 units; use between 2 and 60");
    cau_data_free(data);
    data = skewed(ctx, 5, 1, false, 3);
    assert_fails(ctx, cau_folds(ctx, &data->train, 6, 1, a), CAUCUS_ERR_ARGUMENT, "5 sequences");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Gaps between group numbers, as files leave them, change nothing. */
static void test_gaps(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = skewed(ctx, 40, 4, true, 5);
    cau_dataset *set = &data->train;
    uint32_t fold[2000], gaps[2000];
    unsigned char role[2000], role_gaps[2000];
    assert_ok(ctx, cau_folds(ctx, set, 3, 1, fold));
    assert_ok(ctx, cau_curve_subset(ctx, set, false, 1, 1, role));
    for (size_t s = 0; s < set->S; s++) set->unit[s] = 3 * set->unit[s] + 2;
    assert_int_equal(cau_count_groups(set), 40);
    assert_ok(ctx, cau_folds(ctx, set, 3, 1, gaps));
    assert_memory_equal(fold, gaps, set->S * sizeof *fold);
    assert_ok(ctx, cau_curve_subset(ctx, set, false, 1, 1, role_gaps));
    assert_memory_equal(role, role_gaps, set->S);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Each subset of a curve contains the next smaller one, all subsets of a seed have the same
 * held-out part, groups stay whole, and seeds differ. */
static void test_subsets(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t longest = 1; longest <= 4; longest += 3) {
        caucus_data *data = skewed(ctx, 60, longest, true, 5);
        const cau_dataset *set = &data->train;
        unsigned char role[2000], larger[2000], first[2000];
        const size_t sizes = cau_curve_sizes(set, false);
        assert_true(sizes >= 3);
        for (uint64_t seed = 1; seed < 6; seed++)
            for (size_t halvings = 0; halvings < sizes; halvings++) {
                size_t trained = 0, held = 0, largest = 1;
                assert_ok(ctx, cau_curve_subset(ctx, set, false, seed, halvings, role));
                for (size_t s = 0; s < set->S; s++) {
                    size_t group = 0;
                    trained += role[s] == CAU_TRAINED;
                    held += role[s] == CAU_HELD;
                    if (halvings && role[s] == CAU_TRAINED)
                        assert_int_equal(larger[s], CAU_TRAINED);
                    if (halvings) assert_int_equal(larger[s] == CAU_HELD, role[s] == CAU_HELD);
                    for (size_t r = 0; set->unit && r < set->S; r++)
                        if (set->unit[r] == set->unit[s]) {
                            assert_int_equal(role[r], role[s]);
                            group++;
                        }
                    if (group > largest) largest = group;
                }
                const size_t wanted = (set->S - held - 1) / ((size_t)1 << halvings) + 1;
                assert_in_range(trained, wanted, wanted + largest - 1);
                if (halvings == 0) assert_int_equal(trained + held, set->S);
                if (longest == 1) assert_int_equal(held, 12);
                if (halvings == 0 && seed == 1) memcpy(first, role, set->S);
                if (halvings == 0 && seed > 1) assert_memory_not_equal(first, role, set->S);
                memcpy(larger, role, set->S);
            }
        /* with test data nothing is held out */
        assert_ok(ctx, cau_curve_subset(ctx, set, true, 1, 0, role));
        for (size_t s = 0; s < set->S; s++) assert_int_equal(role[s], CAU_TRAINED);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_dataset *set;
} fold_case;

static caucus_status make_folds(void *self)
{
    const fold_case *m = self;
    uint32_t fold[2000];
    unsigned char role[2000];
    const caucus_status st = cau_folds(m->ctx, m->set, 3, 1, fold);
    return st ? st : cau_curve_subset(m->ctx, m->set, false, 1, 1, role);
}

static void test_memory(void **state)
{
    (void)state;
    fold_case m = {.ctx = test_ctx()};
    caucus_data *data = skewed(m.ctx, 20, 3, true, 1);
    m.set = &data->train;
    assert_true(test_every_allocation(make_folds, &m) > 8);
    cau_data_free(data);
    caucus_ctx_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_seeds),   cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_subsets), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
