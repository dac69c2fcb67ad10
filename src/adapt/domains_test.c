#include "adapt/domains.h"

#include "support/mega_sample.h"

static size_t column_of(const caucus_data *data, const char *name)
{
    return cau_alphabet_find(data->alphabets.names, name, strlen(name));
}

/* The columns of a row, in any order, equal `want`. */
static void assert_columns(const cau_csr *x, size_t row, const size_t *want, size_t count)
{
    assert_int_equal(x->start[row + 1] - x->start[row], count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t e = x->start[row]; e < x->start[row + 1]; e++) found |= x->column[e] == want[i];
        assert_true(found);
    }
}

/* `of` is part of `all`, and xt is the transpose of x. */
static void assert_consistent(const cau_domains *d)
{
    assert_int_equal(d->begin[0], 0);
    assert_int_equal(d->begin[d->D], d->N);
    for (size_t i = 0; i < d->D; i++) {
        const cau_dataset *one = &d->of[i];
        assert_int_equal(one->N, d->begin[i + 1] - d->begin[i]);
        assert_int_equal(one->K, d->all.K);
        assert_int_equal(one->x.rows, one->N);
        assert_int_equal(one->xt.rows, one->K);
        assert_int_equal(one->xt.columns, one->N);
        assert_int_equal(one->x.start[0], 0);
        for (size_t n = 0; n < one->N; n++) {
            const size_t at = d->all.x.start[d->begin[i] + n];
            assert_int_equal(one->gold[n], d->all.gold[d->begin[i] + n]);
            assert_int_equal(one->x.start[n + 1] - one->x.start[n],
                             d->all.x.start[d->begin[i] + n + 1] - at);
            for (size_t e = one->x.start[n]; e < one->x.start[n + 1]; e++) {
                const size_t k = one->x.column[e];
                size_t in = 0;
                assert_int_equal(k, d->all.x.column[at + e - one->x.start[n]]);
                for (size_t t = one->xt.start[k]; t < one->xt.start[k + 1]; t++)
                    in += one->xt.column[t] == n;
                assert_int_equal(in, 1);
            }
        }
    }
    assert_int_equal(d->all.xt.rows, d->all.K);
    assert_int_equal(cau_csr_nonzeros(&d->all.xt), cau_csr_nonzeros(&d->all.x));
}

