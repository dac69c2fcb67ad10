/* verify_test.c - models of many blocks: damage is detected when its block is used, and nowhere
 * else. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "model/layout.h"
#include "support/model_sample.h"

enum { NODES = 20000, EDGES = 2000, Y = 4, NAME = 12 };

#define DAMAGED "the model is damaged (its checksum differs)"
#define LIES "contradicts itself"

/* ---- a model of a megabyte and more --------------------------------------------------- */

typedef struct {
    char name[NODES][NAME];
    double w[NODES * Y], e[EDGES * Y * Y];
} verify_sample;

static cau_str large_name(const void *self, size_t k)
{
    return str(((const verify_sample *)self)->name[k]);
}

static cau_str large_label(const void *self, size_t y)
{
    static const char *const labels[Y] = {"a", "b", "c", "d"};
    (void)self;
    return str(labels[y]);
}

/* Sparse rows have one to three weights, in different cells. */
static caucus_model *large_model(caucus_ctx *ctx, bool packed)
{
    static verify_sample is;
    memset(&is, 0, sizeof is);
    for (size_t k = 0; k < NODES; k++) snprintf(is.name[k], NAME, "name %zu", k);
    for (size_t i = 0; i < NODES * Y; i++)
        if (!packed || i % Y == i / Y % Y) is.w[i] = 1 + (double)(i % 100);
    for (size_t i = 0; i < EDGES * Y * Y; i++)
        if (!packed || i % 7 == 0) is.e[i] = 1 + (double)(i % 100);
    const cau_model_parts parts = {
        .kind = CAU_KIND_CRF,
        .Y = Y,
        .nodes = {.table = {.rows = NODES, .width = Y}, .w = is.w, .name = large_name},
        .edges = {.table = {.rows = EDGES, .width = Y * Y}, .w = is.e, .name = large_name},
        .label = large_label,
        .self = &is,
        .read = {.ngrams = 1}};
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    assert_true(!m->nodes.dense == packed && !m->edges.dense == packed);
    return m;
}

static cau_model_layout layout_of(const caucus_model *m)
{
    cau_model_header h;
    cau_model_layout l;
    memcpy(&h, m->image, sizeof h);
    assert_true(cau_model_lay_out(&h, &l) && l.bytes == m->bytes);
    return l;
}

static size_t offset(const caucus_model *m, const void *at)
{
    return (size_t)((const char *)at - (const char *)m->image);
}

/* The byte range of the weights of a row. */
static void row_bytes(const caucus_model *m, const cau_observations *of, size_t k, size_t *begin,
                      size_t *end)
{
    *begin =
        of->dense ? offset(m, of->dense + k * of->width) : offset(m, of->packed + of->start[k]);
    *end = of->dense ? *begin + of->width * sizeof *of->dense
                     : offset(m, of->packed + of->start[k + 1]);
}

/* A model's file with some changed bytes, with its old checksums or corrected ones. */
static const char *changed_file(const caucus_model *m, size_t at, const void *bytes, size_t size,
                                bool seal)
{
    char *copy = malloc(m->bytes);
    memcpy(copy, m->image, m->bytes);
    memcpy(copy + at, bytes, size);
    if (seal) sample_seal(copy, m->bytes);
    const char *path = test_file("changed.cau", copy, m->bytes);
    free(copy);
    return path;
}

static const char *flipped_file(const caucus_model *m, size_t at)
{
    const char other = (char)(((const char *)m->image)[at] ^ 16);
    return changed_file(m, at, &other, 1, false);
}

/* ---- damage --------------------------------------------------------------------------- */

/* All rows are readable except those with weights between two places. */
static void check_rows(const caucus_model *m, const cau_observations *of, size_t from, size_t to)
{
    size_t wrong = 0;
    for (uint32_t k = 0; k < of->K; k++) {
        size_t begin, end;
        row_bytes(m, of, k, &begin, &end);
        wrong += cau_model_sound(of, k) == (begin < to && from < end);
    }
    assert_int_equal(wrong, 0);
}

static void check_damage(const caucus_model *m, const cau_model_layout *l, size_t block, size_t at)
{
    const size_t from = l->first + block * CAU_BLOCK;
    caucus_ctx *ctx = test_ctx();
    caucus_model *back = NULL;
    const char *path = flipped_file(m, at);
    if (from < l->later) {
        assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, DAMAGED);
        assert_null(back);
    } else {
        assert_ok(ctx, cau_model_open(ctx, path, &back));
        assert_ok(ctx, cau_model_intact(ctx, back));
        check_rows(back, &back->nodes, from, from + CAU_BLOCK);
        check_rows(back, &back->edges, from, from + CAU_BLOCK);
        assert_fails(ctx, cau_model_verify(ctx, back), CAUCUS_ERR_FORMAT, DAMAGED);
        assert_fails(ctx, cau_model_intact(ctx, back), CAUCUS_ERR_FORMAT, DAMAGED);
        assert_int_equal(cau_model_verify(NULL, back), CAUCUS_ERR_FORMAT);
    }
    cau_model_free(back);
    caucus_ctx_free(ctx);
}

