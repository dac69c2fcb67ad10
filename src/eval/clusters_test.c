/* clusters_test.c - measures of clusterings against known values, scikit-learn and all pairs. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "eval/clusters.h"
#include "support/base_sample.h"

static cau_cluster_measures measure(const uint32_t *classes, const uint32_t *clusters, size_t N)
{
    cau_cluster_measures m;
    assert_int_equal(cau_cluster_measure(classes, clusters, N, &m), CAUCUS_OK);
    return m;
}

static void assert_measures(const cau_cluster_measures *a, const cau_cluster_measures *b,
                            double tolerance)
{
    assert_near(a->homogeneity, b->homogeneity, tolerance);
    assert_near(a->completeness, b->completeness, tolerance);
    assert_near(a->v, b->v, tolerance);
    assert_near(a->v_beta, b->v_beta, tolerance);
    assert_near(a->beta, b->beta, tolerance);
    assert_near(a->vi, b->vi, tolerance);
    assert_near(a->rand, b->rand, tolerance);
    assert_near(a->rand_adjusted, b->rand_adjusted, tolerance);
    assert_near(a->purity, b->purity, tolerance);
    assert_near(a->pair_precision, b->pair_precision, tolerance);
    assert_near(a->pair_recall, b->pair_recall, tolerance);
    assert_near(a->pair_f1, b->pair_f1, tolerance);
    assert_near(a->clusters, b->clusters, 0);
}

/* ---- one clustering ------------------------------------------------------------------------ */

static void agrees_with_the_worked_example(void **state)
{
    (void)state;
    const uint32_t classes[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    const uint32_t clusters[] = {0, 0, 1, 1, 1, 1, 2, 3, 3};
    const cau_cluster_measures m = measure(classes, clusters, 9);
    assert_near(m.homogeneity, 0.772507, 1e-6);
    assert_near(m.completeness, 0.666667, 1e-6);
    assert_near(m.v, 0.715695, 1e-6);
    assert_near(m.beta, 4.0 / 3, 1e-15);
    assert_near(m.v_beta, 0.708254, 1e-6);
    assert_near(m.vi, 0.674270, 1e-6);
}

/* scikit-learn 1.2: homogeneity_score, completeness_score, v_measure_score (beta = K/C as well),
 * entropies less twice mutual_info_score, rand_score, adjusted_rand_score, contingency_matrix and
 * pair_confusion_matrix. */
static void agrees_with_scikit_learn(void **state)
{
    (void)state;
    const uint32_t classes[2][20] = {
        {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4},
        {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2},
    };
    const uint32_t clusters[2][20] = {
        {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5, 2, 3, 5, 3},
        {0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 1, 3, 3, 0, 2, 0},
    };
    const cau_cluster_measures want[2] = {
        {.homogeneity = 0.626533061589,
         .completeness = 0.639603707008,
         .v = 0.633000918533,
         .v_beta = 0.633000918533,
         .beta = 1,
         .vi = 1.53409630074,
         .rand = 0.842105263158,
         .rand_adjusted = 0.0312712440517,
         .purity = 0.55,
         .pair_precision = 1.0 / 9,
         .pair_recall = 0.125,
         .pair_f1 = 0.117647058824,
         .clusters = 9},
        {.homogeneity = 0.389275229743,
         .completeness = 0.312674553649,
         .v = 0.346795345155,
         .v_beta = 0.34147201218,
         .beta = 4.0 / 3,
         .vi = 1.42876912032,
         .rand = 0.65,
         .rand_adjusted = 0.216417910448,
         .purity = 0.75,
         .pair_precision = 0.527777777778,
         .pair_recall = 0.431818181818,
         .pair_f1 = 0.475,
         .clusters = 4},
    };
    const size_t N[] = {20, 16};
    for (size_t i = 0; i < 2; i++) {
        const cau_cluster_measures m = measure(classes[i], clusters[i], N[i]);
        assert_measures(&m, &want[i], 1e-11);
    }
}

/* Another way to all of them: mutual information from a dense table of probabilities, and one
 * look at every pair of items. Of the pairs a (together in both), b, d and e (in neither),
 * adjusted Rand is 2 (a e - b d) / ((a+b)(b+e) + (a+d)(d+e)). */
static cau_cluster_measures brute_force(const uint32_t *classes, const uint32_t *clusters, size_t N,
                                        size_t Y)
{
    cau_cluster_measures m = {0};
    double p[8][8] = {{0}}, pc[8] = {0}, pk[8] = {0}, C = 0;
    assert_true(Y <= 8);
    for (size_t i = 0; i < N; i++) {
        p[classes[i]][clusters[i]] += 1.0 / (double)N;
        pc[classes[i]] += 1.0 / (double)N;
        pk[clusters[i]] += 1.0 / (double)N;
    }
    double information = 0, hc = 0, hk = 0;
    for (size_t c = 0; c < Y; c++) {
        if (pc[c] > 0) hc -= pc[c] * log(pc[c]), C++;
        if (pk[c] > 0) hk -= pk[c] * log(pk[c]), m.clusters++;
        double most = 0;
        for (size_t k = 0; k < Y; k++) {
            if (p[c][k] > 0) information += p[c][k] * log(p[c][k] / (pc[c] * pk[k]));
            if (p[k][c] > most) most = p[k][c];
        }
        m.purity += most;
    }
    m.homogeneity = C > 1 ? information / hc : 1;
    m.completeness = m.clusters > 1 ? information / hk : 1;
    m.vi = hc + hk - 2 * information;
    m.beta = m.clusters / C;
    const double h = m.homogeneity, c = m.completeness;
    if (h + c > 1e-12) {
        m.v = 2 * h * c / (h + c);
        m.v_beta = (1 + m.beta) * h * c / (m.beta * h + c);
    }

    double same[2][2] = {{0}}; /* [in one class][in one cluster] */
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++) same[classes[i] == classes[j]][clusters[i] == clusters[j]]++;
    const double a = same[1][1], b = same[0][1], d = same[1][0], e = same[0][0];
    m.pair_precision = a + b > 0 ? a / (a + b) : 1;
    m.pair_recall = a + d > 0 ? a / (a + d) : 1;
    m.pair_f1 = 2 * a + b + d > 0 ? 2 * a / (2 * a + b + d) : 1;
    const double below = (a + b) * (b + e) + (a + d) * (d + e);
    m.rand = N > 1 ? (a + e) / (a + b + d + e) : 1;
    m.rand_adjusted = below > 0 ? 2 * (a * e - b * d) / below : 1;
    return m;
}

