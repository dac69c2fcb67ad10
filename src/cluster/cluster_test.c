/* cluster_test.c - clusterings from files to the report: the points, the links, errors, and the
 * same bytes with any number of threads. */

#include "support/cluster_sample.h"

#include <unistd.h>

#include "report/report.h"

typedef struct {
    caucus_ctx *ctx;
    sample_notes notes;
    cau_cluster_options o;
    cau_strbuf report;
    caucus_status writing; /* status that the writer returns */
} cluster_bench;

static caucus_status collect(void *user, const char *bytes, size_t length)
{
    cluster_bench *b = user;
    cau_strbuf_add(&b->report, bytes, length);
    return b->writing ? b->writing : cau_strbuf_status(b->ctx, &b->report);
}

static void bench_init(cluster_bench *b)
{
    *b = (cluster_bench){.ctx = test_ctx(), .o = sample_options()};
    caucus_on_note(b->ctx, sample_note, &b->notes);
}

static void bench_clear(cluster_bench *b)
{
    cau_strbuf_clear(&b->report);
    caucus_ctx_free(b->ctx);
}

static caucus_status cluster(cluster_bench *b, const char *path, caucus_ask_fn *ask, void *user,
                             caucus_model **out)
{
    cau_cluster_work w = {.ctx = b->ctx, .o = &b->o};
    cau_writer writer = {.ctx = b->ctx, .write = collect, .user = b};
    cau_strbuf_clear(&b->report);
    caucus_status st = cau_cluster_begin(&w);
    if (!st) st = cau_items_read(b->ctx, &w.builder, &path, 1);
    if (!st) st = cau_cluster_run(&w, ask, user);
    if (!st) st = cau_cluster_report(&w, &writer);
    if (!st) st = cau_writer_flush(&writer, true);
    if (!st && out) st = cau_cluster_model(&w, out);
    cau_writer_clear(&writer);
    cau_cluster_clear(&w);
    return st;
}

static bool reports(cluster_bench *b, const char *part)
{
    return b->report.n && memmem(b->report.s, b->report.n, part, strlen(part));
}

/* ---- results --------------------------------------------------------------------------------- */

/* Two groups of items without common features. */
static const char *clear_items(void)
{
    static const char text[] = "a\tx:30\ty:20\nb\tx:25\ty:25\nc\tx:35\ty:15\n"
                               "d\tv:30\tw:20\ne\tv:20\tw:30\nf\tv:25\tw:25\n";
    return test_file("clear.tsv", text, sizeof text - 1);
}

/* Each likelihood and each representation of the rows finds the two groups. */
static void finds_them(void **state)
{
    (void)state;
    static const struct {
        cau_likelihood likelihood;
        const char *reduce;
        double total;
        cau_weigh weigh;
    } ways[] = {{CAU_MULTINOMIAL, NULL, 0, CAU_WEIGH_NONE},
                {CAU_MULTINOMIAL, NULL, 40, CAU_WEIGH_NONE},
                {CAU_MULTINOMIAL, NULL, 0, CAU_WEIGH_TFIDF},
                {CAU_MULTINOMIAL, "nmf:2", 0, CAU_WEIGH_NONE},
                {CAU_MULTINOMIAL, "nmf:2", 50, CAU_WEIGH_NONE},
                {CAU_GAUSSIAN, NULL, 0, CAU_WEIGH_NONE},
                {CAU_GAUSSIAN, NULL, 1, CAU_WEIGH_NONE},
                {CAU_GAUSSIAN, "nmf:2", 0, CAU_WEIGH_NONE}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        cluster_bench b;
        caucus_model *model = NULL;
        bench_init(&b);
        b.o.dp.likelihood = ways[i].likelihood;
        b.o.dp.fixed_base = false;
        b.o.reduce = ways[i].reduce;
        b.o.total = ways[i].total;
        b.o.items.weigh = ways[i].weigh;
        b.o.assignments_file = test_path("found.tsv");
        b.o.burn_in = 50;
        b.o.split_merge = 3;
        assert_ok(b.ctx, cluster(&b, clear_items(), NULL, NULL, &model));
        assert_true(reports(&b, "6 items in 2 clusters"));
        char *found = sample_read(b.o.assignments_file);
        assert_string_equal(found, "a\tc1\nb\tc1\nc\tc1\nd\tc2\ne\tc2\nf\tc2\n");
        free(found);
        assert_non_null(model);
        assert_int_equal(model->Y, 2);
        if (ways[i].reduce) assert_non_null(strstr(b.notes.text, "4 features became 2 dimensions"));
        cau_model_free(model);
        bench_clear(&b);
    }
}

