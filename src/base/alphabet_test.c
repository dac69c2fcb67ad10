/* alphabet_test.c - checks names and their numbers against a plain list. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/rng.h"
#include "support/support.h"

static void test_numbers_in_order(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *a = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &a));
    assert_int_equal(cau_alphabet_size(a), 0);
    assert_int_equal(cau_alphabet_find(a, "x", 1), CAU_UNKNOWN);
    assert_int_equal(cau_alphabet_add(a, "x", 1), 0);
    assert_int_equal(cau_alphabet_add(a, "", 0), 1);
    assert_int_equal(cau_alphabet_add(a, "xy", 2), 2);
    assert_int_equal(cau_alphabet_add(a, "x", 1), 0);
    assert_int_equal(cau_alphabet_find(a, "", 0), 1);
    assert_int_equal(cau_alphabet_find(a, "xy?", 2), 2); /* only the first n bytes count */
    assert_int_equal(cau_alphabet_find(a, "y", 1), CAU_UNKNOWN);
    assert_int_equal(cau_alphabet_size(a), 3);
    assert_string_equal(cau_alphabet_name(a, 2).s, "xy");
    assert_int_equal(cau_alphabet_name(a, 1).n, 0);
    cau_alphabet_free(a);
    cau_alphabet_free(NULL);
    caucus_ctx_free(ctx);
}

/* Writes the i-th name: grouped names differ and some are long. */
static size_t make_name(char *name, size_t i)
{
    return (size_t)sprintf(name, i % 7 ? "name-%zu" : "a longer name with blanks in it %zu", i);
}

static void test_many_names(void **state)
{
    (void)state;
    enum { NAMES = 100000 };
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *a = NULL;
    cau_rng rng;
    char name[64];
    cau_rng_init(&rng, 7);
    assert_ok(ctx, cau_alphabet_new(ctx, &a));
    for (size_t i = 0; i < NAMES; i++) {
        assert_int_equal(cau_alphabet_add(a, name, make_name(name, i)), i);
        const size_t old = (size_t)cau_rng_below(&rng, i + 1);
        assert_int_equal(cau_alphabet_add(a, name, make_name(name, old)), old);
    }
    assert_int_equal(cau_alphabet_size(a), NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        const size_t n = make_name(name, i);
        const cau_str got = cau_alphabet_name(a, (uint32_t)i);
        assert_int_equal(got.n, n);
        assert_string_equal(got.s, name);
        assert_int_equal(cau_alphabet_find(a, name, n), i);
    }
    assert_int_equal(cau_alphabet_find(a, name, make_name(name, NAMES)), CAU_UNKNOWN);
    cau_alphabet_free(a);
    caucus_ctx_free(ctx);
}

/* Adding names in a group gives the same numbers as adding them single by single, also with
 * repeated names and when the table grows. */
static void test_add_all(void **state)
{
    (void)state;
    enum { MOST = 100, ROUNDS = 500 };
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *single = NULL, *grouped = NULL;
    cau_rng rng;
    static char text[MOST][64];
    cau_rng_init(&rng, 11);
    assert_ok(ctx, cau_alphabet_new(ctx, &single));
    assert_ok(ctx, cau_alphabet_new(ctx, &grouped));
    for (size_t round = 0; round < ROUNDS; round++) {
        cau_str name[MOST];
        uint32_t id[MOST];
        const size_t count = (size_t)cau_rng_below(&rng, MOST + 1);
        for (size_t i = 0; i < count; i++)
            name[i] = (cau_str){text[i], make_name(text[i], cau_rng_below(&rng, 40 * (round + 1)))};
        cau_alphabet_add_all(grouped, name, count, id);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(id[i], cau_alphabet_add(single, name[i].s, name[i].n));
    }
    assert_int_equal(cau_alphabet_size(grouped), cau_alphabet_size(single));
    cau_alphabet_free(single);
    cau_alphabet_free(grouped);
    caucus_ctx_free(ctx);
}

