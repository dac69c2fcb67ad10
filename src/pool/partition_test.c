/* partition_test.c - which member sees which feature: bags by hand, and the properties of other
 * partitions. */

#include "pool/members.h"

#include "dataset/feature_group.h"
#include "support/pool_sample.h"

/* Checks which members see a feature: "yn" is the first member alone. */
static void check_seen(uint8_t **rows, size_t J, uint32_t k, const char *by)
{
    for (size_t j = 0; j < J; j++) assert_int_equal(rows[j][k], by[j] == 'y');
}

static void test_bags(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_read(ctx, sample_bags, 20, 0, false, 1);
    const cau_pool_options o = {.kind = CAU_POOL_BAG};
    cau_partition p;
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    assert_int_equal(p.J, 2);
    assert_string_equal(p.name[0], "words");
    assert_string_equal(p.name[1], "tags");
    check_seen(p.rows, 2, sample_id(data, "U00:w0"), "yn");
    check_seen(p.rows, 2, sample_id(data, "U01:w1"), "yn");
    check_seen(p.rows, 2, sample_id(data, "U10:a"), "ny");
    check_seen(p.rows, 2, sample_id(data, "U20:w0/a"), "yy");
    check_seen(p.rows, 2, sample_id(data, "U30:b"), "yy"); /* no bag names it */
    for (uint32_t e = 0; e < data->train.E; e++) check_seen(p.edge_rows, 2, e, "yy");
    cau_partition_clear(&p);
    cau_data_free(data);

    /* bags may contain edge patterns */
    data = sample_read(ctx, "U:%x[0,0]\nB1:%x[0,1]\n@bag one: U\n@bag two: B1\n", 20, 0, false, 1);
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    for (uint32_t k = 0; k < data->train.K; k++) check_seen(p.rows, 2, k, "yn");
    for (uint32_t e = 0; e < data->train.E; e++) check_seen(p.edge_rows, 2, e, "ny");
    cau_partition_clear(&p);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* Every feature belongs to exactly one member; returns the number of features of the first. */
static size_t check_partition(const caucus_data *data, const cau_partition *p)
{
    size_t first = 0;
    for (size_t k = 0; k < data->train.K; k++) {
        size_t members = 0;
        for (size_t j = 0; j < p->J; j++) members += p->rows[j][k];
        assert_int_equal(members, 1);
        first += p->rows[0][k];
    }
    for (size_t e = 0; e < data->train.E; e++)
        for (size_t j = 0; j < p->J; j++) assert_int_equal(p->edge_rows[j][e], 1);
    return first;
}

static void test_template(void **state)
{
    (void)state;
    static const char pattern[] =
        "U00:%x[0,0]\nU01:%x[-1,0]\nU10:%x[0,1]\nU20:%x[0,0]/%x[0,1]\nB\n";
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_read(ctx, pattern, 40, 0, false, 1);
    cau_pool_options o = {.kind = CAU_POOL_BAG};
    cau_partition p;
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p)); /* one member per pattern */
    assert_int_equal(p.J, 4);
    assert_string_equal(p.name[0], "U00");
    assert_string_equal(p.name[3], "U20");
    check_partition(data, &p);
    check_seen(p.rows, 4, sample_id(data, "U01:w1"), "nynn");
    cau_partition_clear(&p);

    /* 6 + 7 (with the padding) + 3 + 18 features: the halves are the first three and the last */
    o = (cau_pool_options){.kind = CAU_POOL_LOP, .partition = CAU_PARTITION_TEMPLATE};
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    assert_int_equal(p.J, 2);
    assert_string_equal(p.name[0], "U00 U01 U10");
    assert_string_equal(p.name[1], "U20");
    check_partition(data, &p);
    cau_partition_clear(&p);

    o.experts = 3; /* 11.3 each: 6 + 7, 3, 18 */
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    assert_string_equal(p.name[0], "U00 U01");
    assert_string_equal(p.name[1], "U10");
    check_partition(data, &p);
    cau_partition_clear(&p);

    o.experts = 5;
    assert_fails(ctx, cau_partition_make(ctx, data, &o, 1, &p), CAUCUS_ERR_ARGUMENT,
                 "of 4 kinds (what stands before the ':' of their names), too few for 5 members");
    cau_partition_clear(&p);
    o.partition = CAU_PARTITION_BAGS;
    assert_fails(ctx, cau_partition_make(ctx, data, &o, 1, &p), CAUCUS_ERR_ARGUMENT,
                 "the template has no @bag lines");
    cau_partition_clear(&p);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