/* The row total is the amount of evidence: rows of sum 0.01 leave the prior, and rows of sum 200
 * make the clusters certain. */
static void total_is_evidence(void **state)
{
    (void)state;
    cluster_bench b;
    bench_init(&b);
    b.o.dp.fixed_alpha = true;
    b.o.samples = 200;
    b.o.members_file = test_path("pairs.tsv");
    double apart[2] = {0}; /* share of samples with a and d together */
    for (size_t i = 0; i < 2; i++) {
        b.o.total = i ? 200 : .01;
        assert_ok(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL));
        char *text = sample_read(b.o.members_file), *row = strstr(text, "\na\t");
        assert_non_null(row);
        const char *header = text, *cell = row + 2;
        while (*header && strncmp(header, "\td", 2) != 0) header += strcspn(header + 1, "\t\n") + 1;
        for (const char *c = text; c < header; c++)
            if (*c == '\t') cell += strcspn(cell + 1, "\t\n") + 1;
        apart[i] = strtod(cell, NULL);
        free(text);
    }
    assert_near(apart[0], .5, .1); /* the prior: 1 / (1 + alpha) */
    assert_near(apart[1], 0, .01);
    bench_clear(&b);
}

/* The points depend on nmf_seed alone; chains and questions on seed alone. */
static void nmf_has_its_own_seed(void **state)
{
    (void)state;
    double *points[3];
    cluster_bench b;
    bench_init(&b);
    b.o.reduce = "nmf:3";
    for (size_t i = 0; i < 3; i++) {
        cau_cluster_work w = {.ctx = b.ctx, .o = &b.o};
        const char *path = sample_items();
        b.o.seed = i == 1 ? 7 : 1;
        b.o.nmf_seed = i == 2 ? 7 : 1;
        assert_ok(b.ctx, cau_cluster_begin(&w));
        assert_ok(b.ctx, cau_items_read(b.ctx, &w.builder, &path, 1));
        assert_ok(b.ctx, cau_cluster_run(&w, NULL, NULL));
        assert_near(w.total, 20, 0); /* the default of multinomial rows after a reduction */
        points[i] = w.dense;
        w.dense = NULL;
        cau_cluster_clear(&w);
    }
    assert_memory_equal(points[0], points[1], SAMPLE_N * 3 * sizeof(double));
    assert_memory_not_equal(points[0], points[2], SAMPLE_N * 3 * sizeof(double));
    for (size_t i = 0; i < 3; i++) free(points[i]);
    bench_clear(&b);
}

