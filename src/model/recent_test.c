/* recent_test.c - names that are met once, again, and after many others. */

#include "model/recent.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/sample.h"

enum { MANY = 60000, NAME = 16, AT_ONCE = 50 };

/* Every other name of the crowd is in the model. */
static cau_str crowd_name(const void *self, size_t k)
{
    return sample_string(((const char(*)[NAME])self)[2 * k]);
}

static cau_str crowd_label(const void *self, size_t y)
{
    (void)self;
    return sample_string(y ? "b" : "a");
}

static caucus_model *crowd_model(caucus_ctx *ctx, char (*name)[NAME])
{
    static double w[MANY / 2][2];
    for (size_t k = 0; k < MANY; k++) {
        snprintf(name[k], NAME, "name %zu", k);
        w[k / 2][0] = w[k / 2][1] = 1;
    }
    cau_model_parts parts = {
        .Y = 2,
        .nodes = {.table = {.rows = MANY / 2, .width = 2}, .w = *w, .name = crowd_name},
        .label = crowd_label,
        .self = name,
        .read = {.ngrams = 1}};
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    return m;
}

/* Asks for AT_ONCE names from `first` on, one by one, checks the answers, and gives how many were
 * not known at once. */
static size_t ask_keys(cau_recent *recent, const caucus_model *m, char (*name)[NAME], size_t first)
{
    uint64_t hash[AT_ONCE];
    uint32_t row[AT_ONCE + CAU_RECENT_SPARE];
    cau_open open[AT_ONCE];
    size_t opens = 0;
    for (size_t i = 0; i < AT_ONCE; i++) {
        const cau_str s = sample_string(name[first + i]);
        opens += cau_recent_ask_key(recent, &m->nodes, cau_model_hash(m, s.s, s.n), i, hash, row,
                                    open + opens);
    }
    cau_recent_answer(recent, &m->nodes, opens, open, hash, row);
    for (size_t i = 0; i < AT_ONCE; i++)
        assert_int_equal(row[i], (first + i) % 2 ? CAU_UNKNOWN : (first + i) / 2);
    return opens;
}

/* The same for contents, the numbers but for their last digit, in a family of `members`: the last
 * digits from `digit` on. AT_ONCE of them, in two parts. */
static size_t ask_family(cau_recent *recent, const caucus_model *m, uint32_t members, size_t digit,
                         size_t first)
{
    uint64_t hash[AT_ONCE * CAU_FAMILY_MOST];
    uint32_t row[AT_ONCE * CAU_FAMILY_MOST + CAU_RECENT_SPARE];
    cau_open open[AT_ONCE];
    cau_key content[AT_ONCE];
    cau_family family = {.number = 1 + (uint32_t)digit, .members = members};
    for (size_t i = 0; i < members; i++) {
        char tail[NAME];
        snprintf(tail, sizeof tail, "%zu", digit + i);
        family.head[i] = cau_model_hash(m, "name ", 5);
        family.tail[i] = cau_key_of(m->base, tail, 1);
    }
    for (size_t j = 0; j < AT_ONCE; j++) {
        char text[NAME];
        const int n = snprintf(text, sizeof text, "%zu", first + j);
        content[j] = cau_key_of(m->base, text, (size_t)n);
    }
    const size_t half = AT_ONCE / 2;
    size_t opens = cau_recent_ask(recent, &m->nodes, &family, half, content, 0, hash, row, open);
    opens += cau_recent_ask(recent, &m->nodes, &family, half, content + half, half * members, hash,
                            row, open + opens);
    cau_recent_answer(recent, &m->nodes, opens, open, hash, row);
    for (size_t j = 0; j < AT_ONCE; j++)
        for (size_t i = 0; i < members; i++) {
            const size_t k = 10 * (first + j) + digit + i;
            assert_int_equal(row[j * members + i], k % 2 ? CAU_UNKNOWN : k / 2);
        }
    return opens;
}

/* More names than there are places for: whoever is asked for, the answer is right, and what was
 * asked for just before is known. */
static void test_names(void **state)
{
    (void)state;
    static char name[MANY][NAME];
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = crowd_model(ctx, name);
    cau_recent *recent = cau_recent_new();
    assert_non_null(recent);
    for (int again = 0; again < 2; again++)
        for (size_t first = 0; first < MANY; first += AT_ONCE) {
            assert_true(ask_keys(recent, m, name, first) > AT_ONCE / 2);
            assert_true(ask_keys(recent, m, name, first) < AT_ONCE / 2);
        }
    free(recent);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* Families do not take each other's answers, nor those of names, though contents are the same. */
static void test_families(void **state)
{
    (void)state;
    static char name[MANY][NAME];
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = crowd_model(ctx, name);
    cau_recent *recent = cau_recent_new();
    assert_non_null(recent);
    for (size_t first = AT_ONCE; first + AT_ONCE <= MANY / 10; first += AT_ONCE) {
        assert_true(ask_family(recent, m, 5, 0, first) > AT_ONCE / 2);
        assert_true(ask_family(recent, m, 4, 5, first) > AT_ONCE / 2);
        assert_true(ask_family(recent, m, 1, 9, first) > AT_ONCE / 2);
        assert_true(ask_family(recent, m, 5, 0, first) < AT_ONCE / 2);
        assert_true(ask_family(recent, m, 4, 5, first) < AT_ONCE / 2);
        assert_true(ask_family(recent, m, 1, 9, first) < AT_ONCE / 2);
        ask_keys(recent, m, name, first);
    }
    free(recent);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_families)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