static void agrees_with_brute_force(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 7);
    for (size_t round = 0; round < 3000; round++) {
        uint32_t classes[40], clusters[40], far[40];
        const size_t N = 1 + cau_rng_below(&rng, 40), Y = 1 + cau_rng_below(&rng, 8);
        const uint64_t noise = cau_rng_below(&rng, 4); /* 0: clusters are classes, renamed */
        for (size_t i = 0; i < N; i++) {
            classes[i] = (uint32_t)cau_rng_below(&rng, Y);
            clusters[i] = cau_rng_below(&rng, 3) < noise ? (uint32_t)cau_rng_below(&rng, Y)
                                                         : (uint32_t)(Y - 1 - classes[i]);
            far[i] = UINT32_MAX - clusters[i] * 500000003u; /* ids need not be consecutive */
        }
        const cau_cluster_measures m = measure(classes, far, N);
        const cau_cluster_measures want = brute_force(classes, clusters, N, Y);
        assert_measures(&m, &want, 1e-9);
        if (noise == 0) { /* the best values are reached exactly */
            assert_true(m.v == 1 && m.v_beta == 1 && m.vi == 0 && m.rand == 1 &&
                        m.rand_adjusted == 1);
            assert_true(m.purity == 1 && m.pair_f1 == 1);
        }
    }
}

/* Measures in the order h, c, v, vi, adjusted Rand, purity, pair precision, recall, F1. */
static void assert_all(const uint32_t *classes, const uint32_t *clusters, size_t N,
                       const double want[9])
{
    const cau_cluster_measures m = measure(classes, clusters, N);
    const double have[] = {
        m.homogeneity, m.completeness,   m.v,           m.vi,     m.rand_adjusted,
        m.purity,      m.pair_precision, m.pair_recall, m.pair_f1};
    for (size_t i = 0; i < 9; i++) assert_near(have[i], want[i], 1e-15);
}

