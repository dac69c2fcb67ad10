/* image_test.c - model files: saving and opening restores a model, and damaged or hostile files are
 * refused. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "model/layout.h"
#include "support/model_sample.h"

enum { EVERYTHING = SAMPLE_VARIANTS - 1 };

static void test_save_and_open(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *path = test_path("round.cau");
    for (unsigned variant = 0; variant < SAMPLE_VARIANTS; variant++) {
        caucus_model *m = sample_build(ctx, variant), *back = NULL;
        assert_ok(ctx, cau_model_save(ctx, m, path));
        assert_ok(ctx, cau_model_open(ctx, path, &back));
        assert_true(back->mapped && !m->mapped);
        assert_same_model(back, m);
        sample_check(back, variant);
        cau_model_free(m);
        cau_model_free(back);
    }
    caucus_ctx_free(ctx);
}

static void test_damage(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = sample_build(ctx, EVERYTHING), *back = NULL;
    char *copy = malloc(m->bytes + 1);

    for (size_t n = 0; n < m->bytes; n += n < 300 ? 1 : 61) { /* truncated */
        const char *path = test_file("cut.cau", m->image, n);
        assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, "cut.cau: ");
    }
    for (size_t i = 0; i < m->bytes; i++) { /* one bit flipped, anywhere */
        memcpy(copy, m->image, m->bytes);
        copy[i] = (char)(copy[i] ^ (1 << (i % 8)));
        const char *path = test_file("bit.cau", copy, m->bytes);
        assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, "bit.cau: ");
    }
    memcpy(copy, m->image, m->bytes);
    copy[m->bytes] = 0; /* one extra byte */
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

/* ---- files that were made to harm ----------------------------------------------------- */

/* Copies a model's file with `size` changed bytes at one place and correct checksums, opens and
 * verifies it. */
static caucus_status open_changed(caucus_ctx *ctx, const caucus_model *m, size_t at,
                                  const void *bytes, size_t size, caucus_model **out)
{
    char *copy = malloc(m->bytes);
    memcpy(copy, m->image, m->bytes);
    memcpy(copy + at, bytes, size);
    sample_seal(copy, m->bytes);
    const char *path = test_file("changed.cau", copy, m->bytes);
    free(copy);
    caucus_model *changed = NULL;
    caucus_status st = cau_model_open(ctx, path, &changed);
    if (!st) st = cau_model_verify(ctx, changed);
    if (!st)
        *out = changed;
    else
        cau_model_free(changed);
    return st;
}

static void refuses(const caucus_model *m, size_t at, const void *bytes, size_t size,
                    const char *message)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *back = NULL;
    caucus_status st = open_changed(ctx, m, at, bytes, size, &back);
    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, message);
    assert_null(back);
    caucus_ctx_free(ctx);
}

static void refuses_word(const caucus_model *m, size_t at, uint32_t value, const char *message)
{
    refuses(m, at, &value, sizeof value, message);
}

static void refuses_number(const caucus_model *m, size_t at, uint64_t value, const char *message)
{
    refuses(m, at, &value, sizeof value, message);
}

#define LIES "contradicts itself"
#define FIELD(name) offsetof(cau_model_header, name)

