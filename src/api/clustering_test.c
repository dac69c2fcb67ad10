/* clustering_test.c - clustering from arrays equals clustering from a file; results by number. */

#include <math.h>

#include "support/api_sample.h"

enum { ITEMS = 6, FEATURES = 2 };

static const char *const names[ITEMS] = {"apple", "pear", "plum", "fork", "knife", "ladle"};
static const char *const classes[ITEMS] = {"fruit", "fruit", "fruit", "tool", "tool", "tool"};
static const caucus_feature counts[ITEMS][FEATURES] = {
    {{"sweet", 9}, {"round", 6}}, {{"sweet", 8}, {"round", 7}}, {{"sweet", 6}, {"round", 9}},
    {{"steel", 9}, {"long", 5}},  {{"steel", 7}, {"long", 8}},  {{"steel", 8}, {"long", 7}}};

/* few sweeps, otherwise defaults */
#define QUICK "chains", "2", "burn-in", "10", "samples", "5", "lag", "1"

static const char *sample_file(void)
{
    char text[1024] = "";
    for (size_t i = 0, n = 0; i < ITEMS; i++) {
        n += (size_t)sprintf(text + n, "%s", names[i]);
        for (size_t f = 0; f < FEATURES; f++)
            n += (size_t)sprintf(text + n, "\t%s:%g", counts[i][f].name, counts[i][f].value);
        n += (size_t)sprintf(text + n, "\n");
    }
    return test_text("items.tsv", text);
}

static caucus_status add_items(caucus_ctx *ctx, caucus_clustering *c)
{
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; i < ITEMS && !st; i++)
        st = caucus_clustering_add(ctx, c, names[i], counts[i], FEATURES);
    return st;
}

static void test_same(void **state)
{
    (void)state;
    static char want[SAMPLE_TEXT], got[SAMPLE_TEXT];
    caucus_ctx *ctx = test_ctx();
    caucus_options *options = sample_options(ctx, "cluster", QUICK, "json", "1", NULL);
    caucus_clustering *file = NULL, *memory = NULL;
    const char *path = sample_file();
    assert_ok(ctx, caucus_clustering_new(ctx, options, &file));
    assert_ok(ctx, caucus_clustering_read(ctx, file, &path, 1));
    assert_ok(ctx, caucus_clustering_run(ctx, file, NULL, NULL));
    assert_ok(ctx, caucus_clustering_write(ctx, file, sample_collect, want));
    assert_ok(ctx, caucus_clustering_new(ctx, options, &memory));
    caucus_options_free(options); /* the clustering has a copy */
    assert_ok(ctx, add_items(ctx, memory));
    assert_ok(ctx, caucus_clustering_run(ctx, memory, NULL, NULL));
    assert_ok(ctx, caucus_clustering_write(ctx, memory, sample_collect, got));
    assert_string_equal(got, want);

    assert_int_equal(caucus_clustering_items(memory), ITEMS);
    assert_string_equal(caucus_clustering_item(memory, 1), "pear");
    assert_null(caucus_clustering_item(memory, ITEMS));
    assert_int_equal(caucus_clustering_clusters(memory), 2);
    const uint32_t *z = caucus_clustering_assignment(memory);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(z[i], i / 3);
        assert_true(caucus_clustering_certainty(memory)[i] > .5);
    }
    assert_int_equal(caucus_clustering_samples(memory), 10);
    for (size_t s = 0; s < 10; s++) assert_non_null(caucus_clustering_sample(memory, s));
    assert_null(caucus_clustering_sample(memory, 10));
    assert_int_equal(caucus_clustering_answers(memory), 0);
    assert_int_equal(caucus_clustering_answer(memory, 0).b, 0);
    assert_true(isnan(caucus_clustering_score(memory, "v"))); /* there are no classes */

    caucus_model *model = NULL;
    double p[2];
    assert_ok(ctx, caucus_clustering_model(ctx, memory, &model));
    assert_ok(ctx, sample_predict(ctx, model, counts[4], FEATURES, p));
    assert_string_equal(caucus_model_class(model, p[1] > p[0]), "c2");
    caucus_model_free(model);
    caucus_clustering_free(file);
    caucus_clustering_free(memory);
    caucus_clustering_free(NULL);
    caucus_ctx_free(ctx);
}

