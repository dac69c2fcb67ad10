/* summary_test.c - the strongest features, compared with a full sort. */

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "support/apply_sample.h"

static void test_table(void **state)
{
    (void)state;
    const double w[] = {1.5, -2, 0.25, 3, 0, -1, -0.5, 0.5};
    const double bias[] = {0.125, -0.25};
    const tiny parts = {.names = "sun|W\xC3\xB6rter|\xE4\xB8\xAD|tab\ttab",
                        .labels = "dry|wet",
                        .w = w,
                        .bias = bias,
                        .read = {.format = CAU_FORMAT_TEXT, .ngrams = 2, .lower = true},
                        .info = "solver\tlbfgs\noption.dev\ta\\tb\n"};
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(&parts);
    const cau_inspect_options options = {.top = 10};
    cau_strbuf out = {0};
    char want[1000];
    snprintf(want, sizeof want,
             "file      maxent, 4 features, 2 classes, 7 weights (dense), %zu bytes\n"
             "format    text, n-grams up to 2, lower case\n"
             "\n"
             "solver      lbfgs\n"
             "option.dev  a\\tb\n"
             "\n"
             "class dry, default weight 0.125000\n"
             "  1.500000  sun     -0.500000  tab\\ttab\n"
             "  0.250000  W\xC3\xB6rter\n"
             "\n"
             "class wet, default weight -0.250000\n"
             "  3.000000  W\xC3\xB6rter    -2.000000  sun\n"
             "  0.500000  tab\\ttab  -1.000000  \xE4\xB8\xAD\n",
             model->bytes);
    assert_ok(ctx, cau_inspect(ctx, model, &options, 1, into_text, &out));
    assert_string_equal(out.s, want);
    cau_strbuf_clear(&out);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

/* ---- against a full sort ------------------------------------------------------------- */

enum { K = 300, Y = 4 };

static void check_list(const json_t *list, const double *w, size_t width, size_t y, double sign,
                       size_t top)
{
    bool used[K] = {0};
    size_t n = 0;
    for (;; n++) { /* the strongest of the rest; of equal ones the first */
        size_t best = K;
        for (size_t k = 0; k < K; k++) {
            double x = sign * (double)(float)w[k * width + y];
            if (used[k] || x <= 0) continue;
            if (best == K || x > sign * (double)(float)w[best * width + y]) best = k;
        }
        if (best == K || n == top) break;
        used[best] = true;
        char name[20];
        snprintf(name, sizeof name, "w%zu", best);
        json_t *entry = json_array_get(list, n);
        assert_text_at(entry, "feature", name);
        assert_near(cau_number_at(entry, "weight"), (double)(float)w[best * width + y], 1e-8);
    }
    assert_int_equal(json_array_size(list), n);
}

/* Random weights with many ties; density below a half gives a packed image. */
static void check_random(double density, bool apart, uint64_t top)
{
    static double w[K * Y];
    cau_rng rng;
    cau_rng_init(&rng, (uint64_t)(density * 100) + top);
    cau_strbuf names = {0};
    for (size_t k = 0; k < K; k++) cau_strbuf_printf(&names, "%sw%zu", k ? "|" : "", k);
    for (size_t i = 0; i < K * Y; i++) {
        double x = ((double)cau_rng_below(&rng, 41) - 20) / 8;
        w[i] = cau_rng_real(&rng) < density ? x : 0;
    }
    const tiny parts = {.names = names.s,
                        .labels = "0|1|2|3",
                        .w = w,
                        .apart = apart,
                        .read = {.format = CAU_FORMAT_MEGAM}};
    json_t *root = tiny_json(&parts, (cau_inspect_options){.top = top});

    size_t width = apart ? 1 : Y, nonzeros = 0;
    for (size_t i = 0; i < K * width; i++) nonzeros += w[i] != 0;
    json_t *size = cau_at(root, "size"), *classes = cau_at(root, "classes");
    assert_int_equal(cau_count_at(size, "weights"), nonzeros);
    assert_int_equal(cau_count_at(size, "classes"), Y);
    assert_int_equal(json_array_size(classes), Y);
    for (size_t y = 0; y < width; y++) {
        const json_t *holder = apart ? root : json_array_get(classes, y);
        check_list(cau_at(holder, "for"), w, width, y, 1, top);
        check_list(cau_at(holder, "against"), w, width, y, -1, top);
    }
    json_decref(root);
    cau_strbuf_clear(&names);
}

static void test_strongest(void **state)
{
    (void)state;
    static const uint64_t tops[] = {1, 2, 7, 64, K, 1000000000};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        check_random(0.95, false, tops[i]);
        check_random(0.2, false, tops[i]);
        check_random(0.9, true, tops[i]);
        check_random(0, false, tops[i]);
    }
}

static void test_explicit(void **state)
{
    (void)state;
    const double w[] = {2, -1};
    const tiny parts = {.names = "f|g",
                        .labels = "0|1",
                        .w = w,
                        .apart = true,
                        .read = {.format = CAU_FORMAT_MEGAM}};
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, tiny_inspect(ctx, &parts, &(cau_inspect_options){.top = 10}, &out));
    assert_non_null(strstr(out.s, "\n\nclass 0\nclass 1\n\nall classes\n"
                                  "  2.000000  f  -1.000000  g\n"));
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void test_info(void **state)
{
    (void)state;
    const double w[] = {2, -1};
    const tiny parts = {.names = "f",
                        .labels = "a|b",
                        .w = w,
                        .info = "solver\tgis\noption.dev\ta\\tb\\\\\nnone\t\n"};
    json_t *root = tiny_json(&parts, (cau_inspect_options){.top = 10});
    json_t *info = cau_at(root, "info");
    assert_text_at(info, "solver", "gis");
    assert_string_equal(json_string_value(json_object_get(info, "option.dev")), "a\tb\\");
    assert_text_at(info, "none", "");
    json_decref(root);
}

