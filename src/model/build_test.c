/* build_test.c - images from all forms of tables, and names that collide. */

#include <math.h>
#include <string.h>

#include "model/layout.h"
#include "model/sample.h"

static void test_variants(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned variant = 0; variant < SAMPLE_VARIANTS; variant++) {
        caucus_model *m = sample_build(ctx, variant);
        sample_check(m, variant);
        assert_int_equal(m->base, 0);
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

/* A list of cells and a full table give the same bytes. */
static void test_listed(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned variant = 0; variant < SAMPLE_VARIANTS; variant++) {
        if (variant & SAMPLE_LISTED) continue;
        caucus_model *full = sample_build(ctx, variant);
        caucus_model *listed = sample_build(ctx, variant | SAMPLE_LISTED);
        assert_int_equal(full->bytes, listed->bytes);
        assert_memory_equal(full->image, listed->image, full->bytes);
        cau_model_free(full);
        cau_model_free(listed);
    }
    caucus_ctx_free(ctx);
}

/* One weight for a feature, no feature at all, one class. */
static void test_small(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    sample s;
    sample_make(&s, 0);
    s.parts.nodes.table.width = 1; /* the weights are then 1.5, -2, 0.25, 0 */
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &m));
    assert_int_equal(m->nodes.K, 3);
    assert_int_equal(m->nodes.width, 1);
    assert_non_null(m->nodes.dense);
    assert_near(cau_model_weight(&m->nodes, cau_model_find(m, &m->nodes, "nothing", 7), 0), 0.25,
                0);
    cau_model_free(m);

    const double zero[SAMPLE_NODES * SAMPLE_Y] = {0};
    sample_make(&s, 0);
    s.parts.nodes.w = zero;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &m));
    assert_int_equal(m->nodes.K, 0);
    assert_int_equal(cau_model_find(m, &m->nodes, "sun", 3), CAU_UNKNOWN);
    cau_model_free(m);

    sample_make(&s, SAMPLE_EDGES);
    s.parts.Y = s.parts.nodes.table.width = s.parts.edges.table.width = 1;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &m));
    assert_int_equal(m->Y, 1);
    assert_int_equal(m->edges.width, 1);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static void refuse_weight(unsigned variant, double bad, const char *message)
{
    caucus_ctx *ctx = test_ctx();
    sample s;
    caucus_model *m = NULL;
    double w[SAMPLE_EDGE_ROWS * SAMPLE_Y * SAMPLE_Y] = {0};
    sample_make(&s, variant);
    if (variant & SAMPLE_EDGES)
        s.parts.edges.w = w;
    else if (variant & SAMPLE_PLAIN)
        s.parts.plain = w;
    else if (variant & SAMPLE_BIAS)
        s.parts.bias = w;
    else
        s.parts.nodes.w = w;
    w[variant & SAMPLE_BIAS ? 2 : 4] = bad;
    assert_fails(ctx, cau_model_build(ctx, &s.parts, &m), CAUCUS_ERR_NUMERIC, message);
    assert_null(m);
    caucus_ctx_free(ctx);
}

static void test_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -1e300}; /* the last is too large for a float */
    for (size_t i = 0; i < 3; i++) {
        refuse_weight(0, bad[i], "of feature 'rain:");
        refuse_weight(SAMPLE_EDGES, bad[i], "of feature 'nothing'");
        refuse_weight(SAMPLE_PLAIN, bad[i], "transition");
        refuse_weight(SAMPLE_BIAS, bad[i], "default weight");
    }
}

/* Differences of the codes of these pairs are short vectors of the lattice of all polynomials
 * that vanish at the base: the first pair has one key under base 0, the second one under bases
 * 0 and 1. */
static const char *const pair0[] = {"SRNONPDKNHLN", "MMQPRP[URWTR"};
static const char *const pair1[] = {"XTTWLNWQS[NEHRKRNPQMSWQO", "HLLITRIOMDRZWNUMQONSMINQ"};

static cau_str of_list(const void *self, size_t k)
{
    return sample_string(((const char *const *)self)[k]);
}

static cau_str of_second(const void *self, size_t k)
{
    return sample_string(((const char *const *)self)[2 + k]);
}

/* A model with two nodes and two edges must come out under this base, and know all its names. */
static void check_base(const char *const names[4], unsigned base)
{
    caucus_ctx *ctx = test_ctx();
    sample s;
    sample_make(&s, SAMPLE_EDGES);
    s.parts.nodes.table.rows = s.parts.edges.table.rows = 2;
    s.parts.nodes.name = of_list;
    s.parts.edges.name = of_second;
    s.parts.self = names;
    s.parts.edges.w =
        sample_dense_e + SAMPLE_Y * SAMPLE_Y; /* the row without weights is left out */
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &m));
    assert_int_equal(m->base, base);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(cau_model_find(m, &m->nodes, names[k], strlen(names[k])), k);
        assert_int_equal(cau_model_find(m, &m->edges, names[2 + k], strlen(names[2 + k])), k);
    }
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static void test_collisions(void **state)
{
    (void)state;
    check_base((const char *const[]){"a", "b", "c", "d"}, 0);
    check_base((const char *const[]){pair0[0], pair0[1], "c", "d"}, 1);
    check_base((const char *const[]){"a", "b", pair0[0], pair0[1]}, 1);
    check_base((const char *const[]){pair1[0], pair1[1], "c", "d"}, 2);
    check_base((const char *const[]){"a", "b", pair1[0], pair1[1]}, 2);
    check_base((const char *const[]){pair0[0], "b", pair0[1], "d"}, 0); /* in different tables */
    check_base((const char *const[]){"a", "b", "a", "b"}, 0);
}

/* A name twice collides under every base. */
static void test_same_name_twice(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const char *const names[] = {"a", "b", "a", "c"};
    sample s;
    sample_make(&s, 0);
    s.parts.nodes.w = sample_dense_e + SAMPLE_Y * SAMPLE_Y;
    s.parts.nodes.name = of_list;
    s.parts.self = names;
    caucus_model *m = NULL;
    assert_fails(ctx, cau_model_build(ctx, &s.parts, &m), CAUCUS_ERR_ARGUMENT, "same name");
    caucus_ctx_free(ctx);
}

static void test_kinds(void **state)
{
    (void)state;
    assert_string_equal(cau_kind_name(CAU_KIND_MAXENT), "maxent");
    assert_string_equal(cau_kind_name(CAU_KIND_MEMM), "memm");
    assert_string_equal(cau_kind_name(CAU_KIND_CRF), "crf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),   cmocka_unit_test(test_listed),
        cmocka_unit_test(test_small),      cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_collisions), cmocka_unit_test(test_same_name_twice),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests_name("model/build", tests, NULL, NULL);
}