/* The k-means methods have one sample, which is the result, and random questions. */
static void kmeans_methods(void **state)
{
    (void)state;
    static const char links[] = "a\td\tmust\nb\tc\tcannot\n";
    static const char clear_clusters[] = "a\tc1\nb\tc1\nc\tc1\nd\tc2\ne\tc2\nf\tc2\n";
    for (cau_cluster_method method = CAU_METHOD_COP_KMEANS; method <= CAU_METHOD_PCK_MEANS;
         method++) {
        cluster_bench b;
        bench_init(&b);
        b.o.method = method;
        assert_fails(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                     "add --clusters N");
        b.o.clusters = 2;
        b.o.penalty = 1e-6;
        b.o.assignments_file = test_path("found.tsv");
        assert_ok(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL));
        assert_true(reports(&b, "6 items in 2 clusters; "));
        assert_true(reports(&b, method == CAU_METHOD_PCK_MEANS ? "; pck-means, objective"
                                                               : "; cop-kmeans, objective"));
        char *found = sample_read(b.o.assignments_file);
        assert_string_equal(found, clear_clusters);
        free(found);

        b.o.links = test_file("links.tsv", links, sizeof links - 1);
        assert_ok(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL));
        found = sample_read(b.o.assignments_file);
        if (method == CAU_METHOD_PCK_MEANS) { /* violated links stay so in the result */
            assert_string_equal(found, clear_clusters);
        } else { /* lines of "a\tc1\n" */
            assert_int_equal(found[0 * 5 + 3], found[3 * 5 + 3]);
            assert_int_not_equal(found[1 * 5 + 3], found[2 * 5 + 3]);
        }
        free(found);

        b.o.gold = sample_classes();
        b.o.links = NULL;
        b.o.ask = 3;
        assert_fails(b.ctx, cluster(&b, sample_items(), NULL, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                     "add --select random");
        b.o.select = CAU_SELECT_RANDOM;
        b.o.clusters = 4;
        b.o.json = true;
        assert_ok(b.ctx, cluster(&b, sample_items(), NULL, NULL, NULL));
        json_t *root = json_loadb(b.report.s, b.report.n, 0, NULL);
        assert_non_null(root);
        assert_int_equal(json_integer_value(json_object_get(root, "samples")), 1);
        assert_int_equal(json_integer_value(json_object_get(root, "asked")), 3);
        assert_int_equal(json_array_size(json_object_get(root, "curve")), 4);
        assert_true(json_is_real(json_object_get(root, "objective")));
        assert_true(json_is_null(json_object_get(root, "alpha")));
        json_decref(root);
        assert_null(strstr(b.notes.text, "chains"));
        bench_clear(&b);
    }
}

/* Links of a file hold in every sample. */
static void obeys(void **state)
{
    (void)state;
    static const char links[] = "a\td\tmust\nb\tc\tcannot\n";
    cluster_bench b;
    bench_init(&b);
    b.o.links = test_file("links.tsv", links, sizeof links - 1);
    b.o.samples_file = test_path("obeys.tsv");
    assert_ok(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL));
    assert_true(reports(&b, "; 2 links\n"));
    char *text = sample_read(b.o.samples_file), *row[6];
    for (size_t i = 0; i < 6; i++) row[i] = strtok(i ? NULL : text, "\n") + 1;
    assert_string_equal(row[0], row[3]);
    size_t samples = 0;
    for (const char *p = row[1], *q = row[2]; *p; samples++) {
        const size_t m = strcspn(p + 1, "\t") + 1, n = strcspn(q + 1, "\t") + 1;
        assert_true(m != n || memcmp(p, q, n) != 0);
        p += m, q += n;
    }
    assert_int_equal(samples, 20);
    free(text);
    bench_clear(&b);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Report, samples and model after some questions, with this number of threads. */
