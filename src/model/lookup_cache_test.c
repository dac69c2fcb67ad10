/* lookup_cache_test.c - lookups of new content, of recent content, and of content that was
 * evicted. */

#include "model/lookup_cache.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/model_sample.h"

enum { MANY = 60000, NAME = 16, AT_ONCE = 50 };

/* Every other name is in the model. */
static cau_str cached_name(const void *self, size_t k)
{
    return str(((const char(*)[NAME])self)[2 * k]);
}

static cau_str cached_label(const void *self, size_t y)
{
    (void)self;
    return str(y ? "b" : "a");
}

static caucus_model *cached_model(caucus_ctx *ctx, char (*name)[NAME])
{
    static double w[MANY / 2][2];
    for (size_t k = 0; k < MANY; k++) {
        snprintf(name[k], NAME, "name %zu", k);
        w[k / 2][0] = w[k / 2][1] = 1;
    }
    cau_model_parts parts = {
        .Y = 2,
        .nodes = {.table = {.rows = MANY / 2, .width = 2}, .w = *w, .name = cached_name},
        .label = cached_label,
        .self = name,
        .read = {.ngrams = 1}};
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    return m;
}

/* Looks up AT_ONCE contents from `first` on in a family of `members`. The names are ten times the
 * content plus a last digit, from `digit` on. Looks up two parts, then a single key. Checks the
 * rows, and returns the number of contents that the cache did not have. */
static size_t look_up(cau_lookup_cache *cache, const caucus_model *m, uint32_t members,
                      size_t digit, size_t first)
{
    enum { ALONE = AT_ONCE * CAU_FAMILY_MOST };
    uint64_t hash[ALONE + 1];
    uint32_t row[ALONE + CAU_RECENT_SPARE];
    cau_open open[AT_ONCE + 1];
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
    size_t opens =
        cau_lookup_cache_ask(cache, &m->nodes, &family, half, content, 0, hash, row, open);
    opens += cau_lookup_cache_ask(cache, &m->nodes, &family, half, content + half, half * members,
                                  hash, row, open + opens);
    open[opens] = (cau_open){.members = 1, .place = ALONE};
    hash[ALONE] = cau_model_hash(m, "name 8", 6);
    cau_lookup_cache_answer(cache, &m->nodes, opens + 1, open, hash, row);
    assert_int_equal(row[ALONE], 8 / 2);
    for (size_t j = 0; j < AT_ONCE; j++)
        for (size_t i = 0; i < members; i++) {
            const size_t k = 10 * (first + j) + digit + i;
            assert_int_equal(row[j * members + i], k % 2 ? CAU_UNKNOWN : k / 2);
        }
    return opens;
}

/* With more contents than cache entries, every lookup is right, and repeated lookups hit the cache.
 * Families do not share entries, although their contents are equal. */
static void test_families(void **state)
{
    (void)state;
    static char name[MANY][NAME];
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = cached_model(ctx, name);
    cau_lookup_cache *cache = cau_lookup_cache_new();
    assert_non_null(cache);
    for (int again = 0; again < 2; again++)
        for (size_t first = AT_ONCE; first < MANY / 10; first += AT_ONCE) {
            assert_true(look_up(cache, m, 5, 0, first) > AT_ONCE / 2);
            assert_true(look_up(cache, m, 4, 5, first) > AT_ONCE / 2);
            assert_true(look_up(cache, m, 1, 9, first) > AT_ONCE / 2);
            assert_true(look_up(cache, m, 5, 0, first) < AT_ONCE / 2);
            assert_true(look_up(cache, m, 4, 5, first) < AT_ONCE / 2);
            assert_true(look_up(cache, m, 1, 9, first) < AT_ONCE / 2);
        }
    free(cache);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_families)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
