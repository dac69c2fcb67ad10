/* build_test.c - model images from every form of weight table, and hash collisions of names. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "model/layout.h"
#include "support/model_sample.h"

static cau_str of_alphabet(const void *self, size_t k)
{
    return (cau_str){(const char *)self + k, 1};
}

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

/* Older programs read files of this format version, so its bytes must not change. A change of the
 * format needs a new version, and then a new hash here. */
static void test_format_is_stable(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    uint64_t hash = 0;
    for (unsigned variant = 0; variant < SAMPLE_VARIANTS; variant++) {
        caucus_model *m = sample_build(ctx, variant);
        hash = cau_hash(m->image, m->bytes, hash);
        cau_model_free(m);
    }
    assert_int_equal(CAU_MODEL_VERSION, 5);
    assert_true(hash == UINT64_C(0x1888462c3d0221ae));
    caucus_ctx_free(ctx);
}

/* A cell list and a full table give the same bytes. */
static void test_listed(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned variant = 0; variant < SAMPLE_VARIANTS; variant++) {
        if (variant & SAMPLE_LISTED) continue;
        caucus_model *full = sample_build(ctx, variant);
        caucus_model *listed = sample_build(ctx, variant | SAMPLE_LISTED);
        assert_same_model(full, listed);
        cau_model_free(full);
        cau_model_free(listed);
    }
    caucus_ctx_free(ctx);
}

/* A pool whose members have no weights has the sections of the single model, followed by zeros. */
static void test_pool_without_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned variant = 0; variant < SAMPLE_POOL; variant++) {
        static const cau_member_part silent[SAMPLE_J];
        caucus_model *single = sample_build(ctx, variant), *pool = NULL;
        sample s;
        sample_make(&s, variant);
        s.parts.pool = (cau_pool){.J = SAMPLE_J, .alpha = sample_alpha};
        s.parts.member = silent;
        assert_ok(ctx, cau_model_build(ctx, &s.parts, &pool));
        const char *const end = (char *)single->image + single->bytes;
        const size_t behind = (size_t)(end - (const char *)single->label_at);
        assert_true(pool->bytes > single->bytes);
        assert_memory_equal(pool->label_at, single->label_at, behind);
        assert_true((const char *)pool->pool.alpha == (const char *)pool->label_at + behind);
        for (size_t j = 0; j < SAMPLE_J; j++)
            for (size_t i = 0; i < pool->nodes.K * SAMPLE_Y; i++)
                assert_true(cau_model_weight(&pool->member[j].nodes, i / SAMPLE_Y, i % SAMPLE_Y) ==
                            0);
        cau_model_free(single);
        cau_model_free(pool);
    }
    caucus_ctx_free(ctx);
}

/* Pools of every size, with cells that some, all or no members use. Counts the stored cells
 * independently and compares all weights with the file. */