static void run_threads(unsigned threads, const char *reduce, char *got[3])
{
    cluster_bench b;
    const char *samples = test_path("threads.tsv"), *path = test_path("threads.cau");
    bench_init(&b);
    caucus_set_threads(b.ctx, threads);
    b.o.threads = threads;
    b.o.chains = 4;
    b.o.gold = sample_classes();
    b.o.ask = 4;
    b.o.batch = 2;
    b.o.json = true;
    b.o.reduce = reduce;
    b.o.samples_file = samples;
    b.o.output = path;
    assert_ok(b.ctx, cluster(&b, sample_items(), NULL, NULL, NULL));
    got[0] = strndup(b.report.s, b.report.n);
    got[1] = sample_read(samples);
    caucus_model *model = NULL;
    assert_ok(b.ctx, cau_model_open(b.ctx, path, &model));
    got[2] = calloc(1, model->bytes * 2 + 1);
    assert_non_null(got[2]);
    for (size_t i = 0; i < model->bytes; i++)
        snprintf(got[2] + 2 * i, 3, "%02x", ((const unsigned char *)model->image)[i]);
    cau_model_free(model);
    bench_clear(&b);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 5};
    for (size_t way = 0; way < 2; way++) {
        char *got[3][3];
        for (size_t i = 0; i < 3; i++) {
            run_threads(threads[i], way ? "nmf:3" : NULL, got[i]);
            for (size_t k = 0; k < 3; k++) assert_string_equal(got[i][k], got[0][k]);
        }
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++) free(got[i][k]);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void refused_options(void **state)
{
    (void)state;
    static const char *const reductions[] = {"pca:3", "nmf",    "nmf:", "nmf:0",
                                             "nmf:x", "nmf:-1", ""};
    cluster_bench b;
    bench_init(&b);
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        b.o.reduce = reductions[i];
        assert_fails(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                     "not a reduction; write nmf:35");
    }
    b.o.reduce = NULL;
    b.o.plot = test_path("curve.svg");
    assert_fails(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                 "--plot draws scores over questions; add --gold");
    b.o.plot = NULL;
    b.o.ask = 1;
    assert_fails(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                 "--ask needs an answer to each question");
    b.o.ask = 0;
    /* output paths are checked before any input is read */
    const char **const paths[] = {&b.o.output, &b.o.assignments_file, &b.o.samples_file,
                                  &b.o.members_file, &b.o.answers};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        *paths[i] = "/nowhere/at/all";
        assert_fails(b.ctx, cluster(&b, "missing.tsv", NULL, NULL, NULL), CAUCUS_ERR_IO,
                     "/nowhere/at/all");
        *paths[i] = NULL;
    }
    assert_fails(b.ctx, cluster(&b, "missing.tsv", NULL, NULL, NULL), CAUCUS_ERR_IO, "missing.tsv");
    assert_int_equal(b.report.n, 0);
    bench_clear(&b);
}

static void refused_data(void **state)
{
    (void)state;
    static const char negative[] = "a\t1\t-2\nb\t2\t3\n", unknown[] = "a\tz\tmust\n";
    cluster_bench b;
    bench_init(&b);
    const char *path = test_file("negative.tsv", negative, sizeof negative - 1);
    assert_fails(b.ctx, cluster(&b, path, NULL, NULL, NULL), CAUCUS_ERR_FORMAT,
                 "some values are below 0; use --likelihood gaussian");
    b.o.dp.likelihood = CAU_GAUSSIAN;
    assert_ok(b.ctx, cluster(&b, path, NULL, NULL, NULL));
    b.o.dp.likelihood = CAU_PRIOR_ONLY;
    assert_ok(b.ctx, cluster(&b, path, NULL, NULL, NULL));
    b.o = sample_options();
    b.o.links = test_file("unknown.tsv", unknown, sizeof unknown - 1);
    assert_fails(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL), CAUCUS_ERR_FORMAT,
                 "unknown.tsv:1: there is no item 'z'");
    bench_clear(&b);
}

