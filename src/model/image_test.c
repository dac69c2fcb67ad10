/* image_test.c - model files: what goes in comes out, and nothing harmful gets in. */

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "model/sample.h"
#include "support.h"

/* Four observations over three classes; the third has no weight and must vanish. */
static const char *const names[] = {"sun", "rain:\ttab", "nothing", "snow"};
static const char *const labels[] = {"dry", "wet", "white"};
static const double dense_w[] = {1.5, -2, 0.25, 0, 3, -1, 0, 0, 0, -0.5, 0.5, 4};
static const double sparse_w[] = {1.5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4};
static const double bias[] = {0.125, -0.25, 0};

static const sample_names all_names = {names, labels};

static cau_model_parts parts_of(const double *w)
{
    static const char info[] = "model\tmaxent\nseed\t7\n";
    return (cau_model_parts){.K = 4,
                             .Y = 3,
                             .width = 3,
                             .w = w,
                             .bias = bias,
                             .name = sample_name,
                             .label = sample_label,
                             .self = &all_names,
                             .read = {.format = CAU_FORMAT_TEXT, .ngrams = 2, .lower = true},
                             .info = {info, sizeof info - 1}};
}

static caucus_model *build(caucus_ctx *ctx, const double *w)
{
    caucus_model *m = NULL;
    cau_model_parts parts = parts_of(w);
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    return m;
}

static void check(const caucus_model *m, const double *w)
{
    assert_int_equal(m->Y, 3);
    assert_int_equal(m->K, 3);
    assert_true(m->read.lower && !m->read.counts && m->read.ngrams == 2);
    assert_int_equal(m->read.format, CAU_FORMAT_TEXT);
    assert_int_equal(cau_model_find(m, "nothing", 7), CAU_UNKNOWN);
    assert_int_equal(cau_model_find(m, "", 0), CAU_UNKNOWN);
    for (size_t k = 0; k < 4; k++) {
        if (k == 2) continue;
        uint32_t row = cau_model_find(m, names[k], strlen(names[k]));
        assert_int_equal(row, k < 2 ? k : 2);
        cau_str name = cau_model_name(m, row);
        assert_int_equal(name.n, strlen(names[k]));
        assert_memory_equal(name.s, names[k], name.n);
        double s[3] = {0};
        float two = 2;
        cau_model_add(m, 1, &row, &two, s);
        for (size_t y = 0; y < 3; y++) {
            assert_near(cau_model_weight(m, row, y), w[3 * k + y], 0);
            assert_near(s[y], 2 * w[3 * k + y], 0);
        }
    }
    for (uint32_t y = 0; y < 3; y++) {
        assert_string_equal(cau_model_label(m, y), labels[y]);
        assert_int_equal(cau_model_label_find(m, sample_label(&all_names, y)), y);
        assert_near((double)m->bias[y], bias[y], 0);
    }
    assert_int_equal(cau_model_label_find(m, (cau_str){"we", 2}), CAU_UNKNOWN);
    assert_string_equal(cau_model_info(m, "model"), "maxent");
    assert_string_equal(cau_model_info(m, "seed"), "7");
    assert_null(cau_model_info(m, "7"));
}

static void test_dense_and_packed(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *dense = build(ctx, dense_w), *packed = build(ctx, sparse_w);
    assert_non_null(dense->dense);
    assert_non_null(packed->start);
    check(dense, dense_w);
    check(packed, sparse_w);
    cau_model_free(dense);
    cau_model_free(packed);
    caucus_ctx_free(ctx);
}

static void test_scores(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = build(ctx, dense_w);
    uint32_t id[] = {cau_model_find(m, "sun", 3), cau_model_find(m, "snow", 4)};
    float value[] = {1, -2};
    size_t start[] = {0, 2};
    cau_instance x = {.groups = 1, .start = start, .id = id, .value = value};
    double s[3];
    assert_int_equal(cau_model_scores(m, &x, s), CAUCUS_OK);
    for (size_t y = 0; y < 3; y++)
        assert_near(s[y], bias[y] + dense_w[y] - 2 * dense_w[9 + y], 1e-12);
    x.groups = 2;
    assert_int_equal(cau_model_scores(m, &x, s), CAUCUS_ERR_ARGUMENT);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static void test_save_and_open(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *path = test_path("round.cau");
    for (int packed = 0; packed < 2; packed++) {
        const double *w = packed ? sparse_w : dense_w;
        caucus_model *m = build(ctx, w), *back = NULL;
        assert_ok(ctx, cau_model_save(ctx, m, path));
        assert_ok(ctx, cau_model_open(ctx, path, &back));
        assert_true(back->mapped);
        assert_int_equal(back->bytes, m->bytes);
        assert_memory_equal(back->image, m->image, m->bytes);
        check(back, w);
        cau_model_free(m);
        cau_model_free(back);
    }
    caucus_ctx_free(ctx);
}

static void test_damage(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = build(ctx, sparse_w), *back = NULL;
    char *copy = malloc(m->bytes + 1);

    for (size_t n = 0; n < m->bytes; n += n < 200 ? 1 : 61) { /* cut short */
        const char *path = test_file("cut.cau", m->image, n);
        assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, "cut.cau: ");
    }
    for (size_t i = 0; i < m->bytes; i++) { /* one bit wrong, anywhere */
        memcpy(copy, m->image, m->bytes);
        copy[i] = (char)(copy[i] ^ (1 << (i % 8)));
        const char *path = test_file("bit.cau", copy, m->bytes);
        assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, "bit.cau: ");
    }
    memcpy(copy, m->image, m->bytes);
    copy[m->bytes] = 0; /* one byte too many */
    const char *path = test_file("long.cau", copy, m->bytes + 1);
    assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, "damaged");
    path = test_file("foreign.cau",
                     "\x7f"
                     "ELF and so on, something else altogether ........",
                     50);
    assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, "not a Caucus model");
    assert_fails(ctx, cau_model_open(ctx, test_path("none.cau"), &back), CAUCUS_ERR_IO,
                 "No such file");
    assert_fails(ctx, cau_model_open(ctx, "/", &back), CAUCUS_ERR_IO, "regular file");
    assert_null(back);
    free(copy);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* A file whose checksum is right and whose contents lie: every 32-bit word of the image is
 * replaced by hostile numbers, the checksum is mended, and the model, if it opens at all, is
 * used. The sanitizers watch. */