static void test_numbered(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_data *data = sample_random(ctx, 300, 32, 2, false, false, 3);
    const size_t K = data->train.K;
    cau_pool_options o = {
        .kind = CAU_POOL_LOP, .partition = CAU_PARTITION_SEQUENTIAL, .experts = 5};
    cau_partition p, q;
    assert_int_equal(K, 32);
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    assert_int_equal(check_partition(data, &p), 6); /* 32/5 */
    for (size_t k = 1, before = 0; k < K; k++) {    /* contiguous ranges */
        size_t j = 0;
        while (!p.rows[j][k]) j++;
        assert_true(j >= before && j <= before + 1);
        before = j;
    }
    cau_partition_clear(&p);

    /* random: reproducible with the same seed, different with another */
    o.partition = CAU_PARTITION_RANDOM;
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    assert_int_equal(check_partition(data, &p), 6);
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &q));
    for (size_t j = 0; j < 5; j++) assert_memory_equal(p.rows[j], q.rows[j], K);
    cau_partition_clear(&q);
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 2, &q));
    assert_true(memcmp(p.rows[0], q.rows[0], K) != 0);
    cau_partition_clear(&q);
    cau_partition_clear(&p);

    /* random bags: every feature is in a bag, in about half of them, and not every feature in
     * all */
    size_t total = 0, several = 0;
    o = (cau_pool_options){.kind = CAU_POOL_BAG, .partition = CAU_PARTITION_RANDOM, .experts = 4};
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    for (size_t k = 0; k < K; k++) {
        size_t bags = 0;
        for (size_t j = 0; j < 4; j++) bags += p.rows[j][k];
        assert_true(bags >= 1);
        several += bags > 1;
        total += bags;
    }
    assert_true(several > 0 && total > 48 && total < 84); /* of 128 draws */
    cau_partition_clear(&p);

    o.experts = 33;
    assert_fails(ctx, cau_partition_make(ctx, data, &o, 1, &p), CAUCUS_ERR_ARGUMENT,
                 "32 features cannot be dealt to 33 members");
    cau_partition_clear(&p);
    o = (cau_pool_options){.kind = CAU_POOL_BAG}; /* without a template: two random bags */
    assert_ok(ctx, cau_partition_make(ctx, data, &o, 1, &p));
    assert_int_equal(p.J, 2);
    cau_partition_clear(&p);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    caucus_data *data;
    cau_pool_options o;
} partition_job;

static caucus_status make(void *self)
{
    const partition_job *job = self;
    cau_partition p;
    const caucus_status st = cau_partition_make(job->ctx, job->data, &job->o, 1, &p);
    cau_partition_clear(&p);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    partition_job job = {.ctx = test_ctx()};
    job.data = sample_read(job.ctx, sample_bags, 10, 0, false, 1);
    for (cau_partition_kind kind = CAU_PARTITION_BAGS; kind <= CAU_PARTITION_SEQUENTIAL; kind++) {
        job.o = (cau_pool_options){.kind = CAU_POOL_LOP, .partition = kind, .experts = 2};
        assert_true(test_every_allocation(make, &job) > 6);
    }
    job.o.experts = 3;
    job.o.partition = CAU_PARTITION_BAGS;
    assert_fails(job.ctx, make(&job), CAUCUS_ERR_ARGUMENT, "but the template has 2 bags");
    cau_data_free(job.data);
    caucus_ctx_free(job.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bags),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_numbered),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("pool/partition", tests, NULL, NULL);
}
