/* lookup_test.c - finds names among many, and sums the scores of their weights. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/layout.h"
#include "support/model_sample.h"

enum { MANY = 20000, NAME = 16, WIDTH = 5 };

/* Many names, each with WIDTH weights, or one weight if stored sparsely. */
typedef struct {
    char text[MANY][NAME];
    double w[MANY][WIDTH];
} lookup_names;

static cau_str nth_name(const void *self, size_t k)
{
    return str(((const lookup_names *)self)->text[k]);
}

static cau_str nth_label(const void *self, size_t y)
{
    static const char *const labels[WIDTH] = {"a", "b", "c", "d", "e"};
    (void)self;
    return str(labels[y]);
}

static caucus_model *names_model(lookup_names *c, bool packed)
{
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t k = 0; k < MANY; k++) {
        snprintf(c->text[k], NAME, "name %zu", k);
        for (size_t y = 0; y < WIDTH; y++)
            c->w[k][y] = packed && y != k % WIDTH ? 0 : (double)(float)(1 + cau_rng_real(&rng));
    }
    cau_model_parts parts = {
        .Y = WIDTH,
        .nodes = {.table = {.rows = MANY, .width = WIDTH}, .w = *c->w, .name = nth_name},
        .label = nth_label,
        .self = c,
        .read = {.ngrams = 1}};
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    assert_true(!m->nodes.dense == packed);
    caucus_ctx_free(ctx);
    return m;
}

/* All names are found, in one step and in two, and others are not. */
static void test_many_names(void **state)
{
    (void)state;
    static lookup_names c;
    caucus_model *m = names_model(&c, false);
    for (uint32_t k = 0; k < MANY; k++) {
        cau_str name = nth_name(&c, k);
        uint64_t hash = cau_model_hash(m, name.s, name.n);
        assert_int_equal(cau_model_find(m, &m->nodes, name.s, name.n), k);
        cau_model_ask(&m->nodes, hash);
        assert_int_equal(cau_model_answer(&m->nodes, hash), k);
        assert_int_equal(cau_model_find(m, &m->nodes, name.s + 1, name.n - 1), CAU_UNKNOWN);
        cau_model_ask(&m->edges, hash);
        assert_int_equal(cau_model_answer(&m->edges, hash), CAU_UNKNOWN);
    }
    cau_model_free(m);
}

/* The table is sorted, no slot is before its place, and searches are short. */
static void test_order(void **state)
{
    (void)state;
    static lookup_names c;
    caucus_model *m = names_model(&c, false);
    const cau_observations *of = &m->nodes;
    uint64_t last = 0;
    size_t found = 0, steps = 0;
    for (size_t i = 0; found < of->K; i++) {
        uint64_t value = cau_name_slot_value(&of->slot[i]);
        if (of->slot[i].row == CAU_UNKNOWN) {
            assert_true(value == UINT64_MAX);
            continue;
        }
        assert_true(value > last);
        assert_true(cau_name_slot_first(value, of->slots) <= i);
        steps += 1 + i - cau_name_slot_first(value, of->slots);
        last = value;
        found++;
    }
    assert_true((double)steps / (double)found < 1.6); /* 1.5 in theory */

    steps = 0;
    for (size_t i = 0; i < MANY; i++) { /* names that the model lacks */
        char name[NAME];
        int n = snprintf(name, sizeof name, "other %zu", i);
        uint64_t mixed = cau_name_slot_mix(cau_model_hash(m, name, (size_t)n));
        size_t at = cau_name_slot_first(mixed, of->slots);
        for (steps++; cau_name_slot_value(&of->slot[at]) < mixed; at++) steps++;
    }
    assert_true((double)steps / MANY < 1.6);
    cau_model_free(m);
}

/* No name hashes to all ones, the mark of a free slot. */
static void test_free_value(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = sample_build(ctx, SAMPLE_EDGES);
    uint64_t hash = 0xe217c1e68e9f0dd;
    assert_true(cau_name_slot_mix(hash) == UINT64_MAX);
    assert_int_equal(cau_model_answer(&m->nodes, hash), CAU_UNKNOWN);
    assert_int_equal(cau_model_answer(&m->edges, hash), CAU_UNKNOWN);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* s[c] += sum_i value[i] w[id[i]][c] */
static void check_add(const caucus_model *m, const lookup_names *c, size_t count, bool values)
{
    uint32_t id[100];
    float value[100];
    double s[WIDTH], want[WIDTH];
    cau_rng rng;
    cau_rng_init(&rng, count);
    for (size_t y = 0; y < WIDTH; y++) s[y] = want[y] = (double)y;
    for (size_t i = 0; i < count; i++) {
        id[i] = (uint32_t)cau_rng_below(&rng, MANY);
        value[i] = (float)cau_rng_real(&rng) - 0.5f;
        for (size_t y = 0; y < WIDTH; y++)
            want[y] += (values ? (double)value[i] : 1) * c->w[id[i]][y];
    }
    cau_model_add(&m->nodes, count, id, values ? value : NULL, s);
    for (size_t y = 0; y < WIDTH; y++) assert_near(s[y], want[y], 1e-12);
}

static void test_add(void **state)
{
    (void)state;
    static lookup_names c;
    for (int packed = 0; packed < 2; packed++) {
        caucus_model *m = names_model(&c, packed);
        for (size_t count = 0; count <= 100; count += count < 20 ? 1 : 16) {
            check_add(m, &c, count, false);
            check_add(m, &c, count, true);
        }
        cau_model_free(m);
    }
}

static void test_scores(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = sample_build(ctx, SAMPLE_BIAS);
    uint32_t id[] = {cau_model_find(m, &m->nodes, "sun", 3),
                     cau_model_find(m, &m->nodes, "snow", 4)};
    float value[] = {1, -2};
    size_t start[] = {0, 2};
    cau_indexed_instance x = {.groups = 1, .start = start, .id = id, .value = value};
    double s[3];
    assert_int_equal(cau_model_scores(m, &x, s), CAUCUS_OK);
    for (size_t y = 0; y < 3; y++)
        assert_near(s[y], sample_bias[y] + sample_dense_w[y] - 2 * sample_dense_w[9 + y], 1e-12);
    x.groups = 2;
    assert_int_equal(cau_model_scores(m, &x, s), CAUCUS_ERR_ARGUMENT);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_names), cmocka_unit_test(test_order),
        cmocka_unit_test(test_free_value), cmocka_unit_test(test_add),
        cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests_name("model/lookup", tests, NULL, NULL);
}