static void test_hostile(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = build(ctx, sparse_w);
    static const uint32_t words[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x01000000};
    size_t opened = 0, from = 24; /* the checksum covers what follows it */
    char *copy = malloc(m->bytes);
    for (size_t at = from; at + 4 <= m->bytes; at += 4) {
        for (size_t v = 0; v < sizeof words / sizeof *words; v++) {
            memcpy(copy, m->image, m->bytes);
            memcpy(copy + at, &words[v], 4);
            uint64_t sum = cau_hash(copy + from, m->bytes - from, 0);
            memcpy(copy + 16, &sum, 8);
            const char *path = test_file("hostile.cau", copy, m->bytes);
            caucus_model *back = NULL;
            if (cau_model_open(ctx, path, &back)) continue;
            opened++;
            uint32_t id = cau_model_find(back, "snow", 4);
            double *s = calloc(back->Y, sizeof *s);
            if (id != CAU_UNKNOWN) cau_model_add(back, 1, &id, NULL, s);
            for (size_t k = 0; k < back->K; k++) (void)cau_model_name(back, k);
            cau_model_info(back, "no such key");
            free(s);
            cau_model_free(back);
        }
    }
    assert_true(opened > 0); /* weights may be anything: else the test would test nothing */
    free(copy);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static void test_not_finite(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double w[12] = {0};
    caucus_model *m = NULL;
    cau_model_parts parts = parts_of(w);
    w[4] = 1e300; /* too large for a float */
    assert_fails(ctx, cau_model_build(ctx, &parts, &m), CAUCUS_ERR_NUMERIC, "rain");
    w[4] = NAN;
    assert_fails(ctx, cau_model_build(ctx, &parts, &m), CAUCUS_ERR_NUMERIC, "rain");
    caucus_ctx_free(ctx);
}

/* 20,000 names are all found again, and others are not. */
static void test_many_names(void **state)
{
    (void)state;
    enum { K = 20000 };
    caucus_ctx *ctx = test_ctx();
    char *text = malloc(16 * K);
    const char **list = malloc(K * sizeof *list);
    double *w = malloc(K * sizeof *w);
    for (size_t k = 0; k < K; k++) {
        list[k] = text + 16 * k;
        snprintf(text + 16 * k, 16, "name %zu", k);
        w[k] = (double)k + 1;
    }
    cau_model_parts parts = parts_of(w);
    parts.K = K;
    parts.width = 1;
    parts.bias = NULL;
    const sample_names many = {list, labels};
    parts.self = &many;
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    for (size_t k = 0; k < K; k++) {
        cau_str name = sample_name(&many, k);
        assert_int_equal(cau_model_find(m, name.s, name.n), k);
        assert_int_equal(cau_model_answer(m, cau_model_ask(m, name.s, name.n)), k);
        assert_int_equal(cau_model_find(m, name.s + 1, name.n - 1), CAU_UNKNOWN);
    }
    free(text);
    free(list);
    free(w);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static cau_str same_name(const void *self, size_t k)
{
    (void)self;
    return (cau_str){k == 3 ? names[0] : names[k], strlen(k == 3 ? names[0] : names[k])};
}

static void test_same_name_twice(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = NULL;
    cau_model_parts parts = parts_of(dense_w);
    parts.name = same_name;
    assert_fails(ctx, cau_model_build(ctx, &parts, &m), CAUCUS_ERR_ARGUMENT, "same name");
    caucus_ctx_free(ctx);
}

static caucus_status build_and_open(void *self)
{
    caucus_ctx *ctx = self;
    caucus_model *m = NULL, *back = NULL;
    cau_model_parts parts = parts_of(sparse_w);
    caucus_status st = cau_model_build(ctx, &parts, &m);
    if (!st) st = cau_model_save(ctx, m, test_path("alloc.cau"));
    if (!st) st = cau_model_open(ctx, test_path("alloc.cau"), &back);
    cau_model_free(m);
    cau_model_free(back);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    test_path("alloc.cau"); /* allocated by the test, so outside the count */
    assert_true(test_every_allocation(build_and_open, ctx) >= 4);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_and_packed), cmocka_unit_test(test_scores),
        cmocka_unit_test(test_save_and_open),    cmocka_unit_test(test_damage),
        cmocka_unit_test(test_hostile),          cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_many_names),       cmocka_unit_test(test_same_name_twice),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("model/image", tests, NULL, NULL);
}