/* Every field of the header. A wrong size is detected by the file size. */
static void test_header(void **state)
{
    (void)state;
    static const char older[] =
        "model format 4, and this program knows 5; train it again or use the older program";
    static const char newer[] =
        "model format 6, and this program knows 5; train it again or use the newer program";
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = sample_build(ctx, EVERYTHING);
    caucus_model *flat = sample_build(ctx, 0), *plain = sample_build(ctx, SAMPLE_PLAIN);
    refuses_word(m, FIELD(version), 4, older);
    refuses_word(m, FIELD(version), 6, newer);
    refuses_word(m, FIELD(order), 0x04030201, "the other byte order");
    refuses_word(m, FIELD(kind), CAU_KIND_MAXENT, LIES); /* but it has edges */
    refuses_word(plain, FIELD(kind), CAU_KIND_MAXENT, LIES);
    refuses_word(m, FIELD(kind), CAU_KIND_CRF + 1, LIES);
    refuses_word(m, FIELD(base), 16, LIES);
    refuses_word(flat, FIELD(flags), CAU_MODEL_FLAGS + 1, LIES);
    refuses_word(flat, FIELD(flags), CAU_MODEL_GATE, LIES); /* but it has no members */
    refuses_word(m, FIELD(format), CAU_FORMATS, LIES);
    refuses_number(m, FIELD(ngrams), 0, LIES);
    refuses_number(m, FIELD(ngrams), 9, LIES);
    refuses_number(m, FIELD(columns), 1ull << 32, LIES);
    refuses_number(m, FIELD(width), 1, LIES); /* but only maxent may */
    refuses_number(m, FIELD(width), 2, LIES);
    refuses_number(flat, FIELD(width), 0, "damaged");
    static const size_t sizes[] = {
        FIELD(nodes.K), FIELD(nodes.places), FIELD(nodes.name_bytes), FIELD(nodes.used),
        FIELD(edges.K), FIELD(edges.places), FIELD(edges.name_bytes), FIELD(edges.used),
        FIELD(Y),       FIELD(label_bytes),  FIELD(info_bytes)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static const uint64_t values[] = {0, 1, 1000, UINT32_MAX, 1ull << 40, UINT64_MAX};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            uint64_t old;
            memcpy(&old, (char *)m->image + sizes[i], sizeof old);
            if (old != values[v]) refuses_number(m, sizes[i], values[v], "changed.cau: ");
        }
    }
    /* any content of the template is accepted */
    refuses_number(m, FIELD(template_bytes), 1000, "cut short");
    refuses_number(m, FIELD(template_bytes), UINT64_MAX, "cut short");
    static const uint32_t members[] = {0, 1, SAMPLE_J + 1, CAU_MEMBERS_MOST, UINT32_MAX};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        refuses_word(m, FIELD(members), members[i], "damaged");
    refuses_word(flat, FIELD(members), 1, "cut short");
    refuses_word(m, FIELD(combine), CAU_COMBINE_STACK, LIES);   /* but there are two members */
    refuses_word(m, FIELD(combine), CAU_COMBINE_PRODUCT, LIES); /* but it has a gate */
    refuses_word(m, FIELD(per), CAU_PER_SEQUENCE, LIES);        /* likewise */
    refuses_word(m, FIELD(combine), CAU_COMBINE_STACK + 1, LIES);
    refuses_word(m, FIELD(per), CAU_PER_TRANSITION + 1, LIES);
    refuses_word(m, FIELD(mix), CAU_MIX_EXACT + 1, LIES);
    static const size_t votes[] = {FIELD(combine), FIELD(per), FIELD(mix)};
    for (size_t i = 0; i < 3; i++) {
        refuses_word(m, votes[i], UINT32_MAX, LIES);
        refuses_word(flat, votes[i], 1, LIES); /* but it has no members */
    }
    static const size_t slots[] = {FIELD(nodes.slots), FIELD(edges.slots)};
    for (size_t i = 0; i < 2; i++) {
        refuses_number(m, slots[i], 0, LIES);
        refuses_number(m, slots[i], 1000, LIES);
        refuses_number(m, slots[i], UINT64_MAX, LIES);
    }
    cau_model_free(m);
    cau_model_free(flat);
    cau_model_free(plain);
    caucus_ctx_free(ctx);
}

/* A stack has one member, and the model's weights are not derived from it. */
static void test_stack(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    sample s;
    sample_make(&s, EVERYTHING & ~(unsigned)SAMPLE_GATE);
    s.parts.pool = (cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .alpha = sample_alpha};
    caucus_model *m = NULL, *back = NULL;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &m));
    assert_ok(ctx, cau_model_save(ctx, m, test_path("stack.cau")));
    assert_ok(ctx, cau_model_open(ctx, test_path("stack.cau"), &back));
    assert_true(back->pool.J == 1 && back->pool.combine == CAU_COMBINE_STACK);
    assert_false(cau_pool_collapses(&back->pool) || cau_pool_takes_gate(&back->pool));
    for (size_t k = 0; k < back->nodes.K; k++)
        for (size_t y = 0; y < SAMPLE_Y; y++) {
            const size_t i = k * SAMPLE_Y + y;
            assert_near(cau_model_weight(&back->nodes, k, y), (double)(float)s.w[0][i], 0);
            assert_near(cau_model_weight(&back->member->nodes, k, y), (double)(float)s.w[1][i], 0);
        }
    refuses_word(m, FIELD(per), CAU_PER_TRANSITION, LIES);
    refuses_word(m, FIELD(mix), CAU_MIX_RESCORE, LIES);
    cau_model_free(m);
    cau_model_free(back);
    caucus_ctx_free(ctx);
}

