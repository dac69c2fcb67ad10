/* resolve_labels_test.c - labels as written, and as numbers in each set. */

#include "dataset/resolve_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/status.h"
#include "support/support.h"

enum { SETS = 2 }; /* training and another */

typedef struct {
    cau_alphabet *labels;
    cau_dataset_builder piles[SETS];
} labelled_sets;

/* Sets whose instances have these labels, separated by blanks, and no features. */
static caucus_status labelled_init(caucus_ctx *ctx, labelled_sets *l, const char *const texts[SETS])
{
    const size_t start[2] = {0, 0};
    const cau_indexed_instance in = {.weight = 1, .groups = 1, .start = start};
    *l = (labelled_sets){0};
    caucus_status st = cau_alphabet_new(ctx, &l->labels);
    for (size_t p = 0; p < SETS; p++)
        for (const char *s = texts[p]; !st && *s;) {
            const size_t n = strcspn(s, " ");
            const uint32_t y = cau_alphabet_add(l->labels, s, n);
            st = y == CAU_UNKNOWN ? CAUCUS_ERR_MEMORY : cau_builder_add(&l->piles[p], &in, y);
            s += n + (s[n] == ' ');
        }
    return st;
}

static void labelled_clear(labelled_sets *l)
{
    for (size_t p = 0; p < SETS; p++) cau_builder_clear(&l->piles[p]);
    cau_alphabet_free(l->labels);
}

static caucus_status resolve(caucus_ctx *ctx, labelled_sets *l, cau_label_reading reading)
{
    cau_dataset_builder *const piles[SETS] = {&l->piles[0], &l->piles[1]};
    return cau_resolve_labels(ctx, l->labels, 0, piles, SETS, reading, "data");
}

/* "a ? {a,b}": the gold labels of a set. */
static void describe(cau_strbuf *out, const labelled_sets *l, const cau_dataset *set)
{
    bool partial = false;
    for (size_t i = 0; i < set->N; i++) {
        const uint32_t gold = set->gold[i];
        if (i) cau_strbuf_printf(out, " ");
        partial |= gold >= CAU_SET;
        if (gold == CAU_UNKNOWN) {
            cau_strbuf_printf(out, "?");
        } else if (gold < CAU_SET) {
            cau_strbuf_printf(out, "%s", cau_alphabet_name(l->labels, gold).s);
        } else {
            const size_t s = gold - CAU_SET;
            assert_true(s < set->sets.count);
            assert_true(set->sets.start[s + 1] - set->sets.start[s] >= 2);
            for (size_t e = set->sets.start[s]; e < set->sets.start[s + 1]; e++) {
                const bool first = e == set->sets.start[s];
                if (!first) assert_true(set->sets.label[e - 1] < set->sets.label[e]);
                cau_strbuf_printf(out, "%s%s", first ? "{" : ",",
                                  cau_alphabet_name(l->labels, set->sets.label[e]).s);
            }
            cau_strbuf_printf(out, "}");
        }
    }
    assert_int_equal(set->partial, partial);
    if (set->sets.count == 0) assert_true(!set->sets.start && !set->sets.label);
}

static const struct {
    cau_label_reading reading;
    const char *train, *other;
    size_t sets; /* sets of labels in training */
    const char *want;
} cases[] = {
    {CAU_LABELS_PARTIAL, "a b a", "b a", 0, "a b a / b a : a b"},
    {CAU_LABELS_PARTIAL, "a b a", "c ? b", 0, "a b a / ? ? b : a b"}, /* c is not a class */
    {CAU_LABELS_PARTIAL, "b ? a|c", "", 1, "b ? {a,c} /  : b a c"}, /* labels in sets are classes */
    {CAU_LABELS_PARTIAL, "a|b b|a a|b|a", "", 1, "{a,b} {a,b} {a,b} /  : a b"}, /* equal sets */
    {CAU_LABELS_PARTIAL, "a|b b|c a|c c", "", 3, "{a,b} {c,b} {c,a} c /  : c a b"},
    {CAU_LABELS_PARTIAL, "a b", "a|b a|c c|d d", 0, "a b / {a,b} a ? ? : a b"},
    {CAU_LABELS_PARTIAL, "a b", "c|b|a", 0, "a b / {a,b} : a b"},
    /* any label is allowed, so c is not counted */
    {CAU_LABELS_PARTIAL, "a b|? ?|c b", "", 0, "a ? ? b /  : a b"},
    {CAU_LABELS_PARTIAL, "a | |b b| a||b a|a", "", 0, "a | |b b| a||b a|a /  : a | |b b| a||b a|a"},
    {CAU_LABELS_PARTIAL, "a b|c", "d|c|b", 1, "a {b,c} / {b,c} : a b c"},
    {CAU_LABELS_PARTIAL, "a b ?", "a|b", 0, "a b ? / {a,b} : a b"},
    {CAU_LABELS_KNOWN, "a a|b", "? b a|b a|c", 0, "a a|b / ? ? a|b ? : a a|b"},
    {CAU_LABELS_PLAIN, "? a|b a", "? b", 0, "? a|b a / ? ? : ? a|b a"},
};