/* ---- models of sequences -------------------------------------------------------------- */

static const double chain_plain[] = {1, -2, 0, 0.5};
static const double chain_edges[] = {0, 0.25, 0, 0, /**/ -1, 0, 0, 4};
static const tiny chain = {.kind = CAU_KIND_CRF,
                           .names = "U0:x|U0:y",
                           .labels = "B|O",
                           .w = (const double[]){1, -1, 0, 2},
                           .edge_names = "B1:x|B1:y",
                           .edge_w = chain_edges,
                           .plain = chain_plain,
                           .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1, .comments = true},
                           .template = "# words\nU0:%x[0,0]\n\nB1:%x[0,0]\nB\n",
                           .info = "solver\tlbfgs\n"};

static void test_chain_table(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(&chain);
    const cau_inspect_options options = {.top = 10};
    cau_strbuf out = {0};
    char want[1000];
    snprintf(want, sizeof want,
             "file      crf, 2 features, 2 classes, 3 weights (dense), %zu bytes\n"
             "edges     3 transitions, 2 features, 3 weights (packed)\n"
             "format    columns, 1 beside the label, comments\n"
             "template  3 patterns\n"
             "\n"
             "solver  lbfgs\n"
             "\n"
             "transitions\n"
             "  1.000000  B -> B  -2.000000  B -> O\n"
             "  0.500000  O -> O\n"
             "\n"
             "on edges\n"
             "  4.000000  O -> O  B1:y  -1.000000  B -> B  B1:y\n"
             "  0.250000  B -> O  B1:x\n"
             "\n"
             "class B\n"
             "  1.000000  U0:x\n"
             "\n"
             "class O\n"
             "  2.000000  U0:y  -1.000000  U0:x\n",
             model->bytes);
    assert_ok(ctx, cau_inspect(ctx, model, &options, 1, into_text, &out));
    assert_string_equal(out.s, want);
    cau_strbuf_clear(&out);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

static void test_chain_json(void **state)
{
    (void)state;
    json_t *root = tiny_json(&chain, (cau_inspect_options){.top = 1});
    assert_text_at(root, "kind", "crf");
    json_t *template = cau_at(root, "template");
    assert_int_equal(cau_count_at(template, "patterns"), 3);
    json_t *rows = cau_at(root, "transitions");
    for (size_t i = 0; i < 4; i++) /* --top does not limit the counts */
        assert_near(json_number_value(json_array_get(json_array_get(rows, i / 2), i % 2)),
                    chain_plain[i], 0);
    json_t *edges = cau_at(root, "edges"), *list = cau_at(edges, "for");
    assert_int_equal(cau_count_at(edges, "features"), 2);
    assert_int_equal(cau_count_at(edges, "weights"), 3);
    assert_int_equal(json_array_size(list), 1);
    json_t *best = cau_at(list, "0");
    assert_text_at(best, "feature", "B1:y");
    assert_text_at(best, "from", "O");
    assert_text_at(best, "to", "O");
    assert_near(cau_number_at(best, "weight"), 4, 0);
    json_t *read = cau_at(root, "read");
    assert_int_equal(cau_count_at(read, "columns"), 1);
    assert_true(json_is_true(cau_at(read, "comments")));
    json_decref(root);

    tiny bare = chain; /* neither edges nor transitions nor a template */
    bare.kind = CAU_KIND_MEMM;
    bare.edge_names = NULL;
    bare.plain = NULL;
    bare.template = NULL;
    bare.read.format = CAU_FORMAT_CRFSUITE;
    root = tiny_json(&bare, (cau_inspect_options){.top = 1});
    assert_true(json_is_null(cau_at(root, "transitions")));
    assert_true(json_is_null(cau_at(root, "template")));
    assert_int_equal(cau_count_at(root, "edges.features"), 0);
    json_decref(root);
}

/* Views that exclude each other. */
static void test_impossible(void **state)
{
    (void)state;
    static const cau_inspect_options impossible[] = {
        {.dump = true, .json = true},
        {.dump = true, .explain = "x"},
        {.expectations = "f", .explain = "x"},
        {.dump = true, .expectations = "f"},
    };
    const double w[] = {2, -1};
    const tiny parts = {.names = "f", .labels = "a|b", .w = w};
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(&parts);
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++)
        assert_fails(ctx, cau_inspect(ctx, model, &impossible[i], 1, into_nothing, NULL),
                     CAUCUS_ERR_ARGUMENT, "give one of");
    cau_strbuf out = {0};
    const cau_inspect_options dump = {.dump = true};
    assert_ok(ctx, cau_inspect(ctx, model, &dump, 1, into_text, &out));
    assert_memory_equal(out.s, "caucus dump 2\n", 14);
    cau_strbuf_clear(&out);
    assert_int_equal(cau_inspect(ctx, model, &dump, 1, into_nothing, NULL), CAUCUS_ERR_IO);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    const double w[] = {1, -2, 3, 4};
    const tiny parts = {.names = "f|g", .labels = "a|b", .w = w, .info = "solver\tg\\tis\n"};
    tiny_inspect_without_memory(&parts, (cau_inspect_options){.top = 2}, 3);
    tiny_inspect_without_memory(&chain, (cau_inspect_options){.top = 2}, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),       cmocka_unit_test(test_strongest),
        cmocka_unit_test(test_explicit),    cmocka_unit_test(test_info),
        cmocka_unit_test(test_chain_table), cmocka_unit_test(test_chain_json),
        cmocka_unit_test(test_impossible),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
