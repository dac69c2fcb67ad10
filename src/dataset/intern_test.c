/* intern_test.c - the ids of what readers return: repeated features, zeros, unknown names. */

#include "dataset/intern.h"

#include <stdio.h>

#include "base/rng.h"
#include "support/data_sample.h"

#define TEXT .format = CAU_FORMAT_TEXT
#define CRFSUITE .format = CAU_FORMAT_CRFSUITE
#define MEGAM .format = CAU_FORMAT_MEGAM
#define COLUMNS .format = CAU_FORMAT_COLUMNS

static const struct {
    cau_read_options options; /* but for the template */
    const char *template, *file, *want;
} good[] = {
    {{TEXT}, NULL, "spam\twin a prize , win now\n", " win a prize , now\n"},
    {{TEXT, .counts = true}, NULL, "spam\twin a win\n", " win*2 a\n"},
    {{TEXT, .ngrams = 2, .counts = true, .lower = true},
     NULL,
     "l\tA b a B\n",
     " a*2 a b*2 b*2 b a\n"},
    {{CRFSUITE}, NULL, "B\ta\ta:2\tb:\tc:0\td e\n", " a*3 b d e\n"},
    {{CRFSUITE}, NULL, "A\ta:1\ta:-1\tb\n", " b\n"}, /* the sum is 0 */
    {{MEGAM}, NULL, "spam win a win\nham\n", " win a\n\n"},
    {{MEGAM, .values = true}, NULL, "a x 1 y -0.5 x 2 z 0\n", " x*3 y*-0.5\n"},
    {{MEGAM}, NULL, "1 # a b a # a #\n2 # # a # b\n", " a b # a #\n # a # b\n"},
    {{COLUMNS}, "U:%chars[0,0,1-2]\n", "aaa X\n", " U:<a U:a U:aa U:a>\n"},
    {{COLUMNS}, "U:%x[0,0]\nU:%x[1,0]\n", "a X\na X\nb Y\n", " U:a\n U:a U:b\n U:b U:_B+1\n"},
    {{COLUMNS},
     "U:%x[0,0]\nB:%x[-1,0]\nB:%x[0,0]\n",
     "a X\na Y\nb Y\n",
     " U:a\n U:a | B:a\n U:b | B:a B:b\n"},
    {{COLUMNS},
     "U:%x[0,0]\nU:n=%number[0,1]\n",
     "a 2.5 X\nb 0 Y\nc 1 Y\n",
     " U:a U:n=%number[0,1]*2.5\n U:b\n U:c U:n=%number[0,1]\n"},
};

static void print_instance(cau_strbuf *out, const cau_alphabets *names,
                           const cau_indexed_instance *x)
{
    for (size_t g = 0; g < x->groups; g++) {
        if (g) cau_strbuf_printf(out, " #");
        for (size_t i = x->start[g]; i < x->start[g + 1]; i++) {
            cau_strbuf_printf(out, " %s", cau_alphabet_name(names->names, x->id[i]).s);
            if (x->value && x->value[i] != 1) cau_strbuf_printf(out, "*%g", (double)x->value[i]);
        }
    }
    if (x->edges) cau_strbuf_printf(out, " |");
    for (size_t i = 0; i < x->edges; i++)
        cau_strbuf_printf(out, " %s", cau_alphabet_name(names->edges, x->edge[i]).s);
    cau_strbuf_printf(out, "\n");
}

/* Interns all instances of a file; `out` may be NULL. */
static caucus_status intern_file(caucus_ctx *ctx, cau_read_options options, const char *file,
                                 cau_alphabets *names, bool add, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    cau_interner interner = {.alphabets = names, .add = add};
    cau_reader *r = NULL;
    TRY(cau_reader_memory(ctx, "file", cau_str_of(file), &options, CAU_BY_NAME, &r));
    for (;;) {
        cau_read_event event;
        cau_instance in;
        cau_indexed_instance x;
        TRY(cau_reader_next(ctx, r, &event, &in));
        if (event == CAU_READ_END) break;
        if (event != CAU_READ_INSTANCE) continue;
        TRY(cau_intern(ctx, &interner, "file", &in, &x));
        if (out) print_instance(out, names, &x);
    }
done:
    cau_reader_free(r);
    cau_interner_clear(&interner);
    return st;
}

static cau_alphabets alphabets_new(caucus_ctx *ctx)
{
    cau_alphabets both = {0};
    assert_ok(ctx, cau_alphabet_new(ctx, &both.names));
    assert_ok(ctx, cau_alphabet_new(ctx, &both.edges));
    return both;
}

static void alphabets_clear(cau_alphabets *both)
{
    cau_alphabet_free(both->names);
    cau_alphabet_free(both->edges);
}

static cau_template *template_of(caucus_ctx *ctx, const char *text)
{
    cau_template *t = NULL;
    if (text) assert_ok(ctx, cau_template_parse(ctx, "template", cau_str_of(text), NULL, &t));
    return t;
}

/* Names that are added, and then found again. */
static void test_good(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof good / sizeof *good; c++) {
        cau_alphabets names = alphabets_new(ctx);
        cau_template *t = template_of(ctx, good[c].template);
        cau_read_options options = good[c].options;
        options.template = t;
        for (int add = 1; add >= 0; add--) {
            cau_strbuf got = {0};
            const size_t size = cau_alphabet_size(names.names);
            const size_t edges = cau_alphabet_size(names.edges);
            assert_ok(ctx, intern_file(ctx, options, good[c].file, &names, add, &got));
            assert_string_equal(got.s, good[c].want);
            assert_true(add || cau_alphabet_size(names.names) == size);
            assert_true(add || cau_alphabet_size(names.edges) == edges);
            cau_strbuf_clear(&got);
        }
        cau_template_free(t);
        alphabets_clear(&names);
    }
    caucus_ctx_free(ctx);
}

