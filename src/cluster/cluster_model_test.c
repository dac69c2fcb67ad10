/* cluster_model_test.c - the weights of a model of clusters compared with their formula, and its
 * predictions for the clustered items. */

#include "support/cluster_sample.h"

#include <math.h>

/* Fruit, greens, tools. */
static const uint32_t classes[SAMPLE_N] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2};

/* A clustering that ended in these classes. */
static void finished(caucus_ctx *ctx, const cau_cluster_options *o, cau_cluster_work *w)
{
    assert_ok(ctx, sample_work(ctx, o, w));
    w->samples = (cau_partitions){.N = SAMPLE_N, .S = 1, .z = malloc(sizeof classes)};
    w->consensus = (cau_consensus){.K = 3,
                                   .z = malloc(sizeof classes),
                                   .certainty = calloc(SAMPLE_N, sizeof(double)),
                                   .loss = .25};
    w->milestone = calloc(1, sizeof *w->milestone);
    assert_true(w->samples.z && w->consensus.z && w->consensus.certainty && w->milestone);
    memcpy(w->samples.z, classes, sizeof classes);
    memcpy(w->consensus.z, classes, sizeof classes);
    w->milestones = 1;
    w->milestone[0].diagnosis.parameters.beta = .125;
    w->milestone[0].diagnosis.alpha = 2;
}

/* score_k(x) = log n_k + sum_v x_v c_v log( (n_kv + beta) / (n_k. + V beta) ); the values of the
 * items are x_v c_v. */
static double score(const cau_items *items, double beta, uint32_t k, size_t item)
{
    const cau_csr *x = &items->x;
    double of_class = 0, items_of_class = 0, sum = 0;
    for (size_t i = 0; i < SAMPLE_N; i++) {
        items_of_class += classes[i] == k;
        for (size_t at = x->start[i]; classes[i] == k && at < x->start[i + 1]; at++)
            of_class += (double)x->value[at];
    }
    for (size_t at = x->start[item]; at < x->start[item + 1]; at++) {
        const uint32_t v = x->column[at];
        double n = 0;
        for (size_t i = 0; i < SAMPLE_N; i++)
            for (size_t b = x->start[i]; classes[i] == k && b < x->start[i + 1]; b++)
                if (x->column[b] == v) n += (double)x->value[b];
        sum += (double)x->value[at] * log((n + beta) / (of_class + (double)x->columns * beta));
    }
    return log(items_of_class) + sum;
}

/* The score of class k for an item, from counts as `tag` reads them: value / c. */
static double score_of(const caucus_model *model, const cau_items *items, const double *c,
                       uint32_t k, size_t item)
{
    const cau_csr *x = &items->x;
    double sum = (double)model->bias[k];
    for (size_t at = x->start[item]; at < x->start[item + 1]; at++) {
        const cau_str name = cau_alphabet_name(items->features, x->column[at]);
        const uint32_t f = cau_model_find(model, &model->nodes, name.s, name.n);
        assert_int_not_equal(f, CAU_UNKNOWN);
        const double raw = (double)x->value[at] / (c ? c[x->column[at]] : 1);
        sum += raw * cau_model_weight(&model->nodes, f, k);
    }
    return sum;
}

static void check_scores(const cau_cluster_options *o, double beta)
{
    caucus_ctx *ctx = test_ctx();
    cau_cluster_work w;
    caucus_model *model = NULL;
    double idf[16];
    finished(ctx, o, &w);
    assert_true(w.items.x.columns <= 16);
    const bool weighed = o->items.weigh == CAU_WEIGH_TFIDF;
    cau_items_idf(&w.items, idf);
    assert_ok(ctx, cau_cluster_model(&w, &model));
    assert_int_equal(model->Y, 3);
    assert_string_equal(cau_model_label(model, 2), "c3");
    size_t right = 0;
    for (size_t i = 0; i < SAMPLE_N; i++) {
        double s[3];
        for (uint32_t k = 0; k < 3; k++) {
            s[k] = score_of(model, &w.items, weighed ? idf : NULL, k, i);
            assert_near(s[k], score(&w.items, beta, k, i), 1e-4);
        }
        const uint32_t best = s[0] > s[1] ? (s[0] > s[2] ? 0 : 2) : (s[1] > s[2] ? 1 : 2);
        right += best == classes[i];
    }
    assert_true(right >= SAMPLE_N - 1);
    assert_string_equal(cau_model_info(model, "method"), "cluster");
    assert_string_equal(cau_model_info(model, "classes"), "3");
    assert_string_equal(cau_model_info(model, "instances"), "10");
    assert_string_equal(cau_model_info(model, "alpha"), "2");
    cau_model_free(model);
    cau_cluster_clear(&w);
    caucus_ctx_free(ctx);
}

static void of_counts(void **state)
{
    (void)state;
    const cau_cluster_options o = sample_options();
    check_scores(&o, .125);
}

static void of_weighed_counts(void **state)
{
    (void)state;
    cau_cluster_options o = sample_options();
    o.items.weigh = CAU_WEIGH_TFIDF;
    check_scores(&o, .125);
}

/* With other components, beta is .5. */
static void of_other_components(void **state)
{
    (void)state;
    cau_cluster_options o = sample_options();
    o.dp.likelihood = CAU_GAUSSIAN;
    check_scores(&o, .5);
    o = sample_options();
    o.reduce = "nmf:2";
    check_scores(&o, .5);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static caucus_status build(void *self)
{
    caucus_model *model = NULL;
    const caucus_status st = cau_cluster_model(self, &model);
    assert_true(st ? model == NULL : model != NULL);
    cau_model_free(model);
    return st;
}

static void every_allocation(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const cau_cluster_options o = sample_options();
    cau_cluster_work w;
    finished(ctx, &o, &w);
    assert_true(test_every_allocation(build, &w) > 5);
    cau_cluster_clear(&w);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_counts),
        cmocka_unit_test(of_weighed_counts),
        cmocka_unit_test(of_other_components),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