static void defines_measures_of_degenerate_clusterings(void **state)
{
    (void)state;
    const uint32_t one[] = {5, 5, 5, 5}, alone[] = {1, 2, 3, 4}, two[] = {1, 1, 2, 2};
    const double ln2 = log(2), perfect[] = {1, 1, 1, 0, 1, 1, 1, 1, 1};
    assert_all(one, one, 4, perfect);
    assert_all(alone, alone, 4, perfect);
    assert_all(one, alone, 1, perfect); /* one item */
    assert_all(one, one, 0, perfect);   /* none */
    assert_all(one, alone, 4, (double[]){1, 0, 0, 2 * ln2, 0, 1, 1, 0, 0});
    assert_all(alone, one, 4, (double[]){0, 1, 0, 2 * ln2, 0, 0.25, 0, 1, 0});
    assert_all(two, one, 4, (double[]){0, 1, 0, ln2, 0, 0.5, 1.0 / 3, 1, 0.5});
    assert_all(two, alone, 4, (double[]){1, 0.5, 2.0 / 3, ln2, 0, 1, 1, 0, 0});
}

/* ---- files --------------------------------------------------------------------------------- */

static const char gold[] = "a\tX\nb b\tX\nc\tX\nd\tY\ne\tY\nf\tY\n\ng\tZ\nh\tZ\ni\tZ\n";

/* The worked example, the classes themselves, and two clusters that tell nothing; the items in
 * another order, and the third sample in a file of its own. */
static const char two_samples[] = "i\t3\tc\nh\t3\tc\ng\t2\tc\nf\t1\tb\ne\t1\tb\nd\t1\tb\n"
                                  "c\t1\ta\nb b\t0\ta\r\na\t0\ta";
static const char third_sample[] = "a\tp\nb b\tq\nc\tp\nd\tq\ne\tp\nf\tq\ng\tp\nh\tq\ni\tp\n \t\n";

static caucus_status read_texts(caucus_ctx *ctx, const char *classes, const char *first,
                                const char *second, cau_tree *out)
{
    const char *path = test_text("gold.txt", classes);
    const char *paths[] = {test_text("first.txt", first),
                           second ? test_text("second.txt", second) : NULL};
    return cau_clusterings_read(ctx, path, paths, second ? 2 : 1, out);
}

static void averages_over_samples(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_tree c = {0};
    assert_ok(ctx, read_texts(ctx, gold, two_samples, third_sample, &c));
    const struct {
        const char *name;
        double mean, deviation, low, high; /* numpy: mean, std(ddof=1), percentile */
    } want[] = {
        {"v", 0.590733482366, 0.484000998807, 0.0894650089287, 0.985784745323},
        {"v-beta", 0.587422981397, 0.484429564197, 0.0867269383586, 0.985412697701},
        {"vi", 0.786316186155, 0.847910206042, 0.0337134754902, 1.63415857172},
        {"homogeneity", 0.606142031878, 0.498322673521, 0.0822485937084, 0.988625344286},
        {"completeness", 0.580034075666, 0.469317930174, 0.103097115647, 0.983333333333},
        {"rand", 0.759259259259, 0.26691732047, 0.488888888889, 0.990277777778},
        {"adjusted-rand", 0.447963800905, 0.558947171549, -0.0886877828054, 0.973076923077},
        {"purity", 0.777777777778, 0.293972367896, 0.466666666667, 0.994444444444},
        {"pair-precision", 0.604166666667, 0.406650443665, 0.209375, 0.98125},
        {"pair-recall", 0.62962962963, 0.339450051478, 0.344444444444, 0.977777777778},
        {"pair-f1", 0.609411764706, 0.380442284953, 0.257411764706, 0.979411764706},
        {"clusters", 3, 1, 2.05, 3.95},
    };
    const json_t *root = c.root;
    assert_int_equal(json_integer_value(json_object_get(root, "format")), 1);
    assert_int_equal(json_integer_value(json_object_get(root, "items")), 9);
    assert_int_equal(json_integer_value(json_object_get(root, "classes")), 3);
    assert_int_equal(json_integer_value(json_object_get(root, "samples")), 3);
    const json_t *all = json_object_get(root, "measures");
    assert_int_equal(json_object_size(all), sizeof want / sizeof *want);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const json_t *one = json_object_get(all, want[i].name);
        assert_near(json_real_value(json_object_get(one, "mean")), want[i].mean, 1e-11);
        assert_near(json_real_value(json_object_get(one, "deviation")), want[i].deviation, 1e-11);
        assert_near(json_real_value(json_object_get(one, "low")), want[i].low, 1e-11);
        assert_near(json_real_value(json_object_get(one, "high")), want[i].high, 1e-11);
    }
    cau_tree_clear(&c);
    caucus_ctx_free(ctx);
}