static void test_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        labelled_sets l;
        cau_strbuf got = {0};
        assert_ok(ctx, labelled_init(ctx, &l, (const char *[]){cases[c].train, cases[c].other}));
        assert_ok(ctx, resolve(ctx, &l, cases[c].reading));
        describe(&got, &l, &l.piles[0].set);
        cau_strbuf_printf(&got, " / ");
        describe(&got, &l, &l.piles[1].set);
        cau_strbuf_printf(&got, " :");
        for (uint32_t y = 0; y < cau_alphabet_size(l.labels); y++)
            cau_strbuf_printf(&got, " %s", cau_alphabet_name(l.labels, y).s);
        assert_int_equal(l.piles[0].set.sets.count, cases[c].sets);
        assert_string_equal(got.s, cases[c].want);
        cau_strbuf_clear(&got);
        labelled_clear(&l);
    }
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        cau_label_reading reading;
        const char *train, *message;
    } bad[] = {
        {CAU_LABELS_PARTIAL, "? ? ?",
         "data: no label is known, all are '?'; training needs some: label a part "
         "of the data"},
        {CAU_LABELS_PARTIAL, "? a|?", "data: no label is known, all are '?'; "},
        {CAU_LABELS_PARTIAL, "? a a",
         "data: all known labels are of the class 'a'; training needs two classes"},
        {CAU_LABELS_PARTIAL, "a a", "data: all instances are of the class 'a'; "},
        {CAU_LABELS_KNOWN, "a ? b",
         "data: the label '?' says that it is unknown; training needs known ones"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof bad / sizeof *bad; c++) {
        labelled_sets l;
        assert_ok(ctx, labelled_init(ctx, &l, (const char *[]){bad[c].train, "b"}));
        const size_t N = l.piles[0].set.N;
        uint32_t before[4];
        memcpy(before, l.piles[0].set.gold, N * sizeof *before);
        assert_fails(ctx, resolve(ctx, &l, bad[c].reading), CAUCUS_ERR_FORMAT, bad[c].message);
        assert_memory_equal(before, l.piles[0].set.gold, N * sizeof *before);
        labelled_clear(&l);
    }
    caucus_ctx_free(ctx);
}

/* Thousands of random label sets: the resolved sets have the same members, compared as bits. */
static void test_random_sets(void **state)
{
    (void)state;
    enum { LABELS = 10, N = 3000 };
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    cau_rng rng;
    static unsigned want[N];
    cau_rng_init(&rng, 5);
    for (size_t i = 0; i < N; i++) {
        want[i] = 0;
        if (i) cau_strbuf_printf(&text, " ");
        for (size_t n = 1 + (size_t)cau_rng_below(&rng, 6); n > 0; n--) {
            const unsigned y = (unsigned)cau_rng_below(&rng, LABELS);
            const bool first = !want[i];
            if (want[i] & 1u << y) continue;
            want[i] |= 1u << y;
            cau_strbuf_printf(&text, "%s%c", first ? "" : "|", 'a' + (int)y);
        }
    }
    labelled_sets l;
    assert_ok(ctx, labelled_init(ctx, &l, (const char *[]){text.s, ""}));
    assert_ok(ctx, resolve(ctx, &l, CAU_LABELS_PARTIAL));
    const cau_dataset *set = &l.piles[0].set;
    assert_int_equal(cau_alphabet_size(l.labels), LABELS);
    static uint32_t number[1u << LABELS]; /* 1 + the number of the set with these members */
    for (size_t i = 0; i < N; i++) {
        unsigned got = 0;
        const uint32_t gold = set->gold[i];
        assert_true(gold != CAU_UNKNOWN);
        if (gold < CAU_SET) {
            got = 1u << (cau_alphabet_name(l.labels, gold).s[0] - 'a');
        } else {
            const size_t s = gold - CAU_SET;
            for (size_t e = set->sets.start[s]; e < set->sets.start[s + 1]; e++)
                got |= 1u << (cau_alphabet_name(l.labels, set->sets.label[e]).s[0] - 'a');
            if (!number[got]) number[got] = gold;
            assert_int_equal(number[got], gold); /* equal sets have equal numbers */
        }
        assert_int_equal(got, want[i]);
    }
    labelled_clear(&l);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

/* After a failure the sets are unchanged and can still be resolved. */
static caucus_status resolve_once(void *self)
{
    caucus_ctx *ctx = self;
    labelled_sets l;
    caucus_status st = labelled_init(ctx, &l, (const char *[]){"a ? b|c|d a|b", "a|b d|e"});
    if (!st && (st = resolve(ctx, &l, CAU_LABELS_PARTIAL))) {
        cau_strbuf got = {0};
        assert_ok(ctx, resolve(ctx, &l, CAU_LABELS_PARTIAL));
        describe(&got, &l, &l.piles[0].set);
        describe(&got, &l, &l.piles[1].set);
        assert_string_equal(got.s, "a ? {b,c,d} {a,b}{a,b} d");
        cau_strbuf_clear(&got);
    }
    labelled_clear(&l);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(test_every_allocation(resolve_once, ctx) > 20);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/resolve_labels", tests, NULL, NULL);
}
