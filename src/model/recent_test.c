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

/* Asks for AT_ONCE names from `first` on, checks the answers, and gives how many were not known
 * at once. */
static size_t ask(cau_recent *recent, const caucus_model *m, char (*name)[NAME], size_t first)
{
    uint64_t hash[AT_ONCE];
    uint32_t row[AT_ONCE], open[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++) {
        const cau_str s = sample_string(name[first + i]);
        hash[i] = cau_model_hash(m, s.s, s.n);
    }
    const size_t half = cau_recent_ask(recent, &m->nodes, 0, AT_ONCE / 2, hash, row, open);
    const size_t count =
        half + cau_recent_ask(recent, &m->nodes, AT_ONCE / 2, AT_ONCE, hash, row, open + half);
    cau_recent_answer(recent, &m->nodes, count, open, hash, row);
    for (size_t i = 0; i < AT_ONCE; i++)
        assert_int_equal(row[i], (first + i) % 2 ? CAU_UNKNOWN : (first + i) / 2);
    return count;
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
            assert_true(ask(recent, m, name, first) > AT_ONCE / 2);
            assert_true(ask(recent, m, name, first) < AT_ONCE / 2);
        }
    free(recent);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
