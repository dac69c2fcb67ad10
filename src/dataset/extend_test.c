/* extend_test.c - a data set with added features equals one read from a file with these
 * features. */

#include "dataset/extend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "dataset/subset.h"
#include "support/support.h"

/* Instance n gets n % 3 of the features new0 .. new3, from new(n % 4) on, with value 1 or other
 * values. */
typedef struct {
    bool valued;
    size_t asked; /* instances so far */
    char name[16];
} extend_sample;

static cau_str name_of(void *self, size_t k)
{
    extend_sample *s = self;
    const int n = snprintf(s->name, sizeof s->name, "new%zu", k);
    return (cau_str){s->name, (size_t)n};
}

static size_t extra_of(void *self, size_t n, uint32_t *extra, float *value, size_t room)
{
    extend_sample *s = self;
    assert_int_equal(s->asked++, n);
    assert_int_equal(room, 2);
    for (size_t i = 0; i < n % 3; i++) {
        extra[i] = (uint32_t)((n + i) % 4);
        if (s->valued) value[i] = (float)(n + i) / 2;
    }
    return n % 3;
}

static cau_extension extension(extend_sample *s)
{
    return (cau_extension){.count = 5, .most = 2, .name = name_of, .extra = extra_of, .self = s};
}

/* Writes a line of the file, with or without the added features. */
static void write_line(cau_strbuf *out, const extend_sample *s, bool more, size_t n,
                       const char *line)
{
    cau_strbuf_printf(out, "%s", line);
    for (size_t i = 0; more && i < n % 3; i++)
        cau_strbuf_printf(out, "\tnew%zu:%g", (n + i) % 4, s->valued ? (double)(n + i) / 2 : 1);
    cau_strbuf_printf(out, "\n");
}

static caucus_data *read_lines(caucus_ctx *ctx, const extend_sample *s, bool more, bool valued)
{
    static const char *const lines[] = {"A\tx\ty", "B\ty", "A", "B|A\tz\tx", "B\tw", "A\ty\tw"};
    cau_strbuf text = {0};
    caucus_data *data = NULL;
    for (size_t n = 0; n < 6; n++) {
        if (n % 2) cau_strbuf_printf(&text, "@weight:2\n");
        write_line(&text, s, more, n, n == 4 && valued ? "B\tw:3" : lines[n]);
        if (n == 1 || n == 4) cau_strbuf_printf(&text, "\n");
    }
    char *train = strdup(test_file("train", text.s, text.n));
    const char *paths[] = {train, test_file("other", "B\tx\n", 4)};
    const cau_data_options how = {.read = {.format = CAU_FORMAT_CRFSUITE},
                                  .test = test_file("test", "A\tx\tnew1\tq\n\nB\tw\n", 16),
                                  .by = "file",
                                  .partial = true};
    assert_ok(ctx, cau_data_read(ctx, &how, paths, 2, &data));
    cau_strbuf_clear(&text);
    free(train);
    return data;
}

/* The entry of an instance by the name of its feature. */
static double value_of(const caucus_data *data, const cau_dataset *set, size_t n, const char *name)
{
    const uint32_t k = cau_alphabet_find(data->alphabets.names, name, strlen(name));
    double sum = 0;
    for (size_t e = set->x.start[n]; e < set->x.start[n + 1]; e++)
        if (set->x.column[e] == k) sum += set->x.value ? (double)set->x.value[e] : 1;
    return sum;
}

static void assert_same_rows(const caucus_data *a, const caucus_data *b)
{
    static const char *const names[] = {"x", "y", "z", "w", "new0", "new1", "new2", "new3", "new4"};
    for (size_t n = 0; n < a->train.N; n++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_near(value_of(a, &a->train, n, names[i]), value_of(b, &b->train, n, names[i]),
                        0);
        assert_int_equal(a->train.gold[n], b->train.gold[n]);
        if (a->train.weight) assert_near((double)a->train.weight[n], (double)b->train.weight[n], 0);
    }
}

