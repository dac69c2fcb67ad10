/* subset_test.c - a part of a data set equals the data set read from a file of that part. */

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/status.h"
#include "dataset/subset.h"
#include "support/support.h"

enum { MOST = 16 }; /* sequences of a sample */

/* Data to take parts of; one string per sequence (or instance). */
typedef struct {
    const char *name;
    cau_data_options options; /* `template` is a text here */
    const char *break_with;   /* line between sequences */
    const char *sequence[MOST];
    const char *test; /* a separate file, or NULL */
} subset_sample;

static const subset_sample samples[] = {
    {"text, bigrams",
     {.read = {.format = CAU_FORMAT_TEXT, .ngrams = 2}},
     "",
     {"A\tx y x\n", "B\ty z\n", "A\tz w\n", "B\t\n", "C\tx y z\n", "A\tv\n", "B\tv w x\n"},
     "C\tx new y\n?\tz w\nA\t\n"},
    {"svmlight, values come late",
     {.read = {.format = CAU_FORMAT_SVMLIGHT}},
     "",
     {"1 1:1 2:1\n", "2\n", "2 2:0.5 3:1\n", "1 1:1 4:1\n", "3 1:1 4:2\n", "1 2:1\n"},
     NULL},
    {"megam, weights",
     {.read = {.format = CAU_FORMAT_MEGAM}},
     "",
     {"a x y\n", "b $$$WEIGHT 0 y\n", "a $$$WEIGHT 2.5 z\n", "a x\n", "b x z\n", "c y\n"},
     "b $$$WEIGHT 3 z x\n"},
    {"explicit features",
     {.read = {.format = CAU_FORMAT_MEGAM, .values = true}},
     "",
     {"1 # a 1 b 2 # a 1 # c 3\n", "0 # # c 1 #\n", "1 # a 1 # b 1 # b 1\n", "1 # d 1 # #\n",
      "0 # a 2 # c 1 # c 1\n"},
     "2 # # a 3 # d 4\n"},
    {"crfsuite, weights and values",
     {.read = {.format = CAU_FORMAT_CRFSUITE}},
     "\n",
     {"A\tx\nB\ty\n", "@weight:2\nA\ty\tz:3\n", "B\n", "C\tx\tw\nA\tz\nA\tx\n", "B\tw:0.5\n"},
     "A\tx:2\nC\tq\n\nB\ty\n"},
    {"columns, edges, partial labels",
     {.partial = true, .template = "U:%x[0,0]\nU1:%x[-1,0]\nB:%x[-1,0]/%x[0,0]\nB\n"},
     "\n",
     {"a X\nb Y\na X\n", "c X\n", "b ?\na Y|Z\nb Y\n", "a V|W\nc ?\n", "d X|Y|W\nb X\n", "a ?\n",
      "c Y|X\nb Z\nb W|V\n", "d Q\na X\n"},
     "a X|Q\nb ?\n\nd N\nc Z|N\nb X\n"},
    {"columns, no partial labels",
     {.template = "U:%x[0,0]\n"},
     "\n",
     {"a X\nb X|Y\n", "a X\n", "c X|Y\na Z\n", "b Z\n"},
     NULL},
    {"documents",
     {.template = "U:%x[0,0]\n", .by = "document", .read = {.docstart = true}},
     "\n",
     {"a X\n", "-DOCSTART- O\n\nb X\na Y\n", "c Y\n", "-DOCSTART- O\n\na X\n", "b Y\n", "b Z\n"},
     "a X\n"},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static size_t length_of(const subset_sample *s)
{
    size_t n = 0;
    while (n < MOST && s->sequence[n]) n++;
    return n;
}

/* A file of these sequences; `which` NULL: all. */
static const char *file_of(const char *name, const subset_sample *s, const uint32_t *which,
                           size_t count)
{
    cau_strbuf text = {0};
    for (size_t c = 0; c < count; c++)
        cau_strbuf_printf(&text, "%s%s", c ? s->break_with : "", s->sequence[which ? which[c] : c]);
    const char *path = test_file(name, text.s ? text.s : "", text.n);
    cau_strbuf_clear(&text);
    return path;
}

/* The reading options of a sample. */
static cau_data_options options_of(const subset_sample *s)
{
    cau_data_options options = s->options;
    if (options.template) options.template = test_text("template", options.template);
    return options;
}

static caucus_data *read_sample(caucus_ctx *ctx, const subset_sample *s)
{
    cau_data_options options = options_of(s);
    const char *path = file_of("all", s, NULL, length_of(s));
    caucus_data *data = NULL;
    if (s->test) options.test = test_text("test", s->test);
    assert_ok(ctx, cau_data_read(ctx, &options, &path, 1, &data));
    return data;
}

/* ---- data sets in a form that does not depend on numbers ----------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of an alphabet in alphabetical order: those with these numbers, or all. */
static void add_names(cau_strbuf *out, const cau_alphabet *names, const uint32_t *ids, size_t count)
{
    const char *name[256];
    assert_true(count <= 256);
    for (size_t i = 0; i < count; i++)
        name[i] = cau_alphabet_name(names, ids ? ids[i] : (uint32_t)i).s;
    qsort(name, count, sizeof *name, by_text);
    for (size_t i = 0; i < count; i++) cau_strbuf_printf(out, " %s", name[i]);
}

static void add_gold(cau_strbuf *out, const caucus_data *data, const cau_dataset *s, uint32_t gold)
{
    if (gold == CAU_UNKNOWN) {
        cau_strbuf_printf(out, " ?");
    } else if (gold < CAU_SET) {
        assert_true(gold < s->Y);
        add_names(out, data->labels, &gold, 1);
    } else {
        const size_t q = gold - CAU_SET;
        assert_true(q < s->sets.count);
        const uint32_t *label = s->sets.label + s->sets.start[q];
        const size_t count = s->sets.start[q + 1] - s->sets.start[q];
        assert_true(count >= 2);
        for (size_t i = 1; i < count; i++) assert_true(label[i - 1] < label[i]);
        cau_strbuf_printf(out, " {");
        add_names(out, data->labels, label, count);
        cau_strbuf_printf(out, " }");
    }
}

static void add_row(cau_strbuf *out, const cau_alphabet *names, const cau_csr *x, size_t row)
{
    for (size_t e = x->start[row]; e < x->start[row + 1]; e++)
        cau_strbuf_printf(out, " %s*%g", cau_alphabet_name(names, x->column[e]).s,
                          x->value ? (double)x->value[e] : 1);
}

/* Describes everything in a set, and checks its consistency. The order of features in a row is
 * kept; names are sorted. */
static void describe(cau_strbuf *out, const caucus_data *data, const cau_dataset *s)
{
    bool partial = false;
    cau_strbuf_printf(out, "N %zu K %zu Y %zu E %zu S %zu group %zu width %zu sets %zu", s->N, s->K,
                      s->Y, s->E, s->S, s->group, s->width, s->sets.count);
    cau_strbuf_printf(out, "%s%s%s%s\n", s->sequence ? " sequences" : "",
                      s->weight ? " weights" : "", s->x.value ? " values" : "",
                      s->unit ? " units" : "");
    for (size_t q = 0; q < s->S; q++) {
        cau_strbuf_printf(out, "sequence");
        if (s->unit) cau_strbuf_printf(out, " of %u", (unsigned)s->unit[q]);
        cau_strbuf_printf(out, "\n");
        const size_t end = s->sequence ? s->sequence[q + 1] : q + 1;
        for (size_t i = s->sequence ? s->sequence[q] : q; i < end; i++) {
            add_gold(out, data, s, s->gold[i]);
            partial |= s->gold[i] >= CAU_SET;
            cau_strbuf_printf(out, " (%g):", s->weight ? (double)s->weight[i] : 1);
            for (size_t g = 0; g < s->group; g++) {
                if (g) cau_strbuf_printf(out, " #");
                add_row(out, data->alphabets.names, &s->x, i * s->group + g);
            }
            if (s->E) cau_strbuf_printf(out, " |");
            if (s->E) add_row(out, data->alphabets.edges, &s->e, i);
            cau_strbuf_printf(out, "\n");
        }
    }
    assert_int_equal(s->partial, partial);
    assert_int_equal(s->x.rows, s->N * s->group);
    assert_int_equal(s->x.columns, s->K);
    assert_int_equal(s->K, cau_alphabet_size(data->alphabets.names));
    assert_int_equal(s->E, cau_alphabet_size(data->alphabets.edges));
    assert_int_equal(s->Y, cau_alphabet_size(data->labels));
}

/* Both have the same description, and the transpose of the first is right. */
static void assert_same(const caucus_data *a, const caucus_data *b)
{
    cau_strbuf text[2] = {{0}};
    const caucus_data *both[2] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        const caucus_data *d = both[i];
        describe(&text[i], d, &d->train);
        cau_strbuf_printf(&text[i], "test ");
        describe(&text[i], d, &d->test);
        cau_strbuf_printf(&text[i], "dev ");
        describe(&text[i], d, &d->dev);
        add_names(&text[i], d->alphabets.names, NULL, d->train.K);
        cau_strbuf_printf(&text[i], "\n");
        add_names(&text[i], d->alphabets.edges, NULL, d->train.E);
        cau_strbuf_printf(&text[i], "\n");
        add_names(&text[i], d->labels, NULL, d->train.Y);
        cau_strbuf_printf(&text[i], "\n%d %d %d %d\n%s", d->transitions, (int)d->read.format,
                          (int)d->read.columns, d->open,
                          d->template ? cau_template_text(d->template).s : "");
        assert_ptr_equal(d->read.template, d->template);
        assert_null(d->builder);
    }
    assert_string_equal(text[0].s, text[1].s);
    cau_strbuf_clear(&text[0]);
    cau_strbuf_clear(&text[1]);

    cau_csr xt = {0};
    const size_t entries = cau_csr_nonzeros(&a->train.x);
    assert_int_equal(cau_csr_transpose(1, &a->train.x, &xt), CAUCUS_OK);
    assert_memory_equal(xt.start, a->train.xt.start, (xt.rows + 1) * sizeof *xt.start);
    assert_memory_equal(xt.column, a->train.xt.column, entries * sizeof *xt.column);
    assert_int_equal(!xt.value, !a->train.xt.value);
    if (xt.value) assert_memory_equal(xt.value, a->train.xt.value, entries * sizeof *xt.value);
    cau_csr_clear(&xt);
}

