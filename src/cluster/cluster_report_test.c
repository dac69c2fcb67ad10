/* cluster_report_test.c - the report and the files of a clustering with results set by hand. */

#include "support/cluster_sample.h"

#include <math.h>
#include <unistd.h>

/* Four samples: two of the classes, one with beet among the fruit, one with all greens alone. */
static const uint32_t samples[4][SAMPLE_N] = {
    {0, 0, 0, 1, 1, 1, 1, 2, 2, 2},
    {0, 0, 0, 1, 1, 1, 1, 2, 2, 2},
    {0, 0, 0, 1, 1, 0, 1, 2, 2, 2},
    {0, 0, 0, 1, 2, 3, 4, 5, 5, 5},
};
static const double certainty[SAMPLE_N] = {1, 1, 1, .7, .75, .5, .7, 1, 1, 1};

static void finished(caucus_ctx *ctx, const cau_cluster_options *o, cau_cluster_work *w)
{
    assert_ok(ctx, sample_work(ctx, o, w));
    w->samples = (cau_partitions){.N = SAMPLE_N, .S = 4, .z = malloc(sizeof samples)};
    w->consensus = (cau_consensus){
        .K = 3, .z = malloc(sizeof *samples), .certainty = malloc(sizeof certainty), .loss = .25};
    w->milestone = calloc(2, sizeof *w->milestone);
    assert_true(w->samples.z && w->consensus.z && w->consensus.certainty && w->milestone);
    memcpy(w->samples.z, samples, sizeof samples);
    memcpy(w->consensus.z, samples[0], sizeof *samples);
    memcpy(w->consensus.certainty, certainty, sizeof certainty);
    w->milestones = 2;
    w->milestone[1] = (cau_milestone){.links = 3,
                                      .measures = {.v = .5, .v_beta = .625, .vi = 1.5, .rand = .75},
                                      .diagnosis = {.rhat_clusters = 1.25,
                                                    .rhat_joint = 1.01,
                                                    .ess_clusters = NAN,
                                                    .ess_joint = 3.6,
                                                    .clusters = 3.75,
                                                    .alpha = 2}};
    w->asked = 5;
    w->earlier = 2;
    w->right = w->tied = 1;
    w->total = 20;
    w->skipped = 4;
}