static void test_links(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_options *options = sample_options(ctx, "cluster", QUICK, NULL, NULL);
    caucus_clustering *c = NULL;
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_ok(ctx, add_items(ctx, c));
    assert_ok(ctx, caucus_clustering_link(ctx, c, "plum", "ladle", 1));
    assert_ok(ctx, caucus_clustering_link(ctx, c, "ladle", "fork", 0));
    assert_ok(ctx, caucus_clustering_link(ctx, c, "apple", "pear", .9));
    assert_ok(ctx, caucus_clustering_run(ctx, c, NULL, NULL));
    for (size_t s = 0; s < caucus_clustering_samples(c); s++) {
        const uint32_t *z = caucus_clustering_sample(c, s);
        assert_int_equal(z[2], z[5]);
        assert_int_not_equal(z[3], z[5]);
    }
    caucus_clustering_free(c);

    c = NULL;
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_ok(ctx, add_items(ctx, c));
    assert_fails(ctx, caucus_clustering_link(ctx, c, "plum", "grape", 1), CAUCUS_ERR_ARGUMENT,
                 "no item 'grape'");
    assert_fails(ctx, caucus_clustering_link(ctx, c, "plum", "plum", 1), CAUCUS_ERR_ARGUMENT,
                 "to itself");
    assert_fails(ctx, caucus_clustering_link(ctx, c, "plum", "pear", 1.5), CAUCUS_ERR_ARGUMENT,
                 "probability 1.5");
    assert_ok(ctx, caucus_clustering_link(ctx, c, "plum", "ladle", 1));
    assert_ok(ctx, caucus_clustering_link(ctx, c, "ladle", "plum", 0));
    assert_fails(ctx, caucus_clustering_run(ctx, c, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                 "contradicts");
    caucus_clustering_free(c);
    caucus_options_free(options);

    c = NULL; /* the options exclude an item */
    options = sample_options(ctx, "cluster", QUICK, "least", "10", NULL);
    static const caucus_feature rare = {"sweet", 2};
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_ok(ctx, add_items(ctx, c));
    assert_ok(ctx, caucus_clustering_add(ctx, c, "quince", &rare, 1));
    assert_ok(ctx, caucus_clustering_class(ctx, c, "quince", "fruit"));
    assert_ok(ctx, caucus_clustering_class(ctx, c, "pear", "fruit"));
    assert_ok(ctx, caucus_clustering_link(ctx, c, "plum", "quince", 1));
    assert_fails(ctx, caucus_clustering_run(ctx, c, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                 "leave out one of them");
    caucus_clustering_free(c);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

/* Answers "apart" to every question, and withdraws one answer. */
typedef struct {
    size_t asked;
    const char *a, *b; /* of the last question */
} apart_answers;

static caucus_status answer_apart(void *user, const caucus_question *q, caucus_answer *answer)
{
    apart_answers *who = user;
    who->asked++;
    who->a = q->a;
    who->b = q->b;
    *answer = who->asked == 2 ? CAUCUS_ANSWER_UNDO : CAUCUS_ANSWER_APART;
    return CAUCUS_OK;
}

static void test_questions(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_options *options = sample_options(ctx, "cluster", QUICK, "ask", "3", NULL);
    caucus_clustering *c = NULL;
    apart_answers who = {0};
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_ok(ctx, add_items(ctx, c));
    assert_ok(ctx, caucus_clustering_link(ctx, c, "apple", "pear", 1));
    assert_ok(ctx, caucus_clustering_run(ctx, c, answer_apart, &who));
    assert_int_equal(who.asked, 5); /* one answer was withdrawn, so its question came again */
    assert_int_equal(caucus_clustering_answers(c), 3);
    const caucus_answered last = caucus_clustering_answer(c, 2);
    assert_string_equal(caucus_clustering_item(c, last.a), who.a);
    assert_string_equal(caucus_clustering_item(c, last.b), who.b);
    assert_false(last.together);
    caucus_clustering_free(c);

    c = NULL; /* the gold classes answer and allow scores */
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_ok(ctx, add_items(ctx, c));
    for (size_t i = 0; i < ITEMS; i++)
        assert_ok(ctx, caucus_clustering_class(ctx, c, names[i], classes[i]));
    assert_ok(ctx, caucus_clustering_run(ctx, c, NULL, NULL));
    assert_int_equal(caucus_clustering_answers(c), 3);
    for (size_t q = 0; q < 3; q++) {
        const caucus_answered a = caucus_clustering_answer(c, q);
        assert_int_equal(a.together, classes[a.a] == classes[a.b]);
    }
    assert_true(caucus_clustering_score(c, "v") > .5);
    assert_true(isnan(caucus_clustering_score(c, "no such measure")));
    caucus_clustering_free(c);

    c = NULL;
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_ok(ctx, add_items(ctx, c));
    assert_fails(ctx, caucus_clustering_run(ctx, c, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                 "needs an answer");
    caucus_clustering_free(c);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

static void test_wrong_use(void **state)
{
    (void)state;
    static const caucus_feature bad[] = {{"x", INFINITY}}, unnamed[] = {{"", 1}},
                                none[] = {{"x", 0}}, negative[] = {{"x", -1}};
    caucus_ctx *ctx = test_ctx();
    caucus_options *options = sample_options(ctx, "cluster", QUICK, NULL, NULL);
    caucus_clustering *c = NULL;
    caucus_model *model = NULL;
    const char *path = sample_file();
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_null(caucus_clustering_assignment(c));
    assert_int_equal(caucus_clustering_items(c), 0);
    assert_fails(ctx, caucus_clustering_model(ctx, c, &model), CAUCUS_ERR_ARGUMENT, "has not run");
    assert_fails(ctx, caucus_clustering_add(ctx, c, "a\tb", counts[0], 1), CAUCUS_ERR_ARGUMENT,
                 "item:1: the name of an item");
    assert_fails(ctx, caucus_clustering_add(ctx, c, NULL, counts[0], 1), CAUCUS_ERR_ARGUMENT,
                 "the name of an item");
    assert_fails(ctx, caucus_clustering_add(ctx, c, "a", bad, 1), CAUCUS_ERR_ARGUMENT,
                 "item:1: the value inf of 'x'");
    assert_fails(ctx, caucus_clustering_add(ctx, c, "a", unnamed, 1), CAUCUS_ERR_ARGUMENT,
                 "the name of a feature");
    assert_ok(ctx, add_items(ctx, c));
    assert_fails(ctx, caucus_clustering_add(ctx, c, "pear", counts[0], 1), CAUCUS_ERR_ARGUMENT,
                 "item:7: the item 'pear' stands in item:2 already");
    assert_fails(ctx, caucus_clustering_read(ctx, c, &path, 1), CAUCUS_ERR_ARGUMENT,
                 "added from memory");
    assert_fails(ctx, caucus_clustering_class(ctx, c, "grape", "fruit"), CAUCUS_ERR_ARGUMENT,
                 "no item 'grape'");
    assert_fails(ctx, caucus_clustering_class(ctx, c, "pear", ""), CAUCUS_ERR_ARGUMENT,
                 "has no name");
    caucus_clustering_free(c);

    c = NULL;
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_ok(ctx, caucus_clustering_read(ctx, c, &path, 1));
    assert_fails(ctx, caucus_clustering_add(ctx, c, "grape", counts[0], 1), CAUCUS_ERR_ARGUMENT,
                 "read from files");
    /* these items may have links */
    assert_ok(ctx, caucus_clustering_link(ctx, c, "apple", "pear", 1));
    assert_ok(ctx, caucus_clustering_run(ctx, c, NULL, NULL));
    assert_fails(ctx, caucus_clustering_run(ctx, c, NULL, NULL), CAUCUS_ERR_ARGUMENT, "has run");
    assert_fails(ctx, caucus_clustering_link(ctx, c, "apple", "pear", 1), CAUCUS_ERR_ARGUMENT,
                 "has run");
    caucus_clustering_free(c);

    static const struct {
        const caucus_feature *features;
        const char *part;
    } items[] = {{none, "item:1: the item 'a' has no feature that is not 0"},
                 {negative, "some values are below 0"}};
    for (size_t i = 0; i < 2; i++) {
        c = NULL;
        assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
        assert_ok(ctx, caucus_clustering_add(ctx, c, "a", items[i].features, 1));
        assert_fails(ctx, caucus_clustering_run(ctx, c, NULL, NULL), CAUCUS_ERR_ARGUMENT,
                     items[i].part);
        caucus_clustering_free(c);
    }
    c = NULL;
    assert_ok(ctx, caucus_clustering_new(ctx, options, &c));
    assert_fails(ctx, caucus_clustering_run(ctx, c, NULL, NULL), CAUCUS_ERR_ARGUMENT, "no items");
    assert_fails(ctx, caucus_clustering_run(ctx, c, NULL, NULL), CAUCUS_ERR_ARGUMENT, "has run");
    assert_null(caucus_clustering_assignment(c));
    caucus_clustering_free(c);
    caucus_options_free(options);
    options = sample_options(ctx, "cluster", "reduce", "pca:3", NULL);
    c = NULL;
    assert_fails(ctx, caucus_clustering_new(ctx, options, &c), CAUCUS_ERR_ARGUMENT, "nmf:35");
    assert_null(c);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    caucus_options *options;
} clustering_job;

static caucus_status cluster(void *self)
{
    const clustering_job *j = self;
    caucus_clustering *c = NULL;
    caucus_model *model = NULL;
    static char text[SAMPLE_TEXT];
    text[0] = '\0';
    caucus_status st = caucus_clustering_new(j->ctx, j->options, &c);
    if (!st) st = add_items(j->ctx, c);
    if (!st) st = caucus_clustering_link(j->ctx, c, "apple", "pear", 1);
    for (size_t i = 0; i < ITEMS && !st; i++)
        st = caucus_clustering_class(j->ctx, c, names[i], classes[i]);
    if (!st) st = caucus_clustering_run(j->ctx, c, NULL, NULL);
    if (!st) st = caucus_clustering_write(j->ctx, c, sample_collect, text);
    if (!st) st = caucus_clustering_model(j->ctx, c, &model);
    caucus_model_free(model);
    caucus_clustering_free(c);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    clustering_job j = {ctx, sample_options(ctx, "cluster", "chains", "1", "burn-in", "2",
                                            "samples", "2", "threads", "1", "ask", "1", NULL)};
    assert_true(test_every_allocation(cluster, &j) > 50);
    caucus_options_free(j.options);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),      cmocka_unit_test(test_links),
        cmocka_unit_test(test_questions), cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("api/clustering", tests, NULL, NULL);
}