static void refuses_floats(const caucus_model *m, const float *x, size_t n)
{
    const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    const size_t at = (size_t)((const char *)x - (const char *)m->image);
    for (size_t i = 0; i < n; i++) refuses(m, at + sizeof *x * i, &bad[i % 4], sizeof *bad, LIES);
}

static void refuses_observations(const caucus_model *m, const cau_observations *of, size_t places)
{
    const char *base = m->image;
    size_t slots = (size_t)((const char *)of->slot - base);
    size_t name_at = (size_t)((const char *)of->name_at - base);
    refuses_word(m, slots + (places - 1) * sizeof(cau_name_slot), 0,
                 LIES); /* a lookup would not terminate */
    for (size_t i = 0; i < places; i++)
        refuses_word(m, slots + i * sizeof(cau_name_slot) + offsetof(cau_name_slot, row),
                     (uint32_t)of->K, LIES);
    refuses_number(m, name_at, 1, LIES);
    refuses_number(m, name_at + 8, 1000, LIES);
    refuses_number(m, name_at + 8 * of->K, 0, LIES);
    if (of->dense) {
        refuses_floats(m, of->dense, of->K * of->width);
    } else {
        size_t start = (size_t)((const char *)of->start - base);
        size_t packed = (size_t)((const char *)of->packed - base);
        const cau_packed bad[] = {{(uint32_t)of->width, 1}, {UINT32_MAX, 1}, {0, NAN}};
        for (size_t i = 0; i < 3; i++)
            refuses(m, packed + sizeof *bad * (i % of->start[of->K]), &bad[i], sizeof *bad, LIES);
        refuses_number(m, start, 1, LIES);
        refuses_number(m, start + 8, 1000, LIES);
        refuses_number(m, start + 8 * of->K, 0, LIES);
    }
}

/* Member weights must be finite, at cells of the model. */
static void refuses_member_weights(const caucus_model *m, const cau_observations *of)
{
    if (of->dense) {
        refuses_floats(m, of->dense, of->K * of->width);
        return;
    }
    const size_t at = (size_t)((const char *)of->packed - (const char *)m->image);
    for (size_t i = 0; i < of->start[of->K]; i++) {
        const cau_packed *is = &of->packed[i];
        const cau_packed bad[] = {
            {is->cell ^ 1, is->weight}, {UINT32_MAX, is->weight}, {is->cell, -INFINITY}};
        for (size_t b = 0; b < 3; b++) refuses(m, at + i * sizeof *is, &bad[b], sizeof *bad, LIES);
    }
}

static void refuses_members(const caucus_model *m)
{
    /* the last is refused in mixtures */
    static const double bad[] = {NAN, INFINITY, -INFINITY, -1e-300};
    const size_t alpha = (size_t)((const char *)m->pool.alpha - (const char *)m->image);
    for (size_t i = 0; i < 4 * m->pool.J; i++)
        refuses(m, alpha + i / 4 * sizeof *bad, &bad[i % 4], sizeof *bad, LIES);
    const double none[SAMPLE_J] = {0};
    refuses(m, alpha, none, sizeof none, LIES);
    for (size_t j = 0; j < m->pool.J; j++) {
        refuses_member_weights(m, &m->member[j].nodes);
        refuses_member_weights(m, &m->member[j].edges);
        refuses_floats(m, m->member[j].transitions, m->Y * m->Y);
        refuses_floats(m, m->member[j].bias, m->Y);
    }
    const size_t gate = (size_t)((const char *)m->gate.base - (const char *)m->image);
    for (size_t i = 0; i < 3 * m->pool.J; i++)
        refuses(m, gate + i / 3 * sizeof *bad, &bad[i % 3], sizeof *bad, LIES);
    refuses_floats(m, m->gate.weight, m->nodes.K * m->pool.J);
}

