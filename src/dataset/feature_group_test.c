/* feature_group_test.c - groups of features by their names. */

#include "dataset/feature_group.h"

#include <stdio.h>
#include <string.h>

#include "support/base_sample.h"
#include "support/support.h"

static void test_kind_of(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"U05:the/cat", "U05"}, {"w[-1]=the", "w"},   {"pos=NN:x", "pos"},
        {"U00", "U00"},         {":x", ""},           {"", ""},
        {"a:b:c", "a"},         {"größe=1", "größe"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cau_str kind = cau_feature_group_of(str(cases[i][0]));
        assert_int_equal(kind.n, strlen(cases[i][1]));
        assert_memory_equal(kind.s, cases[i][1], kind.n);
    }
}

static void expect_kind(const cau_feature_groups *kinds, const cau_alphabet *names,
                        const char *name, const char *want)
{
    const uint32_t k = cau_alphabet_find(names, name, strlen(name));
    assert_true(k < kinds->K);
    assert_string_equal(cau_alphabet_name(kinds->names, kinds->of[k]).s, want);
}

/* A few names without a separator are groups of their own; many form one group. */
static void test_kinds(void **state)
{
    (void)state;
    static const char *const known[] = {"U01:a", "U00:a", "U01:b", "capital", "w[0]=x"};
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *names = NULL;
    cau_feature_groups kinds = {0};
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    assert_ok(ctx, cau_feature_groups_init(ctx, names, &kinds));
    assert_int_equal(kinds.K, 0);
    cau_feature_groups_clear(&kinds);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cau_alphabet_add(names, known[i], strlen(known[i]));
    assert_ok(ctx, cau_feature_groups_init(ctx, names, &kinds));
    assert_int_equal(kinds.K, 5);
    assert_int_equal(cau_alphabet_size(kinds.names), 4);
    static const uint32_t of[] = {0, 1, 0, 2, 3}; /* numbered by first occurrence */
    assert_memory_equal(kinds.of, of, sizeof of);
    expect_kind(&kinds, names, "U01:b", "U01");
    expect_kind(&kinds, names, "capital", "capital");
    cau_feature_groups_clear(&kinds);

    for (int i = 0; i < 100; i++) {
        char word[16];
        cau_alphabet_add(names, word, (size_t)snprintf(word, sizeof word, "word%d", i));
    }
    assert_ok(ctx, cau_feature_groups_init(ctx, names, &kinds));
    assert_int_equal(cau_alphabet_size(kinds.names), 4); /* U01 U00 "" w */
    expect_kind(&kinds, names, "word77", "");
    expect_kind(&kinds, names, "capital", "");
    expect_kind(&kinds, names, "U00:a", "U00");
    cau_feature_groups_clear(&kinds);
    cau_feature_groups_clear(&kinds); /* clearing twice is allowed */
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_alphabet *names;
} group_run;

static caucus_status try_kinds(void *self)
{
    const group_run *a = self;
    cau_feature_groups kinds = {0};
    caucus_status st = cau_feature_groups_init(a->ctx, a->names, &kinds);
    cau_feature_groups_clear(&kinds);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *names = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    for (int i = 0; i < 200; i++) {
        char name[16];
        cau_alphabet_add(names, name, (size_t)snprintf(name, sizeof name, "U%d:x", i));
    }
    group_run a = {ctx, names};
    assert_true(test_every_allocation(try_kinds, &a) > 2);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kind_of),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/feature_group", tests, NULL, NULL);
}
