/* darts_test.c - double arrays: built, searched as CRF++ does, read again, damaged. */

#include <stdlib.h>

#include "base/rng.h"
#include "peers/darts.h"
#include "support/peer_sample.h"

/* The value of a key by the rule of CRF++, or -1. */
static long search(const cau_strbuf *units, const char *key)
{
    uint32_t b = get32(units->s);
    for (; *key; key++) {
        const size_t p = (size_t)b + (unsigned char)*key + 1;
        assert_true(8 * p + 8 <= units->n);
        if (get32(units->s + 8 * p + 4) != b) return -1;
        b = get32(units->s + 8 * p);
    }
    assert_true(8 * (size_t)b + 8 <= units->n);
    const int32_t n = (int32_t)get32(units->s + 8 * (size_t)b);
    return get32(units->s + 8 * (size_t)b + 4) == b && n < 0 ? -(long)n - 1 : -1;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const cau_darts_key *)a)->text.s, ((const cau_darts_key *)b)->text.s);
}

/* Random words, some of which begin others, sorted and without repeats. */
static size_t random_keys(cau_rng *rng, cau_arena *arena, cau_darts_key *key, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        char text[12];
        size_t n = 1 + (size_t)cau_rng_below(rng, 10);
        for (size_t c = 0; c < n; c++)
            text[c] = cau_rng_below(rng, 4) ? (char)('a' + cau_rng_below(rng, 3))
                                            : (char)(1 + cau_rng_below(rng, 255));
        key[i] = (cau_darts_key){{cau_arena_copy(arena, text, n), n}, 0};
    }
    qsort(key, most, sizeof *key, compare_keys);
    for (size_t i = 0; i < most; i++)
        if (count == 0 || strcmp(key[count - 1].text.s, key[i].text.s) != 0) key[count++] = key[i];
    for (size_t i = 0; i < count; i++) key[i].value = (uint32_t)(7 * i);
    return count;
}

static void test_round(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t most = 0; most <= MOST; most = 3 * most + 1) {
        static cau_darts_key key[MOST];
        cau_arena arena;
        cau_arena_init(&arena);
        cau_strbuf units = {0};
        const size_t count = random_keys(&rng, &arena, key, most);
        assert_int_equal(cau_darts_build(key, count, &units), CAUCUS_OK);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(search(&units, key[i].text.s), key[i].value);
        assert_int_equal(search(&units, "no such key"), -1);
        cau_darts_key *again = NULL;
        size_t found = 0;
        if (count) {
            const cau_str bytes = {units.s, units.n};
            assert_int_equal(cau_darts_read(&arena, bytes, &again, &found), CAUCUS_OK);
        }
        assert_int_equal(found, count);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(again[i].text.s, key[i].text.s);
            assert_int_equal(again[i].value, key[i].value);
        }
        cau_strbuf_clear(&units);
        cau_arena_clear(&arena);
    }
}

/* Arrays that no trie has: each is refused, and none takes long. */
static void test_damaged(void **state)
{
    (void)state;
    cau_darts_key key[] = {{CAU_STR("ab"), 0}, {CAU_STR("ac"), 1}}, *read = NULL;
    size_t count = 0;
    cau_strbuf units = {0};
    cau_arena arena;
    cau_arena_init(&arena);
    assert_int_equal(cau_darts_build(key, 2, &units), CAUCUS_OK);
    for (size_t at = 0; at + 8 <= units.n; at += 4)
        for (uint32_t value = 0; value < 400; value += 1 + value / 3) {
            const uint32_t old = get32(units.s + at);
            set32(&units, at, value);
            const caucus_status st =
                cau_darts_read(&arena, (cau_str){units.s, units.n}, &read, &count);
            assert_true(st == CAUCUS_OK || st == CAUCUS_ERR_FORMAT);
            set32(&units, at, old);
        }
    /* The root is its own child; an odd size; nothing. */
    const uint32_t root = get32(units.s);
    set32(&units, 8 * ((size_t)root + 1 + 'a'), root);
    assert_int_equal(cau_darts_read(&arena, (cau_str){units.s, units.n}, &read, &count),
                     CAUCUS_ERR_FORMAT);
    assert_int_equal(cau_darts_read(&arena, (cau_str){units.s, 12}, &read, &count),
                     CAUCUS_ERR_FORMAT);
    assert_int_equal(cau_darts_read(&arena, (cau_str){units.s, 0}, &read, &count),
                     CAUCUS_ERR_FORMAT);
    cau_strbuf_clear(&units);
    cau_arena_clear(&arena);
}

/* A chain of which each node ends a key: the names would have the square of its length. */
static void test_long_names(void **state)
{
    (void)state;
    enum { NODES = 20000 };
    cau_strbuf units = {0};
    cau_arena arena;
    cau_darts_key *read = NULL;
    size_t count = 0;
    cau_arena_init(&arena);
    put32(&units, 1), put32(&units, 0);
    for (uint32_t u = 1; u <= 3 * NODES + 2; u++) {
        /* node b = 3i + 1: unit b ends a key, unit b + 2 (byte 1) leads to node b + 3 */
        const uint32_t i = (u - 1) / 3, b = 3 * i + 1;
        put32(&units, u == b ? 0xFFFFFFFF - i : u == b + 2 && i < NODES ? b + 3 : 0);
        put32(&units, u == b ? (i ? b : 0) : u == b + 2 && i < NODES ? b : 0);
    }
    assert_int_equal(cau_darts_read(&arena, (cau_str){units.s, units.n}, &read, &count),
                     CAUCUS_ERR_FORMAT);
    cau_strbuf_clear(&units);
    cau_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