/* Every section of the file. */
static void test_sections(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned packed = 0; packed < 2; packed++) {
        caucus_model *m = sample_build(ctx, EVERYTHING & ~(packed ? 0u : SAMPLE_PACKED));
        const char *base = m->image;
        cau_model_header h;
        memcpy(&h, base, sizeof h);
        refuses_observations(m, &m->nodes, (size_t)h.nodes.places);
        refuses_observations(m, &m->edges, (size_t)h.edges.places);
        size_t label_at = (size_t)((const char *)m->label_at - base);
        size_t labels = (size_t)(m->label_bytes - base), info = (size_t)(m->info.s - base);
        refuses_number(m, label_at, 1, LIES);
        refuses_number(m, label_at + 8, 1000, LIES);
        refuses_number(m, label_at + 8, 0, LIES);       /* a label without its NUL */
        refuses(m, labels + 3, "x", 1, LIES);           /* likewise */
        refuses(m, info + m->info.n - 1, "x", 1, LIES); /* a value without its end */
        refuses(m, info, "\0", 1, LIES);                /* a key without a value */
        refuses_floats(m, m->transitions, m->Y * m->Y);
        refuses_floats(m, m->bias, m->Y);
        refuses_members(m);
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

static void use_observations(const caucus_model *m, const cau_observations *of)
{
    double *s = calloc(of->width, sizeof *s);
    for (uint32_t k = 0; k < of->K; k++) {
        cau_str name = cau_model_name(of, k);
        (void)cau_model_find(m, of, name.s, name.n);
        cau_model_add(of, 1, &k, NULL, s);
    }
    uint32_t id = cau_model_find(m, of, "snow", 4);
    if (id != CAU_UNKNOWN) cau_model_add(of, 1, &id, NULL, s);
    free(s);
}

/* Uses a model in every way: whatever it contains, no access may be outside of it. */
static void use_model(const caucus_model *m)
{
    use_observations(m, &m->nodes);
    use_observations(m, &m->edges);
    for (size_t j = 0; j < m->pool.J; j++) {
        const cau_member *member = &m->member[j];
        use_observations(m, &member->nodes);
        use_observations(m, &member->edges);
        for (size_t i = 0; member->transitions && i < m->Y * m->Y; i++)
            assert_true(isfinite(member->transitions[i]));
        for (size_t y = 0; member->bias && y < m->Y; y++) assert_true(isfinite(member->bias[y]));
    }
    for (size_t i = 0; m->gate.base && i < m->nodes.K * m->pool.J; i++)
        assert_true(isfinite(m->gate.weight[i]) && isfinite(m->gate.base[i % m->pool.J]));
    cau_model_info(m, "no such key");
    for (size_t y = 0; y < m->Y; y++) (void)strlen(cau_model_label(m, y));
}

/* Replaces every 32-bit word of the image by hostile numbers. The sanitizers detect bad
 * accesses. */
static void test_hostile(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const uint32_t words[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x01000000};
    size_t opened = 0;
    for (unsigned packed = 0; packed < 2; packed++) {
        caucus_model *m = sample_build(ctx, EVERYTHING & ~(packed ? 0u : SAMPLE_PACKED));
        for (size_t at = FIELD(nodes); at + 4 <= m->bytes; at += 4) {
            for (size_t v = 0; v < sizeof words / sizeof *words; v++) {
                caucus_model *back = NULL;
                if (open_changed(ctx, m, at, &words[v], 4, &back)) continue;
                opened++;
                use_model(back);
                cau_model_free(back);
            }
        }
        cau_model_free(m);
    }
    /* some models must open, because weights may be anything; otherwise nothing is tested */
    assert_true(opened > 0);
    caucus_ctx_free(ctx);
}

static caucus_status save_and_open(void *self)
{
    caucus_ctx *ctx = self;
    sample s;
    sample_make(&s, EVERYTHING);
    caucus_model *m = NULL, *back = NULL;
    caucus_status st = cau_model_build(ctx, &s.parts, &m);
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
    test_path("alloc.cau"); /* allocated before, so that it does not count */
    assert_true(test_every_allocation(save_and_open, ctx) >= 9);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save_and_open), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_header),        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_hostile),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests_name("model/image", tests, NULL, NULL);
}