static void assert_report(const char *classes, const char *first, const char *second,
                          const char *want)
{
    caucus_ctx *ctx = test_ctx();
    cau_tree c = {0};
    cau_writer out = {.ctx = ctx};
    assert_ok(ctx, read_texts(ctx, classes, first, second, &c));
    cau_clusterings_print(c.root, &out);
    assert_string_equal(out.text.s, want);
    cau_writer_clear(&out);
    cau_tree_clear(&c);
    caucus_ctx_free(ctx);
}

/* clang-format off */
static void reports_samples(void **state)
{
    (void)state;
    assert_report(gold, two_samples, third_sample,
"3 samples of 9 items in 3 classes\n"
"\n"
"measure             mean  deviation      2.5%     97.5%\n"
"v                 0.5907     0.4840    0.0895    0.9858  harmonic mean of homogeneity and completeness\n"
"v-beta            0.5874     0.4844    0.0867    0.9854  the same, weighted by beta = clusters / classes\n"
"vi                0.7863     0.8479    0.0337    1.6342  variation of information in nats; 0 is best\n"
"homogeneity       0.6061     0.4983    0.0822    0.9886  1 if each cluster has items of one class only\n"
"completeness      0.5800     0.4693    0.1031    0.9833  1 if each class has all its items in one cluster\n"
"rand              0.7593     0.2669    0.4889    0.9903  share of the pairs that both put together or apart\n"
"adjusted-rand     0.4480     0.5589   -0.0887    0.9731  agreement of pairs; chance agreement is 0\n"
"purity            0.7778     0.2940    0.4667    0.9944  share of the items in the largest class of their cluster\n"
"pair-precision    0.6042     0.4067    0.2094    0.9812  share of the pairs in one cluster that are of one class\n"
"pair-recall       0.6296     0.3395    0.3444    0.9778  share of the pairs of one class that are in one cluster\n"
"pair-f1           0.6094     0.3804    0.2574    0.9794  harmonic mean of the two\n"
"clusters          3.0000     1.0000    2.0500    3.9500  number of clusters\n"
"(each measure is computed for every sample; 95% of the samples are between 2.5% and 97.5%)\n");
}

/* One sample has no spread. */
static void reports_one_sample(void **state)
{
    (void)state;
    assert_report("a\tX\n", "a\t1\n", NULL,
"1 sample of 1 item in 1 class\n"
"\n"
"measure            value\n"
"v                 1.0000  harmonic mean of homogeneity and completeness\n"
"v-beta            1.0000  the same, weighted by beta = clusters / classes\n"
"vi                0.0000  variation of information in nats; 0 is best\n"
"homogeneity       1.0000  1 if each cluster has items of one class only\n"
"completeness      1.0000  1 if each class has all its items in one cluster\n"
"rand              1.0000  share of the pairs that both put together or apart\n"
"adjusted-rand     1.0000  agreement of pairs; chance agreement is 0\n"
"purity            1.0000  share of the items in the largest class of their cluster\n"
"pair-precision    1.0000  share of the pairs in one cluster that are of one class\n"
"pair-recall       1.0000  share of the pairs of one class that are in one cluster\n"
"pair-f1           1.0000  harmonic mean of the two\n"
"clusters          1.0000  number of clusters\n");
}

/* clang-format on */

static void has_no_spread_of_one_sample(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_tree c = {0};
    assert_ok(ctx, read_texts(ctx, gold, third_sample, NULL, &c));
    const json_t *root = c.root;
    const json_t *v = json_object_get(json_object_get(root, "measures"), "v");
    assert_true(json_is_real(json_object_get(v, "mean")));
    assert_true(json_is_null(json_object_get(v, "deviation")));
    assert_true(json_is_null(json_object_get(v, "low")));
    assert_true(json_is_null(json_object_get(v, "high")));
    cau_tree_clear(&c);
    caucus_ctx_free(ctx);
}