static void test_filter(void **state)
{
    (void)state;
    enum { NAMES = 5000 };
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *a = NULL;
    char name[64];
    static uint32_t keep[NAMES];
    assert_ok(ctx, cau_alphabet_new(ctx, &a));
    for (size_t i = 0; i < NAMES; i++) {
        cau_alphabet_add(a, name, make_name(name, i));
        keep[i] = i % 3 == 1 ? 77 : 0;
    }
    cau_alphabet_filter(a, keep);

    uint32_t next = 0;
    for (size_t i = 0; i < NAMES; i++) {
        const uint32_t want = i % 3 == 1 ? next++ : CAU_UNKNOWN;
        const size_t n = make_name(name, i);
        assert_int_equal(keep[i], want);
        assert_int_equal(cau_alphabet_find(a, name, n), want);
        if (want != CAU_UNKNOWN) assert_string_equal(cau_alphabet_name(a, want).s, name);
    }
    assert_int_equal(cau_alphabet_size(a), next);
    assert_int_equal(cau_alphabet_add(a, "new", 3), next); /* numbering continues */
    assert_int_equal(cau_alphabet_find(a, "new", 3), next);
    cau_alphabet_free(a);
    caucus_ctx_free(ctx);
}

/* Adds 200 names. After a failure, the names added before it must still be found. */
static caucus_status fill(void *self)
{
    caucus_ctx *ctx = self;
    cau_alphabet *a = NULL;
    caucus_status st = cau_alphabet_new(ctx, &a);
    char name[64];
    for (size_t i = 0; !st && i < 200; i++)
        if (cau_alphabet_add(a, name, make_name(name, i)) == CAU_UNKNOWN) {
            st = CAUCUS_ERR_MEMORY;
            assert_int_equal(cau_alphabet_size(a), i);
            for (size_t j = 0; j < i; j++)
                assert_int_equal(cau_alphabet_find(a, name, make_name(name, j)), j);
        }
    cau_alphabet_free(a);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(test_every_allocation(fill, ctx) > 5);
    caucus_ctx_free(ctx);
}

static void test_join(void **state)
{
    (void)state;
    enum { FIRST = 1000, SECOND = 3000, SHIFT = 500 };
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *a = NULL, *b = NULL;
    uint32_t *ids = calloc(SECOND, sizeof *ids);
    char name[16];
    assert_ok(ctx, cau_alphabet_new(ctx, &a));
    assert_ok(ctx, cau_alphabet_new(ctx, &b));
    for (int round = 0; round < 2; round++) { /* the second round uses the emptied alphabet */
        cau_alphabet_empty(a);
        cau_alphabet_empty(b);
        assert_int_equal(cau_alphabet_size(a), 0);
        assert_int_equal(cau_alphabet_find(a, "0", 1), CAU_UNKNOWN);
        for (uint32_t i = 0; i < FIRST; i++)
            cau_alphabet_add(a, name, (size_t)snprintf(name, sizeof name, "%u", i));
        for (uint32_t i = 0; i < SECOND; i++)
            cau_alphabet_add(b, name, (size_t)snprintf(name, sizeof name, "%u", i + SHIFT));
        assert_true(cau_alphabet_join(a, b, ids));
        assert_int_equal(cau_alphabet_size(a), SECOND + SHIFT);
        for (uint32_t i = 0; i < SECOND; i++) assert_int_equal(ids[i], i + SHIFT);
        for (uint32_t i = 0; i < SECOND + SHIFT; i++) {
            snprintf(name, sizeof name, "%u", i);
            assert_string_equal(cau_alphabet_name(a, i).s, name);
        }
    }
    free(ids);
    cau_alphabet_free(a);
    cau_alphabet_free(b);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_in_order),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_add_all),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("base/alphabet", tests, NULL, NULL);
}