static void check_pool(caucus_ctx *ctx, cau_rng *rng, size_t J, size_t width, uint64_t used,
                       bool gated)
{
    enum { ROWS = 26 };
    double base[CAU_MEMBERS_MOST], gate[ROWS * CAU_MEMBERS_MOST];
    double w[1 + CAU_MEMBERS_MOST][ROWS * SAMPLE_Y], alpha[CAU_MEMBERS_MOST];
    cau_member_part member[CAU_MEMBERS_MOST];
    size_t rows = 0, cells = 0;
    for (size_t v = 0; v <= J; v++) {
        for (size_t i = 0; i < ROWS * width; i++)
            w[v][i] = cau_rng_below(rng, 100 * (J + 1)) < used ? cau_rng_real(rng) - .5 : 0;
        if (v == 0) continue;
        member[v - 1] = (cau_member_part){.nodes = w[v]};
        alpha[v - 1] = cau_rng_real(rng);
    }
    bool kept[ROWS] = {false};
    for (size_t j = 0; j < J; j++) base[j] = cau_rng_real(rng);
    for (size_t i = 0; i < ROWS * J; i++) {
        gate[i] = cau_rng_below(rng, 3 * J) ? 0 : cau_rng_real(rng) - .5;
        if (!gated || (float)gate[i] == 0) continue;
        rows += !kept[i / J];
        kept[i / J] = true;
    }
    for (size_t i = 0; i < ROWS * width; i++) {
        bool cell = false;
        for (size_t v = 0; v <= J; v++) cell |= (float)w[v][i] != 0;
        rows += cell && !kept[i / width];
        kept[i / width] |= cell;
        cells += cell;
    }

    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    sample s;
    sample_make(&s, 0);
    s.parts.nodes.table = (cau_table){.rows = ROWS, .width = width};
    s.parts.nodes.w = w[0];
    s.parts.nodes.name = of_alphabet;
    s.parts.self = alphabet;
    s.parts.pool = (cau_pool){.J = J, .alpha = alpha};
    s.parts.member = member;
    if (gated) {
        s.parts.pool.combine = CAU_COMBINE_MIXTURE;
        s.parts.pool.per = CAU_PER_TRANSITION;
        s.parts.gate_base = base;
        s.parts.gate = gate;
    }
    caucus_model *built = NULL, *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &built));
    assert_ok(ctx, cau_model_save(ctx, built, test_path("pool.cau")));
    assert_ok(ctx, cau_model_open(ctx, test_path("pool.cau"), &m));
    assert_int_equal(m->nodes.K, rows);
    assert_true(!m->nodes.dense == (width > 1 && cells < rows * width / 2));
    if (!m->nodes.dense) assert_int_equal(m->nodes.start[rows], cells);
    assert_int_equal(m->pool.J, J);
    assert_memory_equal(m->pool.alpha, alpha, J * sizeof *alpha);
    assert_true(!m->gate.base == !gated);
    if (gated) assert_memory_equal(m->gate.base, base, J * sizeof *base);
    for (size_t k = 0; k < ROWS; k++) {
        const uint32_t row = cau_model_find(m, &m->nodes, &alphabet[k], 1);
        assert_true((row != CAU_UNKNOWN) == kept[k]);
        for (size_t v = 0; kept[k] && v <= J; v++)
            for (size_t c = 0; c < width; c++)
                assert_true(cau_model_weight(v ? &m->member[v - 1].nodes : &m->nodes, row, c) ==
                            (double)(float)w[v][k * width + c]);
        for (size_t j = 0; gated && kept[k] && j < J; j++)
            assert_true(m->gate.weight[row * J + j] == (float)gate[k * J + j]);
    }
    cau_model_free(built);
    cau_model_free(m);
}

static void test_pools(void **state)
{
    (void)state;
    static const uint64_t used[] = {0, 5, 30, 50, 100, 1000};
    static const size_t sizes[] = {1, 2, 3, 7, CAU_MEMBERS_MOST};
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 5);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof used / sizeof *used; j++) {
            for (int gated = 0; gated < 2; gated++) {
                check_pool(ctx, &rng, sizes[i], SAMPLE_Y, used[j], gated);
                check_pool(ctx, &rng, sizes[i], 1, used[j], gated); /* explicit features */
            }
        }
    caucus_ctx_free(ctx);
}

static void refuse_pool(cau_pool pool)
{
    caucus_ctx *ctx = test_ctx();
    static const cau_member_part silent[CAU_MEMBERS_MOST + 1];
    sample s;
    caucus_model *m = NULL;
    sample_make(&s, 0);
    s.parts.pool = pool;
    s.parts.member = silent;
    assert_fails(ctx, cau_model_build(ctx, &s.parts, &m), CAUCUS_ERR_ARGUMENT, "cannot vote");
    assert_null(m);
    caucus_ctx_free(ctx);
}