static void warns(void **state)
{
    (void)state;
    cluster_bench b;
    bench_init(&b);
    b.o.samples = 3;
    assert_ok(b.ctx, cluster(&b, clear_items(), NULL, NULL, NULL));
    assert_non_null(strstr(b.notes.text, "too few samples to tell whether the chains agree"));
    assert_false(reports(&b, "chains"));
    bench_clear(&b);

    bench_init(&b); /* without burn-in, the chains disagree on these items */
    b.o.burn_in = 0;
    b.o.split_merge = 0;
    b.o.samples = 4;
    bool disagreed = false;
    for (b.o.seed = 1; b.o.seed < 20 && !disagreed; b.o.seed++) {
        assert_ok(b.ctx, cluster(&b, sample_items(), NULL, NULL, NULL));
        const bool said = strstr(b.notes.text, "the chains do not agree (scale") != NULL;
        assert_int_equal(said, reports(&b, "\nchains do not agree: "));
        disagreed = said;
        b.notes.n = 0, b.notes.text[0] = '\0';
    }
    assert_true(disagreed);
    bench_clear(&b);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static bool stop_at(void *user, const caucus_progress *now)
{
    const sample_answerer *who = user;
    assert_string_equal(now->solver, "gibbs");
    return who->at < 3;
}

static void stops(void **state)
{
    (void)state;
    cluster_bench b;
    sample_answerer who = {.script = "t"};
    bench_init(&b);
    b.o.output = test_path("never.cau");
    b.o.answers = test_path("stopped.tsv");
    b.o.ask = 20;
    caucus_on_progress(b.ctx, stop_at, &who);
    assert_int_equal(cluster(&b, sample_items(), sample_ask, &who, NULL), CAUCUS_ERR_STOPPED);
    assert_int_equal(b.report.n, 0);
    assert_int_not_equal(access(b.o.output, F_OK), 0);
    char *kept = sample_read(b.o.answers);
    size_t lines = 0;
    for (const char *c = kept; c && *c; c++) lines += *c == '\n';
    assert_int_equal(who.at, 3);
    assert_int_equal(lines, 3); /* all answers so far */
    free(kept);
    bench_clear(&b);
}

static void report_not_wanted(void **state)
{
    (void)state;
    cluster_bench b;
    caucus_model *model = NULL;
    bench_init(&b);
    b.writing = CAUCUS_ERR_IO;
    assert_int_equal(cluster(&b, clear_items(), NULL, NULL, &model), CAUCUS_ERR_IO);
    assert_null(model);
    bench_clear(&b);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static caucus_status small(void *self)
{
    cluster_bench *b = self;
    caucus_model *model = NULL;
    b->notes.n = 0;
    const caucus_status st = cluster(b, clear_items(), NULL, NULL, &model);
    assert_true(st ? model == NULL : model != NULL);
    cau_model_free(model);
    return st;
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t way = 0; way < 4; way++) {
        cluster_bench b;
        static const char gold[] = "a\t1\nb\t1\nc\t1\nd\t2\ne\t2\nf\t2\n";
        bench_init(&b);
        b.o.gold = test_file("gold.tsv", gold, sizeof gold - 1);
        b.o.ask = 1;
        b.o.chains = 1;
        b.o.burn_in = 1;
        b.o.samples = 4;
        b.o.again = 0;
        b.o.output = test_path("memory.cau");
        b.o.members_file = test_path("memory.tsv");
        b.o.dp.likelihood = way == 1 ? CAU_GAUSSIAN : CAU_MULTINOMIAL;
        b.o.total = way ? 0 : 10;
        b.o.reduce = way == 2 ? "nmf:2" : NULL;
        b.o.json = way == 2;
        b.o.method = way == 3 ? CAU_METHOD_COP_KMEANS : CAU_METHOD_DPMM;
        b.o.clusters = 2;
        b.o.select = way == 3 ? CAU_SELECT_RANDOM : way == 2 ? CAU_SELECT_VI : CAU_SELECT_ACTIVE;
        b.o.batch_mode = way == 1 ? CAU_BATCH_JOINT : CAU_BATCH_NAIVE;
        assert_true(test_every_allocation(small, &b) > 100);
        bench_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_them),
        cmocka_unit_test(total_is_evidence),
        cmocka_unit_test(kmeans_methods),
        cmocka_unit_test(nmf_has_its_own_seed),
        cmocka_unit_test(obeys),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(refused_options),
        cmocka_unit_test(refused_data),
        cmocka_unit_test(warns),
        cmocka_unit_test(stops),
        cmocka_unit_test(report_not_wanted),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