/* ---- the tests ----------------------------------------------------------------------------- */

/* Compares one part with its files. Returns whether it can be trained on. */
static bool check_part(caucus_ctx *ctx, const subset_sample *s, const caucus_data *data,
                       const cau_part_of *part, size_t cutoff)
{
    caucus_data *sub = NULL, *want = NULL;
    cau_data_options options = options_of(s);
    options.cutoff = cutoff;
    const char *path = file_of("part", s, part->train, part->trained);
    if (part->held)
        options.test = file_of("held", s, part->test, part->held);
    else if (s->test)
        options.test = test_text("test", s->test);
    const caucus_status read = cau_data_read(ctx, &options, &path, 1, &want);
    const caucus_status st = cau_data_subset(ctx, data, part, cutoff, &sub);
    assert_int_equal(st, read);
    if (st) assert_int_equal(st, CAUCUS_ERR_FORMAT);
    if (!st) assert_same(sub, want);
    cau_data_free(sub);
    cau_data_free(want);
    return !st;
}

/* Every part by number: each sequence is trained on, held out, or left out. */
static void test_every_part(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < SAMPLES; i++) {
        const subset_sample *s = &samples[i];
        if (s->options.by) continue; /* a mark may remain: see test_units */
        caucus_data *data = read_sample(ctx, s);
        const size_t S = length_of(s);
        assert_int_equal(data->train.S, S);
        size_t parts = 1, trained = 0, tried = 0;
        for (size_t q = 0; q < S; q++) parts *= 3;
        for (size_t p = 1; p<parts; p += parts> 1000 ? parts / 211 : 1) {
            uint32_t train[MOST], test[MOST];
            cau_part_of part = {.train = train, .test = test};
            for (size_t q = 0, rest = p; q < S; q++, rest /= 3) {
                if (rest % 3 == 1) train[part.trained++] = (uint32_t)q;
                if (rest % 3 == 2) test[part.held++] = (uint32_t)q;
            }
            if (part.trained == 0) continue;
            trained += check_part(ctx, s, data, &part, p % 3);
            tried++;
        }
        assert_true(trained > 20);
        /* otherwise all classes remain */
        assert_int_equal(trained < tried, data->train.group == 1);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* Sequences in any order, and repeated. */
static void test_any_order(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 7);
    for (size_t i = 0; i < SAMPLES; i++) {
        const subset_sample *s = &samples[i];
        if (s->options.by) continue;
        caucus_data *data = read_sample(ctx, s);
        for (size_t round = 0; round < 20; round++) {
            uint32_t train[2 * MOST], test[2 * MOST];
            const size_t S = length_of(s);
            const cau_part_of part = {
                .train = train, .test = test, .trained = 2 * S, .held = round % 3 ? S : 0};
            for (size_t q = 0; q < 2 * S; q++) train[q] = (uint32_t)cau_rng_below(&rng, S);
            for (size_t q = 0; q < S; q++) test[q] = (uint32_t)cau_rng_below(&rng, S);
            check_part(ctx, s, data, &part, round % 4);
        }
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* Units are renumbered by first occurrence. */
static void test_units(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = read_sample(ctx, &samples[SAMPLES - 1]), *sub = NULL;
    static const uint32_t all[] = {0, 1, 1, 2, 2, 2}, train[] = {5, 1, 3, 2},
                          units[] = {0, 1, 0, 1};
    assert_int_equal(data->train.S, 6);
    assert_memory_equal(data->train.unit, all, sizeof all);
    assert_ok(ctx,
              cau_data_subset(ctx, data,
                              &(cau_part_of){.train = train, .test = all, .trained = 4, .held = 6},
                              1, &sub));
    assert_memory_equal(sub->train.unit, units, sizeof units);
    assert_null(sub->test.unit);
    cau_data_free(sub);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* A part of a part is a part, and fingerprints differ between parts. */
static void test_parts_of_parts(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = read_sample(ctx, &samples[5]), *half = NULL, *sub = NULL, *want = NULL;
    const uint32_t first[] = {7, 2, 0, 4, 3}, then[] = {1, 3}, direct[] = {2, 4};
    assert_ok(ctx,
              cau_data_subset(ctx, data, &(cau_part_of){.train = first, .trained = 5}, 1, &half));
    assert_ok(ctx,
              cau_data_subset(ctx, half, &(cau_part_of){.train = then, .trained = 2}, 1, &sub));
    assert_ok(ctx,
              cau_data_subset(ctx, data, &(cau_part_of){.train = direct, .trained = 2}, 1, &want));
    assert_same(sub, want);
    assert_true(half->fingerprint != data->fingerprint);
    assert_true(half->fingerprint != want->fingerprint);
    cau_data_free(want);
    want = NULL;
    assert_ok(ctx,
              cau_data_subset(ctx, half, &(cau_part_of){.train = then, .trained = 2}, 1, &want));
    assert_true(sub->fingerprint == want->fingerprint);
    cau_data_free(want);
    cau_data_free(sub);
    cau_data_free(half);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Names and labels from a model are dropped from a part. */
static void test_known_names_are_dropped(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_known known = {0};
    caucus_data *data = NULL, *sub = NULL;
    assert_ok(ctx, cau_alphabet_new(ctx, &known.alphabets.names));
    assert_ok(ctx, cau_alphabet_new(ctx, &known.labels));
    cau_alphabet_add(known.alphabets.names, "old", 3);
    cau_alphabet_add(known.labels, "OLD", 3);
    const cau_data_options options = {.read = {.format = CAU_FORMAT_TEXT}, .known = &known};
    const char *path = test_file("all", "A\tx\nB\ty\nA\tz\n", 12);
    assert_ok(ctx, cau_data_read(ctx, &options, &path, 1, &data));
    assert_int_equal(data->train.K, 4);
    assert_int_equal(data->train.Y, 3);
    cau_part_of part = {.train = (uint32_t[]){1, 2}, .trained = 2};
    assert_ok(ctx, cau_data_subset(ctx, data, &part, 1, &sub));
    assert_int_equal(sub->train.K, 2);
    assert_int_equal(sub->train.Y, 2);
    assert_int_equal(cau_alphabet_find(sub->labels, "OLD", 3), CAU_UNKNOWN);
    cau_data_free(sub);

    /* On request all names and labels stay, with their numbers, and a single label is accepted. */
    sub = NULL;
    part.whole = true;
    part.trained = 1;
    assert_ok(ctx, cau_data_subset(ctx, data, &part, 2, &sub));
    assert_int_equal(sub->train.N, 1);
    assert_int_equal(sub->train.K, 4);
    assert_int_equal(sub->train.Y, 3);
    assert_int_equal(sub->train.gold[0], data->train.gold[1]);
    assert_int_equal(sub->train.x.column[0], data->train.x.column[1]);
    assert_int_equal(cau_alphabet_find(sub->labels, "OLD", 3), 0);
    assert_int_equal(cau_alphabet_find(sub->alphabets.names, "z", 1), 3);
    cau_data_free(sub);
    cau_data_free(data);
    cau_alphabet_free(known.alphabets.names);
    cau_alphabet_free(known.labels);
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = read_sample(ctx, &samples[5]), *sub = NULL;
    assert_fails(ctx, cau_data_subset(ctx, data, &(cau_part_of){0}, 0, &sub), CAUCUS_ERR_FORMAT,
                 "no label is known; training needs two classes");
    assert_fails(
        ctx,
        cau_data_subset(ctx, data, &(cau_part_of){.train = (uint32_t[]){5}, .trained = 1}, 0, &sub),
        CAUCUS_ERR_FORMAT, "no label is known; training needs two classes");
    assert_fails(ctx,
                 cau_data_subset(
                     ctx, data, &(cau_part_of){.train = (uint32_t[]){1, 5}, .trained = 2}, 0, &sub),
                 CAUCUS_ERR_FORMAT, "all known labels are 'X'; training needs two classes");
    assert_null(sub);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------------- */

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    cau_part_of part;
} subset_take;

static caucus_status take_once(void *self)
{
    const subset_take *t = self;
    caucus_data *sub = NULL;
    const caucus_status st = cau_data_subset(t->ctx, t->data, &t->part, 2, &sub);
    cau_data_free(sub);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const uint32_t train[] = {0, 1, 2, 3, 0, 1, 2, 3}, test[] = {3, 1, 0};
    for (size_t i = 0; i < SAMPLES; i++) {
        caucus_data *data = read_sample(ctx, &samples[i]);
        subset_take t = {ctx, data, {.train = train, .test = test, .trained = 8, .held = 3}};
        assert_true(test_every_allocation(take_once, &t) > 20);
        t.part.held = 0;
        t.part.whole = true;
        assert_true(test_every_allocation(take_once, &t) > 20);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_part),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_parts_of_parts),
        cmocka_unit_test(test_known_names_are_dropped),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/subset", tests, NULL, NULL);
}