static void test_votes(void **state)
{
    (void)state;
    static const double some[CAU_MEMBERS_MOST + 1] = {1}, below[] = {2, -1}, none[] = {0, 0};
    const double no_number[] = {1, NAN}, too_large[] = {1, INFINITY};
    refuse_pool((cau_pool){.J = CAU_MEMBERS_MOST + 1, .alpha = some});
    refuse_pool((cau_pool){.J = 2, .alpha = no_number});
    refuse_pool((cau_pool){.J = 2, .alpha = too_large});
    refuse_pool((cau_pool){.J = 2, .combine = CAU_COMBINE_MIXTURE, .alpha = below});
    refuse_pool((cau_pool){.J = 2, .combine = CAU_COMBINE_MIXTURE, .alpha = none});
    refuse_pool((cau_pool){.J = 2, .combine = CAU_COMBINE_STACK + 1, .alpha = some});
    refuse_pool((cau_pool){.J = 2, .per = CAU_PER_TRANSITION + 1, .alpha = some});
    refuse_pool((cau_pool){.J = 2, .mix = CAU_MIX_EXACT + 1, .alpha = some});
    refuse_pool((cau_pool){.combine = CAU_COMBINE_MIXTURE}); /* no members */
    refuse_pool((cau_pool){.J = 2, .combine = CAU_COMBINE_STACK, .alpha = some});
    refuse_pool((cau_pool){.J = 0, .combine = CAU_COMBINE_STACK});
    refuse_pool((cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .alpha = too_large + 1});
    refuse_pool(
        (cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .per = CAU_PER_TRANSITION, .alpha = some});
    refuse_pool(
        (cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .mix = CAU_MIX_POSTERIOR, .alpha = some});
    assert_true(
        cau_model_pool_fits(&(cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .alpha = some}));
    assert_true(cau_model_pool_fits(&(cau_pool){.J = 2, .alpha = below}));
    assert_true(cau_model_pool_fits(&(cau_pool){.J = CAU_MEMBERS_MOST, .alpha = some}));
}

/* Gates: one without members, weights that are not finite, and a gate without weights. */
static void test_gate(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -1e300}; /* the last exceeds a float */
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = NULL;
    sample s;
    for (size_t i = 0; i < 3; i++) {
        sample_make(&s, SAMPLE_POOL | SAMPLE_GATE);
        if (i == 0) s.parts.pool = (cau_pool){0};
        if (i == 1) s.parts.pool.combine = CAU_COMBINE_PRODUCT;
        if (i == 2) s.parts.pool.per = CAU_PER_SEQUENCE;
        assert_fails(ctx, cau_model_build(ctx, &s.parts, &m), CAUCUS_ERR_ARGUMENT,
                     "no mixture by transition");
    }
    for (size_t i = 0; i < 3; i++) {
        double gate[SAMPLE_NODES * SAMPLE_J] = {0}, base[SAMPLE_J] = {0};
        sample_make(&s, SAMPLE_POOL | SAMPLE_GATE);
        gate[SAMPLE_NODES * SAMPLE_J - 1] = base[1] = bad[i];
        s.parts.gate = gate;
        assert_fails(ctx, cau_model_build(ctx, &s.parts, &m), CAUCUS_ERR_NUMERIC,
                     "feature 'snow' in the gate");
        s.parts.gate = NULL;
        s.parts.gate_base = base;
        if (bad[i] != -1e300)
            assert_fails(ctx, cau_model_build(ctx, &s.parts, &m), CAUCUS_ERR_NUMERIC,
                         "a number of the gate");
    }
    assert_null(m);
    sample_make(&s, SAMPLE_POOL | SAMPLE_GATE);
    s.parts.gate = NULL;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &m));
    for (size_t i = 0; i < m->nodes.K * SAMPLE_J; i++) assert_true(m->gate.weight[i] == 0);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* One weight per feature, no feature, one class. */
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

/* A weight of the model, or of the second member of a pool. */
static void refuse_weight(unsigned variant, double bad, const char *message)
{
    caucus_ctx *ctx = test_ctx();
    sample s;
    caucus_model *m = NULL;
    double w[SAMPLE_EDGE_ROWS * SAMPLE_Y * SAMPLE_Y] = {0};
    sample_make(&s, variant);
    const bool pool = variant & SAMPLE_POOL;
    cau_member_part *second = &s.member[1];
    if (variant & SAMPLE_EDGES)
        *(pool ? &second->edges : &s.parts.edges.w) = w;
    else if (variant & SAMPLE_PLAIN)
        *(pool ? &second->transitions : &s.parts.transitions) = w;
    else if (variant & SAMPLE_BIAS)
        *(pool ? &second->bias : &s.parts.bias) = w;
    else
        *(pool ? &second->nodes : &s.parts.nodes.w) = w;
    w[variant & SAMPLE_BIAS ? 2 : 4] = bad;
    assert_fails(ctx, cau_model_build(ctx, &s.parts, &m), CAUCUS_ERR_NUMERIC, message);
    assert_null(m);
    caucus_ctx_free(ctx);
}