static void test_unknown_names_are_left_out(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_alphabets names = alphabets_new(ctx);
    cau_strbuf got = {0};
    const cau_read_options options = {TEXT};
    cau_alphabet_add(names.names, "b", 1);
    assert_ok(ctx, intern_file(ctx, options, "l\ta b c b\nl\tc", &names, false, &got));
    assert_string_equal(got.s, " b\n\n");
    cau_strbuf_clear(&got);
    alphabets_clear(&names);
    caucus_ctx_free(ctx);
}

static void test_without_edges(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_alphabets names = {0};
    cau_strbuf got = {0};
    assert_ok(ctx, cau_alphabet_new(ctx, &names.names));
    cau_template *t = template_of(ctx, "U:%x[0,0]\nB:%x[0,0]\n");
    const cau_read_options options = {COLUMNS, .template = t};
    assert_ok(ctx, intern_file(ctx, options, "a X\nb Y\n", &names, true, &got));
    assert_string_equal(got.s, " U:a\n U:b\n");
    cau_strbuf_clear(&got);
    cau_template_free(t);
    cau_alphabet_free(names.names);
    caucus_ctx_free(ctx);
}

static void test_infinite_sum(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_alphabets names = alphabets_new(ctx);
    const cau_read_options options = {CRFSUITE};
    assert_fails(ctx, intern_file(ctx, options, "A\tb\nA\ta:3e38\ta:3e38\n", &names, true, NULL),
                 CAUCUS_ERR_FORMAT, "file:2: the values of feature 'a' add up to a number");
    alphabets_clear(&names);
    caucus_ctx_free(ctx);
}

/* Random instances of 1 to 4 groups, each compared with a dense table of its sums. */
static void test_random_groups(void **state)
{
    (void)state;
    enum { IDS = 40, GROUPS = 4 };
    caucus_ctx *ctx = test_ctx();
    cau_alphabets names = {0};
    cau_interner interner = {.alphabets = &names, .add = true};
    cau_feature_block block = {.base = CAU_BY_NAME};
    char name[IDS][8];
    cau_rng rng;
    cau_rng_init(&rng, 3);
    assert_ok(ctx, cau_alphabet_new(ctx, &names.names));
    for (uint32_t id = 0; id < IDS; id++) {
        snprintf(name[id], sizeof name[id], "%u", (unsigned)id);
        assert_int_equal(cau_alphabet_add(names.names, name[id], strlen(name[id])), id);
    }
    for (size_t instance = 0; instance < 2000; instance++) {
        float sum[GROUPS][IDS] = {{0}};
        const size_t groups = 1 + (size_t)cau_rng_below(&rng, GROUPS);
        cau_feature_block_begin(&block);
        for (size_t g = 0; g < groups; g++) {
            assert_true(cau_feature_block_row(&block));
            for (size_t n = (size_t)cau_rng_below(&rng, 30); n > 0; n--) {
                const uint32_t id = (uint32_t)cau_rng_below(&rng, IDS);
                const float value = (float)cau_rng_below(&rng, 5) - 2;
                sum[g][id] += value;
                assert_true(cau_add_feature(&block, cau_str_of(name[id]), value));
            }
        }
        cau_feature_block_end(&block);
        const cau_instance in = {.block = &block, .groups = groups};
        cau_indexed_instance x;
        assert_ok(ctx, cau_intern(ctx, &interner, NULL, &in, &x));
        assert_int_equal(x.groups, groups);
        assert_int_equal(x.start[0], 0);
        for (size_t g = 0; g < groups; g++) {
            for (size_t i = x.start[g]; i < x.start[g + 1]; i++) {
                const float value = x.value ? x.value[i] : 1;
                assert_true(value != 0);
                assert_true(value == sum[g][x.id[i]]);
                sum[g][x.id[i]] = 0; /* seen: a second time would differ */
            }
            for (size_t id = 0; id < IDS; id++) assert_true(sum[g][id] == 0);
        }
    }
    cau_feature_block_clear(&block);
    cau_interner_clear(&interner);
    cau_alphabet_free(names.names);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const cau_template *template;
    size_t number;
} intern_case;

static caucus_status intern_good_case(void *self)
{
    const intern_case *c = self;
    cau_alphabets names = {0};
    cau_read_options options = good[c->number].options;
    options.template = c->template;
    caucus_status st = cau_alphabet_new(c->ctx, &names.names);
    if (!st) st = cau_alphabet_new(c->ctx, &names.edges);
    if (!st) st = intern_file(c->ctx, options, good[c->number].file, &names, true, NULL);
    alphabets_clear(&names);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (size_t c = 0; c < sizeof good / sizeof *good; c++) {
        cau_template *t = template_of(ctx, good[c].template);
        assert_true(test_every_allocation(intern_good_case, &(intern_case){ctx, t, c}) > 3);
        cau_template_free(t);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),          cmocka_unit_test(test_unknown_names_are_left_out),
        cmocka_unit_test(test_without_edges), cmocka_unit_test(test_infinite_sum),
        cmocka_unit_test(test_random_groups), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/intern", tests, NULL, NULL);
}