static void refuses_what_it_cannot_compare(void **state)
{
    (void)state;
    static const struct {
        const char *gold, *first, *second, *message;
    } bad[] = {
        {"", "a\t1\n", NULL, "gold.txt: no items; give lines of an item, a TAB and its class"},
        {"\n \n", "a\t1\n", NULL, "gold.txt: no items"},
        {"a\tX\n", "", NULL, "first.txt: no items"},
        {"a\tX\n", "a\t1\n", "\n", "second.txt: no items"},
        {"a X\n", "a\t1\n", NULL, "gold.txt:1: only one column; give an item, a TAB and its"},
        {"a\tX\nb\tX\t1\n", "a\t1\n", NULL, "gold.txt:2: 3 columns instead of 2; fix the line"},
        {"a\tX\nb\t\n", "a\t1\n", NULL, "gold.txt:2: a column is empty; fix the line or drop it"},
        {"\tX\n", "a\t1\n", NULL, "gold.txt:1: a column is empty"},
        {"a\tX\n\na\tX\n", "a\t1\n", NULL,
         "gold.txt:3: the item 'a' is in line 1 already; drop one of them"},
        {"a\tX\n", "a 1\n", NULL, "first.txt:1: only one column; give an item, a TAB and its"},
        {"a\tX\nb\tY\n", "a\t1\t1\nb\t1\n", NULL, "first.txt:2: 2 columns instead of 3; fix"},
        {"a\tX\nb\tY\n", "a\t1\t\n", NULL, "first.txt:1: a column is empty"},
        {"a\tX\nb\tY\n", "a\t1\na\t2\n", NULL, "first.txt:2: the item 'a' is in line 1"},
        {"a\tX\n", "a\t1\nb\t1\n", NULL, "first.txt:2: the item 'b' has no class in "},
        {"a\tX\nb\tY\n", "a\t1\n", NULL, "gold.txt:2: the item 'b' has no cluster in "},
        {"a\tX\nb\tY\n", "a\t1\nb\t1\n", "b\t1\n", "gold.txt:1: the item 'a' has no cluster in "},
        {"a\tX\n", "a\t\xff\n", NULL, "first.txt:1: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        caucus_ctx *ctx = test_ctx();
        cau_tree c = {0};
        assert_fails(ctx, read_texts(ctx, bad[i].gold, bad[i].first, bad[i].second, &c),
                     CAUCUS_ERR_FORMAT, bad[i].message);
        assert_null(c.root);
        caucus_ctx_free(ctx);
    }
    caucus_ctx *ctx = test_ctx();
    cau_tree c = {0};
    const char *path = test_text("gold.txt", gold);
    const char *missing = test_path("missing.txt");
    assert_fails(ctx, cau_clusterings_read(ctx, path, &missing, 1, &c), CAUCUS_ERR_IO, "missing");
    assert_fails(ctx, cau_clusterings_read(ctx, missing, &path, 1, &c), CAUCUS_ERR_IO, "missing");
    assert_fails(ctx, cau_clusterings_read(ctx, path, NULL, 0, &c), CAUCUS_ERR_ARGUMENT,
                 "no clusterings");
    assert_null(c.root);
    caucus_ctx_free(ctx);
}

/* ---- want of memory ------------------------------------------------------------------------ */

static caucus_status work_once(void *self)
{
    const char *const *paths = self;
    caucus_ctx *ctx = NULL;
    cau_tree c = {0};
    cau_strbuf text = {0};
    caucus_status st = caucus_ctx_new(&ctx);
    cau_writer out = {.ctx = ctx, .write = into_text, .user = &text};
    if (!st) st = cau_clusterings_read(ctx, paths[0], paths + 1, 2, &c);
    if (!st) {
        cau_clusterings_print(c.root, &out);
        st = cau_writer_flush(&out, true);
    }
    cau_strbuf_clear(&text);
    cau_writer_clear(&out);
    cau_tree_clear(&c);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_memory_failures(void **state)
{
    (void)state;
    char *texts[2] = {calloc(1, 8192), calloc(1, 8192)}; /* enough for every array to grow */
    assert_non_null(texts[0]);
    assert_non_null(texts[1]);
    for (int i = 0; i < 200; i++) {
        sprintf(texts[0] + strlen(texts[0]), "item %d\tclass %d\n", i, i % 70);
        sprintf(texts[1] + strlen(texts[1]), "item %d\t%d\t%d\t%d\n", i, i % 3, i / 2, i % 11);
    }
    const char *paths[] = {test_text("classes.txt", texts[0]), test_text("clusters.txt", texts[1]),
                           test_text("more.txt", texts[1])};
    assert_true(test_every_allocation(work_once, paths) > 30);
    free(texts[0]);
    free(texts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_worked_example),
        cmocka_unit_test(agrees_with_scikit_learn),
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(defines_measures_of_degenerate_clusterings),
        cmocka_unit_test(averages_over_samples),
        cmocka_unit_test(reports_samples),
        cmocka_unit_test(reports_one_sample),
        cmocka_unit_test(has_no_spread_of_one_sample),
        cmocka_unit_test(refuses_what_it_cannot_compare),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