static void test_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -1e300}; /* the last exceeds a float */
    for (size_t i = 0; i < 6; i++) {
        const unsigned pool = i < 3 ? 0 : SAMPLE_POOL;
        refuse_weight(pool, bad[i % 3], "of feature 'rain:");
        refuse_weight(pool | SAMPLE_EDGES, bad[i % 3], "of feature 'nothing'");
        refuse_weight(pool | SAMPLE_PLAIN, bad[i % 3], "transition");
        refuse_weight(pool | SAMPLE_BIAS, bad[i % 3], "default weight");
    }
}

/* Differences of the codes of these pairs are short vectors in the lattice of polynomials with a
 * root at the base: the names of the first pair collide under base 0, those of the second under
 * bases 0 and 1. */
static const char *const pair0[] = {"SRNONPDKNHLN", "MMQPRP[URWTR"};
static const char *const pair1[] = {"XTTWLNWQS[NEHRKRNPQMSWQO", "HLLITRIOMDRZWNUMQONSMINQ"};

static cau_str of_list(const void *self, size_t k)
{
    return str(((const char *const *)self)[k]);
}

static cau_str of_second(const void *self, size_t k)
{
    return str(((const char *const *)self)[2 + k]);
}

/* A model with two nodes and two edges must get this base and find all its names. */
static void check_base(const char *const names[4], unsigned base)
{
    caucus_ctx *ctx = test_ctx();
    sample s;
    sample_make(&s, SAMPLE_EDGES);
    s.parts.nodes.table.rows = s.parts.edges.table.rows = 2;
    s.parts.nodes.name = of_list;
    s.parts.edges.name = of_second;
    s.parts.self = names;
    s.parts.edges.w = sample_dense_e + SAMPLE_Y * SAMPLE_Y; /* the row without weights is dropped */
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

/* A repeated name collides under every base. */
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

/* ---- blocks of rows ---------------------------------------------------------------------- */

enum { MANY = 3 * 4096 + 5, EMPTY = 4096 }; /* the second block has no stored row */

typedef struct {
    char name[MANY][16];
    double w[2][MANY * SAMPLE_Y], gate[MANY];
} many_rows;

static cau_str of_crowd(const void *self, size_t k)
{
    return str(((const many_rows *)self)->name[k]);
}

static bool stays(size_t k)
{
    return (k < EMPTY || k >= (size_t)2 * EMPTY) && k % 3;
}

/* A mixture with one member. The whole and the member have different weights, and some rows have
 * gate weights only. */
static void fill_many(many_rows *c, bool packed)
{
    memset(c, 0, sizeof *c);
    for (size_t k = 0; k < MANY; k++) {
        snprintf(c->name[k], sizeof c->name[k], "name %zu", k);
        if (!stays(k)) continue;
        if (k % 5 == 0) c->gate[k] = 1 + (double)k;
        for (size_t y = 0; k % 5 && y < SAMPLE_Y; y++)
            if (!packed || y == k % SAMPLE_Y) c->w[k % 2][k * SAMPLE_Y + y] = (double)(k + y + 1);
    }
}

static cau_model_parts many_parts(const many_rows *c, sample *s, cau_member_part *member)
{
    static const double one = 1;
    sample_make(s, 0);
    *member = (cau_member_part){.nodes = c->w[1]};
    cau_model_parts parts = s->parts;
    parts.nodes = (cau_model_part){
        .table = {.rows = MANY, .width = SAMPLE_Y}, .w = c->w[0], .name = of_crowd};
    parts.self = c;
    parts.pool = (cau_pool){
        .J = 1, .alpha = &one, .combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_TRANSITION};
    parts.member = member;
    parts.gate_base = &one;
    parts.gate = c->gate;
    return parts;
}

static void check_many(const caucus_model *m, const many_rows *c)
{
    uint32_t row = 0;
    for (size_t k = 0; k < MANY; k++) {
        const uint32_t found = cau_model_find(m, &m->nodes, c->name[k], strlen(c->name[k]));
        assert_int_equal(found, stays(k) ? row : CAU_UNKNOWN);
        if (!stays(k)) continue;
        const cau_str name = cau_model_name(&m->nodes, row);
        assert_int_equal(name.n, strlen(c->name[k]));
        assert_memory_equal(name.s, c->name[k], name.n);
        for (size_t y = 0; y < SAMPLE_Y; y++) {
            const size_t i = k * SAMPLE_Y + y;
            assert_true(cau_model_weight(&m->nodes, row, y) == c->w[0][i]);
            assert_true(cau_model_weight(&m->member[0].nodes, row, y) == c->w[1][i]);
        }
        assert_true((double)m->gate.weight[row++] == c->gate[k]);
    }
    assert_int_equal(m->nodes.K, row);
}

/* The bytes are the same at any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    static many_rows c;
    for (int i = 0; i < 2; i++) {
        const bool packed = i;
        caucus_model *first = NULL;
        fill_many(&c, packed);
        for (unsigned threads = 1; threads <= 4; threads++) {
            caucus_ctx *ctx = test_ctx();
            caucus_set_threads(ctx, threads);
            sample s;
            cau_member_part member;
            const cau_model_parts parts = many_parts(&c, &s, &member);
            caucus_model *m = NULL;
            assert_ok(ctx, cau_model_build(ctx, &parts, &m));
            assert_true(!m->nodes.dense == packed);
            check_many(m, &c);
            caucus_ctx_free(ctx);
            if (!first) {
                first = m;
                continue;
            }
            assert_same_model(m, first);
            cau_model_free(m);
        }
        cau_model_free(first);
    }
}

/* The error names the first wrong name, whichever thread finds it. */
static void test_first_wrong(void **state)
{
    (void)state;
    static many_rows c;
    caucus_ctx *ctx = test_ctx();
    caucus_set_threads(ctx, 3);
    fill_many(&c, false);
    c.w[0][5000 * SAMPLE_Y] = c.w[0][5100 * SAMPLE_Y] = c.w[1][9000 * SAMPLE_Y] = NAN;
    sample s;
    cau_member_part member;
    const cau_model_parts parts = many_parts(&c, &s, &member);
    caucus_model *m = NULL;
    assert_fails(ctx, cau_model_build(ctx, &parts, &m), CAUCUS_ERR_NUMERIC,
                 "of feature 'name 5000'");
    assert_null(m);
    caucus_ctx_free(ctx);
}

static void test_kinds(void **state)
{
    (void)state;
    assert_string_equal(cau_kind_name(CAU_KIND_MAXENT), "maxent");
    assert_string_equal(cau_kind_name(CAU_KIND_MEMM), "memm");
    assert_string_equal(cau_kind_name(CAU_KIND_CRF), "crf");
    assert_string_equal(cau_combine_name(CAU_COMBINE_PRODUCT), "product");
    assert_string_equal(cau_combine_name(CAU_COMBINE_MIXTURE), "mixture");
    assert_string_equal(cau_combine_name(CAU_COMBINE_STACK), "stack");
    assert_string_equal(cau_per_name(CAU_PER_SEQUENCE), "sequence");
    assert_string_equal(cau_per_name(CAU_PER_TRANSITION), "transition");
    assert_string_equal(cau_mix_name(CAU_MIX_CHAIN), "chain");
    assert_string_equal(cau_mix_name(CAU_MIX_POSTERIOR), "posterior");
    assert_string_equal(cau_mix_name(CAU_MIX_RESCORE), "rescore");
    assert_string_equal(cau_mix_name(CAU_MIX_EXACT), "exact");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_listed),
        cmocka_unit_test(test_format_is_stable),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_collisions),
        cmocka_unit_test(test_same_name_twice),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_pool_without_weights),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_first_wrong),
    };
    return cmocka_run_group_tests_name("model/build", tests, NULL, NULL);
}