static void test_as_it_is(void **state)
{
    (void)state;
    static const sample_row rows[] = {
        {0, "p", "ab", 2}, {0, "q", "", 3}, {1, "q", "b", 0}, {2, "p", "ca", 5}};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_rows(ctx, rows, 4);
    cau_domains d = {0};
    assert_ok(ctx, cau_domains_init(ctx, data, false, &d));
    assert_true(d.borrowed);
    assert_ptr_equal(d.all.x.column, data->train.x.column);
    assert_int_equal(d.D, 3);
    assert_int_equal(d.N, 4);
    assert_int_equal(d.Y, 2);
    assert_int_equal(d.all.K, 3);
    assert_int_equal(d.begin[1], 2);
    assert_int_equal(d.begin[2], 3);
    assert_near(d.of[0].weight[1], 3, 0);
    assert_near(d.of[2].weight[0], 5, 0);
    assert_consistent(&d);
    cau_domains_clear(&d);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_sorted_by_domain(void **state)
{
    (void)state;
    static const sample_row rows[] = {
        {1, "p", "ab", 2}, {0, "q", "c", 3}, {1, "q", "", 4}, {0, "p", "ca", 5}};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_rows(ctx, rows, 4);
    const size_t a = column_of(data, "a"), b = column_of(data, "b"), c = column_of(data, "c");
    const uint32_t p = data->train.gold[0], q = data->train.gold[1];
    cau_domains d = {0};
    assert_ok(ctx, cau_domains_init(ctx, data, false, &d));
    assert_false(d.borrowed);
    assert_columns(&d.all.x, 0, &c, 1);
    assert_columns(&d.all.x, 1, (size_t[]){a, c}, 2);
    assert_columns(&d.all.x, 2, (size_t[]){a, b}, 2);
    assert_columns(&d.all.x, 3, NULL, 0);
    assert_memory_equal(d.all.gold, ((uint32_t[]){q, p, p, q}), 4 * sizeof(uint32_t));
    assert_memory_equal(d.all.weight, ((float[]){3, 5, 2, 4}), 4 * sizeof(float));
    assert_consistent(&d);
    cau_domains_clear(&d);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Two sequences of a file of columns; the second is in domain "in". */
static caucus_data *read_chain(caucus_ctx *ctx, const char *pattern)
{
    static const char text[] = "u\tA\nv\tB\nu\tB\n\nv\tB\nw\tA\n";
    static const uint32_t unit[] = {1, 0};
    caucus_data *data = NULL;
    char *template = strdup(test_text("chain.template", pattern));
    const char *path = test_file("chain.txt", text, sizeof text - 1);
    const cau_data_options how = {.read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1},
                                  .template = template};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    free(template);
    sample_units(data, unit);
    return data;
}

static void test_chain(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = read_chain(ctx, "U:%x[0,0]\nB\nB:%x[0,0]\n");
    cau_domains d = {0};
    assert_ok(ctx, cau_domains_init(ctx, data, true, &d));
    assert_int_equal(d.D, 2);
    assert_int_equal(d.K, 3);
    assert_int_equal(d.Y, 2);
    assert_int_equal(d.E, 3); /* B:v, B:u, B:w; the first token of a sequence has none */
    assert_int_equal(d.all.K, 3 + 2 + 3 * 2);
    const size_t u = column_of(data, "U:u"), v = column_of(data, "U:v"), w = column_of(data, "U:w");
    const uint32_t A = data->train.gold[0], B = data->train.gold[1];
    const size_t eu = cau_alphabet_find(data->alphabets.edges, "B:u", 3);
    const size_t ev = cau_alphabet_find(data->alphabets.edges, "B:v", 3);
    const size_t ew = cau_alphabet_find(data->alphabets.edges, "B:w", 3);
    assert_int_equal(d.begin[1], 2);
    assert_columns(&d.all.x, 0, &v, 1);
    assert_columns(&d.all.x, 1, (size_t[]){w, 3 + B, 5 + ew * 2 + B}, 3);
    assert_columns(&d.all.x, 2, &u, 1);
    assert_columns(&d.all.x, 3, (size_t[]){v, 3 + A, 5 + ev * 2 + A}, 3);
    assert_columns(&d.all.x, 4, (size_t[]){u, 3 + B, 5 + eu * 2 + B}, 3);
    assert_memory_equal(d.all.gold, ((uint32_t[]){B, A, A, B, B}), 5 * sizeof(uint32_t));
    assert_consistent(&d);
    cau_domains_clear(&d);

    /* a classifier uses only the node observations */
    assert_ok(ctx, cau_domains_init(ctx, data, false, &d));
    assert_int_equal(d.all.K, 3);
    assert_int_equal(d.E, 0);
    assert_columns(&d.all.x, 1, &w, 1);
    assert_consistent(&d);
    cau_domains_clear(&d);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_chain_without_plain_transitions(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = read_chain(ctx, "U:%x[0,0]\nB:%x[0,0]\n");
    cau_domains d = {0};
    assert_ok(ctx, cau_domains_init(ctx, data, true, &d));
    const uint32_t B = data->train.gold[1];
    const size_t w = column_of(data, "U:w"),
                 ew = cau_alphabet_find(data->alphabets.edges, "B:w", 3);
    assert_columns(&d.all.x, 1, (size_t[]){w, 5 + ew * 2 + B}, 2);
    cau_domains_clear(&d);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* A sequence has the weight of its first token, values are kept, and added columns have value 1. */
static void test_chain_weights_and_values(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = NULL;
    cau_domains d = {0};
    const caucus_feature f[] = {{"f", 0.5}};
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t s = 0; s < 2; s++) {
        assert_ok(ctx, cau_data_add(ctx, data, "A", s ? 3 : 2, f, 1));
        assert_ok(ctx, cau_data_add(ctx, data, "B", 7, f, 1));
        assert_ok(ctx, cau_data_break(ctx, data));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    sample_units(data, (uint32_t[]){0, 1});
    assert_ok(ctx, cau_domains_init(ctx, data, true, &d));
    assert_memory_equal(d.all.weight, ((float[]){2, 2, 3, 3}), 4 * sizeof(float));
    assert_memory_equal(d.all.x.value, ((float[]){.5, .5, 1, .5, .5, 1}), 6 * sizeof(float));
    assert_near(d.of[1].x.value[2], 1, 0);
    cau_domains_clear(&d);
    assert_ok(ctx, cau_domains_init(ctx, data, false, &d));
    assert_memory_equal(d.all.weight, ((float[]){2, 7, 3, 7}), 4 * sizeof(float));
    cau_domains_clear(&d);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    static const sample_row rows[] = {{0, "p", "ab", 0}, {0, "q", "c", 0}};
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_rows(ctx, rows, 2);
    cau_domains d = {0};
    assert_fails(ctx, cau_domains_init(ctx, data, false, &d), CAUCUS_ERR_FORMAT,
                 "one domain only; give labelled data");
    sample_units(data, (uint32_t[]){0, 2});
    assert_fails(ctx, cau_domains_init(ctx, data, false, &d), CAUCUS_ERR_FORMAT,
                 "domain 2 of 3 has no instances");
    sample_units(data, (uint32_t[]){1, 1});
    assert_fails(ctx, cau_domains_init(ctx, data, false, &d), CAUCUS_ERR_FORMAT,
                 "domain 1 of 2 has no instances");
    sample_units(data, (uint32_t[]){0, 1});
    data->train.gold[1] = CAU_UNKNOWN;
    assert_fails(ctx, cau_domains_init(ctx, data, false, &d), CAUCUS_ERR_FORMAT,
                 "a label is partial");
    assert_null(d.of);
    free(data->train.unit); /* data without domains */
    data->train.unit = NULL;
    data->train.gold[1] = 1;
    assert_fails(ctx, cau_domains_init(ctx, data, false, &d), CAUCUS_ERR_FORMAT, "one domain only");
    cau_data_free(data);

    static const char text[] = "0 # a b # c\n1 # a # b\n";
    const char *path = test_file("explicit.megam", text, sizeof text - 1);
    const cau_data_options how = {.read = {.format = CAU_FORMAT_MEGAM, .ngrams = 1}};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    sample_units(data, (uint32_t[]){0, 1});
    assert_fails(ctx, cau_domains_init(ctx, data, false, &d), CAUCUS_ERR_UNSUPPORTED,
                 "for each class apart");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    bool chain;
} domains_memory_job;

static caucus_status make_domains(void *self)
{
    const domains_memory_job *j = self;
    cau_domains d = {0};
    const caucus_status st = cau_domains_init(j->ctx, j->data, j->chain, &d);
    cau_domains_clear(&d);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const sample_law law = {.D = 3,
                            .N = 4,
                            .K = 5,
                            .Y = 2,
                            .dense = .5,
                            .chain = true,
                            .weighted = true,
                            .valued = true};
    caucus_data *data = sample_domains(ctx, &law);
    for (int chain = 0; chain < 2; chain++)
        assert_true(test_every_allocation(make_domains, &(domains_memory_job){ctx, data, chain}) >
                    4);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_it_is),
        cmocka_unit_test(test_sorted_by_domain),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_chain_without_plain_transitions),
        cmocka_unit_test(test_chain_weights_and_values),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