/* The transpose has the same entries. */
static void assert_transposed(const cau_dataset *set)
{
    assert_int_equal(set->xt.rows, set->K);
    assert_int_equal(cau_csr_nonzeros(&set->xt), cau_csr_nonzeros(&set->x));
    for (size_t n = 0; n < set->N; n++)
        for (size_t e = set->x.start[n]; e < set->x.start[n + 1]; e++) {
            const uint32_t k = set->x.column[e];
            bool found = false;
            for (size_t i = set->xt.start[k]; i < set->xt.start[k + 1]; i++)
                found |= set->xt.column[i] == n &&
                         (!set->x.value || set->xt.value[i] == set->x.value[e]);
            assert_true(found);
        }
}

static void test_extended(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (int form = 0; form < 4; form++) {
        extend_sample s = {.valued = form & 1};
        caucus_data *data = read_lines(ctx, &s, false, form & 2), *longer = NULL;
        caucus_data *want = read_lines(ctx, &s, true, form & 2);
        const cau_extension more = extension(&s);
        assert_ok(ctx, cau_data_extend(ctx, data, &more, &longer));
        assert_int_equal(s.asked, 7);
        assert_int_equal(longer->train.N, 7);
        assert_int_equal(longer->train.K, data->train.K + 5);
        assert_int_equal(cau_alphabet_size(longer->alphabets.names), longer->train.K);
        assert_int_equal(longer->test.K, longer->train.K);
        assert_int_equal(longer->test.x.columns, longer->train.K);
        assert_int_equal(cau_csr_nonzeros(&longer->test.x), cau_csr_nonzeros(&data->test.x));
        assert_true(!longer->train.x.value == (form == 0)); /* values are stored only if needed */
        assert_int_equal(longer->train.S, want->train.S);
        assert_memory_equal(longer->train.sequence, want->train.sequence, 5 * sizeof(size_t));
        assert_memory_equal(longer->train.unit, want->train.unit, 4 * sizeof(uint32_t));
        assert_true(longer->train.partial && longer->train.files);
        /* the last instance has features here that the file does not give it */
        longer->train.N = 6;
        assert_same_rows(longer, want);
        longer->train.N = 7;
        assert_transposed(&longer->train);
        for (uint32_t k = 0; k < data->train.K; k++) /* the other features keep their numbers */
            assert_string_equal(cau_alphabet_name(longer->alphabets.names, k).s,
                                cau_alphabet_name(data->alphabets.names, k).s);
        cau_data_free(data);
        cau_data_free(longer);
        cau_data_free(want);
    }
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    extend_sample s = {0};
    caucus_data *data = read_lines(ctx, &s, true, false), *longer = NULL;
    cau_extension more = extension(&s);
    assert_fails(ctx, cau_data_extend(ctx, data, &more, &longer), CAUCUS_ERR_FORMAT,
                 "has a feature 'new0' already");
    more.count = SIZE_MAX - 1;
    assert_fails(ctx, cau_data_extend(ctx, data, &more, &longer), CAUCUS_ERR_UNSUPPORTED,
                 "2^32 features");
    more.count = CAU_UNKNOWN;
    assert_fails(ctx, cau_data_extend(ctx, data, &more, &longer), CAUCUS_ERR_UNSUPPORTED,
                 "2^32 features");
    cau_data_free(data);

    data = NULL;
    more.count = 5;
    const char *path = test_file("explicit", "0 # a # b\n1 # a # b\n", 20);
    const cau_data_options how = {.read = {.format = CAU_FORMAT_MEGAM}};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    assert_fails(ctx, cau_data_extend(ctx, data, &more, &longer), CAUCUS_ERR_UNSUPPORTED,
                 "for each class apart");
    assert_null(longer);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    bool valued;
} extend_run;

static caucus_status extend_once(void *self)
{
    const extend_run *e = self;
    extend_sample s = {.valued = e->valued};
    const cau_extension more = extension(&s);
    caucus_data *longer = NULL;
    const caucus_status st = cau_data_extend(e->ctx, e->data, &more, &longer);
    cau_data_free(longer);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    extend_run e = {.ctx = test_ctx()};
    extend_sample s = {0};
    caucus_data *data = read_lines(e.ctx, &s, false, true);
    e.data = data;
    assert_true(test_every_allocation(extend_once, &e) > 20);
    e.valued = true;
    assert_true(test_every_allocation(extend_once, &e) > 20);
    cau_data_free(data);
    caucus_ctx_free(e.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extended),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/extend", tests, NULL, NULL);
}
