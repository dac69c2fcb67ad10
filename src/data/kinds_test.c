/* kinds_test.c - kinds of features by their names, and globs against a plain recursion. */

#include "data/kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support.h"

static cau_str str(const char *s)
{
    return (cau_str){s, strlen(s)};
}

static void test_kind_of(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"U05:the/cat", "U05"}, {"w[-1]=the", "w"},   {"pos=NN:x", "pos"},
        {"U00", "U00"},         {":x", ""},           {"", ""},
        {"a:b:c", "a"},         {"größe=1", "größe"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cau_str kind = cau_kind_of(str(cases[i][0]));
        assert_int_equal(kind.n, strlen(cases[i][1]));
        assert_memory_equal(kind.s, cases[i][1], kind.n);
    }
}

static void expect_kind(const cau_kinds *kinds, const cau_alphabet *names, const char *name,
                        const char *want)
{
    const uint32_t k = cau_alphabet_find(names, name, strlen(name));
    assert_true(k < kinds->K);
    assert_string_equal(cau_alphabet_name(kinds->names, kinds->of[k]).s, want);
}

/* Few names without a sign are kinds of their own; many are one kind. */
static void test_kinds(void **state)
{
    (void)state;
    static const char *const known[] = {"U01:a", "U00:a", "U01:b", "capital", "w[0]=x"};
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *names = NULL;
    cau_kinds kinds = {0};
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    assert_ok(ctx, cau_kinds_init(ctx, names, &kinds));
    assert_int_equal(kinds.K, 0);
    cau_kinds_clear(&kinds);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cau_alphabet_add(names, known[i], strlen(known[i]));
    assert_ok(ctx, cau_kinds_init(ctx, names, &kinds));
    assert_int_equal(kinds.K, 5);
    assert_int_equal(cau_alphabet_size(kinds.names), 4);
    static const uint32_t of[] = {0, 1, 0, 2, 3}; /* in the order of their coming */
    assert_memory_equal(kinds.of, of, sizeof of);
    expect_kind(&kinds, names, "U01:b", "U01");
    expect_kind(&kinds, names, "capital", "capital");
    cau_kinds_clear(&kinds);

    for (int i = 0; i < 100; i++) {
        char word[16];
        cau_alphabet_add(names, word, (size_t)snprintf(word, sizeof word, "word%d", i));
    }
    assert_ok(ctx, cau_kinds_init(ctx, names, &kinds));
    assert_int_equal(cau_alphabet_size(kinds.names), 4); /* U01 U00 "" w */
    expect_kind(&kinds, names, "word77", "");
    expect_kind(&kinds, names, "capital", "");
    expect_kind(&kinds, names, "U00:a", "U00");
    cau_kinds_clear(&kinds);
    cau_kinds_clear(&kinds); /* twice is fine */
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

static void test_glob(void **state)
{
    (void)state;
    static const struct {
        const char *glob, *text;
        bool fits;
    } cases[] = {
        {"", "", true},           {"", "a", false},           {"*", "", true},
        {"*", "abc", true},       {"?", "", false},           {"?", "a", true},
        {"?", "é", true},         {"??", "é", false},         {"*?", "é", true},
        {"U0*", "U01:x", true},   {"U0*", "U11:x", false},    {"*:x", "U01:x", true},
        {"*:x", "U01:xy", false}, {"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXcYb", false},
        {"**a**", "bab", true},   {"a?c", "abc", true},       {"a?c", "ac", false},
        {"[a]", "[a]", true},     {"a\\*", "a\\b", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cau_glob(str(cases[i].glob), str(cases[i].text)), cases[i].fits);
    assert_true(cau_glob(str("a*"), (cau_str){"ab", 1})); /* the text ends before the b */
    assert_false(cau_glob(str("ab"), (cau_str){"ab", 1}));
    assert_false(cau_glob(str("a"), (cau_str){"a\0", 2}));
    assert_true(cau_glob(str("*"), (cau_str){NULL, 0}));
}

/* What a glob is by definition, for texts of bytes. */
static bool fits(const char *glob, const char *s)
{
    if (*glob == '*') return fits(glob + 1, s) || (*s && fits(glob, s + 1));
    if (*glob == '\0' || *s == '\0') return *glob == *s;
    return (*glob == '?' || *glob == *s) && fits(glob + 1, s + 1);
}

static void test_random_globs(void **state)
{
    (void)state;
    cau_rng rng;
    size_t fitting = 0;
    cau_rng_init(&rng, 12);
    for (int i = 0; i < 20000; i++) {
        char glob[8] = {0}, text[10] = {0};
        for (size_t n = cau_rng_below(&rng, 7), j = 0; j < n; j++)
            glob[j] = "ab*?"[cau_rng_below(&rng, 4)];
        for (size_t n = cau_rng_below(&rng, 9), j = 0; j < n; j++)
            text[j] = "ab"[cau_rng_below(&rng, 2)];
        assert_int_equal(cau_glob(str(glob), str(text)), fits(glob, text));
        fitting += fits(glob, text);
    }
    assert_true(fitting > 2000);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_alphabet *names;
} attempt;

static caucus_status try_kinds(void *self)
{
    const attempt *a = self;
    cau_kinds kinds = {0};
    caucus_status st = cau_kinds_init(a->ctx, a->names, &kinds);
    cau_kinds_clear(&kinds);
    return st;
}

static void test_without_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *names = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    for (int i = 0; i < 200; i++) {
        char name[16];
        cau_alphabet_add(names, name, (size_t)snprintf(name, sizeof name, "U%d:x", i));
    }
    attempt a = {ctx, names};
    assert_true(test_every_allocation(try_kinds, &a) > 2);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kind_of),        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_glob),           cmocka_unit_test(test_random_globs),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests_name("data/kinds", tests, NULL, NULL);
}