/* The first and last byte of each block, and of items across two blocks. */
static void test_blocks(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int packed = 0; packed < 2; packed++) {
        caucus_model *m = large_model(ctx, packed);
        const cau_model_layout l = layout_of(m);
        assert_true(l.blocks > 8 && (l.blocks - 1) * CAU_BLOCK < l.bytes - l.first);
        for (size_t b = 0; b < l.blocks; b++) {
            const size_t from = l.first + b * CAU_BLOCK;
            const size_t end = from + CAU_BLOCK < l.bytes ? from + CAU_BLOCK : l.bytes;
            for (size_t i = 0; i < 12; i += 3) {
                check_damage(m, &l, b, from + i);
                check_damage(m, &l, b, end - 1 - i);
            }
        }
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

static void test_sums(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = large_model(ctx, true), *back = NULL;
    const cau_model_layout l = layout_of(m);
    for (size_t at = l.sums; at < l.first; at += 5)
        assert_fails(ctx, cau_model_open(ctx, flipped_file(m, at), &back), CAUCUS_ERR_FORMAT,
                     DAMAGED);
    for (size_t b = 0; b < l.blocks; b++) {
        const char *cut = test_file("cut.cau", m->image, l.first + b * CAU_BLOCK);
        assert_fails(ctx, cau_model_open(ctx, cut, &back), CAUCUS_ERR_FORMAT, "cut short");
    }
    assert_null(back);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* An undamaged file passes, read in parts or as a whole. */
static void test_right(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int packed = 0; packed < 2; packed++) {
        caucus_model *m = large_model(ctx, packed), *back = NULL;
        assert_ok(ctx, cau_model_verify(ctx, m));
        check_rows(m, &m->nodes, 0, 0);
        assert_ok(ctx, cau_model_save(ctx, m, test_path("right.cau")));
        for (int parts = 0; parts < 2; parts++) {
            assert_ok(ctx, cau_model_open(ctx, test_path("right.cau"), &back));
            if (parts) check_rows(back, &back->nodes, 0, 0);
            for (int again = 0; again < 2; again++) assert_ok(ctx, cau_model_verify(ctx, back));
            check_rows(back, &back->edges, 0, 0);
            assert_ok(ctx, cau_model_intact(ctx, back));
            cau_model_free(back);
        }
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

/* A damaged model is not saved. */
static void test_save(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = large_model(ctx, false), *back = NULL;
    assert_ok(ctx, cau_model_open(ctx, flipped_file(m, m->bytes - 1), &back));
    assert_fails(ctx, cau_model_save(ctx, back, test_path("saved.cau")), CAUCUS_ERR_FORMAT,
                 DAMAGED);
    cau_model_free(back);
    assert_fails(ctx, cau_model_open(ctx, test_path("saved.cau"), &back), CAUCUS_ERR_IO, "No such");
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* ---- files that were made to harm ----------------------------------------------------- */

static void refused_at_once(const caucus_model *m, size_t at, const void *bytes, size_t size)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *back = NULL;
    const char *path = changed_file(m, at, bytes, size, true);
    assert_fails(ctx, cau_model_open(ctx, path, &back), CAUCUS_ERR_FORMAT, LIES);
    assert_null(back);
    caucus_ctx_free(ctx);
}

/* The file opens; rows are readable except those that share a block with the change, if any. */
static void refused_when_met(const caucus_model *m, size_t at, const void *bytes, size_t size)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *back = NULL;
    const cau_model_layout l = layout_of(m);
    const size_t from = l.first + (at - l.first) / CAU_BLOCK * CAU_BLOCK;
    assert_ok(ctx, cau_model_open(ctx, changed_file(m, at, bytes, size, true), &back));
    check_rows(back, &back->nodes, from, from + CAU_BLOCK);
    check_rows(back, &back->edges, from, from + CAU_BLOCK);
    assert_fails(ctx, cau_model_verify(ctx, back), CAUCUS_ERR_FORMAT, LIES);
    assert_fails(ctx, cau_model_intact(ctx, back), CAUCUS_ERR_FORMAT, LIES);
    cau_model_free(back);
    caucus_ctx_free(ctx);
}

/* Offsets that do not ascend: in the first block, at each border of blocks, and the last. */
static void refuses_offsets(const caucus_model *m, const uint64_t *at, size_t count,
                            void (*refused)(const caucus_model *, size_t, const void *, size_t))
{
    static const uint64_t most = UINT64_MAX, none = 0;
    const cau_model_layout l = layout_of(m);
    const size_t begin = offset(m, at), end = begin + (count + 1) * sizeof *at;
    refused(m, begin, &most, sizeof most);
    refused(m, end - sizeof most, &none, sizeof none);
    for (size_t b = 1; b < l.blocks; b++) {
        const size_t border = l.first + b * CAU_BLOCK;
        if (border < begin + 2 * sizeof most || border + sizeof most > end) continue;
        refused(m, border, &none, sizeof none);
        refused(m, border - sizeof most, &none, sizeof none);
    }
}

static void test_offsets(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = large_model(ctx, true);
    refuses_offsets(m, m->nodes.start, NODES, refused_at_once);
    refuses_offsets(m, m->edges.start, EDGES, refused_at_once);
    cau_model_free(m);

    /* all blocks of names, except one, are separate from the weights */
    m = large_model(ctx, false);
    const uint64_t most = UINT64_MAX, last = m->nodes.name_at[NODES];
    const size_t at = offset(m, m->nodes.name_at);
    refused_when_met(m, at + NODES / 2 * sizeof most, &most, sizeof most);
    refused_when_met(m, at + NODES / 2 * sizeof most, &last, sizeof last);
    refused_when_met(m, at, &most, sizeof most);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static void test_slots(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = large_model(ctx, false);
    const cau_model_layout l = layout_of(m);
    const uint32_t K = NODES;
    const size_t begin = offset(m, m->nodes.slot), row = offsetof(cau_name_slot, row);
    refused_at_once(m, begin + row, &K, sizeof K);
    for (size_t b = 1; b < l.blocks; b++) { /* the slot at or after the border of a block */
        const size_t border = l.first + b * CAU_BLOCK;
        if (border <= begin || border >= l.later) continue;
        const size_t i = (border - begin - 1) / sizeof(cau_name_slot);
        if (i < m->nodes.slots)
            refused_at_once(m, begin + i * sizeof(cau_name_slot) + row, &K, sizeof K);
    }
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static void test_weights(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int packed = 0; packed < 2; packed++) {
        caucus_model *m = large_model(ctx, packed);
        for (int edge = 0; edge < 2; edge++) {
            const cau_observations *of = edge ? &m->edges : &m->nodes;
            static const float bad[] = {NAN, -INFINITY};
            const cau_packed wrong[] = {{(uint32_t)of->width, 1}, {0, NAN}, {UINT32_MAX, 1}};
            for (size_t k = of->K / 2; k < of->K; k += of->K / 2 - 1) {
                size_t begin, end;
                row_bytes(m, of, k, &begin, &end);
                for (size_t i = 0; !packed && i < 2; i++)
                    refused_when_met(m, begin + i * sizeof *bad, &bad[i], sizeof *bad);
                for (size_t i = 0; packed && i < 3; i++)
                    refused_when_met(m, end - sizeof *wrong, &wrong[i], sizeof *wrong);
            }
        }
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

/* ---- threads -------------------------------------------------------------------------- */

enum { LOOKS = 32 };

typedef struct {
    const caucus_model *model;
    size_t sound[LOOKS];
} verify_watch;

/* Each block starts with another row. */
static caucus_status read_rows(void *self, size_t block, unsigned worker)
{
    (void)worker;
    verify_watch *w = self;
    const cau_observations *of = &w->model->nodes;
    for (size_t i = 0; i < of->K; i++)
        w->sound[block] += cau_model_sound(of, (uint32_t)((i + block * of->K / LOOKS) % of->K));
    return block % 2 ? cau_model_verify(NULL, w->model) : cau_model_intact(NULL, w->model);
}

/* All threads that use an unverified model at once get the same result. */
static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int damaged = 0; damaged < 2; damaged++) {
        caucus_model *m = large_model(ctx, true), *back = NULL;
        const char *path = damaged ? flipped_file(m, offset(m, m->nodes.packed + NODES / 2))
                                   : test_file("right.cau", m->image, m->bytes);
        assert_ok(ctx, cau_model_open(ctx, path, &back));
        verify_watch w = {.model = back};
        assert_int_equal(cau_parallel(4, LOOKS, read_rows, &w),
                         damaged ? CAUCUS_ERR_FORMAT : CAUCUS_OK);
        for (size_t i = 0; i < LOOKS; i++) assert_int_equal(w.sound[i], w.sound[0]);
        assert_true(damaged ? w.sound[0] < NODES : w.sound[0] == NODES);
        cau_model_free(back);
        cau_model_free(m);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),  cmocka_unit_test(test_sums),
        cmocka_unit_test(test_right),   cmocka_unit_test(test_save),
        cmocka_unit_test(test_offsets), cmocka_unit_test(test_slots),
        cmocka_unit_test(test_weights), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("model/verify", tests, NULL, NULL);
}