/* The report as a string; the caller frees it. */
static char *report(caucus_ctx *ctx, cau_cluster_work *w)
{
    cau_writer out = {.ctx = ctx};
    assert_ok(ctx, cau_cluster_report(w, &out));
    assert_int_equal(cau_strbuf_status(ctx, &out.text), CAUCUS_OK);
    assert_false(out.text.failed);
    char *text = strndup(out.text.s, out.text.n);
    cau_writer_clear(&out);
    assert_non_null(text);
    return text;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void as_text(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_cluster_options o = sample_options();
    cau_cluster_work w;
    o.top = 2;
    finished(ctx, &o, &w);
    char *text = report(ctx, &w);
    assert_string_equal(
        text, "10 items in 3 clusters; 4 samples with 3.8 clusters on average; 0 links\n"
              "3 questions answered, 1 as in most samples, 1 as in half of them\n"
              "chains do not agree: scale reduction 1.250 (clusters), 1.010 (log joint); effective "
              "samples -, 4\n"
              "\n"
              "c1: 3 items, certainty 1.00; top features: sweet, blue\n"
              "    apple, pear, plum\n"
              "\n"
              "c2: 4 items, certainty 0.66; top features: green, long\n"
              "    bean, leek, kale, beet\n"
              "\n"
              "c3: 3 items, certainty 1.00; top features: steel, round\n"
              "    fork, ladle, sieve\n");
    free(text);
    cau_cluster_clear(&w);

    /* With classes and one question, but without comparable chains and top features. */
    o.gold = sample_classes();
    o.top = 0;
    finished(ctx, &o, &w);
    w.asked = w.right = 1, w.tied = w.earlier = 0;
    w.milestone[1].diagnosis.rhat_joint = NAN;
    text = report(ctx, &w);
    assert_non_null(strstr(text, "\n1 question answered, 1 as in most samples\nagainst the "
                                 "classes, means over samples: V 0.500, V-beta 0.625, VI 1.500, "
                                 "homogeneity 0.000, completeness 0.000\n\nc1: 3 items, certainty "
                                 "1.00\n    apple, pear, plum\n"));
    free(text);
    cau_cluster_clear(&w);
    caucus_ctx_free(ctx);
}

/* Lists of names are wrapped at 92 columns, unless a single name is longer. */
static void folded(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const cau_cluster_options o = sample_options();
    cau_cluster_work w;
    cau_strbuf items = {0};
    finished(ctx, &o, &w);
    cau_cluster_clear(&w);
    for (size_t i = 0; i < SAMPLE_N; i++)
        cau_strbuf_printf(&items, "a name of many words, %zu\twith-long-features-too-%zu:2\n", i,
                          i);
    const char *path = test_file("long.tsv", items.s, items.n);
    finished(ctx, &o, &w);
    cau_items_clear(&w.items);
    assert_ok(ctx, sample_read_items(ctx, &o.items, &path, 1, &w.items));
    char *text = report(ctx, &w);
    size_t names = 0, lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        if (lines > 2) assert_true(strlen(line) <= 92);
        for (const char *c = line; (c = strstr(c, "a name of")); c++) names++;
    }
    assert_int_equal(names, SAMPLE_N);
    free(text);
    cau_strbuf_clear(&items);
    cau_cluster_clear(&w);
    caucus_ctx_free(ctx);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void as_json(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_cluster_options o = sample_options();
    cau_cluster_work w;
    o.json = true;
    o.gold = sample_classes();
    finished(ctx, &o, &w);
    char *text = report(ctx, &w);
    json_t *root = json_loads(text, 0, NULL), *chains, *clusters, *items, *curve;
    int format, count, links, asked, skipped, agreed, agree;
    double alpha, mean, loss, reduction, last_v;
    json_t *none;
    assert_non_null(root);
    assert_int_equal(json_unpack(root, "{si si si si si si sf sf sf so so so so}", "format",
                                 &format, "samples", &count, "links", &links, "asked", &asked,
                                 "skipped", &skipped, "agreed", &agreed, "alpha", &alpha,
                                 "clusters_mean", &mean, "loss", &loss, "chains", &chains,
                                 "clusters", &clusters, "items", &items, "curve", &curve),
                     0);
    assert_int_equal(format, 1);
    assert_int_equal(count, 4);
    assert_int_equal(links, 0);
    assert_int_equal(asked, 5);
    assert_int_equal(skipped, 4);
    assert_int_equal(agreed, 1);
    assert_near(alpha, 2, 0);
    assert_near(mean, 3.75, 0);
    assert_near(loss, .25, 0);
    assert_int_equal(json_unpack(chains, "{sb s{sf} s{so}}", "agree", &agree, "scale_reduction",
                                 "clusters", &reduction, "effective_samples", "clusters", &none),
                     0);
    assert_false(agree);
    assert_near(reduction, 1.25, 0);
    assert_true(json_is_null(none)); /* NaN */

    assert_int_equal(json_array_size(clusters), 3);
    const char *name, *feature, *of;
    int size;
    double sure, score;
    assert_int_equal(json_unpack(clusters, "[o, {ss si sf s[{ss sf}]}]", &none, "cluster", &name,
                                 "size", &size, "certainty", &sure, "top_features", "feature",
                                 &feature, "score", &score),
                     0);
    assert_string_equal(name, "c2");
    assert_int_equal(size, 4);
    assert_near(sure, (.7 + .75 + .5 + .7) / 4, 1e-12);
    assert_string_equal(feature, "green");
    assert_true(score > 0);
    assert_int_equal(json_array_size(items), SAMPLE_N);
    assert_int_equal(json_unpack(json_array_get(items, 5), "{ss ss sf}", "item", &name, "cluster",
                                 &of, "certainty", &sure),
                     0);
    assert_string_equal(name, "beet");
    assert_string_equal(of, "c2");
    assert_near(sure, .5, 0);
    assert_int_equal(json_array_size(curve), 2);
    assert_int_equal(
        json_unpack(json_array_get(curve, 1), "{si sf}", "links", &links, "v", &last_v), 0);
    assert_int_equal(links, 3);
    assert_near(last_v, .5, 0);

    const char *likelihood;
    int tied, dimensions, unlinked;
    double total, rand, clusters_reduction;
    assert_int_equal(json_unpack(root, "{si s{ss si sf}}", "tied", &tied, "points", "likelihood",
                                 &likelihood, "dimensions", &dimensions, "total", &total),
                     0);
    assert_int_equal(tied, 1);
    assert_string_equal(likelihood, "multinomial");
    assert_int_equal(dimensions, w.points.V);
    assert_near(total, 20, 0);
    assert_int_equal(json_unpack(json_array_get(curve, 1), "{sf sf s{sf} s{si so}}", "rand", &rand,
                                 "alpha", &alpha, "scale_reduction", "clusters",
                                 &clusters_reduction, "unlinked", "items", &unlinked, "v", &none),
                     0);
    assert_near(rand, .75, 0);
    assert_near(alpha, 2, 0);
    assert_near(clusters_reduction, 1.25, 0);
    assert_int_equal(unlinked, 0);
    assert_true(json_is_null(none)); /* no item without a link, no score */
    json_decref(root);
    free(text);

    free(w.gold); /* without classes there is no curve */
    w.gold = NULL;
    text = report(ctx, &w);
    root = json_loads(text, 0, NULL);
    assert_true(json_is_null(json_object_get(root, "curve")));
    json_decref(root);
    free(text);
    cau_cluster_clear(&w);
    caucus_ctx_free(ctx);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void check_file(const char *path, const char *want)
{
    char *text = sample_read(path);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
}

static void as_files(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_cluster_options o = sample_options();
    cau_cluster_work w;
    o.assignments_file = test_path("assigned.tsv");
    o.samples_file = test_path("samples.tsv");
    o.members_file = test_path("members.tsv");
    finished(ctx, &o, &w);
    assert_ok(ctx, cau_cluster_files(&w));
    check_file(o.assignments_file, "apple\tc1\npear\tc1\nplum\tc1\nleek\tc2\nbean\tc2\nbeet\tc2\n"
                                   "kale\tc2\nfork\tc3\nladle\tc3\nsieve\tc3\n");
    check_file(o.samples_file, "apple\tc1\tc1\tc1\tc1\npear\tc1\tc1\tc1\tc1\nplum\tc1\tc1\tc1\tc1\n"
                               "leek\tc2\tc2\tc2\tc2\nbean\tc2\tc2\tc2\tc3\nbeet\tc2\tc2\tc1\tc4\n"
                               "kale\tc2\tc2\tc2\tc5\nfork\tc3\tc3\tc3\tc6\nladle\tc3\tc3\tc3\tc6\n"
                               "sieve\tc3\tc3\tc3\tc6\n");
    /* greens by certainty, ties in input order: bean, leek, kale, beet */
    check_file(o.members_file,
               "\tapple\tpear\tplum\tbean\tleek\tkale\tbeet\tfork\tladle\tsieve\n"
               "apple\t1.000\t1.000\t1.000\t0.000\t0.000\t0.000\t0.250\t0.000\t0.000\t0.000\n"
               "pear\t1.000\t1.000\t1.000\t0.000\t0.000\t0.000\t0.250\t0.000\t0.000\t0.000\n"
               "plum\t1.000\t1.000\t1.000\t0.000\t0.000\t0.000\t0.250\t0.000\t0.000\t0.000\n"
               "bean\t0.000\t0.000\t0.000\t1.000\t0.750\t0.750\t0.500\t0.000\t0.000\t0.000\n"
               "leek\t0.000\t0.000\t0.000\t0.750\t1.000\t0.750\t0.500\t0.000\t0.000\t0.000\n"
               "kale\t0.000\t0.000\t0.000\t0.750\t0.750\t1.000\t0.500\t0.000\t0.000\t0.000\n"
               "beet\t0.250\t0.250\t0.250\t0.500\t0.500\t0.500\t1.000\t0.000\t0.000\t0.000\n"
               "fork\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t1.000\t1.000\t1.000\n"
               "ladle\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t1.000\t1.000\t1.000\n"
               "sieve\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t1.000\t1.000\t1.000\n");
    o.members_file = NULL;
    o.samples_file = "/nowhere/at/all.tsv";
    assert_fails(ctx, cau_cluster_files(&w), CAUCUS_ERR_IO, "/nowhere/at/all.tsv");
    cau_cluster_clear(&w);
    caucus_ctx_free(ctx);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static caucus_status write_all(void *self)
{
    cau_cluster_work *w = self;
    cau_writer out = {.ctx = w->ctx};
    caucus_status st = cau_cluster_files(w);
    if (!st) st = cau_cluster_report(w, &out);
    if (!st) st = cau_strbuf_status(w->ctx, &out.text);
    if (!st && out.text.failed) st = CAUCUS_ERR_MEMORY;
    cau_writer_clear(&out);
    return st;
}

static void every_allocation(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_cluster_options o = sample_options();
    cau_cluster_work w;
    o.gold = sample_classes();
    o.assignments_file = o.samples_file = o.members_file = test_path("memory.tsv");
    finished(ctx, &o, &w);
    for (int json = 0; json < 2; json++) {
        o.json = json;
        assert_true(test_every_allocation(write_all, &w) > 10);
    }
    cau_cluster_clear(&w);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_text),  cmocka_unit_test(folded),           cmocka_unit_test(as_json),
        cmocka_unit_test(as_files), cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
